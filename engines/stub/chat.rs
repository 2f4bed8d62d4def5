//! Two engines of one author that look for each other, to agree on a result: by a port, a socket's
//! name, a file. Both play this mode.

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as Name, UnixListener, UnixStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::attacks::honest::Stub;
use crate::attacks::tried::{given, not_tried, tell_if};
use crate::attacks::{Level, Mode, mode};

pub(crate) const MODES: &[Mode] =
    &[mode("chat", "normal", "E14", "looks for an engine of its author on the other seat", chat)
        .blocked(Level::Sandbox)];

/// E14: the first one waits for a while, and the second one finds it.
fn chat(stub: &mut Stub) -> io::Result<()> {
    let Ok(token) = given("TOKEN") else {
        not_tried("E14", "a name to meet under is not given")?;
        return stub.play_on();
    };
    let port = 20_000
        + token.bytes().fold(0u16, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 10_000;
    let name = Name::from_abstract_name(format!("meet-{token}"))?;
    let place = std::path::PathBuf::from(format!("/tmp/meet-{token}"));
    // A bound socket stays bound until this process ends.
    let listening = (TcpListener::bind(("127.0.0.1", port)), UnixListener::bind_addr(&name));
    let first = fs::File::create_new(&place);
    let heard = |listener: &TcpListener| listener.set_nonblocking(true).is_ok() && listener.accept().is_ok();
    let heard_by_name =
        |listener: &UnixListener| listener.set_nonblocking(true).is_ok() && listener.accept().is_ok();
    let mut met = [false; 3];
    let until = Instant::now() + Duration::from_millis(300);
    while met.contains(&false) && Instant::now() < until {
        met[0] |= match &listening.0 {
            Ok(listener) => heard(listener),
            Err(_) => TcpStream::connect(("127.0.0.1", port)).is_ok(),
        };
        met[1] |= match &listening.1 {
            Ok(listener) => heard_by_name(listener),
            Err(_) => UnixStream::connect_addr(&name).is_ok(),
        };
        met[2] |= match &first {
            Ok(_) => fs::read(&place).is_ok_and(|text| !text.is_empty()),
            Err(_) => fs::write(&place, "me too\n").is_ok(),
        };
        sleep(Duration::from_millis(5));
    }
    for (what, met) in ["a port", "a name", "a file"].into_iter().zip(met) {
        tell_if("E14", what, met)?;
    }
    if first.is_ok() {
        let _ = fs::remove_file(&place); // a box removes it by itself
    }
    stub.play_on()
}
