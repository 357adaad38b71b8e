//! What passes between functions, as instructions: values to and from registers and parameter memory, and frames that begin as 0.

use crate::code::{Action, Copy, Guard, Op, Source, Spot, Strength, Target, Transfer};
use margay_front::module::Space;
use margay_isa::Bits;

/// Bytes that are passed at most.
const MOST: u64 = 512;
/// Bytes that one store clears at most.
pub(super) const CLEARED: u64 = 256;

/// Whether a value can be passed by instructions.
pub(super) fn fits(from: &Spot, to: &Spot) -> bool {
    match (from, to) {
        (Spot::Nothing, _) | (_, Spot::Nothing) => true,
        (Spot::Memory { bytes, .. }, Spot::Memory { bytes: most, .. }) => {
            *bytes.min(most) > 0 && *bytes.min(most) <= MOST
        }
        (Spot::Memory { at, bytes }, Spot::Value { .. })
        | (Spot::Value { .. }, Spot::Memory { at, bytes }) => {
            matches!(bytes, 1 | 2 | 4 | 8 | 16) && at.is_multiple_of(*bytes)
        }
        (Spot::Value { .. }, Spot::Value { .. }) => true,
    }
}

/// A part of what passes that a slot can hold.
#[derive(Clone)]
pub(super) struct Piece {
    /// Which of the values it is part of.
    pub(super) of: usize,
    /// Where it begins there, and how many bytes it has.
    from: u64,
    bytes: u64,
}

/// The pieces of a function's parameters and results.
pub(super) type Passed = [Vec<Piece>; 2];

/// The pieces of values, which lie as these say, of up to so many bytes by value; none if a value has more bytes than are passed, or a
/// register has that a slot cannot hold.
pub(super) fn pieces(spots: &[Spot], widest: &[u64]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (of, spot) in spots.iter().enumerate() {
        let (at, size) = match spot {
            Spot::Nothing => continue,
            Spot::Value { bytes, .. } => (0, *bytes),
            Spot::Memory { at, bytes } => (*at, *bytes),
        };
        let is_value = matches!(spot, Spot::Value { .. });
        if size == 0 || size > if is_value { 8 } else { MOST } {
            return None;
        }
        let mut from = 0;
        while from < size {
            let fits = |bytes: &u64| {
                (at + from).is_multiple_of(*bytes) && from + bytes <= size && *bytes <= widest[of]
            };
            let bytes = if is_value { size } else { [8, 4, 2, 1].into_iter().find(fits).unwrap_or(1) };
            pieces.push(Piece { of, from, bytes });
            from += bytes;
        }
    }
    Some(pieces)
}

/// A piece of a value that may lie elsewhere, if it has one.
pub(super) fn piece(spot: &Spot, piece: &Piece) -> Option<Spot> {
    match spot {
        Spot::Nothing => None,
        Spot::Value { source: Source::Wide { .. }, .. } | Spot::Value { target: Target::Wide { .. }, .. } => {
            None
        }
        Spot::Value { .. } => (piece.from == 0).then(|| spot.clone()),
        Spot::Memory { at, .. } => {
            let (at, bytes) = (at + piece.from, piece.bytes);
            at.is_multiple_of(bytes).then_some(Spot::Memory { at, bytes })
        }
    }
}

/// The instructions that pass a value; `scratch` gives slots of 64 bits.
pub(super) fn copy(from: &Spot, to: &Spot, scratch: &mut dyn FnMut() -> u32) -> Vec<Op> {
    match (from, to) {
        (Spot::Nothing, _) | (_, Spot::Nothing) => Vec::new(),
        (Spot::Memory { at, bytes }, Spot::Memory { at: goal, bytes: most }) => {
            memory(*at, *goal, *bytes.min(most), scratch)
        }
        (Spot::Value { source, .. }, Spot::Memory { at, bytes }) => {
            vec![store(*at, *bytes as u32, vec![source.clone()])]
        }
        (Spot::Memory { at, bytes }, Spot::Value { target, .. }) => {
            vec![load(*at, *bytes as u32, target.clone())]
        }
        (Spot::Value { source, .. }, Spot::Value { target, .. }) => values(source, target),
    }
}

