//! Directories that agon 0.1.0 has written, read by this program: the same words, tables and exit
//! codes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::home::{Home, root};

/// A home with the directories of agon 0.1.0: a round robin of two runs, a cup, a class, games of a
/// referee program, and a run that was killed.
pub(crate) fn home_of_old_runs() -> Home {
    let home = Home::new();
    let packed = File::open(root().join("fixtures/stored/0.1.0.tar.gz")).unwrap();
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
    let home = home_of_old_runs();
    let said = fs::read_to_string(root().join("fixtures/stored/0.1.0.txt")).unwrap();
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
            differences.push(format!("agon {words}: {}", told.all()));
        }
    }
    assert!(differences.is_empty(), "agon tells other things than before: {}", differences.join("\n\n"));
    assert_eq!(said.lines().count(), 89);
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
    let home = home_of_old_runs();
    let words = |run: &str| {
        ["standings RUN --csv", "games RUN --all", "history RUN --csv", "verify RUN"].map(|line| {
            let said = home.agon(line.replace("RUN", run).split(' '));
            (said.code, said.out())
        })
    };
    for run in ["plain", "cup", "class", "half"] {
        let before = words(run);
        let said = home.agon(["upgrade", run]);
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert!(said.out().contains("schema version 7 is 8 now; head of the chain "), "{}", said.all());
        let after = words(run);
        assert!(before == after, "{run}: {before:?}\n{after:?}");
        assert!(!heads(&after[3].1).is_empty(), "{after:?}");
        let again = home.agon(["upgrade", run]);
        assert!(again.out().contains("has schema version 8 already"), "{}", again.all());
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
         [event]\ntitle = \"Spring Cup\"\nplace = \"Bern\"\ndate = \"May 2027\"\norganiser = \"A. Nobody\"\ntext = \"Welcome.\"\n",
    );
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
    for fact in ["Spring Cup", "Bern", "May 2027", "A. Nobody", "Welcome."] {
        assert!(page.contains(fact), "{fact}: {page}");
    }
    let wrong = home.agon("tournament engines --label".split(' ').chain([""]));
    assert_eq!(wrong.code, Some(2), "{}", wrong.all());
}
