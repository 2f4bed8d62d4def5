//! Gradebooks of learning systems: which rows are filled in, and what is refused before any game.

use super::grading::class;
use super::home::Home;

const ROSTER: &str =
    "id,name,mail,submission\n11,Xenia Quist,x@y.org,in/one\n12,Bo,b@y.org,in/two\n13,Cy,c@y.org,\n";

fn grade(home: &Home, options: &str) -> super::home::Said {
    home.agon(format!("grade tournament.toml --roster roster.csv --isolation limits {options}").split(' '))
}

/// The grade of a student in grades.csv.
fn of(home: &Home, id: &str) -> String {
    let grades = home.read("grades/grades.csv");
    let row = csv::Reader::from_reader(grades.as_bytes())
        .into_records()
        .map(Result::unwrap)
        .find(|row| &row[0] == id);
    row.unwrap()[5].to_owned()
}

#[test]
fn canvas_and_brightspace_are_filled_in_by_the_column_that_has_the_ids() {
    let home = class(ROSTER);
    let canvas = "\u{feff}Student;ID;SIS User ID;SIS Login ID;Section;Tournament (7);Final Score\r\n\
                  Points Possible;;;;;10,0;(read only)\r\nQuist, Xenia;501;s1;11;A;;77,5\r\nBo;502;s2;12;A;;\r\n\
                  Cy;503;s3;13;A;;\r\nStudent, Test;504;;;A;;\r\n";
    let brightspace = "OrgDefinedId,Username,Last Name,Tournament Points Grade <Numeric MaxPoints:10>,\
                       End-of-Line Indicator\n#11,#xq,Quist,,#\n#12,#bo,Bo,,#\n#99,#zz,Zed,4,#\n";
    home.put("canvas.csv", canvas);
    home.put("bright.csv", brightspace);
    let said = grade(&home, "--no-check --canvas canvas.csv --brightspace bright.csv");
    // The state of 13 is no grade, so nobody misses its row.
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(
        said.err().contains("canvas.csv: SIS Login ID is the roster's id: rows for 3 of 3"),
        "{}",
        said.all()
    );
    assert!(
        said.err().contains("bright.csv: OrgDefinedId is the roster's id: rows for 2 of 3"),
        "{}",
        said.all()
    );
    assert!(said.out().contains("no gradebook gets a grade for 13: see the column step\n"), "{}", said.all());
    let (one, two, three) = (of(&home, "11"), of(&home, "12"), of(&home, "13"));
    assert_eq!(three, "");
    let filled = canvas.replace("11;A;;", &format!("11;A;{one};"));
    let filled = filled.replace("12;A;", &format!("12;A;{two}")).replace("13;A;", &format!("13;A;{three}"));
    assert_eq!(home.read("grades/canvas.csv"), filled);
    let filled =
        brightspace.replace("Quist,", &format!("Quist,{one}")).replace("Bo,,", &format!("Bo,{two},"));
    assert_eq!(home.read("grades/brightspace.csv"), filled);
    let moodle = home.read("grades/moodle.csv");
    assert!(moodle.starts_with("Email address,Tournament,Tournament (Feedback)\nx@y.org,"), "{moodle}");
    assert!(moodle.ends_with("c@y.org,,nothing was handed in\n"), "{moodle}");
    // A copy that this run does not write is one of an earlier run.
    let stale = "grades/canvas.csv: has the grades of an earlier run; give --canvas FILE";
    assert!(!said.out().contains(stale), "{}", said.all());
    let said = grade(&home, "--no-check");
    assert!(said.code == Some(0) && said.out().contains(stale), "{}", said.all());
}

#[test]
fn what_a_gradebook_has_of_its_own_is_never_replaced_silently() {
    let home = class(ROSTER);
    let canvas = |cup: &str, points: &str| {
        format!(
            "Student,ID,SIS Login ID,Section,Tournament (7)\nPoints Possible,,,,{points}\nQuist,501,11,A,{cup}\nCy,503,13,A,3\n"
        )
    };
    home.put("canvas.csv", canvas("", "20"));
    let said = grade(&home, "--no-check --canvas canvas.csv");
    let words = "canvas.csv: line 2: Tournament (7) has at most 20 points, but max of [grades] is 10";
    assert!(said.code == Some(2) && said.err().contains(words), "{}", said.all());
    assert!(!home.path("results").exists());
    // A missing row of a graded student is told by the exit code.
    home.put("canvas.csv", canvas("", "10"));
    let said = grade(&home, "--no-check --canvas canvas.csv");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(said.out().contains("canvas.csv: has no row for 12\n"), "{}", said.all());
    assert!(said.out().contains("canvas.csv: 13 keeps 3\n"), "{}", said.all());
    // What somebody has written is a change like any other.
    home.put("canvas.csv", canvas("2.5", "10"));
    let before = home.read("grades/canvas.csv");
    let said = grade(&home, "--no-check --canvas canvas.csv");
    assert!(said.code == Some(2) && said.err().contains("was written in the gradebook"), "{}", said.all());
    assert_eq!(home.read("grades/canvas.csv"), before);
    let said = grade(&home, "--no-check --canvas canvas.csv --regrade");
    assert_eq!(said.code, Some(1), "{}", said.all());
    assert!(home.read("grades/canvas.csv").contains(&format!("11,A,{}\n", of(&home, "11"))));
    home.put("canvas.csv", canvas("EX", "10"));
    let said = grade(&home, "--no-check --canvas canvas.csv");
    assert!(said.out().contains("canvas.csv: 11 keeps EX"), "{}", said.all());
    assert!(home.read("grades/canvas.csv").contains("11,A,EX\n"));
}

#[test]
fn a_gradebook_without_any_student_is_an_error_before_the_first_game() {
    let home = class(ROSTER);
    home.put("canvas.csv", "Student,ID,SIS User ID,Section,Tournament (7)\nBo,501,s1,A,\n");
    let said = grade(&home, "--canvas canvas.csv");
    assert_eq!(said.code, Some(1), "{}", said.all());
    let words = "canvas.csv: no row belongs to a student of the roster; its columns hold SIS User ID like \"s1\", ID like \"501\"";
    assert!(said.err().contains(words), "{}", said.all());
    assert!(!home.path("results").exists() && !home.path("grades").exists());
    home.put("bright.csv", "Username,Other Points Grade,End-of-Line Indicator\n11,,#\n");
    let said = grade(&home, "--brightspace bright.csv");
    assert!(said.code == Some(2) && said.err().contains("0 columns of the assignment"), "{}", said.all());
}

#[test]
fn a_roster_of_excel_in_europe_is_read() {
    let home = class(&format!("\u{feff}{}", ROSTER.replace(',', ";").replace('\n', "\r\n")));
    let said = grade(&home, "--no-check");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(of(&home, "13"), "");
    // In its own character set too, and with columns that agon does not know.
    let western =
        "id;name;mail;submission;Kurs\r\n11;J\u{f6}rg \u{80};j@x;in/one;7\r\n12;Bo;b@x;in/two;7\r\n";
    home.put("roster.csv", western.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>());
    let said = grade(&home, "--no-check --out again --to again-grades");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(home.read("again-grades/grades.csv").contains("\n11,Jörg €,"));
    assert!(said.err().contains("roster.csv: is not UTF-8; it is read as Windows-1252"), "{}", said.all());
    assert!(
        said.err().contains("roster.csv: column Kurs ignored; the columns are id, name"),
        "{}",
        said.all()
    );
}
