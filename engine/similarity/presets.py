"""Presets of the article ranking: named expressions with options, tuned parameters, fast scores over postings.

A preset is an expression. Its weights of terms are those of the expression's letters; what depends on articles is
computed posting by posting, in the order of operations of the kernel, so that both give the same bits. So these
scores equal those of the expression to within 1e-12 (a test). Equation numbers are those of the thesis (Pehcevski
2006). Arrays are float64; the parts of a score are added in the order of the sorted terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, Mask, Numbers, places_of, short_mantissas
from engine.kernels.table import native
from engine.records import NamedTuple
from engine.similarity.parameters import COLLECTION, TOKENS, Parameters, with_defaults
from engine.similarity.parser import parse_expression
from engine.similarity.registry import TABLES, TERM_WEIGHT
from engine.similarity.values import Counts

# k1 of the BM25 of openings.
OPENING_K1 = 1.2


class TermFrequencies(Protocol):
    """The frequencies of a term in the collection."""

    @property
    def document_frequency(self) -> int:
        """N_t."""

    @property
    def collection_frequency(self) -> int:
        """F_t."""

    @property
    def opening_frequency(self) -> int:
        """O_t."""


class TermPostings(NamedTuple):
    """The postings of one query term, in one shard if there are several."""

    term: str
    query_tf: float  # f_qt, below 1 the share of a word
    documents: NDArray[np.int64]  # ascending
    tf: NDArray[np.int64]  # f_dt
    opening_documents: NDArray[np.int64]  # those whose opening contains the term, ascending
    opening_tf: NDArray[np.int64]  # o_dt, in the opening
    frequencies: TermFrequencies


class DocumentStatistics(Protocol):
    """The collection statistics that the presets need; arrays are by document number."""

    @property
    def n_documents(self) -> int:
        """N."""

    @property
    def n_tokens(self) -> int:
        """|C|."""

    @property
    def lengths(self) -> FloatArray:
        """|d| in tokens."""

    @property
    def mean_length(self) -> float:
        """Mean of |d|."""

    @property
    def weights(self) -> FloatArray:
        """W_d, the vector norms."""

    def mean_weight_of(self, bits: int) -> float:
        """Return W_AL, the mean vector norm, of norms with a mantissa of `bits` bits; 0 for all bits."""


class FastScores(NamedTuple):
    """Functions for the part of each term in an article's score, and for the part that depends on no term, if any."""

    part: Callable[[TermPostings, DocumentStatistics, Parameters], FloatArray]
    document_part: (
        Callable[[NDArray[np.int64], Sequence[TermPostings], DocumentStatistics, Parameters], FloatArray] | None
    )


@lru_cache(2**14)
def term_weight(letter: str, n: int, n_t: int) -> float:
    """Return w_t of a term that n_t of n documents contain, by a letter of Table A.2."""
    counts = Counts(float(n), np.array([n_t], np.float64))
    return float(TABLES[TERM_WEIGHT][letter].function(counts, {})[0])


def _weight(letter: str, postings: TermPostings, collection: DocumentStatistics) -> float:
    """Return w_t, times the share of a word that the term is."""
    w_t = term_weight(letter, collection.n_documents, postings.frequencies.document_frequency)
    return w_t * min(postings.query_tf, 1.0)


def pcosine_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return f_qt w_t (1 + ln f_dt) / W_D, with w_t by letter B, and W_D = (1 - s) + s W_d/W_AL.

    Source: (2.1), pivoted cosine; W_d as the engine behind the thesis computes it. `length="tokens"` takes W_d = |d|;
    `weight_bits` stores W_d with a short mantissa first, as that engine does, and reproduces Table 2.1 to the last
    digit; `query_norm` divides by W_q, which changes no order.
    """
    weights, mean = _pivot(collection, parameters)
    pivoted = (1 - parameters["s"]) + parameters["s"] * weights[postings.documents] / mean
    w_q, tf = _weight("B", postings, collection), postings.tf.astype(np.float64)
    part: FloatArray = max(postings.query_tf, 1.0) * w_q * (1 + np.log(tf)) / pivoted
    return part


def _pivot(collection: DocumentStatistics, parameters: Parameters) -> tuple[FloatArray, float]:
    """Return W_d of every document and their mean W_AL."""
    if parameters["length"] == TOKENS:
        return collection.lengths, collection.mean_length
    bits = int(parameters["weight_bits"])
    weights = short_mantissas(collection.weights, bits) if bits else collection.weights
    return weights, collection.mean_weight_of(bits)


def query_norm(terms: Sequence[TermPostings], collection: DocumentStatistics) -> float:
    """Return W_q = sqrt(sum of (f_qt w_t)^2), with w_t by letter B, by which (2.1) as printed divides."""
    return math.sqrt(math.fsum((max(each.query_tf, 1.0) * _weight("B", each, collection)) ** 2 for each in terms))


def _saturated(factor: float, tf: Numbers, length: FloatArray | float) -> FloatArray:
    """Return factor f / (K + f)."""
    f = tf.astype(np.float64)
    return factor * f / (length + f)


def _okapi_length(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return K = k1 ((1 - b) + b |d|/avgdl)."""
    k1, b = float(parameters["k1"]), float(parameters["b"])
    length: FloatArray = k1 * ((1 - b) + b * collection.lengths[postings.documents] / collection.mean_length)
    return length


