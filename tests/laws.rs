//! The laws that every game obeys, tried on hundreds of random games. A new game adds its lines to [`cases`] and
//! to the typed laws at the end.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::path::Path;
use std::sync::{Arc, OnceLock};

use agon::game::{Game, Outcome, PerSeat, Position, Refusal, Rules, Seat, Status};
use agon::games::letters::Letters;
use agon::games::lexicon::Lexicon;
use agon::games::{Needs, find};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The games, each with the options it is tried with.
fn cases() -> Vec<Case> {
    vec![
        Case { words: FEW, ..Case::new("letters:3x3x1", 8) },
        Case { words: FEW, ..Case::new("letters:1x1x9", 8) },
        Case { words: FEW, ..Case::new("letters:4x5x2", 30) },
        Case::new("letters:4x5x2,uniform", 30),
        Case::new("letters:6x6x3", 74),
        Case::new("connect4", 42),
        Case::new("mill", 64),
        Case::new("mnk:5x4,3", 20),
    ]
}

/// One game with its options, and which laws have an exception in it.
struct Case {
    spec: &'static str,
    /// The most plies a game can have.
    longest: usize,
    /// How many random games are tried.
    games: u64,
    /// The words it is played with; empty for all of English.
    words: &'static str,
    /// Whether the one-line text holds all that decides what may be played. A rule about repetition does not.
    whole_text: bool,
    /// Whether the points of a seat's plies add up to its score. Marbles left do not.
    points_add_up: bool,
}

impl Case {
    const fn new(spec: &'static str, longest: usize) -> Self {
        Case { spec, longest, games: 200, words: "", whole_text: true, points_add_up: true }
    }

    fn rules(&self) -> Arc<dyn Rules> {
        let lexicon = if self.words.is_empty() { english() } else { lexicon(self.words) };
        find(self.spec, &Needs { lexicon: Some(lexicon) }).unwrap_or_else(|error| panic!("{error}"))
    }
}

const FEW: &str = "ate eat tea ten net one eon ion tin nit ran ear are era ore roe oar rat tar art sea sat set \
                   son sun nor not ton tone note rate tear tare east seat rose sore into rain iron noise stone \
                   ride dire oil lie lad old ail ale lea dog god run urn bit but die";

fn lexicon(words: &str) -> Arc<Lexicon> {
    Arc::new(Lexicon::parse(words.replace(' ', "\n").as_bytes()).unwrap())
}

fn english() -> Arc<Lexicon> {
    static ENGLISH: OnceLock<Arc<Lexicon>> = OnceLock::new();
    let read = || {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/words.txt");
        Arc::new(Lexicon::parse(&std::fs::read(path).unwrap()).unwrap())
    };
    ENGLISH.get_or_init(read).clone()
}

/// Calls `law` with every case and a seed for each of its games.
fn of_every_game(law: impl Fn(&Case, &dyn Rules, u64, &mut Dice)) {
    for case in cases() {
        let rules = case.rules();
        for seed in 0..case.games {
            law(&case, &*rules, seed, &mut Dice::new(seed));
        }
    }
}

/// Draws for one game.
struct Dice(ChaCha8Rng);

impl Dice {
    fn new(seed: u64) -> Self {
        Dice(ChaCha8Rng::seed_from_u64(seed ^ 0x6c61_7773))
    }

    fn below(&mut self, sides: usize) -> usize {
        (self.0.next_u64() % sides as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// All that can be seen of a game.
#[derive(PartialEq, Debug)]
struct Seen {
    text: String,
    scores: PerSeat<i32>,
    status: Status<Outcome>,
    moves: Vec<String>,
    views: Vec<String>,
}

fn seen(rules: &dyn Rules, game: &dyn Game) -> Seen {
    Seen {
        text: game.text(),
        scores: game.scores(),
        status: game.status(),
        moves: game.moves(),
        views: (0..rules.seats().len()).map(|seat| game.view(Seat::new(seat))).collect(),
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

/// A whole random game: its moves, and itself.
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
                    // A move may have more texts than one; the one it is told by is in the list.
                    Ok(told) => {
                        assert!(before.moves.contains(&told.text), "{} {seed} {line:?}: {told:?}", case.spec);
                        moved = true;
                        break;
                    }
                    Err(refusal) => {
                        let why = refusal.to_string();
                        assert!(!why.is_empty() && !why.contains(char::is_control), "{line:?}: {why:?}");
                        assert_eq!(seen(rules, &*game), before, "{} {seed} {line:?}", case.spec);
                        let listed = before.moves.iter().any(|mv| mv.as_bytes() == line);
                        assert!(!listed, "{} {seed} {line:?}: {why}", case.spec);
                    }
                }
            }
            if !moved {
                game.play(dice.one(&before.moves).as_bytes()).expect("a listed move is legal");
            }
        }
    });
}

/// Lines that are mostly no legal move.
fn attempts(rules: &dyn Rules, to_move: Seat, moves: &[String], dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = (0..8).map(|_| mutated(dice.one::<String>(moves), moves, dice)).collect();
    lines.push((0..dice.below(40)).map(|_| dice.below(256) as u8).collect());
    lines.push(format!("{},{}", rules.seats()[to_move.index()], dice.one(STRANGE)).into_bytes());
    lines.push(dice.one(STRANGE).as_bytes().to_vec());
    lines
}

/// Moves of every game, and what is a move of none.
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
                // What is read must be a position of its own, which reads back.
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

/// What holds between a position's methods, on one random game from here.
fn typed_laws<P: Position>(start: P, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut position = start;
    let (mut moves, mut after) = (Vec::new(), Vec::new());
    let look = |position: &P| {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let scores = (position.score(Seat::FIRST), position.score(Seat::SECOND));
        (position.text(), position.board(), position.status(), scores, moves)
    };
    while let Status::ToMove(seat) = position.status() {
        position.moves(&mut moves);
        let before = look(&position);
        for &mv in &moves {
            assert_eq!(position.parse(&mv.to_string()), Ok(mv));
            let undo = position.play(mv);
            assert_ne!(position.status(), Status::ToMove(seat), "{mv}: the turn passes on");
            position.moves(&mut after);
            assert_eq!(after.is_empty(), position.status().over().is_some());
            position.undo(undo);
        }
        assert_eq!(look(&position), before, "to play and to undo changes nothing");
        position.play(*dice.one(&moves));
    }
}

#[test]
fn undo_restores_the_letter_cube() {
    for (size, words) in [("3x3x1", lexicon(FEW)), ("4x5x2", lexicon(FEW)), ("4x4x4", english())] {
        let rules = Letters::with_options(size, words).unwrap();
        for seed in 0..40 {
            typed_laws(rules.position(seed), seed);
        }
    }
}
