"""Operations of Triton over types and shapes beside NumPy's: `with_triton.py REPORT`."""

import itertools
import math
import sys

import numpy as np
import triton_kernels as kernels
from cuda.bindings import driver
from judged import BFLOAT16, E5M2, ERROR, FLOATS, INTEGERS, RANDOM, is_float, judge, numbers, report, wide

COUNT = 256


def call(function, *arguments):
    status, *results = function(*arguments)
    assert status == driver.CUresult.CUDA_SUCCESS, (function, status)
    return results[0] if len(results) == 1 else results


class Array:
    """What Triton takes for an array: an address of the device and a type."""

    def __init__(self, values):
        self.host = np.ascontiguousarray(values)
        self.dtype = str(self.host.dtype)
        self.address = int(call(driver.cuMemAlloc, self.host.nbytes))
        call(driver.cuMemcpyHtoD, self.address, self.host.ctypes.data, self.host.nbytes)

    def data_ptr(self):
        return self.address

    def values(self):
        values = np.empty_like(self.host)
        call(driver.cuMemcpyDtoH, values.ctypes.data, self.address, values.nbytes)
        return values


def given(kernel, inputs, shape, type, *arguments, grid=(1,), **options):
    """What a kernel writes to an array that comes after its inputs, when it is asked for."""

    def run():
        output = Array(np.zeros(shape, type))
        kernel[grid](*map(Array, inputs), output, *arguments, **options)
        return output.values()

    return run


def random(*shape, type):
    return (RANDOM.standard_normal(shape) * 3).astype(type)


def binary():
    for type in INTEGERS + FLOATS:
        a, b = numbers(type, COUNT, not is_float(type)), numbers(type, COUNT, not is_float(type))
        RANDOM.shuffle(b)
        x, y = wide(a), wide(b)
        if is_float(type):
            wanted = {"add": x + y, "sub": x - y, "mul": x * y, "div": x / y, "fma": x * y + x}
            wanted = {name: values.astype(type) for name, values in wanted.items()}
            if type == np.float32:
                wanted |= {"fdiv": a / b, "div_rn": a / b}
        else:
            # As C divides, and not as Python does; a quotient that has no room is left out.
            divisor = np.where((b == 0) | (b.astype(object) == -1), np.array(3, type), b)
            pairs = [(int(p), int(q)) for p, q in zip(a, divisor)]
            quotients = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in pairs]
            remainders = [p - q * whole for (p, q), whole in zip(pairs, quotients)]
            wanted = {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b}
            wanted |= {"floordiv": np.array(quotients, type), "mod": np.array(remainders, type)}
            if type.kind == "u" and type.itemsize >= 4:
                high = [int(p) * int(q) >> 8 * type.itemsize for p, q in zip(a, b)]
                wanted["umulhi"] = np.array(high, type)
            wanted["where"] = np.where(a > b, a, b + a)
        wanted |= {"maximum": np.maximum(a, b), "minimum": np.minimum(a, b), "lt": x < y, "le": x <= y, "eq": x == y}
        for name, values in wanted.items():
            # Predicates are stored as bytes.
            values = values.astype(np.int8) if values.dtype == bool else values
            second = divisor if name in ("floordiv", "mod") else b
            error = ERROR.get(type.name, 0) if name in ("div", "fdiv", "fma") else 0
            run = given(kernels.binary, (a, second), COUNT, values.dtype, name, COUNT)
            judge(f"{name} {type}", run, values, error)


FUNCTIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "sin": np.sin,
    "cos": np.cos,
    "erf": np.vectorize(math.erf),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softmax": lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
}
OF_POSITIVES = {"log": np.log, "log2": np.log2, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x)}


def unary():
    for type in FLOATS:
        a = random(COUNT, type=type)
        p, error = np.abs(a), ERROR[type.name]
        cases = [("abs", a, p, 0), ("neg", a, -a, 0), ("sort", a, np.sort(a), 0), ("flip", a, a[::-1], 0)]
        cases += [("cumsum", a, np.cumsum(wide(a)), 50 * error)]
        if type.itemsize >= 4:
            cases += [("floor", a, np.floor(a), 0), ("ceil", a, np.ceil(a), 0)]
            cases += [(name, a, function(wide(a)), 4 * error) for name, function in FUNCTIONS.items()]
            cases += [(name, p, function(wide(p)), 4 * error) for name, function in OF_POSITIVES.items()]
        if type == np.float32:
            cases += [("sqrt_rn", p, np.sqrt(p), 0)]
        for name, x, wanted, allowed in cases:
            run = given(kernels.unary, (x,), COUNT, type, name, COUNT)
            judge(f"{name} {type}", run, wanted.astype(type), allowed)
    for type in INTEGERS:
        a = numbers(type, COUNT)
        wanted = {"neg": -a, "not": ~a, "sort": np.sort(a), "flip": a[::-1]}
        wanted |= {"cumsum": np.cumsum(a, dtype=type), "cumprod": np.cumprod(a, dtype=type)}
        wanted["cumsum backwards"] = np.cumsum(a[::-1], dtype=type)[::-1]
        if type.kind == "i":
            wanted["abs"] = np.abs(a)
        for name, values in wanted.items():
            judge(f"{name} {type}", given(kernels.unary, (a,), COUNT, type, name, COUNT), values)


