//! Functions, prototypes and lists of targets.

use super::expr::Leaves;
use super::{Parse, Parser};
use crate::ast::{
    Attribute, DirectiveArgument, Function, FunctionDirective, FunctionKind, Name, Parameter, Pragma,
    Prototype, Statement, Targets, Word,
};
use crate::token::Kind;

impl Parser<'_> {
    /// A kernel or device function; the current token is its linkage or `.entry` or `.func`.
    pub(super) fn function(&mut self) -> Parse<Function> {
        let start = self.span();
        let header = self.function_header();
        if header.is_none() {
            self.skip_to_body();
        }
        let body = self
            .at(Kind::OpenBrace)
            .then(|| if self.skips_bodies { self.skipped_block() } else { self.block() });
        let mut function = header?;
        // ptxas reads declarations of device functions without a semicolon, too.
        let ends = function.kind == FunctionKind::Func && (self.at(Kind::End) || self.at_item());
        let ends = ends || function.directives.last().is_some_and(|last| last.word.text == "pragma");
        if body.is_none() && !ends {
            self.semicolon("`{` or `;`")?;
        }
        function.body = body;
        function.span = self.since(start);
        Some(function)
    }

    fn function_header(&mut self) -> Parse<Function> {
        let span = self.span();
        let linkage: Option<Word> = (!matches!(self.current(), "entry" | "func")).then(|| self.word());
        let kind = if self.current() == "entry" { FunctionKind::Entry } else { FunctionKind::Func };
        self.bump();
        let attributes = self.function_attributes()?;
        let returns = self.optional_parameters()?;
        let name = self.name("the name of the function")?;
        let parameters = self.optional_parameters()?;
        let head = self.since(span);
        let directives = self.function_directives()?;
        Some(Function {
            linkage,
            kind,
            attributes,
            returns,
            name,
            parameters,
            directives,
            head,
            body: None,
            span,
        })
    }

    /// After an error in a function's head: its body is read all the same, for the errors in it.
    fn skip_to_body(&mut self) {
        loop {
            let stop = match self.kind() {
                Kind::End | Kind::OpenBrace | Kind::Semicolon => true,
                Kind::Word => self.ahead[0].first_on_line && self.at_function(),
                _ => false,
            };
            if stop {
                return;
            }
            self.bump();
        }
    }

    fn function_attributes(&mut self) -> Parse<Vec<Attribute>> {
        let mut attributes = Vec::new();
        while self.at(Kind::Word) && self.current() == "attribute" {
            self.bump();
            attributes.extend(self.attributes()?);
        }
        Some(attributes)
    }

    fn optional_parameters(&mut self) -> Parse<Vec<Parameter>> {
        if self.at(Kind::OpenParen) { self.parameters() } else { Some(Vec::new()) }
    }

    /// `.maxntid 128, 1, 1` and others, up to the body or the semicolon.
    fn function_directives(&mut self) -> Parse<Vec<FunctionDirective>> {
        let mut directives = Vec::new();
        while self.at(Kind::Word) && (self.current() == "pragma" || !self.at_item()) {
            if self.current() == "pragma" {
                directives.push(self.pragma_directive()?);
                continue;
            }
            let word = self.word();
            let mut arguments = Vec::new();
            while self.at(Kind::Text) || self.at_constant() {
                arguments.push(self.directive_argument()?);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            let span = self.since(word.span);
            directives.push(FunctionDirective { word, arguments, span });
        }
        Some(directives)
    }

    /// `.pragma "nounroll";`, semicolon included.
    fn pragma_directive(&mut self) -> Parse<FunctionDirective> {
        let word = Word { text: self.current().into(), span: self.span() };
        let Pragma { texts, span } = self.pragma()?;
        Some(FunctionDirective {
            word,
            arguments: texts.into_iter().map(DirectiveArgument::Text).collect(),
            span,
        })
    }

    fn directive_argument(&mut self) -> Parse<DirectiveArgument> {
        if self.at(Kind::Text) {
            return Some(DirectiveArgument::Text(self.text("a string")?));
        }
        Some(DirectiveArgument::Constant(self.whole_expr(Leaves::Constants)?))
    }

    /// `.callprototype (results) _ (parameters);` behind its label.
    pub(super) fn prototype(&mut self, label: Name) -> Option<Statement> {
        self.bump();
        let returns = self.optional_parameters()?;
        self.expect(Kind::Underscore, "`_` in place of the function's name")?;
        let parameters = self.optional_parameters()?;
        let directives = self.function_directives()?;
        self.semicolon("`;`")?;
        let span = self.since(label.span);
        Some(Statement::Prototype(Box::new(Prototype { label, returns, parameters, directives, span })))
    }

    /// `.branchtargets a, b;` or `.calltargets f, g;` behind its label.
    pub(super) fn targets(&mut self, label: Name) -> Parse<Targets> {
        self.bump();
        let mut names = vec![self.name("a name")?];
        while self.eat(Kind::Comma) {
            names.push(self.name("a name")?);
        }
        self.semicolon("`,` or `;`")?;
        let span = self.since(label.span);
        Some(Targets { label, names, span })
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::{Function, FunctionKind, Item, Statement};
    use crate::diag::codes;
    use crate::parser::testing::{body, codes_of, items};

    fn function(text: &str) -> Function {
        match items(text).pop() {
            Some(Item::Function(function)) => function,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_kernel_has_parameters_with_pointer_hints() {
        let kernel =
            function(".visible .entry k(.param .align 8 .b8 s[16], .param .u64 .ptr .global .align 16 p) {}");
        assert_eq!(kernel.kind, FunctionKind::Entry);
        assert_eq!(kernel.parameters[0].align.as_ref().unwrap().value, 8);
        let hint = kernel.parameters[1].pointer.as_ref().unwrap();
        assert_eq!(
            (hint.space.as_ref().unwrap().text.as_str(), hint.align.as_ref().unwrap().value),
            ("global", 16)
        );
        assert!(kernel.parameters[1].align.is_none() && kernel.body.is_some());
    }

    #[test]
    fn a_function_may_be_declared_only() {
        let f = function(".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) .noreturn;");
        assert_eq!((f.returns.len(), f.parameters.len(), f.directives.len()), (1, 2, 1));
        assert!(f.body.is_none());
        assert_eq!(codes_of(".func f()"), []);
        assert_eq!(
            codes_of(".extern .func f() .noreturn\n.global .u32 x;\n.func g\n.entry k() { ret; }"),
            []
        );
        assert_eq!(codes_of(".func f() g"), [codes::EXPECTED]);
        assert_eq!(codes_of(".entry k()"), [codes::EXPECTED]);
    }

    #[test]
    fn performance_directives_stand_before_the_body() {
        let kernel = function(
            ".entry k .maxntid 16, 16 .minnctapersm 2 .pragma \"nounroll\"; .explicitcluster { ret; }",
        );
        let arguments: Vec<_> =
            kernel.directives.iter().map(|d| (d.word.text.as_str(), d.arguments.len())).collect();
        assert_eq!(arguments, [("maxntid", 2), ("minnctapersm", 1), ("pragma", 1), ("explicitcluster", 0)]);
    }

    #[test]
    fn the_body_is_read_also_behind_a_broken_head() {
        let text = ".entry k(.param .u64 a b) { mov.u32 a b; }\n.entry j() { ret; }";
        assert_eq!(codes_of(text), [codes::EXPECTED; 2]);
    }

    #[test]
    fn prototypes_and_targets_stand_behind_their_label() {
        let statements =
            body("p: .callprototype (.param .b32 _) _ (.param .b64 _); t: .calltargets f, g;").statements;
        assert!(
            matches!(&statements[0], Statement::Prototype(p) if p.returns.len() == 1 && p.parameters.len() == 1)
        );
        assert!(
            matches!(&statements[1], Statement::CallTargets(t) if t.label.text == "t" && t.names.len() == 2)
        );
        assert_eq!(codes_of(".entry k() { .calltargets f; }"), [codes::MISPLACED]);
    }
}
