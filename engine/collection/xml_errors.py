"""Turns what the XML parser raises into errors that name the file, the line, the cause and the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lxml import etree

from engine.collection.document_limits import limit_exceeded
from engine.collection.entities.entity_references import external_entities
from engine.collection.limits import Limits
from engine.errors import CollectionError
from engine.wording.printable import printable

# What libxml2 adds to its messages; the options it names cannot be set here.
_LIBXML_ADVICE = re.compile(r",? (try|use) XML_PARSE_HUGE( option)?|, see xmlCtxtSetMaxAmplification\.")
_UNDEFINED_ENTITY = re.compile("Entity '(.+)' not defined")
_EXCESSIVE_DEPTH = re.compile(r"Excessive depth in document: (\d+)")
_PARSER_LIMIT = re.compile("too long|too big|huge|Huge|Buffer size limit")
_PARSER_LIMIT_ADVICE = (
    "in a document that declares entities, the parser reads at most 256 levels and 10 MB in one piece, whatever the "
    "settings: expand the entities before indexing."
)
_AMPLIFICATION_ADVICE = (
    "entities and default attributes may make a document at most five times as large, whatever the settings: expand "
    "them before indexing."
)
# Characters of a document or a parser message that are shown.
_MAX_SHOWN = 200


@contextmanager
def translated_parser_errors(raw: bytes, name: str, limits: Limits, *, declares_entities: bool) -> Iterator[None]:
    """Raise CollectionError with `name:line: reason` for every error that the parser raises inside the context."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        line, column = error.position
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "not well-formed")
        reason = _one_line(_LIBXML_ADVICE.sub("", reason))
        if undefined := _UNDEFINED_ENTITY.fullmatch(reason):
            reason = undefined_entity(undefined[1], raw)
        elif excessive := _EXCESSIVE_DEPTH.fullmatch(reason):
            reason = _too_deep(int(excessive[1]), limits, declares_entities=declares_entities)
        elif "amplification" in reason:
            reason += f": {_AMPLIFICATION_ADVICE}"
        elif _PARSER_LIMIT.search(reason) and declares_entities:
            reason += f": {_PARSER_LIMIT_ADVICE}"
        raise CollectionError(f"{name}:{line}: column {column}: {reason}") from None
    except MemoryError:
        raise CollectionError(f"{name}:1: not enough memory to read the document: split it.") from None
    except (ValueError, LookupError, AssertionError) as error:
        raise CollectionError(f"{name}:1: {error}") from None


def undefined_entity(entity: str, raw: bytes) -> str:
    """Return the reason for skipping a document that refers to an entity whose text it does not define."""
    is_external = entity in external_entities(raw)
    entity = _one_line(entity)
    if f"%{entity};".encode() in raw and f"&{entity};".encode() not in raw:
        return _external_parameter_entity(entity)
    if is_external:
        remedy = "is external and is not read: define its text in the document"
    else:
        remedy = "is not defined in the document: define it there"
    return (
        f"entity '{entity}' {remedy}, in a file of entities, or in a local DTD of a catalog, or keep such references "
        "as text (undefined entities: keep)."
    )


def _external_parameter_entity(entity: str) -> str:
    return (
        f"parameter entity '{entity}' is not read: remove it, and declare what the document needs in its internal DTD "
        "subset."
    )


def _too_deep(depth: int, limits: Limits, *, declares_entities: bool) -> str:
    """Return the reason for skipping a document nested deeper than `depth`, the parser's limit."""
    if depth > limits.max_depth:
        return limit_exceeded("max_depth", limits.max_depth)
    advice = _PARSER_LIMIT_ADVICE if declares_entities else "flatten the document."
    return f"elements nested more than {depth:,} deep: {advice}"


def _one_line(text: str) -> str:
    """Return a text from a document or the parser, safe to print on one line."""
    line = " ".join(text.split())
    return printable(line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…")
