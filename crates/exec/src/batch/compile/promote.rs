//! Local memory in registers: what a function keeps at places that are known, and nobody reaches by an address that is not.
//!
//! Code that is not optimised keeps every variable in local memory, and parameters lie there between functions. Words of it that
//! are only touched at constant addresses become registers, so that what is known of their values is known of the variables.
//! Memory has none of them any more: an access by any other address that comes there is the golden engine's, which gets
//! them back. So nothing rests on a guess about where addresses lead; a bad one costs time.

mod known;

use crate::batch::compile::inline::Inlined;
use crate::batch::compile::liveness;
use crate::batch::compile::request::CompileRequest;
use crate::batch::origins::{Cell, Origin, Origins};
use crate::code::{Action, Callee, Code, Op, Source, Spot, Target, Transfer};
use foldhash::HashMap;
use margay_front::module::{FunctionId, Space};
use std::collections::{BTreeMap, BTreeSet};

pub(super) use known::Known;

/// Bytes that become registers together, or not.
const GRANULE: u64 = 8;
/// Registers that come of it, times the instructions that may read all of them, at most.
const MOST: usize = 1 << 20;

/// The code with local memory in registers; none if there is none that can be.
pub(super) fn promote(request: &CompileRequest) -> Option<Inlined> {
    let touches = |op: &Op| match &op.action {
        Action::Load(load) => matches!(load.space, None | Some(Space::Local)),
        Action::Store(store) => matches!(store.space, None | Some(Space::Local)),
        _ => false,
    };
    let has_local =
        request.origins.map_or_else(|| request.of_kernel().local_bytes(), Origins::local_bytes) > 0;
    if !has_local || !request.code.ops.iter().any(touches) {
        return None;
    }
    let kernel = request.of_kernel();
    let known = Known::of(request.code, request.origins.unwrap_or(&kernel));
    let mut cells = Cells::of(request, &known);
    cells.agree();
    let chosen = cells.chosen(request.code.slots as u32);
    let readers = cells.unknown.iter().filter(|pc| cells.reads(request, **pc)).count();
    if chosen.is_empty() || chosen.len() * readers.max(1) > MOST {
        return None;
    }
    Some(rewritten(request, &cells, chosen))
}

/// An element of an access at a known place.
#[derive(Clone, Copy)]
struct Element {
    node: u32,
    at: u64,
    bytes: u64,
    /// Whether it is stored, and 0: then it has no shape of its own.
    clears: bool,
}

/// Where local memory is touched.
struct Cells {
    /// By instruction, the elements of accesses at known places.
    accesses: BTreeMap<u32, Vec<Element>>,
    /// Loads and calls that may read any place.
    unknown: BTreeSet<u32>,
    /// By call inside an activation that reads nothing else, the nodes and places that its arguments have been taken from.
    arguments: BTreeMap<u32, Vec<(u32, u64)>>,
    /// By node and place, how many bytes an element there has.
    shapes: BTreeMap<(u32, u64), u64>,
    /// Granules that stay in memory.
    kept: BTreeSet<(u32, u64)>,
}

fn granules(element: &Element) -> impl Iterator<Item = (u32, u64)> + use<> {
    let (node, first) = (element.node, element.at / GRANULE);
    (first..=(element.at + (element.bytes - 1)) / GRANULE).map(move |granule| (node, granule))
}

