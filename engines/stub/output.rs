//! Attacks through stdout and stderr: too much, too little, too early, too slow, or not text.

use std::fs::OpenOptions;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::attacks::honest::{Stub, complain, idle, say};
use crate::attacks::{Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode("endless-output", "output limit", "A01", "writes for ever, and never a newline", endless_output),
    mode("huge-line", "output limit", "A02", "a line of --mb (100), then a legal move", huge_line),
    mode("chatter", "protocol", "A03", "a line every 10 ms, never a move", chatter),
    mode("drip", "time forfeit", "A03", "a byte every 10 ms, never a newline", drip),
    mode("nul", "protocol", "A04", "a legal move, a NUL, and more on the same line", nul),
    mode("invalid-utf8", "protocol", "A05", "bytes in the word that are not UTF-8", invalid_utf8),
    mode("crlf", "normal", "A06", "ends its lines in \\r\\n", crlf),
    mode("bare-cr", "time forfeit", "A06", "ends its lines in \\r alone", bare_cr),
    mode("lf-cr", "time forfeit", "A06", "ends its lines in \\n\\r", lf_cr),
    mode(
        "half-line-stall",
        "time forfeit",
        "A08",
        "half a move without a newline, then nothing",
        half_line_stall,
    ),
    mode("half-line-exit", "crash", "A09", "a legal move without a newline, then exits", half_line_exit),
    mode("early-start", "normal", "A10", "says a move at its start, and answers when asked", early_start),
    mode(
        "early-start-silent",
        "time forfeit",
        "A10",
        "says a move at its start, and never again",
        early_start_silent,
    ),
    mode("early-opponent", "normal", "A10", "says a move in the other's turn too", early_opponent),
    mode(
        "early-opponent-silent",
        "time forfeit",
        "A10",
        "says its 2nd move in the other's turn only",
        early_silent,
    ),
    // An engine that is stopped in the other's turn begins its line in its own.
    mode("early-half", "time forfeit", "A10", "begins its line in the other's turn", early_half),
    mode("three-moves", "normal", "A11", "says three moves in one write, every turn", three_moves),
    mode("three-moves-silent", "time forfeit", "A11", "says three moves once, and never again", three_silent),
    mode("slow-bytes", "normal", "A12", "a byte every 50 ms, the last at --finish-ms (400)", slow_bytes),
    mode("close-stdout", "closed output", "A14", "closes stdout and goes on listening", close_stdout),
    mode("close-stdin", "normal", "A15", "closes stdin and passes every 100 ms", close_stdin),
    mode("stderr-flood", "normal", "A16", "--mb (64) to stderr in its first turn, then plays", stderr_flood),
    mode("three-way", "normal | protocol", "A17", "fills stdout and stderr before it reads", three_way),
    mode("answer-exit", "crash", "A20", "answers and exits at once", answer_exit),
    mode("late-flood", "protocol", "A21", "after its move, empty lines as fast as it can", late_flood),
    mode("byte-storm", "output limit | time forfeit", "A21", "single bytes as fast as it can", byte_storm),
];

/// A01: a reader without a limit stores all of it; a deadline that restarts with each byte never
/// ends.
fn endless_output(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    loop {
        say(&[b'a'; 4096])?;
    }
}

/// A02: the tail of a cut line must not be read as a line.
fn huge_line(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        for _ in 0..stub.options.number("mb", 100) {
            say(&vec![b'x'; 1 << 20])?;
        }
        say(b"\n")
    })
}

/// A03: in `lines` the first line is the answer, and this is not one.
fn chatter(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    loop {
        say(b"info depth 12 score 9 nodes 123456\n")?;
        sleep(Duration::from_millis(10));
    }
}

/// A03: bytes that arrive must not move the deadline.
fn drip(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    loop {
        say(b".")?;
        sleep(Duration::from_millis(10));
    }
}

/// A04: a reader that stops at the NUL sees a legal pass.
fn nul(stub: &mut Stub) -> io::Result<()> {
    let line = format!("{},P\0b2\n", stub.side);
    stub.play_after_saying(line.as_bytes())
}

/// A05: a stray byte, an overlong slash and a lone surrogate.
fn invalid_utf8(stub: &mut Stub) -> io::Result<()> {
    let mut line = format!("{},1,1,1,1,3,1,", stub.side).into_bytes();
    line.extend_from_slice(b"\xff\xfe\xc0\xaf\xed\xa0\x80\n");
    stub.play_after_saying(&line)
}

