//! Captures: from here on what a stream is given becomes nodes of a graph.

use super::layout::EdgeData;
use super::pass::{In, Out};
use super::{Status, call};
use crate::capture::{Member, Mode, NONE, exchange_mode};
use crate::failed::Failed;
use crate::graph::Graph;
use crate::results::Code;

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCapture(stream: usize) -> Status {
    cuStreamBeginCapture_v2(stream, Mode::Global as u32)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCapture_v2(stream: usize, mode: u32) -> Status {
    call(|driver| driver.begin_capture(&driver.stream(stream)?, Mode::from(mode)?, None))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCaptureToGraph(
    stream: usize,
    graph: usize,
    after: In<usize>,
    _data: In<EdgeData>,
    count: usize,
    mode: u32,
) -> Status {
    call(|driver| {
        let graph = driver.handles.find::<Graph>(graph)?;
        let after = after.all(count)?;
        let nodes = graph.nodes();
        if after.iter().any(|handle| nodes.iter().all(|node| node.handle != *handle)) {
            return Err(Code::INVALID_VALUE.into());
        }
        driver.begin_capture(&driver.stream(stream)?, Mode::from(mode)?, Some((graph, after)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamEndCapture(stream: usize, graph: Out<usize>) -> Status {
    call(|driver| {
        graph.offer(0);
        graph.give(driver.end_capture(&*driver.stream(stream)?)?.handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) -> Status {
    call(|_| {
        let before = exchange_mode(Mode::from(mode.taken()?)?);
        mode.give(before as u32)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamIsCapturing(stream: usize, status: Out<u32>) -> Status {
    call(|driver| {
        let stream = driver.stream(stream)?;
        let member = stream.member();
        if let Some(member) = &*member {
            return status.give(member.capture.status());
        }
        drop(member);
        driver.forbid_implicit(&stream)?;
        status.give(NONE)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo(stream: usize, status: Out<u32>, id: Out<u64>) -> Status {
    let (graph, nodes) = (Out::nowhere(), Out::nowhere());
    cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, Out::nowhere())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo_v2(
    stream: usize,
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<usize>,
    nodes: Out<*const usize>,
    count: Out<usize>,
) -> Status {
    call(|driver| {
        let stream = driver.stream(stream)?;
        let mut member = stream.member();
        let Some(Member { capture, last, told }) = &mut *member else {
            drop(member);
            driver.forbid_implicit(&stream)?;
            return status.give(NONE);
        };
        *told = last.clone().into();
        status.give(capture.status())?;
        id.offer(capture.id as u64);
        graph.offer(capture.graph.handle);
        nodes.offer(told.as_ptr());
        count.offer(told.len());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo_v3(
    stream: usize,
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<usize>,
    nodes: Out<*const usize>,
    data: Out<*const EdgeData>,
    count: Out<usize>,
) -> Status {
    // No edge has data of its own.
    data.offer(std::ptr::null());
    cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamUpdateCaptureDependencies(
    stream: usize,
    nodes: In<usize>,
    count: usize,
    flags: u32,
) -> Status {
    call(|driver| {
        let is_all = match flags {
            0 => false,
            1 => true,
            _ => return Err(Failed::from(Code::INVALID_VALUE)),
        };
        driver.stream(stream)?.set_last(nodes.all(count)?, is_all)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamUpdateCaptureDependencies_v2(
    stream: usize,
    nodes: In<usize>,
    _data: In<EdgeData>,
    count: usize,
    flags: u32,
) -> Status {
    cuStreamUpdateCaptureDependencies(stream, nodes, count, flags)
}
