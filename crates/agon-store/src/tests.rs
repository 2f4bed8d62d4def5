//! The store as its callers see it.

use std::collections::HashSet;
use std::time::Duration;

use agon_record::sample::{ended_by, game as sample, void};
use agon_record::{
    Evidence, FarTime, GameRecord, Isolated, MachineLoad, SpentTime, TranscriptLine, Usage, Way,
};
use agon_seats::{PerSeat, Seat};
use agon_standings::Standings;
use agon_standings::pairings::{self, PlannedGame};
use agon_standings::points::Points;
use agon_standings::result::{Cause, GameId, Termination};
use agon_standings::scoring::Scoring;

use super::key::{GameConditions, Player};
use super::*;

mod consent;

fn players(names: &[&str]) -> Vec<Player> {
    let player = |name: &&str| Player {
        name: (*name).trim_end_matches('*').to_owned(),
        hash: (*name).to_owned(),
        outside: None,
        source: String::new(),
        control: "st=1".to_owned(),
    };
    names.iter().map(player).collect()
}

fn terms(seed: u64) -> GameConditions {
    [("game".to_owned(), "mill".to_owned()), ("seed".to_owned(), seed.to_string())].into()
}

struct Bench {
    home: tempfile::TempDir,
    repeats_count_once: bool,
}

/// A plan of so many games in each pairing.
fn plan_of<'a>(players: &'a [Player], terms: &'a GameConditions, games: u32, seed: u64) -> Plan<'a> {
    Plan {
        event: "test",
        label: None,
        of_event: None,
        players,
        terms,
        games,
        seed,
        points: Scoring::Results(Points::CHESS),
        supplies: &[],
        ranking: None,
        drawn: None,
        test: None,
        until: None,
    }
}

impl Bench {
    fn new() -> Self {
        Bench { home: tempfile::tempdir().unwrap(), repeats_count_once: false }
    }

    fn begin(&self, names: &[&str], games: u32) -> (Store, RunStart, Vec<PlannedGame>) {
        self.try_begin(names, games, 7, Consent::Again).unwrap()
    }

    fn try_begin(
        &self,
        names: &[&str],
        games: u32,
        seed: u64,
        consent: Consent,
    ) -> Result<(Store, RunStart, Vec<PlannedGame>)> {
        let (players, mut terms) = (players(names), terms(seed));
        if self.repeats_count_once {
            repeats::count_once(&mut terms);
        }
        let mut store = Store::open(self.home.path())?;
        let plan = plan_of(&players, &terms, games, seed);
        let beginning = store.begin(&plan, consent)?;
        let keys = key::Keys::new(&terms, &players);
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let left = pairings::plan(&names, games, seed).filter(|game| !beginning.played.has(keys.of(game)));
        let left = left.collect();
        Ok((store, beginning, left))
    }
}

/// A record of a planned game that the first seat wins.
fn record(planned: &PlannedGame, names: &[&str]) -> GameRecord {
    let name = |seat: Seat| names[planned.seats[seat]].trim_end_matches('*');
    let mut record = sample(1, name(Seat::FIRST), name(Seat::SECOND), "1-0");
    record.id = planned.id;
    record.seed = planned.seed;
    for (seat, own) in record.seats.iter_mut() {
        own.time = record.plies.iter().filter(|ply| ply.seat == seat).map(|ply| ply.time).sum();
    }
    record
}

fn play(store: &mut Store, games: &[PlannedGame], names: &[&str]) {
    for game in games {
        store.keep(game, &record(game, names), &PerSeat::two(Vec::new(), Vec::new())).unwrap();
    }
}

fn all(store: &Store, filter: &Filter) -> Vec<GameRecord> {
    let mut records = Vec::new();
    store
        .games(filter, |stored| {
            records.push(stored.record);
            Ok(())
        })
        .unwrap();
    records
}

