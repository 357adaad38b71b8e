//! Functions, prototypes and lists of targets.

use super::expr::Leaves;
use super::{Parse, Parser};
use crate::ast::{
    Attribute, DirectiveArgument, Function, FunctionDirective, FunctionKind, Name, Parameter, Prototype,
    Statement, Targets, Word,
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
        let body = self.at(Kind::OpenBrace).then(|| self.block());
        let mut function = header?;
        if body.is_none() {
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
        while self.at(Kind::Word) && !self.at_function() {
            let word = self.word();
            let mut arguments = Vec::new();
            while self.at(Kind::Text) || self.at_constant() {
                arguments.push(self.directive_argument()?);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            let span = self.since(word.span);
            if word.text == "pragma" {
                self.eat(Kind::Semicolon);
            }
            directives.push(FunctionDirective { word, arguments, span });
        }
        Some(directives)
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
        Some(Statement::Prototype(Prototype { label, returns, parameters, directives, span }))
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
