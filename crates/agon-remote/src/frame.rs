//! The frames of a connection, and their bytes: one byte for the kind, four for the length of what
//! follows (big-endian), and that.

use crate::claim::FarClaim;

/// The most bytes that follow the head of a frame.
pub const MOST: usize = 256 * 1024;

/// How the engine ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With this exit status.
    Code(u8),
    /// By this signal.
    Signal(u8),
    /// It could not be started.
    NotStarted,
}

/// What one side sends the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WireFrame {
    /// An argument of the engine.
    Argument(Vec<u8>),
    /// A part of a file of the game: its name, and bytes that follow those before.
    File(String, Vec<u8>),
    /// The engine is to be started. Without a connection for so many milliseconds it is to be
    /// ended.
    Begin(u32),
    /// Bytes for the engine's stdin.
    Stdin(Vec<u8>),
    /// The engine's stdin is to be closed.
    StdinEnd,
    /// The game is paused: the engine is to be stopped.
    Pause,
    /// The pause is over.
    Resume,
    /// The engine has read what it was told first.
    Up,
    /// Bytes from the engine's stdout.
    Stdout(Vec<u8>),
    /// Bytes from the engine's stderr.
    Stderr(Vec<u8>),
    /// The engine has closed its stdout.
    StdoutEnd,
    /// The engine has ended.
    Exit(Ended),
    /// So many numbered frames have come.
    Received(u64),
    /// Is to be sent back.
    Echo(u64),
    /// What was sent back.
    EchoBack(u64),
    /// Is to be answered with what is known of the engine's time, after so many microseconds of
    /// computing. Both sides must have version 2 for this and the next two.
    Look(u64, u32),
    /// The answer to a look.
    Seen(u64, FarClaim),
    /// Bytes from the engine's stdout, and how it has spent the time since it was told something.
    Answer(FarClaim, Vec<u8>),
}

/// Bytes that are no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the bytes that came are no frame")]
pub struct WrongFrame;

impl WireFrame {
    /// Whether it is numbered, and sent again after a break.
    pub fn is_numbered(&self) -> bool {
        !matches!(
            self,
            WireFrame::Received(_)
                | WireFrame::Echo(_)
                | WireFrame::EchoBack(_)
                | WireFrame::Look(..)
                | WireFrame::Seen(..)
        )
    }

