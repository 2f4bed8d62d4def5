//! The laws that every game obeys, tested on hundreds of random games. A new game adds its lines to
//! [`cases::cases`], to the typed laws, to the texts of [`agreement`] and to `fixtures/perft.txt`.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod agreement;
mod cases;
mod frames;
mod perft;
mod starts;
mod typed;

use agon_games::{Game, Outcome, Rules, Status};
use agon_seats::{PerSeat, Refusal, Seat};
use cases::{Case, Dice, cases, of_every_game};

/// All visible properties of a game.
#[derive(PartialEq, Debug)]
struct Seen {
    text: String,
    scores: PerSeat<i32>,
    status: Status<Outcome>,
    moves: Vec<String>,
    views: Vec<String>,
    drawing: String,
}

fn seen(rules: &dyn Rules, game: &dyn Game) -> Seen {
    Seen {
        text: game.text(),
        scores: game.scores(),
        status: game.status(),
        moves: game.moves(),
        views: (0..rules.seats().len()).map(|seat| game.view(Seat::new(seat))).collect(),
        drawing: game.draw(),
    }
}

/// The game of this seed after these moves.
fn replayed(rules: &dyn Rules, seed: u64, moves: &[String]) -> Box<dyn Game> {
    let mut game = rules.start(seed);
    for mv in moves {
        game.play(mv.as_bytes()).unwrap_or_else(|refusal| panic!("{} {seed} {mv}: {refusal}", rules.spec()));
    }
    game
}

/// A whole random game: its moves, and its end.
fn random_game(case: &Case, rules: &dyn Rules, seed: u64, dice: &mut Dice) -> (Vec<String>, Box<dyn Game>) {
    let mut game = rules.start(seed);
    let mut played = Vec::new();
    while let Status::ToMove(_) = game.status() {
        let moves = game.moves();
        assert!(!moves.is_empty(), "{} {seed}: nobody can move, and the game goes on", case.spec);
        let mv = dice.one(&moves).clone();
        game.play(mv.as_bytes()).unwrap_or_else(|refusal| panic!("{} {seed} {mv}: {refusal}", case.spec));
        played.push(mv);
        assert!(played.len() <= case.longest, "{} {seed}: it does not end", case.spec);
    }
    (played, game)
}

#[test]
fn games_end_and_then_refuse_every_move() {
    of_every_game(|case, rules, seed, dice| {
        let (played, mut game) = random_game(case, rules, seed, dice);
        let last = seen(rules, &*game);
        assert!(last.moves.is_empty(), "{} {seed}", case.spec);
        for mv in played.iter().chain(&rules.start(seed).moves()) {
            assert!(
                matches!(game.play(mv.as_bytes()), Err(Refusal::Illegal(_))),
                "{} {seed} {mv}",
                case.spec
            );
        }
        assert_eq!(seen(rules, &*game), last);
        let Status::Over(outcome) = last.status else { unreachable!("the game has ended") };
        assert!(outcome.places.values().contains(&1), "{} {seed}: somebody is first", case.spec);
        assert_eq!(outcome.scores, last.scores);
        assert!(!outcome.why.is_empty());
    });
}

#[test]
fn every_legal_move_is_playable_as_text_and_is_told_as_it_is_listed() {
    of_every_game(|case, rules, seed, dice| {
        let (played, _) = random_game(case, rules, seed, dice);
        for _ in 0..3 {
            let until = dice.below(played.len() + 1);
            let moves = replayed(rules, seed, &played[..until]).moves();
            for mv in moves.iter().take(12) {
                let told = replayed(rules, seed, &played[..until]).play(mv.as_bytes());
                assert_eq!(told.map(|told| told.text).as_ref(), Ok(mv), "{} {seed}", case.spec);
            }
            let mut distinct = moves.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), moves.len(), "{} {seed}: a move is listed twice", case.spec);
        }
    });
}

