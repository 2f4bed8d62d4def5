//! Builds a submission in a box. Its folder is copied in, and its build command runs there. The
//! files that it makes come out through a pipe, and each name is checked.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::time::{Duration, Instant, SystemTime};

use agon_printable::escape;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, renameat};
use rustix::io::Errno;

use super::boxed_process::{BoxedProcess, Inside, c_string};
use super::{mounts, rights, roles};
use crate::build_clock::{BuildClock, BuildTime};
use crate::levels::{BuildEnd, BuildOutcome, BuildWork, Isolation, LimitHit, ResourceLimits};
use crate::shortage;

/// Where it builds.
const PLACE: &str = "/tmp/box/work";
/// Directories of tools whose contents nobody needs to play.
const NOT_WANTED: [&str; 6] = [".git", "deps", "build", "incremental", ".fingerprint", "__pycache__"];
/// How much of the beginning of a log is kept, where compilers name the first errors.
const LOG_HEAD: usize = 1 << 20;
/// How much of its end is kept.
const LOG_TAIL: usize = 64 * 1024;
/// How many files may come out.
const MOST_FILES: usize = 4096;
/// How a helper's last line begins that says what the machine is short of.
const SHORT: &str = "short";
/// What is said of a build that used too much memory.
const TOO_MUCH: &str = "it used more memory than it may";
/// How often the memory is looked at, and whether to stop.
const LOOK: Duration = Duration::from_millis(200);

/// What a build may use: enough for compilers, not enough to hurt.
const LIMITS: ResourceLimits = ResourceLimits { memory: 2 << 30, disk: 512 << 20, processes: 512 };

/// Builds a submission and puts what was made into its folder. `place` is an empty directory of the
/// run.
///
/// # Errors
/// The box could not be built, or the machine is out of something.
pub fn build(work: &BuildWork<'_>, place: &Path) -> io::Result<BuildOutcome> {
    let program = std::env::current_exe()?;
    let words = [OsStr::new(roles::BUILD), work.folder.as_os_str()].into_iter();
    let words = words.chain(work.command.iter().map(OsString::as_os_str));
    let words = words.map(|word| CString::new(word.as_bytes())).collect::<Result<_, _>>();
    let shown = [program.as_path(), work.folder].into_iter().chain(work.shown.iter().map(PathBuf::as_path));
    let inside = Inside {
        program: c_string(&program)?,
        words: words.map_err(io::Error::other)?,
        environment: environment(work.shown)?,
        shown: shown.map(c_string).collect::<io::Result<_>>()?,
    };
    let boxed = BoxedProcess::start(&inside, place, Isolation::Sandbox, LIMITS)?;
    let mut spool = tempfile::tempfile_in(place)?;
    let (mut log, mut came, mut lost) = (BuildLog::default(), 0u64, None);
    let mut clock = BuildClock::start(work.bound, Instant::now());
    let kills = shortage::oom_kills();
    let early = loop {
        let now = Instant::now();
        clock.look(now, || boxed.sample());
        let until = match clock.time(now) {
            BuildTime::Until(until) => until,
            BuildTime::Over => {
                let why = format!("it was not done after {} s and was ended", work.bound.as_secs());
                break Some(BuildEnd::Failed(why));
            }
            BuildTime::Starved(why) => break Some(BuildEnd::Machine(why)),
        };
        let look = (now + LOOK).min(until);
        let mut said = |bytes: &[u8]| {
            came += bytes.len() as u64;
            lost = lost.take().or_else(|| spool.write_all(bytes).err());
        };
        let mut logged = |bytes: &[u8]| log.add(bytes);
        if !boxed.read_some(look, &mut said, &mut logged)? {
            break None;
        }
        if let Some(error) = lost.take() {
            return Err(error);
        }
        if came > 2 * LIMITS.disk {
            break Some(BuildEnd::Failed("it made more than may come out of a box".to_owned()));
        }
        if boxed.memory() > LIMITS.memory {
            break Some(BuildEnd::Failed(TOO_MUCH.to_owned()));
        }
        let no_time = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut [PollFd::new(work.stop, PollFlags::IN)], Some(&no_time)).is_ok_and(|ready| ready > 0) {
            break Some(BuildEnd::Failed("it was stopped".to_owned()));
        }
    };
    let is_over_memory = boxed.limit_hit() == Some(LimitHit::Memory);
    drop(boxed);
    let has_ended = early.is_none();
    let end = match early {
        Some(end) => end,
        None => {
            spool.rewind()?;
            unpack(BufReader::new(spool), work.folder).unwrap_or_else(|error| {
                match shortage::is_of_machine(&error) {
                    true => BuildEnd::Machine(format!("what was built cannot be stored: {error}")),
                    false => BuildEnd::Failed(error.to_string()),
                }
            })
        }
    };
    let was_killed = || kills < shortage::oom_kills();
    let end = match end {
        BuildEnd::Failed(_) if is_over_memory => BuildEnd::Failed(TOO_MUCH.to_owned()),
        BuildEnd::Failed(_) if has_ended && was_killed() => {
            BuildEnd::Machine("memory was short while it was built, and a process was killed".to_owned())
        }
        end => end,
    };
    Ok(BuildOutcome { log: log.whole(), end })
}

