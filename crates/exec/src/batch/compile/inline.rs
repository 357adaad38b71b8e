//! Calls are inlined: the code of functions stands where they are called, with registers and local memory of their own.
//!
//! A call becomes copies of its arguments, a return copies of its results and a branch behind the call; neither can be told
//! from what the golden engine does. An instruction's origin says in which calls a thread stands that comes to it, so that the
//! golden engine can go on in the middle of them. A function that calls itself is inlined once; calls inside of it begin another
//! activation of the same code. What is not inlined (functions whose stack grows, code that would become too long) stays a call, at
//! which threads are handed over.

mod activations;
mod call;
mod frames;
mod looks;
mod pass;
mod provided;
mod recursion;

use crate::batch::compile::cfg::split;
use crate::batch::compile::liveness::{self, live};
use crate::batch::compile::request::CompileRequest;
use crate::batch::origins::{Caller, Node, Origin, Origins, Role, Root};
use crate::code::{Action, Call, Code, Guard, Named, Op, Source, Spot, Target};
use crate::frame::CALL_BYTES;
use crate::frame::LOCAL_LIMIT;
use foldhash::HashMap;
use looks::is_look;
use margay_front::module::FunctionId;

pub(super) use activations::activate;

/// Instructions of the code, at most: so many times those of all functions together, and so many.
const GROWTH: usize = 8;
const MOST: usize = 20_000;

/// Functions that may be at an address that is called, at most.
const TARGETS: usize = 32;

/// Calls inside calls, at most.
const DEEP: usize = 32;

/// The code with calls inlined, and where its instructions come from.
pub(crate) struct Inlined {
    pub(crate) code: Code,
    pub(crate) origins: Origins,
}

/// Inlines a kernel's calls and asynchronous copies; none if there is none that can be.
pub(super) fn inline(request: &CompileRequest) -> Option<Inlined> {
    let calls = |code: &Code| {
        let changes =
            |action: &Action| matches!(action, Action::Call(_) | Action::Copy(_)) || is_look(action);
        code.ops.iter().any(|op| changes(&op.action))
    };
    if !request.may_transform || request.callees.frame.apart || !calls(request.code) {
        return None;
    }
    let text: usize = request.callees.code.iter().flatten().map(|code| code.ops.len()).sum();
    let mut inliner = Inliner {
        request,
        most: (GROWTH * text).min(MOST),
        ops: Vec::new(),
        at: Vec::new(),
        widths: Vec::new(),
        nodes: Vec::new(),
        used: vec![Usage { registers: 0, calls: 0 }],
        roots: Vec::new(),
        calls: HashMap::default(),
        stack_bytes: 0,
        also_read: HashMap::default(),
        first_reads: HashMap::default(),
        passed: HashMap::default(),
    };
    inliner.widths.extend(&request.code.widths);
    let top = request.callees.frame.stack(FunctionId(request.callees.entry)).map_or(0, |stack| stack.bytes);
    let slots = request.code.slots as u32;
    inliner.nodes.push(Node {
        caller: None,
        function: request.callees.entry,
        first_slot: 0,
        slots,
        local: 0,
        top,
    });
    inliner.used[0].registers = slots.into();
    inliner.expand(0, request.code, &[]);
    let Inliner { ops, at, widths, nodes, also_read, roots, stack_bytes, .. } = inliner;
    if nodes.len() == 1 && ops.len() == request.code.ops.len() {
        return None;
    }
    let code = Code { ops, slots: widths.len(), widths, also_read, ..request.code.clone() };
    Some(Inlined { code, origins: Origins::new(nodes, at).with_roots(roots, stack_bytes) })
}

struct Inliner<'a> {
    request: &'a CompileRequest<'a>,
    /// How many instructions there may be.
    most: usize,
    ops: Vec<Op>,
    at: Vec<Origin>,
    widths: Vec<u32>,
    nodes: Vec<Node>,
    /// By node, what the stack holds there.
    used: Vec<Usage>,
    /// Functions that call themselves.
    roots: Vec<Root>,
    /// By function, those that it calls.
    calls: HashMap<u32, Vec<u32>>,
    /// Bytes of the stack that a thread needs.
    stack_bytes: u64,
    /// As the code has it.
    also_read: HashMap<u32, Vec<u32>>,
    /// By function, the slots that may be read before they are written.
    first_reads: HashMap<u32, Vec<u32>>,
    /// By function that calls itself, what passes to it and from it.
    passed: HashMap<u32, Option<pass::Passed>>,
}

/// What a thread's stack holds beside local memory.
#[derive(Clone, Copy)]
struct Usage {
    registers: u64,
    calls: u64,
}

