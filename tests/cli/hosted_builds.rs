//! Referee programs that are built or that lead to other programs. They are a referee in C, and the
//! adapters that ship. Each is played through agon and verified.

use std::fs;
use std::path::Path;

use super::home::{Home, Said, root};
use super::hosted::engine;

/// Each seat is asked once; the first seat wins.
const REFEREE_C: &str = r#"#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[70000];
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "clock", 5)) puts("referee 1 inc 1\nready");
        else if (!strncmp(line, "start", 5)) puts("ask 1\nask 2\nwait");
        else if (!strncmp(line, "answer 2", 8) || !strncmp(line, "fault 2", 7)) puts("end 1 0 : the first seat wins");
        else if (!strncmp(line, "quit", 4)) return 0;
        fflush(stdout);
    }
    return 0;
}
"#;

const GAME_TOML: &str = "name = \"in-c\"\ncommand = [\"./made/referee\"]\ntime = \"st=5\"\nkeep = true\n\
                         build = [\"sh\", \"-c\", \"mkdir -p made && cc -o made/referee referee.c\"]\n";

fn matched(home: &Home, game: &str, more: &str) -> Said {
    home.shell(&format!("agon match engines/a engines/b --game {game} --seed 7 --out run --quiet {more}"))
}

/// Copies the files of a folder, but no product of a build.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_file() && entry.file_name() != "instant" {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_referee_is_built_by_the_command_of_its_game_toml() {
    if home_without_cc() {
        println!("not tried: there is no C compiler on this machine");
        return;
    }
    let home = Home::new();
    engine(&home, "a", "print('5')");
    engine(&home, "b", "print('5')");
    home.put("game/game.toml", GAME_TOML);
    home.put("game/referee.c", REFEREE_C);
    let said = matched(&home, "./game", "--games 2");
    assert_eq!(said.code, Some(0), "{}", said.all());
    // Nothing is guessed and written beside what the command makes.
    assert_eq!(names(&home.path("game")), [".agon-build", "game.toml", "made", "referee.c"]);
    let verified = home.agon(["verify", "run"]);
    assert!(verified.out().contains("2 games checked, 0 with differences"), "{}", verified.all());
    // The referee that ships, from a fresh copy.
    copy(&root().join("referees/instant-c"), &home.path("instant-c"));
    fs::remove_dir_all(home.path("run")).unwrap();
    let said = matched(&home, "./instant-c:moves=6", "--games 2");
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(names(&home.path("instant-c")), [".agon-build", "game.toml", "instant", "instant.c"]);
}

#[test]
fn a_build_that_fails_is_told_before_the_first_game() {
    let home = Home::new();
    engine(&home, "a", "print('5')");
    engine(&home, "b", "print('5')");
    home.put(
        "game/game.toml",
        GAME_TOML.replace("cc -o made/referee referee.c", "echo no rules here; false"),
    );
    let said = matched(&home, "./game", "--games 2");
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(said.err().contains("no rules here") && !home.path("run").exists(), "{}", said.all());
}

fn home_without_cc() -> bool {
    std::process::Command::new("cc").arg("--version").output().is_err()
}

/// Plays the game that an adapter ships between two engines that give these answers, and verifies
/// it.
fn adapter(name: &str, answers: [&str; 2]) {
    let home = Home::new();
    copy(&root().join("referees/adapters").join(name), &home.path("game"));
    for (name, answer) in ["a", "b"].iter().zip(answers) {
        let answer = answer.replace('\n', "\n        ");
        home.put_program(
            format!("engines/{name}"),
            format!(
                "#!/usr/bin/env -S python3 -S\nimport json, sys\nseen = set()\nfor line in sys.stdin:\n    \
                 if line == '?\\n':\n        {answer}\n        sys.stdout.flush()\n    \
                 elif line.startswith('{{\"x\"'):\n        seen.add(tuple(json.loads(line).values()))\n"
            ),
        );
    }
    let said = matched(&home, "./game", "--games 2 --st 20");
    assert_eq!(said.code, Some(0), "{name}: {}", said.all());
    let verified = home.agon(["verify", "run"]);
    assert!(verified.out().contains("2 games checked, 0 with differences"), "{name}: {}", verified.all());
    let games = home.agon(["export", "json", "run"]).out();
    assert_eq!(games.matches("\"termination\":\"normal\"").count(), 2, "{name}: {games}");
}

#[test]
fn a_referee_of_brutaltester_plays_through_agon() {
    adapter("brutaltester", ["print(1)", "print(1)"]);
}

#[test]
fn a_judge_of_botzone_plays_through_agon() {
    let free = "cell = min(set((x, y) for x in range(3) for y in range(3)) - seen)\nseen.add(cell)\n\
                print(json.dumps(dict(zip('xy', cell))))";
    adapter("botzone", [free, free]);
}

/// A bot of Botzone that is started anew for each turn, and reads to the end of its input.
const ANEW: &str = r#"import json, os, sys
whole = json.loads(sys.stdin.read())
open(os.environ["LOG"], "a").write(f"{len(whole['requests'])} {len(whole['responses'])} {whole.get('data')}\n")
seen = [(cell["x"], cell["y"]) for cell in whole["requests"] + whole["responses"]]
x, y = min({(x, y) for x in range(3) for y in range(3)} - set(seen))
print(json.dumps({"response": {"x": x, "y": y}, "debug": "thinks", "data": str(len(seen))}, indent=1))
"#;

