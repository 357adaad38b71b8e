//! Machine code as text, in three stages: instructions on values (`isel`), on registers (`regs`), and as bytes say (`asm`).

use crate::batch::affine::AXES;
use crate::batch::lanes::jit::allocate::{Allocated, Placed};
use crate::batch::lanes::jit::encode::{Around, Function, Text};
use crate::batch::lanes::jit::isel::select;
use crate::batch::lanes::jit::lowering::Run;
use crate::batch::lanes::jit::machine::{
    Arg, Base, Body, Carried, Instr, Kind, Memory, Pointer, Reg, Step, Turns,
};
use crate::batch::lanes::jit::neon;
use crate::batch::lanes::jit::pattern::Pattern;
use crate::batch::lanes::jit::target::{AVX512, Encoding, Machine};
use crate::batch::lanes::jit::{Assigned, UNIT_THREADS, again, assign, has_long_rounds, pattern};
use crate::batch::lanes::{
    Fused, FusedStore, Item, MachineStage, Place, RunKind, Runs, Simd, VectorOp, Work,
};
use iced_x86::{Code, Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};
use margay_isa::uop::float::Rounding;
use std::fmt::Write;
use std::ops::Range;

/// The machine code of all runs and fused loops; of the latter as if each load's elements were neighbours, since the code is chosen
/// when it is known how they lie.
pub(crate) fn print(vector_ops: &[VectorOp], runs: &Runs, stage: MachineStage, simd: Simd) -> String {
    let machine = Machine::of(simd).unwrap_or(&AVX512);
    let mut text = String::new();
    for (range, kind) in &runs.ranges {
        let Range { start, end } = range.start as usize..range.end as usize;
        let items = vector_ops[start..end].iter().zip(&runs.lasts[start..end]);
        let items: Vec<Item> =
            items.map(|(op, lasts)| Item { work: Work::VectorOp(*op), lasts: *lasts }).collect();
        let what = if *kind == RunKind::SelfLoop { "self-loop" } else { "run" };
        let _ = writeln!(text, "\n{what} of operations {} to {}:", start, end - 1);
        let again = again(*kind, &items);
        let constants = &runs.constants;
        one(&mut text, &Run { again, ..Run::new(&items, constants, machine) }, stage);
    }
    for (number, Fused { items, stores, turns }) in runs.fused_loops.iter().enumerate() {
        let what = if *turns { "turn loop" } else { "fused loop" };
        let _ = writeln!(text, "\n{what} {number}, where elements are neighbours and all threads run:");
        match neighbours(machine, items, stores, runs) {
            Some(patterns) => {
                let (constants, full) = (&runs.constants, runs.active);
                let long_rounds = has_long_rounds(machine, runs.geometry);
                let run = Run::new(items, constants, machine);
                let run = Run { patterns: &patterns, full, stores, turns: *turns, long_rounds, ..run };
                one(&mut text, &run, stage);
            }
            None => text.push_str("  no code: step by step\n"),
        }
    }
    text
}

/// Where the elements of each load lie if neighbours along x have neighbouring ones, and rows and blocks follow each other.
fn neighbours(machine: &Machine, items: &[Item], stores: &[FusedStore], runs: &Runs) -> Option<Vec<Pattern>> {
    let mut found: Vec<Option<Pattern>> = Vec::new();
    let loads = items.iter().filter_map(|item| match item.work {
        Work::Load { load, bytes, to, .. } => Some((load, bytes, to)),
        Work::VectorOp(_) | Work::Exchange { .. } => None,
    });
    let stores = stores.iter().map(|store| (store.source, store.bytes, Place { line: 0, stride: 1 }));
    for (load, bytes, to) in loads.chain(stores) {
        // What is the same in all threads is one element.
        let first = if to.step() == 0 { 0 } else { i64::from(bytes) };
        let mut steps = [first; AXES];
        for axis in 1..AXES {
            steps[axis] = steps[axis - 1] * i64::from(runs.geometry.extent[axis - 1]);
        }
        if found.len() <= load {
            found.resize_with(load + 1, || None);
        }
        let threads = runs.geometry.extent.iter().map(|extent| *extent as usize).product::<usize>();
        found[load] = pattern(machine, &steps, runs.geometry, threads.next_multiple_of(UNIT_THREADS));
    }
    found.into_iter().collect()
}

