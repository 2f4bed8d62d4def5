//! The second way into a box: what attacks come to in one that bubblewrap has made is what they come to in agon's own.

use std::path::Path;
use std::process::Command;

use crate::case::{self, Case, Stage, User};
use crate::table;

/// What every guard of a box has at least one attack for, and the ways in which an engine can end.
const TRIED: [&str; 26] = [
    "honest",
    "signal",
    "exit-after",
    "kill-parent",
    "stop-parent",
    "tty",
    "fork-bomb",
    "daemon-holds-stdout",
    "nested",
    "memory-family",
    "dev-shm",
    "disk-in-parts",
    "many-files",
    "keepsake",
    "ponder",
    "ponder-helper",
    "neighbours",
    "look-around",
    "environ",
    "fds",
    "supervisor",
    "tamper",
    "setuid",
    "roots-powers",
    "local-sockets",
    "network",
];

/// What is prevented at `strict` in another way than at `sandbox`.
const TRIED_AT_STRICT: [&str; 6] =
    ["honest", "memory-family", "fork-bomb", "hogs", "ponder-helper", "daemon-holds-stdout"];

/// Whether bubblewrap is on this machine; said aloud where it is not.
fn is_here() -> bool {
    let here = Command::new("bwrap").arg("--version").output().is_ok_and(|output| output.status.success());
    if !here {
        eprintln!("NOT TRIED: bubblewrap is not on this machine; apt-get install bubblewrap");
    }
    here
}

#[test]
fn attacks_in_a_box_that_bubblewrap_made_come_to_what_they_do_in_an_own_one() {
    let _alone = crate::alone();
    if !is_here() {
        return;
    }
    let only = std::env::var("AGON_ATTACKS").ok();
    let modes = table::modes();
    let mut cases = Vec::new();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        for (level, tried) in [("sandbox", &TRIED[..]), ("strict", &TRIED_AT_STRICT)] {
            if let Err(why) = case::is_to_be_had(level, user) {
                eprintln!("NOT TRIED: {level} by bubblewrap as {user}: {}", why.trim());
                continue;
            }
            let wanted = modes.iter().filter(|mode| match only.as_deref() {
                Some("all") => true,
                Some(name) => name == mode.name,
                None => tried.contains(&mode.name.as_str()),
            });
            cases.extend(wanted.map(|mode| Case { mode: mode.clone(), level, backend: "bwrap", user }));
        }
    }
    let failures = crate::play_loud_and_quiet(cases, &mut crate::Seen::new());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn records_name_the_bubblewrap_and_how_an_engine_ended_in_it() {
    let _alone = crate::alone();
    if !is_here() {
        return;
    }
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        let stage = Stage::new(user, "signal --number 11", "honest");
        let finished = stage.run(&mut stage.command(&[], &ARGUMENTS));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for game in stage.arena.games() {
            assert_eq!(game.seat("bad")["exit"], serde_json::json!({"signal": 11}), "{user}: {}", game.0);
            let in_force = game.0["record"]["isolation"]["in_force"].as_array().unwrap().clone();
            let named = |what: &str| in_force.iter().any(|one| one.as_str().unwrap().starts_with(what));
            assert!(
                named("bwrap 0.")
                    && !named("number of files")
                    && named("seccomp")
                    && named("frozen off turn"),
                "{user}: {in_force:?}"
            );
        }
        stage.arena.assert_nothing_left("bubblewrap");
    }
}

/// What a box shows to a program in it, without numbers that are another's in every game. How many processes a pipeline
/// sees of itself hangs on which of them is there first, so the count needs none.
const LOOK: &str = "id -un; df --output=itotal,size /tmp; stat -c %A /tmp; for d in / /etc /dev; do stat -c '%A %n' $d; ls $d; done; \
                    grep -E 'Cap|NoNewPrivs|Seccomp' /proc/self/status; ls /proc/self/fd; ls /proc >/tmp/all; grep -c '^[0-9]' /tmp/all; rm /tmp/all; \
                    hostname; umask; env | sort; grep -v processes /proc/self/limits; cat /etc/passwd | cut -d: -f1,6,7; ls -A /tmp/box; \
                    ls /proc/1/fd || echo shut";

#[test]
fn a_box_that_bubblewrap_made_shows_what_an_own_one_does() {
    let _alone = crate::alone();
    if !is_here() {
        return;
    }
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        let seen = ["own", "bwrap"].map(|backend| {
            let stage = Stage::new(user, "honest", "honest");
            let toml =
                format!("command = [\"/bin/sh\", \"-c\", {:?}]\n", format!("({LOOK}) >&2 2>&1; exit 1"));
            std::fs::write(stage.arena.path("engines/bad/engine.toml"), toml).unwrap();
            let mut arguments = ARGUMENTS.to_vec();
            *arguments.last_mut().unwrap() = backend;
            let finished = stage.run(stage.command(&[], &arguments).args(["--out", "out"]));
            assert_eq!(finished.code, Some(0), "{finished:?}");
            let game = &stage.arena.games()[0];
            let side = game.seat("bad")["side"].as_str().unwrap().to_owned();
            let log =
                std::fs::read_to_string(stage.arena.path(&format!("out/logs/{}-{side}.txt", game.id())));
            log.unwrap()
        });
        assert!(seen[0].lines().count() > 50 && seen[0].contains("engine\n"), "{seen:?}");
        assert_eq!(seen[1], seen[0], "{user}");
    }
}

