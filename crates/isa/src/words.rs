//! Words: every modifier of PTX, the slot each one fills by itself, and the type it names.

use crate::elements::Elements;
use crate::shape::MatrixShape;
use crate::types::Ty;
use std::fmt;

macro_rules! words {
    ($($variant:ident $text:literal $slot:ident),* $(,)?) => {
        /// A modifier word of PTX (what follows a dot), or nothing.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Word {
            /// The slot was left empty.
            Absent,
            /// A byte or half-word selector or mask, such as `.b3210` or `.h1`.
            Elements(Elements),
            /// How large matrices are, such as `.m16n8k16`.
            Shape(MatrixShape),
            $($variant),*
        }
        impl Word {
            /// Every word that is neither a selector nor the shape of matrices, in the order of the table.
            pub const ALL: &'static [Word] = &[$(Word::$variant),*];

            fn fixed(text: &str) -> Option<Word> {
                match text { $($text => Some(Word::$variant),)* _ => None }
            }
            fn fixed_text(self) -> &'static str {
                match self { $(Word::$variant => $text,)* Word::Absent | Word::Elements(_) | Word::Shape(_) => "" }
            }
            /// The slot that this word fills where a syntax line prints the word itself.
            pub fn home(self) -> Slot {
                match self {
                    $(Word::$variant => Slot::$slot,)*
                    Word::Shape(_) => Slot::Shape,
                    Word::Absent | Word::Elements(_) => Slot::Part,
                }
            }
        }
    };
}

