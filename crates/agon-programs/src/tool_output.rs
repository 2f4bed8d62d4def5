//! A program of the system that is asked something, for a limited time.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use wait_timeout::ChildExt;

/// No more bytes of its output are read.
const MOST: u64 = 16 << 20;

/// What a program has written, and how it ended.
#[derive(Debug)]
pub struct ToolOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to stdout.
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub stderr: Vec<u8>,
}

/// Runs a program until it ends. After the limit it is killed, with its process group.
///
/// # Errors
/// It cannot be started, or has not ended within the limit ([`ErrorKind::TimedOut`]).
pub fn tool_output(command: &mut Command, limit: Duration) -> io::Result<ToolOutput> {
    // Files and no pipes: a process that it leaves behind may hold a pipe for ever.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .process_group(0)
        .spawn()?;
    let Some(status) = child.wait_timeout(limit)? else {
        // Before it is reaped: then its number may belong to another.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL); // it may have just ended
        child.wait()?;
        let why = format!("it did not end within {} s", limit.as_secs_f64());
        return Err(io::Error::new(ErrorKind::TimedOut, why));
    };
    Ok(ToolOutput { status, stdout: read(&mut stdout)?, stderr: read(&mut stderr)? })
}

fn read(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, limit: Duration) -> io::Result<ToolOutput> {
        tool_output(Command::new("/bin/sh").args(["-c", script]), limit)
    }

    #[test]
    fn what_a_program_writes_is_read_though_a_child_of_it_lives_on() {
        let began = Instant::now();
        let said = shell("sleep 100 & echo out; echo err >&2; exit 3", Duration::from_secs(100)).unwrap();
        assert_eq!((said.stdout, said.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
        assert_eq!(said.status.code(), Some(3));
        assert!(began.elapsed() < Duration::from_secs(90));
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_with_its_children() {
        let began = Instant::now();
        let error = shell("sleep 100 & echo out; wait", Duration::from_millis(200)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "it did not end within 0.2 s");
        assert!(began.elapsed() < Duration::from_secs(90));
    }
}
