//! Results worked out by hand, for pages and forms that have no recorded vectors.

use margay_isa::{Args, AtomicSpace, Bits, Inst, Lanes, Meaning, Semantics, Shape, WARP, select};

/// The instruction spelt by the head, with as many operands as its lines take; `shape` changes their shapes.
fn instruction(head: &str, shapes: &[Shape]) -> Inst {
    let mut words = head.split('.');
    let opcode = words.next().expect("an opcode");
    let words: Vec<&str> = words.collect();
    match select(opcode, &words, shapes) {
        Some(Ok(inst)) => inst,
        other => panic!("{head}: {other:?}"),
    }
}

fn results(inst: &Inst, sources: &[Bits], count: usize) -> Vec<Bits> {
    let mut args: Args = [0; 8];
    args[..sources.len()].copy_from_slice(sources);
    let mut results = vec![0; count];
    assert!(inst.compute(Semantics::Manual, &args, &mut results));
    results
}

/// One result from sources, all operands plain.
fn one(head: &str, sources: &[Bits]) -> Bits {
    let inst = instruction(head, &vec![Shape::default(); sources.len() + 1]);
    results(&inst, sources, 1)[0]
}

const PLAIN: Shape = Shape::PLAIN;

#[test]
fn bytes_are_chosen_by_digits_or_patterns() {
    let (a, b) = (0x3322_1100, 0x7766_5584);
    assert_eq!(one("prmt.b32", &[a, b, 0x5410]), 0x5584_1100);
    assert_eq!(one("prmt.b32", &[a, b, 0xc4f0]), 0xff84_0000);
    let patterns = [
        ("f4e", [0x3322_1100, 0x8433_2211, 0x5584_3322, 0x6655_8433]),
        ("b4e", [0x5566_7700, 0x6677_0011, 0x7700_1122, 0x0011_2233]),
        ("rc8", [0x0000_0000, 0x1111_1111, 0x2222_2222, 0x3333_3333]),
        ("ecl", [0x3322_1100, 0x3322_1111, 0x3322_2222, 0x3333_3333]),
        ("ecr", [0x0000_0000, 0x1111_1100, 0x2222_1100, 0x3322_1100]),
        ("rc16", [0x1100_1100, 0x3322_3322, 0x1100_1100, 0x3322_3322]),
    ];
    for (mode, values) in patterns {
        for (n, value) in values.into_iter().enumerate() {
            assert_eq!(one(&format!("prmt.b32.{mode}"), &[a, b, n as Bits | 0xfc]), value, "{mode} {n}");
        }
    }
    assert_eq!(one("prmt.b32.b4e", &[a, 0x7766_5544, 0]), 0x5566_7700);
}

#[test]
fn shift_amounts_are_limited_to_the_width() {
    assert_eq!(one("shl.b32", &[1, 31]), 0x8000_0000);
    assert_eq!(one("shl.b32", &[1, 32]), 0);
    assert_eq!(one("shl.b16", &[0xffff, 0xffff_ffff]), 0);
    assert_eq!(one("shr.s32", &[0x8000_0000, 40]), 0xffff_ffff);
    assert_eq!(one("shr.u32", &[0x8000_0000, 31]), 1);
    assert_eq!(one("shr.b64", &[Bits::from(u64::MAX), 64]), 0);
    assert_eq!(one("shr.s16", &[0x8000, 15]), 0xffff);
}

#[test]
fn a_pair_of_registers_shifts_as_one() {
    let (low, high) = (0x89ab_cdef, 0x0123_4567);
    assert_eq!(one("shf.l.wrap.b32", &[low, high, 8]), 0x2345_6789);
    assert_eq!(one("shf.r.wrap.b32", &[low, high, 8]), 0x6789_abcd);
    assert_eq!(one("shf.l.clamp.b32", &[low, high, 99]), low);
    assert_eq!(one("shf.r.clamp.b32", &[low, high, 32]), high);
    assert_eq!(one("shf.l.wrap.b32", &[low, high, 32]), high);
}

