//! A valid module: names resolved, types known, every instruction a page with its words and typed operands.
//!
//! Only the checker makes a [`Module`], and only from a text without an error, so that whoever holds one need not
//! expect a missing name, a wrong size or an unknown word. Places in the text are kept apart: an instruction is known by
//! its index, and [`Function::spans`] maps it back.

mod origin;

pub(crate) use origin::LocationsMaker;
pub use origin::{Location, Locations, Origin, SourceLine};

use crate::source::Span;
use margay_isa::{Bits, Handle, Inst, Ty, Version, special::Special};
use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

/// Index of a variable in [`Module::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// Index of a function in [`Module::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// Index of a register in [`Function::registers`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RegisterId(pub u32);

/// Index of an instruction in [`Function::code`]. The length of the code stands for the function's end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct InstructionId(pub u32);

/// A whole PTX module.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) version: Version,
    pub(crate) target: margay_isa::Target,
    pub(crate) address_size: u32,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    /// Names by their number.
    pub(crate) files: BTreeMap<u32, String>,
}

impl Module {
    /// The `.version`.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The `.target` architecture.
    pub fn target(&self) -> margay_isa::Target {
        self.target
    }

    /// Bits of an address: 32 or 64.
    pub fn address_size(&self) -> u32 {
        self.address_size
    }

    /// Every variable, module scope and function scope alike.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Every function, kernels and device functions alike.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// One variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// One function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The kernels, in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|f| f.is_entry)
    }

    /// The kernel called `name`.
    pub fn entry(&self, name: &str) -> Option<FunctionId> {
        let found = self.functions.iter().position(|f| f.is_entry && f.name == name)?;
        Some(FunctionId(found as u32))
    }

    /// The module-scope variable called `name`.
    pub fn global(&self, name: &str) -> Option<VariableId> {
        let found = self.variables.iter().position(|v| v.owner.is_none() && v.name == name)?;
        Some(VariableId(found as u32))
    }

    /// The file of a number (`.file`).
    pub fn file(&self, number: u32) -> Option<&str> {
        self.files.get(&number).map(String::as_str)
    }

    /// The source line that an instruction was compiled from (`.loc`), and where that was inlined. None where the module
    /// does not tell: no `.loc` comes before the instruction, it has line 0, or its file has no name.
    ///
    /// ```
    /// use margay_front::module::{FunctionId, InstructionId};
    /// let text = "
    /// .version 8.0
    /// .target sm_80
    /// .entry k() { .loc 1 30 9
    ///     bar.sync 0; .loc 2 7 5, inlined_at 1 30 9
    ///     trap; }
    /// .file 1 \"sum.cu\"
    /// .file 2 \"/usr/include/warp.cuh\"";
    /// let module = margay_front::compile(text).unwrap();
    /// let origin = module.origin(FunctionId(0), InstructionId(1)).unwrap();
    /// assert_eq!((origin.line.file, origin.line.line, origin.line.column), ("/usr/include/warp.cuh", 7, 5));
    /// assert_eq!(origin.to_string(), "/usr/include/warp.cuh:7, inlined at sum.cu:30");
    /// ```
    pub fn origin(&self, function: FunctionId, instruction: InstructionId) -> Option<Origin<'_>> {
        let locations = &self.functions.get(function.0 as usize)?.locations;
        let places = iter::successors(locations.at(instruction), |place| locations.caller(place));
        let mut lines = places
            .take(Origin::MAX_CALLERS + 1)
            .filter(|place| place.line > 0)
            .filter_map(|p| Some(SourceLine { file: self.file(p.file)?, line: p.line, column: p.column }));
        Some(Origin { line: lines.next()?, inlined_at: lines.collect() })
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Global memory.
    Global,
    /// Constant memory.
    Const,
    /// Shared memory of the CTA.
    Shared,
    /// Memory of one thread.
    Local,
    /// Parameters: of the function, or of a call (declared in a body).
    Param,
}

/// A variable in memory.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// The function whose body declares it; `None` at module scope.
    pub owner: Option<FunctionId>,
    /// Type of one element.
    pub element: Ty,
    /// What it refers to, if it is of an opaque type.
    pub handle: Option<Handle>,
    /// Elements of the declared vector type (1, 2, 4 or 8).
    pub vector: u32,
    /// Array dimensions, outermost first; empty for a scalar. An unsized dimension is 0.
    pub dimensions: Vec<u64>,
    /// Bytes; 0 if the size is not known here (`.extern .shared x[]`).
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// Declared `.extern`: defined elsewhere, or dynamic shared memory.
    pub is_extern: bool,
    /// Declared to be one for the host and the device.
    pub is_managed: bool,
    /// Declared so that other modules see it.
    pub is_visible: bool,
    /// Initial bytes; shorter than `size` where the rest is zero.
    pub initial: Vec<u8>,
    /// Addresses to be put into the initial bytes.
    pub addresses: Vec<AddressInitial>,
    /// Where it is declared.
    pub span: Span,
}

