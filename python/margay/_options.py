"""Options of launches that hold for a while, such as for one test."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from ._errors import ErratumWarning, LaunchError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Unpack

    from ._margay import Report

SANITIZERS = ("memory", "race", "init", "sync")

Engine = Literal["batch", "golden"]
Simd = Literal["baseline", "avx2", "jit-avx2", "avx512", "jit-skylake", "jit", "jit-neon"]
Semantics = Literal["manual", "ptxas-13.5"]
Approx = Literal["device", "rounded"]


class LaunchOptions(TypedDict, total=False):
    """The options of a launch; see `Kernel`."""

    shared_mem: int
    engine: Engine
    simd: Union[Simd, None]
    workers: int
    semantics: Semantics
    approx: Union[Approx, None]
    device: Union[str, None]
    sanitize: Union[bool, str, Iterable[str], None]
    schedule_seed: Union[int, None]
    unordered: bool
    max_steps: Union[int, None]
    contract: bool
    profile: bool
    fidelity: bool
    cluster: Union[int, Sequence[int], None]


class Defaults(LaunchOptions, total=False):
    """The options of launches, and who is told of their reports."""

    on_report: Union[Callable[["Report"], object], None]


KEYWORDS = tuple(LaunchOptions.__annotations__)
_KNOWN = frozenset(KEYWORDS)
# Those that take integers, and those that take names.
_NUMBERS = frozenset(("shared_mem", "workers", "schedule_seed", "max_steps"))
_NAMES = frozenset(("engine", "semantics", "simd", "approx", "device"))
_NEVER_NONE = frozenset(("engine", "semantics"))

_defaults: ContextVar[dict[str, Any]] = ContextVar("margay options", default={})


@contextmanager
def options(**defaults: Unpack[Defaults]) -> Iterator[None]:
    """Within it, launches have these options where they do not give them themselves.

    Options are the keywords of launches (see `Kernel`), and `on_report`: a function that is called with the report of each
    launch. `engine`, `simd`, `semantics` and `approx` hold for `eval` and `asm`, too.

    Raises
    ------
    TypeError
        If there is no such option.

    >>> import margay
    >>> with margay.options(engine="golden"):
    ...     margay.RawModule(code=".version 8.0\\n.target sm_80\\n.entry k() { ret; }").get_function("k")(1, 1).engine
    'golden'
    """
    known([*KEYWORDS, "on_report"], defaults)
    token = _defaults.set({**_defaults.get(), **defaults})
    try:
        yield
    finally:
        _defaults.reset(token)


def resolved(given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The options of a launch, and the function that is to be told."""
    merged = {**_defaults.get(), **given}
    if not merged:
        return merged, None
    told = merged.pop("on_report", None)
    for name, value in merged.items():
        if name in _NAMES:
            if not isinstance(value, str) and (value is not None or name in _NEVER_NONE):
                raise TypeError(f"`{name}={value!r}` is not a name")
        elif name in _NUMBERS:
            if value is None:
                continue
            if not hasattr(value, "__index__"):
                raise TypeError(f"`{name}={value!r}` is not an integer")
            if not 0 <= value < 1 << 64:
                raise LaunchError(f"`{name}={value!r}` is out of range", "write an integer from 0 on")
        elif name not in _KNOWN:
            known(KEYWORDS, merged)
    if "sanitize" in merged:
        merged["sanitize"] = sanitizers(merged["sanitize"])
    return merged, told


def known(names: Iterable[str], given: Iterable[str]) -> None:
    """Refuses keywords that are not among the options of a launch."""
    names = list(names)
    for name in given:
        if name not in names:
            from difflib import get_close_matches

            near = get_close_matches(name, names, 1)
            help = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(names)}"
            raise TypeError(f"`{name}` is not an option of a launch\nhelp: {help}")


def warn_of_errata(report: Report, stacklevel: int) -> None:
    """Warns of what a device makes otherwise of a kernel, if there is something, in the name of the caller so many calls above."""
    remarks = report.warnings
    if remarks:
        warn_of(report.kernel, [str(remark) for remark in remarks], stacklevel + 1)


def warn_of(kernel: str, remarks: list[str], stacklevel: int) -> None:
    """The same of lines that are known."""
    shown = [f"  {remark}" for remark in remarks[:_SHOWN]]
    shown += [f"  … and {len(remarks) - _SHOWN} more"] if len(remarks) > _SHOWN else []
    what = f"a device may compute something else than the manual in kernel `{kernel}`"
    text = "\n".join([f'{what}; `semantics="ptxas-13.5"` computes what it does:', *shown])
    warnings.warn(text, ErratumWarning, stacklevel + 1)


# So many lines are listed in a warning.
_SHOWN = 10


def sanitizers(asked: bool | str | Iterable[str] | None) -> list[str]:
    """The names of sanitizers: all for `True`, those of `"race,init"` or of a list."""
    if isinstance(asked, str):
        return [name.strip() for name in asked.split(",") if name.strip()]
    if asked is None or isinstance(asked, bool):
        return list(SANITIZERS) if asked else []
    return list(asked)


def tell(report: Report, told: Any) -> None:
    """Shows what a kernel printed, and hands the report on."""
    if report.printed:
        print(report.printed, end="")
    if told is not None:
        told(report)
