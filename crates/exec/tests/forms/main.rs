//! Every form of every page that runs gives on the batch engine what it gives on the golden engine: alone, under a guard,
//! where threads have parted, with operands that are uniform, constant or grow evenly, on every level of vector
//! instructions that the machine has, in full and partial blocks.
//!
//! `MARGAY_FORMS` says how many rounds there are, each with operands of its own. Of loads, stores and atomic operations that
//! differ in cache hints and the like only, each round judges one in all ways and some hundred others; of computations of
//! which an opcode has very many, each in some of the ways.

mod bank;
mod judge;
mod kernel;
mod memory;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random_kernel/random.rs"]
mod random;
mod statement;
mod threads;

use bank::Mode;
use judge::{Tally, World, judge};
use kernel::{Item, Line, Section};
use margay_isa::{Effect, Inst, Meaning, PAGES, Page};
use random::Random;
use statement::{Given, all_forms, statement};
use std::collections::BTreeMap;

/// Rounds that are judged.
fn rounds() -> u64 {
    match std::env::var("MARGAY_FORMS") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("`MARGAY_FORMS` is not a number: `{text}`")),
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

/// A form that computes: if it writes the carry flag or reads it, between others that do.
fn computing(
    random: &mut Random,
    inst: &Inst,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let carries = inst.reads_carry() || inst.writes_carry();
    let made = statement(random, inst, mode, Given::default())?;
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
    Some(Item { section, lines })
}

#[test]
fn computations() {
    judge_computations(computes, |round| World::new(round, 8));
}

#[test]
fn computations_of_which_ptxas_makes_something_else() {
    judge_computations(
        |page| computes(page) && page.ptxas.is_some(),
        |round| World::new(round, 8).under_ptxas(),
    );
}

fn judge_computations(wanted: impl Fn(&Page) -> bool, world: impl Fn(u64) -> World) {
    let mut tally = Tally::default();
    for round in 0..rounds() {
        let mut random = Random::new(round, 2);
        let world = world(round);
        let mut items = Vec::new();
        for (page, opcode) in opcodes(&wanted) {
            let all = all_forms(page, opcode, 2, &mut random);
            let before = items.len();
            // Forms of which there are many have some of the ways each, the fewest where the engine asks the page anyway.
            let each = match (all.len() > 100, page.lower) {
                (true, Some(_)) => 3,
                (true, None) => 1,
                (false, _) => WAYS.len(),
            };
            for inst in &all {
                let first = random.below(WAYS.len());
                let ways = WAYS.iter().cycle().skip(first).take(each);
                ways.for_each(|way| items.extend(computing(&mut random, inst, *way)));
            }
            let made = items.len() - before;
            assert!(made >= each * all.len() * 9 / 10, "{opcode}: {made} items of {} forms", all.len());
        }
        judge(&world, &items, (700, true), &mut tally);
    }
    println!("{tally:?}");
}

/// One form of each kind of access in every way and with every pattern of addresses; of the others some.
fn accesses(wanted: impl Fn(&Page) -> bool, random: &mut Random) -> Vec<(Inst, bool)> {
    let more = rounds() as usize * 300;
    let mut chosen = Vec::new();
    for (page, opcode) in opcodes(wanted) {
        let mut all = all_forms(page, opcode, 0, random);
        let mut kinds = BTreeMap::<String, Vec<Inst>>::new();
        all.drain(..).for_each(|inst| kinds.entry(memory::key(&inst)).or_default().push(inst));
        let others = kinds.values().map(Vec::len).sum::<usize>() - kinds.len();
        for mut kind in kinds.into_values() {
            let first = random.below(kind.len());
            chosen.push((kind.swap_remove(first), true));
            chosen.extend(kind.into_iter().filter(|_| random.below(others) < more).map(|inst| (inst, false)));
        }
    }
    chosen
}

/// The ways of an access, each with some patterns: or only one of all of them.
fn ways(random: &mut Random, every: bool) -> Vec<((Section, Mode, bool), memory::Pattern)> {
    let all = WAYS.iter().filter(|way| way.1 != Mode::Constants);
    let mut all: Vec<_> =
        all.flat_map(|way| [0; 2].map(|_| (*way, *random.pick(&memory::PATTERNS)))).collect();
    if every {
        return all;
    }
    let one = random.below(all.len());
    vec![all.swap_remove(one)]
}

