from __future__ import annotations

import sys
from pathlib import Path

import pytest

import foxir


def test_building_on_a_cluster_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for module in ("foxir.cluster.batch_tasks", "foxir.cluster.cluster"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(foxir.ArgumentError, match=r"needs ray: pip install '\.\[cluster\]'"):
        foxir.build_index(tmp_path, into=tmp_path / "x.foxir", ray="auto")
    assert not (tmp_path / "x.foxir").exists()
