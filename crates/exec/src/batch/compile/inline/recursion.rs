//! Functions that call themselves: inlined once where one is called from outside; a call inside begins another activation of the
//! same code.

use crate::batch::compile::inline::pass::{self, Passed, Piece};
use crate::batch::compile::inline::{Fitting, Inliner, TARGETS, Way};
use crate::batch::origins::{Caller, Origin, Role, Root, Site};
use crate::code::{Action, Call, Callee, Code, Guard, Op, Source, Spot, Target};
use crate::golden;
use margay_front::module::FunctionId;

impl<'a> Inliner<'a> {
    /// What becomes of the call of a function that could be inlined; none if it stays.
    pub(super) fn way(
        &mut self,
        node: u32,
        call: &Call,
        function: u32,
        callee: &Code,
        align: u64,
    ) -> Option<Way> {
        let root = self.up(node).find_map(|node| self.roots.iter().position(|root| root.node == node));
        let Some(root) = root else {
            return match self.comes_back(function, None) {
                true => self.can_pass(call, function, callee).then_some(Way::Root),
                false => Some(Way::Inlined),
            };
        };
        let outer = self.nodes[self.roots[root].node as usize].function;
        if function == outer {
            return self.can_pass(call, function, callee).then_some(Way::Again(root as u32));
        }
        // The frames of an activation are as far from each other as in every other one.
        let outer_align = self.request.callees.frame.stack(FunctionId(outer))?.align;
        (align <= outer_align && !self.comes_back(function, Some(outer))).then_some(Way::Inlined)
    }

    /// Whether a function can come to call itself, but by way of another one.
    fn comes_back(&mut self, function: u32, except: Option<u32>) -> bool {
        let mut open = vec![function];
        let mut seen = vec![false; self.request.callees.code.len()];
        while let Some(caller) = open.pop() {
            for callee in self.calls(caller) {
                if callee == function {
                    return true;
                }
                if Some(callee) != except && !std::mem::replace(&mut seen[callee as usize], true) {
                    open.push(callee);
                }
            }
        }
        false
    }

