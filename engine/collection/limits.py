"""Limits on documents and archives, beyond which they are skipped, with the limit's name as the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields

from engine.errors import SettingsError
from engine.images.limits import ImageLimits
from engine.notices import Notice
from engine.records import dataclass
from engine.system.byte_sizes import UNITS
from engine.wording import nearest, shown_text

MEGABYTE = 1 << 20
# Depth that libxml2 accepts in documents without entity declarations (its own limit is 2,048).
MAX_PARSER_DEPTH = 2_000


@dataclass(frozen=True)
class Limits:
    """Largest documents and archives that are read; with the defaults, reading either takes at most 4 GB of memory."""

    # Bytes of one document's XML, decompressed.
    max_file_bytes: int = 256 * MEGABYTE
    # Depth of nested elements.
    max_depth: int = 1_000
    # Characters of a document's text and attribute values together.
    max_text: int = 32 * MEGABYTE
    # Distinct words of a document.
    max_distinct_words: int = 2_000_000
    # Distinct names of elements and attributes, of a document and of an index.
    max_distinct_names: int = 250_000
    # Bytes of memory that a document takes, by an estimate (`engine.indexing.workers.document_memory`).
    max_document_memory: int = 4096 * MEGABYTE
    # Elements of a document.
    max_elements: int = 4_000_000
    # Attributes of a document, namespace declarations included.
    max_attributes: int = 8_000_000
    # Bytes of all members of one archive, decompressed.
    max_archive_bytes: int = 65536 * MEGABYTE
    # Members of one archive, including links and folders.
    max_members: int = 2_000_000
    # Ratio of decompressed to compressed bytes; checked above `free_bytes`. Deflate reaches 1,032, prose about 5.
    max_ratio: int = 250
    # Decompressed bytes that are allowed at any ratio.
    free_bytes: int = 64 * MEGABYTE
    # Bytes, pixels and pixels of the longer side of an image, and the seconds that decoding it may take.
    max_image_bytes: int = ImageLimits.max_bytes
    max_image_pixels: int = ImageLimits.max_pixels
    max_image_side: int = ImageLimits.max_side
    max_image_seconds: int = int(ImageLimits.seconds)

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) < 1:
                raise SettingsError(f"{each.name} = {getattr(self, each.name)}: expected a whole number from 1.")
        if self.max_depth > MAX_PARSER_DEPTH:
            raise SettingsError(
                f"max_depth = {self.max_depth}: expected at most {MAX_PARSER_DEPTH:,}, the parser's limit."
            )

    @classmethod
    def from_assignments(cls, assignments: Iterable[str]) -> Limits:
        """Return the limits with replacements such as `max_text=128M`; K, M, G, T are powers of 1024.

        Raises: SettingsError for an unknown name or an invalid value.
        """
        known = [each.name for each in fields(cls)]
        values = {}
        for assignment in assignments:
            name, _, text = (part.strip() for part in assignment.partition("="))
            if name not in known:
                found = {"given": shown_text(assignment), "near": nearest(name, known) or "", "known": tuple(known)}
                raise SettingsError(Notice("unknown_limit", found))
            number = re.fullmatch(r"(\d{1,18})([KMGT]?)", text.upper())
            if number is None:
                raise SettingsError(Notice("wrong_limit", {"given": shown_text(assignment), "name": name}))
            values[name] = int(number[1]) * UNITS[number[2]]
        return cls(**values)


DEFAULT_LIMITS = Limits()


def limit_hint(name: str) -> str:
    """Return the part of a message that names a limit and how to raise it.

    >>> limit_hint("max_text")
    'the limit max_text (max_text=N allows more)'
    """
    return f"the limit {name} ({name}=N allows more)"
