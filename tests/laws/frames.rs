//! Laws of diagrams and frames: what a frame changes is what the ply changes, in every game from
//! every start.

use std::collections::BTreeSet;

use agon_diagram::{BadFrames, Film, Frame, MOST_SLOTS, SlotContent};
use agon_games::{Needs, Rules, Unfilmed, film, find};
use agon_seats::Refusal;

use crate::cases::{Case, Dice, cases, english};
use crate::{random_game, replayed};

/// Random games of each case. They need fewer than the other laws, as each has many plies.
const GAMES: u64 = 6;

/// Calls `law` with the text of a start position, the plies from there, and their film.
fn of_every_film(law: impl Fn(&Case, &dyn Rules, &str, &[String], &Film, &mut Dice)) {
    for case in cases() {
        let rules = case.rules();
        for seed in 0..case.games.min(GAMES) {
            let mut dice = Dice::new(seed);
            let (played, _) = random_game(&case, &*rules, seed, &mut dice);
            // From the start, and from somewhere in the middle.
            for skipped in [0, dice.below(played.len() + 1)] {
                let start = replayed(&*rules, seed, &played[..skipped]).text();
                // A text does not hold the earlier positions, so such a game may end sooner there.
                let mut game = rules.resume(&start).unwrap();
                let plies: Vec<String> = played[skipped..]
                    .iter()
                    .map_while(|mv| game.play(mv.as_bytes()).ok().map(|_| mv.clone()))
                    .collect();
                let made = film(&*rules, &start, plies.iter().map(String::as_str)).unwrap();
                law(&case, &*rules, &start, &plies, &made, &mut dice);
            }
        }
    }
}

#[test]
fn a_frame_makes_the_contents_before_a_ply_those_after_it() {
    of_every_film(|case, rules, start, plies, film, _| {
        let mut game = rules.resume(start).unwrap();
        let mut contents = film.start.clone();
        assert_eq!(contents, game.contents(), "{}", case.spec);
        assert_eq!(contents.len(), film.diagram.slots.len(), "{}", case.spec);
        for (mv, frame) in plies.iter().zip(&film.frames) {
            let before = contents.clone();
            game.play(mv.as_bytes()).unwrap();
            frame.apply(&mut contents).unwrap();
            assert_eq!(contents, game.contents(), "{} {start} {mv}: {frame}", case.spec);
            assert_eq!(game.diagram().as_ref(), Some(&film.diagram), "{}", case.spec);
            nothing_superfluous(case, frame, &before, &contents);
        }
        assert_eq!(film.frames.len(), plies.len());
    });
}

#[test]
fn a_word_is_marked_where_it_stands_and_no_other_move_takes_away_what_it_marks() {
    of_every_film(|case, _, _, plies, film, _| {
        let mut contents = film.start.clone();
        for (mv, frame) in plies.iter().zip(&film.frames) {
            let is_word = case.spec.starts_with("letters") && !frame.marks.is_empty();
            assert_eq!(frame.takes_what_it_marks(&contents), is_word, "{} {mv}: {frame}", case.spec);
            if is_word {
                let text = |slot: &usize| match &contents[*slot] {
                    SlotContent::Text(letter) => letter.clone(),
                    other => panic!("{} {mv}: {other:?} is marked", case.spec),
                };
                let mut marked: Vec<String> = frame.marks.iter().map(text).collect();
                // The letters of a word may stand in any order.
                marked.sort();
                let word = mv.rsplit(',').next().unwrap().to_lowercase();
                let mut letters: Vec<String> = word.chars().map(String::from).collect();
                letters.sort();
                assert_eq!(marked, letters, "{} {mv}", case.spec);
            }
            frame.apply(&mut contents).unwrap();
        }
    });
}

