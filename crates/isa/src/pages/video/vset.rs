//! `vset`: scalar video comparison.
use crate::pages::stages::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.1.4", &["vset"], &[
    line("vset.atype.btype.cmp d, a{.asel}, b{.bsel}"),
    line("vset.atype.btype.cmp.op2 d, a{.asel}, b{.bsel}, c"),
    line("vset.atype.btype.cmp d.dsel, a{.asel}, b{.bsel}, c"),
    line("vset.atype.btype.cmp d, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("compare bytes, half-words or words",
        "Compares a byte, half-word or word of `a` with one of `b`, each extended by its type: 1 if the comparison holds, \
         else 0. Then `.op2` combines that with `c`, or a selector on `d` puts it into a part of `c`, both read as \
         unsigned.")
    .sets(&[
        ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32), ("cmp", Slot::Cmp, COMPARISONS),
        ("dsel", Slot::DSel, Set::Parts), ("asel", Slot::ASel, Set::Parts), ("bsel", Slot::BSel, Set::Parts),
        ("op2", Slot::Op2, OP2),
    ])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::AType)), src("b", Of(Slot::BType)), src("c", Is(U32))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(|i, e| lower(i, e, Ty::of(U32)?))
    .ptxas_lower(|i, e| lower(i, e, i.ty(Slot::AType)))
    .shown(&[("vset.s32.u32.lt.add d, a.b3, b.h1, c", &[0x80ff_7f01, 0x0102_0304, 41])])
    .examples(&["vset.s32.u32.lt r1, r2, r3;", "vset.u32.u32.ne r1, r2, r3.h1;"])
    .errata(&[
        ONE_OF_TWO,
        IGNORED_C,
        erratum("reads c as unsigned", "does so")
            .ptxas("`.min` and `.max` read c, and compare, by the sign of the first type")
            .concerns(|i| matches!(i[Slot::Op2], Min | Max) && i.ty(Slot::AType).signed()),
    ]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let c = args[2] as i128;
    combine(i, args, c, trace)
}

fn spec_ptxas(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let c = i.ty(Slot::AType).value(args[2]);
    combine(i, args, c, trace)
}

fn combine(i: &Inst, &[a, b, c, ..]: &Args, c_value: i128, trace: &mut Trace) -> Bits {
    let ta = source("ta", a, i.ty(Slot::AType), i[Slot::ASel], trace);
    let tb = source("tb", b, i.ty(Slot::BType), i[Slot::BSel], trace);
    let tmp = trace.step("tmp", compare(i[Slot::Cmp], ta, tb).into());
    finish(i, tmp, c, c_value, trace)
}

/// Where `c` has this type.
fn lower(i: &Inst, e: &mut Emit, ctype: Ty) -> Option<()> {
    let [ta, tb] = lower_sources(i, e);
    let tmp = Ranged::holds(e, i[Slot::Cmp], ta, tb);
    lower_finish(i, e, tmp, ctype)
}
