//! What this machine lacks is no fault of a student: the grading stops with exit code 3, and
//! nothing of it is remembered.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::archives::{UNIX, zip};
use super::grading::class;
use super::home::{Home, Said, programs};
use super::inbox;
use super::support::not_tried;

/// A compiler that no machine of ours has.
const TOOL: &str = "swipl";
const GRADE: &str = "grade tournament.toml --roster roster.csv --isolation limits --no-check --max-plies 2";

fn grade(home: &Home, path: &str) -> Said {
    home.shell(&format!("PATH=\"{path}\" {}/agon {GRADE}", programs().display()))
}

/// A tool that makes `bot` of any arguments, and an interpreter that plays like agon-greedy.
fn install(home: &Home) {
    let greedy = programs().join("agon-greedy");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = -o ]; then echo '#!/bin/sh' > bot; echo 'exec {0} \"$@\"' >> bot; chmod +x bot; exit; fi\n\
         shift; exec {0} \"$@\"\n",
        greedy.display()
    );
    home.put(format!("tools/{TOOL}"), script);
    fs::set_permissions(home.path(format!("tools/{TOOL}")), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_compiler_that_is_not_here_stops_the_grading_and_is_not_remembered() {
    for (name, files) in [
        (
            "its build",
            &[("engine.toml", "command = [\"./bot\"]\nbuild = [\"swipl\", \"-o\", \"bot\"]\n")][..],
        ),
        ("its Makefile", &[("Makefile", "bot:\n\tswipl -o bot bot.pl\n")]),
        ("its script", &[("engine.toml", "command = [\"./bot\"]\n"), ("bot", "#!/usr/bin/env swipl\n")]),
        ("its interpreter", &[("engine.toml", "command = [\"swipl\", \"{folder}/x.pl\"]\n"), ("x.pl", "x")]),
    ] {
        let home = class("id,name,mail,submission\n1,Ann Quist,a@x.org,in/lacks\n2,B,b@x.org,in/two\n");
        for (file, text) in files {
            let path = home.put(format!("in/lacks/{file}"), text);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = "/usr/local/bin:/usr/bin:/bin";
        for _ in 0..2 {
            let said = grade(&home, path);
            assert_eq!(said.code, Some(3), "{name}: {}", said.all());
            let told = said.err();
            let alias = inbox::alias(&home, "1");
            assert!(told.contains("1 submission, so nobody knows whether it works"), "{name}: {told}");
            assert!(told.contains("swipl is not on this machine") && told.contains(&alias), "{name}: {told}");
            assert!(told.contains("hint: install swipl") && !told.contains("Quist"), "{name}: {told}");
            assert!(!home.path("grades/grades.csv").exists(), "{name}");
        }
        install(&home);
        let said = grade(&home, &format!("{}:{path}", home.path("tools").display()));
        assert_eq!(said.code, Some(0), "{name}: {}", said.all());
        assert!(!home.read("grades/grades.csv").contains("does not work"), "{name}: {}", said.all());
    }
}

#[test]
fn an_interpreter_that_a_script_starts_is_missed_when_it_is_tried() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/lacks\n3,C,,in/two\n");
    home.put("in/lacks/engine.toml", "command = [\"./run\"]\n");
    home.put("in/lacks/run", "#!/bin/sh\nexec swipl x.pl \"$@\"\n");
    let said = home.agon(GRADE.replace(" --no-check", "").split(' '));
    assert_eq!(said.code, Some(3), "{}", said.all());
    assert!(said.err().contains("swipl is not on this machine"), "{}", said.all());
    let intake = home.agon("intake tournament.toml --roster roster.csv --isolation limits".split(' '));
    assert_eq!(intake.code, Some(3), "{}", intake.all());
    assert!(home.read("grades/intake.csv").contains("machine's fault: swipl is not on this machine"));
    // The teacher may grade the others: that one has a state, and no number.
    let said = home.agon(format!("{} --accept-intake", GRADE.replace(" --no-check", "")).split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let row = super::intake::row(&home, "2");
    assert!(row[5].is_empty() && row.contains(&"machine's fault".to_owned()), "{row:?}");
    assert!(!super::intake::row(&home, "1")[5].is_empty(), "{}", said.all());
}

#[test]
fn python_that_is_not_here_is_told_before_anything_is_built() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,bot.py\n3,C,,in/sh\n");
    home.put("bot.py", "print('W,P')\n");
    home.put("in/sh/engine.toml", "command = [\"./run\"]\n");
    home.put("in/sh/run", "#!/usr/bin/env bash\necho W,P\n");
    fs::create_dir(home.path("few")).unwrap();
    for tool in ["sh", "cat"] {
        std::os::unix::fs::symlink(format!("/bin/{tool}"), home.path(format!("few/{tool}"))).unwrap();
    }
    let said = grade(&home, &home.path("few").display().to_string());
    assert_eq!(said.code, Some(3), "{}", said.all());
    assert!(said.err().contains("\n  bash is not on this machine"), "{}", said.all());
    assert!(said.err().contains("\n  python3 is not on this machine"), "{}", said.all());
    assert!(said.err().contains("hint: install bash and python3"), "{}", said.all());
}

#[test]
fn a_compiler_that_was_killed_is_no_fault_of_its_student() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/killed\n3,C,,in/fails\n");
    home.put("in/killed/bot.c", "int main(void) { return 0; }\n");
    home.put("in/fails/bot.c", "int main(void) { return x; }\n");
    home.put("tools/cc", "#!/bin/sh\ncase \"$PWD\" in *killed*) ;; esac\ngrep -q 'return 0' bot.c && kill -9 $$\nexec /usr/bin/cc \"$@\"\n");
    fs::set_permissions(home.path("tools/cc"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = "/usr/local/bin:/usr/bin:/bin";
    let said = grade(&home, &format!("{}:{path}", home.path("tools").display()));
    assert_eq!(said.code, Some(3), "{}", said.all());
    assert!(said.err().contains("its build was killed"), "{}", said.all());
    assert!(said.err().contains("1 submission,"), "{}", said.all());
    // The same compiler, as it is: the one is built, and the error of the other is its own.
    let said = grade(&home, path);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("grades/grades.csv").contains("undeclared"), "{}", home.read("grades/grades.csv"));
}

/// Of an engine of the organiser's too: with the compiler nothing is left to mend.
#[test]
fn each_command_that_lacks_a_compiler_says_so_with_its_own_exit_code() {
    let home = Home::new();
    for name in ["one", "two"] {
        let toml = "command = [\"./bot\"]\nbuild = [\"swipl\", \"-o\", \"bot\"]\ngames = [\"letters\"]\n";
        home.put(format!("engines/{name}/engine.toml"), toml);
    }
    for words in [
        "check engines/one",
        "check engines/one --graded",
        "match engines/one engines/two --games 2",
        "play engines/one",
        "tournament engines --games 2",
        "build engines",
    ] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(3), "{words}: {}", said.all());
        let told = said.all();
        assert!(told.contains("swipl is not on this machine") && told.contains("install swipl"), "{told}");
        let is_named = words.contains("--graded") || told.contains("one");
        assert!(is_named, "{words}: {told}");
    }
    let said = home.agon("tournament engines --games 2".split(' '));
    assert!(said.err().contains("2 engines, so nobody knows"), "{}", said.all());
    assert!(said.err().contains("or leave them out with --skip-broken"), "{}", said.all());
    // What else is wrong in the folder is to be mended first.
    home.put("engines/three/engine.toml", "command = [\"./none\"]\n");
    let said = home.agon("tournament engines --games 2".split(' '));
    assert!(
        said.code == Some(2) && said.err().contains("3 of the engines cannot be started"),
        "{}",
        said.all()
    );
}

