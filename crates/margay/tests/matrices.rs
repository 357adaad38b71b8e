//! Products of matrices by the command: as one device or another, and drawn.

mod common;

use common::{margay, margay_in};
use margay::isa::forms::forms;
use margay::isa::tensor_core::{Form, multiply_add};
use margay::isa::{Inst, Meaning, Semantics, Slot, Word, pages_of};
use margay::product::{Product, View};

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

/// Every product that runs, its matrices drawn at random: each element of D is what a row and a column give.
#[test]
fn products_of_every_form_are_what_rows_and_columns_give() {
    let mut random = margay::random::generator(7);
    let mut count = 0;
    for inst in products() {
        let form = Form::of(&inst);
        let words = inst.to_string();
        let product = Product::parse(&words, View::Matrices).unwrap().unwrap_or_else(|| panic!("{words}"));
        let device = product.device(None).unwrap();
        let (k, quads) = match (inst[Slot::Shape], inst[Slot::AType] == Word::F64) {
            (Word::Shape(s), false) if (s.m, s.n, s.k) == (8, 8, 4) => (4, true),
            (Word::Shape(s), _) => (usize::from(s.k), false),
            _ => panic!("{words} has no shape"),
        };
        let values: Vec<Vec<u64>> = product
            .inputs()
            .iter()
            .map(|input| {
                let mask = u64::MAX >> (64 - input.entry.bits());
                (0..input.count())
                    .map(|_| match input.name.as_str() {
                        // The first two of four are stored, or the first of two.
                        "metadata" => 0x4444_4444,
                        "selector" => 0,
                        // Exponents of 127 and thereabouts.
                        "scale_a" | "scale_b" if form.scales == Word::Ue8m0 => 125 + random() % 5,
                        _ => random() & mask,
                    })
                    .collect()
            })
            .collect();
        let of = |name: &str| {
            let at = product.inputs().iter().position(|input| input.name == name)?;
            Some((&product.inputs()[at], &values[at]))
        };
        let wide = |bits: u64| u128::from(bits);
        let ((a, b), (input_c, c)) = ((of("a").unwrap(), of("b").unwrap()), of("c").unwrap());
        let d = product.on(device).compute(&values);
        let result = product.result();
        assert_eq!((result.rows, result.columns), (input_c.rows, input_c.columns), "{words}");
        for (at, element) in d.iter().enumerate() {
            let (row, column) = (at / result.columns, at % result.columns);
            let across = if quads { row / 8 * 8 + column } else { column };
            // Which of B's elements the stored ones of A meet.
            let meets = |q: usize| match (form.sparse, form.a) {
                (false, _) => q,
                (true, Word::Tf32) => 2 * q,
                (true, Word::S4 | Word::U4) => q / 4 * 8 + q % 4,
                (true, Word::E2m1) if words.contains("mxf4") => q / 4 * 8 + q % 4,
                _ => q / 2 * 4 + q % 2,
            };
            let row_of_a: Vec<u128> =
                a.1[row * a.0.columns..][..a.0.columns].iter().map(|x| wide(*x)).collect();
            let column_of_b: Vec<u128> =
                (0..a.0.columns).map(|q| wide(b.1[meets(q) * b.0.columns + across])).collect();
            assert_eq!(b.0.rows, k, "{words}");
            let scales_a: Vec<u128> = of("scale_a").map_or(Vec::new(), |(input, x)| {
                x[row * input.columns..][..input.columns].iter().map(|x| wide(*x)).collect()
            });
            let scales_b: Vec<u128> = of("scale_b").map_or(Vec::new(), |(input, x)| {
                (0..input.rows).map(|k| wide(x[k * input.columns + column])).collect()
            });
            let expected =
                multiply_add(&form, device, &row_of_a, &column_of_b, [&scales_a, &scales_b], wide(c[at]));
            assert_eq!(wide(*element), expected, "{words}, row {row}, column {column}");
        }
        count += 1;
    }
    assert!(count > 600, "{count}");
}

