//! Graphs: made, copied, asked for their nodes, made ready and launched.

use super::pass::{Place, Pointer, Text};
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphCreate(graph: Place<usize>, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuGraphCreate(graph, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDestroy(graph: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphDestroy(graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphClone(copy: Place<usize>, graph: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphClone(copy, graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeFindInClone(node: Place<usize>, original: usize, copy: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeFindInClone(node, original, copy))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDestroyNode(node: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphDestroyNode(node))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetType(node: usize, kind: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetType(node, kind))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetNodes(graph: usize, nodes: Place<usize>, count: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuGraphGetNodes(graph, nodes, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetRootNodes(graph: usize, nodes: Place<usize>, count: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuGraphGetRootNodes(graph, nodes, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDebugDotPrint(graph: usize, path: Text, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuGraphDebugDotPrint(graph, path, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphInstantiateWithFlags(
    executable: Place<usize>,
    graph: usize,
    flags: u64,
) -> Status {
    call(|runtime| runtime.driver.cuGraphInstantiateWithFlags(executable, graph, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphInstantiate(executable: Place<usize>, graph: usize, flags: u64) -> Status {
    cudaGraphInstantiateWithFlags(executable, graph, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphInstantiateWithParams(
    executable: Place<usize>,
    graph: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| runtime.driver.cuGraphInstantiateWithParams(executable, graph, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecDestroy(executable: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphExecDestroy(executable))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecGetFlags(executable: usize, flags: Place<u64>) -> Status {
    call(|runtime| runtime.driver.cuGraphExecGetFlags(executable, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecUpdate(executable: usize, graph: usize, info: Pointer) -> Status {
    call(|runtime| runtime.driver.cuGraphExecUpdate_v2(executable, graph, info))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphUpload(executable: usize, stream: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphUpload(executable, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch(executable: usize, stream: usize) -> Status {
    call(|runtime| runtime.driver.cuGraphLaunch(executable, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeSetEnabled(executable: usize, node: usize, is_enabled: u32) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeSetEnabled(executable, node, is_enabled))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetEnabled(executable: usize, node: usize, is_enabled: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetEnabled(executable, node, is_enabled))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetGraphMemAttribute(device: i32, attribute: u32, value: Pointer) -> Status {
    call(|runtime| runtime.driver.cuDeviceGetGraphMemAttribute(device, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetGraphMemAttribute(device: i32, attribute: u32, value: Pointer) -> Status {
    call(|runtime| runtime.driver.cuDeviceSetGraphMemAttribute(device, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGraphMemTrim(device: i32) -> Status {
    call(|runtime| runtime.driver.cuDeviceGraphMemTrim(device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaUserObjectCreate(
    object: Place<usize>,
    data: Pointer,
    destroy: Pointer,
    count: u32,
    flags: u32,
) -> Status {
    call(|runtime| runtime.driver.cuUserObjectCreate(object, data, destroy, count, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaUserObjectRetain(object: usize, count: u32) -> Status {
    call(|runtime| runtime.driver.cuUserObjectRetain(object, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaUserObjectRelease(object: usize, count: u32) -> Status {
    call(|runtime| runtime.driver.cuUserObjectRelease(object, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphRetainUserObject(graph: usize, object: usize, count: u32, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuGraphRetainUserObject(graph, object, count, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphReleaseUserObject(graph: usize, object: usize, count: u32) -> Status {
    call(|runtime| runtime.driver.cuGraphReleaseUserObject(graph, object, count))
}
