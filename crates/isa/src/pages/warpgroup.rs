//! Products of warpgroups, and those into tensor memory, as those of a warp: the matrices of a block of 16 rows and 8 columns, full or
//! sparse.

use super::layout::{Fragment, a16, b8, c8};
use super::multiply::{Matrices, product_of};
use super::product::shape;
use super::sparse::{Beside, product_beside_of};
use crate::prelude::*;
use crate::tensor_core::Form;

/// Rows and columns of a block.
const BLOCK: (usize, usize) = (16, 8);

/// What a form computes on a device; `stored`: which elements of A are, if not all.
pub fn multiply(i: &Inst, device: Target, stored: Option<crate::Sparse>) -> Warpgroup {
    let (_, columns, _) = shape(i);
    let mut form = Form::of(i);
    form.shape.m = BLOCK.0 as u16;
    form.shape.n = BLOCK.1 as u16;
    let matrices = matrices(i);
    let depth_of_b = matrices.b.elements / (32 / matrices.b.bits as usize);
    let product = match stored {
        None => product_of(&form, device, &matrices),
        Some(_) => product_beside_of(form, device, &matrices, Beside { sparse: stored, scales: 0 }),
    };
    let has = |name: &str| i.operands().any(|(template, _)| template.name == name);
    let signs = match i[Slot::AType] {
        Tf32 => 0x8000_0000,
        F16 | Bf16 => 0x8000_8000,
        _ => 0x8080_8080,
    };
    Warpgroup {
        blocks: columns / BLOCK.1,
        sums: matrices.d.elements / (32 / matrices.d.bits as usize),
        shares_a: has("a_desc"),
        depth: (2, depth_of_b),
        signs: has("imm_scale_a").then_some(signs),
        turns: has("imm_trans_b"),
        inverted: i.has(Slot::NotC),
        sparse: stored.is_some(),
        product,
    }
}

/// The matrices of a block.
pub fn matrices(i: &Inst) -> Matrices {
    let (_, _, k) = shape(i);
    matrices_of(k, [i[Slot::DType], i[Slot::AType], i[Slot::BType]])
}

/// A product of 16 rows and 8 columns into tensor memory, which lanes hold as they hold that of a warp.
pub fn block(form: &Form, device: Target) -> Whole {
    product_of(form, device, &matrices_of(form.shape.k.into(), [form.d, form.a, form.b]))
}

/// The matrices of a block so deep, of D, A and B of these types.
fn matrices_of(k: usize, types: [Word; 3]) -> Matrices {
    let [of_d, of_a, of_b] = types.map(|word| word.ty().map_or(32, |ty| ty.bits));
    // Single bits are told by 32. Each row of A has 32 bytes, of all elements or of those that are stored.
    let told = |bits: u32| if bits == 1 { 32 } else { bits };
    let depth = |elements: usize, bits: u32| elements * bits as usize / told(bits) as usize;
    let stored = 32 * 8 / of_a as usize;
    let sum = Fragment::new(BLOCK.0, BLOCK.1, of_d, of_d as usize / 8, c8);
    Matrices {
        d: sum,
        a: Fragment::new(BLOCK.0, depth(stored, of_a), told(of_a), 4, a16),
        b: Fragment::new(depth(k, of_b), BLOCK.1, told(of_b), k * of_b as usize / 128, b8),
        c: sum,
        products: 1,
    }
}
