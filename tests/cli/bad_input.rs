//! Wrong input of every kind: one message with the file, the line and the remedy, exit code 2, and
//! no files left behind.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use super::home::{Home, root};
use crate::support::{GREEDY, side_by_side};

/// Runs agon with these words, split at spaces. Checks that it refuses them with all of `wanted` in
/// its message and changes nothing on the disk.
#[track_caller]
pub(crate) fn refused(home: &Home, words: &str, wanted: &[&str]) {
    let before = home.listing();
    let began = Instant::now();
    let said = home.agon(words.split(' '));
    let took = began.elapsed();
    assert_eq!(said.code, Some(2), "agon {words}\n{}", said.all());
    assert_eq!(said.out(), "", "agon {words} writes to stdout");
    let err = said.err();
    let messages = err.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(messages, 1, "agon {words} has not one message\n{err}");
    for part in wanted {
        assert!(err.contains(part), "agon {words} does not say {part:?}\n{err}");
    }
    assert_eq!(home.listing(), before, "agon {words} leaves something behind");
    assert!(took < Duration::from_secs(60), "agon {words} takes {took:?}");
}

const TOURNAMENT: &str = "tournament engines --games 2";
const MATCH: &str = "match engines/greedy engines/random --games 2";

/// What is said of each kind is tested where boards are read.
#[test]
fn a_malformed_board_is_named_with_its_line() {
    let home = Home::with_two();
    fs::copy(root().join("fixtures/letters/floating.board"), home.path("floating.board")).unwrap();
    let wanted = ["floating.board", "line 6", "2,2,2", "put the blanks under the letters"];
    for run in [TOURNAMENT, MATCH, "check engines/greedy"] {
        refused(&home, &format!("{run} --board floating.board"), &wanted);
    }
    home.put("huge.board", "1000 1000 1000\nabc\n");
    refused(&home, &format!("{MATCH} --board huge.board"), &["huge.board", "line 1", "1000 rows"]);
}

#[test]
fn what_is_no_file_of_its_kind_is_named() {
    let home = Home::with_two();
    home.put("empty", "");
    home.put("binary", [0x7f, b'E', 0, 1, 2, 0xff, b'\n', 0, 9].repeat(500));
    File::create(home.path("huge")).unwrap().set_len(500_000_000).unwrap();
    fs::create_dir(home.path("folder")).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, home.path("fifo"), fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    for (option, what, of_binary) in [
        ("--dictionary", "word list", "line 1"),
        ("--board", "board", "line 1"),
        ("--openings", "opening", "line 1: is not UTF-8"),
    ] {
        for run in [TOURNAMENT, MATCH] {
            let of = |name: &str| format!("{run} {option} {name}");
            refused(&home, &of("missing"), &["missing", "No such file"]);
            refused(&home, &of("empty"), &["empty", what]);
            refused(&home, &of("binary"), &["binary", of_binary]);
            refused(&home, &of("huge"), &["huge", "500000000 bytes"]);
            refused(&home, &of("folder"), &["folder", "not a file", what]);
            refused(&home, &of("fifo"), &["fifo", "not a file", what]);
        }
    }
    home.put("numbers", "12\n34\n");
    refused(
        &home,
        &format!("{MATCH} --dictionary numbers"),
        &["numbers", "none of the 2 lines", "three or more"],
    );
    refused(&home, "tournament missing", &["missing", "No such file"]);
    refused(&home, "tournament missing.toml", &["missing.toml", "No such file"]);
    refused(&home, "tournament binary", &["binary", "tournament.toml"]);
    refused(&home, "tournament folder", &["folder", "0 engine(s)", "needs two"]);
}

#[test]
fn a_line_that_is_no_opening_is_named_with_its_file_and_number() {
    let home = Home::with_two();
    let start = "#####/######/..###../......../........./......../..OOO../OOOOOO/OOOOO b";
    let commented = format!("{start}\n# a comment\n");
    let files: [(&str, &[u8], &[&str]); 4] = [
        ("abalone", commented.as_bytes(), &["line 2", "begin it with `;`"]),
        ("abalone", b"; a comment\n\ng3-f3 a1-a1\n", &["line 3", "move 2", "a1-a1"]),
        ("mill", b"11\n55\n", &["line 2", "as moves: move 1"]),
        ("mill", b"11\n\xff\n", &["line 2", "UTF-8"]),
    ];
    for (game, text, wanted) in files {
        home.put("bad.openings", text);
        let run = format!("{MATCH} --game {game} --openings bad.openings");
        refused(&home, &run, &[&["bad.openings"], wanted].concat());
    }
}

