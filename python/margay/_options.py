"""Options of launches that hold for a while, such as for one test."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ._errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ._margay import Report

SANITIZERS = ("memory", "race", "init", "sync")

KEYWORDS = (
    "shared_mem",
    "engine",
    "simd",
    "workers",
    "semantics",
    "sanitize",
    "schedule_seed",
    "unordered",
    "max_steps",
    "profile",
)

_defaults: ContextVar[dict[str, Any]] = ContextVar("margay options", default={})


@contextmanager
def options(**defaults: Any) -> Iterator[None]:
    """Within it, launches have these options where they do not give them themselves.

    Options are the keywords of launches (see `Kernel`), and `on_report`: a function that is called with the report of each
    launch.

    >>> import margay
    >>> with margay.options(engine="golden"):
    ...     margay.RawModule(code=".version 8.0\\n.target sm_80\\n.entry k() { ret; }").get_function("k")(1, 1).engine
    'golden'
    """
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
    for name in merged:
        if name not in KEYWORDS:
            raise LaunchError(f"`{name}` is no option of a launch", f"there are {', '.join(KEYWORDS)}")
    for name in ("shared_mem", "workers", "schedule_seed", "max_steps"):
        value = merged.get(name)
        if value is not None and not (hasattr(value, "__index__") and 0 <= value < 1 << 64):
            raise LaunchError(f"`{name}={value!r}` is out of range", "write an integer from 0 on")
    if "sanitize" in merged:
        merged["sanitize"] = sanitizers(merged["sanitize"])
    return merged, told


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
