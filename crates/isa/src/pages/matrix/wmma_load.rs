//! `wmma.load`: load a matrix into the registers of a warp.
use crate::pages::fragment::{lines, wide_a_of, wide_b_of, wide_c_of};
use crate::pages::layout::Fragment;
use crate::pages::product::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.14.4.3", &["wmma"], &[
    line("wmma.load.factor.sync.aligned.layout.shape{.ss}.atype r, [p]{, stride}"),
    line("wmma.load.c.sync.aligned.layout.shape{.ss}.ctype r, [p]{, stride}"),
], Meaning::Tiles(|i| tiles(i, false)))
    .about("load a matrix for a warp",
        "Loads a matrix that is A, B or C of a `wmma.mma`, stored by rows or by columns, `stride` elements from one to the next; \
         without a stride they follow each other.")
    .sets(&[
        ("load", Slot::Mode, Set::Of(&[LoadWord])),
        ("factor", Slot::Action2, Set::Of(&[FragmentA, FragmentB])),
        ("c", Slot::Action2, Set::Of(&[FragmentC])),
        ("aligned", Slot::Part, Set::Of(&[Aligned])),
        ("layout", Slot::LayoutA, Set::Of(&[Row, Col])),
        ("shape", Slot::Shape, SHAPES),
        ("ss", Slot::Space, SPACES),
        ("atype", Slot::Type, FACTORS),
        ("ctype", Slot::Type, SUM_TYPES),
    ])
    .operands(&[
        dst("r", By(|i| fragment_type(i, Slot::Type))).elements(loaded).sink(),
        src("p", Address).symbol().wide(|_| true),
        STRIDE,
    ])
    .rules(&[SHAPE_AND_TYPE, Rule {
        text: "of `.s4`, `.u4` and `.b1`, A is stored by rows and B by columns",
        slot: Some(Slot::LayoutA),
        holds: |i| match (i[Slot::Type], i[Slot::Action2]) {
            (S4 | U4 | B1, FragmentA) => i[Slot::LayoutA] == Row,
            (S4 | U4 | B1, _) => i[Slot::LayoutA] == Col,
            _ => true,
        },
    }])
    .word_floors(&[(SharedCta, Floor::new(7, 8, 70))])
    .held(|i| held(i, "r"))
    .since(VOLTA)
    .floor_of(|i| fragment(i).map(|f| f.floor))
    .order(Order::NameFirst(&[LoadWord, FragmentA, FragmentB, FragmentC]))
    .examples(&[
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {r0, r1, r2, r3, r4, r5, r6, r7}, [p], stride;",
        "wmma.load.b.sync.aligned.col.m8n8k32.shared::cta.u4 {r0}, [p];",
        "wmma.load.c.sync.aligned.row.m16n16k8.f32 {r0, r1, r2, r3, r4, r5, r6, r7}, [p], 16;",
    ])
    .refused(&[("wmma.load.a.sync.aligned.row.m16n16k16.tf32 {r0, r1, r2, r3}, [p];", "`.tf32` has the shape `.m16n16k8`")])
    .errata(&[LAYOUT, ALIGNED]);

/// Which lane holds what.
pub const LAYOUT: Erratum = erratum(
    "leaves open which lane holds which elements",
    "spreads them as code from ptxas 13.5 for sm_80 and later does (`margay explain` draws it)",
);
pub const ALIGNED: Erratum = erratum(
    "wants each row or column aligned to as many bytes as a lane holds of the matrix, 32 at most",
    "wants 16 bytes at most: allocators and strides of 8 elements give no more, and devices read and write less at once",
);

pub const M16N16K16: Word = Word::shape(16, 16, 16);
pub const M8N32K16: Word = Word::shape(8, 32, 16);
pub const M32N8K16: Word = Word::shape(32, 8, 16);
pub const M16N16K8: Word = Word::shape(16, 16, 8);
pub const M8N8K4: Word = Word::shape(8, 8, 4);
pub const M8N8K32: Word = Word::shape(8, 8, 32);
pub const M8N8K128: Word = Word::shape(8, 8, 128);
pub const SHAPES: Set = Set::Of(&[M16N16K16, M8N32K16, M32N8K16, M16N16K8, M8N8K4, M8N8K32, M8N8K128]);
pub const SPACES: Set = Set::Of(&[Global, Shared, SharedCta]);
const FACTORS: Set = Set::Of(&[F16, Bf16, Tf32, F64, S8, U8, S4, U4, B1]);
pub const SUM_TYPES: Set = Set::Of(&[F16, F32, F64, S32]);
pub const STRIDE: Operand = src("stride", Is(U32));

/// Matrices that exist: of these shapes and types, from a floor on.
pub struct Existing {
    shapes: &'static [Word],
    types: &'static [Word],
    pub floor: Floor,
}

