//! Laws that tie instructions to each other, on random forms and operands.

mod support;

use margay_isa::{Args, Bits, Inst, Semantics, Shape, Slot, Ty, Word, forms, pages_of, select};
use proptest::prelude::*;
use support::random;

fn compute(i: &Inst, sources: &[Bits]) -> Bits {
    let mut args: Args = [0; 8];
    args[..sources.len()].copy_from_slice(sources);
    let mut d = [0];
    assert!(i.compute(Semantics::Manual, &args, &mut d));
    d[0]
}

fn inst(text: &str, operands: usize) -> Inst {
    let mut words = text.split('.');
    let opcode = words.next().unwrap();
    select(opcode, &words.collect::<Vec<_>>(), &vec![Shape::default(); operands]).unwrap().unwrap()
}

fn of(text: &str, sources: &[Bits]) -> Bits {
    compute(&inst(text, sources.len() + 1), sources)
}

/// A random form that has a property.
fn draw(opcode: &'static str, random: &mut dyn FnMut() -> u64, wanted: impl Fn(&Inst) -> bool) -> Inst {
    loop {
        let form = forms::random_form(pages_of(opcode)[0], opcode, random);
        if wanted(&form) {
            return form;
        }
    }
}

/// Bits that favour the edges of bytes, half-words and words.
fn bits64() -> impl Strategy<Value = u64> {
    let byte = prop_oneof![Just(0u8), Just(1), Just(0x7f), Just(0x80), Just(0xff), any::<u8>()];
    prop_oneof![any::<u64>(), prop::array::uniform8(byte).prop_map(u64::from_le_bytes)]
}

const TYPES: [&str; 6] = ["u16", "u32", "u64", "s16", "s32", "s64"];

