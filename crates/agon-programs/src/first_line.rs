//! The first line of a script: what the system starts for it, as Linux and `env` read it.
//!
//! It is read to say why a script is not started. What a box shows is in `manifest`, which reads
//! nothing.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a first line names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FirstLine {
    /// The program that the kernel starts.
    pub(super) interpreter: PathBuf,
    /// What that starts, if it is `env`.
    pub(super) by_env: Option<ByEnv>,
}

/// What `env` does with its words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ByEnv {
    /// It starts the program at this path.
    Path(PathBuf),
    /// It looks for a program of this name in `PATH`.
    Name(PathBuf),
    /// It refuses its words: the kernel gives it all of them as one.
    OneWord(String),
    /// That depends on more than the line.
    Unknown,
}

impl FirstLine {
    /// The first line of a file that begins like this; `None` if it is no script, or names nothing.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = line.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (interpreter, argument) = line.split_at(end);
        if interpreter.is_empty() {
            return None;
        }
        let interpreter = path(interpreter);
        let is_env = interpreter.file_name().is_some_and(|name| name == "env");
        Some(FirstLine { by_env: is_env.then(|| by_env(argument.trim_ascii())), interpreter })
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}

/// What `env` does with the one argument that the kernel gives it.
fn by_env(argument: &[u8]) -> ByEnv {
    // Other kernels give it several words.
    if cfg!(target_os = "macos") {
        return words(argument).map_or(ByEnv::Unknown, |words| after_options(&words));
    }
    match split(argument) {
        Some(text) => words(text).map_or(ByEnv::Unknown, |words| after_options(&words)),
        // Options are one word here, and of one word no option takes a blank.
        None if argument.starts_with(b"-") && argument.contains(&b' ') => {
            ByEnv::OneWord(String::from_utf8_lossy(argument).into_owned())
        }
        None => after_options(&[argument.to_vec()]),
    }
}

/// What is behind `-S`, which has `env` split it into words.
fn split(argument: &[u8]) -> Option<&[u8]> {
    if let Some(text) = argument.strip_prefix(b"--split-string=") {
        return Some(text);
    }
    let letters = argument.strip_prefix(b"-")?;
    let at = letters.iter().position(|letter| !b"iv0".contains(letter))?;
    (letters[at] == b'S').then(|| &letters[at + 1..])
}

/// The words of a text with quotes; `None` if it needs more than the line to know them.
fn words(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<Vec<u8>>, None);
    let mut rest = text.iter().copied();
    while let Some(byte) = rest.next() {
        match (byte, quote) {
            (b'$', None | Some(b'"')) => return None,
            (b'\\', _) => match rest.next()? {
                escaped @ (b'"' | b'\'' | b'\\' | b'#' | b'$') => word.get_or_insert_default().push(escaped),
                _ => return None,
            },
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            (b'#', None) if word.is_none() => break,
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// What `env` starts with these words.
fn after_options(words: &[Vec<u8>]) -> ByEnv {
    let (mut searches, mut stays) = (true, true);
    let mut words = words.iter().map(Vec::as_slice);
    let mut next = words.next();
    while let Some(word) = next.filter(|word| word.starts_with(b"-")) {
        let mut unset = |name: Option<&[u8]>| searches &= name.is_some_and(|name| name != b"PATH");
        match word {
            b"--" => {
                next = words.next();
                break;
            }
            b"-" | b"--ignore-environment" => searches = false,
            b"-u" | b"--unset" => unset(words.next()),
            b"-C" | b"--chdir" => _ = (words.next(), stays = false),
            b"-v" | b"--debug" => {}
            word if word.starts_with(b"--unset=") => unset(word.get(8..)),
            word if word.starts_with(b"--chdir=") => stays = false,
            word if word.starts_with(b"-u") => unset(word.get(2..)),
            word if word.starts_with(b"-C") => stays = false,
            word if word[1..].iter().all(|letter| b"iv".contains(letter)) => {
                searches &= !word.contains(&b'i');
            }
            _ => return ByEnv::Unknown,
        }
        next = words.next();
    }
    while let Some(word) = next.filter(|word| word.contains(&b'=')) {
        searches &= !word.starts_with(b"PATH=");
        next = words.next();
    }
    match next {
        Some(word) if word.contains(&b'/') && (stays || word.starts_with(b"/")) => ByEnv::Path(path(word)),
        Some(word) if !word.is_empty() && !word.contains(&b'/') && searches => ByEnv::Name(path(word)),
        _ => ByEnv::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_the_kernel_and_env_read_it() {
        let path = |text: &str| ByEnv::Path(PathBuf::from(text));
        let name = |text: &str| ByEnv::Name(PathBuf::from(text));
        for (line, by_env) in [
            ("/usr/bin/env /opt/x", path("/opt/x")),
            ("/usr/bin/env\t /opt/x \t", path("/opt/x")),
            ("/usr/bin/env python3", name("python3")),
            // The kernel gives all that follows as one word.
            ("/usr/bin/env python3 -u", name("python3 -u")),
            ("/usr/bin/env -i /opt/x", ByEnv::OneWord("-i /opt/x".to_owned())),
            ("/usr/bin/env -S -i /opt/x", path("/opt/x")),
            ("/usr/bin/env -iS /opt/x -y", path("/opt/x")),
            ("/usr/bin/env -S/opt/x", path("/opt/x")),
            ("/usr/bin/env --split-string=/opt/x y", path("/opt/x")),
            ("/usr/bin/env -S -u /home/x /usr/bin/python3", path("/usr/bin/python3")),
            ("/usr/bin/env -S -u/home/x --unset=/y -- A=/z /usr/bin/python3", path("/usr/bin/python3")),
            ("/usr/bin/env -S \"/opt/a b/x\" 'y z'", path("/opt/a b/x")),
            ("/usr/bin/env -S \"-u\" FOO python3", name("python3")),
            ("/usr/bin/env -S A=b python3 # c", name("python3")),
            ("/usr/bin/env -S -C /tmp /opt/x", path("/opt/x")),
            // These depend on where it looks, or on what else there is.
            ("/usr/bin/env -S -C /tmp ./x", ByEnv::Unknown),
            ("/usr/bin/env -S -i python3", ByEnv::Unknown),
            ("/usr/bin/env -S -u PATH python3", ByEnv::Unknown),
            ("/usr/bin/env -S PATH=/opt/x python3", ByEnv::Unknown),
            ("/usr/bin/env -S ${HOME}/x", ByEnv::Unknown),
            ("/usr/bin/env -S \"x", ByEnv::Unknown),
            ("/usr/bin/env -S --argv0=x python3", ByEnv::Unknown),
            ("/usr/bin/env", ByEnv::Unknown),
        ] {
            let found = FirstLine::of(format!("#!{line}\nmore").as_bytes()).unwrap();
            assert_eq!(found.interpreter, Path::new("/usr/bin/env"), "{line}");
            assert_eq!(found.by_env, Some(by_env), "{line}");
        }
        let found = FirstLine::of(b"#! /opt/x/python3 -u\n").unwrap();
        assert_eq!(found, FirstLine { interpreter: PathBuf::from("/opt/x/python3"), by_env: None });
        for head in [&b"#!\n/bin/sh"[..], b"#!", b"", b"\x7fELF", b"#! \t\n"] {
            assert_eq!(FirstLine::of(head), None);
        }
    }
}
