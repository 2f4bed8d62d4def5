//! What the harness and its helpers send each other over their socket: one request, then short
//! messages.
//!
//! An engine sees none of it: the socket is closed when its program begins, and nothing stands in
//! arguments or in the environment. Both sides are the same program, so the format needs no
//! version: numbers of eight bytes, and texts and lists with their length before them.

use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::time::Duration;

use crate::levels::Account;

/// The longest message there is. An environment and arguments of more than that do not start
/// anywhere.
const LONGEST: u32 = 64 << 20;

/// What a helper is to start, and how.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct BoxRequest {
    /// The program, absolute.
    pub(super) program: CString,
    /// Its arguments; the first is the name it is called by.
    pub(super) arguments: Vec<CString>,
    /// Its whole environment.
    pub(super) environment: Vec<CString>,
    /// Where it is started, absolute.
    pub(super) directory: CString,
    /// What each of its processes may use.
    pub(super) allowance: Allowance,
    /// The box it is put into.
    pub(super) spec: BoxSpec,
}

/// What each process of an engine may use, for the kernel to see to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Allowance {
    /// Bytes of memory of its own.
    pub(super) data: u64,
    /// Bytes in a file.
    pub(super) file: u64,
    /// Processes and threads of the same user in the same box; nothing outside of a box, where it
    /// would count the user's own.
    pub(super) processes: Option<u32>,
}

/// A box: what is in it.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct BoxSpec {
    /// The directory with the files of the game, which become files of the box.
    pub(super) files: CString,
    /// What else can be read in it, at its own place: files and directories with all below them.
    pub(super) shown: Vec<CString>,
    /// The user and group an engine becomes when root starts it; else it stays who it is.
    pub(super) identity: Option<u32>,
    /// How much can be written in it, in bytes.
    pub(super) size: u64,
    /// Whether it is to stay on the cores it is started on.
    pub(super) pinned: bool,
    /// The control groups it is put into, at the level that has them.
    pub(super) groups: Option<Directories>,
}

/// The control groups of a box, as directories.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Directories {
    /// For the warden and all that it starts: the one of version 2 first.
    pub(super) all: Vec<CString>,
    /// For the engine alone, below the first of these, so that it is stopped without its warden.
    pub(super) engine: CString,
}

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum MessageKind {
    /// To the helper: a [`BoxRequest`].
    Request = b'Q',
    /// To the warden: stop everything in the box.
    Freeze = b'F',
    /// To the warden, and back when it is done: let everything go on, and wait until the engine
    /// waits.
    Thaw = b'T',
    /// To the warden of a box that others let go on: only the waiting. The answer is
    /// [`MessageKind::Thaw`].
    Settle = b'S',
    /// To the harness: the program has begun.
    Running = b'R',
    /// To the harness: the program cannot be started; the number of the error.
    NoProgram = b'P',
    /// To the harness: the directory cannot be entered; the number of the error.
    NoDirectory = b'D',
    /// To the harness: the box could not be built; what failed, in words.
    NoBox = b'B',
    /// To the harness: the engine has ended; an account of it.
    Ended = b'E',
}

impl MessageKind {
    const ALL: [MessageKind; 9] = [
        MessageKind::Request,
        MessageKind::Freeze,
        MessageKind::Thaw,
        MessageKind::Settle,
        MessageKind::Running,
        MessageKind::NoProgram,
        MessageKind::NoDirectory,
        MessageKind::NoBox,
        MessageKind::Ended,
    ];
}

impl BoxRequest {
    /// As the bytes of a message.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Encoder(Vec::new());
        bytes.text(&self.program);
        bytes.texts(&self.arguments);
        bytes.texts(&self.environment);
        bytes.text(&self.directory);
        bytes.number(self.allowance.data);
        bytes.number(self.allowance.file);
        bytes.optional(self.allowance.processes);
        bytes.text(&self.spec.files);
        bytes.texts(&self.spec.shown);
        bytes.optional(self.spec.identity);
        bytes.number(self.spec.size);
        bytes.number(self.spec.pinned.into());
        bytes.number(self.spec.groups.is_some().into());
        if let Some(groups) = &self.spec.groups {
            bytes.texts(&groups.all);
            bytes.text(&groups.engine);
        }
        bytes.0
    }

    /// From the bytes of a message; nothing if they are no request.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Decoder(bytes);
        let request = BoxRequest {
            program: bytes.text()?,
            arguments: bytes.texts()?,
            environment: bytes.texts()?,
            directory: bytes.text()?,
            allowance: Allowance {
                data: bytes.number()?,
                file: bytes.number()?,
                processes: bytes.optional()?,
            },
            spec: BoxSpec {
                files: bytes.text()?,
                shown: bytes.texts()?,
                identity: bytes.optional()?,
                size: bytes.number()?,
                pinned: bytes.number()? != 0,
                groups: match bytes.number()? {
                    0 => None,
                    _ => Some(Directories { all: bytes.texts()?, engine: bytes.text()? }),
                },
            },
        };
        bytes.0.is_empty().then_some(request)
    }
}

