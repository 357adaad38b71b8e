//! Words that threads hand to each other between barriers: each thread writes a word of its own, in shared or in global memory, and
//! after a barrier reads those of neighbours, again and again, in place or from one row to another.
//!
//! Between two barriers a word is written by one thread alone or read by many, so that every order gives the same.

use super::memory::{CELL, PLANES};
use super::statements;
use super::writer::{Place, Writer};

/// Where threads' words lie, `stride` bytes apart.
#[derive(Clone, Copy)]
struct Row {
    space: &'static str,
    /// The register with the address of the first thread's word.
    base: &'static str,
    stride: usize,
}

/// Puts the address of a row's first word in a register.
fn row(w: &mut Writer, shared: bool) -> Row {
    let dense = w.random.once_in(2);
    if shared {
        w.line("mov.u32 %srow, cells");
        let stride = if dense { 4 } else { CELL };
        return Row { space: "shared", base: "%srow", stride };
    }
    // The planes' cells of a block follow each other.
    let plane = w.random.below(PLANES) * w.traits.threads * CELL;
    w.line(format!("mul.wide.u32 %row, %t, {CELL}"));
    w.line("sub.u64 %row, %plane, %row");
    w.line(format!("add.u64 %row, %row, {plane}"));
    Row { space: "global", base: "%row", stride: if dense { 4 } else { CELL } }
}

impl Row {
    /// The address of the word of a thread whose number is in a register or an immediate.
    fn of(self, w: &mut Writer, thread: &str) -> &'static str {
        let Row { base, stride, .. } = self;
        if self.space == "shared" {
            w.line(format!("mad.lo.u32 %y2, {thread}, {stride}, {base}"));
            return "%y2";
        }
        w.line(format!("mad.wide.u32 %x2, {thread}, {stride}, {base}"));
        "%x2"
    }

    fn put(self, w: &mut Writer, thread: &str, value: &str) {
        let address = self.of(w, thread);
        let volatile = if !w.traits.weak && w.random.once_in(8) { ".volatile" } else { "" };
        w.line(format!("st{volatile}.{}.u32 [{address}], {value}", self.space));
    }

    /// The same, perhaps a word or more after the thread's own.
    fn put_on(self, w: &mut Writer, value: &str) {
        let on = if self.stride == 4 { 4 * w.random.below(3) } else { 0 };
        let address = self.of(w, "%t");
        w.line(format!("st.{}.u32 [{address}+{on}], {value}", self.space));
    }

    fn get(self, w: &mut Writer, thread: &str, to: &str) {
        let address = self.of(w, thread);
        let volatile = if !w.traits.weak && w.random.once_in(8) { ".volatile" } else { "" };
        // Now and then a part of the word.
        let ty = *w.random.pick(&["u32", "u32", "u32", "s16", "u8"]);
        match ty {
            "u32" => w.line(format!("ld{volatile}.{}.u32 {to}, [{address}]", self.space)),
            "s16" => w.line(format!("ld{volatile}.{}.s16 {to}, [{address}+2]", self.space)),
            _ => w.line(format!("ld{volatile}.{}.u8 {to}, [{address}+3]", self.space)),
        }
    }
}

/// Puts another thread's number in `%y0`, or one that is a little too large where there is room.
fn neighbour(w: &mut Writer, row: Row) {
    let block = w.traits.block;
    let by = 1 + w.random.below(block.min(33));
    match w.random.below(10) {
        // Dense rows take a fourth of the cells. Only such addresses grow evenly from thread to thread.
        5.. if row.stride == 4 => w.line(format!("add.u32 %y0, %t, {}", by.min(3 * block - 3))),
        0 => w.line(format!("sub.u32 %y0, {}, %t", block - 1)),
        1 if block.is_power_of_two() => w.line(format!("xor.b32 %y0, %t, {}", by % block)),
        2 => {
            let other = w.random.below(block);
            w.line(format!("mov.u32 %y0, {other}"));
        }
        // The last ones see their own end of the row.
        3 => {
            w.line(format!("add.u32 %y0, %t, {by}"));
            w.line(format!("min.u32 %y0, %y0, {}", block - 1));
        }
        _ => {
            w.line(format!("add.u32 %y0, %t, {by}"));
            w.line(format!("rem.u32 %y0, %y0, {block}"));
        }
    }
}

/// A little that threads do alone, so that what lies around it is one stretch of operations or several.
fn alone(w: &mut Writer, value: &str) {
    match w.random.below(5) {
        0 => statements::compute(w),
        1 => {
            let other = w.word();
            w.line(format!("mad.lo.u32 {value}, {value}, 3, {other}"));
        }
        2 => w.guarded(format!("add.u32 {value}, {value}, %gid")),
        _ => {}
    }
}

/// One of the ways in which threads hand on words; all threads of the block come here.
pub fn phases(w: &mut Writer, place: &Place) {
    let shared = w.random.once_in(2);
    match w.random.below(4) {
        0 => tree(w, shared),
        1 => scan(w, shared),
        2 => moved(w, shared, place),
        _ => mixed(w, shared, place),
    }
}