/// What a build writes, whole unless it is very long.
#[derive(Default)]
struct BuildLog {
    head: Vec<u8>,
    tail: Vec<u8>,
    left_out: usize,
}

impl BuildLog {
    fn add(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(LOG_HEAD - self.head.len()));
        self.head.extend(head);
        self.tail.extend(rest);
        if self.tail.len() > 2 * LOG_TAIL {
            let extra = self.tail.len() - LOG_TAIL;
            self.tail.drain(..extra);
            self.left_out += extra;
        }
    }

    fn whole(self) -> Vec<u8> {
        let mut all = self.head;
        if self.left_out > 0 {
            all.extend(format!("\n[{} bytes are left out]\n", self.left_out).as_bytes());
        }
        all.extend(self.tail);
        all
    }
}

fn environment(shown: &[PathBuf]) -> io::Result<Vec<CString>> {
    let own = mounts::OWN;
    let mut path = OsString::from("/usr/local/bin:/usr/bin:/bin");
    for place in shown.iter().filter(|place| place.ends_with("bin")) {
        path.push(":");
        path.push(place);
    }
    let mut all = vec![OsString::from(format!("HOME={own}")), OsString::from(format!("TMPDIR={own}"))];
    let mut variable = OsString::from("PATH=");
    variable.push(path);
    all.push(variable);
    all.push(OsString::from("LANG=C.UTF-8"));
    all.into_iter().map(|one| CString::new(one.into_vec()).map_err(io::Error::other)).collect()
}

/// Puts the files that came out into the folder. Gives why the build has failed, if it has.
fn unpack(mut from: impl BufRead, folder: &Path) -> io::Result<BuildEnd> {
    let wrong = || io::Error::other("what came out of the box cannot be read");
    let top = openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for _ in 0..=MOST_FILES {
        let mut head = String::new();
        (&mut from).take(100).read_line(&mut head)?;
        let words: Vec<&str> = head.split_ascii_whitespace().collect();
        match words[..] {
            ["end", "0"] => return Ok(BuildEnd::Made),
            ["end", SHORT, why] => {
                return Ok(BuildEnd::Machine(format!("its build could not run: {}", why.replace('-', " "))));
            }
            ["end", why] => return Ok(BuildEnd::Failed(format!("it failed ({})", why.replace('-', " ")))),
            ["file", mode, name, size] => {
                let length: u64 = name.parse().map_err(|_| wrong())?;
                let size = size.parse().map_err(|_| wrong())?;
                let mut name = Vec::new();
                (&mut from).take(length.min(4096)).read_to_end(&mut name)?;
                let mode = if mode == "x" { 0o755 } else { 0o644 };
                put(&top, Path::new(OsStr::from_bytes(&name)), mode, &mut (&mut from).take(size))?;
            }
            [] => return Err(io::Error::other("the box ended before the build did")),
            _ => return Err(wrong()),
        }
    }
    Err(io::Error::other(format!("it made more than {MOST_FILES} files")))
}

