"""The package as a whole: how fast it loads, its type stubs, its documented names, its examples."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
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
    for name in margay.__all__:
        value = getattr(margay, name)
        assert value.__doc__ and name in dir(margay), name
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
    functions = [name for name in margay.__all__ if not isinstance(getattr(margay, name), type)]
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


def test_types_of_the_package_are_consistent(mypy, tmp_path):
    use = tmp_path / "use.py"
    use.write_text(
        "import margay\n"
        "kernel: margay.Kernel = margay.RawModule(code='').get_function('k')\n"
        "report: margay.Report = kernel[1, (2, 3)](5, engine='golden')\n"
        "threads: int = report.threads\n"
        "wrong: str = report.threads\n"
    )
    checked = mypy(str(use))
    assert [line.split(":")[1] for line in checked.stdout.splitlines()] == ["5"], checked.stdout + checked.stderr


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


def test_the_benchmark_compares_equal_results():
    bench = ROOT / "python/bench/eval.py"
    ran = subprocess.run([sys.executable, str(bench), "--check"], capture_output=True, text=True)
    assert ran.returncode == 0 and "2^14 elements" in ran.stdout, ran.stderr