words! {
    U8 "u8" Type, U16 "u16" Type, U32 "u32" Type, U64 "u64" Type,
    S8 "s8" Type, S16 "s16" Type, S32 "s32" Type, S64 "s64" Type,
    B8 "b8" Type, B16 "b16" Type, B32 "b32" Type, B64 "b64" Type, B128 "b128" Type,
    U2 "u2" Type, S2 "s2" Type, U4 "u4" Type, S4 "s4" Type, B2 "b2" Type, B4 "b4" Type,
    U16x2 "u16x2" Type, S16x2 "s16x2" Type, U8x4 "u8x4" Type, S8x4 "s8x4" Type,
    F16 "f16" Type, F16x2 "f16x2" Type, F32 "f32" Type, F32x2 "f32x2" Type, F64 "f64" Type,
    Bf16 "bf16" Type, Bf16x2 "bf16x2" Type, Tf32 "tf32" Type, Pred "pred" Type,
    E4m3x2 "e4m3x2" Type, E5m2x2 "e5m2x2" Type, E4m3x4 "e4m3x4" Type, E5m2x4 "e5m2x4" Type,
    E2m1x2 "e2m1x2" Type, E2m1x4 "e2m1x4" Type, E2m3x2 "e2m3x2" Type, E2m3x4 "e2m3x4" Type,
    B1 "b1" Type, E4m3 "e4m3" Type, E5m2 "e5m2" Type, E3m2 "e3m2" Type, E2m3 "e2m3" Type, E2m1 "e2m1" Type,
    Ue8m0 "ue8m0" Type, Ue4m3 "ue4m3" Type,
    E3m2x2 "e3m2x2" Type, E3m2x4 "e3m2x4" Type, Ue8m0x2 "ue8m0x2" Type,
    S2f6x2 "s2f6x2" Type, Ue5m3x2 "ue5m3x2" Type,

    Hi "hi" Mode, Lo "lo" Mode, Wide "wide" Mode, Clamp "clamp" Mode, Wrap "wrap" Mode,
    Sat "sat" Sat, SatFinite "satfinite" Sat, Relu "relu" Relu, Po "po" Po, Cc "cc" Cc,
    Shr7 "shr7" Scale, Shr15 "shr15" Scale, ScaledByOne "scaled::n1::ue8m0" Scale, ScaledByTwo "scaled::n2::ue8m0" Scale,
    Pzo "pzo" Po, ShiftAmt "shiftamt" ShiftAmt,
    Add "add" Op2, Min "min" Op2, Max "max" Op2,
    Eq "eq" Cmp, Ne "ne" Cmp, Lt "lt" Cmp, Le "le" Cmp, Gt "gt" Cmp, Ge "ge" Cmp,
    Ls "ls" Cmp, Hs "hs" Cmp,
    Equ "equ" Cmp, Neu "neu" Cmp, Ltu "ltu" Cmp, Leu "leu" Cmp, Gtu "gtu" Cmp, Geu "geu" Cmp,
    Num "num" Cmp, Nan "nan" Cmp,
    And "and" Bool, Or "or" Bool, Xor "xor" Bool,
    Minus "-" NegA, Not "!" NotC,

    Rn "rn" Rnd, Rz "rz" Rnd, Rm "rm" Rnd, Rp "rp" Rnd, Rna "rna" Rnd, Rs "rs" Rnd,
    Rni "rni" Rnd, Rzi "rzi" Rnd, Rmi "rmi" Rnd, Rpi "rpi" Rnd, Approx "approx" Rnd, Full "full" Rnd,
    Ftz "ftz" Ftz, NoFtz "noftz" Ftz, NaN "NaN" NaN, XorSign "xorsign" XorSign, Abs "abs" Abs, Oob "oob" Oob,

    Global "global" Space, Local "local" Space, Const "const" Space,
    Shared "shared" Space, SharedCta "shared::cta" Space, SharedCluster "shared::cluster" Space,
    Param "param" Space, ParamEntry "param::entry" Space, ParamFunc "param::func" Space,
    V2 "v2" Vec, V4 "v4" Vec, V8 "v8" Vec,
    Weak "weak" Sem, Volatile "volatile" Sem, Relaxed "relaxed" Sem, Acquire "acquire" Sem,
    Release "release" Sem, AcqRel "acq_rel" Sem, Sc "sc" Sem,
    Cta "cta" Scope, Cluster "cluster" Scope, Gpu "gpu" Scope, Sys "sys" Scope, Gl "gl" Scope,
    Ca "ca" Cache, Cg "cg" Cache, Cs "cs" Cache, Lu "lu" Cache, Cv "cv" Cache, Wb "wb" Cache, Wt "wt" Cache,
    L1EvictNormal "L1::evict_normal" Cache, L1EvictUnchanged "L1::evict_unchanged" Cache,
    L1EvictFirst "L1::evict_first" Cache, L1EvictLast "L1::evict_last" Cache,
    L1NoAllocate "L1::no_allocate" Cache,
    L2EvictNormal "L2::evict_normal" Eviction, L2EvictFirst "L2::evict_first" Eviction,
    L2EvictLast "L2::evict_last" Eviction, L2EvictUnchanged "L2::evict_unchanged" Eviction,
    L2CacheHint "L2::cache_hint" Policy,
    L2Prefetch64 "L2::64B" Hint, L2Prefetch128 "L2::128B" Hint, L2Prefetch256 "L2::256B" Hint,
    L1Prefetch32 "L1::32B" Cache, ValidAddr "valid_addr" Hint,
    Mmio "mmio" Action, Nc "nc" Action, ProxyReadonly "proxy::readonly" Action, Unified "unified" Action2,

    Sp12 "sp::1:2" Sparse, Sp14 "sp::1:4" Sparse, Sp18 "sp::1:8" Sparse, Sp116 "sp::1:16" Sparse, Sp24 "sp::2:4" Sparse,
    Sp28 "sp::2:8" Sparse, Sp216 "sp::2:16" Sparse, Sp48 "sp::4:8" Sparse, Sp416 "sp::4:16" Sparse,
    Fractional "fractional" Mode, Range "range" Mode, Convert "cvt" Mode,
    Width "width" Mode, Height "height" Mode, Depth "depth" Mode, ChannelDataType "channel_data_type" Mode,
    ChannelOrder "channel_order" Mode, NormalizedCoords "normalized_coords" Mode,
    ForceUnnormalizedCoords "force_unnormalized_coords" Mode, FilterMode "filter_mode" Mode,
    AddrMode0 "addr_mode_0" Mode, AddrMode1 "addr_mode_1" Mode, AddrMode2 "addr_mode_2" Mode,
    ArraySize "array_size" Mode, NumMipmapLevels "num_mipmap_levels" Mode, NumSamples "num_samples" Mode,
    MemoryLayout "memory_layout" Mode, Level "level" Action,
    A1d "a1d" Dim, A2d "a2d" Dim, Cube "cube" Dim, CubeArray "acube" Dim, Dim2Samples "2dms" Dim, A2dSamples "a2dms" Dim,
    Base "base" Action, Gradient "grad" Action, Green "g" Mode, Formatted "p" Mode,
    TrapBeside "trap" Sat, ZeroBeside "zero" Sat,
    TextureRef "texref" Mode, SamplerRef "samplerref" Mode, SurfaceRef "surfref" Mode,

    To "to" Action, Uni "uni" Action, L "l" Action, R "r" Action,
    Sync "sync" Action, Arrive "arrive" Action, Red "red" Action, Aligned "aligned" Action2,
    Pack "pack" Mode, Finite "finite" Mode, Infinite "infinite" Mode, Number "number" Mode, NotANumber "notanumber" Mode,
    Normal "normal" Mode, Subnormal "subnormal" Mode,
    Up "up" Mode, Down "down" Mode, Bfly "bfly" Mode, Idx "idx" Mode,
    All "all" Mode, Any "any" Mode, Ballot "ballot" Mode, Warp "warp" Mode, Mask "mask" Mode,
    Popc "popc" Op2, Inc "inc" Op2, Dec "dec" Op2, Cas "cas" Op2, Exch "exch" Op2,
    Level1 "L1" Cache, Level2 "L2" Cache,
    Wait "wait" Action, LaunchDependents "launch_dependents" Action,
    Async "async" Action2, CommitGroup "commit_group" Action, WaitGroup "wait_group" Action, WaitAll "wait_all" Action,
    Proxy "proxy" Action, MbarrierInit "mbarrier_init" Action, Alias "alias" Action2,
    TensormapGeneric "tensormap::generic" Action2, Tensormap "tensormap" Action,
    CompleteTx "mbarrier::complete_tx::bytes" Hint,
    AsyncGeneric "async::generic" Action2, FabricFabric "fabric::fabric" Mode, FabricGeneric "fabric::generic" Mode,
    GenericFabric "generic::fabric" Mode,
    SyncRestrictCta "sync_restrict::shared::cta" Hint, SyncRestrictCluster "sync_restrict::shared::cluster" Hint,
    Bulk "bulk" Bulk, Tensor "tensor" Tensor, Prefetch "prefetch" Action, Read "read" Mode, BulkGroup "bulk_group" Hint,
    MulticastCluster "multicast::cluster" Multicast, IgnoreOob "ignore_oob" Oob, CpMask "cp_mask" Mask,
    CtaGroup1 "cta_group::1" CtaGroup, CtaGroup2 "cta_group::2" CtaGroup,
    Reduce "reduce" Mode,
    Dim1 "1d" Dim, Dim2 "2d" Dim, Dim3 "3d" Dim, Dim4 "4d" Dim, Dim5 "5d" Dim,
    Tile "tile" LoadMode, TileGather4 "tile::gather4" LoadMode, TileScatter4 "tile::scatter4" LoadMode,
    Im2col "im2col" LoadMode, Im2colW "im2col::w" LoadMode, Im2colW128 "im2col::w::128" LoadMode,
    Im2colNoOffs "im2col_no_offs" LoadMode,
    X1 "x1" Count, X2 "x2" Count, X4 "x4" Count, Trans "trans" Trans, Row "row" LayoutA, Col "col" LayoutB,
    B8x16 "b8x16" DType, B6x16P32 "b6x16_p32" AType, B4x16P64 "b4x16_p64" AType,
    MmaAsync "mma_async" Mode, FenceWord "fence" Mode,
    LoadWord "load" Mode, StoreWord "store" Mode, MmaWord "mma" Mode,
    FragmentA "a" Action2, FragmentB "b" Action2, FragmentC "c" Action2, FragmentD "d" Action2,
    Sp "sp" Sparse, SpOrdered "sp::ordered_metadata" Sparse,
    KindF8f6f4 "kind::f8f6f4" Kind, KindMxf8f6f4 "kind::mxf8f6f4" Kind, KindMxf4 "kind::mxf4" Kind,
    KindMxf4nvf4 "kind::mxf4nvf4" Kind, BlockScale "block_scale" BlockScale,
    ScaleVec1 "scale_vec::1X" Scale, ScaleVec2 "scale_vec::2X" Scale, ScaleVec4 "scale_vec::4X" Scale,
    Alloc "alloc" Mode, Dealloc "dealloc" Mode, Relinquish "relinquish_alloc_permit" Mode, Ld "ld" Mode,
    St "st" Mode, Cp "cp" Mode, Shift "shift" Mode, Commit "commit" Mode, WaitLd "wait::ld" Mode,
    WaitSt "wait::st" Mode, FenceBefore "fence::before_thread_sync" Mode,
    FenceAfter "fence::after_thread_sync" Mode, Lanes16x64b "16x64b" Shape, Lanes16x128b "16x128b" Shape,
    Lanes16x256b "16x256b" Shape, Lanes32x32b "32x32b" Shape, Lanes16x32bx2 "16x32bx2" Shape,
    Copy128x256b "128x256b" Shape, Copy4x256b "4x256b" Shape, Copy128x128b "128x128b" Shape,
    Copy64x128b "64x128b" Shape, Copy32x128b "32x128b" Shape, WarpX2Even "warpx2::02_13" Multicast,
    WarpX2Halves "warpx2::01_23" Multicast, WarpX4 "warpx4" Multicast, X8 "x8" Count, X16 "x16" Count,
    X32 "x32" Count, X64 "x64" Count, X128 "x128" Count, Pack16 "pack::16b" Hint, Unpack16 "unpack::16b" Hint,
    ArriveOne "mbarrier::arrive::one" Hint, KindF16 "kind::f16" Kind, KindTf32 "kind::tf32" Kind,
    KindI8 "kind::i8" Kind, Block16 "block16" Scale, Block32 "block32" Scale, Ws "ws" Part,
    Ashift "ashift" ShiftAmt, CollectorFill "collector::a::fill" Cache, CollectorUse "collector::a::use" Cache,
    CollectorLastUse "collector::a::lastuse" Cache, CollectorDiscard "collector::a::discard" Cache,
    CollectorB0Fill "collector::b0::fill" Cache, CollectorB0Use "collector::b0::use" Cache,
    CollectorB0LastUse "collector::b0::lastuse" Cache, CollectorB0Discard "collector::b0::discard" Cache,
    CollectorB1Fill "collector::b1::fill" Cache, CollectorB1Use "collector::b1::use" Cache,
    CollectorB1LastUse "collector::b1::lastuse" Cache, CollectorB1Discard "collector::b1::discard" Cache,
    CollectorB2Fill "collector::b2::fill" Cache, CollectorB2Use "collector::b2::use" Cache,
    CollectorB2LastUse "collector::b2::lastuse" Cache, CollectorB2Discard "collector::b2::discard" Cache,
    CollectorB3Fill "collector::b3::fill" Cache, CollectorB3Use "collector::b3::use" Cache,
    CollectorB3LastUse "collector::b3::lastuse" Cache, CollectorB3Discard "collector::b3::discard" Cache,
    Init "init" Action, Inval "inval" Action, ExpectTx "expect_tx" Action2, Complete "complete_tx" Action,
    ArriveDrop "arrive_drop" Action, TestWait "test_wait" Action, TryWait "try_wait" Action, Parity "parity" Action2,
    PendingCount "pending_count" Action, CheckLayout "check_layout" Action, NoComplete "noComplete" Mode,
    LayoutV0 "layout::v0" Mode, LayoutV1 "layout::v1" Mode, PhasePrimary "phase_type::primary" Mode,
    PhaseConditional "phase_type::conditional" Mode, MulticastCluster32 "multicast::cluster::32b" Multicast,
    Mbarrier "mbarrier" Mode, Noinc "noinc" Hint, SyncRestrictAsync "sync_restrict::proxy::async" Hint,
    LdReduce "ld_reduce" Action, AccF32 "acc::f32" Sat, AccF16 "acc::f16" Sat,
    Replace "replace" Action, CpFenceproxy "cp_fenceproxy" Action, B1024 "b1024" Sat,
    GlobalAddress "global_address" Mode, Rank "rank" Mode, BoxDim "box_dim" Mode, GlobalDim "global_dim" Mode,
    GlobalStride "global_stride" Mode, ElementStride "element_stride" Mode, Elemtype "elemtype" Mode,
    InterleaveLayout "interleave_layout" Mode, SwizzleMode "swizzle_mode" Mode,
    SwizzleAtomicity "swizzle_atomicity" Mode, FillMode "fill_mode" Mode,
    TryCancel "try_cancel" Action, QueryCancel "query_cancel" Action, IsCanceled "is_canceled" Mode,
    FirstCtaid "get_first_ctaid" Mode, FirstCtaidX "get_first_ctaid::x" Mode, FirstCtaidY "get_first_ctaid::y" Mode,
    FirstCtaidZ "get_first_ctaid::z" Mode, MulticastAll "multicast::cluster::all" Multicast,
    Submit "submit" Action, TryGet "try_get" Action, TryPut "try_put" Action, TryRed "try_red" Action,
    TryAtom "try_atom" Action, TryPullred "try_pullred" Action, Multimem "multimem" Multicast,
    Complete16B "mbarrier::complete_tx::16B" Hint, ReportFabric "mbarrier::report::fabric" Mode,
    CountedBytes "counted::bytes" Scale, FetchingOnly "op_restrict::fetching" Hint,
    SyncRestrictRead "sync_restrict::read" Hint, SyncRestrictReads "sync_restrict::reads" Hint,
    OverrideAddress "override::global_address" Override, OverrideDim "override::global_dim" OverrideShape,
    OverrideDimStride "override::global_dim_stride" OverrideShape,
    F4e "f4e" Mode, B4e "b4e" Mode, Rc8 "rc8" Mode, Ecl "ecl" Mode, Ecr "ecr" Mode, Rc16 "rc16" Mode,
}

