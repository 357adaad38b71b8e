//! Loops that take many turns at once give what they give turn by turn, wherever they begin, however far they go, and whatever they meet.

use super::compile;
use margay_exec::{Argument, Engine, Launch, Memory, Program, Simd, Stage, parameter_block};
use margay_front::module::Module;

/// Words of the input, and of the output.
const WORDS: u32 = 3000;

/// A loop of so many multiplications, of which registers hold all results for two groups of threads and what goes on for eight.
const CHAIN: &str = "a chain that works with more values than it goes on with";
const PRODUCTS: u32 = 9;

/// A loop that takes the lesser and the greater of numbers and of NaNs that signal in its first turn.
const SIGNALLING: &str =
    "the lesser and the greater, small ones flushed or not, of bits that signal before the first turn";

/// Kernels of a loop each: from `first` on, at a distance of `step`, up to `end`.
const LOOPS: &[(&str, &str)] = &[
    (
        "a sum of words",
        "again:
            mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1;
            ld.global.u32 %a, [%x1]; add.u32 %sum, %sum, %a;
            add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
    (
        "a pointer that moves on, and what it has passed",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1; mul.wide.u32 %x2, %step, 4; mul.wide.u32 %x3, %end, 4; add.u64 %x3, %in, %x3;
        again:
            ld.global.u32 %a, [%x1]; xor.b32 %sum, %sum, %a; add.u64 %x1, %x1, %x2;
            setp.lt.u64 %p, %x1, %x3; @%p bra again;",
    ),
    (
        "words that are changed",
        "again:
            mul.wide.u32 %x1, %i, 4; add.u64 %x2, %out, %x1; add.u64 %x1, %in, %x1;
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x2]; mad.lo.u32 %a, %a, 3, %b; st.global.u32 [%x2], %a;
            add.u32 %i, %i, %step; setp.lt.s32 %p, %i, %end; @%p bra again;",
    ),
    (
        "what an earlier turn has written",
        "again:
            mul.wide.u32 %x1, %i, 4; add.u64 %x1, %out, %x1;
            ld.global.u32 %a, [%x1]; add.u32 %a, %a, %i; add.u32 %j, %i, %step; mul.wide.u32 %x2, %j, 4; add.u64 %x2, %out, %x2;
            st.global.u32 [%x2], %a;
            add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
    (
        "backwards",
        "sub.u32 %i, %end, %i;
        again:
            mul.wide.s32 %x1, %i, 4; add.s64 %x1, %in, %x1;
            ld.global.u32 %a, [%x1+-4]; max.u32 %sum, %sum, %a;
            sub.s32 %i, %i, %step; setp.gt.s32 %p, %i, 0; @%p bra again;",
    ),
    (
        "turns that are counted alike, one at least",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x2, %out, %x1; add.u64 %x1, %in, %x1; mul.wide.u32 %x3, %step, 4; div.u32 %j, %end, 100;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, 5, %a; add.u64 %x1, %x1, 4;
            sub.u32 %j, %j, 1; setp.gt.s32 %p, %j, 0; @%p bra again;
            add.u32 %sum, %sum, %j;",
    ),
    (
        "addresses that the turn before has made",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1; mov.u32 %j, 9;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, 5, %a;
            add.u32 %i, %i, %step; mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1;
            sub.u32 %j, %j, 1; setp.ne.u32 %p, %j, 0; @%p bra again;",
    ),
    (
        "an address that is another one's old value",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x2, %in, %x1; add.u64 %x1, %in, 64; mov.u32 %j, 9;
        again:
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x2]; mad.lo.u32 %sum, %sum, %b, %a;
            mov.u64 %x1, %x2; add.u64 %x2, %x2, 32;
            sub.u32 %j, %j, 1; setp.ne.u32 %p, %j, 0; @%p bra again;",
    ),
    (
        "two values that grow differently, and low bits of one",
        "mov.u32 %j, %i;
        again:
            and.b32 %a, %i, 1023; mul.wide.u32 %x1, %a, 4; add.u64 %x1, %in, %x1; ld.global.u32 %a, [%x1];
            mul.wide.u32 %x2, %j, 4; add.u64 %x2, %in, %x2; ld.global.u32 %b, [%x2]; sub.u32 %sum, %a, %sum; add.u32 %sum, %sum, %b;
            add.u32 %j, %j, 1; add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
    (
        "words that all threads read, by way of a branch back",
        "add.u64 %x1, %in, 64; mov.u32 %j, 0; and.b32 %b, %i, 1023;
        again:
            ld.global.u32 %a, [%x1+-64]; mad.lo.u32 %sum, %sum, %b, %a; ld.global.v2.u32 {%v1, %v2}, [%x1+64];
            sub.u32 %v1, %v1, %i; xor.b32 %sum, %sum, %v1; add.u32 %sum, %sum, %v2; ld.global.u32 %a, [%x1]; add.u32 %sum, %sum, %a;
            add.u64 %x1, %x1, 32; add.u32 %j, %j, 4; setp.gt.u32 %p, %j, %end; @%p bra done; bra again;
        done:",
    ),
    (
        "words that all threads read, from the buffer's middle on",
        "add.u64 %x1, %in, 4096; mov.u32 %j, 9; shl.b32 %b, %step, 2; cvt.u64.u32 %x2, %b;
        again:
            add.u64 %x3, %x1, %x2; ld.global.u32 %a, [%x1]; add.u32 %sum, %sum, %a; ld.global.u32 %a, [%x3]; mad.lo.u32 %sum, %sum, %i, %a;
            ld.global.u8 %a, [%x1+3]; sub.u32 %sum, %sum, %a; ld.global.u16 %a, [%x1+2]; xor.b32 %sum, %sum, %a;
            sub.u64 %x1, %x1, 8; sub.u32 %j, %j, 1; setp.ne.u32 %p, %j, 0; @%p bra again;",
    ),
    (
        "values that change places from turn to turn",
        "mov.u32 %j, 0; mul.lo.u32 %v1, %i, %i; mul.lo.u32 %v2, %v1, %i; mul.lo.u32 %v3, %v2, %i; mov.u32 %v4, %i; mov.b64 %w1, {%v1, %v2}; mov.b64 %w2, {%v3, %v1};
        again:
            mov.u32 %a, %v1; mov.u32 %v1, %v2; mov.u32 %v2, %v3; add.u32 %v3, %a, %j; xor.b32 %v4, %v4, %v1;
            mov.b64 %w3, %w1; mov.b64 %w1, %w2; mad.lo.u64 %w2, %w3, 5, %w1; min.u32 %v5, %v1, %v2;
            add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 37; @%p bra again;
            mov.b64 {%a, %b}, %w1; xor.b32 %sum, %a, %b; mov.b64 {%a, %b}, %w2; xor.b32 %sum, %sum, %b; mad.lo.u32 %sum, %v3, %sum, %v4;
            mad.lo.u32 %sum, %sum, %v5, %v2;",
    ),
    (
        "what a value was a turn ago, where it is the same from the second turn on",
        "mov.u32 %j, 0; mul.lo.u32 %v2, %i, 3; mul.lo.u32 %v3, %i, %i;
        again:
            mov.u32 %v1, %v2; mov.u32 %v2, %v3; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 37; @%p bra again;
            mad.lo.u32 %sum, %v1, 5, %v2;",
    ),
    (
        "more values than registers hold",
        "mov.u32 %j, 0; mov.u32 %v0, %i;
        {first}
        again:
            mul.lo.u32 %a, %j, 3; {each} mov.u32 %a, %v0; {shift} mov.u32 %v43, %a;
            add.u32 %j, %j, 1; setp.ne.u32 %p, %j, 23; @%p bra again;
        {last}",
    ),
    (
        CHAIN,
        "mov.u32 %j, 0; mul.lo.u32 %v1, %i, 3; add.u32 %v2, %i, 7;
        again:
            {products} {joined} xor.b32 %v1, %v2, %a; add.u32 %v2, %b, %j;
            add.u32 %j, %j, 1; setp.ne.u32 %p, %j, 19; @%p bra again;
            xor.b32 %sum, %v1, %v2;",
    ),
    (
        "floating-point numbers, and what no number is",
        "mov.u32 %j, 0; mov.u64 %x1, %in; mov.f32 %f1, 0f3F800000; mul.lo.u32 %a, %i, 0x9E3779B1; mov.b32 %f2, %a; mov.f32 %f3, %f2; mov.f32 %f5, %f2;
        again:
            ld.global.u32 %a, [%x1]; mul.lo.u32 %a, %a, 0x9E3779B1; mov.b32 %f4, %a;
            mul.rn.f32 %f1, %f1, %f4; fma.rn.f32 %f3, %f3, %f2, %f4; max.f32 %f5, %f5, %f4; mov.b32 %a, %f5; add.u32 %sum, %sum, %a;
            mov.f32 %f6, %f1; add.ftz.f32 %f2, %f2, %f4; cvt.rn.f32.u32 %f7, %j; add.rn.f32 %f3, %f3, %f7;
            add.u64 %x1, %x1, 4; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 50; @%p bra again;
            mov.b32 %a, %f1; xor.b32 %sum, %sum, %a; mov.b32 %a, %f2; mad.lo.u32 %sum, %sum, 3, %a; mov.b32 %a, %f3; xor.b32 %sum, %sum, %a;
            mov.b32 %a, %f6; mad.lo.u32 %sum, %sum, 5, %a; mov.b32 %a, %f5; xor.b32 %sum, %sum, %a;",
    ),
    (
        "bits that are no number before the first turn, and a sum after it",
        "mov.u32 %j, 0; mov.u64 %x1, %in; add.u32 %a, %i, 0xFFC00001; mov.b32 %f1, %a;
        again:
            ld.global.u32 %a, [%x1]; mov.b32 %f2, %a; mov.b32 %b, %f1; mad.lo.u32 %sum, %sum, 3, %b; add.f32 %f1, %f1, %f2;
            add.u64 %x1, %x1, 4; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 30; @%p bra again;",
    ),
    (
        SIGNALLING,
        "mov.u32 %j, 0; mov.u64 %x1, %in; add.u32 %a, %i, 0x7F800001; mov.b32 %f1, %a; mov.b32 %f3, %a; mov.b32 %f5, %a;
        again:
            ld.global.u32 %a, [%x1]; mul.lo.u32 %a, %a, 0x9E3779B1; mov.b32 %f2, %a;
            max.ftz.f32 %f1, %f1, %f2; min.f32 %f3, %f3, %f2; min.ftz.f32 %f5, %f2, %f5; mov.b32 %b, %f1; mad.lo.u32 %sum, %sum, 3, %b;
            mov.b32 %b, %f3; mad.lo.u32 %sum, %sum, 3, %b; mov.b32 %b, %f5; mad.lo.u32 %sum, %sum, 3, %b;
            and.b32 %b, %i, 0xFFFF; or.b32 %b, %b, 0x7F800001; mov.b32 %f6, %b; abs.f32 %f7, %f6; max.f32 %f7, %f7, %f2; mov.b32 %b, %f7; mad.lo.u32 %sum, %sum, 3, %b;
            neg.ftz.f32 %f7, %f6; min.ftz.f32 %f7, %f2, %f7; mov.b32 %b, %f7; mad.lo.u32 %sum, %sum, 3, %b;
            add.u64 %x1, %x1, 4; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 30; @%p bra again;",
    ),
    (
        "what a word that all threads read was a turn ago, and a thread's number before the first turn",
        "mov.u32 %j, 0; mov.u64 %x1, %in; mov.u32 %b, %t;
        again:
            mul.wide.u32 %x2, %i, 4; add.u64 %x2, %in, %x2; ld.global.u32 %a, [%x2];
            sub.u32 %a, %a, %b; mad.lo.u32 %sum, %sum, 3, %a; ld.global.u32 %b, [%x1];
            add.u64 %x1, %x1, 4; add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
    (
        "predicates and counters of threads",
        "mov.u32 %j, 0; setp.gt.u32 %q1, %t, 5; mov.u32 %b, %t; and.b32 %v1, %end, 511;
        again:
            xor.b32 %a, %t, %j; setp.gt.u32 %q2, %a, %b; and.pred %q3, %q1, %q2; selp.u32 %a, %j, %b, %q3; add.u32 %sum, %sum, %a;
            @%q1 add.u32 %b, %b, 3; not.pred %q1, %q2; add.u32 %j, %j, 2; setp.lt.u32 %p, %j, %v1; @%p bra again;
            @%q1 add.u32 %sum, %sum, 1;",
    ),
    (
        "a sum that is the same in all threads, and a word that decides",
        "mov.u32 %j, 0; mov.u64 %x1, %in; mov.u32 %b, 1;
        again:
            ld.global.u32 %a, [%x1]; add.u32 %b, %b, %a; add.u32 %sum, %sum, %b; add.u64 %x1, %x1, 4; add.u32 %j, %j, 1;
            setp.lt.u32 %p, %j, 41; @%p bra again;
            mov.u64 %x1, %in;
        more:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, %i, %a; add.u64 %x1, %x1, 4; setp.lt.u32 %p, %a, 9999; @%p bra more;",
    ),
    (
        "addresses that words say",
        "mov.u32 %j, 0; mov.u64 %x1, %in;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, %i, %a; and.b32 %a, %a, 511; mul.wide.u32 %x2, %a, 4; add.u64 %x1, %in, %x2;
            add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 41; @%p bra again;",
    ),
    (
        "rows and columns, with a count of 32 bits that wraps",
        "mov.u32 %j, 0xFFFFFFF0; and.b32 %b, %i, 31; shr.u32 %v1, %i, 5; and.b32 %v1, %v1, 3;
        again:
            add.u32 %v2, %j, 64; mad.lo.u32 %a, %v1, 64, %v2; mul.wide.s32 %x1, %a, 4; add.s64 %x1, %in, %x1; ld.global.u32 %v3, [%x1];
            mad.lo.u32 %a, %v2, 32, %b; mul.wide.s32 %x2, %a, 4; add.s64 %x2, %in, %x2; ld.global.u32 %v4, [%x2]; mad.lo.u32 %sum, %v3, %v4, %sum;
            add.u32 %j, %j, 1; setp.ne.u32 %p, %j, 24; @%p bra again;",
    ),
    (
        "words that all threads read beside what grows from thread to thread",
        "add.u64 %x1, %in, 64; mov.u32 %j, 0; add.u32 %b, %i, 7; mul.lo.u32 %v2, %i, %i;
        again:
            ld.global.u32 %a, [%x1]; sub.s32 %a, %a, %i; abs.s32 %a, %a; min.s32 %v2, %v2, %a; sub.u32 %v1, %j, %i; min.u32 %v1, %v1, %a;
            add.u32 %sum, %sum, %v1; add.u32 %b, %b, 3; xor.b32 %sum, %sum, %b; add.u64 %x1, %x1, 4; add.u32 %j, %j, 1;
            setp.ne.u32 %p, %j, 29; @%p bra again; add.u32 %sum, %sum, %v2;",
    ),
    (
        "four steps of a row times a column",
        "shr.u32 %v1, %t, 4; and.b32 %v2, %t, 15; mul.wide.u32 %x1, %v1, 256; add.u64 %x1, %in, %x1; mul.wide.u32 %x2, %v2, 4; add.u64 %x2, %in, %x2;
        and.b32 %a, %step, 31; add.u32 %a, %a, 16; mul.wide.u32 %w1, %a, 4; shl.b64 %w2, %w1, 2; mov.u32 %j, 0;
        again:
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x2]; mad.lo.u32 %sum, %a, %b, %sum; add.u64 %x3, %x2, %w1;
            ld.global.u32 %a, [%x1+4]; ld.global.u32 %b, [%x3]; mad.lo.u32 %sum, %a, %b, %sum; add.u64 %x3, %x3, %w1;
            ld.global.u32 %a, [%x1+8]; ld.global.u32 %b, [%x3]; mad.lo.u32 %sum, %a, %b, %sum; add.u64 %x3, %x3, %w1;
            ld.global.u32 %a, [%x1+12]; ld.global.u32 %b, [%x3]; mad.lo.u32 %sum, %a, %b, %sum;
            add.u64 %x1, %x1, 16; add.u64 %x2, %x2, %w2; add.u32 %j, %j, 4; setp.lt.u32 %p, %j, 44; @%p bra again;",
    ),
    (
        "words of shared memory",
        "mul.lo.u32 %a, %t, 4; mov.u32 %b, words; add.u32 %a, %b, %a; st.shared.u32 [%a], %i; bar.sync 0; mov.u32 %j, 0;
        again:
            ld.shared.v2.u32 {%v1, %v2}, [%b]; mad.lo.u32 %sum, %sum, %v1, %v2; ld.shared.u32 %v3, [%a]; xor.b32 %sum, %sum, %v3; add.u32 %b, %b, 8; add.u32 %j, %j, 2;
            setp.lt.u32 %p, %j, 30; @%p bra again;",
    ),
    (
        "what the last turn leaves",
        "mov.u32 %j, 0; mov.u64 %x1, %in; and.b32 %v9, %end, 7;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %v1, %j, 5, %a; and.b32 %v2, %j, 6; mul.wide.u32 %x2, %j, 4; add.u64 %x2, %in, %x2;
            mad.lo.u32 %v3, %i, 3, %j; mul.wide.u32 %x3, %i, 4; add.u64 %x3, %x2, %x3; mad.lo.u32 %sum, %sum, %i, %v1; xor.b32 %v4, %sum, %v3;
            setp.gt.u32 %q1, %v2, 3; add.u64 %x1, %x1, 4; setp.ne.u32 %p, %j, %v9; add.u32 %j, %j, 1; @%p bra again;
            cvt.u32.u64 %b, %x3; sub.u32 %b, %b, %v3; cvt.u32.u64 %v5, %x2; sub.u32 %b, %b, %v5; add.u32 %sum, %sum, %b; cvt.u32.u64 %b, %x1; sub.u32 %b, %b, %v5;
            add.u32 %sum, %sum, %b; mad.lo.u32 %sum, %sum, 3, %v1; mad.lo.u32 %sum, %sum, 3, %v2; mad.lo.u32 %sum, %sum, 3, %v4; mad.lo.u32 %sum, %sum, 3, %a;
            mad.lo.u32 %sum, %sum, 3, %j; @%q1 add.u32 %sum, %sum, 99;",
    ),
    (
        "what all threads read in place of what each had",
        "mov.u32 %j, 0; mov.u64 %x1, %in; mul.lo.u32 %v1, %t, 3;
        again:
            mad.lo.u32 %sum, %sum, %i, %j; ld.global.u32 %v1, [%x1]; add.u64 %x1, %x1, 4; add.u32 %j, %j, 1; setp.ne.u32 %p, %j, 9; @%p bra again;
            mad.lo.u32 %sum, %sum, 3, %v1;",
    ),
    (
        "a count up to what doubles",
        "mov.u32 %j, 0; mov.u32 %b, 1;
        again:
            mad.lo.u32 %sum, %sum, %i, %b; shl.b32 %b, %b, 1; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, %b; @%p bra again;
            mad.lo.u32 %sum, %sum, 3, %j;",
    ),
    (
        "a loop of few turns in another one",
        "and.b32 %v1, %end, 3; add.u32 %v1, %v1, 1; mov.u32 %v2, 0; and.b32 %v5, %i, 1023;
        rows:
            mad.lo.u32 %b, %v2, 77, %v5; mov.u32 %j, 0;
        again:
            add.u32 %a, %b, %j; mul.wide.s32 %x1, %a, 4; add.s64 %x1, %in, %x1; ld.global.u32 %v3, [%x1];
            mad.lo.u32 %a, %v2, 5, %j; mul.wide.s32 %x2, %a, 4; add.s64 %x2, %in, %x2; ld.global.u32 %v4, [%x2];
            mad.lo.u32 %sum, %v3, %v4, %sum; add.u32 %j, %j, 1; setp.ne.u32 %p, %j, %v1; @%p bra again;
            add.u32 %v2, %v2, 1; mad.lo.u32 %sum, %sum, 3, %v4; setp.lt.u32 %q1, %v2, 7; @%q1 bra rows;
            add.u32 %sum, %sum, %j;",
    ),
    (
        "turns of which a count that wraps is another comparison's",
        "mov.u32 %j, 0xFFFFFFF0; mov.u64 %x1, %in; add.u32 %v1, %step, 5;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, %i, %a; add.u64 %x1, %x1, 4; add.u32 %j, %j, 3; sub.u32 %b, %v1, %j;
            setp.gt.s32 %p, %b, 0; @%p bra again; mad.lo.u32 %sum, %sum, 3, %b;",
    ),
    (
        "as many turns as are taken at once, and a comparison that ends them",
        "mov.u32 %j, %step; add.u32 %v1, %j, 1024; add.u64 %x1, %in, %x1; ld.global.u32 %a, [%x1];
        again:
            mad.lo.u32 %sum, %sum, 3, %a; add.u32 %j, %j, 1; setp.ge.s32 %p, %j, %v1; @!%p bra again;
            add.u32 %sum, %sum, %j;",
    ),
    (
        "two values that change places, of which one is read after the last turn",
        "add.u64 %x1, %in, %x1; ld.global.u32 %v1, [%x1]; mul.lo.u32 %v2, %v1, %v1; mov.u32 %j, 0;
        again:
            mov.u32 %a, %v2; mov.u32 %v2, %v1; mov.u32 %v1, %a; add.u32 %j, %j, 1; setp.ne.u32 %p, %j, 25; @%p bra again;
            mad.lo.u32 %sum, %i, %v1, %v1;",
    ),
    (
        "a count that all threads leave behind, beside words far apart, of which only some turns' are taken at a time",
        "mov.u32 %j, 0; mul.wide.u32 %x1, %t, 4; add.u64 %x1, %in, %x1;
        again:
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x1+8192]; sub.u32 %a, %a, %b; add.u64 %x1, %x1, 4;
            add.u32 %v1, %j, %step; xor.b32 %v2, %v1, %sum; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 200; @%p bra again;
            mad.lo.u32 %sum, %v1, 3, %a; xor.b32 %sum, %sum, %v2;",
    ),
    (
        "what grows from thread to thread and from turn to turn, beside words far apart",
        "mov.u32 %j, 0; mul.wide.u32 %x1, %t, 4; add.u64 %x1, %in, %x1; mov.u32 %v1, %t;
        again:
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x1+8192]; sub.u32 %a, %a, %b; add.u64 %x1, %x1, 4;
            mad.lo.u32 %v2, %v1, %v1, %a; mad.lo.u32 %sum, %j, %v2, %sum; add.u32 %v1, %v1, 3;
            add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 200; @%p bra again;
            mad.lo.u32 %sum, %v1, 3, %sum;",
    ),
];

