//! The control flow of a function: runs of instructions that are entered at their start only, and what may come after each.

use crate::module::{Function, Guard, Instruction, Operand};
use margay_isa::{Effect, Meaning, Semantics};
use std::ops::Range;

/// The reachable blocks of a function; block 0 is its start.
pub(crate) struct Blocks {
    /// The first instruction of each block, and the length of the code.
    starts: Vec<u32>,
    after: Lists<Edge>,
    before: Lists<u32>,
    reached: Vec<bool>,
}

/// A way from the end of one block to the start of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    /// What holds of a predicate on this way: the register, and its value.
    pub(crate) when: Option<Guard>,
    /// Whether a branch leads here; else it is the next instruction.
    pub(crate) jumps: bool,
}

/// Lists behind each other.
struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn of(&self, k: u32) -> &[T] {
        &self.items[self.starts[k as usize] as usize..self.starts[k as usize + 1] as usize]
    }
}

impl Blocks {
    /// The blocks of a function; `ends` tells of an operand of a call that it is a function that never returns.
    pub(crate) fn of(function: &Function, ends: impl Fn(&Operand) -> bool) -> Blocks {
        let code = &function.code;
        let leaves: Vec<bool> = code.iter().map(|instruction| leaves(instruction, &ends)).collect();
        let mut begins = vec![false; code.len() + 1];
        begins[0] = true;
        for (k, instruction) in code.iter().enumerate() {
            begins[k + 1] |= leaves[k];
            labels(&instruction.operands, &mut |target| begins[target as usize] = true);
        }
        let mut starts: Vec<u32> = (0..code.len()).filter(|k| begins[*k]).map(|k| k as u32).collect();
        starts.push(code.len() as u32);
        let number = |at: u32| starts.binary_search(&at).ok().filter(|k| *k + 1 < starts.len());
        let mut after = Lists { starts: vec![0], items: Vec::new() };
        for range in starts.windows(2) {
            let last = &code[range[1] as usize - 1];
            let guarded = last.guard.is_some();
            let mut add = |at: u32, jumps: bool, when: Option<Guard>| {
                let to = number(at).map(|to| Edge { to: to as u32, when, jumps });
                after.items.extend(to);
            };
            labels(&last.operands, &mut |target| add(target, true, last.guard));
            if guarded || !leaves[range[1] as usize - 1] {
                let otherwise = last.guard.map(|guard| Guard { negated: !guard.negated, ..guard });
                let leaves = leaves[range[1] as usize - 1];
                add(range[1], false, otherwise.filter(|_| leaves));
            }
            after.starts.push(after.items.len() as u32);
        }
        let reached = reach(&after, starts.len() - 1);
        let before = reversed(&after, &reached);
        Blocks { starts, after, before, reached }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Its instructions.
    pub(crate) fn code(&self, block: u32) -> Range<u32> {
        self.starts[block as usize]..self.starts[block as usize + 1]
    }

    /// The block that an instruction is in.
    pub(crate) fn holding(&self, instruction: u32) -> u32 {
        self.starts.partition_point(|start| *start <= instruction) as u32 - 1
    }

    pub(crate) fn is_reached(&self, block: u32) -> bool {
        self.reached[block as usize]
    }

    pub(crate) fn after(&self, block: u32) -> &[Edge] {
        self.after.of(block)
    }

    pub(crate) fn before(&self, block: u32) -> &[u32] {
        self.before.of(block)
    }
}

/// Whether what comes behind the instruction is not next where the instruction is carried out.
fn leaves(instruction: &Instruction, ends: impl Fn(&Operand) -> bool) -> bool {
    match instruction.inst.meaning(Semantics::Manual) {
        Meaning::Effect(Effect::Call) => instruction.operands.iter().any(ends),
        Meaning::Effect(effect) => matches!(
            effect,
            Effect::Branch | Effect::BranchIndexed | Effect::Return | Effect::Exit | Effect::Trap
        ),
        _ => false,
    }
}

fn labels(operands: &[Operand], visit: &mut impl FnMut(u32)) {
    for operand in operands {
        match operand {
            Operand::Label(target) => visit(target.0),
            Operand::Vector(items) => labels(items, visit),
            _ => {}
        }
    }
}

fn reach(after: &Lists<Edge>, count: usize) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut open = if count > 0 { vec![0] } else { Vec::new() };
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut reached[block as usize], true) {
            open.extend(after.of(block).iter().map(|edge| edge.to));
        }
    }
    reached
}

/// The blocks from which each can be reached at once.
fn reversed(after: &Lists<Edge>, reached: &[bool]) -> Lists<u32> {
    let blocks = || (0..reached.len() as u32).filter(|block| reached[*block as usize]);
    let mut starts = vec![0u32; reached.len() + 1];
    for edge in blocks().flat_map(|block| after.of(block)) {
        starts[edge.to as usize + 1] += 1;
    }
    (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
    let mut items = vec![0; starts[reached.len()] as usize];
    let mut next = starts.clone();
    for block in blocks() {
        for edge in after.of(block) {
            let at = &mut next[edge.to as usize];
            items[*at as usize] = block;
            *at += 1;
        }
    }
    Lists { starts, items }
}
