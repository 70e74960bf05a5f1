"""Qrels: judgements as text, a document a line.

FOL (INEX 2007-2010): ``topic Q0 document rsize size [entry-point offset:length ...]``. Offsets and lengths are
characters of the document's text without tags. A document without passages was judged and is not relevant. Source:
INEX 2007-2010 file format as read by inex_eval 1.0 and 3.1.

TREC: ``topic iteration document relevance``; relevance above 0 is relevant. They judge whole documents: there is no
text to compare with. Source: qrels of TREC, as trec_eval reads them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from engine.errors import AssessmentError
from engine.notices import Notice, about
from engine.query_limits import check_time
from engine.runs.columns import is_natural, is_score
from engine.wording import counted
from eval.judgements.formats.judgements_builder import MOST_CHARACTERS, JudgementsBuilder, character_count, quoted
from eval.judgements.judgements import UNKNOWN, Judgements

EXPECTED = "expected <assessments> files, FOL or TREC qrels"
# The hint for a file that may contain topics.
TOPICS = " Is this a file of topics? 'foxir run' answers these; judgements say which text is relevant to them."
# Judgements of documents without their second column, and the hint for them.
THREE_COLUMNS = re.compile(r"\s*\S+\s+\S+\s+-?\d+\s*")
NO_SECOND = (
    " Are these TREC qrels of three columns, topic, document, grade? Add the second: awk '{print $1, 0, $2, $3}' FILE."
)
# The hint for a file that may be a run.
RUN = " Is this a run? Judgements come first, then runs."
# Judgements between commas or semicolons, and the hint for them.
COMMA_COLUMNS = re.compile(r"[^\s,;]+\s*[,;]\s*[^\s,;]+\s*[,;]\s*[^,;]+([,;]|$)")
COMMAS = " Fields are separated by blanks or tabs, not by commas or semicolons: replace these."


# Characters that are looked at before other threads get their turn; a line has no more.
PART = 1 << 20


def _parts(text: str, source: str) -> Iterator[tuple[int, str]]:
    """Yield parts of whole lines, each with the number of its first line; raises AssessmentError for a longer line."""
    start, line_no = 0, 1
    while start < len(text):
        check_time()
        end = len(text) if len(text) - start <= PART else text.rfind("\n", start, start + PART) + 1
        if not end:
            raise AssessmentError(f"{source}:{line_no}: a line of more than {PART:,} characters, {EXPECTED}.")
        yield line_no, text[start:end]
        line_no += text.count("\n", start, end)
        start = end


def read_fol(text: str, source: str, builders: dict[str, JudgementsBuilder], notices: list[Notice]) -> None:
    """Add every line of FOL qrels to the builder of its topic, and notices of lines that contradict themselves.

    Raises: AssessmentError with the line that is wrong.
    """
    contradictions = Contradictions(source)
    lines = (numbered for first, part in _parts(text, source) for numbered in enumerate(part.split("\n"), first))
    for line_no, line in lines:
        fields = line.split()
        if not fields:
            continue
        where = f"{source}:{line_no}"
        if len(fields) < 5:
            raise AssessmentError(
                f"{where}: found {counted(len(fields), 'field')}, expected 'topic Q0 document rsize size [entry-point "
                f"offset:length ...]'.{_hint(line) if not builders else ''}"
            )
        if not builders and not _is_fol(fields):
            raise AssessmentError(f"{where}: this looks like topics, not judgements.{TOPICS}")
        if not builders and _is_result(fields):
            raise AssessmentError(f"{where}: found a result with rank and rsv, expected FOL or TREC qrels.{RUN}")
        topic, _, document, rsize, size = fields[:5]
        builder = builders.get(topic)
        if builder is None:
            builder = builders[topic] = JudgementsBuilder(topic, "fol", source)
        length, highlighted = character_count(size, where, "document size"), character_count(rsize, where, "rsize")
        builder.document(
            document,
            where,
            length=length,
            highlighted=highlighted,
            entry_point=character_count(fields[5], where, "best entry point") if len(fields) > 5 else UNKNOWN,
        )
        passages = _passage_numbers(fields[6:], where) if len(fields) > 6 else []
        builder.passages(passages, len(passages) // 2)
        contradictions.check(line_no, highlighted, length, passages)
    notices.extend(contradictions.notices())


def _is_fol(fields: Sequence[str]) -> bool:
    """Return whether a first line has the Q0 or one of the two numbers of FOL qrels: words of a query have none."""
    return fields[1].upper() == "Q0" or any(is_natural(field.replace(",", "")) for field in fields[3:5])


def _is_result(fields: Sequence[str]) -> bool:
    """Return whether a line is a result of a run: a rank, an rsv and a run id, which are not all whole numbers."""
    if not 6 <= len(fields) <= 8 or not is_natural(fields[3]) or not is_score(fields[4]):
        return False
    return not all(map(is_natural, fields[4:6])) and not any(map(_is_passage, fields[6:]))


def _hint(line: str) -> str:
    if THREE_COLUMNS.fullmatch(line):
        return NO_SECOND
    return COMMAS if COMMA_COLUMNS.match(line) else TOPICS


def _passage_numbers(passages: list[str], where: str) -> list[int]:
    """Return offset, length, offset, length ... of ``offset:length`` fields."""
    try:
        numbers = [int(number) for passage in passages for number in passage.split(":")]
    except ValueError:
        numbers = []
    together = "".join(passages).replace(":", "")
    are_natural = together.isdigit() and together.isascii() and max(numbers, default=0) <= MOST_CHARACTERS
    if numbers and are_natural and all(passage.count(":") == 1 for passage in passages):
        return numbers
    wrong = next(passage for passage in passages if not _is_passage(passage))
    raise AssessmentError(f"{where}: passage {quoted(wrong)} is not 'offset:length' in characters, e.g. 100:200.")


def _is_passage(text: str) -> bool:
    numbers = text.split(":")
    return len(numbers) == 2 and all(is_natural(number) and int(number) <= MOST_CHARACTERS for number in numbers)


def fol_lines(judgements: Judgements) -> Iterator[str]:
    """Yield the FOL qrels lines of a topic; its passages must have offsets, its documents lengths and entry points.

    Raises: AssessmentError for names that cannot be read back unchanged.
    """
    passages = judgements.passages
    for row, document in enumerate(judgements.documents):
        first, end = judgements.passage_bounds[row : row + 2].tolist()
        spans = [
            f"{start}:{length}"
            for start, length in zip(
                passages.starts[first:end].tolist(), passages.lengths[first:end].tolist(), strict=True
            )
        ]
        fields = [judgements.topic, "Q0", document, str(judgements.highlighted[row]), str(judgements.lengths[row])]
        if spans:
            fields += [str(judgements.entry_points[row]), *spans]
        line = " ".join(fields)
        if line.split() != fields or line.startswith(("<", "\ufeff")):
            raise AssessmentError(
                f"{judgements.source}: FOL qrels cannot represent document {document!r} of topic {judgements.topic!r}: "
                "a name is empty or contains white space, or the line would begin as XML does. Rename it, or write XML."
            )
        yield line


# The codes of the contradictions.
BEYOND, OVERLAP, COUNT = "passages_beyond_document", "overlapping_passages", "wrong_rsize"


class Contradictions:
    """The contradicting lines of one file: of each kind their number, and the first with what it says."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._counts: Counter[str] = Counter()
        self._first: dict[str, Notice] = {}

    def check(self, line: int, rsize: int, size: int, passages: Sequence[int]) -> None:
        """Note whether a line contradicts itself; `passages` are offset, length, offset, length ..."""
        spans = sorted((start, start + length) for start, length in zip(passages[::2], passages[1::2], strict=True))
        spans = [(start, end) for start, end in spans if end > start]
        highlighted = sum(passages[1::2])
        if spans and (last := max(end for _, end in spans)) > size:
            self._note(line, BEYOND, end=last, size=size)
        elif overlapping := next(((a, b) for a, b in pairwise(spans) if b[0] < a[1]), None):
            (start, end), (next_start, next_end) = overlapping
            self._note(line, OVERLAP, start=start, end=end, next_start=next_start, next_end=next_end)
        elif highlighted != rsize:
            self._note(line, COUNT, rsize=rsize, highlighted=highlighted)

    def notices(self) -> Iterator[Notice]:
        """Yield a notice for each kind of contradiction."""
        for kind, count in self._counts.items():
            yield Notice("contradicting_lines", {"first": self._first[kind], "lines": count}, "doubt")

    def _note(self, line: int, kind: str, **found: int) -> None:
        self._counts[kind] += 1
        self._first.setdefault(kind, about(f"{self._source}:{line}", Notice(kind, found)))


