//! Control flow that differs from thread to thread: branches, loops, switches, tangles of labels, early ends. All of it ends:
//! every way back is counted.

use super::memory;
use super::statements::{self, statement};
use super::writer::{Lanes, Place, Writer};

/// So often a tangle goes back.
const FUEL: usize = 6;
/// Labels of a tangle.
const KNOTS: usize = 5;

/// Statements that stand deeper.
fn body(w: &mut Writer, place: &Place) {
    for _ in 0..1 + w.random.below(3) {
        statement(w, place);
    }
}

fn inside(place: &Place) -> Place {
    Place { depth: place.depth - 1, lanes: None, whole: false, ..*place }
}

pub fn any(w: &mut Writer, place: &Place) {
    match w.random.below(9) {
        0..=2 => branch(w, place),
        3..=5 => around(w, place),
        6 => switch(w, place),
        7 => tangle(w, place),
        _ => strided(w, place),
    }
}

/// If, perhaps else. Where it is known which lanes come here, the lanes that go in know each other too.
fn branch(w: &mut Writer, place: &Place) {
    let (other, end, p) = (w.label(), w.label(), w.random.below(4));
    let mut then = inside(place);
    if let Some(lanes) = place.lanes
        && let Some(m) = w.mask()
    {
        w.line(format!("vote.sync.ballot.b32 %m{m}, %p{p}, {}", lanes.text()));
        // Who leaves a loop would not come to the operations of those that stay.
        then = Place { lanes: Some(Lanes::Of(m)), leave: None, ..then };
    }
    w.text.push_str(&format!("@!%p{p} "));
    w.line(format!("bra L{other}"));
    body(w, &then);
    if w.random.once_in(2) {
        w.feature("if else");
        w.line(format!("bra L{end}"));
        w.put_label(other);
        body(w, &inside(place));
        w.put_label(end);
    } else {
        w.feature("if");
        w.put_label(other);
    }
}

/// A loop whose threads count differently; now and then with a second way in.
fn around(w: &mut Writer, place: &Place) {
    let Some(c) = w.counter() else { return };
    let [head, middle, next, end] = std::array::from_fn(|_| w.label());
    let first = w.random.once_in(2);
    let second_entry = w.random.once_in(5);
    let word = w.word();
    w.feature(if place.leave.is_some() { "nested loop" } else { "loop" });
    w.line(format!("and.b32 %c{c}, {word}, 3"));
    if second_entry {
        w.feature("irreducible loop");
        let guard = w.guard();
        w.text.push_str(&guard);
        w.line(format!("bra L{middle}"));
    }
    w.put_label(head);
    if first {
        w.line(format!("setp.le.s32 %lp, %c{c}, 0"));
        w.text.push_str("@%lp ");
        w.line(format!("bra L{end}"));
    }
    let inner = Place { leave: Some((next, end)), ..inside(place) };
    body(w, &inner);
    w.put_label(middle);
    if second_entry || w.random.once_in(2) {
        body(w, &inner);
    }
    w.put_label(next);
    w.line(format!("sub.u32 %c{c}, %c{c}, 1"));
    if first {
        w.line(format!("bra L{head}"));
    } else {
        w.line(format!("setp.gt.s32 %lp, %c{c}, 0"));
        w.text.push_str("@%lp ");
        w.line(format!("bra L{head}"));
    }
    w.put_label(end);
}

