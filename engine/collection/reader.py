"""Reading one XML document safely: bytes in, canonical markup out.

The canonical markup is the root element as lxml serialises it in UTF-8: comments and processing instructions gone,
CDATA and character references resolved, every `<` and `>` that is not a tag's escaped. libxml2 parses and serialises
in C; `document.flatten` turns the markup of many documents into columns.

Nothing is fetched, no external entity is read, nothing is recovered: a document is read whole or refused with its line.
What might pass a limit is counted before a tree of it is built (see `tally`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, cast

from lxml import etree

from engine.collection.limits import DEFAULT_LIMITS, Limits
from engine.collection.sources.names import printable
from engine.collection.tally import leaves_room, past, tally
from engine.errors import CollectionError

ENTITY_REFERENCE = re.compile(rb"&(?!amp;|lt;|gt;|quot;|#)([^;\s]*);")
DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
ASCII_SUPERSETS = re.compile(rb"(?i)us-ascii|ascii|utf-?8|iso-?8859-\d+|latin-?\d|windows-125\d|cp125\d|koi8-[ru]")
LIBXML_ADVICE = re.compile(r",? (try|use) XML_PARSE_HUGE( option)?|, see xmlCtxtSetMaxAmplification\.")
UNDEFINED_ENTITY = re.compile("Entity '(.+)' not defined")
EXCESSIVE_DEPTH = re.compile(r"Excessive depth in document: (\d+)")
PARSERS_BOUND = re.compile("too long|too big|huge|Huge|Buffer size limit")
LONGEST_SHOWN = 200  # characters
BOUNDS = (
    "where entities are declared, the parser reads at most 256 levels and 10 MB in one piece, no setting allows more: "
    "write the entities out."
)
AMPLIFIED = (
    "entities and defaults of attributes may make a document five times as large, no setting allows more: write them "
    "out."
)


class Markup(NamedTuple):
    """One document's canonical markup and what a profile is chosen by."""

    text: bytes
    root_name: str
    namespace: str
    children: frozenset[str]


class _Outside(Exception):  # noqa: N818  (never leaves this module)
    """Something that a document names, outside itself."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


class _NothingOutside(etree.Resolver):
    """Stops the parser before it reads anything outside the document: lxml before 6.1 reads parameter entities."""

    def resolve(self, system_url: str, public_id: str, *_context: object) -> Any:
        """Raise; lxml asks what lies at a place before it reads it."""
        raise _Outside(system_url or public_id)


class _Declared(NamedTuple):
    """What a document may declare: False where its bytes surely do not."""

    entities: bool
    attributes: bool


def read_markup(raw: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> Markup:
    """Return the canonical markup of a document's bytes.

    Args:
        name: what messages call the document.
    Raises: CollectionError with `name:line: reason` when it is not well-formed, names an entity that it does not
        define, or passes a limit.
    """
    declared = _declared(raw)

    def make_parser(**options: Any) -> etree.XMLParser:
        parser = etree.XMLParser(
            remove_comments=True,
            remove_pis=True,
            strip_cdata=True,
            no_network=True,
            load_dtd=False,  # nor collect_ids=False, which loads it all the same
            resolve_entities="internal",  # type: ignore[arg-type]  # the stubs lag behind lxml 5
            huge_tree=not declared.entities,
            **options,
        )
        parser.resolvers.add(_NothingOutside())
        return parser

    with _refusals(raw, name, limits, declared):
        if declared.attributes or leaves_room(raw, limits, has_entities=declared.entities):
            tally(raw, name, limits, make_parser)
        root = etree.fromstring(raw, make_parser())
        text = etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False)
    if reference := ENTITY_REFERENCE.search(text):
        entity = reference.group(1).decode()
        line = next((node.sourceline for node in root.iter(etree.Entity) if node.text == f"&{entity};"), None)
        raise CollectionError(f"{name}:{line or 1}: {_undefined(_shown(entity), raw)}")
    if text.count(b"</") >= limits.max_depth:
        for element in cast(list[etree._Element], _deeper_than(limits.max_depth)(root)):
            raise CollectionError(f"{name}:{element.sourceline}: {past('max_depth', limits.max_depth)}")
    return Markup(text, *_describe(root))


@contextmanager
def _refusals(raw: bytes, name: str, limits: Limits, declared: _Declared) -> Iterator[None]:
    """Turn what the parser raises into refusals."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        line, column = error.position
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "not well-formed")
        reason = _shown(LIBXML_ADVICE.sub("", reason))
        if undefined := UNDEFINED_ENTITY.fullmatch(reason):
            reason = _undefined(undefined[1], raw)
        elif excessive := EXCESSIVE_DEPTH.fullmatch(reason):
            reason = _too_deep(int(excessive[1]), limits, declared)
        elif "amplification" in reason:
            reason += f": {AMPLIFIED}"
        elif PARSERS_BOUND.search(reason) and declared.entities:
            reason += f": {BOUNDS}"
        raise CollectionError(f"{name}:{line}: column {column}: {reason}") from None
    except _Outside as outside:
        raise CollectionError(f"{name}:1: {_unread_parameter_entity(outside.place)}") from None
    except MemoryError:
        raise CollectionError(f"{name}:1: reading it needs more memory than there is: split the document.") from None
    except (ValueError, LookupError, AssertionError) as error:
        raise CollectionError(f"{name}:1: {error}") from None


