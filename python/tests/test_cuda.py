"""The driver in the package: loaded by import, under pytest, and for programs that the command runs."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the driver is for Linux only")

ROOT = Path(__file__).parents[2]
PROGRAM = str(ROOT / "docs/examples/driver.py")
DRIVER = f"import runpy; runpy.run_path({PROGRAM!r})"


@pytest.fixture
def ran(tmp_path):
    """Runs Python in an empty folder."""

    def run(*words, **environment):
        variables = {name: value for name, value in os.environ.items() if name not in ("MARGAY_SANITIZE", "LD_LIBRARY_PATH")}
        variables["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        return subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, env={**variables, **environment}
        )

    return run


def test_programs_find_the_driver_that_was_imported(ran):
    alone = ran("-c", DRIVER)
    assert alone.returncode != 0 and "libcuda.so.1" in alone.stderr
    together = ran("-c", f"import margay.cuda; {DRIVER}")
    assert (together.stdout, together.stderr) == ("0 1 2 3 4 5 6 7\n", "")
    # Not by the name of the file, but by the one in it.
    code = "import ctypes, margay.cuda as m; print(ctypes.CDLL('libcuda.so.1')._handle == m.library._handle, m.path())"
    same, folder = ran("-c", code).stdout.split()
    assert same == "True" and os.path.exists(os.path.join(folder, "libcuda.so.1"))
    attribute = ran("-c", f"import margay; margay.cuda.path(); {DRIVER}")
    assert attribute.stdout == "0 1 2 3 4 5 6 7\n", attribute.stderr


def test_programs_find_the_linkers_too(ran):
    # Those that are loaded, and no others.
    code = "import ctypes, os; [ctypes.CDLL(f'libnvJitLink.so.{n}', os.RTLD_NOLOAD).nvJitLinkComplete(None) for n in (12, 13)]"
    alone = ran("-c", code)
    assert alone.returncode != 0 and "libnvJitLink.so.12" in alone.stderr
    imported = ran("-c", f"import margay.cuda; {code}")
    assert (imported.returncode, imported.stderr) == (0, "")
    started = ran("-m", "margay", "cuda", "--", sys.executable, "-c", code)
    assert (started.returncode, started.stderr) == (0, "")


def test_programs_find_the_runtime_libraries_too(ran):
    calls = "ctypes.CDLL(f'libcudart.so.{n}', mode).cudaGetDeviceCount(ctypes.byref(ctypes.c_int())) for n in (12, 13)"
    imported = ran("-c", f"import ctypes, margay.cuda, os; mode = os.RTLD_NOLOAD; print([{calls}])")
    assert (imported.stdout, imported.stderr) == ("[0, 0]\n", "")
    started = ran("-m", "margay", "cuda", "--", sys.executable, "-c", f"import ctypes; mode = 0; print([{calls}])")
    assert (started.stdout, started.stderr) == ("[0, 0]\n", "")


def test_a_driver_that_is_loaded_is_kept(ran, tmp_path):
    loaded = ran("-m", "margay", "cuda", "--", sys.executable, "-c", f"{DRIVER}; import margay.cuda; print(margay.cuda.path())")
    assert loaded.returncode == 0 and len(loaded.stdout.splitlines()) == 2, loaded.stderr
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    other = tmp_path / "libcuda.so.1"
    (tmp_path / "other.c").write_text("int cuInit(unsigned flags) { return flags != 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", other, tmp_path / "other.c"], check=True)
    refused = ran("-c", f"import ctypes; ctypes.CDLL({str(other)!r}); import margay.cuda")
    assert f"ImportError: another driver is loaded already: `{other}`" in refused.stderr


def test_without_a_driver_the_import_says_what_to_do(ran):
    refused = ran("-c", "import margay.cuda", MARGAY_CUDA_PATH="nowhere")
    assert "ImportError: the environment variable `MARGAY_CUDA_PATH` is `nowhere`, but there is no driver" in refused.stderr
    assert "cargo build -p margay-cuda --release" in refused.stderr
    assert ran("-c", "import margay", MARGAY_CUDA_PATH="nowhere").returncode == 0


def test_pytest_runs_tests_of_cuda_programs(ran, tmp_path):
    (tmp_path / "test_program.py").write_text(f"def test_it():\n    {DRIVER}\n")
    without = ran("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_program.py")
    assert without.returncode == 1 and "libcuda.so.1" in without.stdout
    tested = ran("-m", "pytest", "-p", "margay.cuda", "-p", "no:cacheprovider", "test_program.py")
    assert tested.returncode == 0 and "margay: CUDA programs run on " in tested.stdout, tested.stdout


def test_the_command_of_the_package_runs_programs(ran):
    driver = [sys.executable, PROGRAM]
    plain = ran("-m", "margay", "cuda", "--", *driver)
    assert (plain.returncode, plain.stdout, plain.stderr) == (0, "0 1 2 3 4 5 6 7\n", "")
    watched = ran("-m", "margay", "cuda", "--sanitize", "race", *driver)
    assert watched.stdout == plain.stdout and watched.stderr.startswith("launch 1, kernel `neighbour`:\nerror: data race")
    folder = ran("-m", "margay", "cuda-path").stdout.rstrip("\n")
    assert ran("-c", DRIVER, LD_LIBRARY_PATH=folder).stdout == plain.stdout
    # There is no program of its own that could be called by the assembler's name.
    assembled = ran("-m", "margay", "cuda", "--", "sh", "-c", 'ptxas --version; "$TRITON_PTXAS_PATH" -arch=sm_80 "a b.ptx"')
    assert "Cuda compilation tools" in assembled.stdout and "a b.ptx" in assembled.stderr and assembled.returncode == 255
    assert ran("-m", "margay", "cuda", "--", "sh", "-c", "exit 7").returncode == 7
    assert ran("-m", "margay", "cuda", "--", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    assert ran("-m", "margay", "cuda", "--", "no-such-program").returncode == 127


# What `activate` touches of Triton.
TRITON = """
import sys, types
def module(name, **members):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(members)
    return made
