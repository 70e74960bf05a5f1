"""Overlap of the results of a topic: four indicators over the set of returned elements.

Source: Pehcevski, thesis, appendix B; O-overlap: INEX 2004; P-overlap: Hiemstra & Mihajlovic, 2005.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.runs import Ranking
from eval.judgements.judgements import Judgements
from eval.measures.registry import MeasureValues, measure
from eval.text.element_locator import ElementLocator
from eval.text.offsets import element_paths
from eval.text.paths import ancestors


@measure(
    "overlap",
    line="overlap among the results, in percent, independent of relevance",
    formula="O: elements that contain or are contained in another; A: that contain another; D: that are contained in "
    "another; each as a share of all. P: pairs of overlapping elements / n(n - 1)/2; means over answered topics",
    source="Pehcevski, thesis, appendix B; Hiemstra & Mihajlovic, 2005 (P)",
    options={},
)
def overlap(ranking: Ranking, judgements: Judgements, locator: ElementLocator | None = None) -> MeasureValues:
    """Return O, A, D and P of the results of one topic, in percent; a result given twice is one element.

    All None without results: the mean is over the topics that the run answers.
    """
    if not len(ranking):
        return dict.fromkeys("OADP")
    paths = element_paths(ranking, judgements, "overlap")
    return overlap_indicators(zip(ranking.documents, paths, strict=True))


def overlap_indicators(places: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return O, A, D and P, in percent, of a set of elements given as (document, path); 0 where there is no pair.

    >>> overlap_indicators([("d", "/a[1]"), ("d", "/a[1]/s[1]"), ("d", "/a[1]/s[11]")])
    {'O': 100.0, 'A': 33.333333333333336, 'D': 66.66666666666667, 'P': 66.66666666666667}
    """
    elements = set(places)
    n = len(elements)
    containing: set[tuple[str, str]] = set()
    contained: Counter[tuple[str, str]] = Counter()
    for document, path in elements:
        around = [place for above in ancestors(path) if (place := (document, above)) in elements]
        containing.update(around)
        if around:
            contained[document, path] = len(around)
    n_pairs = n * (n - 1) / 2
    return {
        "O": _percent(len(containing | contained.keys()), n),
        "A": _percent(len(containing), n),
        "D": _percent(len(contained), n),
        "P": _percent(contained.total(), n_pairs),
    }


def _percent(part: int, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
