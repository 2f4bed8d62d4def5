//! What agon cannot know about a class it asks, before the first game; and what is answered, is
//! kept.

use std::fs;

use super::archives::{UNIX, zip};
use super::grading::{CUP, class, known_class};
use super::home::{Home, Said, programs};
use super::intake::{answer, row};

pub(crate) const ROSTER: &str =
    "id,name,mail\n1,\"Doe, Jane\",jane@x\n2,\"Roe, Ric\",ric@x\n3,\"Sol, Mia\",mia@x\n";

pub(crate) fn agon(home: &Home, command: &str, options: &str) -> Said {
    let words = "tournament.toml --roster roster.csv --isolation limits --no-check --max-plies 2";
    home.agon(format!("{command} {words} {options}").split_ascii_whitespace())
}

fn grade(home: &Home, options: &str) -> Said {
    agon(home, "grade", options)
}

pub(crate) fn bot(mark: &str) -> Vec<u8> {
    let script = format!("#!/bin/sh\n# {mark}\nexec {} \"$@\"\n", programs().join("agon-greedy").display());
    zip(UNIX, &[(b"engine.toml", b"command = [\"./run\"]\n"), (b"run", script.as_bytes())])
}

/// A class with a Canvas download of these names, and answers to nothing.
pub(crate) fn canvas(roster: &str, names: &[&str]) -> Home {
    let home = class(roster);
    let bots: Vec<Vec<u8>> = names.iter().map(|name| bot(name)).collect();
    let entries: Vec<(&[u8], &[u8])> =
        names.iter().zip(&bots).map(|(name, bot)| (name.as_bytes(), bot.as_slice())).collect();
    home.put("sub.zip", zip(UNIX, &entries));
    home
}

