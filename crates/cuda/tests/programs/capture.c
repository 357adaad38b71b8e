/* Captures: what streams are given becomes nodes of a graph, across events and threads, and what a capture cannot hold. */
#include "common.h"
#include <pthread.h>

static CUmodule module;
static CUdeviceptr data;
static CUstream stream, other, apart;
static CUevent fork_event, join_event;
static unsigned host[64], n = 64, two = 2;
static int called;

static void host_function(void *by) { called += *(int *)by; }

static void scale(CUstream in, unsigned *factor) {
    void *values[] = {&data, &n, factor};
    GOOD(cuLaunchKernel(kernel(module, "scale"), 2, 1, 1, 32, 1, 1, 0, in, values, NULL));
}

static void is_capturing(CUstream in, unsigned wanted) {
    unsigned status;
    GOOD(cuStreamIsCapturing(in, &status));
    HOLDS(status == wanted);
}

/* Launches, fills, copies and functions of the host: nothing is done before the graph is launched. */
static void straight(void) {
    CUgraph graph;
    CUgraphExec ready, outer;
    CUgraphNode nodes[8];
    CUdeviceptr own;
    size_t count = 8;
    unsigned kind, kinds[] = {2, 0, 1, 3};
    int one = 1;
    IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(stream, 3));
    IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(stream, 0));
    is_capturing(stream, 1);
    GOOD(cuMemsetD32Async(data, 5, 64, stream));
    scale(stream, &two);
    GOOD(cuMemcpyDtoHAsync_v2(host, data, sizeof host, stream));
    GOOD(cuLaunchHostFunc(stream, host_function, &one));
    GOOD(cuStreamEndCapture(stream, &graph));
    is_capturing(stream, 0);
    HOLDS(host[0] == 0 && called == 0);
    GOOD(cuGraphGetNodes(graph, nodes, &count));
    HOLDS(count == 4);
    for (int k = 0; k < 4; k++) {
        GOOD(cuGraphNodeGetType(nodes[k], &kind));
        HOLDS(kind == kinds[k]);
    }
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphDestroy(graph));
    two = 9;
    GOOD(cuGraphLaunch(ready, stream));
    GOOD(cuStreamSynchronize(stream));
    HOLDS(host[0] == 10 && host[63] == 10 && called == 1);
    two = 2;

    /* The launch of a graph is captured too, and memory of the stream's order. */
    GOOD(cuStreamBeginCapture_v2(stream, 2));
    GOOD(cuGraphLaunch(ready, stream));
    GOOD(cuMemAllocAsync(&own, sizeof host, stream));
    GOOD(cuMemsetD32Async(own, 3, 64, stream));
    GOOD(cuMemcpyDtoHAsync_v2(host, own, sizeof host, stream));
    GOOD(cuMemFreeAsync(own, stream));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuGraphInstantiateWithFlags(&outer, graph, 0));
    GOOD(cuGraphLaunch(outer, stream));
    GOOD(cuGraphLaunch(outer, stream));
    HOLDS(host[0] == 3 && called == 3);
    GOOD(cuGraphDestroy(graph));
    GOOD(cuGraphExecDestroy(outer));
}

/* A stream joins a capture by waiting for an event, and must be joined before the end. */
static void forked(void) {
    CUgraph graph, told;
    CUgraphExec ready;
    CUgraphNode from[8], to[8], empty;
    const CUgraphNode *last;
    unsigned status;
    unsigned long long id, id_of_other;
    size_t count = 8;
    GOOD(cuMemsetD32_v2(data, 1, 64));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    scale(stream, &two);
    GOOD(cuEventRecord(fork_event, stream));
    GOOD(cuStreamWaitEvent(other, fork_event, 0));
    is_capturing(other, 1);
    scale(stream, &two);
    scale(other, &two);
    GOOD(cuStreamGetCaptureInfo_v2(stream, &status, &id, &told, &last, &count));
    HOLDS(status == 1 && count == 1);
    GOOD(cuStreamGetCaptureInfo_v2(other, &status, &id_of_other, NULL, NULL, NULL));
    HOLDS(id == id_of_other);
    GOOD(cuGraphAddEmptyNode(&empty, told, last, 1));
    GOOD(cuStreamUpdateCaptureDependencies(stream, &empty, 1, 1));
    GOOD(cuEventRecord(join_event, other));
    GOOD(cuStreamWaitEvent(stream, join_event, 0));
    scale(stream, &two);
    IS(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(join_event));
    is_capturing(stream, 2);
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    is_capturing(other, 0);

    GOOD(cuStreamBeginCapture_v2(stream, 0));
    scale(stream, &two);
    GOOD(cuEventRecord(fork_event, stream));
    GOOD(cuStreamWaitEvent(other, fork_event, 0));
    scale(stream, &two);
    scale(other, &two);
    GOOD(cuEventRecord(join_event, other));
    GOOD(cuStreamWaitEvent(stream, join_event, 0));
    scale(stream, &two);
    GOOD(cuStreamEndCapture(stream, &graph));
    count = 8;
    GOOD(cuGraphGetEdges(graph, from, to, &count));
    HOLDS(count == 4 && from[0] == from[1] && to[2] == to[3]);
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphLaunch(ready, apart));
    GOOD(cuMemcpyDtoH_v2(host, data, sizeof host));
    HOLDS(host[0] == 16);
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuEventRecord(fork_event, stream));
    GOOD(cuEventSynchronize(fork_event));
}

