//! `multimem.red`: change a value on several devices.
use crate::pages::several::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.14", &["multimem"], &[
    line("multimem.red{.global}.op{.acc::f32}{.vec}.type [a], b"),
    line("multimem.red.sem.scope{.global}.op{.acc::f32}{.vec}.type [a], b"),
], Meaning::NotYet)
    .about("reduction on several devices", "Combines the value of every device that shares the address with `b` by `.op`.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Release])),
        ("scope", Slot::Scope, SCOPES),
        ("op", Slot::Op2, OPERATIONS),
        ("vec", Slot::Vec, VECTORS),
        ("type", Slot::Type, REDUCED),
    ])
    .operands(&[ADDRESS, src("b", Of(Slot::Type)).constants(Immediate::Number).vector()])
    .rules(&[OPERATION, VECTOR, Rule {
        text: "`.min` and `.max` of `.f16x2` and `.bf16x2` are in vectors",
        slot: Some(Slot::Vec),
        holds: |i| i[Slot::Op2] == Add || !matches!(i[Slot::Type], F16x2 | Bf16x2) || i.has(Slot::Vec),
    }])
    .since(SINCE)
    .order(Order::NameFirst(&[Red]))
    .examples(&[
        "multimem.red.relaxed.gpu.global.add.f32 [addr], val;", "multimem.red.xor.b64 [addr], val;",
        "multimem.red.release.sys.global.max.v4.bf16x2 [addr], {a, b, c, d};",
    ])
    .refused(&[("multimem.red.inc.u32 [addr], val;", "what wraps is for one device")])
    .errata(&[Erratum {
        manual: "has no `.acc::f32` here",
        margay: "takes it with every type, as the assembler does",
        ptxas: None,
        arises: None,
        concerns: |i| i[Slot::Sat] == AccF32,
    }]);