impl Cells {
    fn of(request: &CompileRequest, known: &Known) -> Cells {
        let mut cells = Cells {
            accesses: BTreeMap::new(),
            unknown: BTreeSet::new(),
            arguments: BTreeMap::new(),
            shapes: BTreeMap::new(),
            kept: BTreeSet::new(),
        };
        let kernel = request.of_kernel();
        let origins = request.origins.unwrap_or(&kernel);
        for (pc, op) in request.code.ops.iter().enumerate() {
            let pc = pc as u32;
            // The address in local memory of an access that may be to it, if it is known. In an activation, only addresses of its own
            // frames are.
            let local = |base: Option<(u64, bool)>, (offset, mask): (u64, u64), space| {
                let is_known = |is_frame: bool| is_frame || !known.is_of_activation(pc);
                let address = |base: u64| base.wrapping_add(offset) & mask;
                match (space, base) {
                    (Some(Space::Local), Some((base, is_frame))) => {
                        Some(is_known(is_frame).then(|| address(base)))
                    }
                    (None, Some((base, is_frame))) => {
                        let at = request.layout.local.offset(address(base))?;
                        Some(is_known(is_frame).then_some(at))
                    }
                    (None | Some(Space::Local), None) => Some(None),
                    _ => None,
                }
            };
            match &op.action {
                Action::Load(load) => {
                    let base = known.source(pc, &load.address);
                    if let Some(at) = local(base, (load.offset, load.mask), load.space) {
                        let clears = vec![false; load.elements.len()];
                        cells.access(origins, pc, at, load.bytes, &clears);
                    }
                }
                Action::Store(store) => {
                    let base = known.source(pc, &store.address);
                    if let Some(at) = local(base, (store.offset, store.mask), store.space) {
                        let is_zero = |source: &Source| matches!(source, Source::Constant(0));
                        let clears: Vec<bool> = store.elements.iter().map(is_zero).collect();
                        cells.access(origins, pc, at, store.bytes, &clears);
                    }
                }
                Action::Call(_) => _ = cells.unknown.insert(pc),
                Action::Collective(together) => {
                    let is_known = |space| matches!(space, Some(Space::Shared | Space::Global));
                    if together.place.as_ref().is_some_and(|place| !is_known(place.space)) {
                        cells.unknown.insert(pc);
                    }
                }
                _ => {}
            }
            let propagates =
                known.result(pc, op).is_some_and(|(slot, _)| known.values[slot as usize].is_some());
            if !propagates {
                cells.let_out(request, origins, known, pc, op);
            }
        }
        cells.trust_activations(request, origins);
        cells
    }

    /// Calls inside an activation read their arguments alone by themselves: it is enough to know which places are read later, unless
    /// something that they come to may read any.
    fn trust_activations(&mut self, request: &CompileRequest, origins: &Origins) {
        let root_of = |pc: &u32| match &request.code.ops[*pc as usize].action {
            Action::Call(call) => match call.callee {
                Callee::Inside { root, .. } => Some(root),
                _ => None,
            },
            _ => None,
        };
        let readers = self.unknown.iter().filter(|pc| root_of(pc).is_none() && self.reads(request, **pc));
        let nodes: BTreeSet<u32> = readers.flat_map(|pc| origins.up(origins.of(*pc).node)).collect();
        let is_trusted = |root: u32| !nodes.contains(&origins.roots()[root as usize].node);
        let trusted = |pc: &u32| root_of(pc).is_some_and(is_trusted);
        for call in self.unknown.iter().copied().filter(trusted) {
            let place = |pc: u32| (origins.of(pc).node, origins.of(pc).pc);
            // They have been taken from their places before, as parts of the same instruction.
            let own = self.accesses.iter().filter(|(pc, _)| place(**pc) == place(call));
            let elements = own.flat_map(|(_, elements)| elements);
            self.arguments.insert(call, elements.map(|element| (element.node, element.at)).collect());
        }
        self.unknown.retain(|pc| !trusted(pc));
    }

    /// An access at a place of local memory, if that is known.
    fn access(&mut self, origins: &Origins, pc: u32, at: Option<u64>, bytes: u32, clears: &[bool]) {
        let (bytes, origin) = (u64::from(bytes), origins.of(pc));
        let size = bytes * clears.len() as u64;
        let place = at.filter(|at| {
            let ends = |end| end <= origins.node(origin.reach).top;
            at.is_multiple_of(size) && at.checked_add(size).is_some_and(ends)
        });
        // In another activation, what lies before the first one's frames is one of another activation's.
        let root = |node| origins.root_of(node).map(|root| root.node);
        let own = root(origin.node);
        let place =
            place.filter(|at| own.is_none() || origins.holder(origin.reach, *at).and_then(root) == own);
        let (Some(at), true) = (place, bytes <= GRANULE) else {
            self.unknown.insert(pc);
            if let Some(at) = at
                && let Some(node) = origins.holder(origin.reach, at)
            {
                let bytes = size.min(u64::MAX - at).max(1);
                self.kept.extend(granules(&Element { node, at, bytes, clears: false }));
            }
            return;
        };
        let elements = clears.iter().zip((at..).step_by(bytes as usize)).map(|(clears, at)| {
            let node = origins.holder(origin.reach, at)?;
            (at + bytes <= origins.node(node).top).then_some(Element { node, at, bytes, clears: *clears })
        });
        match elements.collect::<Option<Vec<Element>>>() {
            Some(elements) => {
                for element in elements.iter().filter(|element| !element.clears) {
                    let shape = self.shapes.entry((element.node, element.at)).or_insert(element.bytes);
                    if *shape != element.bytes {
                        self.kept.extend(granules(element));
                    }
                }
                self.accesses.insert(pc, elements);
            }
            None => _ = self.unknown.insert(pc),
        }
    }

