//! A referee program in its box: what it cannot reach, and what ends it.

use super::home::Home;
use super::hosted::{engine, game, lines, play};

/// Tries what a box forbids, and says what has worked.
const TRIES: &str = r#"
import socket, tempfile
def tries(name, what):
    try:
        what()
        out('note works ' + name)
    except Exception as error:
        out('note fails ' + name)
def write(path):
    with open(path, 'w') as file: file.write('x')
def connect():
    socket.create_connection(('127.0.0.1', PORT), timeout=2)
tries('write-folder', lambda: write('made-by-referee'))
tries('read-foreign', lambda: open('FOREIGN').read())
tries('network', connect)
tries('write-temporary', lambda: write(os.path.join(os.environ['TMPDIR'], 'x')))
ask(1); wait()
out('end 1 0')"#;

#[test]
fn a_referee_in_a_box_has_no_network_no_foreign_file_and_does_not_write_into_its_folder() {
    for (level, boxed) in [("none", false), ("sandbox", true)] {
        let home = Home::new();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let foreign = home.put("elsewhere/foreign.txt", "private");
        engine(&home, "a", "print('x')");
        engine(&home, "b", "print('x')");
        let body = TRIES.replace("PORT", &port.to_string()).replace("FOREIGN", foreign.to_str().unwrap());
        // A file that it could make would make it another referee.
        game(&home, "", &body.replace("'made-by-referee'", "'__pycache__'"));
        let said = play(&home, &["a", "b"], &["--games", "2", "--isolation", level, "--concurrency", "1"]);
        if boxed && said.code == Some(3) {
            println!("not tried: isolation level {level} is not available on this machine");
            continue;
        }
        assert_eq!(said.code, Some(0), "{level}: {}", said.all());
        let told = lines(&home);
        let word = if boxed { "fails" } else { "works" };
        for attack in ["write-folder", "read-foreign", "network"] {
            assert!(told.contains(&format!("<note {word} {attack}")), "{level}: {told:#?}");
        }
        assert!(told.contains(&"<note works write-temporary".to_owned()), "{level}: {told:#?}");
    }
}

#[test]
fn a_referee_that_takes_more_memory_than_its_file_allows_makes_the_game_void() {
    for (keys, fits) in [("memory = \"64M\"", false), ("memory = \"1G\"", true)] {
        let home = Home::new();
        engine(&home, "a", "print('x')");
        engine(&home, "b", "print('x')");
        game(&home, keys, "ask(1); wait()\nheap = bytearray(200 << 20)\nout('end 1 0')");
        let said = play(&home, &["a", "b"], &["--games", "2", "--isolation", "limits", "--concurrency", "1"]);
        if said.code == Some(3) {
            println!("not tried: isolation level limits is not available on this machine");
            return;
        }
        assert_eq!(said.code == Some(0), fits, "{keys}: {}", said.all());
        assert!(fits || said.all().contains("the referee test"), "{keys}: {}", said.all());
    }
}
