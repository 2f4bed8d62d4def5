//! What an engine says of its position: the score in a line `info`.

/// A score as the engine sees it, from its own side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evaluation {
    /// The score.
    pub score: EngineEvaluation,
    /// Whether the true score may be other than that.
    pub bound: Option<EvaluationBound>,
}

/// The score of an [`Evaluation`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EngineEvaluation {
    /// In hundredths: `cp 31`.
    Hundredths(f64),
    /// A number without a unit.
    Number(f64),
    /// It mates in so many moves, `mate 3`. It is mated if the number is negative or 0.
    Mate(i32),
    /// `win`.
    Win,
    /// `loss`.
    Loss,
    /// `draw`.
    Draw,
}

/// What is known of a score whose search was cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvaluationBound {
    /// The true score is as high or higher: `lowerbound`.
    Lower,
    /// The true score is as low or lower: `upperbound`.
    Upper,
}

impl Evaluation {
    /// The score of a thought that is stored with a move, as `info depth 2 score cp 9 nodes 7`.
    /// `None` if it has none.
    pub fn of_thought(thought: &str) -> Option<Self> {
        let mut words = thought.split_ascii_whitespace();
        // What stands behind these two are moves, and words for people.
        if words.find(|word| matches!(*word, "score" | "pv" | "string"))? != "score" {
            return None;
        }
        let score = match words.next()? {
            "cp" => EngineEvaluation::Hundredths(finite(words.next()?)?),
            // A number beyond all mates is still one.
            #[allow(clippy::cast_possible_truncation)]
            "mate" => EngineEvaluation::Mate(finite(words.next()?)? as i32),
            "win" => EngineEvaluation::Win,
            "loss" => EngineEvaluation::Loss,
            "draw" => EngineEvaluation::Draw,
            word => EngineEvaluation::Number(finite(word)?),
        };
        let bound = match words.next() {
            Some("lowerbound") => Some(EvaluationBound::Lower),
            Some("upperbound") => Some(EvaluationBound::Upper),
            _ => None,
        };
        Some(Evaluation { score, bound })
    }

    /// Whether the engine says that it is behind by at least so many hundredths.
    pub fn is_behind(&self, by: u32) -> bool {
        self.bound != Some(EvaluationBound::Lower)
            && match self.score {
                EngineEvaluation::Hundredths(score) => score <= -f64::from(by),
                EngineEvaluation::Mate(moves) => moves <= 0,
                EngineEvaluation::Loss => true,
                _ => false,
            }
    }

    /// Whether the engine says that it is ahead by at least so many hundredths.
    pub fn is_ahead(&self, by: u32) -> bool {
        self.bound != Some(EvaluationBound::Upper)
            && match self.score {
                EngineEvaluation::Hundredths(score) => score >= f64::from(by),
                EngineEvaluation::Mate(moves) => moves > 0,
                EngineEvaluation::Win => true,
                _ => false,
            }
    }

    /// Whether the engine says that nobody is ahead by more than so many hundredths.
    pub fn is_even(&self, within: u32) -> bool {
        self.bound.is_none()
            && match self.score {
                EngineEvaluation::Hundredths(score) => score.abs() <= f64::from(within),
                EngineEvaluation::Draw => true,
                _ => false,
            }
    }
}

fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(thought: &str) -> Evaluation {
        Evaluation::of_thought(thought).unwrap()
    }

    #[test]
    fn the_score_of_a_thought_is_read() {
        assert_eq!(said("info depth 2 score cp -9 nodes 7").score, EngineEvaluation::Hundredths(-9.0));
        assert_eq!(said("info score mate -3").score, EngineEvaluation::Mate(-3));
        assert_eq!(said("info score mate -99999999999999").score, EngineEvaluation::Mate(i32::MIN));
        assert_eq!(said("info score 0.5").score, EngineEvaluation::Number(0.5));
        assert_eq!(said("info score cp 5 upperbound nodes 1").bound, Some(EvaluationBound::Upper));
        let none = ["info depth 2", "info score", "info score cp", "info score cp x", "info score NaN"];
        let words =
            ["info pv a1 score cp 4", "info string score cp 4", "info score cp -12[... 90 more bytes]"];
        for thought in none.into_iter().chain(words) {
            assert_eq!(Evaluation::of_thought(thought), None, "{thought}");
        }
    }

    #[test]
    fn a_bound_says_only_what_it_proves() {
        let behind = |text: &str| said(&format!("info score {text}")).is_behind(600);
        let ahead = |text: &str| said(&format!("info score {text}")).is_ahead(600);
        let even = |text: &str| said(&format!("info score {text}")).is_even(10);
        assert!(behind("cp -600") && behind("cp -700 upperbound") && behind("mate -9") && behind("mate 0"));
        assert!(!behind("cp -599") && !behind("cp -700 lowerbound") && !behind("mate 1") && !behind("-9"));
        assert!(behind("loss") && behind("cp -2147483648") && !behind("draw") && !behind("win"));
        assert!(ahead("cp 600") && ahead("cp 600 lowerbound") && ahead("mate 1") && ahead("win"));
        assert!(!ahead("cp 599") && !ahead("cp 900 upperbound") && !ahead("mate 0"));
        assert!(even("cp -10") && even("cp 10") && even("draw"));
        assert!(!even("cp 11") && !even("cp 0 lowerbound") && !even("mate 0") && !even("0"));
    }
}
