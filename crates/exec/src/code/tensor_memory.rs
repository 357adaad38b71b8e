//! What instructions do with tensor memory, decoded.

use margay_isa::Across;
use margay_isa::tensor_memory::TensorMemoryOp;

/// Something done with tensor memory, by a whole warp or by each thread by itself.
pub(crate) struct TensorMemoryStep {
    pub(crate) op: TensorMemoryOp,
    /// What is added to each source: to addresses of tensor memory, mostly nothing.
    pub(crate) offsets: Vec<u32>,
}

impl TensorMemoryStep {
    /// Adds what is to be added to what a warp brings.
    pub(crate) fn add_offsets(&self, sources: &mut [Across]) {
        for (source, offset) in sources.iter_mut().zip(&self.offsets).filter(|(_, offset)| **offset != 0) {
            source.iter_mut().for_each(|bits| *bits = (*bits as u32).wrapping_add(*offset).into());
        }
    }
}
