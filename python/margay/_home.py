"""Where the package's own driver lies, which one is loaded, and how the package's command is started."""

from __future__ import annotations

import os
import sys


def home() -> tuple[str, list[str]]:
    """The folder of the driver, which not every package has, and the words that start the command."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"), [sys.executable, "-m", "margay"]


# What margay's driver holds and NVIDIA's does not.
_MARK = b"MARGAY_CUDA_ARCH"


def loaded(library: str = "libcuda.so") -> str | None:
    """The file of a library that the process has loaded, by how its name begins: a driver, if nothing is said."""
    return next(iter(all_loaded(library)), None)


def all_loaded(library: str) -> list[str]:
    """The files of all libraries that the process has loaded whose names begin so."""
    with open("/proc/self/maps", "rb") as maps:
        names = [os.fsdecode(line.rstrip(b"\n").split(None, 5)[-1]) for line in maps]
    return list(dict.fromkeys(name for name in names if os.path.basename(name).startswith(library)))


def is_margays(file: str) -> bool:
    """Whether a driver is margay's."""
    with open(file, "rb") as library:
        return _MARK in library.read()


def is_loaded() -> bool:
    """Whether the process has loaded margay's driver."""
    file = loaded()
    return file is not None and is_margays(file)


def is_runtime_loaded(major: str) -> bool:
    """Whether the process has loaded margay's runtime library of a version of CUDA."""
    for file in all_loaded("libcudart"):
        with open(file, "rb") as library:
            text = library.read()
        if b"margay" in text and f"libcudart.so.{major}".encode() in text:
            return True
    return False
