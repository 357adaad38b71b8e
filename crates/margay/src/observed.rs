//! What chosen threads do and who touches chosen memory, as lines for people and as objects for programs.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use margay_exec::memory::Access;
use margay_exec::{Dim, Held, Seen, Spot, Threads};
use serde::Serialize;

use crate::located::Located;
use crate::problem::Problem;

/// Threads as users write them: `5`, `5,0,0`, `0-31`, each with `@` and blocks written the same way; the first block without.
///
/// ```
/// use margay::observed::Chosen;
/// let chosen: Chosen = "0-31,2@4".parse().unwrap();
/// assert_eq!(chosen.0.threads, [0..=31, 2..=2, 0..=0]);
/// assert_eq!(chosen.0.blocks, [4..=4, 0..=0, 0..=0]);
/// assert!("5-3".parse::<Chosen>().is_err() && "".parse::<Chosen>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen(pub Threads);

impl FromStr for Chosen {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Chosen, Problem> {
        let (threads, blocks) = text.split_once('@').unwrap_or((text, "0"));
        let wrong = || {
            Problem::new(format!("`{text}` does not name threads"))
                .help("write a thread as `X[,Y[,Z]]` and its block after `@`: `5`, `5,1@2`, `0-31@0-3`")
        };
        let ranges = |text: &str| -> Option<[RangeInclusive<u32>; 3]> {
            let mut ranges = [0..=0, 0..=0, 0..=0];
            let parts: Vec<&str> = text.split(',').collect();
            if parts.len() > 3 {
                return None;
            }
            for (range, part) in ranges.iter_mut().zip(parts) {
                let (first, last) = part.split_once('-').unwrap_or((part, part));
                *range = first.trim().parse().ok()?..=last.trim().parse().ok()?;
                if range.start() > range.end() {
                    return None;
                }
            }
            Some(ranges)
        };
        let both = ranges(threads).zip(ranges(blocks));
        both.map(|(threads, blocks)| Chosen(Threads { threads, blocks })).ok_or_else(wrong)
    }
}

/// Lines of a text, `60` or `60-75`.
///
/// ```
/// use margay::observed::Lines;
/// assert_eq!("60-75".parse::<Lines>().unwrap().0, 60..=75);
/// assert!("75-60".parse::<Lines>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines(pub RangeInclusive<usize>);

impl FromStr for Lines {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Lines, Problem> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = first.trim().parse().ok().zip(last.trim().parse().ok()).map(|(first, last)| first..=last);
        range.filter(|range: &RangeInclusive<usize>| range.start() <= range.end()).map(Lines).ok_or_else(
            || Problem::new(format!("`{text}` does not name lines")).help("write `60` or `60-75`"),
        )
    }
}

/// Memory as users write it: a name or an address, with an offset and a number of bytes: `sums`, `sums+16:4`, `0x700000000000:8`.
///
/// ```
/// use margay::observed::{Named, Place};
/// let place: Place = "sums+16:4".parse().unwrap();
/// assert_eq!((place.named, place.offset, place.bytes), (Named::Name("sums".into()), 16, Some(4)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it begins with.
    pub named: Named,
    /// Bytes from there.
    pub offset: u64,
    /// How many bytes; all that are left if it is a name without an offset, else one.
    pub bytes: Option<u64>,
}

/// What a place begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A variable of the module or a parameter of the kernel that is a buffer.
    Name(String),
    /// A device address.
    Address(u64),
}

impl FromStr for Place {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Place, Problem> {
        let wrong = || {
            Problem::new(format!("`{text}` does not name memory")).help(
                "write a variable, a parameter or an address, then `+` and an offset, then `:` and a number of bytes: `sums+16:4`",
            )
        };
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let (text, bytes) = match text.rsplit_once(':') {
            Some((text, bytes)) => (text, Some(number(bytes).filter(|bytes| *bytes > 0).ok_or_else(wrong)?)),
            None => (text, None),
        };
        let (name, offset) = match text.split_once('+') {
            Some((name, offset)) => (name, number(offset).ok_or_else(wrong)?),
            None => (text, 0),
        };
        let named = match number(name) {
            Some(address) => Named::Address(address),
            None if name.is_empty() => return Err(wrong()),
            None => Named::Name(name.to_string()),
        };
        Ok(Place { named, offset, bytes })
    }
}

