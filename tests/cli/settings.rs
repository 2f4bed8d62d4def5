//! One program with settings of the organiser's: `[[engine]]`, and options behind its path.

use super::home::{Home, Said};

/// An engine of UCI that plays fool's mate and gives the value of its option `Hash` as its depth,
/// and as its score how many arguments it has and what `EXTRA` says.
const SETTABLE: &str = r#"#!/usr/bin/env python3
import os, sys
MOVES = "f2f3 e7e5 g2g4 d8h4".split()
depth, moves = "1", []
score = 100 * (len(sys.argv) - 1) + int(os.environ.get("EXTRA", "0"))
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("option name Hash type spin default 1 min 1 max 999")
        print("option name Skill Level type spin default 1 min 1 max 20")
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "setoption" and words[2] == "Hash":
        depth = words[4]
    elif words[0] == "position":
        moves = words[words.index("moves") + 1:] if "moves" in words else []
    elif words[0] == "go":
        limit = words[words.index("nodes") + 1] if "nodes" in words else "0"
        print("info depth", depth, "nodes", limit, "score cp", score)
        print("bestmove", MOVES[len(moves)], flush=True)
    elif words[0] == "quit":
        break
"#;

/// A folder with the program, and the program alone.
fn home() -> Home {
    let home = Home::new();
    home.put_program("mine/run", SETTABLE);
    home.put("mine/engine.toml", "protocol = \"uci\"\n[options]\nHash = 5\n");
    home.put_program("alone", SETTABLE);
    home
}

fn play(home: &Home, words: &str) -> Said {
    home.agon(format!("{words} --game chess --tc 60 --concurrency 1").split(' '))
}

