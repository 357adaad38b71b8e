//! The meanings judged a second way: all bytes against Rust's own integer operations, half-words against them on every
//! value beside corner values.

use margay_isa::{Args, Bits, Inst, Semantics, Shape, select};

fn inst(text: &str, operands: usize) -> Inst {
    let mut words = text.split('.');
    let opcode = words.next().unwrap();
    select(opcode, &words.collect::<Vec<_>>(), &vec![Shape::default(); operands]).unwrap().unwrap()
}

fn run(i: &Inst, sources: &[Bits]) -> u32 {
    let mut args: Args = [0; 8];
    args[..sources.len()].copy_from_slice(sources);
    let mut d = [0];
    assert!(i.compute(Semantics::Manual, &args, &mut d));
    d[0] as u32
}

fn bytes(b: [u8; 4]) -> Bits {
    u32::from_le_bytes(b).into()
}

fn halves(h: [u16; 2]) -> Bits {
    Bits::from(h[1]) << 16 | Bits::from(h[0])
}

/// Every pair of bytes, four pairs at a time in different lanes.
fn byte_pairs() -> impl Iterator<Item = ([u8; 4], [u8; 4])> {
    (0..=255u8).flat_map(|a| {
        (0..=255u8).step_by(4).map(move |b| ([a, a.wrapping_add(64), a ^ 0x80, !a], [b, b + 1, b + 2, b + 3]))
    })
}

fn judge_bytes(text: &str, plain: impl Fn(u8, u8) -> u8) {
    let i = inst(text, 4);
    for (a, b) in byte_pairs() {
        let want: Vec<u8> = (0..4).map(|k| plain(a[k], b[k])).collect();
        let got = run(&i, &[bytes(a), bytes(b), 0x5a5a_5a5a]);
        assert_eq!(got.to_le_bytes().to_vec(), want, "{text} of {a:?}, {b:?}");
    }
}

fn signed(f: impl Fn(i8, i8) -> i8) -> impl Fn(u8, u8) -> u8 {
    move |a, b| f(a as i8, b as i8) as u8
}

#[test]
fn four_byte_arithmetic_is_rusts_on_every_pair_of_bytes() {
    judge_bytes("vadd4.u32.u32.u32", u8::wrapping_add);
    judge_bytes("vadd4.u32.u32.u32.sat", u8::saturating_add);
    judge_bytes("vadd4.s32.s32.s32.sat", signed(i8::saturating_add));
    judge_bytes("vadd4.u32.u32.s32.sat", |a, b| a.saturating_add_signed(b as i8));
    judge_bytes("vsub4.u32.u32.u32", u8::wrapping_sub);
    judge_bytes("vsub4.u32.u32.u32.sat", u8::saturating_sub);
    judge_bytes("vsub4.s32.s32.s32.sat", signed(i8::saturating_sub));
    judge_bytes("vabsdiff4.u32.u32.u32", u8::abs_diff);
    judge_bytes("vabsdiff4.s32.s32.s32", |a, b| (a as i8).abs_diff(b as i8));
    judge_bytes("vabsdiff4.s32.s32.s32.sat", |a, b| (a as i8).abs_diff(b as i8).min(127));
    judge_bytes("vmin4.u32.u32.u32", Ord::min);
    judge_bytes("vmin4.s32.s32.s32", signed(Ord::min));
    judge_bytes("vmax4.u32.u32.u32", Ord::max);
    judge_bytes("vmax4.s32.s32.s32", signed(Ord::max));
    judge_bytes("vavrg4.u32.u32.u32", |a, b| ((u16::from(a) + u16::from(b)).div_ceil(2)) as u8);
    judge_bytes("vavrg4.s32.s32.s32", |a, b| {
        let sum = f32::from(a as i8) + f32::from(b as i8);
        (sum / 2.0).round() as i8 as u8
    });
}

#[test]
fn four_byte_comparison_is_rusts_on_every_pair_of_bytes() {
    judge_bytes("vset4.u32.u32.eq", |a, b| (a == b).into());
    judge_bytes("vset4.u32.u32.ne", |a, b| (a != b).into());
    judge_bytes("vset4.u32.u32.lt", |a, b| (a < b).into());
    judge_bytes("vset4.s32.s32.le", |a, b| (a as i8 <= b as i8).into());
    judge_bytes("vset4.u32.s32.gt", |a, b| (i16::from(a) > i16::from(b as i8)).into());
    judge_bytes("vset4.s32.u32.ge", |a, b| (i16::from(a as i8) >= i16::from(b)).into());
}