/// A build may print what it likes, and end as it likes: none of that stops a grading.
#[test]
fn a_student_who_imitates_a_fault_of_the_machine_stops_nobody() {
    for (name, makefile) in [
        ("a tool", "bot:\n\t@echo 'make: swipl: No such file or directory' >&2; exit 127\n"),
        ("a shell", "bot:\n\t@echo '/bin/sh: 1: swipl: not found'; exit 1\n"),
        (
            "a part",
            "bot:\n\t@echo \"cc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\"; exit 1\n",
        ),
        ("a kill", "bot:\n\t@echo 'cc: fatal error: Killed signal terminated program cc1'; exit 1\n"),
        ("a killed recipe", "bot:\n\t@echo 'make: *** [Makefile:2: bot] Killed'; exit 137\n"),
        ("a killed make", "bot:\n\t@kill -9 $$PPID\n"),
        ("a disk", "bot:\n\t@echo 'cc: error: No space left on device'; exit 1\n"),
        ("a library", "bot:\n\t@echo 'a.c:1:10: fatal error: mpfr.h: No such file or directory'; exit 1\n"),
    ] {
        let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,in/imitates\n");
        home.put("in/imitates/Makefile", makefile);
        let said = home.agon(GRADE.split(' '));
        assert_eq!(said.code, Some(0), "{name}: {}", said.all());
        assert_eq!(super::intake::row(&home, "3")[6], "does not work", "{name}: {}", said.all());
    }
    // The same when it is tried.
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,in/imitates\n");
    home.put("in/imitates/engine.toml", "command = [\"./run\"]\n");
    home.put("in/imitates/run", "#!/bin/sh\necho './run: 2: swipl: not found' >&2\nexit 127\n");
    let said = home.agon(GRADE.replace(" --no-check", "").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(super::intake::row(&home, "3")[6], "does not work", "{}", said.all());
}

/// Whether students may use a library, only their teacher knows.
#[test]
fn a_library_that_is_not_here_is_a_question_to_the_teacher() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,in/lib\n4,D,,in/own\n");
    home.put("in/lib/bot.c", "#include <boost/engine_of_agon.h>\nint main(void) { return 0; }\n");
    home.put("in/own/bot.c", "#include \"mine.h\"\nint main(void) { return 0; }\n");
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(3), "{}", said.all());
    let alias = inbox::alias(&home, "3");
    let words = format!("boost/engine_of_agon.h is not on this machine (libboost-all-dev has it): {alias}");
    assert!(said.err().contains(&words) && said.err().contains("1 submission,"), "{}", said.all());
    let hint =
        "hint: install libboost-all-dev, and give the command again; or write does not work into column use";
    assert!(said.err().contains(hint), "{}", said.all());
    super::intake::answer(&home, |row| (&row[0] == "in/lib").then_some("does not work"));
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for id in ["3", "4"] {
        assert_eq!(super::intake::row(&home, id)[6], "does not work", "{id}");
    }
    assert!(super::intake::row(&home, "3")[7].contains("boost/engine_of_agon.h"), "{}", said.all());
    // The answer is about this machine: a submission that works on it plays.
    super::intake::answer(&home, |row| (&row[0] == "in/one").then_some("does not work"));
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_ne!(super::intake::row(&home, "1")[6], "does not work", "{}", said.all());
}

