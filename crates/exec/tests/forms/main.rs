//! Every form of every page that runs gives on the batch engine what it gives on the golden engine: alone, under a guard,
//! where threads have parted, with operands that are uniform, constant or grow evenly, on every level of vector
//! instructions that the machine has, in full and partial blocks.
//!
//! `MARGAY_FORMS` says how many rounds there are, each with operands of its own, and how many of the forms of loads and
//! stores that differ in cache hints and the like are judged beside one of each kind.

mod bank;
mod judge;
mod kernel;
#[path = "../support/random_kernel/random.rs"]
mod random;
mod statement;

use bank::Mode;
use judge::{Tally, World, judge};
use kernel::{Item, Line, Section};
use margay_isa::{Carry, Inst, Meaning, PAGES, Page};
use random::Random;
use statement::{Given, all_forms, statement};

/// Rounds that are judged.
fn rounds() -> u64 {
    match std::env::var("MARGAY_FORMS") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("`MARGAY_FORMS` is no number: `{text}`")),
        Err(_) => 1,
    }
}

fn opcodes(wanted: impl Fn(&Page) -> bool) -> Vec<(&'static Page, &'static str)> {
    let pages = PAGES.iter().copied().filter(|page| page.runs() && wanted(page));
    pages.flat_map(|page| page.opcodes.iter().map(move |opcode| (page, *opcode))).collect()
}

/// A guard that is true in some threads, or in all or none.
fn guard(random: &mut Random) -> String {
    format!("@{}%{}", random.pick(&["", "!"]), random.pick(&["vp1", "vp2", "vp3", "up0", "up1"]))
}

/// The ways in which a form is executed: where, with which operands, and whether under a guard.
const WAYS: [(Section, Mode, bool); 7] = [
    (Section::Straight, Mode::Varying, false),
    (Section::Straight, Mode::Uniform, false),
    (Section::Straight, Mode::Constants, false),
    (Section::Straight, Mode::Mixed, true),
    (Section::Then, Mode::Mixed, false),
    (Section::Else, Mode::Mixed, true),
    (Section::After, Mode::Mixed, false),
];

fn computes(page: &Page) -> bool {
    matches!(page.meaning, Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_))
}

/// The items of a form that computes: those that write the carry flag or read it stand between others that do.
fn computing(random: &mut Random, inst: &Inst, items: &mut Vec<Item>) {
    let carries = inst.reads_carry() || inst.writes_carry();
    for (section, mode, guarded) in WAYS {
        let Some(made) = statement(random, inst, mode, Given::default()) else { continue };
        let guard = if guarded { guard(random) } else { String::new() };
        let mut lines = Vec::new();
        if carries {
            let k = random.below(8);
            lines.push(Line::Text(format!("add.cc.u32 %y0, %vr{k}, %vr{};", random.below(8))));
        }
        lines.push(Line::Text(format!("{guard} {};", made.text)));
        lines.extend(made.written.into_iter().map(Line::Keep));
        if carries {
            lines.push(Line::Text("addc.u32 %xr7, 0, 0;".into()));
            lines.push(Line::Keep("%xr7".into()));
        }
        items.push(Item { section, lines });
    }
}

#[test]
fn computations() {
    let mut tally = Tally::default();
    for round in 0..rounds() {
        let mut random = Random::new(round, 2);
        let world = World::new(round, 8);
        let mut items = Vec::new();
        for (page, opcode) in opcodes(computes) {
            let all = all_forms(page, opcode, 2, &mut random);
            let before = items.len();
            all.iter().for_each(|inst| computing(&mut random, inst, &mut items));
            let made = items.len() - before;
            assert!(made >= WAYS.len() * all.len() * 9 / 10, "{opcode}: {made} of {} forms", all.len());
            assert!(page.carry == Carry::Untouched || made > 0);
        }
        judge(&world, &items, 700, &mut tally);
    }
    println!("{tally:?}");
}
