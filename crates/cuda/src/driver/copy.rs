//! Copies of rectangles of bytes.

use super::Driver;
use super::transfer::Side;
use crate::array::Array;
use crate::door::layout::Copy3d;
use crate::door::pass::{Address, Host};
use crate::failed::{Answer, Failed};
use crate::results::Code;

/// One side of a copy of rectangles: where it begins, and how far apart rows and layers are.
struct Corner {
    side: Side,
    start: u64,
    row: u64,
    layer: u64,
}

impl Copy3d {
    fn size(&self) -> [usize; 3] {
        [self.width, self.height, self.depth]
    }

    /// Where it goes, and where it comes from.
    fn corners(&self, driver: &Driver) -> Answer<[Corner; 2]> {
        let size = self.size();
        let at = [self.from_x, self.from_y, self.from_z];
        let from = match self.from_kind {
            Copy3d::ARRAY => corner_of_array(driver, self.from_array, at, size)?,
            kind => {
                let from = side(driver, kind, self.from_host, self.from_device)?;
                corner(from, at, self.from_pitch, self.from_height, size)?
            }
        };
        let at = [self.to_x, self.to_y, self.to_z];
        let to = match self.to_kind {
            Copy3d::ARRAY => corner_of_array(driver, self.to_array, at, size)?,
            kind => {
                let to = side(driver, kind, self.to_host, self.to_device)?;
                corner(to, at, self.to_pitch, self.to_height, size)?
            }
        };
        Ok([to, from])
    }

    /// Whether there is such a copy.
    pub fn check(&self, driver: &Driver) -> Answer {
        self.corners(driver).map(|_| ())
    }

    /// Does it.
    pub fn carry_out(&self, driver: &Driver) -> Answer {
        let [to, from] = self.corners(driver)?;
        if self.width == 0 { Ok(()) } else { copy_rows(driver, &to, &from, self.size()) }
    }
}

fn side(driver: &Driver, kind: u32, host: Host, device: Address) -> Answer<Side> {
    match kind {
        Copy3d::HOST => Ok(driver.side_of(host)),
        Copy3d::DEVICE => Ok(Side::Device(device.number())),
        Copy3d::UNIFIED => Ok(driver.side(device)),
        _ => Err(Code::INVALID_VALUE.into()),
    }
}

/// The corner of a part of an array, which it must not leave.
fn corner_of_array(driver: &Driver, array: usize, at: [usize; 3], size: [usize; 3]) -> Answer<Corner> {
    let texels = driver.handles.find::<Array>(array)?.texels;
    let [_, height, depth] = texels.size(0).map(u64::from);
    let (row, texel) = (texels.row_bytes(0), texels.texel_bytes() as usize);
    let room = [row, height, depth * u64::from(texels.layers.max(1))];
    let is_within = |k: usize| at[k].checked_add(size[k]).is_some_and(|end| end as u64 <= room[k]);
    if !(0..3).all(is_within) {
        let text = format!(
            "a part of {size:?} bytes, rows and layers at {at:?} of an array that has {room:?} of them"
        );
        return Err(Failed::because(Code::INVALID_VALUE, text));
    }
    if !at[0].is_multiple_of(texel) || !size[0].is_multiple_of(texel) {
        let text = format!("{} bytes of rows at {} of an array of texels of {texel} bytes", size[0], at[0]);
        return Err(Failed::because(Code::INVALID_VALUE, text));
    }
    let [x, y, z] = at.map(|n| n as u64);
    let layer = row * height;
    Ok(Corner { side: Side::Device(texels.address), start: z * layer + y * row + x, row, layer })
}

/// Copies rows of so many bytes.
fn copy_rows(driver: &Driver, to: &Corner, from: &Corner, [width, height, depth]: [usize; 3]) -> Answer {
    let skip = |corner: &Corner, row: u64, layer: u64| {
        let skip = corner.row.checked_mul(row)?.checked_add(corner.layer.checked_mul(layer)?)?;
        let at = corner.start.checked_add(skip)?;
        match corner.side {
            Side::Device(address) => address.checked_add(at).map(Side::Device),
            Side::Host(host) => Some(Side::Host(host.further(at))),
        }
    };
    for (layer, row) in (0..depth as u64).flat_map(|layer| (0..height as u64).map(move |row| (layer, row))) {
        let sides = skip(to, row, layer).zip(skip(from, row, layer));
        let (to, from) = sides.ok_or(Failed::from(Code::INVALID_VALUE))?;
        driver.copy(to, from, width as u64)?;
    }
    Ok(())
}

/// The corner of a side; rows may not overlap.
fn corner(side: Side, [x, y, z]: [usize; 3], pitch: usize, rows: usize, size: [usize; 3]) -> Answer<Corner> {
    let [width, height, depth] = size;
    let row = if pitch == 0 { width } else { pitch };
    let layer = row.checked_mul(if rows == 0 { height } else { rows });
    let layer = layer.ok_or(Failed::from(Code::INVALID_VALUE))?;
    if height > 1 && row < width.saturating_add(x) || depth > 1 && layer < row.saturating_mul(height) {
        return Err(Code::INVALID_VALUE.into());
    }
    let rows = y.checked_mul(row).zip(z.checked_mul(layer));
    let start = rows.and_then(|(rows, layers)| rows.checked_add(layers)?.checked_add(x));
    let start = start.ok_or(Failed::from(Code::INVALID_VALUE))? as u64;
    Ok(Corner { side, start, row: row as u64, layer: layer as u64 })
}
