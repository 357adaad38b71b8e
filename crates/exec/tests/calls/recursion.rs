//! Kernels whose functions call themselves.

use crate::kernels::{Text, text, wrong};

/// What never leaves the batch engine.
pub const RECURSIVE: &[Text] = &[
    text(
        "two calls of itself",
        kernel!(
            ".func (.param .b32 r) fib(.param .b32 n)
{
    .reg .b32 %n, %a, %b; .reg .pred %p; .param .b32 m; .param .b32 back;
    ld.param.b32 %n, [n]; setp.lt.u32 %p, %n, 2; st.param.b32 [r], %n; @%p ret;
    sub.u32 %a, %n, 1; st.param.b32 [m], %a; call (back), fib, (m); ld.param.b32 %a, [back];
    sub.u32 %b, %n, 2; st.param.b32 [m], %b; call (back), fib, (m); ld.param.b32 %b, [back];
    add.u32 %a, %a, %b; st.param.b32 [r], %a; ret;
}",
            "{ .param .b32 r; .param .b32 m; and.b32 %c, %a, 7; st.param.b32 [m], %c; call (r), fib, (m);
    ld.param.b32 %c, [r]; } st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "registers, and more calls than one from outside",
        kernel!(
            ".func (.reg .b32 r, .reg .b64 s) down(.reg .b32 n, .reg .b64 x)
{
    .reg .b32 %m; .reg .b64 %y; .reg .pred %p, %q;
    mov.u32 r, n; mov.u64 s, x; setp.eq.u32 %p, n, 0; @%p ret;
    sub.u32 %m, n, 1; mad.lo.u64 %y, x, 3, 1; and.b32 r, n, 1; setp.eq.u32 %q, r, 1;
    mov.u32 r, 9; @%q call (r, s), down, (%m, %y);
    @!%q call (r, _), down, (%m, x);
    add.u32 r, r, n; add.u64 s, s, %y;
}
.func (.reg .b32 r) once(.reg .b32 n) { .reg .b64 %x; call (r, %x), down, (n, 5); cvt.u32.u64 n, %x; xor.b32 r, r, n; }",
            "and.b32 %c, %a, 7; cvt.u64.u32 %x, %b; call (%c, %x), down, (%c, %x); st.global.u32 [%out+8], %c;
    st.global.u64 [%out+16], %x; and.b32 %d, %b, 3; call (%d), once, (%d); st.global.u32 [%out+24], %d; and.b32 %c, %d, 3;
    setp.gt.u32 %p, %t, 3; @%p call (%d, %x), down, (%c, %x); add.u32 %d, %d, 1; st.global.u32 [%out+28], %d; ret;"
        ),
    ),
    text(
        "by way of others, with structures and local memory",
        kernel!(
            ".func (.param .align 8 .b8 r[12]) odd(.param .b32 n, .param .align 8 .b8 s[12]);
.func (.param .align 8 .b8 r[12]) even(.param .b32 n, .param .align 8 .b8 s[12])
{
    .reg .b32 %n, %a, %b; .reg .pred %p; .local .align 4 .b8 own[20]; .param .b32 m; .param .align 8 .b8 there[12];
    .param .align 8 .b8 back[12];
    ld.param.b32 %n, [n]; ld.param.b32 %a, [s+4]; st.local.u32 [own+8], %a; ld.param.b32 %b, [s]; st.local.u32 [own], %b;
    st.param.b32 [r+8], %b; setp.eq.u32 %p, %n, 0; @%p bra done;
    sub.u32 %n, %n, 1; st.param.b32 [m], %n; st.param.b32 [there], %a; st.param.b32 [there+8], %n;
    call (back), odd, (m, there);
    ld.param.b32 %b, [back+8]; ld.local.u32 %n, [own+8]; mad.lo.u32 %a, %b, 7, %n; ld.local.u32 %n, [own]; xor.b32 %a, %a, %n;
    ld.local.u32 %n, [own+4]; add.u32 %a, %a, %n; st.local.u32 [own+4], %a;
done:
    st.param.b32 [r+4], %a; ret;
}
.func (.reg .b32 r) plain(.reg .b32 x) { .local .b32 k; st.local.u32 [k], x; ld.local.u32 r, [k]; mul.lo.u32 r, r, 5; }
.func (.param .align 8 .b8 r[12]) odd(.param .b32 n, .param .align 8 .b8 s[12])
{
    .reg .b32 %n, %a, %b; .reg .pred %p; .param .b32 m; .param .align 8 .b8 there[12]; .param .align 8 .b8 back[12];
    ld.param.b32 %n, [n]; ld.param.b32 %a, [s+8]; call (%b), plain, (%a); setp.eq.u32 %p, %n, 0; st.param.b32 [r], %b; @%p ret;
    sub.u32 %n, %n, 1; st.param.b32 [m], %n; st.param.b32 [there+4], %b; call (back), even, (m, there);
    ld.param.b32 %a, [back+4]; call (%b), plain, (%a); st.param.b32 [r+8], %b; ret;
}",
            "{ .param .b32 m; .param .align 8 .b8 s[12]; .param .align 8 .b8 r[12]; and.b32 %c, %a, 7; st.param.b32 [m], %c;
    st.param.b32 [s], %b; st.param.b32 [s+4], %a; st.param.b32 [s+8], %t; call (r), even, (m, s); ld.param.b32 %c, [r+8];
    ld.param.b32 %d, [r+4]; st.global.u32 [%out+8], %c; st.global.u32 [%out+12], %d;
    and.b32 %c, %b, 3; st.param.b32 [m], %c; call (r), odd, (m, s); ld.param.b32 %d, [r+8]; } st.global.u32 [%out+16], %d; ret;"
        ),
    ),
    text(
        "by its address, in a loop, in threads that part",
        kernel!(
            ".func (.reg .b32 r) walk(.reg .b32 n, .reg .b64 self)
{
    .reg .b32 %k, %x; .reg .pred %p, %q;
    P: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b64 _);
    mov.u32 r, 1; mov.u32 %k, 0; setp.gt.u32 %q, n, 20;
next:
    setp.ge.u32 %p, %k, n; @%p ret;
    @%q exit;
    call (%x), self, (%k, self), P; add.u32 r, r, %x; add.u32 %k, %k, 1; bra next;
}",
            "and.b32 %c, %a, 3; add.u32 %c, %c, 1; mov.u64 %x, walk; setp.eq.u32 %p, %t, 5; @%p add.u32 %c, %c, 40;
    call (%c), walk, (%c, %x); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "a frame that stores of several words do not fit",
        kernel!(
            ".func (.reg .b32 r) f(.reg .b32 n)
{
    .reg .pred %p; .reg .b32 %m; .local .align 8 .b8 own[24];
    st.local.u32 [own], n; mov.u32 r, 1; setp.eq.u32 %p, n, 0; @%p ret; sub.u32 %m, n, 1; call (%m), f, (%m);
    ld.local.u32 r, [own]; mad.lo.u32 r, %m, 10, r;
}",
            "and.b32 %c, %a, 3; call (%c), f, (%c); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "local memory of the caller, by its address",
        kernel!(
            ".func fill(.reg .b32 n, .reg .b64 at)
{
    .reg .pred %p; .reg .b32 %v; .reg .b64 %o;
    setp.eq.u32 %p, n, 0; @%p ret; sub.u32 n, n, 1; ld.u32 %v, [at]; add.u32 %v, %v, n; st.u32 [at+4], %v; add.u64 at, at, 4;
    call fill, (n, at);
}",
            ".local .align 8 .b8 kept[40]; mov.u64 %x, kept; cvta.local.u64 %x, %x; st.local.u32 [kept], %a; and.b32 %c, %b, 7;
    call fill, (%c, %x); mul.wide.u32 %y, %c, 4; add.u64 %x, %x, %y; ld.u32 %d, [%x]; st.global.u32 [%out+8], %d; ret;"
        ),
    ),
    text(
        "own places that are not known",
        kernel!(
            ".func (.reg .b32 r) turn(.reg .b32 n, .reg .b32 x, .reg .b64 other)
{
    .reg .pred %p; .reg .b32 %i; .reg .b64 %at, %g; .local .align 8 .b8 own[32];
    and.b32 %i, x, 7; mul.wide.u32 %at, %i, 4; mov.u64 %g, own; add.u64 %at, %at, %g; st.local.u32 [%at], n; ld.local.u32 r, [own+12];
    cvta.local.u64 %at, %at; ld.u32 %i, [other]; add.u32 r, r, %i; st.u32 [other], r;
    setp.eq.u32 %p, n, 0; @%p ret; sub.u32 %i, n, 1; add.u32 x, x, r; call (%i), turn, (%i, x, %at);
    ld.local.u32 x, [own+16]; xor.b32 r, r, %i; add.u32 r, r, x;
}",
            ".local .b32 v; st.local.u32 [v], %b; mov.u64 %x, v; cvta.local.u64 %x, %x; and.b32 %c, %a, 7; call (%c), turn, (%c, %b, %x);
    ld.local.u32 %d, [v]; st.global.u32 [%out+8], %c; st.global.u32 [%out+12], %d; ret;"
        ),
    ),
    text(
        "places of the calls before, in frames that are not a power of two apart",
        kernel!(
            ".func (.reg .b32 r) chain(.reg .b32 n, .reg .b32 x, .reg .b64 up)
{
    .reg .pred %p, %q; .reg .b32 %i, %v, %w; .reg .b64 %at, %g; .local .align 8 .b8 own[40];
    mov.u64 %g, own; and.b32 %i, x, 3; mul.wide.u32 %at, %i, 8; add.u64 %at, %at, %g; add.u32 %w, x, n;
    st.local.v2.b32 [%at+8], {%w, n}; st.local.b32 [%g], %w; setp.ne.u64 %p, up, 0; mov.b64 {%v, %w}, %at;
    @%p ld.v2.u32 {%v, %w}, [up]; mad.lo.u32 r, %v, 5, %w; setp.eq.u32 %q, %i, 1; @%p st.u8 [up+3], r; @%q ld.local.u16 %v, [%at+8];
    add.u32 r, r, %v; setp.eq.u32 %p, n, 0; @%p ret; cvta.local.u64 %g, %at; selp.b64 %g, up, %g, %q; setp.ne.u64 %p, up, 0;
    @!%p cvta.local.u64 %g, %at; sub.u32 %i, n, 1; add.u32 x, x, r; call (%v), chain, (%i, x, %g); ld.local.u64 %at, [%at];
    cvt.u32.u64 %w, %at; xor.b32 r, r, %v; mad.lo.u32 r, r, 3, %w;
}",
            "and.b32 %c, %a, 7; call (%c), chain, (%c, %b, 0); st.global.u32 [%out+8], %c; and.b32 %d, %b, 3; .local .b64 v; st.local.u32 [v], %b;
    mov.u64 %x, v; cvta.local.u64 %x, %x; call (%c), chain, (%d, %a, %x); st.global.u32 [%out+12], %c; ld.local.u32 %c, [v];
    st.global.u32 [%out+16], %c; ret;"
        ),
    ),
    text(
        "an address that the load from it replaces",
        kernel!(
            ".func (.reg .b64 r) list(.reg .b32 n, .reg .b64 at)
{
    .reg .pred %p; .reg .b32 %m; .reg .b64 %x; .local .align 8 .b8 own[16];
    mov.u64 %x, own; cvta.local.u64 %x, %x; st.u64 [%x], at; mov.u64 r, %x; setp.gt.u32 %p, n, 0;
    @%p ld.u64 r, [r]; @%p ld.u64 r, [r]; sub.u32 %m, n, 1; setp.ne.u64 %p, r, 0; sub.u64 r, r, %x; @!%p mov.u64 r, 3;
    setp.eq.u32 %p, n, 0; @%p ret; mov.u64 at, r; call (r), list, (%m, %x); mad.lo.u64 r, r, 7, at;
}",
            ".local .align 8 .b64 v[2]; mov.u64 %x, v; cvta.local.u64 %x, %x; add.u64 %y, %x, 8; st.u64 [%x], %y; and.b32 %c, %a, 3;
    add.u32 %c, %c, 1; call (%x), list, (%c, %x); st.global.u64 [%out+8], %x; ret;"
        ),
    ),
    text(
        "structures that calls have at other multiples of 8",
        kernel!(
            ".func (.param .align 4 .b8 r[12]) box(.param .b32 n, .param .align 4 .b8 s[20])
{
    .reg .b32 %n, %a, %b; .reg .pred %p; .param .align 4 .b8 one[20]; .param .b32 m; .param .align 4 .b8 there[20]; .param .align 4 .b8 back[12];
    ld.param.b32 %n, [n]; ld.param.b32 %a, [s+4]; ld.param.b32 %b, [s+16]; st.param.b32 [r+8], %a; st.param.b32 [r], %b; st.param.b32 [r+4], %n;
    setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %n, %n, 1; st.param.b32 [m], %n; st.param.b32 [there+4], %b; st.param.b32 [there+16], %n;
    call (back), box, (m, there); ld.param.b32 %b, [back+8]; st.param.b32 [one+16], %b; st.param.b32 [one+4], %a; shr.u32 %n, %n, 1;
    st.param.b32 [m], %n; call (back), box, (m, one); ld.param.b32 %a, [back]; mad.lo.u32 %a, %a, 3, %b; st.param.b32 [r+8], %a;
}",
            "{ .param .b32 m; .param .align 4 .b8 s[20]; .param .align 4 .b8 r[12]; and.b32 %c, %a, 7; st.param.b32 [m], %c; st.param.b32 [s+4], %a;
    st.param.b32 [s+16], %b; call (r), box, (m, s); ld.param.b32 %c, [r+8]; ld.param.b32 %d, [r]; } st.global.u32 [%out+8], %c;
    st.global.u32 [%out+12], %d; ret;"
        ),
    ),
    Text {
        waits: true,
        ..text(
            "a barrier at every depth",
            kernel!(
                ".shared .b32 sum;
.func (.reg .b32 r) level(.reg .b32 n)
{
    .reg .pred %p; .reg .b32 %x;
    mov.u32 r, 0; setp.eq.u32 %p, n, 0; @%p ret; red.shared.add.u32 [sum], 1; bar.sync 0; ld.shared.u32 %x, [sum]; bar.sync 0;
    sub.u32 n, n, 1; call (r), level, (n); bar.sync 0; add.u32 r, r, %x;
}",
                "st.shared.u32 [sum], 0; bar.sync 0; call (%c), level, (4); st.global.u32 [%out+8], %c; ret;"
            ),
        )
    },
];

