"""What numba-cuda's own tests expect of the pytest configuration that its repository has and its package lacks; a file, one line per
test, of what became of them, which outlives a run that ends in the middle of a test; and CUDA C that is compiled once, not for each test."""

import os

import pytest

# Lines of two words, an outcome and a test: `started` and, when it ends, `passed`, `failed` or `skipped`.
REPORT = os.environ.get("MARGAY_SUITE_REPORT")


@pytest.fixture
def initialize_from_pytest_config(request):
    """Where files that a failed check looked at would be written: nowhere."""
    if request.cls is not None:
        request.cls._dump_failed_filechecks = False


def pytest_configure():
    """Keep what NVRTC makes of a source without a word: most tests have the same sources compiled, which takes most of their time."""
    from numba.cuda.cudadrv import nvrtc

    compile, kept = nvrtc.compile, {}

    def once(src, name, cc, ltoir=False, lineinfo=False, debug=False):
        key = (src, name, cc, ltoir, lineinfo, debug, nvrtc.config.CUDA_NVRTC_EXTRA_SEARCH_PATHS)
        made = kept.get(key) or compile(src, name, cc, ltoir, lineinfo, debug)
        if not made[1]:
            kept[key] = made
        return made

    nvrtc.compile = once


def _write(outcome, test):
    if REPORT:
        with open(REPORT, "a", encoding="utf-8") as file:
            file.write(f"{outcome} {test}\n")


def pytest_collection_modifyitems(config, items):
    """Leave out the tests of which the report knows something: a run goes on after the test that ended the last one."""
    if not REPORT or not os.path.exists(REPORT):
        return
    with open(REPORT, encoding="utf-8") as file:
        known = {line.split(" ", 1)[1].rstrip("\n") for line in file}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
    items[:] = [item for item in items if item.nodeid not in known]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Name the test before it runs."""
    _write("started", item.nodeid)


_outcome = {}


def pytest_runtest_logreport(report):
    """Say what became of a test: the worst of its parts."""
    order = ["passed", "skipped", "failed"]
    worst = max(_outcome.get(report.nodeid, "passed"), report.outcome, key=order.index)
    _outcome[report.nodeid] = worst
    if report.when == "teardown":
        _write(worst, report.nodeid)