const ARGUMENTS: [&str; 13] = [
    "match",
    "engines/bad",
    "engines/good",
    "--size",
    "4x4x2",
    "--games",
    "2",
    "--events",
    "events",
    "--isolation",
    "sandbox",
    "--sandbox-backend",
    "bwrap",
];

#[test]
fn without_a_bubblewrap_that_can_do_it_nothing_is_played() {
    let _alone = crate::alone();
    for (program, why, remedy) in [
        (None, "bubblewrap is not on this machine", "apt-get install bubblewrap"),
        (Some("#!/bin/sh\necho sheep 1\n"), "is no bubblewrap", "apt-get install bubblewrap"),
        (
            Some(
                "#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 0.1 && exit\necho bwrap: Unknown option --size >&2\nexit 1\n",
            ),
            "bubblewrap: Unknown option --size",
            "apt-get install bubblewrap",
        ),
        (
            Some(
                "#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 9 && exit\necho bwrap: No permissions >&2\nexit 1\n",
            ),
            "bubblewrap: No permissions",
            "--sandbox-backend own",
        ),
    ] {
        let stage = Stage::new(User::Plain, "honest", "honest");
        let place = stage.arena.path("programs");
        std::fs::create_dir(&place).unwrap();
        if let Some(text) = program {
            write_program(&place.join("bwrap"), text);
        }
        stage.belongs_to_its_user();
        let path = format!("PATH={}", place.display());
        let finished = stage.run(&mut stage.command(&["/usr/bin/env", &path], &ARGUMENTS));
        assert_eq!(finished.code, Some(3), "{finished:?}");
        assert!(finished.stderr.contains(why) && finished.stderr.contains(remedy), "{finished:?}");
        assert!(stage.arena.events().is_empty(), "nothing was begun: {:?}", stage.arena.events());
        stage.arena.assert_nothing_left(why);
    }
}

/// As where a policy leaves no rights at all to what bubblewrap starts.
#[test]
fn where_a_warden_may_change_no_mount_engines_play_and_the_record_says_what_is_not_in_force() {
    let _alone = crate::alone();
    if !is_here() {
        return;
    }
    let stage = Stage::new(User::Plain, "disk-in-parts", "honest");
    let place = stage.arena.path("programs");
    std::fs::create_dir(&place).unwrap();
    let text = "#!/bin/sh\nfor word do\n  shift\n  case $word in --cap-add | CAP_*) ;; *) set -- \"$@\" \"$word\" ;; esac\ndone\n\
                exec /usr/bin/bwrap \"$@\"\n";
    write_program(&place.join("bwrap"), text);
    stage.belongs_to_its_user();
    let path = format!("PATH={}", place.display());
    let finished = stage.run(&mut stage.command(&["/usr/bin/env", &path], &ARGUMENTS));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for game in stage.arena.games() {
        let in_force = game.0["record"]["isolation"]["in_force"].to_string();
        assert!(in_force.contains("number of files not limited"), "{in_force}");
        assert_eq!(game.ending().0, "normal", "{}", game.reason());
    }
    stage.arena.assert_nothing_left("no rights");
}

#[test]
fn submissions_are_built_in_a_box_that_bubblewrap_made() {
    let _alone = crate::alone();
    if !is_here() {
        return;
    }
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        let stage = Stage::new(user, "honest", "honest");
        for name in ["bad", "good"] {
            std::fs::remove_dir_all(stage.arena.path("engines").join(name)).unwrap();
        }
        let folder = stage.arena.path("engines/made");
        std::fs::create_dir(&folder).unwrap();
        let secret = stage.arena.text("secret");
        std::fs::write(&secret, "the answers\n").unwrap();
        let makefile = format!("prog: p.c\n\tcc -o prog p.c\n\t-cp {secret} leak\n\t-echo x >> {secret}\n");
        std::fs::write(folder.join("Makefile"), makefile).unwrap();
        std::fs::write(folder.join("p.c"), "int main(void) { return 0; }\n").unwrap();
        stage.belongs_to_its_user();
        let finished =
            stage.run(&mut stage.command(&[], &["build", "engines", "--sandbox-backend", "bwrap"]));
        assert_eq!(finished.code, Some(0), "{user}: {finished:?}");
        assert!(folder.join("prog").is_file() && !folder.join("leak").exists(), "{user}: {finished:?}");
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "the answers\n", "{user}");
        stage.arena.assert_nothing_left("submissions are built");
    }
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
