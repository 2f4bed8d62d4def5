//! The autograder for Gradescope, in its folders under a temporary root.

use std::fs;
use std::os::unix::fs::symlink;

use super::home::{Home, programs, root};

const CUP: &str = "game = \"letters:3x3x2\"\nst = 1\ngames = 2\nseed = 7\nmax-plies = 4\n\n[grades]\nby = \"points\"\nmax = 10\n\
                   does-not-work = 1\nbaselines = \"reference\"\nsteps = [\n  { at = 0, grade = 4, name = \"plays\" },\n]\n";

/// The folders of an autograder, and the result of its run.
fn run(home: &Home, name: &str, submission: &[(&str, &str)]) -> serde_json::Value {
    for (file, text) in submission {
        home.put(format!("{name}/submission/{file}"), text);
    }
    fs::create_dir_all(home.path(format!("{name}/source"))).unwrap();
    let script = root().join("scripts/gradescope-autograder/run_autograder");
    fs::copy(script, home.path(format!("{name}/source/run_autograder"))).unwrap();
    home.put(format!("{name}/source/tournament.toml"), CUP);
    for engine in ["greedy", "random"] {
        home.engine(format!("{name}/source/reference/{engine}"), &format!("agon-{engine}"));
    }
    let said = home.shell(&format!("AUTOGRADER=\"$PWD/{name}\" {name}/source/run_autograder"));
    assert_eq!(said.code, Some(0), "{}", said.all());
    serde_json::from_str(&home.read(&format!("{name}/results/results.json"))).unwrap()
}

#[test]
fn a_submission_plays_the_baselines_and_gets_its_results() {
    let home = Home::new();
    home.submission("good/submission", "agon-greedy", "");
    let results = run(&home, "good", &[]);
    assert_eq!(results["score"], 4.0, "{results}");
    assert_eq!(
        (&results["tests"][0]["score"], &results["tests"][0]["max_score"]),
        (&4.0.into(), &10.0.into())
    );
    let names = |list: &str| -> Vec<String> {
        results[list].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("leaderboard"), ["Place", "Points %", "Stage", "Elo"]);
    let tests = names("tests");
    assert!(
        tests.contains(&"against greedy".to_owned()) && tests.contains(&"against random".to_owned()),
        "{results}"
    );
    let results = run(&home, "bad", &[("bot.c", "int main(void) { return gone; }\n")]);
    assert_eq!(results["score"], 1.0, "{results}");
    assert!(results["output"].as_str().unwrap().contains("its first errors: "), "{results}");
    assert!(results["leaderboard"].as_array().unwrap().is_empty(), "{results}");
}

#[test]
fn what_cannot_be_graded_is_said_to_the_student() {
    let home = Home::new();
    home.put("alone/source/tournament.toml", "st = 1\n");
    home.put("alone/submission/bot.c", "");
    let script = root().join("scripts/gradescope-autograder/run_autograder");
    let said = home.shell(&format!("AUTOGRADER=\"$PWD/alone\" {}", script.display()));
    assert_eq!(said.code, Some(2), "{}", said.all());
    let results: serde_json::Value = serde_json::from_str(&home.read("alone/results/results.json")).unwrap();
    assert_eq!((results.get("score"), results.get("tests")), (None, None), "{results}");
    assert!(results["output"].as_str().unwrap().contains("section [grades] is missing"), "{results}");
}

/// The machine's fault, a file of the grader that is wrong, and no agon at all.
#[test]
fn what_is_no_fault_of_the_student_gets_no_score() {
    let home = Home::new();
    home.put("lacks/source/tournament.toml", CUP);
    for engine in ["greedy", "random"] {
        home.engine(format!("lacks/source/reference/{engine}"), &format!("agon-{engine}"));
    }
    home.put("lacks/submission/engine.toml", "command = [\"swipl\", \"x.pl\"]\n");
    // What an earlier run has left is no result of this one.
    home.put("lacks/results/results.json", "{\"score\": 10}");
    let script = root().join("scripts/gradescope-autograder/run_autograder");
    home.put_program("none/agon", "#!/bin/sh\nprintf 'killed \\033[1m\\\\ \"here\"\\n'; exit 137\n");
    home.put_program("empty/agon", "#!/bin/sh\nexit 0\n");
    for (path, code, words) in [
        ("", 3, "swipl is not on this machine"),
        ("PATH=\"$PWD/none:$PATH\" ", 137, "killed [1m\\ \"here\""),
        ("PATH=\"$PWD/empty:$PATH\" ", 1, "The submission was not graded."),
    ] {
        let said = home.shell(&format!("{path}AUTOGRADER=\"$PWD/lacks\" {}", script.display()));
        assert_eq!(said.code, Some(code), "{words}: {}", said.all());
        let text = home.read("lacks/results/results.json");
        let results: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((results.get("score"), results.get("tests")), (None, None), "{results}");
        assert!(results["output"].as_str().unwrap().contains(words), "{results}");
    }
}

#[test]
fn the_image_gets_agon_and_its_sample_tournament_is_read() {
    let home = Home::new();
    let folder = root().join("scripts/gradescope-autograder");
    home.put_program("fake/apt-get", "#!/bin/sh\necho \"$@\" >> packages\n");
    home.put_program("image/source/agon", "the program");
    fs::create_dir(home.path("bin")).unwrap();
    let line = format!(
        "PATH=\"$PWD/fake:$PATH\" AUTOGRADER=\"$PWD/image\" AGON_BIN=\"$PWD/bin\" {}/setup.sh",
        folder.display()
    );
    let said = home.shell(&line);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(home.read("bin/agon"), "the program");
    assert!(home.read("packages").contains("install -y"));
    fs::copy(folder.join("tournament.toml"), home.path("tournament.toml")).unwrap();
    home.put("roster.csv", "id,name,mail,submission\n1,A,,\n");
    fs::create_dir(home.path("reference")).unwrap();
    for engine in ["greedy", "random"] {
        symlink(programs().join("agon-mover"), home.path(format!("reference/{engine}"))).unwrap();
    }
    let said = home.agon(
        "grade tournament.toml --roster roster.csv --isolation limits --games 2 --max-plies 2".split(' '),
    );
    assert_eq!(said.code, Some(0), "{}", said.all());
}
