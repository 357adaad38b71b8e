//! Functions: by name, by address with a prototype or a list, recursive, calling others, waiting for all threads; with structures,
//! parameters and registers.

use super::random::Random;
use super::recursion;
use super::registers::{self, DECLARATIONS};
use super::statements::statement;
use super::writer::{Place, Writer};

/// The text of all functions that the kernel calls.
pub fn define(w: &mut Writer, seed: u64) {
    w.text.push_str(
        ".func (.param .b32 result) recursive(.param .b32 n, .param .b32 x)\n{\n.reg .b32 %n, %x;\n.reg .pred %p;\n\
         .param .b32 less;\n.param .b32 y;\n.param .b32 back;\nld.param.b32 %n, [n];\nld.param.b32 %x, [x];\n\
         setp.eq.u32 %p, %n, 0;\n@%p bra DONE;\nsub.u32 %n, %n, 1;\nxor.b32 %x, %x, %n;\nst.param.b32 [less], %n;\n\
         st.param.b32 [y], %x;\ncall (back), recursive, (less, y);\nld.param.b32 %n, [back];\nmad.lo.u32 %x, %n, 3, %x;\n\
         DONE:\nst.param.b32 [result], %x;\nret;\n}\n\
         .func (.reg .b32 %z) registers(.reg .b32 %x, .reg .b64 %y)\n{\n.reg .b32 %t;\ncvt.u32.u64 %t, %y;\n\
         prmt.b32 %z, %x, %t, 0x3526;\nret;\n}\n\
         .func (.param .b32 result) meet(.param .b32 x, .reg .b32 %t)\n{\n.reg .b32 %x, %n;\n.reg .pred %p;\n\
         .local .align 8 .b8 kept[16];\nld.param.b32 %x, [x];\nst.local.v2.u32 [kept+8], {%x, %t};\n\
         setp.lt.u32 %p, %x, %t;\nbar.red.popc.u32 %n, 0, %p;\nld.local.u32 %x, [kept+12];\nadd.u32 %n, %n, %x;\n\
         setp.gt.u32 %p, %n, 0x7fffffff;\nst.param.b32 [result], %n;\n@%p ret;\nld.local.u32 %x, [kept+8];\n\
         xor.b32 %n, %n, %x;\nst.param.b32 [result], %n;\nret;\n}\n",
    );
    w.random = Random::new(seed, 499);
    recursion::define(w);
    for k in 0..w.traits.functions {
        w.random = Random::new(seed, 500 + u64::from(k));
        w.functions = k;
        w.fresh_registers();
        w.text.push_str(&format!(
            ".func (.param .b64 result) f{k}(.param .b32 a, .param .align 8 .b8 s[16], .param .b64 own, .param .b64 in)\n{{\n"
        ));
        w.text.push_str(DECLARATIONS);
        w.text.push_str(
            ".local .align 16 .b8 depot[64];\nld.param.b64 %own, [own];\nld.param.b64 %in, [in];\n\
             ld.param.b64 %x0, [s];\nld.param.b64 %x1, [s+8];\nld.param.b32 %gid, [a];\n",
        );
        registers::initial(&mut w.text, "%x0", "%x1");
        local(&mut w.text);
        let place = Place {
            depth: 2,
            in_function: true,
            whole: false,
            writes_shared: false,
            leave: None,
            lanes: None,
        };
        if k > 0 && w.random.once_in(2) {
            call(w, &place);
        }
        for _ in 0..2 + w.random.below(3) {
            statement(w, &place);
        }
        registers::digest(&mut w.text);
        w.text.push_str("st.param.b64 [result], %digest;\nret;\n}\n");
    }
    w.functions = w.traits.functions;
    w.fresh_registers();
}

/// First values of local memory, and its addresses.
pub fn local(text: &mut String) {
    text.push_str("mov.u64 %depot, depot;\ncvta.local.u64 %gdepot, %depot;\n");
    for at in (0..64).step_by(16) {
        text.push_str(&format!("st.local.v2.u64 [depot+{at}], {{%d0, %d1}};\n"));
    }
}

/// A call of a function that has been written: of one that all threads of the block come to, only where all of them come.
pub fn call(w: &mut Writer, place: &Place) {
    if place.whole && w.random.once_in(3) {
        w.feature("barrier in a function");
        let (a, d) = (w.word(), w.word());
        w.text.push_str(&format!(
            "{{\n.param .b32 x;\n.param .b32 back;\nst.param.b32 [x], {a};\ncall (back), meet, (x, %gid);\n\
             ld.param.b32 {d}, [back];\n}}\n"
        ));
        return;
    }
    if place.in_function {
        w.feature("nested call");
    }
    let (a, low, high, to) = (w.word(), w.random.below(4), w.random.below(4), w.random.below(4));
    let count = w.functions as usize;
    let [one, other] = [0, 1].map(|_| w.random.below(count));
    let guard = if w.random.once_in(4) { w.guard() } else { String::new() };
    match w.random.below(5) {
        0 if w.random.once_in(2) => return recursion::call(w, &guard),
        0 => {
            w.feature("recursion");
            let b = w.word();
            w.line(format!("and.b32 %y0, {a}, 7"));
            w.text.push_str(&format!(
                "{{\n.param .b32 n;\n.param .b32 x;\n.param .b32 back;\nst.param.b32 [n], %y0;\nst.param.b32 [x], {b};\n\
                 call (back), recursive, (n, x);\nld.param.b32 {b}, [back];\n}}\n"
            ));
            return;
        }
        1 => {
            w.feature("register parameters");
            let d = w.word();
            w.line(format!("{guard}call ({d}), registers, ({a}, %d{low})"));
            return;
        }
        _ => {}
    }
    w.text.push_str(&format!(
        "{{\n.param .b32 given;\n.param .align 8 .b8 both[16];\n.param .b64 p;\n.param .b64 i;\n.param .b64 back;\n\
         st.param.b64 [back], %d{to};\n"
    ));
    let feature;
    let line = match w.random.below(3) {
        0 => {
            feature = "call";
            format!("call (back), f{one}, (given, both, p, i)")
        }
        kind => {
            let (list, p) = (w.label(), w.random.below(4));
            w.line(format!("mov.u64 %x0, f{one}"));
            w.line(format!("mov.u64 %x1, f{other}"));
            w.line(format!("selp.b64 %x0, %x0, %x1, %p{p}"));
            let declared = match kind {
                1 => {
                    feature = "call by prototype";
                    ".callprototype (.param .b64 _) _ (.param .b32 _, .param .align 8 .b8 _[16], .param .b64 _, .param .b64 _)"
                        .to_string()
                }
                _ => {
                    feature = "call by list";
                    let names: Vec<String> = (0..count).map(|k| format!("f{k}")).collect();
                    format!(".calltargets {}", names.join(", "))
                }
            };
            w.line(format!("L{list}: {declared}"));
            format!("call (back), %x0, (given, both, p, i), L{list}")
        }
    };
    w.feature(feature);
    w.line(format!("st.param.b32 [given], {a}"));
    w.line(format!("st.param.b64 [both], %d{low}"));
    w.line(format!("st.param.b64 [both+8], %d{high}"));
    w.line("st.param.b64 [p], %own");
    w.line("st.param.b64 [i], %in");
    w.line(format!("{guard}{line}"));
    w.line(format!("ld.param.b64 %d{to}, [back]"));
    w.text.push_str("}\n");
}
