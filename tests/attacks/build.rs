//! `agon build`: honest submissions are built, hostile ones do no harm, and each error is reported.

use std::fs;
use std::path::Path;

use crate::case::{Stage, User, is_available};
use crate::support::not_tried;

/// Attacks everything outside, leaves a process, and makes links to mislead a copy.
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

/// A stage whose engines are not built yet, and its path.
fn without_engines(user: User) -> (Stage, std::path::PathBuf) {
    let stage = Stage::new(user, "honest", "honest");
    let top = stage.arena.path("");
    for name in ["bad", "good"] {
        fs::remove_dir_all(top.join("engines").join(name)).unwrap();
    }
    (stage, top)
}

#[test]
fn a_hostile_makefile_does_no_harm_and_the_others_are_built() {
    let _beside = crate::beside_others();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        if is_available("sandbox", user).is_err() {
            eprintln!("NOT TRIED as {user}: no sandbox is available");
            continue;
        }
        let (stage, top) = without_engines(user);
        let secret = top.join("secret");
        fs::write(&secret, "the answers\n").unwrap();
        let program = "int main(void) { return 0; }\n";
        submission(&top, "honest", &[("a.c", program)]);
        submission(&top, "made", &[("Makefile", "prog: p.c\n\tcc -o prog p.c\n"), ("p.c", program)]);
        submission(&top, "script", &[("main.py", "print('W,P')\n")]);
        submission(&top, "hostile", &[("Makefile", &HOSTILE.replace("SECRET", secret.to_str().unwrap()))]);
        submission(&top, "broken", &[("x.c", "int main( {\n")]);
        submission(&top, "greedy", &[("Makefile", "all:\n\thead -c 2000M /dev/zero > full\n")]);
        submission(&top, "nothing", &[("read.me", "please\n")]);
        submission(&top, "in-the-way", &[("a.c", program)]);
        fs::create_dir(top.join("engines/in-the-way/build.log")).unwrap();
        stage.belongs_to_its_user();
        // A compiler on a busy machine gets the time that it needs.
        let finished = stage.run(&mut stage.command(&[], &["build", "engines", "--seconds", "120"]));
        assert_eq!(finished.code, Some(1), "{finished:?}");
        let row =
            |name: &str| finished.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        for built in ["honest", "made", "script", "hostile"] {
            assert!(row(built).contains("  ok"), "{built} as {user}: {finished:?}");
        }
        for (failed, why) in [
            ("broken", "exit status"),
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
        submission(&top, "endless", &[("Makefile", "all:\n\tsleep 600\n")]);
        stage.belongs_to_its_user();
        let finished = stage.run(&mut stage.command(&[], &["build", "engines", "--seconds", "3"]));
        assert_eq!(finished.code, Some(1), "{finished:?}");
        let row = finished.stdout.lines().find(|line| line.starts_with("endless")).unwrap_or_default();
        assert!(row.contains("FAILED") && row.contains("not done after 3 s"), "{user}: {finished:?}");
        stage.arena.assert_nothing_left("submissions are built");
    }
}

#[test]
fn what_is_due_before_a_game_is_built_in_a_box_wherever_it_is_played_in_one() {
    let _beside = crate::beside_others();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        if is_available("sandbox", user).is_err() {
            eprintln!("NOT TRIED as {user}: no sandbox is available");
            continue;
        }
        let stage = Stage::new(user, "honest", "honest");
        let top = stage.arena.path("");
        let (secret, reached) = (top.join("secret"), top.join("engines/reached"));
        fs::write(&secret, "the answers\n").unwrap();
        let recipe = format!(
            "bot: bot.sh\n\tcp bot.sh bot\n\tchmod +x bot\n\t-cat {0}\n\t-touch ../reached\n",
            secret.display()
        );
        let toml = "command = [\"./bot\"]\nbuild = [\"make\"]\n";
        submission(
            &top,
            "due",
            &[("Makefile", &recipe), ("bot.sh", "#!/bin/sh\nread line\n"), ("engine.toml", toml)],
        );
        submission(&top, "broken", &[("Makefile", "bot:\n\techo no header; false\n"), ("engine.toml", toml)]);
        stage.belongs_to_its_user();
        let check = |level: &str, name: &str| {
            let engine = format!("engines/{name}");
            stage.run(&mut stage.command(&[], &["check", &engine, "--isolation", level, "--st", "1"]))
        };
        let finished = check("sandbox", "due");
        assert_eq!(finished.code, Some(1), "as {user}: {finished:?}");
        assert!(finished.stderr.contains("building due"), "{finished:?}");
        assert!(!reached.exists(), "as {user} the build reached out of its box");
        let log = fs::read_to_string(top.join("engines/due/build.log")).unwrap();
        assert!(log.contains("cp bot.sh bot") && !log.lines().any(|line| line == "the answers"), "{log}");
        let again = check("sandbox", "due");
        assert!(!again.stderr.contains("building due"), "{again:?}");
        let failed = check("sandbox", "broken");
        assert_eq!(failed.code, Some(2), "{failed:?}");
        assert!(
            failed.stderr.contains("build.log ends") && failed.stderr.contains("engines/broken"),
            "{failed:?}"
        );
        // The control: at a level without boxes the same build reaches everything.
        fs::remove_file(top.join("engines/due/bot")).unwrap();
        check("limits", "due");
        assert!(reached.exists(), "as {user}: nothing was tried");
        stage.arena.assert_nothing_left("engines are built");
    }
}

