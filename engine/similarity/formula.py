"""The formula of an expression in one line: components substituted into each other, factors of 1 omitted."""

from __future__ import annotations

import re

from engine.similarity.expression import Calculated, Expression, Fused, Propagated
from engine.similarity.registry import ELEMENTS, LEAVES, METHOD, SYMBOLS, TABLES


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
