"""Addresses of arrays: as long as the array lives, and never another's after that."""

import gc

import margay
import numpy as np
import pytest

POINTERS = """.version 8.0
.target sm_80
.address_size 64
.global .u64 keep;
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
.visible .entry where(.param .u64 a, .param .u64 b, .param .u64 out) {
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [out];
    st.global.v2.u64 [%rd3], {%rd1, %rd2};
}
// Adds 100 to the first word of each array in a table of addresses.
.visible .entry each(.param .u64 table, .param .u32 n) {
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [n];
    setp.ge.u32 %p, %r1, %r2;
    @%p ret;
    ld.param.u64 %rd1, [table];
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u64 %rd3, [%rd1];
    ld.u32 %r3, [%rd3];
    add.u32 %r3, %r3, 100;
    st.u32 [%rd3], %r3;
}
"""


@pytest.fixture
def kernels():
    module = margay.RawModule(code=POINTERS)
    return {name: module.get_function(name) for name in module.kernels}


def one(value):
    return margay.asarray([value], np.uint32)


@pytest.mark.parametrize("make", [one, lambda value: np.array([value], np.uint32)])
@pytest.mark.parametrize("engine", ["batch", "golden"])
def test_an_address_lives_as_long_as_its_array(kernels, make, engine):
    z, out = make(77), make(0)
    kernels["save"](1, 1, (z,), engine=engine)
    kernels["use"](1, 1, (out,), engine=engine)
    assert out[0] == 77
    z[0] = 78
    kernels["use"](1, 1, (out,), engine=engine)
    assert out[0] == 78
    del z
    gc.collect()
    others = [make(k) for k in range(100)]
    for other in others:
        kernels["where"](1, 1, (other, other, np.zeros(2, np.uint64)))
    with pytest.raises(margay.Trap, match="the array that had this address") as trap:
        kernels["use"](1, 1, (out,), engine=engine)
    assert trap.value.kind == "use after free" and "was freed" in str(trap.value)
    assert out[0] == 78


def test_addresses_are_those_of_the_memory_in_every_module(kernels):
    a, out = np.arange(20, dtype=np.uint32), np.zeros(2, np.uint64)
    other = margay.RawModule(code=POINTERS).get_function("where")
    kernels["where"](1, 1, (a, a[4:], out))
    assert out[1] - out[0] == 16
    first = int(out[0])
    other(1, 1, (a[8:12].reshape(2, 2), a[::1], out))
    assert out.tolist() == [first + 32, first]
    assert margay.asarray(a).ptr == first and margay.asarray(a)[3:].ptr == first + 12
    assert margay.asarray(np.frombuffer(a.data, np.uint32, 2, 16)).ptr == first + 16
    b = a.copy()
    other(1, 1, (a, b, out))
    assert out[0] == first and abs(int(out[1]) - first) >= 4096


def test_arrays_of_pointers(kernels):
    arrays = [one(k) for k in range(50)]
    plain = [np.full(3, k, np.uint32) for k in range(50)]
    table = np.array([a.ptr for a in arrays] + [margay.asarray(a).ptr for a in plain], np.uint64)
    gc.collect()
    kernels["each"](1, 128, (table, 100))
    assert [int(a[0]) for a in arrays] == list(range(100, 150))
    assert [a.tolist() for a in plain] == [[100 + k, k, k] for k in range(50)]
    del arrays[7]
    gc.collect()
    with pytest.raises(margay.Trap, match="the array that had this address") as trap:
        kernels["each"](1, 128, (table, 100))
    assert trap.value.thread == (7, 0, 0)


def test_only_what_was_given_can_be_reached(kernels):
    rows = margay.zeros((4, 8))
    for at, message in [(rows[1].ptr - 4, "out of bounds"), (rows[1].ptr + 32, "out of bounds")]:
        with pytest.raises(margay.Trap, match=message):
            kernels["each"](1, 1, (np.array([at], np.uint64), 1))
    kernels["each"](1, 1, (np.array([rows[1].ptr + 28], np.uint64), 1))
    assert rows.sum() == 100 == rows[1, 7]


