//! Records of every game, written, cut, changed, and checked by `agon replay`.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use agon_diagram::Film;
use agon_export::notation;
use agon_games::{Game, Needs, Rules, Status, find, lexicon::Lexicon};
use agon_record::reason::EndReason;
use agon_record::{Decided, GameRecord, MachineLoad, Ply, SeatRecord, Traffic, Verdict};
use agon_seats::{PerSeat, Refusal, Seat, result::Finish};
use agon_standings::result::{Cause, GameId, Termination};

use super::home::Home;
use crate::saying::{agon, prints, refuses};
use chrono::DateTime;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The rules of a game, with English words if it uses any.
fn rules(spec: &str) -> Arc<dyn Rules> {
    let words = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/words.txt");
    let lexicon = Lexicon::parse(&std::fs::read(words).unwrap()).unwrap();
    find(spec, &Needs { lexicon: Some(Arc::new(lexicon)) }).unwrap()
}

/// A game of moves drawn by a small generator, ended by the rules or, after some plies, by
/// `termination`.
pub(crate) fn record(spec: &str, seed: u64, stop: Option<(usize, Termination)>) -> GameRecord {
    let rules = rules(spec);
    let mut game = rules.start(seed);
    let start = game.text();
    let (mut plies, mut random) = (Vec::new(), seed);
    while let Status::ToMove(seat) = game.status() {
        if stop.is_some_and(|(most, _)| plies.len() == most) {
            break;
        }
        let moves = game.moves();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let played = game.play(moves[(random >> 33) as usize % moves.len()].as_bytes()).unwrap();
        let time = Duration::from_micros(random >> 50);
        plies.push(Ply { seat, text: played.text, points: played.points, time, thought: None });
    }
    let decided = match (game.status(), stop) {
        (Status::Over(outcome), _) => Decided {
            places: outcome.places,
            scores: outcome.scores,
            termination: Termination::Normal,
            reason: EndReason::Rules(outcome.why),
        },
        (Status::ToMove(_), Some((_, termination))) => Decided {
            places: match termination.lost() {
                Some((loser, _)) => PerSeat::from_fn(2, |seat| if seat == loser { 2 } else { 1 }),
                None => agon_seats::result::by_score(&game.scores()),
            },
            scores: game.scores(),
            termination,
            reason: EndReason::of_sentence(&reason(termination, game.as_mut(), plies.len()), termination),
        },
        (Status::ToMove(_), None) => unreachable!("a game goes on until it is over"),
    };
    let seat = |side: &str, entrant: &str| SeatRecord {
        side: side.to_owned(),
        entrant: entrant.to_owned(),
        time_control: "st=5 margin=0.02".to_owned(),
        time: Duration::ZERO,
        longest: Duration::ZERO,
        startup: Duration::ZERO,
        lateness: Duration::ZERO,
        traffic: Traffic::default(),
        exit: None,
        stragglers: 0,
        usage: Default::default(),
        evidence: None,
        unanswered: None,
        pauses: Vec::new(),
        spent: Vec::new(),
        elsewhere: None,
    };
    GameRecord {
        id: GameId { round: 1, pairing: 1, game: 1 },
        rules: rules.spec(),
        seed,
        start,
        last: game.text(),
        time_control: "st=5".to_owned(),
        seats: PerSeat::two(seat(rules.seats()[0], "alpha"), seat(rules.seats()[1], "bravo")),
        plies,
        verdict: Verdict::Decided(decided),
        isolation: None,
        machine: MachineLoad::default(),
        referee: None,
        ruling: None,
        started: DateTime::from_timestamp_millis(1_800_000_000_000).unwrap(),
        finished: DateTime::from_timestamp_millis(1_800_000_001_250).unwrap(),
    }
}

/// The reason that agon writes for such an end. The illegal move belongs to the other side.
fn reason(termination: Termination, game: &mut dyn Game, plies: usize) -> String {
    match termination {
        Termination::Resignation(_) => "it resigned".to_owned(),
        Termination::Adjudication => format!("{plies} plies were played; the score decides"),
        Termination::Decision => unreachable!("it is no end of a game as it was played"),
        Termination::Forfeit(_, Cause::IllegalMove) => {
            let own = game.moves().remove(0);
            let (_, text) = own.split_once(',').unwrap();
            let sides = ["B", "W", "X", "O"].map(|side| format!("{side},{text}"));
            let mut others = sides.iter().filter(|line| **line != own);
            let illegal = |line: &String| match game.play(line.as_bytes()) {
                Err(Refusal::Illegal(why)) => Some((line.clone(), why)),
                _ => None,
            };
            let (line, refusal) = others.find_map(illegal).unwrap();
            format!("\"{line}\": {refusal}")
        }
        Termination::Forfeit(..) | Termination::Normal => "so it was".to_owned(),
    }
}

