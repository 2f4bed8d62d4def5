//! The protocol `lines`, which a student can implement in ten lines of any language.
//!
//! The engine's stdin gets the text of the board file, then each move of its opponents as it is
//! played, one per line. On its turn it writes one line in the same form to stdout. At the end its
//! stdin is closed. Side, dimensions and seconds are its arguments: `./engine W 6 6 3 5`.
//!
//! An engine may have the board in its file alone ([`Start::tells_board`]): then its stdin has the
//! moves of its opponents and nothing else.
//!
//! A game may start in a position in which another seat than the first is to move. Most boards show
//! whose turn it is. Where neither the board nor the engine's arguments show it, the referee does:
//! * The seat to move is sent a pass for each seat before it, after the board: `W,P`.
//! * A seat before the one to move is started when its turn comes. Its board, files and arguments
//!   show the position at that time, and it moves first.

use agon_seats::Seat;

use super::{Conversation, Reply, Start, Talk};

/// One engine's conversation.
pub struct LinesTalk {
    seat: Seat,
    greeting: Vec<u8>,
    /// What it was told last; the next text takes its place.
    told: Vec<u8>,
}

impl LinesTalk {
    /// A conversation about a game with this start.
    pub fn new(start: &Start) -> Self {
        let mut greeting = if start.tells_board { start.board.clone() } else { String::new() };
        if let Some(pass) = start.turn_sign {
            let before = start.seats[..start.to_move.index()].iter().enumerate();
            for (_, name) in before.filter(|(seat, _)| *seat != start.seat.index()) {
                greeting.push_str(&format!("{name},{pass}\n"));
            }
        }
        LinesTalk { seat: start.seat, greeting: greeting.into_bytes(), told: Vec::new() }
    }
}

impl Conversation for LinesTalk {
    fn hear(&mut self, line: Vec<u8>) -> Reply {
        Reply::Move(line)
    }
}

impl Talk for LinesTalk {
    fn greeting(&self) -> Vec<u8> {
        self.greeting.clone()
    }

    /// An engine is not told its own moves.
    fn played(&mut self, by: Seat, text: &str) -> &[u8] {
        self.told.clear();
        if by != self.seat {
            self.told.extend_from_slice(text.as_bytes());
            self.told.push(b'\n');
        }
        &self.told
    }

    fn answer(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// Whether the seat moves first by the rules but not in this game, and nothing tells its engine so.
pub fn joins_late(start: &Start) -> bool {
    start.turn_sign.is_some() && start.seat < start.to_move
}

/// The usual arguments of an engine: its side, the numbers of the board, the seconds.
pub fn arguments<'a>(settings: impl Iterator<Item = &'a str>) -> Vec<String> {
    let settings = settings.map(|word| format!("{{{word}}}"));
    ["{side}".to_owned()].into_iter().chain(settings).chain(["{seconds}".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use agon_games::Needs;
    use agon_games::Rules;

    use super::*;

    /// What lies in the stdin of the engine on this seat, for a game from this position.
    fn greeting(game: &str, position: &str, seat: Seat, tells_board: bool) -> String {
        let lexicon = agon_games::lexicon::Lexicon::parse(b"cat").unwrap().into();
        let rules = agon_games::find(game, &Needs { lexicon: Some(lexicon) }).unwrap();
        let rules: &dyn Rules = rules.as_ref();
        let start = Start::new(rules, rules.resume(position).unwrap().as_ref(), seat, None);
        String::from_utf8(LinesTalk::new(&Start { tells_board, ..start }).greeting()).unwrap()
    }

    #[test]
    fn with_the_board_in_its_file_stdin_has_moves_alone() {
        let cube = "3x3x1 cat/ore/nds";
        let white = format!("{cube} w 0 0 0");
        assert_eq!(greeting("letters:3x3x1", &white, Seat::FIRST, true), "3 3 1\ncat\nore\nnds\n");
        for seat in [Seat::FIRST, Seat::SECOND] {
            assert_eq!(greeting("letters:3x3x1", &white, seat, false), "");
        }
        // The pass of white tells black that it begins.
        let black = format!("{cube} b 0 0 0");
        assert_eq!(greeting("letters:3x3x1", &black, Seat::SECOND, false), "W,P\n");
        assert_eq!(greeting("mnk", "X../.../...", Seat::SECOND, false), "");
    }
}
