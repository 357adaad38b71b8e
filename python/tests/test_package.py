"""The package as a whole: how fast it loads, its type stubs, its documented names, its examples."""

import doctest
import importlib
import pkgutil
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import margay
import pytest

ROOT = Path(__file__).parents[2]
MODULES = [f"margay.{info.name}" for info in pkgutil.iter_modules(margay.__path__) if info.name != "_margay"]


def run(code, *options):
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=True)


def test_importing_loads_neither_numpy_nor_anything_else_that_is_slow():
    loaded = run("import sys; before = set(sys.modules); import margay; print(*set(sys.modules) - before)").stdout
    outside = {name.split(".")[0] for name in loaded.split()} - {"margay"} - set(sys.stdlib_module_names)
    assert not outside
    assert not {"inspect", "dataclasses", "asyncio", "json", "email", "http"} & set(loaded.split())


def test_all_names_are_there_and_say_what_they_are():
    for name in dir(margay):
        value = getattr(margay, name)
        assert value.__doc__ and (name in margay.__all__ or name == "eval"), name
        assert name.startswith("_") or f"`{name}`" in margay.__doc__ or isinstance(value, type), f"help(margay) lacks {name}"
        if isinstance(value, type):
            for member, found in vars(value).items():
                # Plain values have their documentation below them, where only readers see it.
                if not member.startswith("_") and hasattr(found, "__get__"):
                    assert getattr(found, "__doc__", None), f"{name}.{member}"


@pytest.mark.parametrize("module", ["margay", *MODULES])
def test_examples_in_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


def test_every_function_has_an_example():
    functions = [name for name in dir(margay) if callable(getattr(margay, name)) and not isinstance(getattr(margay, name), type)]
    assert len(functions) > 5
    for name in functions:
        assert f"margay.{name}(" in (getattr(margay, name).__doc__ or ""), name


def test_the_stubs_say_what_the_modules_have():
    pytest.importorskip("mypy")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "margay._margay", "--ignore-missing-stub", "--concise"],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy in an empty directory. NumPy's types are read once, and of Dask the part that the package uses, without the
    packages that this imports in turn."""
    pytest.importorskip("mypy")
    directory = tmp_path_factory.mktemp("mypy")
    skipped = "[mypy-dask.*,distributed.*]\nfollow_imports = skip\n[mypy-dask.array.*]\nfollow_imports = normal\n"
    (directory / "mypy.ini").write_text("[mypy]\n" + skipped)

    def check(*options):
        # What was read with other options is read again.
        strict = ["--strict", "--allow-any-generics", "--no-error-summary", "--cache-dir", "cache"]
        return subprocess.run(
            [sys.executable, "-m", "mypy", *strict, *options],
            capture_output=True,
            text=True,
            cwd=directory,
        )

    return check


USE = """
import margay
import numpy as np
kernel: margay.Kernel = margay.RawModule(code='', name='k.ptx').get_function('k')
report: margay.Report = kernel[1, (2, 3)](5, engine='golden')
threads: int = report.threads
version: str = margay.__version__
array: np.ndarray = margay.eval("add.u32 d, a, b", np.arange(4), 1)
same: np.ndarray = margay.eval("add.u32 d, a, b", 1, 2, out=np.zeros(1))
low, carry = margay.eval("add.cc.u32 d, a, b", 1, 2)
quotient, rest = margay.eval("add.cc.u32 d, a, b", [1, 2], 2)
number = int(margay.eval("add.u32 d, a, b", 1, 2))
found = margay.sweep("add.u32 d, a, b", "add.u32 d, b, a", sample=5, semantics="ptxas-13.5")
with margay.options(engine="golden", on_report=print):
    kernel(1, 1, (), sanitize=["race"], simd=None, max_steps=5)
