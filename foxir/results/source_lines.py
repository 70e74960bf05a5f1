"""File and line of answers, read from the sources of an index."""

from __future__ import annotations

from typing import NamedTuple

from engine.errors import CollectionError
from engine.presentation.source_documents import SourceDocuments
from engine.wording import counted
from foxir.results.answers import Answers


class SourcePlace(NamedTuple):
    """A line of a file, from 1."""

    file: str
    line: int


def source_lines(answers: Answers) -> tuple[list[SourcePlace | None], str]:
    """Return where each answer begins in its source, None where the source has changed, and a message on these.

    An element begins with its tag, a passage with its text. The message is "" if all places are known.
    """
    places: list[SourcePlace | None] = []
    problems: dict[str, str] = {}
    if not answers:
        return places, ""
    with SourceDocuments(answers.reader) as sources:
        for answer in answers:
            try:
                source = sources.document(answer.element.number)
                is_passage = answer.sentences is not None
                line = source.line_of_text(answer.start) if is_passage else source.line(answer.element.row)
            except CollectionError as error:
                problems[answer.document] = str(error)
                places.append(None)
            else:
                places.append(SourcePlace(source.file, line))
    if not problems:
        return places, ""
    more = f" {counted(len(problems) - 1, 'more document')} likewise." if len(problems) > 1 else ""
    return places, f"no line: {next(iter(problems.values()))}{more}"
