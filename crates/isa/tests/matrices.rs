//! Where elements of matrices lie, judged by the layouts that CUTLASS publishes for the same instructions (CuTe's `MMA_Traits`), and by products
//! of one row and one column.

use margay_isa::{Across, Inst, Meaning, PAGES, Semantics, Slot, Target, WARP, Whole, Word, forms};

/// A layout in CuTe's way: how far the lane's place in its four, its four's number, and each further digit of an element's
/// number (of so many values) move along a matrix stored by columns.
struct Layout {
    lanes: [usize; 2],
    digits: &'static [(usize, usize)],
}

const fn layout(t: usize, g: usize, digits: &'static [(usize, usize)]) -> Layout {
    Layout { lanes: [t, g], digits }
}

impl Layout {
    /// The element's place.
    fn at(&self, lane: usize, mut element: usize) -> usize {
        let mut place = lane % 4 * self.lanes[0] + lane / 4 * self.lanes[1];
        for (count, step) in self.digits {
            place += element % count * step;
            element /= count;
        }
        place
    }

    fn elements(&self) -> usize {
        self.digits.iter().map(|(count, _)| count).product()
    }
}

/// Rows, depth and bits of an element, with A and B.
const FACTORS: &[(u16, u16, u32, Layout, Layout)] = &[
    (16, 8, 16, layout(32, 1, &[(2, 16), (2, 8)]), layout(16, 1, &[(2, 8)])),
    (16, 16, 16, layout(32, 1, &[(2, 16), (2, 8), (2, 128)]), layout(16, 1, &[(2, 8), (2, 64)])),
    (16, 4, 32, layout(16, 1, &[(2, 8)]), layout(8, 1, &[])),
    (16, 8, 32, layout(16, 1, &[(2, 8), (2, 64)]), layout(8, 1, &[(2, 32)])),
    (8, 4, 64, layout(8, 1, &[]), layout(8, 1, &[])),
    (16, 4, 64, layout(16, 1, &[(2, 8)]), layout(8, 1, &[])),
    (16, 8, 64, layout(16, 1, &[(2, 8), (2, 64)]), layout(8, 1, &[(2, 32)])),
    (16, 16, 64, layout(16, 1, &[(2, 8), (4, 64)]), layout(8, 1, &[(4, 32)])),
    (8, 16, 8, layout(32, 1, &[(4, 8)]), layout(32, 1, &[(4, 8)])),
    (16, 16, 8, layout(64, 1, &[(4, 16), (2, 8)]), layout(32, 1, &[(4, 8)])),
    (16, 32, 8, layout(64, 1, &[(4, 16), (2, 8), (2, 256)]), layout(32, 1, &[(4, 8), (2, 128)])),
    (8, 32, 4, layout(64, 1, &[(8, 8)]), layout(64, 1, &[(8, 8)])),
    (16, 32, 4, layout(128, 1, &[(8, 16), (2, 8)]), layout(64, 1, &[(8, 8)])),
    (16, 64, 4, layout(128, 1, &[(8, 16), (2, 8), (2, 512)]), layout(64, 1, &[(8, 8), (2, 256)])),
    (8, 128, 1, layout(256, 1, &[(32, 8)]), layout(256, 1, &[(32, 8)])),
    (16, 128, 1, layout(512, 1, &[(32, 16), (2, 8)]), layout(256, 1, &[(32, 8)])),
    (16, 256, 1, layout(512, 1, &[(32, 16), (2, 8), (2, 2048)]), layout(256, 1, &[(32, 8), (2, 1024)])),
];

const SUMS: [(u16, Layout); 2] = [(8, layout(16, 1, &[(2, 8)])), (16, layout(32, 1, &[(2, 16), (2, 8)]))];

