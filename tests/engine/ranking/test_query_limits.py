"""The limits of a query: its rarest words are searched, or it ends with one error; never with part of the answers."""

from __future__ import annotations

import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import engine.query_limits
from engine.errors import QueryLimitError, QueryTimeError
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.query.query import typed_terms
from tests.engine.small_index import answers_to, grown_index, index_of, unchecked_answers
from tests.trust.soak import effort, some

# word: in how many of the ten documents it occurs
FREQUENCIES = {"sea": 10, "tide": 8, "lamp": 6, "fog": 4, "buoy": 2, "reef": 1}


def documents() -> dict[str, str]:
    def text(number: int) -> str:
        return " ".join(word for word, n_documents in FREQUENCIES.items() if number < n_documents)

    return {f"d{number}": f"<a><p>{text(number)} ship</p><p>{text(number)}</p></a>" for number in range(10)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    with index_of(tmp_path_factory.mktemp("bounds"), documents()) as opened:
        yield opened


def found(index: IndexReader, query: str, **settings: Any) -> list[tuple[str, str, float | None]]:
    return [(each.document, each.path, each.score) for each in answers_to(index, query, **settings)]


@pytest.mark.parametrize(
    ("query", "most", "kept"),
    [
        ("sea tide lamp fog buoy reef", 2, "buoy reef"),
        ("sea tide lamp fog buoy reef", 6, "sea tide lamp fog buoy reef"),
        ("sea sea sea fog fog buoy", 2, "fog fog buoy"),  # a word that is kept keeps its frequency in the query
        ("sea kraken tide buoy", 2, "tide buoy"),  # a word of no document comes last
        ("+sea tide -lamp fog buoy", 3, "+sea -lamp buoy"),  # required and unwanted words stay
        ('"sea tide" lamp fog "fog buoy"', 2, '"fog buoy" fog'),  # a phrase is as rare as its rarest word
        ('"fog tide buoy" "fog lamp sea"', 4, '"fog tide buoy"'),  # and is left out where too few words are left for it
        ('"sea tide lamp buoy" fog lamp', 3, "lamp buoy fog lamp"),  # one that is longer than the bound is its words
        ('+sea "sea tide lamp buoy"', 3, "+sea sea lamp buoy"),
        ("tide lamp sea", 1, "lamp"),
    ],
)
def test_the_rarest_words_are_searched(index: IndexReader, query: str, most: int, kept: str) -> None:
    answers = answers_to(index, query, max_terms=most)

    assert found(index, query, max_terms=most) == found(index, kept, max_terms="all")
    assert Counter(map(str, answers.query.terms)) == Counter(
        str(term) for term in answers_to(index, kept, max_terms="all").query.terms
    )
    assert bool(answers.notices) == (most < 6)


def test_a_notice_says_what_was_searched(index: IndexReader) -> None:
    (notice,) = answers_to(index, "sea tide lamp fog", max_terms=3).notices

    assert notice == Notice("too_many_words", {"words": 4, "most": 3, "kept": 3, "splits_phrase": False})


def test_a_phrase_that_is_longer_than_the_bound_is_searched_as_its_words(index: IndexReader) -> None:
    words = [*FREQUENCIES, *(f"w{number}" for number in range(394))]
    answers = answers_to(index, f'"{" ".join(words)}"')

    assert [term.words for term in answers.query.terms] == [(word,) for word in words[:256]]
    assert len(answers) > 0
    fields = {"words": 400, "most": 256, "kept": 256, "splits_phrase": True}
    assert answers.notices[0] == Notice("too_many_words", fields)
    with pytest.raises(QueryLimitError, match="400 required and unwanted words"):
        answers_to(index, f'+"{" ".join(words)}"', syntax="keywords")


def test_text_with_more_signs_than_the_bound_is_read_as_words(index: IndexReader) -> None:
    text = " ".join(f"+{word} -{word}x" for word in FREQUENCIES)
    answers = answers_to(index, text, max_terms=4)

    assert answers.paths == answers_to(index, text, syntax="plain", max_terms=4).paths != []
    assert [term.sign for term in answers.query.terms] == [""] * 4
    assert answers.notices[0] == Notice("too_many_signs", {"signed": 2 * len(FREQUENCIES), "most": 4})


@hypothesis_settings(max_examples=effort(4, 1500, thorough=60))
@given(st.lists(st.sampled_from([*FREQUENCIES, "kraken"]), min_size=1, max_size=12), st.integers(1, 7))
def test_kept_words_are_those_of_the_lowest_document_frequency(
    index: IndexReader, words: Sequence[str], most: int
) -> None:
    distinct = list(dict.fromkeys(words))
    by_rarity = sorted(distinct, key=lambda word: (word == "kraken", FREQUENCIES.get(word, 0), distinct.index(word)))

    answers = answers_to(index, " ".join(words), max_terms=most)

    assert [term.words[0] for term in answers.query.terms] == [word for word in words if word in by_rarity[:most]]


def test_deleted_documents_do_not_make_a_word_frequent() -> None:
    before = {f"d{number}": "<a>fog buoy</a>" if number < 3 else "<a>fog</a>" for number in range(8)}
    after = {name: text for name, text in before.items() if name in ("d0", "d1", "d2", "d3")} | {"e": "<a>buoy</a>"}
    with grown_index([before, after]) as index:
        assert index.live is not None
        assert index.document_frequencies(["fog", "buoy", "none"]).tolist() == [4, 4, 0]


def test_document_frequencies_are_those_of_the_postings(index: IndexReader) -> None:
    words = [*FREQUENCIES, "ship", "kraken", "", "a", "zzz", "ship", "reef|buoy|kraken", "kraken|fog", "kraken|squid"]

    assert index.document_frequencies(words).tolist() == [len(index.postings(word).documents) for word in words]


@pytest.mark.parametrize(
    ("query", "settings", "message"),
    [
        ("sea tide lamp fog", {"operator": "and"}, "4 words, all of which must occur"),
        ("+sea +tide -lamp -fog buoy", {"syntax": "keywords"}, "4 required and unwanted words"),
        ("//p[about(., sea tide lamp)]", {}, "the path query has 4 terms, comparisons and steps, more than"),
        ('//p[about(., "sea tide")]//q[.//yr > 3]', {}, "the path query has 6 terms"),
        ("//p[not(about(., sea)) or about(.//q, tide) and . = 'x']", {}, "the path query has 5 terms"),
    ],
)
def test_other_queries_over_the_bound_are_refused(
    index: IndexReader, query: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(QueryLimitError, match=message):
        answers_to(index, query, max_terms=3, **settings)


def test_the_words_that_a_pattern_fits_count_as_memory(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"d": f"<a>{' '.join(f'x{number}' for number in range(2000, 8000))}</a>"})

    assert answers_to(index, "x*", max_query_memory="8M")
    with pytest.raises(QueryLimitError):
        answers_to(index, "x*", max_query_memory="1M")


def test_a_large_file_of_synonyms_counts_as_memory_and_time(index: IndexReader, tmp_path: Path) -> None:
    file = tmp_path / "synonyms.toml"
    file.write_text(f"groups = [{[f'x{number}' for number in range(3000)]}]", "utf-8")

    for bound, error in (({"max_query_memory": "1M"}, QueryLimitError), ({"max_seconds": 0.001}, QueryTimeError)):
        with pytest.raises(error):
            unchecked_answers(index, "sea", synonyms=str(file), **bound)
    assert unchecked_answers(index, "sea", synonyms=str(file))


@pytest.mark.parametrize("syntax", ["auto", "plain", "keywords", "path"])
def test_a_query_has_at_most_a_million_characters(index: IndexReader, syntax: str) -> None:
    with pytest.raises(QueryLimitError, match=r"the query has 1,000,001 characters: at most 1,000,000 are read\."):
        answers_to(index, "sea".ljust(1_000_001), syntax=syntax)


def test_a_path_query_at_the_bound_is_answered(index: IndexReader) -> None:
    query = "//p[about(., sea tide lamp)]"

    assert found(index, query, max_terms=4) == found(index, query, max_terms="all")
    assert len(found(index, query, max_terms=4)) == 20


@pytest.mark.long
def test_ten_thousand_words_read_the_postings_of_the_rarest_alone(
    index: IndexReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"w{number}" for number in range(10_000)]
    read: list[str] = []
    postings = IndexReader.postings
    monkeypatch.setattr(IndexReader, "postings", lambda self, term: read.append(term) or postings(self, term))
    answers = found(index, " ".join([*words, *FREQUENCIES]))

    assert set(read) <= {*FREQUENCIES, *words[: 256 - len(FREQUENCIES)]}
    assert answers == found(index, " ".join(FREQUENCIES))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    paragraphs = "".join(f"<s><p>sea tide {number % 7} lamp</p><q>fog sea</q></s>" for number in range(2_000))
    with index_of(tmp_path_factory.mktemp("large"), {f"d{n}": f"<a>{paragraphs}</a>" for n in range(8)}) as opened:
        yield opened


LARGE = [
    ("sea tide lamp fog 1 2 3", {}),
    ("sea tide lamp fog 1 2 3", {"passages": True, "max_sentences": 4}),
    ("sea tide lamp fog", {"rank_by": "structure", "answers": "nCRE"}),
    ("sea lamp", {"element_similarity": "E[DM-AFI-BAA]"}),
    ('"sea tide" "tide 1 lamp"', {}),
    ("//s[about(.//p, sea) or about(.//q, fog)]//p[not(about(., 3))]", {}),
    ("//*//*", {"reading": "SS"}),
    ("//*[. != 'x']", {"reading": "SS"}),
]


@pytest.mark.parametrize(("query", "settings"), LARGE)
def test_memory_is_bounded(large: IndexReader, query: str, settings: dict[str, Any]) -> None:
    answers = answers_to(large, query, max_query_memory="all", max_seconds=600, **settings)  # fills the caches
    tracemalloc.start()
    with pytest.raises(
        QueryLimitError, match=r"needs more than max_query_memory = 1M: .* or raise max_query_memory\.$"
    ):
        answers_to(large, query, max_query_memory="1M", **settings)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(answers)
    assert peak < 12_000_000  # what is computed at once beyond what is counted, in proportion to one array of rows


def test_the_time_is_bounded_and_no_answers_are_partial(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that ticks whenever it is asked, a query ends at each of its checks with the error, or whole."""
    query = "//a[about(.//p, sea) and about(., fog)]//p[about(., tide buoy)]"
    expected = found(index, query)
    ticks = count()
    monkeypatch.setattr(engine.query_limits, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))
    assert found(index, query, max_seconds=1e6) == expected
    n_checks = next(ticks)
    ended: list[bool] = []
    for seconds in range(1, n_checks):
        try:
            assert found(index, query, max_seconds=seconds) == expected
        except QueryLimitError as error:
            ended.append(f"the query takes longer than max_seconds = {seconds}: " in str(error))

    assert len(expected) == 8
    assert len(ended) > 12
    assert all(ended)


def test_limits_of_one_thread_are_not_those_of_another(large: IndexReader) -> None:
    failed: list[str] = []

    def ask(limit: str) -> None:
        for _ in range(3):
            try:
                answers_to(large, "sea tide", max_query_memory=limit)
                failed.append("") if limit == "1M" else None
            except QueryLimitError as error:
                failed.append(str(error)) if limit != "1M" else None

    threads = [threading.Thread(target=ask, args=(limit,)) for limit in ("1M", "2G", "all", "1M", "2G")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_the_clock_is_read_while_a_query_is_parsed(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that ticks whenever it is asked: after ten thousand phrases the time is over long before the last one."""
    ticks = count()
    monkeypatch.setattr(engine.query_limits, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))
    with pytest.raises(QueryLimitError, match="takes longer than max_seconds = 100"):
        unchecked_answers(index, '"sea tide" ' * 10_000, max_seconds=100)

    assert next(ticks) < 110


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"sea{number}*" for number in range(200)),
        "(sea | tide) " * 200,
        "//p[about(., " + "sea* " * 200 + ")]",
        "//p[about(., " + " ".join(f"sea{number}" for number in range(200)) + ")]",
    ],
)
def test_the_clock_is_read_between_words(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(engine.query_limits, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))
    with engine.query_limits.limited(None, 100), pytest.raises(QueryTimeError):
        typed_terms(query, "auto")


