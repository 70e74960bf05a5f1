"""What fuzzing feeds: every reader of what comes from outside, as a function of bytes.

A target writes the bytes into a file where its reader takes one, and lets the reader's own error pass, if that says
where: anything else that is raised is a find. What is accepted must come back when it is written and read again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.collection.ingest_report import IngestReport
from engine.collection.limits import Limits
from engine.collection.markup.flat_documents import flatten
from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import digest_of, load_profile
from engine.collection.xml_reader import read_markup
from engine.columns.checked_folder import CheckedFolder
from engine.errors import (
    AssessmentError,
    CollectionError,
    FoxirError,
    IndexFormatError,
    MeasureError,
    ProfileError,
    QueryError,
    RunFormatError,
    SettingsError,
    TopicError,
)
from engine.explain.explain import explain
from engine.index.locator import IndexLocator
from engine.index.manifest import Manifest
from engine.index.reader import open_reader
from engine.index.segment import read_description
from engine.indexing.workers.inversion import DocumentFacts, invert
from engine.query.nexi.parser import parse_nexi
from engine.query.nexi.terms import parse_co
from engine.query.query import parse_query
from engine.runs import Run, read_run, write_run
from engine.settings import Settings, default_settings, read_settings
from engine.text.analyser import Analyser
from engine.topics import read_topics
from engine.topics.topic_files import selected_ids
from eval.judgements.formats.read import read_assessments
from eval.measures.measure_names import measure_name
from eval.tuning.grid import read_grid
from tests.engine.small_index import answers_to
from tests.trust.fuzzers.seeds import (
    DIGITS,
    GRIDS,
    JUDGED,
    MARKUP,
    OPTIONS,
    PLACES,
    PROFILES,
    QUERIES,
    SAMPLE,
    SETTINGS,
    TEXT_RUNS,
    TOML,
    WORDS,
    files,
)


class NotSaidWhereError(Exception):
    """An error of the project's own that does not begin with the file, or names no line of it."""


@dataclass(frozen=True)
class Target:
    """A reader: what it is fed with in the folder, what it is fed from, and pieces that its language is made of."""

    feed: Callable[[bytes, Path], object]
    seeds: Sequence[bytes]
    pieces: Sequence[bytes] = ()


def _refuses(file: Path, error: FoxirError, *, lines: bool = True) -> None:
    """Let an error pass that begins with the file, and a line of it, unless it could not be unpacked or is not text.

    lines: whether a line is expected; a file without any content has none to name.
    """
    message = str(error)
    where = re.match(rf"{re.escape(str(file))}(:[1-9][0-9]*)?:? ", message)
    if not where or (lines and not where[1] and "cannot be read" not in message):
        raise NotSaidWhereError(message) from error


# --- documents


def feed_xml(data: bytes, _folder: Path) -> None:
    """Read a document and turn it into the columns of a part."""
    try:
        markup = read_markup(data, "d.xml")
    except CollectionError as error:
        _refuses(Path("d.xml"), error)
        return
    flat = flatten([markup.text], [Profile("none")], [0], Analyser())
    part = invert(flat, [DocumentFacts("d", b"0" * 16, len(data), 0, 0)], ["s"], ["none"])
    assert part.n_elements == len(flat.tag) > 0
    assert (flat.stop >= flat.start).all()
    assert int(flat.stop[0]) == len(flat.texts[0].decode())


# --- queries


def feed_nexi(data: bytes, _folder: Path) -> None:
    """Parse a path query; what its tree writes is the same tree."""
    with suppress(QueryError):
        tree = parse_nexi(data.decode("utf-8", "surrogateescape"))
        assert parse_nexi(str(tree)) == tree


def feed_words(data: bytes, _folder: Path) -> None:
    """Parse a keyword query, which is never refused; what its terms write are the same terms."""
    terms = parse_co(data.decode("utf-8", "surrogateescape"))
    assert parse_co(" ".join(map(str, terms))) == terms


def feed_search(data: bytes, _folder: Path) -> None:
    """Ask an index a query, and why its first answer is one."""
    index = open_reader(SAMPLE)
    query = data.decode("utf-8", "replace")
    with suppress(QueryError):
        parse_query(query, index.analyser)
        answers = answers_to(index, query)
        for answer in answers[:1]:
            assert answer.snippet.text is not None
            explain(index, query, answer.document, answer.path, default_settings())


# --- files of topics, runs, judgements


