//! Forms that were found before: most instructions of a text spell one of a few, and looking it up takes less than finding it.

use super::Checker;
use super::instruction::coordinates;
use super::state::Form;
use crate::ast;
use margay_isa::{Inst, Order, Shape, Slot, Word};
use std::sync::Arc;

/// Stands behind each text of a spelling; no text has such a byte.
const END: u8 = 0xff;

impl Checker {
    /// The form of an instruction that is spelt like one before it.
    pub(super) fn form_before(&mut self, ast: &ast::Instruction) -> Option<Arc<Inst>> {
        let mut spelling = std::mem::take(&mut self.forms.spelling);
        let found = self.spell(ast, &mut spelling).and_then(|()| self.forms.known.get(&spelling[..]));
        let found = found.filter(|form| apart(ast, form.in_name).is_none()).map(|form| form.inst.clone());
        self.forms.spelling = spelling;
        found
    }

    /// Keeps the form of an instruction of which nothing is to be said, for the next that is spelt like it.
    pub(super) fn keep_form(&mut self, ast: &ast::Instruction, inst: &Arc<Inst>) {
        let mut spelling = Vec::new();
        if inst.runs() && self.spell(ast, &mut spelling).is_some() {
            let form = Form { inst: inst.clone(), in_name: in_name(inst, ast) };
            self.forms.known.insert(spelling.into(), form);
        }
    }

    /// What the form depends on; none for operands that take more to tell.
    fn spell(&self, ast: &ast::Instruction, to: &mut Vec<u8>) -> Option<()> {
        to.clear();
        let add = |to: &mut Vec<u8>, text: &str| {
            to.extend_from_slice(text.as_bytes());
            to.push(END);
        };
        add(to, &ast.opcode.text);
        ast.words.iter().for_each(|word| add(to, &word.text));
        to.push(END);
        for operand in &ast.operands {
            let selectors = self.selectors(operand);
            let shape = self.shape(ast, operand, &selectors);
            let Shape { minus, not, address, offset, pair, sink, elements, list, predicate, .. } = shape;
            if coordinates(operand).is_some() || (operand.as_list().is_some() && !list) {
                return None;
            }
            let flags = [minus, not, address, offset, pair, sink, list, predicate];
            to.push(flags.iter().fold(0, |bits, flag| bits << 1 | u8::from(*flag)));
            to.extend_from_slice(&u32::try_from(elements).ok()?.to_le_bytes());
            selectors.iter().for_each(|text| add(to, text));
            to.push(END);
        }
        Some(())
    }
}

/// How many words are as good as parts of the opcode: those that come first.
pub(super) fn in_name(inst: &Inst, ast: &ast::Instruction) -> usize {
    let order = inst.page().order;
    let is_mode = order == Order::ModeFirst && inst.has(Slot::Mode);
    let named = |text: &str| Word::parse(text).is_some_and(|word| order.names(word));
    let others = |(k, word): (usize, &ast::Word)| !(named(&word.text) || (is_mode && k == 0));
    ast.words.iter().enumerate().position(others).unwrap_or(ast.words.len())
}

/// The first of so many words that a blank parts from what is before it.
pub(super) fn apart(ast: &ast::Instruction, words: usize) -> Option<usize> {
    let ends = std::iter::once(ast.opcode.span.end).chain(ast.words.iter().map(|word| word.span.end));
    ast.words[..words].iter().zip(ends).position(|(word, end)| word.span.start != end)
}
