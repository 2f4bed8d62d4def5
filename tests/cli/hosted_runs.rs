//! Whole runs of referee programs: nights, cups, parts, many seats, and what a server shows
//! meanwhile.

use std::fs;

use super::home::{Home, Said};
use super::hosted::{engine, game, play, records};
use super::serve::Served;
use super::support::referees;

/// The highest number wins.
const HIGHEST: &str = "for s in range(1, seats + 1): ask(s)\na = [line.split()[2] for line in wait()]\n\
                       for s, x in enumerate(a, 1): out(f'move {s} {x}')\nout('end ' + ' '.join(a))";

/// Engines that answer these numbers.
fn numbers(home: &Home, all: impl IntoIterator<Item = usize>) {
    all.into_iter().enumerate().for_each(|(at, number)| answering(home, at, number));
}

fn answering(home: &Home, at: usize, number: usize) {
    home.put_program(format!("engines/e{at:02}"), always(number));
}

/// A program that answers this number each time. It is for `sh`: runs of many games start it for
/// each seat of each game, and Python takes ten times as long to start.
pub(super) fn always(number: usize) -> String {
    format!("#!/bin/sh\nwhile read -r line; do\n    if [ \"$line\" = '?' ]; then echo {number}; fi\ndone\n")
}

fn done(home: &Home, words: &str) -> String {
    let said: Said = home.shell(words);
    assert_eq!(said.code, Some(0), "{words}: {}", said.all());
    said.out()
}

fn verified(home: &Home, run: &str, games: usize) {
    let said = done(home, &format!("agon verify {run}"));
    assert!(said.contains(&format!("{games} games checked, 0 with differences")), "{said}");
}

#[test]
#[ignore = "slow"]
fn a_night_of_three_seats_sees_a_fall_from_the_second_place_to_the_last() {
    let home = Home::new();
    numbers(&home, [3, 2, 1]);
    game(&home, "seats = 3\nkeep = true", HIGHEST);
    let night =
        "agon tournament engines --game ./game --games 30 --seed 7 --isolation none --out run --quiet";
    done(&home, night);
    answering(&home, 1, 0);
    done(&home, night);
    let said = home.shell("agon history run --summary --alarm");
    assert!(said.code == Some(1) && said.out().contains("worse: e01 ("), "{}", said.all());
    verified(&home, "run", 60);
}

#[test]
#[ignore = "slow"]
fn nights_of_a_referee_are_played_and_tell_who_became_worse() {
    let home = Home::new();
    numbers(&home, [3, 2, 1]);
    game(&home, "seats = 3\nkeep = true", HIGHEST);
    let night =
        || home.shell("agon nightly engines --out run --game ./game --games 30 --seed 7 --isolation none");
    let first = night();
    assert_eq!(first.code, Some(0), "{}", first.all());
    answering(&home, 1, 0);
    let second = night();
    assert!(second.code == Some(5) && second.out().contains("worse: e01 ("), "{}", second.all());
    let verified = done(&home, "agon verify run");
    assert!(verified.contains(" 0 with differences"), "{verified}");
}

#[test]
fn an_option_out_of_range_is_named_with_the_line_of_its_file() {
    let home = Home::new();
    numbers(&home, [2, 1]);
    game(&home, "[options.rounds]\ntype = \"integer\"\nmin = 1\ndefault = 3", HIGHEST);
    home.put("t.toml", "engines = \"engines\"\ngame = \"./game:rounds=0\"\nout = \"run\"\n");
    let said = home.shell("agon tournament t.toml");
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("t.toml: line 2") && !said.err().contains("--game"), "{}", said.all());
    assert!(said.err().contains("rounds=0"), "{}", said.all());
}

