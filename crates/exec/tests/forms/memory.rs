//! Loads, stores and atomic operations, at addresses of every kind.

use crate::bank::{MOST, Mode};
use crate::kernel::{DATA, Item, Line, OWN, STRUCTURE, SUMS, Section, TABLE};
use crate::random::Random;
use crate::statement::{Given, statement};
use margay_isa::{Inst, Slot, Word};

/// How addresses differ from thread to thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    Uniform,
    Contiguous,
    Strided,
    Reversed,
    Rows,
    Gathered,
    /// In one of two pieces of memory.
    Split,
}

pub const PATTERNS: [Pattern; 7] = [
    Pattern::Uniform,
    Pattern::Contiguous,
    Pattern::Strided,
    Pattern::Reversed,
    Pattern::Rows,
    Pattern::Gathered,
    Pattern::Split,
];

/// The numbers of places that threads use, so that none lies beyond the last.
const PLACES: usize = 512;

/// Bytes of the buffer that an item has to itself, for accesses of so many bytes.
pub const fn area_of(bytes: usize) -> usize {
    2 * PLACES * bytes
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

/// The lines that put an address in `%z4`: one of `places` places of so many bytes behind a base, by a pattern.
fn address(
    random: &mut Random,
    lines: &mut Vec<Line>,
    base: &str,
    (bytes, places): (usize, usize),
    pattern: Pattern,
) -> String {
    let skip = random.below(places.saturating_sub(MOST).clamp(1, 8)) * bytes;
    let mut line = |text: String| lines.push(Line::Text(text));
    match pattern {
        Pattern::Uniform => {
            let at = random.below(places) * bytes;
            if random.once_in(2) {
                return format!("{base}+{at}");
            }
            line(format!("add.u64 %z4, {base}, {at};"));
            return "%z4".into();
        }
        Pattern::Contiguous => line(format!("mad.wide.u32 %z4, %t, {bytes}, {base};")),
        Pattern::Strided => {
            let most = (places - 8) / MOST;
            line(format!("mad.wide.u32 %z4, %t, {}, {base};", bytes * (1 + random.below(most.max(1)))));
        }
        Pattern::Reversed => {
            line(format!("mad.wide.s32 %z4, %t, -{bytes}, {base};"));
            return format!("%z4+{}", (MOST - 1) * bytes);
        }
        Pattern::Rows => {
            // A row of the block lies some places behind the one before.
            line(format!("mad.wide.u32 %z4, %er0, {bytes}, {base};"));
            line(format!("mad.wide.u32 %z4, %er3, {}, %z4;", 9 * bytes));
            line("mov.u32 %y0, %tid.z;".into());
            line(format!("mad.wide.u32 %z4, %y0, {}, %z4;", 40 * bytes));
        }
        Pattern::Gathered => {
            let mask = places.next_power_of_two() / if places.is_power_of_two() { 1 } else { 2 } - 1;
            line(format!("and.b32 %y0, %vr{}, {mask};", random.below(8)));
            line(format!("mad.wide.u32 %z4, %y0, {bytes}, {base};"));
            return "%z4".into();
        }
        Pattern::Split => return String::new(),
    }
    format!("%z4+{skip}")
}

fn guard(random: &mut Random, guarded: bool) -> String {
    if guarded { crate::guard(random) } else { String::new() }
}

fn is_shared(inst: &Inst) -> bool {
    matches!(inst[Slot::Space], Word::Shared | Word::SharedCta | Word::SharedCluster)
}

/// Whether a generic address must lie in global memory: words for the second-level cache say so.
fn is_global(inst: &Inst) -> bool {
    inst.has(Slot::Hint)
        || inst[Slot::Action] == Word::Mmio
        || inst[Slot::Action2] == Word::Unified
        || inst.has(Slot::Eviction)
}

fn read_only(inst: &Inst) -> bool {
    matches!(inst[Slot::Action], Word::Nc | Word::ProxyReadonly) || inst.opcode() == "ldu"
}

/// A load of the form from what nobody writes; none if it has no such place.
pub fn load(
    random: &mut Random,
    inst: &Inst,
    pattern: Pattern,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let bytes = bytes(inst);
    let mut lines = Vec::new();
    let pattern = if inst.opcode() == "ldu" { Pattern::Uniform } else { pattern };
    // Of shared and local memory only what the thread has to itself is there for sure, and only before stores.
    let own = |random: &mut Random, lines: &mut Vec<Line>, base: &str| match pattern {
        Pattern::Uniform => format!("{base}+{}", random.below(OWN / bytes) * bytes),
        _ => {
            lines.push(Line::Text(format!("and.b32 %y0, %vr{}, {};", random.below(8), OWN / bytes - 1)));
            lines.push(Line::Text(format!("mad.wide.u32 %z4, %y0, {bytes}, {base};")));
            "%z4".into()
        }
    };
    let text = match inst[Slot::Space] {
        Word::Global if pattern == Pattern::Split => split(&mut lines, ["%data", "%work"], bytes),
        Word::Global => address(random, &mut lines, "%data", (bytes, DATA / bytes), pattern),
        Word::Const if pattern == Pattern::Split => return None,
        Word::Const => address(random, &mut lines, "%table", (bytes, TABLE / bytes), pattern),
        Word::Local => own(random, &mut lines, "%depot"),
        Word::Param | Word::ParamEntry => {
            format!("structure+{}", random.below(STRUCTURE / bytes) * bytes)
        }
        Word::ParamFunc => return None,
        Word::Absent if read_only(inst) || is_global(inst) => {
            let pattern = if pattern == Pattern::Split { Pattern::Gathered } else { pattern };
            address(random, &mut lines, "%data", (bytes, DATA / bytes), pattern)
        }
        Word::Absent => match random.below(6) {
            0 => own(random, &mut lines, "%gdepot"),
            1 => own(random, &mut lines, "%gstructure"),
            2 if pattern != Pattern::Split => {
                address(random, &mut lines, "%gtable", (bytes, TABLE / bytes), pattern)
            }
            3 if pattern != Pattern::Split => {
                address(random, &mut lines, "%gcells", (bytes, OWN * MOST / bytes), pattern)
            }
            4 => split(&mut lines, ["%gdepot", "%gstructure"], bytes.max(OWN / 2)),
            _ if pattern == Pattern::Split => split(&mut lines, ["%data", "%gcells"], bytes),
            _ => address(random, &mut lines, "%data", (bytes, DATA / bytes), pattern),
        },
        _ if is_shared(inst) && pattern != Pattern::Split => {
            address(random, &mut lines, "%cells", (bytes, OWN * MOST / bytes), pattern)
        }
        _ => return None,
    };
    let given = Given { address: &text, ..Given::default() };
    let made = statement(random, inst, mode, given)?;
    lines.push(Line::Text(format!("{} {};", guard(random, guarded), made.text)));
    lines.extend(made.written.into_iter().map(Line::Keep));
    Some(Item { section, lines })
}

/// The thread's place in one of two pieces of memory; without a stride if that is the thread's own.
fn split(lines: &mut Vec<Line>, [yes, no]: [&str; 2], bytes: usize) -> String {
    lines.push(Line::Text(format!("selp.b64 %z4, {yes}, {no}, %vp3;")));
    if !yes.contains("depot") {
        lines.push(Line::Text(format!("mad.wide.u32 %z4, %t, {bytes}, %z4;")));
    }
    "%z4".into()
}

/// The lines that put an address of the thread's own in `%z4`, in an area of the buffer that only this item has.
fn area(random: &mut Random, lines: &mut Vec<Line>, number: usize, bytes: usize, pattern: Pattern) -> String {
    lines.push(Line::Text(format!("add.u64 %z5, %work, {};", number * area_of(bytes))));
    match pattern {
        Pattern::Gathered | Pattern::Split => {
            // Every place once, in a confused order.
            let (times, plus) = (2 * random.below(PLACES / 2) + 1, random.below(PLACES));
            lines.push(Line::Text(format!(
                "mad.lo.u32 %y0, %t, {times}, {plus};\nand.b32 %y0, %y0, {};",
                PLACES - 1
            )));
            lines.push(Line::Text(format!("mad.wide.u32 %z4, %y0, {bytes}, %z5;")));
            "%z4".into()
        }
        _ => address(random, lines, "%z5", (bytes, 2 * PLACES), pattern),
    }
}

/// The thread's own place in shared or local memory, or in the buffer for generic addresses.
fn own(
    random: &mut Random,
    lines: &mut Vec<Line>,
    inst: &Inst,
    (number, bytes): (usize, usize),
    pattern: Pattern,
    atomic: bool,
) -> Option<String> {
    let depot = |lines: &mut Vec<Line>, random: &mut Random, base: &str| {
        if pattern == Pattern::Uniform {
            return format!("{base}+{}", random.below(OWN / bytes) * bytes);
        }
        lines.push(Line::Text(format!("and.b32 %y0, %vr{}, {};", random.below(8), OWN / bytes - 1)));
        lines.push(Line::Text(format!("mad.wide.u32 %z4, %y0, {bytes}, {base};")));
        "%z4".into()
    };
    let cell = |lines: &mut Vec<Line>, random: &mut Random, base: &str| {
        let at = random.below(OWN / bytes) * bytes;
        if matches!(pattern, Pattern::Gathered | Pattern::Split) {
            lines.push(Line::Text(format!("and.b32 %y0, %vr{}, {};", random.below(8), OWN / bytes - 1)));
            lines.push(Line::Text(format!(
                "mad.wide.u32 %z4, %t, {OWN}, {base};\nmad.wide.u32 %z4, %y0, {bytes}, %z4;"
            )));
            return "%z4".into();
        }
        lines.push(Line::Text(format!("mad.wide.u32 %z4, %t, {OWN}, {base};")));
        format!("%z4+{at}")
    };
    Some(match inst[Slot::Space] {
        Word::Local => depot(lines, random, "%depot"),
        Word::Global => area(random, lines, number, bytes, pattern),
        Word::Absent if is_global(inst) => area(random, lines, number, bytes, pattern),
        Word::Absent => match random.below(5) {
            0 if !atomic => depot(lines, random, "%gdepot"),
            1 => cell(lines, random, "%gcells"),
            2 => {
                let (at, area) = (random.below(OWN / bytes) * bytes, number * area_of(bytes));
                lines.push(Line::Text(format!(
                "mad.wide.u32 %z4, %t, {OWN}, %gcells;\nadd.u64 %z4, %z4, {at};\nadd.u64 %z5, %work, {area};\n\
                 mad.wide.u32 %z5, %t, {bytes}, %z5;\nselp.b64 %z4, %z4, %z5, %vp3;"
            )));
                "%z4".into()
            }
            _ => area(random, lines, number, bytes, pattern),
        },
        _ if is_shared(inst) => cell(lines, random, "%cells"),
        _ => return None,
    })
}

/// A store of the form to what the thread has to itself, or of one value by all threads to one place that only this item has.
pub fn store(
    random: &mut Random,
    inst: &Inst,
    number: usize,
    pattern: Pattern,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let bytes = bytes(inst);
    let mut lines = Vec::new();
    // Which of several values would stay is nothing that PTX promises.
    let mode = if pattern == Pattern::Uniform { Mode::Uniform } else { mode };
    let text = own(random, &mut lines, inst, (number, bytes), pattern, false)?;
    let given = Given { address: &text, ..Given::default() };
    let made = statement(random, inst, mode, given)?;
    lines.push(Line::Text(format!("{} {};", guard(random, guarded), made.text)));
    if matches!(inst[Slot::Space], Word::Local) || is_shared(inst) {
        let (space, byte) = (inst[Slot::Space], bytes.min(8));
        for k in 0..bytes / byte {
            let end = if text.contains('+') { "" } else { "+0" };
            lines.push(Line::Text(format!(
                "ld.{space}.u{} %z3, [{}];",
                8 * byte,
                plus(&text, end, k * byte)
            )));
            lines.push(Line::Keep("%z3".into()));
        }
    }
    Some(Item { section, lines })
}

/// An address text with some bytes more.
fn plus(text: &str, end: &str, more: usize) -> String {
    let whole = format!("{text}{end}");
    let (base, at) = whole.rsplit_once('+').unwrap_or((&whole, "0"));
    format!("{base}+{}", at.parse::<usize>().unwrap_or(0) + more)
}

/// An atomic operation on what the thread has to itself, the old value kept.
pub fn private_atomic(
    random: &mut Random,
    inst: &Inst,
    number: usize,
    pattern: Pattern,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let mut lines = Vec::new();
    let pattern = if pattern == Pattern::Uniform { Pattern::Contiguous } else { pattern };
    let text = own(random, &mut lines, inst, (number, bytes(inst)), pattern, true)?;
    let made = statement(random, inst, mode, Given { address: &text, ..Given::default() })?;
    lines.push(Line::Text(format!("{} {};", guard(random, guarded), made.text)));
    lines.extend(made.written.into_iter().map(Line::Keep));
    Some(Item { section, lines })
}

/// An atomic operation that many threads carry out on the same few places, which nobody looks at meanwhile; none if its order shows.
pub fn common_atomic(
    random: &mut Random,
    inst: &Inst,
    number: usize,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let bytes = bytes(inst);
    // Sums of floating-point numbers are rounded each time.
    let rounds = inst[Slot::Op2] == Word::Add && !inst.ty(Slot::Type).is_integer();
    if bytes > 8 || rounds || matches!(inst[Slot::Op2], Word::Cas | Word::Exch) {
        return None;
    }
    let mut lines = Vec::new();
    let shared =
        is_shared(inst) || inst[Slot::Space] == Word::Absent && !is_global(inst) && random.once_in(2);
    let text = if shared {
        let at = number % SUMS * 8;
        lines.push(Line::Text("mov.u64 %z4, sums;".into()));
        if !is_shared(inst) {
            lines.push(Line::Text("cvta.shared.u64 %z4, %z4;".into()));
        }
        format!("%z4+{at}")
    } else {
        lines.push(Line::Text(format!("add.u64 %z5, %work, {};", number * area_of(bytes))));
        if random.once_in(2) {
            lines.push(Line::Text("and.b32 %y0, %vr0, 3;\nmad.wide.u32 %z5, %y0, 8, %z5;".into()));
        }
        "%z5".into()
    };
    let wraps = matches!(inst[Slot::Op2], Word::Inc | Word::Dec);
    let bound = wraps.then(|| random.below(1000).to_string());
    let destination = (inst.opcode() == "atom" && inst[Slot::Vec] == Word::Absent).then_some("_");
    let given = Given { address: &text, destination, b: bound.as_deref(), ..Given::default() };
    let made = statement(random, inst, mode, given)?;
    lines.push(Line::Text(format!("{} {};", guard(random, guarded), made.text)));
    Some(Item { section, lines })
}

/// What a form of an access does, words aside that change nothing: space, type, vector, whether it is ordered.
pub fn key(inst: &Inst) -> String {
    let ordered = matches!(inst[Slot::Sem], Word::Relaxed | Word::Acquire | Word::Release | Word::AcqRel);
    let words = [Slot::Space, Slot::Type, Slot::Vec, Slot::Op2].map(|slot| inst[slot]);
    format!("{} {words:?} {ordered} {}", inst.opcode(), read_only(inst))
}