#[test]
fn loads() {
    let mut tally = Tally::default();
    for round in 0..rounds() {
        let mut random = Random::new(round, 3);
        let world = World::new(round, kernel::DATA);
        let mut items = Vec::new();
        let loads = |page: &Page| matches!(page.meaning, Meaning::Effect(Effect::Load));
        for (inst, every) in accesses(loads, &mut random) {
            for (way, pattern) in ways(&mut random, every) {
                items.extend(memory::load(&mut random, &inst, pattern, way));
            }
        }
        split(&world, &items, 700, &mut tally);
    }
    println!("{tally:?}");
}

/// So many items with an area of their own are in a kernel.
const AREAS: usize = 64;

/// Judges what `make` makes of every form of an access, those of the same size together: items get numbers below [`AREAS`].
fn in_areas(
    of: u64,
    wanted: impl Fn(&Page) -> bool,
    make: impl Fn(&mut Random, &Inst, usize, memory::Pattern, (Section, Mode, bool)) -> Vec<Item>,
) {
    let mut tally = Tally::default();
    for round in 0..rounds() {
        let mut random = Random::new(round, of);
        let mut sizes = BTreeMap::<usize, Vec<Item>>::new();
        for (inst, every) in accesses(&wanted, &mut random) {
            let items = sizes.entry(memory::bytes(&inst)).or_default();
            for (way, pattern) in ways(&mut random, every) {
                items.extend(make(&mut random, &inst, items.len() % AREAS, pattern, way));
            }
        }
        for (bytes, items) in sizes {
            let world = World::new(round, AREAS * memory::area_of(bytes));
            split(&world, &items, AREAS, &mut tally);
        }
    }
    println!("{tally:?}");
}

#[test]
fn stores() {
    let stores = |page: &Page| matches!(page.meaning, Meaning::Effect(Effect::Store));
    in_areas(4, stores, |random, inst, number, pattern, way| {
        memory::store(random, inst, number, pattern, way).into_iter().collect()
    });
}

/// Ranges of memory have rules for their size and place: run files have them.
fn is_atomic(page: &Page) -> bool {
    matches!(page.meaning, Meaning::Atomic(_)) && page.operand("size").or(page.operand("t")).is_none()
}

#[test]
fn atomic_operations_on_what_a_thread_has_to_itself() {
    in_areas(5, is_atomic, |random, inst, number, pattern, way| {
        memory::private_atomic(random, inst, number, pattern, way).into_iter().collect()
    });
}

#[test]
fn atomic_operations_by_many_threads() {
    in_areas(6, is_atomic, |random, inst, number, _, way| {
        memory::common_atomic(random, inst, number, way).into_iter().collect()
    });
}

/// Pages with no form that exists where kernels are for: `run/threads/least.ptx` and `run/threads/warpgroups.ptx` have them.
const ELSEWHERE: &[&str] = &[
    "least or greatest number over a warp",
    "order register accesses before matrix operations",
    "wait for loads or stores of tensor memory",
    "order tensor memory operations and synchronization",
];

/// Judges items, so many in a kernel, and those that are handed over in few.
fn split(world: &World, items: &[Item], together: usize, tally: &mut Tally) {
    for part in items.chunks(together) {
        let (handed, items): (Vec<Item>, Vec<Item>) = part.iter().cloned().partition(threads::is_handed_over);
        judge(world, &items, (together, true), tally);
        judge(world, &handed, (5, false), tally);
    }
}

/// Judges what `make` makes of every form, several times.
fn everywhere(
    (of, times): (u64, usize),
    wanted: impl Fn(&Page) -> bool,
    make: impl Fn(&mut Random, &Inst, (Section, Mode, bool)) -> Option<Item>,
) {
    let mut tally = Tally::default();
    for round in 0..rounds() {
        let mut random = Random::new(round, of);
        let world = World::new(round, kernel::DATA);
        let mut items = Vec::new();
        for (page, opcode) in opcodes(&wanted) {
            let before = items.len();
            let forms = all_forms(page, opcode, 2, &mut random);
            for inst in &forms {
                for way in WAYS.iter().cycle().take(times * WAYS.len()) {
                    items.extend(make(&mut random, inst, *way));
                }
            }
            // Some pages have no form where kernels are for; a run file has them.
            let elsewhere = ELSEWHERE.contains(&page.purpose);
            assert_eq!(forms.is_empty(), elsewhere, "{opcode}: {}", page.purpose);
            assert!(items.len() > before || elsewhere, "nothing is made of {opcode}");
        }
        split(&world, &items, 500, &mut tally);
    }
    println!("{tally:?}");
}

#[test]
fn lanes_together() {
    everywhere((7, 4), threads::is_together, threads::together);
}

#[test]
fn addresses_and_fences() {
    everywhere((8, 2), threads::is_plain, threads::plain);
}
