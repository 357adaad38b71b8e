//! `multimem.ld_reduce`: load what several devices have, reduced to one value.
use crate::pages::several::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.14", &["multimem"], &[
    line("multimem.ld_reduce{.weak}{.global}.op{.acc}{.vec}.type d, [a]"),
    line("multimem.ld_reduce.sem.scope{.global}.op{.acc}{.vec}.type d, [a]"),
], Meaning::NotYet)
    .about("load reduced over several devices", "Every device's value at the address of several is combined with the others' by `.op`.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Acquire])),
        ("scope", Slot::Scope, SCOPES),
        ("op", Slot::Op2, OPERATIONS),
        ("acc", Slot::Sat, Set::Of(&[AccF32, AccF16])),
        ("vec", Slot::Vec, VECTORS),
        ("type", Slot::Type, TYPES),
    ])
    .operands(&[dst("d", Of(Slot::Type)).vector(), ADDRESS])
    .rules(&[OPERATION, VECTOR, Rule {
        text: "`.acc::f32` is for `.add` of `.f16 .bf16` and their pairs, `.acc::f16` for `.add` of elements of 8 bits",
        slot: Some(Slot::Sat),
        holds: |i| match i[Slot::Sat] {
            AccF32 => i[Slot::Op2] == Add && matches!(i[Slot::Type], F16 | F16x2 | Bf16 | Bf16x2),
            AccF16 => i[Slot::Op2] == Add && is_narrow(i),
            _ => true,
        },
    }])
    .since(SINCE)
    .word_floors(&[(AccF32, Floor::new(8, 2, 90))])
    .form_floors(&[NARROW])
    .order(Order::NameFirst(&[LdReduce]))
    .examples(&[
        "multimem.ld_reduce.global.and.b32 val1, [addr];", "multimem.ld_reduce.acquire.gpu.global.add.u32 val2, [addr];",
        "multimem.ld_reduce.weak.add.acc::f32.v4.f16x2 {a, b, c, d}, [addr];", "multimem.ld_reduce.min.v8.e5m2x2 {a, b, c, d, e, f, g, h}, [addr];",
    ])
    .refused(&[("multimem.ld_reduce.relaxed.global.add.u32 d, [addr];", "an order needs a scope")]);
