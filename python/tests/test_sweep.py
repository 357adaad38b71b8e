"""Sweeps and Dask arrays: the same answer however the work is divided, on a cluster of two processes too."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import margay
import numpy as np
import pytest

LEFT = "vabsdiff4.u32.u32.u32 d, a, b, c"
RIGHT = "vsub4.u32.u32.u32.sat d, a, b, c"
VALUES = {"a": "0..1024:2", "b": range(0, 1024, 2), "c": 0}


def difference_of_bytes(a, b, c):
    """The instruction, in NumPy."""
    pairs = [x.view(np.uint8).reshape(-1, 4).astype(int) for x in (a, b)]
    return abs(pairs[0] - pairs[1]).astype(np.uint8).reshape(-1).view(np.uint32)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None
        ) as cluster, distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def whole():
    return margay.sweep(LEFT, RIGHT, VALUES)


def test_a_sweep_counts_differences_and_shows_the_first(whole):
    # Both go up by two, so two bytes of each: where a's byte is the smaller one, saturation gives 0.
    a, b = np.meshgrid(np.arange(0, 1024, 2, np.uint32), np.arange(0, 1024, 2, np.uint32), indexing="ij")
    a, b = a.ravel(), b.ravel()
    differ = difference_of_bytes(a, b, None) != margay.eval(RIGHT, a, b, 0)
    assert (whole.inputs, whole.differences) == (512 * 512, differ.sum()) and whole.missing == []
    first = np.flatnonzero(differ)[:10]
    assert [found["input"] for found in whole.first] == first.tolist()
    assert whole.first[0]["values"] == {"a": 0, "b": 2, "c": 0} and whole.first[0]["a"] == [2]
    assert str(whole).startswith(f"262144 inputs, {differ.sum()} differences\n")


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_the_digest_does_not_depend_on_shards_or_executors(client, whole, shards):
    on_cluster = margay.sweep(LEFT, RIGHT, VALUES, executor=client.get_executor(), shards=shards)
    assert on_cluster.digests == whole.digests and on_cluster == whole
    with ThreadPoolExecutor(2) as pool:
        assert margay.sweep(LEFT, RIGHT, VALUES, executor=pool, shards=shards).to_json() == whole.to_json()
    parts = [margay.sweep(LEFT, RIGHT, VALUES, shard=(number, shards)) for number in range(shards, 0, -1)]
    merged = sum(parts[1:], parts[0])
    assert merged == whole and margay.SweepReport.from_json(merged.to_json()) == whole
    if shards > 1:
        assert parts[0].missing and parts[0] != whole
        with pytest.raises(margay.CallError, match="in both reports"):
            merged + parts[0]


def test_a_function_of_pythons_is_compared_with_an_instruction(client):
    assert margay.sweep(LEFT, difference_of_bytes, VALUES).differences == 0
    wrong = margay.sweep(lambda a, b, c: a - b, LEFT, VALUES, executor=client.get_executor(), shards=3)
    assert wrong.differences > 0 and wrong.first[0]["a"] == [0xFFFFFFFE]
    two = margay.sweep("setp.lt.u32 p|q, a, b", lambda a, b: (a < b, a >= b), {"a": "0..300", "b": "0..300"})
    assert two.differences == 0
    asm = ("{ .reg .b32 t; shl.b32 t, $1, 1; add.u32 $0, t, $1; }", "=r,r")
    assert margay.sweep(asm, lambda a: a * 3, {"$1": "0..2^18"}).differences == 0


def test_readings_of_the_manual_are_compared():
    form = "vset.s32.u32.lt.max d, a, b, c"
    report = margay.sweep(form, form, sample=20_000, seed=3, semantics=("manual", "ptxas-13.5"))
    assert report.inputs == 20_000 and report.differences > 0
    assert margay.sweep(form, form, sample=20_000, semantics="ptxas-13.5").differences == 0


def test_approximate_functions_are_a_devices_or_correctly_rounded():
    rounded, approximate, values = "rcp.rn.f32 d, a", "rcp.approx.f32 d, a", {"a": 0x40FF82FE}
    choices = [(None, 1), ("device", 1), ("rounded", 0), (("rounded", "device"), 0), ((None, "rounded"), 1)]
    for approx, differences in choices:
        assert margay.sweep(approximate, rounded, values, approx=approx).differences == differences, approx
    both = margay.sweep(approximate, approximate, values, approx=("device", "rounded"))
    assert (both.first[0]["a"], both.first[0]["b"]) == ([0x3E003E9F], [0x3E003EA0])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: margay.sweep(abs, abs), "two functions cannot be compared"),
        (lambda: margay.sweep(5, abs), "cannot compare values of type `int`"),
        (lambda: margay.sweep(LEFT, RIGHT), r"there are 2\^96 inputs"),
        (lambda: margay.sweep(LEFT, RIGHT, {"x": 1}), "`x` is not an input"),
        (lambda: margay.sweep(LEFT, RIGHT, {"a": "5..5"}), "has no values"),
        (lambda: margay.sweep(LEFT, RIGHT, {"a": range(5, 5)}), "has no values"),
        (lambda: margay.sweep(LEFT, RIGHT, {"a": 1.5}), "is not a range of values"),
        (lambda: margay.sweep(LEFT, "add.u64 d, a, b", VALUES), "is `.u32` on one side and `.u64` on the other"),
        (lambda: margay.sweep(LEFT, RIGHT, VALUES, shard=(3, 2)), "there is no shard 3/2"),
        (lambda: margay.sweep(LEFT, RIGHT, VALUES, semantics=("manual", "x")), "there are no semantics `x`"),
        (lambda: margay.sweep(LEFT, RIGHT, VALUES, approx=("device", "x")), "there are no results `x`"),
        (lambda: margay.sweep(LEFT, RIGHT, VALUES, approx=("device",)), "are wanted for two sides"),
        (lambda: margay.sweep(LEFT, RIGHT, VALUES, approx="rounded", semantics="ptxas-13.5"), "does not go with"),
        (lambda: margay.sweep(LEFT, lambda a, b, c: a[1:], VALUES), "broadcast"),
        (lambda: margay.sweep(LEFT, lambda a, b, c: a / 2, VALUES), "gives `float64` for `d`"),
        (lambda: margay.sweep(LEFT, lambda a, b, c: (a, b), VALUES), "gives 2 results"),
        (lambda: margay.SweepReport.from_json("{}"), "not a sweep report"),
    ],
)
def test_wrong_sweeps_are_refused(call, message):
    wrong_type = any(words in message for words in ("cannot compare", "is not a range"))
    with pytest.raises(TypeError if wrong_type else ValueError, match=message):
        call()


def test_an_exception_of_the_function_comes_through():
    def broken(a, b, c):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        margay.sweep(LEFT, broken, VALUES)


def test_kernels_run_chunk_by_chunk(client, kernels):
    array = pytest.importorskip("dask.array")
    import margay.dask

    values = np.random.default_rng(5).integers(0, 1 << 32, (300, 200), np.uint32)
    chunked = array.from_array(values, chunks=(64, 100))
    module = margay.RawModule(code=ADD_SEVEN)
    kernel = module.get_function("add_seven")
    lazy = margay.dask.map_blocks(kernel, chunked)
    assert lazy.dtype == np.uint32 and lazy.shape == values.shape
    assert np.array_equal(lazy.compute(), values + 7)  # on the cluster
    assert np.array_equal(lazy.compute(scheduler="synchronous"), values + 7)
    swapped = margay.dask.map_blocks(kernel, chunked, arguments=out_last, block=64, engine="golden")
    assert np.array_equal(swapped[:64, :100].compute(), values[:64, :100] + 7)
    by_instruction = margay.dask.map_blocks("vadd4.u32.u32.u32 d, a, b, c", chunked, 7, 0)
    assert np.array_equal(by_instruction.compute(), margay.eval("vadd4.u32.u32.u32 d, a, b, c", values, 7, 0))
    with pytest.raises(margay.CallError, match="none of the inputs is a Dask array"):
        margay.dask.map_blocks(kernel, values)
    with pytest.raises(TypeError, match="cannot run a `RawModule` on chunks"):
        margay.dask.map_blocks(module, chunked)


def out_last(out, chunk):
    return (chunk, out, out.size)


def test_a_trap_on_the_cluster_is_a_trap_here(client):
    array = pytest.importorskip("dask.array")
    import margay.dask

    chunked = array.zeros(100, chunks=50, dtype=np.uint32)
    kernel = margay.RawModule(code=ADD_SEVEN).get_function("add_seven")
    with pytest.raises(margay.Trap) as caught:
        margay.dask.map_blocks(kernel, chunked, arguments=too_many).compute()
    assert caught.value.kind == "out of bounds" and caught.value.thread == (50, 0, 0)


def too_many(out, chunk):
    return (chunk, out, 1000)


ADD_SEVEN = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_seven(.param .u64 from, .param .u64 to, .param .u32 n) {
    .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    setp.ge.u32 %p, %r2, %r1;
    @%p ret;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.u32 %r5, [%rd1];
    add.u32 %r5, %r5, 7;
    st.global.u32 [%rd2], %r5;
}
"""


