//! The program that is named is the program that plays, whatever becomes of its files while a run
//! goes on.
//!
//! The engine that changes does it itself, at its fourth start: so each game falls before the
//! change or after it, however busy the machine is.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use rusqlite::Connection;

use super::home::{Home, Said, programs};

/// Plays engines where they lie.
const LOOKED_AT: &str = "--keep off";

/// A program of a version. The first one changes its files at its fourth start.
fn version(version: u32, home: &str) -> String {
    let change = if version == 1 { format!("sh {home}/change") } else { ":".to_owned() };
    format!(
        "#!/bin/sh\n\
         echo version {version} >&2\n\
         echo >> {home}/starts\n\
         if [ $(wc -l < {home}/starts) = 4 ]; then {change}; fi\n\
         exec \"$(dirname \"$0\")/agon-random\" \"$@\"\n"
    )
}

/// A home with an engine that changes by these commands, and one that stays as it is.
fn home(change: &str) -> Home {
    let home = Home::new();
    let place = home.path("").to_string_lossy().trim_end_matches('/').to_owned();
    // Beside the engine: a program that has its own path in it is played where it lies.
    home.put("change", change.replace("{bot}", &format!("{place}/engines/bot")).replace("{home}", &place));
    home.put("next", version(2, &place));
    home.put("engines/bot/engine.toml", "command = [\"sh\", \"{folder}/play.sh\"]\n");
    home.put("engines/bot/play.sh", version(1, &place));
    home.put("engines/bot/words", "cat\n");
    home.put_program("engines/bot/agon-random", fs::read(programs().join("agon-random")).unwrap());
    home.engine("engines/steady", "agon-random");
    home
}

fn play(home: &Home, more: &str) -> Said {
    play_and_say(home, &format!("--quiet {more}"))
}

/// The same with what is said before the games.
fn play_and_say(home: &Home, more: &str) -> Said {
    let words =
        "tournament engines --games 12 --st 5 --game letters:2x3x1 --seed 5 --concurrency 1 --out run";
    home.agon(words.split(' ').chain(more.split_whitespace()))
}

/// The decided games of the bot, as pairs of its hash and the versions that its logs name, and how
/// many attempts are void.
fn played(home: &Home) -> (BTreeSet<(String, String)>, usize, usize) {
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let sql = "SELECT word.text, hash, CAST(stderr AS TEXT) FROM game JOIN word ON word.id = ending \
         JOIN seat ON seat.game = number JOIN engine ON engine.id = engine \
         LEFT JOIN log ON log.game = number AND log.seat = seat.seat WHERE name = 'bot'";
    let mut rows = db.prepare(sql).unwrap();
    let rows = rows.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<String>>(2)?))
    });
    let all: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
    let void = all.iter().filter(|(ending, ..)| ending == "void").count();
    assert!(all.iter().all(|(ending, ..)| ending == "void" || ending == "normal"), "{all:?}");
    let decided = all.into_iter().filter(|(ending, ..)| ending != "void");
    let decided: Vec<_> = decided.map(|(_, hash, log)| (hash, log.unwrap_or_default())).collect();
    // A game may be over before it is asked.
    let started = decided.iter().filter(|(_, log)| !log.is_empty());
    (started.cloned().collect(), decided.len(), void)
}

/// Puts the next version in its place.
const REPLACE: &str = "cp {home}/next {bot}/play.sh";

#[test]
fn what_was_hashed_plays_to_the_end_from_its_copy() {
    let gone = "rm -r {bot}";
    for then in [REPLACE, gone] {
        let home = home(then);
        let said = play(&home, "");
        assert_eq!(said.code, Some(0), "{then}\n{}", said.all());
        let (pairs, decided, void) = played(&home);
        assert_eq!((pairs.len(), decided, void), (1, 12, 0), "{then}: {pairs:?}");
        assert_eq!(pairs.first().unwrap().1, "version 1\n");
        if then == REPLACE {
            // The control: it was replaced.
            assert_eq!(play(&home, "").code, Some(0));
            assert!(played(&home).0.iter().any(|(_, version)| version == "version 2\n"));
        }
    }
}

