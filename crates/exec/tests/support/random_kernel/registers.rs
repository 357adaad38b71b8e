//! The registers that statements work on, how they get their first values, and the digest that tells of all of them.

use super::random::Random;
use margay_isa::{Ty, TypeRule, Word};
use std::fmt::Write;

/// A register that any statement may read and write.
pub struct Register {
    pub name: &'static str,
    pub ty: Word,
}

const fn register(name: &'static str, ty: Word) -> Register {
    Register { name, ty }
}

pub const REGISTERS: &[Register] = &[
    register("%p0", Word::Pred),
    register("%p1", Word::Pred),
    register("%p2", Word::Pred),
    register("%p3", Word::Pred),
    register("%h0", Word::B16),
    register("%h1", Word::B16),
    register("%hu", Word::U16),
    register("%hs", Word::S16),
    register("%r0", Word::B32),
    register("%r1", Word::B32),
    register("%r2", Word::B32),
    register("%r3", Word::B32),
    register("%r4", Word::B32),
    register("%r5", Word::B32),
    register("%r6", Word::B32),
    register("%r7", Word::B32),
    register("%ru", Word::U32),
    register("%rs", Word::S32),
    register("%d0", Word::B64),
    register("%d1", Word::B64),
    register("%d2", Word::B64),
    register("%d3", Word::B64),
    register("%du", Word::U64),
    register("%ds", Word::S64),
    register("%q0", Word::B128),
];

/// Registers beside those: `%v`, `%y` and `%x` hold something for a few lines, `%lp` for two, `%c` count loops, `%m` are masks of
/// lanes, `%u` are the same in all threads of the block.
pub const DECLARATIONS: &str = "\
.reg .pred %p<4>, %lp;
.reg .b16 %h<2>;
.reg .u16 %hu;
.reg .s16 %hs;
.reg .b32 %r<8>, %y<4>, %v<4>, %u<2>, %t, %gid, %cell, %srow, %c<64>, %m<64>;
.reg .u32 %ru;
.reg .s32 %rs;
.reg .b64 %d<4>, %x<4>, %in, %own, %plane, %row, %acc, %out, %gcell, %depot, %gdepot, %digest, %digits, %factor;
.reg .u64 %du;
.reg .s64 %ds;
.reg .b128 %q0;
";

/// First values of all registers, from two words that differ from thread to thread.
pub fn initial(text: &mut String, low: &str, high: &str) {
    let _ = write!(
        text,
        "xor.b64 %d0, {low}, {high};\nadd.u64 %d1, {low}, %d0;\nshr.u64 %d2, %d1, 7;\nnot.b64 %d3, %d2;\n\
         mov.b64 {{%r0, %r1}}, {low};\nmov.b64 {{%r2, %r3}}, {high};\nxor.b32 %r4, %r0, %r3;\nshr.u32 %r5, %r1, 28;\nadd.u32 %r6, %r5, %r2;\nnot.b32 %r7, %r4;\n\
         mov.b32 {{%h0, %h1}}, %r4;\nmov.b32 {{%hu, %hs}}, %r2;\nmov.b32 %ru, %r3;\nneg.s32 %rs, %r0;\n\
         mov.b64 %du, {high};\nmov.b64 %ds, %d0;\nmov.b128 %q0, {{%d0, %d2}};\n\
         setp.lt.s32 %p0|%p1, %r0, %r1;\nsetp.gt.u32 %p2|%p3, %r2, %r3;\n"
    );
}

/// Folds every register into `%digest`.
pub fn digest(text: &mut String) {
    text.push_str("mov.b64 %digest, 1;\nmov.b64 %factor, 0x9e3779b97f4a7c15;\nmov.b128 {%x0, %x1}, %q0;\n");
    let (mut predicates, mut words) = (Vec::new(), Vec::new());
    for register in REGISTERS {
        let name = register.name;
        let value = match register.ty.ty().map_or(0, Ty::width) {
            1 => {
                predicates.push(name);
                continue;
            }
            16 => format!("cvt.u64.u16 %digits, {name};\n"),
            32 if register.ty == Word::B32 => {
                // In pairs, which is shorter.
                words.push(name);
                match words.as_slice() {
                    [low, high] => {
                        let both = format!("mov.b64 %digits, {{{low}, {high}}};\n");
                        words.clear();
                        both
                    }
                    _ => continue,
                }
            }
            32 => format!("cvt.u64.u32 %digits, {name};\n"),
            64 => {
                let _ = writeln!(text, "mad.lo.u64 %digest, %digest, %factor, {name};");
                continue;
            }
            _ => "xor.b64 %digits, %x0, %x1;\n".into(),
        };
        text.push_str(&value);
        text.push_str("mad.lo.u64 %digest, %digest, %factor, %digits;\n");
    }
    text.push_str("mov.u32 %y0, 0;\n");
    for (k, name) in predicates.iter().enumerate() {
        let _ = writeln!(text, "@{name} or.b32 %y0, %y0, {};", 1 << k);
    }
    text.push_str("cvt.u64.u32 %digits, %y0;\nmad.lo.u64 %digest, %digest, %factor, %digits;\n");
}

/// A register that fits an operand and is not among the `taken`.
pub fn fitting(random: &mut Random, rule: TypeRule, want: Ty, taken: &[&str]) -> Option<&'static str> {
    let start = random.below(REGISTERS.len());
    let mut all = REGISTERS[start..].iter().chain(&REGISTERS[..start]);
    let fits = |register: &&Register| {
        register.ty.ty().is_some_and(|ty| rule.takes_register(want, ty)) && !taken.contains(&register.name)
    };
    all.find(fits).map(|register| register.name)
}

/// Registers of one type, all different, for the elements of a vector.
pub fn vector(random: &mut Random, rule: TypeRule, want: Ty, elements: usize) -> Option<Vec<&'static str>> {
    let fits = |register: &&Register| register.ty.ty().is_some_and(|ty| rule.takes_register(want, ty));
    let start = random.below(REGISTERS.len());
    let order = REGISTERS[start..].iter().chain(&REGISTERS[..start]).filter(fits);
    order.clone().find_map(|first| {
        let same: Vec<_> = order.clone().filter(|register| register.ty == first.ty).map(|r| r.name).collect();
        (same.len() >= elements).then(|| same[..elements].to_vec())
    })
}
