//! The names that each input declares for its whole module: what they stand for, who may see them, who defines them.

use super::walk::{Role, Visitor, walk};
use crate::ast::{self, FunctionKind, Item};
use crate::check::state::Linkage;
use crate::module::{Function, Variable};
use crate::provided::provided;
use crate::source::Span;
use smol_str::SmolStr;
use std::collections::{BTreeMap, HashMap};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Kernel,
    Function,
    Variable,
    /// Registers of a whole module, before PTX 3.0.
    Register,
}

impl Kind {
    /// What it is, with its article.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Kernel => "a kernel",
            Kind::Function => "a device function",
            Kind::Variable => "a variable",
            Kind::Register => "a register",
        }
    }
}

/// How much a definition insists on being the one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Strength {
    Common,
    Weak,
    Strong,
}

/// Where a name gets its meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    /// The item with the body, the variable, or the declaration of an alias.
    pub item: usize,
    pub strength: Strength,
    /// The `.alias` that defines it.
    pub alias: Option<usize>,
}

/// One name of one input.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub kind: Kind,
    /// Whether no other module sees it.
    pub private: bool,
    /// Where it is declared first, and the item.
    pub span: Span,
    pub item: usize,
    /// What its declarations say of its linkage, `.extern` aside.
    pub word: Option<ast::Word>,
    pub definition: Option<Definition>,
    /// Where it is used first.
    pub used: Option<Span>,
    /// How many registers a range has.
    pub count: Option<u32>,
    /// Whether the device's runtime has it.
    pub provided: bool,
}

/// The names of one input, and what checking found out about them.
pub(super) struct Names<'u> {
    pub all: BTreeMap<SmolStr, Declared>,
    functions: HashMap<&'u str, &'u Function>,
    variables: HashMap<&'u str, &'u Variable>,
}

impl<'u> Names<'u> {
    /// The function called so, as checking found it.
    pub fn function(&self, name: &str) -> Option<&'u Function> {
        self.functions.get(name).copied()
    }

    /// The variable called so, as checking found it.
    pub fn variable(&self, name: &str) -> Option<&'u Variable> {
        self.variables.get(name).copied()
    }

    /// A name that other modules see.
    pub fn shared(&self, name: &str) -> Option<&Declared> {
        self.all.get(name).filter(|declared| !declared.private)
    }
}

/// Finds the names of an input. The items are not changed.
pub(super) fn names<'u>(items: &mut [Item], module: &'u crate::module::Module) -> Names<'u> {
    let functions = module.functions().iter().map(|f| (f.name.as_str(), f)).collect();
    let outside = module.variables().iter().filter(|v| v.owner.is_none());
    let variables = outside.map(|v| (v.name.as_str(), v)).collect();
    let mut names = Names { all: BTreeMap::new(), functions, variables };
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Function(function) => names.declare_function(index, function),
            Item::Variable(variable) => names.declare_variable(index, variable),
            _ => {}
        }
    }
    for (index, item) in items.iter().enumerate() {
        if let Item::Alias(alias) = item
            && let Some(declared) = names.all.get_mut(&alias.name.text)
        {
            declared.definition =
                Some(Definition { item: declared.item, strength: Strength::Strong, alias: Some(index) });
        }
    }
    for item in items {
        walk(item, &mut Uses { names: &mut names.all });
    }
    names
}

impl Names<'_> {
    fn declare_function(&mut self, index: usize, function: &ast::Function) {
        let kind = if function.kind == FunctionKind::Entry { Kind::Kernel } else { Kind::Function };
        let provided = self.functions.get(function.name.text.as_str()).is_some_and(|f| provided(f).is_some());
        let declared = self.declared(&function.name, kind, function.linkage.as_ref(), index);
        declared.provided = provided;
        if function.body.is_some() {
            // The first declaration may say what the definition leaves out.
            let strength = strength(Linkage::of(declared.word.as_ref()));
            declared.definition = Some(Definition { item: index, strength, alias: None });
        }
    }

    fn declare_variable(&mut self, index: usize, variable: &ast::Variable) {
        let Some(declarator) = variable.names.first() else { return };
        let kind = if variable.space.text == "reg" { Kind::Register } else { Kind::Variable };
        let linkage = Linkage::of(variable.linkage.as_ref());
        let declared = self.declared(&declarator.name, kind, variable.linkage.as_ref(), index);
        declared.count = declarator.count.as_ref().map(|count| count.value.min(u64::from(u32::MAX)) as u32);
        if linkage != Linkage::Extern {
            let strength = match linkage {
                // With a value it is like any other definition.
                Linkage::Common if declarator.initializer.is_some() => Strength::Strong,
                other => strength(other),
            };
            declared.definition = Some(Definition { item: index, strength, alias: None });
        }
    }

    /// The name, declared now if it was not before. A word in any declaration of it shows it to other modules.
    fn declared(
        &mut self,
        name: &ast::Name,
        kind: Kind,
        word: Option<&ast::Word>,
        item: usize,
    ) -> &mut Declared {
        let declared = self.all.entry(name.text.clone()).or_insert(Declared {
            kind,
            private: true,
            span: name.span,
            item,
            word: None,
            definition: None,
            used: None,
            count: None,
            provided: false,
        });
        declared.private &= word.is_none();
        if Linkage::of(word) != Linkage::Extern && declared.word.is_none() {
            declared.word = word.cloned();
        }
        declared
    }
}

fn strength(linkage: Linkage) -> Strength {
    match linkage {
        Linkage::Weak => Strength::Weak,
        Linkage::Common => Strength::Common,
        Linkage::Own | Linkage::Extern | Linkage::Visible => Strength::Strong,
    }
}

/// Notes where each name is used first.
struct Uses<'n> {
    names: &'n mut BTreeMap<SmolStr, Declared>,
}

impl Visitor for Uses<'_> {
    fn name(&mut self, role: Role, name: &mut ast::Name) {
        if role == Role::Used
            && let Some(declared) = self.names.get_mut(&name.text)
        {
            declared.used.get_or_insert(name.span);
        }
    }
}
