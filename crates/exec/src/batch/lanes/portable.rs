//! The handlers in plain Rust: loops over whole lines that a compiler turns into the machine's widest instructions.

use crate::batch::lanes::{GROUP, Line, Place, Scan, Scope, Split, UNIT, VectorOp, What, floats};
use margay_isa::uop::scalar::*;
use margay_isa::uop::{Cmp, Dot, Int, Logic, Op, Packed, Type};
use std::array::from_fn;

/// No instructions beyond what the compiler finds.
pub(super) const PLAIN: u8 = 0;
/// AVX-512, with what the compiler does not find.
#[cfg(target_arch = "x86_64")]
pub(super) const AVX512: u8 = 2;

/// 32 bits for each thread of a group.
pub(super) type W = [u32; GROUP];
/// 64 bits for each thread of a group.
type D = [u64; GROUP];
type B = [u8; 4 * GROUP];
type H = [u16; 2 * GROUP];

/// Where an operation reads and writes.
#[derive(Clone, Copy)]
pub(super) struct At<'l> {
    to: *mut Line,
    from: [*const Line; 3],
    steps: [usize; 3],
    units: &'l [(u32, u32)],
}

impl<'l> At<'l> {
    /// # Safety
    /// The operation must have been checked for these lines and all groups of the units, and values in memory must reach as far.
    #[inline(always)]
    unsafe fn new(lines: *mut Line, scope: Scope<'l>, vector_op: &VectorOp) -> At<'l> {
        // Operands that the operation does not have are never read; their addresses wrap harmlessly.
        let pointer = |k: usize| {
            let place = vector_op.from[k];
            let own = lines.wrapping_add(place.line as usize).cast_const();
            if place.is_lent() {
                let there = scope.lent[place.line as usize];
                return if there.is_null() { own } else { there };
            }
            own
        };
        let to = match vector_op.to.is_lent() && !scope.aimed.is_null() {
            true => scope.aimed,
            false => lines.wrapping_add(vector_op.to.line as usize),
        };
        At {
            to,
            from: [pointer(0), pointer(1), pointer(2)],
            steps: [0, 1, 2].map(|k| vector_op.from[k].step()),
            units: scope.units,
        }
    }

    /// Group by group, what is made of three operands; operands of type `()` take nothing.
    ///
    /// # Safety
    /// The types must be as long as the lines of the operands and of the result, which must lie inside.
    #[inline(always)]
    pub(super) unsafe fn each<A: Copy, B: Copy, C: Copy, R>(self, make: impl Make<A, B, C, R>) {
        let wide = size_of::<R>() / size_of::<Line>();
        let [sa, sb, sc] = self.steps;
        for (first, count) in self.units {
            let skip = *first as usize * UNIT;
            let (mut to, [mut a, mut b, mut c]) = (self.to.wrapping_add(skip * wide), self.from);
            (a, b, c) = (a.wrapping_add(skip * sa), b.wrapping_add(skip * sb), c.wrapping_add(skip * sc));
            // Four groups a round, so that counting is not what takes the time.
            for _ in 0..*count {
                for k in 0..UNIT {
                    // SAFETY: the caller's promise; values are read whole before a result is written.
                    unsafe {
                        let x = a.wrapping_add(k * sa).cast::<A>().read_unaligned();
                        let y = b.wrapping_add(k * sb).cast::<B>().read_unaligned();
                        let z = c.wrapping_add(k * sc).cast::<C>().read_unaligned();
                        to.wrapping_add(k * wide).cast::<R>().write(make.make(x, y, z));
                    }
                }
                (to, a) = (to.wrapping_add(UNIT * wide), a.wrapping_add(UNIT * sa));
                (b, c) = (b.wrapping_add(UNIT * sb), c.wrapping_add(UNIT * sc));
            }
        }
    }

    #[inline(always)]
    pub(super) fn w1(self, f: impl Fn(u32) -> u32) {
        // SAFETY: called for operations whose values are all of 32 bits, or masks.
        unsafe { self.each::<W, (), (), W>(One(f)) }
    }

    #[inline(always)]
    pub(super) fn w2(self, f: impl Fn(u32, u32) -> u32) {
        // SAFETY: as for `w1`.
        unsafe { self.each::<W, W, (), W>(Two(f)) }
    }

    #[inline(always)]
    pub(super) fn w3(self, f: impl Fn(u32, u32, u32) -> u32) {
        // SAFETY: as for `w1`.
        unsafe { self.each::<W, W, W, W>(Three(f)) }
    }

    #[inline(always)]
    pub(super) fn d1(self, f: impl Fn(u64) -> u64) {
        // SAFETY: called for operations whose values are all of 64 bits.
        unsafe { self.each::<D, (), (), D>(One(f)) }
    }

    #[inline(always)]
    pub(super) fn d2(self, f: impl Fn(u64, u64) -> u64) {
        // SAFETY: as for `d1`.
        unsafe { self.each::<D, D, (), D>(Two(f)) }
    }

    #[inline(always)]
    pub(super) fn d3(self, f: impl Fn(u64, u64, u64) -> u64) {
        // SAFETY: as for `d1`.
        unsafe { self.each::<D, D, D, D>(Three(f)) }
    }

    #[inline(always)]
    fn select64(self, f: impl Fn(u32, u64, u64) -> u64) {
        // SAFETY: called for a choice by a mask between values of 64 bits.
        unsafe { self.each::<W, D, D, D>(Three(f)) }
    }

    #[inline(always)]
    fn shift64(self, f: impl Fn(u64, u32) -> u64) {
        // SAFETY: called for shifts of 64 bits by an amount of 32.
        unsafe { self.each::<D, W, (), D>(Two(f)) }
    }

    #[inline(always)]
    pub(super) fn narrow(self, f: impl Fn(u64) -> u32) {
        // SAFETY: called for operations from 64 bits to 32.
        unsafe { self.each::<D, (), (), W>(One(f)) }
    }

    #[inline(always)]
    pub(super) fn widen1(self, f: impl Fn(u32) -> u64) {
        // SAFETY: called for operations from 32 bits to 64.
        unsafe { self.each::<W, (), (), D>(One(f)) }
    }

    #[inline(always)]
    fn widen2(self, f: impl Fn(u32, u32) -> u64) {
        // SAFETY: as for `widen1`.
        unsafe { self.each::<W, W, (), D>(Two(f)) }
    }

    #[inline(always)]
    pub(super) fn compare64(self, f: impl Fn(u64, u64) -> u32) {
        // SAFETY: called for comparisons of 64 bits, whose result is a mask.
        unsafe { self.each::<D, D, (), W>(Two(f)) }
    }

    #[inline(always)]
    fn bytes(self, f: impl Fn(u8, u8) -> u8) {
        // SAFETY: as for `w1`: a line has 64 bytes.
        unsafe { self.each::<B, B, (), B>(Two(f)) }
    }

    #[inline(always)]
    fn halves(self, f: impl Fn(u16, u16) -> u16) {
        // SAFETY: as for `w1`: a line has 32 half-words.
        unsafe { self.each::<H, H, (), H>(Two(f)) }
    }
}

/// What is made of the lines of three operands. A trait of its own, because its functions can be told to be compiled into
/// their callers, with the callers' instructions; closures cannot.
pub(super) trait Make<A, B, C, R> {
    fn make(&self, a: A, b: B, c: C) -> R;
}

/// Lane by lane, of one operand.
struct One<F>(F);
/// Lane by lane, of two operands.
struct Two<F>(F);
/// Lane by lane, of three operands.
struct Three<F>(F);

impl<A: Copy, R: Copy + Default, F: Fn(A) -> R, const N: usize> Make<[A; N], (), (), [R; N]> for One<F> {
    #[inline(always)]
    fn make(&self, a: [A; N], (): (), (): ()) -> [R; N] {
        let mut lanes = [R::default(); N];
        for k in 0..N {
            lanes[k] = (self.0)(a[k]);
        }
        lanes
    }
}

impl<A: Copy, B: Copy, R: Copy + Default, F: Fn(A, B) -> R, const N: usize> Make<[A; N], [B; N], (), [R; N]>
    for Two<F>
{
    #[inline(always)]
    fn make(&self, a: [A; N], b: [B; N], (): ()) -> [R; N] {
        let mut lanes = [R::default(); N];
        for k in 0..N {
            lanes[k] = (self.0)(a[k], b[k]);
        }
        lanes
    }
}

impl<A: Copy, B: Copy, C: Copy, R: Copy + Default, F: Fn(A, B, C) -> R, const N: usize>
    Make<[A; N], [B; N], [C; N], [R; N]> for Three<F>
{
    #[inline(always)]
    fn make(&self, a: [A; N], b: [B; N], c: [C; N]) -> [R; N] {
        let mut lanes = [R::default(); N];
        for k in 0..N {
            lanes[k] = (self.0)(a[k], b[k], c[k]);
        }
        lanes
    }
}

/// Line by line, of three operands at once.
#[cfg(target_arch = "x86_64")]
pub(super) struct Whole<F>(pub(super) F);

#[cfg(target_arch = "x86_64")]
impl<F: Fn(W, W, W) -> W> Make<W, W, W, W> for Whole<F> {
    #[inline(always)]
    fn make(&self, a: W, b: W, c: W) -> W {
        (self.0)(a, b, c)
    }
}

/// A mask.
#[inline(always)]
pub(super) fn ones(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

/// Carries out operations on values that differ from thread to thread. `LEVEL` says which instructions the caller was compiled for.
///
/// # Safety
/// The machine must have those instructions, the operations must have been checked for these lines and all groups of the
/// units, and values in memory must reach as far as the lines.
#[inline(always)]
pub(super) unsafe fn run<const LEVEL: u8>(lines: &mut [Line], scope: Scope, vector_ops: &[VectorOp]) {
    let lines = lines.as_mut_ptr();
    for vector_op in vector_ops {
        // SAFETY: the caller's promise.
        unsafe {
            let at = At::new(lines, scope, vector_op);
            match vector_op.what {
                What::Move(Type::Pred | Type::U32) => at.w1(|a| a),
                What::Move(Type::U64) => at.d1(|a| a),
                What::Op(op) => operate::<LEVEL>(at, op),
            }
        }
    }
}

/// # Safety
/// As for `run`.
#[inline(always)]
unsafe fn operate<const LEVEL: u8>(at: At, op: Op) {
    match op {
        Op::Int32(int) => int32(at, int),
        Op::Int64(int) => int64(at, int),
        Op::Cmp32(cmp) => match cmp {
            Cmp::Eq => at.w2(|a, b| ones(a == b)),
            Cmp::Ne => at.w2(|a, b| ones(a != b)),
            Cmp::LtU => at.w2(|a, b| ones(a < b)),
            Cmp::LeU => at.w2(|a, b| ones(a <= b)),
            Cmp::LtS => at.w2(|a, b| ones((a as i32) < b as i32)),
            Cmp::LeS => at.w2(|a, b| ones(a as i32 <= b as i32)),
        },
        Op::Cmp64(cmp) => match cmp {
            Cmp::Eq => at.compare64(|a, b| ones(a == b)),
            Cmp::Ne => at.compare64(|a, b| ones(a != b)),
            Cmp::LtU => at.compare64(|a, b| ones(a < b)),
            Cmp::LeU => at.compare64(|a, b| ones(a <= b)),
            Cmp::LtS => at.compare64(|a, b| ones((a as i64) < b as i64)),
            Cmp::LeS => at.compare64(|a, b| ones(a as i64 <= b as i64)),
        },
        Op::Bytes(packed) => bytes(at, packed),
        Op::Halves(packed) => halves(at, packed),
        Op::Dot(dot) => {
            #[cfg(target_arch = "x86_64")]
            if LEVEL == AVX512 {
                // SAFETY: the caller's promise.
                return unsafe { crate::batch::lanes::x86::dot_avx512(at, dot) };
            }
            match dot {
                Dot::Bytes(false, false) => at.w3(|a, b, c| dot_bytes((false, false), a, b, c)),
                Dot::Bytes(false, true) => at.w3(|a, b, c| dot_bytes((false, true), a, b, c)),
                Dot::Bytes(true, false) => at.w3(|a, b, c| dot_bytes((true, false), a, b, c)),
                Dot::Bytes(true, true) => at.w3(|a, b, c| dot_bytes((true, true), a, b, c)),
                Dot::Halves(false, false) => at.w3(|a, b, c| dot_halves((false, false), a, b, c)),
                Dot::Halves(false, true) => at.w3(|a, b, c| dot_halves((false, true), a, b, c)),
                Dot::Halves(true, false) => at.w3(|a, b, c| dot_halves((true, false), a, b, c)),
                Dot::Halves(true, true) => at.w3(|a, b, c| dot_halves((true, true), a, b, c)),
                Dot::AbsDiffBytesU => at.w3(|a, b, c| abs_diff_bytes(false, a, b, c)),
                Dot::AbsDiffBytesS => at.w3(|a, b, c| abs_diff_bytes(true, a, b, c)),
            }
        }
        Op::Pred(logic) => match logic {
            Logic::And => at.w2(|a, b| a & b),
            Logic::Or => at.w2(|a, b| a | b),
            Logic::Xor => at.w2(|a, b| a ^ b),
            Logic::AndNot => at.w2(|a, b| a & !b),
        },
        Op::Select(Type::Pred | Type::U32) => at.w3(|p, a, b| p & a | !p & b),
        Op::Select(Type::U64) => at.select64(|p, a, b| {
            let mask = p as i32 as u64;
            mask & a | !mask & b
        }),
        Op::Lop3(table) => lop3_lines(at, table),
        Op::FunnelLeft => at.w3(funnel_left),
        Op::FunnelRight => at.w3(funnel_right),
        Op::Permute => {
            #[cfg(target_arch = "x86_64")]
            if LEVEL == AVX512 {
                // SAFETY: the caller's promise.
                return unsafe { crate::batch::lanes::x86::permute_avx512(at) };
            }
            at.w3(permute);
        }
        Op::MulWideU => at.widen2(mul_wide_u),
        Op::MulWideS => at.widen2(mul_wide_s),
        Op::Zext => at.widen1(u64::from),
        Op::Sext => at.widen1(|a| a as i32 as u64),
        Op::Low => at.narrow(|a| a as u32),
        Op::High => at.narrow(|a| (a >> 32) as u32),
        Op::Pack => at.widen2(|a, b| u64::from(b) << 32 | u64::from(a)),
        Op::FromPred => at.w1(|a| a & 1),
        Op::F32(float) => floats::f32(at, float),
        Op::F64(float) => floats::f64(at, float),
        Op::Flush(flush) => floats::flush(at, flush),
        Op::CmpF32(cmp) => floats::compare32(at, cmp),
        Op::CmpF64(cmp) => floats::compare64(at, cmp),
        Op::Convert(convert) => floats::convert(at, convert),
        Op::AddOdd => floats::add_odd(at),
        Op::Approx(function) => floats::approximate(at, function),
    }
}

#[inline(always)]
fn int32(at: At, int: Int) {
    match int {
        Int::Add => at.w2(u32::wrapping_add),
        Int::Sub => at.w2(u32::wrapping_sub),
        Int::Mul => at.w2(u32::wrapping_mul),
        Int::MulHighU => at.w2(mul_high_u32),
        Int::MulHighS => at.w2(mul_high_s32),
        Int::MulAdd => at.w3(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Int::AddAdd => at.w3(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
        Int::And => at.w2(|a, b| a & b),
        Int::Or => at.w2(|a, b| a | b),
        Int::Xor => at.w2(|a, b| a ^ b),
        Int::Shl => at.w2(shl32),
        Int::Shr => at.w2(shr32),
        Int::Sar => at.w2(sar32),
        Int::MinU => at.w2(u32::min),
        Int::MinS => at.w2(|a, b| (a as i32).min(b as i32) as u32),
        Int::MaxU => at.w2(u32::max),
        Int::MaxS => at.w2(|a, b| (a as i32).max(b as i32) as u32),
        Int::AbsDiffU => at.w2(u32::abs_diff),
        Int::AbsDiffS => at.w2(|a, b| (a as i32).abs_diff(b as i32)),
        Int::Popc => at.w1(u32::count_ones),
        Int::Clz => at.w1(u32::leading_zeros),
        Int::Brev => at.w1(u32::reverse_bits),
        Int::DivU => at.w2(div_u32),
        Int::DivS => at.w2(div_s32),
        Int::RemU => at.w2(rem_u32),
        Int::RemS => at.w2(rem_s32),
        Int::ExtractU(position, length) => {
            let (up, down) = (u32::from(32 - position - length) & 31, u32::from(32 - length) & 31);
            at.w1(|a| a << up >> down);
        }
        Int::ExtractS(position, length) => {
            let (up, down) = (u32::from(32 - position - length) & 31, u32::from(32 - length) & 31);
            at.w1(|a| ((a << up) as i32 >> down) as u32);
        }
    }
}

#[inline(always)]
fn int64(at: At, int: Int) {
    match int {
        Int::Add => at.d2(u64::wrapping_add),
        Int::Sub => at.d2(u64::wrapping_sub),
        Int::Mul => at.d2(u64::wrapping_mul),
        Int::MulHighU => at.d2(mul_high_u64),
        Int::MulHighS => at.d2(mul_high_s64),
        Int::MulAdd => at.d3(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Int::AddAdd => at.d3(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
        Int::And => at.d2(|a, b| a & b),
        Int::Or => at.d2(|a, b| a | b),
        Int::Xor => at.d2(|a, b| a ^ b),
        Int::Shl => at.shift64(shl64),
        Int::Shr => at.shift64(shr64),
        Int::Sar => at.shift64(sar64),
        Int::MinU => at.d2(u64::min),
        Int::MinS => at.d2(|a, b| (a as i64).min(b as i64) as u64),
        Int::MaxU => at.d2(u64::max),
        Int::MaxS => at.d2(|a, b| (a as i64).max(b as i64) as u64),
        Int::AbsDiffU => at.d2(u64::abs_diff),
        Int::AbsDiffS => at.d2(|a, b| (a as i64).abs_diff(b as i64)),
        Int::Popc => at.narrow(u64::count_ones),
        Int::Clz => at.narrow(u64::leading_zeros),
        Int::Brev => at.d1(u64::reverse_bits),
        Int::DivU => at.d2(div_u64),
        Int::DivS => at.d2(div_s64),
        Int::RemU => at.d2(rem_u64),
        Int::RemS => at.d2(rem_s64),
        Int::ExtractU(position, length) => {
            let (up, down) = (u32::from(64 - position - length) & 63, u32::from(64 - length) & 63);
            at.d1(|a| a << up >> down);
        }
        Int::ExtractS(position, length) => {
            let (up, down) = (u32::from(64 - position - length) & 63, u32::from(64 - length) & 63);
            at.d1(|a| ((a << up) as i64 >> down) as u64);
        }
    }
}

#[inline(always)]
fn bytes(at: At, packed: Packed) {
    let signed = |f: fn(i8, i8) -> i8| move |a: u8, b: u8| f(a as i8, b as i8) as u8;
    match packed {
        Packed::Add => at.bytes(u8::wrapping_add),
        Packed::Sub => at.bytes(u8::wrapping_sub),
        Packed::AddSatU => at.bytes(u8::saturating_add),
        Packed::AddSatS => at.bytes(signed(i8::saturating_add)),
        Packed::SubSatU => at.bytes(u8::saturating_sub),
        Packed::SubSatS => at.bytes(signed(i8::saturating_sub)),
        Packed::AbsDiffU => at.bytes(u8::abs_diff),
        Packed::AbsDiffS => at.bytes(|a, b| (a as i8).abs_diff(b as i8)),
        Packed::AvgU => at.bytes(avg_u8),
        Packed::AvgS => at.bytes(avg_s8),
        Packed::MinU => at.bytes(u8::min),
        Packed::MinS => at.bytes(|a, b| (a as i8).min(b as i8) as u8),
        Packed::MaxU => at.bytes(u8::max),
        Packed::MaxS => at.bytes(|a, b| (a as i8).max(b as i8) as u8),
        Packed::Eq => at.bytes(|a, b| ones8(a == b)),
        Packed::LtU => at.bytes(|a, b| ones8(a < b)),
        Packed::LtS => at.bytes(|a, b| ones8((a as i8) < b as i8)),
    }
}

#[inline(always)]
fn halves(at: At, packed: Packed) {
    let signed = |f: fn(i16, i16) -> i16| move |a: u16, b: u16| f(a as i16, b as i16) as u16;
    match packed {
        Packed::Add => at.halves(u16::wrapping_add),
        Packed::Sub => at.halves(u16::wrapping_sub),
        Packed::AddSatU => at.halves(u16::saturating_add),
        Packed::AddSatS => at.halves(signed(i16::saturating_add)),
        Packed::SubSatU => at.halves(u16::saturating_sub),
        Packed::SubSatS => at.halves(signed(i16::saturating_sub)),
        Packed::AbsDiffU => at.halves(u16::abs_diff),
        Packed::AbsDiffS => at.halves(|a, b| (a as i16).abs_diff(b as i16)),
        Packed::AvgU => at.halves(avg_u16),
        Packed::AvgS => at.halves(avg_s16),
        Packed::MinU => at.halves(u16::min),
        Packed::MinS => at.halves(|a, b| (a as i16).min(b as i16) as u16),
        Packed::MaxU => at.halves(u16::max),
        Packed::MaxS => at.halves(|a, b| (a as i16).max(b as i16) as u16),
        Packed::Eq => at.halves(|a, b| ones16(a == b)),
        Packed::LtU => at.halves(|a, b| ones16(a < b)),
        Packed::LtS => at.halves(|a, b| ones16((a as i16) < b as i16)),
    }
}

/// The functions that compilers and programs use, each as itself; any other by its table.
#[inline(always)]
fn lop3_lines(at: At, table: u8) {
    match table {
        0x96 => at.w3(|a, b, c| a ^ b ^ c),
        0x80 => at.w3(|a, b, c| a & b & c),
        0xfe => at.w3(|a, b, c| a | b | c),
        0xe8 => at.w3(|a, b, c| a & b | a & c | b & c),
        0xca => at.w3(|a, b, c| a & b | !a & c),
        0xd8 => at.w3(|a, b, c| c & b | !c & a),
        0x6a => at.w3(|a, b, c| a & b ^ c),
        0xea => at.w3(|a, b, c| a & b | c),
        0xf8 => at.w3(|a, b, c| a | b & c),
        0x78 => at.w3(|a, b, c| a ^ b & c),
        0x0a => at.w3(|a, _, c| !a & c),
        _ => {
            let mask: [u32; 8] = from_fn(|row| if table >> row & 1 == 1 { u32::MAX } else { 0 });
            at.w3(|a, b, c| {
                let low = !b & (!c & mask[0] | c & mask[1]) | b & (!c & mask[2] | c & mask[3]);
                let high = !b & (!c & mask[4] | c & mask[5]) | b & (!c & mask[6] | c & mask[7]);
                !a & low | a & high
            });
        }
    }
}

/// Splits a mask by a predicate and counts both sides.
#[inline(always)]
pub(super) fn split(lines: &mut [Line], groups: usize, [of, by, yes, no]: [Place; 4]) -> Split {
    let (mut in_yes, mut in_no) = ([0u32; GROUP], [0u32; GROUP]);
    for group in 0..groups {
        let line = |place: Place| place.line as usize + group * usize::from(place.stride);
        let (mask, predicate) = (lines[line(of)].0, lines[line(by)].0);
        let taken: W = from_fn(|k| mask[k] & predicate[k]);
        let other: W = from_fn(|k| mask[k] & !predicate[k]);
        in_yes = from_fn(|k| in_yes[k].wrapping_sub(taken[k]));
        in_no = from_fn(|k| in_no[k].wrapping_sub(other[k]));
        lines[line(yes)].0 = taken;
        lines[line(no)].0 = other;
    }
    let sum = |counts: W| counts.iter().map(|n| *n as usize).sum();
    Split { yes: sum(in_yes), no: sum(in_no) }
}

/// Gives each lane a value, from the first one on in equal steps.
#[inline(always)]
pub(super) fn ramp(lanes: &mut [u64], first: u64, step: u64) {
    for (k, lane) in lanes.iter_mut().enumerate() {
        *lane = first.wrapping_add(step.wrapping_mul(k as u64));
    }
}

/// The same in 32 bits.
#[inline(always)]
pub(super) fn ramp_narrow(lanes: &mut [u32], first: u32, step: u32) {
    for (k, lane) in lanes.iter_mut().enumerate() {
        *lane = first.wrapping_add(step.wrapping_mul(k as u32));
    }
}

/// Takes threads out of a mask whose predicate, its bits turned by `flip`, does not hold; adds them to another one; counts
/// both sides. Only in some units.
#[inline(always)]
pub(super) fn split_off(
    lines: &mut [Line],
    units: &[(u32, u32)],
    [of, by]: [Place; 2],
    flip: u32,
    gone: &mut [u32],
) -> Split {
    let (mut stayed, mut went) = ([0u32; GROUP], [0u32; GROUP]);
    let gone = gone.as_chunks_mut::<GROUP>().0;
    let groups =
        units.iter().flat_map(|(first, count)| *first as usize * UNIT..(*first + *count) as usize * UNIT);
    for group in groups {
        let line = |place: Place| place.line as usize + group * usize::from(place.stride);
        let (mask, predicate) = (lines[line(of)].0, lines[line(by)].0);
        let stays: W = from_fn(|k| mask[k] & (predicate[k] ^ flip));
        let goes: W = from_fn(|k| mask[k] & !(predicate[k] ^ flip));
        stayed = from_fn(|k| stayed[k].wrapping_sub(stays[k]));
        went = from_fn(|k| went[k].wrapping_sub(goes[k]));
        lines[line(of)].0 = stays;
        for k in 0..GROUP {
            gone[group][k] |= goes[k];
        }
    }
    let sum = |counts: W| counts.iter().map(|n| *n as usize).sum();
    Split { yes: sum(stayed), no: sum(went) }
}

/// The least and the greatest value, what bits there are, and the distance if it is always the same.
#[inline(always)]
pub(super) fn scan(values: &[u64]) -> Scan {
    let step = values.get(1).map_or(0, |second| second.wrapping_sub(values[0]));
    let (mut least, mut most, mut low_bits, mut uneven) = (u64::MAX, 0, 0, 0);
    for (k, value) in values.iter().enumerate() {
        least = least.min(*value);
        most = most.max(*value);
        low_bits |= *value;
        uneven |= *value ^ values[0].wrapping_add(step.wrapping_mul(k as u64));
    }
    Scan { least, most, low_bits, step: (uneven == 0).then_some(step) }
}
