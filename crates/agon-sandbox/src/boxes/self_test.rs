//! The self-test: which levels are available here, and whether their guards hold, by the table of
//! `checks`.
//!
//! Before the first game a level is tried once around a program that does nothing. At the levels
//! with boxes the attacks are also made inside. `agon doctor` looks at each mechanism by itself as
//! well, and makes the attacks outside too.

use std::ffi::{CString, OsStr};
use std::io::{self, Read, Seek};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;

use wait_timeout::ChildExt;

use super::boxed_process::{BoxedProcess, Inside, c_string};
use super::checks::{self, Attack, Check, Mechanism, World};
use super::failure::check;
use super::start::{Warden, end, start};
use super::{landlock, roles};
use crate::checked::{CheckRow, Lack, Tried, Unavailable};
use crate::levels::{Isolation, Request, ResourceLimits};
use crate::spawn::{self, NotStarted};

/// How long all attacks may take, and one look at a mechanism.
const BOUND: Duration = Duration::from_secs(20);
/// How long a process that ticks every millisecond is watched.
const WATCHED: Duration = Duration::from_millis(30);

/// Makes every check. Attacks are made at the level `tried_at`, if any, and outside as the control.
/// `place` is an empty directory of the run.
///
/// # Errors
/// That level is not available, or the machine is out of something.
pub fn self_test(tried_at: Option<Isolation>, place: &Path) -> io::Result<Vec<CheckRow>> {
    let wholes = Isolation::ALL
        .map(|level| (level, available(level, ResourceLimits::default(), place).map_err(Lack::from)));
    let whole = |level: Isolation| {
        let found = wholes.iter().find(|(other, _)| *other == level);
        found.map_or(Ok(()), |(_, found)| found.clone())
    };
    let mut tried = match tried_at {
        Some(level) if level > Isolation::None => try_attacks(level, place)?,
        _ => checks::ALL.iter().map(|_| None).collect(),
    };
    let rows = checks::ALL.iter().zip(tried.drain(..));
    Ok(rows
        .map(|(check, tried)| CheckRow {
            mechanism: check.mechanism.name(),
            attack: check.what(),
            level: check.level,
            needed: check.mechanism.is_needed(),
            found: look(check, &whole),
            tried,
        })
        .collect())
}

/// Makes every attack that a level promises to prevent, inside and outside; in the order of the
/// table.
fn try_attacks(level: Isolation, place: &Path) -> io::Result<Vec<Option<Tried>>> {
    let program = std::env::current_exe()?;
    let (outside, inside) = reach_for(place, |world| {
        Ok((outside(&program, world, place)?, inside(&program, world, place, level)?))
    })?;
    let mut made = outside.into_iter().zip(inside);
    let tries = checks::ALL.iter().map(|check| {
        let tried = match check.attack {
            Attack::Made(..) => made.next().map(|(outside, inside)| Tried { outside, inside }),
            Attack::Watched(_) if level.is_boxed() => Some(thinking_off_turn(&program, place, level)?),
            Attack::Watched(_) | Attack::None => None,
        };
        Ok(tried.filter(|_| check.level <= level))
    });
    tries.collect()
}

/// Makes only the attacks inside, before a run. Returns every one that works although its level
/// promises that it does not, with the mechanism that should have prevented it.
///
/// # Errors
/// As [`self_test`].
pub fn breaches(level: Isolation, place: &Path) -> io::Result<Vec<(&'static str, &'static str)>> {
    let program = std::env::current_exe()?;
    let answers = reach_for(place, |world| inside(&program, world, place, level))?;
    let made = checks::ALL.iter().filter(|check| check.is_made()).zip(answers);
    let works = made.filter(|(check, answer)| check.level <= level && answer.is_ok());
    Ok(works.filter_map(|(check, _)| Some((check.what()?, check.mechanism.name()))).collect())
}

/// Whether a mechanism is available. `whole` says it of a level.
fn look(check: &Check, whole: &dyn Fn(Isolation) -> Result<(), Lack>) -> Result<String, Lack> {
    match check.mechanism {
        Mechanism::Namespace(_, kind) => namespace(check.mechanism, kind),
        Mechanism::Seccomp if filters() => Ok("filters of system calls".to_owned()),
        Mechanism::Seccomp => Err(lack("the kernel filters no system calls", check.mechanism.remedy())),
        Mechanism::Landlock => {
            landlock::version().map(|version| format!("version {version}")).ok_or_else(|| {
                lack("the kernel has no Landlock, or it is switched off", check.mechanism.remedy())
            })
        }
        // What shows only when the whole level is tried.
        _ => whole(check.level).map(|()| "tried as a whole".to_owned()),
    }
}

fn lack(why: impl Into<String>, remedy: impl Into<String>) -> Lack {
    Lack { why: why.into(), remedy: remedy.into() }
}

