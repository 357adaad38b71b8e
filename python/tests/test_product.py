"""Products of matrices on their own."""

import margay
import numpy as np
import pytest

F16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
S8 = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"


def test_matrices_are_multiplied():
    random = np.random.default_rng(1)
    a, b = (random.integers(-128, 128, shape, np.int8) for shape in [(16, 32), (32, 8)])
    c = random.integers(-1000, 1000, (16, 8), np.int32)
    d = margay.eval(S8, a, b, c)
    assert d.dtype == np.int32 and np.array_equal(d, a.astype(int) @ b.astype(int) + c)
    # By names of one's choice, and as they are called in the manual.
    assert np.array_equal(margay.eval(f"{S8} s, x, y, s;", x=a, y=b, s=c), d)
    assert np.array_equal(margay.eval(S8, b=b, a=a), d - c)
    out = np.empty((16, 8), np.int32)
    assert margay.eval(S8, a, b, c, out=out) is out and np.array_equal(out, d)


def test_arrays_of_matrices_are_broadcast():
    random = np.random.default_rng(2)
    a = random.integers(-4, 5, (3, 1, 16, 16)).astype(np.float16)
    b = random.integers(-4, 5, (5, 16, 8)).astype(np.float16)
    d = margay.eval(F16, a, b, 0.5)
    assert d.shape == (3, 5, 16, 8) and np.array_equal(d, a.astype(np.float32) @ b.astype(np.float32) + 0.5)
    assert margay.eval(F16, a[:0], b[:1]).shape == (0, 1, 16, 8)


def test_the_device_decides_what_is_cut_off():
    form = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
    on = {device: margay.eval(form, 1, 1, -(2.0**-25), device=device)[0, 0] for device in ("sm_80", "sm_90")}
    assert on["sm_80"] == 8 and on["sm_90"] == np.nextafter(np.float32(8), np.float32(0))
    with margay.options(device="sm_90"):
        assert margay.eval(form, 1, 1, -(2.0**-25))[0, 0] == on["sm_90"]


def test_other_numbers_come_as_bits_and_sparse_matrices_whole():
    bf16 = "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32"
    assert margay.eval(bf16, np.full((16, 8), 0x3F80, np.uint16), np.full((8, 8), 0x4000, np.uint16))[0, 0] == 16
    sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"
    a = np.tile([0, 2, 0, 3], (16, 8)).astype(np.float16)
    b = np.arange(32 * 8).reshape(32, 8).astype(np.float16) / 4
    assert np.array_equal(margay.eval(sparse, a, b), a.astype(np.float32) @ b.astype(np.float32))
    stored = a[:, 1::2].copy()
    assert np.array_equal(margay.eval(sparse, a=stored, b=b, metadata=0xDDDDDDDD), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize(
    ("values", "named", "error", "text"),
    [
        ([1], {}, margay.CallError, "operand `b` has no value"),
        ([1, 1, 1, 1], {}, margay.CallError, "reads 3 matrices, but 4 are given"),
        ([1, 1], {"e": 1}, margay.CallError, "reads no operand `e`"),
        ([1, 1], {"a": 1}, margay.CallError, "`a` is given twice"),
        ([np.ones((16, 8)), 1], {}, margay.CallError, r"operand `a` is 16 by 16, and the array has the shape \(16, 8\)"),
        ([np.ones((2, 16, 16)), np.ones((3, 16, 8))], {}, margay.CallError, "cannot be broadcast together"),
        ([1, "x"], {}, TypeError, "operand `b` is `.f16`, and the array is"),
        ([1, 1], {"device": "sm_70"}, margay.CallError, "does not exist on sm_70"),
        ([1, 1], {"device": "sm_81"}, margay.CallError, "there is no device `sm_81`"),
        ([1, 1], {"out": np.empty((16, 8), np.float64)}, margay.CallError, "`out` has to be a contiguous array"),
    ],
)
def test_what_is_wrong_is_said(values, named, error, text):
    with pytest.raises(error, match=text):
        margay.eval(F16, *values, **named)


def test_more_that_is_wrong():
    with pytest.raises(margay.CallError, match="`200` does not fit `.s8`"):
        margay.eval(S8, np.full((16, 32), 200), 1)
    with pytest.raises(margay.CallError, match="row 0, column 0 of `a`: `8` does not fit `s4`"):
        margay.eval("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 8, 1)
    with pytest.raises(margay.CallError, match="more than 2 of columns 0 to 3 in row 0 of `a` are not zero"):
        margay.eval("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 1, 1)
    with pytest.raises(margay.CallError, match="may be one of"):
        margay.eval("mma.m16n8k16", 1, 1)
    with pytest.raises(margay.CallError, match="`device` is for products of matrices"):
        margay.eval("add.u32 d, a, b", 1, 2, device="sm_90")
