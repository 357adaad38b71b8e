//! Whether what an instruction does depends on a register that it reads: `sub.u32 %r1, %r0, %r0` gives 0 whatever `%r0` is.

use crate::module::{Instruction, Operand, RegisterId};
use margay_isa::{Args, Bits, Inst, MAX_SOURCES, Role, Semantics};

/// So many values each of the other sources is tried with.
const ROUNDS: u64 = 16;

/// What stands in the place of a source.
#[derive(Clone, Copy)]
enum Source {
    /// The register in question.
    Asked,
    Constant(Bits),
    Other,
}

/// Whether a value of the register can show. Only for pure computations there is a doubt: their meaning is asked with many
/// values, those of the other sources and the constants among them, so that comparisons are seen to depend on it.
pub(super) fn matters(instruction: &Instruction, id: RegisterId) -> bool {
    if instruction.guard.is_some_and(|guard| guard.register == id) {
        return true;
    }
    let inst = &*instruction.inst;
    let Some((sources, widths, results)) = places(inst, &instruction.operands, id) else { return true };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..ROUNDS {
        let mut args: Args = [0; MAX_SOURCES];
        for (k, source) in sources.iter().enumerate() {
            args[k] = cut(if let Source::Constant(bits) = source { *bits } else { random.bits() }, widths[k]);
        }
        let fixed = args;
        let near = fixed.iter().flat_map(|v| [*v, v.wrapping_add(1), v.wrapping_sub(1)]);
        let bits = (0..Bits::BITS).map(|k| 1 << k);
        let values = [0, Bits::MAX, random.bits()].into_iter().chain(near).chain(bits);
        let mut before: Option<Vec<Bits>> = None;
        for value in values {
            for (k, source) in sources.iter().enumerate() {
                if matches!(source, Source::Asked) {
                    args[k] = cut(value, widths[k]);
                }
            }
            let mut found = vec![0; results.len()];
            if !inst.compute(Semantics::Manual, &args, &mut found) {
                return true;
            }
            found.iter_mut().zip(&results).filter(|(_, kept)| !**kept).for_each(|(bits, _)| *bits = 0);
            if before.as_ref().is_some_and(|before| *before != found) {
                return true;
            }
            before = Some(found);
        }
    }
    false
}

/// Sources with their widths, and which results are kept; none where the operands are not those of a computation.
fn places(inst: &Inst, operands: &[Operand], id: RegisterId) -> Option<(Vec<Source>, Vec<u32>, Vec<bool>)> {
    let (mut sources, mut widths, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (template, operand) in inst.line().operands.iter().zip(operands) {
        let mut add = |name: &str, operand: &Operand| {
            let entry = inst.page().operand(name)?;
            let width = inst.operand_type(entry.ty)?.width();
            match (entry.role, operand) {
                (Role::Destination, _) => {
                    results.push(!matches!(operand, Operand::Sink));
                    return Some(());
                }
                (_, Operand::Register(found)) if *found == id => sources.push(Source::Asked),
                (_, Operand::Immediate(bits)) => sources.push(Source::Constant(bits.bits())),
                (_, Operand::Address(_) | Operand::Label(_) | Operand::Prototype(_)) => return None,
                _ => sources.push(Source::Other),
            }
            widths.push(width);
            Some(())
        };
        match (operand, template.second) {
            (Operand::Pair(first, second), Some((name, _))) => {
                add(template.name, first)?;
                add(name, second)?;
            }
            (Operand::Vector(items), None) => items.iter().try_for_each(|item| add(template.name, item))?,
            (operand, second) => {
                add(template.name, operand)?;
                if let Some((name, _)) = second {
                    add(name, &Operand::Sink)?;
                }
            }
        }
    }
    if inst.reads_carry() {
        sources.push(Source::Other);
        widths.push(1);
    }
    if inst.writes_carry() {
        results.push(true);
    }
    (sources.len() <= MAX_SOURCES).then_some((sources, widths, results))
}

fn cut(bits: Bits, width: u32) -> Bits {
    if width >= Bits::BITS { bits } else { bits & ((1 << width) - 1) }
}

/// xorshift64*: the same numbers every time.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> Bits {
        Bits::from(self.next()) << 64 | Bits::from(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}
