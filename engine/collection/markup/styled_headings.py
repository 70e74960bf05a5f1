"""Headings that are such by their style alone: their text gets an element that says so.

    <p style="Heading1">Light</p>  ->  <p style="Heading1"><styled-heading-1>Light</styled-heading-1></p>

The profile says which attributes name styles (`styles`): of the element, or of one below it, as in
`<p><properties><style name="Heading1"/></properties>Light</p>`. An attribute may also say the level of elements that
are all headings, `<h level="2">`; without it, they are of the first. A path of tags names emphasis, `p/b` or
`p/run/properties/b`: a short paragraph that consists of it, before a longer one that does not, is a heading of the
lowest level if a document has several. The path of the element stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from lxml import etree

from engine.collection.inference.title_names import heading_level, names_level
from engine.collection.profiles.profile import STYLED_HEADINGS

# Words of a heading by emphasis, at most; headings of a document, at least, and their share of the short texts that are
# emphasis as a whole; characters by which a text is judged; values of emphasis that is none.
LONGEST, SEVERAL, USUAL, MOST_READ, OFF = 12, 2, 0.4, 1000, frozenset(("0", "false", "off", "none"))
_NAME = re.compile(r"[^\W\d_].*[^.,;!?]$", re.DOTALL)

level_of = lru_cache(2**10)(heading_level)


def has_styled_headings(markup: bytes, styles: Collection[str]) -> bool:
    """Return whether any element of canonical markup is a heading by an attribute for styles or levels."""
    for rule in styles:
        path, _, attribute = rule.partition("/@")
        tag = path.rpartition("/")[2]
        is_enough = not attribute or names_level(attribute)
        if is_enough and re.search(rb"<(?:[^\s<>/:]+:)?%s[\s/>]" % re.escape(tag.encode()), markup):
            return True
        named = rb'<(?:[^\s<>/:]+:)?%s(?:\s[^<>]*)?\s(?:[^\s<>=:]+:)?%s="([^"]*)"'
        found = re.finditer(named % (re.escape(tag.encode()), re.escape(attribute.encode())), markup)
        if any(level_of(value.decode()) >= 0 for value in {match[1] for match in found}):
            return True
    return False


def mark_headings(root: etree._Element, styles: Collection[str]) -> None:
    """Put the content of each element with the style of a heading into an element for headings of its level."""
    for rule in sorted(styles, key=lambda each: ("/@" not in each, each)):
        path, _, attribute = rule.partition("/@")
        tag, *below = path.split("/")
        if not attribute:
            _mark_emphasised(root, tag, below)
            continue
        for element in list(root.iter(f"{{*}}{tag}")):
            styled = element.find("/".join(f"{{*}}{step}" for step in below)) if below else element
            level = -1 if styled is None else level_of(_value(styled, attribute) or "1" * names_level(attribute))
            if level >= 0 and element is not root:
                _mark(element, STYLED_HEADINGS[level])


def _value(element: etree._Element, attribute: str) -> str:
    return next((str(each) for key, each in element.attrib.items() if str(key).rpartition("}")[2] == attribute), "")


def _mark_emphasised(root: etree._Element, tag: str, below: Sequence[str]) -> None:
    """Mark the headings by emphasis, if there are several that are no exception among the short texts in it."""
    emphasised = [each for each in root.iter(f"{{*}}{tag}") if each is not root and _is_emphasised(each, below)]
    known = set(emphasised)
    headings = [each for each in emphasised if _heads_a_longer(each, known)]
    if len(headings) >= max(SEVERAL, USUAL * len(emphasised)):
        for each in headings:
            _mark(each, STYLED_HEADINGS[-1])


def _is_emphasised(element: etree._Element, below: Sequence[str]) -> bool:
    """Return whether a text is short, has no final stop, and is in runs of emphasis as a whole."""
    if not len(element) or _local(element[0]) in STYLED_HEADINGS:
        return False
    words = _words(element)
    if len(words) > LONGEST or not _NAME.search(" ".join(words)):
        return False
    run, *marks = below
    inside = [each for each in element.iter(f"{{*}}{run}") if not marks or _is_on(each, marks)]
    return "".join(words) == "".join(word for each in inside for word in _words(each))


def _is_on(run: etree._Element, marks: Sequence[str]) -> bool:
    """Return whether a run has the mark on a path below it, and its value, if it has one, is not that of none."""
    mark = run.find("/".join(f"{{*}}{step}" for step in marks))
    return mark is not None and not OFF.intersection(map(str, mark.attrib.values()))


def _heads_a_longer(element: etree._Element, emphasised: Collection[etree._Element]) -> bool:
    """Return whether the next sibling with text is of the same tag, longer, and no emphasis."""
    for after in element.itersiblings(etree.Element):
        if n_words := len(_words(after)):
            return after.tag == element.tag and after not in emphasised and n_words > len(_words(element))
    return False


def _words(element: etree._Element) -> list[str]:
    """Return the words of an element, of a long one the first: elements may nest."""
    texts, left = list[str](), MOST_READ
    for text in map(str, element.itertext()):
        texts.append(text[:left])
        left -= len(texts[-1])
        if not left:
            break
    return "".join(texts).split()


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _mark(element: etree._Element, name: str) -> None:
    space, sign, _ = element.tag.rpartition("}")
    children = list(element)
    heading = etree.SubElement(element, f"{space}{sign}{name}")
    heading.text, element.text = element.text, None
    heading.extend(children)
