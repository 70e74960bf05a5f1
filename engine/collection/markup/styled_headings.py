"""Headings that are such by their style alone: their text gets an element that says so.

    <p style="Heading1">Light</p>  ->  <p style="Heading1"><styled-heading-1>Light</styled-heading-1></p>

The profile says which attributes name styles (`styles`): of the element, or of one below it, as in
`<p><properties><style name="Heading1"/></properties>Light</p>`. An attribute may also say the level of elements that
are all headings, `<h level="2">`; without it, they are of the first. The path of the element stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from lxml import etree

from engine.collection.inference.title_names import heading_level, names_level
from engine.collection.profiles.profile import STYLED_HEADINGS

level_of = lru_cache(2**10)(heading_level)


def has_styled_headings(markup: bytes, styles: Collection[str]) -> bool:
    """Return whether any element of canonical markup is a heading by an attribute for styles or levels."""
    for rule in styles:
        path, _, attribute = rule.partition("/@")
        tag = path.rpartition("/")[2]
        if names_level(attribute) and re.search(rb"<(?:[^\s<>/:]+:)?%s[\s/>]" % re.escape(tag.encode()), markup):
            return True
        named = rb'<(?:[^\s<>/:]+:)?%s(?:\s[^<>]*)?\s(?:[^\s<>=:]+:)?%s="([^"]*)"'
        found = re.finditer(named % (re.escape(tag.encode()), re.escape(attribute.encode())), markup)
        if any(level_of(value.decode()) >= 0 for value in {match[1] for match in found}):
            return True
    return False


def mark_headings(root: etree._Element, styles: Collection[str]) -> None:
    """Put the content of each element with the style of a heading into an element for headings of its level."""
    for rule in sorted(styles):
        path, _, attribute = rule.partition("/@")
        tag, *below = path.split("/")
        for element in list(root.iter(f"{{*}}{tag}")):
            styled = element.find("/".join(f"{{*}}{step}" for step in below)) if below else element
            level = -1 if styled is None else level_of(_value(styled, attribute) or "1" * names_level(attribute))
            if level >= 0 and element is not root:
                _mark(element, STYLED_HEADINGS[level])


def _value(element: etree._Element, attribute: str) -> str:
    return next((str(each) for key, each in element.attrib.items() if str(key).rpartition("}")[2] == attribute), "")


def _mark(element: etree._Element, name: str) -> None:
    space, sign, _ = element.tag.rpartition("}")
    children = list(element)
    heading = etree.SubElement(element, f"{space}{sign}{name}")
    heading.text, element.text = element.text, None
    heading.extend(children)
