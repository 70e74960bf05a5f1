"""NEXI, the path query language of INEX: from text to a typed tree and back."""

from __future__ import annotations

from engine.query.nexi.example_images import without_images
from engine.query.nexi.parser import is_nexi, parse_nexi
from engine.query.nexi.terms import parse_co, parse_plain, unclosed_quote
from engine.query.nexi.tree import About, And, Comparison, Condition, Nexi, Not, Or, Phrase, Reference, Step, Term, Word

__all__ = [
    "About",
    "And",
    "Comparison",
    "Condition",
    "Nexi",
    "Not",
    "Or",
    "Phrase",
    "Reference",
    "Step",
    "Term",
    "Word",
    "is_nexi",
    "parse_co",
    "parse_nexi",
    "parse_plain",
    "unclosed_quote",
    "without_images",
]
