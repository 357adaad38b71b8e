//! How micro-ops are written for people: `add`, `add.64`, `cmp.lt.s`, `bytes.add.sat.u`, `lop3(0xe8)`.

use super::float::{Convert, Flush};
use super::{Dot, Op};
use std::fmt;

/// `MulHighU` as `mul.high.u`; what stands in brackets stays.
fn dotted(name: &impl fmt::Debug) -> String {
    let name = format!("{name:?}");
    let (word, rest) = name.split_at(name.find('(').unwrap_or(name.len()));
    let mut text = String::new();
    for (k, letter) in word.chars().enumerate() {
        if k > 0 && letter.is_uppercase() {
            text.push('.');
        }
        text.extend(letter.to_lowercase());
    }
    text + &rest.replace(", ", ",")
}

/// `F64ToF32(Zero)` as `cvt.zero.f32.f64`, as in PTX the destination first; rounding to nearest is not named.
fn conversion(convert: &Convert) -> String {
    let name = format!("{convert:?}").to_lowercase();
    let (types, rounding) = name.trim_end_matches(')').split_once('(').unwrap_or((&name, "nearest"));
    let (from, to) = types.split_once("to").unwrap_or((types, ""));
    match rounding {
        "nearest" => format!("cvt.{to}.{from}"),
        rounding => format!("cvt.{rounding}.{to}.{from}"),
    }
}

/// Operations are named after what they do; those on 64-bit numbers end with `.64`, those on packed numbers begin with
/// their elements.
///
/// ```
/// use margay_isa::uop::{Cmp, Dot, Int, Op, Packed};
/// assert_eq!(Op::Int64(Int::MulHighU).to_string(), "mul.high.u.64");
/// assert_eq!(Op::Int32(Int::ExtractS(8, 4)).to_string(), "extract.s(8,4)");
/// assert_eq!(Op::Cmp32(Cmp::LtS).to_string(), "cmp.lt.s");
/// assert_eq!(Op::Bytes(Packed::AddSatU).to_string(), "bytes.add.sat.u");
/// assert_eq!(Op::Dot(Dot::Bytes(true, false)).to_string(), "dot.bytes.su");
/// assert_eq!(Op::Lop3(0xe8).to_string(), "lop3(0xe8)");
///
/// use margay_isa::uop::float::{Convert, Flush, Float, FloatCmp, Rounding};
/// assert_eq!(Op::F32(Float::Fma).to_string(), "fma.f32");
/// assert_eq!(Op::Flush(Flush::Mul).to_string(), "mul.flush.f32");
/// assert_eq!(Op::CmpF64(FloatCmp::Ltu).to_string(), "cmp.ltu.f64");
/// assert_eq!(Op::Convert(Convert::F64ToF32(Rounding::Zero)).to_string(), "cvt.zero.f32.f64");
/// assert_eq!(Op::Convert(Convert::S32ToF32).to_string(), "cvt.f32.s32");
/// ```
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |signed: &bool| if *signed { 's' } else { 'u' };
        match self {
            Op::Int32(int) => f.write_str(&dotted(int)),
            Op::Int64(int) => write!(f, "{}.64", dotted(int)),
            Op::Cmp32(cmp) => write!(f, "cmp.{}", dotted(cmp)),
            Op::Cmp64(cmp) => write!(f, "cmp.{}.64", dotted(cmp)),
            Op::Bytes(packed) => write!(f, "bytes.{}", dotted(packed)),
            Op::Halves(packed) => write!(f, "halves.{}", dotted(packed)),
            Op::Dot(Dot::Bytes(a, b)) => write!(f, "dot.bytes.{}{}", sign(a), sign(b)),
            Op::Dot(Dot::Halves(a, b)) => write!(f, "dot.halves.{}{}", sign(a), sign(b)),
            Op::Dot(dot) => write!(f, "dot.{}", dotted(dot)),
            Op::Pred(logic) => write!(f, "pred.{}", dotted(logic)),
            Op::Select(_) => f.write_str("select"),
            Op::F32(float) => write!(f, "{}.f32", dotted(float)),
            Op::F64(float) => write!(f, "{}.f64", dotted(float)),
            Op::Flush(Flush::Value) => f.write_str("flush.f32"),
            Op::Flush(flush) => write!(f, "{}.flush.f32", dotted(flush)),
            Op::CmpF32(cmp) => write!(f, "cmp.{}.f32", dotted(cmp)),
            Op::CmpF64(cmp) => write!(f, "cmp.{}.f64", dotted(cmp)),
            Op::Convert(convert) => f.write_str(&conversion(convert)),
            Op::AddToF32(rounding) => write!(f, "add.{}.f32.f64", dotted(rounding)),
            Op::FmaF32(rounding) => write!(f, "fma.{}.f32", dotted(rounding)),
            Op::DirectedF64(float, rounding) => write!(f, "{}.{}.f64", dotted(float), dotted(rounding)),
            Op::OneNan => f.write_str("one.nan.f32"),
            Op::Approx(function) => write!(f, "approx.{}", dotted(function)),
            Op::Lop3(table) => write!(f, "lop3({table:#04x})"),
            other => f.write_str(&dotted(other)),
        }
    }
}