#[test]
fn an_engine_that_cannot_know_who_begins_is_refused_before_the_first_game() {
    let home = Home::with_two();
    for (name, args) in [("knows", "\"{side}\", \"{to_move}\""), ("cannot", "\"{side}\", \"{seconds}\"")] {
        fs::create_dir(home.path(name)).unwrap();
        home.put(format!("{name}/engine.toml"), format!("command = [\"sh\"]\nargs = [{args}]\n"));
    }
    let run = "match knows cannot --games 2 --game mnk:3x3,3,first=O";
    refused(&home, run, &["cannot/engine.toml", "key args", "O begins", "{first} {game} {to_move}"]);
}

#[test]
#[ignore = "slow"]
fn a_bad_flag_is_named_with_what_may_be_written() {
    let home = Home::with_two();
    for (flags, wanted) in [
        ("--games 3", &["--games 3", "odd", "give 2 or 4"][..]),
        ("--games 0", &["--games 0", "even number"]),
        ("--games -2", &["--games", "'-2'", "write one like"]),
        ("--games many", &["--games", "'many'", "write one like"]),
        ("--games 99999999999", &["--games", "write one like"]),
        ("--st 0", &["--st", "will not do", "5 or 0.25"]),
        ("--st -1", &["--st", "-1 seconds", "write a number"]),
        ("--st nan", &["--st", "nan", "write a number"]),
        ("--st inf", &["--st", "inf", "write a number"]),
        ("--st soon", &["--st", "soon", "5 or 0.25"]),
        ("--tc 60+", &["--tc", "behind the +"]),
        ("--tc 60+x", &["--tc", "5 or 0.25"]),
        ("--tc -60", &["--tc", "-60 seconds"]),
        ("--st 1 --tc 60", &["--st", "--tc"]),
        ("--margin -1", &["--margin", "write a number"]),
        ("--startup x", &["--startup", "'x'"]),
        ("--size 0x0x0", &["0 rows", "1 to 64"]),
        ("--size 1000x1x1", &["1000 rows", "1 to 64"]),
        ("--size 2x2x2", &["2x2x2", "make one side 3 or more"]),
        ("--size 6x6", &["6x6", "write three numbers"]),
        ("--size 6x6x3 --game letters:3x3x3", &["leave out --size"]),
        ("--letters gothic", &["gothic", "scrabble or uniform"]),
        ("--game shogi", &["shogi", "letters", "abalone"]),
        ("--game mnk:99x1,3", &["99 columns", "1 to 20"]),
        ("--game mill --size 4x4x4", &["--size", "letter cube"]),
        ("--game mill --board engines/greedy", &["--board", "letter cube", "mill"]),
        ("--concurrency 0", &["--concurrency 0", "1 to 1024"]),
        ("--concurrency 100000", &["1 to 1024"]),
        ("--seed -1", &["--seed", "write one like"]),
        ("--out none/run", &["none/run", "no directory none", "--out"]),
        ("--out engines", &["engines", "neither empty", "--out"]),
        ("--out engines/greedy", &["engines/greedy", "--out"]),
        ("--events none/events", &["none/events", "no directory none"]),
        ("--events engines", &["engines", "a directory"]),
        ("--out run --events none/events", &["none/events"]),
        ("--out none/run --events events", &["none/run"]),
        ("--frobnicate", &["--frobnicate"]),
    ] {
        refused(&home, &format!("tournament engines {flags}"), wanted);
        refused(&home, &format!("match engines/greedy engines/random {flags}"), wanted);
    }
    refused(&home, "match engines/greedy engines/random --board-seed 5", &["--board-seed", "--games 2"]);
    refused(&home, "position board --size 0x0x0", &["0 rows", "1 to 64"]);
    refused(&home, "position board --out none/board", &["none/board", "no directory none"]);
    refused(&home, "position board --out engines", &["engines", "a directory"]);
    refused(&home, "check engines/greedy --moves -1", &["--moves", "write one like"]);
}

