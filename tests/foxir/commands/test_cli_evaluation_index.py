"""Scoring with an index of another collection, of part of it, or with judgements that misspell a document."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import foxir as api
from tests.foxir.commands.command import COLLECTIONS, TOPICS, foxir, refused

QRELS = TOPICS / "qrels.txt"
LACKING = "jats/fx-005"
WRONG = "qrels.txt: none of its relevant documents is in the index: it judges 'ieee/na/1998/n1012' and "


@pytest.fixture(scope="module")
def renamed_index(tmp_path_factory) -> Path:
    """Some of the judged documents, under ids without their folder."""
    folder = tmp_path_factory.mktemp("renamed") / "renamed.foxir"
    assert foxir("index", folder, COLLECTIONS / "jats").status == 0
    return folder


@pytest.fixture(scope="module")
def part_index(tmp_path_factory) -> Path:
    """All judged documents but one."""
    folder = tmp_path_factory.mktemp("part")
    shutil.copytree(COLLECTIONS, folder / "part")
    (folder / "part" / f"{LACKING}.xml").unlink()
    assert foxir("index", folder / "part.foxir", folder / "part").status == 0
    return folder / "part.foxir"


@pytest.mark.parametrize("wrong", ["empty_index", "renamed_index"])
@pytest.mark.long
def test_an_index_without_judged_documents_is_refused(wrong, sample_run, request):
    index = request.getfixturevalue(wrong)

    refused(foxir("eval", QRELS, sample_run, "--index", index, "--measures", "hixeval:AP"), WRONG)
    refused(foxir("compare", QRELS, sample_run, sample_run, "--index", index, "--measure", "hixeval:AP"), WRONG)
    with pytest.raises(api.MeasureError, match=WRONG):
        api.score(QRELS, sample_run, "hixeval:AP", index=index)
    with pytest.raises(api.MeasureError, match=WRONG):
        api.compare(QRELS, [sample_run, sample_run], "hixeval:AP", index=index)


@pytest.mark.parametrize("command", [["eval", "--measures"], ["compare", "--measure"]])
@pytest.mark.long
def test_what_is_missing_from_an_index_is_named_also_with_quiet(command, sample_run, part_index):
    name, option = command
    runs = [sample_run, sample_run]

    scored = foxir(name, QRELS, *runs, "--index", part_index, option, "hixeval:AP", "-q")

    judged, *returned = [line for line in scored.err.splitlines() if "index" in line]
    assert judged.startswith(f"{QRELS}: relevant documents that are not in the index: 1 of ")
    assert len(returned) == len(runs)
    for notice in (judged, *returned):
        assert notice.endswith(f": '{LACKING}'")
    assert scored.status == 0


@pytest.mark.long
def test_a_misspelt_judged_document_is_named(sample, sample_run, tmp_path):
    misspelt = tmp_path / "qrels.txt"
    misspelt.write_text(QRELS.read_text().replace("1 Q0 tei/lightship-last-crew ", "1 Q0 tei/lihgtship-last-crew "))

    def notices(judged: Path) -> list[str]:
        scored = foxir("eval", judged, sample_run, "--index", sample, "--measures", "hixeval:AP")
        assert scored.status == 0
        return [line for line in scored.err.splitlines() if "index" in line]

    assert notices(QRELS) == []
    (notice,) = notices(misspelt)
    assert notice.endswith(": 'tei/lihgtship-last-crew'")
