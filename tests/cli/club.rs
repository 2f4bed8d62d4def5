//! A club's tournaments from outside: brackets, gauntlets, tables that agree, and ties.

use std::fs;

use serde_json::Value;

use super::home::{Home, Said, programs, root};

/// The text of a CSV file as rows of named cells.
fn rows(text: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

/// The same cells of every row.
fn cells(home: &Home, file: &str, columns: &[&str]) -> Vec<Vec<String>> {
    rows(&home.read(file))
        .iter()
        .map(|row| columns.iter().map(|column| row[*column].clone()).collect())
        .collect()
}

/// A home with this number of engines that answer at once, always the same in the same position.
fn movers(count: usize) -> Home {
    let home = Home::new();
    for number in 1..=count {
        let program = programs().join("agon-mover");
        home.put(
            format!("engines/m{number}/engine.toml"),
            format!("command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n"),
        );
    }
    home
}

#[track_caller]
fn plays(home: &Home, file: &str, text: &str) -> super::home::Said {
    fs::write(home.path(file), text).unwrap();
    let said = home.agon(["tournament", file, "--no-check"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    said
}

/// The columns that standings and stages share; places beyond them differ in their names.
const SHARED: [&str; 8] =
    ["engine", "games", "wins", "draws", "losses", "points", "play_off_wins", "play_off_losses"];

#[test]
fn a_knockout_shows_who_met_whom_and_a_level_match_is_never_decided_by_lot_first() {
    let home = movers(6);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                format = \"knockout\"\nplay-offs = 1\n";
    let said = plays(&home, "cup.toml", text);
    let bracket = home.read("out/bracket.txt");
    for title in
        ["quarter-final 1\n", "quarter-final 4\n", "semi-final 2\n", "final\n", "match for place 3\n"]
    {
        assert!(bracket.contains(&format!("stage 1, {title}")), "{bracket}");
    }
    assert_eq!(bracket.matches("without an opponent").count(), 2, "{bracket}");
    let picture = home.read("out/bracket.svg");
    for title in ["stage 1: quarter-finals", "stage 1: semi-finals", "stage 1: final", "match for place 3"] {
        assert!(picture.contains(title), "{picture}");
    }
    // The engines are equal, so each match goes through a play-off to the deciding pair.
    assert!(said.err().contains("deciding pair of"), "{}", said.all());
    assert!(bracket.contains("thinking time, the least first: "), "{bracket}");
    for one in bracket.split("\n\n").filter(|one| one.contains("lot:")) {
        assert!(one.contains("deciding pair") && one.contains("thinking time"), "{one}");
    }
    // A play-off begins elsewhere, so it does not repeat the games of the match.
    let games = home.agon("games out".split(' ')).out();
    let plies = |id: &str| -> Vec<String> {
        let shown = home.agon(["replay", "out", id]);
        shown.out().lines().map(str::to_owned).collect()
    };
    assert!(games.contains("r02-p0003-g03"), "{games}");
    assert_ne!(plies("r01-p0001-g01")[1..], plies("r02-p0003-g03")[1..]);
    assert_eq!(cells(&home, "out/standings.csv", &SHARED), cells(&home, "out/stages.csv", &SHARED));
    assert_eq!(
        cells(&home, "out/standings.csv", &["rank", "group"]),
        cells(&home, "out/stages.csv", &["place", "group"])
    );
    let verified = home.agon("verify out".split(' '));
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}

#[test]
fn a_gauntlet_is_won_by_its_leader_whose_score_is_told() {
    let home = Home::with_two();
    home.engine("engines/better", "agon-lookahead");
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"letters:3x3x2\"\nst = 5\ngames = 2\nseed = 7\n\
                format = \"gauntlet\"\nseeds = [\"random\"]\n";
    let said = plays(&home, "cup.toml", text);
    assert!(said.out().contains("1  random\n"), "{}", said.all());
    assert_eq!(cells(&home, "out/standings.csv", &["rank", "engine"])[0], ["1", "random"]);
    let told = rows(&home.read("out/standings.csv"));
    let sentence =
        format!("random leads and scored {} of 8 points, {} %", told[0]["points"], told[0]["percent"]);
    assert!(home.read("out/bracket.txt").contains(&sentence), "{sentence}\n{}", said.all());
    // A challenger has more of the possible points, and is behind it all the same.
    let share = |row: usize| told[row]["percent"].parse::<f64>().unwrap();
    assert!(share(1) > share(0), "{}", said.all());
}

#[test]
fn the_standings_of_a_stage_have_its_groups_and_leave_its_play_offs_apart() {
    let home = movers(6);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 1\n\n\
                [[stages]]\nname = \"finals\"\nformat = \"finals\"\nplay-offs = 1\n";
    plays(&home, "cup.toml", text);
    let of_stage = |number: &str| -> Vec<Vec<String>> {
        let all = rows(&home.read("out/stages.csv"));
        let wanted = all.iter().filter(|row| row["stage"] == number);
        wanted.map(|row| SHARED.iter().map(|column| row[*column].clone()).collect()).collect()
    };
    for number in ["1", "2"] {
        let file = format!("out/stage-{number}/standings.csv");
        assert_eq!(cells(&home, &file, &SHARED), of_stage(number), "stage {number}");
    }
    let groups = cells(&home, "out/stage-1/standings.csv", &["group", "rank"]);
    assert_eq!(groups, [["1", "1"], ["1", "2"], ["1", "3"], ["2", "1"], ["2", "2"], ["2", "3"]]);
    let played_off = rows(&home.read("out/stage-1/standings.csv"));
    assert!(played_off.iter().any(|row| row["play_off_wins"] != "0"), "{played_off:?}");
    let shown = home.agon("standings out/stage-1".split(' ')).out();
    assert!(shown.starts_with("group") && shown.contains("play-offs"), "{shown}");
    let csv = home.agon("standings out/stage-1 --csv".split(' ')).out();
    assert_eq!(csv, home.read("out/stage-1/standings.csv"));
}

#[test]
fn a_double_round_robin_has_other_starts_in_its_second_cycle_and_is_recounted() {
    let home = movers(4);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 1\n\n\
                [[stages]]\nname = \"final\"\nformat = \"double round robin\"\n";
    let said = plays(&home, "cup.toml", text);
    assert!(said.err().contains("final: each pair of games begins after 4 random plies"), "{}", said.all());
    assert!(!said.err().contains("repeat"), "{}", said.all());
    let finals = rows(&home.read("out/stages.csv"));
    let games: Vec<&str> =
        finals.iter().filter(|row| row["stage"] == "2").map(|row| row["games"].as_str()).collect();
    assert_eq!(games, ["4", "4"], "{finals:?}");
    let recount = || home.shell(&format!("python3 {:?} out", root().join("scripts/recount")));
    let counted = recount();
    assert_eq!(counted.code, Some(0), "{}", counted.all());
    assert!(counted.out().contains("4 pairings and ") && counted.out().contains(" 0 differences"));
    let table = home.read("out/stage-2/games.csv");
    let (head, rest) = table.split_once('\n').unwrap();
    let flipped = rest.replacen(",1-0,", ",0-1,", 1);
    home.put("out/stage-2/games.csv", format!("{head}\n{flipped}"));
    assert_eq!(recount().code, Some(1), "a wrong result is found");
}

#[test]
fn tiebreaks_rank_in_the_order_in_which_they_are_given() {
    let home = movers(5);
    let text = |more: &str| {
        format!(
            "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n{more}\n"
        )
    };
    plays(&home, "cup.toml", &text("format = \"swiss\"\nrounds = 3"));
    let heads = |said: &str| said.lines().next().unwrap().to_owned();
    let swiss = heads(&home.agon("standings out".split(' ')).out());
    let place = |head: &str| swiss.find(head).unwrap_or_else(|| panic!("{head}: {swiss}"));
    assert!(place("Buchh-1") < place("Buchholz") && place("Buchholz") < place("direct"), "{swiss}");
    let json = home.agon("standings out --json".split(' ')).out();
    assert!(json.contains("\"tiebreaks\":[\"buchholz-cut-1\",\"buchholz\",\"direct\""), "{json}");
    // A stage that is over keeps the tie-breaks that decided it.
    let order = || cells(&home, "out/stages.csv", &["engine", "buchholz_cut_1"]);
    let before = order();
    let again = plays(
        &home,
        "cup.toml",
        &text("format = \"swiss\"\nrounds = 3\ntiebreaks = [\"koya\", \"black-wins\"]"),
    );
    assert!(again.err().contains("is over; its games count"), "{}", again.all());
    assert_eq!(
        (order(), cells(&home, "out/standings.csv", &["engine", "buchholz_cut_1"])),
        (before.clone(), before)
    );
    // A round robin that is no cup takes them from a flag.
    let flat = ["tournament", "engines", "--game", "connect4", "--st", "1", "--games", "2", "--seed", "7"];
    let flat =
        home.agon(flat.into_iter().chain(["--out", "flat", "--tiebreaks", "koya,black-wins,progressive"]));
    assert_eq!(flat.code, Some(0), "{}", flat.all());
    let head = heads(&home.agon("standings flat".split(' ')).out());
    let place = |name: &str| head.find(name).unwrap_or_else(|| panic!("{name}: {head}"));
    assert!(place("Koya") < place("black+") && place("black+") < place("progr"), "{head}");
    assert!(!head.contains("SB"), "{head}");
    let shown = rows(&home.read("flat/standings.csv"));
    let number =
        |row: &std::collections::HashMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
    let key = |row| ["points", "koya", "black_wins", "progressive"].map(|name| number(row, name));
    let keys: Vec<[f64; 4]> = shown.iter().map(key).collect();
    assert!(keys.is_sorted_by(|one, other| one >= other), "{keys:?}");
    assert_eq!(home.agon("verify flat".split(' ')).code, Some(0));
    let wrong = home.agon(["tournament", "engines", "--tiebreaks", "bucholz"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err().contains("buchholz-cut-1, buchholz"), "{}", wrong.all());
    home.put("wrong.toml", text("tiebreaks = [\"direct\", \"kaya\"]"));
    let wrong = home.agon(["tournament", "wrong.toml"]);
    assert!(
        wrong.err().contains("line 7: key tiebreaks: \"kaya\": there is no tie-break"),
        "{}",
        wrong.all()
    );
}

#[test]
fn an_engine_that_comes_or_goes_after_a_stage_is_over_is_named() {
    let home = movers(3);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                format = \"knockout\"\nplay-offs = 0\n";
    plays(&home, "cup.toml", text);
    let games = home.read("out/games.csv");
    fs::rename(home.path("engines/m3"), home.path("engines/newcomer")).unwrap();
    let said = home.agon("tournament cup.toml --quiet".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        said.err().contains("newcomer is new and does not play, because stage 1 is over"),
        "{}",
        said.all()
    );
    assert!(said.err().contains("m3 was removed, but stage 1 is over"), "{}", said.all());
    assert_eq!(said.err().matches("--out").count(), 2, "{}", said.all());
    assert_eq!(home.read("out/games.csv"), games);
}

/// A cup of two groups and a final.
const GROUPS_AND_FINAL: &str = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n\
                [[stages]]\nname = \"finals\"\nformat = \"finals\"\nplay-offs = 0\n";

/// That cup after its first stage.
fn first_stage() -> (Home, Said) {
    let home = movers(4);
    fs::write(home.path("cup.toml"), GROUPS_AND_FINAL).unwrap();
    let first = home.agon("tournament cup.toml --no-check --stage 1".split(' '));
    (home, first)
}

#[test]
fn every_looking_command_takes_the_directory_of_a_cup_and_status_tells_it_in_ten_lines() {
    let (home, first) = first_stage();
    assert_eq!(first.code, Some(0), "{}", first.all());
    let tell = |words: &str| {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(0), "{words}: {}", said.all());
        said.out()
    };
    let status = tell("status out");
    let lines: Vec<&str> = status.lines().collect();
    assert!(lines[0].starts_with("stage 1: groups: over, 4 games; first: m"), "{status}");
    assert_eq!(lines[1..], ["stage 2: finals: not begun"], "{status}");
    plays(&home, "cup.toml", GROUPS_AND_FINAL);
    let status = tell("status out");
    assert!(status.lines().nth(1).unwrap().starts_with("stage 2: finals: over, 2 games"), "{status}");
    assert_eq!(tell("status out --stage 2").lines().count(), 1);
    assert!(tell("status out/stage-1").contains("over, 4 games"));
    for words in ["standings out", "history out", "games out", "verify out"] {
        let both = tell(words);
        let of =
            |number: usize| both.find(&format!("stage-{number}")).or(both.find(&format!("stage {number}")));
        assert!(of(1).is_some() && of(1) < of(2), "{words}: {both}");
        let second = tell(&format!("{words} --stage 2"));
        assert!(!second.contains("stage-1") && second.len() < both.len(), "{words}: {second}");
    }
    assert!(tell("why out m1").starts_with("stage 1: groups\nm1 lost 0 games by a fault"));
    assert_eq!(
        tell("standings out --stage 1 --csv").lines().next().unwrap(),
        format!("{},stage", home.read("out/stage-1/standings.csv").lines().next().unwrap())
    );
    let stages: Vec<String> =
        rows(&tell("standings out --csv")).iter().map(|row| row["stage"].clone()).collect();
    assert_eq!(stages, ["1", "1", "1", "1", "2", "2"]);
    assert_eq!(tell("standings out --json").lines().count(), 2);
    assert!(tell("standings out --json --stage 2").contains("\"stage\":2"));
    assert_eq!(tell("export json out").lines().count(), 6);
    tell("export csv out tables");
    tell("export db out copies");
    assert_eq!(home.read("tables/stage-2/standings.csv"), home.read("out/stage-2/standings.csv"));
    assert_eq!(tell("status copies"), tell("status out"));
    tell("export notation out/stage-2 records");
    assert!(home.path("records/r01-p0001-g01.txt").is_file());
    let both = home.agon("replay out r01-p0001-g01".split(' '));
    assert!(both.err().contains("hint: give --stage 1 or --stage 2"), "{}", both.all());
    assert_eq!(tell("replay out r01-p0001-g01 --stage 2"), tell("replay out/stage-2 r01-p0001-g01"));
    let none = home.agon("games out --stage 3".split(' '));
    assert_eq!(none.code, Some(2), "{}", none.all());
    assert!(none.err().contains("hint: give one of 1, 2"), "{}", none.all());
    let alone = home.agon("games out/stage-1 --stage 1".split(' '));
    assert!(alone.err().contains("does not hold the stages of a cup"), "{}", alone.all());
    let unknown = home.agon("why out nobody".split(' '));
    assert!(unknown.err().contains("there is no engine nobody"), "{}", unknown.all());
}

/// A league of three divisions of two, and the divisions of a night by `league.csv`.
fn division_of(home: &Home, night: &str, engine: &str) -> (String, String, String) {
    let all = rows(&home.read("out/league.csv"));
    let row = all.iter().find(|row| row["night"] == night && row["engine"] == engine);
    let row = row.unwrap_or_else(|| panic!("{night} {engine}: {all:?}"));
    (row["division"].clone(), row["place"].clone(), row["moves"].clone())
}

/// The first page of its report, and its small file.
fn season_is_told(home: &Home) {
    let said = home.agon(["report", "out", "--out", "pages"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let page = home.read("pages/index.html");
    for part in [
        "<li>a cup &lt;of gold&gt;</li><li>a book</li>",
        "Divisions of night 3",
        "<caption>The season</caption>",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("goes on or has won"), "{page}");
    let nights = page.split_once("The nights</h2>").unwrap().1;
    assert!(nights.find(">night 3<") < nights.find(">night 1<"), "{nights}");
    // All who have played, those who left and those who came.
    let season = page.split_once("The season</caption>").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(season.matches("<th scope=\"row\"").count(), 7, "{season}");
    let last: Vec<String> =
        (2..=6).map(|number| format!("m{number}")).chain(["newcomer".to_owned()]).collect();
    let divisions = page.split_once("Divisions of night 3").unwrap().1.split_once("The season").unwrap().0;
    for engine in &last {
        let there: i32 = division_of(home, "3", engine).0.parse().unwrap();
        let came = match engine.as_str() {
            "newcomer" => "new",
            _ => match there - division_of(home, "2", engine).0.parse::<i32>().unwrap() {
                0 => "",
                -1 => "came up",
                _ => "came down",
            },
        };
        let row = divisions.split("<li>").find(|row| row.contains(&format!(">{engine}</a>"))).unwrap();
        assert!(row.contains(&format!("<span class=\"came\">{came}</span>")), "{engine}: {row}");
    }
    let status: Value = serde_json::from_str(&home.read("pages/status.json")).unwrap();
    let mut told: Vec<&str> = (status["divisions"].as_array().unwrap().iter())
        .flat_map(|division| division["standings"].as_array().unwrap())
        .map(|row| row["engine"].as_str().unwrap())
        .collect();
    told.sort_unstable();
    assert_eq!(told, last, "{status}");
}

#[test]
fn a_league_goes_on_from_night_to_night_with_promotion_and_relegation() {
    let home = movers(6);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                seeds = [\"m1\", \"m2\"]\n\n[event]\nprizes = \"a cup <of gold>\\n\\n a book\"\n\n[league]\ndivisions = 3\n";
    let first = plays(&home, "league.toml", text);
    assert!(first.out().contains("night 1, division 3\n"), "{}", first.all());
    assert_eq!(division_of(&home, "1", "m1").0, "1");
    assert_eq!(rows(&home.read("out/league.csv")).iter().filter(|row| row["moves"] == "up").count(), 2);
    // The same night again plays nothing and writes the same files.
    let (games, league) = (home.read("out/night-1/games.csv"), home.read("out/league.csv"));
    let again = plays(&home, "league.toml", text);
    assert!(
        again.err().contains("night 1 is over; its games count; --next begins the next night"),
        "{}",
        again.all()
    );
    assert_eq!((home.read("out/night-1/games.csv"), home.read("out/league.csv")), (games, league));
    assert!(!home.path("out/night-2").exists());
    for night in ["2", "3"] {
        // Before the third night one engine leaves and another comes.
        let leaves = if night == "3" { Some("m1") } else { None };
        if let Some(name) = leaves {
            fs::rename(home.path(format!("engines/{name}")), home.path("engines/newcomer")).unwrap();
            home.put("league.toml", text.replace("\"m1\", ", ""));
        }
        let next = home.agon("tournament league.toml --no-check --next".split(' '));
        assert_eq!(next.code, Some(0), "{}", next.all());
        let before = (night.parse::<u32>().unwrap() - 1).to_string();
        for number in 2..=6 {
            let engine = format!("m{number}");
            let (division, _, moves) = division_of(&home, &before, &engine);
            let division: i32 = division.parse().unwrap();
            let moved =
                division + ["up", "", "down"].iter().position(|word| *word == moves).unwrap() as i32 - 1;
            let there: i32 = division_of(&home, night, &engine).0.parse().unwrap();
            assert!(there == moved || leaves.is_some() && there == moved - 1, "{engine}: {}", next.all());
        }
    }
    assert_eq!(division_of(&home, "3", "newcomer").0, "3");
    season_is_told(&home);
    // The nights have other games.
    let plies = |night: &str| home.agon(["replay", "out", "r01-p0001-g01", "--stage", night]).out();
    assert_ne!(plies("1"), plies("2"));
    let standings = home.agon("standings out --csv".split(' ')).out();
    assert_eq!(rows(&standings).len(), 18);
    let status = home.agon("status out".split(' ')).out();
    assert!(status.lines().nth(2).unwrap().starts_with("night 3: over, 6 games; first: "), "{status}");
    for night in 1..=3 {
        let file = format!("out/night-{night}");
        assert_eq!(home.agon(["verify", &file]).code, Some(0));
        let standings = cells(&home, &format!("{file}/standings.csv"), &["group", "rank", "engine"]);
        let league = cells(&home, "out/league.csv", &["night", "division", "place", "engine"]);
        let league =
            league.into_iter().filter(|row| row[0] == night.to_string()).map(|row| row[1..].to_vec());
        assert_eq!(standings, league.collect::<Vec<_>>());
    }
}

#[test]
fn a_league_that_does_not_fit_is_refused_with_its_line() {
    let home = movers(4);
    for (text, words) in [
        ("[league]\ndivisions = 3\n", "line 3: key league.divisions: 4 engines do not fill 3 divisions"),
        (
            "[league]\ndivisions = 2\npromote = 3\n",
            "line 4: key league.promote: 3 of a division of 2 cannot change",
        ),
        (
            "[league]\ndivisions = 2\npromote = 1\nrelegate = 2\n",
            "line 5: key league.relegate: 2 go down, but 1 go up",
        ),
        ("[league]\npromote = 1\n", "key league.divisions: is missing"),
        (
            "format = \"swiss\"\nrounds = 2\n[league]\ndivisions = 2\n",
            "line 2: key format: a night of a league",
        ),
    ] {
        home.put("league.toml", format!("engines = \"engines\"\n{text}"));
        let said = home.agon(["tournament", "league.toml"]);
        assert_eq!(said.code, Some(2), "{text}: {}", said.all());
        assert!(said.err().contains(words), "{text}: {}", said.all());
    }
    let next = home.agon("tournament engines --next".split(' '));
    assert!(next.err().contains("--next is for a tournament.toml with [league]"), "{}", next.all());
}

#[test]
fn the_progress_of_a_knockout_names_who_is_still_in_and_counts_all_its_games() {
    let home = movers(4);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\
                format = \"knockout\"\nplay-offs = 0\n";
    fs::write(home.path("cup.toml"), text).unwrap();
    let dry = home.agon("tournament cup.toml --no-check --dry-run".split(' '));
    let plan = "stage 1: dry run: 8 games in the plan; 0 count already, 8 would be played, up to ";
    assert!(dry.out().starts_with(plan), "{}", dry.out());
    let said = plays(&home, "cup.toml", text);
    assert!(!said.err().contains("nothing has changed"), "{}", said.all());
    let progress: Vec<String> =
        said.err().lines().filter(|line| line.contains("/8 games")).map(str::to_owned).collect();
    let places = cells(&home, "out/places.csv", &["engine"]).concat();
    let semi = progress.iter().find(|line| line.starts_with("4/8 games")).unwrap();
    let (_, still_in) = semi.rsplit_once("still in: ").unwrap_or_else(|| panic!("{}", said.all()));
    let mut still_in: Vec<&str> = still_in.split(", ").collect();
    still_in.sort_unstable();
    let mut finalists = [places[0].as_str(), places[1].as_str()];
    finalists.sort_unstable();
    assert_eq!(still_in, finalists, "{}", said.all());
    let last = progress.last().unwrap();
    assert!(last.starts_with("8/8 games; leading: "), "{}", said.all());
    assert!(last.contains(&format!("leading: {} ", places[0])), "{}", said.all());
}

#[test]
fn the_progress_of_groups_names_the_first_of_each_and_an_unfinished_cup_has_no_winners() {
    let (home, first) = first_stage();
    let table = rows(&home.read("out/stage-1/standings.csv"));
    let of = |group: &str| {
        let row = table.iter().find(|row| row["group"] == group && row["rank"] == "1").unwrap();
        format!("{} {}", row["engine"], row["points"])
    };
    let leading = format!("4/4 games; leading: group A: {}, group B: {}\n", of("1"), of("2"));
    assert!(first.err().contains(&leading), "{leading}{}", first.all());
    assert!(!first.out().contains("\n1  m"), "{}", first.all());
    assert!(plays(&home, "cup.toml", GROUPS_AND_FINAL).out().contains("\n1  m"));
}

#[test]
fn a_cup_is_stopped_by_its_directory() {
    let home = movers(3);
    home.put(
        "cup.toml",
        "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2000\nseed = 7\n\
         [[stages]]\nadvance = 2\nplay-offs = 0\n[[stages]]\nformat = \"finals\"\n",
    );
    let said = home.shell(
        "agon tournament cup.toml --no-check --quiet >played & \
         until [ \"$(agon games out 2>/dev/null | wc -l)\" -gt 3 ]; do sleep 0.05; done; \
         agon stop out --wait; agon status out; wait",
    );
    assert!(said.out().starts_with("asked process "), "{}", said.all());
    assert!(said.out().contains("\nstage 1: stopped, "), "{}", said.all());
    let idle = home.agon(["stop", "out"]);
    assert!(idle.err().contains("out: no process plays this run now"), "{}", idle.all());
}

#[test]
fn a_new_engine_of_a_swiss_has_no_number_of_pairings_and_the_dry_run_counts_all_rounds() {
    let home = movers(4);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 400\nseed = 7\n\
                format = \"swiss\"\nrounds = 2\n";
    fs::write(home.path("cup.toml"), text).unwrap();
    let stopped = home.shell(
        "agon tournament cup.toml --no-check --quiet & \
         until [ \"$(agon games out 2>/dev/null | wc -l)\" -gt 3 ]; do sleep 0.05; done; agon stop out --wait; wait",
    );
    assert!(stopped.out().contains("asked process"), "{}", stopped.all());
    fs::create_dir(home.path("engines/yak")).unwrap();
    fs::copy(home.path("engines/m1/engine.toml"), home.path("engines/yak/engine.toml")).unwrap();
    fs::create_dir(home.path("engines/zoe")).unwrap();
    fs::copy(home.path("engines/m1/engine.toml"), home.path("engines/zoe/engine.toml")).unwrap();
    let dry = home.agon("tournament cup.toml --no-check --dry-run".split(' '));
    assert!(dry.err().contains("yak is new: its pairings are played\n"), "{}", dry.all());
    // Three matches in each of two rounds.
    assert!(dry.out().starts_with("stage 1: dry run: 2400 games in the plan; "), "{}", dry.all());
}

#[test]
fn the_history_of_a_league_goes_from_night_to_night_with_the_divisions() {
    let home = movers(6);
    let text = "engines = \"engines\"\nout = \"out\"\ngame = \"connect4\"\nst = 1\ngames = 2\nseed = 7\n\n\
                [league]\ndivisions = 3\n";
    fs::write(home.path("league.toml"), text).unwrap();
    let plan = home.agon(["plan", "league.toml"]);
    assert_eq!(plan.code, Some(0), "{}", plan.all());
    let groups = |said: &str| -> Vec<String> {
        said.lines().filter(|line| line.contains(", division ")).map(str::to_owned).collect()
    };
    assert_eq!(groups(&plan.out()).len(), 3, "{}", plan.all());
    let dry = home.agon("tournament league.toml --dry-run --no-check".split(' '));
    assert_eq!(groups(&dry.err()), groups(&plan.out()), "{}", dry.all());
    let night = || {
        let said = home.agon("nightly league.toml --next --no-check".split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        said.out()
    };
    let first = night();
    assert!(first.contains(" lead their groups; new: m1, "), "{first}");
    let played: Vec<Vec<String>> = cells(&home, "out/league.csv", &["division", "engine"]);
    for row in &played {
        let at = groups(&plan.out())[row[0].parse::<usize>().unwrap() - 1].clone();
        assert!(at.contains(&row[1]), "{row:?} {at}");
    }
    let second = night();
    let last = second.split("; night 2: ").last().unwrap();
    assert!(last.contains(" lead their groups") && !last.contains("new:"), "{second}");
    let history = rows(&home.agon("history out --csv".split(' ')).out());
    let league = rows(&home.read("out/league.csv"));
    for row in &history {
        let of = |night: &str| {
            league.iter().find(|other| other["night"] == night && other["engine"] == row["engine"]).unwrap()
        };
        assert_eq!(row["division"], of(&row["stage"])["division"]);
        let before = if row["stage"] == "2" { of("1")["place"].as_str() } else { "" };
        assert_eq!(row["before"], before, "{row:?}");
        assert_eq!(row["remark"], if row["stage"] == "2" { "" } else { "new" }, "{row:?}");
    }
    // Equal engines: only the lot can tell them apart.
    let standings = home.agon("standings out --stage 2".split(' ')).out();
    assert!(standings.contains(": lot: "), "{standings}");
}
