//! The legal moves as a person chooses among them: by a word alone, or by the points they make.

use agon_games::{Game, Rules};

/// The legal moves that are this word at some place, in games whose moves are a place and a word.
/// All of them take the same letters, and so they are worth the same.
pub fn places_of(game: &dyn Game, word: &str) -> Vec<String> {
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for mv in game.moves().iter().filter(|mv| mv.matches(',').count() > 1) {
        // The letters of the place may make several words, of which one is listed.
        let Some((place, _)) = mv.rsplit_once(',') else { continue };
        if let Ok((text, _)) = game.read(format!("{place},{word}").as_bytes())
            && !found.contains(&text)
        {
            found.push(text);
        }
    }
    found
}

/// Why a line is no move, if it is a word alone in a game whose moves are a place and a word.
pub(crate) fn why_no_word(game: &dyn Game, word: &str) -> Option<String> {
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_words = game.moves().iter().any(|mv| mv.matches(',').count() > 1);
    (is_word && has_words).then(|| {
        format!(
            "{word} cannot be taken: it is no word of the dictionary, or its letters do not lie on one line"
        )
    })
}

/// The first so many legal moves, each with the points that it makes at once.
pub(crate) fn with_points(rules: &dyn Rules, game: &dyn Game, most: usize) -> Vec<(String, i32)> {
    let position = game.text();
    let points = |text: String| {
        let played = rules.resume(&position).and_then(|mut after| after.play(text.as_bytes()));
        let points = played.map_or(0, |played| played.points);
        (text, points)
    };
    game.moves().into_iter().take(most).map(points).collect()
}
