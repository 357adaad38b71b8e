"""Which tensors may lie on the CPU beside CUDA tensors: what a GPU's kernels refuse is refused, too."""

from __future__ import annotations

from typing import Any, Iterable

# These copy from one to the other.
COPIES = frozenset(("copy_", "_foreach_copy_"))
# These take indices of the CPU, for a CUDA tensor.
INDEXED = frozenset(("index", "_index_put_impl_"))
# These take lengths, probabilities, or masks of the CPU, for a CUDA tensor.
BESIDE = frozenset(("_ctc_loss", "bernoulli_", "_fused_sdp_choice"))
# These do not even take a number that lies on the CPU.
STRICT = frozenset(("gather", "index_add", "index_add_", "index_select", "scatter", "scatter_", "scatter_add", "scatter_add_", "take"))

MIXED = "Expected all tensors to be on the same device: `{name}` was given some of cuda:0 and some of cpu"
INDICES = "indices should be either on cpu or on the same device as the indexed tensor (cpu): `{name}` was given some of cuda:0"


def check(name: str, base: str, host: Iterable[Any], arguments: Any, changed: Iterable[Any]) -> None:
    """Raises where a GPU would: by the tensors of the CPU, all arguments, and those that the operation changes."""
    if base in COPIES:
        return
    if base in INDEXED:
        if not arguments[0].is_cuda:
            raise RuntimeError(INDICES.format(name=name))
        values = arguments[2] if len(arguments) > 2 else None
        if values is not None and not values.is_cuda and values.dim() > 0:
            raise RuntimeError(MIXED.format(name=name))
        return
    is_wrong = any(not tensor.is_cuda for tensor in changed)
    if base not in BESIDE:
        is_wrong |= any(tensor.dim() > 0 or base in STRICT for tensor in host)
    if is_wrong:
        raise RuntimeError(MIXED.format(name=name))