margay.dask.map_blocks(kernel, np.zeros(1))
wrong: str = report.threads  # wrong
margay.evall("x")  # wrong
margay.RawModul  # wrong
kernel(1, 1, (), engin="batch")  # wrong
kernel[1, 1](engine="fast")  # wrong
kernel(1, 1, (), max_steps="5")  # wrong
margay.options(semantic="manual")  # wrong
margay.eval("add.u32 d, a, b", 1, semantics="nvcc")  # wrong
text: str = margay.eval("add.u32 d, a, b", np.arange(4), 1)  # wrong
margay.sweep("add.u32 d, a, b", "add.u32 d, b, a", random=5)  # wrong
"""
WRONG = [number for number, line in enumerate(USE.splitlines(), 1) if "# wrong" in line]


def lines(text):
    """The lines of `use.py` that errors are about."""
    return sorted({int(number) for number in re.findall(r"use\.py:(\d+):\S* ?(?:\d+ - )?error", text)})


def test_types_of_the_package_find_typing_errors(mypy, tmp_path):
    use = tmp_path / "use.py"
    use.write_text(USE)
    checked = mypy(str(use))
    assert lines(checked.stdout) == WRONG, checked.stdout + checked.stderr


def test_another_type_checker_finds_the_same(tmp_path):
    pytest.importorskip("pyright")
    (tmp_path / "use.py").write_text(USE)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "use.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if not re.search(r"\d+ errors?", checked.stdout):
        pytest.skip(f"pyright does not run here: {checked.stdout}{checked.stderr}")
    assert lines(checked.stdout) == WRONG, checked.stdout


def test_the_package_itself_is_typed(mypy):
    checked = mypy("-p", "margay")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("page", ["docs/python.md"])
def test_examples_in_the_docs_run(page):
    found = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 5 and found.failed == 0


def test_the_readmes_python_door_opens():
    programs = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    # What calls the C library is run by that library's tests.
    blocks = [program for program in programs if "ctypes" not in program]
    assert blocks
    for block in blocks:
        assert len(block.strip().splitlines()) <= 5
        shown = re.findall(r"# (.*)$", block, re.M)
        printed = run(block).stdout
        assert all(line in printed for line in shown), printed


@pytest.mark.parametrize("bench, told", [("eval", "2^14 elements"), ("launch", "three arrays, two numbers")])
def test_the_benchmarks_run(bench, told):
    bench = ROOT / f"python/bench/{bench}.py"
    ran = subprocess.run([sys.executable, str(bench), "--check"], capture_output=True, text=True)
    assert ran.returncode == 0 and told in ran.stdout, ran.stderr


def test_the_version_is_said_alike_everywhere():
    from importlib.metadata import entry_points, metadata

    version = metadata("margay")["Version"]
    assert margay.__version__ == version and metadata("margay")["Author"]
    by_module = subprocess.run([sys.executable, "-m", "margay", "--version"], capture_output=True, text=True)
    assert by_module.stdout == f"margay {version}\n" and by_module.returncode == 0
    scripts = entry_points(group="console_scripts") if sys.version_info >= (3, 10) else entry_points()["console_scripts"]
    assert [script.value for script in scripts if script.name == "margay"] == ["margay.__main__:main"]


def command(*words, **options):
    """The command of the package."""
    return subprocess.run([sys.executable, "-m", "margay", *words], capture_output=True, text=True, **options)


def test_the_command_of_the_package_is_the_command(tmp_path):
    (tmp_path / "k.ptx").write_text(".version 8.0\n.target sm_80\n.entry k() { retn; }")
    ran = command("check", "k.ptx", cwd=tmp_path)
    assert ran.returncode == 1 and "k.ptx:3:14" in ran.stdout + ran.stderr
    assert command("eval", "add.u32 d, a, b", "a=1", "b=2").stdout.startswith("d = 0x00000003")
    wrong = command("nothing")
    assert wrong.returncode == 2 and "nothing" in wrong.stderr and "Usage: margay" in wrong.stderr
    assert command("check", "-", input=".version 8.0\n.target sm_80\n").returncode == 0
    helped = command("--help")
    assert helped.returncode == 0 and "Usage: margay" in helped.stdout
    (tmp_path / "k.ptx").write_text(".version 8.0\n.target sm_80\n.entry k() { ret; }")
    ran = command("run", "k.ptx", "--format", "json", cwd=tmp_path)
    assert '"entry": "k"' in ran.stdout and ran.returncode == 0, ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_the_command_of_the_package(tmp_path):
    (tmp_path / "k.ptx").write_text(".version 8.0\n.target sm_80\n.entry k() { L: bra L; }")
    for words in (["run", "k.ptx"], ["check", "-"]):
        running = subprocess.Popen([sys.executable, "-m", "margay", *words], cwd=tmp_path, stdin=subprocess.PIPE)
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        # Ended by the signal, or with the code that says so.
        assert running.wait(timeout=20) in (130, -signal.SIGINT)
        running.stdin.close()


def test_a_star_import_leaves_pythons_own_functions():
    assert run("from margay import *; print(eval('1 + 1'), RawModule.__name__)").stdout == "2 RawModule\n"


def test_help_says_what_things_are():
    for value in (margay.Report, margay.Finding, margay.Diagnostic, margay.Parameter, margay.Act, margay.Label, margay.Remark):
        assert len(value.__doc__) > 10 and "see `margay." not in value.__doc__
