"""Every recorded instruction result, through `margay.eval` on arrays: 126,124 rows, a call for each form."""

import gzip
from pathlib import Path

import margay
import numpy as np
import pytest

TABLE = Path(__file__).parents[2] / "crates/isa/tests/data/golden.tsv.gz"


def forms():
    """Rows by form: a list of columns a, b, c, e, ptxas, doc, each a list of texts."""
    rows = {}
    with gzip.open(TABLE, "rt") as table:
        for line in table:
            if not line.startswith("#") and line.strip():
                form, *cells = line.rstrip("\n").split("\t")
                rows.setdefault(form, []).append(cells)
    return {form: list(zip(*cells)) for form, cells in rows.items()}


FORMS = forms()


def numbers(column):
    """The bits of a column, in the size in which they are written."""
    return np.array([int(text, 16) for text in column], f"u{(len(column[0]) - 2) // 2}")


def undefined(form, values):
    """Operands to which the manual gives no meaning, so that ptxas is free: 64-bit positions and lengths above 255, the
    offset -2**31 of `fns`."""
    opcode = form.split(".")[0]
    if opcode == "bfe":
        return (values["b"] > 255) | (values["c"] > 255)
    if opcode == "bfi":
        return (values["c"] > 255) | (values["e"] > 255)
    if opcode == "fns":
        return values["c"] == 0x80000000
    return np.zeros(len(values["a"]), bool)


@pytest.mark.filterwarnings("ignore::margay.ErratumWarning")
@pytest.mark.parametrize("semantics, column", [("manual", 5), ("ptxas-13.5", 4)])
def test_every_vector_has_the_recorded_result(semantics, column):
    checked, wrong = 0, []
    for form, cells in FORMS.items():
        names = [name for name, cell in zip("abce", cells) if cell[0] != "-"]
        values = {name: numbers(cells["abce".index(name)]) for name in names}
        arrays = [values[name] for name in names]
        got = margay.eval(form, *arrays, semantics=semantics)
        skip = undefined(form, values) if semantics != "manual" else np.zeros(len(arrays[0]), bool)
        expected = numbers(cells[column])
        same = got.view(f"u{got.itemsize}") == expected
        wrong += [(form, row) for row in np.flatnonzero(~same & ~skip)]
        checked += len(expected)
    assert checked == 126_124 and not wrong, wrong[:10]