/// Sparse matrices with all their elements: which of them are stored follows, and D is that of those.
#[test]
fn whole_sparse_matrices_are_compressed() {
    let mut random = margay::random::generator(11);
    let mut count = 0;
    for inst in products().into_iter().filter(|inst| inst.has(Slot::Sparse)) {
        let (form, words) = (Form::of(&inst), inst.to_string());
        let product = Product::parse(&words, View::Matrices).unwrap().unwrap().taking(&["a", "b", "c"]);
        let device = product.device(None).unwrap();
        let (of, stored, unit) = match form.a {
            Word::Tf32 => (2, 1, 1),
            Word::S4 | Word::U4 => (4, 2, 2),
            Word::E2m1 if words.contains("mxf4") => (4, 2, 2),
            _ => (4, 2, 1),
        };
        let names: Vec<&str> = product.inputs().iter().map(|input| input.name.as_str()).collect();
        assert!(names.starts_with(&["a", "b", "c"]) && !names.contains(&"selector"), "{words}: {names:?}");
        let [a, b, c] = [0, 1, 2].map(|k| &product.inputs()[k]);
        assert_eq!(a.columns, b.rows, "{words}");
        let mut whole = vec![0; a.count()];
        // The columns of each row that are not zero.
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); a.rows];
        for (row, kept) in kept.iter_mut().enumerate() {
            for group in 0..a.columns / (of * unit) {
                let mut units: Vec<usize> = (0..of).collect();
                while units.len() > stored {
                    units.remove(random() as usize % units.len());
                }
                for column in units.iter().flat_map(|k| (0..unit).map(move |j| (group * of + k) * unit + j)) {
                    whole[row * a.columns + column] = 1 + random() % ((1 << (a.entry.bits() - 1)) - 1);
                    kept.push(column);
                }
            }
        }
        let mut drawn = |count: usize, bits: u32| -> Vec<u64> {
            (0..count).map(|_| random() & u64::MAX >> (64 - bits)).collect()
        };
        let mut values = vec![whole, drawn(b.count(), b.entry.bits()), drawn(c.count(), c.entry.bits())];
        values.extend(product.inputs()[3..].iter().map(|input| vec![0x3c; input.count()]));
        let d = product.on(device).compute(&values);
        for (at, element) in d.iter().enumerate() {
            let (row, column) = (at / b.columns, at % b.columns);
            let of_a: Vec<u128> = kept[row].iter().map(|k| values[0][row * a.columns + k].into()).collect();
            let of_b: Vec<u128> =
                kept[row].iter().map(|k| values[1][k * b.columns + column].into()).collect();
            let scales = product.inputs().get(3).map_or(Vec::new(), |input| vec![0x3c; input.columns]);
            let expected =
                multiply_add(&form, device, &of_a, &of_b, [&scales, &scales], values[2][at].into());
            assert_eq!(u128::from(*element), expected, "{words}, row {row}, column {column}");
        }
        count += 1;
    }
    assert!(count > 60, "{count}");
}

/// The forms of all instructions that multiply matrices in registers.
fn products() -> Vec<Inst> {
    let pages = ["mma", "wmma"]
        .into_iter()
        .flat_map(|opcode| pages_of(opcode).iter().map(move |page| (opcode, page)));
    let forms = pages.flat_map(|(opcode, page)| forms(page, opcode, 0, &mut || 0));
    forms.filter(|inst| matches!(inst.meaning(Semantics::Manual), Meaning::Fragments(_))).collect()
}

const FORM: &str = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";

#[test]
fn eval_multiplies_matrices_by_the_arithmetic_of_a_device() {
    let ran = margay(&["eval", FORM, "a={{1,2},{3,-4}}", "b={{10},{0.5}}"]);
    let mut lines = ran.out.lines();
    assert_eq!((lines.next(), ran.err.as_str()), (Some("d: 16 by 8, .f32"), ""));
    assert_eq!(lines.next(), Some("    11.0  0.0  0.0  0.0  0.0  0.0  0.0  0.0"));
    assert_eq!(lines.next(), Some("    28.0  0.0  0.0  0.0  0.0  0.0  0.0  0.0"));
    let told = "sm_75: 8 products and C at once, cut to 24 bits after the point of the greatest, rounded towards 0; \
                a published algorithm; not verified here by results of devices";
    assert_eq!((ran.out.lines().count(), ran.out.lines().last()), (18, Some(told)));
    // Names of one's choice: C and D in one; what Ampere cuts off, Hopper does not.
    let named = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 sum, x, y, sum;";
    let on = |device: &str| {
        let ran = margay(&["eval", named, "x=1", "y=1", "sum=-2.9802322e-8", "--device", device]);
        assert_eq!(ran.err, "");
        (
            ran.out
                .lines()
                .nth(1)
                .unwrap_or_default()
                .trim()
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_string(),
            ran.out,
        )
    };
    assert_eq!(on("sm_80").0, "8.0");
    let (first, text) = on("sm_90");
    assert_eq!(first, "7.9999995");
    assert!(text.ends_with("rounded towards 0; results of H100 (sm_90), H200 (sm_90)\n"), "{text}");
    // Registers as a kernel has them, with constants.
    let whole =
        format!("{FORM} {{d0, d1, d2, d3}}, {{a0, a1}}, {{b0}}, {{0f3f800000, 0f40000000, 1.0, 2.0}};");
    let ran = margay(&["eval", &whole, "a=0", "b=0"]);
    assert_eq!(ran.out.lines().nth(1), Some("    1.0 2.0 1.0 2.0 1.0 2.0 1.0 2.0"), "{}", ran.err);
}

