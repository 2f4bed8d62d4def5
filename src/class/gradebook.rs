//! Grades in the formats of learning systems.

use agon_standings::grades::Grade;
use anyhow::Result;
use serde_json::json;

use super::forms::GradeForms;
use crate::export::cells::{self, Cell};

/// A student's grade.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct GradebookEntry {
    /// The student's id in the learning system.
    pub id: String,
    /// The address.
    pub mail: String,
    /// The grade.
    pub grade: f64,
    /// The reason of the grade, for the student.
    pub feedback: String,
}

/// A number without trailing zeros: `8`, `7.5`.
pub(super) fn number(grade: f64) -> String {
    let text = format!("{grade:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A Brightspace import: `OrgDefinedId,<Item> Points Grade,End-of-Line Indicator`.
pub(super) fn brightspace(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let head = [
        Cell::exact("OrgDefinedId"),
        Cell::text(&format!("{item} Points Grade")),
        Cell::exact("End-of-Line Indicator"),
    ];
    let row = |entry: &GradebookEntry| {
        vec![Cell::text(&entry.id), Cell::exact(number(entry.grade)), Cell::exact("#")]
    };
    cells::text_of(head, entries.iter().map(row))
}

/// A Moodle import: `Email address,<Item>,<Item> (Feedback)`. Moodle calls the feedback so when it
/// exports it.
pub(super) fn moodle(item: &str, entries: &[GradebookEntry]) -> Result<String> {
    let row = |entry: &GradebookEntry| {
        vec![Cell::text(&entry.mail), Cell::exact(number(entry.grade)), Cell::text(&entry.feedback)]
    };
    let head = [Cell::exact("Email address"), Cell::text(item), Cell::text(&format!("{item} (Feedback)"))];
    cells::text_of(head, entries.iter().map(row))
}

/// A student's columns in a Gradescope leaderboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Leading {
    /// Its place.
    pub place: usize,
    /// Its points, in percent of the possible points.
    pub points: f64,
    /// The last stage it played in, from 1.
    pub stage: usize,
    /// Its rating, around 0.
    pub elo: Option<f64>,
}

/// The games against one opponent.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OpponentScore {
    /// The opponent.
    pub name: String,
    /// The games won.
    pub won: u32,
    /// The games drawn.
    pub drawn: u32,
    /// The games lost.
    pub lost: u32,
}

/// A Gradescope `results.json` of one student; with leaderboard columns if the engine has played.
/// The first test has the grade. The others show the opponents, and give no points.
pub(super) fn gradescope(
    grade: &Grade,
    forms: &GradeForms,
    output: &str,
    leading: Option<&Leading>,
    opponents: &[OpponentScore],
) -> String {
    // Adding zero turns -0 into 0.
    let tenths = |number: f64| (number * 10.0).round() / 10.0 + 0.0;
    let mut board = Vec::new();
    if let Some(leading) = leading {
        board.push(json!({"name": "Place", "value": leading.place, "order": "asc"}));
        board.push(json!({"name": "Points %", "value": tenths(leading.points)}));
        board.push(json!({"name": "Stage", "value": leading.stage}));
    }
    if let Some(elo) = leading.and_then(|leading| leading.elo) {
        board.push(json!({"name": "Elo", "value": tenths(elo)}));
    }
    let mut tests =
        vec![json!({"name": forms.item, "score": grade.grade, "max_score": forms.max, "output": grade.why})];
    for OpponentScore { name, won, drawn, lost } in opponents {
        let status = if won >= lost { "passed" } else { "failed" };
        let output = format!("{won} won, {drawn} drawn, {lost} lost");
        tests.push(json!({"name": format!("against {name}"), "status": status, "output": output}));
    }
    let all = json!({"score": grade.grade, "output": output, "tests": tests, "leaderboard": board});
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::overrides::Overrides;

    fn entries() -> Vec<GradebookEntry> {
        let entry = |id: &str, grade| GradebookEntry {
            id: id.to_owned(),
            mail: format!("{id}@x"),
            grade,
            feedback: format!("because {grade}"),
        };
        vec![entry("11", 7.5), entry("99", 3.0)]
    }

    #[test]
    fn the_other_systems_get_their_heads() {
        let csv = brightspace("Cup", &entries()).unwrap();
        assert_eq!(csv, "OrgDefinedId,Cup Points Grade,End-of-Line Indicator\n11,7.5,#\n99,3,#\n");
        assert_eq!(
            moodle("Cup", &entries()).unwrap(),
            "Email address,Cup,Cup (Feedback)\n11@x,7.5,because 7.5\n99@x,3,because 3\n"
        );
        let grade = Grade { grade: 8.0, name: String::new(), why: "fine".to_owned() };
        let forms = GradeForms {
            item: "Cup".to_owned(),
            max: 10.0,
            books: Vec::new(),
            by_hand: Overrides::default(),
        };
        let opponents = [OpponentScore { name: "x".to_owned(), won: 0, drawn: 1, lost: 2 }];
        let leading = Leading { place: 3, points: 66.67, stage: 2, elo: Some(12.34) };
        let read: serde_json::Value =
            serde_json::from_str(&gradescope(&grade, &forms, "fine", Some(&leading), &opponents)).unwrap();
        assert_eq!(read["tests"][0]["max_score"], 10.0);
        assert_eq!(
            (&read["tests"][1]["name"], &read["tests"][1]["status"]),
            (&json!("against x"), &json!("failed"))
        );
        assert_eq!(read["score"], 8.0);
        let values: Vec<f64> = read["leaderboard"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["value"].as_f64().unwrap())
            .collect();
        assert_eq!(values, [3.0, 66.7, 2.0, 12.3]);
        assert!(!gradescope(&grade, &forms, "", None, &[]).contains("Place"));
        assert_eq!(read["leaderboard"][0]["order"], "asc");
    }
}
