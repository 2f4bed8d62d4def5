//! I01 and I02: submissions that ask for a place of the machine, in every known spelling, through
//! every door. No byte of the place is seen in a box, nothing there is changed, nobody behind its
//! sockets is reached, and no game is void.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::case::{Programs, Stage, User, is_available};
use crate::support::{Finished, not_tried};

/// A submission by its first line, in which `PLACE` is the place and `HERE` its own folder; its
/// `engine.toml`; and whether it reads the place where nothing keeps it from that.
struct Spelling {
    name: &'static str,
    line: &'static str,
    settings: &'static str,
    reads: bool,
}

const RUN: &str = "command = [\"./run\"]\n";

const fn line(name: &'static str, line: &'static str) -> Spelling {
    Spelling { name, line, settings: RUN, reads: true }
}

const SPELLINGS: [Spelling; 22] = [
    line("unset", "#!/usr/bin/env -S -u PLACE /bin/sh"),
    line("unset-root", "#!/usr/bin/env -S -u / /bin/sh"),
    line("unset-tmp", "#!/usr/bin/env -S -u /tmp /bin/sh"),
    line("unset-dev", "#!/usr/bin/env -S -u /dev /bin/sh"),
    line("unset-run", "#!/usr/bin/env -S -u /run /bin/sh"),
    line("unset-long", "#!/usr/bin/env -S --unset=PLACE -i /bin/sh"),
    line("chdir", "#!/usr/bin/env -S --chdir=PLACE /bin/sh"),
    line("chdir-short", "#!/usr/bin/env -S -C PLACE /bin/sh"),
    line("quotes", "#!/usr/bin/env -S -u \"PLACE\" /bin/sh"),
    line("other-env", "#!HERE/env -S -u PLACE /bin/sh"),
    line("twice", "#!HERE/inner"),
    line("tabs", "#!\t/usr/bin/env\t-S\t-u\tPLACE\t/bin/sh\t"),
    line("words", "#!/usr/bin/env -S \"-u\" 'PLACE' -- A=PLACE /bin/sh"),
    line("interpreter", "#!PLACE/bin/sh"),
    line("env-path", "#!/usr/bin/env PLACE/bin/sh"),
    line("env-split", "#!/usr/bin/env -S -u / PLACE/bin/sh"),
    line("env-cleared", "#!/usr/bin/env -iS \"PLACE/bin/sh\""),
    Spelling {
        name: "link-to-folder",
        line: "#!/bin/sh",
        settings: "command = [\"./link/bin/reader\"]\n",
        reads: true,
    },
    Spelling { name: "link-to-other", line: "#!/bin/sh", settings: "command = [\"./other\"]\n", reads: true },
    Spelling {
        name: "command",
        line: "#!/bin/sh",
        settings: "command = [\"PLACE/bin/reader\"]\n",
        reads: true,
    },
    Spelling {
        name: "beside",
        line: "#!/bin/sh",
        settings: "command = [\"{folder}/../../yours/bin/reader\"]\n",
        reads: true,
    },
    Spelling {
        name: "arguments",
        line: "#!/bin/sh",
        settings: "command = [\"./run\", \"PLACE\", \"{tables}\"]\nargs = [\"PLACE\"]\n[env]\nPATH = \"PLACE/bin:/bin\"\n",
        reads: true,
    },
];

/// First lines that name no program of this machine: they are refused before the first game.
const REFUSED: [(&str, &str, &str); 4] = [
    ("windows-line", "#!/usr/bin/env -S -u PLACE /bin/sh\r", "ends in a carriage return"),
    ("relative", "#!../../yours/bin/sh", "its interpreter ../../yours/bin/sh is no absolute path"),
    ("missing", "#!/usr/bin/env -S -u PLACE PLACE/bin/missing", "/yours/bin/missing is not on this machine"),
    ("one-word", "#!/usr/bin/env -i PLACE/bin/sh", "as one word\nhint: write #!/usr/bin/env -S -i"),
];

/// The spellings whose program is not started in a box.
const NOT_STARTED: [&str; 4] = ["interpreter", "env-path", "env-split", "env-cleared"];

/// What a submission does when it runs: tells what is in the place, and changes it.
const BODY: &str =
    "cat PLACE/lib/key >&2\necho changed > PLACE/lib/new\ncat PLACE/lib/key > /tmp/leak-TOKEN\n";

/// A stage with the place `yours`, which every user may read and change.
struct Scene {
    stage: Stage,
    token: String,
}

