//! Operations joined: what takes two passes over the lines and can take one.
//!
//! A value that only one other needs, with no step between the two, is computed with it: bitwise functions of at most three
//! values become one, and sums of three, and sums with a product.

use super::graph::{From, Graph, Item, Node};
use super::usage::Bits;
use margay_isa::uop::{Int, Op, Type};

/// Joins what can be joined. `needed` are the values that the block computes, `kept` those that registers hold at its end.
pub(crate) fn fuse(graph: &mut Graph, needed: &Bits, kept: &Bits) {
    let alone = alone(graph, needed, kept);
    // The steps before each value, so that none lies between two with the same number.
    let mut steps = vec![0u32; graph.values.len()];
    let mut seen = 0;
    for item in &graph.items {
        match item {
            Item::Value(node) => steps[*node as usize] = seen,
            Item::Step(_) => seen += 1,
        }
    }
    for k in 0..graph.items.len() {
        let Item::Value(node) = graph.items[k] else { continue };
        if !needed.has(node as usize) {
            continue;
        }
        let fits = |inner: Node| alone.has(inner as usize) && steps[inner as usize] == steps[node as usize];
        let From::Op(op, operands) = graph.values[node as usize].from else { continue };
        let joined = match op {
            Op::Int32(Int::And | Int::Or | Int::Xor) | Op::Lop3(_) => bitwise(graph, op, operands, &fits),
            Op::Int32(Int::Add) | Op::Int64(Int::Add) => sum(graph, op, operands, &fits),
            _ => None,
        };
        if let Some((op, operands)) = joined {
            graph.values[node as usize].from = From::Op(op, operands);
        }
    }
}

/// The values that one other value needs, and nothing else.
fn alone(graph: &Graph, needed: &Bits, kept: &Bits) -> Bits {
    let mut uses = vec![0u32; graph.values.len()];
    for (_, value) in graph.values.iter().enumerate().filter(|(node, _)| needed.has(*node)) {
        if let From::Op(op, operands) = value.from {
            operands[..op.operands().len()].iter().for_each(|operand| uses[*operand as usize] += 1);
        }
    }
    for step in 0..graph.steps.len() as u32 {
        super::analysis::step_operands(graph, step, &mut |operand| uses[operand as usize] += 2);
    }
    graph.decides.iter().for_each(|node| uses[*node as usize] += 2);
    let mut alone = Bits::new(graph.values.len());
    for (node, uses) in uses.iter().enumerate() {
        if *uses == 1 && !kept.has(node) {
            alone.put(node);
        }
    }
    alone
}

/// A bitwise function of more than two values, if the operands of an operation can be looked into.
fn bitwise(
    graph: &Graph,
    op: Op,
    operands: [Node; 3],
    fits: &dyn Fn(Node) -> bool,
) -> Option<(Op, [Node; 3])> {
    let operands = &operands[..op.operands().len()];
    // Operands are opened as long as no more than three values remain; opening one may make room for another.
    let mut opened: Vec<Node> = Vec::new();
    loop {
        let before = opened.len();
        for operand in operands {
            if !opened.contains(operand) && is_bitwise(graph, *operand) && fits(*operand) {
                opened.push(*operand);
                if leaves(graph, operands, &opened).is_none() {
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
    let leaves = leaves(graph, operands, &opened)?;
    let table = apply(op, &operands.iter().map(|o| table(graph, *o, &opened, &leaves)).collect::<Vec<_>>());
    let leaf = |k: usize| leaves.get(k).or(leaves.first()).copied();
    Some((Op::Lop3(table), [leaf(0)?, leaf(1)?, leaf(2)?]))
}

fn is_bitwise(graph: &Graph, node: Node) -> bool {
    matches!(
        graph.values[node as usize].from,
        From::Op(Op::Int32(Int::And | Int::Or | Int::Xor) | Op::Lop3(_), _)
    )
}

/// The values that a function is of, constants of all zeros or all ones left out; none if they are more than three.
fn leaves(graph: &Graph, operands: &[Node], opened: &[Node]) -> Option<Vec<Node>> {
    let mut leaves: Vec<Node> = Vec::new();
    let mut add = |node: Node| {
        if !is_plain(graph, node) && !leaves.contains(&node) {
            leaves.push(node);
        }
    };
    for operand in operands {
        match graph.values[*operand as usize].from {
            From::Op(op, inner) if opened.contains(operand) => {
                inner[..op.operands().len()].iter().for_each(|node| add(*node));
            }
            _ => add(*operand),
        }
    }
    (1..=3).contains(&leaves.len()).then_some(leaves)
}

/// Whether a value is 0 or all ones.
fn is_plain(graph: &Graph, node: Node) -> bool {
    matches!(graph.known_bits(node), Some(0 | 0xffff_ffff))
}

/// The table of a value as a function of the leaves.
fn table(graph: &Graph, node: Node, opened: &[Node], leaves: &[Node]) -> u8 {
    const LEAF: [u8; 3] = [0xf0, 0xcc, 0xaa];
    match graph.values[node as usize].from {
        From::Op(op, inner) if opened.contains(&node) => {
            let inner = &inner[..op.operands().len()];
            apply(op, &inner.iter().map(|n| table(graph, *n, &[], leaves)).collect::<Vec<_>>())
        }
        From::Const(0) => 0,
        From::Const(0xffff_ffff) => 0xff,
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
fn sum(graph: &Graph, op: Op, operands: [Node; 3], fits: &dyn Fn(Node) -> bool) -> Option<(Op, [Node; 3])> {
    let three = if graph.values[operands[0] as usize].ty == Type::U64 {
        Op::Int64(Int::AddAdd)
    } else {
        Op::Int32(Int::AddAdd)
    };
    for (inner, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
        if let From::Op(inner_op, [a, b, _]) = graph.values[inner as usize].from
            && inner_op == op
            && fits(inner)
        {
            return Some((three, [a, b, other]));
        }
        let product = match graph.values[inner as usize].from {
            From::Op(Op::Int32(Int::Mul), factors) if op == Op::Int32(Int::Add) => {
                Some((Op::Int32(Int::MulAdd), factors))
            }
            From::Op(Op::Int64(Int::Mul), factors) if op == Op::Int64(Int::Add) => {
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
