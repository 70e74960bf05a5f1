"""Attributes of a vocabulary that hold text, by use: labels, messages, translations, recognised words.

Rule: an attribute of a tag holds text if its elements are short, without words of their own, and its values, differing,
are of letters: several words in most; or one or more, if its name is a usual one, also after that of the tag
(`member/@memberName`); or words with the signs of running text, which documents without any other words need not have.
In empty elements within a line, whose text has holes without them, an attribute with a usual name needs only many
values. Alternative texts of images count if most have several words, as those of flags and icons have not. Lists of
names of elements, and attributes of style, are no text. Titles of long sections stay attributes: known offsets count
the text of elements. One attribute of elements that contain others, with short values that mostly differ, holds their
title; usual names come first.
"""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import Rows
from engine.collection.html_reader import is_html
from engine.collection.inference.tag_use import TagUse
from engine.collection.inference.title_names import plain_name
from engine.collection.profiles.profile import IMAGE_TAGS
from engine.records import NamedTuple

# Usual names of attributes that hold text, and names of those that never do, by their letters alone.
USUAL_NAMES = frozenset(
    (
        *("alt", "answer", "body", "caption", "comment", "content", "desc", "description", "displayname"),
        *("documentation", "fullname", "heading", "headline", "help", "hint", "label", "longdesc", "longname"),
        *("message", "msg", "name", "placeholder", "prompt", "question", "shortname", "string", "subject"),
        *("subtitle", "summary", "text", "title", "tooltip", "translation"),
    )
)
NO_TEXT = frozenset(
    (
        *("charset", "class", "d", "encoding", "font", "fontfamily", "frame", "href", "match", "media", "points"),
        *("rel", "rend", "rendition", "schemalocation", "select", "src", "style", "test", "transform", "version"),
        *("viewbox", "xmlns"),
    )
)
# Share of elements without words of their own; of values with several words, or of letters; of values that differ.
EMPTY, SEVERAL, LETTERED, DIFFERENT = 0.8, 0.5, 0.7, 0.3
MOSTLY_EMPTY = 0.6  # of those that contain others, for a usual name, which is their title
# Mean words of elements that are short.
SHORT = 100
# Of running text: values, and the share of those that end in a sign.
RUNNING, SIGNS = 20, 0.02
# Different values of an attribute that are looked at.
LOOKED_AT = 1000
# Mean words of titles; shares of them that differ, at least, and with signs of sentences, at most; usual ends of the
# names of their attributes.
LONGEST_TITLE, OFTEN, SELDOM = 12, 0.6, 0.15
_TITLE_NAME = re.compile(r"(title|name|head|heading|headline|caption|label|subject)$")
_WORD = re.compile(r"[\"'(\[«„“‘¡¿]*[^\W\d_]++(?:['’\-/&.][^\W\d_]++)*+[\"')\]»“”’.,;:!?…]*")
_NEUTRAL = re.compile(r"[&–—-]|\d{1,4}[.,;:!?%]?")
_LETTERS = re.compile(r"[^\W\d_]{2}|[^\x00-\u2e7f\U00040000-\U0010ffff]")
_NAME = re.compile(r"[^\W\d_][^\W_]*+(?:[_. -][^\W_]++)*+[.:!?]*")
_SIGN = re.compile(r"[^\W\d_][.,;!?]$")
_TAG = re.compile(r"<[^<>]*>")


class TextAttributes(NamedTuple):
    """Attributes of tags, as `tag/@attribute`, that hold text; those of empty tags, and titles, among them; counts."""

    found: frozenset[str]
    titles: frozenset[str]
    of_empty_tags: frozenset[str]
    counts: dict[str, dict[str, int]]


def find_text_attributes(use: TagUse) -> TextAttributes:
    """Return the attributes that hold text."""
    attributes = use.attributes
    if not len(attributes.rows):
        return TextAttributes(frozenset(), frozenset(), frozenset(), {})
    local = [plain_name(name) for name in attributes.names]
    is_open = np.array([plain_name(name) not in NO_TEXT and _is_open(name) for name in attributes.names], np.bool_)
    has_value = (attributes.ends > attributes.begins) & is_open[attributes.spelling]
    keys = use.tag[attributes.rows] * len(local) + attributes.spelling
    chosen = np.flatnonzero(has_value)
    order = chosen[np.argsort(keys[chosen], kind="stable")]
    begins = np.flatnonzero(np.append(True, keys[order][1:] != keys[order][:-1]))[: len(order)]
    ids, is_wordless = _ids(use), not use.own_words.any()
    n_elements = use.n(~use.is_root)
    is_empty = use.share((use.end == np.arange(len(use.tag)) + 1) & (use.words == 0), ~use.is_root) >= EMPTY
    in_line = use.share(use.in_line, ~use.is_root) >= EMPTY
    is_short = use.mean(use.words, np.ones(len(use.tag), np.bool_)) <= SHORT
    contains_others = use.share(use.end > np.arange(len(use.tag)) + 1, use.end > 0) >= EMPTY
    found, of_empty_tags, counts, titles = set(), set(), {}, dict[int, list[tuple[bool, str]]]()
    for places in np.split(order, begins[1:]) if len(order) else ():
        tag, spelling = divmod(int(keys[places[0]]), len(local))
        rule = f"{use.names[tag]}/@{attributes.local[spelling]}"
        counted = _counts(use, places, ids)
        if counted["values"]:
            counts[rule] = {"elements": int(n_elements[tag]), **counted}
            after_tag = local[spelling].removeprefix(plain_name(use.names[tag]))
            is_usual = not USUAL_NAMES.isdisjoint((local[spelling], after_tag)) and use.names[tag] not in IMAGE_TAGS
            in_holes = bool(is_empty[tag] and in_line[tag])
            least_empty = MOSTLY_EMPTY if is_usual and contains_others[tag] else EMPTY
            flags = {"is_usual": is_usual, "in_holes": in_holes, "is_wordless": is_wordless}
            if is_short[tag] and _holds_text(counted, least_empty, **flags):
                found.add(rule)
                if is_empty[tag]:
                    of_empty_tags.add(rule)
                if contains_others[tag] and _names(counted):
                    titles.setdefault(tag, []).append((_TITLE_NAME.search(local[spelling]) is None, rule))
    of_each_tag = frozenset(min(rules)[1] for rules in titles.values())
    shown = {rule: counts[rule] for rule in sorted(found)}
    return TextAttributes(frozenset(found), of_each_tag, frozenset(of_empty_tags), shown)


