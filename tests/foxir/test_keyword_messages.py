"""Errors and notices of calls from Python name keywords, those of commands options."""

from __future__ import annotations

import re

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
        message = "\n".join(foxir.score(QRELS, overlapping, topics="1", **given).notices)
    except foxir.FoxirError as error:
        message = str(error)
    assert expected in message
    assert not OPTION.search(message)
