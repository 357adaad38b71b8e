//! Functions that call themselves: calls inside save what the caller still needs in local memory and branch to the function's code, a
//! return branches to where its call stands and takes that back.
//!
//! A thread's activations lie one after the other in its local memory, as the golden engine has them; what they save lies after all
//! of them. Where there is no room for one more, the call stays, and the golden engine makes it.

use crate::batch::compile::analysis::needed_after;
use crate::batch::compile::cfg::{Exit, split};
use crate::batch::compile::inline::Inlined;
use crate::batch::compile::liveness::{self, Bits, live};
use crate::batch::compile::promote::Known;
use crate::batch::compile::request::CompileRequest;
use crate::batch::origins::{ActivationStack, Cell, Origin, Origins, Role, Root};
use crate::code::{Action, Call, Callee, Code, Guard, Named, Op, Source, Spot, Strength, Target, Transfer};
use crate::frame::CALL_BYTES;
use crate::frame::LOCAL_LIMIT;
use foldhash::HashMap;
use margay_front::module::{FunctionId, Space};

/// Bytes of local memory that activations and what they save may take of each thread.
const MOST: u64 = 8 << 10;
/// Instructions that calls and returns may become, at most: so many times those of the code, and so many.
const GROWTH: usize = 4;
const ALWAYS: usize = 400;
/// Activations for which there must be room.
const LEAST: u64 = 4;

/// The code with calls and returns of functions that call themselves; none if there are no such functions.
pub(in crate::batch::compile) fn activate(request: &CompileRequest) -> Option<Inlined> {
    let origins = request.origins.filter(|origins| !origins.roots().is_empty())?;
    let code = request.code;
    let known = Known::of(code, origins);
    let mut roots = origins.roots().to_vec();
    find_saved(request, origins, &known, &mut roots);
    let mut widths = code.widths.clone();
    for root in &mut roots {
        let is_part = |pc: &u32| {
            let Origin { role, reach, .. } = origins.of(*pc);
            matches!(role, Role::Begins | Role::GoesBack | Role::Takes) && reach == root.node
        };
        let parts = (0..code.ops.len() as u32).filter(is_part).count();
        let added: usize = root.sites.iter().map(|site| parts + 2 * site.saved.len()).sum();
        let slots = [(); 3].map(|()| {
            widths.push(u32::BITS);
            widths.len() as u32 - 1
        });
        place(request, origins, root, slots, added <= GROWTH * code.ops.len() + ALWAYS);
    }
    let at = 0..code.ops.len() as u32;
    let part = |k: usize, role: Role| -> Vec<u32> {
        let is_part = |pc: &u32| {
            let origin = origins.of(*pc);
            origin.role == role && origin.reach == roots[k].node
        };
        at.clone().filter(is_part).collect()
    };
    let parts = (0..roots.len()).map(|k| Parts {
        begins: part(k, Role::Begins),
        takes: part(k, Role::Takes),
        back: part(k, Role::GoesBack).first().map(|pc| origins.of(*pc)),
        body: 0,
        sites: Vec::new(),
    });
    let mut expansion = Expansion {
        request,
        origins,
        known,
        parts: parts.collect(),
        roots,
        ops: Vec::new(),
        at: Vec::new(),
        widths,
        also_read: HashMap::default(),
    };
    Some(expansion.run())
}

/// The instructions that make an activation.
struct Parts {
    /// Those that begin it.
    begins: Vec<u32>,
    /// Those that take its results.
    takes: Vec<u32>,
    /// Where it has come to a return.
    back: Option<Origin>,
    /// In the new code, its first instruction, and where calls go on.
    body: u32,
    sites: Vec<u32>,
}

pub(super) struct Expansion<'a> {
    pub(super) request: &'a CompileRequest<'a>,
    pub(super) origins: &'a Origins,
    known: Known,
    pub(super) roots: Vec<Root>,
    parts: Vec<Parts>,
    pub(super) ops: Vec<Op>,
    at: Vec<Origin>,
    widths: Vec<u32>,
    pub(super) also_read: HashMap<u32, Vec<u32>>,
}

