//! The gauntlet of `agon match --gauntlet`: the first engine against each of the others.

use agon_standings::Standings;
use agon_standings::cup::{self, CupStage, GroupShape};
use agon_standings::matches::Match;
use agon_standings::stage::{Format, StageRules};
use agon_standings::tiebreaks::TieBreak;
use agon_store::ranking::{DerivedStage, RankingSpec};
use agon_store::scores::{self, GameResult};

use crate::run::Run;

use super::played_stage::PlayedStage;

/// The matches of a gauntlet, and how it ranks.
pub struct Gauntlet {
    stage: CupStage,
    state: PlayedStage,
}

impl Gauntlet {
    /// The first engine against each of the others.
    pub fn new(names: &[String], games: u32, run: &Run) -> Self {
        let rules = StageRules {
            format: Format::Gauntlet { leaders: 1 },
            games,
            play_off_games: 2,
            play_offs: 0,
            tiebreaks: TieBreak::USUAL.to_vec(),
            points: run.points.between_two(),
        };
        let (name, shape) = ("gauntlet".to_owned(), GroupShape::Groups(1));
        let stage = CupStage { name, rules, shape, advance: None, listed: true };
        let field = cup::of_groups(std::slice::from_ref(&stage), 0, &[names.to_vec()], run.seed);
        let state = PlayedStage::new(&stage, field);
        Gauntlet { stage, state }
    }

    /// Its matches.
    pub fn matches(&self) -> &[Match] {
        &self.state.progress.matches
    }

    /// How its engines are ranked.
    pub fn ranking(&self) -> RankingSpec {
        self.state.ranking(&self.stage)
    }

    /// Ranks the standings of a run without a database as those of a run with one.
    pub fn rank(&self, standings: &mut Standings, games: Vec<GameResult>) {
        let (rules, field) = (self.stage.rules.clone(), self.state.field.clone());
        let (progress, scores) = scores::progress(&rules, &field, &games);
        let stage = DerivedStage { rules, field, progress, scores, games, left: Vec::new() };
        // The games are in the standings already, but a match has no play-offs, which would count
        // apart.
        standings.of_stage(&stage.groups());
        standings.place(&stage.orders());
    }
}
