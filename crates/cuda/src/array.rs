//! CUDA arrays, with one level or with several: their texels, and what programs say and are told of them.

use crate::door::layout::Array3d;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::texture::texel;
use margay_isa::texture::Texels;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// An array of one level.
pub struct Array {
    pub handle: usize,
    pub context: usize,
    pub texels: Texels,
    pub flags: u32,
    /// Whether it is a level of a mipmapped array, which has the memory.
    pub is_level: bool,
}

/// An array of several levels.
pub struct Mipmapped {
    pub handle: usize,
    pub context: usize,
    pub texels: Texels,
    pub flags: u32,
    /// Handles of the levels that programs have asked for.
    levels: Mutex<BTreeMap<u32, usize>>,
}

impl Mipmapped {
    pub fn new(handle: usize, context: usize, texels: Texels, flags: u32) -> Mipmapped {
        Mipmapped { handle, context, texels, flags, levels: Mutex::default() }
    }

    /// The handle of a level, which is one for all who ask: the first one has it made.
    pub fn level(&self, level: u32, make: impl FnOnce() -> usize) -> usize {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        *levels.entry(level).or_insert_with(make)
    }

    /// The handles that were given so far.
    pub fn given(&self) -> Vec<usize> {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
    }
}

/// Flags of `CUDA_ARRAY3D_DESCRIPTOR`.
const LAYERED: u32 = 0x01;
pub const SURFACE_LDST: u32 = 0x02;
const CUBEMAP: u32 = 0x04;
const TEXTURE_GATHER: u32 = 0x08;
const FLAGS: u32 = LAYERED | SURFACE_LDST | CUBEMAP | TEXTURE_GATHER;
/// Flags of arrays that are not here.
const OTHERS: &[(u32, &str)] = &[
    (0x10, "depth textures"),
    (0x20, "color attachments"),
    (0x40, "sparse arrays"),
    (0x80, "arrays with a mapping that is deferred"),
    (0x100, "arrays of a video's frames"),
];

/// Numbers of the attributes that say how large an array may be along x, y and z; 0 where it has no such dimension.
type Extents = [u32; 3];

/// What an array may be as a texture, as one that is gathered from or has levels, and as a surface.
struct Shape {
    texture: &'static [Extents],
    gathered: Extents,
    levels: &'static [Extents],
    surface: Extents,
}

const LINE: Shape =
    Shape { texture: &[[21, 0, 0]], gathered: [0; 3], levels: &[[77, 0, 0]], surface: [55, 0, 0] };
const PLANE: Shape =
    Shape { texture: &[[22, 23, 0]], gathered: [45, 46, 0], levels: &[[73, 74, 0]], surface: [56, 57, 0] };
const SPACE: Shape = Shape {
    texture: &[[24, 25, 26], [47, 48, 49]],
    gathered: [0; 3],
    levels: &[[24, 25, 26], [47, 48, 49]],
    surface: [58, 59, 60],
};
const LINES: Shape =
    Shape { texture: &[[42, 0, 43]], gathered: [0; 3], levels: &[[42, 0, 43]], surface: [61, 0, 62] };
const PLANES: Shape = Shape {
    texture: &[[27, 28, 29]],
    gathered: [45, 46, 29],
    levels: &[[27, 28, 29]],
    surface: [63, 64, 65],
};
/// Of one cube and of several; how many faces there may be is said for several alone.
const CUBE: Shape = Shape {
    texture: &[[52, 52, 54]],
    gathered: [52, 52, 54],
    levels: &[[52, 52, 54]],
    surface: [66, 66, 68],
};
const CUBES: Shape = Shape {
    texture: &[[53, 53, 54]],
    gathered: [53, 53, 54],
    levels: &[[53, 53, 54]],
    surface: [67, 67, 68],
};

