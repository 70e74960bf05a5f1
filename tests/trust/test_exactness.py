"""The same input gives the same bytes and the same answers, whatever does not belong to the input.

Not the number of processes, nor segments, nor the order of files and sources, nor hash seeds, nor a locale; and what is
stored is little-endian on any platform.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collection.profiles.profile_files import load_profile
from engine.index.manifest import Manifest
from engine.index.reader import IndexReader, open_reader
from engine.index.sealed_file import FORMAT
from engine.indexing.build import BuildSettings, compact_index, update_index
from tests.engine.index.index_contents import SETTINGS, random_files, update, write
from tests.engine.small_index import answers_to
from tests.foxir.commands.command import COLLECTIONS
from tests.reference import random_collections
from tests.trust.exact import digests
from tests.trust.format_sample import FORMATS
from tests.trust.killed_writers import ROOT
from tests.trust.query_results import QUESTIONS, answers, query_results
from tests.trust.soak import effort

pytestmark = pytest.mark.long

PLAIN = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
SEEDED = {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Tokyo"}
TURKISH = {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR", "PYTHONUTF8": "0", "TZ": "America/Lima"}  # i is no lower I


def made_under(folder: Path, environment: dict[str, str], jobs: int) -> Any:
    """Return the digests of all that is made of the sample collection in an environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    command = [sys.executable, "-m", "tests.trust.exact", str(folder), str(jobs)]
    subprocess.run(command, cwd=ROOT, env=kept | environment, stdout=subprocess.DEVNULL, check=True)
    return json.loads((folder / "digests.json").read_bytes())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return made_under(tmp_path_factory.mktemp("plain"), PLAIN, 1)


def test_processes_hash_seeds_and_time_zones_change_no_byte(plain: Any, tmp_path: Path) -> None:
    assert {"one.txt", "two.xml", "articles.xml", "scores.csv", "results.json", "index/manifest.json"} < plain.keys()
    assert made_under(tmp_path, SEEDED, 3) == plain


def test_without_compiled_kernels_no_byte_changes(plain: Any, tmp_path: Path) -> None:
    assert made_under(tmp_path, {"FOXIR_PURE": "1"}, 1) == plain


def test_a_turkish_locale_in_another_encoding_changes_no_byte(plain: Any, tmp_path: Path) -> None:
    make = ["localedef", "-i", "tr_TR", "-f", "ISO-8859-9", str(tmp_path / "tr_TR")]
    if not shutil.which("localedef") or subprocess.run(make, capture_output=True, check=False).returncode:
        pytest.skip("no Turkish locale can be made here")
    environment = TURKISH | {"LOCPATH": str(tmp_path)}
    charmap = subprocess.run(["locale", "charmap"], env=os.environ | environment, capture_output=True, check=True)
    assert charmap.stdout.strip() == b"ISO-8859-9"

    assert made_under(tmp_path / "made", environment, 2) == plain


class _Shuffled:
    """What `os.scandir` gives, in another order."""

    def __init__(self, entries: list[Any]) -> None:
        self._entries = iter(entries)

    def __enter__(self) -> _Shuffled:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return self._entries

    def __next__(self) -> Any:
        return next(self._entries)

    def close(self) -> None:
        return None


@pytest.mark.parametrize("seed", range(effort(1, 20, thorough=2)))
def test_the_order_in_which_a_disk_lists_files_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(seed)
    source = write(tmp_path / "source", random_files(30))
    update(tmp_path / "index", source)
    before = digests(tmp_path / "index")
    scandir, listdir = os.scandir, os.listdir

    def shuffled_scandir(*arguments: Any) -> _Shuffled:
        with scandir(*arguments) as entries:
            listed = list(entries)
        return _Shuffled(random.sample(listed, len(listed)))

    def shuffled_listdir(*arguments: Any) -> list[Any]:
        listed = listdir(*arguments)
        return random.sample(listed, len(listed))

    monkeypatch.setattr(os, "scandir", shuffled_scandir)
    monkeypatch.setattr(os, "listdir", shuffled_listdir)
    update(tmp_path / "again", source)

    assert digests(tmp_path / "again") == before


ASKED = st.lists(st.tuples(random_collections.queries, random_collections.settings()), min_size=1, max_size=4)


