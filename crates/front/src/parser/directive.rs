//! The items of a module and the directives of a body.

use super::expr::Leaves;
use super::recover::ITEMS;
use super::variable::SPACES;
use super::{Parse, Parser};
use crate::ast::{
    AddressSize, Alias, Expr, FileEntry, Integer, Item, Loc, Pragma, Section, SectionLine, Statement, Target,
    Text, Version,
};
use crate::diag::{Diagnostic, codes};
use crate::lexer::quote;
use crate::source::Span;
use crate::token::Kind;

/// Directives that belong to a body only.
const IN_BODY: &[&str] = &["callprototype", "calltargets", "branchtargets"];

impl Parser<'_> {
    /// All items up to the end of the text.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at(Kind::End) {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let start = self.span();
            self.open_braces = 0;
            if self.at(Kind::CloseBrace) {
                self.error(codes::EXPECTED, start, "`}` closes nothing", "no block is open here");
                self.bump();
                continue;
            }
            match self.item() {
                Some(item) => items.push(item),
                None => self.recover_in_module(start),
            }
        }
        items
    }

    fn item(&mut self) -> Parse<Item> {
        match self.kind() {
            Kind::Word => self.module_directive(),
            Kind::Dwarf => {
                let token = self.bump();
                let text = self.text_of(token).trim_end().to_string();
                Some(Item::Dwarf(Text { text, span: token.span }))
            }
            Kind::Name | Kind::At | Kind::OpenBrace => {
                let message = format!("{} does not belong outside of a function", self.found());
                let diagnostic =
                    Diagnostic::error(codes::MISPLACED, message).label(self.span(), "not in a function");
                self.report(diagnostic.help("instructions belong into the body of an `.entry` or `.func`"));
                None
            }
            _ => {
                self.expected("a directive such as `.version` or `.entry`");
                None
            }
        }
    }

    fn module_directive(&mut self) -> Parse<Item> {
        if self.at_function() {
            return self.function().map(Item::Function);
        }
        match self.current() {
            "version" => self.version().map(Item::Version),
            "target" => self.target().map(Item::Target),
            "address_size" => {
                let start = self.bump().span;
                let bits = self.integer("32 or 64")?;
                Some(Item::AddressSize(AddressSize { bits, span: self.since(start) }))
            }
            "file" => self.file_entry().map(Item::FileEntry),
            "section" => self.section().map(Item::Section),
            "loc" => self.loc().map(Item::Loc),
            "pragma" => self.pragma().map(Item::Pragma),
            "alias" => self.alias().map(Item::Alias),
            word if ITEMS.contains(&word) || SPACES.contains(&word) => self.variable().map(Item::Variable),
            word if IN_BODY.contains(&word) => {
                self.misplaced("it belongs into the body of a function, behind a label");
                None
            }
            _ => {
                self.unknown_directive(ITEMS);
                None
            }
        }
    }

    /// A directive among the statements of a body.
    pub(super) fn body_directive(&mut self) -> Option<Statement> {
        const BODY: &[&str] = &["reg", "local", "shared", "param", "loc", "pragma", "global", "const"];
        match self.current() {
            "loc" => self.loc().map(Statement::Loc),
            "pragma" => self.pragma().map(Statement::Pragma),
            "extern" | "visible" | "weak" | "common" => self.variable().map(Statement::Variable),
            word if SPACES.contains(&word) => self.variable().map(Statement::Variable),
            word if IN_BODY.contains(&word) => {
                self.misplaced("a label stands before it: `name: .branchtargets a, b;`");
                None
            }
            word if ITEMS.contains(&word) => {
                self.misplaced("it belongs outside of functions");
                None
            }
            _ => {
                self.unknown_directive(BODY);
                None
            }
        }
    }

    fn misplaced(&mut self, help: &str) {
        let message = format!("`.{}` does not belong here", self.current());
        let diagnostic = Diagnostic::error(codes::MISPLACED, message).label(self.span(), "not here");
        self.report(diagnostic.help(help));
    }

    fn version(&mut self) -> Parse<Version> {
        let start = self.bump().span;
        let number = self.span();
        let parts =
            self.current().split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((major, minor)) if self.at(Kind::Float) => {
                self.bump();
                Some(Version { major, minor, number, span: self.since(start) })
            }
            _ => {
                self.expected("a version such as `8.5`");
                None
            }
        }
    }

    fn target(&mut self) -> Parse<Target> {
        let start = self.bump().span;
        let mut names = vec![self.name("a target such as `sm_90`")?];
        while self.eat(Kind::Comma) {
            names.push(self.name("a target such as `sm_90`")?);
        }
        Some(Target { names, span: self.since(start) })
    }

    fn file_entry(&mut self) -> Parse<FileEntry> {
        let start = self.bump().span;
        let index = self.integer("the number of the file")?;
        let name = self.text("the name of the file in quotation marks")?;
        let mut extra = Vec::new();
        while extra.len() < 2 && self.eat(Kind::Comma) {
            extra.push(self.integer("a number")?);
        }
        Some(FileEntry { index, name, extra, span: self.since(start) })
    }

    fn loc(&mut self) -> Parse<Loc> {
        let start = self.bump().span;
        let [file, line, column] = self.place()?;
        let (mut function_name, mut inlined_at): (Option<Expr>, _) = (None, None);
        while self.eat(Kind::Comma) {
            match self.current() {
                "function_name" if function_name.is_none() => {
                    self.bump();
                    function_name = Some(self.whole_expr(Leaves::Sections)?);
                }
                "inlined_at" if inlined_at.is_none() => {
                    self.bump();
                    inlined_at = Some(self.place()?);
                }
                _ => {
                    self.expected("`function_name` or `inlined_at`");
                    return None;
                }
            }
        }
        Some(Loc { file, line, column, function_name, inlined_at, span: self.since(start) })
    }

    /// File, line and column.
    fn place(&mut self) -> Parse<[Integer; 3]> {
        let file = self.integer("the number of a file")?;
        let line = self.integer("a line number")?;
        Some([file, line, self.integer("a column number")?])
    }

    fn pragma(&mut self) -> Parse<Pragma> {
        let start = self.bump().span;
        let mut texts = vec![self.text("a string")?];
        while self.eat(Kind::Comma) {
            texts.push(self.text("a string")?);
        }
        self.semicolon("`;`")?;
        Some(Pragma { texts, span: self.since(start) })
    }

    fn alias(&mut self) -> Parse<Alias> {
        let start = self.bump().span;
        let name = self.name("the new name")?;
        self.expect(Kind::Comma, "`,`")?;
        let target = self.name("the name of a function")?;
        self.semicolon("`;`")?;
        Some(Alias { name, target, span: self.since(start) })
    }

    fn section(&mut self) -> Parse<Section> {
        let start = self.bump().span;
        if !self.at(Kind::Word) {
            self.expected("the name of a section such as `.debug_info`");
            return None;
        }
        let name = self.word();
        let open = self.expect(Kind::OpenBrace, "`{`")?.span;
        let mut lines = Vec::new();
        loop {
            match self.kind() {
                Kind::Word => {
                    let start = self.span();
                    match self.section_data() {
                        Some(line) => lines.push(line),
                        None => self.skip_section_line(start),
                    }
                }
                Kind::Name if self.ahead[1].kind == Kind::Colon => {
                    lines.push(SectionLine::Label(self.name("a label")?));
                    self.bump();
                }
                Kind::CloseBrace => {
                    self.bump();
                    break;
                }
                Kind::End => {
                    self.close(open, Kind::CloseBrace, "`}`")?;
                }
                Kind::Semicolon => {
                    self.bump();
                }
                _ => {
                    let message = format!("expected data, a label or `}}`, found {}", quote(self.current()));
                    self.error(codes::EXPECTED, self.span(), message, "no data");
                    self.skip_section_line(self.span());
                }
            }
        }
        Some(Section { name, lines, span: self.since(start) })
    }

    /// Goes to the next line of a section after an error in the one that began at `start`.
    fn skip_section_line(&mut self, start: Span) {
        while !matches!(self.kind(), Kind::End | Kind::CloseBrace) {
            if self.ahead[0].first_on_line && self.span() != start {
                return;
            }
            self.bump();
        }
    }

    fn section_data(&mut self) -> Option<SectionLine> {
        let ty = self.word();
        let mut values = vec![self.whole_expr(Leaves::Sections)?];
        while self.eat(Kind::Comma) {
            values.push(self.whole_expr(Leaves::Sections)?);
        }
        let span = self.since(ty.span);
        Some(SectionLine::Data { ty, values, span })
    }
}
