"""What can be scored without an index, for the message that a measure needs one."""

from __future__ import annotations

from engine.runs import Ranking
from eval.judgements import Judgements
from eval.text.offsets import results_without_offsets


def measures_without_index(ranking: Ranking, judgements: Judgements) -> str:
    """Return a sentence with the measures that need no index for a ranking and its judgements."""
    passages = judgements.passages
    are_passages = not len(judgements.elements) and bool(((passages.starts >= 0) & (passages.lengths >= 0)).all())
    if are_passages and ranking.documents and not results_without_offsets(ranking):
        return "Without one, --measures hixeval with --alpha 1 scores passages, --measures trec scores whole documents."
    return "Without one, --measures trec scores whole documents."
