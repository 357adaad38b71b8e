//! Why an access to memory is refused, told with the nearest memory there is.

use margay_front::module::Space;
use std::fmt;

/// What errors call the shared memory that a launch asks for.
pub(crate) const DYNAMIC_SHARED: &str = "dynamic shared memory";
/// Memory farther away than so many bytes is not told of.
const FAR: u128 = 1 << 20;

/// Some bytes with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// What errors call it.
    pub name: String,
    /// Address of the first byte, in its space.
    pub base: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl Region {
    /// The address behind the last byte.
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }

    /// Whether an address lies in it.
    pub fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }

    /// Whether so many bytes from an address on lie in it.
    #[inline]
    pub fn fits(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset <= self.bytes && bytes <= self.bytes - offset
    }

    /// Bytes between an address and the region, the shorter way round the address space; 0 inside.
    pub fn distance(&self, address: u64) -> u64 {
        if self.holds(address) {
            return 0;
        }
        self.base.wrapping_sub(address).min(address.wrapping_sub(self.end()))
    }

    /// What is wrong with an access near the region, its permissions aside.
    pub(crate) fn refusal(&self, address: u64, bytes: u64, alignment: u64) -> Option<FaultKind> {
        if self.fits(address, bytes) {
            return (address & (alignment - 1) != 0).then_some(FaultKind::Misaligned(alignment));
        }
        let near = self.distance(address) <= self.bytes.max(4096);
        Some(if near { FaultKind::OutOfBounds } else { FaultKind::Unallocated })
    }
}

/// Whether one of some regions, in the order of addresses, has all of these bytes.
pub(crate) fn holds(regions: &[Region], address: u64, bytes: u64) -> bool {
    let behind = regions.partition_point(|region| region.base <= address);
    behind > 0 && regions[behind - 1].fits(address, bytes)
}

/// Reading or writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Reading and writing in one step.
    Atomic,
}

/// What is wrong with an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Outside a region, but near it.
    OutOfBounds,
    /// The address is not a multiple of this.
    Misaligned(u64),
    /// At or just above address 0.
    Null,
    /// A write to constant memory or parameters.
    ReadOnly,
    /// A write to memory that the host has lent only to be read.
    Locked,
    /// The allocation has been given back.
    Freed,
    /// Far from all memory.
    Unallocated,
    /// Memory of another space than the instruction names.
    OtherSpace,
    /// Shared memory of a block of the cluster that has ended.
    Ended,
}

/// The region nearest to a refused access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearest {
    /// The region.
    pub region: Region,
    /// Bytes from its end (positive), or to its start (negative); 0 if the access begins inside or right behind it.
    pub distance: i128,
}

/// A refused access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The space of the address.
    pub space: Space,
    /// Reading or writing.
    pub access: Access,
    /// Address in its space; generic for global and constant memory.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The nearest memory, if there is any.
    pub nearest: Option<Nearest>,
}

impl std::error::Error for Fault {}

impl Fault {
    pub(crate) fn at(space: Space, access: Access, address: u64, bytes: u64) -> Fault {
        Fault { kind: FaultKind::Unallocated, space, access, address, bytes, nearest: None }
    }

    pub(crate) fn because(self, kind: FaultKind) -> Fault {
        Fault { kind, ..self }
    }

    pub(crate) fn near(self, region: &Region) -> Fault {
        // In a window, an address just below 0 is meant as one: it lies before the window's first variable.
        let address = match self.space {
            Space::Global | Space::Const => i128::from(self.address),
            _ if self.address <= u64::from(u32::MAX) => i128::from(self.address as i32),
            _ => i128::from(self.address as i64),
        };
        let past = address - i128::from(region.end());
        let before = address - i128::from(region.base);
        let distance = past.max(0) + before.min(0);
        Fault { nearest: Some(Nearest { region: region.clone(), distance }), ..self }
    }

