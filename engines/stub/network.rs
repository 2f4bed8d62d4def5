//! Attacks by sockets: the network, and the sockets of other programs on the same machine. A test
//! listens on its own ports and names; no other program is contacted.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as Name, UnixStream};
use std::time::Duration;

use rustix::fs::inotify;

use crate::attacks::honest::Stub;
use crate::attacks::tried::{given, tell};
use crate::attacks::{Level, Mode, mode, sys};

pub(crate) const MODES: &[Mode] = &[
    mode("local-sockets", "normal", "E12", "reaches for sockets of other programs, and watches files", local)
        .blocked(Level::Sandbox),
    mode("network", "normal", "E13", "TCP, UDP, and sockets of other kinds", network).blocked(Level::Sandbox),
];

/// E12
fn local(stub: &mut Stub) -> io::Result<()> {
    let speak = |mut socket: UnixStream| socket.write_all(b"hello\n");
    let by_name = given("ABSTRACT_SOCKET")
        .and_then(|name| UnixStream::connect_addr(&Name::from_abstract_name(name)?))
        .and_then(speak);
    tell("E12", "a socket with an abstract name", by_name)?;
    let by_path = given("SOCKET_FILE").and_then(UnixStream::connect).and_then(speak);
    tell("E12", "a socket in the file system", by_path)?;
    for path in ["/run/docker.sock", "/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0"] {
        // Most machines have none of these, so a failure proves nothing.
        if let Ok(socket) = UnixStream::connect(path) {
            tell("E12", path, Ok::<_, io::Error>(socket))?;
        }
    }
    let watched = inotify::init(inotify::CreateFlags::CLOEXEC).map_err(io::Error::from).and_then(|watch| {
        let file = given("SECRET_FILE")?;
        Ok(inotify::add_watch(watch, file, inotify::WatchFlags::ALL_EVENTS)?)
    });
    tell("E12", "watching somebody else's file", watched)?;
    stub.play_on()
}

/// E13
fn network(stub: &mut Stub) -> io::Result<()> {
    let here = |port: String| -> io::Result<SocketAddr> {
        format!("127.0.0.1:{port}").parse().map_err(io::Error::other)
    };
    let tcp = given("TCP_PORT").and_then(here).and_then(|address| {
        TcpStream::connect_timeout(&address, Duration::from_millis(100))?.write_all(b"hello\n")
    });
    tell("E13", "tcp", tcp)?;
    let udp = given("UDP_PORT")
        .and_then(here)
        .and_then(|address| UdpSocket::bind("127.0.0.1:0")?.send_to(b"hello\n", address));
    tell("E13", "udp", udp)?;
    for (what, family, kind, protocol) in [
        ("tcp socket", libc::AF_INET, libc::SOCK_STREAM, 0),
        ("tcp socket of version 6", libc::AF_INET6, libc::SOCK_STREAM, 0),
        ("raw socket", libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        ("packet socket", libc::AF_PACKET, libc::SOCK_RAW, 0),
        ("netlink socket", libc::AF_NETLINK, libc::SOCK_RAW, 0),
        ("vsock socket", libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        ("alg socket", libc::AF_ALG, libc::SOCK_SEQPACKET, 0),
    ] {
        tell("E13", what, sys::socket(family, kind, protocol))?;
    }
    stub.play_on()
}
