"""Launches: shapes of calls, arrays in place, scalars, structures, variables, reports."""

import ctypes
import enum
import os
import pickle
import signal
import time

import margay
import numpy as np
import pytest


def test_both_ways_of_calling_do_the_same(kernels):
    raise_ = kernels.get_function("raise")
    one, other = (np.arange(100, dtype=np.uint32) for _ in range(2))
    report = raise_((4, 1, 1), (32, 1, 1), (one, 5, 100), shared_mem=0)
    raise_[4, 32](other, 5, 100)
    assert np.array_equal(one, np.arange(5, 105)) and np.array_equal(one, other)
    assert report.threads == 128 and report.instructions == 100 * 16 + 28 * 9 and report.engine == "batch"
    assert raise_[(4,), [32]](other, np.int8(-5), np.uint64(100)).handed_over == 0
    assert np.array_equal(other, np.arange(100))


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16", "?", "S4", "<M8[s]", "u4,f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_type_and_contiguous_shape_are_used_in_place(kernels, dtype, order):
    source = np.random.default_rng(1).integers(0, 2, 12 * np.dtype(dtype).itemsize, np.uint8)
    source = source.view(dtype).reshape((3, 4), order=order)
    target = np.zeros((3, 4), dtype, order=order)
    before = target.__array_interface__["data"]
    kernels.get_function("copy")(1, source.nbytes, (target, source))
    assert target.tobytes("A") == source.tobytes("A") and target.__array_interface__["data"] == before


@pytest.mark.parametrize("offset", range(16))
def test_arrays_may_begin_anywhere(kernels, offset):
    memory = np.zeros(96, np.uint8)
    target, source = memory[offset : offset + 20], np.arange(1, 21, dtype=np.uint8)
    kernels.get_function("copy")(1, 20, (target, source))
    assert np.array_equal(target, source) and memory.sum() == source.sum()


def test_arrays_that_share_memory_share_it_in_the_kernel_too(kernels):
    memory = np.arange(40, dtype=np.uint8)
    kernels.get_function("copy")(1, 20, (memory[10:30], memory[:20]), engine="golden", workers=1)
    # Thread after thread: byte 10 to 19 become 0 to 9, and these are copied on.
    assert np.array_equal(memory, [*range(10), *range(10), *range(10), *range(30, 40)])
    kernels.get_function("copy")(1, 40, (memory, memory))
    with pytest.raises(margay.Trap, match="argument 1 and argument 2"):
        kernels.get_function("copy")(1, 31, (memory[10:30], memory[:20]))


def test_empty_arrays_and_null_pointers_have_no_bytes(kernels):
    with pytest.raises(margay.Trap, match="just past the end of argument 1") as caught:
        kernels.get_function("clash")(1, 1, (np.zeros(0, np.uint32),))
    assert caught.value.kind == "out of bounds"
    with pytest.raises(margay.Trap) as caught:
        kernels.get_function("clash")(1, 1, (None,))
    assert caught.value.kind == "null pointer" and caught.value.address == 0


def test_scalars_become_what_the_parameter_is(kernels):
    record = np.array([(7, 1.5)], dtype="u8,f8")[0]

    class Structure(ctypes.Structure):
        _fields_ = [("a", ctypes.c_uint64), ("b", ctypes.c_double)]

    for structure in (record, bytes(record.tobytes()), bytearray(record.tobytes()), Structure(7, 1.5)):
        to = np.zeros(40, np.uint8)
        kernels.get_function("kinds")(1, 1, (to, 200, -2, 0.1, np.float32(0.5), np.float32(2.0), structure))
        assert to[0] == 200 and to[2:4].view(np.int16) == -2
        assert to[4:8].view(np.float32) == np.float32(0.1) and to[8:16].view(np.float64) == 0.5
        assert to[16:20].view(np.float32) == 2.0 and to[24:].tobytes() == record.tobytes()
    to = np.zeros(40, np.uint8)
    kernels.get_function("kinds")(1, 1, (to, True, np.int64(3), 2, 10**300, -1, bytes(16)))
    assert to[0] == 1 and to[4:8].view(np.float32) == 2.0 and to[16:20].view(np.int32) == -1


def test_numbers_are_judged_alike_whatever_type_has_them(kernels):
    class Number(enum.IntEnum):
        LEAST, MOST = -(2**31), 2**32 - 1

    data = np.zeros(1, np.uint32)
    for by in (-(2**31), 2**32 - 1):
        for number in (by, np.int64(by), Number(by), Index(by)):
            data[0] = 0
            kernels.get_function("raise")(1, 1, (data, number, np.array(1)[()]))
            assert data[0] == by % 2**32, number
    for by in (-(2**31) - 1, 2**32, 2**63, -(2**64), 2**200):
        for number in (by, Index(by)):
            with pytest.raises(margay.LaunchError, match="does not fit `.u32`"):
                kernels.get_function("raise")(1, 1, (data, number, 1))
    for number in (1.0, np.float32(1.0)):
        with pytest.raises(TypeError, match="`1.0` is not an integer"):
            kernels.get_function("raise")(1, 1, (data, number, 1))


