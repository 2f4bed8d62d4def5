//! A roster that contradicts what else is known: used again for another assignment, or beside a
//! download with times and groups of its own.

use super::grading::{CUP, class};
use super::intake::{answer, row};
use super::questions::{ROSTER, agon, canvas};

/// A roster that is used again for another assignment says of its submissions what it said of
/// others.
#[test]
fn what_the_roster_said_of_times_for_other_files_is_a_question() {
    let roster = "id,name,mail,submission,submitted\n1,A,a,in/one,2026-01-01\n2,B,b,in/two,2026-01-01\n3,C,c,in/three,2026-01-03\n";
    let home = class(roster);
    let due = |due: &str| format!("{CUP}due = \"{due}\"\nlate-per-day = 1\n");
    home.put("tournament.toml", due("2026-01-02T23:59"));
    let said = agon(&home, "grade", "--item One");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let kept = home.read("grades/grades.csv");
    // The same files are no doubt, wherever they are graded and however they are packed.
    let second = "--item Two --to grades-2 --out results-2";
    assert_eq!(home.shell("mkdir in/packed && cp -r in/one in/packed/one").code, Some(0));
    home.put("roster.csv", roster.replace("in/one", "in/packed"));
    assert_eq!(agon(&home, "grade", second).code, Some(0));
    home.put("roster.csv", roster);
    // Other files with the same times are one, for those of whom it is so.
    home.put("tournament.toml", due("2026-03-02T23:59"));
    let third = "--item Three --to grades-3 --out results-3";
    for name in ["in/one", "in/three"] {
        home.submission(name, "agon-greedy", "# another one\n");
    }
    home.put("roster.csv", roster.replace("2026-01-03", "2026-03-03"));
    let said = agon(&home, "grade", third);
    let words = "1. roster.csv says when A (1) handed in as it did for One in grades, where other files counted; a late \
                 submission loses points\n     answer: roster.csv: line 2, columns submitted and use: write when these were \
                 handed in, or empty the cells; or grades-3/intake.csv: line 2, column use: write the times like \
                 2026-11-20T23:59, or in time";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    assert!(!home.path("results-3").exists() && home.read("grades/grades.csv") == kept);
    // So is the same assignment with other files.
    let said = agon(&home, "grade", "--item One --regrade");
    assert!(said.code == Some(2) && said.err().contains("as it did for One in grades"), "{}", said.all());
    let text = home.read("grades-3/intake.csv");
    let first = text.lines().find(|line| line.starts_with("in/one,")).unwrap();
    home.put("grades-3/intake.csv", text.replace(first, &format!("{first}2026-03-04T10:00")));
    let said = agon(&home, "grade", third);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let table = home.read("grades-3/grades.csv");
    let line = |id: &str| table.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(line("1,").contains("handed in 2 days late") && line("3,").contains("1 day late"), "{table}");
    // A date of a student's own that is before that of all others may be of another assignment too.
    home.put(
        "roster.csv",
        "id,name,mail,submission,submitted,due\n1,A,a,in/one,2026-03-01,\n2,B,b,in/two,2026-03-01,2026-01-04\n3,C,c,in/three,\
         2026-03-03,\n",
    );
    let said = agon(&home, "grade", &format!("{third} --regrade"));
    let words = "column due of roster.csv has a date for B (2) that is before due of [grades]";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
}

#[test]
fn a_time_of_the_roster_that_the_download_contradicts_is_a_question() {
    let names = [
        "11-7 - Jane Doe - Jan 6, 2026 905 AM - bot.zip",
        "12-7 - Ric Roe - Jan 3, 2026 905 AM - bot.zip",
        "13-7 - Mia Sol - Jan 3, 2026 905 AM - bot.zip",
    ];
    let home = canvas(ROSTER, &names);
    let timed = |one: &str, other: &str| {
        let head = ROSTER.replace("mail\n", "mail,submitted\n");
        head.replace("jane@x\n", &format!("jane@x,{one}\n"))
            .replace("ric@x\n", &format!("ric@x,{other}\n"))
            .replace("mia@x\n", "mia@x,\n")
    };
    home.put("tournament.toml", CUP.to_owned() + "due = \"2026-01-04T23:59\"\nlate-per-day = 1\n");
    home.put("roster.csv", timed("2026-01-03", "2026-01-02"));
    let said = agon(&home, "grade", "--submissions sub.zip");
    let words = "1 question is open; no game was played, and no grade has changed\n  1. 11-7 - Jane Doe - Jan 6, 2026 905 AM - \
                 bot.zip: Doe, Jane (1): roster.csv: line 2, column submitted says 2026-01-03, but the name says 2026-01-06T";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    answer(&home, |row| row[0].starts_with("11-7").then_some("2026-01-05T10:00"));
    let said = agon(&home, "grade", "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(row(&home, "1")[7].ends_with("; handed in 1 day late: less 1"), "{:?}", row(&home, "1"));
    assert!(!row(&home, "2")[7].contains("handed in"), "{:?}", row(&home, "2"));
    // A mark as late says no time, and the roster answers it.
    let names = ["doejane_LATE_11_100_bot.zip", "roeric_12_101_bot.zip", "solmia_13_102_bot.zip"];
    let home = canvas(ROSTER, &names);
    home.put("tournament.toml", CUP.to_owned() + "due = \"2026-01-04T23:59\"\nlate-per-day = 1\n");
    home.put("roster.csv", timed("2026-01-03", "2026-01-02"));
    assert_eq!(agon(&home, "grade", "--submissions sub.zip").code, Some(0));
}

#[test]
fn a_group_in_a_name_that_contradicts_the_one_of_the_roster_is_a_question() {
    let names = [
        "Team A-Jane Doe_11_assignsubmission_file_bot.zip",
        "Team A-Ric Roe_12_assignsubmission_file_bot.zip",
        "Team B-Mia Sol_13_assignsubmission_file_bot.zip",
    ];
    let home = canvas(ROSTER, &names);
    let with = |groups: [&str; 3]| {
        let lines = ROSTER.lines().zip(["group"].into_iter().chain(groups));
        home.put("roster.csv", lines.map(|(line, group)| format!("{line},{group}\n")).collect::<String>());
    };
    with(["A", "Team B", "Team B"]);
    let said = agon(&home, "grade", "--submissions sub.zip");
    let words = "1 question is open; no game was played, and no grade has changed\n  1. Team A-Ric \
                 Roe_12_assignsubmission_file_bot.zip: is of 2 and of the group Team A by its name, but in the roster 2 is of \
                 the group Team B; in question: Roe, Ric (2)\n     answer: grades/intake.csv: line 3, column use: write 2, or \
                 none to leave it out";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    answer(&home, |row| row[0].starts_with("Team A-Ric").then_some("2"));
    assert_eq!(agon(&home, "intake", "--submissions sub.zip").code, Some(0));
    // Groups of another kind contradict nobody, and that is said; without groups there is nothing
    // to say.
    for (groups, is_said) in [(["Monday", "Monday", "Friday"], true), ([""; 3], false)] {
        home.put("grades/intake.csv", "submission,id,use\n");
        with(groups);
        let said = agon(&home, "intake", "--submissions sub.zip");
        assert_eq!(said.code, Some(0), "{}", said.all());
        let words = "roster.csv: column group has none of the groups in the names of the submissions";
        assert_eq!(said.err().contains(words), is_said, "{}", said.all());
    }
}
