#!/usr/bin/env python3
"""Prints names.tsv: every function that the headers of CUDA's runtime library declare, with the major versions that have it.

    names.py 12=INCLUDE 13=INCLUDE > names.tsv

The folders are those of PyPI's nvidia-cuda-runtime-cu12 and nvidia-cuda-runtime, with crt/host_runtime.h of nvidia-cuda-nvcc-cu12 and
nvidia-cuda-crt. Only names are taken. A function for streams of each thread's own ends with `_ptds` or `_ptsz`.
"""
import collections
import pathlib
import re
import sys

HEADERS = ("cuda_runtime_api.h", "cuda_egl_interop.h", "cuda_gl_interop.h", "cuda_vdpau_interop.h", "crt/host_runtime.h")
# Those of cuda_profiler_api.h, which comes in a package of its own.
PROFILER = {"cudaProfilerStart", "cudaProfilerStop"}


def bare(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\\\n", " ", re.sub(r"//[^\n]*", "", text))


# What compilers call without a declaration that says it is the library's, by the first version that has it; and what is declared and is
# no more, or is for another system.
UNDECLARED = {
    12: "__cudaGetKernel __cudaLaunchKernel __cudaLaunchKernel_ptsz __cudaPushCallConfiguration __cudaRegisterHostVar "
    "__cudaRegisterUnifiedTable cudaGetFuncBySymbol",
    13: "__cudaGetProcAddress cudaSubgridCreate cudaSubgridWorkerGridCreate cudaSubgridWorksetCreate",
}
GONE = {"__cudaRegisterSurface", "__cudaRegisterTexture", "cudaWGLGetDevice"}

majors = collections.defaultdict(list)
for major, folder in (argument.split("=", 1) for argument in sys.argv[1:]):
    found, kept = set(PROFILER), set()
    for header in HEADERS:
        text = bare((pathlib.Path(folder) / header).read_text())
        found |= set(re.findall(r"CUDARTAPI(?:_CDECL)?\s+((?:__)?cuda\w+)\s*\(", text))
        for name, target in re.findall(r"#\s*define\s+((?:__)?cuda\w+)\s+(\S[^\n]*)", text):
            suffixed = re.match(r"__CUDART_API_PT(DS|SZ)\(((?:__)?cuda\w+)\)", target)
            if suffixed:
                kept.add((suffixed[2], "_ptds" if suffixed[1] == "DS" else "_ptsz"))
            elif re.fullmatch(r"cuda\w+\s*", target):
                kept.add((target.strip(), ""))
    # Some macros are of functions that are no more, and `cuda_runtime_api.h` declares what has a version by its plain name.
    for name, suffix in kept:
        if name in found or re.sub(r"_v\d+$", "", name) in found:
            found |= {name, name + suffix}
    for first, names in UNDECLARED.items():
        found |= set(names.split()) if int(major) >= first else set()
    for name in found - GONE:
        majors[name].append(major)
print("# The functions of CUDA's runtime library, and the major versions that have them. Made by names.py.")
for name in sorted(majors):
    print(f"{name}\t{' '.join(sorted(majors[name]))}")
