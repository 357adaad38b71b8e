//! Nodes of graphs: added, and given other parameters, also in graphs that are ready for launches.

use super::executable::exec;
use super::launch::work;
use super::layout::{Allocate, Copy3d, EdgeData, Fill1, Host1, Kernel1, Kernel2, Properties};
use super::pass::{Host, In, Out};
use super::{Status, call};
use crate::driver::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::graph::{Graph, Node};
use crate::kernel::Kernel;
use crate::launch::Wanted;
use crate::results::Code;
use crate::work::{Fill, KernelWork, Work};

impl Kernel1 {
    fn work(&self, driver: &Driver, before: Option<&KernelWork>) -> Answer<Work> {
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
    fn first(&self) -> Kernel1 {
        let function = if self.first.function == 0 { self.kernel } else { self.first.function };
        Kernel1 { function, ..self.first }
    }
}

impl Fill1 {
    fn work(&self) -> Answer<Work> {
        let Fill1 { address, pitch, value, element, width, height } = *self;
        let fill = Fill { address, pitch, value, element, width, height };
        fill.check().map(|()| Work::Fill(fill))
    }

    fn of(fill: &Fill) -> Fill1 {
        let Fill { address, pitch, value, element, width, height } = *fill;
        Fill1 { address, pitch, value, element, width, height }
    }
}

impl Host1 {
    fn work(&self) -> Answer<Work> {
        Ok(Work::Host(self.function.ok_or(Failed::from(Code::INVALID_VALUE))?, self.data))
    }
}

fn record(driver: &Driver, event: usize) -> Answer<Work> {
    driver.handles.find::<Event>(event).map(Work::Record)
}

fn wait(driver: &Driver, event: usize) -> Answer<Work> {
    driver.handles.find::<Event>(event).map(Work::Wait)
}

fn within(driver: &Driver, graph: usize) -> Answer<Work> {
    driver.copy_graph(&*driver.handles.find::<Graph>(graph)?).map(Work::Graph)
}

/// A node that comes after others.
fn add(
    node: &Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    work: impl FnOnce(&Driver) -> Answer<Work>,
) -> Status {
    call(|driver| {
        let graph = driver.handles.find::<Graph>(graph)?;
        let after = after.all(count)?;
        node.give(driver.add_node(&graph, &after, work(driver)?)?)
    })
}

fn set(node: usize, work: impl FnOnce(&Driver) -> Answer<Work>) -> Status {
    call(|driver| {
        let node = driver.handles.find::<Node>(node)?;
        let work = work(driver)?;
        work.check(driver)?;
        node.set_work(work)
    })
}

fn get<T>(node: usize, to: &Out<T>, of: impl FnOnce(&Work) -> Option<T>) -> Status {
    call(|driver| {
        let work = driver.handles.find::<Node>(node)?.work();
        to.give(of(&work).ok_or(Failed::from(Code::INVALID_VALUE))?)
    })
}

/// What a kernel's node is told beside its parameters.
fn before(driver: &Driver, node: usize) -> Option<KernelWork> {
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

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddMemcpyNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    copy: In<Copy3d>,
    _context: usize,
) -> Status {
    add(&node, graph, after, count, |_| copy.read().map(Work::Copy))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemcpyNodeGetParams(node: usize, copy: Out<Copy3d>) -> Status {
    get(node, &copy, |work| match work {
        Work::Copy(copy) => Some(*copy),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemcpyNodeSetParams(node: usize, copy: In<Copy3d>) -> Status {
    set(node, |_| copy.read().map(Work::Copy))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecMemcpyNodeSetParams(
    executable: usize,
    node: usize,
    copy: In<Copy3d>,
    _context: usize,
) -> Status {
    exec(executable, node, |_| copy.read().map(Work::Copy))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddMemsetNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    fill: In<Fill1>,
    _context: usize,
) -> Status {
    add(&node, graph, after, count, |_| fill.read()?.work())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemsetNodeGetParams(node: usize, fill: Out<Fill1>) -> Status {
    get(node, &fill, |work| match work {
        Work::Fill(fill) => Some(Fill1::of(fill)),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemsetNodeSetParams(node: usize, fill: In<Fill1>) -> Status {
    set(node, |_| fill.read()?.work())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecMemsetNodeSetParams(
    executable: usize,
    node: usize,
    fill: In<Fill1>,
    _context: usize,
) -> Status {
    exec(executable, node, |_| fill.read()?.work())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddHostNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    host: In<Host1>,
) -> Status {
    add(&node, graph, after, count, |_| host.read()?.work())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphHostNodeGetParams(node: usize, host: Out<Host1>) -> Status {
    get(node, &host, |work| match work {
        Work::Host(function, data) => Some(Host1 { function: Some(*function), data: *data }),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphHostNodeSetParams(node: usize, host: In<Host1>) -> Status {
    set(node, |_| host.read()?.work())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecHostNodeSetParams(executable: usize, node: usize, host: In<Host1>) -> Status {
    exec(executable, node, |_| host.read()?.work())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddChildGraphNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    child: usize,
) -> Status {
    add(&node, graph, after, count, |driver| within(driver, child))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddEmptyNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
) -> Status {
    add(&node, graph, after, count, |_| Ok(Work::Empty))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddEventRecordNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    event: usize,
) -> Status {
    add(&node, graph, after, count, |driver| record(driver, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphEventRecordNodeGetEvent(node: usize, event: Out<usize>) -> Status {
    get(node, &event, |work| match work {
        Work::Record(event) => Some(event.handle),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphEventRecordNodeSetEvent(node: usize, event: usize) -> Status {
    set(node, |driver| record(driver, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecEventRecordNodeSetEvent(executable: usize, node: usize, event: usize) -> Status {
    exec(executable, node, |driver| record(driver, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddEventWaitNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    event: usize,
) -> Status {
    add(&node, graph, after, count, |driver| wait(driver, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphEventWaitNodeGetEvent(node: usize, event: Out<usize>) -> Status {
    get(node, &event, |work| match work {
        Work::Wait(event) => Some(event.handle),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphEventWaitNodeSetEvent(node: usize, event: usize) -> Status {
    set(node, |driver| wait(driver, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecEventWaitNodeSetEvent(executable: usize, node: usize, event: usize) -> Status {
    exec(executable, node, |driver| wait(driver, event))
}

/// Memory for a node, whose address goes to where its parameters are.
fn allocate(driver: &Driver, parameters: &Out<Allocate>) -> Answer<Work> {
    let wanted = parameters.taken()?;
    let memory = driver.reserve(wanted.bytes as u64, driver.current()?.handle)?;
    parameters.give(Allocate { address: memory.address, ..wanted })?;
    Ok(Work::Allocate(memory))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddMemAllocNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    parameters: Out<Allocate>,
) -> Status {
    add(&node, graph, after, count, |driver| allocate(driver, &parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemAllocNodeGetParams(node: usize, parameters: Out<Allocate>) -> Status {
    get(node, &parameters, |work| match work {
        Work::Allocate(memory) => Some(Allocate {
            properties: Properties::PINNED,
            _rest: [0; 9],
            _access: Host::nowhere(),
            _access_count: 0,
            bytes: memory.bytes as usize,
            address: memory.address,
        }),
        _ => None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddMemFreeNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    address: u64,
) -> Status {
    add(&node, graph, after, count, |driver| driver.check_reserved(address).map(|()| Work::Free(address)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemFreeNodeGetParams(node: usize, address: Out<u64>) -> Status {
    get(node, &address, |work| match work {
        Work::Free(address) => Some(*address),
        _ => None,
    })
}

/// Where the parameters of a node begin in `CUgraphNodeParams`, after its kind.
const PARAMETERS: u64 = 16;
/// Where the rectangle of a copy begins in them, after flags and the context.
const COPY: u64 = 16;

/// What a node of any kind does.
fn any(driver: &Driver, parameters: Host, node: usize) -> Answer<Work> {
    let kind = u32::from_le_bytes(parameters.field(0)?);
    let own = parameters.further(PARAMETERS);
    let handle = || own.field(0).map(usize::from_le_bytes);
    match kind {
        0 => own.values::<Kernel2>().read()?.first().work(driver, before(driver, node).as_ref()),
        1 => own.further(COPY).values::<Copy3d>().read().map(Work::Copy),
        2 => own.values::<Fill1>().read()?.work(),
        3 => own.values::<Host1>().read()?.work(),
        4 => within(driver, handle()?),
        5 => Ok(Work::Empty),
        6 => wait(driver, handle()?),
        7 => record(driver, handle()?),
        10 => allocate(driver, &own.room()),
        11 => {
            let address = u64::from_le_bytes(own.field(0)?);
            driver.check_reserved(address).map(|()| Work::Free(address))
        }
        _ => {
            let text = format!("nodes of kind {kind} are not supported in graphs");
            Err(Failed::because(Code::NOT_SUPPORTED, text))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddNode(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    count: usize,
    parameters: Host,
) -> Status {
    add(&node, graph, after, count, |driver| any(driver, parameters, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddNode_v2(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    _data: In<EdgeData>,
    count: usize,
    parameters: Host,
) -> Status {
    cuGraphAddNode(node, graph, after, count, parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddNode_v3(
    node: Out<usize>,
    graph: usize,
    after: In<usize>,
    _data: In<EdgeData>,
    count: usize,
    parameters: Host,
) -> Status {
    cuGraphAddNode(node, graph, after, count, parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeSetParams(node: usize, parameters: Host) -> Status {
    set(node, |driver| any(driver, parameters, node))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeSetParams_v2(node: usize, parameters: Host) -> Status {
    cuGraphNodeSetParams(node, parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecNodeSetParams(executable: usize, node: usize, parameters: Host) -> Status {
    exec(executable, node, |driver| any(driver, parameters, node))
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
