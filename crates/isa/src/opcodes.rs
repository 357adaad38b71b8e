//! Every opcode of PTX ISA 9.5, and every sub-instruction that has a section of its own; a page describes each of them.
//!
//! Section numbers are those of the manual of PTX 9.1, which the pages follow; what came later
//! (`clmad`, `fabric`, `spcompress`, `spdecompress` and a few sub-instructions) bears its number
//! in the manual of PTX 9.4. An opcode with several sections is listed with the first.

/// An opcode or sub-instruction of PTX: its name and where the manual describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    /// The first word (`ld`), or for a sub-instruction the dotted words that name it (`cp.async.bulk`).
    pub name: &'static str,
    /// The manual's section, such as `9.7.9.8`.
    pub section: &'static str,
    /// What it does, in a few words.
    pub title: &'static str,
}

const fn op(name: &'static str, section: &'static str, title: &'static str) -> Opcode {
    Opcode { name, section, title }
}

/// The opcode called `name`, if PTX has one.
///
/// ```
/// use margay_isa::opcodes::known;
/// assert_eq!(known("ld").map(|opcode| opcode.section), Some("9.7.9.8"));
/// assert!(known("load").is_none());
/// ```
#[must_use]
pub fn known(name: &str) -> Option<&'static Opcode> {
    find(OPCODES, name)
}

/// The most specific entry for a dotted instruction name, such as `cp.async.bulk.tensor.2d.shared::cta.global`.
///
/// Only the words up to the point where they stop naming a sub-instruction count; an opcode
/// without sub-instructions is found by its first word.
///
/// ```
/// use margay_isa::opcodes::describe;
/// assert_eq!(describe("mbarrier.init.shared.b64").map(|i| i.name), Some("mbarrier.init"));
/// assert_eq!(describe("ld.global.u32").map(|i| i.name), Some("ld"));
/// assert!(describe("load.u32").is_none());
/// ```
#[must_use]
pub fn describe(dotted: &str) -> Option<&'static Opcode> {
    let mut prefix = dotted;
    while let Some((shorter, _)) = prefix.rsplit_once('.') {
        if let Some(found) = find(SUB_INSTRUCTIONS, prefix) {
            return Some(found);
        }
        prefix = shorter;
    }
    known(prefix)
}

/// What PTX has for an instruction or function of another language.
///
/// ```
/// use margay_isa::opcodes::meant;
/// assert_eq!(meant("__syncthreads"), Some("bar.sync 0"));
/// assert_eq!(meant("return"), Some("ret"));
/// assert_eq!(meant("frobnicate"), None);
/// ```
#[must_use]
pub fn meant(name: &str) -> Option<&'static str> {
    OTHER_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, meant)| *meant)
}

