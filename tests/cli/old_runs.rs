//! Directories that agon 0.1.0 and 0.2.0 have written, read by this program: the same words, tables
//! and exit codes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::home::{Home, root};

/// A home with the directories of agon 0.1.0: a round robin of two runs, a cup, a class, games of a
/// referee program, and a run that was killed.
pub(crate) fn home_of_old_runs() -> Home {
    home_of("0.1.0")
}

/// A home with the directories of agon 0.2.0: a round robin of two runs with a label and an event,
/// moves and lines that were refused, games of referee programs, void ones too, and a killed run.
fn home_of_0_2_0() -> Home {
    home_of("0.2.0")
}

fn home_of(version: &str) -> Home {
    let home = Home::new();
    let packed = File::open(root().join(format!("fixtures/stored/{version}.tar.gz"))).unwrap();
    tar::Archive::new(GzDecoder::new(packed)).unpack(home.path("")).unwrap();
    home
}

/// The files of a folder and of those below it; a file is itself.
fn files_in(path: &Path) -> Vec<PathBuf> {
    match fs::read_dir(path) {
        Ok(entries) => entries.flat_map(|entry| files_in(&entry.unwrap().path())).collect(),
        Err(_) => vec![path.to_owned()],
    }
}

#[test]
fn what_agon_0_1_0_has_stored_is_told_as_it_told_it_itself() {
    told_as_before("0.1.0", 89);
}

#[test]
fn what_agon_0_2_0_has_stored_is_told_as_it_told_it_itself() {
    told_as_before("0.2.0", 98);
}

fn told_as_before(version: &str, commands: usize) {
    let home = home_of(version);
    let said = fs::read_to_string(root().join(format!("fixtures/stored/{version}.txt"))).unwrap();
    let mut differences = Vec::new();
    for line in said.lines() {
        let [code, sum, words] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let told = home.agon(words.split(' '));
        let mut hash = Sha256::new();
        hash.update(&told.out);
        let to = home.path("to");
        if to.exists() {
            if !words.starts_with("export db") {
                let mut files = files_in(&to);
                files.sort_by_key(|file| file.as_os_str().to_owned());
                files.iter().for_each(|file| hash.update(fs::read(file).unwrap()));
            }
            fs::remove_dir_all(&to).or_else(|_| fs::remove_file(&to)).unwrap();
        }
        let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let found_code = told.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        if (found_code.as_str(), found.as_str()) != (code, sum) {
            differences.push(format!("{found_code} {found} {words}\n{}", told.all()));
        }
    }
    assert!(differences.is_empty(), "agon tells other things than before: {}", differences.join("\n\n"));
    assert_eq!(said.lines().count(), commands);
}

