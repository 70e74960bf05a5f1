"""Readers are never disturbed by a writer: every answer belongs to one generation, and none waits for anything."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.indexing.build import compact_index
from tests.engine.index.index_contents import Files, expected, found, random_files, update, write
from tests.trust.killed_writers import ROOT
from tests.trust.queries import QUERIES, answers
from tests.trust.soak import effort

pytestmark = pytest.mark.long

N_READERS = effort(2, 4, thorough=4)
MOST_SEGMENTS = 8


def next_files(files: Files, number: int, random: Random) -> Files:
    """Return the documents with a few of them changed, one gone and one new."""
    changed = dict(files)
    for document in random.sample(sorted(changed), 2):
        changed[document] = (
            f"<article><p>sea tide {number}</p><p>lamp rock {'fog ' * random.randint(0, 2)}</p></article>"
        )
    changed.pop(random.choice(sorted(changed)))
    changed[f"new/{number:03}"] = f"<article><p>light-house {number} rock</p></article>"
    return changed


def test_every_answer_belongs_to_one_generation(tmp_path: Path) -> None:
    random = Random(3)
    files: Files = random_files(8)
    source, index = write(tmp_path / "source", files), tmp_path / "index"
    update(index, source)
    opened = open_reader(index)
    right = {opened.manifest.generation: [answers(opened, query) for query in QUERIES]}
    command = [sys.executable, "-m", "tests.trust.reader_process", str(index)]
    outputs = [(tmp_path / f"reader-{number}").open("w+b") for number in range(N_READERS)]
    errors = [(tmp_path / f"errors-{number}").open("w+b") for number in range(N_READERS)]
    readers = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=output, stderr=error)
        for output, error in zip(outputs, errors, strict=True)
    ]
    while not all((tmp_path / f"reader-{number}").stat().st_size for number in range(N_READERS)):
        assert all(reader.poll() is None for reader in readers)
    for number in range(effort(5, 100, thorough=15)):
        files = next_files(files, number, random)
        update(index, write(source, files))
        if number % 12 == 11:
            compact_index(index)
            opened = open_reader(index)
            right[opened.manifest.generation] = [answers(opened, query) for query in QUERIES]
            continue
        opened = open_reader(index)
        assert len(opened.segments) <= MOST_SEGMENTS
        right[opened.manifest.generation] = [answers(opened, query) for query in QUERIES]
    for reader in readers:
        reader.communicate(timeout=60)
    assert found(index) == expected(files)

    assert [reader.returncode for reader in readers] == [0] * N_READERS
    seen = set()
    for output, error in zip(outputs, errors, strict=True):
        output.seek(0)
        error.seek(0)
        assert error.read() == b""
        for line in output.read().splitlines():
            generation, n_segments, given = json.loads(line)
            assert n_segments <= MOST_SEGMENTS
            seen.add(generation)
            if generation in right:  # a compaction follows its update at once
                assert given == right[generation]
        output.close()
        error.close()
    assert len(seen) > effort(2, 20, thorough=3)


def test_a_reader_goes_on_when_the_index_is_removed(tmp_path: Path) -> None:
    index = tmp_path / "index"
    update(index, write(tmp_path / "source", random_files(4)))
    whole = open_reader(index)
    before = [answers(whole, query) for query in QUERIES]
    opened = open_reader(index)
    shutil.rmtree(index)

    assert [answers(opened, query) for query in QUERIES] == before


def test_a_file_that_goes_while_it_is_opened_is_no_accident(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = tmp_path / "index"
    source = write(tmp_path / "source", random_files(4))
    update(index, source)
    old = index / "segments" / Manifest.read(index).segments[0].name
    is_link = os.path.islink
    is_done = False

    def swept_meanwhile(path: str | Path) -> bool:
        nonlocal is_done
        if Path(path) == old and not is_done:  # between the manifest and the segment: two generations pass
            is_done = True
            for number in range(2):
                write(source, {"a": f"<article>rock {number}</article>"})
                update(index, source)
            assert not old.exists()
        return is_link(path)

    monkeypatch.setattr(os.path, "islink", swept_meanwhile)
    opened = open_reader(index)

    assert is_done
    assert opened.manifest == Manifest.read(index)
    assert found(opened) == expected({"a": "<article>rock 1</article>"})