    /// Keeps in memory what lies behind an address that an instruction takes elsewhere, as far as its variable may reach.
    fn let_out(&mut self, request: &CompileRequest, origins: &Origins, known: &Known, pc: u32, op: &Op) {
        let reach = origins.of(pc).reach;
        for source in others(op) {
            let Some((value, true)) = known.source(pc, source) else { continue };
            let at = request.layout.local.offset(value).unwrap_or(value);
            let Some(node) = origins.holder(reach, at) else { continue };
            let of = origins.node(node);
            let stack = request.callees.frame.stack(FunctionId(of.function));
            let regions = stack.map_or(&[][..], |stack| &stack.regions);
            let region = regions.iter().rev().find(|region| of.local + region.base <= at);
            let end = region.map_or(of.top, |region| of.local + region.base + region.bytes);
            let bytes = end.saturating_sub(at).max(1);
            self.kept.extend(granules(&Element { node, at, bytes, clears: false }));
        }
    }

    /// Keeps in memory what is not touched alike everywhere.
    fn agree(&mut self) {
        let shapes: Vec<((u32, u64), u64)> = self.shapes.iter().map(|(key, bytes)| (*key, *bytes)).collect();
        for pair in shapes.windows(2) {
            let [((node, at), bytes), ((other, next), others)] = pair else { continue };
            if node == other && at + bytes > *next {
                self.kept.extend(granules(&Element { node: *node, at: *at, bytes: *bytes, clears: false }));
                self.kept.extend(granules(&Element {
                    node: *node,
                    at: *next,
                    bytes: *others,
                    clears: false,
                }));
            }
        }
        for element in self.accesses.values().flatten().filter(|element| element.clears) {
            let end = element.at + element.bytes;
            let from = element.at.saturating_sub(GRANULE - 1);
            let cut = self
                .shapes
                .range((element.node, from)..(element.node, end))
                .any(|((_, at), bytes)| at + bytes > element.at && (*at < element.at || at + bytes > end));
            if cut {
                self.kept.extend(granules(element));
            }
        }
        // An access is one instruction on memory, or several on registers.
        loop {
            let before = self.kept.len();
            for elements in self.accesses.values().filter(|elements| elements.iter().any(|e| !e.clears)) {
                if elements.iter().flat_map(granules).any(|granule| self.kept.contains(&granule)) {
                    self.kept.extend(elements.iter().flat_map(granules));
                }
            }
            if self.kept.len() == before {
                return;
            }
        }
    }

    /// The places that become registers, with slots from a number on.
    fn chosen(&self, first: u32) -> Vec<Cell> {
        let free = self.shapes.iter().filter(|((node, at), bytes)| {
            let element = Element { node: *node, at: *at, bytes: **bytes, clears: false };
            granules(&element).all(|granule| !self.kept.contains(&granule))
        });
        let cell = |(((node, at), bytes), slot): ((&(u32, u64), &u64), u32)| Cell {
            node: *node,
            at: *at,
            bytes: *bytes as u32,
            slot,
        };
        free.zip(first..).map(cell).collect()
    }

    /// Whether an access or call at an unknown place reads.
    fn reads(&self, request: &CompileRequest, pc: u32) -> bool {
        !matches!(request.code.ops[pc as usize].action, Action::Store(_))
    }
}

/// What an instruction reads, addresses of loads and stores aside.
fn others(op: &Op) -> Vec<&Source> {
    match &op.action {
        Action::Load(_) => Vec::new(),
        Action::Store(store) => store.elements.iter().collect(),
        Action::StoreSome(store) => store.elements.iter().flatten().chain([&store.address]).collect(),
        Action::Compute(compute) => compute.sources.iter().collect(),
        Action::Shift(both) | Action::Equals(both) => vec![&both.0],
        Action::TestSpace(_) => Vec::new(),
        Action::Atomic(atomic) => atomic.sources.iter().chain([&atomic.place.address]).collect(),
        Action::Collective(together) => {
            together.sources.iter().chain(together.place.iter().map(|place| &place.address)).collect()
        }
        Action::Object(step) => step.sources(),
        Action::Texture(step) => step.sources().collect(),
        Action::Call(call) => call.arguments.iter().filter_map(Spot::source).collect(),
        // These are handed over.
        _ => Vec::new(),
    }
}

