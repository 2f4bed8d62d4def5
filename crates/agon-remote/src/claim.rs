//! What the machine of an engine says of the time of its engine. The other side believes it only as
//! far as it has measured the same: see [`crate::looks`].

use std::time::Duration;

/// How an engine has spent the time since it was told something last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FarClaim {
    /// The time that is its own: without that in which others had the processor.
    pub own: Duration,
    /// The processor time of all its processes.
    pub ran: Duration,
}

impl FarClaim {
    /// The number of bytes of a claim.
    pub(crate) const SIZE: usize = 16;

    /// Its bytes: microseconds.
    pub fn bytes(self) -> [u8; FarClaim::SIZE] {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        (u128::from(micros(self.own)) << 64 | u128::from(micros(self.ran))).to_be_bytes()
    }

    /// The claim with these bytes.
    pub fn read(bytes: [u8; FarClaim::SIZE]) -> Self {
        let both = u128::from_be_bytes(bytes);
        let micros =
            |number: u128| Duration::from_micros(u64::try_from(number & u128::from(u64::MAX)).unwrap_or(0));
        FarClaim { own: micros(both >> 64), ran: micros(both) }
    }
}

/// Observes an engine on its machine.
pub trait EngineClock {
    /// The engine with this process id has been told something: a turn of it may begin.
    fn told(&mut self, engine: u32);

    /// How it has spent the time since then. The process that carries its lines could not run for
    /// the last part of it, `late`, and did not see its answer.
    fn so_far(&mut self, late: Duration) -> FarClaim;
}
