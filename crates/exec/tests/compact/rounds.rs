//! Loops that threads leave when their values say so, and branches within: nothing is loaded or stored in them.

use super::draw::{Draw, TOP};
use super::operations::operation;
use super::program::Stmt;

/// Whether a thread goes on, where `%q` holds: `A` is a register, `%i` the number of turns, `%o` is free.
const CONDITIONS: &[&str] = &[
    "and.b32 %o, A, 15;\nsetp.ne.and.u32 %q, %o, 0, %q;",
    "and.b32 %o, A, 0x300;\nsetp.ne.and.u32 %q, %o, 0x100, %q;",
    "and.b32 %o, %t, 7;\nsetp.lt.and.u32 %q, %i, %o, %q;",
    "shr.u32 %o, %t, 5;\nsetp.lt.and.u32 %q, %i, %o, %q;",
    "setp.lt.and.f32 %q, A, 0f42000000, %q;",
    "setp.ltu.and.f32 %q, A, 0f42000000, %q;",
    "setp.gt.and.s32 %q, A, 0, %q;",
    "setp.ne.and.u32 %q, A, 1, %q;",
    "",
];

/// One of them, and what is stored of it.
pub fn rounds(draw: &mut Draw) -> Vec<Stmt> {
    let text = turns(draw, 0);
    let mut all = vec![Stmt::Ops(text)];
    if draw.random.once_in(2) {
        all.push(Stmt::Ops(operation(draw, true)));
    }
    let at = draw.own(super::program::Space::Global, 4);
    all.push(Stmt::Store { at, width: super::places::WORD, from: vec![draw.word] });
    all.extend(draw.load(TOP));
    all
}

fn turns(draw: &mut Draw, depth: usize) -> String {
    let label = draw.label();
    let most = *draw.random.pick(&[3, 9, 17, 40]) >> (2 * depth);
    let mut text = format!("mov.u32 %i{depth}, 0;\nR{label}:\n");
    for _ in 0..1 + draw.random.below(4) {
        text += &match draw.random.below(8) {
            0 => branch(draw),
            1 if depth == 0 => turns(draw, 1),
            // Some leave in the middle of a turn.
            2 => format!("setp.ne.u32 %q, 0, 1;\n{}@!%q bra E{label};", condition(draw, depth)),
            _ => operation(draw, false),
        };
        text += "\n";
    }
    let condition = condition(draw, depth);
    // Where a thread's number of turns is needed, it differs from thread to thread.
    let word = draw.any_word();
    let counted = match draw.random.once_in(3) {
        true => String::new(),
        false => format!("\nxor.b32 %v{word}, %v{word}, %i{depth};"),
    };
    text + &format!(
        "add.u32 %i{depth}, %i{depth}, 1;\nsetp.lt.u32 %q, %i{depth}, {most};\n{condition}@%q bra R{label};\nE{label}:{counted}"
    )
}

fn condition(draw: &mut Draw, depth: usize) -> String {
    let one = *draw.random.pick(CONDITIONS);
    let one = one.replace(" A,", &format!(" %v{},", draw.word)).replace("%i", &format!("%i{depth}"));
    if one.is_empty() { one } else { one + "\n" }
}

/// Operations that some threads skip, and perhaps others that they carry out instead.
fn branch(draw: &mut Draw) -> String {
    let label = draw.label();
    let (a, b) = (draw.word, draw.any_word());
    let ask = draw.random.pick(&["lt.u32", "ge.s32", "lt.f32", "neu.f32"]);
    let (mut then, mut other) = (String::new(), String::new());
    for _ in 0..1 + draw.random.below(3) {
        then += &(operation(draw, false) + "\n");
    }
    if draw.random.once_in(2) {
        other = operation(draw, false) + "\n";
    }
    format!(
        "setp.{ask} %q, %v{a}, %v{b};\n@%q bra T{label};\n{then}bra.uni F{label};\nT{label}:\n{other}F{label}:"
    )
}
