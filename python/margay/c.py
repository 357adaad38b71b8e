"""The C library that the package brings: where its header and the library itself lie (`docs/c.md` says what is in it).

`python -m margay.c` prints what a compiler wants: `cc program.c $(python -m margay.c) -o program`.
"""

from __future__ import annotations

import os
import shlex
import sys

__all__ = ["flags", "header", "library"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_NAMES = {"linux": "libmargay.so", "darwin": "libmargay.dylib", "win32": "margay.dll"}


def header() -> str:
    """The file `margay.h`.

    Raises
    ------
    FileNotFoundError
        If the package was built without the library.

    >>> import margay.c
    >>> "margay_launch(" in open(margay.c.header()).read()
    True
    """
    return _there("include", "margay.h")


def library() -> str:
    """The library's file.

    Raises
    ------
    FileNotFoundError
        If the package was built without the library.

    >>> import ctypes, margay.c
    >>> ctypes.CDLL(margay.c.library()).margay_abi() > 0
    True
    """
    return _there("lib", _NAMES.get(sys.platform, "libmargay.so"))


def flags() -> list[str]:
    """The words that a C compiler wants for a program that uses the library, which the program then finds where it lies now.

    Raises
    ------
    FileNotFoundError
        If the package was built without the library.

    >>> import margay.c
    >>> [word[:2] for word in margay.c.flags()]
    ['-I', '-L', '-l', '-W']
    """
    folder = os.path.dirname(library())
    return [f"-I{os.path.dirname(header())}", f"-L{folder}", "-lmargay", f"-Wl,-rpath,{folder}"]


def _there(folder: str, name: str) -> str:
    file = os.path.join(_PACKAGE, folder, name)
    if not os.path.isfile(file):
        raise FileNotFoundError(
            f"this package was built without `{name}`; `pip install .` in the repository, or a wheel, brings it"
        )
    return file


if __name__ == "__main__":
    print(shlex.join(flags()))