/// One that keeps running.
const KEPT: &str = r#"import json, os
log, seen, first = open(os.environ["LOG"], "a"), set(), True
while True:
    line = json.loads(input())
    log.write("whole\n" if "requests" in line else "bare\n")
    log.flush()
    request = line["requests"][-1] if first else line
    first = False
    seen.add((request["x"], request["y"]))
    cell = max({(x, y) for x in range(3) for y in range(3)} - seen)
    seen.add(cell)
    print(json.dumps({"response": dict(zip("xy", cell))}), flush=True)
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
"#;

/// Bots with the adapter beside them: their names, the word for the adapter, and their programs.
/// Returns what a match between them says.
fn botzone(home: &Home, bots: [(&str, &str, &str); 2]) -> crate::home::Said {
    copy(&root().join("referees/adapters/botzone"), &home.path("game"));
    for (name, word, bot) in bots {
        home.put(format!("engines/{name}/bot.py"), bot);
        let adapter = root().join("engines/adapter/botzone.py");
        fs::copy(adapter, home.path(format!("engines/{name}/botzone.py"))).unwrap();
        let log = home.path(format!("{name}.log"));
        let toml = format!(
            "command = [\"python3\", \"{{folder}}/botzone.py\"]\ngames = [\"botzone\"]\n\
             args = [\"{word}\", \"python3\", \"{{folder}}/bot.py\"]\n[env]\nLOG = {log:?}\n"
        );
        home.put(format!("engines/{name}/engine.toml"), toml);
    }
    let [one, two] = bots.map(|(name, ..)| format!("engines/{name}"));
    home.agon(["match", &one, &two, "--game", "./game", "--games", "2", "--st", "20", "--out", "run"])
}

#[test]
fn bots_of_botzone_play_unchanged_started_anew_for_each_turn_or_kept_running() {
    let home = Home::new();
    let said = botzone(&home, [("anew", "turn", ANEW), ("kept", "keep", KEPT)]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let verified = home.agon(["verify", "run"]);
    assert!(verified.out().contains("2 games checked, 0 with differences"), "{}", verified.all());
    let normal = || home.agon(["export", "json", "run"]).out().matches("\"termination\":\"normal\"").count();
    assert_eq!(normal(), 2);
    let log = fs::read_to_string(home.path("anew.log")).unwrap();
    assert!(log.starts_with("1 0 None\n2 1 1\n"), "{log}");
    let log = fs::read_to_string(home.path("kept.log")).unwrap();
    assert!(log.starts_with("whole\nbare\n") && log.matches("whole").count() == 2, "{log}");
    // Where all bots keep running, they need no adapter. They read no question but the request.
    let file = fs::read_to_string(home.path("game/game.toml")).unwrap();
    home.put("game/game.toml", file.replace("keep = true\n", "keep = true\nprompt = \"\"\n"));
    fs::remove_dir_all(home.path("run")).unwrap();
    let log = home.path("kept.log");
    let toml = format!(
        "command = [\"python3\", \"{{folder}}/bot.py\"]\nargs = []\nname = \"kept\"\n[env]\nLOG = {log:?}\n"
    );
    home.put("engines/kept/engine.toml", toml.clone());
    home.put("engines/other/engine.toml", toml.replace("name = \"kept\"", "name = \"other\""));
    home.put("engines/other/bot.py", KEPT);
    let game = "./game:input=botzone";
    let said = home.agon([
        "match",
        "engines/kept",
        "engines/other",
        "--game",
        game,
        "--games",
        "2",
        "--st",
        "20",
        "--out",
        "run",
    ]);
    assert_eq!((said.code, normal()), (Some(0), 2), "{}", said.all());
}

#[test]
fn a_bot_of_botzone_that_ends_without_an_answer_has_crashed() {
    let home = Home::new();
    let said = botzone(&home, [("good", "turn", ANEW), ("bad", "turn", "import sys\nsys.exit(3)\n")]);
    assert_eq!(said.code, Some(0), "{}", said.all());
    let games = home.agon(["export", "json", "run"]).out();
    let words = "\"stderr\":\"the bot has ended with 3 and without an answer\"";
    assert_eq!(games.matches(words).count(), 2, "{games}");
}

#[test]
fn a_referee_that_starts_its_bots_plays_through_agon() {
    adapter("relay", ["print(20)", "print(33)"]);
}

#[test]
fn a_word_that_nobody_fills_in_is_named_with_the_line_of_the_command() {
    let home = Home::new();
    engine(&home, "a", "print('5')");
    engine(&home, "b", "print('5')");
    for word in ["{seed}", "{\\\"seed\\\":1}", "{"] {
        let toml =
            format!("name = \"words\"\ntitle = \"x\"\ncommand = [\"python3\", \"r.py\", \"{word}\"]\n");
        home.put("game/game.toml", toml);
        let said = matched(&home, "./game", "--games 2");
        assert_eq!(said.code, Some(2), "{}", said.all());
        let place = "game/game.toml: line 3: key command: ";
        assert!(said.err().contains(place) && !said.err().contains("engine.toml"), "{}", said.all());
        assert!(said.err().contains("{folder}"), "{}", said.all());
    }
}
