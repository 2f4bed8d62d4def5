//! The key `withdrawn` of a file after something was noted or played: what it says is what was
//! noted, or is refused, and in a league it holds from the next night.

use std::collections::{BTreeMap, BTreeSet};

use super::home::Home;
use super::withdrawals::{CUP, does, plays, rows, verified};

/// Engines of which each plays the first move that it finds.
fn six(keys: &str) -> Home {
    let home = Home::new();
    for number in 1..=6 {
        home.engine(format!("engines/e{number}"), "agon-random");
    }
    home.put("tournament.toml", format!("{CUP}{keys}"));
    home
}

/// The engines of the divisions of a night, by `league.csv`.
fn divisions(home: &Home, night: &str) -> Vec<BTreeSet<String>> {
    let all = rows(&home.read("results/league.csv"));
    let of = |division: &str| {
        let is = |row: &&BTreeMap<String, String>| row["night"] == night && row["division"] == division;
        all.iter().filter(is).map(|row| row["engine"].clone()).collect()
    };
    ["1", "2"].map(of).into()
}

#[test]
fn a_withdrawal_in_the_file_after_a_night_holds_from_the_next_and_who_is_to_go_up_goes_up() {
    const LEAGUE: &str = "[league]\ndivisions = 2\n";
    let home = six(LEAGUE);
    plays(&home, "");
    let first = rows(&home.read("results/league.csv"));
    let moved = |word: &str| first.iter().find(|row| row["moves"] == word).unwrap()["engine"].clone();
    let (up, down) = (moved("up"), moved("down"));
    let leaver =
        first.iter().rfind(|row| row["division"] == "2" && row["engine"] != up).unwrap()["engine"].clone();
    let file = |entry: &str| {
        home.put(
            "tournament.toml",
            format!("{CUP}withdrawn = [{{ engine = \"{leaver}\"{entry} }}]\n{LEAGUE}"),
        );
    };
    file("");
    let said = plays(&home, "");
    let words =
        format!("{leaver} withdraws, as the file says, but night 1 is over: it leaves with the next night");
    assert!(said.err().contains(&words), "{}", said.all());
    let planned = home.agon(["plan", "tournament.toml"]);
    assert!(planned.code == Some(0) && !planned.out().contains(&leaver), "{}", planned.all());
    let said = home.agon("tournament tournament.toml --no-check --next".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let words = format!("{leaver} has withdrawn, as the file says: it does not play from night 2 on");
    assert!(said.err().contains(&words), "{}", said.all());
    // Of five engines, two play in the first division: the one that has to go up is there.
    let second = divisions(&home, "2");
    assert!(second[0].contains(&up) && !second[0].contains(&down) && second[0].len() == 2, "{second:?}");
    assert!(second.iter().all(|division| !division.contains(&leaver)), "{second:?}");
    let other = second[1].iter().find(|name| divisions(&home, "1")[0].contains(*name) && **name != down);
    let words = format!(
        "{} plays in division 2, and not in 1, because the number of engines or divisions has changed",
        other.unwrap()
    );
    assert!(said.err().contains(&words), "{}", said.all());
    // It is noted in the first night without it, and shown there.
    let words = format!("{leaver} had withdrawn before this night: it does not play from this night on");
    for line in ["status results", "standings results", "why results", "withdraw results"] {
        assert!(does(&home, line).contains(&words), "{line}");
    }
    let status = does(&home, "status results --json --stage 2");
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(
        (&status["withdrawn"][0]["engine"], status["withdrawn"].as_array().unwrap().len()),
        (&leaver.as_str().into(), 1)
    );
    does(&home, "report results --out pages");
    assert!(home.shell("cat pages/*.html pages/*/*.html").out().contains(&words));
    verified(&home, "results --stage 2");
    // Taken back, it plays again, unless the file still names it.
    let undone = home.agon(["withdraw", "results", leaver.as_str(), "undo", "--why", "it is back"]);
    assert_eq!(undone.code, Some(0), "{}", undone.all());
    assert!(!does(&home, "status results --stage 2").contains("withdrawn"));
    verified(&home, "results --stage 2");
    // Two nights later it is still not there.
    plays(&home, "--next");
    assert!(divisions(&home, "3").iter().all(|division| !division.contains(&leaver)));
    assert!(does(&home, "status results --stage 3").contains(&words));
    verified(&home, "results --stage 3");
    // A round within a night is noted in that night.
    let other = divisions(&home, "3")[1].first().unwrap().clone();
    home.put(
        "tournament.toml",
        format!("{CUP}withdrawn = [{{ engine = \"{other}\", from = \"round 2\", why = \"ill\" }}]\n{LEAGUE}"),
    );
    plays(&home, "--next");
    let noted = home.agon(["withdraw", "results"]).out();
    assert!(noted.contains(&format!("{other} has withdrawn from round 2")), "{noted}");
    let text = home.read("tournament.toml");
    for (old, new, key) in [
        ("round 2", "round 3", "from"),
        ("\"ill\"", "\"gone\"", "why"),
        ("\"ill\"", "\"ill\", rule = \"expunge\"", "rule"),
    ] {
        home.put("tournament.toml", text.replace(old, new));
        let said = home.agon("tournament tournament.toml --no-check".split(' '));
        let words = format!(
            "key {key} of withdrawal 1: {other} has withdrawn already: {other} has withdrawn from round 2"
        );
        assert!(said.code == Some(2) && said.err().contains(&words), "{new}: {}", said.all());
    }
}

#[test]
fn what_the_file_says_of_a_withdrawal_is_what_was_noted_or_is_refused() {
    let home = six("withdrawn = [{ engine = \"e2\", from = \"round 2\", why = \"ill\" }]\n");
    plays(&home, "");
    plays(&home, "");
    let (text, table) = (home.read("tournament.toml"), home.read("results/standings.csv"));
    for (old, new, key) in [
        ("round 2", "round 3", "from"),
        ("\"ill\"", "\"gone\"", "why"),
        ("\"ill\"", "\"ill\", rule = \"expunge\"", "rule"),
    ] {
        home.put("tournament.toml", text.replace(old, new));
        let said = home.agon("tournament tournament.toml --no-check".split(' '));
        let words = format!(
            "key {key} of withdrawal 1: e2 has withdrawn already: e2 has withdrawn from round 2: what it has not played is \
             lost by forfeit: ill\nhint: write what was noted, or leave the key out"
        );
        assert!(said.code == Some(2) && said.err().contains(&words), "{new}: {}", said.all());
        assert_eq!(home.read("results/standings.csv"), table);
    }
    home.put("tournament.toml", text.replace("from = \"round 2\", why = \"ill\"", "rule = \"forfeit\""));
    plays(&home, "");
}
