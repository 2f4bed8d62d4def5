//! Unchanged results pass the audit, however their games ended.

use super::place::Place;

/// Everything was checked, and no difference was found.
#[track_caller]
fn passes(place: &Place, directory: &str) -> String {
    let said = place.done(&format!("verify {directory}"));
    assert!(said.contains("; 0 differences in all") && said.contains("; 0 not checked;"), "{said}");
    said
}

#[test]
fn games_of_every_kind_with_random_plies_and_a_rule_for_long_games_pass() {
    let place = Place::new();
    place.mover("mover");
    place.mover("other");
    for (number, game) in ["abalone", "connect4", "mill", "mnk:5x5,4", "morris", "morris:nine,nomove=draws"]
        .into_iter()
        .enumerate()
    {
        let options =
            format!("--game {game} --st 1 --games 2 --seed 3 --max-plies 30 --random-plies {number}");
        place.done(&format!("match engines/mover engines/other {options} --out game-{number} --quiet"));
        let said = passes(&place, &format!("game-{number}"));
        assert!(said.contains("2 games checked") && !said.contains(" starts"), "{said}");
        assert!(!said.contains(" forfeits") && said.contains(" moves"), "{said}");
    }
    place.sample("greedy", "agon-greedy");
    place.sample("random", "agon-random");
    place.done(
        "match engines/greedy engines/random --st 1 --games 4 --seed 3 --max-plies 3 --out cube --quiet",
    );
    assert!(passes(&place, "cube").contains(" adjudications"));
}

#[test]
fn openings_and_boards_from_files_prove_the_starts() {
    let place = Place::new();
    place.mover("mover");
    place.mover("other");
    std::fs::write(place.path("openings"), "11 22\n12 33 44\n").unwrap();
    let options = "--game mill --st 1 --games 6 --seed 3 --random-plies 1 --openings openings";
    place.done(&format!("match engines/mover engines/other {options} --out run --quiet"));
    let said = passes(&place, "run");
    assert!(said.contains("12 positions") && !said.contains(" starts"), "{said}");
    place.done("position board letters:4x4x2 --seed 9 --out board");
    place.sample("greedy", "agon-greedy");
    place.sample("random", "agon-random");
    place.done("match engines/greedy engines/random --st 1 --games 2 --board board --out cube --quiet");
    let said = passes(&place, "cube");
    assert!(said.contains("4 positions") && !said.contains(" starts"), "{said}");
    // One board, named as in games.csv.
    place.done(
        "match engines/greedy engines/random --st 1 --games 2 --board-seed 77 --game letters:4x4x2 --out one --quiet",
    );
    passes(&place, "one");
}

#[test]
#[ignore = "slow"]
fn every_way_to_lose_by_a_fault_passes() {
    let place = Place::new();
    place.sample("random", "agon-random");
    let modes = [
        "endless-output",
        "huge-line --mb 1",
        "chatter",
        "drip",
        "nul",
        "invalid-utf8",
        "half-line-stall",
        "half-line-exit",
        "early-start-silent",
        "early-half",
        "close-stdout",
        "answer-exit",
        "byte-storm",
        "deaf",
        "exit-now",
        "exit-after --move 1",
        "signal",
        "stop-self",
        "hang",
        "hang-at --move 2",
        "illegal",
        "wrong-side",
        "garbage",
        "empty-line",
        "look-alike",
        "prompt",
        "escape-codes",
        "formula",
        "html",
        "log-forging",
        "bare-cr",
    ];
    for mode in modes {
        place.stub(mode.split(' ').next().unwrap(), &format!("{mode} {{side}}"));
    }
    place.toml("nowhere", "command = [\"true\"]\n");
    // It answers the trial before the first game, and never again.
    let met = place.path("met").display().to_string();
    let script = format!(
        "[ -e {met} ] && sleep 60; touch {met}; \
         while read line; do case $line in ugi) echo ugiok;; isready) echo readyok;; esac; done"
    );
    place.toml("mute", &format!("command = [\"sh\", \"-c\", \"{script}\"]\nprotocol = \"ugi\"\n"));
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for name in modes.iter().map(|mode| mode.split(' ').next().unwrap()).chain(["nowhere", "mute"]) {
        let mut words = format!(
            "match engines/random engines/{name} --game letters:3x3x2 --st 0.1 --startup 1 --games 2 --seed 3 --out {name} --quiet"
        );
        if name == "mute" {
            words += " --isolation limits"; // it writes
        }
        let (code, played) = place.agon(&words);
        let (checked, said) = place.agon(&format!("verify {name}"));
        // A busy machine may spoil a game, which then has no fault.
        judged += usize::from(said.contains("2 games checked"));
        if ![Some(0), Some(4)].contains(&code) || checked != Some(0) {
            wrong.push(format!("{name}: {code:?} {checked:?}\n{played}\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(judged > modes.len() / 2, "{judged}");
}

#[test]
fn resignations_pass_by_both_seats() {
    let place = Place::new();
    place.mover("mover");
    place.toml(
        "quitter",
        "command = [\"sh\", \"-c\", \"(sleep 0.3; echo $1,R) & cat >/dev/null\", \"quitter\"]\nargs = [\"{side}\"]\n",
    );
    place.done("match engines/mover engines/quitter --game mill --st 2 --games 2 --seed 3 --out run --quiet");
    let said = passes(&place, "run");
    assert!(said.contains("2 resignations"), "{said}");
}

#[test]
fn a_tournament_in_stages_passes_stage_by_stage() {
    let place = Place::new();
    for number in 1..=3 {
        place.sample(&format!("greedy-{number}"), "agon-greedy");
        place.sample(&format!("random-{number}"), "agon-random");
    }
    place.stub("gone", "exit-now {side}");
    for (format, stages) in [
        (
            "[[stages]]\nname = \"groups\"\ngroups = 2\nadvance = 2\n\n[[stages]]\nname = \"finals\"\nformat = \"finals\"",
            2,
        ),
        (
            "[[stages]]\nname = \"swiss\"\nformat = \"swiss\"\nrounds = 3\nadvance = 4\n\n[[stages]]\nname = \"last\"\nformat = \"knockout\"",
            2,
        ),
    ] {
        let text = format!(
            "engines = \"engines\"\nout = \"cup-{stages}\"\ngame = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\n{format}\n"
        );
        let _ = std::fs::remove_dir_all(place.path("cup-2")); // of the last format
        std::fs::write(place.path("tournament.toml"), text).unwrap();
        place.done("tournament tournament.toml --quiet");
        let said = passes(&place, "cup-2");
        assert_eq!(said.matches(" differences in all").count(), stages, "{said}");
        assert_eq!(said.contains(" byes"), format.contains("swiss"), "{said}");
        // The same command again plays nothing and changes nothing.
        place.done("tournament tournament.toml --quiet");
        assert_eq!(passes(&place, "cup-2"), said);
        let (code, refused) = place.agon(&format!("verify cup-2 --expect {}", "0".repeat(32)));
        assert!(code == Some(2) && refused.contains("each directory has a head of its own"), "{refused}");
    }
}
