"""TREC qrels: ``topic iteration document relevance``, a document a line; relevance above 0 is relevant.

Source: qrels of TREC, as trec_eval reads them. They judge whole documents: there is no text to compare with.
"""

from __future__ import annotations

import re

from engine.errors import AssessmentError
from engine.wording import counted
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.formats.number_fields import quoted

N_FIELDS = 4
RELEVANCE = re.compile(r"[+-]?[0-9]{1,9}")


def first_trec_line(text: str) -> int:
    """Return the number of the first line that is not blank if it has the four fields of TREC qrels, else 0.

    >>> first_trec_line("\\n1 0 a 1"), first_trec_line("1 0 a")
    (2, 0)
    """
    first = re.search(r"\S[^\n]*", text)
    if first is None or len(first[0].split()) != N_FIELDS:
        return 0
    return text.count("\n", 0, first.start()) + 1


def read_trec(text: str, source: str, builders: dict[str, JudgementsBuilder]) -> None:
    """Add every line of TREC qrels to the builder of its topic; `highlighted` is the relevance, at least 0.

    Raises: AssessmentError that names the line that is wrong.
    """
    for line_no, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if not fields:
            continue
        where = f"{source}:{line_no}"
        if len(fields) != N_FIELDS:
            raise AssessmentError(
                f"{where}: found {counted(len(fields), 'field')}, expected 'topic iteration document relevance' "
                "as in the first line (TREC qrels)."
            )
        topic, _, document, relevance = fields
        if not RELEVANCE.fullmatch(relevance):
            raise AssessmentError(f"{where}: relevance {quoted(relevance)}: expected a whole number, such as 0 or 1.")
        builder = builders.get(topic)
        if builder is None:
            builder = builders[topic] = JudgementsBuilder(topic, "trec", source)
        builder.document(document, where, highlighted=max(int(relevance), 0))