#[test]
fn accumulated_bytes_are_plain_sums_on_every_pair_of_bytes() {
    let (sad, dot) = (inst("vabsdiff4.u32.u32.u32.add", 4), inst("dp4a.s32.u32", 4));
    for (a, b) in byte_pairs() {
        let sum: u32 = (0..4).map(|k| u32::from(a[k].abs_diff(b[k]))).sum();
        assert_eq!(run(&sad, &[bytes(a), bytes(b), 0xffff_fff0]), sum.wrapping_sub(16));
        let product: i32 = (0..4).map(|k| i32::from(a[k] as i8) * i32::from(b[k])).sum();
        assert_eq!(run(&dot, &[bytes(a), bytes(b), 7]), product.wrapping_add(7) as u32);
    }
}

#[test]
fn scalar_video_on_bytes_is_rusts_on_every_pair_of_bytes() {
    let part = |text: &str, dsel| {
        let mut words = text.split('.');
        let opcode = words.next().unwrap();
        let b1 = Shape { selectors: &["b1"], ..Shape::default() };
        let b2 = Shape { selectors: &["b2"], ..Shape::default() };
        let d = Shape { selectors: dsel, ..Shape::default() };
        select(opcode, &words.collect::<Vec<_>>(), &[d, b1, b2, Shape::default()]).unwrap().unwrap()
    };
    let merged = part("vadd.s32.s32.s32.sat", &["b3"]);
    let minimum = part("vsub.s32.u32.u32.min", &[]);
    for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).map(move |b| (a, b))) {
        let sources = [bytes([9, a, 9, 9]), bytes([8, 8, b, 8]), 0x1122_3344];
        let sum = (a as i8).saturating_add(b as i8) as u8;
        assert_eq!(run(&merged, &sources), 0x0022_3344 | u32::from(sum) << 24);
        let difference = i32::from(a) - i32::from(b);
        assert_eq!(run(&minimum, &[sources[0], sources[1], -3i32 as u32 as Bits]), difference.min(-3) as u32);
    }
}

const CORNERS: [u16; 14] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0xa5c3];

fn judge_halves(text: &str, plain: impl Fn(u16, u16) -> u16) {
    let operands = if text.starts_with('v') { 4 } else { 3 };
    let i = inst(text, operands);
    for (a, b) in (0..=u16::MAX).flat_map(|a| CORNERS.map(|b| (a, b))) {
        let want = halves([plain(a, b), plain(b, a)]) as u32;
        let got = run(&i, &[halves([a, b]), halves([b, a]), 0x5a5a_5a5a]);
        assert_eq!(got, want, "{text} of {a:#x}, {b:#x}");
    }
}

fn signed_halves(f: impl Fn(i16, i16) -> i16) -> impl Fn(u16, u16) -> u16 {
    move |a, b| f(a as i16, b as i16) as u16
}

#[test]
fn two_half_word_arithmetic_is_rusts_on_every_value_beside_corner_values() {
    judge_halves("vadd2.s32.s32.s32.sat", signed_halves(i16::saturating_add));
    judge_halves("vadd2.u32.u32.u32", u16::wrapping_add);
    judge_halves("vsub2.u32.u32.u32.sat", u16::saturating_sub);
    judge_halves("vmax2.s32.s32.s32", signed_halves(Ord::max));
    judge_halves("vabsdiff2.u32.u32.u32", u16::abs_diff);
    judge_halves("add.u16x2", u16::wrapping_add);
    judge_halves("add.sat.s16x2", signed_halves(i16::saturating_add));
    judge_halves("min.s16x2", signed_halves(Ord::min));
    judge_halves("max.relu.s16x2", signed_halves(|a, b| a.max(b).max(0)));
}

#[test]
fn sixteen_bit_arithmetic_is_rusts_on_every_value_beside_corner_values() {
    let judge = |text: &str, plain: &dyn Fn(u16, u16) -> u32| {
        let i = inst(text, 3);
        for (a, b) in (0..=u16::MAX).flat_map(|a| CORNERS.map(|b| (a, b))) {
            assert_eq!(run(&i, &[a.into(), b.into()]), plain(a, b), "{text} of {a:#x}, {b:#x}");
        }
    };
    judge("add.u16", &|a, b| a.wrapping_add(b).into());
    judge("sub.s16", &|a, b| a.wrapping_sub(b).into());
    judge("mul.lo.s16", &|a, b| a.wrapping_mul(b).into());
    judge("mul.hi.u16", &|a, b| (u32::from(a) * u32::from(b)) >> 16);
    judge("mul.wide.s16", &|a, b| (i32::from(a as i16) * i32::from(b as i16)) as u32);
    judge("div.s16", &|a, b| match b {
        0 => 0xffff,
        _ => (a as i16).wrapping_div(b as i16) as u16 as u32,
    });
    judge("rem.u16", &|a, b| a.checked_rem(b).unwrap_or(0xffff).into());
    judge("min.s16", &|a, b| (a as i16).min(b as i16) as u16 as u32);
}
