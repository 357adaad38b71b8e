//! What warps do with matrices: products of what is in registers, and rows that lanes load and store for each other.

use super::draw::{Draw, Place, TOP, barrier};
use super::operations::drawn;
use super::places::Deed;
use super::program::{At, Space, Stmt, Width};

/// Products, and how many registers of 32 bits their matrices D, A, B and C have.
const PRODUCTS: &[(&str, [u8; 4])] = &[
    ("m16n8k16.row.col.f32.[f16.f16|bf16.bf16].f32", [4, 4, 2, 4]),
    ("m16n8k16.row.col.f32.[f16.f16|bf16.bf16].f32", [4, 4, 2, 4]),
    ("m16n8k8.row.col.f32.[f16.f16|bf16.bf16].f32", [4, 2, 1, 4]),
    ("m16n8k16.row.col.f16.f16.f16.f16", [2, 4, 2, 2]),
    ("m16n8k8.row.col.f16.f16.f16.f16", [2, 2, 1, 2]),
    ("m16n8k8.row.col.f32.tf32.tf32.f32", [4, 4, 2, 4]),
    ("m16n8k4.row.col.f32.tf32.tf32.f32", [4, 2, 1, 4]),
    ("m16n8k32.row.col.f32.[e4m3|e5m2].[e4m3|e5m2].f32", [4, 4, 2, 4]),
    ("m16n8k32.row.col[|.satfinite].s32.[s8|u8].[s8|u8].s32", [4, 4, 2, 4]),
    ("m16n8k32.row.col.s32.s8.s8.s32", [4, 4, 2, 4]),
    ("m16n8k16.row.col[|.satfinite].s32.[s8|u8].[s8|u8].s32", [4, 2, 1, 4]),
    ("m8n8k16.row.col[|.satfinite].s32.[s8|u8].[s8|u8].s32", [2, 1, 1, 2]),
    ("m16n8k64.row.col[|.satfinite].s32.[s4|u4].[s4|u4].s32", [4, 4, 2, 4]),
    ("m16n8k32.row.col.s32.[s4|u4].[s4|u4].s32", [4, 2, 1, 4]),
    ("m16n8k256.row.col.s32.b1.b1.s32.[xor|and].popc", [4, 4, 2, 4]),
];

/// A product, mostly one that is added to what there is.
pub fn product(draw: &mut Draw) -> Stmt {
    let (name, [d, a, b, c]) = *draw.random.pick(PRODUCTS);
    let name = drawn(&mut draw.random, name);
    let [a, b, own] = [a, b, c].map(|count| following(draw, count));
    let to = following(draw, d);
    let from = if c == d && !draw.random.once_in(3) { &to } else { &own };
    let [d, a, b, c] = [&to, &a, &b, from].map(|registers| braced(registers));
    draw.word = to[0];
    Stmt::Ops(format!("mma.sync.aligned.{name} {d}, {a}, {b}, {c};"))
}

/// A matrix of which rows become columns.
fn turned(draw: &mut Draw) -> Stmt {
    let (from, to) = (draw.any_word(), draw.any_word());
    draw.word = to;
    Stmt::Ops(format!("movmatrix.sync.aligned.m8n8.trans.b16 %v{to}, %v{from};"))
}

/// Registers that follow each other.
fn following(draw: &mut Draw, count: u8) -> Vec<u8> {
    let (first, words) = (draw.any_word(), draw.program.words());
    (0..count).map(|k| (first + k) % words).collect()
}

/// Registers as a list.
pub fn braced(registers: &[u8]) -> String {
    let names: Vec<String> = registers.iter().map(|register| format!("%v{register}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Matrices that are loaded or stored, where there is room.
fn moved(draw: &mut Draw, place: Place, deed: Deed) -> Option<Stmt> {
    let at = draw.at(Space::Shared, 16, place, deed)?;
    let count = *draw.random.pick(&[1, 2, 4, 4]);
    let (registers, turned) = (following(draw, count), draw.random.once_in(3));
    draw.word = registers[0];
    Some(Stmt::Matrices { at, registers, turned, store: matches!(deed, Deed::Store) })
}

/// One of them, where all threads of all warps come.
pub fn statement(draw: &mut Draw, place: Place) -> Option<Stmt> {
    match draw.random.below(8) {
        0..2 => moved(draw, place, Deed::Load),
        2 => moved(draw, place, Deed::Store),
        3 => Some(turned(draw)),
        _ => Some(product(draw)),
    }
}

/// Tiles that all threads bring to shared memory, turn by turn, and products of their rows.
pub fn tiles(draw: &mut Draw) -> Vec<Stmt> {
    let turns = 1 + draw.random.below(4) as u32;
    let space = *draw.random.pick(&[Space::Input, Space::Input, Space::Global]);
    let sums = draw.any_word();
    let body = |draw: &mut Draw, place: Place| {
        if !place.whole {
            return draw.statements(3, place);
        }
        let mut all = Vec::new();
        let width = Width { bytes: 4, lanes: 4, signed: false };
        let from = draw.at(space, 16, place, Deed::Load);
        let to = At { by: [16, 16 * i64::from(draw.program.columns), 0, 0], ..draw.own(Space::Shared, 16) };
        if let Some(from) = from.filter(|_| draw.is_inside(&to, 16, place)) {
            let registers = draw.registers(width);
            all.push(Stmt::Load { at: from, width, to: registers.clone() });
            all.push(Stmt::Store { at: to, width, from: registers });
            all.push(barrier(&mut draw.random));
        }
        for _ in 0..1 + draw.random.below(3) {
            all.extend(moved(draw, place, Deed::Load));
        }
        for _ in 0..1 + draw.random.below(6) {
            all.push(product(draw));
        }
        if draw.random.once_in(4) {
            all.extend(moved(draw, place, Deed::Store));
        }
        all
    };
    let mut all = vec![draw.turns_of(turns, TOP, body)];
    let at = draw.own(Space::Global, 4);
    all.push(Stmt::Store { at, width: super::places::WORD, from: vec![sums] });
    all
}
