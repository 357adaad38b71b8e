//! What the device's runtime does for a thread: printing, failed assertions, memory, dot products.

use super::lane::Lane;
use crate::code::{Call, Strength};
use crate::memory::{Access, Fault};
use crate::output;
use crate::printf::{self, Arguments};
use crate::sanitize::touched::Made;
use crate::trap::TrapKind;
use margay_front::provided::Provided;
use margay_isa::Bits;
use std::sync::atomic::Ordering::Relaxed;

impl Lane<'_> {
    /// Does what a function of the runtime does, and leaves its result.
    pub(super) fn provide(&mut self, provided: Provided, call: &Call) -> Result<(), TrapKind> {
        let given: Vec<u64> = call.arguments.iter().map(|spot| self.get(spot) as u64).collect();
        let argument = |k: usize| given.get(k).copied().unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(argument);
        let result = match provided {
            Provided::Allocate => {
                let address = self.job.memory.take(a);
                if let Some(watch) = &mut self.watch {
                    watch.taken(self.job, address, a);
                }
                Bits::from(address)
            }
            Provided::Free => {
                self.job.memory.give_back(a).map_err(TrapKind::Runtime)?;
                return Ok(());
            }
            Provided::Print => Bits::from(self.print(a, b)?),
            Provided::AssertFail => return Err(self.assertion(a, b, c as u32, argument(3))?),
            Provided::DotBytes(signed_a, signed_b) => {
                let products = (0..4).map(|k| part(a, k, 8, signed_a).wrapping_mul(part(b, k, 8, signed_b)));
                products.fold(c as i64, i64::wrapping_add) as u32 as Bits
            }
            Provided::DotHalves(high, signed_a, signed_b) => {
                let from = if high { 2 } else { 0 };
                let product = |k| part(a, k, 16, signed_a).wrapping_mul(part(b, k + from, 8, signed_b));
                (0..2).map(product).fold(c as i64, i64::wrapping_add) as u32 as Bits
            }
        };
        if let Some(spot) = call.results.first() {
            self.put_at(spot, result);
        }
        Ok(())
    }

    /// Formats and prints; gives how many arguments the format took.
    fn print(&mut self, format: u64, arguments: u64) -> Result<u32, TrapKind> {
        if format == 0 {
            return Ok(u32::MAX);
        }
        let format = self.text_at(format).map_err(TrapKind::Memory)?;
        let mut list = InMemory { at: arguments, lane: self };
        let (text, count) = printf::format(&format, &mut list).map_err(TrapKind::Memory)?;
        if text.len() > printf::LONGEST {
            let longest = printf::LONGEST;
            return Err(TrapKind::Runtime(format!("more than {longest} bytes are printed at once")));
        }
        let most = self.job.most_output();
        let kept = output::kept(&text);
        if self.job.printed.fetch_add(kept, Relaxed) + kept > most {
            let line = output::LINE;
            let text = format!(
                "the launch prints more than {most} bytes, {line} counted for each line beside its text"
            );
            return Err(TrapKind::Runtime(text));
        }
        self.output.print(self.index, &text);
        Ok(count)
    }

    fn assertion(
        &mut self,
        condition: u64,
        file: u64,
        line: u32,
        function: u64,
    ) -> Result<TrapKind, TrapKind> {
        let mut text = |address| match address {
            0 => Ok("?".to_string()),
            _ => self.text_at(address).map(|text| String::from_utf8_lossy(&text).into_owned()),
        };
        let texts = [condition, file, function].map(|address| text(address).map_err(TrapKind::Memory));
        let [condition, file, function] = texts;
        let (condition, file, function) = (condition?, file?, function?);
        Ok(TrapKind::Assertion(format!("assertion `{condition}` failed in `{function}`, {file}:{line}")))
    }

    /// The bytes from a generic address on that come before a zero.
    fn text_at(&mut self, address: u64) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        while text.len() < printf::LONGEST_TEXT {
            let at = self.find(Access::Read, None, true, address.wrapping_add(text.len() as u64), 1)?;
            if self.watch.is_some() {
                self.watched(Access::Read, at, 1, Strength::default(), Made::ByThread);
            }
            match self.load(at, 0, 1) as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}

/// Part `k` of `bits` bits of a word.
fn part(word: u64, k: u32, bits: u32, signed: bool) -> i64 {
    let top = word << (64 - bits * (k + 1));
    if signed { top as i64 >> (64 - bits) } else { (top >> (64 - bits)) as i64 }
}

/// Arguments that lie in memory one behind the other, each aligned as its size asks.
struct InMemory<'l, 'a> {
    at: u64,
    lane: &'l mut Lane<'a>,
}

impl Arguments for InMemory<'_, '_> {
    type Error = Fault;

    fn next(&mut self, bytes: u64) -> Result<u64, Fault> {
        let address = self.at.checked_next_multiple_of(bytes).unwrap_or(0);
        let at = self.lane.find(Access::Read, None, true, address, bytes)?;
        if self.lane.watch.is_some() {
            self.lane.watched(Access::Read, at, bytes, Strength::default(), Made::ByThread);
        }
        self.at = address.wrapping_add(bytes);
        Ok(self.lane.load(at, 0, bytes as u32) as u64)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, Fault> {
        self.lane.text_at(address)
    }
}
