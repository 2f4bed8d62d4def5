//! Mover: plays a random legal move of any game at once. The position's text is the seed, so that
//! the same position always gives the same move.

#[path = "../talk/mod.rs"]
mod talk;

use std::process::ExitCode;

use agon_games::Position;
use talk::{Brain, Watch, draw, tables};

fn main() -> ExitCode {
    talk::run(|order| {
        let (game, options) = order.game();
        match game {
            "abalone" => order.play(tables::abalone(options), Mover),
            "chess" => order.play(tables::chess(options), Mover),
            "connect4" => order.play(tables::connect4(options), Mover),
            "letters" => order.play(tables::letters(options), Mover),
            "mill" => order.play(tables::mill(options), Mover),
            "mnk" => order.play(tables::mnk(options), Mover),
            "morris" => order.play(tables::morris(options), Mover),
            _ => Err(order.unknown("abalone, connect4, letters, mill, mnk and morris")),
        }
    })
}

struct Mover;

impl<P: Position> Brain<P> for Mover {
    fn name(&self) -> String {
        "agon-mover".to_owned()
    }

    fn choose(&mut self, position: &P, _: &mut Watch<'_>) -> Option<P::Move> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let drawn = draw(position.text().as_bytes()) % moves.len().max(1) as u64;
        moves.get(drawn as usize).copied()
    }
}
