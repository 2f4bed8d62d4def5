//! Checks before the first game that the limits on processes leave each engine as many as it may
//! have. Otherwise one engine could take those of its opponent, which would be blamed.

use agon_config::Misuse;
use agon_sandbox::Isolation;
use agon_sandbox::room::{ProcessBound, ProcessRoom, for_processes};

use crate::run::Run;

/// Processes and threads of agon itself in a run, and those in each game: its thread, and the two
/// of each box.
const OWN: u64 = 8;
const OF_GAME: u64 = 1;
const OF_BOX: u64 = 2;

/// Checks that all engines that play at the same time may have as many processes as their limit
/// says. At `none` nothing limits them.
///
/// # Errors
/// [`Misuse`], with the numbers and the options that fit.
pub(super) fn check(run: &Run) -> anyhow::Result<()> {
    if run.terms.confinement.level == Isolation::None {
        return Ok(());
    }
    let seats =
        run.tables.seats.min(run.entrants.iter().filter(|one| one.elsewhere.is_none()).count().max(1));
    let games = u64::try_from(run.concurrency).unwrap_or(u64::MAX);
    refuse(for_processes(), run.terms.confinement.processes, u64::try_from(seats).unwrap_or(u64::MAX), games)
}

/// What `agon doctor` says about a tight limit; nothing if engines may have as many as usual.
pub fn advice(processes: u32) -> Option<String> {
    refuse(for_processes(), processes, 2, 1).err().map(|error| error.to_string())
}

fn refuse(room: Option<ProcessRoom>, processes: u32, seats: u64, games: u64) -> anyhow::Result<()> {
    let Some(room) = room else { return Ok(()) };
    let engines = seats.saturating_mul(games);
    let own = OWN + games.saturating_mul(OF_GAME) + engines.saturating_mul(OF_BOX);
    let needed = engines.saturating_mul(processes.into()).saturating_add(own);
    if needed <= room.left() {
        return Ok(());
    }
    let ProcessRoom { most, used, .. } = room;
    let limit = match room.by {
        ProcessBound::User => "the limit on your processes (ulimit -u)",
        ProcessBound::ControlGroup => "the limit of the control group (pids.max)",
    };
    let raise = match room.by {
        ProcessBound::User => format!("raise it to {} with ulimit -u", used.saturating_add(needed)),
        ProcessBound::ControlGroup => {
            format!(
                "raise it to {} (docker run --pids-limit, TasksMax= of systemd)",
                used.saturating_add(needed)
            )
        }
    };
    let fits = room.left().saturating_sub(own) / engines.max(1);
    let fewer = if fits == 0 {
        String::new()
    } else {
        format!("give each engine fewer with --processes {fits}, or ")
    };
    Err(Misuse::hinted(
        format!(
            "{limit} is {most}, and {used} are in use: {engines} engines at the same time, of {processes} processes and \
             threads each (--processes), and agon itself need {needed} more"
        ),
        format!("{fewer}{raise}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_lets_one_engine_take_the_processes_of_the_other_is_refused_with_what_fits() {
        let room = |by, most, used| Some(ProcessRoom { by, most, used });
        for fits in [room(ProcessBound::User, 1000, 100), room(ProcessBound::ControlGroup, 525, 0), None] {
            refuse(fits, 256, 2, 1).unwrap();
        }
        let why = refuse(room(ProcessBound::User, 200, 87), 256, 2, 1).unwrap_err().to_string();
        for part in [
            "(ulimit -u) is 200, and 87 are in use",
            "2 engines",
            "need 525 more",
            "--processes 50, or raise it to 612",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
        // What the hint says fits, and one more does not.
        refuse(room(ProcessBound::User, 200, 87), 50, 2, 1).unwrap();
        refuse(room(ProcessBound::User, 200, 87), 51, 2, 1).unwrap_err();
        let none = refuse(room(ProcessBound::ControlGroup, 10, 9), 256, 2, 4).unwrap_err().to_string();
        assert!(none.contains("pids.max") && !none.contains("--processes 0"), "{none}");
    }
}
