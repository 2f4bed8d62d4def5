//! A game of Morris between two moves: the side to move, the legal moves, and the end.

use super::layout::{MorrisLayout, points};
use super::men::{MorrisMove, Side};
use super::notation::{self, name};
use super::{FEWEST, Men, Morris, NoMove, QUIET_PLIES, Removal, SEATS, picture};
use crate::{Ending, Position, Refusal, Seat, Status};
use agon_diagram::{Diagram, Frame, SlotContent};

/// A position with the data for draws: the plies without a removal, and the positions since the
/// last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MorrisPosition {
    rules: Morris,
    layout: &'static MorrisLayout,
    first: Side,
    second: Side,
    to_move: Seat,
    quiet: u16,
    /// How often this position occurred before.
    repeats: u8,
    /// Every position of the game as a number, the present one last.
    history: Vec<u64>,
}

/// The data that takes a move back.
#[derive(Clone, Copy, Debug)]
pub struct MorrisUndo {
    mv: MorrisMove,
    quiet: u16,
    repeats: u8,
}

impl MorrisPosition {
    /// The empty board, with all men in hand.
    pub fn start(rules: Morris) -> Self {
        let side = Side { men: 0, hand: rules.men.layout().men };
        MorrisPosition::new(rules, side, side, Seat::FIRST, 0)
    }

    /// A position after `quiet` plies without a removal, with no earlier position known.
    pub(super) fn new(rules: Morris, first: Side, second: Side, to_move: Seat, quiet: u16) -> Self {
        let layout = rules.men.layout();
        let mut position =
            MorrisPosition { rules, layout, first, second, to_move, quiet, repeats: 0, history: Vec::new() };
        position.history.push(position.key());
        position
    }

    /// The rules of the game.
    pub fn rules(&self) -> Morris {
        self.rules
    }

