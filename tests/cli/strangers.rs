//! Untrusted input by every way: links instead of submissions, and control sequences for terminals.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::grading::class;
use super::home::{Home, Said};
use super::hostile_names::{self, every_file};

/// Colours, a bell, DEL, C1, bidi, zero width, a tag.
const BAD: &str = "\u{1b}[31m\u{7}\u{7f}\u{9b}\u{202e}\u{200b}\u{2066}\u{feff}\u{e0041}";

/// Text may have tabs, which names may not.
#[track_caller]
fn harmless(what: &str, bytes: &[u8]) {
    let without: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\t').collect();
    hostile_names::harmless(what, &without);
}

fn every_file_is_harmless(folder: &Path) {
    every_file(folder, &mut |path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Copies of programs, `programs/TREE/NAME`, are as they were handed in.
        let mut above = path.ancestors().skip(3);
        let is_copied = above.any(|folder| folder.file_name().is_some_and(|name| name == "programs"));
        if !name.starts_with("agon.db") && name != "key.secret" && !is_copied {
            harmless(&path.to_string_lossy(), &fs::read(path).unwrap());
        }
    });
}

#[track_caller]
fn said_cleanly(what: &str, said: &Said, code: i32) {
    harmless(what, &said.out);
    harmless(what, &said.err);
    assert_eq!(said.code, Some(code), "{what}: {}", said.all());
    assert!(!said.err().contains("panicked"), "{what}: {}", said.all());
}

