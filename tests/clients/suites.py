"""Runs the test suites that come with clients of CUDA's driver, and prints a row of a table for each: `suites.py FOLDER`.

The packages are installed where this Python looks for them; the folder keeps reports, logs and what is built.
"""

import collections
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# Tests of one run that may end the process, each of them once: then something else is wrong.
MOST_ROUNDS = 50
# The version whose sources are tested, and what of it needs no other library of NVIDIA's than NVRTC.
CUDARC = "0.19.4"
FEATURES = "std,driver,nvrtc,f16,cuda-13000,dynamic-loading"
# Folders of numba-cuda's tests.
NUMBA = {
    "numba-cuda, `cudadrv`": ["cudadrv"],
    "numba-cuda, `cudapy`": ["cudapy"],
    "numba-cuda, all else": ["core", "doc_examples", "nocuda", "nrt"],
}
# Clients whose packages bring no tests, and what chooses the driver for them.
OPERATIONS = {"tinygrad": {"DEV": "CUDA:PTX"}, "triton": {}}


def numba(folder, parts):
    """What became of numba-cuda's tests: a run that ends in the middle of a test goes on with the next one."""
    name = "-".join(parts)
    report, log = folder / f"numba-{name}.txt", folder / f"numba-{name}.log"
    for old in (report, log):
        old.unlink(missing_ok=True)
    environment = os.environ | {
        "MARGAY_SUITE_REPORT": str(report),
        "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    # numba-cuda's repository has its package found so; `thread` ends the process, also inside of a launch.
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-o", "consider_namespace_packages=true"]
    command += ["-p", "numba_suite", "-p", "no:cacheprovider", "-p", "no:warnings"]
    command += ["--timeout", os.environ.get("MARGAY_SUITE_SECONDS", "600"), "--timeout-method=thread"]
    command += ["--pyargs", *(f"numba.cuda.tests.{part}" for part in parts)]
    for _ in range(MOST_ROUNDS):
        with open(log, "a", encoding="utf-8") as out:
            subprocess.run(command, env=environment, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
        known = report.read_text().splitlines() if report.exists() else []
        outcomes = dict(reversed(line.split(" ", 1)) for line in known)
        # A test that ended the run is the one that is named last. What a run ends with says nothing: a test that takes too long ends it
        # as failed ones do.
        if not known or not known[-1].startswith("started "):
            break
    return {test.split("tests/")[-1]: outcome for test, outcome in outcomes.items()}


def nvrtc(folder):
    """A folder in which NVRTC lies by the name that Rust programs know."""
    files = importlib.metadata.files("nvidia-cuda-nvrtc") or []
    library = next(file for file in files if re.match(r"libnvrtc\.so\.\d+$", file.name)).locate()
    folder.mkdir(exist_ok=True)
    link = folder / "libnvrtc.so"
    link.unlink(missing_ok=True)
    link.symlink_to(library)
    return f"{folder}{os.pathsep}{library.parent}"


def cudarc(folder):
    """What became of cudarc's tests, from its sources on crates.io."""
    project, source = folder / "cudarc", folder / "cudarc-source"
    shutil.rmtree(project, ignore_errors=True)
    shutil.rmtree(source, ignore_errors=True)
    (project / "src").mkdir(parents=True)
    (project / "src/lib.rs").touch()
    manifest = f'[package]\nname = "fetch"\nedition = "2021"\n[workspace]\n[dependencies.cudarc]\nversion = "={CUDARC}"\n'
    features = ", ".join(f'"{feature}"' for feature in FEATURES.split(","))
    (project / "Cargo.toml").write_text(f"{manifest}default-features = false\nfeatures = [{features}]\n")
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1"], cwd=project, check=True, capture_output=True, text=True
    )
    packages = json.loads(metadata.stdout)["packages"]
    fetched = next(package for package in packages if package["name"] == "cudarc")
    shutil.copytree(pathlib.Path(fetched["manifest_path"]).parent, source)
    with open(source / "Cargo.toml", "a", encoding="utf-8") as file:
        file.write("\n[workspace]\n")
    libraries = os.pathsep.join([os.environ["LD_LIBRARY_PATH"], nvrtc(folder / "nvrtc")])
    command = ["cargo", "test", "--lib", "--no-default-features", "--features", FEATURES]
    ended = subprocess.run(
        [*command, "--", "--test-threads", "1"],
        env=os.environ | {"LD_LIBRARY_PATH": libraries, "CARGO_TARGET_DIR": str(folder / "target")},
        cwd=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    (folder / "cudarc.log").write_text(ended.stdout)
    # What a test prints may stand between its name and its result; the lists at the end have no such lines.
    named = re.findall(r"^test (\S+) \.\.\. ", ended.stdout, re.MULTILINE)
    failed = set(re.findall(r"^    (\S+::\S+)$", ended.stdout, re.MULTILINE))
    ignored = set(re.findall(r"^test (\S+) \.\.\. ignored", ended.stdout, re.MULTILINE))
    outcomes = dict.fromkeys(named, "passed" if "test result:" in ended.stdout else "started")
    return outcomes | dict.fromkeys(ignored, "skipped") | dict.fromkeys(failed, "failed")


def operations(folder, client, environment):
    """What became of our own tests: operations over types and shapes, beside NumPy's."""
    report, log = folder / f"operations-{client}.txt", folder / f"operations-{client}.log"
    report.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / "operations" / f"with_{client}.py"), str(report)]
    with open(log, "w", encoding="utf-8") as out:
        subprocess.run(command, env=os.environ | environment, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    # Without a report it ended in the middle.
    lines = report.read_text().splitlines() if report.exists() else [f"started all operations of {client}"]
    return {name: outcome for outcome, name in (line.split(" ", 1) for line in lines)}


def torch_samples(folder):
    """What became of PyTorch's samples of its own operations, beside the CPU's results."""
    report, log = folder / "torch-samples.txt", folder / "torch-samples.log"
    report.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / "torch_samples.py"), str(report)]
    with open(log, "w", encoding="utf-8") as out:
        subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    lines = report.read_text().splitlines() if report.exists() else ["started all samples of PyTorch"]
    return {name: outcome for outcome, name in (line.split(" ", 1) for line in lines)}


def row(name, version, outcomes):
    """A row of the table, and after it the tests that did not pass."""
    counts = collections.Counter(outcomes.values())
    figures = [counts[outcome] for outcome in ("passed", "failed", "started", "skipped")]
    print(f"| {name} | {version} | {' | '.join(map(str, figures))} |", flush=True)
    return [f"{outcome} {test}" for test, outcome in sorted(outcomes.items()) if outcome in ("failed", "started")]


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print("| suite | version | passed | failed | stopped | skipped |\n|---|---|---|---|---|---|")
    version = importlib.metadata.version("numba-cuda")
    others = []
    for name, parts in NUMBA.items():
        others += row(name, version, numba(folder, parts))
    others += row("cudarc, `driver,nvrtc,f16`", CUDARC, cudarc(folder))
    for client, environment in OPERATIONS.items():
        version = importlib.metadata.version(client)
        others += row(f"{client}, operations", version, operations(folder, client, environment))
    others += row("PyTorch, its samples of operations", importlib.metadata.version("torch"), torch_samples(folder))
    (folder / "not-passed.txt").write_text("".join(f"{line}\n" for line in others))
    print(f"\nWhat did not pass: {folder / 'not-passed.txt'}")


if __name__ == "__main__":
    main()
