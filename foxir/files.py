"""Reading and writing files: topics, runs, assessments, settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import get_args

from engine.errors import SettingsError
from engine.runs import Run
from engine.runs.run_files import Format
from engine.runs.run_files import read_run as read_run_file
from engine.runs.run_files import write_run as write_run_file
from engine.settings import Settings, default_settings
from engine.settings import read_settings as read_settings_file
from engine.settings.settings_files import BEGIN, COUNT, END
from engine.system.files import replace_file, unwritable
from engine.topics import TopicFile
from engine.topics import read_topics as read_topic_file
from eval.judgements.formats.read import read_assessments as read_assessment_files
from eval.judgements.judgements import Assessments
from foxir import arguments
from foxir.arguments import PathLike


def read_topics(path: PathLike, only: str | None = None) -> TopicFile:
    """Return the topics in a file, or in all `.xml` files of a folder, and what could not be read (`problems`).

    >>> read_topics("topics/co")["1"].title   # doctest: +SKIP
    'Fresnel lens cleaning'

    Args:
        path: topics of INEX or TREC, a table with a header (CSV, TSV), JSON with a topic per line, or text: a query
            in each line, or an id, a tab and a query.
        only: which topics, such as "99,101-110".

    Raises: TopicError if no topic can be read, or `only` names none.
    """
    return read_topic_file(arguments.path("path", path), arguments.optional(arguments.text, "only", only))


def read_run(path: PathLike) -> Run:
    """Return the run in a file of any format: INEX XML of 2003-2008, or text of 6 (TREC), 7 or 8 columns; also gzip.

    The notices of the run name what was corrected, such as ranks that did not begin with 1.

    Raises: RunFormatError with file and line.
    """
    return read_run_file(arguments.path("path", path))


def write_run(run: Run, path: PathLike, format: Format | None = None) -> None:
    """Write a run into a file, which appears whole or not at all; compressed where its name ends in ".gz".

    Args:
        format: "inex": XML with everything in the run; "fol": text with offset and length, or path; "trec": text,
            each document at its first result. None: "fol" or "trec" where the name ends so, else "inex".

    Raises: RunFormatError if the format cannot contain the run or the file cannot be written.
    """
    target = arguments.path("path", path)
    chosen = None if format is None else arguments.choice("format", format, get_args(Format))
    write_run_file(arguments.instance("run", run, Run), target, chosen)


def read_assessments(path: PathLike) -> Assessments:
    """Return the assessments in a file, or in all XML files below a folder.

    Formats: INEX XML of 2002-2007, FOL qrels of 2007-2010; also gzip.

    >>> read_assessments("qrels.txt")   # doctest: +SKIP
    Assessments('qrels.txt', topics=35, documents=674, scale='fol')

    Raises: AssessmentError with file and line.
    """
    return read_assessment_files(arguments.path("path", path))


def read_settings(path: PathLike, base: Settings | None = None) -> Settings:
    """Return the settings in a TOML file, on top of others or of the defaults.

    Raises: SettingsError with the file.
    """
    if base is not None:
        arguments.instance("base", base, Settings)
    return read_settings_file(arguments.path("path", path), base)


def write_settings(settings: Settings, path: PathLike, comments: Sequence[str] = ()) -> None:
    """Write settings into a TOML file, which appears whole or not at all, and which `read_settings` reads back.

    Args:
        comments: lines above the settings.

    Raises: SettingsError if the file cannot be written, and for an encoder that is in no module.
    """
    found = arguments.instance("settings", settings, Settings)
    content = settings_text(found, arguments.texts("comments", comments))
    target = arguments.path("path", path)
    try:
        replace_file(target, content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise SettingsError(unwritable(target, error)) from None


def settings_text(settings: Settings, comments: Sequence[str] = ()) -> str:
    """Return the TOML text of settings, with comments above them, among lines by which a file that lost some is known.

    Settings that do not apply follow at the end if they differ from the defaults.

    Raises: SettingsError for an encoder of the script or session that runs, which no other could import.
    """
    for name, by in (("semantic", settings.semantic), ("reranker", settings.reranker)):
        if by is not None and by.startswith("__main__:"):
            raise SettingsError(
                f"{name} = '{by}': a function of the script or session that runs is in no module that others import: "
                "move it into a module, then write the settings."
            )
    heads = [f"# {line}" for comment in comments for line in comment.splitlines()]
    given, usual = settings.all_values(), default_settings().all_values()
    applied = {name: given.get(name, value) for name, value in settings.to_dict().items()}
    others = {name: value for name, value in given.items() if name not in applied and value != usual.get(name)}
    lines = [f"{name} = {_toml(value)}" for name, value in applied.items()]
    if others:
        lines += ["", "# do not apply", *(f"{name} = {_toml(value)}" for name, value in others.items())]
    return "\n".join([BEGIN, *heads, "", *lines, f"{COUNT}{len(applied) + len(others)}", END, ""])


def _toml(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else repr(value)
