"""An index that its owner only lets others read: it answers, nothing is written, and what is closed is reported."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.index.manifest import Manifest
from tests.engine.index.index_contents import FILES, update, write
from tests.foxir.commands.command import Outcome, foxir, refused

NOBODY = 65534


@pytest.fixture(autouse=True)
def files_that_others_may_read() -> Iterator[None]:
    """Create files with the usual permissions, under any umask of the environment."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def index() -> Iterator[Path]:
    """An index of two segments that may be read, and not be written, by whoever asks."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # pytest's own folders are closed to others
        folder = Path(name)
        made = folder / "index"
        update(made, write(folder / "source", FILES))
        update(made, write(folder / "source", {**FILES, "a": "<article>sea fog</article>"}))
        _set_modes(folder, 0o555, 0o444)
        yield made
        _set_modes(folder, 0o755, 0o644)


def _set_modes(folder: Path, of_folders: int, of_files: int) -> None:
    folder.chmod(0o755)
    for path in sorted(folder.rglob("*")):
        path.chmod(of_folders if path.is_dir() else of_files)


def asked(*arguments: str | Path) -> Outcome:
    """Run foxir, where root asks as somebody who owns nothing here."""
    if os.geteuid() == 0:
        foxir(*arguments)  # modules that are imported late are perhaps root's alone
    return asked_once(*arguments)


def asked_once(*arguments: str | Path) -> Outcome:
    """Run foxir as `asked` does, but not as root before."""
    if os.geteuid():
        return foxir(*arguments)
    os.seteuid(NOBODY)
    try:
        return foxir(*arguments)
    finally:
        os.seteuid(0)


def refusal(done: Outcome) -> str:
    refused(done)
    return done.err.rstrip("\n")


@pytest.mark.long
def test_users_with_read_access_can_search_an_index(index: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in index.rglob("*")}
    found = asked("search", index, "sea", "--json")
    assert (found.status, found.err) == (0, "")
    assert "a" in {answer["document"] for answer in found.json["answers"]}
    for arguments in (("info", index, "--verify"), ("explain", index, "sea", "a", "/article[1]")):
        done = asked(*arguments)
        assert (done.status, done.err) == (0, "")
    assert {path: path.stat().st_mtime_ns for path in index.rglob("*")} == before


def test_users_without_write_access_get_one_line(index: Path) -> None:
    for arguments in (("index", index), ("compact", index)):
        assert (
            refusal(asked(*arguments))
            == f"foxir: {index}: cannot be written: you have no permission for it. Choose another place."
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", "{out}", "{given}/source"),
        ("run", "{given}/index", "{given}/topics.csv", "--out", "{out}"),
        ("eval", "{given}/qrels", "{given}/run.trec", "--measures", "trec", "--csv", "{out}"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_output_where_nobody_may_write_is_refused_in_one_line(
    arguments: Sequence[str], index: Path, tmp_path: Path
) -> None:
    given = index.parent
    for name, text in {
        "topics.csv": "qid,query\n1,sea\n",
        "run.trec": "1 Q0 a 1 1.0 x\n",
        "qrels": "1 0 a 1\n",
    }.items():
        (given / name).write_text(text, "utf-8")
    before = sorted(given.iterdir())
    assert foxir(*(each.format(given=given, out=tmp_path / "new") for each in arguments)).status == 0
    given.chmod(0o555)

    done = asked_once(*(each.format(given=given, out=given / "new") for each in arguments))

    given.chmod(0o755)
    expected = f"foxir: {given / 'new'}: cannot be written: you have no permission for it. Choose another place."
    assert refusal(done) == expected
    assert sorted(given.iterdir()) == before


def test_a_demo_of_somebody_else_is_not_replaced(index: Path) -> None:
    folder = index.parent
    (folder / "topics").mkdir()
    update(folder / "demo.foxir", write(folder / "collections", FILES))
    _set_modes(folder, 0o555, 0o444)

    refused_in = (
        f"foxir: {folder / 'demo.foxir'}: cannot be written: you have no permission for it. Choose another place."
    )
    assert refusal(asked("demo", "--folder", folder)) == f"{refused_in} --folder names another folder."


def test_a_document_that_is_closed_is_left_out_and_listed(index: Path) -> None:
    source = index.parent / "source"
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        assert foxir("index", f"{name}/warm", source).status == 0
        (source / "a.xml").chmod(0)
        made = asked_once("index", f"{name}/made", source)

    assert made.status == 1
    assert "a.xml: cannot be read: Permission denied" in made.err
    assert f"made: {len(FILES) - 1} documents" in made.out


@pytest.mark.long
def test_what_is_closed_is_not_called_damaged(index: Path) -> None:
    segment = index / "segments" / Manifest.read(index).segments[0].name
    files = ["articles/terms.bin", "elements/tag.npy", "segment.json", "elements", "articles", ""]
    for path in [*(segment / each for each in files), segment.parent, index / "manifest.json", index]:
        mode = path.stat().st_mode
        path.chmod(0)
        message = refusal(asked("search", index, "sea"))
        assert message.startswith(f"foxir: {index}")
        assert "cannot be read: Permission denied." in message
        assert "index the sources" not in message
        path.chmod(mode)
    assert asked("search", index, "sea").status == 0


@pytest.mark.long
def test_a_report_that_is_closed_takes_nothing_away_from_answers(index: Path) -> None:
    (index / "ingest.json").chmod(0)

    assert asked("search", index, "sea").status == 0
    assert "unknown    leaves, terms" in asked("info", index).out
    assert refusal(asked("info", index, "--verify")).startswith(
        f"foxir: {index}/ingest.json: cannot be read: Permission denied"
    )


def test_a_lock_that_is_closed_hinders_no_reader(index: Path) -> None:
    (index / "lock").chmod(0)

    assert asked("search", index, "sea").status == 0
    _set_modes(index, 0o755, 0o644)
    shutil.rmtree(index)
    assert "there is no such folder" in refusal(asked("search", index, "sea"))
