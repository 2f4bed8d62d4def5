//! Tournaments in stages from outside: played, stopped, continued, and refused when their options
//! do not fit.

use std::fs;
use std::process::Command;

use super::home::{Home, root};
use crate::support::STUB;

/// Twelve engines of three kinds, two of them broken, and a cup of two groups and finals.
fn cup(last: &str) -> Home {
    let home = Home::new();
    for number in 1..=5 {
        home.engine(format!("engines/greedy-{number}"), "agon-greedy");
        home.engine(format!("engines/random-{number}"), "agon-random");
    }
    for mode in ["exit-now", "nul"] {
        let folder = home.path(format!("engines/{mode}"));
        fs::create_dir_all(&folder).unwrap();
        let program = STUB;
        fs::write(folder.join("engine.toml"), format!("command = [\"{program}\", \"{mode}\"]\n")).unwrap();
    }
    let text = format!(
        "engines = \"engines\"\nout = \"results\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\npoints = \"1-1/2-0\"\n\
         [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 2\n\n[[stages]]\nname = \"finals\"\n{last}\n"
    );
    fs::write(home.path("tournament.toml"), text).unwrap();
    home
}

#[test]
fn a_cup_is_played_stage_by_stage_and_stays_when_an_engine_is_replaced() {
    let home = cup("format = \"finals\"");
    let early = home.agon("tournament tournament.toml --stage 2".split(' '));
    assert_eq!(early.code, Some(2), "{}", early.all());
    assert!(early.err().contains("groups is not over"), "{}", early.all());
    let first = home.agon("tournament tournament.toml --stage 1".split(' '));
    assert_eq!(first.code, Some(0), "{}", first.all());
    let stages = home.read("results/stages.csv");
    assert_eq!(stages.lines().filter(|line| line.contains(",yes,")).count(), 4, "{stages}");
    let games = home.read("results/stage-1/games.csv");
    // Other contents under the same name: finished stages stay as they are.
    fs::remove_file(home.path("engines/random-1")).unwrap();
    home.engine("engines/random-1", "agon-greedy");
    let second = home.agon("tournament tournament.toml".split(' '));
    assert_eq!(second.code, Some(0), "{}", second.all());
    assert!(second.err().contains("groups is over"), "{}", second.all());
    assert_eq!(home.read("results/stage-1/games.csv"), games);
    let places = home.read("results/places.csv");
    assert_eq!(places.lines().count(), 13, "{places}");
    assert!(places.lines().nth(1).unwrap().ends_with("2,finals"), "{places}");
    assert!(home.read("results/bracket.svg").contains("match for place 3"));
    let counted = Command::new("python3")
        .arg(root().join("scripts/recount"))
        .arg(home.path("results"))
        .arg("1-1/2-0")
        .output()
        .unwrap();
    assert!(counted.status.success(), "{}", String::from_utf8_lossy(&counted.stdout));
}

