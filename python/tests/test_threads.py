"""Launches of one module from several threads run side by side."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import margay
import numpy as np
import pytest

# More than any of these waits for, and few enough that a launch which waits in vain ends.
ENOUGH = 1_000_000_000

MEETING = """.version 8.0
.target sm_80
.address_size 64
.global .u32 here;
.global .u64 keep;
// Says that it has come, and waits until the other has.
.visible .entry meet(.param .u64 flags, .param .u32 own) {
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %rd1, [flags];
    ld.param.u32 %r1, [own];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    st.release.sys.global.u32 [%rd2], 1;
    xor.b32 %r2, %r1, 1;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd3, %rd1, %rd3;
again:
    ld.acquire.sys.global.u32 %r3, [%rd3];
    setp.eq.u32 %p, %r3, 0;
    @%p bra again;
}
// The same through a variable: waits until so many have come.
.visible .entry gather(.param .u32 n) {
    .reg .b32 %r<3>; .reg .pred %p;
    ld.param.u32 %r1, [n];
    red.global.add.u32 [here], 1;
again:
    ld.volatile.global.u32 %r2, [here];
    setp.lt.u32 %p, %r2, %r1;
    @%p bra again;
}
.visible .entry save(.param .u64 a) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [a];
    st.global.u64 [keep], %rd1;
}
.visible .entry use(.param .u64 out) {
    .reg .b64 %rd<3>; .reg .b32 %r<2>;
    ld.global.u64 %rd1, [keep];
    ld.global.u32 %r1, [%rd1];
    ld.param.u64 %rd2, [out];
    st.global.u32 [%rd2], %r1;
}
// Adds to the first word of each array in a table of addresses, and to one that all launches share.
.visible .entry each(.param .u64 table, .param .u32 n, .param .u64 sum) {
    .reg .b64 %rd<5>; .reg .b32 %r<4>; .reg .pred %p;
    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [n];
    setp.ge.u32 %p, %r1, %r2;
    @%p ret;
    ld.param.u64 %rd1, [table];
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u64 %rd3, [%rd1];
    ld.u32 %r3, [%rd3];
    add.u32 %r3, %r3, 1;
    st.u32 [%rd3], %r3;
    ld.param.u64 %rd4, [sum];
    red.global.add.u32 [%rd4], 1;
}
.visible .entry put(.param .u64 to, .param .u32 at, .param .u32 value) {
    .reg .b64 %rd<3>; .reg .b32 %r<3>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [at];
    ld.param.u32 %r2, [value];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r2;
}
"""


@pytest.fixture
def module():
    return margay.RawModule(code=MEETING)


@pytest.fixture
def running(module):
    """A launch that runs until it is told to end."""
    flags = margay.zeros(2)
    with ThreadPoolExecutor(1) as pool:
        launch = pool.submit(module.get_function("meet"), 1, 1, (flags, 0), max_steps=ENOUGH)
        while not (flags[0] or launch.done()):
            pass
        yield launch
        assert not launch.done()
        flags[1] = 1
        launch.result()


@pytest.mark.parametrize("engine", ["batch", "golden"])
def test_launches_that_wait_for_each_other_meet(module, engine):
    flags, meet, gather = margay.zeros(2), module.get_function("meet"), module.get_function("gather")
    with ThreadPoolExecutor(2) as pool:
        launches = [pool.submit(meet, 1, 1, (flags, k), engine=engine, max_steps=ENOUGH) for k in range(2)]
        assert [launch.result().threads for launch in launches] == [1, 1]
    with ThreadPoolExecutor(3) as pool:
        launches = [pool.submit(gather, 1, 1, (3,), engine=engine, max_steps=ENOUGH) for _ in range(3)]
        [launch.result() for launch in launches]
    assert module.get_global("here") == 3


def test_all_else_goes_on_while_a_launch_runs(module, running):
    out = margay.zeros(4)
    module.get_function("put")(1, 1, (out, 1, 5))
    assert out.tolist() == [0, 5, 0, 0]
    module.set_global("here", 7)
    module.get_function("gather")(1, 1, (8,))
    assert module.get_global("here") == 8
    with pytest.raises(margay.Trap) as trap:
        module.get_function("put")(1, 1, (out, 4, 5))
    assert trap.value.kind == "out of bounds" and "argument 1" in str(trap.value)
    assert not running.done()


def test_results_are_right_under_many_threads(module):
    each, total = module.get_function("each"), margay.zeros(1)

    def work(k):
        arrays = [margay.zeros(1) for _ in range(40)]
        table = np.array([array.ptr for array in arrays], np.uint64)
        for turn in range(60):
            options = {"engine": "golden"} if turn % 4 == 3 else {"workers": 1 + turn % 3}
            assert each(1, 64, (table, 40, total), **options).threads == 64
        assert all(array[0] == 60 for array in arrays)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert total[0] == 8 * 60 * 40


def test_a_trap_in_one_thread_leaves_the_others_alone(module):
    each = module.get_function("each")
    start = threading.Barrier(8)

    def work(k):
        array, sum_ = margay.zeros(1), margay.zeros(1)
        table = np.array([array.ptr] * 2, np.uint64)
        # Thread by thread, so that what comes before the trap is done.
        table[1] += 4 if k % 2 else 0
        start.wait()
        for turn in range(50):
            try:
                each(1, 2, (table, 2, sum_), engine="golden")
                assert k % 2 == 0
            except margay.Trap as trap:
                assert k % 2 and trap.kind == "out of bounds" and trap.thread == (1, 0, 0)
                assert f"{array.ptr + 4:#x}" in str(trap)
        return int(sum_[0]), int(array[0])

    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(work, range(8)))
    assert sums[::2] == [(100, 100)] * 4
    assert all(array == 50 for _, array in sums[1::2])


@pytest.mark.parametrize("make", ["own", "view", "plain", "view of plain"])
def test_an_array_that_only_running_launches_keep_has_ended(module, make):
    save, use, out = module.get_function("save"), module.get_function("use"), margay.zeros(1)
    flags = margay.zeros(2)
    z = margay.asarray([77, 78], np.uint32) if make in ("own", "view") else np.array([77, 78], np.uint32)
    z = z[:1] if "view" in make else z
    save(1, 1, (z,))
    with ThreadPoolExecutor(1) as pool:
        launch = pool.submit(module.get_function("meet"), 1, 1, (flags, 0), max_steps=ENOUGH)
        while not (flags[0] or launch.done()):
            pass
        use(1, 1, (out,))
        assert out[0] == 77
        other = z[:]
        del z
        gc.collect()
        if "view" not in make:
            use(1, 1, (out,))
        del other
        gc.collect()
        try:
            with pytest.raises(margay.Trap) as trap:
                use(1, 1, (out,))
        finally:
            flags[1] = 1
        launch.result()
    assert trap.value.kind == "use after free" and out[0] == 77


def test_stale_addresses_trap_under_many_threads(module):
    start, turns = threading.Barrier(8), threading.Lock()

    def work(k):
        # Those of one module take turns at its variable.
        whose, lock = (margay.RawModule(code=MEETING), threading.Lock()) if k % 2 else (module, turns)
        use, save = whose.get_function("use"), whose.get_function("save")
        start.wait()
        for turn in range(30):
            with lock:
                z, out = margay.asarray([1000 * k + turn], np.uint32), margay.zeros(1)
                save(1, 1, (z,))
                use(1, 1, (out,))
                assert out[0] == 1000 * k + turn
                del z
                with pytest.raises(margay.Trap) as trap:
                    use(1, 1, (out,))
                assert trap.value.kind == "use after free"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_copies_of_arrays_keep_what_others_have_written(module):
    # No launch can use this in place, and all that run have a copy.
    odd, flags, put = np.frombuffer(bytearray(41), np.uint8, 40, 1).view(np.uint32), margay.zeros(2), module.get_function("put")
    put(1, 1, (odd, 0, 1))
    with ThreadPoolExecutor(1) as pool:
        launch = pool.submit(module.get_function("meet"), 1, 1, (flags, 0), max_steps=ENOUGH)
        while not (flags[0] or launch.done()):
            pass
        put(1, 1, (odd, 1, 2))
        odd[2] = 3
        flags[1] = 1
        launch.result()
    assert odd.tolist() == [1, 2, 3] + [0] * 7

    def work(k):
        for turn in range(40):
            put(1, 1, (odd, k, 256 * turn + k))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert odd.tolist() == [256 * 39 + k for k in range(8)] + [0, 0]
