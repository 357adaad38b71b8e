//! Views: some levels and layers of an array, their texels read in another format.

use super::texel;
use crate::door::layout::View;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_isa::texture::Texels;

impl View {
    /// The part of an array's texels that it shows.
    pub fn of(&self, texels: Texels) -> Answer<Texels> {
        let wrong = |text: &str| Failed::because(Code::INVALID_VALUE, text);
        let is_size = |own: usize, size: u32| own == size as usize;
        let is_depth = is_size(self.depth, texels.depth) || is_size(self.depth, texels.layers);
        if !(is_size(self.width, texels.width) && is_size(self.height, texels.height) && is_depth) {
            return Err(wrong("a view of another size than the array has"));
        }
        let [first, last] = self.levels;
        if first > last || last >= texels.levels {
            return Err(wrong("a view of levels that the array does not have"));
        }
        let seen = texel::viewed(self.format, texels)?;
        let seen = Texels { levels: last - first + 1, ..seen.level(first) };
        self.layers_of(seen)
    }

    fn layers_of(&self, texels: Texels) -> Answer<Texels> {
        let [first, last] = self.layers;
        // Whether layers of cubemaps count faces is not documented: all of them are the same either way.
        let is_all = first == 0 && texels.layers > 0 && last == texels.layers - 1;
        let is_all_cubes = first == 0 && texels.is_cube && last == texels.layers / 6 - 1;
        if is_all || is_all_cubes || (texels.layers == 0 && first == 0 && last == 0) {
            return Ok(texels);
        }
        if first > last || last >= texels.layers {
            return Err(Failed::because(
                Code::INVALID_VALUE,
                "a view of layers that the array does not have",
            ));
        }
        if texels.is_cube || texels.levels > 1 {
            let text = "views of some layers of a cubemap or of several levels are not supported";
            return Err(Failed::because(Code::NOT_SUPPORTED, text));
        }
        let layers = last - first + 1;
        let layer = Texels { layers: 1, ..texels }.bytes();
        Ok(Texels { address: texels.address + u64::from(first) * layer, layers, ..texels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::texture::ChannelFormat;

    const WHOLE: View =
        View { format: 0, width: 8, height: 4, depth: 0, levels: [0, 0], layers: [0, 0], _reserved: [0; 16] };

    #[test]
    fn levels_and_layers_are_parts() {
        let plane = Texels { levels: 4, ..Texels::plane(0x1000, 8, 4, ChannelFormat::U8, 4) };
        let view = View { levels: [1, 2], format: 0x16, ..WHOLE }.of(plane).unwrap();
        assert_eq!((view.address, view.width, view.height, view.levels), (0x1000 + 128, 4, 2, 2));
        assert_eq!((view.format, view.channels), (ChannelFormat::F32, 1));
        let layers = Texels { levels: 1, layers: 5, ..plane };
        let view = View { layers: [1, 3], depth: 5, ..WHOLE }.of(layers).unwrap();
        assert_eq!((view.address, view.layers), (0x1000 + 128, 3));
        let code = |view: View, texels| view.of(texels).map_err(|failed| failed.code.0).err();
        assert_eq!(code(View { levels: [0, 4], ..WHOLE }, plane), Some(1));
        assert_eq!(code(View { levels: [2, 1], ..WHOLE }, plane), Some(1));
        assert_eq!(code(View { width: 9, ..WHOLE }, plane), Some(1));
        assert_eq!(code(View { layers: [0, 1], ..WHOLE }, plane), Some(1));
        assert_eq!(code(View { layers: [0, 5], ..WHOLE }, layers), Some(1));
        assert_eq!(
            code(View { levels: [0, 1], layers: [0, 3], ..WHOLE }, Texels { levels: 2, ..layers }),
            Some(801)
        );
        let cubes = Texels { layers: 12, is_cube: true, ..layers };
        let layers = [[0, 11], [0, 1], [0, 5]];
        assert_eq!(layers.map(|layers| code(View { layers, ..WHOLE }, cubes)), [None, None, Some(801)]);
    }
}