/// Files with game records.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Shelf(tempfile::tempdir().unwrap())
    }

    fn put(&self, text: &str) -> String {
        let path = self.0.path().join("game.txt");
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }

    /// The error in this record.
    #[track_caller]
    fn refused(&self, text: &str, words: &str) {
        refuses(&["replay", &self.put(text)], words);
    }
}

const SPECS: [&str; 10] = [
    "abalone",
    "abalone:at-limit=marbles,ko=no",
    "connect4",
    "letters:4x4x3",
    "mill",
    "mnk:3x3,3",
    "mnk:15x15,5,first=O",
    "morris",
    "morris:nine",
    "letters:6x6x3",
];

#[test]
fn a_record_of_every_game_is_played_again_and_shown() {
    let shelf = Shelf::new();
    for spec in SPECS {
        let record = record(spec, 7, None);
        let file = shelf.put(&notation::write(&record, "test"));
        let shown = prints(&["replay", &file]);
        let sides = record.seats.map(|_, seat| format!("{} {}", seat.side, seat.entrant));
        let head = format!(
            "{spec}: {}: {}, {}, {} plies\nafter ply {}, {}\n\n",
            sides.values().join(" - "),
            record.result_text(),
            record.decided().unwrap().reason,
            record.plies.len(),
            record.plies.len(),
            record.plies.last().unwrap().text
        );
        assert!(shown.starts_with(&head), "{spec}: {shown}");
        assert!(shown.contains(&format!("\n{}\n", record.last)), "{spec}: {shown}");
        assert_eq!(prints(&["replay", &file, "--quiet"]), "");
        let start = prints(&["replay", &file, "--ply", "0"]);
        assert!(start.contains(&format!("\n{}\n", record.start)), "{spec}: {start}");
        let third = prints(&["replay", &file, "--ply", "3"]);
        assert!(third.contains(&format!("\nafter ply 3, {}\n", record.plies[2].text)), "{spec}: {third}");
        refuses(&["replay", &file, "--ply", "9999"], &format!("the game has {} plies", record.plies.len()));
    }
}

#[test]
fn the_frames_of_a_record_lead_from_its_start_to_its_last_position() {
    let shelf = Shelf::new();
    for spec in SPECS {
        let record = record(spec, 5, None);
        let printed = prints(&["replay", &shelf.put(&notation::write(&record, "test")), "--frames"]);
        let film: Film = printed.parse().unwrap_or_else(|error| panic!("{spec}: {error}\n{printed}"));
        assert_eq!(film.frames.len(), record.plies.len(), "{spec}");
        let mut contents = film.start.clone();
        film.frames.iter().for_each(|frame| frame.apply(&mut contents).unwrap());
        let last = rules(spec).resume(&record.last).unwrap();
        assert_eq!(Some(film.diagram), last.diagram(), "{spec}");
        assert_eq!(contents, last.contents(), "{spec}");
    }
}

#[test]
fn what_has_no_frames_is_named_with_what_to_do() {
    let shelf = Shelf::new();
    let game = notation::write(&record("connect4", 1, None), "test");
    let two = format!("{game}\n{}", game.replace("r01-p0001-g01", "r01-p0001-g02"));
    refuses(&["replay", &shelf.put(&two), "--frames"], "it has 2 games\nhint: give the number of one");
    refuses(&["replay", &shelf.put(&game), "--frames", "--ply", "2"], "cannot be used with");
    let large = record("letters:20x20x6", 1, Some((1, Termination::Adjudication)));
    refuses(
        &["replay", &shelf.put(&notation::write(&large, "test")), "--frames"],
        "the board has more than 2000 cells, so it has no diagram\nhint: leave --frames out",
    );
}

