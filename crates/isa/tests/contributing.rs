//! The steps of CONTRIBUTING.md for a new instruction, on a toy page: everything else follows from the page.

use margay_isa::{
    Args, Bits, Fault, Floor, Inst, Meaning, Operand, Order, Page, Semantics, Set, Shape, Slot, TypeRule,
    Word, forms, line, select_among,
};

static PAGE: Page = Page::new(
    "0.0.0",
    &["twice"],
    &[line("twice.type d, a"), line("twice{.sat}.s32 d, a")],
    Meaning::Spec(|i: &Inst, &[a, ..]: &Args| -> Bits {
        let ty = i.ty(Slot::Type);
        let sum = ty.value(a) * 2;
        ty.wrap(if i.has(Slot::Sat) { ty.clamp(sum) } else { sum })
    }),
)
.about("double a number", "`a + a`, clamped with `.sat`.")
.sets(&[("type", Slot::Type, Set::Of(&[Word::U16, Word::S32]))])
.operands(&[Operand::dst("d", TypeRule::Of(Slot::Type)), Operand::src("a", TypeRule::Of(Slot::Type))])
.since(Floor::new(9, 0, 90))
.order(Order::Free);

#[test]
fn a_page_alone_makes_an_instruction() {
    let page: &'static Page = &PAGE;
    let select =
        |words: &[&str]| select_among(&[page], "twice", words, &[Shape::default(); 2]).expect("a page");
    let inst = select(&["s32", "sat"]).expect("words in any order");
    assert_eq!(inst.statement(&["d", "a"]), "twice.sat.s32 d, a");
    let mut d = [0];
    assert!(inst.compute(Semantics::Manual, &[0x7000_0000, 0, 0, 0, 0, 0, 0, 0], &mut d));
    assert_eq!(d[0], 0x7fff_ffff);
    assert_eq!(inst.floors()[0].1, Floor::new(9, 0, 90));
    assert!(matches!(select(&["u16", "sat"]).unwrap_err().fault, Fault::MisplacedWord { .. }));
    assert_eq!(forms::count(page, "twice"), 4);
}