impl Expansion<'_> {
    fn run(&mut self) -> Inlined {
        let code = self.request.code;
        let mut first = Vec::with_capacity(code.ops.len());
        let mut branches = Vec::new();
        for (pc, op) in code.ops.iter().enumerate() {
            first.push(self.ops.len() as u32);
            let (pc, origin) = (pc as u32, self.origins.of(pc as u32));
            let root = self.number_of_root(origin.reach);
            match (&op.action, origin.role, root) {
                (Action::Call(call), ..) if let Callee::Inside { root, site } = call.callee => {
                    self.call(pc, call, (root as usize, site as usize));
                }
                (_, Role::Begins, Some(root)) => {
                    if self.parts[root].begins.first() == Some(&pc) {
                        self.start(root, origin);
                    }
                    self.copy(pc, op.clone(), origin, None);
                    self.parts[root].body = self.ops.len() as u32;
                }
                (_, Role::GoesBack, Some(root)) => self.go_back(root, pc, origin),
                _ => {
                    self.copy(pc, op.clone(), origin, self.number_of_root(origin.node));
                    if matches!(op.action, Action::Branch(_) | Action::BranchIndexed(_)) {
                        branches.push(self.ops.len() - 1);
                    }
                }
            }
        }
        for k in branches {
            self.ops[k].retarget(&first);
        }
        let (ops, widths) = (std::mem::take(&mut self.ops), std::mem::take(&mut self.widths));
        let first_slot = widths.len() as u32;
        let also_read = std::mem::take(&mut self.also_read);
        let code = Code { ops, slots: widths.len(), widths, also_read, ..code.clone() };
        let (at, roots) = (std::mem::take(&mut self.at), std::mem::take(&mut self.roots));
        Inlined { code, origins: self.origins.with_stacks(at, roots, first_slot) }
    }

    fn number_of_root(&self, node: u32) -> Option<usize> {
        let root = self.origins.root_of(node)?;
        self.roots.iter().position(|other| other.node == root.node)
    }

    /// There are no activations yet.
    fn start(&mut self, root: usize, origin: Origin) {
        let ActivationStack { distance, end, site, saved, .. } = self.roots[root].stack;
        let origin = Origin { counts: false, role: Role::None, ..origin };
        for (slot, value) in [(distance, 0), (end, saved), (site, 0)] {
            self.push(set(Source::Constant(value.into()), slot, u32::BITS, 0), origin);
        }
    }

    /// A call inside an activation: the next one begins.
    ///
    /// Nothing from where the next one's numbers are set to its first instruction may be handed over: a thread would stand in neither.
    fn call(&mut self, pc: u32, call: &Call, (root, site): (usize, usize)) {
        let Root { node, stack, .. } = self.roots[root];
        let origin = self.origins.of(pc);
        let not_counted = Origin { counts: false, ..origin };
        let function = self.origins.node(node).function;
        let (arguments, results) = (call.arguments.clone(), Vec::new());
        let stays = Call { callee: Callee::Named(function), arguments, results };
        let stays = |guard| Op { guard, action: Action::Call(Box::new(stays.clone())) };
        // The golden engine makes the call from the start.
        let mut needed = self.request.code.also_read(pc).to_vec();
        liveness::reads(&stays(None), &mut |slot| needed.push(slot));
        if stack.step == 0 {
            self.parts[root].sites.push(self.ops.len() as u32);
            self.also_reads(&needed);
            return self.push_inside(root, stays(None), origin);
        }
        let is_full = self.slot(1);
        let target = Target::Register { slot: is_full, spread: 0, mask: 1 };
        let limit = Action::Equals(Box::new((register(stack.end, u32::BITS), target, stack.limit)));
        self.also_reads(&needed);
        self.push_inside(root, Op { guard: None, action: limit }, not_counted);
        self.also_reads(&needed);
        // Those who skip it have counted it, too.
        self.push_inside(root, stays(Some(Guard { slot: is_full, runs_if: 1 })), origin);
        self.also_reads(&needed);
        let not_counted = Origin { paid: true, ..not_counted };
        let saved = [&[stack.site], &self.roots[root].sites[site].saved[..]].concat();
        let on_stack = Origin { reach: self.stack_node(root), ..not_counted };
        for (k, slot) in saved.iter().enumerate() {
            let store = word(stack.end, 8 * k as u64, register(*slot, self.widths[*slot as usize]));
            self.push_inside(root, Op { guard: None, action: Action::Store(Box::new(store)) }, on_stack);
        }
        for (slot, spot) in self.roots[root].arguments.clone().into_iter().zip(&call.arguments) {
            if let Some(source) = spot.source() {
                self.copy(pc, set(source.clone(), slot, u64::BITS, 0), not_counted, Some(root));
            }
        }
        let distance = self.roots[root].sites[site].distance;
        let number = Source::Constant(site as u128 + 1);
        self.push_inside(root, set(number, stack.site, u32::BITS, 0), not_counted);
        self.advance(root, stack.distance, distance, not_counted);
        self.advance(root, stack.end, stack.step, not_counted);
        for pc in self.parts[root].begins.clone() {
            let own = Origin { node: origin.node, reach: node, ..not_counted };
            self.copy(pc, self.request.code.ops[pc as usize].clone(), own, Some(root));
        }
        let body = Action::Branch(self.parts[root].body);
        self.push_inside(root, Op { guard: None, action: body }, not_counted);
        self.parts[root].sites.push(self.ops.len() as u32);
        let Some(back) = self.parts[root].back else { return };
        let back = Origin { role: Role::None, ..back };
        for pc in self.parts[root].takes.clone() {
            self.copy(pc, self.request.code.ops[pc as usize].clone(), back, Some(root));
        }
        self.advance(root, stack.end, stack.step.wrapping_neg(), back);
        self.advance(root, stack.distance, distance.wrapping_neg(), back);
        let on_stack = Origin { reach: self.stack_node(root), ..back };
        for (k, slot) in saved.iter().enumerate() {
            let mask = mask(self.widths[*slot as usize]);
            let load = word(stack.end, 8 * k as u64, Target::Register { slot: *slot, spread: 0, mask });
            self.push_inside(root, Op { guard: None, action: Action::Load(Box::new(load)) }, on_stack);
        }
        for (slot, spot) in self.roots[root].results.clone().into_iter().zip(&call.results) {
            if let Spot::Value { target, .. } = spot {
                let shift = (register(slot, u64::BITS), target.clone(), 0);
                self.push_inside(root, Op { guard: None, action: Action::Shift(Box::new(shift)) }, back);
            }
        }
    }

    /// An activation goes back to where it has been called.
    fn go_back(&mut self, root: usize, pc: u32, origin: Origin) {
        let outside = self.ops.len() as u32 + 1;
        let sites = self.parts[root].sites.iter().copied();
        let targets = std::iter::once(outside).chain(sites).collect();
        let site = register(self.roots[root].stack.site, u32::BITS);
        self.also_reads(self.request.code.also_read(pc));
        let action = Action::BranchIndexed(Box::new((site, targets)));
        self.push_inside(root, Op { guard: None, action }, Origin { role: Role::None, ..origin });
    }

    fn advance(&mut self, root: usize, slot: u32, bytes: u64, origin: Origin) {
        self.push_inside(root, set(register(slot, u32::BITS), slot, u32::BITS, bytes), origin);
    }

    /// An instruction as it was, but for where the frames of this activation of a root lie.
    fn copy(&mut self, pc: u32, mut op: Op, mut origin: Origin, root: Option<usize>) {
        if !matches!(origin.role, Role::Tells(_)) {
            origin.role = Role::None;
        }
        self.also_reads(self.request.code.also_read(pc));
        let Some(root) = root else { return self.push(op, origin) };
        // The golden engine asks for the address where it goes on before the access, known or not.
        let mut asked = Vec::new();
        match &op.action {
            Action::Load(load) => liveness::source(&load.address, &mut |slot| asked.push(slot)),
            Action::Store(store) => liveness::source(&store.address, &mut |slot| asked.push(slot)),
            _ => {}
        }
        self.also_reads(&asked);
        let is_own = match &mut op.action {
            Action::Load(load) => self.move_frame(pc, root, origin, load),
            Action::Store(store) => self.move_frame(pc, root, origin, store),
            _ => false,
        };
        let reach = origin.reach;
        // The frame of the first activation is there for all of them.
        origin.reach = if is_own { self.stack_node(root) } else { self.roots[root].node };
        let distance = self.roots[root].stack.distance;
        let mut before = Vec::new();
        let widths = &mut self.widths;
        op.each_named(&mut |named| {
            if let Named::Source(source) = named
                && let Source::Frame(at) = *source
            {
                widths.push(u64::BITS);
                let slot = widths.len() as u32 - 1;
                before.push(set(register(distance, u32::BITS), slot, u64::BITS, at));
                *source = register(slot, u64::BITS);
            }
        });
        let not_counted = Origin { counts: false, ..origin };
        if let Some(read) = self.also_read.remove(&(self.ops.len() as u32)) {
            let last = (self.ops.len() + before.len()) as u32;
            self.also_read.insert(last, read);
        }
        before.into_iter().for_each(|op| self.push_inside(root, op, not_counted));
        let test = match &op.action {
            Action::Load(load) if !is_own => self.frame_test(root, reach, load),
            Action::Store(store) if !is_own => self.frame_test(root, reach, store),
            _ => None,
        };
        match test {
            Some(test) => self.access(root, op, origin, test),
            None => self.push_inside(root, op, origin),
        }
    }

    /// Lets an access to a known place of an activation's frames name the one of this activation; whether it is such an access.
    fn move_frame<T>(&self, pc: u32, root: usize, origin: Origin, access: &mut Transfer<T>) -> bool {
        let place = own_place(self.request, self.origins, &self.known, (pc, origin), access);
        let Some(at) = place else { return false };
        access.space = Some(Space::Local);
        access.address = register(self.roots[root].stack.distance, u32::BITS);
        (access.offset, access.mask) = (at, u32::MAX.into());
        true
    }

    /// The node that stands for the stack of a root.
    pub(super) fn stack_node(&self, root: usize) -> u32 {
        (self.origins.nodes().len() + root) as u32
    }

    /// The next instruction is read by who goes on there with these slots too.
    pub(super) fn also_reads(&mut self, slots: &[u32]) {
        if !slots.is_empty() {
            self.also_read.entry(self.ops.len() as u32).or_default().extend(slots);
        }
    }

    /// An instruction of an activation, in which a thread must know where it stands.
    pub(super) fn push_inside(&mut self, root: usize, op: Op, origin: Origin) {
        let ActivationStack { distance, end, site, .. } = self.roots[root].stack;
        self.also_reads(&[distance, end, site]);
        self.push(op, origin);
    }

    /// A new slot of so many bits.
    pub(super) fn slot(&mut self, width: u32) -> u32 {
        self.widths.push(width);
        self.widths.len() as u32 - 1
    }

    fn push(&mut self, op: Op, origin: Origin) {
        self.ops.push(op);
        self.at.push(origin);
    }
}

