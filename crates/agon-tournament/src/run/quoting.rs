//! Commands that people copy into a shell, and the words in them.
//!
//! The words are for any shell of POSIX, like `dash`, which is `/bin/sh` on many systems.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use agon_match::hosted::HostedRules;
use agon_printable::escape;

/// The command that tries the referee program of a game, with its options and its number of seats.
pub(crate) fn check_referee_command(rules: &HostedRules) -> String {
    let game = shell_path(rules.argument().as_ref());
    let seats = &rules.folder.seats;
    let choice =
        if seats.start() == seats.end() { String::new() } else { format!(" --seats {}", rules.seat_count()) };
    format!("agon check-referee {game}{choice}")
}

/// A path as one word for a shell, with any bytes. A program never takes it for an option.
pub fn shell_path(path: &Path) -> String {
    if path.as_os_str().as_bytes().starts_with(b"-") {
        return shell_word(&Path::new(".").join(path));
    }
    shell_word(path)
}

/// Any bytes as one word for a shell.
pub fn shell_word(word: &Path) -> String {
    let bytes = word.as_os_str().as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:=".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    // Text that a terminal can show, in any language. A backslash is one as well; it is escaped
    // only to be told from escapes.
    let shown = escape(bytes, usize::MAX).replace("\\\\", "\\");
    if shown.as_bytes() == bytes {
        return format!("'{}'", shown.replace('\'', "'\\''"));
    }
    // No raw byte may reach a terminal that shows the script. `$'...'` is not known everywhere. A
    // shell takes newlines from the end of what a command writes.
    let ends = bytes.iter().rev().take_while(|byte| **byte == b'\n').count();
    let mut out = "\"$(printf '".to_owned();
    for byte in &bytes[..bytes.len() - ends] {
        let _ = match byte {
            byte if byte.is_ascii_alphanumeric() || b" /._+,:=".contains(byte) => {
                out.write_char(char::from(*byte))
            }
            byte => write!(out, "\\{byte:03o}"),
        }; // a String takes everything
    }
    out.push_str("')\"");
    if ends > 0 {
        let _ = write!(out, "'{}'", "\n".repeat(ends)); // as above
    }
    out
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_a_word_as_it_was() {
        let words: [&[u8]; 16] = [
            b"plain/path.txt",
            b"",
            b"two words",
            b"it's",
            b"'\"'",
            "ö/日本".as_bytes(),
            b"$HOME `id` $(id) !x",
            b"back\\slash\\n\\101",
            b"a\nb",
            b"at the end\n\n",
            b"\n",
            b"\xff\xfe",
            b"%s%n 100%",
            "\u{202e}right to left".as_bytes(),
            b"\x1b[31mred\t",
            b"*?[a]{b,c}~#;&|<>",
        ];
        for shell in ["dash", "sh", "bash"] {
            let Ok(known) = Command::new(shell).args(["-c", ":"]).status() else { continue };
            assert!(known.success());
            for word in words {
                let quoted = shell_word(Path::new(OsStr::from_bytes(word)));
                let said =
                    Command::new(shell).args(["-c", &format!("printf %s. {quoted}")]).output().unwrap();
                assert_eq!(said.stdout, [word, b"."].concat(), "{shell} {quoted}");
                assert_eq!(said.stderr, b"", "{shell} {quoted}");
                // What a terminal would act on is not in it.
                assert!(
                    quoted.trim_end_matches(['\'', '\n']).chars().all(|letter| !letter.is_control()),
                    "{quoted:?}"
                );
            }
        }
    }

    #[test]
    fn a_path_is_no_option() {
        assert_eq!(shell_path(Path::new("-rf")), "./-rf");
        assert_eq!(shell_path(Path::new("--x y/z")), "'./--x y/z'");
        assert_eq!(shell_path(Path::new("a/-b")), "a/-b");
        assert_eq!(shell_word(Path::new("--x")), "--x");
    }
}
