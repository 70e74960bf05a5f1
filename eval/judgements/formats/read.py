"""Reads judgements of any format from a file or a folder."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import AssessmentError
from engine.notices import Notice, about
from engine.query_limits import NUMBER, reserve
from engine.system.input_files import begins_as_xml, read_input
from eval.judgements.formats.inex_xml import parse, read_xml
from eval.judgements.formats.judgements_builder import JudgementsBuilder
from eval.judgements.formats.qrels import EXPECTED, RUN, TOPICS, first_trec_line, read_fol, read_trec
from eval.judgements.judgements import Assessments

# The file of judgements in a folder of those made from quotes.
QRELS = "qrels.txt"
# Bytes that are taken for a byte of a file while it is read: for its lines and fields, or its tree.
LINES, TREE = 16, 32


# Root elements of other files -> the hint in the message.
_OTHERS = {
    "inex-submission": RUN,
    **dict.fromkeys(("inex_topic", "inex-topic", "inex-topic-file", "topics", "topic", "top"), TOPICS),
}


def read_assessments(path: str | Path, *, may_judge_documents: bool = False) -> Assessments:
    """Return the judgements in a file, or in all XML files below a folder, or in `qrels.txt` of a folder without any.

    A file is INEX XML (2002 to 2007, one topic) or FOL qrels (2007 to 2010, many topics), gzipped or not; the format is
    recognised by its content. Other XML files in a folder are skipped with a notice; lines of FOL qrels that contradict
    themselves are read with a notice.

    Args:
        may_judge_documents: whether TREC qrels, which judge whole documents and no text, are read too.

    Raises: AssessmentError, with file and line, for anything that cannot be read, for a document judged twice, and
        where scales are mixed.
    """
    path = Path(path)
    builders: dict[str, JudgementsBuilder] = {}
    notices: list[Notice] = []
    for file in _files(path):
        content = _content(file)
        is_xml = begins_as_xml(content)
        taken = len(content) * (TREE if is_xml else LINES) // NUMBER
        reserve(taken)
        if not is_xml:
            text = _text(content, file)
            trec_line = first_trec_line(text)
            if trec_line and not may_judge_documents:
                raise AssessmentError(about(f"{file}:{trec_line}", Notice("documents_judged")))
            if trec_line:
                read_trec(text, str(file), builders)
            else:
                read_fol(text, str(file), builders, notices)
            reserve(-taken)
            continue
        if not path.is_dir() and content.lstrip().startswith(b"<top>"):  # TREC topics, no XML: tags without ends
            raise AssessmentError(f"{file}:1: found <top>, {EXPECTED}.{TOPICS}")
        root = parse(content, str(file))
        if root.tag == "assessments":
            read_xml(root, str(file), builders, notices)
        elif path.is_dir():
            notices.append(about(str(file), Notice("no_assessments", {"root": root.tag}, "exclusion")))
        else:
            raise AssessmentError(
                f"{file}:{root.sourceline}: found <{root.tag}>, expected <assessments>, FOL or TREC qrels."
                + _OTHERS.get(str(root.tag), "")
            )
        del root
        reserve(-taken)
    if not builders:
        raise AssessmentError(f"{path}: no judgements found; {EXPECTED}.")
    scales = {builder.scale: builder.source for builder in builders.values()}
    if len(scales) > 1:
        found = ", ".join(f"{scale} in {source}" for scale, source in sorted(scales.items()))
        raise AssessmentError(f"{path}: judgements on different scales ({found}); give each scale on its own.")
    return Assessments(
        source=str(path),
        scale=next(iter(scales)),
        topics={topic: builder.build() for topic, builder in builders.items()},
        notices=tuple(notices),
    )


def _files(path: Path) -> list[Path]:
    """Return the file itself, or the XML files below a folder in the order of their names, else its qrels."""
    if not os.path.isdir(path):
        return [path]
    entries = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    files = sorted(each for each in entries if each.name.endswith((".xml", ".xml.gz")) and os.path.isfile(each))
    if not files and not os.path.isfile(path / QRELS):
        raise AssessmentError(f"{path}: no .xml or .xml.gz file in this folder, nor {QRELS}; expected one of these.")
    return files or [path / QRELS]


def _content(file: Path) -> bytes:
    try:
        return read_input(file, unpacks=True)
    except OSError as error:
        raise AssessmentError(
            f"{file}: cannot be read: {error.strerror}. Expected judgements, plain or gzip."
        ) from None


def _text(content: bytes, file: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_no = content.count(b"\n", 0, error.start) + 1
        raise AssessmentError(
            f"{file}:{line_no}: byte {error.object[error.start]:#04x} is not UTF-8: {EXPECTED}."
        ) from None