class Config:
    _active = _default = None
    def set_active(self, driver):
        self._active = driver
class CudaDriver:
    def __init__(self):
        assert "torch" not in sys.modules
runtime = module("triton.runtime.driver", driver=Config())
triton = module("triton", runtime=types.SimpleNamespace(driver=runtime.driver))
module("triton.backends.nvidia.driver", CudaDriver=CudaDriver)
module("torch")
import margay, os
"""


def test_triton_is_given_driver_and_assembler(ran):
    code = f"""{TRITON}
for _ in range(2):
    margay.triton.activate()
assert type(runtime.driver._active) is CudaDriver and "torch" in sys.modules
print(*(os.environ[f"TRITON_{{name}}_PATH"] for name in ("LIBCUDA", "PTXAS", "PTXAS_BLACKWELL")))
{DRIVER}"""
    given = ran("-c", code)
    assert given.returncode == 0, given.stderr
    paths, printed = given.stdout.splitlines()
    folder, ptxas, newer = paths.split()
    assert printed == "0 1 2 3 4 5 6 7" and os.path.exists(f"{folder}/libcuda.so.1")
    assert ptxas == newer == f"{folder}/ptxas" and os.access(ptxas, os.X_OK)


def test_triton_with_another_driver_is_left_alone(ran):
    refused = ran("-c", f"{TRITON}\nruntime.driver._default = CudaDriver.__new__(CudaDriver)\nmargay.triton.activate()")
    assert "CallError: Triton has chosen another driver already: `__main__.CudaDriver`" in refused.stderr
    assert "before the first kernel is launched" in refused.stderr
    # What Triton chose may run on margay's driver all the same.
    code = f"import margay.cuda\n{TRITON}\nCudaDriver.__module__ = 'triton.backends.nvidia.driver'\n"
    code += "runtime.driver._default = CudaDriver.__new__(CudaDriver)\nmargay.triton.activate()\nmargay.triton.activate()"
    assert ran("-c", code).returncode == 0
    missing = ran("-c", "import margay; margay.triton.activate()")
    assert "No module named 'triton'" in missing.stderr or missing.returncode == 0
