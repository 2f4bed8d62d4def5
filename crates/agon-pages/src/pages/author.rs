//! The pages for authors and staff of a class: what was handed in, and what became of it. No cookie
//! keeps a token, so each form of such a page carries it.

use agon_inbox::SubmissionNote;
use maud::{Markup, html};

use super::shell;

/// What an author sees.
pub struct AuthorPage<'a> {
    /// The alias.
    pub alias: &'a str,
    /// What became of the submissions.
    pub status: &'a SubmissionNote,
    /// The place of the last one in the queue, from 1.
    pub place: Option<usize>,
    /// The last lines of the log.
    pub log: &'a [String],
    /// The names of the files that may be had: `build.log`.
    pub files: &'a [&'static str],
    /// The last games that were lost by a fault, or that have a stderr.
    pub games: &'a [OwnGame],
    /// The token of the reader.
    pub token: &'a str,
}

/// A game of the author's engine.
pub struct OwnGame {
    /// The number of the run among those that are served.
    pub run: usize,
    /// The number of the game, as text.
    pub id: String,
    /// The alias of the opponent.
    pub opponent: String,
    /// The fault by which it was lost.
    pub fault: Option<String>,
    /// Whether the engine wrote something to stderr.
    pub has_stderr: bool,
}

/// A line for the staff.
pub struct StaffRow {
    /// The alias.
    pub alias: String,
    /// What became of the submissions.
    pub status: SubmissionNote,
    /// The place of the last one in the queue, from 1.
    pub place: Option<usize>,
}

/// The field of a form with the token of the reader.
fn token_field() -> Markup {
    html! {
        p { label { "Your token " input type="password" name="token" autocomplete="off" required; } }
    }
}

/// A button that posts the token and more fields.
fn button(to: &str, token: &str, fields: &[(&str, &str)], words: &str) -> Markup {
    html! {
        form method="post" action=(to) enctype="multipart/form-data" {
            input type="hidden" name="token" value=(token);
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            button { (words) }
        }
    }
}

/// The page with the form for an archive, and those that ask what became of it.
pub fn submit_page(most_bytes: u64, most_files: usize) -> String {
    let content = html! {
        form method="post" action="/submit" enctype="multipart/form-data" {
            (token_field())
            p { label { "A zip, tar or tar.gz archive of your engine "
                input type="file" name="archive" accept=".zip,.tar,.tar.gz,.tgz" required; } }
            p { button { "Submit" } }
        }
        p { "At most " (most_bytes >> 20) " MiB and " (most_files) " files and folders. The last submission counts. \
            Until it has passed its check, the one before it plays on." }
        h2 { "What became of it" }
        form method="post" action="/mine" enctype="multipart/form-data" {
            (token_field())
            p { button { "Show" } }
        }
        h2 { "Staff" }
        form method="post" action="/staff" enctype="multipart/form-data" {
            (token_field())
            p { button { "Show all" } }
        }
        h2 { "Results with a token" }
        p { "The staff sees the results before they are published, and an author the own stderr after that. The token \
            is kept in this tab alone, until the tab is closed. This needs a script." }
        form method="post" action="/mine" enctype="multipart/form-data" data-keeps="/" {
            (token_field())
            p { button { "Show the results" } }
        }
        p data-forgets hidden { button type="button" { "Forget the token of this tab" } }
    };
    shell::form("Submit", &content)
}

/// A page that says one thing.
pub fn word_page(title: &str, what: &str) -> String {
    shell::form(title, &html! { p { (what) } })
}

/// The page of an author.
pub fn author_page(page: &AuthorPage<'_>) -> String {
    let AuthorPage { alias, status, place, log, files, games, token } = page;
    let content = html! {
        @if let Some(place) = place { p { "A submission waits: it is number " (place) " in the queue." } }
        @match &status.plays {
            Some(plays) => p { "The version of " (plays.when) " plays." },
            None => p { "No version plays yet." },
        }
        (last(status))
        (button("/mine", token, &[("alias", alias)], "Show this again"))
        @for file in *files {
            (button("/mine/log", token, &[("alias", alias), ("file", file)], file))
        }
        h2 { "Games lost by a fault, and stderr" }
        @if games.is_empty() { p { "There are none." } } @else {
            table {
                thead { tr { th { "game" } th { "against" } th { "fault" } th { "stderr" } } }
                tbody { @for game in *games { tr {
                    td { (game.id) } td { (game.opponent) } td { (game.fault.as_deref().unwrap_or("")) }
                    td { @if game.has_stderr {
                        @let run = game.run.to_string();
                        (button("/mine/log", token, &[("alias", alias), ("run", &run), ("game", &game.id)], "stderr"))
                    } }
                } } }
            }
        }
        h2 { "Log" }
        pre { @for line in *log { (line) "\n" } }
    };
    shell::form(alias, &content)
}

/// What became of the last submission.
fn last(status: &SubmissionNote) -> Markup {
    html! {
        @if let Some(last) = &status.last {
            p {
                (last.archive) " of " (last.when)
                @match (&last.refused, &last.remark) {
                    (Some(why), _) => { " was rejected: " (why) },
                    (None, Some(remark)) => { " was accepted, with a remark: " (remark) },
                    (None, None) => { " was accepted." },
                }
            }
        }
    }
}

/// The page of the staff.
pub fn staff_page(rows: &[StaffRow], token: &str) -> String {
    let content = html! {
        table {
            thead { tr { th { "alias" } th { "in the queue" } th { "plays since" } th { "last submission" } th { "more" } } }
            tbody { @for row in rows { tr {
                td { (row.alias) }
                td { @if let Some(place) = row.place { (place) } }
                td { @if let Some(plays) = &row.status.plays { (plays.when) } }
                td { (last(&row.status)) }
                td { (button("/mine", token, &[("alias", &row.alias)], &format!("more of {}", row.alias))) }
            } } }
        }
        p { "agon reveal names the student of an alias." }
    };
    shell::form("All submissions", &content)
}
