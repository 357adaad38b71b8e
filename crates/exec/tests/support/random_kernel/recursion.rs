//! A function that calls itself from several places: by name and by address, by way of another one, in threads that part; with
//! structures, a parameter in a register and local memory at places that are known or not.

use super::writer::Writer;

/// The text of the functions, one of which calls the other.
pub fn define(w: &mut Writer) {
    let chosen = |w: &mut Writer, texts: &[&str]| {
        let k = w.random.below(texts.len());
        texts[k].to_string()
    };
    let kept = w.random.below(2) * 8;
    let touched = chosen(
        w,
        &[
            "",
            // A place that is not known, in the frame of this call.
            "and.b32 %i, %w, 3;\nmul.wide.u32 %at, %i, 8;\nadd.u64 %at, %at, %kept;\nst.local.b64 [%at], %b;\n\
             ld.local.b64 %x, [%at];\nxor.b64 %a, %a, %x;\n",
            // One of another call, by its generic address.
            "setp.ne.u64 %q, %other, 0;\n@%q ld.b64 %x, [%other];\n@%q add.u64 %a, %a, %x;\n",
            "setp.ne.u64 %q, %other, 0;\n@%q ld.b64 %x, [%other+-8];\n@%q add.u64 %a, %a, %x;\n",
            "setp.ne.u64 %q, %other, 0;\n@%q ld.v2.b64 {%x, %at}, [%other+-16];\n@%q xor.b64 %x, %x, %at;\n@%q add.u64 %a, %a, %x;\n",
        ],
    );
    let passed = chosen(w, &["%gen", "%gen", "%other", "0"]);
    let first = chosen(
        w,
        &[
            "call (back), tree, (less, both, %t, other);\n",
            "call (back), by_way, (less, both, %t, other);\n",
            "mov.u64 %at, tree;\nP0: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .param .align 8 .b8 _[16], \
             .reg .b32 _, .param .b64 _);\ncall (back), %at, (less, both, %t, other), P0;\n",
            "L0: .calltargets tree, by_way;\nmov.u64 %at, tree;\nmov.u64 %x, by_way;\nselp.b64 %at, %at, %x, %p;\n\
             call (back), %at, (less, both, %t, other), L0;\n",
        ],
    );
    let second = chosen(
        w,
        &[
            "@%q call (back), tree, (less, both, %t, other);\n",
            "@!%q call (back), by_way, (less, both, %t, other);\n",
            "",
            "@%q bra AGAIN;\n",
        ],
    );
    let back = chosen(w, &["@%p ret;\n", "@%p bra DONE;\n"]);
    let declared = ".param .b32 less;\n.param .align 8 .b8 both[16];\n.param .align 8 .b8 back[16];\n.param .b64 other;\n";
    w.text.push_str(&format!(
        ".func (.param .align 8 .b8 result[16]) tree(.param .b32 n, .param .align 8 .b8 pair[16], .reg .b32 %w, .param .b64 place);\n\
         .func (.param .align 8 .b8 result[16]) by_way(.param .b32 n, .param .align 8 .b8 pair[16], .reg .b32 %w, .param .b64 place)\n\
         {{\n.reg .b32 %n, %t;\n.reg .b64 %a, %b, %other;\n{declared}\
         ld.param.b32 %n, [n];\nld.param.b64 %a, [pair];\nld.param.b64 %b, [pair+8];\nld.param.b64 %other, [place];\n\
         add.u64 %a, %a, %b;\nst.param.b32 [less], %n;\nst.param.b64 [both], %b;\nst.param.b64 [both+8], %a;\n\
         st.param.b64 [other], %other;\nxor.b32 %t, %w, %n;\ncall (back), tree, (less, both, %t, other);\n\
         ld.param.b64 %a, [back];\nst.param.b64 [result+8], %a;\nld.param.b64 %b, [back+8];\nadd.u64 %b, %b, %a;\n\
         st.param.b64 [result], %b;\nret;\n}}\n\
         .func (.param .align 8 .b8 result[16]) tree(.param .b32 n, .param .align 8 .b8 pair[16], .reg .b32 %w, .param .b64 place)\n\
         {{\n.reg .b32 %n, %t, %i;\n.reg .b64 %a, %b, %x, %at, %kept, %gen, %other;\n.reg .pred %p, %q;\n\
         .local .align 16 .b8 kept[32];\n{declared}\
         mov.u64 %kept, kept;\nadd.u64 %x, %kept, 16;\ncvta.local.u64 %gen, %x;\nld.param.b64 %other, [place];\n\
         ld.param.b32 %n, [n];\nld.param.b64 %a, [pair];\nld.param.b64 %b, [pair+8];\nst.local.b64 [kept+{kept}], %a;\n{touched}\
         st.param.b64 [result], %a;\nst.param.b64 [result+8], %b;\nsetp.eq.u32 %p, %n, 0;\n{back}\
         AGAIN:\nsub.u32 %n, %n, 1;\nand.b32 %t, %w, 1;\nsetp.eq.u32 %q, %t, 0;\nshr.u32 %t, %w, 1;\nxor.b32 %t, %t, %n;\n\
         setp.lt.u32 %p, %t, 5;\n\
         st.param.b32 [less], %n;\nst.param.b64 [both], %b;\nst.param.b64 [both+8], %a;\nst.param.b64 [other], {passed};\n\
         st.param.b64 [back+8], %b;\n{first}\
         ld.param.b64 %x, [back];\nmad.lo.u64 %a, %a, 3, %x;\nld.param.b64 %x, [back+8];\nxor.b64 %b, %b, %x;\n\
         setp.gt.u32 %p, %n, 0;\nand.pred %q, %p, %q;\nadd.u32 %t, %t, 1;\n{second}\
         ld.param.b64 %x, [back];\nadd.u64 %b, %b, %x;\nld.local.b64 %x, [kept+{kept}];\nadd.u64 %a, %a, %x;\n\
         st.param.b64 [result], %a;\nst.param.b64 [result+8], %b;\nDONE:\nret;\n}}\n"
    ));
}

/// A call of it.
pub fn call(w: &mut Writer, guard: &str) {
    w.feature("recursion");
    let (a, low, high, to) = (w.word(), w.random.below(4), w.random.below(4), w.random.below(4));
    w.line(format!("and.b32 %y0, {a}, 3"));
    w.line("add.u64 %x1, %gdepot, 16");
    w.text.push_str(&format!(
        "{{\n.param .b32 n;\n.param .align 8 .b8 both[16];\n.param .align 8 .b8 back[16];\n.param .b64 place;\n\
         st.param.b32 [n], %y0;\nst.param.b64 [both], %d{low};\nst.param.b64 [both+8], %d{high};\n\
         st.param.b64 [place], %x1;\nst.param.b64 [back+8], %d{to};\n{guard}call (back), tree, (n, both, {a}, place);\nld.param.b64 %d{to}, [back+8];\n}}\n"
    ));
}
