"""The shapes of what `--json` prints: keys in their order, and the types of values."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any

TEXT_OR_NONE, INT_OR_NONE, FLOAT_OR_NONE = str | None, int | None, float | None

SETTINGS = {
    "approach": str,
    "rank_by": str,
    "similarity": str,
    "operator": str,
    "max_matches": str | int,
    "answers": str,
    "heuristic": str,
    "max_per_article": str | int,
    "max_articles": int | str,
    "max_answers": int,
    "overlap": str,
    "function_words": str,
    "reading": str,
    "syntax": str,
    "tags": str,
    "inside": str,
    "outside": str,
    "documents": str,
    "synonyms": str,
    "old_spelling": bool,
    "max_terms": str | int,
    "max_query_memory": str,
    "max_seconds": str | float,
}
PCOSINE = {"s": float, "length": str, "weight_bits": int, "query_norm": bool}
BM25 = {"k1": float, "b": float}
SCORED = {
    "element_similarity": str,
    "article_weight": float,
    "opening_weight": float,
    "parent_weight": float,
    "heading_weight": float,
    "header_rows": bool,
    "neighbour_weight": float,
    "figure_weight": float,
    "sequence_weight": float,
    "coverage": float,
    "focus": str | float,
    "block_words": str | int,
    "min_words": str | int,
    "max_words": str | int,
    "max_table_words": str | int,
    "min_leaf_words": str | int,
    "unit": str | float,
    "max_sentences": int,
    "min_passage_words": str | int,
    "whole_weight": float,
    "group_by_article": bool,
    "word_budget": str | int,
    "element_k1": float,
    "element_b": float,
}
SKIPPED = [{"file": str, "line": int, "reason": str}]
REPORT = dict.fromkeys(("documents", "elements", "leaves", "terms", "read", "dropped", "bytes"), int)
ANSWER = {
    "rank": int,
    "rsv": float,
    "score": FLOAT_OR_NONE,
    "document": str,
    "path": str,
    "start": int,
    "end": int,
    "size": int,
    "words": int,
    "sentences": list | None,
    "article_rank": int,
    "article_score": float,
    "breadcrumb": [str],
    "fields": {...: str | int | float | list},
    "snippet": str,
    "marks": [[int]],
}
SHAPES: dict[str, Any] = {
    "index": {
        **REPORT,
        "seconds": float,
        "skipped": SKIPPED,
        "notices": [str],
        "ignored": {...: int},
        "kept_entities": {...: int},
    },
    "info": {
        "index": str,
        "generation": int,
        "documents": int,
        "elements": int,
        "leaves": INT_OR_NONE,
        "terms": INT_OR_NONE,
        "images": int,
        "tokens": int,
        "block_words": float,
        "mean_density": float,
        "bytes": int,
        "analyser": {"compatibility": str, "diacritics": str, "name": str, "stem": str, "stop": str},
        "profile": str,
        "profiles": {...: int},
        "sources": [str],
        "excluded": [],
        "tags": {...: int},
        "attributes": {...: int},
        "long_values": int,
        "segments": [{"name": str, "documents": int, "deleted": int, "elements": int, "terms": int, "bytes": int}],
        "skipped": INT_OR_NONE,
        "defaults": {**SETTINGS, **BM25, **SCORED},
    },
    "compact": {
        "index": str,
        "segments_before": int,
        "segments": int,
        "deleted_documents_dropped": int,
        "generation": int,
    },
    "search": {
        "query": str,
        "interpretation": str,
        "notices": [str],
        "total": int,
        "total_relation": str,
        "answers": [ANSWER],
        "seconds": float,
    },
    "explain": {
        "query": str,
        "interpretation": str,
        "dropped_words": [str],
        "expansions": [{"word": str, "words": [str]}],
        "document": str,
        "path": str,
        "returned": bool,
        "rank": INT_OR_NONE,
        "rsv": FLOAT_OR_NONE,
        "score": FLOAT_OR_NONE,
        "outcome": {
            "rank": INT_OR_NONE,
            "stage": TEXT_OR_NONE,
            "reason": TEXT_OR_NONE,
            "description": str,
            "blocker": NoneType,
        },
        "article": {
            "name": str,
            "value": FLOAT_OR_NONE,
            "description": str,
            "similarity": TEXT_OR_NONE,
            "rank": INT_OR_NONE,
            "length_tokens": int,
            "details": [
                {
                    "name": str,
                    "value": FLOAT_OR_NONE,
                    "description": str,
                    "term": str,
                    "query_tf": int,
                    "tf": int,
                    "df": int,
                    "collection_frequency": int,
                    "details": [{}],
                }
            ],
        },
        "element": {
            "name": str,
            "value": NoneType,
            "description": str,
            **dict.fromkeys("MTFP", int),
            "B": [int],
            "place_in_article": INT_OR_NONE,
            "candidates_in_article": int,
            "details": [
                {
                    "name": str,
                    "value": float,
                    "description": str,
                    "term": str,
                    "tf": int,
                    "elements": int,
                    "details": [{}],
                }
            ],
        },
        "structure": [{}],
        "neighbours": [{}],
        "passages": [{}],
        "n_passages": int,
        "settings": {**SETTINGS, **PCOSINE},
    },
    "run": {
        "run": str,
        "file": str,
        "format": str,
        "topics": int,
        "results": int,
        "without_answers": [str],
        "problems": [str],
        "notices": [str],
        "settings": {**SETTINGS, **BM25, **SCORED},
        "origin": {...: str},
    },
    "eval": {
        "runs": [
            {
                "run": str,
                "family": str,
                "measure": str,
                "options": {...: str | float | int | bool | None},
                "value": FLOAT_OR_NONE,
                "topics": {...: FLOAT_OR_NONE},
            }
        ]
    },
    "expand": {
        "folder": str,
        "topics": int,
        "files": [str],
        "qrels": str,
        "skipped": [{"topic": str, "document": str}],
    },
}
OUTCOME = {"rank": INT_OR_NONE, "stage": TEXT_OR_NONE, "reason": TEXT_OR_NONE, "description": str}
BLOCKER = {"path": str, "relation": str, "rank": INT_OR_NONE, "score": FLOAT_OR_NONE}


def check(value: Any, shape: Any, place: str = "") -> None:
    """Assert that a JSON value has the keys and types of a shape, and no others; the key `...` permits any key."""
    if isinstance(shape, list):
        assert isinstance(value, list), place
        for number, each in enumerate(value):
            check(each, shape[0], f"{place}[{number}]")
    elif isinstance(shape, Mapping):
        assert isinstance(value, dict), place
        assert ... in shape or list(value) == list(shape), place
        for name, each in value.items():
            check(each, shape.get(name, shape.get(...)), f"{place}.{name}")
    else:
        legal = shape.__args__ if isinstance(shape, UnionType) else (shape,)
        assert type(value) in legal, f"{place}: {value!r} is no {shape}"
