/* Graphs made node by node: what the nodes do, what they are asked and told, copies, launches, updates, objects that they keep. */
#include "common.h"

static CUmodule module;
static CUdeviceptr data;
static unsigned host[64];
static unsigned n = 64, two = 2, three = 3;
static int called, destroyed;

static void host_function(void *by) { called += *(int *)by; }
static void destroy(void *object) { destroyed += *(int *)object; }

static CUDA_KERNEL_NODE_PARAMS scaled(void **values) {
    CUDA_KERNEL_NODE_PARAMS parameters = {kernel(module, "scale"), 2, 1, 1, 32, 1, 1, 0, values, NULL, NULL, NULL};
    return parameters;
}

static CUDA_MEMCPY3D copied(CUdeviceptr from, void *to) {
    CUDA_MEMCPY3D copy = {0};
    copy.srcMemoryType = 2, copy.srcDevice = from, copy.dstMemoryType = 1, copy.dstHost = to;
    copy.WidthInBytes = sizeof host, copy.Height = copy.Depth = 1;
    return copy;
}

/* Fill, scale, copy to the host, call the host: a node after the other, and what a launch gives. */
static void chain(void) {
    CUgraph graph, again;
    CUgraphExec ready;
    CUgraphNode fill, scale, copy, call, found[4], from[4], to[4];
    size_t count = 4;
    unsigned kind, enabled;
    int one = 1;
    void *values[] = {&data, &n, &two};
    CUDA_MEMSET_NODE_PARAMS filled = {data, 0, 5, 4, 64, 1}, filled_back;
    CUDA_KERNEL_NODE_PARAMS launch = scaled(values), launch_back;
    CUDA_MEMCPY3D back = copied(data, host), back_back;
    CUDA_HOST_NODE_PARAMS function = {host_function, &one}, function_back;
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(&graph, 1));
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &filled, NULL));
    GOOD(cuGraphAddKernelNode_v2(&scale, graph, &fill, 1, &launch));
    GOOD(cuGraphAddMemcpyNode(&copy, graph, &scale, 1, &back, NULL));
    GOOD(cuGraphAddHostNode(&call, graph, &copy, 1, &function));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&found[0], graph, NULL, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&found[0], graph, (CUgraphNode *)values, 1));
    filled.elementSize = 3;
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&found[0], graph, NULL, 0, &filled, NULL));
    launch.block_x = 4096;
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode_v2(&found[0], graph, NULL, 0, &launch));

    GOOD(cuGraphGetNodes(graph, NULL, &count));
    HOLDS(count == 4);
    GOOD(cuGraphGetNodes(graph, found, &count));
    HOLDS(found[0] == fill && found[1] == scale && found[2] == copy && found[3] == call);
    GOOD(cuGraphGetRootNodes(graph, found, &count));
    HOLDS(count == 1 && found[0] == fill);
    GOOD(cuGraphGetEdges(graph, NULL, NULL, &count));
    HOLDS(count == 3);
    count = 4;
    GOOD(cuGraphGetEdges(graph, from, to, &count));
    HOLDS(count == 3 && from[1] == scale && to[1] == copy);
    HOLDS(from[3] == NULL && to[3] == NULL);
    count = 1;
    GOOD(cuGraphNodeGetDependencies(copy, found, &count));
    HOLDS(count == 1 && found[0] == scale);
    GOOD(cuGraphNodeGetDependentNodes(call, NULL, &count));
    HOLDS(count == 0);
    GOOD(cuGraphNodeGetType(copy, &kind));
    HOLDS(kind == 1);

    GOOD(cuGraphMemsetNodeGetParams(fill, &filled_back));
    HOLDS(filled_back.dst == data && filled_back.value == 5 && filled_back.width == 64);
    GOOD(cuGraphKernelNodeGetParams_v2(scale, &launch_back));
    HOLDS(launch_back.func == launch.func && launch_back.grid_x == 2 && launch_back.block_x == 32);
    HOLDS(*(CUdeviceptr *)launch_back.kernelParams[0] == data && *(unsigned *)launch_back.kernelParams[2] == 2);
    GOOD(cuGraphMemcpyNodeGetParams(copy, &back_back));
    HOLDS(memcmp(&back, &back_back, sizeof back) == 0);
    GOOD(cuGraphHostNodeGetParams(call, &function_back));
    HOLDS(function_back.fn == host_function && function_back.userData == &one);
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphHostNodeGetParams(copy, &function_back));

    /* The graph as it is now is launched, also after the values have gone and the nodes do something else. */
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiateWithFlags(&(CUgraphExec){0}, graph, 4));
    HOLDS(host[0] == 0 && called == 0);
    two = 7;
    GOOD(cuGraphUpload(ready, NULL));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuCtxSynchronize());
    HOLDS(host[0] == 10 && host[63] == 10 && called == 1);
    values[2] = &three;
    launch.block_x = 32;
    GOOD(cuGraphKernelNodeSetParams_v2(scale, &launch));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[0] == 10 && called == 2);

    /* An executable graph's own nodes. */
    GOOD(cuGraphExecKernelNodeSetParams_v2(ready, scale, &launch));
    filled.elementSize = 4, filled.value = 6;
    GOOD(cuGraphExecMemsetNodeSetParams(ready, fill, &filled, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(ready, copy, &filled, NULL));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[0] == 18 && called == 3);
    GOOD(cuGraphNodeSetEnabled(ready, scale, 0));
    GOOD(cuGraphNodeGetEnabled(ready, scale, &enabled));
    HOLDS(enabled == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(ready, call, 0));
    /* How many blocks there are may be told after a node is added, but before it is launched. */
    unsigned blocks = launch.grid_x;
    launch.grid_x = 0;
    GOOD(cuGraphExecKernelNodeSetParams_v2(ready, scale, &launch));
    GOOD(cuGraphNodeSetEnabled(ready, scale, 1));
    host[0] = 7;
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(ready, NULL));
    HOLDS(host[0] == 7 && called == 3);
    launch.grid_x = blocks;
    GOOD(cuGraphExecKernelNodeSetParams_v2(ready, scale, &launch));
    GOOD(cuGraphNodeSetEnabled(ready, scale, 0));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[0] == 6 && called == 4);
    GOOD(cuGraphNodeSetEnabled(ready, scale, 1));

    /* A copy, its nodes, and an update to it. */
    GOOD(cuGraphClone(&again, graph));
    GOOD(cuGraphNodeFindInClone(&found[0], fill, again));
    HOLDS(found[0] != fill);
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&found[1], found[0], again));
    filled.value = 4;
    GOOD(cuGraphMemsetNodeSetParams(found[0], &filled));
    CUgraphExecUpdateResultInfo info = {9, NULL, NULL};
    GOOD(cuGraphExecUpdate_v2(ready, again, &info));
    HOLDS(info.result == 0);
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[0] == 12);
    GOOD(cuGraphNodeFindInClone(&found[1], call, again));
    GOOD(cuGraphDestroyNode(found[1]));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetType(found[1], &kind));
    IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(ready, again, &info));
    HOLDS(info.result == 2);
    GOOD(cuGraphNodeFindInClone(&found[1], copy, again));
    GOOD(cuGraphAddEmptyNode(&found[2], again, &found[1], 1));
    IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(ready, again, &info));
    HOLDS(info.result == 3 && info.errorNode == found[2]);
    GOOD(cuGraphDestroy(again));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetType(found[0], &kind));

    /* What the graph was made of may go before it is launched. */
    GOOD(cuGraphDestroy(graph));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[0] == 12);
    GOOD(cuGraphExecDestroy(ready));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(ready, NULL));
}

