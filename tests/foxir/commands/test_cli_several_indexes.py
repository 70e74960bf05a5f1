"""Several indexes as one on the command line and in the service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.foxir.commands.command import COLLECTIONS, TOPICS, foxir
from tests.foxir.service.living import client


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two indexes, together of the documents of the sample collection."""
    folder = tmp_path_factory.mktemp("parts")
    places = folder / "jats.foxir", folder / "others.foxir"
    for place, names in zip(places, (["jats"], ["tei", "ieee"]), strict=True):
        sources = [COLLECTIONS / name for name in names]
        assert foxir("index", place, *sources, "--stem", "none", "--no-images").status == 0
    return places


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole") / "whole.foxir"
    sources = [COLLECTIONS / name for name in ("jats", "tei", "ieee")]
    assert foxir("index", place, *sources, "--stem", "none", "--no-images").status == 0
    return place


def test_several_indexes_answer_as_one_index_of_all_documents(parts: tuple[Path, Path], whole: Path) -> None:
    for options in ((), ("--passages",), ("--named", "H-oCRE-MpE")):
        one = foxir("search", whole, "fog signal", "--json", *options).json
        for places in (parts, (",".join(map(str, parts)),)):
            several = foxir("search", *places, "fog", "signal", "--json", *options).json
            assert several["answers"] == one["answers"]
            assert several["total"] == one["total"]


def test_a_word_like_an_index_is_a_word(whole: Path) -> None:
    for word in ("other.foxir", "either/or", "http://x.foxir"):
        outcome = foxir("search", whole, word, "fog", "--json")
        assert outcome.status == 0
        assert outcome.json["total"] > 0
        assert ("there is no such index" in outcome.err) == (word == "other.foxir")


@pytest.mark.long
def test_explain_show_info_and_run_take_several_indexes(parts: tuple[Path, Path], tmp_path: Path) -> None:
    both = ",".join(map(str, parts))
    best = foxir("search", both, "fog signal", "--json").json["answers"][0]
    place = best["document"], best["path"]
    assert "rank 1" in foxir("explain", *parts, "fog", "signal", *place).out
    assert foxir("show", both, *place).status == 0
    told = foxir("info", both, "--json").json
    assert (told["documents"], told["skipped"]) == (34, 0)
    assert told["terms"] > 0
    assert foxir("info", *parts, "--json").json == told
    assert foxir("show", *parts, *place).status == 0
    for places in ((both,), parts):
        outcome = foxir("run", "--out", tmp_path / "r.xml", "-q", "--topics", "1", *places, TOPICS / "co")
        assert outcome.status == 0
    missing = foxir("info", parts[0], tmp_path / "no.foxir")
    assert (missing.status, "no.foxir: not a foxir index" in missing.err) == (2, True)


def test_unlike_indexes_are_refused_in_one_line(parts: tuple[Path, Path], tmp_path: Path) -> None:
    stemmed = tmp_path / "stemmed.foxir"
    assert foxir("index", stemmed, COLLECTIONS / "tei", "--stem", "english", "--no-images").status == 0
    for places in ((parts[0], stemmed), (f"{parts[0]},{stemmed}",)):
        outcome = foxir("search", *places, "fog")
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith("foxir: several indexes as one: stemming none in ")
        assert outcome.err.count("\n") == 1


def test_the_service_names_several_indexes_after_all(parts: tuple[Path, Path], whole: Path) -> None:
    with client(Path(",".join(map(str, parts))), parts[0]) as web:
        found = web.get("/api/search", params={"q": "fog signal", "index": "jats,others"}).json()
        best = found["answers"][0]
        expected = foxir("search", whole, "fog signal", "--json").json["answers"][0]
        assert (best["document"], best["score"]) == (expected["document"], expected["score"])
        read = web.get("/api/read", params={"document": best["document"], "path": best["path"], "index": "jats,others"})
        assert read.status_code == 200


def test_a_name_of_several_indexes_is_no_place_for_one(parts: tuple[Path, Path]) -> None:
    outcome = foxir("index", ",".join(map(str, parts)), COLLECTIONS / "jats")
    assert outcome.status == 2
    assert "names several indexes" in outcome.err


def test_repeated_conditions_are_all_fulfilled_and_repeated_facets_all_counted(whole: Path) -> None:
    conditions = "year >= 1990", "year < 2010"
    both = foxir("search", whole, "fog", "--json", "--where", " and ".join(conditions), "--facets", "year,author").json
    repeated = (option for value in conditions for option in ("--where", value))
    found = foxir("search", whole, "fog", "--json", *repeated, "--facets", "year", "--facets", "author").json
    assert 0 < found["total"] == both["total"]
    assert found["facets"] == both["facets"]
