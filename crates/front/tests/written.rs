//! Registers that are read before they are written: what is warned of, and what is right.

use margay_front::check::{Options, check};
use margay_front::diag::codes;
use margay_front::{Diagnostic, Severity, Source};

/// What a kernel is made around: values to read, an address to store to, predicates that hang together with nothing.
const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64
.extern .func stop() .noreturn;
.func (.reg .u32 d) twice(.reg .u32 a) { add.u32 d, a, a; ret; }
.func (.param .b32 d) thrice(.param .b32 a) { .reg .u32 %r; ld.param.u32 %r, [a]; st.param.b32 [d], %r; ret; }
.entry k(.param .u64 out) {
.reg .u32 %r<9>, %t, %n; .reg .u64 %rd<9>, %to; .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b128 %q;
ld.param.u64 %to, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; setp.gt.u32 %p7, %t, 5; setp.gt.u32 %p8, %n, 5;\n";

fn warnings(text: &str) -> Vec<Diagnostic> {
    let diagnostics = check(&Source::new("k.ptx", text), Options::default()).diagnostics;
    assert!(diagnostics.iter().all(|d| d.severity != Severity::Error), "{text}\n{diagnostics:?}");
    diagnostics.into_iter().filter(|d| d.severity == Severity::Warning).collect()
}

/// The messages about a kernel with this body.
fn said(body: &str) -> Vec<String> {
    warnings(&format!("{HEAD}{body}\nret; }}\n")).into_iter().map(|d| d.message).collect()
}

const NEVER: &str = "`%r0` is read but never written";
const BEFORE: &str = "`%r0` is read before it is written";
const MAY: &str = "`%r0` may be read before it is written";

#[test]
fn a_register_that_nothing_writes_is_named_once() {
    for body in [
        "add.u32 %r1, %r0, 1;",
        "add.u32 %r1, %t, %r0; add.u32 %r2, %r0, %r0;",
        "st.global.u32 [%to], %r0;",
        "@%p7 st.global.u32 [%to], %r0;",
        "st.global.v2.u32 [%to], {%t, %r0};",
        "mov.b64 %rd1, {%t, %r0};",
        "call (%r1), twice, (%r0);",
        "atom.global.add.u32 %r1, [%to], %r0;",
        "red.global.add.u32 [%to], %r0;",
        "shfl.sync.idx.b32 %r1|%p1, %r0, 0, 31, -1;",
        "selp.u32 %r1, %t, %r0, %p7;",
        "setp.eq.u32 %p1, %r0, 123456789;",
        "setp.eq.u32 %p1, %r0, %t;",
        "xor.b32 %r1, %r0, %t;",
        "lop3.b32 %r1, %r0, %t, %n, 0x96;",
        "vadd4.u32.u32.u32 %r1, %r0, %t, %n;",
    ] {
        assert_eq!(said(body), [NEVER], "{body}");
    }
    let address = said("ld.global.u32 %r1, [%rd0+4];");
    assert_eq!(address, ["`%rd0` is read but never written"]);
    let guard = said("@!%p0 mov.u32 %r0, 1;");
    assert_eq!(guard, ["`%p0` is read but never written"]);
    let half = said("mov.b32 %r1, {%h0, %h1}; mov.u16 %h0, 1;");
    assert_eq!(half, ["`%h0` is read before it is written", "`%h1` is read but never written"]);
}

#[test]
fn a_write_that_some_path_leaves_out_is_warned_of() {
    for body in [
        "@%p7 bra over; mov.u32 %r0, 1; over: st.global.u32 [%to], %r0;",
        "@%p7 mov.u32 %r0, 1; st.global.u32 [%to], %r0;",
        "@%p7 mov.u32 %r0, 1; @%p8 st.global.u32 [%to], %r0;",
        "@%p7 mov.u32 %r0, 1; @!%p7 st.global.u32 [%to], %r0;",
        "@%p7 mov.u32 %r0, 1; setp.lt.u32 %p7, %t, 9; @%p7 st.global.u32 [%to], %r0;",
        "@%p7 bra a; @%p8 bra b; mov.u32 %r0, 1; bra c; b: mov.u32 %r0, 2; bra c; a: add.u32 %r1, %t, 1; c: add.u32 %r2, %r0, 1;",
        "more: setp.lt.u32 %p1, %t, %n; @!%p1 bra done; mov.u32 %r0, 2; add.u32 %t, %t, 1; bra more; done: add.u32 %r1, %r0, 1;",
        "list: .branchtargets a, b; brx.idx %t, list; a: mov.u32 %r0, 1; b: add.u32 %r1, %r0, 1;",
        "@%p7 call (%r0), twice, (%t); add.u32 %r1, %r0, 1;",
        "@%p7 ld.global.v2.u32 {%r0, %r1}, [%to]; add.u32 %r2, %r0, 1;",
    ] {
        let found = said(body);
        assert!(found.contains(&MAY.to_string()), "{body}: {found:?}");
    }
}

#[test]
fn a_read_that_always_comes_first_is_no_mere_possibility() {
    for body in [
        "add.u32 %r0, %r0, 1;",
        "more: add.u32 %r1, %r0, 1; mov.u32 %r0, 5; setp.lt.u32 %p1, %r1, %n; @%p1 bra more;",
        "add.u32 %r1, %r0, 1; @%p7 mov.u32 %r0, 1;",
    ] {
        assert_eq!(said(body), [BEFORE], "{body}");
    }
}

#[test]
fn what_is_written_on_every_path_is_right() {
    for body in [
        "@%p7 bra a; mov.u32 %r0, 1; bra c; a: mov.u32 %r0, 2; c: st.global.u32 [%to], %r0;",
        "mov.u32 %r0, 0; more: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, %n; @%p1 bra more; add.u32 %r1, %r0, 1;",
        "@%p7 ret; mov.u32 %r0, 1; add.u32 %r1, %r0, 1;",
        "@%p7 bra a; mov.u32 %r0, 1; bra c; a: trap; c: add.u32 %r1, %r0, 1;",
        "@%p7 bra a; mov.u32 %r0, 1; bra c; a: exit; c: add.u32 %r1, %r0, 1;",
        "@%p7 bra a; mov.u32 %r0, 1; bra c; a: call stop; c: add.u32 %r1, %r0, 1;",
        "call (%r0), twice, (%t); add.u32 %r1, %r0, 1;",
        "{ .param .b32 x, y; st.param.b32 [x], %t; call (y), thrice, (x); ld.param.b32 %r0, [y]; } add.u32 %r1, %r0, 1;",
        "mov.b64 {%r0, %r1}, %to; add.u32 %r2, %r0, %r1;",
        "mov.b64 {_, %r0}, %to; add.u32 %r2, %r0, 1;",
        "ld.global.v4.u32 {%r0, %r1, _, %r2}, [%to]; add.u32 %r3, %r0, %r2;",
        "shfl.sync.idx.b32 %r0|%p1, %t, 0, 31, -1; @%p1 add.u32 %r1, %r0, 1;",
        "atom.global.add.u32 %r0, [%to], 1; add.u32 %r1, %r0, 1;",
        "list: .branchtargets a, b; brx.idx %t, list; a: mov.u32 %r0, 1; bra c; b: mov.u32 %r0, 2; c: add.u32 %r1, %r0, 1;",
        "{ .reg .pred %p; setp.eq.u32 %p, %t, 1; @%p mov.u32 %r1, 1; } { .reg .pred %p; setp.ne.u32 %p, %t, 1; @%p mov.u32 %r1, 2; }",
        "{ .reg .v2 .u32 v; mov.u32 v.x, 1; mov.u32 v.y, 2; st.global.v2.u32 [%to], v; }",
        "bra end; add.u32 %r1, %r0, 1; end:",
        "mov.b128 %q, {%to, %to}; mov.b128 {%rd0, %rd1}, %q; add.u64 %rd2, %rd0, %rd1;",
    ] {
        assert_eq!(said(body), [""; 0], "{body}");
    }
}

#[test]
fn guards_and_branches_on_one_predicate_go_together() {
    for body in [
        "@%p7 mov.u32 %r0, 1; @%p7 st.global.u32 [%to], %r0;",
        "@%p7 mov.u32 %r0, 1; @!%p7 mov.u32 %r0, 2; add.u32 %r1, %r0, 1;",
        "@!%p7 bra over; mov.u32 %r0, 1; over: add.u32 %r1, %t, 1; @%p7 st.global.u32 [%to], %r0;",
        "@%p7 bra a; mov.u32 %r0, 1; a: add.u32 %r1, %t, 1; @%p7 bra b; st.global.u32 [%to], %r0; b: add.u32 %r2, %t, 2;",
        "@%p7 bra a; @%p8 bra a; mov.u32 %r0, 1; a: bar.sync 0; @%p7 bra b; @%p8 bra b; st.global.u32 [%to], %r0; b: bar.sync 0;",
        "setp.lt.u32 %p1|%p2, %t, 4; @%p1 mov.u32 %r0, 1; @%p2 mov.u32 %r0, 2; add.u32 %r1, %r0, 1;",
        "more: setp.lt.u32 %p1|%p2, %t, %n; @%p1 mov.u32 %r0, 1; @%p2 mov.u32 %r0, 2; add.u32 %t, %t, %r0; @%p1 bra more;",
        "not.pred %p1, %p7; @%p1 mov.u32 %r0, 1; @%p7 mov.u32 %r0, 2; add.u32 %r1, %r0, 1;",
        "mov.pred %p1, %p7; @%p1 mov.u32 %r0, 1; @%p7 st.global.u32 [%to], %r0;",
        "@%p7 ret; @!%p7 mov.u32 %r0, 1; add.u32 %r1, %r0, 1;",
        "@%p7 mov.u32 %r0, 1; @%p7 add.u32 %r0, %r0, 1; @%p7 setp.lt.u32 %p1, %r0, 3; bar.sync 0; @%p7 mov.u32 %r2, %r0;",
    ] {
        assert_eq!(said(body), [""; 0], "{body}");
    }
}

#[test]
fn a_value_that_cannot_show_is_not_warned_of() {
    for body in [
        "xor.b32 %r1, %r0, %r0;",
        "sub.u32 %r1, %r0, %r0;",
        "and.b32 %r1, %r0, 0;",
        "mul.lo.u32 %r1, %r0, 0;",
        "or.b32 %r1, %r0, -1;",
        "lop3.b32 %r1, %r0, %t, %n, 0xff;",
        "lop3.b32 %r1, %r0, %t, %n, 0x88;",
        "prmt.b32 %r1, %t, %r0, 0x3210;",
        "setp.eq.u32 %p1, %r0, %r0;",
        "bfi.b32 %r1, %t, %r0, 0, 32;",
        "mov.b64 {%r1, %r2}, %to; xor.b32 %r0, %r0, %r0; add.u32 %r1, %r1, %r0;",
    ] {
        assert_eq!(said(body), [""; 0], "{body}");
    }
    for body in [
        "prmt.b32 %r1, %t, %r0, 0x3214;",
        "lop3.b32 %r1, %r0, %t, %n, 0x80;",
        "and.b32 %r1, %r0, 0x80000000;",
    ] {
        assert_eq!(said(body), [NEVER], "{body}");
    }
}

#[test]
fn the_labels_say_where_the_paths_part() {
    let text = format!("{HEAD}@%p7 bra over;\nmov.u32 %r0, 1;\nover: st.global.u32 [%to], %r0;\nret; }}\n");
    let [warning] = &warnings(&text)[..] else { panic!() };
    let labels: Vec<_> = warning.labels.iter().map(|l| (&text[l.span.range()], l.text.as_str())).collect();
    assert_eq!(
        labels,
        [
            ("st.global.u32 [%to], %r0;", "its value may be undefined here"),
            ("mov.u32 %r0, 1;", "written here"),
            ("@%p7 bra over;", "not written if this branch is taken"),
        ]
    );
    assert_eq!(warning.code, codes::MAYBE_UNWRITTEN);
}

#[test]
fn nothing_is_said_where_there_are_errors() {
    let text = format!("{HEAD}add.u32 %r1, %r0, 1; add.u32 %r1, %nowhere, 1; ret; }}");
    let found = check(&Source::new("k.ptx", text), Options::default()).diagnostics;
    assert!(found.iter().all(|d| d.severity == Severity::Error), "{found:?}");
}

#[test]
fn registers_that_live_across_thousands_of_branches_are_all_counted() {
    const COUNT: usize = 40_000;
    let mut text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {{\n.reg .u32 %r<{COUNT}>; .reg .pred %p<{COUNT}>;\n"
    );
    text += "mov.u32 %r0, %tid.x;\n";
    // Each register is written on one side of a branch only, and read at the end of all.
    for k in 1..COUNT {
        text += &format!("setp.eq.u32 %p{k}, %r0, {k}; @%p{k} bra L{k}; mov.u32 %r{k}, {k}; L{k}:\n");
    }
    for k in 1..COUNT {
        text += &format!("add.u32 %r0, %r0, %r{k};\n");
    }
    text += "ret; }\n";
    let found = warnings(&text);
    let all: usize = found.iter().map(|d| d.message.split(' ').next().unwrap().parse().unwrap_or(1)).sum();
    assert_eq!(all, COUNT - 1);
    assert!(found.iter().all(|d| d.code == codes::MAYBE_UNWRITTEN));
}