/* Edges that come and go, also those that make a circle. */
static void edges(void) {
    CUgraph graph;
    CUgraphExec ready;
    CUgraphNode a, b, c;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    GOOD(cuGraphAddEmptyNode(&b, graph, NULL, 0));
    GOOD(cuGraphAddEmptyNode(&c, graph, NULL, 0));
    CUgraphNode from[] = {a, b}, to[] = {b, c};
    GOOD(cuGraphAddDependencies(graph, from, to, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, from, to, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &a, &a, 1));
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuGraphAddDependencies(graph, &c, &a, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphRemoveDependencies(graph, from, to, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, from, to, 1));
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuGraphDestroy(graph));
}

/* Nodes of all other kinds, by the one function that adds any. */
static void kinds(const char *path) {
    CUgraph graph, inner, within;
    CUgraphExec ready;
    CUgraphNode child, node, fill, nodes[2];
    CUevent start, end, told;
    float milliseconds;
    unsigned kind;
    int ten = 10;
    size_t count;
    CUgraphNodeParams any = {.type = 2, .memset = {data, 0, 9, 4, 64, 1}};
    GOOD(cuEventCreate(&start, 0));
    GOOD(cuEventCreate(&end, 0));
    GOOD(cuGraphCreate(&inner, 0));
    GOOD(cuGraphAddNode(&fill, inner, NULL, 0, &any));
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddEventRecordNode(&node, graph, NULL, 0, start));
    GOOD(cuGraphAddChildGraphNode(&child, graph, &node, 1, inner));
    GOOD(cuGraphChildGraphNodeGetGraph(child, &within));
    HOLDS(within != inner);
    CUgraphNodeParams copy = {.type = 1};
    copy.memcpy.copyParams = copied(data, host);
    GOOD(cuGraphAddNode(&node, graph, &child, 1, &copy));
    CUgraphNodeParams call = {.type = 3, .host = {host_function, &ten}};
    GOOD(cuGraphAddNode(&node, graph, &node, 1, &call));
    GOOD(cuGraphAddEventWaitNode(&node, graph, &node, 1, start));
    GOOD(cuGraphAddEventRecordNode(&node, graph, &node, 1, start));
    GOOD(cuGraphEventRecordNodeSetEvent(node, end));
    GOOD(cuGraphEventRecordNodeGetEvent(node, &told));
    HOLDS(told == end);
    void *values[] = {&data, &n, &three};
    CUgraphNodeParams last = {.type = 0, .kernel = scaled(values)};
    GOOD(cuGraphAddNode(&node, graph, &node, 1, &last));
    GOOD(cuGraphNodeGetType(node, &kind));
    HOLDS(kind == 0);
    CUgraphNodeParams unknown = {.type = 13};
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&node, graph, NULL, 0, &unknown));
    called = 0;
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[7] == 9 && called == 10);
    GOOD(cuEventElapsedTime(&milliseconds, start, end));
    GOOD(cuMemcpyDtoH_v2(host, data, sizeof host));
    HOLDS(host[7] == 27);
    any.memset.value = 8;
    GOOD(cuGraphMemsetNodeSetParams(fill, &any.memset));
    GOOD(cuGraphExecChildGraphNodeSetParams(ready, child, inner));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[7] == 8);
    GOOD(cuGraphAddEmptyNode(&node, inner, &fill, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(ready, child, inner));

    /* Within a graph of its own that is captured, a launch is a node. */
    GOOD(cuGraphGetNodes(within, nodes, &(size_t){2}));
    HOLDS(nodes[0] != fill && nodes[1] == NULL);

    char text[4096] = "";
    GOOD(cuGraphDebugDotPrint(graph, path, 0));
    FILE *file = fopen(path, "r");
    HOLDS(file);
    count = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    HOLDS(count > 0 && strncmp(text, "digraph", 7) == 0 && strstr(text, "scale <<<(2, 1, 1), (32, 1, 1)>>>") && strstr(text, " -> "));
    IS(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/nowhere/graph.dot", 0));
    GOOD(cuGraphDestroy(graph));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphGetNodes(within, NULL, &count));
    GOOD(cuGraphDestroy(inner));
    GOOD(cuGraphExecDestroy(ready));
}

