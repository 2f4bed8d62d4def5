//! Well-known libraries that a submission may ask for and this machine may not have. Whether it
//! should have them, only its organiser knows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::called;
use super::program;
use super::tool_output::tool_output;

/// A library of C or C++: the package of Debian, how its headers begin, and the names for a linker.
struct KnownLibrary {
    package: &'static str,
    headers: &'static [&'static str],
    names: &'static [&'static str],
}

const fn library(
    package: &'static str,
    headers: &'static [&'static str],
    names: &'static [&'static str],
) -> KnownLibrary {
    KnownLibrary { package, headers, names }
}

const LIBRARIES: [KnownLibrary; 12] = [
    library(
        "libncurses-dev",
        &["ncurses.h", "curses.h", "ncursesw/"],
        &["ncurses", "ncursesw", "curses", "tinfo"],
    ),
    library("libboost-all-dev", &["boost/"], &["boost_system", "boost_thread", "boost_filesystem"]),
    library("libgmp-dev", &["gmp.h", "gmpxx.h"], &["gmp", "gmpxx"]),
    library("libmpfr-dev", &["mpfr.h"], &["mpfr"]),
    library("libeigen3-dev", &["Eigen/", "eigen3/"], &[]),
    library("libsdl2-dev", &["SDL2/", "SDL.h"], &["SDL2"]),
    library("zlib1g-dev", &["zlib.h"], &["z"]),
    library("libssl-dev", &["openssl/"], &["ssl", "crypto"]),
    library("libreadline-dev", &["readline/"], &["readline"]),
    library("libtbb-dev", &["tbb/", "oneapi/"], &["tbb"]),
    library("libfmt-dev", &["fmt/"], &["fmt"]),
    library("nlohmann-json3-dev", &["nlohmann/"], &[]),
];
/// Modules of Python that are installed like its interpreter.
const MODULES: [&str; 7] = ["numpy", "scipy", "pandas", "networkx", "numba", "torch", "sklearn"];

/// How long an interpreter may take to look for a module.
const LOOKS: Duration = Duration::from_secs(20);

/// A library that is missed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MissedLibrary {
    /// What was not found, as the source names it.
    pub what: String,
    /// What has it.
    pub package: String,
}

/// The well-known library that a compiler, a linker or an interpreter did not find, by what it
/// wrote: one that the files of the folder ask for, and that this machine does not have.
pub(super) fn missed(log: &str, folder: &Path) -> Option<MissedLibrary> {
    log.lines().find_map(|line| {
        of_header(line, folder).or_else(|| of_linker(line, folder)).or_else(|| of_python(line, folder))
    })
}

fn of_header(line: &str, folder: &Path) -> Option<MissedLibrary> {
    // gcc writes the first, clang the second.
    let named = line.split_once("fatal error: ")?.1;
    let header = named
        .strip_suffix(": No such file or directory")
        .or_else(|| named.strip_suffix(" file not found").map(|named| named.trim_matches('\'')))?;
    let begins = |known: &&KnownLibrary| known.headers.iter().any(|begin| header.starts_with(begin));
    let package = LIBRARIES.iter().find(begins)?.package;
    let is_here = places("include").iter().any(|place| place.join(header).is_file());
    (!is_here && called::includes(folder, header))
        .then(|| MissedLibrary { what: header.to_owned(), package: package.to_owned() })
}

fn of_linker(line: &str, folder: &Path) -> Option<MissedLibrary> {
    let (_, named) =
        line.split_once("cannot find -l").or_else(|| line.split_once("unable to find library -l"))?;
    let name = named.split([':', ' ']).next()?;
    let package = LIBRARIES.iter().find(|known| known.names.contains(&name))?.package;
    let is_here = places("lib")
        .iter()
        .any(|place| ["so", "a"].iter().any(|ending| place.join(format!("lib{name}.{ending}")).exists()));
    (!is_here && called::links(folder, name))
        .then(|| MissedLibrary { what: format!("-l{name}"), package: package.to_owned() })
}

fn of_python(line: &str, folder: &Path) -> Option<MissedLibrary> {
    let named = line.strip_prefix("ModuleNotFoundError: No module named ")?;
    let module = named.trim().trim_matches('\'').split('.').next()?;
    let known = MODULES.into_iter().find(|known| *known == module)?;
    if !called::imports(folder, known) {
        return None;
    }
    let python = program::find(Path::new("python3")).ok()?;
    let question = format!("import importlib.util; print(importlib.util.find_spec('{known}') is None)");
    // At the root: a file of the submission is no module of the machine.
    let said = tool_output(Command::new(python).args(["-c", &question]).current_dir("/"), LOOKS).ok()?;
    (said.stdout.trim_ascii() == b"True")
        .then(|| MissedLibrary { what: known.to_owned(), package: format!("the module {known} for python3") })
}

/// Where compilers look: the system's places, and those of its kind of processor.
fn places(kind: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for top in ["/usr", "/usr/local", "/"] {
        for kind in [kind.to_owned(), format!("{kind}64")] {
            let place = Path::new(top).join(kind);
            let below = fs::read_dir(&place).into_iter().flatten().flatten().map(|entry| entry.path());
            let is_of_processor =
                |path: &PathBuf| path.to_string_lossy().ends_with("-linux-gnu") || path.ends_with("eigen3");
            all.extend(below.filter(is_of_processor));
            all.push(place);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_missed_if_the_source_asks_for_it_and_the_machine_lacks_it() {
        let home = tempfile::tempdir().unwrap();
        let log = "bot.c:1:10: fatal error: mpfr.h: No such file or directory\n";
        let here = places("include").iter().any(|place| place.join("mpfr.h").is_file());
        assert_eq!(missed(log, home.path()), None, "it is only printed");
        fs::write(home.path().join("bot.c"), "#include <mpfr.h>\n#include \"my.h\"\n#include <stdio.h>\n")
            .unwrap();
        let found = missed(log, home.path()).map(|found| (found.what, found.package));
        assert_eq!(found, (!here).then(|| ("mpfr.h".to_owned(), "libmpfr-dev".to_owned())));
        for log in [
            "bot.c:2:10: fatal error: my.h: No such file or directory\n",
            "bot.c:3:10: fatal error: stdio.h: No such file or directory\n",
            "ld: cannot find -lmine: No such file or directory\n",
            "ModuleNotFoundError: No module named 'mine'\n",
        ] {
            assert_eq!(missed(log, home.path()), None, "{log}");
        }
        fs::write(home.path().join("Makefile"), "bot:\n\tcc bot.c -lmpfr\n").unwrap();
        let here = places("lib").iter().any(|place| place.join("libmpfr.so").exists());
        let found = missed("/usr/bin/ld: cannot find -lmpfr: No such file or directory\n", home.path());
        assert_eq!(found.is_none(), here);
    }
}
