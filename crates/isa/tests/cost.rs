//! How many micro-ops common instructions take: each is a pass over the values of many threads.

use margay_isa::uop::{Def, Emit, Type, Val};
use margay_isa::{Inst, Role, Semantics, Shape, Ty, select};

const PLAIN: Shape = Shape::PLAIN;
const PAIR: Shape = Shape { elements: 2, ..PLAIN };
const FOUR: Shape = Shape { elements: 4, ..PLAIN };

fn instruction(head: &str, shapes: &[Shape]) -> Inst {
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or_default();
    match select(opcode, &words.collect::<Vec<_>>(), shapes) {
        Some(Ok(inst)) => inst,
        other => panic!("{head}: {other:?}"),
    }
}

/// The types of the sources.
fn sources(i: &Inst) -> Vec<Type> {
    let read = i.operands().filter(|(_, operand)| operand.role == Role::Source);
    let types = read.flat_map(|(template, operand)| {
        let width = i.operand_type(operand.ty).map_or(0, Ty::width);
        std::iter::repeat_n(Type::of_width(width), i.elements(template).max(1))
    });
    types.chain(i.reads_carry().then_some(Type::Pred)).collect()
}

/// The operations on which the first `wanted` results depend.
fn needed(emit: &Emit, wanted: usize) -> usize {
    let mut live: Vec<Val> = emit.results()[..wanted].to_vec();
    let operations: Vec<_> = emit.values().collect();
    let mut count = 0;
    for (value, _, def) in operations.into_iter().rev() {
        if let Def::Op(op, operands) = def
            && live.contains(&value)
        {
            live.extend(&operands[..op.operands().len()]);
            count += 1;
        }
    }
    count
}

/// The micro-ops of an instruction whose last sources are these constants.
fn cost(head: &str, shapes: &[Shape], constants: &[u64], wanted: usize) -> usize {
    let inst = instruction(head, shapes);
    let types = sources(&inst);
    let variable = types.len() - constants.len();
    let known = (0..types.len()).map(|k| k.checked_sub(variable).map(|k| constants[k]));
    let mut emit = Emit::new(&types.iter().copied().zip(known).collect::<Vec<_>>());
    assert!(inst.lower(Semantics::Manual, &mut emit), "{head} has no micro-ops");
    needed(&emit, wanted)
}

/// An instruction, how many operands it has, constants at their end, results that are wanted, micro-ops.
type Row = (&'static str, usize, &'static [u64], usize, usize);

