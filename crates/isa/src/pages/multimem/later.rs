//! `multimem.st.async` and `multimem.red.async`: store or change a value on several devices at some later time.
use crate::pages::several::ADDRESS;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.14", &["multimem"], &[
    line("multimem.st.async.release.scope{.global}.type [a], b"),
    line("multimem.red.async.release.scope{.global}.add.sum [a], b"),
], Meaning::NotYet)
    .about("store to several devices asynchronously",
        "As `multimem.st` and `multimem.red.add`, at some later time, after all that the thread wrote before.")
    .sets(&[
        ("scope", Slot::Scope, Set::Of(&[Gpu, Sys])),
        ("type", Slot::Type, Set::Of(&[B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64])),
        ("sum", Slot::Type, Set::Of(&[U32, S32, U64])),
    ])
    .operands(&[Operand { long: false, ..ADDRESS }, src("b", AtLeast(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(9, 3, 100))
    .order(Order::NameFirst(&[St, Red, Async]))
    .examples(&["multimem.st.async.release.sys.global.b64 [addr], val;", "multimem.red.async.release.gpu.add.u32 [addr], val;"])
    .refused(&[("multimem.st.async.global.b32 [addr], val;", "the order is missing")]);
