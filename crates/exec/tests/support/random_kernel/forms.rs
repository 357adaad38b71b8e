//! Legal forms drawn from the pages, and operands for them.

use super::random::Random;
use super::registers::{fitting, vector};
use margay_isa::{
    Carry, Effect, Floor, Immediate, Inst, Meaning, Operand, PAGES, Page, Role, Slot, Target, Ty, Version,
    Word, forms,
};
use std::sync::OnceLock;

/// What kernels are drawn for: once for all of a process.
pub struct Aim {
    pub version: &'static str,
    pub target: &'static str,
    /// The forms that may occur.
    pub allowed: fn(&Inst) -> bool,
}

static AIM: OnceLock<Aim> = OnceLock::new();

/// Draws kernels for something else than what has most forms.
#[allow(dead_code, reason = "who asks a device says which one")]
pub fn aim_at(aim: Aim) {
    AIM.get_or_init(|| aim);
}

pub fn aim() -> &'static Aim {
    AIM.get_or_init(|| Aim { version: "9.5", target: "sm_120a", allowed: |_| true })
}

/// What a form is drawn for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Compute,
    Carry,
    Load,
    Store,
    Atomic,
    Together,
}

/// Forms of one opcode of one page, drawn once for all kernels.
struct Pool {
    page: &'static Page,
    opcode: &'static str,
    forms: Vec<Inst>,
}

/// How many forms are drawn to find rare ones.
const TRIES: usize = 20_000;

/// How many forms each opcode of a page has in the pools.
fn pool_size(family: Family) -> usize {
    match family {
        Family::Compute | Family::Carry | Family::Together => 64,
        Family::Load | Family::Store | Family::Atomic => 600,
    }
}

fn pools(family: Family) -> &'static [Pool] {
    static ALL: OnceLock<[Vec<Pool>; 6]> = OnceLock::new();
    let of = |family: Family| {
        let pages = PAGES.iter().copied().filter(|page| belongs(page, family));
        let opcodes = pages.flat_map(|page| page.opcodes.iter().map(move |opcode| (page, *opcode)));
        let mut random = Random::new(0, family as u64);
        let pool = |(page, opcode): (&'static Page, &'static str)| {
            let mut drawn = |count: usize, wanted: fn(&Inst) -> bool| {
                let drawn = (0..count).map(|_| forms::random_form(page, opcode, &mut || random.next() >> 8));
                drawn.filter(|inst| exists(inst) && wanted(inst)).collect::<Vec<Inst>>()
            };
            let mut forms = drawn(pool_size(family), |_| true);
            // Few forms are for parameters: words about caches do not go with them.
            if family == Family::Load && opcode == "ld" {
                forms
                    .extend(drawn(TRIES, |inst| matches!(inst[Slot::Space], Word::Param | Word::ParamEntry)));
            }
            Pool { page, opcode, forms }
        };
        opcodes.map(pool).filter(|pool| !pool.forms.is_empty()).collect()
    };
    let all = ALL.get_or_init(|| {
        [Family::Compute, Family::Carry, Family::Load, Family::Store, Family::Atomic, Family::Together]
            .map(of)
    });
    &all[family as usize]
}

fn belongs(page: &Page, family: Family) -> bool {
    match page.meaning {
        Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_) => {
            family == if page.carry == Carry::Untouched { Family::Compute } else { Family::Carry }
        }
        // Ranges of memory have rules for their size and place: run files have them.
        Meaning::Atomic(_) => {
            family == Family::Atomic && page.operand("size").or(page.operand("t")).is_none()
        }
        // The mask of active lanes is nothing that PTX promises.
        Meaning::Together(_) => family == Family::Together && !page.opcodes.contains(&"activemask"),
        Meaning::Effect(Effect::Load) => family == Family::Load,
        Meaning::Effect(Effect::Store) => family == Family::Store,
        // What whole warps do with matrices is judged by tests of its own: it needs all lanes.
        Meaning::Fragments(_) | Meaning::Tiles(_) | Meaning::Warpgroup(_) | Meaning::TensorMemory(_) => false,
        // Textures are judged by tests of their own, which have some.
        Meaning::Texture(_) => false,
        Meaning::Effect(_) | Meaning::NotYet => false,
    }
}

/// A form of the family that exists where kernels are for and that `wanted` allows: any opcode as likely as any other.
pub fn draw(random: &mut Random, family: Family, wanted: impl Fn(&Inst) -> bool) -> Option<Inst> {
    let pools = pools(family);
    (0..200).find_map(|_| {
        let pool = random.pick(pools);
        let fresh = random
            .once_in(16)
            .then(|| forms::random_form(pool.page, pool.opcode, &mut || random.next() >> 8));
        let inst = fresh.filter(exists).unwrap_or_else(|| *random.pick(&pool.forms));
        wanted(&inst).then_some(inst)
    })
}

fn exists(inst: &Inst) -> bool {
    static HERE: OnceLock<Option<(Version, Target)>> = OnceLock::new();
    let Some((version, target)) =
        HERE.get_or_init(|| aim().version.parse().ok().zip(aim().target.parse().ok()))
    else {
        return false;
    };
    let reached = |floor: &Floor| floor.version <= *version && floor.targets.contains(*target);
    inst.runs()
        && (aim().allowed)(inst)
        && inst.floors().iter().all(|(_, floor)| reached(floor))
        && !inst.until().is_some_and(|end| reached(&end))
}