/// Words that move on by some places, in place, turn by turn.
fn moved(w: &mut Writer, shared: bool, place: &Place) {
    let Some(c) = w.counter() else { return };
    w.feature("words moved in place");
    let (row, head, value) = (row(w, shared), w.label(), w.word());
    let other = w.word();
    wait(w);
    row.put(w, "%t", &value);
    wait(w);
    let loops = place.depth > 0 && w.random.once_in(2);
    let turns = 1 + w.random.below(4);
    w.line(format!("mov.u32 %c{c}, {turns}"));
    if loops {
        w.put_label(head);
    }
    for _ in 0..1 + w.random.below(2) {
        neighbour(w, row);
        row.get(w, "%y0", &value);
        alone(w, &value);
        wait(w);
        alone(w, &value);
        w.line(format!("mad.lo.u32 {value}, {value}, 5, {other}"));
        row.put_on(w, &value);
        wait(w);
    }
    if loops {
        w.line(format!("sub.u32 %c{c}, %c{c}, 1"));
        w.line(format!("setp.ne.u32 %lp, %c{c}, 0"));
        w.text.push_str("@%lp ");
        w.line(format!("bra.uni L{head}"));
    }
    wait(w);
}

/// The barriers that most kernels have.
fn wait(w: &mut Writer) {
    let text = *w.random.pick(&["bar.sync 0", "bar.sync 0", "bar.sync 1", "barrier.sync 0"]);
    w.line(text);
}

/// Half of the threads add the words of the other half, and so on.
fn tree(w: &mut Writer, shared: bool) {
    let Some(c) = w.counter() else { return };
    w.feature("tree of words");
    let (row, value) = (row(w, shared), w.word());
    let [head, past] = std::array::from_fn(|_| w.label());
    wait(w);
    row.put(w, "%t", &value);
    let block = w.traits.block;
    let half = block.next_power_of_two() / 2;
    w.line(format!("mov.u32 %c{c}, {half}"));
    w.put_label(head);
    wait(w);
    w.line(format!("add.u32 %y0, %t, %c{c}"));
    w.line(format!("setp.ge.u32 %lp, %t, %c{c}"));
    w.text.push_str("@%lp ");
    w.line(format!("bra L{past}"));
    w.line(format!("setp.ge.u32 %lp, %y0, {block}"));
    w.text.push_str("@%lp ");
    w.line(format!("bra L{past}"));
    row.get(w, "%y0", "%v0");
    row.get(w, "%t", "%v1");
    let op = *w.random.pick(&["add.u32", "xor.b32", "sub.u32", "max.s32"]);
    w.line(format!("{op} %v0, %v1, %v0"));
    row.put(w, "%t", "%v0");
    w.put_label(past);
    w.line(format!("shr.u32 %c{c}, %c{c}, 1"));
    w.line(format!("setp.ne.u32 %lp, %c{c}, 0"));
    w.text.push_str("@%lp ");
    w.line(format!("bra.uni L{head}"));
    wait(w);
    row.get(w, "0", &value);
    wait(w);
}

/// Every thread adds the words before it, at distances that double.
fn scan(w: &mut Writer, shared: bool) {
    let Some(c) = w.counter() else { return };
    w.feature("scan of words");
    let (row, value, head) = (row(w, shared), w.word(), w.label());
    wait(w);
    row.put(w, "%t", &value);
    wait(w);
    w.line(format!("mov.u32 %c{c}, 1"));
    w.put_label(head);
    w.line(format!("sub.u32 %y0, %t, %c{c}"));
    w.line("max.s32 %y0, %y0, 0");
    row.get(w, "%y0", "%v0");
    w.line(format!("setp.ge.u32 %lp, %t, %c{c}"));
    wait(w);
    w.text.push_str("@%lp ");
    w.line(format!("add.u32 {value}, {value}, %v0"));
    row.put(w, "%t", &value);
    wait(w);
    w.line(format!("shl.b32 %c{c}, %c{c}, 1"));
    w.line(format!("setp.lt.u32 %lp, %c{c}, {}", w.traits.block));
    w.text.push_str("@%lp ");
    w.line(format!("bra.uni L{head}"));
    wait(w);
}

/// Words read before a barrier, and again after it when others have written them, beside shared memory and what threads do alone.
fn mixed(w: &mut Writer, shared: bool, place: &Place) {
    w.feature("words read before and after");
    let (row, value) = (row(w, shared), w.word());
    let last = w.word();
    wait(w);
    row.put(w, "%t", &value);
    wait(w);
    for _ in 0..1 + w.random.below(3) {
        neighbour(w, row);
        row.get(w, "%y0", "%v0");
        if w.random.once_in(2) {
            neighbour(w, row);
            row.get(w, "%y0", "%v1");
            w.line("xor.b32 %v0, %v0, %v1");
        }
        // What an operation may write to memory by itself, where others have read.
        w.line(format!("mad.lo.u32 %v2, %v0, 7, {value}"));
        wait(w);
        // What threads do alone may write their cells in global memory, which others read here.
        if shared && w.random.once_in(3) {
            let inside = Place { depth: 0, whole: false, lanes: None, writes_shared: false, ..*place };
            statements::plain(w, &inside);
            return finish(w, row, &last);
        }
        row.put_on(w, "%v2");
        wait(w);
        w.line(format!("add.u32 {last}, {last}, %v0"));
    }
    finish(w, row, &last);
}

fn finish(w: &mut Writer, row: Row, last: &str) {
    neighbour(w, row);
    row.get(w, "%y0", last);
    wait(w);
}
