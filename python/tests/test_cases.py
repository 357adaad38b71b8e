"""Whole kernels as real compilers write them: each launch gives what was computed without PTX."""

import gzip
import json
from pathlib import Path

import margay
import numpy as np
import pytest

CRATES = Path(__file__).parents[2] / "crates"
DATA = CRATES / "exec/tests/data"


def texts():
    """By compiler and source."""
    everything = gzip.open(CRATES / "front/tests/data/corpus.ptx.gz", "rt").read()
    parts = (part.split("\n", 1) for part in everything.split("//// ")[1:])
    named = {name.removesuffix(".ptx"): text for name, text in parts}
    return {name: text for name, text in named.items() if name.startswith(("nvcc", "clang"))}


TEXTS = texts()
CASES = json.loads((DATA / "cases.json").read_text())
CONTENTS = np.frombuffer(gzip.open(DATA / "cases.bin.gz").read(), np.uint8)
COMPILERS = sorted({name.split("/")[0] for name in TEXTS})


def part(param, key):
    if param.get(key) is None:
        return None
    at, count = param[key]
    return CONTENTS[at : at + count].copy()


def roots(parents):
    for _ in range(len(parents)):
        parents = parents[parents]
    return parents


def canonical(param, contents):
    values = contents.view(f"u{np.dtype(param['dtype']).itemsize}").copy()
    if param.get("ignore"):
        values[param["ignore"]] = 0
    if param.get("subtract"):
        values -= np.resize(np.array(param["subtract"], np.int64).astype(values.dtype), values.shape)
    match param.get("compare", "exact"):
        case "sorted":
            values.sort()
        case "sorted_segments":
            bounds = param["segments"]
            for start, end in zip(bounds, bounds[1:]):
                values[start:end].sort()
        case "roots":
            values = roots(values)
    return values


def same(param, got, wanted):
    if param.get("compare") == "skip":
        return True
    if param.get("compare") == "allclose":
        dtype = param["dtype"]
        tolerance = {"rtol": param.get("rtol", 1e-5), "atol": param.get("atol", 0.0)}
        return np.allclose(got.view(dtype), wanted.view(dtype), equal_nan=True, **tolerance)
    return np.array_equal(canonical(param, got), canonical(param, wanted))


def named(case):
    return f"{case['source']} {case['entry']} {case['variant'] or ''}".rstrip()


def launch(module, case, **options):
    buffers, arguments = [], []
    for param in case["params"]:
        if param["kind"] == "scalar":
            arguments.append(bytes.fromhex(param["bytes"]))
        else:
            array = part(param, "in").view(param["dtype"])
            array.flags.writeable = param["role"] != "in"
            buffers.append((param, array))
            arguments.append(array)
    for variable in case.get("globals") or []:
        if part(variable, "in") is not None:
            module.set_global(variable["name"], part(variable, "in"))
    kernel = module.get_function(case["entry"])
    report = kernel(case["grid"], case["block"], tuple(arguments), shared_mem=case["shared_bytes"], **options)
    assert sorted(report.printed.splitlines()) == (case.get("stdout_lines_sorted") or [])
    for param, array in buffers:
        if param["role"] != "in":
            assert same(param, array.view(np.uint8), part(param, "out")), param["name"]
    for variable in case.get("globals") or []:
        if variable["role"] != "in":
            got = module.get_global(variable["name"], np.uint8)
            assert same(variable, got, part(variable, "out")), variable["name"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_launch_gives_what_is_expected(compiler):
    passed = 0
    for case in CASES:
        text = TEXTS.get(f"{compiler}/{case['source']}")
        if text is None:
            continue
        module = margay.RawModule(code=text)
        try:
            launch(module, case)
        except margay.Trap:
            assert case.get("expect") == "error", named(case)
        else:
            assert case.get("expect") != "error", named(case)
        passed += 1
    assert passed > 40
