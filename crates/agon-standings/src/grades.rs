//! Grades, computed from an engine's results by the instructor's steps.

/// The number that decides about grades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The last stage that it reached.
    Stage,
    /// Its points in percent of the possible points.
    Points,
    /// The percentage of the others that it is ahead of.
    Percentile,
    /// The named engines that it beat by points in their direct games.
    Baselines,
}

/// The condition of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum At {
    /// The number must reach this.
    Least(f64),
    /// This engine must be beaten.
    Beaten(String),
}

/// A grade and its condition.
#[derive(Clone, PartialEq, Debug)]
pub struct GradeStep {
    /// The condition.
    pub at: At,
    /// The grade.
    pub grade: f64,
    /// Its name: `Final Four`.
    pub name: String,
}

/// The rules for grades.
#[derive(Clone, PartialEq, Debug)]
pub struct Scheme {
    /// The number that decides.
    pub by: By,
    /// The steps; the best grade among those reached counts.
    pub steps: Vec<GradeStep>,
    /// The grade of an engine that does not work.
    pub does_not_work: f64,
    /// What each day of lateness costs.
    pub late_per_day: f64,
    /// Which games count for points.
    pub points_of: PointsOf,
    /// The grade of a student who has handed in nothing, if that is one.
    pub nothing_handed_in: Option<f64>,
}

/// Which games count for the points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PointsOf {
    /// Those of the first stage, which everybody plays: who advances loses nothing by it.
    #[default]
    Groups,
    /// Those of all stages.
    All,
}

/// The results of an engine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Achieved {
    /// Why it does not work, if it has never made a legal move in a game.
    pub broken: Option<String>,
    /// The last stage it reached, from 1.
    pub stage: usize,
    /// Its points in percent of the possible points.
    pub points: f64,
    /// The percentage of the others that it is ahead of.
    pub percentile: f64,
    /// The baselines it has beaten.
    pub beaten: Vec<String>,
}

/// A grade and its reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Grade {
    /// The grade; `None` if the student has a state instead, which the name says.
    pub grade: Option<f64>,
    /// The name of the step, `does not work`, or the state.
    pub name: String,
    /// The reason, for the student.
    pub why: String,
}

/// How late a submission was handed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lateness {
    /// Not late.
    InTime,
    /// Late by this many days, counted from 1 as they begin.
    Days(u32),
    /// Too late to be accepted.
    Refused,
}

impl Grade {
    /// A state instead of a grade.
    pub fn state(name: &str, why: String) -> Self {
        Grade { grade: None, name: name.to_owned(), why }
    }
}

impl Scheme {
    /// A grade less the penalty for a late submission: `late_per_day` for each day that has begun,
    /// down to the grade of an engine that does not work. One that is too late gets that grade.
    pub fn late(&self, grade: Grade, lateness: Lateness) -> Grade {
        let Some(number) = grade.grade else { return grade };
        match lateness {
            Lateness::InTime => grade,
            Lateness::Days(_) if self.late_per_day == 0.0 => grade,
            Lateness::Days(days) => {
                let penalty = f64::from(days) * self.late_per_day;
                let plural = if days == 1 { "" } else { "s" };
                // A sum of tenths has many digits.
                let less = format!("{penalty:.2}");
                let less = less.trim_end_matches('0').trim_end_matches('.');
                let why = format!("{}; handed in {days} day{plural} late: less {less}", grade.why);
                let least = self.does_not_work.min(number);
                Grade { grade: Some((number - penalty).max(least)), why, ..grade }
            }
            Lateness::Refused => Grade {
                grade: Some(self.does_not_work),
                name: "too late".to_owned(),
                why: format!("handed in too late to be accepted; otherwise {}", grade.why),
            },
        }
    }

