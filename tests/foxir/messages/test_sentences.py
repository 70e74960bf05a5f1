"""Every code has a sentence in every front end, and every sentence a code; the sentences are those in tests/golden."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import foxir
from engine.errors import QueryError
from engine.notices import Notice, about
from foxir.messages import command_line
from foxir.messages.front_end import SENTENCES, FrontEnd
from tests.foxir.messages.examples import EXAMPLES, FRONT_ENDS, GOLDEN, sentences

ROOT = Path(__file__).parents[3]
CODES = SENTENCES.keys()


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_the_sentences_are_the_golden_ones(front_end: str) -> None:
    assert "".join(sentences(front_end)) == (GOLDEN / f"{front_end}.txt").read_text("utf-8")


def test_every_code_has_an_example() -> None:
    assert {notice.code for example in EXAMPLES for notice in parts(example)} == CODES


@pytest.mark.long
def test_every_sentence_has_a_code_and_every_code_a_sentence() -> None:
    trees = [
        ast.parse(file.read_text("utf-8"))
        for package in ("engine", "eval", "foxir")
        for file in (ROOT / package).rglob("*.py")
        if file.parent.name != "messages"
    ]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.Call)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    made = {
        node.args[0].value
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Notice"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert made - CODES == set()
    assert CODES - texts == set()


def test_a_new_notice_is_a_code_and_a_sentence() -> None:
    ways = FrontEnd(
        command_line.WORDS,
        {"too_foggy": "{ships:# ship is|# ships are} late<<, says {who}>>: add {setting:syntax=plain}."},
    )

    assert ways.sentence(Notice("too_foggy", {"ships": 1, "who": ""})) == "1 ship is late: add --syntax plain."
    assert ways.sentence(QueryError(Notice("too_foggy", {"ships": 1200, "who": "he"}))) == (
        "1,200 ships are late, says he: add --syntax plain."
    )


def test_what_a_message_is_about_stands_before_it_and_it_stays_of_its_kind() -> None:
    notice = about("a.xml", Notice("no_exhaustivity", kind="exclusion"))

    assert str(notice) == "a.xml: exhaustivity was not judged: its tables are omitted"
    assert notice.kind == "exclusion"
    assert str(about("b.xml", "it is empty.")) == "b.xml: it is empty."


def test_errors_and_notices_of_python_are_their_sentences() -> None:
    with pytest.raises(foxir.SettingsError) as refused:
        foxir.make_settings(inside="body!")

    assert refused.value.notice is not None
    assert refused.value.notice.code == "setting_value"
    assert str(refused.value).startswith("inside = 'body!': ")
    assert command_line.sentence(refused.value).startswith("--in 'body!': ")


def parts(value: object) -> Iterator[Notice]:
    """Yield a notice and those in its fields."""
    if isinstance(value, Notice):
        yield value
        for each in value.fields.values():
            yield from parts(each)
    elif isinstance(value, tuple):
        for each in value:
            yield from parts(each)
