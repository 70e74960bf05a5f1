"""A search for people and programs: a query of any kind in, a page of answers out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat

import numpy as np

import foxir
from engine.arrays import FloatArray
from engine.index.fields import FieldValue
from engine.notices import Notice
from engine.planning.plan import ExampleImage
from engine.presentation.breadcrumbs import document_titles
from engine.presentation.snippets import NOTHING
from engine.presentation.table_snippets import TableSnippet
from engine.query_limits import check_time, reserve
from engine.ranking.search import plan_query
from engine.settings.kinds.value_types import SIBLINGS
from engine.threads import cached_property
from foxir.messages import service
from foxir.searching.first_answers import total_relation
from foxir.searching.grouping import RANKED_FOR_ONE, places_by_document, spread
from foxir.searching.missing_words import missing_words
from foxir.searching.no_answer import with_reason
from foxir.service.http.problems import problem_of
from foxir.service.indexes import Snapshot
from foxir.service.json.records import FacetValue, FoundAnswer, FoundGroup, SearchResult
from foxir.service.json.requests import FACETS, GROUPS, SearchRequest

# Values of a facet, and answers of a document that are shown, the best one included.
MOST_VALUES, MOST_SHOWN = 12, 4
# The codes of notices on tags and attributes that no document has.
UNKNOWN_NAMES = ("path_of_no_document", "no_answer_to_names", "no_answer_to_attributes")
# Values of a field in one response.
MOST_OF_FIELD = 1000


def run_search(
    snapshot: Snapshot,
    request: SearchRequest,
    *,
    with_facets: bool = False,
    with_text: bool = False,
    with_blocks: bool = False,
    is_spread: bool = False,
    notices: Iterable[Notice] = (),
    sentence: Callable[[Notice], str] = service.sentence,
) -> SearchResult:
    """Return the answers to a request; parameters and errors as in `ranked_answers` and `RankedAnswers.result`."""
    ranked = ranked_answers(snapshot, request, with_facets=with_facets, is_spread=is_spread)
    return ranked.result(notices, sentence, with_text=with_text, with_blocks=with_blocks)


def check_query(snapshot: Snapshot, request: SearchRequest) -> None:
    """Raise what `ranked_answers` raises before it searches: ProblemError 422 for what cannot be read."""
    request.check_image_weight()
    try:
        plan_query(snapshot.reader, request.query, request.settings(), request.images())
    except foxir.FoxirError as error:
        raise problem_of(error) from None


def ranked_answers(
    snapshot: Snapshot,
    request: SearchRequest,
    *,
    with_facets: bool = False,
    is_spread: bool = False,
    counted_fields: Sequence[str] = (),
) -> RankedAnswers:
    """Return the answers to a request in their order, before anything is read of them.

    Args:
        is_spread: whether answers beyond the first ones of a document come only where other documents lack any.
        counted_fields: fields whose values are counted where the request names none, if documents have them.

    Raises: ProblemError 422 for settings and, of NEXI, for queries that cannot be read.
    """
    settings = request.settings()
    known = ",".join(name for name in counted_fields if name in snapshot.reader.fields.known)
    if known and settings.facets is None:
        settings = replace(request, given={**request.given, "facets": known}).settings()
    request.check_image_weight()
    last = request.offset + request.limit
    is_grouped = request.group == GROUPS[1]
    is_spread &= not is_grouped and settings.word_budget is None
    needs_all = bool(request.facets) or settings.word_budget is not None or is_grouped
    n_first = RANKED_FOR_ONE * last + 1 if is_spread or is_grouped else last + 1  # one more: whether any follow
    if is_grouped or not needs_all:
        settings = settings.with_max_answers(most_ranked(request, settings, n_first))
    n_ranked = settings.max_answers if needs_all or with_facets else min(n_first, settings.max_answers)
    answers = ask(snapshot, request, settings, n_ranked)
    return RankedAnswers(snapshot, request, answers, n_ranked, with_facets=with_facets, is_spread=is_spread)


@dataclass(frozen=True)
class RankedAnswers:
    """The answers to a request in their order; n_ranked: how many were asked for."""

    snapshot: Snapshot
    request: SearchRequest
    answers: foxir.Answers
    n_ranked: int
    with_facets: bool
    is_spread: bool

    @cached_property
    def labels(self) -> dict[str, Sequence[str]]:
        """The values of the answers, by facet."""
        names = FACETS if self.with_facets else self.request.facets
        return {name: _labels(name, self.answers, self.snapshot.kind_of) for name in names}

    @cached_property
    def places(self) -> Sequence[int]:
        """The places of the answers that fit the facets."""
        chosen = self.request.facets
        return _places(self.labels if chosen else {}, chosen, len(self.answers))

    @cached_property
    def groups(self) -> Sequence[Sequence[int]] | None:
        """The places of the answers of each document; None where answers stand one by one."""
        if self.request.group != GROUPS[1]:
            return None
        documents = self.answers.documents
        return [
            [self.places[place] for place in group]
            for group in places_by_document([documents[place] for place in self.places]).values()
        ]

    @property
    def total(self) -> int:
        """How many answers there are."""
        return len(self.answers) if self.is_spread else len(self.places)

    @property
    def n_listed(self) -> int:
        """Number of documents in the list, or of answers where it is not grouped."""
        return self.total if self.groups is None else len(self.groups)

    def _counts(self) -> dict[str, list[FacetValue]]:
        chosen = self.request.facets
        facets = _facets(self.labels, chosen, len(self.answers))
        if len({*self.labels["folder"]}) == len({*self.answers.documents}):  # which would only list the documents
            facets["folder"] = facets["folder"] if "folder" in chosen else []
        return facets

    def documents_by_value(self, field: str, where: str) -> list[FacetValue]:
        """Return in how many documents each value of a field is, of those that the query finds on another condition."""
        given = {**self.request.given, "facets": field, "where": where}
        settings = replace(self.request, given=given).settings().with_max_answers(1)
        return _of_fields(ask(self.snapshot, self.request, settings, 1), None)[field]

    def result(
        self,
        notices: Iterable[Notice] = (),
        sentence: Callable[[Notice], str] = service.sentence,
        *,
        with_text: bool = False,
        with_blocks: bool = False,
        with_missing: bool = False,
        is_brief: bool = False,
        most_of_field: int = MOST_OF_FIELD,
    ) -> SearchResult:
        """Return the page of answers that was asked for, with what records of answers have.

        Args:
            notices: those that precede the notices of the search. sentence: says each.
            with_text: whether answers have their texts.
            with_blocks: whether answers tell in which blocks their images match the example.
            with_missing: whether answers tell which words of the query they lack, if the rarest is one of them.
            is_brief: whether of the answers of a document the best one alone has its snippet, which is of whole
                sentences.
            most_of_field: values of a field that are returned, the most frequent ones.
        """
        request, answers, snapshot = self.request, self.answers, self.snapshot
        last = request.offset + request.limit
        page = slice(request.offset, last)
        form = AnswerForm(
            snapshot.kind_of,
            has_images=snapshot.reader.images.n_images > 0,
            with_text=with_text,
            with_blocks=with_blocks,
            with_missing=with_missing,
        )
        groups: list[FoundGroup] | None = None
        if self.groups is not None:
            groups = _groups(snapshot, answers, self.groups[page], form, is_brief=is_brief)
            shown = [group.answers[0] for group in groups]
        else:
            places = spread(answers.documents, last) if self.is_spread else self.places
            shown = _found(answers.at(places[page]) if request.facets or self.is_spread else answers[page], form)
        told = with_reason(answers.notices, answers.reason)
        return SearchResult(
            index=snapshot.name,
            generation=answers.generation.number,
            query=request.query,
            interpretation=answers.interpretation,
            offset=request.offset,
            limit=request.limit,
            total=self.total,
            total_relation=total_relation(len(answers), self.n_ranked),
            answers=shown,
            facets={**(self._counts() if self.with_facets else {}), **_of_fields(answers, most_of_field)},
            notice=_joined(map(sentence, (*notices, *told))),
            words=sum(answer.words for answer in shown),
            seconds=round(answers.seconds, 6),
            shards=None if answers.shards is None else list(answers.shards),
            meant=_meant(request.query, told),
            groups=groups,
            total_groups=None if groups is None else self.n_listed,
        )


def most_ranked(request: SearchRequest, settings: foxir.Settings, n_first: int) -> int:
    """Return how many answers are ranked at most for the first ones that a request needs."""
    return settings.max_answers if "max_answers" in request.given else max(settings.max_answers, n_first)


def _of_fields(answers: foxir.Answers, n: int | None) -> dict[str, list[FacetValue]]:
    """Return the most frequent values of the fields that the settings ask for, None for all."""
    return {
        name: [FacetValue(value, count) for value, count in values]
        for name, values in answers.frequent_values(n).items()
    }


def _meant(query: str, notices: Iterable[Notice]) -> str | None:
    """Return a query with words, or a tag, replaced by ones that are spelt alike, None where no notice names any."""
    spelt = {}
    for each in notices:
        if each.code == "spelt_alike":
            spelt[str(each.fields["word"])] = str(each.fields["meant"])
        elif each.code in UNKNOWN_NAMES and each.fields["near"]:
            spelt[str(each.fields["names"][0]).removeprefix("@")] = str(each.fields["near"])
    if not spelt:
        return None
    words = "|".join(map(re.escape, sorted(spelt, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)({words})(?!\w)", lambda found: spelt[found[0]], query)


def _groups(
    snapshot: Snapshot, answers: foxir.Answers, by_group: Sequence[Sequence[int]], form: AnswerForm, *, is_brief: bool
) -> list[FoundGroup]:
    """Return answers by document.

    Args:
        by_group: the places of the answers of each document.
        is_brief: whether all but the best of a document have neither snippet nor fields, and groups tell where their
            answers stand.
    """
    reader = snapshot.reader
    best = [group[0] for group in by_group]
    further = [place for group in by_group for place in group[1:MOST_SHOWN]]
    found = _found(answers.at([*best, *further]), form, len(best) if is_brief else None)
    numbers = np.array([reader.number(each.document) for each in found[: len(best)]], np.int64)
    titles, others = document_titles(reader, numbers), iter(found[len(best) :])
    lengths: Sequence[int | None] = [None] * len(best)
    spots: Sequence[FloatArray | None] = [None] * len(best)
    if is_brief:
        lengths = reader.spans_of(reader.elements.root(numbers))[:, 1].tolist()
        every = answers.at(np.array([place for group in by_group for place in group], np.int64))
        columns = np.column_stack((every.spans, every.rsv))
        spots = np.split(columns, np.cumsum([len(group) for group in by_group])[:-1])
    every_group = zip(found, titles, by_group, lengths, spots, strict=False)
    return [
        FoundGroup(first.document, title, len(group), [first, *islice(others, len(group[1:MOST_SHOWN]))], length, where)
        for first, title, group, length, where in every_group
    ]


def _joined(sentences: Iterable[str]) -> str:
    """Return sentences as one text, in which each after the first begins with a capital, unless with a setting.

    >>> _joined(["is it so?", "no answer: yes.", "min_words = 3: no."])
    'is it so? No answer: yes. min_words = 3: no.'
    """
    first, *others = [*sentences, ""]
    return " ".join([first, *map(with_capital, others)]).rstrip()


def with_capital(sentence: str) -> str:
    """Return a sentence that begins with a capital, unless with a setting."""
    word, _, rest = sentence.partition(" ")
    begins_with_word = word.rstrip(",:").isalpha() and not rest.startswith("=")
    return sentence[:1].upper() + sentence[1:] if begins_with_word else sentence


def ask(
    snapshot: Snapshot, request: SearchRequest, settings: foxir.Settings, n_first: int | None = None
) -> foxir.Answers:
    """Return the answers, the first ones or all.

    Raises: ProblemError 422 for a wrong path query or setting, 503 for a long search.
    """
    try:
        return search_snapshot(snapshot, request.query, settings, request.images(), n_first)
    except foxir.FoxirError as error:
        raise problem_of(error) from None


def search_snapshot(
    snapshot: Snapshot,
    query: str,
    settings: foxir.Settings,
    images: Sequence[ExampleImage] = (),
    n_first: int | None = None,
) -> foxir.Answers:
    """Return the answers, the first ones or all, of the newest generation; it may be newer than the snapshot."""
    return snapshot.index.search(query, settings, image=tuple(images), first=n_first)


def _labels(facet: str, answers: foxir.Answers, kind_of: Callable[[str], str]) -> Sequence[str]:
    """Return the value of each answer."""
    if facet == "tag":
        return answers.tags
    of = kind_of if facet == "kind" else folder_of
    known = {document: of(document) for document in {*answers.documents}}
    return [*map(known.__getitem__, answers.documents)]


def _places(labels: Mapping[str, Sequence[str]], chosen: Mapping[str, tuple[str, ...]], n: int) -> Sequence[int]:
    """Return the places of the answers that have one of the chosen values of each facet, of n answers.

    labels: the values of the answers by facet.
    """
    places: Sequence[int] = range(n)
    for name, values in chosen.items():
        of_facet = labels[name]
        places = [place for place in places if of_facet[place] in values]
    return places


def _facets(
    labels: Mapping[str, Sequence[str]], chosen: Mapping[str, tuple[str, ...]], n: int
) -> dict[str, list[FacetValue]]:
    """Return the most frequent values of each facet, and the chosen ones, of answers that fit the other facets."""
    found: dict[str, list[FacetValue]] = {}
    for name, values in labels.items():
        others = {other: wanted for other, wanted in chosen.items() if other != name}
        counts = Counter(map(values.__getitem__, _places(labels, others, n)) if others else values)
        pairs = dict(counts.most_common(MOST_VALUES)) | {value: counts[value] for value in chosen.get(name, ())}
        found[name] = [FacetValue(value, count) for value, count in pairs.items()]
    return found


def folder_of(document: str) -> str:
    """Return the first folder of a document's id, "." where there is none."""
    return document.partition("/")[0] if "/" in document else "."