#[test]
fn a_table_gives_any_function_of_three_bits() {
    let (a, b, c) = (0xf0f0_f0f0, 0xcccc_cccc, 0xaaaa_aaaa);
    for (table, value) in [(0x80, a & b & c), (0xfe, a | b | c), (0x96, a ^ b ^ c), (0x1a, (a & b | c) ^ a)] {
        assert_eq!(one("lop3.b32", &[a, b, c, table]), value, "{table:#x}");
    }
    let pair = Shape { pair: true, ..PLAIN };
    let shapes = [pair, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN];
    let or = instruction("lop3.or.b32", &shapes);
    assert_eq!(results(&or, &[1, 2, 4, 0x80, 1], 2), [0, 1]);
    let and = instruction("lop3.and.b32", &shapes);
    assert_eq!(results(&and, &[1, 3, 5, 0x80, 0], 2), [1, 0]);
    assert_eq!(results(&and, &[1, 3, 5, 0x80, 1], 2), [1, 1]);
}

#[test]
fn values_are_packed_and_unpacked_low_part_first() {
    let of = |elements| Shape { elements, ..PLAIN };
    let pack = instruction("mov.b32", &[PLAIN, of(4)]);
    assert_eq!(results(&pack, &[1, 2, 3, 4], 1), [0x0403_0201]);
    let unpack = instruction("mov.b64", &[of(2), PLAIN]);
    assert_eq!(results(&unpack, &[0x1111_2222_3333_4444], 2), [0x3333_4444, 0x1111_2222]);
    let wide = instruction("mov.b128", &[PLAIN, of(2)]);
    assert_eq!(results(&wide, &[1, 2], 1), [(2 << 64) | 1]);
    assert_eq!(one("mov.u64", &[7]), 7);
}

#[test]
fn numbers_keep_their_value_or_are_cut_or_clamped() {
    assert_eq!(one("cvt.s64.s32", &[0xffff_fffe]), 0xffff_ffff_ffff_fffe);
    assert_eq!(one("cvt.u64.u32", &[0xffff_fffe]), 0xffff_fffe);
    assert_eq!(one("cvt.u8.s32", &[0x1234]), 0x34);
    assert_eq!(one("cvt.sat.u8.s32", &[0x1234]), 0xff);
    assert_eq!(one("cvt.sat.u8.s32", &[0xffff_ffff]), 0);
    assert_eq!(one("cvt.sat.s8.s32", &[0x8000_0000]), 0x80);
    assert_eq!(one("cvt.u16.s8", &[0x80]), 0xff80);
}

#[test]
fn comparisons_follow_the_types_sign_and_combine() {
    let plain = [PLAIN; 3];
    assert_eq!(results(&instruction("setp.lt.s32", &plain), &[0xffff_ffff, 0], 1), [1]);
    assert_eq!(results(&instruction("setp.lt.u32", &plain), &[0xffff_ffff, 0], 1), [0]);
    assert_eq!(results(&instruction("setp.hi.u64", &plain), &[2, 1], 1), [1]);
    let pair = Shape { pair: true, ..PLAIN };
    let not = Shape { not: true, ..PLAIN };
    let both = instruction("setp.eq.and.u32", &[pair, PLAIN, PLAIN, not]);
    assert_eq!(results(&both, &[5, 5, 0], 2), [1, 0]);
    assert_eq!(results(&both, &[5, 6, 0], 2), [0, 1]);
    assert_eq!(results(&both, &[5, 5, 1], 2), [0, 0]);
    assert_eq!(one("set.ge.u32.s16", &[0xffff, 0xfffe]), 0xffff_ffff);
    assert_eq!(one("set.ge.f32.s16", &[0, 0]), 0x3f80_0000);
    assert_eq!(one("selp.b32", &[1, 2, 1]), 1);
    assert_eq!(one("selp.b32", &[1, 2, 0]), 2);
    assert_eq!(one("slct.u32.s32", &[1, 2, 0x8000_0000]), 2);
    assert_eq!(one("slct.u32.s32", &[1, 2, 0]), 1);
}

