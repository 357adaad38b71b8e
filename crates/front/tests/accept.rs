//! Every recorded verdict of NVIDIA's assembler on a single instruction, against ours.

mod support;

use margay_front::judge::{Judge, Verdict};
use std::collections::BTreeMap;

/// A row of the table: instruction, version, target, ptxas's verdict and message.
struct Row<'a> {
    instruction: &'a str,
    version: &'a str,
    target: &'a str,
    accepted: bool,
    message: &'a str,
}

fn row(line: &str) -> Row<'_> {
    let columns: Vec<_> = line.split('\t').collect();
    Row {
        instruction: columns[0],
        version: columns[1],
        target: columns[2],
        accepted: columns[3] == "1",
        message: columns.get(4).copied().unwrap_or(""),
    }
}

/// Accepted by ptxas through a slip of its own: `.b01` as a selector of scalar video instructions on `d` or `c` is read
/// as none at all. It is no selector, and margay refuses it.
fn slip(row: &Row) -> bool {
    row.accepted && row.instruction.contains(".b01")
}

/// A difference that stays: why, the day on which that was settled, and which rows it concerns.
struct Known {
    reason: &'static str,
    since: &'static str,
    concerns: fn(&Row) -> bool,
}

/// Slips of ptxas itself.
const SLIPS: &[Known] = &[Known {
    reason: "`.b01` is read as no selector at all, through a slip of its own",
    since: "2026-11-22",
    concerns: slip,
}];

/// What holds of constants at one target alone.
const CONSTANTS: &[Known] = &[Known {
    reason: "floors hold of words and forms, not of a constant that one target alone takes",
    since: "2026-11-22",
    concerns: |row| {
        !row.accepted && row.instruction.contains("swizzle_mode") && row.instruction.ends_with(", 4;")
    },
}];

/// Judges every row of a table, whose second line declares the registers; how many rows there are, how many differ for a
/// known reason, and of how many others our verdict differs.
fn replay(table: &str, known: &[Known]) -> (usize, usize, usize) {
    let text = support::read(table);
    let (_, prelude) = text.lines().nth(1).unwrap().split_once("registers: ").unwrap();
    let mut judge = Judge::new(prelude).unwrap();
    let mut rows = 0;
    let mut explained = 0;
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in text.lines().filter(|line| !line.starts_with('#')).map(row) {
        rows += 1;
        let Verdict { accepted, codes, message } = judge.judge(row.instruction, row.version, row.target);
        if accepted == row.accepted {
            continue;
        }
        if let Some(Known { reason, since, .. }) = known.iter().find(|known| (known.concerns)(&row)) {
            println!("{} {} {}: {reason} ({since})", row.instruction, row.version, row.target);
            explained += 1;
            continue;
        }
        let group = format!("ptxas {}, margay {codes:?} {}", u8::from(row.accepted), row.message);
        let Row { instruction, version, target, .. } = row;
        wrong.entry(group).or_default().push(format!("{instruction} {version} {target}: {message}"));
    }
    for (group, list) in &wrong {
        println!("{} of: {group}", list.len());
        list.iter().take(3).for_each(|line| println!("    {line}"));
    }
    let count: usize = wrong.values().map(Vec::len).sum();
    (rows, explained, count)
}

#[test]
fn every_recorded_verdict_is_ours() {
    assert_eq!(replay("accept.tsv.gz", SLIPS), (29_488, 6, 0));
}

#[test]
fn every_verdict_on_mutated_instructions_is_ours() {
    assert_eq!(replay("accept_more.tsv.gz", SLIPS), (16_003, 0, 0));
}

#[test]
fn every_verdict_on_textures_memory_and_floats_is_ours() {
    assert_eq!(replay("verdicts_texture.tsv.gz", SLIPS), (17_367, 0, 0));
}

#[test]
fn every_verdict_on_matrix_instructions_is_ours() {
    assert_eq!(replay("verdicts_matrix.tsv.gz", SLIPS), (16_800, 0, 0));
}

/// Products of which no load or store exists.
const HEADS: &[Known] = &[Known {
    reason: "ptxas multiplies `.m16n16k8` and `.m16n16k16` of `.f64`, which the manual does not have and nothing loads",
    since: "2026-11-22",
    concerns: |row| {
        let shape = row.instruction.contains(".m16n16k8.") || row.instruction.contains(".m16n16k16.");
        row.accepted && shape && row.instruction.contains(".f64.f64.f64.f64 ")
    },
}];

#[test]
fn every_head_of_matrix_instructions_is_judged_as_by_the_assembler() {
    assert_eq!(replay("verdicts_heads.tsv.gz", HEADS), (16_226, 40, 0));
}

