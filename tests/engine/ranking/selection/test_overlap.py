"""Overlap removal keeps the better of two nested elements, and removes the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.table import without_kernels
from engine.ranking.selection.overlap import (
    best_without_overlap,
    blockers,
    first_overlapped,
    non_overlapping,
    passages_without_overlap,
)
from engine.ranking.selection.selection import first_of_articles, in_order
from tests.engine.small_index import answers_to, index_of

DOCUMENT = "<a><s><p>sea</p><p>sea</p></s><s><p>sea</p></s></a>"


def test_an_element_inside_a_higher_ranked_one_is_removed(tmp_path):
    index = index_of(tmp_path, {"d": DOCUMENT, "e": "<a>lamp</a>"})

    answers = answers_to(index, "sea", answers="nCRE", heuristic="MpE", overlap="remove", reading="CO")

    assert answers.paths == ["/a[1]"]


def test_an_element_that_contains_a_higher_ranked_one_is_removed(tmp_path):
    index = index_of(tmp_path, {"d": DOCUMENT})

    answers = answers_to(index, "sea", answers="nCRE", heuristic="PMB", overlap="remove", reading="CO")

    assert answers.paths == ["/a[1]/s[2]/p[1]", "/a[1]/s[1]"]


def test_the_first_of_an_article_are_taken_before_overlap_goes(tmp_path):
    index = index_of(tmp_path, {"d": DOCUMENT})

    answers = answers_to(
        index, "sea", answers="nCRE", heuristic="MpB", overlap="remove", max_per_article=2, reading="CO"
    )

    assert answers.paths == ["/a[1]"]


def test_the_limit_counts_what_stays(tmp_path):
    index = index_of(tmp_path, {"d": DOCUMENT, "e": DOCUMENT})

    answers = answers_to(index, "sea", answers="nCRE", heuristic="PMB", overlap="remove", max_answers=3, reading="CO")

    assert answers.paths == ["/a[1]/s[2]/p[1]", "/a[1]/s[1]", "/a[1]/s[2]/p[1]"]


def nested(depth: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Subtrees (first row, one past the last) of a random tree, in any order, some of them twice."""

    def spans(sizes: list[int]) -> list[tuple[int, int]]:
        # each row takes at most so many of the rows after it that still lie in the element open around it
        ends: list[tuple[int, int]] = []
        open_ends = [len(sizes)]
        for row, size in enumerate(sizes):
            while open_ends[-1] <= row:
                open_ends.pop()
            end = min(row + 1 + size, open_ends[-1])
            ends.append((row, end))
            open_ends.append(end)
        return ends

    trees = st.lists(st.integers(0, depth), min_size=1, max_size=20).map(spans)
    return trees.flatmap(lambda tree: st.lists(st.sampled_from(tree), max_size=20))


@given(nested(8))
def test_it_equals_a_comparison_of_all_pairs(elements):
    kept: list[int] = []
    for place, (row, end) in enumerate(elements):
        if all(elements[other][1] <= row or end <= elements[other][0] for other in kept):
            kept.append(place)

    rows, ends = np.array(elements, np.int64).reshape(-1, 2).T

    by_row = np.argsort(rows, kind="stable")
    assert sorted(by_row[non_overlapping(rows[by_row], ends[by_row], by_row)].tolist()) == kept


@given(nested(8), st.data())
def test_the_best_of_a_list_are_filtered_as_if_all_were(elements, data):
    rows, ends = np.array(sorted(set(elements)), np.int64).reshape(-1, 2).T
    scores = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows))), np.float64)
    n_best = data.draw(st.integers(1, 3))

    kept = best_without_overlap(rows, ends, scores, n_best)

    expected = np.flatnonzero(non_overlapping(rows, ends, -scores))
    one_article = np.zeros(len(rows), np.int64)
    best, best_of_all = (
        places[in_order(scores[places], one_article[places], rows[places], n_best)].tolist()
        for places in (kept, expected)
    )
    assert best == best_of_all


@given(nested(8), st.data())
def test_each_dropped_element_names_the_one_around_it_or_the_best_inside_it(elements, data):
    spans = sorted(set(elements))
    rows, ends = np.array(spans, np.int64).reshape(-1, 2).T
    ranks = data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    is_kept = non_overlapping(rows, ends, np.array(ranks, np.int64))
    kept, expected = np.flatnonzero(is_kept).tolist(), []
    for place in np.flatnonzero(~is_kept).tolist():
        around = [other for other in kept if spans[other][0] <= spans[place][0] < spans[other][1]]
        inside = [other for other in kept if spans[place][0] <= spans[other][0] < spans[place][1]]
        expected.append(around[0] if around else min(inside, key=ranks.__getitem__))

    assert blockers(rows, ends, np.array(ranks, np.int64), is_kept).tolist() == expected


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(1, 12)), max_size=40),
    st.integers(1, 40),
    st.sampled_from([None, 1, 2, 3]),
)
def test_passages_stay_that_overlap_with_none_before_them_and_the_others_name_the_first(
    found, n_wanted, max_per_article
):
    intervals = [(100 * article + begin, 100 * article + begin + length, article) for article, begin, length in found]
    kept: list[int] = []
    expected: dict[int, int] = {}
    for place, (begin, end, article) in enumerate(intervals):
        if len(kept) == n_wanted:
            break
        if [intervals[other][2] for other in kept].count(article) == max_per_article:
            continue
        sharing = [other for other in kept if intervals[other][0] < end and intervals[other][1] > begin]
        if sharing:
            expected[place] = sharing[0]
        else:
            kept.append(place)
    columns = np.array(intervals, np.int64).reshape(-1, 3).T

    assert passages_without_overlap(*columns, n_wanted, max_per_article).tolist() == kept
    with without_kernels():
        assert passages_without_overlap(*columns, n_wanted, max_per_article).tolist() == kept
    if len(kept) + len(expected) == len(found):
        assert first_overlapped(*columns[:2], np.array(kept, np.int64)).tolist() == list(expected.values())


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 4))
def test_the_first_answers_of_each_article_stay_in_their_order(articles, n_first):
    expected = [place for place, article in enumerate(articles) if articles[:place].count(article) < n_first]

    assert first_of_articles(np.array(articles, np.int64), n_first).tolist() == expected
