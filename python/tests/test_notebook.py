"""The notebooks run from top to end, and show what they say."""

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("PIL")
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without their outputs"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    tables = [output["data"]["text/html"] for output in shown if "text/html" in output.get("data", {})]
    assert tables and "<table>" in tables[0] and "vabsdiff4" in tables[0]
    assert any("out of bounds" in output.get("text", "") for output in shown)


def test_the_notebook_says_where_it_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("PIL")
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="run this notebook in a checkout of margay"):
        client.execute()
