//! The documents are true: the examples of README.md and docs/using.md are run, and docs/events.md
//! names every key.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::home::{Home, programs, root};

/// One command of a document with its printed output.
struct Example {
    line: usize,
    command: String,
    code: i32,
    printed: Vec<String>,
}

/// A block of a document: its language, its line, its text, and the comment directly before it.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) line: usize,
    pub(crate) text: Vec<String>,
    note: String,
}

pub(crate) fn blocks(document: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside = false;
    let mut note = String::new();
    for (number, line) in (1..).zip(document.lines()) {
        match line.trim_start().strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(language) => {
                inside = true;
                let note = std::mem::take(&mut note);
                found.push(Block { language: language.to_owned(), line: number, text: Vec::new(), note });
            }
            None if inside => found.last_mut().unwrap().text.push(line.to_owned()),
            None => note = line.trim_start_matches("<!-- ").trim_end_matches(" -->").to_owned(),
        }
    }
    found
}

/// The commands of a block with what they print: in a `console` block each after `$ `, in a `sh`
/// block each line. `<!-- exit 1 -->` before the block is their exit code.
fn examples(block: &Block) -> Vec<Example> {
    let code = block.notes().find_map(|note| note.strip_prefix("exit "));
    let code = code.map_or(0, |code| code.parse().unwrap());
    let lines = || (block.line + 1..).zip(block.text.iter().map(String::as_str));
    let example = |line, command: String| Example { line, command, code, printed: Vec::new() };
    if block.language == "sh" {
        return super::commands::whole(lines()).into_iter().map(|(line, text)| example(line, text)).collect();
    }
    let mut found: Vec<Example> = Vec::new();
    for (number, line) in lines() {
        match line.strip_prefix("$ ") {
            Some(command) => found.push(example(number, command.to_owned())),
            None => found.last_mut().expect("a block begins with a command").printed.push(line.to_owned()),
        }
    }
    found
}

impl Block {
    fn notes(&self) -> impl Iterator<Item = &str> {
        self.note.split("; ")
    }

    /// Whether its commands are agon's, so that its page is run as a whole.
    pub(crate) fn is_of_agon(&self) -> bool {
        let first = self.text.first().map_or("", String::as_str);
        match self.language.as_str() {
            "sh" => self.text.iter().all(|line| line.starts_with("agon ")),
            "console" => first.starts_with("$ agon"),
            _ => false,
        }
    }
}

/// The words for a time, after its number.
const UNITS: [&str; 6] = ["ms", "s", "second", "seconds", "minute", "minutes"];

/// A line in its form for comparison: without times, with paths as their last parts, and with gaps
/// of one width. With `vary`, all numbers are equal.
fn stable(line: &str, vary: bool) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |at: usize| {
        let next =
            words.get(at + 1).map_or("", |next| next.trim_end_matches(|c: char| !c.is_ascii_lowercase()));
        UNITS.contains(&next)
    };
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let word = match word.rsplit_once('/') {
            Some((before, last)) if word.starts_with('/') && !before.is_empty() => last,
            _ => word,
        };
        let mut number = false;
        for letter in word.chars() {
            let is_digit = letter.is_ascii_digit() || number && letter == '.' && is_time(at);
            if !is_digit || !vary && !is_time(at) {
                out.push(letter);
            } else if !number {
                out.push('0');
            }
            number = is_digit;
        }
        out.push(' ');
    }
    out.trim_end().to_owned()
}

/// The lines of README.md, so that it is read.
const MOST_LINES: usize = 200;

#[test]
fn the_readme_is_short_and_every_page_stands_in_the_order_of_reading() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= MOST_LINES, "README.md has {} lines", readme.lines().count());
    let order = fs::read_to_string(root().join("docs/README.md")).unwrap();
    for page in fs::read_dir(root().join("docs")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        let is_listed = name == "README.md" || order.contains(&format!("]({name})"));
        assert!(is_listed || !name.ends_with(".md"), "docs/README.md does not list {name}");
    }
}

