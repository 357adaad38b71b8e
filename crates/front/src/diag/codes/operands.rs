//! P4xx: operands and types.

use super::{Code, Entry};

/// A register of the wrong type.
pub const REGISTER_TYPE: Code = Code::new(&Entry {
    code: "P401",
    title: "register of the wrong type",
    explanation: "A register must have the size of the operand. Signed, unsigned and untyped integers of one \
                  size can be mixed, an untyped operand also takes floating-point registers, and an untyped \
                  register is allowed everywhere; integer and floating-point registers cannot be mixed. \
                  Operands of two or four packed integers take untyped registers only. Only loads, stores \
                  and conversions take wider registers.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; add.u32 %r0, %r1, %rd1; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; cvt.u32.u64 %r2, %rd1; add.u32 %r0, %r1, %r2; }\n",
});

/// A constant where a register must stand.
pub const NO_CONSTANT: Code = Code::new(&Entry {
    code: "P402",
    title: "constant not allowed",
    explanation: "This operand must be a register. Move the constant into a register first.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<4>; vadd4.u32.u32.u32 %r0, %r1, 5, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<4>; mov.b32 %r3, 5; vadd4.u32.u32.u32 %r0, %r1, %r3, %r2; }\n",
});

/// A constant outside its range.
pub const OUT_OF_RANGE: Code = Code::new(&Entry {
    code: "P403",
    title: "constant out of range",
    explanation: "Some operands and directives only take constants in a small range, such as bit positions \
                  from 0 to 255.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; bfe.u32 %r0, %r1, 300, 4; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; bfe.u32 %r0, %r1, 30, 4; }\n",
});

/// A constant that loses bits.
pub const TRUNCATED: Code = Code::new(&Entry {
    code: "P404",
    title: "constant does not fit",
    explanation: "The constant has more bits than the operand; only its low bits are used, as in other PTX \
                  assemblers. That is legal, but seldom intended.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u16 %h<4>; add.u16 %h0, %h1, 65537; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u16 %h<4>; add.u16 %h0, %h1, 1; }\n",
});

/// A special register where none may stand.
pub const SPECIAL: Code = Code::new(&Entry {
    code: "P405",
    title: "special register not allowed",
    explanation: "Special registers such as `%tid.x` can only be read with `mov`. Those with three \
                  dimensions need `.x`, `.y` or `.z` after the name.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %tid.x; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; mov.u32 %r2, %tid.x; add.u32 %r0, %r1, %r2; }\n",
});

/// A destination that cannot be written.
pub const DESTINATION: Code = Code::new(&Entry {
    code: "P406",
    title: "destination is not a register",
    explanation: "An instruction writes its result to a register; a constant cannot be written to.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 5, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// A discarded result where one must be taken.
pub const SINK: Code = Code::new(&Entry {
    code: "P407",
    title: "result cannot be discarded",
    explanation: "`_` discards a result, and only a few instructions allow it, such as the second result of \
                  `setp`. Give the result a register.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 _, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// An address that cannot be one.
pub const ADDRESS_BASE: Code = Code::new(&Entry {
    code: "P408",
    title: "not an address",
    explanation: "An address is an integer register of 32 or 64 bits or a variable, plus constants; in \
                  `.local` it may be a constant. Registers cannot be added inside the brackets.",
    bad: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .f32 %f<2>; ld.global.u32 %r0, [%f1]; }\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.u32 %r0, [%rd1]; }\n",
});

/// A variable in another state space.
pub const SPACE: Code = Code::new(&Entry {
    code: "P409",
    title: "variable in the wrong state space",
    explanation: "A load or store names the state space it accesses, and the variable is declared in a \
                  different one.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() { .reg .u32 %r<4>; ld.shared.u32 %r0, [x]; }\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() { .reg .u32 %r<4>; ld.global.u32 %r0, [x]; }\n",
});

/// A vector that does not fit.
pub const VECTOR: Code = Code::new(&Entry {
    code: "P410",
    title: "wrong vector",
    explanation: "Braces hold the elements of a vector access, as many as `.v2`, `.v4` or `.v8` says, or the \
                  parts that `mov` packs and unpacks. They are not used elsewhere.",
    bad: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.v4.u32 {%r0, %r1}, [%rd1]; }\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.v2.u32 {%r0, %r1}, [%rd1]; }\n",
});