    /// The board of the game.
    pub fn layout(&self) -> &'static MorrisLayout {
        self.layout
    }

    /// The side to move, or the one that would be next.
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The points with men of this seat.
    pub fn men(&self, seat: Seat) -> u32 {
        self.side(seat).men
    }

    /// The number of men that this seat has in hand.
    pub fn hand(&self, seat: Seat) -> u8 {
        self.side(seat).hand
    }

    /// The seat whose man is on this point.
    pub fn at(&self, point: u8) -> Option<Seat> {
        [Seat::FIRST, Seat::SECOND].into_iter().find(|&seat| self.men(seat) >> point & 1 == 1)
    }

    /// The number of plies in a row without a removal.
    pub fn quiet(&self) -> u16 {
        self.quiet
    }

    /// Whether a position since the last removal has occurred twice, so that its next time is a
    /// draw.
    pub fn has_repeated(&self) -> bool {
        let run = self.history.len().min(usize::from(self.quiet) + 1);
        let mut keys = self.history[self.history.len() - run..].to_vec();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The free points.
    pub fn free(&self) -> u32 {
        self.layout.all() & !(self.first.men | self.second.men)
    }

    /// Whether the seat to move may move to any free point: three men on the board, none in hand.
    pub fn flies(&self) -> bool {
        let own = self.side(self.to_move);
        self.rules.flying && own.hand == 0 && own.men.count_ones() == FEWEST
    }

    /// The document's number of the tier, XXYZ: men left to place, men on the board of the first
    /// and of the second player. The start of Six Men's Morris is 1200.
    pub fn tier(&self) -> u16 {
        let on_board = |side: Side| u16::try_from(side.men.count_ones()).expect("a u32 has 32 bits");
        u16::from(self.first.hand + self.second.hand) * 100
            + on_board(self.first) * 10
            + on_board(self.second)
    }

    /// Whether the seat to move closes a mill with a man that moves to this point.
    fn closes(&self, from: Option<u8>, to: u8) -> bool {
        let left = self.men(self.to_move) & !from.map_or(0, bit);
        self.layout.in_mill(left | bit(to), to)
    }

    /// The men that may be removed if the seat to move closes a mill.
    fn removable(&self) -> u32 {
        let theirs = self.men(self.to_move.other());
        match self.rules.removal {
            Removal::Any => theirs,
            Removal::Outside => match theirs & !self.layout.mills_of(theirs) {
                0 => theirs,
                outside => outside,
            },
        }
    }

    /// The side to move in the position's text and in the file `board`: `x` or `o`.
    fn side_sign(&self) -> String {
        SEATS[self.to_move.index()].to_ascii_lowercase()
    }

    fn side(&self, seat: Seat) -> Side {
        if seat == Seat::FIRST { self.first } else { self.second }
    }

    fn side_mut(&mut self, seat: Seat) -> &mut Side {
        if seat == Seat::FIRST { &mut self.first } else { &mut self.second }
    }

    /// The position as a number, without the men in hand. While there are any, each ply without a
    /// removal adds a man to the board, so no position repeats.
    fn key(&self) -> u64 {
        let side = if self.to_move == Seat::FIRST { 0 } else { 1 };
        u64::from(self.first.men) | u64::from(self.second.men) << 24 | side << 48
    }

    /// How often the last position of the history occurred before, back to the last removal. Only
    /// every second position has the same side to move.
    fn count_repeats(&self) -> u8 {
        let earlier = self.history.iter().rev().take(usize::from(self.quiet) + 1).step_by(2).skip(1);
        let key = self.key();
        u8::try_from(earlier.filter(|&&old| old == key).count()).expect("the third time ends the game")
    }

    fn can_move(&self) -> bool {
        let own = self.side(self.to_move);
        let free = self.free();
        if own.hand > 0 || self.flies() {
            return free != 0;
        }
        points(own.men).any(|from| self.layout.joined(from) & free != 0)
    }

    /// Refuses an illegal move, and names the rule.
    fn check(&self, mv: MorrisMove) -> Result<(), Refusal> {
        if self.status().over().is_some() {
            return Err(Refusal::illegal("the game is over"));
        }
        let mover = self.to_move;
        let own = name(mover);
        let refuse = |why: String| Err(Refusal::Illegal(why));
        match (mv.from, self.hand(mover)) {
            (Some(_), hand @ 1..) => {
                return refuse(format!(
                    "{own} has still {hand} in hand to place, so a move names one point, {}",
                    mv.to
                ));
            }
            (None, 0) => {
                return refuse(format!(
                    "{own} has no man in hand, so a move names two points, from and to, 3-4"
                ));
            }
            _ => {}
        }
        match mv.from.map(|from| (from, self.at(from))) {
            Some((from, None)) => return refuse(format!("{from} is empty")),
            Some((from, Some(seat))) if seat != mover => return refuse(holds(from, seat)),
            _ => {}
        }
        if let Some(seat) = self.at(mv.to) {
            return refuse(holds(mv.to, seat));
        }
        match mv.from {
            Some(from) if !self.flies() && self.layout.joined(from) >> mv.to & 1 == 0 => {
                let flying =
                    if self.rules.flying { ", and only a side with three men left flies" } else { "" };
                refuse(format!("{from} and {} are not joined{flying}", mv.to))
            }
            _ => self.check_removal(mv),
        }
    }

    /// Refuses an illegal removal, and a move without the removal that the rules demand.
    fn check_removal(&self, mv: MorrisMove) -> Result<(), Refusal> {
        let theirs = self.to_move.other();
        let man = MorrisMove { removed: None, ..mv };
        let removable = if self.closes(mv.from, mv.to) { self.removable() } else { 0 };
        let refuse = |why: String| Err(Refusal::Illegal(why));
        match (mv.removed, points(removable).next()) {
            (None, None) => Ok(()),
            (Some(_), None) => refuse(format!("{man} closes no mill, so no man is removed")),
            (None, Some(first)) => {
                let example = MorrisMove { removed: Some(first), ..mv };
                refuse(format!(
                    "{man} closes a mill, so a man of {} must be removed: {example}",
                    name(theirs)
                ))
            }
            (Some(removed), Some(_)) if removable >> removed & 1 == 1 => Ok(()),
            (Some(removed), Some(_)) => match self.at(removed) {
                // At this time the man is on its new point.
                _ if removed == mv.to => refuse(holds(removed, self.to_move)),
                None => refuse(format!("{removed} is empty")),
                Some(seat) if seat != theirs => refuse(holds(removed, seat)),
                Some(_) => {
                    let outside: Vec<String> = points(removable).map(|point| point.to_string()).collect();
                    refuse(format!(
                        "{removed} is in a mill, and there are men of {} outside mills: {}",
                        name(theirs),
                        outside.join(", ")
                    ))
                }
            },
        }
    }

    /// A move in words, with the phase of the game that it ends for a side.
    fn caption(&self, mv: MorrisMove, closes: bool) -> String {
        let (own, theirs) = (name(self.to_move), self.to_move.other());
        let mut words = match mv.from {
            None if self.hand(self.to_move) == 1 => format!("{own} puts its last man on {}", mv.to),
            None => format!("{own} puts a man on {}", mv.to),
            Some(from) if self.layout.joined(from) >> mv.to & 1 == 0 => {
                format!("{own} flies from {from} to {}", mv.to)
            }
            Some(from) => format!("{own} moves {from} to {}", mv.to),
        };
        if closes {
            words.push_str(", closes a mill");
        }
        if let Some(removed) = mv.removed {
            words.push_str(&format!(" and takes {removed}"));
        }
        // A side flies from the ply on that leaves it with three men, none of them in hand.
        let few = |seat: Seat, men: u32, hand: u8| {
            let now = self.rules.flying && hand == 0 && men == FEWEST;
            let before = self.hand(seat) == 0 && self.men(seat).count_ones() == FEWEST;
            now && !before
        };
        let placed = u8::from(mv.from.is_none());
        let (mover, men) = (self.to_move, |seat: Seat| self.men(seat).count_ones());
        if few(mover, men(mover) + u32::from(placed), self.hand(mover) - placed) {
            words.push_str(&format!("; {own} may fly now"));
        }
        if few(theirs, men(theirs) - u32::from(mv.removed.is_some()), self.hand(theirs)) {
            words.push_str(&format!("; {} may fly now", name(theirs)));
        }
        words
    }

    /// Adds the moves of a man to this point to `moves`: one, or one for each man that may be
    /// removed.
    fn push(&self, from: Option<u8>, to: u8, moves: &mut Vec<MorrisMove>) {
        let removable = if self.closes(from, to) { self.removable() } else { 0 };
        if removable == 0 {
            moves.push(MorrisMove { from, to, removed: None });
        } else {
            moves.extend(points(removable).map(|removed| MorrisMove { from, to, removed: Some(removed) }));
        }
    }
}

