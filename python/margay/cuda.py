"""Unmodified CUDA programs on a machine without a GPU: importing this module loads margay's driver, `libcuda.so.1`, its linker,
`libnvJitLink.so.13` and `.12`, and its runtime library, `libcudart.so.13` and `.12`.

Packages that look for NVIDIA's libraries later find those that are loaded: numba-cuda, cuda.bindings, cuda.core and whatever else loads
`libcuda.so.1` by its name. Tests of such packages run with `pytest -p margay.cuda`; for Triton call `margay.triton.activate()`;
programs that are not Python's, or that look for the file itself (tinygrad), run with `margay cuda -- COMMAND…`.

The driver reads its settings from the environment when a program initialises it: `MARGAY_CUDA_ARCH`, `MARGAY_SANITIZE`,
`MARGAY_PROFILE`, `MARGAY_COVERAGE` and others; `docs/cuda.md` lists them. It is looked for in the folder that `MARGAY_CUDA_PATH`
names, or else in this package. For Linux only.

>>> import ctypes
>>> import margay.cuda
>>> found = ctypes.CDLL("libcuda.so.1")
>>> version = ctypes.c_int()
>>> found.cuDriverGetVersion(ctypes.byref(version)), version.value
(0, 13050)
"""

from __future__ import annotations

import ctypes
import os

from . import _margay
from ._errors import CallError
from ._home import home, is_margays, loaded

__all__ = ["library", "path"]


def path() -> str:
    """The folder in which the driver has the name `libcuda.so.1`, and margay the name `ptxas`.

    Raises
    ------
    CallError
        If there is no driver, or `MARGAY_CUDA_PATH` names none.

    >>> import margay.cuda, os
    >>> sorted(name for name in os.listdir(margay.cuda.path()) if "JitLink" not in name and "cudart" not in name)
    ['libcuda.so', 'libcuda.so.1', 'ptxas']
    """
    return _margay.driver(*home())


_OTHERS = ("libnvJitLink.so.13", "libnvJitLink.so.12", "libcudart.so.13", "libcudart.so.12")


def _load() -> ctypes.CDLL:
    try:
        file = os.path.join(path(), "libcuda.so.1")
    except CallError as error:
        raise ImportError(str(error)) from None
    before = loaded()
    if before is not None and not is_margays(before):
        raise ImportError(f"another driver is loaded already: `{before}`\nhelp: import `margay.cuda` before what loads it")
    # By its own name, which the file tells the loader, whoever asks for it later has this one.
    driver = ctypes.CDLL(before or file, mode=ctypes.RTLD_GLOBAL)
    for name in _OTHERS:
        other = os.path.join(os.path.dirname(file), name)
        if os.path.exists(other) and loaded(name) is None:
            ctypes.CDLL(other)
    return driver


library: ctypes.CDLL = _load()
"""The driver."""


def pytest_report_header() -> str:
    """For `pytest -p margay.cuda`: says on what the tests run."""
    return f"margay: CUDA programs run on {library._name}"
