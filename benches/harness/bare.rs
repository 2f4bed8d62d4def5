//! The physical limit: one line over two pipes and back, with poll, between two processes.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::Bench;
use crate::table::{Table, median};

pub(crate) fn part(bench: &mut Bench) {
    let mut table = Table::new("the bare exchange of a line over two pipes", &["cores", "exchanges/s", "us"]);
    for (name, cores) in [("one core", [0, 0]), ("two cores", [0, 1])] {
        let rate = median((0..bench.rounds).map(|_| exchange(bench, cores)).collect());
        bench.note(format!("bare, {name}, exchanges a second"), rate);
        table.row(&[name.to_owned(), format!("{rate:.0}"), format!("{:.2}", 1e6 / rate)]);
    }
    table.print();
}

/// Exchanges a second; one side on each of the cores.
fn exchange(bench: &Bench, cores: [usize; 2]) -> f64 {
    pin(&[cores[1]]);
    let mut child = Command::new(&bench.instant)
        .arg("echo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the instant engine starts");
    pin(&[cores[0]]);
    let mut to = child.stdin.take().expect("stdin is piped");
    let mut from = child.stdout.take().expect("stdout is piped");
    let mut line = [0; 64];
    let mut once = || {
        to.write_all(b"W,1,1,1,1,5,1,apple\n").expect("it reads");
        poll(&mut [PollFd::from_borrowed_fd(from.as_fd(), PollFlags::IN)], None).expect("it answers");
        assert_ne!(from.read(&mut line).expect("it answers"), 0);
    };
    (0..1000).for_each(|_| once());
    let began = Instant::now();
    (0..bench.plies).for_each(|_| once());
    let rate = bench.plies as f64 / began.elapsed().as_secs_f64();
    drop((to, from));
    child.wait().expect("it ends with its input");
    pin(&[0, 1]);
    rate
}

/// Keeps this thread, and whatever it starts, on these cores.
pub(crate) fn pin(cores: &[usize]) {
    let mut set = CpuSet::new();
    cores.iter().for_each(|core| set.set(*core));
    let _ = sched_setaffinity(None, &set); // with one core there is nothing to choose
}
