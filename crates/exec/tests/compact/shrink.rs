//! Making a program that shows something small.

use super::order::first_conflict;
use super::program::{Loop, Program, Stmt};

/// A program that still shows what `shows` looks for, none of whose parts can be left out.
pub fn smallest(mut best: Program, shows: impl Fn(&Program) -> bool) -> Program {
    loop {
        let smaller = candidates(&best).into_iter().filter(|program| first_conflict(program).is_none());
        match smaller.into_iter().find(&shows) {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Programs with a little less.
fn candidates(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Program)| {
        let mut changed = program.clone();
        change(&mut changed);
        all.push(changed);
    };
    if program.ctas() > 1 {
        add(&|program| program.grid = [1, 1]);
    }
    if program.ctas() > 2 {
        add(&|program| program.grid = [2, 1]);
    }
    if !program.digest.is_empty() {
        add(&|program| program.digest.clear());
    }
    if program.style.loaded {
        add(&|program| program.style.loaded = false);
    }
    if program.style.generic != [false; 2] {
        add(&|program| program.style.generic = [false; 2]);
    }
    for body in without_one(&program.body) {
        add(&|program| program.body = body.clone());
    }
    all
}

/// Statements without one of them, or with one of them made simpler.
fn without_one(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for k in 0..body.len() {
        let mut less = body.to_vec();
        less.remove(k);
        all.push(less);
    }
    for (k, stmt) in body.iter().enumerate() {
        let mut add = |changed: Stmt| {
            let mut less = body.to_vec();
            less[k] = changed;
            all.push(less);
        };
        if let Stmt::Loop(one) = stmt
            && one.turns > 1
        {
            [1, one.turns / 2, one.turns - 1].into_iter().for_each(|turns| {
                // Of a single turn nobody leaves early.
                let cut = if turns == 1 { 0 } else { one.cut };
                add(Stmt::Loop(Loop { turns, cut, ..one.clone() }));
            });
        }
        // Labels and branches to them stay together.
        if let Stmt::Ops(ops) = stmt
            && !ops.contains("bra")
            && let Some((first, rest)) = ops.split_once('\n')
        {
            [first, rest].into_iter().for_each(|ops| add(Stmt::Ops(ops.to_string())));
        }
        for inside in stmt.body().map(|inside| without_one(inside)).unwrap_or_default() {
            let mut changed = stmt.clone();
            changed.body_mut().into_iter().for_each(|body| body.clone_from(&inside));
            add(changed);
        }
    }
    all
}
