//! What lanes of a warp do together, and what concerns addresses and caches only.

use crate::bank::Mode;
use crate::kernel::{Item, Line, Section};
use crate::random::Random;
use crate::statement::{Given, statement};
use margay_isa::{Effect, Inst, Meaning, Page};

/// The lanes that come to an instruction in a section, with the guard that lets these alone execute it.
fn lanes(random: &mut Random, section: Section, guarded: bool) -> (&'static str, &'static str) {
    match section {
        Section::Then => ("%m0", ""),
        Section::Else => ("%m1", ""),
        _ if guarded => *random.pick(&[("%m0", "@%vp0 "), ("%m1", "@!%vp0 ")]),
        _ => *random.pick(&[("-1", ""), ("%m2", "")]),
    }
}

pub fn is_together(page: &Page) -> bool {
    matches!(page.meaning, Meaning::Together(_))
}

/// A form that lanes carry out together, by all lanes of each warp or by some.
pub fn together(
    random: &mut Random,
    inst: &Inst,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let members = inst.operands().any(|(_, operand)| operand.members);
    // Which other lanes are active is nothing that PTX promises.
    if !members && (guarded || matches!(section, Section::Then | Section::Else)) {
        return None;
    }
    let (mask, guard) = lanes(random, section, guarded);
    let made = statement(random, inst, mode, Given { mask, ..Given::default() })?;
    let mut lines = vec![Line::Text(format!("{guard}{};", made.text))];
    lines.extend(made.written.into_iter().map(Line::Keep));
    Some(Item { section, lines })
}

/// Pages whose instructions concern addresses and caches, and order accesses; those with rules for a size, and those on tensors, are left to run files.
pub fn is_plain(page: &Page) -> bool {
    let plain = matches!(
        page.meaning,
        Meaning::Effect(Effect::ConvertAddress | Effect::TestSpace | Effect::Fence | Effect::Nothing)
    );
    plain && page.operand("size").or(page.operand("c")).is_none()
}

/// A form of such an instruction, on addresses of all kinds.
pub fn plain(
    random: &mut Random,
    inst: &Inst,
    (section, mode, guarded): (Section, Mode, bool),
) -> Option<Item> {
    let address = *random.pick(&["%data", "%data+64", "%work"]);
    let mut made = statement(random, inst, mode, Given { address, ..Given::default() })?;
    let wide =
        inst.operands().all(|(_, operand)| inst.operand_type(operand.ty).is_none_or(|ty| ty.width() != 32));
    // Random addresses are in hardly any space.
    if made.written.len() == 1 && wide && random.once_in(2) {
        let pointer =
            *random.pick(&["%gcells", "%gdepot", "%gtable", "%gstructure", "%data", "%cells", "%depot"]);
        if let Some((head, last)) = made.text.rsplit_once(", ")
            && last.starts_with('%')
        {
            made.text = format!("{head}, {pointer}");
        }
    }
    let guard = if guarded { crate::guard(random) } else { String::new() };
    let mut lines = vec![Line::Text(format!("{guard} {};", made.text))];
    lines.extend(made.written.into_iter().map(Line::Keep));
    Some(Item { section, lines })
}

/// Whether the batch engine leaves an item to the golden one: it knows nothing of other blocks of a cluster.
pub fn is_handed_over(item: &Item) -> bool {
    item.lines.iter().any(|line| match line {
        Line::Text(text) => text.contains("isspacep.shared::cluster") || is_wide_and_strong(text),
        Line::Keep(_) => false,
    })
}

/// Whether it moves 128 bits in one step, strongly: the only access that takes the golden engine two.
fn is_wide_and_strong(text: &str) -> bool {
    let strong = [".relaxed", ".acquire", ".release", ".volatile"].iter().any(|word| text.contains(word));
    strong && text.contains(".b128 ") && !text.contains("atom")
}
