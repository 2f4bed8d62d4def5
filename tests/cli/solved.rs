//! Values of solved games on the command line: `agon position value` and `agon solve`.

use std::fs;

use serde_json::Value;

use super::home::{Home, Said};
use crate::support::{MOVER, ORACLE};

/// Runs a command with a cache of its own.
fn run(home: &Home, line: &str) -> Said {
    home.shell(&format!("XDG_CACHE_HOME=$PWD/cache agon {line}"))
}

#[test]
fn a_position_has_its_value_and_every_move_too() {
    let home = Home::new();
    for (line, words) in [
        ("position value mnk:3x3,3", "X to move: drawn\n"),
        ("position value mnk:4x3,3", "X to move: won in 7\n"),
        ("position value mnk:3x3,3 --moves 'a1 b2 a2'", "O to move: drawn\n"),
        ("position value mnk:3x3,3 --moves 'a1 b2 a2 a3 c1'", "O to move: drawn\n"),
        ("position value mnk:3x3,3 --moves 'a1 b1 a2 b2 a3'", "the game is over: lost in 0\n"),
        ("position value connect4", "X to move: won\n"),
    ] {
        let said = run(&home, line);
        assert!(said.code == Some(0) && said.out().starts_with(words), "{line}: {}", said.all());
    }
    let said = run(&home, "position value mnk:3x3,3 --moves 'a1 c3 c1' --json");
    let json: Value = serde_json::from_str(&said.out()).unwrap();
    assert_eq!((&json["value"], &json["to_move"]), (&"lost".into(), &"O".into()), "{json}");
    let moves = json["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 6, "{json}");
    // Each reply loses; b1 stops the row and so lasts longest, as far as there is a longest.
    assert!(moves.iter().all(|one| one["value"] == "lost"), "{json}");
    assert_eq!(moves[0]["remoteness"], json["remoteness"], "the best move comes first: {json}");
}

#[test]
#[ignore = "slow"]
fn a_table_is_made_once_and_made_again_when_it_is_damaged() {
    let home = Home::new();
    let solved = run(&home, "solve morris --verify");
    assert_eq!(solved.code, Some(0), "{}", solved.all());
    assert!(solved.out().contains("every position agrees with its successors"), "{}", solved.all());
    assert!(run(&home, "position value morris").out().starts_with("X to move: drawn\n"));
    let files: Vec<_> =
        fs::read_dir(home.path("cache/agon")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let whole = fs::read(&files[0]).unwrap();
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged.truncate(middle);
    fs::write(&files[0], &damaged).unwrap();
    let again = run(&home, "position value morris");
    assert!(again.code == Some(0) && again.out().starts_with("X to move: drawn\n"), "{}", again.all());
    assert_eq!(again.err().matches("warning: ").count(), 1, "{}", again.all());
    assert_eq!(fs::read(&files[0]).unwrap(), whole);
    // Where nothing can be written, it is solved in memory.
    fs::remove_file(&files[0]).unwrap();
    home.put("nowhere", "");
    let said = home.shell("XDG_CACHE_HOME=$PWD/nowhere agon position value morris");
    assert!(said.code == Some(0) && said.err().contains("kept in memory alone"), "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn two_that_solve_at_once_leave_one_whole_table() {
    let home = Home::new();
    let said = home.shell(
        "export XDG_CACHE_HOME=$PWD/cache; agon solve morris >one 2>&1 & XDG_CACHE_HOME=$PWD/cache \
         agon solve morris >two 2>&1 && wait $! && cat one two && ls -A cache/agon && agon position value morris",
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(said.out().matches(" cells, ").count(), 2, "{}", said.all());
    assert!(!said.all().contains("warning"), "{}", said.all());
    let files = fs::read_dir(home.path("cache/agon")).unwrap().count();
    assert_eq!(files, 1, "{}", said.all());
    let said = run(&home, "position value morris");
    assert!(said.out().starts_with("X to move: drawn\n") && said.err().is_empty(), "{}", said.all());
}

#[test]
#[ignore = "slow"]
fn a_full_disk_and_no_home_each_cost_one_warning() {
    let home = Home::new();
    for (line, words) in [
        // The table has more bytes than a file may have here.
        ("ulimit -f 1000; XDG_CACHE_HOME=$PWD/cache agon position value morris", "kept in memory alone"),
        (
            "env -u HOME -u XDG_CACHE_HOME agon position value morris",
            "neither XDG_CACHE_HOME nor HOME names a folder",
        ),
    ] {
        let said = home.shell(line);
        assert_eq!(said.code, Some(0), "{line}: {}", said.all());
        assert!(said.out().starts_with("X to move: drawn\n"), "{line}: {}", said.all());
        assert_eq!(said.err().matches("warning: ").count(), 1, "{line}: {}", said.all());
        assert!(said.err().contains(words), "{line}: {}", said.all());
    }
    let left = fs::read_dir(home.path("cache/agon")).unwrap().count();
    assert_eq!(left, 0, "no part of a table is left");
}

#[test]
#[ignore = "slow"]
fn a_position_that_cannot_be_reached_is_answered_and_one_that_breaks_the_rules_is_refused() {
    let home = Home::new().with_morris_solved();
    // O has a stone before anybody has placed one.
    let said = run(&home, "position value morris --position 'O............... x 5 5'");
    assert!(said.code == Some(0) && said.out().starts_with("X to move: "), "{}", said.all());
    assert!(!said.out().contains("unknown"), "{}", said.all());
    for (position, words) in [
        ("XXXXXXX......... x 6 6", "X"),
        ("OOOOOOOO........ x 0 0", "O"),
        ("................ x 7 6", "6"),
        ("............... x 6 6", "16"),
    ] {
        let said = run(&home, &format!("position value morris --position '{position}'"));
        assert_eq!(said.code, Some(2), "{position}: {}", said.all());
        assert!(said.err().starts_with("error: --position: "), "{position}: {}", said.all());
        assert!(said.err().contains(words), "{position}: {}", said.all());
    }
}

#[test]
#[ignore = "slow"]
fn a_value_of_a_solved_game_takes_a_small_part_of_the_time_of_solving_it() {
    let home = Home::new();
    let timed = || {
        let clock = std::time::Instant::now();
        assert_eq!(run(&home, "position value morris").code, Some(0));
        clock.elapsed()
    };
    let first = timed();
    let later = (0..5).map(|_| timed()).min().unwrap();
    assert!(later < first / 3, "{first:?} {later:?}");
}

#[test]
fn what_has_no_value_is_named() {
    let home = Home::new();
    for (line, words) in [
        ("position value abalone", "nothing of abalone is solved"),
        ("solve mill", "mill has no table"),
        ("position value mnk:3x3,3 --position nonsense", "--position: row 1, cell 1 is 'n'"),
        ("position value mnk:3x3,3 --moves 'b2 b2'", "--moves: move 2, \"b2\": b2 is taken"),
        ("solve morris --threads 0", "--threads: 0 threads solve nothing"),
    ] {
        let said = run(&home, line);
        assert!(said.code == Some(2) && said.err().contains(words), "{line}: {}", said.all());
    }
    let unknown = run(&home, "position value mill");
    assert!(unknown.code == Some(0) && unknown.out().contains("unknown: "), "{}", unknown.all());
}

/// Two games of tic-tac-toe as text: the first is thrown away by O at ply 2, the second is a draw.
const RECORD: &str = "[Event \"x\"]\n[X \"ada\"]\n[O \"bob\"]\n[Result \"1-0\"]\n[Id \"r01-p0001-g01\"]\n\
     [Game \"mnk:3x3,3\"]\n[Start \"startpos\"]\n[Seats \"X,O\"]\n\n1. a1 b1\n2. b2 c3\n3. a2 a3\n4. c2\n\n1-0\n";

#[test]
fn an_analysis_names_the_move_that_lost_a_game_and_a_better_one() {
    let home = Home::new();
    home.put("game.txt", RECORD);
    let said = run(&home, "analyse game.txt");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let told = "bob lost the game at ply 2 first, with O,b1; best was O,b2\n";
    assert!(said.out().ends_with(told), "{}", said.all());
    let line = said.out().lines().find(|line| line.contains("blunder")).unwrap_or_default().to_owned();
    for word in ["O,b1", "drawn", "lost in 6", "O,b2"] {
        assert!(line.contains(word), "{word}: {}", said.all());
    }
    let json: Value = serde_json::from_str(&run(&home, "analyse game.txt --json").out()).unwrap();
    assert_eq!((&json["first_losing_ply"], &json["last_blunder"]), (&2.into(), &2.into()), "{json}");
    assert_eq!(json["thrown_away_by"], serde_json::json!(["bob"]), "{json}");
    let csv = run(&home, "analyse game.txt --csv").out();
    assert!(
        csv.contains("\nr01-p0001-g01,2,first third,O,bob,\"O,b1\",blunder,drawn,,lost,6,\"O,b2\",8,1\n"),
        "{csv}"
    );
}

#[test]
fn a_game_is_lost_only_by_the_one_who_has_lost_it() {
    let home = Home::new();
    // O loses the game at ply 2, and X gives it back at ply 3.
    let drawn = RECORD
        .replace("1-0", "1/2-1/2")
        .replace("1. a1 b1\n2. b2 c3\n3. a2 a3\n4. c2\n", "1. a1 b1\n2. b3 b2\n3. c1 a3\n4. a2 c3\n5. c2\n");
    home.put("game.txt", drawn);
    let said = run(&home, "analyse game.txt");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let out = said.out();
    assert!(out.contains("bob had a lost position at ply 2 first, with O,b1; best was"), "{out}");
    assert!(out.contains("ada threw the win away at ply 3 first, with X,b3; best was"), "{out}");
    assert!(!out.contains("lost the game"), "{out}");
}

#[test]
fn an_analysis_that_is_stopped_shows_the_games_that_are_done() {
    let home = Home::new();
    for name in ["one", "two"] {
        let args = "args = [\"{game}\", \"{side}\", \"{seconds}\", \"{position}\"]\n";
        home.put(format!("engines/{name}/engine.toml"), format!("command = [{MOVER:?}]\n{args}"));
    }
    let played = run(&home, "tournament engines --game connect4 --games 12 --st 5 --seed 3 --out out");
    assert_eq!(played.code, Some(0), "{}", played.all());
    // A shell lets what it starts with & ignore SIGINT.
    let said = run(
        &home,
        "analyse out --positions 20000 2>err & analysis=$!; \
         until grep -q analysing err; do sleep 0.02; done; kill -TERM $analysis; wait $analysis",
    );
    assert_eq!(said.code, Some(130), "{}", said.all());
    assert!(said.out().contains("thrown away"), "no table: {}", said.all());
    let err = home.read("err");
    let line = err.lines().find(|line| line.starts_with("stopped: ")).unwrap_or_default();
    let numbers: Vec<u32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(matches!(numbers[..], [done, left] if done + left == 12 && left > 0), "{err}");
}

#[test]
fn an_analysis_that_is_stopped_does_not_wait_for_the_games_in_work() {
    let home = Home::new();
    for name in ["one", "two"] {
        let args = "args = [\"{game}\", \"{side}\", \"{seconds}\", \"{position}\"]\n";
        home.put(format!("engines/{name}/engine.toml"), format!("command = [{MOVER:?}]\n{args}"));
    }
    // A search for one value takes up to a second, and each ply has many words.
    let played = run(
        &home,
        "tournament engines --game letters:5x5x4 --games 4 --st 5 --seed 3 --out out --max-plies 40",
    );
    assert_eq!(played.code, Some(0), "{}", played.all());
    let began = std::time::Instant::now();
    let said = run(
        &home,
        "analyse out 2>err & analysis=$!; \
         until grep -q analysing err; do sleep 0.02; done; sleep 1; kill -TERM $analysis; wait $analysis",
    );
    assert_eq!(said.code, Some(130), "{}", said.all());
    assert!(
        home.read("err").contains("stopped: 0 games were analysed, and 4 are left"),
        "{}",
        home.read("err")
    );
    // One of them takes minutes.
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
#[ignore = "slow"]
fn an_analysis_of_a_run_counts_for_each_engine_what_it_found_and_threw_away() {
    let home = Home::new().with_morris_solved();
    let mover = MOVER;
    for name in ["one", "two"] {
        let toml = format!(
            "command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"
        );
        home.put(format!("engines/{name}/engine.toml"), &toml);
    }
    let played =
        run(&home, "tournament engines --game morris --games 6 --st 5 --seed 3 --out out --max-plies 60");
    assert_eq!(played.code, Some(0), "{}", played.all());
    let said = run(&home, "analyse out");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let text = said.out();
    assert!(text.contains("placing") && text.contains("sliding"), "{text}");
    assert!(
        text.contains("The games thrown away, each with the first move that changed the value:"),
        "{text}"
    );
    let engines = run(&home, "analyse out --engines --json").out();
    let lines: Vec<Value> = engines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{engines}");
    let csv = run(&home, "analyse out --csv").out();
    for engine in &lines {
        let name = engine["engine"].as_str().unwrap();
        let count = |what: &str| {
            csv.lines().filter(|row| row.contains(&format!(",{name},")) && row.contains(what)).count()
        };
        assert_eq!(engine["games"], 6, "{engine}");
        assert_eq!(engine["moves"], count(""), "{engine}");
        assert_eq!(engine["known"], engine["moves"], "all of six men's morris is known: {engine}");
        assert_eq!(
            (&engine["blunders"], &engine["slips"]),
            (&count(",blunder,").into(), &count(",slip,").into())
        );
        assert!(engine["blunders"].as_u64().unwrap() > 0, "random moves: {engine}");
    }
    let one = run(&home, "analyse out r01-p0001-g01");
    assert!(one.code == Some(0) && one.out().contains("after it"), "{}", one.all());
}

#[test]
#[ignore = "slow"]
fn a_win_that_was_thrown_to_a_draw_is_listed_with_its_move() {
    let home = Home::new().with_morris_solved();
    // X's third ply gives back what O's second one lost.
    let record = RECORD
        .replace("1-0", "1/2-1/2")
        .replace("1. a1 b1\n2. b2 c3\n3. a2 a3\n4. c2\n", "1. a1 b1\n2. c3 b2\n3. b3 c2\n4. a2 a3\n5. c1\n");
    home.put("game.txt", &record);
    let said = run(&home, "analyse game.txt --json");
    let json: Value = serde_json::from_str(&said.out()).unwrap();
    assert_eq!(json["thrown_away_by"], serde_json::json!(["ada"]), "{json}");
    let mover = MOVER;
    let toml = |name: &str| {
        let args = "[\"{game}\", \"{side}\", \"{seconds}\", \"{position}\"]";
        home.put(format!("{name}/engine.toml"), format!("command = [{mover:?}]\nargs = {args}\n"));
    };
    ["one", "two"].into_iter().for_each(toml);
    assert_eq!(
        run(&home, "match one two --game morris --games 20 --st 5 --seed 3 --max-plies 40 --out out").code,
        Some(0)
    );
    let listed = run(&home, "analyse out --list 100").out();
    let thrown: Vec<Value> = run(&home, "analyse out --json")
        .out()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|game: &Value| !game["thrown_away_by"].as_array().unwrap().is_empty())
        .collect();
    assert!(thrown.len() > 2 && listed.contains("won in "), "{listed}");
    for game in thrown {
        let id = game["id"].as_str().unwrap();
        assert!(listed.lines().any(|line| line.starts_with(id)), "{id}: {listed}");
    }
    assert!(listed.lines().any(|line| line.contains("-> drawn")), "a win thrown to a draw: {listed}");
}

#[test]
fn an_analysis_of_a_cup_has_the_stage_of_each_ply() {
    let home = Home::new();
    let mover = MOVER;
    for name in ["one", "two", "three", "four"] {
        let args = "[\"{game}\", \"{side}\", \"{seconds}\", \"{position}\"]";
        home.put(format!("e/{name}/engine.toml"), format!("command = [{mover:?}]\nargs = {args}\n"));
    }
    home.put(
        "cup.toml",
        "engines = \"e\"\nout = \"cup\"\ngame = \"mnk:3x3,3\"\nst = 5\ngames = 2\nseed = 7\n\
         [[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 1\n\n[[stages]]\nname = \"finals\"\nformat = \"knockout\"\n",
    );
    assert_eq!(run(&home, "tournament cup.toml --no-check").code, Some(0));
    let csv = run(&home, "analyse cup --csv").out();
    let mut rows = csv.lines();
    assert!(rows.next().unwrap().ends_with(",keeping,stage"), "{csv}");
    let stages: Vec<&str> = rows.map(|row| row.rsplit(',').next().unwrap()).collect();
    assert!(stages.is_sorted() && stages.first() == Some(&"1") && stages.last() == Some(&"2"), "{csv}");
    let json: Vec<Value> = (run(&home, "analyse cup --json").out().lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let plies: usize = json.iter().map(|game| game["plies"].as_array().unwrap().len()).sum();
    assert!(plies == stages.len() && json.iter().all(|game| game["stage"].is_u64()), "{plies}");
}

#[test]
fn an_analysis_of_what_is_not_solved_says_so() {
    let home = Home::new();
    home.put(
        "game.txt",
        RECORD.replace("mnk:3x3,3", "abalone").replace("1. a1 b1\n2. b2 c3\n3. a2 a3\n4. c2\n", ""),
    );
    let said = run(&home, "analyse game.txt");
    assert!(said.code == Some(2) && said.err().contains("nothing of abalone is solved"), "{}", said.all());
    home.put("torn.txt", RECORD.replace("3. a2", "3. a1"));
    let said = run(&home, "analyse torn.txt");
    assert!(said.code == Some(2) && said.err().contains("game r01-p0001-g01, ply 5: "), "{}", said.all());
    assert_eq!(run(&home, "analyse nowhere").code, Some(2));
}

#[test]
fn a_person_sees_the_values_of_the_legal_moves() {
    let home = Home::new();
    let mover = MOVER;
    let toml = format!(
        "command = [{mover:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{seconds}}\", \"{{position}}\"]\n"
    );
    home.put("mover/engine.toml", &toml);
    let play = |options: &str| {
        home.shell(&format!("printf 'moves\\nquit\\n' | XDG_CACHE_HOME=$PWD/cache agon play mover {options}"))
    };
    let said = play("--game mnk:4x3,3 --hints value");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let values: Vec<String> = said
        .out()
        .lines()
        .filter_map(|line| {
            line.rsplit_once("> ").map_or(Some(line), |(_, rest)| Some(rest)).map(str::to_owned)
        })
        .collect();
    let best =
        values.iter().find(|line| line.starts_with("won in 7: ")).unwrap_or_else(|| panic!("{}", said.all()));
    assert!(best.contains("b2") && best.contains("c2"), "the middle of the board wins: {best}");
    assert!(!best.contains(','), "without sides: {best}");
    let refused = play("--game abalone --hints value");
    assert!(
        refused.code == Some(2) && refused.err().contains("nothing of abalone is solved"),
        "{}",
        refused.all()
    );
    assert!(play("--game mnk:3x3,3 --hints words").err().contains("possible values: points, value"));
}

/// Two folders of engines: the oracle with these arguments, and one that plays any move.
fn with_oracle(more: &str) -> Home {
    let home = Home::new().with_morris_solved();
    let programs =
        [("oracle", ORACLE, &*format!(", \"--tables\", \"{{tables}}\"{more}")), ("mover", MOVER, "")];
    for (name, program, more) in programs {
        let toml = format!(
            "command = [{program:?}]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"{more}]\n"
        );
        home.put(format!("{name}/engine.toml"), &toml);
    }
    home
}

/// The points of the oracle, and all its games.
fn points_of_oracle(home: &Home, options: &str) -> (f64, usize) {
    let said = run(home, &format!("match oracle mover --seed 5 --st 20 --startup 60 --out out {options}"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let games = home.shell("agon games out --json").out();
    let (mut points, mut count) = (0.0, 0);
    for line in games.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        assert_eq!(game["termination"], "normal", "{game}");
        let is_first = game["engines"][0] == "oracle";
        points += match game["result"].as_str().unwrap() {
            "1/2-1/2" => 0.5,
            "1-0" if is_first => 1.0,
            "0-1" if !is_first => 1.0,
            _ => 0.0,
        };
        count += 1;
    }
    (points, count)
}

#[test]
#[ignore = "slow"]
fn the_oracle_loses_no_game_that_is_drawn_or_won_and_with_no_skill_it_plays_anything() {
    // From the start both sides have a draw, so no game is lost.
    for (game, games) in [("mnk:3x3,3", 12), ("mnk:4x4,4", 6), ("morris", 4)] {
        let home = with_oracle("");
        let (points, count) =
            points_of_oracle(&home, &format!("--game {game} --games {games} --random-plies 0"));
        assert!(points * 2.0 >= count as f64, "{game}: {points} of {count}");
        let lost = run(&home, "games out --engine oracle --lost --json").out();
        assert_eq!(lost, "", "{game}");
        // Its moves are perfect by the analysis, too.
        let analysed = run(&home, "analyse out --engines --json").out();
        let own: Value = analysed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .find(|engine: &Value| engine["engine"] == "oracle")
            .unwrap();
        assert_eq!((&own["perfect"], &own["thrown_away"]), (&own["known"], &0.into()), "{game}: {own}");
    }
    // The first player wins on four columns and three rows.
    let home = with_oracle("");
    let (points, count) = points_of_oracle(&home, "--game mnk:4x3,3 --games 8 --random-plies 0");
    assert!(points >= 4.0, "{points} of {count}");
    let home = with_oracle(", \"--skill\", \"0\"");
    points_of_oracle(&home, "--game mnk:4x4,4 --games 10");
    let analysed = run(&home, "analyse out --engines --json").out();
    let own: Value = analysed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|engine: &Value| engine["engine"] == "oracle")
        .unwrap();
    assert!(own["perfect"].as_u64() < own["known"].as_u64(), "{own}");
}

#[test]
#[ignore = "slow"]
fn a_game_whose_winner_is_known_ends_and_is_proved() {
    let home = with_oracle("");
    let play = |options: &str| {
        let said = run(&home, &format!("match oracle mover --seed 5 --st 20 --startup 60 {options}"));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let out = options.split(' ').next_back().unwrap();
        home.shell(&format!("agon games {out} --json | sed -E 's/\"(started|finished)\":\"[^\"]*\",?//g'"))
            .out()
    };
    let lines =
        |text: &str| -> Vec<Value> { text.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    let ended = |games: &[Value], how: &str| games.iter().filter(|game| game["termination"] == how).count();
    let by_value = |game: &Value| {
        let reason = game["reason"].as_str().unwrap();
        let (side, rest) = reason.split_once(" wins in ").unwrap_or_else(|| panic!("{game}"));
        let plies: u32 = rest.split(' ').next().unwrap().parse().unwrap();
        assert!(rest.ends_with(" by perfect play") && (1..=5).contains(&plies), "{reason}");
        assert!(game["plies"].as_u64().unwrap() >= 2, "each side has moved: {game}");
        assert_eq!(game["result"], if side == "X" { "1-0" } else { "0-1" }, "{game}");
    };
    let options = "--game mnk:4x4,3 --games 6 --random-plies 0 --adjudicate 5 --out short";
    let games = lines(&play(options));
    assert!(ended(&games, "adjudication") > 2, "{games:?}");
    games.iter().filter(|game| game["termination"] == "adjudication").for_each(by_value);
    let verified = run(&home, "verify short");
    assert_eq!(verified.code, Some(0), "{}", verified.all());
    assert!(verified.out().contains("adjudications"), "{}", verified.out());
    // The same seed gives the same games; without the option they are played to their end.
    assert_eq!(lines(&play(&options.replace("short", "again"))), games);
    let whole = lines(&play(&options.replace("--adjudicate 5", "--adjudicate 0").replace("short", "whole")));
    assert_eq!(ended(&whole, "normal"), whole.len());
    for (short, whole) in games.iter().zip(&whole) {
        assert!(short["plies"].as_u64() <= whole["plies"].as_u64(), "{short} {whole}");
    }
    // A record with another winner or another distance is refused.
    let replayed = run(&home, "replay short/games/r01.txt");
    assert_eq!(replayed.code, Some(0), "{}", replayed.all());
    let text = home.read("short/games/r01.txt");
    let reason = text.lines().find(|line| line.contains("by perfect play")).unwrap();
    let longer = reason.replace(" wins in ", " wins in 1");
    home.put("longer.txt", text.replace(reason, &longer));
    let refused = run(&home, "replay longer.txt");
    assert!(refused.code == Some(4) || refused.code == Some(2), "{}", refused.all());
    assert!(refused.all().contains("Reason"), "{}", refused.all());
    let exported = run(&home, "export json short").out();
    home.put("longer.jsonl", exported.replace(" wins in ", " wins in 1"));
    let refused = run(&home, "import other longer.jsonl");
    assert!(refused.code != Some(0) && refused.err().contains("reason"), "{}", refused.all());
    // Morris has a table, and rules about repetition. Nothing of abalone is solved.
    let morris = lines(&play("--game morris --games 4 --adjudicate 30 --out morris"));
    assert!(ended(&morris, "adjudication") > 0, "{morris:?}");
    assert_eq!(run(&home, "verify morris").code, Some(0));
    let unsolved = run(&home, "match oracle mover --game abalone --adjudicate 5");
    assert_eq!(unsolved.code, Some(2), "{}", unsolved.all());
    assert!(unsolved.err().contains("--adjudicate: nothing of abalone"), "{}", unsolved.err());
}

#[test]
#[ignore = "slow"]
fn positions_of_morris_are_given_shown_and_counted_by_tier() {
    let home = Home::new().with_morris_solved();
    let said = run(&home, "position show morris --position '731 XXX.O........... o'");
    assert!(said.out().ends_with("tier 731\nXXX.O........... o 3 4\n"), "{}", said.all());
    let said = run(&home, "position value morris --position '44 XX.O.O.X.O..OX.. x'");
    assert!(said.code == Some(0) && said.out().contains("\ntier 44\n"), "{}", said.all());
    let said = run(&home, "position value morris --moves '0 3 1 4' --json");
    let json: Value = serde_json::from_str(&said.out()).unwrap();
    assert_eq!(json["tier"], 822, "{json}");
    let tiers: Vec<u64> =
        json["moves"].as_array().unwrap().iter().map(|one| one["tier"].as_u64().unwrap()).collect();
    // The mill 0-1-2 takes a man.
    assert!(tiers.contains(&732) && tiers.contains(&731) && tiers.len() == 13, "{tiers:?}");
    let said = run(&home, "position value morris --position '732 XX.OO........... x'");
    assert!(said.code == Some(2) && said.err().contains("in tier 732 X has 3 men"), "{}", said.all());

    // A tier of n men to place has one side to move, and one without has both.
    let choose = |n: u64, k: u64| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
    let said = run(&home, "solve morris");
    let rows: Vec<Vec<u64>> = said
        .out()
        .lines()
        .map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
        .filter(|row: &Vec<u64>| row.len() == 5)
        .collect();
    assert_eq!(rows.first().map(|row| row[0]), Some(1200), "{}", said.out());
    for row in &rows {
        let (hands, x, o) = (row[0] / 100, row[0] / 10 % 10, row[0] % 10);
        let sides = if hands == 0 { 2 } else { 1 };
        assert_eq!(row[1] + row[2] + row[3], sides * choose(16, x) * choose(16 - x, o), "{row:?}");
    }
    let find = |tier: u64| rows.iter().find(|row| row[0] == tier).map(|row| row[1..].to_vec());
    assert!(find(66).is_some() && find(543).is_some(), "{}", said.out());
    assert_eq!(find(34), find(43), "the sides are alike");
}
