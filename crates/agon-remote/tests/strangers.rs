//! What those do, and cannot do, who reach an address of `listen` or `connect` and know no token.
#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use agon_remote::frame::WireFrame;
use agon_remote::{Token, greeting};

use support::*;

#[test]
fn who_does_not_know_the_token_plays_no_part_and_harms_nothing() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(5), &[]);
    // It goes on trying: who refuses it has not proved that it knows the token.
    let mut wrong = machine(harness.address, b"another token 16", COUNT, None);
    until(&wrong.said, "the token is not the right one");
    wrong.stop = None;
    assert!(wrong.ends.join().unwrap().is_ok());
    // Strangers that say nothing, nonsense and far too much.
    let silent = TcpStream::connect(harness.address).unwrap();
    for text in ["GET / HTTP/1.1\r\n\r\n".to_owned(), "x".repeat(100_000)] {
        let mut stranger = TcpStream::connect(harness.address).unwrap();
        let _ = stranger.write_all(text.as_bytes());
    }
    let _machine = machine(harness.address, SECRET, COUNT, Some(1));
    harness.tell("a");
    assert_eq!(harness.answer(), "a 1");
    drop(silent);
    // The seat is taken, and a second machine waits.
    let mut second = machine(harness.address, SECRET, "echo I play too", None);
    harness.tell("b");
    assert_eq!(harness.answer(), "b 2");
    second.stop = None;
    second.ends.join().unwrap().unwrap();
    harness.ends_well();
}

#[test]
fn a_no_of_somebody_who_has_proved_nothing_ends_no_machine() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let machine = machine(address, SECRET, COUNT, Some(1));
    let welcome = format!("CHALLENGE\nok {0} 0 {0}{0}\n", "ab".repeat(16));
    strangers(
        &taken,
        &[
            "HTTP/1.1 400 Bad Request\r\n\r\n",
            "CHALLENGE\nno that version is too old\n",
            "CHALLENGE\nno go away for ever\nproof 00\n",
            &format!("CHALLENGE\nno go away\nproof {}\n", "00".repeat(32)),
            &welcome,
            &"x".repeat(100_000),
        ],
    );
    drop(taken);
    let harness = harness(&address.to_string(), Duration::from_secs(5), &[]);
    harness.plays();
    assert!(machine.ends.join().unwrap().is_ok());
}

#[test]
fn a_refusal_that_is_proved_ends_a_machine() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let machine = machine(listener.local_addr().unwrap(), SECRET, COUNT, None);
    let (mut lines, own, claim) = challenged(&listener);
    let token = Token::new(SECRET);
    let refusal = greeting::refusal(&token, &own, &claim, "this seat is for another engine");
    lines.get_mut().write_all(refusal.as_bytes()).unwrap();
    let why = machine.ends.join().unwrap().unwrap_err().to_string();
    assert!(why.contains("another engine"), "{why}");
}

#[test]
fn silent_strangers_keep_nobody_out() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(5), &[]);
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(harness.address).unwrap()).collect();
    // Each was greeted, so all have come before the machine.
    for stranger in &silent {
        let mut stranger = stranger;
        assert!(stranger.read(&mut [0; 1]).is_ok());
    }
    let machine = machine(harness.address, SECRET, COUNT, Some(1));
    harness.tell("one");
    assert_eq!(harness.answer(), "one 1");
    // The last ones are still heard: not their end, but that of the first made room.
    let mut last = silent.last().unwrap();
    last.set_nonblocking(true).unwrap();
    let mut rest = [0; 100];
    while last.read(&mut rest).is_ok_and(|count| count > 0) {}
    assert_eq!(last.read(&mut rest).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    harness.ends_well();
    assert!(machine.ends.join().unwrap().is_ok());
}

#[test]
fn something_else_that_listens_is_named() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = other.accept().unwrap();
        stream.write_all(b"SSH-2.0-OpenSSH\r\n").unwrap();
        thread::sleep(Duration::from_secs(5));
    });
    let mut machine = machine(address, SECRET, COUNT, None);
    until(&machine.said, "is not agon listen");
    machine.stop = None;
    assert!(machine.ends.join().unwrap().is_ok());
}

/// The listener has proved nothing yet.
#[test]
fn a_greeting_without_an_end_is_not_kept() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    let written = thread::spawn(move || {
        let (mut stream, _) = other.accept().unwrap();
        let mut written = 0;
        while written < 100 << 20 && stream.write_all(&[b'x'; 1 << 16]).is_ok() {
            written += 1 << 16;
        }
        written
    });
    let mut machine = machine(address, SECRET, COUNT, None);
    until(&machine.said, "is not agon listen");
    machine.stop = None;
    assert!(machine.ends.join().unwrap().is_ok());
    assert!(written.join().unwrap() < 50 << 20, "it was read for as long as it was written");
}

/// Its engine is ended by that, and loses. The control are the games above.
#[test]
fn a_machine_that_floods_empty_frames_is_let_go() {
    let harness = harness("127.0.0.1:0", Duration::from_secs(5), &[]);
    let token = Token::new(SECRET);
    let mut lines = BufReader::new(TcpStream::connect(harness.address).unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let (own, theirs) = (greeting::random().unwrap(), greeting::read_challenge(line.trim_end()).unwrap());
    let claim = greeting::claim(&token, theirs, &own, None, 0);
    lines.get_mut().write_all(claim.as_bytes()).unwrap();
    harness.until("connected from");
    let flood = WireFrame::Stderr(Vec::new()).bytes().repeat(1000);
    let until = Instant::now() + Duration::from_secs(20);
    // It stops reading when it has had enough.
    while !harness.ends.is_finished() && Instant::now() < until {
        let _ = lines.get_mut().write_all(&flood); // as said
    }
    assert!(harness.ends.join().unwrap().unwrap_err().contains("floods"));
}
