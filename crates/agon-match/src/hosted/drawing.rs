//! The drawing of a game of a referee program: its `board` and `frame` lines, read as a film, and
//! what its `secret` lines say of hands.

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

/// The film of a recorded game; `None` if its referee has drawn nothing. `is_open` says whether the
/// reader may see its secrets: then the hidden contents of hands are `SlotContent::Held`. Otherwise
/// neither the film nor an error has anything of a secret line.
///
/// # Errors
/// [`BadDrawing`]: the first line that is not in the format.
pub fn drawing(lines: &[String], is_open: bool) -> Result<Option<Film>, BadDrawing> {
    let Some(mut film) = public(lines)? else { return Ok(None) };
    let said = held(lines, &film, is_open)?;
    if is_open {
        open(&mut film, said);
    }
    Ok(Some(film))
}

/// What the public lines draw.
fn public(lines: &[String]) -> Result<Option<Film>, BadDrawing> {
    let is_of = |word: &'static str| {
        move |(at, line): (usize, &'_ String)| -> Option<(usize, String)> {
            let text = line.strip_prefix('<')?.strip_prefix(word)?.strip_prefix(' ')?;
            Some((at, text.to_owned()))
        }
    };
    let mut drawn: Vec<(usize, String)> = lines.iter().enumerate().filter_map(is_of("board")).collect();
    let board = drawn.len();
    drawn.extend(lines.iter().enumerate().filter_map(is_of("frame")));
    if drawn.is_empty() {
        return Ok(None);
    }
    let mut text = format!("{NEWEST_FRAMES}\n");
    for (_, line) in &drawn {
        text.push_str(line);
        text.push('\n');
    }
    let bad = |at: usize, why| {
        let (line, text) = &drawn[at.min(drawn.len() - 1)];
        BadDrawing { line: line + 1, text: escape(text.as_bytes(), 100), why }
    };
    // The first line of the film is ours, and a film that breaks off breaks off at its last line.
    let film: Film =
        text.parse().map_err(|BadFrames { line, why, .. }: BadFrames| bad(line.saturating_sub(2), why))?;
    let is_held = |content: &SlotContent| matches!(content, SlotContent::Held(_));
    let told = match film.start.iter().any(is_held) {
        true => Some(board.saturating_sub(1)),
        false => {
            let shows = |frame: &Frame| frame.changes.iter().any(|(_, content)| is_held(content));
            film.frames.iter().position(shows).map(|at| board + at)
        }
    };
    match told {
        Some(at) => {
            let why =
                "everybody sees a board and its frames; write \"? there, and say `secret S hand SLOT=\"TEXT`";
            Err(bad(at, why.to_owned()))
        }
        None => Ok(Some(film)),
    }
}

/// A text in a hand, of which a `secret` line speaks.
struct SaidOfHand {
    /// How many frames there were before the line.
    frames: usize,
    slot: usize,
    text: String,
}

/// What the lines `secret S hand SLOT="TEXT ...` say, if the board has hands.
fn held(lines: &[String], film: &Film, is_open: bool) -> Result<Vec<SaidOfHand>, BadDrawing> {
    let (mut frames, mut found) = (0, Vec::new());
    let lines = lines.iter().enumerate().filter(|_| !film.diagram.hands.is_empty());
    for (at, line) in lines {
        let Some(line) = line.strip_prefix('<') else { continue };
        frames += usize::from(line.starts_with("frame "));
        let said = line.strip_prefix("secret ").and_then(|rest| rest.split_once(" hand "));
        let Some((seat, items)) = said.and_then(|(seat, items)| Some((seat.parse::<usize>().ok()?, items)))
        else {
            continue;
        };
        let changes = in_hand(film, seat, items).map_err(|why| {
            // The words quote the line.
            let why = if is_open { why } else { "what it says of a hand cannot be read".to_owned() };
            BadDrawing { line: at + 1, text: format!("secret {seat} hand"), why }
        })?;
        found.extend(changes.into_iter().map(|(slot, text)| SaidOfHand { frames, slot, text }));
    }
    Ok(found)
}