/// A submission in Go, and agon's own starter, where Go is not installed.
#[test]
fn a_submission_in_go_waits_for_go() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,in/two\n3,C,,in/go\n4,D,,main.go\n");
    home.put("in/go/main.go", "package main\n\nfunc main() {}\n");
    home.put("main.go", fs::read(super::home::root().join("starters/main.go")).unwrap());
    fs::create_dir(home.path("few")).unwrap();
    for tool in ["sh", "cat", "cc", "python3"] {
        let place = ["/usr/bin", "/bin"].map(|folder| format!("{folder}/{tool}"));
        let place = place.iter().find(|place| std::path::Path::new(place).exists()).unwrap();
        std::os::unix::fs::symlink(place, home.path(format!("few/{tool}"))).unwrap();
    }
    let said = grade(&home, &home.path("few").display().to_string());
    assert_eq!(said.code, Some(3), "{}", said.all());
    let [own, starter] = ["3", "4"].map(|id| inbox::alias(&home, id));
    let (one, other) =
        (format!("go is not on this machine (not found in PATH): {own}, {starter}"), "hint: install go,");
    assert!(said.err().contains(&one) && said.err().contains(other), "{}", said.all());
    assert!(!home.path("grades/grades.csv").exists());
}

#[test]
fn a_full_disk_stops_the_grading() {
    let home = class("id,name,mail,submission\n1,A,,in/one\n2,B,,large.zip\n");
    home.put(
        "large.zip",
        zip(UNIX, &[(b"engine.toml", b"command = [\"./run\"]\n"), (b"run", &vec![b'x'; 9 << 20])]),
    );
    fs::create_dir(home.path("small")).unwrap();
    let grade = format!("{}/agon {GRADE} --out small/results", programs().display());
    let said = home.shell(&format!(
        "unshare -m sh -c 'mount -t tmpfs -o size=8m none small || exit 77; {grade}; code=$?; ls -A small/results-engines/*; exit $code'"
    ));
    if said.code == Some(77) || said.err().contains("unshare") {
        not_tried!("a full disk: nothing can be mounted here");
        return;
    }
    assert_eq!(said.code, Some(3), "{}", said.all());
    assert!(said.err().contains("No space left on device"), "{}", said.all());
    assert!(
        !home.path("grades/grades.csv").exists() && said.out().matches(".json").count() == 1,
        "{}",
        said.all()
    );
}