impl Array3d {
    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The shape, if it is one.
    fn shape(&self) -> Option<&'static Shape> {
        let Array3d { width, height, depth, .. } = *self;
        let is_cube = width == height && depth > 0 && depth.is_multiple_of(6);
        match (self.has(CUBEMAP), self.has(LAYERED)) {
            (true, false) => (is_cube && depth == 6).then_some(&CUBE),
            (true, true) => is_cube.then_some(&CUBES),
            (false, true) if depth == 0 => None,
            (false, true) => Some(if height == 0 { &LINES } else { &PLANES }),
            (false, false) => match (height, depth) {
                (0, 0) => Some(&LINE),
                (_, 0) => Some(&PLANE),
                (0, _) => None,
                _ => Some(&SPACE),
            },
        }
    }

    /// Whether it is no larger than attributes of the device say.
    fn is_within(&self, most: &Extents, attribute: impl Fn(u32) -> Option<u32>) -> bool {
        let size = [self.width, self.height, self.depth];
        size.into_iter().zip(most).all(|(size, number)| size <= attribute(*number).unwrap_or(0) as usize)
    }

    /// The texels of an array with so many levels, of which there are as many as its size allows at most. They have no address yet.
    pub fn texels(&self, levels: Option<u32>, attribute: impl Fn(u32) -> Option<u32>) -> Answer<Texels> {
        let wrong = |text: String| Failed::because(Code::INVALID_VALUE, text);
        if let Some((_, what)) = OTHERS.iter().find(|(flag, _)| self.has(*flag)) {
            return Err(Failed::because(Code::NOT_SUPPORTED, format!("{what} are not supported")));
        }
        if self.flags & !FLAGS != 0 {
            return Err(wrong(format!(
                "an array with the flags {:#x}, not all of which there are",
                self.flags
            )));
        }
        let (format, channels) = (texel::format(self.format)?, texel::channels(self.channels)?);
        let Array3d { width, height, depth, .. } = *self;
        let shape = self.shape().filter(|_| width > 0);
        let shape =
            shape.ok_or_else(|| wrong(format!("no array is of {width} x {height} x {depth} texels")))?;
        let is_one = |most: &Extents| self.is_within(most, &attribute);
        let all = if levels.is_some() { shape.levels } else { shape.texture };
        let is_good = all.iter().any(is_one)
            && (!self.has(TEXTURE_GATHER) || is_one(&shape.gathered))
            && (!self.has(SURFACE_LDST) || is_one(&shape.surface));
        if !is_good {
            return Err(wrong(format!(
                "an array of {width} x {height} x {depth} texels is too large for its kind"
            )));
        }
        let is_layered = self.has(LAYERED | CUBEMAP);
        let [depth, layers] = if is_layered { [0, depth as u32] } else { [depth as u32, 0] };
        let (width, height) = (width as u32, height as u32);
        let most = width.max(height).max(depth).ilog2() + 1;
        Ok(Texels {
            address: 0,
            width,
            height,
            depth,
            layers,
            is_cube: self.has(CUBEMAP),
            is_buffer: false,
            levels: levels.unwrap_or(1).clamp(1, most),
            pitch: 0,
            format,
            channels,
        })
    }

    /// What programs are told of an array's texels.
    pub fn of(texels: &Texels, flags: u32) -> Array3d {
        let Texels { width, height, depth, layers, format, channels, .. } = *texels;
        let [width, height, depth] = [width, height, depth.max(layers)].map(|size| size as usize);
        Array3d { width, height, depth, format: format as u32, channels, flags }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::{self, Value};

    fn attribute(number: u32) -> Option<u32> {
        match attributes::find(number)? {
            Value::Is(value) => Some(value),
            _ => None,
        }
    }

    fn texels(size: [usize; 3], flags: u32) -> Result<Texels, u32> {
        let [width, height, depth] = size;
        let described = Array3d { width, height, depth, format: 0x20, channels: 4, flags };
        let texels = described.texels(None, attribute).map_err(|failed| failed.code.0)?;
        assert_eq!(Array3d::of(&texels, flags), described);
        Ok(texels)
    }

    #[test]
    fn a_shape_follows_from_size_and_flags() {
        let shape =
            |size, flags| texels(size, flags).map(|t| (t.rank(), t.layers, t.is_cube, t.bytes() / 16));
        assert_eq!(shape([5, 0, 0], 0), Ok((1, 0, false, 5)));
        assert_eq!(shape([5, 3, 0], SURFACE_LDST), Ok((2, 0, false, 15)));
        assert_eq!(shape([5, 3, 2], 0), Ok((3, 0, false, 30)));
        assert_eq!(shape([5, 0, 2], LAYERED), Ok((1, 2, false, 10)));
        assert_eq!(shape([5, 3, 2], LAYERED), Ok((2, 2, false, 30)));
        assert_eq!(shape([5, 5, 6], CUBEMAP | SURFACE_LDST), Ok((2, 6, true, 150)));
        assert_eq!(shape([5, 5, 12], CUBEMAP | LAYERED), Ok((2, 12, true, 300)));
        assert_eq!(shape([5, 5, 0], TEXTURE_GATHER), Ok((2, 0, false, 25)));
    }

    #[test]
    fn what_is_none_is_refused() {
        let code = |size, flags| texels(size, flags).err();
        for (size, flags) in [
            ([0, 0, 0], 0),
            ([0, 5, 0], 0),
            ([5, 0, 5], 0),
            ([5, 5, 0], LAYERED),
            ([5, 5, 5], CUBEMAP),
            ([5, 6, 6], CUBEMAP),
            ([5, 5, 12], CUBEMAP),
            ([5, 5, 0], CUBEMAP | LAYERED),
            ([5, 0, 0], TEXTURE_GATHER),
            ([5, 5, 5], TEXTURE_GATHER),
            ([131_073, 0, 0], 0),
            ([32_769, 0, 0], SURFACE_LDST),
            ([16_385, 1, 1], 0),
            ([usize::MAX; 3], 0),
            ([1 << 32, 1, 0], 0),
            ([5, 5, 2049], LAYERED),
            ([5, 0, 0], 0x200),
        ] {
            assert_eq!(code(size, flags), Some(1), "{size:?} {flags:#x}");
        }
        assert_eq!([0x10, 0x20, 0x40, 0x80, 0x100].map(|flags| code([5, 5, 0], flags)), [Some(801); 5]);
        // The alternative for narrow ones that are deep.
        assert_eq!(code([8192, 8192, 32_768], 0), None);
    }

    #[test]
    fn levels_end_with_one_texel() {
        let described = Array3d { width: 40, height: 10, depth: 0, format: 1, channels: 4, flags: 0 };
        let levels = |n| described.texels(Some(n), attribute).unwrap().levels;
        assert_eq!([0, 1, 3, 6, 7, u32::MAX].map(levels), [1, 1, 3, 6, 6, 6]);
    }
}
