//! `fns`: position of the n-th set bit.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.17", &["fns"], &[line("fns.type d, mask, base, offset")], Meaning::Stages(spec))
    .about("find the n-th set bit",
        "Walks from bit `base` of `mask` (that bit included) upwards for a positive `offset`, downwards for \
         a negative one, and gives the position of the set bit numbered |offset|. Offset 0 asks whether bit \
         `base` itself is set. If there is none, 0xffffffff.")
    .sets(&[("type", Slot::Type, Set::Of(&[B32]))])
    .operands(&[dst("d", Of(Slot::Type)), src("mask base offset", Of(Slot::Type))])
    .since(Floor::new(6, 0, 30))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("fns.b32 d, mask, base, offset", &[0xaaaa_aaaa, 3, 2])])
    .examples(&[
        "fns.b32 d, 0xaaaaaaaa, 3, 1;",
        "fns.b32 d, 0xaaaaaaaa, 3, -1;",
        "fns.b32 d, 0xaaaaaaaa, 2, 1;",
        "fns.b32 d, 0xaaaaaaaa, 2, -1;",
    ])
    .errata(&[
        erratum("leaves a base above 31 undefined", "finds nothing: 0xffffffff, as in ptxas 13.5")
            .arises(|_, &[_, base, ..]| base > 31),
        erratum("takes the absolute value of an offset of -2^31", "takes it exactly, and finds nothing")
            .ptxas("the absolute value overflows; the result is not predictable")
            .arises(|_, &[_, _, offset, ..]| offset == 0x8000_0000),
    ]);

fn spec(_: &Inst, &[mask, base, offset, ..]: &Args, trace: &mut Trace) -> Bits {
    const NOT_FOUND: Bits = 0xffff_ffff;
    let offset = offset as u32 as i32;
    if base > 31 {
        return NOT_FOUND;
    }
    if offset == 0 {
        let set = trace.step("mask[base]", bit(mask, base) as i128) == 1;
        return if set { base } else { NOT_FOUND };
    }
    let mut count = trace.step("count", i128::from(offset.unsigned_abs()) - 1);
    let inc = trace.step("inc", if offset > 0 { 1 } else { -1 });
    let mut pos = base as i128;
    while (0..32).contains(&pos) {
        if bit(mask, pos as u128) == 1 {
            trace.noted("pos", None, pos, || format!("set, count is {count}"));
            if count == 0 {
                return pos as Bits;
            }
            count -= 1;
        }
        pos += inc;
    }
    NOT_FOUND
}

/// The walk goes upwards; one downwards is an upward one over the mirrored mask. The bits walked over are counted in
/// halves, quarters and so on, to see in which of them the wanted one lies.
fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [mask, base, offset] = e.sources();
    let [zero, one, top, all] = [0, 1, 31, u32::MAX].map(|bits| e.u32(bits));
    let down = e.lt(true, offset, zero);
    let mirrored = e.brev(mask);
    let mask = e.select(down, mirrored, mask);
    let mirrored = e.sub(top, base);
    let base = e.select(down, mirrored, base);

    let some = e.nonzero(offset);
    let reach = e.select(some, all, one);
    let walked = e.shl(reach, base);
    let bits = e.and(mask, walked);
    let distance = e.abs_diff(true, offset, zero);
    let distance = e.max(false, distance, one);
    let before = e.sub(distance, one);

    let mut pos = zero;
    for half in [16, 8, 4, 2, 1] {
        let half = e.u32(half);
        let middle = e.add(pos, half);
        let below = low_bits(e, bits, middle);
        let count = e.popc(below);
        let beyond = e.le(false, count, before);
        pos = e.select(beyond, middle, pos);
    }
    let mirrored = e.sub(top, pos);
    let pos = e.select(down, mirrored, pos);
    let count = e.popc(bits);
    let missing = e.le(false, count, before);
    let d = e.select(missing, all, pos);
    e.done(d)
}
