//! `agon token`: makes, lists and revokes the tokens of a class.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_class::{Class, ClassPlaces, KeyRow};
use agon_config::{Misuse, Options};
use agon_export::cells::{self, CsvCell};
use agon_inbox::{Holder, Tokens};
use agon_pages::report::columns::columns;
use agon_printable::{clean, escape};
use agon_tournament::competition::session;
use agon_tournament::competition::terminal_sink::Teller;
use chrono::Local;
use clap::Args;

use crate::cli::class::intake::table;
use crate::cli::{drawn, out, say};

/// Makes tokens with which students hand in in a browser
///
/// The students of a roster use them with agon serve --accept.
///
/// Each student without a token gets one, and the staff with --staff. A new token is printed once,
/// as CSV with the columns id, name, mail, alias and token, for a mailing. Only its SHA-256 is
/// kept, in the folder tokens of --to. A lost token is replaced by --renew. A revoked one ends at
/// once.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon token roster.csv > tokens-to-mail.csv
  agon token roster.csv --staff ada
  agon token roster.csv --list
  agon token roster.csv --renew 4711
  agon token roster.csv --revoke 4711")]
pub(crate) struct TokenArgs {
    /// The roster of the class
    #[arg(value_name = "FILE", default_value = "roster.csv")]
    roster: PathBuf,

    /// The private folder with the aliases, as of agon grade
    #[arg(long, value_name = "DIR", default_value = "grades")]
    to: PathBuf,

    /// Makes a token for a member of the staff, by any name, and for nobody else
    #[arg(long, value_name = "NAME", group = "deed")]
    staff: Option<String>,

    /// Shows who has a token, and no token
    #[arg(long, group = "deed")]
    list: bool,

    /// Revokes the tokens of this student or member of the staff
    #[arg(long, value_name = "ID|NAME", group = "deed")]
    revoke: Option<String>,

    /// Revokes the tokens of this student or member of the staff, and makes a new one
    #[arg(long, value_name = "ID|NAME", group = "deed")]
    renew: Option<String>,
}

impl TokenArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let teller = Teller::Stderr;
        let public = session::root(&Options::default()); // the results are not known here
        let places = ClassPlaces { roster: self.roster.clone(), private: self.to.clone(), public };
        let mut class = Class::read(places, &table(&self.roster, teller)?, true)?;
        class.draw_aliases(1, false)?.iter().for_each(|remark| teller.say(remark));
        let keys = class.keys();
        let mut tokens = Tokens::read(&self.to.join("tokens"))?;
        let now = Local::now().format("%Y-%m-%d %H:%M:%S").to_string();
        if self.list {
            return list(keys, &tokens);
        }
        let mut fresh = Vec::new();
        if let Some(name) = &self.staff {
            fresh.push(Holder::Staff(clean(name.trim())));
        } else if let Some(who) = self.revoke.as_ref().or(self.renew.as_ref()) {
            let holder = holder(who, keys, &tokens)?;
            let had = tokens.revoke(&holder, &now);
            if self.renew.is_some() {
                fresh.push(holder);
            } else {
                say(&format!("{}: {}", clean(who), if had { "revoked" } else { "has no token" }));
            }
        } else {
            for holder in keys.iter().map(|key| Holder::Author(key.alias.clone())) {
                // A team has one alias, and one token for all of it.
                if !tokens.has(&holder) && !fresh.contains(&holder) {
                    fresh.push(holder);
                }
            }
        }
        let mut rows = Vec::new();
        for holder in fresh {
            let token = tokens.issue(holder.clone(), &now)?;
            match &holder {
                Holder::Author(alias) => rows.extend(
                    keys.iter().filter(|key| key.alias == *alias).map(|key| row(key, &key.alias, &token)),
                ),
                Holder::Staff(name) => rows.push(row(&nobody(name), "staff", &token)),
            }
        }
        tokens.write()?;
        if self.revoke.is_some() {
            return Ok(ExitCode::SUCCESS);
        }
        if rows.is_empty() {
            say("every student has a token; --renew ID replaces one");
            return Ok(ExitCode::SUCCESS);
        }
        drawn(&cells::text_of(["id", "name", "mail", "alias", "token"], rows)?)?;
        say("the tokens are shown this once; agon keeps only their hashes");
        Ok(ExitCode::SUCCESS)
    }
}

fn nobody(name: &str) -> KeyRow {
    let [alias, id, mail] = [const { String::new() }; 3];
    KeyRow { alias, id, name: name.to_owned(), mail }
}

fn row(key: &KeyRow, alias: &str, token: &str) -> Vec<CsvCell> {
    let cells = [&key.id, &key.name, &key.mail].map(|text| CsvCell::text(text));
    cells.into_iter().chain([CsvCell::text(alias), CsvCell::exact(token)]).collect()
}

/// The student with this id, or the member of the staff with this name.
fn holder(who: &str, keys: &[KeyRow], tokens: &Tokens) -> anyhow::Result<Holder> {
    if let Some(key) = keys.iter().find(|key| key.id == who) {
        return Ok(Holder::Author(key.alias.clone()));
    }
    let staff = Holder::Staff(clean(who.trim()));
    if tokens.rows.iter().any(|row| row.holder == staff) {
        return Ok(staff);
    }
    Err(Misuse::hinted(
        format!("{}: no id of the roster, and nobody of the staff with a token", escape(who.as_bytes(), 60)),
        "agon token --list shows who has one",
    ))
}

/// Shows who has a token.
fn list(keys: &[KeyRow], tokens: &Tokens) -> anyhow::Result<ExitCode> {
    let mut rows = Vec::new();
    let state = |holder: &Holder| {
        let of = tokens.rows.iter().filter(|row| row.holder == *holder);
        match of.max_by_key(|row| (row.revoked.is_none(), row.made.clone())) {
            None => "none".to_owned(),
            Some(row) => match &row.revoked {
                Some(when) => format!("revoked {when}"),
                None => format!("made {}", row.made),
            },
        }
    };
    for key in keys {
        let state = state(&Holder::Author(key.alias.clone()));
        rows.push(vec![key.id.clone(), key.name.clone(), key.alias.clone(), state]);
    }
    let mut staff: Vec<&Holder> = tokens.rows.iter().map(|row| &row.holder).collect();
    staff.sort();
    staff.dedup();
    for holder in staff {
        if let Holder::Staff(name) = holder {
            rows.push(vec![String::new(), name.clone(), "staff".to_owned(), state(holder)]);
        }
    }
    out(&columns(&["id", "name", "alias", "token"], &rows))?;
    Ok(ExitCode::SUCCESS)
}