def _declared(raw: bytes) -> _Declared:
    """Return what the bytes may declare. Only where it is surely no entity, libxml2's own bounds may be lifted.

    libxml2 guards against entity bombs, but its bounds on text (10 MB a node) and depth (256) come with the guard.
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in raw[:4]:
        codes = ("utf-16-le", "utf-16-be", "utf-32-le")
        return _Declared(*(any(each.encode(code) in raw for code in codes) for each in ("<!ENTITY", "<!ATTLIST")))
    start = raw[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    declaration = start.partition(b"?>")[0] if start.startswith(b"<?xml") else b""
    encoding = DECLARED_ENCODING.match(declaration)
    is_ascii = ASCII_SUPERSETS.fullmatch(encoding[1]) is not None if encoding else b"encoding" not in declaration
    if not is_ascii or not start.startswith(b"<"):
        return _Declared(True, True)
    if b"<!DOCTYPE" not in raw:
        return _Declared(False, False)
    return _Declared(b"<!ENTITY" in raw, b"<!ATTLIST" in raw)


def _shown(found: str) -> str:
    """Return what a document holds, or what the parser says of it, as it can stand in a message of one line."""
    line = " ".join(found.split())
    return printable(line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}…")


def _undefined(entity: str, raw: bytes) -> str:
    if f"%{entity};".encode() in raw and f"&{entity};".encode() not in raw:
        return _unread_parameter_entity(entity)
    return (
        f"entity '{entity}' is not defined in the document: define it in an internal DTD subset, or write the "
        "character itself."
    )


def _unread_parameter_entity(entity: str) -> str:
    return f"parameter entity '{entity}' is not read: take it out, and declare what is needed in the document itself."


def _too_deep(depth: int, limits: Limits, declared: _Declared) -> str:
    """Return the reason for refusing a document past `depth`, a bound of the parser's own."""
    if depth > limits.max_depth:
        return past("max_depth", limits.max_depth)
    return f"elements nested more than {depth:,} deep: " + (BOUNDS if declared.entities else "flatten the document.")


@cache
def _deeper_than(depth: int) -> etree.XPath:
    return etree.XPath(f"({'/*' * (depth + 1)})[1]")


def _describe(root: etree._Element) -> tuple[str, str, frozenset[str]]:
    """Return the root's local name, its namespace, and the local names of its children."""
    name = etree.QName(root)
    children = frozenset(etree.QName(child).localname for child in root.iterchildren(etree.Element))
    return name.localname, name.namespace or "", children
