//! The `[grades]` of a `tournament.toml`.

use std::path::Path;

use agon_printable::{clean_lines, escape};
use serde::Deserialize;

use super::Misuse;
use super::stages::sections;

/// The `[grades]` of a file.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GradesFile {
    /// `stage`, `points`, `percentile` or `baselines`.
    pub by: String,
    /// The steps.
    pub steps: Vec<StepFile>,
    /// The grade of an engine that does not work, 0.
    #[serde(default)]
    pub does_not_work: f64,
    /// The most there is.
    pub max: f64,
    /// The folder of engines that play along to be beaten.
    pub baselines: Option<String>,
}

/// What a step asks for, a number or the name of an engine; its grade; what it is called.
pub type AskedSubmission = (Result<f64, String>, f64, String);

impl GradesFile {
    /// Takes the `[grades]` out of the text of the file at `path`, and gives the rest with its lines where they were.
    ///
    /// # Errors
    /// [`Misuse`], which names file, line and key.
    pub(super) fn take(text: &str, path: &Path) -> anyhow::Result<(Option<Self>, String)> {
        #[derive(Deserialize)]
        struct Only {
            grades: GradesFile,
        }
        let ours = sections(text, "grades");
        let in_ours = |at: usize| ours.iter().any(|range| range.contains(&at));
        let lines = |wanted: bool| -> String {
            let mut at = 0;
            let kept = text.split_inclusive('\n').map(|line| {
                let keep = in_ours(at) == wanted;
                at += line.len();
                if keep { line } else { "\n" }
            });
            kept.collect()
        };
        if ours.is_empty() {
            return Ok((None, text.to_owned()));
        }
        let shown = escape(path.as_os_str().as_encoded_bytes(), 400);
        let read: Only = toml::from_str(&lines(true))
            .map_err(|error| Misuse::error(format!("{shown}: {}", clean_lines(&error.to_string()))))?;
        Ok((Some(read.grades), lines(false)))
    }

    /// What the steps mean.
    ///
    /// # Errors
    /// [`Misuse`], which names the key.
    pub fn scheme(&self) -> anyhow::Result<(String, Vec<AskedSubmission>)> {
        if !["stage", "points", "percentile", "baselines"].contains(&self.by.as_str()) {
            return Err(Misuse::error(format!(
                "key grades.by: there is no {:?}; there are stage, points, percentile and baselines",
                self.by
            )));
        }
        let step = |step: &StepFile| {
            let at = match &step.at {
                toml::Value::Integer(at) => Ok(i32::try_from(*at).map_or(f64::MAX, f64::from)),
                toml::Value::Float(at) => Ok(*at),
                toml::Value::String(engine) => Err(engine.clone()),
                other => {
                    return Err(Misuse::error(format!(
                        "key grades.steps: at = {other} is neither a number nor an engine"
                    )));
                }
            };
            if at.is_err() != (self.by == "baselines") {
                let wanted = if self.by == "baselines" { "the name of an engine" } else { "a number" };
                return Err(Misuse::error(format!(
                    "key grades.steps: by = {:?} wants {wanted} in at",
                    self.by
                )));
            }
            if !(0.0..=self.max).contains(&step.grade) {
                return Err(Misuse::error(format!(
                    "key grades.steps: grade = {} is not from 0 to max",
                    step.grade
                )));
            }
            Ok((at, step.grade, step.name.clone()))
        };
        Ok((self.by.clone(), self.steps.iter().map(step).collect::<anyhow::Result<_>>()?))
    }
}

/// A step of `[grades]`.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct StepFile {
    /// A number, or the name of an engine.
    pub at: toml::Value,
    /// The grade.
    pub grade: f64,
    /// What it is called.
    #[serde(default)]
    pub name: String,
}
