//! An answer about a class holds for what it was written about, and none is lost without a word.

use super::archives::{UNIX, zip};
use super::home::{Home, Said};
use super::intake::{answer, row};
use super::questions::{ROSTER, agon, bot, canvas, taken};

fn intake(home: &Home) -> Said {
    agon(home, "intake", "--submissions sub.zip")
}

/// Replaces the download.
fn hand_in(home: &Home, all: &[(&str, &str)]) {
    let bots: Vec<Vec<u8>> = all.iter().map(|(_, mark)| bot(mark)).collect();
    let entries: Vec<(&[u8], &[u8])> =
        all.iter().zip(&bots).map(|((name, _), bot)| (name.as_bytes(), bot.as_slice())).collect();
    home.put("sub.zip", zip(UNIX, &entries));
}

/// The exit code is 2, these words are there, and the table is as it was.
fn refuses(home: &Home, words: &str) {
    let before = home.read("grades/intake.csv");
    for command in ["intake", "grade --missing none", "grade --missing none --accept-intake"] {
        let said = agon(home, command, "--submissions sub.zip");
        assert!(said.code == Some(2) && said.err().contains(words), "{command}: {words}\n{}", said.all());
        assert_eq!(home.read("grades/intake.csv"), before);
        assert!(!home.path("results").exists() && !home.path("grades/grades.csv").exists());
    }
}

/// The exit code is 2, also without any change, and these words are there.
fn asks(home: &Home, words: &str) {
    for _ in 0..2 {
        let said = intake(home);
        assert!(said.code == Some(2) && said.err().contains(words), "{words}\n{}", said.all());
    }
}

fn is_clear(home: &Home) {
    for _ in 0..2 {
        let said = intake(home);
        assert_eq!(said.code, Some(0), "{}\n{}", said.all(), home.read("grades/intake.csv"));
    }
}

#[test]
fn an_answer_that_fits_nothing_is_an_error() {
    let home = canvas(ROSTER, &["doejane_11_1_bot.zip", "roeric_12_2_bot.zip", "solmia_13_3_bot.zip"]);
    is_clear(&home);
    let table = home.read("grades/intake.csv");
    // As a spreadsheet writes what its code page lacks.
    answer(&home, |row| (&row[1] == "2").then_some("yes"));
    home.put("grades/intake.csv", home.read("grades/intake.csv").replace("roeric_12", "r?eric_12"));
    refuses(
        &home,
        "grades/intake.csv: line 3: no submission is called \"r?eric_12_2_bot.zip\" now, so the answer \"yes\" in column \
         use would be lost",
    );
    // Without an answer nothing is lost.
    home.put("grades/intake.csv", table.replace("roeric_12", "r?eric_12"));
    is_clear(&home);
    home.put("grades/intake.csv", format!("{}{}", table, ",77,Nil,,,,,,,,,,,excused\n"));
    refuses(
        &home,
        "grades/intake.csv: line 5: column id: \"77\" is not in the roster, so the answer \"excused\"",
    );
}

#[test]
fn an_id_that_has_lost_its_zeros_is_asked_for() {
    let roster = "id,name,mail\n0012,\"Doe, Jane\",j@x\n12,\"Roe, Ric\",r@x\n013,\"Sol, Mia\",m@x\n7,\"Ash, Bo\",b@x\n";
    let home = canvas(roster, &["roeric_12_2_bot.zip", "ashbo_14_4_bot.zip"]);
    assert_eq!(intake(&home).code, Some(2));
    let table = home.read("grades/intake.csv");
    let answered = |id: &'static str, word: &'static str| {
        home.put("grades/intake.csv", &table);
        assert_eq!(answer(&home, |row| (&row[1] == id).then_some(word)), 1);
        let text = home.read("grades/intake.csv");
        home.put("grades/intake.csv", text.replace(",0012,", ",12,").replace(",013,", ",13,"));
    };
    answered("0012", "none");
    refuses(&home, "line 4: column id: \"12\" may be 0012 or 12: a spreadsheet cuts off zeros");
    answered("013", "excused");
    refuses(&home, "line 5: column id: \"13\" may be 013: a spreadsheet cuts off zeros");
    answered("7", "13");
    refuses(&home, "line 2: column use: \"13\" may be the id 013: a spreadsheet cuts off zeros");
    // The name tells who has the id that was not cut off.
    home.put("grades/intake.csv", &table);
    answer(&home, |row| row[0].is_empty().then_some("excused"));
    is_clear(&home);
    assert_eq!(taken(&home, "0012", "use"), "excused");
}

