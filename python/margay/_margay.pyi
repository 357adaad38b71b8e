"""The native module; what it offers is offered by the package, this only to it."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np

__version__: str

@final
class Label:
    """A place in PTX source and what is wrong there."""

    @property
    def text(self) -> str:
        """What is wrong there; may be empty."""
    @property
    def line(self) -> int:
        """The line of its first character, from 1."""
    @property
    def column(self) -> int:
        """The column of its first character, from 1."""
    @property
    def end_line(self) -> int:
        """The line of its end."""
    @property
    def end_column(self) -> int:
        """The column after its last character."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Diagnostic:
    """One finding about PTX source. Its text is what the command prints, with the line and a caret."""

    @property
    def code(self) -> str:
        """The stable code, such as `P303`; `margay.explain` explains it."""
    @property
    def severity(self) -> str:
        """`error`, `warning` or `note`."""
    @property
    def message(self) -> str:
        """One phrase."""
    @property
    def line(self) -> int | None:
        """The line of the primary place, from 1; None if it is about the whole text."""
    @property
    def column(self) -> int | None:
        """The column of the primary place, from 1."""
    @property
    def labels(self) -> list[Label]:
        """The places, the primary one first."""
    @property
    def help(self) -> str | None:
        """What to write instead."""
    @property
    def text(self) -> str:
        """All of it as the command shows it."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Parameter:
    """A parameter of a kernel."""

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def type(self) -> str:
        """The PTX type of an element, such as `.u32`."""
    @property
    def size(self) -> int:
        """Bytes."""
    @property
    def is_struct(self) -> bool:
        """Whether it is a structure by value."""
    @property
    def text(self) -> str:
        """Type and name."""

@final
class Act:
    """An instruction that a thread executed."""

    @property
    def what(self) -> str:
        """What it did there, such as `write of 4 bytes`."""
    @property
    def function(self) -> str:
        """The function it stands in."""
    @property
    def line(self) -> int:
        """The line in the PTX file, from 1."""
    @property
    def instruction(self) -> str:
        """The instruction as written there."""
    @property
    def thread(self) -> tuple[int, int, int]:
        """The thread in its block: x, y, z."""
    @property
    def block(self) -> tuple[int, int, int]:
        """The block in the grid: x, y, z."""

@final
class Finding:
    """Something wrong that a kernel did without being stopped. Its text is what the command prints."""

    @property
    def sanitizer(self) -> str:
        """Who found it: `race`, `init` or `sync`."""
    @property
    def message(self) -> str:
        """What is wrong."""
    @property
    def count(self) -> int:
        """How often it was seen."""
    @property
    def acts(self) -> list[Act]:
        """What did it: one instruction, or the two that race or disagree."""
    @property
    def text(self) -> str:
        """All of it as the command shows it."""
    def _repr_html_(self) -> str: ...

@final
class Remark:
    """A remark about a launch, or about one line of its PTX source. Its text is what the command prints."""

    @property
    def line(self) -> int | None:
        """The line in the PTX file, from 1, if it is about one."""
    @property
    def message(self) -> str:
        """The remark."""
    @property
    def text(self) -> str:
        """All of it, with the name of the text."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Report:
    """What a launch did: threads, instructions, time, and what is to be said of it. Its text is what the command prints."""

    @property
    def kernel(self) -> str:
        """The kernel that ran."""
    @property
    def threads(self) -> int:
        """Threads of the grid."""
    @property
    def instructions(self) -> int:
        """Instructions that they executed, those with a false guard included."""
    @property
    def seconds(self) -> float:
        """How long it took, without conversion of arguments."""
    @property
    def printed(self) -> str:
        """What the kernel printed; it has been printed here, too."""
    @property
    def engine(self) -> str:
        """The engine that ran it: `batch` or `golden`."""
    @property
    def engine_reason(self) -> str | None:
        """Why it was not the engine that was asked for."""
    @property
    def simd(self) -> str | None:
        """The vector instructions that the engine used, if it uses any."""
    @property
    def handed_over(self) -> int:
        """Blocks that the batch engine began and the golden engine went on with."""
    @property
    def warnings(self) -> list[Remark]:
        """Lines of which a device makes something else than the manual, where what the manual says was computed."""
    @property
    def findings(self) -> list[Finding]:
        """What sanitizers found; a list."""
    def _repr_html_(self) -> str: ...
    @property
    def profile(self) -> dict[str, Any] | None:
        """What was executed, as `margay run --format json` tells it; None unless it was asked for."""
    @property
    def fidelity(self) -> dict[str, Any] | None:
        """What stands behind the results, as `margay run --fidelity --format json` tells it; None unless it was asked for."""

