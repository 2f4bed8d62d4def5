//! The help texts of the program.

use super::home::Home;

/// The subcommands that `agon help --all` lists, and those of `agon position`.
fn subcommands(home: &Home) -> Vec<String> {
    let help = home.agon(["help", "--all"]).out();
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()));
    let of_position = ["show", "moves", "value", "perft", "notation", "board"];
    names.map(str::to_owned).chain(of_position.map(|name| format!("position {name}"))).collect()
}

#[test]
fn help_is_complete_everywhere() {
    let home = Home::new();
    let subcommands = subcommands(&home);
    assert!(subcommands.len() >= 40, "{subcommands:?}");
    for name in &subcommands {
        let said = home.agon(name.split(' ').chain(["--help"]));
        let help = said.out();
        assert_eq!(said.code, Some(0));
        assert!(help.contains("\nExamples:\n  agon "), "agon {name} --help has no examples\n{help}");
        assert!(!help.starts_with("Usage"), "agon {name} --help does not say what it does\n{help}");
        for (option, words) in options(&help) {
            assert!(words.len() > 3, "agon {name} --help does not explain {option}\n{help}");
        }
    }
}

#[test]
fn the_help_of_a_night_has_its_own_default_and_its_exit_code() {
    let home = Home::new();
    let leaves_out = |name: &str| {
        let help = home.agon([name, "--help"]).out();
        let (_, words) =
            options(&help).into_iter().find(|(option, _)| option.contains("--skip-broken")).unwrap();
        words.contains("[default: true]")
    };
    assert!(leaves_out("nightly") && !leaves_out("tournament"));
    assert!(home.agon(["help", "--all"]).out().contains("  5  done, and a night has news"));
}

#[test]
fn the_page_of_all_commands_is_short_and_each_command_explains_itself() {
    let home = Home::new();
    let page = home.agon(["--help"]).out();
    assert_eq!((home.agon(["-h"]).out(), home.agon(["help"]).out()), (page.clone(), page.clone()));
    for heading in ["First steps", "Tournaments", "Results", "A class", "Games", "Machines"] {
        assert!(page.contains(&format!("\n{heading}:\n")), "{page}");
    }
    assert!(page.lines().count() <= 48 && !page.contains("  solve "), "{page}");
    assert!(home.agon(["help", "--all"]).out().contains("  solve "));
    assert_eq!(home.agon(["help", "match"]).out(), home.agon(["match", "--help"]).out());
    let inner = home.agon(["help", "position", "show"]).out();
    assert_eq!(inner, home.agon(["position", "show", "--help"]).out());
    assert_eq!(home.agon(["help", "mtach"]).code, Some(2));
}

#[test]
fn a_slip_gets_the_word_that_was_meant() {
    let home = Home::with_two();
    home.put("t/tournament.toml", "engines = \"../engines\"\ngmaes = 2\n");
    home.put("e/engine.toml", "comand = [\"true\"]\n");
    home.put("g/game.toml", "name = \"g\"\ncomand = [\"true\"]\n");
    for (words, meant) in [
        ("tournamnt engines", "'tournament'"),
        ("tournament engines --gmaes 2", "'--games'"),
        ("tournament engines --game abalon", "did you mean abalone?"),
        ("tournament engines --game letters:unifrom", "did you mean uniform?"),
        ("tournament engines --game morris:fliyng=yes", "did you mean flying?"),
        ("tournament t/tournament.toml", "did you mean games?"),
        ("check e", "did you mean command?"),
        ("rules ./g", "did you mean command?"),
    ] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "{words}: {}", said.all());
        assert!(said.err().contains(meant), "{words}: {}", said.all());
    }
}

