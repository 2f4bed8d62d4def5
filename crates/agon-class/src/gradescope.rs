//! The results of one student for a Gradescope autograder.

use agon_standings::grades::Grade;
use serde_json::json;

use super::forms::GradeForms;

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
pub(super) fn results(
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
    let mut tests = match grade.grade {
        Some(score) => {
            vec![json!({"name": forms.item, "score": score, "max_score": forms.max, "output": grade.why})]
        }
        // A state is no score of 0.
        None => vec![json!({"name": forms.item, "status": "failed", "output": grade.why})],
    };
    for OpponentScore { name, won, drawn, lost } in opponents {
        let status = if won >= lost { "passed" } else { "failed" };
        let output = format!("{won} won, {drawn} drawn, {lost} lost");
        tests.push(json!({"name": format!("against {name}"), "status": status, "output": output}));
    }
    let mut all = json!({"output": output, "tests": tests, "leaderboard": board});
    if let Some(score) = grade.grade {
        all["score"] = json!(score);
    }
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overrides::Overrides;

    #[test]
    fn the_first_test_has_the_grade_and_the_leaderboard_its_columns() {
        let grade = Grade { grade: Some(8.0), name: String::new(), why: "fine".to_owned() };
        let forms = GradeForms {
            item: "Cup".to_owned(),
            max: 10.0,
            books: Vec::new(),
            by_hand: Overrides::default(),
        };
        let opponents = [OpponentScore { name: "x".to_owned(), won: 0, drawn: 1, lost: 2 }];
        let leading = Leading { place: 3, points: 66.67, stage: 2, elo: Some(12.34) };
        let read: serde_json::Value =
            serde_json::from_str(&results(&grade, &forms, "fine", Some(&leading), &opponents)).unwrap();
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
        assert!(!results(&grade, &forms, "", None, &[]).contains("Place"));
        assert_eq!(read["leaderboard"][0]["order"], "asc");
    }
}