/// The place a word fills in an instruction, named as the manual names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Slot {
    /// The instruction's only type, or the type of the operation.
    Type,
    /// Type of the destination.
    DType,
    /// Type of source `a`.
    AType,
    /// Type of source `b`.
    BType,
    /// Type of source `c`.
    CType,
    /// Type of the scales of blocks of `a` and `b`.
    SType,
    /// `.hi .lo .wide`, `.clamp .wrap` and kin.
    Mode,
    /// `.sat`.
    Sat,
    /// `.relu`.
    Relu,
    /// `.po`, the plus-one mode of `vmad`.
    Po,
    /// `.cc`, the carry-out flag.
    Cc,
    /// `.shr7 .shr15` of `vmad`.
    Scale,
    /// `.shiftamt` of `bfind`.
    ShiftAmt,
    /// The secondary operation of a video instruction.
    Op2,
    /// A comparison.
    Cmp,
    /// The boolean operation that combines a comparison with a predicate.
    Bool,
    /// Selector on the destination of a scalar video instruction.
    DSel,
    /// Selector on source `a`.
    ASel,
    /// Selector on source `b`.
    BSel,
    /// Elements of the destination that a SIMD video instruction writes.
    Mask,
    /// A selector standing alone.
    Part,
    /// Minus before source `a`.
    NegA,
    /// Minus before source `b`.
    NegB,
    /// Minus before source `c`.
    NegC,
    /// `!` before predicate source `c`.
    NotC,
    /// Rounding.
    Rnd,
    /// `.ftz`.
    Ftz,
    /// `.NaN`.
    NaN,
    /// `.xorsign` (always followed by `.abs`).
    XorSign,
    /// `.abs`.
    Abs,
    /// `.oob`.
    Oob,
    /// State space.
    Space,
    /// Vector width of a memory access.
    Vec,
    /// Memory ordering.
    Sem,
    /// Scope of a memory ordering.
    Scope,
    /// Cache or eviction hint.
    Cache,
    /// Eviction priority in the second-level cache.
    Eviction,
    /// `.L2::cache_hint`, which announces a cache policy operand.
    Policy,
    /// A further hint: prefetch size and kin.
    Hint,
    /// State space of what is read, where two are named.
    From,
    /// `.bulk`.
    Bulk,
    /// `.tensor`.
    Tensor,
    /// How many dimensions a tensor or texture has.
    Dim,
    /// How elements of a tensor are gathered: `.tile`, `.im2col` and kin.
    LoadMode,
    /// `.multicast::cluster`.
    Multicast,
    /// How many CTAs act as one.
    CtaGroup,
    /// Everything else that an opcode's second word may name (`bar.sync`, `bra.uni`, …).
    Action,
    /// A further word of that sort.
    Action2,
    /// How large matrices are.
    Shape,
    /// How many matrices, or how often a shape repeats.
    Count,
    /// Whether `a`, or the only matrix, is stored by rows or by columns.
    LayoutA,
    /// Whether `b` is stored by rows or by columns.
    LayoutB,
    /// `.trans`.
    Trans,
    /// Which family of types a product of matrices is of.
    Kind,
    /// Whether `a` is sparse.
    Sparse,
    /// `.block_scale`, which announces scales of blocks.
    BlockScale,
    /// `.override::global_address`: the tensor lies elsewhere than its map says.
    Override,
    /// `.override::global_dim` and `.override::global_dim_stride`: it has other sizes than its map says.
    OverrideShape,
}

