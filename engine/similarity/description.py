"""Descriptions of expressions in words, for the terminal, JSON and the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.similarity.expression import Calculated, Expression, Fused, Propagated, scores_documents
from engine.similarity.formula import composed
from engine.similarity.named_expressions import APPROACHES
from engine.similarity.parameters import TABLE
from engine.similarity.registry import COMBINING, ELEMENTS, REBUILT, Component, Context

SCORES = {
    "D": "documents, from their words",
    "T": "text nodes (leaves), from the words of their own text",
    "E": "element nodes, from the words in and below them",
    "F": "element nodes, from the scores of the text nodes in and below them",
    "G": "element nodes, from their scores and those of their documents",
}
NAMES = {
    "f_{x},t": "occurrences of the term in {a}",
    "f_{x}": "words of {a}",
    "|T_{x}|": "distinct terms of {a}",
    "f^m_{x}": "occurrences of the most frequent term of {a}",
    "T_q,{x}": "query terms that {a} contains",
}
SYMBOLS = {
    "N_D": "documents; N_D,t: those that contain the term",
    "N_P": "text nodes; N_P,t: those that contain the term",
    "N_P in d": "text nodes of the same document; N_P in d,t: those that contain the term",
    "N_En": "elements of the same name; N_En,t: those that contain the term",
    "N_E,t": "elements that contain the term",
    "F_t": "occurrences of the term in the collection",
    "|C|": "words of the collection",
    "dist(e, p)": "arcs from the element down to the text node",
    "mean": "over all documents, text nodes or element nodes of the collection",
    "|D_e|": "text nodes in and below the element",
}
UNITS = {"d": "the document", "p": "the text node", "e": "the element", "q": "the query"}


def name_of(expression: Expression) -> str | None:
    """Return the name of an expression, None if it has none."""
    return next((each.name for each in APPROACHES.values() if each.expression == str(expression)), None)


def scored(expression: Expression) -> str:
    """Return which units an expression scores, and from what."""
    if isinstance(expression, Calculated):
        return SCORES[expression.context]
    return SCORES["F" if isinstance(expression, Propagated) else "G"]


def calculated_parts(expression: Expression) -> tuple[Calculated, ...]:
    """Return the calculated scores in an expression."""
    if isinstance(expression, Propagated):
        return (expression.leaves,)
    return (expression.document, expression.element) if isinstance(expression, Fused) else (expression,)


def letters(expression: Expression) -> Iterator[dict[str, str]]:
    """Yield every letter of an expression with its symbol, table, name, formula and origin."""
    if isinstance(expression, Propagated):
        yield _constructed("F", "propagation", "Σ_p F(e, p) · S_q,p")
        yield _letter("C", "F(e, p)", ELEMENTS, expression.component)
    if isinstance(expression, Fused):
        yield _constructed("G", "result fusion", composed(expression))
    for part in calculated_parts(expression):
        for symbol, context, component in part.components:
            yield _letter(part.context, symbol, context, component)


def _constructed(letter: str, line: str, formula: str) -> dict[str, str]:
    row = {"part": "C", "symbol": "S_q,e", "letter": letter, "table": COMBINING}
    return {**row, "line": line, "formula": formula, "origin": REBUILT}


def _letter(part: str, symbol: str, context: Context, component: Component) -> dict[str, str]:
    return {
        "part": part,
        "symbol": symbol,
        "letter": component.letter,
        "table": component.table,
        "line": component.line,
        "formula": component.formulas[context],
        "origin": component.origin,
    }


def symbols(expression: Expression) -> list[dict[str, str]]:
    """Return the symbols in the formulas of an expression with their meanings."""
    shown = " ".join(each["formula"] for each in letters(expression))
    known = {
        name.replace("{x}", x): meaning.replace("{a}", unit)
        for x, unit in UNITS.items()
        for name, meaning in NAMES.items()
    } | SYMBOLS
    return [{"symbol": name, "meaning": meaning} for name, meaning in known.items() if _contains_symbol(name, shown)]


def _contains_symbol(name: str, text: str) -> bool:
    """Return whether a text contains a symbol, not as the beginning of a longer one."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w|,t| in d)", text) is not None or (
        name in ("N_D", "N_P", "N_En", "N_P in d") and re.search(rf"{re.escape(name)},t", text) is not None
    )


def parameter_rows(expression: Expression) -> list[dict[str, Any]]:
    """Return the parameters of an expression: name, default, legal values, meaning."""
    return [
        {"name": name, "default": each.default, "legal": list(each.legal), "line": each.line}
        for name, each in TABLE.items()
        if name in expression.parameters
    ]


def as_dict(expression: Expression) -> dict[str, Any]:
    """Return the whole description of an expression, as `--json` prints it."""
    return {
        "expression": str(expression),
        "name": name_of(expression),
        "scores": scored(expression),
        "formula": composed(expression),
        "letters": list(letters(expression)),
        "symbols": symbols(expression),
        "parameters": parameter_rows(expression),
        "example": example(expression),
    }


# Parameter that the setting `block_words` sets.
BLOCK = "block"


def prefix(expression: Expression) -> str:
    """Return the prefix of an expression's parameters in the settings of a search."""
    return "" if scores_documents(expression) else "element_"


def example(expression: Expression) -> str:
    """Return a command that uses an expression."""
    chosen = name_of(expression) or f"'{expression}'"
    names = [name for name in TABLE if name in expression.parameters - {BLOCK}]
    assignment = f" --param {prefix(expression)}{names[0]}={TABLE[names[0]].default}" if names else ""
    return f"foxir search my.foxir 'tide prediction' --similarity {chosen}{assignment}"