/* Memory of nodes: its address is there before a launch, and it is there from a launch until it is freed. */
static void memory(void) {
    CUgraph graph;
    CUgraphExec ready;
    CUgraphNode allocate, fill, copy, release;
    unsigned long long used;
    CUdeviceptr at;
    CUDA_MEM_ALLOC_NODE_PARAMS wanted = {0}, back;
    wanted.poolProps.allocType = 1, wanted.poolProps.location_type = 1, wanted.bytesize = sizeof host;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &wanted));
    HOLDS(wanted.dptr);
    GOOD(cuGraphMemAllocNodeGetParams(allocate, &back));
    HOLDS(back.dptr == wanted.dptr && back.bytesize == sizeof host);
    CUDA_MEMSET_NODE_PARAMS filled = {wanted.dptr, 0, 11, 4, 64, 1};
    GOOD(cuGraphAddMemsetNode(&fill, graph, &allocate, 1, &filled, NULL));
    CUDA_MEMCPY3D result = copied(wanted.dptr, host);
    GOOD(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &result, NULL));
    GOOD(cuDeviceGetGraphMemAttribute(0, 0, &used));
    HOLDS(used >= sizeof host);

    /* Without a node that frees it, the program does, or asks that the next launch does. */
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphLaunch(ready, NULL));
    HOLDS(host[5] == 11);
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(ready, NULL));
    GOOD(cuMemFree_v2(wanted.dptr));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuMemFreeAsync(wanted.dptr, NULL));
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 1));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuMemFree_v2(wanted.dptr));
    GOOD(cuGraphExecDestroy(ready));

    IS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&release, graph, &copy, 1, data));
    GOOD(cuGraphAddMemFreeNode(&release, graph, &copy, 1, wanted.dptr));
    GOOD(cuGraphMemFreeNodeGetParams(release, &at));
    HOLDS(at == wanted.dptr);
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuGraphLaunch(ready, NULL));
    GOOD(cuGraphExecDestroy(ready));
    GOOD(cuDeviceGetGraphMemAttribute(0, 0, &used));
    HOLDS(used == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(wanted.dptr));
}

