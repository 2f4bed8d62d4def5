//! Engines with hostile file names: they play, and nothing of the names is shown raw.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::home::{Home, lossy};

/// Control characters, bidi controls, and others that must not reach a terminal or a cell.
fn is_hostile(letter: char) -> bool {
    (letter.is_control() && letter != '\n')
        || matches!(u32::from(letter), 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff | 0xe0000..=0xe0fff)
}

#[track_caller]
pub(crate) fn harmless(what: &str, bytes: &[u8]) {
    let text =
        String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| panic!("{what} is not UTF-8: {}", lossy(bytes)));
    assert!(!text.contains(is_hostile), "{what} is not clean: {text:?}");
}

pub(crate) fn every_file(folder: &Path, then: &mut dyn FnMut(&Path)) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() { every_file(&path, then) } else { then(&path) }
    }
}

#[test]
fn hostile_names_play_and_reach_nobody_raw() {
    let names: Vec<Vec<u8>> = vec![
        b"\x1b[2J\x1b]0;title\x07\x1b]8;;http:x\x1b\\".to_vec(),
        b"two\nlines\rand\ttabs".to_vec(),
        b"-rf".to_vec(),
        b"$(touch pwned)".to_vec(),
        b"`touch pwned`; touch pwned".to_vec(),
        b"'\"quo\"tes'".to_vec(),
        b"=HYPERLINK(\"x\",\"y\")".to_vec(),
        "\u{202e}\u{200b}bidi\u{9b}".as_bytes().to_vec(),
        b"invalid \xff\xfe\xed\xa0\x80".to_vec(),
        b"{side} {nonsense}".to_vec(),
        b"%s%n<script>alert(1)<script>".to_vec(),
        vec![b'x'; 250],
    ];
    let home = Home::new();
    for name in &names {
        home.engine([b"engines/".as_slice(), name].concat().into_os(), "agon-greedy");
    }
    home.put([b"engines/no\x1b[31mtes".as_slice()].concat().into_os(), "not an engine");
    let words =
        ["tournament", "engines", "--games", "2", "--game", "letters:3x3x1", "--st", "5", "--seed", "4"];
    let said = home.agon(words.into_iter().chain(["--out", "run", "--events", "events"]));
    assert_eq!(said.code, Some(0), "{}", said.all());
    harmless("stdout", &said.out);
    harmless("stderr", &said.err);
    assert_eq!(said.out().lines().count(), names.len() + 2, "{}", said.out());
    every_file(&home.path("run"), &mut |path| {
        // The database is binary.
        if !path.file_name().unwrap().to_string_lossy().starts_with("agon.db") {
            harmless(&path.to_string_lossy(), &fs::read(path).unwrap());
        }
    });
    every_file(&home.path(""), &mut |path| assert_ne!(path.file_name().unwrap(), "pwned"));

    let standings = home.read("run/standings.csv");
    let mut rows = csv::Reader::from_reader(standings.as_bytes());
    let engines: Vec<String> = rows.records().map(|row| row.unwrap()[1].to_owned()).collect();
    assert_eq!(engines.len(), names.len());
    for engine in &engines {
        assert!(!engine.starts_with(['=', '+', '-', '@']), "{engine} is a formula");
    }
    let games = home.read("run/games.csv");
    let mut rows = csv::Reader::from_reader(games.as_bytes());
    let head = rows.headers().unwrap().clone();
    let termination = head.iter().position(|name| name == "termination").unwrap();
    let ends: Vec<String> = rows.records().map(|row| row.unwrap()[termination].to_owned()).collect();
    assert_eq!(ends.len(), names.len() * (names.len() - 1));
    assert!(ends.iter().all(|end| end == "normal"), "{ends:?}");
}

#[test]
fn a_hostile_name_is_harmless_in_a_message() {
    let home = Home::new();
    let name = b"engines/\x1b[2Jx\n\xff".as_slice();
    home.put_program(name.to_vec().into_os(), "#!/no/such/\x1b[31mthing\n");
    home.engine("engines/good", "agon-greedy");
    let path = name.to_vec().into_os();
    let good = OsString::from("engines/good");
    for words in [
        vec!["tournament".into(), "engines".into()],
        vec!["match".into(), path.clone(), good.clone()],
        vec!["check".into(), path.clone()],
        vec!["match".into(), good.clone(), good.clone(), "--dictionary".into(), path.clone()],
        vec!["match".into(), good.clone(), good, "--board".into(), path.clone()],
        vec!["tournament".into(), "engines".into(), "--skip-broken".into(), "--out".into(), path],
    ] {
        let said = home.agon(&words);
        assert_eq!(said.code, Some(2), "{words:?}: {}", lossy(&said.err));
        harmless("stdout", &said.out);
        harmless("stderr", &said.err);
    }
}

trait IntoOs {
    fn into_os(self) -> OsString;
}

impl IntoOs for Vec<u8> {
    fn into_os(self) -> OsString {
        OsString::from_vec(self)
    }
}