/// The number 1 in a type, in the bits that an element has of a register.
fn one(word: Word, kind: Word) -> (u64, u32) {
    let packed = matches!(kind, Word::KindMxf4 | Word::KindMxf4nvf4);
    match word {
        Word::F16 => (0x3c00, 16),
        Word::Bf16 => (0x3f80, 16),
        Word::Tf32 | Word::F32 => (0x3f80_0000, 32),
        Word::F64 => (0x3ff0_0000_0000_0000, 64),
        Word::S32 => (1, 32),
        Word::S8 | Word::U8 => (1, 8),
        Word::S4 | Word::U4 => (1, 4),
        Word::B1 => (1, 1),
        Word::E4m3 => (0x38, 8),
        Word::E5m2 => (0x3c, 8),
        Word::E3m2 => (0b001100, 8),
        Word::E2m3 => (0b001000, 8),
        Word::E2m1 if packed => (0b0010, 4),
        Word::E2m1 => (0b0010 << 2, 8),
        other => panic!("{other} is no type of elements"),
    }
}

/// Registers in which one element of a lane is set.
fn set(registers: &mut [Across], lane: usize, element: usize, (one, bits): (u64, u32)) {
    let per = (bits.max(32) / bits) as usize;
    registers[element / per][lane] |= one << (element % per * bits as usize);
}

/// Registers of A, B, C and D.
fn registers(inst: &Inst) -> [usize; 4] {
    ["a", "b", "c", "d"].map(|name| {
        let (template, _) = inst.operands().find(|(t, _)| t.name == name).unwrap();
        inst.elements(template).max(1)
    })
}

fn ready(inst: &Inst) -> Whole {
    let device: Target = "sm_80".parse().unwrap();
    match inst.meaning(Semantics::Manual) {
        Meaning::Fragments(whole) => whole(inst, device),
        _ => panic!("{inst:?} is not run"),
    }
}

/// Where D's elements lie that are not 0.
fn found(results: &[Across], bits: u32) -> Vec<(usize, usize, u64)> {
    let per = (bits.max(32) / bits) as usize;
    let mut found = Vec::new();
    for (r, register) in results.iter().enumerate() {
        for (lane, word) in register.iter().enumerate() {
            for j in 0..per {
                let value = word >> (j as u32 * bits) & (u64::MAX >> (64 - bits));
                if value != 0 {
                    found.push((lane, r * per + j, value));
                }
            }
        }
    }
    found
}

/// One product each: the element of A at `a`, that of B at `b`, the one of D at `d`, each by lane and number.
fn judge(inst: &Inst, whole: &Whole, a: (usize, usize), b: (usize, usize), d: Option<(usize, usize)>) {
    let [count_a, count_b, count_c, count_d] = registers(inst);
    let mut sources: Vec<Across> = vec![[0; WARP]; count_a + count_b + count_c];
    let kind = inst[Slot::Kind];
    set(&mut sources[..count_a], a.0, a.1, one(inst[Slot::AType], kind));
    set(&mut sources[count_a..][..count_b], b.0, b.1, one(inst[Slot::BType], kind));
    let mut results: Vec<Across> = vec![[u64::MAX; WARP]; count_d];
    whole.carry_out(&sources, &mut results);
    let (one, bits) = one(inst[Slot::DType], Word::Absent);
    // Single bits that differ are counted, too.
    if inst[Slot::Bool] == Word::Xor {
        return;
    }
    let wanted: Vec<_> = d.iter().map(|(lane, element)| (*lane, *element, one)).collect();
    assert_eq!(found(&results, bits), wanted, "{inst:?}: A {a:?}, B {b:?}");
}

fn plain(inst: &Inst) -> bool {
    inst[Slot::Shape] != Word::shape(8, 8, 4) || inst[Slot::AType] == Word::F64
}

fn mma_forms() -> Vec<Inst> {
    let page = PAGES.iter().find(|page| page.opcodes == ["mma"]).unwrap();
    forms::forms(page, "mma", 0, &mut || 0)
}

