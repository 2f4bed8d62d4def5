//! A position of a game as a picture: an SVG file that needs nothing else.

use agon_diagram::{Film, SlotContent};
use agon_printable::{clean, counted};
use maud::{Markup, PreEscaped, html};

use super::board;
use super::moving::{BEFORE, Moving};
use super::shell::STYLE;

/// The rules of the style of pages that a board needs, by how their lines begin.
const OF_BOARDS: [&str; 27] = [
    ":root",
    "@media(prefers-color-scheme:dark){:root",
    "svg text",
    ".board text",
    ".board .l",
    ".cell",
    ".point",
    ".lines",
    ".round",
    ".figure",
    ".chequered",
    ".piece",
    ".white circle",
    ".black circle",
    ".first circle",
    ".second circle",
    ".first .sign",
    ".marks rect",
    ".row rect",
    ".edge",
    ".panels",
    ".hands",
    ".board .h",
    ".board:not",
    ".e2",
    ".marks path",
    ".row path",
];

/// The height of the two lines below the board, and of the letters in each.
pub(super) const BELOW: i32 = 150;
pub(super) const LETTERS: [i32; 2] = [36, 28];

/// A picture of the board after some plies.
pub(super) struct Picture<'a> {
    /// The game.
    pub(super) film: &'a Film,
    /// How many plies were played.
    pub(super) ply: usize,
    /// The name of each side.
    pub(super) sides: &'a [&'a str],
    /// What stands below the board: who plays whom.
    pub(super) title: &'a str,
}

impl Picture<'_> {
    /// The picture as SVG. A moving one shows each position up to that of the ply, again and again.
    pub(super) fn svg(&self, is_moving: bool) -> String {
        let diagram = &self.film.diagram;
        let moving = is_moving.then(|| Moving::new(self.film, self.ply));
        let contents = match moving {
            Some(_) => vec![SlotContent::Empty; diagram.slots.len()],
            None => self.film.at(self.ply),
        };
        let shown = self.film.frames[..self.ply].last().filter(|_| !is_moving);
        let none: &[usize] = &[];
        let [marks, row] = shown.map_or([none; 2], |frame| [&frame.marks, &frame.row]);
        let marks = if self.takes_what_it_marks() { none } else { marks };
        let caption = match is_moving {
            true => counted(self.ply, "ply"),
            false => self.caption(self.ply),
        };
        let (width, height) = (diagram.width, diagram.height + BELOW);
        let has_figures = board::has_figures(&self.film.start);
        let id = |element: &str| element.to_owned();
        let style: String =
            STYLE.lines().filter(|line| OF_BOARDS.iter().any(|begin| line.starts_with(begin))).collect();
        let line = |size: i32, from_below: i32, text: &str| -> Markup {
            html! { text class={ "t" (size) } x=(width / 2) y=(height - from_below) { (cut(text, width, size)) } }
        };
        let letters: String = LETTERS
            .map(|size| format!(".board .t{size}{{font:{size}px system-ui,sans-serif;fill:var(--text)}}"))
            .concat();
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" class="board"
                width=(width * 4 / 5) height=(height * 4 / 5) viewBox={ "0 0 " (width) " " (height) } {
                title { (self.title) ". " (caption) }
                style { (PreEscaped(style)) (PreEscaped(letters)) @if let Some(moving) = &moving { (moving.style_markup()) } }
                rect width=(width) height=(height) fill="var(--back)" {}
                (board::pieces(self.sides, has_figures, &id))
                g.round[board::is_round(diagram)].chequered[has_figures] {
                    (board::layers(diagram, &contents, (marks, row), &id, false))
                    @if let Some(moving) = &moving { (moving.layers()) }
                }
                (line(LETTERS[0], 100, self.title))
                @match &moving {
                    Some(moving) => (moving.captions(&|text| line(LETTERS[1], 45, text))),
                    None => (line(LETTERS[1], 45, &caption)),
                }
            }
        };
        picture.into_string()
    }

    /// What stands below the board after this ply.
    pub(super) fn caption(&self, ply: usize) -> String {
        match self.film.frames[..ply].last() {
            Some(frame) => format!("Ply {ply}: {}", clean(&frame.caption)),
            None => BEFORE.to_owned(),
        }
    }

    /// Whether the last ply has taken away what it marks: then something else may stand there.
    fn takes_what_it_marks(&self) -> bool {
        let Some(before) = self.ply.checked_sub(1) else { return false };
        self.film.frames[before].takes_what_it_marks(&self.film.at(before))
    }
}

/// A text that has room in a line of this width: most letters are half as wide as they are high.
pub(super) fn cut(text: &str, width: i32, size: i32) -> String {
    let room = usize::try_from(9 * width / (5 * size)).unwrap_or_default();
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['\u{2026}']).collect()
}
