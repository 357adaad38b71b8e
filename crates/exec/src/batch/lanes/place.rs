//! Where values lie: lines of sixteen threads, and places of one or two for each group.

use bytemuck::{Pod, Zeroable};
use margay_isa::uop::Type;

/// Threads of a group.
pub(crate) const GROUP: usize = 16;

/// Values have lines for a multiple of so many groups.
pub(crate) const UNIT: usize = 4;

/// 64 bytes of one register.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(super) [u32; GROUP]);

/// Where a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    /// Its first line.
    pub(crate) line: u32,
    /// Lines from one group of threads to the next; 0 if the value is the same in all threads. With `LENT` added, the value
    /// may be in memory instead, where a load found it.
    pub(crate) stride: u8,
}

/// Marks places whose value may be lent by memory, or be written there.
const LENT: u8 = 0x80;

impl Place {
    /// The place as one whose value memory may lend.
    pub(crate) fn lent(self) -> Place {
        Place { stride: self.stride | LENT, ..self }
    }

    /// Whether memory may lend its value.
    pub(crate) fn is_lent(self) -> bool {
        self.stride & LENT != 0
    }

    /// The stride of the place itself, whoever may lend its value.
    pub(crate) fn own_stride(self) -> u8 {
        self.stride & !LENT
    }

    /// Lines from one group of threads to the next.
    pub(super) fn step(self) -> usize {
        usize::from(self.own_stride())
    }
}

/// The lines that a value of a type takes for one group.
pub(crate) fn width(ty: Type) -> u8 {
    match ty {
        Type::Pred | Type::U32 => 1,
        Type::U64 => 2,
    }
}