impl Scene {
    fn new(user: User) -> Self {
        let stage = Stage::new(user, "honest", "honest");
        let token = stage.arena.token.clone();
        let scene = Scene { stage, token };
        let place = scene.place();
        for (path, text) in [("bin/reader", "#!/bin/sh\nBODY"), ("lib/key", "the answers TOKEN\n")] {
            let path = place.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, scene.filled(text, &place)).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::copy("/bin/sh", place.join("bin/sh")).unwrap();
        scene.open();
        scene
    }

    fn place(&self) -> std::path::PathBuf {
        self.stage.arena.path("yours")
    }

    fn filled(&self, text: &str, here: &Path) -> String {
        let place = self.place();
        text.replace("BODY", BODY)
            .replace("PLACE", place.to_str().unwrap())
            .replace("HERE", here.to_str().unwrap())
            .replace("TOKEN", &self.token)
    }

    /// Lets everybody change the place: only the box keeps an engine from it.
    fn open(&self) {
        let mut waiting = vec![self.place()];
        while let Some(path) = waiting.pop() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
            if path.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
    }

    /// Writes a submission into a folder. `links` may be left out, where they are refused anyway.
    fn submit(&self, spelling: &Spelling, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, self.filled(text, folder)).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        put("run", &format!("{}\nBODY", spelling.line));
        put("engine.toml", spelling.settings);
        match spelling.name {
            "twice" => put("inner", "#!/usr/bin/env -S -u PLACE /bin/sh\nBODY"),
            "other-env" => _ = fs::copy("/usr/bin/env", folder.join("env")).unwrap(),
            "link-to-folder" => symlink(self.place(), folder.join("link")).unwrap(),
            "link-to-other" => symlink(self.place().join("bin/reader"), folder.join("other")).unwrap(),
            _ => {}
        }
    }

    fn agon(&self, words: &[&str]) -> Finished {
        self.stage.belongs_to_its_user();
        self.open();
        self.stage.run(&mut self.stage.command(&[], words))
    }

    /// Every file of the arena outside of the place that holds the secret.
    fn leaks(&self) -> Vec<String> {
        let secret = format!("the answers {}", self.token);
        let mut found = Vec::new();
        let mut waiting = vec![self.stage.arena.path("")];
        while let Some(path) = waiting.pop() {
            let about = path.symlink_metadata().unwrap();
            if path == self.place() || about.is_symlink() {
                continue;
            }
            if about.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if about.is_file() && String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(&secret)
            {
                found.push(path.display().to_string());
            }
        }
        let leak = std::env::temp_dir().join(format!("leak-{}", self.token));
        if fs::remove_file(&leak).is_ok() {
            found.push(leak.display().to_string());
        }
        found
    }

    /// Asserts that the place has stayed what it was and closed.
    fn is_closed(&self, what: &str, finished: &Finished) {
        let secret = format!("the answers {}", self.token);
        assert!(
            !finished.stdout.contains(&secret) && !finished.stderr.contains(&secret),
            "{what}: {finished:?}"
        );
        assert_eq!(self.leaks(), Vec::<String>::new(), "{what}: {finished:?}");
        assert!(!self.place().join("lib/new").exists(), "{what} has changed the place: {finished:?}");
        assert!(!self.place().join("bin/new").exists(), "{what}");
    }
}

/// One spelling of each kind, for every day.
const ONE_OF_EACH: [&str; 5] = ["unset", "twice", "link-to-folder", "command", "arguments"];

/// Whether the whole table is played.
fn is_whole() -> bool {
    std::env::var("AGON_ATTACKS").is_ok_and(|mode| mode == "full" || mode == "all")
}

/// The levels with boxes and the users for whom they are available here.
fn boxes() -> Vec<(&'static str, User)> {
    let mut all = Vec::new();
    for user in User::ALL.into_iter().filter(|user| user.can_be_had()) {
        for level in ["sandbox", "strict"] {
            if !is_whole() && (level, user) == ("strict", User::Plain) {
                continue;
            }
            match is_available(level, user) {
                Ok(()) => all.push((level, user)),
                Err(why) => not_tried!("{level} as {user}: {}", why.trim()),
            }
        }
    }
    all
}

/// Plays every spelling against the honest engine. Returns what came of it.
fn match_of_all(scene: &Scene, level: &str) -> Finished {
    for spelling in &SPELLINGS {
        scene.submit(spelling, &scene.stage.arena.path("engines").join(spelling.name));
    }
    let engines: Vec<String> =
        SPELLINGS.iter().map(|spelling| format!("engines/{}", spelling.name)).collect();
    let options =
        "--gauntlet --games 2 --game letters:4x4x2 --seed 3 --st 5 --out out --events events --isolation";
    let words: Vec<&str> = ["match", "engines/good"]
        .into_iter()
        .chain(engines.iter().map(String::as_str))
        .chain(options.split(' '))
        .chain([level])
        .collect();
    scene.agon(&words)
}