/// What the golden engine takes over at some depth.
pub const TAKEN_OVER: &[Text] = &[
    text(
        "deeper than there is room",
        kernel!(
            ".func (.reg .b32 r) sum(.reg .b32 n)
{ .reg .pred %p; .reg .b32 %m; mov.u32 r, 0; setp.eq.u32 %p, n, 0; @%p ret; sub.u32 %m, n, 1; call (r), sum, (%m); add.u32 r, r, n; }",
            "and.b32 %c, %a, 1; mad.lo.u32 %c, %c, 2000, 3; call (%c), sum, (%c); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "a register with the address of known places, read after one between two frames",
        kernel!(
            ".func (.reg .b32 r) sum(.reg .b32 n, .reg .b32 x)
{
    .reg .pred %p; .reg .b32 %i; .reg .b64 %at, %g; .local .align 4 .b8 own[36];
    mov.u64 %g, own; mul.wide.u32 %at, x, 4; add.u64 %at, %at, %g; st.local.u32 [%at+-4], n;
    ld.local.u32 r, [%g+4]; setp.eq.u32 %p, n, 0; @%p ret;
    sub.u32 n, n, 1; mov.u32 x, 0; call (%i), sum, (n, x); add.u32 r, r, %i;
}",
            "and.b32 %c, %a, 3; and.b32 %d, %b, 3; add.u32 %d, %d, 1; add.u32 %c, %c, 1; call (%c), sum, (%d, %c);
    st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "places of the calls before, which lie at different distances",
        kernel!(
            ".func (.reg .b32 r) f(.reg .b32 n, .reg .b64 up);
.func (.reg .b32 r) g(.reg .b32 n, .reg .b64 up)
{ .local .align 8 .b8 own[40]; .reg .b64 %x; mov.u64 %x, own; st.local.u32 [own+4], n; call (r), f, (n, up); ld.local.u32 n, [%x+4]; add.u32 r, r, n; }
.func (.reg .b32 r) f(.reg .b32 n, .reg .b64 up)
{
    .reg .pred %p, %q; .reg .b32 %m; .reg .b64 %x; .local .align 8 .b8 own[24];
    mov.u64 %x, own; st.local.u32 [own+8], n; mov.u32 r, n; setp.ne.u64 %q, up, 0; @%q ld.u32 r, [up+8]; setp.eq.u32 %p, n, 0; @%p ret;
    cvta.local.u64 %x, %x; sub.u32 %m, n, 1; and.b32 n, n, 1; setp.eq.u32 %q, n, 0; @%q call (n), f, (%m, %x); @!%q call (n), g, (%m, %x);
    mad.lo.u32 r, r, 3, n;
}",
            "and.b32 %c, %a, 7; call (%c), f, (%c, 0); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "what only a deeper call reads, before the address that it has",
        kernel!(
            ".func (.reg .b32 r) f(.reg .b32 n, .reg .b64 at)
{
    .reg .pred %p, %q; .reg .b32 %m; .reg .b64 %x, %y, %z; .local .align 32 .b8 own[32];
    mov.u32 r, 1; setp.ne.u64 %q, at, 0; @%q ld.u32 r, [at+-8]; setp.eq.u32 %p, n, 0; @%p ret;
    st.local.u32 [own], n; mov.u64 %x, own; cvta.local.u64 %y, %x; add.u64 %z, %y, 8; sub.u32 %m, n, 1; call (%m), f, (%m, %z);
    mad.lo.u32 r, %m, 10, r;
}",
            "and.b32 %c, %a, 3; add.u32 %c, %c, 1; call (%c), f, (%c, 0); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
    text(
        "a place of the first call by its number, and one of the kernel's before the frame",
        kernel!(
            ".func (.reg .b32 r) f(.reg .b32 n)
{
    .reg .pred %p; .reg .b32 %m, %v; .local .align 8 .b8 own[16];
    st.local.u32 [own+4], n; mov.u32 r, n; setp.eq.u32 %p, n, 0; ld.local.u32 %v, [own+-12]; mad.lo.u32 r, %v, 3, r; @%p ld.local.u32 %v, [20];
    @%p add.u32 r, r, %v; @%p ret; sub.u32 %m, n, 1; call (%m), f, (%m); ld.local.u32 %v, [own+4]; mad.lo.u32 r, %m, 10, %v;
}",
            ".local .align 8 .b8 kk[16]; st.local.u32 [kk+4], %b; and.b32 %c, %a, 3; call (%c), f, (%c); ld.local.u32 %d, [kk+4];
    st.global.u32 [%out+8], %c; st.global.u32 [%out+12], %d; ret;"
        ),
    ),
    text(
        "two functions that call themselves and each other",
        kernel!(
            ".func (.reg .b32 r) inner(.reg .b32 n);
.func (.reg .b32 r) outer(.reg .b32 n)
{ .reg .pred %p; .reg .b32 %m; mov.u32 r, 1; setp.eq.u32 %p, n, 0; @%p ret; sub.u32 %m, n, 1; call (r), inner, (%m); mad.lo.u32 r, r, 3, n; }
.func (.reg .b32 r) inner(.reg .b32 n)
{
    .reg .pred %p; .reg .b32 %m, %k; mov.u32 r, 2; setp.eq.u32 %p, n, 0; @%p ret; shr.u32 %m, n, 1; call (%k), inner, (%m);
    call (r), outer, (%m); add.u32 r, r, %k;
}",
            "and.b32 %c, %a, 7; call (%c), outer, (%c); st.global.u32 [%out+8], %c; ret;"
        ),
    ),
];

/// What fails at some depth.
pub const FAILS: &[Text] = &[
    wrong(
        "a stack that overflows",
        kernel!(
            ".func ever(.reg .b32 n) { add.u32 n, n, 1; call ever, (n); }",
            "setp.eq.u32 %p, %t, 0; @%p call ever, (%c); ret;"
        ),
    ),
    wrong(
        "a trap three calls deep",
        kernel!(
            ".func (.reg .b32 r) dig(.reg .b32 n, .reg .b64 at)
{
    .reg .pred %p; .local .align 8 .b8 own[16]; st.local.u32 [own+4], n; ld.local.u32 r, [own+4]; setp.eq.u32 %p, n, 0;
    @%p st.global.u32 [at+1], n; sub.u32 n, n, 1; call (r), dig, (n, at); add.u32 r, r, 1;
}",
            "and.b32 %c, %a, 3; call (%c), dig, (%c, %out); st.global.u32 [%out], %c; ret;"
        ),
    ),
    wrong(
        "a place of a frame that the access does not fit",
        kernel!(
            ".func (.reg .b32 r) dig(.reg .b32 n, .reg .b64 up)
{
    .reg .pred %p; .reg .b32 %m; .reg .b64 %x; .local .align 8 .b8 own[16]; mov.u64 %x, own; add.u64 %x, %x, 2; ld.local.u32 r, [up];
    setp.eq.u32 %p, n, 0; sub.u32 n, n, 1; @!%p add.u64 %x, %x, 2; call (r), dig, (n, %x); st.local.u32 [own+4], n;
}",
            ".local .b32 v; mov.u64 %x, v; and.b32 %c, %a, 3; call (%c), dig, (%c, %x); st.global.u32 [%out], %c; ret;"
        ),
    ),
    wrong(
        "an address beyond the frame of the first call",
        kernel!(
            ".func (.reg .b32 r) dig(.reg .b32 n, .reg .b64 at)
{
    .reg .pred %p; .local .align 8 .b8 own[16]; .reg .b32 %m; st.local.u32 [own+4], n; setp.gt.u32 %p, n, 3; @%p st.local.u32 [at], n;
    sub.u32 %m, n, 1; setp.eq.u32 %p, n, 0; add.u64 at, at, 16; @!%p call (r), dig, (%m, at); ld.local.u32 %m, [own+4]; add.u32 r, r, %m;
}",
            "and.b32 %c, %a, 7; add.u32 %c, %c, 4; call (%c), dig, (%c, 2048); st.global.u32 [%out], %c; ret;"
        ),
    ),
];
