//! What somebody who sees only the pages of an event can read there: who goes on, why one of equals
//! is ahead, and which points are meant.

use std::collections::HashMap;

use super::home::{Home, programs, root};

#[track_caller]
fn agon(home: &Home, words: &str) -> String {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
    said.out()
}

/// Engines that play any legal move of any game at once. Many of them come out level.
fn movers(home: &Home, folder: &str, names: &[&str]) {
    let program = programs().join("agon-mover");
    for name in names {
        home.put(
            format!("{folder}/{name}/engine.toml"),
            format!("command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n"),
        );
    }
}

/// The rows of a CSV file by the names of the columns.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

/// The text of a page without its elements.
fn text_of(page: &str) -> String {
    let main = page.split_once("<main").map_or(page, |(_, main)| main);
    let text = main.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    text.collect::<String>().replace("&lt;", "<")
}

#[test]
fn a_cup_names_its_groups_alike_and_says_who_goes_on_and_what_decided() {
    let home = Home::new();
    movers(&home, "field", &["alfa", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"]);
    home.put(
        "cup.toml",
        "engines = \"field\"\nout = \"cup\"\ngame = \"mnk:4x4,3\"\nst = 5\ngames = 2\nseed = 7\n\
         [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 2\nplay-offs = 1\n\n\
         [[stages]]\nname = \"finals\"\nformat = \"knockout\"\nplay-offs = 1\n",
    );
    agon(&home, "tournament cup.toml --quiet --no-check");
    agon(&home, "report cup --out pages");

    let stages = rows(&home.read("cup/stages.csv"));
    let first: Vec<_> = stages.iter().filter(|row| row["stage"] == "1").collect();
    let page = home.read("pages/stage-1/index.html");
    for row in &first {
        let bold = format!(">{}</a></b>", row["engine"]);
        // Winners are bold above the table too.
        let table = page.split_once("<table").unwrap().1;
        assert_eq!(table.contains(&bold), row["goes_on"] == "yes", "{row:?}\n{page}");
    }
    let text = text_of(&page);
    assert!(text.contains("The first 2 of each group go on to finals, in bold."), "{text}");
    for (number, letter) in [("1", "A"), ("2", "B")] {
        let own: Vec<&str> =
            first.iter().filter(|row| row["group"] == number).map(|row| row["engine"].as_str()).collect();
        assert_eq!(own.len(), 4, "{stages:?}");
        let block = page.split_once(&format!(">group {letter}</th>")).unwrap().1;
        let block = block.split_once("</tbody>").unwrap().0;
        assert!(own.iter().all(|name| block.contains(&format!(">{name}</a>"))), "group {letter}: {block}");
        // All four are level here, so the line names all of them and what decided.
        let told = text.split_once(&format!("group {letter}, who goes on: ")).map(|(_, told)| told);
        let told = told.unwrap_or_else(|| panic!("the tie of group {letter} is not told: {text}"));
        let sentence = told.split_once("Their order is by ").unwrap();
        assert!(own.iter().all(|name| sentence.0.contains(name)), "{}", sentence.0);
        assert!(sentence.0.contains(" have 6 points each."), "{}", sentence.0);
        let engine = home.read(&format!("pages/stage-1/engine/{}.html", own[0]));
        assert!(engine.contains(&format!(", group {letter}")), "{engine}");
        let shown = agon(&home, "standings cup --stage 1");
        let row = shown.lines().find(|line| line.contains(&format!(" {} ", own[0]))).unwrap();
        assert_eq!(row.split_whitespace().next(), Some(letter), "{shown}");
    }
    // Nor does the headline keep to itself that its winner is only first of equals.
    assert_eq!(text.matches("; first of 4 with as many points").count(), 2, "{text}");
    // A file has numbers, as its document says.
    let listed = rows(&agon(&home, "standings cup --stage 1 --csv"));
    assert!(listed.iter().all(|row| ["1", "2"].contains(&row["group"].as_str())), "{listed:?}");

    // The champion, in the cup and in its last stage, and a game of a play-off.
    let winner = rows(&home.read("cup/places.csv"))[0]["engine"].clone();
    for (file, word) in [("index.html", "Champion"), ("stage-2/index.html", "Winner")] {
        let text = text_of(&home.read(&format!("pages/{file}")));
        let said = text.split_once(&format!("{word}: {winner}, beat ")).map(|(_, said)| said);
        let said = said.unwrap_or_else(|| panic!("{file}: {text}"));
        assert!(said.split_once(" 2-2 in the final, by ").is_some_and(|(name, _)| name.len() < 12), "{said}");
    }
    let games = rows(&home.read("cup/stage-2/games.csv"));
    let last = games.last().unwrap();
    let last = text_of(&home.read(&format!("pages/stage-2/game/{}.html", last["id"])));
    assert!(last.contains("finals, final, "), "{last}");
}

#[test]
fn of_equal_points_the_number_that_decided_is_told() {
    let home = Home::new();
    // They know a share of the words. Some of them come out level, and tie-breaks separate them.
    let program = programs().join("agon-greedy");
    for (name, share) in [
        ("anna", 60),
        ("bert", 70),
        ("cleo", 80),
        ("dora", 90),
        ("emil", 100),
        ("fred", 50),
        ("gina", 75),
        ("hugo", 85),
    ] {
        let seats = "\"{side}\", \"{rows}\", \"{columns}\", \"{planes}\", \"{seconds}\"";
        home.put(
            format!("field/{name}/engine.toml"),
            format!("command = [{program:?}]\nargs = [{seats}, \"{share}\"]\n"),
        );
    }
    agon(
        &home,
        "tournament field --game letters:3x3x1 --games 2 --st 5 --seed 4 --no-check --quiet --out run",
    );
    agon(&home, "report run --out pages");
    let listed = rows(&agon(&home, "standings run --csv"));
    let page = text_of(&home.read("pages/index.html"));
    let told = page.split_once("Equal points, and what decided:").unwrap().1;
    let told = told.split_once("Games to look at").unwrap().0;
    let mut count = 0;
    for pair in listed.windows(2).filter(|pair| pair[0]["points"] == pair[1]["points"]) {
        if pair[0]["rank"] == pair[1]["rank"] {
            continue;
        }
        count += 1;
        let names = |line: &str| {
            let words: Vec<&str> = line.split([' ', ',']).collect();
            pair.iter().all(|row| words.contains(&row["engine"].as_str()))
        };
        let points = format!(" have {} points each. ", pair[0]["points"]);
        assert!(
            told.split(").").any(|line| names(line) && line.contains(&points) && line.contains(" by ")),
            "{pair:?} is not told: {told}"
        );
    }
    assert!(count > 1, "few are level: {listed:?}");
    // The numbers are those of the file.
    let wins = |row: &HashMap<String, String>| row["wins"].clone();
    for pair in listed.windows(2) {
        let said = format!(
            "{} is ahead by games won ({} to {}).",
            pair[0]["engine"],
            wins(&pair[0]),
            wins(&pair[1])
        );
        let is_by_wins = pair[0]["points"] == pair[1]["points"]
            && pair[0]["direct_encounter"] == pair[1]["direct_encounter"]
            && pair[0]["rank"] != pair[1]["rank"]
            && wins(&pair[0]) != wins(&pair[1]);
        assert_eq!(told.contains(&said), is_by_wins, "{said} {told}");
    }
    assert!(told.contains(" is ahead by games won ("), "{told}");
}

#[test]
fn points_of_the_standings_and_the_score_of_games_are_told_apart() {
    let home = Home::with_two();
    agon(
        &home,
        "match engines/greedy engines/random --game letters:3x3x1 --games 2 --st 5 --seed 7 --out words --quiet",
    );
    agon(&home, "report words --out words-pages");
    let page = home.read("words-pages/index.html");
    assert!(text_of(&page).contains(
        "Points: 2 for a win, 1 for a draw. Score: what was made within the games; it decides no place."
    ));
    assert!(page.contains(">score</th>") && page.contains("<dt>points</dt>"), "{page}");
    movers(&home, "field", &["one", "two"]);
    agon(
        &home,
        "match field/one field/two --game mnk:3x3,3 --games 2 --st 5 --points 3-1-0 --out lines --quiet",
    );
    agon(&home, "report lines --out lines-pages");
    let page = home.read("lines-pages/index.html");
    // A win is 1:0 in this game, which the wins have told.
    assert!(text_of(&page).contains("Points: 3 for a win, 1 for a draw."), "{page}");
    assert!(!page.contains(">score</th>") && !page.contains("Score:"), "{page}");
}

#[test]
fn a_position_is_offered_only_where_it_is_known() {
    let home = Home::new();
    movers(&home, "field", &["one", "two"]);
    let program = root().join("referees/random-player/random_player.py");
    for name in ["ada", "bob"] {
        home.put(format!("{name}/engine.toml"), format!("command = [\"python3\", {program:?}]\n"));
    }
    let dots = root().join("referees/dots").display().to_string();
    agon(&home, &format!("match ada bob --game {dots}:size=2 --games 2 --seed 5 --out dots --quiet"));
    agon(&home, "match field/one field/two --game mnk:3x3,3 --games 2 --st 5 --out lines --quiet");
    for (run, is_known) in [("dots", false), ("lines", true)] {
        agon(&home, &format!("report {run} --out {run}-pages"));
        let page = home.read(&format!("{run}-pages/game/r01-p0001-g01.html"));
        assert!(page.contains("Copy link to this ply"), "{page}");
        for part in ["Copy position", "class=\"position\""] {
            assert_eq!(page.contains(part), is_known, "{run}: {part}\n{page}");
        }
    }
}

#[test]
fn who_lost_by_faults_is_told_in_a_sentence() {
    let home = Home::new();
    home.engine("field/good", "agon-greedy");
    home.put("field/bad/run.sh", "exit 1\n");
    home.put("field/bad/engine.toml", "command = [\"sh\", \"{folder}/run.sh\"]\n");
    agon(
        &home,
        "tournament field --game letters:3x3x1 --games 2 --st 5 --seed 4 --no-check --quiet --out run",
    );
    agon(&home, "report run --out pages");
    let text = text_of(&home.read("pages/index.html"));
    assert!(text.contains("Lost by faults: bad 2: crash 2."), "{text}");
}