/// A guard that is no predicate.
pub const GUARD: Code = Code::new(&Entry {
    code: "P411",
    title: "guard is not a predicate",
    explanation: "`@p` before an instruction needs a predicate register, declared `.pred`.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; @%r1 add.u32 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; .reg .pred %p<2>; @%p1 add.u32 %r0, %r1, %r2; }\n",
});

/// A constant of the wrong kind.
pub const CONSTANT_KIND: Code = Code::new(&Entry {
    code: "P412",
    title: "constant of the wrong kind",
    explanation: "Integer constants cannot be used as floating-point constants or the other way round, and \
                  operators do not mix them. A floating-point operand takes `1.0`, `0f3f800000` (32 bits) or \
                  `0d3ff0000000000000` (64 bits); there are no half-precision constants.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, 1.5; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, 1; }\n",
});

/// A constant divided by zero.
pub const DIVISION: Code = Code::new(&Entry {
    code: "P413",
    title: "division by zero",
    explanation: "A constant expression divides by zero, or takes a remainder by zero; the result is \
                  undefined.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, 8 / (2 - 2); }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, 8 / 2; }\n",
});

/// A type that cannot be declared.
pub const BAD_TYPE: Code = Code::new(&Entry {
    code: "P414",
    title: "type not allowed here",
    explanation: "Registers and variables can only have the fundamental types: `.u8` to `.u64`, `.s8` to \
                  `.s64`, `.b8` to `.b128`, `.f16`, `.f16x2`, `.f32`, `.f64`, and registers `.pred`. Types \
                  of packed or narrower values exist in instructions only.",
    bad: ".version 8.0\n.target sm_80\n.global .u16x2 x;\n",
    good: ".version 8.0\n.target sm_80\n.global .b32 x;\n",
});

/// An alignment that is no power of two.
pub const ALIGNMENT: Code = Code::new(&Entry {
    code: "P415",
    title: "not a power of two",
    explanation: "An alignment is a number of bytes and must be a power of two: 1, 2, 4, 8, 16 and so on.",
    bad: ".version 8.0\n.target sm_80\n.global .align 3 .u32 x;\n",
    good: ".version 8.0\n.target sm_80\n.global .align 4 .u32 x;\n",
});

/// A size that cannot be.
pub const SIZE: Code = Code::new(&Entry {
    code: "P416",
    title: "wrong size",
    explanation: "An array needs at least one element. Only its first dimension may be left empty, and only \
                  if initial values or another module (`.extern`) determine it. A vector has at most 32 \
                  bytes, all constants together at most 65,536, and a variable fewer than 2^63.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 x[0];\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x[1];\n",
});

/// An initial value that cannot be.
pub const INITIAL: Code = Code::new(&Entry {
    code: "P417",
    title: "wrong initial value",
    explanation: "Variables in `.global` and `.const` can have initial values: constants of their type, at \
                  most as many as there are elements, or addresses of variables and functions, plus \
                  constants.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 x[2] = {1, 2, 3};\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x[3] = {1, 2, 3};\n",
});

