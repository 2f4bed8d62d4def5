//! Links in a submission: none may lead out of its folder.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use agon_programs::extent::FolderLimits;
use agon_programs::program::display_path;

use super::extracted::MOST_ENTRIES;

/// Checks that a submission is a folder, not a link to one, and that no link in it leads out. Links
/// inside it are allowed.
///
/// # Errors
/// The link, in words for the author.
pub(super) fn stays_inside(folder: &Path) -> Result<(), String> {
    if folder.is_symlink() {
        return Err("is a link; put the folder itself there".to_owned());
    }
    let top = folder.canonicalize().map_err(|error| error.to_string())?;
    let mut bytes = 0;
    let (mut waiting, mut seen) = (vec![top.clone()], 0);
    while let Some(directory) = waiting.pop() {
        let shown = |path: &Path| display_path(path.strip_prefix(&top).unwrap_or(path));
        let wrong = |error: io::Error| format!("{}: {error}", shown(&directory));
        for entry in fs::read_dir(&directory).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            seen += 1;
            if seen > MOST_ENTRIES {
                return Err(format!("has more than {MOST_ENTRIES} files"));
            }
            let kind = entry.file_type().map_err(wrong)?;
            bytes += entry.metadata().map_err(wrong)?.len();
            if bytes > FolderLimits::SUBMISSION.bytes {
                return Err(format!("is more than {} GiB large", FolderLimits::SUBMISSION.bytes >> 30));
            }
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_symlink() && !leads_inside(&entry.path(), &top) {
                return Err(format!(
                    "{} is a link that leads out of it; put the file itself there",
                    shown(&entry.path())
                ));
            }
        }
    }
    Ok(())
}

/// Why a submission is refused: it is a link, or a link on its path leads out of the roster's
/// folder. Then an engine of an earlier submission is not used either.
pub(super) fn led_astray(from: &Path, home: &Path) -> Option<String> {
    if from.is_symlink() {
        return Some("is a link; hand in the file or the folder itself".to_owned());
    }
    let inner = from.strip_prefix(home).ok()?;
    let is_up = |part| matches!(part, Component::ParentDir | Component::RootDir);
    if inner.components().any(is_up) {
        return None; // the roster names a place outside
    }
    let home = if home.as_os_str().is_empty() { Path::new(".") } else { home };
    let (Ok(real), Ok(home)) = (from.canonicalize(), home.canonicalize()) else { return None };
    (!real.starts_with(home)).then(|| {
        "is reached through a link that leads out of the folder of the roster; name its own place".to_owned()
    })
}

/// Whether a link leads into a folder. A broken link is resolved by its text.
fn leads_inside(link: &Path, top: &Path) -> bool {
    if let Ok(there) = link.canonicalize() {
        return there.starts_with(top);
    }
    let Ok(to) = fs::read_link(link) else { return false };
    let mut at = link.parent().unwrap_or(top).to_owned();
    for part in to.components() {
        match part {
            Component::Normal(name) => at.push(name),
            Component::ParentDir => _ = at.pop(),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => at = PathBuf::from("/"),
        }
        if !at.starts_with(top) && !to.is_absolute() {
            return false;
        }
    }
    at.starts_with(top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_that_leads_out_is_named_and_one_that_stays_is_not() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("mine");
        fs::create_dir_all(folder.join("src/inner")).unwrap();
        fs::write(folder.join("src/a.py"), "").unwrap();
        symlink("src/a.py", folder.join("main.py")).unwrap();
        symlink("../..", folder.join("src/inner/up")).unwrap();
        symlink("somebody@nowhere.17", folder.join(".#lock")).unwrap();
        assert_eq!(stays_inside(&folder), Ok(()));
        for to in ["/etc/passwd", "../..", "../../../gone", "/gone", "/proc/self/root", "../../mine2/x"] {
            let link = folder.join("src/link");
            symlink(to, &link).unwrap();
            let why = stays_inside(&folder).unwrap_err();
            assert!(why.contains("src/link is a link that leads out"), "{to}: {why}");
            fs::remove_file(&link).unwrap();
        }
        let linked = home.path().join("linked");
        symlink(&folder, &linked).unwrap();
        assert!(stays_inside(&linked).unwrap_err().contains("is a link"));
    }
}
