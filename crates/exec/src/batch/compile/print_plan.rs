//! A plan as text: what is done in which order, and where every value lies.
//!
//! `v12` is a value with lines of its own for every group of threads, the first of them line 12; `u12` one that is the same in all
//! threads; `a3` an affine value, or one that may be periodic. `*v12` may be read or written where it lies in memory.

use crate::Simd;
use crate::batch::compile::made;
use crate::batch::compile::print::{Names, change, count, deed, heading, lines, list, special_name};
use crate::batch::compile::request::CompileRequest;
use crate::batch::compile::transform::transform;
use crate::batch::lanes::{MachineStage, Place, VectorOp, What};
use crate::batch::plan::{
    Address, AffineOp, BaseAddress, Block, Carried, Collective, Exit, FusedLoop, GrowingScalar, Grows,
    Growth, Home, Move, Number, Operand, Plan, Preheader, SelfLoop, Source, Step, Taken, Target, TurnLoop,
};
use crate::code::{Phase, Reduction};
use margay_isa::uop::Type;
use std::fmt::Write;

/// The text for a kernel's plan.
pub(crate) fn print_plan(request: &CompileRequest, names: &Names) -> String {
    let transformed = transform(request);
    let request = &transformed.request(request);
    let plan = made(request);
    let mut text = heading(request, names, plan.blocks.len());
    let groups = plan.vector_ops.groups();
    let _ = writeln!(text, "active threads {}, in {}", place(plan.active), count(groups, "group"));
    let mut constants: Vec<String> =
        plan.constants.iter().map(|(_, at, bits)| format!("{} = {bits:#x}", place(*at))).collect();
    constants.extend(plan.affine_constants.iter().map(|(id, bits)| format!("a{id} = {bits:#x}")));
    constants.extend(
        plan.specials.iter().map(|(_, at, value)| format!("{} = {}", place(*at), special_name(*value))),
    );
    constants.extend(plan.places.iter().map(|(id, value)| format!("a{id} = {}", special_name(*value))));
    constants.sort();
    for constant in constants {
        let _ = writeln!(text, "  {constant}");
    }
    for (slot, at) in plan.homes.iter().enumerate().filter(|(_, at)| !matches!(at, Home::Nowhere)) {
        let _ = writeln!(text, "  register {} lies in {}", names.slot(request, slot as u32), home(*at));
    }
    let printer = Printer { plan: &plan, request, names };
    if !plan.prologue.is_empty() {
        text.push_str("\nprologue:\n");
        printer.steps(&plan.prologue, &mut text);
    }
    for (b, block) in plan.blocks.iter().enumerate() {
        let range = lines(request, names, block.first, block.first + block.instructions);
        let _ = writeln!(text, "\nb{b}:{range}");
        printer.steps(&block.steps, &mut text);
        printer.exit(&block.exit, &mut text);
        printer.fused_loops(block, &mut text);
        if let Some(self_loop) = &block.self_loop {
            printer.self_loop(self_loop, &mut text);
        }
        if let Some(counted_loop) = &block.counted_loop {
            let _ =
                writeln!(text, "  counted loop: in each turn, {}", growths(&counted_loop.grows).join(", "));
        }
        if let Some(turn_loop) = &block.turn_loop {
            let kind = match &turn_loop.taken {
                Taken::AtOnce(pass) => format!("turn loop {}", pass.number),
                Taken::ByBlocks(passes) if passes.len() == 1 => "tiled loop of 1 pass".to_string(),
                Taken::ByBlocks(passes) => format!("tiled loop of {} passes", passes.len()),
            };
            let _ = writeln!(text, "  {kind}: in each turn, {}", changes(turn_loop));
        }
    }
    text
}

/// The text for the machine code of a kernel's runs of operations and fused loops, of a level that has any.
pub(crate) fn print_machine(
    request: &CompileRequest,
    names: &Names,
    stage: MachineStage,
    simd: Simd,
) -> String {
    let transformed = transform(request);
    let request = &transformed.request(request);
    let plan = made(request);
    let text = heading(request, names, plan.blocks.len());
    text + &plan.vector_ops.machine_code(stage, simd)
}

fn guarded(guard: Option<Place>) -> String {
    guard.map_or(String::new(), |at| format!(" if {}", place(at)))
}

fn place(at: Place) -> String {
    let lent = if at.is_lent() { "*" } else { "" };
    let kind = if at.own_stride() == 0 { "u" } else { "v" };
    format!("{lent}{kind}{}", at.line)
}

