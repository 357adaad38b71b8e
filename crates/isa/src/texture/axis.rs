//! A coordinate becomes the texels that it lies at or between.

use super::descriptor::AddressMode;

/// Bits after the point of a coordinate between texels.
const FRACTION: u32 = 8;
/// What weights of neighbours add up to.
pub(super) const WHOLE: f64 = (1 << FRACTION) as f64;

/// A place along a dimension of a texture.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    /// Texels along it.
    pub(super) size: u32,
    /// What becomes of places beside it.
    pub(super) mode: AddressMode,
}

impl Axis {
    /// The texel with a number, if it is not that of the border.
    fn texel(self, at: i64) -> Option<u32> {
        let size = i64::from(self.size);
        Some(match self.mode {
            AddressMode::Clamp => at.clamp(0, size - 1),
            AddressMode::Wrap => at.rem_euclid(size),
            AddressMode::Mirror => {
                let within = at.rem_euclid(2 * size);
                within.min(2 * size - 1 - within)
            }
            AddressMode::Border if (0..size).contains(&at) => at,
            AddressMode::Border => return None,
        } as u32)
    }

    /// The texel at a place.
    pub(super) fn nearest(self, at: f64, offset: i32) -> Option<u32> {
        self.texel((at.floor() as i64).saturating_add(offset.into()))
    }

    /// The two texels that a place lies between, each with how many 256ths of it count.
    pub(super) fn between(self, at: f64, offset: i32) -> [(Option<u32>, f64); 2] {
        let fixed = ((at - 0.5) * WHOLE + 0.5).floor() as i64;
        let first = (fixed >> FRACTION).saturating_add(offset.into());
        let second = (fixed & ((1 << FRACTION) - 1)) as f64;
        [(self.texel(first), WHOLE - second), (self.texel(first.saturating_add(1)), second)]
    }
}

/// A face of a cube, and where on it a direction points, from 0 to 1 (CUDA C++ Programming Guide, "Cubemap Textures").
pub(super) fn face(direction: [f32; 3]) -> (u32, [f64; 2]) {
    let [x, y, z] = direction.map(f64::from);
    let (face, s, t, major) = if x.abs() >= y.abs() && x.abs() >= z.abs() {
        if x >= 0.0 { (0, -z, -y, x) } else { (1, z, -y, x) }
    } else if y.abs() >= z.abs() {
        if y >= 0.0 { (2, x, z, y) } else { (3, x, -z, y) }
    } else if z >= 0.0 {
        (4, x, -y, z)
    } else {
        (5, -x, -y, z)
    };
    (face, [s, t].map(|n| (n / major.abs() + 1.0) / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_repeat_and_end() {
        let numbers = |mode| {
            (-5..9).map(|at| Axis { size: 3, mode }.texel(at).map_or(-1, |n| n as i32)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(AddressMode::Clamp), [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2]);
        assert_eq!(numbers(AddressMode::Wrap), [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(numbers(AddressMode::Mirror), [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2]);
        assert_eq!(numbers(AddressMode::Border), [-1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1, -1]);
    }

    #[test]
    fn weights_have_eight_bits() {
        let axis = Axis { size: 8, mode: AddressMode::Clamp };
        assert_eq!(axis.between(2.75, 0), [(Some(2), 192.0), (Some(3), 64.0)]);
        // Nearer to the next 256th than to this one.
        assert_eq!(axis.between(2.5 + 0.7 / 256.0, 0)[1].1, 1.0);
        assert_eq!(axis.between(2.5 - 0.3 / 256.0, 0)[0], (Some(2), 256.0));
        assert_eq!(axis.between(f64::NAN, 0)[0].0, Some(0));
        assert_eq!(axis.between(f64::INFINITY, i32::MAX)[1].0, Some(7));
    }

    #[test]
    fn directions_meet_faces() {
        assert_eq!(face([1.0, 0.0, 0.0]), (0, [0.5, 0.5]));
        assert_eq!(face([-2.0, 1.0, 1.0]), (1, [0.75, 0.25]));
        assert_eq!(face([0.0, -1.0, 0.5]), (3, [0.5, 0.25]));
        assert_eq!(face([0.5, 0.0, -1.0]), (5, [0.25, 0.5]));
    }
}