def conversions():
    for source, target in itertools.product(INTEGERS + FLOATS + [E5M2], repeat=2):
        # Triton has no way between 8-bit floating point and integers, nor from it to 64 bits.
        narrow = E5M2 in (source, target)
        if narrow and (not is_float(source) or not is_float(target) or np.dtype(np.float64) in (source, target)):
            continue
        if is_float(source):
            # What a type has no room for is another on each device.
            a = (RANDOM.standard_normal(COUNT) * 30).astype(np.float32)
            a = (np.abs(a) if target.kind == "u" else a).astype(source)
        else:
            a = numbers(source, COUNT)
            a = a % source.type(100) if target == np.float16 else a
        converted = (wide(a) if source in (BFLOAT16, E5M2) else a).astype(target)
        judge(f"cast {source} {target}", given(kernels.cast, (a,), COUNT, target, COUNT), converted)


def reductions():
    types = [type for type in INTEGERS if type.kind == "i" or type == np.uint32] + FLOATS
    for type, (m, n), axis in itertools.product(types, ((16, 32), (64, 8), (4, 256)), (0, 1)):
        a = random(m, n, type=type) if is_float(type) else numbers(type, m * n).reshape(m, n)
        # Narrow integers are added in 32 bits.
        sums = type if is_float(type) or type.itemsize >= 4 else np.dtype(np.int32)
        wanted = {"sum": wide(a).sum(axis).astype(sums) if is_float(type) else a.sum(axis, dtype=sums)}
        wanted |= {"max": a.max(axis), "min": a.min(axis)}
        wanted |= {"argmax": wide(a).argmax(axis).astype(np.int32), "argmin": wide(a).argmin(axis).astype(np.int32)}
        if not is_float(type):
            wanted["xor_sum"] = np.bitwise_xor.reduce(a, axis)
        for name, values in wanted.items():
            error = 40 * ERROR.get(type.name, 0) if name == "sum" else 0
            run = given(kernels.reduce, (a,), values.shape, values.dtype, name, axis, m, n, num_warps=4)
            judge(f"{name} {type} {m} {n} axis {axis}", run, values, error)


def shapes():
    types = [np.dtype(name) for name in ("int8", "int16", "int32", "int64", "float16", "float32")]
    for type, (m, n), warps in itertools.product(types, ((16, 32), (64, 16), (128, 4)), (1, 4)):
        a = random(m, n, type=type) if is_float(type) else numbers(type, m * n).reshape(m, n)
        i, j = np.indices((m, n))
        error = 100 * ERROR.get(type.name, 0)
        cases = [("trans", a.T, 0), ("reshape", a.ravel(), 0), ("sort 1", np.sort(a, 1), 0)]
        cases += [("interleave", np.stack([a, a + type.type(1)], -1).reshape(m, -1), 0)]
        cases += [("gather", np.take_along_axis(a, (i * 7 + j * 3) % m, 0), 0)]
        cases += [(f"cumsum {k}", np.cumsum(wide(a), k, dtype=wide(a).dtype), error) for k in (0, 1)]
        if type == np.float32:
            cases += [("softmax 1", np.exp(a) / np.exp(a).sum(1, keepdims=True), error)]
        for name, wanted, allowed in cases:
            run = given(kernels.shape, (a,), wanted.shape, type, name, m, n, num_warps=warps)
            judge(f"{name} {type} {m} {n} warps {warps}", run, wanted.astype(type), allowed)