fn plays(home: &Home, words: &str) -> Said {
    let said = play(home, words);
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

/// A message without the ends of its lines.
fn in_one_line(said: &Said) -> String {
    said.err().split_whitespace().collect::<Vec<_>>().join(" ")
}

const COUNT: &str = "games have been played already and count";

#[test]
fn options_behind_a_path_make_an_engine_of_their_own() {
    let home = home();
    for (program, out) in [("alone", "one"), ("mine", "two")] {
        let words = format!("match ./{program}:Hash=64 ./{program}:Hash=128 --games 2 --out {out}");
        plays(&home, &words);
        let pgn = home.read(&format!("{out}/games/r01.pgn"));
        assert!(pgn.contains(&format!("[White \"{program}:Hash=64\"]")), "{pgn}");
        for depth in ["1. f3 {+0.00/64 ", "e5 {+0.00/128 ", "1. f3 {+0.00/128 ", "e5 {+0.00/64 "] {
            assert!(pgn.contains(depth), "{depth}: {pgn}");
        }
        assert_eq!(home.agon(["verify", out]).code, Some(0));
        assert!(plays(&home, &words).all().contains(&format!("2 {COUNT}")));
    }
    // It plays as it was set when it is found by its hash, and can be set otherwise then.
    let programs = home.agon("status two --programs".split(' ')).out();
    let hash = programs.split_whitespace().find_map(|word| word.strip_prefix("mine:Hash=64@"));
    let hash = hash.unwrap_or_else(|| panic!("{programs}"));
    let words = format!("match two/mine:Hash=64@{hash} two/mine:Hash=64@{hash}:Hash=9 --games 2 --out again");
    plays(&home, &words);
    let pgn = home.read("again/games/r01.pgn");
    assert!(pgn.contains("f3 {+0.00/64 ") && pgn.contains("f3 {+0.00/9 "), "{pgn}");
}

#[test]
fn tables_of_a_file_set_one_program_in_many_ways() {
    let home = home();
    let file = |argument: &str, hash: u32| {
        let toml = format!(
            "game = \"chess\"\ntc = 60\ngames = 2\nseed = 1\n\n[[engine]]\nprogram = \"alone\"\nname = \"a\"\n\
             args = [\"{argument}\"]\nprotocol = \"uci\"\nenv = {{ EXTRA = 7 }}\ntime = [\"nodes=300\", \"st=9\"]\n\n\
             [[engine]]\nprogram = \"mine\"\noptions = {{ Hash = 64, \"Skill Level\" = 3 }}\n\n\
             [[engine]]\nprogram = \"mine\"\nname = \"c\"\noptions.hash = {hash}\n"
        );
        home.put("t.toml", toml);
    };
    file("-x", 200);
    let run = |more: &str| home.agon(format!("tournament t.toml --out run{more}").split(' '));
    let said = run("");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let pgn: String = (1..=3).map(|round| home.read(&format!("run/games/r0{round}.pgn"))).collect();
    assert!(pgn.contains("[White \"mine:Hash=64,Skill Level=3\"]"), "{pgn}");
    for words in ["1. f3 {+1.07/1 ", "1. f3 {+0.00/64 ", "1. f3 {+0.00/200 "] {
        assert!(pgn.contains(words), "{words}: {pgn}");
    }
    let records: String = (1..=3).map(|round| home.read(&format!("run/games/r0{round}.txt"))).collect();
    assert_eq!(records.matches("st=9 margin=0.02 nodes=300").count(), 4, "{records}");
    assert!(run("").all().contains(&format!("6 {COUNT}")));
    // Another setting of one of them is another engine, and only its games are played again.
    // The program alone plays where it lies, because it has company.
    for (argument, hash, count) in [("-x", 201, 2), ("-y", 201, 2), ("-x", 201, 6)] {
        file(argument, hash);
        let said = run("");
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert!(said.all().contains(&format!("{count} {COUNT}")), "{argument} {hash}: {}", said.all());
    }
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));
    // With a copy it plays as it was set wherever it is named by its hash.
    let toml = home.read("t.toml").replace("EXTRA = 7 }\n", "EXTRA = 7 }\nkept = true\n");
    home.put("kept.toml", toml);
    assert_eq!(home.agon("tournament kept.toml --out kept".split(' ')).code, Some(0));
    let programs = home.agon("status kept --programs".split(' ')).out();
    let hash = programs.split_whitespace().find(|word| word.starts_with("a@")).unwrap_or_default();
    plays(&home, &format!("match kept/{hash} ./mine --games 2 --out found"));
    assert!(home.read("found/games/r01.pgn").contains("{+1.07/1 "), "{programs}");
    // They play besides the engines of a folder, if the file names one.
    home.put_program("others/other", SETTABLE);
    let toml = home.read("t.toml");
    home.put("t.toml", format!("engines = \"others\"\n{toml}"));
    let said = home.agon("tournament t.toml --dry-run --out more".split(' '));
    assert!(said.all().contains("12 games in the plan"), "{}", said.all());
    let words = "tournament others --also ./mine:Hash=2 --also ./mine:Hash=3 --game chess --games 2 --dry-run --out also";
    let said = home.agon(words.split(' '));
    assert!(said.all().contains("6 games in the plan"), "{}", said.all());
}

