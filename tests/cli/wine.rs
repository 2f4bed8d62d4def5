//! Windows engines: played through Wine where it is installed, and refused in words where it is
//! not.
//!
//! `cargo test --test cli -- wine --include-ignored` tries all of it, after
//! `apt-get install wine64 gcc-mingw-w64-x86-64`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::home::Home;
use super::support::not_tried;

/// The first bytes of a Windows program for a machine of this code.
fn header(machine: u16) -> Vec<u8> {
    let mut head = vec![0; 64];
    head[..2].copy_from_slice(b"MZ");
    head[60] = 64;
    head.extend(b"PE\0\0");
    head.extend(machine.to_le_bytes());
    head
}

const WIDE: u16 = 0x8664;
const NARROW: u16 = 0x014c;

/// A program that agon takes for Wine. It notes how it was started, and speaks for the Windows
/// program.
const MADE_UP: &str = r#"#!/bin/sh
here=${0%/*}
case $1 in
--version) echo wine-0.1 && exit ;;
wineboot)
    echo "$@" >> "$here/boots"
    sleep 1
    mkdir -p "$WINEPREFIX/drive_c/windows/system32" "$WINEPREFIX/drive_c/users/me"
    echo '"TEMP"="C:\\users\\me\\Temp"' > "$WINEPREFIX/user.reg"
    for file in .update-timestamp system.reg userdef.reg drive_c/windows/system32/kernel32.dll; do
        echo > "$WINEPREFIX/$file"
    done
    exit ;;
esac
{ echo "$@"; env; ls -A "$WINEPREFIX" "$WINEPREFIX/drive_c" "$WINEPREFIX/dosdevices/z:/"; cat "$WINEPREFIX/user.reg"; } > "$here/seen"
used=" " cr=$(printf '\r')
move() {
    for x in 0 1 2 3 4 5 6 7 8 9; do
        for y in 0 1 2 3 4 5 6 7 8 9; do
            case $used in *" $x,$y "*) ;; *) used="$used$x,$y "; echo "$x,$y"; return ;; esac
        done
    done
}
while read -r line; do
    line=${line%"$cr"}
    case $line in
    START*) echo OK ;;
    ABOUT) echo 'name="made up", version="1"' ;;
    BEGIN | DONE) move ;;
    TURN*) used="$used${line#TURN } "; move ;;
    BOARD) used=" " ;;
    INFO*) printf '%s\n' "$line" >> "$here/told" ;;
    END) exit ;;
    *) used="$used${line%,*} " ;;
    esac
done
"#;

/// A home with that Wine, and a download of an engine for it.
fn with_made_up_wine() -> Home {
    let home = Home::new();
    home.put_program("tools/wine", MADE_UP);
    home.put("download/pbrain-first.exe", header(WIDE));
    home.put("download/weights.bin", "");
    home
}

/// The variables that have agon take the made-up Wine.
const AS_MADE_UP: &str = "WINELOADER=\"$PWD/tools/wine\" XDG_CACHE_HOME=\"$PWD/cache\"";

#[test]
fn without_wine_a_windows_program_is_refused_in_words_before_the_first_game() {
    let home = Home::with_two();
    home.put("download/pbrain-first.exe", header(WIDE));
    let none = "WINELOADER=/no/wine agon";
    for words in
        ["check download", "check download/pbrain-first.exe", "match download download", "play download"]
    {
        let said = home.shell(&format!("{none} {words}"));
        assert_eq!(said.code, Some(2), "{words}: {}", said.all());
        for part in
            ["download/pbrain-first.exe: a 64-bit Windows program", "hint: ", "apt-get install wine64"]
        {
            assert!(said.err().contains(part), "{words}: {}", said.all());
        }
    }
    // Among others it is left out, if that is asked for.
    let games = "--game mnk:15x15,5 --games 2 --st 2";
    home.put("engines/pbrain-second.exe", header(WIDE));
    home.put("engines/notes.exe", "MZ");
    for name in ["greedy", "random"] {
        fs::remove_file(home.path("engines").join(name)).unwrap();
    }
    for name in ["one", "two"] {
        home.engine(format!("engines/{name}/mover"), "agon-mover");
        let toml = "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\n";
        home.put(format!("engines/{name}/engine.toml"), toml);
    }
    let said = home.shell(&format!("{none} tournament engines {games}"));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("pbrain-second.exe: a 64-bit Windows program"), "{}", said.all());
    assert!(
        said.err().contains("skipped engines/notes.exe") || said.err().contains("notes.exe: not executable")
    );
    let said = home.shell(&format!("{none} tournament engines {games} --skip-broken"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("left out "), "{}", said.all());
}

#[test]
fn a_program_of_32_bits_needs_another_wine() {
    let home = Home::new();
    home.put("pbrain-old.exe", header(NARROW));
    home.put_program("tools/wine", MADE_UP);
    for wine in ["/no/wine", "$PWD/tools/wine"] {
        let said = home.shell(&format!("WINELOADER=\"{wine}\" agon check pbrain-old.exe"));
        assert_eq!(said.code, Some(2), "{}", said.all());
        for part in ["a 32-bit Windows program", "dpkg --add-architecture i386", "apt-get install wine32"] {
            assert!(said.err().contains(part), "{}", said.all());
        }
    }
    home.put("cut.exe", "MZ");
    let said = home.shell("agon check cut.exe");
    assert!(said.code == Some(2) && said.err().contains("truncated"), "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn wine_is_started_with_a_prefix_of_its_own() {
    let home = with_made_up_wine();
    let said = home.shell(&format!("{AS_MADE_UP} agon check download --moves 2 --st 5"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("first as X: "), "it is called what its author calls it: {}", said.all());
    assert!(said.err().contains("making a template for Wine"), "{}", said.all());
    let seen = home.read("tools/seen");
    let line = |start: &str| seen.lines().find(|line| line.starts_with(start)).unwrap_or("");
    assert_eq!(seen.lines().next(), Some(home.path("download/pbrain-first.exe").to_str().unwrap()));
    assert!(line("WINEPREFIX=").ends_with("/.wine"), "{seen}");
    assert!(!line("WINEPREFIX=").contains("cache"), "{seen}");
    assert!(
        line("WINEDEBUG=").contains("-all") && line("WINEDLLOVERRIDES=").contains("wineboot.exe"),
        "{seen}"
    );
    for part in ["system.reg", "windows", "temp", "users", "usr", r#""TEMP"="C:\\temp""#] {
        assert!(seen.lines().any(|line| line == part), "{part}: {seen}");
    }
    let told = home.read("tools/told");
    assert!(told.contains("INFO timeout_turn 4850"), "{told}");
    assert!(told.contains("INFO folder Z:\\"), "{told}");
    // The next time the template is there.
    let said = home.shell(&format!("{AS_MADE_UP} agon check download --moves 2 --st 5"));
    assert!(!said.err().contains("making a template"), "{}", said.all());
    assert_eq!(home.read("tools/boots"), "wineboot -i\n");
}

#[test]
#[ignore = "slow"]
fn an_engine_toml_can_say_otherwise() {
    let home = with_made_up_wine();
    let toml = "command = [\"pbrain-first.exe\", \"fast\"]\n[gomocup]\nreserve_ms = 300\n[env]\nWINEDLLOVERRIDES = \"\"\n";
    home.put("download/engine.toml", toml);
    let said = home.shell(&format!("{AS_MADE_UP} agon check download --game mnk:15x15,5 --moves 2 --st 5"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let seen = home.read("tools/seen");
    assert!(seen.lines().next().is_some_and(|line| line.ends_with("pbrain-first.exe fast")), "{seen}");
    assert!(seen.lines().any(|line| line == "WINEDLLOVERRIDES="), "{seen}");
    assert!(home.read("tools/told").contains("INFO timeout_turn 4700"));
}

#[test]
#[ignore = "slow"]
fn two_runs_at_once_make_one_template() {
    let home = with_made_up_wine();
    let one = format!("{AS_MADE_UP} agon check download --moves 1 --st 5");
    let said = home.shell(&format!("{one} > first & {one} > second && wait $!"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    for file in ["first", "second"] {
        assert!(home.read(file).contains("nothing wrong was found"), "{}", home.read(file));
    }
    assert_eq!(home.read("tools/boots"), "wineboot -i\n");
}

#[test]
fn a_wine_that_makes_no_prefix_leaves_no_half_of_a_template() {
    let home = with_made_up_wine();
    home.put_program(
        "tools/wine",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo wine-0.1 && exit\necho no room >&2\nexit 1\n",
    );
    let said = home.shell(&format!("{AS_MADE_UP} agon check download"));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("no room") && said.err().contains("wineboot -i"), "{}", said.all());
    let left: Vec<_> =
        fs::read_dir(home.path("cache/agon")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["wine.lock"]);
}

/// A home with a program of Windows in the folder `download`, if it can be built and started on
/// this machine.
fn with_wine() -> Option<Home> {
    let home = Home::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/wine/pbrain.c");
    let has = |line: &str| home.shell(line).code == Some(0);
    if !has("command -v wine || command -v wine64 || test -x /usr/lib/wine/wine64")
        || !has("command -v x86_64-w64-mingw32-gcc")
    {
        not_tried!(
            "Windows engines: Wine or a compiler is not on this machine; \
             apt-get install wine64 gcc-mingw-w64-x86-64"
        );
        return None;
    }
    fs::create_dir_all(home.path("download")).unwrap();
    let built = Command::new("x86_64-w64-mingw32-gcc")
        .arg("-O1")
        .arg("-o")
        .arg(home.path("download/pbrain-first.exe"))
        .arg(source)
        .status()
        .unwrap();
    assert!(built.success());
    Some(home)
}

/// agon with a template that all tests share: it takes a while to make.
fn agon() -> String {
    format!("XDG_CACHE_HOME='{}' agon", env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn a_windows_engine_plays_at_every_level() {
    let Some(home) = with_wine() else { return };
    for level in ["none", "limits", "sandbox", "strict"] {
        let said = home.shell(&format!("{} check download --st 5 --isolation {level}", agon()));
        if said.code == Some(3) {
            not_tried!("a Windows engine at {level}: the level is not available on this machine");
            continue;
        }
        assert_eq!(said.code, Some(0), "{level}: {}", said.all());
        assert!(said.out().contains("nothing wrong was found"), "{level}: {}", said.all());
        assert!(!said.out().contains("process(es) running"), "its helpers are not its fault: {}", said.all());
        let words =
            format!("match download download --game mnk:15x15,5 --games 2 --st 5 --isolation {level}");
        let played = home.shell(&format!("{} {words} --log {level}", agon()));
        assert_eq!(played.code, Some(0), "{level}: {}", played.all());
        let log = home.read(level);
        let folder = log.lines().find(|line| line.contains("MESSAGE folder Z:\\")).unwrap_or_default();
        assert!(folder.ends_with(" exists"), "{level}: {log}");
        assert!(log.contains("MESSAGE temporary files work"), "{level}: {log}");
    }
}

#[test]
fn windows_engines_play_at_once_and_none_ends_the_server_of_another() {
    let Some(home) = with_wine() else { return };
    home.engine("mover/agon-mover", "agon-mover");
    home.put("mover/engine.toml", "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\n");
    fs::create_dir(home.path("other")).unwrap();
    fs::copy(home.path("download/pbrain-first.exe"), home.path("other/pbrain-other.exe")).unwrap();
    for (opponent, level) in [("mover", "limits"), ("other", "limits"), ("other", "sandbox")] {
        let words = format!(
            "match download {opponent} --games 8 --st 5 --seed 3 --concurrency 2 --isolation {level} \
             --random-plies 2 --out {opponent}-{level}"
        );
        let said = home.shell(&format!("{} {words}", agon()));
        if said.code == Some(3) {
            not_tried!("Windows engines at {level}: the level is not available on this machine");
            continue;
        }
        assert_eq!(said.code, Some(0), "{level}: {}", said.all());
        let games = home.read(&format!("{opponent}-{level}/games.csv"));
        let normal = games.lines().filter(|line| line.contains(",normal,")).count();
        assert_eq!(normal, 8, "{level}: {games}");
        let verified = home.agon(["verify", &format!("{opponent}-{level}")]);
        assert_eq!(verified.code, Some(0), "{level}: {}", verified.all());
    }
}

#[test]
fn a_windows_engine_that_has_dropped_a_command_is_asked_again() {
    let Some(home) = with_wine() else { return };
    home.engine("mover/agon-mover", "agon-mover");
    home.put("mover/engine.toml", "args = [\"{game}\", \"ugi\"]\nprotocol = \"ugi\"\n");
    home.put("download/engine.toml", "command = [\"pbrain-first.exe\", \"drop\"]\n");
    let words = "match download mover --game mnk:15x15,5 --games 2 --st 20 --log log";
    let said = home.shell(&format!("{} {words}", agon()));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let log = home.read("log");
    assert!(log.contains("ERROR not ready") && log.contains(" < BOARD"), "{log}");
    assert!(!said.all().contains("forfeit by"), "{}", said.all());
}

#[test]
fn a_library_that_is_missing_is_named() {
    let Some(home) = with_wine() else { return };
    home.put("lib.c", "__declspec(dllexport) int strange(void) { return 1; }\n");
    home.put("main.c", "__declspec(dllimport) int strange(void); int main(void) { return strange(); }\n");
    let built = home.shell(
        "x86_64-w64-mingw32-gcc -shared -o strange.dll lib.c && mkdir lame && \
         x86_64-w64-mingw32-gcc -o lame/pbrain-lame.exe main.c strange.dll",
    );
    assert_eq!(built.code, Some(0), "{}", built.all());
    for words in ["check lame", "match lame download --games 2"] {
        let said = home.shell(&format!("{} {words}", agon()));
        assert_eq!(said.code, Some(2), "{}", said.all());
        assert!(said.err().contains("strange.dll"), "{}", said.all());
    }
}
