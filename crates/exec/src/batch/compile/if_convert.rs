//! Short sides of branches that only compute: all threads carry them out, and keep what they gain where the side is theirs.
//!
//! For threads to part and meet again takes longer than some operations do. A side is a stretch that nothing else jumps into;
//! its instructions get the branch's guard, as if the text had been written so.

use crate::batch::compile::analysis::Analysis;
use crate::batch::compile::cfg::hands_over;
use crate::batch::compile::ir::{BlockIr, ValueDef, ValueId};
use crate::batch::compile::liveness;
use crate::batch::compile::request::CompileRequest;
use crate::batch::compile::uniformity::Uniformity;
use crate::code::{Action, Code, Guard, Op, Side};
use foldhash::HashMap;
use margay_front::module::Space;
use margay_isa::uop::{Logic, Op as Micro};
use std::ops::Range;

/// Instructions of a side, at most.
const SHORT: u32 = 12;

/// A branch whose sides could be carried out by all.
struct Candidate {
    branch: u32,
    sides: Vec<Side>,
}

/// The code with the sides of those branches guarded at which threads would part. None if there are none: then what was found out
/// about the code as it is, if that was asked.
pub(super) fn if_convert(
    request: &CompileRequest,
    analyse: impl FnOnce() -> Analysis,
) -> (Option<Code>, Option<Analysis>) {
    let candidates = candidates(request.code);
    if candidates.is_empty() {
        return (None, None);
    }
    let analysis = analyse();
    let blocks = analysis.function.blocks.iter().enumerate().filter(|(_, block)| block.first < block.end);
    let ending: HashMap<u32, usize> = blocks.map(|(b, block)| (block.end, b)).collect();
    let parts = |candidate: &&Candidate| {
        let found = ending.get(&(candidate.branch + 1));
        found.is_some_and(|b| may_part(&analysis.function.irs[*b], &analysis.uniformities.values[*b]))
    };
    let chosen: Vec<&Candidate> = candidates.iter().filter(parts).collect();
    if chosen.is_empty() {
        return (None, Some(analysis));
    }
    let mut code = request.code.clone();
    for Candidate { branch, sides } in chosen {
        code.ops[*branch as usize] = Op { guard: None, action: Action::Nothing };
        for side in sides {
            for op in &mut code.ops[side.stretch.start as usize..side.stretch.end as usize] {
                op.guard = Some(side.guard);
                if matches!(op.action, Action::Branch(_)) {
                    op.action = Action::Nothing;
                }
            }
            code.sides.push(side.clone());
        }
    }
    (Some(code), None)
}

/// Whether threads may part at a block's end, and that cannot be told from the ends of affine values.
fn may_part(ir: &BlockIr, uniformities: &[Uniformity]) -> bool {
    let Some(decides) = ir.decides else { return false };
    let varies = |node: ValueId| uniformities[node as usize] == Uniformity::Varying;
    let from = |node: ValueId| ir.values[node as usize].from;
    let compared = match from(decides) {
        ValueDef::Op(Micro::Pred(Logic::Xor), [a, b, _]) if ir.known_bits(a) == Some(1) => b,
        ValueDef::Op(Micro::Pred(Logic::Xor), [a, b, _]) if ir.known_bits(b) == Some(1) => a,
        _ => decides,
    };
    match from(compared) {
        ValueDef::Op(Micro::Cmp32(_) | Micro::Cmp64(_), [x, y, _]) => varies(x) || varies(y),
        _ => varies(decides),
    }
}

fn candidates(code: &Code) -> Vec<Candidate> {
    // How many instructions jump to each.
    let mut jumps: HashMap<u32, u32> = HashMap::default();
    for op in &code.ops {
        match &op.action {
            Action::Branch(target) => *jumps.entry(*target).or_default() += 1,
            Action::BranchIndexed(branch) => {
                branch.1.iter().for_each(|target| *jumps.entry(*target).or_default() += 1);
            }
            _ => {}
        }
    }
    let branches = code.ops.iter().enumerate().filter_map(|(pc, op)| match (&op.action, op.guard) {
        (Action::Branch(target), Some(guard)) => Some((pc as u32, *target, guard)),
        _ => None,
    });
    branches.filter_map(|(branch, target, guard)| candidate(code, &jumps, branch, target, guard)).collect()
}

fn candidate(
    code: &Code,
    jumps: &HashMap<u32, u32>,
    branch: u32,
    target: u32,
    guard: Guard,
) -> Option<Candidate> {
    let not = Guard { runs_if: guard.runs_if ^ 1, ..guard };
    let entered = |range: Range<u32>| range.into_iter().any(|pc| jumps.contains_key(&pc));
    let first = branch + 1;
    // The first side may end with a jump over the second.
    if target <= first || target - first > SHORT + 1 || entered(first..target) {
        return None;
    }
    // One side alone: those that branch meet the others at once.
    if is_pure(code, first..target, guard.slot) {
        let side = Side { stretch: first..target, guard: not, meet: target };
        return Some(Candidate { branch, sides: vec![side] });
    }
    // Two of them, the first of which jumps over the second.
    let jump = &code.ops[target as usize - 1];
    let (Action::Branch(meet), None) = (&jump.action, jump.guard) else { return None };
    let is_side = |range: Range<u32>| is_pure(code, range, guard.slot);
    let alone = jumps.get(&target) == Some(&1) && *meet > target;
    let are_sides = alone && is_side(first..target - 1) && is_side(target..*meet);
    (are_sides && !entered(target + 1..*meet)).then(|| Candidate {
        branch,
        sides: vec![
            Side { stretch: first..target, guard: not, meet: *meet },
            Side { stretch: target..*meet, guard, meet: *meet },
        ],
    })
}

/// Whether instructions do nothing but compute, in all threads that come to them, and leave the guard as it is.
fn is_pure(code: &Code, range: Range<u32>, guard: u32) -> bool {
    let pure = |op: &Op| {
        let mut keeps = true;
        liveness::writes(op, &mut |slot| keeps &= slot != guard);
        let computes = match &op.action {
            action if hands_over(action) => false,
            Action::Compute(_) | Action::Shift(_) | Action::Equals(_) | Action::Nothing => true,
            Action::TestFrames(_) => true,
            // Memory is asked by a step.
            Action::TestSpace(test) => !matches!(test.2, Space::Const | Space::Global),
            _ => false,
        };
        op.guard.is_none() && computes && keeps
    };
    range.end - range.start <= SHORT && code.ops[range.start as usize..range.end as usize].iter().all(pure)
}