#[test]
#[ignore = "slow"]
fn games_that_were_lost_by_a_fault_or_ended_by_the_score_are_played_again() {
    let shelf = Shelf::new();
    for spec in SPECS {
        for (loser, winner) in [(Seat::FIRST, Seat::SECOND), (Seat::SECOND, Seat::FIRST)] {
            for termination in [
                Termination::Resignation(loser),
                Termination::Forfeit(loser, Cause::TimeForfeit),
                Termination::Forfeit(loser, Cause::IllegalMove),
                Termination::Forfeit(loser, Cause::StdinBlocked),
                Termination::Adjudication,
            ] {
                // The side to move loses.
                let plies = 4 + loser.index();
                let record = record(spec, 9, Some((plies, termination)));
                let text = notation::write(&record, "test");
                let shown = prints(&["replay", &shelf.put(&text)]);
                assert!(shown.contains(&format!(": {}, ", record.result_text())), "{shown}");
                let Some((loser, _)) = termination.lost() else { continue };
                let by = format!("{termination} by {}, {plies} plies", record.seats[loser].side);
                assert!(shown.contains(&by), "{by}: {shown}");
                // The other side's loss is another result, which this record does not have.
                let mut other = record.clone();
                if let Verdict::Decided(decided) = &mut other.verdict {
                    decided.termination = match termination {
                        Termination::Forfeit(_, cause) => Termination::Forfeit(winner, cause),
                        _ => Termination::Resignation(winner),
                    };
                    decided.places = PerSeat::from_fn(2, |seat| if seat == winner { 2 } else { 1 });
                }
                assert_ne!(other.result_text(), record.result_text());
                shelf.refused(&notation::write(&other, "test"), "so it would be");
            }
        }
    }
}

#[test]
fn results_are_written_as_the_games_write_them() {
    let lost = |spec, termination| record(spec, 9, Some((4, termination))).result_text();
    let late = Termination::Forfeit(Seat::FIRST, Cause::TimeForfeit);
    assert_eq!(lost("abalone", late), "14(*)-14(W)");
    assert_eq!(lost("abalone", Termination::Resignation(Seat::SECOND)), "14(W)-14(R)");
    assert_eq!(lost("abalone", Termination::Forfeit(Seat::SECOND, Cause::IllegalMove)), "14(W)-14(L)");
    assert_eq!(lost("abalone", Termination::Adjudication), "14(T)-14(T)");
    assert_eq!(lost("mill", late), "0-1");
    assert_eq!(lost("morris", Termination::Adjudication), "1/2-1/2");
    let letters = lost("letters:6x6x3", late);
    assert!(letters.contains("(*)-") && letters.ends_with("(W)"), "{letters}");
    let finish = |spec, places: [u8; 2], scores: [i32; 2]| {
        let (places, scores) = (PerSeat::from(places.to_vec()), PerSeat::from(scores.to_vec()));
        agon_games::result_text(spec, &Finish { places: &places, scores: &scores, lost: None })
    };
    assert_eq!(finish("abalone", [1, 2], [13, 8]), "13(W)-8(L)");
    assert_eq!(finish("letters:6x6x3", [1, 2], [73, 72]), "73-72");
    for spec in ["mill", "mnk:3x3,3", "morris", "connect4", "a-game-of-tomorrow"] {
        assert_eq!(finish(spec, [1, 2], [1, 0]), "1-0");
        assert_eq!(finish(spec, [1, 1], [0, 0]), "1/2-1/2");
    }
    let normal = record("letters:6x6x3", 9, None);
    let scores = &normal.decided().unwrap().scores;
    assert_eq!(normal.result_text(), format!("{}-{}", scores[Seat::FIRST], scores[Seat::SECOND]));
}

#[test]
fn a_record_cut_off_anywhere_is_refused() {
    let shelf = Shelf::new();
    for spec in ["mnk:3x3,3", "abalone"] {
        let text =
            notation::write(&record(spec, 3, Some((6, Termination::Resignation(Seat::FIRST)))), "test");
        // All but the newline at the end.
        for length in (0..text.len() - 1).step_by(if spec == "abalone" { 61 } else { 11 }) {
            let said = agon(&["replay", &shelf.put(&text[..length])]);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{spec}, {length} bytes: {}", said.err);
            assert!(said.err.contains("game.txt: "), "{}", said.err);
        }
        let without_result = &text[..text.trim_end().rfind('\n').unwrap()];
        let lines = without_result.lines().count();
        shelf.refused(without_result, &format!("line {lines}: the game ends without its result"));
        let without_third_round = &text[..text.find("\n3. ").unwrap()];
        let lines = without_third_round.lines().count();
        shelf.refused(without_third_round, &format!("line {lines}: the record has 4 plies, the last one \""));
    }
}