LIMITS = some((1, 2, 4, 8, 16, 64), 3)  # in megabytes


@pytest.mark.long
def test_of_one_limit_after_another_a_query_is_answered_whole_or_refused(large: IndexReader) -> None:
    expected, refused = found(large, "sea tide"), 0
    for megabytes in LIMITS:
        try:
            assert found(large, "sea tide", max_query_memory=megabytes << 20) == expected
        except QueryLimitError:
            refused += 1
    assert 0 < refused < len(LIMITS)
    assert found(large, "sea tide") == expected


def test_limits_within_others_are_the_narrower_ones() -> None:
    with engine.query_limits.limited(800, 10.0):
        engine.query_limits.reserve(60)
        with pytest.raises(QueryLimitError, match="max_query_memory = 800"), engine.query_limits.limited(8000, None):
            engine.query_limits.reserve(41)
        with engine.query_limits.limited(160, None):
            engine.query_limits.reserve(20)
        with pytest.raises(QueryLimitError, match="max_query_memory = 160"), engine.query_limits.limited(160, None):
            engine.query_limits.reserve(21)
        engine.query_limits.reserve(40)
    with (
        pytest.raises(QueryLimitError, match="max_seconds = 1e-09"),
        engine.query_limits.limited(None, 1e-9),
        engine.query_limits.limited(None, 60.0),
    ):
        engine.query_limits.check_time()
