//! Graphs: made, copied, asked for their nodes and edges.

use super::layout::EdgeData;
use super::pass::{Host, In, Out, Text};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::graph::{Graph, Node};
use crate::results::Code;
use crate::work::Work;

/// Edges of the first kind alone: what waits for a part of a kernel waits for all of it here.
const WHOLE: EdgeData = [0; 8];

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphCreate(graph: Out<usize>, flags: u32) -> Status {
    call(|driver| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        driver.current()?;
        graph.give(driver.new_graph().handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDestroy(graph: usize) -> Status {
    call(|driver| driver.destroy_graph(graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphClone(copy: Out<usize>, graph: usize) -> Status {
    call(|driver| copy.give(driver.copy_graph(&*driver.handles.find::<Graph>(graph)?)?.handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeFindInClone(node: Out<usize>, original: usize, copy: usize) -> Status {
    call(|driver| {
        let found = driver.handles.find::<Graph>(copy)?.made_from(original);
        node.give(found.ok_or(Failed::from(Code::INVALID_VALUE))?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDestroyNode(node: usize) -> Status {
    call(|driver| driver.destroy_node(node))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetType(node: usize, kind: Out<u32>) -> Status {
    call(|driver| kind.give(driver.handles.find::<Node>(node)?.work().kind()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetContainingGraph(node: usize, graph: Out<usize>) -> Status {
    call(|driver| graph.give(driver.handles.find::<Node>(node)?.graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetLocalId(node: usize, id: Out<u32>) -> Status {
    call(|driver| {
        let (node, graph) = driver.node(node)?;
        let place = graph.nodes().iter().position(|other| other.handle == node.handle);
        id.give(place.ok_or(Failed::from(Code::INVALID_VALUE))? as u32)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetToolsId(node: usize, id: Out<u64>) -> Status {
    call(|driver| id.give(driver.handles.find::<Node>(node)?.handle as u64))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphGetId(graph: usize, id: Out<u32>) -> Status {
    call(|driver| id.give(driver.handles.find::<Graph>(graph)?.handle as u32))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphGetNodes(graph: usize, nodes: Out<usize>, count: Out<usize>) -> Status {
    call(|driver| {
        let graph = driver.handles.find::<Graph>(graph)?;
        let all: Vec<_> = graph.nodes().iter().map(|node| node.handle).collect();
        nodes.give_some(&all, 0, &count)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphGetRootNodes(graph: usize, nodes: Out<usize>, count: Out<usize>) -> Status {
    call(|driver| nodes.give_some(&driver.handles.find::<Graph>(graph)?.roots(), 0, &count))
}

fn edges(
    graph: usize,
    from: &Out<usize>,
    to: &Out<usize>,
    data: &Out<EdgeData>,
    count: &Out<usize>,
) -> Status {
    call(|driver| {
        if from.is_null() != to.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        let edges = driver.handles.find::<Graph>(graph)?.edges();
        let (befores, afters): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
        let room = if from.is_null() { 0 } else { count.taken()? };
        from.give_some(&befores, 0, count)?;
        if !to.is_null() {
            // The count has become the number of edges that are told.
            count.give(room)?;
            to.give_some(&afters, 0, count)?;
        }
        if data.is_null() { Ok(()) } else { data.give_all(&vec![WHOLE; count.taken()?]) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphGetEdges(
    graph: usize,
    from: Out<usize>,
    to: Out<usize>,
    count: Out<usize>,
) -> Status {
    edges(graph, &from, &to, &Out::nowhere(), &count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphGetEdges_v2(
    graph: usize,
    from: Out<usize>,
    to: Out<usize>,
    data: Out<EdgeData>,
    count: Out<usize>,
) -> Status {
    edges(graph, &from, &to, &data, &count)
}

/// Some nodes beside a node.
fn neighbours(
    node: usize,
    of: impl FnOnce(&Graph) -> Vec<usize>,
    nodes: &Out<usize>,
    data: &Out<EdgeData>,
    count: &Out<usize>,
) -> Status {
    call(|driver| {
        let (_, graph) = driver.node(node)?;
        nodes.give_some(&of(&graph), 0, count)?;
        if data.is_null() || nodes.is_null() {
            return Ok(());
        }
        data.give_all(&vec![WHOLE; count.taken()?])
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetDependencies(node: usize, nodes: Out<usize>, count: Out<usize>) -> Status {
    neighbours(node, |graph| graph.before(node), &nodes, &Out::nowhere(), &count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetDependencies_v2(
    node: usize,
    nodes: Out<usize>,
    data: Out<EdgeData>,
    count: Out<usize>,
) -> Status {
    neighbours(node, |graph| graph.before(node), &nodes, &data, &count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetDependentNodes(node: usize, nodes: Out<usize>, count: Out<usize>) -> Status {
    neighbours(node, |graph| graph.after(node), &nodes, &Out::nowhere(), &count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphNodeGetDependentNodes_v2(
    node: usize,
    nodes: Out<usize>,
    data: Out<EdgeData>,
    count: Out<usize>,
) -> Status {
    neighbours(node, |graph| graph.after(node), &nodes, &data, &count)
}

fn pairs(from: In<usize>, to: In<usize>, count: usize) -> Answer<Vec<(usize, usize)>> {
    Ok(from.all(count)?.into_iter().zip(to.all(count)?).collect())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddDependencies(
    graph: usize,
    from: In<usize>,
    to: In<usize>,
    count: usize,
) -> Status {
    call(|driver| driver.handles.find::<Graph>(graph)?.connect(&pairs(from, to, count)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphAddDependencies_v2(
    graph: usize,
    from: In<usize>,
    to: In<usize>,
    _data: In<EdgeData>,
    count: usize,
) -> Status {
    cuGraphAddDependencies(graph, from, to, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphRemoveDependencies(
    graph: usize,
    from: In<usize>,
    to: In<usize>,
    count: usize,
) -> Status {
    call(|driver| driver.handles.find::<Graph>(graph)?.disconnect(&pairs(from, to, count)?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphRemoveDependencies_v2(
    graph: usize,
    from: In<usize>,
    to: In<usize>,
    _data: In<EdgeData>,
    count: usize,
) -> Status {
    cuGraphRemoveDependencies(graph, from, to, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphChildGraphNodeGetGraph(node: usize, graph: Out<usize>) -> Status {
    call(|driver| match driver.handles.find::<Node>(node)?.work() {
        Work::Graph(within) => graph.give(within.handle),
        _ => Err(Code::INVALID_VALUE.into()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDebugDotPrint(graph: usize, path: Text, _flags: u32) -> Status {
    call(|driver| {
        let (graph, path) = (driver.handles.find::<Graph>(graph)?, path.get()?);
        std::fs::write(&path, graph.picture()).map_err(|error| {
            let text = format!("cannot write the picture of a graph to `{path}`: {error}");
            Failed::because(Code::OPERATING_SYSTEM, text)
        })
    })
}

/// Memory that nodes allocate, by the numbers in `cuda.h`: now in use, the most ever, and the same for what is kept for it.
fn memory_attribute(driver: &Driver, number: u32) -> Answer<u64> {
    let (now, most) = driver.reserved.bytes();
    match number {
        0 | 2 => Ok(now),
        1 | 3 => Ok(most),
        _ => Err(Code::INVALID_VALUE.into()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetGraphMemAttribute(device: i32, number: u32, mut value: Host) -> Status {
    call(|driver| {
        super::device::check(device)?;
        let found = memory_attribute(driver, number)?;
        value.bytes_mut(0, 8)?.copy_from_slice(&found.to_le_bytes());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceSetGraphMemAttribute(device: i32, number: u32, value: Host) -> Status {
    call(|driver| {
        super::device::check(device)?;
        // The most ever can be forgotten, and nothing else.
        if ![1, 3].contains(&number) || u64::from_le_bytes(value.field(0)?) != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        driver.reserved.forget_most();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGraphMemTrim(device: i32) -> Status {
    call(|_| super::device::check(device))
}