#[test]
fn logic_is_bit_by_bit_and_predicates_have_one() {
    assert_eq!(one("not.b16", &[0xff00]), 0x00ff);
    assert_eq!(one("not.pred", &[1]), 0);
    assert_eq!(one("xor.pred", &[1, 1]), 0);
    assert_eq!(one("cnot.b64", &[0]), 1);
    assert_eq!(one("cnot.b64", &[9]), 0);
}

#[test]
fn products_without_carries_are_those_of_polynomials() {
    // (x + 1) * (x + 1) = x^2 + 1 over the field of two elements.
    assert_eq!(one("clmad.lo.u64", &[3, 3, 0]), 5);
    assert_eq!(one("clmad.lo.u64", &[3, 3, 1]), 4);
    assert_eq!(one("clmad.hi.u64", &[1 << 63, 6, 1]), 2);
    assert_eq!(one("neg.s8x4", &[0x8001_ff00]), 0x80ff_0100);
}

#[test]
fn carries_go_out_behind_the_result_and_come_in_behind_the_sources() {
    let both = |head: &str, sources: &[Bits]| {
        let operands = if head.starts_with("mad") { 4 } else { 3 };
        results(&instruction(head, &vec![PLAIN; operands]), sources, 2)
    };
    let top = u128::from(u64::MAX);
    assert_eq!(both("add.cc.u32", &[0xffff_ffff, 1]), [0, 1]);
    assert_eq!(both("add.cc.s32", &[0x7fff_ffff, 1]), [0x8000_0000, 0]);
    assert_eq!(both("addc.cc.u32", &[0xffff_ffff, 0, 1]), [0, 1]);
    assert_eq!(both("addc.cc.u64", &[top, top, 1]), [top, 1]);
    assert_eq!(both("addc.u32", &[7, 8, 1]), [16, 0]);
    assert_eq!(both("sub.cc.u32", &[0, 1]), [0xffff_ffff, 1]);
    assert_eq!(both("sub.cc.u64", &[5, 5]), [0, 0]);
    assert_eq!(both("subc.cc.u64", &[5, 5, 1]), [top, 1]);
    assert_eq!(both("subc.cc.s32", &[0, 0xffff_ffff, 1]), [0, 1]);
    assert_eq!(both("mad.lo.cc.u32", &[0xffff_ffff, 0xffff_ffff, 0xffff_ffff]), [0, 1]);
    assert_eq!(both("mad.hi.cc.u32", &[0xffff_ffff, 0xffff_ffff, 2]), [0, 1]);
    assert_eq!(both("madc.hi.cc.s32", &[0xffff_ffff, 1, 0, 1]), [0, 1]);
    assert_eq!(both("madc.hi.cc.u64", &[top, top, 0, 1]), [top, 0]);
}

#[test]
fn a_video_source_that_has_no_use_is_ignored_and_signs_that_cancel_are_none() {
    for c in [0, 0xffff_ffff] {
        assert_eq!(one("vadd.s32.s32.s32", &[7, 0xffff_fffe, c]), 5);
        assert_eq!(one("vset.u32.s32.gt", &[0, 0xffff_ffff, c]), 1);
        assert_eq!(one("vshr.s32.s32.u32.sat.clamp", &[0x8000_0000, 40, c]), 0xffff_ffff);
    }
    let minus = Shape { minus: true, ..PLAIN };
    let all = instruction("vmad.s32.s32.s32", &[PLAIN, minus, minus, minus]);
    assert_eq!(results(&all, &[6, 7, 2], 1), [40]);
    let clamped = instruction("vmad.u32.u32.u32.sat", &[PLAIN, minus, minus, minus]);
    assert_eq!(results(&clamped, &[0xffff_ffff, 2, 0], 1), [0x7fff_ffff]);
    let plus_one = instruction("vmad.u32.u32.u32.po", &[PLAIN, minus, minus, PLAIN]);
    assert_eq!(results(&plus_one, &[6, 7, 2], 1), [45]);
}

