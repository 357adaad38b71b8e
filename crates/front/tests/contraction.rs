//! Which sums take which products, against what ptxas 13.5 made of the same instructions.
//!
//! `data/contraction.tsv` holds straight-line code and, behind a tab, the contractions as `SUM<PRODUCT.SIDE`, by the numbers of the
//! statements. They were found in the machine code that ptxas generated for sm_90.

use margay_front::module::Operand;
use margay_front::{compile, contractions};

const RECORDED: &str = include_str!("data/contraction.tsv");

/// Loads, which come before the code.
const INPUTS: u32 = 8;

fn found(code: &str) -> String {
    let loads: String = (1..=INPUTS).map(|k| format!("ld.global.f32 %f{k}, [%rd2+{}];\n", 4 * k)).collect();
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .reg .b64 %rd<3>; .reg .f32 %f<40>; .reg .b32 %r<4>; .reg .pred %p<3>;\n\
         ld.param.u64 %rd2, [p];\nsetp.gt.f32 %p1, %f7, %f8;\n{loads}{code}\nret; }}"
    );
    let module = compile(&text).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let kernel = module.entries().next().unwrap();
    let at = |id: u32| id - INPUTS - 2;
    let shown = contractions(kernel).into_iter().map(|found| {
        assert!(matches!(kernel.code[found.sum.0 as usize].operands[1 + found.side], Operand::Register(_)));
        let side = ["a", "b"][found.side];
        format!("{}<{}.{side}", at(found.sum.0), at(found.product.0))
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn random_code_is_contracted_as_recorded() {
    let rows: Vec<(&str, &str)> = RECORDED.lines().filter_map(|line| line.split_once('\t')).collect();
    assert!(rows.len() >= 150, "{}", rows.len());
    let wrong: Vec<_> = rows.iter().filter(|(code, wanted)| found(code) != *wanted).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_forbids_it_is_what_forbids_it_to_the_assembler() {
    const STORE: &str = "st.global.f32 [%rd2], %f20;";
    const STORES: &str = "st.global.f32 [%rd2], %f20; st.global.f32 [%rd2+4], %f21;";
    const T: &str = "mul.f32 %f10, %f1, %f2;";
    for (code, store, wanted) in [
        ("add.f32 %f20, %f10, %f3;", STORE, "1<0.a"),
        ("add.f32 %f20, %f3, %f10;", STORE, "1<0.b"),
        ("sub.f32 %f20, %f3, %f10;", STORE, "1<0.b"),
        ("mul.f32 %f11, %f3, %f4; add.f32 %f20, %f11, %f10;", STORE, "2<1.a"),
        ("add.f32 %f20, %f10, %f10;", STORE, ""),
        ("sub.f32 %f20, %f10, %f10;", STORE, ""),
        // Several readers.
        ("add.f32 %f20, %f10, %f3; sub.f32 %f21, %f4, %f10;", STORES, "1<0.a 2<0.b"),
        ("add.f32 %f20, %f10, %f3; add.rn.f32 %f21, %f10, %f4;", STORES, ""),
        ("add.f32 %f20, %f10, %f3; mul.f32 %f21, %f10, %f4;", STORES, ""),
        ("add.f32 %f20, %f10, %f3; mov.f32 %f21, %f10;", STORES, ""),
        ("add.f32 %f20, %f10, %f3; mul.f32 %f21, %f10, %f4;", STORE, "1<0.a"),
        ("mul.f32 %f11, %f3, %f4; add.f32 %f20, %f10, %f5; add.f32 %f21, %f10, %f11;", STORES, "3<1.b"),
        (
            "mul.f32 %f11, %f3, %f4; add.f32 %f20, %f10, %f11; sub.f32 %f21, %f11, %f10;",
            STORES,
            "2<0.a 3<0.b",
        ),
        // Guards.
        ("mov.f32 %f20, %f7; @%p1 add.f32 %f20, %f10, %f3;", STORE, "2<0.a"),
        ("@%p1 mov.f32 %f10, %f7; add.f32 %f20, %f10, %f3;", STORE, ""),
        ("mov.f32 %f11, %f7; @%p1 mov.f32 %f11, %f10; add.f32 %f20, %f11, %f3;", STORE, ""),
        // What lies between.
        ("mov.f32 %f1, %f5; add.f32 %f20, %f10, %f1;", STORE, "2<0.a"),
        ("mov.b32 %r1, %f10; mov.b32 %f11, %r1; add.f32 %f20, %f11, %f3;", STORE, "3<0.a"),
        ("neg.f32 %f11, %f10; add.f32 %f20, %f3, %f11;", STORE, "2<0.b"),
        ("neg.ftz.f32 %f11, %f10; add.f32 %f20, %f3, %f11;", STORE, ""),
        ("abs.f32 %f11, %f10; add.f32 %f20, %f3, %f11;", STORE, ""),
        ("bar.sync 0; add.f32 %f20, %f10, %f3;", STORE, "2<0.a"),
        ("never: add.f32 %f20, %f10, %f3;", STORE, "1<0.a"),
        ("@%p1 exit; add.f32 %f20, %f10, %f3;", STORE, ""),
        ("@%p1 bra over; mov.f32 %f3, %f7; over: add.f32 %f20, %f10, %f3;", STORE, ""),
        ("add.f32 %f20, %f10, %f3; @%p1 bra over; add.f32 %f20, %f10, %f4; over:", STORE, ""),
        // Words.
        ("add.sat.f32 %f20, %f10, %f3;", STORE, "1<0.a"),
        ("add.rz.f32 %f20, %f10, %f3;", STORE, ""),
        ("add.ftz.f32 %f20, %f10, %f3;", STORE, ""),
    ] {
        assert_eq!(found(&format!("{T} {code} {store}")), wanted, "{code}");
    }
    for word in [".rn", ".ftz", ".sat"] {
        assert_eq!(
            found(&format!(
                "{} add.f32 %f20, %f10, %f3; {STORE}",
                T.replace(".f32 ", &format!("{word}.f32 "))
            )),
            ""
        );
    }
    let round = "mov.f32 %f10, %f1; again: add.f32 %f20, %f3, %f10; mul.f32 %f10, %f20, %f4; @%p1 bra again;";
    assert_eq!(found(&format!("{round} {STORE}")), "", "the product is added in the next round");
    let round = "again: mul.f32 %f10, %f20, %f4; add.f32 %f20, %f3, %f10; @%p1 bra again;";
    assert_eq!(found(&format!("{round} {STORE}")), "1<0.b");
}
