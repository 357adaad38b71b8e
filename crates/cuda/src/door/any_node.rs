//! Nodes of any kind, by the one structure that holds the parameters of all.

use super::Status;
use super::executable::exec;
use super::kernel_node::before;
use super::layout::{Copy3d, EdgeData, Fill1, Host1, Kernel2};
use super::node::{add, allocate, record, set, wait, within};
use super::pass::{Host, In, Out};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::work::Work;

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
            driver.reserved.check(address).map(|()| Work::Free(address))
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
