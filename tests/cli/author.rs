//! An author at work: matches of engines that have no chance in them, tests by SPRT, and engines
//! that say what they play.

use std::path::Path;

use super::home::{Home, Said, programs};

/// A UGI engine that searches this deep, in a folder of its name.
fn searcher(home: &Home, name: &str, depth: u32) {
    let program = programs().join("agon-alphabeta");
    home.put(
        format!("{name}/engine.toml"),
        format!(
            "command = [{program:?}]\nprotocol = \"ugi\"\nargs = [\"{{game}}\", \"ugi\"]\n\
             games = [\"connect4\", \"mill\"]\n[options]\ndepth = {depth}\n"
        ),
    );
}

/// An engine that moves at once, always alike in the same position; `more` is added to its file.
fn mover(home: &Home, name: &str, more: &str) {
    let program = programs().join("agon-mover");
    home.put(
        format!("{name}/engine.toml"),
        format!("command = [{program:?}]\nprotocol = \"ugi\"\nargs = [\"{{game}}\", \"ugi\"]\n{more}"),
    );
}

fn well(home: &Home, words: &str) -> Said {
    ends(home, 0, words)
}

/// What a command says that has this exit code.
fn ends(home: &Home, code: i32, words: &str) -> Said {
    let said = home.agon(words.split_whitespace());
    assert_eq!(said.code, Some(code), "agon {words}\n{}", said.all());
    said
}

fn games_of(said: &Said) -> usize {
    said.out().lines().filter(|line| line.starts_with("game ")).count()
}

/// The row of an engine in the table at the end, in words.
fn row<'a>(said: &'a str, engine: &str) -> Vec<&'a str> {
    let line = said.lines().rfind(|line| line.split_whitespace().nth(1) == Some(engine));
    line.unwrap_or_else(|| panic!("{engine}\n{said}")).split_whitespace().collect()
}

#[test]
fn a_test_of_a_deep_search_against_a_shallow_one_is_decided_in_sixty_games_without_any_option() {
    let home = Home::new();
    searcher(&home, "deep", 5);
    searcher(&home, "flat", 1);
    let said = ends(&home, 10, "match deep flat --game connect4 --sprt --seed 7");
    assert!(said.out().contains("each pair of games begins after 4 random plies"), "{}", said.all());
    assert!(said.out().contains("]: H1 accepted\n"), "{}", said.all());
    assert!((40..60).contains(&games_of(&said)), "{}", said.all());
    let said = ends(&home, 11, "match flat deep --game connect4 --quiet --seed 7 --sprt");
    assert!(said.out().contains("]: H0 accepted\n"), "{}", said.all());
}

