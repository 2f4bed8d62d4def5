//! One side of a link: numbered frames in both directions, which outlive the connection that
//! carries them.

use std::collections::VecDeque;
use std::time::Duration;

use crate::frame::{Frames, WireFrame, WrongFrame};

/// So many bytes that have not been received yet are kept before no more are taken.
const FULL: usize = 1024 * 1024;

/// So many frames that bring nothing may come, and so many more for each second and for each frame
/// that was sent: acknowledgements, and the beat of an idle connection.
const LIGHT: u64 = 1000;
const LIGHT_EACH_SECOND: u64 = 10;

/// One side of a link.
#[derive(Default, Debug)]
pub struct RemoteLink {
    /// Bytes for the present connection.
    out: Vec<u8>,
    incoming: Frames,
    /// The numbered frames that the other side has not received yet, as bytes.
    waiting: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
    /// How many numbered frames the other side has received.
    acknowledged: u64,
    /// How many numbered frames have been received from it.
    received: u64,
    /// How many of them it knows of.
    reported: u64,
    /// How many frames were sent.
    sent: u64,
    /// How many of them answered what came.
    answered: u64,
    /// How many frames have come that bring nothing.
    light: u64,
}

/// The other side asks for frames that are kept no longer, or that were never sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the two sides do not agree on what was received")]
pub struct OutOfStep;

impl RemoteLink {
    /// Sends a frame, now or when there is a connection.
    pub fn send(&mut self, frame: &WireFrame) {
        self.sent += 1;
        let bytes = frame.bytes();
        self.out.extend_from_slice(&bytes);
        if frame.is_numbered() {
            self.waiting_bytes += bytes.len();
            self.waiting.push_back(bytes);
        }
    }

