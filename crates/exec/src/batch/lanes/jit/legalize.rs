//! Legalization: instructions of AVX-512 become such as AVX2 has, one or several for each, on vectors of half the length.
//!
//! What is selected is what a machine with AVX-512 and none of its extensions has, and no lane knows of the others but where a value of
//! 64 bits is narrowed or widened: so half as many threads at a time need no other selection. Masks become vectors, all ones in the
//! lanes that they choose. Most instructions have a twin (`twins.rs`); the rest is made of several (a file for each family).

mod bits;
mod floats;
mod integers;
mod masks;
mod shuffles;
mod twins;

use crate::batch::lanes::jit::machine::{Arg, Body, Carried, Instr, Kind, Memory, Reg, Turns};
use foldhash::HashMap;
use iced_x86::{Code, OpCodeOperandKind};
use masks::Mask;
use std::array::from_fn;
pub(super) use twins::twin;

/// A run's instructions for AVX2; none if one of them cannot be made of those.
pub(super) fn legalize(mut body: Body) -> Option<Body> {
    let instrs = std::mem::take(&mut body.instrs);
    let mut legalizer = Legalizer {
        names: HashMap::default(),
        masks: HashMap::default(),
        other_widths: HashMap::default(),
        lines: HashMap::default(),
        body,
    };
    let turns = legalizer.body.turns.take();
    let turns = match turns {
        Some(turns) => Some(legalizer.turns(turns, &instrs)?),
        None => {
            legalizer.all(&instrs)?;
            None
        }
    };
    legalizer.body.turns = turns;
    legalizer.body.drop_unused();
    Some(legalizer.body)
}

/// Whether an operand, after the result, may lie in memory.
fn takes_memory(code: Code, operand: usize) -> bool {
    use OpCodeOperandKind::{mem, xmm_or_mem, ymm_or_mem};
    [mem, xmm_or_mem, ymm_or_mem].contains(&code.op_code().op_kind(operand as u32 + 1))
}

/// Instructions made so far, and what became of registers.
struct Legalizer {
    body: Body,
    /// What vectors became.
    names: HashMap<Reg, Reg>,
    /// What masks became.
    masks: HashMap<Reg, Mask>,
    /// Masks of 32-bit lanes as masks of the 64-bit lanes of their first half.
    other_widths: HashMap<Reg, Reg>,
    /// Lines of constants that are in registers.
    lines: HashMap<Memory, Reg>,
}

impl Legalizer {
    fn all(&mut self, instrs: &[Instr]) -> Option<()> {
        instrs.iter().try_for_each(|instr| self.instr(instr))
    }

    /// Instructions of a turn, and what is done around turns.
    fn turns(&mut self, turns: Turns, instrs: &[Instr]) -> Option<Turns> {
        self.all(&turns.enter)?;
        let enter = std::mem::take(&mut self.body.instrs);
        self.all(instrs)?;
        let turn = std::mem::take(&mut self.body.instrs);
        // Constants that a turn has loaded lie nowhere after it.
        self.lines.clear();
        self.all(&turns.asking)?;
        let asking = std::mem::take(&mut self.body.instrs);
        self.lines.clear();
        self.all(&turns.leave)?;
        let leave = std::mem::replace(&mut self.body.instrs, turn);
        let named = |Carried { begins, ends }: Carried| {
            let [begins, ends] = [begins, ends].map(|reg| self.name(reg));
            Carried { begins, ends }
        };
        Some(Turns { enter, carried: turns.carried.into_iter().map(named).collect(), asking, leave })
    }

    fn instr(&mut self, old: &Instr) -> Option<()> {
        let from = old.from.map(|arg| arg.map(|arg| self.renamed(arg)));
        let instr = Instr { from, onto: old.onto.map(|reg| self.name(reg)), ..*old };
        if old.code == Code::VEX_Kortestw_kr_kr {
            return self.any(&instr);
        }
        let Some(set) = old.sets() else {
            let code = twins::twin(instr.code)?;
            self.body.instrs.push(Instr { code, ..instr });
            return Some(());
        };
        if self.body.kinds[set.0 as usize] == Kind::Mask {
            if let Some(mask) = self.mask(&instr)? {
                self.masks.insert(set, mask);
            }
            return Some(());
        }
        let became = self.vector(&instr)?;
        if self.body.homes[became.0 as usize].is_none() && instr.by.is_none() {
            self.body.homes[became.0 as usize] = self.body.homes[set.0 as usize];
        }
        self.names.insert(set, became);
        Some(())
    }

    /// What sets a vector, perhaps only where a mask says so.
    fn vector(&mut self, instr: &Instr) -> Option<Reg> {
        let Some(by) = instr.by else { return self.whole(instr) };
        if let Some(code) = twins::gather(instr.code) {
            return self.gather(code, instr);
        }
        let mask = *self.masks.get(&by)?;
        let chosen = masks::width(instr.code)?;
        if let Some(bytes) = masks::blends(instr.code) {
            let [no, yes] = self.both(instr)?;
            return self.blended(no, yes, mask, bytes);
        }
        // Half a vector of results: numbers that are left out become 0 before.
        if instr.zeroes && chosen.of_operand {
            let value = self.reg(instr.from[0]?)?;
            let kept = self.kept(value, mask, chosen.bytes)?;
            let from = [Some(Arg::Whole(kept)), None, None];
            return self.whole(&Instr { from, by: None, ..*instr });
        }
        let value = match masks::moves(instr.code) {
            true => self.reg(instr.from[0]?)?,
            false => self.whole(&Instr { by: None, onto: None, ..*instr })?,
        };
        match (instr.zeroes, instr.onto) {
            (true, _) => self.kept(value, mask, chosen.bytes),
            (false, Some(onto)) => self.blended(onto, value, mask, chosen.bytes),
            (false, None) => None,
        }
    }