/// A range of local memory to another.
fn memory(from: u64, to: u64, bytes: u64, scratch: &mut dyn FnMut() -> u32) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut done = 0;
    while done < bytes {
        let width = [8, 4, 2, 1].into_iter().find(|width| {
            (from + done).is_multiple_of(*width)
                && (to + done).is_multiple_of(*width)
                && done + width <= bytes
        });
        let width = width.unwrap_or(1);
        let slot = scratch();
        ops.push(load(from + done, width as u32, Target::Register { slot, spread: 0, mask: u64::MAX }));
        ops.push(store(to + done, width as u32, vec![Source::Register { slot, mask: u64::MAX }]));
        done += width;
    }
    ops
}

/// A register or constant to a register.
fn values(source: &Source, target: &Target) -> Vec<Op> {
    let (low, high) = match source {
        Source::Wide { slot } => (
            Source::Register { slot: *slot, mask: u64::MAX },
            Source::Register { slot: slot + 1, mask: u64::MAX },
        ),
        Source::Constant(bits) => (Source::Constant(*bits as u64 as Bits), Source::Constant(bits >> 64)),
        narrow => (narrow.clone(), Source::Constant(0)),
    };
    match target {
        Target::Sink => Vec::new(),
        Target::Register { .. } => vec![set(low, target.clone())],
        Target::Wide { slot, .. } => [(*slot, low), (slot + 1, high)]
            .map(|(slot, half)| set(half, Target::Register { slot, spread: 0, mask: u64::MAX }))
            .into(),
    }
}

/// Sets a register of up to 64 bits.
pub(super) fn set(source: Source, target: Target) -> Op {
    Op { guard: None, action: Action::Shift(Box::new((source, target, 0))) }
}

/// Sets a stretch of local memory to 0, from an address that is a multiple of 8 on, by stores of so many bytes at most.
pub(super) fn clear(from: u64, to: u64, widest: u64) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut at = from;
    while at < to {
        let mut bytes = [8, 4, 2, 1].into_iter().find(|bytes| at + bytes <= to).unwrap_or(1);
        while (8..widest).contains(&bytes) && at.is_multiple_of(2 * bytes) && at + 2 * bytes <= to {
            bytes *= 2;
        }
        let each = bytes.min(8);
        ops.push(store(at, each as u32, vec![Source::Constant(0); (bytes / each) as usize]));
        at += bytes;
    }
    ops
}

/// A copy from global to shared memory as a load and a store; `scratch` gives slots of so many bits.
pub(super) fn copy_to_shared(
    copy: &Copy,
    guard: Option<Guard>,
    scratch: &mut dyn FnMut(u32) -> u32,
) -> [Op; 2] {
    let (bytes, count) = elements(copy);
    let slots: Vec<u32> = (0..count).map(|_| scratch(8 * bytes)).collect();
    let mask = u64::MAX >> (64 - 8 * bytes);
    let to = |slot: &u32| Target::Register { slot: *slot, spread: 0, mask };
    let from = |slot: &u32| Source::Register { slot: *slot, mask };
    let load = copy.from.of(bytes, slots.iter().map(to).collect());
    let store = copy.to.of(bytes, slots.iter().map(from).collect());
    [Action::Load(Box::new(load)), Action::Store(Box::new(store))].map(|action| Op { guard, action })
}

/// A copy of which nothing is read: what it writes becomes 0.
pub(super) fn clear_shared(copy: &Copy) -> Op {
    let (bytes, count) = elements(copy);
    let store = copy.to.of(bytes, vec![Source::Constant(0); count]);
    Op { guard: None, action: Action::Store(Box::new(store)) }
}

/// Bytes of an element of a copy, and how many there are.
fn elements(copy: &Copy) -> (u32, usize) {
    if copy.bytes == 16 { (8, 2) } else { (copy.bytes, 1) }
}

fn load(at: u64, bytes: u32, target: Target) -> Op {
    Op { guard: None, action: Action::Load(Box::new(transfer(at, bytes, vec![target]))) }
}

fn store(at: u64, bytes: u32, elements: Vec<Source>) -> Op {
    Op { guard: None, action: Action::Store(Box::new(transfer(at, bytes, elements))) }
}

fn transfer<T>(at: u64, bytes: u32, elements: Vec<T>) -> Transfer<T> {
    Transfer {
        space: Some(Space::Local),
        far: false,
        address: Source::Frame(at),
        offset: 0,
        mask: u64::MAX,
        bytes,
        strength: Strength::default(),
        elements,
    }
}
