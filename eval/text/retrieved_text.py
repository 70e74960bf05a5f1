"""Retrieved text and the highlighted text in it, for the measures of INEX from 2007 on.

Results are character spans. Overlap is refused, counted once (``union``) or counted in full (``count``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

import numpy as np

from engine.errors import MeasureError
from engine.notices import Notice, about
from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.numbers import BoolArray, IntArray
from eval.text.element_locator import ElementLocator
from eval.text.highlighted_text import DOCUMENT_STRIDE, highlighted_text, summed_by_owner, unseen_parts

OverlapHandling: TypeAlias = Literal["refuse", "union"]

# Length that inex_eval 3.1 assumes for a result without offsets: a mean length of passages.
UNPLACED_CHARACTERS = 18


@dataclass(frozen=True, eq=False)
class RetrievedText:
    """Retrieved characters and highlighted characters of each result, int64, shape (n_results,).

    ``articles`` is the number of the article of each result, in order of first results; ``rows``, shape (n_articles,),
    the row of each article among the judged documents, -1 for one not judged.
    """

    sizes: IntArray
    rsizes: IntArray
    articles: IntArray
    rows: IntArray


def article_numbers(ranking: Ranking, judgements: Judgements) -> tuple[IntArray, IntArray]:
    """Return ``articles`` and ``rows`` of :class:`RetrievedText`."""
    numbers: dict[str, int] = {}
    articles = [numbers.setdefault(document, len(numbers)) for document in ranking.documents]
    return np.array(articles, dtype=np.int64), judgements.document_rows(numbers)


def retrieved_text(
    ranking: Ranking, judgements: Judgements, overlapping: OverlapHandling | Literal["count"], legacy: bool
) -> RetrievedText:
    """Return the retrieved text of a topic; results and passages must have offsets.

    A result without offsets retrieves no characters, or 18 as in inex_eval 3.1 (``legacy``).

    Raises: MeasureError for a result that is an entry point without length, and for overlap if it is refused.
    """
    if (points := (ranking.starts >= 0) & (ranking.lengths < 0)).any():
        raise MeasureError(
            f"{ranking.place(int(np.argmax(points)))}: the result is an entry point without a length; this measure "
            f"needs text, only bic scores entry points."
        )
    articles, rows = article_numbers(ranking, judgements)
    starts = np.clip(ranking.starts, 0, DOCUMENT_STRIDE - 1)
    sizes = np.clip(ranking.lengths, 0, DOCUMENT_STRIDE - 1 - starts)
    owners, begins, lengths = np.arange(len(ranking)), starts, sizes
    if overlapping != "count" and (overlapped := _overlaps(articles, starts, starts + sizes)):
        if overlapping == "refuse":
            _refuse(ranking, articles, starts, sizes)
        owners, begins, lengths = _unseen(articles, starts, sizes, overlapped)
    documents = rows[articles[owners]]
    found = np.zeros(len(owners), dtype=np.int64)
    judged = documents >= 0
    shifted = begins[judged] + documents[judged] * DOCUMENT_STRIDE
    found[judged] = highlighted_text(judgements).text.count_within(shifted, shifted + lengths[judged])
    sizes, rsizes = (summed_by_owner(owners, column, len(ranking)) for column in (lengths, found))
    if legacy:
        sizes = np.where(ranking.starts < 0, UNPLACED_CHARACTERS, sizes)
    return RetrievedText(sizes, rsizes, articles, rows)


def _overlaps(articles: IntArray, starts: IntArray, ends: IntArray) -> set[int]:
    """Return the numbers of the articles in which results overlap."""
    filled = ends > starts
    articles, starts, ends = articles[filled], starts[filled], ends[filled]
    order = np.lexsort((starts, articles))
    begins = starts[order] + articles[order] * DOCUMENT_STRIDE
    reach = np.maximum.accumulate(ends[order] + articles[order] * DOCUMENT_STRIDE)
    return set(articles[order][1:][begins[1:] < reach[:-1]].tolist())


def _unseen(
    articles: IntArray, starts: IntArray, sizes: IntArray, overlapped: set[int]
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the parts of results that no earlier result covers: row of the result, start and length of each part."""
    overlaps = np.isin(articles, list(overlapped))
    whole, rows = np.flatnonzero(~overlaps), np.flatnonzero(overlaps)
    owners, begins, ends = unseen_parts(articles[rows].tolist(), starts[rows], starts[rows] + sizes[rows])
    return (
        np.concatenate((whole, rows[owners])),
        np.concatenate((starts[whole], begins)),
        np.concatenate((sizes[whole], ends - begins)),
    )


def _refuse(ranking: Ranking, articles: IntArray, starts: IntArray, sizes: IntArray) -> NoReturn:
    """Raise MeasureError that names the first result, in rank order, that overlaps an earlier one."""
    given: dict[int, list[tuple[int, int, int]]] = {}
    for i, (article, start, size) in enumerate(zip(articles.tolist(), starts.tolist(), sizes.tolist(), strict=True)):
        for first, begin, end in given.setdefault(article, []):
            if size and start < end and begin < start + size:
                fields = {"first": ranking.row_name(first), "document": ranking.documents[i]}
                raise MeasureError(about(ranking.place(i), Notice("overlapping_results", fields)))
        if size:
            given[article].append((i, start, start + size))
    raise ValueError("no result overlaps another one")


def count_unlocated_results(
    ranking: Ranking, judgements: Judgements, locator: ElementLocator | None
) -> Mapping[str, int]:
    """Return the number of results without offsets, by the code of the warning."""
    nowhere: BoolArray = ranking.starts < 0
    return {"unlocated_results": n} if (n := int(nowhere.sum())) else {}
