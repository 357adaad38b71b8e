//! P7xx: modules that are linked. The examples hold several files, each after a line `//// NAME`.

use super::{Code, Entry};

/// A name that no input defines.
pub const LINK_UNDEFINED: Code = Code::new(&Entry {
    code: "P701",
    title: "undefined name",
    explanation: "An `.extern` declaration says that another module defines the name, and none of the modules that are \
                  linked does so. What is declared without `.visible`, `.weak` or `.common` is seen in its own \
                  module only. A function that is declared but never used need not be defined, nor need shared memory \
                  without a size, which each launch gives.",
    bad: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n.visible .entry k() { call f; ret; }\n\
          //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func g() { ret; }\n",
    good: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n.visible .entry k() { call f; ret; }\n\
           //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n",
});

/// A name that two inputs define.
pub const LINK_DUPLICATE: Code = Code::new(&Entry {
    code: "P702",
    title: "defined in two inputs",
    explanation: "Two of the modules that are linked define the same name for others to see. Only one definition may be \
                  without `.weak` or `.common`; then it is the one that counts.",
    bad: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n\
          //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n",
    good: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.weak .func f() { ret; }\n\
           //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n",
});

/// Declarations in two inputs that differ.
pub const LINK_MISMATCH: Code = Code::new(&Entry {
    code: "P703",
    title: "declarations in two inputs differ",
    explanation: "Modules that are linked must declare a function with the same parameters and results, and a variable in \
                  the same state space and with the same size. Integers of one width are alike, and so are variables of \
                  one size whatever their types; `[]` goes with any size, and the greatest of several `.common` \
                  variables counts.",
    bad: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .global .u32 x;\n\
          //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u64 x;\n",
    good: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.extern .global .u64 x;\n\
           //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u64 x;\n",
});

/// A name that stands for different things.
pub const LINK_KIND: Code = Code::new(&Entry {
    code: "P704",
    title: "not the same in all inputs",
    explanation: "One of the modules that are linked declares the name as a kernel, a device function or a variable, and \
                  another one as something else.",
    bad: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n\
          //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 f;\n",
    good: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .func f() { ret; }\n\
           //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 x;\n",
});

/// Inputs that cannot be one module.
pub const LINK_TARGET: Code = Code::new(&Entry {
    code: "P705",
    title: "modules do not go together",
    explanation: "What is linked is one module: it has the highest `.version` and the highest `.target`, which every input \
                  must be fit for. A target with `a` goes with that device only, one with `f` with its family. \
                  Addresses have the same size everywhere, and options of `.target` that change what instructions \
                  mean are the same everywhere.",
    bad: "//// a.ptx\n.version 8.6\n.target sm_90a\n//// b.ptx\n.version 8.6\n.target sm_100\n",
    good: "//// a.ptx\n.version 8.6\n.target sm_90\n//// b.ptx\n.version 8.6\n.target sm_100\n",
});

/// A kernel that gets another name.
pub const LINK_RENAMED: Code = Code::new(&Entry {
    code: "P706",
    title: "kernel is renamed",
    explanation: "Two of the modules that are linked have a kernel of this name, and this one is not `.visible`: it is \
                  private to its module. The result holds both, this one under another name, by which a launch finds \
                  it. Device functions and variables that are private are renamed without a word.",
    bad: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n\
          //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n",
    good: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n\
           //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.entry k2() { ret; }\n",
});

/// Debug data that is left out.
pub const LINK_DEBUG: Code = Code::new(&Entry {
    code: "P707",
    title: "debug data is left out",
    explanation: "Debug data counts bytes from the starts of its sections, so that of two modules cannot be put together: \
                  the first module's is kept. The source lines of `.file` and `.loc`, and the names of inlined \
                  functions, are kept from all modules.",
    bad: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.section .debug_info { .b8 1 }\n\
          //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.section .debug_info { .b8 2 }\n",
    good: "//// a.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n.section .debug_info { .b8 1 }\n\
           //// b.ptx\n.version 8.0\n.target sm_80\n.address_size 64\n",
});

pub(super) const TABLE: &[Code] =
    &[LINK_UNDEFINED, LINK_DUPLICATE, LINK_MISMATCH, LINK_KIND, LINK_TARGET, LINK_RENAMED, LINK_DEBUG];
