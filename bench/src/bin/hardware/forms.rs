//! Every form of every instruction that computes, on drawn operands, many in a kernel.

use crate::asked::{Asked, Part};
use crate::draw::{Random, operands};
use crate::probe::{Given, Probe};
use margay_isa::{
    Carry, Floor, Immediate, Inst, Meaning, Operand, PAGES, Role, Target, Ty, TypeRule, Version, forms,
};
use std::fmt::Write;
use std::rc::Rc;

/// Threads, each with operands of its own.
const THREADS: usize = 2048;
const BLOCK: usize = 256;
/// Operands of 64 bits that each thread has.
const PLANES: usize = 10;
/// Results that a form has at most.
const RESULTS: usize = 4;
/// Forms of a kernel.
const TOGETHER: usize = 32;

/// Whether a form runs, and exists for a target and a version.
pub fn exists(inst: &Inst, target: Target, version: Version) -> bool {
    let reached = |floor: &Floor| floor.version <= version && floor.targets.contains(target);
    let ended = inst.until().is_some_and(|end| reached(&end));
    inst.runs() && !ended && inst.floors().iter().all(|(_, floor)| reached(floor))
}

/// Forms whose text is the same are the same to a device.
fn all(target: Target, version: Version) -> Vec<Inst> {
    let mut random = Random::new(1);
    let computes = |meaning| matches!(meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_));
    let mut all = Vec::new();
    for page in PAGES.iter().copied().filter(|page| page.runs() && computes(page.meaning)) {
        for opcode in page.opcodes {
            let drawn = forms::forms(page, opcode, 2, &mut || random.next() >> 8);
            all.extend(drawn.into_iter().filter(|inst| exists(inst, target, version)));
        }
    }
    all
}

