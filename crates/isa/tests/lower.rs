//! Micro-ops judged by the meanings that they repeat: every form of every page, corner and random operands, some of them
//! known beforehand.

use margay_isa::uop::{Def, Emit, Type, eval};
use margay_isa::{Args, Bits, Immediate, Inst, Meaning, PAGES, Page, Role, Semantics, Ty, forms};

/// Selectors drawn for every combination of the other words.
const SAMPLED: usize = 6;
/// Operands for every form.
const ROUNDS: usize = 48;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8 | self.0 << 56
    }

    /// Bits that favour edges: of bytes, of the whole, small numbers, amounts near a width.
    fn operand(&mut self) -> u64 {
        const BYTES: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff];
        match self.next() % 8 {
            0 => u64::from_le_bytes(std::array::from_fn(|_| BYTES[self.next() as usize % 8])),
            1 => [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, u64::MAX >> 1, 0x8000]
                [self.next() as usize % 8],
            2 => self.next() % 70,
            3 => (self.next() % 70).wrapping_neg(),
            _ => self.next(),
        }
    }
}

/// What an instruction reads and what it writes, the carry flag last.
#[derive(Default)]
struct Values {
    /// The widths of the sources.
    sources: Vec<u32>,
    /// A bit for every source that can only be a constant.
    constants: u64,
    /// The widths of the results.
    results: Vec<u32>,
}

impl Values {
    fn fit(&self) -> bool {
        self.sources.iter().chain(&self.results).all(|width| *width <= 64)
    }
}

fn values(i: &Inst) -> Option<Values> {
    let Values { mut sources, mut constants, mut results } = Values::default();
    for (template, operand) in i.operands().filter(|(t, _)| !t.address) {
        let mut add = |operand: &margay_isa::Operand| {
            let width = i.operand_type(operand.ty).map(Ty::width)?;
            if matches!(operand.immediate, Immediate::Only(..)) {
                constants |= 1 << sources.len();
            }
            let list = if operand.role == Role::Destination { &mut results } else { &mut sources };
            list.extend(std::iter::repeat_n(width, i.elements(template).max(1)));
            Some(())
        };
        add(operand)?;
        if let Some((name, _)) = template.second {
            add(i.page().operand(name)?)?;
        }
    }
    sources.extend(i.reads_carry().then_some(1));
    results.extend(i.writes_carry().then_some(1));
    Some(Values { sources, constants, results })
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

fn judge(i: &Inst, random: &mut Random) {
    let Values { sources, constants, results } =
        values(i).unwrap_or_else(|| panic!("{i:?} has operands without types"));
    for round in 0..ROUNDS {
        let mut args: Args = [0; 8];
        for (arg, width) in args.iter_mut().zip(&sources) {
            *arg = Bits::from(random.operand()) & (Bits::MAX >> (128 - width));
        }
        // Some sources are constants, all of them in the last rounds.
        let known = match round {
            0..24 => 0,
            24..40 => random.next(),
            _ => u64::MAX,
        } | constants;
        let given: Vec<(Type, Option<u64>)> = sources
            .iter()
            .enumerate()
            .map(|(k, width)| (Type::of_width(*width), (known >> k & 1 == 1).then_some(args[k] as u64)))
            .collect();
        let mut emit = Emit::new(&given);
        if !i.lower(Semantics::Manual, &mut emit) {
            assert_eq!(round, 0, "{i:?} has micro-ops for some constants only");
            return;
        }
        let mut want = vec![0; results.len()];
        assert!(i.compute(Semantics::Manual, &args, &mut want), "{i:?} computes nothing");
        let got: Vec<Bits> = run(&emit, &args).into_iter().map(Bits::from).collect();
        assert_eq!(got, want, "{i:?} of {:x?}, known {known:b}", &args[..sources.len()]);
        let types: Vec<Type> = emit.results().iter().map(|v| emit.ty(*v)).collect();
        let wanted: Vec<Type> = results.iter().map(|width| Type::of_width(*width)).collect();
        assert_eq!(types, wanted, "{i:?}: the types of its results");
    }
}

/// All forms of the pages that compute and have no wider values than 64 bits.
fn computing() -> impl Iterator<Item = (&'static Page, &'static str, Vec<Inst>)> {
    let computes =
        |page: &&&Page| matches!(page.meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_));
    PAGES.iter().filter(computes).flat_map(|page| {
        page.opcodes.iter().map(|opcode| {
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            let mut draw = || random.next();
            let narrow = |i: &Inst| values(i).is_some_and(|v| v.fit());
            let all = forms::forms(page, opcode, SAMPLED, &mut draw).into_iter().filter(narrow);
            (*page, *opcode, all.collect())
        })
    })
}

#[test]
fn micro_ops_are_the_meaning_on_every_form() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut judged = 0;
    for (page, _, forms) in computing().filter(|(page, ..)| page.lower.is_some()) {
        assert!(!forms.is_empty(), "{} has no form", page.section);
        for form in &forms {
            judge(form, &mut random);
            judged += 1;
        }
    }
    assert!(judged > 500, "{judged}");
}
