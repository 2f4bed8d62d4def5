//! What a teacher corrects between two gradings: names, addresses, decisions on games, answers.

use std::collections::BTreeMap;
use std::fs;

use super::grading::known_class;
use super::home::{Home, Said, programs};

const GRADE: &str = "grade tournament.toml --roster roster.csv --no-check --isolation limits";
const ROSTER: &str = "id,name,mail,submission\n1,Ann,a@x,in/one\n2,Bo,b@x,in/two\n3,Cy,c@x,in/three\n";

fn grade(home: &Home, more: &str) -> Said {
    home.agon(format!("{GRADE} {more}").split_whitespace())
}

/// The rows of a table by the cell of a column, each by the names of its columns.
fn rows(text: &str, key: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    rows.into_iter().map(|row| (row[key].clone(), row)).collect()
}

fn graded(home: &Home) -> BTreeMap<String, BTreeMap<String, String>> {
    rows(&home.read("grades/grades.csv"), "id")
}

/// Makes every game void that one of these has played against another one.
fn void(home: &Home, alias: &str, against: &str) {
    let games = rows(&home.read("results/games.csv"), "id");
    let of = |row: &&BTreeMap<String, String>| {
        let seats = [&row["first_engine"], &row["second_engine"]];
        seats.iter().any(|name| *name == alias) && seats.iter().any(|name| name.contains(against))
    };
    for row in games.values().filter(of) {
        let said = home.agon(["decide", "results", &row["id"], "void", "--why", "the wrong file", "--yes"]);
        assert_eq!(said.code, Some(0), "{}", said.all());
    }
}