#[test]
fn whatever_is_not_legal_is_refused_and_changes_nothing() {
    of_every_game(|case, rules, seed, dice| {
        let mut game = rules.start(seed);
        while let Status::ToMove(seat) = game.status() {
            let before = seen(rules, &*game);
            let mut moved = false;
            for line in attempts(rules, seat, &before.moves, dice) {
                match game.play(&line) {
                    // A move may have several texts; its normal form is in the list.
                    Ok(told) => {
                        assert!(before.moves.contains(&told.text), "{} {seed} {line:?}: {told:?}", case.spec);
                        moved = true;
                        break;
                    }
                    Err(refusal) => {
                        let why = refusal.to_string();
                        assert!(!why.is_empty() && !why.contains(char::is_control), "{line:?}: {why:?}");
                        assert_eq!(game.text(), before.text, "{} {seed} {line:?}", case.spec);
                        let listed = before.moves.iter().any(|mv| mv.as_bytes() == line);
                        assert!(!listed, "{} {seed} {line:?}: {why}", case.spec);
                    }
                }
            }
            if !moved {
                assert_eq!(seen(rules, &*game), before, "{} {seed}: a refusal changes nothing", case.spec);
                game.play(dice.one(&before.moves).as_bytes()).expect("a listed move is legal");
            }
        }
    });
}

#[test]
fn case_makes_no_difference_and_no_number_begins_with_a_zero() {
    of_every_game(|case, rules, seed, dice| {
        let mut game = rules.start(seed);
        for _ in 0..12 {
            let Status::ToMove(_) = game.status() else { return };
            let moves = game.moves();
            let mv = dice.one::<String>(&moves).clone();
            let (side, text) = mv.split_once(',').unwrap();
            for line in [
                mv.to_lowercase(),
                mv.to_uppercase(),
                format!("{},{text}", side.to_lowercase()),
                format!("{side},{}", text.to_uppercase()),
            ] {
                let read = game.read(line.as_bytes()).map(|(told, _)| told);
                assert_eq!(read.as_ref(), Ok(&mv), "{} {seed} {line}", case.spec);
            }
            // A zero before each number of the move in turn.
            let digit = |at: usize| mv.as_bytes()[at].is_ascii_digit();
            for at in (1..mv.len()).filter(|at| digit(*at) && !digit(*at - 1)) {
                let line = format!("{}0{}", &mv[..at], &mv[at..]);
                let read = game.read(line.as_bytes());
                assert!(matches!(read, Err(Refusal::Unreadable(_))), "{} {seed} {line}: {read:?}", case.spec);
            }
            game.play(mv.as_bytes()).unwrap();
        }
    });
}

/// Lines that are mostly illegal.
fn attempts(rules: &dyn Rules, to_move: Seat, moves: &[String], dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = (0..8).map(|_| mutated(dice.one::<String>(moves), moves, dice)).collect();
    lines.push((0..dice.below(40)).map(|_| dice.below(256) as u8).collect());
    lines.push(format!("{},{}", rules.seats()[to_move.index()], dice.one(STRANGE)).into_bytes());
    lines.push(dice.one(STRANGE).as_bytes().to_vec());
    lines
}

/// Moves of every game, and texts that are a move in none.
const STRANGE: &[&str] = &[
    "1,1,1,1,3,1,tea",
    "1,1,1,1,1,3,ten",
    "1,1,1,1,5,1,apple",
    "P",
    "32",
    "44",
    "55",
    "00",
    "h8",
    "a1",
    "a21",
    "d1f2-e1",
    "a3-b4",
    "a1-a1",
    "7",
    "7r2",
    "3-4",
    "3-4r7",
    "16",
    "99999999999999999999",
    "",
    ",",
    "-",
    "0,0,0,0,0,0,",
    "r",
    "𝒜1",
];

