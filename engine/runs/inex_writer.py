"""Writes the XML submissions of INEX 2003-2008."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from engine.errors import RunFormatError
from engine.runs.description import whole_description
from engine.runs.run import NOWHERE, Ranking, Run

# Characters that XML 1.0 does not allow (fifth edition, production 2).
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Characters that are escaped in the text of an element.
ESCAPED = re.compile(r"[&<>\r]")


def inex_lines(run: Run) -> Iterator[str]:
    """Yield the XML of a run in pieces of whole lines.

    An element is written as `<path>`, a passage between pointers as `<passage>`, a passage by offsets as `<fol>`
    (without length: a best entry point), any other result as its document alone.

    Raises: RunFormatError if a text contains a character that XML does not allow, or a name is empty or padded with
        blanks.
    """
    for part in _parts(run):
        if not part.replace("\n", "").isprintable() and (bad := NOT_XML.search(part)):  # the first test is faster
            line = part[part.rfind("\n", 0, bad.start()) + 1 :].strip().partition("\n")[0]
            raise RunFormatError(f"run {run.run_id!r}: {bad[0]!r} in {line[:60]!r} is not allowed in XML: remove it.")
        yield part


def _parts(run: Run) -> Iterator[str]:
    head = {
        "participant-id": run.participant,
        "run-id": run.run_id,
        "task": run.task,
        "query": run.query,
        "result-type": _result_type(run),
    }
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<inex-submission{_attributes(head)}>\n"
    if run.topic_fields:
        yield f" <topic-fields{_attributes(run.topic_fields)}/>\n"
    yield f" <description>{_text(whole_description(run.description, run.settings))}</description>\n"
    yield " <collections>\n"
    for collection in run.collections:
        yield f"  <collection>{_text(collection)}</collection>\n"
    yield " </collections>\n"
    for ranking in run.rankings.values():
        yield f" <topic topic-id={quoteattr(_name(ranking.topic, 'topic', run))}>\n"
        yield "".join(_plain_results(ranking) or _results(ranking, run))
        yield " </topic>\n"
    yield "</inex-submission>\n"


def _plain_results(ranking: Ranking) -> list[str]:
    """Return the lines of a ranking of paths without blanks and escaped characters, checked together; [] of another."""
    documents, paths = ranking.documents, [path for path in ranking.paths if path is not None]
    texts = [*dict.fromkeys(documents), *paths]
    joined = "\n".join(texts)
    if len(paths) < len(ranking.paths) or joined.split() != texts or ESCAPED.search(joined):
        return []
    columns = zip(documents, paths, ranking.ranks.tolist(), ranking.rsv.tolist(), strict=True)
    return [
        f"  <result><file>{document}</file><path>{path}</path><rank>{rank}</rank><rsv>{rsv!r}</rsv></result>\n"
        for document, path, rank, rsv in columns
    ]


def _results(ranking: Ranking, run: Run) -> Iterator[str]:
    starts, lengths = ranking.starts.tolist(), ranking.lengths.tolist()
    files = {document: _text(_name(document, "document", run)) for document in dict.fromkeys(ranking.documents)}
    columns = zip(ranking.documents, ranking.paths, ranking.ranks.tolist(), ranking.rsv.tolist(), strict=True)
    for i, (document, path, rank, rsv) in enumerate(columns):
        if path is not None:
            place = f"<path>{_text(_name(path, 'path', run))}</path>"
        elif i in ranking.pointers:
            start, end = ranking.pointers[i]
            place = f"<passage{_attributes({'start': start, 'end': end})}/>"
        else:
            offsets = {"offset": starts[i], "length": lengths[i]}
            given = {name: str(value) for name, value in offsets.items() if value != NOWHERE}
            place = f"<fol{_attributes(given)}/>" if given else ""
        yield f"  <result><file>{files[document]}</file>{place}<rank>{rank}</rank><rsv>{rsv!r}</rsv></result>\n"


def _result_type(run: Run) -> str:
    """Return the result type of INEX 2007-2008: element, passage or fol; element for a mixture."""
    rankings = run.rankings.values()
    if any(path is not None for ranking in rankings for path in ranking.paths):
        return "element"
    if any(ranking.pointers for ranking in rankings):
        return "passage"
    return "fol" if any((ranking.starts != NOWHERE).any() for ranking in rankings) else "element"


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _text(text: str) -> str:
    return escape(text, {"\r": "&#13;"}) if ESCAPED.search(text) else text


def _name(name: str, what: str, run: Run) -> str:
    if not name or name != name.strip():
        raise RunFormatError(f"run {run.run_id!r}: {what} {name!r} is empty or begins or ends with a blank.")
    return name