#[test]
fn eval_takes_and_shows_the_registers_of_lanes() {
    let ran = margay(&["eval", "--fragments", FORM, "a=0x3c003c00", "b={{0x3c00},{0}}"]);
    assert_eq!(ran.err, "");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "d: 32 by 4, .b32");
    // Column 0 of B is lanes 0 to 3; column 0 of D the first register of lanes 0, 4, 8 …
    assert_eq!(lines[1], "    T0  0x3f800000 0x00000000 0x3f800000 0x00000000");
    assert_eq!(lines[2], "    T1  0x00000000 0x00000000 0x00000000 0x00000000");
    assert_eq!(lines[5], "    T4  0x3f800000 0x00000000 0x3f800000 0x00000000");
}

#[test]
fn eval_reads_matrices_from_files_of_just_their_shape() {
    let folder = tempfile::tempdir().unwrap();
    let npy = |name: &str, descr: &str, order: &str, shape: &str, data: &[u8]| {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        header.push_str(&" ".repeat(127 - 10 - header.len()));
        let head = [b"\x93NUMPY\x01\x00".as_slice(), &[118, 0], header.as_bytes(), b"\n"].concat();
        std::fs::write(folder.path().join(name), [&head, data].concat()).unwrap();
    };
    // 1.0 at row 2, column 1, in both orders.
    let one = |at: usize, count: usize| {
        (0..count).flat_map(|k| if k == at { [0, 0x3c] } else { [0, 0] }).collect::<Vec<u8>>()
    };
    npy("a.npy", "<f2", "False", "(16, 8)", &one(2 * 8 + 1, 128));
    npy("columns.npy", "<f2", "True", "(16, 8)", &one(16 + 2, 128));
    npy("wide.npy", "<f4", "False", "(16, 8)", &[0; 512]);
    npy("long.npy", "<f2", "False", "(8, 16)", &[0; 256]);
    std::fs::write(folder.path().join("a.raw"), one(2 * 8 + 1, 128)).unwrap();
    std::fs::write(folder.path().join("short.raw"), [0; 6]).unwrap();
    let eval = |a: &str| margay_in(folder.path(), &["eval", FORM, a, "b={{0},{1,2}}"]);
    let right = eval("a=a.npy").out;
    assert_eq!(right.lines().nth(3), Some("    1.0 2.0 0.0 0.0 0.0 0.0 0.0 0.0"));
    assert_eq!((eval("a=columns.npy").out, eval("a=a.raw").out), (right.clone(), right));
    for (file, message) in [
        ("a=wide.npy", "error: `wide.npy` holds `f32[16,8]`, not `f16[16,8]`, as `a` wants\n"),
        ("a=long.npy", "error: `long.npy` holds `f16[8,16]`, not `f16[16,8]`, as `a` wants\n"),
        ("a=short.raw", "error: `short.raw` holds `u8[6]`, not `f16[16,8]`, as `a` wants\n"),
        ("a=missing.npy", "error: cannot read `missing.npy`: no such file or folder\nhelp: write a number"),
    ] {
        let ran = eval(file);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{file}");
        assert!(ran.err.starts_with(message), "{file}: {}", ran.err);
    }
}