/// Puts one file below `top`: whole or not at all, through no link, and nowhere else.
fn put(top: &OwnedFd, path: &Path, mode: u32, from: &mut impl Read) -> io::Result<()> {
    let refused =
        |why: &str| io::Error::other(format!("{}: {why}", escape(path.as_os_str().as_bytes(), 400)));
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(refused("no name of a file in the folder"));
    }
    let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
        return Err(refused("no name of a file"));
    };
    let mut place = top.try_clone()?;
    for part in parent {
        match mkdirat(&place, part, Mode::from_raw_mode(0o755)) {
            Err(error) if error != Errno::EXIST => return Err(error.into()),
            _ => {}
        }
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        place = openat2(&place, part, flags, Mode::empty(), how)
            .map_err(|error| refused(&format!("its directory cannot be opened: {error}")))?;
    }
    let half = format!(".agon-build-{}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(&place, half.as_str(), flags, Mode::from_raw_mode(0o600))?);
    let written = io::copy(from, &mut file)
        .and_then(|_| file.set_permissions(fs::Permissions::from_mode(mode)))
        .and_then(|()| Ok(renameat(place.as_fd(), half.as_str(), place.as_fd(), name)?));
    if written.is_err() {
        let _ = rustix::fs::unlinkat(&place, half.as_str(), rustix::fs::AtFlags::empty()); // nothing more can be done
    }
    written
}

/// In the box: copies, builds, and writes what was made to stdout.
pub(super) fn help(arguments: impl Iterator<Item = OsString>) -> ! {
    let words: Vec<OsString> = arguments.collect();
    let why = match build_here(&words) {
        Ok(why) => why,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}"); // the log
            let word = "the-build-box-failed".to_owned();
            if shortage::is_of_machine(&error) { format!("{SHORT} {word}") } else { word }
        }
    };
    let _ = writeln!(io::stdout(), "end {why}"); // nobody listens any more
    exit(0)
}

/// Returns `0`, or in one word how it failed.
fn build_here(words: &[OsString]) -> io::Result<String> {
    let [source, program, rest @ ..] = words else { return Err(io::Error::other("nothing to build")) };
    // What is built may look at its own processes, and this one speaks for it outside.
    rights::dumpable(false)?;
    fs::create_dir(PLACE)?;
    let copied = Command::new("cp")
        .args(["-R", "-P", "-p", "--"])
        .arg(Path::new(source).join("."))
        .arg(PLACE)
        .status()?;
    if !copied.success() {
        return Err(io::Error::other(
            "the folder cannot be copied: not all of it can be read, or it is too large",
        ));
    }
    let mut before = BTreeMap::new();
    files_below(Path::new(PLACE), &mut |path, about| {
        before.insert(path.to_owned(), *about);
        Ok(())
    })?;
    // Its stdout is the log too: ours speaks for the files.
    let status = Command::new(program)
        .args(rest)
        .current_dir(PLACE)
        .stdin(Stdio::null())
        .stdout(io::stderr().as_fd().try_clone_to_owned()?)
        .status();
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}: {error}", Path::new(program).display()); // the log
            let word = "its-command-cannot-be-run".to_owned();
            return Ok(if shortage::is_of_machine(&error) { format!("{SHORT} {word}") } else { word });
        }
    };
    // A process that is left could change files while they are read. In the box the signal reaches
    // no other.
    if std::process::id() < 100 {
        // SAFETY: two numbers.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    }
    if !status.success() {
        return Ok(status.to_string().replace([' ', '\n'], "-"));
    }
    let mut out = io::BufWriter::new(io::stdout());
    files_below(Path::new(PLACE), &mut |path, about| {
        if before.get(path) == Some(about) {
            return Ok(());
        }
        let name = path.strip_prefix(PLACE).map_err(io::Error::other)?.as_os_str().as_bytes();
        let mut file = File::open(path)?;
        let mode = if about.2 & 0o111 == 0 { "-" } else { "x" };
        writeln!(out, "file {mode} {} {}", name.len(), about.0)?;
        out.write_all(name)?;
        let written = io::copy(&mut (&mut file).take(about.0), &mut out)?;
        if written == about.0 { Ok(()) } else { Err(io::Error::other("a file shrank while it was read")) }
    })?;
    out.flush()?;
    Ok("0".to_owned())
}

/// Size, time and mode.
type FileStamp = (u64, Option<SystemTime>, u32);

/// Shows every regular file below a directory, and follows no link.
fn files_below(top: &Path, show: &mut dyn FnMut(&Path, &FileStamp) -> io::Result<()>) -> io::Result<()> {
    let mut waiting = vec![top.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            let about = entry.metadata()?; // of a link, not of what it points to
            if about.is_dir() {
                if !NOT_WANTED.iter().any(|name| entry.file_name() == *name) {
                    waiting.push(entry.path());
                }
            } else if about.is_file() {
                show(&entry.path(), &(about.len(), about.modified().ok(), about.permissions().mode()))?;
            }
        }
    }
    Ok(())
}
