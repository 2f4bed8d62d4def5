//! Grading once more, after a submission was mended, a roster line was added, or an option changed.
//! Only what changed is played again, and written grades change only when the teacher says so.

use std::collections::BTreeMap;
use std::fs;

use super::grading::{class, holding, known_class};
use super::home::{Home, root};

const GRADE: &str = "grade tournament.toml --roster roster.csv --no-check --isolation limits";
const ROSTER: &str = "id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/three\n4,D,d,in/dead\n";

/// A cell of `grades.csv` for each id.
fn column(home: &Home, column: usize) -> BTreeMap<String, String> {
    let text = home.read("grades/grades.csv");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    rows.records().map(Result::unwrap).map(|row| (row[0].to_owned(), row[column].to_owned())).collect()
}

fn number_of(home: &Home, what: &str) -> u64 {
    let db = rusqlite::Connection::open(home.path("results/agon.db")).unwrap();
    db.query_row(&format!("SELECT count(*) FROM game {what}"), [], |row| row.get(0)).unwrap()
}

fn mend(home: &Home, folder: &str) {
    home.submission(folder, "agon-greedy", "");
}

#[test]
fn a_mended_submission_plays_its_games_again_and_changes_grades_only_with_regrade() {
    let home = known_class(ROSTER);
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (before, alias) = (home.read("grades/grades.csv"), column(&home, 3)["4"].clone());
    assert!(column(&home, 7)["4"].starts_with("it never made a legal move: "), "{before}");
    assert_eq!((number_of(&home, ""), number_of(&home, "WHERE current = 1")), (12, 12));

    let mut found = Vec::new();
    holding(&home.path("results/evidence"), &format!("{alias}@"), &mut found);
    let again = found.into_iter().find(|path| path.ends_with("again.sh")).unwrap();
    let again = fs::read_to_string(again).unwrap();

    mend(&home, "in/dead");
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    let row = said.err().lines().find(|line| line.trim_start().starts_with(&alias)).map(str::to_owned);
    let row = row.unwrap_or_else(|| panic!("{}", said.all()));
    assert!(row.split_whitespace().nth(1) == Some("1") && row.contains("% of the points"), "{row}");
    assert!(said.err().contains("hint: read the table, then give --regrade too"), "{}", said.all());
    assert_eq!(home.read("grades/grades.csv"), before, "nothing is written without --regrade");
    // Three opponents, two games each: the games of the other three are not played again.
    assert_eq!((number_of(&home, ""), number_of(&home, "WHERE current = 1")), (18, 12));

    // The evidence of the old games is there, until they are pruned.
    let kept = || fs::read_dir(home.path("results/evidence/history")).map_or(0, Iterator::count);
    assert_eq!(kept(), 6, "each game of the one that did not work");
    let why = home.agon(["why", "results", &alias]);
    assert!(
        why.out().contains("lost 0 games by a fault; 6 more count no longer, --all shows them"),
        "{}",
        why.all()
    );
    let why = home.agon(["why", "results", &alias, "--all"]);
    assert_eq!(why.out().matches("this game counts no longer\n").count(), 6, "{}", why.all());

    // Who disputes the old verdict plays with the old program.
    // The script of that time still plays the program of that time.
    home.put("results/evidence/history/one/again.sh", &again);
    let played = home.shell("sh results/evidence/history/one/again.sh");
    fs::remove_dir_all(home.path("results/evidence/history/one")).unwrap();
    assert!(played.all().contains("crash"), "{again}\n{}", played.all());

    let said = home.agon(format!("{GRADE} --regrade").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(number_of(&home, ""), 18, "the games were played already");
    assert!(said.out().contains("old") && said.out().contains(&alias), "{}", said.all());
    assert_ne!(column(&home, 5)["4"], "1", "{}", home.read("grades/grades.csv"));
    let old: Vec<_> =
        fs::read_dir(home.path("grades/old")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(old.len(), 1);
    assert_eq!(fs::read_to_string(old[0].join("grades.csv")).unwrap(), before);
    assert!(old[0].join("moodle.csv").exists() && old[0].join("brightspace.csv").exists());
    let verified = home.agon(["verify", "results"]);
    assert_eq!(verified.code, Some(0), "{}", verified.all());

    let after = home.read("grades/grades.csv");
    let said = home.agon(GRADE.split(' '));
    assert_eq!((said.code, home.read("grades/grades.csv")), (Some(0), after), "{}", said.all());
    assert!(said.err().contains("is over; its games count"), "{}", said.all());
    assert_eq!((number_of(&home, ""), fs::read_dir(home.path("grades/old")).unwrap().count()), (18, 1));
    let pruned = home.agon(["prune", "results", "--nights", "0", "--yes"]);
    assert_eq!((pruned.code, kept()), (Some(0), 0), "{}", pruned.all());
}

#[test]
fn a_late_roster_line_joins_the_smallest_group_and_leaves_the_others_their_games() {
    let roster: String =
        (1..=5).map(|id| format!("{id},n,m,in/{}\n", ["one", "two", "three"][id % 3])).collect();
    let roster = format!("id,name,mail,submission\n{roster}");
    let home = class(&roster);
    let stages =
        "[[stages]]\ngroups = 2\nadvance = 1\nplay-offs = 0\n\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    home.put("tournament.toml", format!("{}\n{stages}", home.read("tournament.toml")));
    let grade = format!("{GRADE} --regrade");
    let said = home.agon(grade.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let groups = |home: &Home| {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let text = home.read("results/stages.csv");
        for row in csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap) {
            if &row[0] == "1" {
                groups.entry(row[1].to_owned()).or_default().push(row[3].to_owned());
            }
        }
        groups.values_mut().for_each(|group| group.sort());
        groups.into_values().collect::<Vec<_>>()
    };
    let before = groups(&home);
    assert_eq!(before.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3]);
    home.put("roster.csv", format!("{roster}6,late,m,in/two\n"));
    let said = home.agon(grade.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains(" is new: its 2 pairings are played"), "{}", said.all());
    assert!(said.err().contains("leading: group A: "), "{}", said.all());
    let (after, fresh) = (groups(&home), column(&home, 3)["6"].clone());
    assert_eq!((&after[1], after[0].len()), (&before[1], 3));
    assert!(after[0].contains(&fresh) && before[0].iter().all(|name| after[0].contains(name)), "{after:?}");
    let games = |what: &str| {
        let db = rusqlite::Connection::open(home.path("results/stage-1/agon.db")).unwrap();
        db.query_row(&format!("SELECT count(*) FROM game {what}"), [], |row| row.get::<_, u64>(0)).unwrap()
    };
    assert_eq!((games(""), games("WHERE current = 1")), (12, 12), "2 + 6 games before, 4 of the new one");
    // One that leaves: nothing is played, and the groups may have other sizes than a draw makes.
    let gone = |home: &Home| {
        let text = home.read("roster.csv");
        let keys = column(home, 3);
        let id = keys.iter().find(|(_, alias)| **alias == after[0][0]).unwrap().0.clone();
        text.lines()
            .filter(|line| !line.starts_with(&format!("{id},")))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let fewer: String = gone(&home);
    home.put("roster.csv", fewer);
    let said = home.agon(grade.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(groups(&home)[1], before[1], "{}", said.all());
    assert_eq!((games(""), games("WHERE current = 1")), (12, 8));
    let said = home.agon(["verify", "results/stage-1"]);
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn another_time_control_plays_everything_again() {
    let home = class(&ROSTER.replace("4,D,d,in/dead\n", ""));
    assert_eq!(home.agon(GRADE.split(' ')).code, Some(0));
    let refused = home.agon(format!("{GRADE} --st 2 --regrade").split(' '));
    assert_eq!(refused.code, Some(2), "{}", refused.all());
    assert!(refused.err().contains("6 games that count would become history"), "{}", refused.all());
    assert_eq!(number_of(&home, "WHERE current = 1"), 6, "nothing has changed");
    let said = home.agon(format!("{GRADE} --st 2 --regrade --again").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("st=2"), "{}", said.all());
    assert_eq!((number_of(&home, ""), number_of(&home, "WHERE current = 1")), (12, 6));
}

#[test]
fn a_damaged_table_of_grades_is_named_and_stays() {
    let home = class(ROSTER);
    assert_eq!(home.agon(GRADE.split(' ')).code, Some(0));
    for (text, words) in [
        ("id,alias,step\n1,x,y\n", "line 1: column grade is missing"),
        ("id,alias,grade,step\n1,x,many,\n", "line 2: column grade: is not a number"),
        ("id,alias,grade,step\n1,x,\n", "line 2: has not as many cells as the first line"),
    ] {
        home.put("grades/grades.csv", text);
        let said = home.agon(GRADE.split(' '));
        assert_eq!(said.code, Some(2), "{}", said.all());
        assert!(said.err().contains(&format!("grades/grades.csv: {words}")), "{}", said.all());
        assert_eq!(home.read("grades/grades.csv"), text);
    }
}

#[test]
fn a_late_submission_is_graded_against_the_field_as_it_was_and_pays_for_each_day() {
    const UNTIMED: &str =
        "grade tournament.toml --roster roster.csv --no-check --isolation limits --untimed in-time";
    let home = class(ROSTER);
    let grades = "\ndue = 2026-01-01T12:00:00\nlate-per-day = 1\nlate-until = \"2026-01-05T12:00\"\n\n[[stages]]\nplay-offs = 0\n";
    home.put("tournament.toml", home.read("tournament.toml") + grades);
    home.put("tournament.toml", home.read("tournament.toml").replace("grade = 9", "grade = 8.5"));
    assert_eq!(home.agon(UNTIMED.split(' ')).code, Some(0));
    let (before, old) = (home.read("grades/grades.csv"), column(&home, 5));
    let stage = || {
        let db = rusqlite::Connection::open(home.path("results/stage-1/agon.db")).unwrap();
        db.query_row("SELECT count(*), sum(current) FROM game", [], |row| {
            Ok((row.get::<_, u64>(0)?, row.get::<_, u64>(1)?))
        })
        .unwrap()
    };
    assert_eq!(stage(), (12, 12));
    // One that did not work is mended, and one is new.
    mend(&home, "in/dead");
    home.put("roster.csv", format!("{ROSTER}5,E,e,in/two\n"));
    let said = home.agon(format!("{UNTIMED} --late 4").split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("give --late 4=2026-11-20T23:59, or a column submitted"), "{}", said.all());
    let said = home.agon(format!("{UNTIMED} --late 9").split(' '));
    assert!(
        said.code == Some(2) && said.err().contains("--late 9: the roster has no such id"),
        "{}",
        said.all()
    );
    let late = format!("{UNTIMED} --late 4=2026-01-03T00:00 --late 5=2026-01-05T12:01");
    let said = home.agon(late.split(' '));
    assert_eq!(said.code, Some(2), "the grade of 4 would change: {}", said.all());
    assert_eq!(home.read("grades/grades.csv"), before);
    assert!(!home.path("grades/late.csv").exists(), "a refused grading grades nobody late");
    let said = home.agon(format!("{late} --regrade").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let (after, why) = (column(&home, 5), column(&home, 7));
    for id in ["1", "2", "3"] {
        assert_eq!(after[id], old[id], "{}", home.read("grades/grades.csv"));
    }
    assert!(["6.5", "2"].contains(&after["4"].as_str()), "{}", home.read("grades/grades.csv"));
    assert!(why["4"].ends_with("; handed in 2 days late: less 2"), "{}", why["4"]);
    assert_eq!((after["5"].as_str(), column(&home, 6)["5"].as_str()), ("1", "too late"));
    assert!(why["5"].contains("% of the points"), "{}", why["5"]);
    assert_eq!(stage(), (12, 12), "the games of the class are as they were");
    for (id, games) in [("4", 6), ("5", 8)] {
        let run = format!("results/late/{}", column(&home, 3)[id]);
        let db = rusqlite::Connection::open(home.path(&run).join("agon.db")).unwrap();
        let count: u64 = db.query_row("SELECT count(*) FROM game", [], |row| row.get(0)).unwrap();
        assert_eq!(count, games, "{id}");
        let page = home.read(&format!("grades/students/{}/report.txt", column(&home, 3)[id]));
        assert!(page.contains("r01-p0001-g01"), "{page}");
    }
    let (table, list) = (home.read("grades/grades.csv"), home.read("grades/late.csv"));
    let said = home.agon(UNTIMED.split(' '));
    assert_eq!((said.code, home.read("grades/grades.csv")), (Some(0), table), "{}", said.all());
    // Another time would change the grade: without --regrade the known time stays.
    let said = home.agon(format!("{UNTIMED} --late 4=2026-01-05").split(' '));
    assert_eq!((said.code, home.read("grades/late.csv")), (Some(2), list), "{}", said.all());
    home.put("grades/late.csv", "id,submitted\n4,\n");
    let said = home.agon(UNTIMED.split(' '));
    assert!(said.err().contains("grades/late.csv: 4: the time at which it was"), "{}", said.all());
}

#[test]
fn a_roster_with_times_costs_late_students_and_nobody_else() {
    let home = class(
        "id,name,mail,submission,submitted\n1,A,a,in/one,2026-01-01T23:59:30\n2,B,b,in/two,2026-01-02\n3,C,c,in/three,\n",
    );
    home.put(
        "tournament.toml",
        home.read("tournament.toml") + "due = \"2026-01-01T23:59\"\nlate-per-day = 0.25\n",
    );
    let said = home.agon(format!("{GRADE} --untimed in-time").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    // A submission without a time is in time only if the teacher says so, by name.
    let words = "no time is known for the submissions of 3: they count as in time";
    assert!(said.err().contains(words), "{}", said.all());
    // A day without a time is its end, and a minute lasts to its end.
    let why = column(&home, 7);
    assert!(why["2"].ends_with("; handed in 1 day late: less 0.25"), "{why:?}");
    let mut recount = std::process::Command::new("python3");
    recount
        .arg(root().join("scripts/recount-grades"))
        .arg(home.path("tournament.toml"))
        .arg(home.path("grades"));
    let counted = recount.arg("--out").arg(home.path("results")).output().unwrap();
    let told = String::from_utf8_lossy(&counted.stdout);
    assert!(told.ends_with("3 grades by points counted again, 0 differences\n"), "{told}");
    // An alias may have the word too.
    assert!(!why["1"].contains("handed in") && !why["3"].contains("handed in"), "{why:?}");
    for (line, words) in [
        ("late-per-day = 1\n", "key grades.late-per-day: is given without due"),
        ("due = 2026-01-01\nlate-until = 2025-01-01\n", "key grades.late-until: is before due"),
        ("due = \"soon\"\n", "key grades.due: \"soon\": it is not a date with a time"),
        ("due = 2026-01-01\nlate-per-day = -1\n", "key grades.late-per-day: -1 is not from 0 to max = 10"),
    ] {
        home.put("tournament.toml", super::grading::CUP.to_owned() + line);
        let said = home.agon(GRADE.split(' '));
        assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    }
    home.put(
        "tournament.toml",
        super::grading::CUP.to_owned() + "due = \"2026-01-01T23:59\"\nlate-per-day = 1\n",
    );
    let without = "1,A,a,in/one,\n2,B,b,in/two,\n3,C,c,,2026-01-09\n";
    home.put("roster.csv", format!("id,name,mail,submission,submitted\n{without}"));
    let said = home.agon(format!("{GRADE} --untimed in-time --regrade").split(' '));
    assert_eq!(
        (said.code, column(&home, 7)["3"].as_str()),
        (Some(0), "nothing was handed in"),
        "{}",
        said.all()
    );
    home.put("tournament.toml", super::grading::CUP);
    home.put("roster.csv", "id,name,mail,submission,submitted\n1,A,a,in/one,yesterday\n");
    let said = home.agon(GRADE.split(' '));
    let words = "roster.csv: line 2: column submitted: \"yesterday\": it is not a date with a time";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}

#[test]
fn the_games_of_play_offs_do_not_lower_those_whom_a_late_submission_has_to_pass() {
    let home = known_class("");
    let text = home.read("tournament.toml");
    let grades = "[grades]\nby = \"percentile\"\nmax = 10\nsteps = [{ at = 0, grade = 2 }, { at = 50, grade = 10 }]\n\
                  [[stages]]\nadvance = 2\nplay-offs = 1\n[[stages]]\nplay-offs = 0\n";
    home.put("tournament.toml", text.split("[grades]").next().unwrap().to_owned() + grades);
    // Three equals for two places, and one whom they beat.
    for id in ["1", "2", "3", "5"] {
        mend(&home, &format!("in/{id}"));
    }
    let roster: String = ["1", "2", "3"].map(|id| format!("{id},n,m,in/{id}\n")).concat();
    let roster = format!("id,name,mail,submission\n{roster}4,D,d,in/dead\n");
    home.put("roster.csv", &roster);
    let said = home.agon(GRADE.split(' '));
    assert!(said.code == Some(0) && said.err().contains("play-off 1 of"), "{}", said.all());
    assert!(!said.err().contains("nothing has changed"), "{}", said.all());
    let (alias, why) = (column(&home, 3), column(&home, 7));
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(home.read("results/stages.csv").as_bytes()).records() {
        rows.push(row.unwrap());
    }
    for id in ["1", "2", "3"] {
        // Each is told how the tie was decided, and play-offs lower no share of the points.
        assert!(why[id].contains("are tied for place") && why[id].contains("play-off 1: "), "{why:?}");
        let file = home.read(&format!("grades/students/{}/results.json", alias[id]));
        let told: serde_json::Value = serde_json::from_str(&file).unwrap();
        let share = told["leaderboard"][1]["value"].as_f64().unwrap();
        let own = rows.iter().filter(|row| row[3] == alias[id]);
        let sums = own.map(|row| (row[8].parse::<f64>().unwrap(), row[4].parse::<f64>().unwrap()));
        let (points, games) = sums.fold((0.0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        assert!((share - 50.0 * points / games).abs() < 0.06, "{id}: {share} and {points} of {games} games");
    }
    assert!(!why["4"].contains("tied"), "{why:?}");
    home.put("roster.csv", roster + "5,late,m,in/5\n");
    let said = home.agon(format!("{GRADE} --late 5").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    // It has as many points as each of the three in as many games, so it has passed the last alone.
    let late = home.agon(["standings", &format!("results/late/{}", column(&home, 3)["5"]), "--csv"]);
    let row = late.out().lines().find(|line| line.contains(&column(&home, 3)["5"])).map(str::to_owned);
    assert!(row.clone().is_some_and(|row| row.contains(",62.5,")), "{row:?}");
    assert_eq!(column(&home, 5)["5"], "2", "{}", home.read("grades/grades.csv"));
}

#[test]
fn a_final_may_have_other_engines_after_a_regrade() {
    let home = class("id,name,mail,submission\n1,A,a,in/1\n2,B,b,in/2\n3,C,c,in/3\n4,D,d,in/4\n");
    let stages = "[[stages]]\nadvance = 2\nplay-offs = 0\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    home.put("tournament.toml", format!("{}\n{stages}", home.read("tournament.toml")));
    let hand_in = |strong: [&str; 2]| {
        for id in ["1", "2", "3", "4"] {
            home.submission(&format!("in/{id}"), "agon-stub", ", \"exit-now\"");
        }
        strong.iter().for_each(|id| mend(&home, &format!("in/{id}")));
    };
    let finalists = || {
        let alias = column(&home, 3);
        let table = home.read("results/stage-2/standings.csv");
        ["1", "2", "3", "4"].into_iter().filter(|id| table.contains(&alias[*id])).collect::<Vec<_>>()
    };
    hand_in(["1", "2"]);
    assert_eq!(home.agon(GRADE.split(' ')).code, Some(0));
    assert_eq!(finalists(), ["1", "2"]);
    hand_in(["3", "4"]);
    let said = home.agon(format!("{GRADE} --regrade").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(finalists(), ["3", "4"]);
}

#[test]
fn the_folder_of_a_student_has_nothing_of_earlier_gradings_and_what_the_teacher_put_there() {
    let home = known_class(ROSTER);
    home.put("in/dead/engine.toml", "command = [\"./run\"]\n");
    home.put_program("in/dead/run", "#!/bin/sh\necho boom >&2\nexit 1\n");
    let grade = |options: &str| {
        let said = home.agon(format!("{} --regrade{options}", GRADE.replace(" --no-check", "")).split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        format!("grades/students/{}", column(&home, 3)["4"])
    };
    let files = |folder: &str| {
        let mut names: Vec<String> = (fs::read_dir(home.path(folder)).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let folder = grade("");
    let (games, stderr) = (format!("{folder}/games"), format!("{folder}/stderr"));
    assert_eq!((files(&games).len(), files(&stderr)), (0, vec!["tryout.txt".to_owned()]));
    home.put(format!("{games}/note.txt"), "mine");
    grade(" --no-check");
    assert_eq!((files(&games).len(), files(&stderr).len()), (7, 6), "{:?}", files(&stderr));
    mend(&home, "in/dead");
    grade(" --late 4");
    let (left, report) = (files(&games), home.read(&format!("{folder}/report.txt")));
    assert_eq!((left.len(), files(&stderr).len()), (7, 0), "{left:?}");
    for name in &left {
        let is_listed = name.starts_with("late-r") && report.contains(name.as_str());
        assert!(is_listed || name == "note.txt", "{name}: {report}");
    }
    // Without the late grade its games are those of the class again.
    fs::remove_file(home.path("grades/late.csv")).unwrap();
    grade("");
    assert!(files(&games).iter().all(|name| name.starts_with("1-r") || name == "note.txt"));
}

#[test]
fn a_student_who_comes_back_is_not_called_new() {
    let home = known_class(ROSTER);
    assert_eq!(home.agon(GRADE.split(' ')).code, Some(0));
    let alias = column(&home, 3)["3"].clone();
    home.put("roster.csv", ROSTER.replace("3,C,c,in/three\n", ""));
    let said = home.agon(format!("{GRADE} --regrade").split(' '));
    assert!(said.err().contains(&format!("{alias} is no longer entered")), "{}", said.all());
    home.put("roster.csv", ROSTER);
    let said = home.agon(format!("{GRADE} --regrade").split(' '));
    let words = format!("{alias} is back: its 6 older games count again\n");
    assert!(said.code == Some(0) && said.err().contains(&words), "{}", said.all());
}

/// The games of such a student would become history.
#[test]
fn a_roster_without_a_graded_student_changes_nothing() {
    let home = known_class(ROSTER);
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let state =
        || (home.read("results/games.csv"), home.read("grades/grades.csv"), home.read("grades/key.csv"));
    let before = state();
    let shorter: String = ROSTER
        .lines()
        .filter(|line| !line.starts_with("2,"))
        .fold(String::new(), |all, line| all + line + "\n");
    home.put("roster.csv", shorter + "77,Z,z,in/one\n");
    let said = home.agon(GRADE.split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("roster.csv: students who have grades are missing"), "{}", said.all());
    assert!(state() == before, "a refused grading changes nothing");
}
