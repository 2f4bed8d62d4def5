//! From any start, an engine can play with only its arguments and its stdin. The engines here are
//! models that see nothing else.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agon_config::Confinement;
use agon_games::{Game, Rules, Status};
use agon_match::openings::{COMMENT, Opening, Openings};
use agon_match::processes::Scratch;
use agon_match::referee;
use agon_programs::spec::EngineSpec;
use agon_protocol::{Protocol, Reply, Talk, TalkTerms};
use agon_seats::{Clock, PerSeat, SearchLimits, Seat, TimeControl};

use crate::cases::{Case, Dice, FEW, of_every_game};

/// How many random starts of each game are tried: the second number with `AGON_THOROUGH=1`.
const STARTS: [u64; 2] = [250, 1000];
/// How many plies are played from each.
const PLIES: usize = 5;

/// How an engine learns the start position.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// It takes the usual arguments and reads `lines`; it does not know `{to_move}`.
    Plain,
    /// It uses `{to_move}`.
    Asking,
    /// It uses `{position}`.
    Placed,
    /// It uses `{moves}`.
    Moved,
    /// It reads UGI.
    Ugi,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Plain, Kind::Asking, Kind::Placed, Kind::Moved, Kind::Ugi];

    fn spec(self, rules: &dyn Rules) -> EngineSpec {
        let mut spec = EngineSpec::at(Path::new("/nowhere/model")).unwrap();
        let mut usual = vec!["{side}".to_owned()];
        usual.extend(rules.settings().iter().map(|(word, _)| format!("{{{word}}}")));
        spec.arguments = match self {
            Kind::Plain => None,
            Kind::Asking => Some([usual, vec!["{to_move}".to_owned()]].concat()),
            Kind::Placed => Some(vec!["{side}".to_owned(), "{game}".to_owned(), "{position}".to_owned()]),
            Kind::Moved => Some(vec!["{side}".to_owned(), "{game}".to_owned(), "{moves}".to_owned()]),
            Kind::Ugi => Some(vec!["{game}".to_owned()]),
        };
        if self == Kind::Ugi {
            spec.protocol = Protocol::Ugi;
        }
        spec
    }
}

/// An engine: its arguments, its input, and its view of the game.
struct Model {
    kind: Kind,
    case: Case,
    arguments: Vec<String>,
    told: String,
    known: Option<Box<dyn Game>>,
    rules: Option<Arc<dyn Rules>>,
}

impl Model {
    /// The complete lines that it has not read yet.
    fn lines(&mut self) -> Vec<String> {
        let end = self.told.rfind('\n').map_or(0, |at| at + 1);
        self.told.drain(..end).collect::<String>().lines().map(str::to_owned).collect()
    }

    fn rules(&mut self, spec: &str) -> Arc<dyn Rules> {
        self.rules = Some(Case { spec: spec.to_owned().leak(), ..self.case }.rules());
        self.rules.clone().unwrap()
    }

    /// Reads its input so far.
    fn read(&mut self) {
        let mut lines = self.lines().into_iter();
        if self.kind == Kind::Ugi {
            return lines.for_each(|line| self.ordered(&line));
        }
        if self.known.is_none() {
            let Some(first) = lines.next() else { return };
            self.known = Some(self.board(&first, &mut lines));
        }
        for line in lines {
            let game = self.known.as_mut().unwrap();
            game.play(line.as_bytes()).unwrap_or_else(|why| panic!("{} told {line}: {why}", game.text()));
        }
    }

