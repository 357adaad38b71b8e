//! Forms: counting, enumerating and drawing the instructions that a page allows.

use crate::fidelity::Fidelity;
use crate::inst::Inst;
use crate::page::Page;
use crate::set::Set;
use crate::syntax::Line;
use crate::words::{Slot, Word};

/// One thing that a form chooses: a slot, what may stand in it, and whether it may stay empty.
struct Choice {
    slot: Slot,
    set: Set,
    optional: bool,
    group: Option<u8>,
}

const SIGN: Set = Set::Of(&[Word::Minus]);
const NOT: Set = Set::Of(&[Word::Not]);

fn choices(line: &Line) -> Vec<Choice> {
    let words = line.items.iter().map(|i| Choice {
        slot: i.slot,
        set: i.set,
        optional: i.group.is_some(),
        group: i.group,
    });
    let operands = line.operands.iter().flat_map(|t| {
        let selector = t.selector.map(|s| (s.slot, s.set, s.optional));
        let signs = [t.minus.map(|s| (s, SIGN, true)), t.not.map(|s| (s, NOT, true))];
        selector.into_iter().chain(signs.into_iter().flatten())
    });
    words.chain(operands.map(|(slot, set, optional)| Choice { slot, set, optional, group: None })).collect()
}

impl Choice {
    fn options(&self) -> usize {
        self.set.len() + usize::from(self.optional)
    }

    fn put(&self, inst: &mut Inst, option: usize) {
        if option < self.set.len() {
            inst.set(self.slot, self.set.get(option));
        }
    }
}

fn legal(inst: &Inst, choices: &[Choice]) -> bool {
    let torn = |c: &Choice| {
        c.group.is_some_and(|g| {
            choices.iter().any(|d| d.group == Some(g) && inst.has(d.slot) != inst.has(c.slot))
        })
    };
    !choices.iter().any(torn) && inst.page().rules.iter().all(|r| (r.holds)(inst))
}

/// Every form of a page for one opcode, with every combination of words. Selectors and masks, of which there can be
/// billions of combinations, are represented by `sampled` draws from `random` beside the empty choice.
pub fn forms(
    page: &'static Page,
    opcode: &str,
    sampled: usize,
    random: &mut dyn FnMut() -> u64,
) -> Vec<Inst> {
    let mut found = Vec::new();
    for_each_word_choice(page, opcode, &mut |inst, line_choices| {
        let selectors: Vec<&Choice> = line_choices.iter().filter(|c| c.set.is_selector()).collect();
        let rounds = if selectors.is_empty() { 1 } else { sampled + 1 };
        for round in 0..rounds {
            let mut inst = inst;
            for c in &selectors {
                let empty = round == 0 && c.optional;
                c.put(&mut inst, if empty { usize::MAX } else { random() as usize % c.options() });
            }
            if legal(&inst, line_choices) && (selectors.is_empty() || !found.contains(&inst)) {
                found.push(inst);
            }
        }
    });
    found
}

/// How many forms a page has for one opcode, selectors and masks counted in full. Writing a default out counts as a form.
pub fn count(page: &'static Page, opcode: &str) -> u128 {
    let mut total = 0;
    for_each_word_choice(page, opcode, &mut |mut inst, line_choices| {
        let selectors = line_choices.iter().filter(|c| c.set.is_selector());
        let many: u128 = selectors.clone().map(|c| c.options() as u128).product();
        for c in selectors.filter(|c| !c.optional) {
            c.put(&mut inst, 0);
        }
        total += if legal(&inst, line_choices) { many } else { 0 };
    });
    total
}

/// A form drawn at random: any line, any words, any selectors.
pub fn random_form(page: &'static Page, opcode: &'static str, random: &mut dyn FnMut() -> u64) -> Inst {
    loop {
        let inst = random_words(page, opcode, random);
        if legal(&inst, &choices(inst.line())) {
            return inst;
        }
    }
}

/// Words drawn at random for any line, whether or not the page's rules hold for them.
pub fn random_words(page: &'static Page, opcode: &'static str, random: &mut dyn FnMut() -> u64) -> Inst {
    let lines: Vec<usize> = (0..page.lines().len()).filter(|k| page.lines()[*k].covers(opcode)).collect();
    let k = lines[random() as usize % lines.len()];
    let mut inst = Inst::new(page, opcode, k);
    for c in choices(&page.lines()[k]) {
        c.put(&mut inst, random() as usize % c.options());
    }
    inst
}

/// Calls `visit` with every combination of words that are not selectors, for every line of the opcode.
fn for_each_word_choice(page: &'static Page, opcode: &str, visit: &mut dyn FnMut(Inst, &[Choice])) {
    let Some(opcode) = page.opcodes.iter().copied().find(|o| *o == opcode) else { return };
    for (k, line) in page.lines().iter().enumerate().filter(|(_, l)| l.covers(opcode)) {
        let line_choices = choices(line);
        let words: Vec<&Choice> = line_choices.iter().filter(|c| !c.set.is_selector()).collect();
        let total: usize = words.iter().map(|c| c.options()).product();
        for mut number in 0..total {
            let mut inst = Inst::new(page, opcode, k);
            for c in &words {
                c.put(&mut inst, number % c.options());
                number /= c.options();
            }
            visit(inst, &line_choices);
        }
    }
}

/// What stands behind the results of each syntax line of an opcode; nothing where all are exact.
///
/// ```
/// use margay_isa::{Fidelity, fidelities, pages_of};
/// let lines = fidelities(pages_of("rcp")[0], "rcp");
/// assert_eq!((lines[0].0.source.text, lines[0].1), ("rcp.approx{.ftz}.f32 d, a", Fidelity::Device));
/// assert!(fidelities(pages_of("bfe")[0], "bfe").is_empty());
/// ```
pub fn fidelities(page: &'static Page, opcode: &str) -> Vec<(&'static Line, Fidelity)> {
    if page.fidelity.is_none() || !page.runs() {
        return Vec::new();
    }
    let mut lines: Vec<(&'static Line, Fidelity)> = Vec::new();
    for form in forms(page, opcode, 1, &mut || 0) {
        let line = form.line();
        if !lines.iter().any(|(other, fidelity)| std::ptr::eq(*other, line) && *fidelity == form.fidelity()) {
            lines.push((line, form.fidelity()));
        }
    }
    lines
}