/// Those that take turns in machine code.
const IN_MACHINE_CODE: &[&str] = &[
    "a sum of words",
    "a pointer that moves on, and what it has passed",
    "backwards",
    "turns that are counted alike, one at least",
    "two values that grow differently, and low bits of one",
    "words that all threads read, by way of a branch back",
    "words that all threads read, from the buffer's middle on",
    "values that change places from turn to turn",
    "what a value was a turn ago, where it is the same from the second turn on",
    "more values than registers hold",
    CHAIN,
    "floating-point numbers, and what no number is",
    "bits that are no number before the first turn, and a sum after it",
    SIGNALLING,
    "predicates and counters of threads",
    "a sum that is the same in all threads, and a word that decides",
    "addresses that words say",
    "words that all threads read beside what grows from thread to thread",
    "four steps of a row times a column",
    "words of shared memory",
    "what the last turn leaves",
    "what all threads read in place of what each had",
    "a count up to what doubles",
    "a loop of few turns in another one",
    "turns of which a count that wraps is another comparison's",
    "as many turns as are taken at once, and a comparison that ends them",
    "two values that change places, of which one is read after the last turn",
    "a count that all threads leave behind, beside words far apart, of which only some turns' are taken at a time",
    "what grows from thread to thread and from turn to turn, beside words far apart",
];

