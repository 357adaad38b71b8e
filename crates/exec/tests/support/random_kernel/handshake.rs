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
    w.feature("handshake");
    let [full, empty, among] = [0, 1, 2].map(|k| w.barriers + k);
    w.barriers += 3;
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
    meet(w, full, threads, "arrive");
    some(w, &reading);
    w.line(format!("bar.sync {empty}, {threads}"));
    again(w, c, write);
    w.line(format!("bra L{end}"));

    w.put_label(read);
    some(w, &reading);
    w.line(format!("bar.sync {full}, {threads}"));
    through_cells(w, Family::Load, others);
    if w.random.once_in(2) {
        w.line(format!("bar.sync {among}, {readers}"));
    }
    some(w, &reading);
    meet(w, empty, threads, "arrive");
    again(w, c, read);
    w.put_label(end);
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
fn meet(w: &mut Writer, id: u32, threads: usize, need: &str) {
    let how = if w.random.once_in(4) { "sync" } else { need };
    match w.random.once_in(3) {
        true => {
            w.line(format!("mov.u32 %y3, {id}"));
            w.line(format!("bar.{how} %y3, {threads}"));
        }
        false => w.line(format!("bar.{how} {id}, {threads}")),
    }
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
