//! Tiles of every level that the machine has against the way of all products, and against what devices compute.

mod devices;
mod runs;

use super::*;
use crate::batch::lanes::held::{Kept, Places};
use crate::batch::lanes::{GROUP, Line, Place, Simd};
use margay_isa::tensor_core::{Product, Workspace};
use margay_isa::{Meaning, Shape, WARP, Whole, select};
use std::sync::Arc;

/// What a warp holds in a register.
type Lanes = [u32; WARP];

/// Devices, whose sums are all that there are, and the shape and the types of D, A and B.
const FORMS: &[(&[&str], &str, [&str; 3])] = &[
    (&["sm_70", "sm_75", "sm_80", "sm_90"], "m16n8k8", ["f32", "f16", "f16"]),
    (&["sm_75", "sm_80", "sm_90"], "m16n8k8", ["f16", "f16", "f16"]),
    (&["sm_80", "sm_90", "sm_120"], "m16n8k16", ["f32", "f16", "f16"]),
    (&["sm_80", "sm_90", "sm_120"], "m16n8k16", ["f16", "f16", "f16"]),
    (&["sm_80", "sm_90"], "m16n8k8", ["f32", "bf16", "bf16"]),
    (&["sm_80", "sm_90"], "m16n8k16", ["f32", "bf16", "bf16"]),
    (&["sm_80", "sm_90"], "m16n8k4", ["f32", "tf32", "tf32"]),
    (&["sm_80", "sm_90"], "m16n8k8", ["f32", "tf32", "tf32"]),
    (&["sm_89"], "m16n8k32", ["f32", "e4m3", "e4m3"]),
    (&["sm_89"], "m16n8k32", ["f32", "e4m3", "e5m2"]),
    (&["sm_89"], "m16n8k16", ["f32", "e5m2", "e4m3"]),
    (&["sm_89"], "m16n8k32", ["f32", "e5m2", "e5m2"]),
    (&["sm_89"], "m16n8k32", ["f16", "e4m3", "e4m3"]),
    (&["sm_89"], "m16n8k32", ["f16", "e5m2", "e5m2"]),
    (&["sm_90", "sm_100"], "m16n8k32", ["f32", "e4m3", "e4m3"]),
    (&["sm_90"], "m16n8k32", ["f32", "e4m3", "e5m2"]),
    (&["sm_90"], "m16n8k16", ["f32", "e5m2", "e4m3"]),
    (&["sm_90"], "m16n8k32", ["f32", "e5m2", "e5m2"]),
    (&["sm_90", "sm_100"], "m16n8k32", ["f16", "e4m3", "e4m3"]),
    (&["sm_90"], "m16n8k16", ["f16", "e4m3", "e5m2"]),
    (&["sm_90"], "m16n8k32", ["f16", "e5m2", "e5m2"]),
    (&["sm_120"], "m16n8k32", ["f32", "e4m3", "e4m3"]),
    (&["sm_120"], "m16n8k32", ["f32", "e4m3", "e5m2"]),
    (&["sm_120"], "m16n8k16", ["f32", "e5m2", "e4m3"]),
    (&["sm_120"], "m16n8k32", ["f32", "e5m2", "e5m2"]),
    (&["sm_120"], "m16n8k32", ["f16", "e4m3", "e4m3"]),
    (&["sm_120"], "m16n8k32", ["f16", "e5m2", "e5m2"]),
    (&["sm_80"], "m16n8k16", ["s32", "s8", "u8"]),
    (&["sm_80"], "m16n8k32", ["s32", "s8", "s8"]),
    (&["sm_80"], "m16n8k32", ["s32", "s8", "u8"]),
    (&["sm_80"], "m16n8k32", ["s32", "u8", "s8"]),
    (&["sm_80"], "m16n8k32", ["s32", "u8", "u8"]),
    (&["sm_80"], "m16n8k32", ["s32", "u4", "s4"]),
    (&["sm_80"], "m16n8k64", ["s32", "s4", "s4"]),
    (&["sm_80"], "m16n8k64", ["s32", "s4", "u4"]),
    (&["sm_80"], "m16n8k64", ["s32", "u4", "u4"]),
];

/// How numbers are drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Draw {
    /// Any pattern.
    Any,
    /// Close to 1, so that sums cancel.
    Close,
    /// The smaller the rarer.
    Falling,
    /// Zeros, subnormal numbers and others.
    Small,
    /// Great ones, mostly with all fraction bits.
    Great,
    /// Only zeros and subnormal numbers.
    Subnormal,
}

