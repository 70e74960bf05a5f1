"""Answers are values: printed, compared, sliced, pickled."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import foxir
from foxir.results.answer_table import html_table, text_table
from tests.foxir.conftest import Sample

KINDS = {
    "elements": {},
    "by structure": {"named": "H-oCRE-MpE"},
    "articles": {"approach": "fulltext"},
    "native": {"named": "eXist"},
    "passages": {"passages": True, "max_sentences": 3},
    "budget": {"word_budget": 900},
    "path query": {"reading": "VV"},
}


def answers_of(sample: Sample, kind: str) -> foxir.Answers:
    query = "//sec[about(., fog signal)]" if kind == "path query" else "fog signal range"
    return sample.index.search(query, **KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_answers_agree(sample: Sample, kind: str) -> None:
    answers = answers_of(sample, kind)

    assert len(answers) > 1
    for place, answer in enumerate(answers):
        assert answer.rank == answers.ranks[place] == place + 1
        assert answer.score == answers.scores[place]
        assert answer.rsv == answers.rsv[place]
        assert answer.article_rank == answers.article_ranks[place]
        assert answer.article_score == answers.article_scores[place]
    fresh = answers_of(sample, kind)
    for place, answer in enumerate(fresh):  # one by one, before any column was made
        assert answer.path == answers.paths[place]
        assert answer.document == answers.documents[place]
        assert [answer.start, answer.end] == answers.spans[place].tolist()
        assert answer.text == sample.index.text(answer.document)[answer.start : answer.end]
        assert len(answer.text) == answer.size
    few, every = answers_of(sample, kind)[1:4], answers_of(sample, kind).paths
    assert [answer.path for answer in few] == list(few.paths) == list(every[1:4])  # computed together
    shown = answers_of(sample, kind).at([3, 0, 2])
    for place, rank in enumerate([4, 1, 3]):
        assert shown[place] == answers[rank - 1]
        assert shown.words[place] == answers[rank - 1].words
        assert shown.snippets[place] == answers[rank - 1].snippet
        assert shown.breadcrumbs[place] == answers[rank - 1].breadcrumb
    assert answers.spans.dtype == answers.ranks.dtype == answers.article_ranks.dtype == shown.words.dtype == np.int64
    assert answers.spans.shape == (len(answers), 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.long
def test_pickled_answers_are_equal_and_open_the_index_for_texts(sample: Sample, kind: str) -> None:
    answers = answers_of(sample, kind)
    again = pickle.loads(pickle.dumps(answers))

    assert again == answers
    assert hash(again) == hash(answers)
    assert again.settings == answers.settings
    assert again.interpretation == answers.interpretation
    assert again[:3].to_dict(text=True)["answers"] == answers[:3].to_dict(text=True)["answers"]
    assert repr(again) == repr(answers)
    one = pickle.loads(pickle.dumps(answers[1]))
    assert one == answers[1]
    assert (one.rank, one.text) == (2, answers[1].text)


def test_pickled_answers_of_a_generation_that_is_gone_keep_their_columns(writable: Path) -> None:
    with foxir.open_index(writable) as index:
        answers = index.search("fog signal")
        pickled = pickle.dumps(answers)
        paths, spans = answers.paths, answers.spans
    (writable.parent / "more").mkdir()
    (writable.parent / "more" / "new.xml").write_text("<a><p>fog</p></a>")
    foxir.build_index(writable.parent / "more", into=writable)
    newer = pickle.loads(pickled)
    shutil.rmtree(writable)
    none = pickle.loads(pickled)

    for again in (newer, none):
        assert again.paths == paths
        assert again[0].path == paths[0]
        assert (again.spans == spans).all()
        assert paths[0][-20:] in repr(again)
        with pytest.raises(foxir.IndexFormatError):
            _ = again[0].text


def test_a_slice_keeps_ranks(sample: Sample) -> None:
    answers = answers_of(sample, "elements")
    tail = answers[5:9]

    assert isinstance(tail, foxir.Answers)
    assert [answer.rank for answer in tail] == tail.ranks.tolist() == [6, 7, 8, 9]
    assert list(tail) == list(answers)[5:9]
    assert tail[1:][0] == answers[6]
    assert answers[-1] == list(answers)[-1]
    assert tail.paths == answers.paths[5:9]
    assert pickle.loads(pickle.dumps(tail)) == tail != answers
    assert answers[::-1][0] == answers[-1]
    assert len(answers[3:3]) == 0
    assert answers[3:3].snippets == answers[3:3].breadcrumbs == ()
    with pytest.raises(IndexError, match="answer 4 of 4"):
        tail[4]
    with pytest.raises(TypeError, match="int or slice"):
        tail["a"]  # type: ignore[call-overload]


def test_answers_differ_by_query_and_content(sample: Sample) -> None:
    one, other = (sample.index.search(query) for query in ("fog signal", "fog signals"))

    assert one == sample.index.search("fog signal")
    assert one != other
    assert one[0] != one[1]
    assert one != "fog signal"
    assert len({one, other, sample.index.search("fog signal")}) == 2


def test_answers_print_as_a_small_table(sample: Sample) -> None:
    answers = answers_of(sample, "elements")
    lines = repr(answers).splitlines()

    assert lines[0] == f"{len(answers)} answers to 'fog signal range'"
    assert lines[1].split() == ["rank", "score", "document", "path", "snippet"]
    assert lines[-1] == f"and {len(answers) - 10} more"
    assert len(lines) == 13
    assert max(map(len, lines)) <= 120
    best = answers[0]
    assert repr(best) == f"Answer(1, {best.document!r}, {best.path!r}, score={best.score:.4f})"
    assert repr(answers[:1]).splitlines()[0] == "1 answer to 'fog signal range'"
    assert repr(sample.index.search("xyzzy")) == "0 answers to 'xyzzy'"


class Hostile:
    """An answer whose texts would steer a terminal or a browser."""

    rank, score, document, path = 1, 1.0, "<b>\x1b[31m", "/a[1]/<script>[1]"

    @property
    def snippet(self) -> foxir.Snippet:
        return foxir.Snippet("<i>fog</i> \x1b]0;x\x07", ((3, 6),))


def test_tables_escape_what_they_show() -> None:
    text = text_table("1 answer to '\x1b'", [Hostile()])
    html = html_table("1 answer to '<fog>'", [Hostile()])

    assert "\x1b" not in text
    assert "\\x1b" in text
    assert "<script>" not in html
    assert "&lt;fog&gt;" in html
    assert "&lt;i&gt;<b>fog</b>&lt;/i&gt;" in html


def test_html_is_short_and_balanced(sample: Sample) -> None:
    html = answers_of(sample, "elements")._repr_html_()

    assert html.count("<tr>") == html.count("</tr>") == 11
    assert len(html) < 8000
    assert "<b>fog</b>" in html


@pytest.mark.parametrize("column", ["ranks", "spans", "scores", "rsv", "article_ranks", "article_scores"])
def test_columns_are_read_only_also_after_pickling(sample: Sample, column: str) -> None:
    answers = sample.index.search("lens")

    for each in (answers, answers[:2], pickle.loads(pickle.dumps(answers))):
        with pytest.raises(ValueError, match="read-only"):
            getattr(each, column)[0] = 77
