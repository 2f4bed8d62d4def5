//! Both sides in one process: the harness tells an engine, `cat`, two lines over a TCP connection,
//! and reads them back.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use agon_remote::claim::{EngineClock, FarClaim};
use agon_remote::connect::Connecting;
use agon_remote::listen::{EnginePipes, Listening};
use agon_remote::{Token, connect, listen};

/// Sees nothing of the engine.
struct Unobserved;

impl EngineClock for Unobserved {
    fn told(&mut self, _: u32) {}

    fn so_far(&mut self, _: Duration) -> FarClaim {
        FarClaim::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let token = Token::new(b"a token that only the two of us know");
    let files = tempfile::tempdir()?;
    let ((stdin, mut tell), (mut answers, stdout)) = (std::io::pipe()?, std::io::pipe()?);
    // Nobody writes into the one, and nobody reads the other.
    let (stop, errors) = std::io::pipe()?;
    tell.write_all(b"hello\nworld\n")?;
    drop(tell);
    let (say, place) = std::sync::mpsc::channel::<String>();
    thread::scope(|scope| {
        scope.spawn(|| {
            let order = Listening {
                address: ([127, 0, 0, 1], 0).into(),
                token: &token,
                grace: Duration::from_secs(5),
                pauses: None,
                arguments: &[],
                files: Path::new(files.path()),
                times: None,
            };
            let pipes = EnginePipes { stdin: stdin.into(), stdout: stdout.into(), stderr: errors.into() };
            listen(&order, pipes, &move |line| {
                println!("listen: {line}");
                let _ = say.send(line.to_owned()); // it is read once
            })
        });
        let waits = place.recv()?;
        let order = Connecting {
            address: waits.rsplit(' ').next().unwrap_or_default(),
            token: &token,
            program: PathBuf::from("/bin/cat"),
            arguments: Vec::new(),
            games: Some(1),
            stop: stop.as_fd(),
            clock: &|| Box::new(Unobserved),
        };
        connect(&order, &|line| println!("connect: {line}"))?;
        let mut text = String::new();
        answers.read_to_string(&mut text)?;
        print!("{text}");
        Ok(())
    })
}
