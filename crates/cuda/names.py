#!/usr/bin/env python3
"""Prints names.tsv: every function that cuda.h and cudaProfiler.h declare, with the CUDA version from which it is asked for by its plain name.

    names.py INCLUDE/cuda.h INCLUDE/cudaTypedefs.h INCLUDE/cudaProfilerTypedefs.h > names.tsv

The headers are those of PyPI's nvidia-cuda-runtime. Only names and versions are taken: cuda.h declares the symbols, and the typedef
files say from which version on which of them stands behind a plain name, `PFN_cuMemAlloc_v3020`.
"""
import collections
import re
import sys

header, typedefs, profiler = (open(path).read() for path in sys.argv[1:4])


def bare(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\\\n", " ", re.sub(r"//[^\n]*", "", text))


release = re.search(r"#define CUDA_VERSION (\d+)", header)[1]
header, typedefs = bare(header), bare(typedefs + profiler)
symbols = set(re.findall(r"CUDAAPI\s+(cu\w+)\s*\(", header))
for name, target in re.findall(r"#\s*define\s+(cu\w+)\s+(\S[^\n]*)", header):
    suffixed = re.match(r"__CUDA_API_PT(DS|SZ)\((cu\w+)\)", target)
    if suffixed:
        symbols |= {suffixed[2], suffixed[2] + ("_ptds" if suffixed[1] == "DS" else "_ptsz")}
    elif re.fullmatch(r"cu\w+\s*", target):
        symbols.add(target.strip())
versions = collections.defaultdict(set)
for name, version, suffix in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(_ptds|_ptsz)?\)", typedefs):
    versions[name, suffix].add(int(version))
# cuda.h makes this one of the other inline, and drivers have it.
versions["cuGetProcAddress", "_ptsz"] = {12000}
symbols |= {name for name, _ in versions if name.startswith("cuProfiler")}

families = collections.defaultdict(list)
for symbol in symbols:
    plain, number, suffix = re.fullmatch(r"(cu\w+?)(?:_v(\d+))?(_ptds|_ptsz)?", symbol).groups()
    families[plain, suffix or ""].append((int(number or 1), symbol))
print(f"# The functions of CUDA {release}, and the version from which each stands behind its plain name. Made by names.py.")
for family, members in sorted(families.items()):
    known = sorted(versions[family])
    if len(known) != len(members):
        sys.exit(f"{family}: {len(members)} symbols, but {len(known)} versions")
    for (_, symbol), version in zip(sorted(members), known):
        print(f"{symbol}\t{version}")