/// Every slot that a frame changes is another one afterwards, or a piece of the same kind slid
/// over.
fn nothing_superfluous(case: &Case, frame: &Frame, before: &[SlotContent], after: &[SlotContent]) {
    let spec = case.spec;
    for (slot, content) in &frame.changes {
        assert_ne!(before[*slot], *content, "{spec} {frame}: slot {slot} changes");
    }
    for (from, to) in &frame.slides {
        // A slide from an empty slot brings a new piece, which is among the changes.
        if before[*from] == SlotContent::Empty {
            assert!(frame.changes.iter().any(|(slot, _)| slot == to), "{spec} {frame}");
        } else {
            assert_eq!(after[*to], before[*from], "{spec} {frame}");
        }
    }
    let moved = before != after;
    assert_eq!(frame.marks.is_empty(), !moved, "{spec} {frame}: only a pass has no marks");
    let marked: BTreeSet<&usize> = frame.marks.iter().collect();
    assert_eq!(marked.len(), frame.marks.len(), "{spec} {frame}: a mark stands twice");
    let one = |slot: &usize| &after[*slot];
    assert!(frame.row.iter().all(|slot| one(slot) == one(&frame.row[0])), "{spec} {frame}");
    assert!(frame.row.iter().all(|slot| *one(slot) != SlotContent::Empty), "{spec} {frame}");
}

#[test]
fn the_row_is_shown_exactly_when_a_line_has_won() {
    of_every_film(|case, rules, start, plies, film, _| {
        let mut game = rules.resume(start).unwrap();
        let lines = ["connect4", "mill", "mnk"].iter().any(|name| case.spec.starts_with(name));
        for (mv, frame) in plies.iter().zip(&film.frames).filter(|_| lines) {
            let seat = game.to_move();
            game.play(mv.as_bytes()).unwrap();
            // A seat that has lost by its own move has made no line.
            let won = game.scores()[seat] > 0;
            assert_eq!(!frame.row.is_empty(), won, "{} {mv}: {frame}", case.spec);
        }
    });
}

#[test]
fn a_line_of_a_ply_is_short_and_its_caption_names_the_side() {
    for case in cases() {
        let rules = case.rules();
        let (mut bytes, mut frames) = (0, 0);
        for seed in 0..case.games.min(GAMES) {
            let start = rules.start(seed).text();
            let (played, _) = random_game(&case, &*rules, seed, &mut Dice::new(seed));
            for (ply, frame) in
                film(&*rules, &start, played.iter().map(String::as_str)).unwrap().frames.iter().enumerate()
            {
                let side = rules.seats()[ply % 2];
                assert!(frame.caption.starts_with(&format!("{side} ")), "{}: {frame}", case.spec);
                bytes += frame.to_string().len();
                frames += 1;
            }
        }
        let average = bytes / frames.max(1);
        assert!(average <= 90, "{}: {average} bytes a ply on average", case.spec);
    }
}

#[test]
fn the_text_of_a_film_reads_back() {
    of_every_film(|case, _, start, _, film, _| {
        let text = film.to_string();
        assert_eq!(text.parse().as_ref(), Ok(film), "{} {start}\n{text}", case.spec);
        assert_eq!(film.diagram.to_string().parse().as_ref(), Ok(&film.diagram), "{}", case.spec);
        for frame in &film.frames {
            assert_eq!(frame.to_string().parse().as_ref(), Ok(frame), "{}", case.spec);
        }
    });
}

/// Bytes that stand in the format, and others.
const SIGNS: &[u8] = b"0123456789 >=*!|.\"\n\r\t-+x\x00\x1b\xc3\xff\xe2\x80\xae";

#[test]
fn a_broken_film_is_refused_with_its_place_or_is_another_film() {
    of_every_film(|case, _, _, _, film, dice| {
        let text = film.to_string().into_bytes();
        for _ in 0..20 {
            let mut broken = text.clone();
            for _ in 0..=dice.below(3) {
                let at = dice.below(broken.len());
                match dice.below(4) {
                    0 => broken[at] = *dice.one(SIGNS),
                    1 => broken.insert(at, *dice.one(SIGNS)),
                    2 => drop(broken.remove(at)),
                    _ => broken.truncate(at.max(1)),
                }
            }
            let broken = String::from_utf8_lossy(&broken);
            match broken.parse::<Film>() {
                // What was read is sound: it can be applied and written without another check.
                Ok(film) => {
                    let mut contents = film.start.clone();
                    assert!(film.frames.iter().all(|frame| frame.apply(&mut contents).is_ok()));
                    assert_eq!(film.to_string().parse().as_ref(), Ok(&film), "{}\n{broken}", case.spec);
                }
                Err(BadFrames { line, character, why }) => {
                    assert!(line <= broken.lines().count() + 1 && character > 0, "{why}");
                    assert!(!why.contains(char::is_control), "{why:?}");
                }
            }
        }
    });
}