#[test]
fn a_game_comes_back_as_it_was() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    let crash = Termination::Forfeit(Seat::SECOND, Cause::Crash);
    let mut lost = ended_by(record(&plan[0], &names), crash, "killed by SIGSEGV (signal 11)");
    lost.seed = u64::MAX;
    lost.isolation = Some(Isolated {
        level: "sandbox".to_owned(),
        in_force: vec!["rlimits".to_owned(), "seccomp".to_owned()],
    });
    lost.machine = MachineLoad { load: Some(1.25), pressure: Some(0.031) };
    lost.seats[Seat::SECOND].usage = Usage {
        cpu: Duration::from_micros(7),
        off_turn: Duration::from_micros(3),
        memory: 1 << 40,
        threads: 2,
    };
    lost.plies[1].thought = Some("depth 3\\t".to_owned());
    lost.seats[Seat::SECOND].evidence = Some(Evidence {
        lines: vec![TranscriptLine {
            at: lost.seats[Seat::FIRST].time,
            way: Way::Said,
            text: "W,P".to_owned(),
        }],
        stderr: "Zoë".to_owned(),
        command: vec!["./engine".to_owned()],
    });
    store.keep(&plan[0], &lost, &PerSeat::two(b"\xff\x00".to_vec(), Vec::new())).unwrap();
    let spoilt = void(record(&plan[1], &names), "no disk");
    store.keep(&plan[1], &spoilt, &PerSeat::two(Vec::new(), Vec::new())).unwrap();
    drop(store);
    let store = Store::read(bench.home.path()).unwrap();
    let everything = Filter { all: true, ..Filter::default() };
    assert_eq!(all(&store, &everything), [lost.clone(), spoilt]);
    assert_eq!(all(&store, &Filter::default()), [lost]);
    assert_eq!(store.counts().unwrap(), (1, 1, 0));
    assert_eq!(store.integrity().unwrap(), "ok");
}

/// A database of a version that did not know how turns were spent has no table for it.
#[test]
fn a_database_without_the_table_of_spent_turns_is_read_and_gets_it_with_the_first_such_turn() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 4);
    let plain = record(&plan[0], &names);
    store.keep(&plan[0], &plain, &PerSeat::two(Vec::new(), Vec::new())).unwrap();
    drop(store);
    let has_table = || {
        let db = rusqlite::Connection::open(bench.home.path().join("agon.db")).unwrap();
        has_table(&db, "spent").unwrap()
    };
    assert!(!has_table());
    let read = all(&Store::read(bench.home.path()).unwrap(), &Filter::default());
    assert_eq!(read.as_slice(), std::slice::from_ref(&plain));
    assert!(!has_table(), "reading makes none");
    let (mut store, _, plan) = bench.begin(&names, 4);
    let (millis, none) = (Duration::from_millis, Duration::ZERO);
    let far = FarTime { own: millis(80), ran: millis(79), seen: millis(500), counted: millis(400) };
    let turn = |far| SpentTime {
        question: 1,
        time: millis(500),
        ran: millis(1),
        waited: none,
        slept: millis(499),
        starved: none,
        far,
    };
    let mut busy = record(&plan[0], &names);
    busy.seats[Seat::FIRST].spent = vec![turn(None), turn(Some(far))];
    store.keep(&plan[0], &busy, &PerSeat::two(Vec::new(), Vec::new())).unwrap();
    drop(store);
    assert!(has_table(), "the control");
    let store = Store::read(bench.home.path()).unwrap();
    assert_eq!(all(&store, &Filter::default()), [plain, busy]);
    assert_eq!(store.integrity().unwrap(), "ok");
}

#[test]
fn what_is_left_is_the_plan_minus_the_store() {
    let bench = Bench::new();
    let names = ["alpha", "bravo", "charlie"];
    let (mut store, first, plan) = bench.begin(&names, 4);
    assert_eq!((first.played.count(), plan.len()), (0, 12));
    play(&mut store, &plan[..5], &names);
    let spoilt = void(record(&plan[5], &names), "no memory");
    store.keep(&plan[5], &spoilt, &PerSeat::two(Vec::new(), Vec::new())).unwrap();
    drop(store);
    let (_, second, left) = bench.begin(&names, 4);
    assert_eq!((second.run, second.played.count(), second.history), (first.run, 5, 0));
    assert_eq!(left, plan[5..]);
    assert!(second.changes.is_empty());
}

