"""Judgements from quotes, of which a question, a document and a passage of it are known; and quotes from judgements."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import AssessmentError, QueryError
from engine.notices import Notice
from engine.system.files import replace_file, unwritable
from engine.system.input_files import read_small_text
from engine.topics import Topic
from engine.wording import shortened
from eval import Assessments
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.quotes import How, QuotedText, merged
from foxir import arguments
from foxir.arguments import PathLike
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput
from foxir.searching.opened_index import Index, open_index
from foxir.searching.topic_input import TopicsInput, topics_of

NAMES: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "id", "qid", "_id", "query_id", "topic_id"),
    "question": ("question", "query", "title", "user_input"),
    "document": ("document", "doc", "docid", "doc_id", "docno", "document_id", "corpus_id", "file"),
    "quote": ("quote", "quotes", "passage", "evidence", "excerpt", "highlight", "reference", "references"),
}
NEEDED = ("question", "document", "quote")
# Characters of a quote in a notice.
MOST_SHOWN = 60


class Quote(NamedTuple):
    """A quote of a document that answers a question. line: of its file, 0 for one made in memory."""

    question: str
    document: str
    quote: str
    topic: str = ""
    line: int = 0


@dataclass(frozen=True)
class QuotedJudgements:
    """Judgements made of quotes. found: how many quotes by how they were found. notices: of those not found exactly."""

    assessments: Assessments
    topics: Sequence[Topic]
    found: Mapping[How, int]
    missing: int
    notices: Sequence[Notice] = field(default=())


def read_quotes(path: PathLike) -> list[Quote]:
    """Return the quotes in a file: CSV or TSV with a header, or JSON with an object a line, or an array of them.

    A field `quote` may be a list of several. Fields have any of `NAMES`.

    Raises: AssessmentError with file and line.
    """
    file = arguments.path("path", path)
    try:
        text = read_small_text(file)
    except OSError as error:
        raise AssessmentError(f"{file}: cannot be read: {error.strerror}. Expected quotes, as CSV or JSON.") from None
    records = _json_records(text, str(file)) if text.lstrip()[:1] in ("{", "[") else _table_records(text, str(file))
    found = [quote for line, record in records for quote in _quotes(record, f"{file}:{line}", line)]
    if not found:
        raise AssessmentError(f"{file}: no quotes: expected question, document and quote in each line.")
    return found


def _json_records(text: str, file: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    lines = enumerate(text.split("\n"), 1)
    given = [(1, text)] if text.lstrip().startswith("[") else [(n, line) for n, line in lines if line.strip()]
    for line, each in given:
        try:
            value = json.loads(each)
        except (ValueError, RecursionError) as error:
            raise AssessmentError(f"{file}:{line}: no JSON ({error}): expected an object in each line.") from None
        for record in value if isinstance(value, list) else [value]:
            if not isinstance(record, dict):
                raise AssessmentError(f"{file}:{line}: expected an object with question, document and quote.")
            yield line, record


def _table_records(text: str, file: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    header = text.partition("\n")[0]
    separator = max("\t;,", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = [name.strip() for name in row]
                continue
            if len(row) != len(names):
                raise AssessmentError(
                    f"{file}:{rows.line_num}: {len(row)} columns where the header has {len(names)}: a text that "
                    f"contains {separator!r} needs quotation marks."
                )
            yield rows.line_num, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise AssessmentError(f"{file}:{rows.line_num}: not CSV ({error}).") from None


def _quotes(record: Mapping[str, Any], place: str, line: int) -> Iterator[Quote]:
    by_name = {name.strip().lower().replace("-", "_").replace(" ", "_"): value for name, value in record.items()}
    given = {key: next((by_name[name] for name in names if name in by_name), "") for key, names in NAMES.items()}
    given = {key: "" if value is None else value for key, value in given.items()}
    texts = (given["quote"] or [""]) if isinstance(given["quote"], list) else [given["quote"]]
    missing = [key for key in NEEDED if by_name.keys().isdisjoint(NAMES[key])]
    missing += ["quote"] if not all(isinstance(text, str) for text in texts) else []
    if missing:
        raise AssessmentError(
            f"{place}: no {missing[0]}: expected question, document and quote; the fields here are "
            f"{', '.join(map(str, record))}."
        )
    question, document, topic = (" ".join(str(given[key]).split()) for key in ("question", "document", "topic"))
    for text in texts:
        yield Quote(question, document, text, topic, line)


def judge_quotes(quotes: PathLike | Sequence[Quote], index: Index | PathLike) -> QuotedJudgements:
    """Return the judgements in which quotes are highlighted, and the questions as topics.

    A quote is found exactly, else by its words (white space, punctuation and case do not count), else nearly, in the
    passage that has most of its words in their order. Topics without an id are numbered from 1 in their order.

    Args:
        quotes: or the file of them, as `read_quotes` reads it.
    Raises: AssessmentError for a file that cannot be read, and where no quote is found; IndexFormatError.
    """
    given = _given(quotes)
    source = str(quotes) if isinstance(quotes, str | Path) else "quotes"
    opened = _opened(index)
    texts: dict[str, QuotedText | QueryError] = {}
    spans: dict[str, dict[str, list[tuple[int, int]]]] = {}
    questions: dict[str, str] = {}
    counts: dict[How, int] = {"exact": 0, "words": 0, "nearly": 0}
    notices: list[Notice] = []
    for each in given:
        if empty := [name for name in NEEDED if not getattr(each, name).strip()]:
            where = f"{source}:{each.line}" if each.line else source
            notices.append(Notice("quote_incomplete", {"line": where, "missing": empty[0]}, "exclusion"))
            continue
        topic = each.topic or questions.setdefault(each.question, str(len(questions) + 1))
        questions.setdefault(each.question, topic)
        about = {"line": f"{source}:{each.line}" if each.line else source, "quote": shortened(each.quote, MOST_SHOWN)}
        if each.document not in texts:
            texts[each.document] = _text(opened, each.document)
        text = texts[each.document]
        if isinstance(text, QueryError):
            notices.append(Notice("quote_of_no_document", {**about, "reason": str(text)}, "exclusion"))
            continue
        found = text.find(each.quote)
        if found is None:
            notices.append(Notice("quote_not_found", {**about, "document": each.document}, "exclusion"))
            continue
        counts[found.how] += 1
        spans.setdefault(topic, {}).setdefault(each.document, []).append((found.start, found.end))
        if found.how == "nearly":
            passage = shortened(" ".join(text.text[found.start : found.end].split()), MOST_SHOWN)
            notices.append(Notice("quote_nearly", {**about, "passage": passage, "shared": round(100 * found.shared)}))
        elif found.times > 1:
            notices.append(Notice("quote_several_times", {**about, "times": found.times}))
    if not spans:
        first = f": {notices[0]}" if notices else ""
        raise AssessmentError(f"{source}: none of {len(given)} quotes is found{first}.")
    lengths = {name: len(text.text) for name, text in texts.items() if isinstance(text, QuotedText)}
    judged = {topic: _built(topic, documents, lengths, source).build() for topic, documents in spans.items()}
    topics = [Topic(topic, "CO", title=question) for question, topic in questions.items() if topic in spans]
    missing = len(given) - sum(counts.values())
    return QuotedJudgements(Assessments(source, "fol", judged), topics, counts, missing, notices)


def _given(quotes: object) -> Sequence[Quote]:
    if isinstance(quotes, str) or hasattr(quotes, "__fspath__"):
        return read_quotes(arguments.path("quotes", quotes))
    each = arguments.items("quotes", quotes, "quotes, or the file that contains them")
    return [arguments.instance(f"quotes[{n}]", quote, Quote) for n, quote in enumerate(each)]


def _opened(index: object) -> Index:
    return index if isinstance(index, Index) else open_index(arguments.path("index", index))


def _text(index: Index, document: str) -> QuotedText | QueryError:
    try:
        return QuotedText(index.text(document))
    except QueryError as error:
        return error


def _built(
    topic: str, documents: Mapping[str, list[tuple[int, int]]], lengths: Mapping[str, int], source: str
) -> JudgementsBuilder:
    builder = JudgementsBuilder(topic, "fol", source)
    for document, found in documents.items():
        spans = merged(found)
        highlighted = sum(end - start for start, end in spans)
        where = f"{source}: topic {topic}"
        builder.document(document, where, length=lengths[document], highlighted=highlighted, entry_point=spans[0][0])
        for start, end in spans:
            builder.passage(start, end - start)
    return builder


def quotes_of(assessments: AssessmentsInput, topics: TopicsInput, index: Index | PathLike) -> list[Quote]:
    """Return the highlighted passages as quotes, with the titles of their topics; documents of others are left out.

    Raises: AssessmentError where passages have no offsets; TopicError, IndexFormatError.
    """
    judged = inputs.assessments_of(assessments)
    opened = _opened(index)
    titles = {topic.topic_id: topic.title or topic.castitle for topic in topics_of(topics)}
    found: list[Quote] = []
    for topic, judgements in judged.topics.items():
        passages = judgements.passages
        if (passages.starts < 0).any():
            raise AssessmentError(f"{judgements.source}: topic {topic}: passages have no offsets: give FOL qrels.")
        columns = passages.document_rows.tolist(), passages.starts.tolist(), passages.lengths.tolist()
        for row, start, length in zip(*columns, strict=True):
            document = judgements.documents[row]
            if topic in titles and document in opened:
                found.append(Quote(titles[topic], document, opened.text(document)[start : start + length], topic))
    return found


def write_quotes(quotes: Sequence[Quote], path: PathLike) -> None:
    """Write quotes as JSON, an object a line, or as CSV where the name ends so; `read_quotes` reads both.

    Raises: AssessmentError.
    """
    target = arguments.path("path", path)
    quotes = [
        arguments.instance(f"quotes[{n}]", each, Quote)
        for n, each in enumerate(arguments.items("quotes", quotes, "quotes"))
    ]
    names = ("topic", "question", "document", "quote")
    rows = [{name: getattr(each, name) for name in names} for each in quotes]
    stream = io.StringIO()
    if target.suffix.lower() == ".csv":
        table = csv.DictWriter(stream, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    else:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        replace_file(target, stream.getvalue().encode())
    except OSError as error:
        raise AssessmentError(unwritable(target, error)) from None


def topics_table(topics: Sequence[Topic]) -> str:
    """Return topics as CSV with the columns qid and query, which `read_topics` reads."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(("qid", "query"))
    table.writerows((topic.topic_id, topic.title) for topic in topics)
    return stream.getvalue()
