//! What authors of referee programs and of their engines need: `agon check-referee`, `new-game`,
//! `check` and `play` with a folder of a game, and the messages before the first game.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::home::{Home, Said};
use crate::support::{Metronome, side_by_side};

/// A referee of a small game in Python: each of its seats says a number in turn, `rounds` times;
/// the larger sum wins. Marks in capitals are replaced by faults.
const SUMS: &str = r#"
import random, sys
sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
def say(*words):
    print(*words, flush=words[0] in ("wait", "end", "ready"))
def hear():
    word, _, rest = sys.stdin.readline().rstrip("\n").partition(" ")
    return word, rest
TOP
def play(seats, rounds, chance):
    sums, gone, before = {seat: 0 for seat in range(1, seats + 1)}, set(), None
    for number in range(rounds):
        for seat in sums:
            if seat in gone:
                continue
            legal = [str(n) for n in chance.sample(range(10, 100), 3)]
            say("tell", seat, "legal", *legal)
            say("ask", seat)
            say("wait")
            word, rest = hear()
            answer = rest.partition(" ")[2]
            if word == "answer" and answer in legal:
                sums[seat] += int(answer)
                say("move", seat, answer)
                MOVED
            elif word == "answer":
                say("bad", seat, "the answer is none of " + " ".join(legal))
                gone.add(seat)
            else:
                FAULT
    for seat in gone:
        sums[seat] = -1
    END
told = {}
while True:
    word, rest = hear()
    told[word] = rest
    if word == "clock":
        HELLO
    elif word == "start":
        START
        options = dict(option.split("=", 1) for option in told["game"].split()[1:])
        play(int(told["seats"]), int(options["rounds"]), random.Random(int(told["seed"])))
    elif word in ("quit", ""):
        break
"#;

const HELLO: &str = r#"print("referee 1 sums 1", "seats 2 3", "ready", sep="\n", flush=True)"#;
const START: &str = "pass";
const FAULT: &str = "gone.add(seat)";
const END: &str = r#"say("end", *sums.values())"#;

pub(super) const TOML: &str = r#"name = "sums"
rules = "Each seat says a number."
command = ["python3", "-S", "referee.py"]
seats = "2-3"
time = "st=2"

[options.rounds]
type = "integer"
min = 1
max = 50
default = 4
about = "how often each seat is asked"
"#;

/// An engine for every game whose referee lists the legal answers.
const RANDOM: &str = r#"
import posix, sys
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["legal"]:
        legal = words[1:]
    elif words == ["?"]:
        print(legal[posix.urandom(1)[0] % len(legal)], flush=True)
"#;

/// The source of the referee, with some parts replaced.
fn sums(parts: &[(&str, &str)]) -> String {
    let mut source = SUMS.to_owned();
    let usual =
        [("TOP", ""), ("MOVED", "pass"), ("FAULT", FAULT), ("END", END), ("HELLO", HELLO), ("START", START)];
    for (mark, text) in parts.iter().copied().chain(usual) {
        source = source.replace(mark, text);
    }
    source
}

/// A home with the game in `sums`, and engines `a` and `b` that play at random.
pub(super) fn with(parts: &[(&str, &str)], toml: &str) -> Home {
    let home = Home::new();
    home.put("sums/game.toml", toml);
    home.put("sums/referee.py", sums(parts));
    for name in ["a", "b"] {
        engine(&home, name, RANDOM);
    }
    home
}

fn engine(home: &Home, name: &str, source: &str) {
    home.put(format!("{name}/engine.toml"), "command = [\"python3\", \"-S\", \"{folder}/main.py\"]\n");
    home.put(format!("{name}/main.py"), source);
}

/// What `agon check-referee` says of a referee with these faults, with this `game.toml`.
pub(super) fn tried(parts: &[(&str, &str)], toml: &str) -> Said {
    tried_in(6, parts, toml)
}

