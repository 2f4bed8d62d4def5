//! Nobody plays with the program of another, enters twice, or is let in by files that stop the work
//! on all others.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use super::archives::{UNIX, zip};
use super::grading::class;
use super::home::{Home, programs};
use super::inbox::{self, alias, engine};
use super::intake::row;

/// Engines that play, in a folder `t`.
fn engines(names: &[&str]) -> Home {
    let home = Home::new();
    for name in names {
        home.submission(&format!("t/{name}"), "agon-greedy", "");
    }
    home
}

const GAME: &str = "--game letters:3x3x2 --st 5 --games 2 --seed 1";

#[test]
fn a_submission_that_names_the_program_of_another_is_refused_at_every_level_and_told_why() {
    let home = class(
        "id,name,mail,submission\n1,A,a,in/one\n2,B,b,in/two\n3,C,c,in/link\n4,D,d,in/path\n5,E,e,in/words\n6,F,f,in/build\n\
         7,G,g,in/sample\n",
    );
    let honest = home.path("in/one/run");
    home.put("in/path/engine.toml", format!("# mine\ncommand = [{honest:?}]\n"));
    home.put("in/words/engine.toml", "command = [\"env\", \"{folder}/../../one/run\"]\n");
    home.put(
        "in/build/engine.toml",
        format!("command = [\"./run\"]\nbuild = [\"cp\", {honest:?}, \"run\"]\n"),
    );
    home.put("in/sample/engine.toml", "command = [\"agon-greedy\"]\n");
    home.put("in/link/engine.toml", "command = [\"./run\"]\n");
    symlink(&honest, home.path("in/link/run")).unwrap();
    for level in ["none", "limits"] {
        let options = format!("--isolation {level} --no-check --max-plies 2 --regrade --again");
        let said = home.agon(format!("grade tournament.toml --roster roster.csv {options}").split(' '));
        assert_eq!(said.code, Some(0), "{}", said.all());
        let why = |id: &str| row(&home, id)[7].clone();
        let place = honest.canonicalize().unwrap();
        let lies = format!("{} lies outside of its own folder; hand in", place.display());
        assert_eq!(
            why("4").find(&format!("engine.toml: line 2: key command: {lies}")),
            Some(0),
            "{}",
            why("4")
        );
        assert!(why("5").starts_with("engine.toml: line 1: key command: "), "{}", why("5"));
        assert!(why("6").starts_with(&format!("engine.toml: line 2: key build: {lies}")), "{}", why("6"));
        assert!(why("7").contains("agon-greedy lies outside of its own folder"), "{}", why("7"));
        assert!(why("3").contains("a link"), "{}", why("3"));
        // Its own program beside it, the same one, plays.
        assert!(!why("1").contains("outside"), "{}", why("1"));
        assert_eq!(home.read("results/standings.csv").lines().count(), 3);
    }
}