/// A function that can be inlined.
struct Fitting<'a> {
    code: &'a Code,
    node: Node,
    way: Way,
}

/// What becomes of a call.
enum Way {
    /// The function's code.
    Inlined,
    /// The same, to which calls inside of it go too.
    Root,
    /// A branch to the code of this root.
    Again(u32),
}

/// Instructions that go behind one that is not there yet.
#[derive(Default)]
struct Behind(Vec<usize>);

impl<'a> Inliner<'a> {
    /// Adds a function's code; what it gives back goes to these places of its caller.
    fn expand(&mut self, node: u32, code: &Code, results: &[Spot]) {
        let reached = reached(code);
        let is_kernel = node == 0;
        let last =
            if is_kernel { code.ops.len() } else { reached.iter().rposition(|r| *r).map_or(0, |k| k + 1) };
        let mut first = vec![0u32; code.ops.len() + 1];
        let mut behind = Behind::default();
        let mut branches = Vec::new();
        for (pc, op) in code.ops[..last].iter().enumerate() {
            first[pc] = self.ops.len() as u32;
            if !is_kernel && !reached[pc] {
                continue;
            }
            let mut op = op.clone();
            self.rename(node, &mut op);
            let pc = pc as u32;
            match &op.action {
                Action::Call(call) => self.call(node, pc, op.guard, call),
                Action::Copy(copy) => self.copy_to_shared(node, pc, &op, copy),
                Action::Object(step) if is_look(&op.action) => self.look(node, pc, &op, step),
                Action::Return if !is_kernel => {
                    let ends = pc as usize + 1 == last;
                    // Where an activation ends, it is found out whom its results are for.
                    let passed: (&[Spot], &[Spot]) =
                        if self.is_root(node) { (&[], &[]) } else { (&code.returns, results) };
                    self.give_back(node, pc, op.guard, passed, ends, &mut behind);
                }
                Action::Branch(_) | Action::BranchIndexed(_) => {
                    branches.push(self.ops.len());
                    self.push(op, self.own(node, pc));
                }
                _ => self.push(op, self.own(node, pc)),
            }
        }
        for k in branches {
            self.ops[k].retarget(&first);
        }
        self.arrive(behind);
    }

    /// Threads in which a guard does not hold go behind what follows.
    fn skip(&mut self, origin: Origin, guard: Option<Guard>, behind: &mut Behind) {
        if let Some(guard) = guard {
            let not = Guard { runs_if: guard.runs_if ^ 1, ..guard };
            behind.0.push(self.ops.len());
            self.push(Op { guard: Some(not), action: Action::Branch(0) }, origin);
        }
    }

    /// Whoever goes on with the next instruction may have to find out again whether a guard holds, and what is called.
    fn needs(&mut self, guard: Option<Guard>, address: Option<&Source>) {
        let mut slots: Vec<u32> = guard.iter().map(|guard| guard.slot).collect();
        address.iter().for_each(|source| liveness::source(source, &mut |slot| slots.push(slot)));
        if !slots.is_empty() {
            self.also_read.insert(self.ops.len() as u32, slots);
        }
    }

    /// Lets an instruction that has not been counted count with the last of those that it became.
    fn count(&mut self, from: usize, origin: Origin) {
        if origin.paid {
            return;
        }
        if self.ops.len() == from {
            self.push(Op { guard: None, action: Action::Nothing }, origin);
        }
        if let Some(last) = self.at.last_mut() {
            last.counts = true;
        }
    }

    /// A new slot of so many bits.
    fn scratch(&mut self, width: u32) -> u32 {
        self.widths.push(width);
        self.widths.len() as u32 - 1
    }

    /// Those that go behind it go here.
    fn arrive(&mut self, behind: Behind) {
        let here = self.ops.len() as u32;
        for k in behind.0 {
            self.ops[k].action = Action::Branch(here);
        }
    }

    /// The origin of an instruction that is as it was.
    fn own(&self, node: u32, pc: u32) -> Origin {
        Origin { node, pc, counts: true, paid: false, reach: node, role: Role::None }
    }

    fn push(&mut self, op: Op, origin: Origin) {
        self.ops.push(op);
        self.at.push(origin);
    }

