//! The options that NVIDIA's assembler 13.5 takes, as a table: names, what each takes, what it does here.

/// What stands behind an option's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: the name says it all.
    Nothing,
    /// `true` or `false`.
    Truth,
    /// A whole number of 32 bits, also in hexadecimal.
    Number,
    /// A number of registers, or `archmax` or `archmin`.
    Registers,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A device: `sm_80`, `sm_90a`, or `compute_80` and `lto_80` for checking only.
    Device,
    /// A file to read, which must be there.
    File,
    /// Any text.
    Text,
    /// Texts with commas between.
    List,
}

/// One option.
pub struct Entry {
    /// The name behind two dashes.
    pub long: &'static str,
    /// The name behind one dash.
    pub short: &'static str,
    /// What follows it.
    pub takes: Takes,
    /// How that is called in the help; empty where nothing follows it.
    pub value: &'static str,
    /// What it does here; empty if it has no effect.
    pub effect: &'static str,
}

const fn entry(
    long: &'static str,
    short: &'static str,
    takes: Takes,
    value: &'static str,
    effect: &'static str,
) -> Entry {
    Entry { long, short, takes, value, effect }
}

/// Modifiers that loads may be given as the default.
const LOADS: Takes = Takes::Word(&["ca", "cg", "cs", "lu", "cv"]);
/// Modifiers that stores may be given as the default.
const STORES: Takes = Takes::Word(&["wb", "cg", "cs", "wt"]);

/// All options, by their long names. The last three the assembler takes without listing them.
pub const OPTIONS: &[Entry] = {
    use Takes::{Device, File, List, Nothing, Number, Registers, Text, Truth, Word};
    &[
        entry("Ofast-compile", "Ofc", Word(&["0", "min", "mid", "max"]), "0|min|mid|max", ""),
        entry("allow-expensive-optimizations", "allow-expensive-optimizations", Truth, "true|false", ""),
        entry("apply-controls", "apply-controls", File, "file", ""),
        entry("compile-as-tools-patch", "astoolspatch", Nothing, "", ""),
        entry("compile-only", "c", Nothing, "", "Allows calls of functions that have no body in the input."),
        entry("compiler-annotations", "annotate", Nothing, "", ""),
        entry("def-load-cache", "dlcm", LOADS, "ca|cg|cs|lu|cv", ""),
        entry("def-store-cache", "dscm", STORES, "wb|cg|cs|wt", ""),
        entry("device-debug", "g", Nothing, "", "Not allowed with an optimisation level above 0."),
        entry("device-function-maxrregcount", "func-maxrregcount", Text, "archmax|archmin|N", ""),
        entry("device-stack-protector", "device-stack-protector", Truth, "true|false", ""),
        entry("disable-optimizer-constants", "disable-optimizer-consts", Nothing, "", ""),
        entry("disable-warnings", "w", Nothing, "", "Suppresses warnings about the PTX."),
        entry("dont-merge-basicblocks", "no-bb-merge", Nothing, "", ""),
        entry("enable-func-clone-sc", "enable-func-clone-sc", Truth, "true|false", ""),
        entry("entry", "e", List, "kernel,...", "Requires these kernels to be in the PTX."),
        entry("extensible-whole-program", "ewp", Nothing, "", "Same as --compile-only."),
        entry("fmad", "fmad", Truth, "true|false", ""),
        entry("force-load-cache", "flcm", LOADS, "ca|cg|cs|lu|cv", ""),
        entry("force-store-cache", "fscm", STORES, "wb|cg|cs|wt", ""),
        entry("g-tensor-memory-access-check", "g-tmem-access-check", Nothing, "", ""),
        entry("generate-line-info", "lineinfo", Nothing, "", ""),
        entry("gno-fabric-access-check", "gno-fabric-access-check", Nothing, "", ""),
        entry("gno-tensor-memory-access-check", "gno-tmem-access-check", Nothing, "", ""),
        entry(
            "gpu-name",
            "arch",
            Device,
            "gpu name",
            "The device that the PTX must assemble for, sm_75 unless given. With compute_N or lto_N the PTX is \
             checked and nothing is written.",
        ),
        entry("help", "h", Nothing, "", "Prints this help and exits."),
        entry("input-as-string", "ias", Text, "ptx", "Checks this PTX source, before the files."),
        entry("jobserver", "jobserver", Nothing, "", ""),
        entry("legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", Nothing, "", ""),
        entry("list-arch", "arch-ls", Nothing, "", "Prints the devices and exits."),
        entry("list-version", "version-ls", Nothing, "", "Prints the versions of PTX and exits."),
        entry("machine", "m", Word(&["32", "64"]), "bits", ""),
        entry("make-errors-visible-at-exit", "make-errors-visible-at-exit", Nothing, "", ""),
        entry("maxntid", "maxntid", List, "x,y,z", ""),
        entry("maxrregcount", "maxrregcount", Registers, "archmax|archmin|N", ""),
        entry("minnctapersm", "minnctapersm", Number, "N", ""),
        entry("opt-level", "O", Number, "N", ""),
        entry("optimize-float-atomics", "opt-fp-atomics", Nothing, "", ""),
        entry("options-file", "optf", List, "file,...", "Reads more options and inputs from these files."),
        entry("output-file", "o", Text, "file", "The file to write, elf.o unless given."),
        entry("override-directive-values", "override-directive-values", Nothing, "", ""),
        entry("position-independent-code", "pic", Truth, "true|false", ""),
        entry("preserve-relocs", "preserve-relocs", Nothing, "", ""),
        entry("register-usage-level", "regUsageLevel", Number, "0..10", ""),
        entry("return-at-end", "ret-end", Nothing, "", ""),
        entry("sanitize", "sanitize", Word(&["memcheck", "threadsteer"]), "memcheck|threadsteer", ""),
        entry("sp-bounds-check", "sp-bounds-check", Nothing, "", ""),
        entry("split-compile", "split-compile", Number, "N", ""),
        entry(
            "suppress-async-bulk-multicast-advisory-warning",
            "suppress-async-bulk-multicast-advisory-warning",
            Nothing,
            "",
            "",
        ),
        entry("suppress-debug-info", "suppress-debug-info", Nothing, "", ""),
        entry("suppress-double-demote-warning", "suppress-double-demote-warning", Nothing, "", ""),
        entry(
            "suppress-position-independent-code-warning",
            "suppress-position-independent-code-warning",
            Nothing,
            "",
            "",
        ),
        entry("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", Nothing, "", ""),
        entry("suppress-stack-size-warning", "suppress-stack-size-warning", Nothing, "", ""),
        entry("verbose", "v", Nothing, "", "Shows what is in the PTX and what margay does not run."),
        entry("verbose2", "v2", Nothing, "", "Same as --verbose, and names each input."),
        entry("version", "V", Nothing, "", "Prints the version and exits."),
        entry("warn-on-double-precision-use", "warn-double-usage", Nothing, "", ""),
        entry("warn-on-local-memory-usage", "warn-lmem-usage", Nothing, "", ""),
        entry("warn-on-spills", "warn-spills", Nothing, "", ""),
        entry("warning-as-error", "Werror", Nothing, "", "Treats warnings about the PTX as errors."),
        entry("abi", "abi", Word(&["yes"]), "yes", ""),
        entry("regAllocOptLevel", "regAllocOptLevel", Number, "N", ""),
        entry("uumn", "uumn", Nothing, "", ""),
    ]
};
