"""Kernels and instructions over Dask arrays, chunk by chunk."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import dask.array
import numpy as np

from ._errors import CallError
from ._module import Configured, Kernel, _loaded

if TYPE_CHECKING:
    from collections.abc import Callable


def map_blocks(
    kernel: Kernel | str,
    *arrays: Any,
    dtype: Any = np.uint32,
    block: int = 256,
    arguments: Callable[..., tuple[Any, ...]] | None = None,
    **options: Any,
) -> dask.array.Array:
    """Runs a kernel, or computes an instruction, on each chunk of Dask arrays.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel, launched once for each chunk; or an instruction as `margay.eval` takes it.
    *arrays : dask.array.Array or array_like
        The inputs: chunked alike, or broadcast against each other.
    dtype : dtype
        The type of the result's elements.
    block : int
        Threads of a block; there are as many blocks as give each element of the chunk a thread.
    arguments : function, optional
        From the chunk of the result (NumPy, zeros) and the chunks of the inputs, to the kernel's arguments; if there is none,
        they are the inputs, the result and its size.
    **options
        Options of the launches, or of `margay.eval`.

    Returns
    -------
    dask.array.Array
        Of the shape that the inputs broadcast to. Each process that computes chunks loads the module once; variables of
        the module are not shared between processes.

    Raises
    ------
    TypeError
        If `kernel` is neither a kernel nor an instruction.
    CallError, Trap, PtxError
        When chunks are computed.

    >>> import dask.array, numpy as np
    >>> import margay.dask
    >>> x = dask.array.arange(10, chunks=4, dtype=np.uint32)
    >>> margay.dask.map_blocks("mad.lo.u32 d, a, b, 1", x, 3).compute()
    array([ 1,  4,  7, 10, 13, 16, 19, 22, 25, 28], dtype=uint32)
    """
    chunked = [array for array in arrays if isinstance(array, dask.array.Array)]
    if not chunked:
        raise CallError("none of the inputs is a Dask array", "make one: `dask.array.from_array(array, chunks=…)`")
    shared: dict[str, Any] = {"dtype": np.dtype(dtype), "meta": np.empty((0,) * max(a.ndim for a in chunked), dtype)}
    if isinstance(kernel, str):
        return _mapped(_evaluated, *arrays, **shared, instruction=kernel, wanted=np.dtype(dtype), options=options)
    if not isinstance(kernel, Kernel):
        what = "its grid follows from the chunks" if isinstance(kernel, Configured) else "pass `module.get_function(name)`"
        raise TypeError(f"cannot run a `{type(kernel).__name__}` on chunks\nhelp: {what}")
    return _mapped(
        _launched,
        *arrays,
        **shared,
        source=kernel.module._source,
        entry=kernel.name,
        wanted=np.dtype(dtype),
        threads=block,
        arguments=arguments or _inputs_first,
        options=options,
    )


def _mapped(*arguments: Any, **keywords: Any) -> dask.array.Array:
    # Dask has no types for it.
    mapped: Any = dask.array.map_blocks
    result: dask.array.Array = mapped(*arguments, **keywords)
    return result


def _inputs_first(out: np.ndarray, *inputs: np.ndarray) -> tuple[Any, ...]:
    return (*inputs, out, out.size)


@lru_cache(maxsize=32)
def _kernel(source: tuple[bytes, str, str | None], name: str) -> Kernel:
    return Kernel(_loaded(*source), name)


def _launched(
    *chunks: Any,
    source: tuple[bytes, str, str | None],
    entry: str,
    wanted: np.dtype,
    threads: int,
    arguments: Callable[..., tuple[Any, ...]],
    options: dict[str, Any],
) -> np.ndarray:
    shape = np.broadcast_shapes(*(np.shape(chunk) for chunk in chunks))
    out = np.zeros(shape, wanted)
    inputs = [np.ascontiguousarray(np.broadcast_to(c, shape)) if np.ndim(c) else c for c in chunks]
    if out.size:
        given = arguments(out, *inputs)
        _kernel(source, entry)(-(-out.size // threads), threads, given, **{"workers": 1, **options})
    return out


def _evaluated(*chunks: Any, instruction: str, wanted: np.dtype, options: dict[str, Any]) -> Any:
    from ._snippet import eval

    return eval(instruction, *chunks, dtype=wanted, **{"workers": 1, **options})