#[test]
fn the_answer_of_a_test_is_there_for_programs() {
    let home = Home::new();
    searcher(&home, "deep", 5);
    searcher(&home, "flat", 1);
    let test = "match deep flat --game connect4 --out out --seed 7 --events events --sprt 0,100,games";
    let json =
        |words: &str| serde_json::from_str::<serde_json::Value>(&home.agon(words.split(' ')).out()).unwrap();
    // Too few games for an answer.
    ends(&home, 12, &format!("{test} --games 4 --quiet"));
    let status = home.agon("status out".split(' ')).out();
    assert!(
        status.contains("over, SPRT 0,100,alpha=0.05,beta=0.05,games: not decided after 4 games, LLR "),
        "{status}"
    );
    assert_eq!(json("standings out --json")["test"]["verdict"], "not decided");
    ends(&home, 10, test);
    let status = home.agon("status out".split(' ')).out();
    assert!(
        status.contains(": decided, SPRT 0,100,alpha=0.05,beta=0.05,games: H1 accepted after "),
        "{status}"
    );
    assert!(["missing", "100000", "first:"].iter().all(|word| !status.contains(word)), "{status}");
    let known = json("status out --json");
    assert_eq!((known["over"].as_bool(), known["seconds_left"].is_null()), (Some(true), true), "{known}");
    let (test_of, games) = (&known["test"], known["games"].as_u64());
    assert_eq!(
        (test_of["verdict"].as_str(), test_of["engine"].as_str()),
        (Some("H1 accepted"), Some("deep"))
    );
    assert!(
        test_of["games"].as_u64() <= games && test_of["llr"].as_f64() >= test_of["upper"].as_f64(),
        "{known}"
    );
    assert_eq!(&json("standings out --json")["test"], test_of);
    let events = home.read("events");
    let told: Vec<serde_json::Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &serde_json::Value| event["event"] == "test")
        .collect();
    assert_eq!(told.last().unwrap()["verdict"], "H1 accepted", "{told:?}");
    assert!(events.rfind("\"event\":\"test\"") < events.rfind("\"event\":\"run_over\""), "{events}");
    let shown = home.agon("standings out".split(' ')).out();
    assert!(shown.contains("deep: SPRT 0,100,alpha=0.05,beta=0.05,games: H1 accepted after "), "{shown}");
    well(&home, "report out --out pages");
    assert!(home.read("pages/index.html").replace('\u{a0}', " ").contains("H1 accepted after "));
    // Once more: nothing is played, and the answer is the same. Without the test it is forgotten.
    let again = ends(&home, 10, test);
    assert_eq!(games_of(&again), 0, "{}", again.all());
    // Decisions of the organiser may take the answer away, and then the test plays on. One is not
    // enough where games that were in play have made the answer clearer.
    let games = home.agon("games out --json".split(' ')).out();
    let games: Vec<serde_json::Value> =
        games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let won = games.iter().filter(|game| {
        let winner = usize::from(game["result"] == "0-1");
        game["result"] != "1/2-1/2" && game["engines"][winner] == "deep"
    });
    let opens = |game: &serde_json::Value| {
        let id = game["id"].as_str().unwrap();
        let said = well(&home, &format!("decide out {id} award flat --why x --yes")).out();
        said.contains("the run was over and is not any more; its command plays")
    };
    assert!(won.take(5).any(opens), "{}", home.agon("status out".split(' ')).out());
    let status = home.agon("status out".split(' ')).out();
    assert!(status.contains(": stopped, SPRT ") && status.contains("not decided after"), "{status}");
    assert!(games_of(&ends(&home, 10, test)) > 0);
    well(&home, "verify out");
    well(&home, "match deep flat --game connect4 --out out --seed 7 --games 4 --quiet --again");
    assert!(json("standings out --json")["test"].is_null());
    let wrong = ends(&home, 2, "match deep flat --game connect4 --sprt 0,10,bayesian");
    assert!(wrong.err().contains("write 0,10,bayesian,games"), "{}", wrong.all());
    ends(&home, 10, "match deep flat --game connect4 --quiet --seed 7 --sprt 0,100,bayesian,games");
}

#[test]
fn games_that_repeat_count_once_and_are_said() {
    let home = Home::new();
    mover(&home, "one", "");
    mover(&home, "other", "");
    let said = well(&home, "match one other --game connect4 --games 8 --random-plies 0 --out out");
    assert_eq!(games_of(&said), 8);
    assert!(said.out().contains("6 games repeat earlier ones move for move"), "{}", said.all());
    assert_eq!(row(&said.out(), "one")[2], "2", "{}", said.all());
    // What is stored is counted alike.
    let later = well(&home, "standings out --ratings");
    assert_eq!(row(&later.out(), "other")[2], "2", "{}", later.all());
    assert!(
        later.out().contains("8 games, 6 of them repeat earlier ones and are not counted again"),
        "{}",
        later.all()
    );
    well(&home, "verify out");
    // Continued, the new games repeat the stored ones too.
    let more = well(&home, "match one other --game connect4 --games 10 --random-plies 0 --out out");
    assert_eq!(games_of(&more), 2, "{}", more.all());
    assert!(more.out().contains("8 games repeat"), "{}", more.all());
    assert_eq!(row(&more.out(), "one")[2], "2", "{}", more.all());
    well(&home, "verify out");
}

