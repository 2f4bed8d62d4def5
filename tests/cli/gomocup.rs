//! The harness's side of the protocol of Gomocup, against a scripted engine with each quirk as a
//! switch.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value;

use super::support::not_tried;
use crate::support::{Arena, Finished, Game, side_by_side};

/// The exit code of a run in which a game stayed void.
const SOME_VOID: i32 = 4;
/// The options of a short game in which the first move is nobody's opening.
pub(crate) const SHORT: &str = "--game mnk:15x15,5 --random-plies 0 --concurrency 1 --max-plies 6";

/// Two scripted engines, `plain` and `odd`, and their notes.
pub(crate) struct Pair(pub(crate) Arena);

impl Pair {
    /// `odd` has these quirks, and these lines in its `engine.toml`.
    pub(crate) fn with(quirks: &str, more: &str) -> Self {
        let arena = Arena::new();
        let is_boxed = quirks == "fills";
        for (name, quirks, more) in [("plain", "", ""), ("odd", quirks, more)] {
            let more = format!("protocol = \"gomocup\"\n{more}");
            // A box has no other place than its own directory.
            let log = if is_boxed { "log".to_owned() } else { arena.text(&format!("{name}.log")) };
            // As words of env: the arena writes the table with the environment itself.
            let command = [
                "env",
                &format!("GOMOCUP_LOG={log}"),
                &format!("GOMOCUP_QUIRKS={quirks}"),
                "python3",
                "{folder}/gomocup.py",
            ];
            arena.engine_with(name, &command, &more);
            let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripted/gomocup.py");
            std::fs::copy(script, arena.path(&format!("engines/{name}/gomocup.py"))).unwrap();
        }
        Pair(arena)
    }

    pub(crate) fn run(&self, options: &str) -> Finished {
        self.0.play("plain", "odd", options)
    }

    /// Two short games, and what `verify` finds in them. On a busy machine a game may stay void,
    /// and then both are played anew.
    pub(crate) fn play(&self, options: &str) -> Vec<Game> {
        let mut said = self.run(&format!("{SHORT} {options}"));
        for _ in 0..3 {
            if said.code != Some(SOME_VOID) {
                break;
            }
            std::fs::remove_dir_all(self.0.path("out")).unwrap();
            for log in ["plain.log", "odd.log"] {
                let _ = std::fs::remove_file(self.0.path(log)); // in a box it has none
            }
            said = self.run(&format!("{SHORT} {options}"));
        }
        assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
        let verified = self.0.run(&mut self.0.agon(&["verify", "out"]));
        assert_eq!(verified.code, Some(0), "{} {}", verified.stdout, verified.stderr);
        let games = self.0.games();
        assert_eq!(games.len(), 2);
        games
    }

    /// What `odd` was told from its last start on.
    pub(crate) fn told(&self) -> Vec<String> {
        let log = self.log();
        let from = log.iter().rposition(|line| line == "STARTED").unwrap();
        log[from + 1..].to_vec()
    }

    /// All that `odd` was told.
    pub(crate) fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.0.path("odd.log")).unwrap();
        log.lines().map(str::to_owned).collect()
    }

    fn check(&self, options: &str) -> Finished {
        let words = ["check", "engines/odd", "--moves", "2", "--st", "1"];
        self.0.run(&mut self.0.agon(&[&words[..], &options.split(' ').collect::<Vec<_>>()].concat()))
    }
}

pub(crate) fn plies(game: &Game) -> Vec<&Value> {
    game.0["record"]["plies"].as_array().unwrap().iter().collect()
}

/// Both games were played to their limit: nobody was at fault.
pub(crate) fn assert_well(games: &[Game]) {
    for game in games {
        assert_eq!(game.ending(), ("adjudication".to_owned(), None), "{}", game.reason());
    }
}

pub(crate) fn count(log: &[String], start: &str) -> usize {
    log.iter().filter(|line| line.starts_with(start)).count()
}