/// Names of other assemblers and languages, and PTX's.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("__syncthreads", "bar.sync 0"),
    ("syncthreads", "bar.sync 0"),
    ("__syncwarp", "bar.warp.sync 0xffffffff"),
    ("__threadfence", "membar.gl"),
    ("__threadfence_block", "membar.cta"),
    ("__threadfence_system", "membar.sys"),
    ("__shfl_sync", "shfl.sync.idx"),
    ("__shfl_up_sync", "shfl.sync.up"),
    ("__shfl_down_sync", "shfl.sync.down"),
    ("__shfl_xor_sync", "shfl.sync.bfly"),
    ("__ballot_sync", "vote.sync.ballot"),
    ("__any_sync", "vote.sync.any"),
    ("__all_sync", "vote.sync.all"),
    ("__activemask", "activemask"),
    ("__popc", "popc"),
    ("__clz", "clz"),
    ("__brev", "brev"),
    ("__byte_perm", "prmt"),
    ("__trap", "trap"),
    ("__nanosleep", "nanosleep"),
    ("atomicAdd", "atom.add"),
    ("atomicCAS", "atom.cas"),
    ("atomicExch", "atom.exch"),
    ("atomicMin", "atom.min"),
    ("atomicMax", "atom.max"),
    ("atomicAnd", "atom.and"),
    ("atomicOr", "atom.or"),
    ("atomicXor", "atom.xor"),
    ("return", "ret"),
    ("jmp", "bra"),
    ("jump", "bra"),
    ("goto", "bra"),
    ("br", "bra"),
    ("branch", "bra"),
    ("load", "ld"),
    ("store", "st"),
    ("move", "mov"),
    ("cmp", "setp"),
    ("icmp", "setp"),
    ("fcmp", "setp"),
    ("select", "selp"),
    ("cmov", "selp"),
    ("ror", "shf.r.wrap"),
    ("rol", "shf.l.wrap"),
    ("rotr", "shf.r.wrap"),
    ("rotl", "shf.l.wrap"),
    ("lsl", "shl"),
    ("sll", "shl"),
    ("lsr", "shr"),
    ("srl", "shr"),
    ("asr", "shr"),
    ("sar", "shr"),
    ("ashr", "shr"),
    ("lshr", "shr"),
    ("popcnt", "popc"),
    ("popcount", "popc"),
    ("ctpop", "popc"),
    ("lzcnt", "clz"),
    ("ctlz", "clz"),
    ("bitreverse", "brev"),
    ("mod", "rem"),
    ("iadd", "add"),
    ("fadd", "add"),
    ("isub", "sub"),
    ("fsub", "sub"),
    ("imul", "mul"),
    ("fmul", "mul"),
    ("imad", "mad"),
    ("ffma", "fma"),
    ("fdiv", "div"),
    ("sext", "cvt"),
    ("zext", "cvt"),
    ("trunc", "cvt"),
    ("bitcast", "mov"),
];

