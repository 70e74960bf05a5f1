"""How much judged elements overlap.

Source: Pehcevski, thesis, appendix B, tables B.2 and B.3: O, A, D and P overlap in percent, summarised over topics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.assessments import Judgements
from eval.geometry import BoolArray
from eval.measures.overlap_indicators import overlap_indicators
from eval.relevance_tables.summary import Summary, summary
from eval.sheets import Column, Sheet

INDICATORS = ("O", "A", "D", "P")


@dataclass(frozen=True)
class OverlapTable:
    """The four indicators over the topics that have any of these elements."""

    title: str
    n_topics: int
    indicators: Mapping[str, Summary]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"title", "topics", "O", "A", "D", "P"}``."""
        return {
            "title": self.title,
            "topics": self.n_topics,
            **{name: found.to_dict() for name, found in self.indicators.items()},
        }

    def sheet(self) -> Sheet:
        """Return one column an indicator."""
        values = {name: found.rows() for name, found in self.indicators.items()}
        names = [name for name, _ in values["O"]]
        return Sheet.of(
            self.title,
            ["value", *(Column(f"{name} (%)", 2) for name in INDICATORS)],
            [[name, *(values[indicator][i][1] for indicator in INDICATORS)] for i, name in enumerate(names)],
            notes=[f"{self.n_topics} topics"],
        )


def overlap_table(title: str, topics: Sequence[Judgements], chosen: Sequence[BoolArray]) -> OverlapTable:
    """Return the overlap among the chosen elements of each topic, summarised; topics without any are left out."""
    found = []
    for judgements, mask in zip(topics, chosen, strict=True):
        rows = np.flatnonzero(mask).tolist()
        if rows:
            documents = judgements.elements.document_rows
            found.append(
                overlap_indicators((judgements.documents[documents[i]], judgements.elements.paths[i]) for i in rows)
            )
    return OverlapTable(title, len(found), {name: summary(topic[name] for topic in found) for name in INDICATORS})