impl Slot {
    /// How many slots there are.
    pub const COUNT: usize = Slot::OverrideShape as usize + 1;

    /// Every slot.
    pub const ALL: &'static [Slot] = &{
        use Slot::*;
        [
            Type,
            DType,
            AType,
            BType,
            CType,
            SType,
            Mode,
            Sat,
            Relu,
            Po,
            Cc,
            Scale,
            ShiftAmt,
            Op2,
            Cmp,
            Bool,
            DSel,
            ASel,
            BSel,
            Mask,
            Part,
            NegA,
            NegB,
            NegC,
            NotC,
            Rnd,
            Ftz,
            NaN,
            XorSign,
            Abs,
            Oob,
            Space,
            Vec,
            Sem,
            Scope,
            Cache,
            Eviction,
            Policy,
            Hint,
            From,
            Bulk,
            Tensor,
            Dim,
            LoadMode,
            Multicast,
            CtaGroup,
            Action,
            Action2,
            Shape,
            Count,
            LayoutA,
            LayoutB,
            Trans,
            Kind,
            Sparse,
            BlockScale,
            Override,
            OverrideShape,
        ]
    };

    /// Slots that hold types: their words keep their relative order wherever they stand.
    pub fn holds_type(self) -> bool {
        self <= Slot::SType
    }
}

