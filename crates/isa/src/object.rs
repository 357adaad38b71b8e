//! The barrier object of 64 bits in shared memory: what it counts, and what operations make of it (manual, section 9.7.13.15).
//!
//! The manual leaves its bits open. Here they are, from the lowest on: 20 bits of arrivals that the phase still waits for, 20 bits
//! of arrivals that each later phase waits for, 21 bits of bytes that are still to come (in two's complement), and the three
//! lowest bits of the phase's number.

use crate::types::Bits;

/// A barrier object.
///
/// ```
/// use margay_isa::BarrierObject;
/// let mut object = BarrierObject::new(2).unwrap();
/// let before = object.bits();
/// object.arrive(1, false).unwrap();
/// assert!(!object.is_over(before).unwrap());
/// object.arrive(1, false).unwrap();
/// assert!(object.is_over(before).unwrap() && object.has_passed(0) && !object.has_passed(1));
/// assert_eq!(object.pending, 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierObject {
    /// Arrivals that the phase still waits for.
    pub pending: u32,
    /// Arrivals that each later phase waits for.
    pub expected: u32,
    /// Bytes that are still to come in the phase; negative where some have come that nobody has announced yet.
    pub bytes: i32,
    /// The number of the phase, modulo 8.
    pub phase: u8,
}

impl BarrierObject {
    /// The most arrivals, and the most bytes, that an object counts.
    pub const MOST: u32 = (1 << 20) - 1;

    /// A new object, in phase 0.
    ///
    /// # Errors
    /// If it cannot count so many arrivals.
    pub fn new(count: u32) -> Result<BarrierObject, String> {
        match count {
            1..=BarrierObject::MOST => {
                Ok(BarrierObject { pending: count, expected: count, bytes: 0, phase: 0 })
            }
            _ => {
                Err(format!("a barrier object waits for 1 to {} arrivals, not {count}", BarrierObject::MOST))
            }
        }
    }

    /// The object with these bits.
    pub fn of(bits: u64) -> BarrierObject {
        let field = |low: u32| (bits >> low) as u32 & BarrierObject::MOST;
        BarrierObject {
            pending: field(0),
            expected: field(20),
            bytes: ((bits << 3) as i64 >> 43) as i32,
            phase: (bits >> 61) as u8,
        }
    }

    /// Its bits.
    pub fn bits(self) -> u64 {
        let bytes = u64::from(self.bytes as u32 & 0x1f_ffff);
        u64::from(self.pending) | u64::from(self.expected) << 20 | bytes << 40 | u64::from(self.phase) << 61
    }

    /// Counts arrivals; `leaves`: later phases wait for so many less.
    ///
    /// # Errors
    /// If the phase waits for fewer.
    pub fn arrive(&mut self, count: u32, leaves: bool) -> Result<(), String> {
        if count == 0 {
            return Err("0 arrivals cannot be counted".into());
        }
        if count > self.pending {
            let (here, left) = (arrivals(count), self.pending);
            return Err(format!("{here} at a barrier object whose phase waits for {left}"));
        }
        if leaves {
            if count > self.expected {
                let left = self.expected;
                return Err(format!("{} leave a barrier object that expects {left}", arrivals(count)));
            }
            self.expected -= count;
        }
        self.pending -= count;
        self.settle();
        Ok(())
    }

    /// Waits for so many bytes more.
    ///
    /// # Errors
    /// If it cannot count so many.
    pub fn expect(&mut self, bytes: u32) -> Result<(), String> {
        self.move_bytes(i64::from(bytes))
    }

    /// So many bytes have come.
    ///
    /// # Errors
    /// If it cannot count so many.
    pub fn complete(&mut self, bytes: u32) -> Result<(), String> {
        self.move_bytes(-i64::from(bytes))
    }

    fn move_bytes(&mut self, change: i64) -> Result<(), String> {
        let (bytes, most) = (i64::from(self.bytes) + change, i64::from(BarrierObject::MOST));
        if bytes.abs() > most {
            return Err(format!("{bytes} bytes to come at a barrier object, which counts {most} at most"));
        }
        self.bytes = bytes as i32;
        self.settle();
        Ok(())
    }

    /// Whether one arrival more can be waited for in the phase.
    ///
    /// # Errors
    /// If it cannot.
    pub fn add_arrival(&self) -> Result<(), String> {
        match self.pending {
            BarrierObject::MOST => Err(format!("a barrier object counts {} arrivals at most", self.pending)),
            _ => Ok(()),
        }
    }

