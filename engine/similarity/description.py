"""Descriptions of expressions for the terminal, JSON and the documentation: in words, and as one formula.

In a formula, components are substituted into each other, and factors of 1 omitted.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from engine.similarity.expression import Calculated, Expression, Fused, Propagated, scores_documents
from engine.similarity.named_expressions import APPROACHES
from engine.similarity.own_function import OwnFunction
from engine.similarity.parameters import TABLE
from engine.similarity.registry import COMBINING, ELEMENTS, LEAVES, METHOD, REBUILT, SYMBOLS, TABLES, Component, Context


def composed(expression: Expression) -> str:
    """Return the formula of a score.

    >>> from engine.similarity.parser import parse_expression
    >>> composed(parse_expression("D[CH-AEH-BAA]"))
    'Σ ln((N_D - N_D,t + 0.5)/(N_D,t + 0.5)) · (k1 + 1) · f_d,t/(k1 · ((1 - b) + b · f_d/mean f_d) + f_d,t)'
    """
    if isinstance(expression, Propagated):
        return f"Σ_p ({expression.component.formulas[ELEMENTS]}) · S_q,p,  p a text node in or below e"
    if isinstance(expression, Fused):
        return (
            "pivot · S_q,d/max S_q,d + (1 - pivot) · S_q,e'/max S_q,e',  the second max over elements of the same name"
        )
    return _calculated(expression)


def _calculated(expression: Calculated) -> str:
    x = SYMBOLS[expression.context]
    formulas = {symbol: component.formulas[context] for symbol, context, component in expression.components}
    w_u = _weight(expression.unit.method, formulas[f"r_{x},t"], formulas["w_t"])
    w_q = _weight(expression.query.method, formulas["r_q,t"], formulas["w_t"])
    length_u = _vector(formulas[f"W_{x}"], f"w_{x},t", product(*w_u))
    length_q = _vector(formulas["W_q"], "w_q,t", product(*w_q))
    w_u = tuple(each.replace(f"W_{x}", length_u) for each in w_u)
    weights, lengths = product(*w_q, *w_u), product(length_q, length_u)
    match expression.combining:
        case "A":
            return formulas[f"S_q,{x}"]
        case "B" if lengths != "1":
            return f"(Σ {weights}) / {factor(lengths)}"
        case "B" | "C":
            return f"Σ {weights}"
        case "E":
            return f"gpx^(n - 1) · Σ {weights},  n = |T_q,{x}|"
    times = "f_q,t · " if expression.combining == "H" else ""
    logarithms = f"Σ {times}ln({weights} + 1)"
    return logarithms if expression.context == LEAVES else f"{lengths} + {logarithms}"


def _weight(method: str, r: str, w_t: str) -> tuple[str, ...]:
    return (r, w_t) if "w_t" in TABLES[METHOD][method].reads else (r,)


def _vector(length: str, symbol: str, weight: str) -> str:
    return length.replace(f"{symbol}²", f"{factor(weight)}²")


def product(*factors: str) -> str:
    """Return factors as a product.

    >>> product("1", "1 + ln f", "w"), product("1", "1")
    ('(1 + ln f) · w', '1')
    """
    left = [each for each in factors if each != "1"]
    if not left:
        return "1"
    return left[0] if len(left) == 1 else " · ".join(each if not _is_sum(each) else f"({each})" for each in left)


def factor(text: str) -> str:
    """Return a text as the base of a power or a denominator, in parentheses if it needs them."""
    return text if _is_one(text) else f"({text})"


def _is_sum(text: str) -> bool:
    return any(sign in _outside(text) for sign in (" + ", " - "))


def _is_one(text: str) -> bool:
    return not re.search(r"[ /]", _outside(text))


def _outside(text: str) -> str:
    """Return a text without its parts in parentheses."""
    depth, outside = 0, []
    for sign in text:
        depth += sign == "("
        outside.append(sign if not depth else "")
        depth -= sign == ")"
    return "".join(outside)


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
MEANINGS = {
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
    """Return the units that an expression scores, and the source of the scores, in words."""
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
    } | MEANINGS
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
    if isinstance(expression, OwnFunction):
        return _of_function(expression)
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


def _of_function(function: OwnFunction) -> dict[str, Any]:
    """Return the description of a function of the user: the first line of its docstring, and its parameters."""
    about = (inspect.getdoc(function.loaded()) or "a function of yours").splitlines()[0]
    rows: list[dict[str, Any]] = [
        {"name": name, "default": each, "legal": [], "line": ""} for name, each in function.defaults.items()
    ]
    assignment = f" --param {prefix(function)}{rows[0]['name']}={rows[0]['default']}" if rows else ""
    return {
        "expression": str(function),
        "name": None,
        "scores": scored(function),
        "formula": about,
        "letters": [],
        "symbols": [],
        "parameters": rows,
        "example": f"foxir search my.foxir 'tide prediction' --similarity '{function}'{assignment}",
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
