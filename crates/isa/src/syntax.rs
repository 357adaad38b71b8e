//! Reads the manual's notation: `vop.dtype.atype.btype{.sat} d{.mask}, {-}a{.asel}, b, c`.
//!
//! After the opcode, `.name` is a placeholder if the page's sets name it, else the word itself; `{…}` is optional, several
//! words in one pair of braces stand or fall together. In operands `{-}` and `{!}` allow a sign, `.name` a selector,
//! `[a]` is an address (words may follow: `[a]{.unified}`; so may operands inside the brackets: `[a, {c}]`), `d|p` and `d{|p}` a pair,
//! `{a.x, a.y}` a vector, whose elements may have entries of their own, `(a)` a list; `{, c}` opens operands that may be left out.
//! Of three types or more, those that no set gives a slot are of the result, of `a`, `b`, `c` and of scales, as they stand.
//! The operand `_` is written as it is.

use crate::page::{Page, Syntax};
use crate::set::Set;
use crate::words::{Slot, Word};

/// A syntax line, read.
#[derive(Debug)]
pub struct Line {
    /// The line as the page prints it.
    pub source: Syntax,
    /// The words after the opcode, in printed order.
    pub items: Vec<Item>,
    /// The operands.
    pub operands: Vec<Template>,
}

impl Line {
    /// Whether it prints an operand.
    pub fn has(&self, operand: &str) -> bool {
        self.operands.iter().any(|template| template.name == operand)
    }
}

impl std::fmt::Debug for Syntax {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text)
    }
}

/// A word's place in a syntax line.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The placeholder's name, or the word itself.
    pub name: &'static str,
    /// The slot it fills.
    pub slot: Slot,
    /// The words it allows.
    pub set: Set,
    /// The pair of braces it stands in, if any: its words stand or fall together.
    pub group: Option<u8>,
}

/// An operand's place in a syntax line.
#[derive(Clone, Debug)]
pub struct Template {
    /// The operand's name.
    pub name: &'static str,
    /// The selector it takes.
    pub selector: Option<Selector>,
    /// The slot of the minus it may carry.
    pub minus: Option<Slot>,
    /// The slot of the `!` it may carry.
    pub not: Option<Slot>,
    /// Whether it is an address in brackets.
    pub address: bool,
    /// What follows in the brackets of an address, such as coordinates.
    pub inside: Vec<Template>,
    /// How many elements a vector has that is printed as such, unless the operand's entry says; 0 where none is.
    pub elements: usize,
    /// The names of the further elements of such a vector, between commas.
    pub further: &'static str,
    /// Whether it is a list in parentheses.
    pub list: bool,
    /// The second destination behind a bar, and whether it must be there.
    pub second: Option<(&'static str, bool)>,
    /// Whether it may be left out (with all that follow).
    pub optional: bool,
}

/// The selector of an operand.
#[derive(Clone, Copy, Debug)]
pub struct Selector {
    /// The slot it fills.
    pub slot: Slot,
    /// The words it allows.
    pub set: Set,
    /// Whether it may be left out.
    pub optional: bool,
}

/// What stands in the printed order, whatever the order of other words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Types: of the result, then of the operands.
    Type,
    /// State spaces: to, then from.
    Space,
    /// Layouts: of `a`, then of `b`.
    Layout,
    /// Operations: on bits, then on the results.
    Operation,
    /// Eviction priorities: the first, then the second.
    Eviction,
}

impl Item {
    /// Whether the word keeps its place among others of its kind.
    pub fn keeps_place(&self) -> Option<Kept> {
        let all_at_home = |words: &[Word], slot| words.iter().all(|word| word.home() == slot);
        match self.set {
            _ if self.slot.holds_type() => Some(Kept::Type),
            _ if matches!(self.slot, Slot::LayoutA | Slot::LayoutB) => Some(Kept::Layout),
            _ if matches!(self.slot, Slot::Bool | Slot::Op2) => Some(Kept::Operation),
            Set::Of(words) if all_at_home(words, Slot::Space) => Some(Kept::Space),
            Set::Of(words) if all_at_home(words, Slot::Eviction) => Some(Kept::Eviction),
            _ => None,
        }
    }
}

impl Template {
    /// The name of an element of a vector that is printed as such; the operand's own if it is none.
    pub fn element(&self, k: usize) -> &'static str {
        let further = k.checked_sub(1).and_then(|k| self.further.split(',').nth(k));
        further.map_or(self.name, str::trim)
    }
}

impl Line {
    /// Whether the line is for this opcode.
    pub fn covers(&self, opcode: &str) -> bool {
        self.source.opcodes.is_empty() || self.source.opcodes.contains(&opcode)
    }

    /// The line with the opcode itself where the page prints a placeholder for several.
    pub fn text_for(&self, opcode: &str) -> String {
        let end = self.source.text.find(['.', '{', ' ']).unwrap_or(self.source.text.len());
        format!("{opcode}{}", &self.source.text[end..])
    }
}

/// Reads one line; an error names page, line and what could not be read.
pub(crate) fn read(page: &Page, source: &Syntax) -> Result<Line, String> {
    let text = source.text;
    let fail = |what: &str| format!("page {} ({}): `{text}`: {what}", page.section, page.opcodes[0]);
    let (head, tail) = text.split_once(' ').unwrap_or((text, ""));
    let start = head.find(['.', '{']).unwrap_or(head.len());
    Ok(Line {
        source: *source,
        items: items(page, &head[start..]).map_err(|e| fail(&e))?,
        operands: operands(page, tail).map_err(|e| fail(&e))?,
    })
}