#[test]
fn a_submission_waits_in_the_inbox_until_the_machine_can_build_it() {
    let home = inbox::class("sandbox");
    let engine = inbox::engine("one");
    let toml = b"command = [\"./run\"]\nargs = [\"{side}\", \"{to_move}\"]\nbuild = [\"swipl\"]\n";
    home.put("in/11.zip", zip(UNIX, &[(b"engine.toml", toml)]));
    home.put("in/12.zip", &engine);
    let once = || home.agon("inbox in --once --settle 0".split(' '));
    let said = once();
    assert_eq!(said.code, Some(3), "{}", said.all());
    let [ada, bob] = ["11", "12"].map(|id| inbox::alias(&home, id));
    assert!(
        said.err().contains(&format!("11 ({ada}): 11.zip waits: swipl is not on this machine")),
        "{}",
        said.all()
    );
    assert!(said.err().contains(&format!("12 ({bob}): 12.zip accepted")), "{}", said.all());
    assert!(home.path(format!("in/claimed/{ada}/11.zip")).exists());
    assert!(!home.path(format!("in/reports/{ada}/status.json")).exists(), "nothing was answered");
    let log = home.read(&format!("in/reports/{ada}/log.txt"));
    assert!(log.contains("11.zip waits: this machine could not build") && !log.contains("install"), "{log}");
    assert_eq!(once().code, Some(3), "it still waits");
    // A newer one that works takes its place.
    home.put("in/11.zip", &engine);
    let said = once();
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        said.err().contains(&format!("11 ({ada}): 2-11.zip accepted"))
            || said.err().contains("11.zip accepted"),
        "{}",
        said.all()
    );
    assert!(home.path(format!("in/rejected/{ada}-11.zip")).exists());
    // A library is another thing: its author may do without it.
    home.put(
        "in/13.zip",
        zip(UNIX, &[(b"bot.c", b"#include <boost/engine_of_agon.h>\nint main(void) { return 0; }\n")]),
    );
    let said = once();
    assert_eq!(said.code, Some(0), "{}", said.all());
    let words = "13.zip rejected: boost/engine_of_agon.h is not on this machine (libboost-all-dev has it)";
    assert!(said.err().contains(words), "{}", said.all());
}
