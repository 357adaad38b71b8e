"""What tests share: a module of small kernels."""

import margay
import pytest

pytest_plugins = ["pytester"]

KERNELS = """
.version 8.0
.target sm_80
.address_size 64

.global .u32 total;
.global .s32 table[2][3] = {{1, 2, 3}, {4, 5, -6}};

// data[i] += by, for i < n.
.visible .entry raise(.param .u64 data, .param .u32 by, .param .u32 n) {
    .reg .b64 %rd<3>; .reg .b32 %r<7>; .reg .pred %p;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [by];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    setp.ge.u32 %p, %r3, %r2;
    @%p ret;
    mul.wide.u32 %rd2, %r3, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u32 %r6, [%rd1];
    add.u32 %r6, %r6, %r1;
    st.global.u32 [%rd1], %r6;
    red.global.add.u32 [total], 1;
}

// to[i] = from[i], one byte, for i < ntid.
.visible .entry copy(.param .u64 to, .param .u64 from) {
    .reg .b64 %rd<4>; .reg .b16 %h;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [from];
    .reg .b32 %r;
    mov.u32 %r, %tid.x;
    cvt.u64.u32 %rd3, %r;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.u8 %h, [%rd2];
    st.global.u8 [%rd1], %h;
}

// Stores what each kind of parameter holds.
.visible .entry kinds(.param .u64 to, .param .u8 a, .param .s16 b, .param .f32 c, .param .f64 d, .param .b32 e,
                      .param .align 8 .b8 f[16]) {
    .reg .b64 %rd<4>; .reg .b32 %r; .reg .b16 %h;
    ld.param.u64 %rd1, [to];
    ld.param.u8 %h, [a];
    st.global.u8 [%rd1], %h;
    ld.param.u16 %h, [b];
    st.global.u16 [%rd1+2], %h;
    ld.param.b32 %r, [c];
    st.global.b32 [%rd1+4], %r;
    ld.param.b64 %rd2, [d];
    st.global.b64 [%rd1+8], %rd2;
    ld.param.b32 %r, [e];
    st.global.b32 [%rd1+16], %r;
    ld.param.b64 %rd2, [f];
    st.global.b64 [%rd1+24], %rd2;
    ld.param.b64 %rd2, [f+8];
    st.global.b64 [%rd1+32], %rd2;
}

// All threads of a block store to one place.
.visible .entry clash(.param .u64 to) {
    .reg .b64 %rd; .reg .b32 %r;
    ld.param.u64 %rd, [to];
    mov.u32 %r, %tid.x;
    st.global.u32 [%rd], %r;
}

// The thread that comes last is seen: depends on the order of threads.
.visible .entry last(.param .u64 to) {
    .reg .b64 %rd; .reg .b32 %r;
    ld.param.u64 %rd, [to];
    mov.u32 %r, %tid.x;
    atom.global.exch.b32 %r, [%rd], %r;
}

.visible .entry endless() {
again:
    bra again;
}

.visible .entry dynamic(.param .u64 to) {
    .reg .b64 %rd; .reg .b32 %r;
    ld.param.u64 %rd, [to];
    mov.u32 %r, %dynamic_smem_size;
    st.global.u32 [%rd], %r;
}
"""


@pytest.fixture(scope="session")
def kernels() -> margay.RawModule:
    return margay.RawModule(code=KERNELS)