/* What a capture cannot hold makes its end an error, and the stream is as before. */
static void refused(void) {
    CUgraph graph;
    float milliseconds;
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuEventRecord(fork_event, stream));
    GOOD(cuStreamWaitEvent(other, fork_event, 0));
    scale(other, &two);
    IS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(stream, &graph));
    HOLDS(graph == NULL);
    is_capturing(other, 0);

    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuEventRecord(fork_event, stream));
    GOOD(cuStreamWaitEvent(other, fork_event, 0));
    IS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    GOOD(cuStreamBeginCapture_v2(stream, 0));
    IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD32Async(data, 1, 64, stream));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    GOOD(cuStreamBeginCapture_v2(stream, 0));
    IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc_v2(&(CUdeviceptr){0}, 4));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    /* The default stream waits for streams that block. */
    CUstream blocking;
    GOOD(cuStreamCreate(&blocking, 0));
    GOOD(cuStreamBeginCapture_v2(blocking, 2));
    IS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemcpyDtoH_v2(host, data, 4));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &graph));
    GOOD(cuStreamDestroy_v2(blocking));
    GOOD(cuStreamBeginCapture_v2(stream, 2));
    GOOD(cuMemcpyDtoH_v2(host, data, 4));
    GOOD(cuMemFree_v2(data));
    GOOD(cuMemAlloc_v2(&data, sizeof host));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphDestroy(graph));

    /* A stream that goes takes its capture along. */
    GOOD(cuStreamCreate(&blocking, 0));
    GOOD(cuStreamBeginCapture_v2(blocking, 0));
    GOOD(cuEventRecord(fork_event, blocking));
    GOOD(cuStreamWaitEvent(other, fork_event, 0));
    GOOD(cuStreamDestroy_v2(blocking));
    GOOD(cuMemcpyDtoH_v2(host, data, 4));
    is_capturing(other, 2);
    GOOD(cuStreamDestroy_v2(other));
    GOOD(cuStreamCreate(&other, 1));

    /* Captures do not meet, and events from outside do not come in. */
    GOOD(cuEventRecord(join_event, apart));
    GOOD(cuStreamBeginCapture_v2(stream, 2));
    IS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(stream, join_event, 0));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    GOOD(cuStreamBeginCapture_v2(stream, 2));
    GOOD(cuStreamBeginCapture_v2(other, 2));
    GOOD(cuEventRecord(fork_event, stream));
    IS(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(other, fork_event, 0));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(other, &graph));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, fork_event, join_event));
}

static void *ends(void *expected) {
    CUgraph graph;
    unsigned mode = 0;
    CUcontext context;
    GOOD(cuDevicePrimaryCtxRetain(&context, 0));
    GOOD(cuCtxSetCurrent(context));
    IS((unsigned)(size_t)expected, cuStreamEndCapture(stream, &graph));
    if (!expected) {
        GOOD(cuGraphDestroy(graph));
    }
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    HOLDS(mode == 0);
    return NULL;
}

/* A thread's capture is ended by that thread, if it is not a relaxed one. */
static void threads(void) {
    pthread_t thread;
    CUgraph graph;
    unsigned mode = 2;
    for (unsigned relaxed = 0; relaxed < 2; relaxed++) {
        GOOD(cuStreamBeginCapture_v2(stream, relaxed ? 2 : 1));
        void *expected = (void *)(size_t)(relaxed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        HOLDS(pthread_create(&thread, NULL, ends, expected) == 0 && pthread_join(thread, NULL) == 0);
        if (!relaxed) {
            GOOD(cuStreamEndCapture(stream, &graph));
            GOOD(cuGraphDestroy(graph));
        }
    }
    /* A thread that says that it knows what it does may do what captures cannot hold. */
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    HOLDS(mode == 0);
    GOOD(cuMemFree_v2(data));
    GOOD(cuMemAlloc_v2(&data, sizeof host));
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    HOLDS(mode == 2);
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphDestroy(graph));
}

/* A capture that goes on with a graph, and an event that is recorded by each launch. */
static void added(void) {
    CUgraph graph, same;
    CUgraphExec ready;
    CUgraphNode fill, nodes[4];
    size_t count = 4;
    CUDA_MEMSET_NODE_PARAMS filled = {data, 0, 6, 4, 64, 1};
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &filled, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(stream, graph, (CUgraphNode *)&graph, NULL, 1, 0));
    GOOD(cuStreamBeginCaptureToGraph(stream, graph, &fill, NULL, 1, 0));
    scale(stream, &two);
    GOOD(cuEventRecordWithFlags(join_event, stream, 1));
    GOOD(cuStreamEndCapture(stream, &same));
    HOLDS(same == graph);
    GOOD(cuGraphGetNodes(graph, nodes, &count));
    HOLDS(count == 3);
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphLaunch(ready, stream));
    GOOD(cuEventSynchronize(join_event));
    GOOD(cuMemcpyDtoH_v2(host, data, sizeof host));
    HOLDS(host[0] == 12);
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuGraphDestroy(graph));
}

int main(void) {
    module = begin();
    GOOD(cuMemAlloc_v2(&data, sizeof host));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuStreamCreate(&other, 1));
    GOOD(cuStreamCreate(&apart, 1));
    GOOD(cuEventCreate(&fork_event, 0));
    GOOD(cuEventCreate(&join_event, 0));
    straight();
    forked();
    refused();
    threads();
    added();
    puts("all good");
    return 0;
}
