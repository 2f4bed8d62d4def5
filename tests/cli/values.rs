//! Values on the pages of a report and of a server, against `agon analyse`.

use serde_json::Value;

use super::home::{Home, programs};
use super::serve::Served;

#[track_caller]
fn agon(home: &Home, words: &str) -> String {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}\n{}", said.all());
    said.out()
}

/// A run of two engines that play any move.
fn played(options: &str) -> Home {
    let home = Home::new();
    let home = if options.contains("morris") { home.with_morris_solved() } else { home };
    let program = programs().join("agon-mover");
    for name in ["one", "two"] {
        let args = "[\"{game}\", \"{side}\", \"{control}\", \"{position}\"]";
        home.put(format!("{name}/engine.toml"), format!("command = [{program:?}]\nargs = {args}\n"));
    }
    agon(&home, &format!("match one two --st 5 --seed 3 --out run --quiet {options}"));
    home
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The text of the page of a game, and how often something is on it.
fn page(home: &Home, id: &str) -> (String, impl Fn(&str) -> usize) {
    let text = home.read(&format!("pages/game/{id}.html"));
    let counted = text.clone();
    (text, move |words: &str| counted.matches(words).count())
}

#[test]
#[ignore = "slow"]
fn a_replay_shows_the_value_of_each_position_and_what_each_move_did() {
    let home = played("--game morris --games 4");
    agon(&home, "report run --out pages");
    let games = lines(&agon(&home, "analyse run --json"));
    assert_eq!(games.len(), 4);
    for game in &games {
        let (text, count) = page(&home, game["id"].as_str().unwrap());
        let plies = game["plies"].as_array().unwrap();
        let of = |quality: &str| plies.iter().filter(|ply| ply["quality"] == quality).count();
        assert_eq!(count("<b class=\"mark blunder\">blunder</b>"), of("blunder"), "{}", game["id"]);
        assert_eq!(count("<b class=\"mark\">slip</b>"), of("slip"));
        assert!(
            count("unknown</td>") == 0 && count("figure class=\"scores values\"") == 1,
            "each position is known"
        );
        // What should have been played, with the plies to the end.
        for ply in plies.iter().filter(|ply| ply["quality"] == "blunder") {
            let (value, plies) = (ply["before"]["value"].as_str().unwrap(), &ply["before"]["remoteness"]);
            let plies = plies.as_u64().map(|plies| format!(" in {plies}")).unwrap_or_default();
            let better = format!("<td>{}: {value}{plies}</td>", ply["best"].as_str().unwrap());
            assert!(text.contains(&better), "{better}");
        }
        // The strip says the same in words, for those who do not see it.
        let start = plies[0]["before"]["value"].as_str().unwrap();
        let words = format!("aria-label=\"Values for X. Plies 0 to {} {start}", start_of_change(plies) - 1);
        assert!(text.contains(&words) || start_of_change(plies) == 1, "{words}");
        assert!(text.contains("Next blunder</button>"));
    }
    // The page of an engine has the sums, and leads to the ply.
    for engine in lines(&agon(&home, "analyse run --engines --json")) {
        let text = home.read(&format!("pages/engine/{}.html", engine["engine"].as_str().unwrap()));
        let thrown = format!("<dt>games thrown away</dt><dd>{}</dd>", engine["thrown_away"]);
        let perfect = format!("<dt>perfect moves</dt><dd>{} of {}, ", engine["perfect"], engine["known"]);
        assert!(text.contains(&thrown) && text.contains(&perfect), "{thrown} {perfect}");
        assert_eq!(engine["thrown_away"], text.matches("#ply=").count(), "{engine}");
    }
    // A server that writes nothing reads the same table.
    let served = Served::of(&home, &["run"]);
    let (text, _) = page(&home, games[0]["id"].as_str().unwrap());
    let own = served.get(&format!("/game/{}.html", games[0]["id"].as_str().unwrap())).text();
    let strip = |text: &str| text.split("figure").nth(1).unwrap_or_default().to_owned();
    assert!(!strip(&text).is_empty() && strip(&own) == strip(&text));
    assert!(served.get("/engine/one.html").text().contains("<dt>games thrown away</dt>"));
}

/// The first ply, from 1, after which the value is another one.
fn start_of_change(plies: &[Value]) -> usize {
    plies.iter().position(|ply| ply["quality"] == "blunder").unwrap_or(plies.len()) + 1
}

#[test]
fn a_value_that_a_small_search_does_not_find_is_unknown_on_the_page() {
    let home = played("--game connect4 --games 2");
    agon(&home, "report run --out pages");
    let (text, count) = page(&home, "r01-p0001-g01");
    assert!(count("<td>unknown</td>") > 0 && text.contains(" unknown, "), "the middle of the game");
    assert!(count(" has won</td>") == 1, "its end is known");
    agon(&home, "report run --out pages --positions 0");
    let (_, count) = page(&home, "r01-p0001-g01");
    assert_eq!(count("unknown") + count("Next blunder"), 0, "nothing is searched for");
}

#[test]
fn hidden_results_hide_the_values_too() {
    let home = played("--game mnk:3x3,3 --games 2");
    agon(&home, "report run --out pages --hide-results");
    let (_, count) = page(&home, "r01-p0001-g01");
    assert_eq!(count("blunder") + count("Values for"), 0);
    assert!(!home.read("pages/engine/one.html").contains("thrown away"));
}

/// Mill is not solved near its start, and a search of a few plies proves what it can.
#[test]
fn a_search_proves_missed_wins_and_blocks_where_nothing_is_solved() {
    let home = Home::new();
    let record = |game: &str, result: &str, moves: &str| {
        format!("[White \"ball\"]\n[Black \"drop\"]\n[Result \"{result}\"]\n[Game \"{game}\"]\n\n{moves}\n")
    };
    home.put("mill.txt", record("mill", "0-1", "1. 11 22 2. 11 22 3. 11 22 4. 12 22 0-1"));
    let said = home.agon("analyse mill.txt --depth 3".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let out = said.out();
    let row = |ply: &str| out.lines().find(|line| line.starts_with(ply)).unwrap_or_default().to_owned();
    assert!(row("6 ").contains("did not stop a win at once") && row("6 ").contains("W,11"), "{out}");
    assert!(row("7 ").contains("missed a win at once") && row("7 ").ends_with("W,11"), "{out}");
    assert!(
        out.contains("the last moment when ball could save the game, to depth 3: ply 7, W,11 and not W,12"),
        "{out}"
    );
    // Nothing of abalone is solved at all.
    home.put("abalone.txt", record("abalone", "*", "1. g3-f3 c3-d3 *"));
    let said = home.agon("analyse abalone.txt --depth 3 --positions 20000".split(' '));
    assert!(
        said.code == Some(0) && said.out().contains("nothing is proved of its moves within 3 plies"),
        "{}",
        said.all()
    );
    let said = home.agon("analyse abalone.txt".split(' '));
    assert!(said.code == Some(2) && said.err().contains("add --depth 5"), "{}", said.all());
    let said = home.agon("analyse mill.txt --depth 0".split(' '));
    assert!(said.code == Some(2) && said.err().contains("1..=99"), "{}", said.all());
    // The best word of each move of the letter cube.
    for name in ["plain", "dull"] {
        home.engine(name, if name == "plain" { "agon-greedy" } else { "agon-random" });
    }
    let said = home
        .agon("match plain dull --game letters:3x3x2 --games 2 --st 5 --seed 3 --out run --quiet".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon("analyse run --depth 1".split(' '));
    assert!(said.code == Some(0) && said.out().contains(" were there"), "{}", said.all());
    assert!(
        said.out().lines().all(|line| !line.contains("plain") || !line.contains(" were there")),
        "{}",
        said.out()
    );
}
