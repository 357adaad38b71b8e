//! A kernel's intermediate representation as text: blocks, values, steps, and where threads go.

use crate::batch::compile::analysis::{
    Analysis, Function, analyse, needed, needed_after, results, step_needed,
};
use crate::batch::compile::bailout_reason::reason;
use crate::batch::compile::cfg::Exit;
use crate::batch::compile::ir::{Access, BlockIr, Guarded, Item, Operand, Step, ValueDef, ValueId};
use crate::batch::compile::liveness::Bits;
use crate::batch::compile::request::CompileRequest;
use crate::batch::compile::transform::transform;
use crate::batch::compile::uniformity::{Uniformities, Uniformity};
use crate::code::{Action, Deed, Reduction, Update};
use margay_isa::Inst;
use margay_isa::special::SpecialValue;
use margay_isa::uop::Type;
use std::fmt::Write;

/// What a whole warp carries out.
pub(super) fn deed(deed: &Deed, inst: &Inst) -> String {
    match deed {
        Deed::Factors(_) => format!("what `{inst}` multiplies"),
        _ => format!("`{inst}`"),
    }
}

/// How a step changes memory.
pub(super) fn change(update: &Update) -> &'static str {
    match update {
        Update::Copied(_) => "copy",
        Update::Texture(_) => "texture",
        Update::Page(_) | Update::Object(_) => "atomic",
    }
}

/// What the text says beside the analysis.
pub(crate) struct Names<'a> {
    /// By function.
    pub(crate) functions: &'a [&'a str],
    /// By function, what each of its slots is called.
    pub(crate) slots: &'a [Vec<String>],
    /// The line of a function's instruction.
    pub(crate) line: &'a dyn Fn(u32, u32) -> usize,
}

impl Names<'_> {
    /// What a slot of the code is called: one of a function whose call was inlined, with the name of the function and the line of
    /// the call.
    pub(super) fn slot(&self, request: &CompileRequest, slot: u32) -> String {
        let Some(origins) = request.origins else {
            return self.slots[request.callees.entry as usize][slot as usize].clone();
        };
        let Some(node) = origins.owner(slot) else {
            let Some(cell) = origins.cells().iter().find(|cell| cell.slot == slot) else {
                return "of a copy".to_string();
            };
            return format!("local.b{} [{:#x}]", 8 * cell.bytes, cell.at);
        };
        let node = origins.node(node);
        let name = &self.slots[node.function as usize][(slot - node.first_slot) as usize];
        match node.caller {
            None => name.clone(),
            Some(caller) => {
                let line = (self.line)(origins.node(caller.node).function, caller.pc);
                format!("{name} of {} called in line {line}", self.functions[node.function as usize])
            }
        }
    }

    /// The function of an instruction of the code, and its line.
    fn place(&self, request: &CompileRequest, pc: u32) -> (u32, usize) {
        let origin = request.origin(pc);
        let function =
            request.origins.map_or(request.callees.entry, |origins| origins.node(origin.node).function);
        (function, (self.line)(function, origin.pc))
    }

    /// The line of an instruction of the code, with the name of its function if that is not the kernel.
    pub(super) fn line_of(&self, request: &CompileRequest, pc: u32) -> String {
        let (function, line) = self.place(request, pc);
        match function == request.callees.entry {
            true => line.to_string(),
            false => format!("{line} of {}", self.functions[function as usize]),
        }
    }
}

/// The text for a kernel's values as its instructions compute them, after inlining and if-conversion.
pub(crate) fn print_ir(request: &CompileRequest, names: &Names) -> String {
    let transformed = transform(request);
    let request = &transformed.request(request);
    print(request, names, &Function::of(request), None)
}

/// The text for a kernel's values after combining, with what is known of how they differ from thread to thread.
pub(crate) fn print_uniformity(request: &CompileRequest, names: &Names) -> String {
    let transformed = transform(request);
    let request = &transformed.request(request);
    let Analysis { function, uniformities, .. } = analyse(request);
    print(request, names, &function, Some(&uniformities))
}

/// The line that every stage begins with.
pub(super) fn heading(request: &CompileRequest, names: &Names, blocks: usize) -> String {
    let block = request.block;
    format!(
        "kernel {} in blocks of {},{},{}: {}, {}\n",
        names.functions[request.callees.entry as usize],
        block.x,
        block.y,
        block.z,
        count(request.counted(0..request.code.ops.len() as u32) as usize - 1, "instruction"),
        count(blocks, "block"),
    )
}

