//! `agon new mill pascal --unit`: units of Turbo Pascal, built, played, refused, and blamed for
//! their faults.

use std::fs;

use super::home::{Home, Said, programs, root};
use super::support::{is_thorough, not_tried};

/// The start of a unit of the league, for DOS: line ends, a comment in code page 437.
const HEAD: &str = "{ Gr\u{fffd}e }\r\nunit NAME;\r\ninterface\r\ntype\r\n  TBoard = array[1..4,1..4,1..4] of byte;\r\n\
                    function PYuval(who:byte; board:TBoard; ytime,otime:real):word;\r\nimplementation\r\n";

/// Any column with room, in Pascal.
const ANY: &str = "repeat x:=random(4)+1; y:=random(4)+1 until board[x,y,4]=0; PYuval:=x+256*y";

/// A home with Free Pascal, if it is on this machine.
fn with_compiler() -> Option<Home> {
    let home = Home::new();
    if home.shell("command -v fpc").code != Some(0) {
        not_tried!("agon new mill pascal: Free Pascal is not on this machine; apt-get install fp-compiler");
        return None;
    }
    Some(home)
}

/// Writes a unit. Its text after the head is in lines of DOS, with the sign that ends a file there.
fn put(home: &Home, name: &str, rest: &[&str]) -> String {
    let file = format!("{}.PAS", name.to_uppercase());
    let text = HEAD.replace("NAME", name) + &rest.join("\r\n") + "\r\nend.\r\n\u{1a}";
    let bytes = text.replace('\u{fffd}', "\u{81}").chars().map(|sign| sign as u8).collect::<Vec<_>>();
    home.put(&file, bytes);
    file
}

/// Builds a unit and expects that to succeed.
fn build(home: &Home, name: &str, rest: &[&str]) {
    let file = put(home, name, rest);
    let built = home.agon(["new", "mill", "pascal", "--unit", &file]);
    assert_eq!(built.code, Some(0), "{name}: {}", built.all());
}

/// Whether engines can be confined on this machine.
fn has_boxes(home: &Home) -> bool {
    let code = home.agon(["doctor", "--level", "sandbox"]).code;
    let has = code != Some(3);
    if !has {
        not_tried!("a unit in a box: the level sandbox is not available on this machine");
    }
    has
}

fn build_samples(home: &Home) {
    for name in ["ahead", "chance"] {
        let file = root().join("engines/pascal").join(format!("{name}.pas"));
        let place = format!("league/{name}");
        let words = [
            "new".as_ref(),
            "mill".as_ref(),
            "pascal".as_ref(),
            "--unit".as_ref(),
            file.as_os_str(),
            place.as_ref(),
        ];
        let built = home.agon(words);
        assert_eq!(built.code, Some(0), "{}", built.all());
        assert!(built.out().contains(&format!("{place} has an engine for mill")), "{}", built.all());
    }
}

fn play(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{words}: {}", said.all());
    said
}

