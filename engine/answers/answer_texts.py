"""The places and texts of answers, read from their index: ids, paths, spans, words, snippets, titles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.arrays import places_of
from engine.columns.checked_folder import reads_columns
from engine.index.elements.containment import WithAncestors
from engine.index.fields import FieldValue
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.index.texts.passage_offsets import passage_offsets
from engine.presentation.breadcrumbs import breadcrumbs
from engine.presentation.snippets import SEPARATOR, Snippet, answer_snippets, joined
from engine.presentation.table_snippets import TableSnippet, table_snippets
from engine.ranking.scoring.passages import WHOLE, words_of_passage
from engine.ranking.selection.sibling_runs import words_of_siblings
from engine.structure.inline_elements import n_words


@reads_columns
def ids_of(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]) -> list[str]:
    """Return the document ids of the answers at the given places."""
    return [index.ids[document] for document in answers.documents.take(places).tolist()]


@reads_columns
def paths_of(
    index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64], above: WithAncestors | None = None
) -> list[str]:
    """Return the paths of the answers at the given places, or of the elements around the passages.

    Args:
        above: the ancestors of these answers, where they are known; as in `breadcrumbs_of`.
    """
    return element_paths(index, answers.elements.take(places), above)


@reads_columns
def tags_of(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]) -> list[str]:
    """Return the tags of the answers at the given places, or of the elements around the passages."""
    names = index.elements.tags
    return [names[tag] for tag in index.elements.tag(answers.elements.take(places)).tolist()]


@reads_columns
def spans_of(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return start and end (code points, end exclusive) of the answers at the given places in their documents' texts.

    Shape (n, 2).
    """
    if answers.siblings is not None:
        return index.spans_between(answers.siblings[places])
    if answers.sentences is None:
        return index.spans_of(answers.elements.take(places))
    spans = np.empty((len(places), 2), np.int64)
    is_whole = answers.sentences[places, 0] == WHOLE
    spans[is_whole] = index.spans_of(answers.elements.take(places[is_whole]))
    windows = places[~is_whole]
    spans[~is_whole] = passage_offsets(index, answers.elements.take(windows), *answers.sentences[windows].T)
    return spans


@reads_columns
def words_of(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]) -> list[int]:
    """Return the number of words, stop words included, of the answers at the given places."""
    if answers.siblings is not None:
        of_runs: list[int] = words_of_siblings(index.elements, answers.siblings[places]).tolist()
        return of_runs
    counts = n_words(index, answers.elements.take(places)).tolist()
    if answers.sentences is not None:
        for at in places_of(answers.sentences[places, 0] != WHOLE).tolist():
            first, end = _word_numbers(index, answers, int(places[at]))
            counts[at] = end - first
    found: list[int] = counts
    return found


def _word_numbers(index: IndexReader, answers: AnswerColumns, place: int) -> tuple[int, int]:
    """Return the number of the first word of an answer, and of the one after its last."""
    row = answers.elements[place : place + 1]
    if answers.siblings is not None:
        run = answers.siblings[place : place + 1]
        begin = int(index.elements.first_word(run[:, 0])[0])
        return begin, begin + int(words_of_siblings(index.elements, run)[0])
    first, last = (WHOLE, WHOLE) if answers.sentences is None else answers.sentences[place].tolist()
    if first != WHOLE:
        return words_of_passage(index.elements, int(row[0]), first, last)
    first_word = int(index.elements.first_word(row)[0])
    return first_word, first_word + int(index.elements.n_words(row)[0])


@reads_columns
def snippets_of(
    index: IndexReader,
    answers: AnswerColumns,
    places: NDArray[np.int64],
    spans: NDArray[np.int64] | None = None,
    tables: Sequence[TableSnippet | None] | None = None,
) -> list[Snippet]:
    """Return the snippets of the answers at the given places, with the spans of query terms in them.

    That of a table is its header and best rows.

    Args:
        spans, tables: as `spans_of` and `table_snippets_of` return them, where they are known.
    """
    of_tables = table_snippets_of(index, answers, places) if tables is None else tables
    is_other = np.array([each is None for each in of_tables], np.bool_)
    others = places.compress(is_other)
    known = spans_of(index, answers, others) if spans is None else spans.compress(is_other, axis=0)
    columns = (answers.documents.take(others), answers.elements.take(others), known)
    words = partial(_word_numbers_at, index, answers, others)
    of_others = iter(answer_snippets(index, answers.query, *columns, words))
    return [next(of_others) if each is None else joined(each.lines, SEPARATOR) for each in of_tables]


@reads_columns
def table_snippets_of(
    index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]
) -> list[TableSnippet | None]:
    """Return the best rows of the answers at the given places that are whole tables or rows, None for others."""
    found: list[TableSnippet | None] = [None] * len(places)
    is_whole = np.ones(len(places), np.bool_) if answers.sentences is None else answers.sentences[places, 0] == WHOLE
    if answers.siblings is not None:
        is_whole = answers.siblings[places, 0] == answers.siblings[places, 1]
    at = places.compress(is_whole)
    of_whole = table_snippets(index, answers.query, answers.documents.take(at), answers.elements.take(at))
    for place, each in zip(places_of(is_whole).tolist(), of_whole, strict=True):
        found[place] = each
    return found


def _word_numbers_at(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64], at: int) -> tuple[int, int]:
    return _word_numbers(index, answers, int(places[at]))


@reads_columns
def fields_of(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]) -> list[dict[str, FieldValue]]:
    """Return the fields of the documents of the answers at the given places."""
    return index.fields.of_documents(answers.documents.take(places))


@reads_columns
def row_bounds_of(index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return of the answers at the given places the row of the first element and one past that of the last.

    Shape (n, 2).
    """
    first = last = answers.elements.take(places)
    if answers.siblings is not None:
        first, last = answers.siblings[places].T
    return np.column_stack((first, index.elements.end(last)))


@reads_columns
def breadcrumbs_of(
    index: IndexReader, answers: AnswerColumns, places: NDArray[np.int64], above: WithAncestors | None = None
) -> list[list[str]]:
    """Return the titles of document and sections above the answers at the given places.

    Those above several siblings are those of their parent.
    """
    rows = answers.elements.take(places)
    if answers.siblings is not None:
        first, last = answers.siblings[places].T
        rows, above = np.where(first == last, rows, index.elements.parent(first)), None
    return breadcrumbs(index, answers.documents.take(places), rows, above)
