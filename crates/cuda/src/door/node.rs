//! Nodes of graphs: added, and given other parameters, also in graphs that are ready for launches.

use super::executable::exec;
use super::layout::{Allocate, Copy3d, Fill1, Host1, Properties};
use super::pass::{Host, In, Out};
use super::{Status, call};
use crate::driver::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::graph::{Graph, Node};
use crate::results::Code;
use crate::work::{Fill, Work};

impl Fill1 {
    pub fn work(&self) -> Answer<Work> {
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
    pub fn work(&self) -> Answer<Work> {
        Ok(Work::Host(self.function.ok_or(Failed::from(Code::INVALID_VALUE))?, self.data))
    }
}

pub(super) fn record(driver: &Driver, event: usize) -> Answer<Work> {
    driver.handles.find::<Event>(event).map(Work::Record)
}

pub(super) fn wait(driver: &Driver, event: usize) -> Answer<Work> {
    driver.handles.find::<Event>(event).map(Work::Wait)
}

pub(super) fn within(driver: &Driver, graph: usize) -> Answer<Work> {
    driver.copy_graph(&*driver.handles.find::<Graph>(graph)?).map(Work::Graph)
}

/// A node that comes after others.
pub(super) fn add(
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

pub(super) fn set(node: usize, work: impl FnOnce(&Driver) -> Answer<Work>) -> Status {
    call(|driver| {
        let node = driver.handles.find::<Node>(node)?;
        let work = work(driver)?;
        driver.check_work(&work)?;
        node.set_work(work)
    })
}

pub(super) fn get<T>(node: usize, to: &Out<T>, of: impl FnOnce(&Work) -> Option<T>) -> Status {
    call(|driver| {
        let work = driver.handles.find::<Node>(node)?.work();
        to.give(of(&work).ok_or(Failed::from(Code::INVALID_VALUE))?)
    })
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
pub(super) fn allocate(driver: &Driver, parameters: &Out<Allocate>) -> Answer<Work> {
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
    add(&node, graph, after, count, |driver| driver.reserved.check(address).map(|()| Work::Free(address)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphMemFreeNodeGetParams(node: usize, address: Out<u64>) -> Status {
    get(node, &address, |work| match work {
        Work::Free(address) => Some(*address),
        _ => None,
    })
}