#[test]
fn a_changed_move_is_found() {
    let shelf = Shelf::new();
    for spec in SPECS {
        let honest = record(spec, 11, None);
        let rules = rules(spec);
        for at in [0, 3, honest.plies.len() - 1] {
            let mut game = rules.resume(&honest.start).unwrap();
            for ply in &honest.plies[..at] {
                game.play(ply.text.as_bytes()).unwrap();
            }
            let Some(other) = game.moves().into_iter().find(|mv| *mv != honest.plies[at].text) else {
                continue;
            };
            let mut forged = honest.clone();
            forged.plies[at].text = other;
            let said = agon(&["replay", &shelf.put(&notation::write(&forged, "test"))]);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{spec}, ply {}", at + 1);
            assert!(said.err.contains(": line "), "{}", said.err);
        }
    }
}

#[test]
fn what_is_wrong_with_a_record_is_named() {
    let shelf = Shelf::new();
    let text = notation::write(&record("letters:4x4x3", 5, None), "test");
    let first = text.lines().find(|line| line.starts_with("1. ")).unwrap().to_owned();
    let at = text.lines().position(|line| line.starts_with("1. ")).unwrap() + 1;
    let words: Vec<&str> = first.split_whitespace().collect();
    let points: i32 = words[4].parse().unwrap();
    shelf.refused(
        &text.replace(words[2], "h8"),
        &format!("line {at}: move 1 of B (ply 2), \"h8\": a move is P or x1,y1,z1,x2,y2,z2,word"),
    );
    shelf.refused(
        &text.replace(&format!("; {points} points"), &format!("; {} points", points + 1)),
        &format!(
            "line {at}: move 1 of W (ply 1), \"{}\": it scores {points}, but the record says {}",
            words[1],
            points + 1
        ),
    );
    let line_of = |name: &str| text.lines().position(|line| line.starts_with(name)).unwrap() + 1;
    for (from, to, words) in [
        ("[Result \"", "[Result \"1", "the result is \""),
        ("[Scores \"", "[Scores \"1", "the tag Scores says \"1"),
        ("[Plies \"", "[Plies \"1", "plies, the last one \""),
        ("[Game \"letters", "[Game \"lettres", "there is no game \"lettres\""),
        (
            "[Game \"letters:4x4x3",
            "[Game \"letters:4x4x4",
            "the tag Start is not a position: field 1, dimensions",
        ),
        ("[Game \"letters:4x4x3", "[Game \"mill", "the tag Start is not a position: "),
        (
            "[Seats \"W,B\"",
            "[Seats \"B,W\"",
            "the tag Seats says \"B,W\", but the seats of letters:4x4x3 are W,B",
        ),
        (
            "[Termination \"normal\"",
            "[Termination \"crash\"",
            "the tag Termination says \"crash\", but by the rules the game is over",
        ),
        ("[Reason \"", "[Reason \"not ", "the tag Reason says \"not "),
        ("[Event \"test\"]", "[Event test]", "line 1: a tag has the form [Name \"value\"]"),
        ("\n2. ", "\n3. ", "this is round 2, but its number is 3"),
    ] {
        assert!(text.contains(from), "{text}");
        shelf.refused(&text.replacen(from, to, 1), words);
    }
    let last = text.lines().find(|line| line.starts_with("[Last ")).unwrap();
    shelf.refused(
        &text.replace(last, "[Last \"4x4x3\"]"),
        &format!("line {}: the tag Last says \"4x4x3\", but by the moves it is \"4x4x3 ", line_of("[Last ")),
    );
    let unfinished =
        notation::write(&record("mnk:3x3,3", 3, Some((4, Termination::Resignation(Seat::FIRST)))), "");
    shelf.refused(
        &unfinished.replace("[Termination \"resignation\"]", "[Termination \"normal\"]"),
        "the tag Termination says \"normal\", but after the last move the game goes on with X",
    );
    shelf.refused(
        &unfinished.replace("\"resignation\"", "\"boredom\""),
        "says \"boredom\", which is no termination of a game",
    );
    shelf.refused(
        &unfinished.replace("\"0-1\"", "\"1/2-1/2\"").replace("\n0-1\n", "\n1/2-1/2\n"),
        "the tag Result says \"1/2-1/2\", but after the last move the game is not over, so it would be 0-1",
    );
    let file = shelf.put("[Result \"1-0\"]\n1. a1 b1\n");
    refuses(&["replay", &file], "there is no tag Game");
    std::fs::write(&file, b"[Event \"x\"]\n\xff\n").unwrap();
    refuses(&["replay", &file], "line 2: it has a byte that is not UTF-8");
    refuses(&["replay", "/nowhere/game.txt"], "/nowhere/game.txt: cannot be read");
    refuses(&["replay", "/dev/null"], "not a file; give a game's record");
}

