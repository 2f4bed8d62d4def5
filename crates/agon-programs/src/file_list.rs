//! The list of files of a kept copy: plain text, whatever the files are called.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A row of the list of files: the hash and the path.
pub(super) fn row(hash: &str, path: &Path) -> String {
    let mut row = format!("{hash} ");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' => {
                row.push(char::from(*byte));
            }
            other => row.push_str(&format!("%{other:02x}")),
        }
    }
    row + "\n"
}

/// The rows of a list: hashes and paths.
pub(super) fn rows(list: &[u8]) -> impl Iterator<Item = (&[u8], PathBuf)> {
    let lines = list.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| {
        let mut words = line.splitn(2, |byte| *byte == b' ');
        let (hash, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        (hash, PathBuf::from(OsString::from_vec(decoded(path))))
    })
}

/// The bytes of a path in the list.
fn decoded(path: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn a_list_is_plain_text_and_gives_back_the_names_that_it_was_made_of() {
        let names: [&[u8]; 5] = [b"bot/run", b"a b\n%41\0x", b"\xff\x1b[2J", "\u{202e}ö".as_bytes(), b"%zz%"];
        let paths = names.map(|name| Path::new(OsStr::from_bytes(name)));
        let list: String = paths.iter().map(|path| row("00ff", path)).collect();
        assert!(list.bytes().all(|byte| byte.is_ascii_graphic() || b" \n".contains(&byte)), "{list:?}");
        let found: Vec<_> = rows(list.as_bytes()).collect();
        assert_eq!(found, paths.map(|path| (&b"00ff"[..], path.to_owned())));
    }
}