#[test]
fn no_spelling_opens_a_place_to_an_engine_and_no_game_is_void() {
    let _beside = crate::beside_others();
    for (level, user) in boxes() {
        let scene = Scene::new(user);
        let finished = match_of_all(&scene, level);
        let what = format!("{level} as {user}");
        assert_eq!(finished.code, Some(0), "{what}: {finished:?}");
        scene.is_closed(&what, &finished);
        let games = scene.stage.arena.games();
        assert_eq!(games.len(), 2 * SPELLINGS.len(), "{what}: {finished:?}");
        for game in games {
            let (ending, at_fault) = game.ending();
            assert_eq!(
                at_fault.map(|name| name != "good"),
                Some(true),
                "{what}: {ending}: {}",
                game.reason()
            );
            if NOT_STARTED.iter().any(|name| at_fault == Some(*name)) {
                assert_eq!(ending, "start failed", "{what}: {at_fault:?}: {}", game.reason());
                let shown = format!("with --show {}", scene.place().display());
                assert!(game.reason().contains(&shown), "{what}: {at_fault:?}: {}", game.reason());
            }
        }
        let verified = scene.agon(&["verify", "out"]);
        assert_eq!(verified.code, Some(0), "{what}: {verified:?}");
        let hint = "--show";
        assert!(finished.stderr.contains(hint), "{what}: the first line is explained: {finished:?}");
        scene.stage.arena.assert_nothing_left(&what);
    }
}

/// The control: where there is no box, every spelling reads the place and changes it.
#[test]
fn every_spelling_reads_the_place_where_nothing_is_in_its_way() {
    let _beside = crate::beside_others();
    let user = if User::Root.can_be_had() { User::Root } else { User::Plain };
    let scene = Scene::new(user);
    let finished = match_of_all(&scene, "none");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let secret = format!("the answers {}", scene.token);
    for spelling in SPELLINGS.iter().filter(|spelling| spelling.reads) {
        let game = scene.stage.arena.games().into_iter().find(|game| game.ending().1 == Some(spelling.name));
        let game = game.unwrap_or_else(|| panic!("{}: {finished:?}", spelling.name));
        let side = game.seat(spelling.name)["side"].as_str().unwrap().to_owned();
        let log = scene.stage.arena.path(&format!("out/logs/{}-{side}.txt", game.id()));
        let said = fs::read_to_string(log).unwrap_or_default();
        assert!(said.contains(&secret), "{}: {said}: {}", spelling.name, game.reason());
    }
    assert!(scene.place().join("lib/new").exists());
    scene.leaks(); // removes what they have left
    // A database without boxes has no table of what they show.
    let why = scene.agon(&["why", "out", "unset"]);
    assert!(why.code == Some(0) && !why.stdout.contains("its box showed"), "{why:?}");
}

/// A first line that starts nothing is named before the first game, at every level.
#[test]
fn a_first_line_that_names_no_program_is_refused_before_the_first_game() {
    let _beside = crate::beside_others();
    let open_to_all = if User::Root.can_be_had() { User::Root } else { User::Plain };
    for (level, user) in boxes().into_iter().chain([("none", open_to_all), ("limits", open_to_all)]) {
        let scene = Scene::new(user);
        for (name, line, why) in REFUSED {
            let spelling = Spelling { name, line, settings: RUN, reads: false };
            let folder = format!("engines/{name}");
            scene.submit(&spelling, &scene.stage.arena.path(&folder));
            let words =
                ["match", folder.as_str(), "engines/good", "--game", "letters:4x4x2", "--isolation", level];
            let finished = scene.agon(&words);
            let what = format!("{name} at {level} as {user}");
            assert_eq!(finished.code, Some(2), "{what}: {finished:?}");
            assert!(finished.stderr.contains(why), "{what}: {finished:?}");
            scene.is_closed(&what, &finished);
        }
    }
}

