//! What agon cannot know about a class it asks, before the first game; and what is answered, is
//! kept.

use std::fs;

use super::archives::{UNIX, zip};
use super::grading::{CUP, class, known_class};
use super::home::{Home, Said, programs};
use super::intake::{answer, row};

const ROSTER: &str = "id,name,mail\n1,\"Doe, Jane\",jane@x\n2,\"Roe, Ric\",ric@x\n3,\"Sol, Mia\",mia@x\n";

fn agon(home: &Home, command: &str, options: &str) -> Said {
    let words = "tournament.toml --roster roster.csv --isolation limits --no-check --max-plies 2";
    home.agon(format!("{command} {words} {options}").split_ascii_whitespace())
}

fn grade(home: &Home, options: &str) -> Said {
    agon(home, "grade", options)
}

fn bot(mark: &str) -> Vec<u8> {
    let script = format!("#!/bin/sh\n# {mark}\nexec {} \"$@\"\n", programs().join("agon-greedy").display());
    zip(UNIX, &[(b"engine.toml", b"command = [\"./run\"]\n"), (b"run", script.as_bytes())])
}

/// A class with a Canvas download of these names, and answers to nothing.
fn canvas(roster: &str, names: &[&str]) -> Home {
    let home = class(roster);
    let bots: Vec<Vec<u8>> = names.iter().map(|name| bot(name)).collect();
    let entries: Vec<(&[u8], &[u8])> =
        names.iter().zip(&bots).map(|(name, bot)| (name.as_bytes(), bot.as_slice())).collect();
    home.put("sub.zip", zip(UNIX, &entries));
    home
}

/// A cell of `intake.csv`, in the row that has this text.
fn taken(home: &Home, holding: &str, column: &str) -> String {
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
    assert_eq!(kept["accepted_intake"].as_str().unwrap().len(), 64, "{kept}");
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
    home.put("grades/intake.csv", "submission,id,use\n,1,none\n");
    home.put("roster.csv", home.read("roster.csv") + "6,New,new@x,new_99_104_bot.zip\n");
    let said = grade(&home, &format!("{options} --regrade"));
    assert!([Some(0), Some(1)].contains(&said.code), "{}", said.all());
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
        assert!(said.err().contains("a folder of its own: --to grades-2"), "{options}: {}", said.all());
        assert_eq!(home.read("grades/grades.csv"), before);
        assert!(!home.path("second").exists());
    }
    assert_eq!(grade(&home, "--item Second --out second --to grades-2").code, Some(0));
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
fn what_the_inbox_has_accepted_is_graded() {
    let home = super::inbox::class("sandbox");
    home.put("in/11.zip", super::inbox::engine("one"));
    home.put("in/12.zip", super::inbox::engine("two"));
    home.put("in/13.zip", super::inbox::broken());
    let said = home.agon("inbox in --once --settle 0".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = "[grades]\nby = \"points\"\nmax = 10\nsteps = [{ at = 0, grade = 4 }]\n";
    home.put("tournament.toml", home.read("tournament.toml") + grades);
    let words = "grade tournament.toml --roster roster.csv --out graded";
    let said = home.agon(format!("{words} --from-inbox in").split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("4 questions are open") && said.err().contains("Dee (14) has no submission"));
    let said = home.agon(format!("{words} --from-inbox in --missing none").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(said.err().contains("in: 3 submissions by the inbox; 3 belong to students"), "{}", said.all());
    assert_eq!((row(&home, "11")[5].as_str(), row(&home, "12")[5].as_str()), ("4", "4"));
    assert_eq!(row(&home, "13")[6], "does not work");
    assert_eq!(row(&home, "14")[8], "nothing handed in");
    assert_eq!(taken(&home, "11.zip", "time from"), "the inbox");
    let said = home.agon(format!("{words} --from-inbox pool").split(' '));
    let words = "--from-inbox pool: no agon inbox has worked in it";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}
