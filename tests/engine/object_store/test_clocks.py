"""Machines whose clocks are an hour apart, as writer, as reader, and where the copies are."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.object_store.mirror import SEGMENT_DESCRIPTION, Mirror, open_mirror
from tests.engine.object_store.test_mirror import texts_of, update
from tests.engine.small_index import write
from tests.trust.soak import in_turn

pytest.importorskip("obstore")

HOUR_S = 3600


@contextmanager
def clock(ahead_s: int) -> Iterator[None]:
    """Set the clock of this process; that of the file system, a server's, stays right."""
    seconds, nanoseconds = time.time, time.time_ns
    with (
        patch("time.time", lambda: seconds() + ahead_s),
        patch("time.time_ns", lambda: nanoseconds() + ahead_s * 10**9),
    ):
        yield


def rewrite(source: Path, before: str, after: str, *, ahead_s: int) -> None:
    """Change a document, keeping its size, by a machine whose clock marks the file."""
    assert len(before) == len(after)
    write(source, {"d1": (source / "d1.xml").read_text().replace(before, after)})
    now = time.time_ns() + ahead_s * 10**9
    os.utime(source / "d1.xml", ns=(now, now))


@pytest.mark.parametrize(("n_shards", "writers"), in_turn([None, 2], [(HOUR_S, 0), (0, HOUR_S), (-HOUR_S, HOUR_S)]))
@pytest.mark.long
def test_writers_whose_clocks_differ_publish_one_after_the_other(
    url: str,
    source: Path,
    tmp_path: Path,
    n_shards: int | None,
    writers: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["lamp", "fogs", "rope", "oars"]
    for turn, (before, after) in enumerate(pairwise(words)):
        ahead_s = writers[turn % 2]
        monkeypatch.setenv("FOXIR_CACHE", str(tmp_path / f"machine {turn % 2}"))
        with clock(ahead_s):
            report = update(url, source, n_shards=None if turn else n_shards)
            assert report.read == (1 if turn else 9)
            assert update(url).read == 0
        rewrite(source, before, after, ahead_s=writers[1 - turn % 2])
    with clock(-HOUR_S):
        monkeypatch.setenv("FOXIR_CACHE", str(tmp_path / "a reader"))
        assert sum("rope" in text for text in texts_of(url)) == 1


@pytest.mark.parametrize("ahead_s", [0, HOUR_S, -HOUR_S])
def test_a_copy_that_was_just_opened_stays_whatever_the_clock_of_the_process(
    url: str, source: Path, monkeypatch: pytest.MonkeyPatch, ahead_s: int
) -> None:
    first = opened(url, source)
    with clock(ahead_s):
        monkeypatch.setenv("FOXIR_CACHE_SIZE", str(size_of(first) * 3 // 2))
        opened(f"{url}2", source)
    assert list(first.glob(f"segments/*/{SEGMENT_DESCRIPTION}"))


@pytest.mark.parametrize("marked_s", [-HOUR_S, HOUR_S])
@pytest.mark.long
def test_a_copy_marked_while_the_clock_was_wrong_makes_room(
    url: str, source: Path, monkeypatch: pytest.MonkeyPatch, marked_s: int
) -> None:
    first = opened(url, source)
    (description,) = first.glob(f"segments/*/{SEGMENT_DESCRIPTION}")
    os.utime(description, (time.time() + marked_s,) * 2)
    monkeypatch.setenv("FOXIR_CACHE_SIZE", str(size_of(first) * 3 // 2))
    opened(f"{url}2", source)
    assert not list(first.glob("segments/*"))
    assert Mirror(url).remote.newest() == 1
    assert len(texts_of(url)) == 9


def opened(url: str, source: Path) -> Path:
    update(url, source)
    return open_mirror(url)


def size_of(copy: Path) -> int:
    return sum(path.stat().st_size for path in copy.glob("segments/**/*") if path.is_file())
