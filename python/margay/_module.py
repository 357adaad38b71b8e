"""Modules and kernels, in the shapes that CuPy and numba have made known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

from ._errors import LaunchError, Trap
from ._margay import Module as _Module
from ._margay import Parameter, Report, launch
from ._options import resolved, tell, warn_of, warn_of_errata

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from typing_extensions import Unpack

    from ._margay import Diagnostic
    from ._options import LaunchOptions

    Extent = Union[int, Sequence[int]]

Code = Union[str, bytes, os.PathLike]


def read(code: Code, path: str | os.PathLike[str] | None = None, name: str | None = None) -> tuple[bytes, str]:
    """The bytes of PTX source, and what to call it: `name`, if it is given.

    A string that has a line break, a brace or a semicolon is PTX; any other is the name of a file.
    """
    text, own = _read(code, path)
    return text, own if name is None else name


def _read(code: Code, path: str | os.PathLike[str] | None) -> tuple[bytes, str]:
    if path is not None:
        code = os.fspath(path)
    elif isinstance(code, (bytes, bytearray)):
        # What compilers hand to drivers ends with a zero.
        return bytes(code).rstrip(b"\0"), "<ptx>"
    elif isinstance(code, str) and (any(mark in code for mark in "\n{;\0") or code == ""):
        return code.encode("utf-8", "surrogatepass"), "<ptx>"
    name = os.fspath(code)
    with open(name, "rb") as file:
        return file.read(), os.fsdecode(name)


class RawModule:
    """A PTX module, loaded into the memory of a device of its own.

    Parameters
    ----------
    code : str, bytes or os.PathLike
        The PTX source; or the name of a file that has it, if it has neither line break nor brace nor semicolon.
    path : str or os.PathLike, optional
        The name of the file, instead of `code`.
    target : str, optional
        The architecture to judge for, such as `sm_90`, instead of the file's `.target`.
    name : str, optional
        The name in messages; else the name of the file, or `<ptx>`.
    memory : int or str, optional
        Bytes of the device's memory, such as `1 << 30` or `"1G"`; otherwise it has most of what the machine has free. Arrays do
        not count, unless they must be copied.

    Raises
    ------
    PtxError
        If the text is not valid PTX.
    LaunchError
        If its variables need more memory than the device has.
    OSError
        If the file cannot be read.

    >>> import margay, numpy as np
    >>> module = margay.RawModule(code='''
    ... .version 8.0
    ... .target sm_80
    ... .address_size 64
    ... .global .u32 total;
    ... .visible .entry twice(.param .u64 data, .param .u32 n) {
    ...     .reg .b64 %rd<3>; .reg .b32 %r<5>; .reg .pred %p;
    ...     ld.param.u64 %rd1, [data];
    ...     ld.param.u32 %r1, [n];
    ...     mov.u32 %r2, %tid.x;
    ...     setp.ge.u32 %p, %r2, %r1;
    ...     @%p ret;
    ...     mul.wide.u32 %rd2, %r2, 4;
    ...     add.s64 %rd1, %rd1, %rd2;
    ...     ld.global.u32 %r3, [%rd1];
    ...     add.u32 %r3, %r3, %r3;
    ...     st.global.u32 [%rd1], %r3;
    ...     red.global.add.u32 [total], %r3;
    ... }''')
    >>> data = np.arange(5, dtype=np.uint32)
    >>> twice = module.get_function("twice")
    >>> report = twice((1, 1, 1), (32, 1, 1), (data, 5))
    >>> data
    array([0, 2, 4, 6, 8], dtype=uint32)
    >>> report.threads
    32
    >>> module.get_global("total")
    array(20, dtype=uint32)
    """

    def __init__(
        self,
        code: Code | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        target: str | None = None,
        name: str | None = None,
        memory: int | str | None = None,
    ) -> None:
        __tracebackhide__ = True
        if (code is None) == (path is None):
            raise TypeError("a module is made of `code` or of a file\nhelp: give one of `code=` and `path=`")
        text, name = read(code if code is not None else "", path, name)
        self._source = (text, name, target, memory)
        self._module = _Module(*self._source)

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels, in source order."""
        return self._module.kernels

    @property
    def variables(self) -> list[str]:
        """The names of its variables in global and constant memory."""
        return self._module.variables

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings and notes about the text."""
        return self._module.diagnostics

    @property
    def version(self) -> str:
        """The version of PTX that it is written in."""
        return self._module.about[0]

    @property
    def target(self) -> str:
        """The architecture that it is written for."""
        return self._module.about[1]

    def get_function(self, name: str) -> Kernel:
        """The kernel of a name.

        Raises
        ------
        LaunchError
            If there is none.
        """
        __tracebackhide__ = True
        return Kernel(self, name)

    def get_global(self, name: str, dtype: Any = None) -> np.ndarray:
        """A copy of a variable in global or constant memory, also while launches run.

        Parameters
        ----------
        dtype : dtype, optional
            What its bytes are; else the type that it is declared with.

        Returns
        -------
        numpy.ndarray
            Of the declared shape (of no dimension if it is a single number); of one dimension if `dtype` has another size
            than the declared type.

        Raises
        ------
        LaunchError
            If there is no such variable, or its size is not a multiple of the `dtype`'s.
        """
        __tracebackhide__ = True
        import numpy as np

        declared, shape = self._module.shape(name)
        own = np.dtype(_dtype(declared))
        dtype = own if dtype is None else np.dtype(dtype)
        data = self._module.read(name)
        if len(data) % dtype.itemsize:
            raise LaunchError(f"variable `{name}` has {len(data)} bytes, which is not a multiple of the {dtype.itemsize} of `{dtype}`")
        values = np.frombuffer(data, dtype).copy()
        return values.reshape(shape) if dtype.itemsize == own.itemsize else values

    def set_global(self, name: str, value: Any) -> None:
        """Replaces a variable in global or constant memory, also while launches run.

        Parameters
        ----------
        value : bytes, numpy.ndarray or number
            Bytes and arrays are taken as they are; other values are converted to the declared type and shape.

        Raises
        ------
        LaunchError
            If there is no such variable, or it has another size.
        """
        __tracebackhide__ = True
        import numpy as np

        declared, shape = self._module.shape(name)
        if not isinstance(value, (bytes, bytearray, np.ndarray, np.generic)):
            try:
                value = np.broadcast_to(np.asarray(value, _dtype(declared)), shape)
            except (OverflowError, ValueError, TypeError) as error:
                raise LaunchError(f"the value of variable `{name}`: {error}") from None
        self._module.write(name, value if isinstance(value, (bytes, bytearray)) else value.tobytes())

    def __repr__(self) -> str:
        return f"<RawModule {self._module.name}: {', '.join(self.kernels) or 'no kernel'}>"

    def __reduce__(self) -> Any:
        # Another process reads the text again; what variables hold does not travel.
        return _loaded, self._source


def _loaded(text: bytes, name: str, target: str | None, memory: int | str | None = None) -> RawModule:
    module = RawModule.__new__(RawModule)
    module._source = (text, name, target, memory)
    module._module = _Module(*module._source)
    return module


def _dtype(declared: str) -> str:
    """NumPy's name of a PTX type."""
    kinds = {"u": "u", "b": "u", "s": "i", "f": "f"}
    declared = declared.lstrip(".")
    bits = int("".join(c for c in declared if c.isdigit()) or 8)
    return f"<{kinds.get(declared[:1], 'u')}{bits // 8}" if bits in (8, 16, 32, 64) else f"V{bits // 8}"


