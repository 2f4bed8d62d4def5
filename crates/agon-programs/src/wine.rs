//! Windows programs: the Wine that runs them, and the prefix of its own that each process gets.
//!
//! A prefix is what Wine takes for a Windows installation: a registry and a drive `C:`. All
//! processes of one prefix share a server, which belongs to the process that came first and ends
//! with it. So each engine process gets a prefix of its own. A fresh one takes many seconds and
//! hundreds of megabytes, and so one **template** is made for each version of Wine. It lies in the
//! cache directory of the user. A prefix has copies of its registry, which are small, and links to
//! its folders; `C:\temp` and `C:\users` are its own.
//!
//! Wine would start a dozen helper programs in each new prefix, for services that no engine needs.
//! They are left out: `wineboot.exe` is overridden, which also makes a start ten times as fast.

use std::env;
use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use agon_printable::escape;
use agon_sandbox::find_in_path;
use memchr::memmem;
use rustix::fs::{Access, FlockOperation, access, flock};
use wait_timeout::ChildExt;

use super::tool_output::tool_output;

/// How long an engine may take to start, unless the options say: Wine starts before it.
pub const STARTUP: Duration = Duration::from_secs(30);

/// How long Wine may take to say its version.
const VERSION: Duration = Duration::from_secs(30);
/// How long Wine may take to make the template. It takes 15 s on an idle machine.
const MAKING: Duration = Duration::from_secs(300);
/// Changes when templates are made in another way.
const LAYOUT: u32 = 1;
/// The variable by which Wine's users name another Wine.
const LOADER: &str = "WINELOADER";
/// Debian's is not in `PATH`.
const NAMES: [&str; 4] = ["wine", "wine64", "/usr/lib/wine/wine64", "/usr/lib/wine/wine"];
/// Where the modules of Debian's Wine lie.
const SYSTEM_MODULES: [&str; 3] =
    ["/usr/lib/x86_64-linux-gnu/wine", "/usr/lib/i386-linux-gnu/wine", "/usr/lib/wine"];