fn one(text: &mut String, run: &Run, stage: MachineStage) {
    let written = match stage {
        MachineStage::Isel => select(run).map(|body| {
            let printer = Printer { body: &body };
            let part = |text: &mut String, instrs: &[Instr]| {
                instrs.iter().for_each(|instr| printer.line(text, &printer.selected(instr)));
            };
            match &body.turns {
                None => part(text, &body.instrs),
                Some(Turns { enter, carried, asking, leave }) => {
                    text.push_str("  before the first turn:\n");
                    part(text, enter);
                    text.push_str("  each turn:\n");
                    part(text, &body.instrs);
                    for Carried { begins, ends } in carried.iter().filter(|pair| pair.begins != pair.ends) {
                        let [begins, ends] = [begins, ends].map(|reg| printer.name(*reg));
                        printer.line(text, &format!("next turn: {begins} is {ends}"));
                    }
                    if !asking.is_empty() {
                        text.push_str("  whether another one:\n");
                        part(text, asking);
                    }
                    text.push_str("  after the last turn:\n");
                    part(text, leave);
                }
            }
        }),
        MachineStage::Regs => assign(run).map(|assigned| registers(text, &assigned)),
        MachineStage::Asm => assign(run).and_then(|assigned| bytes(text, &assigned)),
    };
    if written.is_none() {
        text.push_str("  no code: the handlers carry it out\n");
    }
}

fn registers(text: &mut String, Assigned { arranged, before, round, around }: &Assigned) {
    let printer = Printer { body: &arranged.body };
    let part = |text: &mut String, name: &str, code: &Allocated| {
        let _ = writeln!(text, "  {name}:");
        code.code.iter().for_each(|placed| printer.line(text, &printer.placed(placed)));
    };
    if !before.code.is_empty() {
        part(text, "before", before);
    }
    let each = format!("each {} of {} threads", groups(arranged.groups), arranged.body.machine.lanes());
    match around {
        None => part(text, &each, round),
        Some(Around { enter, asking, leave }) => {
            part(text, &format!("{each}, before the first turn"), enter);
            part(text, "each turn", round);
            if !asking.code.is_empty() {
                part(text, "whether another one", asking);
            }
            part(text, "after the last turn", leave);
        }
    }
}

fn groups(count: usize) -> String {
    if count == 1 { "group".to_string() } else { format!("{count} groups") }
}

fn bytes(text: &mut String, assigned: &Assigned) -> Option<()> {
    if assigned.arranged.body.machine.encoding == Encoding::Neon {
        let (bytes, start) = encoded(assigned)?;
        text.push_str(&neon::disassembled(&bytes[start as usize..], start));
        return Some(());
    }
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_rip_relative_addresses(true);
    formatter.options_mut().set_branch_leading_zeros(false);
    let mut line = String::new();
    // They bring the loop's start to a multiple of 32.
    for instruction in decoded(assigned)?.iter().filter(|instruction| instruction.code() != Code::Nopd) {
        line.clear();
        formatter.format(instruction, &mut line);
        let _ = writeln!(text, "  {:4x}  {line}", instruction.ip());
    }
    Some(())
}

/// A function's bytes, after its constants, and where it begins.
pub(super) fn encoded(Assigned { arranged, before, round, around }: &Assigned) -> Option<(Vec<u8>, u32)> {
    let mut encoded = Text::new();
    let (body, groups, around) = (&arranged.body, arranged.groups, around.as_ref());
    let function = Function { body, before, round, around, groups };
    let start = encoded.add(&function)?;
    Some((encoded.bytes(), start))
}

/// The instructions of a function's bytes.
pub(super) fn decoded(assigned: &Assigned) -> Option<Vec<Instruction>> {
    let (bytes, start) = encoded(assigned)?;
    let decoder = Decoder::with_ip(64, &bytes[start as usize..], start.into(), DecoderOptions::NONE);
    Some(decoder.into_iter().collect())
}

struct Printer<'b> {
    body: &'b Body,
}

