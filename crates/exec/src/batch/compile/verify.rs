//! A judge of the intermediate representation: every value is made before it is used, once, and has the type that its use asks for.

use crate::batch::compile::analysis::{results, step_needed, step_operands};
use crate::batch::compile::ir::{BlockIr, Item, ValueDef, ValueId, slot_type};
use crate::batch::compile::liveness::Bits;
use crate::code::Code;
use margay_isa::uop::Type;

/// Says what is wrong with a block's values, as far as anything needs them.
pub(super) fn verify(code: &Code, ir: &BlockIr, needed: &Bits) -> Result<(), String> {
    let mut made = Bits::new(ir.values.len());
    for item in &ir.items {
        match item {
            Item::Value(node) if needed.has(*node as usize) => {
                value(ir, *node, &made)?;
                make(*node, &mut made)?;
            }
            Item::Value(_) => {}
            Item::Step(k) => {
                let step = &ir.steps[*k as usize].step;
                if step_needed(step, needed) {
                    let mut missing = None;
                    step_operands(ir, *k, &mut |node| {
                        if !made.has(node as usize) {
                            missing = Some(node);
                        }
                    });
                    missing
                        .map_or(Ok(()), |node| Err(format!("step {k} reads %{node} before it is made")))?;
                }
                for node in results(step) {
                    match ir.values[node as usize].from {
                        ValueDef::Step(of) if of == *k => make(node, &mut made)?,
                        other => return Err(format!("step {k} gives %{node}, which is {other:?}")),
                    }
                }
            }
        }
    }
    if let Some(node) = needed.iter().find(|node| !made.has(*node)) {
        return Err(format!("%{node} is needed, and nothing makes it"));
    }
    for (slot, node) in &ir.last {
        let (ty, wanted) = (ir.ty(*node), slot_type(code, *slot));
        if ty != wanted {
            return Err(format!("slot {slot} of {wanted:?} is set to %{node} of {ty:?}"));
        }
    }
    let predicates =
        ir.sides.iter().map(|(node, _)| node).chain(ir.steps.iter().filter_map(|s| s.guard.as_ref()));
    match predicates.copied().find(|node| ir.ty(*node) != Type::Pred) {
        Some(node) => Err(format!("%{node} is asked whether it holds, and is no predicate")),
        None => Ok(()),
    }
}

fn make(node: ValueId, made: &mut Bits) -> Result<(), String> {
    if made.has(node as usize) {
        return Err(format!("%{node} is made twice"));
    }
    made.put(node as usize);
    Ok(())
}

/// Whether an operation's operands are there, and of its types.
fn value(ir: &BlockIr, node: ValueId, made: &Bits) -> Result<(), String> {
    let value = ir.values[node as usize];
    let ValueDef::Op(op, operands) = value.from else { return Ok(()) };
    if op.result() != value.ty {
        return Err(format!("%{node} of {:?} is the result of `{op}`", value.ty));
    }
    for (operand, wanted) in operands.iter().zip(op.operands()) {
        if !made.has(*operand as usize) {
            return Err(format!("%{node} = `{op}` reads %{operand} before it is made"));
        }
        if ir.ty(*operand) != *wanted {
            return Err(format!("%{node} = `{op}` reads %{operand} of {:?}", ir.ty(*operand)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::compile::analysis::{Function, needed, needed_after};
    use crate::{Launch, Memory, Program};

    const TEXT: &str = ".version 8.0 .target sm_80 .address_size 64
        .visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p;
        mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
        ld.global.u32 %r2, [%rd3]; setp.lt.u32 %p, %r1, 5; mul.lo.u32 %r3, %r2, %r1; @%p st.global.u32 [%rd3], %r3;
        ret; }";

    /// What is wrong with the kernel after a change.
    fn after(change: impl Fn(&mut BlockIr)) -> Result<(), String> {
        let module = margay_front::compile(TEXT).expect("a module");
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).expect("a program");
        let entry = module.entry("k").expect("the kernel");
        let launch = Launch { parameters: vec![0; 8], block: 32.into(), ..Launch::new(entry) };
        let (job, _) = launch.job(&program, &memory).expect("a job");
        let request = job.ready.request(1, true).expect("code");
        let mut function = Function::of(&request);
        let block = &function.blocks[0];
        let ir = &mut function.irs[0];
        change(ir);
        let needed = needed(ir, &needed_after(block, &function.live, request.code.slots));
        verify(request.code, ir, &needed)
    }

    /// The first operation that is no constant.
    fn op(ir: &BlockIr) -> usize {
        ir.values.iter().rposition(|value| matches!(value.from, ValueDef::Op(..))).expect("an operation")
    }

    #[test]
    fn values_that_hang_together_pass_and_others_do_not() {
        assert_eq!(after(|_| {}), Ok(()));
        type Change = fn(&mut BlockIr);
        let wrong: [(Change, &str); 5] = [
            (|ir| ir.items.reverse(), "before it is made"),
            (|ir| ir.items.retain(|item| !matches!(item, Item::Value(_))), "before it is made"),
            (|ir| ir.items.insert(0, ir.items[0]), "is made twice"),
            (
                |ir| {
                    let op = op(ir);
                    ir.values[op].ty = Type::U64
                },
                "is the result of",
            ),
            (
                |ir| {
                    ir.steps.iter_mut().for_each(|s| {
                        if s.guard.is_some() {
                            s.guard = Some(0)
                        }
                    })
                },
                "is no predicate",
            ),
        ];
        for (k, (change, part)) in wrong.into_iter().enumerate() {
            let fault = after(change).expect_err("a fault");
            assert!(fault.contains(part), "change {k}: {fault}");
        }
    }
}
