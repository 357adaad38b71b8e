//! `movmatrix`: transpose a matrix that a warp holds.
use super::ldmatrix::M8N8;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.5.17", &["movmatrix"], &[
    line("movmatrix.sync.aligned.m8n8.trans.b16 d, a"),
], Meaning::Fragments(transpose))
    .about("transpose a matrix held in registers", "Transposes the 8 by 8 matrix of which each lane holds two neighbours of a row.")
    .sets(&[("m8n8", Slot::Shape, Set::Of(&[M8N8]))])
    .operands(&[dst("d", Is(B32)), src("a", Is(B32)).constants(Immediate::No)])
    .since(Floor::new(7, 8, 75))
    .examples(&["movmatrix.sync.aligned.m8n8.trans.b16 d, a;"])
    .refused(&[("movmatrix.sync.aligned.m8n8.b16 d, a;", "it can do nothing but transpose")]);

fn transpose(_: &Inst, _: Target) -> Whole {
    Whole::other(|sources, results| {
        // The half of a register that a row and a column name.
        let element = |row: usize, column: usize| {
            sources[0][4 * row + column / 2] >> (16 * (column % 2)) & 0xffff
        };
        for (lane, result) in results[0].iter_mut().enumerate() {
            let (g, t) = (lane / 4, lane % 4);
            *result = element(2 * t, g) | element(2 * t + 1, g) << 16;
        }
    })
}
