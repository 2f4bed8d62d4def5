//! Changes of the database, one row each.

use super::place::Place;

/// A tournament of two nights in which games end in many ways; the second night has a changed
/// engine.
pub(crate) fn two_nights() -> Place {
    let place = Place::new();
    place.sample("greedy", "agon-greedy");
    place.sample("random", "agon-random");
    place.stub("bad", "illegal {side}");
    place.stub("gone", "exit-now --code 3 {side}");
    place.stub("mute", "hang {side}");
    place.stub("odd", "garbage {side}");
    night(&place, RUN);
    place.stub("odd", "prompt {side}");
    night(&place, RUN);
    place
}

/// Plays until no game is void: a busy machine may spoil some.
fn night(place: &Place, command: &str) {
    let played = (0..8).any(|_| place.agon(&format!("{command} --quiet")).0 == Some(0));
    assert!(played, "{command}");
}

const RUN: &str = "tournament engines --game letters:4x4x2 --st 0.2 --games 2 --seed 5 --out run";

/// Games by their termination: the last of its kind, of the second night.
const NORMAL: &str = "(SELECT number FROM game JOIN word ON id = ending JOIN moves ON moves.game = number \
    WHERE text = 'normal' AND EXISTS (SELECT 1 FROM seat WHERE seat.game = number AND place = 2) \
    ORDER BY length(plies) DESC LIMIT 1)";
const ILLEGAL: &str = "(SELECT max(number) FROM game JOIN word ON id = ending WHERE text = 'illegal move')";
const UNREADABLE: &str = "(SELECT max(number) FROM game JOIN word ON id = ending WHERE text = 'protocol')";
const LATE: &str = "(SELECT max(number) FROM game JOIN word ON id = ending WHERE text = 'time forfeit')";
const CRASH: &str = "(SELECT max(number) FROM game JOIN word ON id = ending WHERE text = 'crash')";
const LAST: &str = "(SELECT max(number) FROM game)";
const HISTORY: &str = "(SELECT min(number) FROM game WHERE current IS NULL)";

