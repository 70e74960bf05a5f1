"""Functions of a user, as tests name them: similarities and parts of the score, right and wrong ones."""

from __future__ import annotations

import time

import numpy as np

from engine.ranking.expressions.own_scores import ScoringColumns
from engine.ranking.parts.own import PartColumns

HERE = __name__
seen: list[ScoringColumns] = []


def bm25(columns, *, k1=1.2, b=0.75):
    """BM25 of elements, letter by letter that of E[CW-AEH-BAA]."""
    df, n = columns.document_frequency, columns.n_documents
    length = k1 * ((1 - b) + b * columns.lengths[:, np.newaxis] / columns.mean_length)
    return (np.log(1 + (n - df + 0.5) / (df + 0.5)) * (k1 + 1) * columns.tf / (length + columns.tf)).sum(axis=1)


def recorded(columns):
    seen.append(columns)
    return columns.tf.sum(axis=1)


def of_documents(columns):
    return (columns.document_tf * 100 / columns.document_lengths[:, np.newaxis]).sum(axis=1)


def focused(columns, *, focus=0.5, block=1.0):
    return columns.tf.sum(axis=1) * (1 + focus) + block


def negative(columns):
    return -columns.lengths


def nothing(columns):
    return np.full(columns.n_texts, np.nan)


def slow(columns):
    time.sleep(0.05)
    return np.ones(len(columns.lengths))


def of_two(tf, df):
    return tf / df


def huge(columns):
    return np.full(len(columns.lengths), 1e308)


def endless(columns):
    return columns.tf.sum(axis=1) * np.inf


def shape(columns):
    return np.ones(columns.n_texts + 1)


def matrix(columns):
    return columns.tf


def words(columns):
    return ["a"] * columns.n_texts


def masked(columns):
    return np.ma.MaskedArray(np.ones(columns.n_texts), mask=True)


def raises(columns):
    raise KeyError("lamp")


def leaves(columns):
    raise SystemExit(3)


def only_sea(columns):
    return np.full(columns.n_texts, np.nan if "sea" in columns.terms else 1.0)


def without_default(columns, *, k1):
    return columns.lengths


NOT_A_FUNCTION = 3


def early(columns: PartColumns):
    return 1 - columns.starts


early.highest = 1.0  # type: ignore[attr-defined]


def deep(columns: PartColumns):
    return columns.depths + (columns.tags == "p") + 0.0 * (columns.documents == "d1")


def too_high(columns: PartColumns):
    return columns.depths * 100


too_high.highest = 1.0  # type: ignore[attr-defined]


def part_without_numbers(columns: PartColumns):
    return np.full(columns.n_elements, np.nan)
