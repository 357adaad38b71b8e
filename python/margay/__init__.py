"""margay runs, checks and explains NVIDIA PTX on a CPU, exactly.

Kernels: `RawModule` (from PTX source or a file) gives `Kernel`s, which are launched on NumPy arrays and give a `Report`; `options`
sets options of launches for a while; `Array`, `empty`, `zeros`, `asarray` make arrays that need no copy.

Instructions: `eval` computes one, `asm` a piece of inline assembly, over whole arrays; `explain` shows the stages of a
computation, or explains an opcode or a code; `forms` lists the forms of an opcode; `sweep` compares two computations on all inputs.

PTX: `check` checks PTX source and gives `Diagnostic`s; `link` makes one module of several.

Errors: `PtxError` (not valid PTX), `CallError` (a wrong call), `LaunchError` (a wrong launch), `Unsupported` (PTX that margay does
not run yet), `Trap` (a kernel went wrong), and Python's `TypeError`. `ErratumWarning` tells that a device computes something else
than the manual: tests of kernels want `semantics="ptxas-13.5"`.

`margay.dask` runs kernels over Dask arrays; `margay.pytest` is a plugin with the fixture `ptx`; `import margay.cuda` loads a driver for
unmodified CUDA programs, before `import torch` for PyTorch's, too (`margay.torch`), and `margay.triton.activate()` makes Triton use it without
PyTorch; `margay.c` says where the C library lies. The command `margay` (or `python -m margay`) does the same for files. Each of these has its own
`help(…)`.

>>> import margay, numpy as np
>>> margay.eval("vadd4.u32.u32.u32.sat d, a, b, c", np.uint32(0x01ff7f80), np.uint32(0x01017f80), 0)
np.uint32(50331391)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import CallError, ErratumWarning, LaunchError, PtxError, Trap, Unsupported
from ._explain import Explanation, check, explain, forms, link
from ._margay import Act, Diagnostic, Finding, Label, Parameter, Remark, Report, __version__
from ._module import Configured, Kernel, RawModule
from ._options import options

# `eval` is not among them: `from margay import *` must not replace Python's own.
__all__ = [
    "Act",
    "Array",
    "CallError",
    "Configured",
    "Diagnostic",
    "ErratumWarning",
    "Explanation",
    "Finding",
    "Kernel",
    "Label",
    "LaunchError",
    "Parameter",
    "PtxError",
    "RawModule",
    "Remark",
    "Report",
    "SweepReport",
    "Trap",
    "Unsupported",
    "__version__",
    "asarray",
    "asm",
    "check",
    "empty",
    "explain",
    "forms",
    "link",
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


if TYPE_CHECKING:
    # Type checkers see each name, and no `__getattr__` that would take any other for one.
    from . import c as c
    from . import cuda as cuda
    from . import dask as dask
    from . import torch as torch
    from . import triton as triton
    from ._array import Array, asarray, empty, zeros
    from ._snippet import asm
    from ._snippet import eval as eval
    from ._sweep import SweepReport, sweep
else:

    def __getattr__(name):
        from importlib import import_module

        if name in ("c", "cuda", "dask", "torch", "triton"):
            return import_module(f".{name}", __name__)
        if name not in _LAZY:
            from difflib import get_close_matches

            near = get_close_matches(name, __dir__(), 1)
            help = f"; did you mean `{near[0]}`?" if near else ""
            raise AttributeError(f"module `margay` has no attribute `{name}`{help}")
        value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "eval"])
