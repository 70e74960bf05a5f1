"""The explanation of an element that a heuristic orders: its structural counts and its position in the article."""

from __future__ import annotations

import numpy as np

from engine.explain.traced_search import TracedSearch
from engine.index.locator import element_paths
from engine.ranking.parts.explanation import Explanation
from engine.thesis import heuristics
from engine.wording import counted

# Matches that are listed one by one; all are counted.
MOST_MATCHES = 20


def explain_counts(traced: TracedSearch, row: int) -> Explanation:
    """Return what heuristics compare of an element: M, T, F, P and B; see `engine.thesis.heuristics`."""
    elements, matches, here = traced.index.elements, traced.matches, np.array([row])
    end = int(elements.end(here)[0])
    inside = matches.rows[(matches.rows >= row) & (matches.rows < end)]
    details = []
    for term, found in zip(traced.plan.query.wanted, matches.occurrences, strict=True):
        within = (found.rows >= row) & (found.rows < end)
        n_elements, tf = int(within.sum()), int(found.tf[within].sum())
        facts = {"term": str(term), "tf": tf, "elements": n_elements}
        details.append(Explanation("term", float(tf), f"{term}: in {counted(n_elements, 'element')}", facts=facts))
    details += [
        Explanation("match", None, f"match {path}") for path in element_paths(traced.index, inside[:MOST_MATCHES])
    ]
    if len(inside) > MOST_MATCHES:
        details.append(Explanation("matches", None, f"and {len(inside) - MOST_MATCHES:,} more matches"))
    counts: dict[str, int] = {
        "M": len(inside),
        "T": sum(detail.name == "term" and bool(detail.value) for detail in details),
        "F": int(sum(detail.value or 0 for detail in details if detail.name == "term")),
        "P": int(elements.depth(here)[0]),
    }
    ordinals = heuristics.ordinals(elements, here)[0].tolist()
    position, n_candidates = _position(traced, row)
    heuristic = traced.plan.settings.heuristic
    units = {"M": ("match", "matches"), "T": ("term", "terms"), "F": ("occurrence", ""), "P": ("step", "")}
    described = [f"{letter} {counted(counts[letter], *words)}" for letter, words in units.items()]
    description = ", ".join([*described, f"B {'.'.join(map(str, ordinals))}"])
    if position is not None:
        description += f"; number {position:,} of {n_candidates:,} in its article by {heuristic}"
    facts = {**counts, "B": ordinals, "place_in_article": position, "candidates_in_article": n_candidates}
    return Explanation("counts", None, description, tuple(details), facts)


def _position(traced: TracedSearch, row: int) -> tuple[int | None, int]:
    """Return the position of an element among the candidates of its article, from 1, and their number."""
    scored, places = traced.scored, traced.places(row)
    document = traced.index.elements.document(np.array([row]))[0]
    article = int(np.flatnonzero(traced.answers.ranked.documents == document)[0])
    of_article = np.flatnonzero(scored.articles == article)
    if not places:
        return None, len(of_article)
    return int(np.flatnonzero(of_article == places[0])[0]) + 1, len(of_article)