/// The same through the doors by which submissions come. Builds ask in ways of their own.
#[test]
#[ignore = "slow"]
fn no_submission_opens_a_place_through_any_door() {
    let _beside = crate::beside_others();
    for (level, user) in boxes().into_iter().take(if is_whole() { 4 } else { 1 }) {
        let scene = Scene::new(user);
        let arena = &scene.stage.arena;
        let stub = Programs::get().stub();
        let honest = |folder: &Path| {
            fs::create_dir_all(folder).unwrap();
            fs::copy(&stub, folder.join("stub")).unwrap();
            let text = format!("command = [\"./stub\", \"honest\"]\n[env]\nTOKEN = {:?}\n", scene.token);
            fs::write(folder.join("engine.toml"), text).unwrap();
        };
        let builds = [
            ("build-command", "engine.toml", "command = [\"./run\"]\nbuild = [\"PLACE/bin/reader\"]\n"),
            (
                "build-makes",
                "Makefile",
                "run:\n\tcat PLACE/lib/key\n\tprintf '#!PLACE/bin/sh\\ncat PLACE/lib/key >&2' > run\n\tchmod +x run\n",
            ),
            (
                "build-names",
                "Makefile",
                "run:\n\tln -s PLACE link\n\tprintf 'command = [\"PLACE/bin/reader\"]' > engine.toml\n\tcp /bin/true run\n",
            ),
        ];
        let mut roster = "id,name,mail,submission\n".to_owned();
        let mut names: Vec<&str> = SPELLINGS.iter().map(|spelling| spelling.name).collect();
        names.retain(|name| is_whole() || ONE_OF_EACH.contains(name));
        names.extend(builds.iter().map(|(name, ..)| *name));
        names.extend(REFUSED.map(|(name, ..)| name));
        names.extend(["honest-one", "honest-two"]);
        fs::create_dir_all(arena.path("in")).unwrap();
        for (id, name) in names.iter().enumerate() {
            let folder = arena.path("handed").join(name);
            if let Some(spelling) = SPELLINGS.iter().find(|spelling| spelling.name == *name) {
                scene.submit(spelling, &folder);
            } else if let Some((_, line, _)) = REFUSED.iter().find(|(refused, ..)| refused == name) {
                scene.submit(&Spelling { name, line, settings: RUN, reads: false }, &folder);
            } else if let Some((_, file, text)) = builds.iter().find(|(build, ..)| build == name) {
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(file), scene.filled(text, &folder)).unwrap();
            } else {
                honest(&folder);
            }
            roster += &format!("{id},{name},{id}@x,handed/{name}\n");
            let archive = arena.path("in").join(format!("{id}.tar.gz"));
            let packed =
                Command::new("tar").args(["-czf"]).arg(archive).arg("-C").arg(&folder).arg(".").status();
            assert!(packed.unwrap().success());
        }
        fs::write(arena.path("roster.csv"), roster).unwrap();
        let cup = |more: &str| {
            format!("game = \"letters:4x4x2\"\nst = 2\ngames = 2\nseed = 7\nisolation = {level:?}\n{more}")
        };
        fs::write(arena.path("night.toml"), cup("engines = \"pool\"\nout = \"night\"\n")).unwrap();
        let grades = "[grades]\nby = \"points\"\nmax = 10\nsteps = [{ at = 0, grade = 4 }]\n";
        fs::write(arena.path("cup.toml"), cup(&format!("out = \"results\"\n{grades}"))).unwrap();
        for (door, words, codes) in [
            ("inbox", "inbox in night.toml --once --settle 0 --to keys", [0, 0]),
            ("grade", "grade cup.toml --roster roster.csv --to grades", [0, 0]),
            ("build", "build handed --seconds 20", [0, 1]),
        ] {
            let what = format!("{door} at {level} as {user}");
            let words: Vec<&str> = words.split(' ').collect();
            let finished = scene.agon(&words);
            assert!(finished.code.is_some_and(|code| codes.contains(&code)), "{what}: {finished:?}");
            scene.is_closed(&what, &finished);
            let all = format!("{}{}", finished.stdout, finished.stderr);
            assert!(!all.contains("is void") && !all.contains("cannot be judged"), "{what}: {finished:?}");
            if door == "inbox" {
                let accepted = all.lines().filter(|line| line.contains(" accepted")).count();
                assert!(accepted >= 2, "the honest ones: {finished:?}");
            }
        }
        arena.assert_nothing_left(level);
    }
}

/// I02: a socket in a folder that the organiser shows. A read-only mount keeps nobody from it.
const CONNECT: &str = "#!/usr/bin/python3
import os, socket, sys
for name in sys.argv[1:2]:
    folder = os.open(name, os.O_RDONLY)
    print('file', open(name + '/file').read(), file=sys.stderr)
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect('/proc/self/fd/%d/socket' % folder)
            print('connected', file=sys.stderr)
        except OSError as error:
            print('refused', error, file=sys.stderr)
";

