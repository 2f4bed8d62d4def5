//! A class is graded from what `agon inbox` has worked on.

use std::fs;

use super::intake::{answer, row};
use super::questions::taken;

#[test]
fn what_the_inbox_has_accepted_is_graded() {
    let home = super::inbox::class("sandbox");
    home.put("in/11.zip", super::inbox::engine("one"));
    std::thread::sleep(std::time::Duration::from_millis(1100));
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
    // The time is that of the arrival, not of the answer, and the same once more is no later one.
    let arrived = |id: &str| {
        let path = format!("in/reports/{}/status.json", super::inbox::alias(&home, id));
        let status: serde_json::Value = serde_json::from_str(&home.read(&path)).unwrap();
        status["plays"]["arrived"].as_str().unwrap().to_owned()
    };
    let [one, two] = [arrived("11"), arrived("12")];
    let time: agon_config::Moment = one.parse().unwrap();
    assert_eq!(taken(&home, "11.zip", "time"), shown(time));
    assert_ne!(time, two.parse().unwrap(), "each has its own");
    let alias = super::inbox::alias(&home, "11");
    fs::create_dir_all(home.path("in/uploads")).unwrap();
    home.put(format!("in/uploads/{alias}.zip"), super::inbox::engine("one"));
    // Something newer waits, so nobody is graded by what is old.
    let grade = "grade tournament.toml --roster roster.csv --out graded --from-inbox in --missing none";
    let said = home.agon(grade.split(' '));
    let words = format!("in/uploads/{alias}.zip: this submission of Ada Lovelace (11) waits for agon inbox");
    assert!(said.code == Some(2) && said.err().contains(&words), "{}", said.all());
    let once = || assert_eq!(home.agon("inbox in --once --settle 0".split(' ')).code, Some(0));
    once();
    let first = arrived("11");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    home.put(format!("in/uploads/{alias}.zip"), super::inbox::engine("one"));
    once();
    assert_eq!(arrived("11"), first);
    let said = home.agon(format!("{grade} --regrade").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
}

/// What the inbox could give to nobody may be the newest of a student, or the only one.
#[test]
fn what_the_inbox_could_give_to_nobody_is_asked_for() {
    let home = super::inbox::class("sandbox");
    home.put("in/11.zip", super::inbox::engine("one"));
    home.put("in/nobody 2.zip", super::inbox::engine("two"));
    let said = home.agon("inbox in --once --settle 0".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let grades = "[grades]\nby = \"points\"\nmax = 10\nsteps = [{ at = 0, grade = 4 }]\n";
    home.put("tournament.toml", home.read("tournament.toml") + grades);
    let words = "grade tournament.toml --roster roster.csv --out graded --from-inbox in --missing none";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(
        said.err().contains("1 question is open") && said.err().contains("nobody 2.zip: "),
        "{}",
        said.all()
    );
    // What the question offers answers it.
    let table = home.read("grades/intake.csv");
    let line = table.lines().find(|line| line.starts_with("nobody 2.zip,")).unwrap();
    home.put("grades/intake.csv", table.replace(line, &format!("{line}12")));
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(row(&home, "12")[5], "4");
    // Another one of this name is a submission of its own.
    home.put("in/nobody 2.zip", super::inbox::engine("four"));
    assert_eq!(home.agon("inbox in --once --settle 0".split(' ')).code, Some(0));
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("2/nobody 2.zip: "), "{}", said.all());
    assert!(
        home.path("in/rejected/nobody 2.zip").exists() && home.path("in/rejected/2/nobody 2.zip").exists()
    );
    answer(&home, |row| (&row[0] == "2/nobody 2.zip").then_some("none"));
    assert_eq!(home.agon(words.split(' ')).code, Some(0));
    // What waits has a line, and the command that answers it has all of its files.
    home.put("in/13.zip", super::inbox::engine("three"));
    let words = words.replace(" --missing none", "");
    let said = home.agon(words.split(' '));
    let all = said.err();
    assert!(
        all.contains("give agon inbox in tournament.toml --roster roster.csv --to grades --once"),
        "{all}"
    );
}

fn shown(time: agon_config::Moment) -> String {
    time.0.with_timezone(&chrono::Local).format("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