const COSTS: &[Row] = &[
    ("mov.u32", 2, &[], 1, 0),
    ("mov.b64", 2, &[], 1, 0),
    ("mov.pred", 2, &[], 1, 0),
    ("add.s32", 3, &[], 1, 1),
    ("add.s64", 3, &[], 1, 1),
    ("add.u16", 3, &[], 1, 1),
    ("add.sat.s32", 3, &[], 1, 6),
    ("add.s16x2", 3, &[], 1, 1),
    ("add.sat.u8x4", 3, &[], 1, 1),
    ("sub.u32", 3, &[], 1, 1),
    ("sub.u16", 3, &[], 1, 1),
    ("sub.sat.s32", 3, &[], 1, 6),
    ("mul.lo.s32", 3, &[], 1, 1),
    ("mul.lo.s64", 3, &[], 1, 1),
    ("mul.hi.u32", 3, &[], 1, 1),
    ("mul.wide.u32", 3, &[], 1, 1),
    ("mul.wide.s32", 3, &[], 1, 1),
    ("mul.wide.s16", 3, &[], 1, 1),
    ("mul.lo.u16", 3, &[], 1, 2),
    ("mul.hi.s16", 3, &[], 1, 2),
    ("mad.lo.s32", 4, &[], 1, 1),
    ("mad.lo.u64", 4, &[], 1, 1),
    ("mad.wide.u16", 4, &[], 1, 1),
    ("mad.wide.s32", 4, &[], 1, 2),
    ("mad.hi.u32", 4, &[], 1, 2),
    ("mad.lo.u16", 4, &[], 1, 2),
    ("mul24.lo.u32", 3, &[], 1, 3),
    ("mad24.hi.s32", 4, &[], 1, 4),
    ("sad.u32", 4, &[], 1, 2),
    ("sad.s16", 4, &[], 1, 2),
    ("div.u32", 3, &[], 1, 1),
    ("rem.s32", 3, &[], 1, 1),
    ("div.s16", 3, &[], 1, 4),
    ("abs.s32", 2, &[], 1, 1),
    ("neg.s16", 2, &[], 1, 1),
    ("min.u16", 3, &[], 1, 1),
    ("max.s64", 3, &[], 1, 1),
    ("min.relu.s32", 3, &[], 1, 2),
    ("popc.b64", 2, &[], 1, 1),
    ("clz.b32", 2, &[], 1, 1),
    ("brev.b64", 2, &[], 1, 1),
    ("bfind.u32", 2, &[], 1, 2),
    ("bfind.s32", 2, &[], 1, 4),
    ("bfind.shiftamt.u32", 2, &[], 1, 3),
    ("bfe.u32", 4, &[], 1, 5),
    ("bfe.s32", 4, &[], 1, 7),
    ("bfi.b32", 5, &[], 1, 7),
    ("bmsk.clamp.b32", 3, &[], 1, 3),
    ("szext.clamp.u32", 3, &[], 1, 2),
    ("fns.b32", 4, &[], 1, 45),
    ("clmad.lo.u64", 4, &[], 1, 44),
    ("bfe.u32", 4, &[8, 8], 1, 1),
    ("bfe.s64", 4, &[40, 8], 1, 1),
    ("bfi.b32", 5, &[8, 8], 1, 2),
    ("bfi.b32", 5, &[0, 8], 1, 1),
    ("bfi.b64", 5, &[8, 8], 1, 4),
    ("szext.wrap.s32", 3, &[24], 1, 1),
    ("div.u32", 3, &[16], 1, 1),
    ("rem.u64", 3, &[16], 1, 1),
    ("and.b32", 3, &[], 1, 1),
    ("and.pred", 3, &[], 1, 1),
    ("xor.b16", 3, &[], 1, 1),
    ("not.b16", 2, &[], 1, 1),
    ("cnot.b64", 2, &[], 1, 2),
    ("shl.b32", 3, &[], 1, 1),
    ("shl.b64", 3, &[], 1, 1),
    ("shl.b16", 3, &[], 1, 2),
    ("shr.s32", 3, &[], 1, 1),
    ("shr.u16", 3, &[], 1, 1),
    ("shr.s16", 3, &[], 1, 3),
    ("shf.l.wrap.b32", 4, &[], 1, 1),
    ("shf.r.clamp.b32", 4, &[], 1, 3),
    ("shr.s16", 3, &[4], 1, 2),
    ("shf.l.clamp.b32", 4, &[7], 1, 1),
    ("lop3.b32", 5, &[0xe8], 1, 1),
    ("setp.lt.s32", 3, &[], 1, 1),
    ("setp.ge.u64", 3, &[], 1, 1),
    ("setp.eq.b16", 3, &[], 1, 1),
    ("setp.lt.s16", 3, &[], 1, 2),
    ("setp.lt.and.s32", 4, &[], 1, 2),
    ("setp.lt.s32", 3, &[], 2, 2),
    ("set.eq.u32.u32", 3, &[], 1, 2),
    ("selp.b32", 4, &[], 1, 1),
    ("selp.b64", 4, &[], 1, 1),
    ("slct.u32.s32", 4, &[], 1, 2),
    ("cvt.u64.u32", 2, &[], 1, 1),
    ("cvt.s64.s32", 2, &[], 1, 1),
    ("cvt.u32.u64", 2, &[], 1, 1),
    ("cvt.u16.u32", 2, &[], 1, 1),
    ("cvt.u32.u16", 2, &[], 1, 0),
    ("cvt.s32.s16", 2, &[], 1, 1),
    ("cvt.s32.s8", 2, &[], 1, 1),
    ("cvt.u8.u32", 2, &[], 1, 1),
    ("cvt.s64.s16", 2, &[], 1, 2),
    ("cvt.u8.s16", 2, &[], 1, 1),
    ("cvt.sat.u8.s32", 2, &[], 1, 2),
    ("cvt.sat.s8.s32", 2, &[], 1, 3),
    ("cvt.pack.sat.s16.s32", 3, &[], 1, 5),
    ("cvt.pack.sat.u8.s32.b32", 4, &[], 1, 6),
    ("prmt.b32", 4, &[], 1, 1),
    ("prmt.b32", 4, &[0x5410], 1, 1),
    ("prmt.b32.f4e", 4, &[], 1, 4),
    ("prmt.b32.rc8", 4, &[2], 1, 1),
    ("add.cc.u32", 3, &[], 2, 2),
    ("addc.u32", 3, &[], 1, 3),
    ("addc.cc.u64", 3, &[], 2, 6),
    ("sub.cc.u32", 3, &[], 2, 2),
    ("subc.cc.u32", 3, &[], 2, 6),
    ("mad.lo.cc.u32", 4, &[], 2, 2),
    ("madc.hi.u64", 4, &[], 1, 4),
    ("madc.lo.cc.u32", 4, &[], 2, 6),
    ("dp4a.s32.s32", 4, &[], 1, 1),
    ("dp4a.s32.u32", 4, &[], 1, 1),
    ("dp2a.lo.s32.s32", 4, &[], 1, 2),
    ("vadd4.u32.u32.u32", 4, &[], 1, 1),
    ("vadd4.s32.s32.s32.sat", 4, &[], 1, 1),
    ("vadd4.u32.u32.u32.add", 4, &[], 1, 2),
    ("vadd4.s32.u32.s32.sat", 4, &[], 1, 3),
    ("vadd4.u32.u32.s32.sat", 4, &[], 1, 4),
    ("vsub2.s32.s32.s32.sat", 4, &[], 1, 1),
    ("vsub4.s32.u32.u32.sat", 4, &[], 1, 3),
    ("vavrg4.u32.u32.u32", 4, &[], 1, 1),
    ("vavrg2.s32.s32.s32", 4, &[], 1, 1),
    ("vavrg4.u32.u32.s32", 4, &[], 1, 6),
    ("vabsdiff4.u32.u32.u32", 4, &[], 1, 1),
    ("vabsdiff4.u32.u32.u32.add", 4, &[], 1, 1),
    ("vabsdiff4.s32.s32.s32.add", 4, &[], 1, 1),
    ("vabsdiff2.u32.u32.u32.add", 4, &[], 1, 2),
    ("vabsdiff4.u32.u32.s32.add", 4, &[], 1, 5),
    ("vmin4.s32.s32.s32", 4, &[], 1, 1),
    ("vmax2.s32.s32.s32", 4, &[], 1, 1),
    ("vmin4.s32.u32.s32", 4, &[], 1, 2),
    ("vmax4.u32.s32.s32.sat", 4, &[], 1, 2),
    ("vset4.u32.u32.lt", 4, &[], 1, 2),
    ("vset4.s32.s32.ge.add", 4, &[], 1, 3),
    ("vset2.s32.u32.eq", 4, &[], 1, 3),
    ("vadd.s32.s32.s32", 3, &[], 1, 1),
    ("vadd.u32.u32.u32.sat", 3, &[], 1, 3),
    ("vadd.s32.s32.s32.sat", 3, &[], 1, 6),
    ("vsub.u32.u32.u32.sat", 3, &[], 1, 2),
    ("vadd.s32.u32.s32.sat", 3, &[], 1, 5),
    ("vabsdiff.u32.u32.u32.add", 4, &[], 1, 2),
    ("vmin.u32.u32.u32.min", 4, &[], 1, 2),
    ("vmax.s32.u32.s32", 3, &[], 1, 2),
    ("vshl.u32.u32.u32.clamp", 3, &[], 1, 1),
    ("vshr.s32.s32.u32.wrap", 3, &[], 1, 2),
    ("vshl.u32.u32.u32.sat.clamp", 3, &[], 1, 7),
    ("vmad.s32.s32.s32", 4, &[], 1, 1),
    ("vmad.s32.s32.s32.po", 4, &[], 1, 2),
    ("vmad.s32.s32.s32.shr15", 4, &[], 1, 5),
    ("vmad.s32.s32.s32.sat.shr15", 4, &[], 1, 7),
    ("vset.u32.u32.lt", 3, &[], 1, 2),
    ("vset.s32.u32.lt", 3, &[], 1, 4),
];