    /// The position of a board file, known only from the file and the arguments.
    fn board(&mut self, first: &str, lines: &mut impl Iterator<Item = String>) -> Box<dyn Game> {
        let sizes: Vec<usize> = first.split(' ').filter_map(|size| size.parse().ok()).collect();
        let mut rows = |count: usize| lines.take(count).collect::<Vec<_>>();
        let game = self.case.spec.split(':').next().unwrap();
        let own = &self.arguments[1..];
        let (spec, text) = match (game, &sizes[..]) {
            ("letters", &[rows_, columns, planes]) => {
                let size = format!("{rows_}x{columns}x{planes}");
                let rows = rows(rows_ * planes).join("/");
                // White begins by the rules, unless an argument says otherwise.
                let side =
                    if self.kind == Kind::Asking { own.last().unwrap().to_lowercase() } else { "w".into() };
                (format!("letters:{size}"), format!("{size} {rows} {side} 0 0 0"))
            }
            ("mill", _) => {
                ("mill".to_owned(), rows(16).chunks(4).map(<[_]>::concat).collect::<Vec<_>>().join("/"))
            }
            ("mnk", &[columns, rows_, k]) => {
                // Before the last argument, one if O begins, and one if another line than the usual
                // wins.
                let options: String = own
                    .get(3..own.len() - 1)
                    .unwrap_or_default()
                    .iter()
                    .map(|word| if word == "O" { ",first=O".to_owned() } else { format!(",{word}") })
                    .collect();
                (format!("mnk:{columns}x{rows_},{k}{options}"), rows(rows_).join("/"))
            }
            ("connect4", &[_, rows_, _]) => ("connect4".to_owned(), rows(rows_).join("/")),
            // Its board is the FEN.
            ("chess", _) => (self.case.spec.to_owned(), first.to_owned()),
            ("abalone", _) => {
                let (board, side) = (rows(8).join("/"), lines.next().unwrap().to_lowercase());
                ("abalone".to_owned(), format!("{first}/{board} {side}"))
            }
            ("morris", _) => {
                let (rows_, men) =
                    if ["9", "morris:nine"].contains(&&*own[0]) { (6, "morris:nine") } else { (4, "morris") };
                let board = rows(rows_).concat();
                (men.to_owned(), format!("{first}{board} {}", lines.next().unwrap()))
            }
            _ => panic!("{game}: {first:?} is no board"),
        };
        if self.kind == Kind::Placed {
            let (spec, text) = (own[0].clone(), own[1].clone());
            return self.rules(&spec).resume(&text).unwrap();
        }
        if self.kind == Kind::Moved {
            let (spec, moves) = (own[0].clone(), own[1].clone());
            let rules = self.rules(&spec);
            let mut game = rules.resume("startpos").unwrap();
            agon_games::play_all(&mut *game, rules.seats(), moves.split_whitespace()).unwrap();
            // The game begins here: a rule about repetition ignores the moves before.
            return rules.resume(&game.text()).unwrap();
        }
        self.rules(&spec).resume(&text).unwrap_or_else(|why| panic!("{spec} {text}: {why}"))
    }

    /// A line of UGI.
    fn ordered(&mut self, line: &str) {
        let Some(position) = line.strip_prefix("position ") else { return };
        let (at, moves) = position.split_once(" moves ").unwrap_or((position, ""));
        let spec = self.arguments[0].clone();
        let rules = self.rules(&spec);
        let mut game = rules.resume(at.strip_prefix("fen ").unwrap_or(at)).unwrap();
        agon_games::play_all(&mut *game, rules.seats(), moves.split_whitespace()).unwrap();
        self.known = Some(game);
    }

    /// Its answer, when it is certain of its turn.
    fn answer(&mut self, dice: &mut Dice) -> String {
        self.read();
        let rules = self.rules.clone().expect("it has been told the board");
        let game = self.known.as_mut().expect("it has been told the board");
        let Status::ToMove(seat) = game.status() else {
            panic!("{}: it thinks the game is over", game.text())
        };
        let side = rules.seats()[seat.index()];
        let moves = game.moves();
        // It does not know whether there was a pass before, and two passes would end the game.
        let words: Vec<String> = moves.into_iter().filter(|mv| !mv.ends_with(",P")).collect();
        let mv = dice.one(&words).clone();
        if self.kind == Kind::Ugi {
            return format!("bestmove {}", mv.split_once(',').unwrap().1);
        }
        // In `lines` its first argument is its side.
        assert_eq!(side, self.arguments[0], "{}: it does not think that it is its turn", game.text());
        game.play(mv.as_bytes()).unwrap();
        mv
    }
}

