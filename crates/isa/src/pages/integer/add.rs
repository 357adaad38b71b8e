//! `add`: sum of two integers, or of packed ones element by element.
use crate::pages::lowering::*;
use crate::pages::pairs::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.1", &["add"], &[
    line("add.type d, a, b"),
    line("add{.sat}.s32 d, a, b"),
    line("add.sat.sat_type d, a, b").since(PACKED_BYTES),
    line("add{.sat}.type8 d, a, b").since(PACKED_BYTES),
], Meaning::Stages(spec))
    .about("add two integers",
        "The sum, cut to the type's width. Packed types add element by element, without carry between elements. With \
         `.sat` the exact sum is clamped to the range of the type (of the element, for packed types).")
    .sets(&[
        ("type", Slot::Type, Set::Of(&[U16, U32, U64, S16, S32, S64, U16x2, S16x2])),
        ("sat_type", Slot::Type, Set::Of(&[U32, U16x2, S16x2])),
        ("type8", Slot::Type, Set::Of(&[U8x4, S8x4])),
    ])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .word_floors(&[(U16x2, Floor::new(8, 0, 90)), (S16x2, Floor::new(8, 0, 90))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("add.sat.s32 d, a, b", &[0x7fff_fff0, 0x20])])
    .examples(&["@p add.u32 x, y, z;", "add.sat.s32 c, c, 1;", "add.u16x2 u, v, w;", "add.sat.s8x4 u, v, w;"]);

/// Where bytes are computed packed, and sums of more types clamp. The manual names the family of sm_120; ptxas 13.5 has sm_107, too.
pub(super) const PACKED_BYTES: Floor = Floor::families(9, 2, &[107, 120]);

/// The sum of two unsigned numbers of so many bits, cut to them; none of other widths than 16, 32 and 64.
pub fn sum_of(bits: u32) -> Option<Inst> {
    let word = match bits {
        16 => "u16",
        32 => "u32",
        64 => "u64",
        _ => return None,
    };
    crate::select("add", &[word], &[crate::Shape::PLAIN; 3])?.ok()
}

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    pairs(ty, a, b, trace, |trace, k, a, b| saturated(trace, k, ty, "a + b", a + b, i.has(Slot::Sat)))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let ty = i.ty(Slot::Type);
    let d = match (ty.bits, i.has(Slot::Sat)) {
        (8 | 16, true) => packed(e, ty, (Packed::AddSatU, Packed::AddSatS), a, b),
        (8 | 16, false) => packed(e, ty, (Packed::Add, Packed::Add), a, b),
        (_, true) => clamped_sum(e, ty.signed(), a, b),
        (_, false) => e.add(a, b),
    };
    e.done(d)
}
