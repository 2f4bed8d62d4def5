//! A board, what is on it, and what one ply changes.

use agon_seats::Seat;

/// The most slots of a diagram. A larger board has no diagram.
pub const MOST_SLOTS: usize = 2000;

/// The width and the height of a slot, in the unit of [`Point`].
pub const SLOT: i32 = 100;

/// A place in a diagram, in hundredths of a slot: x to the right, y downwards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// From the left edge.
    pub x: i32,
    /// From the upper edge.
    pub y: i32,
}

/// The outline of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotShape {
    /// A square cell.
    Square,
    /// A round hole or point.
    Round,
    /// A line between two points, such as the side of a box. The slot's centre is its middle.
    Edge(Point, Point),
    /// A box for a text, such as a bid or a pot: its width, in the unit of [`Point`]. It is as high
    /// as a cell.
    Panel(i32),
}

impl SlotShape {
    /// Whether this is a box for a text.
    pub fn is_panel(self) -> bool {
        matches!(self, SlotShape::Panel(_))
    }
}

impl Slot {
    /// A slot that is a line between two points.
    pub fn edge(from: Point, to: Point, name: String) -> Self {
        let at = Point { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
        Slot { at, shape: SlotShape::Edge(from, to), name }
    }
}

/// A cell or a point of a board. Its number is its place in [`Diagram::slots`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its centre.
    pub at: Point,
    /// Its outline.
    pub shape: SlotShape,
    /// Its name, as in the notation of the game: `c3`, `x=3 y=2 z=1`.
    pub name: String,
}

/// A text beside the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its centre.
    pub at: Point,
    /// The text.
    pub text: String,
}

/// A board without its pieces. Everything lies between 0 and its width and height.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagram {
    /// The width, in the unit of [`Point`].
    pub width: i32,
    /// The height, in the unit of [`Point`].
    pub height: i32,
    /// The cells or points, at most [`MOST_SLOTS`].
    pub slots: Vec<Slot>,
    /// Lines between two places, below the slots.
    pub lines: Vec<(Point, Point)>,
    /// The coordinates.
    pub labels: Vec<Label>,
    /// The slots that seats hold, such as their cards.
    pub hands: Vec<HandArea>,
}

/// Slots whose contents one seat holds. Others may not see them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandArea {
    /// The seat.
    pub seat: Seat,
    /// Its slots, one or more.
    pub slots: Vec<usize>,
    /// Who plays on this seat, for readers; it is no part of the text of a diagram.
    pub holder: String,
}

/// What is on a slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SlotContent {
    /// Nothing.
    #[default]
    Empty,
    /// A piece of this seat.
    Piece(Seat),
    /// A text of one to four characters, such as a letter; of up to forty on a panel, where `_`
    /// stands for a space.
    Text(String),
    /// A text in a hand that its holder alone knew, such as a card; the others saw `?` there. It is
    /// in the film of a game only when secrets are open.
    Held(String),
}

impl From<Option<Seat>> for SlotContent {
    fn from(owner: Option<Seat>) -> Self {
        owner.map_or(SlotContent::Empty, SlotContent::Piece)
    }
}

/// What one ply changes. First all slides happen at once, then the changes; see [`Frame::apply`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Moves from one slot to another. A slide from an empty slot shows how a new piece enters: the
    /// changes put that piece on the target.
    pub slides: Vec<(usize, usize)>,
    /// New contents of slots.
    pub changes: Vec<(usize, SlotContent)>,
    /// The slots of the move.
    pub marks: Vec<usize>,
    /// The line that has won, or the mill that was closed.
    pub row: Vec<usize>,
    /// The ply in plain words, for a reader who cannot see the board.
    pub caption: String,
}

/// A frame that names a slot which the board does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no slot {slot}; the board has {slots}, numbered from 0")]
pub struct NoSuchSlot {
    /// The slot that was named.
    pub slot: usize,
    /// The number of slots.
    pub slots: usize,
}

impl Frame {
    /// The frame of a new piece that enters at one slot and comes to rest on another, or on the
    /// same.
    pub fn entering(seat: Seat, from: usize, to: usize) -> Self {
        Frame {
            slides: if from == to { Vec::new() } else { vec![(from, to)] },
            changes: vec![(to, SlotContent::Piece(seat))],
            marks: vec![to],
            ..Frame::default()
        }
    }

    /// Whether the ply takes away what stands on the slots that it marks, as letters that make a
    /// word. Then marks belong to the contents before it: afterwards something else may stand
    /// there.
    pub fn takes_what_it_marks(&self, before: &[SlotContent]) -> bool {
        let is_taken = |slot: &usize| {
            before.get(*slot).is_some_and(|content| *content != SlotContent::Empty)
                && self.slides.iter().all(|(from, _)| from != slot)
                && (self.slides.iter().any(|(_, to)| to == slot)
                    || self.changes.contains(&(*slot, SlotContent::Empty)))
        };
        !self.marks.is_empty() && self.marks.iter().all(is_taken)
    }

    /// Changes the contents of a board's slots. All slides read what was there before; their
    /// sources become empty, unless something slides into them. The changes come last.
    ///
    /// # Errors
    /// [`NoSuchSlot`], and then nothing has changed.
    pub fn apply(&self, contents: &mut [SlotContent]) -> Result<(), NoSuchSlot> {
        let slots = contents.len();
        if let Some(slot) = self.named().find(|slot| *slot >= slots) {
            return Err(NoSuchSlot { slot, slots });
        }
        let moved: Vec<SlotContent> =
            self.slides.iter().map(|(from, _)| std::mem::take(&mut contents[*from])).collect();
        for ((_, to), content) in self.slides.iter().zip(moved) {
            contents[*to] = content;
        }
        for (slot, content) in &self.changes {
            contents[*slot] = content.clone();
        }
        Ok(())
    }

    /// Every slot that the frame names, some of them more than once.
    fn named(&self) -> impl Iterator<Item = usize> {
        let slides = self.slides.iter().flat_map(|(from, to)| [*from, *to]);
        let changes = self.changes.iter().map(|(slot, _)| *slot);
        slides.chain(changes).chain(self.marks.iter().copied()).chain(self.row.iter().copied())
    }
}