/// The referee's part of the conversation, without a process.
struct Told<'a> {
    case: &'a Case,
    rules: &'a dyn Rules,
    specs: &'a PerSeat<EngineSpec>,
    kinds: [Kind; 2],
    scratch: &'a Scratch,
    /// The moves that lead to the start.
    opening: Option<Vec<String>>,
}

impl Told<'_> {
    fn sit(&self, seat: Seat, game: &dyn Game, moves: Option<&[String]>) -> (Box<dyn Talk>, Model) {
        let engine = &self.specs[seat];
        let start = referee::start(self.rules, engine, seat, game, moves);
        let own = self.scratch.directory("model", "", Vec::new()).unwrap();
        let control = TimeControl::PerMove(Duration::from_secs(1));
        let confined = Confinement::default();
        let words = referee::GameWords { position: game.text(), seed: 1 };
        let setup = referee::setup(self.rules, engine, &start, control, &own, &confined, words).unwrap();
        let mut talk = engine.protocol.talk(&TalkTerms {
            windows: false,
            console: None,
            start,
            begun: false,
            options: &engine.options,
            words: &engine.words,
            search: SearchLimits::default(),
            ponders: false,
            announced: &[],
            control,
            memory: 1 << 30,
            directory: own.path().to_owned(),
        });
        let words = setup.arguments.iter().skip(1);
        for line in ["ugiok", "readyok"] {
            if talk.awaits().is_some() {
                talk.hear(line.as_bytes().to_vec());
            }
        }
        let model = Model {
            kind: self.kinds[seat.index()],
            case: Case { ..*self.case },
            arguments: words.map(|word| word.to_str().unwrap().to_owned()).collect(),
            told: String::from_utf8(talk.greeting()).unwrap(),
            known: None,
            rules: None,
        };
        (talk, model)
    }

    /// Plays a few plies from here; every move of a model must be legal.
    fn play(&self, mut game: Box<dyn Game>, dice: &mut Dice) {
        let control = TimeControl::PerMove(Duration::from_secs(1));
        let clocks = PerSeat::from_fn(2, |_| Clock::new(control, Duration::ZERO, Duration::ZERO));
        let mut seated = PerSeat::from_fn(2, |seat| {
            let engine = &self.specs[seat];
            let start = referee::start(self.rules, engine, seat, &*game, None);
            (!engine.protocol.joins_late(&start)).then(|| self.sit(seat, &*game, self.opening.as_deref()))
        });
        let mut moves = self.opening.clone();
        for _ in 0..PLIES {
            let Status::ToMove(seat) = game.status() else { return };
            let (talk, model) = seated[seat].get_or_insert_with(|| self.sit(seat, &*game, moves.as_deref()));
            model.told.push_str(std::str::from_utf8(talk.question(&clocks)).unwrap());
            let said = model.answer(dice);
            let Reply::Move(line) = talk.hear(said.clone().into_bytes()) else {
                panic!("{said} is no answer")
            };
            let at = game.text();
            let played = game
                .play(&line)
                .unwrap_or_else(|why| panic!("{} {:?} at {at}: {said}: {why}", self.case.spec, self.kinds));
            if let Some(moves) = &mut moves {
                moves.push(played.text.clone());
            }
            for (_, other) in seated.iter_mut() {
                if let Some((talk, model)) = other {
                    model.told.push_str(std::str::from_utf8(talk.played(seat, &played.text)).unwrap());
                }
            }
        }
    }
}