fn find(list: &'static [Opcode], name: &str) -> Option<&'static Opcode> {
    let place = list.binary_search_by(|opcode| opcode.name.cmp(name)).ok()?;
    list.get(place)
}

/// Every opcode, sorted by name.
pub static OPCODES: &[Opcode] = &[
    op("abs", "9.7.1.10", "absolute value"),
    op("activemask", "9.7.13.11", "mask of the active lanes"),
    op("add", "9.7.1.1", "addition"),
    op("addc", "9.7.2.2", "addition with carry in"),
    op("alloca", "9.7.17.3", "allocate stack memory"),
    op("and", "9.7.8.1", "bitwise and"),
    op("applypriority", "9.7.9.16", "set the eviction priority of a cache line"),
    op("atom", "9.7.13.5", "atomic read, change and write"),
    op("bar", "9.7.13.1", "barrier among the warps of a CTA"),
    op("barrier", "9.7.13.1", "barrier among the warps of a CTA or the CTAs of a cluster"),
    op("bfe", "9.7.1.19", "bit field extract"),
    op("bfi", "9.7.1.20", "bit field insert"),
    op("bfind", "9.7.1.16", "position of the most significant non-sign bit"),
    op("bmsk", "9.7.1.22", "bit mask from position and width"),
    op("bra", "9.7.12.3", "branch to a label"),
    op("brev", "9.7.1.18", "reverse the bits"),
    op("brkpt", "9.7.19.1", "breakpoint"),
    op("brx", "9.7.12.4", "branch through a table of labels"),
    op("call", "9.7.12.5", "function call"),
    op("clmad", "9.7.1.5", "carry-less multiply and add"),
    op("clusterlaunchcontrol", "9.7.13.17", "cancel the launch of a cluster not yet started"),
    op("clz", "9.7.1.15", "count leading zeros"),
    op("cnot", "9.7.8.5", "logical negation of a number"),
    op("copysign", "9.7.3.2", "copy the sign of another number"),
    op("cos", "9.7.3.19", "cosine"),
    op("cp", "9.7.9.25", "asynchronous copy"),
    op("createpolicy", "9.7.9.18", "make a cache eviction policy"),
    op("cvt", "9.7.9.21", "convert between types"),
    op("cvta", "9.7.9.20", "convert between generic and state space addresses"),
    op("discard", "9.7.9.17", "drop cached data without writing it back"),
    op("div", "9.7.1.8", "division"),
    op("dp2a", "9.7.1.24", "dot product of two half-words and bytes, accumulated"),
    op("dp4a", "9.7.1.23", "dot product of four bytes, accumulated"),
    op("elect", "9.7.13.14", "choose one lane as leader"),
    op("ex2", "9.7.3.21", "power of two"),
    op("exit", "9.7.12.7", "end the thread"),
    op("fabric", "9.7.11.5", "operation on memory reached through the fabric"),
    op("fence", "9.7.13.4", "order memory accesses"),
    op("fma", "9.7.3.6", "fused multiply and add"),
    op("fns", "9.7.1.17", "position of the n-th set bit"),
    op("getctarank", "9.7.9.24", "rank of the CTA that owns a shared address"),
    op("griddepcontrol", "9.7.13.13", "control of dependent grids"),
    op("isspacep", "9.7.9.19", "test which state space a generic address is in"),
    op("istypep", "9.7.10.6", "test the type of an opaque reference"),
    op("ld", "9.7.9.8", "load from memory"),
    op("ldmatrix", "9.7.14.5.15", "collective load of matrices from shared memory"),
    op("ldu", "9.7.9.10", "load of data common to all threads of a warp"),
    op("lg2", "9.7.3.20", "binary logarithm"),
    op("lop3", "9.7.8.6", "any logical function of three inputs"),
    op("mad", "9.7.1.4", "multiply and add"),
    op("mad24", "9.7.1.6", "multiply 24-bit numbers and add"),
    op("madc", "9.7.2.6", "multiply and add with carry in"),
    op("mapa", "9.7.9.23", "address of the same variable in another CTA of the cluster"),
    op("match", "9.7.13.10", "compare a value across lanes"),
    op("max", "9.7.1.13", "maximum"),
    op("mbarrier", "9.7.13.15", "barrier object in shared memory"),
    op("membar", "9.7.13.4", "order memory accesses (older form)"),
    op("min", "9.7.1.12", "minimum"),
    op("mma", "9.7.14.5.14", "matrix multiply and accumulate by a warp"),
    op("mov", "9.7.9.3", "move, pack, unpack or take an address"),
    op("movmatrix", "9.7.14.5.17", "transpose a matrix held in registers"),
    op("mul", "9.7.1.3", "multiplication"),
    op("mul24", "9.7.1.5", "multiply 24-bit numbers"),
    op("multimem", "9.7.9.14", "access to memory shared by several devices"),
    op("nanosleep", "9.7.19.2", "suspend the thread for a while"),
    op("neg", "9.7.1.11", "negation"),
    op("not", "9.7.8.4", "bitwise complement"),
    op("or", "9.7.8.2", "bitwise or"),
    op("pmevent", "9.7.19.3", "trigger performance monitor events"),
    op("popc", "9.7.1.14", "count the set bits"),
    op("prefetch", "9.7.9.15", "prefetch a line into a cache"),
    op("prefetchu", "9.7.9.15", "prefetch a line into the uniform cache"),
    op("prmt", "9.7.9.7", "pick bytes from two words"),
    op("rcp", "9.7.3.13", "reciprocal"),
    op("red", "9.7.13.6", "atomic update without result"),
    op("redux", "9.7.13.12", "reduction across lanes"),
    op("rem", "9.7.1.9", "remainder"),
    op("ret", "9.7.12.6", "return from a function or kernel"),
    op("rsqrt", "9.7.3.16", "reciprocal square root"),
    op("sad", "9.7.1.7", "sum of absolute differences"),
    op("selp", "9.7.6.3", "select by a predicate"),
    op("set", "9.7.6.1", "compare, result as a number"),
    op("setmaxnreg", "9.7.19.5", "change the number of registers of a warp"),
    op("setp", "9.7.6.2", "compare, result as a predicate"),
    op("shf", "9.7.8.7", "funnel shift"),
    op("shfl", "9.7.9.6", "exchange values across lanes"),
    op("shl", "9.7.8.8", "shift left"),
    op("shr", "9.7.8.9", "shift right"),
    op("sin", "9.7.3.18", "sine"),
    op("slct", "9.7.6.4", "select by the sign of a number"),
    op("spcompress", "9.7.10.30", "compress a sparse vector"),
    op("spdecompress", "9.7.10.31", "expand a sparse vector"),
    op("sqrt", "9.7.3.15", "square root"),
    op("st", "9.7.9.11", "store to memory"),
    op("stackrestore", "9.7.17.2", "restore the stack pointer"),
    op("stacksave", "9.7.17.1", "save the stack pointer"),
    op("stmatrix", "9.7.14.5.16", "collective store of matrices to shared memory"),
    op("sub", "9.7.1.2", "subtraction"),
    op("subc", "9.7.2.4", "subtraction with borrow in"),
    op("suld", "9.7.11.1", "surface load"),
    op("suq", "9.7.11.4", "query a surface's attribute"),
    op("sured", "9.7.11.3", "surface reduction"),
    op("sust", "9.7.11.2", "surface store"),
    op("szext", "9.7.1.21", "sign- or zero-extend from a bit position"),
    op("tanh", "9.7.3.22", "hyperbolic tangent"),
    op("tcgen05", "9.7.16", "matrix unit with tensor memory"),
    op("tensormap", "9.7.9.26", "change or publish a tensor map"),
    op("testp", "9.7.3.1", "test a property of a floating-point number"),
    op("tex", "9.7.10.3", "texture lookup"),
    op("tld4", "9.7.10.4", "texture gather of four texels"),
    op("trap", "9.7.19.4", "stop the grid with an error"),
    op("txq", "9.7.10.5", "query a texture's or sampler's attribute"),
    op("vabsdiff", "9.7.18.1.1", "absolute difference of video operands"),
    op("vabsdiff2", "9.7.18.2.1", "absolute difference of two half-words"),
    op("vabsdiff4", "9.7.18.2.3", "absolute difference of four bytes"),
    op("vadd", "9.7.18.1.1", "addition of video operands"),
    op("vadd2", "9.7.18.2.1", "addition of two half-words"),
    op("vadd4", "9.7.18.2.3", "addition of four bytes"),
    op("vavrg2", "9.7.18.2.1", "average of two half-words"),
    op("vavrg4", "9.7.18.2.3", "average of four bytes"),
    op("vmad", "9.7.18.1.3", "multiply and add of video operands"),
    op("vmax", "9.7.18.1.1", "maximum of video operands"),
    op("vmax2", "9.7.18.2.1", "maximum of two half-words"),
    op("vmax4", "9.7.18.2.3", "maximum of four bytes"),
    op("vmin", "9.7.18.1.1", "minimum of video operands"),
    op("vmin2", "9.7.18.2.1", "minimum of two half-words"),
    op("vmin4", "9.7.18.2.3", "minimum of four bytes"),
    op("vote", "9.7.13.9", "vote across lanes"),
    op("vset", "9.7.18.1.4", "comparison of video operands"),
    op("vset2", "9.7.18.2.2", "comparison of two half-words"),
    op("vset4", "9.7.18.2.4", "comparison of four bytes"),
    op("vshl", "9.7.18.1.2", "left shift of a video operand"),
    op("vshr", "9.7.18.1.2", "right shift of a video operand"),
    op("vsub", "9.7.18.1.1", "subtraction of video operands"),
    op("vsub2", "9.7.18.2.1", "subtraction of two half-words"),
    op("vsub4", "9.7.18.2.3", "subtraction of four bytes"),
    op("wgmma", "9.7.15", "asynchronous matrix multiply by a warpgroup"),
    op("wmma", "9.7.14.4", "matrix load, multiply or store by a warp"),
    op("xor", "9.7.8.3", "bitwise exclusive or"),
];

/// Dotted names that have a section of their own beside their opcode's, sorted by name.
pub static SUB_INSTRUCTIONS: &[Opcode] = &[
    op("add.cc", "9.7.2.1", "addition with carry out"),
    op("applypriority.async.bulk", "9.7.10.18", "set the eviction priority of a range"),
    op("applypriority.async.bulk.tensor", "9.7.10.19", "set the eviction priority of part of a tensor"),
    op("bar.warp.sync", "9.7.13.2", "barrier among the lanes of a warp"),
    op("barrier.cluster", "9.7.13.3", "barrier among the CTAs of a cluster"),
    op("brx.idx", "9.7.12.4", "branch through a table of labels"),
    op("clusterlaunchcontrol.query_cancel", "9.7.13.18", "read the answer to a cancel request"),
    op("clusterlaunchcontrol.try_cancel", "9.7.13.17", "ask to cancel the launch of a cluster"),
    op("cp.async", "9.7.9.25.3.1", "asynchronous copy of a few bytes"),
    op("cp.async.bulk", "9.7.9.25.4.1", "asynchronous bulk copy"),
    op("cp.async.bulk.commit_group", "9.7.9.25.6.1", "close a group of bulk copies"),
    op("cp.async.bulk.prefetch", "9.7.9.25.4.3", "bulk prefetch into the cache"),
    op("cp.async.bulk.prefetch.tensor", "9.7.9.25.5.4", "prefetch of part of a tensor"),
    op("cp.async.bulk.tensor", "9.7.9.25.5.2", "asynchronous copy of part of a tensor"),
    op("cp.async.bulk.wait_group", "9.7.9.25.6.2", "wait for groups of bulk copies"),
    op("cp.async.commit_group", "9.7.9.25.3.2", "close a group of asynchronous copies"),
    op("cp.async.mbarrier.arrive", "9.7.13.15.15", "arrive on a barrier object when copies are done"),
    op("cp.async.wait_all", "9.7.9.25.3.3", "wait for all asynchronous copies"),
    op("cp.async.wait_group", "9.7.9.25.3.3", "wait for groups of asynchronous copies"),
    op("cp.reduce.async.bulk", "9.7.9.25.4.2", "asynchronous bulk reduction"),
    op("cp.reduce.async.bulk.tensor", "9.7.9.25.5.3", "asynchronous reduction into part of a tensor"),
    op("cvt.pack", "9.7.9.22", "convert two numbers and pack them"),
    op("elect.sync", "9.7.13.14", "choose one lane as leader"),
    op("fabric.submit", "9.7.11.5.5", "submit fabric operations"),
    op("fabric.try_atom", "9.7.11.5.10", "atomic operation through the fabric"),
    op("fabric.try_get", "9.7.11.5.1", "read through the fabric"),
    op("fabric.try_get.async.tensor", "9.7.11.5.7", "read part of a tensor through the fabric"),
    op("fabric.try_pullred", "9.7.11.5.4", "reduction of remote data through the fabric"),
    op("fabric.try_put", "9.7.11.5.2", "write through the fabric"),
    op("fabric.try_put.async.tensor", "9.7.11.5.8", "write part of a tensor through the fabric"),
    op("fabric.try_red", "9.7.11.5.3", "reduction through the fabric"),
    op("fabric.try_red.async.tensor", "9.7.11.5.9", "reduction into part of a tensor through the fabric"),
    op("fabric.wait", "9.7.11.5.6", "wait for fabric operations"),
    op("ld.global.nc", "9.7.9.9", "load from read-only global memory"),
    op("mad.cc", "9.7.2.5", "multiply and add with carry out"),
    op("match.sync", "9.7.13.10", "compare a value across lanes"),
    op("mbarrier.arrive", "9.7.13.15.13", "arrive on a barrier object"),
    op("mbarrier.arrive_drop", "9.7.13.15.14", "arrive and leave a barrier object"),
    op("mbarrier.check_layout", "9.7.15.16.21", "test the layout of a barrier object"),
    op("mbarrier.complete_tx", "9.7.13.15.12", "report transferred bytes to a barrier object"),
    op("mbarrier.expect_tx", "9.7.13.15.11", "announce bytes to come to a barrier object"),
    op("mbarrier.init", "9.7.13.15.9", "make a barrier object"),
    op("mbarrier.inval", "9.7.13.15.10", "end a barrier object"),
    op("mbarrier.pending_count", "9.7.13.15.17", "arrivals outstanding in a state of a barrier object"),
    op("mbarrier.test_wait", "9.7.13.15.16", "test whether a phase is complete"),
    op("mbarrier.try_wait", "9.7.13.15.16", "wait for a while until a phase is complete"),
    op("mma.sp", "9.7.14.6.3", "matrix multiply with a sparse matrix"),
    op("multimem.cp.async.bulk", "9.7.9.25.4.4", "bulk copy to several devices"),
    op("multimem.cp.reduce.async.bulk", "9.7.9.25.4.5", "bulk reduction on several devices"),
    op("multimem.ld_reduce", "9.7.9.14", "load reduced over several devices"),
    op("multimem.red", "9.7.9.14", "reduction on several devices"),
    op("multimem.red.async", "9.7.15.8", "asynchronous reduction on several devices"),
    op("multimem.st", "9.7.9.14", "store to several devices"),
    op("multimem.st.async", "9.7.10.13", "asynchronous store to several devices"),
    op("rcp.approx.ftz.f64", "9.7.3.14", "coarse reciprocal in double precision"),
    op("red.async", "9.7.13.7", "asynchronous reduction in another CTA's shared memory"),
    op("redux.sync", "9.7.13.12", "reduction across lanes"),
    op("rsqrt.approx.ftz.f64", "9.7.3.17", "coarse reciprocal square root in double precision"),
    op("shfl.sync", "9.7.9.6", "exchange values across lanes"),
    op("st.async", "9.7.9.12", "asynchronous store to another CTA's shared memory"),
    op("st.bulk", "9.7.9.13", "fill a range of shared memory"),
    op("sub.cc", "9.7.2.3", "subtraction with borrow out"),
    op("tcgen05.alloc", "9.7.16.7.1", "allocate tensor memory"),
    op("tcgen05.commit", "9.7.16.12.1", "make a barrier object track matrix operations"),
    op("tcgen05.cp", "9.7.16.9.2", "copy shared memory to tensor memory"),
    op("tcgen05.dealloc", "9.7.16.7.1", "free tensor memory"),
    op("tcgen05.fence", "9.7.16.11.1", "order matrix operations and synchronization"),
    op("tcgen05.ld", "9.7.16.8.3", "load from tensor memory"),
    op("tcgen05.mma", "9.7.16.10.9.1", "matrix multiply and accumulate"),
    op("tcgen05.mma.sp", "9.7.16.10.9.2", "matrix multiply with a sparse matrix"),
    op("tcgen05.mma.ws", "9.7.16.10.9.3", "matrix multiply, weights held in place"),
    op("tcgen05.mma.ws.sp", "9.7.16.10.9.4", "sparse matrix multiply, weights held in place"),
    op("tcgen05.relinquish_alloc_permit", "9.7.16.7.1", "give up the right to allocate tensor memory"),
    op("tcgen05.shift", "9.7.16.9.3", "shift the rows of tensor memory"),
    op("tcgen05.st", "9.7.16.8.4", "store to tensor memory"),
    op("tcgen05.wait", "9.7.16.8.5", "wait for tensor memory loads or stores"),
    op("tensormap.cp_fenceproxy", "9.7.13.16", "copy a tensor map and publish it"),
    op("tensormap.replace", "9.7.9.26", "replace a field of a tensor map"),
    op("vote.sync", "9.7.13.9", "vote across lanes"),
    op("wgmma.commit_group", "9.7.15.7.2", "close a group of matrix operations"),
    op("wgmma.fence", "9.7.15.7.1", "order register accesses and matrix operations"),
    op("wgmma.mma_async", "9.7.15.5.2", "asynchronous matrix multiply"),
    op("wgmma.mma_async.sp", "9.7.15.6", "asynchronous matrix multiply with a sparse matrix"),
    op("wgmma.wait_group", "9.7.15.7.3", "wait for groups of matrix operations"),
    op("wmma.load", "9.7.14.4.3", "load a matrix"),
    op("wmma.mma", "9.7.14.4.5", "multiply matrices"),
    op("wmma.store", "9.7.14.4.4", "store a matrix"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages_of;
    use crate::select::{Fault, select};
    use crate::words::Word;

    fn sorted_without_duplicates(list: &[Opcode]) {
        for pair in list.windows(2) {
            assert!(pair[0].name < pair[1].name, "`{}` before `{}`", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn lists_are_sorted_without_duplicates() {
        sorted_without_duplicates(OPCODES);
        sorted_without_duplicates(SUB_INSTRUCTIONS);
    }

    #[test]
    fn a_page_describes_every_opcode_and_every_sub_instruction() {
        for opcode in OPCODES {
            assert!(!pages_of(opcode.name).is_empty(), "`{}`", opcode.name);
        }
        for sub in SUB_INSTRUCTIONS {
            let mut words: Vec<_> = sub.name.split('.').collect();
            let opcode = words.remove(0);
            // Of `wait::ld` and `wait::st` the section's name has the beginning only.
            let last = words.pop().unwrap_or_default();
            let whole = Word::ALL.iter().map(Word::to_string);
            let mut whole = whole.filter(|word| word.split("::").next() == Some(last));
            assert!(whole.any(|last| takes(opcode, &[&words[..], &[&last]].concat())), "`{}`", sub.name);
        }
    }

    /// Whether some page has the name: it misses further words or operands, but finds nothing wrong with the words of the name.
    fn takes(opcode: &str, words: &[&str]) -> bool {
        match select(opcode, words, &[]) {
            None => false,
            Some(Ok(_)) => true,
            Some(Err(mismatch)) => {
                !matches!(mismatch.fault, Fault::UnknownWord { .. } | Fault::MisplacedWord { .. })
            }
        }
    }

    #[test]
    fn names_of_other_languages_are_none_of_ptx_and_stand_for_opcodes() {
        for (other, meant) in OTHER_NAMES {
            assert!(known(other).is_none(), "`{other}`");
            assert!(known(meant.split(['.', ' ']).next().unwrap()).is_some(), "`{meant}`");
        }
    }

    #[test]
    fn opcodes_are_single_words_and_sub_instructions_are_dotted() {
        for opcode in OPCODES {
            assert!(!opcode.name.contains('.'), "`{}`", opcode.name);
        }
        for sub in SUB_INSTRUCTIONS {
            let first = sub.name.split('.').next().unwrap_or_default();
            assert!(sub.name.contains('.') && known(first).is_some(), "`{}`", sub.name);
        }
    }

    #[test]
    fn every_section_is_in_the_instruction_chapter() {
        for entry in OPCODES.iter().chain(SUB_INSTRUCTIONS) {
            let numbers = entry.section.strip_prefix("9.7.").expect(entry.name);
            assert!(numbers.split('.').all(|n| n.parse::<u8>().is_ok()), "`{}`", entry.name);
        }
    }

    #[test]
    fn the_longest_dotted_name_describes() {
        assert_eq!(describe("cp.async.bulk.tensor.1d").map(|i| i.name), Some("cp.async.bulk.tensor"));
        assert_eq!(describe("cp.async.ca.shared.global").map(|i| i.name), Some("cp.async"));
        assert_eq!(describe("xor.b32").map(|i| i.name), Some("xor"));
        assert_eq!(describe("xor").map(|i| i.name), Some("xor"));
        assert_eq!(describe(""), None);
    }

    #[test]
    fn no_opcode_is_known_by_a_wrong_case_or_a_near_name() {
        for name in ["ADD", "varvg2", "vshl2", "load", "", "add.cc"] {
            assert!(known(name).is_none(), "`{name}`");
        }
    }
}
