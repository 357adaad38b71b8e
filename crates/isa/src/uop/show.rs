//! How micro-ops are written for people: `add`, `add.64`, `cmp.lt.s`, `bytes.add.sat.u`, `lop3(0xe8)`.

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
            Op::Lop3(table) => write!(f, "lop3({table:#04x})"),
            other => f.write_str(&dotted(other)),
        }
    }
}
