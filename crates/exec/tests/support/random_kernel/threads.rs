//! Threads together: barriers, exchanges between them, loops that all threads of a block go through alike, warps.

use super::forms::{self, Family, Given};
use super::memory::{self, CELL};
use super::statements::{self, statement};
use super::writer::{Lanes, Place, Writer};
use margay_isa::{Inst, Slot, WARP, Word};

/// A barrier of the whole block, in one of its forms.
pub fn barrier(w: &mut Writer) {
    w.feature("barrier");
    let rounded = w.traits.block.next_multiple_of(WARP);
    let (r, p, q) = (w.random.below(8), w.random.below(4), w.random.below(4));
    let not = ["", "!"][w.random.below(2)];
    let text = match w.random.below(9) {
        0 => "barrier.sync 0".into(),
        1 => "bar.cta.sync 1".into(),
        2 => format!("barrier.sync.aligned 1, {rounded}"),
        3 => format!("bar.red.popc.u32 %r{r}, 0, {not}%p{p}"),
        4 => format!("bar.red.and.pred %p{q}, 0, {not}%p{p}"),
        5 => format!("barrier.cta.red.or.pred %p{q}, 1, {rounded}, {not}%p{p}"),
        _ => "bar.sync 0".into(),
    };
    w.line(text);
}

/// Every thread writes its cell; behind a barrier all read what others wrote; behind another they may write again.
pub fn exchange(w: &mut Writer, place: &Place) {
    w.feature("exchange");
    for _ in 0..1 + w.random.below(2) {
        through_cells(w, Family::Store, memory::cell);
    }
    barrier(w);
    let reading = Place { writes_shared: false, whole: false, ..*place };
    for _ in 0..1 + w.random.below(3) {
        through_cells(w, Family::Load, others);
        if w.random.once_in(3) {
            statement(w, &reading);
        }
    }
    barrier(w);
}

pub fn through_cells(w: &mut Writer, family: Family, address: impl Fn(&mut Writer, usize) -> String) {
    let drawn = forms::draw(&mut w.random, family, |inst: &Inst| {
        matches!(inst[Slot::Space], Word::Shared | Word::SharedCta)
    });
    let Some(inst) = drawn else { return };
    let address = address(w, forms::bytes(&inst));
    if let Some(text) =
        forms::statement(&mut w.random, &inst, Given { address: &address, ..Given::default() })
    {
        w.guarded(text);
    }
}

/// The cell of some thread.
pub fn others(w: &mut Writer, bytes: usize) -> String {
    let block = w.traits.block;
    match w.random.below(4) {
        0 => {
            let other = w.random.below(block);
            w.line(format!("mov.u32 %y0, {other}"));
        }
        1 => w.line(format!("sub.u32 %y0, {}, %t", block - 1)),
        2 => {
            let shift = w.random.below(block);
            w.line(format!("add.u32 %y0, %t, {shift}"));
            w.line(format!("rem.u32 %y0, %y0, {block}"));
        }
        _ => {
            let from = w.word();
            w.line(format!("rem.u32 %y0, {from}, {block}"));
        }
    }
    w.line("mov.u32 %y1, cells");
    w.line(format!("mad.lo.u32 %y0, %y0, {CELL}, %y1"));
    format!("%y0+{}", w.random.below(CELL / bytes) * bytes)
}

/// A loop that all threads of the block go through alike.
pub fn uniform_loop(w: &mut Writer, place: &Place) {
    let Some(c) = w.counter() else { return };
    w.feature("uniform loop");
    let (head, end, u) = (w.label(), w.label(), w.random.below(2));
    w.line(format!("and.b32 %c{c}, %u{u}, 1"));
    w.line(format!("add.u32 %c{c}, %c{c}, 1"));
    w.put_label(head);
    let inside = Place { depth: place.depth - 1, ..*place };
    for k in 0..2 + w.random.below(2) {
        if k == 1 && w.random.once_in(4) {
            w.feature("uniform break");
            w.line(format!("setp.eq.u32 %lp, %c{c}, %u{}", 1 - u));
            w.text.push_str("@%lp ");
            w.line(format!("bra.uni L{end}"));
        }
        statements::whole(w, &inside);
    }
    w.line(format!("sub.u32 %c{c}, %c{c}, 1"));
    w.line(format!("setp.ne.u32 %lp, %c{c}, 0"));
    w.text.push_str("@%lp ");
    w.line(format!("bra.uni L{head}"));
    w.put_label(end);
}

/// An instruction that lanes of a warp carry out together.
pub fn warp(w: &mut Writer, lanes: Lanes) {
    let mask = lanes.text();
    let text = forms::draw(&mut w.random, Family::Together, |_| true)
        .and_then(|inst| forms::statement(&mut w.random, &inst, Given { mask: &mask, ..Given::default() }));
    if let Some(text) = text {
        w.feature(if matches!(lanes, Lanes::All) {
            "warp operation"
        } else {
            "warp operation of some lanes"
        });
        w.line(text);
    }
}