/// The name of the change, its SQL, and words that `agon verify` must print. A busy machine makes
/// some games void, and then more than one message may be right: no words.
type Tampering = (&'static str, &'static str, &'static str);

const HASH: &str = "its hash is not that of its content";

#[rustfmt::skip]
const RESULTS: &[Tampering] = &[
    ("the winner exchanged", "UPDATE seat SET place = 3 - place WHERE game = {NORMAL}", "verdict.decided.places: says"),
    ("first seats win everything", "UPDATE seat SET place = 1 + seat", "verdict.decided.places: says"),
    ("a loss made a draw", "UPDATE seat SET place = 1 WHERE game = {NORMAL}", "verdict.decided.places: says"),
    ("both second", "UPDATE seat SET place = 2 WHERE game = {NORMAL}", "verdict.decided.places: says"),
    ("a point more", "UPDATE seat SET score = score + 1 WHERE game = {NORMAL} AND seat = 0", "verdict.decided.scores: says"),
    ("scores exchanged", "UPDATE seat SET score = (SELECT sum(o.score) FROM seat o WHERE o.game = seat.game) - score WHERE game = {NORMAL}", "verdict.decided.scores: says"),
    ("no place", "UPDATE seat SET place = NULL WHERE game = {NORMAL} AND seat = 1", "it lacks a place or a score"),
    ("the reason of a normal end", "UPDATE game SET reason = 'because' WHERE number = {NORMAL}", "verdict.decided.reason: says"),
    ("a normal end called resigned", "UPDATE game SET loser = 0, ending = {WORD:resignation} WHERE number = {NORMAL}", "by the rules the game is over"),
    ("a normal end called adjudicated", "UPDATE game SET ending = {WORD:adjudication} WHERE number = {NORMAL}", "by the rules the game is over"),
    ("a forfeit called normal", "UPDATE game SET loser = NULL, ending = {WORD:normal} WHERE number = {ILLEGAL}", "says normal, but the game goes on"),
    ("a forfeit called resigned", "UPDATE game SET ending = {WORD:resignation} WHERE number = {CRASH}", "\"it resigned\""),
    ("a forfeit called adjudicated", "UPDATE game SET loser = NULL, ending = {WORD:adjudication} WHERE number = {CRASH}", "the score decides"),
    ("a forfeit of a kind that there is not", "UPDATE game SET ending = {WORD:boredom} WHERE number = {CRASH}", "there is no termination boredom"),
    ("the other side forfeits", "UPDATE game SET loser = 1 - loser WHERE number = {ILLEGAL}", "turn"),
    ("the other side forfeits, places too", "UPDATE game SET loser = 1 - loser WHERE number = {CRASH}; UPDATE seat SET place = 3 - place WHERE game = {CRASH}", "turn"),
    ("a seat forfeits that is not there", "UPDATE game SET loser = 7 WHERE number = {CRASH}", "names a seat that the game does not have"),
    ("a seat forfeits that no game has", "UPDATE game SET loser = 999 WHERE number = {CRASH}", "no game has so many seats"),
    ("nobody forfeits", "UPDATE game SET loser = NULL WHERE number = {CRASH}", "the loser by crash is missing"),
    ("a result called void", "UPDATE game SET ending = {WORD:void} WHERE number = {NORMAL}", "it is void and"),
    ("a result made void with everything", "UPDATE game SET ending = {WORD:void}, current = NULL, loser = NULL WHERE number = {NORMAL}; UPDATE seat SET place = NULL, score = NULL WHERE game = {NORMAL}", "has not been played"),
];

#[rustfmt::skip]
const FORFEITS: &[Tampering] = &[
    ("a legal move called illegal", "UPDATE game SET reason_data = json_object('refused', json_object('line', json_object('text', (SELECT text FROM word JOIN seat ON side = id WHERE seat.game = number AND seat = loser) || ',P'), 'why', 'it is illegal', 'own', NULL)) WHERE number = {ILLEGAL}", "is a legal move there"),
    ("a legal move called illegal in words", "UPDATE game SET reason_data = NULL, reason = '\"' || (SELECT text FROM word JOIN seat ON side = id WHERE seat.game = number AND seat = loser) || ',P\": it is illegal' WHERE number = {ILLEGAL}", "is a legal move there"),
    ("another illegal move", "UPDATE game SET reason_data = replace(reason_data, ',1,1,1,', ',2,2,1,') WHERE number = {ILLEGAL}", "verdict.decided.reason"),
    ("a reason of nothing", "UPDATE game SET reason = 'an illegal move', reason_data = NULL WHERE number = {ILLEGAL}", "does not begin with the engine's line"),
    ("a reason that is none", "UPDATE game SET reason_data = '{\"luck\":1}' WHERE number = {ILLEGAL}", "the column reason_data cannot be read"),
    ("two reasons", "UPDATE game SET reason = 'because' WHERE number = {CRASH}", "it has two reasons"),
    ("the course of no game", "UPDATE game SET course = zeroblob(16) WHERE number = {NORMAL}", "the stored hash of its course is not that of its moves"),
    ("a course that is none", "UPDATE game SET course = x'00' WHERE number = {NORMAL}", "the stored hash of its course is not that of its moves"),
    ("an illegal move called unreadable", "UPDATE game SET ending = {WORD:protocol} WHERE number = {ILLEGAL}", "says protocol, but "),
    ("an unreadable move called illegal", "UPDATE game SET ending = {WORD:illegal move} WHERE number = {UNREADABLE}", "says illegal move, but "),
    ("another line in the transcript", "UPDATE log SET evidence = replace(evidence, '\"said\"', '\"told\"') WHERE game = {ILLEGAL}", "holds no answer"),
    ("the transcript gone", "UPDATE log SET evidence = NULL WHERE game = {CRASH}", "evidence: is missing"),
    ("a transcript without a fault", "INSERT INTO log (game, seat, stderr, evidence) SELECT {NORMAL}, 0, x'', evidence FROM log WHERE game = {CRASH} ON CONFLICT DO UPDATE SET evidence = excluded.evidence", "exists without a fault"),
    ("the time of a late answer gone", "UPDATE seat SET unanswered = NULL WHERE game = {LATE}", "unanswered: is missing"),
    ("a late answer that was not late", "UPDATE seat SET unanswered = json_set(unanswered, '$[0]', 1000) WHERE game = {LATE} AND unanswered IS NOT NULL", "were over, but the engine lost on time"),
    ("less time than there was", "UPDATE seat SET unanswered = json_set(unanswered, '$[1]', 1000) WHERE game = {LATE} AND unanswered IS NOT NULL", "us were allowed, but by the moves it is"),
    ("late with a greeting in the game", "UPDATE seat SET unanswered = json_set(unanswered, '$[2]', json('true')) WHERE game IN (SELECT game FROM seat GROUP BY game HAVING sum(plies) > 0) AND unanswered IS NOT NULL", "but that was not the question"),
    ("late without a fault", "UPDATE seat SET unanswered = '[1,1,false]' WHERE game = {NORMAL} AND seat = 0", "unanswered: exists without a fault"),
    ("a crash without an end", "UPDATE seat SET exit = NULL WHERE game = {CRASH}", "exit: is missing"),
    ("a crash that we caused", "UPDATE seat SET exit = '\"killed\"' WHERE game = {CRASH}", "the harness killed it"),
    ("a crash with another code", "UPDATE seat SET exit = '{\"code\":4}' WHERE game = {CRASH}", "its process ended so: exit status 4"),
    ("a time forfeit called a crash", "UPDATE game SET ending = {WORD:crash} WHERE number = {LATE}", "the harness killed it"),
    ("a crash called a time forfeit", "UPDATE game SET ending = {WORD:time forfeit} WHERE number = {CRASH}", "the engine lost on time"),
    ("a crash called an output limit", "UPDATE game SET ending = {WORD:output limit} WHERE number = {CRASH}", "is not more than it may write"),
    ("a crash called a failed start", "UPDATE game SET ending = {WORD:start failed} WHERE number = {CRASH}", "says that it ran"),
];

#[rustfmt::skip]
const MOVES: &[Tampering] = &[
    ("a move changed", "UPDATE moves SET plies = replace(plies, 'W,', 'W,9,') WHERE game = {NORMAL}", "].text: "),
    ("a side exchanged in a move", "UPDATE moves SET plies = replace(plies, 'W,', 'B,') WHERE game = {NORMAL}", "].text: "),
    ("seats exchanged in the moves", "UPDATE moves SET plies = '1' || substr(plies, 2) WHERE game = {NORMAL}", "plies[0].seat: is B, but it is W's turn"),
    ("a move less", "UPDATE moves SET plies = substr(plies, 1 + instr(plies, char(10))) WHERE game = {NORMAL}", "plies[0].seat"),
    ("a move more", "UPDATE moves SET plies = plies || '0' || char(9) || '0' || char(9) || '1' || char(9) || 'W,P' || char(10) WHERE game = {NORMAL}", "the game is over"),
    ("no moves", "UPDATE moves SET plies = '' WHERE game = {NORMAL}", "key last: says"),
    ("points of a move", "UPDATE moves SET plies = substr(plies, 1, 2) || '9' || substr(plies, 3) WHERE game = {NORMAL}", "].points: says 9"),
    ("a move that took too long", "UPDATE moves SET plies = substr(plies, 1, 2 + instr(substr(plies, 3), char(9))) || '9999999' || substr(plies, 3 + instr(substr(plies, 3), char(9))) WHERE game = {NORMAL}", "took longer than"),
    ("a line that is no ply", "UPDATE moves SET plies = plies || 'x' || char(10) WHERE game = {NORMAL}", "cannot be read"),
    ("a thought that a terminal obeys", "UPDATE moves SET plies = substr(plies, 1, instr(plies, char(10)) - 1) || char(9) || char(27) || substr(plies, instr(plies, char(10))) WHERE game = {NORMAL}", "holds a control character"),
    ("another start", "UPDATE moves SET start = (SELECT start FROM moves m WHERE m.start <> moves.start) WHERE game = {NORMAL}", "key start: is"),
    ("a start that is not a position", "UPDATE moves SET start = 'nowhere' WHERE game = {NORMAL}", "key start: is not a position"),
    ("another end", "UPDATE moves SET last = start WHERE game = {NORMAL}", "key last: says"),
    ("moves gone", "DELETE FROM moves WHERE game = {NORMAL}", "it has no moves"),
    ("moves of another game", "UPDATE moves SET (start, last, plies) = (SELECT start, last, plies FROM moves WHERE game = 1) WHERE game = {NORMAL}", "key "),
];

#[rustfmt::skip]
const SEATS: &[Tampering] = &[
    ("another seed", "UPDATE game SET seed = seed + 1 WHERE number = {NORMAL}", "key start: is"),
    ("another game", "UPDATE game SET rules = {WORD:mill} WHERE number = {NORMAL}", "is not the game of run "),
    ("other rules of the game", "UPDATE game SET rules = {WORD:letters:3x3x2} WHERE number = {NORMAL}", "is not the game of run "),
    ("another time control of the game", "UPDATE game SET control = {WORD:st=9} WHERE number = {NORMAL}", "key time_control"),
    ("another time of a seat", "UPDATE seat SET control = {WORD:st=9 margin=0.02} WHERE game = {NORMAL} AND seat = 1", "seats[1].time_control"),
    ("another margin of a seat", "UPDATE seat SET control = {WORD:st=0.2 margin=9} WHERE game = {NORMAL} AND seat = 1", "but the run has"),
    ("a time that is none", "UPDATE seat SET control = {WORD:soon} WHERE game = {NORMAL} AND seat = 1", "cannot be read"),
    ("sides exchanged", "UPDATE seat SET side = (SELECT o.side FROM seat o WHERE o.game = seat.game AND o.seat <> seat.seat) WHERE game = {NORMAL}", "key seats[0].side"),
    ("a side that is a path", "UPDATE seat SET side = {WORD:x/../../y} WHERE game = {CRASH}", "key seats[0].side"),
    ("engines exchanged", "CREATE TEMP TABLE other AS SELECT 1 - seat AS seat, engine FROM seat WHERE game = {NORMAL}; UPDATE seat SET engine = (SELECT engine FROM temp.other o WHERE o.seat = seat.seat) WHERE game = {NORMAL}", "key key: is not that of"),
    ("another engine", "UPDATE seat SET engine = (SELECT id FROM engine WHERE name = 'gone') WHERE game = {NORMAL} AND seat = 0", "key "),
    ("an engine against itself", "UPDATE seat SET engine = (SELECT engine FROM seat o WHERE o.game = seat.game AND o.seat = 0) WHERE game = {NORMAL}", "plays against itself"),
    ("an older version of an engine", "UPDATE seat SET engine = (SELECT min(id) FROM engine WHERE name = 'odd') WHERE engine = (SELECT max(id) FROM engine WHERE name = 'odd')", "was not entered in run 2 in this version"),
    ("the hash of an engine", "UPDATE engine SET hash = replace(hash, 'a', 'b') WHERE name = 'greedy'", "is not that of the game's terms"),
    ("the name of an engine", "UPDATE engine SET name = 'genius' WHERE name = 'greedy'", "key "),
    ("a seat gone", "DELETE FROM seat WHERE game = {NORMAL} AND seat = 1", "there are 1 seats"),
    ("seats numbered otherwise", "UPDATE seat SET seat = seat + 1 WHERE game = {NORMAL} AND seat = 1", "its seats are not numbered from 0"),
    ("a sum of times", "UPDATE seat SET time = time + 1 WHERE game = {NORMAL} AND seat = 0", "us, but the moves took"),
    ("the longest move", "UPDATE seat SET longest = longest + 1 WHERE game = {NORMAL} AND seat = 0", "but the longest move took"),
    ("the number of plies", "UPDATE seat SET plies = plies + 1 WHERE game = {NORMAL} AND seat = 0", "the stored number of its plies"),
    ("a key", "UPDATE game SET key = key + 1 WHERE number = {NORMAL}", "key key: is not that of"),
];

#[rustfmt::skip]
const PLAN: &[Tampering] = &[
    ("a game that does not count", "UPDATE game SET current = NULL WHERE number = {NORMAL}", "it was played but does not count"),
    ("a game of the history that counts", "UPDATE game SET current = 1 WHERE number = {HISTORY}", "the plan of run 2 has no such game"),
    ("numbers of a game", "UPDATE game SET round = 9 WHERE number = {NORMAL}", "but the plan has it as"),
    ("numbers of two games exchanged", "CREATE TEMP TABLE two AS SELECT number, pairing FROM game WHERE current = 1 AND game = 1 ORDER BY pairing LIMIT 2; UPDATE game SET pairing = (SELECT pairing FROM temp.two t WHERE t.number <> game.number) WHERE number IN (SELECT number FROM temp.two)", "but the plan has it as"),
    ("a game gone", "DELETE FROM game WHERE number = 3", "game 3 in the order of storage: gone"),
    ("a game gone with everything", "DELETE FROM log WHERE game = 3; DELETE FROM seat WHERE game = 3; DELETE FROM moves WHERE game = 3; DELETE FROM game WHERE number = 3", "game 3 in the order of storage: gone"),
    ("the last game gone", "DELETE FROM log WHERE game = {LAST}; DELETE FROM seat WHERE game = {LAST}; DELETE FROM moves WHERE game = {LAST}; DELETE FROM game WHERE number = {LAST}", "games were stored up to number"),
    ("the last game gone, and what was chained behind it", "DELETE FROM selection WHERE after = {LAST}; DELETE FROM log WHERE game = {LAST}; DELETE FROM seat WHERE game = {LAST}; DELETE FROM moves WHERE game = {LAST}; DELETE FROM game WHERE number = {LAST}", "though the run is done"),
    ("a game twice", "INSERT INTO game (number, key, current, run, round, pairing, game, rules, control, seed, ending, loser, reason, started, finished, load, isolation, pressure, link) SELECT 1 + {LAST}, key, NULL, run, round, pairing, game, rules, control, seed, ending, loser, reason, started, finished, load, isolation, pressure, link FROM game WHERE number = 3; INSERT INTO moves (game, start, last, plies) SELECT 1 + {LAST}, start, last, plies FROM moves WHERE game = 3; INSERT INTO seat (game, seat, engine, side, control, place, score, plies, time, longest, startup, lateness, traffic, exit, stragglers, usage, unanswered) SELECT 1 + {LAST}, seat, engine, side, control, place, score, plies, time, longest, startup, lateness, traffic, exit, stragglers, usage, unanswered FROM seat WHERE game = 3", "it is the same game as an earlier one"),
    ("two games exchanged", "UPDATE game SET number = -3 WHERE number = 3; UPDATE game SET number = 3 WHERE number = 4; UPDATE game SET number = 4 WHERE number = -3; UPDATE moves SET game = -3 WHERE game = 3; UPDATE moves SET game = 3 WHERE game = 4; UPDATE moves SET game = 4 WHERE game = -3; UPDATE seat SET game = -3 WHERE game = 3; UPDATE seat SET game = 3 WHERE game = 4; UPDATE seat SET game = 4 WHERE game = -3", HASH),
    ("a hash", "UPDATE game SET link = x'00112233445566778899aabbccddeeff' WHERE number = 3", HASH),
    ("no hash", "UPDATE game SET link = NULL WHERE number = 3", "it has no hash"),
    ("no chain", "UPDATE game SET link = NULL; DELETE FROM selection", "it has no hash"),
    ("what counted, in the chain", "UPDATE selection SET digest = zeroblob(32)", "does not follow from what was stored"),
    ("a selection gone", "DELETE FROM selection WHERE number = (SELECT min(number) FROM selection)", ""),
    ("the seed of the run", "UPDATE run SET terms = json_set(terms, '$.seed', '6')", "key seed: is"),
    ("the margin of the run", "UPDATE run SET terms = json_set(terms, '$.margin', '9')", "but the run has"),
    ("a rule for long games", "UPDATE run SET terms = json_set(terms, '$.\"max plies\"', '1')", "there are more than the 1 that the run allows"),
    ("the level of the run", "UPDATE run SET terms = json_set(terms, '$.isolation', 'strict')", "isolation.level: is"),
    ("the version of the rules", "UPDATE run SET terms = json_set(terms, '$.\"rules version\"', '9')", "not checked: version 9 of the rules of letters"),
    ("a game that nobody knows", "UPDATE game SET rules = {WORD:shogi}", "not checked: there is no game shogi here"),
    ("more games in the plan", "UPDATE run SET games = 4", "though the run is done"),
    ("fewer games in the plan", "UPDATE run SET games = 1", "has no such game"),
    ("somebody entered less", "DELETE FROM entrant WHERE run = 2 AND place = 0", "was not entered"),
    ("entrants in another order", "UPDATE entrant SET place = -1 WHERE run = 2 AND place = 0; UPDATE entrant SET place = 0 WHERE run = 2 AND place = 5; UPDATE entrant SET place = 5 WHERE run = 2 AND place = -1", "but the plan has it as"),
    ("another time of an entrant", "UPDATE entrant SET control = 'st=9'", "but it was entered with st=9"),
    ("the first night gone", "DELETE FROM standing WHERE run = 1; DELETE FROM entrant WHERE run = 1; DELETE FROM run WHERE number = 1", "run 1, in which it was played, is missing"),
    ("matches of a stage", "UPDATE run SET matches = '[[1,1,0,1,0,0,2,0]]' WHERE number = 2", "has no such game"),
    ("a match with nobody", "UPDATE run SET matches = '[[1,1,0,99,0,0,2,0]]' WHERE number = 2", "names an engine that was not entered"),
    ("games given as won", "INSERT INTO swiss (name, byes) VALUES ('greedy', 2)", "byes are stored"),
];

#[rustfmt::skip]
const TABLES: &[Tampering] = &[
    ("wins in the standings", "UPDATE standing SET wins = wins + 1 WHERE run = 2 AND rank = 1", "run 2: its standings are not those of its games"),
    ("ranks in the standings", "UPDATE standing SET rank = 7 - rank WHERE run = 2", "run 2: its standings are not those"),
    ("points in the standings", "UPDATE standing SET points = points + 1000 WHERE run = 2 AND rank > 1", "run 2: its standings are not those"),
    ("a rating in the standings", "UPDATE standing SET elo = elo + 1000 WHERE run = 2 AND rank > 1", "run 2: its standings are not those"),
    ("the standings of an earlier night", "UPDATE standing SET losses = losses + 1 WHERE run = 1 AND rank = 1", "run 1: its standings are not those"),
    ("an engine gone from the standings", "DELETE FROM standing WHERE run = 2 AND rank = 1", "run 2: its standings are not those"),
    ("the standings gone", "DELETE FROM standing WHERE run = 2", "run 2: it is done, but its standings are missing"),
    ("what a win is worth", "UPDATE run SET points = '3-1-0' WHERE number = 2", "run 2: its standings are not those"),
    ("what the standings are made of", "UPDATE run SET ended_after = NULL WHERE number = 2", "does not say which games were stored by then"),
    ("points that are none", "UPDATE run SET points = 'many' WHERE number = 2", "the points of run 2"),
    ("a word in the list", "UPDATE supply SET bytes = CAST(bytes || x'616161610a' AS BLOB) WHERE name = 'dictionary'", "does not have its stored hash"),
    ("the word list gone", "DELETE FROM supply WHERE name = 'dictionary'", "its word list is missing"),
    ("seats of no game", "INSERT INTO seat (game, seat, engine, side, control, place, score, plies, time, longest, startup, lateness, traffic, exit, stragglers, usage, unanswered) SELECT 999, seat, engine, side, control, place, score, plies, time, longest, startup, lateness, traffic, exit, stragglers, usage, unanswered FROM seat WHERE game = 3", "there are seats and no game"),
    ("moves of no game", "INSERT INTO moves (game, start, last, plies) SELECT 999, start, last, plies FROM moves WHERE game = 3", "there are moves and no game"),
    ("a log of no seat", "INSERT INTO log (game, seat, stderr, evidence) VALUES (3, 5, x'', NULL)", "there is a log of a seat it does not have"),
];

/// Only the harness has witnessed these; the chain shows that they were changed.
#[rustfmt::skip]
const WITNESSED: &[Tampering] = &[
    ("a start-up", "UPDATE seat SET startup = startup + 1 WHERE game = 3 AND seat = 0", HASH),
    ("a lateness", "UPDATE seat SET lateness = lateness + 1 WHERE game = 3 AND seat = 0", HASH),
    ("bytes over a pipe", "UPDATE seat SET traffic = json_set(traffic, '$[0]', 1) WHERE game = 3 AND seat = 0", HASH),
    ("the end of a process", "UPDATE seat SET exit = '{\"code\":9}' WHERE game = {NORMAL} AND seat = 0", HASH),
    ("what was left behind", "UPDATE seat SET stragglers = 9 WHERE game = 3 AND seat = 0", HASH),
    ("what was used", "UPDATE seat SET usage = '[1,2,3,4]' WHERE game = 3 AND seat = 0", HASH),
    ("a load", "UPDATE game SET load = 1 + ifnull(load, 0) WHERE number = 3", HASH),
    ("a pressure", "UPDATE game SET pressure = 1 + ifnull(pressure, 0) WHERE number = 3", HASH),
    ("the moment of its start", "UPDATE game SET started = started - 1 WHERE number = 3", HASH),
    ("the moment of its end", "UPDATE game SET finished = finished + 1 WHERE number = 3", HASH),
    ("what an engine wrote to stderr", "INSERT INTO log (game, seat, stderr, evidence) VALUES ({NORMAL}, 0, x'41', NULL)", HASH),
    ("the run it was played in", "UPDATE game SET run = 2 WHERE number = 3", HASH),
];

/// Changes that `agon verify` cannot detect: docs/verify.md lists them.
#[rustfmt::skip]
const UNKNOWN: &[(&str, &str)] = &[
    ("when a run began", "UPDATE run SET started = '2001-01-01T00:00:00Z' WHERE number = 2"),
    ("when a run ended", "UPDATE run SET finished = '2001-01-01T00:00:00Z' WHERE number = 2"),
    ("by which agon", "UPDATE run SET agon = '9.9.9' WHERE number = 2"),
    ("what it was called", "UPDATE run SET event = 'olympics' WHERE number = 2"),
    ("on which machine", "UPDATE run SET machine = 'elsewhere, 1 cores' WHERE number = 2"),
    ("where an engine was found", "UPDATE engine SET source = '/elsewhere' WHERE name = 'greedy'"),
];

/// The SQL with its games and words filled in.
fn filled(sql: &str) -> String {
    let games = [
        ("NORMAL", NORMAL),
        ("ILLEGAL", ILLEGAL),
        ("UNREADABLE", UNREADABLE),
        ("LATE", LATE),
        ("CRASH", CRASH),
        ("LAST", LAST),
        ("HISTORY", HISTORY),
    ];
    let mut text = sql.to_owned();
    for (name, query) in games {
        // The games are found before anything is changed.
        text = text.replace(&format!("{{{name}}}"), &format!("(SELECT number FROM temp.{name})"));
        text = format!("CREATE TEMP TABLE IF NOT EXISTS {name} AS SELECT {query} AS number;\n{text}");
    }
    while let Some(at) = text.find("{WORD:") {
        let end = at + text[at..].find('}').unwrap();
        let word = text[at + 6..end].to_owned();
        text.replace_range(at..=end, &format!("(SELECT id FROM word WHERE text = '{word}')"));
        text = format!("INSERT OR IGNORE INTO word (text) VALUES ('{word}');\n{text}");
    }
    text
}

#[test]
#[ignore = "slow"]
fn every_change_of_the_database_is_noticed_or_named_as_one_that_cannot_be() {
    let place = two_nights();
    let clean = place.done("verify run");
    assert!(clean.contains("; 0 differences in all"), "{clean}");
    let all = [RESULTS, FORFEITS, MOVES, SEATS, PLAN, TABLES, WITNESSED].concat();
    assert!(all.len() > 60, "{}", all.len());
    let mut missed = Vec::new();
    for (what, sql, words) in all {
        let db = place.copy("run", "forged");
        db.pragma_update(None, "foreign_keys", "OFF").unwrap();
        db.execute_batch(&filled(sql)).unwrap_or_else(|error| panic!("{what}: {error}"));
        drop(db);
        let (code, said) = place.agon("verify forged");
        if code != Some(1) || !said.contains(words) {
            missed.push(format!("{what}: exit code {code:?}, not {words:?}:\n{said}"));
        }
    }
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
    for (what, sql) in UNKNOWN {
        place.copy("run", "forged").execute_batch(sql).unwrap();
        let (code, said) = place.agon("verify forged");
        assert_eq!(code, Some(0), "{what} is noticed: take it off the list in docs/verify.md\n{said}");
    }
}

/// Columns of a Swiss that fit to nothing: `verify` says so, and no command panics.
const SWISS: [&str; 14] = [
    "UPDATE entrant SET place = 1000 WHERE place = 4",
    "UPDATE entrant SET place = 1000 WHERE place = 0",
    "UPDATE entrant SET place = 1004 - place",
    "UPDATE entrant SET place = -1 WHERE place = 4",
    "UPDATE entrant SET engine = 99 WHERE place = 4",
    "UPDATE entrant SET engine = engine + 1",
    "UPDATE entrant SET engine = (SELECT engine FROM entrant WHERE place = 0) WHERE place = 4",
    "UPDATE swiss SET byes = -1",
    "UPDATE seat SET seat = 1001 WHERE game = 1 AND seat = 1",
    "UPDATE seat SET seat = 200 WHERE game = 1 AND seat = 1",
    "UPDATE seat SET seat = -1 WHERE game = 1 AND seat = 1",
    "UPDATE seat SET place = 1001 WHERE game = 1 AND seat = 1",
    "UPDATE game SET loser = 1001 WHERE number = 1",
    "UPDATE game SET round = -1 WHERE number = 1",
];

#[test]
fn no_number_of_a_swiss_lets_a_command_panic() {
    let place = Place::new();
    for number in 1..=5 {
        place.sample(&format!("g{number}"), "agon-greedy");
    }
    let text =
        "engines = \"engines\"\ngame = \"letters:3x3x1\"\nst = 30\ngames = 2\nseed = 7\nformat = \"swiss\"\n";
    let gone = "withdrawn = [{ engine = \"g3\", from = \"round 2\" }]";
    std::fs::write(place.path("swiss.toml"), format!("{text}rounds = 3\n{gone}\n")).unwrap();
    place.done("tournament swiss.toml --no-check --out run --quiet");
    place.done("verify run");
    for sql in SWISS {
        let db = place.copy("run", "forged");
        db.pragma_update(None, "foreign_keys", "OFF").unwrap();
        assert!(db.execute(sql, []).unwrap() > 0, "{sql}");
        drop(db);
        assert_eq!(place.agon("verify forged").0, Some(1), "{sql}");
        for command in ["standings", "status", "games", "report", "export json"] {
            let (code, said) = place.agon(&format!("{command} forged"));
            assert!(matches!(code, Some(0..=2)), "{command}: {sql}\n{said}");
        }
    }
}

#[test]
#[ignore = "slow"]
fn a_head_noted_elsewhere_tells_one_whole_chain_from_another() {
    let place = two_nights();
    let standings = place.done("standings run");
    let head = standings.lines().find_map(|line| line.strip_prefix("head of the chain ")).unwrap();
    assert!(place.done("history run --summary").contains(&format!("; head {head}")));
    assert!(place.done("standings run --json").contains(&format!("\"heads\":[\"{head}\"]")));
    place.done(&format!("verify run --expect {head}"));
    place.done(&format!("verify run --expect {}", head.to_uppercase()));
    // Nothing is played, so nothing is added.
    place.done(&format!("{RUN} --quiet"));
    place.done(&format!("verify run --expect {head}"));
    // Invented games, with a complete chain of their own.
    night(&place, &RUN.replace("--out run", "--out forged"));
    assert_eq!(place.agon("verify forged").0, Some(0), "its chain is whole");
    let (code, said) = place.agon(&format!("verify forged --expect {head}"));
    assert!(code == Some(1) && said.contains("was never one of this chain"), "{said}");
    // More games make another head, and the old one is known.
    night(&place, &RUN.replace("--games 2", "--games 4"));
    let (code, said) = place.agon(&format!("verify run --expect {head}"));
    assert!(code == Some(0) && said.contains("were stored since"), "{said}");
    let json = place.done(&format!("verify run --expect {head} --json"));
    assert!(json.contains("\"clean\":true") && !json.contains("\"stored_since\":0"), "{json}");
    assert!(place.done("verify run --json").contains("\"stored_since\":null"));
    assert_eq!(place.agon("verify run --expect 12").0, Some(2));
}

#[test]
fn a_side_that_is_a_path_writes_nothing_outside_when_the_run_goes_on() {
    let place = two_nights();
    place
        .copy("run", "forged")
        .execute_batch(&filled("UPDATE seat SET side = {WORD:x/../../../out} WHERE game = {CRASH}"))
        .unwrap();
    let (code, said) = place.agon(&RUN.replace("--out run", "--out forged"));
    assert!(code == Some(1) && said.contains("has a side called \"x/../../../out\""), "{said}");
    assert!(!place.path("out").exists());
}

#[test]
fn a_database_of_another_version_is_refused_by_every_command_and_not_changed() {
    let place = Place::new();
    place.sample("greedy", "agon-greedy");
    place.sample("random", "agon-random");
    night(&place, RUN);
    let db = place.copy("run", "old");
    db.pragma_update(None, "user_version", 1).unwrap();
    drop(db);
    let before = std::fs::read(place.path("old/agon.db")).unwrap();
    let again = RUN.replace("--out run", "--out old");
    for command in
        [again.as_str(), "standings old", "history old", "verify old", "games old", "export csv old to"]
    {
        let (code, said) = place.agon(command);
        assert_eq!(code, Some(2), "{command}: {said}");
        for words in [
            "old/agon.db has schema version 1",
            "which reads versions",
            "use the agon that wrote it, or play anew",
        ] {
            assert!(said.contains(words), "{command}: {said}");
        }
    }
    assert!(std::fs::read(place.path("old/agon.db")).unwrap() == before);
}