/// A table and JSON once disagreed: with summed scores, JSON had tie-breaks by points of opponents.
#[test]
fn what_is_empty_in_the_table_of_standings_is_null_in_json() {
    let home = home_of_old_runs();
    for words in ["plain", "plain --points sum", "class", "referee"] {
        let told = |form: &str| home.agon(format!("standings {words} {form}").split(' ')).out();
        let (json, table) = (told("--json"), told("--csv"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let mut table = csv::Reader::from_reader(table.as_bytes());
        let head = table.headers().unwrap().clone();
        for (at, row) in table.records().map(Result::unwrap).enumerate() {
            let row_of_json = json["standings"][at].as_object().unwrap();
            let shared = head.iter().zip(&row).filter(|(name, _)| row_of_json.contains_key(*name));
            assert!(shared.clone().count() > 20, "{row_of_json:?}");
            for (name, cell) in shared {
                assert_eq!(row_of_json[name].is_null(), cell.is_empty(), "{words}: {name}: {cell}");
            }
        }
    }
}

/// The head of the chain in what `agon verify` says.
fn heads(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("head of the chain")).collect()
}

#[test]
fn an_upgrade_keeps_the_chain_and_what_is_told_and_refuses_a_directory_in_use() {
    keeps(&home_of_old_runs(), 7, &["plain", "cup", "class", "half"]);
    keeps(&home_of_0_2_0(), 8, &["plain", "words", "spoken", "half"]);
}

fn keeps(home: &Home, version: u32, runs: &[&str]) {
    let words = |run: &str| {
        ["standings RUN --csv", "games RUN --all", "history RUN --csv", "verify RUN"].map(|line| {
            let said = home.agon(line.replace("RUN", run).split(' '));
            (said.code, said.out())
        })
    };
    for run in runs {
        let before = words(run);
        let said = home.agon(["upgrade", run]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        let upgraded = format!("schema version {version} is 9 now; head of the chain ");
        assert!(said.out().contains(&upgraded), "{}", said.all());
        let after = words(run);
        assert!(before == after, "{run}: {before:?}\n{after:?}");
        assert!(!heads(&after[3].1).is_empty(), "{after:?}");
        let again = home.agon(["upgrade", run]);
        assert!(again.out().contains("has schema version 9 already"), "{}", again.all());
    }
    assert_eq!(home.agon(["upgrade", "nowhere"]).code, Some(2));
}

#[test]
fn runs_of_both_versions_are_copied_merged_and_imported() {
    let home = home_of_old_runs();
    let table = home.agon("standings plain --csv".split(' ')).out();
    // The copy of an old database is read as it is, and so is one of a converted database.
    fs::create_dir(home.path("copy")).unwrap();
    assert_eq!(home.agon("export db plain copy/agon.db".split(' ')).code, Some(0));
    assert_eq!(home.agon("standings copy --csv".split(' ')).out(), table);
    let piped = home.shell("agon export json plain | agon import into -");
    assert_eq!(piped.code, Some(0), "{}", piped.all());
    let games = |run: &str| home.agon(["games", run]).out().lines().count();
    assert_eq!(games("into"), games("plain"));
    let merged = home.agon("merge together plain".split(' '));
    assert!(merged.code.is_some_and(|code| code < 3), "{}", merged.all());
}

#[test]
fn a_run_of_the_old_program_is_played_on_and_gets_a_label_and_an_event() {
    let home = home_of_old_runs();
    home.engine("engines/greedy", "agon-greedy");
    home.engine("engines/random", "agon-random");
    home.put(
        "tournament.toml",
        "engines = \"engines\"\nsize = \"3x3x1\"\nst = 1\ngames = 2\nseed = 7\nout = \"plain\"\nlabel = \"v12\"\n\
         [event]\ntitle = \"Spring Cup\"\nplace = \"Bern\"\ndate = \"May 2027\"\norganiser = \"A. Nobody\"\nlogo = \"cup.svg\"\ntext = \"Welcome.\"\n",
    );
    let no_picture = home.agon("tournament tournament.toml --again".split(' '));
    assert_eq!(no_picture.code, Some(2), "{}", no_picture.all());
    assert!(
        no_picture.err().contains("tournament.toml: line 13: key event.logo: it cannot be read"),
        "{}",
        no_picture.all()
    );
    home.put("cup.svg", "no picture");
    let no_picture = home.agon("tournament tournament.toml --again".split(' '));
    assert!(
        no_picture.code == Some(2) && no_picture.err().contains("no picture in PNG"),
        "{}",
        no_picture.all()
    );
    home.put("cup.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    let said = home.agon("tournament tournament.toml --again".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let history = home.agon("history plain --csv".split(' ')).out();
    assert!(history.lines().next().unwrap().ends_with(",label"), "{history}");
    assert!(history.lines().filter(|line| line.ends_with(",v12")).count() == 2, "{history}");
    let of_label = home.agon("history plain --csv --label v12".split(' ')).out();
    assert_eq!(of_label.lines().count(), 3, "{of_label}");
    let unknown = home.agon("history plain --label v13".split(' '));
    assert!(unknown.code == Some(2) && unknown.err().contains("the labels are v12"), "{}", unknown.all());
    home.agon("export notation plain records".split(' '));
    let records = files_in(&home.path("records"));
    let text = fs::read_to_string(&records[0]).unwrap();
    assert!(text.starts_with("[Event \"Spring Cup\"]\n[Site \"Bern\"]\n"), "{text}");
    let games = fs::read_to_string(&files_in(&home.path("plain/games"))[0]).unwrap();
    assert!(games.contains("[Event \"Spring Cup\"]\n[Site \"Bern\"]\n"), "{games}");
    assert_eq!(home.agon("report plain --out site".split(' ')).code, Some(0));
    let page = home.read("site/index.html");
    for fact in
        ["Spring Cup", "Bern", "May 2027", "A. Nobody", "Welcome.", "src=\"data:image/svg+xml;base64,PHN2Zy"]
    {
        assert!(page.contains(fact), "{fact}: {page}");
    }
    let wrong = home.agon("tournament engines --label".split(' ').chain([""]));
    assert_eq!(wrong.code, Some(2), "{}", wrong.all());
}

#[test]
fn an_upgrade_that_is_killed_in_the_middle_has_changed_nothing() {
    let home = home_of_0_2_0();
    let path = home.path("plain/agon.db");
    {
        // So large that its copy takes a while.
        let db = rusqlite::Connection::open(&path).unwrap();
        let large = "INSERT INTO supply (hash, name, bytes) VALUES ('large', 'large', zeroblob(50000000))";
        db.execute(large, []).unwrap();
    }
    let games = home.agon(["games", "plain", "--all"]).out();
    let version = || -> i64 {
        let db = rusqlite::Connection::open(&path).unwrap();
        db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    let copy = home.path("plain/agon.db.version-8");
    let killed = (0..20).any(|_| {
        let mut upgrade = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(["upgrade", "plain"])
            .current_dir(home.path(""))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !copy.exists() && upgrade.try_wait().unwrap().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_micros(200));
        }
        upgrade.kill().unwrap();
        let ended = upgrade.wait().unwrap();
        assert_eq!(home.agon(["games", "plain", "--all"]).out(), games, "{ended}");
        ended.code().is_none() && copy.exists() && version() == 8
    });
    assert!(killed, "no upgrade was killed in its middle");
    let again = home.agon(["upgrade", "plain"]);
    assert!(again.out().contains("schema version 8 is 9 now"), "{}", again.all());
    assert!(!copy.exists() && version() == 9);
    assert_eq!(home.agon(["games", "plain", "--all"]).out(), games);
}
