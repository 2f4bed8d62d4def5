//! Simulated games in the real store: rate, size of the file, memory, and the time of each report.
//!
//! `cargo bench --bench store -- [GAMES]`, by default 100,000.
//!
//! `cargo bench --bench store -- GAMES PARTS FOLDER` writes so many games in so many parts instead,
//! for `time agon merge all FOLDER/*`.

#[path = "harness/figures.rs"]
mod figures;

use std::path::Path;
use std::time::{Duration, Instant};

use agon_config::Part;
use agon_games::{Needs, Rules, Status};
use agon_record::reason::EndReason;
use agon_record::{Decided, GameRecord, MachineLoad, Ply, SeatRecord, Traffic, Verdict};
use agon_seats::{PerSeat, Seat};
use agon_standings::Standings;
use agon_standings::pairings::{self, PlannedGame};
use agon_standings::result::Termination;
use agon_standings::scoring::Scoring;
use agon_store::key::{GameConditions, Keys, Player};
use agon_store::{Filter, Plan, Store};
use chrono::DateTime;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const ENGINES: u64 = 20;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let asked = words.first().and_then(|word| word.parse().ok()).unwrap_or(100_000u64);
    if let [_, parts, folder] = &words[..] {
        return in_parts(asked, parts.parse().expect("a number of parts"), Path::new(folder));
    }
    let pairs = ENGINES * (ENGINES - 1) / 2;
    let games = u32::try_from((asked / pairs).next_multiple_of(2)).expect("a number of games");
    let home = tempfile::tempdir_in(".").expect("a directory can be made here");
    let rules = agon_games::find("mnk:3x3,3", &Needs::default()).expect("the game is known");
    let mut players = players();
    let terms: GameConditions = [("game", "mnk:3x3,3"), ("seed", "1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();

    let mut store = Store::open(home.path()).expect("the store opens");
    let plan = Plan {
        label: None,
        of_event: None,
        event: "bench",
        players: &players,
        terms: &terms,
        games,
        seed: 1,
        points: Scoring::default(),
        supplies: &[],
        ranking: None,
        drawn: None,
        test: None,
        until: None,
    };
    store.begin(&plan, agon_store::Consent::default()).expect("the run begins");
    let silent = PerSeat::two(Vec::new(), Vec::new());
    let (mut keeping, mut slowest, mut count) = (Duration::ZERO, Duration::ZERO, 0u64);
    for planned in pairings::plan(&names, games, 1) {
        let record = simulated(rules.as_ref(), &planned, &names);
        let began = Instant::now();
        store.keep(&planned, &record, &silent).expect("the game is stored");
        let took = began.elapsed();
        keeping += took;
        slowest = slowest.max(took);
        count += 1;
    }
    let rate = per_second(count, keeping);
    println!("{count} games stored one by one: {rate:.0} a second, the slowest in {slowest:.1?}");
    told("standings made part of the history", || {
        let standings = store.standings(Scoring::default()).expect("they can be had");
        store.end(true, &standings).expect("the run ends");
    });
    drop(store);
    let size = std::fs::metadata(home.path().join("agon.db")).expect("the file is there").len();
    println!("file: {:.1} MiB, {} bytes a game of 8 plies or so", mib(size), size / count);
    println!("peak memory so far: {}", peak());

    let store = Store::read(home.path()).expect("it opens");
    let mut standings = Standings::new(Scoring::default(), [""; 0]);
    told("standings", || {
        standings = store.standings(Scoring::default()).expect("they can be had");
        assert_eq!(standings.table().len() as u64, ENGINES);
    });
    told("crosstable", || assert_eq!(standings.crosstable().cells.len() as u64, ENGINES));
    told("history", || assert_eq!(store.history().expect("it can be had").len() as u64, ENGINES));
    told("counts", || assert_eq!(store.counts().expect("they can be had").0, count));
    told("losses by fault of one engine", || {
        let filter = Filter { engine: Some(names[0].clone()), by_fault: true, ..Filter::default() };
        store.games(&filter, |_| Ok(())).expect("they can be had");
    });
    told("every whole game read, in the order of the plan", || {
        let mut plies = 0;
        let all = store.games(&Filter::default(), |stored| {
            plies += stored.record.plies.len();
            Ok(())
        });
        all.expect("they can be had");
        assert!(plies > 0);
    });
    drop(store);
    let mut store = Store::open(home.path()).expect("the store opens");
    told("going on", || {
        let played = store.begin(&plan, agon_store::Consent::default()).expect("it goes on").played;
        let keys = Keys::new(&terms, &players);
        let left = pairings::plan(&names, games, 1).filter(|game| !played.has(keys.of(game)));
        assert_eq!(left.count(), 0);
    });
    players[0].hash.replace_range(..1, "f");
    let plan = Plan {
        label: None,
        of_event: None,
        event: "bench",
        players: &players,
        terms: &terms,
        games,
        seed: 1,
        points: Scoring::default(),
        supplies: &[],
        ranking: None,
        drawn: None,
        test: None,
        until: None,
    };
    told("a night with one engine changed", || {
        let night = store.begin(&plan, agon_store::Consent::default()).expect("it goes on");
        assert_eq!(night.history, (ENGINES - 1) * u64::from(games));
    });
    println!("peak memory: {}", peak());
    let long = hundred_plies(&home, &players, &terms, rules.as_ref());
    let bytes = |bytes: u64| f64::from(u32::try_from(bytes).unwrap_or(u32::MAX));
    let kept = [
        ("games stored a second", rate),
        ("slowest game, ms", slowest.as_secs_f64() * 1e3),
        ("bytes a game of 8 plies", bytes(size / count)),
        ("bytes a game of 100 plies", bytes(long)),
    ];
    figures::keep(kept.map(|(what, figure)| (format!("store, {what}"), figure)).into());
}

/// Writes games of a round robin as the parts of one run.
fn in_parts(games: u64, parts: u64, folder: &Path) {
    let pairs = ENGINES * (ENGINES - 1) / 2;
    let games = u32::try_from((games / pairs).next_multiple_of(2)).expect("a number of games");
    let rules = agon_games::find("mnk:3x3,3", &Needs::default()).expect("the game is known");
    let players = players();
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    let terms: GameConditions = [("game", "mnk:3x3,3"), ("seed", "1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let plan = Plan {
        label: None,
        of_event: None,
        event: "bench",
        players: &players,
        terms: &terms,
        games,
        seed: 1,
        points: Scoring::default(),
        supplies: &[],
        ranking: None,
        drawn: None,
        test: None,
        until: None,
    };
    let keys = Keys::new(&terms, &players);
    let silent = PerSeat::two(Vec::new(), Vec::new());
    for number in 1..=parts {
        let path = folder.join(number.to_string());
        std::fs::create_dir_all(&path).expect("a directory can be made here");
        let mut store = Store::open(&path).expect("the store opens");
        store.plays_a_part();
        store.begin(&plan, agon_store::Consent::default()).expect("the run begins");
        let part = Part::new(number, parts).expect("a part of the whole");
        let own = pairings::plan_of(&names, games, 1, |entrants| {
            let pair = keys.of_table(entrants);
            move |board| part.has(pair(board))
        });
        for planned in own {
            let record = simulated(rules.as_ref(), &planned, &names);
            store.keep(&planned, &record, &silent).expect("the game is stored");
        }
    }
}

fn players() -> Vec<Player> {
    let player = |number| Player {
        name: format!("engine-{number:02}"),
        hash: format!("{number:064x}"),
        source: String::new(),
        outside: None,
        control: "st=1".to_owned(),
    };
    (1..=ENGINES).map(player).collect()
}

/// The cost of a game of 100 plies, each as long as those of the letter cube.
fn hundred_plies(
    home: &tempfile::TempDir,
    players: &[Player],
    terms: &GameConditions,
    rules: &dyn Rules,
) -> u64 {
    let path = home.path().join("long");
    std::fs::create_dir(&path).expect("a directory can be made");
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    let mut store = Store::open(&path).expect("the store opens");
    let plan = Plan {
        label: None,
        of_event: None,
        event: "bench",
        players,
        terms,
        games: 10,
        seed: 1,
        points: Scoring::default(),
        supplies: &[],
        ranking: None,
        drawn: None,
        test: None,
        until: None,
    };
    store.begin(&plan, agon_store::Consent::default()).expect("the run begins");
    let mut count = 0;
    for planned in pairings::plan(&names, 10, 1) {
        let mut record = simulated(rules, &planned, &names);
        record.plies = (0..100)
            .map(|ply| Ply {
                seat: Seat::new(ply % 2),
                text: format!("{},6,3,1,6,5,1,apple", ["W", "B"][ply % 2]),
                points: 9,
                time: Duration::from_micros(1_234_567),
                thought: None,
            })
            .collect();
        (record.start, record.last) = ("x".repeat(120), "x".repeat(160));
        store.keep(&planned, &record, &PerSeat::two(Vec::new(), Vec::new())).expect("it is stored");
        count += 1;
    }
    drop(store);
    let size = std::fs::metadata(path.join("agon.db")).expect("the file is there").len();
    println!("a game of 100 plies: {} bytes", size / count);
    size / count
}

/// Random legal moves to the end.
fn simulated(rules: &dyn Rules, planned: &PlannedGame, names: &[String]) -> GameRecord {
    let mut random = ChaCha8Rng::seed_from_u64(planned.seed ^ u64::from(planned.id.game));
    let mut game = rules.start(planned.seed);
    let (start, started) = (game.text(), DateTime::from(std::time::SystemTime::now()));
    let mut plies = Vec::new();
    let outcome = loop {
        let seat = match game.status() {
            Status::Over(outcome) => break outcome,
            Status::ToMove(seat) => seat,
        };
        let moves = game.moves();
        let drawn = usize::try_from(random.next_u64() % moves.len() as u64).expect("a small number");
        let played = game.play(moves[drawn].as_bytes()).expect("it is legal");
        let time = Duration::from_micros(50 + random.next_u64() % 50);
        plies.push(Ply { seat, text: played.text, points: played.points, time, thought: None });
    };
    let seats = planned.seats.map(|seat, place| SeatRecord {
        side: rules.seats()[seat.index()].to_owned(),
        entrant: names[*place].clone(),
        time_control: "st=1 margin=0.02".to_owned(),
        time: plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time).sum(),
        longest: longest(&plies, seat),
        startup: Duration::from_micros(700),
        lateness: Duration::from_micros(60),
        traffic: Traffic { told: 60, said: 30, ..Traffic::default() },
        exit: None,
        stragglers: 0,
        usage: Default::default(),
        spent: Vec::new(),
        evidence: None,
        unanswered: None,
        pauses: Vec::new(),
        elsewhere: None,
    });
    GameRecord {
        id: planned.id,
        rules: rules.spec(),
        seed: planned.seed,
        start,
        last: game.text(),
        time_control: "st=1".to_owned(),
        seats,
        plies,
        verdict: Verdict::Decided(Decided {
            places: outcome.places,
            scores: outcome.scores,
            termination: Termination::Normal,
            reason: EndReason::Rules(outcome.why),
        }),
        isolation: None,
        machine: MachineLoad::default(),
        referee: None,
        ruling: None,
        started,
        finished: DateTime::from(std::time::SystemTime::now()),
    }
}

fn longest(plies: &[Ply], seat: Seat) -> Duration {
    plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time).max().unwrap_or_default()
}

fn told(what: &str, act: impl FnOnce()) {
    let began = Instant::now();
    act();
    println!("{what}: {:.2?}", began.elapsed());
}

#[allow(clippy::cast_precision_loss)] // a rate need not be exact
fn per_second(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

#[allow(clippy::cast_precision_loss)] // as above
fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The peak memory of this process, as Linux reports it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned())
}