#[test]
#[ignore = "slow"]
fn the_sample_units_play_a_league_of_several_time_controls() {
    let Some(home) = with_compiler() else { return };
    build_samples(&home);
    let checked = home.agon(["check", "league/ahead"]);
    assert_eq!(checked.code, Some(0), "{}", checked.all());
    assert!(!checked.out().contains("note"), "{}", checked.all());
    // It computes for as long as it may.
    let controls = ["--tc 1.5+0.1", "--tc 3", "--tc 20/2", "--st 0.4"];
    for (at, control) in controls.into_iter().take(if is_thorough() { 4 } else { 1 }).enumerate() {
        let said = play(&home, &format!("tournament league --games 2 {control} --seed 7 --out run{at}"));
        assert!(!said.err().contains("building"), "{}", said.all());
        let table = said.out();
        let of = |name: &str| {
            let row = table.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
            row.unwrap_or_else(|| panic!("{table}")).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        // The columns: place, engine, games, won, drawn, lost; forfeits are the last.
        assert_eq!(of("ahead")[2..6], ["2", "2", "0", "0"], "{table}");
        assert_eq!(of("chance").last().unwrap(), "0", "{table}");
        let verified = play(&home, &format!("verify run{at}"));
        assert!(verified.out().contains("2 games checked, 0 with differences"), "{}", verified.all());
    }
}

#[test]
fn the_folder_of_a_unit_is_built_in_a_box_too() {
    let Some(home) = with_compiler() else { return };
    if !has_boxes(&home) {
        return;
    }
    build_samples(&home);
    let built = play(&home, "build league");
    assert!(built.out().contains("2 of 2 are built"), "{}", built.all());
}

#[test]
fn the_author_of_a_unit_with_a_slip_reads_the_lines_of_the_unit() {
    let Some(home) = with_compiler() else { return };
    let file = put(&home, "Yuval", &["function PYuval;", "begin", "  PYuval := 1 + 256 2", "end;"]);
    let before = home.listing();
    let said = home.agon(["new", "mill", "pascal", "--unit", &file]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert_eq!(
        said.err(),
        "YUVAL.PAS:10:21: error: Syntax error, \";\" expected but \"ordinal const\" found\n\
         error: YUVAL.PAS does not compile: 1 error\n"
    );
    assert_eq!(home.listing(), before, "a unit that does not compile leaves nothing");
    // What was built before stays as it was.
    build(&home, "Yuval", &["function PYuval;", "begin", "  PYuval := 1 + 256 * 2", "end;"]);
    let copy = home.path("yuval/yuval.pas");
    let built = fs::read(&copy).unwrap();
    put(&home, "Yuval", &["uses overlay;", "function PYuval;", "begin", "  PYuval := who2", "end;"]);
    let said = home.agon(["new", "mill", "pascal", "--unit", &file]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().starts_with("YUVAL.PAS:8:6: error: Can't find unit overlay used by"),
        "{}",
        said.all()
    );
    assert_eq!(fs::read(&copy).unwrap(), built);
    // A board with other indices is said of the function, not of the program around it.
    let text = String::from_utf8_lossy(&fs::read(home.path(&file)).unwrap()).replace("uses overlay;", "");
    home.put("other.pas", text.replace("[1..4,1..4,1..4]", "[0..3,0..3,0..3]").replace("who2", "who"));
    let said = home.agon(["new", "mill", "pascal", "--unit", "other.pas"]);
    let taken = "error: yuval has the engine of another unit, YUVAL.PAS; nothing was written\n";
    assert!(said.code == Some(2) && said.err().starts_with(taken), "{}", said.all());
    assert_eq!(fs::read(&copy).unwrap(), built);
    let said = home.agon(["new", "mill", "pascal", "--unit", "other.pas", "other"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().contains("PYuval: its board, TBoard, is not array[1..4, 1..4, 1..4]"),
        "{}",
        said.all()
    );
}

/// There is no screen: a unit that draws plays, and draws nothing.
#[test]
fn a_unit_that_uses_graph_plays() {
    let Some(home) = with_compiler() else { return };
    let draws = [
        "uses crt, graph;",
        "var x, y: byte; driver, mode: integer;",
        "function PYuval;",
        "begin",
        "  driver := detect; initgraph(driver, mode, '');",
        "  if graphresult <> grok then halt(5);",
        "  setcolor(yellow); line(0, 0, getmaxx, getmaxy); outtextxy(9, 9, 'thinking'); closegraph;",
        ANY,
        "end;",
    ];
    build(&home, "Draws", &draws);
    assert!(home.path("draws/graph.pas").exists());
    build(&home, "Plain", &["var x, y: byte;", "function PYuval;", "begin", ANY, "end;"]);
    assert!(!home.path("plain/graph.pas").exists(), "only where it is used");
    let said = play(&home, "match draws plain --games 2 --st 5 --seed 7 --random-plies 0");
    assert_eq!(said.out().matches(", four in a line\n").count(), 2, "{}", said.all());
}

#[test]
fn a_unit_that_writes_to_the_screen_and_looks_at_the_keyboard_plays() {
    let Some(home) = with_compiler() else { return };
    let talks = [
        "uses crt;",
        "var x, y: byte;",
        "function PYuval;",
        "begin",
        "  clrscr; textcolor(3); writeln('bestmove 55'); write(stderr, 'x');",
        "  if keypressed then halt(4);",
        ANY,
        "end;",
        "begin",
        "  randomize; writeln('hello ');",
    ];
    build(&home, "Talks", &talks);
    // Each game begins with fresh variables, although one process plays them all.
    let counts = [
        "var x, y, z, balls: byte;",
        "const calls: integer = 0;",
        "function PYuval;",
        "begin",
        "  balls := 0; inc(calls);",
        "  for x:=1 to 4 do for y:=1 to 4 do for z:=1 to 4 do if board[x,y,z] = who then inc(balls);",
        "  if calls <> balls + 1 then halt(calls);",
        ANY,
        "end;",
    ];
    build(&home, "Counts", &counts);
    for level in ["none", "sandbox"] {
        if level == "sandbox" && !has_boxes(&home) {
            continue;
        }
        let words =
            format!("match talks counts --games 4 --st 5 --seed 7 --random-plies 0 --isolation {level}");
        let said = play(&home, &words);
        assert_eq!(said.out().matches(", four in a line\n").count(), 4, "{level}: {}", said.all());
    }
}

#[test]
#[ignore = "slow"]
fn a_unit_is_told_both_clocks_in_seconds() {
    let Some(home) = with_compiler() else { return };
    let slow = ["uses crt;", "var x, y: byte;", "function PYuval;", "begin", "  delay(150);", ANY, "end;"];
    build(&home, "Slow", &slow);
    // Whoever has moved three times has waited for three moves of the other.
    let watches = [
        "var x, y, z, balls: byte;",
        "function PYuval;",
        "begin",
        "  balls := 0;",
        "  for x:=1 to 4 do for y:=1 to 4 do for z:=1 to 4 do if board[x,y,z] = who then inc(balls);",
        "  if (ytime > 12) or (ytime < 8) or (otime > 12) then halt(1);",
        "  if otime > ytime - 0.1 * balls + 0.1 then halt(2);",
        ANY,
        "end;",
    ];
    build(&home, "Watches", &watches);
    let said = play(&home, "match watches slow --games 2 --tc 12 --seed 7 --random-plies 0");
    assert!(!said.out().contains(" by watches"), "{}", said.all());
    assert_eq!(said.out().matches(", four in a line\n").count(), 2, "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn the_faults_of_a_unit_are_told_in_words() {
    let Some(home) = with_compiler() else { return };
    build_samples(&home);
    for (name, body, why) in [
        ("Halts", "halt(3)", "\"PYuval ended the program, with halt(3)\""),
        (
            "Zero",
            "PYuval := 1 div (who - who)",
            "runtime error 200: division by zero (PYUVAL, line 10 of zero.pas)",
        ),
        (
            "Past",
            "{$R+} PYuval := board[1, 1, who + 4]",
            "runtime error 201: an index or a value is outside of",
        ),
        ("Loops", "repeat until false", "time forfeit by loops: no answer within"),
        ("Odd", "PYuval := 65535", "this is \"x=255,y=255\""),
        ("Unset", "if who = 7 then PYuval := 257", "95"),
    ] {
        build(&home, name, &["function PYuval;", "begin", body, "end;"]);
        let short = name.to_lowercase();
        let words = format!("match {short} league/chance --games 2 --st 0.3 --seed 7 --random-plies 0");
        let said = play(&home, &words);
        assert_eq!(said.out().matches(&format!(" by {short}: ")).count(), 2, "{}", said.all());
        assert!(said.out().contains(why), "{why}: {}", said.all());
    }
    // Turbo Pascal read what lies behind an array. With --checks that is an error here.
    put(
        &home,
        "Past",
        &["function PYuval;", "begin", "PYuval := 256 + board[1, 1, who + 4 + 4 * who]", "end;"],
    );
    for (checks, is_error) in [(None, false), (Some("--checks"), true)] {
        let built = home.agon(["new", "mill", "pascal", "--unit", "PAST.PAS"].into_iter().chain(checks));
        assert_eq!(built.code, Some(0), "{}", built.all());
        let said = play(&home, "match past league/chance --games 2 --st 0.3 --seed 7 --random-plies 0");
        assert_eq!(said.out().contains("runtime error 201"), is_error, "{}", said.all());
    }
}

#[test]
fn units_and_files_beside_a_unit_are_taken_along() {
    let Some(home) = with_compiler() else { return };
    home.put(
        "LEAGUE.PAS",
        "unit League; interface type TBoard = array[1..4,1..4,1..4] of byte; implementation end.",
    );
    home.put("MOVES.INC", "repeat x:=random(4)+1; y:=random(4)+1 until board[x,y,4]=0; PMine:=x+256*y");
    home.put(
        "97.pas",
        "unit Mine; interface uses League;\nfunction PMine(who:byte; board:TBoard; ytime,otime:real):word;\n\
         implementation function PMine; var x, y: byte; begin {$I moves.inc} end; end.",
    );
    let built = home.agon(["new", "mill", "pascal", "--unit", "97.pas", "a/b"]);
    assert_eq!(built.code, Some(0), "{}", built.all());
    let said = play(&home, "match a/b a/b --games 2 --st 5 --seed 7");
    assert!(said.out().contains("four in a line"), "{}", said.all());
}

#[test]
fn a_file_that_is_no_unit_of_the_league_is_refused_in_words() {
    let home = Home::new();
    let header = "function PYuval(who:byte; board:TBoard; ytime,otime:real):word;";
    let unit = |interface: &str, implementation: &str| {
        format!("unit Yuval;\ninterface\n{interface}\nimplementation\n{implementation}\nend.\n")
    };
    let declaration = "hint: declare in the interface of the unit: type TBoard = array[1..4, 1..4, 1..4] of byte; \
                       function PYuval(who: byte; board: TBoard; ytime, otime: real): word;";
    for (text, why) in [
        ("program Yuval; begin end.".to_owned(), "bad.pas: it is a program, not a unit"),
        ("MZ\u{1}".to_owned(), "bad.pas: it is not a unit of Pascal"),
        (unit("", ""), "bad.pas: its interface declares no function of the league"),
        (unit(&format!("{{ {header} }}"), ""), "bad.pas: its interface declares no function of the league"),
        (unit("", header), "bad.pas:5: PYuval is not declared in the interface"),
        (
            unit(&header.replace("real", "integer"), ""),
            "bad.pas:3: function PYuval(byte; TBoard; integer; integer): word is not the function of the league",
        ),
    ] {
        home.put("bad.pas", &text);
        let before = home.listing();
        let said = home.agon(["new", "mill", "pascal", "--unit", "bad.pas"]);
        assert_eq!(said.code, Some(2), "{}", said.all());
        assert!(said.err().contains(why) && said.err().contains(declaration), "{}", said.all());
        assert_eq!(home.listing(), before);
    }
    let said = home.agon(["new", "mill", "pascal", "--unit", "none.pas"]);
    assert!(said.code == Some(2) && said.err().contains("none.pas: cannot be read"), "{}", said.all());
}

#[test]
fn a_missing_compiler_is_named_with_the_command_that_installs_it() {
    let home = Home::new();
    let file = root().join("engines/pascal/chance.pas");
    let agon = programs().join("agon");
    let said = home.shell(&format!(
        "PATH=/nowhere '{}' new mill pascal --unit '{}'",
        agon.display(),
        file.display()
    ));
    assert_eq!(said.code, Some(3), "{}", said.all());
    assert!(said.err().contains("hint: run apt-get install fp-compiler"), "{}", said.all());
    assert!(!home.path("chance").exists());
}

#[test]
fn a_folder_that_is_not_ours_is_not_overwritten() {
    let Some(home) = with_compiler() else { return };
    home.put("mine/notes.txt", "precious");
    let file = put(&home, "Yuval", &["function PYuval;", "begin", "PYuval := 257", "end;"]);
    let before = home.listing();
    let said = home.agon(["new", "mill", "pascal", "--unit", &file, "mine"]);
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("mine is a folder with files in it; nothing was written"), "{}", said.all());
    assert_eq!(home.listing(), before);
    // One of ours is built anew.
    for _ in 0..2 {
        let built = home.agon(["new", "mill", "pascal", "--unit", &file]);
        assert_eq!(built.code, Some(0), "{}", built.all());
    }
}
