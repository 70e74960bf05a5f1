"""Overlap among judged elements.

Source: Pehcevski, thesis, appendix B, tables B.2 and B.3: O, A, D and P overlap in percent, summarised over topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.arrays import BoolArray
from eval.judgements.judgements import Judgements
from eval.judgements.relevance_tables.summary_statistics import SummaryStatistics, summary
from eval.measures.overlap_indicators import overlap_indicators
from eval.output.tables import Column, PrintedTable

INDICATORS = ("O", "A", "D", "P")


@dataclass(frozen=True)
class OverlapTable:
    """The four overlap indicators over the topics with such elements."""

    title: str
    n_topics: int
    indicators: Mapping[str, SummaryStatistics]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"title", "topics", "O", "A", "D", "P"}``."""
        return {
            "title": self.title,
            "topics": self.n_topics,
            **{name: found.to_dict() for name, found in self.indicators.items()},
        }

    def table(self) -> PrintedTable:
        """Return a column for each indicator."""
        values = {name: found.rows() for name, found in self.indicators.items()}
        names = [name for name, _ in values["O"]]
        return PrintedTable.of(
            self.title,
            ["value", *(Column(f"{name} (%)", 2) for name in INDICATORS)],
            [[name, *(values[indicator][i][1] for indicator in INDICATORS)] for i, name in enumerate(names)],
            notes=[f"{self.n_topics} topics"],
        )


def overlap_table(title: str, topics: Sequence[Judgements], chosen: Sequence[BoolArray]) -> OverlapTable:
    """Return the overlap among the chosen elements of each topic, summarised over the topics that have any."""
    found = []
    for judgements, mask in zip(topics, chosen, strict=True):
        rows = np.flatnonzero(mask).tolist()
        if rows:
            documents = judgements.elements.document_rows
            found.append(
                overlap_indicators((judgements.documents[documents[i]], judgements.elements.paths[i]) for i in rows)
            )
    return OverlapTable(title, len(found), {name: summary(topic[name] for topic in found) for name in INDICATORS})