fn home(at: Home) -> String {
    match at {
        Home::Nowhere => "nowhere".to_string(),
        Home::Const(bits) => format!("{bits:#x}"),
        Home::At(_, at) => place(at),
        Home::Affine(id) => format!("a{id}"),
    }
}

/// An operation on places.
fn vector_op(op: &VectorOp) -> String {
    let (name, arity) = match op.what {
        What::Op(op) => (op.to_string(), op.operands().len()),
        What::Move(Type::U64) => ("move.64".to_string(), 1),
        What::Move(Type::Pred | Type::U32) => ("move".to_string(), 1),
    };
    let operands: Vec<String> = op.from[..arity].iter().map(|at| place(*at)).collect();
    format!("{} = {name} {}", place(op.to), operands.join(", "))
}

fn affine_op(op: &AffineOp) -> String {
    let (name, arity) = match op.materialized.what {
        What::Op(op) => (op.to_string(), op.operands().len()),
        What::Move(_) => ("move".to_string(), 1),
    };
    let operands: Vec<String> = op.from[..arity].iter().map(|id| format!("a{id}")).collect();
    format!("a{} = {name} {}", op.to, operands.join(", "))
}

fn address(at: Address) -> String {
    match at {
        Address::Uniform(at) | Address::Varying(at) => place(at),
        Address::Affine(id) | Address::Periodic(id) => format!("a{id}"),
    }
}

fn sources(sources: &[Source]) -> String {
    let one = |source: &Source| match source.high {
        None => place(source.low.1),
        Some((_, high)) => format!("{{{}, {}}}", place(source.low.1), place(high)),
    };
    sources.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What is given, with the sign that follows; nothing where nothing is kept.
fn targets(targets: &[Target]) -> String {
    let one = |target: &Target| {
        let kept: Vec<String> = target.low.iter().chain(&target.high).map(|(_, at)| place(*at)).collect();
        if kept.is_empty() { "_".to_string() } else { kept.join(":") }
    };
    if targets.is_empty() {
        return String::new();
    }
    format!("{} = ", targets.iter().map(one).collect::<Vec<_>>().join(", "))
}

struct Printer<'a> {
    plan: &'a Plan,
    request: &'a CompileRequest<'a>,
    names: &'a Names<'a>,
}

