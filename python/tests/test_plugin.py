"""The pytest plugin, seen by tests that use it."""

import pytest

TESTS = '''
import numpy as np
import pytest

CODE = """
.version 8.0
.target sm_80
.address_size 64
.entry clash(.param .u64 to) {
    .reg .b64 %rd; .reg .b32 %r;
    ld.param.u64 %rd, [to];
    mov.u32 %r, %tid.x;
    st.global.u32 [%rd], %r;
}
"""

def launch(module, threads):
    data = np.zeros(1, np.uint32)
    module.RawModule(code=CODE).get_function("clash")(1, threads, (data,))
    return int(data[0])

def test_alone(ptx):
    assert launch(ptx, 1) == 0 and len(ptx.reports) == 1

def test_together(ptx):
    import margay
    launch(margay, 32)
    assert ptx.reports[0].threads == 32

def test_order(ptx):
    assert launch(ptx, 32) == 31

def test_without():
    pass
'''


@pytest.fixture
def tests(pytester):
    pytester.makepyfile(TESTS)
    return pytester


def test_the_fixture_gives_margay_and_reports(tests):
    tests.runpytest_subprocess().assert_outcomes(passed=4)


def test_what_sanitizers_find_fails_the_test(tests):
    result = tests.runpytest_subprocess("--ptx-sanitize", "race,init")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*error: data race on 4 bytes*", "* | *st.global.u32 [[]%rd[]], %r;*"])
    tests.runpytest_subprocess("--ptx-sanitize=init").assert_outcomes(passed=4)


def test_a_test_repeats_under_several_schedules(tests):
    result = tests.runpytest_subprocess("-v", "--ptx-schedule-seeds", "5")
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] + outcomes["failed"] == 3 * 6 + 1
    # Only the result that depends on the order of threads is another one under another order.
    assert outcomes["failed"] >= 1
    failed = [line for line in result.outlines if "FAILED" in line and "::" in line]
    assert all("test_order[schedule-" in line and "default" not in line for line in failed)


@pytest.mark.parametrize(
    "option, message", [("--ptx-sanitize=rac", "no sanitizer `rac`"), ("--ptx-schedule-seeds=-1", "below 0")]
)
def test_wrong_options_are_said(tests, option, message):
    result = tests.runpytest_subprocess(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}*"])


MORE = '''
import pytest

@pytest.fixture
def late(ptx):
    yield
    launch(ptx, 32)

def test_late(late):
    pass

def test_failed_otherwise(ptx):
    launch(ptx, 32)
    assert False, "something else"

def test_float(ptx):
    code = ".version 8.1\\n.target sm_90\\n.entry k() { .reg .pred %p; .reg .b64 %d; multimem.red.add.u32 [%d], 1; ret; }"
    ptx.RawModule(code=code).get_function("k")(1, 1)

def test_semantics(ptx):
    assert ptx.eval("vset.s32.u32.lt.max d, a, b, c", 1, 2, 0x80000000) == 1

def test_reciprocal(ptx):
    assert ptx.eval("rcp.approx.f32 d, a", np.uint32(0x40FF82FE).view(np.float32)).view(np.uint32) == 0x3E003EA0

def test_long_way_down(ptx):
    ptx.RawModule(code=CODE).get_function("clash")[1, 1](None)
'''


@pytest.fixture
def more(pytester):
    pytester.makepyfile(TESTS.split("def test_alone")[0] + MORE)
    return pytester


def test_what_is_found_late_or_beside_another_failure_is_told_too(more):
    result = more.runpytest_subprocess("--ptx-sanitize", "-k", "test_late or test_failed_otherwise")
    result.assert_outcomes(passed=1, failed=1, errors=2)


def test_tests_of_what_margay_does_not_run_can_be_skipped(more):
    more.runpytest_subprocess("-k", "test_float").assert_outcomes(failed=1)
    result = more.runpytest_subprocess("-k", "test_float", "--ptx-skip-unsupported", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*`multimem.red.add.u32` is not run yet*"])


def test_the_semantics_of_a_device_can_be_chosen(more):
    more.runpytest_subprocess("-k", "test_semantics").assert_outcomes(failed=1, warnings=1)
    more.runpytest_subprocess("-k", "test_semantics", "--ptx-semantics=ptxas-13.5").assert_outcomes(passed=1)


def test_approximate_functions_can_be_rounded(more):
    more.runpytest_subprocess("-k", "test_reciprocal").assert_outcomes(failed=1)
    more.runpytest_subprocess("-k", "test_reciprocal", "--ptx-approx=rounded").assert_outcomes(passed=1)
    result = more.runpytest_subprocess("--ptx-approx=rounded", "--ptx-semantics=ptxas-13.5")
    result.stderr.fnmatch_lines(["*--ptx-approx does not go with --ptx-semantics ptxas-13.5*"])


def test_tracebacks_end_in_the_test(more):
    result = more.runpytest_subprocess("-k", "test_long_way_down")
    shown = [line for line in result.outlines if "_module.py" in line or "_options.py" in line]
    assert not shown and any("null pointer" in line for line in result.outlines), result.outlines
