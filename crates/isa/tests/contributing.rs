//! The steps of CONTRIBUTING.md for a new instruction, on a toy page: everything else follows from the page.

use margay_isa::{
    Args, Bits, Fault, Floor, Inst, Meaning, Operand, Order, Page, Rule, Semantics, Set, Shape, Slot,
    TypeRule, Word, forms, line, select_among,
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

/// Loads one, two or four registers: the number of the vector's elements follows from the word, and from when on it exists.
static VECTORS: Page = Page::new("0.0.1", &["many"], &[line("many.number.type d, a")], Meaning::NotYet)
    .about("a vector", "As many elements as the word says.")
    .sets(&[
        ("number", Slot::Vec, Set::Of(&[Word::V2, Word::V4, Word::V8])),
        ("type", Slot::Type, Set::Of(&[Word::U16, Word::S32])),
    ])
    .operands(&[
        Operand::dst("d", TypeRule::Of(Slot::Type)).elements(registers),
        Operand::src("a", TypeRule::Of(Slot::Type)),
    ])
    .rules(&[Rule { text: "`.v8` is too long", slot: Some(Slot::Vec), holds: |i| registers(i) > 0 }])
    .floor_of(|i| (i[Slot::Vec] == Word::V4).then_some(Floor::new(9, 1, 100)));

fn registers(inst: &Inst) -> usize {
    let elements = [(Word::V2, 2), (Word::V4, 4)].iter().find(|(word, _)| *word == inst[Slot::Vec]);
    elements.map_or(0, |(_, n)| n * inst.ty(Slot::Type).width() as usize / 32)
}

#[test]
fn the_length_of_a_vector_and_the_floor_may_follow_from_the_form() {
    let select = |words: &[&str], elements| {
        let shapes = [Shape { elements, ..Shape::PLAIN }, Shape::PLAIN];
        select_among(&[&VECTORS], "many", words, &shapes).expect("a page").map_err(|found| found.fault)
    };
    for (number, ty, elements) in [("v2", "u16", 1), ("v2", "s32", 2), ("v4", "u16", 2), ("v4", "s32", 4)] {
        let inst = select(&[number, ty], elements).expect("a vector of this length");
        assert_eq!(inst.elements(&inst.line().operands[0]), elements);
        let floors: Vec<Floor> = inst.floors().into_iter().map(|(_, floor)| floor).collect();
        let own = (number == "v4").then_some(Floor::new(9, 1, 100));
        assert_eq!(floors[1..], own.into_iter().collect::<Vec<_>>());
        for wrong in [0, elements - 1, elements + 1] {
            let fault = select(&[number, ty], wrong).expect_err("a vector of another length");
            assert_eq!(fault, Fault::Elements { operand: 0, wanted: elements });
        }
    }
    assert!(matches!(select(&["v8", "s32"], 8), Err(Fault::Rule { .. })));
}
