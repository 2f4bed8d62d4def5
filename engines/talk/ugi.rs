//! The Universal Game Interface: positions and clocks are read, thoughts and moves written.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use agon_games::{Ending, Position, Status};
use agon_seats::Seat;

use super::watch::{Budget, Thought};
use super::{Brain, Kind, Setting, Table, Watch};

/// The answer without a move: the game is over, or the position could not be read.
const NO_MOVE: &str = "0000";

/// Talks until `quit` or EOF.
pub(super) fn talk<P: Position, B: Brain<P>>(table: &Table<P>, brain: &mut B) -> io::Result<()> {
    let mut input = Input::new();
    let mut position = table.read("startpos").ok();
    while let Some(line) = input.next() {
        let asked = Instant::now();
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            "ugi" => introduce(brain)?,
            "isready" => say("readyok")?,
            "uginewgame" => {
                brain.new_game();
                position = table.read("startpos").ok();
            }
            "setoption" => {
                if let Err(why) = set_option(brain, &line) {
                    say(&format!("info string {why}"))?;
                }
            }
            "position" => match read_position(table, words) {
                Ok(read) => position = Some(read),
                Err(why) => {
                    position = None;
                    say(&format!("info string {why}"))?;
                }
            },
            "query" => {
                let status = position.as_ref().map(Position::status);
                if let Some(answer) = words.next().and_then(|what| query(what, status)) {
                    say(&format!("response {answer}"))?;
                }
            }
            "go" => {
                let go = Go::read(words);
                let mv = match &position {
                    Some(position) => think(brain, position, &go, asked, &mut input),
                    None => None,
                };
                say(&format!("bestmove {}", mv.as_deref().unwrap_or(NO_MOVE)))?;
            }
            "quit" => return Ok(()),
            _ => {} // unknown words are ignored
        }
    }
    Ok(())
}

fn say(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{text}")?;
    output.flush()
}

fn introduce<P: Position, B: Brain<P>>(brain: &B) -> io::Result<()> {
    say(&format!("id name {} {}\nid author the authors of agon", brain.name(), env!("CARGO_PKG_VERSION")))?;
    for Setting { name, kind } in brain.settings() {
        say(&match kind {
            Kind::Check(default) => format!("option name {name} type check default {default}"),
            Kind::Spin { default, least, most } => {
                format!("option name {name} type spin default {default} min {least} max {most}")
            }
            Kind::Text(default) => format!("option name {name} type string default {default}"),
        })?;
    }
    say("ugiok")
}

/// `setoption name X value Y`.
fn set_option<P: Position, B: Brain<P>>(brain: &mut B, line: &str) -> Result<(), String> {
    let pair = line.split_once(" name ").and_then(|(_, pair)| pair.split_once(" value "));
    let Some((name, value)) = pair else { return Err("an option is set by name X value Y".to_owned()) };
    super::set(brain, name.trim(), value.trim())
}

/// `startpos` or `fen TEXT`, then optionally `moves m1 m2 ...`. The text ends at the word `moves`.
fn read_position<'a, P: Position>(
    table: &Table<P>,
    mut words: impl Iterator<Item = &'a str>,
) -> Result<P, String> {
    let kind = words.next().unwrap_or_default();
    let text: Vec<&str> = words.by_ref().take_while(|word| *word != "moves").collect();
    let mut position = match kind {
        "startpos" => table.read("startpos")?,
        "fen" if !text.is_empty() => table.read(&text.join(" "))?,
        _ => return Err("a position is startpos or fen TEXT".to_owned()),
    };
    for (mv, ply) in words.zip(1..) {
        let mv = position.parse(mv).map_err(|refusal| format!("move {ply}, {mv:?}: {refusal}"))?;
        position.play(mv);
    }
    Ok(position)
}

fn query(what: &str, status: Option<Status<Ending>>) -> Option<&'static str> {
    let truth = |is| if is { "true" } else { "false" };
    match what {
        "p1turn" => Some(truth(status == Some(Status::ToMove(Seat::FIRST)))),
        "gameover" => Some(truth(matches!(status, Some(Status::Over(_))))),
        "result" => Some(match status {
            Some(Status::Over(Ending::Win(Seat::FIRST, _))) => "p1win",
            Some(Status::Over(Ending::Win(..))) => "p2win",
            Some(Status::Over(Ending::Draw(_))) => "draw",
            Some(Status::ToMove(_)) | None => "none",
        }),
        _ => None,
    }
}

