//! `agon build`: honest submissions are built, hostile ones do no harm, and each is told what is wrong with it.

use std::fs;
use std::path::Path;

use crate::case::{Stage, User, is_to_be_had};

/// Reaches for everything outside, leaves a process, and makes links to lead whoever copies astray.
const HOSTILE: &str = "all:
\techo changed > ../honest/a.c; rm -rf ../honest SECRET; cat SECRET; touch ../made
\tln -s ../honest link; ln -s SECRET leak; (setsid sleep 20 &); mkfifo fifo; mkdir sub; ln -s /tmp sub/out
\tcp /bin/true prog
";

fn submission(top: &Path, name: &str, files: &[(&str, &str)]) {
    let folder = top.join("engines").join(name);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
}

#[test]
fn a_hostile_makefile_does_no_harm_and_the_others_are_built() {
    let _alone = crate::alone();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        if is_to_be_had("sandbox", user).is_err() {
            eprintln!("not tried as {user}: no sandbox to be had");
            continue;
        }
        let stage = Stage::new(user, "honest", "honest");
        let top = stage.arena.path("");
        for name in ["bad", "good"] {
            fs::remove_dir_all(top.join("engines").join(name)).unwrap();
        }
        let secret = top.join("secret");
        fs::write(&secret, "the answers\n").unwrap();
        let program = "int main(void) { return 0; }\n";
        submission(&top, "honest", &[("a.c", program)]);
        submission(&top, "made", &[("Makefile", "prog: p.c\n\tcc -o prog p.c\n"), ("p.c", program)]);
        submission(&top, "script", &[("main.py", "print('W,P')\n")]);
        submission(&top, "hostile", &[("Makefile", &HOSTILE.replace("SECRET", secret.to_str().unwrap()))]);
        submission(&top, "broken", &[("x.c", "int main( {\n")]);
        submission(&top, "endless", &[("Makefile", "all:\n\tsleep 60\n")]);
        submission(&top, "greedy", &[("Makefile", "all:\n\thead -c 2000M /dev/zero > full\n")]);
        submission(&top, "nothing", &[("read.me", "please\n")]);
        submission(&top, "in-the-way", &[("a.c", program)]);
        fs::create_dir(top.join("engines/in-the-way/build.log")).unwrap();
        stage.belongs_to_its_user();
        let finished = stage.run(&mut stage.command(&[], &["build", "engines", "--seconds", "5"]));
        assert_eq!(finished.code, Some(1), "{finished:?}");
        let row =
            |name: &str| finished.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        for built in ["honest", "made", "script", "hostile"] {
            assert!(row(built).contains("  ok"), "{built} as {user}: {finished:?}");
        }
        for (failed, why) in [
            ("broken", "exit status"),
            ("endless", "not done after 5 s"),
            ("greedy", "exit status"),
            ("nothing", "nothing to build"),
            ("in-the-way", "cannot write"),
        ] {
            assert!(
                row(failed).contains("FAILED") && row(failed).contains(why),
                "{failed} as {user}: {finished:?}"
            );
        }
        assert_eq!(fs::read_to_string(&secret).unwrap(), "the answers\n");
        assert_eq!(fs::read_to_string(top.join("engines/honest/a.c")).unwrap(), program);
        assert!(!top.join("engines/made/made").exists() && !top.join("engines/made-it").exists());
        let log = fs::read_to_string(top.join("engines/hostile/build.log")).unwrap();
        assert!(!log.lines().any(|line| line == "the answers"), "{log}");
        for left in ["link", "leak", "fifo", "sub"] {
            let path = top.join("engines/hostile").join(left);
            assert!(path.symlink_metadata().is_err(), "{left} came out of the box");
        }
        for program in ["honest/engine", "made/prog", "hostile/prog"] {
            assert!(top.join("engines").join(program).is_file(), "{program}");
        }
        stage.arena.assert_nothing_left("submissions are built");
    }
}

