"""Triton on margay: its kernels run on a machine without a GPU, with or without PyTorch."""

from __future__ import annotations

import os
import sys
from typing import Any

from ._errors import CallError
from ._home import is_loaded
from .torch import is_active

__all__ = ["activate"]

# Triton's driver for NVIDIA's devices, which it may have chosen on margay's driver already.
NVIDIA = "triton.backends.nvidia.driver"

_active: Any = None


def activate() -> None:
    """Makes Triton compile with margay in the place of `ptxas`, and launch on margay's driver.

    Call it before the first kernel is launched. Where `margay.cuda` was imported before PyTorch, it need not be called, and tensors are
    PyTorch's (`margay.torch`). Without PyTorch tensors are what has `data_ptr()` and `dtype`, on memory of the driver
    (`tests/clients/programs/with_triton.py` has such a class). Triton 3.9 or later, a C compiler, Linux.

    Raises
    ------
    CallError
        If Triton has chosen another driver already.
    ImportError
        If there is no Triton, or no driver of margay's (see `margay.cuda`).
    """
    global _active
    found: Any = sys.modules.get("triton.runtime.driver")
    config = getattr(found, "driver", None)
    chosen = [driver for driver in (getattr(config, "_active", None), getattr(config, "_default", None)) if driver is not None]
    if _active is not None and _active in chosen:
        return
    if chosen and not (type(chosen[0]).__module__ == NVIDIA and is_loaded()):
        raise CallError(
            f"Triton has chosen another driver already: `{type(chosen[0]).__module__}.{type(chosen[0]).__name__}`",
            "call `margay.triton.activate()` before the first kernel is launched",
        )
    name_files()
    if chosen:
        _active = chosen[0]
        return
    # A type checker finds this module by that name.
    from importlib import import_module

    triton = import_module("triton")
    nvidia = import_module(NVIDIA)
    # Where PyTorch is loaded, Triton asks it for devices, of which it has none unless it was loaded after the driver.
    torch = None if is_active() else sys.modules.pop("torch", None)
    try:
        _active = nvidia.CudaDriver()
    finally:
        if torch is not None:
            sys.modules["torch"] = torch
    triton.runtime.driver.set_active(_active)


def name_files() -> None:
    """Tells Triton by its variables where the driver lies, and margay in the place of `ptxas`."""
    from .cuda import path

    folder = path()
    ptxas = os.path.join(folder, "ptxas")
    os.environ.update(TRITON_LIBCUDA_PATH=folder, TRITON_PTXAS_PATH=ptxas, TRITON_PTXAS_BLACKWELL_PATH=ptxas)
