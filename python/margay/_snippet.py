"""One instruction, or a piece of inline assembly, over whole arrays."""

from __future__ import annotations

import warnings
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

import numpy as np

from ._errors import CallError, ErratumWarning, Trap
from ._margay import Snippet
from ._options import resolved
from ._product import multiply, product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, DTypeLike

    from ._options import Approx, Semantics

    Number = Union[int, float, np.generic]


# Of one result it is that, of several a tuple: how many there are stands in the text. Arrays are unpacked like tuples are.
@overload
def eval(
    instruction: str,
    *values: ArrayLike,
    out: np.ndarray,
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    device: str | None = ...,
    workers: int = ...,
    **named: ArrayLike,
) -> np.ndarray: ...
@overload
def eval(
    instruction: str,
    *values: ArrayLike,
    out: tuple[np.ndarray, ...] | list[np.ndarray],
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    device: str | None = ...,
    workers: int = ...,
    **named: ArrayLike,
) -> tuple[np.ndarray, ...]: ...
@overload
def eval(
    instruction: str,
    *values: Number,
    out: None = ...,
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    device: str | None = ...,
    workers: int = ...,
    **named: Number,
) -> Any: ...
@overload
def eval(
    instruction: str,
    *values: ArrayLike,
    out: None = ...,
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    device: str | None = ...,
    workers: int = ...,
    **named: ArrayLike,
) -> np.ndarray: ...
def eval(
    instruction: str,
    *values: Any,
    out: Any = None,
    dtype: Any = None,
    semantics: Semantics | None = None,
    approx: Approx | None = None,
    device: str | None = None,
    workers: int = 0,
    **named: Any,
) -> Any:
    """Computes one instruction for all elements of arrays.

    Parameters
    ----------
    instruction : str
        The instruction, such as `"vabsdiff4.u32.u32.u32.add d, a, b, c"`. Operands are names of your choice or constants;
        names that are written are results.
    *values : array_like of integers, or of floating point where the operand is
        One for each name that is read, in the order in which they are read first; `eval("…", a, b, c)`. They are
        broadcast against each other. Arrays of the operand's size are taken as bits, whatever their sign; others are
        converted, if all their values fit.
    out : numpy.ndarray or tuple of them, optional
        Where results go: of the result's size and shape, contiguous, without memory in common with a value.
    dtype : dtype, optional
        What the bits of results are; else what the instruction says (`.u32` and `.b32` are `uint32`, `.s32` is `int32`,
        predicates are `bool`).
    semantics : {"manual", "ptxas-13.5"}, optional
        What is computed where NVIDIA's assembler makes something else of the instruction than the manual says; the manual's text
        if nothing is said, also by `margay.options`. Then an `ErratumWarning` tells if a device gives others for these values.
    approx : {"device", "rounded"}, optional
        The results of approximate functions, such as `rcp.approx.f32`: a device's, if nothing is said, also by `margay.options`; or
        correctly rounded ones. It does not go with `semantics="ptxas-13.5"`.
    device : str, optional
        As which device's tensor cores a product of matrices is computed, such as `"sm_90"`; else as those of the first that has it.
    workers : int
        Threads of this machine to use; 0 takes as many as it has cores.
    **named : array_like
        Values by name instead; `**{"CC.CF": carry}` is the carry flag.

    A product of matrices (`mma`, `wmma.mma`) takes matrices, or arrays of them in the last two axes: a number fills one, C is zero if it
    is not given. Only the words of its form need be written. Numbers that NumPy has not, such as `.bf16` and `.e4m3`, are given as bits.

    Returns
    -------
    numpy.ndarray or NumPy scalar, or a tuple of them
        One for each name that is written, of the shape that the values broadcast to.

    Raises
    ------
    PtxError
        If the instruction is not legal PTX.
    CallError
        If it has side effects, or the values do not fit it.
    Unsupported
        If margay does not run it yet.
    TypeError
        If a value is of a wrong type.

    >>> import margay, numpy as np
    >>> margay.eval("bfe.u32 d, a, b, 4", np.array([0xabcd, 0x1234]), [[0], [8]])
    array([[13,  4],
           [11,  2]], dtype=uint32)
    >>> margay.eval("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", a=np.eye(16, 8), b=np.full((8, 8), 1.5), device="sm_90")[7:9, :4]
    array([[1.5, 1.5, 1.5, 1.5],
           [0. , 0. , 0. , 0. ]], dtype=float32)
    >>> margay.eval("setp.lt.s32 p|q, a, 0", a=np.array([-1, 1]))
    (array([ True, False]), array([False,  True]))
    """
    __tracebackhide__ = True
    matrices = product(_text("instruction", instruction))
    if matrices is not None:
        chosen = resolved({})[0].get("device") if device is None else device
        return multiply(matrices, values, named, out, dtype, chosen)
    if device is not None:
        raise CallError("`device` is for products of matrices", "leave it out; other instructions are the same on all devices")
    piece = _instruction(instruction)
    if named or len(values) != len(piece.inputs):
        values = _all_named(piece, values, named)
    return _apply(piece, values, out, dtype, {"semantics": semantics, "approx": approx, "workers": workers}, instruction)


