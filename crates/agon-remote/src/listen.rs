//! The side of the harness: it has the pipes of the engine, waits for the machine of the engine,
//! and carries what goes over them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::echoed::EchoedLines;
use crate::error::RemoteError;
use crate::frame::{Ended, MOST, WireFrame};
use crate::greeting::{self, Claim, LINE, PROOF, Token};
use crate::link::RemoteLink;
use crate::looks::Looks;
use crate::pauses::{CarriedPauses, PauseChange, PauseFile};
use crate::pipes::{copy_of, write_all};
use crate::times::TimesFile;
use crate::wire::{GULP, Wire, is_for_now};

/// So often the round trip is measured before the game.
const ECHOES: usize = 5;
/// The most connections that have not proved the token.
const MOST_STRANGERS: usize = 16;
/// So many of those who do not know the token are named.
const MOST_SAID: u32 = 20;
/// Deadlines are looked at so often.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What is to be carried, and where to.
pub struct Listening<'a> {
    /// Where to listen.
    pub address: SocketAddr,
    /// What the other side must know.
    pub token: &'a Token,
    /// How long the connection may be lost.
    pub grace: Duration,
    /// How pauses of the game are known, if it can be paused.
    pub pauses: Option<&'a PauseFile>,
    /// The arguments of the engine, in addition to those that it is started with there.
    pub arguments: &'a [Vec<u8>],
    /// The directory with the files of the game.
    pub files: &'a Path,
    /// The file for the times of the engine, if the harness reads them.
    pub times: Option<&'a Path>,
}

/// The pipes of the engine as the harness has them.
pub struct EnginePipes {
    /// What the engine is told.
    pub stdin: OwnedFd,
    /// What it answers. It is closed when the engine closes its own.
    pub stdout: OwnedFd,
    /// What it writes to stderr.
    pub stderr: OwnedFd,
}

/// A connection that has not proved the token yet.
struct Stranger {
    stream: TcpStream,
    from: SocketAddr,
    nonce: String,
    bytes: Vec<u8>,
    since: Instant,
}

/// What is done with the first bytes for the engine.
enum FirstInput {
    /// They are not looked at before there is a connection.
    Waits,
    /// So many were sent, and still lie in our stdin: the harness must not take the engine for
    /// started before it has read them there.
    Sent(usize),
    /// The engine has read them.
    Read,
}

struct Listener<'a> {
    order: &'a Listening<'a>,
    say: &'a dyn Fn(&str),
    socket: TcpListener,
    session: String,
    link: RemoteLink,
    since: Instant,
    /// Whether the other side has been there.
    begun: bool,
    wire: Option<Wire>,
    lost: Option<Instant>,
    pauses: CarriedPauses<'a>,
    /// The oldest first.
    strangers: Vec<Stranger>,
    /// How many of them did not know the token.
    refused: u32,
    /// When the last echo was sent, and how long those before took.
    echo: (Instant, Vec<Duration>),
    stdin: Option<OwnedFd>,
    first: FirstInput,
    stdout: Option<OwnedFd>,
    stderr: OwnedFd,
    /// The lines that are to come back, where no engine is carried.
    echoed: Option<EchoedLines>,
    looks: Looks,
    /// Where the times go. None if nobody reads them.
    times: Option<TimesFile>,
    /// Whether the other side knows looks.
    knows_looks: bool,
}

/// Carries the pipes until the engine has ended. `say` gets what a person may want to know.
///
/// # Errors
/// [`RemoteError`]: the address is taken, or the connection was lost for too long.
pub fn listen(order: &Listening<'_>, pipes: EnginePipes, say: &dyn Fn(&str)) -> Result<Ended, RemoteError> {
    let mut listener = Listener::new(order, pipes, say)?;
    listener.announce()?;
    loop {
        if let Some(ended) = listener.turn()? {
            return Ok(ended);
        }
    }
}