#[test]
fn a_game_is_told_in_the_words_of_the_protocol_and_in_their_order() {
    let pair = Pair::with("raw", "[gomocup]\nreserve_ms = 70\ninfo = { thread_num = 1, rule = 9 }\n");
    let games = pair.play("--st 2 --memory 512M");
    assert_well(&games);
    let told = pair.told();
    let folder = told.iter().find(|line| line.starts_with("'INFO folder /")).unwrap().clone();
    let wanted = [
        "'START 15\\r\\n'",
        "'INFO max_memory 322122547\\r\\n'",
        "'INFO timeout_match 0\\r\\n'",
        "'INFO timeout_turn 1930\\r\\n'",
        "'INFO game_type 2\\r\\n'",
        "'INFO rule 9\\r\\n'",
        "'INFO time_left 2147483647\\r\\n'",
        &folder,
        "'INFO thread_num 1\\r\\n'",
        "'INFO time_left 2147483647\\r\\n'",
        "'BEGIN\\r\\n'",
        "'INFO time_left 2147483647\\r\\n'",
        "'TURN 5,0\\r\\n'",
        "'INFO time_left 2147483647\\r\\n'",
        "'TURN 3,1\\r\\n'",
        "'END\\r\\n'",
        "LEFT",
    ];
    assert_eq!(told, wanted);
    // 0,0 is the top left corner, and 5,0 lies in its row.
    let first: Vec<&str> = plies(&games[1])[..2].iter().map(|ply| ply["text"].as_str().unwrap()).collect();
    assert_eq!(first, ["X,a15", "O,f15"]);
    assert_eq!(plies(&games[1])[0]["thought"], "DEBUG search 1", "the last one is kept");
    assert_eq!(count(&pair.log(), "STARTED"), 3, "one trial before the run, and a process for each game");
}

#[test]
fn the_time_left_is_told_before_each_turn_without_the_reserve() {
    let pair = Pair::with("clock=0.05", "");
    assert_well(&pair.play("--tc 20+0.5"));
    let told = pair.told();
    assert!(told.contains(&"INFO timeout_match 19950".to_owned()), "{told:?}");
    let left = |line: &String| line.strip_prefix("INFO time_left ").map(|ms| ms.parse::<u64>().unwrap());
    let left: Vec<u64> = told.iter().filter_map(left).collect();
    assert_eq!((left.len(), left[0], left[1]), (4, 19_950, 19_950));
    // The increment is in it: a move takes less than half a second, if the machine is not very
    // busy.
    assert!(left[2] != left[1] && left[2] <= 20_450 - 40, "{left:?}");
}

#[test]
fn an_engine_that_knows_no_word_before_a_cr_is_asked_again_with_lf_and_this_is_remembered() {
    for quirk in ["lf-words", "lf-words=loud"] {
        let pair = Pair::with(&format!("{quirk},raw"), "");
        assert_well(&pair.play("--st 3"));
        let log = pair.log();
        assert_eq!(count(&log, "'BEGIN\\r\\n'"), 1, "{log:?}");
        assert_eq!(count(&log, "'BEGIN\\n'"), 1, "{log:?}");
        assert_eq!(count(&log, "'END\\n'"), 1, "from then on: {log:?}");
    }
}

#[test]
fn an_engine_that_takes_no_cr_is_started_again_with_lf_and_this_is_remembered() {
    let pair = Pair::with("lf,tail,raw", "");
    assert_well(&pair.play("--st 2"));
    let log = pair.log();
    assert_eq!(count(&log, "'START 15\\r\\n'"), 1, "{log:?}");
    assert_eq!(count(&log, "'START 15\\n'"), 3, "{log:?}");
    assert_eq!(count(&log, "'END\\n'"), 3);
    // Its file can say so as well.
    let pair = Pair::with("lf,raw", "[gomocup]\nnewline = \"lf\"\n");
    assert_well(&pair.play("--st 2"));
    assert_eq!(count(&pair.log(), "'START 15\\r\\n'"), 0);
    // And it can insist.
    let pair = Pair::with("lf", "[gomocup]\nnewline = \"crlf\"\n");
    let said = pair.run(&format!("{SHORT} --st 2"));
    assert!(
        said.code == Some(2) && said.stderr.contains("unsupported size or other error"),
        "{}",
        said.stderr
    );
}