impl Place {
    /// Its bytes, where what it names has `size`, if that is known.
    pub fn range(&self, size: Option<u64>) -> Range<u64> {
        let whole = size.filter(|_| self.offset == 0).unwrap_or(1);
        self.offset..self.offset.saturating_add(self.bytes.unwrap_or(whole))
    }
}

/// One thing that happened, with its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// `step` or `access`.
    pub kind: &'static str,
    /// The thread's place in its block.
    pub thread: [u32; 3],
    /// The block's place in the grid.
    pub block: [u32; 3],
    /// The line in the PTX file.
    pub line: usize,
    /// The instruction as it is written.
    pub instruction: String,
    /// Whether its guard was false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// Registers that it read, with what they held before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Register>,
    /// Registers that it wrote, with what they hold now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Register>,
    /// The address that it accessed, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Of an access: `read`, `write` or `atomic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<&'static str>,
    /// Of an access: what is there now, in hex, in memory order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
}

/// A register and its bits in hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Its bits in hex, all of them; `0` or `1` of a predicate.
    pub value: String,
    /// The same as a signed number, of registers up to 64 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
}

impl Register {
    fn of(held: &Held) -> Register {
        let Held { name, value, bits } = held;
        let number = (2..=64).contains(bits).then(|| ((*value as u64) << (64 - bits)) as i64 >> (64 - bits));
        let value = if *bits == 1 {
            value.to_string()
        } else {
            format!("0x{value:0w$x}", w = bits.div_ceil(4) as usize)
        };
        Register { name: name.clone(), value, number }
    }
}

impl Event {
    /// Of what an engine has seen.
    pub fn of(located: &Located, seen: &Seen) -> Event {
        let axes = |dim: Dim| [dim.x, dim.y, dim.z];
        let (Seen::Step { at, .. } | Seen::Touch { at, .. }) = seen;
        let Spot { function, instruction, block, thread } = *at;
        let (line, text) = located.line(function, instruction);
        let mut event = Event {
            kind: "step",
            thread: axes(thread),
            block: axes(block),
            line,
            instruction: text,
            skipped: false,
            reads: Vec::new(),
            writes: Vec::new(),
            address: None,
            access: None,
            bytes: None,
        };
        match seen {
            Seen::Step { skipped, reads, writes, address, .. } => {
                event.skipped = *skipped;
                event.reads = reads.iter().map(Register::of).collect();
                event.writes = writes.iter().map(Register::of).collect();
                event.address = address.map(|address| format!("{address:#x}"));
            }
            Seen::Touch { access, address, bytes, .. } => {
                event.kind = "access";
                event.access = Some(match access {
                    Access::Read => "read",
                    Access::Write => "write",
                    Access::Atomic => "atomic",
                });
                event.address = Some(format!("{address:#x}"));
                event.bytes = Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
            }
        }
        event
    }
}

/// A line: `5,0,0@0,0,0 line 60: add.s32 %r1, %r2, 7;  %r2 = 0x5 (5)  =>  %r1 = 0xc (12)`.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = |axes: [u32; 3]| axes.map(|k| k.to_string()).join(",");
        write!(f, "{}@{} line {}: {}", axes(self.thread), axes(self.block), self.line, self.instruction)?;
        if self.skipped {
            f.write_str("  (skipped)")?;
        }
        let registers = |list: &[Register]| {
            let one = |register: &Register| match register.number {
                Some(number) => format!("{} = {} ({number})", register.name, register.value),
                None => format!("{} = {}", register.name, register.value),
            };
            list.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        if !self.reads.is_empty() {
            write!(f, "  {}", registers(&self.reads))?;
        }
        if let Some(address) = &self.address {
            write!(f, "  {} [{address}]", self.access.unwrap_or("at"))?;
        }
        if let Some(bytes) = &self.bytes {
            write!(f, " = {bytes}")?;
        }
        if !self.writes.is_empty() {
            write!(f, "  =>  {}", registers(&self.writes))?;
        }
        Ok(())
    }
}
