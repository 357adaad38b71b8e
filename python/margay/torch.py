"""PyTorch with CUDA on a machine without a GPU: kernels of Triton run on margay, PyTorch's own on its code for the CPU.

PyTorch's packages bring machine code for GPUs alone, which nothing but a GPU runs. So its own operations on CUDA tensors are computed by
PyTorch's kernels for the CPU, on the same bytes, while everything that is compiled at run time (Triton, `torch.compile`, NVRTC) is PTX, and
runs on margay, exactly. Programs remain as they are:

    margay cuda -- python train.py

does it where this package is installed beside PyTorch; so does `import margay.cuda` before `import torch`. Without either, nothing
is changed: on a machine with a GPU, PyTorch uses that.
"""

from __future__ import annotations

import atexit
import ctypes
import inspect
import os
import sys
import time
import warnings
from typing import Any

from ._errors import CallError
from ._home import is_loaded, is_runtime_loaded

__all__ = ["activate", "is_active"]

_HELP = "import `margay.cuda` before `torch`, or start the program by `margay cuda -- python …`"
# What registers operations; they are there as long as it is.
_library: Any = None


def activate() -> None:
    """Has PyTorch compute its own operations on CUDA tensors by its kernels for the CPU.

    `import torch` calls it by itself where `margay cuda` started Python, or `margay.cuda` was imported before; the environment variable
    `TORCH_DEVICE_BACKEND_AUTOLOAD=0` prevents that. PyTorch 2.6 or later, with CUDA 12 or 13.

    Raises
    ------
    CallError
        If the driver of the process or PyTorch's runtime library is not margay's, or PyTorch was built without CUDA.
    ImportError
        If there is no PyTorch.
    """
    global _library
    if _library is not None:
        return
    # A type checker finds this module by that name.
    from importlib import import_module

    torch = import_module("torch")
    if torch.version.cuda is None:
        raise CallError("PyTorch was built without CUDA", "install PyTorch as PyPI has it for Linux")
    if not is_loaded():
        raise CallError("margay's driver is not loaded", _HELP)
    major = torch.version.cuda.partition(".")[0]
    if not is_runtime_loaded(major):
        raise CallError(f"PyTorch has loaded NVIDIA's `libcudart.so.{major}` already", _HELP)
    from ._torch import operations, special

    replaced = {name: operations.stand_in(torch, name) for name in operations.names(torch)}
    replaced.update({f"aten::{name}": function for name, function in special.stand_ins(torch).items()})
    library = torch.library.Library("aten", "IMPL")
    # That there are kernels already is what is wanted: versions before 2.7 warn of it, later ones want to be told.
    override = {"allow_override": True} if "allow_override" in inspect.signature(library.impl).parameters else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in replaced.items():
            library.impl(name.partition("::")[2], function, "CUDA", **override)
        for name in special.NESTED:
            library.impl(name, special.on_copies(torch, name), "NestedTensorCUDA", **override)
    # These choose NVIDIA's libraries, whose machine code is there all the same.
    torch.backends.cudnn.enabled = False
    for choice in ("flash", "mem_efficient", "cudnn"):
        getattr(torch.backends.cuda, f"enable_{choice}_sdp")(False)
    _library = library
    atexit.register(_let_threads_end)
    # `torch.compile` makes kernels of Triton; `margay cuda` has told Triton of its files already.
    if "TRITON_LIBCUDA_PATH" not in os.environ:
        from .triton import name_files

        name_files()


def is_active() -> bool:
    """Whether PyTorch's own operations on CUDA tensors are computed on the CPU.

    >>> import margay
    >>> margay.torch.is_active()
    False
    """
    return _library is not None


def _let_threads_end() -> None:
    """Waits a moment before Python ends.

    A thread of PyTorch's that computed gradients lets go of Python's objects after it has told the one that waits for it. If Python has
    ended by then, the process is aborted.
    """
    if sys.modules["torch"].cuda.is_initialized():
        time.sleep(0.05)


def _autoload() -> None:
    """What `import torch` calls: activates where margay's driver is the one that PyTorch will use."""
    if not (os.environ.get("MARGAY_CUDA_PATH") or "margay.cuda" in sys.modules):
        return
    try:
        # PyTorch loads it later; whose it is tells whether anything is to be done.
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return
    # A PyTorch without CUDA has no CUDA tensors.
    if not is_loaded() or sys.modules["torch"].version.cuda is None:
        return
    try:
        activate()
    except Exception as error:
        warnings.warn(f"margay cannot compute PyTorch's own operations on CUDA tensors: {error}", stacklevel=2)
