"""Answers outlive their index: after it is closed they are still values, only texts cannot be read any more."""

from __future__ import annotations

import gc
import pickle
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import foxir
from tests.foxir.conftest import ROOT, Sample
from tests.foxir.results.test_answers import KINDS
from tests.trust.soak import effort

QUERY = "fog signal range"
FROM_INDEX = ("words", "breadcrumb", "fields", "snippet", "marks")


def opened(sample: Sample) -> foxir.Index:
    return foxir.open_index(sample.folder / "sample.foxir")


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_readable_after_their_index_is_closed(sample: Sample, kind: str) -> None:
    wanted = sample.index.search(QUERY, **KINDS[kind])
    with opened(sample) as index:
        answers = index.search(QUERY, **KINDS[kind])

    assert answers[0].path == wanted[0].path
    assert answers == wanted
    assert answers.documents == wanted.documents
    assert answers.paths == wanted.paths
    assert np.array_equal(answers.spans, wanted.spans)
    assert [(each.rank, each.score, each.start, each.end) for each in answers] == [
        (each.rank, each.score, each.start, each.end) for each in wanted
    ]
    assert answers[2:9].paths == wanted[2:9].paths
    assert answers.at([1, 0])[0] == wanted[1]
    assert hash(answers) == hash(wanted)
    assert pickle.loads(pickle.dumps(answers)) == wanted
    assert pickle.loads(pickle.dumps(answers))[0].text == wanted[0].text  # it opens the index again
    assert pickle.loads(pickle.dumps(answers[1])) == wanted[1]


@pytest.mark.parametrize("kind", KINDS)
def test_single_answers_and_slices_are_readable_after_their_index_is_closed(sample: Sample, kind: str) -> None:
    wanted = sample.index.search(QUERY, **KINDS[kind])
    with opened(sample) as index:
        best, few = index.search(QUERY, **KINDS[kind])[0], index.search(QUERY, **KINDS[kind])[1:3]

    assert best == wanted[0]
    assert repr(best) == repr(wanted[0])
    assert pickle.loads(pickle.dumps(best)) == wanted[0]
    assert few == wanted[1:3]


def test_answers_print_after_their_index_is_closed(sample: Sample) -> None:
    with opened(sample) as index:
        answers = index.search(QUERY)
        element = answers[0].element

    lines = repr(answers).splitlines()
    assert lines[0] == f"{len(answers)} answers to '{QUERY}'"
    assert lines[2].split()[:2] == ["1", f"{answers[0].score:.4f}"]
    assert answers[0].path in lines[2]
    assert answers[0].path in answers._repr_html_()
    assert repr(answers[0]) == repr(sample.index.search(QUERY)[0])
    assert repr(element) == f"Element(row {element.row} of a closed index)"
    root = "/".join(answers[0].path.split("/")[:2])
    assert element != sample.index.element(answers[0].document, root)
    assert element == sample.index.element(answers[0].document, answers[0].path)


def test_texts_of_a_closed_index_raise_one_error(sample: Sample) -> None:
    with opened(sample) as index:
        answers = index.search(QUERY)
        element = answers[0].element

    uses = {
        "text": lambda: answers[0].text,
        "readable_text": lambda: answers[0].readable_text,
        "snippet": lambda: answers[0].snippet,
        "snippets": lambda: answers.snippets,
        "words": lambda: answers.words,
        "breadcrumbs": lambda: answers.breadcrumbs,
        "element": lambda: answers[0].element,
        "to_dict": lambda: answers.to_dict(text=True),
        "element.text": lambda: element.text,
        "element.path": lambda: element.path,
    }
    for name, use in uses.items():
        with pytest.raises(foxir.ClosedIndexError, match=r"sample\.foxir: the index is closed: open it again"):
            pytest.fail(f"{name}: {use()}")