fn hold(spec: &'static str, plies: usize) {
    let case = Case { words: FEW, ..Case::new(spec, 0) };
    let rules = case.rules();
    let home = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(&home.path().join("scratch")).unwrap();
    let mut second_begins = 0;
    let starts = STARTS[usize::from(std::env::var_os("AGON_THOROUGH").is_some())];
    for seed in 0..starts {
        let mut dice = Dice::new(seed);
        let openings = Openings::from_start(u32::try_from(dice.below(plies)).unwrap());
        let Opening { game, moves: opening } = openings.begin(&*rules, seed, 1);
        if game.moves().is_empty() {
            continue; // a board without a word
        }
        second_begins += u64::from(game.to_move() == Seat::SECOND);
        for kind in Kind::ALL {
            for other in [kind, Kind::ALL[dice.below(Kind::ALL.len())]] {
                let kinds = [kind, other];
                // The start of a board that was drawn has no moves that lead to it.
                if rules.resume("startpos").is_err() && kinds.contains(&Kind::Moved) {
                    continue;
                }
                let specs = PerSeat::two(kinds[0].spec(&*rules), kinds[1].spec(&*rules));
                let told = Told {
                    case: &case,
                    rules: &*rules,
                    specs: &specs,
                    kinds,
                    scratch: &scratch,
                    opening: opening.clone(),
                };
                told.play(rules.resume(&game.text()).unwrap(), &mut dice);
            }
        }
    }
    assert!(second_begins > starts / 4, "{spec}: the second seat is to move in {second_begins} starts");
}

#[test]
fn who_knows_only_what_it_is_told_plays_letters_from_any_start() {
    hold("letters:5x5x3", 6);
}

#[test]
#[ignore = "slow"]
fn who_knows_only_what_it_is_told_plays_stones_from_any_start() {
    for (spec, plies) in [
        ("mill", 40),
        ("connect4", 30),
        ("mnk:3x3,3", 6),
        ("mnk:7x5,4,first=O", 20),
        ("mnk:7x5,4,first=O,exact", 20),
    ] {
        hold(spec, plies);
    }
}

#[test]
fn who_knows_only_what_it_is_told_plays_abalone_from_any_start() {
    hold("abalone", 60);
}

#[test]
fn who_knows_only_what_it_is_told_plays_chess_from_any_start() {
    for spec in ["chess", "chess:960"] {
        hold(spec, 60);
    }
}

#[test]
#[ignore = "slow"]
fn who_knows_only_what_it_is_told_plays_morris_from_any_start() {
    for (spec, plies) in [("morris", 50), ("morris:nine", 60)] {
        hold(spec, plies);
    }
}

#[test]
fn every_start_and_every_position_survives_a_file_of_openings() {
    of_every_game(|case, rules, seed, dice| {
        let mut texts = Vec::new();
        let mut game = rules.start(seed);
        while let Status::ToMove(_) = game.status() {
            // The start, and some positions on the way.
            if texts.is_empty() || dice.below(8) == 0 {
                texts.push(game.text());
            }
            game.play(dice.one(&game.moves()).as_bytes()).unwrap();
        }
        let file = format!("; a comment\n\n{}\n", texts.join("\n; another\r\n"));
        if texts.is_empty() {
            return; // a board without a word
        }
        let openings =
            Openings::parse(&file, rules, 0).unwrap_or_else(|why| panic!("{}: {why}\n{file}", case.spec));
        assert_eq!(openings.parts().0, texts, "{}", case.spec);
        for (pair, text) in (1..).zip(&texts) {
            assert_eq!(openings.begin(rules, seed, pair).game.text(), *text, "{}", case.spec);
        }
    });
}

#[test]
fn no_position_and_no_move_begins_as_a_comment_does() {
    of_every_game(|case, rules, seed, _| {
        let game = rules.start(seed);
        let moves = game.moves();
        let texts =
            moves.iter().map(|mv| mv.split_once(',').unwrap().1).chain(moves.iter().map(String::as_str));
        for text in texts.chain([game.text().as_str()]) {
            assert!(!text.starts_with(COMMENT), "{} {text}", case.spec);
        }
        let why = rules.resume(&format!("{COMMENT}{}", game.text())).err();
        assert!(why.is_some(), "{}: a position may begin with {COMMENT}", case.spec);
    });
}