/// Which slots calls inside save: those that are needed later, and where something may read local memory at any address while they
/// wait, all places of the caller's activation that lie in registers; but no slots of functions outside the activation.
fn find_saved(request: &CompileRequest, origins: &Origins, known: &Known, roots: &mut [Root]) {
    let code = request.code;
    for root in &mut *roots {
        let inside = |pc: &u32| belongs_to(origins, root.node, origins.of(*pc).node);
        let mut all = (0..code.ops.len() as u32).filter(inside);
        if !all.any(|pc| reads_anywhere(request, origins, known, pc)) {
            continue;
        }
        for site in &mut root.sites {
            let path: Vec<u32> = origins.up(site.caller.node).collect();
            let own = |cell: &&Cell| path.contains(&cell.node) && belongs_to(origins, root.node, cell.node);
            site.saved = origins.cells().iter().filter(own).map(|cell| cell.slot).collect();
        }
    }
    let blocks = split(code);
    let live = live(code, &blocks);
    for block in &blocks {
        let mut needed = needed_after(block, &live, code.slots);
        match &block.exit {
            Exit::Branch { guard, .. } => needed.put(guard.slot as usize),
            Exit::Bailout(then) => then.iter().for_each(|next| _ = needed.join(&live[*next])),
            _ => {}
        }
        for pc in (block.first..block.end).rev() {
            let op = &code.ops[pc as usize];
            if op.guard.is_none() {
                let mut gone = Bits::new(code.slots);
                liveness::writes(op, &mut |slot| gone.put(slot as usize));
                needed.cut(&gone);
            }
            if let Action::Call(call) = &op.action
                && let Callee::Inside { root, site } = call.callee
            {
                let root = &mut roots[root as usize];
                let is_own = |slot: &u32| belongs(origins, root.node, *slot);
                let saved: Vec<u32> = needed.iter().map(|slot| slot as u32).filter(is_own).collect();
                let site = &mut root.sites[site as usize];
                site.saved.extend(saved);
                site.saved.sort_unstable();
                site.saved.dedup();
            }
            liveness::reads(op, &mut |slot| needed.put(slot as usize));
            code.also_read(pc).iter().for_each(|slot| needed.put(*slot as usize));
        }
    }
}

