"""Reading one XML document safely: bytes in, canonical markup out.

The canonical markup is the root element as lxml serialises it in UTF-8: comments and processing instructions gone,
CDATA and character references resolved, every `<` and `>` that is not a tag's escaped. libxml2 parses and serialises
in C; `document.flatten` turns the markup of many documents into columns.

Nothing is fetched, no external entity is read, nothing is recovered: a document is read whole or refused with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, cast

from lxml import etree

from engine.errors import CollectionError

ENTITY_REFERENCE = re.compile(rb"&(?!amp;|lt;|gt;|quot;|#)([^;\s]*);")
DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
ASCII_SUPERSETS = re.compile(rb"(?i)us-ascii|ascii|utf-?8|iso-?8859-\d+|latin-?\d|windows-125\d|cp125\d|koi8-[ru]")
STRING_LENGTH = etree.XPath("string-length()")
LIBXML_ADVICE = re.compile(r",? (try|use) XML_PARSE_HUGE( option)?|, see xmlCtxtSetMaxAmplification\.")
UNDEFINED_ENTITY = re.compile("Entity '(.+)' not defined")
EXCESSIVE_DEPTH = re.compile(r"Excessive depth in document: (\d+)")


@dataclass(frozen=True)
class Limits:
    """What a document may ask of the machine; past it the document is refused."""

    max_depth: int = 1_000  # elements inside one another
    max_text: int = 64 * 2**20  # characters of text


class Markup(NamedTuple):
    """One document's canonical markup and what a profile is chosen by."""

    text: bytes
    root_name: str
    namespace: str
    children: frozenset[str]


def read_markup(raw: bytes, name: str, limits: Limits | None = None) -> Markup:
    """Return the canonical markup of a document's bytes.

    Args:
        name: what messages call the document.
    Raises: CollectionError with `name:line: reason` when it is not well-formed, names an entity that it does not
        define, or passes a limit.
    """
    limits = limits or Limits()
    root = _parse(raw, name, limits)
    text = etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False)
    if reference := ENTITY_REFERENCE.search(text):
        entity = reference.group(1).decode()
        line = next((node.sourceline for node in root.iter(etree.Entity) if node.text == f"&{entity};"), None)
        raise CollectionError(f"{name}:{line or 1}: {_undefined(entity)}")
    _check_limits(root, text, name, limits)
    return Markup(text, *_describe(root))


def _parse(raw: bytes, name: str, limits: Limits) -> etree._Element:
    has_no_entities = _holds_no_entities(raw)
    parser = etree.XMLParser(
        remove_comments=True,
        remove_pis=True,
        strip_cdata=True,
        no_network=True,
        load_dtd=False,
        resolve_entities="internal",  # type: ignore[arg-type]  # the stubs lag behind lxml 5
        huge_tree=has_no_entities,
    )
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "not well-formed")
        reason = LIBXML_ADVICE.sub("", reason)
        if undefined := UNDEFINED_ENTITY.fullmatch(reason):
            reason = _undefined(undefined[1])
        elif excessive := EXCESSIVE_DEPTH.fullmatch(reason):
            reason = _too_deep(int(excessive[1]), limits, has_no_entities)
        raise CollectionError(f"{name}:{line}: column {column}: {reason}") from None
    except (ValueError, LookupError, AssertionError) as error:
        raise CollectionError(f"{name}:1: {error}") from None


def _holds_no_entities(raw: bytes) -> bool:
    """Return whether the bytes surely declare no entity: only then libxml2's own bounds may be lifted.

    libxml2 guards against entity bombs, but its bounds on text (10 MB a node) and depth (256) come with the guard.
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in raw[:4]:
        return all(b"<!ENTITY".decode().encode(code) not in raw for code in ("utf-16-le", "utf-16-be", "utf-32-le"))
    declared = DECLARED_ENCODING.match(raw.removeprefix(b"\xef\xbb\xbf")[:200])
    if raw.lstrip()[:5] == b"<?xml" and declared is None and b"encoding" in raw[:200]:
        return False
    return (declared is None or ASCII_SUPERSETS.fullmatch(declared[1]) is not None) and b"<!ENTITY" not in raw


def _check_limits(root: etree._Element, text: bytes, name: str, limits: Limits) -> None:
    if len(text) > limits.max_text:
        length = int(cast(float, STRING_LENGTH(root)))
        if length > limits.max_text:
            raise CollectionError(
                f"{name}:1: {length:,} characters of text, over the limit of {limits.max_text:,} (max_text): split "
                "the document."
            )
    if text.count(b"</") >= limits.max_depth and _deeper_than(limits.max_depth)(root):
        raise CollectionError(f"{name}:1: {_too_deep(limits.max_depth, limits)}")


def _undefined(entity: str) -> str:
    return (
        f"entity '{entity}' is not defined in the document: define it in an internal DTD subset, or write the "
        "character itself."
    )


def _too_deep(depth: int, limits: Limits, has_no_entities: bool = True) -> str:
    """Return the reason for refusing a document past `depth`; the parser's own bound may come before or after ours."""
    limit = "the limit (max_depth)" if has_no_entities else "the limit where entities are declared"
    return f"elements nested more than {min(depth, limits.max_depth):,} deep, {limit}: flatten the document."


@cache
def _deeper_than(depth: int) -> etree.XPath:
    return etree.XPath(f"boolean({'/*' * (depth + 1)})")


def _describe(root: etree._Element) -> tuple[str, str, frozenset[str]]:
    """Return the root's local name, its namespace, and the local names of its children."""
    name = etree.QName(root)
    children = frozenset(etree.QName(child).localname for child in root.iterchildren(etree.Element))
    return name.localname, name.namespace or "", children
