"""Formulas in MathML: which elements and attributes of it a page has. All others are rows, or text in one."""

from __future__ import annotations

import re
from html import escape

import numpy as np

from engine.presentation.readable_text import readable_text
from foxir.service.pages.document_view import DocumentView

MATH = "math"
# Elements whose children are formulas, and those of text.
LAYOUT = frozenset(
    (
        *("mrow", "mstyle", "mpadded", "mphantom", "menclose", "merror", "mfrac", "msqrt", "mroot", "msub", "msup"),
        *("msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr"),
        *("mlabeledtr", "mtd", "semantics", "mspace"),
    )
)
TOKENS = frozenset(("mi", "mo", "mn", "ms", "mtext", "annotation"))
FENCED = "mfenced"
# Attributes, and the values that each may have.
ATTRIBUTES = {
    name: re.compile(pattern)
    for name, pattern in {
        "mathvariant": "[a-z-]{1,24}",
        "display": "block|inline",
        "stretchy": "true|false",
        "accent": "true|false",
        "width": r"[0-9]{0,2}(\.[0-9]{1,4})?(px|pt|em|ex)",
        "linethickness": r"[0-9.]{1,5}(px|pt|em|ex|%)?|thin|thick|medium",
    }.items()
}
_FENCES = {"open": "(", "close": ")", "separators": ","}


class Formulas:
    """Writes the formulas of a document as MathML, tag by tag; places are those of the view."""

    def __init__(self, view: DocumentView) -> None:
        self._view = view
        self._names: dict[int, str] = {}
        self._given: dict[int, dict[str, str]] = {}
        if MATH not in view.tags:
            return
        for name in sorted({*ATTRIBUTES, *_FENCES}.intersection(view.reader.elements.attribute_names)):
            rows, values = view.reader.elements.attributes([name], np.array([view.number]))
            for row, value in zip(rows.tolist(), values, strict=True):
                self._given.setdefault(row - view.first_row, {})[name] = value.strip()

    def tags(self, place: int, around: str, *, is_marked: bool) -> tuple[str, str, str]:
        """Return the opening tag of an element of a formula, its closing tag, and what its children are in.

        Args:
            around: what the element is in: "" outside of formulas, MATH for one, "text" in text of one.
        """
        tag, given = self._view.tags[place], self._given.get(place, {})
        if around == "text":
            return "<span>", "</span>", "text"
        has_text = bool(self._view.ends[place] == place + 1)
        if tag != MATH and tag not in LAYOUT and tag not in TOKENS:
            tag = "mtext" if has_text and tag != FENCED else "mrow"
        attributes = "".join(
            f' {name}="{escape(given[name])}"'
            for name, pattern in ATTRIBUTES.items()
            if name in given and pattern.fullmatch(given[name])
        )
        if place in self._names:
            attributes += f' aria-label="{escape(self._names[place])}"'
        if is_marked and tag in TOKENS:
            attributes += ' class="hit"'
        before, behind = "", ""
        if self._view.tags[place] == FENCED:
            before, behind = self._fence(given, "open"), self._fence(given, "close")
        return f"<{tag}{attributes}>{before}", f"{behind}</{tag}>", "text" if tag in TOKENS else MATH

    def name_in_header(self, place: int) -> None:
        """Name the formulas of a table's header with nothing beside them by their linear form: symbols name nothing."""
        view, at, before = self._view, place + 1, self._view.starts[place]
        found: list[int] = []
        while at < view.ends[place]:
            if view.tags[at] != MATH:
                at += 1
            elif view.text[before : view.starts[at]].strip():
                return
            else:
                found.append(at)
                before, at = view.stops[at], view.ends[at]
        if found and not view.text[before : view.stops[place]].strip():
            for each in found:
                row, start, stop = view.first_row + each, view.starts[each], view.stops[each]
                self._names[each] = " ".join(readable_text(view.reader, view.number, row, start, stop).split())

    def between(self, place: int) -> str:
        """Return the sign before an element of a formula that its parent separates from the one before it."""
        parent = self._view.parents[place]
        if self._view.tags[parent] != FENCED or place == parent + 1:
            return ""
        signs = "".join(self._given.get(parent, {}).get("separators", ",").split())
        number = self._view.children(parent).index(place) - 1
        return _sign(signs[min(number, len(signs) - 1)]) if signs else ""

    def _fence(self, given: dict[str, str], name: str) -> str:
        return _sign(given.get(name, _FENCES[name])[:8])


def _sign(sign: str) -> str:
    """Return a sign that the style sheet shows: it is not text, so that no offset changes."""
    return f'<mo class="sign" data-sign="{escape(sign)}"></mo>' if sign else ""