/// Tries a level: builds what it needs around a program that does nothing. `empty` is a directory
/// of the run.
///
/// # Errors
/// [`Unavailable`], with the reason and the next step.
pub fn available(level: Isolation, limits: ResourceLimits, empty: &Path) -> Result<(), Unavailable> {
    if level == Isolation::None {
        return Ok(());
    }
    match attempt(level, limits, empty) {
        Ok(()) => Ok(()),
        Err(error) => {
            let why = error.to_string();
            Err(Unavailable { level, remedy: remedy(level, &why), why })
        }
    }
}

fn attempt(level: Isolation, limits: ResourceLimits, empty: &Path) -> io::Result<()> {
    let files = c_string(empty)?;
    let request = Request {
        program: c"/bin/true",
        arguments: &[c"true".to_owned()],
        environment: &[],
        directory: c"/",
        files: &files,
        shown: &[],
        level,
        limits,
        freezes: false,
        pinned: false,
    };
    match start(&request, spawn::pipes()?) {
        Ok((child, _)) => {
            end(&child); // it has mostly ended by now
            Ok(())
        }
        // A system without that program; the box was built for it all the same.
        Err(NotStarted::Program(_)) => Ok(()),
        Err(NotStarted::Directory(error) | NotStarted::Ours(error)) => Err(error),
    }
}

/// Whether a namespace of this kind can be made. Only root can make most of them without a user
/// namespace around them.
fn namespace(mechanism: Mechanism, kind: libc::c_int) -> Result<String, Lack> {
    let around = if rustix::process::geteuid().is_root() { 0 } else { libc::CLONE_NEWUSER };
    let mut helper = Command::new("/proc/self/exe");
    helper.args([roles::NAMESPACE, &(kind | around).to_string()]).stdout(Stdio::null());
    let tried = run(&mut helper);
    let error = match tried.map(|status| status.code()) {
        Ok(Some(0)) => None,
        Ok(Some(number)) => Some(io::Error::from_raw_os_error(number)),
        Ok(None) => Some(io::Error::other("the helper was killed")),
        Err(error) => Some(error),
    };
    let remedy = match error.as_ref().and_then(io::Error::raw_os_error) {
        Some(libc::ENOSPC) => "raise the sysctl user.max_user_namespaces and its like",
        Some(libc::EINVAL) => "use a kernel that has this namespace, as all distributions have",
        _ => mechanism.remedy(),
    };
    match error {
        None => Ok("can be made".to_owned()),
        Some(error) => Err(lack(error.to_string(), remedy)),
    }
}

/// Runs a process of ours to its end, or until it has taken too long. It reads and logs nothing.
fn run(command: &mut Command) -> io::Result<ExitStatus> {
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let ended = child.wait_timeout(BOUND);
    if !matches!(ended, Ok(Some(_))) {
        let _ = child.kill(); // it may have just ended
        let _ = child.wait(); // it is killed
    }
    ended?.ok_or_else(|| io::ErrorKind::TimedOut.into())
}

/// The part of a process that tries a namespace: makes the namespace, and tells by its exit code
/// how that went.
pub(super) fn help(kind: Option<&OsStr>) -> ! {
    let kind = kind.and_then(OsStr::to_str).and_then(|kind| kind.parse().ok()).unwrap_or(0);
    // SAFETY: this process has one thread, and ends here.
    let done = check(unsafe { libc::unshare(kind) });
    exit(done.map_or_else(|error| error.raw_os_error().unwrap_or(libc::EIO), |()| 0))
}

/// Whether the kernel lets a filter answer with an error.
fn filters() -> bool {
    const IS_THERE: libc::c_uint = 2; // SECCOMP_GET_ACTION_AVAIL
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the call reads one number.
    unsafe { libc::syscall(libc::SYS_seccomp, IS_THERE, 0, &raw const action) == 0 }
}
/// Puts up what attacks reach for while this is done.
fn reach_for<T>(place: &Path, act: impl FnOnce(&World) -> io::Result<T>) -> io::Result<T> {
    let file = place.join("yours");
    std::fs::write(&file, "yours\n")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let name = format!("agon-doctor-{}", std::process::id());
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
    let process = checks::Identity::own()?;
    let file = file.to_string_lossy().into_owned();
    let shown = place.join("shown");
    std::fs::create_dir_all(&shown)?;
    let folder = std::fs::File::open(&shown)?;
    let near = |name: &str| checks::near(&folder, name);
    let _by_path = (listening(&near(checks::STREAM))?, taking_messages(&near(checks::MESSAGES))?);
    everybody_may(&shown)?;
    let shown = shown.to_string_lossy().into_owned();
    let port = listener.local_addr()?.port();
    act(&World { file, shown, port, name, process, namespaces: checks::namespaces() })
}

/// A socket that listens, to which everybody may connect. One of an earlier test is replaced.
fn listening(path: &str) -> io::Result<UnixListener> {
    let _ = std::fs::remove_file(path); // there usually is none
    let listener = UnixListener::bind(path)?;
    everybody_may(path.as_ref())?;
    Ok(listener)
}

