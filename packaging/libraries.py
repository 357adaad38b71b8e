"""Builds the C library, the driver, the linkers and the runtime libraries, and puts them where maturin takes them from for a wheel.

    python packaging/libraries.py [WORDS FOR CARGO...]

By default cargo builds them as users have them. Other words build them otherwise, for another profile or machine, say; those that
name no packages build these alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "margay"

# The crates of which the wheel carries the library: by what name, if it is not cargo's. Programs look for NVIDIA's by their own.
CRATES = {
    "margay-capi": None,
    "margay-cuda": "libcuda.so.1",
    "margay-nvjitlink": "libnvJitLink.so.13",
    "margay-nvjitlink12": "libnvJitLink.so.12",
    "margay-cudart": "libcudart.so.13",
    "margay-cudart12": "libcudart.so.12",
}
# Elsewhere than on Linux there are none of these, and their libraries are empty.
FOR_LINUX = CRATES.keys() - {"margay-capi"}
PACKAGES = tuple(f"--package={crate}" for crate in CRATES)
HEADER = ROOT / "crates" / "capi" / "include" / "margay.h"


def put(*words: str, environment: dict[str, str] | None = None) -> list[Path]:
    """Builds the libraries, and puts them and the header into the package's folder, where nothing else stays."""
    wanted = {crate: name for crate, name in CRATES.items() if sys.platform == "linux" or crate not in FOR_LINUX}
    words = words or ("build", "--release")
    built = _built(words if "--workspace" in words else (*words, *PACKAGES), environment)
    missing = sorted(wanted.keys() - built.keys())
    if missing:
        raise SystemExit(f"cargo built no library of {', '.join(missing)}")
    for folder in ("lib", "include"):
        shutil.rmtree(PACKAGE / folder, ignore_errors=True)
        (PACKAGE / folder).mkdir()
    files = []
    for crate, name in wanted.items():
        file = PACKAGE / "lib" / (name or built[crate].name)
        shutil.copy(built[crate], file)
        files.append(file)
    shutil.copy(HEADER, PACKAGE / "include")
    return files


def _built(words: tuple[str, ...], environment: dict[str, str] | None) -> dict[str, Path]:
    """The libraries that cargo builds, by their crates."""
    command = ["cargo", *words, "--message-format=json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit(f"`{' '.join(command)}` failed: the C library and the driver are not built")
    found = {}
    for message in map(json.loads, done.stdout.splitlines()):
        if message["reason"] == "compiler-artifact" and "cdylib" in message["target"]["kind"]:
            crate = Path(message["manifest_path"]).parent
            found[f"margay-{crate.name}"] = _library(message["filenames"])
    return found


def _library(files: list[str]) -> Path:
    """The library among what was built of it: on Windows there is more."""
    return next(Path(file) for file in files if os.path.splitext(file)[1] in (".so", ".dylib", ".dll"))


if __name__ == "__main__":
    for file in put(*sys.argv[1:]):
        print(file.relative_to(ROOT))