#[test]
fn a_program_that_changes_in_a_run_makes_its_games_void_where_it_is_played_in_its_place() {
    let home = home(REPLACE);
    let said = play(&home, LOOKED_AT);
    assert_eq!(said.code, Some(4), "{}", said.all());
    let warning = "warning: bot changed while the run went on: ";
    assert_eq!(said.err().matches(warning).count(), 1, "{}", said.all());
    let (pairs, decided, void) = played(&home);
    assert_eq!((pairs.len(), decided + void), (1, 12), "{pairs:?}");
    assert!(decided > 2, "{decided}");
    assert_eq!(pairs.first().unwrap().1, "version 1\n");
    // No engine is at fault, and why there is no result is told, for all and for one.
    let attempts = if void == 1 { "1 attempt at one of" } else { &format!("{void} attempts at") };
    let were = if void == 1 { "was" } else { "were" };
    for (words, begins) in [
        (&["why", "run"][..], format!("no engine lost a game by a fault; {attempts} the games {were} void")),
        (&["why", "run", "bot"], format!("bot lost 0 games by a fault; {attempts} its games {were} void")),
    ] {
        let told = home.agon(words);
        assert_eq!(told.code, Some(0), "{}", told.all());
        assert!(told.out().starts_with(&format!("{begins}, the last because ")), "{}", told.all());
        assert!(told.out().contains("changed"), "{}", told.all());
    }
    // The new program has a hash of its own, and plays all games.
    let said = play(&home, LOOKED_AT);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (pairs, all, _) = played(&home);
    assert_eq!((pairs.len(), all), (2, decided + 12), "{pairs:?}");
    let versions: BTreeSet<_> = pairs.iter().map(|(_, version)| version.as_str()).collect();
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), ["version 1\n", "version 2\n"]);
    let hashes: BTreeSet<_> = pairs.iter().map(|(hash, _)| hash).collect();
    assert_eq!(hashes.len(), 2);
    assert!(home.agon(["verify", "run"]).out().contains(" 0 differences in all"));
}

#[test]
fn a_program_that_is_another_one_for_a_while_makes_only_the_games_of_that_time_void() {
    // A file beside the program, with the same size and time. Then the old one is put back.
    let swap = "mv {bot}/words {home}/old; echo dog > {bot}/words; touch -r {home}/old {bot}/words";
    let there_and_back = format!("{swap}; mv {{home}}/old {{bot}}/words");
    let missing = "mv {bot}/words {home}/old";
    for then in [there_and_back.as_str(), missing] {
        let home = home(then);
        let said = std::thread::scope(|scope| {
            let (old, place) = (home.path("old"), home.path("engines/bot/words"));
            let is_away = then == missing;
            scope.spawn(move || {
                let tries = if is_away { 1200 } else { 0 };
                for _ in 0..tries {
                    if fs::rename(&old, &place).is_ok() {
                        return;
                    }
                    sleep(Duration::from_millis(50));
                }
            });
            play(&home, LOOKED_AT)
        });
        assert_eq!(said.code, Some(0), "{then}\n{}", said.all());
        let (pairs, decided, void) = played(&home);
        assert_eq!((pairs.len(), decided), (1, 12), "{then}: {pairs:?}");
        assert!(void > 0, "{then}");
    }
    // Without the one that was put back, as the control.
    let home = home(swap);
    let said = play(&home, LOOKED_AT);
    assert_eq!(said.code, Some(4), "{}", said.all());
    assert!(played(&home).1 < 12);
}

/// A home with a run of two versions of the bot, and the first as `NAME@HASH`.
fn two_versions() -> (Home, String) {
    let home = home(REPLACE);
    assert_eq!(play(&home, "").code, Some(0));
    assert_eq!(play(&home, "").code, Some(0));
    let old = program(&home, "bot@");
    (home, old)
}

/// The first engine of the run whose `NAME@HASH` begins so.
fn program(home: &Home, start: &str) -> String {
    let listed = home.agon(["status", "run", "--programs"]).out();
    let row = listed.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{listed}"));
    row.split(' ').next().unwrap().to_owned()
}