#[test]
fn a_game_counts_once() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    play(&mut store, &plan, &names);
    let twice = store.keep(&plan[0], &record(&plan[0], &names), &PerSeat::two(Vec::new(), Vec::new()));
    assert!(twice.is_err());
    assert_eq!(all(&store, &Filter { all: true, ..Filter::default() }).len(), 2);
}

#[test]
fn standings_are_those_of_the_records() {
    let bench = Bench::new();
    let names = ["alpha", "bravo", "charlie", "delta"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    play(&mut store, &plan[..7], &names);
    let mut standings = Standings::new(Scoring::Results(Points::CHESS), names);
    all(&store, &Filter::default()).iter().for_each(|record| record.count_in(&mut standings));
    let read = store.standings(Scoring::Results(Points::CHESS)).unwrap();
    assert_eq!(read.table(), standings.table());
    assert_eq!(read.crosstable(), standings.crosstable());
}

#[test]
fn standings_that_are_kept_are_those_that_are_read_anew() {
    for repeats_count_once in [false, true] {
        let bench = Bench { repeats_count_once, ..Bench::new() };
        let mut kept = CountedGames::default();
        let mut agree = |store: &Store, points: Scoring, games: u64| {
            let marks = store.marks().unwrap();
            let read = store.standings(points).unwrap();
            let own = store.standings_of(points, &marks, &mut kept).unwrap();
            assert_eq!((own.table(), own.crosstable()), (read.table(), read.crosstable()));
            assert_eq!(store.counts().unwrap().0, games);
            own.table().iter().map(|row| row.tally.total().games()).sum::<u64>() / 2
        };
        let chess = Scoring::Results(Points::CHESS);
        let names = ["alpha", "bravo", "charlie", "delta"];
        let (mut store, _, plan) = bench.begin(&names, 4);
        for (at, game) in plan.iter().enumerate() {
            play(&mut store, std::slice::from_ref(game), &names);
            agree(&store, chess, at as u64 + 1);
        }
        // All games on the same seats have the same moves.
        assert_eq!(agree(&store, chess, 24), if repeats_count_once { 12 } else { 24 });
        agree(&store, Scoring::default(), 24);
        drop(store);
        // Games become history, new ones come, and the old ones count again.
        let changed = ["alpha", "bravo*", "charlie", "delta"];
        let (mut store, _, left) = bench.begin(&changed, 4);
        agree(&store, chess, 12);
        play(&mut store, &left[..5], &changed);
        agree(&store, chess, 17);
        drop(store);
        let (store, ..) = bench.begin(&names, 4);
        agree(&store, chess, 24);
        drop(store);
        let (store, ..) = bench.begin(&["alpha", "charlie", "delta", "echo"], 4);
        agree(&store, chess, 12);
    }
}

#[test]
fn an_engine_that_changed_plays_its_pairings_again_and_no_others() {
    let bench = Bench::new();
    let names = ["alpha", "bravo", "charlie", "delta"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    play(&mut store, &plan, &names);
    drop(store);
    let changed = ["alpha", "bravo*", "charlie", "delta"];
    let (mut store, night, left) = bench.begin(&changed, 2);
    assert_eq!((left.len(), night.history, night.run), (6, 6, 2));
    assert!(left.iter().all(|game| game.seats.values().contains(&1)));
    assert_eq!(night.changes, ["bravo has changed: its 3 pairings are played again"]);
    play(&mut store, &left, &changed);
    assert_eq!(store.counts().unwrap(), (12, 0, 6));
    drop(store);
    // The old version is back, and its games count again.
    let (store, night, left) = bench.begin(&names, 2);
    assert_eq!((left.len(), night.history), (0, 6));
    assert_eq!(store.counts().unwrap(), (12, 0, 6));
}

#[test]
fn games_keep_their_place_in_the_plan_when_entrants_come_and_go() {
    let bench = Bench::new();
    let three = ["bravo", "charlie", "delta"];
    let (mut store, _, plan) = bench.begin(&three, 2);
    play(&mut store, &plan, &three);
    drop(store);
    let four = ["alpha", "bravo", "charlie", "delta"];
    let (store, night, left) = bench.begin(&four, 2);
    assert_eq!((left.len(), night.history), (6, 0));
    assert_eq!(night.changes, ["alpha is new: its 3 pairings are played"]);
    // The files were not renumbered before the kill, so the next run must do it.
    assert!(night.renumbered);
    drop(store);
    assert!(bench.begin(&four, 2).1.renumbered);
    let (store, ..) = bench.begin(&four, 2);
    store.files_are_numbered().unwrap();
    drop(store);
    let (mut store, night, _) = bench.begin(&four, 2);
    assert!(!night.renumbered);
    play(&mut store, &left, &four);
    let ids: HashSet<GameId> = all(&store, &Filter::default()).iter().map(|record| record.id).collect();
    let planned: HashSet<GameId> = pairings::plan(&four, 2, 7).map(|game| game.id).collect();
    assert_eq!(ids, planned);
    drop(store);
    let (store, night, left) = bench.begin(&["bravo", "delta"], 2);
    assert_eq!((left.len(), night.history, store.counts().unwrap().0), (0, 10, 2));
    assert_eq!(night.changes.len(), 2);
}

#[test]
fn what_the_games_hang_on_may_change_and_come_back_and_nothing_is_lost() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 4);
    play(&mut store, &plan, &names);
    drop(store);
    let (store, night, left) = bench.try_begin(&names, 4, 8, Consent::Again).unwrap();
    assert_eq!(night.changes, ["seed has changed from 7 to 8: every pairing is played again"]);
    assert_eq!((left.len(), night.history, store.counts().unwrap()), (4, 4, (0, 0, 4)));
    drop(store);
    let (store, night, left) = bench.begin(&names, 2);
    assert_eq!(night.changes.len(), 2);
    assert_eq!((left.len(), store.counts().unwrap()), (0, (2, 0, 2)));
    drop(store);
    let (store, _, left) = bench.begin(&names, 4);
    assert_eq!((left.len(), store.counts().unwrap()), (0, (4, 0, 0)));
}