@overload
def asm(
    template: str,
    constraints: str,
    *values: ArrayLike,
    out: np.ndarray,
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    workers: int = ...,
    max_steps: int | None = ...,
) -> np.ndarray: ...
@overload
def asm(
    template: str,
    constraints: str,
    *values: ArrayLike,
    out: tuple[np.ndarray, ...] | list[np.ndarray],
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    workers: int = ...,
    max_steps: int | None = ...,
) -> tuple[np.ndarray, ...]: ...
@overload
def asm(
    template: str,
    constraints: str,
    *values: Number,
    out: None = ...,
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    workers: int = ...,
    max_steps: int | None = ...,
) -> Any: ...
@overload
def asm(
    template: str,
    constraints: str,
    *values: ArrayLike,
    out: None = ...,
    dtype: DTypeLike = ...,
    semantics: Semantics | None = ...,
    approx: Approx | None = ...,
    workers: int = ...,
    max_steps: int | None = ...,
) -> np.ndarray: ...
def asm(
    template: str,
    constraints: str,
    *values: Any,
    out: Any = None,
    dtype: Any = None,
    semantics: Semantics | None = None,
    approx: Approx | None = None,
    workers: int = 0,
    max_steps: int | None = None,
) -> Any:
    """Computes inline assembly for all elements of arrays, as `asm` of CUDA and `inline_asm_elementwise` of Triton have it.

    Parameters
    ----------
    template : str
        Statements with operands `$0`, `$1`, … (or `%0`, `%1`, …): results first, then values, in the order of the constraints.
        Registers of its own may be declared within braces.
    constraints : str
        One for each operand, with commas between: `=` before a result, `+` before an operand that is read and written, and a letter:
        `h` (16 bits), `r` (32), `l` (64), `q` (128), `f` (`.f32`), `d` (`.f64`), `b` (a predicate), `n` (a constant); or the
        number of a result whose register the value has too.
    *values : array_like
        One for each operand that is read; for `n` a Python integer. As `eval` takes them.
    out, dtype, semantics, approx, workers
        As for `eval`.
    max_steps : int, optional
        The most instructions for each 32768 elements.

    Returns
    -------
    numpy.ndarray or NumPy scalar, or a tuple of them
        One for each operand that is written. Without `dtype` they are unsigned, floating point for `f` and `d`, and
        truth values for `b`.

    Raises
    ------
    PtxError
        If the template is not legal PTX.
    CallError
        If constraints, template and values do not fit each other.
    Unsupported
        If margay does not run an instruction of it yet.
    TypeError
        If a value is of a wrong type.
    Trap
        If it goes wrong on an element.

    >>> import margay, numpy as np
    >>> clamp = "{ .reg .s32 t; min.s32 t, $1, $2; max.s32 $0, t, 0; }"
    >>> margay.asm(clamp, "=r,r,r", np.array([-5, 5, 500]), 255, dtype=np.int32)
    array([  0,   5, 255], dtype=int32)
    """
    __tracebackhide__ = True
    places = Snippet.constants(_text("constraints", constraints))
    constants = []
    for place in places:
        if place < len(values):
            if isinstance(values[place], np.ndarray) or not hasattr(values[place], "__index__"):
                name = type(values[place]).__name__
                raise TypeError(f"cannot take a `{name}` as a constant\nhelp: pass a Python integer")
            constants.append(values[place].__index__())
    piece = _asm(_text("template", template), constraints, tuple(constants))
    read = [value for place, value in enumerate(values) if place not in places]
    if len(read) != len(piece.inputs):
        message = f"the template reads {len(piece.inputs)} values, but {len(read)} are given"
        raise CallError(message, _order(piece))
    keywords = {"semantics": semantics, "approx": approx, "workers": workers, "max_steps": max_steps}
    return _apply(piece, read, out, dtype, keywords, template)


