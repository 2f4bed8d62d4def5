//! Attacks on memory: in one process, in many, and in kinds that belong to none. Memory that is
//! only reserved must not be punished.

use std::fs::File;
use std::io::{self, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::attacks::honest::{Stub, idle};
use crate::attacks::processes::children;
use crate::attacks::tried::{not_tried, tell, tell_if};
use crate::attacks::{Level, Mode, mode, sys};

pub(crate) const MODES: &[Mode] = &[
    mode("memory", "normal", "D01", "touches --mb (200) of memory and keeps it", memory)
        .later(&[(Level::Limits, "memory limit")])
        .blocked(Level::Limits),
    mode("memory-family", "normal", "D02", "the same, shared out among 8 children", memory_family)
        .later(&[(Level::Limits, "memory limit")])
        .blocked(Level::Limits),
    mode("memfd", "normal", "D03", "--mb (200) in a file that lives in memory", memfd)
        .later(&[(Level::Limits, "crash"), (Level::Sandbox, "normal")])
        .blocked(Level::Limits),
    mode("shared-memory", "normal", "D03", "--mb (200) of memory to be shared", shared_memory)
        .later(&[(Level::Limits, "memory limit")])
        .blocked(Level::Limits),
    mode("sysv-memory", "normal", "D03", "--mb (200) of shared memory with a key", sysv_memory)
        .later(&[(Level::Limits, "memory limit"), (Level::Sandbox, "normal")])
        .blocked(Level::Limits),
    mode("dev-shm", "normal", "D03", "--mb (200) in a file in /dev/shm", dev_shm)
        .later(&[(Level::Limits, "crash"), (Level::Sandbox, "normal")])
        .blocked(Level::Limits),
    mode(
        "headless-memory",
        "normal",
        "D03",
        "the same from a second thread, when the first has ended",
        headless_memory,
    )
    .later(&[(Level::Limits, "memory limit")])
    .blocked(Level::Limits),
    mode("reserve", "normal", "D04", "reserves 64 GiB of addresses and touches 10 MiB", reserve),
];

/// The size of `--mb` in bytes.
fn wanted(stub: &Stub) -> usize {
    usize::try_from(stub.options.number("mb", 200).min(4096)).unwrap_or(0) << 20
}

/// Holds the memory for a while; if this process is still alive, the attack has worked.
fn keep(attack: &str, what: &str) -> io::Result<()> {
    sleep(HELD);
    tell_if(attack, what, true)
}

/// How long it is held before the answer, so that a harness that looks now and then sees it.
const HELD: Duration = Duration::from_secs(1);

/// Writes to every page, so that it is resident.
fn touch(memory: &mut [u8]) {
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    std::hint::black_box(memory);
}

/// Resident memory of this process.
fn take(bytes: usize) -> Option<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).ok()?;
    memory.resize(bytes, 1);
    Some(std::hint::black_box(memory))
}

/// D01
fn memory(stub: &mut Stub) -> io::Result<()> {
    let mut kept = None;
    stub.play_after(|stub| {
        kept = take(wanted(stub));
        match kept {
            Some(_) => keep("D01", "memory"),
            None => tell_if("D01", "memory", false),
        }
    })?;
    std::hint::black_box(kept); // until the game is over
    Ok(())
}

/// D02: no child has much.
fn memory_family(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| {
        let each = wanted(stub) / 8;
        let (taken, by_child) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let started = children(8, || {
            let kept = take(each); // never dropped, as this child never returns
            std::hint::black_box(&kept);
            let _ = rustix::io::write(&by_child, b"!");
            idle();
        });
        // On a busy machine they take their time.
        let until = Instant::now() + Duration::from_secs(20);
        let mut seen = 0;
        while seen < started && Instant::now() < until {
            match rustix::io::read(&taken, &mut [0u8; 8]) {
                Ok(more) => seen += more as u64,
                Err(_) => sleep(Duration::from_millis(10)),
            }
        }
        if started == 8 { keep("D02", "memory of 8") } else { tell_if("D02", "memory of 8", false) }
    })
}

/// D03: it does not count as memory of a process.
fn memfd(stub: &mut Stub) -> io::Result<()> {
    let mut kept = memfd_create("keep", MemfdFlags::CLOEXEC).map(File::from);
    stub.play_after(|stub| match &mut kept {
        Ok(file) => fill("D03", "memfd", file, wanted(stub)),
        Err(why) => tell("D03", "memfd", Err::<(), _>(*why)),
    })
}

fn fill(attack: &str, what: &str, file: &mut File, bytes: usize) -> io::Result<()> {
    let block = vec![1; 1 << 20];
    match (0..bytes >> 20).try_for_each(|_| file.write_all(&block)) {
        Ok(()) => keep(attack, what),
        refused => tell(attack, what, refused),
    }
}

/// D03
fn shared_memory(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| match sys::shared_memory(wanted(stub)) {
        Ok(memory) => {
            touch(memory);
            keep("D03", "shared memory")
        }
        refused => tell("D03", "shared memory", refused),
    })
}

/// D03: the usual files in /proc are empty for a process whose first thread has ended.
fn headless_memory(stub: &mut Stub) -> io::Result<()> {
    let (side, options) = (stub.side.clone(), stub.options.clone());
    std::thread::spawn(move || {
        let _ = shared_memory(&mut Stub::new(side, options)); // as in `main`
        std::process::exit(0)
    });
    sys::end_thread()
}

/// D03
fn sysv_memory(stub: &mut Stub) -> io::Result<()> {
    stub.play_after(|stub| match sys::sysv_memory(wanted(stub)) {
        Ok(memory) => {
            touch(memory);
            keep("D03", "shared memory with a key")
        }
        refused => tell("D03", "shared memory with a key", refused),
    })
}

/// D03: the file has the token in its name and is removed at once, while it is still open.
fn dev_shm(stub: &mut Stub) -> io::Result<()> {
    let path = format!("/dev/shm/agon-stub-{}", std::process::id());
    let mut kept = File::create_new(&path);
    if kept.is_ok() {
        std::fs::remove_file(&path)?;
    }
    stub.play_after(|stub| match &mut kept {
        Ok(file) => fill("D03", "/dev/shm", file, wanted(stub)),
        Err(why) => tell("D03", "/dev/shm", Err::<(), _>(&*why)),
    })
}

/// D04: addresses are not memory, and must not be punished.
fn reserve(stub: &mut Stub) -> io::Result<()> {
    if let Err(why) = sys::reserve(64 << 30) {
        not_tried("D04", &format!("a reservation was refused: {why}"))?;
        std::process::exit(1);
    }
    let kept = take(10 << 20);
    stub.play_on()?;
    std::hint::black_box(kept);
    Ok(())
}
