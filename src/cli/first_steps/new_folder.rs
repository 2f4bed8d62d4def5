//! Makes the folder of something new, which is empty.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use agon_config::Misuse;
use agon_programs::program::display_path;
use anyhow::Context;

/// Makes a folder, or sees that the one that is there is empty.
pub(crate) fn make_empty(directory: &Path) -> anyhow::Result<()> {
    let refused = |what: &str| {
        let place = display_path(directory);
        Misuse::hinted(
            format!("{place} {what}; nothing was written"),
            "name a folder that does not exist yet",
        )
    };
    match fs::read_dir(directory).map(Iterator::count) {
        Ok(0) => Ok(()),
        Ok(_) => Err(refused("is a folder with files in it")),
        Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the folder {}", display_path(directory))),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(refused("is a file")),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", display_path(directory))),
    }
}
