//! `margay diff` as a user meets it: two kernels, one fault.

mod common;

use common::{Ran, margay_in};

const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    shl.b32 %r2, %r1, 1;
    st.global.u32 [%rd1], %r2;
    ret;
}
";

fn diff(other: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ptx"), KERNEL).unwrap();
    std::fs::write(folder.path().join("b.ptx"), other).unwrap();
    let common = ["diff", "a.ptx", "b.ptx", "--block", "8", "--arg", "out=o.raw:u32[8]"];
    let ran = margay_in(folder.path(), &[&common[..], more].concat());
    assert!(!folder.path().join("o.raw").exists(), "nothing is written");
    ran
}

#[test]
fn equal_outputs_are_equal_whatever_the_code() {
    let ran = diff(&KERNEL.replace("shl.b32 %r2, %r1, 1;", "add.u32 %r2, %r1, %r1;"), &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "1 output equal\n"), "{}", ran.err);
}

#[test]
fn the_first_difference_is_named_with_the_stores_that_made_it() {
    let other = KERNEL.replace("shl.b32 %r2, %r1, 1;", "shl.b32 %r2, %r1, 1;\n    max.u32 %r2, %r2, 6;");
    let ran = diff(&other, &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(
        ran.out,
        "o.raw: element 0 differs, the first of 3\n  a.ptx: 0\n    0,0,0@0,0,0 line 15: st.global.u32 [%rd1], %r2;  write [ADDRESS] = 00000000\n  \
         b.ptx: 6\n    0,0,0@0,0,0 line 16: st.global.u32 [%rd1], %r2;  write [ADDRESS] = 06000000\n"
            .replace("ADDRESS", ran.out.split("write [").nth(1).unwrap().split(']').next().unwrap())
    );
    let json: serde_json::Value = serde_json::from_str(&diff(&other, &["--format", "json"]).out).unwrap();
    assert_eq!(
        (json["equal"].as_bool(), json["element"].as_u64(), json["elements"].as_u64()),
        (Some(false), Some(0), Some(3))
    );
    assert_eq!(
        (json["a"]["store"]["line"].as_u64(), json["b"]["store"]["line"].as_u64()),
        (Some(15), Some(16))
    );
}

#[test]
fn a_store_that_is_missing_and_a_launch_that_stops_are_told() {
    let missing = KERNEL.replace("    st.global.u32 [%rd1], %r2;\n", "");
    let ran = diff(&missing, &[]);
    assert!(ran.code == Some(1) && ran.out.contains("element 1 differs"), "{}", ran.out);
    assert!(ran.out.contains("no further store to it"), "{}", ran.out);
    let ran = diff(&KERNEL.replace("    ret;", "    trap;"), &[]);
    assert!(
        ran.code == Some(1) && ran.out.contains("b.ptx: stopped:") && ran.out.contains("a.ptx: ended"),
        "{}",
        ran.out
    );
}

#[test]
fn wrong_ptx_and_wrong_calls_are_refused() {
    let ran = diff(&KERNEL.replace("shl.b32", "shll.b32"), &[]);
    assert!(ran.code == Some(1) && ran.err.contains("b.ptx"), "{}", ran.err);
    let ran = diff(KERNEL, &["--arg", "u32=1"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}
