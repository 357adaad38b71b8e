"""Operations on the CPU as parts of a CUDA graph: functions of the host, which run where a replay comes to them."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

from .tensors import Tensors, mapped

IMPOSSIBLE = "`{name}` cannot be part of a CUDA graph: what it gives depends on values, not on shapes alone"
UNPINNED = "`{name}` cannot be part of a CUDA graph: memory of the CPU must be pinned (`pin_memory`)"
FAILED = "`{name}` failed when a CUDA graph was replayed"

# What the driver calls, and what gives it up: by the number that the driver hands back, as long as a graph has it.
_kept: dict[int, Any] = {}
_count = 0
# What went wrong in replays, which have no caller to tell, and in which operation.
_failed: list[tuple[str, BaseException]] = []

_Function = ctypes.CFUNCTYPE(None, ctypes.c_size_t)


def check() -> None:
    """Raises what went wrong first in replays before."""
    if _failed:
        name, error = _failed[0]
        _failed.clear()
        raise RuntimeError(FAILED.format(name=name)) from error


def record(
    torch: Any,
    name: str,
    operation: Callable[..., Any],
    compute: Callable[[list[Any], dict[str, Any]], Any],
    arguments: Any,
    named: dict[str, Any],
) -> Any:
    """Adds an operation to the graph that the current stream records, and gives the tensors that replays will fill.

    The operation itself says which shapes it gives, and `compute` is what a replay does with tensors of the CPU.
    """
    shapes: dict[int, tuple[Any, Any]] = {}

    def shape_of(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in shapes:
                shape = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
                shapes[id(value)] = (value, shape)
            return shapes[id(value)][1]
        return torch.device("meta") if isinstance(value, torch.device) else value

    options = {key: None if key == "generator" else mapped(shape_of, value) for key, value in named.items()}
    try:
        given = operation(*(mapped(shape_of, value) for value in arguments), **options)
    except (NotImplementedError, RuntimeError) as error:
        raise RuntimeError(IMPOSSIBLE.format(name=name)) from error
    for tensor, shape in shapes.values():
        if not tensor.is_cuda and tensor.dim() > 0 and not tensor.is_pinned():
            raise RuntimeError(UNPINNED.format(name=name))
        # An `out=` of another shape.
        if tensor.shape != shape.shape:
            tensor.resize_(shape.shape)

    def result_of(shape: Any) -> Any:
        if not isinstance(shape, torch.Tensor):
            return shape
        same = next((tensor for tensor, known in shapes.values() if known is shape), None)
        return torch.empty_strided(shape.shape, shape.stride(), dtype=shape.dtype, device="cuda") if same is None else same

    results = mapped(result_of, given)
    # A graph has addresses, and does not keep tensors: so has what stands for them.
    tensors = Tensors(torch)
    lowered = [mapped(tensors.lower_any, value) for value in arguments]
    lowered_options = {key: mapped(tensors.lower_any, value) for key, value in named.items()}
    filled = [tensors.lower_any(result) for result in (results if isinstance(results, (list, tuple)) else [results])]

    def replay() -> None:
        with torch.no_grad():
            values = compute(list(lowered), dict(lowered_options))
            for place, value in zip(filled, values if isinstance(values, (list, tuple)) else [values]):
                if isinstance(value, torch.Tensor) and place is not value:
                    place.copy_(value)

    _launch(torch, name, replay)
    return results


def _launch(torch: Any, name: str, replay: Callable[[], None]) -> None:
    """Adds a function of the host to what the current stream records, and keeps it as long as the graph."""
    global _count
    driver = ctypes.CDLL("libcuda.so.1")
    stream = ctypes.c_size_t(torch.cuda.current_stream().cuda_stream)
    _count += 1
    number = ctypes.c_size_t(_count)

    def called(_: int) -> None:
        try:
            replay()
        except BaseException as error:
            _failed.append((name, error))

    def dropped(number: int) -> None:
        # What runs here is kept by itself until it returns.
        _kept.pop(number, None)

    call, drop = _Function(called), _Function(dropped)
    _kept[_count] = (call, drop)
    status, serial, graph, kept = (ctypes.c_int(), ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_size_t())
    told = ctypes.byref(status), ctypes.byref(serial), ctypes.byref(graph)
    _must(driver.cuStreamGetCaptureInfo_v2(stream, *told, None, None))
    _must(driver.cuUserObjectCreate(ctypes.byref(kept), number, drop, 1, 1))
    _must(driver.cuGraphRetainUserObject(graph, kept, 1, 1))
    _must(driver.cuLaunchHostFunc(stream, call, number))


def _must(status: int) -> None:
    if status:
        raise RuntimeError(f"the driver answered {status} where an operation was to be part of a CUDA graph")