N_FIELDS = 4
RELEVANCE = re.compile(r"[+-]?[0-9]{1,6}")  # trec_eval has an array with a place for each


def first_trec_line(text: str) -> int:
    """Return the number of the first line with text if it has the four fields of TREC qrels, else 0.

    >>> first_trec_line("\\n1 0 a 1"), first_trec_line("1 0 a")
    (2, 0)
    """
    first = re.search(r"\S[^\n]*", text)
    if first is None or len(first[0].split(None, N_FIELDS)) != N_FIELDS:
        return 0
    return text.count("\n", 0, first.start()) + 1


def read_trec(text: str, source: str, builders: dict[str, JudgementsBuilder]) -> None:
    """Add every line of TREC qrels to the builder of its topic; `highlighted` is the relevance.

    A negative relevance says that a document is not judged, as trec_eval reads it.

    Raises: AssessmentError that names the line that is wrong.
    """
    for first, part in _parts(text, source):
        _read_trec_part(part, first, source, builders)


def _read_trec_part(text: str, first: int, source: str, builders: dict[str, JudgementsBuilder]) -> None:
    widths = [len(line.split()) for line in text.split("\n")]
    lines = [number for number, width in enumerate(widths, first) if width]
    for line in lines:
        if widths[line - first] != N_FIELDS:
            raise AssessmentError(
                f"{source}:{line}: found {counted(widths[line - first], 'field')}, expected 'topic iteration document "
                "relevance' as in the first line (TREC qrels)."
            )
    values = text.split()
    topics, documents, relevance = (values[column::N_FIELDS] for column in (0, 2, 3))
    if wrong := {each for each in set(relevance) if not RELEVANCE.fullmatch(each)}:
        line, value = next((line, each) for line, each in zip(lines, relevance, strict=True) if each in wrong)
        raise AssessmentError(
            f"{source}:{line}: relevance {quoted(value)}: expected a whole number of six digits at most, such as 1."
        )
    places, gains = [f"{source}:{line}" for line in lines], list(map(int, relevance))
    for topic, group in groupby(range(len(lines)), topics.__getitem__):
        rows = list(group)
        builder = builders.get(topic)
        if builder is None:
            builder = builders[topic] = JudgementsBuilder(topic, "trec", source)
        judged = [row for row in rows if gains[row] >= 0]
        names, where = ([column[row] for row in judged] for column in (documents, places))
        builder.documents(names, where, [gains[row] for row in judged])
        if len(judged) < len(rows):
            builder.pooled.update(documents[row] for row in rows if gains[row] < 0)
