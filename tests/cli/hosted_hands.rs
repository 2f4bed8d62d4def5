//! What hands hold: open when the run is over, and nowhere public before.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::home::Home;
use super::hosted::game;
use super::serve::{PATIENCE, Served};

/// What the hands hold, on a slot and on a panel. No page has these words by chance.
const HELD: [&str; 2] = ["\u{3b6}\u{3ba}\u{3be}", "hidden-queen"];
const GAMES: [&str; 2] = ["r01-p0001-g01", "r01-p0001-g02"];

/// Each seat holds one thing, says one word, and never shows what it holds.
fn hands(home: &Home) {
    let [card, queen] = HELD;
    game(
        home,
        "",
        &format!(
            "for line in ['size 300 400', 'slot 150 100 square a', 'panel 150 300 260 b', 'hand 1 0', 'hand 2 1',\n    \
                 'start 0=\"? 1=\"?']: out('board ' + line)\n\
             out('secret 1 hand 0=\"{card}')\nout('secret 2 hand 1=\"{queen}')\n\
             out('tell 1 hold {card}')\nout('tell 2 hold {queen}')\nout('public begins')\n\
             for seat in (1, 2):\n    \
                 ask(seat)\n    \
                 wait()\n    \
                 out(f'move {{seat}} go')\n    \
                 out(f'frame *{{seat - 1}}|seat {{seat}} goes')\n\
             out('end 1 0 : over')"
        ),
    );
}

/// An engine that keeps what it reads, and on the first seat waits for a file before it answers.
fn keeper(home: &Home, name: &str, waits: bool) {
    let (kept, go_on) = (home.path(format!("{name}.told")), home.path("go-on"));
    let until = if waits { format!("[ \"$1\" != 1 ] || [ -e {go_on:?} ]") } else { "true".to_owned() };
    home.put_program(
        format!("engines/{name}"),
        format!(
            "#!/bin/sh\nwhile read -r line; do\n    echo \"$1 $line\" >>{kept:?}\n    \
             if [ \"$line\" = '?' ]; then until {until}; do sleep 0.1; done; echo go; fi\ndone\n"
        ),
    );
}

/// What is written for people who are not the staff, each with what it is.
fn public(home: &Home) -> Vec<(String, String)> {
    let done = |words: &str| {
        let said = home.shell(&format!("agon {words}"));
        assert_eq!(said.code, Some(0), "{words}: {}", said.all());
        (words.to_owned(), said.out())
    };
    let mut found = vec![done(&format!("replay run {} --frames", GAMES[0]))];
    for (words, file) in [
        ("--for public --out pages", "pages/game/r01-p0001-g01.html"),
        ("--for public --single single.html", "single.html"),
        ("--for public --game r01-p0001-g01 --svg game.svg", "game.svg"),
    ] {
        found.push((done(&format!("report run {words}")).0, home.read(file)));
    }
    found
}

fn assert_closed(text: &str, place: &str) {
    for held in HELD {
        assert!(!text.contains(held), "{held} is in {place}: {text}");
    }
    assert!(!text.contains("secret 1 hand"), "a line of a hand is in {place}: {text}");
}

#[test]
fn what_hands_hold_is_open_when_the_run_is_over_and_nowhere_public_before() {
    let home = Home::new();
    hands(&home);
    keeper(&home, "plain", false);
    keeper(&home, "waits", true);
    let mut run = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args("match engines/plain engines/waits --game ./game --games 2 --seed 7 --st 500".split(' '))
        .args("--concurrency 1 --isolation none --out run --quiet --events events".split(' '))
        .current_dir(home.path(""))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let since = Instant::now();
    // The second game waits for its first move, behind its secrets.
    let live = || fs::read_to_string(home.path("run/live.json")).unwrap_or_default();
    while !(live().contains(GAMES[1]) && live().contains("begins")) {
        assert!(run.try_wait().unwrap().is_none(), "the run has ended");
        assert!(since.elapsed() < PATIENCE, "the second game does not begin: {}", live());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_closed(&live(), "live.json");
    let served = Served::of(&home, &["run", "--for", "public"]);
    let first = format!("/game/{}.html", GAMES[0]);
    let page = served.wait_for(&first, |answer| answer.status == 200).text();
    assert!(page.contains("class=\"hands\""), "the board has no hands: {page}");
    assert_closed(&page, &first);
    assert_closed(
        &served.wait_for("/live.html", |answer| answer.text().contains(GAMES[1])).text(),
        "/live.html",
    );
    let before = public(&home);
    before.iter().for_each(|(place, text)| assert_closed(text, place));
    let painted = || {
        let said = home.shell(&format!("agon report run --for public --game {} --gif game.gif", GAMES[0]));
        assert_eq!(said.code, Some(0), "{}", said.all());
        fs::read(home.path("game.gif")).unwrap()
    };
    let closed = painted();
    let said = home.shell(&format!("agon replay run {} --frames", GAMES[0]));
    assert!(said.all().contains("note: what hands hold is not in these frames"), "{}", said.all());
    // The staff may see it.
    let staff = home.shell("agon report run --out staff --for staff");
    assert!(
        staff.code == Some(0) && home.read(&format!("staff{first}")).contains(HELD[1]),
        "{}",
        staff.all()
    );

    home.put("go-on", "");
    assert!(run.wait().unwrap().success());
    // The control: then all of it is there.
    served.wait_for(&first, |answer| HELD.iter().all(|held| answer.text().contains(held)));
    for (place, text) in public(&home) {
        for held in HELD {
            assert!(text.contains(held), "{held} is not in {place}: {text}");
        }
    }
    assert!(painted() != closed, "the hands are not in the GIF");
    // Events and records are as before, and an engine knows its own hand alone.
    assert_closed(&home.read("events"), "the events");
    assert_closed(&home.read("run/games/r01.txt"), "the record");
    for name in ["plain", "waits"] {
        let told = home.read(&format!("{name}.told"));
        for (seat, [own, other]) in [(1, HELD), (2, [HELD[1], HELD[0]])] {
            let lines: Vec<&str> = told.lines().filter(|line| line.starts_with(&seat.to_string())).collect();
            let knows = |held: &str| lines.iter().any(|line| line.contains(held));
            assert!(knows(own) && !knows(other), "{name}, seat {seat}: {told}");
        }
    }
}