#[test]
fn an_answer_is_asked_again_when_something_else_was_handed_in() {
    let [jane, ric, mia] = [
        "Jane Doe_11_assignsubmission_file_bot.zip",
        "Ric Roe_12_assignsubmission_file_bot.zip",
        "Mia Sol_13_assignsubmission_file_bot.zip",
    ];
    let home = canvas(ROSTER, &[]);
    hand_in(&home, &[(jane, "old"), (ric, "old")]);
    assert_eq!(intake(&home).code, Some(2));
    answer(&home, |row| match &row[1] {
        "1" => Some("in time"),
        "3" => Some("none"),
        _ => None,
    });
    is_clear(&home);
    // Mia comes after all: nobody drops her program.
    hand_in(&home, &[(jane, "old"), (mia, "first"), (ric, "old")]);
    let words =
        format!("Sol, Mia (3): column use of grades/intake.csv: line 5 says none, but there is {mia}");
    asks(&home, &words);
    assert_eq!(agon(&home, "grade", "--submissions sub.zip --missing none").code, Some(2));
    answer(&home, |row| (row[0].is_empty() && &row[1] == "3").then_some(""));
    is_clear(&home);
    assert_eq!(taken(&home, "Mia Sol_13", "counts"), "yes");
    // Another program in the same place.
    hand_in(&home, &[(jane, "new"), (mia, "first"), (ric, "old")]);
    let words = format!(
        "1. {jane}: the answer \"in time\" in column use was written before something else was handed in; in \
         question: Doe, Jane (1)\n     answer: grades/intake.csv: line 2, column use: write in time again if that still \
         holds, or another answer, or empty the cell"
    );
    asks(&home, &words);
    assert_eq!(taken(&home, "Jane Doe_11", "use"), "? in time");
    answer(&home, |row| (&row[1] != "3" && row[0].starts_with("Jane")).then_some("in time"));
    is_clear(&home);
    assert_eq!(taken(&home, "Jane Doe_11", "counts"), "yes");
}

#[test]
fn what_was_chosen_is_asked_again_when_a_student_hands_in_once_more() {
    let home = canvas(ROSTER, &[]);
    let first = [("doejane_11_1_bot.zip", "a"), ("guest_14_4_bot.zip", "b"), ("solmia_13_3_bot.zip", "c")];
    hand_in(&home, &first);
    assert_eq!(intake(&home).code, Some(2));
    answer(&home, |row| match &row[0] {
        "guest_14_4_bot.zip" => Some("2"),
        _ => None,
    });
    is_clear(&home);
    let mut more = first.to_vec();
    more.push(("roeric_12_9_bot.zip", "d"));
    hand_in(&home, &more);
    let said = intake(&home);
    let words = "1. guest_14_4_bot.zip: the answer \"2\" in column use was written before roeric_12_9_bot.zip came; in \
                 question: Roe, Ric (2)";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    let words = "1. guest_14_4_bot.zip: the answer \"2\" in column use was written before something else was handed in";
    asks(&home, words);
    answer(&home, |row| (&row[0] == "guest_14_4_bot.zip").then_some("none"));
    is_clear(&home);
    assert_eq!(taken(&home, "roeric", "counts"), "yes");
}

#[test]
fn the_name_of_a_submission_on_the_line_of_a_student_is_kept() {
    let home = canvas(ROSTER, &["doejane_11_1_bot.zip", "guest_14_4_bot.zip", "solmia_13_3_bot.zip"]);
    assert_eq!(intake(&home).code, Some(2));
    answer(&home, |row| (row[0].is_empty() && &row[1] == "2").then_some("guest_14_4_bot.zip"));
    is_clear(&home);
    assert_eq!(taken(&home, "guest", "use"), "2");
    let said = agon(&home, "grade", "--submissions sub.zip");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_ne!(row(&home, "2")[5], "");
}