    /// The functions that a function calls, as far as they may be inlined there.
    fn calls(&mut self, function: u32) -> Vec<u32> {
        if let Some(found) = self.calls.get(&function) {
            return found.clone();
        }
        let mut found = Vec::new();
        let code = self.request.callees.code.get(function as usize).and_then(Option::as_ref);
        for op in code.iter().flat_map(|code| &code.ops) {
            let Action::Call(call) = &op.action else { continue };
            match &call.callee {
                Callee::Named(function) => found.push(*function),
                Callee::At(_, listed) => {
                    let targets = self.targets(call, listed.as_deref());
                    if targets.len() <= TARGETS {
                        found.extend(targets);
                    }
                }
                Callee::Provided(_) | Callee::Inside { .. } => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        self.calls.insert(function, found.clone());
        found
    }

    /// The pieces of what is passed to a function and from it, which are the same at all calls; none if it cannot be.
    fn passed(&mut self, function: u32, code: &Code) -> Option<Passed> {
        if let Some(found) = self.passed.get(&function) {
            return found.clone();
        }
        let found = self.find_passed(function, code);
        self.passed.insert(function, found.clone());
        found
    }

    fn find_passed(&self, function: u32, code: &Code) -> Option<Passed> {
        let unit = |spot: &Spot| match spot {
            Spot::Memory { at, .. } => 1 << at.trailing_zeros().min(3),
            Spot::Nothing | Spot::Value { .. } => 8,
        };
        let [mut parameters, mut returns] =
            [&code.parameters, &code.returns].map(|spots| spots.iter().map(unit).collect::<Vec<u64>>());
        let ops = self.request.callees.code.iter().flatten().flat_map(|code| &code.ops);
        for op in ops {
            let Action::Call(call) = &op.action else { continue };
            let may_call = match &call.callee {
                Callee::Named(named) => *named == function,
                Callee::At(_, listed) => listed.as_ref().is_none_or(|listed| listed.contains(&function)),
                Callee::Provided(_) | Callee::Inside { .. } => false,
            };
            for (widest, spots) in [(&mut parameters, &call.arguments), (&mut returns, &call.results)] {
                if may_call {
                    widest.iter_mut().zip(spots).for_each(|(widest, spot)| *widest = unit(spot).min(*widest));
                }
            }
        }
        Some([pass::pieces(&code.parameters, &parameters)?, pass::pieces(&code.returns, &returns)?])
    }

    /// Whether what a call has and what the function has pass piece by piece.
    fn can_pass(&mut self, call: &Call, function: u32, callee: &Code) -> bool {
        let pass = |pieces: &[Piece], given: &[Spot], may_miss: bool| {
            let fits = |piece: &Piece| match &given[piece.of] {
                Spot::Nothing => may_miss,
                spot => pass::piece(spot, piece).is_some(),
            };
            pieces.iter().all(fits)
        };
        golden::fits(&call.arguments, &callee.parameters)
            && golden::fits(&call.results, &callee.returns)
            && self.passed(function, callee).is_some_and(|[taken, given]| {
                pass(&taken, &call.arguments, false) && pass(&given, &call.results, true)
            })
    }

    pub(super) fn is_root(&self, node: u32) -> bool {
        self.roots.iter().any(|root| root.node == node)
    }

    /// The first activation: arguments, a frame that begins as 0, the function's code, results.
    pub(super) fn root(&mut self, call_at: Origin, call: &Call, fitting: Fitting<'a>) {
        let Fitting { code: callee, node: child, .. } = fitting;
        let from = self.ops.len();
        let number = self.add_node(call_at.node, callee, child);
        let [taken, given] = self.passed(child.function, callee).unwrap_or_default();
        let arguments: Vec<u32> = taken.iter().map(|_| self.scratch(u64::BITS)).collect();
        let results: Vec<u32> = given.iter().map(|_| self.scratch(u64::BITS)).collect();
        let origin = Origin { reach: number, ..call_at };
        self.copy_pieces(&taken, &call.arguments, &arguments, origin);
        let begins = Origin { role: Role::Begins, ..origin };
        self.push(Op { guard: None, action: Action::Nothing }, begins);
        self.fresh_frame(number, callee, begins);
        let mut wanted = callee.parameters.clone();
        wanted.iter_mut().for_each(|spot| self.rename_spot(number, spot));
        self.fill_pieces(&taken, &arguments, &wanted, begins);
        self.count(from, begins);
        let root = Root { node: number, arguments, results: results.clone(), ..Root::default() };
        self.roots.push(root);
        self.expand(number, callee, &[]);
        // Whoever stands here has come to a return, which the last instruction of the code is one of.
        let back = Origin { counts: false, paid: true, ..self.own(number, callee.ops.len() as u32 - 1) };
        let goes_back = Origin { role: Role::GoesBack, ..back };
        self.push(Op { guard: None, action: Action::Nothing }, goes_back);
        let mut returned = callee.returns.clone();
        returned.iter_mut().for_each(|spot| self.rename_spot(number, spot));
        self.copy_pieces(&given, &returned, &results, Origin { role: Role::Takes, ..back });
        self.fill_pieces(&given, &results, &call.results, back);
    }

    /// A call that begins another activation of a root, with its arguments and results in registers.
    pub(super) fn call_again(
        &mut self,
        call_at: Origin,
        (guard, address): (Option<Guard>, Option<&Source>),
        call: &Call,
        (root, function): (u32, u32),
    ) {
        let Some(Some(callee)) = self.request.callees.code.get(function as usize) else { return };
        let [taken, given] = self.passed(function, callee).unwrap_or_default();
        let from = self.ops.len();
        let values = |inliner: &mut Self, pieces: &[Piece], spots: &[Spot]| -> Vec<Spot> {
            let mut value = |piece: &Piece| match pass::piece(&spots[piece.of], piece) {
                Some(Spot::Memory { .. }) => carrier(inliner.scratch(u64::BITS)),
                other => other.unwrap_or(Spot::Nothing),
            };
            pieces.iter().map(&mut value).collect()
        };
        let arguments = values(self, &taken, &call.arguments);
        let mut results = values(self, &given, &call.results);
        for (piece, value) in taken.iter().zip(&arguments) {
            if let Some(place @ Spot::Memory { .. }) = pass::piece(&call.arguments[piece.of], piece) {
                self.copy(&[place], std::slice::from_ref(value), call_at);
            }
        }
        let back = results.clone();
        // What passes arguments changes from activation to activation.
        results.extend(self.roots[root as usize].arguments.iter().map(|slot| carrier(*slot)));
        let sites = &mut self.roots[root as usize].sites;
        let callee = Callee::Inside { root, site: sites.len() as u32 };
        let caller = Caller { node: call_at.node, pc: call_at.pc };
        sites.push(Site { caller, distance: 0, saved: Vec::new() });
        self.needs(guard, address);
        let action = Action::Call(Box::new(Call { callee, arguments, results }));
        self.push(Op { guard: None, action }, call_at);
        self.count(from, call_at);
        let after = Origin { counts: false, ..self.own(call_at.node, call_at.pc + 1) };
        for (piece, value) in given.iter().zip(back) {
            if let Some(place @ Spot::Memory { .. }) = pass::piece(&call.results[piece.of], piece) {
                self.copy(&[value], &[place], after);
            }
        }
    }

    /// Takes pieces of what is passed into slots.
    fn copy_pieces(&mut self, pieces: &[Piece], spots: &[Spot], slots: &[u32], origin: Origin) {
        for (piece, slot) in pieces.iter().zip(slots) {
            let from = pass::piece(&spots[piece.of], piece).unwrap_or(Spot::Nothing);
            self.copy(&[from], &[carrier(*slot)], origin);
        }
    }

    /// Puts pieces where they are wanted.
    fn fill_pieces(&mut self, pieces: &[Piece], slots: &[u32], spots: &[Spot], origin: Origin) {
        for (piece, slot) in pieces.iter().zip(slots) {
            let to = pass::piece(&spots[piece.of], piece).unwrap_or(Spot::Nothing);
            self.copy(&[carrier(*slot)], &[to], origin);
        }
    }
}

/// A slot that holds a piece.
fn carrier(slot: u32) -> Spot {
    let source = Source::Register { slot, mask: u64::MAX };
    Spot::Value { source, target: Target::Register { slot, spread: 0, mask: u64::MAX }, bytes: 8 }
}