#[test]
fn equal_first_places_are_the_fault_of_a_referee_whose_game_has_no_draws() {
    let home = Home::new();
    numbers(&home, [1, 1]);
    game(&home, "draws = false", HIGHEST);
    let said = play(&home, &["e00", "e01"], &["--games", "2", "--concurrency", "1"]);
    assert_ne!(said.code, Some(0), "{}", said.all());
    assert!(said.all().contains("equal first places, and game.toml has draws = false"), "{}", said.all());
    let verified = home.agon(["verify", "run"]);
    assert!(verified.out().contains("0 with differences"), "{}", verified.all());
    // The control: with draws the same game counts.
    let home = Home::new();
    numbers(&home, [1, 1]);
    game(&home, "", HIGHEST);
    let said = play(&home, &["e00", "e01"], &["--games", "2"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn a_process_that_stays_is_told_the_time_control_of_its_game() {
    let home = Home::new();
    numbers(&home, [2, 1]);
    game(&home, "keep = true", HIGHEST);
    let text = home.read("game/referee.py");
    let text = text.replace(
        "        out(\"referee 1 test",
        "        told = line.split(' ', 1)[1].strip()\n        out(\"referee 1 test",
    );
    home.put("game/referee.py", text.replace("out('end '", "out('note clock ' + told)\n    out('end '"));
    let said = play(&home, &["e00", "e01"], &["--games", "4", "--time", "e01=st=3", "--concurrency", "1"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    for record in records(&home) {
        let own = record["seats"][0]["time_control"].as_str().unwrap().split(' ').next().unwrap();
        let lines = record["referee"]["lines"].to_string();
        assert!(lines.contains(&format!("<note clock {own}")), "{own}: {lines}");
    }
    verified(&home, "run", 4);
}

#[test]
fn a_cup_of_a_referee_is_played_and_verified() {
    let home = Home::new();
    numbers(&home, [4, 3, 2, 1]);
    game(&home, "keep = true", HIGHEST);
    home.put(
        "cup.toml",
        "engines = \"engines\"\ngame = \"./game\"\nout = \"run\"\nisolation = \"none\"\nseed = 7\ngames = 2\n\n\
         [[stages]]\nname = \"groups\"\nadvance = 2\n\n[[stages]]\nname = \"final\"\n",
    );
    let said = home.shell("agon tournament cup.toml --quiet");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("e00"), "{}", said.all());
    let said = done(&home, "agon verify run");
    assert!(said.contains(" 0 with differences") && !said.contains("\n0 games"), "{said}");
}

#[test]
fn parts_of_a_run_of_a_referee_are_put_together_and_verified() {
    let home = Home::new();
    numbers(&home, [3, 2, 1]);
    game(&home, "keep = true\n[options.rounds]\ntype = \"integer\"\ndefault = 3", HIGHEST);
    let part = "agon tournament engines --game ./game:rounds=2 --games 4 --seed 7 --isolation none --quiet";
    for number in 1..=2 {
        done(&home, &format!("{part} --part {number}/2 --out part-{number}"));
    }
    done(&home, "agon merge run part-1 part-2 --game ./game:rounds=2");
    verified(&home, "run", 12);
}

#[test]
#[ignore = "slow"]
fn sixteen_seats_have_sixteen_places_and_random_tables_are_balanced() {
    let home = Home::new();
    numbers(&home, 1..=16);
    game(&home, "seats = \"3-16\"\nkeep = true", HIGHEST);
    let common = "agon tournament engines --game ./game --seed 7 --isolation none --quiet";
    done(&home, &format!("{common} --seats 16 --games 16 --out run"));
    let all = records(&home);
    assert_eq!(all.len(), 16);
    for record in &all {
        let places = record["verdict"]["decided"]["places"].as_array().unwrap();
        let mut places: Vec<u64> = places.iter().map(|place| place.as_u64().unwrap()).collect();
        places.sort_unstable();
        assert_eq!(places, (1..=16).collect::<Vec<u64>>(), "{record}");
    }
    verified(&home, "run", 16);
    fs::remove_dir_all(home.path("run")).unwrap();
    done(&home, &format!("{common} --seats 4 --games 4 --tables 2 --out run"));
    let mut played = std::collections::BTreeMap::<String, usize>::new();
    for record in records(&home) {
        for seat in record["seats"].as_array().unwrap() {
            *played.entry(seat["entrant"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    assert_eq!(played.len(), 16, "{played:?}");
    let counts: std::collections::BTreeSet<&usize> = played.values().collect();
    assert_eq!(counts.len(), 1, "{played:?}");
    verified(&home, "run", played.values().sum::<usize>() / 4);
}

#[test]
fn a_server_shows_no_cards_of_a_board_while_its_other_games_are_played() {
    let home = Home::new();
    referees::put(&home.path(""));
    // The second game of the board waits until it may go on.
    home.put_program(
        "engines/waits",
        format!(
            "#!/bin/sh\nwhile [ \"$1\" = 1 ] && [ ! -e {:?} ]; do sleep 0.1; done\nexec python3 {:?} plain\n",
            home.path("go-on"),
            home.path("engines/plain/bidder.py")
        ),
    );
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(
            "match engines/plain engines/waits --game ./cards --games 2 --seed 7 --st 60 --concurrency 1"
                .split(' '),
        )
        .args("--isolation none --out run --quiet".split(' '))
        .current_dir(home.path(""))
        .stdout(std::process::Stdio::null())
        .spawn();
    let mut run = run.unwrap();
    let began = std::time::Instant::now();
    let first = || {
        let db = rusqlite::Connection::open(home.path("run/agon.db")).ok()?;
        let sql = "SELECT record FROM refereed WHERE game = 1";
        db.query_row(sql, [], |row| row.get::<_, String>(0)).ok()
    };
    let text = loop {
        if let Some(text) = first() {
            break text;
        }
        assert!(began.elapsed() < super::serve::PATIENCE, "no game is over");
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    let lines: Vec<&str> =
        record["lines"].as_array().unwrap().iter().filter_map(|line| line.as_str()).collect();
    let secrets: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("<secret ")).collect();
    assert!(!secrets.is_empty(), "{text}");
    let shown = |secret: &str| {
        let (seat, what) = secret.split_once(' ').unwrap();
        format!("  {seat} secret        {what}\n")
    };
    let served = Served::of(&home, &["run", "--for", "public"]);
    let page = served.wait_for("/game/r01-p0001-g01.html", |answer| answer.status == 200).text();
    assert!(page.contains("Secrets are shown when the run is over"), "{page}");
    for secret in &secrets {
        assert!(!page.contains(&shown(secret)), "{secret}: {page}");
    }
    // What is public of the game in play is shown.
    let is_second = "data-game=\"r01-p0001-g02\"";
    let live = served.wait_for("/live.html", |answer| answer.text().contains(is_second)).text();
    assert!(live.contains("round 1"), "{live}");
    for secret in &secrets {
        assert!(!live.contains(secret.split_once(' ').unwrap().1), "{secret}: {live}");
    }
    home.put("go-on", "");
    assert!(run.wait().unwrap().success());
    // The control: afterwards they are open.
    let all_there = |page: &str| secrets.iter().all(|secret| page.contains(&shown(secret)));
    served.wait_for("/game/r01-p0001-g01.html", |answer| all_there(&answer.text()));
}

#[test]
fn a_game_with_a_picture_for_each_step_is_drawn() {
    let home = Home::new();
    let cycles = super::home::root().join("referees/cycles");
    for name in ["game.toml", "cycles.py"] {
        home.put(format!("cycles/{name}"), fs::read(cycles.join(name)).unwrap());
    }
    engine(&home, "a", "print('up')");
    engine(&home, "b", "print('down')");
    engine(&home, "c", "print('left')");
    done(
        &home,
        "agon match engines/a engines/b engines/c --game ./cycles --seats 3 --games 3 --seed 7 --out run --quiet",
    );
    done(&home, "agon report run --out pages --for public");
    let page = home.read("pages/game/r01-p0001-g01.html");
    assert!(page.contains("aria-label=\"Ply\"") && !page.contains("shown without a board"), "{page}");
    // One frame for each ply, whatever the referee has written.
    let (_, data) = page.split_once("<script type=\"application/json\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let plies = records(&home)[0]["plies"].as_array().unwrap().len();
    assert!(plies > 1);
    assert_eq!(data["frames"].as_array().unwrap().len(), plies);
}

#[test]
fn a_class_is_graded_by_games_of_a_referee_program() {
    let home = Home::new();
    engine(&home, "high", "print(9)");
    engine(&home, "middle", "print(5)");
    engine(&home, "dead", "sys.exit(3)");
    for name in ["high", "middle", "dead"] {
        home.put_program(format!("in/{name}/run"), home.read(&format!("engines/{name}")));
        home.put(format!("in/{name}/engine.toml"), "command = [\"./run\"]\n");
    }
    let higher = "ask(1); ask(2)\na, b = [line.split()[-1] for line in wait()]\n\
                  out(f'end {int(a > b)} {int(b > a)} : the higher number')";
    game(&home, "", higher);
    home.put(
        "tournament.toml",
        "out = \"results\"\ngame = \"./game\"\nst = 2\ngames = 2\nseed = 7\n\n[grades]\nby = \"points\"\nmax = 10\n\
         does-not-work = 1\nsteps = [\n  { at = 0, grade = 4, name = \"plays\" },\n  { at = 90, grade = 9 },\n]\n",
    );
    home.put(
        "roster.csv",
        "id,name,mail,submission\n1,Ann,a,in/high\n2,Ben,b,in/middle\n3,Cy,c,in/dead\n4,Di,d,\n",
    );
    let said = home.agon("grade tournament.toml --roster roster.csv --isolation limits".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = home.read("grades/grades.csv");
    let mut rows = csv::Reader::from_reader(grades.as_bytes());
    let found: Vec<[String; 2]> =
        rows.records().map(Result::unwrap).map(|row| [row[0].to_owned(), row[5].to_owned()]).collect();
    assert_eq!(found, [["1", "9"], ["2", "4"], ["3", "1"], ["4", ""]], "{grades}{}", said.all());
    let verified = home.agon("verify results".split(' '));
    assert_eq!(verified.code, Some(0), "{}", verified.all());
}
