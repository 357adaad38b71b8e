//! Operations joined: what takes two passes over the lines and can take one.
//!
//! A value that only one other needs, with no step between the two, is computed with it: bitwise functions of at most three
//! values become one, and sums of three, and sums with a product. What a register holds that a step's instruction reads stays: another
//! engine may have to go on with it.

use crate::batch::compile::analysis::held;
use crate::batch::compile::ir::{BlockIr, Item, ValueDef, ValueId};
use crate::batch::compile::liveness::Bits;
use margay_isa::uop::{Int, Op, Type};

/// Joins what can be joined. `needed` are the values that the block computes, `kept` those that registers hold at its end.
pub(crate) fn fuse(ir: &mut BlockIr, needed: &Bits, kept: &Bits) {
    let alone = alone(ir, needed, kept);
    let held = held(ir);
    // The steps before each value, so that none lies between two with the same number.
    let mut steps = vec![0u32; ir.values.len()];
    let mut seen = 0;
    for item in &ir.items {
        match item {
            Item::Value(node) => steps[*node as usize] = seen,
            Item::Step(_) => seen += 1,
        }
    }
    for k in 0..ir.items.len() {
        let Item::Value(node) = ir.items[k] else { continue };
        if !needed.has(node as usize) {
            continue;
        }
        let fits = |inner: ValueId| {
            alone.has(inner as usize)
                && steps[inner as usize] == steps[node as usize]
                && !held.has(inner as usize)
        };
        let ValueDef::Op(op, operands) = ir.values[node as usize].from else { continue };
        let joined = match op {
            Op::Int32(Int::And | Int::Or | Int::Xor) | Op::Lop3(_) => bitwise(ir, op, operands, &fits),
            Op::Int32(Int::Add) | Op::Int64(Int::Add) => sum(ir, op, operands, &fits),
            _ => None,
        };
        if let Some((op, operands)) = joined {
            ir.values[node as usize].from = ValueDef::Op(op, operands);
        }
    }
}

/// The values that one other value needs, and nothing else.
fn alone(ir: &BlockIr, needed: &Bits, kept: &Bits) -> Bits {
    let mut uses = vec![0u32; ir.values.len()];
    for (_, value) in ir.values.iter().enumerate().filter(|(node, _)| needed.has(*node)) {
        if let ValueDef::Op(op, operands) = value.from {
            operands[..op.operands().len()].iter().for_each(|operand| uses[*operand as usize] += 1);
        }
    }
    for step in 0..ir.steps.len() as u32 {
        crate::batch::compile::analysis::step_operands(ir, step, &mut |operand| uses[operand as usize] += 2);
    }
    ir.decides.iter().for_each(|node| uses[*node as usize] += 2);
    let mut alone = Bits::new(ir.values.len());
    for (node, uses) in uses.iter().enumerate() {
        if *uses == 1 && !kept.has(node) {
            alone.put(node);
        }
    }
    alone
}

/// A bitwise function of more than two values, if the operands of an operation can be looked into.
fn bitwise(
    ir: &BlockIr,
    op: Op,
    operands: [ValueId; 3],
    fits: &dyn Fn(ValueId) -> bool,
) -> Option<(Op, [ValueId; 3])> {
    let operands = &operands[..op.operands().len()];
    // Operands are opened as long as no more than three values remain; opening one may make room for another.
    let mut opened: Vec<ValueId> = Vec::new();
    loop {
        let before = opened.len();
        for operand in operands {
            if !opened.contains(operand) && is_bitwise(ir, *operand) && fits(*operand) {
                opened.push(*operand);
                if leaves(ir, operands, &opened).is_none() {
                    opened.pop();
                }
            }
        }
        if opened.len() == before {
            break;
        }
    }
    if opened.is_empty() {
        return None;
    }
    let leaves = leaves(ir, operands, &opened)?;
    let table = apply(op, &operands.iter().map(|o| table(ir, *o, &opened, &leaves)).collect::<Vec<_>>());
    let leaf = |k: usize| leaves.get(k).or(leaves.first()).copied();
    Some((Op::Lop3(table), [leaf(0)?, leaf(1)?, leaf(2)?]))
}