class Index:
    """A number by `__index__` alone."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="older NumPy takes others' memory only to read")
def test_arrays_of_other_libraries_come_by_dlpack(kernels):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    data = np.zeros(4, np.uint32)
    kernels.get_function("raise")(1, 4, (Tensor(data), 3, 4))
    assert data.tolist() == [3, 3, 3, 3]


def test_variables_keep_their_values_between_launches(kernels):
    module = margay.RawModule(code=b"%s\0" % _text(kernels))
    assert module.variables == ["total", "table"]
    data = np.zeros(8, np.uint32)
    for _ in range(3):
        module.get_function("raise")(1, 8, (data, 1, 8))
    assert module.get_global("total") == 24
    module.set_global("total", 2)
    assert module.get_global("total").dtype == np.uint32 and module.get_global("total") == 2
    assert module.get_global("table").tolist() == [[1, 2, 3], [4, 5, -6]]
    module.set_global("table", np.full((2, 3), -1, np.int32))
    assert module.get_global("table", np.uint16).tolist() == [65535] * 12
    with pytest.raises(margay.LaunchError, match="variable `total` has 4 bytes, and 8 are given"):
        module.set_global("total", bytes(8))
    with pytest.raises(margay.LaunchError, match="the value of variable `total`"):
        module.set_global("total", 1 << 32)
    with pytest.raises(margay.LaunchError, match="it has `total`, `table`"):
        module.get_global("totl")


def _text(module):
    return module._source[0]


def test_a_report_tells_what_the_launch_did(kernels):
    data = np.zeros(64, np.uint32)
    report = kernels.get_function("raise")(2, 32, (data, 1, 64), profile=True)
    assert report.kernel == "raise" and report.seconds > 0 and report.printed == "" and report.findings == []
    assert report.profile["blocks"][0]["threads"] == 64
    assert "ran 64 threads" in repr(report) and str(report).startswith("raise of <ptx>: grid 2, block 32")
    assert report.fidelity is None
    plain = kernels.get_function("raise")(2, 32, (data, 1, 64))
    assert plain.profile is None and plain.fidelity is None
    report = kernels.get_function("raise")(2, 32, (data, 1, 64), fidelity=True)
    assert report.profile is None
    assert [group["name"] for group in report.fidelity["groups"]] == ["exact"] and "fidelity\n" in str(report)
    report = kernels.get_function("clash")(1, 2, (data,), sanitize=True)
    (finding,) = report.findings
    assert finding.sanitizer == "race" and finding.acts[1].thread == (1, 0, 0) and finding.acts[0].line > 1
    assert "st.global.u32 [%rd], %r;" in str(finding) and report.engine_reason == "sanitizers were requested"
    for engine in ("batch", "golden"):
        assert kernels.get_function("clash")(1, 2, (data,), engine=engine, sanitize="init,sync").findings == []


def test_what_kernels_print_is_printed(capsys):
    module = margay.RawModule(
        code="""
        .version 8.0 .target sm_80 .address_size 64
        .extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
        .global .align 1 .b8 text[4] = {104, 105, 10, 0};
        .entry hello() {
            .reg .b64 %rd; .reg .b32 %r;
            mov.u64 %rd, text;
            cvta.global.u64 %rd, %rd;
            { .param .b64 a; .param .b64 b; .param .b32 c;
              st.param.b64 [a], %rd; st.param.b64 [b], 0;
              call.uni (c), vprintf, (a, b); }
        }"""
    )
    assert module.get_function("hello")(1, 2).printed == "hi\nhi\n"
    assert capsys.readouterr().out == "hi\nhi\n"


def test_dynamic_shared_memory_and_seeds_reach_the_launch(kernels):
    data = np.zeros(1, np.uint32)
    kernels.get_function("dynamic")(1, 1, (data,), shared_mem=640)
    assert data[0] == 640
    seen = set()
    for seed in range(8):
        kernels.get_function("last")(1, 32, (data,), schedule_seed=seed)
        seen.add(int(data[0]))
    assert len(seen) > 1


def test_clusters_reach_the_launch():
    module = margay.RawModule(code="""
        .version 8.0
        .target sm_90
        .address_size 64
        .entry ranks(.param .u64 out) {
            .reg .b32 %r<3>;
            .reg .b64 %rd<3>;
            ld.param.u64 %rd0, [out];
            mov.u32 %r0, %ctaid.x;
            mov.u32 %r1, %cluster_ctarank;
            mul.wide.u32 %rd1, %r0, 4;
            add.u64 %rd0, %rd0, %rd1;
            st.global.u32 [%rd0], %r1;
        }""")
    ranks = module.get_function("ranks")
    for cluster, wanted in [(None, [0, 0, 0, 0]), (2, [0, 1, 0, 1]), ((4, 1), [0, 1, 2, 3])]:
        data = np.zeros(4, np.uint32)
        ranks(4, 1, (data,), cluster=cluster)
        assert data.tolist() == wanted
    with pytest.raises(margay.LaunchError, match="are not whole clusters of 3"):
        ranks(4, 1, (np.zeros(4, np.uint32),), cluster=3)


def test_options_hold_for_a_while(kernels):
    reports = []
    data = np.zeros(1, np.uint32)
    with margay.options(engine="golden", on_report=reports.append):
        kernels.get_function("clash")(1, 1, (data,))
        with margay.options(sanitize="race"):
            kernels.get_function("clash")[1, 2](data)
        kernels.get_function("clash")(1, 1, (data,), engine="batch")
    assert [report.engine for report in reports] == ["golden", "golden", "batch"]
    assert len(reports[1].findings) == 1
    assert kernels.get_function("clash")(1, 1, (data,)).engine == "batch"


def test_modules_are_read_from_files_and_travel(tmp_path, kernels):
    file = tmp_path / "k.ptx"
    file.write_bytes(_text(kernels))
    for module in (margay.RawModule(file), margay.RawModule(str(file)), margay.RawModule(path=file)):
        assert module.kernels == kernels.kernels and str(file) in repr(module)
    module = pickle.loads(pickle.dumps(module))
    assert (module.version, module.target) == ("8.0", "sm_80")
    kernel = pickle.loads(pickle.dumps(module.get_function("raise")))
    assert kernel.parameters[1].text == ".u32 by" and kernel.parameters[0].size == 8
    assert repr(kernel) == "<Kernel raise(.u64 data, .u32 by, .u32 n)>"


def test_a_module_is_judged_for_a_target():
    text = ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r<2>; add.u16x2 %r0, %r1, %r1; }"
    assert margay.RawModule(code=text).kernels == ["k"]
    with pytest.raises(margay.PtxError, match="needs target sm_90"):
        margay.RawModule(code=text, target="sm_80")


def test_lines_that_ptxas_computes_otherwise_are_told():
    text = """.version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>;
    vset.s32.u32.lt.max %r0, %r1, %r2, %r3; }"""
    ((line, told),) = margay.RawModule(code=text).get_function("k").errata
    assert line == 4 and "ptxas 13.5" in told


def test_any_number_of_launches_finds_room(kernels):
    # Together they would take 20 TiB of a device's addresses, of which there are 16; the host gives memory where it is touched.
    data = np.empty(1 << 30, np.uint8)
    texts = set()
    for _ in range(10_000):
        kernels.get_function("clash")(1, 1, (data,))
    for _ in range(2):
        with pytest.raises(margay.Trap) as caught:
            kernels.get_function("clash")(1, 1, (data[1:2],))
        texts.add(str(caught.value))
    assert len(texts) == 1, "addresses repeat"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_process_launches_although_it_has_none_of_the_threads_that_help(kernels):
    raise_ = kernels.get_function("raise")

    def goes_well():
        values = np.arange(1 << 22, dtype=np.uint32)
        raise_[1 << 14, 256](values, 5, values.size)
        return np.array_equal(values, np.arange(5, 5 + values.size))

    # The second launch finds threads that the first one has left.
    assert goes_well() and goes_well()
    child = os.fork()
    if child == 0:
        os._exit(0 if goes_well() and goes_well() else 1)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child waits for threads that it does not have")
        time.sleep(0.01)
    assert ended[1] == 0 and goes_well()


def test_a_report_tells_what_stands_behind_results():
    text = """.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 to) {
    .reg .u64 %rd; .reg .f32 %f<3>;
    ld.param.u64 %rd, [to];
    ld.global.f32 %f0, [%rd];
    rcp.approx.f32 %f1, %f0;
    tanh.approx.f32 %f2, %f1;
    st.global.f32 [%rd], %f2;
    ret;
}"""
    kernel = margay.RawModule(code=text).get_function("k")
    groups = kernel(1, 1, (np.ones(1, np.float32),), fidelity=True).fidelity["groups"]
    assert [group["name"] for group in groups] == ["exact", "device"]
    assert groups[1]["places"] == [
        {"line": 8, "instruction": "rcp.approx.f32 %f1, %f0;", "threads": 1},
        {"line": 9, "instruction": "tanh.approx.f32 %f2, %f1;", "threads": 1},
    ]
    groups = kernel(1, 1, (np.ones(1, np.float32),), fidelity=True, approx="rounded").fidelity["groups"]
    assert [group["name"] for group in groups] == ["exact", "rounded"]
