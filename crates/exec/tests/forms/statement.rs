//! The statement of a form with operands drawn for it.

use crate::bank::{self, Kind, Mode};
use crate::random::Random;
use margay_isa::{Floor, Inst, Operand, Page, Role, Target, TypeRule, Version, Word, forms};
use std::sync::OnceLock;

pub const VERSION: &str = "9.5";
pub const TARGET: &str = "sm_120a";

/// Texts of operands that are no plain values.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    /// What stands in the brackets of an address.
    pub address: &'a str,
    /// The mask of lanes.
    pub mask: &'a str,
    /// Takes the place of the first destination.
    pub destination: Option<&'a str>,
    /// Takes the place of the operand called `b`.
    pub b: Option<&'a str>,
}

/// A statement, and the registers that it writes.
pub struct Statement {
    pub text: String,
    pub written: Vec<String>,
}

/// All forms of a page's opcode that exist where the kernels are for.
pub fn all_forms(page: &'static Page, opcode: &str, sampled: usize, random: &mut Random) -> Vec<Inst> {
    let all = forms::forms(page, opcode, sampled, &mut || random.next() >> 8);
    all.into_iter().filter(exists).collect()
}

fn exists(inst: &Inst) -> bool {
    static HERE: OnceLock<Option<(Version, Target)>> = OnceLock::new();
    let Some((version, target)) = HERE.get_or_init(|| VERSION.parse().ok().zip(TARGET.parse().ok())) else {
        return false;
    };
    let reached = |floor: &Floor| floor.version <= *version && floor.targets.contains(*target);
    inst.runs()
        && inst.floors().iter().all(|(_, floor)| reached(floor))
        && !inst.until().is_some_and(|end| reached(&end))
}

/// The statement of a form; none if no register fits an operand.
pub fn statement(random: &mut Random, inst: &Inst, mode: Mode, given: Given) -> Option<Statement> {
    let (mut texts, mut written) = (Vec::<String>::new(), Vec::<String>::new());
    let all = random.once_in(2);
    for (template, operand) in inst.operands() {
        if template.optional && !operand.with.map_or(all, |slot| inst.has(slot)) {
            break;
        }
        if template.address {
            texts.push(given.address.into());
            continue;
        }
        if operand.members {
            texts.push(given.mask.into());
            continue;
        }
        // Generic addresses without brackets are in registers as wide.
        let operand = inst.operand_here(*operand);
        let rule = if matches!(operand.ty, TypeRule::Other) { TypeRule::Is(Word::U64) } else { operand.ty };
        let operand = &Operand { ty: rule, ..operand };
        let want = inst.operand_type(rule)?;
        let elements = inst.elements(template);
        let text = match operand.role {
            Role::Destination if given.destination.is_some() => given.destination?.to_string(),
            Role::Destination if elements > 0 => {
                let mut names = bank::vector(random, operand, want, Kind::Result, elements)?;
                written.extend(names.iter().cloned());
                if operand.sink && mode == Mode::Mixed && random.once_in(4) {
                    let k = random.below(elements);
                    names[k] = "_".into();
                }
                format!("{{{}}}", names.join(", "))
            }
            Role::Destination => {
                let name = bank::destination(random, operand.ty, want, &written)?;
                written.push(name.clone());
                match template.second {
                    Some((second, required)) if required || random.once_in(2) => {
                        let second = inst.page().operand(second)?;
                        let want = inst.operand_type(second.ty)?;
                        let other = bank::destination(random, second.ty, want, &written)?;
                        written.push(other.clone());
                        format!("{name}|{other}")
                    }
                    _ => name,
                }
            }
            Role::Source if template.name == "b" && given.b.is_some() => given.b?.to_string(),
            Role::Source if elements > 0 => {
                let kind = if mode == Mode::Uniform { Kind::Uniform } else { Kind::Varying };
                format!("{{{}}}", bank::vector(random, operand, want, kind, elements)?.join(", "))
            }
            Role::Source => {
                let signed = [template.minus, template.not].iter().flatten().any(|slot| inst.has(*slot));
                let plain = signed || template.selector.is_some_and(|selector| inst.has(selector.slot));
                bank::source(random, operand, want, mode, !plain)?
            }
        };
        texts.push(text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(Statement { text: inst.statement(&texts), written })
}
