"""Where the manual and a device disagree, Python says so; never a number of which nobody knows that it is another."""

import pickle
import warnings

import margay
import numpy as np
import pytest

VSET = """.version 8.0
.target sm_80
.address_size 64
.func inner(.reg .u32 %a) {
    .reg .u32 %r;
    vset.s32.u32.lt.max %r, %a, 2, 0;
    ret;
}
.entry direct(.param .u64 to) {
    .reg .b64 %rd; .reg .u32 %r;
    ld.param.u64 %rd, [to];
    vset.s32.u32.lt.max %r, 1, 2, 0x80000000;
    st.global.u32 [%rd], %r;
}
.entry called() {
    call inner, (1);
}
.entry stops() {
    .reg .u32 %r;
    vset.s32.u32.lt.max %r, 1, 2, 3;
    trap;
}
.entry plain() {
    ret;
}
.entry mixes(.param .u64 to) {
    .reg .b64 %rd; .reg .u32 %r<3>;
    ld.param.u64 %rd, [to];
    add.cc.u32 %r0, 0xffffffff, 1;
    subc.cc.u32 %r1, 0x627adf75, 0x864ccef5;
    addc.u32 %r2, 0, 0;
    st.global.u32 [%rd], %r1;
    st.global.u32 [%rd+4], %r2;
}
.entry pure(.param .u64 to) {
    .reg .b64 %rd; .reg .u32 %r<3>;
    ld.param.u64 %rd, [to];
    sub.cc.u32 %r0, 1, 2;
    subc.u32 %r1, 7, 3;
    add.cc.u32 %r0, 0xffffffff, 1;
    addc.u32 %r2, 0, 0;
    st.global.u32 [%rd], %r1;
    st.global.u32 [%rd+4], %r2;
}
"""


@pytest.fixture(scope="module")
def module():
    return margay.RawModule(code=VSET, name="vset.ptx")


def said(call):
    """What a call warns of, and what it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    assert all(issubclass(warning.category, margay.ErratumWarning) for warning in caught)
    return [(str(warning.message), warning.filename) for warning in caught], result


def test_a_launch_warns_of_lines_that_a_device_computes_otherwise(module):
    to = np.zeros(1, np.uint32)
    for call in (lambda: module.get_function("direct")(1, 1, (to,)), lambda: module.get_function("direct")[1, 1](to)):
        ((message, file),), report = said(call)
        assert "in kernel `direct`; `semantics=\"ptxas-13.5\"` computes" in message
        assert "\n  vset.ptx:12: `vset.s32.u32.lt.max`: the manual: reads c as unsigned" in message
        assert file == __file__, "the caller's line is named"
        (remark,) = report.warnings
        assert remark.line == 12 and str(remark).startswith("vset.ptx:12: `vset") and to[0] == 0x80000000
    heard, report = said(lambda: module.get_function("direct")(1, 1, (to,), semantics="ptxas-13.5"))
    assert heard == [] and report.warnings == [] and to[0] == 1
    with margay.options(semantics="ptxas-13.5"):
        assert said(lambda: module.get_function("direct")(1, 1, (to,)))[0] == []


def test_functions_that_are_called_count_and_kernels_without_differences_do_not(module):
    ((message, _),), report = said(lambda: module.get_function("called")(1, 1))
    assert "vset.ptx:6: " in message and len(report.warnings) == 1
    assert said(lambda: module.get_function("plain")(1, 1))[0] == []


def test_a_launch_that_stops_warns_too(module):
    def call():
        with pytest.raises(margay.Trap):
            module.get_function("stops")(1, 1)

    assert len(said(call)[0]) == 1


def test_the_same_kernel_warns_once_at_each_place(module):
    to = np.zeros(1, np.uint32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            module.get_function("direct")(1, 1, (to,))
        module.get_function("direct")(1, 1, (to,))
    assert len(caught) == 2


def test_warnings_can_be_errors(module):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(margay.ErratumWarning):
            module.get_function("direct")(1, 1, (np.zeros(1, np.uint32),))
    assert issubclass(margay.ErratumWarning, UserWarning) and pickle.loads(pickle.dumps(margay.ErratumWarning("x")))


def test_a_carry_that_is_read_as_a_borrow(module):
    to = np.zeros(2, np.uint32)
    ((message, _),), report = said(lambda: module.get_function("mixes")(1, 1, (to,)))
    assert [remark.line for remark in report.warnings] == [30, 31]
    assert "`subc.cc.u32` reads the carry flag of `add.cc.u32`, line 29" in message
    assert said(lambda: module.get_function("mixes")(1, 1, (to,), semantics="ptxas-13.5"))[0] == []
    # The flag of the sum is 1: nothing is borrowed; then something was, so that it is 0.
    assert to.tolist() == [0xDC2E1080, 0]
    for semantics in ("manual", "ptxas-13.5"):
        heard, _ = said(lambda s=semantics: module.get_function("pure")(1, 1, (to,), semantics=s))
        assert heard == [] and to.tolist() == [3, 1]


def test_eval_warns_where_these_values_give_another_result():
    vset = "vset.s32.u32.lt.max d, a, b, c"
    ((message, file),), value = said(lambda: margay.eval(vset, 1, 2, 0x80000000))
    assert value == 0x80000000 and file == __file__
    assert message.startswith(f"`{vset}`: a device gives another result than the manual; `semantics=")
    assert said(lambda: margay.eval(vset, 1, 2, 3)) == ([], 3)
    values = np.uint32([1, 0x80000000, 0xFFFFFFFF])
    ((message, _),), _ = said(lambda: margay.eval(vset, 1, 2, values))
    assert "for 2 of 3 elements" in message
    heard, value = said(lambda: margay.eval(vset, 1, 2, 0x80000000, semantics="ptxas-13.5"))
    assert heard == [] and value == 1
    with margay.options(semantics="ptxas-13.5"):
        heard, value = said(lambda: margay.eval(vset, 1, 2, 0x80000000))
        assert heard == [] and value == 1
        assert len(said(lambda: margay.eval(vset, 1, 2, 0x80000000, semantics="manual"))[0]) == 1
    out = np.zeros(3, np.uint32)
    assert len(said(lambda: margay.eval(vset, 1, 2, values, out=out))[0]) == 1
    assert said(lambda: margay.eval("add.u32 d, a, b", values, 1))[0] == []


def test_several_results_and_inline_assembly_count():
    ((message, _),), (difference, flag) = said(lambda: margay.eval("sub.cc.u32 d, a, b", 5, 3))
    assert (difference, flag) == (2, False) and "`sub.cc.u32`: the manual: keeps the borrow" in message
    heard, (difference, flag) = said(lambda: margay.eval("sub.cc.u32 d, a, b", 5, 3, semantics="ptxas-13.5"))
    assert heard == [] and (difference, flag) == (2, True)
    chain = "{ .reg .u32 t; sub.cc.u32 t, $1, $2; subc.u32 $0, 0, 0; }"
    assert said(lambda: margay.asm(chain, "=r,r,r", [1, 2], 2))[0] == []
    mixed = "{ .reg .u32 t; sub.cc.u32 t, $1, $2; addc.u32 $0, 0, 0; }"
    ((message, file),), values = said(lambda: margay.asm(mixed, "=r,r,r", [1, 2], 2))
    assert values.tolist() == [1, 0] and "for 2 of 2 elements" in message and file == __file__
