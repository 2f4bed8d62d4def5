//! Every command that a document shows is run. `commands.toml` says where: here, in another test,
//! in a script, or not at all for a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::documents::{IN_DEMO, blocks};
use super::home::{Home, programs, root};

/// The list, which stands beside this file.
const LIST: &str = include_str!("commands.toml");

/// Where the commands of each document are run: by document, then by command.
type Commands = BTreeMap<String, BTreeMap<String, String>>;

fn listed() -> Commands {
    toml::from_str(LIST).unwrap()
}

/// Every document in the repository, relative to its root.
pub(crate) fn documents() -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![root().to_owned()]);
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_ours =
                !name.starts_with('.') && !["target", "node_modules", "demo"].contains(&name.as_str());
            if path.is_dir() && is_ours && !path.is_symlink() {
                waiting.push(path);
            } else if name.ends_with(".md") {
                found.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// What a line of a document without a mark must begin with to be a command.
const PROGRAMS: [&str; 8] = ["agon", "cargo", "docker", "scripts", "ssh", "sudo", "systemd-run", "xargs"];

fn begins_like_a_command(line: &str) -> bool {
    let word = line.split([' ', '/']).next().unwrap_or_default();
    PROGRAMS.contains(&word) || line.starts_with("./")
}

/// The command in a line of a crontab.
fn of_cron(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |word: &&str| word.chars().all(|c| c.is_ascii_digit() || "*/,-".contains(c));
    (words.len() > 5 && words[..5].iter().all(is_time)).then(|| words[5..].join(" "))
}

/// The commands of a document, each in one piece, with their lines.
fn shown(document: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let examples = |block: &&_| !is_an_example(document, block);
    let mut found = Vec::new();
    for block in blocks(&text).iter().filter(examples) {
        let marked = block.text.iter().any(|line| line.starts_with("$ "));
        let lines = || (block.line + 1..).zip(block.text.iter().map(String::as_str));
        match block.language.as_str() {
            "sh" | "console" if block.text.first().is_some_and(|line| line.starts_with("#!")) => {
                found.push((block.line + 1, block.text.join("\n")));
            }
            "sh" | "console" if marked => {
                found
                    .extend(lines().filter_map(|(at, line)| Some((at, line.strip_prefix("$ ")?.to_owned()))));
            }
            "sh" | "console" => found.extend(whole(lines())),
            "" => found.extend(lines().filter_map(|(at, line)| {
                let command = of_cron(line).or_else(|| begins_like_a_command(line).then(|| line.to_owned()));
                Some((at, command?))
            })),
            _ => {}
        }
    }
    let indented = (1..).zip(text.lines()).filter_map(|(at, line)| Some((at, line.strip_prefix("    ")?)));
    let is_command = |line: &str| begins_like_a_command(line) || line.starts_with("$ ");
    found.extend(
        (indented.filter(|(_, line)| is_command(line)))
            .map(|(at, line)| (at, line.trim_start_matches("$ ").to_owned())),
    );
    found.iter_mut().for_each(|(_, command)| without_comment(command));
    found
}

/// Whether `documents.rs` runs all commands of a block and compares what they print.
fn is_an_example(document: &Path, block: &super::documents::Block) -> bool {
    let page = document.to_str().unwrap();
    if IN_DEMO.contains(&page) {
        return block.is_of_agon();
    }
    block.language == "console" && page == "engines/README.md"
}

/// Puts the lines of a block together that are one command.
pub(crate) fn whole<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (at, line) in lines {
        match found.last_mut().filter(|_| is_open) {
            Some((_, command)) => *command += &format!("\n{line}"),
            None if line.is_empty() => continue,
            None => found.push((at, line.to_owned())),
        }
        let command = &found.last().unwrap().1;
        is_open = line.ends_with('\\') || command.starts_with("for ") && line != "done";
    }
    found
}

fn without_comment(command: &mut String) {
    if let Some(at) = command.find("  #").filter(|_| !command.contains('\n')) {
        command.truncate(at);
    }
    command.truncate(command.trim_end().len());
}

/// A command as the list names it: its first line.
fn key(command: &str) -> String {
    match command.split_once('\n') {
        Some((first, _)) => format!("{} ...", first.trim_end_matches('\\').trim_end()),
        None => command.to_owned(),
    }
}

/// The sources that the tests compile.
pub(crate) fn sources() -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = ["tests", "crates", "engines"].map(|folder| root().join(folder)).into();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// The names of all tests.
fn names_of_tests() -> BTreeSet<String> {
    let after = |rest: &str| Some(rest.split_once("fn ")?.1.split_once('(')?.0.to_owned());
    let names = |text: &String| text.split("#[test]").skip(1).filter_map(after).collect::<Vec<_>>();
    sources().iter().flat_map(names).collect()
}

