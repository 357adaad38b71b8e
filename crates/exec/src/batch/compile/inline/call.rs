//! What calls, returns and asynchronous copies become.

use crate::batch::compile::inline::{Behind, Fitting, Inliner, TARGETS, Usage, Way, pass};
use crate::batch::compile::request::Callees;
use crate::batch::origins::{Node, Origin, Role};
use crate::code::{Action, Call, Callee, Code, Copy, Guard, Op, Source, Spot, Target};
use crate::golden;

impl<'a> Inliner<'a> {
    /// A call, made the code of what it calls where that fits.
    pub(super) fn call(&mut self, node: u32, pc: u32, guard: Option<Guard>, call: &Call) {
        let mut behind = Behind::default();
        let op = |guard| Op { guard, action: Action::Call(Box::new(call.clone())) };
        let own = self.own(node, pc);
        let not_counted = Origin { counts: false, paid: guard.is_some(), ..own };
        match &call.callee {
            Callee::Named(function) => match self.fitting(node, call, pc, *function) {
                Some(fitting) => {
                    self.skip(own, guard, &mut behind);
                    self.needs(guard, None);
                    self.expand_call(not_counted, (guard, None), call, fitting);
                }
                None => self.push(op(guard), own),
            },
            Callee::At(address, listed) => {
                let targets = self.targets(call, listed.as_deref());
                if !(1..=TARGETS).contains(&targets.len()) {
                    return self.push(op(guard), own);
                }
                self.skip(own, guard, &mut behind);
                for function in targets {
                    let Some(fitting) = self.fitting(node, call, pc, function) else { continue };
                    let is_it = self.scratch(1);
                    let place = self.request.layout.function(function);
                    self.equals(not_counted, guard, (address, place), is_it);
                    let mut next = Behind::default();
                    self.skip(not_counted, Some(Guard { slot: is_it, runs_if: 1 }), &mut next);
                    self.needs(guard, Some(address));
                    self.expand_call(not_counted, (guard, Some(address)), call, fitting);
                    self.leap(node, pc, &mut behind);
                    self.arrive(next);
                }
                // Whatever else it is, the golden engine finds out.
                self.needs(guard, None);
                self.push(op(None), Origin { counts: guard.is_none(), ..not_counted });
            }
            Callee::Inside { .. } => self.push(op(guard), own),
            Callee::Provided(provided) => {
                if !self.provided(own, guard, call, *provided, &mut behind) {
                    self.push(op(guard), own);
                }
            }
        }
        self.arrive(behind);
    }

    /// An asynchronous copy, which is done at once: a load and a store. Where a register says how much of it is read, it may be
    /// all or nothing.
    pub(super) fn copy_to_shared(&mut self, node: u32, pc: u32, op: &Op, copy: &Copy) {
        let own = self.own(node, pc);
        let is_all = |read: &Source| matches!(read, Source::Constant(bytes) if *bytes >= copy.bytes.into());
        match &copy.read {
            None => self.load_and_store(own, op.guard, copy),
            Some(read) if is_all(read) => self.load_and_store(own, op.guard, copy),
            Some(read @ Source::Register { .. }) => {
                let (mut behind, mut not_all, mut some) = <(Behind, Behind, Behind)>::default();
                let not_counted = Origin { counts: false, paid: op.guard.is_some(), ..own };
                self.skip(own, op.guard, &mut behind);
                let is_it = self.scratch(1);
                let hit = Some(Guard { slot: is_it, runs_if: 1 });
                self.equals(not_counted, op.guard, (read, copy.bytes.into()), is_it);
                self.skip(not_counted, hit, &mut not_all);
                self.needs(op.guard, Some(read));
                let counted = Origin { counts: op.guard.is_none(), ..not_counted };
                self.load_and_store(counted, None, copy);
                self.leap(node, pc, &mut behind);
                self.arrive(not_all);
                self.equals(not_counted, op.guard, (read, 0), is_it);
                self.skip(not_counted, hit, &mut some);
                self.needs(op.guard, Some(read));
                self.push(pass::clear_shared(copy), counted);
                self.leap(node, pc, &mut behind);
                self.arrive(some);
                self.needs(op.guard, None);
                self.push(Op { guard: None, ..op.clone() }, counted);
                self.arrive(behind);
            }
            Some(_) => self.push(op.clone(), own),
        }
    }

    fn load_and_store(&mut self, origin: Origin, guard: Option<Guard>, copy: &Copy) {
        let widths = &mut self.widths;
        let mut scratch = |width| {
            widths.push(width);
            widths.len() as u32 - 1
        };
        let [load, store] = pass::copy_to_shared(copy, guard, &mut scratch);
        self.push(load, Origin { counts: false, ..origin });
        self.push(store, origin);
    }

