//! What the side of the harness learns of the time of an engine, and the versions of the two sides.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use agon_remote::frame::{Frames, WireFrame};
use agon_remote::link::RemoteLink;
use agon_remote::times::FarTimes;
use agon_remote::{Token, greeting};

use support::*;

const MILLI: Duration = Duration::from_millis(1);

fn times(harness: &Harness) -> PathBuf {
    harness.files.path().join(".times")
}

#[test]
fn the_time_of_an_engine_is_known_when_its_answer_is_there_and_before() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(5), &[]);
    let script = "ls -a; while read -r line; do sleep 0.4; echo \"$line\"; done";
    let _machine = machine(harness.address, SECRET, script, Some(1));
    let listed: Vec<String> = (0..3).map(|_| harness.answer()).collect();
    assert!(!listed.contains(&".times".to_owned()), "it is no file of the game: {listed:?}");
    // What a busy machine keeps from it is not its time. So it has nearly all of it in one turn of
    // many.
    let mut most = Duration::ZERO;
    for number in 0..20 {
        let before = agon_remote::times::monotonic();
        harness.tell(&number.to_string());
        let known = || FarTimes::read(&times(&harness)).filter(|told| told.since >= before);
        let until = Instant::now() + Duration::from_secs(20);
        let early = loop {
            match known() {
                Some(told) => break told,
                None => assert!(Instant::now() < until, "no look was answered"),
            }
            std::thread::sleep(MILLI);
        };
        assert_eq!(harness.answer(), number.to_string());
        let took = agon_remote::times::monotonic() - before;
        let told = FarTimes::read(&times(&harness)).unwrap();
        // A line may go over the pipe in two parts, and the turn begins with the last one.
        let grows =
            told.since > early.since || told.since == early.since && told.claim.own >= early.claim.own;
        assert!(grows, "{early:?} {told:?}");
        assert!(told.claim.own <= took, "{took:?} {told:?}");
        most = most.max(told.claim.own);
        if number > 0 && most >= 390 * MILLI {
            break;
        }
    }
    assert!(most >= 390 * MILLI, "of 400 ms {most:?}");
    harness.ends_well();
}

/// The first version has another nonce, and knows nothing of looks.
#[test]
fn a_machine_of_the_first_version_plays_and_it_is_said_which_side_to_update() {
    let mut harness = harness("127.0.0.1:0", Duration::from_secs(5), &[]);
    let mut lines = BufReader::new(TcpStream::connect(harness.address).unwrap());
    let mut challenge = String::new();
    lines.read_line(&mut challenge).unwrap();
    let theirs = greeting::read_challenge(challenge.trim_end()).unwrap();
    assert!(greeting::knows_looks(theirs), "the control");
    let claim = greeting::claim(&Token::new(SECRET), theirs, &greeting::random().unwrap(), None, 0);
    lines.get_mut().write_all(claim.as_bytes()).unwrap();
    assert!(harness.until("older").contains("Update agon on that machine"));
    harness.tell("one");
    let mut link = RemoteLink::default();
    let mut welcome = String::new();
    lines.read_line(&mut welcome).unwrap();
    lines.get_ref().set_read_timeout(Some(20 * MILLI)).unwrap();
    let (until, mut seen, mut answered) = (Instant::now() + 500 * MILLI, Vec::new(), false);
    while Instant::now() < until || !answered {
        let mut bytes = [0; 1000];
        if let Ok(count) = lines.read(&mut bytes) {
            link.hear(&bytes[..count]);
        }
        while let Some(frame) = link.next_frame().unwrap() {
            if frame == WireFrame::Stdin(b"one\n".to_vec()) {
                link.send(&WireFrame::Up);
                link.send(&WireFrame::Stdout(b"one 1\n".to_vec()));
                answered = true;
            }
            seen.push(frame);
        }
        lines.get_mut().write_all(link.out()).unwrap();
        link.out().clear();
    }
    assert!(!seen.iter().any(|frame| matches!(frame, WireFrame::Look(..))), "{seen:?}");
    assert_eq!(harness.answer(), "one 1");
    assert_eq!(FarTimes::read(&times(&harness)), None, "nothing is known of its times");
}

#[test]
fn a_harness_of_the_first_version_gets_no_frames_that_it_does_not_know() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let slow = "while read -r line; do sleep 0.2; echo \"$line\"; done";
    let machine = machine(listener.local_addr().unwrap(), SECRET, slow, Some(1));
    let (mut lines, own, claim) = challenged(&listener);
    let session = greeting::random().unwrap();
    let welcome = greeting::welcome(&Token::new(SECRET), &own, &claim, &session, 0);
    lines.get_mut().write_all(welcome.as_bytes()).unwrap();
    until(&machine.said, "Update agon on that machine");
    for frame in [WireFrame::Begin(5000), WireFrame::Stdin(b"one\n".to_vec())] {
        lines.get_mut().write_all(&frame.bytes()).unwrap();
    }
    let (mut frames, mut seen) = (Frames::default(), Vec::new());
    while !seen.contains(&WireFrame::Stdout(b"one\n".to_vec())) {
        let mut bytes = [0; 1000];
        let count = lines.read(&mut bytes).unwrap();
        assert!(count > 0, "{seen:?}");
        frames.add(&bytes[..count]);
        while let Some(frame) = frames.next_frame().unwrap() {
            let is_new = matches!(frame, WireFrame::Answer(..) | WireFrame::Seen(..) | WireFrame::Look(..));
            assert!(!is_new, "{frame:?}");
            seen.push(frame);
        }
    }
}
