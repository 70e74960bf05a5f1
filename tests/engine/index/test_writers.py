"""There is one writer at a time; a writer that fails leaves the index unchanged (killed ones: tests/trust)."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from engine.errors import CollectionError, FoxirError, IndexLockedError
from engine.index.write_lock import writer_lock
from engine.indexing import build as builder
from engine.indexing import segment_writer
from engine.indexing.build import compact_index
from tests.engine.index.index_contents import FILES, expected, found, update, write

ROOT = Path(__file__).parents[3]
CHANGED = {"a": "<article>quite another</article>", "new": "<article>rock</article>", "é": FILES["é"]}

HOLDER = """
import sys
from pathlib import Path
from engine.index.write_lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def run(program: str, *arguments: str | Path) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], cwd=ROOT, **pipes)  # type: ignore[call-overload, no-any-return]


def test_a_second_writer_is_refused_with_the_holder_and_readers_continue(tmp_path: Path) -> None:
    source, index = write(tmp_path / "source", FILES), tmp_path / "index"
    update(index, source)
    with run(HOLDER, index) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        for attempt in (lambda: update(index, source), lambda: compact_index(index)):
            with pytest.raises(
                IndexLockedError, match=rf"{index}: process {holder.pid} on \S+ \(since \d.*\) is writing"
            ):
                attempt()
        assert found(index) == expected(FILES)
        holder.kill()  # the lock goes with its holder
        holder.communicate()

    write(source, CHANGED)
    update(index, source)
    assert found(index) == expected(CHANGED)


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(tmp_path):
        raise ZeroDivisionError
    with writer_lock(tmp_path), pytest.raises(IndexLockedError), writer_lock(tmp_path):
        pytest.fail("two writers at a time")


def test_a_lock_file_that_was_removed_does_not_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that fails removes a new index, its lock included; who had opened it by then must not go on."""
    taken = fcntl.flock

    def removed_meanwhile(file: BinaryIO, how: int) -> None:
        (tmp_path / "lock").unlink()
        taken(file, how)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", removed_meanwhile)
        with pytest.raises(IndexLockedError, match="removed its lock: retry"), writer_lock(tmp_path):
            pytest.fail("a lock that nobody else would meet")
    with writer_lock(tmp_path):
        pass


def test_an_empty_lock_file_still_locks(tmp_path: Path) -> None:
    with writer_lock(tmp_path):
        (tmp_path / "lock").write_text("", "utf-8")
        with pytest.raises(IndexLockedError, match="another process is writing to it"), writer_lock(tmp_path):
            pytest.fail("two writers at a time")


def test_a_full_disk_leaves_the_index_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, index = write(tmp_path / "source", FILES), tmp_path / "index"
    update(index, source)
    write(source, CHANGED)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(segment_writer, "sync_folder", full)
        with pytest.raises(
            CollectionError, match=rf"{index}: cannot be written: No space left on device: the index is unchanged"
        ):
            update(index, source)
    assert found(index) == expected(FILES)
    update(index, source)
    assert found(index) == expected(CHANGED)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda index, source: update(index, source / "none"),
        lambda index, _: update(index),
        lambda index, source: update(index, source, forget=[source]),
        lambda index, _: compact_index(index),
    ],
    ids=["no such source", "no source", "nothing to forget", "nothing to compact"],
)
def test_a_failed_first_build_leaves_no_folder(tmp_path: Path, attempt: Callable[[Path, Path], object]) -> None:
    source, index = write(tmp_path / "source", FILES), tmp_path / "index"
    with pytest.raises(FoxirError):
        attempt(index, source)

    assert not index.exists()


@pytest.mark.posix("Windows makes no folder durable")
def test_the_manifest_is_replaced_only_when_everything_it_names_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, index = write(tmp_path / "source", FILES), tmp_path / "index"
    durable: set[str] = set()
    fsync = os.fsync

    def noted(handle: int) -> None:
        durable.add(os.readlink(f"/proc/self/fd/{handle}"))
        fsync(handle)

    replaced = builder.Manifest.write

    def checked(manifest: builder.Manifest, folder: Path) -> None:
        for entry in manifest.segments:
            segment = folder / "segments" / entry.name
            written = [path.relative_to(segment) for path in segment.rglob("*")]
            assert len(written) > 20
            for path in written:
                assert any(name.endswith(f"/{path}") for name in durable), path
            assert str(folder / "segments") in durable
        replaced(manifest, folder)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(builder.Manifest, "write", checked)
    update(index, source)

    assert any(Path(name).name.startswith(".manifest.json.") for name in durable)
    assert str(index) in durable

    assert found(index) == expected(FILES)
