//! `lg2`: binary logarithm.
use super::rcp::NAMED;
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.20", &["lg2"], &[
    line("lg2.approx{.ftz}.f32 d, a"),
    line("lg2.f32 d, a").since(Floor::ZERO).until(NAMED),
])
    .about("binary logarithm", "An approximation.")
    .examples(&["lg2.approx.ftz.f32 ca, a;"]);
