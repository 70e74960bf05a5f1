"""The linear form of a formula in presentation MathML, in which fractions, powers, indices and roots are unambiguous.

    mfrac (a)/(b)    msup x^2, x^(2 n)    msub x_i    msqrt sqrt(x)    mroot root(3)(x)    mtable [a, b; c, d]

It is that of AsciiMath. Scripts of one token have no parentheses, the parts of fractions always have. A blank stands
where two parts would read as one: `sin x`, `2 (a)/(b)`, `x^2 y`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.collection.profiles.profile import ANNOTATIONS
from engine.records import dataclass

# The element of a formula, and the tokens, which alone have text.
FORMULA = "math"
NAMES, TEXT, SPACE = frozenset(("mi", "mn", "ms", "ci", "cn")), "mtext", frozenset(("mspace", "none", "mprescripts"))
TOKENS = NAMES | {TEXT, "mo"} | SPACE
# Function application, and invisible signs of multiplication and addition; the invisible comma.
INVISIBLE, COMMA = "\u2061\u2062\u2064", "\u2063"
# Nested deeper than this, a formula is written as its text.
DEEPEST = 100


@dataclass(frozen=True)
class MathNode:
    """An element of a formula: its tag, its own text (of a token), and the elements in it."""

    tag: str
    text: str = ""
    children: tuple[MathNode, ...] = ()


@dataclass(frozen=True)
class _Part:
    """A written part: its text, whether it is one token, and whether it was built of several: `(a)/(b)`, `x^2`."""

    text: str
    is_token: bool = True
    is_built: bool = False

    @property
    def enclosed(self) -> str:
        """The text in parentheses, unless it is one token or has its own."""
        return self.text if self.is_token or _is_fenced(self.text) else f"({self.text})"

    @property
    def in_parentheses(self) -> str:
        """The text in parentheses, be it one token."""
        return self.text if _is_fenced(self.text) else f"({self.text})"


def linear(node: MathNode) -> str:
    """Return the linear form of a formula.

    >>> linear(MathNode("mfrac", children=(MathNode("mn", "1"), MathNode("mi", "t"))))
    '(1)/(t)'
    """
    return " ".join(_written(node).text.split())


def _written(node: MathNode) -> _Part:
    if node.tag in TOKENS:
        return _token(node)
    parts = [_written(child) for child in node.children if child.tag not in ANNOTATIONS]
    write = _WRITERS.get(node.tag)
    known = write(parts) if write else None
    return known or _in_row(parts)


def _token(node: MathNode) -> _Part:
    text = node.text.replace(COMMA, ",").translate(dict.fromkeys(map(ord, INVISIBLE), " "))
    if node.tag in SPACE or (text.isspace() and node.tag != TEXT):
        return _Part(" " if text or node.tag == "mspace" else "")
    text = " ".join(text.split())
    return _Part(f" {text} " if node.tag == TEXT and text else text, is_token=node.tag != TEXT)


def _in_row(parts: Sequence[_Part]) -> _Part:
    """Return parts beside one another."""
    seen = [part for part in parts if part.text]
    if len(seen) == 1:
        return seen[0]
    written = ""
    for before, part in zip((None, *seen), seen, strict=False):
        written += (" " if before and _need_blank(before, part) else "") + part.text
    return _Part(written, is_token=False)


def _need_blank(before: _Part, part: _Part) -> bool:
    """Return whether two parts would read as one without a blank."""
    last, first = before.text[-1], part.text[0]
    if part.is_built and first == "(":
        return last.isalnum() or before.is_built
    if not first.isalnum():
        return before.is_built and (first == "(" or part.is_built)
    if before.is_built:
        return True
    if not last.isalnum():
        return False
    are_letters = len(before.text) == len(part.text) == 1 or (last.isdigit() and first.isalpha())
    return not are_letters or first.isdigit()


def _is_fenced(text: str) -> bool:
    """Return whether a text is in one pair of parentheses."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return place == len(text) - 1
    return False


def _fraction(parts: Sequence[_Part]) -> _Part | None:
    if len(parts) != 2:
        return None
    above, below = (part.in_parentheses for part in parts)
    return _Part(f"{above}/{below}", is_token=False, is_built=True)


def _scripts(*signs: str) -> Callable[[Sequence[_Part]], _Part | None]:
    """Return the writer of an element with a base and as many scripts as there are signs."""

    def write(parts: Sequence[_Part]) -> _Part | None:
        if len(parts) != 1 + len(signs):
            return None
        base, *scripts = parts
        written = "".join(
            sign + script.enclosed for sign, script in zip(signs, scripts, strict=True) if script.text.strip()
        )
        return _Part(base.enclosed + written, is_token=False, is_built=True) if written else base

    return write


def _root(parts: Sequence[_Part]) -> _Part:
    return _Part(f"sqrt{_in_row(parts).in_parentheses}", is_token=False, is_built=True)


def _nth_root(parts: Sequence[_Part]) -> _Part | None:
    if len(parts) != 2:
        return None
    base, degree = (part.in_parentheses for part in parts)
    return _Part(f"root{degree}{base}", is_token=False, is_built=True)


def _fenced(parts: Sequence[_Part]) -> _Part:
    return _Part(f"({', '.join(part.text for part in parts)})", is_token=False)


def _many_scripts(parts: Sequence[_Part]) -> _Part | None:
    """Return a base with pairs of scripts: below, above, below ...; those before the base are written after it, too."""
    if not parts:
        return None
    base, *scripts = parts
    pairs = zip(scripts, "_^" * len(scripts), strict=False)
    written = "".join(sign + script.enclosed for script, sign in pairs if script.text.strip())
    return _Part(base.enclosed + written, is_token=False, is_built=True)


def _cells(parts: Sequence[_Part]) -> _Part:
    return _Part(", ".join(part.text.strip() for part in parts), is_token=False)


def _rows(parts: Sequence[_Part]) -> _Part:
    return _Part(f"[{'; '.join(part.text for part in parts)}]", is_token=False)


_WRITERS: Mapping[str, Callable[[Sequence[_Part]], _Part | None]] = {
    "mfrac": _fraction,
    "msup": _scripts("^"),
    "msub": _scripts("_"),
    "msubsup": _scripts("_", "^"),
    "mover": _scripts("^"),
    "munder": _scripts("_"),
    "munderover": _scripts("_", "^"),
    "msqrt": _root,
    "mroot": _nth_root,
    "mfenced": _fenced,
    "mmultiscripts": _many_scripts,
    "mtr": _cells,
    "mlabeledtr": _cells,
    "mtable": _rows,
}
# The elements with a form of their own.
STRUCTURES = frozenset(_WRITERS)