fn print(
    request: &CompileRequest,
    names: &Names,
    function: &Function,
    uniformities: Option<&Uniformities>,
) -> String {
    let mut text = heading(request, names, function.blocks.len());
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
    for (b, block) in function.blocks.iter().enumerate() {
        block.exit.each(|next| {
            if !before[next].contains(&b) {
                before[next].push(b);
            }
        });
    }
    for (b, before) in before.iter().enumerate() {
        Page::new(request, names, function, uniformities, b).print(before, &mut text);
    }
    text
}

/// The lines of the PTX file that a block is made of, as a label has them; nothing for a block of none.
pub(super) fn lines(request: &CompileRequest, names: &Names, first: u32, end: u32) -> String {
    let places: Vec<(u32, usize)> =
        (first..end.min(request.code.ops.len() as u32 - 1)).map(|pc| names.place(request, pc)).collect();
    let stretches = places.chunk_by(|a, b| a.0 == b.0).filter_map(|stretch| {
        let lines = stretch.iter().map(|(_, line)| *line);
        let (function, first, last) = (stretch[0].0, lines.clone().min()?, lines.max()?);
        let name = names.functions[function as usize];
        let of = if function == request.callees.entry { String::new() } else { format!(" of {name}") };
        Some(match first == last {
            true => format!(" line {first}{of}"),
            false => format!(" lines {first}-{last}{of}"),
        })
    });
    stretches.collect::<Vec<_>>().join(",")
}

pub(super) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// One block.
struct Page<'a> {
    request: &'a CompileRequest<'a>,
    names: &'a Names<'a>,
    function: &'a Function,
    b: usize,
    ir: &'a BlockIr,
    /// None before they are known.
    uniformities: Option<&'a Uniformities>,
    after: Bits,
    needed: Bits,
    /// The numbers that values are shown under, in the order of their lines.
    numbers: Vec<Option<usize>>,
}

