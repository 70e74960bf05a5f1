"""Answers of a search: columns and rows, printable, comparable, picklable."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from engine.answers.answer_columns import AnswerColumns
from engine.answers.answer_texts import (
    breadcrumbs_of,
    fields_of,
    ids_of,
    paths_of,
    row_bounds_of,
    snippets_of,
    spans_of,
    table_snippets_of,
    tags_of,
    words_of,
)
from engine.arrays import FloatArray, read_only
from engine.columns.checked_folder import reads_columns
from engine.errors import ClosedIndexError, FoxirError
from engine.index.elements.containment import WithAncestors, chains
from engine.index.fields import FieldValue
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import Plan
from engine.presentation.readable_text import readable_text
from engine.presentation.snippets import Snippet
from engine.presentation.table_snippets import TableSnippet
from engine.ranking.scoring.passages import WHOLE
from engine.records import with_values
from engine.settings import Settings
from engine.threads import cached_property
from engine.wording import counted, printable, shown
from foxir.arguments import count, flag, refuse_type, text
from foxir.foreign_names import no_attribute
from foxir.results.elements import Element
from foxir.searching.first_answers import is_any_short_enough
from foxir.searching.opened_folder import Generation, KeptAnswers

if TYPE_CHECKING:
    import pandas as pd


# What a repr says in place of what cannot be read.
UNREADABLE = "of a closed index"
# Answers whose paths are computed together.
FEW = 100
# What is kept when the index is closed, and pickled.
KEPT = ("documents", "paths", "spans")


def _is_within(places: NDArray[np.int64], length: int) -> bool:
    return bool(((places >= 0) & (places < length)).all())


def with_notices(answers: Answers, notices: Sequence[Notice]) -> Answers:
    """Return answers with notices in the place of those that are not of the query itself."""
    some = answers[:]
    some._set(_columns=with_values(answers._columns, plan=with_values(answers.plan, notices=tuple(notices))))
    return some


class Answers(Sequence["Answer"]):
    """Ranked answers, best first: a sequence of `Answer`, whose columns are attributes.

    >>> answers = index.search("fog signal range")                   # doctest: +SKIP
    >>> answers[0].path, answers[:10].documents, answers.scores[:2]   # doctest: +SKIP

    A slice is Answers too and keeps the ranks. Answers are equal if query, ranks, documents, paths, spans and scores
    are. Arrays are read-only. Columns can be pickled with the answers; texts, snippets and titles are read from the
    index, which pickled answers reopen when they are first asked for one. After the index is closed, texts, snippets,
    titles and counts of words raise ClosedIndexError; everything else is readable.

    Attributes:
        query: the query as it was asked.
        settings: the settings as they answered it: `reading` and `answers` are resolved.
        seconds: how long the search took.
        generation: the generation of the index that answered.
    """

    query: str
    generation: Generation
    # All answers of the search, and the places of these among them, from 0; int64, shape (n,).
    _columns: AnswerColumns
    _places: NDArray[np.int64]
    # The index that answered, None where the answers were pickled; what it, on closing, lets read what they need.
    _reader: IndexReader | None
    _kept: KeptAnswers | None

    def __init__(
        self,
        query: str,
        columns: AnswerColumns,
        generation: Generation,
        reader: IndexReader | None,
        kept: KeptAnswers | None = None,
    ) -> None:
        if not isinstance(columns, AnswerColumns):
            raise refuse_type("columns", columns, "what a search selects (Index.search returns Answers)")
        self._set(query=text("query", query), generation=generation, _columns=columns, _reader=reader, _kept=kept)
        self._set(_places=np.arange(len(columns)))
        if kept is not None:
            kept.add(self)

    def _set(self, **values: Any) -> None:
        self.__dict__.update(values)

    @property
    def plan(self) -> Plan:
        """How the query was answered: the parsed query, and every choice that it and the settings leave."""
        return self._columns.plan

    @property
    def settings(self) -> Settings:
        """The settings as they answered the query."""
        return self.plan.settings

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was not answered as asked, such as words beyond `max_terms`, or read as text; usually nothing."""
        return self.plan.all_notices

    def why_empty(self) -> str:
        """Why there is no answer, and settings that may find some; "" where there is one, or a notice says why."""
        return "" if (reason := self.reason) is None else str(reason)

    @property
    def reason(self) -> Notice | None:
        """The notice that says why there is no answer; None where there is one, or another notice says why."""
        if len(self._columns) or not is_any_short_enough(self.plan):
            return None
        from foxir.searching.no_answer import Unanswered, why_empty  # noqa: PLC0415  (rarely needed)

        return why_empty(Unanswered(self.reader, self.plan))

    @property
    def interpretation(self) -> str:
        """How the query was read: CO, SS, SV, VS or VV."""
        return self._columns.interpretation

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self._columns.seconds

    @property
    def shards(self) -> tuple[int, int] | None:
        """Of a search on a cluster, how many shards answered, and how many there are; else None."""
        return self._columns.shards

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Ranks in the result of the search, from 1; int64, shape (n,)."""
        return read_only(self._places + 1)

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """Document ids."""
        return tuple(ids_of(self.reader, self._columns, self._places))

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Paths of the elements, or of the elements that contain the passages."""
        return tuple(paths_of(self.reader, self._columns, self._places, self._above))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Tags of the elements, or of the elements that contain the passages; much faster than their paths."""
        return tuple(tags_of(self.reader, self._columns, self._places))

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """Start and end (code points, end exclusive) in the documents' texts; int64, shape (n, 2)."""
        return read_only(spans_of(self.reader, self._columns, self._places))

    @property
    def scores(self) -> FloatArray:
        """Scores of elements or passages; of articles, their similarity; of elements ranked by structure, the rsv.

        float64, shape (n,).
        """
        return read_only(self._columns.shown_scores[self._places])

    @property
    def rsv(self) -> FloatArray:
        """Retrieval status values, as run files contain them, falling with the rank; float64, shape (n,)."""
        return read_only(self._columns.rsv[self._places])

    @property
    def article_ranks(self) -> NDArray[np.int64]:
        """Rank of each answer's article among the ranked articles, from 1; int64, shape (n,)."""
        return read_only(self._columns.article[self._places] + 1)

    @property
    def article_scores(self) -> FloatArray:
        """Similarity of each answer's article, 0 in the native approach; float64, shape (n,)."""
        return read_only(self._columns.ranked.scores[self._columns.article[self._places]])

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Numbers of words, stop words included; int64, shape (n,)."""
        return read_only(np.array(words_of(self.reader, self._columns, self._places), np.int64))

    @cached_property
    def snippets(self) -> tuple[Snippet, ...]:
        """The snippet of each answer (`Answer.snippet`); of several answers, faster than one by one."""
        return tuple(snippets_of(self.reader, self._columns, self._places, self.spans, self.table_snippets))

    @cached_property
    def table_snippets(self) -> tuple[TableSnippet | None, ...]:
        """The header and best rows of each answer that is a table, or a row of one; None for others."""
        return tuple(table_snippets_of(self.reader, self._columns, self._places))

    @cached_property
    def breadcrumbs(self) -> tuple[list[str], ...]:
        """The titles above each answer (`Answer.breadcrumb`); of several answers, faster than one by one."""
        return tuple(breadcrumbs_of(self.reader, self._columns, self._places, self._above))

    @property
    def facets(self) -> dict[str, dict[str | int | float, int]]:
        """In how many documents that the query finds each value of a field is, of the fields that `facets=` names."""
        return {name: dict(values) for name, values in self.frequent_values().items()}

    def frequent_values(self, n: int | None = None) -> dict[str, list[tuple[str | int | float, int]]]:
        """Return the `n` most frequent values of each field in `facets`, or all, with their numbers of documents."""
        most = None if n is None else count("n", n)
        return {facet.name: facet.most_frequent(most) for facet in self._columns.facets}

    @cached_property
    def fields(self) -> tuple[dict[str, FieldValue], ...]:
        """The fields of the document of each answer (`Answer.fields`)."""
        return tuple(fields_of(self.reader, self._columns, self._places))

    @cached_property
    @reads_columns
    def _above(self) -> WithAncestors:
        """The elements of the answers, and those around them."""
        return chains(self.reader.elements, self._columns.elements[self._places])

    @property
    def row_bounds(self) -> NDArray[np.int64]:
        """Number of the first element of each answer in the index, and one past its last; int64, shape (n, 2)."""
        return row_bounds_of(self.reader, self._columns, self._places)

    @property
    def reader(self) -> IndexReader:
        """The reader of the index that answered, or of its generation, opened again."""
        reader = self.generation.open() if self._reader is None else self._reader
        self._set(_reader=reader)
        return reader

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> Answers: ...
    def __getitem__(self, place: int | slice) -> Answer | Answers:
        if isinstance(place, slice):
            return self._some(place)
        return Answer(self, self._place(place))

    def at(self, places: Sequence[int] | NDArray[np.int64]) -> Answers:
        """Return the answers at places, from 0; they keep their ranks.

        Raises: TypeError for what is not a sequence of int, IndexError for a place without an answer.
        """
        if isinstance(places, str | bytes) or not isinstance(places, Sequence | np.ndarray):
            raise refuse_type("places", places, "a sequence of int")
        if isinstance(places, np.ndarray) and places.dtype == np.int64 and _is_within(places, len(self)):
            return self._some(places)
        return self._some(np.array([self._place(place) for place in places], np.int64))

    def by_document(self) -> list[Answers]:
        """Return the answers of each document together, that of the best answer first; they keep their ranks."""
        from foxir.searching.grouping import places_by_document  # noqa: PLC0415  (for those who read a list)

        return [self._some(np.array(places, np.int64)) for places in places_by_document(self.documents).values()]

    def _some(self, chosen: NDArray[np.int64] | slice) -> Answers:
        """Return the answers at places, with their known values."""
        some = Answers(self.query, self._columns, self.generation, self._reader, self._kept)
        some._set(_places=self._places[chosen])
        for name in KEPT:
            if (known := vars(self).get(name)) is not None:
                some._set(**{name: _chosen(known, chosen)})
        return some

    def _place(self, place: SupportsIndex) -> int:
        """Return the place of an answer, from 0, of one from 0 or, if negative, from the end."""
        if isinstance(place, bool | np.bool_) or not hasattr(type(place), "__index__"):
            raise TypeError(f"answers are indexed by int or slice, got {type(place).__name__}.")
        number = place.__index__()
        if not -len(self) <= number < len(self):
            raise IndexError(f"answer {number} of {len(self)}")
        return number % len(self)

    def __iter__(self) -> Iterator[Answer]:
        return (Answer(self, place) for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        return (
            self.query == other.query
            and np.array_equal(self._places, other._places)
            and np.array_equal(self.scores, other.scores)
            and self.documents == other.documents
            and self.paths == other.paths
            and np.array_equal(self.spans, other.spans)
        )

    def __hash__(self) -> int:
        return hash((self.query, self._places.tobytes(), self.scores.tobytes()))

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"Answers cannot be changed: '{name}'")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Answers cannot be changed: '{name}'")

    def __repr__(self) -> str:
        from foxir.results.answer_table import text_table  # noqa: PLC0415  (for people at a prompt)

        try:
            return text_table(self._title, self)
        except FoxirError:  # a repr is for tracebacks, too
            return f"{printable(self._title)}, {UNREADABLE}"

    def _repr_html_(self) -> str:
        from engine.preview_table import html_cell  # noqa: PLC0415
        from foxir.results.answer_table import html_table  # noqa: PLC0415  (for people at a prompt)

        try:
            return html_table(self._title, self)
        except FoxirError:
            return f"<p>{html_cell(self._title)}, {UNREADABLE}</p>"

    @property
    def _n_answers(self) -> int:
        return len(self)

    def _keep(self) -> None:
        """Read documents, paths and spans, unless they are known."""
        _ = self.documents, self.paths, self.spans

    @property
    def _is_kept(self) -> bool:
        """Whether documents, paths and spans are known."""
        return vars(self).keys() >= {*KEPT}

    def __getstate__(self) -> dict[str, Any]:
        """Return all columns, without the index."""
        self._keep()
        state = {name: value for name, value in vars(self).items() if name != "_above"}
        return {**state, "_reader": None, "_kept": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)
        read_only(self.spans)  # a pickled array is writable again

    @property
    def _title(self) -> str:
        return f"{counted(len(self), 'answer')} to {shown(self.query)}"

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return the answers as `foxir search --json` prints them.

        Args:
            text: whether each answer has its text. Without it, answers of a closed index have None for what was not
                read before.
        """
        with_text = flag("text", text)
        with suppress(ClosedIndexError):  # each answer has what is known
            _ = self.snippets, self.breadcrumbs, self.fields
        return {
            "query": self.query,
            "interpretation": self.interpretation,
            "notices": list(map(str, self.notices)),
            "answers": [answer.to_dict(text=with_text) for answer in self],
            **facets_of(self),
            "seconds": round(self.seconds, 6),
        }

    def to_frame(self, *, text: bool = False) -> pd.DataFrame:
        """Return the answers as a data frame of pandas, a row each, best first.

        Args:
            text: whether it has a column of texts.

        Raises: MissingHostError, a FoxirError, without pandas.
        """
        from engine.system.host_programs import data_frame  # noqa: PLC0415  (rarely needed)

        with_text = flag("text", text)
        columns: dict[str, Any] = {
            "rank": self.ranks.copy(),
            "document": self.documents,
            "path": self.paths,
            "start": self.spans[:, 0].copy(),
            "end": self.spans[:, 1].copy(),
            "words": self.words.copy(),
            "score": self.scores.copy(),
            "article_rank": self.article_ranks.copy(),
        }
        if with_text:
            columns["text"] = [answer.text for answer in self]
        return data_frame(columns)

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute("'Answers' object", name, "answers")


