//! What a report of a directory has, and for whom it is.

use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_pages::pages::{self, Audience, ReportPart};
use agon_printable::clean;
use agon_store::Store;

use super::looked::{self, LookedRun};

/// The usual limit of a search for one value, in positions: a report of 2000 games takes little
/// longer with it.
pub const POSITIONS: u64 = 300;

/// The name of the report of a directory, and the runs in it.
pub fn parts(directory: &Path, stage: Option<usize>) -> anyhow::Result<(String, Vec<ReportPart>)> {
    let runs = looked::runs(directory, stage)?;
    let site = pages::site_name(directory);
    if let [LookedRun { number: None, .. }] = &runs[..]
        && !Store::is_in(directory)
    {
        let apart = Store::below(directory);
        if !apart.is_empty() {
            return Ok((site, apart_from_each_other(apart)));
        }
    }
    let part = |run: &LookedRun| {
        let name = run.number.and_then(|_| run.path.file_name());
        Ok(ReportPart {
            path: run.path.clone(),
            name: name.map(|name| name.to_string_lossy().into_owned()),
            title: run.title()?.map_or_else(|| site.clone(), |title| clean(&title)),
        })
    };
    let parts = runs.iter().map(part).collect::<anyhow::Result<_>>()?;
    Ok((site, parts))
}

/// The runs of a folder that have nothing to do with each other, under the names of their
/// directories.
fn apart_from_each_other(runs: Vec<PathBuf>) -> Vec<ReportPart> {
    let titles: Vec<String> = runs.iter().map(|path| pages::site_name(path)).collect();
    let names = pages::run_names(&titles);
    let named = runs.into_iter().zip(titles).zip(names);
    named.map(|((path, title), name)| ReportPart { path, name: Some(name), title }).collect()
}

/// Who will read the pages. A name must be that of an engine, so that a typing error does not show
/// somebody the wrong page.
pub fn audience(asked: &str, parts: &[ReportPart]) -> anyhow::Result<Audience> {
    match asked {
        "public" => return Ok(Audience::Public),
        "staff" => return Ok(Audience::Staff),
        _ => {}
    }
    for part in parts {
        if Store::read(&part.path)?.names()?.iter().any(|name| name == asked) {
            return Ok(Audience::Engine(asked.to_owned()));
        }
    }
    Err(Misuse::hinted(
        format!("--for {}: no engine has this name", clean(asked)),
        "write public, staff, or the name of an engine as agon standings shows it",
    ))
}