impl<'a> Page<'a> {
    fn new(
        request: &'a CompileRequest<'a>,
        names: &'a Names<'a>,
        function: &'a Function,
        uniformities: Option<&'a Uniformities>,
        b: usize,
    ) -> Page<'a> {
        let ir = &function.irs[b];
        let after = needed_after(&function.blocks[b], &function.live, request.code.slots);
        let needed = needed(ir, &after);
        let mut page = Page {
            request,
            names,
            function,
            b,
            ir,
            uniformities,
            after,
            needed,
            numbers: vec![None; ir.values.len()],
        };
        page.number();
        page
    }

    fn number(&mut self) {
        let mut next = 0;
        let mut give = |numbers: &mut Vec<Option<usize>>, node: ValueId| {
            numbers[node as usize] = Some(next);
            next += 1;
        };
        for item in &self.ir.items {
            match item {
                Item::Value(node) if self.shows(*node) => give(&mut self.numbers, *node),
                Item::Value(_) => {}
                Item::Step(step) => {
                    for node in results(&self.ir.steps[*step as usize].step) {
                        if self.needed.has(node as usize) {
                            give(&mut self.numbers, node);
                        }
                    }
                }
            }
        }
    }

    /// Whether a value has a line of its own: constants stand where they are used.
    fn shows(&self, node: ValueId) -> bool {
        let constant = matches!(self.ir.values[node as usize].from, ValueDef::Const(_));
        self.needed.has(node as usize) && !constant
    }

    fn print(&self, before: &[usize], text: &mut String) {
        let block = &self.function.blocks[self.b];
        let _ = write!(text, "\nb{}:{}", self.b, lines(self.request, self.names, block.first, block.end));
        if !before.is_empty() {
            let _ = write!(text, " after {}", list(before.iter().copied()));
        }
        let pending = self.uniformities.map(|known| known.pending[self.b].iter().collect());
        let pending: Vec<usize> = pending.unwrap_or_default();
        if !pending.is_empty() {
            let _ = write!(text, ", while threads may wait at {}", list(pending.into_iter()));
        }
        text.push('\n');
        for item in &self.ir.items {
            match item {
                Item::Value(node) if self.shows(*node) => {
                    let _ = writeln!(text, "  {} = {}", self.typed(*node), self.made(*node));
                }
                Item::Value(_) => {}
                Item::Step(step) => self.step(&self.ir.steps[*step as usize], text),
            }
        }
        self.registers(text);
        for (node, instructions) in &self.ir.sides {
            let instructions = count(*instructions as usize, "instruction");
            let _ = writeln!(text, "  {instructions} executed if {}", self.value(*node));
        }
        self.exit(text);
    }

    /// A value as an operand.
    fn value(&self, node: ValueId) -> String {
        match (self.ir.values[node as usize].from, self.numbers[node as usize]) {
            (ValueDef::Const(bits), _) => format!("{bits:#x}"),
            (_, Some(number)) => format!("%{number}"),
            (_, None) => "_".to_string(),
        }
    }

    /// Whether it is known that threads may differ in a value.
    fn may_differ(&self, node: ValueId) -> bool {
        self.uniformities.is_some_and(|known| known.values[self.b][node as usize] != Uniformity::Uniform)
    }

    /// A value and its uniformity, if that is known.
    fn classed(&self, node: ValueId) -> String {
        match self.uniformities {
            Some(known) => {
                format!("{}: {}", self.value(node), class_name(known.values[self.b][node as usize]))
            }
            None => self.value(node),
        }
    }

    fn typed(&self, node: ValueId) -> String {
        let ty = match self.ir.values[node as usize].ty {
            Type::Pred => "pred",
            Type::U32 => "u32",
            Type::U64 => "u64",
        };
        match self.uniformities {
            Some(known) => {
                let class = class_name(known.values[self.b][node as usize]);
                format!("{}: {ty} {class}", self.value(node))
            }
            None => format!("{}: {ty}", self.value(node)),
        }
    }

    /// Where a value comes from.
    fn made(&self, node: ValueId) -> String {
        match self.ir.values[node as usize].from {
            ValueDef::Const(bits) => format!("{bits:#x}"),
            ValueDef::Slot(slot) => format!("register {}", self.names.slot(self.request, slot)),
            ValueDef::Special(special) => format!("special {}", special_name(special)),
            ValueDef::Op(op, operands) => {
                let operands: Vec<String> =
                    operands[..op.operands().len()].iter().map(|operand| self.value(*operand)).collect();
                format!("{op} {}", operands.join(", "))
            }
            ValueDef::Step(_) => String::new(),
        }
    }

    /// An address with its uniformity, behind the space and the width of what lies there.
    fn place(&self, access: &Access, count: usize) -> String {
        let space = access.space.map_or("generic".to_string(), |space| format!("{space:?}").to_lowercase());
        let vector = if count > 1 { format!(".v{count}") } else { String::new() };
        let address = format!("[{}]", self.classed(access.address));
        format!("{space}{vector}.b{} {address}", 8 * access.bytes)
    }

    fn operands(&self, operands: &[Operand]) -> String {
        let one = |operand: &Operand| match operand {
            Operand::One(node) => self.value(*node),
            Operand::Two(low, high) => format!("{{{}, {}}}", self.value(*low), self.value(*high)),
        };
        operands.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn step(&self, guarded: &Guarded, text: &mut String) {
        let step = &guarded.step;
        if !step_needed(step, &self.needed) {
            return;
        }
        let given: Vec<String> = results(step)
            .into_iter()
            .map(|node| if self.needed.has(node as usize) { self.typed(node) } else { "_".to_string() })
            .collect();
        let given = if given.is_empty() { String::new() } else { format!("{} = ", given.join(", ")) };
        let done = match step {
            Step::Load(access, nodes) => format!("load.{}", self.place(access, nodes.len())),
            Step::Store(access, nodes) => {
                let values: Vec<String> = nodes.iter().map(|node| self.value(*node)).collect();
                format!("store.{}, {}", self.place(access, nodes.len()), values.join(", "))
            }
            Step::Atomic(atomic) => {
                let place = self.place(&atomic.access, 1);
                format!(
                    "{}.{place}, {} by `{}`",
                    change(&atomic.update),
                    self.operands(&atomic.sources),
                    atomic.inst
                )
            }
            Step::PerThread(each) => {
                format!("thread by thread `{}` {}", each.inst, self.operands(&each.sources))
            }
            Step::Collective(together) => {
                format!(
                    "warp by warp {} {}",
                    deed(&together.deed, &together.inst),
                    self.operands(&together.sources)
                )
            }
            Step::Barrier => "barrier of all threads".to_string(),
            Step::Reduce { operation, predicate, .. } => {
                let operation = match operation {
                    Reduction::Count => "count",
                    Reduction::All => "all",
                    Reduction::Any => "any",
                };
                format!("barrier of all threads, {operation} {}", self.value(*predicate))
            }
            Step::TestSpace { is_global, address, .. } => {
                format!("is {} {}", if *is_global { "global" } else { "const" }, self.value(*address))
            }
            Step::Print { format, arguments, .. } => {
                format!("print {} with {}", self.value(*format), self.value(*arguments))
            }
        };
        let done = done.trim_end();
        let guard = match (guarded.guard, step) {
            (None, _) => String::new(),
            (Some(guard), Step::Barrier | Step::Reduce { .. }) => {
                format!(" if {}, handed over: it has a guard", self.value(guard))
            }
            (Some(guard), _) => format!(" if {}", self.value(guard)),
        };
        let _ =
            writeln!(text, "  {given}{done}{guard}  ; line {}", self.names.line_of(self.request, guarded.pc));
    }

    /// What registers hold after the block, as far as anything needs it.
    fn registers(&self, text: &mut String) {
        let mut sets: Vec<(u32, ValueId)> = self.ir.last.iter().map(|(slot, node)| (*slot, *node)).collect();
        sets.retain(|(slot, _)| self.after.has(*slot as usize));
        sets.sort_unstable();
        for (slot, node) in sets {
            let (name, value) = (self.names.slot(self.request, slot), self.value(node));
            let _ = match self.uniformities {
                Some(known) => {
                    let kept =
                        if known.kept[self.b].contains(&slot) { ", kept in threads that wait" } else { "" };
                    let class = class_name(known.slots[slot as usize]);
                    writeln!(text, "  set {name}: {class} = {value}{kept}")
                }
                None => writeln!(text, "  set {name} = {value}"),
            };
        }
    }

    fn exit(&self, text: &mut String) {
        let block = &self.function.blocks[self.b];
        let decides = self.ir.decides.map(|node| self.classed(node)).unwrap_or_default();
        let parts = self.ir.decides.is_some_and(|node| self.may_differ(node));
        let parts = if parts { "  ; threads may part" } else { "" };
        let _ = match &block.exit {
            Exit::Go(next) => writeln!(text, "  go b{next}"),
            Exit::Branch { yes, no, .. } => writeln!(text, "  branch {decides} ? b{yes} : b{no}{parts}"),
            Exit::Indexed { blocks, beyond, .. } => {
                let blocks = list(blocks.iter().copied());
                writeln!(text, "  branch by index {decides} to {blocks}, else b{beyond}{parts}")
            }
            Exit::Barrier(next) => {
                let line = self.names.line_of(self.request, block.first);
                match self.request.code.ops[block.first as usize].action {
                    Action::Barrier(_) => writeln!(text, "  barrier line {line}, then b{next}"),
                    _ => writeln!(text, "  wait line {line}, then b{next}"),
                }
            }
            Exit::End => writeln!(text, "  end"),
            Exit::Bailout(_) => {
                let why = reason(&self.request.code.ops[block.first as usize].action);
                writeln!(text, "  hand over line {}: {why}", self.names.line_of(self.request, block.first))
            }
        };
    }
}

pub(super) fn list(blocks: impl Iterator<Item = usize>) -> String {
    blocks.map(|b| format!("b{b}")).collect::<Vec<_>>().join(" ")
}

fn class_name(uniformity: Uniformity) -> &'static str {
    match uniformity {
        Uniformity::Uniform => "uniform",
        Uniformity::Affine => "affine",
        Uniformity::Periodic => "periodic",
        Uniformity::Varying => "varying",
    }
}

/// The name without `%`, which values have here.
pub(super) fn special_name(special: SpecialValue) -> String {
    let axis = |name: &str, axis: u8| format!("{name}.{}", ["x", "y", "z"][usize::from(axis).min(2)]);
    match special {
        SpecialValue::Tid(k) => axis("tid", k),
        SpecialValue::Ntid(k) => axis("ntid", k),
        SpecialValue::Ctaid(k) => axis("ctaid", k),
        SpecialValue::Nctaid(k) => axis("nctaid", k),
        SpecialValue::Other(name) => name.trim_start_matches('%').to_string(),
        other => format!("{other:?}").to_lowercase(),
    }
}
