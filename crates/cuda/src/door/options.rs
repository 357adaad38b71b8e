//! Options of calls that compile, and where the program wants to read what is wrong.

use super::pass::{Host, In, Out};
use crate::failed::{Answer, Failed};

/// Options of the compiler, by their numbers in `cuda.h`: the most registers, and where its words go.
const MOST_REGISTERS: u32 = 0;
const INFO_LOG: u32 = 3;
const INFO_LOG_BYTES: u32 = 4;
const ERROR_LOG: u32 = 5;
const ERROR_LOG_BYTES: u32 = 6;

/// The options of a call that compiles.
pub struct Options {
    numbers: Vec<u32>,
    values: Vec<Host>,
}

impl Options {
    pub fn read(count: u32, numbers: In<u32>, values: In<Host>) -> Answer<Options> {
        Ok(Options { numbers: numbers.all(count as usize)?, values: values.all(count as usize)? })
    }

    fn value(&self, number: u32) -> Option<Host> {
        let at = self.numbers.iter().position(|known| *known == number)?;
        Some(self.values[at])
    }

    /// The most registers that kernels may have.
    pub fn most_registers(&self) -> Option<u32> {
        Some(self.value(MOST_REGISTERS)?.address() as u32).filter(|most| *most > 0)
    }

    /// Writes what the compiler said where the program wants it: an empty text, and the errors of a call that failed. How many
    /// bytes that are is said in the place of how many there is room for.
    pub fn log(&self, values: &Out<usize>, failed: Option<&Failed>) -> Answer {
        let mut told: Vec<usize> = self.values.iter().map(|value| value.address() as usize).collect();
        let error = failed.map_or("", |failed| failed.text.as_str());
        for (log, room, text) in [(INFO_LOG, INFO_LOG_BYTES, ""), (ERROR_LOG, ERROR_LOG_BYTES, error)] {
            if let (Some(mut log), Some(place)) =
                (self.value(log), self.numbers.iter().position(|n| *n == room))
                && log.address() != 0
            {
                told[place] = log.give_text(text, u64::from(told[place] as u32))? as usize;
            }
        }
        values.give_all(&told)
    }
}
