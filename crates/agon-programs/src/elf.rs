//! What an ELF program needs to be started: this machine's processor, its loader, and its
//! libraries.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use agon_printable::escape;
use memchr::memmem;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::read::{ReadCache, ReadRef, StringTable};
use object::{Endianness, FileKind, elf};

/// The machine codes of ELF files, with the names that `uname` gives them.
const MACHINES: [(u16, &str); 9] = [
    (3, "x86"),
    (8, "mips"),
    (20, "powerpc"),
    (21, "powerpc64"),
    (22, "s390x"),
    (40, "arm"),
    (62, "x86_64"),
    (183, "aarch64"),
    (243, "riscv64"),
];

const TRUNCATED: &str = "a truncated program; build it again";
/// The list of the libraries that the loader of the GNU C library finds in the directories of the
/// system.
const CACHE: &str = "/etc/ld.so.cache";
/// What every program with that loader needs.
const GNU_C_LIBRARY: &[u8] = b"libc.so.6";
/// Where that loader also looks.
const DIRECTORIES: [&str; 4] = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"];

/// How many parts of a program are looked at, and how many entries of each: a linker makes far
/// fewer, and a stranger's file may have millions.
const MOST_PARTS: usize = 64;
const MOST_ENTRIES: usize = 4096;
/// The longest name of a loader, in bytes, as the kernel has it.
const MOST_NAME: u64 = 4096;

/// The variable that adds to them.
pub(super) const OWN_PATH: &str = "LD_LIBRARY_PATH";

/// What a file says about how it is started.
#[derive(Default)]
struct Needs {
    machine: u16,
    loader: Option<PathBuf>,
    /// The names of its libraries.
    libraries: Vec<Vec<u8>>,
    /// Its own lists of directories with libraries, separated by colons.
    paths: Vec<Vec<u8>>,
}

/// Checks that an ELF file is for this machine and has its loader.
///
/// # Errors
/// What is wrong and what to do, without the file's name.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let needs = needs(path)?;
    let name = MACHINES.iter().find(|(code, _)| *code == needs.machine);
    let name = name.map_or_else(|| format!("machine code {}", needs.machine), |(_, name)| (*name).to_owned());
    // An x86_64 kernel also starts 32-bit x86 programs, if their loader exists.
    let here = env::consts::ARCH;
    if name != here && !(here == "x86_64" && name == "x86") {
        return Err(format!("compiled for {name}, but this machine is {here}; compile it here"));
    }
    match needs.loader.filter(|loader| !loader.exists()) {
        Some(loader) => Err(format!(
            "its loader {} is not on this machine; link it statically or compile it here",
            escape(loader.as_os_str().as_bytes(), 400)
        )),
        None => Ok(()),
    }
}

/// A library that a program needs and this machine does not have. Only its file and the list of the
/// loader are read: nothing is started. The libraries of libraries are not looked at.
pub(super) fn missing_library(path: &Path) -> Option<String> {
    let needs = needs(path).ok()?;
    let loader = needs.loader?;
    if !loader.file_name()?.as_bytes().starts_with(b"ld-linux") {
        return None; // others keep no such list
    }
    let cache = fs::read(CACHE).ok()?;
    let mut own = directories(&needs.paths, path.canonicalize().ok()?.parent()?)?;
    own.extend(env::var_os(OWN_PATH).iter().flat_map(env::split_paths));
    let is_there = |name: &[u8]| {
        // The list has names, and paths that end in them.
        let in_cache = |before: &[u8]| memmem::find(&cache, &[before, name, b"\0"].concat()).is_some();
        in_cache(b"\0")
            || in_cache(b"/")
            || DIRECTORIES
                .iter()
                .map(Path::new)
                .chain(own.iter().map(PathBuf::as_path))
                .any(|directory| directory.join(OsStr::from_bytes(name)).exists())
    };
    if !is_there(GNU_C_LIBRARY) {
        return None; // libraries are found in another way here
    }
    let missing = needs.libraries.iter().find(|name| !name.contains(&b'/') && !is_there(name))?;
    Some(escape(missing, 100))
}