    /// What sets all of a vector.
    fn whole(&mut self, instr: &Instr) -> Option<Reg> {
        if let Some(code) = twins::twin(instr.code) {
            let mut from = instr.from;
            for (k, arg) in from.iter_mut().enumerate() {
                if let Some(Arg::Memory(memory)) = *arg
                    && !takes_memory(code, k)
                {
                    *arg = Some(Arg::Whole(self.load(memory)));
                }
            }
            return Some(self.push(code, instr.onto, &from, None));
        }
        // Each of these knows its own.
        if let Some(reg) = self.mask_as_elements(instr) {
            return Some(reg);
        }
        None.or_else(|| bits::made(self, instr))
            .or_else(|| integers::made(self, instr))
            .or_else(|| shuffles::made(self, instr))
            .or_else(|| floats::made(self, instr))
    }

    /// Gathers all lanes' elements: it takes a mask of its own, and leaves nothing of it.
    fn gather(&mut self, code: Code, instr: &Instr) -> Option<Reg> {
        let zero = self.constant([0; 16]);
        let ones = self.emit(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, [zero; 2]);
        let result = self.push(code, instr.onto, &instr.from, Some(ones));
        Some(result)
    }

    fn name(&self, reg: Reg) -> Reg {
        self.names.get(&reg).copied().unwrap_or(reg)
    }

    fn renamed(&self, arg: Arg) -> Arg {
        match arg {
            Arg::Whole(reg) => Arg::Whole(self.name(reg)),
            Arg::Lower(reg) => Arg::Lower(self.name(reg)),
            Arg::Gathered { memory, by, lower } => Arg::Gathered { memory, by: self.name(by), lower },
            Arg::Exchanged { reg, choices } => Arg::Exchanged { reg: self.name(reg), choices },
            Arg::Memory(_) | Arg::Element(_) | Arg::AnyMask | Arg::Number(_) | Arg::Rounding(_) => arg,
        }
    }

    /// An operand in a register.
    fn reg(&mut self, arg: Arg) -> Option<Reg> {
        match arg {
            Arg::Whole(reg) | Arg::Lower(reg) => Some(reg),
            Arg::Memory(memory) => Some(self.load(memory)),
            Arg::Element(_)
            | Arg::Gathered { .. }
            | Arg::Exchanged { .. }
            | Arg::AnyMask
            | Arg::Number(_)
            | Arg::Rounding(_) => None,
        }
    }

    /// The first two operands in registers.
    fn both(&mut self, instr: &Instr) -> Option<[Reg; 2]> {
        Some([self.reg(instr.from[0]?)?, self.reg(instr.from[1]?)?])
    }

    fn load(&mut self, memory: Memory) -> Reg {
        let reg = self.push(self.body.machine.load, None, &[Some(Arg::Memory(memory)), None, None], None);
        self.body.homes[reg.0 as usize] = Some(memory);
        reg
    }

    /// A line of constants, in a register.
    fn constant(&mut self, line: [u32; 16]) -> Reg {
        let memory = self.body.constant(line);
        match self.lines.get(&memory) {
            Some(reg) => *reg,
            None => {
                let reg = self.load(memory);
                self.lines.insert(memory, reg);
                reg
            }
        }
    }

    /// A number in all lanes of 32 bits.
    fn words(&mut self, bits: u32) -> Reg {
        self.constant([bits; 16])
    }

    /// A number in all lanes of 64 bits.
    fn wides(&mut self, bits: u64) -> Reg {
        self.constant(from_fn(|k| if k % 2 == 0 { bits as u32 } else { (bits >> 32) as u32 }))
    }

    /// An instruction on whole vectors.
    fn emit<const N: usize>(&mut self, code: Code, from: [Reg; N]) -> Reg {
        let mut args = [None; 3];
        args.iter_mut().zip(from).for_each(|(slot, reg)| *slot = Some(Arg::Whole(reg)));
        self.push(code, None, &args, None)
    }

    /// An instruction on whole vectors and a number.
    fn emit_by<const N: usize>(&mut self, code: Code, from: [Reg; N], number: u8) -> Reg {
        let mut args = [None; 3];
        args.iter_mut().zip(from).for_each(|(slot, reg)| *slot = Some(Arg::Whole(reg)));
        args[N] = Some(Arg::Number(number));
        self.push(code, None, &args, None)
    }

    /// An instruction on the lower half of a vector.
    fn widened(&mut self, code: Code, from: Reg) -> Reg {
        self.push(code, None, &[Some(Arg::Lower(from)), None, None], None)
    }

    fn push(&mut self, code: Code, onto: Option<Reg>, from: &[Option<Arg>; 3], by: Option<Reg>) -> Reg {
        let to = self.body.reg(Kind::Vector);
        let arg = match code.op_code().op0_kind() {
            OpCodeOperandKind::xmm_reg | OpCodeOperandKind::xmm_or_mem => Arg::Lower(to),
            _ => Arg::Whole(to),
        };
        self.body.instrs.push(Instr { code, to: Some(arg), onto, from: *from, by, zeroes: false });
        to
    }
}
