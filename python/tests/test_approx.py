"""Approximate functions: a device's results, or correctly rounded ones."""

import warnings

import numpy as np
import pytest

import margay

# One that a device does not round correctly.
FORM, VALUE, DEVICE, ROUNDED = "rcp.approx.f32 d, a", np.uint32(0x40FF82FE).view(np.float32), 0x3E003E9F, 0x3E003EA0
CODE = """.version 8.0
.target sm_80
.address_size 64
.entry inverts(.param .u64 at) {
    .reg .u64 %rd;
    .reg .f32 %f;
    ld.param.u64 %rd, [at];
    ld.global.f32 %f, [%rd];
    rcp.approx.f32 %f, %f;
    st.global.f32 [%rd], %f;
    ret;
}
.entry differs() {
    .reg .u32 %r;
    vset.s32.u32.lt.max %r, 1, 2, 0x80000000;
    ret;
}
"""
CHOICES = [({}, DEVICE), ({"approx": None}, DEVICE), ({"approx": "device"}, DEVICE), ({"approx": "rounded"}, ROUNDED)]


def launched(**options):
    data = np.array([VALUE])
    margay.RawModule(code=CODE).get_function("inverts")(1, 1, (data,), **options)
    return int(data.view(np.uint32)[0])


def computed(**options):
    return int(margay.eval(FORM, VALUE, dtype=np.uint32, **options))


def assembled(**options):
    return int(margay.asm("rcp.approx.f32 $0, $1;", "=f,f", VALUE, dtype=np.uint32, **options))


@pytest.mark.parametrize("options, expected", CHOICES, ids=str)
def test_every_call_takes_the_choice(options, expected):
    for engine in ("batch", "golden"):
        assert launched(**options, engine=engine) == expected
    assert (computed(**options), assembled(**options)) == (expected, expected)
    assert f"d = 0x{expected:08x}" in str(margay.explain(FORM, float(VALUE), **options))


@pytest.mark.parametrize("options, expected", CHOICES, ids=str)
def test_the_choice_holds_for_a_while(options, expected):
    with margay.options(**options):
        assert (launched(), computed(), assembled()) == (expected, expected, expected)
        assert (launched(approx="device"), computed(approx="device")) == (DEVICE, DEVICE)


@pytest.mark.parametrize("approx", ["device", "rounded"])
def test_the_choice_does_not_go_with_what_ptxas_makes(approx):
    calls = (computed, assembled, lambda **options: margay.explain(FORM, 1, **options))
    for call in calls:
        with pytest.raises(margay.CallError, match="does not go with `semantics=.ptxas-13.5.`\nhelp: leave out one of them"):
            call(approx=approx, semantics="ptxas-13.5")
    with pytest.raises(TypeError, match="`approx=5` is not a name"):
        computed(approx=5)


def test_what_a_device_computes_otherwise_is_told_as_without_the_choice():
    kernel = margay.RawModule(code=CODE).get_function("differs")
    with pytest.warns(margay.ErratumWarning):
        assert len(kernel(1, 1, approx="rounded").warnings) == 1
    with pytest.warns(margay.ErratumWarning):
        margay.eval("vset.s32.u32.lt.max d, a, b, c", 1, 2, 0x80000000, approx="rounded")
    # That the other function is rounded is no erratum.
    text = "{ .reg .u32 t; vset.s32.u32.lt.max t, $2, $2, $2; rcp.approx.f32 $0, $1; }"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert int(margay.asm(text, "=f,f,r", VALUE, 1, dtype=np.uint32, approx="rounded")) == ROUNDED