    /// Whether it brings nothing: neither bytes nor news of the engine.
    pub(crate) fn is_light(&self) -> bool {
        match self {
            WireFrame::Stdout(bytes)
            | WireFrame::Answer(_, bytes)
            | WireFrame::Stderr(bytes)
            | WireFrame::Stdin(bytes) => bytes.is_empty(),
            _ => !matches!(self, WireFrame::Exit(_) | WireFrame::StdoutEnd | WireFrame::Up),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            WireFrame::Argument(_) => 1,
            WireFrame::File(..) => 2,
            WireFrame::Begin(_) => 3,
            WireFrame::Stdin(_) => 4,
            WireFrame::StdinEnd => 5,
            WireFrame::Stdout(_) => 6,
            WireFrame::Stderr(_) => 7,
            WireFrame::StdoutEnd => 8,
            WireFrame::Exit(_) => 9,
            WireFrame::Received(_) => 10,
            WireFrame::Echo(_) => 11,
            WireFrame::EchoBack(_) => 12,
            WireFrame::Up => 13,
            WireFrame::Pause => 14,
            WireFrame::Resume => 15,
            WireFrame::Look(..) => 16,
            WireFrame::Seen(..) => 17,
            WireFrame::Answer(..) => 18,
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let body = match self {
            WireFrame::Argument(bytes)
            | WireFrame::Stdin(bytes)
            | WireFrame::Stdout(bytes)
            | WireFrame::Stderr(bytes) => bytes.clone(),
            WireFrame::File(name, bytes) => [&[name.len() as u8], name.as_bytes(), bytes].concat(),
            WireFrame::Begin(grace) => grace.to_be_bytes().to_vec(),
            WireFrame::StdinEnd
            | WireFrame::StdoutEnd
            | WireFrame::Up
            | WireFrame::Pause
            | WireFrame::Resume => Vec::new(),
            WireFrame::Exit(Ended::Code(code)) => vec![0, *code],
            WireFrame::Exit(Ended::Signal(signal)) => vec![1, *signal],
            WireFrame::Exit(Ended::NotStarted) => vec![2, 0],
            WireFrame::Received(number) | WireFrame::Echo(number) | WireFrame::EchoBack(number) => {
                number.to_be_bytes().to_vec()
            }
            WireFrame::Look(number, work) => [&number.to_be_bytes()[..], &work.to_be_bytes()].concat(),
            WireFrame::Seen(number, claim) => [&number.to_be_bytes()[..], &claim.bytes()].concat(),
            WireFrame::Answer(claim, bytes) => [&claim.bytes()[..], bytes].concat(),
        };
        let mut bytes = vec![self.kind()];
        bytes.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(body);
        bytes
    }

    fn read(kind: u8, body: &[u8]) -> Result<WireFrame, WrongFrame> {
        let number = || Ok(u64::from_be_bytes(body.try_into().map_err(|_| WrongFrame)?));
        Ok(match kind {
            1 => WireFrame::Argument(body.to_vec()),
            2 => {
                let (length, rest) = body.split_first().ok_or(WrongFrame)?;
                let (name, bytes) = rest.split_at_checked(usize::from(*length)).ok_or(WrongFrame)?;
                let name = std::str::from_utf8(name).map_err(|_| WrongFrame)?;
                WireFrame::File(name.to_owned(), bytes.to_vec())
            }
            3 => WireFrame::Begin(u32::from_be_bytes(body.try_into().map_err(|_| WrongFrame)?)),
            4 => WireFrame::Stdin(body.to_vec()),
            5 if body.is_empty() => WireFrame::StdinEnd,
            6 => WireFrame::Stdout(body.to_vec()),
            7 => WireFrame::Stderr(body.to_vec()),
            8 if body.is_empty() => WireFrame::StdoutEnd,
            9 => match body {
                [0, code] => WireFrame::Exit(Ended::Code(*code)),
                [1, signal] => WireFrame::Exit(Ended::Signal(*signal)),
                [2, 0] => WireFrame::Exit(Ended::NotStarted),
                _ => return Err(WrongFrame),
            },
            10 => WireFrame::Received(number()?),
            11 => WireFrame::Echo(number()?),
            12 => WireFrame::EchoBack(number()?),
            13 if body.is_empty() => WireFrame::Up,
            14 if body.is_empty() => WireFrame::Pause,
            15 if body.is_empty() => WireFrame::Resume,
            16 => {
                let (number, work) = split::<8>(body)?;
                WireFrame::Look(u64::from_be_bytes(number), u32::from_be_bytes(whole(work)?))
            }
            17 => {
                let (number, claim) = split::<8>(body)?;
                WireFrame::Seen(u64::from_be_bytes(number), FarClaim::read(whole(claim)?))
            }
            18 => {
                let (claim, bytes) = split::<{ FarClaim::SIZE }>(body)?;
                WireFrame::Answer(FarClaim::read(claim), bytes.to_vec())
            }
            _ => return Err(WrongFrame),
        })
    }
}

/// The first bytes of a frame, and the rest.
fn split<const SIZE: usize>(body: &[u8]) -> Result<([u8; SIZE], &[u8]), WrongFrame> {
    let (first, rest) = body.split_first_chunk().ok_or(WrongFrame)?;
    Ok((*first, rest))
}

fn whole<const SIZE: usize>(bytes: &[u8]) -> Result<[u8; SIZE], WrongFrame> {
    bytes.try_into().map_err(|_| WrongFrame)
}

/// Cuts what comes into frames.
#[derive(Default, Debug)]
pub struct Frames {
    bytes: Vec<u8>,
    /// How many of them have been read.
    read: usize,
}

impl Frames {
    /// Adds bytes that came.
    pub fn add(&mut self, bytes: &[u8]) {
        // Cleared here and not at each frame: what stays is moved once for all of them.
        self.bytes.drain(..std::mem::take(&mut self.read));
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame.
    ///
    /// # Errors
    /// [`WrongFrame`]: the connection cannot go on.
    pub fn next_frame(&mut self) -> Result<Option<WireFrame>, WrongFrame> {
        let Some((head, rest)) = self.bytes[self.read..].split_at_checked(5) else { return Ok(None) };
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MOST {
            return Err(WrongFrame);
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let frame = WireFrame::read(head[0], body)?;
        self.read += 5 + length;
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn all() -> Vec<WireFrame> {
        let micros = std::time::Duration::from_micros;
        let claim = FarClaim { own: micros(u64::MAX), ran: micros(80_001) };
        vec![
            WireFrame::Argument(b"W".to_vec()),
            WireFrame::File("board".to_owned(), b"4 4 4\n".to_vec()),
            WireFrame::Begin(5000),
            WireFrame::Stdin(b"W,11\n".to_vec()),
            WireFrame::StdinEnd,
            WireFrame::Up,
            WireFrame::Pause,
            WireFrame::Resume,
            WireFrame::Stdout(b"B,12\n".to_vec()),
            WireFrame::Stderr(Vec::new()),
            WireFrame::StdoutEnd,
            WireFrame::Exit(Ended::Code(3)),
            WireFrame::Exit(Ended::Signal(11)),
            WireFrame::Exit(Ended::NotStarted),
            WireFrame::Received(u64::MAX),
            WireFrame::Echo(1),
            WireFrame::EchoBack(2),
            WireFrame::Look(3, 5000),
            WireFrame::Seen(3, claim),
            WireFrame::Answer(claim, b"B,12\n".to_vec()),
        ]
    }

    #[test]
    fn every_frame_reads_back_however_its_bytes_arrive() {
        let bytes: Vec<u8> = all().iter().flat_map(WireFrame::bytes).collect();
        for step in [1, 2, 7, bytes.len()] {
            let (mut frames, mut read) = (Frames::default(), Vec::new());
            for part in bytes.chunks(step) {
                frames.add(part);
                while let Some(frame) = frames.next_frame().unwrap() {
                    read.push(frame);
                }
            }
            assert_eq!(read, all());
        }
    }

    #[test]
    fn bytes_that_are_no_frame_are_refused() {
        let too_long = [&[4][..], &(MOST as u32 + 1).to_be_bytes()].concat();
        let unknown = vec![0, 0, 0, 0, 0];
        let short_number = vec![10, 0, 0, 0, 1, 1];
        let short_name = vec![2, 0, 0, 0, 2, 9, b'a'];
        let loud_end = vec![5, 0, 0, 0, 1, 1];
        let long_look = vec![16, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let short_claim = vec![18, 0, 0, 0, 3, 0, 0, 0];
        for bytes in [too_long, unknown, short_number, short_name, loud_end, long_look, short_claim] {
            let mut frames = Frames::default();
            frames.add(&bytes);
            assert_eq!(frames.next_frame(), Err(WrongFrame), "{bytes:?}");
        }
    }
}
