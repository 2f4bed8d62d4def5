//! How the programs of a run are played, for people.

use agon_printable::clean;
use agon_store::programs::{Plays, ProgramRow};
use serde_json::{Value, json};

use super::columns::columns;

/// How many engines that are played where they lie the summary names.
const NAMED: usize = 3;

/// How many digits of a hash are shown: they can be given behind `@`.
pub const DIGITS: usize = 12;

/// The start of an engine's hash.
pub fn short(hash: &str) -> &str {
    hash.get(..DIGITS).unwrap_or(hash)
}

/// One line on the entered engines of a run; none if nothing was noted.
pub fn sentence(all: &[ProgramRow]) -> Option<String> {
    let entered = || all.iter().filter(|row| row.is_entered);
    let kept = entered().filter(|row| matches!(row.plays, Some(Plays::Kept { .. }))).count();
    let in_place: Vec<String> = entered()
        .filter_map(|row| match &row.plays {
            Some(Plays::InPlace(why)) => Some(format!("{} ({why})", clean(&row.name))),
            _ => None,
        })
        .collect();
    if kept + in_place.len() == 0 {
        return None;
    }
    let mut parts = Vec::new();
    if kept > 0 {
        parts.push(format!("{kept} played from kept copies"));
    }
    if !in_place.is_empty() {
        let more = in_place.len().saturating_sub(NAMED);
        let named = in_place[..in_place.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("{} looked at where they lie: {named}{more}", in_place.len()));
    }
    Some(format!("programs: {}", parts.join("; ")))
}

/// The table of the programs.
pub fn table(all: &[ProgramRow]) -> String {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|row| {
            let how = match &row.plays {
                None => "not noted".to_owned(),
                Some(Plays::Kept { tree, .. }) => format!("kept copy {}", clean(tree)),
                Some(Plays::InPlace(why)) => format!("looked at where it lies: {why}"),
            };
            let looked = row.looked.as_deref().map(clean).unwrap_or_default();
            let entered = if row.is_entered { "yes" } else { "" };
            let name = format!("{}@{}", clean(&row.name), clean(short(&row.hash)));
            vec![name, entered.to_owned(), how, looked]
        })
        .collect();
    columns(&["engine", "entered", "program", "last looked at"], &rows)
}

/// A program for other software.
pub fn object(row: &ProgramRow) -> Value {
    let (kept, why) = match &row.plays {
        None => (None, None),
        Some(Plays::Kept { tree, .. }) => (Some(tree), None),
        Some(Plays::InPlace(why)) => (None, Some(why.word())),
    };
    json!({
        "engine": row.name,
        "hash": row.hash,
        "entered": row.is_entered,
        "kept": kept,
        "in_place": why,
        "looked": row.looked,
    })
}
