//! Every subcommand under small limits set by a shell: one message, a documented exit code, no
//! panic, and no loss.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

use super::home::{Home, Said, programs};
use crate::support::{copy_program, is_thorough};

const NOBODY: u32 = 65534;

/// A plain user, who cannot get round a limit.
struct Plain {
    home: Home,
    user: &'static str,
}

impl Plain {
    fn new() -> Plain {
        let home = Home::new();
        for name in ["agon", "agon-greedy", "agon-random"] {
            fs::create_dir_all(home.path("bin")).unwrap();
            copy_program(programs().join(name), &home.path("bin").join(name));
        }
        fs::create_dir(home.path("engines")).unwrap();
        for (from, to) in [("agon-greedy", "greedy"), ("agon-random", "random")] {
            copy_program(programs().join(from), &home.path("engines").join(to));
        }
        home.put("in/a/main.py", "");
        home.put("cup.toml", "game = \"letters:3x3x1\"\nst = 1\n[grades]\nby = \"points\"\nmax = 10\nsteps = [{ at = 0, grade = 4 }]\n");
        home.put("roster.csv", "id,name,mail,submission\n1,a,b,engines/greedy\n2,c,d,engines/random\n");
        let user = if rustix::process::geteuid().is_root() {
            for place in ["..", "../temp", "", "engines", "in", "in/a", "bin"].map(|name| home.path(name)) {
                chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
                fs::set_permissions(place, fs::Permissions::from_mode(0o755)).unwrap();
            }
            "setpriv --reuid 65534 --regid 65534 --clear-groups"
        } else {
            ""
        };
        Plain { home, user }
    }

    /// The output goes through a pipe: if files may not grow, a file would show nothing. Both come
    /// out of stdout.
    fn agon(&self, limit: &str, words: &str) -> Said {
        let line = format!("(ulimit -c 0; ulimit {limit}; exec bin/agon {words}) 2>&1 | cat");
        self.home.shell(&format!("exec {} bash -o pipefail -c '{line}'", self.user))
    }
}

const MATCH: &str = "match engines/greedy engines/random --games 4 --game letters:3x3x1 --st 5 --seed 7";

#[test]
#[ignore = "slow"]
fn every_subcommand_under_a_small_limit_says_why_and_leaves_with_a_documented_code() {
    let plain = Plain::new();
    let done = plain.agon("-c 0", &format!("{MATCH} --out done"));
    assert_eq!(done.code, Some(0), "{}", done.all());
    let travelling = plain.agon("-c 0", "export json done");
    plain.home.put("done.jsonl", travelling.out());
    let subcommands = [
        "doctor",
        &format!("{MATCH} --out fresh --isolation none"),
        &format!("{MATCH} --isolation limits"),
        &format!("{MATCH} --isolation sandbox"),
        "tournament engines --games 2 --game letters:3x3x1 --st 5 --concurrency 4 --isolation none --out fresh",
        "check engines/greedy --game letters:3x3x1",
        "build in",
        "grade cup.toml --roster roster.csv --out fresh --to fresh-grades",
        "play engines/greedy",
        "plan engines",
        "standings done",
        "games done",
        "why done r01-p0001-g01",
        "history done",
        "verify done",
        "export json done",
        "import fresh done.jsonl",
        "replay done r01-p0001-g01",
        "stop done",
        "reveal",
        "rules",
        "position show mnk",
        "position moves mnk",
        "position perft mnk 2",
        "position notation mnk 1,1",
        "board",
        "completions bash",
        "man",
    ];
    let limits = [
        "-u 3", "-n 14", "-d 20000", "-n 8", "-v 80000", "-f 8", "-s 64", "-u 1", "-n 5", "-n 20",
        "-v 60000", "-f 0",
    ];
    // All, or one of each resource, which every other subcommand has.
    let (most, step) = if is_thorough() { (limits.len(), 1) } else { (5, 2) };
    for (at, limit) in limits[..most].iter().enumerate() {
        for words in subcommands.iter().skip(at % step).step_by(step) {
            let said = plain.agon(limit, words);
            let what = format!("ulimit {limit}; agon {words}");
            assert!([0, 1, 2, 3, 4].map(Some).contains(&said.code), "{what}: {}", said.all());
            for bad in ["panicked", "overflowed", "by signal"] {
                assert!(!said.out().contains(bad), "{what}: {}", said.all());
            }
            assert!(said.code == Some(0) || !said.out.is_empty(), "{what}: no word about it");
            for name in ["fresh", "fresh-grades", "fresh-engines"] {
                let _ = fs::remove_dir_all(plain.home.path(name)); // it may not be there
            }
        }
    }
    let said = plain.agon("-s 64", "rules");
    assert!(said.out().contains("the limit on the stack (ulimit -s) is 64 KiB"), "{}", said.all());
    let said = plain.agon("-v 60000", "rules");
    assert!(said.out().contains("the limit on memory (ulimit -v)"), "{}", said.all());
    let said = plain.agon("-d 20000", "rules");
    assert!(said.out().contains("the limit on data (ulimit -d) is 20000 KiB"), "{}", said.all());
    let said = plain.agon("-u 3", "doctor");
    assert!(said.code == Some(0) || said.out().contains("ulimit -u"), "{}", said.all());
}

