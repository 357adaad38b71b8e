//! What is asked of a device: a probe whose results have names, each a fact to record.

use crate::probe::Probe;
use std::ops::Range;

/// A probe and what its results are called.
pub struct Asked {
    pub probe: Probe,
    pub parts: Vec<Part>,
    /// What a result that differs was made from, by the part and the place of its 64 bits in it.
    pub sources: Box<dyn Fn(usize, usize) -> String>,
    /// The same in smaller pieces, for when a device refuses it or a single one is looked at.
    pub smaller: Option<Box<dyn Fn() -> Vec<Asked>>>,
    /// A probe that gives the results behind a part's digests one by one.
    pub closer: Option<Box<dyn Fn(usize, usize) -> Asked>>,
}

/// A part of what is left in a buffer.
#[derive(Clone)]
pub struct Part {
    pub name: String,
    /// The buffer's number, and its bytes.
    pub buffer: usize,
    pub bytes: Range<usize>,
}

impl Asked {
    /// What it is called where its results are not told apart.
    pub fn name(&self) -> &str {
        self.parts.first().map_or("nothing", |part| &part.name)
    }

    /// A probe with a result for each of these buffers, by number and bytes.
    pub fn whole(name: String, probe: Probe, buffers: &[(usize, usize)]) -> Asked {
        let part = |&(buffer, bytes): &(usize, usize)| {
            let name = if buffers.len() > 1 { format!("{name}, buffer {buffer}") } else { name.clone() };
            Part { name, buffer, bytes: 0..bytes }
        };
        let parts = buffers.iter().filter(|(_, bytes)| *bytes > 0).map(part).collect();
        Asked {
            probe,
            parts,
            sources: Box::new(|_, place| format!("at {place}")),
            smaller: None,
            closer: None,
        }
    }
}