#[test]
fn the_examples_of_the_readme_do_what_it_says() {
    run_examples("README.md", 8);
}

#[test]
fn the_examples_of_the_page_about_using_agon_do_what_it_says() {
    run_examples("docs/using.md", 20);
}

/// The pages whose examples run in `demo`, in their order.
pub(crate) const IN_DEMO: [&str; 2] = ["README.md", "docs/using.md"];

/// Runs the examples of a page in the folder that `scripts/demo` makes, with the run that it leaves
/// there, and compares what they print. There are at least so many.
fn run_examples(page: &str, least: usize) {
    assert!(IN_DEMO.contains(&page));
    let home = Home::new().with_morris_solved();
    let script = root().join("scripts/sample-engines");
    assert!(Command::new(script).arg(programs()).arg(home.path("demo")).status().unwrap().success());
    std::os::unix::fs::symlink(root().join("referees"), home.path("referees")).unwrap();
    let in_demo = |command: &str| home.shell(&format!("cd demo && {command}"));
    let demo = in_demo("agon tournament engines --games 2 --st 1 --game letters:3x3x1 --seed 1998 --quiet");
    assert_eq!(demo.code, Some(0), "{}", demo.all());
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut commands = 0;
    for block in blocks(&text) {
        if let Some(name) = block.notes().find_map(|note| note.strip_prefix("file ")) {
            home.put(format!("demo/{name}"), block.text.join("\n") + "\n");
        }
        if !block.is_of_agon() {
            continue;
        }
        let vary = block.notes().any(|note| note == "numbers vary");
        for example in examples(&block) {
            commands += 1;
            let Example { line, command, code, printed } = example;
            let said = in_demo(&command);
            assert_eq!(said.code, Some(code), "{page}:{line}: {command}\n{}", said.all());
            let all: Vec<String> =
                (said.out() + &said.err()).lines().map(|line| stable(line, vary)).collect();
            for wanted in printed.iter().filter(|wanted| *wanted != "..." && !wanted.is_empty()) {
                let there = match wanted.strip_suffix(" ...") {
                    Some(beginning) => all.iter().any(|line| line.starts_with(&stable(beginning, vary))),
                    None => all.contains(&stable(wanted, vary)),
                };
                assert!(there, "{page}:{line}: {command} does not print\n{wanted}\nbut\n{}", said.all());
            }
        }
    }
    assert!(commands >= least, "only {commands} commands were found in {page}");
}

#[test]
fn a_line_is_compared_without_its_times_and_with_its_other_numbers() {
    let line = "game  1 took 1.805 ms, and 12 seconds; 38 files in /home/you/results";
    assert_eq!(stable(line, false), "game 1 took 0 ms, and 0 seconds; 38 files in results");
    assert_eq!(stable(line, true), "game 0 took 0 ms, and 0 seconds; 0 files in results");
}

/// What a page shows as Rust stands in a source, so that the compiler has seen it.
#[test]
fn the_rust_of_the_documents_is_compiled() {
    let sources = super::commands::sources();
    let mut lines = 0;
    for page in super::commands::documents() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for block in blocks(&text).iter().filter(|block| block.language == "rust") {
            for line in block.text.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
                lines += 1;
                let is_there = sources.iter().any(|source| source.lines().any(|other| other.trim() == line));
                assert!(is_there, "{}:{}: no source has the line {line}", page.display(), block.line);
            }
        }
    }
    assert!(lines >= 2, "only {lines} lines of Rust were found");
}