    /// Takes bytes that came.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.incoming.add(bytes);
    }

    /// The next frame that the caller has to act on.
    ///
    /// # Errors
    /// [`WrongFrame`]: the connection cannot go on.
    pub fn next_frame(&mut self) -> Result<Option<WireFrame>, WrongFrame> {
        while let Some(frame) = self.incoming.next_frame()? {
            self.light += u64::from(frame.is_light());
            match frame {
                WireFrame::Received(count) => self.forget(count).map_err(|_| WrongFrame)?,
                WireFrame::Echo(number) => {
                    self.answered += 1;
                    self.send(&WireFrame::EchoBack(number));
                }
                WireFrame::EchoBack(_) | WireFrame::Look(..) | WireFrame::Seen(..) => return Ok(Some(frame)),
                numbered => {
                    self.received += 1;
                    return Ok(Some(numbered));
                }
            }
        }
        if self.received != self.reported {
            self.reported = self.received;
            self.answered += 1;
            self.send(&WireFrame::Received(self.received));
        }
        Ok(None)
    }

    /// Goes on with another connection, on which the other side says how many frames it has
    /// received.
    ///
    /// # Errors
    /// [`OutOfStep`]: the game cannot go on.
    pub fn reconnect(&mut self, received_there: u64) -> Result<(), OutOfStep> {
        self.forget(received_there)?;
        self.incoming = Frames::default();
        self.out = self.waiting.iter().flatten().copied().collect();
        self.reported = self.received;
        Ok(())
    }

    fn forget(&mut self, received_there: u64) -> Result<(), OutOfStep> {
        let gone = received_there.checked_sub(self.acknowledged).ok_or(OutOfStep)?;
        let gone = usize::try_from(gone).map_err(|_| OutOfStep)?;
        if gone > self.waiting.len() {
            return Err(OutOfStep);
        }
        self.waiting_bytes -= self.waiting.drain(..gone).map(|bytes| bytes.len()).sum::<usize>();
        self.acknowledged = received_there;
        Ok(())
    }

    /// How many numbered frames have been received.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether the other side has sent more frames that bring nothing than a link of this age
    /// takes.
    pub(crate) fn is_flooded(&self, age: Duration) -> bool {
        // What answers the other side is no reason to take more of it.
        let most = LIGHT.saturating_add(age.as_secs().saturating_mul(LIGHT_EACH_SECOND));
        self.light > most.saturating_add(2 * (self.sent - self.answered))
    }

    /// Whether nothing is known of the other side: it has sent nothing and acknowledged nothing.
    pub(crate) fn is_untouched(&self) -> bool {
        self.received == 0 && self.acknowledged == 0
    }

    /// Bytes for the present connection. The caller removes those that it has written.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Whether so much waits that nothing more should be taken from a pipe.
    pub fn is_full(&self) -> bool {
        self.waiting_bytes >= FULL
    }

    /// Whether the other side has received everything.
    pub fn is_settled(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::FarClaim;

    fn pass(from: &mut RemoteLink, to: &mut RemoteLink, most: usize) -> Vec<WireFrame> {
        let count = from.out().len().min(most);
        let bytes: Vec<u8> = from.out().drain(..count).collect();
        to.hear(&bytes);
        std::iter::from_fn(|| to.next_frame().unwrap()).collect()
    }

    /// However often and wherever the connection breaks, each frame comes once and in order.
    #[test]
    fn a_break_anywhere_loses_and_repeats_nothing() {
        let frames: Vec<WireFrame> = (0..20u8).map(|number| WireFrame::Stdin(vec![number; 3])).collect();
        let whole: usize = frames.iter().map(|frame| frame.bytes().len()).sum();
        for cut in 0..whole {
            let (mut one, mut other, mut got) = (RemoteLink::default(), RemoteLink::default(), Vec::new());
            for frame in &frames[..10] {
                one.send(frame);
            }
            got.extend(pass(&mut one, &mut other, cut));
            // What the other side has said of it arrives in part.
            pass(&mut other, &mut one, cut % 20);
            let (here, there) = (one.received(), other.received());
            one.reconnect(there).unwrap();
            other.reconnect(here).unwrap();
            for frame in &frames[10..] {
                one.send(frame);
            }
            got.extend(pass(&mut one, &mut other, usize::MAX));
            assert_eq!(got, frames, "cut at {cut}");
            assert!(!one.is_settled());
            pass(&mut other, &mut one, usize::MAX);
            assert!(one.is_settled(), "cut at {cut}");
        }
    }

    #[test]
    fn what_was_never_sent_cannot_have_been_received() {
        let mut link = RemoteLink::default();
        link.send(&WireFrame::StdinEnd);
        assert_eq!(link.reconnect(2), Err(OutOfStep));
        assert_eq!(link.reconnect(1), Ok(()));
        assert_eq!(link.reconnect(0), Err(OutOfStep));
        link.hear(&WireFrame::Received(9).bytes());
        assert_eq!(link.next_frame(), Err(WrongFrame));
    }

    #[test]
    fn an_echo_comes_back_and_is_not_numbered() {
        let (mut one, mut other) = (RemoteLink::default(), RemoteLink::default());
        one.send(&WireFrame::Echo(7));
        assert!(pass(&mut one, &mut other, usize::MAX).is_empty());
        assert_eq!(pass(&mut other, &mut one, usize::MAX), [WireFrame::EchoBack(7)]);
        assert_eq!((one.received(), other.received(), one.is_settled()), (0, 0, true));
    }

    /// The control is a link on which as much goes both ways for an hour.
    #[test]
    fn frames_that_bring_nothing_are_a_flood_and_a_long_game_is_none() {
        let hour = Duration::from_secs(3600);
        let (mut one, mut other) = (RemoteLink::default(), RemoteLink::default());
        for number in 0..3600 {
            one.send(&WireFrame::Stdin(b"a move\n".to_vec()));
            one.send(&WireFrame::Echo(number));
            other.send(&WireFrame::Stdout(b"a move\n".to_vec()));
            other.send(&WireFrame::Echo(number));
            pass(&mut one, &mut other, usize::MAX);
            pass(&mut other, &mut one, usize::MAX);
            pass(&mut one, &mut other, usize::MAX);
        }
        assert!(!one.is_flooded(hour) && !other.is_flooded(hour));
        for frame in [
            WireFrame::Stderr(Vec::new()),
            WireFrame::Stdout(Vec::new()),
            WireFrame::Echo(1),
            WireFrame::EchoBack(1),
            WireFrame::Seen(1, FarClaim::default()),
            WireFrame::Answer(FarClaim::default(), Vec::new()),
            WireFrame::Received(0),
            WireFrame::Pause,
            WireFrame::Argument(b"x".to_vec()),
        ] {
            let mut link = RemoteLink::default();
            for _ in 0..2000 {
                link.hear(&frame.bytes());
                while link.next_frame().unwrap().is_some() {}
            }
            assert!(link.is_flooded(Duration::from_secs(1)), "{frame:?}");
        }
    }

    #[test]
    fn a_link_is_full_until_the_other_side_has_received_something() {
        let (mut one, mut other) = (RemoteLink::default(), RemoteLink::default());
        while !one.is_full() {
            one.send(&WireFrame::Stdin(vec![0; 100_000]));
        }
        pass(&mut one, &mut other, usize::MAX);
        pass(&mut other, &mut one, usize::MAX);
        assert!(!one.is_full());
    }
}