/// An address inside a variable's initial bytes.
#[derive(Clone, Debug)]
pub struct AddressInitial {
    /// Byte at which it begins.
    pub at: u64,
    /// Bytes that it fills.
    pub bytes: u32,
    /// What is pointed to.
    pub target: Symbol,
    /// Bytes added to it.
    pub addend: i64,
    /// Whether the generic address is wanted, not the one in the variable's own space.
    pub generic: bool,
    /// How far the address is shifted right before its low `bytes` are stored (`0xff00(x)`: 8).
    pub shift: u32,
}

/// A variable or a function, by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A variable.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
}

/// A parameter or result of a function, at its place in the parameter block.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The variable that instructions name; `None` for a parameter in a register.
    pub variable: Option<VariableId>,
    /// The register, for `.reg` parameters of device functions that have a body.
    pub register: Option<RegisterId>,
    /// Whether it is passed in a register (`.reg`), not in memory.
    pub in_register: bool,
    /// Type of one element.
    pub element: Ty,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Bytes from the start of the parameter block, C layout.
    pub offset: u64,
    /// Whether it is an array (a struct by value, as compilers write it).
    pub is_array: bool,
    /// `.ptr`: the space it points to, where told, and the alignment of what it points to.
    pub pointer: Option<(Option<Space>, u64)>,
}

/// Limits and wishes from the directives between a function's parameters and its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Performance {
    /// `.maxntid`: greatest CTA shape.
    pub maxntid: Option<[u32; 3]>,
    /// `.reqntid`: required CTA shape.
    pub reqntid: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub minnctapersm: Option<u32>,
    /// `.maxnreg`.
    pub maxnreg: Option<u32>,
    /// `.noreturn`.
    pub noreturn: bool,
    /// `.reqnctapercluster`: required shape of clusters.
    pub reqnctapercluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: the most CTAs of a cluster.
    pub maxclusterrank: Option<u32>,
    /// `.explicitcluster`: a launch must say the shape of clusters.
    pub explicitcluster: bool,
}

/// A kernel or a device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub is_entry: bool,
    /// Whether it has a body; a declaration has none.
    pub is_defined: bool,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Results in order.
    pub returns: Vec<Parameter>,
    /// Bytes of the parameter block.
    pub parameter_bytes: u64,
    /// Directives.
    pub performance: Performance,
    /// Registers of all its scopes.
    pub registers: Vec<Register>,
    /// The instructions, blocks flattened, labels resolved.
    pub code: Vec<Instruction>,
    /// Where each instruction stands.
    pub spans: Vec<Span>,
    /// The places in the source that `.loc` gives; [`Module::origin`] names them.
    pub locations: Locations,
    /// Names of labels and the instruction they stand before, in order of place.
    pub labels: Vec<(String, InstructionId)>,
    /// The `.callprototype`s of its body.
    pub prototypes: Vec<Prototype>,
    /// The function that it is another name for (`.alias`).
    pub alias: Option<FunctionId>,
    /// Where the name stands.
    pub span: Span,
}

/// What a function that is called by its address takes and gives (`.callprototype`).
#[derive(Clone, Debug, Default)]
pub struct Prototype {
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Results in order.
    pub returns: Vec<Parameter>,
}

/// A register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Its name, such as `%r7`.
    pub name: String,
    /// Its declared type.
    pub ty: Ty,
    /// Whether it is declared outside of functions: a thread has one for all functions that it runs.
    pub shared: bool,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Its opcode and words; instructions of the same words share it.
    pub inst: Arc<Inst>,
    /// Its operands in order; selectors and signs are part of `inst`.
    pub operands: Box<[Operand]>,
}

/// The predicate before an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate register.
    pub register: RegisterId,
    /// Whether the instruction runs where the predicate is false.
    pub negated: bool,
}

/// A typed operand.
#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// A constant, cut to the operand's width.
    Immediate(Constant),
    /// A special register.
    Special(Special),
    /// The address of a variable or function, plus bytes.
    Symbol(Symbol, i64),
    /// A place in memory.
    Address(Address),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `d|p`.
    Pair(Box<Operand>, Box<Operand>),
    /// A label of the function.
    Label(InstructionId),
    /// A prototype, by its place in [`Function::prototypes`].
    Prototype(u32),
    /// `_`.
    Sink,
}

/// The bits of a constant, at least 64 of them 0 but where an operand has 128: two halves, which take less room in an operand than
/// one number of 128 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Constant([u64; 2]);

impl Constant {
    /// All bits.
    ///
    /// ```
    /// use margay_front::module::Constant;
    /// assert_eq!(Constant::from(7).bits(), 7);
    /// assert_eq!(Constant::from(u128::MAX).bits(), u128::MAX);
    /// ```
    pub fn bits(self) -> Bits {
        Bits::from(self.0[0]) | Bits::from(self.0[1]) << 64
    }
}

impl From<Bits> for Constant {
    fn from(bits: Bits) -> Constant {
        Constant([bits as u64, (bits >> 64) as u64])
    }
}

impl std::fmt::Debug for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bits().fmt(f)
    }
}

/// A place in memory: a base and bytes added to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// What it begins with.
    pub base: Base,
    /// Bytes added.
    pub offset: i64,
}

/// What an address begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A register's value.
    Register(RegisterId),
    /// A variable.
    Variable(VariableId),
    /// Nothing: the offset is the address.
    Absolute,
}