/// Cargo is often a proxy of rustup's, which finds its toolchain by a home directory that a box
/// does not have.
#[test]
fn a_cargo_project_is_built_in_a_box_with_the_cargo_that_is_in_the_path() {
    let _beside = crate::beside_others();
    // The owner of cargo.
    let user = if User::Root.can_be_had() { User::Root } else { User::Plain };
    if is_available("sandbox", user).is_err() {
        not_tried!("no sandbox is available");
        return;
    }
    let (stage, top) = without_engines(user);
    let project = "[package]\nname = \"rusty\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[[bin]]\nname = \"rusty\"\npath = \"main.rs\"\n";
    submission(&top, "rusty", &[("Cargo.toml", project), ("main.rs", "fn main() {}\n")]);
    submission(&top, "typo", &[("Cargo.toml", project), ("main.rs", "fn main() { lte x; }\n")]);
    let finished = stage.run(&mut stage.command(&[], &["build", "engines", "--seconds", "60"]));
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let row = |name: &str| finished.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(row("rusty").contains("  ok") && row("typo").contains("FAILED"), "{finished:?}");
    let log = fs::read_to_string(top.join("engines/typo/build.log")).unwrap();
    assert!(log.contains("main.rs:1"), "{log}");
    stage.arena.assert_nothing_left("a Cargo project is built");
}

/// E08: capabilities of a file. `/usr/bin/cat` with a capability of root reads everything.
#[test]
fn a_file_with_capabilities_grants_an_engine_nothing_from_limits_on() {
    let _beside = crate::beside_others();
    if !User::Plain.can_be_had() || !User::Plain.is_to_be_become() {
        not_tried!("only root can give a file capabilities, and only root can become somebody else");
        return;
    }
    let stage = Stage::new(User::Plain, "honest", "honest");
    let top = stage.arena.path("");
    let (secret, cat) = (top.join("secret"), top.join("engines/bad/cat"));
    fs::copy("/usr/bin/cat", &cat).unwrap();
    let settings = fs::read_to_string(top.join("engines/bad/engine.toml")).unwrap();
    let (_, stub) = settings.split_once('"').unwrap();
    let (stub, _) = stub.split_once('"').unwrap();
    let script = format!("{} {} >&2; exec {stub} honest \"$@\"", cat.display(), secret.display());
    fs::write(
        top.join("engines/bad/engine.toml"),
        format!("command = [\"/bin/sh\", \"-c\", {script:?}, \"sh\"]\n"),
    )
    .unwrap();
    stage.belongs_to_its_user();
    fs::write(&secret, "the answers\n").unwrap();
    fs::set_permissions(&secret, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    // cap_dac_read_search, effective and permitted, in the kernel's format for a file.
    let given = std::process::Command::new("setcap").arg("cap_dac_read_search+ep").arg(&cat).status();
    if !given.is_ok_and(|status| status.success()) {
        not_tried!("there is no setcap (apt-get install libcap2-bin), or no room for capabilities here");
        return;
    }
    for (level, reads) in [("none", true), ("limits", false), ("sandbox", false)] {
        if is_available(level, User::Plain).is_err() {
            not_tried!("at {level}: it is not available");
            continue;
        }
        let out = format!("out-{level}");
        let words = format!(
            "match engines/bad engines/good --games 2 --game letters:4x4x2 --st 2 --out {out} --isolation {level}"
        );
        let words: Vec<&str> = words.split(' ').collect();
        let played = stage.run(&mut stage.command(&[], &words));
        assert_eq!(played.code, Some(0), "{played:?}");
        let logs = fs::read_dir(top.join(&out).join("logs")).unwrap();
        let said: String = logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap()).collect();
        assert_eq!(said.contains("the answers"), reads, "{level}: {said}");
    }
}
