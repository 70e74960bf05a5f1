"""The clock of the machine may jump: no limit of time depends on it, and no change of a document is missed."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.engine.index.index_contents import expected, found, update, write

ROOT = Path(__file__).parents[2]
WALL_CLOCK = re.compile(
    r"\btime\.(time|time_ns|localtime|gmtime|ctime)\(|\b(datetime|date)\.(now|utcnow|today)\(|CLOCK_REALTIME|gettimeofday"
)
# What reads it, and for what.
READERS = {
    "engine/index/write_lock.py": "since when a lock is held",
    "engine/indexing/change_detection.py": "which modification times are settled",
    "foxir/service/judging/store.py": "when a judgement was made",
}
HOUR = 3600


def test_limits_of_time_are_those_of_a_clock_that_does_not_jump() -> None:
    files = (file for package in ("engine", "eval", "foxir") for file in (ROOT / package).rglob("*.[pch]*"))
    found = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if file.suffix in (".py", ".c", ".h") and WALL_CLOCK.search(file.read_text("utf-8"))
    }

    assert found == READERS.keys()


@pytest.mark.parametrize("jump", [-HOUR, HOUR], ids=["back", "ahead"])
def test_a_change_is_found_whatever_the_clock_said(jump: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document is changed twice while the clock says the same; it jumps before the first build, and back after it."""
    source, index = write(tmp_path / "source", {"a": "<a>lamp</a>"}), tmp_path / "index"
    changed = time.time_ns()
    os.utime(source / "a.xml", ns=(changed, changed))
    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda now=time.time_ns: now() + jump * 10**9)
        update(index, source)
    write(source, {"a": "<a>buoy</a>"})
    os.utime(source / "a.xml", ns=(changed, changed))
    update(index, source)

    assert found(index) == expected({"a": "<a>buoy</a>"})
