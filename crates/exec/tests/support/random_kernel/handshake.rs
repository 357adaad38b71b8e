//! Barriers that not all threads come to alike: warps that hand their cells to others round by round, each of the two kinds in its own
//! loop, and barriers that only some threads of the block ever come to.

use super::forms::Family;
use super::memory;
use super::statements;
use super::threads::{barrier, others, through_cells};
use super::writer::{Lanes, Place, Writer};
use margay_isa::WARP;

/// Every other warp writes its cells, the others read any, and then it may write again.
pub fn handshake(w: &mut Writer, place: &Place) {
    let warps = w.traits.block.div_ceil(WARP);
    if warps < 2 || w.ended || w.barriers > 13 {
        return;
    }
    let Some(c) = w.counter() else { return };
    let by_objects = w.random.once_in(2);
    w.feature(if by_objects { "barrier objects" } else { "handshake" });
    let [full, empty, among] = match by_objects {
        true => [0, 1, w.barriers],
        false => [1, 2, 0].map(|k| w.barriers + k),
    };
    w.barriers += if by_objects { 1 } else { 3 };
    let exits = w.traits.exits;
    if by_objects {
        objects(w, "init", &format!(", {}", w.traits.block));
        // Objects wait for threads that have ended.
        w.traits.exits = false;
    }
    let [write, read, end] = [(); 3].map(|()| w.label());
    let (threads, readers) = (warps * WARP, warps / 2 * WARP);
    let u = w.random.below(2);
    w.line(format!("and.b32 %c{c}, %u{u}, 1"));
    let rounds = 1 + w.random.below(2);
    w.line(format!("add.u32 %c{c}, %c{c}, {rounds}"));
    w.line("and.b32 %y0, %t, 32");
    w.line("setp.ne.u32 %lp, %y0, 0");
    w.text.push_str("@%lp ");
    w.line(format!("bra L{read}"));

    let place = Place { whole: false, leave: None, lanes: Some(Lanes::All), ..*place };
    let reading = Place { writes_shared: false, ..place };
    w.put_label(write);
    through_cells(w, Family::Store, memory::cell);
    some(w, &place);
    meet(w, by_objects, (full, threads), "arrive");
    some(w, &reading);
    come(w, by_objects, (empty, threads), "sync");
    again(w, c, write);
    w.line(format!("bra L{end}"));

    w.put_label(read);
    some(w, &reading);
    come(w, by_objects, (full, threads), "sync");
    through_cells(w, Family::Load, others);
    if w.random.once_in(2) {
        w.line(format!("bar.sync {among}, {readers}"));
    }
    some(w, &reading);
    meet(w, by_objects, (empty, threads), "arrive");
    again(w, c, read);
    w.put_label(end);
    barrier(w);
    if by_objects {
        objects(w, "inval", "");
        w.traits.exits = exits;
    }
}

/// One thread makes or ends both barrier objects.
fn objects(w: &mut Writer, what: &str, count: &str) {
    let one = w.label();
    w.line("setp.ne.u32 %lp, %t, 0");
    w.text.push_str("@%lp ");
    w.line(format!("bra L{one}"));
    for at in [0, 8] {
        w.line(format!("mbarrier.{what}.shared.b64 [phases+{at}]{count}"));
    }
    w.put_label(one);
    barrier(w);
}

/// The first threads of the block meet at barriers that the others never come to: those go on, and end.
pub fn section(w: &mut Writer, place: &Place) {
    w.feature("section");
    let (end, some_threads) = (w.label(), 1 + w.random.below(w.traits.block));
    w.line(format!("setp.ge.u32 %lp, %t, {some_threads}"));
    w.text.push_str("@%lp ");
    w.line(format!("bra L{end}"));
    let place = Place { whole: false, leave: None, lanes: None, ..*place };
    through_cells(w, Family::Store, memory::cell);
    barrier(w);
    through_cells(w, Family::Load, others);
    if w.random.once_in(2) {
        barrier(w);
        some(w, &place);
    }
    w.put_label(end);
}

/// A barrier at which threads need not wait, but may.
fn meet(w: &mut Writer, by_objects: bool, barrier: (u32, usize), need: &str) {
    let how = if w.random.once_in(4) { "sync" } else { need };
    come(w, by_objects, barrier, how);
}

/// Threads arrive at a barrier of so many, and wait there if that is said.
fn come(w: &mut Writer, by_objects: bool, (id, threads): (u32, usize), how: &str) {
    if !by_objects {
        if w.random.once_in(3) {
            w.line(format!("mov.u32 %y3, {id}"));
            w.line(format!("bar.{how} %y3, {threads}"));
        } else {
            w.line(format!("bar.{how} {id}, {threads}"));
        }
        return;
    }
    let (space, place) = match w.random.below(3) {
        0 => {
            w.line("mov.u64 %x1, phases");
            w.line("cvta.shared.u64 %x1, %x1");
            ("", format!("[%x1+{}]", 8 * id))
        }
        1 => {
            w.line(format!("mov.u64 %x1, phases+{}", 8 * id));
            (".shared", "[%x1]".to_string())
        }
        _ => (".shared", format!("[phases+{}]", 8 * id)),
    };
    if how == "arrive" {
        return w.line(format!("mbarrier.arrive{space}.b64 _, {place}"));
    }
    w.line(format!("mbarrier.arrive{space}.b64 %x0, {place}"));
    let wait = w.label();
    w.put_label(wait);
    w.line(format!("mbarrier.try_wait{space}.b64 %lp, {place}, %x0"));
    w.text.push_str("@!%lp ");
    w.line(format!("bra L{wait}"));
    // How many had arrived before is a matter of order.
    w.line("mov.u64 %x0, %d0");
}

fn some(w: &mut Writer, place: &Place) {
    for _ in 0..w.random.below(3) {
        statements::statement(w, place);
    }
}

/// Another round, if the counter says so.
fn again(w: &mut Writer, c: u32, head: u32) {
    w.line(format!("sub.u32 %c{c}, %c{c}, 1"));
    w.line(format!("setp.ne.u32 %lp, %c{c}, 0"));
    w.text.push_str("@%lp ");
    w.line(format!("bra L{head}"));
}
