//! Which statement comes next.

use super::forms::{self, Family, Given};
use super::writer::{Lanes, Place, Writer};
use super::{atomics, control, functions, memory, phases, prints, threads};
use margay_isa::Slot;

/// Something that all threads of the block come to.
pub fn whole(w: &mut Writer, place: &Place) {
    let whole = Place { whole: true, lanes: Some(Lanes::All), ..*place };
    match w.random.below(11) {
        10 => phases::phases(w, &whole),
        0 | 1 => threads::exchange(w, &whole),
        2 if place.depth > 1 => threads::uniform_loop(w, &whole),
        3 => threads::warp(w, Lanes::All),
        5 if place.depth > 0 => control::strided(w, &whole),
        4 => threads::barrier(w),
        6 | 7 if place.depth > 0 && w.random.once_in(2) => control::turning(w, &whole),
        _ => statement(w, &whole),
    }
}

/// Any statement that may stand here.
pub fn statement(w: &mut Writer, place: &Place) {
    if place.depth > 0 && w.random.once_in(4) {
        return control::any(w, place);
    }
    if let Some(lanes) = place.lanes
        && w.random.once_in(4)
    {
        return threads::warp(w, lanes);
    }
    plain(w, place);
}

/// A statement without control of its own around others.
pub fn plain(w: &mut Writer, place: &Place) {
    match w.random.below(28) {
        0..=2 => memory::load(w, place),
        3..=5 => memory::store(w, place),
        6 => carry(w),
        7 => atomics::sum(w, place),
        8 => atomics::private(w, place),
        9 => idle(w),
        10 => memory::spaces(w, place),
        11 => memory::stack(w),
        12 if place.writes_shared && !place.in_function => match w.random.once_in(2) {
            true => memory::copy(w),
            false => memory::tile(w),
        },
        13 if w.traits.exits && w.random.once_in(2) => control::end(w, place),
        14 if w.functions > 0 => functions::call(w, place),
        15 | 16 => match place.leave {
            Some(labels) => control::leave(w, labels),
            None => compute(w),
        },
        17 if matches!(place.lanes, Some(Lanes::All)) && place.whole => threads::active(w),
        18 | 19 => memory::neighbours(w, place),
        20 | 21 if !place.in_function => threads::parts(w),
        24 if w.traits.prints => prints::print(w),
        22 | 23 if matches!(place.lanes, Some(Lanes::All)) => threads::chain(w),
        _ => (0..3).for_each(|_| compute(w)),
    }
}

/// Any form that computes.
pub fn compute(w: &mut Writer) {
    let text = forms::draw(&mut w.random, Family::Compute, |_| true)
        .and_then(|inst| forms::statement(&mut w.random, &inst, Given::default()));
    if let Some(text) = text {
        w.guarded(text);
    }
}

/// A chain that begins with a carry out and takes it on.
fn carry(w: &mut Writer) {
    w.feature("carry chain");
    for k in 0..2 + w.random.below(3) {
        let drawn = forms::draw(&mut w.random, Family::Carry, |inst| {
            k > 0 || inst.has(Slot::Cc) && !inst.reads_carry()
        });
        let text = drawn.and_then(|inst| forms::statement(&mut w.random, &inst, Given::default()));
        match text {
            Some(text) if k == 0 => w.line(text),
            Some(text) => w.guarded(text),
            None if k == 0 => return,
            None => {}
        }
    }
}

/// What changes no result.
fn idle(w: &mut Writer) {
    let lines = [
        "membar.cta",
        "membar.gl",
        "fence.acq_rel.gpu",
        "fence.sc.cta",
        "fence.proxy.async",
        "prefetch.global.L1 [%own]",
        "prefetch.global.L2::evict_last [%in]",
        "prefetchu.L1 [%in]",
        "nanosleep.u32 3",
        "pmevent 3",
        "griddepcontrol.wait",
        "griddepcontrol.launch_dependents",
    ];
    let line = *w.random.pick(&lines);
    w.guarded(line);
}
