//! The pages of a run: what people look at in a browser. They are made from the database; a served
//! page of games in play is made from `live.json`. Pages open from a folder without a network, and
//! ask no other host for anything.

mod about;
mod address;
mod animated;
mod asked;
mod author;
mod board;
mod charts;
mod crosstable;
mod cup;
mod embed;
mod engine;
mod folder;
mod games;
mod gather;
mod history;
mod legend;
mod live;
mod move_list;
mod moving;
mod outcome;
mod painted;
mod picture;
mod play;
mod plot;
mod read_game;
mod replaced;
mod replay;
mod season;
mod served;
mod shell;
mod site;
mod standings;
mod status_file;
mod story;
mod swings;
mod ties;
mod values;
mod view;

pub use address::run_names;
pub use asked::{Asked, Replays, ReportPart};
pub use author::{AuthorPage, OwnGame, StaffRow, author_page, staff_page, submit_page, word_page};
pub use embed::EmbedHost;
pub use play::{PLAY_STYLE, card_board, play_board, play_flips, play_page, play_script};
pub use served::{Memories, Renderer, ServedFile, Snapshot, TOKEN_SCRIPT, file_of_all, problem};
pub use site::{PictureFiles, Unwanted, site_name, write_folder, write_game, write_pictures, write_single};
pub use values::ValueSearch;
pub use view::{Audience, View};
