//! A directory that holds another tournament: what goes on, what is asked on a terminal, and what
//! is refused in a script.

use std::fs;

use super::home::{Home, Said, programs, root};

const RUN: &str = "tournament engines --games 2 --st 5 --game letters:3x3x1 --seed 5 --out run";

fn agon(home: &Home, words: &str) -> Said {
    home.agon(words.split_whitespace())
}

/// A home with three engines, whose tournament is over.
fn played() -> Home {
    let home = Home::with_two();
    home.engine("engines/third", "agon-random");
    let said = agon(&home, &format!("{RUN} --quiet"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    home
}

fn count(home: &Home) -> usize {
    agon(home, "games run").out().lines().count()
}

#[test]
fn other_options_are_refused_with_what_differs_and_change_nothing() {
    let home = played();
    let before = (count(&home), home.read("run/standings.csv"));
    let cases = [
        ("--st 6", "6 games that count would become history: the time control was st=5 and is st=6"),
        ("--seed 6", "6 games that count would become history: seed was 5 and is 6"),
        ("--margin 1", "6 games that count would become history: margin was 0.02 and is 1"),
        (
            "--time third=st=6",
            "4 games that count would become history: the time control of third was st=5 and is st=6",
        ),
        (
            "--game letters:3x4x1",
            "6 games that count would become history: game was letters:3x3x1 and is letters:3x4x1",
        ),
        (
            "--game connect4",
            "6 games that count would become history: the directory holds another tournament (its game is \
             letters:3x3x1, yours is connect4)",
        ),
    ];
    for (change, why) in cases {
        let (flag, value) = change.split_once(' ').unwrap();
        let mut words: Vec<&str> = RUN.split(' ').collect();
        match words.iter().position(|word| *word == flag) {
            Some(at) => words[at + 1] = value,
            None => words.extend([flag, value]),
        }
        for dry in [&[][..], &["--dry-run"]] {
            let said = home.agon(words.iter().chain(dry));
            assert_eq!(said.code, Some(2), "{change}: {}", said.all());
            assert!(said.err().contains(&format!("error: run: {why}\n")), "{change}: {}", said.all());
            assert!(said.err().contains("--out, or add --again"), "{change}: {}", said.all());
        }
        assert_eq!((count(&home), home.read("run/standings.csv")), before, "{change}");
    }
    let again = agon(&home, &RUN.replace("--st 5", "--st 6 --again --quiet"));
    assert_eq!(again.code, Some(0), "{}", again.all());
    let said = agon(&home, "games run --all");
    assert_eq!(said.out().lines().count(), before.0 + 6, "{}", said.all());
    // Undone, the games count again, and those of the mistake are asked about.
    let back = agon(&home, RUN);
    assert_eq!(back.code, Some(2), "{}", back.all());
    let back = agon(&home, &format!("{RUN} --again"));
    assert!(back.err().contains("the older games with it count again"), "{}", back.all());
    assert_eq!((count(&home), back.code), (before.0, Some(0)));
}

#[test]
fn fewer_games_and_engines_that_are_gone_are_asked_about_and_more_of_all_is_not() {
    let home = played();
    let more = agon(&home, &RUN.replace("--games 2", "--games 4"));
    assert_eq!(more.code, Some(0), "{}", more.all());
    let fewer = agon(&home, RUN);
    assert_eq!(fewer.code, Some(2), "{}", fewer.all());
    assert!(fewer.err().contains("there were 4 games in each pairing and are 2"), "{}", fewer.all());
    let run = RUN.replace("--games 2", "--games 4");
    // Another version and a new engine.
    fs::remove_file(home.path("engines/third")).unwrap();
    home.put_program("engines/third", "#!/bin/sh\nexec agon-random \"$@\"\n");
    home.engine("engines/fourth", "agon-random");
    let said = agon(&home, &run);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("third has changed: its 3 pairings are played again"), "{}", said.all());
    fs::rename(home.path("engines/third"), home.path("third")).unwrap();
    let gone = agon(&home, &run);
    assert_eq!(gone.code, Some(2), "{}", gone.all());
    let why = "12 games that count would become history: third is no longer among the engines\n";
    assert!(gone.err().contains(why), "{}", gone.all());
    // Left out because it cannot be built, it may be back tomorrow.
    home.put("engines/third/engine.toml", "command = [\"./made\"]\nbuild = [\"false\"]\n");
    let left_out = agon(&home, &format!("{run} --skip-broken"));
    assert_eq!(left_out.code, Some(0), "{}", left_out.all());
}

#[test]
fn a_night_goes_on_with_the_engines_that_are_there_and_refuses_other_options() {
    let home = played();
    let night = RUN.replace("tournament", "nightly");
    fs::remove_file(home.path("engines/third")).unwrap();
    for options in ["", " --skip-broken=false"] {
        let said = agon(&home, &format!("{night}{options}"));
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
    let other = night.replace("--st 5", "--st 6");
    let said = agon(&home, &other);
    assert_eq!(said.code, Some(2), "{}", said.all());
    let script = format!(
        "AGON=\"{}\" \"{}\" engines run --games 2 --st 6 --game letters:3x3x1 --seed 5",
        programs().join("agon").display(),
        root().join("scripts/nightly").display()
    );
    let mail = home.shell(&script);
    assert_eq!((mail.code, mail.out().lines().count()), (Some(2), 1), "{}", mail.all());
    let line = mail.out();
    assert!(line.contains("2 games that count would become history") && line.contains("--again"), "{line}");
    let said = agon(&home, &format!("{other} --again"));
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn a_match_into_a_directory_is_asked_about_too() {
    let home = Home::with_two();
    let run = "match engines/greedy engines/random --games 2 --st 5 --game letters:3x3x1 --seed 5 --out run --quiet";
    assert_eq!(agon(&home, run).code, Some(0));
    let other = run.replace("--st 5", "--st 6");
    let refused = agon(&home, &other);
    assert_eq!(refused.code, Some(2), "{}", refused.all());
    let again = agon(&home, &format!("{other} --again"));
    assert_eq!(again.code, Some(0), "{}", again.all());
}

#[test]
fn on_a_terminal_the_answer_decides() {
    let home = played();
    let typed = |answers: &[&str]| {
        let command = RUN.replace("--st 5", "--st 6 --quiet");
        let words: Vec<String> = answers.iter().map(|word| format!("'{word}'")).collect();
        let script = root().join("tests/scripted/terminal.py");
        home.shell(&format!("python3 {:?} {} -- agon {command}", script.display(), words.join(" ")))
    };
    let before = count(&home);
    let no = typed(&["history? [y/N]", "n"]);
    assert_eq!((no.code, count(&home)), (Some(2), before), "{}", no.all());
    assert!(no.out().contains("6 games that count would become history"), "{}", no.all());
    let key = typed(&["history? [y/N]", "^C"]);
    assert_eq!(key.code, Some(130), "{}", key.all());
    let yes = typed(&["history? [y/N]", "y"]);
    assert_eq!(yes.code, Some(0), "{}", yes.all());
    let all = agon(&home, "games run --all").out().lines().count();
    assert_eq!((count(&home), all), (before, before + 6));
}