/// The words after `go`.
#[derive(Default)]
struct Go {
    move_time: Option<Duration>,
    left: [Option<Duration>; 2],
    increment: [Duration; 2],
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl Go {
    /// Unknown words are ignored. A negative time counts as 0.
    fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Go {
        let mut go = Go::default();
        while let Some(word) = words.next() {
            if !matches!(
                word,
                "movetime" | "p1time" | "p2time" | "p1inc" | "p2inc" | "depth" | "ply" | "nodes"
            ) {
                continue;
            }
            let number = words.next().and_then(|number| number.parse::<i64>().ok()).unwrap_or(0);
            let number = number.max(0).unsigned_abs();
            let time = Duration::from_millis(number);
            match word {
                "movetime" => go.move_time = Some(time),
                "p1time" => go.left[0] = Some(time),
                "p2time" => go.left[1] = Some(time),
                "p1inc" => go.increment[0] = time,
                "p2inc" => go.increment[1] = time,
                "nodes" => go.nodes = Some(number),
                _ => go.depth = Some(u32::try_from(number).unwrap_or(u32::MAX)),
            }
        }
        go
    }

    /// The time that the seat to move may use. Without a number it thinks until `stop`.
    fn budget(&self, seat: Seat) -> Option<Budget> {
        let own = seat.index();
        match (self.move_time, self.left[own]) {
            (Some(time), _) => Some(Budget::of_move(time)),
            (None, Some(left)) => Some(Budget::of_game(left, self.increment[own])),
            (None, None) => None,
        }
    }

    fn is_endless(&self, budget: Option<Budget>) -> bool {
        budget.is_none() && self.depth.is_none() && self.nodes.is_none()
    }
}

/// Chooses a move and reports its thoughts. `None` if the game is over.
fn think<P: Position, B: Brain<P>>(
    brain: &mut B,
    position: &P,
    go: &Go,
    asked: Instant,
    input: &mut Input,
) -> Option<String> {
    let Status::ToMove(seat) = position.status() else { return None };
    let budget = go.budget(seat);
    let mut stopped = false;
    let mut heard = || {
        stopped = stopped || input.says_stop();
        stopped
    };
    let mut tell = |thought: &Thought, time: Duration| {
        let Thought { depth, score, nodes, line } = thought;
        // A closed pipe has no reader; EOF ends this program.
        let _ = say(&format!(
            "info depth {depth} score {score} nodes {nodes} time {} pv {}",
            time.as_millis(),
            line.join(" ")
        ));
    };
    let mut watch = Watch::new(asked, budget, &mut heard, &mut tell)
        .within(go.depth.unwrap_or(u32::MAX), go.nodes.unwrap_or(u64::MAX));
    let mv = brain.choose(position, &mut watch);
    if go.is_endless(budget) && !stopped {
        input.wait_for_stop(); // after `go infinite`, an answer before `stop` would be wrong
    }
    mv.map(|mv| mv.to_string())
}

/// The lines of the input, read by a thread of its own so that `stop` is noticed during a search.
struct Input {
    lines: Receiver<String>,
    /// Lines that arrived during a search and must wait.
    waiting: VecDeque<String>,
}

impl Input {
    fn new() -> Self {
        let (sender, lines) = channel();
        // It ends with the input, or with the process.
        thread::spawn(move || {
            for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).trim().to_owned()).is_err() {
                    return;
                }
            }
        });
        Input { lines, waiting: VecDeque::new() }
    }

    fn next(&mut self) -> Option<String> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Checks the lines that have arrived, without waiting. EOF stops the search too.
    fn says_stop(&mut self) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(line) => {
                    if self.is_stop(line) {
                        return true;
                    }
                }
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return true,
            }
        }
    }

    fn wait_for_stop(&mut self) {
        while let Ok(line) = self.lines.recv() {
            if self.is_stop(line) {
                return;
            }
        }
    }

    /// `isready` is answered at once, `quit` is kept for later, and everything else waits.
    fn is_stop(&mut self, line: String) -> bool {
        match line.as_str() {
            "stop" => return true,
            "isready" => {
                let _ = say("readyok"); // a closed pipe has no reader
                return false;
            }
            _ => {}
        }
        let quits = line == "quit";
        self.waiting.push_back(line);
        quits
    }
}