#[test]
fn ok_may_have_a_tail_and_messages_before_it() {
    for quirk in ["tail", "talks", "tail,talks"] {
        assert_well(&Pair::with(quirk, "").play("--st 2"));
    }
}

#[test]
fn an_error_is_no_answer_and_a_move_behind_it_is() {
    let pair = Pair::with("error-move", "");
    assert_well(&pair.play("--st 2"));
    assert_eq!(count(&pair.log(), "BOARD"), 0, "it sleeps, and does not wait for input");
}

#[test]
fn an_engine_that_waits_after_an_error_is_told_the_board_once_on_the_same_clock() {
    for quirks in ["error-silence", "error-silence,polls"] {
        let pair = Pair::with(quirks, "");
        let games = pair.play("--st 3");
        assert_well(&games);
        let log = pair.log();
        assert_eq!(count(&log, "TURN"), 5, "{log:?}");
        assert_eq!(count(&log, "BOARD"), 5, "{log:?}");
        let board = log.iter().position(|line| line == "BOARD").unwrap();
        assert_eq!(log[board..board + 3], ["BOARD", "0,0,2", "DONE"]);
        let slow = plies(&games[0])[1]["micros"].as_u64().unwrap();
        assert!((50_000..3_000_000).contains(&slow), "its clock ran on: {slow}");
    }
}

#[test]
fn an_engine_that_drops_early_commands_is_asked_when_it_reads_again() {
    let pair = Pair::with("drops", "");
    let said = pair.run(&format!("{SHORT}0 --st 2"));
    assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
    assert_well(&pair.0.games());
    let log = pair.log();
    // Beside other work its search may end so late that it drops a command all the same.
    let [dropped, turns] = ["DROPPED", "TURN"].map(|word| count(&log, word));
    assert!(turns >= 20 && 5 * dropped <= turns, "{dropped} dropped of {turns}: {log:?}");
}

#[test]
fn of_two_answers_after_the_board_the_last_one_counts() {
    let pair = Pair::with("late", "");
    let games = pair.play("--st 3");
    assert_well(&games);
    // The first answer of odd is 5,0, which it writes to the turn; then it answers the board.
    let texts: Vec<&str> = plies(&games[0]).iter().map(|ply| ply["text"].as_str().unwrap()).collect();
    assert_eq!(texts[..2], ["X,a15", "O,k15"], "{texts:?}");
}

#[test]
fn lines_may_end_in_cr_and_the_last_one_in_nothing() {
    assert_well(&Pair::with("cr", "").play("--st 2"));
    let games = Pair::with("ends", "").play("--st 2");
    for game in games {
        assert_eq!((game.ending(), game.moves_of("odd")), (("crash".to_owned(), Some("odd")), 1));
        assert!(game.reason().contains("ended before it was asked"), "{}", game.reason());
    }
}

#[test]
fn a_suggestion_is_answered_and_then_played() {
    let pair = Pair::with("suggest", "");
    assert_well(&pair.play("--st 2"));
    assert_eq!(count(&pair.told(), "PLAY"), 3);
}

#[test]
fn a_move_behind_a_suggestion_counts_however_much_was_written_before() {
    assert_well(&Pair::with("eager", "").play("--st 5"));
}

#[test]
fn the_board_has_the_ends_of_lines_that_the_engine_is_known_to_read() {
    let pair = Pair::with("forgets,raw", "");
    assert_well(&pair.play("--st 3"));
    let log = pair.log();
    assert_eq!(count(&log, "'BOARD\\r\\n'"), 2, "{log:?}");
    assert_eq!(count(&log, "'END\\r\\n'"), 3, "{log:?}");
}

#[test]
#[ignore = "slow"]
fn a_flood_of_lines_is_no_way_out_of_a_lost_game() {
    let pair = Pair::with("floods", "");
    for game in pair.play("--st 10 --time odd=st=1") {
        assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("odd")), "{}", game.reason());
    }
}