/// In the form of the contest's document: seven tags and numbered moves, nothing else.
#[test]
fn a_record_in_the_documents_own_form_is_read() {
    let shelf = Shelf::new();
    let record = |result: &str, moves: &str| {
        format!(
            "[Event \"Championship\"]\n[Site \"Edmonton\"]\n[Date \"1999.04.01\"]\n[Round \"1\"]\n[Black \"one\"]\n\
             [White \"two\"]\n[Result \"{result}\"]\n\n{moves}\n"
        )
    };
    let file = shelf.put(&record("14(W)-14(R)", "1. g3-f3 c3-d3\n2. g4-f4 c5c4-d6"));
    let shown = prints(&["replay", &file, "--game", "abalone"]);
    assert!(shown.starts_with("abalone: B one - W two: 14(W)-14(R), resignation by W, 4 plies\n"), "{shown}");
    assert!(shown.contains("after ply 4, W,c4c5-d5\n"), "{shown}");
    let wrong = |result, moves, words: &str| {
        refuses(&["replay", &shelf.put(&record(result, moves)), "--game", "abalone"], words);
    };
    wrong(
        "14(W)-14(R)",
        "1. g3-f3 c3-d3\n2. g4-f4 f4-f5",
        "line 10: move 2 of W (ply 4), \"f4-f5\": f4 holds a marble of B",
    );
    wrong(
        "13(W)-8(L)",
        "1. g3-f3 c3-d3",
        "line 7: the tag Result says \"13(W)-8(L)\", but after the last move the game is not over",
    );
    wrong("14(W)-14(R)", "1. g3-f3 ... c3-d3", "line 9: round 1 has more than 2 moves");
    for (result, moves, words) in [
        ("14(T)-14(T)", "1. g3-f3 c3-d3 2.\n g4-f4 14(T)-14(T)", "14(T)-14(T), the score decides, 3 plies"),
        ("*", "1.\ng3-f3\nc3-d3\n*", "*, unfinished, 2 plies"),
        ("*", "1. g3-f3 c3-d3 2.", "*, unfinished, 2 plies"),
        ("14(*)-14(W)", "1. g3-f3\tc3-d3\n14(*)-14(W)", "time forfeit by B, 2 plies"),
    ] {
        let shown = prints(&["replay", &shelf.put(&record(result, moves)), "--game", "abalone"]);
        assert!(shown.lines().next().is_some_and(|line| line.ends_with(words)), "{moves}: {shown}");
    }
    wrong("14(W)-14(L)", "1. g3-f3 c3-d3\n14(L)-14(W)", "the result is \"14(L)-14(W)\" here, but");
    wrong(
        "14(W)-14(R)",
        "1. g3-f3\n2. g4-f4",
        "line 10: move 2 of B (ply 2), \"g4-f4\": it is W's turn, but the move stands in the place of B",
    );
}

