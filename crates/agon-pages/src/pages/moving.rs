//! A game as a moving picture: an SVG file that plays it again and again, and needs nothing else.
//! Who wants less motion sees its last position.

use std::collections::BTreeSet;
use std::fmt::Write;

use agon_diagram::{Film, Frame, SlotContent};
use agon_printable::clean;
use maud::{Markup, PreEscaped, html};

use super::board;

/// How long a position is shown, in seconds, and for how many such times the last one.
pub(super) const PLY: f64 = 0.8;
pub(super) const LAST: usize = 4;
/// How long a slide moves, and a word lights up before its letters go, in tenths of a ply.
const SLIDE: usize = 2;
pub(super) const LIT: usize = 6;

/// What stands below the board before the first ply.
pub(super) const BEFORE: &str = "The position before the first ply";

/// From which ply on something is shown, and the ply before which it is gone, in tenths of a ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shown(usize, usize);

/// What is on a slot for some plies.
struct Stay {
    slot: usize,
    content: SlotContent,
    shown: Shown,
    /// How far from the slot it begins, if it slides there.
    from: Option<(i32, i32)>,
}

/// The plies of a moving picture.
pub(super) struct Moving<'a> {
    film: &'a Film,
    stays: Vec<Stay>,
    /// Marks, rows and captions of the plies, in this order.
    plies: Vec<(Shown, &'a Frame)>,
    /// Whether each ply takes away what it marks.
    takes: Vec<bool>,
}

impl<'a> Moving<'a> {
    /// So many plies of a game.
    pub(super) fn new(film: &'a Film, ply: usize) -> Self {
        let frames = &film.frames[..ply];
        let mut contents = film.start.clone();
        let mut open: Vec<(usize, Option<(i32, i32)>)> = vec![(0, None); contents.len()];
        let mut stays = Vec::new();
        let slots = &film.diagram.slots;
        for (ply, frame) in (1..).zip(frames) {
            let before = contents.clone();
            let _ = frame.apply(&mut contents); // a film names no other slots
            for slot in 0..contents.len() {
                let slide = frame.slides.iter().find(|(_, to)| *to == slot).map(|(from, _)| *from);
                if before[slot] == contents[slot] && slide.is_none() {
                    continue;
                }
                let (since, from) = open[slot];
                let content = before[slot].clone();
                stays.push(Stay { slot, content, shown: Shown(10 * since, 10 * ply), from });
                let offset = slide
                    .map(|from| (slots[from].at.x - slots[slot].at.x, slots[from].at.y - slots[slot].at.y));
                open[slot] = (ply, offset);
            }
        }
        let end = 10 * (frames.len() + LAST);
        for (slot, (content, (since, from))) in contents.into_iter().zip(open).enumerate() {
            stays.push(Stay { slot, content, shown: Shown(10 * since, end), from });
        }
        stays.retain(|stay| stay.content != SlotContent::Empty);
        let plies = (1..).zip(frames).map(|(ply, frame): (usize, &Frame)| {
            (Shown(10 * ply, if ply == frames.len() { end } else { 10 * (ply + 1) }), frame)
        });
        let takes = film.each(|before, frame| frame.takes_what_it_marks(before));
        Moving { film, stays, plies: plies.collect(), takes }
    }

    fn end(&self) -> usize {
        10 * (self.plies.len() + LAST)
    }

    /// A moment, in tenths of a ply, as a part of the whole in per cent.
    fn percent(&self, at: usize) -> String {
        format!("{:.3}%", 100.0 * at as f64 / self.end() as f64)
    }

    /// The class of what is shown for this time. What is shown at the end has none without motion.
    fn class(shown: Shown) -> String {
        format!("v{}-{}", shown.0, shown.1)
    }

    /// When the slots of a ply are marked. A word lights up before its letters go.
    fn marked(&self, ply: usize, shown: Shown) -> Shown {
        match self.takes[ply - 1] {
            true => Shown(shown.0 - LIT, shown.0),
            false => shown,
        }
    }

