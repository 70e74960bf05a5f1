"""The measures of later INEX with sets of characters and fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tests.reference.hixeval import Place, characters


def interpolated_precision(
    results: Sequence[Place], relevant: set[tuple[str, int]], *, once: bool
) -> tuple[list[Fraction], Fraction, Fraction]:
    """Return iP at 101 points, and precision and recall after the last result; ``once``: characters count once."""
    seen: set[tuple[str, int]] = set()
    hits, text, ranks = 0, 0, [(Fraction(0), Fraction(0))]
    for document, start, end in results:
        given = characters(document, start, end)
        new = given - seen if once else given
        seen |= given
        hits, text = hits + len(new & relevant), text + len(new)
        ranks.append((Fraction(hits, text) if text else Fraction(0), Fraction(hits, len(relevant))))
    curve = [max((p for p, r in ranks if r >= Fraction(x, 100)), default=Fraction(0)) for x in range(101)]
    return curve, *ranks[-1]


def articles(results: Sequence[Place]) -> dict[str, set[tuple[str, int]]]:
    """Return the text returned from each article, articles in the order of their first results."""
    found: dict[str, set[tuple[str, int]]] = {}
    for document, start, end in results:
        found.setdefault(document, set()).update(characters(document, start, end))
    return found


def f_score(returned: set[tuple[str, int]], relevant: set[tuple[str, int]], beta: Fraction) -> Fraction:
    hits = len(returned & relevant)
    if not hits:
        return Fraction(0)
    precision, recall = Fraction(hits, len(returned)), Fraction(hits, len(relevant))
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def t2i_score(
    document: str, length: int, returned: set[tuple[str, int]], relevant: set[tuple[str, int]], tolerance: int
) -> Fraction:
    """Read character by character: what was returned, then the rest."""
    everything = [(document, at) for at in range(length)]
    hits = others = 0
    for character in sorted(returned) + [c for c in everything if c not in returned]:
        if character in relevant:
            hits += 1
        else:
            others += 1
        if others == tolerance:
            break
    return Fraction(hits, hits + others) if hits else Fraction(0)


def generalised(
    scores: Mapping[str, Fraction], relevant: set[str]
) -> tuple[list[Fraction], list[Fraction], Fraction, list[Fraction]]:
    """Return gP and gR at each rank, AgP and 11 interpolated points; ``relevant`` are all articles with relevance."""
    names = list(scores)
    precision = [sum((scores[name] for name in names[:r]), Fraction(0)) / r for r in range(1, len(names) + 1)]
    recall = [Fraction(len(relevant & set(names[:r])), len(relevant)) for r in range(1, len(names) + 1)]
    average = sum((p for p, name in zip(precision, names, strict=True) if name in relevant), Fraction(0))
    pairs = list(zip(precision, recall, strict=True))
    curve = [max((p for p, r in pairs if r >= Fraction(x, 10)), default=Fraction(0)) for x in range(11)]
    return precision, recall, average / len(relevant), curve