#[test]
fn a_kept_version_is_named_by_its_hash_and_played_again() {
    let (home, old) = two_versions();
    let status = home.agon(["status", "run"]).out();
    assert!(
        status.contains("programs: 1 played from kept copies; 1 looked at where they lie: steady ("),
        "{status}"
    );
    let listed = home.agon(["status", "run", "--programs"]).out();
    let rows: Vec<&str> = listed.lines().filter(|line| line.starts_with("bot@")).collect();
    assert_eq!(rows.len(), 2, "{listed}");
    assert!(rows.iter().all(|row| row.contains("kept copy ")), "{listed}");
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains(" 2 programs"), "{}", said.all());
    assert!(
        said.out().contains("steady@") && said.out().contains("was played where it lies"),
        "{}",
        said.all()
    );

    // The old version against the new one, as another engine with the hash that it had.
    let words = format!("match run/{old} engines/bot --games 4 --st 5 --game letters:3x3x2 --seed 5 --quiet");
    let said = home.agon(format!("{words} --out again").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let listed = home.agon(["status", "again", "--programs"]).out();
    assert!(
        listed.contains(&format!("{}@", &old[..12])) && listed.matches("kept copy ").count() == 2,
        "{listed}"
    );
    let logs = home.shell("cat again/logs/*").out();
    assert!(logs.contains("version 1\n") && logs.contains("version 2\n"), "{logs}");
    // The same in a box, where only its copy is shown.
    if home.agon(["doctor"]).out().lines().any(|line| line.split_whitespace().eq(["sandbox", "available"])) {
        let said = home.agon(format!("{words} --isolation sandbox --out boxed").split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let logs = home.shell("cat boxed/logs/*").out();
        assert!(logs.contains("version 1\n") && logs.contains("version 2\n"), "{logs}");
    }
    for (name, words) in [
        ("run/bot@0000", "no program in run has this hash"),
        ("run/nobody@0000", "there is no engine nobody in run"),
        ("run/steady@", "there is no such file"),
    ] {
        let said = home.agon(["match", name, "engines/bot", "--games", "2"]);
        assert_eq!(said.code, Some(2), "{name}: {}", said.all());
        assert!(said.err().contains(words) && said.err().contains("hint: "), "{name}: {}", said.all());
    }
    // One that was played where it lies is played there, as long as it is the same.
    let steady = program(&home, "steady@");
    let words = [
        "match",
        &format!("run/{steady}"),
        "engines/bot",
        "--games",
        "2",
        "--game",
        "letters:2x3x1",
        "--quiet",
    ];
    let said = home.agon(words);
    assert_eq!(said.code, Some(0), "{}", said.all());
    fs::remove_file(home.path("engines/steady")).unwrap();
    home.engine("engines/steady", "agon-greedy");
    let said = home.agon(words);
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("no copy of it was kept"), "{}", said.all());
}

#[test]
fn a_kept_copy_that_was_changed_is_found_and_one_that_nobody_needs_is_removed() {
    let (home, old) = two_versions();
    let copies = || -> Vec<PathBuf> {
        fs::read_dir(home.path("run/programs")).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let text = |copy: &PathBuf| fs::read_to_string(copy.join("bot/play.sh")).unwrap();
    let first = copies().into_iter().find(|copy| text(copy).contains("version 1")).unwrap();
    let whole = text(&first);
    fs::write(first.join("bot/play.sh"), whole.replace("version 1", "version 3")).unwrap();
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.out().contains("bot/play.sh is not as it was"), "{}", said.all());
    let said = home.agon(["match", &format!("run/{old}"), "engines/bot", "--games", "2"]);
    assert_eq!(said.code, Some(2), "{}", said.all());
    fs::write(first.join("bot/play.sh"), whole).unwrap();
    assert_eq!(home.agon(["verify", "run"]).code, Some(0));

    // No game of the first version counts.
    assert_eq!(copies().len(), 2);
    let said = home.agon("prune run --nights 1".split(' ')).out();
    assert_eq!(said.matches("a kept program that no counting game uses").count(), 1, "{said}");
    assert_eq!(home.agon("prune run --nights 1 --yes".split(' ')).code, Some(0));
    assert!(!first.exists());
    assert_eq!(copies().len(), 1);
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("its copy is not there any more"), "{}", said.all());
}

