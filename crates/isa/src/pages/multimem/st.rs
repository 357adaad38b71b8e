//! `multimem.st`: store a value for several devices.
use crate::pages::several::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.14", &["multimem"], &[
    line("multimem.st{.weak}{.global}{.vec}.type [a], b"),
    line("multimem.st.sem.scope{.global}{.vec}.type [a], b"),
], Meaning::NotYet)
    .about("store to several devices", "Stores `b` in the memory of every device that shares the address.")
    .sets(&[
        ("sem", Slot::Sem, Set::Of(&[Relaxed, Release])),
        ("scope", Slot::Scope, SCOPES),
        ("vec", Slot::Vec, VECTORS),
        ("type", Slot::Type, TYPES),
    ])
    .operands(&[ADDRESS, src("b", Of(Slot::Type)).constants(Immediate::Number).vector()])
    .rules(&[VECTOR])
    .since(SINCE)
    .form_floors(&[NARROW])
    .order(Order::NameFirst(&[St]))
    .examples(&[
        "multimem.st.relaxed.gpu.global.s32 [addr], val;", "multimem.st.v4.f32 [addr], {a, b, c, d};",
        "multimem.st.weak.global.v8.bf16 [addr], {a, b, c, d, e, f, g, h};",
    ])
    .refused(&[("multimem.st.v2.b32 [addr], {a, b};", "integers are stored one by one")]);
