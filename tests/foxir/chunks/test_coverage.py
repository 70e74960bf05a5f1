"""The share of the highlighted text that chunks contain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import foxir
from engine.notices import Notice
from foxir.chunks.chunkers import cut
from foxir.chunks.collection import Pieces
from foxir.chunks.comparison import coverage
from tests.foxir.conftest import ROOT

TOPICS, QRELS = ROOT / "topics/co", ROOT / "topics/qrels.txt"


def pieces(*rows):
    document, start, end = np.array(rows, np.int64).reshape(-1, 3).T
    return Pieces(document, start, end, np.empty(0, np.int64))


def place(collection, document, words):
    """Return a piece that is these words of a document."""
    start = collection.text(document).index(words)
    return document, start, start + len(words)


def test_coverage_counts_highlighted_words_in_chunks_once(collection):
    # 4 + 2 highlighted words; of the first two chunks, which overlap, 3 are highlighted, of the third none
    highlighted = pieces(place(collection, 1, "The moon number 1"), place(collection, 3, "Then more"))
    chunks = pieces(
        place(collection, 1, "moon number"), place(collection, 1, "number 1 raises"), place(collection, 2, "Then more")
    )
    assert coverage(collection, chunks, highlighted) == pytest.approx(3 / 6)
    assert coverage(collection, cut(collection, "documents").units, highlighted) == 1.0
    assert coverage(collection, cut(collection, "paragraphs:title").units, highlighted) == 0.0
    assert coverage(collection, chunks, pieces()) is None


def test_white_space_between_chunks_is_not_missing(collection):
    everything = pieces(*(place(collection, document, collection.text(document)) for document in range(4)))
    assert coverage(collection, cut(collection, lambda text: [(0, 4), (5, len(text))]).units, everything) == 1.0


@pytest.mark.long
def test_chunks_that_leave_out_much_highlighted_text_are_reported(sample):
    compared = foxir.evaluate_chunks(
        *(sample.index, TOPICS, QRELS, ["documents", "paragraphs:list"], ["bm25", "bm25+4"]), only="1-6"
    )
    foxirs, _, documents, _, lists, _ = compared.to_dict()["measures"][0]["systems"]
    assert (foxirs["covered"], documents["covered"]) == (None, 1.0)
    assert lists["covered"] < 0.5
    (doubt,) = (each for each in compared.notices if isinstance(each, Notice) and each.code == "chunks_leave_out")
    assert doubt.fields == {"chunker": "paragraphs:list", "covered": pytest.approx(100 * lists["covered"])}


@pytest.mark.long
def test_judgements_that_highlight_nothing_have_no_coverage(sample):
    judged = foxir.read_assessments(QRELS)
    (first, *_) = foxir.expand_assessments(judged, sample.index).topics.values()
    grades = foxir.Assessments("grades", "2005", {first.topic: without_passages(first)})
    compared = foxir.evaluate_chunks(sample.index, TOPICS, grades, "documents", measures=["inex_eval:AP"])
    assert {cut.covered for cut in compared.cuts if cut} == {None}


def without_passages(judgements):
    """Return judgements of elements alone."""
    kept = judgements.passages.of_documents(np.zeros(len(judgements.documents), bool))
    return replace(judgements, passages=replace(kept, document_rows=np.empty(0, np.int64)))
