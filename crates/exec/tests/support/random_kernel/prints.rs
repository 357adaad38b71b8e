//! Calls that print: whole lines, begun ones, and what no thread prints.

use super::writer::Writer;

/// The function, and formats: a line, the beginning of one, two lines of which one is empty, text alone, nothing.
pub const DECLARATIONS: &str = "\
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 formats[40] = {37,120,32,37,108,100,10,0, 37,100,44,32,0,0,0,0, 37,117,10,10,0,0,0,0, 101,110,100,10,0,0,0,0, 0,0,0,0,0,0,0,0};
";

/// A line of one of these formats; how many values it takes goes to a register, or nowhere.
pub fn print(w: &mut Writer) {
    w.feature("prints");
    let (a, d, from, format) = (w.word(), w.word(), w.random.below(4), w.random.below(5));
    let guard = if w.random.once_in(3) { w.guard() } else { String::new() };
    let back = w.random.once_in(2);
    w.text.push_str("{\n.param .b64 f;\n.param .b64 v;\n.param .b32 back;\n");
    w.line(format!("st.local.u32 [depot], {a}"));
    w.line(format!("st.local.u64 [depot+8], %d{from}"));
    w.line("mov.u64 %x0, formats");
    w.line(format!("add.u64 %x0, %x0, {}", 8 * format));
    w.line("st.param.b64 [f], %x0");
    w.line("st.param.b64 [v], %gdepot");
    if back {
        // Where the guard does not hold it is read all the same.
        w.line("st.param.b32 [back], 7");
        w.line(format!("{guard}call (back), vprintf, (f, v)"));
        w.line(format!("ld.param.b32 {d}, [back]"));
    } else {
        w.line(format!("{guard}call (_), vprintf, (f, v)"));
    }
    w.text.push_str("}\n");
}