const DRAWS: [Draw; 5] = [Draw::Any, Draw::Close, Draw::Falling, Draw::Small, Draw::Great];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        self.0 >> 20
    }

    /// An element.
    fn element(&mut self, word: Word, draw: Draw) -> u64 {
        let (any, choice) = (self.next(), self.next());
        let (exponent, stored) = match word {
            Word::F16 => (5, 10),
            Word::E4m3 => (4, 3),
            Word::E5m2 => (5, 2),
            Word::Bf16 => (8, 7),
            Word::Tf32 | Word::F32 => (8, 23),
            _ => return any & (u64::MAX >> (64 - width(word))),
        };
        let (one, fraction) = ((1 << (exponent - 1)) - 1, any & ((1 << stored) - 1));
        let sign = (any >> stored & 1) << (exponent + stored);
        let below = |steps: u64| sign | (one - steps.min(one - 1)) << stored | fraction;
        match (draw, choice % 8) {
            (Draw::Any, _) => any & ((2 << (exponent + stored)) - 1),
            (Draw::Close, _) => below(choice / 8 % 4),
            (Draw::Falling, _) => below(choice.trailing_zeros().into()),
            (Draw::Small, 0..3) | (Draw::Great | Draw::Subnormal, 0) => sign,
            (Draw::Small, 3..5) | (Draw::Subnormal, _) => sign | fraction,
            (Draw::Small, _) => below(choice / 8 % 8),
            (Draw::Great, few) => {
                let ones = if few < 5 { (1 << stored) - 1 } else { fraction };
                sign | (2 * one - choice / 8 % (one / 2)) << stored | ones
            }
        }
    }
}

fn width(word: Word) -> u32 {
    match word {
        Word::F16 | Word::Bf16 => 16,
        Word::S8 | Word::U8 | Word::E4m3 | Word::E5m2 => 8,
        Word::S4 | Word::U4 => 4,
        _ => 32,
    }
}

/// The product of a form, with the types and registers of A, B and C.
fn product(device: &str, shape: &str, types: [&str; 3], clamped: bool) -> (Arc<Product>, [(Word, usize); 3]) {
    let [d, a, b] = types;
    let mut words = vec!["sync", "aligned", shape, "row", "col", d, a, b, d];
    if clamped {
        words.insert(5, "satfinite");
    }
    let depth: u32 = shape.rsplit('k').next().and_then(|k| k.parse().ok()).expect("a depth");
    let of = |name: &str, elements: u32| {
        let word = Word::parse(name).expect("a type");
        (word, (elements * width(word) / 1024) as usize)
    };
    let matrices = [of(a, 16 * depth), of(b, 8 * depth), of(d, 128)];
    let [of_a, of_b, of_c] = matrices.map(|(_, elements)| Shape { elements, ..Shape::default() });
    let inst = select("mma", &words, &[of_c, of_a, of_b, of_c]).expect("a form").expect("an instruction");
    let Meaning::Fragments(meaning) = inst.page().meaning else { panic!("{words:?}") };
    match meaning(&inst, device.parse().expect("a target")) {
        Whole::Product(product) => (product, matrices),
        Whole::Other(_) => panic!("{words:?} is no product"),
    }
}

/// The levels with tiles that the machine has.
fn levels() -> impl Iterator<Item = Simd> {
    [Simd::Avx2, Simd::Avx512].into_iter().filter(|level| Simd::available().contains(level))
}

/// What a level makes of a tile, if it says something of it.
fn tiled(simd: Simd, tile: &Tile, registers: &[Lanes]) -> Option<[Lanes; 4]> {
    tiled_to(registers.len(), simd, tile, registers)
}

/// The same, with results in registers from `first` on.
fn tiled_to(first: usize, simd: Simd, tile: &Tile, registers: &[Lanes]) -> Option<[Lanes; 4]> {
    const NONE: [Line; 2] = [Line([0; GROUP]); 2];
    let place = |register: usize| Place { line: 2 * register as u32, stride: 1 };
    // Behind the registers lie the results.
    let mut lines: Vec<Line> =
        registers.iter().flat_map(|r| bytemuck::cast::<Lanes, [Line; 2]>(*r)).collect();
    lines.extend([NONE; 4].as_flattened());
    let from = (0..registers.len()).map(place).collect();
    let places = Places::new(from, (0..4).map(|r| Some(place(first + r))).collect());
    let mut held = places.held(&mut lines, [Kept::NEW; 2], 0);
    // SAFETY: the machine has the level.
    let is_given = unsafe {
        match simd {
            Simd::Avx512 => multiply(tile, &mut { Factors::NONE }, &mut held),
            _ => avx2::multiply(tile, &mut { avx2::Factors::NONE }, &mut held),
        }
    };
    let results = &lines[2 * first..];
    let result = |r: usize| bytemuck::cast([results[2 * r], results[2 * r + 1]]);
    is_given.then(|| std::array::from_fn(result))
}