#[test]
#[ignore = "slow"]
fn other_formats_are_played_to_their_end_and_the_same_again_plays_nothing() {
    for (format, games) in [
        ("format = \"swiss\"\nrounds = 3", 3 * 6 * 2),
        ("format = \"gauntlet\"\nseeds = [\"greedy-1\"]", 11 * 2),
        ("format = \"knockout\"\nplay-offs = 0", 12 * 2),
    ] {
        let home = cup("format = \"finals\"");
        let text = format!(
            "engines = \"engines\"\nout = \"results\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\n{format}\n"
        );
        fs::write(home.path("tournament.toml"), text).unwrap();
        let said = home.agon("tournament tournament.toml --quiet".split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        assert_eq!(home.read("results/games.csv").lines().count(), games + 1, "{format}");
        let stages = home.read("results/stages.csv");
        let row = stages.lines().nth(1).unwrap();
        assert_eq!(row.ends_with(",,"), !format.contains("swiss"), "Buchholz: {stages}");
        let again = home.agon("tournament tournament.toml".split(' '));
        assert!(again.err().contains("is over; its games count"), "{}", again.all());
        let plan = home.agon("plan tournament.toml --summary".split(' '));
        assert!(plan.out().contains(&format!(", {games} games")), "{}", plan.all());
    }
}

/// Reads an SVG as XML, and finds text outside its frame by its baseline and the height of letters.
const LOOKS: &str = r#"
import sys, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
left, top, width, height = map(float, root.get("viewBox").split())
texts = list(root.iter(svg + "text"))
assert len(texts) > 10, len(texts)
for text in texts:
    x, y, letters = float(text.get("x")), float(text.get("y")), 8 * len(text.text)
    start = x - letters if text.get("text-anchor") == "end" else x
    assert start >= left and start + letters <= width and y - 12 >= top and y + 3 <= height, text.text
print(len(texts))
"#;

#[test]
fn the_picture_of_a_bracket_is_xml_with_every_text_within_it() {
    let home = Home::with_two();
    let long = "a-name-that-is-far-too-long-for-any-box-that-is-drawn-around-it";
    home.engine(format!("engines/{long}"), "agon-greedy");
    home.engine("engines/<&\"'>", "agon-random");
    let text = "engines = \"engines\"\nout = \"results\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\n\n\
                [[stages]]\nname = \"<all> & every one of them in a stage with a very long name indeed\"\nadvance = 2\n\n\
                [[stages]]\nname = \"finals\"\nformat = \"finals\"\n";
    fs::write(home.path("tournament.toml"), text).unwrap();
    let said = home.agon("tournament tournament.toml --quiet".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let looked =
        Command::new("python3").args(["-c", LOOKS]).arg(home.path("results/bracket.svg")).output().unwrap();
    assert!(looked.status.success(), "{}", String::from_utf8_lossy(&looked.stderr));
    assert!(home.read("results/bracket.svg").contains(&format!("<title>{}", &long[..30])));
}

#[test]
fn the_byes_of_a_swiss_are_in_its_points_wherever_they_are_shown() {
    let home = Home::with_two();
    home.engine("engines/third", "agon-greedy");
    let text = "engines = \"engines\"\nout = \"results\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\n\
                format = \"swiss\"\nrounds = 2\n";
    fs::write(home.path("tournament.toml"), text).unwrap();
    let said = home.agon("tournament tournament.toml".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    // After the first round, with the byes of both rounds, and before its first game too.
    let lines: Vec<String> =
        said.err().lines().filter(|line| line.starts_with("2/4 games")).map(str::to_owned).collect();
    for line in &lines {
        let leaders = line.split("leading: ").nth(1).unwrap_or_default();
        let points: Vec<u32> =
            leaders.split(", ").map(|one| one.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!((points.len(), points.iter().sum()), (3, 12), "{lines:?}");
    }
    assert!(!lines.is_empty(), "{}", said.all());
    assert_eq!(said.out().matches("2 games won without an opponent").count(), 2, "{}", said.all());
    let column = |table: &str, name: &str| -> Vec<(String, String)> {
        let text = home.read(table);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head = reader.headers().unwrap().clone();
        let place = |name: &str| head.iter().position(|head| head == name).unwrap();
        let mut cells: Vec<(String, String)> = (reader.records())
            .map(|row| row.map(|row| (row[place("engine")].to_owned(), row[place(name)].to_owned())).unwrap())
            .collect();
        cells.sort();
        cells
    };
    for name in ["points", "byes", "buchholz", "buchholz_cut_1", "buchholz_median"] {
        let of_run = column("results/standings.csv", name);
        assert_eq!(of_run, column("results/stages.csv", name), "{name}");
    }
    let sum =
        |cells: &[(String, String)]| cells.iter().map(|(_, cell)| cell.parse::<u32>().unwrap()).sum::<u32>();
    assert_eq!(sum(&column("results/standings.csv", "byes")), 4);
    // Two rounds of a match of two games and a bye of the same value: eight points each.
    assert_eq!(sum(&column("results/standings.csv", "points")), 16);
    assert_eq!(home.agon("standings results --csv".split(' ')).out(), home.read("results/standings.csv"));
    assert!(home.agon("standings results".split(' ')).out().contains("Buchholz"));
    assert!(home.agon("history results --csv".split(' ')).out().contains(",rating,rating95"));
}

#[test]
fn stages_that_do_not_fit_are_refused_with_file_line_and_key() {
    for (last, words) in [
        (
            "format = \"finals\"\nadvance = 1",
            "line 16: key advance of stage 2: the last stage has no next one",
        ),
        ("groups = 3", "line 15: key groups of stage 2: 4 entrants do not fill 3 groups"),
        ("format = \"cup\"", "line 15: key format of stage 2: there is no format \"cup\""),
        ("games = 3", "line 15: key games of stage 2: 3 games do not balance the sides"),
        ("format = \"swiss\"", "key rounds of stage 2: is missing"),
        ("format = \"swiss\"\nrounds = 9", "line 16: key rounds of stage 2: 9 rounds of 4 entrants"),
        ("advanse = 2", "line 15"),
        (
            "rounds = 3",
            "line 15: key rounds of stage 2: it is for the format swiss, and this one is round robin",
        ),
        ("leaders = 2", "line 15: key leaders of stage 2: it is for the format gauntlet"),
        ("third-place = false", "line 15: key third-place of stage 2: it is for the format knockout"),
        (
            "format = \"swiss\"\nrounds = 2\ncycles = 2",
            "line 17: key cycles of stage 2: it is for the format round robin",
        ),
    ] {
        let home = cup(last);
        for command in ["plan tournament.toml", "tournament tournament.toml"] {
            let said = home.agon(command.split(' '));
            assert_eq!(said.code, Some(2), "{last}: {}", said.all());
            assert!(
                said.err().contains(words) && said.err().contains("tournament.toml"),
                "{last}: {}",
                said.all()
            );
        }
        assert!(!home.path("results").exists(), "{last}");
    }
}

#[test]
#[ignore = "slow"]
fn the_mill_league_is_played_at_each_time_control_and_counted_together() {
    let home = Home::with_samples();
    fs::rename(home.path("any-game"), home.path("league")).unwrap();
    fs::remove_dir_all(home.path("league/oracle")).unwrap(); // three engines are enough
    for file in ["alphabeta", "mover"] {
        assert!(home.path(format!("league/{file}/engine.toml")).exists(), "{file}");
    }
    fs::create_dir(home.path("league/third")).unwrap();
    fs::copy(home.path("league/mover/engine.toml"), home.path("league/third/engine.toml")).unwrap();
    let third = home.read("league/third/engine.toml");
    fs::write(home.path("league/third/engine.toml"), third.replace("mover\"\n", "third\"\n")).unwrap();
    // The league of the document, with fewer and faster games.
    let league = fs::read_to_string(root().join("fixtures/cups/mill-league.toml")).unwrap();
    let league = league.replace("\"engines\"", "\"league\"");
    let fewer = league.replace("games = 10", "games = 2").replace("points = \"2-1-0\"", "points = \"3-1-0\"");
    fs::write(home.path("league.toml"), fewer + "max-plies = 8\nmargin = 1\n").unwrap();
    let said = home.agon("tournament league.toml --quiet --concurrency 2".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("all time controls together"), "{}", said.all());
    let numbers = |table: &str, name: &str| -> Vec<(String, u32)> {
        let text = home.read(table);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head = reader.headers().unwrap().clone();
        let place = |name: &str| head.iter().position(|head| head == name).unwrap();
        let mut cells: Vec<(String, u32)> = (reader.records().map(Result::unwrap))
            .map(|row| (row[place("engine")].to_owned(), row[place(name)].parse().unwrap()))
            .collect();
        cells.sort();
        cells
    };
    let games = home.read("results/st=0.2/games.csv");
    assert!(
        games.lines().skip(1).all(|game| !game.contains("forfeit") && !game.contains("protocol")),
        "{games}"
    );
    for name in ["points", "games", "wins", "draws"] {
        let [fast, slow] =
            ["st=0.2", "st=0.5"].map(|control| numbers(&format!("results/{control}/standings.csv"), name));
        let sum: Vec<(String, u32)> =
            fast.iter().zip(&slow).map(|((engine, one), (_, other))| (engine.clone(), one + other)).collect();
        assert_eq!(numbers("results/standings.csv", name), sum, "{name}");
    }
    assert!(numbers("results/standings.csv", "games").iter().all(|(_, games)| *games == 8));
    assert_eq!(home.read("results/ratings.csv").lines().count(), 4);
    let counted = home.agon("standings results --csv --points 3-1-0".split(' '));
    assert_eq!(counted.out(), home.read("results/standings.csv"), "{}", counted.all());
    let one = home.agon("games results".split(' '));
    assert_eq!(one.code, Some(2), "{}", one.all());
    assert!(one.err().contains("results/st=0.2 or results/st=0.5"), "{}", one.all());
    // The same command again plays nothing; a league of twice as many games plays the missing ones.
    let games = home.read("results/st=0.5/games.csv");
    let again = home.agon("tournament league.toml --quiet".split(' '));
    assert_eq!((again.code, home.read("results/st=0.5/games.csv")), (Some(0), games), "{}", again.all());
    fs::write(home.path("league.toml"), league.replace("games = 10", "games = 9")).unwrap();
    let odd = home.agon("tournament league.toml".split(' '));
    assert!(odd.err().contains("league.toml: line 6: key games: an odd number"), "{}", odd.all());
}

#[test]
fn a_test_of_two_ends_the_match_when_it_is_decided() {
    let home = Home::with_two();
    let said = home.agon(
        "match engines/greedy engines/random --game letters:3x3x2 --st 1 --seed 7 --sprt 0,400,alpha=0.2,beta=0.2 --quiet".split(' '),
    );
    assert!(matches!(said.code, Some(10 | 11)), "{}", said.all());
    assert!(said.all().contains("SPRT 0,400") && said.all().contains(" accepted"), "{}", said.all());
    let wrong = home.agon("match engines/greedy engines/random --sprt 10,0".split(' '));
    assert_eq!(wrong.code, Some(2), "{}", wrong.all());
    let run = home.agon(
        "tournament engines --game letters:3x3x2 --st 1 --seed 7 --games 4 --out results --points 3-1-0 --quiet"
            .split(' '),
    );
    assert_eq!(run.code, Some(0), "{}", run.all());
    let shown = home.agon("standings results --ratings".split(' '));
    assert!(shown.out().contains("stronger than the next"), "{}", shown.all());
    let json = home.agon("standings results --json --points 3-1-0".split(' '));
    let json: serde_json::Value = serde_json::from_str(&json.out()).unwrap();
    assert_eq!((json["games"].as_u64(), json["running"].as_bool()), (Some(4), Some(false)), "{json}");
    assert_eq!(json["points"]["win"], 3.0);
    assert_eq!(json["ratings"]["engines"].as_array().map(Vec::len), Some(2));
    assert_eq!(home.read("results/ratings.csv").lines().count(), 3);
}
