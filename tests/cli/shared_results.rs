//! Two tournaments whose results would lie in one directory: the second is refused, and says which
//! key keeps them apart.

use super::home::Home;

const GAMES: &str = "engines = \"engines\"\ngame = \"letters:3x3x2\"\nst = 5\ngames = 2\nseed = 7\n";
const CUP: &str = "[[stages]]\nname = \"groups\"\n";
const LEAGUE: &str = "[league]\ndivisions = 1\n";

fn plays(home: &Home, file: &str, options: &str) {
    let said = home.shell(&format!("agon tournament {file} --no-check --quiet {options}"));
    assert_eq!(said.code, Some(0), "{file}: {}", said.all());
}

fn refused(home: &Home, command: &str, words: &str) {
    let said = home.shell(command);
    assert_eq!(said.code, Some(2), "{command}: {}", said.all());
    assert!(said.err().contains(words), "{command}: {}", said.all());
    assert!(
        said.err().contains("hint: write out = \"DIRECTORY\" into one of the two files"),
        "{}",
        said.all()
    );
}

#[test]
fn a_league_a_cup_and_a_plain_run_do_not_share_a_directory() {
    let home = Home::with_two();
    for (name, text) in [("cup", CUP), ("league", LEAGUE), ("plain", "")] {
        home.put(format!("{name}.toml"), format!("{GAMES}{text}"));
    }
    for (first, holds) in
        [("cup", "the stages of a cup"), ("league", "the nights of a league"), ("plain", "one run")]
    {
        plays(&home, &format!("{first}.toml"), "");
        let before = home.shell("agon standings agon-run --csv && ls agon-run").out();
        for (second, asks) in
            [("cup", "the stages of a cup"), ("league", "the nights of a league"), ("plain", "one run")]
        {
            if first == second {
                continue;
            }
            for options in ["", " --dry-run", " --out agon-run"] {
                refused(
                    &home,
                    &format!("agon tournament {second}.toml --no-check --quiet{options}"),
                    &format!("agon-run: it holds {holds}, and these are {asks}"),
                );
            }
        }
        refused(
            &home,
            "agon tournament plain.toml --no-check --quiet --st 1 --st 2",
            &format!("it holds {holds}, and these are runs at several time controls"),
        );
        assert_eq!(home.shell("agon standings agon-run --csv && ls agon-run").out(), before);
        plays(&home, &format!("{first}.toml"), "");
        std::fs::remove_dir_all(home.path("agon-run")).unwrap();
    }
    plays(&home, "plain.toml", "--st 4 --st 5");
    refused(&home, "agon tournament cup.toml --no-check", "it holds runs at several time controls");
}

#[test]
fn two_cups_and_two_leagues_share_no_directory_unless_it_is_named() {
    let home = Home::with_two();
    for (kind, text) in [("cup", CUP), ("league", LEAGUE), ("knockout", "format = \"knockout\"\n")] {
        let (one, other) = (format!("{kind}-1.toml"), format!("{kind}-2.toml"));
        for file in [&one, &other] {
            home.put(file, format!("{GAMES}{text}"));
        }
        plays(&home, &one, "");
        let (there, here) = (home.path(&one), home.path(&other));
        let [there, here] = [there, here].map(|path| path.canonicalize().unwrap().display().to_string());
        refused(
            &home,
            &format!("agon tournament {other} --no-check --quiet"),
            &format!("agon-run: it holds the tournament of {there}, and this is the tournament of {here}"),
        );
        // The same file from another place, and one that was renamed, go on.
        assert_eq!(
            home.shell(&format!(
                "mkdir -p d && cd d && agon tournament ../{one} --out ../agon-run --quiet --no-check"
            ))
            .code,
            Some(0)
        );
        plays(&home, &format!("./{one}"), "");
        assert_eq!(home.shell(&format!("mv {one} renamed.toml")).code, Some(0));
        plays(&home, "renamed.toml", "");
        // Who names the directory means it.
        plays(&home, &other, "--out agon-run");
        plays(&home, &other, "");
        std::fs::remove_dir_all(home.path("agon-run")).unwrap();
    }
}

#[test]
fn a_comma_in_a_number_is_answered_with_a_point() {
    let home = Home::with_two();
    let said =
        home.shell("agon tournament engines --game letters:3x3x2 --games 2 --st 1,5 --dry-run --no-check");
    assert_eq!(said.code, Some(0), "{}", said.all());
    let hint =
        "two time controls are played, st=1 and st=5; a decimal point is written with a point: --st 1.5";
    assert!(said.err().contains(hint), "{}", said.all());
    let said =
        home.shell("agon tournament engines --game letters:3x3x2 --games 2 --tc 60+0,5 --dry-run --no-check");
    assert!(said.err().contains("written with a point: --tc 60.5 or 60+0.5"), "{}", said.all());
    for list in ["--st 1 --st 0.5", "--st 1,2,3", "--tc 60+1.5,30"] {
        let said = home.shell(&format!(
            "agon tournament engines --game letters:3x3x2 --games 2 {list} --dry-run --no-check"
        ));
        assert!(said.code == Some(0) && !said.err().contains("decimal"), "{list}: {}", said.all());
    }
    home.put("list.toml", "engines = \"engines\"\ngame = \"letters:3x3x2\"\ngames = 2\nst = [1, 5]\n");
    let said = home.shell("agon tournament list.toml --dry-run --no-check");
    assert!(said.code == Some(0) && !said.err().contains("decimal"), "{}", said.all());
    home.put("st.toml", "engines = \"engines\"\nst = 1,5\n");
    home.put("margin.toml", "engines = \"engines\"\nmargin = \"0,1\"\n");
    for (words, says) in [
        ("match engines/greedy engines/random --st 1,5", "give one here, such as 1.5"),
        ("match engines/greedy engines/random --margin 0,1", "write a decimal point, 0.1"),
        ("match engines/greedy engines/random --bank 2,5", "write a decimal point, 2.5"),
        ("match engines/greedy engines/random --time greedy=st=0,5", "write a decimal point, 0.5"),
        ("match engines/greedy engines/random --points 1-0,5-0", "0.5"),
        ("tournament st.toml", "hint: write a decimal point: st = 1.5"),
        ("tournament margin.toml", "write a decimal point, 0.1"),
    ] {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "{words}: {}", said.all());
        assert!(said.err().contains(says), "{words}: {}", said.all());
    }
}
