"""Notices on options without effect: settings that a call gives although its other settings leave them no meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.errors import SettingsError
from engine.notices import Message, Notice
from engine.settings.catalogue import FORMER, PREFIX, SCORING
from engine.settings.kinds.value_types import SIBLINGS, UNITS_OF_ELEMENTS
from engine.settings.settings import Settings

OF_PASSAGES = ("max_sentences", "min_passage_words", "whole_weight")
OF_ELEMENTS = ("min_words", "max_words")
# Settings without effect on whole articles, or on articles that are not ranked, with the values that ask for none.
NOT_OF_WHOLE_ARTICLES: Mapping[str, Any] = {
    "operator": "or",
    "overlap": "remove",
    "answers": "auto",
    "max_articles": None,
    "max_matches": None,
    "max_per_article": None,
}
NOT_OF_UNRANKED_ARTICLES: Mapping[str, Any] = {"max_articles": None, "article_weight": 0}
# Values that ask for what happens anyway where elements are not scored.
OFF: Mapping[str, Sequence[Any]] = {
    "unit": ("element", "auto"),
    "passages": (False,),
    "group_by_article": (False,),
    "word_budget": (None,),
}


def _unused(name: str, owner: str, found: Message, needs: str = "") -> Notice:
    """Return the notice on an option without effect.

    Args:
        owner: what it is a setting of. found: what the search has instead.
        needs: the setting and value with which the option would have an effect; none where it never has one.
    """
    return Notice("unused_setting", {"name": name, "owner": owner, "found": found, "needs": needs})


# `image_weight` given for a query without images, which only the search can tell.
WITHOUT_IMAGES = _unused("image_weight", "queries with example images", "this query has none", "image = FILE")


def unused_options(given: Mapping[str, Any], settings: Settings) -> Iterator[Notice]:
    """Yield the options of a call that have no effect, with the reason.

    Args:
        given: the options by name; settings that lie under them, of a file or of a base, are not among them.
        settings: what they make, together with what lies under them.
    """
    yield from _unused_by_meaning(given, settings)
    of_scores = [name for name in given if name in SCORING or name in FORMER or name.startswith(PREFIX)]
    of_scores = [name for name in of_scores if name not in OFF or getattr(settings, name) not in OFF[name]]
    if settings.approach == "fulltext":
        for name in (*of_scores, *_given_for_an_effect(given, settings, NOT_OF_WHOLE_ARTICLES)):
            yield _unused(name, "elements", "fulltext returns whole articles", "approach = hybrid")
        return
    if settings.approach == "native":
        for name in _given_for_an_effect(given, settings, NOT_OF_UNRANKED_ARTICLES):
            yield _unused(name, "ranked articles", "native does not rank them", "approach = hybrid")
    if settings.rank_by == "structure":
        for name in of_scores:
            yield _unused(name, "scored elements", "these are ranked by structure", "rank_by = score")
        return
    yield from _unused_by_scores(given, settings)
    if "unit" in given and "passages" in given:
        yield _unused("unit", "answers", "passages says what they are")
    of_passages = () if settings.passages else OF_PASSAGES
    for name in (*of_passages, *(("passage_focus",) if settings.unit in UNITS_OF_ELEMENTS else ())):
        if name in given:
            yield _unused(name, "passages", "these are elements", "unit = sentence")
    if settings.passages:
        yield from _unused_by_passages(given, settings)


def _given_for_an_effect(
    given: Mapping[str, Any], settings: Settings, without_effect: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the settings that are given with other values than those that ask for no effect."""
    return (name for name, value in without_effect.items() if name in given and getattr(settings, name) != value)


# Values with which long tables are answered by their rows.
BY_ROWS: Mapping[str, tuple[Any, str]] = {
    "overlap": ("remove", "remove"),
    "max_per_article": (None, "all"),
    "group_by_article": (False, "false"),
}


def _unused_by_scores(given: Mapping[str, Any], settings: Settings) -> Iterator[Notice]:
    if "header_rows" in given and not settings.heading_weight:
        yield _unused("header_rows", "headings", Notice("headings_without_weight"), "heading_weight = 1")
    if "max_table_words" in given and settings.max_table_words is not None:
        for name, (value, text) in BY_ROWS.items():
            if getattr(settings, name) != value:
                found = Notice("tables_stay_whole", {"name": name, "value": str(getattr(settings, name))})
                yield _unused("max_table_words", "answers among which rows replace tables", found, f"{name} = {text}")
    if settings.unit == SIBLINGS and settings.overlap == "keep" and "overlap" in given:
        yield _unused("overlap", "answers that can overlap", "runs of siblings share no text", "unit = element")
    if "heuristic" in given:
        by_structure = "rank_by = structure"
        yield _unused("heuristic", "elements ranked by structure", "these have scores", by_structure)


def _unused_by_passages(given: Mapping[str, Any], settings: Settings) -> Iterator[Notice]:
    if settings.unit == "auto":
        return
    if "answers" in given and settings.answers not in ("auto", "target") and settings.unit == "sentence":
        windows = "passages are windows of matching elements"
        yield _unused("answers", "elements", windows, "unit = element")
    for name in (name for name in OF_ELEMENTS if name in given and not settings.whole_weight):
        of_passages = Notice("lengths_of_passages")
        yield _unused(name, "elements", of_passages, "unit = element")


def check_effect(given: Mapping[str, Any], settings: Settings) -> None:
    """Raise SettingsError for the first option of a call without effect; arguments as in `unused_options`."""
    for unused in unused_options(given, settings):
        raise SettingsError(unused)


def _unused_by_meaning(given: Mapping[str, Any], settings: Settings) -> Iterator[Notice]:
    """Yield the options of an encoder or a reranker where there is none."""
    if settings.semantic is None:
        for name in ("semantic_weight", "semantic_answers", "semantic_blocks"):
            if name in given and (name, settings.semantic_blocks) != ("semantic_blocks", 0):
                yield _unused(name, "the order by meaning", "there is no encoder", "semantic = wordllama")
    if settings.reranker is None:
        for name in ("reranker_weight", "reranker_answers"):
            if name in given:
                yield _unused(name, "a reranker", "there is none", "reranker = MODULE:FUNCTION")
    if "semantic_failures" in given and not settings.orders_by_meaning:
        yield _unused("semantic_failures", "the order by meaning", "there is no encoder", "semantic = wordllama")
