//! Copies between the host and the device, and fills: pieces at a time, so that copies need little room.

use super::Driver;
use crate::door::pass::{Address, Host};
use crate::failed::Answer;

/// Bytes that are copied at once.
const PIECE: u64 = 1 << 20;

/// Where bytes are.
#[derive(Clone, Copy)]
pub enum Side {
    /// At an address that the device knows.
    Device(u64),
    /// In memory of the program that the device does not know.
    Host(Host),
}

impl Driver {
    /// Where an address of either kind is.
    pub fn side(&self, address: Address) -> Side {
        self.side_of(address.host())
    }

    /// Where memory of the program is: it may be the device's, too.
    pub fn side_of(&self, host: Host) -> Side {
        let known = self.places().around(host.address()).is_some();
        if known { Side::Device(host.address()) } else { Side::Host(host) }
    }

    /// Copies bytes.
    pub fn copy(&self, to: Side, from: Side, bytes: u64) -> Answer {
        // Nothing is written if not all of it can be.
        for side in [to, from] {
            if let Side::Device(address) = side {
                self.memory().readable(address, bytes)?;
            }
        }
        let backward = matches!((to, from), (Side::Device(to), Side::Device(from)) if to > from);
        let pieces = bytes.div_ceil(PIECE);
        let piece = |k: u64| (k * PIECE, PIECE.min(bytes - k * PIECE));
        match backward {
            true => {
                (0..pieces).rev().map(piece).try_for_each(|(at, count)| self.copy_piece(to, from, at, count))
            }
            false => (0..pieces).map(piece).try_for_each(|(at, count)| self.copy_piece(to, from, at, count)),
        }
    }

    fn copy_piece(&self, to: Side, from: Side, at: u64, count: u64) -> Answer {
        match (to, from) {
            (Side::Device(to), Side::Host(from)) => self.write(to + at, from.bytes(at, count)?),
            (Side::Device(to), Side::Device(from)) => {
                let bytes = self.memory().read(from + at, count)?;
                self.write(to + at, &bytes)
            }
            (Side::Host(mut to), Side::Device(from)) => {
                Ok(self.memory().read_into(from + at, to.bytes_mut(at, count)?)?)
            }
            (Side::Host(mut to), Side::Host(from)) => {
                let bytes = from.bytes(at, count)?.to_vec();
                to.bytes_mut(at, count)?.copy_from_slice(&bytes);
                Ok(())
            }
        }
    }

    /// Fills memory with copies of some bytes.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Answer {
        let width = pattern.len() as u64;
        let bytes = count.saturating_mul(width);
        self.memory().readable(address, bytes)?;
        let piece = pattern.repeat(count.min(PIECE / width) as usize);
        let mut at = 0;
        while at < bytes {
            let part = (bytes - at).min(piece.len() as u64);
            self.write(address + at, &piece[..part as usize])?;
            at += part;
        }
        Ok(())
    }
}
