//! What a level's vectors of `f32` can do, and what is made of that.

/// A vector of `f32`. Whoever has one knows that the machine has its level, so its functions can be safe; the first one comes from a
/// function that is compiled for the level. All functions are inlined there.
pub trait Vector: Copy {
    /// Lanes.
    const COUNT: usize;
    /// A truth for each lane.
    type Mask: Copy;

    fn splat(self, value: f32) -> Self;
    /// Consecutive words from a place on; those behind the end of the slice are zero.
    fn load(self, words: &[u32], at: usize) -> Self;
    /// Writes consecutive words, but none behind the end of the slice.
    fn store(self, words: &mut [u32], at: usize);
    /// Past the caches, to an aligned place within the slice.
    fn stream(self, words: &mut [u32], at: usize);
    /// Consecutive halves from a place on, counted in halves; all lie within the slice.
    fn load_halves(self, words: &[u32], at: usize) -> Self;
    /// Writes them, rounded, to the place of a word.
    fn store_halves(self, words: &mut [u32], at: usize);
    /// The nearest half of each lane.
    fn round_to_half(self) -> Self;
    /// The nearest integers, as words of the slice.
    fn store_integers(self, words: &mut [u32], at: usize);
    /// 0, 1, 2 and so on.
    fn ramp(self) -> Self;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// This times a factor and a term, rounded once.
    fn fma(self, factor: Self, term: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn round(self) -> Self;

    fn less_equal(self, other: Self) -> Self::Mask;
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn any(mask: Self::Mask) -> bool;
    /// This where the mask holds, else the other.
    fn or_else(self, mask: Self::Mask, other: Self) -> Self;

    /// The machine's estimate of the reciprocal root.
    fn rsqrt_estimate(self) -> Self;
    /// This times a power of two, whose exponent is an integer not below -126.
    fn scale(self, exponent: Self) -> Self;
    /// The exponent and the fraction of normal positive numbers, the latter between the roots of 1/2 and 2.
    fn split(self) -> (Self, Self);

    /// The sum of all lanes.
    fn sum(self) -> f32;
    /// The greatest of all lanes.
    fn greatest(self) -> f32;
}

/// `c0 + x (c1 + x (c2 + …))`
#[inline(always)]
fn polynomial<V: Vector>(x: V, coefficients: &[f32]) -> V {
    let mut sum = x.splat(coefficients[coefficients.len() - 1]);
    for c in coefficients.iter().rev().skip(1) {
        sum = sum.fma(x, x.splat(*c));
    }
    sum
}

/// The reciprocal root: the machine's estimate and one of Newton's steps, to some units of the last place.
#[inline(always)]
pub fn rsqrt<V: Vector>(x: V) -> V {
    let estimate = x.rsqrt_estimate();
    let half = x.mul(x.splat(-0.5)).mul(estimate);
    estimate.mul(half.fma(estimate, x.splat(1.5)))
}

/// 2 to a power between -1/2 and 1/2: best of degree 5, within 2^-23.6.
const EXP2: [f32; 6] = [1.0000001, 0.693_147_24, 0.240_221_07, 0.055_502_973, 0.009_676_036, 0.001_341_000_1];

/// 2 to a power; subnormal results are flushed or wrong.
#[inline(always)]
pub fn exp2<V: Vector>(x: V) -> V {
    let x = x.max(x.splat(-126.0));
    let whole = x.round();
    polynomial(x.sub(whole), &EXP2).scale(whole)
}

/// e to a power, as `exp2`; the product with the logarithm has two parts.
#[inline(always)]
pub fn exp<V: Vector>(x: V) -> V {
    let whole = x.mul(x.splat(std::f32::consts::LOG2_E)).max(x.splat(-126.0)).round();
    let rest = x.fma(x.splat(std::f32::consts::LOG2_E), x.splat(0.0).sub(whole));
    let rest = x.fma(x.splat(1.925_963e-8), rest);
    polynomial(rest, &EXP2).scale(whole)
}

/// The logarithm of 1 + t, divided by t, between the roots of 1/2 and 2: best of degree 7, the logarithm within 2^-23.2.
const LOG2: [f32; 8] = [
    1.442_694_9,
    -0.721_352_46,
    0.480_931_16,
    -0.360_263_44,
    0.286_868_96,
    -0.248_323_14,
    0.235_709_09,
    -0.149_731_46,
];

/// The logarithm of normal positive numbers to base 2.
#[inline(always)]
pub fn log2<V: Vector>(x: V) -> V {
    let (exponent, fraction) = x.split();
    let t = fraction.sub(x.splat(1.0));
    t.fma(polynomial(t, &LOG2), exponent)
}
