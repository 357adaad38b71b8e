//! Kernels that call functions in every way.

/// A module with a kernel `k(out, n)`, which has 64 bytes for each thread at `out`.
pub struct Text {
    pub name: &'static str,
    pub ptx: &'static str,
    /// Whether the launch ends in a trap.
    pub fails: bool,
    /// Whether threads wait for each other, so that one alone is no measure of a step limit.
    pub waits: bool,
}

pub const fn text(name: &'static str, ptx: &'static str) -> Text {
    Text { name, ptx, fails: false, waits: false }
}

pub const fn wrong(name: &'static str, ptx: &'static str) -> Text {
    Text { name, ptx, fails: true, waits: false }
}

/// The kernel's head: its place in `%out`, its number in `%t`, `n` in `%n`, what lies at its place in `%a` and `%b`.
macro_rules! kernel {
    ($functions:literal, $body:literal) => {
        concat!(
            $functions,
            "
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .b64 %out, %x, %y, %f;
    .reg .b32 %t, %n, %a, %b, %c, %d, %i;
    .reg .pred %p, %q;
    ld.param.u64 %out, [out];
    ld.param.u32 %n, [n];
    mov.u32 %a, %ctaid.x;
    mov.u32 %b, %ntid.x;
    mov.u32 %t, %tid.x;
    mad.lo.u32 %a, %a, %b, %t;
    mad.wide.u32 %out, %a, 64, %out;
    ld.global.u32 %a, [%out];
    ld.global.u32 %b, [%out+4];
",
            $body,
            "
}
"
        )
    };
}

