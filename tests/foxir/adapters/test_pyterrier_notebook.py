"""The notebook of docs: kept without output, and its cells run in their order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.foxir.conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")

NOTEBOOK = ROOT / "docs/five_runs.ipynb"


def code_cells() -> list[dict[str, Any]]:
    return [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_a_notebook_is_kept_without_output() -> None:
    assert code_cells()
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code_cells())


def test_the_cells_run_and_show_five_scored_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyterrier", exc_type=ImportError)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells()):
        exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, cell {number}", "exec"), names)

    table = names["table"]
    assert table["name"].tolist() == list(names["ways"])
    assert ((table["HiXAP"] > 0.2) & (table["HiXAP"] < 0.7)).all()
    assert table["HiXAP"].nunique() == 5
    assert [len(bars) for bars in names["axes"].containers] == [5, 5]