fn ty(word: &str) -> Ty {
    Word::parse(word).unwrap().ty().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn division_takes_apart_what_multiplication_puts_together(k in 0..6usize, a in bits64(), b in bits64()) {
        let (t, name) = (ty(TYPES[k]), TYPES[k]);
        let (a, b) = (Bits::from(a) & t.mask(), Bits::from(b) & t.mask());
        prop_assume!(b != 0);
        let (q, r) = (of(&format!("div.{name}"), &[a, b]), of(&format!("rem.{name}"), &[a, b]));
        prop_assert_eq!(of(&format!("mad.lo.{name}"), &[q, b, r]), a);
        prop_assert!(t.value(r).abs() < t.value(b).abs());
    }

    #[test]
    fn high_and_low_halves_are_the_wide_product(signed: bool, a: u32, b: u32, c: u64) {
        let s = if signed { "s32" } else { "u32" };
        let (a, b) = (Bits::from(a), Bits::from(b));
        let wide = of(&format!("mul.wide.{s}"), &[a, b]);
        let halves = of(&format!("mul.hi.{s}"), &[a, b]) << 32 | of(&format!("mul.lo.{s}"), &[a, b]);
        prop_assert_eq!(wide, halves);
        let sum = of("add.u64", &[wide, c.into()]);
        prop_assert_eq!(of(&format!("mad.wide.{s}"), &[a, b, c.into()]), sum);
    }

    #[test]
    fn min_and_max_share_out_their_sources(k in 0..6usize, a in bits64(), b in bits64()) {
        let (t, name) = (ty(TYPES[k]), TYPES[k]);
        let (a, b) = (Bits::from(a) & t.mask(), Bits::from(b) & t.mask());
        let (least, most) = (of(&format!("min.{name}"), &[a, b]), of(&format!("max.{name}"), &[a, b]));
        prop_assert!((least, most) == (a, b) || (least, most) == (b, a));
        let distance = of(&format!("sub.{name}"), &[most, least]);
        prop_assert_eq!(of(&format!("sad.{name}"), &[a, b, 0]), distance);
    }

    #[test]
    fn bits_are_counted_found_and_reversed_consistently(a in bits64(), wide: bool) {
        let (t, b, u) = if wide { (ty("b64"), "b64", "u64") } else { (ty("b32"), "b32", "u32") };
        let a = Bits::from(a) & t.mask();
        let inverse = !a & t.mask();
        let popc = format!("popc.{b}");
        prop_assert_eq!(of(&popc, &[a]) + of(&popc, &[inverse]), Bits::from(t.bits));
        let back = of(&format!("brev.{b}"), &[of(&format!("brev.{b}"), &[a])]);
        prop_assert_eq!(back, a);
        let zeros = of(&format!("clz.{b}"), &[a]);
        let found = of(&format!("bfind.{u}"), &[a]);
        let shift = of(&format!("bfind.shiftamt.{u}"), &[a]);
        if a == 0 {
            prop_assert_eq!((zeros, found, shift), (t.bits.into(), 0xffff_ffff, 0xffff_ffff));
        } else {
            prop_assert_eq!((found, shift), (Bits::from(t.bits - 1) - zeros, zeros));
        }
    }

    #[test]
    fn an_inserted_field_can_be_extracted(a in bits64(), b in bits64(), pos in 0..64u128, len in 0..65u128) {
        let len = len.min(64 - pos);
        let inserted = of("bfi.b64", &[a.into(), b.into(), pos, len]);
        let field = of("bfe.u64", &[inserted, pos, len]);
        prop_assert_eq!(field, of("bfe.u64", &[a.into(), 0, len]));
        let cleared = of("bfi.b64", &[of("bfe.u64", &[b.into(), pos, len]), inserted, pos, len]);
        prop_assert_eq!(cleared, Bits::from(b));
    }

    #[test]
    fn extension_and_masks_agree_with_field_extraction(a: u32, n in 0..32u128, pos in 0..32u128) {
        for (szext, bfe) in [("szext.wrap.s32", "bfe.s32"), ("szext.clamp.u32", "bfe.u32")] {
            prop_assert_eq!(of(szext, &[a.into(), n]), of(bfe, &[a.into(), 0, n]));
        }
        let mask = of("bmsk.clamp.b32", &[pos, n]);
        prop_assert_eq!(mask, of("bfi.b32", &[0xffff_ffff, 0, pos, n]));
    }

    #[test]
    fn the_nth_set_bit_has_n_minus_one_set_bits_below_it(mask: u32, n in 1..40u128) {
        let found = of("fns.b32", &[mask.into(), 0, n]);
        let all = of("popc.b32", &[mask.into()]);
        if n > all {
            prop_assert_eq!(found, 0xffff_ffff);
        } else {
            prop_assert_eq!(of("popc.b32", &[Bits::from(mask) & ((1 << found) - 1)]), n - 1);
            prop_assert_eq!(Bits::from(mask) >> found & 1, 1);
        }
    }

    #[test]
    fn a_mask_picks_elements_of_the_unmasked_result(seed: u64, a: u32, b: u32, c: u32) {
        let mut random = random(seed);
        let opcodes = ["vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2",
            "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4"];
        let opcode = opcodes[random() as usize % opcodes.len()];
        let form = draw(opcode, &mut random, |form| form[Slot::Op2] == Word::Absent);
        let sources = [a.into(), b.into(), c.into()];
        let mask = form[Slot::Mask].elements().unwrap();
        let whole = compute(&unmasked(&form), &sources);
        let picked = (0..32 / mask.bits()).fold(0, |d, lane| {
            let element = ((1 << mask.bits()) - 1) << (lane * mask.bits());
            d | element & if mask.selects(lane as usize) { whole } else { c.into() }
        });
        prop_assert_eq!(compute(&form, &sources), picked, "{:?}", form);
    }

    #[test]
    fn accumulation_adds_to_c_whatever_c_is(seed: u64, a: u32, b: u32, c: u32) {
        let mut random = random(seed);
        for opcode in ["vadd4", "vsub2", "vabsdiff4", "vset4", "vset2", "dp4a", "dp2a"] {
            let accumulates = |f: &Inst| opcode.starts_with("dp") || f[Slot::Op2] == Word::Add;
            let form = draw(opcode, &mut random, accumulates);
            let from_zero = compute(&form, &[a.into(), b.into(), 0]);
            let sum = of("add.u32", &[from_zero, c.into()]);
            prop_assert_eq!(compute(&form, &[a.into(), b.into(), c.into()]), sum, "{:?}", form);
        }
    }

    #[test]
    fn a_saturated_result_lies_in_range_and_equals_the_exact_one_where_that_fits(seed: u64, a: u32, b: u32) {
        let mut random = random(seed);
        let plain_sat = |f: &Inst| f.has(Slot::Sat) && !f.has(Slot::Op2) && !f.has(Slot::DSel);
        let form = draw("vadd", &mut random, plain_sat);
        let ta = part(a, form.ty(Slot::AType), form[Slot::ASel]);
        let tb = part(b, form.ty(Slot::BType), form[Slot::BSel]);
        let dtype = form.ty(Slot::DType);
        let d = compute(&form, &[a.into(), b.into(), 0]);
        prop_assert_eq!(dtype.value(d), (ta + tb).clamp(dtype.min(), dtype.max()), "{:?}", form);
    }

    #[test]
    fn comparisons_have_opposites(seed: u64, a: u32, b: u32) {
        let mut random = random(seed);
        let pick = |r: &mut dyn FnMut() -> u64| ["u32", "s32"][r() as usize % 2];
        let (at, bt) = (pick(&mut random), pick(&mut random));
        for (one, other) in [("eq", "ne"), ("lt", "ge"), ("gt", "le")] {
            let sum = of(&format!("vset.{at}.{bt}.{one}"), &[a.into(), b.into()])
                + of(&format!("vset.{at}.{bt}.{other}"), &[a.into(), b.into()]);
            prop_assert_eq!(sum, 1);
        }
        let flipped = of(&format!("vset.{bt}.{at}.gt"), &[b.into(), a.into()]);
        prop_assert_eq!(of(&format!("vset.{at}.{bt}.lt"), &[a.into(), b.into()]), flipped);
    }

    #[test]
    fn a_video_multiply_add_without_extras_is_the_plain_one(a: u32, b: u32, c: u32, k in 0..8usize) {
        let t = |bit: usize| if k >> bit & 1 == 1 { "s32" } else { "u32" };
        let video = of(&format!("vmad.{}.{}.{}", t(0), t(1), t(2)), &[a.into(), b.into(), c.into()]);
        prop_assert_eq!(video, of("mad.lo.u32", &[a.into(), b.into(), c.into()]));
        let plus_one = of(&format!("vmad.{}.{}.{}.po", t(0), t(1), t(2)), &[a.into(), b.into(), c.into()]);
        prop_assert_eq!(plus_one, of("add.u32", &[video, 1]));
    }
}

