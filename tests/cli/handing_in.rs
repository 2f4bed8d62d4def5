//! Submissions as their authors have them at home: `agon check`, `agon match` and `agon play` take
//! them as a grading does.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::archives::{UNIX, WINDOWS, zip};
use super::home::{Home, Said};
use super::support::{is_thorough, not_tried};

const C: &str = "int x(void);\nint main(int argc, char **argv) {\n  return x();\n}\n";

/// A home with a starter for connect four in this language, in `new`, and its source.
fn starter(language: &str, file: &str) -> (Home, String) {
    let home = Home::new();
    let made = home.agon(["new", "connect4", language, "new"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    let source = home.read(&format!("new/{file}"));
    (home, source)
}

fn check(home: &Home, what: &str) -> Said {
    home.agon(format!("check {what} --game connect4 --isolation limits --moves 2 --st 10").split(' '))
}

/// Checks that a submission plays, and how it was taken.
#[track_caller]
fn plays(home: &Home, what: &str, taken_as: &str) -> String {
    let said = check(home, what);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains(&format!("the grading would take this as {taken_as}")), "{}", said.all());
    said.out()
}

#[test]
fn what_a_makefile_does_not_make_is_built_by_the_sources_beside_it() {
    let (home, source) = starter("python", "main.py");
    home.put("test/main.py", &source);
    home.put("test/Makefile", "test:\n\tfalse || { echo no pytest here; exit 1; }\n");
    let out = plays(&home, "test", "Python: python3 main.py");
    assert!(out.contains("by its Makefile: ") && out.contains("build.log ends: no pytest here"), "{out}");
    home.put("run/main.py", &source);
    home.put("run/Makefile", "run:\n\tpython3 main.py < /dev/null || true\n");
    // What a Makefile leaves there is no engine because it can be executed.
    home.put_program("run/tests.sh", "#!/bin/sh\nexit 1\n");
    home.put_program("run/deploy.sh", "#!/bin/sh\nexit 1\n");
    let out = plays(&home, "run", "Python: python3 main.py");
    assert!(out.contains("by its Makefile: it made no program"), "{out}");
    // Where neither is an engine, both are told.
    home.put("run/main.py", "");
    home.put("neither/Makefile", "all:\n\tcc -c bot.c\n");
    home.put("neither/bot.c", "int main(void) { return y; }\n");
    let said = check(&home, "neither");
    assert_eq!(said.code, Some(1), "{}", said.all());
    let told = said.out();
    assert!(told.starts_with("the grading would refuse this: by its Makefile: "), "{told}");
    assert!(told.contains("; by its sources in C: ") && told.contains("bot.c:1:25: error:"), "{told}");
    assert!(told.contains("the output of its build:\n"), "{told}");
}

#[test]
fn a_file_that_is_named_like_the_file_to_start_is_started_and_what_fails_is_passed_over() {
    let (home, source) = starter("python", "main.py");
    for (name, text) in [
        ("fast.c", "int main(void) { return 0; }\n"),
        ("src/lib.c", "int x;\n"),
        ("plot.js", ""),
        ("Cargo.toml", ""),
    ] {
        home.put("main/main.py", &source);
        home.put(format!("main/{name}"), text);
        let out = plays(&home, "main", "Python: python3 main.py");
        assert_eq!(out.contains("is not used"), name != "src/lib.c", "{name}: {out}");
        fs::remove_dir_all(home.path("main")).unwrap();
    }
    home.put("both/bot.py", &source);
    // Both say how they are started.
    home.put("both/main.c", "// agon: games = [\"connect4\"]\nint main(void) { return y; }\n");
    let out = plays(&home, "both", "Python: python3 bot.py");
    assert!(out.contains("by its sources in C: ") && out.contains("main.c:2:25: error:"), "{out}");
    home.put("both/main.c", "int main(void) { return 0; }\n");
    let out = plays(&home, "both", "Python: python3 bot.py");
    assert!(out.contains("main.c is not used"), "{out}");
    // Where nothing plays, the reason tells what else is there.
    home.put("none/main.py", "");
    home.put("none/bot.c", "int main(void) { return 0; }\n");
    let said = check(&home, "none");
    assert!(said.code == Some(1) && said.all().contains("bot.c is not used"), "{}", said.all());
}

#[test]
fn what_was_made_on_another_system_is_made_anew() {
    let (home, source) = starter("c", "main.c");
    let foreign = b"\xcf\xfa\xed\xfe of a Mac";
    let make = b"bot: main.o\n\tcc -o bot main.o\nmain.o: main.c\n\tcc -c main.c\n";
    // In this order the objects are newer than their sources.
    home.put(
        "mac.zip",
        zip(
            UNIX,
            &[
                (b"b/Makefile", make),
                (b"b/main.c", source.as_bytes()),
                (b"b/main.o", foreign),
                (b"b/bot", foreign),
            ],
        ),
    );
    plays(&home, "mac.zip", "Makefile: ./bot");
    home.put("plain/main.c", &source);
    home.put_program("plain/engine", foreign);
    plays(&home, "plain", "C: ./engine");
    home.put("alone/engine", foreign);
    let said = check(&home, "alone --graded");
    assert!(said.code == Some(1) && said.out().contains("a program for macOS"), "{}", said.all());
}

#[test]
fn a_program_without_its_right_to_be_executed_gets_it_back() {
    let (home, source) = starter("python", "main.py");
    let run: &[u8] = b"#!/bin/sh\nexec python3 \"$(dirname \"$0\")\"/main.py \"$@\"\n";
    let toml: &[u8] = b"command = [\"./run\"]\nargs = [\"{side}\", \"{to_move}\", \"{seconds}\"]\n";
    for (name, bytes) in [("engine.toml", toml), ("run", run), ("main.py", source.as_bytes())] {
        let path = home.put(format!("lost/{name}"), bytes);
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    plays(&home, "lost --graded", "engine.toml: ./run {side}");
    let all = [(&b"lost/engine.toml"[..], toml), (b"lost/run", run), (b"lost/main.py", source.as_bytes())];
    home.put("windows.zip", zip(WINDOWS, &all));
    plays(&home, "windows.zip", "engine.toml: ./run {side}");
}

#[test]
fn tests_beside_the_engine_are_no_part_of_it() {
    let (home, source) = starter("c", "main.c");
    home.put("c/bot.c", &source);
    home.put("c/bot_test.c", "#include <check.h>\nint main(void) { return 1; }\n");
    plays(&home, "c", "C: ./engine");
    let (home, source) = starter("python", "main.py");
    home.put("py/bot.py", &source);
    home.put("py/test_bot.py", "import pytest\n");
    plays(&home, "py", "Python: python3 bot.py");
    home.put("two/a.c", C);
    home.put("two/b.c", C);
    let said = check(&home, "two");
    assert!(
        said.code == Some(1) && said.out().contains("several C files have a function main"),
        "{}",
        said.all()
    );
}

#[test]
#[ignore = "slow"]
fn java_in_latin_1_is_built_without_its_tests() {
    let (home, source) = starter("java", "Main.java");
    if home.shell("command -v javac").code != Some(0) {
        not_tried!("Java: javac is not on this machine");
        return;
    }
    let source = source.replace("public class Main", "// f\u{fc}r\npublic class Engine");
    let latin: Vec<u8> = source.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect();
    home.put("j/Engine.java", &latin);
    home.put(
        "j/EngineTest.java",
        "import org.junit.Test;\nclass EngineTest { public static void main(String[] a) {} }\n",
    );
    home.put("j/Makefile", "test:\n\tjavac *.java && java -cp . EngineTest\n");
    plays(&home, "j", "Java: java -XX:+UseSerialGC -cp classes Engine");
}

/// Hands in the source of a starter alone.
fn alone(language: &str, file: &str, program: &str) {
    let (home, _) = starter(language, file);
    if home.shell(&format!("command -v {program}")).code != Some(0) {
        not_tried!("a starter in {language}: {program} is not on this machine");
        return;
    }
    let said = home.agon(format!("check new/{file} --moves 10 --st 10 --isolation limits").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        said.out().contains("connect4, ") && said.out().contains("the grading would take this as"),
        "{}",
        said.all()
    );
    assert!(!said.out().contains("  note "), "{}", said.all());
}

#[test]
fn a_starter_in_an_interpreted_language_is_handed_in_as_a_single_source() {
    alone("python", "main.py", "python3");
    if is_thorough() {
        alone("javascript", "main.js", "node");
    }
}

#[test]
fn a_starter_in_c_is_handed_in_as_a_single_source() {
    alone("c", "main.c", "cc");
}

#[test]
#[ignore = "slow"]
fn a_starter_in_each_other_language_is_handed_in_as_a_single_source() {
    for (language, file, program) in [
        ("c++", "main.cpp", "c++"),
        ("java", "Main.java", "javac"),
        ("javascript", "main.js", "node"),
        ("rust", "main.rs", "rustc"),
        ("go", "main.go", "go"),
    ] {
        alone(language, file, program);
    }
}

#[test]
fn submissions_play_in_a_box_or_not_at_all() {
    let (home, source) = starter("python", "main.py");
    home.put("mine.zip", zip(WINDOWS, &[(b"mine/main.py", source.as_bytes())]));
    home.put("theirs/main.py", &source);
    let said = home.agon("match mine.zip theirs --games 2 --st 10".split(' '));
    if said.code == Some(3) {
        assert!(said.err().contains("isolation level sandbox is not available"), "{}", said.all());
        return;
    }
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("mine.zip is taken as Python: python3 main.py"), "{}", said.all());
    assert!(said.out().contains("connect4, ") && !said.out().contains("crash"), "{}", said.all());
    let said = home.agon("match mine.zip theirs --games 2 --st 10 --out run".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let games = home.agon(["export", "json", "run"]).out();
    assert!(games.contains("\"sandbox\"") && games.contains("\"mine\""), "{games}");
    // The same programs again: nothing is left to play.
    assert_eq!(home.agon("match mine.zip theirs --games 2 --st 10 --out run".split(' ')).code, Some(0));
    let played = home.shell("echo quit | agon play new/main.py --st 10");
    assert!(played.err().contains("new/main.py is taken as Python"), "{}", played.all());
    let checked = home.agon("check mine.zip --moves 3 --st 10".split(' '));
    assert_eq!(checked.code, Some(0), "{}", checked.all());
    assert!(
        checked.out().contains("take this as Python: python3 main.py")
            && checked.out().contains("at isolation sandbox"),
        "{}",
        checked.all()
    );
}

#[test]
fn what_cannot_be_taken_is_told_in_the_words_of_the_grading() {
    let home = Home::new();
    home.put("a.7z", b"7z\xbc\xaf\x27\x1c....");
    home.put("up.zip", zip(UNIX, &[(b"../out.py", b"")]));
    home.put("empty.zip", zip(UNIX, &[]));
    for (what, why) in [
        ("a.7z", "what was handed in is a 7z archive, which agon does not read"),
        ("up.zip", "what was handed in has the path ../out.py, which leads out of it"),
        ("empty.zip", "nothing to build or to start was found"),
    ] {
        let said = check(&home, what);
        assert_eq!(said.code, Some(1), "{}", said.all());
        assert!(said.out().starts_with(&format!("the grading would refuse this: {why}")), "{}", said.all());
        let said = home.agon(["match", what, what, "--isolation", "limits"]);
        assert!(said.code == Some(2) && said.err().contains(why), "{}", said.all());
    }
    let said = home.agon(["check", "gone.zip", "--graded"]);
    assert!(said.code == Some(2) && said.err().contains("there is no such file"), "{}", said.all());
}