    /// What may be behind it, where that can be guessed.
    pub fn help(&self) -> Option<&'static str> {
        let generic = self.address > u64::from(u32::MAX);
        match (self.kind, self.space) {
            (FaultKind::Null, _) => Some(
                "a register that was never written is 0, and so is the address of the first shared or local \
                 variable before `cvta`",
            ),
            (FaultKind::Unallocated | FaultKind::OutOfBounds, _)
                if !generic && self.is_near(DYNAMIC_SHARED) =>
            {
                Some(
                    "the launch says how many bytes of dynamic shared memory a block has: `margay run --shared BYTES`",
                )
            }
            (
                FaultKind::Unallocated | FaultKind::OutOfBounds,
                Space::Shared | Space::Local | Space::Param,
            ) if generic => Some(
                "this looks like a generic or global address: convert it with `cvta.to`, or name no space",
            ),
            (FaultKind::OtherSpace, Space::Shared) => Some("memory of other blocks is `.shared::cluster`"),
            (FaultKind::Ended, _) => {
                Some("blocks of a cluster wait for each other at `barrier.cluster` before they end")
            }
            (FaultKind::OtherSpace, _) => {
                Some("name no space, or the space that the address is of; `cvta` and `cvta.to` convert")
            }
            _ => None,
        }
    }

    fn is_near(&self, name: &str) -> bool {
        self.nearest.as_ref().is_some_and(|nearest| nearest.region.name == name)
    }

    /// Where the access lies relative to the nearest region.
    fn relation(&self) -> Option<String> {
        let Nearest { region, distance } = self.nearest.as_ref()?;
        let name = format!("{} ({} at {:#x})", region.name, count(region.bytes), region.base);
        Some(match *distance {
            _ if self.kind == FaultKind::Freed => format!("{name} was freed"),
            d if d.unsigned_abs() > FAR => return None,
            d if d < 0 => format!("{} before the start of {name}", count(d.unsigned_abs() as u64)),
            d if d > 0 => format!("{} past the end of {name}", count(d as u64)),
            _ if self.address == region.end() => format!("just past the end of {name}"),
            _ if !region.fits(self.address, self.bytes) => {
                let over = u128::from(self.address) + u128::from(self.bytes) - u128::from(region.end());
                format!("the last {over} of them past the end of {name}")
            }
            _ => format!("in {name}"),
        })
    }
}

fn count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            FaultKind::OutOfBounds => "out of bounds",
            FaultKind::Misaligned(_) => "misaligned",
            FaultKind::Null if self.address > 0 => "near-null address",
            FaultKind::Null => "null pointer",
            FaultKind::ReadOnly if self.space == Space::Param => "write to a kernel's parameters",
            FaultKind::ReadOnly => "write to constant memory",
            FaultKind::Locked => "write to read-only memory",
            FaultKind::Freed => "use after free",
            FaultKind::Unallocated => "no memory here",
            FaultKind::OtherSpace => "memory of another space",
            FaultKind::Ended => "shared memory of a block that has ended",
        })?;
        let access = match self.access {
            Access::Read => "read of",
            Access::Write => "write of",
            Access::Atomic => "atomic operation on",
        };
        let space = match self.space {
            Space::Global | Space::Const => "",
            Space::Shared => "shared address ",
            Space::Local => "local address ",
            Space::Param => "parameter address ",
        };
        write!(f, ": {access} {} at {space}{:#x}", count(self.bytes), self.address)?;
        if let FaultKind::Misaligned(alignment) = self.kind {
            write!(f, ", which is not a multiple of {alignment}")?;
        }
        match self.relation() {
            Some(text) if self.kind == FaultKind::Freed => write!(f, ": {text}"),
            Some(text) if matches!(self.kind, FaultKind::Null | FaultKind::Unallocated) => {
                write!(f, "; the nearest is {text}")
            }
            Some(text) => write!(f, ", {text}"),
            None => Ok(()),
        }
    }
}
