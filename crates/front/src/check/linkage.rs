//! Linkage: what `.extern`, `.visible`, `.weak` and `.common` promise, and whether it is kept (manual, section 11.6).

use super::Checker;
use super::state::Linkage;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::module::FunctionId;
use crate::provided::provided;
use margay_isa::Floor;

impl Checker {
    /// Whether the version has the word.
    pub(super) fn linkage_since(&mut self, word: &ast::Word) {
        let since = match Linkage::of(Some(word)) {
            Linkage::Weak => Floor::new(3, 1, 10),
            Linkage::Common => Floor::new(5, 0, 10),
            Linkage::Own | Linkage::Extern | Linkage::Visible => return,
        };
        self.need(&format!(".{}", word.text), since, word.span);
    }

    /// `.extern` says that another module has the body.
    pub(super) fn linked(&mut self, id: FunctionId, ast: &ast::Function) {
        if let Some(word) = &ast.linkage {
            self.linkage_since(word);
        }
        let Some(word) = ast.linkage.as_ref().filter(|word| word.text == "extern" && ast.body.is_some())
        else {
            return;
        };
        if self.linkages.get(&id) != Some(&Linkage::Extern) {
            return;
        }
        let message = format!("`.extern` function `{}` cannot have a body", ast.name.text);
        let diagnostic = Diagnostic::error(codes::DISAGREE, message);
        let diagnostic = diagnostic.label(word.span, "says that another module defines it");
        self.report(diagnostic.help("write `.visible`, or remove the body"));
    }

    /// A later declaration of a function says the same of its linkage, or nothing where others may see it.
    pub(super) fn agree_in_linkage(&mut self, id: FunctionId, ast: &ast::Function) {
        let first = self.linkages.get(&id).copied().unwrap_or(Linkage::Own);
        let later = Linkage::of(ast.linkage.as_ref());
        if first.allows(later) {
            return;
        }
        let message = format!("`{}` does not match its earlier declaration", ast.name.text);
        let label = format!("this says {}", later.describe());
        let span = ast.linkage.as_ref().map_or(ast.name.span, |word| word.span);
        let diagnostic = Diagnostic::error(codes::DISAGREE, message).label(span, label);
        let before = self.functions[id.0 as usize].span;
        let diagnostic = diagnostic.label(before, format!("declared before with {}", first.describe()));
        self.report(diagnostic.help("write the same linkage in both places"));
    }

    /// A function that is not `.extern` has a body, an alias, or the device's runtime behind it.
    pub(super) fn missing_definitions(&mut self) {
        let has = |id: &FunctionId| {
            let function = &self.functions[id.0 as usize];
            function.is_defined || function.alias.is_some() || provided(function).is_some()
        };
        let own = self.linkages.iter().filter(|(_, linkage)| **linkage != Linkage::Extern);
        let missing: Vec<_> = own.map(|(id, _)| *id).filter(|id| !has(id)).collect();
        for id in missing {
            let function = &self.functions[id.0 as usize];
            let message = format!("function `{}` is declared, but has no body", function.name);
            let diagnostic = Diagnostic::error(codes::NO_DEFINITION, message);
            let diagnostic = diagnostic.label(function.span, "no definition follows");
            self.report(diagnostic.help("add a body, or write `.extern` if another module defines it"));
        }
    }

    /// Another module may have another function of this name, which the alias would not know of.
    pub(super) fn weak_alias(&mut self, target: FunctionId, name: &ast::Name) {
        if self.linkages.get(&target) != Some(&Linkage::Weak) {
            return;
        }
        let message = format!("`.weak` function `{}` has an alias", name.text);
        let diagnostic = Diagnostic::error(codes::DISAGREE, message);
        let diagnostic = diagnostic.label(name.span, "another module may replace it");
        self.report(diagnostic.help("write `.visible` where it is declared"));
    }

    /// Variables of a function are its own; `.common` is for global memory.
    pub(super) fn variable_linkage(&mut self, variable: &ast::Variable) {
        let Some(word) = &variable.linkage else { return };
        self.linkage_since(word);
        if self.body.function.is_some() {
            let message = format!("`.{}` variable inside a function", word.text);
            let diagnostic = Diagnostic::error(codes::MISPLACED, message);
            let diagnostic = diagnostic.label(word.span, "no other module can see it");
            self.report(diagnostic.help("declare it outside of functions, or remove the word"));
        } else if Linkage::of(Some(word)) == Linkage::Common && variable.space.text != "global" {
            let message = format!("`.common` variable in `.{}`", variable.space.text);
            let label = "such variables must be in `.global`";
            self.error(codes::BAD_SPACE, word.span, message, label);
        }
    }
}
