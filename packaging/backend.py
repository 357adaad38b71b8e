"""What pip calls to build the package: maturin, after the libraries that maturin does not build."""

from __future__ import annotations

import os
import shutil
from typing import Any

import libraries
import maturin
from maturin import (  # noqa: F401  pip calls these by their names here
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds a wheel with the libraries in it."""
    libraries.put(environment=_environment())
    return maturin.build_wheel(directory, settings, metadata)


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds a wheel that takes Python's files from here, and puts the libraries here, too."""
    libraries.put(environment=_environment())
    return maturin.build_editable(directory, settings, metadata)


def _environment() -> dict[str, str]:
    """The variables with which cargo is found; where there is none, maturin has asked for the package that installs it."""
    if shutil.which("cargo") or os.environ.get("MATURIN_NO_INSTALL_RUST"):
        return dict(os.environ)
    from puccinialin import setup_rust

    return {**os.environ, **setup_rust()}