    /// Ends the phase if nothing is missing.
    fn settle(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.pending = self.expected;
            self.phase = (self.phase + 1) % 8;
        }
    }

    /// Whether the phase is over in which an arrival found the object with the bits `state`.
    ///
    /// # Errors
    /// If it was neither this phase nor the one before.
    pub fn is_over(self, state: u64) -> Result<bool, String> {
        match (self.phase + 8 - BarrierObject::of(state).phase) % 8 {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("the state is neither of the barrier object's phase nor of the one before".into()),
        }
    }

    /// Whether the phase with this parity, the object's or the one before, is over.
    pub fn has_passed(self, parity: u32) -> bool {
        u32::from(self.phase) & 1 != parity & 1
    }

    /// What it still waits for.
    ///
    /// ```
    /// use margay_isa::BarrierObject;
    /// let mut object = BarrierObject::new(1).unwrap();
    /// object.expect(512).unwrap();
    /// assert_eq!(object.missing(), "1 arrival and 512 bytes");
    /// ```
    pub fn missing(self) -> String {
        match (self.pending, self.bytes) {
            (0, bytes) => format!("{bytes} bytes"),
            (pending, 0) => arrivals(pending),
            (pending, bytes) => format!("{} and {bytes} bytes", arrivals(pending)),
        }
    }
}

/// How many arrivals the phase waited for when `state` was taken.
pub(crate) fn pending(state: Bits) -> Bits {
    state & Bits::from(BarrierObject::MOST)
}

fn arrivals(count: u32) -> String {
    if count == 1 { "1 arrival".into() } else { format!("{count} arrivals") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_fields_say_the_same() {
        let most = BarrierObject::MOST;
        for (pending, expected, bytes, phase) in
            [(1, 1, 0, 0), (most, 1, -(most as i32), 7), (0, most, most as i32, 4), (5, 9, -1, 1)]
        {
            let object = BarrierObject { pending, expected, bytes, phase };
            assert_eq!(BarrierObject::of(object.bits()), object);
        }
        assert_eq!(BarrierObject::new(3).unwrap().bits(), 3 << 20 | 3);
    }

    #[test]
    fn a_phase_ends_when_no_arrival_and_no_byte_is_missing() {
        let mut object = BarrierObject::new(1).unwrap();
        object.complete(16).unwrap();
        assert_eq!((object.bytes, object.phase), (-16, 0));
        object.expect(48).unwrap();
        object.arrive(1, false).unwrap();
        assert_eq!((object.pending, object.phase), (0, 0));
        assert!(object.arrive(1, false).is_err(), "more arrivals than the phase waits for");
        object.complete(32).unwrap();
        assert_eq!(object, BarrierObject { pending: 1, expected: 1, bytes: 0, phase: 1 });
    }

    #[test]
    fn who_leaves_is_not_waited_for_later() {
        let mut object = BarrierObject::new(3).unwrap();
        object.arrive(2, true).unwrap();
        object.arrive(1, false).unwrap();
        assert_eq!((object.pending, object.expected, object.phase), (1, 1, 1));
        object.arrive(1, true).unwrap();
        assert_eq!((object.pending, object.expected, object.phase), (0, 0, 2));
        assert!(object.arrive(1, false).is_err());
    }

    #[test]
    fn what_cannot_be_counted_is_an_error() {
        let most = BarrierObject::MOST;
        assert!(BarrierObject::new(0).is_err() && BarrierObject::new(most + 1).is_err());
        let mut object = BarrierObject::new(most).unwrap();
        assert!(object.add_arrival().is_err() && object.arrive(0, false).is_err());
        object.expect(most).unwrap();
        assert!(object.expect(1).is_err() && object.expect(u32::MAX).is_err());
        object.complete(most).unwrap();
        object.complete(most).unwrap();
        assert!(object.complete(1).is_err());
    }

    #[test]
    fn a_state_is_known_for_two_phases() {
        let mut object = BarrierObject::new(1).unwrap();
        let state = object.bits();
        let seen: Vec<Option<bool>> = (0..8)
            .map(|_| {
                let seen = object.is_over(state).ok();
                object.arrive(1, false).unwrap();
                seen
            })
            .collect();
        assert_eq!(seen[..3], [Some(false), Some(true), None]);
        assert!(seen[3..].iter().all(Option::is_none));
        assert!(object.phase == 0 && object.has_passed(1) && !object.has_passed(0));
    }
}
