"""The examples of every --help run after `foxir demo` in an empty folder, or say what it does not make."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from collections.abc import Iterator
from glob import glob
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from foxir.terminal.commands import COMMANDS
from tests.foxir.commands.command import Demonstration, foxir
from tests.trust.soak import THOROUGH, effort

EXAMPLE = re.compile(r"^ +(?:echo '(?P<typed>[^']*)' \| )?foxir (?P<words>\S.*|)$", re.MULTILINE)
NOT_OF_DEMO = re.compile(r"Not made by 'foxir demo': ([^;]*?)\.(?: |\n|$)")
WITHOUT_END = ("serve", "mcp")
# What is added to an example that takes seconds, and how many of the files that a pattern matches it gets.
FEWER = {
    "--chunker": ["--topics", "1-3"],
    "--learn": ["--weights", "coverage", "--resamples", "50", "--topics", "1-6"],
    "answers.jsonl": ["--topics", "1-3"],
    "--report": ["--measures", "hixeval:AP", "--topics", "1-2"],
    "--shards": ["--shards", "2"],
}
QUICKER = {} if THOROUGH else FEWER
MOST_FILES = effort(3, 100, thorough=100)
OF_A_CLUSTER = "--ray"  # which must be running: tests/foxir/cluster
OF_EXTRAS = {"langchain": "langchain_text_splitters", "llamaindex": "llama_index"}


def examples() -> Iterator[tuple[str, str, list[str], str | None]]:
    """Yield the command whose help it is, the text, the words and the standard input of every example."""
    for name in COMMANDS:
        text = foxir(*name.split(), "--help").out
        for found in EXAMPLE.finditer(text[text.find("Example") :]):
            words = shlex.split(found["words"], comments=True)
            yield name, text, words, found["typed"]


def is_not_of_demo(text: str, words: list[str]) -> bool:
    named = NOT_OF_DEMO.search(text)
    names = re.findall(r"[\w.:/]+", re.sub(r"\(.*?\)", "", named[1])) if named else []
    stems = [re.escape(name.removesuffix(".py")) for name in names]
    return any(re.search(rf"(?:^|/){stem}(?:[:/]|$)|^{stem}", word) for stem in stems for word in words)


def needs_more(words: list[str]) -> bool:
    """Return whether an example needs a running cluster, or an extra that is not installed."""
    return OF_A_CLUSTER in words or any(
        sign in word and find_spec(package) is None for word in words for sign, package in OF_EXTRAS.items()
    )


def files(word: str) -> list[str]:
    return sorted(glob(word))[:MOST_FILES] if "*.xml" in word else []


@pytest.mark.long
def test_every_example_runs_as_printed_after_the_demo(
    demonstration: Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demonstration.folder)
    monkeypatch.setenv("COLUMNS", "240")
    Path("tuned.toml").write_text("k1 = 0.9\n")  # what the tuning of one's own grid writes
    wrong, n_run = [], 0
    for name, text, words, typed in examples():
        if is_not_of_demo(text, words) or needs_more(words) or words[0] == "demo":
            continue
        expanded = [each for word in words for each in files(word) or [word]]
        expanded += [each for word in words for each in QUICKER.get(word, [])]
        if words[0] in WITHOUT_END:
            module, attribute = COMMANDS[words[0]].place.split(":")
            getattr(importlib.import_module(module), attribute).make_context(name, expanded[1:])
            continue
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(f"{typed or ''}\n".encode())))
        outcome = foxir(*expanded)
        n_run += 1
        if outcome.status != 0:
            wrong.append(f"{name}: foxir {' '.join(words)}: {outcome.status}: {outcome.err[-300:]}")
    assert wrong == []
    assert n_run > 50


def test_what_is_not_of_demo_is_in_an_example() -> None:
    noted = {name for name, text, words, _ in examples() if is_not_of_demo(text, words)}

    assert noted == {"index", "profile", "export", "serve", "tune", "chunks eval", "judgements from-quotes"}