impl Account {
    /// As the bytes of a message.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut bytes = Encoder(Vec::new());
        bytes.number(self.left.into());
        bytes.number(u64::try_from(self.cpu.as_nanos()).unwrap_or(u64::MAX));
        bytes.0
    }

    /// From the bytes of a message; nothing if they are no account.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Decoder(bytes);
        let left = u32::try_from(bytes.number()?).ok()?;
        Some(Account { left, cpu: Duration::from_nanos(bytes.number()?) })
    }
}

/// The bytes of a message while it is written.
struct Encoder(Vec<u8>);

impl Encoder {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn optional(&mut self, number: Option<u32>) {
        self.number(number.is_some().into());
        self.number(number.unwrap_or(0).into());
    }

    fn text(&mut self, text: &CStr) {
        let bytes = text.to_bytes();
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn texts(&mut self, texts: &[CString]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }
}

/// What has not been read yet of a message. Nothing comes of one that was cut off.
struct Decoder<'a>(&'a [u8]);

impl Decoder<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn optional(&mut self) -> Option<Option<u32>> {
        let is_there = self.number()? != 0;
        let number = u32::try_from(self.number()?).ok()?;
        Some(is_there.then_some(number))
    }

    fn text(&mut self) -> Option<CString> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        CString::new(text).ok()
    }

    fn texts(&mut self) -> Option<Vec<CString>> {
        (0..self.number()?).map(|_| self.text()).collect()
    }
}

/// Sends a message.
pub(super) fn send(mut to: impl Write, about: MessageKind, what: &[u8]) -> io::Result<()> {
    let length = u32::try_from(what.len()).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::other("the message is too long"))?;
    let mut message = Vec::with_capacity(5 + what.len());
    message.push(about as u8);
    message.extend(length.to_le_bytes());
    message.extend(what);
    to.write_all(&message)
}

/// Receives a message; nothing when the other side is gone.
pub(super) fn receive(mut from: impl Read) -> io::Result<Option<(MessageKind, Vec<u8>)>> {
    let mut head = [0; 5];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let about = MessageKind::ALL.into_iter().find(|about| *about as u8 == head[0]);
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
    let about =
        about.filter(|_| length <= LONGEST).ok_or_else(|| io::Error::other("no message of agon's"))?;
    let mut what = vec![0; length as usize];
    from.read_exact(&mut what)?;
    Ok(Some((about, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(processes: Option<u32>, groups: Option<Directories>) -> BoxRequest {
        BoxRequest {
            program: c"/bin/\xff".to_owned(),
            arguments: vec![c"a b".to_owned(), c"".to_owned()],
            environment: Vec::new(),
            directory: c"/".to_owned(),
            allowance: Allowance { data: 1, file: u64::MAX, processes },
            spec: BoxSpec {
                files: c"/f".to_owned(),
                shown: vec![c"/opt".to_owned()],
                identity: processes,
                size: 1,
                pinned: processes.is_some(),
                groups,
            },
        }
    }

    #[test]
    fn a_message_comes_as_it_was_sent_and_a_foreign_one_is_refused() {
        let groups = Directories { all: vec![c"/g".to_owned()], engine: c"/g/engine".to_owned() };
        for sent in [request(None, None), request(Some(3), Some(groups))] {
            let mut wire = Vec::new();
            send(&mut wire, MessageKind::Request, &sent.encode()).unwrap();
            send(&mut wire, MessageKind::Thaw, b"").unwrap();
            let mut from = wire.as_slice();
            let (about, what) = receive(&mut from).unwrap().unwrap();
            assert_eq!((about, BoxRequest::decode(&what)), (MessageKind::Request, Some(sent)));
            assert_eq!(receive(&mut from).unwrap(), Some((MessageKind::Thaw, Vec::new())));
            assert_eq!(receive(&mut from).unwrap(), None);
        }
        assert!(receive(b"GET / HTTP/1.1".as_slice()).is_err());
    }

    #[test]
    fn a_request_that_was_cut_off_or_has_a_tail_is_refused() {
        let whole = request(Some(3), None).encode();
        assert!((0..whole.len()).all(|length| BoxRequest::decode(&whole[..length]).is_none()));
        assert!(BoxRequest::decode(&[&whole[..], b"x"].concat()).is_none());
        let account = Account { left: 7, cpu: Duration::from_nanos(1_000_000_007) };
        assert_eq!(Account::decode(&account.encode()), Some(account));
        assert_eq!(Account::decode(b"x"), None);
    }
}
