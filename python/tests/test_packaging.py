"""What is published: the wheel and its checks, the workflow that makes it, the version of Rust that it wants."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WHEELS = sorted((ROOT / "python/target/wheels").glob("*.whl"))


def check(wheel):
    ran = subprocess.run([sys.executable, ROOT / "packaging/check.py", wheel], capture_output=True, text=True)
    return ran.returncode, ran.stdout


@pytest.fixture
def wheel(tmp_path):
    """A copy of the built wheel."""
    if not WHEELS:
        pytest.skip("`.ci/python` builds a wheel, and none is there")
    return Path(shutil.copy(WHEELS[-1], tmp_path))


def changed(wheel, change):
    """The wheel with its files changed."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return check(wheel)


def test_the_wheel_is_as_it_must_be(wheel):
    assert check(wheel) == (0, f"{wheel.name}: as it must be\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the driver is for Linux only")
def test_a_wheel_without_the_driver_is_found(wheel):
    code, said = changed(wheel, lambda files: files.pop("margay/lib/libcuda.so.1"))
    assert code == 1 and "`margay/lib/libcuda.so.1` is missing" in said and "the record names" in said


def test_a_wheel_with_a_wrong_record_is_found(wheel):
    code, said = changed(wheel, lambda files: files.update({"margay/py.typed": b"changed", "margay/new.py": b""}))
    assert code == 1 and "says something else of `margay/py.typed`" in said and "lacks `margay/new.py`" in said


@pytest.mark.skipif(sys.platform != "linux", reason="names of wheels for Linux promise a version")
def test_a_name_that_promises_too_old_a_system_is_found(wheel):
    older = wheel.with_name(re.sub(r"-[^-]*\.whl$", "-manylinux_2_5_x86_64.whl", wheel.name))
    wheel.rename(older)
    code, said = check(older)
    assert code == 1 and re.search(r"`margay/lib/libcuda.so.1` needs version 2\.\d+ of the C library", said)


def test_the_workflow_is_well_formed_and_runs_what_is_there():
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    for step in steps:
        # Each step does one thing, and actions are those of a major version.
        assert ("uses" in step) != ("run" in step), step
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/none@v1")), step
        for script in re.findall(r"(?:\.ci|packaging)/\w+", step.get("run", "")):
            assert (ROOT / script).stat().st_mode & 0o111, script
    ran = " ".join(step.get("run", "") for step in steps)
    assert ".ci/run" in ran and "packaging/build --zig" in ran


def test_the_version_of_rust_is_said_alike_everywhere():
    wanted = re.search(r'^rust-version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.M)[1]
    for file in ["README.md", "docs/python.md", ".ci/run", "python/Cargo.toml", ".github/workflows/ci.yml"]:
        assert re.search(rf'(Rust \(?|rust-version = "|rust: \["){re.escape(wanted)}\b', (ROOT / file).read_text()), file
