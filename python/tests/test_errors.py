"""What goes wrong is said, each time with what to do instead; nothing ends the interpreter."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import margay
import numpy as np
import pytest


def data():
    return np.zeros(8, np.uint32)


def read_only():
    array = data()
    array.flags.writeable = False
    return array


WRONG_CALLS = [
    ("raise", (1, 8, (data(), 1)), "kernel `raise` takes 3 arguments, but 2 are given\nhelp: it takes `.u64 data`"),
    ("raise", (1, 8, (data(), 1, 2, 3)), "kernel `raise` takes 3 arguments, but 4 are given"),
    ("raise", (1, 8, (data(), 1 << 32, 8)), "`4294967296` does not fit `.u32`\nhelp: it takes -2147483648 to 4294967295"),
    ("raise", (1, 8, (data(), 10**50, 8)), "does not fit `.u32`"),
    ("raise", (1, 8, (data(), b"12345", 8)), r"argument 2 has 5 bytes, but `.u32 by` has 4"),
    ("raise", (1, 8, (data()[::2], 1, 4)), "the array is not contiguous\nhelp: pass `np.ascontiguousarray"),
    ("raise", (1, 8, (np.zeros((4, 4))[:, 1:3], 1, 4)), "the array is not contiguous"),
    ("raise", (1, 8, (np.zeros(4, object), 1, 4)), "array of Python objects"),
    ("raise", (1, 8, (np.zeros(4, ">u4"), 1, 4)), "the bytes of `>u4` are swapped"),
    ("raise", (1, 8, (np.zeros(4, [("a", ">u4")]), 1, 4)), "are swapped"),
    ("kinds", (1, 1, (data(), -200, 0, 0, 0, 0, bytes(16))), "`-200` does not fit `.u8`\nhelp: it takes -128 to 255"),
    ("kinds", (1, 1, (data(), 0, 40000, 0, 0, 0, bytes(16))), "`40000` does not fit `.s16`"),
    ("kinds", (1, 1, (data(), 0, 0, 1e300, 0, 0, bytes(16))), "does not fit `.f32`\nhelp: it is too large"),
    ("kinds", (1, 1, (data(), 0, 0, 0, 0, 0, bytes(15))), r"argument 7 has 15 bytes, but `.b8 f\[16\]` has 16"),
    ("endless", (0, 1), "the grid has an extent of 0 in x\nhelp: use 1 to 2147483647"),
    ("endless", (-1, 1), "the grid has an extent of -1"),
    ("endless", (1 << 31, 1), "the grid has an extent of 2147483648 in x"),
    ("endless", (10**30, 1), "the grid has an extent of 10000"),
    ("endless", ((1 << 30, 65535, 65535), 1024), "the grid has more than 2\\^64 threads"),
    ("endless", (1, 1025), "the block has an extent of 1025 in x\nhelp: use 1 to 1024"),
    ("endless", ((1, 2, 3, 4), 1), r"`\(1, 2, 3, 4\)` is not a grid"),
    ("endless", ((), 1), r"`\(\)` is not a grid"),
]


# What is of a wrong type, with the kernel and the call.
WRONG_TYPES = [
    ("raise", (1, 8, (data(), "1", 8)), r"argument 2 \(`.u32 by`\): cannot pass a `str` to a kernel\nhelp: pass a NumPy array"),
    ("raise", (1, 8, ([1, 2], 1, 8)), r"argument 1 \(`.u64 data`\): cannot pass a `list` to a kernel"),
    ("raise", (1, 8, (data(), 1.5, 8)), r"`1.5` is not an integer\nhelp: pass `int\(1.5\)`"),
    ("raise", (1, 8, (data(), 2.0, 8)), r"`2.0` is not an integer\nhelp: pass `int\(2.0\)`"),
    ("raise", (1, 8, (data(), np.float32(1), 8)), "`1.0` is not an integer"),
    ("raise", (1, 8, (data(), data(), 8)), r"argument 2 \(`.u32 by`\): cannot pass an array where a number is wanted\nhelp: pass a"),
    ("raise", (1, 8, (data(), np.array(2), 8)), "cannot pass an array where a number is wanted"),
    ("raise", (1, 8, (data(), None, 8)), r"argument 2 \(`.u32 by`\): cannot pass `None` where no address fits"),
    ("raise", (1, 8, data()), "arguments must be a tuple"),
    ("kinds", (1, 1, (data(), 0, 0, 0, 0, 1.5, bytes(16))), r"to pass its bits, pass `np.float32\(1.5\)`"),
    ("kinds", (1, 1, (data(), 0, 0, 0, 0, 0, 5)), "cannot pass `int` where a structure is wanted\nhelp: pass 16 bytes, or a NumPy record"),
    ("kinds", (1, 1, (data(), 0, 0, 0, 0, 0, data())), "a structure is passed by value"),
    ("kinds", (1, 1, (data(), 0, 0, 0, 0, 0, None)), "cannot pass `None`"),
    ("endless", (1, "x"), "`'x'` is not an extent of the block"),
    ("endless", (1, None), "`None` is not a block"),
    ("endless", (1, 1.0), "`1.0` is not a block"),
    ("endless", ((1, 2.5), 1), "`2.5` is not an extent of the grid"),
]


@pytest.mark.parametrize("name, call, message", WRONG_TYPES, ids=[c[2][-30:] for c in WRONG_TYPES])
def test_what_is_of_a_wrong_type_is_a_type_error(kernels, name, call, message):
    with pytest.raises(TypeError, match=message):
        kernels.get_function(name)(*call)


@pytest.mark.parametrize("name, call, message", WRONG_CALLS, ids=[c[2][:30] for c in WRONG_CALLS])
def test_wrong_calls_are_refused_before_anything_runs(kernels, name, call, message):
    with pytest.raises(margay.LaunchError, match=message):
        kernels.get_function(name)(*call)


WRONG_OPTIONS = [
    ({"engine": "fast"}, margay.LaunchError, "there is no engine `fast`\nhelp: write `batch` or `golden`"),
    ({"simd": "mmx"}, margay.LaunchError, "unknown level `mmx`"),
    ({"semantics": "nvcc"}, margay.LaunchError, "there are no semantics `nvcc`"),
    ({"approx": "exact"}, margay.LaunchError, "there are no results `exact` of approximate functions\nhelp: write `device` or"),
    ({"approx": "rounded", "semantics": "ptxas-13.5"}, margay.LaunchError, "does not go with `semantics=\"ptxas-13.5\"`\nhelp: leave"),
    ({"approx": "device", "semantics": "ptxas-13.5"}, margay.LaunchError, "`approx=\"device\"` does not go with"),
    ({"approx": 5}, TypeError, "`approx=5` is not a name"),
    ({"sanitize": "rac"}, margay.LaunchError, "there is no sanitizer `rac`"),
    ({"workers": -1}, margay.LaunchError, "`workers=-1` is out of range"),
    ({"max_steps": 1 << 64}, margay.LaunchError, "is out of range"),
    ({"shared_mem": 1 << 62}, margay.LaunchError, "shared memory"),
    ({"shared_mem": 2.5}, TypeError, "`shared_mem=2.5` is not an integer"),
    ({"engine": 5}, TypeError, "`engine=5` is not a name"),
    ({"semantics": None}, TypeError, "`semantics=None` is not a name"),
    ({"engin": "batch"}, TypeError, "`engin` is not an option of a launch\nhelp: did you mean `engine`?"),
    ({"stream": 0}, TypeError, "`stream` is not an option of a launch\nhelp: there are shared_mem, engine"),
]


@pytest.mark.parametrize("options, error, message", WRONG_OPTIONS, ids=[str(c[0]) for c in WRONG_OPTIONS])
def test_wrong_options_are_refused(kernels, options, error, message):
    with pytest.raises(error, match=message):
        kernels.get_function("endless")(1, 1, **options)
    if error is TypeError and "is not an option" in message:
        with pytest.raises(TypeError, match=message.split("\n")[0]), margay.options(**options):
            pass


def test_what_margay_does_not_run_can_be_told_from_what_is_wrong():
    code = ".version 8.1\n.target sm_90\n.entry k() { .reg .pred %p; .reg .b64 %d; multimem.red.add.u32 [%d], 1; ret; }"
    with pytest.raises(margay.Unsupported, match="`multimem.red.add.u32` is not run yet") as caught:
        margay.RawModule(code=code).get_function("k")(1, 1)
    assert caught.value.code == "P902" and isinstance(caught.value, margay.LaunchError)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.code, copy.help) == (margay.Unsupported, "P902", caught.value.help)
    for compute in (lambda: margay.eval("multimem.ld_reduce.add.u32 d, [a]", 1), lambda: margay.asm("multimem.ld_reduce.add.u32 $0, [$1];", "=r,l", 1)):
        with pytest.raises(margay.Unsupported, match="`multimem.ld_reduce.add.u32` is legal, but margay does not run it yet") as caught:
            compute()
        assert caught.value.code == "P902"
    # A function without a body is nobody's lack but the text's.
    code = ".version 8.0\n.target sm_80\n.extern .func f();\n.entry k() { call f; ret; }"
    with pytest.raises(margay.LaunchError) as caught:
        margay.RawModule(code=code).get_function("k")(1, 1)
    assert type(caught.value) is margay.LaunchError and caught.value.code == "P903"


def test_calls_that_launch_nothing_are_wrong_in_another_way():
    for call in (
        lambda: margay.eval("add.u32 d, a, b", 1),
        lambda: margay.eval("add.u32 d, a, b", 1 << 40, 2),
        lambda: margay.explain("vad4"),
        lambda: margay.forms("vad4"),
        lambda: margay.check("x;", target="sm_1000"),
        lambda: margay.sweep("add.u32 d, a, b", "add.u32 d, a, c"),
    ):
        with pytest.raises(margay.CallError) as caught:
            call()
        assert not isinstance(caught.value, margay.LaunchError) and not str(caught.value).startswith("error")
    with pytest.raises(margay.CallError, match="launch that: `margay.RawModule"):
        margay.eval("ld.global.u32 d, [a]", 1)
    for call in (
        lambda: margay.eval(5, 1, 2),
        lambda: margay.eval("add.u32 d, a, b", 1.5, 2),
        lambda: margay.eval("add.u32 d, a, b", "x", 2),
        lambda: margay.eval("add.u32 d, a, b", 1, 2, out=[5]),
        lambda: margay.asm("mov.u32 $0, $1;", "=r,n", 1.5),
        lambda: margay.sweep(5, "add.u32 d, a, 1"),
    ):
        with pytest.raises(TypeError):
            call()


def test_names_that_are_not_there(kernels, tmp_path):
    with pytest.raises(margay.LaunchError, match="no kernel `rise`\nhelp: it has `raise`, `copy`"):
        kernels.get_function("rise")
    with pytest.raises(FileNotFoundError):
        margay.RawModule(code="no_such_file.ptx")
    with pytest.raises(IsADirectoryError):
        margay.RawModule(path=tmp_path)
    with pytest.raises(TypeError, match="give one of"):
        margay.RawModule()
    with pytest.raises(TypeError, match="give one of"):
        margay.check()
    with pytest.raises(TypeError, match="kernel\\[grid, block\\]"):
        kernels.get_function("raise")[1, 2, 3]
    with pytest.raises(TypeError):
        margay.RawModule(code=5)
    with pytest.raises(AttributeError, match="no attribute `Rawmodule`; did you mean `RawModule`?"):
        margay.Rawmodule  # noqa: B018


BROKEN = """.version 8.0
.target sm_80
.entry k() {
    .reg .u32 %r<4>;
    add.u32 %r1, %r2, %r9;
    retn;
}"""


def test_all_errors_of_a_text_come_at_once():
    with pytest.raises(margay.PtxError) as caught:
        margay.RawModule(code=BROKEN)
    first, second = caught.value.diagnostics
    assert (first.code, first.severity, first.line, first.column) == ("P201", "error", 5, 23)
    assert first.message == "register `%r9` is not declared" and first.labels[1].line == 4
    assert second.help == "did you mean `ret`?" and (second.labels[0].column, second.labels[0].end_column) == (5, 9)
    assert str(second).startswith("error[P301]: unknown instruction `retn`\n --> <ptx>:6:5\n")
    assert str(first) in str(caught.value) and str(second) in str(caught.value)
    assert margay.check(BROKEN) == [first, second] and repr(second).startswith("<error[P301] at 6:5")
    assert isinstance(caught.value, ValueError)


def test_the_text_is_the_commands(tmp_path):
    """Holds the texts of errors against the command, where it has been built."""
    command = os.environ.get("MARGAY_COMMAND")
    if not command:
        pytest.skip("MARGAY_COMMAND names no command to compare with")
    file = tmp_path / "k.ptx"
    file.write_text(BROKEN)
    printed = subprocess.run([command, "check", file], capture_output=True, text=True).stderr
    with pytest.raises(margay.PtxError) as caught:
        margay.RawModule(file)
    assert printed.startswith(str(caught.value))
    file.write_text(BROKEN.replace("%r9", "%r3").replace("retn", "trap"))
    printed = subprocess.run([command, "run", file], capture_output=True, text=True).stderr
    with pytest.raises(margay.Trap) as trap:
        margay.RawModule(file).get_function("k")(1, 1)
    assert f"\nerror: {trap.value}" in printed


@pytest.mark.parametrize("text", ["", "\0", "\ud800;", "é {", b"\xff\xfe{", ".version 8.0\n" + "{" * 10000, b"\x7fELF"])
def test_no_text_harms(text):
    with pytest.raises(margay.PtxError) as caught:
        margay.RawModule(code=text)
    assert caught.value.diagnostics and margay.check(text)


def test_a_trap_says_where_and_why(kernels):
    array = data()
    with pytest.raises(margay.Trap) as caught:
        kernels.get_function("raise")((2, 1, 1), (6, 1, 1), (array, 1, 100))
    trap = caught.value
    assert (trap.kind, trap.kernel, trap.function) == ("out of bounds", "raise", "raise")
    assert (trap.thread, trap.block) == ((2, 0, 0), (1, 0, 0))
    assert trap.instruction == "ld.global.u32 %r6, [%rd1];" and trap.line == 23
    assert trap.reason.startswith("out of bounds: read of 4 bytes at 0x80")
    assert "just past the end of argument 1 (32 bytes at 0x80" in trap.reason
    assert f"{trap.address:#x}" in trap.reason and "--> <ptx>:23:5" in str(trap)
    assert str(trap).startswith("kernel `raise` stopped: out of bounds")
    assert array.sum() > 0, "what was written before stays written"
    copy = pickle.loads(pickle.dumps(trap))
    assert (str(copy), copy.thread, copy.line) == (str(trap), trap.thread, trap.line)


def test_arrays_that_are_only_read_are_not_written(kernels):
    array = read_only()
    with pytest.raises(margay.Trap, match="write to read-only memory") as caught:
        kernels.get_function("raise")(1, 8, (array, 1, 8))
    assert caught.value.kind == "locked" and not array.any()
    unaligned = np.frombuffer(bytes(33), np.uint8, 32, 1)
    with pytest.raises(margay.Trap, match="an array that is only read"):
        kernels.get_function("raise")(1, 8, (unaligned, 1, 8))
    target = np.ones(8, np.uint32)
    kernels.get_function("copy")(1, 32, (target, array))
    assert not target.any()


def test_errors_travel_between_processes():
    for error in (margay.LaunchError("x", "y"), margay.PtxError("x"), margay.LaunchError("x")):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy)) == (type(error), str(error))
    assert margay.LaunchError("x", "y").help == "y" and str(margay.LaunchError("x", "y")) == "x\nhelp: y"


def test_a_step_limit_ends_an_endless_kernel(kernels):
    with pytest.raises(margay.Trap, match="hit the step limit of 1000") as caught:
        kernels.get_function("endless")(1, 1, max_steps=1000)
    assert caught.value.kind == "step limit" and caught.value.address is None


@pytest.fixture
def interrupts():
    """Ctrl-C interrupts, also where the tests were started in the background: there shells have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("engine", ["batch", "golden"])
