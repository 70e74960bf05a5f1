"""The documentation is true: its commands, outputs, examples, shapes, options and links."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
import pytest

from bench import settings_tables
from eval.measures import FAMILIES
from eval.measures.reference_page import pages
from foxir.terminal.commands import COMMANDS, GROUPS, foxir
from tests import doc_json
from tests.doc_sessions import ROOT, SESSIONS, agrees, prepare, run, steps, steps_of

TUTORIAL = "docs/tutorial.md"
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [
        *ROOT.glob("*.md"),
        *ROOT.glob("[!.]*/*.md"),
        *ROOT.glob("bench/notebook/*.md"),
        ROOT / "tests/golden/README.md",
    ]
)
DOCS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED_PATH = re.compile(r"`((?:engine|eval|foxir|bench|tests|docs|topics|collections)/[\w./-]*)`")


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        group: click.Command = foxir
        for word in name.split():
            assert isinstance(group, click.Group)
            found = group.get_command(click.Context(group), word)
            assert found is not None
            group = found
        yield name, group


def foxir_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line and words of every `foxir` command in the console blocks of a document, up to a pipe or `>`."""
    for step in steps_of(text):
        if step.command.startswith("foxir "):
            yield step.line, list(takewhile(lambda word: word not in ("|", ">"), shlex.split(step.command)[1:]))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_parse(document: str) -> None:
    known = dict(commands())
    for line, call in foxir_lines(text_of(document)):
        n_names = 2 if call[0] in GROUPS else 1
        name, words = " ".join(call[:n_names]), call[n_names:]
        assert name in known, f"{document}:{line}: foxir {name}"
        try:
            known[name].make_context(name, list(words))
        except click.UsageError as error:
            pytest.fail(f"{document}:{line}: {error.format_message()}")


@pytest.mark.parametrize(
    "document",
    [pytest.param(document, marks=() if document == TUTORIAL else pytest.mark.long) for document in SESSIONS],
)
def test_sessions_print_what_is_shown(document: str, tmp_path: Path) -> None:
    if document == "docs/chunks.md":
        pytest.importorskip("bm25s")
    prepare(tmp_path, document)
    for step in steps_of(text_of(document)):
        found = run(step.command, tmp_path)
        assert agrees(step.output, found), f"{document}:{step.line}: {step.command}\n" + "\n".join(found)


def test_a_session_with_another_output_is_noticed() -> None:
    shown = ("first", "...", "last")

    assert agrees(shown, ["first", "last"])
    assert agrees(shown, ["first", "between", "last"])
    assert agrees(["took 3.1 ms"], ["took 8.7 ms"])
    assert not agrees(shown, ["first", "between"])
    assert not agrees(["first"], ["first", "more"])
    assert not agrees(["a", "...", "b", "...", "a"], ["a", "c", "a"])


def test_a_command_may_go_on_in_the_next_line() -> None:
    first, second = steps("$ cat <<END\n> text\n> END\ntext\n$ ls\n")

    assert (first.line, first.command, first.output) == (1, "cat <<END\ntext\nEND", ("text",))
    assert (second.line, second.command, second.output) == (5, "ls", ())


@pytest.mark.parametrize(
    "document",
    [
        *("README.md", "docs/python.md", "docs/structure.md", "docs/tuning.md"),
        *("docs/start_evaluation.md", "docs/start_generation.md", "docs/chunks.md"),
    ],
)
def test_python_examples_run(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, document)
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(block[1] for block in PYTHON.finditer(text_of(document)))
    test = doctest.DocTestParser().get_doctest(examples, {}, document, document, 0)
    printed: list[str] = []

    result = doctest.DocTestRunner(verbose=False).run(test, out=printed.append)

    assert result.attempted > 0
    assert result.failed == 0, "".join(printed)


@pytest.mark.long
def test_json_has_the_names_that_are_documented(tmp_path: Path) -> None:
    page = text_of(doc_json.PAGE)

    assert page == doc_json.with_outlines(page, doc_json.outlines(tmp_path)), "python -m tests.doc_json"


@pytest.mark.parametrize("page", list(settings_tables.PAGES))
def test_the_tables_of_settings_are_what_the_settings_say(page: str) -> None:
    text = text_of(page)

    assert settings_tables.END in text
    assert text == settings_tables.with_table(text, settings_tables.PAGES[page]), "python -m bench.settings_tables"


def test_every_json_is_documented() -> None:
    documented = doc_json.documented(text_of(doc_json.PAGE))

    assert documented.keys() == {name for name, command in commands() if "--json" in options(command)}
    assert documented == {name: len(calls) for name, calls in doc_json.COMMANDS.items()}


def options(command: click.Command) -> list[str]:
    """Return the long options of a command, without --help."""
    return [
        flag
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for flag in parameter.opts
        if flag.startswith("--")
    ]


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_and_option_is_documented(name: str) -> None:
    text = "\n".join(map(text_of, DOCS))
    command = dict(commands())[name]

    assert f"foxir {name}" in text
    missing = [option for option in options(command) if not re.search(rf"{option}(?![\w-])", text)]
    assert not missing, f"foxir {name}: {missing} not in docs/"


def test_the_page_of_measures_is_what_the_families_say() -> None:
    assert text_of("docs/measures.md") == pages(FAMILIES.values()), (
        "python -m eval.measures.reference_page > docs/measures.md"
    )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    for target in LINK.findall(text_of(document)):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / document).parent / file if file else ROOT / document
        assert path.exists(), f"{document}: {target}"
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), f"{document}: {target}"


def anchors(text: str) -> set[str]:
    """Return the anchors that headings have on code-hosting pages."""
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/formats.md", "docs/guarantees.md"])
def test_files_that_are_named_exist(document: str) -> None:
    for name in NAMED_PATH.findall(text_of(document)):
        assert (ROOT / name).exists(), f"{document}: {name}"


def test_modules_that_the_architecture_names_exist() -> None:
    modules = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("[!.]*/**/*.py")]
    named = re.findall(r"[\w/]+\.py\b", text_of("ARCHITECTURE.md"))

    assert len(named) > 100
    assert [
        name for name in named if not any(module.endswith(f"/{name}") or module == name for module in modules)
    ] == []


def test_the_table_of_the_sample_collection_counts_right() -> None:
    table = re.findall(r"^\| `(\w+)/` \| (\d+) \|", text_of("collections/README.md"), flags=re.MULTILINE)

    assert {name: int(count) for name, count in table} == {
        folder.name: len(list(folder.rglob("*.xml")))
        for folder in (ROOT / "collections").iterdir()
        if any(folder.rglob("*.xml"))
    }


@pytest.mark.parametrize("document", DOCS)
def test_pages_of_an_installation_link_to_one_another(document: str) -> None:
    targets = {target.partition("#")[0] for target in LINK.findall(text_of(document)) if "://" not in target}

    assert {target for target in targets if target.startswith("..")} == set()