/// Whether an instruction of an activation may read local memory elsewhere than at a known place of its own frames.
fn reads_anywhere(request: &CompileRequest, origins: &Origins, known: &Known, pc: u32) -> bool {
    match &request.code.ops[pc as usize].action {
        Action::Load(load) => {
            let may_be_local = matches!(load.space, None | Some(Space::Local));
            may_be_local && own_place(request, origins, known, (pc, origins.of(pc)), load).is_none()
        }
        Action::Call(call) => !matches!(call.callee, Callee::Inside { .. }),
        Action::Collective(together) => {
            let is_known = |space| matches!(space, Some(Space::Shared | Space::Global));
            together.place.as_ref().is_some_and(|place| !is_known(place.space))
        }
        _ => false,
    }
}

/// The place in the frames of its own activation, as the first one has them, that an access is to, if it is known.
fn own_place<T>(
    request: &CompileRequest,
    origins: &Origins,
    known: &Known,
    (pc, origin): (u32, Origin),
    access: &Transfer<T>,
) -> Option<u64> {
    let (base, true) = known.source(pc, &access.address)? else { return None };
    let address = base.wrapping_add(access.offset) & access.mask;
    let at = match access.space {
        Some(Space::Local) => address,
        None => request.layout.local.offset(address)?,
        Some(_) => return None,
    };
    let holder = origins.holder(origin.reach, at)?;
    let root = |node| origins.root_of(node).map(|root| root.node);
    let ends = |end: u64| end <= origins.node(holder).top;
    let is_inside = root(holder).is_some() && root(holder) == root(origin.reach);
    (is_inside && at.checked_add(access.size()).is_some_and(ends)).then_some(at)
}