pub const SIXTEEN: &[Word] = &[M16N16K16, M8N32K16, M32N8K16];
pub const VOLTA: Floor = Floor::new(6, 0, 70);
pub const VOLTA_LONG: Floor = Floor::new(6, 1, 70);
pub const INTEGER: Floor = Floor::new(6, 3, 72);
pub const SMALL: Floor = Floor::new(6, 3, 75);
pub const AMPERE: Floor = Floor::new(7, 0, 80);

static A_AND_B: &[Existing] = &[
    Existing { shapes: &[M16N16K16], types: &[F16], floor: VOLTA },
    Existing { shapes: &[M8N32K16, M32N8K16], types: &[F16], floor: VOLTA_LONG },
    Existing { shapes: SIXTEEN, types: &[S8, U8], floor: INTEGER },
    Existing { shapes: SIXTEEN, types: &[Bf16], floor: AMPERE },
    Existing { shapes: &[M16N16K8], types: &[Tf32], floor: AMPERE },
    Existing { shapes: &[M8N8K4], types: &[F64], floor: AMPERE },
    Existing { shapes: &[M8N8K32], types: &[S4, U4], floor: SMALL },
    Existing { shapes: &[M8N8K128], types: &[B1], floor: SMALL },
];

/// ptxas takes numbers in `.f32` for the shapes of the smallest integers, too.
static C_AND_D: &[Existing] = &[
    Existing { shapes: &[M16N16K16], types: &[F16, F32], floor: VOLTA },
    Existing { shapes: &[M8N32K16, M32N8K16], types: &[F16, F32], floor: VOLTA_LONG },
    Existing { shapes: SIXTEEN, types: &[S32], floor: INTEGER },
    Existing { shapes: &[M8N8K32, M8N8K128], types: &[S32, F32], floor: SMALL },
    Existing { shapes: &[M16N16K8], types: &[F32], floor: AMPERE },
    Existing { shapes: &[M8N8K4], types: &[F64], floor: AMPERE },
];

pub const SHAPE_AND_TYPE: Rule = Rule {
    text: "shape and type must go together: `.m16n16k16`, `.m8n32k16` and `.m32n8k16` with `.f16`, `.bf16`, `.s8`, `.u8`, `.m16n16k8` with `.tf32`, \
           `.m8n8k4` with `.f64`, `.m8n8k32` with `.s4`, `.u4`, `.m8n8k128` with `.b1`, and what these are summed in",
    slot: Some(Slot::Shape),
    holds: |i| fragment(i).is_some(),
};

/// The table's row of a load or store.
pub fn fragment(i: &Inst) -> Option<&'static Existing> {
    let table = if matches!(i[Slot::Action2], FragmentA | FragmentB) { A_AND_B } else { C_AND_D };
    table.iter().find(|f| f.shapes.contains(&i[Slot::Shape]) && f.types.contains(&i[Slot::Type]))
}

/// What a register of a matrix holds that is loaded or stored; ptxas takes only integer registers for bytes.
pub fn fragment_type(i: &Inst, slot: Slot) -> Ty {
    match i[slot] {
        S8 | U8 | S32 => accumulator(S32),
        word @ (F32 | F64) => word.ty().unwrap_or(BITS),
        word => factor(word),
    }
}

/// Registers of a matrix of so many elements. Of `.f16`, A and B have 8, with elements that several lanes hold.
pub fn of(elements: usize, word: Word, is_factor: bool) -> usize {
    match word {
        F16 if is_factor => 8,
        word => word.ty().map_or(0, |ty| registers(elements, ty.bits)),
    }
}

fn loaded(i: &Inst) -> usize {
    let (m, n, k) = shape(i);
    match i[Slot::Action2] {
        FragmentA => of(m * k, i[Slot::Type], true),
        FragmentB => of(k * n, i[Slot::Type], true),
        _ => of(m * n, i[Slot::Type], false),
    }
}

/// The fragment that is loaded or stored, the bits of its elements, and its registers.
pub fn moved(i: &Inst) -> (Fragment, u32, usize) {
    let (bits, registers) = (i[Slot::Type].ty().map_or(32, |ty| ty.bits), loaded(i));
    let fragment = match i[Slot::Action2] {
        FragmentA => wide_a_of(i, bits, registers),
        FragmentB => wide_b_of(i, bits, registers),
        _ => wide_c_of(i, bits, registers),
    };
    (fragment, bits, registers)
}

/// Who holds what of it.
pub fn held(i: &Inst, operand: &'static str) -> Vec<Held> {
    let (fragment, bits, _) = moved(i);
    let name = match i[Slot::Action2] {
        FragmentA => "A",
        FragmentB => "B",
        FragmentC => "C",
        _ => "D",
    };
    vec![fragment.told(operand, name, if bits == 1 { 32 } else { 1 })]
}

/// How it is moved.
pub fn tiles(i: &Inst, stores: bool) -> Tiles {
    let (fragment, bits, registers) = moved(i);
    lines(&fragment, i[Slot::LayoutA] == Row, bits, registers, stores)
}
