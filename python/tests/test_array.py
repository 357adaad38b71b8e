"""Arrays whose memory kernels use in place, and values for `eval` and `asm` of every kind."""

import re

import margay
import numpy as np
import pytest


def test_arrays_are_numpys_and_aligned():
    for array in (margay.zeros((3, 5), np.uint16), margay.empty(0), margay.empty((2, 2), "f8", "F"), margay.zeros((), "u1")):
        assert isinstance(array, np.ndarray) and array.is_in_place and (array.size == 0 or array.ctypes.data % 64 == 0)
    assert margay.empty((2, 3), order="F").flags.f_contiguous
    array = margay.asarray(np.arange(12).reshape(3, 4)[:, 1:])
    assert array.flags.c_contiguous and array.tolist() == [[1, 2, 3], [5, 6, 7], [9, 10, 11]]
    assert not array[:, 1].is_in_place and isinstance(array[1:], margay.Array)
    assert type(array + 1) is np.ndarray and type(array.sum()) is np.int64
    copy = array.copy()
    copy[0] = 0
    assert isinstance(copy, margay.Array) and array[0, 0] == 1


def test_arrays_share_their_memory_by_every_protocol():
    array = margay.asarray(np.arange(4, dtype=np.uint32), copy=True)
    for shared in (np.asarray(array), np.from_dlpack(array), np.frombuffer(memoryview(array), np.uint32), array.__array__()):
        assert np.shares_memory(shared, array) and shared.tolist() == [0, 1, 2, 3]
    assert not np.shares_memory(margay.asarray(array, copy=True), array)
    assert np.shares_memory(margay.asarray(array), array) and margay.asarray(bytearray(b"ab"), np.uint8).tolist() is not None
    with pytest.raises(ValueError, match="let `copy` be"):
        margay.asarray(np.zeros(33, np.uint8)[1:], copy=False)


def test_kernels_write_into_them(kernels):
    array = margay.zeros(1000)
    kernels.get_function("raise")(4, 256, (array, 9, 1000))
    kernels.get_function("raise")(1, 100, (array[100:200], 1, 100))
    assert array.sum() == 9 * 1000 + 100 and (array[100:200] == 10).all()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "?", ">u4", "O"])
def test_values_of_any_integer_type_are_converted(dtype):
    values = np.array([0, 1, 1, 0, 1]).astype(dtype)
    got = margay.eval("add.u32 d, a, b", values, 0xFFFFFFFF)
    assert got.dtype == np.uint32 and got.tolist() == [0xFFFFFFFF, 0, 0, 0xFFFFFFFF, 0]


def test_signs_and_sizes_follow_the_instruction():
    assert margay.eval("add.s32 d, a, b", np.uint32([0xFFFFFFFF]), -1).tolist() == [-2]
    assert margay.eval("mul.wide.s16 d, a, b", np.int8([-3]), 4).dtype == np.int32
    assert margay.eval("popc.b64 d, a", -1) == 64 and margay.eval("popc.b64 d, a", -1).dtype == np.uint32
    assert margay.eval("setp.lt.s32 p, a, 0", np.arange(-2, 2)).tolist() == [True, True, False, False]
    assert margay.eval("addc.cc.u32 d, a, b", 0xFFFFFFFF, 0, **{"CC.CF": True}) == (0, True)
    wide = margay.eval("mov.b128 d, {a, b}", np.uint64([1, 2]), 3)
    assert wide.tobytes() == np.array([1, 3, 2, 3], np.uint64).tobytes()
    assert margay.eval("mov.b128 {x, y}, a", wide)[1].tolist() == [3, 3]
    assert margay.eval("mov.b128 {x, y}, a", -1) == (2**64 - 1, 2**64 - 1)


def test_values_are_broadcast_in_any_layout():
    a = np.arange(24, dtype=np.uint32).reshape(2, 3, 4)
    for values in (a, np.asfortranarray(a), a[::-1, :, ::2], a.transpose(), a[:, :1]):
        assert np.array_equal(margay.eval("add.u32 d, a, b", values, values[..., :1]), values + values[..., :1])
    assert margay.eval("add.u32 d, a, b", [], 1).shape == (0,)
    assert margay.eval("add.u32 d, a, b", np.zeros((0, 3), int), [[1], [2]][:1]).shape == (0, 3)
    many = np.arange(100_003, dtype=np.uint32)
    for workers in (1, 2, 7):
        assert np.array_equal(margay.eval("xor.b32 d, a, b", many, many[::-1], workers=workers), many ^ many[::-1])


def test_results_go_where_they_are_wanted():
    a, out = np.arange(4, dtype=np.uint32), np.zeros(4, np.int32)
    assert margay.eval("sub.u32 d, a, b", a, 1, out=out) is not None and out.tolist() == [-1, 0, 1, 2]
    assert margay.eval("mov.b32 d, a", np.float32([1.5]), dtype=np.float32).tolist() == [1.5]
    locked = np.zeros(4, np.uint32)
    locked.flags.writeable = False
    for wrong, message in [
        (a, "shares its memory"),
        (np.zeros(3, np.uint32), "not of shape"),
        (np.zeros(8, np.uint32)[::2], "not contiguous"),
        (locked, "only read"),
        ((out, out), "1 wanted, 2 given"),
    ]:
        with pytest.raises(margay.CallError, match=message):
            margay.eval("add.u32 d, a, b", a, 1, out=wrong)


