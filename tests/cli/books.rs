//! The opening books: every opening is playable, nearly even and unlike the others, and runs begin
//! with them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use agon_games::{Needs, Status};

use super::home::{Home, programs, root};

/// The books: the file, the game, and how deep the engine looks here.
const BOOKS: [(&str, &str, u32); 7] = [
    ("abalone", "abalone", 2),
    ("connect4", "connect4", 4),
    ("mill", "mill", 3),
    ("mnk-3x3-3", "mnk:3x3,3", 5),
    ("mnk-15x15-5", "mnk:15x15,5", 2),
    ("morris", "morris", 3),
    ("morris-nine", "morris:nine", 2),
];

/// The openings of a book, as moves.
fn openings(book: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(format!("books/{book}.txt"))).unwrap();
    text.lines().filter(|line| !line.starts_with(';')).map(str::to_owned).collect()
}

/// Two engines that move at once.
fn home() -> Home {
    let home = Home::new();
    for name in ["one", "other"] {
        let program = programs().join("agon-mover");
        home.put(
            format!("engines/{name}/engine.toml"),
            format!("command = [{program:?}]\nprotocol = \"ugi\"\nargs = [\"{{game}}\", \"ugi\"]\n"),
        );
    }
    home
}

/// The positions where the games of the last run began.
fn starts(home: &Home) -> Vec<String> {
    let events = home.read("events");
    let events = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let over = events.filter(|event| event["event"] == "game_over");
    over.map(|event| event["record"]["start"].as_str().unwrap().to_owned()).collect()
}

/// A board of rows, or of planes of four rows, in the eight symmetries of a square; of another
/// board, in its mirror image.
fn images(game: &str, text: &str) -> BTreeSet<String> {
    let text = text.split(' ').next().unwrap();
    let planes: Vec<Vec<Vec<u8>>> = match game {
        "mill" => {
            text.split('/').map(|plane| plane.as_bytes().chunks(4).map(<[u8]>::to_vec).collect()).collect()
        }
        _ => vec![text.split('/').map(|row| row.as_bytes().to_vec()).collect()],
    };
    let mirrored = |planes: &Vec<Vec<Vec<u8>>>| -> Vec<Vec<Vec<u8>>> {
        let row = |row: &Vec<u8>| row.iter().rev().copied().collect();
        planes.iter().map(|plane| plane.iter().map(row).collect()).collect()
    };
    let turned = |planes: &Vec<Vec<Vec<u8>>>| -> Vec<Vec<Vec<u8>>> {
        let plane = |plane: &Vec<Vec<u8>>| {
            (0..plane.len()).map(|x| plane.iter().rev().map(|row| row[x]).collect()).collect()
        };
        planes.iter().map(plane).collect()
    };
    let mut found = BTreeSet::new();
    let mut at = planes;
    for _ in 0..if game == "connect4" { 1 } else { 4 } {
        found.insert(format!("{at:?}"));
        found.insert(format!("{:?}", mirrored(&at)));
        at = if game == "connect4" { at } else { turned(&at) };
    }
    found
}

#[test]
fn every_opening_of_a_book_is_playable_and_unlike_the_others_even_in_a_mirror() {
    for (book, game, _) in BOOKS {
        let rules = agon_games::find(game, &Needs::default()).unwrap();
        let lines = openings(book);
        assert!((20..=60).contains(&lines.len()), "{book}: {}", lines.len());
        let (mut seen, mut to_move) = (BTreeSet::new(), BTreeSet::new());
        for line in &lines {
            let position = agon_match::openings::read(line, rules.as_ref()).unwrap().game;
            let Status::ToMove(seat) = position.status() else { panic!("{book}: {line}: the game is over") };
            to_move.insert(seat.index());
            if ["abalone", "morris", "morris-nine"].contains(&book) {
                assert!(seen.insert(position.text()), "{book}: {line}");
                continue;
            }
            for image in images(game, &position.text()) {
                assert!(seen.insert(image), "{book}: {line} is in it twice");
            }
        }
        assert_eq!(to_move.len(), 2, "{book}");
    }
}

