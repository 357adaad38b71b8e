//! `movmatrix`: transpose a matrix that a warp holds.
use super::ldmatrix::M8N8;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.5.17", &["movmatrix"], &[
    line("movmatrix.sync.aligned.m8n8.trans.b16 d, a"),
], Meaning::NotYet)
    .about("transpose a matrix held in registers", "Transposes the 8 by 8 matrix of which each lane holds two neighbours of a row.")
    .sets(&[("m8n8", Slot::Shape, Set::Of(&[M8N8]))])
    .operands(&[dst("d", Is(B32)), src("a", Is(B32)).constants(Immediate::No)])
    .since(Floor::new(7, 8, 75))
    .examples(&["movmatrix.sync.aligned.m8n8.trans.b16 d, a;"])
    .refused(&[("movmatrix.sync.aligned.m8n8.b16 d, a;", "it can do nothing but transpose")]);