/// An operand of the wrong sort.
pub const WRONG_OPERAND: Code = Code::new(&Entry {
    code: "P418",
    title: "wrong kind of operand",
    explanation: "Parentheses enclose the arguments and results of calls; an index in brackets must be a \
                  constant.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, (%r1), %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// A kernel that is declared like a device function.
pub const ENTRY: Code = Code::new(&Entry {
    code: "P419",
    title: "kernels and device functions mixed up",
    explanation: "A kernel has no results, and its parameters are in `.param`: they come from the launch. \
                  Results go to memory. Directives on the shape of a CTA, and pragmas before the body, are \
                  for kernels, not for device functions.",
    bad: ".version 8.0\n.target sm_80\n.entry k(.reg .u32 x) { ret; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k(.param .u32 x) { ret; }\n",
});

/// More parameters than fit.
pub const PARAMETER_SPACE: Code = Code::new(&Entry {
    code: "P420",
    title: "too many parameters",
    explanation: "The parameters of a kernel can take up to 4352 bytes, or 32764 with PTX 8.1 and `sm_70` or \
                  higher.",
    bad: ".version 8.0\n.target sm_80\n.entry k(.param .b8 x[5000]) { ret; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k(.param .b8 x[4000]) { ret; }\n",
});

/// A directive's value that is none.
pub const DIRECTIVE_VALUE: Code = Code::new(&Entry {
    code: "P421",
    title: "wrong value for a directive",
    explanation: "Directives between a function's parameters and its body take numbers: `.maxntid` and \
                  `.reqntid` one to three, `.minnctapersm` and `.maxnreg` one, `.noreturn` none.",
    bad: ".version 8.0\n.target sm_80\n.entry k() .maxnreg 16, 17 { ret; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() .maxnreg 16 { ret; }\n",
});

/// A register where a constant must stand.
pub const CONSTANT_WANTED: Code = Code::new(&Entry {
    code: "P422",
    title: "constant expected",
    explanation: "This operand is part of the instruction itself, such as the table of `lop3`: it must be \
                  known when the file is read, so it cannot be a register.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<6>; lop3.b32 %r0, %r1, %r2, %r3, %r4; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<6>; lop3.b32 %r0, %r1, %r2, %r3, 0x96; }\n",
});

/// A call that does not agree with its function.
pub const CALL: Code = Code::new(&Entry {
    code: "P423",
    title: "call does not match the function",
    explanation: "A call must pass as many arguments, and take as many results, as the function declares, \
                  each of the same type, or of untyped bits of its size. Structures are passed by value as arrays of \
                  the same size and alignment.",
    bad: ".version 8.0\n.target sm_80\n.func f(.param .b32 a) { ret; }\n.entry k() { .param .b64 x; call f, (x); ret; }\n",
    good: ".version 8.0\n.target sm_80\n.func f(.param .b32 a) { ret; }\n.entry k() { .param .b32 x; call f, (x); ret; }\n",
});

/// A parameter that no function can have.
pub const PARAMETER: Code = Code::new(&Entry {
    code: "P424",
    title: "invalid parameter",
    explanation: "Parameters of kernels must be in `.param`, those of functions in `.param` or `.reg`, each with a name. A \
                  parameter in `.param` is one value or an array, not a vector, and a function has at most one result there.",
    bad: ".version 8.0\n.target sm_80\n.entry k(.param .v2 .f32 a) { ret; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k(.param .align 8 .f32 a[2]) { ret; }\n",
});

/// A pragma that cannot stand as it is.
pub const PRAGMA: Code = Code::new(&Entry {
    code: "P425",
    title: "invalid pragma",
    explanation: "Unknown pragmas in functions are ignored. Known ones need something after their name: `frequency` a whole \
                  number, `used_bytes_mask` a mask. A module can only have `nounroll`.",
    bad: ".version 9.0\n.target sm_90\n.entry k() { .pragma \"frequency often\"; ret; }\n",
    good: ".version 9.0\n.target sm_90\n.entry k() { .pragma \"frequency 10\"; ret; }\n",
});

/// A variable that no device has room for.
pub const NO_ROOM: Code = Code::new(&Entry {
    code: "P430",
    title: "no device has so much memory",
    explanation: "The size is legal, so the assembler says nothing, but a launch that uses it fails: a thread has at \
                  most 512 KiB of local memory, a block 227 KiB of shared memory (CUDA's table of technical \
                  specifications per compute capability), and global addresses have 49 bits, as unified memory \
                  describes them. Often a factor is there twice, or the variable belongs in another state space.",
    bad: ".version 8.0\n.target sm_80\n.shared .b8 tile[1048576];\n",
    good: ".version 8.0\n.target sm_80\n.global .b8 tile[1048576];\n",
});

pub(super) const TABLE: &[Code] = &[
    REGISTER_TYPE,
    NO_CONSTANT,
    OUT_OF_RANGE,
    TRUNCATED,
    SPECIAL,
    DESTINATION,
    SINK,
    ADDRESS_BASE,
    SPACE,
    VECTOR,
    GUARD,
    CONSTANT_KIND,
    DIVISION,
    BAD_TYPE,
    ALIGNMENT,
    SIZE,
    INITIAL,
    WRONG_OPERAND,
    ENTRY,
    PARAMETER_SPACE,
    DIRECTIVE_VALUE,
    CONSTANT_WANTED,
    CALL,
    PARAMETER,
    PRAGMA,
    NO_ROOM,
];
