"""Errors and notices of calls from Python name keywords."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import foxir
from tests.foxir.conftest import ROOT, Sample

OPTION = re.compile(r"(?<!\w)--[a-z]")
QRELS = ROOT / "topics/qrels.txt"


@pytest.fixture
def overlapping(tmp_path):
    run = tmp_path / "overlapping.txt"
    run.write_text(
        "1 Q0 jats/fx-001 1 9 overlapping /article[1]\n1 Q0 jats/fx-001 2 8 overlapping /article[1]/body[1]\n"
    )
    return run


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"measures": "focused"}, 'options={"overlapping": "union"}'),
        ({"measures": "ric"}, 'options={"overlapping": "union"}'),
        ({"measures": "hixeval", "index": None}, "(index= gives sizes)"),
        ({"measures": "xcg", "index": None}, 'measures="trec" scores whole documents'),
        ({"measures": "hixeval:AP", "options": {"quant": "strict"}}, "quant"),
    ],
)
def test_messages_of_a_score_name_keywords(sample: Sample, overlapping, options, expected):
    given = {"index": sample.index, **options}
    try:
        message = "\n".join(map(str, foxir.score(QRELS, overlapping, only="1", **given).notices))
    except foxir.FoxirError as error:
        message = str(error)
    assert expected in message
    assert not OPTION.search(message)


@pytest.mark.parametrize("called", [foxir.score, foxir.compare, foxir.correlate])
def test_notices_of_topics_without_results_name_keywords(called, sample: Sample):
    runs = [
        replace(each, rankings={topic: each.rankings[topic] for topic in "12"}) for each in (sample.run, sample.other)
    ]
    measures = "hixeval:AP" if called is not foxir.correlate else ["hixeval:AP", "hixeval:P@1"]

    notices = called(sample.qrels, runs, measures, index=sample.index).notices

    assert any(str(notice).endswith('they count as 0; only="1,2" leaves them out') for notice in notices)
    assert not any(OPTION.search(str(notice)) for notice in notices)


def test_the_path_of_an_element_is_refused_with_the_call_that_returns_it(sample: Sample):
    best = sample.index.search("fog signal")[0]
    path = best.path

    with pytest.raises(foxir.QueryError, match=re.escape("index.element(document, path) shows this element")):
        sample.index.search(path)
    with pytest.raises(foxir.QueryError, match=re.escape("index.element(document, path) shows one element")):
        sample.index.explain("//sec[about(., fog)]/p[2]", best.document, best.path)
    (notice, *_) = sample.index.search(path, syntax="keywords").notices
    assert "index.element(document, path) shows the element" in str(notice)
