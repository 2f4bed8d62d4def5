//! `agon simulate`: formats compared by a model.

use serde_json::Value;

use super::bad_input::refused;
use super::home::{Home, Said, root};

fn cup(home: &Home) {
    home.put("cup.toml", std::fs::read_to_string(root().join("fixtures/cups/class.toml")).unwrap());
}

#[track_caller]
fn object(said: &Said) -> Value {
    assert_eq!((said.code, said.err()), (Some(0), String::new()), "{}", said.all());
    serde_json::from_str(&said.out()).unwrap()
}

#[test]
fn formats_are_compared_in_one_table_without_an_engine() {
    let home = Home::new();
    cup(&home);
    home.put("swiss.toml", "engines = \"none\"\nformat = \"swiss\"\nrounds = 6\ngames = 4\nseed = 4\n");
    let words = ["simulate", "cup.toml", "swiss.toml", "--entrants", "34", "--runs", "20"];
    let said = home.agon(words);
    let text = said.out();
    for part in [
        "best first %",
        "round 1",
        "34  ",
        "1998",
        "Model: strengths drawn with a standard deviation of 200 Elo, 30 % draws between equals, the first move is \
         worth 30 Elo. 20 runs: a percentage is off by 21.9 at most in 95 % of all cases.",
    ] {
        assert!(text.contains(part), "{part}: {}", said.all());
    }
    assert_eq!(text, home.agon(words).out(), "the same seed gives the same numbers");
    let all = object(&home.agon(words.into_iter().chain(["--json"])));
    let [cup, swiss] = &all["tournaments"].as_array().unwrap()[..] else { panic!("{all}") };
    assert_eq!(
        (cup["engines"].as_u64(), cup["seed"].as_u64(), cup["cut"].as_u64()),
        (Some(34), Some(1998), Some(4))
    );
    assert!(cup["pairings"].as_f64().unwrap() >= 220.0, "{cup}");
    assert_eq!(swiss["games"].as_f64(), Some(6.0 * 17.0 * 4.0), "{swiss}");
    let stages = cup["stages"].as_array().unwrap();
    assert_eq!((stages.len(), swiss["stages"].as_array().unwrap().len()), (4, 0));
    let advances: Vec<f64> = stages.iter().map(|one| one["best_advances"].as_f64().unwrap()).collect();
    assert!(advances.is_sorted_by(|a, b| a >= b) && advances[0] > 0.9, "{advances:?}");
    assert!(cup["best_first"].as_f64() <= stages[3]["best_advances"].as_f64(), "{cup}");
}

#[test]
fn more_games_and_larger_differences_find_the_best_more_often() {
    let home = Home::new();
    home.put("all.toml", "engines = \"none\"\ngames = 2\nseed = 9\n");
    let best = |words: &str| {
        let said = home.agon(format!("simulate all.toml --entrants 8 --runs 150 --json {words}").split(' '));
        object(&said)["tournaments"][0]["best_first"].as_f64().unwrap()
    };
    let (few, many, far, alike) =
        (best("--games 2"), best("--games 20"), best("--deviation 800"), best("--deviation 1"));
    assert!(alike < 0.3 && alike < few && few < many && few < far, "{alike} {few} {many} {far}");
}

