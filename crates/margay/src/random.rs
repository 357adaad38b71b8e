//! Numbers that look random and are the same in every run (SplitMix64).

/// A generator with this seed.
///
/// ```
/// let mut next = margay::random::generator(1);
/// assert_eq!(next(), 0x910a2dec89025cc1);
/// ```
pub fn generator(seed: u64) -> impl FnMut() -> u64 {
    generator_at(seed, 0)
}

/// What [`generator`] becomes after so many numbers.
///
/// ```
/// let mut next = margay::random::generator(1);
/// let (_, second) = (next(), next());
/// assert_eq!(margay::random::generator_at(1, 1)(), second);
/// ```
pub fn generator_at(seed: u64, position: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_add(position.wrapping_mul(STEP));
    move || {
        state = state.wrapping_add(STEP);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