#[test]
fn the_engine_finds_every_opening_of_a_book_nearly_even() {
    for (book, game, depth) in BOOKS {
        let mut engine = Command::new(programs().join("agon-alphabeta"))
            .args([game, "ugi"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut to = engine.stdin.take().unwrap();
        let mut from = BufReader::new(engine.stdout.take().unwrap()).lines().map(Result::unwrap);
        for moves in openings(book) {
            writeln!(to, "uginewgame\nposition startpos moves {moves}\ngo depth {depth}").unwrap();
            let said: Vec<String> = from.by_ref().take_while(|line| !line.starts_with("bestmove")).collect();
            let score = |line: &String| {
                let score = line.split(" score cp ").nth(1)?;
                score.split(' ').next()?.parse::<i32>().ok()
            };
            // A move of its own is worth something to each side: the mean of two depths leaves that
            // out.
            let last: Vec<i32> = said
                .iter()
                .rev()
                .filter(|line| line.contains(" score "))
                .take(2)
                .map(|line| score(line).unwrap_or_else(|| panic!("{book}: {moves}: {line}")))
                .collect();
            // A man is worth 100, and so shallow a search overlooks that it is lost again.
            assert!(last.iter().sum::<i32>().abs() <= 2 * 150, "{book}: {moves}: {last:?}");
            assert!(!last.is_empty(), "{book}: {moves}: {said:?}");
        }
        drop(to);
        engine.wait().unwrap();
    }
}

#[test]
#[ignore = "slow"]
fn games_begin_with_the_book_in_an_order_of_the_seed_until_it_is_used_up() {
    let home = home();
    let play = |words: &str| {
        let words = format!("match engines/one engines/other --max-plies 1 --events events {words}");
        let said = home.agon(words.split_whitespace());
        assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
        (starts(&home), said)
    };
    for (book, game, _) in BOOKS {
        let rules = agon_games::find(game, &Needs::default()).unwrap();
        let all: BTreeSet<String> = openings(book)
            .iter()
            .map(|line| agon_match::openings::read(line, rules.as_ref()).unwrap().game.text())
            .collect();
        let (begun, said) = play(&format!("--game {game} --openings book --games 6 --seed 1 --out {book}"));
        assert!(begun.iter().all(|start| all.contains(start)), "{game}: {begun:?}");
        assert_eq!(begun.iter().collect::<BTreeSet<_>>().len(), 3, "{game}: {begun:?}");
        assert!(!said.out().contains("random plies"), "{}", said.all());
        let verified = home.agon(["verify", book]);
        assert_eq!(verified.code, Some(0), "{}", verified.all());
        let (other, _) = play(&format!("--game {game} --openings book --games 6 --seed 2"));
        assert_ne!(begun, other, "{game}");
    }
    let count = openings("connect4").len();
    let words = format!("--game connect4 --openings book --games {} --seed 1", 2 * count + 2);
    let (begun, said) = play(&words);
    assert_eq!(begun.iter().collect::<BTreeSet<_>>().len(), count, "{}", said.all());
    assert!(
        said.out().contains(&format!("the openings are used up after {} games", 2 * count)),
        "{}",
        said.all()
    );
}

#[test]
fn a_file_asks_for_the_book_by_its_name_and_for_a_file_of_that_name_by_a_path() {
    let home = home();
    home.put("cup/book", "4 4 4\n");
    for (value, ply) in [("book", None), ("./book", Some("......./......./......./...X.../...O.../...X..."))]
    {
        home.put(
            "cup/tournament.toml",
            format!(
                "engines = \"../engines\"\ngame = \"connect4\"\ngames = 2\nmax-plies = 1\nseed = 1\n\
                 openings = \"{value}\"\nout = \"{}\"\nevents = \"../events\"\n",
                if ply.is_some() { "file" } else { "built-in" }
            ),
        );
        let said = home.agon(["tournament", "cup/tournament.toml"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        let begun = starts(&home);
        assert!(ply.is_none_or(|ply| begun.iter().all(|start| start == ply)), "{value}: {begun:?}");
        let rules = agon_games::find("connect4", &Needs::default()).unwrap();
        let in_book = openings("connect4")
            .iter()
            .any(|line| agon_match::openings::read(line, rules.as_ref()).unwrap().game.text() == begun[0]);
        assert_eq!(in_book, ply.is_none(), "{value}: {begun:?}");
    }
}

#[test]
fn a_game_without_a_book_is_refused_with_those_that_have_one() {
    let home = home();
    for game in ["mnk:5x5,4", "letters", "morris:flying=no"] {
        let words = format!("match engines/one engines/other --game {game} --openings book");
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "{game}\n{}", said.all());
        for words in [" has no opening book; abalone, connect4, mill, mnk:3x3,3, ", "--openings", "hint: "] {
            assert!(said.err().contains(words), "{game}: {words}\n{}", said.all());
        }
    }
}