/// What is inlined wholly.
pub const INLINED: &[Text] = &[
    text(
        "parameters in memory",
        kernel!(
            ".func (.param .b32 r) mix(.param .b32 x, .param .b64 y, .param .b8 z)
{
    .reg .b32 %x, %z; .reg .b64 %y;
    ld.param.b32 %x, [x]; ld.param.b64 %y, [y]; ld.param.u8 %z, [z];
    cvt.u32.u64 %z, %y; xor.b32 %x, %x, %z; ld.param.u8 %z, [z]; add.u32 %x, %x, %z;
    st.param.b32 [r], %x; ret;
}",
            "{ .param .b32 r; .param .b32 x; .param .b64 y; .param .b8 z;
    mul.wide.u32 %x, %a, %b;
    st.param.b32 [x], %a; st.param.b64 [y], %x; st.param.b8 [z], %t;
    call (r), mix, (x, y, z);
    ld.param.b32 %c, [r]; }
    st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "registers of all widths, and a sink",
        kernel!(
            ".func (.reg .b32 r, .reg .b64 s, .reg .b16 h) three(.reg .b32 x, .reg .b64 y, .reg .b16 z)
{
    .reg .b32 %z;
    cvt.u32.u16 %z, z; add.u32 r, x, %z; add.u64 s, y, 5; cvt.u16.u32 h, r;
}",
            ".reg .b16 %h, %g;
    cvt.u16.u32 %h, %b; mul.wide.u32 %x, %a, 3;
    call (%c, %y, %g), three, (%a, %x, %h);
    st.global.u32 [%out+8], %c; st.global.u64 [%out+16], %y; st.global.u16 [%out+24], %g;
    call (_, %y, _), three, (9, 77, %h);
    st.global.u64 [%out+32], %y; ret;"
        ),
    ),
    text(
        "128 bits and structures",
        kernel!(
            ".func (.param .align 16 .b8 r[48]) turn(.param .align 16 .b8 s[48], .reg .b128 w)
{
    .reg .b64 %l, %h; .reg .b32 %x<4>;
    mov.b128 {%l, %h}, w;
    ld.param.v4.b32 {%x0, %x1, %x2, %x3}, [s+16];
    st.param.v4.b32 [r], {%x3, %x2, %x1, %x0};
    st.param.v2.b64 [r+16], {%h, %l};
    ld.param.v2.b64 {%l, %h}, [s+32];
    st.param.v2.b64 [r+32], {%h, %l}; ret;
}",
            ".reg .b128 %w; .reg .b32 %y<4>;
    { .param .align 16 .b8 r[48]; .param .align 16 .b8 s[48];
    mul.wide.u32 %x, %a, %b; mul.wide.u32 %y, %t, %a; mov.b128 %w, {%x, %y};
    st.param.v2.b64 [s], {%x, %y}; st.param.v4.b32 [s+16], {%a, %b, %t, %n}; st.param.v2.b64 [s+32], {%y, %x};
    call (r), turn, (s, %w);
    ld.param.v4.b32 {%y0, %y1, %y2, %y3}, [r]; st.global.v4.b32 [%out+16], {%y0, %y1, %y2, %y3};
    ld.param.v2.b64 {%x, %y}, [r+16]; st.global.v2.b64 [%out+32], {%x, %y};
    ld.param.v2.b64 {%x, %y}, [r+32]; st.global.v2.b64 [%out+48], {%x, %y}; }
    ret;"
        ),
    ),
    text(
        "nested, in divergent branches, early returns",
        kernel!(
            ".func (.param .b32 r) inner(.param .b32 x)
{
    .reg .b32 %x; .reg .pred %p;
    ld.param.b32 %x, [x]; setp.gt.u32 %p, %x, 1000000; st.param.b32 [r], 17; @%p ret;
    mul.lo.u32 %x, %x, 3; st.param.b32 [r], %x; ret;
}
.func (.param .b32 r) outer(.param .b32 x, .param .b32 y)
{
    .reg .b32 %x, %y; .reg .pred %p;
    .param .b32 g; .param .b32 back;
    ld.param.b32 %x, [x]; ld.param.b32 %y, [y];
    and.b32 %x, %x, 3; setp.eq.u32 %p, %x, 0; @%p bra ZERO; setp.eq.u32 %p, %x, 1; @%p bra ONE;
    st.param.b32 [r], %y; @!%p ret; bra ONE;
ZERO: st.param.b32 [g], %y; call (back), inner, (g); ld.param.b32 %x, [back]; st.param.b32 [r], %x; ret;
ONE: st.param.b32 [g], 5; call (back), inner, (g); ld.param.b32 %x, [back]; add.u32 %x, %x, %y;
    st.param.b32 [r], %x;
}",
            "{ .param .b32 r; .param .b32 x; .param .b32 y;
    setp.lt.u32 %p, %t, 20;
    st.param.b32 [x], %a; st.param.b32 [y], %b; st.param.b32 [r], 3;
    @%p call (r), outer, (x, y);
    ld.param.b32 %c, [r]; st.global.u32 [%out+8], %c;
    st.param.b32 [y], %c; @!%p call (r), outer, (x, y); ld.param.b32 %c, [r]; }
    st.global.u32 [%out+12], %c; ret;"
        ),
    ),
    text(
        "in a loop whose threads count differently",
        kernel!(
            ".func (.reg .b32 r) step(.reg .b32 x, .reg .b32 i)
{
    .reg .pred %p;
    and.b32 i, i, 1; setp.ne.u32 %p, i, 0; @%p bra ODD;
    shr.u32 r, x, 1; ret;
ODD: mad.lo.u32 r, x, 3, 1; ret;
}",
            "and.b32 %i, %a, 15; mov.u32 %c, %b;
AGAIN: setp.eq.u32 %p, %i, 0; @%p bra DONE;
    call (%c), step, (%c, %c); sub.u32 %i, %i, 1; bra AGAIN;
DONE: st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "registers and local memory begin as 0 in every call",
        kernel!(
            ".func (.reg .b32 r, .reg .b64 unset) fresh(.reg .b32 x)
{
    .reg .b32 %old, %seen; .reg .pred %p; .local .align 8 .b8 kept[40]; .reg .b64 %at;
    ld.local.u32 %seen, [kept+12]; add.u32 r, %seen, %old; add.u32 r, r, x;
    and.b32 %seen, x, 28; cvt.u64.u32 %at, %seen; add.u64 %at, %at, 4; mov.u64 unset, kept; add.u64 %at, %at, unset;
    mov.u64 unset, 0; ld.local.u32 %seen, [%at]; add.u32 r, r, %seen;
    mov.u32 %old, 99; st.local.u32 [kept+12], x; st.local.u32 [%at], %old; setp.gt.u32 %p, x, 100;
    @%p mov.u64 unset, 3;
}",
            "call (%c, %x), fresh, (%a); call (%d, %y), fresh, (%b); add.u32 %c, %c, %d; add.u64 %x, %x, %y;
    st.global.u32 [%out+8], %c; st.global.u64 [%out+16], %x; ret;"
        ),
    ),
    text(
        "a caller's frame by its address",
        kernel!(
            ".func fill(.param .b64 place, .param .b32 value)
{
    .reg .b64 %p; .reg .b32 %v; .local .align 4 .b32 mine;
    ld.param.b64 %p, [place]; ld.param.b32 %v, [value]; st.local.u32 [mine], %v; ld.local.u32 %v, [mine];
    st.u32 [%p], %v; add.u32 %v, %v, 1; st.u32 [%p+4], %v; ret;
}",
            ".local .align 8 .b8 room[16]; .param .b64 place; .param .b32 value;
    mov.u64 %x, room; cvta.local.u64 %x, %x; st.param.b64 [place], %x; st.param.b32 [value], %a;
    call fill, (place, value);
    add.u64 %x, %x, 8; st.param.b64 [place], %x; st.param.b32 [value], %t; call fill, (place, value);
    ld.local.v4.u32 {%a, %b, %c, %d}, [room]; st.global.v4.u32 [%out+16], {%a, %b, %c, %d}; ret;"
        ),
    ),
    text(
        "by address",
        kernel!(
            ".func (.param .b32 r) add(.param .b32 x, .param .b32 y)
{ .reg .b32 %x, %y; ld.param.b32 %x, [x]; ld.param.b32 %y, [y]; add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) mul(.param .b32 x, .param .b32 y)
{ .reg .b32 %x, %y; ld.param.b32 %x, [x]; ld.param.b32 %y, [y]; mul.lo.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }
.func (.param .b64 r) other(.param .b64 x)
{ .reg .b64 %x; ld.param.b64 %x, [x]; st.param.b64 [r], %x; ret; }
.global .align 8 .u64 table[3] = {add, mul, other};",
            "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
    L: .calltargets add, mul;
    { .param .b32 r; .param .b32 x; .param .b32 y;
    and.b32 %c, %a, 1; mul.wide.u32 %x, %c, 8; mov.u64 %y, table; add.u64 %x, %x, %y; ld.global.u64 %f, [%x];
    st.param.b32 [x], %a; st.param.b32 [y], %b; call (r), %f, (x, y), P; ld.param.b32 %c, [r];
    setp.ne.u32 %p, %t, 3; st.param.b32 [x], %c; @%p call (r), %f, (x, y), L; ld.param.b32 %d, [r]; }
    st.global.u32 [%out+8], %c; st.global.u32 [%out+12], %d; ret;"
        ),
    ),
    text(
        "threads that end in a function",
        kernel!(
            ".func (.reg .b32 r) check(.reg .b32 x, .reg .b32 i)
{ .reg .pred %p; and.b32 i, i, 3; setp.eq.u32 %p, i, 2; @%p exit; add.u32 r, x, i; }",
            "st.global.u32 [%out+8], %a; call (%c), check, (%b, %t); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    Text {
        waits: true,
        ..text(
            "barriers in functions",
            kernel!(
                ".shared .align 4 .b8 cells[384];
.func (.reg .b32 r) shift(.reg .b32 x, .reg .b32 i)
{
    .reg .b32 %at, %m; .reg .pred %p;
    mov.u32 %at, cells; mad.lo.u32 %at, i, 4, %at; st.shared.u32 [%at], x; bar.sync 0;
    mov.u32 %m, %ntid.x; add.u32 i, i, 1; rem.u32 i, i, %m; mov.u32 %at, cells; mad.lo.u32 %at, i, 4, %at;
    ld.shared.u32 r, [%at]; setp.gt.u32 %p, r, 0x7fffffff; bar.red.popc.u32 %m, 0, %p; add.u32 r, r, %m;
}",
                "call (%c), shift, (%a, %t); call (%c), shift, (%c, %t);
    setp.ge.u32 %p, %t, 0; @!%p bra OVER; call (%d), shift, (%c, %t); st.global.u32 [%out+12], %d;
OVER: st.global.u32 [%out+8], %c; ret;"
            ),
        )
    },
    Text {
        waits: true,
        ..text(
            "lanes of a warp in functions",
            kernel!(
                ".func (.reg .b32 r) sum(.reg .b32 x)
{
    .reg .b32 %y; .reg .pred %p;
    shfl.sync.bfly.b32 %y|%p, x, 16, 31, -1; add.u32 x, x, %y; shfl.sync.bfly.b32 %y|%p, x, 8, 31, -1; add.u32 r, x, %y;
}",
                "call (%c), sum, (%a); st.global.u32 [%out+8], %c; ret;"
            ),
        )
    },
];

/// Local memory, touched in every way.
pub const LOCAL: &[Text] = &[
    text(
        "variables of all widths",
        kernel!(
            "",
            ".local .align 8 .b8 v[40]; .reg .b16 %h; .reg .b64 %at;
    mov.u64 %at, v; cvta.local.u64 %f, %at;
    st.local.u32 [v], %a; st.u32 [%f+4], %b; st.local.u8 [%at+8], %a; st.local.s16 [%at+10], %b; st.u64 [%f+16], %out;
    mov.u32 %i, 0;
AGAIN: ld.local.u32 %c, [v]; ld.s8 %d, [%f+8]; add.u32 %c, %c, %d; st.local.u32 [v], %c; and.b32 %d, %c, 1; setp.eq.u32 %p, %d, 0;
    @%p ld.local.s16 %d, [v+10]; @!%p st.local.u8 [v+8], %c; @%p st.u16 [%f+10], %d; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 6; @%q bra AGAIN;
    ld.local.v2.u32 {%a, %b}, [v]; ld.u8 %c, [%f+8]; ld.local.u16 %h, [v+10]; cvt.s32.s16 %d, %h; ld.u64 %x, [%f+16];
    sub.u64 %x, %x, %out; ld.local.u64 %y, [v+24]; add.u64 %x, %x, %y;
    st.global.v4.u32 [%out+16], {%a, %b, %c, %d}; st.global.u64 [%out+32], %x; ret;"
        ),
    ),
    text(
        "one place as several shapes",
        kernel!(
            "",
            ".local .align 16 .b8 v[32];
    st.local.u32 [v], %a; st.local.u32 [v+4], %b; ld.local.u64 %x, [v]; st.local.u64 [v+8], %x; ld.local.u16 %c, [v+10];
    st.local.v4.u32 [v+16], {%c, %a, 0, %t}; mov.u64 %y, 0; st.local.u64 [v+16], %y; st.local.u64 [v+16], 0; ld.local.v4.u32 {%a, %b, %c, %d}, [v+16];
    st.global.v4.u32 [%out+16], {%a, %b, %c, %d}; st.global.u64 [%out+32], %x; ret;"
        ),
    ),
    text(
        "an array among variables",
        kernel!(
            ".func (.reg .b32 r) pick(.reg .b32 x, .reg .b32 i)
{
    .local .align 8 .b8 frame[48]; .reg .b64 %sp, %at, %o; .reg .b32 %v, %k; .reg .pred %p;
    mov.u64 %sp, frame; cvta.local.u64 %sp, %sp; st.u32 [%sp], x; st.u32 [%sp+4], i; mov.u32 %k, 0; st.u32 [%sp+40], %k;
L: ld.u32 %k, [%sp+40]; add.u64 %at, %sp, 8; mul.wide.u32 %o, %k, 4; add.u64 %at, %at, %o; ld.u32 %v, [%sp]; mad.lo.u32 %v, %v, 5, %k;
    st.u32 [%sp], %v; st.u32 [%at], %v; add.u32 %k, %k, 1; st.u32 [%sp+40], %k; setp.lt.u32 %p, %k, 6; @%p bra L;
    ld.u32 i, [%sp+4]; and.b32 i, i, 3; mul.wide.u32 %o, i, 4; add.u64 %at, %sp, %o; ld.u32 %v, [%at+8]; ld.u32 r, [%sp];
    xor.b32 r, r, %v; ld.u32 %v, [%sp+20]; add.u32 r, r, %v;
}",
            "call (%c), pick, (%a, %t); call (%d), pick, (%b, %a); st.global.u32 [%out+8], %c; st.global.u32 [%out+12], %d; ret;"
        ),
    ),
    text(
        "an address that nobody has named",
        kernel!(
            ".func (.reg .b32 r) peek(.reg .b64 at)
{ .reg .b32 %v; .local .align 8 .b8 own[16]; mov.u32 %v, 7; st.local.u32 [own+4], %v; mov.u32 %v, 5; ld.local.u32 r, [at]; st.local.u32 [at], %v; ld.local.u32 %v, [own+4]; add.u32 r, r, %v; }",
            ".local .align 8 .b8 v[16]; st.local.v2.u32 [v], {%a, %b}; st.local.u32 [v+8], %t; and.b32 %c, %a, 1; setp.eq.u32 %p, %c, 1;
    mul.wide.u32 %x, %c, 4; @%p call (%d), peek, (%x); st.global.u32 [%out+8], %d; ld.local.v2.u32 {%a, %b}, [v];
    st.global.v2.u32 [%out+16], {%a, %b}; ld.local.u32 %c, [v+8]; st.global.u32 [%out+24], %c; ret;"
        ),
    ),
    text(
        "one of many at an address",
        kernel!(
            ".func (.reg .b32 r) a(.reg .b32 x) { add.u32 r, x, 1; }
.func (.reg .b32 r) b(.reg .b32 x) { add.u32 r, x, 2; }
.func (.reg .b32 r) c(.reg .b32 x) { add.u32 r, x, 3; }
.func (.reg .b32 r) d(.reg .b32 x) { add.u32 r, x, 4; }
.func (.reg .b32 r) e(.reg .b32 x) { add.u32 r, x, 5; }",
            "L: .calltargets a, b, c, d, e;
    mov.u64 %x, a; mov.u64 %y, e; and.b32 %c, %a, 1; setp.eq.u32 %p, %c, 0; selp.b64 %f, %x, %y, %p;
    call (%c), %f, (%b), L; st.global.u32 [%out+8], %c; ret;"
        ),
    ),
];

/// What stays a call.
pub const HANDED_OVER: &[Text] = &[
    text(
        "a stack that grows in a function that another calls",
        kernel!(
            ".func (.reg .b32 r) grows(.reg .b32 x)
{
    .reg .b64 %p, %s; stacksave.u64 %s; alloca.u64 %p, 16; st.local.u32 [%p], x; ld.local.u32 r, [%p];
    add.u32 r, r, 1; stackrestore.u64 %s;
}
.func (.reg .b32 r) calls(.reg .b32 x, .reg .b64 w)
{ .reg .b32 %y; .local .align 8 .b8 here[16]; st.local.u64 [here+8], w; call (%y), grows, (x); ld.local.u32 r, [here+8]; add.u32 r, r, %y; }",
            "setp.gt.u32 %p, %t, 0; mov.u32 %c, 4; mul.wide.u32 %x, %b, 3; call (%c), calls, (%a, %x);
    @%p call (%c), calls, (%c, %x);
    st.global.u32 [%out+8], %c; ret;"
        ),
    ),
];

/// What ends in a trap, in a function.
pub const WRONG: &[Text] = &[
    wrong(
        "trap in a function that another calls, in some threads",
        kernel!(
            ".func inner(.reg .b32 x) { .reg .pred %p; setp.eq.u32 %p, x, 0; @%p trap; }
.func outer(.reg .b32 x, .reg .b64 at) { st.global.u32 [at], x; call inner, (x); st.global.u32 [at+4], x; }",
            "add.u64 %x, %out, 8; call outer, (%t, %x); ret;"
        ),
    ),
    wrong(
        "an address outside, behind a call that has returned",
        kernel!(
            ".func (.reg .b32 r) load(.reg .b64 at) { ld.global.u32 r, [at]; }",
            "call (%c), load, (%out); add.u64 %x, %out, 0x10000000; setp.eq.u32 %p, %t, 0; st.global.u32 [%out+8], %c;
    @%p call (%c), load, (%x); ret;"
        ),
    ),
    wrong(
        "a frame that is gone",
        kernel!(
            ".func (.reg .b64 r) leak()
{ .local .align 4 .b32 mine; st.local.u32 [mine], 5; cvta.local.u64 r, mine; }",
            ".local .align 8 .b8 own[8]; call (%x), leak, (); ld.u32 %c, [%x]; st.global.u32 [%out+8], %c;
    st.local.u64 [own], %x; ret;"
        ),
    ),
    wrong(
        "beyond the kernel's frame while a function has none",
        kernel!(
            ".func (.reg .b32 r) none(.reg .b64 at) { ld.local.u32 r, [at]; }",
            ".local .align 8 .b8 own[8]; mov.u64 %x, own; call (%c), none, (%x); add.u64 %x, %x, 8; call (%c), none, (%x); ret;"
        ),
    ),
    wrong(
        "no function at an address",
        kernel!(
            ".func (.reg .b32 r) a(.reg .b32 x) { add.u32 r, x, 1; }
.func (.reg .b32 r) b(.reg .b32 x) { add.u32 r, x, 2; }",
            "L: .calltargets a, b;
    mov.u64 %x, a; setp.eq.u32 %p, %t, 0; call (%c), %x, (%b), L; selp.b64 %f, 64, %x, %p; st.global.u32 [%out+8], %c;
    call (%c), %f, (%b), L; st.global.u32 [%out+8], %c; ret;"
        ),
    ),
];