def test_inline_assembly_has_constants_floats_and_several_results():
    a = np.arange(4, dtype=np.uint32)
    assert margay.asm("add.u32 $0, $1, $2;", "=r,r,n", a, 5).tolist() == [5, 6, 7, 8]
    low, high = margay.asm("add.u32 $0, $2, 1; mul.wide.u32 $1, $2, 3;", "=r,=l,r", a)
    assert low.tolist() == [1, 2, 3, 4] and high.dtype == np.uint64 and high.tolist() == [0, 3, 6, 9]
    assert margay.asm("mov.b32 $0, $1;", "=r,f", np.float32([1, 2])).tolist() == [0x3F800000, 0x40000000]
    assert margay.asm("mov.b32 $0, $1;", "=f,r", [0x3F800000]).tolist() == [1.0]
    with pytest.raises(TypeError, match="cannot take a `ndarray` as a constant"):
        margay.asm("add.u32 $0, $1, $2;", "=r,r,n", a, a)
    with pytest.raises(margay.CallError, match="`\\$2` does not name an operand"):
        margay.asm("add.u32 $0, $1, $2;", "=r,r", a)
    with pytest.raises(margay.CallError, match="reads 1 values, but 2 are given"):
        margay.asm("add.u32 $0, $1, 1;", "=r,r", a, a)
    with pytest.raises(margay.Trap) as caught:
        margay.asm("{ .reg .pred p; setp.eq.u32 p, $1, 2; @p trap; mov.u32 $0, $1; }", "=r,r", a)
    assert caught.value.kind == "snippet" and caught.value.element == 2 and caught.value.thread is None
    with pytest.raises(margay.Trap, match="hit the step limit of 100"):
        margay.asm("{ L: bra L; }", "=r,r", a, max_steps=100)


@pytest.mark.parametrize(
    "call, message",
    [
        (("add.u32 d, a, b", np.zeros(3), 1), "is an integer, and the array is `float64`"),
        (("add.u32 d, a, b", [1 << 33], 1), "`8589934592` does not fit `.u32`\nhelp: it takes -2147483648 to 4294967295"),
        (("add.s32 d, a, b", [1 << 31], 1), "`2147483648` does not fit `.s32`"),
        (("add.u32 d, a, b", 1 << 99, 1), "does not fit `.u32`"),
        (("add.u32 d, a, b", "x", 1), "is a number, and the value is"),
        (("add.u32 d, a, b", None, 1), "holds Python objects"),
        (("add.u32 d, a, b", [1, 2], [1, 2, 3]), r"their shapes are \(2,\), \(3,\)"),
        (("add.u32 d, a, b", [1, 2]), "operand `b` has no value"),
        (("add.u32 d, a, b", 1, 2, 3), "reads 2 values, but 3 are given"),
        (("ld.global.u32 d, [a]", 1), "has side effects"),
        (("bar.sync 0",), "has side effects"),
        (("retn",), "unknown instruction `retn`"),
    ],
)
def test_wrong_values_are_refused(call, message):
    wrong_type = any(words in message for words in ("is an integer", "is a number", "Python objects"))
    with pytest.raises(TypeError if wrong_type else ValueError, match=message):
        margay.eval(*call)


@pytest.mark.parametrize("instruction, value", [("mov.b32 d, a", np.float32(1.0)), ("mov.b64 d, a", np.float64(1.0))])
def test_one_value_gives_one_result_whatever_its_type(instruction, value):
    for given in (value, np.array(value), np.asarray(value, order="F")):
        result = margay.eval(instruction, given)
        assert isinstance(result, np.generic) and result == int.from_bytes(value.tobytes(), "little")
    assert margay.eval(instruction, np.array([[value]])).shape == (1, 1)
    assert isinstance(margay.eval("mov.b128 {x, y}, a", np.zeros((), "V16"))[0], np.generic)


def test_explanations_are_text_and_tables():
    told = margay.explain("vadd4.u32.u32.u32.sat d, a, b, c", 0x01FF7F80, b=0x01017F80, c=0)
    assert "CLAMP[2] = 255" in str(told) and "<table>" in told._repr_html_() and "CLAMP[2]" in told._repr_html_()
    page = margay.explain("vadd4")
    assert str(page).startswith("vadd4, vsub4") and "<h3>vadd4" in page._repr_html_()
    assert "&lt;" in margay.explain("P303")._repr_html_() and "<4>" not in margay.explain("P303")._repr_html_()
    assert len(margay.forms("vset2", sample=5, seed=1)) == 5 != margay.forms("vset2", sample=5, seed=2)
    with pytest.raises(margay.CallError, match="`c` has no value"):
        margay.explain("vadd4.u32.u32.u32 d, a, b, c", 1, 2)
    with pytest.raises(margay.CallError, match="alone takes no values"):
        margay.explain("vadd4", 1)
    with pytest.raises(margay.CallError, match="is not an instruction"):
        margay.forms("nothing")


def test_explanations_draw_who_holds_which_element_of_a_matrix():
    form = margay.explain("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
    assert "15  T28 a1  T29 a1" in str(form)
    # A of 16 by 8 elements, B of 8 by 8, C and D of 16 by 8.
    html = form._repr_html_()
    assert html.count("<td ") == 16 * 8 + 8 * 8 + 2 * 16 * 8 and html.count("<table>") == 4
    cells = re.findall(r"hsl\((\d+),[^<]*<code>T(\d+) ", html)
    assert len(cells) == html.count("<td ") and len(set(cells)) == 32 == len({colour for colour, _ in cells})
    assert "<td" in margay.explain("ldmatrix.x4.trans")._repr_html_()
    with pytest.raises(margay.CallError, match="is not an instruction"):
        margay.explain("nothing.b32")
