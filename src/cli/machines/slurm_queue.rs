//! What is asked of Slurm: to take a job, whether tasks of it wait or run, and how long an array
//! may be.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use agon_config::Misuse;
use agon_programs::program::display_path;
use agon_programs::tool_output::tool_output;
use agon_tournament::machines;
use anyhow::Context;

use crate::cli::machines::holes::outside;

/// How long Slurm may take to tell something.
const LOOK: Duration = Duration::from_secs(30);
/// How long it may take to accept a job. It tries again by itself for a while.
const SUBMIT: Duration = Duration::from_secs(300);
/// The most tasks of an array where Slurm cannot be asked: its default.
const USUAL_MOST: u64 = 1000;

/// The most tasks that an array may have.
pub(crate) fn most_tasks() -> u64 {
    let config = said("scontrol", &["show", "config"], LOOK).ok();
    config.and_then(|config| machines::most_tasks(&config)).unwrap_or(USUAL_MOST)
}

/// Hands in the script for these tasks. Returns the number of the job.
///
/// # Errors
/// There is no Slurm here, or it refuses the job.
pub(crate) fn submit(script: &Path, tasks: &[u64]) -> anyhow::Result<String> {
    let array = format!("--array={}", machines::array_of(tasks));
    let script = script.to_string_lossy();
    let job = said("sbatch", &["--parsable", &array, &script], SUBMIT)?;
    // With several clusters, the name of the cluster follows.
    Ok(job.trim().split(';').next().unwrap_or_default().to_owned())
}

/// Cancels what Slurm holds of the jobs with this name. Called where no task of them waits or runs.
pub(crate) fn cancel_held(name: &str) {
    // What cannot be cancelled does no harm: a part that is played twice has each game once.
    let _ = said("scancel", &["--quiet", "--state=PENDING", "--name", name], LOOK);
}

/// How many tasks of the jobs with this name wait or run; `None` if the controller does not answer,
/// as while it is started again. By its name a job is found that a new controller knows under
/// another number.
pub(crate) fn tasks_left(name: &str) -> Option<usize> {
    let list = said("squeue", &["--noheader", "--array", "--format=%i|%r", "--name", name], LOOK).ok()?;
    Some(machines::tasks_in(&list))
}

/// The output of a program of Slurm, which may take so long.
fn said(program: &str, words: &[&str], limit: Duration) -> anyhow::Result<String> {
    let output = match tool_output(outside(program).args(words), limit) {
        Err(error) if error.kind() == ErrorKind::TimedOut => {
            return Err(Misuse::hinted(
                format!("Slurm does not answer: {}: {error}", display_path(Path::new(program))),
                "see that squeue works here, then give the same command again",
            ));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Misuse::hinted(
                format!("there is no {program} here"),
                "call agon slurm where Slurm's programs are installed, such as the login node of a cluster",
            ));
        }
        done => done.with_context(|| format!("cannot start {}", display_path(Path::new(program))))?,
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    anyhow::ensure!(output.status.success(), "{program}: {}", text(&output.stderr));
    Ok(text(&output.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_slurm_that_does_not_answer_is_named() {
        let why = said("sleep", &["100"], Duration::from_millis(100)).unwrap_err().to_string();
        assert!(why.starts_with("Slurm does not answer: sleep: it did not end within 0.1 s; "), "{why}");
    }
}