#[test]
fn stored_games_of_every_kind_are_read_verified_and_exported_as_they_were_when_they_were_stored() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stored");
    let home = TempDir::new().unwrap();
    let said = std::fs::read_to_string(stored.join("said.txt")).unwrap();
    let mut compared = 0;
    for line in said.lines() {
        let [run, sum, words] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let folder = home.path().join(run);
        if !folder.exists() {
            std::fs::create_dir(&folder).unwrap();
            let packed = std::fs::File::open(stored.join(format!("{run}.db.gz"))).unwrap();
            let mut database = std::fs::File::create(folder.join("agon.db")).unwrap();
            std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut database).unwrap();
        }
        let mut command: Vec<&str> = words.split(' ').collect();
        let to = format!("{}{run}", command.last().unwrap());
        match command[..] {
            ["export", "csv" | "notation"] => command.extend([run, &to]),
            ["export", ..] => command.insert(2, run),
            _ => command.insert(1, run),
        }
        let told = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(&command)
            .current_dir(home.path())
            .output()
            .unwrap();
        assert!(told.status.success(), "agon {}: {told:?}", command.join(" "));
        let mut hash = Sha256::new();
        hash.update(&told.stdout);
        // The shell's order of names.
        let mut files: Vec<_> = std::fs::read_dir(home.path().join(&to))
            .map(|files| files.map(|file| file.unwrap().path()).collect())
            .unwrap_or_default();
        files.sort();
        files.iter().for_each(|file| hash.update(std::fs::read(file).unwrap()));
        let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, sum, "agon {} says something else than it did", command.join(" "));
        compared += 1;
    }
    assert_eq!(compared, 70);
}

#[test]
fn games_are_exported_as_the_document_writes_them_and_read_back() {
    let home = Home::new();
    for name in ["one", "two"] {
        home.put(
            format!("{name}/engine.toml"),
            "command = [\"agon-mover\"]\nargs = [\"{game}\", \"{side}\", \"{seconds}\"]\n",
        );
    }
    let said = home.agon(
        "match one two --game abalone --games 2 --st 5 --max-plies 30 --random-plies 0 --out run --quiet"
            .split(' '),
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    let tags = ["--tag", "Event=Games 93", "--tag", "Site=Waterloo, Ontario", "--tag", "Date=1993.05.01"];
    for layout in [&[][..], &["--running"]] {
        let words = [&["export", "document", "run", "records"][..], &tags, layout].concat();
        let said = home.agon(words);
        assert!(said.code == Some(0) && said.err().is_empty(), "{}", said.all());
        let text = home.read("records/r01-p0001-g01.txt");
        let mut lines = text.lines();
        let head: Vec<&str> = lines.by_ref().take(8).collect();
        assert_eq!(
            head[..6],
            [
                "[Event \"Games 93\"]",
                "[Site \"Waterloo, Ontario\"]",
                "[Date \"1993.05.01\"]",
                "[Round \"1\"]",
                "[Black \"one\"]",
                "[White \"two\"]",
            ]
        );
        let result = head[6].strip_prefix("[Result \"").and_then(|rest| rest.strip_suffix("\"]")).unwrap();
        assert!(head[7].is_empty() && text.trim_end().ends_with(result), "{text}");
        assert!(!text.contains(';'), "{text}");
        let count = lines.count();
        assert_eq!(count, if layout.is_empty() { 16 } else { count.min(8) }, "{text}");
        let back = home.agon(["replay", "records/r01-p0001-g01.txt", "--game", "abalone"]);
        assert!(back.code == Some(0) && back.out().contains(", 30 plies\n"), "{}", back.all());
    }
    let said = home.agon(["export", "document", "run", "other", "--tag", "Sight=x"]);
    assert!(
        said.code == Some(2)
            && said.err().contains("hint: there are Event, Site, Date, Round, Black, White, Result"),
        "{}",
        said.all()
    );
    assert!(!home.path("other").exists(), "nothing was written");
    let said = home.agon(["export", "notation", "run", "other", "--running"]);
    assert!(
        said.code == Some(2) && said.err().contains("--running is for the form document"),
        "{}",
        said.all()
    );
    let said = home.agon(["export", "document", "run", "other", "--tag", "Site"]);
    assert!(said.code == Some(2) && said.err().contains("NAME=VALUE"), "{}", said.all());
    // A game that begins elsewhere keeps its start, and that is said.
    let drawn = "match one two --game abalone --games 2 --st 5 --max-plies 6 --random-plies 2 --seed 3 --out drawn --quiet";
    assert_eq!(home.agon(drawn.split(' ')).code, Some(0));
    let said = home.agon(["export", "document", "drawn", "starts"]);
    assert!(
        said.code == Some(0) && said.err().contains("2 of the games do not begin at the usual start"),
        "{}",
        said.all()
    );
    let back = home.agon(["replay", "starts/r01-p0001-g01.txt", "--game", "abalone", "--quiet"]);
    assert_eq!(back.code, Some(0), "{}", back.all());
}
