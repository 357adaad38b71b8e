//! Instructions, labels and blocks.

use super::{Parse, Parser};
use crate::ast::{Block, Guard, Instruction, Name, Statement};
use crate::diag::{Diagnostic, codes};
use crate::lexer::quote;
use crate::source::Span;
use crate::token::Kind;

/// Directives that begin a statement of a body: on a line of its own, such a word belongs to no opcode before it.
const STARTS_LINE: &[&str] =
    &["loc", "pragma", "reg", "entry", "func", "file", "section", "version", "target"];

impl Parser<'_> {
    /// `{ ... }`, of which `{` is the current token. An unclosed block ends where another function begins.
    pub(super) fn block(&mut self) -> Block {
        let open = self.bump().span;
        let mut statements = Vec::new();
        loop {
            match self.kind() {
                Kind::CloseBrace => {
                    self.bump();
                    break;
                }
                Kind::Semicolon => self.stray_semicolons(),
                Kind::End => {
                    self.unclosed_block(open);
                    break;
                }
                Kind::Word if self.at_function() => {
                    self.unclosed_block(open);
                    break;
                }
                _ => statements.extend(self.statement()),
            }
        }
        Block { statements, span: self.since(open) }
    }

    fn unclosed_block(&mut self, open: Span) {
        let message = format!("expected `}}`, found {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::UNCLOSED, message).label(self.span(), "`}` is missing before this");
        self.report(diagnostic.label(open, "block opened here"));
    }

    /// One statement; none after an error, with reading set on behind it.
    fn statement(&mut self) -> Option<Statement> {
        let start = self.span();
        self.open_braces = 0;
        self.count_node();
        let statement = match self.kind() {
            Kind::OpenBrace => self.nested_block(),
            Kind::Name if self.ahead[1].kind == Kind::Colon => self.labelled(),
            Kind::Name | Kind::At => self.instruction().map(Statement::Instruction),
            Kind::Word => self.body_directive(),
            _ => {
                self.expected("a statement");
                None
            }
        };
        if statement.is_none() {
            self.recover_in_body(start);
        }
        statement
    }

    fn nested_block(&mut self) -> Option<Statement> {
        let block = self.deeper(|p| Some(p.block()));
        if block.is_none() {
            self.skip_braces();
            return Some(Statement::Block(Block::default()));
        }
        block.map(Statement::Block)
    }

    fn labelled(&mut self) -> Option<Statement> {
        let label = self.name("a label")?;
        self.bump();
        if !self.at(Kind::Word) {
            return Some(Statement::Label(label));
        }
        match self.current() {
            "callprototype" => self.prototype(label),
            "calltargets" => Some(Statement::CallTargets(self.targets(label)?)),
            "branchtargets" => Some(Statement::BranchTargets(self.targets(label)?)),
            _ => Some(Statement::Label(label)),
        }
    }

    /// An instruction with its semicolon.
    fn instruction(&mut self) -> Parse<Instruction> {
        let mut instruction = self.instruction_body()?;
        let expected = match instruction.operands.len() {
            0 => "an operand or `;`",
            _ => "`,` or `;`",
        };
        self.semicolon(expected)?;
        instruction.span = self.since(instruction.span);
        Some(instruction)
    }

    /// An instruction and nothing else, for [`super::parse_statement`].
    pub(super) fn lone_instruction(&mut self) -> Option<Instruction> {
        if !matches!(self.kind(), Kind::Name | Kind::At) {
            self.expected("an instruction");
            return None;
        }
        let mut instruction = self.instruction_body()?;
        let ended = self.eat(Kind::Semicolon);
        instruction.span = self.since(instruction.span);
        if !self.at(Kind::End) {
            self.expected(if ended { "one instruction and nothing else" } else { "`,` or `;`" });
            return None;
        }
        Some(instruction)
    }

    /// Guard, opcode, words and operands, up to the semicolon.
    fn instruction_body(&mut self) -> Parse<Instruction> {
        let start = self.span();
        self.operands = 0;
        let guard = self.guard()?;
        let opcode = self.opcode()?;
        let mut words = Vec::new();
        while self.at(Kind::Word) && !(self.ahead[0].first_on_line && STARTS_LINE.contains(&self.current())) {
            let word = self.word();
            let banked =
                word.text == "const" && self.at(Kind::OpenBracket) && self.span().start == word.span.end;
            words.push(if banked { self.bank(word)? } else { word });
        }
        words.shrink_to_fit();
        let bare = self.at(Kind::Semicolon) || self.ends_without_semicolon();
        let operands = if bare { Vec::new() } else { self.operand_list()? };
        Some(Instruction { guard, opcode, words, operands, span: self.since(start) })
    }

    /// Whether the current token begins the next statement: a semicolon is missing before it.
    fn ends_without_semicolon(&self) -> bool {
        match self.kind() {
            Kind::CloseBrace | Kind::End => true,
            Kind::At | Kind::Word => self.ahead[0].first_on_line,
            Kind::Name => {
                let label_or_words = matches!(self.ahead[1].kind, Kind::Word | Kind::Colon);
                self.ahead[0].first_on_line && !self.current().starts_with('%') && label_or_words
            }
            _ => false,
        }
    }

    fn guard(&mut self) -> Parse<Option<Box<Guard>>> {
        if !self.at(Kind::At) {
            return Some(None);
        }
        let start = self.bump().span;
        let negated = self.eat(Kind::Bang);
        let predicate = self.predicate()?;
        Some(Some(Box::new(Guard { negated, predicate, span: self.since(start) })))
    }

    fn opcode(&mut self) -> Parse<Name> {
        let name = self.name("an instruction")?;
        if !name.text.starts_with(['%', '$']) {
            return Some(name);
        }
        let message = format!("expected an instruction, found {}", quote(&name.text));
        self.error(codes::EXPECTED, name.span, message, "expected an instruction");
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::Statement;
    use crate::diag::codes;
    use crate::parser::testing::{body, codes_of, labels_of, module};
    use crate::{parse_statement, source::Span};

    #[test]
    fn words_keep_their_places_dot_included() {
        let (instruction, _) = parse_statement("add .sat.s32 d, a, b;");
        let words: Vec<_> = instruction.unwrap().words.iter().map(|w| (w.text.to_string(), w.span)).collect();
        assert_eq!(words, [("sat".to_string(), Span::new(4, 8)), ("s32".to_string(), Span::new(8, 12))]);
    }

    #[test]
    fn a_guard_names_a_predicate() {
        let (instruction, _) = parse_statement("@!p ret");
        let guard = instruction.unwrap().guard.unwrap();
        assert!(guard.negated && guard.predicate.text == "p" && guard.span == Span::new(0, 3));
        assert_eq!(codes_of(&module("@5 ret;")), [codes::EXPECTED]);
        assert_eq!(codes_of(&module("@!!p ret;")), [codes::EXPECTED]);
    }

    #[test]
    fn a_missing_semicolon_is_reported_behind_the_statement() {
        let text = module("mov.u32 a, b\nadd.u32 a, b, c;\nret");
        let behind = |what: &str| (text.find(what).unwrap() + what.len()) as u32;
        assert_eq!(labels_of(&text), [behind("a, b"), behind("ret")]);
    }

    #[test]
    fn a_semicolon_ends_a_statement_and_nothing_else() {
        for body in [";", "ret;;", "ret; ; ;", "a:;", "{ ret; };", "{;}", ".reg .u32 x;;", ".loc 1 1 1; ret;"]
        {
            assert_eq!(codes_of(&module(body)), [codes::EXPECTED], "{body}");
        }
        let good = module("ret;");
        for text in [
            good.replace("80\n", "80;\n"),
            format!("{good};"),
            format!("{good}.section .debug_str {{ .b8 1; }}"),
        ] {
            assert_eq!(codes_of(&text), [codes::EXPECTED], "{text}");
        }
        assert_eq!(body("ret;; ret;").statements.len(), 2);
    }

    #[test]
    fn reading_goes_on_at_the_next_statement() {
        let text = "mov.u32 a b; mov.b64 {a b}, c; ld.u32 a, [b;\nadd.u32 a, b, c;\n@p add.u32 ]; ret;";
        assert_eq!(codes_of(&module(text)).len(), 4);
        let kept = body(text).statements;
        assert_eq!(kept.iter().filter(|s| matches!(s, Statement::Instruction(_))).count(), 2);
    }

    #[test]
    fn labels_stand_before_statements_and_blocks_nest() {
        let statements = body("a: b: ret; c: .branchtargets a, b; { d: { .reg .u32 x; } }").statements;
        assert!(matches!(
            &statements[..3],
            [Statement::Label(_), Statement::Label(_), Statement::Instruction(_)]
        ));
        assert!(matches!(&statements[3], Statement::BranchTargets(t) if t.names.len() == 2));
        assert!(matches!(&statements[4], Statement::Block(b) if b.statements.len() == 2));
    }

    #[test]
    fn an_unclosed_body_ends_where_the_next_function_begins() {
        let text = ".entry k() { { ret; }\n.visible .entry j() { ret; }\n.func f() { ret;";
        let source = crate::Source::new("a.ptx", text);
        let parsed = crate::parse(&source);
        assert_eq!(parsed.file.items.len(), 3);
        assert_eq!(parsed.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), [codes::UNCLOSED; 2]);
    }

    #[test]
    fn a_lone_statement_is_one_instruction() {
        assert!(parse_statement("ret").0.is_some() && parse_statement("ret;").0.is_some());
        for text in ["ret; ret;", "a: ret;", "{ ret; }", ".reg .u32 x;", "ret }", "%r1;"] {
            assert!(parse_statement(text).0.is_none(), "{text}");
        }
    }
}
