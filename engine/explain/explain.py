"""Why an element is an answer, or why not: the stages of one search, looked at for one element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.answers.answer_texts import spans_of
from engine.arrays import places_of
from engine.columns.checked_folder import reads_columns
from engine.explain.element_explanation import ElementExplanation, ExplainedPassage, Neighbour
from engine.explain.image_score import fused_score
from engine.explain.outcome import outcome_of, outcome_of_candidate
from engine.explain.score import ScoreExplainer, explain_counts
from engine.explain.traced_search import TracedSearch
from engine.index.elements.element_lookup import number_of, row_of, smallest_element, stretch_of
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.index.texts.opening import OPENING_WORDS
from engine.index.texts.passage_offsets import passage_offsets
from engine.planning.plan import ArticleRanking, ByHeuristic, ByScore, ExampleImage, Plan
from engine.planning.planning import make_plan
from engine.query.query import Query
from engine.query_limits import limited
from engine.ranking.articles import RankedArticles, term_postings
from engine.ranking.expressions.expression_parts import Parts, expression_parts
from engine.ranking.parts.article import ARTICLE
from engine.ranking.parts.part import Explanation, left_to_right
from engine.ranking.scoring.passages import WHOLE
from engine.settings import Settings
from engine.similarity.own_function import OwnFunction
from engine.similarity.presets import PRESETS, TermPostings, opening_part, parameters_of, query_norm, scores
from engine.structure.predicates import predicates_met
from engine.wording import counted, shortened

TYPED_WORD = re.compile(r"\w+(?:['’]\w+)*")


def dropped_function_words(index: IndexReader, text: str, settings: Settings, plan: Plan) -> tuple[str, ...]:
    """Return the function words of a query that are not terms of its plan, in the order in which they were typed."""
    if not plan.query.function_words:
        return ()
    text = plan.query.text  # without fields
    with_all = make_plan(text, index.analyser, settings, needs_text=False).query
    missing = with_all.word_counts.keys() - plan.query.word_counts.keys()
    typed = dict.fromkeys(word.casefold() for word in TYPED_WORD.findall(text))
    candidates = (word for word in typed if word in plan.query.function_words)
    return tuple(word for word in candidates if missing.intersection(index.analyser.terms(word)))


# Passages of an element that are explained one by one, the best first; all are counted.
MOST_PASSAGES = 20
# Elements below the explained one that are listed, the best first.
MOST_BELOW = 5


@reads_columns
def explain(
    index: IndexReader, text: str, document: str, path: str, settings: Settings, images: Sequence[ExampleImage] = ()
) -> ElementExplanation:
    """Return why an element is an answer to a query, or why not.

    The query is answered once; its stages record what they drop of the document. Values are those of this search.

    Args:
        path: or an id, or OFFSET:LENGTH of an answer's text, for its element; of another text, for the smallest
            element that contains it.
        images: example images beside those that the query names.
    Raises: QueryError for a document or a path that the index does not contain; QueryLimitError.
    """
    with limited(settings.max_query_memory, settings.max_seconds):
        return _explained(index, text, document, path, settings, images)


def _explained(
    index: IndexReader, text: str, document: str, path: str, settings: Settings, images: Sequence[ExampleImage]
) -> ElementExplanation:
    number = number_of(index, document)
    stretch = stretch_of(index, number, path)
    row = row_of(index, document, path) if stretch is None else -1
    traced = TracedSearch(index, text, settings, number, images)
    if stretch is not None:
        row = _row_around(traced, number, *stretch)
    path = element_paths(index, np.array([row]))[0]
    answers, plan = traced.answers, traced.plan
    outcome = outcome_of(traced, row)
    element: Explanation | None = None
    neighbours: tuple[Neighbour, ...] = ()
    passages: tuple[ExplainedPassage, ...] = ()
    if number in answers.ranked.documents:
        if isinstance(plan.order, ByScore) and traced.elements is not None:
            explainer = ScoreExplainer(traced, plan.order, traced.elements)
            table = traced.table_of(row)
            element = explainer.element(row) if table is None else explainer.row_of(row, table)
            if plan.returns_passages and table is None:
                passages = _passages(traced, explainer, number, row)
            else:
                neighbours = _neighbours(traced, row)
        elif isinstance(plan.order, ByHeuristic):
            element = explain_counts(traced, row)
        if plan.images is not None:
            element = fused_score(traced, row, element)
    return ElementExplanation(
        query=text,
        interpretation=answers.interpretation,
        document=document,
        path=path,
        rsv=None if outcome.rank is None else float(answers.rsv[outcome.rank - 1]),
        outcome=outcome,
        article=explain_article(index, plan, answers.ranked, number),
        element=element,
        structure=_structure(traced, row),
        neighbours=neighbours,
        passages=passages,
        n_passages=len(traced.places(row)) if plan.returns_passages else 0,
        settings=plan.settings.to_dict(),
        dropped_words=dropped_function_words(index, text, settings, plan),
        expansions=plan.query.expansions,
    )


def _row_around(traced: TracedSearch, number: int, start: int, end: int) -> int:
    """Return the element of the answer that is a stretch of a document, else the smallest one that contains it."""
    answers, index = traced.answers, traced.index
    places = places_of(index.elements.document(answers.elements) == number)
    for place, span in zip(places.tolist(), spans_of(index, answers, places).tolist(), strict=True):
        if span == [start, end]:
            return int(answers.elements[place])
    return smallest_element(index, number, start, end)


def _passages(traced: TracedSearch, explainer: ScoreExplainer, document: int, row: int) -> tuple[ExplainedPassage, ...]:
    """Return the best passages of an element, windows of sentences or the whole; else its best answer, too."""
    candidates, found, places = traced.candidates, [], traced.places(row)
    shown, others = places[:MOST_PASSAGES], places[MOST_PASSAGES:]
    if not any(traced.ranks[place] for place in shown):
        shown += [place for place in others if traced.ranks[place]][:1]
    for place in shown:
        first, last = candidates.sentences[place].tolist()  # type: ignore[index]
        here, is_whole = np.array([row]), first == WHOLE
        if is_whole:
            span = traced.index.spans(document, here)
        else:
            span = passage_offsets(traced.index, here, np.array([first]), np.array([last]))
        words, (start, end) = int(candidates.ends[place] - candidates.begins[place]), span[0].tolist()
        score = explainer.whole(place) if is_whole else explainer.passage(place)
        sentences = None if is_whole else (first, last)
        found.append(ExplainedPassage(sentences, start, end, words, score, outcome_of_candidate(traced, place)))
    return tuple(found)


def _neighbours(traced: TracedSearch, row: int) -> tuple[Neighbour, ...]:
    """Return the scored elements above an element, and the best below it."""
    order, scored = traced.plan.order, traced.elements
    if not isinstance(order, ByScore) or scored is None:
        return ()
    elements, fused = traced.index.elements, traced.fused
    every, values = (scored.rows, scored.values) if fused is None else (fused.rows, fused.values)
    end = elements.end(np.array([row]))[0]
    above = every[(every < row) & (elements.end(every) >= end)]
    below = every[(every > row) & (every < end)]
    best = np.argsort(-values[every.searchsorted(below)], kind="stable")[:MOST_BELOW]
    rows = np.concatenate([above, below[best]])
    places, words = every.searchsorted(rows).tolist(), elements.n_words(rows).tolist()

    def of_article(other: int) -> float:
        return (
            ARTICLE.of(order, traced.article_score(other)).value or 0.0 if fused is None else 0.0
        )  # fused scores have it

    return tuple(
        Neighbour(
            path=path,
            relation="above" if other < row else "below",
            score=traced.with_meaning(float(values[place]) + of_article(other), traced.compared_place(other)),
            words=size,
            outcome=outcome_of(traced, other),
        )
        for path, other, place, size in zip(
            element_paths(traced.index, rows), rows.tolist(), places, words, strict=True
        )
    )


def _structure(traced: TracedSearch, row: int) -> tuple[dict[str, Any], ...]:
    """Return the parts of a path query, from left to right, each with the element that meets it."""
    if traced.plan.query.path is None:
        return ()
    query, settings = traced.plan.query, traced.plan.settings
    found = predicates_met(traced.index, query, settings, np.array([row]), traced.image_rows)
    return tuple(
        {
            "part": predicate.text,
            "step": predicate.step,
            "kind": "condition" if predicate.is_condition else "path",
            "element": "target" if predicate.is_target else "support",
            "met_by": element_paths(traced.index, predicate.met_by)[0] if predicate.met_by[0] >= 0 else None,
            "met_in_article": int(predicate.in_article[0]),
        }
        for predicate in found
    )


def explain_article(index: IndexReader, plan: Plan, ranked: RankedArticles, document: int) -> Explanation:
    """Return the score of a document with the part of each query term, and of its length where the formula has one.

    The value of a ranked article is its score in the ranking, bit for bit; None for an article without a query term
    and where articles are not ranked (native approach).
    """
    terms = term_postings(index, plan.query)
    place = np.flatnonzero(ranked.documents == document)
    rank = int(place[0]) + 1 if place.size else None
    parts = _parts(index, plan.query, terms, document, plan.articles) if plan.articles.is_ranked else None
    openings = _openings(index, terms, document, plan.articles.opening_weight) if parts else []
    score = left_to_right([Explanation("terms", parts.score, "all terms"), *openings]) if parts else None
    if score is not None and rank is not None:
        score = float(ranked.scores[rank - 1])
    details = [_term(postings, document, parts, is_ranked=plan.articles.is_ranked) for postings in terms]
    if parts is not None and parts.addend is not None:
        own = plan.articles.expression
        if isinstance(own, OwnFunction):
            details.append(Explanation("function", parts.addend, own.function, facts={"function": own.function}))
        else:
            details.append(Explanation("document_length", parts.addend, "length of the document"))
    details += openings
    known = {postings.term for postings in terms}
    details += [
        Explanation("term", None, f"{shortened(word)}: in no document", facts={"term": word, "tf": 0, "df": 0})
        for word in plan.query.word_counts
        if word not in known
    ]
    n_tokens = int(index.statistics.lengths[document])
    name = plan.articles.similarity if plan.articles.is_ranked else None
    described = "articles without a score" if name is None else f"{name} and opening" if openings else name
    position = "not ranked" if rank is None else f"rank {rank}"
    return Explanation(
        "article",
        score,
        f"{described}, {position}, {counted(n_tokens, 'token')}",
        tuple(details),
        {"similarity": name, "rank": rank, "length_tokens": n_tokens},
        sums=True,
    )


def _term(postings: TermPostings, document: int, parts: Parts | None, *, is_ranked: bool) -> Explanation:
    """Return the part of a term in the score of a document: 0 where the document does not contain it."""
    place = int(np.searchsorted(postings.documents, document))
    contains = place < len(postings.documents) and postings.documents[place] == document
    tf, df = int(postings.tf[place]) if contains else 0, len(postings.documents)
    facts = {
        "term": postings.term,
        "query_tf": postings.query_tf,
        "tf": tf,
        "df": df,
        "collection_frequency": int(postings.tf.sum()),
    }
    part = (parts.terms.get(postings.term, 0.0) if parts else 0.0) if is_ranked else None
    return Explanation("term", part, f"{shortened(postings.term)}: {_counts(tf, df)}", facts=facts)


def _counts(tf: int, df: int) -> str:
    """Return frequencies in words: those in the document and the documents that have the term so."""
    return f"{counted(tf, 'occurrence')}, in {counted(df, 'document')}"


def _openings(index: IndexReader, terms: Sequence[TermPostings], document: int, weight: float) -> list[Explanation]:
    """Return the part of each term that is in the opening of a document."""
    found = []
    for postings in terms if weight else []:
        if (at := np.flatnonzero(postings.opening_documents == document)).size:
            part = float(opening_part(postings, index.statistics, weight)[at[0]])
            tf, df = int(postings.opening_tf[at[0]]), postings.frequencies.opening_frequency
            facts = {"term": postings.term, "weight": weight, "tf": tf, "df": df}
            name = shortened(postings.term)
            described = f"{name} in the first {OPENING_WORDS} words: {_counts(tf, df)}, weight {weight:g}"
            found.append(Explanation("opening_term", part, described, facts=facts))
    return found


def _parts(
    index: IndexReader, query: Query, terms: list[TermPostings], document: int, ranking: ArticleRanking
) -> Parts | None:
    """Return the score of a document by terms, None where it contains no query term."""
    if ranking.expression is not None:
        return expression_parts(index, ranking.expression, query.word_counts, document, parameters=ranking.parameters)
    fast, parameters = PRESETS[ranking.similarity].fast, parameters_of(ranking.similarity, ranking.parameters)
    found, values = scores(ranking.similarity, terms, index.statistics, ranking.parameters)
    place = np.flatnonzero(found == document)
    if not place.size:
        return None
    norm = query_norm(terms, index.statistics) if parameters.get("query_norm") else 1.0
    parts = {}
    for postings in terms:
        if (at := np.flatnonzero(postings.documents == document)).size:
            parts[postings.term] = float(fast.part(postings, index.statistics, parameters)[at[0]]) / norm
    addend = None
    if fast.document_part:
        addend = float(fast.document_part(np.array([document]), terms, index.statistics, parameters)[0]) / norm
    return Parts(parts, addend, float(values[place[0]]), parts, 1.0)
