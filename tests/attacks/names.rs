//! Hostile names: options, paths, shell text, terminal escapes. At every level they are only names.

use std::fs;

use crate::case::{Programs, User, agon_as, give, is_available, stranger};
use crate::support::Arena;
use crate::support::not_tried;

const NAMES: [&str; 10] = [
    "-rf",
    "sp ace",
    "$(touch ESCAPED)",
    "`touch ESCAPED`; touch ESCAPED",
    "quo\"te's",
    "=cmd|'C calc'!A0",
    "<script>alert(1)<",
    "two\nlines",
    "\u{1b}[2Jclear\u{202e}",
    "con",
];

#[test]
#[ignore = "slow"]
fn a_name_is_a_name_at_every_level() {
    let _beside = crate::beside_others();
    for (level, user) in [
        ("none", User::Root),
        ("limits", User::Root),
        ("sandbox", User::Root),
        ("strict", User::Root),
        ("sandbox", User::Plain),
    ] {
        if !user.can_be_had() || is_available(level, user).is_err() {
            not_tried!("{level} as {user}");
            continue;
        }
        let arena = Arena::new();
        let stub = Programs::get().stub();
        for name in NAMES {
            let folder = arena.path("engines").join(name);
            fs::create_dir(&folder).unwrap();
            // Its own file, so that the folder must be found under its name in a box too.
            fs::copy(&stub, folder.join("program")).unwrap();
            let text = format!("command = [\"./program\", \"honest\"]\n[env]\nTOKEN = {:?}\n", arena.token);
            fs::write(folder.join("engine.toml"), text).unwrap();
        }
        let stranger = stranger();
        if user == User::Plain {
            give(&arena.path(""), stranger);
        }
        let options = "--gauntlet --games 2 --game letters:4x4x2 --seed 3 --st 5 --concurrency 2 --out out --events events \
                       --isolation";
        let engines: Vec<String> = NAMES.iter().map(|name| format!("engines/{name}")).collect();
        let engines = engines.iter().map(String::as_str);
        let options = options.split_ascii_whitespace().chain([level]);
        let arguments: Vec<&str> = ["match"].into_iter().chain(engines).chain(options).collect();
        let finished = arena.run(&mut agon_as(user, stranger, &arena, &[], &arguments));
        assert_eq!(finished.code, Some(0), "{level} as {user}: {finished:?}");
        let games = arena.games();
        assert_eq!(games.len(), (NAMES.len() - 1) * 2, "{level} as {user}");
        assert!(games.iter().all(|game| game.ending().0 == "normal"), "{level} as {user}: {finished:?}");
        arena.assert_nothing_left(level);
        arena.assert_harmless(level);
        for place in ["", "engines", "out", "tmp"] {
            assert!(!arena.path(place).join("ESCAPED").exists(), "{level}: a name was run as a command");
        }
    }
}
