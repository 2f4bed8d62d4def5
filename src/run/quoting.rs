//! Commands that people copy into a shell, and the paths in them.

use crate::hosted::HostedRules;

/// The command that tries the referee program of a game, with its options and its number of seats.
pub fn check_referee_command(rules: &HostedRules) -> String {
    let game = shell_word(rules.argument().as_ref());
    let seats = &rules.folder.seats;
    let choice =
        if seats.start() == seats.end() { String::new() } else { format!(" --seats {}", rules.seat_count()) };
    format!("agon check-referee {game}{choice}")
}

/// A path as one word for a shell, with any bytes.
pub fn shell_word(path: &std::path::Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:=".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    if bytes.iter().all(|byte| (b' '..=b'~').contains(byte)) {
        return format!("'{}'", String::from_utf8_lossy(bytes).replace('\'', "'\\''"));
    }
    // `$'...'` with octal escapes, so that no raw byte reaches a terminal that shows the script.
    let escaped: String = bytes
        .iter()
        .map(|byte| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            _ => format!("\\{byte:03o}"),
        })
        .collect();
    format!("$'{escaped}'")
}
