//! Which files of an engine's folder are part of it: they are hashed, copied and looked at.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use super::content;

/// What of a folder is part of the engine there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// The folder.
    pub source: PathBuf,
    /// What at its top is no part, by name. Only the folders of referee programs have such things,
    /// and of these no hidden file is a part either.
    pub apart: &'static [&'static str],
    /// The files and folders that the engine learns into, by their paths in the folder.
    pub learns: Vec<PathBuf>,
}

impl Parts {
    /// Whether a file of the folder, by its path there, is part of the engine.
    pub fn has(&self, path: &Path) -> bool {
        let is_hidden = !self.apart.is_empty() && is_hidden(path);
        !self.are_apart(path) && !is_hidden && !self.learns.iter().any(|learned| path.starts_with(learned))
    }

    /// Whether a path in the folder belongs to what stands beside the engine there.
    pub fn are_apart(&self, path: &Path) -> bool {
        let top = path.components().next();
        top.is_some_and(|top| self.apart.iter().any(|name| top.as_os_str() == *name))
    }

    /// All files that are part of the engine, and all links to folders.
    ///
    /// # Errors
    /// As [`content::walk`].
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        content::gather(&self.source, &content::is_passed_over, &mut files)?;
        files.retain(|path| path.strip_prefix(&self.source).is_ok_and(|below| self.has(below)));
        // Opening a FIFO would block.
        files.retain(|path| path.is_file() || is_link_to_folder(path));
        Ok(files)
    }

    /// The folders in which a new file would be part of the engine, its own among them.
    ///
    /// # Errors
    /// As [`content::walk`].
    pub(super) fn folders(&self) -> Result<Vec<PathBuf>> {
        let mut folders = vec![self.source.clone()];
        content::walk(&self.source, &content::is_passed_over, &mut |path, is_folder| {
            let enters = is_folder && path.strip_prefix(&self.source).is_ok_and(|below| self.has(below));
            if enters {
                folders.push(path);
            }
            enters
        })?;
        Ok(folders)
    }
}

/// Whether a path in a folder is that of a hidden file, or lies in a hidden folder.
pub fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().as_bytes().starts_with(b"."))
}

/// Whether a path is that of a link to a folder.
pub fn is_link_to_folder(path: &Path) -> bool {
    path.is_symlink() && path.is_dir()
}

/// The path in a folder that an entry of `learns` names.
///
/// # Errors
/// What is wrong with it, and what to write.
pub(super) fn learned(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let parts: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    let leads_out = parts.components().any(|part| !matches!(part, Component::Normal(_)));
    let what = match () {
        () if leads_out => "leads out of the engine's folder",
        () if parts.as_os_str().is_empty() => "is the engine's whole folder",
        () if parts == Path::new("engine.toml") => "is this file",
        () if text.contains('\0') => "holds a NUL",
        () => return Ok(parts),
    };
    let shown = agon_printable::escape(OsStr::new(text).as_bytes(), 60);
    Err(format!(
        "key learns: {shown:?} {what}; write files and folders that the engine learns into, like \
         learns = [\"book.dat\", \"experience/\"]"
    ))
}