/// What a page shows as TOML is read by agon: as a `tournament.toml`, an `engine.toml` or a
/// `game.toml`, or as a part of one.
#[test]
fn the_toml_of_the_documents_is_what_agon_reads() {
    let home = Home::new();
    home.put("engine/data/book", "");
    for name in ["score-four", "four", "tic-tac-toe", "pbrain-rapfi"] {
        home.put_program(format!("engine/{name}"), "#!/bin/sh\n");
    }
    for name in ["engine/plain.py", "engine/bot.py", "engine/mine.py", "game/kuhn.py"] {
        home.put(name, "");
    }
    let engine = |before: &str, toml: &str| {
        home.put("engine/engine.toml", format!("{before}{toml}"));
        let read = agon_programs::spec::EngineSpec::at(&home.path("engine")).map(|_| ());
        // The program that it names need not be here.
        read.or_else(|why| if why.contains("is not on this machine") { Ok(()) } else { Err(why) })
    };
    let tournament = |toml: &str| agon_config::TournamentFile::parse(toml, Path::new("tournament.toml"));
    let mut seen = 0;
    // A page of adapters shows alternatives in one block.
    let is_of_adapters = |page: &Path| page.starts_with("referees/adapters");
    for page in super::commands::documents().into_iter().filter(|page| !is_of_adapters(page)) {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for block in blocks(&text).iter().filter(|block| block.language == "toml") {
            seen += 1;
            let toml = block.text.join("\n") + "\n";
            home.put("game/game.toml", &toml);
            let game = agon_config::GameArg::in_folder(&home.path("game"), "");
            let of_game = || agon_match::hosted::HostedRules::find(&game, None).err().map(|e| e.to_string());
            let whole = of_game();
            home.put(
                "game/game.toml",
                format!("name = \"part\"\ncommand = [\"python3\", \"kuhn.py\"]\n{toml}"),
            );
            // Of a part, what must stand before it is not shown.
            let command = "command = [\"python3\"]\n";
            let wrong = [
                tournament(&toml).err().map(|error| error.to_string()),
                engine("", &toml).err(),
                engine(command, &toml).err(),
                engine(&format!("{command}protocol = \"ugi\"\n"), &toml).err(),
                whole,
                of_game(),
            ];
            let is_read = wrong.iter().any(Option::is_none) || toml.starts_with("[gtp]\n");
            assert!(is_read, "{}:{}: agon reads it as nothing: {wrong:#?}", page.display(), block.line);
        }
    }
    assert!(seen > 20, "only {seen} blocks were found");
}

#[test]
fn the_conversations_of_the_page_about_engines_are_what_agon_says() {
    let home = Home::new();
    for protocol in ["ugi", "gomocup"] {
        let toml = format!("command = [\"python3\"]\nprotocol = \"{protocol}\"\n");
        home.put(format!("{protocol}-engine/engine.toml"), &toml);
    }
    let page = fs::read_to_string(root().join("engines/README.md")).unwrap();
    let mut games = BTreeSet::new();
    for block in blocks(&page).iter().filter(|block| block.language == "console") {
        for Example { line, command, printed, .. } in examples(block) {
            let said = home.shell(&command);
            assert_eq!(said.code, Some(0), "engines/README.md:{line}: {}", said.all());
            let out = said.out();
            let is_line = |line: &&str| ["    >", "    <", "    ("].iter().any(|mark| line.starts_with(mark));
            let lines: Vec<&str> = out.lines().filter(is_line).collect();
            assert_eq!(lines, printed, "engines/README.md:{line}: {command}");
            games.extend(command.split(' ').nth(3).map(|game| game.split(':').next().unwrap().to_owned()));
        }
    }
    let all: BTreeSet<String> = agon_games::GAMES.iter().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(games, all, "engines/README.md has no conversation for some game");
}

#[test]
fn the_page_about_engines_names_every_placeholder() {
    let home = Home::new();
    let page = fs::read_to_string(root().join("engines/README.md")).unwrap();
    home.put("odd/engine.toml", "command = [\"python3\"]\nargs = [\"{to_move}{nothing}\"]\n");
    for game in agon_games::GAMES.iter().map(|entry| entry.name).chain(["mnk:3x3,3,first=O"]) {
        let refused = home.agon(["position", "show", game, "--as-engine", "odd"]).err();
        let known = refused.split_once("write one of ").expect("the known ones").1.split_whitespace();
        assert!(known.clone().count() >= 7, "{refused}");
        for word in known {
            assert!(page.contains(&format!("`{word}`")), "engines/README.md does not name {word} of {game}");
        }
    }
}

