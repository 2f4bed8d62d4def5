//! Whose word the files of an engine are: the organiser's or that of the person who handed it in.

use std::path::Path;

/// Who answers for what the folder of an engine says: its `engine.toml`, its links, its programs.
///
/// The organiser's word opens places of the machine: an `engine.toml` may name a program anywhere.
/// A submission's word opens nothing: its program lies in its own folder or belongs to the system,
/// and its box shows the same places whatever it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// A path of the command line, an entry of a folder of engines, the folder of a game.
    #[default]
    Organiser,
    /// What `agon grade` unpacked, `agon inbox` entered or `agon build` builds.
    Submission,
}

impl Origin {
    /// The origin of what lies at a path that the organiser has named.
    ///
    /// `agon inbox` keeps what it enters into a folder of engines `X` in `X-versions/ALIAS/VERSION`
    /// beside it, and a link `X/ALIAS` leads there. No submission can make or remove any of these.
    pub fn of(path: &Path) -> Self {
        let came_by_inbox = |real: &Path| {
            let entry = real.ancestors().find(|at| {
                let beside = at.ancestors().nth(2).and_then(Path::file_name);
                beside.is_some_and(|name| name.to_string_lossy().ends_with("-versions"))
            })?;
            let versions = entry.ancestors().nth(2)?;
            let pool = versions.file_name()?.to_str()?.strip_suffix("-versions")?;
            let link = versions.with_file_name(pool).join(entry.parent()?.file_name()?);
            // The link of another version of the same author says the same.
            let leads_here = link.is_symlink() && link.canonicalize().ok()?.starts_with(versions);
            leads_here.then_some(())
        };
        let real = path.canonicalize().ok();
        match real.and_then(|real| came_by_inbox(&real)) {
            Some(()) => Origin::Submission,
            None => Origin::Organiser,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_an_inbox_entered_is_a_submission_by_its_link_and_by_its_place() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        fs::create_dir_all(at("bots-versions/ann/0123")).unwrap();
        fs::create_dir_all(at("bots/mine")).unwrap();
        fs::create_dir_all(at("other-versions/ann/0123")).unwrap();
        symlink(at("bots-versions/ann/0123"), at("bots/ann")).unwrap();
        for path in ["bots/ann", "bots-versions/ann/0123", "bots/ann/../0123"] {
            assert_eq!(Origin::of(&at(path)), Origin::Submission, "{path}");
        }
        fs::write(at("bots/ann/engine"), "").unwrap();
        assert_eq!(Origin::of(&at("bots/ann/engine")), Origin::Submission);
        for path in ["bots", "bots/mine", "other-versions/ann/0123", "nowhere"] {
            assert_eq!(Origin::of(&at(path)), Origin::Organiser, "{path}");
        }
    }
}
