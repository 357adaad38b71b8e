//! Bulk copies, decoded: ranges of memory that are copied, or combined with others, while the thread goes on.

use super::{AtomicFunction, Source, Transfer};
use margay_isa::Inst;

/// A bulk copy. It is done at once; whether it was waited for is only judged.
#[derive(Clone)]
pub(crate) struct Bulk {
    pub(crate) inst: Inst,
    /// Where to; as wide as one chunk.
    pub(crate) to: Transfer<()>,
    /// Where from.
    pub(crate) from: Transfer<()>,
    /// How many bytes: whole chunks.
    pub(crate) size: Source,
    /// The barrier object that counts the bytes that have come; if there is none, the copy is part of a group.
    pub(crate) object: Option<Transfer<()>>,
    /// A bit for every block of the cluster that is copied to, with its own barrier object, if there are several.
    pub(crate) blocks: Option<Source>,
    /// A bit for every byte of a chunk that is written; all are if it is none.
    pub(crate) mask: Option<Source>,
    /// What becomes of each element, if it is not what is copied.
    pub(crate) combine: Option<Combine>,
}

/// How elements are combined with those that are there.
#[derive(Clone)]
pub(crate) struct Combine {
    pub(crate) inst: Inst,
    pub(crate) function: AtomicFunction,
    /// Bytes of an element.
    pub(crate) bytes: u32,
}

impl Bulk {
    /// Bytes of a chunk: what addresses and sizes are multiples of (manual, section 9.7.9.25.4).
    pub(crate) const CHUNK: u32 = 16;

    /// What it reads, its addresses included.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        let object = self.object.as_ref().map(|object| &object.address);
        [&self.to.address, &self.from.address, &self.size]
            .into_iter()
            .chain(object)
            .chain(&self.mask)
            .chain(&self.blocks)
    }
}