#[test]
fn a_stored_run_gives_engines_ratings_and_model() {
    let home = Home::with_two();
    let said = home.agon("tournament engines --games 2 --st 5 --seed 3 --out run --quiet".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    home.put("all.toml", "engines = \"none\"\ngames = 2\n");
    let all = object(&home.agon("simulate all.toml --like run --runs 5 --json".split(' ')));
    assert_eq!(
        (all["tournaments"][0]["engines"].as_u64(), all["tournaments"][0]["cut"].as_u64()),
        (Some(2), Some(1))
    );
    let rated = object(&home.agon("standings run --json".split(' ')));
    let draws = rated["ratings"]["draw_rate"].as_f64().unwrap();
    assert!(
        (all["draws"].as_f64().unwrap() - 100.0 * draws).abs() < 1e-9 && all["deviation_elo"].is_null(),
        "{all}"
    );
    // A flag goes over the run, and the folder of engines is enough.
    let all = object(&home.agon("simulate engines --like run --draws 12.5 --runs 5 --json".split(' ')));
    assert_eq!(all["draws"].as_f64(), Some(12.5));
    let all = object(&home.agon("simulate engines --games 4 --runs 5 --json".split(' ')));
    assert_eq!(all["tournaments"][0]["games"].as_f64(), Some(4.0));
}

/// A class has no engines before the submissions are there, and its file names none.
#[test]
fn the_format_of_a_class_is_simulated_before_anybody_has_handed_in() {
    let home = Home::new();
    let grades = "[grades]\nby = \"points\"\nmax = 10\nsteps = [{ at = 0, grade = 4 }]\n";
    home.put("class.toml", format!("game = \"mnk:5x5,4\"\ngames = 4\nseed = 3\n{grades}"));
    home.put("plain.toml", "games = 4\nseed = 3\n");
    for file in ["class.toml", "plain.toml"] {
        let found = object(&home.agon(format!("simulate {file} --entrants 6 --runs 5 --json").split(' ')));
        assert_eq!(found["tournaments"][0]["games"].as_f64(), Some(60.0), "{found}");
    }
    let hint = "agon grade plays a class, with --roster FILE";
    for command in ["simulate", "plan", "tournament", "nightly"] {
        refused(&home, &format!("{command} class.toml"), &["class.toml: key engines: is missing", hint]);
        refused(
            &home,
            &format!("{command} plain.toml"),
            &["plain.toml: key engines: is missing", "[[engine]]"],
        );
    }
}

#[test]
fn what_cannot_be_simulated_is_refused_with_what_to_do() {
    let home = Home::new();
    cup(&home);
    home.put("league.toml", "engines = \"none\"\n[league]\ndivisions = 2\n");
    home.put("seeds.toml", "engines = \"none\"\nseeds = [\"a\", \"b\", \"c\"]\nformat = \"knockout\"\n");
    home.put("three.toml", "engines = \"none\"\ngame = \"./game\"\nseats = 3\n");
    for (words, wanted) in [
        (
            "simulate cup.toml",
            &["cup.toml: line 2: key engines", "there is no folder of engines", "--entrants N"][..],
        ),
        ("simulate cup.toml --entrants 7", &["cup.toml", "key groups", "give fewer groups"]),
        ("simulate cup.toml --entrants 1", &["--entrants", "give 2 to 2000 engines"]),
        ("simulate cup.toml --entrants 34 --cut 34", &["--cut 34: cup.toml has 34 engines", "give 1 to 33"]),
        ("simulate cup.toml --entrants 34 --cut 0", &["--cut", "one of the best at least"]),
        ("simulate cup.toml --entrants 34 --draws 100", &["--draws", "from 0 to 99"]),
        ("simulate cup.toml --entrants 34 --deviation -3", &["--deviation", "from 1 to 2000"]),
        ("simulate cup.toml --entrants 34 --deviation nan", &["--deviation", "from 1 to 2000"]),
        ("simulate cup.toml --entrants 34 --first-move 4e9", &["--first-move", "from -1000 to 1000"]),
        ("simulate cup.toml --entrants 34 --runs 0", &["--runs", "give 1 to 1000000 runs"]),
        ("simulate league.toml --entrants 8", &["league.toml", "a league goes on", "without [league]"]),
        ("simulate seeds.toml --entrants 2", &["--entrants 2: seeds.toml names 3 seeds", "give 3 or more"]),
        ("simulate nothing.toml --entrants 8", &["nothing.toml"]),
        ("simulate cup.toml --like nothing", &["nothing"]),
    ] {
        refused(&home, words, wanted);
    }
    assert_eq!(home.agon("simulate three.toml --entrants 8".split(' ')).code, Some(2));
}

#[test]
fn engines_of_one_name_are_known_by_their_folders_and_a_run_that_is_not_there_is_named() {
    let home = Home::new();
    for folder in ["a", "b", "c"] {
        let toml = "command = [\"./run\"]\nname = \"same\"\n";
        home.put_program(format!("engines/{folder}/run"), "#!/bin/sh\n");
        home.put(format!("engines/{folder}/engine.toml"), toml);
    }
    let plan = home.agon(["plan", "engines", "--games", "2"]);
    assert!(
        plan.code == Some(0) && plan.out().contains("a - b") && !plan.out().contains("same"),
        "{}",
        plan.all()
    );
    let words = "simulate engines --games 2 --runs 200 --seed 1 --json";
    let folder = object(&home.agon(words.split(' ')))["tournaments"][0].clone();
    let three = object(&home.agon(format!("{words} --entrants 3").split(' ')))["tournaments"][0].clone();
    let [one, other] = [&folder, &three].map(|all| all["best_first"].as_f64().unwrap());
    assert!((one - other).abs() < 0.12 && folder["engines"] == three["engines"], "{folder} {three}");
    let refused = home.agon("simulate engines --like nowhere".split(' '));
    assert_eq!(refused.code, Some(2), "{}", refused.all());
    assert!(refused.err().contains("--like nowhere: there is no such directory"), "{}", refused.err());
}
