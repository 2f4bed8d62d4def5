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
    assert_eq!(said.lines().count(), 90);
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
