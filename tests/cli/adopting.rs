//! `agon adopt`: programs that nobody knows get an `engine.toml`.

use std::os::unix::fs::PermissionsExt;

use super::home::{Home, programs, root};

/// A program that makes no move but says something.
const CHATTERS: &str = "#!/bin/sh\necho hello\ncat >/dev/null\n";

fn put_program(home: &Home, name: &str, text: &str) {
    home.put(name, text);
    std::fs::set_permissions(home.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_of_the_letter_cube_gets_the_way_it_finds_its_board() {
    let home = Home::new();
    let samples = root().join("engines");
    for (name, file, line) in
        [("plain", "plain-python/plain.py", ""), ("file", "board-file/cube.py", "board = \"file\"\n")]
    {
        home.put(format!("{name}/cube.py"), std::fs::read(samples.join(file)).unwrap());
        let said =
            home.agon(["adopt", name, "--game", "letters:3x3x2", "--game", "mill", "--isolation", "limits"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert!(said.out().contains("without a box, at isolation limits"), "{}", said.out());
        assert!(
            said.out().contains("it answers none of them, and so it is tried in lines"),
            "{}",
            said.out()
        );
        assert!(said.out().contains("letters:3x3x2, "), "{}", said.out());
        let written = home.read(&format!("{name}/engine.toml"));
        let wanted =
            format!("command = [\"python3\", \"{{folder}}/cube.py\"]\n{line}games = [\"letters:3x3x2\"]\n");
        assert_eq!(written, wanted, "{}", said.out());
        let check = home.agon(format!("check {name} --st 5").split(' '));
        assert_eq!(check.code, Some(0), "{}", check.all());
        // What is there is not written again.
        let again = home.agon(["adopt", name, "--isolation", "limits"]);
        assert!(
            again.code == Some(2) && again.err().contains("engine.toml is there already"),
            "{}",
            again.all()
        );
    }
}

#[test]
#[ignore = "slow"]
fn a_program_is_started_in_a_box_and_its_protocol_is_found() {
    let home = Home::new();
    // A program of UGI that needs no arguments, and lies in a folder of its own.
    let mover = programs().join("agon-mover");
    put_program(&home, "far/talker", &format!("#!/bin/sh\nexec {mover:?} mnk:15x15,5 ugi\n"));
    let said = home.agon("adopt far/talker --game mnk:15x15,5 --game connect4 --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("gtp: it answers ugi\n"), "{}", said.out());
    let written = home.read("talker-engine/engine.toml");
    assert!(written.contains("protocol = \"ugi\"\nargs = []\ngames = [\"mnk:15x15,5\"]\n"), "{written}");
    assert!(written.starts_with("command = [\"./talker\"]\n"), "{written}");
    let check = home.agon("check talker-engine --st 5".split(' '));
    assert_eq!(check.code, Some(0), "{}", check.all());
    // In a box, which is the usual place.
    home.put("kept/cube.py", std::fs::read(root().join("engines/plain-python/plain.py")).unwrap());
    let said = home.agon("adopt kept --game letters:3x3x2".split(' '));
    if said.code != Some(3) {
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert!(said.out().contains("is started in a box, at isolation sandbox"), "{}", said.out());
    }
}

#[test]
fn what_plays_nothing_and_what_is_no_program_is_said_and_nothing_is_written() {
    let home = Home::new();
    put_program(&home, "bad/chatters", CHATTERS);
    let said = home.agon("adopt bad --game mnk --isolation limits --st 1".split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.out().contains("\"hello\""), "the line that it wrote: {}", said.out());
    assert!(
        said.out().contains("nothing was written") && !home.path("bad/engine.toml").exists(),
        "{}",
        said.out()
    );
    home.put("empty/readme.txt", "words\n");
    put_program(&home, "two/a", CHATTERS);
    put_program(&home, "two/b", CHATTERS);
    home.put("full/file", "");
    let said = home.agon("adopt two/a --isolation limits -- {foo}".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("error: behind --: the argument \"{foo}\" asks for {foo}"), "{}", said.all());
    assert!(!said.all().contains("is started"), "nothing was started: {}", said.all());
    for (words, why) in [
        ("adopt missing", "give the path of a program"),
        ("adopt empty", "has no program"),
        ("adopt two", "has 2 programs"),
        ("adopt empty/readme.txt x", "not executable"),
        ("adopt two/a --game shogi", "there is no game \"shogi\""),
        ("adopt two/a --isolation soft", "soft"),
        ("adopt two/a --game mnk --game chess7", "there is no game \"chess7\""),
    ] {
        let said = home.agon(
            format!("{words} --isolation limits").replace("soft --isolation limits", "soft").split(' '),
        );
        assert!(said.code == Some(2) && said.err().contains(why), "{words}: {}", said.all());
    }
}

/// A program of Gomocup that answers the lines of its protocol alone, and is silent otherwise.
const QUIET: &str = "import sys\ntaken = set()\nfor line in sys.stdin:\n    word = line.split()[0] if line.split() else ''\n    \
    if word == 'START':\n        taken = set(); print('OK', flush=True)\n    elif word in ('BEGIN', 'TURN'):\n        \
    taken |= set(line.split()[1:])\n        \
    free = next(f'{x},{y}' for y in range(15) for x in range(15) if f'{x},{y}' not in taken)\n        \
    taken.add(free); print(free, flush=True)\n    elif word == 'END':\n        break\n";

#[test]
#[ignore = "slow"]
fn a_program_that_is_silent_on_lines_that_it_does_not_know_is_greeted_in_each_protocol() {
    let home = Home::new();
    home.put("quiet/quiet.py", QUIET);
    let said = home.agon("adopt quiet --game mnk:15x15,5 --game mill --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("gtp: it answers gomocup\n"), "{}", said.out());
    assert!(said.out().contains("mill: there is no such game in gomocup"), "{}", said.out());
    let written = home.read("quiet/engine.toml");
    assert!(written.ends_with("protocol = \"gomocup\"\nargs = []\ngames = [\"mnk:15x15,5\"]\n"), "{written}");
}

#[test]
#[ignore = "slow"]
fn a_chess_program_and_one_that_needs_arguments_are_adopted() {
    let home = Home::new();
    let alphabeta = programs().join("agon-alphabeta");
    put_program(&home, "fish/fish", &format!("#!/bin/sh\nexec {alphabeta:?} chess ugi --depth 1\n"));
    // Every built-in game is tried.
    let said = home.agon("adopt fish --isolation limits --st 1".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for entry in agon_games::GAMES {
        assert!(said.out().contains(&format!("\n{}", entry.name)), "{}: {}", entry.name, said.out());
    }
    let written = home.read("fish/engine.toml");
    assert!(written.ends_with("protocol = \"ugi\"\nargs = []\ngames = [\"chess\"]\n"), "{written}");

    let speaker = root().join("tests/scripted/gtp.py");
    let text = format!(
        "#!/bin/sh\n[ \"$1 $2\" = '--mode gtp' ] || {{ echo usage: --mode gtp >&2; exit 1; }}\nGTP_LOG=/dev/null exec python3 {speaker:?}\n"
    );
    put_program(&home, "go", &text);
    let words = "adopt go --game mnk:5x5,4 --isolation limits --st 1";
    let alone = home.agon(words.split(' '));
    for words in ["One that needs arguments gets them behind --", "; its stderr says: usage: --mode gtp\n"] {
        assert!(alone.code == Some(1) && alone.out().contains(words), "{}", alone.all());
    }
    let other = home.agon("adopt go --game chess --isolation limits -- --mode gtp".split(' '));
    let lines = "    protocol = \"gtp\"\n    args = [\"--mode\", \"gtp\"]\n";
    assert!(other.code == Some(1) && other.out().contains(lines), "{}", other.all());
    let said = home.agon(words.split(' ').chain(["--", "--mode", "gtp"]));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let written = home.read("go-engine/engine.toml");
    let wanted = "protocol = \"gtp\"\nargs = [\"--mode\", \"gtp\"]\ngames = [\"mnk:5x5,4\"]\n";
    assert!(written.ends_with(wanted), "{written}");
    let check = home.agon("check go-engine --st 5".split(' '));
    assert_eq!(check.code, Some(0), "{}", check.all());
}
