"""Products of matrices on their own, over arrays of matrices."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ._errors import CallError
from ._margay import Product


class _Matrix(NamedTuple):
    """What is to be known of a matrix."""

    name: str
    type: str
    size: int
    """Bytes of an element."""
    rows: int
    columns: int
    optional: bool

    @property
    def values(self) -> np.dtype:
        """Its elements as what they are; as bits where NumPy has no such numbers."""
        if self.type in (".f16", ".f32", ".f64"):
            return np.dtype(f"<f{self.size}")
        if self.type == ".tf32":
            return np.dtype("<f4")
        return np.dtype(f"<{'i' if self.type.startswith('.s') else 'u'}{self.size}")


@lru_cache(maxsize=1024)
def product(text: str) -> Product | None:
    """The product that a text is; None if it is another instruction."""
    return Product.read(text)


def multiply(product: Product, values: tuple[Any, ...], named: dict[str, Any], out: Any, dtype: Any, device: str | None) -> Any:
    """D of matrices by place and by name."""
    __tracebackhide__ = True
    inputs = [_Matrix(*told) for told in product.inputs]
    if len(values) > len(inputs):
        raise CallError(f"the instruction reads {len(inputs)} matrices, but {len(values)} are given", _order(inputs))
    given = {matrix.name: value for matrix, value in zip(inputs, values)}
    for name, value in named.items():
        if name not in (matrix.name for matrix in inputs):
            raise CallError(f"the instruction reads no operand `{name}`", _order(inputs))
        if name in given:
            raise CallError(f"`{name}` is given twice")
        given[name] = value
    product = product.taking(list(given))
    inputs = [_Matrix(*told) for told in product.inputs]
    for matrix in inputs:
        if matrix.name not in given and not matrix.optional:
            raise CallError(f"operand `{matrix.name}` has no value", _order(inputs))
    arrays = [_bits(matrix, given[matrix.name]) if matrix.name in given else None for matrix in inputs]
    shapes = {array.shape[:-2] for array in arrays if array is not None}
    try:
        lead = np.broadcast_shapes(*shapes)
    except ValueError:
        told = ", ".join(str(shape) for shape in shapes)
        raise CallError(f"the matrices cannot be broadcast together: there are {told} of them") from None
    d = _Matrix(*product.result)
    wanted = d.values if dtype is None else np.dtype(dtype)
    if wanted.itemsize != d.size:
        raise CallError(f"the result has {d.size} bytes, and `{wanted}` has {wanted.itemsize}")
    laid_out = [
        None if array is None else np.ascontiguousarray(np.broadcast_to(array, (*lead, *array.shape[-2:]))) for array in arrays
    ]
    shape = (*lead, d.rows, d.columns)
    if out is None:
        out = np.empty(shape, wanted)
    elif not isinstance(out, np.ndarray) or out.shape != shape or out.itemsize != d.size or not out.flags.c_contiguous:
        raise CallError(f"`out` has to be a contiguous array of shape {shape} whose elements have {d.size} bytes")
    product.apply(prod(lead), laid_out, out, device)
    return out


def _order(inputs: list[_Matrix]) -> str:
    return f"in this order: {', '.join(f'`{matrix.name}`' for matrix in inputs)}"


def _bits(matrix: _Matrix, value: Any) -> np.ndarray:
    """Matrices as what the product reads; a number fills one."""
    array = np.asarray(value)
    name, type, size, rows, columns, _ = matrix
    if array.ndim == 0:
        array = np.broadcast_to(array, (rows, columns))
    elif columns == 1 and array.shape[-1:] == (rows,) and array.shape[-2:] != (rows, 1):
        array = array[..., None]
    if array.shape[-2:] != (rows, columns):
        raise CallError(f"operand `{name}` is {rows} by {columns}, and the array has the shape {array.shape}")
    kind, values = array.dtype.kind, matrix.values
    # Numbers that NumPy has not come as bits: as integers, or as a type of their own.
    if kind == "V" or (array.itemsize == size and kind in "iu" and values.kind in "iu"):
        if array.itemsize != size or array.dtype.hasobject:
            raise CallError(f"operand `{name}` (`{type}`) has {size} bytes, and the array's elements have {array.itemsize}")
        return np.ascontiguousarray(array).view(f"<u{size}")
    if values.kind == "f" and kind in "fiub":
        with np.errstate(over="ignore"):
            return array.astype(values)
    if values.kind == "f" or kind not in "iub":
        help = f"`array.view(np.uint{8 * size})` has the bits" if array.itemsize == size else f"the bits of `{type}` come as `uint{8 * size}`"
        raise TypeError(f"operand `{name}` is `{type}`, and the array is `{array.dtype}`\nhelp: {help}")
    limits = np.iinfo(values)
    for number in (int(array.min()), int(array.max())):
        if not limits.min <= number <= limits.max:
            raise CallError(f"operand `{name}`: `{number}` does not fit `{type}`", f"it takes {limits.min} to {limits.max}")
    return array.astype(values)