impl Printer<'_> {
    fn line(&self, pc: u32) -> String {
        format!("  ; line {}", self.names.line_of(self.request, pc))
    }

    fn steps(&self, steps: &[Step], text: &mut String) {
        for (k, step) in steps.iter().enumerate() {
            for (n, line) in self.step(step).into_iter().enumerate() {
                let number = if n == 0 { format!("{k}:") } else { String::new() };
                let _ = writeln!(text, "  {number:<4}{line}");
            }
        }
    }

    /// A step, in as many lines as it has operations.
    fn step(&self, step: &Step) -> Vec<String> {
        let one = match step {
            Step::Vector(range) => {
                let ops = &self.plan.vector_ops.list()[range.start as usize..range.end as usize];
                return ops.iter().map(|op| format!("vector {}", vector_op(op))).collect();
            }
            Step::AffineOps(range) => {
                let ops = &self.plan.affine_ops[range.start as usize..range.end as usize];
                return ops.iter().map(|op| format!("affine {}", affine_op(op))).collect();
            }
            Step::PeriodicOps(range) => {
                let ops = &self.plan.affine_ops[range.start as usize..range.end as usize];
                return ops.iter().map(|op| format!("periodic {}", affine_op(op))).collect();
            }
            Step::Scalar(op) => format!("scalar {}", vector_op(op)),
            Step::Materialize(id) => {
                format!("materialize {} = a{id}", place(self.plan.affine_values[*id as usize].place))
            }
            Step::Load(load) => {
                let to: Vec<String> =
                    load.elements.iter().map(|at| at.map_or("_".to_string(), place)).collect();
                let lent = match (load.lends, load.copied) {
                    (true, _) => ", or lent",
                    (false, Some(_)) => ", or left to a store",
                    (false, None) => "",
                };
                format!(
                    "{} = load.{}{lent}{}{}",
                    to.join(", "),
                    reach(load),
                    guarded(load.guard),
                    self.line(load.pc)
                )
            }
            Step::Aim(store) => {
                format!("aim the last of the next operations at {}{}", reach(store), self.line(store.pc))
            }
            Step::Store(store) => {
                let from: Vec<String> = store.elements.iter().map(|at| place(*at)).collect();
                let copied = if store.copied.is_some() { ", or copied" } else { "" };
                format!(
                    "store.{}, {}{copied}{}{}",
                    reach(store),
                    from.join(", "),
                    guarded(store.guard),
                    self.line(store.pc)
                )
            }
            Step::Atomic(atomic) => {
                let simple = atomic.simple.map_or(String::new(), |simple| format!(", as {simple:?}"));
                let (olds, from) = (targets(&atomic.olds), sources(&atomic.sources));
                let at = &atomic.place;
                let line = self.line(at.pc);
                format!(
                    "{olds}{}.{}, {from} by `{}`{simple}{}{line}",
                    change(&atomic.update),
                    reach(at),
                    atomic.inst,
                    guarded(at.guard)
                )
            }
            Step::PerThread(each) => {
                format!(
                    "{}thread by thread `{}` {}",
                    targets(&each.results),
                    each.inst,
                    sources(&each.sources)
                )
            }
            Step::Collective(together) => self.collective(together),
            Step::Products(products) => {
                return products.each.iter().map(|each| self.collective(each)).collect();
            }
            Step::Barrier { pc, .. } => format!("barrier of all threads{}", self.line(*pc)),
            Step::Deferred { predicate, instructions } => {
                format!("{} executed if {}", count(*instructions as usize, "instruction"), place(*predicate))
            }
            Step::TestSpace(test) => {
                let to = test.to.map_or("_".to_string(), place);
                let space = if test.is_global { "global" } else { "const" };
                format!("{to} = is {space} {}", place(test.address.low.1))
            }
            Step::Print(print) => {
                let to = print.to.map_or("_".to_string(), |(_, to)| place(to));
                let [format, arguments] = [&print.format, &print.arguments].map(|from| place(from.low.1));
                let (guard, line) = (guarded(print.guard), self.line(print.pc));
                format!("{to} = print {format} with {arguments}{guard}{line}")
            }
            Step::Reduce { pc, operation, predicate, to, .. } => {
                let operation = match operation {
                    Reduction::Count => "count",
                    Reduction::All => "all",
                    Reduction::Any => "any",
                };
                let to = to.map_or("_".to_string(), place);
                format!("{to} = barrier of all threads, {operation} {}{}", place(*predicate), self.line(*pc))
            }
        };
        vec![one]
    }

    fn collective(&self, together: &Collective) -> String {
        let given = targets(&together.results);
        let from = together.rows_at.map_or_else(|| sources(&together.sources), |id| format!("a{id}"));
        let (guard, line) = (guarded(together.guard), self.line(together.pc));
        format!("{given}warp by warp {} {from}{guard}{line}", deed(&together.deed, &together.inst))
    }

    fn exit(&self, exit: &Exit, text: &mut String) {
        let _ = match exit {
            Exit::Go(next) => writeln!(text, "  go b{next}"),
            Exit::Branch { by, uniform, test, yes, no } => {
                let by = match test {
                    None => place(*by),
                    Some(test) => {
                        let [a, b] = test.operands.map(operand);
                        let sign = if test.negated { "not " } else { "" };
                        format!("{sign}{:?} {a}, {b} by its ends, else {}", test.cmp, place(*by))
                    }
                };
                let parts = if *uniform { "" } else { "  ; threads may part" };
                writeln!(text, "  branch {by} ? b{yes} : b{no}{parts}")
            }
            Exit::Indexed { index, blocks, beyond } => {
                let blocks = list(blocks.iter().copied());
                writeln!(text, "  branch by index {} to {blocks}, else b{beyond}", place(*index))
            }
            Exit::Barrier(barrier) => {
                let does = if barrier.passes { "arrive at" } else { "wait at" };
                let threads = barrier.count.as_ref().map_or("all".to_string(), number);
                let (id, next) = (number(&barrier.id), barrier.next);
                writeln!(text, "  {does} barrier {id} of {threads} threads, then b{next}")
            }
            Exit::Wait(wait) => {
                let phase = match &wait.phase {
                    Phase::State(state) => format!("after state {}", number(state)),
                    Phase::Parity(parity) => format!("of parity {}", number(parity)),
                };
                let (at, offset, next) = (number(&wait.address), wait.offset, wait.next);
                writeln!(text, "  wait for the phase {phase} at {at} + {offset:#x}, then b{next}")
            }
            Exit::End => writeln!(text, "  end"),
            Exit::Bailout => writeln!(text, "  hand over"),
        };
    }

    /// The operations of a turn.
    fn self_loop(&self, self_loop: &SelfLoop, text: &mut String) {
        let SelfLoop { run, running, turns } = self_loop;
        let (running, turns) = (place(*running), place(*turns));
        let _ = writeln!(text, "  self-loop, while threads of a group are in {running}; turns in {turns}:");
        for op in &self.plan.vector_ops.list()[run.start as usize..run.end as usize] {
            let _ = writeln!(text, "    vector {}", vector_op(op));
        }
    }

    fn fused_loops(&self, block: &Block, text: &mut String) {
        for fused in &block.fused_loops {
            let FusedLoop { steps, copies_from, number, preheader, address_groups, .. } = fused;
            let last = steps.end - 1;
            let _ = writeln!(text, "  fused loop {number}: steps {} to {last}", steps.start);
            let copies = |step: &Step| matches!(step, Step::Store(store) if store.copied.is_some());
            let copied = (*copies_from..steps.start).filter(|k| copies(&block.steps[*k]));
            let copied: Vec<String> = copied.map(|k| k.to_string()).collect();
            if !copied.is_empty() {
                let copied = copied.join(", ");
                let _ = writeln!(text, "    in it, before a block's threads: copies of step {copied}");
            }
            for before in preheader {
                let _ = match before {
                    Preheader::Step(step) => writeln!(text, "    before it: step {step}"),
                    Preheader::FindStore(step) => {
                        writeln!(text, "    before it: find where step {step} stores")
                    }
                    Preheader::AffineOps(range) => {
                        let ops = &self.plan.affine_ops[range.start as usize..range.end as usize];
                        let ops: Vec<String> = ops.iter().map(affine_op).collect();
                        writeln!(text, "    before it: {}", ops.join("; "))
                    }
                    Preheader::Find(group) => {
                        let group = &address_groups[*group];
                        let loads: Vec<String> = group
                            .loads
                            .iter()
                            .map(|load| format!("step {} at +{}", load.step, load.above))
                            .collect();
                        let root = match group.root {
                            BaseAddress::Zero => "0".to_string(),
                            BaseAddress::Uniform(at) => place(at),
                            BaseAddress::Affine(id) => format!("a{id}"),
                            BaseAddress::Narrow(id) => format!("a{id}, 32 bits"),
                        };
                        let least = group.least as i64;
                        writeln!(text, "    before it: find {} from {root} {least:+} on", loads.join(", "))
                    }
                };
            }
        }
    }
}

