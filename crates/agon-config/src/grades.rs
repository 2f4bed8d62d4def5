//! The `[grades]` of a `tournament.toml`: as they are written, and what they mean.

use std::path::PathBuf;

use agon_standings::grades::{At as StepAt, By, GradeStep, Lateness, PointsOf, Scheme};
use toml::de::DeValue;

use super::Misuse;
use super::lines::{TomlEntry, Within};
use super::table::{FileTable, keys, tables_in_a_list};
use super::values::{Deadline, KeyValue, Moment};

keys! {
    /// How grades are given, as it is written.
    GradesFile {
        /// What grades depend on. `stage` is the number of the last stage reached. `points` is the
        /// percentage of possible points in the games of `points-of`, without play-offs.
        /// `percentile` is the percentage of the other entrants with a worse place. `baselines`
        /// stands for the engines that were beaten (required)
        by: String,
        /// The highest grade (required)
        max: f64,
        /// What must be reached for each grade; the best step that is reached counts (required)
        steps: Vec<StepFile>,
        /// The grade of an engine that cannot play, never made a legal move, or reached no step
        /// [default: 0]
        does_not_work: f64,
        /// Which games count with `by = "points"`. `groups` is the first stage, which everybody
        /// plays. `all` is every stage; then a student may lose by reaching a final [default:
        /// groups]
        points_of: Option<String>,
        /// The grade of a student who has handed in nothing [default: no grade, an empty cell]
        nothing_handed_in: Option<f64>,
        /// A folder of engines that play in the tournament to be beaten, relative to the file
        baselines: Option<PathBuf>,
        /// When submissions are due; a minute or a day counts to its end
        due: Option<Deadline>,
        /// What each day costs that has begun since `due` [default: 0]
        late_per_day: f64,
        /// When the last submissions are accepted; a later one counts as one that does not work
        /// [default: any time]
        late_until: Option<Deadline>,
        /// The most seconds for the build of one submission; `--build-seconds` overrides it
        /// [default: 60]
        build_seconds: Option<u32>,
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

tables_in_a_list!(StepFile, "step", "a list of tables, [{ at = 1, grade = 5 }]");

impl GradesFile {
    /// What they mean in a tournament of this many stages.
    ///
    /// # Errors
    /// [`super::Misuse`], which names file, line and key: unknown words, numbers out of their
    /// range, and steps that nobody can reach.
    pub fn scheme(&self, stages: usize) -> anyhow::Result<Scheme> {
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
        if !(self.max.is_finite() && self.max > 0.0) {
            let why = format!("{} is not above 0; give the highest grade as a finite number", self.max);
            return Err(self.lines.misuse("max", &why));
        }
        if !(0.0..=self.max).contains(&self.does_not_work) {
            let why = format!("{} is not from 0 to max = {}", self.does_not_work, self.max);
            return Err(self.lines.misuse("does-not-work", &why));
        }
        if let Some(grade) = self.nothing_handed_in.filter(|grade| !(0.0..=self.max).contains(grade)) {
            let why = format!("{grade} is not from 0 to max = {}", self.max);
            return Err(self.lines.misuse("nothing-handed-in", &why));
        }
        let points_of = match self.points_of.as_deref() {
            None | Some("groups") => PointsOf::Groups,
            Some("all") => PointsOf::All,
            Some(other) => {
                return Err(self
                    .lines
                    .misuse("points-of", &format!("there is no {other:?}; there are groups and all")));
            }
        };
        if self.points_of.is_some() && by != By::Points {
            return Err(self.lines.misuse("points-of", "is given without by = \"points\"; leave it out"));
        }
        if self.steps.is_empty() {
            return Err(self
                .lines
                .misuse("steps", "the list is empty; write a step like { at = 1, grade = 5 }"));
        }
        if by == By::Baselines && self.baselines.is_none() {
            return Err(self.lines.misuse("baselines", "is missing; by = \"baselines\" needs their folder"));
        }
        let steps =
            self.steps.iter().map(|step| self.step(step, by, stages)).collect::<anyhow::Result<Vec<_>>>()?;
        self.check_order(&steps)?;
        self.check_late()?;
        let GradesFile { does_not_work, late_per_day, nothing_handed_in, .. } = *self;
        Ok(Scheme { by, steps, does_not_work, late_per_day, points_of, nothing_handed_in })
    }

    /// Refuses steps that cannot be meant: two for the same, and a better one with a lower grade.
    /// Also refuses one below the grade of an engine that does not work.
    fn check_order(&self, steps: &[GradeStep]) -> anyhow::Result<()> {
        for (number, (step, written)) in steps.iter().zip(&self.steps).enumerate() {
            if step.grade < self.does_not_work {
                let why = format!("{} is below does-not-work = {}", step.grade, self.does_not_work);
                return Err(written.lines.misuse("grade", &why));
            }
            for before in &steps[..number] {
                let (better, worse) = match (&step.at, &before.at) {
                    (own, other) if own == other => {
                        return Err(written.lines.misuse("at", "another step has the same; remove one"));
                    }
                    (StepAt::Least(own), StepAt::Least(other)) if own > other => (step, before),
                    (StepAt::Least(_), StepAt::Least(_)) => (before, step),
                    _ => continue,
                };
                if better.grade < worse.grade {
                    let why = format!(
                        "a step that is harder to reach has a lower grade than another: {} and not {} or more",
                        better.grade, worse.grade
                    );
                    return Err(written.lines.misuse("grade", &why));
                }
            }
        }
        Ok(())
    }

    fn check_late(&self) -> anyhow::Result<()> {
        if !(0.0..=self.max).contains(&self.late_per_day) {
            let why = format!("{} is not from 0 to max = {}", self.late_per_day, self.max);
            return Err(self.lines.misuse("late-per-day", &why));
        }
        let Some(due) = self.due else {
            let key = ["late-per-day", "late-until"].into_iter().find(|key| self.lines.has(key));
            let missing = |key| self.lines.misuse(key, "is given without due; say when submissions are due");
            return key.map_or(Ok(()), |key| Err(missing(key)));
        };
        if self.late_until.is_some_and(|until| until < due) {
            return Err(self.lines.misuse("late-until", "is before due; give a later time, or leave it out"));
        }
        Ok(())
    }

    /// Whether it matters for grades when something was handed in.
    pub fn needs_times(&self) -> bool {
        self.due.is_some() && (self.late_per_day > 0.0 || self.late_until.is_some())
    }

    /// How late a submission is that was handed in at this time, by a student with `own` date if
    /// that is given.
    pub fn lateness(&self, handed_in: Moment, own: Option<Deadline>) -> Lateness {
        let Some((due, until)) = self.deadlines(own) else { return Lateness::InTime };
        if until.is_some_and(|until| until.is_before(handed_in)) {
            return Lateness::Refused;
        }
        match due.days_late(handed_in) {
            0 => Lateness::InTime,
            days => Lateness::Days(days),
        }
    }

    /// Whether the time is too vague to say how late that is.
    pub fn leaves_open(&self, handed_in: Moment, own: Option<Deadline>) -> bool {
        self.deadlines(own).is_some_and(|(due, until)| {
            due.leaves_open(handed_in) || until.is_some_and(|until| until.leaves_open(handed_in))
        })
    }

    /// When submissions of a student with `own` date are due, and when the last ones are accepted:
    /// as long after a later date of the student's own as for everybody else.
    fn deadlines(&self, own: Option<Deadline>) -> Option<(Deadline, Option<Deadline>)> {
        let due = own.or(self.due)?;
        let put_off = |until: Deadline| match (self.due, own) {
            (Some(due), Some(own)) if own > due => until.put_off(due, own),
            _ => until,
        };
        Some((due, self.late_until.map(put_off)))
    }

    /// An error about the folder `baselines`, with file, line and key.
    #[must_use]
    pub fn of_baselines(&self, error: anyhow::Error) -> anyhow::Error {
        match error.downcast::<Misuse>() {
            Ok(Misuse { what, hint }) => {
                Misuse { what: format!("{}: {what}", self.lines.place(&["baselines"])), hint }.into()
            }
            Err(other) => other,
        }
    }

    /// Refuses a step whose baseline is not among the engines of the folder `baselines`.
    ///
    /// # Errors
    /// [`super::Misuse`], which names file, line and key.
    pub fn baselines_exist(&self, names: &[&str]) -> anyhow::Result<()> {
        let unknown = self.steps.iter().find_map(|step| match &step.at {
            NumberOrName::Name(name) if !names.contains(&name.as_str()) => Some((step, name)),
            _ => None,
        });
        match unknown {
            None => Ok(()),
            Some((step, name)) => {
                let why = format!("{name:?} is no engine in baselines; there are {}", names.join(", "));
                Err(step.lines.misuse("at", &why))
            }
        }
    }

    /// Refuses grades by baselines if the first stage lets an engine miss some: a student cannot
    /// beat what the student never meets.
    ///
    /// # Errors [`super::Misuse`], which names file, line and key.
    pub fn everybody_meets_baselines(&self, is_all_against_all: bool) -> anyhow::Result<()> {
        if is_all_against_all {
            return Ok(());
        }
        let why =
            "not everybody meets every baseline in the first stage; let it be a round robin without groups";
        Err(self.lines.misuse("by", why))
    }

    fn step(&self, step: &StepFile, by: By, stages: usize) -> anyhow::Result<GradeStep> {
        let at = match (&step.at, by) {
            (NumberOrName::Name(engine), By::Baselines) => StepAt::Beaten(engine.clone()),
            (NumberOrName::Number(least), By::Stage | By::Points | By::Percentile) => {
                step.can_be_reached(*least, by, stages)?;
                StepAt::Least(*least)
            }
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

impl StepFile {
    /// Refuses a number that no engine can have.
    fn can_be_reached(&self, least: f64, by: By, stages: usize) -> anyhow::Result<()> {
        let (least_possible, most, unit) = match by {
            By::Stage => (1.0, u32::try_from(stages).map_or(f64::MAX, f64::from), "the number of a stage"),
            By::Points | By::Percentile | By::Baselines => (0.0, 100.0, "a percentage"),
        };
        if (least_possible..=most).contains(&least) && (by != By::Stage || least.fract() == 0.0) {
            return Ok(());
        }
        let why = format!("{least} is not {unit}, from {least_possible} to {most}");
        Err(self.lines.misuse("at", &why))
    }
}
