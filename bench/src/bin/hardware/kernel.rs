//! One instruction as a kernel: the text for the device, and margay's own results.

use crate::experiments::Inputs;
use margay_isa::{AtomicSpace, Bits, Inst, MAX_SOURCES, Meaning, Role, Semantics, Shape, select};

/// Where an operand's value is from.
enum Part {
    Result,
    Source,
    /// A cell of memory, which holds the first source before.
    Cell,
    /// The constant of the text.
    Fixed(u64),
}

pub struct Kernel {
    inst: Inst,
    parts: Vec<(Part, u32)>,
    shared: bool,
}

impl Kernel {
    /// Of a form such as `add.rn.f32 d, a, b`.
    pub fn new(form: &str) -> Result<Kernel, String> {
        let (head, tail) = form.split_once(' ').ok_or("no operands")?;
        let names: Vec<&str> = tail.split(", ").collect();
        let shape = |name: &&str| Shape { address: name.starts_with('['), ..Shape::default() };
        let shapes: Vec<Shape> = names.iter().map(shape).collect();
        let mut words = head.split('.');
        let opcode = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let inst =
            select(opcode, &words, &shapes).ok_or("no such opcode")?.map_err(|wrong| format!("{wrong:?}"))?;
        let part = |(name, (_, operand)): (&&str, (_, &margay_isa::Operand))| {
            let width = inst.operand_type(operand.ty).map_or(64, |ty| ty.width());
            let fixed = name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            match (fixed, operand.role) {
                (Some(value), _) => (Part::Fixed(value), width),
                _ if name.starts_with('[') => (Part::Cell, inst.ty(margay_isa::Slot::Type).width()),
                (_, Role::Destination) => (Part::Result, width),
                _ => (Part::Source, width),
            }
        };
        let parts = names.iter().zip(inst.operands()).map(part).collect();
        Ok(Kernel { inst, parts, shared: words.contains(&"shared") })
    }

    /// How many values it reads.
    pub fn sources(&self) -> usize {
        self.parts.iter().filter(|(part, _)| matches!(part, Part::Source | Part::Cell)).count()
    }

    /// The module: kernel `k` reads 64 bits a source and writes 64 bits a result, one of each for every thread.
    pub fn text(&self, target: &str) -> String {
        let mut body = String::new();
        let mut operands = Vec::new();
        let mut read = 0;
        let mut result = String::new();
        for (k, (part, width)) in self.parts.iter().enumerate() {
            // Numbers of 8 bits lie in registers of 16.
            let register = format!("%b{}_{k}", width.max(&16));
            match part {
                Part::Result => {
                    result = widened(&register, *width);
                    operands.push(register);
                }
                Part::Fixed(value) => {
                    body += &format!("    mov.b{width} {register}, {value:#x};\n");
                    operands.push(register);
                }
                Part::Source | Part::Cell => {
                    body += &format!(
                        "    ld.global.u64 %rd9, [%rd1+{}];\n{}",
                        8 * read,
                        narrowed(&register, *width)
                    );
                    read += 1;
                    if matches!(part, Part::Cell) {
                        let (space, at) = if self.shared { ("shared", "%r9") } else { ("global", "%rd2") };
                        if self.shared {
                            body += "    mov.u32 %r8, cells;\n    mov.u32 %r9, %tid.x;\n    shl.b32 %r9, %r9, 3;\n    add.u32 %r9, %r9, %r8;\n";
                        }
                        body += &format!("    st.{space}.b{width} [{at}], {register};\n");
                        operands.push(at.to_string());
                        result = format!(
                            "    ld.{space}.b{width} {register}, [{at}];\n{}",
                            widened(&register, *width)
                        );
                    } else {
                        operands.push(register);
                    }
                }
            }
        }
        let names: Vec<&str> = operands.iter().map(String::as_str).collect();
        let statement = self.inst.statement(&names);
        let registers = [16, 32, 64].map(|w| format!("    .reg .b{w} %b{w}_<9>;\n")).concat();
        format!(
            ".version 8.1\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
             {registers}    .reg .b32 %r<10>;\n    .reg .b64 %rd<10>;\n    .shared .align 8 .b64 cells[256];\n\
             \x20   ld.param.u64 %rd1, [in];\n    ld.param.u64 %rd2, [out];\n    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n\
             \x20   mov.u32 %r3, %tid.x;\n    mad.lo.u32 %r1, %r1, %r2, %r3;\n    mul.wide.u32 %rd3, %r1, {};\n    add.u64 %rd1, %rd1, %rd3;\n\
             \x20   mul.wide.u32 %rd3, %r1, 8;\n    add.u64 %rd2, %rd2, %rd3;\n{body}    {statement};\n{result}    st.global.u64 [%rd2], %rd9;\n    ret;\n}}\n",
            8 * read.max(1)
        )
    }

    /// What margay computes of one combination of sources; none where it does not carry the form out.
    pub fn compute(&self, inputs: Inputs, index: u64) -> Option<u64> {
        let mut args = [0; MAX_SOURCES];
        let (mut at, mut read) = (0, 0);
        let mut width = 64;
        for (part, bits) in &self.parts {
            let cut = |value: u64| Bits::from(value) & ((1 << bits) - 1);
            args[at] = match part {
                Part::Result => {
                    width = *bits;
                    continue;
                }
                Part::Fixed(value) => cut(*value),
                Part::Source | Part::Cell => {
                    read += 1;
                    cut(inputs.value(index, read - 1))
                }
            };
            at += 1;
        }
        let result = match self.inst.meaning(Semantics::Manual) {
            Meaning::Atomic(after) => {
                let space = if self.shared { AtomicSpace::Shared } else { AtomicSpace::Global };
                after(&self.inst, space, &args)
            }
            _ => {
                let mut results = [0; 1];
                self.inst.compute(Semantics::Manual, &args, &mut results).then_some(results[0])?
            }
        };
        Some((result & ((1 << width) - 1)) as u64)
    }
}

fn narrowed(register: &str, width: u32) -> String {
    match width {
        64 => format!("    mov.b64 {register}, %rd9;\n"),
        _ => format!("    cvt.u{width}.u64 {register}, %rd9;\n"),
    }
}

fn widened(register: &str, width: u32) -> String {
    match width {
        64 => format!("    mov.b64 %rd9, {register};\n"),
        _ => format!("    cvt.u64.u{width} %rd9, {register};\n"),
    }
}
