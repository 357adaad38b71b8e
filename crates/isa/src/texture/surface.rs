//! Where in memory an access to a surface goes (manual, 9.7.11).

use super::descriptor::Texels;
use super::texel::encoded;
use super::{Geometry, layer};
use crate::combine::combined;
use crate::types::{Bits, Kind, Ty};
use crate::words::Word;

/// An access to a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurfaceAccess {
    /// What the coordinates say.
    pub geometry: Geometry,
    /// Whether the first one counts texels, whose format is the surface's, instead of bytes.
    pub is_formatted: bool,
    /// Bytes of an element, and how many elements.
    pub bytes: u32,
    /// How many elements.
    pub elements: u32,
    /// What becomes of it beside the surface.
    pub beside: Beside,
}

/// What becomes of an access beside a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// The launch ends.
    Trap,
    /// It goes to the nearest place.
    Clamp,
    /// Zeros are read, nothing is written.
    Zero,
}

impl SurfaceAccess {
    /// Bytes of memory that it reads or writes.
    pub fn size(&self, texels: &Texels) -> u32 {
        if self.is_formatted { texels.texel_bytes() } else { self.bytes * self.elements }
    }

    /// Where it goes; `None` if it goes nowhere.
    ///
    /// # Errors
    /// In the user's words: it is beside the surface and the launch ends, or it is not aligned.
    pub fn address(&self, texels: &Texels, coordinates: &[u32]) -> Result<Option<u64>, String> {
        let size = i64::from(self.size(texels));
        let [width, height, depth] = texels.size(0).map(i64::from);
        let row = width * i64::from(texels.texel_bytes());
        let place = &coordinates[usize::from(self.geometry.is_array)..];
        let given =
            |k: usize| place.get(k).filter(|_| k < self.geometry.rank).map_or(0, |n| i64::from(*n as i32));
        let x = if self.is_formatted { given(0) * size } else { given(0) };
        // The last place in a row is a multiple of the size, too.
        let most = [(row / size - 1) * size, height - 1, depth - 1];
        if most[0] < 0 {
            return Err(format!("{size} bytes of a surface whose rows have {row}"));
        }
        let mut at = [x, given(1), given(2)];
        let layers = texels.layers.max(1);
        let mut layer = layer(self.geometry, coordinates, layers);
        let is_beside = at.iter().zip(most).any(|(at, most)| !(0..=most).contains(at))
            || self.geometry.is_array && coordinates[0] >= layers;
        match self.beside {
            _ if !is_beside => {}
            Beside::Trap => {
                let shown: Vec<String> = coordinates.iter().map(|n| (*n as i32).to_string()).collect();
                return Err(format!(
                    "coordinates ({}) beside a surface of {}",
                    shown.join(", "),
                    told(texels)
                ));
            }
            Beside::Zero => return Ok(None),
            Beside::Clamp => {
                at = std::array::from_fn(|k| at[k].clamp(0, most[k]));
                layer = layer.min(layers - 1);
            }
        }
        if at[0] % size != 0 {
            return Err(format!("the {} bytes at byte {} of a row are not aligned", size, at[0]));
        }
        let line = texels.texel_at(0, layer, [0, at[1] as u32, at[2] as u32]);
        Ok(Some(line.wrapping_add(at[0] as u64)))
    }

    /// The bits in memory, from those of registers.
    pub fn stored(&self, texels: &Texels, values: &[u64]) -> Bits {
        if self.is_formatted {
            let channels: Vec<u32> = values.iter().map(|value| *value as u32).collect();
            return encoded(texels, &channels);
        }
        let bits = 8 * self.bytes;
        let mask = Bits::MAX >> (128 - bits);
        values.iter().zip(0..).fold(0, |all, (value, k)| all | (Bits::from(*value) & mask) << (k * bits))
    }

    /// What becomes of the bits in memory by an operation on a type, and a number that is given.
    pub fn combined(&self, texels: &Texels, op: Word, ty: Ty, old: Bits, given: u64) -> Bits {
        // The surface's own format may have a sign where the instruction names none.
        let is_signed = self.is_formatted && texels.format.is_signed();
        let ty = if is_signed { Ty { kind: Kind::Signed, ..ty } } else { ty };
        combined(op, ty, [old, given.into(), 0])
    }

    /// An element of the bits in memory.
    pub fn element(&self, memory: Bits, k: u32) -> u64 {
        let bits = 8 * self.bytes;
        (memory >> (k * bits) & Bits::MAX >> (128 - bits)) as u64
    }
}

/// A surface in a few words.
fn told(texels: &Texels) -> String {
    let size: Vec<String> = texels.size(0)[..texels.rank()].iter().map(u32::to_string).collect();
    let layers = if texels.layers > 0 { format!(" and {} layers", texels.layers) } else { String::new() };
    format!("{} texels of {} bytes{layers}", size.join(" x "), texels.texel_bytes())
}