def feed_topics(data: bytes, folder: Path) -> None:
    """Read a file of topics; every topic and every problem has a line."""
    file = folder / "topics.xml"
    file.write_bytes(data)
    try:
        found = read_topics(file)
    except TopicError as error:
        if "no topic can be read" not in str(error):
            _refuses(file, error, lines="the file is empty" not in str(error))
        return
    assert all(topic.line > 0 and topic.topic_id and (topic.title or topic.castitle) for topic in found)
    assert all(problem.line > 0 and problem.source == str(file) for problem in found.problems)


def feed_selection(data: bytes, _folder: Path) -> None:
    """Choose topics by a list."""
    only, *ids = data.decode("utf-8", "replace").split("\n")
    with suppress(TopicError):
        assert set(selected_ids(only, ids)) <= set(ids)


def feed_run(data: bytes, folder: Path) -> None:
    """Read a run; written as a submission it comes back as it was."""
    file = folder / "run"
    file.write_bytes(data)
    try:
        run = read_run(file)
    except RunFormatError as error:
        _refuses(file, error, lines="contains no result" not in str(error))
        return
    with suppress(RunFormatError):  # what a text run holds need not be XML
        write_run(run, folder / "again.xml")
        assert _results(read_run(folder / "again.xml")) == _results(run)


def _results(run: Run) -> list[Any]:
    return [
        [
            (topic, *row)
            for row in zip(
                ranking.documents,
                ranking.paths,
                ranking.rsv.tolist(),
                # a path is written, and then not where it lies
                [-1 if path else start for path, start in zip(ranking.paths, ranking.starts.tolist(), strict=True)],
                strict=True,
            )
        ]
        for topic, ranking in run.rankings.items()
    ]


def feed_assessments(data: bytes, folder: Path) -> None:
    """Read judgements; their columns fit one another."""
    file = folder / "judged"
    file.write_bytes(data)
    try:
        found = read_assessments(file)
    except AssessmentError as error:
        _refuses(file, error, lines="no judgements found" not in str(error))
        return
    for judged in found.topics.values():
        assert len(judged.documents) == len(judged.lengths) == len(judged.entry_paths)
        assert judged.element_bounds[-1] == len(judged.elements)
        assert judged.passage_bounds[-1] == len(judged.passages)
        assert (judged.elements.specificity >= 0).all()


# --- an index


def _checked(data: bytes) -> bytes:
    """Return a manifest with the checksum that it must have to be looked at, where it is JSON at all."""
    try:
        content = json.loads(data)
        content.pop("checksum", None)
        checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    except (ValueError, AttributeError, TypeError, RecursionError):
        return data
    return json.dumps({**content, "checksum": checksum}).encode()


def feed_manifest(data: bytes, folder: Path) -> None:
    """Open the index that a manifest describes, its segments at hand."""
    (folder / "manifest.json").write_bytes(_checked(data))
    if not (folder / "segments").exists():
        (folder / "segments").symlink_to(SAMPLE / "segments")
    try:
        Manifest.read(folder)
    except IndexFormatError as error:
        _refuses(folder / "manifest.json", error, lines=False)


def feed_description(data: bytes, folder: Path) -> None:
    """Read what a segment says of itself, its digest right."""
    for name in ("articles", "elements"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "segment.json").write_bytes(data)
    try:
        described = read_description(folder, hashlib.sha256(data).hexdigest())
    except IndexFormatError as error:
        _refuses(folder / "segment.json", error, lines=False)
    else:
        assert described.n_documents >= 0


def feed_column(data: bytes, folder: Path) -> None:
    """Read a column and strings from the bytes: the offsets first, after the first blank line the blob."""
    offsets, _, blob = data.partition(b"\n\n")
    (folder / "c.npy").write_bytes(offsets)
    (folder / "c.bin").write_bytes(blob)
    unchecked = CheckedFolder.unchecked(folder)
    try:
        column = unchecked.column("c")
    except IndexFormatError as error:
        _refuses(folder / "c.npy", error, lines=False)
        return
    assert len(column.all()) == len(column)


def feed_report(data: bytes, folder: Path) -> None:
    """Load the report of a build: what is not a report is an empty one, and `verify` says so."""
    (folder / "ingest.json").write_bytes(_checked(data))
    loaded = IngestReport.load(folder)
    try:
        IngestReport.verify(folder)
    except IndexFormatError as error:
        _refuses(folder / "ingest.json", error, lines=False)
        assert loaded == IngestReport()


def feed_places(data: bytes, _folder: Path) -> None:
    """Look up paths and pointers that a run may have; the path of an element leads to it."""
    locator = IndexLocator(open_reader(SAMPLE))
    path = data.decode("utf-8", "replace")
    row, offset = locator.row("a", path), locator.offset("a", path)
    spans = locator.spans("a", [path])
    elements = locator.elements("a")
    assert elements
    assert (row is None) == bool((spans == -1).all())
    assert offset is None or offset >= 0
    if path in elements.paths:
        assert row == list(elements.paths).index(path)


