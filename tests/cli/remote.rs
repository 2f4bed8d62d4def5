//! Engines that run elsewhere: over `agon listen` and `agon connect`, and over ssh to this machine.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::home::{Home, programs};
use super::support::not_tried;

/// A process that is ended with the test.
pub(super) struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended
        let _ = self.0.wait();
    }
}

pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A folder `far` whose engine is elsewhere.
pub(super) fn far(home: &Home, command: &str, args: &str) {
    home.put("far/engine.toml", format!("command = [{command}]\nargs = [{args}]\n"));
    let token = home.put("token", "0123456789abcdef0123456789abcdef\n");
    fs::set_permissions(token, fs::Permissions::from_mode(0o600)).unwrap();
}

pub(super) fn listening(home: &Home, port: u16) -> String {
    let (agon, token) = (env!("CARGO_BIN_EXE_agon"), home.path("token"));
    format!(
        "{agon:?}, \"listen\", \"--token-file\", {token:?}, \"--port\", \"{port}\", \"--grace\", \"5\", \"--\""
    )
}

pub(super) fn connected(home: &Home, port: u16, engine: &[&str]) -> Background {
    let log = fs::File::create(home.path("connect.log")).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(["connect", &format!("localhost:{port}"), "--token-file"])
        .arg(home.path("token"))
        .arg("--")
        .args(engine)
        .current_dir(home.path(""))
        .env_remove("AGON_KEPT")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    Background(child.unwrap())
}

pub(super) const MOVER: &str = r#""{game}", "{side}", "{control}", "{position}""#;

pub(super) fn mover(home: &Home) {
    let program = programs().join("agon-mover");
    home.put("mover/engine.toml", format!("command = [{program:?}]\nargs = [{MOVER}]\n"));
}

#[test]
fn an_engine_on_another_machine_plays_like_one_here() {
    let home = Home::new();
    let port = free_port();
    far(&home, &listening(&home, port), MOVER);
    mover(&home);
    let engine = programs().join("agon-mover");
    let _machine = connected(&home, port, &[engine.to_str().unwrap()]);
    let said = home.agon(
        "match far mover --game mnk:3x3,3 --games 6 --isolation limits --concurrency 3 --out out".split(' '),
    );
    assert_eq!(said.code, Some(0), "{}{}", said.all(), home.read("connect.log"));
    assert!(said.all().contains("whose port takes one game at a time: --concurrency is 1"), "{}", said.all());
    let games = home.read("out/games.csv");
    assert_eq!(games.lines().count(), 7, "{games}");
    assert!(!games.contains("forfeit"), "{games}\n{}", home.read("connect.log"));
    let proved = home.agon(["verify", "out"]);
    assert_eq!(proved.code, Some(0), "{}", proved.all());
    let log = home.read("connect.log");
    assert_eq!(log.matches("starts the engine with mnk:3x3,3").count(), 6, "{log}");
}

#[test]
fn the_files_of_the_game_are_there_too() {
    let home = Home::new();
    let port = free_port();
    far(&home, &listening(&home, port), r#""{side}", "{rows}", "{columns}", "{planes}", "{seconds}""#);
    home.engine("random", "agon-random");
    // The engine of the letter cube reads `board` and `dictionary` in its directory.
    let engine = programs().join("agon-greedy");
    let _machine = connected(&home, port, &[engine.to_str().unwrap()]);
    let words =
        "match far random --game letters:4x4x2 --games 2 --isolation limits --concurrency 1 --out out";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}{}", said.all(), home.read("connect.log"));
    assert!(!home.read("out/games.csv").contains("forfeit"), "{}", home.read("out/games.csv"));
}

#[test]
#[ignore = "slow"]
fn an_engine_whose_machine_crashes_loses_after_the_grace() {
    let home = Home::new();
    let port = free_port();
    let command = listening(&home, port).replace("\"5\", \"--\"", "\"0.2\", \"--\"");
    far(&home, &command, MOVER);
    mover(&home);
    // It answers once, and then its machine is gone: connect and all below it are killed.
    let script = "kill -9 $PPID; sleep 100";
    let _machine = connected(&home, port, &["/bin/sh", "-c", script]);
    let words = "match far mover --game mnk:3x3,3 --games 2 --isolation limits --concurrency 1 --st 3 \
                 --startup 3 --out out";
    let said = home.agon(words.split_whitespace());
    assert_eq!(said.code, Some(0), "{}", said.all());
    let games = home.read("out/games.csv");
    let why = home.agon(["why", "out", "far"]);
    assert!(games.contains("forfeit") && why.out().contains("lost"), "{games}\n{}", why.all());
}