/* Objects of the program live as long as the last graph that keeps them. */
static void objects(void) {
    CUgraph graph, again;
    CUgraphExec ready;
    CUuserObject object;
    int one = 1;
    GOOD(cuGraphCreate(&graph, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&object, &one, destroy, 1, 0));
    GOOD(cuUserObjectCreate(&object, &one, destroy, 2, 1));
    GOOD(cuUserObjectRetain(object, 1));
    GOOD(cuUserObjectRelease(object, 2));
    GOOD(cuGraphRetainUserObject(graph, object, 1, 1));
    GOOD(cuGraphClone(&again, graph));
    GOOD(cuGraphInstantiateWithFlags(&ready, graph, 0));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuGraphDestroy(again));
    HOLDS(destroyed == 0);
    GOOD(cuGraphExecDestroy(ready));
    HOLDS(destroyed == 1);

    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuUserObjectCreate(&object, &one, destroy, 1, 1));
    GOOD(cuGraphRetainUserObject(graph, object, 2, 0));
    GOOD(cuGraphReleaseUserObject(graph, object, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(graph, object, 1));
    HOLDS(destroyed == 1);
    GOOD(cuUserObjectRelease(object, 1));
    HOLDS(destroyed == 2);
    IS(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 1));
    GOOD(cuGraphDestroy(graph));
}

int main(int count, char **arguments) {
    module = begin();
    GOOD(cuMemAlloc_v2(&data, sizeof host));
    chain();
    edges();
    kinds(count > 1 ? arguments[1] : "graph.dot");
    memory();
    objects();
    puts("all good");
    return 0;
}