#[test]
fn loops_that_store_nothing_have_machine_code() {
    for (name, body) in LOOPS {
        let module = kernel(&written(body));
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).unwrap();
        let launch =
            Launch { block: 64.into(), parameters: vec![0; 32], ..Launch::new(module.entry("k").unwrap()) };
        let stage = |stage| launch.stage(stage, &program, &memory, &|_, _| 1).unwrap();
        let (plan, code) = (stage(Stage::Plan), stage(Stage::Isel));
        let mut codes = code.split("\nturn loop").skip(1);
        let has = plan.contains("\n  turn loop") && codes.any(|code| !code.contains("no code"));
        assert_eq!(has, IN_MACHINE_CODE.contains(name), "{name}: {plan}\n{code}");
    }
}

/// Where registers are enough for two groups of threads that take each instruction together, eight take stretches of it in turn.
#[test]
fn groups_take_stretches_of_a_chain() {
    let (_, body) = LOOPS.iter().find(|(name, _)| *name == CHAIN).unwrap();
    let module = kernel(&written(body));
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    for simd in [Simd::Jit, Simd::JitSkylake] {
        let launch = Launch {
            block: 256.into(),
            parameters: vec![0; 32],
            simd: Some(simd),
            ..Launch::new(module.entry("k").unwrap())
        };
        let code = launch.stage(Stage::Asm, &program, &memory, &|_, _| 1).unwrap();
        let turn_loop = code.split("\nturn loop").nth(1).unwrap();
        assert_eq!(turn_loop.matches("vpmulld").count(), 8 * PRODUCTS as usize, "{simd:?}: {turn_loop}");
    }
}

