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
            if self.at(Kind::Semicolon) {
                self.stray_semicolons();
                continue;
            }
            let start = self.span();
            self.open_braces = 0;
            self.count_node();
            if self.at(Kind::CloseBrace) {
                self.error(codes::EXPECTED, start, "unmatched `}`", "no block is open here");
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
                let message = format!("{} is not allowed outside of a function", self.found());
                let diagnostic =
                    Diagnostic::error(codes::MISPLACED, message).label(self.span(), "not in a function");
                self.report(diagnostic.help("instructions go inside the body of an `.entry` or `.func`"));
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
                self.misplaced("it goes inside the body of a function, after a label");
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
            "loc" => self.loc().map(|loc| Statement::Loc(Box::new(loc))),
            "pragma" => self.pragma().map(Statement::Pragma),
            "extern" | "visible" | "weak" | "common" | "align" | "attribute" => self.body_variable(),
            word if SPACES.contains(&word) => self.body_variable(),
            word if IN_BODY.contains(&word) => {
                self.misplaced("put a label before it: `name: .branchtargets a, b;`");
                None
            }
            word if ITEMS.contains(&word) => {
                self.misplaced("it goes outside of functions");
                None
            }
            _ => {
                self.unknown_directive(BODY);
                None
            }
        }
    }

    fn body_variable(&mut self) -> Option<Statement> {
        self.variable().map(|variable| Statement::Variable(Box::new(variable)))
    }

    fn misplaced(&mut self, help: &str) {
        let message = format!("`.{}` is not allowed here", self.current());
        let diagnostic = Diagnostic::error(codes::MISPLACED, message).label(self.span(), "not allowed here");
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

    pub(super) fn pragma(&mut self) -> Parse<Pragma> {
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
            if self.skips_bodies && !lines.last().is_some_and(SectionLine::is_remarkable) {
                lines.pop();
            }
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
                Kind::Semicolon => self.stray_semicolons(),
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
        self.count_node();
        let ty = self.word();
        let mut values = vec![self.whole_expr(Leaves::Sections)?];
        while self.eat(Kind::Comma) {
            self.count_node();
            values.push(self.whole_expr(Leaves::Sections)?);
        }
        let span = self.since(ty.span);
        Some(SectionLine::Data { ty, values, span })
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::{Item, SectionLine};
    use crate::diag::codes;
    use crate::parser::testing::{codes_of, items, module};

    #[test]
    fn version_target_and_size_open_a_module() {
        let found = items(".version 8.5 .target sm_90a, debug .address_size 64");
        assert!(matches!(&found[0], Item::Version(v) if (v.major, v.minor) == (8, 5)));
        assert!(matches!(&found[1], Item::Target(t) if t.names[1].text == "debug"));
        assert!(matches!(&found[2], Item::AddressSize(a) if a.bits.value == 64));
        for text in [".version 8", ".version x", ".version 8.99999999999", ".target", ".address_size"] {
            assert_eq!(codes_of(text), [codes::EXPECTED], "{text}");
        }
    }

    #[test]
    fn places_of_source_lines_are_read_whole() {
        let found = items(".file 1 \"a.cu\", 12, 34 .loc 1 2 3, function_name $L+4, inlined_at 1 5 6");
        assert!(matches!(&found[0], Item::FileEntry(f) if f.name.text == "a.cu" && f.extra.len() == 2));
        let Item::Loc(loc) = &found[1] else { panic!() };
        assert_eq!(loc.inlined_at.as_ref().unwrap()[1].value, 5);
        assert!(loc.function_name.is_some());
        assert_eq!(codes_of(".loc 1 2"), [codes::EXPECTED]);
        assert_eq!(codes_of(".loc 1 2 3, inlined 1 2 3"), [codes::EXPECTED]);
    }

    #[test]
    fn sections_hold_labels_and_data() {
        let found =
            items(".section .debug_info {\nstart:\n.b8 1, 2\n.b32 .debug_abbrev\n.b64 start+4, end-start\n}");
        let Item::Section(section) = &found[0] else { panic!() };
        assert!(matches!(&section.lines[0], SectionLine::Label(name) if name.text == "start"));
        assert!(matches!(&section.lines[3], SectionLine::Data { values, .. } if values.len() == 2));
        assert_eq!(codes_of(".section .debug_info { .b8 1\nx y\n.b8 ;\n.b8 2 }").len(), 2);
        assert_eq!(codes_of(".section .debug_info { .b8 1"), [codes::UNCLOSED]);
    }

    #[test]
    fn old_debug_lines_are_kept_as_they_are() {
        let found = items("@@DWARF .byte 1, 2 // text\n.version 1.0");
        assert!(matches!(&found[0], Item::Dwarf(line) if line.text == "@@DWARF .byte 1, 2 // text"));
    }

    #[test]
    fn directives_belong_to_their_places() {
        assert_eq!(codes_of("ret; .branchtargets a;"), [codes::MISPLACED; 2]);
        assert_eq!(codes_of(&module(".version 8.0\n.target sm_80\nret;")), [codes::MISPLACED; 2]);
        assert_eq!(codes_of(".taget sm_80\n.global .u32 x;"), [codes::UNKNOWN_DIRECTIVE]);
        assert_eq!(codes_of(&module(".rge .u32 x;")), [codes::UNKNOWN_DIRECTIVE]);
        assert_eq!(codes_of("} .version 8.0 }"), [codes::EXPECTED; 2]);
    }
}