#[test]
fn random_bytes_are_no_frame_and_no_panic() {
    let mut dice = Dice::new(5);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..dice.below(30))
            .map(|_| if dice.below(9) == 0 { dice.below(256) as u8 } else { *dice.one(SIGNS) })
            .collect();
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(frame) = text.parse::<Frame>() {
            assert_eq!(frame.to_string().parse(), Ok(frame), "{text:?}");
        }
        assert!(text.parse::<Film>().is_err(), "{text:?}");
    }
}

/// The last line of the film of these plies from a position.
fn last_line(spec: &str, start: &str, plies: &str) -> String {
    let rules = find(spec, &Needs { lexicon: Some(english()) }).unwrap();
    let film = film(&*rules, start, plies.split_whitespace()).unwrap();
    film.frames.last().unwrap().to_string()
}

#[test]
fn each_kind_of_ply_has_its_line() {
    for (spec, start, plies, line) in [
        ("connect4", "startpos", "4", "3>38 38=1 *38|X drops a stone into column 4"),
        (
            "connect4",
            "startpos",
            "1 2 1 2 1 2 1",
            "0>14 14=1 *14 !14 !21 !28 !35|X drops a stone into column 1: four in a line",
        ),
        // Into the top cell nothing falls.
        ("connect4", "startpos", "1 1 1 1 1 1", "0=2 *0|O drops a stone into column 1"),
        ("chess", "startpos", "e2e4", "52>36 *52 *36|W moves the pawn from e2 to e4"),
        (
            "chess",
            "startpos",
            "e4 e5 Qh5 Ke7 Qxe5",
            "31>28 *31 *28 !12|W takes the pawn on e5 with the queen from h5, check: checkmate",
        ),
        (
            "chess",
            "4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1",
            "e4 fxe3",
            "37>44 36=. *37 *44|B takes a pawn en passant with the pawn from f4 to e3",
        ),
        (
            "chess",
            "7k/P7/8/8/8/8/8/K7 w - - 0 1",
            "a7a8r",
            "8=. 0=\"\u{2656} *8 *0 !7|W moves the pawn from a7 to a8 and makes it a rook, check",
        ),
        (
            "chess",
            "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "e1c1",
            "60>58 56>59 *60 *58|W castles long, the king from e1 to c1",
        ),
        (
            "chess:960",
            "4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
            "f1g1",
            "61>62 62>61 *61 *62|W castles short, the king from f1 to g1",
        ),
        (
            "chess:960",
            "k7/8/8/8/8/8/8/6KR w K - 0 1",
            "O-O",
            "63>61 *62|W castles short, the king from g1 to g1",
        ),
        ("mill", "startpos", "32 32", "54>22 22=2 *22|B drops a ball to x=3 y=2 z=2"),
        ("mnk:3x3,3", "startpos", "a1", "6=1 *6|X puts a mark on a1"),
        (
            "mnk:5x4,3,first=O",
            "startpos",
            "b2 a1 c2 a2 d2",
            "13=1 *13 !11 !12 !13|O puts a mark on d2: a line of k or more",
        ),
        (
            "mnk:7x7,5,renju",
            "startpos",
            "c3 a1 d3 a7 b4 g1 b5 g7 b3",
            "29=1 *29|X puts a mark on b3: a forbidden double three",
        ),
        ("mnk:1x1,1", "startpos", "a1", "0=1 *0 !0|X puts a mark on a1: a line of k or more"),
        ("abalone", "startpos", "h1-g1", "50>43 *43 *50|B moves h1 to g1"),
        (
            "abalone",
            "startpos",
            "g3g5-f4",
            "45>38 46>39 47>40 *38 *39 *40 *45 *46 *47|B shifts g3-g5 to f4-f6",
        ),
        (
            "abalone",
            "#####/#####./......./......../###OO..../......../......./OOOOO./OOOOO b",
            "e1e3-e2",
            "26>27 27>28 28>29 29>30 30>31 *26 *29|B pushes e1-e3 to e2-e4 and 2 marbles of W",
        ),
        (
            "abalone",
            "#####/#####./......./......../....###OO/......../......./OOOOO./OOOOO b",
            "e5e7-e6",
            "30>31 31>32 32>33 33>34 *30 *33|B pushes e5-e7 to e6-e8 and 2 marbles of W, one off the board",
        ),
        (
            "abalone",
            "#####/#####./......./......../......##O/......../......./OOOOO./OOOO. b",
            "e7e8-e8",
            "32>33 33>34 *32 *34|B pushes e7-e8 to e8-e9 and a marble of W off the board",
        ),
        (
            "abalone",
            "#####/#####./......./......../##......./......../......./OOOOO./OOOO. b",
            "e1e2-e2",
            "26>27 27>28 *26 *28|B moves e1-e2 to e2-e3",
        ),
        ("morris", "startpos", "0", "0=1 *0|X puts a man on 0"),
        (
            "morris",
            "XX.......OO..... x 4 4",
            "2r9",
            "2=1 9=. *2 !0 !1 !2|X puts a man on 2, closes a mill and takes 9",
        ),
        ("morris", "XX..........OO.. x 1 1", "5", "5=1 *5|X puts its last man on 5; X may fly now"),
        (
            "morris",
            "XX...X....OO.OO. x 0 0",
            "5-2r10",
            "5>2 10=. *5 *2 !0 !1 !2|X flies from 5 to 2, closes a mill and takes 10; O may fly now",
        ),
        (
            "letters:3x3x2",
            "3x3x2 tea/___/___/x__/___/___ w 0 0 0",
            "1,1,1,1,3,1,tea",
            "9>0 1=. 2=. *0 *1 *2|W plays TEA for 3 points in row 1: no word is left",
        ),
        (
            "letters:1x1x4",
            "1x1x4 t/e/a/x w 0 0 0",
            "1,1,1,1,1,3,tea",
            "3>0 1=. 2=. *0 *1 *2|W plays TEA for 3 points down from 1,1: no word is left",
        ),
        (
            "letters:1x1x6",
            "1x1x6 t/e/a/t/e/n b 0 0 0",
            "P 1,1,1,1,1,3,eat",
            "3>0 4>1 5>2 *0 *1 *2|W plays EAT for 3 points down from 1,1",
        ),
        ("letters:1x1x6", "1x1x6 t/e/a/t/e/n b 0 0 0", "P P", "|W passes: two passes in a row"),
        (
            "mill",
            "startpos",
            "11 12 11 12 11 12 11",
            "48=1 *48 !0 !16 !32 !48|W drops a ball to x=1 y=1 z=4: four in a line",
        ),
        (
            "letters:3x3x1",
            "3x3x1 tea/e__/a__ w 0 0 0",
            "1,1,1,3,1,1,tea",
            "0=. 3=. 6=. *0 *3 *6|W plays TEA for 3 points in column 1: no word is left",
        ),
    ] {
        assert_eq!(last_line(spec, start, plies), line, "{spec} {start} {plies}");
    }
}

#[test]
fn a_board_that_is_too_large_has_no_diagram() {
    let rules = |spec| find(spec, &Needs { lexicon: Some(english()) }).unwrap();
    let large = rules("letters:20x20x6");
    let start = large.start(1).text();
    assert!(large.start(1).diagram().is_none());
    assert_eq!(film(&*large, &start, []), Err(Unfilmed::TooLarge));
    let largest = rules("letters:20x20x5").start(1).diagram().unwrap();
    assert_eq!(largest.slots.len(), MOST_SLOTS);
}

#[test]
fn a_film_names_the_illegal_ply_and_the_wrong_start() {
    let rules = find("connect4", &Needs::default()).unwrap();
    let Err(Unfilmed::Ply(stuck)) = film(&*rules, "startpos", ["1", "O,9"]) else { panic!("9 is no column") };
    assert_eq!((stuck.number, stuck.text.as_str()), (2, "O,9"));
    let wrong = film(&*rules, "nothing", []);
    assert!(matches!(wrong, Err(Unfilmed::Start(Refusal::Unreadable(_)))), "{wrong:?}");
}
