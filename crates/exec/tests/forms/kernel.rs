//! A kernel of many small items, each of which keeps what came of it at a place of its own.

use crate::bank::{self, MOST};
use crate::statement::{TARGET, VERSION};
use std::fmt::Write;

/// Bytes of the buffer and of the table in constant memory that are read only.
pub const DATA: usize = 3 * 32 * MOST + 512;
pub const TABLE: usize = 32 * MOST + 256;
/// Bytes of the parameter that loads are aimed at.
pub const STRUCTURE: usize = 64;
/// Bytes of local memory, and of shared memory, that each thread has to itself.
pub const OWN: usize = 64;
/// Sums in shared memory.
pub const SUMS: usize = 64;

/// Where an item stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Section {
    /// Where all threads are.
    Straight,
    /// Where those are with a varying predicate, and where the others are.
    Then,
    Else,
    /// Behind both, where all are again.
    After,
}

/// Some lines, and what is kept of them.
#[derive(Clone)]
pub struct Item {
    pub section: Section,
    pub lines: Vec<Line>,
}

#[derive(Clone)]
pub enum Line {
    /// Statements.
    Text(String),
    /// The register's value is kept.
    Keep(String),
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:?}:", self.section)?;
        self.lines.iter().try_for_each(|line| match line {
            Line::Text(text) => writeln!(f, "    {text}"),
            Line::Keep(name) => writeln!(f, "    keep {name}"),
        })
    }
}

/// A kernel named `k`.
pub struct Kernel {
    pub text: String,
    /// For every plane of the results the number of its item.
    pub planes: Vec<usize>,
}

/// The kernel of some items; `work` has so many bytes.
pub fn kernel(items: &[Item]) -> Kernel {
    let mut text = String::new();
    let own = OWN * MOST;
    let uniform = bank::UNIFORM;
    let _ = write!(
        text,
        ".version {VERSION}\n.target {TARGET}\n.address_size 64\n.const .align 32 .b8 table[{TABLE}];\n\
         .entry k(.param .u64 bank, .param .u64 data, .param .u64 work, .param .u64 out,\n\
         .param .align 32 .b8 structure[{STRUCTURE}], .param .align 8 .b8 uniform[{uniform}])\n{{\n\
         .shared .align 32 .b8 cells[{own}];\n.shared .align 32 .b8 sums[{}];\n.local .align 32 .b8 depot[{OWN}];\n\
         .reg .b32 %t, %y<4>, %m<3>;\n.reg .b64 %bank, %data, %work, %out, %cells, %gcells, %depot, %gdepot, %table, %gtable, %gstructure, %z<8>;\n",
        SUMS * 8
    );
    bank::declare(&mut text);
    text.push_str(
        "mov.u32 %y0, %tid.z;\nmov.u32 %y1, %ntid.y;\nmov.u32 %y2, %tid.y;\nmad.lo.u32 %y0, %y0, %y1, %y2;\n\
         mov.u32 %y1, %ntid.x;\nmov.u32 %y2, %tid.x;\nmad.lo.u32 %t, %y0, %y1, %y2;\n\
         ld.param.u64 %bank, [bank];\nmad.wide.u32 %bank, %t, 8, %bank;\nld.param.u64 %data, [data];\n\
         ld.param.u64 %work, [work];\nld.param.u64 %out, [out];\nmad.wide.u32 %out, %t, 8, %out;\n\
         mov.u64 %cells, cells;\ncvta.shared.u64 %gcells, %cells;\nmov.u64 %depot, depot;\ncvta.local.u64 %gdepot, %depot;\n\
         mov.u64 %table, table;\ncvta.const.u64 %gtable, %table;\nmov.u64 %gstructure, structure;\ncvta.param.u64 %gstructure, %gstructure;\n",
    );
    bank::fill(&mut text);
    let _ = writeln!(text, "mad.wide.u32 %z2, %t, {OWN}, %cells;");
    for k in 0..OWN / 8 {
        let _ = writeln!(
            text,
            "st.local.u64 [depot+{}], %vd{};\nst.shared.u64 [%z2+{}], %vd{k};",
            8 * k,
            7 - k,
            8 * k
        );
    }
    text.push_str("setp.ne.u32 %xp0, %t, 0;\n@%xp0 bra FILLED;\n");
    for k in 0..SUMS {
        let _ = writeln!(text, "st.shared.u64 [sums+{}], %ud{};", 8 * k, k % 8);
    }
    text.push_str("FILLED:\nbar.sync 0;\n");
    text.push_str(
        "vote.sync.ballot.b32 %m0, %vp0, -1;\nvote.sync.ballot.b32 %m1, !%vp0, -1;\nor.b32 %m2, %m0, %m1;\n",
    );
    let mut planes = Vec::new();
    let mut put = |text: &mut String, wanted: Section| {
        for (k, item) in items.iter().enumerate().filter(|(_, item)| item.section == wanted) {
            for line in &item.lines {
                match line {
                    Line::Text(line) => {
                        let _ = writeln!(text, "{line}");
                    }
                    Line::Keep(name) => keep(text, name, k, &mut planes),
                }
            }
        }
    };
    put(&mut text, Section::Straight);
    text.push_str("@!%vp0 bra ELSE;\n");
    put(&mut text, Section::Then);
    text.push_str("bra END;\nELSE:\n");
    put(&mut text, Section::Else);
    text.push_str("END:\n");
    put(&mut text, Section::After);
    // What the thread's own memory and the sums hold belongs to no item.
    text.push_str("bar.sync 0;\n");
    let _ = writeln!(text, "mad.wide.u32 %z2, %t, {OWN}, %cells;");
    for k in 0..OWN / 8 {
        for from in ["ld.local.u64 %z3, [depot", "ld.shared.u64 %z3, [%z2"] {
            let _ = writeln!(text, "{from}+{}];", 8 * k);
            keep(&mut text, "%z3", items.len(), &mut planes);
        }
    }
    let _ = write!(
        text,
        "and.b32 %y0, %t, {};\nmov.u64 %z2, sums;\nmad.wide.u32 %z2, %y0, 8, %z2;\nld.shared.u64 %z3, [%z2];\n",
        SUMS - 1
    );
    keep(&mut text, "%z3", items.len(), &mut planes);
    text.push_str("ret;\n}\n");
    Kernel { text, planes }
}

fn keep(text: &mut String, name: &str, item: usize, planes: &mut Vec<usize>) {
    let at = |k: usize| k * MOST * 8;
    let place = at(planes.len());
    let width = if name.starts_with("%z") { 64 } else { bank::width(name) };
    planes.push(item);
    let _ = match width {
        1 => writeln!(text, "selp.u32 %y3, 1, 2, {name};\nst.global.u32 [%out+{place}], %y3;"),
        128 => {
            planes.push(item);
            let next = place + MOST * 8;
            writeln!(
                text,
                "mov.b128 {{%z0, %z1}}, {name};\nst.global.u64 [%out+{place}], %z0;\nst.global.u64 [%out+{next}], %z1;"
            )
        }
        bits => writeln!(text, "st.global.b{bits} [%out+{place}], {name};"),
    };
}