#[test]
fn answers_that_contradict_each_other_are_asked_for_with_both_lines() {
    let names = ["doejane_11_1_bot.zip", "guest_14_4_bot.zip", "roeric_12_2_bot.zip"];
    let using = |two: &str, three: &str| {
        let head = "id,name,mail,use\n1,\"Doe, Jane\",j@x,";
        format!("{head}\n2,\"Roe, Ric\",r@x,{two}\n3,\"Sol, Mia\",m@x,{three}\n")
    };
    let said_of_guest = |home: &Home, word: &'static str| {
        answer(home, |row| (&row[0] == "guest_14_4_bot.zip").then_some(word));
    };
    let home = canvas(&using("none", ""), &names);
    asks(&home, "Roe, Ric (2): column use of roster.csv: line 3 says none, but there is roeric_12_2_bot.zip");
    home.put("roster.csv", using("guest_14_4_bot.zip", ""));
    said_of_guest(&home, "3");
    refuses(
        &home,
        "grades/intake.csv: line 3: column use says \"3\" of guest_14_4_bot.zip, but roster.csv: line 3 says \"2\" of it",
    );
    said_of_guest(&home, "none");
    refuses(&home, "but roster.csv: line 3 says \"2\" of it");
    home.put("roster.csv", using("", "excused"));
    said_of_guest(&home, "2;3");
    answer(&home, |row| match &row[0] {
        "" if &row[1] == "3" => Some("none"),
        "guest_14_4_bot.zip" => Some("2;3"),
        _ => None,
    });
    refuses(&home, "column use says none, but roster.csv: line 4 says excused");
    home.put("roster.csv", using("", ""));
    asks(
        &home,
        "Sol, Mia (3): column use of grades/intake.csv: line 5 says none, but there is guest_14_4_bot.zip",
    );
    // Two that are said to count: none on one of them is the answer that is offered.
    answer(&home, |row| {
        Some(if row[0].starts_with("guest") || row[0].starts_with("roeric") { "2" } else { "" })
    });
    asks(&home, "line 3 or 4, column use: write none on each that does not count");
    said_of_guest(&home, "none");
    let said = agon(&home, "intake", "--submissions sub.zip --missing none");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(taken(&home, "roeric", "counts"), "yes");
    home.put("roster.csv", using("in time", "none"));
    answer(&home, |row| (&row[1] == "2").then_some("2 2026-11-29T10:00"));
    asks(&home, "roster.csv: line 3 says in time, but grades/intake.csv: line 4 says 2026-11-29T10:00");
}

#[test]
fn a_name_that_begins_with_a_blank_can_be_answered() {
    let home = canvas(ROSTER, &["doejane_11_1_bot.zip", "roeric_12_2_bot.zip", "solmia_13_3_bot.zip"]);
    let bots = ["1", "2", "x"].map(bot);
    let names = ["1.zip", "2.zip", " final.zip"];
    let entries: Vec<(&[u8], &[u8])> =
        names.iter().zip(&bots).map(|(name, bot)| (name.as_bytes(), bot.as_slice())).collect();
    home.put("sub.zip", zip(UNIX, &entries));
    assert_eq!(intake(&home).code, Some(2));
    answer(&home, |row| row[0].contains("final").then_some("3"));
    is_clear(&home);
    assert_eq!(taken(&home, "final.zip", "id"), "3");
}

