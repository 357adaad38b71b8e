"""Two computations compared over a whole range of inputs, in shards that any number of machines share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _margay
from ._errors import CallError
from ._html import table
from ._snippet import _asm, _instruction, _typed

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Never

    from ._options import Approx, Semantics

Side = Union[str, "tuple[str, str]", Callable[..., Any]]
Values = Union[str, int, range]


def sweep(
    a: Side,
    b: Side,
    values: Mapping[str, Values] | None = None,
    *,
    semantics: Semantics | tuple[Semantics, Semantics] = "manual",
    approx: Approx | tuple[Approx | None, Approx | None] | None = None,
    sample: int | None = None,
    seed: int = 0,
    keep: int = 10,
    executor: Executor | None = None,
    shards: int | None = None,
    shard: tuple[int, int] | None = None,
    workers: int | None = None,
    max_steps: int | None = None,
    **unknown: Never,
) -> SweepReport:
    """Compares two computations on all inputs, and says on how many they differ, on which first, and a digest of all results.

    Parameters
    ----------
    a, b : str, tuple of two str, or function
        An instruction (`"add.u32 d, a, b"`); template and constraints of inline assembly; or, for one of the two, a function
        that takes an array for each input of the other, in their order, and gives an array or a tuple of them.
    values : mapping from input names to str, int or range
        What inputs take: `"0..256"`, `"-8..=7"`, `"0..2^32:0x101"`, a Python `range`, or one number. An input that is not
        named takes all values. Inputs of inline assembly are `$1`, `$2`, …
    semantics : str or tuple of two str
        The semantics of the two: `manual` or `ptxas-13.5`.
    approx : str or tuple of two str, optional
        The results of approximate functions of the two: a `device`'s, which is the default, or `rounded`.
    sample : int, optional
        Tests this many inputs instead: boundary values first, then corners and others mixed at random.
    seed : int
        Draws others.
    keep : int
        How many differences are kept.
    executor : concurrent.futures.Executor, optional
        Computes the shards: a process pool, `dask.distributed.Client.get_executor()`, mpi4py's.
    shards : int, optional
        How many shards the executor gets; 16 if nothing is said.
    shard : tuple of two int, optional
        Computes only this one, `(3, 16)`, of so many, counted from 1.
    workers : int, optional
        Threads for each shard; all cores if nothing is said, one with an executor.
    max_steps : int, optional
        The most instructions for each 32768 inputs, so that a template that loops for ever ends.

    Returns
    -------
    SweepReport
        The same for any executor and number of shards.

    Raises
    ------
    PtxError
        If an instruction or a template is not legal PTX.
    CallError
        If the two cannot be compared, or there are too many inputs: `sample=` draws some of them, `values` gives them fewer values.
    TypeError
        If a side is nothing that computes, or there is no such option.

    >>> import margay
    >>> report = margay.sweep("sad.u32 d, a, b, 0", lambda a, b: abs(a.astype("i8") - b), {"a": "0..256", "b": "0..=255"})
    >>> report.inputs, report.differences
    (65536, 0)
    >>> print(margay.sweep("add.s32 d, a, 1", "add.sat.s32 d, a, 1", {"a": "2^31-2..2^31"}, keep=1))
    Traceback (most recent call last):
        ...
    margay.CallError: `a`: `2^31-2` is not a number
    help: write `LOW..HIGH` without the last, `LOW..=HIGH` with it, `LOW..HIGH:STEP`, one value, or `..` for all; numbers are decimal, `0x…` or `2^N`
    >>> print(margay.sweep("add.s32 d, a, 1", "add.sat.s32 d, a, 1", {"a": range(2**31 - 4, 2**31)}))
    4 inputs, 1 difference
        $3: a=0x7fffffff: 0x80000000, 0x7fffffff
    """
    __tracebackhide__ = True
    for name in unknown:
        raise TypeError(f"`{name}` is not an option of `sweep`\nhelp: {_MEANT.get(name, _OPTIONS)}")
    whose = (semantics, semantics) if isinstance(semantics, str) else tuple(semantics)
    if len(whose) != 2:
        raise CallError("two readings of the manual are wanted", 'write `semantics=("manual", "ptxas-13.5")`')
    approximate = (approx, approx) if approx is None or isinstance(approx, str) else tuple(approx)
    if len(approximate) != 2:
        raise CallError("results of approximate functions are wanted for two sides", 'write `approx=("device", "rounded")`')
    asked = {
        "a": (a, (whose[0], approximate[0])),
        "b": (b, (whose[1], approximate[1])),
        "values": [(name, _values(name, value)) for name, value in (values or {}).items()],
        "sample": sample,
        "seed": seed,
        "keep": keep,
        "workers": workers if workers is not None else int(executor is not None),
        "max_steps": max_steps,
    }
    if shard is not None:
        return SweepReport(_shard(asked, *shard))
    if executor is None:
        return SweepReport(_shard(asked, 1, 1))
    count = 16 if shards is None else shards
    if count < 1:
        raise CallError(f"there cannot be {count} shards")
    futures = [executor.submit(_shard, asked, number, count) for number in range(1, count + 1)]
    return SweepReport(_margay.merge([future.result() for future in futures]))


_OPTIONS = "there are semantics, approx, sample, seed, keep, executor, shards, shard, workers, max_steps"
_DRAWN = "`sample=N` draws N inputs at random, `seed=` draws others"
_FEWER = 'the values of inputs are the third argument: `{"a": "0..256"}`'
# What the command and others call options.
_MEANT = {
    **dict.fromkeys(("random", "count", "samples", "n", "number", "draws"), _DRAWN),
    **dict.fromkeys(("range", "ranges", "inputs", "input"), _FEWER),
    **dict.fromkeys(("show", "limit", "max_differences"), "`keep=N` keeps the first N differences"),
    **dict.fromkeys(("threads", "jobs"), "`workers=N` takes N threads"),
    "against": '`semantics=("manual", "ptxas-13.5")` says whose semantics the two sides have',
}


def _shard(asked: dict[str, Any], number: int, of: int) -> str:
    """The report of one shard, in whatever process it is computed."""
    keywords = {name: asked[name] for name in ("sample", "seed", "keep", "workers", "max_steps")}
    sides = [(_snippet(side), side, whose) for side, whose in (asked["a"], asked["b"])]
    known = next((snippet for snippet, _, _ in sides if snippet is not None), None)
    if known is None:
        raise CallError("two functions cannot be compared", "one side has to be PTX")
    a, b = (
        (snippet, *whose) if snippet is not None else (_columns(side, known), _name(side)) for snippet, side, whose in sides
    )
    return _margay.sweep(a, b, asked["values"], shard=(number, of), **keywords)


def _snippet(side: Any) -> _margay.Snippet | None:
    if isinstance(side, str):
        return _instruction(side).snippet
    if isinstance(side, (tuple, list)) and len(side) == 2:
        return _asm(side[0], side[1], ()).snippet
    if callable(side):
        return None
    help = "write an instruction, `(template, constraints)`, or a function"
    raise TypeError(f"cannot compare values of type `{type(side).__name__}`\nhelp: {help}")


def _name(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"


def _columns(function: Any, like: _margay.Snippet) -> Any:
    """A function of arrays as one of bytes."""

    def call(count: int, inputs: list[bytes]) -> list[bytes]:
        arrays = [np.frombuffer(data, _typed(type, size)) for data, (_, type, size) in zip(inputs, like.inputs)]
        results = function(*arrays)
        results = results if isinstance(results, tuple) else (results,)
        if len(results) != len(like.outputs):
            raise CallError(f"the function gives {len(results)} results, and the other side {len(like.outputs)}")
        filled = []
        for result, (name, type, size) in zip(results, like.outputs):
            array = np.broadcast_to(np.asarray(result), (count,))
            if array.dtype.kind == "f" and not type.startswith(".f"):
                raise CallError(f"the function gives `{array.dtype}` for `{name}`, which is `{type}`")
            # What the bits of a result are is not the function's business: its numbers count modulo their size.
            filled.append(array.astype(_typed(type, size)).tobytes())
        return filled

    return call


def _values(name: str, value: Values) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, range):
        if len(value) == 0 or value.step < 1:
            raise CallError(f"`{name}`: `{value}` has no values that rise")
        return f"{value[0]}..={value[-1]}:{value.step}"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    raise TypeError(f"`{name}`: `{value!r}` is not a range of values\nhelp: write `\"0..256\"`, a `range`, or a number")


class SweepReport:
    """What shards of a sweep found. Reports of different shards add up: `one + other`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._data: dict[str, Any] = json.loads(text)

    @classmethod
    def from_json(cls, text: str) -> SweepReport:
        """Reads a report, also one that `margay sweep` wrote.

        Raises
        ------
        CallError
            If it is none.
        """
        return cls(_margay.merge([text]))

    def to_json(self) -> str:
        """The report as text, the same for the same report."""
        return self._text

    @property
    def inputs(self) -> int:
        """How many inputs were compared."""
        return int(self._data["inputs"])

    @property
    def differences(self) -> int:
        """On how many of them the two differ."""
        return int(self._data["differences"])

    @property
    def first(self) -> list[dict[str, Any]]:
        """The first differences: `input` (its number), `values` (by name), and the results `a` and `b`, all of them integers."""
        names = [name for name, _, _ in self._data["question"]["inputs"]]
        return [
            {
                "input": found["input"],
                "values": dict(zip(names, (int(text, 16) for text in found["values"]))),
                "a": [int(text, 16) for text in found["a"]],
                "b": [int(text, 16) for text in found["b"]],
            }
            for found in self._data["first"]
        ]

    @property
    def digests(self) -> tuple[str, str]:
        """For each of the two, a digest of all its results, which does not depend on how they were computed."""
        one, other = self._data["digests"]
        return one, other

    @property
    def missing(self) -> list[tuple[int, int]]:
        """Inputs that have not been compared yet: the first and the one behind the last of each run of their numbers."""
        return _margay.missing(self._text)

    def __add__(self, other: SweepReport) -> SweepReport:
        return SweepReport(_margay.merge([self._text, other._text]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SweepReport) and self._data == other._data

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        plural = "" if self.differences == 1 else "s"
        lines = [f"{self.inputs} inputs, {self.differences} difference{plural}"]
        for found, raw in zip(self.first, self._data["first"]):
            values = " ".join(f"{name}={text}" for name, text in zip(found["values"], raw["values"]))
            lines.append(f"    ${raw['input']}: {values}: {' '.join(raw['a'])}, {' '.join(raw['b'])}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        summary = f"<p>{self.inputs:,} inputs, {self.differences:,} difference{'' if self.differences == 1 else 's'}</p>"
        if not self.first:
            return summary
        names = list(self.first[0]["values"])
        rows = [
            [raw["input"], *raw["values"], " ".join(raw["a"]), " ".join(raw["b"])] for raw in self._data["first"]
        ]
        return summary + table(rows, ["input", *names, "first side", "second side"])
