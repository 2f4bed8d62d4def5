//! The interpreters and build tools that the organiser's `PATH` finds under bare names, and where
//! their installations lie.
//!
//! The names are these and no others: what a submission names has no part in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use agon_sandbox::{find_in_path, installation};

use super::tool_output::tool_output;

/// What starts programs in the languages of engines.
const INTERPRETERS: [&str; 41] = [
    "sh",
    "bash",
    "dash",
    "ksh",
    "zsh",
    "python3",
    "python",
    "pypy3",
    "pypy",
    "node",
    "nodejs",
    "deno",
    "bun",
    "java",
    "ruby",
    "perl",
    "lua",
    "luajit",
    "Rscript",
    "php",
    "julia",
    "racket",
    "guile",
    "scheme",
    "sbcl",
    "clisp",
    "runghc",
    "ocaml",
    "swipl",
    "mono",
    "dotnet",
    "tclsh",
    "escript",
    "elixir",
    "scala",
    "kotlin",
    "groovy",
    "octave",
    "gforth",
    "awk",
    "qemu-x86_64",
];

/// What builds programs, besides these.
const BUILD_TOOLS: [&str; 36] = [
    "make",
    "cmake",
    "ninja",
    "meson",
    "cc",
    "c++",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "tcc",
    "zig",
    "javac",
    "jar",
    "kotlinc",
    "scalac",
    "mvn",
    "gradle",
    "ant",
    "go",
    "rustc",
    "cargo",
    "ghc",
    "cabal",
    "stack",
    "ocamlfind",
    "ocamlopt",
    "dune",
    "fpc",
    "gfortran",
    "gnat",
    "nim",
    "dmd",
    "npm",
    "tsc",
    "mcs",
];

/// What builds and programs start besides, by a bare name.
const OTHERS: [&str; 26] = [
    "env",
    "ld",
    "as",
    "ar",
    "cc1",
    "cc1plus",
    "collect2",
    "gmake",
    "bison",
    "flex",
    "nasm",
    "yasm",
    "pkg-config",
    "pip",
    "yarn",
    "pnpm",
    "swiftc",
    "swift",
    "dart",
    "csc",
    "ldc",
    "gdc",
    "crystal",
    "icont",
    "iconx",
    "sbt",
];

/// How long rustup may take to say where a toolchain is.
const RUSTUP: Duration = Duration::from_secs(10);

/// A place that belongs to the installation of a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolPlace {
    /// The name under which `PATH` finds the tool.
    pub tool: &'static str,
    /// The place, outside of the system's directories.
    pub path: PathBuf,
}

/// The installations of interpreters that lie outside of the system. They are looked for once.
pub(crate) fn interpreters() -> &'static [ToolPlace] {
    static FOUND: OnceLock<Vec<ToolPlace>> = OnceLock::new();
    FOUND.get_or_init(|| places(&INTERPRETERS))
}

/// The same of all that a build may need.
pub(crate) fn of_builds() -> &'static [ToolPlace] {
    static FOUND: OnceLock<Vec<ToolPlace>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let all: Vec<&'static str> = INTERPRETERS.into_iter().chain(BUILD_TOOLS).collect();
        places(&all)
    })
}

/// Whether this is the name of a compiler, an interpreter or a build tool, perhaps with a version:
/// `gcc-13`.
pub(super) fn is_known(name: &str) -> bool {
    let plain =
        |name: &str| name.trim_end_matches(|end: char| end.is_ascii_digit() || "-.".contains(end)).to_owned();
    let wanted = plain(name);
    let all = INTERPRETERS.iter().chain(&BUILD_TOOLS).chain(&OTHERS);
    !wanted.is_empty() && all.into_iter().any(|tool| plain(tool) == wanted)
}

fn places(names: &[&'static str]) -> Vec<ToolPlace> {
    let mut all: Vec<ToolPlace> = Vec::new();
    for tool in names.iter().copied() {
        // A directory of `PATH` that is relative means another place in a box.
        let Some(found) = find_in_path(Path::new(tool)).filter(|found| found.is_absolute()) else { continue };
        let real = behind_rustup(&found, tool).unwrap_or(found);
        for path in installation(&real) {
            if !all.iter().any(|other| path.starts_with(&other.path)) {
                all.push(ToolPlace { tool, path });
            }
        }
    }
    all
}

/// The tool of Rust that rustup would start. In a box rustup finds neither its settings nor its
/// toolchains; these are found by where the tool itself lies.
pub(super) fn behind_rustup(tool: &Path, name: &str) -> Option<PathBuf> {
    let real = tool.canonicalize().ok()?;
    if real.file_name()? != "rustup" {
        return None;
    }
    // Asked at the root: a submission has no say in which toolchain is meant.
    // It may begin to download a toolchain.
    let said = tool_output(Command::new(real).args(["which", name]).current_dir("/"), RUSTUP).ok()?;
    let path = PathBuf::from(String::from_utf8(said.stdout).ok()?.trim_end());
    path.is_file().then_some(path)
}
