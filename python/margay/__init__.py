"""margay runs, checks and explains NVIDIA PTX on a CPU, exactly.

>>> import margay, numpy as np
>>> margay.eval("vadd4.u32.u32.u32.sat d, a, b, c", np.uint32(0x01ff7f80), np.uint32(0x01017f80), 0)
np.uint32(50331391)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import LaunchError, PtxError, Trap
from ._explain import Explanation, check, explain, forms
from ._margay import Act, Diagnostic, Finding, Label, Parameter, Report
from ._module import Configured, Kernel, RawModule
from ._options import options

if TYPE_CHECKING:
    from ._array import Array, asarray, empty, zeros
    from ._snippet import asm, eval
    from ._sweep import SweepReport, sweep

__all__ = [
    "Act",
    "Array",
    "Configured",
    "Diagnostic",
    "Explanation",
    "Finding",
    "Kernel",
    "Label",
    "LaunchError",
    "Parameter",
    "PtxError",
    "RawModule",
    "Report",
    "SweepReport",
    "Trap",
    "asarray",
    "asm",
    "check",
    "empty",
    "eval",
    "explain",
    "forms",
    "options",
    "sweep",
    "zeros",
]

# What needs NumPy is loaded when it is first used, so that `import margay` takes no time.
_LAZY = {
    "Array": "_array",
    "SweepReport": "_sweep",
    "asarray": "_array",
    "asm": "_snippet",
    "empty": "_array",
    "eval": "_snippet",
    "sweep": "_sweep",
    "zeros": "_array",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "dask":
        return import_module(".dask", __name__)
    if name not in _LAZY:
        raise AttributeError(f"module `margay` has no attribute `{name}`")
    value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
