//! P5xx: version and target.

use super::{Code, Entry};

/// A module that does not say its version.
pub const NO_VERSION: Code = Code::new(&Entry {
    code: "P501",
    title: "missing `.version`",
    explanation: "A module starts with the version of PTX that it is written in, such as `.version 8.0`.",
    bad: ".target sm_80\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// A version that there never was.
pub const UNKNOWN_VERSION: Code = Code::new(&Entry {
    code: "P502",
    title: "unknown PTX version",
    explanation: "PTX has versions 1.0 to 1.5, 2.0 to 2.3, 3.0 to 3.2, 4.0 to 4.3, 5.0, 5.1, 6.0 to 6.5, 7.0 \
                  to 7.8, 8.0 to 8.8 and 9.0 to 9.5, as far as margay knows.",
    bad: ".version 8.9\n.target sm_80\n",
    good: ".version 8.8\n.target sm_80\n",
});

/// A module that does not say its target.
pub const NO_TARGET: Code = Code::new(&Entry {
    code: "P503",
    title: "missing `.target`",
    explanation: "After `.version` a module names the architecture it is for, such as `.target sm_90`.",
    bad: ".version 8.0\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// A target that there is not.
pub const UNKNOWN_TARGET: Code = Code::new(&Entry {
    code: "P504",
    title: "unknown target",
    explanation: "Targets are architectures such as `sm_80`, `sm_90a`, `sm_120f`, and options such as `debug` \
                  and `texmode_independent`.",
    bad: ".version 8.0\n.target sm_81\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// A target newer than the version.
pub const TARGET_TOO_NEW: Code = Code::new(&Entry {
    code: "P505",
    title: "target needs a newer version",
    explanation: "Each target was added in some version of PTX. Raise `.version`, or choose an older target; \
                  code for an older target also runs on newer ones.",
    bad: ".version 7.0\n.target sm_90\n",
    good: ".version 7.8\n.target sm_90\n",
});

/// Something that came with a later version.
pub const NEEDS_VERSION: Code = Code::new(&Entry {
    code: "P506",
    title: "not available in this PTX version",
    explanation: "The instruction, modifier, register or directive was added in a later version of PTX than \
                  the module's, or removed in an earlier one.",
    bad: ".version 5.0\n.target sm_60\n.entry k() { .reg .b32 %r<4>; fns.b32 %r0, %r1, %r2, 1; }\n",
    good: ".version 6.0\n.target sm_60\n.entry k() { .reg .b32 %r<4>; fns.b32 %r0, %r1, %r2, 1; }\n",
});

/// Something that the target does not have.
pub const NEEDS_TARGET: Code = Code::new(&Entry {
    code: "P507",
    title: "not available on this target",
    explanation: "The instruction or modifier exists only on newer architectures, or only on those of one \
                  family, marked by a letter after the number: `sm_120a`, `sm_120f`.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<4>; add.u16x2 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r<4>; add.u16x2 %r0, %r1, %r2; }\n",
});

/// An address size that is neither 32 nor 64.
pub const ADDRESS_SIZE: Code = Code::new(&Entry {
    code: "P508",
    title: "unknown address size",
    explanation: "Addresses have 32 or 64 bits; without `.address_size` they have 32.",
    bad: ".version 8.0\n.target sm_80\n.address_size 16\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n",
});

/// Directives out of their order, or twice.
pub const ORDER: Code = Code::new(&Entry {
    code: "P509",
    title: "directive out of order",
    explanation: "A module gives `.version`, `.target` and `.address_size` once each, in this order and \
                  before everything else; `.target` names the architecture before options.",
    bad: ".target sm_80\n.version 8.0\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// Addresses that are too short for the target.
pub const SHORT_ADDRESS: Code = Code::new(&Entry {
    code: "P510",
    title: "32-bit addresses are no longer supported",
    explanation: "From sm_90 on, global and generic addresses have 64 bits: a module needs `.address_size \
                  64` and holds such addresses in 64-bit registers. 32-bit addresses are still allowed in \
                  shared, local, constant and parameter memory.",
    bad: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .u32 %r<4>; ld.global.u32 %r0, [%r1]; }\n",
    good: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.u32 %r0, [%rd1]; }\n",
});

/// A module for debugging without what debuggers need.
pub const NO_DEBUG_DATA: Code = Code::new(&Entry {
    code: "P511",
    title: "missing debug data",
    explanation: "A module whose `.target` has the option `debug` needs sections for debuggers, such as \
                  `.debug_info`; ptxas rejects it without them, and so does `margay check`. `margay run` warns, and runs it.",
    bad: ".version 8.0\n.target sm_80, debug\n",
    good: ".version 8.0\n.target sm_80, debug\n.section .debug_info { .b8 0 }\n",
});

/// Addresses of 64 bits where the module does not say so.
pub const NO_ADDRESS_SIZE: Code = Code::new(&Entry {
    code: "P512",
    title: "missing `.address_size`",
    explanation: "A module without `.address_size` has 32-bit addresses, whatever the size of its registers. \
                  This one holds addresses in 64-bit registers, so `.address_size 64` was most likely \
                  forgotten. Assemblers accept it; margay expects 4 bytes for each buffer of such a kernel.",
    bad: ".version 8.0\n.target sm_80\n.entry k(.param .u64 p) {\n    .reg .u32 %r;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [p];\n    ld.global.u32 %r, [%rd];\n    st.global.u32 [%rd+4], %r;\n}\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {\n    .reg .u32 %r;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [p];\n    ld.global.u32 %r, [%rd];\n    st.global.u32 [%rd+4], %r;\n}\n",
});

/// A declaration that the target's texture mode excludes.
pub const TEXTURE_MODE: Code = Code::new(&Entry {
    code: "P513",
    title: "wrong texture mode",
    explanation: "With `texmode_unified`, which is the default, a texture contains its sampler. Separate samplers need \
                  `texmode_independent` after the target.",
    bad: ".version 8.0\n.target sm_80\n.global .samplerref s;\n",
    good: ".version 8.0\n.target sm_80, texmode_independent\n.global .samplerref s;\n",
});

pub(super) const TABLE: &[Code] = &[
    NO_VERSION,
    UNKNOWN_VERSION,
    NO_TARGET,
    UNKNOWN_TARGET,
    TARGET_TOO_NEW,
    NEEDS_VERSION,
    NEEDS_TARGET,
    ADDRESS_SIZE,
    ORDER,
    SHORT_ADDRESS,
    NO_DEBUG_DATA,
    NO_ADDRESS_SIZE,
    TEXTURE_MODE,
];