#[test]
fn old_commands_work_with_a_warning_and_stand_in_no_help() {
    let home = Home::new();
    for (old, new) in [
        ("show mnk", "position show mnk"),
        ("moves mnk", "position moves mnk"),
        ("value mnk", "position value mnk"),
        ("notation mill 34", "position notation mill 34"),
        ("board --seed 3", "position board --seed 3"),
    ] {
        let (before, now) = (home.agon(old.split(' ')), home.agon(new.split(' ')));
        assert_eq!((before.code, before.out()), (Some(0), now.out()), "{old}");
        let command = old.split(' ').next().unwrap();
        let warning = format!(
            "warning: agon {command} is now agon position {command}; the old spelling works until 0.3.0\n"
        );
        assert_eq!(before.err(), warning);
        assert!(!now.err().contains("warning"), "{}", now.err());
    }
    let counted = home.agon("perft mnk 2".split(' '));
    assert!(counted.out() == "72\n" && counted.err().starts_with("warning: agon perft is now"));
    assert_eq!(home.agon("pascal-unit nothing.pas".split(' ')).code, Some(2));
    assert!(
        home.agon("pascal-unit nothing.pas".split(' ')).err().contains("agon new mill pascal --unit FILE")
    );
    let everything = home.agon(["help", "--all"]).out()
        + &home.agon(["man"]).out()
        + &home.agon(["completions", "bash"]).out();
    assert!(!everything.contains("pascal-unit") && !everything.contains("\n  show "));
}

#[test]
fn old_flags_of_the_letter_cube_play_the_same_games_with_one_line_of_warning() {
    let home = Home::with_two();
    home.put("b,1.txt", "3 3 1\ncat\nore\nnds\n");
    home.put("w.txt", "cat\nore\nnot\ntea\neat\nten\n");
    let run = "match engines/greedy engines/random --st 5 --games 2 --seed 5 --quiet";
    for (old, new) in [
        ("--size 3x3x2", "--game letters:3x3x2"),
        ("--size 3x3x2 --letters uniform", "--game letters:3x3x2,uniform"),
        ("--size 3x3x1 --dictionary w.txt", "--game letters:3x3x1,dictionary=w.txt"),
        ("--board b,1.txt", "--game letters:board=\"b,1.txt\""),
        ("--dictionary w.txt --board b,1.txt", "--game letters:dictionary=w.txt,board=\"b,1.txt\""),
    ] {
        let before = home.agon(format!("{run} {old}").split(' '));
        let now = home.agon(format!("{run} {new}").split(' '));
        assert_eq!((before.code, now.code), (Some(0), Some(0)), "{}{}", before.all(), now.all());
        assert_eq!(before.out(), now.out(), "{old}");
        let flags: Vec<&str> = old.split(' ').filter(|word| word.starts_with("--")).collect();
        let warning = format!("warning: {} is now --game ", flags.join(" "));
        let err = before.err();
        assert!(err.starts_with(&warning) && err.matches("warning").count() == 1, "{err}");
        // The spelling that it names is one that works.
        let spelled =
            err.lines().next().unwrap().split(" is now ").nth(1).unwrap().split("; the old").next().unwrap();
        let named = home.shell(&format!("agon {run} {spelled}"));
        assert_eq!(named.out(), now.out(), "{spelled}");
        assert!(!now.err().contains("warning"), "{}", now.err());
    }
    for (old, new) in [
        ("position show letters --board b,1.txt", "position show letters:board=\"b,1.txt\""),
        ("position board --size 4x4x2 --letters uniform", "position board letters:4x4x2,uniform"),
    ] {
        let (before, now) = (home.agon(old.split(' ')), home.agon(new.split(' ')));
        assert_eq!((before.code, before.out()), (Some(0), now.out()), "{}{}", before.all(), now.all());
        assert!(before.err().starts_with("warning: --") && now.err().is_empty(), "{}", before.all());
    }
    for name in ["tournament", "match", "nightly", "check", "play", "plan"] {
        let help = home.agon([name, "--help"]).out();
        for flag in ["--size ", "--letters ", "--dictionary ", "--board "] {
            assert!(!help.contains(flag), "agon {name} --help: {flag}");
        }
    }
}