def test_records_of_answers_of_a_closed_index_have_what_was_read(sample: Sample) -> None:
    wanted = sample.index.search(QUERY).to_dict()
    with opened(sample) as index:
        answers = index.search(QUERY)
        one = answers[1]
        assert one.snippet.text
        assert one.breadcrumb
    found = answers.to_dict()

    assert {**found, "seconds": 0} == {
        **wanted,
        "seconds": 0,
        "answers": [{**row, **dict.fromkeys(FROM_INDEX)} for row in wanted["answers"]],
    }
    assert one.to_dict() == {**wanted["answers"][1], "words": None, "fields": None}


def test_records_of_image_answers_of_a_closed_index_have_scores(sample: Sample) -> None:
    example = next((ROOT / "collections" / "images").rglob("*.png"))
    with opened(sample) as index:
        answers = index.search("light", image=example)
        wanted = answers.to_dict()["answers"]
        again = index.search("light", image=example)

    without = dict.fromkeys((*FROM_INDEX, "image"))
    assert any(row["image"] for row in wanted)
    assert again.to_dict()["answers"] == [{**row, **without} for row in wanted]


def test_closing_an_index_reads_nothing_for_answers_that_are_gone(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    keep = foxir.Answers._keep

    def counted(answers: foxir.Answers) -> None:
        read.append(len(answers))
        keep(answers)

    monkeypatch.setattr(foxir.Answers, "_keep", counted)
    with opened(sample) as index:
        gone = weakref.ref(index.search(QUERY))
        answers = index.search(QUERY)
        gc.collect()
        assert gone() is None

    assert read == [len(answers)]


def test_a_search_reads_no_path(sample: Sample) -> None:
    with opened(sample) as index:
        answers = index.search(QUERY)

        assert not {"documents", "paths", "spans"} & vars(answers).keys()


def test_answers_that_could_not_be_read_at_closing_print_without_an_error(sample: Sample) -> None:
    index = opened(sample)
    answers = index.search(QUERY)
    best = answers[0]
    index.reader.close()  # as another thread may, before these answers are registered

    assert repr(answers) == f"{len(answers)} answers to '{QUERY}', of a closed index"
    assert answers._repr_html_() == f"<p>{len(answers)} answers to &#x27;{QUERY}&#x27;, of a closed index</p>"
    assert repr(best) == f"Answer(1, score={best.score:.4f}, of a closed index)"
    index.close()


@pytest.mark.parametrize("name", ["query", "place", "_places", "no_such_name"])
def test_answers_cannot_be_changed(sample: Sample, name: str) -> None:
    answers: Any = sample.index.search(QUERY)
    hashes = hash(answers), hash(answers[0])

    with pytest.raises(AttributeError, match=f"Answers cannot be changed: '{name}'"):
        setattr(answers, name, "x")
    with pytest.raises(AttributeError, match=f"Answer cannot be changed: '{name}'"):
        setattr(answers[0], name, 3)
    with pytest.raises(AttributeError, match="Answers cannot be changed: 'query'"):
        del answers.query

    assert (hash(answers), hash(answers[0])) == hashes


def test_a_closed_index_is_refused_by_with(sample: Sample) -> None:
    with pytest.raises(foxir.ClosedIndexError, match="the index is closed: open it again"), sample.closed:
        pass


@pytest.mark.parametrize("row", [-1, 10**9, 1.5, "1", True, None])
def test_an_element_has_a_row_of_its_index(sample: Sample, row: Any) -> None:
    expected = foxir.ArgumentError if type(row) is int else TypeError
    with pytest.raises(expected, match="row: expected"):
        foxir.Element(sample.index.reader, row)
    make: Any = foxir.Element
    with pytest.raises(TypeError, match=r"Index\.element returns"):
        make(sample.index, 0)


def test_a_relative_folder_means_the_index_that_was_opened(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, words in (("one", "<a><p>fog</p></a>"), ("other", "<a><p>lens</p></a>")):
        (tmp_path / name / "source").mkdir(parents=True)
        (tmp_path / name / "source" / "a.xml").write_text(words)
        foxir.build_index(tmp_path / name / "source", into=tmp_path / name / "x.foxir", profile="none")
    monkeypatch.chdir(tmp_path / "one")
    with foxir.open_index("x.foxir") as index:
        shown, answers = repr(index), index.search("fog")
        assert shown == "Index('x.foxir', documents=1, generation=1)"
        monkeypatch.chdir(tmp_path / "other")

        assert index.is_current
        assert not index.refresh()
        assert index.report().documents == 1
        index.verify()
        assert index.folder == tmp_path / "one" / "x.foxir"
        (tmp_path / "one" / "source" / "b.xml").write_text("<a><p>fog fog</p></a>")
        foxir.build_index(tmp_path / "one" / "source", into=index.folder, profile="none")
        assert not index.is_current
        assert index.refresh()
        assert repr(index) == "Index('x.foxir', documents=2, generation=2)"
        assert len(index.search("fog")) == 2
        assert answers[0].text == "fog"


@pytest.mark.parametrize("damage", ["missing", "damaged", "a folder"])
def test_a_report_that_cannot_be_read_is_an_error(writable: Path, damage: str) -> None:
    report = writable / "ingest.json"
    if damage == "damaged":
        report.write_text(report.read_text().replace('"documents"', '"documents" '))
    else:
        report.unlink()
    if damage == "a folder":
        report.mkdir()
    with foxir.open_index(writable) as index, pytest.raises(foxir.IndexFormatError, match=r"ingest\.json: "):
        index.report()


def test_the_report_of_a_folder_given_as_text_is_read(writable: Path) -> None:
    report = foxir.IngestReport.read_from(str(writable))

    foxir.IngestReport.verify(str(writable))
    report.write(str(writable))

    assert foxir.IngestReport.load(str(writable)) == report
    assert report.documents > 0


READS: tuple[tuple[str, Callable[[foxir.Index], object]], ...] = (
    ("search", lambda index: [each.to_dict() for each in index.search(QUERY)[:3]]),
    ("passages", lambda index: [each.text for each in index.search(QUERY, passages=True)[:3]]),
    ("path query", lambda index: index.search("//sec[about(., fog signal)]//p").paths),
    ("text", lambda index: index.text(index.documents[0])),
    ("element", lambda index: index.element(index.documents[0], "/*").children if len(index) else None),
    ("repr", lambda index: repr((index, index.reader))),
    ("length", lambda index: index.locator.length(index.documents[0])),
)


@pytest.mark.parametrize(("name", "read"), READS, ids=[name for name, _ in READS])
def test_closing_at_any_call_of_a_read_ends_it_in_one_error_if_at_all(
    sample: Sample, name: str, read: Callable[[foxir.Index], object]
) -> None:
    """As a thread that closes the index between two steps of another one."""
    random = Random(effort(5, 0) or None)
    ended = 0
    for turn in range(effort(12, 400)):
        index = opened(sample)
        left = random.randrange(300) if turn else 0

        def step(frame: object, event: str, argument: object, index: foxir.Index = index) -> None:
            nonlocal left
            left -= 1
            if left < 0 and not index.is_closed:
                sys.setprofile(None)
                index.close()

        sys.setprofile(step)
        try:
            read(index)
        except foxir.ClosedIndexError:
            ended += 1
        except foxir.QueryError:
            assert name == "element"
        finally:
            sys.setprofile(None)
            index.close()
    assert ended or name in ("repr", "element")


def test_at_each_step_of_closing_the_index_is_open_or_closed(sample: Sample) -> None:
    """As a thread that reads between two steps of one that closes the index."""
    index = opened(sample)
    reader, found = index.reader, set[str]()

    def step(frame: object, event: str, argument: object) -> None:
        sys.setprofile(None)
        for name in ("statistics", "segments", "ids", "elements", "n_documents", "live"):
            try:
                getattr(reader, name)
                found.add("open")
            except foxir.ClosedIndexError:
                found.add("closed")
        sys.setprofile(step)

    sys.setprofile(step)
    try:
        index.close()
    finally:
        sys.setprofile(None)
    assert found == {"open", "closed"}