/// Gives each line of stdin back when it has been at the other machine, until stdin ends. No engine
/// is started there.
///
/// # Errors
/// [`RemoteError`]: the address is taken, or the connection was lost.
pub fn echo(order: &Listening<'_>, pipes: EnginePipes, say: &dyn Fn(&str)) -> Result<(), RemoteError> {
    let order = Listening { grace: Duration::ZERO, arguments: &[], times: None, ..*order };
    let mut listener = Listener::new(&order, pipes, say)?;
    listener.echoed = Some(EchoedLines::default());
    while listener.turn()?.is_none() {}
    Ok(())
}

impl<'a> Listener<'a> {
    fn new(order: &'a Listening<'a>, pipes: EnginePipes, say: &'a dyn Fn(&str)) -> Result<Self, RemoteError> {
        let cannot = || RemoteError::system(format!("cannot listen on {}", order.address));
        let socket = TcpListener::bind(order.address).map_err(cannot())?;
        socket.set_nonblocking(true).map_err(cannot())?;
        say(&format!("waits for the machine of the engine on {}", socket.local_addr().map_err(cannot())?));
        let EnginePipes { stdin, stdout, stderr } = pipes;
        let times = order.times.map(TimesFile::create).transpose();
        let times = times.map_err(RemoteError::system("cannot write the times of the engine"))?;
        Ok(Listener {
            order,
            say,
            socket,
            session: greeting::random().map_err(RemoteError::system("no random bytes"))?,
            link: RemoteLink::default(),
            since: Instant::now(),
            begun: false,
            wire: None,
            lost: None,
            pauses: CarriedPauses::new(order.pauses),
            strangers: Vec::new(),
            refused: 0,
            echo: (Instant::now(), Vec::new()),
            stdin: Some(stdin),
            first: FirstInput::Waits,
            stdout: Some(stdout),
            stderr,
            echoed: None,
            looks: Looks::new(),
            times,
            knows_looks: false,
        })
    }

    /// What the other side needs before it starts the engine.
    fn announce(&mut self) -> Result<(), RemoteError> {
        for argument in self.order.arguments {
            self.link.send(&WireFrame::Argument(argument.clone()));
        }
        let cannot = || {
            RemoteError::system(format!(
                "cannot read the files of the game in {}",
                self.order.files.display()
            ))
        };
        for entry in std::fs::read_dir(self.order.files).map_err(cannot())? {
            let entry = entry.map_err(cannot())?;
            let (Ok(name), true) = (entry.file_name().into_string(), entry.path().is_file()) else {
                continue;
            };
            if self.order.times.is_some_and(|times| times.file_name() == Some(name.as_ref())) {
                continue;
            }
            if self.order.pauses.is_some_and(|pauses| pauses.path.file_name() == Some(name.as_ref())) {
                continue;
            }
            let bytes = std::fs::read(entry.path()).map_err(cannot())?;
            if name.len() > usize::from(u8::MAX) {
                continue;
            }
            let part = |bytes: &[u8]| WireFrame::File(name.clone(), bytes.to_vec());
            if bytes.is_empty() {
                self.link.send(&part(b""));
            }
            bytes.chunks(MOST / 2).for_each(|bytes| self.link.send(&part(bytes)));
        }
        // A pause that begins after the connection is lost is not known there.
        let longest = self.order.pauses.map_or(Duration::ZERO, |pauses| pauses.longest);
        let grace = u32::try_from((self.order.grace + longest).as_millis()).unwrap_or(u32::MAX);
        self.link.send(&WireFrame::Begin(grace));
        Ok(())
    }

