"""The explanation of an article's score, term by term."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.index.reader import IndexReader
from engine.index.texts.opening import OPENING_WORDS
from engine.planning.plan import ArticleRanking, Plan
from engine.query.query import Query
from engine.ranking.articles import RankedArticles, term_postings
from engine.ranking.expressions.expression_parts import Parts, expression_parts
from engine.ranking.parts.explanation import Explanation, left_to_right
from engine.similarity.own_function import OwnFunction
from engine.similarity.presets import PRESETS, TermPostings, opening_part, parameters_of, query_norm, scores
from engine.wording import counted, shortened


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
