//! The registry: one word per page.

use crate::page::Page;

mod access;
mod approximation;
mod arithmetic;
mod atomic;
mod comparison;
mod contraction;
mod conversion;
mod coordinates;
mod dots;
mod elementwise;
mod endpoint;
mod fragment;
mod layout;
mod lower_approximations;
mod lower_conversions;
mod lower_floats;
mod lowering;
mod members;
mod multiply;
mod pairs;
mod product;
mod product_form;
mod several;
mod silent;
mod sparse;
mod stages;
mod tensor;
mod warpgroup;

macro_rules! pages {
    ($($chapter:ident: $($page:ident)+;)+) => {
        $(mod $chapter { $(pub(super) mod $page;)+ })+
        /// Every page, in the order of the registry.
        pub static PAGES: &[&Page] = &[$($(&$chapter::$page::PAGE),+),+];
    };
}

pub use bulk::reduce_tensor::typed_by_tensor;
pub use cluster::tensormap_replace::replaced_field;
pub use contraction::{Fused, fused};
pub use control::bar::is_aligned;
pub use dots::{dot_of_bytes, dot_of_halves};
pub use integer::add::sum_of;
pub use warp::shfl::absent_lane;

pages! {
    integer: add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a clmad;
    video: vadd vshl vmad vset;
    simd: vadd2 vset2 vadd4 vset4;
    carry: add addc sub subc mad madc;
    float: testp copysign add sub mul fma mad div abs neg min max rcp sqrt rsqrt sin cos lg2 ex2 tanh;
    half: add sub mul fma neg abs min max tanh ex2 set setp;
    mixed: add sub fma;
    data: mov mov_vector ld ld_nc ldu st st_bulk st_async cvta cvt cvt_float cvt_narrow cvt_widen cvt_pack prmt isspacep mapa getctarank prefetch prefetchu cp_async cp_async_ignore createpolicy discard applypriority spcompress spdecompress;
    bulk: groups copy copy_tensor reduce reduce_tensor prefetch prefetch_tensor priority;
    texture: tex tld4 txq istypep suld sust sured suq;
    multimem: ld_reduce st red later copy reduce;
    cluster: setmaxnreg try_cancel query_cancel tensormap_replace tensormap_copy;
    fabric: submit get put red atom pullred get_tensor put_tensor red_tensor;
    mbarrier: init inval transactions arrive arrive_drop wait wait_phase pending_count check_layout arrive_copies;
    memory: atom atom_float red red_float red_async fence;
    stack: stacksave stackrestore alloca;
    warp: shfl vote match_sync activemask redux redux_float elect;
    control: bra brx call ret exit trap bar bar_arrive bar_red bar_warp barrier_cluster nanosleep pmevent brkpt griddepcontrol;
    matrix: wmma_load wmma_store wmma_mma ldmatrix stmatrix movmatrix mma mma_block_scale mma_sp mma_sp_block_scale;
    tcgen05: alloc ld st wait cp shift mma mma_block_scale mma_sp mma_sp_block_scale mma_ws mma_ws_sp fence commit;
    wgmma: fence mma_async mma_async_sp commit_group wait_group;
    compare: set set_float setp setp_float selp slct slct_float;
    logic: and or xor not cnot lop3 shf shl shr;
}
