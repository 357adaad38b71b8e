//! Nodes that launch kernels: added, given other parameters, and asked for the attributes of their launches.

use super::executable::exec;
use super::launch::work;
use super::layout::{Kernel1, Kernel2};
use super::node::{add, get, set};
use super::pass::{Host, In, Out};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::Answer;
use crate::graph::Node;
use crate::kernel::Kernel;
use crate::results::Code;
use crate::work::{KernelWork, Wanted, Work};

impl Kernel1 {
    pub fn work(&self, driver: &Driver, before: Option<&KernelWork>) -> Answer<Work> {
        let kernel = driver.handles.find::<Kernel>(self.function)?;
        // What a launch says beside this stays as it was.
        let (cooperative, cluster) =
            before.map_or((false, None), |b| (b.wanted.cooperative, b.wanted.cluster));
        let wanted = Wanted {
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
            cooperative,
            cluster,
        };
        work(driver, kernel, [self.values, self.extra], wanted)
    }

    fn of(work: &KernelWork) -> Kernel1 {
        let Wanted { grid, block, shared_bytes, .. } = work.wanted;
        let values = work.parameters.pointers(work.kernel.function());
        Kernel1 { function: work.kernel.handle, grid, block, shared_bytes, values, extra: In::nothing() }
    }
}

impl Kernel2 {
    pub fn first(&self) -> Kernel1 {
        let function = if self.first.function == 0 { self.kernel } else { self.first.function };
        Kernel1 { function, ..self.first }
    }
}

/// What a kernel's node is told beside its parameters.
pub(super) fn before(driver: &Driver, node: usize) -> Option<KernelWork> {
    match driver.handles.find::<Node>(node).ok()?.work() {
        Work::Kernel(work) => Some(work),
        _ => None,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddKernelNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    parameters: In<Kernel1>,
) -> Status {
    add(&node, graph, after, count, |driver| parameters.read()?.work(driver, None))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddKernelNode_v2(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    parameters: In<Kernel2>,
) -> Status {
    add(&node, graph, after, count, |driver| parameters.read()?.first().work(driver, None))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeGetParams(node: usize, parameters: Out<Kernel1>) -> Status {
    get(node, &parameters, |work| match work {
        Work::Kernel(work) => Some(Kernel1::of(work)),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeGetParams_v2(node: usize, parameters: Out<Kernel2>) -> Status {
    get(node, &parameters, |work| match work {
        Work::Kernel(work) => {
            Some(Kernel2 { first: Kernel1::of(work), kernel: 0, context: work.context.handle })
        }
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeSetParams(node: usize, parameters: In<Kernel1>) -> Status {
    set(node, |driver| parameters.read()?.work(driver, before(driver, node).as_ref()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeSetParams_v2(node: usize, parameters: In<Kernel2>) -> Status {
    set(node, |driver| parameters.read()?.first().work(driver, before(driver, node).as_ref()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecKernelNodeSetParams(
    executable: usize,
    node: usize,
    parameters: In<Kernel1>,
) -> Status {
    exec(executable, node, |driver| parameters.read()?.work(driver, before(driver, node).as_ref()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecKernelNodeSetParams_v2(
    executable: usize,
    node: usize,
    parameters: In<Kernel2>,
) -> Status {
    exec(executable, node, |driver| parameters.read()?.first().work(driver, before(driver, node).as_ref()))
}

/// Attributes of a kernel's node are those of its launch; of these two matter here.
const CLUSTER: u32 = 4;
const COOPERATIVE: u32 = 2;

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeCopyAttributes(to: usize, from: usize) -> Status {
    call(|driver| {
        let [to, from] = [to, from].map(|node| driver.handles.find::<Node>(node));
        let (to, from) = (to?, from?);
        match (to.work(), from.work()) {
            (Work::Kernel(mut own), Work::Kernel(other)) => {
                own.wanted.cooperative = other.wanted.cooperative;
                own.wanted.cluster = other.wanted.cluster;
                to.set_work(Work::Kernel(own))
            }
            _ => Err(Code::INVALID_VALUE.into()),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeSetAttribute(node: usize, number: u32, value: Host) -> Status {
    call(|driver| {
        let node = driver.handles.find::<Node>(node)?;
        let Work::Kernel(mut work) = node.work() else { return Err(Code::INVALID_VALUE.into()) };
        let word = |at: u64| value.field(4 * at).map(u32::from_le_bytes);
        match number {
            COOPERATIVE => work.wanted.cooperative = word(0)? != 0,
            CLUSTER => work.wanted.cluster = Some([word(0)?, word(1)?, word(2)?]),
            _ => {}
        }
        node.set_work(Work::Kernel(work))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphKernelNodeGetAttribute(node: usize, number: u32, mut value: Host) -> Status {
    call(|driver| {
        let Work::Kernel(work) = driver.handles.find::<Node>(node)?.work() else {
            return Err(Code::INVALID_VALUE.into());
        };
        let words = match number {
            COOPERATIVE => [u32::from(work.wanted.cooperative), 0, 0],
            CLUSTER => work.wanted.cluster.unwrap_or_default(),
            _ => [0; 3],
        };
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        value.bytes_mut(0, bytes.len() as u64)?.copy_from_slice(&bytes);
        Ok(())
    })
}