#[test]
fn a_file_is_checked_with_each_of_its_settings() {
    let home = home();
    home.put_program("kinds/run", MANY_KINDS);
    home.put("kinds/engine.toml", "protocol = \"uci\"\n[options]\nSecret = 1\nHash = 64\n");
    let file = |hash: &str, option: &str| {
        let toml = format!(
            "game = \"chess\"\ntc = 60\n[[engine]]\nprogram = \"alone\"\noptions = {{ Hash = {hash} }}\n\
             [[engine]]\nprogram = \"kinds\"\nname = \"k\"\noptions = {{ \"Syzygy Path\" = \"x\", {option} }}\n"
        );
        home.put("cup.toml", toml);
        home.agon("check cup.toml --moves 1".split(' '))
    };
    // It makes no move, which is a fault of the engine and not of its settings.
    let said = file("64", "\"Book Lines\" = 9");
    assert_eq!(said.code, Some(1), "{}", said.all());
    for line in [
        "chess, tc=60",
        "alone:Hash=64 is sent option Hash = 64: a whole number from 1 to 999",
        "k is sent option Secret = 1: not announced, and sent all the same",
        "k is sent option Hash = 64: a whole number from 1 to 1024",
        "k is sent option Syzygy Path = x: announced, and any value is sent",
        "k is sent option Book Lines = 9: a whole number of at most 9",
    ] {
        assert!(said.out().lines().any(|other| other == line), "{line}: {}", said.all());
    }
    assert!(said.out().contains("alone:Hash=64 as W: 1 good move(s)"), "{}", said.all());
    assert!(said.out().contains("k as W: 0 good move(s)"), "{}", said.all());
    // All that is wrong is shown, and nothing is played.
    let said = file("1000", "Own = \"x\", \"Clear Hash\" = 1");
    assert_eq!(said.code, Some(2), "{}", said.all());
    for line in [
        "Hash = 1000: WRONG  it takes a whole number from 1 to 999, not \"1000\"",
        "k is sent option Own = x: WRONG  not announced",
        "k is sent option Clear Hash = 1: WRONG  it takes no value, because it is a button, not \"1\"",
    ] {
        assert!(said.out().contains(line), "{line}: {}", said.all());
    }
    let words = in_one_line(&said);
    assert!(words.contains("2 engines cannot play cup.toml: line 5: key options of engine 1: "), "{words}");
    assert!(!said.out().contains("good move"), "{}", said.all());
    assert_eq!(home.agon("check cup.toml --graded".split(' ')).code, Some(2));
    home.put("cup.toml", "engines = \".\"\n");
    let said = home.agon("check cup.toml".split(' '));
    assert!(said.code == Some(2) && said.err().contains("there is no table [[engine]]"), "{}", said.all());
    let text = home.read("kinds/engine.toml");
    home.put("kinds/engine.toml", text.replace("Hash = 64", "Hash = 64\nhash = 65"));
    let said = home.agon("check kinds/engine.toml --game chess".split(' '));
    assert!(said.err().contains("key options: hash is given twice, first as Hash"), "{}", said.all());
}