/// Whether a node is part of an activation.
fn belongs_to(origins: &Origins, root: u32, node: u32) -> bool {
    origins.root_of(node).is_some_and(|of| of.node == root)
}

/// Whether a slot may be one of an activation: of a function or a variable of it, or of neither.
fn belongs(origins: &Origins, root: u32, slot: u32) -> bool {
    let node = origins.owner(slot).or_else(|| {
        let cell = origins.cells().iter().find(|cell| cell.slot == slot)?;
        Some(cell.node)
    });
    node.is_none_or(|node| belongs_to(origins, root, node))
}

/// Where activations of a root lie, and what they save; nowhere if they are not to be.
fn place(
    request: &CompileRequest,
    origins: &Origins,
    root: &mut Root,
    [distance, end, site]: [u32; 3],
    fits: bool,
) {
    root.stack = ActivationStack { distance, end, site, ..ActivationStack::default() };
    let own = *origins.node(root.node);
    let align = request.callees.frame.stack(FunctionId(own.function)).map_or(8, |stack| stack.align);
    // Slots and calls from one activation's first node to another one of its nodes.
    let within = |node: u32| {
        let path =
            || origins.up(node).take_while(|other| Some(*other) != own.caller.map(|caller| caller.node));
        let slots: u64 = path().map(|node| u64::from(origins.node(node).slots)).sum();
        8 * slots + CALL_BYTES * path().count() as u64
    };
    let (mut farthest, mut most) = (8, 0);
    for site in &mut root.sites {
        let next = origins.node(site.caller.node).top.next_multiple_of(align);
        site.distance = next - own.local;
        farthest = farthest.max(site.distance);
        most = most.max(site.distance + within(site.caller.node));
    }
    let inside = |node: &u32| origins.root_of(*node).is_some_and(|of| of.node == root.node);
    let (mut top, mut alone) = (own.top, 0);
    for node in (0..origins.nodes().len() as u32).filter(inside) {
        let all: u64 = origins.up(node).map(|node| u64::from(origins.node(node).slots)).sum();
        top = top.max(origins.node(node).top);
        let calls = origins.up(node).count() as u64 - 1;
        alone = alone.max(origins.node(node).top + 8 * all + CALL_BYTES * calls);
    }
    let step = 8 + 8 * root.sites.iter().map(|site| site.saved.len() as u64).max().unwrap_or(0);
    let count = (MOST / (farthest + step)).min(LOCAL_LIMIT.saturating_sub(alone) / most.max(1));
    let room = if !fits || count < LEAST || root.sites.is_empty() { 0 } else { count };
    root.stack.saved = (top + room * farthest).next_multiple_of(8);
    root.stack.limit = root.stack.saved + room * step;
    root.stack.step = if room == 0 { 0 } else { step };
    root.stack.bytes = alone + room * most;
}

/// A register of so many bits becomes a source and a constant.
pub(super) fn set(source: Source, slot: u32, width: u32, constant: u64) -> Op {
    let target = Target::Register { slot, spread: 0, mask: mask(width) };
    Op { guard: None, action: Action::Shift(Box::new((source, target, constant))) }
}

pub(super) fn register(slot: u32, width: u32) -> Source {
    Source::Register { slot, mask: mask(width) }
}

pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (u64::BITS - width)
}

/// Eight bytes of local memory at the address in a register and an offset.
fn word<T>(base: u32, offset: u64, element: T) -> Transfer<T> {
    Transfer {
        space: Some(Space::Local),
        far: false,
        address: register(base, u32::BITS),
        offset,
        mask: u32::MAX.into(),
        bytes: 8,
        strength: Strength::default(),
        elements: vec![element],
    }
}