def okapi_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return w_t (k1 + 1) f_dt / (K + f_dt) r_qt, with w_t by letter R. Source: (2.2), Okapi BM25.

    r_qt = (k3 + 1) f_qt / (k3 + f_qt), f_qt for an infinite k3.
    """
    k3, f_qt = float(parameters["k3"]), max(postings.query_tf, 1.0)
    r_qt = f_qt if math.isinf(k3) else (k3 + 1) * f_qt / (k3 + f_qt)
    factor = _weight("R", postings, collection) * (float(parameters["k1"]) + 1)
    return _saturated(factor, postings.tf, _okapi_length(postings, collection, parameters)) * r_qt


def bm25_factor(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> float:
    """Return w_t (k1 + 1), with w_t by letter W."""
    return _weight("W", postings, collection) * (float(parameters["k1"]) + 1)


def bm25_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return w_t (k1 + 1) f_dt / (K + f_dt), with w_t by letter W.

    A word counts once, however often the query repeats it. Source: Robertson & Zaragoza 2009, 3.4.
    """
    factor = bm25_factor(postings, collection, parameters)
    return _saturated(factor, postings.tf, _okapi_length(postings, collection, parameters))


def best_by_bm25(
    terms: Sequence[TermPostings],
    collection: DocumentStatistics,
    parameters: Parameters,
    n_best: int,
    order: NDArray[np.int64] | None,
    weight_of_openings: float = 0.0,
    kept: Mask | None = None,
) -> tuple[NDArray[np.int64], FloatArray, float]:
    """Return the documents with the n best sums of `bm25_part`, best first, these sums, and the best sum; in C alone.

    Args:
        order: rank of each document where scores are equal; None for their numbers.
        weight_of_openings: what `opening_part` is added with; 0 for nothing.
        kept: which documents are among the n best, None for all; the best sum is that of all.
    """
    k1, b = float(parameters["k1"]), float(parameters["b"])
    postings = [(each.documents, each.tf) for each in terms]
    factors = [(bm25_factor(each, collection, parameters), k1, b) for each in terms]
    if weight_of_openings:
        postings += [(each.opening_documents, each.opening_tf) for each in terms]
        factors += [(opening_factor(each, collection, weight_of_openings), OPENING_K1, 0.0) for each in terms]
    weights, of_k1, of_b = np.array(factors, np.float64).reshape(-1, 3).T.copy()
    lists = [documents for documents, _ in postings], [tf for _, tf in postings]
    documents, found, highest = native.best_by_bm25(
        *lists, weights, of_k1, of_b, collection.lengths, order, kept, collection.mean_length, n_best
    )
    return np.frombuffer(documents, np.int64), np.frombuffer(found, np.float64), highest


def opening_factor(postings: TermPostings, collection: DocumentStatistics, weight: float) -> float:
    """Return weight (k1 + 1) w_t, with w_t by letter W of the openings that contain the term."""
    w_t = term_weight("W", collection.n_documents, postings.frequencies.opening_frequency)
    return w_t * (OPENING_K1 + 1) * weight * min(postings.query_tf, 1.0)


def opening_part(postings: TermPostings, collection: DocumentStatistics, weight: float) -> FloatArray:
    """Return weight w_t (k1 + 1) o_dt / (k1 + o_dt), for each document whose opening contains the term.

    BM25 of the openings of documents, which are all of the same length; o_dt are the term's occurrences in that of a
    document.
    """
    return _saturated(opening_factor(postings, collection, weight), postings.opening_tf, OPENING_K1)


