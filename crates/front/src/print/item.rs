//! Items of a module: directives, functions, sections.

use super::Printer;
use super::operand::Commas;
use crate::ast::{
    DirectiveArgument, Function, FunctionDirective, FunctionKind, Item, Parameter, Section, SectionLine,
};
use crate::source::Span;
use std::fmt::{Display, Formatter, Result};

impl Printer<'_> {
    pub(super) fn items(&mut self, items: &[Item]) {
        for (index, item) in items.iter().enumerate() {
            let next = items.get(index + 1).map_or(u32::MAX, |item| span(item).start);
            self.next_item(index.checked_sub(1).map(|before| &items[before]), item, next);
        }
    }

    /// An item behind another one; what follows it begins at `next`.
    pub(super) fn next_item(&mut self, previous: Option<&Item>, item: &Item, next: u32) {
        let apart = |item: &Item| matches!(item, Item::Function(_) | Item::Section(_));
        if apart(item) || previous.is_some_and(apart) {
            self.blank_line();
        }
        self.item(item, next);
    }

    fn item(&mut self, item: &Item, next: u32) {
        match item {
            Item::Function(function) => return self.function(function, next),
            Item::Section(section) => return self.section(section, next),
            _ => self.leading_in(span(item)),
        }
        match item {
            Item::Version(version) => self.put(format_args!(".version {}.{}", version.major, version.minor)),
            Item::Target(target) => self.put(format_args!(".target {}", Commas(&target.names))),
            Item::AddressSize(size) => self.put(format_args!(".address_size {}", size.bits)),
            Item::FileEntry(file) => {
                self.put(format_args!(".file {} {}", file.index, file.name));
                for number in &file.extra {
                    self.put(format_args!(", {number}"));
                }
            }
            Item::Dwarf(line) => self.put(&line.text),
            Item::Loc(loc) => self.put(loc),
            Item::Pragma(pragma) => self.put(pragma),
            Item::Variable(variable) => self.variable(variable),
            Item::Alias(alias) => self.put(format_args!(".alias {}, {};", alias.name, alias.target)),
            Item::Function(_) | Item::Section(_) => {}
        }
        self.trailing(next);
    }

    fn function(&mut self, function: &Function, next: u32) {
        let body = function.body.as_ref();
        let first_parameter = function.parameters.first().map(|p| p.span.start);
        self.leading_in(Span::new(function.span.start, first_parameter.unwrap_or(function.head.end)));
        if let Some(linkage) = &function.linkage {
            self.put(format_args!("{linkage} "));
        }
        self.put(match function.kind {
            FunctionKind::Entry => ".entry ",
            FunctionKind::Func => ".func ",
        });
        for attribute in &function.attributes {
            self.put(format_args!("{attribute} "));
        }
        if !function.returns.is_empty() {
            self.put(format_args!("({}) ", Commas(&function.returns)));
        }
        self.put(&function.name);
        self.parameters(&function.parameters, function.head.end);
        if body.is_none() && function.directives.is_empty() {
            self.put(";");
        }
        let end = body.map_or(function.span.end, |body| body.span.start);
        let first_directive = function.directives.first().map_or(end, |d| d.span.start);
        self.trailing(if body.is_none() && function.directives.is_empty() { next } else { first_directive });
        self.function_directives(&function.directives, body.is_none(), end);
        if let Some(body) = body {
            self.block(body, next);
        }
    }

    /// Parameters in parentheses, each on its line.
    fn parameters(&mut self, parameters: &[Parameter], end: u32) {
        self.put("(");
        if let Some(first) = parameters.first() {
            self.indent += 1;
            self.trailing(first.span.start);
            for (index, parameter) in parameters.iter().enumerate() {
                let last = index + 1 == parameters.len();
                self.leading_in(parameter.span);
                self.begin_line();
                self.put(format_args!("{parameter}{}", if last { "" } else { "," }));
                self.trailing(parameters.get(index + 1).map_or(end, |next| next.span.start));
            }
            self.leading(end);
            self.drop_blank_end();
            self.indent -= 1;
        }
        self.put(")");
    }

    fn function_directives(&mut self, directives: &[FunctionDirective], declaration: bool, end: u32) {
        for (index, directive) in directives.iter().enumerate() {
            let last = index + 1 == directives.len();
            self.leading_in(directive.span);
            self.put(directive);
            // A pragma brings its own semicolon.
            let open = last && declaration && directive.word.text != "pragma";
            self.put(if open { ";" } else { "" });
            self.trailing(directives.get(index + 1).map_or(end, |next| next.span.start));
        }
        self.leading(end);
        self.drop_blank_end();
    }

    fn section(&mut self, section: &Section, next: u32) {
        let first = section.lines.first().map_or(section.span.end, |line| line_span(line).start);
        self.leading_in(Span::new(section.span.start, section.name.span.end));
        self.put(format_args!(".section {}\n{{", section.name));
        self.trailing(first);
        for (index, line) in section.lines.iter().enumerate() {
            self.leading_in(line_span(line));
            match line {
                SectionLine::Label(name) => self.put(format_args!("{name}:")),
                SectionLine::Data { ty, values, .. } => self.put(format_args!("{ty} {}", Commas(values))),
            }
            self.trailing(
                section.lines.get(index + 1).map_or(section.span.end, |line| line_span(line).start),
            );
        }
        self.leading(section.span.end);
        self.drop_blank_end();
        self.put("}");
        self.trailing(next);
    }
}

impl Display for FunctionDirective {
    fn fmt(&self, f: &mut Formatter) -> Result {
        self.word.fmt(f)?;
        for (index, argument) in self.arguments.iter().enumerate() {
            f.write_str(if index == 0 { " " } else { ", " })?;
            match argument {
                DirectiveArgument::Constant(value) => value.fmt(f)?,
                DirectiveArgument::Text(text) => text.fmt(f)?,
            }
        }
        f.write_str(if self.word.text == "pragma" { ";" } else { "" })
    }
}

pub(crate) fn span(item: &Item) -> Span {
    match item {
        Item::Version(x) => x.span,
        Item::Target(x) => x.span,
        Item::AddressSize(x) => x.span,
        Item::FileEntry(x) => x.span,
        Item::Section(x) => x.span,
        Item::Dwarf(x) => x.span,
        Item::Loc(x) => x.span,
        Item::Pragma(x) => x.span,
        Item::Variable(x) => x.span,
        Item::Function(x) => x.span,
        Item::Alias(x) => x.span,
    }
}

fn line_span(line: &SectionLine) -> Span {
    match line {
        SectionLine::Label(name) => name.span,
        SectionLine::Data { span, .. } => *span,
    }
}