    /// The grade for these results.
    pub fn grade(&self, achieved: &Achieved) -> Grade {
        if let Some(why) = &achieved.broken {
            let grade = Some(self.does_not_work);
            return Grade { grade, name: "does not work".to_owned(), why: why.clone() };
        }
        let value = match self.by {
            By::Stage => u32::try_from(achieved.stage).map_or(f64::MAX, f64::from),
            By::Points => achieved.points,
            By::Percentile => achieved.percentile,
            By::Baselines => 0.0,
        };
        let reached = |step: &&GradeStep| match &step.at {
            At::Least(least) => value >= *least,
            At::Beaten(engine) => achieved.beaten.contains(engine),
        };
        let best = self.steps.iter().filter(reached).max_by(|a, b| a.grade.total_cmp(&b.grade));
        let why = match self.by {
            By::Stage => format!("reached stage {}", achieved.stage),
            By::Points => format!("{:.1} % of the points", achieved.points),
            By::Percentile => format!("stands before {:.1} % of the others", achieved.percentile),
            By::Baselines if achieved.beaten.is_empty() => "has beaten no baseline".to_owned(),
            By::Baselines => format!("has beaten {}", achieved.beaten.join(", ")),
        };
        match best {
            Some(step) => Grade { grade: Some(step.grade), name: step.name.clone(), why },
            None => Grade { grade: Some(self.does_not_work), name: "no step reached".to_owned(), why },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(by: By, steps: &[(At, f64)]) -> Scheme {
        let step = |(at, grade): &(At, f64)| GradeStep {
            at: at.clone(),
            grade: *grade,
            name: format!("step {grade}"),
        };
        Scheme {
            by,
            steps: steps.iter().map(step).collect(),
            does_not_work: 1.0,
            late_per_day: 0.5,
            points_of: PointsOf::Groups,
            nothing_handed_in: None,
        }
    }

    #[test]
    fn the_best_step_that_is_reached_counts() {
        let least = |stages: &[(f64, f64)]| -> Vec<(At, f64)> {
            stages.iter().map(|(at, grade)| (At::Least(*at), *grade)).collect()
        };
        let achieved = Achieved {
            stage: 3,
            points: 62.5,
            percentile: 80.0,
            beaten: vec!["greedy".to_owned()],
            broken: None,
        };
        let by_stage = scheme(By::Stage, &least(&[(1.0, 5.0), (3.0, 7.0), (4.0, 9.0)]));
        assert_eq!(by_stage.grade(&achieved).grade, Some(7.0));
        assert_eq!(by_stage.grade(&achieved).why, "reached stage 3");
        assert_eq!(scheme(By::Points, &least(&[(62.5, 8.0), (63.0, 9.0)])).grade(&achieved).grade, Some(8.0));
        assert_eq!(
            scheme(By::Percentile, &least(&[(0.0, 2.0), (80.0, 9.0)])).grade(&achieved).grade,
            Some(9.0)
        );
        let beaten = |engine: &str| At::Beaten(engine.to_owned());
        let baselines = scheme(By::Baselines, &[(beaten("greedy"), 6.0), (beaten("lookahead"), 10.0)]);
        assert_eq!(baselines.grade(&achieved).grade, Some(6.0));
        assert_eq!(baselines.grade(&Achieved::default()).name, "no step reached");
    }

    #[test]
    fn each_day_that_has_begun_costs_as_much_down_to_the_grade_of_what_does_not_work() {
        let scheme = scheme(By::Points, &[(At::Least(0.0), 5.0)]);
        let grade = scheme.grade(&Achieved { points: 10.0, ..Achieved::default() });
        let late = |lateness| scheme.late(grade.clone(), lateness);
        assert_eq!(late(Lateness::InTime), grade);
        assert_eq!(late(Lateness::Days(1)).grade, Some(4.5));
        assert_eq!(late(Lateness::Days(1)).why, "10.0 % of the points; handed in 1 day late: less 0.5");
        assert_eq!(late(Lateness::Days(3)).grade, Some(3.5));
        assert_eq!(late(Lateness::Days(30)).grade, Some(1.0));
        assert_eq!(
            (late(Lateness::Refused).grade, late(Lateness::Refused).name.as_str()),
            (Some(1.0), "too late")
        );
        let tenths = Scheme { late_per_day: 0.1, ..scheme.clone() };
        assert!(tenths.late(grade.clone(), Lateness::Days(3)).why.ends_with(" 3 days late: less 0.3"));
        let broken = scheme.grade(&Achieved { broken: Some("exit".to_owned()), ..Achieved::default() });
        assert_eq!(scheme.late(broken, Lateness::Days(2)).grade, Some(1.0));
    }

    #[test]
    fn a_state_has_no_penalty() {
        let state = Grade::state("excused", "ill".to_owned());
        let scheme = scheme(By::Points, &[(At::Least(0.0), 5.0)]);
        assert_eq!(scheme.late(state.clone(), Lateness::Days(3)), state);
        assert_eq!(scheme.late(state.clone(), Lateness::Refused), state);
    }

    #[test]
    fn what_does_not_work_has_its_own_grade_and_the_reason() {
        let broken = Achieved { broken: Some("exit status 1".to_owned()), stage: 4, ..Achieved::default() };
        let grade = scheme(By::Stage, &[(At::Least(1.0), 5.0)]).grade(&broken);
        assert_eq!(
            (grade.grade, grade.name.as_str(), grade.why.as_str()),
            (Some(1.0), "does not work", "exit status 1")
        );
    }
}