    /// Whether a source is a constant, in a slot.
    fn equals(&mut self, origin: Origin, guard: Option<Guard>, (source, wanted): (&Source, u64), slot: u32) {
        let target = Target::Register { slot, spread: 0, mask: 1 };
        self.needs(guard, None);
        let equals = Action::Equals(Box::new((source.clone(), target, wanted)));
        self.push(Op { guard: None, action: equals }, origin);
    }

    /// Threads that are done with an instruction go behind what it became.
    fn leap(&mut self, node: u32, pc: u32, behind: &mut Behind) {
        behind.0.push(self.ops.len());
        let over = Origin { counts: false, ..self.own(node, pc + 1) };
        self.push(Op { guard: None, action: Action::Branch(0) }, over);
    }

    /// The functions that may be at an address that is called.
    pub(super) fn targets(&self, call: &Call, listed: Option<&[u32]>) -> Vec<u32> {
        let Callees { code, entry, .. } = self.request.callees;
        let is_target = |(function, code): (u32, &Code)| {
            function != entry
                && listed.is_none_or(|listed| listed.contains(&function))
                && golden::fits(&call.arguments, &code.parameters)
                && golden::fits(&call.results, &code.returns)
        };
        let all = (0..).zip(code).filter_map(|(function, code)| Some((function, code.as_ref()?)));
        all.filter(|one| is_target(*one)).map(|(function, _)| function).collect()
    }

    /// A call becomes what it calls; where it is found out again what is called, a guard and an address are read.
    fn expand_call(
        &mut self,
        call_at: Origin,
        again: (Option<Guard>, Option<&Source>),
        call: &Call,
        fitting: Fitting<'a>,
    ) {
        match fitting.way {
            Way::Inlined => self.body(call_at, call, fitting),
            Way::Root => self.root(call_at, call, fitting),
            Way::Again(root) => self.call_again(call_at, again, call, (root, fitting.node.function)),
        }
    }

    /// Copies of arguments, a frame that begins as 0, and the function's code.
    fn body(&mut self, call_at: Origin, call: &Call, Fitting { code: callee, node: child, .. }: Fitting<'a>) {
        let from = self.ops.len();
        let number = self.add_node(call_at.node, callee, child);
        let origin = Origin { reach: number, ..call_at };
        self.fresh_frame(number, callee, origin);
        let mut wanted = callee.parameters.clone();
        wanted.iter_mut().for_each(|spot| self.rename_spot(number, spot));
        self.copy(&call.arguments, &wanted, origin);
        self.count(from, origin);
        self.expand(number, callee, &call.results);
    }

    /// Adds a function where another one calls it; gives the number of its node.
    pub(super) fn add_node(&mut self, caller: u32, callee: &Code, child: Node) -> u32 {
        let number = self.nodes.len() as u32;
        let usage = self.used[caller as usize];
        let child = Node { first_slot: self.widths.len() as u32, ..child };
        self.nodes.push(child);
        self.used.push(Usage { registers: usage.registers + u64::from(child.slots), calls: usage.calls + 1 });
        self.widths.extend(&callee.widths);
        number
    }

    /// What a function may read before it writes it begins as 0.
    pub(super) fn fresh_frame(&mut self, node: u32, callee: &Code, origin: Origin) {
        let Node { function, first_slot, local, top, .. } = self.nodes[node as usize];
        for slot in self.first_reads(function, callee) {
            let target = Target::Register { slot: first_slot + slot, spread: 0, mask: u64::MAX };
            self.push(pass::set(Source::Constant(0), target), origin);
        }
        // In another activation the frame lies at another multiple of 8.
        let is_inside = origin.role == Role::Begins || self.up(node).any(|node| self.is_root(node));
        for op in pass::clear(local, top, if is_inside { 8 } else { pass::CLEARED }) {
            self.push(op, origin);
        }
    }

    /// A return: results go to the caller, and the thread behind the call.
    pub(super) fn give_back(
        &mut self,
        node: u32,
        pc: u32,
        guard: Option<Guard>,
        (returns, results): (&[Spot], &[Spot]),
        ends: bool,
        behind: &mut Behind,
    ) {
        let mut past = Behind::default();
        self.skip(self.own(node, pc), guard, &mut past);
        self.needs(guard, None);
        let from = self.ops.len();
        let origin = Origin { counts: false, paid: guard.is_some(), ..self.own(node, pc) };
        let mut given = returns.to_vec();
        given.iter_mut().for_each(|spot| self.rename_spot(node, spot));
        self.copy(&given, results, origin);
        if !ends {
            behind.0.push(self.ops.len());
            self.push(Op { guard: None, action: Action::Branch(0) }, origin);
        }
        self.count(from, origin);
        self.arrive(past);
    }
}