#[test]
fn what_the_documents_link_to_is_there() {
    let mut pages = Vec::new();
    for folder in ["", "docs", "engines"] {
        for page in fs::read_dir(root().join(folder)).unwrap() {
            let page = Path::new(folder).join(page.unwrap().file_name());
            pages.extend(Some(page).filter(|page| page.extension().is_some_and(|end| end == "md")));
        }
    }
    assert!(pages.len() > 30, "only {} pages were found", pages.len());
    let checked = |pages: &[PathBuf], folder: &Path| {
        let script = root().join("scripts/check-links");
        let said = Command::new(script).args(pages).current_dir(folder).output().unwrap();
        (said.status.code(), String::from_utf8(said.stdout).unwrap())
    };
    assert_eq!(checked(&pages, root()), (Some(0), String::new()));
    // The same script finds what is not there.
    let home = Home::new();
    let page = home.put("page.md", "[one](one.md#a), [two](two.md), [far](https://example.org/)");
    home.put("one.md", "");
    let lost = "page.md: the link two.md leads nowhere\n".to_owned();
    assert_eq!(checked(&["page.md".into()], page.parent().unwrap()), (Some(1), lost));
}

/// Every key of a value and of its parts, and every event, in the form of `docs/events.md`.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                keys(value, found);
            }
            found.extend(object.get("event").and_then(Value::as_str).map(str::to_owned));
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn the_page_about_events_names_every_event_and_every_key() {
    let home = Home::with_two();
    home.put("engines/bad/engine.toml", "command = [\"agon-stub\"]\nargs = [\"illegal\", \"{side}\"]\n");
    let words =
        "tournament engines --games 2 --game letters:3x3x1 --st 2 --seed 1 --events - --out run --quiet";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let mut found = BTreeSet::new();
    for line in said.out().lines() {
        keys(&serde_json::from_str(line).unwrap(), &mut found);
    }
    let page = fs::read_to_string(root().join("docs/events.md")).unwrap();
    let missing: Vec<&String> = found.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/events.md does not name {missing:?}");
    for event in ["run_started", "game_started", "move", "game_over", "standings", "run_over"] {
        assert!(found.contains(event), "there was no {event}");
    }
}

#[test]
fn the_example_of_frames_is_what_agon_prints() {
    let page = fs::read_to_string(root().join("docs/frames.md")).unwrap();
    let from = page.find("frames 1\nsize").expect("the page has an example");
    let example = &page[from..from + page[from..].find("```").unwrap()];
    let home = Home::new();
    home.put("game.txt", "[Game \"mnk:2x2,2\"]\n[Result \"1-0\"]\n\n1. a1 b1\n2. b2\n");
    assert_eq!(home.agon(["replay", "game.txt", "--frames"]).out(), example);
}

#[test]
fn the_page_about_files_names_every_column() {
    let home = Home::with_two();
    let said = home.agon(
        "tournament engines --games 2 --game letters:3x3x1 --st 2 --seed 1 --out run --quiet".split(' '),
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    let page = fs::read_to_string(root().join("docs/files.md")).unwrap();
    for file in ["standings.csv", "games.csv"] {
        let head = home.read(&format!("run/{file}"));
        for column in head.lines().next().unwrap().split(',') {
            // One line describes a column for each seat, or for each cause.
            let general = column.replace("first_", "SEAT_").replace("second_", "SEAT_");
            let general = match general.strip_prefix("lost_by_") {
                Some(cause) if cause != "adjudication" => "lost_by_CAUSE".to_owned(),
                _ => general,
            };
            assert!(
                page.contains(&format!("`{general}`")),
                "docs/files.md does not name {general} of {file}"
            );
        }
    }
}