/// What the affine values that a loop carries do in each turn.
fn growths(grows: &Grows) -> Vec<String> {
    let one = |carried: &Carried| {
        let by = match carried.by {
            Growth::Affine(id) => format!("a{id}"),
            Growth::Uniform(_, at) => place(at),
        };
        format!("a{} {} by {by}", carried.value, if carried.falls { "falls" } else { "grows" })
    };
    grows.carried.iter().map(one).collect()
}

/// What a turn loop does in each turn with values that are affine or the same in all threads.
fn changes(turn_loop: &TurnLoop) -> String {
    let one = |scalar: &GrowingScalar| {
        let by =
            scalar.by.iter().map(|(by, falls)| format!("{}{}", if *falls { "-" } else { "" }, place(*by)));
        format!("{} grows by {}", place(scalar.place), by.collect::<Vec<_>>().join(" and "))
    };
    let scalars = turn_loop.scalars.iter().map(one);
    growths(&turn_loop.grows).into_iter().chain(scalars).collect::<Vec<_>>().join(", ")
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Const(bits) => format!("{bits:#x}"),
        Operand::Uniform(_, at) => place(at),
        Operand::Affine(id) => format!("a{id}"),
    }
}

/// The space, width and address of an access.
fn reach<T>(access: &Move<T>) -> String {
    let space = access.space.map_or("generic".to_string(), |space| format!("{space:?}").to_lowercase());
    let vector =
        if access.size > access.bytes { format!(".v{}", access.size / access.bytes) } else { String::new() };
    format!("{space}{vector}.b{} [{}]", 8 * access.bytes, address(access.address))
}

fn number(number: &Number) -> String {
    match number {
        Number::Constant(number) => number.to_string(),
        Number::Slot { slot, .. } => format!("slot {slot}"),
    }
}
