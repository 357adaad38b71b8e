//! Micro-ops judged by the meanings that they repeat: every form of every page, corner and random operands, some of them
//! known beforehand; and a list of the forms that have none.
//!
//! Floating-point operands are numbers and their partners: near the ends of their format, near each other, and such that results are
//! near an end.

mod support;

use margay_isa::float::Format;
use margay_isa::uop::{Def, Emit, Op, Type, eval};
use margay_isa::{Args, Bits, Immediate, Inst, Meaning, PAGES, Page, Role, Semantics, Ty, forms};
use std::collections::HashSet;
use std::sync::LazyLock;
use support::Random;
use support::numbers::{number, partner};

/// Selectors drawn for every combination of the other words.
const SAMPLED: usize = 6;
/// Operands for every form, at least.
const ROUNDS: usize = 48;
/// Operands for all forms of an opcode together, where that gives each form more.
const ROUNDS_OF_OPCODE: usize = 12_000;

/// Bits that favour edges: of bytes, of the whole, small numbers, amounts near a width.
fn operand(random: &mut Random) -> u64 {
    const BYTES: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff];
    match random.next() % 8 {
        0 => u64::from_le_bytes(std::array::from_fn(|_| BYTES[random.next() as usize % 8])),
        1 => {
            [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, u64::MAX >> 1, 0x8000][random.next() as usize % 8]
        }
        2 => random.next() % 70,
        3 => (random.next() % 70).wrapping_neg(),
        _ => random.next(),
    }
}

/// What an instruction reads and what it writes, the carry flag last.
#[derive(Default)]
struct Values {
    /// The widths of the sources.
    sources: Vec<u32>,
    /// Their types.
    types: Vec<Ty>,
    /// A bit for every source that can only be a constant.
    constants: u64,
    /// The widths of the results.
    results: Vec<u32>,
}

fn values(i: &Inst) -> Option<Values> {
    let Values { mut sources, mut types, mut constants, mut results } = Values::default();
    for (template, operand) in i.operands().filter(|(t, _)| !t.address) {
        let mut add = |operand: &margay_isa::Operand| {
            let ty = i.operand_type(operand.ty)?;
            let width = ty.width();
            if matches!(operand.immediate, Immediate::Only(..) | Immediate::OneOf(_)) {
                constants |= 1 << sources.len();
            }
            let list = if operand.role == Role::Destination { &mut results } else { &mut sources };
            let elements = i.elements(template).max(1);
            list.extend(std::iter::repeat_n(width, elements));
            if operand.role == Role::Source {
                types.extend(std::iter::repeat_n(ty, elements));
            }
            Some(())
        };
        add(operand)?;
        if let Some((name, _)) = template.second {
            add(i.page().operand(name)?)?;
        }
    }
    sources.extend(i.reads_carry().then_some(1));
    results.extend(i.writes_carry().then_some(1));
    Some(Values { sources, types, constants, results })
}

/// The names of all micro-ops, without the numbers in them: the tests of engines go through these.
static LISTED: LazyLock<HashSet<String>> = LazyLock::new(|| Op::all().into_iter().map(name).collect());

fn name(op: Op) -> String {
    let text = op.to_string();
    text.split('(').next().unwrap_or(&text).to_string()
}

/// What the micro-ops give.
fn run(emit: &Emit, args: &Args) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    let index: std::collections::HashMap<_, _> =
        emit.values().enumerate().map(|(k, (v, _, _))| (v, k)).collect();
    for (_, ty, def) in emit.values() {
        let value = match def {
            Def::Source(k) => args[k] as u64,
            Def::Const(bits) => bits,
            Def::Op(op, operands) => eval(op, operands.map(|v| values[index[&v]])),
        };
        assert_eq!(value & !ty.mask(), 0, "{def:?} is wider than {ty:?}");
        values.push(value);
    }
    emit.results().iter().map(|v| values[index[v]]).collect()
}

/// Floating-point operands instead, element by element.
fn floats(types: &[Ty], args: &mut Args, random: &mut Random) {
    let mut last = None;
    for (arg, ty) in args.iter_mut().zip(types) {
        let Some(format) = Format::of(*ty) else { continue };
        *arg = (0..ty.lanes).fold(0, |all, lane| {
            let bits = match last {
                Some((other, bits)) if other == format => partner(format, bits, random),
                _ => number(format, random),
            };
            last = Some((format, bits));
            all | bits << (lane * ty.bits)
        });
    }
}

/// Whether engines are judged on all of the micro-ops.
fn are_listed(emit: &Emit) {
    for (_, _, def) in emit.values() {
        if let Def::Op(op, _) = def {
            assert!(LISTED.contains(&name(op)), "`Op::all` lacks {op}");
        }
    }
}