#[test]
fn every_element_is_where_cutlass_has_it() {
    let (mut judged, mut seen) = (0, Vec::new());
    for inst in mma_forms().into_iter().filter(plain) {
        let Word::Shape(shape) = inst[Slot::Shape] else { panic!("{inst:?} has no shape") };
        let bits = one(inst[Slot::AType], inst[Slot::Kind]).1;
        let (.., a, b) = FACTORS
            .iter()
            .find(|(m, k, width, ..)| (*m, *k, *width) == (shape.m, shape.k, bits))
            .unwrap_or_else(|| panic!("{inst:?} has no layout here"));
        let (_, d) = SUMS.iter().find(|(m, _)| *m == shape.m).unwrap();
        let m = usize::from(shape.m);
        let places = |layout: &Layout| -> Vec<((usize, usize), usize)> {
            let count = layout.elements();
            (0..WARP)
                .flat_map(|l| (0..count).map(move |e| (l, e)))
                .map(|p| (p, layout.at(p.0, p.1)))
                .collect()
        };
        let (rows, columns, sums) = (places(a), places(b), places(d));
        let result = |row: usize, column: usize| {
            sums.iter().find(|(_, at)| *at == row + m * column).map(|(place, _)| *place)
        };
        let whole = ready(&inst);
        // All elements of one form of each layout, some of the others.
        let kind = (inst[Slot::Shape], bits, inst[Slot::DType] == Word::F16);
        let every = if seen.contains(&kind) { 13 } else { 1 };
        seen.push(kind);
        // Each element of A with the column of B that comes next, and each of B with the next row of A, at the same depth and another.
        for (k, (place, at)) in rows.iter().enumerate().filter(|(k, _)| k % every == 0) {
            let (row, depth) = (at % m, at / m);
            let (other, found) = columns.iter().find(|(_, at)| *at == k % 8 + 8 * depth).unwrap();
            judge(&inst, &whole, *place, *other, result(row, found % 8));
            judged += 1;
        }
        for (k, (place, at)) in columns.iter().enumerate().filter(|(k, _)| k % every == 0) {
            let (column, depth) = (at % 8, at / 8);
            let (other, found) = rows.iter().find(|(_, at)| *at == k % m + m * depth).unwrap();
            judge(&inst, &whole, *other, *place, result(found % m, column));
            let elsewhere = rows.iter().find(|(_, at)| *at / m != depth).unwrap().0;
            judge(&inst, &whole, elsewhere, *place, None);
            judged += 1;
        }
    }
    println!("{judged} products");
    assert!(judged > 15_000, "only {judged} products");
}

#[test]
fn four_products_at_once_are_where_cutlass_has_them() {
    // Of a product's eight lanes: how far the place in its four, the half, and the digits of an element's number move.
    let place = |lanes: &[usize], digits: &[usize], lane: usize, element: usize| -> usize {
        let place = [lane & 1, lane >> 1 & 1, lane >> 4];
        let bits = |k: usize| element >> k & 1;
        lanes.iter().zip(place).map(|(step, k)| step * k).sum::<usize>()
            + digits.iter().enumerate().map(|(k, step)| step * bits(k)).sum::<usize>()
    };
    let (row, column) = (([1, 2, 4], [8, 16]), ([8, 16, 4], [1, 2]));
    let (half, single) = (([1, 2, 4], vec![8, 16, 32]), ([1, 16, 4], vec![8, 2, 32]));
    for inst in mma_forms().into_iter().filter(|inst| !plain(inst)) {
        let a = if inst[Slot::LayoutA] == Word::Row { row } else { column };
        let b = if inst[Slot::LayoutB] == Word::Row { column } else { row };
        let d = if inst[Slot::DType] == Word::F16 { &half } else { &single };
        let whole = ready(&inst);
        for (lane, element) in (0..WARP).flat_map(|lane| (0..4).map(move |element| (lane, element))) {
            let quarter = lane % 16 / 4;
            let own = |other: &usize| other % 16 / 4 == quarter;
            let at = place(&a.0, &a.1, lane, element);
            for other in (0..WARP).filter(own) {
                for e in 0..4 {
                    let to = place(&b.0, &b.1, other, e);
                    let wanted = (at / 8 == to / 8).then(|| at % 8 + 8 * (to % 8));
                    let all = (0..WARP).filter(own).flat_map(|l| (0..8).map(move |e| (l, e)));
                    let result =
                        wanted.and_then(|w| all.into_iter().find(|(l, e)| place(&d.0, &d.1, *l, *e) == w));
                    assert_eq!(wanted.is_some(), result.is_some());
                    judge(&inst, &whole, (lane, element), (other, e), result);
                }
            }
        }
    }
}