#[test]
fn another_time_control_touches_the_pairings_of_that_engine_alone() {
    let bench = Bench::new();
    let names = ["alpha", "bravo", "charlie"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    play(&mut store, &plan, &names);
    let begin = |store: &mut Store, controls: [&str; 3]| {
        let (mut players, terms) = (players(&names), terms(7));
        players.iter_mut().zip(controls).for_each(|(player, control)| player.control = control.to_owned());
        let plan = plan_of(&players, &terms, 2, 7);
        store.begin(&plan, Consent::Again).unwrap()
    };
    let night = begin(&mut store, ["st=1", "st=2", "st=1"]);
    assert_eq!(night.changes, ["bravo has st=2 instead of st=1: its 2 pairings are played again"]);
    assert_eq!((night.played.count(), night.history), (2, 4));
    begin(&mut store, ["st=1"; 3]);
    let night = begin(&mut store, ["st=3"; 3]);
    let all = "the time control has changed from st=1 to st=3: every pairing is played again";
    assert_eq!(night.changes, [all]);
    assert_eq!(night.played.count(), 0);
}

#[test]
fn points_are_stored_with_the_run_and_touch_no_game() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, first, plan) = bench.begin(&names, 4);
    play(&mut store, &plan, &names);
    assert_eq!(store.points().unwrap(), Scoring::Results(Points::CHESS));
    let standings = store.standings(store.points().unwrap()).unwrap();
    store.end(true, &standings).unwrap();
    assert_eq!(store.runs().unwrap()[0].ended_after, Some(4));
    let (players, terms) = (players(&names), terms(7));
    let points = Scoring::read("3-1-0", 2).unwrap();
    let other = Plan {
        event: "test",
        label: None,
        of_event: None,
        players: &players,
        terms: &terms,
        games: 4,
        seed: 7,
        points,
        supplies: &[],
        ranking: None,
        drawn: None,
        test: None,
        until: None,
    };
    let again = store.begin(&other, Consent::Versions).unwrap();
    assert_eq!((again.run, again.played.count(), again.history), (first.run, 4, 0));
    assert_eq!(store.points().unwrap(), points);
    // The stored standings were counted with other points.
    assert_eq!(store.runs().unwrap()[0].ended_after, None);
    let standings = store.standings(points).unwrap();
    store.end(true, &standings).unwrap();
    let run = store.runs().unwrap().remove(0);
    assert_eq!((run.points, run.ended_after), (points, Some(4)));
    let stored = store.stored_standings(run.number).unwrap();
    assert_eq!(stored.iter().map(|row| row.numbers[4]).sum::<i64>(), 12_000);
}