/// A06: one trailing `\r` is dropped.
fn crlf(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|_, text| say(text.replace('\n', "\r\n").as_bytes()))
}

/// A06: a `\r` alone does not end a line.
fn bare_cr(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|_, text| say(text.replace('\n', "\r").as_bytes()))
}

/// A06: the `\r` begins the next line before its question, so that line is not an answer.
fn lf_cr(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|_, text| say(text.replace('\n', "\n\r").as_bytes()))
}

/// A08
fn half_line_stall(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    say(format!("{},1,1,1,1,", stub.side).as_bytes())?;
    idle()
}

/// A09: EOF does not end a line.
fn half_line_exit(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    say(stub.pass().trim_end().as_bytes())
}

/// A10: white is asked as it starts, so its line may count; black's may not.
fn early_start(stub: &mut Stub) -> io::Result<()> {
    say(stub.pass().as_bytes())?;
    stub.play_on()
}

/// A10: a line at the start answers nothing, or, as white, only the first question.
fn early_start_silent(stub: &mut Stub) -> io::Result<()> {
    say(stub.pass().as_bytes())?;
    stub.turn()?;
    idle()
}

/// A10: the opponent must think for more than 20 ms; otherwise the line is not early.
fn early_opponent(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|stub, text| {
        say(text.as_bytes())?;
        sleep(Duration::from_millis(20));
        say(stub.pass().as_bytes())
    })
}

/// A10: a harness that keeps the early line takes it for the second answer.
fn early_silent(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    stub.answer()?;
    sleep(Duration::from_millis(20));
    say(stub.pass().as_bytes())?;
    stub.turn()?;
    idle()
}

/// A10: the newline comes in its own turn, the rest of the line before it: the line was begun
/// unasked.
fn early_half(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    stub.answer()?;
    sleep(Duration::from_millis(20));
    let pass = stub.pass();
    say(&pass.as_bytes()[..2])?;
    if stub.turn()?.is_some() {
        say(&pass.as_bytes()[2..])?;
    }
    stub.play_on()
}

/// A11: the first line counts.
fn three_moves(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|stub, text| say(format!("{text}{0}{0}", stub.pass()).as_bytes()))
}

/// A11: the second and the third line must not answer the next two questions.
fn three_silent(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    say(stub.pass().repeat(3).as_bytes())?;
    idle()
}

/// A12: a move is timestamped when its newline is read.
fn slow_bytes(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|stub, text| {
        let finish = Instant::now() + Duration::from_millis(stub.options.number("finish-ms", 400));
        for (place, byte) in text.bytes().enumerate() {
            let left = u32::try_from(text.len() - 1 - place).expect("a move is short");
            let due = finish.checked_sub(left * Duration::from_millis(50));
            sleep(due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now())));
            say(&[byte])?;
        }
        Ok(())
    })
}

/// A14: the pipe has lost its last writer, so the reader sees EOF.
fn close_stdout(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    rustix::stdio::dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
    stub.play_on()
}

/// A15: the harness must survive a write to a pipe without a reader.
fn close_stdin(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    stub.close_stdin()?;
    loop {
        say(stub.pass().as_bytes())?;
        sleep(Duration::from_millis(100));
    }
}

/// A16
fn stderr_flood(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let line = "thinking, thinking, thinking, thinking, thinking, thinking ...\n";
        let block = line.repeat((1 << 20) / line.len());
        for _ in 0..stub.options.number("mb", 64) {
            complain(block.as_bytes())?;
        }
        Ok(())
    })
}

/// A17: a harness that writes all, then reads one pipe, then the other, never finishes.
fn three_way(stub: &mut Stub) -> io::Result<()> {
    let block = "info: not a move\n".repeat(256);
    for _ in 0..256 {
        complain(block.as_bytes())?;
        say(block.as_bytes())?;
    }
    stub.play_on()
}

/// A20: the answer was complete in the pipe before the process ended, and counts; the next question
/// fails.
fn answer_exit(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    stub.answer()
}

/// A21: a harness that handles each of these lines in the other's turn has no time for the other.
fn late_flood(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    stub.answer()?;
    let block = [b'\n'; 1 << 16];
    loop {
        say(&block)?;
    }
}

/// A21: each byte may wake the reader.
fn byte_storm(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    loop {
        say(b"x")?;
    }
}