/// The same form with every element written.
fn unmasked(form: &Inst) -> Inst {
    let text = form.to_string();
    let mut words = text.split('.');
    let opcode = words.next().unwrap();
    let (asel, bsel) = (form[Slot::ASel].to_string(), form[Slot::BSel].to_string());
    let (asel, bsel) = ([asel.as_str()], [bsel.as_str()]);
    let with = |selectors| Shape { selectors, ..Shape::default() };
    let shapes = [Shape::default(), with(&asel), with(&bsel), Shape::default()];
    select(opcode, &words.collect::<Vec<_>>(), &shapes).unwrap().unwrap()
}

/// The part of a register that a scalar selector names, without the library's own selection.
fn part(bits: u32, t: Ty, selector: Word) -> i128 {
    let [b0, b1, b2, b3] = bits.to_le_bytes();
    let byte = |b: u8| if t.signed() { i128::from(b as i8) } else { b.into() };
    let half = |h: u16| if t.signed() { i128::from(h as i16) } else { h.into() };
    match selector.to_string().as_str() {
        "b0" => byte(b0),
        "b1" => byte(b1),
        "b2" => byte(b2),
        "b3" => byte(b3),
        "h0" => half(bits as u16),
        "h1" => half((bits >> 16) as u16),
        _ if t.signed() => (bits as i32).into(),
        _ => bits.into(),
    }
}
