//! An operation of any family, and those that belong to none.

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::{Handler, cmp, dot, float, int, logic, narrow, packed, select64, w1, w3, w3_by, widen1, widen2};
use margay_isa::uop::scalar::*;
use margay_isa::uop::{Op, Type};

pub(super) const fn of(op: Op) -> Handler {
    match op {
        Op::Int32(int) => int::int32(int),
        Op::Int64(int) => int::int64(int),
        Op::Cmp32(cmp) => cmp::cmp32(cmp),
        Op::Cmp64(cmp) => cmp::cmp64(cmp),
        Op::Bytes(packed) => packed::of_bytes(packed),
        Op::Halves(packed) => packed::of_halves(packed),
        Op::Dot(dot) => dot::of(dot),
        Op::Pred(logic) => logic::of(logic),
        Op::Select(Type::Pred | Type::U32) => w3(|p, a, b| p & a | !p & b),
        Op::Select(Type::U64) => select64(|p, a, b| {
            let mask = p as i32 as u64;
            mask & a | !mask & b
        }),
        Op::Lop3(table) => lop3(table),
        Op::FunnelLeft => w3(funnel_left),
        Op::FunnelRight => w3(funnel_right),
        Op::Permute => {
            let plain = w3(permute);
            #[cfg(target_arch = "x86_64")]
            // SAFETY: it is for AVX-512, and reads and writes values of 32 bits.
            let plain = unsafe { plain.with_avx512(avx512::permute) };
            plain
        }
        Op::MulWideU => widen2(mul_wide_u),
        Op::MulWideS => widen2(mul_wide_s),
        Op::Zext => widen1(|a| a as u64),
        Op::Sext => widen1(|a| a as i32 as u64),
        Op::Low => narrow(|a| a as u32),
        Op::High => narrow(|a| (a >> 32) as u32),
        Op::Pack => widen2(|a, b| u64::from(b) << 32 | u64::from(a)),
        Op::FromPred => w1(|a| a & 1),
        Op::F32(operation) => float::f32(operation),
        Op::F64(operation) => float::f64(operation),
        Op::Flush(operation) => float::flush(operation),
        Op::CmpF32(cmp) => float::cmp32(cmp),
        Op::CmpF64(cmp) => float::cmp64(cmp),
        Op::Convert(convert) => float::convert(convert),
        Op::AddToF32(rounding) => float::add_to_f32(rounding),
        Op::FmaF32(rounding) => float::fma_f32(rounding),
        Op::DirectedF64(operation, rounding) => float::directed(operation, rounding),
        Op::OneNan => float::one_nan(),
        Op::Approx(function) => float::approximate(function),
    }
}

/// The functions that compilers and programs use, each as itself; any other by its table.
const fn lop3(table: u8) -> Handler {
    match table {
        0x96 => w3(|a, b, c| a ^ b ^ c),
        0x80 => w3(|a, b, c| a & b & c),
        0xfe => w3(|a, b, c| a | b | c),
        0xe8 => w3(|a, b, c| a & b | a & c | b & c),
        0xca => w3(|a, b, c| a & b | !a & c),
        0xd8 => w3(|a, b, c| c & b | !c & a),
        0x6a => w3(|a, b, c| a & b ^ c),
        0xea => w3(|a, b, c| a & b | c),
        0xf8 => w3(|a, b, c| a | b & c),
        0x78 => w3(|a, b, c| a ^ b & c),
        0x0a => w3(|a, _, c| !a & c),
        _ => w3_by(by_table).with([table, 0]),
    }
}

#[inline(always)]
fn by_table([table, _]: [u8; 2], a: u32, b: u32, c: u32) -> u32 {
    let mask = |row: u8| super::ones(table >> row & 1 == 1);
    let low = !b & (!c & mask(0) | c & mask(1)) | b & (!c & mask(2) | c & mask(3));
    let high = !b & (!c & mask(4) | c & mask(5)) | b & (!c & mask(6) | c & mask(7));
    !a & low | a & high
}
