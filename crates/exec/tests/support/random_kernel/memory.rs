//! Loads and stores of every form: in the input that all read, in what each thread has to itself, at addresses that are
//! uniform, contiguous, strided or gathered.

use super::forms::{self, Family, Given};
use super::writer::{Place, Writer};
use margay_isa::{Inst, Slot, Word};

/// Bytes of the input, of the table in constant memory, of the parameter that is a structure.
pub const INPUT: usize = 4096;
pub const TABLE: usize = 64;
pub const STRUCTURE: usize = 32;
/// Bytes that a thread has to itself: in one piece of global memory, in each of the planes, in shared and local memory.
pub const OWN: usize = 64;
pub const PLANES: usize = 4;
pub const CELL: usize = 16;
pub const DEPOT: usize = 64;
pub const HIDDEN: usize = 16;

pub fn load(w: &mut Writer, place: &Place) {
    access(w, place, Family::Load);
}

pub fn store(w: &mut Writer, place: &Place) {
    access(w, place, Family::Store);
}

fn access(w: &mut Writer, place: &Place, family: Family) {
    let weak = w.traits.weak;
    let spaces =
        [Word::Global, Word::Global, Word::Absent, Word::Shared, Word::Local, Word::Const, Word::Param];
    let space = *w.random.pick(&spaces);
    let allowed = |inst: &Inst| {
        let there = inst[Slot::Space] == space || space == Word::Shared && is_shared(inst);
        let parameter = space == Word::Param && inst[Slot::Space] == Word::ParamEntry;
        (there || parameter) && reachable(inst, place, family) && !(weak && forms::is_ordered(inst))
    };
    let Some(inst) = forms::draw(&mut w.random, family, allowed) else { return };
    let Some(address) = address(w, &inst, place, family == Family::Store) else { return };
    if let Some(text) =
        forms::statement(&mut w.random, &inst, Given { address: &address, ..Given::default() })
    {
        w.guarded(text);
    }
}

fn is_shared(inst: &Inst) -> bool {
    matches!(inst[Slot::Space], Word::Shared | Word::SharedCta | Word::SharedCluster)
}

/// Whether the form reads what nobody may write meanwhile.
fn is_read_only(inst: &Inst) -> bool {
    matches!(inst[Slot::Action], Word::Nc | Word::ProxyReadonly) || inst.opcode() == "ldu"
}

fn reachable(inst: &Inst, place: &Place, family: Family) -> bool {
    let store = family == Family::Store;
    match inst[Slot::Space] {
        Word::Global | Word::Absent | Word::Local => {
            !(is_read_only(inst) && inst[Slot::Space] == Word::Local)
        }
        Word::Const => !store,
        _ if place.in_function => false,
        Word::Param | Word::ParamEntry => !store && !is_read_only(inst),
        _ => is_shared(inst) && !is_read_only(inst) && (place.writes_shared || !store),
    }
}

fn address(w: &mut Writer, inst: &Inst, place: &Place, store: bool) -> Option<String> {
    let bytes = forms::bytes(inst);
    Some(match inst[Slot::Space] {
        Word::Local => local(w, bytes, place),
        Word::Const => {
            w.feature("constant memory");
            format!("table+{}", w.random.below(TABLE / bytes) * bytes)
        }
        Word::Param | Word::ParamEntry => {
            w.feature("parameter structure");
            format!("structure+{}", w.random.below(STRUCTURE / bytes) * bytes)
        }
        Word::Global if !store && (is_read_only(inst) || w.random.once_in(2)) => {
            input(w, bytes, inst.opcode() == "ldu")
        }
        Word::Global => own(w, bytes, place),
        Word::Absent => generic(w, bytes, inst, place, store),
        _ => cell(w, bytes),
    })
}