#[test]
fn an_opening_is_told_as_a_board_in_the_order_of_play_or_with_the_sides_in_turn() {
    let pair = Pair::with("", "");
    let rows = ["..............."; 14].join("/");
    let lines = format!("X,h8 O,g7 X,a1\nXXO.O........../{rows}\n");
    std::fs::write(pair.0.path("openings"), lines).unwrap();
    let words = "match engines/plain engines/odd --game mnk:15x15,5 --openings openings --games 4 --st 2 \
                 --max-plies 4 --concurrency 1 --out out";
    let said = pair.0.run(&mut pair.0.agon(&words.split_ascii_whitespace().collect::<Vec<_>>()));
    assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
    let log = pair.log().join(" ");
    let turn = "INFO time_left 2147483647";
    for told in [
        // It is O, and X was the last to move.
        format!("{turn} BOARD 7,7,2 6,8,1 0,14,2 DONE"),
        format!("{turn} BOARD 0,0,1 2,0,2 1,0,1 4,0,2 DONE"),
    ] {
        assert!(log.contains(&told), "{told}: {log}");
    }
    let verified = pair.0.run(&mut pair.0.agon(&["verify", "out"]));
    assert_eq!(verified.code, Some(0), "{} {}", verified.stdout, verified.stderr);
}

