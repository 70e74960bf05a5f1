"""Limits: what a collection may ask of the machine. What passes one is refused by its name, and left out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields

from engine.errors import SettingsError

MEGABYTE = 1 << 20
DEEPEST = 2_000  # levels that libxml2 surely reads, whatever is asked of it
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Limits:
    """What a document and an archive may hold; at the defaults a process needs at most some gigabytes for either."""

    max_file_bytes: int = 256 * MEGABYTE
    """The XML of one document, unpacked."""
    max_depth: int = 1_000
    """Elements inside one another."""
    max_text: int = 64 * MEGABYTE
    """Characters of a document's text and of its attributes' values."""
    max_elements: int = 4_000_000
    """Elements of a document."""
    max_attributes: int = 8_000_000
    """Attributes of a document, namespace declarations included."""
    max_archive_bytes: int = 65536 * MEGABYTE
    """All members of one archive, unpacked."""
    max_members: int = 2_000_000
    """Members of one archive, links and folders included."""
    max_ratio: int = 250
    """Unpacked to packed bytes, counted where more than ``free_bytes`` come out."""
    free_bytes: int = 64 * MEGABYTE
    """What may come out at any ratio."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) < 1:
                raise SettingsError(f"{each.name} = {getattr(self, each.name)}: expected a whole number from 1.")
        if self.max_depth > DEEPEST:
            raise SettingsError(f"max_depth = {self.max_depth}: the parser reads at most {DEEPEST:,} levels.")

    @classmethod
    def from_assignments(cls, assignments: Iterable[str]) -> Limits:
        """Return the default limits with some of them set, as `max_text=128M`; K, M, G and T are powers of 1024.

        Raises: SettingsError for an unknown name, or a value that is none.
        """
        known = [each.name for each in fields(cls)]
        values = {}
        for assignment in assignments:
            name, _, text = (part.strip() for part in assignment.partition("="))
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean '{near[0]}'? " if near else ""
                raise SettingsError(f"--set '{assignment}': {hint}limits are {', '.join(known)}.")
            number = re.fullmatch(r"(\d{1,18})([KMGT]?)", text.upper())
            if number is None:
                raise SettingsError(f"--set '{assignment}': expected {name}=N, a whole number such as 500000 or 128M.")
            values[name] = int(number[1]) * UNITS[number[2]]
        return cls(**values)


DEFAULT_LIMITS = Limits()


def the_limit(name: str) -> str:
    """Return how a refusal names a limit, and what sets another.

    >>> the_limit("max_text")
    'the limit max_text (--set max_text=N allows more)'
    """
    return f"the limit {name} (--set {name}=N allows more)"
