//! The physical limit: one line over two pipes and back, with poll, between two processes.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Bench;
use crate::table::{BenchTable, median};

pub(crate) fn part(bench: &mut Bench) {
    let mut table =
        BenchTable::new("the bare exchange of a line over two pipes", &["cores", "exchanges/s", "us"]);
    for (name, cores) in [("one core", [0, 0]), ("two cores", [0, 1])] {
        let rate = median((0..bench.rounds).map(|_| exchange(bench, cores)).collect());
        bench.note(format!("bare, {name}, exchanges a second"), rate);
        table.row(&[name.to_owned(), format!("{rate:.0}"), format!("{:.2}", 1e6 / rate)]);
    }
    table.print();
}

/// Exchanges per second; one side on each of the cores.
fn exchange(bench: &Bench, cores: [usize; 2]) -> f64 {
    pin(&[cores[1]]);
    let mut echo = Echo::start(&bench.instant);
    pin(&[cores[0]]);
    (0..1000).for_each(|_| echo.once());
    let began = Instant::now();
    (0..bench.plies).for_each(|_| echo.once());
    let rate = bench.plies as f64 / began.elapsed().as_secs_f64();
    echo.end();
    pin(&[0, 1]);
    rate
}

/// How often per second two engines can be started on one core, answer once and be reaped.
pub(crate) fn pairs_of_starts(program: &Path) -> f64 {
    const PAIRS: u32 = 100;
    pin(&[0]);
    let began = Instant::now();
    for _ in 0..PAIRS {
        let mut both = [Echo::start(program), Echo::start(program)];
        both.iter_mut().for_each(Echo::once);
        both.into_iter().for_each(Echo::end);
    }
    let rate = f64::from(PAIRS) / began.elapsed().as_secs_f64();
    pin(&[0, 1]);
    rate
}

/// An engine that echoes its input.
struct Echo {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

impl Echo {
    fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .arg("echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the instant engine starts");
        let to = child.stdin.take().expect("stdin is piped");
        let from = child.stdout.take().expect("stdout is piped");
        Echo { child, to, from }
    }

    fn once(&mut self) {
        let mut line = [0; 64];
        self.to.write_all(b"W,1,1,1,1,5,1,apple\n").expect("it reads");
        poll(&mut [PollFd::from_borrowed_fd(self.from.as_fd(), PollFlags::IN)], None).expect("it answers");
        assert_ne!(self.from.read(&mut line).expect("it answers"), 0);
    }

    fn end(mut self) {
        drop((self.to, self.from));
        self.child.wait().expect("it ends with its input");
    }
}

/// Keeps this thread, and processes it starts, on these cores.
pub(crate) fn pin(cores: &[usize]) {
    let mut set = CpuSet::new();
    cores.iter().for_each(|core| set.set(*core));
    let _ = sched_setaffinity(None, &set); // with one core there is nothing to choose
}