/// Makes the prefix of a process and becomes Wine. Its arguments are the template, then the
/// command.
const START: &str = r#"set -e
template=$1
shift
mkdir -p "$WINEPREFIX/dosdevices" "$WINEPREFIX/drive_c/temp" "$WINEPREFIX/drive_c/users"
cp "$template"/*.reg "$template/.update-timestamp" "$WINEPREFIX"
ln -s ../drive_c "$WINEPREFIX/dosdevices/c:"
ln -s / "$WINEPREFIX/dosdevices/z:"
ln -s "$template"/drive_c/* "$WINEPREFIX/drive_c"
exec "$@""#;

/// What Wine is told about its own programs and libraries. It uses none of its helpers, and neither
/// .NET nor HTML. It would ask the user for these two.
const OVERRIDES: &str = "wineboot.exe,winemenubuilder.exe,mscoree,mshtml=";
/// What Wine writes to stderr: only that a library is missing.
const MESSAGES: &str = "-all,err+module";

/// Whether a file is a Windows program, by its first bytes.
pub fn is_windows(program: &Path) -> bool {
    // A FIFO would keep us waiting.
    let is_file = fs::metadata(program).is_ok_and(|about| about.is_file());
    let mut head = [0; 2];
    is_file && File::open(program).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"MZ"
}

/// Checks that Wine can start a Windows program with these first bytes.
///
/// # Errors
/// What is wrong and what to do, without the file's name.
pub(super) fn check(head: &[u8]) -> Result<(), String> {
    let bits = bits(head)?;
    let loader =
        loader().ok_or_else(|| format!("{bits}, and Wine is not on this machine; {}", bits.install()))?;
    if bits == Bits::Wide
        || modules(&loader).iter().any(|place| place.join("i386-windows/ntdll.dll").exists())
    {
        return Ok(());
    }
    Err(format!("{bits}, and the Wine of this machine runs 64-bit ones alone; {}", bits.install()))
}

/// The two kinds of Windows programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bits {
    Wide,
    Narrow,
}

impl Bits {
    /// What installs a Wine for it.
    fn install(self) -> &'static str {
        match self {
            Bits::Wide => "install it with apt-get install wine64, or compile the program for this system",
            Bits::Narrow => {
                "take the 64-bit one of the download if it has one, or install Wine for 32 bits with \
                 dpkg --add-architecture i386, apt-get update and apt-get install wine32"
            }
        }
    }
}

impl std::fmt::Display for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Bits::Wide => "a 64-bit Windows program",
            Bits::Narrow => "a 32-bit Windows program",
        })
    }
}

/// Reads the header of a program: at 60 stands where `PE` is, and behind that for which machine it
/// is.
fn bits(head: &[u8]) -> Result<Bits, String> {
    let cut = || "a truncated Windows program; copy it again".to_owned();
    let place = head.get(60..64).and_then(|bytes| bytes.first_chunk()).ok_or_else(cut)?;
    let place = usize::try_from(u32::from_le_bytes(*place)).map_err(|_| cut())?;
    let header = place.checked_add(6).and_then(|end| head.get(place..end)).ok_or_else(cut)?;
    match header {
        [b'P', b'E', 0, 0, 0x64, 0x86] => Ok(Bits::Wide),
        [b'P', b'E', 0, 0, 0x4c, 0x01] => Ok(Bits::Narrow),
        [b'P', b'E', 0, 0, low, high] => Err(format!(
            "a Windows program for another kind of machine (code {:#x}); take the one for x86_64",
            u16::from_le_bytes([*low, *high])
        )),
        _ => Err("a program for DOS or for Windows of 16 bits; take a 64-bit one".to_owned()),
    }
}

/// The program that starts Windows programs: what `WINELOADER` names, if it is set, or else what is
/// installed.
fn loader() -> Option<PathBuf> {
    let usable = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    match env::var_os(LOADER) {
        Some(named) => Some(PathBuf::from(named)).filter(|path| usable(path)),
        None => NAMES.iter().find_map(|name| find_in_path(Path::new(name))),
    }
}

/// Where the modules of this Wine may lie.
fn modules(loader: &Path) -> Vec<PathBuf> {
    let real = loader.canonicalize().unwrap_or_else(|_| loader.to_owned());
    let mut all = Vec::new();
    if let Some(prefix) = real.parent().and_then(Path::parent) {
        all.extend(["lib/wine", "lib64/wine", "lib32/wine"].map(|place| prefix.join(place)));
    }
    if real.starts_with("/usr") {
        all.extend(SYSTEM_MODULES.map(PathBuf::from));
    }
    all.retain(|place| place.is_dir());
    all
}

/// The Wine of this machine, with its template.
#[derive(Debug)]
pub struct Wine {
    loader: PathBuf,
    template: PathBuf,
}

/// The Wine of this machine. When the template does not exist yet, it is made, which takes many
/// seconds; `tell` is called before that.
///
/// # Errors
/// Why there is no Wine or no template, and what to do.
pub fn ready(tell: &dyn Fn(&str)) -> Result<&'static Wine, String> {
    static READY: OnceLock<Result<Wine, String>> = OnceLock::new();
    READY.get_or_init(|| Wine::find(tell)).as_ref().map_err(Clone::clone)
}

impl Wine {
    fn find(tell: &dyn Fn(&str)) -> Result<Wine, String> {
        let loader =
            loader().ok_or_else(|| format!("Wine is not on this machine; {}", Bits::Wide.install()))?;
        let cache = cache()?;
        let cannot = |error: io::Error| {
            format!(
                "cannot make the template for Wine in {}: {error}; name another place with XDG_CACHE_HOME",
                shown_path(&cache)
            )
        };
        fs::DirBuilder::new().recursive(true).mode(0o755).create(&cache).map_err(cannot)?;
        let template = cache.join(name(&loader, VERSION)?);
        if !template.is_dir() {
            // Of two runs one makes it, and the other finds it.
            let lock = File::create(cache.join("wine.lock")).map_err(cannot)?;
            flock(&lock, FlockOperation::LockExclusive).map_err(|error| cannot(error.into()))?;
            if !template.is_dir() {
                tell("making a template for Wine, once ...");
                let making = cache.join("wine-in-the-making");
                make(&loader, &making).inspect_err(|_| agon_sandbox::removal::remove(&making))?;
                fs::rename(&making, &template).map_err(cannot)?;
                let place = shown_path(&template);
                tell(&format!("made {place}, for later games; agon prune --cache removes it"));
            }
        }
        Ok(Wine { loader, template })
    }

    /// The command that starts a Windows program in a prefix of its own: what is executed, and all
    /// arguments. `command` is the program and its own arguments.
    pub fn command(&self, command: Vec<CString>) -> (CString, Vec<CString>) {
        let word = |text: &str| CString::new(text).expect("it has no NUL");
        let path = |path: &Path| CString::new(path.as_os_str().as_bytes()).expect("a path has no NUL");
        let mut all = ["sh", "-c", START, "sh"].map(word).to_vec();
        all.extend([path(&self.template), path(&self.loader)]);
        all.extend(command);
        (word("/bin/sh"), all)
    }

    /// The variables that it needs, for a process with this directory of its own.
    pub fn environment(&self, own: &Path) -> [(&'static str, OsString); 3] {
        [
            ("WINEPREFIX", own.join(".wine").into_os_string()),
            ("WINEDEBUG", MESSAGES.into()),
            ("WINEDLLOVERRIDES", OVERRIDES.into()),
        ]
    }
}

/// What boxes show of the Wine of this machine: its installation, where that is not the system's,
/// and the templates that were made for it. Nothing is started and nothing is made.
pub fn places() -> Vec<PathBuf> {
    static INSTALLED: OnceLock<Option<Vec<PathBuf>>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        let loader = loader()?;
        let mut all = agon_sandbox::installation(&loader);
        let real = loader.canonicalize().unwrap_or(loader);
        let share = real.parent().and_then(Path::parent).map(|prefix| prefix.join("share/wine"));
        all.extend(share.filter(|share| !share.starts_with("/usr") && share.is_dir()));
        Some(all)
    });
    let Some(mut all) = installed.clone() else { return Vec::new() };
    let begins = format!("wine-{LAYOUT}-");
    let made = cache().ok().and_then(|cache| fs::read_dir(cache).ok()).into_iter().flatten().flatten();
    let templates = made.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&begins) && path.is_dir()
    });
    all.extend(templates);
    all.sort();
    all
}

/// The library that Wine has not found, if it wrote so to the stderr of a program.
pub fn missing_library(stderr: &[u8]) -> Option<String> {
    const BEFORE: &[u8] = b":import_dll Library ";
    const BEHIND: &[u8] = b" (which is needed by ";
    let at = memmem::find(stderr, BEFORE)?;
    let rest = stderr.get(at + BEFORE.len()..)?;
    let end = memmem::find(rest, BEHIND)?;
    Some(escape(&rest[..end], 100))
}

/// A path for a message.
fn shown_path(path: &Path) -> String {
    escape(path.as_os_str().as_bytes(), 400)
}

/// The directory of agon in the cache of the user.
fn cache() -> Result<PathBuf, String> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let own = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    own.map(|cache| cache.join("agon")).ok_or_else(|| {
        "there is no place for the template of Wine; set HOME or XDG_CACHE_HOME to a directory".to_owned()
    })
}

/// The name of the template of this Wine: its version and its place.
fn name(loader: &Path, limit: Duration) -> Result<String, String> {
    let said = tool_output(Command::new(loader).arg("--version"), limit).map_err(|error| {
        let what =
            if error.kind() == io::ErrorKind::TimedOut { "--version failed" } else { "cannot be started" };
        format!("{} {what}: {error}; install Wine again", shown_path(loader))
    })?;
    let version = said.stdout.trim_ascii();
    if !said.status.success() || version.is_empty() {
        let words = escape(said.stderr.trim_ascii(), 200);
        return Err(format!("{} --version failed: {words}; install Wine again", shown_path(loader)));
    }
    let all = [version, b" ", loader.as_os_str().as_bytes()].concat();
    let mut name = format!("wine-{LAYOUT}");
    for word in
        all.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.').filter(|word| !word.is_empty())
    {
        name.push('-');
        name.push_str(&String::from_utf8_lossy(word));
    }
    name.truncate(200);
    Ok(name)
}

/// Lets Wine make a prefix, and makes it small.
fn make(loader: &Path, place: &Path) -> Result<(), String> {
    let failed = |why: &str| {
        format!(
            "Wine could not make its prefix: {why}; see that {} wineboot -i works for you",
            shown_path(loader)
        )
    };
    let ours = |error: io::Error| failed(&error.to_string());
    agon_sandbox::removal::remove(place); // one that a killed run has left
    fs::DirBuilder::new().mode(0o755).create(place).map_err(ours)?;
    let log = place.join("log");
    let words = || {
        let text = fs::read(&log).unwrap_or_default();
        let last = text.split(|byte| *byte == b'\n').rfind(|line| !line.trim_ascii().is_empty());
        escape(last.unwrap_or(b"it said nothing"), 200)
    };
    let start = |program: &Path, words: &[&str]| -> io::Result<Child> {
        Command::new(program)
            .args(words)
            .env("WINEPREFIX", place)
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", "winemenubuilder.exe,mscoree,mshtml=")
            // Nothing is to appear on a screen, and links to the folders of the user are not
            // wanted.
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env("HOME", place)
            .env("TMPDIR", place)
            .current_dir(place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(&log)?)
            .spawn()
    };
    let until = Instant::now() + MAKING;
    if !wait(start(loader, &["wineboot", "-i"]).map_err(ours)?, until).map_err(ours)? {
        return Err(failed(&words()));
    }
    // Its server writes the registry when it ends.
    if let Some(server) = server(loader) {
        start(&server, &["-w"]).and_then(|child| wait(child, until)).map_err(ours)?;
    }
    let made = ["system.reg", "user.reg", ".update-timestamp", "drive_c/windows/system32/kernel32.dll"];
    if let Some(missing) = made.iter().find(|path| !place.join(path).exists()) {
        return Err(failed(&format!("there is no {missing}; it wrote: {}", words())));
    }
    trim(place, &modules(loader)).map_err(ours)
}

/// Waits for a process, until this instant. Returns whether it has succeeded.
fn wait(mut child: Child, until: Instant) -> io::Result<bool> {
    if let Some(status) = child.wait_timeout(until.saturating_duration_since(Instant::now()))? {
        return Ok(status.success());
    }
    child.kill()?;
    child.wait()?;
    let why = format!("it did not end within {} s", MAKING.as_secs());
    Err(io::Error::new(io::ErrorKind::TimedOut, why))
}

/// The server of a Wine.
fn server(loader: &Path) -> Option<PathBuf> {
    let real = loader.canonicalize().ok()?;
    let beside = ["wineserver", "wineserver64"].map(|name| real.with_file_name(name));
    beside.into_iter().find(|path| path.is_file()).or_else(|| find_in_path(Path::new("wineserver")))
}

/// Takes out of a new prefix what each process has of its own. Makes links of what is a file of
/// Wine: the template then needs 13 MB instead of 700. Any user may read the rest, because engines
/// in boxes are other users.
fn trim(template: &Path, modules: &[PathBuf]) -> io::Result<()> {
    let mut keep = vec![OsString::from("drive_c"), OsString::from(".update-timestamp")];
    keep.extend(["system.reg", "user.reg", "userdef.reg"].map(OsString::from));
    for entry in fs::read_dir(template)? {
        let entry = entry?;
        if !keep.contains(&entry.file_name()) {
            agon_sandbox::removal::remove(&entry.path());
        }
    }
    agon_sandbox::removal::remove(&template.join("drive_c/users"));
    let user = template.join("user.reg");
    fs::write(&user, with_own_temp(&fs::read(&user)?))?;
    let places: Vec<PathBuf> = modules
        .iter()
        .flat_map(|place| ["x86_64-windows", "i386-windows"].map(|machine| place.join(machine)))
        .filter(|place| place.is_dir())
        .collect();
    trim_folder(template, &places)
}

fn trim_folder(folder: &Path, places: &[PathBuf]) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            trim_folder(&path, places)?;
        } else if kind.is_file() {
            let original = places.iter().map(|place| place.join(entry.file_name())).find(|original| {
                original
                    .metadata()
                    .is_ok_and(|about| Some(about.len()) == entry.metadata().ok().map(|own| own.len()))
                    && fs::read(original).is_ok_and(|bytes| fs::read(&path).is_ok_and(|own| own == bytes))
            });
            match original {
                Some(original) => {
                    fs::remove_file(&path)?;
                    symlink(original, &path)?;
                }
                None => fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?,
            }
        }
    }
    Ok(())
}

/// The registry of a user with `C:\temp` for temporary files: the usual place has the name of the
/// user in it.
fn with_own_temp(registry: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = registry.split(|byte| *byte == b'\n').collect();
    for line in &mut lines {
        if line.starts_with(b"\"TEMP\"=") {
            *line = br#""TEMP"="C:\\temp""#;
        } else if line.starts_with(b"\"TMP\"=") {
            *line = br#""TMP"="C:\\temp""#;
        }
    }
    lines.join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes of a program for a machine of this code.
    fn program(machine: u16) -> Vec<u8> {
        let mut head = vec![0; 64];
        head[..2].copy_from_slice(b"MZ");
        head[60] = 64;
        head.extend(b"PE\0\0");
        head.extend(machine.to_le_bytes());
        head
    }

    #[test]
    fn the_header_tells_the_kind_of_a_program() {
        assert!(bits(&program(0x8664)).is_ok_and(|bits| bits == Bits::Wide));
        assert!(bits(&program(0x014c)).is_ok_and(|bits| bits == Bits::Narrow));
        let why = |head: &[u8]| bits(head).err().unwrap_or_default();
        assert!(why(&program(0xaa64)).contains("0xaa64"));
        assert!(why(&program(0x8664)[..66]).contains("truncated"));
        let mut dos = program(0x8664);
        dos[64] = b'N';
        assert!(why(&dos).contains("DOS"));
    }

    #[test]
    fn temporary_files_go_to_a_place_without_the_name_of_a_user() {
        let text = b"[Environment] 1\n\"TEMP\"=\"C:\\\\users\\\\me\\\\Temp\"\n\"X\"=\"TEMP\"\n".to_vec();
        let own = String::from_utf8(with_own_temp(&text)).unwrap();
        assert_eq!(own, "[Environment] 1\n\"TEMP\"=\"C:\\\\temp\"\n\"X\"=\"TEMP\"\n");
    }

    #[test]
    fn files_of_wine_become_links_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (template, lib) = (dir.path().join("template"), dir.path().join("lib"));
        fs::create_dir_all(template.join("drive_c/windows/system32")).unwrap();
        fs::create_dir_all(template.join("dosdevices")).unwrap();
        fs::create_dir_all(lib.join("x86_64-windows")).unwrap();
        fs::write(template.join("user.reg"), "").unwrap();
        for (name, original) in [("a.dll", "one"), ("b.dll", "two")] {
            fs::write(lib.join("x86_64-windows").join(name), original).unwrap();
            fs::write(template.join("drive_c/windows/system32").join(name), "one").unwrap();
        }
        trim(&template, std::slice::from_ref(&lib)).unwrap();
        let at = |name: &str| template.join("drive_c/windows/system32").join(name);
        assert_eq!(fs::read_link(at("a.dll")).unwrap(), lib.join("x86_64-windows/a.dll"));
        assert!(at("b.dll").is_file() && !at("b.dll").is_symlink());
        assert!(!template.join("dosdevices").exists());
    }

    #[test]
    fn a_library_that_wine_has_not_found_is_read_from_its_words() {
        let said =
            b"0024:err:module:import_dll Library odd.dll (which is needed by L\"Z:\\\\x.exe\") not found\n";
        assert_eq!(missing_library(said).as_deref(), Some("odd.dll"));
        assert_eq!(missing_library(b"0024:err:module: failed, status c0000135"), None);
    }

    #[test]
    fn a_wine_that_does_not_say_its_version_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let loader = dir.path().join("wine");
        // Written by another process: what is open for writing here, a fork of another test would
        // hold too.
        let script = "printf '#!/bin/sh\nsleep 100 & sleep 100\n' > \"$1\" && chmod 755 \"$1\"";
        let written = Command::new("/bin/sh").args(["-c", script, "sh"]).arg(&loader).status().unwrap();
        assert!(written.success());
        let why = name(&loader, Duration::from_millis(100)).unwrap_err();
        let wanted = "wine --version failed: it did not end within 0.1 s; install Wine again";
        assert!(why.ends_with(wanted), "{why}");
    }
}