#[test]
fn of_two_submissions_to_gradescope_the_later_in_time_counts_wherever_it_stands() {
    for later in ["submission_1", "submission_2"] {
        let home = canvas("id,name,mail\n1,Jane Doe,j@x\n", &[]);
        let one = |folder: &str| {
            let time = if folder == later { "23:50" } else { "10:00" };
            format!(
                "{folder}:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '1'\n  \
                 :created_at: 2026-09-03 {time}:00.000000000 +00:00\n"
            )
        };
        let yaml = one("submission_1") + &one("submission_2");
        home.put(
            "sub.zip",
            zip(
                UNIX,
                &[
                    (b"export/submission_metadata.yml", yaml.as_bytes()),
                    (b"export/submission_1/bot.zip", &bot("1")),
                    (b"export/submission_2/bot.zip", &bot("2")),
                ],
            ),
        );
        is_clear(&home);
        for folder in ["submission_1", "submission_2"] {
            let expected = if folder == later { "yes" } else { "no" };
            assert_eq!(taken(&home, folder, "counts"), expected, "{}", home.read("grades/intake.csv"));
        }
    }
}

#[test]
fn those_who_hand_in_together_are_no_other_team_in_the_roster() {
    let home = canvas("id,name,mail\n\"1;2\",Jane Doe;Ric Roe,j@x;r@x\n3,Mia Sol,m@x\n", &[]);
    let toml: &[u8] = b"command = [\"./run\"]\n";
    let yaml = "submission_1:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '1'\n  - :name: Mia Sol\n    :sid: '3'\n\
                submission_2:\n  :submitters:\n  - :name: Ric Roe\n    :sid: '2'\n";
    home.put(
        "sub.zip",
        zip(
            UNIX,
            &[
                (b"export/submission_metadata.yml", yaml.as_bytes()),
                (b"export/submission_1/bot.zip", &bot("1")),
                (b"export/submission_2/bot.zip", &bot("2")),
                (b"export/submission_2/engine.toml", toml),
            ],
        ),
    );
    asks(
        &home,
        "submission_1: is of Jane Doe (1), Mia Sol (3) together, but in the roster Ric Roe (2) is in a team with one of \
         them; in question: Jane Doe (1), Ric Roe (2), Mia Sol (3)\n     answer: write those who are a team into line 2 of \
         the roster; or grades/intake.csv: line 2, column use: write none to leave it out",
    );
}

/// An answer in another column, or a line that was taken away, would change nothing.
#[test]
fn what_is_changed_beside_the_column_use_is_refused() {
    let home = canvas(ROSTER, &["doejane_11_1_bot.zip", "roeric_12_2_bot.zip", "solmia_13_3_bot.zip"]);
    is_clear(&home);
    let table = home.read("grades/intake.csv");
    let line = |number: usize| table.lines().nth(number - 1).unwrap().to_owned();
    let (second, third) = (line(2), line(3));
    for (from, to, words) in [
        (",yes,", ",no,", "line 2: column counts says \"no\", and was \"yes\": only column use is read"),
        (",1,\"Doe", ",3,\"Doe", "line 2: column id says \"3\", and was \"1\": only column use is read"),
        (
            ",\"Doe, Jane\",,",
            ",\"Doe, Jane\",in time,",
            "line 2: column late says \"in time\", and was \"\": only",
        ),
    ] {
        let changed = second.replace(from, to);
        assert_ne!(changed, second);
        home.put("grades/intake.csv", table.replace(&second, &changed));
        refuses(&home, &format!("grades/intake.csv: {words}"));
    }
    home.put("grades/intake.csv", table.replace(&format!("{third}\n"), ""));
    refuses(&home, "grades/intake.csv: the line of roeric_12_2_bot.zip is missing");
    for (column, other) in [("use", "answer"), ("content", "sum")] {
        home.put("grades/intake.csv", table.replacen(&format!(",{column}"), &format!(",{other}"), 1));
        refuses(&home, &format!("grades/intake.csv: line 1: column {column} is missing"));
    }
    // What a spreadsheet changes is no answer, and neither is a change beside one.
    let saved = table.replace(',', ";").replace("\"Doe; Jane\"", "\"Doe, Jane\"").replace('\n', "\r\n");
    home.put("grades/intake.csv", format!("\u{feff}{saved}"));
    is_clear(&home);
    home.put("grades/intake.csv", table.replace(&second, &(second.replace(",yes,", ",no,") + "none")));
    asks(&home, "Doe, Jane (1) has no submission");
}