@dataclass(frozen=True)
class AnswerForm:
    """What records of answers have; has_images: whether the index has any."""

    kind_of: Callable[[str], str]
    has_images: bool
    with_text: bool
    with_blocks: bool
    with_missing: bool


def _rows(answers: foxir.Answers) -> list[TableSnippet | None]:
    """Return answers that are rows of tables, with their headers; None for others."""
    rows = answers.reader.profile.row_tags
    places = [place for place, tag in enumerate(answers.tags) if tag in rows]
    found: list[TableSnippet | None] = [None] * len(answers)
    for place, table in zip(places, answers.at(places).table_snippets, strict=True):
        found[place] = table
    return found


def _found(answers: foxir.Answers, form: AnswerForm, n_whole: int | None = None) -> list[FoundAnswer]:
    """Return answers as records; values from the index are read for all together.

    n_whole: how many of them have snippets, fields and what they lack, the first ones; None for all.
    """
    numbers = (answers.ranks, answers.rsv, answers.scores, answers.article_ranks, answers.article_scores, answers.words)
    n_others = 0 if n_whole is None else len(answers) - n_whole
    of_all = (answers.documents, answers.paths, answers.breadcrumbs)
    whole = answers[: len(answers) - n_others]
    lacking = missing_words(whole) if form.with_missing else [[] for _ in whole]
    missing = [*lacking, *[[] for _ in range(n_others)]]
    fields: Sequence[Mapping[str, FieldValue]] = [*whole.fields, *[{}] * n_others]
    snippets = [*whole.snippets, *[NOTHING] * n_others]
    tables = [*whole.table_snippets, *_rows(answers[len(whole) :])]
    texts = (missing, *of_all, fields, snippets, tables)
    of_texts = answers.settings.word_budget is not None or answers.settings.repetitions == "once"
    are_stretches = answers.settings.passages or answers.settings.unit == SIBLINGS
    needs_rows = form.with_text or form.has_images or are_stretches or of_texts
    rows: Iterable[foxir.Answer | None] = answers if needs_rows else repeat(None, len(answers))
    columns = zip(rows, answers.spans.tolist(), *(column.tolist() for column in numbers), *texts, strict=True)
    found: list[FoundAnswer] = []
    if form.with_text:
        reserve(int((answers.spans[:, 1] - answers.spans[:, 0]).sum()))
    for answer, (start, end), rank, rsv, score, article_rank, article_score, words, *of_text in columns:
        without, document, path, breadcrumb, of_document, snippet, table = of_text
        check_time()
        sentences = None if answer is None else answer.sentences
        blocks = None if answer is None or not form.with_blocks else answer.image_blocks
        found.append(
            FoundAnswer(
                rank=rank,
                rsv=rsv,
                score=score,
                document=document,
                path=path,
                start=start,
                end=end,
                size=end - start,
                words=words,
                sentences=None if sentences is None else list(sentences),
                article_rank=article_rank,
                article_score=article_score,
                breadcrumb=breadcrumb,
                fields=of_document,
                snippet=snippet.text,
                marks=[list(mark) for mark in snippet.marks],
                kind=form.kind_of(document),
                text=answer.text if answer is not None and form.with_text else None,
                readable_text=answer.readable_text if answer is not None and form.with_text else None,
                image=None if answer is None else answer.shown_image,
                image_score=None if answer is None else answer.image_score,
                blocks=None if blocks is None else np.round(blocks, 4).tolist(),
                without=without or None,
                table=table,
                also_in=None if answer is None else answer.also_in_paths or None,
                siblings=None if answer is None or answer.siblings is None else list(answer.siblings),
            )
        )
    return found
