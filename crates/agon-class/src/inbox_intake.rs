//! The intake of what `agon inbox` has worked on: what it has accepted, what waits, and what it
//! could give to nobody.

use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_inbox::Inbox;
use agon_programs::program::display_path;

use super::claim_contents::ClaimContents;
use super::claimed_files::{self, ClaimedFile};
use super::claims::IntakeClaim;
use super::handed_in::{self, PersonHint};
use super::inbox_strangers;
use super::intake_questions::IntakeQuestion;
use super::key;
use super::students::Class;
use super::written_time::{TimeSource, WrittenTime};

impl Class {
    /// The archives of the students that `agon inbox` has accepted; of a student without one the
    /// last that it has rejected. What it could give to nobody is there too, and is asked for.
    pub(super) fn claims_of_inbox(&self, folder: &Path) -> anyhow::Result<Vec<IntakeClaim>> {
        let inbox = Inbox::at(folder);
        if inbox.note().is_none() {
            let what = format!("--from-inbox {}: no agon inbox has worked in it", display_path(folder));
            return Err(Misuse::hinted(what, "give the folder of submissions that agon inbox has worked in"));
        }
        let path = self.places.private.join("key.csv");
        if !path.exists() {
            let what = format!("{}: there is none", display_path(&path));
            return Err(Misuse::hinted(what, "give the --to that agon inbox has had"));
        }
        let mut all: Vec<IntakeClaim> = Vec::new();
        let keys = key::read_key(&key::read(&path)?, &path)?;
        let aliases: Vec<String> = keys.iter().map(|known| known.alias.clone()).collect();
        for known in keys {
            let Some(student) = self.students.iter().find(|student| student.id == known.id) else {
                continue;
            };
            let status = inbox.status(&known.alias);
            let begin = format!("{}-", known.alias);
            let of_alias = |folder: PathBuf| {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let mut own: Vec<PathBuf> = entries
                    .map(|entry| entry.path())
                    .filter(|path| {
                        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin))
                    })
                    .collect();
                own.sort();
                own.pop()
            };
            let (found, when) = match of_alias(inbox.accepted()) {
                Some(path) => (path, status.plays.and_then(|plays| plays.arrived)),
                None => match of_alias(inbox.rejected()) {
                    Some(path) => (path, status.last.and_then(|last| last.arrived)),
                    None => continue,
                },
            };
            let name = found.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let shown = claimed_files::shown(&name);
            // The students of a team have one alias.
            if let Some(known) = all.iter_mut().find(|claim| claim.shown == shown) {
                known.people.push(of_id(&student.id));
                continue;
            }
            let own = name.strip_prefix(&begin).unwrap_or(&name).to_owned();
            let path = absolute(&found)?;
            all.push(IntakeClaim {
                shown,
                people: vec![of_id(&student.id)],
                of_roster: None,
                files: vec![ClaimedFile { path, name: Some(own), attachment: None }],
                is_late: false,
                time: when.map_or(WrittenTime::Missing, |when| {
                    when.parse().map_or(WrittenTime::Unread(when), WrittenTime::At)
                }),
                time_from: TimeSource::Inbox,
                left_out: None,
                doubt: None,
            });
        }
        let strangers = strangers_of_inbox(&inbox, &aliases, &all);
        all.extend(strangers);
        Ok(all)
    }

    /// What has come into the folder and was not answered. It may be newer than what is graded
    /// now.
    pub(super) fn waiting_in_inbox(
        &self,
        folder: &Path,
        tournament: &Path,
    ) -> anyhow::Result<Vec<IntakeQuestion>> {
        let inbox = Inbox::at(folder);
        let path = self.places.private.join("key.csv");
        let mut all: Vec<(PathBuf, Vec<usize>)> = Vec::new();
        for known in key::read_key(&key::read(&path)?, &path)? {
            let Some(index) = self.students.iter().position(|student| student.id == known.id) else {
                continue;
            };
            let of_alias = |path: &Path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.split('.').next() == Some(known.alias.as_str())
            };
            let uploaded = inbox.uploaded().into_iter().filter(|(path, _)| of_alias(path));
            for (path, _) in inbox.in_work(&known.alias).into_iter().chain(uploaded) {
                match all.iter_mut().find(|(other, _)| *other == path) {
                    Some((_, students)) => students.push(index),
                    None => all.push((path, vec![index])),
                }
            }
        }
        all.extend(inbox.brought().into_iter().map(|(path, _)| (path, Vec::new())));
        let command = format!(
            "agon inbox {} {} --roster {} --to {} --once",
            display_path(folder),
            display_path(tournament),
            display_path(&self.places.roster),
            display_path(&self.places.private)
        );
        let asking = self.asking();
        Ok(all.into_iter().map(|(path, about)| asking.of_waiting(&path, &command, about)).collect())
    }
}

/// What the inbox has refused because it could give it to nobody: no name in it is that of an
/// alias. The same once more, of a student who is known, is left out.
fn strangers_of_inbox(inbox: &Inbox, aliases: &[String], known: &[IntakeClaim]) -> Vec<IntakeClaim> {
    let contents = ClaimContents::default();
    let of_alias = |name: &str| {
        let is_its = |rest: &str| rest.is_empty() || rest.starts_with(['-', '.']);
        aliases.iter().any(|alias| name.strip_prefix(alias.as_str()).is_some_and(is_its))
    };
    let mut all = Vec::new();
    for (shown, path) in inbox_strangers::all(&inbox.rejected(), &of_alias) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(path) = absolute(&path) else { continue };
        let handed_in = handed_in::of_any_system(&name);
        let claim = IntakeClaim {
            shown: claimed_files::shown(&shown),
            people: handed_in.people,
            of_roster: None,
            files: vec![ClaimedFile { path, name: handed_in.file, attachment: None }],
            is_late: false,
            // It is not noted when it came.
            time: WrittenTime::Missing,
            time_from: TimeSource::Unknown,
            left_out: None,
            doubt: None,
        };
        if !known.iter().any(|other| contents.are_equal(&claim, other)) {
            all.push(claim);
        }
    }
    all
}

fn of_id(id: &str) -> PersonHint {
    PersonHint { ids: vec![id.to_owned()], ..PersonHint::default() }
}

/// The path of a file in a folder that a link may lead to. A file that is a link stays one.
fn absolute(file: &Path) -> std::io::Result<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new("/")).canonicalize()?;
    Ok(folder.join(file.file_name().unwrap_or_default()))
}