#[test]
fn an_inbox_takes_neither_foreign_programs_nor_what_would_stop_it_nor_what_makes_games_void() {
    let home = inbox::class("sandbox");
    let toml = |more: &str| format!("command = [\"./run\"]\nargs = [\"{{side}}\", \"{{to_move}}\"]\n{more}");
    let script: &[u8] = b"#!/bin/sh\n";
    // The last one passes: those before it did not keep it waiting.
    home.put("in/16.zip", engine("honest"));
    assert_eq!(home.agon("inbox in --once --settle 0".split(' ')).code, Some(0));
    let honest = home.path("pool").join(alias(&home, "16")).canonicalize().unwrap().join("run");
    let theirs = format!("name = \"me\"\n# mine\ncommand = [{honest:?}]\n");
    home.put("in/11.zip", zip(UNIX, &[(b"engine.toml", theirs.as_bytes()), (b"run", script)]));
    let long = toml(&format!("name = \"{}\"\n", "x".repeat(70_000)));
    home.put("in/12.zip", zip(UNIX, &[(b"engine.toml", long.as_bytes()), (b"run", script)]));
    let many = "\"\",".repeat(20_000);
    let many = format!("command = [\"./run\"]\nargs = [{many}]\n");
    home.put("in/13.zip", zip(UNIX, &[(b"engine.toml", many.as_bytes()), (b"run", script)]));
    File::create(home.path("in/14.zip")).unwrap().set_len(30 << 30).unwrap();
    // The system cannot read where its loader stands, as on a failing disk.
    let mut cut = fs::read(programs().join("agon-greedy")).unwrap();
    let table = u64::from_le_bytes(cut[32..40].try_into().unwrap()) as usize;
    let is_loader = |at: &usize| cut[*at..at + 4] == [3, 0, 0, 0];
    let at = (0..cut[56].into()).map(|part: usize| table + 56 * part).find(is_loader).unwrap();
    cut[at + 8..at + 16].copy_from_slice(&(1_u64 << 30).to_le_bytes());
    home.put("in/15.zip", zip(UNIX, &[(b"engine.toml", toml("").as_bytes()), (b"run", &cut)]));
    home.put("in/17.zip", engine("late"));
    let said = home.agon("inbox in --once --settle 0".split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let told = |id: &str| said.err().lines().find(|line| line.starts_with(id)).unwrap_or_default().to_owned();
    for (id, words) in [
        ("11", "rejected: engine.toml: line 3: key command: "),
        ("11", "lies outside of its own folder; hand in"),
        ("12", "rejected: engine.toml: has 70"),
        ("12", "at most 64 kB are read"),
        ("13", "key args: it has 20000 entries, and at most 1000 are taken"),
        ("14", "has 32212254720 bytes; at most 2 MiB are taken"),
        ("15", "rejected: it failed when it was tried: "),
        ("15", "it could not be started: "),
        ("17", "accepted; it plays"),
    ] {
        assert!(told(id).contains(words), "{id}: {words}: {}", said.all());
    }
}

#[test]
fn two_entries_of_one_engine_and_a_program_in_the_folder_of_another_are_refused_by_name() {
    let home = engines(&["a", "b"]);
    symlink("a", home.path("t/alias")).unwrap();
    home.put("t/c/engine.toml", "command = [\"../b/run\"]\n");
    let play = format!("tournament t {GAME} --out out");
    let said = home.agon(play.split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("t/alias: alias is the folder of a; leave one"), "{}", said.all());
    assert!(said.err().contains("t/c: its program ") && said.err().contains("lies in the folder of b"));
    assert!(said.err().contains("hint: "), "{}", said.all());
    // Without them: every game is played and counts.
    let said = home.agon(format!("{play} --skip-broken").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    let said = home.agon(format!("{play} --skip-broken").split(' '));
    assert!(
        said.code == Some(0) && said.err().contains("2 games have been played already"),
        "{}",
        said.all()
    );
    // On a command line the same engine twice is what somebody asks for.
    let said = home.agon(format!("match t/a t/alias {GAME}").split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
}

#[test]
fn a_request_to_stop_is_heeded_while_files_are_read_and_too_many_are_not_begun() {
    let home = engines(&["a", "b"]);
    let large = File::create(home.path("t/a/large")).unwrap();
    large.set_len(300 << 30).unwrap();
    let said = home.agon(format!("match t/a t/b {GAME} --out out").split(' '));
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("t/a: is more than 256 GiB large\nhint: keep its data"), "{}", said.all());
    // To read it takes minutes. The signal comes when it is open.
    large.set_len(200 << 30).unwrap();
    let said = home.shell(&format!(
        "agon match t/a t/b {GAME} --out out & pid=$!\n\
         until ls -l /proc/$(tr -d ' ' < /proc/$pid/task/$pid/children)/fd 2>/dev/null | grep -q t/a/large; do\n\
         sleep 0.1; done\nkill -TERM $pid; wait $pid; echo ended with $?"
    ));
    assert!(said.out().contains("ended with 130") && said.err().contains("error: stopped"), "{}", said.all());
}
