"""What operations gave beside what NumPy gives, each under a name of its own."""

import math

import ml_dtypes
import numpy as np

# Relative and absolute error that operations may have which are not correctly rounded, by the bits of the type.
ERROR = {"float64": 1e-9, "float32": 3e-6, "float16": 2e-3, "bfloat16": 2e-2}
RANDOM = np.random.default_rng(1)
OUTCOMES = {}

np.seterr(all="ignore")


def is_float(type):
    """Whether NumPy's type, or one of ml_dtypes, is a floating-point one."""
    return np.dtype(type).kind not in "biu"


def wide(array):
    """Floating-point numbers as 64-bit ones, others as they are."""
    return array.astype(np.float64) if is_float(array.dtype) else array


def numbers(type, count, edges=True):
    """Random numbers, the first of which are the ones that go wrong."""
    type = np.dtype(type)
    if type == bool:
        return RANDOM.integers(0, 2, count).astype(bool)
    if is_float(type):
        values = (RANDOM.standard_normal(count) * 4).astype(type)
        first = [0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan]
    else:
        bounds = np.iinfo(type)
        values = RANDOM.integers(bounds.min, bounds.max, count, dtype=type, endpoint=True)
        first = [0, 1, 2, bounds.max - 1, bounds.max, bounds.min]
    if edges:
        values[: len(first)] = first
    return values


def is_same(given, wanted, error):
    """Whether values are what is wanted, bit by bit or with an error; any NaN is one."""
    if given.shape != wanted.shape:
        return False
    if error:
        return np.allclose(given.astype(np.float64), wanted.astype(np.float64), rtol=error, atol=error, equal_nan=True)
    return bool(((given == wanted) | ((given != given) & (wanted != wanted))).all())


def judge(name, run, wanted, error=0):
    """Runs an operation, and notes what became of it: `passed`, or `failed` with the first values that are wrong or what it raised."""
    assert name not in OUTCOMES, f"{name} twice"
    try:
        given, wanted = np.asarray(run()), np.asarray(wanted)
    except Exception as raised:
        OUTCOMES[name] = "failed"
        print(f"failed {name}: {type(raised).__name__}: {' '.join(str(raised).split())[:300]}", flush=True)
        return
    if is_same(given, wanted, error):
        OUTCOMES[name] = "passed"
        return
    OUTCOMES[name] = "failed"
    shown = f"shape {given.shape}, not {wanted.shape}"
    if given.shape == wanted.shape:
        close = np.isclose(given.astype(np.float64), wanted.astype(np.float64), rtol=error, atol=error, equal_nan=True)
        places = [tuple(place) for place in np.argwhere(np.atleast_1d(~close))[:3]]
        at = [(np.atleast_1d(given)[place], np.atleast_1d(wanted)[place]) for place in places]
        shown = ", ".join(f"{a} instead of {b}" for a, b in at)
    print(f"failed {name}: wrong: {shown}", flush=True)


def report(path):
    """Writes a line for each operation: what became of it, and its name."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{outcome} {name}\n" for name, outcome in OUTCOMES.items())


BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
E5M2 = np.dtype(ml_dtypes.float8_e5m2)
INTEGERS = [np.dtype(f"{sign}int{bits}") for bits in (8, 16, 32, 64) for sign in ("", "u")]
FLOATS = [np.dtype(np.float16), BFLOAT16, np.dtype(np.float32), np.dtype(np.float64)]