def dirichlet_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return f_qt ln(f_dt / (mu p_t) + 1), p_t the probability of the term in the background.

    background "collection": p_t = F_t / |C|, what the engine behind the thesis computes; "documents": N_t / N, as (2.3)
    is printed.
    """
    if parameters["background"] == COLLECTION:
        probability = postings.frequencies.collection_frequency / collection.n_tokens
    else:
        probability = postings.frequencies.document_frequency / collection.n_documents
    tf = postings.tf.astype(np.float64)
    part: FloatArray = postings.query_tf * np.log(tf / (float(parameters["mu"]) * probability) + 1)
    return part


def dirichlet_document_part(
    documents: NDArray[np.int64], terms: Sequence[TermPostings], collection: DocumentStatistics, parameters: Parameters
) -> FloatArray:
    """Return f_q ln(lambda_d), lambda_d = mu / (mu + |d|); f_q counts the query words in the collection. (2.3)"""
    mu = float(parameters["mu"])
    part: FloatArray = sum(t.query_tf for t in terms) * np.log(mu / (mu + collection.lengths[documents]))
    return part


class Preset(NamedTuple):
    """A ranking of articles by name.

    expression: the Q-expression with the default options.
    options: expressions by the name and the value of an option; an option that changes no letter has none.
    tuned: parameters tuned in the thesis on INEX 2005, None if it has none; the others have their defaults.
    """

    name: str
    line: str
    expression: str
    source: str
    options: Mapping[str, Mapping[Any, str]]
    tuned: Parameters | None
    fast: FastScores

    @property
    def defaults(self) -> Parameters:
        """The parameters of the expression and the options, with their defaults."""
        return _defaults(self.expression, tuple(self.options))


@cache
def _defaults(expression: str, options: tuple[str, ...]) -> Parameters:
    return with_defaults(parse_expression(expression).parameters | set(options))


# The name of the default.
BM25 = "bm25"

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            BM25,
            "no weight is negative, repeated query words count once",
            "D[CW-AEH-BAA]",
            "Robertson and Zaragoza 2009",
            options={},
            tuned=None,
            fast=FastScores(bm25_part, None),
        ),
        Preset(
            "pcosine",
            "as the engine behind the thesis computes it",
            "D[BB-ABE-BIA]",
            "thesis 2.1",
            options={"length": {TOKENS: "D[BB-ABF-BIA]"}, "weight_bits": {}, "query_norm": {True: "D[BB-ABE-BIB]"}},
            tuned={},
            fast=FastScores(pcosine_part, None),
        ),
        Preset(
            "okapi",
            "common terms neither help nor hurt",
            "D[CR-AEH-BEA]",
            "thesis 2.2",
            options={},
            tuned={"k1": 1.95, "b": 0.35},
            fast=FastScores(okapi_part, None),
        ),
        Preset(
            "dirichlet",
            "background of words",
            "D[HU-AGJ-BAJ]",
            "thesis 2.3",
            options={"background": {"documents": "D[HN-AGJ-BAJ]"}},
            tuned={"mu": 14200.0},
            fast=FastScores(dirichlet_part, dirichlet_document_part),
        ),
    )
}


def parameters_of(name: str, given: Parameters) -> Parameters:
    """Return all parameters of a preset: the given ones, and the defaults of the others."""
    return {**PRESETS[name].defaults, **given}


def scores(
    name: str, terms: Sequence[TermPostings], collection: DocumentStatistics, given: Parameters
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the documents that contain a query term, ascending, and their scores by a preset.

    Args:
        terms: sorted by term; their postings contain live documents only.
        given: parameters; the others have their defaults.
    """
    fast, parameters = PRESETS[name].fast, parameters_of(name, given)
    if not terms:
        return np.empty(0, np.int64), np.empty(0)
    total = np.zeros(len(collection.lengths))
    is_found = np.zeros(len(collection.lengths), np.bool_)
    for postings in terms:
        total[postings.documents] += fast.part(postings, collection, parameters)
        is_found[postings.documents] = True
    documents = places_of(is_found)
    found = total[documents]
    if fast.document_part:
        found += fast.document_part(documents, terms, collection, parameters)
    if parameters.get("query_norm"):
        found /= query_norm(terms, collection)
    return documents, found
