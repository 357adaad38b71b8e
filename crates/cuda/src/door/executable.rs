//! Graphs that are ready for launches.

use super::layout::Instantiate;
use super::pass::{Host, Out};
use super::{Status, call};
use crate::driver::Driver;
use crate::executable::{Difference, Executable};
use crate::failed::{Answer, Failed};
use crate::graph::Graph;
use crate::results::Code;
use crate::work::Work;

/// Results of an instantiation that was asked for by these, by their numbers in `cuda.h`.
const GOOD: u32 = 0;
const FAILED: u32 = 1;

/// Lets a node of an executable graph do something else.
pub(super) fn exec(executable: usize, node: usize, work: impl FnOnce(&Driver) -> Answer<Work>) -> Status {
    call(|driver| {
        let executable = driver.handles.find::<Executable>(executable)?;
        match work(driver)? {
            Work::Graph(graph) => {
                let set = executable.set_graph(node, &graph);
                driver.destroy_graph(graph.handle)?;
                set
            }
            work => {
                driver.check_work(&work)?;
                executable.set_work(node, work)
            }
        }
    })
}

fn instantiate(driver: &Driver, executable: &Out<usize>, graph: usize, flags: u64) -> Answer {
    let graph = driver.handles.find::<Graph>(graph)?;
    executable.give(driver.instantiate(&graph, flags)?.handle)
}

/// The first way, with room for a log that nothing is written to.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiate(
    executable: Out<usize>,
    graph: usize,
    node: Out<usize>,
    _log: Host,
    _bytes: usize,
) -> Status {
    node.offer(0);
    call(|driver| instantiate(driver, &executable, graph, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiate_v2(
    executable: Out<usize>,
    graph: usize,
    node: Out<usize>,
    log: Host,
    bytes: usize,
) -> Status {
    cuGraphInstantiate(executable, graph, node, log, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiateWithFlags(executable: Out<usize>, graph: usize, flags: u64) -> Status {
    call(|driver| instantiate(driver, &executable, graph, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiateWithParams(
    executable: Out<usize>,
    graph: usize,
    parameters: Out<Instantiate>,
) -> Status {
    call(|driver| {
        let wanted = parameters.taken()?;
        let done = instantiate(driver, &executable, graph, wanted.flags);
        let result = if done.is_ok() { GOOD } else { FAILED };
        parameters.give(Instantiate { node: 0, result, ..wanted })?;
        done
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecDestroy(executable: usize) -> Status {
    call(|driver| driver.handles.take::<Executable>(executable).map(|_| ()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecGetFlags(executable: usize, flags: Out<u64>) -> Status {
    call(|driver| flags.give(driver.handles.find::<Executable>(executable)?.flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecGetId(executable: usize, id: Out<u32>) -> Status {
    call(|driver| id.give(driver.handles.find::<Executable>(executable)?.handle as u32))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecChildGraphNodeSetParams(executable: usize, node: usize, child: usize) -> Status {
    call(|driver| {
        let child = driver.handles.find::<Graph>(child)?;
        driver.handles.find::<Executable>(executable)?.set_graph(node, &child)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphUpload(executable: usize, stream: usize) -> Status {
    call(|driver| {
        driver.handles.find::<Executable>(executable)?;
        driver.stream(stream).map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphLaunch(executable: usize, stream: usize) -> Status {
    call(|driver| driver.launch_graph(&*driver.handles.find::<Executable>(executable)?, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeSetEnabled(executable: usize, node: usize, is_enabled: u32) -> Status {
    call(|driver| {
        driver.handles.find::<Executable>(executable)?.with_step(node, |step| {
            if !matches!(step.work, Work::Kernel(_) | Work::Copy(_) | Work::Fill(_)) {
                return Err(Code::INVALID_VALUE.into());
            }
            step.is_enabled = is_enabled != 0;
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetEnabled(executable: usize, node: usize, is_enabled: Out<u32>) -> Status {
    call(|driver| {
        let step = driver.handles.find::<Executable>(executable)?.with_step(node, |step| Ok(step.is_enabled));
        is_enabled.give(step?.into())
    })
}

/// What an update answers that changes nothing, and by what it says why.
fn update(executable: usize, graph: usize, say: impl FnOnce(u32, usize) -> Answer) -> Status {
    call(|driver| {
        let executable = driver.handles.find::<Executable>(executable)?;
        match executable.update(&*driver.handles.find::<Graph>(graph)?)? {
            None => say(0, 0),
            Some(Difference { result, node }) => {
                say(result, node)?;
                Err(Failed::from(Code::GRAPH_EXEC_UPDATE_FAILURE))
            }
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecUpdate(
    executable: usize,
    graph: usize,
    node: Out<usize>,
    result: Out<u32>,
) -> Status {
    update(executable, graph, |why, wrong| {
        node.offer(wrong);
        result.give(why)
    })
}

/// `CUgraphExecUpdateResultInfo`: the result, the node, and the one before it where an edge is meant.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecUpdate_v2(executable: usize, graph: usize, info: Out<[usize; 3]>) -> Status {
    update(executable, graph, |why, wrong| info.give([why as usize, wrong, 0]))
}
