//! An engine joins a Swiss that has begun: nothing of the others is played again, and earlier
//! rounds are unplayed for it.

use std::collections::{BTreeMap, BTreeSet};

use super::bad_input::refused;
use super::withdrawals::{
    does, games, killed, names, of_others, plays, points, recounted, standings, verified,
};

#[test]
fn an_engine_joins_a_swiss_and_nothing_of_the_others_is_played_again() {
    let home = killed(6, "format = \"swiss\"\nrounds = 3\n", "e4", 2);
    home.put("go", "");
    let before = games(&home, "results");
    for (line, words) in [
        ("results e1 --why x", &["e1 plays already"][..]),
        ("results late", &["--why is missing or empty"]),
        ("results late --from 1 --why x", &["round 1 has begun or was played", "the next round is 3 of 3"]),
        ("results late --from 9 --why x", &["round 9 does not exist"]),
        ("results late --from soon --why x", &["\"soon\" is no round"]),
    ] {
        refused(&home, &format!("enter {line}"), words);
    }
    let said = home.agon(["enter", "results", "late", "--why", "its author was ill"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    verified(&home, "results");
    home.engine("engines/late", "agon-greedy");
    home.engine("engines/other", "agon-greedy");
    let said = home.agon("tournament tournament.toml --no-check".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("other is new and does not play; agon enter"), "{}", said.all());
    let after = games(&home, "results");
    let (then, now) = (of_others(&before, "late"), of_others(&after, "late"));
    assert!(then.is_subset(&now), "{then:?}\n{now:?}");
    assert!(after.iter().all(|game| game["counts"] == true), "{after:?}");
    let round = |game: &serde_json::Value| game["id"].as_str().unwrap()[1..3].parse::<u32>().unwrap();
    let own: BTreeSet<u32> =
        after.iter().filter(|game| names(game).contains(&"late".to_owned())).map(round).collect();
    // It has the bye, or plays in the third round alone.
    assert!(own.iter().all(|of| *of == 3), "{own:?}");
    verified(&home, "results");

    let (table, by_hand) = (standings(&home, "results"), recounted(&after));
    let own: BTreeMap<&String, i64> = table.iter().map(|(name, row)| (name, points(row))).collect();
    for (name, row) in &table {
        let byes = 2 * row["byes"].parse::<i64>().unwrap();
        assert_eq!(own[name], by_hand.get(name).copied().unwrap_or(0) + byes, "{name}: {table:?}");
        let mut buchholz = 0;
        for game in after.iter().filter(|game| names(game).contains(name)) {
            let other = names(game).into_iter().find(|other| other != name).unwrap();
            buchholz += own[&other];
        }
        let is_paired = |of: u32| after.iter().any(|game| round(game) == of && names(game).contains(name));
        buchholz += (1..=3).filter(|of| !is_paired(*of)).map(|_| 2 * own[name]).sum::<i64>();
        assert_eq!(
            row["buchholz"].parse::<f64>().unwrap().to_string(),
            buchholz.to_string(),
            "{name}: {table:?}"
        );
    }
    let words = "late joins in round 3: it has no points from earlier rounds: its author was ill";
    for line in ["standings results", "why results"] {
        assert!(does(&home, line).contains(words), "{line}");
    }
    assert!(does(&home, "status results").contains("late joins in round 3"));
    plays(&home, "");
    assert_eq!(games(&home, "results"), after);
    refused(&home, "enter results other --why x", &["it is over"]);

    let home = killed(4, "", "e2", 3);
    refused(&home, "enter results late --why x", &["in a Swiss of one group alone"]);
}
