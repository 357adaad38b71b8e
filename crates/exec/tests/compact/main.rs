//! Compact random kernels give the same on both engines: a few loads, operations and stores at addresses that meet, with barriers between
//! them just where they are needed, so that most of a kernel is one fused loop or one loop of turns. One in three computes
//! with floating-point numbers, one in four by any instruction, and one in three whose warps are whole with matrices.
//!
//! `MARGAY_RANDOM_KERNELS` says how many kernels are judged, `MARGAY_RANDOM_SEED` the first one's seed.

mod addresses;
mod any;
mod draw;
mod floats;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random_kernel/forms.rs"]
mod forms;
mod judge;
mod matrices;
mod operations;
mod order;
mod places;
mod program;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random_kernel/random.rs"]
mod random;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random_kernel/registers.rs"]
mod registers;
mod rounds;
#[path = "../support/random_kernel/said.rs"]
mod said;
mod shapes;
mod shrink;
mod text;

use draw::draw;
use judge::{races, wrong_or_refused};
use program::{Program, Stmt, Those};
use said::judge_all;
use shrink::smallest;
use text::text;

/// Kernels that are judged if nothing else is said.
const KERNELS: u64 = 400;

#[test]
fn both_engines_give_the_same() {
    let wrong = |seed| {
        let program = draw(seed);
        wrong_or_refused(&program).map(|_| program)
    };
    judge_all(KERNELS, wrong, |program| {
        let small = smallest(program, |program| wrong_or_refused(program).is_some());
        let what = wrong_or_refused(&small).unwrap_or_default();
        let Program { block, grid, alias, .. } = small;
        format!("grid {grid:?}, block {block:?}, pointers {alias} bytes apart: {what}\n{}", text(&small))
    });
}

#[test]
fn no_program_has_a_race() {
    for seed in 0..100 {
        let program = draw(seed);
        let races = races(&program);
        assert!(races.is_none(), "seed {seed}: {races:?}\n{}", text(&program));
    }
}

/// How often something occurs in statements and what they hold.
fn count(body: &[Stmt], wanted: &dyn Fn(&Stmt) -> bool) -> usize {
    body.iter()
        .map(|stmt| usize::from(wanted(stmt)) + stmt.body().map_or(0, |body| count(body, wanted)))
        .sum()
}

type Is = fn(&Stmt) -> bool;

#[test]
fn all_statements_occur() {
    let wanted: [(&str, Is); 15] = [
        ("load", |stmt| matches!(stmt, Stmt::Load { .. })),
        ("gather", |stmt| matches!(stmt, Stmt::Gather { .. })),
        ("store", |stmt| matches!(stmt, Stmt::Store { .. })),
        ("twisted load", |stmt| matches!(stmt, Stmt::Load { at, .. } if at.twist != 0)),
        ("copy", |stmt| matches!(stmt, Stmt::Copies { .. })),
        ("atomic operation", |stmt| matches!(stmt, Stmt::Atomic { .. })),
        ("barrier", |stmt| matches!(stmt, Stmt::Barrier(_))),
        ("barrier of warps", |stmt| matches!(stmt, Stmt::WarpBarrier)),
        ("loop", |stmt| matches!(stmt, Stmt::Loop(_))),
        ("loop that threads leave", |stmt| matches!(stmt, Stmt::Loop(one) if one.cut > 0)),
        ("matrices", |stmt| matches!(stmt, Stmt::Matrices { .. })),
        ("product of matrices", |stmt| matches!(stmt, Stmt::Ops(ops) if ops.contains("mma"))),
        ("loop that values end", |stmt| matches!(stmt, Stmt::Ops(ops) if ops.contains("bra R"))),
        ("guard by values", |stmt| matches!(stmt, Stmt::Guarded { those: Those::Less(..), .. })),
        ("guard", |stmt| matches!(stmt, Stmt::Guarded { .. })),
    ];
    let programs: Vec<Program> = (0..200).map(draw).collect();
    for (name, wanted) in wanted {
        let found = programs.iter().filter(|program| count(&program.body, &wanted) > 0).count();
        assert!(found > 5, "{name}: {found} of 200");
    }
    let floating = programs.iter().filter(|program| program.style.floating).count();
    assert!((30..100).contains(&floating), "{floating} of 200");
}
