"""The plain TREC format: six columns, a line ranks a document."""

from collections.abc import Iterator

from engine.runs.run import Run
from engine.runs.text import text_line


def trec_lines(run: Run) -> Iterator[str]:
    """Yield the lines of a run of documents: of each document the first result only, ranked 1, 2, 3 ... anew.

    The format knows no element and no comment: places, description and settings stay behind.
    """
    for topic, ranking in run.rankings.items():
        firsts: dict[str, float] = {}
        for document, rsv in zip(ranking.documents, ranking.rsv.tolist(), strict=True):
            firsts.setdefault(document, rsv)
        for rank, (document, rsv) in enumerate(firsts.items(), 1):
            yield text_line(topic, document, rank, rsv, run.run_id)