#[test]
fn what_is_wrong_is_said_in_one_message() {
    let home = Home::new();
    let token = home.put("token", "0123456789abcdef\n");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    let said = |words: &str, wanted: &str| {
        let said = home.agon(words.split(' '));
        assert_eq!(said.code, Some(2), "{words}: {}", said.all());
        assert!(said.err().contains(wanted), "{words}: {}", said.all());
    };
    said("connect localhost:7001 --token-file token -- true", "chmod 600");
    said("listen --token-file none --port 7001", "none");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    said("connect localhost --token-file token -- true", "give lab1:7001");
    said("connect localhost:7001 --token-file token -- ./nothing", "./nothing");
    said("listen --token-file token --port 70000", "whole number");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let busy = home.agon(["listen", "--token-file", "token", "--port", &port]);
    assert_eq!(busy.code, Some(1), "{}", busy.all());
    assert!(busy.err().contains(&format!("cannot listen on 127.0.0.1:{port}")), "{}", busy.all());
}

/// A server of ssh on this machine, for the user of this test alone.
pub(super) fn sshd(home: &Home) -> Result<(Background, u16), String> {
    let server = Path::new("/usr/sbin/sshd");
    if !server.is_file() || Command::new("ssh").arg("-V").output().is_err() {
        return Err("sshd or ssh is missing; call apt-get install openssh-server".to_owned());
    }
    if !rustix::process::geteuid().is_root() {
        return Err("only root can start a server of ssh".to_owned());
    }
    fs::create_dir_all("/run/sshd").map_err(|error| error.to_string())?;
    for key in ["host", "user"] {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(home.path(key));
        let made = keygen.status().map_err(|error| error.to_string())?;
        assert!(made.success());
    }
    let port = free_port();
    let settings = [
        format!("HostKey {}", home.path("host").display()),
        format!("AuthorizedKeysFile {}", home.path("user.pub").display()),
        format!("ListenAddress 127.0.0.1:{port}"),
        "StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin prohibit-password".to_owned(),
    ];
    let file = home.put("sshd_config", settings.join("\n"));
    let child = Command::new(server).arg("-D").arg("-f").arg(file).stderr(Stdio::null()).spawn();
    let server = Background(child.map_err(|error| error.to_string())?);
    let until = Instant::now() + Duration::from_secs(20);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "sshd does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok((server, port))
}

/// The words that reach this server.
pub(super) fn ssh(home: &Home, port: u16) -> String {
    let key = home.path("user");
    format!(
        "\"ssh\", \"-p\", \"{port}\", \"-i\", {key:?}, \"-o\", \"StrictHostKeyChecking=no\", \
         \"-o\", \"UserKnownHostsFile=/dev/null\", \"-o\", \"LogLevel=ERROR\", \"127.0.0.1\""
    )
}

/// The same as a command line.
pub(super) fn ssh_words(home: &Home, port: u16) -> String {
    ssh(home, port).replace("\", \"", " ").replace('"', "")
}

#[test]
#[ignore = "slow"]
fn an_engine_over_ssh_plays() {
    let home = Home::new();
    let (_server, port) = match sshd(&home) {
        Ok(found) => found,
        Err(why) => return not_tried!("{why}"),
    };
    let engine = programs().join("agon-mover");
    far(&home, &format!("{}, {engine:?}", ssh(&home, port)), MOVER);
    mover(&home);
    let words =
        "match far mover --game mnk:3x3,3 --games 4 --isolation limits --concurrency 1 --st 10 --out out";
    let said = home.agon(words.split(' '));
    assert_eq!(said.code, Some(0), "{}", said.all());
    assert!(!home.read("out/games.csv").contains("forfeit"), "{}", home.read("out/games.csv"));
}