@final
class Module:
    """A PTX module in the memory of a device of its own; `margay.RawModule` is made of it."""

    def __new__(cls, text: bytes, name: str, target: str | None, memory: int | str | None = None) -> Module: ...
    @property
    def kernels(self) -> list[str]: ...
    @property
    def variables(self) -> list[str]: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    @property
    def name(self) -> str: ...
    @property
    def about(self) -> tuple[str, str, int]: ...
    def parameters(self, kernel: str) -> list[Parameter]: ...
    def errata(self, kernel: str) -> list[tuple[int | None, str]]: ...
    def shape(self, variable: str) -> tuple[str, list[int]]: ...
    def read(self, variable: str) -> bytes: ...
    def write(self, variable: str, bytes: bytes | bytearray) -> None: ...

@final
class Snippet:
    """One instruction, or inline assembly with operands, ready for arrays."""

    @staticmethod
    def instruction(text: str) -> Snippet: ...
    @staticmethod
    def asm(template: str, constraints: str, constants: Sequence[int]) -> Snippet: ...
    @staticmethod
    def constants(constraints: str) -> list[int]: ...
    @property
    def inputs(self) -> list[tuple[str, str, int]]: ...
    @property
    def outputs(self) -> list[tuple[str, str, int]]: ...
    @property
    def errata(self) -> list[str]: ...
    def apply(
        self,
        count: int,
        inputs: Sequence[np.ndarray | int],
        outputs: Sequence[np.ndarray],
        *,
        engine: str = "batch",
        simd: str | None = None,
        workers: int = 0,
        semantics: str = "manual",
        approx: str | None = None,
        max_steps: int | None = None,
    ) -> None: ...

@final
class Product:
    """A product of matrices, ready for arrays of them."""

    @staticmethod
    def read(text: str) -> Product | None: ...
    def taking(self, names: Sequence[str]) -> Product: ...
    @property
    def inputs(self) -> list[tuple[str, str, int, int, int, bool]]: ...
    @property
    def result(self) -> tuple[str, str, int, int, int, bool]: ...
    def apply(self, count: int, inputs: Sequence[np.ndarray | None], result: np.ndarray, device: str | None) -> None: ...

def launch(
    module: Module,
    kernel: str,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: tuple[Any, ...],
    *,
    shared_mem: int = 0,
    engine: str = "batch",
    simd: str | None = None,
    workers: int = 0,
    semantics: str = "manual",
    approx: str | None = None,
    device: str | None = None,
    sanitize: Sequence[str] = ...,
    schedule_seed: int | None = None,
    unordered: bool = False,
    max_steps: int | None = None,
    contract: bool = False,
    profile: bool = False,
    fidelity: bool = False,
    cluster: int | Sequence[int] | None = None,
) -> Report: ...
def address(array: np.ndarray) -> int: ...
def command(words: Sequence[str], folder: str, again: Sequence[str]) -> int: ...
def driver(folder: str, again: Sequence[str]) -> str: ...
def link(sources: Sequence[tuple[bytes, str]], allow_undefined: bool) -> str: ...
def check(text: bytes, name: str, target: str | None) -> list[Diagnostic]: ...
def explain(what: str) -> list[tuple[str, str, list[str], list[tuple[str, list[str]]], str]]: ...
def evaluate(
    text: str, values: Sequence[str], named: Sequence[str], semantics: str, approx: str | None = None
) -> tuple[
    str,
    list[tuple[str, str, str]],
    list[tuple[str, int | None, list[str]]],
    list[str],
    str,
]: ...
def forms(name: str, sample: int | None, seed: int) -> list[str]: ...
def sweep(
    a: tuple[Any, str] | tuple[Any, str, str | None],
    b: tuple[Any, str] | tuple[Any, str, str | None],
    values: Sequence[tuple[str, str]],
    *,
    sample: int | None,
    seed: int,
    keep: int,
    shard: tuple[int, int],
    workers: int,
    max_steps: int | None = None,
) -> str: ...
def merge(reports: Sequence[str]) -> str: ...
def missing(report: str) -> list[tuple[int, int]]: ...
