"""Text runs are read in rank order; invalid files are refused with the line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from engine.errors import RunFormatError
from engine.notices import Notice
from engine.runs import Ranking, Run, read_run
from tests.shared_data import INEX_2009, shared


def read(tmp_path: Path, text: str) -> Run:
    file = tmp_path / "a.run"
    file.write_text(text, encoding="utf-8")
    return read_run(file)


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(RunFormatError) as error:
        read(tmp_path, text)
    return str(error.value).removeprefix(f"{tmp_path}/a.run")


def test_six_columns_are_a_run_of_documents(tmp_path):
    run = read(tmp_path, "1 Q0 b 1 2.5 me\n1 Q0 a 2 1e-3 me\n\n2 Q0 c 1 -4 me\n")

    assert (run.run_id, run.format, run.n_results, run.notices) == ("me", "trec", 3, ())
    first = run.rankings["1"]
    assert (list(first.documents), list(first.paths)) == (["b", "a"], [None, None])
    assert first.rsv.tolist() == [2.5, 0.001]
    assert first.starts.tolist() == first.lengths.tolist() == [-1, -1]
    assert run.rankings["2"].lines.tolist() == [4]


def test_seven_columns_may_be_an_element_path(tmp_path):
    run = read(tmp_path, "2009001 Q0 12345 1 0.99 me /article[1]/sec[1]\n")

    assert run.format == "fol"
    assert list(run.rankings["2009001"].paths) == ["/article[1]/sec[1]"]


def test_seven_columns_may_be_a_best_entry_point(tmp_path):
    ranking = read(tmp_path, "2009001 Q0 12345 1 0.99 me 100\n").rankings["2009001"]

    assert (list(ranking.paths), ranking.starts.tolist(), ranking.lengths.tolist()) == ([None], [100], [-1])


def test_eight_columns_may_be_offset_and_length(tmp_path):
    ranking = read(tmp_path, "2009001 Q0 12345 1 0.99 me 100 200\n").rankings["2009001"]

    assert (ranking.starts.tolist(), ranking.lengths.tolist()) == ([100], [200])


def test_eight_columns_may_be_a_range_of_elements(tmp_path):
    text = "1 Q0 d 2 0.5 me /article[1]/p[3] /article[1]/p[4]\n1 Q0 d 1 0.9 me /article[1]/p[1] /article[1]/p[2]\n"
    ranking = read(tmp_path, text).rankings["1"]

    assert ranking.pointers == {
        0: ("/article[1]/p[1]", "/article[1]/p[2]"),
        1: ("/article[1]/p[3]", "/article[1]/p[4]"),
    }


def test_results_without_location_are_counted(tmp_path):
    run = read(tmp_path, "1 Q0 d 1 2 me 5 7\n1 Q0 e 2 1 me X X\n")

    ranking = run.rankings["1"]
    assert (ranking.starts.tolist(), ranking.lengths.tolist()) == ([5, -1], [7, -1])
    assert run.notices == (Notice("unplaced_results", {"offset": "X", "results": 1}),)


def test_results_are_sorted_by_rank_not_by_line_or_score(tmp_path):
    run = read(tmp_path, "1 Q0 c 3 9 me\n1 Q0 a 1 8 me\n1 Q0 b 2 7 me\n")

    assert list(run.rankings["1"].documents) == ["a", "b", "c"]
    assert run.notices == (Notice("ranks_out_of_order", {"topics": 1}), Notice("rsv_rising", {"topics": 1}))


def test_extreme_scores_are_compared_without_overflow(tmp_path):
    run = read(tmp_path, "1 Q0 a 1 1.7e308 me\n1 Q0 b 2 -1.7e308 me\n2 Q0 a 1 -1.7e308 me\n2 Q0 b 2 1.7e308 me\n")

    assert run.notices == (Notice("rsv_rising", {"topics": 1}),)


def test_ranks_from_zero_or_with_gaps_are_renumbered_from_one(tmp_path):
    run = read(tmp_path, "1 Q0 a 0 9 me\n1 Q0 b 1 8 me\n2 Q0 a 0 2 me\n2 Q0 b 5 1 me\n")

    assert [ranking.ranks.tolist() for ranking in run.rankings.values()] == [[1, 2], [1, 2]]
    assert run.notices == (Notice("ranks_from_0", {"topics": 2}), Notice("ranks_with_gaps", {"topics": 1}))


def test_topics_may_be_interleaved_and_keep_the_order_of_the_file(tmp_path):
    run = read(tmp_path, "9 Q0 a 1 9 me\n10 Q0 b 1 8 me\n9 Q0 c 2 7 me\n")

    assert {topic: list(ranking.documents) for topic, ranking in run.rankings.items()} == {"9": ["a", "c"], "10": ["b"]}
    assert list(run.rankings) == ["9", "10"]


def test_duplicate_results_stay_and_are_counted(tmp_path):
    run = read(tmp_path, "1 Q0 a 1 2 me /article[1]\n1 Q0 a 2 1 me /article[1]\n")

    assert len(run.rankings["1"]) == 2
    assert run.notices == (Notice("duplicate_results", {"topics": 1}),)


@pytest.mark.parametrize(
    ("results", "expected"),
    [("a 1 3,b 1 2,c 2 1", "abc"), ("a 1 2,b 1 3,c 2 4", "cba"), ("a 2 3,b 1 3,c 2 2,d 1 2", "badc")],
)
def test_scores_decide_where_ranks_repeat(tmp_path: Path, results: str, expected: str) -> None:
    run = read(tmp_path, "".join(f"1 Q0 {result} me\n" for result in results.split(",")))

    assert "".join(run.rankings["1"].documents) == expected  # of equal scores, by the ranks
    assert run.notices == (Notice("ranks_repeated", {"topics": 1}),)


def test_several_run_ids_are_reported(tmp_path):
    run = read(tmp_path, "1 Q0 a 1 2 me\n1 Q0 b 2 1 you\n")

    assert (run.run_id, run.notices) == ("me", (Notice("several_run_ids", {"ids": 2, "first": "me"}),))


def test_gzip_byte_order_mark_and_crlf_are_read(tmp_path):
    file = tmp_path / "run.txt"
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf1 Q0 a 1 2 me\r\n"))

    assert read_run(file).rankings["1"].rsv.tolist() == [2.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ": the file contains no result: expected"),
        ("1 Q0 a 1 2 me\n1 Q0 b 2 1 me 7\n", ":2: found 7 columns where the first line has 6"),
        ("1\n", ":1: found 1 column ('1'): expected topic Q0"),
        ("1 Q0 a 1\n", ":1: found 4 columns ('1 Q0 a 1'): expected topic Q0"),
        ("1 Q0 10 300 1000 100 100:200\n", ":1: '1 Q0 10 300 1000 100 100:200' looks like a judgement"),
        ("1 Q0 10 0 800\n1 Q0 10 300 1000 100 1:2 3:4\n", ":1: '1 Q0 10 0 800' looks like a judgement"),
        ("1 Q0 a first 2 me\n", ":1: rank 'first' is not a whole number"),
        ("1 Q0 a -1 2 me\n", ":1: rank '-1' is not a whole number"),
        ("1 Q0 a ² 2 me\n", ":1: rank '²' is not a whole number"),
        (f"1 Q0 a 1 2 me\n1 Q0 b {10**30} 2 me\n", f":2: rank '{10**30}' is not a whole number below 2^63"),
        ("1 Q0 a 1 nan me\n", ":1: rsv 'nan' is not a finite number"),
        ("1 Q0 a 1 2 me\n1 Q0 b 2 -inf me\n", ":2: rsv '-inf' is not a finite number"),
        ("1 Q0 a 1 high me\n", ":1: rsv 'high' is not a finite number"),
        ("1 Q0 a 1 1_0 me\n", ":1: rsv '1_0' is not a finite number"),
        ("1 Q0 a 1 2 me\n1 Q0 c 2 2 me\n1 Q0 b 1 2 me\n", ":3: duplicate rank 1 in topic '1', first in line 1"),
        ("1 Q0 a 1 2 me 7 /p[1]\n", ":1: '7 /p[1]' mixes a path and an offset"),
        ("1 Q0 a 1 2 me /p[1]\n1 Q0 a 2 1 me 7\n", ":2: '7' is an offset; the first line has a path"),
        ("1 Q0 a 1 2 me 7 8\n1 Q0 a 2 1 me /p[1] /p[2]\n", ":2: '/p[1]' is a path; the first line has an offset"),
        ("1 Q0 a 1 2 me 7 -1\n", ":1: length '-1' is not a whole number"),
        ("1 Q0 a 1 2 me 1.5 3\n", ":1: offset '1.5' is not a whole number"),
    ],
)
def test_unreadable_runs_are_refused_with_the_line(tmp_path, text, expected):
    assert refusal(tmp_path, text).startswith(expected)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"1 Q0 a 1 2 me\n1 Q0 \xe9 2 1 me\n", ":2: byte 0xe9 is not UTF-8"),
        (
            "1 Q0 a 1 2 me".encode("utf-16"),
            ":1: byte 0xff is not UTF-8: expected a run as XML or as UTF-8 text. If it is",
        ),
        (b"\x1f\x8bnot gzip at all", ": cannot be read"),
        (gzip.compress(b"1 Q0 a 1 2 me\n" * 99, mtime=0)[:-12], ": cannot be read"),
    ],
)
def test_damaged_run_files_are_refused(tmp_path, data, expected):
    file = tmp_path / "a.run"
    file.write_bytes(data)

    with pytest.raises(RunFormatError) as error:
        read_run(file)
    assert str(error.value).startswith(f"{file}{expected}")
    assert ("iconv -f UTF-16 -t" in str(error.value)) == data.startswith(b"\xff\xfe")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(RunFormatError, match="none: cannot be read: there is no such file"):
        read_run(tmp_path / "none")


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="paths has 1 values, documents 2"):
        Ranking.ranked("1", ["a", "b"], ["/p[1]"])


def test_a_ranking_made_in_memory_has_strictly_falling_scores_and_is_immutable():
    ranking = Ranking.ranked("1", ["a", "b", "c"])

    assert (ranking.rsv.tolist(), ranking.ranks.tolist()) == ([3.0, 2.0, 1.0], [1, 2, 3])
    with pytest.raises(ValueError, match="read-only"):
        ranking.rsv[0] = 9


@pytest.mark.shared_data(INEX_2009)
@pytest.mark.parametrize(("name", "results"), [("run.focused", 4720), ("run.ric", 9440)])
def test_runs_of_inex_2009_are_read_completely(name, results):
    run = read_run(shared(INEX_2009) / name)

    assert (run.n_results, run.format, run.notices) == (results, "fol", ())
    assert all(np.all(ranking.lengths >= 0) for ranking in run.rankings.values())
