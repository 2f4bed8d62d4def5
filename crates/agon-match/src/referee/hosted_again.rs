//! Recorded games, refereed once more: the referee program is sent the recorded answers, and must
//! write the recorded lines.

use agon_seats::TimeControl;

use super::hosted_referee::{HostedReferee, ParkedReferee, RefereeTrouble};
use crate::hosted::HostedRules;
use crate::processes::{Limits, Scratch};

/// How a referee program differs from a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Divergence {
    /// It calls itself otherwise.
    Program(String),
    /// It writes another line than this one of the record: the index of the line, and what it
    /// writes.
    Line(usize, String),
    /// It fails at this line of the record, and how.
    Fails(usize, String),
}

/// Referees recorded games of one program. If the program keeps its process for many games, so does
/// this.
pub struct RefereeAgain<'a> {
    rules: HostedRules,
    limits: Limits,
    scratch: &'a Scratch,
    /// The process between two games.
    parked: Option<ParkedReferee>,
}

impl<'a> RefereeAgain<'a> {
    /// Nothing is started yet.
    pub fn new(rules: HostedRules, limits: Limits, scratch: &'a Scratch) -> Self {
        RefereeAgain { rules, limits, scratch, parked: None }
    }

    /// Referees a game with this seed and these lines. `Ok(None)`: every line is the same.
    ///
    /// # Errors
    /// [`RefereeTrouble::Fault`] if the program cannot begin at all; otherwise the run is to stop,
    /// or the trouble is ours.
    pub fn game(
        &mut self,
        seed: u64,
        control: TimeControl,
        program: &str,
        lines: &[String],
    ) -> Result<Option<Divergence>, RefereeTrouble> {
        let parked = self.parked.take();
        let going = parked.and_then(|parked| HostedReferee::go_on_with(parked, &self.rules, control, seed));
        let mut referee = match going {
            Some(referee) => referee,
            None => HostedReferee::start(&self.rules, control, &self.limits, self.scratch)?,
        };
        if referee.program() != program {
            let other = referee.program().to_owned();
            referee.end_of_trial();
            return Ok(Some(Divergence::Program(other)));
        }
        let found = compared(&mut referee, seed, lines)?;
        let ended = lines.last().is_some_and(|line| line.starts_with("<end "));
        self.parked = referee.end(found.is_none() && ended).1;
        Ok(found)
    }
}

impl Drop for RefereeAgain<'_> {
    fn drop(&mut self) {
        if let Some(parked) = self.parked.take() {
            parked.end();
        }
    }
}

fn compared(
    referee: &mut HostedReferee,
    seed: u64,
    lines: &[String],
) -> Result<Option<Divergence>, RefereeTrouble> {
    let mut sent = String::new();
    let mut in_step = false;
    let mut has_begun = false;
    for (at, line) in lines.iter().enumerate() {
        if let Some(answer) = line.strip_prefix('>') {
            if in_step {
                sent.clear();
                in_step = false;
            }
            sent.push_str(answer);
            sent.push('\n');
            continue;
        }
        let mut begun = Ok(());
        if !in_step {
            begun = if has_begun { referee.send(sent.as_bytes()) } else { referee.begin(seed) };
            has_begun = true;
            in_step = true;
        }
        let written = match begun.and_then(|()| referee.hear()) {
            Ok(written) => written,
            Err(RefereeTrouble::Fault(why)) => return Ok(Some(Divergence::Fails(at, why.to_string()))),
            Err(trouble) => return Err(trouble),
        };
        if line.strip_prefix('<') != Some(&written) {
            return Ok(Some(Divergence::Line(at, written)));
        }
    }
    Ok(None)
}
