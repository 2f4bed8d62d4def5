//! The board of a game for a page. It says which slots a person chooses for a move, and how a
//! position is made of what stands on the slots. Nothing here knows a game.

use std::collections::HashMap;

use agon_diagram::{Diagram, SlotContent};
use agon_games::{Game, Rules, entry};
use agon_pages::pages::{play_board, play_flips};
use agon_protocol::without_side;
use agon_seats::Seat;
use serde_json::{Value, json};

/// The most legal moves that a page gets. Others can be typed.
const MOST_MOVES: usize = 3000;
/// So many moves are tried to see whether a piece falls.
const MOST_TRIED: usize = 20;
/// The plies after which the signs of a position must have been seen.
const PLIES: usize = 12;

/// What a page needs of a game once: its board without what is on it.
pub(super) fn board(rules: &dyn Rules, game: &dyn Game) -> Value {
    let diagram = game.diagram();
    let position = game.text();
    let frame =
        |mv: &String| rules.resume(&position).and_then(|mut after| after.play_framed(mv.as_bytes())).ok();
    let flips = diagram.as_ref().is_some_and(|diagram| {
        let moves = game.moves();
        play_flips(diagram, &game.contents(), moves.iter().take(MOST_TRIED).filter_map(frame))
    });
    json!({
        "flips": flips,
        "game": rules.spec(),
        "about": entry(&rules.spec()).ok().map(|entry| json!({ "rules": entry.about.rules, "moves": entry.about.moves })),
        "sides": rules.seats(),
        "board": diagram.as_ref().map(|diagram| play_board(diagram, &game.contents(), rules.seats())),
        "names": diagram.map(|diagram| diagram.slots.into_iter().map(|slot| slot.name).collect::<Vec<_>>()),
        "text": board_text(rules),
    })
}

/// The same for who has the key of one seat.
pub(super) fn seen_from(look: &Value, seat: Option<Seat>) -> Value {
    let mut look = look.clone();
    look["seat"] = json!(seat.map(Seat::index));
    look
}

/// What is on the slots, in the form of `docs/frames.md`.
pub(super) fn contents(contents: &[SlotContent]) -> Vec<String> {
    contents.iter().map(ToString::to_string).collect()
}

/// The legal moves without their sides, each with the slots that a person chooses for it, in their
/// order. A move without slots is chosen by its text.
pub(super) fn moves(rules: &dyn Rules, game: &dyn Game, diagram: Option<&Diagram>) -> Vec<Value> {
    let names: HashMap<&str, usize> = diagram.map_or_else(HashMap::new, |diagram| {
        (0..).zip(&diagram.slots).map(|(at, slot)| (slot.name.as_str(), at)).collect()
    });
    let position = game.text();
    let one = |text: &String| {
        let mv = without_side(text);
        let (mut paths, mut removes) = (Vec::new(), None);
        if let Some(named) = named(mv, &names) {
            if named.path.len() > 2 && named.removes.is_none() {
                paths.extend(
                    pushed(rules, game, &position, text).filter(|way| named.path.starts_with(&way[..1])),
                );
            }
            (paths, removes) = ([vec![named.path], paths].concat(), named.removes);
        } else if let Some(path) = ends(mv, &names) {
            // A line is chosen by its ends, in any order.
            paths = vec![path.clone(), path.into_iter().rev().collect()];
        } else if let Some(diagram) = diagram {
            paths = falling(rules, &position, text, diagram);
        }
        json!({ "move": mv, "paths": paths, "removes": removes })
    };
    game.moves().iter().take(MOST_MOVES).map(one).collect()
}

/// The slots in the text of a move.
struct NamedSlots {
    /// In the order of the text.
    path: Vec<usize>,
    /// Which of them, from 0, names a piece that the move removes.
    removes: Option<usize>,
}

