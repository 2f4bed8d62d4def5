//! Moves as people list them, with or without their sides, played one after the other.

use agon_printable::escape;

use crate::{Game, Refusal, Rules, Seat, Status};

/// A move in the form for [`Game::play`]: with the side to move in front, unless it names a side.
pub fn with_side(text: &str, seats: &[&str], to_move: Seat) -> String {
    let named = text.split_once(',').is_some_and(|(first, _)| is_seat(first, seats));
    if named { text.to_owned() } else { format!("{},{text}", seats[to_move.index()]) }
}

/// A move of a list that was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number}, \"{}\": {refusal}", escape(.text.as_bytes(), 60))]
pub struct Stuck {
    /// Its number in the list, from 1.
    pub number: usize,
    /// Its text.
    pub text: String,
    /// Why it was refused.
    pub refusal: Refusal,
}

/// Plays moves one after the other, each with or without its side letter. Returns them normalised,
/// with their sides.
///
/// # Errors
/// [`Stuck`], with the first refused move; the moves before it have been played.
pub fn play_all<'a>(
    game: &mut dyn Game,
    seats: &[&str],
    moves: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<String>, Stuck> {
    play_each(game, seats, moves, |game, line| game.play(line).map(|played| played.text))
}

/// The moves from a position as people write them, without their sides. `None` where that is the
/// text of the moves, and where they cannot be played.
pub(crate) fn shown<'a>(
    rules: &dyn Rules,
    start: &str,
    moves: impl IntoIterator<Item = &'a str>,
) -> Option<Vec<String>> {
    let mut game = rules.resume(start).ok()?;
    let seats = rules.seats();
    let one = |text: &str| {
        let line = with_side(text, seats, game.to_move());
        let shown = game.shown(line.as_bytes())?;
        game.play(line.as_bytes()).ok().map(|_| shown)
    };
    moves.into_iter().map(one).collect()
}

/// Plays moves by `play`, and returns its results.
pub(crate) fn play_each<'a, T>(
    game: &mut dyn Game,
    seats: &[&str],
    moves: impl IntoIterator<Item = &'a str>,
    play: impl Fn(&mut dyn Game, &[u8]) -> Result<T, Refusal>,
) -> Result<Vec<T>, Stuck> {
    let one = |(number, text): (usize, &str)| {
        let line = match game.status() {
            Status::ToMove(seat) => with_side(text, seats, seat),
            Status::Over(_) => text.to_owned(),
        };
        play(game, line.as_bytes()).map_err(|refusal| Stuck { number, text: text.to_owned(), refusal })
    };
    (1..).zip(moves).map(one).collect()
}

fn is_seat(text: &str, seats: &[&str]) -> bool {
    seats.iter().any(|name| name.eq_ignore_ascii_case(text))
}