#[test]
fn an_option_that_an_engine_does_not_announce_is_a_question_before_the_first_game() {
    let home = home();
    let said = play(&home, "match ./mine:Hsh=64 ./alone --games 2 --out run");
    let words = in_one_line(&said);
    assert_eq!(said.code, Some(2), "{}", said.all());
    let what = "./mine:Hsh=64: mine:Hsh=64 has not announced the option Hsh";
    assert!(words.contains(what) && words.contains("did you mean Hash? it has Hash, Skill Level"), "{words}");
    let toml = "game = \"chess\"\n[[engine]]\nprogram = \"mine\"\noptions = { Threads = 2 }\n\
                [[engine]]\nprogram = \"alone\"\n";
    home.put("t.toml", toml);
    let said = home.agon("tournament t.toml --out run".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    let what = "t.toml: line 4: key options of engine 1: mine:Threads=2 has not announced the option Threads";
    assert!(in_one_line(&said).contains(what), "{}", said.all());
    assert_eq!(home.agon("check ./mine:Hsh=1 --game chess".split(' ')).code, Some(2));
    let said = home.agon("check ./mine:Hash=3 --game chess --moves 1".split(' '));
    assert!(said.out().contains("mine:Hash=3 is sent option Hash = 3"), "{}", said.all());
}

/// An engine that announces one option of each kind, and has not read the document closely.
const MANY_KINDS: &str = r#"#!/usr/bin/env python3
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("option name Hash type spin default 16 min 1 max 1024")
        print("option name Book Lines Type Spin max 9 default 0")
        print("option name Style type combo default Very Wild var Very Wild var calm")
        print("option name OwnBook type check default true")
        print("option name Clear Hash type button")
        print("option name Syzygy Path type string default <empty>")
        print("uciok", flush=True)
    elif words[0] == "setoption" and "end" in words:
        sys.exit(1)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "go":
        print("bestmove 0000", flush=True)
    elif words[0] == "quit":
        break
"#;

#[test]
fn a_value_that_an_engine_does_not_take_is_refused_before_the_first_game() {
    let home = home();
    home.put_program("kinds/run", MANY_KINDS);
    let toml =
        |lines: &str| home.put("kinds/engine.toml", format!("protocol = \"uci\"\n\n[options]\n{lines}\n"));
    for (option, why) in [
        ("Hash=5000", "Hash of kinds:Hash=5000 takes a whole number from 1 to 1024, not \"5000\""),
        ("hash=abc", "Hash of kinds:hash=abc takes a whole number from 1 to 1024, not \"abc\""),
        // It ends at this value, and the value is the reason.
        ("Hash=end", "takes a whole number from 1 to 1024, not \"end\""),
        ("Hash=", "takes a whole number from 1 to 1024, not nothing"),
        ("Book Lines=10", "takes a whole number of at most 9, not \"10\""),
        ("Style=Calm", "takes one of Very Wild, calm, not \"Calm\" hint: did you mean calm?"),
        ("OwnBook=yes", "takes true or false, not \"yes\""),
        (
            "Clear Hash=true",
            "takes no value, because it is a button, not \"true\" hint: behind a path write Clear Hash=",
        ),
    ] {
        toml("Hash = 64");
        let engine = format!("./kinds:{option}");
        let words = "match ENGINE ./alone --game chess --tc 60 --games 2 --out run".split(' ');
        let said = home.agon(words.map(|word| if word == "ENGINE" { engine.as_str() } else { word }));
        let words = in_one_line(&said);
        assert_eq!(said.code, Some(2), "{option}: {words}");
        let place = format!("./kinds:{option}: the option ");
        assert!(words.contains(&place) && words.contains(why), "{option}: {words}");
        assert!(!home.path("run/games").exists(), "{option}");
        // The same in its own file, with the line.
        let (name, value) = option.split_once('=').expect("an option with a value");
        toml(&format!("# one\n\"{name}\" = \"{value}\""));
        let said = home.agon("match ./kinds ./alone --game chess --tc 60 --games 2 --out run".split(' '));
        let place = "kinds/engine.toml: line 5: the option ";
        assert!(said.code == Some(2) && in_one_line(&said).contains(place), "{option}: {}", said.all());
        let said = home.agon("check ./kinds --game chess".split(' '));
        assert!(said.code == Some(2) && in_one_line(&said).contains(place), "{option}: {}", said.all());
        // And in a table, over a file of its own that says nothing wrong.
        toml("Hash = 64");
        let table = format!(
            "[[engine]]\nprogram = \"kinds\"\nname = \"k\"\noptions = {{ \"{name}\" = \"{value}\" }}"
        );
        home.put("t.toml", format!("game = \"chess\"\n[[engine]]\nprogram = \"alone\"\n{table}\n"));
        let said = home.agon("tournament t.toml --out run".split(' '));
        let place = "t.toml: line 7: key options of engine 2: the option ";
        assert!(said.code == Some(2) && in_one_line(&said).contains(place), "{option}: {}", said.all());
    }
    // What it takes is sent; it loses by its answer, which is no move.
    toml(
        "Hash = 1024\n\"Book Lines\" = -3\nStyle = \"Very Wild\"\nOwnBook = false\n\"Clear Hash\" = \"\"\n\"Syzygy Path\" = \"x\"\nLater = 5",
    );
    let said = play(&home, "match ./kinds ./alone --games 2 --out run");
    assert!(said.code == Some(1) || said.code == Some(0), "{}", said.all());
    assert!(home.read("run/games/r01.pgn").contains("1-0"), "{}", said.all());
    // A file that it is given may add values.
    toml("\"Syzygy Path\" = \"styles.ini\"\nStyle = \"of the file\"");
    let said = play(&home, "match ./kinds ./alone --games 2 --out run-2");
    assert!(home.read("run-2/games/r01.pgn").contains("1-0"), "{}", said.all());
}

#[test]
fn a_table_has_the_tables_of_an_engine_toml_too() {
    let home = home();
    let ugi = "ugi = { greeting = \"uci\", ok = \"uciok\", clocks = [\"wtime\", \"btime\"] }";
    let toml = format!(
        "game = \"chess\"\ntc = 60\ngames = 2\n[[engine]]\nprogram = \"alone\"\nname = \"a\"\nprotocol = \"ugi\"\n{ugi}\n\
         options = {{ Hash = 7 }}\nplace = \"lab\"\n[[engine]]\nprogram = \"mine\"\nname = \"b\"\n"
    );
    home.put("t.toml", toml);
    let said = home.agon("tournament t.toml --out run".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("run/games/r01.pgn").contains("1. f3 {+0.00/7 "), "{}", said.all());
}

#[test]
fn a_setting_is_named_where_something_is_wrong_with_it() {
    let home = home();
    home.put_program("ends", "#!/bin/sh\nexit 3\n");
    home.put("t.toml", "game = \"chess\"\n[[engine]]\nprogram = \"ends\"\nname = \"e\"\nargs = [\"-x\"]\n[[engine]]\nprogram = \"alone\"\n");
    for (command, why) in [
        ("match ./ends:Hash=3 ./alone --game chess", "./ends:Hash=3: the engine ends in its handshake"),
        (
            "tournament t.toml --out run",
            "t.toml: line 3: key program of engine 1: e: the engine ends in its handshake",
        ),
        ("check t.toml", "t.toml: line 3: key program of engine 1: e: the engine ends in its handshake"),
        (
            "match t.toml ./alone --game chess",
            "t.toml: a file of settings, not a program hint: name one of its engines",
        ),
    ] {
        let said = home.agon(command.split(' '));
        assert!(said.code == Some(2) && in_one_line(&said).contains(why), "{command}: {}", said.all());
    }
    home.put(
        "s.toml",
        "game = \"chess\"\nengines = \"all\"\nseeds = [\"a\"]\nuntil = \"order\"\nat-most = 10\n",
    );
    home.put_program("all/a", SETTABLE);
    home.put_program("all/b", SETTABLE);
    let said = home.agon("tournament s.toml --out run".split(' '));
    assert!(said.code == Some(2) && said.err().contains("stages, seeds and nights"), "{}", said.all());
}

#[test]
fn a_game_of_a_set_program_is_played_again_as_it_was_set() {
    let home = home();
    home.put_program("bad/run", SETTABLE.replace("MOVES[len(moves)], flush", "\"0000\", flush"));
    home.put("bad/engine.toml", "protocol = \"uci\"\n");
    plays(&home, "match ./bad:Hash=3 ./mine --games 2 --out run");
    let why = home.agon(["why", "run"]).out();
    for command in ["--from 0 --engine 'run/bad:Hash=3@", "agon check 'run/bad:Hash=3@"] {
        assert!(why.contains(command), "{why}");
    }
    // With arguments it needs its file, or a copy.
    home.put_program("worse", SETTABLE.replace("MOVES[len(moves)], flush", "\"0000\", flush"));
    let file = |kept: &str| {
        home.put("t.toml", format!("game = \"chess\"\ntc = 60\ngames = 2\n[[engine]]\nprogram = \"worse\"\nname = \"w\"\nargs = [\"-x\"]\n{kept}[[engine]]\nprogram = \"mine\"\n"));
    };
    for (kept, out, code, words) in [
        (
            "",
            "in-place",
            2,
            "w plays where it lies, with the settings of t.toml: line 5: key program of engine 1; play the run",
        ),
        ("kept = true\n", "kept", 0, "game 2: W mine"),
    ] {
        file(kept);
        assert_eq!(home.agon(format!("tournament t.toml --out {out}").split(' ')).code, Some(0));
        let again = home.shell(&format!(
            "AGON={} sh {out}/evidence/r01-p0001-g01-*/again.sh",
            env!("CARGO_BIN_EXE_agon")
        ));
        assert!(again.code == Some(code) && again.all().contains(words), "{out}: {}", again.all());
    }
}

#[test]
fn a_dry_run_knows_a_set_program_that_is_kept() {
    let home = home();
    home.put_program("bin/mine", SETTABLE);
    home.put("bin/notes", "only files lie beside it\n");
    let engine = |hash| format!("[[engine]]\nprogram = \"bin/mine\"\noptions = {{ Hash = {hash} }}\n");
    home.put("t.toml", format!("game = \"chess\"\ntc = 60\ngames = 2\nseed = 1\n{}{}", engine(2), engine(3)));
    let said = home.agon("tournament t.toml --out run".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let dry = home.agon("tournament t.toml --out run --dry-run".split(' '));
    assert_eq!(
        dry.out(),
        "dry run: 2 games in the plan; 2 count already, 0 would be played\n",
        "{}",
        dry.all()
    );
    assert!(!dry.all().contains("history"), "{}", dry.all());
}

#[test]
fn a_path_is_a_path_whatever_is_in_it() {
    let home = home();
    for name in ["odd:Hash=2", "a:b", "with=sign"] {
        home.put_program(name, SETTABLE);
    }
    plays(&home, "match ./odd:Hash=2 ./a:b:Hash=64 ./with=sign:Hash=3 --games 2 --out run");
    let pgn = home.read("run/games/r01.pgn") + &home.read("run/games/r02.pgn");
    for words in ["\"odd:Hash=2\"", "\"a:b:Hash=64\"", "\"with=sign:Hash=3\"", "{+0.00/64 ", "{+0.00/1 "] {
        assert!(pgn.contains(words), "{words}: {pgn}");
    }
    home.put_program("a", SETTABLE);
    let said = play(&home, "match ./a:b:Hash=64 ./alone --games 2");
    let words = in_one_line(&said);
    assert!(
        said.code == Some(2) && words.contains("this is ./a with options, or ./a:b, which is there"),
        "{words}"
    );
}

#[test]
fn a_setting_that_makes_no_sense_is_refused_with_the_place() {
    let home = home();
    home.put_program("talk/run", "#!/bin/sh\n");
    home.put("talk/engine.toml", "protocol = \"lines\"\n");
    for (engine, why) in [
        ("./mine:Hash", "./mine:Hash: there is no such file"),
        ("./mine:Hash=1,Skill", "\"Skill\" is no option with a value; write OPTION=VALUE"),
        ("./mine:Hash=1,hash=2", "hash is given twice"),
        ("./talk:Hash=1", "the protocol lines has none; write protocol = \"ugi\""),
        ("./none:Hash=1", "there is no such file"),
    ] {
        let said = play(&home, &format!("match {engine} ./alone --games 2"));
        let words = in_one_line(&said).replace("hint: ", "").replace(" write protocol", "; write protocol");
        let words = words.replace(";;", ";").replace("value write", "value; write");
        assert!(said.code == Some(2) && words.contains(why), "{engine}: {words}");
    }
    for (table, why) in [
        ("options = { Hash = 2 }", "line 2: key program of engine 1: is missing"),
        ("program = \"mine\"\nargs = [\"-x\"]", "t.toml: line 2: key name of engine 1: is missing"),
        ("program = \"mine\"\nname = \" \"", "t.toml: line 4: key name of engine 1: the name is blank"),
        (
            "program = \"mine\"\nname = \"x\"\nugi = { gretting = \"x\" }",
            "line 5: key ugi of engine 1: unknown field",
        ),
        ("program = \"mine\"\nname = \"x\"\nugi = 5", "line 5: key ugi of engine 1: expected a table"),
        (
            "program = \"mine\"\nname = \"x\"\nboard = \"paper\"",
            "key board of engine 1: unknown variant `paper`",
        ),
        (
            "program = \"mine\"\nname = \"x\"\ngomocup = {}",
            "line 5: key gomocup of engine 1: the protocol uci has no such table; write protocol = \"gomocup\"",
        ),
        (
            "program = \"mine\"\nname = \"x\"\nboard = \"file\"",
            "line 5: key board of engine 1: the protocol uci tells the board in its own words; leave this key out",
        ),
        (
            "program = \"mine\"\nname = \"x\"\nprotocol = \"gtp\"",
            "line 5: key protocol of engine 1: key options: the protocol gtp has none",
        ),
        // A program without a file speaks what the game makes it speak, so these ask for it.
        (
            "program = \"alone\"\nname = \"x\"\nboard = \"file\"",
            "line 5: key board of engine 1: this depends on the protocol, which neither this table nor an \
             engine.toml of the program says; add protocol = \"lines\"",
        ),
        (
            "program = \"alone\"\nname = \"x\"\nprocess = \"turn\"",
            "line 5: key process of engine 1: this depends on the protocol",
        ),
        ("program = \"alone\"\nname = \"x\"\ngomocup = {}", "add protocol = \"gomocup\""),
        (
            "program = \"alone\"\nname = \"x\"\nugi = { greeting = \"x\" }",
            "line 5: key ugi of engine 1: this depends on the protocol",
        ),
        (
            "program = \"mine\"\nname = \"x\"\nprotocol = \"console\"\n[engine.console]\nanswr = 'x'",
            "line 6: key console of engine 1: unknown field `answr`",
        ),
        ("program = \"mine\"\nname = \"x\"\nplace = \"\"", "key place of engine 1: write a printable text"),
        ("program = \"mine\"\nname = \"x\"\ncommand = [\"y\"]", "there is no such key"),
        (
            "program = \"mine\"\nname = \"alone\"",
            "(t.toml: line 4: key name of engine 1); write another name for it with the key name",
        ),
        ("program = \"mine\"\noptions = 5", "expected a table of names and values"),
        ("program = \"mine\"\noptions = { Hash = [1] }", "key options.Hash"),
        (
            "program = \"mine\"\noptions = { Hash = 1, hash = 2 }",
            "hash is given twice, first as Hash, because case does not count; give it once",
        ),
        ("program = \"mine\"\nlearns = [\"x\"]", "key learns of engine 1: there is no such key"),
        ("program = \"mine\"\ntime = \"fast\"", "key time of engine 1"),
        ("program = \"mine\"\ntime = [\"st=1\", \"tc=5\"]", "has st=1 and tc=5; give one of them"),
        ("program = \"mine\"\nname = \"x\"\nprotocol = \"udp\"", "unknown variant `udp`"),
    ] {
        home.put(
            "t.toml",
            format!("game = \"chess\"\n[[engine]]\n{table}\n[[engine]]\nprogram = \"alone\"\n"),
        );
        let said = home.agon("tournament t.toml --out run".split(' '));
        let words = in_one_line(&said).replace(" hint: ", "; ");
        assert!(said.code == Some(2) && words.contains(why), "{table}: {words}");
    }
    // What is near nothing has no hint that is empty.
    home.put("t.toml", "game = \"chess\"\n[[engine]]\nprogram = \"mine\"\nname = \"x\"\nugi = { a = 1 }\n");
    let said = in_one_line(&home.agon("tournament t.toml --out run".split(' ')));
    assert!(said.contains("unknown field `a`, expected one of `greeting`"), "{said}");
    assert!(!said.contains("did you mean"), "{said}");
    // A name that a folder of engines or --also has.
    for (file, more, why) in [
        (
            "engines = \".\"\n[[engine]]\nprogram = \"mine\"\nname = \"alone\"\n",
            "",
            "t.toml: line 5: key name of engine 1: the name alone is taken by ",
        ),
        (
            "engines = \".\"\n[[engine]]\nprogram = \"alone\"\n",
            "",
            "t.toml: line 4: key program of engine 1: the name alone is taken by ",
        ),
        (
            "[[engine]]\nprogram = \"mine\"\nname = \"alone\"\n",
            " --also ./alone",
            "/home/mine (t.toml: line 4: key name of engine 1)",
        ),
    ] {
        home.put("t.toml", format!("game = \"chess\"\n{file}"));
        let said = home.agon(format!("tournament t.toml --out run{more}").split(' '));
        let words = in_one_line(&said);
        assert!(said.code == Some(2) && words.contains(why), "{file}: {words}");
    }
    // An engine's own file sets nobody.
    home.put("mine/engine.toml", "protocol = \"uci\"\n[[engine]]\nprogram = \"../alone\"\n");
    let said = play(&home, "match ./mine ./alone --games 2");
    assert!(said.code == Some(2) && said.err().contains("unknown field `engine`"), "{}", said.all());
}