/// The slots whose names make the whole text, with signs between them: `d1f2-e1`, `3-4r7`.
fn named(text: &str, names: &HashMap<&str, usize>) -> Option<NamedSlots> {
    let longest = names.keys().map(|name| name.len()).max()?;
    let (mut path, mut removes, mut rest) = (Vec::new(), None, text);
    while !rest.is_empty() {
        let sizes = (1..=longest.min(rest.len())).rev();
        let found =
            sizes.filter_map(|size| rest.get(..size)).find_map(|name| Some((name.len(), *names.get(name)?)));
        match found {
            Some((size, slot)) => {
                path.push(slot);
                rest = &rest[size..];
            }
            // Between two slots, or the piece that a pawn of chess becomes.
            None if rest.starts_with(['-', 'r']) || ["q", "b", "n"].contains(&rest) => {
                removes = removes.or((rest.starts_with('r') && rest.len() > 1).then_some(path.len()));
                rest = &rest[1..];
            }
            None => return None,
        }
    }
    Some(NamedSlots { path, removes })
}

/// The way to choose a move that pushes a row of own pieces along: the last piece of the row, and
/// the slot to which its first one goes.
fn pushed(rules: &dyn Rules, game: &dyn Game, position: &str, text: &str) -> Option<Vec<usize>> {
    let frame = rules.resume(position).and_then(|mut game| game.play_framed(text.as_bytes())).ok()?;
    let contents = game.contents();
    let own = SlotContent::Piece(game.to_move());
    let slides: HashMap<usize, usize> =
        frame.slides.into_iter().filter(|(from, _)| contents[*from] == own).collect();
    let mut lasts = slides.keys().filter(|from| !slides.values().any(|to| to == *from));
    let (last, None) = (*lasts.next()?, lasts.next()) else { return None };
    let mut first = last;
    while let Some(to) = slides.get(&first) {
        first = *to;
    }
    Some(vec![last, first])
}

/// The two slots at the ends of a line: `1,1,1,1,5,1,apple`.
fn ends(text: &str, names: &HashMap<&str, usize>) -> Option<Vec<usize>> {
    let fields: Vec<&str> = text.split(',').collect();
    let [x1, y1, z1, x2, y2, z2, _] = fields[..] else { return None };
    let slot = |x, y, z| names.get(format!("x={x} y={y} z={z}").as_str()).copied();
    Some(vec![slot(x1, y1, z1)?, slot(x2, y2, z2)?])
}

/// The slot on which a piece comes to rest, the one where it enters, those right below that, and
/// all others in which such a piece can come to rest.
fn falling(rules: &dyn Rules, position: &str, text: &str, diagram: &Diagram) -> Vec<Vec<usize>> {
    let frame = rules.resume(position).and_then(|mut game| game.play_framed(text.as_bytes()));
    let Ok(frame) = frame else { return Vec::new() };
    let mut slots = frame.marks;
    for (from, to) in frame.slides {
        let (top, bottom) = (diagram.slots[from].at, diagram.slots[to].at);
        let is_between =
            |at: agon_diagram::Point| top.x == bottom.x && at.x == top.x && (top.y..bottom.y).contains(&at.y);
        slots.push(from);
        slots.extend((0..).zip(&diagram.slots).filter(|(_, slot)| is_between(slot.at)).map(|(at, _)| at));
    }
    // The same move again and again fills the column.
    let mut game = rules.start(1);
    for turn in 0..diagram.slots.len() {
        let side = rules.seats()[turn % rules.seats().len()];
        let Ok(frame) = game.play_framed(format!("{side},{}", without_side(text)).as_bytes()) else { break };
        slots.extend(frame.marks);
    }
    slots.sort_unstable();
    slots.dedup();
    slots.into_iter().map(|slot| vec![slot]).collect()
}

