//! Products of matrices by the command: as one device or another, and drawn.

mod common;

use common::{margay, margay_in};

/// Sums of eight products of ones and -2^-25: tensor cores of sm_80 cut that off beside 1, those of sm_90 do not.
const KERNEL: &str = ".version 7.8 .target sm_80 .address_size 64
.entry k(.param .u64 out) {
    .reg .b64 %out; .reg .b32 %one, %c, %d<4>;
    ld.param.u64 %out, [out];
    mov.b32 %one, 0x3c003c00;
    mov.b32 %c, 0xb3000000;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%one, %one}, {%one}, {%c, %c, %c, %c};
    st.global.u32 [%out], %d0;
    ret;
}
";

#[test]
fn the_device_decides_what_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), KERNEL).unwrap();
    let run = |more: &[&str]| {
        let words = ["run", "k.ptx", "--block", "32", "--arg", "out=d.raw:u32[1]"];
        let ran = margay_in(folder.path(), &[&words, more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let bytes = std::fs::read(folder.path().join("d.raw")).unwrap();
        u32::from_le_bytes(bytes.try_into().unwrap())
    };
    assert_eq!(run(&["--device", "sm_90"]), 0x40ff_ffff);
    assert_eq!(run(&["--device", "sm_80"]), 0x4100_0000);
    assert_eq!(run(&[]), 0x4100_0000);
    assert_eq!(run(&["--device", "sm_90", "--engine", "golden"]), 0x40ff_ffff);
}

#[test]
fn a_device_that_is_none_is_refused() {
    let ran = margay(&["run", "k.ptx", "--device", "sm_1"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`sm_1`") || ran.err.contains("'sm_1'"), "{}", ran.err);
    assert!(ran.err.contains("write its target, such as `sm_80`"), "{}", ran.err);
}

#[test]
fn forms_are_drawn_with_what_stands_behind_them() {
    let drawn = margay(&["explain", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"]).out;
    assert!(drawn.starts_with("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: "), "{drawn}");
    for line in [
        "    8   T0 a1   T1 a1   T2 a1   T3 a1   T0 a3   T1 a3   T2 a3   T3 a3\n",
        "    14-15  T3 b1  T7 b1  T11 b1  T15 b1  T19 b1  T23 b1  T27 b1  T31 b1\n",
        "    15  T28 d2  T28 d3  T29 d2  T29 d3  T30 d2  T30 d3  T31 d2  T31 d3\n",
        "    sm_80: 8 products and C at once, cut to 24 bits after the point of the greatest, rounded towards 0; results of A100",
    ] {
        assert!(drawn.contains(line), "{line}{drawn}");
    }
    // Some words: the form that most would mean.
    let some = margay(&["explain", "mma.m16n8k16"]).out;
    assert!(some.starts_with("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: "), "{some}");
    let loaded = margay(&["explain", "ldmatrix.x1.trans"]).out;
    assert!(
        loaded.contains("    2-3  T1 r0  T5 r0  T9 r0   T13 r0  T17 r0  T21 r0  T25 r0  T29 r0\n"),
        "{loaded}"
    );
    let bits = margay(&["explain", "mma.m8n8k128.xor"]).out;
    assert!(bits.contains("0-31    32-63   64-95   96-127"), "{bits}");
    let other = margay(&["explain", "mma.m1n2k3"]);
    assert!(other.err.starts_with("error: no form of `mma` has `.m1n2k3`\n"), "{}", other.err);
}
