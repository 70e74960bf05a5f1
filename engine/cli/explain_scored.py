"""The explanation of a scored element as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.cli.console import counted, times
from engine.scoring.course import sentences_in_words

MOST_LEAVES = 5  # that are shown; `--json` has all


def scored_lines(explanation: dict[str, Any]) -> Iterator[str]:
    """Yield the parts of a score, then the passages of a leaf, then how the elements around it fared."""
    element = explanation["element"]
    if element["score"] is not None:
        yield from _own(element)
        yield "its score as an element:" if "passages" in explanation else "score:"
        yield from _sum(element)
    if passages := explanation.get("passages"):
        yield from _passages(passages, explanation["n_passages"])
    if explanation["around"]:
        yield "around it:"
    for other in explanation["around"]:
        yield f"  {other['score']:10.6f}  {other['relation']}, {counted(other['words'], 'word')}: {other['path']}"
        yield f"              {other['standing']}"


def _own(element: dict[str, Any]) -> Iterator[str]:
    shortness = (
        ""
        if element["block"] is None or element["words"] >= element["block"]
        else (f", which count as {element['block']:.1f} (block)")
    )
    yield f"element: {element['scoring']} {element['own']:.6f}; {counted(element['words'], 'word')}{shortness}"
    for term in element["terms"] or ():
        yield f"  {term['part']:+.6f}  {term['term']}: {times(term['tf'])} here"
    if element["addend"] is not None:
        yield f"  {element['addend']:+.6f}  the element's length"
    leaves = element["leaves"] or ()
    for leaf in leaves[:MOST_LEAVES]:
        yield f"  {leaf['part']:+.6f}  {leaf['path']}, which scores {leaf['score']:.6f}"
    if len(leaves) > MOST_LEAVES:
        rest = sum(leaf["part"] for leaf in leaves[MOST_LEAVES:])
        yield f"  {rest:+.6f}  {len(leaves) - MOST_LEAVES} more leaves"
    for name, share in (element["fused"] or {}).items():
        whose = "its document's score" if name == "document" else "its own"
        of_best = f"{share['score']:.6f} of {share['best']:.6f}, the best"
        yield f"  {share['part']:+.6f}  {share['weight']:g} x {of_best}: {whose}"


def _sum(element: dict[str, Any]) -> Iterator[str]:
    for number, part in enumerate(element["context"]):
        weight = f"{part['weight']:g} x " if number else ""
        full = "" if part["fullness"] == 1 else f" x {part['fullness']:.3f} full"
        name = part["path"] if number else "its own"
        yield f"  {part['part']:+.6f}  {weight}{part['own']:.6f}{full}: {name}"
    article = element["article_part"]
    yield f"  {article['part']:+.6f}  {article['weight']:g} x {article['score']:.6f}: the article"
    yield f"  {element['score']:.6f}  together"


def _passages(passages: list[dict[str, Any]], n_passages: int) -> Iterator[str]:
    best = passages[0]
    around = f"leaf {best['leaf_part']:.6f} + article {best['article_part']:.6f}"
    yield f"passages, each score = own + {around}:"
    for passage in passages:
        yield (
            f"  {passage['score']:10.6f}  own {passage['own']:.6f}: {sentences_in_words(*passage['sentences'])}, "
            f"{counted(passage['words'], 'word')}, characters {passage['start']}-{passage['end']}"
        )
        if passage["terms"]:
            parts = ", ".join(f"{term['part']:+.6f} {term['term']} {times(term['tf'])}" for term in passage["terms"])
            yield f"              {parts}"
        yield f"              {passage['standing']}"
    if n_passages > len(passages):
        yield f"  ... {n_passages - len(passages)} more"
