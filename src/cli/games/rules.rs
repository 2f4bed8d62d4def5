//! `agon rules`: lists the games, and describes the rules of one.

use std::process::ExitCode;

use agon_config::{GameArg, Misuse, Options};
use agon_export::json;
use agon_games::{Entry, GAMES};
use agon_match::hosted::{GameFolder, HostedRules, Values};
use agon_pages::report::terminal::TableLook;
use agon_tournament::competition::settings;
use clap::Args;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

/// The most columns of text.
const WIDEST: usize = 100;

/// Lists the games, or explains the rules of one
///
/// It also explains the notation and the options of the game.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon rules
  agon rules abalone
  agon rules ./kuhn
  agon rules --json | jq -r .name
  agon rules morris:nine")]
pub(crate) struct RulesArgs {
    /// The game, with or without options; or the folder of a game with a referee program
    game: Option<String>,

    /// Writes the games, or the one, as JSON, an object a line
    #[arg(long)]
    json: bool,
}

impl RulesArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let width = TableLook::of(&std::io::stdout()).width.map_or(80, usize::from).clamp(40, WIDEST);
        let text = match &self.game {
            _ if self.json => self.lines()?,
            None => GAMES
                .iter()
                .map(|entry| {
                    format!("{}: {}\n    options: {}\n", entry.name, entry.about.title, entry.options)
                })
                .collect(),
            Some(spec) => match folder(spec)? {
                Some(game) => about_folder(&game, width),
                None => about(spec, width)?,
            },
        };
        crate::cli::out_bytes(text.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

impl RulesArgs {
    fn lines(&self) -> anyhow::Result<String> {
        if let Some(game) = self.game.as_deref().map(folder).transpose()?.flatten() {
            return Ok(json::line(&folder_object(&game)) + "\n");
        }
        let wanted = self.game.as_deref().map(entry).transpose()?;
        let is_wanted = |entry: &&Entry| wanted.is_none_or(|wanted| wanted.name == entry.name);
        let line = |entry: &Entry| {
            let about = entry.about;
            let object = json!({
                "name": entry.name,
                "title": about.title,
                "options": entry.options,
                "rules": about.rules,
                "moves": about.moves,
                "score": about.score,
                "position": about.position,
            });
            json::line(&object) + "\n"
        };
        Ok(GAMES.iter().filter(is_wanted).map(line).collect())
    }
}

fn entry(spec: &str) -> anyhow::Result<&'static Entry> {
    agon_games::entry(spec).map_err(|error| match settings::folder_named(spec) {
        Some(hint) => Misuse::hinted(format!("agon rules: {error}"), hint),
        None => Misuse::misread("agon rules", &error.to_string()),
    })
}

/// The game of a referee program, if the folder of one is named.
fn folder(spec: &str) -> anyhow::Result<Option<HostedRules>> {
    let game = GameArg::from(spec);
    if game.folder().is_none() {
        return Ok(None);
    }
    HostedRules::find(&game, None).map(Some)
}

fn folder_object(game: &HostedRules) -> serde_json::Value {
    let folder = &game.folder;
    let options: Vec<_> = folder
        .options
        .iter()
        .map(|(name, option)| {
            json!({
                "name": name,
                "values": values(&option.values),
                "default": option.default,
                "about": option.about,
            })
        })
        .collect();
    json!({
        "name": folder.name,
        "title": folder.title,
        "options": options,
        "rules": folder.rules,
        "moves": folder.moves,
        "score": score(folder),
        "seats": [folder.seats.start(), folder.seats.end()],
    })
}