/// A cell of `intake.csv`, in the row that has this text.
pub(crate) fn taken(home: &Home, holding: &str, column: &str) -> String {
    let text = home.read("grades/intake.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = reader.headers().unwrap().iter().position(|name| name == column).unwrap();
    let row = reader.records().map(Result::unwrap).find(|row| row.iter().any(|cell| cell.contains(holding)));
    row.unwrap_or_else(|| panic!("{holding}: {text}"))[at].to_owned()
}

#[test]
fn two_people_of_one_name_are_a_question_and_its_answer_is_kept() {
    let names = [
        "doejane_11_100_bot.zip",
        "doejane_12_101_bot.zip",
        "roeric_13_102_bot.zip",
        "solmia_14_103_bot.zip",
    ];
    let home = canvas(ROSTER, &names);
    for command in ["intake", "grade", "grade --dry-run"] {
        let said = agon(&home, command, "--submissions sub.zip");
        assert_eq!(said.code, Some(2), "{command}: {}", said.all());
        assert!(said.err().contains("grades/intake.csv: 2 questions are open"), "{}", said.all());
        let words = "1. doejane_11_100_bot.zip: may be Doe, Jane (1), or somebody else who is called so: another one so \
                     called has handed in doejane_12_101_bot.zip; in question: Doe, Jane (1)\n     answer: \
                     grades/intake.csv: line 2, column use: write 1, or none to leave it out";
        assert!(said.err().contains(words), "{}", said.all());
        assert!(!home.path("results").exists() && !home.path("grades/grades.csv").exists());
    }
    let answered = answer(&home, |row| match &row[0] {
        "doejane_11_100_bot.zip" => Some("none"),
        "doejane_12_101_bot.zip" => Some("1"),
        _ => None,
    });
    assert_eq!(answered, 2);
    let said = agon(&home, "intake", "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        said.err().contains("no question is open") && said.out().contains("doejane_12"),
        "{}",
        said.all()
    );
    assert_eq!(grade(&home, "--submissions sub.zip --dry-run").code, Some(0));
    assert!(!home.path("results").exists());
    let said = grade(&home, "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(taken(&home, "doejane_12", "use"), "1");
    assert_eq!(taken(&home, "doejane_12", "counts"), "yes");
    assert_eq!(taken(&home, "doejane_12", "verdict"), "plays");
    // The right one of the two was played.
    let folder = home.path(format!("results-engines/{}", row(&home, "1")[3]));
    let version = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    assert!(fs::read_to_string(version.unwrap().join("run")).unwrap().contains("doejane_12"));
    let said = answer(&home, |row| (&row[0] == "roeric_13_102_bot.zip").then_some("4711"));
    assert_eq!(said, 1);
    let said = grade(&home, "--submissions sub.zip");
    let words = "grades/intake.csv: line 4: column use: \"4711\" is not understood";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}

#[test]
fn an_accepted_intake_leaves_the_students_in_question_without_a_grade_in_every_file() {
    let home = canvas(
        "id,name,mail,use\n1,\"Doe, Jane\",jane@x,\n2,\"Roe, Ric\",ric@x,\n3,\"Sol, Mia\",mia@x,\n4,Ill,ill@x,excused\n5,Nil,nil@x,\n",
        &[
            "doejane_11_100_bot.zip",
            "doejane_12_101_bot.zip",
            "roeric_13_102_bot.zip",
            "solmia_14_103_bot.zip",
        ],
    );
    home.put(
        "canvas.csv",
        "Student,ID,SIS User ID,Section,Tournament (7)\nPoints Possible,,,,10\nA,501,1,A,\nB,502,2,A,\nC,503,3,A,\nD,504,4,A,EX\n\
         E,505,5,A,\n",
    );
    let options = "--submissions sub.zip --missing none --canvas canvas.csv";
    assert_eq!(agon(&home, "intake", "--submissions sub.zip --missing none").code, Some(2));
    let said = grade(&home, &format!("{options} --accept-intake"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("grades/intake.csv: is accepted with 2 open questions"), "{}", said.all());
    assert!(said.out().contains("no gradebook gets a grade for 1, 4, 5"), "{}", said.all());
    for (id, state) in [("1", "not attributed"), ("4", "excused"), ("5", "nothing handed in")] {
        let row = row(&home, id);
        assert_eq!((row[5].as_str(), row[6].as_str(), row[8].as_str()), ("", state, state));
    }
    let canvas = home.read("grades/canvas.csv");
    assert!(canvas.contains("A,501,1,A,\n") && canvas.contains("D,504,4,A,EX\n"), "{canvas}");
    assert!(canvas.contains("E,505,5,A,\n") && !canvas.contains("B,502,2,A,\n"), "{canvas}");
    for file in ["moodle.csv", "brightspace.csv", "mail.csv"] {
        let text = home.read(&format!("grades/{file}"));
        assert!(!text.contains(",0,"), "{file}: {text}");
    }
    let kept: serde_json::Value = serde_json::from_str(&home.read("grades/assignment.json")).unwrap();
    let hash = kept["accepted_intake"].as_str().unwrap();
    let noted = |home: &Home| -> Vec<(String, u32)> {
        let db = rusqlite::Connection::open(home.path("results/agon.db")).unwrap();
        let mut rows = db.prepare("SELECT hash, open FROM taken_in ORDER BY rowid").unwrap();
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(noted(&home), [(hash.to_owned(), 2)]);
    assert_eq!(hash.len(), 64);
    // The same once more is the same intake, though nothing is built or tried again.
    let said = grade(&home, &format!("{options} --accept-intake"));
    assert_eq!((said.code, noted(&home).len()), (Some(0), 1), "{}", said.all());
    assert!(!said.err().contains("another intake"), "{}", said.all());
    // A submission that nobody has seen in the table is not accepted.
    let names =
        ["doejane_11_100_bot.zip", "roeric_13_102_bot.zip", "solmia_14_103_bot.zip", "new_99_104_bot.zip"];
    let bots: Vec<Vec<u8>> = names.iter().map(|name| bot(name)).collect();
    let entries: Vec<(&[u8], &[u8])> =
        names.iter().zip(&bots).map(|(name, bot)| (name.as_bytes(), bot.as_slice())).collect();
    home.put("sub.zip", zip(UNIX, &entries));
    let said = grade(&home, &format!("{options} --accept-intake"));
    let words = "--accept-intake: new_99_104_bot.zip is not in the intake.csv that was there";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    // The organiser may say what nothing is worth.
    home.put("tournament.toml", home.read("tournament.toml") + "nothing-handed-in = 0\n");
    home.put("grades/intake.csv", "submission,id,content,use\ndoejane_11_100_bot.zip,1,,none\n,1,,none\n");
    home.put("roster.csv", home.read("roster.csv") + "6,New,new@x,new_99_104_bot.zip\n");
    let said = grade(&home, &format!("{options} --regrade"));
    assert!([Some(0), Some(1)].contains(&said.code), "{}", said.all());
    let words = format!("results: the games there were played with another intake, {}", &hash[..12]);
    assert!(said.err().contains(&words), "{}", said.all());
    assert_eq!(noted(&home).last().unwrap().1, 0, "no question was open");
    assert_eq!((row(&home, "5")[5].as_str(), row(&home, "5")[8].as_str()), ("0", "nothing handed in"));
    assert_eq!(row(&home, "4")[5], "");
}

#[test]
fn of_two_lines_of_a_student_the_time_decides_and_without_one_the_teacher() {
    let home = class(
        "id,name,mail,submission,submitted\n1,A,a,in/old,2026-01-03\n1,A,a,in/new,2026-01-05\n2,B,b,in/two,2026-01-02\n",
    );
    home.submission("in/new", "agon-greedy", "");
    home.submission("in/old", "agon-random", "");
    let due = "due = \"2026-01-04T23:59\"\nlate-per-day = 1\n";
    home.put("tournament.toml", CUP.to_owned() + due);
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    // The later one counts, although its file is the older one, and its lateness too.
    assert!(row(&home, "1")[7].contains("handed in 1 day late"), "{:?}", row(&home, "1"));
    assert_eq!(
        (taken(&home, "in/old", "counts"), taken(&home, "in/new", "counts")),
        ("no".into(), "yes".into())
    );
    assert_eq!(taken(&home, "in/new", "time from"), "column submitted");
    // Without times it is a question.
    let without = "id,name,mail,submission,use\n1,A,a,in/old,\n1,A,a,in/new,\n2,B,b,in/two,\n";
    home.put("roster.csv", without);
    home.put("tournament.toml", CUP);
    let said = grade(&home, "--regrade");
    let words = "1. in/old, in/new: of A (1): it is not known which counts: no time says which is newer\n     answer: \
                 grades/intake.csv: line 2 or 3, column use: write yes on the one that counts";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    home.put("roster.csv", without.replace("in/old,", "in/old,yes"));
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(taken(&home, "in/old", "counts"), "yes");
    // The same program twice is no question, and a time in a name is one.
    home.put("roster.csv", "id,name,mail,submission\n1,A,a,in/old\n1,A,a,in/old\n2,B,b,in/two\n");
    assert_eq!(grade(&home, "--regrade").code, Some(0));
    for name in ["bot-2026-01-05T1200.zip", "bot-2026-01-06T0900.zip"] {
        home.put(format!("in/{name}"), bot(name));
    }
    home.put(
        "roster.csv",
        "id,name,mail,submission\n1,A,a,in/bot-2026-01-06T0900.zip\n1,A,a,in/bot-2026-01-05T1200.zip\n2,B,b,in/two\n",
    );
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(taken(&home, "06T0900", "counts"), "yes");
}

#[test]
fn a_mark_as_late_without_a_time_is_a_question_where_a_day_costs_something() {
    let names = ["doejane_LATE_11_100_bot.zip", "roeric_12_101_bot.zip", "solmia_13_102_bot.zip"];
    let home = canvas(ROSTER, &names);
    home.put("tournament.toml", CUP.to_owned() + "due = \"2026-01-04T23:59\"\nlate-per-day = 1\n");
    let said = grade(&home, "--submissions sub.zip");
    let words =
        "1. doejane_LATE_11_100_bot.zip: Doe, Jane (1): it is marked as late, and no time says by how much";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    assert!(!said.err().contains("no time is known"), "who is not marked is in time: {}", said.all());
    answer(&home, |row| (&row[0] == names[0]).then_some("2026-01-06T10:00"));
    let said = grade(&home, "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(row(&home, "1")[7].ends_with("; handed in 2 days late: less 2"), "{:?}", row(&home, "1"));
    assert_eq!(taken(&home, "LATE", "late"), "2 days late");
    // A student may have a date of his own.
    home.put(
        "roster.csv",
        ROSTER.replace("mail\n", "mail,due\n").replace("jane@x\n", "jane@x,2026-01-05T23:59\n"),
    );
    home.put(
        "roster.csv",
        home.read("roster.csv").replace("ric@x\n", "ric@x,\n").replace("mia@x\n", "mia@x,\n"),
    );
    let said = grade(&home, "--submissions sub.zip --regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(row(&home, "1")[7].ends_with("; handed in 1 day late: less 1"), "{:?}", row(&home, "1"));
}

/// Three students, one without a time, one with a date alone on the day of the deadline.
#[test]
fn a_time_that_is_not_known_is_a_question_where_it_costs_points_and_a_remark_elsewhere() {
    let roster = "id,name,mail,submission,submitted\n1,A,a,in/one,2026-01-04T17:00\n2,B,b,in/two,\n3,C,c,in/three,2026-01-04\n";
    let home = class(roster);
    let costs = "due = \"2026-01-04T18:00\"\nlate-per-day = 1\n";
    home.put("tournament.toml", CUP.to_owned() + costs);
    let said = grade(&home, "");
    let vague = "1. in/three: C (3): 2026-01-04 is the day on which it was due, and no time says how late it was\n     \
                 answer: grades/intake.csv: line 4, column use: write the time like 2026-11-20T23:59, or in time; or \
                 roster.csv: line 4, column submitted";
    let missing = "2. no time is known for in/two of B (2), and a late submission loses points\n     answer: roster.csv: \
                   line 3, column submitted: write times like 2026-11-20T23:59; or grades/intake.csv: line 3, column use: \
                   times, or in time; or --untimed in-time for all of them";
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains(vague) && said.err().contains(missing), "{}", said.all());
    assert!(!home.path("results").exists());
    // One answer for all without a time says nothing of a date that is there.
    let said = grade(&home, "--untimed in-time");
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("1 question is open") && said.err().contains(vague), "{}", said.all());
    assert_eq!(
        answer(&home, |row| match &row[0] {
            "in/two" => Some("2026-01-05T19:00"),
            "in/three" => Some("in time"),
            _ => None,
        }),
        2
    );
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(row(&home, "2")[7].ends_with("; handed in 2 days late: less 2"), "{:?}", row(&home, "2"));
    assert!(!row(&home, "3")[7].contains("handed in"), "{:?}", row(&home, "3"));
    assert_eq!(
        [taken(&home, "in/three", "late"), taken(&home, "in/three", "time from")],
        ["in time", "column use"]
    );
    // The roster takes the same word. A vague time costs nothing where no day does.
    home.put("grades/intake.csv", "submission,id,use\n");
    let answered = roster.replace("submitted\n", "submitted,use\n").replace("17:00\n", "17:00,\n");
    home.put("roster.csv", answered.replace("in/two,\n", "in/two,,in time\n").replace("01-04\n", "01-05,\n"));
    let said = grade(&home, "--regrade");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(row(&home, "3")[7].ends_with("; handed in 1 day late: less 1"), "{:?}", row(&home, "3"));
    home.put("roster.csv", roster);
    for (more, code) in [("", 0), ("late-until = \"2026-01-09\"\n", 2)] {
        home.put("tournament.toml", CUP.to_owned() + "due = \"2026-01-04T18:00\"\n" + more);
        let said = grade(&home, "--regrade");
        assert_eq!(said.code, Some(code), "{more}: {}", said.all());
        let words = "no time is known for the submissions of 2: they count as in time";
        assert_eq!(said.err().contains(words), code == 0, "{more}: {}", said.all());
    }
}

/// What the author writes himself proves nothing about a time.
#[test]
fn the_name_that_a_student_gives_a_file_is_no_time() {
    let names = [
        "Jane Doe_11_assignsubmission_file_bot-2026-01-01T1000.zip",
        "Ric Roe_12_assignsubmission_file_bot.zip",
    ];
    let home = canvas("id,name,mail\n1,\"Doe, Jane\",jane@x\n2,\"Roe, Ric\",ric@x\n", &names);
    home.put("tournament.toml", CUP.to_owned() + "due = \"2026-01-04T23:59\"\nlate-per-day = 1\n");
    let said = grade(&home, "--submissions sub.zip");
    let words = "1. no time is known for 2 submissions: of Doe, Jane (1), Roe, Ric (2), and a late submission loses points";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    let said = grade(&home, "--submissions sub.zip --untimed in-time");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(taken(&home, "Jane", "time from"), "the option --untimed");
    // Of two, a date alone on the day of the other does not say which is newer.
    let home = class(
        "id,name,mail,submission,submitted\n1,A,a,in/old,2026-01-05T09:00\n1,A,a,in/new,2026-01-05\n2,B,b,in/two,\n",
    );
    home.submission("in/new", "agon-greedy", "");
    home.submission("in/old", "agon-random", "");
    let said = grade(&home, "");
    let words = "of A (1): it is not known which counts: their times do not say which is newer";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}

/// On the night of 25 October 2026 clocks in Berlin go from 3:00 back to 2:00.
#[test]
fn a_day_costs_a_day_where_clocks_go_back() {
    let home = class("");
    let grade = |due: &str, submitted: &str| {
        home.put("tournament.toml", format!("{CUP}due = \"{due}\"\nlate-per-day = 1\n"));
        let roster = "id,name,mail,submission,submitted\n2,B,b,in/two,2026-10-01\n";
        home.put("roster.csv", format!("{roster}1,A,a,in/one,{submitted}\n"));
        home.shell(
            "TZ=Europe/Berlin agon grade tournament.toml --roster roster.csv --isolation limits --no-check \
             --max-plies 2 --regrade",
        )
    };
    for (due, submitted, late) in [
        ("2026-10-24T23:59", "2026-10-25", "; handed in 1 day late: less 1"),
        ("2026-10-25T02:30", "2026-10-26", "; handed in 1 day late: less 1"),
        ("2026-10-25T23:59", "2026-10-26", "; handed in 1 day late: less 1"),
        ("2026-10-24T23:59", "2026-10-25T23:30", "; handed in 1 day late: less 1"),
        ("2026-03-28T23:59", "2026-03-29", "; handed in 1 day late: less 1"),
        // The hour is there twice: the first is in time, and of a deadline the second counts.
        ("2026-10-25T02:30", "2026-10-25T02:15", ""),
        ("2026-10-25T23:59", "2026-10-25T02:30", ""),
    ] {
        let said = grade(due, submitted);
        assert_eq!(said.code, Some(0), "{due} {submitted}: {}", said.all());
        let why = row(&home, "1")[7].clone();
        assert!(
            why.ends_with(late) && late.is_empty() != why.contains("handed in"),
            "{due} {submitted}: {why}"
        );
    }
    let said = grade("2026-10-25T02:30+02:00", "2026-10-25T02:40");
    assert_eq!(said.code, Some(0), "late in either hour: {}", said.all());
    let said = grade("2026-10-25T02:45+02:00", "2026-10-25T02:40");
    let words = "clocks show 2026-10-25T02:40:00+02:00 twice that night, and it matters which is meant";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    let said = grade("2026-10-25T02:30", "2026-10-25");
    assert!(said.code == Some(2) && said.err().contains("is the day on which it was due"), "{}", said.all());
    let said = grade("2026-03-29T02:30", "2026-03-29");
    assert!(said.code == Some(2) && said.err().contains("clocks skip this time here"), "{}", said.all());
    let said = grade("2026-03-29T23:59", "2026-03-29T02:30");
    let words = "roster.csv: line 3: column submitted: \"2026-03-29T02:30\": clocks skip this time here";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}

#[test]
fn several_files_of_one_submission_are_all_in_the_table_and_a_doubt_is_asked() {
    let home = class(ROSTER);
    let toml: &[u8] = b"command = [\"./run\"]\n";
    let script = |mark: &str| {
        format!("#!/bin/sh\n# {mark}\nexec {} \"$@\"\n", programs().join("agon-greedy").display())
    };
    let (old, new, whole) = (script("old"), script("new"), bot("whole"));
    home.put(
        "sub.zip",
        zip(
            UNIX,
            &[
                (b"doejane_11_10000003_run-1", new.as_bytes()),
                (b"doejane_11_9999998_run", old.as_bytes()),
                (b"doejane_11_9999999_engine.toml", toml),
                (b"roeric_12_201_main.py", b"print()"),
                (b"roeric_12_202_project.zip", &whole),
                (b"solmia_13_301_bot.zip", &whole),
            ],
        ),
    );
    let said = grade(&home, "--submissions sub.zip");
    let words = "1. roeric_12_201_main.py: it is not known which of its files counts: roeric_12_202_project.zip, \
                 roeric_12_201_main.py\n";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    answer(&home, |row| (&row[1] == "2").then_some("project.zip"));
    let said = grade(&home, "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_ne!(row(&home, "2")[6], "does not work", "{:?}", row(&home, "2"));
    let folder = home.path(format!("results-engines/{}", row(&home, "1")[3]));
    let version = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    assert!(fs::read_to_string(version.unwrap().join("run")).unwrap().contains("# new"));
    let files = "doejane_11_10000003_run-1; doejane_11_9999998_run; doejane_11_9999999_engine.toml";
    assert_eq!(taken(&home, "run-1", "files"), files);
}

#[test]
fn a_readme_that_came_later_and_an_archive_within_another_are_questions() {
    let home = class(ROSTER);
    let main = bot("whole");
    home.put("sub/12-1 - Jane Doe - Sep 3, 2026 1159 PM/a.zip", &main);
    home.put("sub/12-2 - Jane Doe - Sep 4, 2026 1159 PM/readme.txt", "how to use a.zip");
    home.put(
        "sub/12-3 - Ric Roe - Sep 3, 2026 1159 PM/hand-in.zip",
        zip(UNIX, &[(b"mine/main.py", b"print()"), (b"mine/project.zip", &main)]),
    );
    home.put("sub/12-4 - Mia Sol - Sep 3, 2026 1159 PM/bot.zip", &main);
    let said = grade(&home, "--submissions sub");
    let all = said.err();
    assert!(said.code == Some(2) && all.contains("2 questions are open"), "{}", said.all());
    assert!(all.contains("it is not known which counts: the newest has nothing that plays"), "{all}");
    assert!(all.contains("it is not known which of its files counts: project.zip, main.py"), "{all}");
    answer(&home, |row| match &row[0] {
        name if name.contains("12-1 ") => Some("yes"),
        name if name.contains("12-3 ") => Some("project.zip"),
        _ => None,
    });
    let said = grade(&home, "--submissions sub");
    assert_eq!(said.code, Some(0), "{}", said.all());
    for id in ["1", "2", "3"] {
        assert_ne!(row(&home, id)[6], "does not work", "{:?}", row(&home, id));
    }
}

#[test]
fn grades_know_their_assignment_and_another_one_changes_nothing() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n");
    assert_eq!(grade(&home, "--item Cup").code, Some(0));
    let before = home.read("grades/grades.csv");
    for options in
        ["--item Second --out second", "--item Second --regrade", "--item Cup --out second --regrade"]
    {
        let said = grade(&home, options);
        let words = "grades: has the grades of an assignment whose ";
        assert!(said.code == Some(2) && said.err().contains(words), "{options}: {}", said.all());
        assert_eq!(home.read("grades/grades.csv"), before);
        assert!(!home.path("second").exists());
    }
    // The command of the hint works when it is copied, and it leads to the same folder again.
    for _ in 0..2 {
        let said = grade(&home, "--item Second");
        let command = said
            .err()
            .split("a folder of its own: ")
            .nth(1)
            .map(|rest| rest.lines().next().unwrap().to_owned());
        let command = command.unwrap_or_else(|| panic!("{}", said.all()));
        assert!(command.ends_with("--item Second --to grades-2 --out results-2"), "{command}");
        let said = home.shell(&command);
        assert_eq!(said.code, Some(0), "{command}: {}", said.all());
        assert!(home.path("grades-2/grades.csv").exists() && home.path("results-2").exists());
    }
    assert_eq!(home.read("grades/grades.csv"), before);
    // Another date is asked for, because it may be another assignment.
    home.put("tournament.toml", CUP.to_owned() + "due = \"2026-01-04T23:59\"\n");
    let said = grade(&home, "--item Cup");
    assert!(
        said.code == Some(2) && said.err().contains("whose due was none and is 2026-01-"),
        "{}",
        said.all()
    );
    assert_eq!(grade(&home, "--item Cup --regrade").code, Some(0));
}

#[test]
fn grades_by_baselines_need_a_stage_in_which_everybody_meets_them() {
    let home = class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/three\n");
    home.engine("reference/random", "agon-random");
    let file = |stages: &str| {
        let options = CUP.split("[grades]").next().unwrap();
        let grades = "[grades]\nby = \"baselines\"\nmax = 10\nbaselines = \"reference\"\nsteps = [{ at = \"random\", grade = 8 }]\n";
        home.put("tournament.toml", format!("{options}{grades}{stages}"));
    };
    for stages in [
        "[[stages]]\ngroups = 2\n",
        "[[stages]]\nformat = \"swiss\"\nrounds = 2\n",
        "[[stages]]\nformat = \"knockout\"\n",
        "[[stages]]\nformat = \"gauntlet\"\n",
        "[[stages]]\ngroups = 2\nadvance = 1\n[[stages]]\n",
    ] {
        file(stages);
        let said = grade(&home, "");
        let words = "key grades.by: not everybody meets every baseline in the first stage";
        assert!(said.code == Some(2) && said.err().contains(words), "{stages}: {}", said.all());
        assert!(!home.path("results").exists() && !home.path("grades/grades.csv").exists());
    }
    file("");
    let said = grade(&home, "");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        row(&home, "1")[9].starts_with("met 2 of 2 opponents and 1 of 1 baselines; 0 games under"),
        "{:?}",
        row(&home, "1")
    );
}

/// Who wins the group and loses the final has won all that counts.
#[test]
fn reaching_a_final_costs_no_points_unless_the_file_says_so() {
    // The aliases decide who is in which group.
    let home =
        known_class("id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/dead\n4,D,d,in/dead\n");
    let stages =
        "\n[[stages]]\ngroups = 2\nadvance = 1\nplay-offs = 0\n[[stages]]\nname = \"final\"\nplay-offs = 0\n";
    let steps = "steps = [\n  { at = 0, grade = 4 },\n  { at = 100, grade = 10 },\n]\n";
    let options = CUP.split("[grades]").next().unwrap();
    let grades = |more: &str| format!("{options}[grades]\nby = \"points\"\nmax = 10\n{more}{steps}{stages}");
    let shares = |home: &Home| ["1", "2", "3", "4"].map(|id| row(home, id)[7].clone());
    home.put("tournament.toml", grades(""));
    let words = "grade tournament.toml --roster roster.csv --isolation limits --no-check";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let of_groups = shares(&home);
    home.put("tournament.toml", grades("points-of = \"all\"\n"));
    let said = home.agon(format!("{words} --regrade").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let of_all = shares(&home);
    // Two equals meet in the group or in the final; the one in the final has lost nothing by it.
    assert_ne!(of_groups, of_all);
    let share =
        |text: &String| text.split(' ').next().and_then(|share| share.parse::<f64>().ok()).unwrap_or(0.0);
    for (groups, all) in of_groups.iter().zip(&of_all) {
        assert!(share(groups) >= share(all) || share(all) < 100.0, "{of_groups:?} {of_all:?}");
    }
    home.put("tournament.toml", grades("points-of = \"final\"\n"));
    let said = home.agon(words.split(' '));
    let words = "key grades.points-of: there is no \"final\"; there are groups and all";
    assert!(said.code == Some(2) && said.err().contains("points-of"), "{words}: {}", said.all());
}

#[test]
fn nobody_is_graded_in_a_game_that_nobody_named_and_nobody_plays() {
    let home =
        class("id,name,mail,submission\n1,Xenia Quist,x@example.org,in/a\n2,Bo Abel,b@example.org,in/b\n");
    // One crashes, and one says nothing.
    home.put("in/a/main.py", "import sys; int(sys.argv[9])\n");
    home.put("in/b/main.py", "import sys; sys.stdin.read()\n");
    let named = home.read("tournament.toml");
    let unnamed = named.replace("game = \"letters:3x3x2\"\n", "");
    assert_ne!(named, unnamed);
    home.put("tournament.toml", &unnamed);
    for command in ["intake", "grade"] {
        let said = home.agon([command, "tournament.toml", "--roster", "roster.csv", "--st", "0.5"]);
        assert_eq!(said.code, Some(2), "{}", said.all());
        let why = "tournament.toml: no game is named, so it is letters:6x6x3, and none of the 2 programs that was tried \
                   plays it as it should";
        assert!(
            said.err().contains(why) && said.err().contains("game = \"letters:6x6x3\""),
            "{}",
            said.all()
        );
        assert!(!home.path("grades/grades.csv").exists());
    }
    // A game that is named is meant.
    home.put("tournament.toml", &named);
    let said = home.agon("grade tournament.toml --roster roster.csv --st 0.5".split(' '));
    assert!(!said.err().contains("no game is named"), "{}", said.all());
}
