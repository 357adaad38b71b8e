//! The matrices of one form: which lanes hold which elements, drawn as tables, and the arithmetic of its products.

use super::{Explanation, Section};
use crate::problem::Problem;
use margay_front::suggest::nearest;
use margay_isa::forms::forms;
use margay_isa::tensor_core::{Form, Method, Narrow, Sum, arithmetic};
use margay_isa::{Held, Holder, Inst, Meaning, Page, Semantics, Slot, Suffix, Target, Word};
use std::collections::BTreeSet;

/// Devices whose arithmetic is told of, one of each architecture.
const DEVICES: [&str; 8] = ["sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120"];

/// A form of matrices that some words stand for.
pub struct Found {
    pub inst: Inst,
    /// Whether the words are all of the form's, in its order.
    pub is_exact: bool,
    /// How many other forms have these words, too.
    pub others: usize,
}

/// The form of these pages that has all words that are written after the opcode and is likeliest meant, if it is one of matrices.
///
/// # Errors
/// If pages of matrices have no form with these words, and no other page has.
pub fn find(pages: &[&'static Page], what: &str) -> Result<Option<Found>, Problem> {
    let Some((opcode, words)) = what.split_once('.').filter(|_| pages.iter().any(|page| page.held.is_some()))
    else {
        return Ok(None);
    };
    let words: Vec<&str> = words.split('.').collect();
    let has = |inst: &Inst| {
        let text = inst.to_string();
        let mut own: Vec<&str> = text.split('.').skip(1).collect();
        let mut taken =
            |word: &&str| own.iter().position(|other| other == word).map(|k| own.remove(k)).is_some();
        words.iter().all(&mut taken)
    };
    let mut fitting = Vec::new();
    for page in pages.iter().filter(|page| page.held.is_some()) {
        fitting.extend(forms(page, opcode, 0, &mut || 0).into_iter().filter(has));
    }
    let exact = fitting.iter().find(|inst| inst.to_string() == what);
    // Sums in `.f32` are what most mean.
    let likely = |inst: &&Inst| (inst[Slot::DType] != Word::F32, inst.to_string().len());
    let Some(inst) = exact.or_else(|| fitting.iter().min_by_key(likely)) else {
        let mut others = pages.iter().filter(|page| page.held.is_none());
        let fits = others.any(|page| forms(page, opcode, 0, &mut || 0).iter().any(has));
        return if fits { Ok(None) } else { Err(no_form(pages, opcode, &words)) };
    };
    Ok(Some(Found { inst: *inst, is_exact: exact.is_some(), others: fitting.len() - 1 }))
}

/// The matrices of the form that some words stand for.
///
/// # Errors
/// As [`find`].
pub fn matrices(pages: &[&'static Page], what: &str) -> Result<Option<Explanation>, Problem> {
    let Some(found) = find(pages, what)? else { return Ok(None) };
    let Some(mut explanation) = form(&found.inst) else { return Ok(None) };
    if !found.is_exact && found.others > 0 {
        let others = found.others;
        let more = if others == 1 { "1 other form has".into() } else { format!("{others} other forms have") };
        explanation
            .paragraphs
            .push(format!("{more} these words, too; with all words of a form, it is that one."));
    }
    Ok(Some(explanation))
}

/// Which word no form has, or that none has all of them.
fn no_form(pages: &[&'static Page], opcode: &str, words: &[&str]) -> Problem {
    let forms = pages.iter().flat_map(|page| forms(page, opcode, 0, &mut || 0));
    let known: BTreeSet<String> = forms
        .flat_map(|form| form.to_string().split('.').skip(1).map(String::from).collect::<Vec<_>>())
        .collect();
    let Some(word) = words.iter().find(|word| !known.contains(**word)) else {
        let problem = Problem::new(format!("no form of `{opcode}` has `.{}` together", words.join(".")));
        return problem.help(format!("`margay forms {opcode}` lists the forms"));
    };
    let problem = Problem::new(format!("no form of `{opcode}` has `.{word}`"));
    match nearest(word, &known) {
        Some(meant) => problem.help(format!("did you mean `.{meant}`?")),
        None => problem.help(format!("`margay forms {opcode}` lists the forms")),
    }
}

fn form(inst: &Inst) -> Option<Explanation> {
    let held = (inst.page().held?)(inst);
    let mut sections: Vec<Section> = held.iter().map(table).collect();
    if let Meaning::Fragments(_) = inst.meaning(Semantics::Manual) {
        sections.push(Section { heading: "arithmetic", lines: sums(inst) });
    }
    Some(Explanation {
        name: inst.to_string(),
        purpose: inst.page().purpose.to_string(),
        paragraphs: vec![
            "In each cell stands who holds the elements of that row and column: the lane (T0 to T31) and the register of the operand."
                .to_string(),
        ],
        sections,
    })
}

/// A matrix, neighbours that are held alike drawn as one.
fn table(held: &Held) -> Section {
    let cell = |row: usize, column: usize| &held.holders[row * held.columns + column];
    let alike = |a: &[Holder], b: &[Holder]| {
        a.iter().map(|h| (h.lane, h.register)).eq(b.iter().map(|h| (h.lane, h.register)))
    };
    let same_row =
        |a: usize, b: usize| (0..held.columns).all(|column| alike(cell(a, column), cell(b, column)));
    let same_column = |a: usize, b: usize| (0..held.rows).all(|row| alike(cell(row, a), cell(row, b)));
    let rows = joined(held.rows, same_row);
    let columns = joined(held.columns, same_column);
    // Scales lie in one register.
    let is_scale = held.operand.starts_with("scale");
    let text = |row: usize, column: usize| -> String {
        let all = cell(row, column);
        let Some(Holder { lane, .. }) = all.first() else { return String::new() };
        let own: Vec<String> = all
            .iter()
            .filter(|holder| holder.lane == *lane)
            .map(|holder| {
                if is_scale {
                    held.operand.to_string()
                } else {
                    format!("{}{}", held.operand, holder.register)
                }
            })
            .collect();
        format!("T{lane} {}", own.join(" "))
    };
    let (down, along) = if held.stands() { (held.unit, 1) } else { (1, held.unit) };
    let mut lines = vec![vec![String::new()]];
    lines[0].extend(columns.iter().map(|range| named(*range, along)));
    for row in &rows {
        let mut line = vec![named(*row, down)];
        line.extend(columns.iter().map(|column| text(row.0, column.0)));
        lines.push(line);
    }
    let widths: Vec<usize> =
        (0..lines[0].len()).map(|k| lines.iter().map(|line| line[k].len()).max().unwrap_or(0)).collect();
    let print = |line: &Vec<String>| {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_string()
    };
    let heading = match held.name {
        "A" => "a: rows down, columns across",
        "B" => "b: rows down, columns across",
        "C" => "c: rows down, columns across",
        "D" => "d: rows down, columns across",
        "scales of A" => "scale_a with {0, 0}: rows down, columns across",
        "scales of B" => "scale_b with {0, 0}: rows down, columns across",
        _ => "matrices one below the other: rows down, columns across",
    };
    Section { heading, lines: lines.iter().map(print).collect() }
}

/// Numbers up to `count`, neighbours that are alike as ranges, ends included.
fn joined(count: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for k in 0..count {
        match ranges.last_mut() {
            Some((first, last)) if same(*first, k) => *last = k,
            _ => ranges.push((k, k)),
        }
    }
    ranges
}

fn named((first, last): (usize, usize), unit: usize) -> String {
    let (first, last) = (first * unit, last * unit + unit - 1);
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// What a product is on the devices that have it, with what stands behind it.
fn sums(inst: &Inst) -> Vec<String> {
    let form = Form::of(inst);
    let mut told: Vec<(String, String)> = Vec::new();
    for name in DEVICES {
        let Ok(device) = name.parse::<Target>() else { continue };
        if !exists(inst, device) {
            continue;
        }
        let text = on(&form, device);
        match told.last_mut() {
            Some((devices, last)) if *last == text => *devices += &format!(", {name}"),
            _ => told.push((name.to_string(), text)),
        }
    }
    told.into_iter().map(|(devices, text)| format!("{devices}: {text}")).collect()
}

/// Whether a device has a form.
pub fn exists(inst: &Inst, device: Target) -> bool {
    // With its letter, where it has one: more exists for it.
    let whole = Target { suffix: Suffix::Architecture, ..device };
    let whole = whole.since().map_or(device, |_| whole);
    inst.floors().iter().all(|(_, floor)| floor.targets.contains(whole))
}

/// What a device makes of a product, and what stands behind that.
pub fn on(form: &Form, device: Target) -> String {
    let here = arithmetic(form, device);
    format!("{}; {}", method(here.method), here.evidence)
}

fn method(method: Method) -> String {
    match method {
        Method::Integers => "all products and C are added exactly, then wrapped or clamped once".into(),
        Method::Ones => "the ones are counted and added to C, which wraps".into(),
        Method::Chain => "one fused multiply-add after the other, from k = 0 on, each rounded".into(),
        Method::Scalars => "scalar `.f32` multiply-adds, each rounded to the nearest".into(),
        Method::Sums(sum) => added(sum),
        Method::Halves(sum) => {
            format!(
                "factors as `.f16`, first those with k mod 4 below 2, then the others, then C to the nearest; {}",
                added(sum)
            )
        }
        Method::Scaled(sum) => format!("products with their scales; {}", added(sum)),
        Method::ScaledGroups(sum) => format!("exact sums of 16 products, with their scales; {}", added(sum)),
    }
}

fn added(sum: Sum) -> String {
    let rounded = match sum.result {
        Narrow::Single => "rounded towards 0",
        Narrow::SingleOf13 => "rounded towards 0 to 13 fraction bits",
        Narrow::Half => "rounded to the nearest",
    };
    format!(
        "{} products and C at once, cut to {} bits after the point of the greatest, {rounded}",
        sum.length, sum.fraction
    )
}
