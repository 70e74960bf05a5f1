"""The text that results return from articles, and how much of it is highlighted: INEX from 2007 on.

Results are spans of characters. What overlaps is refused, counted once (``union``) or counted in full (``count``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn, TypeAlias

import numpy as np

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import Judgements
from eval.geometry import BoolArray, Geometry, IntArray
from eval.highlighted import FAR, highlighted_characters
from eval.intervals import Highlights, Seen

Overlapping: TypeAlias = Literal["refuse", "union"]

UNPLACED_CHARACTERS = 18
"""What inex_eval 3.1 takes for the length of a result that is placed nowhere: a mean length of passages."""


@dataclass(frozen=True, eq=False)
class HighlightedText:
    """The highlighted text of a topic: of all documents in one row of characters, FAR apart, and of each document."""

    text: Highlights
    characters: IntArray

    @property
    def total(self) -> int:
        """Highlighted characters of all documents."""
        return int(self.characters.sum())

    @property
    def n_relevant(self) -> int:
        """Documents with highlighted text."""
        return int((self.characters > 0).sum())


@lru_cache(maxsize=4)
def highlighted_text(judgements: Judgements) -> HighlightedText:
    """Return the highlighted text of a topic; its passages must have offsets."""
    passages = judgements.passages
    starts = passages.starts + passages.document_rows * FAR
    return HighlightedText(Highlights.of(starts, starts + passages.lengths), highlighted_characters(judgements))


@dataclass(frozen=True, eq=False)
class Excerpts:
    """The characters of each result and the highlighted ones among them, columns of shape (n_results,).

    ``articles`` numbers the article of each result, in the order of their first results; ``rows``, shape
    (n_articles,), is the row of each article among the judged documents, -1 for one not judged.
    """

    sizes: IntArray
    rsizes: IntArray
    articles: IntArray
    rows: IntArray


def article_numbers(ranking: Ranking, judgements: Judgements) -> tuple[IntArray, IntArray]:
    """Return ``articles`` and ``rows`` of :class:`Excerpts`."""
    numbers: dict[str, int] = {}
    articles = [numbers.setdefault(document, len(numbers)) for document in ranking.documents]
    known = judgements.row_of_document
    rows = [known.get(document, -1) for document in numbers]
    return np.array(articles, dtype=np.int64), np.array(rows, dtype=np.int64)


def excerpts(
    ranking: Ranking, judgements: Judgements, overlapping: Overlapping | Literal["count"], legacy: bool
) -> Excerpts:
    """Return what the results of a topic return; results and passages must have offsets.

    A result placed nowhere returns no characters, or 18 as in inex_eval 3.1 (``legacy``).

    Raises: MeasureError for a best entry point, which is no text, and for overlap that is to be refused.
    """
    if (points := (ranking.starts >= 0) & (ranking.lengths < 0)).any():
        raise MeasureError(
            f"{ranking.place(int(np.argmax(points)))}: the result is an entry point without a length; this measure "
            f"needs text, only bic scores entry points."
        )
    articles, rows = article_numbers(ranking, judgements)
    starts = np.clip(ranking.starts, 0, FAR - 1)
    sizes = np.clip(ranking.lengths, 0, FAR - 1 - starts)
    owners, begins, lengths = np.arange(len(ranking)), starts, sizes
    if overlapping != "count" and (overlapped := _overlaps(articles, starts, starts + sizes)):
        if overlapping == "refuse":
            _refuse(ranking, articles, starts, sizes)
        owners, begins, lengths = _fresh(articles, starts, sizes, overlapped)
    documents = rows[articles[owners]]
    found = np.zeros(len(owners), dtype=np.int64)
    judged = documents >= 0
    shifted = begins[judged] + documents[judged] * FAR
    found[judged] = highlighted_text(judgements).text.within(shifted, shifted + lengths[judged])
    sizes, rsizes = (_summed(owners, column, len(ranking)) for column in (lengths, found))
    if legacy:
        sizes = np.where(ranking.starts < 0, UNPLACED_CHARACTERS, sizes)
    return Excerpts(sizes, rsizes, articles, rows)


def _summed(owners: IntArray, values: IntArray, n: int) -> IntArray:
    return np.bincount(owners, weights=values, minlength=n).astype(np.int64)


def _overlaps(articles: IntArray, starts: IntArray, ends: IntArray) -> set[int]:
    """Return the articles in which results overlap."""
    filled = ends > starts
    articles, starts, ends = articles[filled], starts[filled], ends[filled]
    order = np.lexsort((starts, articles))
    begins = starts[order] + articles[order] * FAR
    reach = np.maximum.accumulate(ends[order] + articles[order] * FAR)
    return set(articles[order][1:][begins[1:] < reach[:-1]].tolist())


def _fresh(
    articles: IntArray, starts: IntArray, sizes: IntArray, overlapped: set[int]
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the parts of results that no earlier result returned: result, start and length of each part."""
    readers = {article: Seen() for article in overlapped}
    parts: list[tuple[int, int, int]] = []
    for i, (article, start, size) in enumerate(zip(articles.tolist(), starts.tolist(), sizes.tolist(), strict=True)):
        new = readers[article].add(start, start + size) if article in readers else [(start, start + size)]
        parts.extend((i, begin, end - begin) for begin, end in new)
    owners, begins, lengths = np.array(parts, dtype=np.int64).reshape(-1, 3).T
    return owners, begins, lengths


def _refuse(ranking: Ranking, articles: IntArray, starts: IntArray, sizes: IntArray) -> NoReturn:
    """Raise MeasureError that names the first result, in rank order, that overlaps an earlier one."""
    given: dict[int, list[tuple[int, int, int]]] = {}
    for i, (article, start, size) in enumerate(zip(articles.tolist(), starts.tolist(), sizes.tolist(), strict=True)):
        for first, begin, end in given.setdefault(article, []):
            if size and start < end and begin < start + size:
                raise MeasureError(
                    f"{ranking.place(i)}: the result overlaps that of {ranking.row_name(first)} in document "
                    f"{ranking.documents[i]!r}. Overlap is refused here; remove it from the run, or score with "
                    f"--set overlapping=union (each character counts once)."
                )
        if size:
            given[article].append((i, start, start + size))
    raise ValueError("no result overlaps another one")


def unplaced_results(ranking: Ranking, judgements: Judgements, geometry: Geometry | None) -> Mapping[str, int]:
    """Return how many results have no place in the text of their document; a caution for users."""
    nowhere: BoolArray = ranking.starts < 0
    return {"results without a place in their document (they hold their rank)": n} if (n := int(nowhere.sum())) else {}
