"""Every file that a user names is read within bounds: what decompresses without end, pipes and devices are refused."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.collection.entities.entity_declarations import Catalog
from engine.collection.limits import DEFAULT_LIMITS
from engine.collection.profiles.profile_files import load_profile
from engine.collection.sources.patterns import Exclusions
from engine.collection.sources.source_listing import resolve_source
from engine.errors import FoxirError
from engine.query.synonyms import synonyms_in
from engine.runs import read_run
from engine.settings import read_settings
from engine.system.input_files import FREE_BYTES, MAX_BYTES, MAX_RATIO, MEGABYTE, read_input
from engine.text.analyser import make_analyser
from engine.topics import read_topics
from eval import read_assessments
from eval.conversion import read_any
from eval.judgements.formats.read import TREE
from eval.tuning.grid import read_grid
from tests.foxir.commands.command import foxir, foxir_process, refused

READERS: dict[str, Callable[[Path], object]] = {
    "runs": read_run,
    "judgements": read_assessments,
    "topics": read_topics,
    "settings": read_settings,
    "grids": read_grid,
    "profiles": lambda path: load_profile(str(path)),
    "stop lists": lambda path: make_analyser(stop=str(path)),
    "synonyms": lambda path: synonyms_in(str(path), make_analyser()),
    "catalogs": lambda path: Catalog.read([path]),
    "lists of sources": lambda path: resolve_source(f"@{path}", Exclusions()),
}
RUN = "1 Q0 d1 1 1.0 run\n"
QRELS = "1 Q0 d1 100 200 0 0:100\n"


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "fifo", "link to a fifo", "link to /dev/zero", "folder/"])
def test_pipes_and_devices_are_refused_at_once(kind: str, device: str, tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    if device == "fifo":
        os.mkfifo(file)
    elif device == "link to a fifo":
        os.mkfifo(tmp_path / "fifo")
        file.symlink_to(tmp_path / "fifo")
    elif device == "link to /dev/zero":
        file.symlink_to("/dev/zero")
    elif device == "folder/":
        file.mkdir()
    else:
        file = Path(device)

    with pytest.raises(FoxirError, match=str(file)):
        READERS[kind](file)


def bomb(megabytes: int) -> bytes:
    """Return gzip that decompresses to so many megabytes of blanks."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
        for _ in range(megabytes):
            file.write(b" " * MEGABYTE)
    return packed.getvalue()


PACKED = {**{kind: READERS[kind] for kind in ("topics", "runs", "judgements")}, "conversions": read_any}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.long
def test_gzip_that_decompresses_without_end_is_refused(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "file.gz"
    file.write_bytes(bomb(80))
    tracemalloc.start()
    with pytest.raises(
        FoxirError, match=rf"file\.gz:(1:)? cannot be read: it decompresses to more than {MAX_RATIO} times"
    ):
        PACKED[kind](file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 100 * MEGABYTE  # the ratio is looked at after 64


def test_what_is_larger_than_any_run_is_refused(tmp_path: Path) -> None:
    small, packed = tmp_path / "run", tmp_path / "run.gz"
    small.write_bytes(os.urandom(3 * MEGABYTE))
    packed.write_bytes(gzip.compress(small.read_bytes()))

    for file in (small, packed):
        assert read_input(file, unpacks=True, most=4 * MEGABYTE) == small.read_bytes()
        with pytest.raises(OSError, match="more than 2 MB: split it"):
            read_input(file, unpacks=True, most=2 * MEGABYTE)


@pytest.mark.parametrize("kind", ["settings", "grids", "profiles", "stop lists", "catalogs", "synonyms"])
def test_small_files_have_at_most_16_megabytes(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    with file.open("wb") as written:
        written.truncate(16 * MEGABYTE + 1)

    with pytest.raises(FoxirError, match="more than 16 MB"):
        READERS[kind](file)


@pytest.mark.parametrize("kind", ["settings", "grids", "profiles", "synonyms"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("# a\n" + ".".join(["a", '"b"', "'c'"] * 100_000) + " = 1", "line 2 has a key of"),
        ("#" * 5_000_000, "[14] MB of"),
    ],
    ids=["names", "size"],
)
def test_toml_that_takes_long_to_parse_is_refused(kind: str, content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_text(content, "ascii")

    with pytest.raises(FoxirError, match=said):
        READERS[kind](file)


def test_the_bounds_are_those_of_sources() -> None:
    assert (DEFAULT_LIMITS.max_file_bytes, DEFAULT_LIMITS.max_ratio, DEFAULT_LIMITS.free_bytes) == (
        MAX_BYTES,
        MAX_RATIO,
        FREE_BYTES,
    )


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: data[:5], lambda data: data + b"x" * 20])
def test_damaged_gzip_is_refused(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    file = tmp_path / "run.gz"
    file.write_bytes(damage(gzip.compress(RUN.encode() * 50)))

    with pytest.raises(FoxirError, match="cannot be read: not whole gzip: "):
        read_run(file)


def test_standard_input_is_read_like_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("file")  # short enough to be shown whole
    for content, kind in ((RUN.encode(), "runs"), (gzip.compress(QRELS.encode()), "judgements"), (b"fog\n", "topics")):
        file.write_bytes(content)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        found, expected = READERS[kind](Path("-")), READERS[kind](file)

        assert repr(found).replace("'-'", "") == repr(expected).replace(f"'{file}'", "")
        assert repr(READERS[kind](Path("-"))) == repr(found)  # it can be read again


def test_standard_input_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/zero") as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(OSError, match="more than 1 MB"):
            read_input("-", most=MEGABYTE)
        refused(foxir("search", "index", "-"), "the query on stdin cannot be read: it has more than 4 MB")


@pytest.mark.long
def test_a_link_to_a_device_ends_a_command_in_one_line(tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.symlink_to("/dev/zero")
    outcome = foxir_process("eval", topics, topics, timeout=60)

    assert outcome.returncode == 2
    assert outcome.stderr.decode() == (
        f"foxir: {topics}: cannot be read: it is a device or socket, not a file; '-' reads standard input. "
        "Expected judgements, plain or gzip.\n"
    )


READS_JUDGEMENTS = """
import sys
from pathlib import Path
from engine.errors import AssessmentError
from eval.judgements.formats.read import read_assessments
from tests.trust.bounded_queries import memory

before = memory("VmHWM")
try:
    read_assessments(Path(sys.argv[1]))
except AssessmentError:
    pass
print(memory("VmHWM") - before)
"""


@pytest.mark.long
@pytest.mark.posix("memory is read from /proc")
def test_judgements_in_xml_take_what_is_reserved_for_them(tmp_path: Path) -> None:
    """Empty elements of the shortest names take most, for their size."""
    file = tmp_path / "judgements.xml"
    file.write_bytes(b"<assessments topic='1'>" + b"<a/>" * 4_000_000 + b"</assessments>")
    command = [sys.executable, "-c", READS_JUDGEMENTS, str(file)]
    read = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)

    assert int(read.stdout) < 1.1 * TREE * file.stat().st_size
