//! The drawing of a game of a referee program: its `board` and `frame` lines, read as a film.

use agon_diagram::{BadFrames, Film, Frame, NEWEST_FRAMES, SlotContent};
use agon_printable::escape;

use super::course::{CourseEntry, course};
use super::lines::StepLine;

/// A drawing that cannot be shown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} of the referee, \"{text}\": {why}")]
pub struct BadDrawing {
    /// The number of its line in the game, from 1.
    pub line: usize,
    /// The line, escaped.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// The film of a recorded game; `None` if its referee has drawn nothing.
///
/// # Errors
/// [`BadDrawing`]: the first line that is not in the format.
pub fn drawing(lines: &[String]) -> Result<Option<Film>, BadDrawing> {
    let is_of = |word: &'static str| {
        move |(at, line): (usize, &'_ String)| -> Option<(usize, String)> {
            let text = line.strip_prefix('<')?.strip_prefix(word)?.strip_prefix(' ')?;
            Some((at, text.to_owned()))
        }
    };
    let board = lines.iter().enumerate().filter_map(is_of("board"));
    let drawn: Vec<(usize, String)> =
        board.chain(lines.iter().enumerate().filter_map(is_of("frame"))).collect();
    if drawn.is_empty() {
        return Ok(None);
    }
    let mut text = format!("{NEWEST_FRAMES}\n");
    for (_, line) in &drawn {
        text.push_str(line);
        text.push('\n');
    }
    text.parse().map(Some).map_err(|BadFrames { line, why, .. }: BadFrames| {
        // The first line of the film is ours, and a film that breaks off breaks off at its last
        // line.
        let at = line.saturating_sub(2).min(drawn.len() - 1);
        let (line, text) = &drawn[at];
        BadDrawing { line: line + 1, text: escape(text.as_bytes(), 100), why }
    })
}

/// The film with one frame for each of so many plies. A frame of the referee belongs to the last
/// ply before it. The plies of one step share a picture, and several frames after one ply become
/// one. Frames before the first ply are the start.
pub fn by_plies(film: Film, lines: &[String], seats: usize, plies: usize) -> Film {
    let Film { diagram, mut start, frames } = film;
    let of_ply = course(lines, seats)
        .into_iter()
        .filter(|line| matches!(line.what, CourseEntry::Step(StepLine::Frame(_))))
        .map(|line| line.plies.min(plies));
    let mut drawn: Vec<Vec<Frame>> = vec![Vec::new(); plies + 1];
    of_ply.zip(frames).for_each(|(ply, frame)| drawn[ply].push(frame));
    let mut drawn = drawn.into_iter();
    for frame in drawn.next().unwrap_or_default() {
        let _ = frame.apply(&mut start); // a film names no other slots
    }
    let mut contents = start.clone();
    let frames = drawn.map(|frames| as_one(frames, &mut contents)).collect();
    Film { diagram, start, frames }
}

/// Frames that follow each other as one, which changes the contents as all of them do.
fn as_one(mut frames: Vec<Frame>, contents: &mut [SlotContent]) -> Frame {
    let before = contents.to_vec();
    for frame in &frames {
        let _ = frame.apply(contents); // as above
    }
    let captions: Vec<&str> = frames.iter().map(|frame| frame.caption.as_str()).collect();
    let caption = captions.join("; ");
    let Some(last) = frames.pop() else { return Frame::default() };
    if frames.is_empty() {
        return last;
    }
    // Only the last one would slide, and from where nothing has been shown.
    let slots = before.iter().zip(contents.iter()).enumerate();
    let changed = slots.filter(|(_, (before, after))| before != after);
    let changes = changed.map(|(slot, (_, after))| (slot, after.clone())).collect();
    Frame { slides: Vec::new(), changes, caption, ..last }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_drawing_is_a_film_and_a_broken_one_names_its_line() {
        let board = ["<board size 300 100", "<board slot 50 50 round a", "<public x", "<board start"];
        let whole = lines(&[&board[..], &["<frame 0=1 *0|seat 1 moves"]].concat());
        let film = drawing(&whole).unwrap().unwrap();
        assert_eq!((film.diagram.slots.len(), film.frames.len()), (1, 1));
        assert_eq!(drawing(&lines(&["<public frame 1", ">answer 1 board"])), Ok(None));
        for (wrong, line) in [("<frame 7=1|x", 5), ("<frame 0=1", 5), ("<frame ", 5)] {
            let wrong = lines(&[&board[..], &[wrong]].concat());
            assert_eq!(drawing(&wrong).unwrap_err().line, line, "{wrong:?}");
        }
        assert!(drawing(&lines(&board[..2])).is_err(), "it has no start");
        assert!(drawing(&lines(&["<frame |x"])).is_err(), "it has no board");
    }

    #[test]
    fn plies_of_one_step_share_a_picture_and_pictures_after_one_ply_become_one() {
        let of_step = [
            "<board size 300 100",
            "<board slot 50 50 round a",
            "<board slot 150 50 round b",
            "<board start",
            "<frame 0=1|ready",
            "<ask 1",
            "<ask 2",
            "<wait",
            ">answer 1 x",
            ">answer 2 y",
            "<move 1 x",
            "<move 2 y",
            "<frame 0>1 *1|both move",
            "<ask 1",
            "<wait",
            ">answer 1 z",
            "<frame 1>0|back",
            "<frame 1=2|and in",
            "<end 1 0",
        ];
        let lines = lines(&of_step);
        let film = by_plies(drawing(&lines).unwrap().unwrap(), &lines, 2, 3);
        let texts: Vec<String> = film.frames.iter().map(Frame::to_string).collect();
        assert_eq!(texts, ["|", "0>1 *1|both move", "0=1 1=2|back; and in"]);
        assert_eq!(film.start, [SlotContent::Piece(agon_seats::Seat::FIRST), SlotContent::Empty]);
        // Fewer plies than the lines have, as in a record that somebody has changed.
        assert_eq!(by_plies(drawing(&lines).unwrap().unwrap(), &lines, 2, 1).frames.len(), 1);
        assert!(by_plies(drawing(&lines).unwrap().unwrap(), &lines, 2, 0).frames.is_empty());
    }
}
