//! What threads of floating-point programs compute, and the numbers that they begin with.

use super::random::Random;

/// Operations, written as those of `operations` are.
pub const OPERATIONS: &[&str] = &[
    "[add|sub|mul][.rn|.rz|.rm|.rp|][|.ftz][||.sat].f32 D, A, B;",
    "[add|sub|mul][|.ftz].f32 D, A, B;",
    "[add|mul][|.ftz].f32 D, A, C;",
    "fma.[rn|rn|rz|rm|rp][|.ftz][||.sat].f32 D, A, B, D;",
    "fma.rn[|.ftz].f32 D, A, B, [C|D|A];",
    "[min|max][|.ftz][||.NaN][||.xorsign.abs].f32 D, A, B;",
    "[min|max][|.ftz].f32 D, A, [B|B|C];",
    "[add|mul].ftz.f32 D, A, B;\n[min|max].f32 D, D, [A|B|C];",
    "[abs|neg][|.ftz].f32 D, A;",
    "[abs|neg].f32 D, A;\n[min|max|add|mul][|.ftz].f32 D, D, B;",
    "copysign.f32 D, A, B;",
    "[rcp|sqrt].[rn|rn|rz|rm|rp][|.ftz].f32 D, A;",
    "div.[rn|rz|rm|rp][|.ftz].f32 D, A, B;",
    "div.[approx|full][|.ftz].f32 D, A, B;",
    "[rcp|sqrt|rsqrt|ex2|lg2|sin|cos].approx[|.ftz].f32 D, A;",
    "[rcp|sqrt|rsqrt|ex2|lg2].approx[|.ftz].f32 D, A;\n[add|mul|min|max][|.ftz].f32 D, D, B;",
    "tanh.approx.f32 D, A;",
    "setp.[lt|le|gt|ge|eq|ne|ltu|leu|gtu|geu|equ|neu|num|nan][|.ftz].f32 %q, A, [B|B|C];\nselp.b32 D, A, B, %q;",
    "setp.[lt|ge|neu][|.ftz].f32 %q, A, B;\n@%q [add|mul].f32 D, A, [B|C];",
    "set.[lt|geu|nan][|.ftz].[f32|u32].f32 D, A, B;",
    "slct[|.ftz].b32.f32 D, A, B, A;",
    "testp.[finite|infinite|number|notanumber|normal|subnormal].f32 %q, A;\nselp.f32 D, A, B, %q;",
    "cvt.[rn|rz|rm|rp].f32.[s32|u32] D, A;",
    "cvt.[rni|rzi|rmi|rpi][|.ftz].[s32|u32].f32 D, A;",
    "cvt.[rni|rzi|rmi|rpi][|.ftz][|.sat].f32.f32 D, A;",
    "cvt.[rn|rz][|.relu].[f16x2|bf16x2].f32 D, A, B;",
    "mov.b32 {%m0, %m1}, A;\ncvt.f32.[f16|bf16] D, [%m0|%m1];",
    "cvt.rn.[f16|bf16].f32 %m0, A;\nmov.b32 D, {%m0, %m1};",
    "[add|sub|mul][|.rn][|.ftz][|.sat].f16x2 D, A, B;",
    "fma.rn[|.ftz][|.sat|.relu].f16x2 D, A, B, D;",
    "fma.rn[|.relu].bf16x2 D, A, B, D;",
    "[add|sub|mul].rn.bf16x2 D, A, B;",
    "[min|max][|.ftz][|.NaN].f16x2 D, A, B;",
    "[min|max][|.NaN].bf16x2 D, A, B;",
    "[abs|neg].[f16x2|bf16x2] D, A;",
    "[ex2.approx|tanh.approx].f16x2 D, A;",
    "[add|sub|mul].[rn|rz|rm|rp].f64 W, W, X;",
    "fma.[rn|rz|rm|rp].f64 W, W, X, X;",
    "[min|max].f64 W, W, X;",
    "[abs|neg].f64 W, X;",
    "[sqrt|rcp].[rn|rz].f64 W, X;",
    "div.rn.f64 W, X, W;",
    "cvt.[|ftz.]f64.f32 W, A;",
    "cvt.[rn|rz|rm|rp][|.ftz].f32.f64 D, X;",
];

/// Operations that make something of a register, and those that take another one to what there is; of words, and of 64 bits.
pub const FIRST: [&[&str]; 2] = [
    &[
        "fma.rn[|.ftz].f32 D, A, A, C;",
        "mul[|.ftz].f32 D, A, C;",
        "[abs|neg].f32 D, A;",
        "ex2.approx[|.ftz].f32 D, A;",
    ],
    &["fma.rn.f64 D, A, A, A;", "add.f64 D, A, A;", "abs.f64 D, A;"],
];
pub const MORE: [&[&str]; 2] = [
    &[
        "fma.rn[|.ftz].f32 D, A, A, D;",
        "[add|sub|mul][|.ftz].f32 D, D, A;",
        "[min|max][|.ftz].f32 D, [D, A|A, D];",
        "fma.rn[|.ftz].f16x2 D, D, A, A;",
    ],
    &["fma.rn.f64 D, D, A, A;", "[add|mul].f64 D, D, A;", "[min|max].f64 D, A, D;"],
];

/// What rows are multiplied by columns with.
pub const PRODUCTS: &[&str] = &[
    "fma.rn[|.ftz].f32 D, A, B, D;",
    "fma.rn.f16x2 D, A, B, D;",
    "mul.f32 A, A, B;\nadd[|.ftz].f32 D, A, D;",
    "mul[|.ftz].f32 A, A, B;\n[min|max].f32 D, A, D;",
];

/// Numbers near 1, which many operations can take before nothing but infinities is left, beside all others.
pub fn word(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.float(8, 23) as u32,
        1 => (random.float(5, 10) << 16 | random.float(5, 10)) as u32,
        _ => random.next() as u32 & 0x80ff_ffff | 0x3f00_0000,
    }
}

pub fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    let pairs = (0..count.div_ceil(8)).map(|_| match random.once_in(8) {
        true => random.float(11, 52),
        false => u64::from(word(random)) << 32 | u64::from(word(random)),
    });
    let mut bytes: Vec<u8> = pairs.flat_map(u64::to_le_bytes).collect();
    bytes.truncate(count);
    bytes
}