#[test]
#[ignore = "slow"]
fn an_engine_that_refuses_the_board_is_known_before_the_first_game_and_in_check() {
    let cases = [
        ("size=20", "mnk:15x15,5", "\"START 15\" with \"ERROR unsupported size\""),
        (
            "no-rectangle",
            "mnk:10x12,5",
            "\"RECTSTART 10,12\" with \"ERROR Rectangular board is not supported.\"",
        ),
    ];
    side_by_side(&cases, |&(quirk, game, answer)| {
        let pair = Pair::with(quirk, "");
        for said in [pair.run(&format!("--game {game}")), pair.check(&format!("--game {game}"))] {
            assert_eq!(said.code, Some(2), "{}", said.stderr);
            assert!(
                said.stderr.contains(answer) && said.stderr.contains("it refuses a board"),
                "{}",
                said.stderr
            );
            assert!(!pair.0.path("out/agon.db").exists(), "no game was played");
        }
    });
    for (game, options) in [("mnk:20x20,5", "size=20"), ("mnk:10x12,5", "")] {
        let said = Pair::with(options, "").run(&format!("{SHORT} --st 2").replace("mnk:15x15,5", game));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
}

#[test]
#[ignore = "slow"]
fn an_engine_that_does_not_begin_is_known_before_the_first_game() {
    let cases = [
        (
            "dies",
            "its process ended without an answer (exit status 2); the last it wrote to stderr is \"no such file",
        ),
        ("mute", "it did not say OK before the game: no answer within 3 s"),
    ];
    side_by_side(&cases, |&(quirk, words)| {
        let said = Pair::with(quirk, "").run(&format!("{SHORT} --st 1 --startup 3"));
        assert!(said.code == Some(2) && said.stderr.contains(words), "{}", said.stderr);
        assert_eq!(said.stderr.contains("flushes stdout"), quirk == "mute", "{}", said.stderr);
    });
    let said = Pair::with("", "").run("--game mnk:7x7,4");
    assert!(
        said.code == Some(2) && said.stderr.contains("gomocup engines play five in a line"),
        "{}",
        said.stderr
    );
}

#[test]
#[ignore = "slow"]
fn a_loss_on_time_says_what_the_engine_did() {
    let cases = [
        ("points,polls", ["and it was waiting for input", "which is no move"]),
        ("points", ["and it was waiting for input", "it wrote \"11,7 10,6 13,5\", which is no move"]),
        (
            "blank",
            ["and it was waiting for input", "no move: a move is two numbers with a comma and no blanks"],
        ),
        ("clock=5", [" ms, slept ", "no answer within 520 ms; ran "]),
        ("hangs", ["no answer within 520 ms; ran ", " ms, slept "]),
        ("slow=2", ["no answer within 520 ms; ran ", " ms, slept "]),
    ];
    side_by_side(&cases, |&(quirk, words)| {
        let pair = Pair::with(quirk, "");
        // Its opponent has time enough on a busy machine.
        let games = pair.play("--st 10 --time odd=st=0.5");
        for game in games {
            assert_eq!(game.ending(), ("time forfeit".to_owned(), Some("odd")), "{quirk}");
            let reason = game.reason();
            assert!(words.iter().all(|words| reason.contains(words)), "{quirk}: {reason}");
            let waits = ["points", "points,polls", "blank"].contains(&quirk);
            assert_eq!(reason.contains("waiting for input"), waits, "{quirk}: {reason}");
        }
    });
}

#[test]
#[ignore = "slow"]
fn an_engine_of_another_protocol_that_waits_for_input_is_told_so() {
    let arena = Arena::new();
    arena.engine("deaf", &["sh", "-c", "while read -r line; do :; done"]);
    arena.engine("other", &["sh", "-c", "read a; read b; read c; read d; sleep 9"]);
    arena.play("deaf", "other", "--game mnk:3x3,3 --st 1 --random-plies 0");
    let games = arena.games();
    assert!(games[0].reason().ends_with("and it was waiting for input"), "{}", games[0].reason());
    assert!(games[1].reason().contains("; ran "), "{}", games[1].reason());
}

#[test]
#[ignore = "slow"]
fn a_game_that_was_lost_by_the_first_of_endless_lines_is_verified() {
    let arena = Arena::new();
    arena.engine("yes", &["sh", "-c", "while read -r line; do yes | head -n 3000; done"]);
    arena.engine("other", &["sh", "-c", "while read -r line; do :; done"]);
    let said = arena.play("yes", "other", "--game mnk:3x3,3 --st 1 --random-plies 0");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(arena.games()[0].reason().starts_with("\"y\": "), "{}", arena.games()[0].reason());
    let verified = arena.run(&mut arena.agon(&["verify", "out"]));
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
}

#[test]
fn a_point_beside_the_board_is_an_illegal_move() {
    let games = Pair::with("beside", "").play("--st 2");
    assert_eq!(games[0].ending(), ("illegal move".to_owned(), Some("odd")));
    let reason = games[0].reason();
    assert!(reason.contains("off the board") && reason.ends_with("; its line was \"15,15\""), "{reason}");
}

#[test]
fn end_has_a_grace_period_of_its_own() {
    let exit = |more: &str, quirk: &str| {
        let pair = Pair::with(quirk, more);
        let games = pair.play("--st 2");
        assert_well(&games);
        (games[0].seat("odd")["exit"].clone(), pair.0.path("odd.log.saved").exists())
    };
    assert_eq!(exit("[gomocup]\nend_ms = 3000\n", "saves"), (serde_json::json!({"code": 0}), true));
    assert_eq!(exit("[gomocup]\nend_ms = 100\n", "saves"), (serde_json::json!("killed"), false));
    assert_eq!(exit("", "stays"), (serde_json::json!("killed"), false));
}

#[test]
#[ignore = "slow"]
fn check_tells_what_the_engine_says_of_itself() {
    let said = Pair::with("tail", "").check("--game mnk:15x15,5");
    assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
    for words in [
        "It accepts START 15. It says of itself: name=\"Scripted\", version=\"1.0\"",
        "It takes a TURN that comes right after its own move (0 ms)",
        "It accepts RECTSTART 10,12, a board that is no square",
        "2 good move(s)",
    ] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    let said = Pair::with("nameless", "").check("--game mnk:10x12,5");
    assert!(said.stdout.contains("It accepts RECTSTART 10,12. It does not answer ABOUT"), "{}", said.stdout);
}

#[test]
#[ignore = "slow"]
fn check_tells_what_other_managers_would_trip_over() {
    // So long that a busy machine cannot come too late to see it.
    let said = Pair::with("drops=0.2,no-rectangle", "").check("--game mnk:15x15,5");
    assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
    for words in [
        "It drops a TURN that comes right after its own move (0 ms). agon waits until it reads again",
        "It plays on square boards alone: it refuses RECTSTART 10,12",
    ] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
}

#[test]
fn a_bank_is_told_as_nothing() {
    let told = |bank: &str| {
        let pair = Pair::with("", "");
        assert_well(&pair.play(&format!("--st 2 {bank}")));
        pair.told().into_iter().filter(|line| !line.starts_with("INFO folder")).collect::<Vec<_>>()
    };
    let told = [told(""), told("--bank 30")];
    assert_eq!(told[0], told[1]);
    assert!(told[0].contains(&"INFO timeout_turn 1950".to_owned()), "{:?}", told[0]);
}

#[test]
fn a_second_move_that_comes_between_turns_answers_no_turn() {
    let pair = Pair::with("twice", "");
    let games = pair.play("--st 2");
    assert_well(&games);
    for game in games {
        assert_eq!(game.moves_of("odd"), 3);
        // Each of its moves is the first free cell; what it writes behind one is the cell after
        // that.
        let order = ["a15", "f15", "k15", "d14", "i14", "n14"];
        let texts: Vec<&str> = plies(&game).iter().map(|ply| &ply["text"].as_str().unwrap()[2..]).collect();
        assert_eq!(texts, order, "no turn was answered by a line from before it");
        assert_eq!(game.seat("odd")["traffic"]["unasked"], 3);
    }
}

#[test]
fn what_an_engine_reads_is_shown_without_starting_it() {
    let pair = Pair::with("", "");
    let words = ["show", "mnk:15x15,5", "--as-engine", "engines/odd", "--side", "O", "--moves", "h8 g7 a1"];
    let said = pair.0.run(&mut pair.0.agon(&words));
    let lines: Vec<&str> =
        said.stdout.lines().map(str::trim).skip_while(|line| *line != "< START 15").collect();
    assert_eq!(lines[..2], ["< START 15", "> OK"], "{}", said.stdout);
    let end = ["< INFO folder DIR", "< INFO time_left 2147483647", "< TURN 7,7", "> 6,8"];
    assert_eq!(lines[8..12], end, "{}", said.stdout);
    assert!(!pair.0.path("odd.log").exists());
}

#[test]
fn a_wrong_key_is_one_error() {
    for (more, words) in [
        ("[gomocup]\nnewlin = \"lf\"\n", ["line 4", "newlin"]),
        ("[gomocup]\nnewline = \"cr\"\n", ["line 4", "crlf"]),
        ("[gomocup]\nreserve_ms = -1\n", ["line 4", "reserve_ms"]),
        ("[gomocup]\ninfo = { \"a b\" = 1 }\n", ["line 4", "cannot be told in one line"]),
        ("[gomocup]\nfolder = \"nowhere\"\n", ["key folder", "nowhere is no directory"]),
        ("[gomocup]\nfolder = \"..\"\n", ["key folder", "lies beside its folder"]),
        ("[gomocup]\norder = [\"rules\"]\n", ["key order", "there is no line INFO rules"]),
        ("[gomocup]\nomit = [\"depth\"]\n", ["key omit", "there is no line INFO depth"]),
        ("[gomocup]\nend_ms = 10001\n", ["key end_ms", "write a number up to 10000"]),
        ("[options]\nHash = 1\n", ["key options", "the protocol gomocup has none"]),
    ] {
        let said = Pair::with("", more).run(SHORT);
        assert_eq!(said.code, Some(2), "{more}");
        assert!(words.iter().all(|word| said.stderr.contains(word)), "{more}: {}", said.stderr);
    }
    let arena = Arena::new();
    arena.engine_with("odd", &["cat"], "[gomocup]\nend_ms = 1\n");
    arena.engine("plain", &["cat"]);
    let said = arena.play("plain", "odd", SHORT);
    assert!(said.stderr.contains("key gomocup: the protocol lines has no such table"), "{}", said.stderr);
}

#[test]
fn a_box_whose_disk_is_full_is_named_in_the_loss() {
    let pair = Pair::with("fills", "");
    // In a box engines are nobody.
    for name in [".", "engines"] {
        std::fs::set_permissions(pair.0.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let said = pair.run(&format!("{SHORT} --st 5 --isolation sandbox --disk 8M"));
    if said.code == Some(3) {
        not_tried!("no sandbox is available");
        return;
    }
    assert_eq!(said.code, Some(0), "{} {}", said.stdout, said.stderr);
    for game in pair.0.games() {
        assert!(game.reason().contains("; the disk of its box is full (--disk 8M)"), "{}", game.reason());
    }
}
