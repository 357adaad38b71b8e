"""Operations of tinygrad over types and shapes beside NumPy's: `DEV=CUDA:PTX with_tinygrad.py REPORT`."""

import itertools
import math
import sys

import numpy as np
from judged import BFLOAT16, ERROR, FLOATS, INTEGERS, RANDOM, is_float, judge, numbers, report, wide
from tinygrad import Tensor, TinyJit, Variable, dtypes
from tinygrad.dtype import _from_np_dtype

COUNT = 70
BITS = {bytes: np.dtype(f"uint{8 * bytes}") for bytes in (1, 2, 4, 8)}


def kind(type):
    """tinygrad's type for NumPy's."""
    return dtypes.bfloat16 if type == BFLOAT16 else _from_np_dtype(type)


def tensor(array):
    if array.dtype == BFLOAT16:
        return Tensor(array.view(np.uint16)).bitcast(dtypes.bfloat16)
    return Tensor(array)


def values(tensor):
    if tensor.dtype == dtypes.bfloat16:
        return tensor.cast(dtypes.float32).numpy().astype(BFLOAT16)
    return tensor.numpy()


def given(operation, *arrays):
    """What an operation on tensors gives for arrays, when it is asked for."""
    return lambda: values(operation(*map(tensor, arrays)))


def both(name, operation, *arrays, error=0):
    """An operation that tensors and arrays have alike."""
    judge(name, given(operation, *arrays), operation(*arrays), error)