def test_ctrl_c_ends_an_endless_kernel(kernels, interrupts, engine):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kernels.get_function("endless")(4, 64, engine=engine)
    timer.join()
    # The module can be used as before.
    array = data()
    kernels.get_function("raise")(1, 8, (array, 1, 8))
    assert array.tolist() == [1] * 8


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("judge", [margay.check, margay.RawModule])
def test_ctrl_c_ends_the_judging_of_a_large_text(interrupts, judge):
    head = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<3>;\n"
    text = head + "add.u32 %r0, %r1, %r2;\n" * 400_000 + "}"
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        judge(text)
    timer.join()
    # All of it takes many times as long.
    assert time.process_time() - begun < 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_the_launch_of_its_thread_alone(kernels, interrupts):
    module, ended = margay.RawModule(code=kernels._source[0]), []

    def other():
        with pytest.raises(margay.Trap, match="hit the step limit"):
            module.get_function("endless")(1, 1, engine="golden", max_steps=100_000_000)
        ended.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        module.get_function("endless")(4, 64)
    assert thread.is_alive() and not ended
    thread.join()
    assert ended


def test_other_threads_run_while_a_kernel_does(kernels):
    module = margay.RawModule(code=kernels._source[0])
    stopped = []

    def endless():
        with pytest.raises(margay.Trap):
            module.get_function("endless")(1, 1, engine="golden", max_steps=30_000_000)
        stopped.append(True)

    thread = threading.Thread(target=endless)
    thread.start()
    turns = 0
    while not stopped:
        turns += 1
        time.sleep(0)
    thread.join()
    assert turns > 100


def test_threads_may_launch_at_once(kernels):
    module = margay.RawModule(code=kernels._source[0])
    arrays = [np.zeros(1000, np.uint32) for _ in range(8)]

    def work(array):
        for _ in range(25):
            module.get_function("raise")(8, 128, (array, 2, 1000))
            kernels.get_function("raise")(8, 128, (array, 1, 1000))

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all((array == 75).all() for array in arrays)
    assert module.get_global("total") == 8 * 25 * 1000