    /// The rules of style: when each part is seen, and how it slides.
    pub(super) fn style(&self) -> String {
        let mut style = String::new();
        let stays = self.stays.iter().map(|stay| stay.shown);
        let plies = (1..).zip(&self.plies).flat_map(|(ply, (shown, _))| [*shown, self.marked(ply, *shown)]);
        let first = Shown(0, if self.plies.is_empty() { self.end() } else { 10 });
        let all: BTreeSet<Shown> = stays.chain(plies).chain([first]).collect();
        let seconds = self.end() as f64 / 10.0 * PLY;
        style.push_str(".h{visibility:hidden}@media(prefers-reduced-motion:no-preference){");
        for shown in all {
            let name = Moving::class(shown);
            let (from, to) = (self.percent(shown.0), self.percent(shown.1));
            // A String takes everything.
            let _ = write!(
                style,
                ".{name}{{animation:{name} {seconds:.1}s step-end infinite}}\
                 @keyframes {name}{{0%{{visibility:hidden}}{from}{{visibility:visible}}{to}{{visibility:hidden}}}}"
            );
        }
        let slides: BTreeSet<(usize, (i32, i32))> =
            self.stays.iter().filter_map(|stay| Some((stay.shown.0 / 10, stay.from?))).collect();
        for (since, (x, y)) in slides {
            let name = slide_class(since, (x, y));
            let (from, to) = (self.percent(10 * since), self.percent(10 * since + SLIDE));
            let _ = write!(
                style,
                ".{name}{{animation:{name} {seconds:.1}s linear infinite}}\
                 @keyframes {name}{{0%,{from}{{transform:translate({x}px,{y}px)}}{to}{{transform:none}}}}"
            ); // as above
        }
        style.push('}');
        style
    }

    /// The class of something that is shown for this time, and whether it is there without motion.
    fn classes(&self, shown: Shown) -> String {
        let hidden = if shown.1 == self.end() { "" } else { " h" };
        Moving::class(shown) + hidden
    }

    /// What the plies mark, what stands on the slots, and the rows.
    pub(super) fn layers(&self) -> Markup {
        let diagram = &self.film.diagram;
        let is_round = board::is_round(diagram);
        let id = |element: &str| element.to_owned();
        html! {
            g.marks {
                @for (ply, (shown, frame)) in (1..).zip(&self.plies) {
                    @if !frame.marks.is_empty() {
                        g class=(self.classes(self.marked(ply, *shown))) { (board::rings(diagram, &frame.marks, is_round)) }
                    }
                }
            }
            g.slots {
                @for stay in &self.stays {
                    @let slot = &diagram.slots[stay.slot];
                    g transform={ "translate(" (slot.at.x) " " (slot.at.y) ")" } {
                        g class=(self.classes(stay.shown)) {
                            @match stay.from {
                                Some(from) => g class=(slide_class(stay.shown.0 / 10, from)) { (board::inside(slot, &stay.content, &id)) },
                                None => (board::inside(slot, &stay.content, &id)),
                            }
                        }
                    }
                }
            }
            g.row {
                @for (shown, frame) in &self.plies {
                    @if !frame.row.is_empty() { g class=(self.classes(*shown)) { (board::rings(diagram, &frame.row, is_round)) } }
                }
            }
        }
    }

    /// What is said of each ply, drawn by `line`.
    pub(super) fn captions(&self, line: &dyn Fn(&str) -> Markup) -> Markup {
        let first = Shown(0, if self.plies.is_empty() { self.end() } else { 10 });
        html! {
            g class=(self.classes(first)) { (line(BEFORE)) }
            @for (ply, (shown, frame)) in (1..).zip(&self.plies) {
                @let (ply, caption): (usize, String) = (ply, clean(&frame.caption));
                g class=(self.classes(*shown)) { (line(&format!("Ply {ply}: {caption}"))) }
            }
        }
    }

    /// The style of the whole, as markup.
    pub(super) fn style_markup(&self) -> Markup {
        PreEscaped(self.style())
    }
}

fn slide_class(since: usize, (x, y): (i32, i32)) -> String {
    format!("s{since}_{x}_{y}")
}