#[test]
fn a_directory_that_may_not_be_looked_into_is_told_from_one_without_a_run() {
    let plain = Plain::new();
    let locked = plain.home.path("engines/locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let said = plain.agon("-c 0", "standings engines/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(said.code, Some(2), "{}", said.all());
    assert!(
        said.out().contains("engines/locked: it may not be looked into: permission denied"),
        "{}",
        said.all()
    );
    let said = plain.agon("-c 0", "standings engines/locked");
    assert!(said.code == Some(2) && said.out().contains("there is no agon.db in it"), "{}", said.all());
}

#[test]
fn a_run_that_a_limit_on_files_has_stopped_goes_on_without_it() {
    let plain = Plain::new();
    let words = "match engines/greedy engines/random --games 60 --game letters:3x3x1 --st 5 --seed 7 --out run --isolation none";
    let mut stopped = 0;
    // In blocks of 1024 bytes: no space at all, for the first games, for more.
    for limit in ["-f 0", "-f 150", "-f 200", "-f 260"] {
        let said = plain.agon(limit, words);
        assert!([Some(0), Some(1)].contains(&said.code), "{limit}: {}", said.all());
        if said.code == Some(1) {
            stopped += 1;
            assert!(
                said.out().contains("error: cannot") && !said.out().contains("signal"),
                "{limit}: {}",
                said.all()
            );
        }
    }
    assert!(stopped > 0, "the control: a limit has stopped it");
    let said = plain.agon("-c 0", words);
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert_eq!(plain.home.read("run/games.csv").lines().count(), 61);
    assert_eq!(plain.agon("-c 0", "verify run").code, Some(0));
}

#[test]
fn a_run_whose_directory_or_database_is_taken_away_says_so() {
    for (what, word) in [
        // Agon may look when the files are removed and the directory is not yet.
        ("rm -r run", " is gone"),
        ("mv run moved", "run is gone"),
        ("rm run/agon.db", "agon.db is gone"),
        ("cp run/agon.db run/new && mv run/new run/agon.db", "agon.db was replaced"),
        ("mv run moved && mkdir run", "removed, moved or replaced"),
    ] {
        let home = Home::with_two();
        let words = "match engines/greedy engines/random --game letters:3x3x1 --st 5 --seed 7 --out run --isolation none -q";
        // It is removed when some games are stored, and many are still to come. Several games end
        // at once.
        let line = format!(
            "agon {words} --games 4000 --concurrency 8 & while ! test -s run/games.csv; do sleep 0.05; done; sleep 0.3; {what}; wait $!"
        );
        let said = home.shell(&line);
        assert_eq!(said.code, Some(1), "{what}: {}", said.all());
        assert!(said.err().contains(word) && said.err().contains("run the same"), "{what}: {}", said.all());
        if what == "mv run moved" {
            let said = home.shell(&format!("mv moved run; agon {words} --games 20 --again"));
            assert_eq!(said.code, Some(0), "{}", said.all());
        }
    }
}
