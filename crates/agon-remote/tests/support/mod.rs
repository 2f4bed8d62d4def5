//! A harness and a machine for the tests of connections.
#![allow(dead_code)] // each test target uses a part of it

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use agon_remote::claim::{EngineClock, FarClaim};
use agon_remote::connect::Connecting;
use agon_remote::frame::Ended;
use agon_remote::listen::{EnginePipes, Listening};
use agon_remote::pauses::PauseFile;
use agon_remote::{RemoteError, Token, connect, echo, greeting, listen};

pub(crate) const SECRET: &[u8] = b"0123456789abcdef";

/// The side of the harness, in a thread.
pub(crate) struct Harness {
    pub(crate) tell: Option<std::io::PipeWriter>,
    pub(crate) answers: BufReader<std::io::PipeReader>,
    pub(crate) errors: std::io::PipeReader,
    pub(crate) ends: JoinHandle<Result<Ended, String>>,
    pub(crate) address: SocketAddr,
    pub(crate) said: std::sync::mpsc::Receiver<String>,
    pub(crate) files: tempfile::TempDir,
}

pub(crate) fn harness(address: &str, grace: Duration, arguments: &[&str]) -> Harness {
    started(address, grace, arguments, false, Duration::ZERO)
}

/// With `echoes`, no engine is carried, and lines come back. No pause is longer than `longest`.
pub(crate) fn started(
    address: &str,
    grace: Duration,
    arguments: &[&str],
    echoes: bool,
    longest: Duration,
) -> Harness {
    let files = tempfile::tempdir().unwrap();
    std::fs::write(files.path().join("board"), "the board\n").unwrap();
    let (stdin, tell) = std::io::pipe().unwrap();
    let (answers, stdout) = std::io::pipe().unwrap();
    let (errors, stderr) = std::io::pipe().unwrap();
    let pipes = EnginePipes {
        stdin: OwnedFd::from(stdin),
        stdout: OwnedFd::from(stdout),
        stderr: OwnedFd::from(stderr),
    };
    let (say, said) = std::sync::mpsc::channel();
    let arguments: Vec<Vec<u8>> = arguments.iter().map(|word| word.as_bytes().to_vec()).collect();
    let (address, path) = (address.parse().unwrap(), files.path().to_owned());
    let ends = thread::spawn(move || {
        let token = Token::new(SECRET);
        let pauses = PauseFile { path: path.join(".paused"), longest };
        let pauses = Some(&pauses);
        let order = Listening {
            address,
            token: &token,
            grace,
            pauses,
            arguments: &arguments,
            files: &path,
            times: Some(&path.join(".times")),
        };
        let say = |line: &str| drop(say.send(line.to_owned()));
        if echoes {
            return echo(&order, pipes, &say).map(|()| Ended::Code(0)).map_err(|error| error.to_string());
        }
        listen(&order, pipes, &say).map_err(|error| error.to_string())
    });
    let first = said.recv_timeout(Duration::from_secs(10)).unwrap();
    let address = first.rsplit(' ').next().unwrap().parse().unwrap();
    Harness { tell: Some(tell), answers: BufReader::new(answers), errors, ends, address, said, files }
}

impl Harness {
    pub(crate) fn tell(&mut self, line: &str) {
        // In one piece: of two, the other side may see the first one alone.
        self.tell.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Plays a whole game of one line with the engine [`COUNT`].
    pub(crate) fn plays(mut self) {
        self.tell("one");
        assert_eq!(self.answer(), "one 1");
        self.ends_well();
    }

    /// Ends the game, and so the engine.
    pub(crate) fn ends_well(mut self) {
        self.tell = None;
        assert_eq!(self.ends.join().unwrap(), Ok(Ended::Code(0)));
    }

    /// Waits until this was said.
    pub(crate) fn until(&self, wanted: &str) -> String {
        until(&self.said, wanted)
    }
}

pub(crate) fn until(said: &std::sync::mpsc::Receiver<String>, wanted: &str) -> String {
    loop {
        let line = said.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("no {wanted}"));
        if line.contains(wanted) {
            return line;
        }
    }
}

/// The side of the engine, in a thread, with a shell script as its engine.
pub(crate) struct Machine {
    pub(crate) ends: JoinHandle<Result<(), RemoteError>>,
    pub(crate) stop: Option<std::io::PipeWriter>,
    pub(crate) said: std::sync::mpsc::Receiver<String>,
}

pub(crate) fn machine(
    address: SocketAddr,
    secret: &'static [u8],
    script: &str,
    games: Option<u32>,
) -> Machine {
    let (stopped, stop) = std::io::pipe().unwrap();
    let (say, said) = std::sync::mpsc::channel();
    let script = script.to_owned();
    let ends = thread::spawn(move || {
        use std::os::fd::AsFd;
        let token = Token::new(secret);
        let order = Connecting {
            address: &address.to_string(),
            token: &token,
            program: PathBuf::from("/bin/sh"),
            arguments: ["-c", &script, "engine"].map(std::ffi::OsString::from).to_vec(),
            games,
            stop: stopped.as_fd(),
            clock: &|| Box::new(Unobserved::default()),
        };
        connect(&order, &|line: &str| drop(say.send(line.to_owned())))
    });
    Machine { ends, stop: Some(stop), said }
}

/// An observer of an engine that sees no more than how long it takes.
pub(crate) struct Unobserved(std::time::Instant);

impl Default for Unobserved {
    fn default() -> Self {
        Unobserved(std::time::Instant::now())
    }
}

impl EngineClock for Unobserved {
    fn told(&mut self, _: u32) {
        self.0 = std::time::Instant::now();
    }

    fn so_far(&mut self, late: Duration) -> FarClaim {
        FarClaim { own: self.0.elapsed().saturating_sub(late), ran: Duration::ZERO }
    }
}

/// Answers the next connections as somebody who does not know the token.
pub(crate) fn strangers(listener: &TcpListener, answers: &[&str]) {
    for answer in answers {
        let mut stranger = listener.accept().unwrap().0;
        let nonce = greeting::random().unwrap();
        let text = answer.replace("CHALLENGE", greeting::challenge(&nonce).trim_end());
        let _ = stranger.write_all(text.as_bytes()); // it may have gone
        // It reads what comes, so that the other side hears all of it.
        let _ = stranger.shutdown(std::net::Shutdown::Write);
        let _ = stranger.read_to_end(&mut Vec::new());
    }
}

/// Answers each line with itself and the number of lines so far.
pub(crate) const COUNT: &str = "n=0; while read -r line; do n=$((n + 1)); echo \"$line $n\"; done";

/// The next connection, challenged: it, the challenge, and what the other side claims with a proof.
pub(crate) fn challenged(listener: &TcpListener) -> (BufReader<TcpStream>, String, greeting::Claim) {
    let mut lines = BufReader::new(listener.accept().unwrap().0);
    let own = greeting::random().unwrap();
    lines.get_mut().write_all(greeting::challenge(&own).as_bytes()).unwrap();
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let claim = greeting::read_claim(&Token::new(SECRET), &own, line.trim_end()).unwrap();
    (lines, own, claim)
}
