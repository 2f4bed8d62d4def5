//! The honest part: it listens, knows whose turn it is, and answers with a pass (with `--word`, the
//! first word). The modes misbehave on top of it.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::time::{Duration, Instant};

use crate::attacks::{Mode, Options, mode, sys};

#[path = "../cube.rs"]
mod cube;

use cube::{Cube, Lexicon};

pub(crate) const MODES: &[Mode] =
    &[mode("honest", "normal", "-", "passes, or plays the first word", Stub::play_on)];

/// A player that plays honestly or misbehaves.
pub(crate) struct Stub {
    pub(crate) side: String,
    pub(crate) options: Options,
    input: BufReader<File>,
    board: Option<Cube>,
    lexicon: Option<Lexicon<'static>>,
    asked: u64,
}

impl Stub {
    pub(crate) fn new(side: String, options: Options) -> Self {
        let wants_words = options.number("word", 0) == 1;
        let sorted = if wants_words { std::fs::read_to_string("dictionary.sorted").ok() } else { None };
        // The text lives as long as the process.
        let lexicon = sorted.map(|text| Lexicon::new(text.leak()));
        Stub { side, options, input: BufReader::new(sys::stdin()), board: None, lexicon, asked: 0 }
    }

    /// Waits for its turn. Returns the number of the move, from 1; `None` when the game is over.
    pub(crate) fn turn(&mut self) -> io::Result<Option<u64>> {
        if self.board.is_none() {
            self.board = Some(Cube::read(&mut self.input)?);
            if self.side == "W" {
                self.asked += 1;
                return Ok(Some(self.asked));
            }
        }
        let mut told = String::new();
        if self.input.read_line(&mut told)? == 0 {
            return Ok(None);
        }
        if let (Some(line), Some(board)) = (cube::read_move(&told), &mut self.board) {
            board.take(line);
        }
        self.asked += 1;
        Ok(Some(self.asked))
    }

    /// The next line from the harness; `None` at EOF.
    pub(crate) fn hear(&mut self) -> io::Result<Option<String>> {
        let mut told = String::new();
        let length = self.input.read_line(&mut told)?;
        Ok((length > 0).then(|| told.trim_end().to_owned()))
    }

    /// Plays honestly until it is asked for this move. Returns false if the game was over first.
    pub(crate) fn play_until(&mut self, number: u64) -> io::Result<bool> {
        while let Some(asked) = self.turn()? {
            if asked >= number {
                return Ok(true);
            }
            self.answer()?;
        }
        Ok(false)
    }

    /// Plays honestly to the end.
    pub(crate) fn play_on(&mut self) -> io::Result<()> {
        while self.turn()?.is_some() {
            self.answer()?;
        }
        Ok(())
    }

    /// Plays honestly after this work, which is done before the first answer.
    pub(crate) fn play_after(&mut self, first: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        if self.turn()?.is_some() {
            first(self)?;
            self.answer()?;
        }
        self.play_on()
    }

    /// Writes these bytes as its first answer, and plays on honestly.
    pub(crate) fn play_after_saying(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.turn()?.is_some() {
            say(bytes)?;
        }
        self.play_on()
    }

    /// Answers in every turn with a variation of the right answer, which ends in a newline.
    pub(crate) fn play_with(&mut self, say_it: impl Fn(&Self, &str) -> io::Result<()>) -> io::Result<()> {
        while self.turn()?.is_some() {
            let text = self.choose();
            say_it(self, &text)?;
        }
        Ok(())
    }

    /// Writes the right answer.
    pub(crate) fn answer(&mut self) -> io::Result<()> {
        let text = self.choose();
        say(text.as_bytes())
    }

    /// The right answer with its newline: the first word of the board, or a pass.
    pub(crate) fn choose(&mut self) -> String {
        let (Some(board), Some(lexicon)) = (&mut self.board, &self.lexicon) else { return self.pass() };
        let choice = board.words(lexicon).first().map(|found| (found.line, found.word()));
        if let Some((line, _)) = choice {
            board.take(line);
        }
        cube::write_move(&self.side, choice)
    }

    /// A pass with its newline, which is always legal.
    pub(crate) fn pass(&self) -> String {
        format!("{},P\n", self.side)
    }

    /// The milliseconds of `--ms`.
    pub(crate) fn ms(&self, default: u64) -> Duration {
        Duration::from_millis(self.options.number("ms", default))
    }

    /// Closes stdin.
    pub(crate) fn close_stdin(&self) -> io::Result<()> {
        Ok(rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?)
    }
}

/// Writes these bytes to stdout at once, in as few writes as possible.
pub(crate) fn say(bytes: &[u8]) -> io::Result<()> {
    write_all(rustix::stdio::stdout(), bytes)
}

/// Writes these bytes to stderr.
pub(crate) fn complain(bytes: &[u8]) -> io::Result<()> {
    write_all(rustix::stdio::stderr(), bytes)
}

fn write_all(to: impl rustix::fd::AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::retry_on_intr(|| rustix::io::write(&to, bytes))?;
        bytes = &bytes[written..];
    }
    Ok(())
}

/// Does nothing until the alarm ends this process.
pub(crate) fn idle() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Keeps a core busy for this long.
pub(crate) fn burn(length: Duration) {
    let until = Instant::now() + length;
    let mut number = 1_u64;
    while Instant::now() < until {
        for _ in 0..10_000 {
            number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
    }
}