/// The slots of the hand of a seat and the texts on them, from items like `3="K`.
fn in_hand(film: &Film, seat: usize, items: &str) -> Result<Vec<(usize, String)>, String> {
    let frame = film.diagram.read_frame(&format!("{items}|hand")).map_err(|bad| bad.why)?;
    if !frame.slides.is_empty() || !frame.marks.is_empty() || !frame.row.is_empty() {
        return Err("a hand has items like SLOT=\"TEXT alone".to_owned());
    }
    let in_hand = |(slot, content): (usize, SlotContent)| match (film.diagram.hand_of(slot), content) {
        (Some(hand), SlotContent::Text(text)) if hand.seat.index() + 1 == seat => Ok((slot, text)),
        (Some(hand), _) if hand.seat.index() + 1 == seat => {
            Err(format!("the content of slot {slot} is no text, like \"K"))
        }
        _ => Err(format!("slot {slot} is not in the hand of seat {seat}")),
    };
    frame.changes.into_iter().map(in_hand).collect()
}

/// Puts what hands hold where the film has `"?`. What is said of a slot on which something else is
/// seen holds for the next `"?` there.
fn open(film: &mut Film, said: Vec<SaidOfHand>) {
    let is_hidden = |content: &SlotContent| matches!(content, SlotContent::Text(text) if text == "?");
    let mut known: Vec<Option<String>> = vec![None; film.start.len()];
    let mut contents = film.start.clone();
    let mut said = said.into_iter().peekable();
    for shown in 0..=film.frames.len() {
        if let Some(frame) = shown.checked_sub(1).map(|at| &mut film.frames[at]) {
            let moved: Vec<Option<String>> =
                frame.slides.iter().map(|(from, _)| known[*from].take()).collect();
            frame.slides.iter().zip(moved).for_each(|((_, to), text)| known[*to] = text);
            for (slot, content) in &mut frame.changes {
                let text = known[*slot].take();
                if let Some(text) = text.filter(|_| is_hidden(content)) {
                    *content = SlotContent::Held(text);
                }
            }
            let _ = frame.apply(&mut contents); // a film names no other slots
        }
        while let Some(SaidOfHand { slot, text, .. }) = said.next_if(|said| said.frames <= shown) {
            if !is_hidden(&contents[slot]) && !matches!(contents[slot], SlotContent::Held(_)) {
                known[slot] = Some(text);
                continue;
            }
            contents[slot] = SlotContent::Held(text);
            match shown.checked_sub(1).map(|at| &mut film.frames[at].changes) {
                None => film.start[slot] = contents[slot].clone(),
                Some(changes) => {
                    changes.retain(|(changed, _)| *changed != slot);
                    changes.push((slot, contents[slot].clone()));
                }
            }
        }
    }
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
        let film = drawing(&whole, true).unwrap().unwrap();
        assert_eq!((film.diagram.slots.len(), film.frames.len()), (1, 1));
        assert_eq!(drawing(&lines(&["<public frame 1", ">answer 1 board"]), true), Ok(None));
        for (wrong, line) in [("<frame 7=1|x", 5), ("<frame 0=1", 5), ("<frame ", 5)] {
            let wrong = lines(&[&board[..], &[wrong]].concat());
            assert_eq!(drawing(&wrong, true).unwrap_err().line, line, "{wrong:?}");
        }
        assert!(drawing(&lines(&board[..2]), true).is_err(), "it has no start");
        assert!(drawing(&lines(&["<frame |x"]), true).is_err(), "it has no board");
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
        let film = by_plies(drawing(&lines, true).unwrap().unwrap(), &lines, 2, 3);
        let texts: Vec<String> = film.frames.iter().map(Frame::to_string).collect();
        assert_eq!(texts, ["|", "0>1 *1|both move", "0=1 1=2|back; and in"]);
        assert_eq!(film.start, [SlotContent::Piece(agon_seats::Seat::FIRST), SlotContent::Empty]);
        // Fewer plies than the lines have, as in a record that somebody has changed.
        assert_eq!(by_plies(drawing(&lines, true).unwrap().unwrap(), &lines, 2, 1).frames.len(), 1);
        assert!(by_plies(drawing(&lines, true).unwrap().unwrap(), &lines, 2, 0).frames.is_empty());
    }

    const HANDS: [&str; 9] = [
        "<board size 300 200",
        "<board slot 50 50 square a",
        "<board slot 150 50 square b",
        "<board slot 50 150 square c",
        "<board hand 1 0 1",
        "<board hand 2 2",
        "<secret 1 hand 0=\"K 1=\"Q",
        "<secret 2 card 9",
        "<board start 0=\"? 1=\"? 2=\"?",
    ];

    fn game(rest: &[&str]) -> Vec<String> {
        lines(&[&HANDS[..], rest].concat())
    }

    /// The start and the frames of a film, as text.
    fn texts(lines: &[String], is_open: bool) -> Vec<String> {
        let text = drawing(lines, is_open).unwrap().unwrap().to_string();
        text.lines().skip_while(|line| !line.starts_with("start")).map(str::to_owned).collect()
    }

    #[test]
    fn what_a_hand_holds_is_in_an_open_film_alone() {
        let lines = game(&[
            "<frame 0=\"K *0|seat 1 shows a king",
            "<secret 2 hand 2=\"J",
            "<frame 1=.|a card goes",
            "<secret 1 hand 1=\"A 0=\"9",
            "<frame 1=\"? 0=\"?|new cards",
            "<frame 1=\"?|a card that nobody knows",
            "<frame 0>1|it moves",
        ]);
        assert_eq!(
            texts(&lines, false),
            [
                "start 0=\"? 1=\"? 2=\"?",
                "0=\"K *0|seat 1 shows a king",
                "1=.|a card goes",
                "1=\"? 0=\"?|new cards",
                "1=\"?|a card that nobody knows",
                "0>1|it moves",
            ]
        );
        assert_eq!(
            texts(&lines, true),
            [
                "start 0=?K 1=?Q 2=\"?",
                "0=\"K 2=?J *0|seat 1 shows a king",
                "1=.|a card goes",
                "1=?A 0=?9|new cards",
                "1=\"?|a card that nobody knows",
                "0>1|it moves",
            ]
        );
    }

    #[test]
    fn a_bad_line_of_a_hand_is_named_and_a_closed_error_says_nothing_of_it() {
        for (line, why) in [
            ("<secret 1 hand 2=\"J", "slot 2 is not in the hand of seat 1"),
            ("<secret 1 hand 0=2", "the content of slot 0 is no text, like \"K"),
            ("<secret 1 hand *0", "a hand has items like SLOT=\"TEXT alone"),
            ("<secret 1 hand 0=\"hidden", "the text on a slot has more than 4 characters"),
        ] {
            let error = drawing(&game(&[line]), true).unwrap_err();
            assert_eq!((error.line, error.why.as_str()), (10, why), "{line}");
            let closed = drawing(&game(&[line]), false).unwrap_err().to_string();
            let public = "line 10 of the referee, \"secret 1 hand\": what it says of a hand cannot be read";
            assert_eq!(closed, public);
        }
        // A frame is public.
        for is_open in [false, true] {
            let error = drawing(&game(&["<frame |a", "<frame 0=?K|b"]), is_open).unwrap_err();
            assert!(error.line == 11 && error.why.contains("secret S hand"), "{error}");
        }
        // Without hands the words of a secret are free.
        let board =
            ["<board size 300 100", "<board slot 50 50 round a", "<board start", "<secret 1 hand 0 a"];
        assert!(drawing(&lines(&board), true).unwrap().is_some());
    }
}