#[test]
fn a_log_torn_by_a_power_cut_keeps_the_games_before_the_tear() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 40);
    store.db.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    play(&mut store, &plan, &names);
    let (db, log) = (bench.home.path().join("agon.db"), bench.home.path().join("agon.db-wal"));
    let (db, log) = (fs::read(db).unwrap(), fs::read(log).unwrap());
    let mut counts = HashSet::new();
    for step in 0..60 {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("agon.db"), &db).unwrap();
        // The disk has the beginning of the log, followed by its old contents.
        let mut torn = log[..log.len() * step / 60 + step].to_vec();
        torn.extend([0x5a; 700]);
        fs::write(home.path().join("agon.db-wal"), torn).unwrap();
        let mut store = Store::open(home.path()).unwrap();
        assert_eq!(store.integrity().unwrap(), "ok");
        let (players, terms) = (players(&names), terms(7));
        let whole = plan_of(&players, &terms, 40, 7);
        let played = store.begin(&whole, Consent::Versions).unwrap().played;
        let keys = key::Keys::new(&terms, &players);
        let left: Vec<PlannedGame> =
            pairings::plan(&names, 40, 7).filter(|game| !played.has(keys.of(game))).collect();
        assert_eq!(played.count() as usize + left.len(), 40);
        counts.insert(played.count());
        play(&mut store, &left, &names);
        assert_eq!(store.counts().unwrap(), (40, 0, 0));
    }
    assert!(counts.len() > 20, "{counts:?}");
}

