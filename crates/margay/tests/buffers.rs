//! What `margay run` takes and shows of buffers of floating-point numbers, of every type and in every kind of file.

mod common;

use common::margay_in;
use std::fs;
use std::path::Path;

/// Copies the bytes of a buffer.
const COPY: &str = "\
// margay run: --block 64 --arg in=in.raw:bf16 --arg out=out.raw:bf16[8] --arg u32=16
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to, .param .u32 n)
{
    .reg .pred %p;
    .reg .u32 %i, %n, %x;
    .reg .u64 %from, %to, %at;
    ld.param.u64 %from, [from];
    ld.param.u64 %to, [to];
    ld.param.u32 %n, [n];
    mov.u32 %i, %tid.x;
    setp.ge.u32 %p, %i, %n;
    @%p ret;
    cvt.u64.u32 %at, %i;
    add.u64 %from, %from, %at;
    add.u64 %to, %to, %at;
    ld.global.u8 %x, [%from];
    st.global.u8 [%to], %x;
    ret;
}
";

fn bytes<const N: usize>(elements: &[[u8; N]]) -> Vec<u8> {
    elements.concat()
}

fn copied(folder: &Path, from: &str, to: &str, count: usize) -> (Option<i32>, String, String) {
    let count = format!("u32={count}");
    let words = ["run", "copy.ptx", "--arg", from, "--arg", to, "--arg", &count];
    let ran = margay_in(folder, &words);
    (ran.code, ran.out, ran.err)
}

#[test]
fn every_type_is_read_and_shown_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("copy.ptx"), COPY).unwrap();
    let halves = [0x3e00u16, 0x8000, 0x7c00, 0x7e00, 0x7bff, 1, 0xc248, 0x2e66].map(u16::to_le_bytes);
    let brains = [0x3fc0u16, 0x8000, 0x7f80, 0x7fc0, 0x7f7f, 1, 0xc049, 0x3dcd].map(u16::to_le_bytes);
    let singles = [1.5f32, -0.0, f32::INFINITY, f32::NAN, 3.4e38, 1e-45, -3.25, 0.1].map(f32::to_le_bytes);
    let doubles = [1.5f64, -0.0, f64::INFINITY, f64::NAN, 1.7e308, 5e-324, -3.25, 0.1].map(f64::to_le_bytes);
    let eighths = vec![0x38, 0x80, 0x7f, 0x7e, 1, 0xb8, 0x1d, 0x40];
    for (ty, data, shown) in [
        ("f16", bytes(&halves), "1.5 -0 inf nan 65500 6e-8 -3.14 0.1 (min -3.14, max inf)"),
        ("bf16", bytes(&brains), "1.5 -0 inf nan 3.39e38 9e-41 -3.14 0.1 (min -3.14, max inf)"),
        ("f32", bytes(&singles), "1.5 -0 inf nan 3.4e38 1e-45 -3.25 0.1 (min -3.25, max inf)"),
        ("f64", bytes(&doubles), "1.5 -0 inf nan 1.7e308 5e-324 -3.25 0.1 (min -3.25, max inf)"),
        ("e4m3", eighths, "1 -0 nan 450 0.002 -1 0.1 2 (min -1, max 450)"),
    ] {
        fs::write(folder.path().join("in.raw"), &data).unwrap();
        let from = format!("in=in.raw:{ty}[8]");
        let (code, _, err) = copied(folder.path(), &from, &format!("out=out.raw:{ty}[8]"), data.len());
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains(&format!("read in.raw: {ty}[8]\n")), "{err}");
        assert!(err.contains(&format!("wrote out.raw: {ty}[8] {shown}\n")), "{err}");
        assert_eq!(fs::read(folder.path().join("out.raw")).unwrap(), data);
    }
}

#[test]
fn headers_and_json_have_them_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("copy.ptx"), COPY).unwrap();
    fs::write(folder.path().join("in.raw"), [0xcd, 0x3d].repeat(8)).unwrap();
    let ran = margay_in(folder.path(), &["run", "copy.ptx", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let output = &report["outputs"][0];
    assert_eq!(output["type"], "bf16");
    // The number itself, which all digits of `f64` have room for.
    assert_eq!(
        (output["first"][0].as_f64(), output["max"].as_f64()),
        (Some(0.10009765625), Some(0.10009765625))
    );
}

#[test]
fn numpy_keeps_the_bits_of_types_that_it_has_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("copy.ptx"), COPY).unwrap();
    fs::write(folder.path().join("in.raw"), [0xcd, 0x3d].repeat(8)).unwrap();
    let (code, _, err) = copied(folder.path(), "in=in.raw:bf16", "out=a.npy:bf16[2,4]", 16);
    assert_eq!(code, Some(0), "{err}");
    let file = fs::read(folder.path().join("a.npy")).unwrap();
    assert!(
        String::from_utf8_lossy(&file).contains("'descr': '<u2', 'fortran_order': False, 'shape': (2, 4)")
    );
    let (code, _, err) = copied(folder.path(), "in=a.npy:bf16", "out=b.raw:bf16[8]", 16);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("read a.npy: bf16[2,4]\n") && err.contains("b.raw: bf16[8] 0.1 0.1"), "{err}");
    // As `ml_dtypes` has them written.
    let at = file.windows(4).position(|bytes| bytes == b"'<u2").unwrap();
    let void = [&file[..at + 2], b"V", &file[at + 3..]].concat();
    fs::write(folder.path().join("v.npy"), void).unwrap();
    let (code, _, err) = copied(folder.path(), "in=v.npy:bf16[2,4]", "out=b.raw:bf16[8]", 16);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("read v.npy: bf16[2,4]\n"), "{err}");
    for wrong in ["in=a.npy:e4m3", "in=a.npy:bf16[8]", "in=a.npy:f16"] {
        let (code, _, err) = copied(folder.path(), wrong, "out=b.raw:bf16[8]", 16);
        assert_eq!(code, Some(2), "{wrong}: {err}");
        assert!(err.contains("`a.npy` holds `u16[2,4]`, not `"), "{err}");
    }
}

#[test]
fn values_of_these_types_are_arguments() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("copy.ptx"), COPY).unwrap();
    let (code, _, err) = copied(folder.path(), "bf16=1e39", "out=b.raw:bf16[8]", 16);
    assert_eq!(code, Some(2));
    assert!(err.contains("`1e39` does not fit `bf16`"), "{err}");
    let (code, _, err) = copied(folder.path(), "zero=e2m1[8]", "out=b.raw:bf16[8]", 16);
    assert_eq!(code, Some(2));
    assert!(err.contains("unknown type `e2m1`") && err.contains("bf16"), "{err}");
}