#[test]
fn a_run_goes_on_whatever_spelling_it_was_made_with() {
    let home = Home::with_two();
    home.put("w,1.txt", "cat\nore\nnot\ntea\neat\nten\n");
    let file =
        |game: &str| format!("engines = \"engines\"\nst = 5\ngames = 2\nseed = 5\nout = \"run\"\n{game}");
    let spellings = [
        "size = \"3x3x1\"\nletters = \"uniform\"\ndictionary = \"w,1.txt\"\n",
        "game = \"letters:3x3x1,uniform,dictionary=\\\"w,1.txt\\\"\"\n",
        "[game]\nname = \"letters\"\ndictionary = \"w,1.txt\"\nsize = \"3x3x1\"\nletters = \"uniform\"\n",
    ];
    for (number, spelling) in spellings.iter().enumerate() {
        home.put("t.toml", file(spelling));
        let said = home.agon(["tournament", "t.toml"]);
        assert_eq!(said.code, Some(0), "{spelling}: {}", said.all());
        assert_eq!(
            said.all().contains("2 games have been played already and count"),
            number > 0,
            "{}",
            said.all()
        );
        let warned =
            said.err().matches("t.toml: line 8: keys size and letters and dictionary is now game = ").count();
        assert_eq!(warned, usize::from(number == 0), "{}", said.all());
    }
    for (game, wanted) in [
        ("[game]\nname = \"letters\"\nsiez = \"3x3x1\"\n", "key game.siez: there is no such key"),
        ("[game]\nsize = \"3x3x1\"\n", "key game.name: is missing"),
        ("[game]\nname = \"mnk\"\noptions = \"3x3\"\n", "mnk: "),
        ("game = \"letters:board=\"\n", "board= names no file"),
    ] {
        home.put("t.toml", file(game));
        let said = home.agon(["tournament", "t.toml"]);
        assert_eq!(said.code, Some(2), "{game}: {}", said.all());
        assert!(said.err().contains(wanted), "{game}: {}", said.all());
    }
}

#[test]
fn what_a_command_needs_is_in_no_group_of_options() {
    let home = Home::new();
    for (name, own) in [
        ("nightly", vec!["<FOLDER|FILE.toml>"]),
        ("plan", vec!["[FOLDER|FILE.toml]", "--missing <DIR>"]),
        ("grade", vec!["--roster <FILE>", "--to <DIR>", "--late <ID[=TIME]>"]),
    ] {
        let help = home.agon([name, "--help"]).out();
        let (before, options) = help.split_once("Common options:").unwrap();
        for own in own {
            let listed = |text: &str| text.contains(&format!("  {own}\n"));
            assert!(listed(before) && !listed(options), "{name}: {own}\n{help}");
        }
        assert!(before.contains("Arguments:\n"), "{help}");
        let limits = options.split("Limits and the machine:\n").nth(1);
        assert_eq!(limits.is_some_and(|limits| limits.contains("--memory")), name != "plan", "{help}");
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
            listing = text.ends_with(':') && !text.starts_with("Examples");
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
        let help = home.agon(name.split(' ').chain(["--help"])).out();
        let examples = help.split("Examples:\n").nth(1).unwrap();
        for line in examples.lines().take_while(|line| line.starts_with("  agon ")) {
            // The description follows two spaces; `--help` as the last word is refused like any
            // other mistake.
            let command = first_command(line.trim().split("  ").next().unwrap());
            // What follows `--` is for another program.
            let own = command.split(" -- ").next().unwrap();
            let said = home.shell(&format!("{own} --help"));
            assert_eq!(said.code, Some(0), "{command}: {}", said.all());
        }
    }
}

