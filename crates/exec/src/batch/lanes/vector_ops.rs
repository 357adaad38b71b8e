//! Operations of a plan, checked for the lines that they are carried out on, with what carries each out.

use crate::batch::lanes::handlers::Handler;
use crate::batch::lanes::jit;
use crate::batch::lanes::{Fused, MachineStage, Place, Runs, Simd, UNIT, VectorOp, What, Work, width};
use margay_isa::uop::Type;
use std::sync::OnceLock;

/// The handler of an operation that reaches nothing outside so many lines, and gives each thread a value.
///
/// # Panics
/// If it does; or if the handler reads or writes other lines than the operation's types have.
pub(super) fn check(vector_op: &VectorOp, lines: usize, groups: usize) -> Handler {
    let (types, result) = vector_op.what.types();
    let handler = Handler::of(vector_op.what);
    let mut reads = [0; 3];
    reads.iter_mut().zip(types).for_each(|(lines, ty)| *lines = width(*ty));
    assert!(
        handler.lines() == (reads, width(result)),
        "the handler of {:?} is for other types",
        vector_op.what
    );
    assert!(vector_op.to.step() > 0 && groups.is_multiple_of(UNIT), "{vector_op:?} is for single values");
    let to = Place { stride: width(result), ..vector_op.to };
    let read = vector_op.from.iter().zip(types).map(|(place, ty)| (*place, *ty));
    let furthest = furthest(read.chain([(to, result)]), groups);
    assert!(furthest <= lines, "{vector_op:?} reaches outside");
    handler
}

/// The line behind the last one of some places of some types.
fn furthest(places: impl Iterator<Item = (Place, Type)>, groups: usize) -> usize {
    let end = |(place, ty): (Place, Type)| {
        place.line as usize + place.step() * (groups - 1) + usize::from(width(ty))
    };
    places.map(end).max().unwrap_or(0)
}

/// Operations none of which reaches outside so many lines, for so many groups of threads.
pub(crate) struct VectorOps {
    pub(super) vector_ops: Vec<VectorOp>,
    /// What carries each out.
    pub(super) handlers: Vec<Handler>,
    pub(super) lines: usize,
    pub(super) groups: usize,
    pub(super) runs: Runs,
    /// By level.
    compiled: [OnceLock<Option<jit::Compiled>>; Simd::ALL.len()],
}

impl VectorOps {
    /// # Panics
    /// If an operation reaches outside: a plan never has such a one.
    pub(crate) fn new(lines: usize, groups: usize, vector_ops: Vec<VectorOp>, runs: Runs) -> VectorOps {
        let handlers = vector_ops.iter().map(|vector_op| check(vector_op, lines, groups)).collect();
        for (item, turns) in runs.fused_loops.iter().flat_map(Fused::each) {
            if turns && item.to().step() == 0 {
                let places = item.operands().into_iter().chain([(item.to(), item.result())]);
                assert!(furthest(places, groups) <= lines, "{item:?} reaches outside");
                continue;
            }
            match &item.work {
                Work::VectorOp(vector_op) => _ = check(vector_op, lines, groups),
                // As an operation that moves a value.
                Work::Exchange { from, to, .. } => {
                    assert!(from.stride == 1 && to.stride == 1, "{from:?} to {to:?}");
                    let what = What::Move(item.result());
                    _ = check(&VectorOp { what, to: *to, from: [*from; 3] }, lines, groups);
                }
                // As an operation that has nothing else to read.
                Work::Load { to, .. } => {
                    let what = What::Move(item.result());
                    _ = check(&VectorOp { what, to: *to, from: [*to; 3] }, lines, groups);
                }
            }
        }
        assert!(
            vector_ops.len() == runs.lasts.len(),
            "it is not known what is read of {} operations",
            vector_ops.len()
        );
        VectorOps { vector_ops, handlers, lines, groups, runs, compiled: Default::default() }
    }

    /// The machine code of runs, if this level has any.
    pub(super) fn compiled(&self, simd: Simd) -> Option<&jit::Compiled> {
        if !Simd::available().contains(&simd) {
            return None;
        }
        let new = || jit::Compiled::new(simd, &self.vector_ops, &self.runs);
        self.compiled[simd as usize].get_or_init(new).as_ref()
    }

    /// Groups of threads.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    pub(crate) fn list(&self) -> &[VectorOp] {
        &self.vector_ops
    }

    /// The machine code as text, whether this machine could run it or not.
    pub(crate) fn machine_code(&self, stage: MachineStage, simd: Simd) -> String {
        jit::print(&self.vector_ops, &self.runs, stage, simd)
    }
}

/// Whether an operation can be compiled: those that cannot are carried out in runs of their own.
pub(crate) fn can_be_compiled(what: What) -> bool {
    match what {
        What::Op(op) => jit::is_known(op),
        What::Move(_) => true,
    }
}
