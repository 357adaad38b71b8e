"""PyTorch's own samples of its operations on CUDA tensors, beside the same on the CPU: `torch_samples.py REPORT [TYPES]`.

A line of the report is a result (`passed`, `failed`, `skipped`) and the operation with its type. Judged are values, shapes, types and
gradients of up to a dozen samples each. Of operations that draw numbers, and of memory that nothing was written to, values are not compared.
"""

import sys
import warnings

import torch
from torch.testing import assert_close
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map

TYPES = "float32,float16,bfloat16,float64,complex64,int64,int32,uint8,bool"
MOST = 12
# Parts of names of operations whose values are not what the CPU's are: drawn, or never written.
OPEN = "rand empty normal drop uniform cauchy exponential geometric multinomial bernoulli fractional rrelu".split()
# What PyTorch does not have for CUDA, or takes from the CPU there; attention's samples with dropout are drawn.
NOT_THERE = "histogram histogramdd tensor_split torch.ops.aten._scaled_dot_product_flash_attention_for_cpu".split()
NOT_THERE += "sparse.mm.reduce as_strided.partial_views svd_lowrank pca_lowrank".split()
DRAWN = "nn.functional.scaled_dot_product_attention nn.functional.multi_head_attention_forward".split()


def on_cuda(seen, value):
    """An argument as the same on the device; one tensor remains one."""
    if isinstance(value, torch.Tensor):
        if id(value) not in seen:
            seen[id(value)] = (value, value.detach().cuda().requires_grad_(value.requires_grad))
        return seen[id(value)][1]
    is_device = isinstance(value, torch.device) or value == "cpu" if isinstance(value, (str, torch.device)) else False
    return "cuda" if is_device else value


def is_plain(value):
    return isinstance(value, torch.Tensor) and value.layout is torch.strided


def same(value, expected):
    """Raises if a result is not the CPU's."""
    if isinstance(expected, torch.Tensor):
        assert value.is_cuda and value.dtype == expected.dtype and value.shape == expected.shape, (value, expected)
        if is_plain(expected):
            relative = 2e-2 if expected.dtype in (torch.float16, torch.bfloat16) else 1e-3
            got, wanted = value.detach().cpu(), expected.detach().cpu()
            assert_close(got, wanted, equal_nan=True, rtol=relative, atol=relative, check_stride=False)
    elif not isinstance(expected, str):
        assert value == expected or value != value, (value, expected)


def judge(operation, sample, are_open):
    """Raises what is wrong with a sample; false if the CPU refuses it."""
    given = (sample.input, sample.args, sample.kwargs)
    for leaf in tree_leaves(given):
        if isinstance(leaf, torch.Tensor) and leaf.is_leaf:
            leaf.grad = None
    try:
        torch.manual_seed(0)
        expected = tree_leaves(operation(sample.input, *sample.args, **sample.kwargs))
    except Exception:
        return False
    seen = {}
    moved = tree_map(lambda value: on_cuda(seen, value), given)
    torch.manual_seed(0)
    results = tree_leaves(operation(moved[0], *moved[1], **moved[2]))
    assert len(results) == len(expected)
    if are_open:
        return all(not isinstance(result, torch.Tensor) or result.is_cuda for result in results)
    for result, wanted in zip(results, expected):
        same(result, wanted)
    sums = []
    for side in (expected, results):
        parts = [part.abs().sum() if part.is_complex() else part.sum() for part in side if is_plain(part) and part.requires_grad]
        sums.append(sum(parts) if parts else None)
    if sums[0] is not None:
        for total in sums:
            total.backward()
        for leaf, other in zip(tree_leaves(given), tree_leaves(moved)):
            if isinstance(leaf, torch.Tensor) and leaf.grad is not None and is_plain(leaf.grad):
                same(other.grad, leaf.grad)
    return True


def outcome(operation, name, dtype):
    """What became of an operation, and why."""
    if name in NOT_THERE:
        return "skipped", ""
    are_open = name in DRAWN or any(part in name for part in OPEN)
    wants = operation.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    torch.manual_seed(1)
    judged = 0
    try:
        for count, sample in enumerate(operation.sample_inputs("cpu", dtype, requires_grad=wants)):
            if count == MOST:
                break
            judged += judge(operation, sample, are_open)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
    return ("passed", "") if judged else ("skipped", "")


def main():
    warnings.filterwarnings("ignore")
    types = (sys.argv[2] if len(sys.argv) > 2 else TYPES).split(",")
    with open(sys.argv[1], "w", encoding="utf-8") as report:
        for operation in op_db:
            name = operation.name + (f".{operation.variant_test_name}" if operation.variant_test_name else "")
            for dtype in (getattr(torch, kind) for kind in types):
                if dtype in operation.supported_dtypes("cpu"):
                    result, why = outcome(operation, name, dtype)
                    report.write(f"{result} {name} {str(dtype).removeprefix('torch.')}\n")
                    if why:
                        print(name, dtype, why, flush=True)


if __name__ == "__main__":
    main()