def _text(what: str, given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"the {what} is a `{type(given).__name__}`, and must be a string")
    return given


class _Operand(NamedTuple):
    """What is to be known of an operand."""

    name: str
    type: str
    size: int
    bits: np.dtype
    """Its elements as unsigned numbers."""
    values: np.dtype
    """Its elements as what they are."""
    least: int
    """The numbers that it takes."""
    most: int


class _Piece(NamedTuple):
    """A snippet and its operands."""

    snippet: Snippet
    inputs: list[_Operand]
    outputs: list[_Operand]
    errata: list[str]
    """What a device makes otherwise of its instructions than the manual."""


def _piece(snippet: Snippet) -> _Piece:
    inputs, outputs = ([_operand(*told) for told in operands] for operands in (snippet.inputs, snippet.outputs))
    return _Piece(snippet, inputs, outputs, snippet.errata)


def _operand(name: str, type: str, size: int) -> _Operand:
    # Packed numbers are given as the bits that they are.
    signed = type.startswith(".s") and "x" not in type
    least, most = -(1 << (8 * size - 1)), (1 << (8 * size - signed)) - 1
    return _Operand(name, type, size, np.dtype(f"<u{size}" if size <= 8 else "V16"), _typed(type, size), least, most)


@lru_cache(maxsize=1024)
def _instruction(text: str) -> _Piece:
    return _piece(Snippet.instruction(text))


@lru_cache(maxsize=1024)
def _asm(template: str, constraints: str, constants: tuple[int, ...]) -> _Piece:
    return _piece(Snippet.asm(template, constraints, constants))


