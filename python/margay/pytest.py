"""The pytest plugin: a `ptx` fixture for tests of kernels, and options that watch them closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ._errors import Unsupported
from ._options import SANITIZERS, options, sanitizers

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ._margay import Finding, Report


class Ptx:
    """What the `ptx` fixture gives: margay's functions, and what the test's launches did."""

    reports: list[Report]
    """The reports of all launches of the test, in order."""
    seed: int | None
    """The schedule that the launches run under; None for the default one."""

    def __init__(self, seed: int | None) -> None:
        self.reports = []
        self.seed = seed
        # How many reports it is settled of whether their findings fail the test.
        self._judged = 0

    def _judge(self) -> None:
        """Fails the test if sanitizers have found something since it was asked last."""
        __tracebackhide__ = True
        fresh = self.reports[self._judged :]
        self._judged = len(self.reports)
        found = [str(finding) for report in fresh for finding in report.findings]
        if found:
            pytest.fail("\n".join(found), pytrace=False)

    def __getattr__(self, name: str) -> Any:
        import margay

        return getattr(margay, name)

    @property
    def findings(self) -> list[Finding]:
        """What sanitizers have found so far."""
        return [finding for report in self.reports for finding in report.findings]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("margay", "PTX kernels")
    group.addoption(
        "--ptx-sanitize",
        nargs="?",
        const=",".join(SANITIZERS),
        metavar="NAMES",
        help="watch kernels of tests with the fixture `ptx` for memory, race, init, sync (all, or those named with commas), "
        "and fail tests in which something is found",
    )
    group.addoption(
        "--ptx-semantics",
        choices=("manual", "ptxas-13.5"),
        help="what launches, `eval` and `asm` compute in tests with the fixture `ptx` where NVIDIA's assembler makes something "
        "else of an instruction than the manual says",
    )
    group.addoption(
        "--ptx-approx",
        choices=("device", "rounded"),
        help="the results of approximate functions in tests with the fixture `ptx`: those of a device, or correctly rounded ones",
    )
    group.addoption(
        "--ptx-skip-unsupported",
        action="store_true",
        help="skip tests that end because margay does not run an instruction yet (`margay.Unsupported`)",
    )
    group.addoption(
        "--ptx-schedule-seeds",
        type=int,
        default=0,
        metavar="N",
        help="run each test with the fixture `ptx` under N other schedules of its kernels, too",
    )


def pytest_configure(config: pytest.Config) -> None:
    asked = sanitizers(config.getoption("--ptx-sanitize"))
    unknown = [name for name in asked if name not in SANITIZERS]
    if unknown:
        raise pytest.UsageError(f"--ptx-sanitize: there is no sanitizer `{unknown[0]}`: {', '.join(SANITIZERS)}")
    if config.getoption("--ptx-approx") is not None and config.getoption("--ptx-semantics") == "ptxas-13.5":
        raise pytest.UsageError("--ptx-approx does not go with --ptx-semantics ptxas-13.5: leave out one of them")
    if config.getoption("--ptx-schedule-seeds") < 0:
        raise pytest.UsageError("--ptx-schedule-seeds: the number is below 0")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    seeds = metafunc.config.getoption("--ptx-schedule-seeds")
    if "ptx" in metafunc.fixturenames and seeds:
        schedules: list[int | None] = [None, *range(1, seeds + 1)]
        names = ["schedule-default", *(f"schedule-{seed}" for seed in range(1, seeds + 1))]
        metafunc.parametrize("ptx", schedules, ids=names, indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    # pytest has called the test before, and this is not reached where that failed.
    handle = getattr(item, "funcargs", {}).get("ptx")
    if isinstance(handle, Ptx) and item.config.getoption("--ptx-sanitize"):
        handle._judge()


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
    outcome = yield
    error = outcome.excinfo[1] if outcome.excinfo else None
    if isinstance(error, Unsupported) and pyfuncitem.config.getoption("--ptx-skip-unsupported"):
        # Raised here, where pytest looks for it.
        try:
            pytest.skip(str(error))
        except pytest.skip.Exception as skipped:
            outcome.force_exception(skipped)


@pytest.fixture
def ptx(request: pytest.FixtureRequest) -> Iterator[Ptx]:
    """margay's functions for tests of kernels.

    All launches of the test, through the fixture or not, are watched as `--ptx-sanitize` says, and the test fails if something
    is found; with `--ptx-schedule-seeds N` it runs once more under each of N other schedules. `--ptx-semantics ptxas-13.5` computes
    what a device does where the manual says otherwise, `--ptx-approx rounded` rounds approximate functions correctly, `--ptx-skip-unsupported` skips tests of what margay does not run yet.
    """
    handle = Ptx(getattr(request, "param", None))
    chosen: dict[str, Any] = {"on_report": handle.reports.append}
    asked = request.config.getoption("--ptx-sanitize")
    if asked:
        chosen["sanitize"] = sanitizers(asked)
    if handle.seed is not None:
        chosen["schedule_seed"] = handle.seed
    semantics = request.config.getoption("--ptx-semantics")
    if semantics is not None:
        chosen["semantics"] = semantics
    approx = request.config.getoption("--ptx-approx")
    if approx is not None:
        chosen["approx"] = approx
    with options(**chosen):
        yield handle
    # Of launches by a test that failed otherwise, or by what was torn down since.
    if asked:
        handle._judge()
