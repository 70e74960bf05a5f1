"""References in a sentence that are marks: numbers, letters and signs right after a word, which pages raise."""

from __future__ import annotations

import re

from engine.collection.profiles.profile import LINK_TAGS
from engine.presentation.snippets import OPENING
from foxir.service.pages.block_roles import inline_name, role_of
from foxir.service.pages.document_view import DocumentPart, DocumentView

_ONE = r"\[?(?:\d{1,3}|[A-Za-z]{1,2}|[*†‡§¶#]{1,4})\]?"
MARK = re.compile(rf"{_ONE}(?:\s?[,;–—-]\s?{_ONE}){{0,9}}")
# What stands between two marks of a list, and characters of a mark and of the beginning of brackets around one.
BETWEEN, LONGEST = re.compile(r"[\s,;–—-]{1,4}"), 60
IN_BRACKETS = re.compile(r"[(\[][\s\d,;–—-]*$")
# Links that may be names of others: only those to places of the document are marks.
MAYBE_NAMES = frozenset(("a", "link"))


def raised(view: DocumentView, part: DocumentPart) -> tuple[frozenset[int], frozenset[int]]:
    """Return the references in a part that a page raises, and the characters at which what separates two begins.

    A reference is a mark if it is right after a letter or a sign, and neither in brackets of numbers nor raised itself.
    """
    places, separators = set[int](), set[int]()
    leads: dict[int, bool] = {}
    last, is_last_raised = -1, False
    for place in range(part.first, part.end):
        if view.tags[place] not in LINK_TAGS or not (view.is_inline[place] or view.is_in_line[place]):
            continue
        start, stop = view.starts[place], view.stops[place]
        target = view.links.get(place)
        text = view.text[start : min(stop, start + LONGEST)].strip()
        if not MARK.fullmatch(text) or stop - start >= LONGEST or _is_in_script(view, place):
            last = -1
            continue
        if target is None:
            is_mark = view.tags[place] not in MAYBE_NAMES and not text.isalpha()
        else:
            is_mark = leads.setdefault(target, _is_note_or_source(view, target))
        is_next = last >= 0 and view.parents[place] == view.parents[last]
        is_next = is_next and BETWEEN.fullmatch(view.text[view.stops[last] : start]) is not None
        is_raised = is_mark and (is_last_raised if is_next else _is_after_word(view.text, start))
        if is_raised:
            places.add(place)
        if is_raised and is_next:
            separators.add(view.stops[last])
        last, is_last_raised = place, is_raised
    return frozenset(places), frozenset(separators)


def _is_after_word(text: str, start: int) -> bool:
    """Return whether a mark is right after a letter or a sign, and not in brackets of numbers."""
    before = text[max(start - LONGEST, 0) : start]
    return bool(before) and not (
        before[-1].isspace() or before[-1] in OPENING + "/-–—" or IN_BRACKETS.search(before) is not None
    )


def _is_in_script(view: DocumentView, place: int) -> bool:
    """Return whether an element is in a subscript or superscript, or has one inside."""
    around = view.parents[place]
    chain = [*range(place + 1, view.ends[place]), around]
    while around and (view.is_inline[around] or view.is_in_line[around]):
        around = view.parents[around]
        chain.append(around)
    return any(inline_name(view, each) in ("sub", "sup") for each in chain)


def _is_note_or_source(view: DocumentView, target: int) -> bool:
    """Return whether an element is a note, a source or the like: no figure, table, formula or section."""
    role = role_of(view, target)
    if role in ("reference", "note", "listitem"):
        return True
    tables = view.profile.table_tags
    return role not in ("figure", "formula", "heading") and not (
        view.heading(target) or tables.intersection(view.tags[target : view.ends[target]])
    )
