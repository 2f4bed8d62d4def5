//! Ratings on a scale on which one engine has a given rating.

use serde_json::Value;

use super::home::{Home, Said};

fn agon(home: &Home, line: &str) -> Said {
    home.agon(line.split_whitespace())
}

fn lines(said: &Said) -> Vec<Value> {
    assert_eq!(said.code, Some(0), "{}", said.all());
    said.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_anchor_keeps_its_rating_in_the_standings_and_in_each_run_of_the_history() {
    let home = Home::with_two();
    let play = || {
        let said = agon(
            &home,
            "tournament engines --game mnk:3x3,3 --games 10 --seed 3 --out run --isolation none -q",
        );
        assert_eq!(said.code, Some(0), "{}", said.all());
    };
    play();
    home.engine("engines/mover", "agon-mover");
    play();
    let rating = |all: &Value, name: &str| {
        let engines = all["ratings"]["engines"].as_array().unwrap();
        let own = engines.iter().find(|row| row["engine"] == name).unwrap();
        (own["elo"].as_f64().unwrap(), own["error95"].as_f64().unwrap())
    };
    let free = lines(&agon(&home, "standings run --json")).remove(0);
    let set = lines(&agon(&home, "standings run --json --anchor random=-1000")).remove(0);
    assert_eq!(set["ratings"]["anchor"]["elo"], -1000.0, "{set}");
    assert_eq!((rating(&set, "random"), free["ratings"].get("anchor")), ((-1000.0, 0.0), None));
    for name in ["greedy", "mover"] {
        let shift = rating(&set, name).0 - rating(&free, name).0;
        assert!((shift - (-1000.0 - rating(&free, "random").0)).abs() < 1e-6, "{name}: {set} {free}");
        assert!(rating(&set, name).1 > rating(&free, name).1, "{name}: {set} {free}");
    }
    let text = agon(&home, "standings run --ratings --anchor random=-1000");
    assert!(text.out().contains("+- is the 95 % error bar of the difference to random"), "{}", text.all());

    let free = lines(&agon(&home, "history run --json"));
    let set = lines(&agon(&home, "history run --json --anchor random=0"));
    assert_eq!(set.len(), 5);
    for (set, own) in set.iter().zip(&free) {
        let of_random =
            free.iter().find(|row| row["run"] == own["run"] && row["engine"] == "random").unwrap();
        let expected = own["rating"].as_f64().unwrap() - of_random["rating"].as_f64().unwrap();
        assert!(
            (set["rating"].as_f64().unwrap() - expected).abs() < 1e-6 && set["rating95"].is_null(),
            "{set}"
        );
    }
    for (command, why) in [
        (
            "standings run --ratings --anchor nobody=5",
            "no engine with a rating is called nobody\nhint: the engines are greedy",
        ),
        ("standings run --anchor random=5", "--anchor: only ratings have a scale"),
        ("standings run --ratings --anchor random", "write one like alpha=2800"),
        ("history run --anchor nobody=5", "no engine with a rating is called nobody"),
    ] {
        let refused = agon(&home, command);
        assert!(refused.code == Some(2) && refused.err().contains(why), "{command}: {}", refused.all());
    }
}
