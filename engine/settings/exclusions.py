"""Settings that exclude one another, whatever the query."""

from __future__ import annotations

from engine.errors import SettingsError
from engine.notices import Notice
from engine.settings.choices import Approach, RankBy
from engine.settings.kinds.length import Length
from engine.settings.kinds.tag_selector import TagSelector


def check_lengths(shortest: Length, longest: Length | None) -> None:
    """Raise SettingsError where no answer has both lengths, however long the text blocks of a collection are."""
    if longest is not None and _always_exceeds(shortest, longest):
        raise SettingsError(
            f"min_words = {shortest} is more than max_words = {longest}: no answer has both lengths; lower "
            "min_words, or raise max_words."
        )


def _always_exceeds(one: Length, other: Length) -> bool:
    """Return whether a length is more than another one in every collection."""
    if one.relative and not other.relative:
        return False  # not where text blocks are short
    if one.relative and (one.value <= other.value or one.most is None):
        return one.value > other.value
    most, most_of_other = (each.most if each.relative else each.value for each in (one, other))
    return most is not None and most_of_other is not None and most > most_of_other


def check_scope(approach: Approach, inside: TagSelector | None, outside: TagSelector | None) -> None:
    """Raise SettingsError for a scope inside articles where whole articles are answers."""
    if approach == "fulltext" and (inside is not None or outside is not None):
        name, selector = ("inside", inside) if inside is not None else ("outside", outside)
        raise SettingsError(Notice("scope_of_whole_articles", {"name": name, "selector": str(selector)}))


def check_encoder(semantic: str | None, approach: Approach, rank_by: RankBy) -> None:
    """Raise SettingsError for an encoder where elements are not scored."""
    if semantic is not None and (rank_by == "structure" or approach == "fulltext"):
        raise SettingsError(
            f"semantic = '{semantic}': only scored elements are ordered by meaning: add rank_by = score, and "
            "another approach than fulltext, or semantic = none."
        )


def check_passages_and_budget(approach: Approach, rank_by: RankBy, *, passages: bool, word_budget: int | None) -> None:
    """Raise SettingsError for passages or a word budget of elements that are ranked by structure."""
    if rank_by == "score" or approach == "fulltext":
        return
    for name, unset, is_set in (("passages", "false", passages), ("word_budget", "all", word_budget is not None)):
        if is_set:
            raise SettingsError(f"{name}: only scored elements have it: add rank_by = score, or {name} = {unset}.")