#[test]
fn a_file_that_is_no_database_of_ours_is_refused_and_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("agon.db");
    let refused = |what: &str| {
        let before = fs::read(&path).unwrap();
        for error in [Store::open(home.path()).err().unwrap(), Store::read(home.path()).err().unwrap()] {
            assert!(error.is::<Misuse>(), "{error:#}");
            assert!(format!("{error:#}").contains(what), "{error:#}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    fs::write(&path, "my notes, which are long enough to be taken for a header of a database\n".repeat(9))
        .unwrap();
    refused("is not a database");
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    refused("of another program");
    fs::remove_file(&path).unwrap();
    drop(Store::open(home.path()).unwrap());
    let set = |version: i64| {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
    };
    for version in [0, 1, upgrade::OLDEST - 1, VERSION + 1, 99] {
        set(version);
        refused(&format!("agon.db has schema version {version}; this is agon {}", env!("CARGO_PKG_VERSION")));
    }
    set(VERSION);
    drop(Store::open(home.path()).unwrap());
}

#[test]
fn a_database_of_another_version_keeps_its_log() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    play(&mut store, &plan, &names);
    store.db.pragma_update(None, "user_version", VERSION + 1).unwrap();
    // The state after a kill: the games are in the log.
    let killed = tempfile::tempdir().unwrap();
    let files = ["agon.db", "agon.db-wal"].map(|name| killed.path().join(name));
    for file in &files {
        fs::copy(bench.home.path().join(file.file_name().unwrap()), file).unwrap();
    }
    let before = files.each_ref().map(|file| fs::read(file).unwrap());
    assert!(before[1].len() > 1000);
    let error = Store::open(killed.path()).err().unwrap();
    assert!(error.is::<Misuse>() && format!("{error:#}").contains("schema version"), "{error:#}");
    assert!(files.each_ref().map(|file| fs::read(file).unwrap()) == before);
}

#[test]
fn a_run_is_read_while_it_goes_on() {
    let bench = Bench::new();
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = bench.begin(&names, 4);
    play(&mut store, &plan[..1], &names);
    let reader = Store::read(bench.home.path()).unwrap();
    assert_eq!(all(&reader, &Filter::default()).len(), 1);
    play(&mut store, &plan[1..], &names);
    assert_eq!(all(&reader, &Filter::default()).len(), 4);
}

#[test]
fn games_are_found_by_engine_end_and_loser() {
    let bench = Bench::new();
    let names = ["alpha", "bravo", "charlie"];
    let (mut store, _, plan) = bench.begin(&names, 2);
    for game in &plan {
        let mut record = record(game, &names);
        if record.seats[Seat::SECOND].entrant == "alpha" {
            let late = Termination::Forfeit(Seat::SECOND, Cause::TimeForfeit);
            record = ended_by(record, late, "no answer");
        }
        store.keep(game, &record, &PerSeat::two(Vec::new(), Vec::new())).unwrap();
    }
    let count = |filter: Filter| all(&store, &filter).len();
    let alpha = Filter { engine: Some("alpha".to_owned()), ..Filter::default() };
    assert_eq!(count(alpha.clone()), 4);
    assert_eq!(count(Filter { lost: true, ..alpha.clone() }), 2);
    assert_eq!(count(Filter { by_fault: true, ..alpha }), 2);
    let bravo = Filter { engine: Some("bravo".to_owned()), ..Filter::default() };
    assert_eq!(count(Filter { by_fault: true, ..bravo }), 0);
    let late = Some("time forfeit".to_owned());
    assert_eq!(count(Filter { termination: late, ..Filter::default() }), 2);
    assert_eq!(count(Filter { id: Some(plan[3].id), ..Filter::default() }), 1);
}

#[test]
fn games_that_come_twice_are_taken_once() {
    let (here, there) = (Bench::new(), Bench::new());
    let names = ["alpha", "bravo"];
    let (mut store, _, plan) = there.begin(&names, 4);
    play(&mut store, &plan, &names);
    let arrivals = || {
        let mut arrivals = Vec::new();
        store
            .games(&Filter::default(), |stored| {
                let Stored { record, key, hashes, .. } = stored;
                let stderr = record.seats.map(|_, _| Vec::new());
                let (counts, host, boxes) = (true, None, None);
                arrivals.push(Ok(ImportedGame {
                    record,
                    key,
                    hashes,
                    counts,
                    stderr,
                    host,
                    boxes,
                    decisions: Vec::new(),
                }));
                Ok(())
            })
            .unwrap();
        arrivals.into_iter()
    };
    let (mut other, _, plan) = here.begin(&names, 4);
    play(&mut other, &plan[..1], &names);
    assert_eq!(other.import(&mut arrivals(), |_| None).unwrap(), 3);
    assert_eq!(other.import(&mut arrivals(), |_| None).unwrap(), 0);
    drop(other);
    assert_eq!(here.begin(&names, 4).2.len(), 0);
}

#[test]
fn why_a_database_cannot_be_opened_is_what_the_system_says_of_it_and_not_of_another_call() {
    let place = tempfile::tempdir().unwrap();
    let refused = || {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
        anyhow::Error::from(rusqlite::Error::SqliteFailure(code, None))
    };
    let healthy = place.path().join("agon.db");
    fs::write(&healthy, "").unwrap();
    // The last error of the system is one of another file.
    assert!(fs::metadata("/nowhere/at/all").is_err());
    let why = format!("{:#}", told(refused(), &healthy));
    assert!(!why.contains("os error"), "{why}");
    let why = format!("{:#}", told(refused(), &healthy.join("agon.db")));
    assert!(why.contains("Not a directory (os error 20)"), "{why}");
}
