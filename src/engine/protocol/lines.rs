//! The protocol `lines`, which a student can speak in ten lines of any language.
//!
//! The engine's stdin gets the text of the board file, then each move of its opponents as it is played, one a
//! line. On its turn it writes one line in the same form to stdout. At the end its stdin is closed. Side,
//! dimensions and seconds are its arguments: `./engine W 6 6 3 5`.

/// What lies in the engine's stdin when it starts: the board file.
pub fn greeting(board: &str) -> Vec<u8> {
    board.as_bytes().to_vec()
}

/// What a seat is told when another has moved.
pub fn played(text: &str) -> Vec<u8> {
    format!("{text}\n").into_bytes()
}

/// The usual arguments of an engine: its side, the numbers of the board, the seconds.
pub fn arguments<'a>(settings: impl Iterator<Item = &'a str>) -> Vec<String> {
    let settings = settings.map(|word| format!("{{{word}}}"));
    ["{side}".to_owned()].into_iter().chain(settings).chain(["{seconds}".to_owned()]).collect()
}
