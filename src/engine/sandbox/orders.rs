//! What the harness and its helpers say to each other over their socket: one order, then short messages.
//!
//! An engine sees none of it: the socket is closed when its program begins, and nothing stands in arguments or in
//! the environment.

use std::ffi::CString;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

/// The longest message there is. An environment and arguments of more than that do not start anywhere.
const LONGEST: u32 = 64 << 20;

/// What a helper is to start, and how.
#[derive(Serialize, Deserialize, Debug)]
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
    pub(super) home: BoxSpec,
}

/// What each process of an engine may use, for the kernel to see to.
#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Bytes of memory of its own.
    pub(super) data: u64,
    /// Bytes in a file.
    pub(super) file: u64,
    /// Processes and threads of the same user in the same box; nothing outside of a box, where it would count the
    /// user's own.
    pub(super) processes: Option<u32>,
}

/// A box: what is in it.
#[derive(Serialize, Deserialize, Debug)]
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
#[derive(Serialize, Deserialize, Debug)]
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
    /// To the helper: an [`BoxRequest`].
    Order = b'O',
    /// To the warden: stop everything in the box.
    Freeze = b'F',
    /// To the warden, and back when it is done: let everything go on, and wait until the engine waits.
    Thaw = b'T',
    /// To the warden of a box that others let go on: only the waiting. The answer is [`MessageKind::Thaw`].
    Settle = b'S',
    /// To the harness: the program has begun.
    Running = b'R',
    /// To the harness: the program cannot be started; the number of the error.
    NoProgram = b'P',
    /// To the harness: the box could not be built; what failed, in words.
    NoBox = b'B',
    /// To the harness: the engine has ended; an account of it.
    Ended = b'E',
}

impl MessageKind {
    const ALL: [MessageKind; 8] = [
        MessageKind::Order,
        MessageKind::Freeze,
        MessageKind::Thaw,
        MessageKind::Settle,
        MessageKind::Running,
        MessageKind::NoProgram,
        MessageKind::NoBox,
        MessageKind::Ended,
    ];
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

    #[test]
    fn a_message_comes_as_it_was_sent_and_a_foreign_one_is_refused() {
        let order = BoxRequest {
            program: c"/bin/\xff".to_owned(),
            arguments: vec![c"a b".to_owned()],
            environment: Vec::new(),
            directory: c"/".to_owned(),
            allowance: Allowance { data: 1, file: 2, processes: Some(3) },
            home: BoxSpec {
                files: c"/f".to_owned(),
                shown: Vec::new(),
                identity: None,
                size: 1,
                pinned: false,
                groups: None,
            },
        };
        let mut wire = Vec::new();
        send(&mut wire, MessageKind::Order, &serde_json::to_vec(&order).unwrap()).unwrap();
        send(&mut wire, MessageKind::Thaw, b"").unwrap();
        let mut from = wire.as_slice();
        let (about, what) = receive(&mut from).unwrap().unwrap();
        let read: BoxRequest = serde_json::from_slice(&what).unwrap();
        assert_eq!((about, read.program), (MessageKind::Order, order.program));
        assert_eq!(receive(&mut from).unwrap(), Some((MessageKind::Thaw, Vec::new())));
        assert_eq!(receive(&mut from).unwrap(), None);
        assert!(receive(b"GET / HTTP/1.1".as_slice()).is_err());
    }
}