/// What operands that are no plain values are called.
#[derive(Clone, Copy, Default)]
pub struct Given<'a> {
    /// The text in the brackets of an address.
    pub address: &'a str,
    /// The mask of lanes.
    pub mask: &'a str,
    /// Takes the place of the first destination.
    pub destination: Option<&'a str>,
    /// Takes the place of the operand called `b`.
    pub b: Option<&'a str>,
}

/// The statement of a form with random operands; none if some operand has no register that fits.
pub fn statement(random: &mut Random, inst: &Inst, given: Given) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut written: Vec<&'static str> = Vec::new();
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
        let operand = &inst.operand_here(*operand);
        let want = inst.operand_type(operand.ty)?;
        let one = match (operand.role, given.destination) {
            (Role::Destination, Some(text)) => text.to_string(),
            (Role::Destination, None) => {
                let elements = inst.elements(template);
                let mut names: Vec<String> = match elements {
                    0 => vec![destination(random, operand, want, &mut written)?],
                    n => vector(random, operand.ty, want, n)?.into_iter().map(str::to_string).collect(),
                };
                if let Some((second, required)) = template.second
                    && (required || random.once_in(2))
                {
                    let second = inst.page().operand(second)?;
                    let want = inst.operand_type(second.ty)?;
                    names.push(destination(random, second, want, &mut written)?);
                    names.join("|")
                } else if elements > 0 {
                    format!("{{{}}}", names.join(", "))
                } else {
                    names.concat()
                }
            }
            (Role::Source, _) if template.name == "b" && given.b.is_some() => given.b?.to_string(),
            (Role::Source, _) => {
                let signed = [template.minus, template.not].iter().flatten().any(|slot| inst.has(*slot));
                let plain = signed || template.selector.is_some_and(|selector| inst.has(selector.slot));
                match inst.elements(template) {
                    0 => source(random, operand, want, !plain)?,
                    n => format!("{{{}}}", vector(random, operand.ty, want, n)?.join(", ")),
                }
            }
        };
        texts.push(one);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(inst.statement(&texts))
}

fn destination(
    random: &mut Random,
    operand: &Operand,
    want: Ty,
    written: &mut Vec<&'static str>,
) -> Option<String> {
    if operand.sink && random.once_in(12) {
        return Some("_".into());
    }
    let name = fitting(random, operand.ty, want, written)?;
    written.push(name);
    Some(name.into())
}

fn source(random: &mut Random, operand: &Operand, want: Ty, constants: bool) -> Option<String> {
    if let Immediate::Only(least, most) = operand.immediate {
        return Some((least + random.below((most - least + 1) as usize) as i128).to_string());
    }
    if let Immediate::OneOf(values) = operand.immediate {
        return Some(random.pick(values).to_string());
    }
    if constants && operand.special && want.width() == 32 && want.is_integer() && random.once_in(6) {
        return Some(random.pick(SPECIAL).to_string());
    }
    if constants && random.once_in(5) {
        if operand.immediate.takes_integer(want) {
            return Some(constant(random, operand.immediate, want));
        }
        if let Some(text) = random.real(operand.immediate, want) {
            return Some(text);
        }
    }
    fitting(random, operand.ty, want, &[]).map(str::to_string)
}

const SPECIAL: &[&str] = &[
    "%tid.x",
    "%tid.y",
    "%ntid.x",
    "%ctaid.x",
    "%nctaid.x",
    "%ctaid.y",
    "%laneid",
    "%warpid",
    "%lanemask_eq",
    "%lanemask_lt",
    "%lanemask_le",
    "%lanemask_gt",
    "%lanemask_ge",
];

fn constant(random: &mut Random, immediate: Immediate, want: Ty) -> String {
    if let Immediate::Range(least, most) = immediate {
        return (least + random.below((most - least + 1) as usize) as i128).to_string();
    }
    if want.width() == 1 {
        return random.below(2).to_string();
    }
    let mask = want.mask().min(u64::MAX.into()) as u64;
    let top = want.width().min(64) - 1;
    let value = match random.below(6) {
        0 => random.below(3) as u64,
        1 => (mask - random.below(3) as u64) & mask,
        2 => 1 << random.below(top as usize + 1),
        3 => random.below(70) as u64 & mask,
        _ => random.next() & mask,
    };
    if value > i64::MAX as u64 { format!("0x{value:x}") } else { value.to_string() }
}

/// Bytes that an access moves; it is aligned to as many.
pub fn bytes(inst: &Inst) -> usize {
    let elements = match inst[Slot::Vec] {
        Word::V2 => 2,
        Word::V4 => 4,
        Word::V8 => 8,
        _ => 1,
    };
    elements * inst.ty(Slot::Type).width() as usize / 8
}

/// Whether the access is one whose order among blocks margay keeps.
pub fn is_ordered(inst: &Inst) -> bool {
    let ordered = matches!(
        inst[Slot::Sem],
        Word::Volatile | Word::Relaxed | Word::Acquire | Word::Release | Word::AcqRel
    );
    ordered || inst[Slot::Cache] == Word::Cv || inst[Slot::Action] == Word::Mmio
}
