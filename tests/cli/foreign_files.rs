//! Files of others are read with a byte order mark, and are never written over.

use std::fs;

use super::home::{Home, Said};

fn done(home: &Home, words: &str) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said
}

#[test]
fn no_form_of_export_and_no_sink_of_a_run_writes_over_the_file_of_another() {
    let home = Home::with_two();
    let play = "match engines/greedy engines/random --game letters:3x3x2 --st 5 --games 2 --seed 3 --out run --quiet";
    done(&home, play);
    let diary = "dear diary\n";
    for (command, file, kind) in [
        ("export json run mine.jsonl", "mine.jsonl", "games that agon has exported"),
        ("export csv run tables", "tables/standings.csv", "a table of standings"),
        ("export csv run tables2", "tables2/crosstable.csv", "a crosstable"),
        ("export csv run tables3", "tables3/games.csv", "a table of games"),
        ("export notation run records", "records/r01-p0001-g02.txt", "the record of a game"),
        ("export db run copy.db", "copy.db", ""),
        (&format!("{play} --events mine.log"), "mine.log", "events of a run"),
        (&format!("{play} --log mine.txt"), "mine.txt", "the log of a run"),
    ] {
        home.put(file, diary);
        let said = home.agon(command.split(' '));
        assert_eq!(said.code, Some(2), "{command}: {}", said.all());
        assert!(said.err().contains(&format!("{file} exists already")), "{command}: {}", said.all());
        assert!(
            said.err().contains(kind) && said.err().contains("hint: give another name"),
            "{}",
            said.all()
        );
        assert_eq!(home.read(file), diary);
        // Nothing else was begun.
        let beside = home.path(file).parent().unwrap().to_owned();
        let others = fs::read_dir(&beside).unwrap().count();
        assert!(others == 1 || !file.contains('/'), "{command}");
        fs::remove_file(home.path(file)).unwrap();
        done(&home, command);
        if !command.starts_with("export db") {
            // Its own file may be written once more.
            done(&home, command);
        }
    }
}

#[test]
fn events_and_the_log_of_a_continued_run_go_on_behind_a_mark() {
    let home = Home::with_two();
    let play = |games: u32, seed: u32| {
        done(
            &home,
            &format!(
                "match engines/greedy engines/random --game letters:3x3x2 --st 5 --games {games} --seed {seed} --out run-{seed} \
                 --quiet --events events --log log"
            ),
        );
    };
    play(2, 3);
    let (events, log) = (home.read("events"), home.read("log"));
    play(8, 3);
    let (more_events, more_log) = (home.read("events"), home.read("log"));
    assert!(
        more_events.starts_with(&events) || more_events.matches("run_started").count() == 1,
        "{more_events}"
    );
    let behind = more_log.strip_prefix(&log).expect("it was appended");
    assert!(behind.starts_with("\n# the run goes on, 20"), "{behind}");
    assert!(behind.contains("\nr01-p0001-g0"), "{behind}");
    // Another run begins both anew.
    play(2, 4);
    assert!(!home.read("log").contains("# the run goes on"));
}

#[test]
fn a_byte_order_mark_is_taken_wherever_text_is_read() {
    let home = Home::with_two();
    let mark = "\u{feff}";
    done(&home, "position board letters:3x3x2 --seed 9 --out board");
    home.put("marked-board", format!("{mark}{}", home.read("board")));
    home.put("words", format!("{mark}cat\ncar\ntar\nrat\n"));
    home.put("openings", format!("{mark}; mine\n11 22\n12 33\n"));
    home.put("t.toml", format!("{mark}engines = \"engines\"\ngame = \"letters:3x3x2\"\nst = 5\ngames = 2\n"));
    home.submission("folder", "agon-greedy", "");
    home.put("folder/engine.toml", format!("{mark}{}", home.read("folder/engine.toml")));
    super::support::referees::put(&home.path(""));
    home.put("cards/game.toml", format!("{mark}{}", home.read("cards/game.toml")));
    let two = "match engines/greedy engines/random --st 5 --games 2 --quiet";
    for words in [
        format!("{two} --board marked-board"),
        format!("{two} --game letters:3x3x2 --dictionary words"),
        "tournament t.toml --dry-run --no-check".to_owned(),
        "match folder engines/random --game letters:3x3x2 --st 5 --games 2 --quiet".to_owned(),
        "rules ./cards".to_owned(),
        "match engines/greedy engines/random --game letters:3x3x2 --st 5 --games 2 --seed 3 --out run --quiet"
            .to_owned(),
    ] {
        done(&home, &words);
    }
    home.put("games.jsonl", format!("{mark}{}", done(&home, "export json run").out()));
    done(&home, "import new games.jsonl");
    let taken = home.shell("(printf '\\357\\273\\277'; agon export json run --plan) | agon merge all -");
    assert_eq!(taken.code, Some(0), "{}", taken.all());
    done(&home, "export notation run records");
    home.put("record", format!("{mark}{}", home.read("records/r01-p0001-g01.txt")));
    done(&home, "replay record");
    let mover =
        "command = [\"agon-mover\"]\nargs = [\"{game}\", \"{side}\", \"{seconds}\", \"{position}\"]\n";
    for name in ["one", "other"] {
        home.put(format!("movers/{name}/engine.toml"), format!("{mark}{mover}"));
    }
    let said = home.agon(
        "match movers/one movers/other --game mill --st 5 --games 2 --max-plies 6 --openings openings --quiet".split(' '),
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn a_reader_that_has_seen_enough_changes_no_verdict() {
    let home = Home::with_two();
    done(
        &home,
        "match engines/greedy engines/random --game letters:3x3x2 --st 5 --games 2 --seed 3 --out run --quiet",
    );
    fs::create_dir(home.path("bad")).unwrap();
    fs::copy(home.path("run/agon.db"), home.path("bad/agon.db")).unwrap();
    let db = rusqlite::Connection::open(home.path("bad/agon.db")).unwrap();
    db.execute_batch("UPDATE seat SET place = 3 - place").unwrap();
    drop(db);
    for (command, code) in [
        ("agon verify run", 0),
        ("agon verify bad", 1),
        ("agon standings run", 0),
        ("agon games run", 0),
        ("agon export json run", 0),
        ("agon man", 0),
        ("agon completions bash", 0),
        ("agon rules", 0),
        ("agon plan engines --game letters:3x3x2", 0),
        ("agon tournament engines --game letters:3x3x2 --dry-run --no-check", 0),
        ("agon doctor", 0),
    ] {
        // The reader is gone before the first word.
        let said = home.shell(&format!("{{ {command}; echo $? >code; }} | true; cat code"));
        let quiet = home.shell(&format!("{{ sleep 0.2; {command} 2>err; echo $? >code; }} | true; cat code"));
        assert_eq!(
            (said.out().trim(), quiet.out().trim()),
            (&*code.to_string(), &*code.to_string()),
            "{command}"
        );
        assert!(!home.read("err").contains("error"), "{command}: {}", home.read("err"));
    }
}