#[test]
fn several_pairs_of_games_begin_differently_and_one_pair_as_usual() {
    let home = Home::new();
    mover(&home, "one", "");
    mover(&home, "other", "");
    let starts = |home: &Home| -> std::collections::BTreeSet<String> {
        let events = home.read("events");
        let events = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let over = events.filter(|event| event["event"] == "game_over");
        over.map(|event| event["record"]["start"].to_string()).collect()
    };
    for (game, plies) in [("connect4", 4), ("mill", 4), ("abalone", 4), ("morris", 4), ("mnk", 2)] {
        let said =
            well(&home, &format!("match one other --game {game} --games 8 --max-plies 2 --events events"));
        assert!(said.out().contains(&format!("after {plies} random plies")), "{game}\n{}", said.all());
        assert!(starts(&home).len() >= 3, "{game}\n{}", said.all());
        let said = well(&home, &format!("match one other --game {game} --games 2 --max-plies 2"));
        assert!(!said.out().contains("random plies"), "{game}\n{}", said.all());
    }
    let said = well(&home, "match one other --game letters:3x3x1 --games 4 --max-plies 2");
    assert!(!said.out().contains("random plies"), "{}", said.all());
}

#[test]
fn a_tournament_keeps_the_starts_it_began_with() {
    let home = Home::new();
    mover(&home, "engines/one", "");
    mover(&home, "engines/other", "");
    let words = "tournament engines --game connect4 --games 4 --max-plies 3 --seed 1";
    let said = well(&home, words);
    assert!(said.err().contains("after 4 random plies"), "{}", said.all());
    let again = well(&home, words);
    assert!(again.err().contains("nothing has changed"), "{}", again.all());
    // Begun with two games a pairing, and so without random plies.
    let two = "tournament engines --game connect4 --games 2 --max-plies 3 --seed 1 --out two";
    well(&home, two);
    let more = well(&home, &two.replace("--games 2", "--games 4"));
    assert!(more.err().contains("2 games have been played already and count"), "{}", more.all());
    assert!(more.err().contains("2 games repeat earlier ones"), "{}", more.all());
}

#[test]
fn openings_are_shuffled_by_the_seed_and_said_when_they_are_used_up() {
    let home = Home::new();
    mover(&home, "one", "");
    mover(&home, "other", "");
    let lines: Vec<String> = (1..=7).flat_map(|x| (1..=7).map(move |y| format!("{x} {y}\n"))).collect();
    home.put("openings", lines.concat());
    home.put("few", lines[..2].concat());
    let start = |seed: u32| {
        let words = format!(
            "match one other --game connect4 --openings openings --games 2 --max-plies 1 --seed {seed} --events events"
        );
        well(&home, &words);
        let events = home.read("events");
        let over = events.lines().find(|line| line.contains("game_over")).unwrap();
        serde_json::from_str::<serde_json::Value>(over).unwrap()["record"]["start"].to_string()
    };
    assert_eq!(start(1), start(1));
    assert!((2..6).any(|seed| start(seed) != start(1)));
    let said = well(&home, "match one other --game connect4 --openings few --games 6 --out out");
    assert!(said.out().contains("the openings are used up after 4 games"), "{}", said.all());
    assert!(said.out().contains("2 games repeat"), "{}", said.all());
    well(&home, "verify out");
    // A doubled line is named; the same moves in another spelling are the same opening.
    assert!(!said.out().contains("is that of line"), "{}", said.all());
    home.put("doubled", format!("; doubled\n{}{}{}", lines[0], lines[1], lines[0].replace(' ', "  ")));
    let said = well(&home, "match one other --game connect4 --openings doubled --games 2 --max-plies 1");
    assert!(said.out().contains("openings: the opening in line 4 is that of line 2;"), "{}", said.all());
    // Nothing else can be played: a test without a number of games ends.
    let said = ends(&home, 12, "match one other --game connect4 --openings few --sprt 0,5");
    assert!(said.out().contains("The engines only repeated their games"), "{}", said.all());
    assert_eq!(said.out().matches("are used up").count(), 1, "{}", said.all());
    assert!(games_of(&said) < 40, "{}", said.all());
}

#[test]
fn a_line_with_the_score_comes_while_a_match_goes_on() {
    let home = Home::new();
    searcher(&home, "deep", 4);
    searcher(&home, "flat", 1);
    let said = home
        .agon("match deep flat --game connect4 --games 40 --report-every 0.001 --seed 7 --sprt".split(' '));
    assert!(matches!(said.code, Some(10 | 12)), "{}", said.all());
    let lines: Vec<String> =
        said.err().lines().filter(|line| line.starts_with("deep: ")).map(str::to_owned).collect();
    let last = lines.last().unwrap_or_else(|| panic!("{}", said.all()));
    for part in [" games, +", " =", " -", ", Elo ", " +- ", ", LLR ", " [-2.94, 2.94]"] {
        assert!(last.contains(part), "{last}");
    }
    assert!(lines.iter().all(|line| !line.contains("inf") && !line.contains("NaN")), "{lines:?}");
    let said = well(&home, "match deep flat --game connect4 --games 4 --report-every 0 --seed 7");
    assert!(!said.err().contains("deep: "), "{}", said.all());
}

