"""Runs the benchmark kernels on PoCL for the benchmark, which asks line by line; see src/pocl.rs.

`case KERNEL RESULT OUTPUT_WORDS GRID BLOCK SCALARS INPUT...` prepares a launch (grid and block as x,y,z; scalars by commas, or -), runs it
once, writes its output to the file RESULT and answers `done`, or `lacks` if there is no such kernel. `run SECONDS` runs it for that long at least and answers how many seconds one
run took.
"""

import os
import sys
import time

try:
    import numpy as np
    import pyopencl as cl

    found = [p for p in cl.get_platforms() if "Portable" in p.name]
    if not found:
        raise RuntimeError("no PoCL among the OpenCL platforms")
    device = found[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    with open(os.path.join(os.path.dirname(__file__), "kernels.cl")) as text:
        program = cl.Program(context, text.read()).build()
except Exception as error:
    print("absent", str(error).split("\n")[0], flush=True)
    sys.exit()

print("ready", found[0].version, flush=True)


def prepare(words):
    name, result, output, grid, block, scalars, *inputs = words
    flags = cl.mem_flags
    load = lambda path: cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.fromfile(path, np.uint32))
    zeros = np.zeros(int(output), np.uint32)
    out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=zeros)
    numbers = [np.uint32(s) for s in scalars.split(",") if s != "-"]
    block = [int(d) for d in block.split(",")]
    threads = [int(d) * b for d, b in zip(grid.split(","), block)]
    kernel = getattr(program, name)
    # A kernel does not keep its buffers alive.
    buffers = [load(path) for path in inputs] + [out]
    kernel.set_args(*buffers, *numbers)

    def run(_buffers=buffers):
        cl.enqueue_nd_range_kernel(queue, kernel, threads, block)
        queue.finish()

    run()
    cl.enqueue_copy(queue, zeros, out)
    queue.finish()
    zeros.tofile(result)
    return run


def timed(run, least):
    start = time.perf_counter()
    run()
    once = time.perf_counter() - start
    if once > least:
        return once
    times = min(int(least / once) + 1, 10000)
    start = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - start) / times


for line in sys.stdin:
    word, *rest = line.split()
    if word == "case" and not hasattr(program, rest[0]):
        print("lacks", flush=True)
    elif word == "case":
        run = prepare(rest)
        print("done", flush=True)
    else:
        print(timed(run, float(rest[0])), flush=True)
