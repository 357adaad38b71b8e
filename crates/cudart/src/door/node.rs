//! Nodes of graphs: what they do, told in the structures of the runtime library.

use super::copy::{Copy3d, Parameters3d};
use super::pass::{Extent3, In, Place, Pointer};
use super::symbol::part;
use super::{Status, call};
use crate::errors::Answer;
use crate::runtime::Runtime;

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Kernel {
    host: usize,
    grid: Extent3,
    block: Extent3,
    shared_bytes: u32,
    values: Pointer,
    extra: Pointer,
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
pub struct DriverKernel {
    function: usize,
    grid: Extent3,
    block: Extent3,
    shared_bytes: u32,
    values: Pointer,
    extra: Pointer,
    kernel: usize,
    context: usize,
}

impl DriverKernel {
    const NOTHING: DriverKernel = DriverKernel {
        function: 0,
        grid: Extent3::NOTHING,
        block: Extent3::NOTHING,
        shared_bytes: 0,
        values: Pointer::NULL,
        extra: Pointer::NULL,
        kernel: 0,
        context: 0,
    };
}

impl Kernel {
    fn for_driver(self, runtime: &Runtime) -> Answer<DriverKernel> {
        let Kernel { host, grid, block, shared_bytes, values, extra } = self;
        let (function, context) = (runtime.function(host)?, context(runtime)?);
        Ok(DriverKernel { function, grid, block, shared_bytes, values, extra, kernel: 0, context })
    }
}

/// The context that is current.
fn context(runtime: &Runtime) -> Answer<usize> {
    let mut context = 0;
    runtime.driver.cuCtxGetCurrent(&mut context)?;
    Ok(context)
}

/// `cudaGraphNodeParams`, as it begins for every kind of node; for a kernel; and for a copy.
#[repr(C)]
#[derive(Clone, Copy)]
struct Head {
    kind: u32,
    _reserved: [u32; 3],
}
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelOf {
    _head: Head,
    kernel: Kernel,
}
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyOf {
    _head: Head,
    _flags: [u64; 2],
    copy: Parameters3d,
}

/// What the structure for any node says, where the driver's has another form; all else it takes as it is.
enum Any {
    Kernel(DriverKernel),
    Copy(Copy3d),
    Same,
}

fn any(runtime: &Runtime, parameters: Pointer) -> Answer<Any> {
    Ok(match parameters.values::<Head>().read()?.kind {
        0 => Any::Kernel(parameters.values::<KernelOf>().read()?.kernel.for_driver(runtime)?),
        1 => Any::Copy(parameters.values::<CopyOf>().read()?.copy.for_driver(runtime)?),
        _ => Any::Same,
    })
}

/// Adds a node of any kind.
pub fn add(
    runtime: &Runtime,
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    edges: Pointer,
    count: usize,
    parameters: Pointer,
) -> Answer {
    let driver = &runtime.driver;
    match any(runtime, parameters)? {
        Any::Kernel(kernel) => driver.cuGraphAddKernelNode_v2(node, graph, after, count, &kernel),
        Any::Copy(copy) => driver.cuGraphAddMemcpyNode(node, graph, after, count, &copy, context(runtime)?),
        Any::Same => driver.cuGraphAddNode_v2(node, graph, after, edges, count, parameters),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeSetParams(node: usize, parameters: Pointer) -> Status {
    call(|runtime| match any(runtime, parameters)? {
        Any::Kernel(kernel) => runtime.driver.cuGraphKernelNodeSetParams_v2(node, &kernel),
        Any::Copy(copy) => runtime.driver.cuGraphMemcpyNodeSetParams(node, &copy),
        Any::Same => runtime.driver.cuGraphNodeSetParams(node, parameters),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecNodeSetParams(executable: usize, node: usize, parameters: Pointer) -> Status {
    call(|runtime| match any(runtime, parameters)? {
        Any::Kernel(kernel) => runtime.driver.cuGraphExecKernelNodeSetParams_v2(executable, node, &kernel),
        Any::Copy(copy) => {
            runtime.driver.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context(runtime)?)
        }
        Any::Same => runtime.driver.cuGraphExecNodeSetParams(executable, node, parameters),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddKernelNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    parameters: In<Kernel>,
) -> Status {
    call(|runtime| {
        let kernel = parameters.read()?.for_driver(runtime)?;
        runtime.driver.cuGraphAddKernelNode_v2(node, graph, after, count, &kernel)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphKernelNodeSetParams(node: usize, parameters: In<Kernel>) -> Status {
    call(|runtime| {
        let kernel = parameters.read()?.for_driver(runtime)?;
        runtime.driver.cuGraphKernelNodeSetParams_v2(node, &kernel)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecKernelNodeSetParams(
    executable: usize,
    node: usize,
    parameters: In<Kernel>,
) -> Status {
    call(|runtime| {
        let kernel = parameters.read()?.for_driver(runtime)?;
        runtime.driver.cuGraphExecKernelNodeSetParams_v2(executable, node, &kernel)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphKernelNodeGetParams(node: usize, parameters: Place<Kernel>) -> Status {
    call(|runtime| {
        let mut told = DriverKernel::NOTHING;
        runtime.driver.cuGraphKernelNodeGetParams_v2(node, &mut told)?;
        let DriverKernel { function, grid, block, shared_bytes, values, extra, .. } = told;
        parameters.give(Kernel { host: function, grid, block, shared_bytes, values, extra })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphKernelNodeSetAttribute(node: usize, attribute: u32, value: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphKernelNodeSetAttribute(node, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphKernelNodeGetAttribute(node: usize, attribute: u32, value: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphKernelNodeGetAttribute(node, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphKernelNodeCopyAttributes(to: usize, from: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphKernelNodeCopyAttributes(to, from))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    parameters: In<Parameters3d>,
) -> Status {
    call(|runtime| {
        let (copy, context) = (parameters.read()?.for_driver(runtime)?, context(runtime)?);
        runtime.driver.cuGraphAddMemcpyNode(node, graph, after, count, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemcpyNodeSetParams(node: usize, parameters: In<Parameters3d>) -> Status {
    call(|runtime| runtime.driver.cuGraphMemcpyNodeSetParams(node, &parameters.read()?.for_driver(runtime)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecMemcpyNodeSetParams(
    executable: usize,
    node: usize,
    parameters: In<Parameters3d>,
) -> Status {
    call(|runtime| {
        let (copy, context) = (parameters.read()?.for_driver(runtime)?, context(runtime)?);
        runtime.driver.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNode1D(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        let (copy, context) = (Copy3d::row(to, from, bytes, kind)?, context(runtime)?);
        runtime.driver.cuGraphAddMemcpyNode(node, graph, after, count, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemcpyNodeSetParams1D(
    node: usize,
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: u32,
) -> Status {
    call(|runtime| runtime.driver.cuGraphMemcpyNodeSetParams(node, &Copy3d::row(to, from, bytes, kind)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecMemcpyNodeSetParams1D(
    executable: usize,
    node: usize,
    to: Pointer,
    from: Pointer,
    bytes: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        let (copy, context) = (Copy3d::row(to, from, bytes, kind)?, context(runtime)?);
        runtime.driver.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNodeToSymbol(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    symbol: usize,
    from: Pointer,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        let (copy, context) =
            (Copy3d::row(part(runtime, symbol, bytes, offset)?, from, bytes, kind)?, context(runtime)?);
        runtime.driver.cuGraphAddMemcpyNode(node, graph, after, count, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemcpyNodeSetParamsToSymbol(
    node: usize,
    symbol: usize,
    from: Pointer,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        runtime.driver.cuGraphMemcpyNodeSetParams(
            node,
            &Copy3d::row(part(runtime, symbol, bytes, offset)?, from, bytes, kind)?,
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
    executable: usize,
    node: usize,
    symbol: usize,
    from: Pointer,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        let (copy, context) =
            (Copy3d::row(part(runtime, symbol, bytes, offset)?, from, bytes, kind)?, context(runtime)?);
        runtime.driver.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNodeFromSymbol(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    to: Pointer,
    symbol: usize,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        let (copy, context) =
            (Copy3d::row(to, part(runtime, symbol, bytes, offset)?, bytes, kind)?, context(runtime)?);
        runtime.driver.cuGraphAddMemcpyNode(node, graph, after, count, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemcpyNodeSetParamsFromSymbol(
    node: usize,
    to: Pointer,
    symbol: usize,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        runtime.driver.cuGraphMemcpyNodeSetParams(
            node,
            &Copy3d::row(to, part(runtime, symbol, bytes, offset)?, bytes, kind)?,
        )
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    executable: usize,
    node: usize,
    to: Pointer,
    symbol: usize,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Status {
    call(|runtime| {
        let (copy, context) =
            (Copy3d::row(to, part(runtime, symbol, bytes, offset)?, bytes, kind)?, context(runtime)?);
        runtime.driver.cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemcpyNodeGetParams(node: usize, parameters: Place<Parameters3d>) -> Status {
    call(|runtime| {
        let mut told = Copy3d::NOTHING;
        runtime.driver.cuGraphMemcpyNodeGetParams(node, &mut told)?;
        parameters.give(Parameters3d::of(runtime, &told)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemsetNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| {
        let context = context(runtime)?;
        runtime.driver.cuGraphAddMemsetNode(node, graph, after, count, parameters, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecMemsetNodeSetParams(
    executable: usize,
    node: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| {
        let context = context(runtime)?;
        runtime.driver.cuGraphExecMemsetNodeSetParams(executable, node, parameters, context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemsetNodeGetParams(node: usize, parameters: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphMemsetNodeGetParams(node, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemsetNodeSetParams(node: usize, parameters: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphMemsetNodeSetParams(node, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddHostNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddHostNode(node, graph, after, count, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphHostNodeGetParams(node: usize, parameters: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphHostNodeGetParams(node, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphHostNodeSetParams(node: usize, parameters: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphHostNodeSetParams(node, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecHostNodeSetParams(
    executable: usize,
    node: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| runtime.driver.cuGraphExecHostNodeSetParams(executable, node, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddChildGraphNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    child: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddChildGraphNode(node, graph, after, count, child))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphChildGraphNodeGetGraph(node: usize, graph: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuGraphChildGraphNodeGetGraph(node, graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecChildGraphNodeSetParams(
    executable: usize,
    node: usize,
    child: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphExecChildGraphNodeSetParams(executable, node, child))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddEmptyNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddEmptyNode(node, graph, after, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddEventRecordNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    event: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddEventRecordNode(node, graph, after, count, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphEventRecordNodeGetEvent(node: usize, event: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuGraphEventRecordNodeGetEvent(node, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphEventRecordNodeSetEvent(node: usize, event: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphEventRecordNodeSetEvent(node, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecEventRecordNodeSetEvent(
    executable: usize,
    node: usize,
    event: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphExecEventRecordNodeSetEvent(executable, node, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddEventWaitNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    event: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddEventWaitNode(node, graph, after, count, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphEventWaitNodeGetEvent(node: usize, event: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuGraphEventWaitNodeGetEvent(node, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphEventWaitNodeSetEvent(node: usize, event: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphEventWaitNodeSetEvent(node, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecEventWaitNodeSetEvent(executable: usize, node: usize, event: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphExecEventWaitNodeSetEvent(executable, node, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemAllocNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddMemAllocNode(node, graph, after, count, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemAllocNodeGetParams(node: usize, parameters: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphMemAllocNodeGetParams(node, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemFreeNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    address: u64,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddMemFreeNode(node, graph, after, count, address))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemFreeNodeGetParams(node: usize, address: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphMemFreeNodeGetParams(node, address))
}