#[test]
fn every_verdict_on_bulk_copies_and_barrier_objects_is_ours() {
    assert_eq!(replay("verdicts_bulk.tsv.gz", CONSTANTS), (16_800, 3, 0));
}

/// A slip of ptxas on the sizes of a tensor.
const SIZES: &[Known] = &[Known {
    reason: "ptxas takes `{%h1, %hu2}` of `.b16` and `.u16` as sizes, and each of them with constants, but not `.u16` alone",
    since: "2026-11-22",
    concerns: |row| !row.accepted && row.instruction.contains("{%hu2, %hu2}"),
}];

#[test]
fn every_verdict_on_parts_of_tensors_through_the_fabric_is_ours() {
    assert_eq!(replay("verdicts_fabric.tsv.gz", SIZES), (2_270, 1, 0));
}

#[test]
fn forms_that_the_table_lacks_are_judged_as_the_assembler_was_seen_to_do() {
    let mut judge = Judge::new(".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<9>;").unwrap();
    for (instruction, accepted) in [
        ("vadd.u32.u32.u32 %r1, %r2, %r3, %r4;", true),
        ("vmax.s32.s32.s32.sat %r1, %r2.b0, %r3.h1, 7;", true),
        ("vshl.u32.u32.u32.wrap %r1, %r2, %r3, %r4;", true),
        ("vset.u32.u32.lt %r1, %r2, %r3, %r4;", true),
        ("vmad.s32.s32.s32 %r1, -%r2, -%r3, -%r4;", true),
        ("vmad.s32.s32.s32 %r1, -%r2, -%r3, %r4;", true),
        ("vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;", false),
        ("vmad.s32.s32.s32.po %r1, -%r2, -%r3, %r4;", true),
        ("vmad.s32.s32.s32.po %r1, %r2, %r3, -%r4;", false),
        ("vmad.s32.s32.s32.po %r1, %r2, %r3, -5;", true),
        ("fns.b32 %r1, %r2, 32, 1;", true),
        ("fns.b32 %r1, %r2, 1000, -1;", true),
        ("div.u32 %r1, %r2, 0;", true),
        ("sad.u64 %rd1, %rd2, %rd3, %rd4;", true),
        ("sad.s16 %h1, %h2, %h3, %h4;", true),
        ("min.s16x2.relu %r1, %r2, %r3;", true),
        ("mad.hi.s32.sat %r1, %r2, %r3, %r4;", true),
        ("mad.sat.hi.s32 %r1, %r2, %r3, %r4;", false),
        ("vmad.po.u32.u32.u32.shr7.sat %r1, %r2, %r3, %r4;", true),
        ("vset.lt.u32.u32 %r1, %r2, %r3;", true),
        ("add.sat.sat.s32 %r1, %r2, %r3;", true),
        ("vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;", false),
        ("vadd.u32.u32.u32 %r1.b01, %r2, %r3, %r4;", false),
        ("vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;", true),
        ("varvg2.s32.s32.s32 %r1, %r2, %r3, %r4;", false),
        ("max.s64 %rd1, %rd2, 0xffffffff;", true),
        ("add.u32 %r1, %r2, 18446744073709551616;", true),
        ("add.u32 %r1, %r2, 99999999999999999999999999;", false),
    ] {
        let verdict = judge.judge(instruction, "9.3", "sm_90");
        assert_eq!(verdict.accepted, accepted, "{instruction}: {}", verdict.message);
    }
}

#[test]
fn forms_of_one_family_exist_on_its_targets_only() {
    let mut judge = Judge::new(".reg .b32 %r<9>;").unwrap();
    for form in
        ["add.u8x4", "add.sat.s8x4", "sub.s8x4", "max.u8x4", "min.relu.s8x4", "add.sat.u32", "add.sat.u16x2"]
    {
        let instruction = format!("{form} %r1, %r2, %r3;");
        for (version, target, accepted) in [
            ("9.2", "sm_120a", true),
            ("9.5", "sm_120f", true),
            ("9.3", "sm_121a", true),
            ("9.4", "sm_107a", true),
            ("9.5", "sm_107f", true),
            ("9.4", "sm_107", false),
            ("9.4", "sm_103f", false),
            ("9.4", "sm_110a", false),
            ("9.1", "sm_120a", false),
            ("9.3", "sm_120", false),
            ("9.3", "sm_121", false),
            ("9.3", "sm_100a", false),
            ("9.3", "sm_90a", false),
        ] {
            let verdict = judge.judge(&instruction, version, target);
            assert_eq!(verdict.accepted, accepted, "{form} {version} {target}: {}", verdict.message);
        }
    }
}