/// The same for messages.
fn taking_messages(path: &str) -> io::Result<UnixDatagram> {
    let _ = std::fs::remove_file(path); // as above
    let socket = UnixDatagram::bind(path)?;
    everybody_may(path.as_ref())?;
    Ok(socket)
}

/// Lets engines of root, which are other users, do there what the mount alone is to prevent.
fn everybody_may(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777))
}

type AttackResult = Result<(), String>;

/// The same program, started without a box.
fn outside(program: &Path, world: &World, place: &Path) -> io::Result<Vec<AttackResult>> {
    // A file, not a pipe: what an attack has started may hold it open.
    let mut output = tempfile::tempfile_in(place)?;
    run(Command::new(program)
        .arg(roles::ATTACKS)
        .args(world.words())
        .current_dir(place)
        .stdout(output.try_clone()?))?;
    let mut said = Vec::new();
    output.rewind()?;
    output.read_to_end(&mut said)?;
    answers(&said)
}

fn inside(program: &Path, world: &World, place: &Path, level: Isolation) -> io::Result<Vec<AttackResult>> {
    let mut attacker = words_of(program, &world.words())?;
    attacker.shown.push(c_string(Path::new(&world.shown))?);
    let boxed = BoxedProcess::start(&attacker, place, level, checks::LIMITS)?;
    let mut said = Vec::new();
    boxed.read(BOUND, &mut said)?;
    answers(&said)
}

/// agon itself as the boxed, with these words after the one that makes it try.
fn words_of(program: &Path, words: &[String]) -> io::Result<Inside> {
    let program = c_string(program)?;
    let all = [roles::ATTACKS].into_iter().chain(words.iter().map(String::as_str));
    let words = all.map(CString::new).collect::<Result<_, _>>().map_err(io::Error::other)?;
    Ok(Inside { program: program.clone(), words, environment: Vec::new(), shown: vec![program] })
}

/// One line an attempt; a process that was ended in the middle has been kept from the rest.
fn answers(said: &[u8]) -> io::Result<Vec<AttackResult>> {
    let said = String::from_utf8_lossy(said);
    let mut answers: Vec<AttackResult> = said
        .lines()
        .map(|line| match line.strip_prefix("refused ") {
            Some(why) => Err(why.to_owned()),
            None => Ok(()),
        })
        .collect();
    if answers.is_empty() {
        return Err(io::Error::other("the attacks ended without a word"));
    }
    let made = checks::ALL.iter().filter(|check| check.is_made()).count();
    answers.resize(made, Err("it was ended before".to_owned()));
    Ok(answers)
}

/// Whether a stopped process stands still: its progress is read before, during and after the stop.
fn thinking_off_turn(program: &Path, place: &Path, level: Isolation) -> io::Result<Tried> {
    let mut boxed =
        BoxedProcess::start(&words_of(program, &[checks::TICK.to_owned()])?, place, level, checks::LIMITS)?;
    let count = |boxed: &BoxedProcess| -> io::Result<usize> {
        let mut ticks = Vec::new();
        boxed.read(WATCHED, &mut ticks)?;
        Ok(ticks.len())
    };
    let before = count(&boxed)?;
    boxed.warden(Warden::freeze);
    sleep(WATCHED); // until it has been stopped
    count(&boxed)?; // what it had written by then
    let meanwhile = count(&boxed)?;
    boxed.warden(|warden| _ = warden.thaw());
    let afterwards = count(&boxed)?;
    Ok(Tried {
        outside: if before > 0 { Ok(()) } else { Err("it did nothing before it was stopped".to_owned()) },
        inside: match (meanwhile, afterwards) {
            (0, 1..) => Err("it was stopped".to_owned()),
            (0, 0) => Err("it was stopped, and did not go on".to_owned()),
            _ => Ok(()),
        },
    })
}

impl From<Unavailable> for Lack {
    fn from(Unavailable { why, remedy, .. }: Unavailable) -> Self {
        Lack { why, remedy }
    }
}

/// What to do about a step that failed.
fn remedy(level: Isolation, why: &str) -> String {
    let weaker = match level {
        Isolation::Limits | Isolation::None => "none",
        Isolation::Sandbox => "limits",
        Isolation::Strict => "sandbox",
    };
    let of_limits = [
        ("Too many open files", "raise the limit on open files (ulimit -n)"),
        (
            "Resource temporarily unavailable",
            "raise the limit on processes (ulimit -u, or pids.max of the control group)",
        ),
        ("Cannot allocate memory", "raise the limit on memory (ulimit -v), or free some"),
    ];
    // No other level does better.
    if let Some((_, mend)) = of_limits.iter().find(|(words, _)| why.contains(words)) {
        return (*mend).to_owned();
    }
    let mend = match Mechanism::behind(why) {
        Some(mechanism) => mechanism.remedy(),
        None if why.contains("mounting /proc") => {
            "something covers parts of /proc here (a container?): remove it, or run agon as root outside"
        }
        None if why.contains("Function not implemented") => "use Linux 5.14 or newer",
        None => "see docs/isolation.md",
    };
    format!("{mend}; or use --isolation {weaker}, which promises less")
}
