"""What a document, a name or an index holds does not steer the terminal of whoever looks at it."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.index.reader import open_reader
from engine.indexing.build import BuildSettings, update_index
from foxir.terminal import console
from foxir.terminal import control_characters as visible
from foxir.terminal.commands import foxir as group
from tests.engine.index.index_contents import FILES, update, write
from tests.engine.small_index import answers_to
from tests.foxir.commands.command import foxir
from tests.trust.test_hostile_index import rewrite_description, rewrite_manifest

COLOURS = re.compile(r"\x1b\[(?:0|1|2|33|1;33|33;1)?m|\x1b\[33m\x1b\[1m")  # those that foxir itself prints
TITLE = "\x1b]0;owned\x07"  # names the window anew
STEERING = ["\x9b2J", "\x85", "\x7f", "\r", "\u202e", "\u2066", "\u2028"]  # all that XML may hold of it
SHOWN = ["\\x9b2J", "\\x85", "\\x7f", "\\r", "\\u202e", "\\u2066", "\\u2028"]
WORDS = " ".join(f"sea{each}tide" for each in STEERING)


def on_a_terminal(*arguments: str | Path) -> str:
    """Return what a command prints where colours are shown, without its own colours."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True, newline="")
    with contextlib.redirect_stdout(out):
        group.main([str(each) for each in arguments], standalone_mode=False, color=True)
    buffer: Any = out.buffer
    return COLOURS.sub("", buffer.getvalue().decode())


def harmless(printed: str) -> str:
    """Return what was printed, if no character of it steers a terminal."""
    assert visible.STEERING.findall(printed) == []
    assert printed.replace("\n", "").replace("\t", "").isprintable()
    return printed


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    text = WORDS.replace("\r", "&#13;")
    markup = f"<article><title>{text}</title><p lang='{text}'>{text}</p></article>"
    update_index(folder / "index", [str(write(folder / "source", {"back\u202ewards": markup}))], BuildSettings())
    return folder / "index"


def test_the_examples_hold() -> None:
    assert doctest.testmod(visible).failed == 0


@pytest.mark.parametrize("options", [["--text"], []], ids=["text", "snippet"])
def test_answers_are_printed_with_what_steers_a_terminal_as_escapes(index: Path, options: list[str]) -> None:
    printed = harmless(on_a_terminal("search", index, "sea", *options))

    assert "back\\u202ewards" in printed
    folded = ["\\r"] if options else ["\\r", "\\u2028", "\\x85"]  # white space, of which a snippet keeps none
    assert [each for each in SHOWN if each not in printed and each not in folded] == []


def test_json_means_the_same_text_to_the_character(index: Path) -> None:
    printed = harmless(on_a_terminal("search", index, "sea", "--json", "--text"))
    [first, *_] = json.loads(printed)["answers"]

    assert first["document"] == "back\u202ewards"
    assert WORDS in first["text"]
    assert first["text"] == answers_to(open_reader(index), "sea")[0].text


def test_explanations_and_what_an_index_says_of_itself_are_lines_that_steer_nothing(
    index: Path, tmp_path: Path
) -> None:
    found = answers_to(open_reader(index), "sea")[0]
    explained = harmless(on_a_terminal("explain", index, "sea", found.document, found.path))
    assert explained.startswith(f"back\\u202ewards {found.path}\n")

    hostile = tmp_path / "hostile"
    update(hostile, write(tmp_path / "source", FILES))
    rewrite_manifest(hostile, lambda manifest: manifest.update(sources=[f"/{TITLE}\n  verified   all"]))
    rewrite_description(
        hostile, lambda content: content["lists"].update(tags=[f"{TITLE}{tag}\r" for tag in content["lists"]["tags"]])
    )
    printed = harmless(on_a_terminal("info", hostile))
    assert "  source     /\\x1b]0;owned\\x07\\n  verified   all\n" in printed
    assert "\\x1b]0;owned\\x07article\\r 4" in printed
    answers = harmless(on_a_terminal("search", hostile, "sea"))
    assert "\\x1b]0;owned\\x07article\\r" in answers


def test_errors_and_warnings_steer_nothing(tmp_path: Path) -> None:
    refused = foxir("search", tmp_path / f"none{TITLE}\u202e", "sea")
    assert refused.status == 2
    assert "none\\x1b]0;owned\\x07\\u202e: not a foxir index" in harmless(refused.err)

    source = tmp_path / f"red\x1b[31m{TITLE}"
    write(source, {"good": "<a>x</a>", "bad\u202e": "<a>"})
    made = foxir("index", tmp_path / "index\x9b2J", source)
    assert made.status == 1
    assert "skipped: " in harmless(made.err)
    assert "bad\\u202e" in made.err
    assert "index\\x9b2J: 1 document," in harmless(made.out)


def test_scores_of_runs_and_topics_with_such_names_steer_nothing(tmp_path: Path) -> None:
    name = "ru\x9b2Jn\u202e"
    (tmp_path / "qrels").write_text("1\u202e Q0 a 10 20\n2 Q0 b 10 20\n", "utf-8")
    (tmp_path / "run").write_text(f"1\u202e Q0 a 1 0.9 {name}\n2 Q0 a 1 0.9 {name}\n", "utf-8")
    for form in ([], ["--per-topic"], ["--latex"], ["--markdown"], ["--json"]):
        printed = harmless(on_a_terminal("eval", tmp_path / "qrels", tmp_path / "run", "--measures", "trec", *form))
        assert "\\u009b2Jn" in printed if "--json" in form else "2Jn" in printed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", ["a[/b].tar.gz", "[red]x", f"{TITLE}\r\u202e"])
def test_progress_shows_the_names_of_archives_as_they_are_but_harmless(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "PATIENCE", 0)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress_bar(quiet=False) as show:
        show(f"unpacking {name}", 1, 2)
    printed = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", terminal.getvalue())

    assert f"unpacking {visible.visible_line(name)}" in printed
    assert TITLE not in terminal.getvalue()


def test_long_work_is_reported_on_a_terminal_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with console.waiting("Opening [red]x", quiet=False) as end:
        end()
    assert terminal.getvalue() == ""
    monkeypatch.setattr(console, "PATIENCE", 0)
    with console.waiting("Opening [red]x", quiet=True):
        pass
    assert terminal.getvalue() == ""

    with console.waiting(f"Opening [red]x{TITLE}", quiet=False) as end:
        while not terminal.getvalue().count("Opening"):
            time.sleep(0.001)
        end()
        ended = terminal.getvalue()
        time.sleep(0.2)
    assert terminal.getvalue() == ended
    assert "Opening [red]x" in ended
    assert TITLE not in ended