/// How a word of a position's text shows the board. It has one sign for each slot besides `/`, from
/// left to right and from the top down. Returns which word it is, the signs, and the slots in the
/// order of the text. The signs are those of a free slot and of each seat's piece. Where letters
/// stand on the slots, only the sign of a free slot is returned. All this is found by playing.
fn board_text(rules: &dyn Rules) -> Option<Value> {
    let slots = rules.start(1).diagram()?.slots;
    let as_numbered: Vec<usize> = (0..slots.len()).collect();
    let mut as_read = as_numbered.clone();
    as_read.sort_by_key(|slot| (slots[*slot].at.y, slots[*slot].at.x));
    let orders = [as_numbered, as_read];
    // A text may begin with the dimensions.
    let mut all = (0..2).flat_map(|word| orders.iter().map(move |order| (word, order)));
    all.find_map(|(word, order)| {
        let Signs { signs, has_letters } = signs(rules, word, order)?;
        Some(json!({ "word": word, "signs": signs, "letters": has_letters, "slots": order }))
    })
}

/// The signs of a text.
struct Signs {
    signs: Vec<char>,
    has_letters: bool,
}

/// The signs, if this word of the text shows the slots in this order.
fn signs(rules: &dyn Rules, word: usize, order: &[usize]) -> Option<Signs> {
    let mut game = rules.start(1);
    let mut known: Vec<Option<char>> = vec![None; 1 + rules.seats().len()];
    let mut has_letters = false;
    for ply in 0..=PLIES {
        let text = game.text();
        let cells: Vec<char> = text.split(' ').nth(word)?.chars().filter(|sign| *sign != '/').collect();
        let contents = game.contents();
        if cells.len() != order.len() {
            return None;
        }
        for (sign, slot) in cells.into_iter().zip(order) {
            let known = match &contents[*slot] {
                SlotContent::Empty => &mut known[0],
                SlotContent::Piece(seat) => &mut known[1 + seat.index()],
                SlotContent::Text(letter) if letter.chars().eq([sign]) => {
                    has_letters = true;
                    continue;
                }
                SlotContent::Text(_) | SlotContent::Held(_) => return None,
            };
            if *known.get_or_insert(sign) != sign {
                return None;
            }
        }
        let all = game.moves();
        // Moves from all places of the list, so that many slots change.
        let Some(mv) = all.get(ply * 7 % all.len().max(1)) else { break };
        game.play(mv.as_bytes()).ok()?;
    }
    if has_letters {
        known.truncate(1);
    }
    let signs: Vec<char> = known.into_iter().collect::<Option<_>>()?;
    (0..signs.len()).all(|at| !signs[..at].contains(&signs[at])).then_some(Signs { signs, has_letters })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agon_games::{Needs, find, lexicon::Lexicon};

    use super::*;

    fn rules(spec: &str) -> Arc<dyn Rules> {
        let lexicon = Some(Arc::new(Lexicon::parse(b"cat\nact\ntea\neat\nate\n").unwrap()));
        find(spec, &Needs { lexicon }).unwrap()
    }

    fn paths(spec: &str, position: &str) -> HashMap<String, Vec<Vec<usize>>> {
        let rules = rules(spec);
        let game = rules.resume(position).unwrap();
        let all = moves(rules.as_ref(), game.as_ref(), game.diagram().as_ref());
        let read = |one: &Value| {
            (one["move"].as_str().unwrap().to_owned(), serde_json::from_value(one["paths"].clone()).unwrap())
        };
        all.iter().map(read).collect()
    }

    #[test]
    fn each_legal_move_of_each_game_can_be_chosen_on_the_board() {
        for spec in [
            "mnk:4x3,3",
            "mill",
            "connect4",
            "abalone",
            "morris",
            "morris:nine",
            "letters:3x3x2",
            "chess",
            "chess:960",
        ] {
            let rules = rules(spec);
            let mut game = rules.start(3);
            for ply in 0..12 {
                let all = moves(rules.as_ref(), game.as_ref(), game.diagram().as_ref());
                for one in &all {
                    let has_slots = one["paths"].as_array().is_some_and(|paths| !paths.is_empty());
                    assert_eq!(has_slots, one["move"] != "P", "{spec}: {one}");
                }
                let Some(mv) = game.moves().get(ply * 5 % all.len().max(1)).cloned() else { break };
                game.play(mv.as_bytes()).unwrap();
            }
        }
    }

    #[test]
    fn the_slots_of_a_move_stand_in_the_order_of_its_notation() {
        assert_eq!(paths("mnk:4x3,3", "startpos")["a3"], [[0]]);
        // The lowest row of seven, and all cells above it.
        assert_eq!(paths("connect4", "startpos")["4"], [[3], [10], [17], [24], [31], [38]]);
        // A ball rests on z=1, and enters at z=4. Each cell of its column stands for it.
        assert_eq!(paths("mill", "startpos")["11"], [[0], [16], [32], [48]]);
        assert_eq!(paths("letters:3x3x1", "3x3x1 tea/zzz/zzz w 0 0 0")["1,1,1,1,3,1,tea"], [[0, 2], [2, 0]]);
        let morris = paths("morris", "..X......O...... x 5 5");
        assert_eq!(morris["0"], [[0]]);
        let closing = paths("morris", ".XX......OO..... x 4 4");
        assert_eq!(closing["0r9"], [[0, 9]]);
        let all = moves(
            rules("morris").as_ref(),
            rules("morris").resume(".XX......OO..... x 4 4").unwrap().as_ref(),
            rules("morris").start(1).diagram().as_ref(),
        );
        let of = |mv: &str| all.iter().find(|one| one["move"] == mv).unwrap()["removes"].clone();
        assert_eq!((of("0r9"), of("3")), (json!(1), Value::Null));
        let chess = paths("chess", "7k/P7/8/8/8/8/8/K7 w - - 0 1");
        for promotion in ["q", "r", "b", "n"] {
            assert_eq!(chess[&format!("a7a8{promotion}")], [[8, 0]]);
        }
        let abalone = paths("abalone", "startpos");
        let game = rules("abalone").start(1);
        let names: Vec<String> = game.diagram().unwrap().slots.into_iter().map(|slot| slot.name).collect();
        let path: Vec<&str> = abalone["h2g3-g3"][0].iter().map(|slot| names[*slot].as_str()).collect();
        assert_eq!(path, ["h2", "g3", "g3"]);
        // A row is pushed by its last marble and the cell to which its first one goes.
        let pushed: Vec<&str> = abalone["h2g3-g3"][1].iter().map(|slot| names[*slot].as_str()).collect();
        assert_eq!(pushed, ["h2", "f4"]);
        let sideways = abalone.iter().filter(|(_, paths)| paths.len() == 1 && paths[0].len() == 3);
        assert!(sideways.count() > 5, "a row that goes sideways is chosen by its ends: {abalone:?}");
    }

    #[test]
    fn positions_can_be_made_of_pieces_where_the_text_has_a_sign_for_each_slot() {
        for (spec, expected) in [
            ("mnk:7x5,4", ".XO"),
            ("mill", ".12"),
            ("connect4", ".XO"),
            ("abalone", ".#O"),
            ("morris", ".XO"),
        ] {
            let rules = rules(spec);
            let found = board_text(rules.as_ref()).unwrap();
            let signs: Vec<char> = serde_json::from_value(found["signs"].clone()).unwrap();
            assert_eq!(signs, expected.chars().collect::<Vec<_>>(), "{spec}");
            // A position after some moves, made of its pieces, has the same text.
            let slots: Vec<usize> = serde_json::from_value(found["slots"].clone()).unwrap();
            let mut game = rules.start(1);
            for ply in 0..9 {
                let mv = game.moves()[ply % 7].clone();
                game.play(mv.as_bytes()).unwrap();
            }
            let contents = game.contents();
            let made = slots.iter().map(|slot| match contents[*slot] {
                SlotContent::Piece(seat) => signs[1 + seat.index()],
                _ => signs[0],
            });
            let cells = game.text().split(' ').next().unwrap().replace('/', "");
            assert_eq!(made.collect::<String>(), cells, "{spec}");
        }
        assert_eq!(board_text(rules("letters:3x3x1").as_ref()), None);
    }
}
