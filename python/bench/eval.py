"""How long `margay.eval` and `margay.asm` take beside NumPy: a ufunc where NumPy has one, else the shortest expression that computes
the same.

`python python/bench/eval.py [LOG2_OF_ELEMENTS]` prints a table of times in ms, the best of several rounds, in each of which everything
has its turn: by the clock with all cores for margay, and with one; then the processor's time with one core, which other programs disturb
less. NumPy uses one core. Small calls follow, in microseconds of the processor. With `--check` it only compares results.
"""

import sys
import time

import margay
import numpy as np


def rows(a):
    """The bytes of 32-bit numbers, four in a row."""
    return a.view("u1").reshape(-1, 4)


def mixed(a, b, c):
    """What `MIX` computes."""
    t = np.maximum(a, b) - c
    return (((t << 7) | (t >> 25)) ^ a) * np.uint32(0x9E3779B1) + b


MIX = """{ .reg .b32 t;
    max.u32 t, $1, $2;
    sub.u32 t, t, $3;
    shf.l.wrap.b32 t, t, t, 7;
    xor.b32 t, t, $1;
    mad.lo.u32 $0, t, 0x9e3779b1, $2;
}"""

CASES = [
    ("add.u32 d, a, b", 2, np.add),
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
    (MIX, 3, mixed),
]


def computed(text, values, **options):
    if text == MIX:
        return margay.asm(text, "=r,r,r,r", *values, **options)
    return margay.eval(text, *values, **options)


def best(calls, rounds=7, repeats=1):
    """The least time of each call by the clock and by the processor, in seconds; in each round, each has its turn."""
    times = [(float("inf"), float("inf"))] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            start = time.perf_counter(), time.process_time()
            for _ in range(repeats):
                call()
            took = time.perf_counter() - start[0], time.process_time() - start[1]
            times[place] = tuple(min(pair) / repeats for pair in zip(took, (t * repeats for t in times[place])))
    return times


def large(arrays, check):
    print(f"{'':38}{'clock':>8}{'1 core':>8}{'NumPy':>8}{'ratio':>7}{'ratio':>7}{'processor':>11}{'NumPy':>8}{'ratio':>7}")
    for text, count, reference in CASES:
        values = arrays[:count]
        assert np.array_equal(computed(text, values), reference(*values)), text
        if check:
            continue
        calls = [
            lambda: computed(text, values),
            lambda: computed(text, values, workers=1),
            lambda: reference(*values),
        ]
        (all_cores, _), (one, used), (numpy, numpy_used) = best(calls)
        name = "five instructions in one `asm`" if text == MIX else text
        print(f"{name:38}{all_cores * 1e3:8.1f}{one * 1e3:8.1f}{numpy * 1e3:8.1f}", end="")
        print(f"{numpy / all_cores:7.2f}{numpy / one:7.2f}", end="")
        print(f"{used * 1e3:11.1f}{numpy_used * 1e3:8.1f}{numpy_used / used:7.2f}")


def small(array):
    for count in (1, 1000):
        values = [array[:count]] * 2
        calls = [lambda: margay.eval("add.u32 d, a, b", *values), lambda: np.add(*values)]
        (_, took), (_, numpy) = best(calls, repeats=1000)
        print(f"add.u32 of {count} elements: {took * 1e6:.1f} us, NumPy {numpy * 1e6:.1f} us")
    one = [lambda: margay.eval("add.u32 d, a, b", 1, 2)]
    print(f"add.u32 of two Python numbers: {best(one, repeats=1000)[0][1] * 1e6:.1f} us")


def main(arguments):
    check = "--check" in arguments
    bits = next((int(text) for text in arguments if text.isdigit()), 14 if check else 24)
    random = np.random.default_rng(1)
    arrays = [random.integers(0, 1 << 32, 1 << bits, np.uint32) for _ in range(3)]
    print(f"2^{bits} elements, NumPy {np.__version__}; times in ms, ratio: NumPy's time by margay's")
    large(arrays, check)
    if not check:
        small(arrays[0])


if __name__ == "__main__":
    main(sys.argv[1:])
