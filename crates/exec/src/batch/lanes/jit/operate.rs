//! What machine instructions each micro-op becomes.

use crate::batch::lanes::Place;
use crate::batch::lanes::jit::approximate::approximate;
use crate::batch::lanes::jit::bits::funnel;
use crate::batch::lanes::jit::compare::{compare32, compare64};
use crate::batch::lanes::jit::floats::{compare_double, compare_single, convert, double, flush, single};
use crate::batch::lanes::jit::integers::{Numbers, int32, int64, wides, words};
use crate::batch::lanes::jit::lowering::{Lowering, Predicate, Value};
use crate::batch::lanes::jit::machine::Arg;
use crate::batch::lanes::jit::nan::one_nan;
use crate::batch::lanes::jit::packed::{Elements, bytes, dot, halves, packed};
use crate::batch::lanes::jit::permute::permute;
use crate::batch::lanes::jit::rounding::{product_sum, sum};
use crate::batch::lanes::jit::values::{narrowed, pairwise, shifted, widened};
use iced_x86::Code;
use margay_isa::uop::float::{Approx, Float, FloatCmp, Flush, Rounding};
use margay_isa::uop::{Cmp, Dot, Logic, Op, Type};
use std::array::from_fn;

/// What an operation becomes.
enum Arm {
    Words(Numbers),
    Wides(Numbers),
    Compare32(Cmp),
    Compare64(Cmp),
    Elements(Elements),
    Dot(Dot),
    Logic(Logic),
    Select(Type),
    Lop3(u8),
    Single(Float),
    Double(Float),
    Flush(Flush),
    Approx(Approx),
    CompareSingle(FloatCmp),
    CompareDouble(FloatCmp),
    Convert(fn(&mut Lowering, Place) -> Value),
    Made(fn(&mut Lowering, [Place; 3]) -> Value),
}

/// What an operation becomes; none if there are no instructions for it.
fn arm(op: Op) -> Option<Arm> {
    Some(match op {
        Op::Int32(int) => Arm::Words(int32(int)?),
        Op::Int64(int) => Arm::Wides(int64(int)?),
        Op::Cmp32(cmp) => Arm::Compare32(cmp),
        Op::Cmp64(cmp) => Arm::Compare64(cmp),
        Op::Bytes(operation) => Arm::Elements(bytes(operation)),
        Op::Halves(operation) => Arm::Elements(halves(operation)),
        Op::Dot(Dot::Halves(false, _) | Dot::Halves(_, false)) => return None,
        Op::Dot(sum) => Arm::Dot(sum),
        Op::Pred(logic) => Arm::Logic(logic),
        Op::Select(ty) => Arm::Select(ty),
        Op::Lop3(table) => Arm::Lop3(table),
        Op::FunnelLeft => Arm::Made(|s, from| Value::U32(funnel(s, from, true))),
        Op::FunnelRight => Arm::Made(|s, from| Value::U32(funnel(s, from, false))),
        Op::Permute => Arm::Made(|s, from| Value::U32(permute(s, from))),
        Op::MulWideU => Arm::Made(|s, [a, b, _]| {
            let [x, y] = [a, b].map(|place| widened(s, place, false));
            Value::U64(pairwise(s, Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, x, y))
        }),
        Op::MulWideS => Arm::Made(|s, [a, b, _]| {
            let [x, y] = [a, b].map(|place| widened(s, place, true));
            Value::U64(pairwise(s, Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64, x, y))
        }),
        Op::Zext => Arm::Made(|s, [a, ..]| Value::U64(widened(s, a, false))),
        Op::Sext => Arm::Made(|s, [a, ..]| Value::U64(widened(s, a, true))),
        Op::Low => Arm::Made(|s, [a, ..]| {
            let wide = s.wide(a);
            Value::U32(narrowed(s, wide, 0))
        }),
        Op::High => Arm::Made(|s, [a, ..]| {
            let wide = s.wide(a);
            Value::U32(narrowed(s, wide, 1))
        }),
        Op::Pack => Arm::Made(|s, [a, b, _]| {
            let [low, high] = [a, b].map(|place| widened(s, place, false));
            let up = Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
            let high = high.map(|half| shifted(s, up, Arg::Whole(half), 32));
            Value::U64(pairwise(s, Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, high, low))
        }),
        Op::F32(float) => Arm::Single(float),
        Op::F64(float) => Arm::Double(float),
        Op::Flush(flush) => Arm::Flush(flush),
        Op::CmpF32(cmp) => Arm::CompareSingle(cmp),
        Op::CmpF64(cmp) => Arm::CompareDouble(cmp),
        Op::Convert(to) => Arm::Convert(convert(to)?),
        Op::AddToF32(Rounding::Zero) => Arm::Made(|s, [a, b, _]| Value::U32(sum(s, a, b, Rounding::Zero))),
        Op::AddToF32(Rounding::Down) => Arm::Made(|s, [a, b, _]| Value::U32(sum(s, a, b, Rounding::Down))),
        Op::AddToF32(Rounding::Up) => Arm::Made(|s, [a, b, _]| Value::U32(sum(s, a, b, Rounding::Up))),
        Op::FmaF32(Rounding::Zero) => Arm::Made(|s, from| Value::U32(product_sum(s, from, Rounding::Zero))),
        Op::FmaF32(Rounding::Down) => Arm::Made(|s, from| Value::U32(product_sum(s, from, Rounding::Down))),
        Op::FmaF32(Rounding::Up) => Arm::Made(|s, from| Value::U32(product_sum(s, from, Rounding::Up))),
        Op::AddToF32(Rounding::Nearest | Rounding::Odd) | Op::FmaF32(Rounding::Nearest | Rounding::Odd) => {
            return None;
        }
        // Only AVX-512 has instructions for it.
        Op::DirectedF64(..) => return None,
        Op::OneNan => Arm::Made(|s, [a, ..]| Value::U32(one_nan(s, a))),
        Op::Approx(Approx::Tangent | Approx::ReciprocalUpper | Approx::ReciprocalRootUpper) => return None,
        Op::Approx(function) => Arm::Approx(function),
        Op::FromPred => Arm::Made(|s, [a, ..]| {
            let ones = s.word(a);
            Value::U32(shifted(s, Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Arg::Whole(ones), 31))
        }),
    })
}

