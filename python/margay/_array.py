"""Arrays whose memory kernels use in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._margay import address

# What kernels can use without a copy begins at a multiple of this in memory; a cache line is no more.
_ALIGNMENT = 64


class Array(np.ndarray):
    """A NumPy array whose memory is the device's memory: launches use it in place, without a copy.

    It is a `numpy.ndarray`, so that slices, arithmetic, the buffer protocol and DLPack are NumPy's: `memoryview(array)`,
    `numpy.from_dlpack(array)`. `empty`, `zeros` and `asarray` make one. Results of arithmetic and copies are plain
    arrays; those are used in place, too, if they begin at a multiple of 16 in memory, as NumPy's large ones do.

    >>> import margay, numpy as np
    >>> data = margay.asarray([[1, 2, 3], [4, 5, 6]], dtype=np.uint32)
    >>> data[1].sum()
    np.uint64(15)
    >>> data[1].is_in_place, data[:, 1].is_in_place
    (False, False)
    >>> data.is_in_place, type(np.from_dlpack(data) + 1).__name__
    (True, 'ndarray')
    """

    @property
    def is_in_place(self) -> bool:
        """Whether launches use its memory itself: it is contiguous and begins at a multiple of 16 bytes."""
        contiguous = self.flags.c_contiguous or self.flags.f_contiguous
        return bool(contiguous and self.ctypes.data % 16 == 0)

    @property
    def ptr(self) -> int:
        """Its address on the device, in every module of the process: as long as its memory lives, and never another's after that.

        Arrays of such addresses are pointers for kernels, which reach the memory behind them without its being an argument.

        Raises
        ------
        LaunchError
            If it is not contiguous.

        >>> import margay, numpy as np
        >>> rows = [margay.asarray([1, 2, 3], np.uint32), margay.asarray([4, 5], np.uint32)]
        >>> table = np.array([row.ptr for row in rows], np.uint64)
        >>> int(rows[0][1:].ptr - table[0])
        4
        """
        return address(self)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if plain.ndim == 0 else plain

    def copy(self, order: Any = "C") -> Array:
        """A copy that is an `Array` too."""
        return asarray(np.asarray(self), order=order, copy=True)


def empty(shape: int | tuple[int, ...], dtype: Any = np.uint32, order: Any = "C") -> Array:
    """An array of whatever the memory held.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype
        The type of elements; 32-bit unsigned numbers if none is given.
    order : {"C", "F"}

    >>> import margay
    >>> margay.empty((2, 3)).shape
    (2, 3)
    """
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=object))
    bytes = np.empty(count * dtype.itemsize + _ALIGNMENT, np.uint8)
    start = -bytes.ctypes.data % _ALIGNMENT
    values = bytes[start : start + count * dtype.itemsize].view(dtype)
    array: Array = values.reshape(shape, order=order).view(Array)
    return array


def zeros(shape: int | tuple[int, ...], dtype: Any = np.uint32, order: Any = "C") -> Array:
    """An array of zeros; parameters as for `empty`.

    >>> import margay
    >>> margay.zeros(3)
    Array([0, 0, 0], dtype=uint32)
    """
    array = empty(shape, dtype, order)
    array[...] = np.zeros((), dtype)
    return array


def asarray(values: Any, dtype: Any = None, order: Any = "C", *, copy: bool | None = None) -> Array:
    """An array that holds values: those of the memory itself if kernels can use it in place, else of a copy.

    Parameters
    ----------
    values : array_like, or an object with DLPack or the buffer protocol
    dtype : dtype, optional
        The type of elements; that of the values if none is given.
    order : {"C", "F"}
    copy : bool, optional
        True for a copy in any case, False for none in any case.

    Raises
    ------
    ValueError
        If `copy` is False and a copy would be needed.

    >>> import margay, numpy as np
    >>> plain = np.arange(1000)
    >>> np.shares_memory(margay.asarray(plain), plain)
    True
    """
    plain = np.asarray(values, dtype)
    shared = plain.view(Array)
    if not copy and shared.is_in_place:
        return shared
    if copy is False:
        raise ValueError("the values are not where kernels can use them in place; let `copy` be")
    array = empty(plain.shape, plain.dtype, order)
    array[...] = plain
    return array
