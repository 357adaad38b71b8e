//! Clusters of blocks: who says their shape, and what it may be.

use crate::device::Device;
use crate::failed::{Answer, Failed};
use crate::kernel::Kernel;
use crate::results::Code;
use margay_doors::problem::Problem;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// The first compute capability that has them.
const SINCE: u32 = 9;
/// So many blocks of a cluster fit every device that has them; more are for kernels that allow it.
const PORTABLE: u32 = 8;
const MOST: u32 = 16;

/// What programs set of a kernel's clusters.
#[derive(Default)]
pub struct Clusters {
    /// The shape that launches have; 0 where nobody has set it.
    shape: [AtomicU32; 3],
    /// Whether there may be more blocks than fit every device.
    is_large: AtomicBool,
}

/// Attributes of kernels by their numbers in `cuda.h`.
pub const MUST_BE_SET: u32 = 10;
const WIDTH: u32 = 11;
const DEPTH: u32 = 13;
const LARGE: u32 = 14;
const POLICY: u32 = 15;

impl Kernel {
    /// An attribute of its clusters.
    pub fn cluster_attribute(&self, number: u32) -> u32 {
        match number {
            MUST_BE_SET => u32::from(self.function().performance.explicitcluster),
            WIDTH..=DEPTH => self.required().map_or(0, |shape| shape[(number - WIDTH) as usize]),
            LARGE => u32::from(self.clusters.is_large.load(Relaxed)),
            _ => 0,
        }
    }

    /// Sets an attribute of its clusters.
    pub fn set_cluster_attribute(&self, number: u32, value: u32) -> Answer {
        match number {
            WIDTH..=DEPTH if self.function().performance.reqnctapercluster.is_none() => {
                self.clusters.shape[(number - WIDTH) as usize].store(value, Relaxed);
            }
            LARGE if value <= 1 => self.clusters.is_large.store(value == 1, Relaxed),
            // In which order clusters are given to the device is its own affair.
            POLICY if value <= 2 => {}
            _ => return Err(Code::INVALID_VALUE.into()),
        }
        Ok(())
    }

    /// The shape that its launches have, by its source or by what programs have set.
    fn required(&self) -> Option<[u32; 3]> {
        let set = self.clusters.shape.each_ref().map(|extent| extent.load(Relaxed));
        let set = Some(set).filter(|set| set.iter().all(|extent| *extent > 0));
        self.function().performance.reqnctapercluster.or(set)
    }

    /// The shape of clusters in a launch with a grid and the shape that it says, if there is one.
    pub fn cluster(
        &self,
        device: &Device,
        grid: [u32; 3],
        said: Option<[u32; 3]>,
    ) -> Answer<Option<[u32; 3]>> {
        let Some(shape) = said.or_else(|| self.required()) else { return Ok(None) };
        if device.major < SINCE {
            if shape == [1, 1, 1] {
                return Ok(None);
            }
            let text = format!(
                "{} has no clusters of blocks, and the launch asks for clusters of {}",
                device.target,
                written(shape)
            );
            let problem = Problem::new(text).help("`MARGAY_CUDA_ARCH=sm_90` makes it a device that has them");
            return Err(Failed::told(Code::NOT_SUPPORTED, &problem));
        }
        let blocks = shape.into_iter().fold(1, u32::saturating_mul);
        let most = self.most_of_cluster(device)?;
        let wrong = |why: String| {
            let name = self.name.to_string_lossy();
            let text = format!("kernel `{name}` cannot be launched in clusters of {}: {why}", written(shape));
            Err(Failed::because(Code::INVALID_CLUSTER_SIZE, text))
        };
        if blocks == 0 {
            return wrong("an extent is 0".into());
        }
        if blocks > most {
            let set = "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED";
            let help = if most < MOST { format!(" ({MOST} after {set} was set)") } else { String::new() };
            return wrong(format!("they have {blocks} blocks, and at most {most} are allowed{help}"));
        }
        if grid.iter().zip(shape).any(|(blocks, each)| blocks % each != 0) {
            return wrong(format!("the grid of {} is not made of whole clusters", written(grid)));
        }
        Ok(Some(shape))
    }

    /// The most blocks that its clusters may have.
    pub fn most_of_cluster(&self, device: &Device) -> Answer<u32> {
        match device.major {
            ..SINCE => Err(Code::NOT_SUPPORTED.into()),
            _ if self.clusters.is_large.load(Relaxed) => Ok(MOST),
            _ => Ok(PORTABLE),
        }
    }
}

fn written(shape: [u32; 3]) -> String {
    shape.map(|extent| extent.to_string()).join("x")
}