/// A loop over elements of the input, from a thread's place on at a distance that is the same for all; perhaps backwards, and with a store.
pub fn strided(w: &mut Writer, place: &Place) {
    let Some(c) = w.counter() else { return };
    w.feature("strided loop");
    let (head, word) = (w.label(), w.word());
    let start = *w.random.pick(&["%t", "%gid", "%tid.x", "%laneid", "0"]);
    let step = *w.random.pick(&[16, 32, 61, 64, 128, 200]);
    let end = *w.random.pick(&[200, 512, 777, 1000]);
    let falls = w.random.once_in(3);
    // Turns may be counted apart, the same in all threads.
    let turns = if !falls && step < 100 && w.random.once_in(2) { w.counter() } else { None };
    if let Some(turns) = turns {
        w.feature("counted turns");
        let count = 1 + w.random.below(9);
        w.line(format!("mov.u32 %c{turns}, {count}"));
    }
    w.line(format!("mov.u32 %c{c}, {start}"));
    w.line(format!("and.b32 %c{c}, %c{c}, 127"));
    if falls {
        w.line(format!("sub.u32 %c{c}, {end}, %c{c}"));
    }
    // The address may be made a turn ahead.
    let (ahead, address) = (w.random.once_in(3), format!("mad.wide.u32 %x1, %c{c}, 4, %in"));
    if ahead {
        w.line(&address);
    }
    w.put_label(head);
    let store = w.random.once_in(3).then(|| memory::own(w, 4, place));
    if !ahead {
        w.line(&address);
    }
    for _ in 0..1 + w.random.below(2) {
        let at = 4 * w.random.below(8);
        w.line(format!("ld.global.u32 %y1, [%x1+{at}]"));
        let op = *w.random.pick(&["add.u32", "xor.b32", "max.s32"]);
        w.line(format!("{op} {word}, {word}, %y1"));
    }
    if let Some(address) = store {
        w.line(format!("st.global.u32 [{address}], {word}"));
    }
    let again = |w: &mut Writer| {
        if ahead {
            w.line(&address);
        }
    };
    if falls {
        w.line(format!("sub.u32 %c{c}, %c{c}, {step}"));
        again(w);
        w.line(format!("setp.ge.s32 %lp, %c{c}, 0"));
    } else if let Some(turns) = turns {
        w.line(format!("add.u32 %c{c}, %c{c}, {step}"));
        again(w);
        w.line(format!("add.s32 %c{turns}, %c{turns}, -1"));
        w.line(format!("setp.ne.s32 %lp, %c{turns}, 0"));
    } else {
        w.line(format!("add.u32 %c{c}, %c{c}, {step}"));
        again(w);
        let less = *w.random.pick(&["lt.u32", "lt.s32", "le.u32"]);
        w.line(format!("setp.{less} %lp, %c{c}, {end}"));
    }
    w.text.push_str("@%lp ");
    w.line(format!("bra L{head}"));
}

/// A loop that all threads take equally often, with words that all of them read, words of their own, and values that one turn leaves
/// for the next.
pub fn turning(w: &mut Writer, place: &Place) {
    let (Some(c), Some(sum)) = (w.counter(), w.counter()) else { return };
    w.feature("turning loop");
    let [head, end] = std::array::from_fn(|_| w.label());
    let turns = 2 + w.random.below(20);
    // What moves on from turn to turn stays in the input.
    let (stride, falls) = (4 * w.random.below(9), w.random.once_in(3));
    w.line(format!("mov.u32 %c{c}, 0"));
    let first = w.random.below(1000);
    w.line(format!("mov.u32 %c{sum}, {first}"));
    w.line(format!("add.u64 %x1, %in, {}", 16 + if falls { stride * turns } else { 0 }));
    w.line("and.b32 %y1, %t, 127");
    w.line("mad.wide.u32 %x2, %y1, 4, %x1");
    w.put_label(head);
    for _ in 0..2 + w.random.below(5) {
        let (word, other) = (w.word(), w.word());
        let at = 4 * w.random.below(4);
        match w.random.below(13) {
            0 | 1 => {
                w.line(format!("ld.global.u32 %y2, [%x1+{at}]"));
                w.line(format!("xor.b32 {word}, {word}, %y2"));
            }
            2 => {
                w.line(format!("ld.global.u32 %y2, [%x1+-{at}]"));
                w.line(format!("mad.lo.u32 {word}, {word}, {other}, %y2"));
                w.line(format!("add.u32 %c{sum}, %c{sum}, %y2"));
            }
            3 | 4 => {
                w.line(format!("ld.global.u32 %y2, [%x2+{at}]"));
                w.line(format!("sub.u32 {word}, %y2, {other}"));
            }
            5 => w.line(format!("mad.lo.u32 {word}, {other}, 5, %c{c}")),
            6 => {
                w.line(format!("sub.u32 %y2, %gid, %c{c}"));
                w.line(format!("min.s32 {word}, {word}, %y2"));
            }
            7 => {
                w.line(format!("mov.u32 %y2, {word}"));
                w.line(format!("mov.u32 {word}, {other}"));
                w.line(format!("mov.u32 {other}, %y2"));
            }
            8 => w.line(format!("add.u32 {word}, {word}, %c{sum}")),
            11 => {
                // What a word was a turn ago, and what it will be.
                let next = w.word();
                w.line(format!("mov.u32 {word}, {other}"));
                w.line(format!("mov.u32 {other}, {next}"));
            }
            9 => w.guarded(format!("add.u32 {word}, {word}, {other}")),
            10 => {
                let (byte, p) = (w.random.below(8), w.random.below(4));
                w.line(format!("ld.global.u8 %y2, [%x1+{byte}]"));
                w.line(format!("setp.lt.u32 %p{p}, {word}, %y2"));
            }
            _ => statements::compute(w),
        }
    }
    let (step, op) = (w.random.below(2) + 1, if falls { "sub" } else { "add" });
    w.line(format!("{op}.u64 %x1, %x1, {stride}"));
    w.line(format!("{op}.u64 %x2, %x2, {stride}"));
    w.line(format!("add.u32 %c{c}, %c{c}, {step}"));
    let last = step * turns;
    if w.random.once_in(2) {
        w.line(format!("setp.lt.u32 %lp, %c{c}, {last}"));
        w.text.push_str("@%lp ");
        w.line(format!("bra L{head}"));
    } else {
        w.line(format!("setp.eq.u32 %lp, %c{c}, {last}"));
        w.text.push_str("@%lp ");
        w.line(format!("bra L{end}"));
        w.line(format!("bra L{head}"));
    }
    w.put_label(end);
    if place.whole && w.random.once_in(3) {
        w.line(format!("add.u32 %r1, %r1, %c{sum}"));
    }
}