fn generic(w: &mut Writer, bytes: usize, inst: &Inst, place: &Place, store: bool) -> String {
    if is_read_only(inst) {
        return input(w, bytes, inst.opcode() == "ldu");
    }
    w.feature("generic address");
    // Hints for the second-level cache are for what lies in global memory.
    let elsewhere = bytes <= CELL && !inst.has(Slot::Hint) && inst[Slot::Action] != Word::Mmio;
    match w.random.below(5) {
        0 if elsewhere && inst[Slot::Action2] != Word::Unified => {
            format!("%gdepot+{}", w.random.below(DEPOT / bytes) * bytes)
        }
        1 if elsewhere && !place.in_function && (place.writes_shared || !store) => {
            format!("%gcell+{}", w.random.below(CELL / bytes) * bytes)
        }
        2 if elsewhere && !store && inst[Slot::Sem] == Word::Absent => {
            w.line("mov.u64 %x1, table");
            w.line("cvta.const.u64 %x1, %x1");
            format!("%x1+{}", w.random.below(TABLE / bytes) * bytes)
        }
        3 if !store => input(w, bytes, false),
        _ => own(w, bytes, place),
    }
}

/// Somewhere in the input.
pub fn input(w: &mut Writer, bytes: usize, uniform: bool) -> String {
    let places = INPUT / bytes;
    let kind = w.random.below(if uniform { 1 } else { 5 });
    let index = match kind {
        0 => {
            w.feature("uniform address");
            return format!("%in+{}", w.random.below(places) * bytes);
        }
        1 => {
            w.feature("contiguous addresses");
            "%gid".to_string()
        }
        2 => {
            w.feature("strided addresses");
            let stride = 2 + w.random.below(40);
            w.line(format!("mul.lo.u32 %y0, %gid, {stride}"));
            "%y0".into()
        }
        _ => {
            w.feature("gathered addresses");
            w.word()
        }
    };
    w.line(format!("and.b32 %y0, {index}, {}", places - 1));
    w.line(format!("mad.wide.u32 %x0, %y0, {bytes}, %in"));
    "%x0".into()
}

/// What the thread has to itself in global memory.
pub fn own(w: &mut Writer, bytes: usize, place: &Place) -> String {
    match w.random.below(3) {
        0 if bytes <= CELL && !place.in_function => {
            w.feature("planes");
            let plane = w.random.below(PLANES) * w.traits.threads * CELL;
            format!("%plane+{}", plane + w.random.below(CELL / bytes) * bytes)
        }
        1 => {
            w.feature("address from data");
            let index = w.word();
            w.line(format!("and.b32 %y0, {index}, {}", OWN / bytes - 1));
            w.line(format!("mad.wide.u32 %x0, %y0, {bytes}, %own"));
            "%x0".into()
        }
        _ => format!("%own+{}", w.random.below(OWN / bytes) * bytes),
    }
}

/// Loads of what the thread has to itself, at addresses that are a constant more than a sum which moves on now and then, and
/// which mostly nothing else reads; with operations between.
pub fn neighbours(w: &mut Writer, place: &Place) {
    w.feature("neighbouring addresses");
    let shared = !place.in_function && w.random.once_in(2);
    let (space, base, sum, ty, bytes) = match shared {
        true => ("shared", "%cell", "%y0", "u32", CELL),
        false => ("global", "%own", "%x0", "s64", OWN),
    };
    let mut far = w.random.below(64) * 4;
    w.line(format!("add.{ty} {sum}, {base}, {far}"));
    if w.random.once_in(2) {
        // There and back by the thread's number: sums of sums become one operation, which has no name.
        let gid = if shared { "%gid" } else { "%x1" };
        if !shared {
            w.line("cvt.u64.u32 %x1, %gid");
        }
        w.line(format!("add.{ty} {sum}, {sum}, {gid}"));
        w.line(format!("sub.{ty} {sum}, {sum}, {gid}"));
    }
    for _ in 0..2 + w.random.below(4) {
        let at = w.random.below(bytes / 4) * 4;
        let to = w.word();
        w.line(format!("ld.{space}.u32 {to}, [{sum}+{}]", at as i64 - far as i64));
        if w.random.once_in(3) {
            let by = 4 * w.random.below(8);
            w.line(format!("add.{ty} {sum}, {sum}, {by}"));
            far += by;
        }
        let (a, b) = (w.word(), w.word());
        w.line(format!("xor.b32 {a}, {b}, {to}"));
    }
}

/// The thread's own cell in shared memory.
pub fn cell(w: &mut Writer, bytes: usize) -> String {
    w.feature("shared memory");
    format!("%cell+{}", w.random.below(CELL / bytes) * bytes)
}