fn holds(point: u8, seat: Seat) -> String {
    format!("{point} holds a man of {}", name(seat))
}

fn bit(point: u8) -> u32 {
    1 << point
}

impl Position for MorrisPosition {
    type Move = MorrisMove;
    type Undo = MorrisUndo;

    fn status(&self) -> Status<Ending> {
        let mover = self.to_move;
        if self.first.hand == 0 && self.second.hand == 0 {
            for seat in [mover, mover.other()] {
                if self.men(seat).count_ones() < FEWEST {
                    return Status::Over(Ending::Win(seat.other(), "fewer than three men left"));
                }
            }
            if !self.can_move() {
                return Status::Over(match self.rules.nomove {
                    NoMove::Loses => Ending::Win(mover.other(), "the other side has no legal move"),
                    NoMove::Draws => Ending::Draw("no legal move"),
                });
            }
        }
        if self.repeats >= 2 {
            return Status::Over(Ending::Draw("the same position for the third time"));
        }
        if self.quiet >= QUIET_PLIES {
            return Status::Over(Ending::Draw("200 plies without a removal"));
        }
        Status::ToMove(mover)
    }

    fn moves(&self, moves: &mut Vec<MorrisMove>) {
        moves.clear();
        if self.status().over().is_some() {
            return;
        }
        let own = self.side(self.to_move);
        let free = self.free();
        if own.hand > 0 {
            points(free).for_each(|to| self.push(None, to, moves));
            return;
        }
        let flies = self.flies();
        for from in points(own.men) {
            let reach = if flies { free } else { free & self.layout.joined(from) };
            points(reach).for_each(|to| self.push(Some(from), to, moves));
        }
    }

    fn parse(&self, text: &str) -> Result<MorrisMove, Refusal> {
        let mv = notation::read_move(self.layout, text)?;
        self.check(mv)?;
        Ok(mv)
    }

    fn play(&mut self, mv: MorrisMove) -> MorrisUndo {
        let undo = MorrisUndo { mv, quiet: self.quiet, repeats: self.repeats };
        let own = self.side_mut(self.to_move);
        own.men |= bit(mv.to);
        match mv.from {
            Some(from) => own.men &= !bit(from),
            None => own.hand -= 1,
        }
        self.to_move = self.to_move.other();
        match mv.removed {
            Some(removed) => {
                self.side_mut(self.to_move).men &= !bit(removed);
                self.quiet = 0;
            }
            None => self.quiet += 1,
        }
        self.history.push(self.key());
        self.repeats = self.count_repeats();
        undo
    }

    fn undo(&mut self, undo: MorrisUndo) {
        let MorrisUndo { mv, quiet, repeats } = undo;
        if let Some(removed) = mv.removed {
            self.side_mut(self.to_move).men |= bit(removed);
        }
        self.to_move = self.to_move.other();
        let own = self.side_mut(self.to_move);
        own.men &= !bit(mv.to);
        match mv.from {
            Some(from) => own.men |= bit(from),
            None => own.hand += 1,
        }
        self.quiet = quiet;
        self.repeats = repeats;
        self.history.pop();
    }