#[test]
fn eval_says_what_is_wrong_with_a_product() {
    let sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    for (words, message) in [
        (
            &[FORM, "a=1"][..],
            "operand `b` has no value\nhelp: add `b=…`; write a number for all elements, rows as in",
        ),
        (
            &[FORM, "a=1", "b=1", "e=1"],
            "`e` is not an operand of the instruction\nhelp: it needs `a=…`, `b=…`, and takes `c=…`",
        ),
        (&[FORM, "a=1", "b=1", "d=1"], "`d` is the result and takes no value"),
        (&[FORM, "a=1", "b=1", "b=1"], "`b` is given twice"),
        (&[FORM, "a=1", "b"], "`b` does not give a value"),
        (&[FORM, "a=1", "b=1e9"], "`b`: `1e9` does not fit `f16`"),
        (&[FORM, "a=1", "b=1.5f"], "`b`: `1.5f` is not a number"),
        (&[FORM, "a=1", "b={{1,x}}"], "row 0, column 1 of `b`: `x` is not a number"),
        (&[FORM, "a=1", "b={1,2}"], "the matrix of `b` has no rows in braces"),
        (&[FORM, "a=1", "b={{1,2}"], "the matrix of `b` cannot be read"),
        (&[FORM, "a={{1,2,3,4,5,6,7,8,9}}", "b=1"], "`a` has 16 rows of 8 elements at most, not 1 of 9"),
        (
            &[FORM, "a=1", "b=1", "--device", "sm_70"],
            "` does not exist on sm_70\nhelp: it exists on sm_75 or higher",
        ),
        (
            &["mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", "a=8", "b=1"],
            "`8` does not fit `s4`\nhelp: it holds -8 to 7",
        ),
        (&["mma.m16n8k16.f16", "a=1"], "` may be one of "),
        (&["mma.m16n8k17", "a=1"], "no form of `mma` has `.m16n8k17`\nhelp: did you mean `.m16n8k16`?"),
        (
            &["mma", "a=1"],
            "`mma` has many forms\nhelp: write all words of one; `margay forms mma` lists them",
        ),
        (
            &[sparse, "a=1", "b=1"],
            "more than 2 of columns 0 to 3 in row 0 of `a` are not zero\nhelp: only 2 of 4 are stored; with `metadata=…`, `a` is",
        ),
        (
            &[sparse, "a=1", "b=1", "selector=1"],
            "operand `metadata` has no value; it says where the stored elements of A belong\nhelp: add `metadata=…`",
        ),
        (
            &[sparse, "a=1", "b=1", "metadata=0x4444", "selector=4"],
            "`selector` cannot be 4\nhelp: it must be 0 to 3",
        ),
        (
            &["add.u32 d, a, b", "a=1", "b=1", "--device", "sm_90"],
            "`--device` is for products of matrices, and `add.u32` is none",
        ),
        (&["add.u32 d, a, b", "a=1", "b=1", "--fragments"], "`--fragments` is for products of matrices"),
        (&["@p mma.m8n8k128.xor", "a=1"], "an instruction on its own takes no guard"),
    ] {
        let ran = margay(&[&["eval"], words].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains(message), "{words:?}: {}", ran.err);
    }
    // What is wrong with the statement itself is shown in it.
    let ran = margay(&["eval", &format!("{sparse} d, a, b, c, metadata, 9"), "a=1", "b=1", "metadata=0"]);
    assert!(ran.err.contains("P40") && ran.err.contains('9'), "{}", ran.err);
}

#[test]
fn eval_takes_metadata_scales_and_single_bits() {
    // The second and the fourth of four are stored: 1·2 + 1·4 in each four.
    let sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    let b = format!("b={{{}}}", ["{1},{2},{3},{4}"; 4].join(","));
    let ran = margay(&["eval", sparse, "a=1", &b, "metadata=0xdddddddd"]);
    assert!(ran.out.contains("\n    24.0  0.0"), "{}{}", ran.out, ran.err);
    // The same with all elements of A.
    let a = format!("a={{{{{}}}}}", ["0,1,0,1"; 4].join(","));
    let whole = margay(&["eval", sparse, &a, &b]);
    assert_eq!((whole.out.lines().nth(1), whole.err.as_str()), (ran.out.lines().nth(1), ""));
    let scaled =
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0";
    let ran = margay(&["eval", scaled, "a={{1.5}}", "b=1", "scale_a={{4}}", "scale_b=2"]);
    assert!(ran.out.contains("\n    12.0 12.0"), "{}{}", ran.out, ran.err);
    let full = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 \
                d, a, b, c, scale_a, {2, 1}, scale_b, {3, 0}";
    let same = margay(&["eval", full, "a={{1.5}}", "b=1", "scale_a={{4}}", "scale_b=2"]);
    assert_eq!((ran.out, ran.err), (same.out, same.err));
    let bits = "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc";
    let ran = margay(&["eval", bits, "a=1", "b={{0,1}}", "c={{1}}"]);
    assert!(ran.out.starts_with("d: 8 by 8, .s32\n    129 127 128"), "{}{}", ran.out, ran.err);
}
