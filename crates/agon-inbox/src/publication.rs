//! Whether the results of a class are public.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use agon_export::atomic;
use agon_programs::program::display_path;
use anyhow::{Context, Result};

const MARK: &str = "published";

/// Whether the results in this directory are public.
pub fn is_published(results: &Path) -> bool {
    results.join(MARK).is_file()
}

/// Makes the results in this directory public.
///
/// # Errors
/// Errors of the disk.
pub fn publish(results: &Path) -> Result<()> {
    atomic::write_text(&results.join(MARK), "agon serve --accept shows these results to everybody.\n")
}

/// Takes them back.
///
/// # Errors
/// Errors of the disk.
pub fn withdraw(results: &Path) -> Result<()> {
    let mark = results.join(MARK);
    match fs::remove_file(&mark) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", display_path(&mark)))
        }
        _ => Ok(()),
    }
}
