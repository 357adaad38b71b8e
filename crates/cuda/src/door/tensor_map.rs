//! Descriptions of tensors for copies of their parts.

use super::pass::{Host, In};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use margay_isa::tensor_map::{MOST_DIMENSIONS, Part, Pixels, TensorMap};

/// From which devices on there are tensor maps.
const SINCE: u16 = 90;

/// For each type of elements that `cuda.h` numbers the number that PTX has for it.
const ELEMENTS: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12];

/// What all maps are told of.
struct Told {
    element: u32,
    rank: u32,
    address: u64,
    sizes: In<u64>,
    strides: In<u64>,
    steps: In<u32>,
    interleave: u32,
    swizzle: u32,
    fill: u32,
}

/// A part of a list, of which the rest is as it was.
fn some<T: Copy + Default, const N: usize>(values: Vec<T>) -> [T; N] {
    std::array::from_fn(|k| values.get(k).copied().unwrap_or_default())
}

/// Whether the device has tensor maps: an error if not.
fn are_there(driver: &Driver) -> Answer {
    match driver.device.target.number {
        SINCE.. => Ok(()),
        _ => Err(Failed::because(Code::NOT_SUPPORTED, "tensor maps are for devices of sm_90 and higher")),
    }
}

/// Makes a map and puts it where the program wants it, if it keeps the conditions; all but one: CUDA wants the place aligned to 64 bytes, and
/// those of Python's `cuda.bindings` are not.
fn encode(driver: &Driver, to: Host, told: &Told, part: impl FnOnce(usize) -> Answer<Part>) -> Answer {
    are_there(driver)?;
    let wrong = |text: String| Failed::because(Code::INVALID_VALUE, format!("a tensor map with {text}"));
    let rank = told.rank as usize;
    if !(1..=MOST_DIMENSIONS).contains(&rank) {
        return Err(wrong(format!("{rank} dimensions")));
    }
    let not_yet =
        |what: &str| Failed::because(Code::NOT_SUPPORTED, format!("{what}, which margay does not copy yet"));
    let Some(element) = ELEMENTS.get(told.element as usize) else {
        return Err(not_yet("a tensor of elements of less than 8 bits"));
    };
    if told.interleave != 0 {
        return Err(not_yet("a tensor of interleaved slices"));
    }
    if told.swizzle > 3 {
        return Err(not_yet("a tensor whose atoms that change places are longer than 16 bytes"));
    }
    let steps = told.steps.all(rank)?;
    if let Some(step) = steps.iter().find(|step| !(1..=8).contains(*step)) {
        return Err(wrong(format!("an element stride of {step}")));
    }
    let map = TensorMap {
        address: told.address,
        last_dimension: (rank - 1) as u8,
        element: *element,
        swizzle: told.swizzle as u8,
        fill: u8::from(told.fill == 1),
        sizes: some(told.sizes.all(rank)?),
        strides: some(told.strides.all(rank - 1)?),
        steps: some(steps.iter().map(|step| *step as u8).collect()),
        part: part(rank)?,
        ..TensorMap::default()
    };
    map.check().map_err(wrong)?;
    put(to, &map)
}

fn put(mut to: Host, map: &TensorMap) -> Answer {
    to.bytes_mut(0, TensorMap::BYTES as u64)?.copy_from_slice(&map.to_bytes());
    Ok(())
}

/// Numbers of a part, each of 16 bits.
fn short<N: TryInto<u16> + Copy>(number: N) -> Answer<u16> {
    number.try_into().map_err(|_| Code::INVALID_VALUE.into())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTensorMapEncodeTiled(
    to: Host,
    element: u32,
    rank: u32,
    address: u64,
    sizes: In<u64>,
    strides: In<u64>,
    boxed: In<u32>,
    steps: In<u32>,
    interleave: u32,
    swizzle: u32,
    _promotion: u32,
    fill: u32,
) -> Status {
    call(|driver| {
        let told = Told { element, rank, address, sizes, strides, steps, interleave, swizzle, fill };
        encode(driver, to, &told, |rank| {
            let sizes = boxed.all(rank)?.into_iter().map(short).collect::<Answer<Vec<u16>>>()?;
            Ok(Part::Box(some(sizes)))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTensorMapEncodeIm2col(
    to: Host,
    element: u32,
    rank: u32,
    address: u64,
    sizes: In<u64>,
    strides: In<u64>,
    lower: In<i32>,
    upper: In<i32>,
    channels: u32,
    pixels: u32,
    steps: In<u32>,
    interleave: u32,
    swizzle: u32,
    _promotion: u32,
    fill: u32,
) -> Status {
    call(|driver| {
        let told = Told { element, rank, address, sizes, strides, steps, interleave, swizzle, fill };
        encode(driver, to, &told, |rank| {
            let corner = |of: In<i32>| {
                let all = of.all(rank.saturating_sub(2))?;
                let number =
                    |number: i32| i16::try_from(number).map_err(|_| Failed::from(Code::INVALID_VALUE));
                Ok::<_, Failed>(some(all.into_iter().map(number).collect::<Answer<Vec<i16>>>()?))
            };
            let (lower, upper) = (corner(lower)?, corner(upper)?);
            Ok(Part::Pixels(Pixels { lower, upper, channels: short(channels)?, count: short(pixels)? }))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTensorMapReplaceAddress(place: Host, address: u64) -> Status {
    call(|driver| {
        are_there(driver)?;
        let bytes = place.bytes(0, TensorMap::BYTES as u64)?;
        let bytes = bytes.try_into().map_err(|_| Failed::from(Code::INVALID_VALUE))?;
        let map = TensorMap { address, ..TensorMap::from_bytes(bytes) };
        let wrong = |text: String| Failed::because(Code::INVALID_VALUE, format!("a tensor map with {text}"));
        map.check().map_err(wrong)?;
        put(place, &map)
    })
}
