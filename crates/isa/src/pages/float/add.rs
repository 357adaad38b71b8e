//! `add` on `.f32`, `.f32x2` and `.f64`; and the grammar that `sub` and `mul` share.
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::contraction::sum;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.3", &["add"], Meaning::Stages(spec))
    .lower(lower)
    .about("add two floating-point numbers", "The sum, rounded to nearest even unless a rounding is named.")
    .part(sum)
    .shown(&[("add.f32 d, a, b", &[0x3dcc_cccd, 0x3e4c_cccd])])
    .examples(&["@p add.rz.ftz.f32 f1, f2, f3;", "add.f64 a, b, c;", "add.rn.f32x2 d, a, b;"])
    .refused(&[("add.sat.f64 d, a, b;", "`.sat` is for `.f32` only")]);

pub(in crate::pages) const ROUNDINGS: Set = Set::Of(&[Rn, Rz, Rm, Rp]);
/// Targets before sm_13 compute `.f64` in single precision, without these roundings.
pub(super) const DIRECTED: FormFloor = FormFloor {
    text: "rounding of `.f64` by `.rm` and `.rp`",
    when: |i| i[Slot::Type] == F64 && matches!(i[Slot::Rnd], Rm | Rp),
    floor: Floor::new(1, 0, 13),
};
const SYNTAX: &[Syntax] = &[
    line("op{.rnd}{.ftz}{.sat}.f32 d, a, b"),
    line("op{.rnd}{.ftz}.f32x2 d, a, b").since(Floor::new(8, 6, 100)),
    line("op{.rnd}.f64 d, a, b"),
];

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type)).constants(Immediate::Number)];
    const FLOORS: &[FormFloor] = &[
        FormFloor {
            text: "rounding of `.f32` by `.rm` and `.rp`",
            when: |i| i[Slot::Type] == F32 && matches!(i[Slot::Rnd], Rm | Rp),
            floor: Floor::new(1, 0, 20),
        },
        DIRECTED,
    ];
    Page::new(section, opcodes, SYNTAX, meaning)
        .sets(&[("rnd", Slot::Rnd, ROUNDINGS)])
        .operands(OPERANDS)
        .form_floors(FLOORS)
        .order(Order::Free)
        .errata(&[FLUSHED, NEGATIVE_ZERO, NOT_A_NUMBER])
}

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "a + b", |[a, b]| a.plus(b))
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Add)
}
