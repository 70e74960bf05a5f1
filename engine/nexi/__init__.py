"""NEXI: the query language of INEX, from text to a typed tree and back."""

from engine.nexi.images import without_images
from engine.nexi.parser import is_nexi, parse_nexi
from engine.nexi.terms import parse_co
from engine.nexi.tree import (
    About,
    And,
    Comparison,
    Condition,
    Nexi,
    Not,
    Or,
    Phrase,
    Reference,
    RelativePath,
    Sign,
    Step,
    Term,
    Word,
)

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
    "RelativePath",
    "Sign",
    "Step",
    "Term",
    "Word",
    "is_nexi",
    "parse_co",
    "parse_nexi",
    "without_images",
]