fn is_bitwise(ir: &BlockIr, node: ValueId) -> bool {
    matches!(
        ir.values[node as usize].from,
        ValueDef::Op(Op::Int32(Int::And | Int::Or | Int::Xor) | Op::Lop3(_), _)
    )
}

/// The values that a function is of, constants of all zeros or all ones left out; none if they are more than three.
fn leaves(ir: &BlockIr, operands: &[ValueId], opened: &[ValueId]) -> Option<Vec<ValueId>> {
    let mut leaves: Vec<ValueId> = Vec::new();
    let mut add = |node: ValueId| {
        if !is_plain(ir, node) && !leaves.contains(&node) {
            leaves.push(node);
        }
    };
    for operand in operands {
        match ir.values[*operand as usize].from {
            ValueDef::Op(op, inner) if opened.contains(operand) => {
                inner[..op.operands().len()].iter().for_each(|node| add(*node));
            }
            _ => add(*operand),
        }
    }
    (1..=3).contains(&leaves.len()).then_some(leaves)
}

/// Whether a value is 0 or all ones.
fn is_plain(ir: &BlockIr, node: ValueId) -> bool {
    matches!(ir.known_bits(node), Some(0 | 0xffff_ffff))
}

/// The table of a value as a function of the leaves.
fn table(ir: &BlockIr, node: ValueId, opened: &[ValueId], leaves: &[ValueId]) -> u8 {
    const LEAF: [u8; 3] = [0xf0, 0xcc, 0xaa];
    match ir.values[node as usize].from {
        ValueDef::Op(op, inner) if opened.contains(&node) => {
            let inner = &inner[..op.operands().len()];
            apply(op, &inner.iter().map(|n| table(ir, *n, &[], leaves)).collect::<Vec<_>>())
        }
        ValueDef::Const(0) => 0,
        ValueDef::Const(0xffff_ffff) => 0xff,
        _ => leaves.iter().position(|leaf| *leaf == node).map_or(0, |k| LEAF[k]),
    }
}

fn apply(op: Op, tables: &[u8]) -> u8 {
    match (op, tables) {
        (Op::Int32(Int::And), [a, b]) => a & b,
        (Op::Int32(Int::Or), [a, b]) => a | b,
        (Op::Int32(Int::Xor), [a, b]) => a ^ b,
        (Op::Lop3(table), [a, b, c]) => (0..8).filter(|row| table >> row & 1 == 1).fold(0, |sum, row| {
            let pick = |x: u8, at: u8| if row >> at & 1 == 1 { x } else { !x };
            sum | pick(*a, 2) & pick(*b, 1) & pick(*c, 0)
        }),
        _ => 0,
    }
}

/// A sum of three values, or of a product and a value.
fn sum(
    ir: &BlockIr,
    op: Op,
    operands: [ValueId; 3],
    fits: &dyn Fn(ValueId) -> bool,
) -> Option<(Op, [ValueId; 3])> {
    let three = if ir.values[operands[0] as usize].ty == Type::U64 {
        Op::Int64(Int::AddAdd)
    } else {
        Op::Int32(Int::AddAdd)
    };
    for (inner, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
        if let ValueDef::Op(inner_op, [a, b, _]) = ir.values[inner as usize].from
            && inner_op == op
            && fits(inner)
        {
            return Some((three, [a, b, other]));
        }
        let product = match ir.values[inner as usize].from {
            ValueDef::Op(Op::Int32(Int::Mul), factors) if op == Op::Int32(Int::Add) => {
                Some((Op::Int32(Int::MulAdd), factors))
            }
            ValueDef::Op(Op::Int64(Int::Mul), factors) if op == Op::Int64(Int::Add) => {
                Some((Op::Int64(Int::MulAdd), factors))
            }
            _ => None,
        };
        if let Some((mul_add, [a, b, _])) = product.filter(|_| fits(inner)) {
            return Some((mul_add, [a, b, other]));
        }
    }
    None
}
