"""The exceptions and warnings of margay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._margay import Diagnostic, Finding


class PtxError(ValueError):
    """PTX source is not valid. Its text is what `margay check` prints.

    >>> import margay
    >>> try:
    ...     margay.RawModule(code=".version 8.0\\n.target sm_80\\n.entry k() { retn; }")
    ... except margay.PtxError as error:
    ...     print(error.diagnostics[0].help)
    did you mean `ret`?
    """

    diagnostics: list[Diagnostic]
    """Everything there is to say about the text, errors and warnings, in source order."""

    def __init__(self, text: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics or []

    def __reduce__(self) -> Any:
        # Diagnostics do not travel between processes; their text does.
        return type(self), (str(self),)


class CallError(ValueError):
    """A call is wrong: a value, a name, a shape. Nothing has run.

    What is of a wrong type, and keywords that do not exist, are a `TypeError`, as everywhere in Python.

    >>> import margay
    >>> margay.explain("vad4")
    Traceback (most recent call last):
        ...
    margay.CallError: `vad4` is not an instruction, a special register or a diagnostic
    help: did you mean `vadd4`?
    """

    message: str
    """What is wrong, as one phrase."""
    help: str | None
    """What to do instead."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message if help is None else f"{message}\nhelp: {help}")
        self.message = message
        self.help = help

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.help)


class LaunchError(CallError):
    """A launch is wrong: an argument, the grid, an option, a kernel that the module does not have. Nothing has run."""

    code: str | None
    """The code of a diagnostic that says more (`margay.explain`), such as `P903`, if there is one."""

    def __init__(self, message: str, help: str | None = None, code: str | None = None) -> None:
        super().__init__(message, help)
        self.code = code

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.help, self.code)


class Unsupported(LaunchError):
    """A kernel can reach an instruction that margay does not run yet, or `eval` and `asm` were given one. Nothing has run.

    The PTX is valid. `code` is `P902`. Tests can skip:

    >>> import margay
    >>> code = ".version 8.1\\n.target sm_90\\n.entry k() { .reg .pred %p; .reg .b64 %d; multimem.red.add.u32 [%d], 1; ret; }"
    >>> try:
    ...     margay.RawModule(code=code).get_function("k")(1, 1)
    ... except margay.Unsupported as error:
    ...     print(error.code)
    P902
    """


class ErratumWarning(UserWarning):
    """The manual and NVIDIA's assembler 13.5 disagree about an instruction, and the manual's result was computed.

    On a device the result is another. `semantics="ptxas-13.5"` computes what a device does: as an argument, or for a while with
    `margay.options`; then nothing is to be warned of. `docs/errata.md` lists the differences.

    >>> import margay, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     value = margay.eval("vset.s32.u32.lt.max d, a, b, c", 1, 2, 0x80000000)
    >>> int(value), caught[0].category.__name__
    (2147483648, 'ErratumWarning')
    """


class Trap(RuntimeError):
    """A kernel went wrong, asked for an end, or reached a limit. Its text is what `margay run` prints after `error: `.

    Arrays hold what had been written until then.
    """

    kind: str = ""
    """What happened, in a word or two: `out of bounds`, `misaligned`, `null pointer`, `near-null address`, `read only`,
    `locked` (memory that is only read), `use after free`, `no memory`, `other space`, `ended block`, `copy`, `trap`,
    `deadlock`, `target`, `stack overflow`, `runtime`, `assertion`, `barrier`, `warp`, `step limit`; `snippet` where `asm`
    went wrong."""
    reason: str = ""
    """What happened, as one phrase."""
    line: int | None = None
    """The line in the PTX file, from 1."""
    kernel: str | None = None
    """The kernel that was launched; like all below, None where `asm` went wrong."""
    function: str | None = None
    """The function it happened in."""
    instruction: str | None = None
    """The instruction as written there."""
    thread: tuple[int, int, int] | None = None
    """The thread in its block: x, y, z."""
    block: tuple[int, int, int] | None = None
    """The block in the grid: x, y, z."""
    address: int | None = None
    """The address of the access that was refused, if it was one."""
    printed: str = ""
    """What the kernel had printed."""
    findings: list[Finding]
    """What sanitizers had found."""
    element: int | None = None
    """The element on which `asm` went wrong."""

    def __init__(self, text: str, **fields: Any) -> None:
        super().__init__(text)
        self.__dict__.update({"findings": [], **fields})

    def __reduce__(self) -> Any:
        fields = {name: value for name, value in self.__dict__.items() if name != "findings"}
        return _trap, (str(self), {**fields, "findings": []})


def _trap(text: str, fields: dict[str, Any]) -> Trap:
    """A trap that comes from another process."""
    return Trap(text, **fields)


for _class in (PtxError, CallError, LaunchError, Unsupported, ErratumWarning, Trap):
    _class.__module__ = "margay"
