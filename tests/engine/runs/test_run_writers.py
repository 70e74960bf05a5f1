"""Written runs round-trip; files are replaced atomically."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import RunFormatError
from engine.runs import Ranking, Run, read_run, write_run
from engine.runs.run import Place, passage_id, place
from tests.trust.soak import effort

quick = settings(
    max_examples=effort(6, 500, thorough=150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

PRINTED = st.characters(exclude_categories=["C", "Z"])  # neither blank nor control
NAMES = st.text(PRINTED, min_size=1, max_size=8).filter(lambda name: name[0] != "<")
PATHS = st.sampled_from(["/article[1]", "/article[1]/bdy[1]/sec[2]", "/a[1]/é[3]"])
SCORES = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.integers(0, 2**63 - 1)
LINES = st.text(PRINTED, max_size=8)

PLACES = {
    "document": st.just({}),
    "path": st.fixed_dictionaries({"path": PATHS}),
    "entry": st.fixed_dictionaries({"start": NUMBERS}),
    "passage": st.fixed_dictionaries({"start": NUMBERS, "length": NUMBERS}),
    "range": st.fixed_dictionaries({"pointers": st.tuples(PATHS, PATHS)}),
}


def ranking_of(topic: str, rows: list[tuple[str, float, dict[str, Any]]]) -> Ranking:
    places = [place for _, _, place in rows]
    return Ranking.ranked(
        topic,
        [document for document, _, _ in rows],
        [place.get("path") for place in places],
        rsv=[rsv for _, rsv, _ in rows],
        starts=[place.get("start", -1) for place in places],
        lengths=[place.get("length", -1) for place in places],
        pointers={i: place["pointers"] for i, place in enumerate(places) if "pointers" in place},
    )


def results(run: Run) -> dict[str, list[Any]]:
    return {
        topic: [list(r.documents), list(r.paths), r.rsv.tolist(), r.starts.tolist(), r.lengths.tolist(), r.pointers]
        for topic, r in run.rankings.items()
    }


@st.composite
def runs(draw: st.DrawFn, places: st.SearchStrategy[dict[str, Any]], min_results: int = 0) -> Run:
    rows = st.lists(st.tuples(NAMES, SCORES, places), min_size=min_results, max_size=4)
    rankings = draw(st.dictionaries(NAMES, rows, min_size=1, max_size=3))
    return Run(
        run_id=draw(NAMES),
        rankings={topic: ranking_of(topic, found) for topic, found in rankings.items()},
        participant=draw(LINES),
        task=draw(LINES),
        query=draw(st.sampled_from(["automatic", "manual"])),
        description=draw(LINES),
        settings=draw(
            st.dictionaries(
                st.text("abz_", min_size=1, max_size=4), st.text(max_size=8) | st.text(' "\\n', max_size=8), max_size=3
            )
        ),
        topic_fields=draw(st.dictionaries(st.sampled_from(["title", "castitle"]), st.sampled_from(["yes", "no"]))),
        collections=draw(st.lists(LINES, max_size=2)),
    )


@quick
@given(run=runs(st.one_of(*PLACES.values())))
def test_an_inex_submission_round_trips(run, tmp_path):
    write_run(run, tmp_path / "run.xml")
    back = read_run(tmp_path / "run.xml")

    assert results(back) == results(run)
    for name in ("run_id", "participant", "task", "query", "description", "settings", "topic_fields"):
        assert getattr(back, name) == getattr(run, name), name
    assert list(back.collections) == list(run.collections)


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.trec", "trec"),
        ("a.TREC.gz", "trec"),
        ("a.fol", "fol"),
        ("a.fol.xml", "inex"),
        ("trec", "inex"),
        ("a", "inex"),
    ],
)
def test_the_format_follows_from_the_name(tmp_path, name, format):
    run = Run("me", {"1": Ranking.ranked("1", ["d", "d"], ["/a[1]", "/a[1]/b[1]"])})
    write_run(run, tmp_path / name)
    write_run(run, tmp_path / "named", format)

    read = read_run(tmp_path / name)
    assert (read.format, read.n_results) == (format, 1 if format == "trec" else 2)
    assert results(read) == results(read_run(tmp_path / "named"))


@quick
@given(kind=st.sampled_from(["path", "entry", "passage", "range"]), data=st.data())
def test_a_text_run_round_trips_with_locations(kind, data, tmp_path):
    run = data.draw(runs(PLACES[kind], min_results=1))
    write_run(run, tmp_path / "run.txt", "fol")
    back = read_run(tmp_path / "run.txt")

    assert (results(back), back.run_id, back.format) == (results(run), run.run_id, "fol")


@quick
@given(run=runs(PLACES["document"], min_results=1))
def test_a_trec_run_round_trips_with_each_document_once(run, tmp_path):
    write_run(run, tmp_path / "run.txt", "trec")
    back = read_run(tmp_path / "run.txt")

    assert (back.run_id, back.format) == (run.run_id, "trec")
    for topic, ranking in run.rankings.items():
        assert list(back.rankings[topic].documents) == list(dict.fromkeys(ranking.documents))


def test_trec_keeps_the_score_of_the_first_result_of_a_document(tmp_path):
    ranking = Ranking.ranked("1", ["a", "b", "a"], ["/p[1]", "/p[1]", "/p[2]"], rsv=[3, 2, 1])
    write_run(Run("me", {"1": ranking}), tmp_path / "run.txt", "trec")

    assert (tmp_path / "run.txt").read_text() == "1 Q0 a 1 3.0 me\n1 Q0 b 2 2.0 me\n"


def test_results_without_location_among_passages_are_written_as_x(tmp_path):
    ranking = Ranking.ranked("1", ["a", "b"], starts=[4, -1], lengths=[5, -1])
    write_run(Run("me", {"1": ranking}), tmp_path / "run.txt", "fol")

    assert (tmp_path / "run.txt").read_text() == "1 Q0 a 1 2.0 me 4 5\n1 Q0 b 2 1.0 me X X\n"


def test_offsets_are_preferred_to_paths_in_text_runs(tmp_path):
    run = Run("me", {"1": Ranking.ranked("1", ["a"], ["/p[1]"], starts=[4], lengths=[5])})
    write_run(run, tmp_path / "run.txt", "fol")
    write_run(run, tmp_path / "run.xml", "inex")

    assert (tmp_path / "run.txt").read_text() == "1 Q0 a 1 1.0 me 4 5\n"
    assert list(read_run(tmp_path / "run.xml").rankings["1"].paths) == ["/p[1]"]


def test_settings_are_readable_in_the_description(tmp_path):
    run = Run("me", {}, description="A try.", settings={"similarity": "pcosine", "s": "0.2"})
    write_run(run, tmp_path / "run.xml")

    text = "<description>A try.\nSettings:\nsimilarity = pcosine\ns = 0.2</description>"
    assert text in (tmp_path / "run.xml").read_text()


def test_gz_files_are_compressed_with_reproducible_bytes(tmp_path):
    run = Run("me", {"1": Ranking.ranked("1", ["a"])})
    write_run(run, tmp_path / "one.gz")
    write_run(run, tmp_path / "two.gz")

    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()).startswith(b"<?xml")
    assert results(read_run(tmp_path / "one.gz")) == results(run)


@pytest.mark.parametrize(
    ("run", "format", "expected"),
    [
        (Run("me", {"1": Ranking.ranked("1", ["a b"])}), "trec", r"'a b' \(topic '1', rank 1\) is empty or contains"),
        (Run("me", {"<1": Ranking.ranked("<1", ["a"])}), "trec", "topic '<1': a text run cannot begin with it"),
        (Run("", {"1": Ranking.ranked("1", ["a"])}), "trec", r"'' \(topic '1', rank 1\) is empty or contains"),
        (Run("me", {"1": Ranking.ranked("1", ["a\0"])}), "inex", r"'\\x00' in .* is not allowed in XML"),
        (Run("me", {"1": Ranking.ranked("1", ["a "])}), "inex", "document 'a ' is empty or begins or ends"),
        (Run("me", {"1": Ranking.ranked("1", ["\ud800"])}), "trec", "is not a Unicode character"),
        (
            Run("me", {"1": Ranking.ranked("1", ["a", "b"], ["/p[1]", None], starts=[-1, 3], lengths=[-1, 4])}),
            "fol",
            "mixes results of the kinds passage, path",
        ),
    ],
)
def test_a_run_that_a_format_cannot_represent_is_refused_and_not_written(tmp_path, run, format, expected):
    with pytest.raises(RunFormatError, match=expected):
        write_run(run, tmp_path / "run", format)
    assert list(tmp_path.iterdir()) == []


def test_the_old_file_survives_a_failed_write(tmp_path, monkeypatch):
    target = tmp_path / "run.xml"
    target.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunFormatError, match="No space left on device"):
        write_run(Run("me", {"1": Ranking.ranked("1", ["a"])}), target)
    assert (list(tmp_path.iterdir()), target.read_text()) == ([target], "old")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(RunFormatError, match=r"none/run\.xml: cannot be written: there is no folder '.*none'"):
        write_run(Run("me", {}), Path(tmp_path / "none" / "run.xml"))


def test_an_unknown_format_is_a_programming_mistake(tmp_path):
    with pytest.raises(ValueError, match="format 'csv': expected one of inex, fol, trec"):
        write_run(Run("me", {}), tmp_path / "run", "csv")


def test_a_setting_whose_name_has_blanks_is_a_programming_mistake(tmp_path):
    with pytest.raises(ValueError, match="expected a name without blanks"):
        write_run(Run("me", {}, settings={"a b": "1"}), tmp_path / "run")


# Ids of passages, and back.


DOCUMENTS = st.text(min_size=1, max_size=12)
WHOLE_NUMBERS = st.integers(0, 10**17)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("na/1", Place("na/1")),
        ("na/1#/article[1]/p[2]", Place("na/1", "/article[1]/p[2]")),
        ("na/1#70:12", Place("na/1", None, 70, 12)),
        ("c#1", Place("c#1")),
        ("c#sharp#0:5", Place("c#sharp", None, 0, 5)),
        ("#0:5", Place("#0:5")),
    ],
)
def test_an_id_names_a_place(identifier: str, expected: Place) -> None:
    assert place(identifier) == expected


@settings(max_examples=effort(6, 1250, thorough=50))
@given(DOCUMENTS, WHOLE_NUMBERS, WHOLE_NUMBERS)
def test_an_id_of_offsets_is_read_back(document: str, start: int, length: int) -> None:
    assert place(passage_id(document, "/ignored[1]", start, length)) == Place(document, None, start, length)


@settings(max_examples=effort(6, 1250, thorough=50))
@given(DOCUMENTS)
def test_an_id_of_a_path_is_read_back(document: str) -> None:
    assert place(passage_id(document, "/article[1]/sec[2]")) == Place(document, "/article[1]/sec[2]")