def _counts(use: TagUse, places: Rows, ids: frozenset[str]) -> dict[str, int]:
    """Return the counts of the values of an attribute of a tag: of values, those of different kinds, and of words."""
    rows = use.attributes.rows[places]
    is_empty = use.own_words[rows] == 0
    number, values = use.attributes.numbered_values(places)
    times = np.bincount(number, minlength=len(values))[:LOOKED_AT].tolist()
    sums = {"values": len(places), "without_words": int(is_empty.sum()), "different": len(values)}
    kinds = dict.fromkeys(("several_words", "of_letters", "with_signs", "looked_at", "words"), 0)
    for value, n in zip(values[:LOOKED_AT], times, strict=True):
        several, lettered, sign, words = _kind(value, ids)
        for name, is_so in zip(kinds, (several, lettered, sign, 1, words), strict=True):
            kinds[name] += n * is_so
    return {**sums, **kinds}


def _kind(value: str, ids: frozenset[str]) -> tuple[bool, bool, bool, int]:
    """Return whether a value has several words, is of letters, and ends in a sign of running text; and its words.

    >>> _kind("Trim the wick.", frozenset()), _kind("lantern", frozenset()), _kind("a-17 b-18", frozenset())
    ((True, True, True, 3), (False, True, False, 1), (False, False, False, 2))
    """
    is_markup = is_html(value)
    written = (_TAG.sub(" ", value) if is_markup else value).split()
    if not written or all(each in ids for each in written):
        return False, False, False, len(written)
    plain = sum(_WORD.fullmatch(each) is not None for each in written)
    neutral = sum(_NEUTRAL.fullmatch(each) is not None for each in written)
    has_letters = _LETTERS.search(value) is not None
    is_words = has_letters and (is_markup or (plain > neutral and plain + neutral >= LETTERED * len(written)))
    is_cjk = len(written) == 1 and re.search("[\u3040-\u30ff\u4e00-\u9fff]{4}", value) is not None
    several = is_words and (len(written) >= 2 or is_cjk)
    lettered = is_words or (has_letters and _NAME.fullmatch(value.strip()) is not None)
    return several, lettered, _SIGN.search(value.strip()) is not None, len(written)


def _holds_text(
    counts: dict[str, int], least_empty: float, *, is_usual: bool, in_holes: bool, is_wordless: bool
) -> bool:
    n, different = counts["looked_at"], counts["different"]
    if counts["without_words"] < least_empty * counts["values"]:
        return False
    differs = different >= DIFFERENT * counts["values"]
    is_lettered = counts["of_letters"] >= LETTERED * n
    several = counts["several_words"] >= SEVERAL * n and is_lettered
    if several and (differs or (is_usual and different > 1)):
        return True
    if is_usual and is_lettered and (differs or (in_holes and different >= RUNNING)):
        return True
    is_running = counts["with_signs"] >= max(2, SIGNS * n) or (is_wordless and differs)
    return different >= RUNNING and is_lettered and is_running


def _names(counts: dict[str, int]) -> bool:
    """Return whether the values of an attribute are short, differ, and are no sentences."""
    n_values = counts["values"]
    is_short = counts["words"] <= LONGEST_TITLE * counts["looked_at"]
    return is_short and counts["different"] >= OFTEN * n_values and counts["with_signs"] <= SELDOM * n_values


def _ids(use: TagUse) -> frozenset[str]:
    """Return the values by which elements are referred to."""
    attributes = use.attributes
    is_id = np.array([name.lower() in ("id", "key", "code") for name in attributes.local], np.bool_)
    return frozenset(attributes.numbered_values(np.flatnonzero(is_id[attributes.spelling]))[1])


def _is_open(name: str) -> bool:
    return not name.startswith(("xmlns", "xml:", "xlink:", "xsi:"))
