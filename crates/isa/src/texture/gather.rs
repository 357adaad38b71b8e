//! One component of the four texels that would be mixed (manual, 9.7.10.4).

use super::Geometry;
use super::descriptor::{SamplerState, TextureDescriptor};
use super::sample::{Placed, Reader};
use crate::types::Bits;

/// How four texels are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gathered {
    /// What the coordinates say.
    pub geometry: Geometry,
    /// Which component: 0 for red to 3 for alpha.
    pub component: usize,
    /// Whether numbers of texels are added to the place.
    pub has_offsets: bool,
}

/// The order of the result: the texels' steps along both dimensions from the first one.
const CORNERS: [[usize; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

impl Gathered {
    /// How many numbers it is given: the layer, the coordinates, and what is added to the place.
    pub fn sources(&self) -> usize {
        self.geometry.coordinates() + if self.has_offsets { self.geometry.rank } else { 0 }
    }

    /// The component of the four texels: that below on the left, that below on the right, and the two above in the other order.
    ///
    /// # Errors
    /// What reading memory answers.
    pub fn carry_out<E>(
        &self,
        texture: &TextureDescriptor,
        sampler: &SamplerState,
        given: &[u32],
        mut read: impl FnMut(u64, u32) -> Result<Bits, E>,
    ) -> Result<[u32; 4], E> {
        let texels = &texture.texels;
        let (coordinates, rest) = given.split_at(self.geometry.coordinates());
        let place = Placed::new(self.geometry, false, texels, sampler, coordinates);
        let axes = place.axes(texels, sampler, 0);
        let offset = |k: usize| if self.has_offsets { rest[k] as i32 } else { 0 };
        let [x, y] = [0, 1].map(|k| axes[k].0.between(axes[k].1, offset(k)));
        let reader = Reader { texels, sampler, level: 0, layer: place.layer };
        let mut result = [0; 4];
        for (to, [right, below]) in result.iter_mut().zip(CORNERS) {
            let texel = reader.texel([x[right].0, y[below].0, Some(0)], &mut read)?;
            *to = texel.bits()[self.component];
        }
        Ok(result)
    }
}
