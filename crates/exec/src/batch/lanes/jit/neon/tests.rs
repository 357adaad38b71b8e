//! A judge of what is encoded for AArch64: there is code for every operation, and a disassembler knows all of its instructions.

use crate::batch::lanes::jit::extensions::{SHAPES, compiled_ops, of_loads, with_run};
use crate::batch::lanes::jit::lowering::Run;
use crate::batch::lanes::jit::print::encoded;
use crate::batch::lanes::jit::target::NEON;
use crate::batch::lanes::jit::{Compiled, assign};
use crate::batch::lanes::random_runs::RandomRun;
use crate::batch::lanes::{Item, Place, VectorOp, What, Work, width};
use foldhash::HashMap;
use margay_isa::uop::float::Float;
use margay_isa::uop::{Int, Op, Type};
use std::array::from_fn;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::InstDecoder;

/// Holds a run's instructions against the disassembler; false if there is no code.
fn is_encoded(run: &Run) -> bool {
    let Some((bytes, start)) = assign(run).and_then(|assigned| encoded(&assigned)) else { return false };
    let decoder = InstDecoder::default();
    for word in bytes[start as usize..].as_chunks::<4>().0 {
        let decoded = decoder.decode(&mut U8Reader::new(word));
        assert!(decoded.is_ok(), "{:#010x} is no instruction", u32::from_le_bytes(*word));
    }
    true
}

#[test]
fn every_operation_has_code() {
    for op in compiled_ops() {
        for (is_same, constant) in SHAPES {
            assert!(with_run(op, is_same, constant, &NEON, is_encoded), "{op:?}, {is_same}, {constant:?}");
        }
    }
    assert_eq!(of_loads(&NEON, is_encoded), [true; 2]);
}

#[test]
fn random_runs_have_code() {
    let ops = compiled_ops();
    for seed in 0..1000 {
        let run = RandomRun::new(seed + 300_000, &ops);
        let code = Compiled::for_machine(&NEON, run.vector_ops.list(), &run.vector_ops.runs);
        assert!(code.has(0), "seed {seed}");
    }
}

/// Whether there is code for an operation again and again, on the values of as many places that memory may lend.
fn has_code(op: Op, count: u32, places: u32) -> bool {
    let types = op.operands();
    let place = |k: u32, ty: Type| Place { line: 4 * k, stride: width(ty) };
    let item = |k: u32| {
        let from = from_fn(|operand| place(k % places, *types.get(operand).unwrap_or(&types[0])).lent());
        let to = place(places + k, op.result());
        Item { work: Work::VectorOp(VectorOp { what: What::Op(op), to, from }), lasts: true }
    };
    let items: Vec<Item> = (0..count).map(item).collect();
    is_encoded(&Run::new(&items, &HashMap::default(), &NEON))
}

#[test]
fn long_runs_reach_back_and_many_pointers_are_refused() {
    // Each takes hundreds of bytes: more than a conditional branch reaches.
    assert!(has_code(Op::F64(Float::Fma), 4000, 1));
    let sum = Op::Int32(Int::Add);
    assert!(has_code(sum, 1900, 1900));
    assert!(!has_code(sum, 2100, 2100), "a load of a pointer would reach another one");
}