    /// The code of a function that is called, where it lies and what becomes of the call, if it can be inlined.
    fn fitting(&mut self, node: u32, call: &Call, pc: u32, function: u32) -> Option<Fitting<'a>> {
        let callees = &self.request.callees;
        let callee = callees.code.get(function as usize)?.as_ref()?;
        let deep = self.up(node).count() > DEEP;
        let passes = call.arguments.len() == callee.parameters.len()
            && call.results.len() == callee.returns.len()
            && call.arguments.iter().zip(&callee.parameters).all(|(from, to)| pass::fits(from, to))
            && callee.returns.iter().zip(&call.results).all(|(from, to)| pass::fits(from, to));
        // What follows may be as long as what has been added.
        let fits = self.ops.len() + callee.ops.len() <= self.most;
        if deep || !passes || !fits || callee.grows_stack() || moves_stack(callee) {
            return None;
        }
        let stack = callees.frame.stack(FunctionId(function))?;
        let way = self.way(node, call, function, callee, stack.align)?;
        let (local, top) = stack.behind(self.nodes[node as usize].top);
        let Usage { registers, calls } = self.used[node as usize];
        let slots = callee.slots as u32;
        let needed = top + 8 * (registers + u64::from(slots)) + (calls + 1) * CALL_BYTES;
        if !matches!(way, Way::Again(_)) {
            if needed > LOCAL_LIMIT {
                return None;
            }
            self.stack_bytes = self.stack_bytes.max(needed);
        }
        let caller = Some(Caller { node, pc });
        let first_slot = self.widths.len() as u32;
        Some(Fitting { code: callee, node: Node { caller, function, first_slot, slots, local, top }, way })
    }

    /// A node, the one that calls it, and so on to the kernel.
    fn up(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(node), |node| self.nodes[*node as usize].caller.map(|caller| caller.node))
    }

    /// The slots of a function that may be read before they are written: they begin as 0.
    fn first_reads(&mut self, function: u32, code: &Code) -> Vec<u32> {
        let found = self.first_reads.entry(function).or_insert_with(|| {
            let mut slots = live(code, &split(code))[0].clone();
            for spot in &code.returns {
                if let Spot::Value { source, .. } = spot {
                    liveness::source(source, &mut |slot| slots.put(slot as usize));
                }
            }
            slots.iter().map(|slot| slot as u32).collect()
        });
        found.clone()
    }

    /// Gives what an instruction names its place in the code.
    fn rename(&self, node: u32, op: &mut Op) {
        let Node { first_slot, local, .. } = self.nodes[node as usize];
        op.each_named(&mut |named| rename(named, first_slot, local));
        if let Action::Call(call) = &mut op.action {
            call.arguments.iter_mut().chain(&mut call.results).for_each(|spot| {
                if let Spot::Memory { at, .. } = spot {
                    *at += local;
                }
            });
        }
    }

    fn rename_spot(&self, node: u32, spot: &mut Spot) {
        let Node { first_slot, local, .. } = self.nodes[node as usize];
        spot.each_named(&mut |named| rename(named, first_slot, local));
        if let Spot::Memory { at, .. } = spot {
            *at += local;
        }
    }

    /// Copies what is passed from one function to another.
    fn copy(&mut self, from: &[Spot], to: &[Spot], origin: Origin) {
        for (from, to) in from.iter().zip(to) {
            let widths = &mut self.widths;
            let mut scratch = || {
                widths.push(64);
                widths.len() as u32 - 1
            };
            let ops = pass::copy(from, to, &mut scratch);
            for op in ops {
                self.push(op, origin);
            }
        }
    }
}

fn rename(named: Named, first_slot: u32, local: u64) {
    match named {
        Named::Guard(guard) => guard.slot += first_slot,
        Named::Source(Source::Register { slot, .. } | Source::Wide { slot })
        | Named::Target(Target::Register { slot, .. } | Target::Wide { slot, .. }) => *slot += first_slot,
        Named::Source(Source::Frame(offset)) => *offset = offset.wrapping_add(local),
        Named::Source(Source::Constant(_) | Source::Special { .. }) | Named::Target(Target::Sink) => {}
    }
}

/// For every instruction, whether some way leads to it.
fn reached(code: &Code) -> Vec<bool> {
    let mut reached = vec![false; code.ops.len()];
    let mut open = vec![0];
    while let Some(pc) = open.pop() {
        if pc >= reached.len() || std::mem::replace(&mut reached[pc], true) {
            continue;
        }
        let op = &code.ops[pc];
        let goes_on = match &op.action {
            Action::Branch(target) => {
                open.push(*target as usize);
                false
            }
            Action::BranchIndexed(branch) => {
                open.extend(branch.1.iter().map(|target| *target as usize));
                false
            }
            Action::Return | Action::Exit | Action::Trap(_) => false,
            _ => true,
        };
        if goes_on || op.guard.is_some() {
            open.push(pc + 1);
        }
    }
    reached
}

/// Whether a function moves the end of its stack.
fn moves_stack(code: &Code) -> bool {
    code.ops.iter().any(|op| matches!(op.action, Action::SaveStack(_) | Action::RestoreStack(_)))
}