/// A lowering of the instruction, with those sources known whose bits are set in `known`.
fn lower(i: &Inst, semantics: Semantics, values: &Values, args: &Args, known: u64) -> Option<Emit> {
    let known = known | values.constants;
    let source =
        |(k, width): (usize, &u32)| (Type::of_width(*width), (known >> k & 1 == 1).then_some(args[k] as u64));
    let given: Vec<(Type, Option<u64>)> = values.sources.iter().enumerate().map(source).collect();
    let mut emit = Emit::new(&given);
    i.lower(semantics, &mut emit).then_some(emit)
}

/// Whether the form has micro-ops, which are then those of its meaning.
fn judge(i: &Inst, semantics: Semantics, rounds: usize, random: &mut Random) -> bool {
    let values = values(i).unwrap_or_else(|| panic!("{i:?} has operands without types"));
    for round in 0..rounds {
        let mut args: Args = [0; 8];
        for (arg, width) in args.iter_mut().zip(&values.sources) {
            *arg = Bits::from(operand(random)) & (Bits::MAX >> (128 - width));
        }
        if round % 4 != 1 {
            floats(&values.types, &mut args, random);
        }
        // In every other round some sources are constants, in every eighth all of them.
        let known = match round % 8 {
            7 => u64::MAX,
            1 | 3 | 5 => random.next() >> 40,
            _ => 0,
        };
        let Some(emit) = lower(i, semantics, &values, &args, known) else {
            assert_eq!(round, 0, "{i:?} has micro-ops for some constants only");
            return false;
        };
        if round == 0 {
            are_listed(&emit);
        }
        let mut want = vec![0; values.results.len()];
        assert!(i.compute(semantics, &args, &mut want), "{i:?} computes nothing");
        let got: Vec<Bits> = run(&emit, &args).into_iter().map(Bits::from).collect();
        assert_eq!(got, want, "{i:?} of {:x?}, known {known:b}", &args[..values.sources.len()]);
        let types: Vec<Type> = emit.results().iter().map(|v| emit.ty(*v)).collect();
        let wanted: Vec<Type> = values.results.iter().map(|width| Type::of_width(*width)).collect();
        assert_eq!(types, wanted, "{i:?}: the types of its results");
    }
    true
}

/// The forms of the pages that compute.
fn computing() -> impl Iterator<Item = (&'static str, Vec<Inst>)> {
    let computes =
        |page: &&&Page| matches!(page.meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_));
    PAGES.iter().filter(computes).flat_map(|page| {
        page.opcodes.iter().map(|opcode| {
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            let mut draw = || random.next();
            (*opcode, forms::forms(page, opcode, SAMPLED, &mut draw))
        })
    })
}

/// Opcodes that have forms without micro-ops: how many, of how many (with selectors drawn). Values of 128 bits have none;
/// 2026-11-28: nor have conversions to and from formats below 16 bits.
const WITHOUT: &[(&str, usize, usize)] = &[("mov", 5, 45), ("cvt", 376, 1302)];

/// Judges the micro-ops of forms; how many forms of an opcode have none, of how many.
fn lacking(semantics: Semantics, wanted: fn(&Inst) -> bool) -> Vec<(&'static str, usize, usize)> {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut opcodes: Vec<(&str, usize, usize)> = Vec::new();
    for (opcode, forms) in computing() {
        let rounds = ROUNDS.max(ROUNDS_OF_OPCODE / forms.len());
        let forms: Vec<&Inst> = forms.iter().filter(|form| wanted(form)).collect();
        let lacking = forms.iter().filter(|form| !judge(form, semantics, rounds, &mut random)).count();
        match opcodes.iter_mut().find(|(name, ..)| *name == opcode) {
            Some((_, some, all)) => (*some, *all) = (*some + lacking, *all + forms.len()),
            None => opcodes.push((opcode, lacking, forms.len())),
        }
    }
    let judged: usize = opcodes.iter().map(|(_, lacking, all)| all - lacking).sum();
    assert!(judged > 500, "{judged}");
    opcodes.retain(|(_, lacking, _)| *lacking > 0);
    opcodes
}

#[test]
fn micro_ops_are_the_meaning_on_every_form() {
    assert_eq!(lacking(Semantics::Manual, |_| true), WITHOUT);
}

/// The same for what ptxas 13.5 computes, of pages of which it makes something else. 2026-11-28: nor has `fma.oob` on `.f16`, to which
/// 0x7eff is no mark then; nothing that compilers wrote has been seen to need it fast.
const WITHOUT_AS_PTXAS: &[(&str, usize, usize)] = &[("fma", 4, 48), ("cvt", 312, 1128)];

#[test]
fn micro_ops_of_what_ptxas_computes_are_its_meaning() {
    let has_meaning = |form: &Inst| form.page().ptxas.is_some();
    assert_eq!(lacking(Semantics::Ptxas13_5, has_meaning), WITHOUT_AS_PTXAS);
}