#[test]
fn nobody_is_behind_a_socket_in_a_folder_that_is_shown() {
    let _beside = crate::beside_others();
    if !Path::new("/usr/bin/python3").exists() {
        not_tried!("there is no /usr/bin/python3");
        return;
    }
    let open_to_all = if User::Root.can_be_had() { User::Root } else { User::Plain };
    for (level, user) in boxes().into_iter().chain([("none", open_to_all)]) {
        let scene = Scene::new(user);
        let arena = &scene.stage.arena;
        let shown = arena.path("shown");
        fs::create_dir(&shown).unwrap();
        fs::write(shown.join("file"), "is read").unwrap();
        let listener = UnixListener::bind(shown.join("socket")).unwrap();
        listener.set_nonblocking(true).unwrap();
        let folder = arena.path("engines/bad");
        fs::write(folder.join("run"), CONNECT).unwrap();
        fs::write(folder.join("engine.toml"), format!("command = [\"./run\"]\nargs = [{shown:?}]\n"))
            .unwrap();
        for path in [folder.join("run"), shown.clone(), shown.join("socket")] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let words = "match engines/bad engines/good --games 2 --game letters:4x4x2 --st 5 --out out --show shown --isolation";
        let words: Vec<&str> = words.split(' ').chain([level]).collect();
        let finished = scene.agon(&words);
        assert_eq!(finished.code, Some(0), "{level} as {user}: {finished:?}");
        let logs = fs::read_dir(arena.path("out/logs")).unwrap();
        let said: String = logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap()).collect();
        assert!(said.contains("file is read"), "{level} as {user}: {said}");
        // The control is `none`.
        let is_open = level == "none";
        assert_eq!(said.contains("connected"), is_open, "{level} as {user}: {said}");
        assert_eq!(listener.accept().is_ok(), is_open, "{level} as {user}: {said}");
    }
}

/// What `--show` opens is what the organiser names, and never the engines or the results.
#[test]
fn show_opens_a_place_read_only_and_refuses_those_with_engines_or_results() {
    let _beside = crate::beside_others();
    let Some((level, user)) = boxes().first().copied() else { return };
    let scene = Scene::new(user);
    scene.submit(&SPELLINGS[0], &scene.stage.arena.path("engines/bad"));
    let play = |show: &str| {
        let words =
            "match engines/bad engines/good --games 2 --game letters:4x4x2 --st 5 --out out --isolation";
        let words: Vec<&str> = words.split(' ').chain([level, "--show", show]).collect();
        scene.agon(&words)
    };
    let top = scene.stage.arena.text("");
    for (show, why) in [
        ("/", "would hide what the box has of its own"),
        ("/tmp", "would hide what the box has of its own"),
        ("/dev", "would hide what the box has of its own"),
        ("/proc/self", "is of the kernel"),
        ("no/such/place", "cannot be shown"),
        ("engines", "engines would see the engine"),
        (top.as_str(), "engines would see"),
    ] {
        let finished = play(show);
        assert_eq!(finished.code, Some(2), "{show}: {finished:?}");
        let is_told = finished.stderr.contains(why) && finished.stderr.contains("hint: ");
        assert!(is_told && finished.stderr.contains("--show"), "{show}: {finished:?}");
    }
    let finished = play("yours");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(scene.leaks().iter().any(|path| path.contains("out/logs")), "it is shown: {finished:?}");
    assert!(!scene.place().join("lib/new").exists(), "and read-only");
    let why = scene.agon(&["why", "out", "bad"]).stdout;
    let place = format!("{} (--show)", scene.place().display());
    assert!(why.contains("its box showed, besides the system:") && why.contains(&place), "{why}");
    assert!(why.contains("out/programs/") && why.contains("/bad (the engine itself)"), "{why}");
    let words = ["doctor", "--engine", "engines/bad", "--show", "yours", "--level", "sandbox"];
    // The same for programs.
    let place = scene.place().display().to_string();
    let json: Value = serde_json::from_str(&scene.agon(&[&words[..], &["--json"]].concat()).stdout).unwrap();
    let own = serde_json::json!({"path": place, "reason": "--show", "writable": false});
    assert!(json["manifest"].as_array().unwrap().contains(&own), "{json:#}");
    let lost = scene.agon(&["why", "out", "bad", "--json"]).stdout;
    let own = serde_json::json!({"path": place, "reason": "--show"});
    for line in lost.lines() {
        let lost: Value = serde_json::from_str(line).unwrap();
        assert!(lost["box"].as_array().unwrap().contains(&own), "{lost:#}");
    }
    let found = scene.agon(&words).stdout;
    let is_listed = |line: &str| {
        line.contains("/yours ") && line.contains("read-only") && line.trim_end().ends_with("--show")
    };
    assert!(found.lines().any(is_listed), "{found}");
}
