//! The shared memory of other blocks of the cluster (manual, section 5.1.7): addresses, and which bytes they mean.
//!
//! An address below 2^24 is one of the block that looks; behind the windows of other spaces each block of the cluster has 2^24
//! addresses, which mean the same to all of them.

use super::access::{between, window};
use super::lane::{Bytes, Lane};
use crate::memory::{Access, Fault, FaultKind, Region, Window, holds};
use margay_front::module::Space;

impl<'a> Lane<'a> {
    /// The bytes that an access means to an address above those of the block's own window.
    #[cold]
    pub(super) fn shared_of_cta(
        &self,
        access: Access,
        far: bool,
        address: u64,
        bytes: u64,
    ) -> Result<Bytes<'a>, Fault> {
        let (frame, layout) = (&self.job.ready.frame, self.job.memory.layout());
        let fault = Fault::at(Space::Shared, access, address, bytes);
        let Some((rank, offset)) =
            layout.cta_of(address).filter(|(rank, _)| u64::from(*rank) < self.job.cluster_blocks())
        else {
            window(Space::Shared, frame.shared_bytes, || frame.shared.clone(), access, address, bytes)?;
            return Err(fault);
        };
        let start = layout.shared_of_cta(rank);
        let region = |region: &Region| Region {
            name: format!("{} of block {rank} of the cluster", region.name),
            base: start + region.base,
            bytes: region.bytes,
        };
        let whole = Region {
            name: format!("the shared memory of block {rank} of the cluster"),
            base: start,
            bytes: frame.shared_bytes,
        };
        if !far && rank != self.rank {
            return Err(fault.near(&whole).because(FaultKind::OtherSpace));
        }
        if self.shared.ended >> rank & 1 == 1 {
            return Err(fault.near(&whole).because(FaultKind::Ended));
        }
        let regions = || -> Vec<Region> { frame.shared.iter().map(region).collect() };
        if let Some(kind) = whole.refusal(address, bytes, bytes) {
            let nearest = regions().into_iter().rev().min_by_key(|region| region.distance(address));
            return Err(fault.near(&nearest.unwrap_or(whole)).because(kind));
        }
        if frame.apart && !holds(&frame.shared, offset, bytes) {
            return Err(between(Space::Shared, &regions(), access, address, bytes));
        }
        Ok(Bytes::Shared(u64::from(rank) * self.job.shared_step() + offset))
    }

    /// What the place at an offset into the cluster's shared memory is called in messages: the block's own address, or the
    /// cluster's.
    pub(super) fn shared_address(&self, at: u64) -> u64 {
        let step = self.job.shared_step();
        match at.checked_sub(u64::from(self.rank) * step).filter(|own| *own < step.max(1)) {
            Some(own) => own,
            None => self.job.memory.layout().shared_of_cta((at / step) as u32) + at % step,
        }
    }

    /// The address of the same place in the block with this number in the cluster (manual, section 9.7.9.23).
    pub(super) fn map_to_cta(&self, address: u64, rank: u32, generic: bool) -> Result<u64, String> {
        let (layout, count) = (self.job.memory.layout(), self.job.cluster_blocks());
        if u64::from(rank) >= count {
            let blocks = if count == 1 { "1 block".into() } else { format!("{count} blocks") };
            return Err(format!("there is no block {rank} in the cluster, which has {blocks}"));
        }
        let base = if generic { layout.shared.base } else { 0 };
        let offset = address.wrapping_sub(base);
        let own = match layout.cta_of(offset) {
            Some((_, own)) => own,
            None if offset < Window::BYTES => offset,
            None => return Err(format!("{address:#x} is not an address of shared memory")),
        };
        Ok(base + layout.shared_of_cta(rank) + own)
    }

    /// The number in the cluster of the block that has an address (manual, section 9.7.9.24).
    pub(super) fn cta_of(&self, address: u64, generic: bool) -> u32 {
        let layout = self.job.memory.layout();
        let offset = if generic { address.wrapping_sub(layout.shared.base) } else { address };
        layout.cta_of(offset).map_or(self.rank, |(rank, _)| rank)
    }

    /// Whether a generic address is one of shared memory, the block's own or that of any block of the cluster.
    pub(super) fn lies_in_shared(&self, address: u64, far: bool) -> bool {
        let layout = self.job.memory.layout();
        let named = self.job.far_offset(address).and_then(|offset| layout.cta_of(offset));
        layout.shared.offset(address).is_some() || named.is_some_and(|(rank, _)| far || rank == self.rank)
    }
}