/// Goes on with the loop's next round, or behind it.
pub fn leave(w: &mut Writer, (next, end): (u32, u32)) {
    let (name, to) = *w.random.pick(&[("continue", next), ("break", end)]);
    w.feature(name);
    let guard = w.guard();
    w.text.push_str(&guard);
    w.line(format!("bra L{to}"));
}

/// A branch by number to one of several bodies.
fn switch(w: &mut Writer, place: &Place) {
    w.feature("branch by index");
    let (list, end) = (w.label(), w.label());
    let labels: Vec<u32> = (0..4).map(|_| w.label()).collect();
    let word = w.word();
    let names: Vec<String> = labels.iter().map(|label| format!("L{label}")).collect();
    w.line(format!("L{list}: .branchtargets {}", names.join(", ")));
    w.line(format!("and.b32 %y0, {word}, 3"));
    w.guarded(format!("brx.idx %y0, L{list}"));
    for label in labels {
        w.put_label(label);
        statement(w, &inside(place));
        if w.random.once_in(2) {
            w.line(format!("bra L{end}"));
        }
    }
    w.put_label(end);
}

/// Labels with branches among them, forward as they like, back as long as the fuel lasts.
fn tangle(w: &mut Writer, place: &Place) {
    let Some(c) = w.counter() else { return };
    w.feature("tangle");
    let labels: Vec<u32> = (0..=KNOTS).map(|_| w.label()).collect();
    w.line(format!("mov.u32 %c{c}, {FUEL}"));
    if w.random.once_in(2) {
        let guard = w.guard();
        w.text.push_str(&guard);
        w.line(format!("bra L{}", labels[2]));
    }
    // Nothing in it may be a loop of its own: each would be gone through several times more.
    let inner = Place { depth: 0, lanes: None, whole: false, ..*place };
    for k in 0..KNOTS {
        w.put_label(labels[k]);
        for _ in 0..1 + w.random.below(2) {
            statements::plain(w, &inner);
        }
        let ahead = k + 1 + w.random.below(KNOTS - k);
        match w.random.below(4) {
            0 => {
                let guard = w.guard();
                w.text.push_str(&guard);
                w.line(format!("bra L{}", labels[ahead]));
            }
            1 => {
                w.feature("branch by index");
                let (list, word) = (w.label(), w.word());
                let other = labels[k + 1 + w.random.below(KNOTS - k)];
                w.line(format!("L{list}: .branchtargets L{}, L{other}", labels[ahead]));
                w.line(format!("and.b32 %y0, {word}, 1"));
                w.line(format!("brx.idx %y0, L{list}"));
            }
            _ => {
                let (back, p) = (labels[w.random.below(k + 1)], w.random.below(4));
                w.line(format!("sub.u32 %c{c}, %c{c}, 1"));
                w.line(format!("setp.gt.and.s32 %lp, %c{c}, 0, %p{p}"));
                w.text.push_str("@%lp ");
                w.line(format!("bra L{back}"));
            }
        }
    }
    w.put_label(labels[KNOTS]);
}

/// Threads for which a predicate holds end here, and leave a register as their digest.
pub fn end(w: &mut Writer, place: &Place) {
    let (guard, d) = (w.guard(), w.random.below(4));
    if place.in_function {
        w.feature("early return");
        w.text.push_str(&guard);
        w.line(format!("st.param.b64 [result], %d{d}"));
        w.text.push_str(&guard);
        w.line("ret");
        return;
    }
    w.feature("early end");
    w.ended = true;
    let end = *w.random.pick(&["ret", "exit"]);
    w.text.push_str(&guard);
    w.line(format!("st.global.u64 [%out], %d{d}"));
    w.text.push_str(&guard);
    w.line(end);
}