const _: () = assert!(Slot::ALL.len() == Slot::COUNT);

impl Word {
    /// The word spelt `text` (without its dot), if PTX has it.
    ///
    /// ```
    /// use margay_isa::Word;
    /// assert_eq!(Word::parse("sat"), Some(Word::Sat));
    /// assert_eq!(Word::parse("b3210").unwrap().to_string(), "b3210");
    /// assert_eq!(Word::parse("sta"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Word> {
        let pattern = || Elements::parse(text).map(Word::Elements);
        Word::fixed(text).or_else(pattern).or_else(|| MatrixShape::parse(text).map(Word::Shape))
    }

    /// The word for matrices of `m` by `k` and `k` by `n`.
    pub const fn shape(m: u16, n: u16, k: u16) -> Word {
        Word::Shape(MatrixShape { m, n, k })
    }

    /// The selector spelt `text` (without its dot); behind an operand `.b32` is a mask, not a type.
    pub fn parse_selector(text: &str) -> Option<Word> {
        Elements::parse(text).map(Word::Elements)
    }

    /// The type that the word names.
    pub fn ty(self) -> Option<Ty> {
        Ty::of(self)
    }

    /// The selector or mask that the word is.
    pub fn elements(self) -> Option<Elements> {
        match self {
            Word::Elements(e) => Some(e),
            _ => None,
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Elements(e) => e.fmt(f),
            Word::Shape(shape) => shape.fmt(f),
            w => f.write_str(w.fixed_text()),
        }
    }
}
