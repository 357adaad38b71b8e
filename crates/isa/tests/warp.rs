//! Meanings for whole warps judged by the meanings of single lanes that they repeat: every form of every page, full warps,
//! single lanes and random ones, corner and random operands, some of them the same in all lanes; and the forms that have none.

mod support;

use margay_isa::warp::{Column, Warp};
use margay_isa::{Args, Bits, Inst, Lanes, MAX_SOURCES, Meaning, PAGES, Role, Semantics, WARP, forms};
use support::Random;

/// Warps for every form.
const ROUNDS: usize = 4000;

fn operand(random: &mut Random) -> u64 {
    match random.next() % 6 {
        0 => [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, 0x8000_0001, 31][random.next() as usize % 8],
        1 => random.next() % 70,
        // Clamps and segments as compilers write them.
        2 => [0x1f, 0, 0x1c1f, 0x1800, 0x181f, 0x1e01, 0x101f, 0x100f][random.next() as usize % 8],
        _ => random.next(),
    }
}

fn members(random: &mut Random) -> u32 {
    let members = match random.next() % 5 {
        0 | 1 => u32::MAX,
        2 => 1 << (random.next() % 32),
        3 => u32::MAX >> (random.next() % 32),
        _ => random.next() as u32,
    };
    members.max(1)
}

/// The widths of what the instruction reads and of what it writes.
fn widths(i: &Inst) -> [Vec<u32>; 2] {
    let mut widths = [Vec::new(), Vec::new()];
    for (template, operand) in i.operands() {
        let second = template.second.and_then(|(name, _)| i.page().operand(name));
        for operand in [Some(operand), second].into_iter().flatten() {
            let list = &mut widths[usize::from(operand.role == Role::Destination)];
            list.push(i.operand_type(operand.ty).expect("operands of warps have types").width());
        }
    }
    widths
}

/// The sources of all lanes: of few values or of many, or the same in all lanes, which a bit of the second says.
fn draw(sources: &[u32], random: &mut Random) -> ([Args; WARP], u32) {
    let (mut lanes, mut same) = ([[0; MAX_SOURCES]; WARP], 0);
    for (k, width) in sources.iter().enumerate() {
        let few = [operand(random), operand(random), operand(random)];
        let kind = random.next() % 4;
        if kind == 0 {
            same |= 1 << k;
        }
        for lane in &mut lanes {
            let bits = match kind {
                0 | 1 => few[0],
                2 => few[random.next() as usize % 3],
                _ => operand(random),
            };
            lane[k] = Bits::from(bits) & (Bits::MAX >> (128 - width));
        }
    }
    (lanes, same)
}

/// Whether the form has a meaning for whole warps, which is then that of every lane.
fn judge(i: &Inst, function: fn(&Inst, &Lanes, usize, &mut [Bits]), random: &mut Random) -> bool {
    let Some(gather) = i.gather(Semantics::Manual) else { return false };
    let [sources, results] = widths(i);
    assert!(
        results.iter().all(|width| [1, 32].contains(width)),
        "{i:?} gives neither predicates nor 32 bits"
    );
    for _ in 0..ROUNDS {
        let members = members(random);
        let (lanes, same) = draw(&sources, random);
        let narrow: Vec<[u32; WARP]> = (0..sources.len()).map(|k| lanes.map(|args| args[k] as u32)).collect();
        let wide: Vec<[u64; WARP]> = (0..sources.len()).map(|k| lanes.map(|args| args[k] as u64)).collect();
        let column = |k: usize| match sources[k] {
            _ if same >> k & 1 == 1 => Column::Same(wide[k][0]),
            1 => Column::Pred((0..WARP).fold(0, |mask, lane| mask | narrow[k][lane] << lane)),
            2..=32 => Column::U32(&narrow[k]),
            _ => Column::U64(&wide[k]),
        };
        let columns: Vec<Column> = (0..sources.len()).map(column).collect();
        let gains = gather.gains(i, &Warp { members, sources: &columns });
        let all = Lanes { sources: &lanes, members };
        for lane in (0..WARP).filter(|lane| all.has(*lane)) {
            let mut want = vec![0; results.len()];
            function(i, &all, lane, &mut want);
            let gained = |width: &u32| match width {
                1 => Bits::from(gains.holds >> lane & 1),
                _ => Bits::from(gains.words[lane]),
            };
            let got: Vec<Bits> = results.iter().map(gained).collect();
            assert_eq!(got, want, "{i:?}, lane {lane} of {members:#x} with {lanes:x?}");
        }
    }
    true
}

#[test]
fn a_warp_gets_what_its_lanes_get() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut judged, mut without) = (0, Vec::new());
    for page in PAGES {
        let Meaning::Together(function) = page.meaning else { continue };
        for opcode in page.opcodes {
            for form in forms::forms(page, opcode, 1, &mut || 0) {
                if judge(&form, function, &mut random) {
                    judged += 1;
                } else {
                    without.push(form.to_string());
                }
            }
        }
    }
    assert!(judged >= 40, "{judged}");
    assert!(without.is_empty(), "forms without a meaning for whole warps: {without:?}");
}