class Answer:
    """One answer: an element, a passage or a whole article, at its rank; its text is read from the index on first use.

    Answers are equal if rank, document, path, span and score are.
    """

    # The answers among which it is, and its place there: one attribute, so that both are replaced at once.
    _where: tuple[Answers, int]
    place: int

    def __init__(self, among: Answers, place: int) -> None:
        if not isinstance(among, Answers):
            raise refuse_type("among", among, "what a search selects (Index.search returns answers)")
        place = count("place", place, lowest=0, highest=len(among) - 1)
        self.__dict__.update(place=int(among._places[place]), _where=(among, place))
        if among._kept is not None:
            among._kept.add(self)

    @property
    def rank(self) -> int:
        """Rank, from 1."""
        return self.place + 1

    @property
    def rsv(self) -> float:
        """Retrieval status value."""
        return float(self._columns.rsv[self.place])

    @property
    def score(self) -> float:
        """Score of the element or passage; of an article, its similarity; of elements ranked by structure, the rsv."""
        return float(self._columns.shown_scores[self.place])

    @property
    def has_score(self) -> bool:
        """Whether it is a scored element or passage."""
        return self._columns.scores is not None

    @property
    def sentences(self) -> tuple[int, int] | None:
        """First and last sentence of a passage, counted from 0 in its element; None for whole elements."""
        if self._columns.sentences is None:
            return None
        first, last = self._columns.sentences[self.place].tolist()
        return None if first == WHOLE else (first, last)

    @property
    @reads_columns
    def siblings(self) -> tuple[str, str] | None:
        """Paths of the first and the last of several siblings that are the answer; None for one element or passage."""
        if (rows := self._sibling_rows) is None:
            return None
        first, last = element_paths(self._reader, rows)
        return first, last

    @property
    def _sibling_rows(self) -> NDArray[np.int64] | None:
        """The rows of the first and the last of several siblings; None for one element or passage."""
        if self._columns.siblings is None:
            return None
        rows: NDArray[np.int64] = self._columns.siblings[self.place]
        return None if rows[0] == rows[1] else rows

    @property
    def is_stretch(self) -> bool:
        """Whether it is another stretch of text than its element: a passage, or several siblings."""
        return self.sentences is not None or self._sibling_rows is not None

    @property
    def document(self) -> str:
        """Document id."""
        among, place = self._where
        return among.documents[place]

    @property
    def path(self) -> str:
        """Path of the element, of the one that contains the passage, or of the best sibling: `/article[1]/bdy[1]`."""
        among, place = self._where
        return among.paths[place] if len(among) <= FEW else str(self._of("paths"))

    @property
    def start(self) -> int:
        """First character (code point) in the document's text."""
        return self._span[0]

    @property
    def end(self) -> int:
        """One past the last character in the document's text."""
        return self._span[1]

    @property
    def size(self) -> int:
        """Number of characters."""
        return self.end - self.start

    @property
    def _span(self) -> tuple[int, int]:
        start, end = self._of("spans").tolist()
        return start, end

    @property
    def words(self) -> int:
        """Number of words, stop words included."""
        return words_of(self._reader, self._columns, self._places)[0]

    @property
    def article_rank(self) -> int:
        """Rank of the article among the ranked articles, from 1."""
        return int(self._columns.article[self.place]) + 1

    @property
    def article_score(self) -> float:
        """Similarity of the article; 0 in the native approach, which does not rank articles."""
        return float(self._columns.ranked.scores[self.article_rank - 1])

    @property
    def element(self) -> Element:
        """The element, or the one that contains the passage: from it its neighbours in the tree are reached."""
        return Element(self._reader, self._row)

    @property
    @reads_columns
    def text(self) -> str:
        """Text of the answer, white space as in the document: the characters from `start` to `end`."""
        return self._reader.text(int(self._columns.documents[self.place]))[self.start : self.end]

    @property
    @reads_columns
    def readable_text(self) -> str:
        """Text for readers and models: in lines, white space collapsed; a row of a table is one: `Cause | Remedy`."""
        document, row = int(self._columns.documents[self.place]), self._row
        if (siblings := self._sibling_rows) is not None:
            row = int(self._reader.elements.parent(siblings)[0])
        return readable_text(self._reader, document, row, self.start, self.end)

    @property
    def snippet(self) -> Snippet:
        """About 240 characters with the most query terms: `text`, `marks` (their spans) and `marked("<b>", "</b>")`.

        Of a table, its header and best rows.
        """
        snippet: Snippet = self._of("snippets")
        return snippet

    @property
    def breadcrumb(self) -> list[str]:
        """Titles of the document and of the sections down to the element."""
        titles: list[str] = self._of("breadcrumbs")
        return titles

    @property
    def also_in(self) -> list[Element]:
        """Elements left out, as they say what this answer says, or nearly so (`repetitions`, `word_budget`)."""
        found = self._columns.also_in
        first, end = (bisect_left(found, (place,)) for place in (self.place, self.place + 1))
        return [Element(self._reader, each.row) for each in found[first:end]]

    @property
    def also_in_paths(self) -> list[dict[str, str]]:
        """Document and path of each of `also_in`, as JSON has them."""
        return [{"document": each.document, "path": each.path} for each in self.also_in]

    @property
    def fields(self) -> dict[str, FieldValue]:
        """Fields of the document, such as author and year: a value each, or a list of one that may have several."""
        found: dict[str, FieldValue] = self._of("fields")
        return dict(found)

    @property
    def image(self) -> str | None:
        """Path of the best image in the answer, relative to the folder of its source; None without example image."""
        number = self._image_number
        return None if number is None else self._reader.images.key(number)

    @property
    def image_score(self) -> float | None:
        """Score of that image for the example images, from 0 to 1."""
        scores = self._columns.image_scores
        return None if self._image_number is None or scores is None else float(scores[self.place])

    @property
    @reads_columns
    def shown_image(self) -> str | None:
        """Path of the best image in the answer, or, without example image, of the first one; None for none."""
        images = self._reader.images
        if self._image_number is not None or not images.n_images:
            return self.image
        rows, numbers = images.references
        first, last = np.searchsorted(rows, self._alone.row_bounds[0]).tolist()
        return images.key(int(numbers[first])) if last > first else None

    @property
    @reads_columns
    def image_blocks(self) -> FloatArray | None:
        """How far that image matches the example in each of 16 x 16 blocks, from 0 to 1; the mean of several ones.

        None without an example.
        """
        number, examples = self._image_number, self._columns.image_groups
        if number is None or not examples:
            return None
        from engine.images.similarity import matching_blocks  # noqa: PLC0415  (most searches have no image)

        features = self._reader.images.features(number)
        found: FloatArray = np.mean([matching_blocks(groups, features) for groups in examples], axis=0)
        return found

    @property
    def _image_number(self) -> int | None:
        """The number of the best image in the answer; None where there is none."""
        images = self._columns.images
        number = -1 if images is None else int(images[self.place])
        return None if number < 0 else number

    @property
    def _columns(self) -> AnswerColumns:
        return self._where[0]._columns

    @property
    def _reader(self) -> IndexReader:
        return self._where[0].reader

    @property
    def _row(self) -> int:
        return int(self._columns.elements[self.place])

    @property
    def _places(self) -> NDArray[np.int64]:
        return np.array([self.place])

    @property
    def _key(self) -> tuple[object, ...]:
        return self.rank, self.document, self.path, self.start, self.end, self.score

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Answer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.rank, self.document, self.score))

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"Answer cannot be changed: '{name}'")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Answer cannot be changed: '{name}'")

    def __repr__(self) -> str:
        try:
            return printable(f"Answer({self.rank}, {self.document!r}, {self.path!r}, score={self.score:.4f})")
        except FoxirError:  # a repr is for tracebacks, too
            return f"Answer({self.rank}, score={self.score:.4f}, {UNREADABLE})"

    @property
    def _n_answers(self) -> int:
        return 1

    def _keep(self) -> None:
        if not self._where[0]._is_kept:
            alone = self._alone
            alone._keep()
            self.__dict__["_where"] = (alone, 0)

    @cached_property
    def _alone(self) -> Answers:
        among, place = self._where
        return among[place : place + 1]

    def _of(self, column: str) -> Any:
        """Return the value of a column: of all answers where that is known, else of this one alone."""
        among, place = self._where
        return getattr(among, column)[place] if column in vars(among) else getattr(self._alone, column)[0]

    def to_dict(self, *, text: bool = False) -> dict[str, Any]:
        """Return the answer as `foxir search --json` prints it; `marks` are the words between the snippet's brackets.

        Args:
            text: whether it has its text, as `text` and as `readable_text`. Without them, an answer of a closed index
                has None for what was not read before.
        """
        with_text = flag("text", text)
        snippet = self._read("snippet")
        row: dict[str, Any] = {
            "rank": self.rank,
            "rsv": self.rsv,
            "score": self.score if self.has_score else None,
            "document": self.document,
            "path": self.path,
            "start": self.start,
            "end": self.end,
            "size": self.size,
            "words": self._read("words"),
            "sentences": self.sentences,
            "article_rank": self.article_rank,
            "article_score": self.article_score,
            "breadcrumb": self._read("breadcrumb"),
            "fields": self._read("fields"),
            "snippet": snippet and snippet.marked(),
            "marks": snippet and [[start + 2 * n + 1, end + 2 * n + 1] for n, (start, end) in enumerate(snippet.marks)],
        }
        if self._columns.plan.images is not None:
            row |= {"image": self._read("image"), "image_score": self.image_score}
        if siblings := self._read("siblings"):
            row["siblings"] = siblings
        if also_in := self._read("also_in_paths"):
            row["also_in"] = also_in
        return {**row, "text": self.text, "readable_text": self.readable_text} if with_text else row

    def _read(self, name: str) -> Any:
        """Return an attribute that is read from the index; None if that was closed before."""
        try:
            return getattr(self, name)
        except ClosedIndexError:
            return None

    def __reduce__(self) -> tuple[object, tuple[Answers, int]]:
        """Reduce to a selection of this one, so the paths and spans of the others are not pickled."""
        return Answer, (self._alone, 0)

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute("'Answer' object", name, "answer")


def facets_of(answers: Answers) -> dict[str, Any]:
    """Return the facets of answers as JSON has them; nothing where none was asked for."""
    facets = {name: _counts(counts) for name, counts in answers.facets.items()}
    return {"facets": facets} if facets else {}


def _counts(counts: dict[str | int | float, int]) -> list[dict[str, Any]]:
    return [{"value": value, "count": number} for value, number in counts.items()]


def _chosen(column: Any, chosen: NDArray[np.int64] | slice) -> Any:
    """Return the values of a column at places; it is an array or a tuple."""
    if isinstance(column, np.ndarray):
        return read_only(column[chosen])
    return column[chosen] if isinstance(chosen, slice) else tuple(column[place] for place in chosen.tolist())
