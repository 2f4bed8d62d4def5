//! `agon reveal`, and the key file that tells the student of each alias.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_printable::{clean, escape};
use anyhow::Context;
use clap::Args;

use super::{out, settings};
use crate::aliases::Secret;
use crate::config::Misuse;
use crate::engine::program::display_path;
use crate::report::columns::columns;

/// Shows the student behind an alias
///
/// The key file is the only place where that is written. Keep it where students cannot read it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon reveal quiet-otter
  agon reveal --key grades/key.csv")]
pub(super) struct RevealArgs {
    /// The aliases; all of them if none is given
    #[arg(value_name = "ALIAS")]
    aliases: Vec<String>,

    /// The key file that `agon grade` has written
    #[arg(long, value_name = "FILE", default_value = "grades/key.csv")]
    key: PathBuf,
}

/// A line of the key file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub(super) alias: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) mail: String,
}

impl RevealArgs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let known = read(&self.key)?;
        if let Some(nobody) = self.aliases.iter().find(|alias| !known.iter().any(|one| one.alias == **alias))
        {
            let nobody = escape(nobody.as_bytes(), 60);
            return Err(Misuse::hinted(
                format!("{}: there is no alias {nobody}", display_path(&self.key)),
                "agon reveal without an alias lists all of them",
            ));
        }
        let wanted = |one: &&Known| self.aliases.is_empty() || self.aliases.contains(&one.alias);
        let rows: Vec<Vec<String>> = (known.into_iter().filter(|one| wanted(&one)))
            .map(|one| vec![one.alias, one.id, one.name, one.mail])
            .collect();
        out(&columns(&["alias", "id", "name", "mail"], &rows))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads a key file.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Known>> {
    let bytes = settings::read(path, 16 << 20, "a key file of agon grade")?;
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let wrong = |line: u64| {
        Misuse::hinted(
            format!("{}: line {line}: not a line of a key file", display_path(path)),
            "give the key file that agon grade has written",
        )
    };
    let mut known = Vec::new();
    for (line, row) in (2..).zip(reader.records()) {
        let row = row.map_err(|_| wrong(line))?;
        let cells: Vec<String> = row.iter().map(str::to_owned).collect();
        let [alias, id, name, mail] = <[String; 4]>::try_from(cells).map_err(|_| wrong(line))?;
        known.push(Known { alias, id, name, mail });
    }
    Ok(known)
}

/// The secret from which aliases are drawn. The file at `path` is made once, readable for its owner
/// alone.
pub(super) fn secret(path: &Path) -> anyhow::Result<Secret> {
    let mut secret = Secret::default();
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => fs::File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut secret))
            .and_then(|()| file.write_all(&secret))
            .and_then(|()| file.sync_all())
            .inspect_err(|_| {
                let _ = fs::remove_file(path); // half a secret is useless
            })
            .with_context(|| format!("cannot make {}", display_path(path)))?,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let bytes = settings::read(path, 4096, "the secret of agon grade")?;
            secret = bytes.try_into().map_err(|_| {
                Misuse::hinted(
                    format!("{}: not the 32 bytes that agon grade has written", display_path(path)),
                    "remove it, and new aliases are drawn from a new secret",
                )
            })?;
        }
        Err(error) => return Err(error).with_context(|| format!("cannot make {}", display_path(path))),
    }
    Ok(secret)
}

/// Writes a key file that only its owner may read.
pub(super) fn write(path: &Path, known: &[Known]) -> anyhow::Result<()> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["alias", "id", "name", "mail"])?;
    for Known { alias, id, name, mail } in known {
        out.write_record([alias, id, name, mail].map(|cell| clean(cell)))?;
    }
    let bytes = out.into_inner()?;
    let beside = path.with_extension("new");
    let written = || -> std::io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        // An older file there may be readable for others.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    written().with_context(|| format!("cannot write {}", display_path(path)))
}