/// Whether there are machine instructions for an operation.
pub(crate) fn is_known(op: Op) -> bool {
    arm(op).is_some()
}

/// Adds an operation, and gives its result; none if there are no instructions for it.
pub(super) fn operate(s: &mut Lowering, op: Op, from: [Place; 3]) -> Option<Value> {
    let [a, b, c] = from;
    Some(match arm(op)? {
        Arm::Words(numbers) => words(s, numbers, from),
        Arm::Wides(numbers) => wides(s, numbers, from),
        Arm::Compare32(cmp) => Value::Pred(Predicate::Whole(compare32(s, cmp, a, b))),
        Arm::Compare64(cmp) => Value::Pred(Predicate::Halves(compare64(s, cmp, a, b))),
        Arm::Elements(elements) => Value::U32(packed(s, elements, a, b)),
        Arm::Dot(sum) => Value::U32(dot(s, sum, from)),
        Arm::Logic(logic) => Value::Pred(logical(s, logic, a, b)),
        Arm::Select(ty) => select(s, ty, from),
        Arm::Lop3(table) => {
            let (x, y) = (s.word(a), s.word(b));
            let z = s.word_arg(c);
            let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
            Value::U32(s.onto(code, x, &[Arg::Whole(y), z, Arg::Number(table)]))
        }
        Arm::Single(float) => Value::U32(single(s, float, from)),
        Arm::Double(float) => Value::U64(double(s, float, from)),
        Arm::Flush(operation) => Value::U32(flush(s, operation, from)),
        Arm::Approx(function) => Value::U32(approximate(s, function, a)?),
        Arm::CompareSingle(cmp) => Value::Pred(Predicate::Whole(compare_single(s, cmp, a, b))),
        Arm::CompareDouble(cmp) => Value::Pred(Predicate::Halves(compare_double(s, cmp, a, b))),
        Arm::Convert(convert) => convert(s, a),
        Arm::Made(make) => make(s, from),
    })
}

fn logical(s: &mut Lowering, logic: Logic, a: Place, b: Place) -> Predicate {
    let (x, y) = (s.predicate(a), s.predicate(b));
    let code = match logic {
        Logic::And => Code::VEX_Kandw_kr_kr_kr,
        Logic::Or => Code::VEX_Korw_kr_kr_kr,
        Logic::Xor => Code::VEX_Kxorw_kr_kr_kr,
        Logic::AndNot => Code::VEX_Kandnw_kr_kr_kr,
    };
    // The instruction negates its first operand.
    let (x, y) = if logic == Logic::AndNot { (y, x) } else { (x, y) };
    match (x, y) {
        (Predicate::Halves(x), Predicate::Halves(y)) => Predicate::Halves(pairwise(s, code, x, y)),
        _ => {
            let (x, y) = (s.whole(x), s.whole(y));
            Predicate::Whole(s.emit(code, &[Arg::Whole(x), Arg::Whole(y)]))
        }
    }
}

fn select(s: &mut Lowering, ty: Type, [p, a, b]: [Place; 3]) -> Value {
    let by = s.predicate(p);
    match ty {
        Type::U32 => {
            let mask = s.whole(by);
            let (yes, no) = (s.word(a), s.word(b));
            let operands = [Arg::Whole(no), Arg::Whole(yes)];
            Value::U32(s.blend(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, &operands, mask))
        }
        Type::U64 => {
            let masks = s.halves(by);
            let (yes, no) = (s.wide(a), s.wide(b));
            Value::U64(from_fn(|k| {
                let operands = [Arg::Whole(no[k]), Arg::Whole(yes[k])];
                s.blend(Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64, &operands, masks[k])
            }))
        }
        Type::Pred => {
            let (yes, no) = (s.predicate(a), s.predicate(b));
            let [mask, yes, no] = [by, yes, no].map(|predicate| s.whole(predicate));
            let taken = s.emit(Code::VEX_Kandw_kr_kr_kr, &[Arg::Whole(mask), Arg::Whole(yes)]);
            let other = s.emit(Code::VEX_Kandnw_kr_kr_kr, &[Arg::Whole(mask), Arg::Whole(no)]);
            let both = [Arg::Whole(taken), Arg::Whole(other)];
            Value::Pred(Predicate::Whole(s.emit(Code::VEX_Korw_kr_kr_kr, &both)))
        }
    }
}