/// Words of the input that go to the thread's cell as they are, with something between.
pub fn tile(w: &mut Writer) {
    w.feature("tile");
    // With all 16 bytes the cells of neighbours follow each other.
    let (list, ty, bytes) = *w.random.pick(&[
        ("{%v0, %v1, %v2, %v3}", "v4.u32", 16),
        ("{%x2, %x3}", "v2.u64", 16),
        ("{%v0, %v1}", "v2.u32", 8),
        ("%v0", "u8", 1),
    ]);
    let from = input(w, bytes, false);
    let to = cell(w, bytes);
    w.line(format!("ld.global.{ty} {list}, [{from}]"));
    match w.random.below(6) {
        k @ (0 | 1) => {
            let (word, by) = (w.word(), ["%v0", "%gid"][k]);
            w.line(format!("add.u32 {word}, {word}, {by}"));
        }
        2 => w.line("st.shared.u32 [%cell], %gid"),
        3 => w.line("ld.global.u32 %v3, [%own]"),
        _ => {}
    }
    w.line(format!("st.shared.{ty} [{to}], {list}"));
    if w.random.once_in(4) {
        let word = w.word();
        w.line(format!("add.u32 {word}, {word}, %v0"));
    }
}

fn local(w: &mut Writer, bytes: usize, place: &Place) -> String {
    w.feature("local memory");
    if bytes == 4 && !place.in_function && w.random.once_in(2) {
        return hidden(w);
    }
    if w.random.once_in(2) {
        return format!("depot+{}", w.random.below(DEPOT / bytes) * bytes);
    }
    let index = w.word();
    w.line(format!("and.b32 %y0, {index}, {}", DEPOT / bytes - 1));
    w.line(format!("mad.wide.u32 %x0, %y0, {bytes}, %depot"));
    "%x0".into()
}

/// A word of a variable whose address nothing takes, so that it may lie in a register; now and then at an address that data happen to say.
fn hidden(w: &mut Writer) -> String {
    w.feature("variable without an address");
    if !w.random.once_in(3) {
        return format!("hidden+{}", w.random.below(HIDDEN / 4) * 4);
    }
    w.feature("made-up address");
    let index = w.word();
    w.line(format!("and.b32 %y0, {index}, {}", HIDDEN / 4 - 1));
    // It lies behind the other variable of the kernel.
    w.line("mul.wide.u32 %x0, %y0, 4");
    format!("%x0+{DEPOT}")
}

/// Memory taken from the stack and given back.
pub fn stack(w: &mut Writer) {
    w.feature("stack");
    let (from, to) = (w.random.below(4), w.random.below(4));
    w.line("stacksave.u64 %x1");
    w.line("alloca.u64 %x0, 24, 8");
    w.line(format!("st.local.u64 [%x0+8], %d{from}"));
    w.line(format!("ld.local.u64 %d{to}, [%x0+8]"));
    w.line("stackrestore.u64 %x1");
}

/// A copy from the input to the thread's cell that is waited for.
pub fn copy(w: &mut Writer) {
    w.feature("asynchronous copy");
    let bytes = *w.random.pick(&[4, 8, 16]);
    let from = input(w, bytes, false);
    let to = cell(w, bytes);
    let size = if w.random.once_in(2) { format!(", {}", w.random.below(bytes + 1)) } else { String::new() };
    w.guarded(format!("cp.async.ca.shared.global [{to}], [{from}], {bytes}{size}"));
    w.line("cp.async.commit_group");
    let wait = *w.random.pick(&["cp.async.wait_all", "cp.async.wait_group 0"]);
    w.line(wait);
}

/// Tests and changes of the space of an address.
pub fn spaces(w: &mut Writer, place: &Place) {
    let p = w.random.below(4);
    let pointers: &[&str] =
        if place.in_function { &["%own", "%gdepot"] } else { &["%own", "%gcell", "%gdepot", "%in"] };
    let pointer = *w.random.pick(pointers);
    let space = *w.random.pick(&["global", "shared", "local", "const", "shared::cta", "param"]);
    w.guarded(format!("isspacep.{space} %p{p}, {pointer}"));
    let d = w.random.below(4);
    w.line("cvta.to.local.u64 %x0, %gdepot");
    w.guarded(format!("ld.local.u64 %d{d}, [%x0]"));
}
