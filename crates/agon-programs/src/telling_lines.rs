//! The lines of a build's output that tell what is wrong.

use agon_printable::escape;

/// The output of a build, in the submission's folder.
pub(super) const LOG: &str = "build.log";
/// How many of a compiler's errors are shown.
const SHOWN_ERRORS: usize = 3;

/// The first errors in a compiler's output, or else its last line.
pub(super) fn first_errors(log: &str) -> String {
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let mut found: Vec<(usize, &str)> =
        lines.iter().copied().enumerate().filter(|(_, line)| is_error(line)).collect();
    // A linker has named what is missing before.
    if found.iter().any(|(_, line)| !is_summary(line)) {
        found.retain(|(_, line)| !is_summary(line));
    }
    let errors: Vec<String> = found
        .into_iter()
        .map(|(number, line)| {
            // Where rustc has seen it.
            let place = lines.get(number + 1).and_then(|next| next.trim_start().strip_prefix("--> "));
            let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
            escape(format!("{}{place}", line.trim_start()).as_bytes(), 200)
        })
        .collect();
    match errors.len() {
        0 => {
            let last = lines.iter().rev().find(|line| !is_of_make(line)).or(lines.last());
            let last = last.map_or_else(|| "(nothing)".to_owned(), |line| escape(line.as_bytes(), 160));
            format!("{LOG} ends: {last}")
        }
        count if count > SHOWN_ERRORS => {
            format!(
                "its first errors: {} (and {} more in {LOG})",
                errors[..SHOWN_ERRORS].join(" | "),
                count - SHOWN_ERRORS
            )
        }
        _ => format!("its first errors: {}", errors.join(" | ")),
    }
}

/// make only says that a command of its own has failed, and where it was.
fn is_of_make(line: &str) -> bool {
    let maker = line.split(':').next().unwrap_or_default();
    let maker = maker.split('[').next().unwrap_or_default();
    let is_maker = ["make", "gmake", "mingw32-make"].contains(&maker);
    line.contains(": *** [") || is_maker && (line.contains("ing directory") || line.contains("waiting for"))
}

/// Whether a line only says that there were errors before it.
fn is_summary(line: &str) -> bool {
    ["ld returned ", "linker command failed", "could not compile ", "aborting due to "]
        .iter()
        .any(|said| line.contains(said))
}

/// Whether a compiler says in this line what is wrong. `make: *** Error 1` and `2 errors` only say
/// that something is.
fn is_error(line: &str) -> bool {
    let line = line.trim_start().to_lowercase();
    let is_sum = line.split_once(' ').is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with("error")
    });
    const MARKS: [&str; 9] = [
        "error:",
        "error[",
        "fatal:",
        "undefined reference",
        "undefined symbol",
        "multiple definition",
        "cannot find -l",
        "no rule to make",
        "cannot find package",
    ];
    !is_sum
        && !is_of_make(&line)
        && (MARKS.iter().any(|mark| line.contains(mark)) || is_of_go(&line) || has_code(&line))
}

/// An error of Go has no such word: `./main.go:5:2: undefined: x`.
fn is_of_go(line: &str) -> bool {
    let Some((_, rest)) = line.split_once(".go:") else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    number() && number()
}

/// An error with a number: `a.cs(3,5): error CS1002: ; expected`.
fn has_code(line: &str) -> bool {
    let Some((_, rest)) = line.split_once(": error ") else { return false };
    let code = rest.split(':').next().unwrap_or_default();
    code.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && code.ends_with(|digit: char| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_errors_of_each_compiler_are_found_and_not_its_last_line() {
        for (log, told) in [
            (
                "cc a.c\na.c: In function 'main':\na.c:3:5: error: 'x' undeclared\na.c:9:1: error: no y\nmake: *** [all] Error 1\n",
                "its first errors: a.c:3:5: error: 'x' undeclared | a.c:9:1: error: no y",
            ),
            (
                "Main.java:1: error: ';' expected\nint x\n     ^\n1 error\n",
                "its first errors: Main.java:1: error: ';' expected",
            ),
            (
                "error[E0425]: cannot find value `x`\n --> src/main.rs:2:5\n  |\nerror: could not compile `x` (bin) due to 1 error\n",
                "its first errors: error[E0425]: cannot find value `x` (src/main.rs:2:5)",
            ),
            (
                "/usr/bin/ld: a.o: undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n",
                "its first errors: /usr/bin/ld: a.o: undefined reference to `f'",
            ),
            (
                "/usr/bin/ld: cannot find -lfoo: No such file or directory\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:3: bot] Error 1\n",
                "its first errors: /usr/bin/ld: cannot find -lfoo: No such file or directory",
            ),
            ("# bot\n./main.go:5:2: undefined: x\n", "its first errors: ./main.go:5:2: undefined: x"),
            (
                "a.cs(3,5): error CS1002: ; expected\n",
                "its first errors: a.cs(3,5): error CS1002: ; expected",
            ),
            ("no header\nmake: *** [Makefile:2: all] Error 1\n", "build.log ends: no header"),
            (
                "no header\nmake[1]: *** [Makefile:2: all] Error 1\nmake[1]: Leaving directory '/x'\nmake: *** [Makefile:1: all] Error 2\n",
                "build.log ends: no header",
            ),
            ("make: *** No targets.  Stop.\n", "build.log ends: make: *** No targets.  Stop."),
            ("", "build.log ends: (nothing)"),
        ] {
            assert_eq!(first_errors(log), told);
        }
        let many = "a.c:1: error: x\n".repeat(5);
        assert!(first_errors(&many).ends_with("(and 2 more in build.log)"));
    }
}