/// A kernel with a loop.
fn kernel(body: &str) -> Module {
    compile(&format!(
            ".entry k(.param .u64 in, .param .u64 out, .param .u64 sums, .param .u32 step, .param .u32 end)
            {{
                .reg .b64 %x<4>, %w<4>, %in, %out, %sums; .reg .b32 %i, %j, %a, %b, %t, %sum, %step, %end, %v<44>; .reg .pred %p, %q<4>;
                .reg .f32 %f<8>; .shared .align 8 .b32 words[256];
                ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %sums, [sums];
                ld.param.u32 %step, [step]; ld.param.u32 %end, [end];
                mov.u32 %i, %ctaid.x; mov.u32 %a, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %a, %t;
                mul.wide.u32 %x1, %i, 4; add.u64 %sums, %sums, %x1; mov.u32 %sum, 7;
                {body}
                st.global.u32 [%sums], %sum; ret;
            }}"
        ))
}

/// A loop's text, with the lists that it names.
fn written(body: &str) -> String {
    let all = |f: fn(u32) -> String, range: std::ops::Range<u32>| range.map(f).collect::<String>();
    let products =
        all(|k| format!("mul.lo.u32 %v{}, %v{}, {};", k + 4, k % 2 + 1, 54321 + 2 * k), 0..PRODUCTS);
    let joined =
        all(|k| format!("sub.u32 %a, %b, %v{}; xor.b32 %b, %a, %v{};", k + 4, PRODUCTS + 3 - k), 0..PRODUCTS);
    let body =
        body.replace("{products}", &products).replace("{joined}", &format!("mov.u32 %b, %v2; {joined}"));
    body.replace("{first}", &all(|k| format!("mad.lo.u32 %v{}, %v{k}, 5, {k};", k + 1), 0..43))
        .replace("{each}", &all(|k| format!("mad.lo.u32 %v{k}, %v{k}, %v{}, %a;", k + 3), 0..40))
        .replace("{shift}", &all(|k| format!("mov.u32 %v{k}, %v{};", k + 1), 0..43))
        .replace("{last}", &all(|k| format!("mad.lo.u32 %sum, %sum, 3, %v{k};"), 0..44))
}