#[test]
fn the_game_that_all_engines_play_needs_no_name_and_a_choice_is_asked_for() {
    let home = Home::new();
    mover(&home, "some", "games = [\"mill\", \"connect4\"]\n");
    mover(&home, "few", "games = [\"connect4\"]\n");
    mover(&home, "any", "");
    mover(&home, "sixes", "games = [\"morris\"]\n");
    let said = well(&home, "match some few --games 2 --max-plies 2");
    assert!(said.out().starts_with("connect4, st=5"), "{}", said.all());
    well(&home, "match any few --games 2 --max-plies 2");
    for (words, wanted) in [
        ("match some any", "choose one, as in --game mill"),
        (
            "match some sixes",
            "there is no game that all these engines play: some plays mill, connect4; sixes plays morris",
        ),
        ("match some few --game mill", "few plays connect4, not mill"),
    ] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "{words}\n{}", said.all());
        assert!(said.err().contains(wanted) && said.err().contains("hint: "), "{words}\n{}", said.all());
    }
    let said = well(&home, "check few --moves 2");
    assert!(said.out().contains("few as "), "{}", said.all());
    let said = home.agon("check some".split(' '));
    assert!(said.code == Some(2) && said.err().contains("choose one, as in --game mill"), "{}", said.all());
    let said = home.agon("check few --game mill".split(' '));
    assert!(said.code == Some(2) && said.err().contains("few plays connect4, not mill"), "{}", said.all());
    let said = home.agon("play some".split(' '));
    assert!(said.code == Some(2) && said.err().contains("choose one, as in --game mill"), "{}", said.all());
    mover(&home, "engines/a", "games = [\"connect4\"]\n");
    mover(&home, "engines/b", "");
    let said = well(&home, "tournament engines --games 2 --max-plies 2");
    assert!(said.err().contains("games of connect4"), "{}", said.all());
}

