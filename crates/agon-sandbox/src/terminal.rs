//! A pseudo-terminal as the stdin and stdout of a program that is made for people.
//!
//! It is made before the program starts and inherited by it, so a box needs no `/dev/pts`. Nothing
//! is echoed, and no character that is read or written is translated. The program's input comes in
//! lines, because only then can its end be told while its output can still be read.

use std::borrow::Cow;
use std::io;
use std::os::fd::OwnedFd;

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
};

use crate::system;

/// The size of the window: wide enough that no program has to break a line.
const WINDOW: Winsize = Winsize { ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 };
/// The most bytes of a line that a terminal is given at a time: it drops what is over 4095.
const PIECE: usize = 2048;
/// The character that ends the input, or hands over a line that has been begun.
const END: u8 = 4;

/// Makes a terminal: our end, and the end of the program.
///
/// # Errors
/// There are no more descriptors or terminals.
pub(crate) fn open() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = system::pseudo_terminal()?;
    let mut mode = tcgetattr(&theirs)?;
    mode.make_raw();
    mode.local_modes |= LocalModes::ICANON;
    mode.special_codes[SpecialCodeIndex::VEOF] = END;
    tcsetattr(&theirs, OptionalActions::Now, &mode)?;
    tcsetwinsize(&theirs, WINDOW)?;
    Ok((ours, theirs))
}

/// The text as a terminal takes it: a long line in pieces.
pub fn in_pieces(text: &[u8]) -> Cow<'_, [u8]> {
    if text.split(|byte| *byte == b'\n').all(|line| line.len() <= PIECE) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    Cow::Owned(
        lines.map(|line| line.chunks(PIECE).collect::<Vec<_>>().join(&END)).collect::<Vec<_>>().concat(),
    )
}

/// Tells the program that its input has ended; its output can still be read. `false` if it takes
/// single characters, so that it can be told only by closing the terminal.
pub fn end_input(ours: &OwnedFd) -> bool {
    let takes_lines = tcgetattr(ours).is_ok_and(|mode| {
        mode.local_modes.contains(LocalModes::ICANON) && mode.special_codes[SpecialCodeIndex::VEOF] == END
    });
    // Of two, the first may only hand over a line that has been begun.
    takes_lines && rustix::io::write(ours, &[END, END]) == Ok(2)
}

/// How many bytes of what it was told the program has not read, as far as it can be seen.
pub fn unread(ours: &OwnedFd) -> u64 {
    let unread = system::other_end(ours).ok().and_then(|theirs| rustix::io::ioctl_fionread(theirs).ok());
    unread.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn unread_becomes(ours: &OwnedFd, wanted: u64) -> bool {
        let until = Instant::now() + Duration::from_secs(5);
        while unread(ours) != wanted && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        unread(ours) == wanted
    }

    fn read(from: &OwnedFd) -> Vec<u8> {
        let mut room = [0; 8192];
        let read = rustix::io::read(from, &mut room).unwrap();
        room[..read].to_vec()
    }

    #[test]
    fn what_is_told_and_said_arrives_unchanged_and_without_an_echo() {
        let (ours, theirs) = open().unwrap();
        assert!(rustix::termios::isatty(&theirs));
        rustix::io::write(&ours, b"4\n\r5\n").unwrap();
        assert!(unread_becomes(&ours, 5), "{}", unread(&ours));
        assert_eq!([read(&theirs), read(&theirs)], [b"4\n".to_vec(), b"\r5\n".to_vec()]);
        assert_eq!(unread(&ours), 0);
        rustix::io::write(&theirs, b"a\nb\r\n").unwrap();
        assert_eq!(read(&ours), b"a\nb\r\n");
    }

    #[test]
    fn the_end_of_the_input_leaves_the_output_open() {
        let (ours, theirs) = open().unwrap();
        rustix::io::write(&ours, b"4").unwrap();
        assert!(end_input(&ours));
        assert_eq!([read(&theirs), read(&theirs)], [b"4".to_vec(), Vec::new()]);
        rustix::io::write(&theirs, b"bye\n").unwrap();
        drop(theirs);
        assert_eq!(read(&ours), b"bye\n");
        assert_eq!(rustix::io::read(&ours, &mut [0; 9]), Err(rustix::io::Errno::IO), "nobody has it open");
    }

    #[test]
    fn a_program_that_takes_single_characters_is_told_of_no_end() {
        let (ours, theirs) = open().unwrap();
        let mut mode = tcgetattr(&theirs).unwrap();
        mode.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &mode).unwrap();
        assert!(!end_input(&ours));
    }

    #[test]
    fn a_line_that_is_longer_than_a_terminal_holds_arrives_whole() {
        let (ours, theirs) = open().unwrap();
        let line = [vec![b'a'; 3 * PIECE], b"\nb\n".to_vec()].concat();
        let reading = std::thread::spawn(move || {
            let mut all = Vec::new();
            while !all.ends_with(b"\nb\n") {
                all.extend(read(&theirs));
            }
            all
        });
        let told = in_pieces(&line);
        let mut rest = &told[..];
        while !rest.is_empty() {
            rest = &rest[rustix::io::write(&ours, rest).unwrap()..];
        }
        assert_eq!(reading.join().unwrap(), line);
        assert!(matches!(in_pieces(b"short\n"), Cow::Borrowed(_)));
    }
}
