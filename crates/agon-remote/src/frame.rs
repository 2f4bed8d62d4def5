//! The frames of a connection, and their bytes: one byte for the kind, four for the length of what
//! follows (big-endian), and that.

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
pub enum Frame {
    /// An argument of the engine.
    Argument(Vec<u8>),
    /// A part of a file of the game: its name, and bytes that follow those before.
    File(String, Vec<u8>),
    /// The engine is to be started. Without a connection for so many milliseconds it is to be ended.
    Begin(u32),
    /// Bytes for the engine's stdin.
    Stdin(Vec<u8>),
    /// The engine's stdin is to be closed.
    StdinEnd,
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
}

/// Bytes that are no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the bytes that came are no frame")]
pub struct WrongFrame;

impl Frame {
    /// Whether it is numbered, and sent again after a break.
    pub fn is_numbered(&self) -> bool {
        !matches!(self, Frame::Received(_) | Frame::Echo(_) | Frame::EchoBack(_))
    }

    fn kind(&self) -> u8 {
        match self {
            Frame::Argument(_) => 1,
            Frame::File(..) => 2,
            Frame::Begin(_) => 3,
            Frame::Stdin(_) => 4,
            Frame::StdinEnd => 5,
            Frame::Stdout(_) => 6,
            Frame::Stderr(_) => 7,
            Frame::StdoutEnd => 8,
            Frame::Exit(_) => 9,
            Frame::Received(_) => 10,
            Frame::Echo(_) => 11,
            Frame::EchoBack(_) => 12,
            Frame::Up => 13,
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let body = match self {
            Frame::Argument(bytes) | Frame::Stdin(bytes) | Frame::Stdout(bytes) | Frame::Stderr(bytes) => {
                bytes.clone()
            }
            Frame::File(name, bytes) => [&[name.len() as u8], name.as_bytes(), bytes].concat(),
            Frame::Begin(grace) => grace.to_be_bytes().to_vec(),
            Frame::StdinEnd | Frame::StdoutEnd | Frame::Up => Vec::new(),
            Frame::Exit(Ended::Code(code)) => vec![0, *code],
            Frame::Exit(Ended::Signal(signal)) => vec![1, *signal],
            Frame::Exit(Ended::NotStarted) => vec![2, 0],
            Frame::Received(number) | Frame::Echo(number) | Frame::EchoBack(number) => {
                number.to_be_bytes().to_vec()
            }
        };
        let mut bytes = vec![self.kind()];
        bytes.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(body);
        bytes
    }

    fn read(kind: u8, body: &[u8]) -> Result<Frame, WrongFrame> {
        let number = || Ok(u64::from_be_bytes(body.try_into().map_err(|_| WrongFrame)?));
        Ok(match kind {
            1 => Frame::Argument(body.to_vec()),
            2 => {
                let (length, rest) = body.split_first().ok_or(WrongFrame)?;
                let (name, bytes) = rest.split_at_checked(usize::from(*length)).ok_or(WrongFrame)?;
                let name = std::str::from_utf8(name).map_err(|_| WrongFrame)?;
                Frame::File(name.to_owned(), bytes.to_vec())
            }
            3 => Frame::Begin(u32::from_be_bytes(body.try_into().map_err(|_| WrongFrame)?)),
            4 => Frame::Stdin(body.to_vec()),
            5 if body.is_empty() => Frame::StdinEnd,
            6 => Frame::Stdout(body.to_vec()),
            7 => Frame::Stderr(body.to_vec()),
            8 if body.is_empty() => Frame::StdoutEnd,
            9 => match body {
                [0, code] => Frame::Exit(Ended::Code(*code)),
                [1, signal] => Frame::Exit(Ended::Signal(*signal)),
                [2, 0] => Frame::Exit(Ended::NotStarted),
                _ => return Err(WrongFrame),
            },
            10 => Frame::Received(number()?),
            11 => Frame::Echo(number()?),
            12 => Frame::EchoBack(number()?),
            13 if body.is_empty() => Frame::Up,
            _ => return Err(WrongFrame),
        })
    }
}

/// Cuts what comes into frames.
#[derive(Default, Debug)]
pub struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Adds bytes that came.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame.
    ///
    /// # Errors
    /// [`WrongFrame`]: the connection cannot go on.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, WrongFrame> {
        let Some((head, rest)) = self.bytes.split_at_checked(5) else { return Ok(None) };
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MOST {
            return Err(WrongFrame);
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let frame = Frame::read(head[0], body)?;
        self.bytes.drain(..5 + length);
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn all() -> Vec<Frame> {
        vec![
            Frame::Argument(b"W".to_vec()),
            Frame::File("board".to_owned(), b"4 4 4\n".to_vec()),
            Frame::Begin(5000),
            Frame::Stdin(b"W,11\n".to_vec()),
            Frame::StdinEnd,
            Frame::Up,
            Frame::Stdout(b"B,12\n".to_vec()),
            Frame::Stderr(Vec::new()),
            Frame::StdoutEnd,
            Frame::Exit(Ended::Code(3)),
            Frame::Exit(Ended::Signal(11)),
            Frame::Exit(Ended::NotStarted),
            Frame::Received(u64::MAX),
            Frame::Echo(1),
            Frame::EchoBack(2),
        ]
    }

    #[test]
    fn every_frame_reads_back_however_its_bytes_arrive() {
        let bytes: Vec<u8> = all().iter().flat_map(Frame::bytes).collect();
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
        for bytes in [too_long, unknown, short_number, short_name, loud_end] {
            let mut frames = Frames::default();
            frames.add(&bytes);
            assert_eq!(frames.next_frame(), Err(WrongFrame), "{bytes:?}");
        }
    }
}