#[test]
fn options_stand_in_groups_the_common_ones_first_and_only_where_they_matter() {
    let home = Home::new();
    let help = |command: &str| home.agon([command, "--help"]).out();
    let tournament = help("tournament");
    let groups = ["\nCommon options:\n", "\nGames and starts:\n", "\nTime and depth:\n", "\nResults:\n"];
    let places: Vec<usize> = groups.iter().map(|group| tournament.find(group).expect(group)).collect();
    assert!(places.is_sorted(), "{tournament}");
    assert!(tournament.contains("\nLimits and the machine:\n"), "{tournament}");
    for (command, given) in
        [("check", "--tiebreaks wins"), ("play", "--points 3-1-0"), ("plan", "--memory 1G")]
    {
        let (option, value) = given.split_once(' ').unwrap();
        assert!(tournament.contains(option) && !help(command).contains(option), "agon {command} {option}");
        let accepted = home.agon([command, "nothing", option, value, "--help"]);
        assert_eq!(accepted.code, Some(0), "{}", accepted.all());
    }
}

#[test]
fn games_and_levels_complete_by_value_and_other_values_are_read_too() {
    let home = Home::with_two();
    for shell in ["bash", "zsh", "fish"] {
        let script = home.agon(["completions", shell]).out();
        for word in ["connect4", "morris", "sandbox", "strict"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let played = home.shell(
        "bash -c 'source <(agon completions bash); \
         COMP_WORDS=(agon match --game co); COMP_CWORD=3; _agon agon co --game; echo ${COMPREPLY[@]}'",
    );
    assert!(played.out().contains("connect4"), "{}", played.all());
    let spec =
        home.agon("match engines/greedy engines/random --game letters:3x3x1 --games 2 --seed 5".split(' '));
    assert_eq!(spec.code, Some(0), "{}", spec.all());
}

/// What a command shows on a terminal of 60 columns, both outputs together.
fn on_a_terminal(home: &Home, line: &str) -> String {
    let said = home.shell(&format!(
        "python3 -c \"import fcntl, os, pty, struct, sys, termios\npid, fd = pty.fork()\nif pid == 0:\n \
         fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 60, 0, 0))\n os.execvp('sh', ['sh', '-c', sys.argv[1]])\n\
         all = b''\nwhile True:\n try: part = os.read(fd, 65536)\n except OSError: break\n if not part: break\n all += part\n\
         os.waitpid(pid, 0)\nsys.stdout.buffer.write(all.replace(b'\\r', b''))\" '{line}'"
    ));
    assert_eq!(said.code, Some(0), "{}", said.all());
    said.out()
}

#[test]
fn a_narrow_terminal_gets_whole_words_and_colour_unless_it_is_refused() {
    let home = Home::with_two();
    home.put("engines/bad/engine.toml", "command = [\"false\"]\n");
    let played =
        home.agon("tournament engines --games 2 --st 5 --seed 5 --max-plies 6 --out run --quiet".split(' '));
    assert_eq!(played.code, Some(0), "{}", played.all());
    for command in
        ["games run", "history run", "match engines/nobody-of-this-name engines/greedy --game no-such-game"]
    {
        let shown = on_a_terminal(&home, &format!("NO_COLOR=1 agon {command}"));
        assert!(!shown.contains('\u{1b}'), "{shown}");
        assert!(shown.lines().count() > 1 && shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
    }
    let piped = home.agon(["games", "run"]).out();
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(joined(&on_a_terminal(&home, "agon games run")), joined(&piped), "only the breaks differ");
    assert!(on_a_terminal(&home, "agon standings nowhere").contains("\u{1b}[1;31merror:\u{1b}[0m "));
    let checked = on_a_terminal(&home, "agon check engines/bad --seed 5");
    assert!(checked.contains("\u{1b}[1;31mWRONG\u{1b}[0m "), "{checked}");
    let standings = on_a_terminal(&home, "agon standings run");
    assert!(standings.contains("\u{1b}[38;5;10m") || standings.contains("\u{1b}[32m"), "{standings:?}");
    assert!(!on_a_terminal(&home, "NO_COLOR=1 agon standings run").contains('\u{1b}'));
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
