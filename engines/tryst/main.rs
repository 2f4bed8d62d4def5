//! Tryst: the TRYST'98 program, which plays m,n,k games against a user it takes for a random one.
//!
//! Its settings are those of the program. The dimensions and the first side belong to the game
//! (`mnk:4x3,3,first=O`); others are `--levels N`, `--draw-value X` and `--expert`.
//!
//! The program had no clock. This one searches one level deeper after the other. When the time is
//! up, it plays the move of the deepest complete search. With enough time, that is the program's
//! move.

mod expectimax;

#[path = "../talk/mod.rs"]
mod talk;

use std::process::ExitCode;

use agon_games::Position;
use agon_games::mnk::{MnkBoard, MnkCell};
use expectimax::{Levels, Settings, look};
use talk::watch::{Score, Thought};
use talk::{Brain, Kind, Setting, Watch, tables};

fn main() -> ExitCode {
    talk::run(|order| {
        let (game, options) = order.game();
        match game {
            "mnk" => {
                order.play(tables::mnk(options), Tryst { levels: LEVELS, draw_value: 0.5, expert: false })
            }
            _ => Err(order.unknown("mnk")),
        }
    })
}

const LEVELS: u32 = 2;

/// No board has more cells, and a level takes two of them.
const MOST_LEVELS: u32 = 200;

struct Tryst {
    levels: u32,
    draw_value: f64,
    expert: bool,
}

impl Tryst {
    /// With this many moves left, this many levels see the end of the game.
    fn rounds(&self, moves_left: u32) -> u32 {
        let all = moves_left / 2 + 1;
        if self.expert { all } else { self.levels.min(all) }
    }
}

impl Brain<MnkBoard> for Tryst {
    fn name(&self) -> String {
        "agon-tryst".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting { name: "Levels", kind: Kind::Spin { default: LEVELS, least: 0, most: MOST_LEVELS } },
            Setting { name: "DrawValue", kind: Kind::Text("0.5".to_owned()) },
            Setting { name: "Expert", kind: Kind::Check(false) },
        ]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "Levels" => self.levels = value.parse().map_err(|error| format!("Levels: {error}"))?,
            "Expert" => self.expert = value == "true",
            _ => {
                self.draw_value = value
                    .parse()
                    .ok()
                    .filter(|worth| (0.0..=1.0).contains(worth))
                    .ok_or_else(|| format!("DrawValue is a number from 0 to 1, not {value:?}"))?;
            }
        }
        Ok(())
    }

    fn choose(&mut self, position: &MnkBoard, watch: &mut Watch<'_>) -> Option<MnkCell> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let moves_left = u32::try_from(moves.len()).expect("a board has at most 400 cells");
        let rounds = self.rounds(moves_left).min(watch.depth);
        let mut chosen = moves.last().copied()?;
        let mut nodes = 0;
        for round in 0..=rounds {
            let levels = if self.expert && round == rounds { Levels::All } else { Levels::Some(round) };
            let settings = Settings { levels, draw_value: self.draw_value };
            let Some(seen) = look(position, settings, &mut |more| watch.must_stop(nodes + more)) else {
                break;
            };
            let Some((mv, value)) = seen.best() else { break };
            nodes += seen.nodes;
            chosen = mv;
            // A sure win or loss is not reported as such: the user may play otherwise than
            // expected.
            let score = Score::Points(((value - 0.5) * 200.0).round() as i32);
            watch.tell(&Thought { depth: round, score, nodes, line: vec![mv.to_string()] });
            if watch.should_stop() {
                break;
            }
        }
        Some(chosen)
    }
}
