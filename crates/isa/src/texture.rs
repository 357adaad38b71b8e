//! Textures and surfaces: where the texels of an access lie, and what is made of them (manual, 9.7.10 and 9.7.11).
//!
//! What is where, and what becomes of it, is arithmetic alone and stands here; memory belongs to whoever executes. No published source
//! gives the device's arithmetic to the bit: coordinates have 8 bits after the point, as the CUDA C++ Programming Guide says of
//! linear filtering, and what is mixed is rounded once.
//!
//! ```
//! use margay_isa::Handle;
//! use margay_isa::texture::*;
//! // A line of two texels of `.f32`, 10 and 20, read a quarter of the way from the first to the second.
//! let texels = Texels { height: 0, ..Texels::plane(0, 2, 1, ChannelFormat::F32, 1) };
//! let sampler = SamplerState { is_linear: true, ..SamplerState::default() };
//! let texture = TextureDescriptor { kind: Handle::Texture, texels, sampler };
//! let line = margay_isa::pages_of("tex")[0];
//! let read = Sample { geometry: Geometry::LINE, ..Sample::default() };
//! let memory = |address: u64, _bytes: u32| Ok::<_, ()>(u128::from([10f32, 20.0][address as usize / 4].to_bits()));
//! let [red, ..] = read.carry_out(&texture, &texture.sampler, &[0.75f32.to_bits()], memory).unwrap();
//! assert_eq!(f32::from_bits(red), 12.5);
//! assert_eq!(line.section, "9.7.10.3");
//! ```

mod axis;
mod descriptor;
mod gather;
mod query;
mod sample;
mod surface;
mod texel;

pub use descriptor::{AddressMode, ChannelFormat, SamplerState, Texels, TextureDescriptor};
pub use gather::Gathered;
pub use query::Attribute;
pub use sample::{Level, Sample};
pub use surface::{Beside, SurfaceAccess};

use crate::handle::Handle;
use crate::types::Ty;
use crate::words::Word;

/// What an instruction does with a texture or a surface.
#[derive(Clone, Copy, Debug)]
pub enum TextureOp {
    /// It reads a texture.
    Sample(Sample),
    /// It reads a component of four texels.
    Gather(Gathered),
    /// It asks for an attribute.
    Query(Attribute),
    /// It asks whether a handle is of a kind.
    IsKind(Handle),
    /// It reads a surface.
    Load(SurfaceAccess),
    /// It writes a surface.
    Store(SurfaceAccess),
    /// It changes a surface in one step, by an operation on a type.
    Change(SurfaceAccess, Word, Ty),
}

/// What coordinates say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Coordinates of a place: 1 to 3.
    pub rank: usize,
    /// Whether the layer of an array stands before them.
    pub is_array: bool,
    /// Whether they are a direction from the middle of a cube.
    pub is_cube: bool,
}

impl Geometry {
    /// A line.
    pub const LINE: Geometry = Geometry { rank: 1, is_array: false, is_cube: false };

    /// That of a word.
    pub(crate) fn of(word: Word) -> Geometry {
        let (rank, is_array, is_cube) = match word {
            Word::Dim1 => (1, false, false),
            Word::A1d => (1, true, false),
            Word::Dim2 | Word::Dim2Samples => (2, false, false),
            Word::A2d | Word::A2dSamples => (2, true, false),
            Word::Cube => (3, false, true),
            Word::CubeArray => (3, true, true),
            _ => (3, false, false),
        };
        Geometry { rank, is_array, is_cube }
    }

    /// How many numbers say where: the layer and the coordinates.
    pub fn coordinates(self) -> usize {
        usize::from(self.is_array) + self.rank
    }
}

/// A layer of an array, the last or the first one if it is beside it.
fn layer(of: Geometry, coordinates: &[u32], layers: u32) -> u32 {
    let named = if of.is_array { coordinates[0] as i32 } else { 0 };
    (named.max(0) as u32).min(layers.max(1) - 1)
}