#[test]
fn a_base_beyond_the_mask_and_the_least_offset_find_nothing() {
    for base in [32, 33, 0x8000_0000, 0xffff_ffff] {
        for offset in [0, 1, 0xffff_ffff] {
            assert_eq!(one("fns.b32", &[0xffff_ffff, base, offset]), 0xffff_ffff);
        }
    }
    assert_eq!(one("fns.b32", &[0xffff_ffff, 31, 0x8000_0000]), 0xffff_ffff);
    assert_eq!(one("fns.b32", &[0xffff_ffff, 31, 0xffff_ffe0]), 0);
    assert_eq!(one("fns.b32", &[0xffff_ffff, 0, 32]), 31);
}

#[test]
fn two_numbers_are_clamped_and_packed_above_what_was_there() {
    let minus = |n: i32| Bits::from(n as u32);
    assert_eq!(one("cvt.pack.sat.u16.s32", &[70_000, minus(-1)]), 0xffff_0000);
    assert_eq!(one("cvt.pack.sat.s16.s32", &[minus(-2), minus(-70_000)]), 0xfffe_8000);
    assert_eq!(one("cvt.pack.sat.u8.s32.b32", &[1, 300, 0xabcd_1234]), 0x1234_01ff);
    assert_eq!(one("cvt.pack.sat.s4.s32.b32", &[minus(-100), 3, 0x1234_5678]), 0x3456_7883);
    assert_eq!(one("cvt.pack.sat.u2.s32.b32", &[2, 9, 0xffff_fff0]), 0xffff_ff0b);
}

/// What global memory holds after an atomic operation, from what it held and the sources.
fn changed(head: &str, operands: usize, args: &[Bits]) -> Bits {
    changed_in(AtomicSpace::Global, head, operands, args)
}

fn changed_in(space: AtomicSpace, head: &str, operands: usize, args: &[Bits]) -> Bits {
    let mut shapes = vec![PLAIN; operands];
    shapes[operands.min(2) - 1].address = true;
    let inst = instruction(head, &shapes);
    let mut all: Args = [0; 8];
    all[..args.len()].copy_from_slice(args);
    match inst.meaning(Semantics::Manual) {
        Meaning::Atomic(f) => f(&inst, space, &all),
        _ => panic!("{head} changes no memory"),
    }
}

#[test]
fn memory_changes_as_the_operation_says() {
    assert_eq!(changed("atom.add.u32", 3, &[0xffff_ffff, 2]), 1);
    assert_eq!(changed("atom.global.inc.u32", 3, &[4, 5]), 5);
    assert_eq!(changed("atom.global.inc.u32", 3, &[5, 5]), 0);
    assert_eq!(changed("atom.global.dec.u32", 3, &[0, 5]), 5);
    assert_eq!(changed("atom.global.dec.u32", 3, &[6, 5]), 5);
    assert_eq!(changed("atom.global.dec.u32", 3, &[5, 5]), 4);
    assert_eq!(changed("atom.min.s64", 3, &[3, u64::MAX.into()]), u64::MAX.into());
    assert_eq!(changed("atom.max.u64", 3, &[3, u64::MAX.into()]), u64::MAX.into());
    assert_eq!(changed("atom.cas.b128", 4, &[Bits::MAX, Bits::MAX, 7]), 7);
    assert_eq!(changed("atom.cas.b16", 4, &[1, 2, 7]), 1);
    assert_eq!(changed("atom.exch.b128", 3, &[1, Bits::MAX]), Bits::MAX);
}

/// The results of a lane, where lane n brings what `sources` gives for n.
fn lane(head: &str, pair: bool, at: usize, members: u32, sources: impl Fn(Bits) -> Vec<Bits>) -> Vec<Bits> {
    let count = sources(0).len() + 1;
    let mut shapes = vec![PLAIN; count];
    shapes[0].pair = pair;
    let inst = instruction(head, &shapes);
    let all: [Args; WARP] = std::array::from_fn(|n| {
        let mut args: Args = [0; 8];
        args[..count - 1].copy_from_slice(&sources(n as Bits));
        args
    });
    let mut results = vec![0; 1 + usize::from(pair)];
    match inst.meaning(Semantics::Manual) {
        Meaning::Together(f) => f(&inst, &Lanes { sources: &all, members }, at, &mut results),
        _ => panic!("{head} is for one lane"),
    }
    results
}

