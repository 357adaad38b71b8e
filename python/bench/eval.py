"""How long `margay.eval` takes beside NumPy: a ufunc where NumPy has one, else the shortest expression that computes the same.

`python python/bench/eval.py [LOG2_OF_ELEMENTS]` prints a table; times are the best of several: by the clock with all cores for
margay (NumPy uses one), and the processor's with one core for both, which other programs disturb less. With `--check` it only
compares results.
"""

import sys
import time

import margay
import numpy as np


def rows(a):
    """The bytes of 32-bit numbers, four in a row."""
    return a.view("u1").reshape(-1, 4)


CASES = [
    ("add.u32 d, a, b", 2, lambda a, b: a + b),
    ("min.u32 d, a, b", 2, np.minimum),
    ("xor.b32 d, a, b", 2, np.bitwise_xor),
    (
        "vadd4.u32.u32.u32.sat d, a, b, c",
        3,
        lambda a, b, c: np.minimum(a.view("u1").astype("u2") + b.view("u1"), 255).astype("u1").view("u4"),
    ),
    (
        "vabsdiff4.u32.u32.u32.add d, a, b, c",
        3,
        lambda a, b, c: np.abs(rows(a).astype("i2") - rows(b)).sum(1, dtype="u4") + c,
    ),
    (
        "bfe.u32 d, a, b, c",
        3,
        lambda a, b, c: (
            a.astype("u8") >> np.minimum(b & 255, 32) & (1 << np.minimum(c & 255, 32).astype("u8")) - np.uint64(1)
        ).astype("u4"),
    ),
    (
        "dp4a.u32.u32 d, a, b, c",
        3,
        lambda a, b, c: np.einsum("ij,ij->i", rows(a).astype("u4"), rows(b).astype("u4")) + c,
    ),
]


def best(function, clock, rounds=5):
    times = []
    for _ in range(rounds):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times) * 1e3


def main(arguments):
    check = "--check" in arguments
    bits = next((int(text) for text in arguments if text.isdigit()), 14 if check else 24)
    random = np.random.default_rng(1)
    arrays = [random.integers(0, 1 << 32, 1 << bits, np.uint32) for _ in range(3)]
    print(f"2^{bits} elements, NumPy {np.__version__}; times in ms, ratio: NumPy's time by margay's")
    print(f"{'':38}{'clock':>8}{'NumPy':>8}{'ratio':>7}{'one core':>11}{'NumPy':>8}{'ratio':>7}")
    for instruction, count, reference in CASES:
        values = arrays[:count]
        got, wanted = margay.eval(instruction, *values), reference(*values)
        assert np.array_equal(got, wanted), instruction
        if check:
            continue
        wall = best(lambda: margay.eval(instruction, *values), time.perf_counter)
        core = best(lambda: margay.eval(instruction, *values, workers=1), time.process_time)
        numpy_wall = best(lambda: reference(*values), time.perf_counter)
        numpy_core = best(lambda: reference(*values), time.process_time)
        print(f"{instruction:38}{wall:8.1f}{numpy_wall:8.1f}{numpy_wall / wall:7.2f}", end="")
        print(f"{core:11.1f}{numpy_core:8.1f}{numpy_core / core:7.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
