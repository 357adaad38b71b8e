//! Products that follow each other and share matrices, against the same products each by itself.

use super::{DRAWS, Lanes, Random, levels, product, width};
use crate::batch::lanes::products::{ProductOp, ProductRoom};
use crate::batch::lanes::{Line, Place, Simd, x86};
use margay_isa::WARP;
use margay_isa::tensor_core::Workspace;

/// Registers of a warp, of which each has two lines.
const REGISTERS: usize = 20;

#[test]
fn products_of_a_run_are_what_each_is() {
    let mut random = Random(0x6a75);
    let forms = [
        ("sm_80", "m16n8k16", ["f32", "f16", "f16"]),
        ("sm_80", "m16n8k16", ["f16", "f16", "f16"]),
        ("sm_80", "m16n8k8", ["f32", "bf16", "bf16"]),
        ("sm_80", "m16n8k8", ["f32", "tf32", "tf32"]),
        ("sm_80", "m16n8k32", ["s32", "s8", "s8"]),
        ("sm_80", "m16n8k32", ["s32", "s8", "u8"]),
        ("sm_80", "m16n8k16", ["s32", "s8", "u8"]),
        ("sm_80", "m16n8k32", ["s32", "u8", "s8"]),
        ("sm_80", "m16n8k32", ["s32", "u8", "u8"]),
        ("sm_80", "m16n8k64", ["s32", "s4", "u4"]),
        ("sm_90", "m16n8k16", ["f32", "f16", "f16"]),
        ("sm_90", "m16n8k32", ["f32", "e4m3", "e5m2"]),
    ];
    let forms = forms.map(|(device, shape, types)| product(device, shape, types, false));
    let place = |register: usize| Place { line: 2 * register as u32, stride: 1 };
    let mut work = Workspace::new();
    for (level, round) in levels().flat_map(|level| (0..300).map(move |round| (level, round))) {
        // Mostly one form, whose matrices begin at few registers: results come to be read as A or B, or are written over them.
        let mut registers = [[0; WARP]; REGISTERS];
        let first = random.next() as usize % forms.len();
        for lane in registers.as_flattened_mut() {
            let word = forms[first].1[0].0;
            let places = (0..32).step_by(width(word) as usize);
            *lane = places.fold(0, |all, at| all | (random.element(word, DRAWS[round % 2 + 1]) << at) as u32);
        }
        let mut ops = Vec::new();
        let mut want = registers;
        for _ in 0..12 {
            let other = random.next().is_multiple_of(8);
            let (product, matrices) =
                &forms[if other { random.next() as usize } else { first } % forms.len()];
            let [a, b, c] = matrices.map(|(_, count)| count);
            let mut from = Vec::new();
            for (count, most) in [(a, 2), (b, 4), (c, 3)] {
                let start = random.next() as usize % most * 4;
                from.extend(start..start + count);
            }
            // Now and then sums take the places of what they are added to, or of anything.
            let first = match random.next() % 4 {
                0 => from[a + b],
                _ => random.next() as usize % (REGISTERS - c + 1),
            };
            let to: Vec<usize> = (first..first + c).collect();
            from.iter().zip(&mut work.registers).for_each(|(register, to)| *to = want[*register]);
            product.carry_out(&mut work);
            to.iter().zip(&work.results).for_each(|(register, from)| want[*register] = *from);
            let from = from.iter().map(|register| place(*register)).collect();
            let to = to.iter().map(|register| Some(place(*register))).collect();
            ops.push(ProductOp::new(product.clone(), from, to));
        }
        ProductOp::keep(&mut ops);
        let lines = registers.iter().flat_map(|register| bytemuck::cast::<Lanes, [Line; 2]>(*register));
        let mut lines: Vec<Line> = lines.collect();
        let mut room = ProductRoom::new();
        // SAFETY: the machine has the level.
        unsafe {
            match level {
                Simd::Avx512 => x86::multiply_avx512(&ops, &mut lines, 0, &mut room),
                _ => x86::multiply_avx2(&ops, &mut lines, 0, &mut room),
            }
        }
        assert_eq!(bytemuck::cast_slice::<Line, Lanes>(&lines), want, "{level:?} {round}");
    }
}