impl Printer<'_> {
    fn line(&self, text: &mut String, line: &str) {
        let _ = writeln!(text, "    {line}");
    }

    fn name(&self, reg: Reg) -> String {
        match self.body.kinds[reg.0 as usize] {
            Kind::Vector => format!("%{}", reg.0),
            Kind::Mask => format!("%k{}", reg.0),
        }
    }

    fn numbered(&self, reg: Reg, number: u8) -> String {
        match self.body.kinds[reg.0 as usize] {
            Kind::Vector if self.body.machine.encoding == Encoding::Neon => {
                format!("v{}:v{}", 2 * number, 2 * number + 1)
            }
            Kind::Vector => format!("{:?}", self.body.machine.first + u32::from(number)).to_lowercase(),
            Kind::Mask => format!("k{number}"),
        }
    }

    /// An instruction on values.
    fn selected(&self, instr: &Instr) -> String {
        let name = |reg: Reg| self.name(reg);
        let from: Vec<String> = instr.from.iter().flatten().map(|arg| self.arg(*arg, &name)).collect();
        let onto = instr.onto.map(|reg| format!(" onto {}", self.name(reg)));
        let by = instr.by.map(|reg| self.name(reg));
        self.instr(instr, instr.sets().map(|reg| self.name(reg)), &from, by, onto.as_deref())
    }

    /// An instruction on registers.
    fn placed(&self, Placed { instr, to, from, by }: &Placed) -> String {
        let args = instr.from.iter().zip(from);
        let args = args.filter_map(|(arg, number)| arg.map(|arg| (arg, *number)));
        let from: Vec<String> =
            args.map(|(arg, number)| self.arg(arg, &|reg| self.numbered(reg, number))).collect();
        let to = instr.sets().map(|reg| self.numbered(reg, *to));
        self.instr(instr, to, &from, instr.by.map(|reg| self.numbered(reg, *by)), None)
    }

    fn instr(
        &self,
        instr: &Instr,
        to: Option<String>,
        from: &[String],
        by: Option<String>,
        onto: Option<&str>,
    ) -> String {
        let mnemonic = format!("{:?}", instr.code.mnemonic()).to_lowercase();
        // Elements are numbered as a pass finds them, whatever becomes of them.
        let is_store = instr.to.is_none();
        let from: Vec<String> = from
            .iter()
            .map(|from| if is_store { from.replace("[load ", "[store ") } else { from.clone() })
            .collect();
        let to = to.map_or(String::new(), |to| format!("{to} = "));
        let zeroes = if instr.zeroes { ", else 0" } else { "" };
        let by = by.map_or(String::new(), |by| format!(" where {by}{zeroes}"));
        format!("{to}{mnemonic} {}{}{by}", from.join(", "), onto.unwrap_or_default())
    }

    fn arg(&self, arg: Arg, name: &dyn Fn(Reg) -> String) -> String {
        match arg {
            Arg::Whole(reg) => name(reg),
            Arg::Lower(reg) => format!("{}.lower", name(reg)),
            Arg::Memory(memory) => self.memory(memory),
            Arg::Element(memory) => format!("{} in all lanes", self.memory(memory)),
            Arg::Gathered { memory, by, .. } => {
                format!("{} + {} of each lane", self.memory(memory), name(by))
            }
            Arg::Exchanged { reg, choices } => {
                let lanes = self.body.choices[choices].map(|lane| lane.to_string()).join(" ");
                format!("{} of lanes {lanes}", name(reg))
            }
            Arg::AnyMask => "any mask".to_string(),
            Arg::Rounding(Rounding::Down) => "downwards".into(),
            Arg::Rounding(Rounding::Up) => "upwards".into(),
            Arg::Rounding(Rounding::Zero) => "towards 0".into(),
            Arg::Rounding(Rounding::Nearest | Rounding::Odd) => "to nearest".into(),
            Arg::Number(number) => format!("{number:#x}"),
        }
    }

    /// Where an operand in memory lies for the first group, and how many bytes further on for the next.
    fn memory(&self, memory: Memory) -> String {
        let base = match memory.base {
            Base::Lines(at) if at % 64 != 0 => format!("line {} {:+}", at / 64, at % 64),
            Base::Lines(at) => format!("line {}", at / 64),
            Base::Pointer(k, at) => match self.body.pointers[k] {
                Pointer::Lent(line) => format!("lent {line} {at:+}"),
                Pointer::Aimed(line) => format!("aimed {line} {at:+}"),
                Pointer::Load(load) => format!("load {load} {at:+}"),
            },
            Base::Constant(k) => return self.constant(k),
            Base::Slot(k) => return format!("[stack {k}]"),
        };
        match memory.step {
            Step::Vectors(0) => format!("[{base}]"),
            Step::Vectors(vectors) => {
                format!("[{base} by {}]", usize::from(vectors) * self.body.machine.bytes)
            }
            Step::Table(table, group) => format!("[{base} by table {table}+{group}]"),
        }
    }

    /// A line of constants: one number if all lanes have it.
    fn constant(&self, k: usize) -> String {
        let line = &self.body.constants[k];
        if line.iter().all(|word| *word == line[0]) {
            return format!("[{:#x} in all lanes]", line[0]);
        }
        let words: Vec<String> = line.iter().map(|word| format!("{word:#x}")).collect();
        format!("[{}]", words.join(" "))
    }
}
