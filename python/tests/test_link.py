"""Sources that are linked into one module."""

import margay
import pytest

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = HEAD + ".extern .func f();\n.visible .entry k() { call f; ret; }\n"
FUNCTION = HEAD + ".visible .func f() { ret; }\n"


def test_sources_become_one_module(tmp_path):
    (tmp_path / "f.ptx").write_text(FUNCTION)
    for sources in ((KERNEL, FUNCTION), (FUNCTION.encode(), KERNEL), (KERNEL, tmp_path / "f.ptx")):
        linked = margay.link(*sources)
        assert margay.RawModule(code=linked).get_function("k")(1, 4).threads == 4
    assert ".extern" in margay.link(KERNEL, allow_undefined=True)
    with pytest.raises(margay.PtxError, match="`f` is defined in two inputs") as caught:
        margay.link(KERNEL, FUNCTION, tmp_path / "f.ptx")
    assert [(found.code, found.line, found.labels[1].line) for found in caught.value.diagnostics] == [("P702", 4, 4)]
    assert "f.ptx:4:16" in str(caught.value) and "<ptx 2>:4:16" in caught.value.diagnostics[0].text
    with pytest.raises(margay.PtxError, match="P701"):
        margay.link(KERNEL)
    with pytest.raises(TypeError, match="at least one"):
        margay.link()