/// A form as its syntax line has it.
pub fn name(inst: &Inst) -> String {
    let operands: Vec<String> = inst
        .operands()
        .take_while(|(template, operand)| {
            !template.optional || operand.with.is_some_and(|slot| inst.has(slot))
        })
        .map(|(template, _)| match inst.elements(template) {
            0 => template.name.to_string(),
            count => format!("{{{}}}", vec![template.name; count].join(", ")),
        })
        .collect();
    inst.statement(&operands.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A form's lines, what it writes, and how it is called.
struct Item {
    name: String,
    lines: String,
    /// Results with their widths.
    kept: Vec<(String, u32)>,
}

/// Registers by number and width; a result and a source never share one.
fn register(letter: char, number: usize, width: u32) -> String {
    format!("%{letter}{number}_{width}")
}

/// The width of a register that an operand of this type takes.
fn fitting(rule: TypeRule, ty: Ty) -> Option<u32> {
    match (ty.width(), rule) {
        // Registers of 8 bits are for few instructions.
        (..=8, TypeRule::AtLeast(_)) => Some(16),
        (width @ (1 | 8 | 16 | 32 | 64 | 128), _) => Some(width),
        _ => None,
    }
}

fn load(register: &str, plane: usize, width: u32) -> String {
    let at = |plane: usize| format!("[%bank+{}]", 8 * THREADS * (plane % PLANES));
    match width {
        1 => format!("ld.global.u8 %byte, {}; setp.lt.u16 {register}, %byte, 128;\n", at(plane)),
        128 => format!(
            "ld.global.b64 %lo, {}; ld.global.b64 %hi, {}; mov.b128 {register}, {{%lo, %hi}};\n",
            at(plane),
            at(plane + 3)
        ),
        _ => format!("ld.global.b{width} {register}, {};\n", at(plane)),
    }
}

fn constant(random: &mut Random, immediate: Immediate) -> Option<i128> {
    match immediate {
        Immediate::Only(least, most) => Some(least + i128::from(random.next()).rem_euclid(most - least + 1)),
        Immediate::OneOf(values) => Some(values[random.next() as usize % values.len()]),
        _ => None,
    }
}

/// The lines of a form; none if it has operands of another kind.
fn item(inst: &Inst, number: usize) -> Option<Item> {
    let mut random = Random::new(number as u64);
    let (mut lines, mut texts) = (String::new(), Vec::new());
    let (mut kept, mut read) = (Vec::new(), 0);
    let result = |rule: TypeRule, kept: &mut Vec<(String, u32)>| {
        let width = fitting(rule, inst.operand_type(rule)?)?;
        let name = register('d', kept.len(), width);
        kept.push((name.clone(), width));
        Some(name)
    };
    for (template, operand) in inst.operands() {
        if template.address || operand.members {
            return None;
        }
        if template.optional && !operand.with.is_some_and(|slot| inst.has(slot)) {
            break;
        }
        let operand: Operand = inst.operand_here(*operand);
        let elements = inst.elements(template);
        let mut source = |lines: &mut String, k: usize| {
            if let Some(value) = constant(&mut random, operand.immediate) {
                return Some(value.to_string());
            }
            let ty = operand.element.map_or_else(|| inst.operand_type(operand.ty), |of| Some(of(inst, k)))?;
            let width = fitting(operand.ty, ty)?;
            let name = register('s', read, width);
            *lines += &load(&name, read, width);
            read += 1;
            Some(name)
        };
        let text = match (operand.role, elements) {
            (Role::Destination, 0) => {
                let first = result(operand.ty, &mut kept)?;
                match template.second {
                    Some((second, _)) => {
                        format!("{first}|{}", result(inst.page().operand(second)?.ty, &mut kept)?)
                    }
                    None => first,
                }
            }
            (Role::Destination, _) => {
                let all: Option<Vec<_>> = (0..elements).map(|_| result(operand.ty, &mut kept)).collect();
                format!("{{{}}}", all?.join(", "))
            }
            (Role::Source, 0) => source(&mut lines, 0)?,
            (Role::Source, _) => {
                let all: Option<Vec<_>> = (0..elements).map(|k| source(&mut lines, k)).collect();
                format!("{{{}}}", all?.join(", "))
            }
        };
        texts.push(text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let statement = inst.statement(&texts);
    let name = name(inst);
    if inst.page().carry != Carry::Untouched {
        let [one, other] = [7, 8].map(|plane| load(if plane == 7 { "%one" } else { "%other" }, plane, 32));
        lines += &format!("{one}{other}add.cc.u32 %one, %one, %other;\n");
    }
    lines += &format!("{statement};\n");
    if inst.page().carry != Carry::Untouched {
        let name = register('d', kept.len(), 32);
        lines += &format!("addc.u32 {name}, 0, 0;\n");
        kept.push((name, 32));
    }
    (kept.len() <= RESULTS && !kept.is_empty()).then_some(Item { name, lines, kept })
}

fn keep(text: &mut String, name: &str, width: u32, plane: usize) {
    let at = 8 * THREADS * plane;
    let _ = match width {
        1 => writeln!(text, "selp.u32 %word, 1, 0, {name}; st.global.u32 [%out+{at}], %word;"),
        128 => writeln!(
            text,
            "mov.b128 {{%lo, %hi}}, {name}; xor.b64 %lo, %lo, %hi; st.global.b64 [%out+{at}], %lo;"
        ),
        _ => writeln!(text, "st.global.b{width} [%out+{at}], {name};"),
    };
}

/// A kernel of some items.
fn kernel(items: Rc<Vec<Item>>, (from, to): (usize, usize), head: Rc<(String, Vec<u8>)>) -> Asked {
    let (head_text, bank) = &*head;
    let mut text = format!(
        "{head_text}.visible .entry k(.param .u64 bank, .param .u64 out)\n{{\n\
         .reg .b32 %x, %y, %word, %one, %other; .reg .b64 %bank, %out, %at, %lo, %hi; .reg .b16 %byte;\n"
    );
    for (letter, count) in [('s', PLANES), ('d', RESULTS)] {
        for k in 0..count {
            let _ = writeln!(
                text,
                ".reg .pred %{letter}{k}_1; .reg .b8 %{letter}{k}_8; .reg .b16 %{letter}{k}_16; .reg .b32 %{letter}{k}_32; \
                 .reg .b64 %{letter}{k}_64; .reg .b128 %{letter}{k}_128;"
            );
        }
    }
    let _ = write!(
        text,
        "ld.param.u64 %bank, [bank]; ld.param.u64 %out, [out]; mov.u32 %x, %ctaid.x; mov.u32 %y, %tid.x;\n\
         mad.lo.u32 %x, %x, {BLOCK}, %y; mul.wide.u32 %at, %x, 8; add.u64 %bank, %bank, %at; add.u64 %out, %out, %at;\n"
    );
    let mut parts = Vec::new();
    for (k, item) in items[from..to].iter().enumerate() {
        text += &item.lines;
        for (r, (name, width)) in item.kept.iter().enumerate() {
            keep(&mut text, name, *width, RESULTS * k + r);
        }
        let at = 8 * THREADS * RESULTS * k;
        parts.push(Part {
            name: item.name.clone(),
            buffer: 1,
            bytes: at..at + 8 * THREADS * item.kept.len(),
        });
    }
    text += "ret;\n}\n";
    let probe = Probe {
        text,
        entry: "k".into(),
        grid: [(THREADS / BLOCK) as u32, 1, 1],
        block: [BLOCK as u32, 1, 1],
        shared_bytes: 0,
        arguments: vec![Given::Buffer(bank.clone()), Given::Zeros(8 * THREADS * RESULTS * (to - from))],
    };
    let drawn = Rc::clone(&head);
    let sources = move |_, place: usize| {
        let thread = place % THREADS;
        let word = |plane: usize| {
            let at = 8 * (plane * THREADS + thread);
            u64::from_le_bytes(std::array::from_fn(|k| drawn.1[at + k]))
        };
        format!("{:x} {:x} {:x} {:x} (thread {thread})", word(0), word(1), word(2), word(3))
    };
    let smaller = move || {
        let middle = usize::midpoint(from, to);
        [(from, middle), (middle, to)]
            .map(|range| kernel(Rc::clone(&items), range, Rc::clone(&head)))
            .into_iter()
            .collect::<Vec<_>>()
    };
    Asked {
        probe,
        parts,
        sources: Box::new(sources),
        smaller: if to - from > 1 { Some(Box::new(smaller)) } else { None },
        closer: None,
    }
}

/// Kernels of all forms that exist for a target and a version.
pub fn asked(target: Target, version: Version) -> Vec<Asked> {
    let items = all(target, version);
    let items: Vec<Item> = items.iter().enumerate().filter_map(|(k, inst)| item(inst, k)).collect();
    let head = format!(".version {version}\n.target {target}\n.address_size 64\n");
    let bank: Vec<u8> = operands(PLANES, THREADS).iter().flat_map(|word| word.to_le_bytes()).collect();
    let (items, head) = (Rc::new(items), Rc::new((head, bank)));
    let ranges = (0..items.len()).step_by(TOGETHER).map(|from| (from, (from + TOGETHER).min(items.len())));
    ranges.map(|range| kernel(Rc::clone(&items), range, Rc::clone(&head))).collect()
}
