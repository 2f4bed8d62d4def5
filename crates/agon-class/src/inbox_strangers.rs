//! What came into the folder of submissions and belongs to nobody. It is put aside under its own
//! name; another one of this name goes into a folder with a number, so that none is lost.

use std::fs;
use std::path::{Path, PathBuf};

/// The place for a stranger of this name in the folder `rejected`, and whether it lies there
/// already. `is_equal` compares it with an earlier one. What begins like the submission of an
/// author (`is_of_author`) is not put among these.
pub(super) fn place(
    rejected: &Path,
    name: &str,
    is_of_author: bool,
    is_equal: &dyn Fn(&Path) -> bool,
) -> (PathBuf, bool) {
    let first = (!is_of_author).then(|| rejected.join(name));
    let mut places =
        first.into_iter().chain((2_u32..).map(|number| rejected.join(number.to_string()).join(name)));
    let found = places.find(|path| !path.exists() || is_equal(path));
    let path = found.unwrap_or_else(|| rejected.join(name));
    let is_old = path.exists();
    (path, is_old)
}

/// All strangers, each with its path from the folder `rejected`. `is_of_author` says of the name of
/// a file whether it is the submission of an author.
pub(super) fn all(rejected: &Path, is_of_author: &dyn Fn(&str) -> bool) -> Vec<(String, PathBuf)> {
    let entries = |folder: &Path| {
        let all = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let named = |path: PathBuf| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            (!name.starts_with('.')).then_some((name, path))
        };
        all.filter_map(named).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for (name, path) in entries(rejected) {
        if path.is_file() {
            all.extend((!is_of_author(&name)).then_some((name, path)));
        } else if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let below = entries(&path).into_iter().filter(|(_, path)| path.is_file());
            all.extend(below.map(|(inner, path)| (format!("{name}/{inner}"), path)));
        }
    }
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_strangers_with_one_name_none_is_lost() {
        let home = tempfile::tempdir().unwrap();
        let put = |text: &str, name: &str| {
            let is_equal = |path: &Path| fs::read_to_string(path).is_ok_and(|other| other == text);
            let (path, is_old) = place(home.path(), name, name.starts_with("quiet-otter-"), &is_equal);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            (path.strip_prefix(home.path()).unwrap().display().to_string(), is_old)
        };
        assert_eq!(put("one", "doe.zip"), ("doe.zip".to_owned(), false));
        assert_eq!(put("two", "doe.zip"), ("2/doe.zip".to_owned(), false));
        assert_eq!(put("three", "doe.zip"), ("3/doe.zip".to_owned(), false));
        assert_eq!(put("two", "doe.zip"), ("2/doe.zip".to_owned(), true));
        assert_eq!(put("x", "quiet-otter-x.zip"), ("2/quiet-otter-x.zip".to_owned(), false));
        fs::write(home.path().join("quiet-otter-bot.zip"), "").unwrap();
        let all = all(home.path(), &|name| name.starts_with("quiet-otter-"));
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["2/doe.zip", "2/quiet-otter-x.zip", "3/doe.zip", "doe.zip"]);
    }
}