fn placeholder(page: &Page, name: &'static str) -> Result<(Slot, Set), String> {
    if let Some((_, slot, set)) = page.sets.iter().find(|(n, ..)| *n == name) {
        return Ok((*slot, *set));
    }
    let at = Word::ALL.iter().position(|w| w.to_string() == name);
    let k = at.ok_or_else(|| format!("`.{name}` is neither a set of the page nor a word"))?;
    Ok((Word::ALL[k].home(), Set::Of(&Word::ALL[k..k + 1])))
}

fn items(page: &Page, mut rest: &'static str) -> Result<Vec<Item>, String> {
    let (mut items, mut group, mut groups) = (Vec::<Item>::new(), None, 0);
    while let Some(c) = rest.chars().next() {
        rest = &rest[1..];
        match c {
            '{' => {
                group = Some(groups);
                groups += 1;
            }
            '}' => group = None,
            '.' => {
                let end = rest.find(['.', '{', '}']).unwrap_or(rest.len());
                let name = &rest[..end];
                let (slot, set) = placeholder(page, name)?;
                items.push(Item { name, slot, set, group });
                rest = &rest[end..];
            }
            other => return Err(format!("`{other}` between words")),
        }
    }
    let types: Vec<usize> = (0..items.len()).filter(|k| items[*k].slot.holds_type()).collect();
    if types.len() >= 3 {
        let slots = [Slot::DType, Slot::AType, Slot::BType, Slot::CType, Slot::SType];
        for (k, slot) in types.into_iter().zip(slots) {
            if items[k].slot == Slot::Type {
                items[k].slot = slot;
            }
        }
    }
    Ok(items)
}

fn operands(page: &Page, text: &'static str) -> Result<Vec<Template>, String> {
    let (required, optional) = match text.split_once("{,") {
        Some((required, rest)) => {
            (required, rest.strip_suffix('}').ok_or("operands that may be left out must close the line")?)
        }
        None => (text, ""),
    };
    let list = |text: &'static str, optional| {
        split(text).into_iter().filter(|t| !t.is_empty()).map(move |t| template(page, t, optional))
    };
    list(required, false).chain(list(optional, true)).collect()
}

/// Splits at the commas that stand outside braces and brackets.
fn split(text: &'static str) -> Vec<&'static str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn template(page: &Page, mut text: &'static str, optional: bool) -> Result<Template, String> {
    let mut signs = (false, false);
    if let Some(rest) = text.strip_prefix("{-}") {
        (text, signs.0) = (rest, true);
    }
    if let Some(rest) = text.strip_prefix("{!}") {
        (text, signs.1) = (rest, true);
    }
    if let Some((within, words)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) {
        let mut parts = split(within).into_iter();
        let name = parts.next().unwrap_or(within);
        let inside = parts.map(|part| template(page, part, false)).collect::<Result<_, _>>()?;
        let word = words.strip_prefix("{.").and_then(|w| w.strip_suffix('}'));
        let selector = word.map(|w| placeholder(page, w)).transpose()?;
        let selector = selector.map(|(slot, set)| Selector { slot, set, optional: true });
        return known(page, Template { address: true, inside, selector, ..plain(name, optional) });
    }
    if let Some(name) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return known(page, Template { list: true, ..plain(name, optional) });
    }
    if let Some(elements) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        let name = elements.split(',').next().unwrap_or(elements);
        let count = elements.split(',').count();
        let further = elements.split_once(',').map_or("", |(_, rest)| rest);
        return known(page, Template { elements: count, further, ..plain(name, optional) });
    }
    if let Some((name, second)) = text.split_once("{|") {
        let second = second.strip_suffix('}').ok_or("a pair's brace is open")?;
        return known(page, Template { second: Some((second, false)), ..plain(name, optional) });
    }
    if let Some((name, second)) = text.split_once('|') {
        return known(page, Template { second: Some((second, true)), ..plain(name, optional) });
    }
    let (name, selector) = match text.split_once("{.") {
        Some((name, rest)) => {
            (name, Some((rest.strip_suffix('}').ok_or("a selector's brace is open")?, true)))
        }
        None => match text.split_once('.') {
            Some((name, rest)) => (name, Some((rest, false))),
            None => (text, None),
        },
    };
    let selector = match selector {
        Some((set, optional)) => {
            let (slot, set) = placeholder(page, set)?;
            Some(Selector { slot, set, optional })
        }
        None => None,
    };
    let minus = match (signs.0, name) {
        (false, _) => None,
        (true, "a") => Some(Slot::NegA),
        (true, "b") => Some(Slot::NegB),
        (true, "c") => Some(Slot::NegC),
        (true, _) => return Err(format!("no slot for a minus before `{name}`")),
    };
    let not = signs.1.then_some(Slot::NotC);
    known(page, Template { selector, minus, not, ..plain(name, optional) })
}

fn plain(name: &'static str, optional: bool) -> Template {
    Template {
        name,
        selector: None,
        minus: None,
        not: None,
        address: false,
        inside: Vec::new(),
        elements: 0,
        further: "",
        list: false,
        second: None,
        optional,
    }
}

fn known(page: &Page, t: Template) -> Result<Template, String> {
    for name in [Some(t.name), t.second.map(|s| s.0)].into_iter().flatten() {
        page.operand(name).ok_or_else(|| format!("operand `{name}` has no entry in the page's operands"))?;
    }
    Ok(t)
}
