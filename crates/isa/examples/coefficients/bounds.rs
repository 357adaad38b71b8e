//! What a recorded result says of the sum that it was cut from.

use crate::archive::{Archive, Record};
use crate::shape::{ARGUMENT, Shape};

/// The sum of the products for some low bits of an argument (without what is added to every sum) lies in here.
#[derive(Clone, Copy)]
pub struct Bound {
    /// The low bits.
    pub low: u32,
    /// The least sum.
    pub least: i64,
    /// The greatest sum.
    pub greatest: i64,
}

impl Bound {
    /// Whether a sum lies in it.
    pub fn allows(&self, sum: i64) -> bool {
        (self.least..=self.greatest).contains(&sum)
    }
}

/// The argument of the table, and the sums, that an argument and its result stand for; `None` where the result is no cut sum.
pub type Reading = fn(&Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])>;

const FRACTION: u32 = 0x007f_ffff;

/// The bounds of every row of one function.
pub fn of_rows(
    archive: &Archive,
    shape: &Shape,
    part: &[(&str, Reading)],
) -> Result<Vec<Vec<Bound>>, String> {
    let mut rows = vec![Vec::new(); 1 << shape.index];
    for (name, reading) in part {
        let Record { start, step, results } = archive.record(name)?;
        for (k, result) in results.into_iter().enumerate() {
            let Some((argument, [least, greatest])) = reading(shape, start + step * k as u32, result) else {
                continue;
            };
            let (row, low) = shape.split(argument);
            rows[row].push(Bound { low, least: least - shape.bias(), greatest: greatest - shape.bias() });
        }
    }
    Ok(rows)
}

/// The sums that are cut to the significand of a result, times a power of two.
fn cut(shape: &Shape, result: u32, scale: i32) -> [i64; 2] {
    let significand = i64::from(result & FRACTION | 1 << ARGUMENT);
    let place = (result >> ARGUMENT & 0xff) as i32 - 127 + shape.one as i32 - ARGUMENT as i32 + scale;
    match place {
        0.. => [significand << place, ((significand + 1) << place) - 1],
        _ => [significand >> -place; 2],
    }
}

/// Functions of the significand.
pub fn direct(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    Some((argument & FRACTION, cut(shape, result, 0)))
}

/// As `direct`, but 1 is a case of its own.
pub fn but_one(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    if argument == 0x3f80_0000 { None } else { direct(shape, argument, result) }
}

/// Logarithms from 1 to 2, without the places that are cleared.
pub fn logarithm(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    let (argument, [least, greatest]) = but_one(shape, argument, result)?;
    Some((argument, [least, greatest.max(least + (1 << CLEARED) - 1)]))
}

/// Low places of a logarithm that are cleared.
const CLEARED: u32 = 20;

/// Logarithms from 1/2 to 1: what lacks to 1.
pub fn logarithm_below_1(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    let (argument, [least, greatest]) = logarithm(shape, argument, result)?;
    let one = 1 << shape.one;
    Some((argument, [one - greatest, one - least]))
}

/// Powers of two with exponents from 1 to 2.
pub fn power(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    Some((fixed(argument) & FRACTION, cut(shape, result, -1)))
}

/// Powers of two with exponents from -2 to -1: the fraction's complement.
pub fn power_below_0(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    let fraction = fixed(argument) & FRACTION;
    if fraction == 0 { None } else { Some((!fraction & FRACTION, cut(shape, result, 2))) }
}

/// A number of 1 or more without its fraction beyond 23 bits.
fn fixed(argument: u32) -> u32 {
    (argument & FRACTION | 1 << ARGUMENT) << ((argument >> ARGUMENT & 0xff) - 127)
}

/// Sines: the argument in quarter turns, from the other end in odd quarters.
pub fn sine(shape: &Shape, argument: u32, result: u32) -> Option<(u32, [i64; 2])> {
    // 1 / 2 pi is 0xa2f983 * 2^-26; the product is cut to 24 bits.
    let product = u64::from(argument & FRACTION | 1 << ARGUMENT) * 0xa2_f983;
    let excess = product.ilog2() - ARGUMENT;
    let product = product >> excess << excess;
    let quarters = product >> (ARGUMENT + 26 - 25 - ((argument >> ARGUMENT & 0xff) - 127));
    let odd = quarters >> ARGUMENT & 1 == 1;
    let fraction = quarters as u32 & FRACTION;
    Some((if odd { !fraction & FRACTION } else { fraction }, cut(shape, result, 0)))
}