#[test]
fn shuffles_stay_in_their_segment_and_among_members() {
    let all = u32::MAX;
    let shuffle = |mode: &str, at, members: u32, b: Bits, c: Bits| {
        lane(&format!("shfl.sync.{mode}.b32"), true, at, members, |n| vec![100 + n, b, c, members.into()])
    };
    assert_eq!(shuffle("up", 5, all, 3, 0), [102, 1]);
    assert_eq!(shuffle("up", 2, all, 3, 0), [102, 0]);
    assert_eq!(shuffle("up", 9, all, 2, 0x1800), [109, 0]);
    assert_eq!(shuffle("down", 30, all, 1, 0x1f), [131, 1]);
    assert_eq!(shuffle("down", 31, all, 1, 0x1f), [131, 0]);
    assert_eq!(shuffle("bfly", 5, all, 0xe, 0x1f), [111, 1]);
    assert_eq!(shuffle("bfly", 5, all, 0x8, 7), [105, 0]);
    assert_eq!(shuffle("idx", 20, all, 33, 0x1f), [101, 1]);
    assert_eq!(shuffle("idx", 20, all, 3, 0x181f), [119, 1]);
    assert_eq!(shuffle("idx", 20, 1 << 20, 3, 0x1f), [120, 1], "lane 3 takes no part");
}

#[test]
fn lanes_that_take_no_part_do_not_count() {
    let members = 0b1101_u32;
    let of = |head: &str, pair, values: [Bits; 4]| {
        lane(head, pair, 2, members, |n| vec![values.get(n as usize).copied().unwrap_or(1), members.into()])
    };
    assert_eq!(of("vote.sync.all.pred", false, [1, 0, 1, 1]), [1]);
    assert_eq!(of("vote.sync.any.pred", false, [0, 1, 0, 0]), [0]);
    assert_eq!(of("vote.sync.uni.pred", false, [0, 1, 0, 0]), [1]);
    assert_eq!(of("vote.sync.ballot.b32", false, [1, 1, 0, 1]), [0b1001]);
    assert_eq!(of("match.any.sync.b32", false, [9, 5, 5, 9]), [0b0100]);
    assert_eq!(of("match.all.sync.b64", true, [5, 9, 5, 5]), [0b1101, 1]);
    assert_eq!(of("match.all.sync.b64", true, [5, 9, 5, 6]), [0, 0]);
    assert_eq!(of("redux.sync.add.u32", false, [0xffff_ffff, 50, 3, 4]), [6]);
    assert_eq!(of("redux.sync.min.s32", false, [0xffff_ffff, 50, 3, 4]), [0xffff_ffff]);
    assert_eq!(of("redux.sync.max.u32", false, [1, 50, 3, 4]), [4]);
    assert_eq!(of("redux.sync.xor.b32", false, [1, 50, 3, 4]), [6]);
    assert_eq!(lane("elect.sync", true, 2, 0b1100, |_| vec![0b1100]), [2, 1]);
    assert_eq!(lane("elect.sync", true, 3, 0b1100, |_| vec![0b1100]), [2, 0]);
    assert_eq!(lane("activemask.b32", false, 3, 0b1100, |_| vec![]), [0b1100]);
}