def test_a_view_that_has_ended_leaves_its_neighbours_apart(kernels):
    # Rows that are passed one after the other do not make each other's memory reachable.
    rows = np.zeros((3, 4), np.uint32)
    for row in rows:
        kernels["save"](1, 1, (row,))
    del row
    with pytest.raises(margay.Trap, match="was freed"):
        kernels["use"](1, 1, (rows[0],))


def test_what_is_only_read_stays_so(kernels):
    fixed = one(5)
    fixed.flags.writeable = False
    with pytest.raises(margay.Trap) as trap:
        kernels["each"](1, 1, (np.array([fixed.ptr], np.uint64), 1))
    assert trap.value.kind == "locked" and fixed[0] == 5


def test_memory_with_an_address_does_not_move(kernels):
    a = np.array([1], np.uint32)
    kernels["save"](1, 1, (a,))
    with pytest.raises(ValueError, match="resize"):
        a.resize(1 << 20, refcheck=False)


def test_unaligned_arrays_have_addresses_too(kernels):
    odd, out = np.frombuffer(bytearray(9), np.uint8, 8, 1).view(np.uint32), np.zeros(2, np.uint64)
    kernels["where"](1, 1, (odd, odd[1:], out))
    assert out[1] - out[0] == 4 and out[0] % 4 == 0
    kernels["each"](1, 1, (out, 1))
    assert odd.tolist() == [100, 0]


def test_addresses_of_32_bits_last_too():
    narrow = [(".address_size 64", ".address_size 32"), ("u64", "u32"), (".b64", ".b32"), (".s64", ".s32")]
    text = POINTERS.replace("mul.wide.u32 %rd2, %r1, 8", "mul.lo.u32 %rd2, %r1, 4")
    for wide, short in narrow:
        text = text.replace(wide, short)
    module = margay.RawModule(code=text)
    z, out = one(77), np.zeros(2, np.uint32)
    module.get_function("save")(1, 1, (z,))
    # More than all addresses that there are.
    seen = set()
    for _ in range(40):
        big = np.empty(1 << 26, np.uint8)
        module.get_function("where")(1, 1, (big, z, out))
        seen.add(int(out[0]))
        assert not out[0] <= out[1] < out[0] + big.size
    assert len(seen) < 40
    module.get_function("use")(1, 1, (out,))
    assert out[0] == 77


def test_many_arrays_are_forgotten(kernels):
    for k in range(20_000):
        kernels["save"](1, 1, (np.empty(4, np.uint32),))
    a = np.zeros(2, np.uint32)
    with pytest.raises(margay.Trap, match="was freed"):
        kernels["use"](1, 1, (a,))


def test_what_lies_beside_a_living_array_is_none_that_has_ended(kernels):
    a = one(1)
    table = np.array([a.ptr], np.uint64)
    kernels["each"](1, 1, (table, 1))
    for k in range(5000):
        kernels["save"](1, 1, (one(k),))
    with pytest.raises(margay.Trap, match="just past the end of argument 1") as trap:
        kernels["each"](1, 2, (table, 2))
    assert trap.value.kind == "out of bounds"


def test_a_device_has_so_much_memory():
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.global .b8 big[3000000];\n.entry k() { ret; }"
    for memory in (1 << 20, "1M"):
        with pytest.raises(margay.LaunchError, match="no room for 3000000 bytes of variable `big`") as error:
            margay.RawModule(code=text, memory=memory)
        assert "<ptx>:4" in str(error.value) and "1048576 bytes" in str(error.value) and "`memory=`" in str(error.value)
    margay.RawModule(code=text, memory="3M").get_function("k")(1, 1)
    for memory in (-1, "1X", 1.5, []):
        with pytest.raises(margay.LaunchError, match="is not a number of bytes"):
            margay.RawModule(code=text, memory=memory)
