"""Results as elements: the path of each result, for measures that judge elements."""

from engine.errors import MeasureError
from engine.runs import Ranking
from eval.assessments import Judgements
from eval.paths import root

DOCUMENT = ""
"""Stands for the root of a document whose root element nobody names."""


def element_paths(ranking: Ranking, judgements: Judgements, family: str) -> list[str]:
    """Return the path of every result; a result that names a document and no place is the root element.

    Raises: MeasureError for a result that is given by its place in the text only.
    """
    return [
        path if path is not None else _root_path(ranking, i, judgements, family) for i, path in enumerate(ranking.paths)
    ]


def _root_path(ranking: Ranking, i: int, judgements: Judgements, family: str) -> str:
    if ranking.starts[i] >= 0 or i in ranking.pointers:
        raise MeasureError(
            f"{ranking.place(i)}: the result is given by its place in the text; {family} judges elements and needs "
            f"paths. 'foxir convert RUN --to inex --index INDEX' finds them."
        )
    document = ranking.documents[i]
    row = judgements.row_of_document.get(document)
    first, end = (0, 0) if row is None else judgements.element_bounds[row : row + 2].tolist()
    if first < end:
        return root(judgements.elements.paths[first])
    others = zip(ranking.documents, ranking.paths, strict=True)
    return next((root(path) for name, path in others if name == document and path is not None), DOCUMENT)


def element_rows(ranking: Ranking, paths: list[str], judgements: Judgements) -> list[int]:
    """Return the row of every result among the judged elements, -1 for one not judged."""
    rows = judgements.row_of_element
    return [rows.get(place, -1) for place in zip(ranking.documents, paths, strict=True)]
