//! One instruction as lines of a kernel: its sources from registers of 64 bits, its result to one.

use margay_isa::{Inst, Operand, Role, Shape, Slot, select};

/// Where an operand's value is from.
enum Part {
    Result,
    Source,
    /// A cell of memory, which holds the first source before.
    Cell,
    /// The constant of the text.
    Fixed(u64),
}

/// An instruction whose operands are `d`, sources in their order, constants, or `[m]` for a cell.
pub struct One {
    inst: Inst,
    parts: Vec<(Part, u32)>,
    shared: bool,
}

/// Registers that [`One::lines`] uses beside `%s…` and `%d`; `cells` is shared memory for each thread of a block of 256.
pub const DECLARATIONS: &str = ".reg .b16 %b16_<9>; .reg .b32 %b32_<9>, %cell32; .reg .b64 %b64_<9>, %s<4>, %d, %cell;\n.shared .align 8 .b64 cells[256];\n";

impl One {
    /// Of a form such as `add.rn.f32 d, a, b`.
    ///
    /// # Errors
    /// If there is no such form.
    pub fn new(form: &str) -> Result<One, String> {
        let (head, tail) = form.split_once(' ').ok_or("no operands")?;
        let names: Vec<&str> = tail.split(", ").collect();
        let shape = |name: &&str| Shape { address: name.starts_with('['), ..Shape::default() };
        let shapes: Vec<Shape> = names.iter().map(shape).collect();
        let mut words = head.split('.');
        let opcode = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let inst =
            select(opcode, &words, &shapes).ok_or("no such opcode")?.map_err(|wrong| format!("{wrong:?}"))?;
        let part = |(name, (_, operand)): (&&str, (_, &Operand))| {
            let width = inst.operand_type(operand.ty).map_or(64, |ty| ty.width());
            let fixed = name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            match (fixed, operand.role) {
                (Some(value), _) => (Part::Fixed(value), width),
                _ if name.starts_with('[') => (Part::Cell, inst.ty(Slot::Type).width()),
                (_, Role::Destination) => (Part::Result, width),
                _ => (Part::Source, width),
            }
        };
        let parts = names.iter().zip(inst.operands()).map(part).collect();
        Ok(One { inst, parts, shared: words.contains(&"shared") })
    }

    /// How many values it reads.
    pub fn sources(&self) -> usize {
        self.parts.iter().filter(|(part, _)| matches!(part, Part::Source | Part::Cell)).count()
    }

    /// The lines: from `%s0`, `%s1` and so on to `%d`. A cell in global memory is at `%cell`.
    pub fn lines(&self) -> String {
        let (mut before, mut after) = (String::new(), String::new());
        let mut operands = Vec::new();
        let mut read = 0;
        for (k, (part, width)) in self.parts.iter().enumerate() {
            // Numbers of 8 bits lie in registers of 16.
            let register = format!("%b{}_{k}", width.max(&16));
            match part {
                Part::Result => {
                    after = widened(&register, *width);
                    operands.push(register);
                }
                Part::Fixed(value) => {
                    before += &format!("mov.b{width} {register}, {value:#x};\n");
                    operands.push(register);
                }
                Part::Source => {
                    before += &narrowed(&register, &format!("%s{read}"), *width);
                    read += 1;
                    operands.push(register);
                }
                Part::Cell => {
                    before += &narrowed(&register, &format!("%s{read}"), *width);
                    read += 1;
                    let (space, at) = if self.shared { ("shared", "%cell32") } else { ("global", "%cell") };
                    if self.shared {
                        before += "mov.u32 %b32_8, cells; mov.u32 %cell32, %tid.x; mad.lo.u32 %cell32, %cell32, 8, %b32_8;\n";
                    }
                    before += &format!("st.{space}.b{width} [{at}], {register};\n");
                    operands.push(at.to_string());
                    after =
                        format!("ld.{space}.b{width} {register}, [{at}];\n{}", widened(&register, *width));
                }
            }
        }
        let names: Vec<&str> = operands.iter().map(String::as_str).collect();
        format!("{before}{};\n{after}", self.inst.statement(&names))
    }
}

fn narrowed(register: &str, from: &str, width: u32) -> String {
    match width {
        64 => format!("mov.b64 {register}, {from};\n"),
        _ => format!("cvt.u{width}.u64 {register}, {from};\n"),
    }
}

fn widened(register: &str, width: u32) -> String {
    match width {
        64 => format!("mov.b64 %d, {register};\n"),
        _ => format!("cvt.u64.u{width} %d, {register};\n"),
    }
}
