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

#[test]
fn every_recorded_verdict_is_ours() {
    let text = support::read("accept.tsv.gz");
    let (_, prelude) = text.lines().nth(1).unwrap().split_once("registers: ").unwrap();
    let mut judge = Judge::new(prelude).unwrap();
    let mut rows = 0;
    let mut slips = 0;
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in text.lines().filter(|line| !line.starts_with('#')).map(row) {
        rows += 1;
        let Verdict { accepted, codes, message } = judge.judge(row.instruction, row.version, row.target);
        if accepted == row.accepted {
            continue;
        }
        if slip(&row) {
            slips += 1;
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
    assert_eq!((rows, count), (29_488, 0), "{slips} slips of ptxas aside");
}