def atomics():
    cells, blocks = 16, 4
    # Triton has no others of these types.
    names = {2: ["add"], 4: ["add", "max", "min", "xchg"], 8: ["add", "max", "min", "xchg"]}
    wide_integers = [type for type in INTEGERS if type.itemsize >= 4]
    functions = {"add": np.add, "max": np.maximum, "min": np.minimum}
    functions |= {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    for type in wide_integers + FLOATS:
        own = names[type.itemsize] if is_float(type) else [*functions, "xchg", "cas"]
        for name in own:
            # Sums of small whole numbers do not depend on their order.
            count = COUNT * blocks
            a = RANDOM.integers(-8, 8, count).astype(type) if is_float(type) else numbers(type, count)
            zeros, output = np.zeros(cells, type), {}

            def run():
                z, olds = Array(zeros), Array(np.zeros(count, type))
                kernels.atomic[(blocks,)](Array(a), z, olds, name, COUNT, cells)
                if name == "xchg":
                    # Each value was put once, and found once or left.
                    return np.sort(np.concatenate([olds.values(), z.values()]))
                return z.values()

            if name == "xchg":
                wanted = np.sort(np.concatenate([a, zeros]))
            else:
                # A comparison with the value that is put changes nothing.
                wanted = zeros if name == "cas" else functions[name].reduce(a.reshape(-1, cells), 0, dtype=type, initial=type.type(0))
            judge(f"atomic {name} {type}", run, wanted)


def dots():
    types = [np.dtype(np.int8), *FLOATS, E5M2]
    sizes = ((16, 16, 16), (32, 64, 32), (64, 32, 64), (128, 64, 32))
    for type, (m, n, k), warps in itertools.product(types, sizes, (1, 4, 8)):
        if type.itemsize == 1 and k < 32:
            continue
        if is_float(type):
            a, b = RANDOM.standard_normal((m, k)).astype(type), RANDOM.standard_normal((k, n)).astype(type)
            wanted = (wide(a) @ wide(b)).astype(np.float64 if type == np.float64 else np.float32)
        else:
            a, b = numbers(type, m * k).reshape(m, k), numbers(type, k * n).reshape(k, n)
            wanted = a.astype(np.int32) @ b.astype(np.int32)
        for precision in ("tf32", "ieee", "tf32x3") if type == np.float32 else ("tf32",):
            error = 2e-2 if type == np.float32 and precision == "tf32" else 1e-4
            run = given(kernels.dot, (a, b), (m, n), wanted.dtype, m, n, k, precision, num_warps=warps)
            name = f"dot {type} {m} {n} {k} warps {warps} {precision}"
            judge(name, run, wanted, error if is_float(type) else 0)


def loops():
    sizes, blocks = ((100, 70, 130), (64, 64, 256)), ((32, 32, 32), (64, 64, 32))
    for type, (m, n, k), (bm, bn, bk), stages, warps in itertools.product(
        FLOATS[:3], sizes, blocks, (1, 3), (2, 4)
    ):
        a, b = RANDOM.standard_normal((m, k)).astype(type), RANDOM.standard_normal((k, n)).astype(type)
        grid = (-(-m // bm), -(-n // bn))
        options = {"grid": grid, "num_stages": stages, "num_warps": warps}
        run = given(kernels.matmul, (a, b), (m, n), type, m, n, k, bm, bn, bk, **options)
        name = f"matmul {type} {m} {n} {k} blocks {bm} stages {stages} warps {warps}"
        judge(name, run, wide(a) @ wide(b), 2e-1 if type == BFLOAT16 else 5e-2)
    for type, (length, width), warps in itertools.product(FLOATS[:3], ((128, 32), (256, 64)), (2, 4)):
        q, k, v = (RANDOM.standard_normal((length, width)).astype(type) for _ in range(3))
        scale = 1 / math.sqrt(width)
        likeness = wide(q) @ wide(k).T * scale
        weights = np.exp(likeness - likeness.max(1, keepdims=True))
        wanted = weights / weights.sum(1, keepdims=True) @ wide(v)
        options = {"grid": (length // 32,), "num_warps": warps}
        run = given(kernels.attention, (q, k, v), (length, width), type, scale, length, width, 32, 32, **options)
        judge(f"attention {type} {length} {width} warps {warps}", run, wanted, 2e-2)


def rest():
    a = RANDOM.integers(0, 64, 512).astype(np.int32)
    run = given(kernels.histogram, (a,), 64, np.int32, 512, 64)
    judge("histogram", run, np.bincount(a, minlength=64).astype(np.int32))
    even = given(kernels.random, (), 2048, np.float32, False, 2048)()
    judge("rand", lambda: [even.min() >= 0, even.max() < 1, abs(even.mean() - 0.5) < 0.05], [True] * 3)
    normal = given(kernels.random, (), 2048, np.float32, True, 2048)()
    judge("randn", lambda: [abs(normal.mean()) < 0.1, abs(normal.std() - 1) < 0.1], [True] * 2)


call(driver.cuInit, 0)
call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, call(driver.cuDeviceGet, 0)))
binary()
unary()
conversions()
reductions()
shapes()
atomics()
dots()
loops()
rest()
report(sys.argv[1])
