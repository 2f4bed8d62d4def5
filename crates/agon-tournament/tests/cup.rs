//! A program without a terminal plays a cup: the example does.

#[path = "../examples/cup.rs"]
mod example;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// An engine for mnk:3x3,3 that takes the first free one of these cells.
fn put(folder: &Path, name: &str, cells: &str) {
    let script = format!(
        r#"#!/bin/sh
side=$1 taken= stones=0
read -r _
for row in 3 2 1; do
    read -r rest
    for column in a b c; do
        sign=${{rest%"${{rest#?}}"}} rest=${{rest#?}}
        [ "$sign" = . ] || {{ taken="$taken $column$row"; stones=$((stones + 1)); }}
    done
done
turn() {{
    for cell in {cells}; do
        case " $taken " in
            *" $cell "*) ;;
            *) taken="$taken $cell"; echo "$side,$cell"; return ;;
        esac
    done
}}
case "$side$((stones % 2))" in X0 | O1) turn ;; esac
while read -r move; do
    taken="$taken ${{move#*,}}"
    turn
done
"#
    );
    let path = folder.join(name);
    fs::write(&path, script).expect("there is room");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("there is room");
}

#[test]
fn a_cup_is_played_to_its_last_stage_and_told_to_a_sink() {
    let home = tempfile::tempdir().unwrap();
    let engines = home.path().join("engines");
    fs::create_dir(&engines).unwrap();
    put(&engines, "rows", "a1 b1 c1 a2 b2 c2 a3 b3 c3");
    put(&engines, "centre", "b2 a1 c3 a3 c1 b1 b3 a2 c2");
    put(&engines, "last", "c3 b3 a3 c2 b2 a2 c1 b1 a1");
    let file = home.path().join("cup.toml");
    let toml = format!(
        "engines = {engines:?}\nout = {:?}\ngame = \"mnk:3x3,3\"\ngames = 2\nseed = 7\nst = 5\nisolation = \"none\"\n\
         [[stages]]\nformat = \"round robin\"\nadvance = 2\n[[stages]]\nformat = \"knockout\"\n",
        home.path().join("results")
    );
    fs::write(&file, toml).unwrap();
    let results = example::play(&file).unwrap();
    assert!(results.games.len() >= 8, "{:?}", results.games);
    assert_eq!(results.places.len(), 3, "{:?}", results.places);
    // The same call goes on with what is stored, and it is over.
    let again = example::play(&file).unwrap();
    assert_eq!((again.games.len(), &again.places), (0, &results.places));
}
