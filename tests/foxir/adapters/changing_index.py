"""What every retriever does when its index grows, is built anew, removed or closed, and for queries without words."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import foxir
from foxir.adapters import element_retriever

# From an index, or its folder, to what returns the texts of the answers to a query, at most so many.
Make = Callable[[Any], Callable[..., Sequence[str]]]


def built(folder: Path, *texts: str) -> Path:
    source = folder.parent / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    for number, text in enumerate(texts):
        (source / f"{number}.xml").write_text(f"<article><p>{text}</p></article>")
    foxir.build_index(source, into=folder, profile="none")
    return folder


def assert_follows_its_index(make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(element_retriever, "REFRESH_S", 0.0)
    built(folder, "sea tide")
    given = foxir.open_index(folder)
    own, others = make(folder), make(given)
    built(folder, "sea tide", "fog and tide")
    assert sorted(own("tide")) == ["fog and tide", "sea tide"]
    assert others("tide") == ["sea tide"]
    assert given.refresh()
    assert sorted(others("tide")) == ["fog and tide", "sea tide"]

    shutil.rmtree(folder)
    assert len(others("tide")) == 2
    with pytest.raises(foxir.IndexFormatError, match=r"not a foxir index: there is no such folder"):
        own("tide")
    built(folder, "another tide")
    assert own("tide") == ["another tide"]

    assert_refuses(own)
    given.close()
    with pytest.raises(foxir.ClosedIndexError, match="the index is closed: open it again"):
        others("tide")


def assert_refuses(ask: Callable[..., Sequence[str]]) -> None:
    for query in ("", "  "):
        with pytest.raises(foxir.QueryError, match="the query is empty: write some words"):
            ask(query)
    assert list(ask("?!")) == []