/// A legal move with one thing changed.
fn mutated(mv: &str, moves: &[String], dice: &mut Dice) -> Vec<u8> {
    let mut line = mv.as_bytes().to_vec();
    let at = dice.below(line.len());
    match dice.below(8) {
        0 => line[at] = dice.below(128) as u8,
        1 => line[at] = *dice.one(b"0123456789abcdefghijklmnopqrstuvwxyz,-rP "),
        2 => drop(line.remove(at)),
        3 => line.insert(at, line[at]),
        4 => line.insert(at, *dice.one(b"019,-+ \r\t\0\xff")),
        5 => {
            let next = (at + 1) % line.len();
            line.swap(at, next);
        }
        6 => line.truncate(at),
        _ => {
            // The beginning of one move and the end of another.
            let other = dice.one(moves).as_bytes();
            line.truncate(at);
            line.extend_from_slice(&other[at.min(other.len())..]);
        }
    }
    line
}

#[test]
fn nobody_moves_for_somebody_else() {
    of_every_game(|case, rules, seed, dice| {
        let (played, _) = random_game(case, rules, seed, dice);
        let mut game = replayed(rules, seed, &played[..dice.below(played.len() + 1)]);
        let Status::ToMove(seat) = game.status() else { return };
        let before = seen(rules, &*game);
        for mv in before.moves.iter().take(20) {
            let (_, bare) = mv.split_once(',').expect("a move stands behind its side");
            for (_, other) in (0..).zip(rules.seats()).filter(|(index, _)| *index != seat.index()) {
                let line = format!("{other},{bare}");
                let refusal = game.play(line.as_bytes());
                assert!(matches!(refusal, Err(Refusal::Illegal(_))), "{} {seed} {line}", case.spec);
            }
            assert!(matches!(game.play(bare.as_bytes()), Err(Refusal::Unreadable(_))), "{bare}");
        }
        assert_eq!(seen(rules, &*game), before);
    });
}

#[test]
fn the_same_seed_and_moves_give_the_same_game() {
    of_every_game(|case, rules, seed, dice| {
        let (played, game) = random_game(case, rules, seed, dice);
        let again = replayed(&*case.rules(), seed, &played);
        assert_eq!(seen(rules, &*again), seen(rules, &*game), "{} {seed}", case.spec);
        let same = random_game(case, rules, seed, &mut Dice::new(seed)).0;
        assert_eq!(same, played, "{} {seed}: the list of moves has no order of its own", case.spec);
    });
}