fn about_folder(game: &HostedRules, width: usize) -> String {
    let folder = &game.folder;
    let (least, most) = (folder.seats.start(), folder.seats.end());
    let mut seats = if least == most { most.to_string() } else { format!("{least} to {most}, by --seats") };
    if !folder.seat_names.is_empty() {
        seats.push_str(&format!(": {}", folder.seat_names.join(", ")));
    }
    let or_none = |text: &str| {
        if text.is_empty() { "game.toml says nothing of it".to_owned() } else { text.to_owned() }
    };
    let mut out = format!("{}\n", folder.title);
    for (head, text) in [
        ("Rules", or_none(&folder.rules)),
        ("Moves", or_none(&folder.moves)),
        ("Score and result", score(folder)),
        ("Seats", seats),
    ] {
        out.push_str(&format!("\n{head}\n{}", folded(&text, width)));
    }
    if let Some(time) = &folder.time {
        out.push_str(&format!("\nTime\n{}", folded(&format!("{time}, unless the run has another"), width)));
    }
    out.push_str("\nOptions\n");
    if folder.options.is_empty() {
        out.push_str("  none\n");
    }
    for (name, option) in &folder.options {
        let about = if option.about.is_empty() { String::new() } else { format!("; {}", option.about) };
        let (value, values) = (value_name(&option.values), values(&option.values));
        out.push_str(&folded(
            &format!("{name}={value}: {values}{about} [default: {}]", option.default),
            width,
        ));
    }
    out
}

fn score(folder: &GameFolder) -> String {
    let places =
        if folder.draws { "equal scores share a place" } else { "no two seats share the first place" };
    if folder.sum {
        format!("The scores are amounts, and are added up over the games. The highest wins; {places}.")
    } else {
        format!("The highest score wins; {places}.")
    }
}

/// What stands for the value of an option.
fn value_name(values: &Values) -> &'static str {
    match values {
        Values::Integer(..) | Values::Number(..) => "N",
        Values::Choice(_) => "WORD",
        Values::Flag => "yes|no",
        Values::Text => "TEXT",
    }
}

/// The values of an option, in words.
fn values(values: &Values) -> String {
    match values {
        Values::Choice(choices) => choices.join(", "),
        Values::Flag => "a flag".to_owned(),
        Values::Text => "a text without spaces and commas".to_owned(),
        bounded => bounded.range(),
    }
}

fn about(spec: &str, width: usize) -> anyhow::Result<String> {
    let entry = entry(spec)?;
    let rules = settings::built_in(&Options { game: Some(spec.into()), ..Options::default() })?;
    let about = entry.about;
    let options = format!("--game {}[:OPTIONS], where OPTIONS are {}", entry.name, entry.options);
    let case = match entry.name {
        // bxc3 is a move of a pawn, and Bxc3 of a bishop.
        "chess" => {
            "Case makes no difference in moves of UCI and in side letters; in the algebraic notation it does."
        }
        _ => "Case makes no difference, in moves and side letters alike.",
    };
    let moves = format!("{} {case} No number begins with a 0 but 0 itself.", about.moves);
    let seats = format!("{}, in order of play", rules.seats().join(" and "));
    let mut out = format!("{}\n", about.title);
    for (head, text) in [
        ("Rules", about.rules),
        ("Moves", moves.as_str()),
        ("Score and result", about.score),
        ("Seats", seats.as_str()),
        ("Options", options.as_str()),
        ("Position", about.position),
    ] {
        out.push_str(&format!("\n{head}\n{}", folded(text, width)));
    }
    // Not wrapped, so that it can be copied.
    out.push_str(&format!("  {}\n", rules.start(1).text()));
    Ok(out)
}

/// The text in lines of at most this width on a terminal, if its words allow it, indented by two.
fn folded(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = String::from(" ");
    for word in text.split_whitespace() {
        if line.width() + 1 + word.width() > width && line.len() > 1 {
            out.push_str(&line);
            out.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(word);
    }
    out + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn text_is_folded_between_words() {
        assert_eq!(folded("one two three", 9), "  one two\n  three\n");
        assert_eq!(folded("国際 国際 e\u{301}e\u{301}", 9), "  国際\n  国際 e\u{301}e\u{301}\n");
        assert_eq!(folded("one-word-that-is-too-long here", 9), "  one-word-that-is-too-long\n  here\n");
    }
}
