//! The folder of evidence for a game lost by a fault: it shows the author why, and plays the game
//! again.

use std::fmt::Write;

use agon_match::hosted::{CourseEntry, StepLine, course};
use agon_printable::clean;
use agon_record::{Evidence, GameRecord, RefereeRecord, SeatRecord, TranscriptLine};
use agon_seats::Seat;

/// The variable of the shell that has the directory of the run, in the script that plays a game
/// again.
pub const RUN: &str = "run";

/// The path of agon, as a script has it.
pub const AGON: &str = "\"${AGON:-agon}\"";
/// The most lines between the referee program and agon that are shown.
const MOST_LINES: usize = 40;

/// The files of the folder: names and texts. `again` is the command that plays the game again, in
/// which a shell fills in [`AGON`] and [`RUN`].
pub fn files(
    record: &GameRecord,
    seat: &SeatRecord,
    evidence: &Evidence,
    again: &str,
) -> [(&'static str, String); 5] {
    [
        ("why.txt", why(record, seat, evidence)),
        ("lines.txt", lines(&evidence.lines)),
        ("stderr.txt", format!("{}\n", evidence.stderr)),
        ("position.txt", position(record, seat)),
        ("again.sh", again_script(record, again)),
    ]
}

/// The files of a game that is void by the fault of its referee program.
pub fn of_referee(record: &GameRecord, referee: &RefereeRecord) -> [(&'static str, String); 3] {
    let why = format!(
        "{:<12}{}\n{:<12}{}\n{:<12}{}\n{:<12}{}\n{:<12}{}\n",
        "game",
        record.id,
        "referee",
        clean(&referee.program),
        "options",
        clean(&referee.options),
        "seed",
        record.seed,
        "void by",
        clean(referee.fault.as_deref().unwrap_or_default())
    );
    let from = referee.lines.len().saturating_sub(MOST_LINES);
    let mut lines = "< the referee wrote, > it was sent; the number of each line in the game\n".to_owned();
    for (at, line) in referee.lines.iter().enumerate().skip(from) {
        let _ = writeln!(lines, "{:6} {}", at + 1, clean(line)); // a String takes everything
    }
    [("why.txt", why), ("lines.txt", lines), ("stderr.txt", format!("{}\n", referee.stderr))]
}

/// Where the game stood: its positions. If a referee program alone knows them, it is the end of
/// what the referee and the engine said to each other.
fn position(record: &GameRecord, own: &SeatRecord) -> String {
    let Some(referee) = &record.referee else {
        return format!("start {}\nlast  {}\n", record.start, record.last);
    };
    let mut out = Vec::new();
    let of = |seat: Seat| record.seats[seat].side == own.side;
    for line in course(&referee.lines, record.seats.len()) {
        let said = match line.what {
            CourseEntry::Step(StepLine::Tell(to, text)) if to.is_none_or(of) => format!("is told {text}"),
            CourseEntry::Step(StepLine::Ask(question)) if of(question.seat) => "is asked".to_owned(),
            CourseEntry::Step(StepLine::Bad(seat, text)) if of(seat) => format!("was bad: {text}"),
            CourseEntry::Answer(seat, text) if of(seat) => format!("answers {text}"),
            CourseEntry::Fault(seat, text) if of(seat) => format!("has a fault: {text}"),
            CourseEntry::Move(seat, text, _) if of(seat) => format!("plays {text}"),
            _ => continue,
        };
        out.push(format!("step {}: {} {}\n", line.step, own.side, clean(&said)));
    }
    out[out.len().saturating_sub(MOST_LINES)..].concat()
}

/// The script that plays the game again with the programs that have played it, or says that they
/// are others now. The folders of a class's engines are named by their contents, so the script says
/// who is who.
fn again_script(record: &GameRecord, again: &str) -> String {
    let (id, plies) = (record.id, record.plies.len());
    let names: Vec<&str> = record.seats.values().iter().map(|seat| seat.entrant.as_str()).collect();
    let on = match &record.referee {
        Some(_) => format!("# To see this game as it was, call in this folder: agon replay ../.. {id}"),
        None => format!(
            "# To play this game on from its last position, call in this folder:\n\
             # agon replay ../.. {id} --from {plies} --engine ./mine"
        ),
    };
    let games = match record.seats.len() {
        2 => "# Plays the two games on this board again, with every move shown. Game 1 is this game: the engines\n\
              # have the same sides. In game 2 the sides are swapped."
            .to_owned(),
        seats => format!(
            "# Plays the {seats} games with this seed again, with every move shown. Game 1 is this game: the engines\n\
             # have the same seats. In each other game the seats are turned."
        ),
    };
    format!(
        "#!/bin/sh\n\
         {games} The engines of game 1, in their order: {}.\n\
         {on}\n\
         # AGON is the path of agon, if it is not on the PATH.\n\
         case ${{AGON:-agon}} in /*) ;; */*) AGON=$PWD/$AGON ;; esac\n\
         command -v \"${{AGON:-agon}}\" > /dev/null || {{\n    \
         echo \"${{AGON:-agon}}: not found; set AGON to the path of agon\" >&2\n    exit 127\n}}\n\
         # The directory of the run, with the copies of its programs.\n\
         case $0 in */*) {RUN}=${{0%/*}} ;; *) {RUN}=. ;; esac\n\
         case ${RUN} in /*) ;; *) {RUN}=./${RUN} ;; esac\n\
         {RUN}=${RUN}/../..\n\
         if [ ! -f \"${RUN}/agon.db\" ]; then {RUN}=${RUN}/..; fi\n\
         cd \"${RUN}\" || exit\n\
         {RUN}=.\n\
         {again}\n",
        names.join(", ")
    )
}

fn why(record: &GameRecord, seat: &SeatRecord, evidence: &Evidence) -> String {
    let ruling = record.ruling_in_words();
    // The evidence is of the game as it was played.
    let record = &record.clone().as_played();
    let mut out = String::new();
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<12}{value}"); // a String takes everything
    };
    fact("game", record.id.to_string());
    fact("engine", format!("{} as {}", seat.entrant, seat.side));
    let at = record.seats.iter().find(|(_, own)| own.side == seat.side).map(|(at, _)| at);
    let (mut ply, mut times) = (record.plies.len(), 1);
    if let Some(own) = at.and_then(|at| record.seat_fault(at)) {
        (ply, times) = (own.ply, own.times);
    }
    if let (Some(decided), Some(at)) = (record.decided(), at) {
        let has_lost = decided.places[at] > 1;
        match record.fault_of(at) {
            Some((cause, why)) => {
                let often = if times > 1 { format!(", {times} times") } else { String::new() };
                fact(if has_lost { "lost by" } else { "fault" }, format!("{}{often}", cause.name()));
                fact("because", why.to_string());
            }
            None => {
                fact("ended by", decided.termination.to_string());
                fact("because", decided.reason.to_string());
            }
        }
    }
    if let Some(ruling) = ruling {
        fact("decided", clean(&ruling));
    }
    fact("at ply", (ply + 1).to_string());
    fact("time", record.time_control.clone());
    fact("start-up", format!("{:.3} s", seat.startup.as_secs_f64()));
    fact("its end", seat.exit.map_or_else(|| "it never started".to_owned(), |exit| exit.to_string()));
    fact(
        "stdin",
        format!(
            "{} bytes told{}",
            seat.traffic.told,
            if seat.traffic.deaf { ", then closed by it" } else { "" }
        ),
    );
    fact(
        "stdout",
        format!("{} bytes, {} line(s) when it was not asked", seat.traffic.said, seat.traffic.unasked),
    );
    fact("stderr", format!("{} bytes", seat.traffic.logged));
    if seat.stragglers > 0 {
        fact("left behind", format!("{} process(es), killed", seat.stragglers));
    }
    fact(
        "lateness",
        format!(
            "{:.3} ms, by which agon itself woke late; no time of the engine",
            seat.lateness.as_secs_f64() * 1e3
        ),
    );
    if let Some(pressure) = record.machine.pressure {
        fact("machine", format!("somebody waited for a processor in {:.1} % of the time", pressure * 100.0));
    }
    record.pauses().into_iter().for_each(|pause| fact("paused", pause));
    if let Some(elsewhere) = &seat.elsewhere {
        fact("elsewhere", clean(&elsewhere.to_string()));
    }
    fact("command", evidence.command.join(" "));
    out
}

/// The lines, each with the sign of its direction.
pub fn lines(lines: &[TranscriptLine]) -> String {
    let mut out = String::new();
    for line in lines {
        let way = line.way.sign();
        let _ = writeln!(out, "{:10.3} ms {way} {}", line.at.as_secs_f64() * 1e3, line.text); // as above
    }
    out
}