# --- settings, profiles


def feed_settings(data: bytes, folder: Path) -> None:
    """Read settings and search with them."""
    file = folder / "settings.toml"
    file.write_bytes(data)
    try:
        settings = read_settings(file)
    except SettingsError as error:
        _refuses(file, error, lines=False)
        return
    assert Settings.from_options(**settings.to_dict()).to_dict() == settings.to_dict()
    for query in ("sea tide", "//article[about(., sea)]//p"):
        with suppress(QueryError, SettingsError):
            answers = answers_to(open_reader(SAMPLE), query, **settings.to_dict())
            assert np.isfinite(answers.rsv).all()


def feed_grid(data: bytes, folder: Path) -> None:
    """Read the grid of a tuning."""
    file = folder / "grid.toml"
    file.write_bytes(data)
    try:
        read_grid(file)
    except SettingsError as error:
        _refuses(file, error, lines=False)


def feed_options(data: bytes, _folder: Path) -> None:
    """Read what options of commands take: limits, names of measures, expressions of similarities."""
    text = data.decode("utf-8", "replace")
    with suppress(SettingsError):
        Limits.from_assignments([text])
    with suppress(MeasureError):
        measure_name(text)
    with suppress(SettingsError):
        Settings.from_options(similarity=text)


def feed_profile(data: bytes, folder: Path) -> None:
    """Read a profile; what it says is read again as the same."""
    file = folder / "own.toml"
    file.write_bytes(data)
    try:
        profile = load_profile(str(file))
    except ProfileError as error:
        _refuses(file, error, lines=False)
        return
    again = Profile.from_dict(profile.to_dict())
    assert (again, digest_of(again)) == (profile, digest_of(profile))


TARGETS: dict[str, Target] = {
    "xml": Target(feed_xml, files("xml/*.xml"), MARKUP),
    "nexi": Target(feed_nexi, QUERIES, [b"not(", b"about(", b")", b"[", b"]", b"//", b"@", b" or ", b"<=", *DIGITS]),
    "words": Target(feed_words, WORDS, [b'"', b"+", b"-", b"src:", "„".encode()]),
    "search": Target(feed_search, [*QUERIES, *WORDS, b"sea rock tide"], [b"not(", b"about(., sea)", b"[", b"]", b'"']),
    "topics": Target(
        feed_topics,
        [
            *files("topics/*.xml"),
            b"1\tsea tide\n2\t//a[about(., b)]\n",
            b"<top>\n<num> Number: 301\n<title> sea\n<desc> Description:\ntide &amp; fog\n</top>\n",
            b'qid,query\n1,"sea, ""tide"""\n',
            b'{"_id": "1", "text": "sea"}\n{"_id": "2", "text": "tide"}\n',
        ],
        [*MARKUP, *DIGITS, b"<top>", b'"', b",", b"{", b"["],
    ),
    "selection": Target(feed_selection, [b"99,101-110,mm6\n99\n101\nmm6", b"1-3\n2\n3"], DIGITS),
    "run": Target(feed_run, [*files("runs/*.xml"), *TEXT_RUNS], [*MARKUP, *DIGITS]),
    "assessments": Target(feed_assessments, JUDGED, [*MARKUP, *DIGITS]),
    "manifest": Target(feed_manifest, [(SAMPLE / "manifest.json").read_bytes()], [*DIGITS, b"null", b"[", b"{", b'"']),
    "description": Target(feed_description, files("index_formats/*/index/segments/*/segment.json"), [*DIGITS, b"null"]),
    "column": Target(feed_column, files("index_formats/*/index/segments/*/articles/*.npy"), [b"\n\n", b"'O'", *DIGITS]),
    "report": Target(feed_report, [(SAMPLE / "ingest.json").read_bytes()], [*DIGITS, b"null", b"[", b"{"]),
    "places": Target(feed_places, PLACES, [*DIGITS, b"[", b"]", b"/text()", b"."]),
    "settings": Target(feed_settings, SETTINGS, [*TOML, *DIGITS]),
    "grid": Target(feed_grid, GRIDS, [*TOML, *DIGITS]),
    "options": Target(feed_options, OPTIONS, [*DIGITS, b"@", b"[", b"]", b"-", b"M"]),
    "profile": Target(feed_profile, PROFILES, [*TOML, *DIGITS]),
}
