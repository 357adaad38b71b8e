"""Checks a wheel: what it must contain, that its record is true, and that its libraries run where its name says.

    python packaging/check.py WHEEL
"""

from __future__ import annotations

import base64
import configparser
import csv
import hashlib
import io
import re
import struct
import sys
import zipfile

# What every wheel brings; those for Linux bring the libraries below, too.
ALWAYS = ["margay/__init__.py", "margay/__main__.py", "margay/_margay.pyi", "margay/py.typed", "margay/include/margay.h"]
# The names by which the loader knows libraries, and a function that each exports.
EXPORTS = {
    "margay/_margay.abi3.so": (None, "PyInit__margay"),
    "margay/lib/libmargay.so": (None, "margay_launch"),
    "margay/lib/libcuda.so.1": ("libcuda.so.1", "cuGetProcAddress_v2"),
    "margay/lib/libcudart.so.12": ("libcudart.so.12", "cudaGetDeviceProperties_v2"),
    "margay/lib/libcudart.so.13": ("libcudart.so.13", "__cudaLaunchKernel"),
    "margay/lib/libnvJitLink.so.12": ("libnvJitLink.so.12", "__nvJitLinkCreate_12_9"),
    "margay/lib/libnvJitLink.so.13": ("libnvJitLink.so.13", "__nvJitLinkCreate_13_5"),
}
ENTRIES = {("console_scripts", "margay"): "margay.__main__:main", ("pytest11", "margay"): "margay.pytest"}


def check(wheel: str) -> list[str]:
    """What is wrong with a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    name, version, *_, platforms = wheel.replace("\\", "/").split("/")[-1][: -len(".whl")].split("-")
    info = f"{name}-{version}.dist-info"
    for_linux = "linux" in platforms
    wrong = [f"`{file}` is missing" for file in [*ALWAYS, *(EXPORTS if for_linux else [])] if file not in files]
    wrong += [f"`{file}` has no place in a wheel" for file in files if "__pycache__" in file or "/tests/" in file]
    wrong += record(files, f"{info}/RECORD")
    metadata = files[f"{info}/METADATA"].decode()
    if f"\nVersion: {version}\n" not in metadata or "\nRequires-Dist: numpy" not in metadata:
        wrong.append("the metadata lack the version or NumPy")
    if sum(file.startswith(f"{info}/licenses/LICENSE-") for file in files) != 2:
        wrong.append("the licences are not both there")
    entries = configparser.ConfigParser(delimiters=("=",))
    entries.read_string(files[f"{info}/entry_points.txt"].decode())
    for (group, entry), value in ENTRIES.items():
        if entries.get(group, entry, fallback=None) != value:
            wrong.append(f"the entry point `{entry}` of `{group}` is not `{value}`")
    if for_linux:
        wrong += libraries(files, platforms)
    return wrong


def record(files: dict[str, bytes], name: str) -> list[str]:
    """What the list of files says that is not so."""
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[name].decode())) if row}
    wrong = [f"the record lacks `{file}`" for file in files if file not in rows]
    wrong += [f"the record names `{file}`, which is missing" for file in rows if file not in files]
    for file, (digest, size) in rows.items():
        if file in files and file != name:
            found = base64.urlsafe_b64encode(hashlib.sha256(files[file]).digest()).rstrip(b"=").decode()
            if (digest, size) != (f"sha256={found}", str(len(files[file]))):
                wrong.append(f"the record says something else of `{file}` than what it is")
    return wrong


def libraries(files: dict[str, bytes], platforms: str) -> list[str]:
    """What is wrong with libraries for Linux."""
    wrong = []
    # The oldest C library for which any of the names stands; `linux` alone promises nothing.
    promised = [tuple(map(int, found)) for found in re.findall(r"manylinux_(\d+)_(\d+)_", platforms)]
    for file, bytes_ in files.items():
        if not bytes_.startswith(b"\x7fELF"):
            continue
        library = Elf(bytes_)
        if file not in EXPORTS:
            wrong.append(f"`{file}` is a library that a wheel does not bring")
            continue
        soname, function = EXPORTS[file]
        if library.soname != soname and soname is not None:
            wrong.append(f"`{file}` is `{library.soname}` to the loader")
        if function not in library.exported:
            wrong.append(f"`{file}` does not export `{function}`")
        others = sorted(name for name in library.needed if not re.match(r"(libc|libm|libgcc_s|libdl|libpthread|librt|ld-linux.*)\.so", name))
        if others:
            wrong.append(f"`{file}` needs {', '.join(others)}")
        for version in promised:
            if library.glibc > version:
                needs = ".".join(map(str, library.glibc))
                wrong.append(f"`{file}` needs version {needs} of the C library, which `{platforms}` does not promise")
    return wrong


class Elf:
    """A library for Linux, as far as the loader and packagers ask it."""

    def __init__(self, file: bytes) -> None:
        # 64 bits, little-endian: what wheels are made for.
        (start,) = struct.unpack_from("<Q", file, 0x28)
        size, count = struct.unpack_from("<HH", file, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQQ", file, start + k * size) for k in range(count)]
        sections = {kind: (file[at : at + length], link) for _, kind, _, _, at, length, link, *_ in headers if kind in (6, 11, 0x6FFFFFFE)}

        def text(table: int, at: int) -> str:
            place = headers[table][4] + at
            return file[place : file.index(b"\0", place)].decode()

        dynamic, strings = sections[6]
        tags = list(struct.iter_unpack("<QQ", dynamic))
        self.needed = {text(strings, value) for tag, value in tags if tag == 1}
        self.soname = next((text(strings, value) for tag, value in tags if tag == 14), None)
        symbols, strings = sections[11]
        entries = struct.iter_unpack("<IBBHQQ", symbols)
        self.exported = {text(strings, name) for name, _, _, section, _, _ in entries if section != 0}
        self.glibc = (0, 0)
        needs, strings = sections.get(0x6FFFFFFE, (b"", 0))
        at = 0
        while needs:
            _, versions, _, first, following = struct.unpack_from("<HHIII", needs, at)
            place = at + first
            for _ in range(versions):
                _, _, _, name, step = struct.unpack_from("<IHHII", needs, place)
                found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", text(strings, name))
                if found:
                    self.glibc = max(self.glibc, (int(found[1]), int(found[2])))
                place += step
            if following == 0:
                break
            at += following


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or f"{sys.argv[1].split('/')[-1]}: as it must be")
    sys.exit(1 if found else 0)
