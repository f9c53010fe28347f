"""What the documents show is what is printed; the notebook runs, and gives what is stored in it."""
import json
import sys

import documents
import pytest


@pytest.mark.parametrize("document", documents.DOCUMENTS)
def test_documents_print_what_they_show(document):
    ran = 0
    for block, printed in documents.run((documents.TOP / document).read_text(encoding="utf-8")):
        assert documents.alike(block["printed"] or "",
                               printed), f"{block['code']}\nprints\n{printed}\nand not\n{block['printed']}"
        ran += 1
    assert ran


def test_the_comparison_can_fail():
    assert documents.alike("a 1.0000001\n", "a 1.0\n") and documents.alike("a\n...\nd\n", "a\nb\nc\nd\n")
    for shown, printed in (("a 1.1\n", "a 1.2\n"), ("a\n", "b\n"), ("a\n", "a\nb\n"), ("a\n...\nd\n", "a\nb\n")):
        assert not documents.alike(shown, printed)


NOTEBOOKS = sorted((documents.TOP / "docs" / "notebooks").glob("*.ipynb"))


def outputs_of(cell):
    """What a cell prints and shows as text. One print comes in several pieces when the machine is busy."""
    printed, shown = "", []
    for each in cell.get("outputs", []):
        printed += "".join(each.get("text", ""))
        shown.append("".join(each.get("data", {}).get("text/plain", "")))
    return "\n".join(text.rstrip("\n") for text in [printed, *shown] if text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(documents.TOP / "python"))
    stored = json.loads(path.read_text(encoding="utf-8"))
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    monkeypatch.setenv("JUPYTER_PATH", sys.prefix + "/share/jupyter")
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(documents.TOP)}}).execute()
    for cell, before in zip(notebook.cells, stored["cells"]):
        if cell.cell_type == "code" and outputs_of(before):
            assert documents.alike(outputs_of(before), outputs_of(cell)), cell.source


def test_there_is_a_notebook():
    assert NOTEBOOKS