/// A database of before programs were noted.
#[test]
fn a_database_without_the_table_of_programs_is_read_and_gone_on_with() {
    let home = Home::with_two();
    let words = "tournament engines --games 2 --st 5 --game letters:2x3x1 --seed 5 --out run --quiet";
    assert_eq!(home.agon(words.split(' ')).code, Some(0));
    Connection::open(home.path("run/agon.db")).unwrap().execute_batch("DROP TABLE program").unwrap();
    assert!(!home.agon(["status", "run"]).out().contains("programs"));
    assert!(home.agon(["status", "run", "--programs"]).out().contains("not noted"));
    let said = home.agon(["verify", "run"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.out().contains("how it was played was not noted"), "{}", said.all());
    assert_eq!(home.agon(["prune", "run"]).code, Some(0));
    assert_eq!(home.agon(words.replace("--games 2", "--games 4").split(' ')).code, Some(0));
    assert!(home.agon(["status", "run"]).out().contains("programs: "));
}

/// A home with two engines that play where they lie: the first runs these lines of a shell, in its
/// folder, and has this `engine.toml` besides.
fn learner(lines: &str, toml: &str) -> Home {
    let home = Home::new();
    let play = format!("own=$(dirname \"$0\")\n(cd \"$own\"; {lines})\nexec \"$own/agon-random\" \"$@\"\n");
    home.put("engines/bot/play.sh", play);
    home.put("engines/bot/engine.toml", format!("command = [\"sh\", \"{{folder}}/play.sh\"]\n{toml}"));
    home.put_program("engines/bot/agon-random", fs::read(programs().join("agon-random")).unwrap());
    home.engine("engines/steady", "agon-random");
    home
}

#[test]
fn what_an_engine_learns_stays_in_its_place_and_makes_it_no_other_engine() {
    let home = learner(
        "echo learned >> book.dat; mkdir -p seen; : > seen/$$; echo x >> .notes",
        "learns = [\"book.dat\", \"seen/\", \".notes\"]\n",
    );
    let said = play(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let learned = home.read("engines/bot/book.dat");
    assert!(learned.lines().count() >= 4, "{learned}");
    let status = home.agon(["status", "run"]).out();
    assert!(status.contains("bot (it learns into its folder)"), "{status}");
    let said = play(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(home.read("engines/bot/book.dat"), learned, "nothing is played again");
    // A plain copy of its own would lose what was learned; without the key its games are void.
    let home = learner("echo learned >> book.dat", "kept = false\n");
    let said = play(&home, "");
    assert_eq!(said.code, Some(4), "{}", said.all());
    assert!(
        said.err().contains("/bot/book.dat is new;")
            && said
                .err()
                .contains("if it writes there itself, write learns = [\"book.dat\"] in its engine.toml"),
        "{}",
        said.all()
    );
    // With the key, the games of before count on: the key alone makes no other engine.
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let hashes = || -> i64 {
        db.query_row("SELECT count(*) FROM engine WHERE name = 'bot'", [], |row| row.get(0)).unwrap()
    };
    home.put(
        "engines/bot/engine.toml",
        "command = [\"sh\", \"{folder}/play.sh\"]\nlearns = [\"book.dat\"]\nkept = false\n",
    );
    let said = play(&home, "");
    assert_eq!((said.code, hashes()), (Some(0), 1), "{}", said.all());
}

#[test]
fn a_new_file_beside_an_engine_that_plays_in_its_place_makes_its_games_void() {
    let home = home("echo > {bot}/plugin");
    let said = play(&home, LOOKED_AT);
    assert_eq!(said.code, Some(4), "{}", said.all());
    assert!(said.err().contains("bot changed while the run went on: "), "{}", said.all());
    assert!(said.err().contains("/plugin is new"), "{}", said.all());
    let (pairs, decided, void) = played(&home);
    assert!(pairs.len() == 1 && decided > 2 && void > 0 && decided + void == 12, "{decided} {void}");
    // The reason is data, and not only a sentence.
    let all = home.agon("export json run --all".split(' ')).out();
    let data =
        all.lines().filter(|line| line.contains(r#""why_data":{"program_changed":{"program":"bot","how":"#));
    assert_eq!(data.count(), void, "{all}");
    // A copy is not reached by it.
    let home = self::home("echo > {bot}/plugin");
    assert_eq!(play(&home, "").code, Some(0));
}

#[test]
fn files_behind_a_link_and_beside_a_script_alone_are_looked_at() {
    // The link leads out of the folder of the engine.
    let home = home("echo dog > {home}/shared/words");
    home.put("shared/words", "cat\n");
    std::os::unix::fs::symlink(home.path("shared"), home.path("engines/bot/lib")).unwrap();
    let said = play(&home, "");
    assert_eq!(said.code, Some(4), "{}", said.all());
    assert!(said.err().contains("/bot/lib/words is not as it was"), "{}", said.all());
    let (pairs, decided, void) = played(&home);
    assert!(pairs.len() == 1 && decided > 2 && void > 0, "{pairs:?} {decided} {void}");
    // A new file there may be of somebody else.
    let home = self::home("echo dog > {home}/shared/other");
    home.put("shared/words", "cat\n");
    std::os::unix::fs::symlink(home.path("shared"), home.path("engines/bot/lib")).unwrap();
    assert_eq!(play(&home, "").code, Some(0));

    for (changed, code) in [("helper.sh", Some(4)), ("other.sh", Some(0))] {
        let home = self::home(&format!("echo : >> {{home}}/engines/{changed}"));
        let script = version(1, home.path("").to_str().unwrap().trim_end_matches('/'));
        let script = script.replace("exec ", ". \"$(dirname \"$0\")/helper.sh\"\nexec ");
        fs::remove_dir_all(home.path("engines/bot")).unwrap();
        home.put_program("engines/bot", script);
        home.put_program("engines/agon-random", fs::read(programs().join("agon-random")).unwrap());
        home.put("engines/helper.sh", ":\n");
        home.put("engines/other.sh", ":\n");
        let said = play(&home, "");
        assert_eq!(said.code, code, "{changed}: {}", said.all());
        let is_told = said.err().contains("/engines/helper.sh is not as it was");
        assert_eq!(is_told, changed == "helper.sh", "{changed}: {}", said.all());
    }
}

#[test]
fn hidden_files_are_part_of_an_engine_and_games_from_before_that_count_on() {
    let home = learner("cat .level >&2", "");
    home.put("engines/bot/.level", "one\n");
    assert_eq!(play_and_say(&home, "").code, Some(0));
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let games = || -> i64 { db.query_row("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap() };
    assert_eq!(games(), 12);
    home.put("engines/bot/.level", "two\n");
    let said = play_and_say(&home, "");
    assert_eq!((said.code, games()), (Some(0), 24), "{}", said.all());
    assert!(said.err().contains("bot has changed: "), "{}", said.all());
    let logs = home.shell("cat run/logs/*").out();
    assert!(logs.contains("two"), "{logs}");

    // A database of before: the hash is that of the engine without its hidden files.
    home.shell("mv engines/bot/.level level");
    assert_eq!(play_and_say(&home, "").code, Some(0));
    assert_eq!(games(), 36);
    db.execute_batch("DROP TABLE whole").unwrap();
    home.shell("mv level engines/bot/.level");
    db.execute_batch(
        "UPDATE engine SET hash = hash || '-' WHERE name = 'bot' AND id <> (SELECT max(id) FROM engine)",
    )
    .unwrap();
    let said = play_and_say(&home, "");
    assert_eq!((said.code, games()), (Some(0), 36), "{}", said.all());
    assert!(
        said.err().contains("its hidden files and links to folders are part of it from now on"),
        "{}",
        said.all()
    );
    assert!(!play_and_say(&home, "").err().contains("from now on"));
    home.put("engines/bot/.level", "three\n");
    assert_eq!(play_and_say(&home, "").code, Some(0));
    assert_eq!(games(), 48);
}

/// Plays the first lost game of a run again, in any place, with dash.
fn again(home: &Home, run: &str) -> Said {
    home.shell(&format!(
        "AGON=$(command -v agon); export AGON; mkdir -p bin; ln -sf \"$(command -v agon-stub)\" bin; \
         sh=$(command -v dash || command -v sh); script=$(ls \"{run}\"/evidence/*/again.sh | head -n 1); \
         PATH=$PWD/bin:/usr/bin:/bin $sh \"$script\""
    ))
}

#[test]
fn the_script_of_the_evidence_runs_the_program_that_played_or_says_that_it_is_another_one() {
    let places = ["engines", "two words 'it\"s'", "new\nline$(id)`id`"];
    for (folder, keep) in places.iter().flat_map(|folder| [(*folder, ""), (*folder, LOOKED_AT)]) {
        let home = Home::new();
        let bad = |version: u32| format!("echo version {version} >&2\nexec agon-stub \"$@\"\n");
        let toml = "command = [\"sh\", \"{folder}/play.sh\"]\n\
            args = [\"illegal\", \"{side}\", \"{rows}\", \"{columns}\", \"{planes}\"]\n";
        home.put(format!("{folder}/bad/engine.toml"), toml);
        home.put(format!("{folder}/bad/play.sh"), bad(1));
        home.engine(format!("{folder}/steady"), "agon-random");
        let mut words =
            vec!["tournament", folder, "--games", "2", "--st", "5", "--game", "letters:4x4x2", "--seed", "5"];
        words.extend(["--concurrency", "1", "--out", "run", "--quiet"]);
        words.extend(keep.split_whitespace());
        let said = home.agon(words);
        assert_eq!(said.code, Some(0), "{folder:?} {keep}: {}", said.all());
        let same = again(&home, "run");
        assert_eq!(same.code, Some(0), "{folder:?} {keep}: {}", same.all());
        assert!(same.out().contains("bad"), "{}", same.all());
        home.put(format!("{folder}/bad/play.sh"), bad(2));
        let changed = again(&home, "run");
        if keep.is_empty() {
            // The copy plays, also when the results have moved.
            assert_eq!(changed.code, Some(0), "{folder:?}: {}", changed.all());
            assert!(changed.out().contains("bad@"), "{}", changed.all());
            home.shell("mkdir -p 'a b'; mv run 'a b/it'");
            let moved = again(&home, "a b/it");
            assert_eq!(moved.code, Some(0), "{folder:?}: {}", moved.all());
            home.shell("rm -r 'a b/it/programs'");
            let gone = again(&home, "a b/it");
            assert_eq!(gone.code, Some(2), "{folder:?}: {}", gone.all());
            assert!(gone.err().contains("the program is another one now"), "{}", gone.all());
            home.put(format!("{folder}/bad/play.sh"), bad(1));
            assert_eq!(again(&home, "a b/it").code, Some(0), "it is where it was");
        } else {
            assert_eq!(changed.code, Some(2), "{folder:?}: {}", changed.all());
            assert!(changed.err().contains("the program has changed: its hash is "), "{}", changed.all());
        }
    }
}

#[test]
fn a_kept_engine_plays_in_a_tournament_beside_those_of_the_folder() {
    let (home, old) = two_versions();
    let also = format!("run/{old}");
    let words = "tournament engines --games 2 --st 5 --game letters:2x3x1 --seed 5 --concurrency 1 --out other --quiet --also";
    let words: Vec<&str> = words.split(' ').chain([also.as_str()]).collect();
    let said = home.agon(&words);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(home.read("other/games.csv").lines().count(), 1 + 6);
    assert!(home.read("other/standings.csv").contains(&old[..12]), "{}", home.read("other/standings.csv"));
    home.shell("rm -r run");
    let listed = home.agon(["status", "other", "--programs"]).out();
    let old = listed.lines().find(|line| line.starts_with(&old[..12])).unwrap_or_else(|| panic!("{listed}"));
    let old = old.split(' ').next().unwrap();
    // In a file, in a plan, and for a night.
    home.put("t.toml", format!("engines = \"engines\"\nalso = [\"other/{old}\"]\ngames = 2\nseed = 5\n"));
    let said = home.agon(["plan", "t.toml"]);
    assert!(said.code == Some(0) && said.out().contains(&old[..12]), "{}", said.all());
    let night = format!(
        "nightly engines --games 2 --st 5 --game letters:2x3x1 --seed 5 --concurrency 1 --out nights --also other/{old}"
    );
    let said = home.agon(night.split(' '));
    assert!(matches!(said.code, Some(0 | 5)), "{}", said.all());
    assert!(home.read("nights/standings.csv").contains(&old[..12]));
    let check = home.agon(["check", &format!("other/{old}"), "--game", "letters:2x3x1"]);
    assert_eq!(check.code, Some(0), "{}", check.all());
    for (words, why) in [
        (format!("tournament engines --also other/{}", "bot@00000000"), "no program in other has this hash"),
        (format!("tournament engines --also other/{}", "bad@0000"), "there is no engine bad in other"),
        ("tournament engines --also engines/bot".to_owned(), "the name bot is taken by"),
        (format!("tournament other/{old}"), "--also"),
        (
            format!("match engines/bot engines/steady --also other/{old}"),
            "there is no folder of engines here",
        ),
        (format!("check engines/bot --also other/{old}"), "agon check DIR/NAME@HASH"),
    ] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "{words}: {}", said.all());
        assert!(said.err().contains(why) && said.err().contains("hint: "), "{words}: {}", said.all());
    }
}

#[test]
fn the_script_of_the_evidence_plays_with_the_words_and_the_board_that_the_run_had() {
    let home = Home::new();
    let of_letters = "args = [\"illegal\", \"{side}\", \"{rows}\", \"{columns}\", \"{planes}\"]\n";
    home.put("engines/bad/engine.toml", format!("command = [\"agon-stub\"]\n{of_letters}"));
    home.engine("engines/steady", "agon-greedy");
    // The only word of the board and of the list is TRY.
    home.put("words,1.txt", "try\n");
    home.put("board,1.txt", "3 3 1\ntry\nqqq\nqqq\n");
    let game = "letters:dictionary=\"words,1.txt\",board=\"board,1.txt\"";
    let said = home.agon([
        "tournament",
        "engines",
        "--games",
        "4",
        "--st",
        "5",
        "--game",
        game,
        "--out",
        "run, 1",
        "--quiet",
        "--isolation",
        "none",
        "--seed",
        "3",
    ]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let first = again(&home, "run, 1");
    assert_eq!(first.code, Some(0), "{}", first.all());
    assert!(first.out().contains("illegal move"), "{}", first.all());
    home.put("words,1.txt", "queue\n");
    home.put("board,1.txt", "3 3 1\nqqq\nqqq\nqqq\n");
    let second = again(&home, "run, 1");
    assert_eq!(second.code, Some(0), "{}", second.all());
    let moves = |said: &Said| -> Vec<String> {
        said.out()
            .lines()
            .filter(|line| line.contains("TRY") || line.contains("try"))
            .map(str::to_owned)
            .collect()
    };
    assert!(!moves(&first).is_empty() && moves(&first).len() == moves(&second).len(), "{}", second.all());
    // Without the run the words are not known, and nothing else is played instead.
    let gone =
        home.shell("cd engines && agon match bad steady --game letters:3x3x1,dictionary=dictionary@12345678");
    assert_eq!(gone.code, Some(2), "{}", gone.all());
    assert!(
        gone.err().contains(
            "no run in . has stored a dictionary of this hash\nhint: name the directory of the run"
        ),
        "{}",
        gone.all()
    );
}
