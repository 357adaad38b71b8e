//! Captures: what a stream is given becomes nodes of a graph.

use super::pass::{Place, Pointer};
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCapture(stream: usize, mode: u32) -> Status {
    call(|runtime| runtime.driver.cuStreamBeginCapture_v2(stream, mode))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCaptureToGraph(
    stream: usize,
    graph: usize,
    after: Pointer,
    edges: Pointer,
    count: usize,
    mode: u32,
) -> Status {
    call(|runtime| runtime.driver.cuStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamEndCapture(stream: usize, graph: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuStreamEndCapture(stream, graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadExchangeStreamCaptureMode(mode: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuThreadExchangeStreamCaptureMode(mode))
}