    /// Waits for what happens next, and acts on it. Returns how the engine ended, when it has.
    fn turn(&mut self) -> Result<Option<Ended>, RemoteError> {
        let reads = self.stdin.as_ref().filter(|_| !self.link.is_full() && self.takes_input());
        let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
        fds.extend(reads.map(|stdin| PollFd::new(stdin, PollFlags::IN)));
        let flags = Wire::flags(&mut self.link);
        fds.extend(self.wire.as_ref().map(|wire| PollFd::from_borrowed_fd(wire.fd(), flags)));
        fds.extend(self.strangers.iter().map(|one| PollFd::new(&one.stream, PollFlags::IN)));
        match poll(&mut fds, Some(&self.tick())) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(RemoteError::system("poll")(error.into())),
        }
        let has_input = reads.is_some() && !fds[1].revents().is_empty();
        let has_stranger = !fds[0].revents().is_empty();
        drop(fds);
        if has_stranger {
            self.accept();
        }
        self.hear_strangers();
        self.look_for_pauses();
        if has_input {
            self.read_input();
        }
        if self.may_look() {
            self.looks.due().iter().for_each(|look| self.link.send(look));
        }
        let ended = self.carry();
        if ended.is_some() {
            return Ok(ended);
        }
        if self.link.is_flooded(self.since.elapsed()) {
            return Err(RemoteError::Flood);
        }
        if self.stdin.is_none() && self.echoed.as_ref().is_some_and(EchoedLines::is_empty) {
            return Ok(Some(Ended::Code(0)));
        }
        if !self.begun && self.is_given_up() {
            return Ok(Some(Ended::NotStarted));
        }
        match self.lost {
            Some(since) if !self.pauses.go_on() && since.elapsed() >= self.order.grace => {
                Err(RemoteError::Lost(self.order.grace))
            }
            _ => Ok(None),
        }
    }

    /// Whether looks are sent: the harness reads what they show, and the other side knows them.
    fn may_look(&self) -> bool {
        self.knows_looks && self.times.is_some() && self.wire.is_some() && !self.pauses.go_on()
    }

    /// How long one may sleep.
    fn tick(&self) -> Timespec {
        let tick = self.pauses.tick().unwrap_or(TICK);
        let next = self.looks.until_next().filter(|_| self.may_look());
        next.and_then(|next| Timespec::try_from(next).ok()).map_or(tick, |next| next.min(tick))
    }

    /// Writes down what is known of the turn, for the harness.
    fn note_times(&mut self) {
        if self.knows_looks
            && let Some(file) = &mut self.times
        {
            file.write(&self.looks.times());
        }
    }

    /// The engine is told these bytes.
    fn tell(&mut self, bytes: Vec<u8>) {
        self.looks.told();
        self.link.send(&WireFrame::Stdin(bytes));
    }

    /// Tells the other side when the game is paused or goes on. A pause does not count as a part of
    /// the grace.
    fn look_for_pauses(&mut self) {
        if !self.begun {
            return;
        }
        match self.pauses.look() {
            None => {}
            Some(PauseChange::Began) => self.link.send(&WireFrame::Pause),
            Some(PauseChange::Ended(began)) => {
                self.lost = self.lost.map(|since| since + since.max(began).elapsed());
                self.link.send(&WireFrame::Resume);
            }
        }
    }

    /// Whether what lies in our stdin can be taken now.
    fn takes_input(&self) -> bool {
        if let Some(lines) = &self.echoed {
            return self.begun && !lines.is_full();
        }
        match self.first {
            FirstInput::Waits => self.begun,
            FirstInput::Sent(_) => false,
            FirstInput::Read => true,
        }
    }

    /// Whether the harness has closed our stdin.
    fn is_given_up(&self) -> bool {
        let Some(stdin) = &self.stdin else { return true };
        let mut fds = [PollFd::new(stdin, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().contains(PollFlags::HUP)
    }

    fn accept(&mut self) {
        for _ in 0..MOST_STRANGERS {
            let Ok((mut stream, from)) = self.socket.accept() else { return };
            let Ok(nonce) = greeting::nonce() else { return };
            let greeted = stream.set_nonblocking(true).is_ok()
                && stream.write_all(greeting::challenge(&nonce).as_bytes()).is_ok();
            if !greeted {
                continue;
            }
            // Who knows the token proves it at once, so the one that has been silent for longest
            // makes room.
            if self.strangers.len() >= MOST_STRANGERS {
                self.strangers.remove(0);
            }
            let since = Instant::now();
            self.strangers.push(Stranger { stream, from, nonce, bytes: Vec::new(), since });
        }
    }

    /// Says that somebody does not know the token: not so often that it fills what is kept of a
    /// game.
    fn say_of_stranger(&mut self, from: SocketAddr) {
        self.refused += 1;
        if self.refused <= MOST_SAID {
            (self.say)(&format!("{from} does not know the token"));
        }
        if self.refused == MOST_SAID {
            (self.say)("no more of those who do not know it are named");
        }
    }

    fn hear_strangers(&mut self) {
        for mut one in std::mem::take(&mut self.strangers) {
            let mut bytes = [0; LINE];
            match one.stream.read(&mut bytes) {
                Ok(0) => continue,
                Ok(count) => one.bytes.extend_from_slice(&bytes[..count]),
                Err(error) if is_for_now(&error) => {}
                Err(_) => continue,
            }
            let end = one.bytes.iter().position(|byte| *byte == b'\n');
            match end {
                Some(end) => self.judge(one, end),
                None if one.bytes.len() < LINE && one.since.elapsed() < PROOF => self.strangers.push(one),
                None => {}
            }
        }
    }

    /// Lets a stranger in whose greeting ends here, or refuses it.
    fn judge(&mut self, mut one: Stranger, end: usize) {
        let line = String::from_utf8_lossy(&one.bytes[..end]).into_owned();
        let Some(claim) = greeting::read_claim(self.order.token, &one.nonce, &line) else {
            self.say_of_stranger(one.from);
            let _ = one.stream.write_all(b"no the token is not the right one\n"); // it is gone, or it reads it
            return;
        };
        if let Err(why) = self.admit(&claim) {
            let refusal = greeting::refusal(self.order.token, &one.nonce, &claim, why);
            let _ = one.stream.write_all(refusal.as_bytes()); // as above
            return;
        }
        let welcome =
            greeting::welcome(self.order.token, &one.nonce, &claim, &self.session, self.link.received());
        // If it is gone already, its absence is seen below.
        let _ = one.stream.write_all(welcome.as_bytes());
        (self.say)(&format!(
            "{} {}",
            if self.begun { "again connected from" } else { "connected from" },
            one.from
        ));
        self.knows_looks = greeting::knows_looks(&claim.nonce);
        if !self.begun && !self.knows_looks && self.times.is_some() {
            (self.say)(
                "the agon connect there is older: it cannot tell how the machine of the engine keeps it waiting. \
                 Update agon on that machine",
            );
        }
        self.begun = true;
        self.note_times();
        match Wire::new(one.stream, &mut self.link, &one.bytes[end + 1..]) {
            Ok(wire) => {
                (self.wire, self.lost) = (Some(wire), None);
                if self.echoed.is_none() {
                    self.echo.0 = Instant::now();
                    self.link.send(&WireFrame::Echo(self.echo.1.len() as u64));
                }
            }
            Err(_) => self.lose(),
        }
    }

    fn admit(&mut self, claim: &Claim) -> Result<(), &'static str> {
        match &claim.session {
            Some(session) if *session != self.session => return Err("that game is over"),
            // The one that was let in before is to stay away.
            None if self.can_begin_again() => {
                self.session = greeting::random().map_err(|_| "the seat is taken")?;
            }
            None if self.begun => return Err("the seat is taken"),
            _ => {}
        }
        self.link.reconnect(claim.received).map_err(|_| "that game is over")
    }

    /// Whether the game can begin anew on the other side: its connection broke before anything was
    /// heard of it. Perhaps it does not know that it was let in.
    fn can_begin_again(&self) -> bool {
        self.begun && self.wire.is_none() && self.link.is_untouched()
    }

    fn read_input(&mut self) {
        let Some(stdin) = &self.stdin else { return };
        if self.echoed.is_some() {
            self.first = FirstInput::Read;
        }
        if let FirstInput::Waits = self.first {
            match copy_of(stdin) {
                // The end of the input.
                Some(bytes) if bytes.is_empty() => self.first = FirstInput::Read,
                Some(bytes) => {
                    self.first = FirstInput::Sent(bytes.len());
                    self.tell(bytes);
                    return;
                }
                // It is no pipe.
                None => self.first = FirstInput::Read,
            }
        }
        let mut bytes = [0; GULP];
        match (rustix::io::read(stdin, &mut bytes), &mut self.echoed) {
            (Ok(count), Some(lines)) if count > 0 => {
                lines.take(&bytes[..count]).iter().for_each(|frame| self.link.send(frame));
            }
            (Ok(count), None) if count > 0 => self.tell(bytes[..count].to_vec()),
            (Err(Errno::AGAIN | Errno::INTR), _) => {}
            (_, Some(_)) => self.stdin = None,
            (_, None) => {
                self.stdin = None;
                self.link.send(&WireFrame::StdinEnd);
            }
        }
    }

    /// The engine has read the first bytes: so do we.
    fn is_up(&mut self) {
        if let (FirstInput::Sent(count), Some(stdin)) = (&self.first, &self.stdin) {
            let mut bytes = vec![0; *count];
            let _ = rustix::io::read(stdin, &mut bytes); // they lie there
            // The clock of the engine begins here.
            self.looks.told();
        }
        self.first = FirstInput::Read;
    }

    /// Moves what came and what waits over the connection.
    fn carry(&mut self) -> Option<Ended> {
        let mut wire = self.wire.take()?;
        let mut stands = wire.read(&mut self.link);
        let mut ended = None;
        loop {
            match self.link.next_frame() {
                Ok(Some(frame)) => ended = ended.or(self.act(frame)),
                Ok(None) => break,
                Err(_) => {
                    stands = false;
                    break;
                }
            }
        }
        stands &= wire.is_alive(&mut self.link) && wire.write(&mut self.link);
        if stands {
            self.wire = Some(wire);
        } else {
            self.lose();
        }
        ended
    }

    fn lose(&mut self) {
        (self.say)("the connection is lost");
        self.looks.lost();
        self.wire = None;
        self.lost = Some(Instant::now());
    }

    fn act(&mut self, frame: WireFrame) -> Option<Ended> {
        match frame {
            WireFrame::Answer(claim, bytes) => {
                self.looks.said(Some(claim));
                self.put(&bytes);
            }
            WireFrame::Stdout(bytes) => {
                self.looks.said(None);
                self.put(&bytes);
            }
            WireFrame::Seen(number, claim) => {
                self.looks.back(number, claim);
                self.note_times();
            }
            WireFrame::Stderr(bytes) => {
                write_all(&self.stderr, &bytes);
            }
            WireFrame::StdoutEnd => self.stdout = None,
            WireFrame::Up => self.is_up(),
            WireFrame::Exit(ended) => return Some(ended),
            WireFrame::EchoBack(number) if self.echoed.is_some() => {
                let line = self.echoed.as_mut().and_then(|lines| lines.back(number));
                if let (Some(line), Some(stdout)) = (line, &self.stdout) {
                    write_all(stdout, &line);
                }
            }
            WireFrame::EchoBack(number) if number == self.echo.1.len() as u64 => self.measure(),
            _ => {}
        }
        None
    }

    /// Gives the harness what the engine wrote. What is known of its time comes first.
    fn put(&mut self, bytes: &[u8]) {
        self.note_times();
        // Nobody reads what has been closed.
        let is_read = self.stdout.as_ref().is_some_and(|stdout| write_all(stdout, bytes));
        self.stdout = self.stdout.take().filter(|_| is_read);
    }

    fn measure(&mut self) {
        let (sent, trips) = &mut self.echo;
        if trips.len() == ECHOES {
            return;
        }
        trips.push(sent.elapsed());
        self.looks.note_round(sent.elapsed());
        if trips.len() < ECHOES {
            *sent = Instant::now();
            self.link.send(&WireFrame::Echo(trips.len() as u64));
            return;
        }
        let mut sorted = trips.clone();
        sorted.sort();
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        (self.say)(&format!(
            "lag {:.1} ms, at most {:.1} ms, of {ECHOES} echoes",
            millis(sorted[ECHOES / 2]),
            millis(sorted[ECHOES - 1])
        ));
    }
}