#[test]
fn tiles_are_what_all_products_are() {
    for level in levels() {
        tiles_of_a_level_are_what_all_products_are(level);
    }
}

fn tiles_of_a_level_are_what_all_products_are(level: Simd) {
    let mut random = Random(0x7113);
    let mut all = Workspace::new();
    for (devices, shape, types) in FORMS {
        for (&device, clamped) in devices.iter().flat_map(|device| [(device, false), (device, true)]) {
            if clamped && types[0] != "s32" {
                continue;
            }
            let (product, matrices) = product(device, shape, *types, clamped);
            let tile = product.tile().unwrap_or_else(|| panic!("{shape} {types:?} is no tile"));
            let mut said = [0; DRAWS.len()];
            for round in 0..280 {
                let mut registers: Vec<Lanes> = Vec::new();
                for (matrix, (word, count)) in matrices.into_iter().enumerate() {
                    // Now and then each element is drawn in another way, or one of A and B is subnormal and the other one is not.
                    let subnormal = if round % 7 == 5 { Some(round / 7 % 2) } else { None };
                    let mut word_of = |_| {
                        (0..32 / width(word)).fold(0, |all, j| {
                            let draw = match (round % 7, subnormal) {
                                (_, Some(m)) if m == matrix => Draw::Subnormal,
                                (_, Some(m)) if 1 - m == matrix => DRAWS[1 + random.next() as usize % 4],
                                (6, _) => DRAWS[random.next() as usize % 5],
                                _ => DRAWS[round % 5],
                            };
                            all | (random.element(word, draw) << (j * width(word))) as u32
                        })
                    };
                    registers.extend((0..count).map(|_| std::array::from_fn::<u32, WARP, _>(&mut word_of)));
                }
                all.registers[..registers.len()].copy_from_slice(&registers);
                let Some(results) = tiled(level, tile, &registers) else { continue };
                product.carry_out(&mut all);
                said[round % 5] += 1;
                let count = matrices[2].1;
                // Over A, or in the places of C.
                for first in [0, registers.len() - count] {
                    let others = tiled_to(first, level, tile, &registers).expect("the same tile");
                    assert_eq!(
                        others[..count],
                        results[..count],
                        "{level:?} {shape} {types:?}: from {first} on"
                    );
                }
                assert_eq!(
                    results[..count],
                    all.results[..count],
                    "{level:?} {shape} {types:?} {device} {clamped} {:?}: {registers:x?}",
                    DRAWS[round % 5]
                );
            }
            // Volta, which has no such form, would add four products at once: nothing is said of that.
            let is_silent = device == "sm_70" || level == Simd::Avx2 && types[1].starts_with('e');
            let all = is_silent || said[1] >= 40 && said[2] >= 40;
            assert!(all, "{level:?} {shape} {types:?} on {device}: {said:?}");
        }
    }
}

#[test]
fn sums_that_have_no_room_are_left_to_the_way_of_all_products() {
    let (product, matrices) = product("sm_120", "m16n8k32", ["f32", "e4m3", "e4m3"], false);
    let tile = product.tile().expect("a tile");
    // 1.875 by 1.875 so often as columns: 32 of them with the same sign need 32 bits without a sign.
    for (columns, has_room) in [(16, true), (24, false), (32, false)] {
        let a = |register: usize| if 16 * (register / 2) < columns { 0x3f3f_3f3f } else { 0 };
        let b = |lane: usize, register: usize| {
            let first = 4 * (lane % 4) + 16 * register;
            (0..4).fold(0, |all, j| all | if first + j < columns { 0x3f << (8 * j) } else { 0 })
        };
        let mut registers: Vec<Lanes> = (0..matrices[0].1).map(|r| [a(r); WARP]).collect();
        registers.extend((0..matrices[1].1).map(|r| std::array::from_fn(|lane| b(lane, r))));
        registers.extend([[0; WARP]; 4]);
        let given = Simd::available().contains(&Simd::Avx512).then(|| tiled(Simd::Avx512, tile, &registers));
        assert!(given.is_none_or(|given| given.is_some() == has_room), "{columns}");
        if let Some(Some(given)) = given {
            assert_eq!(given, [[(columns as f32 * 1.875 * 1.875).to_bits(); WARP]; 4]);
        }
    }
}