/// An engine whose build reaches for what lies outside, and then makes a program that plays.
const MAKEFILE: &str =
    "plain: plain.c\n\tcc -O1 -o plain plain.c\n\techo changed > SECRET; touch ../made; true\n";

#[test]
fn whoever_plays_or_hands_in_at_a_level_with_boxes_is_built_in_one() {
    let _alone = crate::alone();
    let plain = include_str!("../../engines/plain-c/plain.c");
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        if is_to_be_had("sandbox", user).is_err() {
            eprintln!("not tried as {user}: no sandbox to be had");
            continue;
        }
        let stage = Stage::new(user, "honest", "honest");
        let top = stage.arena.path("");
        fs::remove_dir_all(top.join("engines/bad")).unwrap();
        let secret = top.join("secret");
        fs::write(&secret, "the answers\n").unwrap();
        let makefile = MAKEFILE.replace("SECRET", secret.to_str().unwrap());
        let settings = "command = [\"./plain\"]\nbuild = [\"make\"]\n";
        submission(&top, "due", &[("Makefile", &makefile), ("plain.c", plain), ("engine.toml", settings)]);
        stage.belongs_to_its_user();
        let words = "match engines/due engines/good --games 2 --size 3x3x2 --st 3 --isolation";
        let play = |level: &str, out: &str| {
            let words = format!("{words} {level} --out {out}");
            stage.run(&mut stage.command(&[], &words.split_ascii_whitespace().collect::<Vec<_>>()))
        };
        let played = play("sandbox", "first");
        assert_eq!(played.code, Some(0), "as {user}: {played:?}");
        assert!(played.stderr.contains("building due"), "{played:?}");
        assert_eq!(fs::read_to_string(&secret).unwrap(), "the answers\n", "as {user}");
        assert!(top.join("engines/due/build.log").is_file() && !top.join("engines/made").exists());
        // Built once; and the control: without a box the same Makefile does what it wants.
        let again = play("sandbox", "second");
        assert!(!again.stderr.contains("building"), "{again:?}");
        fs::remove_file(top.join("engines/due/plain")).unwrap();
        let open = play("none", "third");
        assert_eq!(open.code, Some(0), "as {user}: {open:?}");
        assert_eq!(fs::read_to_string(&secret).unwrap(), "changed\n", "as {user}");

        // A class, which says nothing of a level.
        fs::write(&secret, "the answers\n").unwrap();
        submission(&top, "../in/made", &[("Makefile", &makefile), ("plain.c", plain)]);
        submission(&top, "../in/source", &[("plain.c", plain)]);
        submission(&top, "../in/broken", &[("plain.c", "int main( {\n")]);
        let toml =
            "out = \"results\"\nsize = \"3x3x2\"\nst = 3\ngames = 2\n\n[grades]\nby = \"points\"\nmax = 10\n";
        fs::write(top.join("cup.toml"), toml.to_owned() + "steps = [{ at = 0, grade = 4 }]\n").unwrap();
        let roster = "id,name,mail,submission\n1,A,a,in/made\n2,B,b,in/source\n3,C,c,in/broken\n";
        fs::write(top.join("roster.csv"), roster).unwrap();
        stage.belongs_to_its_user();
        let words = ["grade", "cup.toml", "--roster", "roster.csv"];
        let graded = stage.run(&mut stage.command(&[], &words));
        assert_eq!(graded.code, Some(0), "as {user}: {graded:?}");
        assert!(graded.stderr.contains("exit status"), "the broken one is told: {graded:?}");
        assert_eq!(fs::read_to_string(&secret).unwrap(), "the answers\n", "as {user}");
        let words = ["export", "json", "results", "results.jsonl"];
        assert_eq!(stage.run(&mut stage.command(&[], &words)).code, Some(0));
        let games = fs::read_to_string(top.join("results.jsonl")).unwrap();
        assert_eq!(games.lines().count(), 2, "{games}");
        assert!(games.lines().all(|game| game.contains("\"level\":\"sandbox\"")), "{games}");
        stage.arena.assert_nothing_left("submissions are built and played");
    }
}
