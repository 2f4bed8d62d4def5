//! What is played, and where its results go: single runs, cups, leagues with their nights, and
//! parts of them.

pub mod cup;
pub mod cup_files;
pub mod event_files;
pub mod for_question;
pub mod fresh_run;
pub mod gauntlet;
pub mod gone;
pub mod league;
pub mod looked;
pub mod nights;
pub mod part_games;
pub mod part_rounds;
pub mod played_stage;
mod repaired;
pub mod replacing;
pub mod reported;
pub mod round_robins;
pub mod run_dir;
pub mod seeds;
pub mod session;
pub mod settings;
pub mod sink;
pub mod stages;
pub mod starts;
pub mod swiss_tables;
pub mod terminal_sink;
pub mod tournament;
pub mod withdrawing;