#[test]
fn a_position_reads_back_as_it_was_written() {
    of_every_game(|case, rules, seed, dice| {
        let (played, last) = random_game(case, rules, seed, dice);
        let middle = replayed(rules, seed, &played[..dice.below(played.len() + 1)]);
        for game in [rules.start(seed), middle, last] {
            let text = game.text();
            assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
            let back = rules.resume(&text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
            assert_eq!((back.text(), back.scores()), (text, game.scores()));
            if case.whole_text {
                assert_eq!(seen(rules, &*back), seen(rules, &*game), "{} {seed}", case.spec);
            }
        }
    });
}

#[test]
fn a_broken_position_is_refused_or_another_position() {
    of_every_game(|case, rules, seed, dice| {
        let (played, _) = random_game(case, rules, seed, dice);
        let text = replayed(rules, seed, &played[..dice.below(played.len() + 1)]).text();
        for _ in 0..10 {
            let Ok(broken) = String::from_utf8(mutated(&text, std::slice::from_ref(&text), dice)) else {
                continue;
            };
            match rules.resume(&broken) {
                // A text that is accepted must be a position, which reads back.
                Ok(game) => {
                    let again = rules.resume(&game.text()).expect("a game's own text reads back");
                    assert_eq!(again.text(), game.text(), "{} {broken:?}", case.spec);
                }
                Err(Refusal::Unreadable(why)) => assert!(!why.contains(char::is_control), "{why:?}"),
                Err(Refusal::Illegal(why)) => panic!("{} {broken:?}: a text is not a move: {why}", case.spec),
            }
        }
    });
}

#[test]
fn two_seats_alternate() {
    of_every_game(|case, rules, seed, dice| {
        if rules.seats().len() != 2 {
            return;
        }
        let (played, _) = random_game(case, rules, seed, dice);
        let mut game = rules.start(seed);
        for (ply, mv) in played.iter().enumerate() {
            assert_eq!(game.status(), Status::ToMove(Seat::new(ply % 2)), "{} {seed}", case.spec);
            game.play(mv.as_bytes()).expect("the move was legal before");
        }
    });
}

#[test]
fn points_add_up_to_the_scores() {
    of_every_game(|case, rules, seed, dice| {
        if !case.points_add_up {
            return;
        }
        let (played, _) = random_game(case, rules, seed, dice);
        let mut game = rules.start(seed);
        let mut sums = game.scores();
        for mv in &played {
            let Status::ToMove(seat) = game.status() else { unreachable!("the game went on before") };
            sums[seat] += game.play(mv.as_bytes()).expect("the move was legal before").points;
            assert_eq!(game.scores(), sums, "{} {seed} {mv}", case.spec);
        }
    });
}

#[test]
fn a_game_is_found_again_by_its_spec() {
    for case in cases() {
        let rules = case.rules();
        assert_eq!(rules.spec(), case.spec);
        assert!(!rules.seats().is_empty());
        assert_eq!(rules.start(7).status(), rules.start(7).status());
    }
}

#[test]
fn a_drawing_is_plain_text_and_a_move_changes_it() {
    of_every_game(|case, rules, seed, dice| {
        let (played, _) = random_game(case, rules, seed, dice);
        let mut game = rules.start(seed);
        for mv in &played {
            let before = game.draw();
            assert!(before.ends_with('\n') && before.lines().all(|line| line.chars().count() <= 110));
            let plain = |byte| byte == b'\n' || (b' '..=b'~').contains(&byte);
            assert!(before.bytes().all(plain), "{} {before}", case.spec);
            game.play(mv.as_bytes()).expect("the move was legal before");
            let is_pass = mv.ends_with(",P");
            assert_eq!(game.draw() == before, is_pass, "{} {seed} {mv}\n{before}", case.spec);
        }
    });
}

#[test]
fn a_move_is_read_as_it_is_told_and_reading_changes_nothing() {
    of_every_game(|case, rules, seed, dice| {
        let (played, _) = random_game(case, rules, seed, dice);
        let game = replayed(rules, seed, &played[..dice.below(played.len() + 1)]);
        let before = seen(rules, &*game);
        for mv in before.moves.iter().take(20) {
            let (told, number) = game.read(mv.as_bytes()).expect("a listed move is legal");
            assert_eq!(told, *mv, "{}", case.spec);
            if let Some(number) = number {
                assert_eq!(game.read_number(number).as_ref(), Ok(mv), "{} {number}", case.spec);
            }
        }
        for number in 0..40 {
            let number = number * 131;
            if let Ok(mv) = game.read_number(number) {
                assert_eq!(game.read(mv.as_bytes()), Ok((mv, Some(number))), "{}", case.spec);
            }
        }
        assert_eq!(seen(rules, &*game), before);
    });
}

#[test]
fn moves_are_counted_as_they_are_listed() {
    of_every_game(|case, rules, seed, dice| {
        if seed >= 20 {
            return;
        }
        let (played, _) = random_game(case, rules, seed, dice);
        let mut game = replayed(rules, seed, &played[..dice.below(played.len() + 1)]);
        let before = seen(rules, &*game);
        let parts = game.divide(2);
        assert_eq!(
            parts.iter().map(|(mv, _)| mv).collect::<Vec<_>>(),
            before.moves.iter().collect::<Vec<_>>()
        );
        assert_eq!(parts.iter().map(|(_, number)| number).sum::<u64>(), game.perft(2), "{}", case.spec);
        assert_eq!((game.perft(0), game.perft(1)), (1, before.moves.len() as u64));
        assert_eq!(seen(rules, &*game), before, "counting changes nothing");
    });
}
