//! Games of referee programs after they were played: verified, shown, exported, pruned.

use std::fs;

use rusqlite::Connection;

use super::grading::holding;
use super::home::{Home, Said};
use super::support::referees;

fn home() -> Home {
    let home = Home::new();
    referees::put(&home.path(""));
    home
}

fn done(home: &Home, words: &str) -> String {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "agon {words}: {}", said.all());
    said.out()
}

fn failed(home: &Home, words: &str, code: i32) -> Said {
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(code), "agon {words}: {}", said.all());
    said
}

/// A run of two games against this engine.
fn played(home: &Home, engine: &str, game: &str) {
    let words =
        format!("match engines/plain engines/{engine} --game {game} --games 2 --seed 7 --out run --quiet");
    done(home, &words);
}

/// Changes what a referee wrote in the first game.
fn tamper(home: &Home, from: &str, to: &str) {
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let text: String =
        db.query_row("SELECT record FROM refereed WHERE game = 1", [], |row| row.get(0)).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    db.execute("UPDATE refereed SET record = ?1 WHERE game = 1", [text.replacen(from, to, 1)]).unwrap();
}

/// The lines of the first game.
fn lines(home: &Home) -> Vec<String> {
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let text: String =
        db.query_row("SELECT record FROM refereed WHERE game = 1", [], |row| row.get(0)).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_referee_writes_the_same_lines_once_more_whatever_the_engines_did() {
    for engine in ["other", "bad", "crash", "late"] {
        let home = home();
        played(&home, engine, "./cards");
        let verified = done(&home, "verify run");
        let count = 2 * lines(&home).iter().filter(|line| line.starts_with('<')).count();
        assert!(verified.contains(&format!(" {count} lines of referees, ")), "{engine}: {verified}");
        let summary = "2 games checked, 0 with differences; 0 void attempts; 0 not checked; 0 differences";
        assert!(verified.contains(summary), "{engine}: {verified}");
    }
}

#[test]
fn a_changed_line_is_named_with_what_the_referee_writes() {
    let home = home();
    played(&home, "other", "./cards");
    let secret = lines(&home).iter().position(|line| line.starts_with("<secret 1 card ")).unwrap();
    let line = lines(&home).remove(secret);
    tamper(&home, &line, "<secret 1 card 7");
    let said = failed(&home, "verify run", 1).out();
    let expected = format!(
        "r01-p0001-g01: key referee.lines[{secret}]: line {} is \"secret 1 card 7\", but by the seed and the \
         answers the referee writes \"{}\"",
        secret + 1,
        &line[1..]
    );
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_changed_answer_or_score_is_found() {
    let home = home();
    played(&home, "other", "./cards");
    tamper(&home, ">answer 2 bid-2", ">answer 2 bid-9");
    let said = failed(&home, "verify run", 1).out();
    assert!(
        said.contains(
            "is \"move 2 bid-2\", but by the seed and the answers the referee writes \"move 2 bid-9\""
        ),
        "{said}"
    );
    tamper(&home, ">answer 2 bid-9", ">answer 2 bid-2");
    done(&home, "verify run");
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    db.execute("UPDATE seat SET score = score + 1 WHERE game = 1 AND seat = 0", []).unwrap();
    let said = failed(&home, "verify run", 1).out();
    assert!(said.contains("r01-p0001-g01: key verdict.decided.scores: says "), "{said}");
    assert!(said.contains("but by the lines of the referee it is"), "{said}");
}

#[test]
fn a_referee_that_has_changed_proves_nothing_and_its_games_are_not_wrong() {
    let home = home();
    played(&home, "other", "./cards");
    let program = home.read("cards/cards.py");
    home.put("old/cards/cards.py", &program);
    home.put("old/cards/game.toml", home.read("cards/game.toml"));
    home.put("cards/cards.py", format!("{program}# one line more\n"));
    home.shell("rm -r run/programs");
    let said = failed(&home, "verify run", 1).out();
    assert!(said.starts_with("2 games not checked: the referee in "), "{said}");
    assert!(said.contains("has changed: its hash was ") && said.contains(" by --game"), "{said}");
    assert!(
        said.contains("0 games checked, 0 with differences") && said.contains("0 differences in all"),
        "{said}"
    );
    // What follows from the lines alone is checked all the same.
    done(&home, "verify run --game old/cards");
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    db.execute("UPDATE seat SET score = score + 1 WHERE game = 1 AND seat = 0", []).unwrap();
    let said = failed(&home, "verify run", 1).out();
    assert!(said.contains("key verdict.decided.scores"), "{said}");
    fs::rename(home.path("cards"), home.path("elsewhere")).unwrap();
    let said = failed(&home, "verify run", 1).out();
    assert!(said.contains("the referee of cards cannot be found: "), "{said}");
}

#[test]
fn a_game_that_its_referee_spoilt_is_verified_too() {
    for (fail, fact) in
        [("void", "faults of referees"), ("banner", "faults of referees"), ("crash", "witnessed")]
    {
        let home = home();
        let words = format!(
            "match engines/plain engines/other --game ./cards:fail={fail} --games 2 --seed 7 --out run --quiet"
        );
        let said = home.agon(words.split(' '));
        assert_ne!(said.code, Some(0), "{}", said.all());
        let verified = done(&home, "verify run");
        assert!(verified.contains(fact) && !verified.contains("0 void attempts"), "{fail}: {verified}");
    }
}

#[test]
fn a_game_is_shown_without_its_referee() {
    let home = home();
    played(&home, "bad", "./cards");
    fs::rename(home.path("cards"), home.path("elsewhere")).unwrap();
    let shown = done(&home, "replay run r01-p0001-g01");
    let card = lines(&home).into_iter().find(|line| line.starts_with("<secret 2 card ")).unwrap();
    let card = card.rsplit(' ').next().unwrap();
    for expected in [
        "cards: 1 plain - 2 bad: 1-0, illegal move, ".to_owned(),
        "\nreferee cards 1.0, seed ".to_owned(),
        "\nstep 1\n  public          round 1\n".to_owned(),
        format!("\n  2 secret        card {card}\n"),
        format!("\n  2 is told       card {card}\n"),
        "\n  1 plays         bid-2".to_owned(),
        "\n  2 is bad        hundred is no bid\n".to_owned(),
        "\n  end             ".to_owned(),
        "agon verify referees them again.\n".to_owned(),
    ] {
        assert!(shown.contains(&expected), "{expected}: {shown}");
    }
    let second = done(&home, "replay run r01-p0001-g01 --seat 2");
    assert!(second.contains(&format!("  is told         card {card}\n")), "{second}");
    assert!(second.contains("  answers         hundred\n"), "{second}");
    assert_eq!(second.matches("is told         card ").count(), 2, "its own two cards alone: {second}");
    assert!(!second.contains("plays") && !second.contains("secret"), "{second}");
    let said = failed(&home, "replay run r01-p0001-g01 --seat 3", 2).err();
    assert!(said.contains("there is no seat 3\nhint: the seats are 1, 2"), "{said}");
    let said = failed(&home, "replay run r01-p0001-g01 --frames", 2).err();
    assert!(said.contains("its referee has drawn nothing"), "{said}");
    let said = failed(&home, "replay run/games/r01.txt r01-p0001-g01", 2).err();
    assert!(
        said.contains("was refereed by a program") && said.contains("agon replay DIR r01-p0001-g01"),
        "{said}"
    );
    tamper(&home, "<bad 2 hundred is no bid", "<bad 1 hundred is no bid");
    let said = failed(&home, "replay run r01-p0001-g01", 2).err();
    assert!(said.contains("r01-p0001-g01: key "), "{said}");
}

#[test]
fn a_drawing_is_a_film_and_a_broken_one_is_named() {
    let home = home();
    played(&home, "other", "./cards:draw=yes");
    let film = done(&home, "replay run r01-p0001-g01 --frames");
    assert!(film.starts_with("frames 1\nsize 300 100\nslot 50 50 round a\n"), "{film}");
    assert_eq!(film.lines().filter(|line| line.ends_with(" bids")).count(), 6, "{film}");
    fs::remove_dir_all(home.path("run")).unwrap();
    played(&home, "other", "./cards:draw=broken");
    let said = failed(&home, "replay run r01-p0001-g01 --frames", 2).err();
    let frame = lines(&home).iter().position(|line| line.starts_with("<frame ")).unwrap() + 1;
    assert!(said.contains(&format!("line {frame} of the referee, \"7=1|no such slot\": ")), "{said}");
}

#[test]
fn an_author_learns_why_a_game_was_lost() {
    let home = home();
    for (engine, why) in [
        ("bad", "because     hundred is no bid\nat ply      "),
        ("crash", "because     its process ended without an answer (exit status 1)\n"),
        ("late", "because     no answer within "),
    ] {
        played(&home, engine, "./cards");
        let said = done(&home, &format!("why run {engine}"));
        assert!(said.contains(why), "{said}");
        assert!(said.contains("step 2: 2 is asked\nstep 2: 2 "), "{said}");
        assert!(said.contains("agon replay run r01-p0001-g01 --seat 2\n"), "{said}");
        assert!(!said.contains("to play on from there"), "{said}");
        assert!(said.contains(" --seats 2 --st 1\n"), "{said}");
        let files = "run/evidence/r01-p0001-g01-2/position.txt";
        assert!(home.read(files).contains("step 2: 2 is asked"), "{}", home.read(files));
        assert!(!home.read("run/evidence/r01-p0001-g01-2/again.sh").contains("--from"));
        fs::remove_dir_all(home.path("run")).unwrap();
    }
    played(&home, "other", "./cards");
    let said = ["plain", "other"].map(|engine| done(&home, &format!("why run {engine}"))).concat();
    let decided = home.read("run/games.csv").lines().skip(1).filter(|row| !row.contains("1/2-1/2")).count();
    assert_eq!(said.matches(": place 2, scores ").count(), decided, "{said}");
    assert!(said.contains(": the cards are played\n") || decided == 0, "{said}");
}

#[test]
fn a_record_has_the_moves_as_the_referee_names_them_and_who_it_was() {
    let home = home();
    played(&home, "other", "./cards");
    let text = home.read("run/games/r01.txt");
    assert!(text.contains("\n[Game \"cards\"]\n"), "{text}");
    assert!(text.contains("\n[Referee \"cards 1.0 ") && text.contains("\n1. bid-2 bid-2  ; "), "{text}");
}

#[test]
fn the_evidence_against_a_referee_is_kept() {
    let home = home();
    let words =
        "match engines/plain engines/other --game ./cards:fail=crash --games 2 --seed 7 --out run --quiet";
    assert_ne!(home.agon(words.split(' ')).code, Some(0));
    let folder = "run/evidence/r01-p0001-g01.referee";
    assert!(
        home.read(&format!("{folder}/why.txt"))
            .contains("its process ended without an answer (exit status 1)")
    );
    assert!(home.read(&format!("{folder}/lines.txt")).ends_with(" <public round 2\n"));
    assert_eq!(home.read(&format!("{folder}/stderr.txt")), "the deck is lost\n");
}

#[test]
fn nothing_private_is_in_the_events_before_a_game_is_over() {
    let home = home();
    done(
        &home,
        "match engines/plain engines/late --game ./cards --games 2 --seed 7 --out run --quiet --events events",
    );
    let text = home.read("events");
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let seed: i64 = db.query_row("SELECT seed FROM game WHERE number = 1", [], |row| row.get(0)).unwrap();
    let cards: Vec<String> = lines(&home)
        .iter()
        .filter_map(|line| Some(line.strip_prefix("<secret ")?.split(' ').nth(2)?.to_owned()))
        .collect();
    assert_eq!(cards.len(), 4);
    let (live, over): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| !line.starts_with("{\"event\":\"game_over\""));
    for line in &live {
        assert!(!line.contains(&seed.to_string()) && !line.contains("\"seed\""), "{line}");
        assert!(!line.contains("card ") && !line.contains("legal ") && !line.contains("ask"), "{line}");
        if !line.contains("\"micros\"") && !line.contains("\"at\"") {
            assert!(!cards.iter().any(|card| line.contains(card.as_str())), "{line}");
        }
    }
    // Nor when a game is over: the other games of its board have the same cards.
    for line in &over {
        for secret in ["secret ", "tell 1 ", "tell 2 ", "\"evidence\""] {
            assert!(!line.contains(secret), "{secret}: {line}");
        }
    }
    assert!(over[0].contains("<public round 2") && over[0].contains("<move 1 "), "{}", over[0]);
    let game: Vec<&str> = live.iter().filter(|line| line.contains("\"r01-p0001-g01\"")).copied().collect();
    for event in [
        "{\"event\":\"game_started\",\"id\":\"r01-p0001-g01\",\"entrants\":[\"plain\",\"late\"]}",
        "{\"event\":\"public\",\"id\":\"r01-p0001-g01\",\"text\":\"round 2\"}",
    ] {
        assert!(game.contains(&event), "{event}: {game:#?}");
    }
    let starts = |start: &str| game.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(starts("{\"event\":\"move\","), 3, "{game:#?}");
    assert_eq!(starts("{\"event\":\"scores\",\"id\":\"r01-p0001-g01\",\"scores\":["), 2, "{game:#?}");
}

#[test]
fn pruning_leaves_no_lines_of_a_referee_behind() {
    let home = home();
    let count = |home: &Home| -> i64 {
        let db = Connection::open(home.path("run/agon.db")).unwrap();
        db.query_row("SELECT count(*) FROM refereed", [], |row| row.get(0)).unwrap()
    };
    played(&home, "other", "./cards");
    let program = home.read("engines/other/bidder.py");
    home.put("engines/other/bidder.py", format!("{program}# another version\n"));
    played(&home, "other", "./cards");
    assert_eq!(count(&home), 4);
    let shown = done(&home, "prune run --nights 0");
    assert!(shown.starts_with("would remove from run: 2 games that do not count, about "), "{shown}");
    done(&home, "prune run --nights 0 --yes");
    assert_eq!(count(&home), 2);
    let verified = done(&home, "verify run");
    assert!(verified.contains("2 games checked, 0 with differences"), "{verified}");
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let orphan = "PRAGMA foreign_keys = OFF; INSERT INTO refereed (game, record) VALUES (99, '{}')";
    db.execute_batch(orphan).unwrap();
    let said = failed(&home, "verify run", 1).out();
    assert!(
        said.contains("game 99 in the order of storage: there are lines of a referee and no game"),
        "{said}"
    );
}

#[test]
fn games_travel_as_json_and_are_refereed_where_they_arrive() {
    let home = home();
    played(&home, "other", "./cards");
    let exported = done(&home, "export json run");
    home.put("games.jsonl", &exported);
    let said = failed(&home, "import there games.jsonl", 2).err();
    assert!(
        said.contains("line 1: key rules: is of a referee program; give its folder with --game"),
        "{said}"
    );
    let words = "import there games.jsonl --game cards";
    assert_eq!(done(&home, words), "2 games taken in; 2 count\n");
    assert_eq!(done(&home, words), "0 games taken in; 2 count\n");
    assert_eq!(done(&home, "export json there"), exported);
    let verified = done(&home, "verify there --game cards");
    assert!(verified.contains("2 games checked, 0 with differences"), "{verified}");
    let forged = exported.replacen(">answer 2 bid-2", ">answer 2 bid-3", 1);
    assert_ne!(forged, exported);
    home.put("forged.jsonl", forged);
    let said = failed(&home, "import elsewhere forged.jsonl --game cards", 2).err();
    assert!(said.contains("line 1: key referee.lines["), "{said}");
}

#[test]
fn a_page_shows_what_its_reader_may_see() {
    let home = home();
    played(&home, "other", "./cards:draw=yes");
    let card = |seat: usize| {
        let line =
            lines(&home).into_iter().find(|line| line.starts_with(&format!("<tell {seat} card "))).unwrap();
        line.rsplit(' ').next().unwrap().to_owned()
    };
    let page = |words: &str| {
        let _ = fs::remove_dir_all(home.path("pages"));
        done(&home, &format!("report run --out pages{words}"));
        home.read("pages/game/r01-p0001-g01.html")
    };
    for (words, told) in
        [("", [true, true]), (" --for plain", [true, false]), (" --for public", [false, false])]
    {
        let shown = page(words);
        assert!(
            shown.contains("aria-label=\"Ply\"") && shown.contains("seat 1 bids"),
            "{words}: it is drawn"
        );
        assert!(shown.contains("Refereed by cards 1.0."), "{words}");
        assert!(shown.contains("  public          round 2\n"), "{words}");
        for seat in [1, 2] {
            let card = card(seat);
            assert!(shown.contains(&format!("  {seat} secret        card {card}\n")), "{words}: open");
            let is_told = shown.contains(&format!("  {seat} is told       card {card}\n"));
            assert_eq!(is_told, told[seat - 1], "{words}: seat {seat}");
        }
    }
}

#[test]
fn games_with_the_same_moves_and_other_cards_all_count() {
    let home = home();
    let out = done(
        &home,
        "match engines/plain engines/other --game ./cards:rounds=1 --games 8 --seed 7 --out run --quiet",
    );
    let games: Vec<&str> =
        out.lines().skip(2).map(|row| row.split_whitespace().nth(2).unwrap_or_default()).collect();
    assert_eq!(games, ["8", "8"], "{out}");
    let verified = done(&home, "verify run");
    assert!(verified.contains("8 games checked, 0 with differences"), "{verified}");
}

#[test]
fn no_page_of_an_author_quotes_the_stderr_of_another_engine() {
    let home = home();
    for engines in ["bad crash", "bad crash plain"] {
        let seats = engines.split(' ').count();
        let engines: Vec<String> = engines.split(' ').map(|name| format!("engines/{name}")).collect();
        let _ = fs::remove_dir_all(home.path("run"));
        done(
            &home,
            &format!(
                "match {} --game ./cards --seats {seats} --games {} --out run --quiet",
                engines.join(" "),
                2 * seats
            ),
        );
        let holds = |reader: &str, text: &str| {
            let _ = fs::remove_dir_all(home.path("pages"));
            done(&home, &format!("report run --out pages --for {reader}"));
            let mut found = Vec::new();
            holding(&home.path("pages"), text, &mut found);
            !found.is_empty()
        };
        assert!(holds("bad", "Evidence against bad") && holds("bad", "(exit status 1)"));
        assert!(!holds("bad", "no idea") && !holds("public", "no idea"), "{seats} seats");
        // The control: the words are there for their author.
        assert!(holds("crash", "no idea") && holds("staff", "no idea"), "{seats} seats");
    }
}

#[test]
fn the_seed_is_in_no_public_page_before_the_run_is_over_and_in_no_event() {
    let home = home();
    let words = "match engines/plain engines/other --game ./cards --games 2 --seed 70123 --out run --quiet";
    done(&home, &format!("{words} --events events.jsonl"));
    let events = home.read("events.jsonl");
    let over = events.lines().find(|line| line.contains("\"event\":\"game_over\"")).unwrap();
    let over: serde_json::Value = serde_json::from_str(over).unwrap();
    assert!(over["record"]["referee"]["lines"].is_array() && over["record"].get("seed").is_none(), "{over}");
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    let board: u64 = db.query_row("SELECT seed FROM game", [], |row| row.get(0)).unwrap();
    let seeds = |reader: &str| {
        let _ = fs::remove_dir_all(home.path("pages"));
        done(&home, &format!("report run --out pages --for {reader}"));
        let page = home.read("pages/game/r01-p0001-g01.html");
        [home.read("pages/about.html").contains("70123"), page.contains(&format!("{board}"))]
    };
    assert_eq!(seeds("public"), [true, true], "the run is over");
    // As it is while the second game is played.
    db.execute_batch("DELETE FROM refereed WHERE game = 2; UPDATE game SET current = NULL WHERE number = 2")
        .unwrap();
    db.execute("UPDATE run SET outcome = NULL, finished = NULL", []).unwrap();
    assert_eq!(seeds("public"), [false, false]);
    assert_eq!(seeds("plain"), [false, false]);
    assert_eq!(seeds("staff"), [true, true]);
}

#[test]
fn a_line_of_a_move_names_the_seat_and_the_script_plays_as_many_games_as_seats() {
    let home = home();
    let said = done(
        &home,
        "match engines/plain engines/other engines/bad --game ./cards --seats 3 --games 3 --out run -v --isolation none",
    );
    assert!(said.contains("1   1. 1: bid-2  ") && said.contains("1   2. 2: bid-2  "), "{said}");
    assert!(!said.contains(" points, "), "{said}");
    let script = home.read("run/evidence/r01-p0001-g01-3/again.sh");
    assert!(
        script.contains(" --games 3 ") && script.contains("# Plays the 3 games with this seed"),
        "{script}"
    );
    let again = home.shell("sh run/evidence/r01-p0001-g01-3/again.sh");
    assert_eq!(again.code, Some(0), "{}", again.all());
    let why = done(&home, "why run bad");
    assert!(why.contains(" --seats 3 --st 1 --isolation none\n"), "{why}");
}

#[test]
fn history_of_a_referee_that_has_changed_is_counted_and_is_no_difference() {
    let home = home();
    played(&home, "other", "./cards");
    let program = home.read("cards/cards.py");
    home.put("cards/cards.py", format!("{program}# one line more\n"));
    home.shell("rm -r run/programs");
    let before = failed(&home, "verify run", 1).out();
    let compared = "; only what follows from the stored lines was compared\n";
    assert!(before.starts_with("2 games not checked: ") && before.contains(compared), "{before}");
    played(&home, "other", "./cards");
    let said = done(&home, "verify run");
    assert!(
        said.starts_with("2 games of the history not checked, which do not count: the referee in "),
        "{said}"
    );
    assert!(said.contains(compared), "{said}");
    assert!(
        said.contains("2 games checked, 0 with differences") && said.contains("; 0 and 2 of the history not"),
        "{said}"
    );
    let json: serde_json::Value = serde_json::from_str(&done(&home, "verify run --json")).unwrap();
    assert_eq!((&json["clean"], &json["unchecked"]), (&true.into(), &serde_json::json!({})), "{json}");
    assert_eq!(json["history_unchecked"].as_object().unwrap().values().next().unwrap(), 2, "{json}");
    // A record of the history that contradicts its lines is still a difference.
    let db = Connection::open(home.path("run/agon.db")).unwrap();
    db.execute("UPDATE seat SET score = score + 1 WHERE game = 1 AND seat = 0", []).unwrap();
    assert!(failed(&home, "verify run", 1).out().contains("key verdict.decided.scores"));
}

#[test]
fn a_referee_that_has_changed_is_played_from_its_kept_copy() {
    let home = home();
    done(&home, "match engines/plain engines/bad --game ./cards --games 2 --out run --isolation none");
    let checked = done(&home, "verify run");
    assert!(checked.contains("2 games checked, 0 with differences"), "{checked}");
    // It asks for another move now.
    let program = home.read("cards/cards.py");
    let other = program.replace("bid-", "say-");
    assert_ne!(other, program);
    home.put("cards/cards.py", other);
    assert_eq!(done(&home, "verify run"), checked);
    let again = home.shell("sh run/evidence/r01-p0001-g01-2/again.sh");
    assert_eq!(again.code, Some(0), "{}", again.all());
    assert!(again.all().contains("bid-2") && !again.all().contains("say-2"), "{}", again.all());
    // No engine of the run has this program, but its games count.
    let pruned = done(&home, "prune run --yes --nights 0");
    assert!(pruned.contains("nothing to remove"), "{pruned}");
    home.shell("rm -r cards");
    assert_eq!(done(&home, "verify run"), checked);
    // What was kept and is not as it was is not played.
    home.shell("for file in run/programs/*/cards/cards.py; do chmod u+w $file; echo '# more' >> $file; done");
    let said = failed(&home, "verify run", 1).out();
    assert!(said.contains("2 games not checked: "), "{said}");
}

#[test]
fn the_script_of_a_stage_and_of_a_time_control_finds_the_kept_referee_above_it() {
    let home = home();
    home.put(
        "cup.toml",
        "engines = \"engines\"\ngame = \"./cards\"\ngames = 2\nseed = 1\nisolation = \"none\"\nout = \"cup\"\n\
         [[stages]]\nname = \"all\"\nformat = \"round robin\"\n",
    );
    done(&home, "tournament cup.toml --quiet");
    done(&home, "tournament engines --game ./cards --games 2 --st 1,2 --isolation none --out two --quiet");
    home.shell("mv cards elsewhere; mv cup moved");
    for folder in ["moved/stage-1", "two/st=1"] {
        let found = home.shell(&format!("ls '{folder}'/evidence/*/again.sh | grep -v referee | head -n 1"));
        let again = home.shell(&format!("sh '{}'", found.out().trim()));
        assert_eq!(again.code, Some(0), "{folder}: {}", again.all());
    }
}

#[test]
fn another_interpreter_of_a_referee_is_named() {
    let home = home();
    played(&home, "other", "./cards");
    let real = home.shell("command -v python3").out();
    home.put_program("bin/python3", format!("#!/bin/sh\nexec {} \"$@\"\n", real.trim()));
    let said = home.shell("PATH=$PWD/bin:$PATH agon verify run");
    assert_eq!(said.code, Some(1), "{}", said.all());
    let named = "python3, which starts the referee in ";
    assert!(said.out().contains(named) && said.out().contains("bin/python3, was /"), "{}", said.all());
    assert!(
        said.out().contains("PATH decides which") && !said.out().contains("restore its files"),
        "{}",
        said.all()
    );
}

#[test]
fn json_of_a_run_is_found_under_its_name() {
    let home = home();
    let said = failed(&home, "tournament engines --game ./cards --json", 2);
    assert!(said.err().contains("'--events FILE' writes each event as JSON"), "{}", said.all());
    assert!(!failed(&home, "doctor --jason", 2).err().contains("--events"));
}