/// The code with registers in the place of local memory.
fn rewritten(request: &CompileRequest, cells: &Cells, chosen: Vec<Cell>) -> Inlined {
    let kernel = request.of_kernel();
    let origins = request.origins.unwrap_or(&kernel);
    let slots: BTreeMap<(u32, u64), &Cell> = chosen.iter().map(|cell| ((cell.node, cell.at), cell)).collect();
    let is_kept = |element: &Element| granules(element).any(|granule| cells.kept.contains(&granule));
    let (mut ops, mut at): (Vec<Op>, Vec<Origin>) = (Vec::new(), Vec::new());
    let mut first = Vec::with_capacity(request.code.ops.len());
    let mut also_read: HashMap<u32, Vec<u32>> = HashMap::default();
    for (pc, op) in request.code.ops.iter().enumerate() {
        let (from, pc) = (ops.len(), pc as u32);
        first.push(from as u32);
        match (&op.action, cells.accesses.get(&pc)) {
            (Action::Load(load), Some(elements)) if !elements.iter().any(is_kept) => {
                for (element, target) in elements.iter().zip(&load.elements) {
                    let cell = slots[&(element.node, element.at)];
                    let source = Source::Register { slot: cell.slot, mask: low_bytes(element.bytes) };
                    ops.push(moved(op, source, target.clone()));
                }
            }
            (Action::Store(store), Some(elements))
                if elements.iter().all(|e| e.clears) || !elements.iter().any(is_kept) =>
            {
                for (element, source) in elements.iter().zip(&store.elements) {
                    if is_kept(element) {
                        let elements = vec![source.clone()];
                        let address = match origins.root_of(element.node) {
                            Some(_) => Source::Frame(element.at),
                            None => Source::Constant(element.at.into()),
                        };
                        let place = Transfer {
                            space: Some(Space::Local),
                            address,
                            offset: 0,
                            mask: u64::MAX,
                            elements,
                            ..**store
                        };
                        ops.push(Op { guard: op.guard, action: Action::Store(Box::new(place)) });
                        continue;
                    }
                    let end = element.at + element.bytes;
                    let inside = slots.range((element.node, element.at)..(element.node, end));
                    for (_, cell) in inside {
                        let mask = low_bytes(cell.bytes.into());
                        let target = Target::Register { slot: cell.slot, spread: 0, mask };
                        ops.push(moved(op, source.clone(), target));
                    }
                }
            }
            _ => ops.push(op.clone()),
        }
        if ops.len() == from {
            ops.push(Op { guard: None, action: Action::Nothing });
        }
        let origin = origins.of(pc);
        at.resize(ops.len(), Origin { counts: false, ..origin });
        if let Some(last) = at.last_mut() {
            last.counts = origin.counts;
        }
        if cells.unknown.contains(&pc) && cells.reads(request, pc) {
            let path: BTreeSet<u32> = origins.up(origin.reach).collect();
            let read: Vec<u32> =
                chosen.iter().filter(|cell| path.contains(&cell.node)).map(|cell| cell.slot).collect();
            also_read.insert(from as u32, read);
        }
        if let Some(arguments) = cells.arguments.get(&pc) {
            let read = arguments.iter().filter_map(|place| slots.get(place)).map(|cell| cell.slot);
            also_read.entry(from as u32).or_default().extend(read);
        }
        // The golden engine asks for the address where it goes on with the instruction.
        let mut more = request.code.also_read(pc).to_vec();
        match &op.action {
            Action::Load(load) => liveness::source(&load.address, &mut |slot| more.push(slot)),
            Action::Store(store) => liveness::source(&store.address, &mut |slot| more.push(slot)),
            _ => {}
        }
        if !more.is_empty() {
            also_read.entry(from as u32).or_default().extend(more);
        }
    }
    ops.iter_mut().for_each(|op| op.retarget(&first));
    let mut widths = request.code.widths.clone();
    widths.extend(chosen.iter().map(|cell| 8 * cell.bytes));
    let code = Code { ops, slots: widths.len(), widths, also_read, ..request.code.clone() };
    let origins = origins.with(at, chosen, GRANULE, &cells.kept);
    Inlined { code, origins }
}

fn low_bytes(bytes: u64) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

fn moved(op: &Op, source: Source, target: Target) -> Op {
    Op { guard: op.guard, action: Action::Shift(Box::new((source, target, 0))) }
}
