//! What checking keeps of a module and of the function at hand.

use crate::ast;
use crate::diag::Code;
use crate::module::{FunctionId, Instruction, LocationsMaker, Operand, Prototype, Register, VariableId};
use crate::source::Span;
use margay_isa::{Inst, Suffix, Target, Version};
use smol_str::SmolStr;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What the module is judged for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Environment {
    pub version: Version,
    pub target: Target,
    pub address_size: u32,
    /// Whether versions and targets are held against anything; not where the module's own are unknown.
    pub judged: bool,
    /// Whether addresses in global memory and generic ones may have 32 bits; of a lone instruction's module nobody knows.
    pub short_addresses: bool,
    /// Whether textures and samplers are told apart (`texmode_independent`).
    pub independent_textures: bool,
}

impl Default for Environment {
    fn default() -> Environment {
        let target = Target { number: 120, suffix: Suffix::Architecture };
        Environment {
            version: Version::NEWEST,
            target,
            address_size: 64,
            judged: true,
            short_addresses: true,
            independent_textures: false,
        }
    }
}

/// The state of the function that is being checked.
#[derive(Default)]
pub(crate) struct Body {
    pub function: Option<FunctionId>,
    pub registers: Vec<Register>,
    pub code: Vec<Instruction>,
    pub spans: Vec<Span>,
    pub locations: LocationsMaker,
    /// Labels by number: the name, and the instruction it stands before.
    pub labels: Vec<(SmolStr, u32)>,
    /// Labels of all its blocks, for hints where one is out of reach.
    pub(super) all_labels: HashMap<SmolStr, Span>,
    /// Names that its outermost block declares, with how many of a range, for hints where one is used before.
    pub(super) declared: HashMap<SmolStr, (Option<u64>, Span)>,
    /// Lists of targets by number.
    pub lists: Vec<Vec<Operand>>,
    pub prototypes: Vec<Prototype>,
    /// Variables of the function's own parameters and results.
    pub passed: Vec<VariableId>,
}

/// What the word before a declaration says of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    /// No word: the name is the module's own.
    Own,
    /// `.extern`: another module has it.
    Extern,
    /// `.visible`: other modules see it.
    Visible,
    /// `.weak`: other modules see it, and may have another.
    Weak,
    /// `.common`: the same as in other modules, and of the greatest size there.
    Common,
}

impl Linkage {
    pub(crate) fn of(word: Option<&ast::Word>) -> Linkage {
        match word.map(|word| word.text.as_str()) {
            Some("extern") => Linkage::Extern,
            Some("visible") => Linkage::Visible,
            Some("weak") => Linkage::Weak,
            Some("common") => Linkage::Common,
            _ => Linkage::Own,
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Linkage::Own => "unknown modifier",
            Linkage::Extern => "`.extern`",
            Linkage::Visible => "`.visible`",
            Linkage::Weak => "`.weak`",
            Linkage::Common => "`.common`",
        }
    }

    /// Whether a later declaration of a function may say this after the first one.
    pub(super) fn allows(self, later: Linkage) -> bool {
        self == later || (later == Linkage::Own && matches!(self, Linkage::Visible | Linkage::Weak))
    }
}

/// Forms that are not run, by their words.
pub(crate) type Unrun = BTreeMap<String, Found>;

/// Where a form stands first, and how often it stands in the module.
pub(crate) struct Found {
    pub(super) code: Code,
    pub(super) section: &'static str,
    pub(super) first: Span,
    pub(super) count: usize,
}

/// Forms by what spells them: opcode, words, and the shapes of operands. Version and target have them, and nothing is to be said of them.
#[derive(Default)]
pub(super) struct Forms {
    pub(super) known: foldhash::HashMap<Box<[u8]>, Form>,
    /// Room for a spelling.
    pub(super) spelling: Vec<u8>,
}

pub(super) struct Form {
    pub(super) inst: Arc<Inst>,
    /// How many of its words are parts of the opcode: no blank may part these.
    pub(super) in_name: usize,
}

impl Forms {
    /// Forgets all forms, for another version or target.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }
}