#[test]
fn a_submission_that_is_a_link_is_refused_under_its_alias_and_never_followed() {
    let home = class(
        "id,name,mail,submission\n1,A,a@x,in/one\n2,B,b@x,in/two\n3,C,c@x,in/x.py\n4,D,d@x,in/etc\n5,E,e@x,in/link.zip\n\
         6,F,f@x,in/inner\n7,G,g@x,in/etc/passwd\n8,H,h@x,in/packed.tar\n9,I,i@x,in/packed.tar.gz\n\
         10,J,j@x,in/etc/real.zip\n11,K,k@x,in/beside\n",
    );
    let outside = home.path("../outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("passwd"), "root:x:SECRET\n").unwrap();
    fs::write(outside.join("engine.toml"), "SECRET = [").unwrap();
    symlink(outside.join("passwd"), home.path("in/x.py")).unwrap();
    symlink(&outside, home.path("in/etc")).unwrap();
    let mut zip = zip::ZipWriter::new(fs::File::create(outside.join("real.zip")).unwrap());
    zip.start_file("engine.toml", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"SECRET = [").unwrap();
    zip.finish().unwrap();
    symlink(outside.join("real.zip"), home.path("in/link.zip")).unwrap();
    home.put("in/inner/main.py", "");
    symlink(outside.join("engine.toml"), home.path("in/inner/engine.toml")).unwrap();
    home.put("in/beside/main.py", "");
    symlink(outside.join("real.zip"), home.path("in/beside/more.zip")).unwrap();
    symlink(outside.join("passwd"), home.path("in/packed.tar")).unwrap();
    let packed = fs::File::create(home.path("in/packed.tar.gz")).unwrap();
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(packed, flate2::Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    tar.append_link(&mut header, "engine.toml", outside.join("engine.toml")).unwrap();
    tar.into_inner().unwrap().finish().unwrap();

    let said = home.agon("grade tournament.toml --roster roster.csv --isolation limits".split(' '));
    said_cleanly("grade", &said, 0);
    let grades = home.read("grades/grades.csv");
    for (id, why) in [
        ("3", "what was handed in is a link; hand in"),
        ("4", "what was handed in is a link; hand in"),
        ("5", "what was handed in is a link; hand in"),
        ("6", "has engine.toml, which is a link or a device"),
        ("7", "what was handed in is reached through a link that leads out"),
        ("8", "what was handed in is a link; hand in"),
        ("9", "has engine.toml, which is a link or a device"),
        ("10", "what was handed in is reached through a link that leads out"),
        ("11", "has more.zip, which is a link or a device"),
    ] {
        let row = grades.lines().find(|line| line.starts_with(&format!("{id},"))).unwrap();
        assert!(row.contains(why) && row.contains("does not work"), "{row}");
    }
    let mut found = Vec::new();
    super::grading::holding(&home.path(""), "SECRET", &mut found);
    found.retain(|path| !path.contains("/in/"));
    assert!(found.is_empty() && !said.all().contains("SECRET"), "{found:?} {}", said.all());
}

#[test]
fn agon_build_refuses_links_that_lead_out_of_a_submission() {
    let home = Home::new();
    home.put("outside/engine.toml", "SECRET = [");
    home.put("in/good/main.py", "");
    home.put("in/toml/main.py", "");
    symlink(home.path("outside/engine.toml"), home.path("in/toml/engine.toml")).unwrap();
    symlink(home.path("outside"), home.path("in/folder")).unwrap();
    let said = home.agon(["build", "in"]);
    if said.code == Some(3) {
        return; // there is no sandbox here
    }
    said_cleanly("build", &said, 1);
    let row = |name: &str| said.out().lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("good").contains("ok"), "{}", said.all());
    assert!(row("toml").contains("FAILED") && row("toml").contains("engine.toml is a link that leads out"));
    assert!(row("folder").contains("FAILED") && row("folder").contains("is a link"), "{}", said.all());
    assert!(!said.all().contains("SECRET"), "{}", said.all());
}

/// A database whose damage SQLite reports in the attacker's words.
fn damaged(home: &Home, name: &str) {
    fs::create_dir_all(home.path(name)).unwrap();
    let database = rusqlite::Connection::open(home.path(name).join("agon.db")).unwrap();
    database.execute_batch("CREATE TABLE game (id TEXT); PRAGMA writable_schema = ON;").unwrap();
    database
        .execute("UPDATE sqlite_master SET name = ?1, sql = ?2", [BAD, &format!("CREATE TABLE {BAD} syntax")])
        .unwrap();
}

#[test]
#[ignore = "slow"]
fn no_byte_of_a_stranger_that_a_terminal_obeys_reaches_stdout_or_stderr() {
    let home = Home::with_two();
    let bad = |text: &str| text.replace('@', BAD);
    damaged(&home, "damaged");
    home.put("run.jsonl", bad("{\"id\": \"@\"}\n"));
    home.put("nested.jsonl", bad("{\"@\": {\"@\": [\"@\"]}, \"id\": 1}\n"));
    home.put("raw.jsonl", [b"{\"id\": \"".as_slice(), BAD.as_bytes(), b"\xff\x00\"}\n"].concat());
    home.put("syntax.toml", bad("engines = \"engines\"\n@ = = \"@\"\n"));
    home.put("key.toml", bad("engines = \"engines\"\n\"@\" = 1\n"));
    home.put("value.toml", bad("engines = \"engines\"\nst = \"@\"\nisolation = \"@\"\n"));
    home.put("folder.toml", bad("engines = \"@\"\n"));
    home.put("bad/one/engine.toml", bad("\"@\" = 1\ncommand = [\"@\"]\n"));
    home.put("bad/two/engine.toml", bad("command = [\"./@\"]\nname = \"@\"\nenv = { \"=@\" = \"@\" }\n"));
    home.put(
        "bad/three/engine.toml",
        bad("build = [\"sh\", \"-c\", \"printf '@'; exit 1\"]\ncommand = [\"./x\"]\n"),
    );
    home.put("key.csv", bad("alias,id,name,mail\n@,@,@,@\n"));
    home.put("long.csv", bad("alias,id,name,mail\n@,@,@,@,@,@\n"));
    home.put("openings", bad("@\n@ @\n"));
    home.put("words", bad("@\ncat\ndog\n"));
    home.put("board", bad("@\n"));
    home.put("game.txt", bad("[Event \"@\"]\n[Game \"@\"]\n[Id \"@\"]\n\n1. @ 2. @\n"));
    home.put("roster.csv", bad("id,name,@\n1,@,@\n"));
    home.put("grades.toml", bad("engines = \"engines\"\n[grades]\nby = \"@\"\nmax = 1\nsteps = []\n"));
    let table: &[&str] = &[
        "@",
        "match @ @",
        "match --@",
        "match engines/greedy engines/random --st @",
        "match engines/greedy engines/random --tc @",
        "match engines/greedy engines/random --size @",
        "match engines/greedy engines/random --game @",
        "match engines/greedy engines/random --isolation @",
        "match engines/greedy engines/random --out /dev/null/@",
        "match engines/greedy engines/random --openings openings",
        "match engines/greedy engines/random --openings @",
        "match engines/greedy engines/random --dictionary words --games 2 --size 3x3x1 --st 5",
        "match engines/greedy engines/random --board board",
        "match engines/greedy engines/random --events /no/@",
        "tournament syntax.toml",
        "tournament key.toml",
        "tournament value.toml",
        "tournament folder.toml",
        "tournament bad --isolation none",
        "tournament @",
        "plan syntax.toml",
        "plan @",
        "grade grades.toml --roster roster.csv",
        "grade syntax.toml --roster roster.csv",
        "grade @ --roster @",
        "reveal --key key.csv",
        "reveal @ --key key.csv",
        "reveal --key long.csv",
        "reveal --key @",
        "check @",
        "check bad/one",
        "check bad/two",
        "check bad/three --isolation none",
        "check engines/greedy --game @",
        "build @",
        "doctor --level @",
        "play @",
        "standings damaged",
        "standings damaged --json",
        "standings @",
        "games damaged",
        "games damaged --engine @",
        "why damaged @",
        "history damaged",
        "verify damaged",
        "export json damaged",
        "export csv damaged @",
        "export @ damaged",
        "import new run.jsonl",
        "import new nested.jsonl",
        "import new raw.jsonl",
        "import new @",
        "import damaged run.jsonl",
        "stop @",
        "stop damaged",
        "replay game.txt",
        "replay damaged @",
        "replay @",
        "rules @",
        "position show mnk --position @",
        "position moves mnk --moves @",
        "perft @ 3",
        "position perft mnk @",
        "position notation mnk @",
        "position board --size @",
        "position board --out /no/@",
        "completions @",
    ];
    for line in table {
        let words: Vec<OsString> = line.split(' ').map(|word| OsString::from(bad(word))).collect();
        let said = home.agon(&words);
        let what = line.replace('@', "BAD");
        harmless(&what, &said.out);
        harmless(&what, &said.err);
        let documented = said.code.is_some_and(|code| [0, 1, 2].contains(&code));
        assert!(documented && !said.err().contains("panicked"), "{what}: {}", said.all());
    }
    // An argument that is not text.
    let words =
        [OsString::from("match"), OsString::from_vec(b"\x1b[31m\xff\x9b".to_vec()), OsString::from("x")];
    said_cleanly("argv that is no text", &home.agon(words), 2);
    let variable = |name: &str, value: &OsStr| {
        let line = format!("env {name}=\"$BAD\" agon match engines/greedy engines/random --games 2");
        home.shell(&format!("BAD='{}'; export BAD; {line}", value.to_str().unwrap()))
    };
    for name in ["TMPDIR", "AGON_KEPT", "PATH", "LANG"] {
        let said = variable(name, OsStr::new(&format!("/no/{BAD}")));
        harmless(name, &said.out);
        harmless(name, &said.err);
    }
}

#[test]
fn names_of_students_and_what_their_builds_write_are_harmless_in_files() {
    let bad = |text: &str| text.replace('@', BAD);
    let home = class(&bad(
        "id,name,mail,submission\n1@,A@,a@x,in/one\n2,\"B\r@\",b@x,in/two\n3,C,@,in/bad.tar.gz\n4,D,@,in/@\n5,E,e,in/make\n",
    ));
    let packed = fs::File::create(home.path("in/bad.tar.gz")).unwrap();
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(packed, flate2::Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Fifo);
    header.set_size(0);
    tar.append_data(&mut header, bad("pipe@"), std::io::empty()).unwrap();
    tar.into_inner().unwrap().finish().unwrap();
    // In octal: a Makefile with raw control bytes is invalid.
    let printed = BAD.bytes().map(|byte| format!("\\{byte:03o}")).collect::<String>();
    home.put("in/make/Makefile", format!("all:\n\tprintf 'tab\\there {printed}\\377\\n'; false\n"));
    let said = home.agon("grade tournament.toml --roster roster.csv".split(' '));
    if said.code == Some(3) {
        return; // there is no sandbox here
    }
    said_cleanly("a path that is not there", &said, 2);
    home.put(bad("in/@"), "no program");
    let said = home.agon("grade tournament.toml --roster roster.csv".split(' '));
    said_cleanly("grade", &said, 0);
    every_file_is_harmless(&home.path("grades"));
    every_file_is_harmless(&home.path("results"));
    let key = home.read("grades/key.csv");
    assert!(key.contains("1\\x1b[31m\\x07"), "{key}");
    // The same students again get the same aliases.
    let again = home.agon("grade tournament.toml --roster roster.csv".split(' '));
    said_cleanly("grade again", &again, 0);
    assert_eq!(home.read("grades/key.csv"), key);
    said_cleanly("reveal", &home.agon(["reveal"]), 0);

    let said = home.agon(["build", "in"]);
    said_cleanly("build", &said, 1);
    let log = home.read("in/make/build.log");
    harmless("build.log", log.as_bytes());
    assert!(log.contains("tab\there \\x1b[31m\\x07\\x7f") && log.contains("\\xff"), "{log}");
}