def integers(type):
    a, b = numbers(type, COUNT), numbers(type, COUNT)
    RANDOM.shuffle(b)
    divisor = np.where((b == 0) | (b.astype(object) == -1), np.array(3, type), b)
    for name, operation in {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "and": lambda x, y: x & y,
        "or": lambda x, y: x | y,
        "xor": lambda x, y: x ^ y,
        "lt": lambda x, y: x < y,
        "eq": lambda x, y: x == y,
        "ne": lambda x, y: x != y,
    }.items():
        both(f"{name} {type}", operation, a, b)
    both(f"floordiv {type}", lambda x, y: x // y, a, divisor)
    both(f"mod {type}", lambda x, y: x % y, a, divisor)
    both(f"neg {type}", lambda x: -x, a)
    judge(f"maximum {type}", given(lambda x, y: x.maximum(y), a, b), np.maximum(a, b))
    judge(f"where {type}", given(lambda x, y: (x < y).where(x, y), a, b), np.where(a < b, a, b))
    if type.kind == "u":
        for by in (1, 3, 7):
            both(f"shr {type} {by}", lambda x: x >> by, a)
            judge(f"shl {type} {by}", given(lambda x: x << by, a), a << type.type(by))
    # tinygrad adds narrow integers in 32 bits.
    total = given(lambda x: x.sum(), a)
    judge(f"sum {type}", lambda: int(total()) % 2**32, int(a.astype(object).sum()) % 2**32)
    judge(f"max {type}", given(lambda x: x.max(), a), a.max())
    judge(f"min {type}", given(lambda x: x.min(), a), a.min())
    judge(f"argmax {type}", given(lambda x: x.argmax(), a), a.argmax())
    judge(f"sort {type}", given(lambda x: x.sort()[0], a), np.sort(a))
    sums = given(lambda x: x.cumsum(), a)
    judge(f"cumsum {type}", lambda: sums().astype(np.int64) % 256, np.cumsum(a.astype(object)).astype(object) % 256)


# Functions of one number: tinygrad's, NumPy's, which numbers they take, and how much more error than most.
FUNCTIONS = {
    "sqrt": (lambda x: x.sqrt(), np.sqrt, np.abs, 4),
    "rsqrt": (lambda x: x.rsqrt(), lambda x: 1 / np.sqrt(x), np.abs, 80),
    "log": (lambda x: x.log(), np.log, np.abs, 4),
    "log2": (lambda x: x.log2(), np.log2, np.abs, 4),
    "exp": (lambda x: x.exp(), np.exp, None, 80),
    "exp2": (lambda x: x.exp2(), np.exp2, None, 80),
    "sin": (lambda x: x.sin(), np.sin, None, 4),
    "cos": (lambda x: x.cos(), np.cos, None, 4),
    "tan": (lambda x: x.tan(), np.tan, None, 80),
    "reciprocal": (lambda x: x.reciprocal(), lambda x: 1 / x, None, 80),
    "sigmoid": (lambda x: x.sigmoid(), lambda x: 1 / (1 + np.exp(-x)), None, 4),
    "tanh": (lambda x: x.tanh(), np.tanh, None, 4),
    "gelu": (
        lambda x: x.gelu(),
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        None,
        4,
    ),
    # By a polynomial of five terms.
    "erf": (lambda x: x.erf(), np.vectorize(math.erf), None, 4),
    "relu": (lambda x: x.relu(), lambda x: np.maximum(x, 0), None, 0),
    "abs": (lambda x: x.abs(), np.abs, None, 0),
    "floor": (lambda x: x.floor(), np.floor, None, 0),
    "ceil": (lambda x: x.ceil(), np.ceil, None, 0),
    "round": (lambda x: x.round(), np.round, None, 0),
    "trunc": (lambda x: x.trunc(), np.trunc, None, 0),
    "sign": (lambda x: x.sign(), np.sign, None, 0),
    "square": (lambda x: x.square(), np.square, None, 4),
}
# Sums over all numbers, likewise.
REDUCTIONS = {
    "sum": (lambda x: x.sum(), np.sum, 80),
    "mean": (lambda x: x.mean(), np.mean, 20),
    "var": (lambda x: x.var(), lambda x: x.var(ddof=1), 80),
    "max": (lambda x: x.max(), np.max, 0),
    "softmax": (lambda x: x.softmax(), lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(), 4),
    "logsumexp": (lambda x: x.logsumexp(), lambda x: np.log(np.exp(x).sum()), 20),
    "sort": (lambda x: x.sort()[0], np.sort, 0),
}


def floats(type):
    a, b = numbers(type, COUNT), numbers(type, COUNT)
    RANDOM.shuffle(b)
    error = ERROR[type.name]
    exact = lambda operation: operation(wide(a), wide(b))
    for name, operation in {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
    }.items():
        judge(f"{name} {type}", given(operation, a, b), exact(operation).astype(type), error)
    for name, operation in {"lt": lambda x, y: x < y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y}.items():
        judge(f"{name} {type}", given(operation, a, b), exact(operation))
    judge(f"where {type}", given(lambda x, y: (x < y).where(x, y), a, b), np.where(wide(a) < wide(b), a, b))
    judge(f"isnan {type}", given(lambda x: x.isnan(), a), np.isnan(wide(a)))
    judge(f"isinf {type}", given(lambda x: x.isinf(), a), np.isinf(wide(a)))
    finite = np.where(np.isfinite(wide(a)), a, type.type(2))
    for name, (operation, reference, of, more) in FUNCTIONS.items():
        x = of(finite) if of else finite
        allowed = max(more * error, 1e-6) if name == "erf" else more * error
        judge(f"{name} {type}", given(operation, x), reference(wide(x)).astype(type), allowed)
    for name, (operation, reference, more) in REDUCTIONS.items():
        judge(f"{name} {type}", given(operation, finite), reference(wide(finite)).astype(type), more * error)


def conversions():
    for source, target in itertools.product([np.dtype(bool), *INTEGERS, *FLOATS], repeat=2):
        a = numbers(source, COUNT, edges=False)
        # What a type has no room for is another on each device.
        if is_float(source) and not is_float(target):
            a = (np.abs(wide(a)) if target.kind == "u" else np.clip(wide(a), -100, 100)).astype(source)
        if not is_float(source) and target == np.float16:
            a = (a % 60).astype(source)
        converted = (wide(a) if source == BFLOAT16 else a).astype(target)
        judge(f"cast {source} {target}", given(lambda x: x.cast(kind(target)), a), converted, ERROR.get(target.name, 0))
        if source.itemsize == target.itemsize and bool not in (source, target):
            a, bits = numbers(source, COUNT, edges=False), BITS[source.itemsize]
            cast = given(lambda x: x.bitcast(kind(target)).bitcast(kind(bits)), a)
            judge(f"bitcast {source} {target}", cast, a.view(bits))


def products():
    shapes = [(3, 5, 7), (16, 16, 16), (33, 64, 17), (64, 64, 64), (128, 32, 8)]
    errors = {"float16": 0.25, "bfloat16": 2.0, "float32": 1e-3, "float64": 1e-9}
    types = [np.dtype(name) for name in ("int8", "uint8", "int32")] + FLOATS
    for type, (m, k, n) in itertools.product(types, shapes):
        a, b = (numbers(type, count, edges=False) for count in (m * k, k * n))
        if not is_float(type):
            a, b = ((x % 7).astype(type) for x in (a, b))
        a, b = a.reshape(m, k), b.reshape(k, n)
        whole = (wide(a) @ wide(b)) if is_float(type) else (a.astype(np.int64) @ b.astype(np.int64)).astype(type)
        product = given(lambda x, y: x @ y, a, b)
        judge(f"matmul {type} {m} {k} {n}", lambda: wide(product()).astype(whole.dtype), whole, errors.get(type.name, 0))


def convolution(x, w, stride, padding):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("ncyxkl,ockl->noyx", windows, w)


def convolutions():
    for type, (stride, padding, size) in itertools.product(
        (np.dtype(np.float32), np.dtype(np.float16)), ((1, 0, 3), (2, 1, 3), (1, 2, 5), (2, 0, 1))
    ):
        x, w = (RANDOM.standard_normal(shape).astype(type) for shape in ((2, 4, 11, 13), (6, 4, size, size)))
        wanted = convolution(wide(x), wide(w), stride, padding)
        folded = given(lambda x, w: x.conv2d(w, stride=stride, padding=padding), x, w)
        judge(f"conv2d {type} {stride} {padding} {size}", folded, wanted, 1e-4 if type == np.float32 else 5e-2)


def exponents(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def shapes():
    x = RANDOM.standard_normal((3, 8, 10)).astype(np.float32)
    for name, operation, wanted in [
        ("permute", lambda t: t.permute(2, 0, 1), x.transpose(2, 0, 1)),
        ("flip", lambda t: t.flip(1), x[:, ::-1]),
        ("pad", lambda t: t.pad(((1, 2), (0, 0), (3, 1))), np.pad(x, ((1, 2), (0, 0), (3, 1)))),
        ("slices", lambda t: t[1:, 2:5, ::2], x[1:, 2:5, ::2]),
        ("cat", lambda t: t.cat(t, dim=1), np.concatenate([x, x], 1)),
        ("repeat", lambda t: t.repeat(2, 1, 3), np.tile(x, (2, 1, 3))),
        ("roll", lambda t: t.roll(3, 1), np.roll(x, 3, 1)),
        ("tril", lambda t: t.tril(), np.tril(x)),
        ("triu", lambda t: t.triu(1), np.triu(x, 1)),
        ("gather", lambda t: t[:, Tensor([3, 1, 7]), :], x[:, [3, 1, 7], :]),
        ("cumsum of an axis", lambda t: t.cumsum(1), np.cumsum(x, 1)),
        ("mean of an axis", lambda t: t.mean(1), x.mean(1)),
        ("std of an axis", lambda t: t.std(2), x.std(2, ddof=1)),
        ("prod of an axis", lambda t: t.prod(2), x.prod(2)),
        ("argmax of an axis", lambda t: t.argmax(2), x.argmax(2)),
        ("softmax of an axis", lambda t: t.softmax(1), exponents(x, 1)),
        (
            "layernorm",
            lambda t: t.layernorm(),
            (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
        ),
        ("max_pool2d", lambda t: t.unsqueeze(0).max_pool2d((2, 2)), x.reshape(1, 3, 4, 2, 5, 2).max((3, 5))),
        ("avg_pool2d", lambda t: t.unsqueeze(0).avg_pool2d((2, 2)), x.reshape(1, 3, 4, 2, 5, 2).mean((3, 5))),
        ("einsum", lambda t: Tensor.einsum("abc,adc->abd", t, t), np.einsum("abc,adc->abd", x, x)),
        (
            "attention",
            lambda t: t.scaled_dot_product_attention(t, t),
            exponents(x @ x.transpose(0, 2, 1) / math.sqrt(10), -1) @ x,
        ),
    ]:
        judge(name, given(operation, x), wanted, 1e-5)


def chance():
    Tensor.manual_seed(5)
    even = Tensor.rand(10000).numpy()
    judge("rand", lambda: [even.min() >= 0, even.max() < 1, abs(even.mean() - 0.5) < 0.02], [True] * 3)
    normal = Tensor.randn(10000).numpy()
    judge("randn", lambda: [abs(normal.mean()) < 0.05, abs(normal.std() - 1) < 0.05], [True] * 2)


def gradient():
    x, w = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((6, 10), (10, 4)))

    def run():
        weights = Tensor(w)
        (Tensor(x) @ weights).tanh().square().sum().backward()
        return weights.grad.numpy()

    h = np.tanh(wide(x) @ wide(w))
    judge("gradient", run, x.T @ (2 * h * (1 - h * h)), 1e-4)


def variable_sizes():
    """Graphs of kernels that are told how many blocks they have before each launch, and have none until then."""
    x, y = (RANDOM.standard_normal((10, 10)).astype(np.float32) for _ in range(2))
    s, t = Tensor(x).realize(), Tensor(y).realize()
    for name, operation, reference in [
        ("pairs", lambda a, b: (a + 1).realize() * b, lambda a, b: (a + 1) * b),
        ("cat", lambda a, b: (a + 1).realize().cat(b) * 2, lambda a, b: np.concatenate([a + 1, b]) * 2),
        ("sum", lambda a, b: (a * b).sum(1).realize() + 1, lambda a, b: (a * b).sum(1) + 1),
        ("matmul", lambda a, b: (a @ b.T).realize() + 1, lambda a, b: a @ b.T + 1),
    ]:
        compiled = TinyJit(lambda a, b: operation(a, b).realize())
        for i, j in itertools.product((2, 3, 7, 10), (3, 2, 9)):
            wanted = reference(x[:i, :j], y[:i, :j])
            m, n = Variable("i", 1, 10).bind(i), Variable("j", 1, 10).bind(j)
            cut = tuple(map(slice, wanted.shape))
            judge(f"{name} of {i} by {j}", lambda: values(compiled(s[:m, :n], t[:m, :n])[cut]), wanted, 1e-5)


for type in INTEGERS:
    integers(type)
for type in FLOATS:
    floats(type)
conversions()
products()
convolutions()
shapes()
chance()
gradient()
variable_sizes()
report(sys.argv[1])