#[test]
fn a_position_a_move_or_a_record_is_refused_with_its_place() {
    let home = Home::new();
    home.put("cut.txt", "[Event \"x\"]\n[Game \"mill\"]\n[Result \"1-0\"]\n\n1. 11 55\n");
    home.put("binary.txt", [0xff, 0, 1, b'\n']);
    for (words, wanted) in [
        ("show shogi", &["shogi", "letters", "mill"][..]),
        ("position show mill --moves 99", &["move 1", "\"99\"", "column 99"]),
        ("position show mill --position x", &["--position"]),
        ("position moves mnk:3x3,9", &["mnk", "COLUMNSxROWS"]),
        ("position perft mill deep", &["'deep'", "<DEPTH>"]),
        ("position notation mill 34 zz", &["move 2", "\"zz\"", "two digits"]),
        ("rules shogi", &["shogi", "letters", "mill"]),
        ("replay missing.txt", &["missing.txt", "No such file"]),
        ("replay cut.txt", &["cut.txt", "line 5", "55"]),
        ("replay binary.txt", &["binary.txt", "line 1"]),
    ] {
        refused(&home, words, wanted);
    }
}

#[test]
fn a_directory_that_is_no_run_is_named_and_so_is_what_a_run_does_not_hold() {
    let home = Home::with_two();
    home.put("damaged/agon.db", [7; 5000]);
    home.put("garbage.jsonl", "garbage\n");
    fs::create_dir(home.path("empty")).unwrap();
    for command in
        ["standings DIR", "games DIR", "verify DIR", "history DIR", "why DIR greedy", "export json DIR"]
    {
        for directory in ["missing", "empty", "engines/greedy", "damaged"] {
            let wanted: &[&str] = match directory {
                "damaged" => &["damaged/agon.db", "not a database"],
                "missing" => &["missing: there is no such directory", "give the directory of a run"],
                _ => &[directory, "no agon.db", "give the directory of a run"],
            };
            refused(&home, &command.replace("DIR", directory), wanted);
        }
    }
    let said = home.agon("tournament engines --games 2 --size 3x3x1 --st 2 --out run --quiet".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for (words, wanted) in [
        ("why run nobody", &["nobody", "the engines are greedy, random"][..]),
        ("games run --engine nobody", &["nobody", "the engines are greedy, random"]),
        ("games run --termination slow", &["'slow'", "normal", "time forfeit"]),
        ("replay run r09-p0001-g01", &["r09-p0001-g01", "agon games"]),
        ("export xml run x", &["xml", "csv, json, notation, document, pgn, db"]),
        ("export db run none/copy.db", &["none/copy.db", "no directory none"]),
        ("export json run none/copy", &["none/copy", "no directory none"]),
        ("export csv run", &["TO is missing", "agon export csv|notation|document DIR TO-DIRECTORY"]),
        ("import run garbage.jsonl", &["garbage.jsonl", "line 1"]),
        ("import run missing", &["missing", "No such file"]),
        ("stop missing", &["missing", "no run in it"]),
    ] {
        refused(&home, words, wanted);
    }
}

#[test]
fn a_tournament_toml_is_refused_with_its_line() {
    let home = Home::with_two();
    home.engine("one/alone", "agon-greedy");
    for (text, wanted) in [
        (
            "engines = \"engines\"\ngames = 4\ngammes = 5\n",
            &["class.toml: line 3: key gammes", " games,"][..],
        ),
        ("games = \"many\"\n", &["class.toml: line 1: key games: expected a whole number from 0 to", "many"]),
        ("games = 4\n\nst = [\n", &["class.toml: line 3: "]),
        ("engines = 3\n", &["class.toml: line 1: key engines", "hint: write it in quotes, engines = \""]),
        ("games = 4\n", &["key engines", "missing"]),
        (
            "games = 2\nengines = \"nowhere\"\n",
            &[
                "class.toml: line 2: key engines: nowhere: cannot be read as a folder: No such file",
                "hint: write the path of a folder of engines, relative to this file",
            ],
        ),
        ("engines = \"engines\"\n\ngames = 3\n", &["class.toml: line 3: key games: an odd number"]),
        ("games = 0\nengines = \"engines\"\n", &["class.toml: line 1: key games: nobody would play"]),
        ("engines = \"engines\"\npoints = \"0-1-2\"\n", &["class.toml: line 2: key points: a win (0)"]),
        ("engines = \"engines\"\nst = [1, 0]\n", &["class.toml: line 2: key st: 0 seconds"]),
        (
            "engines = \"engines\"\n[event]\ndate = \"May\"\nplace = \"Bern\\nAare\"\ntext = \"a\\nb\"\n",
            &[
                "class.toml: line 4: key event.place: it has a line break or another control character",
                "hint: write it on one line, as only text and prizes have several",
            ],
        ),
        (
            "engines = \"engines\"\nevent = \"Spring\\tCup\"\n",
            &["class.toml: line 2: key event: ", "it has a line break or another control character"],
        ),
        (
            "games = 2\nengines = \"one\"\n[[stages]]\nadvance = 2\n[[stages]]\nformat = \"finals\"\n",
            &["class.toml: line 2: key engines: one: 1 engine(s) found, but a tournament needs two"],
        ),
        (
            "engines = \"engines\"\n\nseeds = [\"zoe\"]\n[[stages]]\ngroups = 1\n",
            &["class.toml: line 3: key seeds: there is no engine \"zoe\"\nhint: there are greedy, random"],
        ),
        (
            "engines = \"engines\"\n[[stages]]\nadvance = 3\n[[stages]]\nname = \"x\"\n",
            &["class.toml: line 3: key advance of stage 1: 3 of each group cannot advance"],
        ),
        (
            "engines = \"engines\"\nformat = \"knockout\"\nplay-off-games = 3\n",
            &["class.toml: line 3: key play-off-games: 3 games do not balance the sides"],
        ),
        (
            "engines = \"engines\"\n\nst = [1, 2]\n[[stages]]\nname = \"x\"\n",
            &["class.toml: line 3: key st: several time controls are for a tournament without stages"],
        ),
        (
            "engines = \"engines\"\ntc = [\"9\", \"8\"]\nformat = \"knockout\"\n",
            &["class.toml: line 2: key tc: several time controls are for a tournament without stages"],
        ),
        (
            "engines = \"engines\"\nst = 1\ntc = \"60\"\n",
            &["class.toml: line 3: keys st and tc", "one of the two"],
        ),
        (
            "engines = \"engines\"\nstages = [{ format = \"cup\" }]\n",
            &["class.toml: line 2: key format of stage 1"],
        ),
        ("engines = \"engines\"\ngame = \"shogi\"\n", &["class.toml: line 2: key game: ", "letters, mill"]),
        ("engines = \"engines\"\nletters = \"gothic\"\n", &["class.toml: line 2: key letters: ", "scrabble"]),
        (
            "engines = \"engines\"\n\ngame = \"mill\"\nsize = \"3x3x3\"\n",
            &["class.toml: line 4: key size: is for"],
        ),
        (
            "engines = \"engines\"\nboard = \"none\"\n",
            &["class.toml: line 2: key board: none: cannot be read"],
        ),
        ("engines = \"engines\"\nrandom-plies = 2000\n", &["class.toml: line 2: key random-plies: "]),
        ("engines = \"engines\"\nprocesses = 0\n", &["class.toml: line 2: key processes: "]),
        (
            "engines = \"engines\"\n\ntime = \"zoe=st=1\"\n",
            &["class.toml: line 3: key time: ", "no engine zoe"],
        ),
        ("engines = \"engines\"\nevents = \"no/e\"\n", &["class.toml: line 2: key events: no/e"]),
        ("engines = \"engines\"\n\"\\u001b[31m\" = 1\n", &["line 2", "\\x1b[31m"]),
    ] {
        home.put("class.toml", text);
        refused(&home, "tournament class.toml", &[&["class.toml"], wanted].concat());
    }
    home.put("class.toml", "engines = \"nowhere\"\n");
    for command in ["tournament", "plan", "nightly --dry-run"] {
        let wanted =
            ["class.toml: line 1: key engines: nowhere: cannot be read as a folder", "hint: write the path"];
        refused(&home, &format!("{command} class.toml"), &wanted);
    }
    // A file in the folder itself is read as well.
    home.put("engines/tournament.toml", "games = 2\n\nfoo = 1\n");
    refused(&home, "tournament engines", &["engines/tournament.toml", "line 3", "foo"]);
}

/// Each way in which an engine cannot be started: its name in the folder, how to make it, and the
/// message.
type Broken = (&'static str, fn(&Home), &'static [&'static str]);

const BROKEN: &[Broken] = &[
    ("link", |home| symlink("/no/where", home.path("bad/link")).unwrap(), &["broken symlink", "/no/where"]),
    (
        "script",
        |home| home.put_program("bad/script", "#!/no/such/python\n"),
        &["/no/such/python", "install it"],
    ),
    (
        "env-script",
        |home| home.put_program("bad/env-script", "#!/usr/bin/env nosuchpython\n"),
        &["nosuchpython", "PATH", "install it"],
    ),
    (
        "env-path",
        |home| home.put_program("bad/env-path", "#!/usr/bin/env -S -u HOME /opt/no/such/python -u\n"),
        &["its interpreter /opt/no/such/python is not on this machine", "install it"],
    ),
    (
        "env-words",
        |home| home.put_program("bad/env-words", "#!/usr/bin/env sh -e\n"),
        &["gives env \"sh -e\" as one word", "write #!/usr/bin/env -S sh -e"],
    ),
    (
        "no-library",
        |home| {
            home.put("there.c", "int there(void) { return 0; }\n");
            home.put("main.c", "int there(void); int main(void) { return there(); }\n");
            let run = |words: &str| {
                let mut compiler = std::process::Command::new("cc");
                let done = compiler.args(words.split(' ')).current_dir(home.path(".")).status().unwrap();
                assert!(done.success(), "{words}");
            };
            run("-shared -o libthere.so there.c");
            run("main.c -L. -lthere -o bad/no-library");
        },
        &["bad/no-library", "it needs the library libthere.so, which is not on this machine", "install it"],
    ),
    ("windows", |home| home.put_program("bad/windows", "MZ\u{90}"), &["Windows", "copy it again"]),
    (
        "text",
        |home| home.put_program("bad/text", "hello\n"),
        &["neither a compiled program nor a script", "#!"],
    ),
    ("empty", |home| home.put_program("bad/empty", ""), &["empty file"]),
    (
        "other-machine",
        |home| {
            let mut program = fs::read(GREEDY).unwrap();
            program[18..20].copy_from_slice(&if cfg!(target_arch = "riscv64") { [62, 0] } else { [243, 0] });
            home.put_program("bad/other-machine", program);
        },
        &["compiled for", "this machine is", "compile it here"],
    ),
    (
        "fifo",
        |home| {
            let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
            rustix::fs::mknodat(rustix::fs::CWD, home.path("bad/fifo"), fifo, mode, 0).unwrap();
        },
        &["neither a file nor a directory"],
    ),
    (
        "key",
        |home| toml(home, "key", "name = \"x\"\ncomand = [\"y\"]\n"),
        &["engine.toml", "line 2", "comand"],
    ),
    ("type", |home| toml(home, "type", "command = \"./x\"\n"), &["engine.toml", "line 1"]),
    ("protocol", |home| toml(home, "protocol", "protocol = \"x\"\n"), &["engine.toml", "line 1", "`lines`"]),
    ("nothing", |home| toml(home, "nothing", ""), &["engine.toml", "no executable file", "command ="]),
    ("no-words", |home| toml(home, "no-words", "command = []\n"), &["engine.toml", "key command"]),
    (
        "no-program",
        |home| toml(home, "no-program", "command = [\"nosuchprogram\"]\n"),
        &["engine.toml", "nosuchprogram", "install it"],
    ),
    ("gone", |home| toml(home, "gone", "command = [\"./gone\"]\n"), &["gone/./gone", "No such file"]),
    (
        "build",
        |home| {
            toml(
                home,
                "build",
                "command = [\"./x\"]\nbuild = [\"sh\", \"-c\", \"echo no header >&2; exit 3\"]\n",
            );
        },
        &["bad/build", "its build", "exit status: 3", "no header"],
    ),
    (
        "no-build",
        |home| toml(home, "no-build", "command = [\"./x\"]\nbuild = [\"nosuchcc\"]\n"),
        &["bad/no-build", "nosuchcc", "install it"],
    ),
    ("raw", |home| toml(home, "raw", "na\u{1b}[31mme = 1\n"), &["engine.toml", "line 1", "\\x1b[31m"]),
];

fn toml(home: &Home, name: &str, text: &str) {
    home.put(format!("bad/{name}/engine.toml"), text);
}

#[test]
#[ignore = "slow"]
fn an_engine_that_cannot_be_started_is_named_before_the_first_game() {
    side_by_side(BROKEN, |(name, make, wanted)| {
        let home = Home::with_two();
        home.engine("bad/good", "agon-greedy");
        home.engine("bad/well", "agon-random");
        make(&home);
        let wanted = [&[*name], *wanted].concat();
        refused(&home, "tournament bad", &[&["--skip-broken"], &wanted[..]].concat());
        refused(&home, &format!("match bad/{name} engines/greedy"), &wanted);
        refused(&home, &format!("check bad/{name}"), &wanted);
        let said = home.agon("tournament bad --skip-broken --games 2 --size 3x3x1 --st 2".split(' '));
        assert_eq!(said.code, Some(0), "{name}: {}", said.all());
    });
}

#[test]
fn an_engine_that_is_not_meant_as_one_is_skipped_and_named_alone() {
    let home = Home::with_two();
    home.put("engines/notes.txt", "hello\n");
    home.put("engines/script", "#!/bin/sh\n");
    home.put("engines/folder/x", "");
    home.put("engines/.hidden", "");
    let said = home.agon("tournament engines --games 2 --size 3x3x1 --st 2".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for words in [
        "skipped engines/notes.txt: not executable",
        "skipped engines/script: looks like a program, but is not executable; run chmod +x",
        "chmod +x engines/script",
        "skipped engines/folder: a folder without an engine.toml",
        "skipped engines/.hidden: hidden",
    ] {
        assert!(said.err().contains(words), "{words}\n{}", said.err());
    }
    fs::remove_dir_all(home.path("agon-run")).unwrap();
    for run in ["match engines/greedy", "check"] {
        refused(&home, &format!("{run} engines/missing"), &["engines/missing", "no such file"]);
        refused(&home, &format!("{run} engines/folder"), &["engines/folder", "has no engine.toml"]);
        refused(&home, &format!("{run} engines/script"), &["engines/script", "chmod +x"]);
    }
}

#[test]
fn engines_of_one_name_play_under_those_of_their_folders_and_programs_of_one_folder_are_both_named() {
    let home = Home::new();
    for folder in ["one", "other"] {
        toml(&home, folder, "name = \"twin\"\ncommand = [\"agon-greedy\"]\n");
    }
    let played = "tournament bad --game letters:3x3x1 --games 2 --st 2";
    let said = home.agon(played.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let table = home.read("agon-run/standings.csv");
    assert!(table.contains("one,") && table.contains("other,") && !table.contains("twin"), "{table}");
    for (folder, name) in [("one", "one"), ("other", "other")] {
        let words = format!("bad/{folder}: it plays as {name}, because another engine is called twin too");
        assert!(said.err().contains(&words), "{}", said.all());
    }
    // In one folder nothing tells them apart.
    home.engine("both/pbrain-twin", "agon-greedy");
    home.engine("both/twin", "agon-random");
    let wanted = ["both/pbrain-twin: ", "both/twin: ", "the name twin", "rename one", "set name"];
    refused(&home, "tournament both", &wanted);
}

#[test]
fn an_argument_that_nobody_can_fill_in_is_named_with_those_there_are() {
    let home = Home::new();
    home.engine("bad/good", "agon-greedy");
    home.engine("bad/well", "agon-random");
    toml(&home, "word", "command = [\"agon-greedy\"]\nargs = [\"{colour}\"]\n");
    let wanted = ["bad/word/engine.toml", "{colour}", "{side} {rows}"];
    refused(&home, "tournament bad", &wanted);
    refused(&home, "match bad/good bad/word", &wanted);
    refused(&home, "check bad/word", &wanted);
}

/// One engine must not keep all others from playing.
#[test]
fn an_engine_that_cannot_play_the_game_is_left_out_alone() {
    let home = Home::with_two();
    home.put("engines/word/engine.toml", "command = [\"agon-greedy\"]\nargs = [\"{colour}\"]\n");
    home.put("engines/four/engine.toml", "command = [\"agon-greedy\"]\ngames = [\"connect4\"]\n");
    // It takes the name of another, which has it from its own file.
    home.put("engines/evil/engine.toml", "name = \"greedy\"\ncommand = [\"agon-random\"]\n");
    let said =
        home.agon("tournament engines --skip-broken --games 2 --game letters --size 3x3x1 --st 2".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for words in [
        "{colour}",
        "engines/four: its engine.toml lists the games connect4, not letters:3x3x1",
        "engines/evil: it plays as evil, because another engine is called greedy too",
    ] {
        assert!(said.err().contains(words), "{words}\n{}", said.all());
    }
    let table = home.read("agon-run/standings.csv");
    assert!(table.lines().count() == 4 && table.contains("evil"), "{table}");
    refused(&home, "tournament engines --size 3x3x1", &["four plays connect4, not letters:3x3x1"]);
}
