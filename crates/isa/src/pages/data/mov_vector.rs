//! `mov.v2` and `mov.v4`: copy vectors of registers, element by element.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.9.3", &["mov"], &[line("mov.vec.type d, a")], Meaning::Many(spec))
    .about("copy a vector",
        "Copies each element of a vector. The source may be a vector of registers, registers and constants in braces, or a \
         special register of four elements as a whole, such as `%tid`, whose fourth element is 0.")
    .sets(&[
        ("vec", Slot::Vec, Set::Of(&[V2, V4])),
        ("type", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64])),
    ])
    .operands(&[
        dst("d", Of(Slot::Type)).vector(),
        src("a", Of(Slot::Type)).constants(Immediate::Number).special().symbol().vector(),
    ])
    .rules(&[Rule {
        text: "a vector has 128 bits at most",
        slot: Some(Slot::Vec),
        holds: |i| elements(i) as u32 * i.ty(Slot::Type).bits <= 128,
    }])
    .lower(lower)
    .examples(&[
        "mov.v4.u32 {r, g, b, a}, %tid;", "mov.v2.f32 {x, y}, {f, 1.0};", "mov.v2.u32 {r, _}, {a, b};",
        "mov.v2.b64 {x, y}, {y, x};",
    ])
    .refused(&[
        ("mov.v4.b64 {r, g, b, a}, {a, b, g, r};", "256 bits are too many"),
        ("mov.v2.u32 d, {a, b};", "both sides are vectors"),
    ])
    .errata(&[erratum(
        "declares vectors of registers, and copies special registers of four elements whole in examples, but prints no \
                 syntax for `.v2` and `.v4`",
        "copies element by element",
    )]);

fn elements(i: &Inst) -> usize {
    if i[Slot::Vec] == V4 { 4 } else { 2 }
}

fn spec(i: &Inst, args: &Args, results: &mut [Bits]) {
    results.iter_mut().zip(args).take(elements(i)).for_each(|(to, from)| *to = *from);
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    for k in 0..elements(i) {
        let element = e.source(k);
        e.result(element);
    }
    Some(())
}
