"""Canonical markup: elements as bytes of UTF-8, in which every `&` and `<` that is not markup is escaped."""

from __future__ import annotations

import re

from lxml import etree

# In canonical markup a `>` ends a tag.
_NAMESPACE = re.compile(rb"""(?<=\s)xmlns(?::[^\s=<>]+)?=(?:"[^"<>]*"|'[^'<>]*')(?=[^<>]*>)""")


def canonical(element: etree._Element) -> bytes:
    """Return the canonical markup of an element, without its tail."""
    markup = etree.tostring(element, encoding="utf-8", xml_declaration=False, with_tail=False)
    return markup if _ESCAPES_NAMESPACES else escape_namespaces(markup)


def escape_namespaces(markup: bytes) -> bytes:
    """Return markup with namespaces escaped, which older versions of libxml2 write as they are."""
    return _NAMESPACE.sub(lambda found: found[0].replace(b"&", b"&amp;"), markup)


_ESCAPES_NAMESPACES = b"&amp;" in etree.tostring(etree.Element("probe", nsmap={"n": "urn:n?a&b"}))