/// The directories of a program's own lists, where `$ORIGIN` stands for its folder. `None` if a
/// name depends on more than that.
fn directories(lists: &[Vec<u8>], origin: &Path) -> Option<Vec<PathBuf>> {
    let mut all = Vec::new();
    for directory in lists.iter().flat_map(|list| list.split(|byte| *byte == b':')) {
        let text = String::from_utf8_lossy(directory);
        let origin = origin.to_string_lossy();
        let text = text.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
        if text.contains('$') {
            return None;
        }
        all.push(PathBuf::from(text));
    }
    Some(all)
}

/// The lists of directories that a file names for its libraries; none of a file of another kind.
pub(super) fn lists(path: &Path) -> Vec<Vec<u8>> {
    if is_one(path) { needs(path).map(|needs| needs.paths).unwrap_or_default() } else { Vec::new() }
}

/// Whether these bytes are in what is loaded of a file when it is started. What is for debuggers
/// alone is not.
pub(super) fn loads(path: &Path, bytes: &[u8]) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let data = &ReadCache::new(file);
    match FileKind::parse(data) {
        Ok(FileKind::Elf32) => is_loaded::<elf::FileHeader32<Endianness>, _>(data, bytes),
        Ok(FileKind::Elf64) => is_loaded::<elf::FileHeader64<Endianness>, _>(data, bytes),
        _ => false,
    }
}

fn is_loaded<'data, Elf, R>(data: R, bytes: &[u8]) -> bool
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let Ok(header) = Elf::parse(data) else { return false };
    let Ok(endian) = header.endian() else { return false };
    let segments = header.program_headers(endian, data).unwrap_or_default();
    let loaded = segments.iter().filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
    loaded.filter_map(|segment| segment.data(endian, data).ok()).any(|own| memmem::find(own, bytes).is_some())
}

/// Whether a file is a compiled program or library.
pub(super) fn is_one(path: &Path) -> bool {
    let mut head = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"\x7fELF"
}

fn needs(path: &Path) -> Result<Needs, String> {
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let data = &ReadCache::new(file);
    let read = match FileKind::parse(data) {
        Ok(FileKind::Elf32) => read::<elf::FileHeader32<Endianness>, _>(data).ok(),
        Ok(FileKind::Elf64) => read::<elf::FileHeader64<Endianness>, _>(data).ok(),
        _ => None,
    };
    read.ok_or_else(|| TRUNCATED.to_owned())
}

/// The loader that a program names, if it is one and names one.
pub(super) fn loader(path: &Path) -> Option<PathBuf> {
    needs(path).ok()?.loader
}

fn read<'data, Elf, R>(data: R) -> object::Result<Needs>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let header = Elf::parse(data)?;
    let endian = header.endian()?;
    let mut needs = Needs { machine: header.e_machine(endian).0, ..Needs::default() };
    // A stranger's file may say anything: what cannot be read is left to the loader.
    let segments = header.program_headers(endian, data).unwrap_or_default();
    for segment in segments.iter().take(MOST_PARTS) {
        let (_, length) = segment.file_range(endian);
        if length <= MOST_NAME
            && let Ok(Some(loader)) = segment.interpreter(endian, data)
        {
            needs.loader = Some(PathBuf::from(OsStr::from_bytes(loader)));
        }
        if length > (MOST_ENTRIES * size_of::<Elf::Dyn>()) as u64 {
            continue;
        }
        let Ok(Some(entries)) = segment.dynamic(endian, data) else { continue };
        let value =
            |tag| entries.iter().find(|entry| entry.tag(endian) == tag).map(|entry| entry.val(endian));
        let (Some(address), Some(size)) = (value(elf::DT_STRTAB), value(elf::DT_STRSZ)) else { continue };
        // Where it is in the file. The segment that has it may be all of a large program.
        let place = segments.iter().find_map(|part| {
            let (offset, length) = part.file_range(endian);
            let within = address.checked_sub(part.p_vaddr(endian).into()).filter(|at| *at < length)?;
            offset.checked_add(within)
        });
        let strings = place.and_then(|start| Some(StringTable::new(data, start, start.checked_add(size)?)));
        let strings = strings.unwrap_or_default();
        for entry in entries {
            let Ok(Ok(text)) = u32::try_from(entry.val(endian)).map(|at| strings.get(at)) else { continue };
            match entry.tag(endian) {
                elf::DT_NEEDED => needs.libraries.push(text.to_owned()),
                elf::DT_RPATH | elf::DT_RUNPATH => needs.paths.push(text.to_owned()),
                _ => {}
            }
        }
    }
    Ok(needs)
}
