//! The folder of evidence for a game lost by a fault: it shows the author why, and plays the game
//! again.

use std::fmt::Write;

use crate::record::{Evidence, GameRecord, SeatRecord};

/// The files of the folder: names and texts. `again` are the arguments of agon that play the game
/// again.
pub fn files(
    record: &GameRecord,
    seat: &SeatRecord,
    evidence: &Evidence,
    again: &str,
) -> [(&'static str, String); 5] {
    [
        ("why.txt", why(record, seat, evidence)),
        ("lines.txt", lines(evidence)),
        ("stderr.txt", format!("{}\n", evidence.stderr)),
        ("position.txt", format!("start {}\nlast  {}\n", record.start, record.last)),
        ("again.sh", again_script(record, again)),
    ]
}

/// The script that plays the game again. The folders of a class's engines are named by their
/// contents, so the script says who is who.
fn again_script(record: &GameRecord, again: &str) -> String {
    let (id, plies) = (record.id, record.plies.len());
    let names: Vec<&str> = record.seats.values().iter().map(|seat| seat.entrant.as_str()).collect();
    format!(
        "#!/bin/sh\n\
         # Plays the two games on this board again, with every move shown. Game 1 is this game: the engines\n\
         # have the same sides. In game 2 the sides are swapped. The engines of game 1, in their order: {}.\n\
         # To play this game on from its last position, call in this folder:\n\
         # agon replay ../.. {id} --from {plies} --engine ./mine\n\
         # AGON is the path of agon, if it is not on the PATH.\n\
         command -v \"${{AGON:-agon}}\" > /dev/null || {{\n    \
         echo \"${{AGON:-agon}}: not found; set AGON to the path of agon\" >&2\n    exit 127\n}}\n\
         \"${{AGON:-agon}}\" {again}\n",
        names.join(", ")
    )
}

fn why(record: &GameRecord, seat: &SeatRecord, evidence: &Evidence) -> String {
    let mut out = String::new();
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<12}{value}"); // a String takes everything
    };
    fact("game", record.id.to_string());
    fact("engine", format!("{} as {}", seat.entrant, seat.side));
    if let Some(decided) = record.decided() {
        fact("lost by", decided.termination.to_string());
        fact("because", decided.reason.clone());
    }
    fact("at ply", (record.plies.len() + 1).to_string());
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
    fact("command", evidence.command.join(" "));
    out
}

/// The lines, each with the sign of its direction.
fn lines(evidence: &Evidence) -> String {
    let mut out = String::new();
    for line in &evidence.lines {
        let way = line.way.sign();
        let _ = writeln!(out, "{:10.3} ms {way} {}", line.at.as_secs_f64() * 1e3, line.text); // as above
    }
    out
}