/// Whether a script runs this command: it names the script, or cargo with all these options.
fn runs(script: &str, command: &str) -> bool {
    let text = fs::read_to_string(root().join(script)).unwrap();
    // Variables may stand before it.
    let mut words = command[command.find("cargo ").unwrap_or(0)..].split_whitespace();
    match words.next().unwrap() {
        "cargo" if command.contains("--example") => text.contains("crates/*/README.md"),
        "cargo" => words.all(|word| text.contains(word)),
        program => text.contains(program),
    }
}

#[test]
fn the_list_says_of_every_command_in_a_document_where_it_is_run() {
    let (list, tests) = (listed(), names_of_tests());
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for document in documents() {
        let name = document.to_str().unwrap();
        for (line, command) in shown(&document) {
            let key = key(&command);
            let Some(place) = list.get(name).and_then(|commands| commands.get(&key)) else {
                wrong.push(format!("{name}:{line}: {key}: is not in tests/cli/commands.toml"));
                continue;
            };
            let is_run = match place.split_once(' ').unwrap_or((place, "")) {
                ("run", how) => ["", "anew"].contains(&how),
                ("test", test) => tests.contains(test),
                ("left-out:", why) => why.len() > 10,
                (script, "") => runs(script, &command),
                _ => false,
            };
            if !is_run {
                wrong.push(format!("{name}:{line}: {key}: {place}: there it is not run"));
            }
            seen.insert((name.to_owned(), key));
        }
    }
    for (document, commands) in &list {
        let gone = commands.keys().filter(|key| !seen.contains(&(document.clone(), (*key).clone())));
        wrong.extend(gone.map(|key| format!("{document} shows no command {key}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(seen.len() > 90, "only {} commands were found", seen.len());
}

/// The hashes that pages show: of a kept version of `mine`, and of the head of a chain.
const KEPT: &str = "1a2b3c4d";
const HEAD: &str = "0123456789abcdef0123456789abcdef";

fn kept_version(home: &Home) -> String {
    let listed = home.agon(["status", "results", "--programs"]).out();
    let row = listed.lines().find_map(|line| line.strip_prefix("mine@")).expect("mine was kept");
    row.chars().take(8).collect()
}

fn head(home: &Home) -> String {
    let said = home.agon(["standings", "results"]).out();
    said.lines().last().unwrap().rsplit(' ').next().unwrap().to_owned()
}

/// A command with the places of an installation in a home, and with hashes of the home's own run.
fn placed(home: &Home, command: &str) -> String {
    let at = |name: &str| home.path(name).display().to_string();
    let agon = programs().join("agon").display().to_string();
    let places = [
        ("/usr/local/bin/agon", agon),
        ("/opt/agon", root().display().to_string()),
        ("/srv/", at("srv/")),
        ("/backup/", at("backup/")),
    ];
    let mut text = places.iter().fold(command.to_owned(), |text, (place, ours)| text.replace(place, ours));
    if text.contains(KEPT) {
        text = text.replace(KEPT, &kept_version(home));
    }
    if text.contains(HEAD) {
        text = text.replace(HEAD, &head(home));
    }
    text
}

/// A home with what the commands of a document need.
fn prepared(document: &str) -> Home {
    let home = Home::new();
    let mover = |name: &str| {
        let text = format!(
            "command = [{:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n",
            programs().join("agon-mover")
        );
        home.put(format!("{name}/engine.toml"), text);
    };
    let link = |from: &Path, name: &str| std::os::unix::fs::symlink(from, home.path(name)).unwrap();
    let copy = |from: &str, name: &str| {
        for file in fs::read_dir(root().join(from)).unwrap().map(|entry| entry.unwrap().path()) {
            // Each has the name of its folder.
            let text = fs::read_to_string(&file).unwrap();
            let kept = text.lines().filter(|line| !line.starts_with("name = "));
            home.put(Path::new(name).join(file.file_name().unwrap()), kept.collect::<Vec<_>>().join("\n"));
        }
    };
    match document {
        "engines/README.md" => {
            home.engine("engine", "agon-greedy");
            home.engine("other", "agon-random");
            home.put("board.txt", "3 3 1\ncat\nore\nnds\n");
            home.put("words.txt", "cat\nore\n");
        }
        "docs/store.md" => {
            ["mine", "engines/one", "engines/two"].into_iter().for_each(mover);
            let run = "match mine engines/one --game mnk:3x3,3 --games 2 --seed 7 --out results --quiet";
            assert_eq!(home.agon(run.split(' ')).code, Some(0));
        }
        "docs/analysis.md" | "docs/report.md" | "docs/verify.md" => {
            // Their first round has three pairings.
            (1..=6).for_each(|number| mover(&format!("engines/{number}")));
            let run = "tournament engines --game mnk:3x3,3 --games 2 --seed 7 --out results --quiet";
            let said = home.agon(run.split(' '));
            assert_eq!(said.code, Some(0), "{}", said.all());
            home.put("game.txt", "[Game \"mnk:2x2,2\"]\n[Result \"1-0\"]\n\n1. a1 b1\n2. b2\n");
            for folder in ["path/to", "target"] {
                fs::create_dir_all(home.path(folder)).unwrap();
            }
            link(&root().join("engines"), "path/to/engines");
            link(&programs(), "target/release");
        }
        "docs/machines.md" => {
            ["engines/one", "engines/two"].into_iter().for_each(mover);
            home.put("engines/tournament.toml", "game = \"mnk:3x3,3\"\ngames = 4\n");
        }
        "README.md" | "docs/using.md" | "docs/nightly.md" | "docs/operations.md" => {
            link(&root().join("scripts"), "scripts");
            for (name, program) in [("one", "agon-greedy"), ("two", "agon-random")] {
                home.engine(format!("engines/{name}"), program);
                home.engine(format!("srv/engines/{name}"), program);
            }
            if document == "docs/operations.md" {
                fs::create_dir(home.path("backup")).unwrap();
                let run =
                    "tournament srv/engines --game letters:3x3x1 --games 2 --seed 7 --out srv/agon --quiet";
                assert_eq!(home.agon(run.split(' ')).code, Some(0));
            }
        }
        "docs/grading.md" => {
            let roster = "id,name,mail,submission\n1,Xenia Quist,x@example.org,in/one\n2,Bo Abel,b@example.org,in/two\n";
            let class = super::grading::class(roster);
            let zip = "import shutil, sys; shutil.copytree('in/one', 'all/1'); shutil.copytree('in/three', 'all/2'); \
                       shutil.make_archive('submissions', 'zip', 'all')";
            let said = class.shell(&format!("python3 -c \"{zip}\""));
            assert_eq!(said.code, Some(0), "{}", said.all());
            return class;
        }
        "docs/referee.md" | "referees/README.md" => {
            link(&root().join("referees"), "referees");
            ["alice", "bob"].into_iter().for_each(|name| copy("referees/dots/engines/greedy", name));
            for name in ["one", "two", "three"] {
                copy("referees/random-player", &format!("engines/{name}"));
            }
        }
        _ => {}
    }
    home
}

/// Those of the list with `run`, in the order of their document.
#[test]
#[ignore = "slow"]
fn the_commands_of_the_documents_do_what_they_are_shown_for() {
    let list = listed();
    for (document, commands) in &list {
        let mut home = None;
        for (line, command) in shown(Path::new(document)) {
            let place = commands.get(&key(&command)).map_or("", String::as_str);
            if !place.starts_with("run") {
                continue;
            }
            if place == "run anew" {
                home = None;
            }
            let home = home.get_or_insert_with(|| prepared(document));
            let said = home.shell(&placed(home, &command));
            assert_eq!(said.code, Some(0), "{document}:{line}: {command}\n{}", said.all());
        }
    }
}

/// The commands within a line of text: their subcommands and flags exist.
#[test]
fn the_documents_name_no_subcommand_and_no_flag_that_is_not_there() {
    let home = Home::new();
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut help = |words: &str| -> String {
        let get = || home.agon(words.split_whitespace().chain(["--help"])).out();
        helps.entry(words.to_owned()).or_insert_with(get).clone()
    };
    let top = home.agon(["help", "--all"]).out();
    let subcommands: BTreeSet<&str> =
        top.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let (mut wrong, mut flags) = (Vec::new(), 0);
    for document in documents().iter().filter(|document| !document.starts_with("CHANGELOG.md")) {
        let text = fs::read_to_string(root().join(document)).unwrap();
        // Odd parts are between backticks; a block of code is looked at by the other tests.
        let prose = text.split("```").step_by(2);
        for command in prose.flat_map(|part| part.split('`').skip(1).step_by(2)) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let ["agon", subcommand, rest @ ..] = &words[..] else { continue };
            if !subcommand.starts_with(|c: char| c.is_ascii_lowercase()) {
                continue;
            }
            if !subcommands.contains(subcommand) {
                wrong.push(format!("{}: `{command}`: there is no such subcommand", document.display()));
                continue;
            }
            // `agon export db`, and what follows `--` is another program's.
            let has_inner = ["export", "position"].contains(subcommand);
            let inner = rest.first().filter(|_| has_inner).unwrap_or(&"");
            let known = help(&format!("{subcommand} {inner}")) + &help(subcommand);
            for flag in rest.iter().take_while(|word| **word != "--").filter(|word| word.starts_with("--")) {
                let flag =
                    flag.split('=').next().unwrap().trim_end_matches(|c: char| !c.is_ascii_lowercase());
                flags += 1;
                if !known.split(|c: char| c.is_whitespace() || ",[]=".contains(c)).any(|word| word == flag) {
                    wrong.push(format!("{}: `{command}`: there is no {flag}", document.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(flags > 40, "only {flags} flags were found");
}
