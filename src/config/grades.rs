//! The `[grades]` of a `tournament.toml`: as they are written, and what they mean.

use std::path::PathBuf;

use agon_standings::grades::{At as StepAt, By, GradeStep, Scheme};
use toml::de::DeValue;

use super::lines::{TomlEntry, Within};
use super::table::{FileTable, keys};
use super::values::KeyValue;

keys! {
    /// How grades are given, as it is written.
    GradesFile {
        /// What grades depend on: `stage`, the number of the last stage reached; `points`, the
        /// percentage of possible points; `percentile`, the percentage of the other entrants with a
        /// worse place; or `baselines`, the engines that were beaten (required)
        by: String,
        /// The highest grade (required)
        max: f64,
        /// What must be reached for each grade; the best step that is reached counts (required)
        steps: Vec<StepFile>,
        /// The grade of an engine that cannot play, never made a legal move, or reached no step
        /// [default: 0]
        does_not_work: f64,
        /// A folder of engines that play in the tournament to be beaten, relative to the file
        baselines: Option<PathBuf>,
    }
}

keys! {
    /// A step to a grade, as it is written.
    StepFile {
        /// What must be reached: a number, or with `by = "baselines"` the name of an engine
        /// (required)
        at: NumberOrName,
        /// The grade, from 0 to `max` (required)
        grade: f64,
        /// The name of the step, for the report
        name: String,
    }
}

/// A number, or the name of an engine.
#[derive(Clone, PartialEq, Debug)]
pub enum NumberOrName {
    /// At least so much.
    Number(f64),
    /// This engine.
    Name(String),
}

impl Default for NumberOrName {
    fn default() -> Self {
        NumberOrName::Number(0.0)
    }
}

impl KeyValue for NumberOrName {
    fn shape() -> String {
        "a number or the name of an engine".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        match entry.value.get_ref() {
            DeValue::String(name) => Ok(NumberOrName::Name(name.to_string())),
            DeValue::Integer(_) | DeValue::Float(_) => f64::read(entry).map(NumberOrName::Number),
            _ => Err(entry.expected(&Self::shape())),
        }
    }
}

impl KeyValue for GradesFile {
    fn shape() -> String {
        "a table".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        Self::read_table(entry, Within::Key("grades"))
    }
}

impl KeyValue for StepFile {
    fn shape() -> String {
        "a table".to_owned()
    }
    fn list_shape() -> String {
        "a list of tables".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        match entry.number {
            Some(number) => Self::read_table(entry, Within::List("step", number)),
            None => Err(entry.expected("a list of tables, [{ at = 1, grade = 5 }]")),
        }
    }
}

impl GradesFile {
    /// What they mean.
    ///
    /// # Errors
    /// [`super::Misuse`], which names file, line and key.
    pub fn scheme(&self) -> anyhow::Result<Scheme> {
        let by = match self.by.as_str() {
            "stage" => By::Stage,
            "points" => By::Points,
            "percentile" => By::Percentile,
            "baselines" => By::Baselines,
            other => {
                let why = format!("there is no {other:?}; there are stage, points, percentile and baselines");
                return Err(self.lines.misuse("by", &why));
            }
        };
        let steps = self.steps.iter().map(|step| self.step(step, by)).collect::<anyhow::Result<_>>()?;
        Ok(Scheme { by, steps, does_not_work: self.does_not_work })
    }

    fn step(&self, step: &StepFile, by: By) -> anyhow::Result<GradeStep> {
        let at = match (&step.at, by) {
            (NumberOrName::Name(engine), By::Baselines) => StepAt::Beaten(engine.clone()),
            (NumberOrName::Number(least), By::Stage | By::Points | By::Percentile) => StepAt::Least(*least),
            _ => {
                let wanted = if by == By::Baselines { "the name of an engine" } else { "a number" };
                return Err(step.lines.misuse("at", &format!("by = {:?} wants {wanted} in at", self.by)));
            }
        };
        if !(0.0..=self.max).contains(&step.grade) {
            let why = format!("grade = {} is not from 0 to max", step.grade);
            return Err(step.lines.misuse("grade", &why));
        }
        Ok(GradeStep { at, grade: step.grade, name: step.name.clone() })
    }
}
