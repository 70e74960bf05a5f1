"""Names that other programs use: each hint is a call that exists, and no name hides one of foxir's own."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import pkgutil
import re
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click
import pytest

import foxir
from engine.errors import MissingHostError
from foxir.foreign_names import foreign_names
from foxir.searching.opened_index import Index
from foxir.terminal.commands import COMMANDS as ENTRIES
from foxir.terminal.commands import GROUPS
from foxir.terminal.commands import foxir as program
from foxir.terminal.main import main
from tests.foxir.conftest import Sample

FUNCTIONS, OF_INDEX, OF_ANSWERS, OF_ANSWER = map(foreign_names, ("functions", "index", "answers", "answer"))
COMMANDS, OPTIONS = map(foreign_names, ("commands", "options"))
OPTIONS_OF = {name: found for name in ENTRIES if (found := foreign_names(f"options_of.{name}"))}


def calls(code: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(code, mode="eval")) if isinstance(node, ast.Call))


def named(place: ast.expr) -> Any:
    """Return the attribute that an expression names; `index` is an open index, and so is what open_index returns."""
    match place:
        case ast.Name(id="foxir"):
            return foxir
        case ast.Name(id="index"):
            return Index
        case ast.Attribute(value=ast.Call(func=ast.Attribute(attr="open_index")), attr=name):
            return getattr(Index, name)
        case ast.Attribute(value=value, attr=name):
            return getattr(named(value), name)
    raise AssertionError(ast.unparse(place))


@pytest.mark.parametrize("hint", sorted({*FUNCTIONS.values(), *OF_INDEX.values()}))
def test_hints_are_calls_that_exist(hint: str) -> None:
    if "(" not in hint:
        assert hint == "index.reader.statistics" or isinstance(named(ast.parse(hint, mode="eval").body), property)
    for call in calls(hint):
        function = named(call.func)
        of_an_index = [None] if "self" in inspect.signature(function).parameters else []
        keywords = {keyword.arg or "": None for keyword in call.keywords}
        inspect.signature(function).bind(*of_an_index, *call.args, **keywords)


def test_foreign_names_are_not_names_of_foxir() -> None:
    modules = {module.name for module in pkgutil.iter_modules(foxir.__path__)}  # attributes, once they are imported

    assert not set(FUNCTIONS) & {*foxir.__all__, *modules}
    assert not set(OF_INDEX) & set(dir(Index))
    assert not set(COMMANDS) & set(program.entries)


@pytest.mark.parametrize("hint", sorted(set(COMMANDS.values())))
def test_hints_are_commands_that_exist(hint: str) -> None:
    words = hint.split()
    command = program.get_command(click.Context(program), words[1])

    assert words[0] == "foxir"
    assert command is not None
    assert words[1] in ENTRIES or words[1] in GROUPS
    assert {word for word in words if word.startswith("--")} <= {name for each in command.params for name in each.opts}


def test_a_function_of_another_program_is_answered_with_that_of_foxir() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = foxir.evaluate  # type: ignore[attr-defined]

    printed = "".join(traceback.format_exception_only(caught.value))
    assert (
        printed == "AttributeError: module 'foxir' has no attribute 'evaluate': use foxir.score(assessments, runs).\n"
    )


def test_python_can_add_the_nearest_name_to_a_misspelt_one(sample: Sample) -> None:
    for of in (foxir, sample.index):
        with pytest.raises(AttributeError, match=r"has no attribute 'serach'$") as caught:
            _ = of.serach  # type: ignore[attr-defined]
        assert (caught.value.name, caught.value.obj) == ("serach", of)


def test_a_method_of_another_program_is_answered_with_that_of_an_index(sample: Sample) -> None:
    message = r"^'Index' object has no attribute 'passages': use index\.search\(query, unit='sentence'\)\.$"
    with pytest.raises(AttributeError, match=message):
        _ = sample.index.passages  # type: ignore[attr-defined]
    assert not hasattr(sample.index, "__deepcopy__")


@pytest.mark.parametrize(
    ("of", "name", "hint"),
    [*(("answers", *each) for each in OF_ANSWERS.items()), *(("answer", *each) for each in OF_ANSWER.items())],
)
def test_a_name_of_other_answers_is_answered_with_what_has_the_value(
    of: str, name: str, hint: str, sample: Sample
) -> None:
    answers = sample.index.search("fog signal range", max_answers=3)
    names = {"answers": answers, "answer": answers[0], "index": sample.index, "query": "fog signal range"}

    with pytest.raises(AttributeError, match=f"has no attribute '{name}': use {re.escape(hint)}"):
        getattr(names[of], name)
    with suppress(MissingHostError):  # pandas is an extra
        eval(hint, names)  # a constant of this package


def test_answers_are_copied_and_pickled_as_before(sample: Sample) -> None:
    answers = sample.index.search("fog signal range", max_answers=3)

    assert copy.copy(answers[0]).path == pickle.loads(pickle.dumps(answers))[0].path == answers[0].path
    assert not hasattr(answers, "__array__")
    with pytest.raises(AttributeError, match=r"has no attribute 'pathh'$"):
        _ = answers[0].pathh  # type: ignore[attr-defined]


def test_a_command_of_another_program_is_answered_with_that_of_foxir(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["outline", "demo.foxir"])

    expected = "foxir: 'outline' is not a command: use 'foxir show INDEX DOCUMENT'. Try: foxir --help\n"
    assert (caught.value.code, capsys.readouterr().err) == (2, expected)


@pytest.mark.parametrize("command", ["search", "explain", "run"])
def test_hints_of_options_name_options_that_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = options_of(command)
    assert not set(OPTIONS) & known
    for option, hint in OPTIONS.items():
        owner = re.search(r"foxir (\w+)", hint)
        of_owner = options_of(owner[1]) if owner else set()
        assert set(re.findall(r"--[a-z-]+", hint)) <= known | of_owner
        with pytest.raises(SystemExit):
            main([command, "INDEX", "fog", option])
        assert f"{option}: use {hint}." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "option", "hint"), [(command, *each) for command, hints in OPTIONS_OF.items() for each in hints.items()]
)
def test_hints_of_options_of_a_command_name_what_exists(
    command: str, option: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = re.search(r"foxir (\w+)", hint)
    assert option not in options_of(command)
    assert set(re.findall(r"--[a-z-]+", hint)) <= options_of(command) | (options_of(owner[1]) if owner else set())
    with pytest.raises(SystemExit):
        main([command, "INDEX", "fog", option])
    assert f"{option}: use {hint}." in capsys.readouterr().err


def options_of(command: str) -> set[str]:
    found = program.get_command(click.Context(program), command)
    assert found is not None
    return {name for each in found.params for name in each.opts}