#[test]
fn a_forgotten_game_is_hinted_at_and_is_no_success() {
    let home = Home::new();
    for name in ["a", "b"] {
        home.put(
            format!("{name}/engine.toml"),
            "command = [\"python3\", \"-c\", \"import sys; int(sys.argv[9])\"]\n",
        );
    }
    let said = home.agon("match a b --games 2 --game letters:3x3x1".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon("match a b --games 2 --st 1".split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    let hint = "hint: a and 1 more never made a move, and no --game was given, so the game was letters:6x6x3";
    assert!(said.err().contains(hint), "{}", said.all());
    // So it is in a tournament, and where one engine is tried.
    let said = home.agon("tournament . --games 2 --st 1 --out out".split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.err().contains(hint), "{}", said.all());
    let said = home.agon("check a --st 1".split(' '));
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(
        said.err().contains("hint: no --game was given, so the game was letters:6x6x3"),
        "{}",
        said.all()
    );
    let said = home.agon("check a --st 1 --game letters:3x3x1".split(' '));
    assert!(said.code == Some(1) && !said.err().contains("no --game"), "{}", said.all());
    // The results of a run among engines are not taken for one that is broken.
    let said = home.agon("tournament . --games 2 --st 1 --out out --game letters:3x3x1 --again".split(' '));
    assert!(said.code == Some(0) || said.code == Some(1), "{}", said.all());
    assert!(!said.all().contains("skipped ./out"), "{}", said.all());
}

#[test]
fn more_than_two_engines_play_each_other_and_a_gauntlet_is_the_first_against_the_rest() {
    let home = Home::new();
    for name in ["mine", "a", "b"] {
        mover(&home, name, "");
    }
    let common = "--game connect4 --games 2 --max-plies 4 --report-every 0.000001";
    let said = home.agon(format!("match mine a b {common}").split(' '));
    assert_eq!(said.code, Some(2), "a millisecond at least\n{}", said.all());
    let common = common.replace("0.000001", "0.001");
    let said = well(&home, &format!("match mine a b {common} --out all"));
    assert_eq!(games_of(&said), 6, "{}", said.all());
    assert_eq!(row(&said.out(), "b")[2], "4", "{}", said.all());
    well(&home, "verify all");
    let said = well(&home, &format!("match mine a b {common} --gauntlet --out out"));
    assert_eq!(games_of(&said), 4, "{}", said.all());
    assert_eq!((row(&said.out(), "mine")[2], row(&said.out(), "b")[2]), ("4", "2"), "{}", said.all());
    well(&home, "verify out");
    let again = well(&home, &format!("match mine a b {common} --gauntlet --out out"));
    assert_eq!(games_of(&again), 0, "{}", again.all());
    let said = home.agon("match mine a b --game connect4 --sprt".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
}

/// The engines with their ranks, in the order of the last table.
fn ranks(text: &str) -> Vec<(String, String)> {
    let rows = text.lines().skip_while(|line| !line.starts_with("#  engine")).skip(2);
    let words = rows.map(|line| line.split_whitespace().collect::<Vec<_>>());
    words
        .take_while(|row| row.len() > 9 && row[0].parse::<u32>().is_ok())
        .map(|row| (row[0].to_owned(), row[1].to_owned()))
        .collect()
}

#[test]
fn equals_of_a_gauntlet_share_a_rank_and_its_leader_is_first_with_and_without_a_directory() {
    let home = Home::new();
    mover(&home, "mine", "");
    for name in ["a", "b", "c"] {
        home.put(format!("{name}/engine.toml"), "command = [\"true\"]\n");
    }
    let play = |words: &str| {
        well(&home, &format!("match {words} --game connect4 --gauntlet --games 2 --st 3 --seed 1"))
    };
    let plain = ranks(&play("mine a b c").out());
    assert_eq!(plain.iter().map(|(rank, _)| rank.as_str()).collect::<Vec<_>>(), ["1", "2", "2", "2"]);
    let kept = play("mine a b c --out out");
    assert_eq!(ranks(&kept.out()), plain, "{}", kept.all());
    assert_eq!(ranks(&well(&home, "standings out").out()), plain);
    let csv = home.read("out/standings.csv");
    let csv: Vec<String> = csv.lines().skip(1).map(|row| row.split(',').take(1).collect()).collect();
    assert_eq!(csv, ["1", "2", "2", "2"], "{}", home.read("out/standings.csv"));
    well(&home, "verify out");
    // The games are numbered through all pairings.
    for game in 1..=6 {
        assert!(kept.out().contains(&format!("\ngame {game}: ")), "{}", kept.all());
    }
    let worst = ranks(&play("a mine b").out());
    assert_eq!(worst[0], ("1".to_owned(), "a".to_owned()));
    assert_eq!(ranks(&play("a mine b --out worst").out()), worst);
}

#[test]
fn a_match_in_the_directory_of_another_says_what_becomes_of_its_games() {
    let home = Home::new();
    for name in ["mine", "a", "b"] {
        mover(&home, name, "");
    }
    let common = "--game connect4 --games 2 --max-plies 2 --seed 1 --out out";
    well(&home, &format!("match mine a b {common}"));
    let said = well(&home, &format!("match mine a {common} --again"));
    for words in
        ["b is no longer entered", "4 games that counted are history now", "2 games have been played"]
    {
        assert!(said.out().contains(words), "{words}: {}", said.all());
    }
    let back = well(&home, &format!("match mine a b {common}"));
    assert!(back.out().contains("6 games have been played already and count"), "{}", back.all());
    assert_eq!(games_of(&back), 0, "{}", back.all());
}

#[test]
fn an_engine_that_changes_back_plays_nothing_and_is_not_said_to() {
    let home = Home::new();
    mover(&home, "engines/bot", "");
    mover(&home, "engines/other", "");
    let play = |more: &str| {
        let games = if more.contains("--games") { "" } else { "--games 2" };
        let words =
            "tournament engines --game connect4 --max-plies 2 --seed 1 --random-plies 0 --out out --again";
        well(&home, &format!("{words} {games} {more}")).err()
    };
    play("");
    mover(&home, "engines/bot", "# new\n");
    assert!(play("").contains("bot has changed: its pairing is played again"));
    mover(&home, "engines/bot", "");
    let back = play("");
    assert!(back.contains("bot has changed: its 2 older games count again"), "{back}");
    assert!(!back.contains("played again"), "{back}");
    let other = play("--margin 0.5");
    assert!(other.contains("every pairing is played again"), "{other}");
    let back = play("");
    assert!(back.contains("the older games with it count again"), "{back}");
    // Of four games two are there.
    mover(&home, "engines/bot", "# new\n");
    let more = play("--games 4");
    assert!(more.contains("2 of its older games count again, and its pairing is played"), "{more}");
}

#[test]
fn the_help_of_a_match_and_of_single_games_says_what_they_do() {
    let home = Home::new();
    let help = |command: &str| {
        let text = well(&home, &format!("{command} --help")).out();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(help("match").contains("[default: none, no file is written]"));
    assert!(help("tournament").contains("[default: agon-run]"));
    for command in ["match", "check", "play"] {
        let text = help(command);
        assert!(!text.contains("a tournament is played") && !text.contains("[default: agon-run]"), "{text}");
        assert_eq!(text.contains("--out "), command == "match", "{text}");
    }
    // No tip says how to write an option as a value.
    let said = home.agon("check mine --no-clock".split(' '));
    assert!(said.code == Some(2) && said.err().contains("'--no-clock'"), "{}", said.all());
    assert!(!said.err().contains("tip:"), "{}", said.all());
}

#[test]
fn options_limits_and_a_repeating_clock_reach_a_ugi_engine_and_the_log_keeps_every_line() {
    let home = Home::new();
    searcher(&home, "deep", 3);
    mover(&home, "other", "");
    let words =
        "match deep other --game connect4 --games 2 --tc 3/20+0.5 --nodes 500 --depth 2 --log log --out out";
    well(&home, words);
    let log = home.read("log");
    let told: Vec<&str> =
        log.lines().filter(|line| line.contains(" deep ") && line.contains(" < ")).collect();
    for (wanted, times) in [("< setoption name depth value 3", 1), ("< uginewgame", 2), ("< quit", 1)] {
        let found = told.iter().filter(|line| line.ends_with(wanted)).count();
        assert!(found == times || wanted == "< quit", "{wanted}: {found}\n{log}");
    }
    assert!(
        told.iter().any(|line| line.starts_with("r01-p0001-g01 X deep 0.") && line.ends_with("< ugi")),
        "{log}"
    );
    let go: Vec<&&str> = told.iter().filter(|line| line.contains("< go ")).collect();
    assert!(go.iter().all(|line| line.ends_with(" nodes 500 depth 2")), "{log}");
    let to_go = |number: usize| go[number].split(" movestogo ").nth(1).unwrap_or_default().split(' ').next();
    assert_eq!([0, 1, 2, 3].map(to_go), [Some("3"), Some("2"), Some("1"), Some("3")], "{log}");
    let clocks = "< go p1time 20000 p2time 20000 p1inc 500 p2inc 500 movestogo 3 nodes 500 depth 2";
    assert!(go[0].ends_with(clocks), "{}", go[0]);
    // Time was given again before the fourth move.
    let left: Vec<u64> = go
        .iter()
        .map(|line| line.split("p1time ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(left[2] < 22_000 && left[3] > 35_000, "{left:?}");
    assert!(log.lines().any(|line| line.contains(" other ") && line.contains(" > bestmove ")), "{log}");
    well(&home, "verify out");
    let checked = well(&home, "check deep --game connect4 --moves 1");
    assert!(checked.out().contains("deep is sent option depth = 3"), "{}", checked.all());
    home.engine("plain", "agon-random");
    let said = home.agon("match deep plain --game connect4 --depth 2".split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(
        said.err().contains("--depth") && said.err().contains("plain speaks the protocol lines"),
        "{}",
        said.all()
    );
    assert!(Path::new(&home.path("out")).is_dir());
}

#[test]
fn the_build_of_an_engine_elsewhere_runs_in_a_box_or_when_it_is_allowed() {
    let home = Home::new();
    mover(&home, "mine/own", "");
    let elsewhere = home.path("elsewhere");
    let witness = home.path("witness");
    let engine = format!(
        "command = [\"./run\"]\ngames = [\"connect4\"]\nargs = [\"{{game}}\", \"{{side}}\", \"{{control}}\", \"{{position}}\"]\n\
         build = [\"sh\", \"-c\", \"touch {}; cp from run; chmod +x run\"]\n",
        witness.display()
    );
    home.put("elsewhere/engine.toml", engine);
    home.put(
        "elsewhere/from",
        format!("#!/bin/sh\nexec {} \"$@\"\n", programs().join("agon-mover").display()),
    );
    let play = |more: &str| {
        let words = format!("cd mine && agon match own ../elsewhere --games 2 --max-plies 2 {more}");
        home.shell(&words)
    };
    let said = play("");
    // A box hides the witness's place; without boxes the build does not run at all.
    assert!(!witness.exists(), "{}", said.all());
    if said.code == Some(0) {
        assert!(elsewhere.join("run").exists(), "{}", said.all());
    } else {
        assert_eq!(said.code, Some(2), "{}", said.all());
        assert!(said.err().contains("--build"), "{}", said.all());
    }
    let _ = std::fs::remove_file(elsewhere.join("run")); // it may not be there
    let said = play("--build");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(witness.exists(), "{}", said.all());
    std::fs::remove_file(&witness).unwrap();
    // The user's own folder is built as ever.
    std::fs::remove_file(elsewhere.join("run")).unwrap();
    let said = home.shell("agon match mine/own elsewhere --games 2 --max-plies 2");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(witness.exists(), "{}", said.all());
}

#[test]
fn a_program_that_is_built_anew_from_the_same_files_plays_nothing_again() {
    let home = Home::new();
    mover(&home, "engines/other", "games = [\"connect4\"]\n");
    home.put(
        "engines/bot/engine.toml",
        "command = [\"./run\"]\nbuild = [\"sh\", \"make.sh\"]\ngames = [\"connect4\"]\n\
         args = [\"{game}\", \"{side}\", \"{control}\", \"{position}\"]\n",
    );
    // Its program has the time in it, as a jar has.
    let make = "{ echo '#!/bin/sh'; date +'# %s %N'; cat main; } >run; chmod +x run\n";
    home.put("engines/bot/make.sh", make);
    let source = format!("exec {} \"$@\"\n", programs().join("agon-mover").display());
    home.put("engines/bot/main", &source);
    let play = || {
        let said = well(&home, "tournament engines --games 2 --max-plies 2 --seed 1 --out out");
        (said.err().contains("building bot"), said.err().contains("nothing has changed"), said.all())
    };
    let (built, unchanged, all) = play();
    assert!(built && !unchanged, "{all}");
    let first = home.read("engines/bot/run");
    let (built, unchanged, all) = play();
    assert!(!built && unchanged, "{all}");
    std::fs::remove_file(home.path("engines/bot/run")).unwrap();
    let (built, unchanged, all) = play();
    assert!(built && unchanged && all.contains("built from the same files as before"), "{all}");
    home.put("engines/bot/main", &source); // another time, the same bytes
    let (built, unchanged, all) = play();
    assert!(built && unchanged, "{all}");
    assert_ne!(home.read("engines/bot/run"), first);
    home.put("engines/bot/main", format!("# other\n{source}"));
    let (built, unchanged, all) = play();
    assert!(built && !unchanged && !all.contains("built from the same"), "{all}");
    // A program that was put there by hand is known by its bytes.
    home.put_program("engines/bot/run", format!("#!/bin/sh\n# by hand\n{source}"));
    let (built, unchanged, all) = play();
    assert!(!built && !unchanged, "{all}");
    well(&home, "verify out");
    // A failed build keeps nobody from being known by its sources after the next one.
    home.put("engines/bot/make.sh", "exit 1\n");
    let failed = home.agon("tournament engines --games 2 --max-plies 2 --seed 1 --out out".split(' '));
    assert_eq!(failed.code, Some(2), "{}", failed.all());
    home.put("engines/bot/make.sh", make);
    std::fs::remove_file(home.path("engines/bot/run")).unwrap();
    assert!(play().0);
    std::fs::remove_file(home.path("engines/bot/run")).unwrap();
    let (built, unchanged, all) = play();
    assert!(built && unchanged, "{all}");
}