#[test]
fn many_turns_are_as_many_single_ones() {
    for (name, body) in LOOPS {
        let body = written(body);
        let module = kernel(&body);
        // The last ones leave the buffers, at once or after many turns.
        for (blocks, threads, step, end) in [
            (1, 64, 64, 512),
            (3, 128, 384, 2900),
            (2, 192, 200, 1000),
            (4, 32, 1, 40),
            (1, 256, 16, 2500),
            (1, 128, 128, 700),
            (1, 70, 70, 700),
            (2, 64, 128, 3200),
            (1, 64, 8, 100_000),
            (1, 64, 1 << 30, 4_000_000_000),
        ] {
            // Threads would write what others do.
            if body.contains("[%x2], %a") && step < blocks * threads {
                continue;
            }
            let outcome = |engine, simd| {
                let mut memory = Memory::new(64);
                let program = Program::load(&module, &mut memory).unwrap();
                let [input, out, sums] =
                    ["in", "out", "sums"].map(|name| memory.alloc(u64::from(4 * WORDS), name).unwrap());
                let words = |seed: u32| {
                    (0..WORDS)
                        .flat_map(move |k| (k.wrapping_mul(k) ^ k << 7).wrapping_add(seed).to_le_bytes())
                };
                memory.write(input, &words(1).collect::<Vec<u8>>()).unwrap();
                memory.write(out, &words(2).collect::<Vec<u8>>()).unwrap();
                let entry = module.entry("k").unwrap();
                let arguments = [input, out, sums].map(Argument::Address);
                let arguments: Vec<Argument> =
                    arguments.into_iter().chain([step, end].map(|n: u32| Argument::from(n))).collect();
                let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
                let (grid, block) = (u32::into(blocks), u32::into(threads));
                let launch =
                    Launch { grid, block, parameters, workers: 1, engine, simd, ..Launch::new(entry) };
                let ended = launch.run(&program, &memory);
                // Which of several threads that fail is the first is open, too.
                let fault = |error: margay_exec::Error| error.to_string().split(';').next().map(String::from);
                let ended = ended.map(|report| report.instructions).map_err(fault);
                let bytes =
                    [out, sums].map(|buffer| memory.read(buffer, u64::from(4 * WORDS)).unwrap().to_vec());
                // How far others have come is open where a thread fails.
                let bytes = ended.is_ok().then_some(bytes);
                (ended, bytes)
            };
            let want = outcome(Engine::Golden, None);
            for simd in Simd::available() {
                let got = outcome(Engine::Batch, Some(*simd));
                assert!(
                    got == want,
                    "{name}, {simd}: {blocks} blocks of {threads}, by {step} to {end}: {:?}, not {:?}",
                    got.0,
                    want.0
                );
            }
        }
    }
}
