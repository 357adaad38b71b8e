//! `cudaDeviceProp`: its fields in order, each an attribute of the driver.

use crate::errors::Answer;
use crate::runtime::Runtime;

/// A field, or several of one type.
enum Field {
    /// The name, in 256 bytes; an identifier, in 16.
    Name,
    Uuid,
    /// The bytes of the device's memory.
    Memory,
    /// Attributes by their numbers in `cuda.h`, in 4 bytes or 8 each.
    Ints(&'static [u32]),
    Size(u32),
    /// Bytes that are 0.
    Zeros(usize),
}

use Field::*;

/// The structure in a version.
pub struct Layout {
    fields: &'static [&'static [Field]],
    bytes: usize,
}

/// What precedes, in every version. An LUID is another system's.
const HEAD: &[Field] =
    &[Name, Uuid, Zeros(8 + 4), Memory, Size(8), Ints(&[12, 10]), Size(11), Ints(&[1, 2, 3, 4, 5, 6, 7])];

/// From the size of constant memory to the number of multiprocessors; version 12 also says a clock rate, an overlap, a time limit and a
/// mode of computing.
#[cfg(major = "12")]
const CORE: &[Field] = &[
    Ints(&[13]),
    Size(9),
    Ints(&[75, 76]),
    Size(14),
    Size(51),
    Ints(&[15, 16, 17, 18, 19, 20]),
    // Textures of one dimension.
    Ints(&[21, 77, 69]),
];
#[cfg(major = "13")]
const CORE: &[Field] = &[Size(9), Ints(&[75, 76]), Size(14), Size(51), Ints(&[16, 18, 19]), Ints(&[21, 77])];

/// Extents of textures and surfaces.
const TEXTURES: &[Field] = &[
    Ints(&[22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26, 47, 48, 49, 52, 42, 43, 27, 28, 29, 53, 54]),
    Ints(&[55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68]),
    Size(30),
    Ints(&[31, 32, 33, 34, 50, 35, 40, 41]),
];

#[cfg(major = "12")]
const MEMORY: &[Field] =
    &[Ints(&[36, 37, 38, 108, 39, 78, 79, 80]), Size(81), Ints(&[82, 83, 84, 85, 86, 87])];
#[cfg(major = "13")]
const MEMORY: &[Field] = &[Ints(&[37, 38, 108, 39, 78, 79, 80]), Size(81), Ints(&[82, 83, 84, 85, 86])];

#[cfg(major = "12")]
const LAUNCHES: &[Field] = &[Ints(&[88, 89, 90, 91, 95, 96])];
#[cfg(major = "13")]
const LAUNCHES: &[Field] = &[Ints(&[88, 89, 90, 91, 95])];

/// To the end of what version 11 has.
const SHARED: &[Field] = &[Size(97), Ints(&[100, 101, 106, 109]), Size(111)];

/// What later versions have.
#[cfg(major = "12")]
const LATER: &[Field] = &[Ints(&[99, 112, 113, 114, 115, 116, 117, 118, 119, 121, 125, 120, 129])];
#[cfg(major = "13")]
const LATER: &[Field] = &[
    Ints(&[99, 112, 113, 114, 115, 116, 117, 118, 119, 121, 125, 120, 129]),
    Ints(&[130, 131, 133, 134, 139, 140, 143]),
];

/// The structure of this version.
pub const LAYOUT: Layout = Layout {
    fields: &[HEAD, CORE, TEXTURES, MEMORY, LAUNCHES, SHARED, LATER],
    bytes: if cfg!(major = "12") { 1032 } else { 1008 },
};

/// The one of version 11, for programs that ask by its name.
#[cfg(major = "12")]
pub const FIRST_LAYOUT: Layout =
    Layout { fields: &[HEAD, CORE, TEXTURES, MEMORY, LAUNCHES, SHARED], bytes: 712 };

/// The properties of a device, as the structure lies in memory.
pub fn read(runtime: &Runtime, device: i32, layout: &Layout) -> Answer<Vec<u8>> {
    let mut bytes = Vec::with_capacity(layout.bytes);
    let size = |attribute| runtime.attribute(attribute, device).map(|value| value as u32 as u64);
    for field in layout.fields.iter().copied().flatten() {
        match field {
            Name => {
                let mut name = [0; 256];
                runtime.driver.cuDeviceGetName(&mut name, 256, device)?;
                bytes.extend(name);
            }
            Uuid => {
                let mut uuid = [0; 16];
                runtime.driver.cuDeviceGetUuid_v2(&mut uuid, device)?;
                bytes.extend(uuid);
            }
            Memory => {
                let mut all = 0;
                runtime.driver.cuDeviceTotalMem_v2(&mut all, device)?;
                put_size(&mut bytes, all as u64);
            }
            Ints(attributes) => {
                for attribute in *attributes {
                    bytes.extend(runtime.attribute(*attribute, device)?.to_le_bytes());
                }
            }
            Size(attribute) => put_size(&mut bytes, size(*attribute)?),
            Zeros(count) => bytes.resize(bytes.len() + count, 0),
        }
    }
    bytes.resize(layout.bytes, 0);
    Ok(bytes)
}

/// A size lies at a multiple of its own.
fn put_size(bytes: &mut Vec<u8>, value: u64) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.extend(value.to_le_bytes());
}
