"""What a launch from Python costs beside the same launch from Rust.

`python python/bench/launch.py` prints a table of times in microseconds, the median of several rounds in each of which every launch has
its turn: from Python, of that the launch itself as its report tells it, and the difference. Kernels have 32 threads that do nothing or
next to nothing, so that what is left is the call.
"""

import statistics
import sys
import time

import margay
import numpy as np

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry number(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry five(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .f32 by) { ret; }
.visible .entry erratum(.param .u64 out)
{
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    vset.s32.u32.lt.max %r2, %r1.b3, %r1.h1, %r1;
    ret;
}
"""


def launches():
    """What is launched: a name and a call."""
    module = margay.RawModule(code=PTX)
    nothing, number, five, erratum = map(module.get_function, ("nothing", "number", "five", "erratum"))
    a, b, c = (margay.zeros(32) for _ in range(3))
    plain = np.zeros(36, np.uint32)
    n, by = np.uint32(7), np.float32(1.5)
    return [
        ("no argument", lambda: nothing(1, 32)),
        ("grid and block as tuples", lambda: nothing((1, 1, 1), (32, 1, 1))),
        ("one array", lambda: number(1, 32, (a,))),
        ("one array, as numba launches", lambda: number[1, 32](a)),
        ("three arrays, two numbers", lambda: five(1, 32, (a, b, c, 7, 1.5))),
        ("three arrays, two of NumPy's numbers", lambda: five(1, 32, (a, b, c, n, by))),
        ("the same, three options", lambda: five(1, 32, (a, b, c, n, by), engine="batch", workers=1, shared_mem=64)),
        ("an array made for the launch", lambda: number(1, 32, (np.zeros(32, np.uint32),))),
        ("a slice made for the launch", lambda: number(1, 32, (plain[4:],))),
        ("a kernel with an erratum", lambda: erratum(1, 32, (a,))),
    ]


def median(values):
    return statistics.median(values) * 1e6


def measured(calls, rounds, repeats):
    """Medians in microseconds of each call, and of what its reports tell."""
    whole, own = ([[] for _ in calls] for _ in range(2))
    for _ in range(rounds):
        for place, (_, call) in enumerate(calls):
            call()
            start = time.perf_counter()
            for _ in range(repeats):
                report = call()
            whole[place].append((time.perf_counter() - start) / repeats)
            own[place] += [report.seconds, *(call().seconds for _ in range(repeats // 10))]
    return [(median(times), median(seconds)) for times, seconds in zip(whole, own)]


def main(arguments):
    rounds, repeats = (1, 10) if "--check" in arguments else (15, 1000)
    calls = launches()
    times = measured(calls, rounds, repeats)
    kernel, place = margay.RawModule(code=PTX).get_function("number"), margay.zeros(32)
    others = [margay.zeros(32) for _ in range(100)]
    for other in others:
        kernel(1, 32, (other,))
    calls.append(("one array, while 100 others have addresses", lambda: kernel(1, 32, (place,))))
    times += measured(calls[-1:], rounds, repeats)
    print(f"{'µs':44}{'Python':>8}{'launch':>8}{'more':>8}")
    for (name, _), (whole, own) in zip(calls, times):
        print(f"{name:44}{whole:8.1f}{own:8.1f}{whole - own:8.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
