"""Fast scores of articles by the presets: pivoted cosine, Okapi BM25 and Dirichlet smoothing over posting arrays.

Each function implements an expression (`engine/similarity/presets.py`); a test compares its scores with those of the
expression within 1e-12. Equation numbers are those of the thesis (Pehcevski 2006). Logarithms are natural, arrays
float64; the parts of a score are added in the order of the sorted terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import FloatArray, places_of, short_mantissas
from engine.records import NamedTuple
from engine.similarity.idf import idf
from engine.similarity.letters.term_weights import FLOOR
from engine.similarity.parameters import COLLECTION, TOKENS, Parameters

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
    query_tf: int  # f_qt
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
        """Return W_AL, the mean vector norm, of norms with a mantissa of some bits; 0 for all bits."""


class FastScores(NamedTuple):
    """Functions for the part of each term in an article's score, and for the part that depends on no term, if any."""

    part: Callable[[TermPostings, DocumentStatistics, Parameters], FloatArray]
    document_part: (
        Callable[[NDArray[np.int64], Sequence[TermPostings], DocumentStatistics, Parameters], FloatArray] | None
    )


def pcosine_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return f_qt ln(1 + N/N_t) (1 + ln f_dt) / W_D, with W_D = (1 - s) + s W_d/W_AL.

    Source: (2.1), pivoted cosine; W_d as the engine behind the thesis computes it. `length="tokens"` takes W_d = |d|;
    `weight_bits` stores W_d with a short mantissa first, as that engine does, and reproduces Table 2.1 to the last
    digit; `query_norm` divides by W_q, which changes no order.
    """
    w_q = math.log(1 + collection.n_documents / postings.frequencies.document_frequency)
    weights, mean = _pivot(collection, parameters)
    pivoted = (1 - parameters["s"]) + parameters["s"] * weights[postings.documents] / mean
    part: FloatArray = postings.query_tf * w_q * (1 + np.log(postings.tf.astype(np.float64))) / pivoted
    return part


def _pivot(collection: DocumentStatistics, parameters: Parameters) -> tuple[FloatArray, float]:
    """Return W_d of every document and their mean W_AL."""
    if parameters["length"] == TOKENS:
        return collection.lengths, collection.mean_length
    bits = int(parameters["weight_bits"])
    weights = short_mantissas(collection.weights, bits) if bits else collection.weights
    return weights, collection.mean_weight_of(bits)


def query_norm(terms: Sequence[TermPostings], collection: DocumentStatistics) -> float:
    """Return W_q = sqrt(sum of (f_qt ln(1 + N/N_t))^2), by which (2.1) as printed divides."""
    squares = [
        (t.query_tf * math.log(1 + collection.n_documents / t.frequencies.document_frequency)) ** 2 for t in terms
    ]
    return math.sqrt(math.fsum(squares))


def okapi_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return w_t (k1 + 1) f_dt / (K + f_dt) r_qt, with w_t = ln((N - N_t + 0.5) / (N_t + 0.5)).

    K = k1 ((1 - b) + b |d|/avgdl); r_qt = (k3 + 1) f_qt / (k3 + f_qt), f_qt for an infinite k3. A w_t that is not
    positive, of a term in more than half the documents, is replaced by FLOOR. Source: (2.2), Okapi BM25.
    """
    k1, b, k3 = float(parameters["k1"]), float(parameters["b"]), float(parameters["k3"])
    n_t = postings.frequencies.document_frequency
    w_t = max(math.log((collection.n_documents - n_t + 0.5) / (n_t + 0.5)), FLOOR)
    r_qt = postings.query_tf if math.isinf(k3) else (k3 + 1) * postings.query_tf / (k3 + postings.query_tf)
    length = k1 * ((1 - b) + b * collection.lengths[postings.documents] / collection.mean_length)
    tf = postings.tf.astype(np.float64)
    part: FloatArray = w_t * (k1 + 1) * tf / (length + tf) * r_qt
    return part


def bm25_weight(postings: TermPostings, collection: DocumentStatistics) -> float:
    """Return w_t = idf(N, N_t)."""
    return idf(collection.n_documents, postings.frequencies.document_frequency)


def bm25_part(postings: TermPostings, collection: DocumentStatistics, parameters: Parameters) -> FloatArray:
    """Return w_t (k1 + 1) f_dt / (K + f_dt), with w_t = idf(N, N_t) and K as in Okapi.

    A word counts once, however often the query repeats it. Source: Robertson & Zaragoza 2009, 3.4.
    """
    k1, b, w_t = float(parameters["k1"]), float(parameters["b"]), bm25_weight(postings, collection)
    length = k1 * ((1 - b) + b * collection.lengths[postings.documents] / collection.mean_length)
    tf = postings.tf.astype(np.float64)
    part: FloatArray = w_t * (k1 + 1) * tf / (length + tf)
    return part


def best_by_bm25(
    native: ModuleType,
    terms: Sequence[TermPostings],
    collection: DocumentStatistics,
    parameters: Parameters,
    n_best: int,
    order: NDArray[np.int64] | None,
    weight_of_openings: float = 0.0,
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the documents with the n best sums of `bm25_part`, best first, and these sums.

    Args:
        order: rank of each document where scores are equal; None for their numbers.
        weight_of_openings: what `opening_part` is added with; 0 for nothing.
    """
    k1, b = float(parameters["k1"]), float(parameters["b"])
    postings = [(each.documents, each.tf) for each in terms]
    factors = [(bm25_weight(each, collection) * (k1 + 1), k1, b) for each in terms]
    if weight_of_openings:
        postings += [(each.opening_documents, each.opening_tf) for each in terms]
        factors += [(opening_factor(each, collection, weight_of_openings), OPENING_K1, 0.0) for each in terms]
    columns = np.array(factors, np.float64).reshape(-1, 3).T.copy()
    lists = [documents for documents, _ in postings], [tf for _, tf in postings]
    of_documents = collection.lengths, order, collection.mean_length
    documents, found = native.best_by_bm25(*lists, *columns, *of_documents, n_best)
    return np.frombuffer(documents, np.int64), np.frombuffer(found, np.float64)


def opening_factor(postings: TermPostings, collection: DocumentStatistics, weight: float) -> float:
    """Return weight (k1 + 1) idf(N, O_t), what `opening_part` has of a term."""
    return idf(collection.n_documents, postings.frequencies.opening_frequency) * (OPENING_K1 + 1) * weight


def opening_part(postings: TermPostings, collection: DocumentStatistics, weight: float) -> FloatArray:
    """Return weight idf(N, O_t) (k1 + 1) o_dt / (k1 + o_dt), for each document whose opening contains the term.

    BM25 of the openings of documents, which are all of the same length. O_t counts the openings that contain the term,
    o_dt its occurrences in that of a document.
    """
    factor, tf = opening_factor(postings, collection, weight), postings.opening_tf.astype(np.float64)
    part: FloatArray = factor * tf / (OPENING_K1 + tf)
    return part


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


def scores(
    fast: FastScores, terms: Sequence[TermPostings], collection: DocumentStatistics, parameters: Parameters
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the documents that contain a query term, ascending, and their scores.

    Args:
        terms: sorted by term; their postings contain live documents only.
        parameters: all parameters of the preset.
    """
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
