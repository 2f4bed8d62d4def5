//! The help texts of the program.

use super::home::Home;

/// The subcommands that `--help` lists.
fn subcommands(home: &Home) -> Vec<String> {
    let help = home.agon(["--help"]).out();
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn help_is_complete_everywhere() {
    let home = Home::new();
    let subcommands = subcommands(&home);
    assert!(subcommands.len() >= 6, "{subcommands:?}");
    for name in &subcommands {
        let said = home.agon([name.as_str(), "--help"]);
        let help = said.out();
        assert_eq!(said.code, Some(0));
        assert!(help.contains("\nExamples:\n  agon "), "agon {name} --help has no examples\n{help}");
        assert!(!help.starts_with("Usage"), "agon {name} --help does not say what it does\n{help}");
        for (option, words) in options(&help) {
            assert!(words.len() > 3, "agon {name} --help does not explain {option}\n{help}");
        }
    }
}

/// The options and arguments of a long help, each with its description.
fn options(help: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut listing = false;
    for line in help.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if indent == 0 && !text.is_empty() {
            listing = ["Options:", "Arguments:"].contains(&text);
        } else if listing && (2..=6).contains(&indent) && text.starts_with(['-', '<', '[']) {
            // On one line, the description follows the option after two or more spaces.
            let (option, words) = text.split_once("  ").unwrap_or((text, ""));
            found.push((option.to_owned(), words.trim().to_owned()));
        } else if listing && let Some((_, words)) = found.last_mut() {
            words.push_str(text);
        }
    }
    assert!(!found.is_empty(), "{help}");
    found
}

#[test]
fn each_example_of_the_help_is_one_that_the_program_reads() {
    let home = Home::new();
    for name in subcommands(&home) {
        let help = home.agon([name.as_str(), "--help"]).out();
        let examples = help.split("Examples:\n").nth(1).unwrap();
        for line in examples.lines().take_while(|line| line.starts_with("  agon ")) {
            // The description follows two spaces; `--help` as the last word is refused like any
            // other mistake.
            let command = first_command(line.trim().split("  ").next().unwrap());
            let said = home.shell(&format!("{command} --help"));
            assert_eq!(said.code, Some(0), "{command}: {}", said.all());
        }
    }
}

/// The text before the first sign that ends a command in a shell.
fn first_command(line: &str) -> &str {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, ';' | '|' | '>' | '&') => return &line[..at],
            _ => {}
        }
    }
    line
}

#[test]
fn a_manual_page_and_completions_are_made_from_the_options() {
    let home = Home::new();
    let page = home.agon(["man"]).out();
    assert!(page.starts_with(".ie \\n(.g") || page.starts_with(".TH"), "{}", &page[..200]);
    for words in ["tournament", "skip\\-broken", "SECONDS", "concurrency"] {
        assert!(page.contains(words), "the manual page has no {words}");
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = home.agon(["completions", shell]);
        assert_eq!(said.code, Some(0));
        for words in ["tournament", "skip-broken", "dictionary"] {
            assert!(said.out().contains(words), "the completions for {shell} have no {words}");
        }
    }
    assert_eq!(home.shell("agon completions bash > agon.bash && bash -n agon.bash").code, Some(0));
}