/// What lanes of warps make of a value that they exchange again and again, by amounts that are known.
pub fn chain(w: &mut Writer) {
    w.feature("chain of exchanges");
    let value = w.word();
    for _ in 0..2 + w.random.below(4) {
        let mode = *w.random.pick(&["bfly", "bfly", "down", "up", "idx"]);
        let by = *w.random.pick(&[1, 2, 4, 8, 16, 3, 17, 31]);
        let clamp = match mode {
            "up" => *w.random.pick(&[0, 0, 0x1800]),
            _ => *w.random.pick(&[31, 31, 31, 0x181f, 15]),
        };
        let in_range = *w.random.pick(&["", "", "|%p0"]);
        w.line(format!("shfl.sync.{mode}.b32 %y0{in_range}, {value}, {by}, {clamp}, -1"));
        let op = *w.random.pick(&["add.s32", "max.u32", "xor.b32", "min.s32"]);
        w.line(format!("{op} {value}, {value}, %y0"));
        if w.random.once_in(3) {
            statements::compute(w);
        }
    }
}

/// Low bits of a thread's place, or those above them, as kernels that divide a block among warps or tiles take them; as a number or as
/// the index of an element.
pub fn parts(w: &mut Writer) {
    w.feature("parts of places");
    let k = *w.random.pick(&[1, 3, 4, 5, 5, 5, 6, 7, 8]);
    let (low, width) = ((1u32 << k) - 1, 32 - k);
    let place = *w.random.pick(&["%t", "%tid.x", "%gid", "%laneid"]);
    w.line(format!("mov.u32 %y0, {place}"));
    let other = *w.random.pick(&["%t", "%gid", "%u0"]);
    let lines = match w.random.below(8) {
        0 => vec![format!("and.b32 %y0, %y0, {low}")],
        1 => vec![format!("shr.u32 %y0, %y0, {k}")],
        2 => vec![format!("and.b32 %y0, %y0, {}", !low)],
        3 => vec![format!("bfe.u32 %y0, %y0, {k}, 2")],
        4 => vec![format!("shr.u32 %y0, %y0, 3"), format!("and.b32 %y0, %y0, {}", low << 2)],
        // The quotient and the remainder of numbers that have signs.
        5 => vec![
            "shr.s32 %y1, %y0, 31".into(),
            format!("shr.u32 %y1, %y1, {width}"),
            "add.s32 %y1, %y0, %y1".into(),
            format!("and.b32 %y2, %y1, {}", !low),
            "sub.s32 %y0, %y0, %y2".into(),
            format!("shr.s32 %y1, %y1, {k}"),
            "mad.lo.s32 %y0, %y1, 12, %y0".into(),
        ],
        6 => vec![
            format!("and.b32 %y0, %y0, {low}"),
            format!("shl.b32 %y1, {other}, {k}"),
            "or.b32 %y0, %y1, %y0".into(),
        ],
        _ => vec![format!("and.b32 %y0, %y0, {low}"), format!("bfi.b32 %y0, {other}, %y0, {k}, {width}")],
    };
    lines.into_iter().for_each(|line| w.line(line));
    let r = w.random.below(8);
    if w.random.once_in(2) {
        return w.guarded(format!("mov.u32 %r{r}, %y0"));
    }
    w.line("and.b32 %y0, %y0, 255");
    w.line("mad.wide.u32 %x0, %y0, 4, %in");
    w.guarded(format!("ld.global.u32 %r{r}, [%x0]"));
}

/// Every lane finds itself among the active ones; who else is there, PTX does not say.
pub fn active(w: &mut Writer) {
    let r = w.random.below(8);
    w.line("activemask.b32 %y0");
    w.line("mov.u32 %y1, %lanemask_eq");
    w.line(format!("and.b32 %r{r}, %y0, %y1"));
}

/// Some warps go on at a barrier at which the others wait for them.
pub fn arrive(w: &mut Writer) {
    let warps = w.traits.block.div_ceil(WARP);
    if warps < 2 || w.ended || w.barriers > 15 {
        return;
    }
    w.feature("arrive");
    let (id, wait, end) = (w.barriers, w.label(), w.label());
    w.barriers += 1;
    w.line("and.b32 %y0, %t, 32");
    w.line("setp.eq.u32 %lp, %y0, 0");
    w.text.push_str("@%lp ");
    w.line(format!("bra L{wait}"));
    w.line(format!("bar.arrive {id}, {}", warps * WARP));
    w.line(format!("bra L{end}"));
    w.put_label(wait);
    w.line(format!("bar.sync {id}, {}", warps * WARP));
    w.put_label(end);
}
