//! What an engine is started with and what it reads in a game, found out without starting it.

use std::io;
use std::time::Duration;

use agon_games::{Game, Status};
use agon_printable::escape;
use agon_protocol::{ProcessSpan, Reply, Talk};
use agon_seats::{Clock, PerSeat, Seat};

use super::engines::{Player, Seating, prepare};
use super::seated::Arrival;
use crate::processes::Setup;

/// One line on the pipes of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShownLine {
    /// The engine reads it.
    Read(String),
    /// The engine writes it.
    Written(String),
    /// The game is over, and so is the engine's input.
    End,
}

/// An engine as it is started, and its conversation up to a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownEngine {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The variables of its environment, `NAME=value`.
    pub environment: Vec<String>,
    /// The directory it is started in.
    pub directory: String,
    /// The files of the game there.
    pub files: Vec<String>,
    /// All bytes that it reads. The name of its own directory is `.` there.
    pub input: Vec<u8>,
    /// The lines on its pipes; none of an engine that starts only at its first turn.
    pub lines: Vec<ShownLine>,
}

/// What has gone over the pipes of an engine.
#[derive(Default)]
struct Pipes {
    shown: Vec<ShownLine>,
    /// What it reads, as it is sent.
    input: String,
}

/// How the engine of this seat is started for a game that begins at `game`, and what it reads when
/// `moves`, with their sides, are played from there. The name of its own directory is `DIR`.
///
/// # Errors
/// Ours, an argument that cannot be filled in, or a move that is refused.
pub fn shown(
    seating: &Seating<'_>,
    seat: Seat,
    mut game: Box<dyn Game>,
    moves: &[String],
) -> io::Result<ShownEngine> {
    let spec = seating.engines[seat].ok_or_else(|| io::Error::other("there is no engine on this seat"))?;
    let (mut player, mut setup) = prepare(seating, spec, seat, game.as_ref(), seating.opening.as_deref())?;
    let mut made = seating.opening.clone();
    let clocks = PerSeat::from_fn(seating.rules.seats().len(), |other| {
        Clock::new(seating.controls[other], Duration::ZERO, Duration::ZERO)
    });
    let mut lines = Pipes::default();
    begin(&mut lines, &mut player, &setup);
    let is_per_turn = spec.process == ProcessSpan::Turn;
    let mut moves = moves.iter();
    loop {
        let turn = matches!(game.status(), Status::ToMove(to_move) if to_move == seat);
        if turn && player.arrival == Arrival::JoinsLate {
            (player, setup) = prepare(seating, spec, seat, game.as_ref(), made.as_deref())?;
            player.arrival = Arrival::Starts;
            lines = Pipes::default();
            begin(&mut lines, &mut player, &setup);
        }
        if turn {
            read(&mut lines, player.talk.question(&clocks));
            go_on(&mut lines, player.talk.as_mut());
        }
        let Some(text) = moves.next() else { break };
        let mover = game.to_move();
        let played = game.play(text.as_bytes()).map_err(io::Error::other)?;
        if let Some(made) = &mut made {
            made.push(played.text);
        }
        if turn {
            lines.shown.push(ShownLine::Written(player.talk.answer(text)));
        }
        if turn && is_per_turn {
            read(&mut lines, spec.protocol.farewell());
            lines.shown.push(ShownLine::End);
            player.arrival = Arrival::JoinsLate;
        }
        if player.arrival != Arrival::JoinsLate {
            read(&mut lines, player.talk.played(mover, text));
        }
    }
    if is_per_turn {
        // The lines of its last turn, as far as that has come.
        if !lines.shown.contains(&ShownLine::End) && player.arrival == Arrival::JoinsLate {
            lines = Pipes::default();
        }
    } else if player.arrival == Arrival::JoinsLate {
        lines = Pipes::default();
    } else if game.status().over().is_some() {
        read(&mut lines, spec.protocol.farewell());
        lines.shown.push(ShownLine::End);
    }
    Ok(as_started(&player, &setup, lines))
}

/// Adds what an engine reads and writes when its process starts.
fn begin(lines: &mut Pipes, player: &mut Player<'_>, setup: &Setup) {
    read(lines, &setup.greeting);
    read(lines, &player.talk.hello());
    go_on(lines, player.talk.as_mut());
    if let Some(habits) = player.talk.gomocup() {
        read(lines, &habits.begins());
    }
}

/// Goes on with a conversation until the engine is to move or has nothing to say.
fn go_on(lines: &mut Pipes, talk: &mut dyn Talk) {
    loop {
        let expected = talk.expected();
        if expected.is_empty() {
            return;
        }
        for line in expected {
            lines.shown.push(ShownLine::Written(line.clone()));
            if let Reply::Tell(text) = talk.hear(line.into_bytes()) {
                read(lines, &text);
            }
        }
    }
}

/// Adds lines that the engine reads.
fn read(lines: &mut Pipes, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    lines.input.push_str(&text);
    lines.shown.extend(text.lines().map(|line| ShownLine::Read(line.to_owned())));
}

fn as_started(player: &Player<'_>, setup: &Setup, pipes: Pipes) -> ShownEngine {
    let own = escape(player.directory.path().as_os_str().as_encoded_bytes(), 400);
    let lines = pipes.shown.into_iter().map(|line| match line {
        ShownLine::Read(text) => ShownLine::Read(text.replace(&own, "DIR")),
        other => other,
    });
    let words = |words: &[std::ffi::CString]| -> Vec<String> {
        words.iter().map(|word| escape(word.as_bytes(), 4000).replace(&own, "DIR")).collect()
    };
    let mut files: Vec<String> = std::fs::read_dir(player.directory.path())
        .map(|listed| listed.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    files.sort();
    ShownEngine {
        command: words(&setup.arguments),
        environment: words(&setup.environment),
        directory: words(std::slice::from_ref(&setup.directory)).remove(0),
        files,
        input: pipes.input.replace(&own, ".").into_bytes(),
        lines: lines.collect(),
    }
}