#[test]
fn names_and_addresses_are_those_of_the_roster_of_today() {
    let home = known_class(&ROSTER.replace("a@x", "b@x").replace("Bo,b@x", "Bo,a@x"));
    let said = home.agon(GRADE.replacen("grade", "intake", 1).split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    home.put("roster.csv", ROSTER.replace("Cy", "Cyd"));
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let words = "roster.csv: names or addresses are other ones than before, and count from now on:\n  \
                 1 Ann <a@x>, before 1 Ann <b@x>\n  2 Bo <b@x>, before 2 Bo <a@x>\n  3 Cyd <c@x>, before 3 Cy <c@x>";
    assert!(said.err().contains(words), "{}", said.all());
    let grades = graded(&home);
    let mails = rows(&home.read("grades/mail.csv"), "name");
    let moodle = rows(&home.read("grades/moodle.csv"), "Email address");
    for (id, name, mail) in [("1", "Ann", "a@x"), ("2", "Bo", "b@x"), ("3", "Cyd", "c@x")] {
        let told = [&grades[id]["name"], &grades[id]["mail"], &mails[name]["mail"]];
        assert_eq!(told, [name, mail, mail], "{grades:?}");
        let feedback = moodle[mail].iter().find(|(column, _)| column.ends_with("(Feedback)")).unwrap().1;
        assert_eq!(*feedback, grades[id]["why"], "{moodle:?}");
        assert!(home.read("grades/key.csv").contains(&format!(",{id},{name},{mail}\n")));
    }
    let again = grade(&home, "");
    assert!(again.code == Some(0) && !again.err().contains("than before"), "{}", again.all());
}

#[test]
fn games_that_are_void_count_in_no_grade() {
    let home = known_class(ROSTER);
    assert_eq!(grade(&home, "").code, Some(0));
    let alias = |id: &str| graded(&home)[id]["alias"].clone();
    let gone = alias("3");
    void(&home, &gone, "");
    assert_eq!(grade(&home, "").code, Some(2), "the grade of 3 changes");
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (grades, told) = (graded(&home), home.agon(["standings", "results", "--csv"]).out());
    let standings = rows(&told, "engine");
    for id in ["1", "2"] {
        let number = |column: &str| standings[&alias(id)][column].parse::<f64>().unwrap();
        let share = 50.0 * number("points") / number("games");
        assert_eq!(number("games"), 2.0, "{told}");
        // How a tie was decided follows.
        let why = format!("{share:.1} % of the points");
        assert!(grades[id]["why"].starts_with(&why), "{why}: {grades:?}");
        assert!(grades[id]["coverage"].starts_with("met 1 of 2 opponents"), "{grades:?}");
    }
    let row = |grades: &BTreeMap<String, BTreeMap<String, String>>| {
        ["grade", "step", "state", "place", "coverage", "why"].map(|column| grades["3"][column].clone())
    };
    let state =
        ["", "no game counts", "no game counts", "", "", "none of its games counts; ask your teacher"];
    assert_eq!(row(&grades), state);
    assert!(home.read("grades/moodle.csv").contains("c@x,,none of its games counts"), "{}", said.all());
    // Who stands before nobody else is the last of the others.
    let by_percentile = home.read("tournament.toml").replace("\"points\"", "\"percentile\"");
    home.put("tournament.toml", by_percentile);
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = graded(&home);
    assert_eq!(row(&grades), state);
    for (id, other) in [("1", "2"), ("2", "1")] {
        let place = |id: &str| grades[id]["place"].parse::<u32>().unwrap();
        let share = if place(id) < place(other) { "100.0" } else { "0.0" };
        let why = format!("stands before {share} % of the others");
        assert!(grades[id]["why"].starts_with(&why), "{why}: {grades:?}");
    }
}

/// Its legal moves were in a game that the organiser has made void, so it is not said that it had
/// none.
#[test]
fn legal_moves_in_void_games_are_not_denied() {
    let home = known_class(&ROSTER[..ROSTER.find("3,").unwrap()]);
    home.put("tournament.toml", home.read("tournament.toml").replace("3x3x2", "5x5x2"));
    let greedy = programs().join("agon-greedy");
    let script = format!("#!/bin/sh\n[ \"$1\" = W ] || exit 1\nexec {} \"$@\"\n", greedy.display());
    home.put("in/two/engine.toml", "command = [\"./run\"]\n");
    home.put_program("in/two/run", script);
    assert_eq!(grade(&home, "").code, Some(0));
    let games = rows(&home.read("results/games.csv"), "id");
    let whole = games.values().find(|row| row["termination"] != "crash").unwrap();
    let said = home.agon(["decide", "results", &whole["id"], "void", "--why", "a power cut", "--yes"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let own = &graded(&home)["2"];
    assert_eq!(own["step"], "does not work", "{own:?}");
    assert!(own["why"].starts_with("it made no legal move in a game that counts: crash: "), "{own:?}");
}

#[test]
fn a_baseline_that_was_met_in_void_games_alone_leaves_the_grade_open() {
    let home = known_class(ROSTER);
    fs::create_dir(home.path("reference")).unwrap();
    home.engine("reference/random", "agon-random");
    let options = super::grading::CUP.split("[grades]").next().unwrap();
    let grades = "[grades]\nby = \"baselines\"\nmax = 10\nbaselines = \"reference\"\n\
                  steps = [{ at = \"random\", grade = 8 }]\n";
    home.put("tournament.toml", format!("{options}{grades}"));
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let before = graded(&home);
    for row in before.values() {
        // An engine of a fellow student is no baseline.
        let why = row["why"].split(';').next().unwrap();
        assert!(["has beaten random", "has beaten no baseline"].contains(&why), "{row:?}");
    }
    void(&home, &before["3"]["alias"], "random");
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let after = graded(&home);
    assert_eq!((after["3"]["grade"].as_str(), after["3"]["state"].as_str()), ("", "no game counts"));
    assert_eq!(after["3"]["why"], "none of its games against random counts; ask your teacher");
    assert_eq!(after["1"]["why"], before["1"]["why"]);
}

#[test]
fn nobody_has_handed_in_nothing_while_a_submission_may_be_anybodys() {
    let home =
        known_class("id,name,mail,use\n1,Ann,a@x,\n2,Bo,b@x,\n3,Cy,c@x,\n4,Di,d@x,none\n5,Ed,e@x,excused\n");
    let file = home.read("tournament.toml").replace("max = 10", "max = 10\nnothing-handed-in = 0");
    home.put("tournament.toml", file);
    for name in ["1", "2", "stranger"] {
        home.submission(&format!("sub/{name}"), "agon-greedy", "");
    }
    let said = grade(&home, "--submissions sub --missing none --accept-intake");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = graded(&home);
    for (id, grade, state) in
        [("3", "", "not attributed"), ("4", "0", "nothing handed in"), ("5", "", "excused")]
    {
        assert_eq!((&*grades[id]["grade"], &*grades[id]["state"]), (grade, state), "{grades:?}");
        // None of them has a program that cannot play.
        let row = said.err().lines().find(|line| line.contains(&grades[id]["alias"])).map(str::to_owned);
        assert!(row.as_ref().is_some_and(|row| row.contains(state)), "{id}: {}", said.all());
    }
    assert!(!said.all().contains("cannot play"), "{}", said.all());
    assert!(!home.read("grades/intake.csv").contains("cannot play"));
}

#[test]
fn a_late_program_leaves_the_class_as_its_grades_were_made() {
    let home = known_class(&format!("{ROSTER}4,Di,d@x,\n"));
    let due = "due = 2026-01-01T12:00:00\nlate-per-day = 1\n[[stages]]\nplay-offs = 0\n";
    home.put("tournament.toml", home.read("tournament.toml") + due);
    let said = grade(&home, "--untimed in-time");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let before = graded(&home);
    let are_as_before = |ids: &[&str], said: &Said| {
        let after = graded(&home);
        for id in ids {
            assert_eq!(after[*id], before[*id], "{}", said.all());
        }
    };
    // One is new, and one hands in something else; the first grading with them is refused.
    home.put("roster.csv", format!("{ROSTER}4,Di,d@x,in/four\n"));
    home.submission("in/four", "agon-greedy", "");
    home.submission("in/three", "agon-greedy", "");
    let refused = grade(&home, "--untimed in-time");
    assert_eq!(refused.code, Some(2), "{}", refused.all());
    let said = grade(&home, "--untimed in-time --late 4=2026-01-03 --late 3=2026-01-04 --regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    are_as_before(&["1", "2"], &said);
    let said = grade(&home, "--untimed in-time");
    assert_eq!(said.code, Some(0), "{}", said.all());
    are_as_before(&["1", "2"], &said);

    // A time that the roster corrects is a question.
    let head = "id,name,mail,submission,submitted\n1,Ann,a@x,in/one,\n2,Bo,b@x,in/two,\n3,Cy,c@x,in/three,\n";
    home.put("roster.csv", format!("{head}4,Di,d@x,in/four,2026-01-02\n"));
    let said = grade(&home, "--untimed in-time --regrade");
    let words =
        "grades/late.csv: 4 was handed in at 2026-01-03, but 2026-01-02 is written in column submitted";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    let said = grade(&home, "--untimed in-time --late 4=2026-01-02 --regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(graded(&home)["4"]["why"].ends_with("1 day late: less 1"), "{}", said.all());
    let said = grade(&home, "--untimed in-time");
    assert_eq!(said.code, Some(0), "{}", said.all());

    // An id that is nobody's would let the student play with the class.
    let list = home.read("grades/late.csv");
    for (id, why) in [("04", "may be 4: a spreadsheet cuts off zeros"), ("40", "is not in the roster")] {
        home.put("grades/late.csv", list.replace("\n4,", &format!("\n{id},")));
        let said = grade(&home, "--untimed in-time");
        let words = format!("grades/late.csv: line 2: column id: {id} {why}");
        assert!(said.code == Some(2) && said.err().contains(&words), "{}", said.all());
    }
    home.put("grades/late.csv", list);
    assert_eq!(grade(&home, "--untimed in-time").code, Some(0));
}