#[test]
fn common_instructions_take_few_micro_ops() {
    for (head, operands, constants, wanted, ops) in COSTS {
        let found = cost(head, &vec![PLAIN; *operands], constants, *wanted);
        assert_eq!(found, *ops, "{head} with constants {constants:x?}");
    }
}

#[test]
fn vectors_are_packed_and_unpacked_in_few_micro_ops() {
    assert_eq!(cost("mov.b64", &[PLAIN, PAIR], &[], 1), 1);
    assert_eq!(cost("mov.b32", &[PLAIN, PAIR], &[], 1), 1);
    assert_eq!(cost("mov.b64", &[PLAIN, FOUR], &[], 1), 3);
    assert_eq!(cost("mov.b32", &[PLAIN, FOUR], &[], 1), 3);
    assert_eq!(cost("mov.b64", &[PAIR, PLAIN], &[], 2), 2);
    assert_eq!(cost("mov.b32", &[PAIR, PLAIN], &[], 2), 2);
    assert_eq!(cost("mov.b32", &[FOUR, PLAIN], &[], 4), 4);
}

#[test]
fn selectors_and_masks_take_a_micro_op_each() {
    fn part(selectors: &'static [&'static str]) -> Shape<'static> {
        Shape { selectors, ..PLAIN }
    }
    let selected = [part(&["b10"]), part(&["b0123"]), part(&["b7766"]), PLAIN];
    assert_eq!(cost("vadd4.u32.u32.u32", &selected, &[], 1), 4);
    assert_eq!(cost("vabsdiff4.u32.u32.u32.add", &selected, &[], 1), 4);
    assert_eq!(cost("vmin4.s32.s32.s32", &[PLAIN, part(&["b3210"]), part(&["b3210"]), PLAIN], &[], 1), 1);
    let bytes = [PLAIN, part(&["b0"]), part(&["b1"]), PLAIN];
    assert_eq!(cost("vadd.s32.u32.u32.sat", &bytes[..3], &[], 1), 3);
    assert_eq!(cost("vabsdiff.u32.u32.u32.add", &bytes, &[], 1), 4);
    assert_eq!(cost("vmad.s32.s32.s32", &bytes, &[], 1), 3);
    let merged = [part(&["b2"]), part(&["b0"]), part(&["b1"]), PLAIN];
    assert_eq!(cost("vadd.u32.u32.u32.sat", &merged, &[], 1), 5);
}