def test_options_that_are_called_otherwise_are_named():
    for wrong, message in [
        ({"random": 10}, "`random` is not an option of `sweep`\nhelp: `sample=N` draws N inputs at random"),
        ({"count": 10}, "`sample=N`"),
        ({"inputs": {"a": "0..4"}}, "third argument"),
        ({"colour": 1}, "there are semantics, approx, sample"),
    ]:
        with pytest.raises(TypeError, match=message):
            margay.sweep("add.u32 d, a, 1", "add.u32 d, a, 2", {"a": "0..4"}, **wrong)


def test_notebooks_show_a_table():
    report = margay.sweep("add.u32 d, a, 1", "add.u32 d, a, 2", {"a": "0..4"})
    html = report._repr_html_()
    assert html.startswith("<p>4 inputs, 4 differences</p><table>") and "0x00000003" in html
    same = margay.sweep("add.u32 d, a, 1", "add.u32 d, 1, a", {"a": "0..4"})
    assert same._repr_html_() == "<p>4 inputs, 0 differences</p>"


def test_a_template_that_loops_for_ever_ends_at_the_limit():
    forever = ("again: add.u32 $0, $1, 1; bra again;", "=r,r")
    with pytest.raises(margay.CallError, match="step limit"):
        margay.sweep(forever, ("add.u32 $0, $1, 1;", "=r,r"), {"$1": "0..4"}, max_steps=100000)