def results_of(index: IndexReader, asked: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
    """Return all that can be seen of the answers, bit by bit."""
    return [
        [
            [answer.document, answer.path, answer.rsv, answer.article_score, answer.text, answer.snippet]
            for answer in answers_to(index, query, **{**chosen, "reading": "CO"})
        ]
        for query, chosen in asked
    ]


@settings(max_examples=effort(2, 500, thorough=15), deadline=None)
@given(files=random_collections.collections, asked=ASKED, random=st.randoms(use_true_random=False))
def test_where_segments_begin_and_what_they_went_through_changes_no_answer(
    files: dict[str, str], asked: Any, random: Random
) -> None:
    """A collection at once, and one that came document by document in any order, with some that changed or went."""
    with TemporaryDirectory() as name, patch("os.fsync", lambda _: None):
        folder = Path(name)
        source = write(folder / "source", files)
        update_index(folder / "once", [str(source)], SETTINGS)
        grown: dict[str, str] = {}
        for document in random.sample(sorted(files), len(files)):
            grown[document] = files[document]
            passing = random.random()
            if passing < 0.3:
                grown["passing"] = "<article>sea tide lamp</article>"
            elif passing < 0.6:
                grown[random.choice(sorted(grown))] = "<article><p>tide</p>lamp</article>"
            if random.random() < 0.6:
                update_index(folder / "grown", [str(write(source, grown))], SETTINGS)
            if random.random() < 0.1 and (folder / "grown" / "manifest.json").exists():
                compact_index(folder / "grown")
        write(source, files)
        update_index(folder / "grown", [str(source)], SETTINGS)
        once, in_pieces = open_reader(folder / "once"), open_reader(folder / "grown")

        assert in_pieces.manifest.statistics == once.manifest.statistics
        assert results_of(in_pieces, asked) == results_of(once, asked)
        compact_index(folder / "grown")
        assert results_of(open_reader(folder / "grown"), asked) == results_of(once, asked)


def test_the_sample_collection_in_eight_segments_answers_as_in_one(tmp_path: Path) -> None:
    source, settled = tmp_path / "source", BuildSettings(profile=load_profile("auto"))
    files = sorted(path for path in COLLECTIONS.rglob("*.xml"))
    parts = [files[number::8] for number in range(8)]
    for part in parts:
        for file in part:
            target = source / file.relative_to(COLLECTIONS)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
        update_index(tmp_path / "eight", [str(source)], settled)
    update_index(tmp_path / "one", [str(source)], settled)
    eight, one = open_reader(tmp_path / "eight"), open_reader(tmp_path / "one")

    assert (len(eight.segments), len(one.segments)) == (8, 1)
    for question in QUESTIONS:
        assert answers(eight, question) == answers(one, question)


def test_two_builds_differ_in_nothing_but_the_report(tmp_path: Path) -> None:
    source = write(tmp_path / "source", random_files(12))
    for name in ("first", "second"):
        update(tmp_path / name, source)
        write(source, random_files(12) | {"new": "<article>fog</article>"})
        update(tmp_path / name, source)
        compact_index(tmp_path / name)
        write(source, random_files(12))

    assert digests(tmp_path / "first") == digests(tmp_path / "second")
    assert len(Manifest.read(tmp_path / "first").segments) == 1
    assert (
        query_results(open_reader(tmp_path / "first"))["answers"]
        == query_results(open_reader(tmp_path / "second"))["answers"]
    )


HEADER = re.compile(rb"\x93NUMPY\x01\x00..\{'descr': '(\|u1|<[uif][248])', 'fortran_order': False, ", re.DOTALL)


def test_every_stored_array_is_little_endian_or_of_single_bytes(tmp_path: Path) -> None:
    update_index(tmp_path / "index", [str(COLLECTIONS)], BuildSettings(profile=load_profile("auto")))
    columns = [*(tmp_path / "index").rglob("*.npy"), *(FORMATS / f"format_{FORMAT}").rglob("*.npy")]
    headers = {path: HEADER.match(path.read_bytes()) for path in columns}

    assert len(columns) > 50
    assert [path for path, header in headers.items() if header is None] == []
    assert {header[1] for header in headers.values() if header} >= {b"|u1", b"<u2", b"<u4", b"<f8"}