/// The same of so many games.
fn tried_in(games: u32, parts: &[(&str, &str)], toml: &str) -> Said {
    let words = format!("check-referee sums --games {games} --seconds 600 --isolation limits");
    with(parts, toml).agon(words.split(' '))
}

/// The referee is at fault in these words.
fn is_wrong(part: (&str, &str), words: &str) {
    // A game without an end takes 10,000 answers: one is enough.
    let games = if words.contains("10000") { 1 } else { 6 };
    let said = tried_in(games, &[part], TOML);
    assert!(
        said.code == Some(1) && said.out().contains("WRONG") && said.out().contains(words),
        "{}",
        said.all()
    );
}

#[test]
fn a_good_referee_is_told_so() {
    let said = tried(&[], TOML);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let out = said.out();
    assert!(out.contains("2, 3 seats") && out.contains("6 games in"), "{out}");
    assert!(out.contains("nothing wrong was found") && !out.contains("warning"), "{out}");
}

#[test]
#[ignore = "slow"]
fn a_referee_with_a_mistake_is_told_which() {
    let mistakes = [
        (("MOVED", r#"say("moved", seat, answer)"#), "\"moved 1 "),
        (("END", r#"say("end", *list(sums.values())[1:])"#), "scores for 2 seats"),
        (
            ("START", "random.seed(); told['seed'] = random.randrange(9**9)"),
            "must draw all chance from the seed",
        ),
        (("MOVED", r#"say("bad", seat, "no"); gone.add(seat)"#), "answered it, and the referee says bad: no"),
        (
            ("FAULT", r#"raise KeyError("no default")"#),
            "the last it wrote to stderr is \"KeyError: 'no default'\"",
        ),
        (("MOVED", r#"say("frame 0=1|x")"#), "it writes frame before the lines board"),
        (
            (
                "START",
                r#"say("board size 100 100"); say("board slot 50 50 round a"); say("board start 7=1")"#,
            ),
            "its drawing cannot be read",
        ),
        (
            (
                "MOVED",
                "number -= 1; sums[seat] = 0\n                while True: say(\"ask\", seat); say(\"wait\"); hear()",
            ),
            "has not ended after 10000 answers",
        ),
    ];
    side_by_side(&mistakes, |&(part, words)| is_wrong(part, words));
}

#[test]
fn doubts_about_a_referee_are_warnings() {
    let said = tried(&[("END", r#"say("end", *[9 - sums[seat] for seat in sums])"#)], TOML);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("warning") && said.out().contains("is the only winner"), "{}", said.all());
    let silent = tried(&[("MOVED", ""), ("say(\"move\", seat, answer)", "pass")], TOML);
    assert!(silent.code == Some(0) && silent.out().contains("have no line move S TEXT"), "{}", silent.all());
    let even = tried(&[("END", r#"say("end", *[1 for seat in sums])"#)], &format!("draws = false\n{TOML}"));
    assert!(even.code == Some(1) && even.out().contains("draws = false"), "{}", even.all());
}

#[test]
fn a_referee_that_decides_every_game_at_once_and_alike_is_asked_whether_it_reads() {
    let once = TOML.replace("default = 4", "default = 1").replace("\"2-3\"", "2");
    let asked = "does it read what it is sent?";
    let deaf = tried_in(12, &[("END", r#"say("end", *sums)"#)], &once);
    assert!(deaf.code == Some(0) && deaf.out().contains(asked), "{}", deaf.all());
    // Its answers decide, although there is one of each seat.
    let short = tried_in(12, &[], &once);
    assert!(short.code == Some(0) && !short.out().contains(asked), "{}", short.all());
    // Nothing decides, but more than one answer is heard.
    let even = tried_in(12, &[("END", r#"say("end", *sums)"#)], &TOML.replace("\"2-3\"", "2"));
    assert!(even.code == Some(0) && !even.out().contains(asked), "{}", even.all());
}

#[test]
fn a_process_that_referees_many_games_must_leave_nothing_behind() {
    let keep = format!("keep = true\n{TOML}");
    assert_eq!(tried(&[], &keep).code, Some(0));
    let said = tried(
        &[("TOP", "played = []"), ("START", "played.append(1); say(\"public game\", len(played))")],
        &keep,
    );
    assert!(said.code == Some(1) && said.out().contains("nothing of a game may be left"), "{}", said.all());
}

#[test]
fn findings_are_lines_of_json_too() {
    let home = with(&[("MOVED", r#"say("moved", seat)"#)], TOML);
    let said = home.agon("check-referee sums --games 4 --json --isolation limits --seats 2".split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    let all: Vec<serde_json::Value> =
        said.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let void = all.iter().find(|found| found["kind"] == "void").expect("a void game");
    assert!(void["weight"] == "wrong" && void["seats"] == 2 && void["lines"].as_array().unwrap().len() > 2);
}

#[test]
#[ignore = "slow"]
fn a_run_does_not_begin_with_a_referee_that_cannot() {
    let hello = |text: &str| format!("print({text:?}, flush=True)");
    let cases = [
        ("", hello("Welcome to my referee!"), "\"Welcome to my referee!\" is no line of the handshake"),
        ("", "raise OSError('no cards')".to_owned(), "stderr is \"OSError: no cards\""),
        ("import no_such_thing", String::new(), "No module named 'no_such_thing'"),
        ("while True: __import__('time').sleep(1)", String::new(), "no answer within"),
        ("while True: print('x' * 1000)", String::new(), "is no line of the handshake"),
        ("", hello("referee 1 sums 1\nerror rounds must be even"), "rounds must be even"),
        (
            "",
            hello("referee 1 sums 1\nseats 4 6\nready"),
            "it takes 4 to 6 seats with these options, and the run has 2",
        ),
        (
            "",
            hello("referee 1 sums 1\nscores sum\nready"),
            "it says scores sum, and game.toml has scores = \"win\"",
        ),
        ("", hello("referee 2 sums 1\nready"), "referee 1 alone"),
    ];
    side_by_side(&cases, |(top, first, words)| {
        let hello = if first.is_empty() { HELLO } else { first };
        let home = with(&[("TOP", top), ("HELLO", hello)], TOML);
        let hangs = top.starts_with("while");
        let startup = if hangs { 2 } else { 6 };
        let line = format!("match a b --game ./sums --games 2 --startup {startup} --out run");
        let said = home.agon(line.split(' '));
        assert!(said.code == Some(2) && said.err().contains(words), "{words}: {}", said.all());
        assert!(
            said.err().matches("error:").count() == 1 && said.err().contains("/sums --seats 2 tells more")
        );
        assert!(!said.out().contains("agon") && !home.path("run/agon.db").exists(), "{}", said.all());
        if !hangs {
            // It waits much longer for the handshake.
            let checked = home.agon("check-referee sums --seats 2 --isolation limits".split(' '));
            assert_eq!(checked.code, Some(1), "{}", checked.all());
        }
    });
}

#[test]
fn a_game_toml_with_a_mistake_is_refused_with_its_line() {
    for (wrong, words) in [
        ("colour = 1\n", "line 1"),
        ("seats = \"3-1\"\n", "line 1: key seats: is no number of seats"),
        ("keep = 1\n", "line 1"),
        ("prompt = \"a\\nb\"\n", "line 1: key prompt: is more than one line"),
    ] {
        let toml =
            TOML.replace("seats = \"2-3\"\n", if wrong.starts_with("seats") { "" } else { "seats = 2\n" });
        let home = with(&[], &format!("{wrong}{toml}"));
        let said = home.agon("match a b --game ./sums --games 2".split(' '));
        assert!(said.code == Some(2) && said.err().contains("sums/game.toml"), "{}", said.all());
        assert!(said.err().contains(words), "{words}: {}", said.all());
    }
    for (from, to, words) in [
        ("seats = \"2-3\"", "seats = -3", "line 4: key seats: is no number of seats"),
        ("seats = \"2-3\"", "seats = 2.5", "line 4: key seats: is no number of seats"),
        (
            "[\"python3\", \"-S\", \"referee.py\"]",
            "[\".\"]",
            "line 3: key command: \".\" is no program\nhint: write command",
        ),
        ("[\"python3\", \"-S\", \"referee.py\"]", "[]", "line 3: key command: an empty list"),
        ("[\"python3\", \"-S\", \"referee.py\"]", "[\"\"]", "line 3: key command: \"\" is no program"),
        ("time = \"st=2\"", "draws = no", "line 5: no is no value\nhint: write true or false"),
        (
            "time = \"st=2\"",
            "drwas = false",
            "line 5: there is no key drwas\nhint: did you mean draws? see docs/referee.md; ",
        ),
        (
            "time = \"st=2\"",
            "seets = \"2\"",
            "line 5: there is no key seets\nhint: did you mean seats? see docs/referee.md; ",
        ),
        ("default = 4", "default = 4\n[options.of]\ntype = \"text\"\ndefault = \"x n=9\"", "without spaces"),
    ] {
        let said = with(&[], &TOML.replace(from, to)).agon(["rules", "./sums"]);
        assert!(said.code == Some(2) && said.err().contains(words), "{to}: {}", said.all());
        assert!(!said.err().contains("install") && !said.err().contains("command: key"), "{}", said.all());
    }
    let home = with(&[], TOML);
    home.put("latin/game.toml", b"name = \"x\"\ntitle = \"\xe9\"\n");
    let said = home.agon(["rules", "./latin"]);
    assert!(said.err().contains("line 2: this is not UTF-8\nhint: save"), "{}", said.all());
    home.shell("cp -r sums co:lon");
    let said = home.agon(["rules", "./co:lon"]);
    assert!(said.err().contains("a colon begins the options"), "{}", said.all());
    for words in
        ["rules sums", "moves sums:rounds=3", "match a b --game sums", "play a --game sums --seats 3"]
    {
        let said = home.agon(words.split(' '));
        assert!(said.code == Some(2) && said.err().contains("named with a slash: ./sums"), "{}", said.all());
    }
    for words in ["moves ./sums", "perft ./sums 2", "show ./sums"] {
        let said = home.agon(words.split(' '));
        assert!(
            said.err().contains("known to its referee program alone\nhint: agon rules"),
            "{}",
            said.all()
        );
        assert!(said.code == Some(2) && said.out().is_empty(), "{}", said.all());
    }
    for (words, error) in [
        ("match a b --game ./sums --games 2 --seats 7", "2 to 3 seats, and not 7"),
        ("match a b --game ./sums:rounds=99 --games 2", "give an integer from 1 to 50"),
        ("match a b --game ./sums:cards=9 --games 2", "there is no such option; there are rounds"),
        ("match a b --game ./sums:rounds=1,rounds=2 --games 2", "is given twice"),
        ("match a b --game mill --games 2 --seats 3", "the built-in games have two seats"),
        ("match a b --game ./nothing --games 2", "nothing"),
    ] {
        let said = home.agon(words.split(' '));
        let text = said.err().replace("\nhint: ", "; ");
        assert!(said.code == Some(2) && text.contains(error), "{words}: {}", said.all());
    }
    home.put("sums/game.toml", TOML.replace("python3", "no-such-program"));
    let said = home.agon("match a b --game ./sums --games 2".split(' '));
    assert!(said.code == Some(2) && said.err().contains("no-such-program"), "{}", said.all());
}

#[test]
fn engines_that_cannot_play_a_hosted_game_are_refused_before_it() {
    let home = with(&[], TOML);
    for (line, words) in [
        ("protocol = \"ugi\"\n", "b speaks ugi, and the game.toml of sums has no table [ugi]"),
        ("args = [\"{cards}\"]\n", "{cards}"),
    ] {
        home.put("b/engine.toml", format!("command = [\"python3\", \"-S\", \"{{folder}}/main.py\"]\n{line}"));
        let said = home.agon("match a b --game ./sums --games 2".split(' '));
        assert!(
            said.code == Some(2) && said.err().contains(words) && said.out().is_empty(),
            "{}",
            said.all()
        );
    }
}

#[test]
#[ignore = "slow"]
fn three_void_games_in_a_row_by_the_referee_end_the_run_which_goes_on_when_it_is_mended() {
    let home = with(&[("START", "if int(told['seed']) % 3 == 0: raise KeyError('lost card')")], TOML);
    let play = "match a b --game ./sums --games 20 --seed 5 --out run --concurrency 1";
    let counted = || {
        let said = home.agon(["games", "run", "--json"]);
        said.out().lines().filter(|line| line.contains("\"counts\":true")).count()
    };
    let said = home.agon(play.split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.err().contains("the referee sums made 3 games in a row void"), "{}", said.all());
    assert!(
        said.err().contains("lost card") && said.err().contains("/sums --seats 2 tells more"),
        "{}",
        said.all()
    );
    assert!((1..20).contains(&counted()), "decided games are kept: {}", counted());
    home.put("sums/referee.py", sums(&[]));
    let said = home.agon(play.split(' '));
    assert!(said.code == Some(0) && !said.all().contains("void"), "{}", said.all());
    assert_eq!(counted(), 20, "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn a_new_game_works_as_it_is() {
    let home = Home::new();
    let made = home.agon(["new-game", "games/My_Game"]);
    assert!(made.code == Some(0) && made.out().contains("has the game my-game"), "{}", made.all());
    let again = home.agon(["new-game", "games/My_Game"]);
    assert!(again.code == Some(2) && again.err().contains("nothing was written"), "{}", again.all());
    let metronome = Metronome::start();
    let checked = home.agon("check-referee games/My_Game --games 30 --seconds 600 --json".split(' '));
    // What is found late may be so because the machine is busy.
    let is_busy = metronome.most(Duration::ZERO) > Duration::from_secs(1);
    assert_eq!(checked.code, Some(0), "{}", checked.all());
    let late = ["\"kind\":\"slow\"", "\"kind\":\"does-not-leave\""];
    let is_excused = |line: &str| is_busy && late.iter().any(|kind| line.contains(kind));
    let out = checked.out();
    assert!(out.lines().all(|line| !line.contains("\"weight\"") || is_excused(line)), "{out}");
    home.shell("cp -r games/My_Game/engines/sample other");
    let played =
        home.agon("match games/My_Game/engines/sample other --game games/My_Game --games 4".split(' '));
    let played = if played.code == Some(2) {
        home.agon("match games/My_Game/engines/sample other --game ./games/My_Game --games 4".split(' '))
    } else {
        played
    };
    assert!(played.code == Some(0) && !played.all().contains("fault"), "{}", played.all());
    let tested = home.shell("sh games/My_Game/test.sh --games 6");
    assert!(tested.code == Some(0) && tested.out().contains("nothing wrong"), "{}", tested.all());
    let rules = home.agon(["rules", "./games/My_Game"]);
    assert!(
        rules.code == Some(0) && rules.out().contains("stones=N: an integer from 10 to 1000"),
        "{}",
        rules.all()
    );
    assert!(home.agon(["new-game", "mill"]).err().contains("is a built-in game"));
}

#[test]
fn the_rules_of_a_folder_are_shown() {
    let home = with(&[], TOML);
    let said = home.agon(["rules", "./sums"]);
    let out = said.out();
    assert!(said.code == Some(0) && out.contains("Each seat says a number."), "{}", said.all());
    for words in ["2 to 3, by --seats", "rounds=N: an integer from 1 to 50", "[default: 4]", "st=2, unless"] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&home.agon(["rules", "./sums", "--json"]).out()).unwrap();
    assert!(
        json["name"] == "sums" && json["options"][0]["default"] == "4" && json["seats"][1] == 3,
        "{json}"
    );
}

/// What `agon check` says of an engine with this source.
fn checked(source: &str) -> Said {
    let home = with(&[], TOML);
    engine(&home, "mine", source);
    home.agon("check mine --game ./sums --seats 3 --st 1 --moves 6".split(' '))
}

#[test]
#[ignore = "slow"]
fn an_engine_is_checked_in_the_games_of_a_referee() {
    let said = checked(RANDOM);
    assert!(said.code == Some(0) && said.out().contains("mine as seat 3: 8 good move(s)"), "{}", said.all());
    assert_eq!(said.out().matches("nothing wrong was found").count(), 3, "{}", said.all());
    let cases = [
        ("legal[posix.urandom(1)[0] % len(legal)]", "'my answer is ' + legal[0]", "Perhaps it means"),
        ("legal[posix.urandom(1)[0] % len(legal)]", "'999'", "It is not in the line it was told: legal "),
        ("print(", "sys.exit(3) or print(", "exit status 3"),
        ("[\"?\"]", "[\"go\"]", "It is to answer with a line when it reads the line \"?\""),
        (", flush=True", "", "it does not flush"),
        ("flush=True)", "end='\\nhm\\n', flush=True)", "when it was not its turn"),
    ];
    side_by_side(&cases, |&(from, to, words)| {
        let said = checked(&RANDOM.replace(from, to));
        assert!(said.code == Some(1) && said.out().contains(words), "{words}: {}", said.all());
    });
}

#[test]
fn engines_are_tried_before_a_cup_of_a_hosted_game() {
    let home = with(&[], TOML);
    for name in ["a", "b", "c"] {
        engine(&home, &format!("all/{name}"), if name == "c" { "raise OSError('broken')" } else { RANDOM });
    }
    let said = home.agon("tournament all --game ./sums --games 2 --st 1 --dry-run".split(' '));
    assert!(said.err().contains("c       cannot play"), "{}", said.all());
    assert!(said.err().contains("as seat 1: at its answer 1: "), "{}", said.all());
}

/// What a person sees who types this text.
fn typed(home: &Home, words: &str, text: &str) -> (Option<i32>, String) {
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(words.split(' '))
        .current_dir(home.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    agon.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = agon.wait_with_output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&all).into_owned())
}

#[test]
fn a_person_plays_a_game_of_a_referee() {
    let listed = [("chance.sample(range(10, 100), 3)", "(11, 12, 13)")];
    let home = with(&listed, TOML);
    let play = "play a --game ./sums --seats 3 --side 2";
    let (code, said) = typed(&home, play, "11\n\n12\n13\n11\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("you are seat 2, a has the others") && said.contains("  legal 11 12 13"), "{said}");
    assert!(said.contains("the game is over") && said.contains("seat 2 (you), score 47"), "{said}");
    assert_eq!(said.matches("2> ").count(), 5, "a blank line is no answer: {said}");
    let (code, said) = typed(&home, play, "99\n/help\nundo\n11\n12\n13\n11\n");
    assert!(said.contains("99 is not legal, and was not sent; the legal answers: 11 12 13"), "{said}");
    assert!(code == Some(0) && said.contains("/say TEXT") && said.contains("score 47"), "{said}");
    let (_, said) = typed(&home, play, "/say 99\n");
    assert!(said.contains("your answer was bad, and you are out: the answer is none of 11 12 13"), "{said}");
    let unlisted = with(&[("say(\"tell\", seat, \"legal\", *legal)", "say('tell', seat, 'go')")], TOML);
    let (_, said) = typed(&unlisted, "play a --game ./sums", "help\n5\n"); // its numbers have two digits
    let warned = said.find("a bad answer cannot be taken back").expect("a warning");
    assert!(warned < said.find("1> ").unwrap() && said.contains("/say TEXT"), "{said}");
    assert!(said.contains("your answer was bad"), "{said}");
    let (code, said) = typed(&home, play, "11\n/quit\n");
    assert!(code == Some(0) && !said.contains("over"), "{said}");
}