def _all_named(piece: _Piece, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The values in the order of the operands, of which some are given by name."""
    names = [operand.name for operand in piece.inputs]
    if len(values) > len(names):
        message = f"the instruction reads {len(names)} values, but {len(values)} are given"
        raise CallError(message, _order(piece))
    given = dict(zip(names, values))
    for name, value in named.items():
        if name not in names:
            raise CallError(f"the instruction reads no operand `{name}`", _order(piece))
        if name in given:
            raise CallError(f"`{name}` is given twice")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise CallError(f"operand `{missing[0]}` has no value", _order(piece))
    return tuple(given[name] for name in names)


def _order(piece: _Piece) -> str:
    names = [operand.name for operand in piece.inputs]
    return f"in this order: {', '.join(f'`{name}`' for name in names)}" if names else "it reads none"


# Options of launches that mean something here too.
_SHARED = ("engine", "simd")
# What they are called in the manual's text.
_MANUAL = "manual"


# One number for all elements, or the elements as unsigned numbers.
_Column = Union[int, np.ndarray]


def _apply(piece: _Piece, values: Sequence[Any], out: Any, dtype: Any, keywords: dict[str, Any], text: str) -> Any:
    __tracebackhide__ = True
    defaults, _ = resolved({})
    keywords.update({name: defaults[name] for name in _SHARED if name in defaults})
    if keywords["semantics"] is None:
        keywords["semantics"] = defaults.get("semantics", _MANUAL)
    elif not isinstance(keywords["semantics"], str):
        raise TypeError(f"`semantics={keywords['semantics']!r}` is not a name")
    if keywords["approx"] is None:
        keywords["approx"] = defaults.get("approx")
    elif not isinstance(keywords["approx"], str):
        raise TypeError(f"`approx={keywords['approx']!r}` is not a name")
    columns = [_column(operand, value) for operand, value in zip(piece.inputs, values)]
    shape = _shape(columns)
    inputs = [_laid_out(operand, column, shape) for operand, column in zip(piece.inputs, columns)]
    wanted = None if dtype is None else np.dtype(dtype)
    for operand in piece.outputs:
        if wanted is not None and wanted.itemsize != operand.size:
            raise CallError(f"the result has {operand.size} bytes, and `{wanted}` has {wanted.itemsize}")
    outputs = _outputs(piece, out, shape)
    piece.snippet.apply(prod(shape), inputs, outputs, **keywords)
    if piece.errata and keywords["semantics"] == _MANUAL:
        _warn_of_errata(piece, text, inputs, outputs, keywords)
    results = [_result(operand, array, wanted, out is None) for operand, array in zip(piece.outputs, outputs)]
    return results[0] if len(results) == 1 else tuple(results)


def _warn_of_errata(
    piece: _Piece, text: str, inputs: list[_Column], outputs: list[np.ndarray], keywords: dict[str, Any]
) -> None:
    """Warns the caller of `eval` or `asm` if a device gives others than these results."""
    count = outputs[0].size
    if keywords["approx"] == "rounded":
        # That approximate functions are rounded is what was asked for, no erratum.
        outputs = [np.empty(count, operand.bits) for operand in piece.outputs]
        piece.snippet.apply(count, inputs, outputs, **{**keywords, "approx": None})
    others = [np.empty(count, operand.bits) for operand in piece.outputs]
    try:
        piece.snippet.apply(count, inputs, others, **{**keywords, "semantics": "ptxas-13.5", "approx": None})
    except Trap:
        differs = np.ones(count, bool)
    else:
        differs = np.zeros(count, bool)
        for operand, ours, theirs in zip(piece.outputs, outputs, others):
            # Wider than any number of NumPy's: as pairs.
            ours, theirs = (array.reshape(-1).view("<u8" if operand.size > 8 else operand.bits) for array in (ours, theirs))
            differs |= (ours != theirs).reshape(count, -1).any(axis=1)
    if not differs.any():
        return
    of = "" if count == 1 else f" for {np.count_nonzero(differs)} of {count} elements"
    told = "\n".join(f"  {erratum}" for erratum in piece.errata)
    what = f'a device gives another result than the manual{of}; `semantics="ptxas-13.5"` computes it'
    warnings.warn(f"`{text.strip()}`: {what}:\n{told}", ErratumWarning, stacklevel=4)


def _shape(columns: list[_Column]) -> tuple[int, ...]:
    shapes = {column.shape for column in columns if isinstance(column, np.ndarray)}
    if len(shapes) < 2:
        return next(iter(shapes), ())
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        told = ", ".join(str(np.shape(column)) for column in columns)
        raise CallError(f"the values cannot be broadcast together: their shapes are {told}") from None


def _laid_out(operand: _Operand, column: _Column, shape: tuple[int, ...]) -> _Column:
    """Elements behind each other, or one number for all."""
    if isinstance(column, int):
        return column if shape else np.array(column, operand.bits)
    if column.shape != shape:
        column = np.broadcast_to(column, shape)
    return column if column.flags.c_contiguous else np.ascontiguousarray(column)


def _column(operand: _Operand, value: Any) -> _Column:
    if type(value) is int and operand.values.kind in "iu" and operand.least <= value <= operand.most:
        return value & ((1 << 8 * operand.size) - 1)
    bits = _bits(operand, value if isinstance(value, np.ndarray) else np.asarray(value))
    return int(bits) if bits.ndim == 0 and operand.size <= 8 else bits


def _bits(operand: _Operand, array: np.ndarray) -> np.ndarray:
    """An array as unsigned numbers of the operand's size."""
    name, type, size, unsigned = operand[:4]
    if array.dtype == unsigned and operand.values.kind in "iu":
        return array
    kind = array.dtype.kind
    floating = type.startswith(".f") and size in (2, 4, 8)
    if kind == "V" or (kind == "f" and array.itemsize == size and not floating and type.startswith(".b")):
        if array.itemsize != size or array.dtype.hasobject:
            raise CallError(f"operand `{name}` (`{type}`) has {size} bytes, and the array's elements have {array.itemsize}")
        # NumPy makes an array of one dimension of none.
        return np.ascontiguousarray(array).view(unsigned).reshape(array.shape)
    if array.size == 0 and kind in "fiub":
        return array.astype(unsigned)
    if floating and kind in "fiu":
        with np.errstate(over="ignore"):
            return array.astype(f"<f{size}", copy=False).view(unsigned)
    if kind == "f":
        help = f"`array.view(np.uint{8 * size})` has the bits, `array.astype(np.int{8 * size})` the numbers"
        raise TypeError(f"operand `{name}` (`{type}`) is an integer, and the array is `{array.dtype}`\nhelp: {help}")
    if kind == "O":
        array = _integers(name, type, array)
    elif kind not in "iub":
        raise TypeError(f"operand `{name}` (`{type}`) is a number, and the value is `{array.dtype}`")
    if type == ".pred":
        return array.astype(bool, copy=False).view(np.uint8)
    if size > 8:
        return _wide(array)
    if array.itemsize == size and array.dtype.isnative and kind in "iu":
        return array.view(unsigned)
    _check_range(operand, array)
    return array.astype(unsigned)


def _integers(name: str, type: str, array: np.ndarray) -> np.ndarray:
    """Python integers that no NumPy type holds together, such as one above 2**63 beside a negative one."""
    if not all(isinstance(value, int) for value in array.flat):
        raise TypeError(f"operand `{name}` (`{type}`) is a number, and the array holds Python objects")
    return array


def _check_range(operand: _Operand, array: np.ndarray) -> None:
    if array.size == 0 or (array.dtype.kind == "b"):
        return
    name, least, most = operand.name, operand.least, operand.most
    for value in (int(array.min()), int(array.max())):
        if not least <= value <= most:
            raise CallError(f"operand `{name}`: `{value}` does not fit `{operand.type}`", f"it takes {least} to {most}")


def _wide(array: np.ndarray) -> np.ndarray:
    """Integers as 128 bits."""
    wide = np.empty((*array.shape, 2), "<u8")
    if array.dtype.kind == "O":
        mask = (1 << 64) - 1
        wide[..., 0] = np.frompyfunc(lambda value: value & mask, 1, 1)(array)
        wide[..., 1] = np.frompyfunc(lambda value: value >> 64 & mask, 1, 1)(array)
    else:
        wide[..., 0] = array.astype("<u8", copy=False)
        wide[..., 1] = np.where(array < 0, np.uint64((1 << 64) - 1), np.uint64(0))
    return wide.view("V16")[..., 0]


def _outputs(piece: _Piece, out: Any, shape: tuple[int, ...]) -> list[np.ndarray]:
    if out is None:
        return [np.empty(shape, operand.values) for operand in piece.outputs]
    arrays = list(out) if isinstance(out, (tuple, list)) else [out]
    if len(arrays) != len(piece.outputs):
        raise CallError(f"arrays for results: {len(piece.outputs)} wanted, {len(arrays)} given")
    for array, operand in zip(arrays, piece.outputs):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"cannot put a result into a `{type(array).__name__}`\nhelp: pass a NumPy array")
        if array.shape != shape or array.itemsize != operand.size:
            raise CallError(f"the array for a result is not of shape {shape} with elements of {operand.size} bytes")
        if not array.flags.c_contiguous:
            raise CallError("the array for a result is not contiguous")
    return arrays


def _result(operand: _Operand, array: np.ndarray, wanted: np.dtype | None, is_new: bool) -> Any:
    """The bits of a result as what they are."""
    if wanted is not None:
        if is_new or array.dtype.kind in "uV":
            array = array.view(wanted)
    elif array.dtype.kind in "uV" and array.dtype != operand.values:
        array = array.view(operand.values)
    return array[()] if is_new and array.ndim == 0 else array


def _typed(type: str, size: int) -> np.dtype:
    """NumPy's type for a PTX type of so many bytes; packed numbers are the bits that they are."""
    if type == ".pred":
        return np.dtype(bool)
    if size > 8:
        return np.dtype("V16")
    kind = {".s": "i", ".f": "f"}.get(type[:2], "u") if "x" not in type else "u"
    return np.dtype(f"<{kind}{size}" if kind != "f" or size > 1 else "u1")
