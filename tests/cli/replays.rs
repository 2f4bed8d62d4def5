//! The page of a game, as `agon report --game` writes it. What the page does in a browser is tested
//! by tests/browser.

use std::fs;
use std::time::Duration;

use agon_record::GameRecord;
use agon_standings::result::Termination;
use serde_json::Value;
use tempfile::TempDir;

use crate::records::record;
use crate::saying::prints;

/// A directory with one imported game. Its engines took no time, as the seats of the record say.
fn imported(record: &GameRecord) -> TempDir {
    let mut record = record.clone();
    record.plies.iter_mut().for_each(|ply| ply.time = Duration::ZERO);
    let home = tempfile::tempdir().unwrap();
    let games = home.path().join("games.jsonl");
    fs::write(&games, serde_json::to_string(&record).unwrap() + "\n").unwrap();
    let directory = home.path().join("run");
    let [directory, games] = [&directory, &games].map(|path| path.to_str().unwrap().to_owned());
    let words = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/words.txt");
    prints(&["import", &directory, &games, "--dictionary", words, "--points", "2-1-0"]);
    home
}

/// The page of the game in one file.
fn page(home: &TempDir, options: &[&str]) -> String {
    let [directory, file] = ["run", "game.html"].map(|name| home.path().join(name));
    let mut arguments = vec!["report", directory.to_str().unwrap(), "--game", "r01-p0001-g01"];
    arguments.extend(["--single", file.to_str().unwrap()]);
    arguments.extend(options);
    prints(&arguments);
    fs::read_to_string(file).unwrap()
}

/// What the page's script gets.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once("<script type=\"application/json\">").unwrap();
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn a_game_of_a_hundred_plies_is_one_file_of_at_most_70_kilobytes() {
    for game in ["abalone", "mnk:15x15,9"] {
        let record = record(game, 1, Some((100, Termination::Adjudication)));
        let page = page(&imported(&record), &[]);
        assert!(page.len() <= 70 * 1024, "{game}: {} bytes", page.len());
        assert_eq!(data(&page)["frames"].as_array().unwrap().len(), 100);
        assert!(page.contains("<a href=\"#ply=100\">100</a>") && page.contains("max=\"100\""));
    }
}

#[test]
fn every_game_has_a_board_and_a_caption_for_each_ply() {
    for game in ["mill", "mnk:3x3,3", "abalone", "morris", "connect4"] {
        let record = record(game, 3, Some((9, Termination::Adjudication)));
        let page = page(&imported(&record), &[]);
        assert!(page.contains("<svg class=\"board") && page.contains("<g id=\"s0\""), "{game}");
        let data = data(&page);
        let frames = data["frames"].as_array().unwrap();
        assert_eq!(frames.len(), record.plies.len(), "{game}");
        for frame in frames {
            let (_, caption) = frame.as_str().unwrap().split_once('|').unwrap();
            assert!(caption.contains(' '), "{game}: {frame}");
        }
        assert!(page.contains("download=\"r01-p0001-g01.txt\""), "{game}");
    }
}

#[test]
fn a_game_that_cannot_be_drawn_is_shown_as_text() {
    // Nobody can play this game again: an imported game comes without its word list.
    let record = record("letters:4x4x2", 3, Some((4, Termination::Adjudication)));
    let page = page(&imported(&record), &[]);
    assert!(!page.contains("<svg class=\"board") && page.contains("The last position"));
    assert!(page.contains(&format!("<td>{}</td>", record.plies[3].text)) && page.contains(" won, "));
}

#[test]
fn a_hidden_result_is_shown_behind_the_last_ply_alone() {
    let record = record("connect4", 1, None);
    let plies = record.plies.len();
    let home = imported(&record);
    let (open, hidden) = (page(&home, &[]), page(&home, &["--hide-results"]));
    assert!(open.contains(&format!("max=\"{plies}\"")) && open.contains(" won, "));
    assert!(
        !hidden.contains(&format!("max=\"{plies}\""))
            && hidden.contains("type=\"range\" aria-label=\"Ply\" min=\"0\" max=\"0\"")
    );
    assert_eq!(hidden.matches("<tr hidden>").count(), plies);
    let (before, after) = hidden.split_once("<p class=\"result\">").unwrap();
    assert!(before.ends_with("<div class=\"ending\" hidden>") && after.contains(" won, "));
    assert!(hidden.contains("<h1>alpha - bravo</h1>"), "no result in the title");
}