class Kernel:
    """A kernel, which is launched by calling it: `kernel(grid, block, args)` as in CuPy, or `kernel[grid, block](*args)` as
    numba does.

    Parameters
    ----------
    grid, block : int or tuple of up to three int
        Blocks of the grid, and threads of each block, along x, y and z.
    args : tuple
        One for each parameter:

        - a NumPy array of any native dtype and any contiguous shape (C or Fortran order): the kernel gets its address and
          works on it in place. A kernel that writes to an array that is only read is stopped. Other launches may use
          the array meanwhile, nobody else should. Its address lives as long as the array, and is never another's after that.
        - an object with `__dlpack__`, such as a PyTorch tensor on the CPU: the same; NumPy before 2.1 gives it only to be read.
        - a number: converted to the parameter's type, if it fits. Unsigned types take negative numbers too, because
          compilers write `.u32` for `int`.
        - bytes, a NumPy record or a ctypes structure: a structure by value.
        - None: a null pointer, where an address is wanted.
    shared_mem : int
        Bytes of dynamic shared memory for each block.
    engine : {"batch", "golden"}
        All threads of a block at once; or one after the other, by the manual's pseudo-code.
    simd : {None, "baseline", "avx2", "jit-avx2", "avx512", "jit-skylake", "jit", "jit-neon"}
        The vector instructions to use; None takes the best that the machine has.
    workers : int
        Threads of this machine that run blocks; 0 takes as many as it has cores. Results do not depend on it.
    semantics : {"manual", "ptxas-13.5"}
        What is computed where NVIDIA's assembler makes something else of an instruction than the manual says. Tests of kernels
        want what a device computes, `"ptxas-13.5"`; with the manual's text, an `ErratumWarning` tells of such kernels.
    approx : {None, "device", "rounded"}
        The results of approximate functions, such as `rcp.approx.f32`: a device's, which is the default, or correctly rounded
        ones. It does not go with `semantics="ptxas-13.5"`.
    device : str, optional
        The device whose tensor cores products of matrices (`mma`, `wmma`) are computed as, to the last bit, such as `"sm_90"`; None takes
        the module's `.target`. Nothing else depends on it.
    sanitize : bool, str or list of str
        What to watch for: `True` for all, or some of `memory`, `race`, `init` and `sync`.
    schedule_seed : int, optional
        Runs blocks and threads in another legal order, drawn from this number.
    unordered : bool
        Lets blocks run on all workers even where their order can show in the result.
    max_steps : int, optional
        The most instructions that all threads together may execute.
    contract : bool
        Adds floating-point products unrounded where neither instruction names a rounding, as ptxas does. By default each
        instruction rounds.
    profile : bool
        Counts what is executed: `report.profile`.
    fidelity : bool
        Tells what stands behind the results of the instructions that were executed: `report.fidelity`.
    cluster : int or tuple of int, optional
        Blocks of a cluster, which run together and see each other's shared memory; what the kernel requires if it is not given.

    Returns
    -------
    Report
        What the launch did: `threads`, `instructions`, `printed`, `warnings`, `findings`, `profile`, `fidelity`.

    Raises
    ------
    LaunchError
        If the call is wrong. Nothing has run.
    Trap
        If the kernel goes wrong.
    Unsupported
        If it can reach an instruction that margay does not run yet (a `LaunchError`, too).
    TypeError
        If an argument or an option is of a wrong type, or there is no such option.
    KeyboardInterrupt
        On Ctrl-C in the main thread. The interpreter is free for other threads while a kernel runs, and they may launch too.
    """

    def __init__(self, module: RawModule, name: str) -> None:
        self.module = module
        """The module that it belongs to."""
        self.name = name
        """Its name."""
        self.parameters: list[Parameter] = module._module.parameters(name)
        """What it takes."""

    @property
    def errata(self) -> list[tuple[int | None, str]]:
        """Lines that it can reach whose form ptxas computes in another way than the manual says, each with what differs."""
        return self.module._module.errata(self.name)

    def __call__(
        self, grid: Extent, block: Extent, args: Sequence[Any] = (), **options: Unpack[LaunchOptions]
    ) -> Report:
        __tracebackhide__ = True
        return self._launch(grid, block, args, options, 2)

    def _launch(self, grid: Extent, block: Extent, args: Sequence[Any], options: Any, stacklevel: int) -> Report:
        """A launch for a caller so many calls above."""
        __tracebackhide__ = True
        if not isinstance(args, tuple):
            # One argument without its comma is not a sequence of arguments.
            if not isinstance(args, list):
                raise TypeError("arguments must be a tuple\nhelp: write `(a, b)`, and `(a,)` for one")
            args = tuple(args)
        keywords, told = resolved(options)
        try:
            report = launch(self.module._module, self.name, grid, block, args, **keywords)
        except Trap:
            if keywords.get("semantics", "manual") == "manual" and self.errata:
                name = self.module._module.name
                warn_of(self.name, [f"{name}:{line}: {text}" for line, text in self.errata], stacklevel + 1)
            raise
        warn_of_errata(report, stacklevel + 1)
        tell(report, told)
        return report

    def __getitem__(self, shape: tuple[Extent, Extent]) -> Configured:
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise TypeError("a launch is written `kernel[grid, block](…)`\nhelp: dynamic shared memory is `shared_mem=`")
        return Configured(self, *shape)

    def __repr__(self) -> str:
        listed = ", ".join(parameter.text for parameter in self.parameters)
        return f"<Kernel {self.name}({listed})>"

    def __reduce__(self) -> Any:
        return Kernel, (self.module, self.name)


class Configured:
    """A kernel with its grid and block, to be called with its arguments."""

    def __init__(self, kernel: Kernel, grid: Extent, block: Extent) -> None:
        self.kernel = kernel
        self.grid = grid
        self.block = block

    def __call__(self, *args: Any, **options: Unpack[LaunchOptions]) -> Report:
        __tracebackhide__ = True
        return self.kernel._launch(self.grid, self.block, args, options, 2)

    def __repr__(self) -> str:
        return f"<{self.kernel!r} on grid {self.grid}, block {self.block}>"
