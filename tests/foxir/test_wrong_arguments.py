"""A wrong argument of a public call raises one FoxirError or TypeError with a message, and nothing else.

Folders in the place of files, names that no file has, and entries that cannot be read are each one clear error.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import foxir
from tests.foxir.conftest import Sample
from tests.foxir.public_calls import public_calls, wrong_values
from tests.trust.soak import in_turn

NAMES = (
    *("open_index", "build_index", "compact_index", "search", "search, settings", "explain", "run", "text"),
    *(
        *("element", "in", "answers[...]", "answers.at", "answers.frequent_values", "answers.to_dict"),
        *("answers.to_frame", "answer.to_dict", "element.to_dict"),
    ),
    *("snippet.marked", "make_settings", "read_settings", "read_topics", "read_run", "write_run"),
    *("read_assessments", "write_assessments", "expand_assessments", "check_assessments", "assessment_statistics"),
    *("agreement", "pool", "ideal_run", "convert", "score", "evaluate_chunks", "compare", "correlate"),
    *("reliability", "latex", "latex of a result", "markdown", "report", "plot", "write_settings", "tune"),
    "learn",
    *("table.value", "table.select", "Settings.from_run", "judge_quotes", "quotes_of", "read_quotes", "write_quotes"),
    *("Settings.from_options", "Length", "Length.parse", "TagSelector"),
    *("TagSelector.parse", "Topic", "TopicFile", "Run", "Ranking.ranked", "ranking.place", "ranking.row_name"),
    *("IngestReport.load",),
)
# These take a place, and raise IndexError, as sequences do, where there is none.
OF_A_PLACE = ("answers[...]", "answers.at", "ranking.place", "ranking.row_name")
# What Python says of a value that nobody checked.
FROM_INSIDE = ("unsupported operand", "not supported between", "not iterable", "not subscriptable", "has no attribute")
# Steps of a search and of a build, which nobody calls with what a user gave.
INTERNAL = (
    *(
        "Settings.for_query",
        "Settings.with_max_answers",
        "Length.resolve",
        "IngestReport.write",
        "IngestReport.verify",
        "IngestReport.read_from",
    ),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_argument_raises_one_clear_error(
    name: str, sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("eval.output.report.available", lambda: False)  # no argument is of its pictures
    function, arguments = public_calls(sample, tmp_path)[name]
    mistakes: list[str] = []
    for argument in arguments:
        for label, value in wrong_values(sample, _fresh(tmp_path, argument)).items():
            try:
                function(**{**arguments, argument: value})
            except (foxir.FoxirError, TypeError) as error:
                if not str(error) or any(words in str(error) for words in FROM_INSIDE):
                    mistakes.append(f"{argument} = {label}: {type(error).__name__}: {error}")
            except IndexError:
                if name not in OF_A_PLACE:
                    mistakes.append(f"{argument} = {label}: IndexError")
            except Exception as error:
                mistakes.append(f"{argument} = {label}: {type(error).__name__}: {error}")
    assert not mistakes, "\n".join(mistakes)


def _fresh(tmp_path: Path, argument: str) -> Path:
    folder = tmp_path / f"values of {argument}"
    folder.mkdir()
    return folder


def public_callables() -> dict[str, Callable[..., Any]]:
    """Return the public functions, and the methods that public classes themselves define, by qualified name."""
    found: dict[str, Callable[..., Any]] = {}
    for name in foxir.__all__:
        public = getattr(foxir, name)
        if not isinstance(public, type):
            found |= {name: public} if callable(public) else {}
        elif not issubclass(public, Exception):
            methods = [method for method in vars(public) if not method.startswith("_")]
            found |= {f"{name}.{method}": getattr(public, method) for method in methods}
    return {name: each for name, each in found.items() if inspect.isroutine(each) and callable(each)}


def test_every_argument_of_every_call_is_tried(sample: Sample, tmp_path: Path) -> None:
    calls = public_calls(sample, tmp_path)
    assert tuple(calls) == NAMES
    tried = {
        "Settings.from_run": {"run"},
        "build_index": {"sources", *calls["build_index"][1]},
        "Settings.from_options": {"base"},
        "open_index": {"others"},  # as `folder`
    }
    for function, arguments in calls.values():
        tried.setdefault(function.__qualname__, set()).update(arguments)

    for name, function in public_callables().items():
        parameters = inspect.signature(function).parameters.values()
        wanted = {each.name for each in parameters if each.kind is not each.VAR_KEYWORD} - {"self"}
        if name not in INTERNAL:
            assert wanted <= tried.get(name, set()), name


@pytest.mark.parametrize("run_id", ["", " ", "a b", "a\n", "a\tb"])
def test_a_run_id_is_one_word(sample: Sample, run_id: str) -> None:
    index = foxir.open_index(sample.folder / "sample.foxir")
    with index, pytest.raises(foxir.ArgumentError, match="run_id: expected one word"):
        index.run(sample.topics, run_id=run_id, only="1")


def test_two_topics_with_one_id_are_refused(sample: Sample) -> None:
    topics = [foxir.Topic("7", "CO", "lens"), foxir.Topic("7", "CO", "clock")]
    index = foxir.open_index(sample.folder / "sample.foxir")
    with index, pytest.raises(foxir.TopicError, match="two topics have the id '7'"):
        index.run(topics)


def test_an_index_of_a_path_names_open_index() -> None:
    make: Any = foxir.Index
    with pytest.raises(TypeError, match="open_index"):
        make("demo.foxir")


def test_a_list_of_sources_is_refused(tmp_path: Path) -> None:
    build: Any = foxir.build_index
    with pytest.raises(TypeError, match="one by one"):
        build(["a", "b"], into=tmp_path / "index")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"limits": {"max_txt": 5}}, "limits: 'max_txt=5': did you mean 'max_text'?"),
        ({"split": ["entry]"]}, "split: '//(entry])': expected the tags"),
        ({"attributes": ["a b"]}, "attributes: found 'a b', expected a local name"),
    ],
    ids=str,
)
def test_errors_of_a_build_name_keywords_not_options(given: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(foxir.FoxirError) as error:
        foxir.build_index(tmp_path, into=tmp_path / "index", **given)

    assert str(error.value).startswith(message)


def test_a_value_of_several_lines_is_shown_in_one(sample: Sample) -> None:
    answers = sample.index.search("fog")
    assert "\n" in repr(answers)

    with pytest.raises(TypeError) as error:
        foxir.score(answers, answers)  # type: ignore[arg-type]

    assert len(str(error.value).splitlines()) == 1


def test_what_newcomers_pass_is_answered_with_what_to_pass(sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"expected Settings \(foxir.read_settings reads a file"):
        sample.index.search("fog", "nope.toml")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"topics\[0\]: expected a Topic, as foxir.Topic\('1', 'CO'"):
        sample.index.run(["fog signal"])  # type: ignore[list-item]
    with pytest.raises(foxir.SettingsError, match="setting 'images' is unknown: use image, the argument of search"):
        sample.index.search("fog", images="x.png")  # type: ignore[call-arg]
    with pytest.raises(foxir.SettingsError, match=r"nope\.toml: not a settings file \(there is no such file\): write"):
        foxir.read_settings(tmp_path / "nope.toml")


WRITERS: dict[str, Callable[[Sample, str], Any]] = {
    "write_run": lambda sample, path: foxir.write_run(sample.run, path),
    "write_settings": lambda _, path: foxir.write_settings(foxir.Settings(), path),
    "write_assessments": lambda sample, path: foxir.write_assessments(sample.judged, path, "fol"),
    "convert": lambda sample, path: foxir.convert(sample.folder / "run.xml", path, "trec"),
    "report": lambda sample, path: foxir.report(sample.table, path),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "path"), in_turn(list(WRITERS), [".", "..", "/"]))
def test_writing_to_a_folder_is_refused(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(foxir.FoxirError, match=r"cannot be written: it is a folder, not a file\. Choose another place"):
        WRITERS[name](sample, path)

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.long
def test_a_pipe_gets_what_is_written_and_stays_a_pipe(sample: Sample, tmp_path: Path, name: str) -> None:
    pipe, link = tmp_path / "pipe.xml", tmp_path / "link.xml"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with ThreadPoolExecutor(1) as other:
            read = other.submit(pipe.read_bytes)
            WRITERS[name](sample, str(path))
            assert read.result(60)

    assert pipe.is_fifo()
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.xml", "pipe.xml"]


def test_assessments_beside_entries_that_cannot_be_read_are_read(sample: Sample, tmp_path: Path) -> None:
    folder = tmp_path / "assessments"
    foxir.write_assessments(foxir.expand_assessments(sample.qrels, sample.index), folder)
    (folder / "link").symlink_to("/proc/1/cwd")
    (folder / "broken.xml").symlink_to("nowhere")
    (folder / "circle.xml").symlink_to("circle.xml")

    assert len(foxir.read_assessments(folder).topics) == 4


@pytest.mark.parametrize("name", ["a" * 256, "/".join(["folder"] * 700)], ids=["name", "path"])
def test_a_path_that_is_too_long_is_an_argument_error(sample: Sample, tmp_path: Path, name: str) -> None:
    with pytest.raises(foxir.ArgumentError, match="source: no file can be named"):
        foxir.convert(name, tmp_path / "out", "trec")
    with pytest.raises(foxir.ArgumentError, match="into: no file can be named"):
        foxir.build_index(sample.topics, into=name)
    with pytest.raises(foxir.ArgumentError, match="path: no file can be named"):
        foxir.write_run(sample.run, name)