    /// The men that the seat has left, on the board and in hand.
    fn score(&self, seat: Seat) -> i32 {
        let Side { men, hand } = self.side(seat);
        i32::try_from(men.count_ones()).expect("a u32 has 32 bits") + i32::from(hand)
    }

    /// The points, the side to move, the men in hand, and the number of plies without a removal if
    /// there are any: `................ x 6 6`, `X............... o 5 6 1`.
    ///
    /// The earlier positions are not in it.
    fn text(&self) -> String {
        let points: String = notation::rows(self.layout, |point| self.at(point)).concat();
        let side = self.side_sign();
        let mut text = format!("{points} {side} {} {}", self.first.hand, self.second.hand);
        if self.quiet > 0 {
            text.push_str(&format!(" {}", self.quiet));
        }
        text
    }

    /// The rows of points, one per line, then the side to move and the men in hand, as in the text:
    /// `x 6 6`.
    fn board(&self) -> String {
        let rows = notation::rows(self.layout, |point| self.at(point)).join("\n");
        let side = self.side_sign();
        format!("{rows}\n{side} {} {}\n", self.first.hand, self.second.hand)
    }

    /// The squares with their men, beside them the numbers of the points, and below the men in
    /// hand.
    fn draw(&self) -> String {
        let (mut men, mut numbers) = (0_u8.., 0_u8..);
        let mut out = String::new();
        for row in self.layout.figure {
            let left: String = row
                .chars()
                .map(|mark| match mark {
                    '+' => match self.at(men.next().expect("points do not end")) {
                        Some(seat) => {
                            if seat == Seat::FIRST {
                                'X'
                            } else {
                                'O'
                            }
                        }
                        None => '.',
                    },
                    line => line,
                })
                .collect();
            out.push_str(&left);
            out.push_str("      ");
            let mut covered = 0;
            for mark in row.chars() {
                if mark == '+' {
                    let number = numbers.next().expect("points do not end").to_string();
                    covered = number.len() - 1;
                    out.push_str(&number);
                } else if covered > 0 {
                    covered -= 1;
                } else {
                    out.push(mark);
                }
            }
            out.push('\n');
        }
        out.push_str(&format!("in hand: X {}, O {}\n", self.first.hand, self.second.hand));
        out
    }

    fn diagram(&self) -> Option<Diagram> {
        Some(picture::diagram(self.layout))
    }

    fn contents(&self) -> Vec<SlotContent> {
        (0..self.layout.points).map(|point| self.at(point).into()).collect()
    }

    /// A man comes from the hand or slides, and a man that is taken vanishes.
    fn frame(&self, mv: MorrisMove) -> Frame {
        let to = usize::from(mv.to);
        let mut frame = match mv.from.map(usize::from) {
            None => Frame::entering(self.to_move, to, to),
            Some(from) => Frame { slides: vec![(from, to)], marks: vec![from, to], ..Frame::default() },
        };
        if let Some(removed) = mv.removed {
            frame.changes.push((removed.into(), SlotContent::Empty));
        }
        let own = self.men(self.to_move) & !mv.from.map_or(0, bit) | bit(mv.to);
        let closed = self.layout.mills().filter(|mill| own & mill == *mill && mill >> mv.to & 1 == 1);
        frame.row = points(closed.fold(0, |all, mill| all | mill)).map(usize::from).collect();
        frame.caption = self.caption(mv, !frame.row.is_empty());
        frame
    }

    fn tier(&self) -> Option<u16> {
        Some(MorrisPosition::tier(self))
    }

    /// The document's number of a move: `to*256 + removed*16 + to` for a placed man, `from*256 +
    /// to*16 + removed` for one that moves. If no man is removed, `to` or `from` takes its place.
    /// `None` in Nine Men's Morris, whose points do not fit.
    fn number(&self, mv: MorrisMove) -> Option<u16> {
        (self.rules.men == Men::Six).then(|| notation::number(mv))
    }

    fn parse_number(&self, number: u16) -> Result<MorrisMove, Refusal> {
        if self.rules.men == Men::Nine {
            return Err(Refusal::unreadable("only the moves of Six Men's Morris have numbers"));
        }
        let mv = notation::read_number(number, self.hand(self.to_move) > 0)?;
        self.check(mv)?;
        Ok(mv)
    }
}