/// `vosen/ptx_tests` (addc_subc), measured on GPUs: the flag is 1 where nothing was borrowed.
#[test]
fn machines_keep_that_nothing_was_borrowed() {
    let both = |head: &str, sources: &[Bits]| {
        let mut args: Args = [0; 8];
        args[..sources.len()].copy_from_slice(sources);
        let mut results = [0; 2];
        assert!(instruction(head, &[PLAIN; 3]).compute(Semantics::Ptxas13_5, &args, &mut results));
        results
    };
    let top = u128::from(u64::MAX);
    let (a, b) = (0x627a_df75, 0x864c_cef5);
    assert_eq!(both("subc.cc.s32", &[a, b, 1]), [0xdc2e_1080, 0]);
    assert_eq!(both("subc.cc.s32", &[a, b, 0]), [0xdc2e_107f, 0]);
    assert_eq!(both("subc.cc.u32", &[b, a, 0]), [0x23d1_ef7f, 1]);
    assert_eq!(both("subc.cc.u32", &[5, 5, 1]), [0, 1]);
    assert_eq!(both("subc.cc.u32", &[5, 5, 0]), [0xffff_ffff, 0]);
    assert_eq!(both("subc.cc.u64", &[top, top, 0]), [top, 0]);
    assert_eq!(both("subc.cc.s32", &[0, 0xffff_ffff, 0]), [0, 0]);
    assert_eq!(both("subc.u32", &[7, 8, 1]), [0xffff_ffff, 0]);
    assert_eq!(both("sub.cc.u32", &[0, 1]), [0xffff_ffff, 0]);
    assert_eq!(both("sub.cc.s64", &[5, 5]), [0, 1]);
    // Sums are the manual's.
    assert_eq!(both("addc.cc.u32", &[0xffff_ffff, 0, 1]), [0, 1]);
    assert_eq!(both("add.cc.s32", &[0x7fff_ffff, 1]), [0x8000_0000, 0]);
}

#[test]
fn sums_of_singles_flush_in_global_memory_alone() {
    let both = |head: &str, args: &[Bits]| {
        [AtomicSpace::Global, AtomicSpace::Shared].map(|space| changed_in(space, head, 3, args))
    };
    // The least normal number less the least one.
    assert_eq!(both("atom.add.f32", &[0x0080_0000, 0x8000_0001]), [0x0080_0000, 0x007f_ffff]);
    assert_eq!(both("atom.add.f32", &[0x8000_0001, 0x8000_0001]), [0x8000_0000, 0x8000_0002]);
    assert_eq!(both("atom.add.noftz.f32", &[1, 1]), [2, 2]);
    assert_eq!(both("atom.add.noftz.f16x2", &[0x0001_3c00, 0x0001_3c00]), [0x0002_4000; 2]);
    assert_eq!(both("atom.add.f64", &[1, 1]), [2, 2]);
    // Of two NaNs the one that is added stays, signalling ones as they are.
    assert_eq!(
        both("atom.add.f64", &[0x7ff8_0000_0000_0001, 0xfff0_0000_0000_0002]),
        [0xfff0_0000_0000_0002; 2]
    );
}

#[test]
fn the_least_number_of_a_warp_leaves_nan_out() {
    let redux = |head: &str, values: &[u32]| {
        let inst = instruction(head, &[PLAIN; 3]);
        let sources = std::array::from_fn(|lane| {
            let mut args: Args = [0; 8];
            args[0] = values[lane % values.len()].into();
            args
        });
        let Meaning::Together(f) = inst.meaning(Semantics::Manual) else { panic!("{head} needs no warp") };
        let mut results = [0];
        f(&inst, &Lanes { sources: &sources, members: u32::MAX }, 3, &mut results);
        results[0]
    };
    let values = [0x3f80_0000, 0xc000_0000, 0x7fc0_0001, 0x8000_0000];
    assert_eq!(redux("redux.sync.min.f32", &values), 0xc000_0000);
    assert_eq!(redux("redux.sync.max.f32", &values), 0x3f80_0000);
    assert_eq!(redux("redux.sync.min.abs.f32", &values), 0);
    assert_eq!(redux("redux.sync.max.abs.f32", &values), 0x4000_0000);
    assert_eq!(redux("redux.sync.max.NaN.f32", &values), 0x7fff_ffff);
    assert_eq!(redux("redux.sync.max.f32", &[0xffc0_0001]), 0x7fff_ffff);
    assert_eq!(redux("redux.sync.min.f32", &[0, 0x8000_0000]), 0x8000_0000);
}
