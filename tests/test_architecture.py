"""The architecture has a section for each package, which begins with the question that the package says it answers."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for name in ("engine", "eval", "foxir")
    for path in (ROOT / name).rglob("__init__.py")
)
# The question at the beginning of a text.
QUESTION = re.compile(r"[^.?]+\?")
MOST_WORDS = 3_500


def sections() -> dict[str, str]:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    return dict(re.findall(r"^##+ `([\w/]+)`\n+((?:.|\n)*?)(?=^##|\Z)", text, flags=re.MULTILINE))


def question_of(text: str) -> str:
    found = QUESTION.match(" ".join(text.split()))
    return found[0] if found else ""


def test_each_package_has_a_section() -> None:
    assert sorted(sections()) == PACKAGES


@pytest.mark.parametrize("package", PACKAGES)
def test_a_section_begins_with_the_question_of_its_package(package: str) -> None:
    of_package = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))) or ""

    assert question_of(of_package), f"{package}/__init__.py does not begin with a question"
    assert question_of(sections()[package]) == question_of(of_package)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_section_names_files_of_its_package(package: str) -> None:
    """A name alone is that of a file in the folder; one with a folder is below it, or in the checkout."""
    for name in re.findall(r"`([\w/]+\.(?:py|js|c|css|toml))`", sections()[package]):
        assert any((ROOT / folder / name).exists() for folder in (package, "" if "/" in name else package)), name


def test_the_architecture_can_be_read_in_a_quarter_of_an_hour() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").split()) <= MOST_WORDS


# Folders of one file for each of many things of a kind: they may have more files.
CATALOGUES = ("eval/measures", "foxir/commands", "engine/kernels", "engine/ranking/parts")
MOST_FILES = 20


@pytest.mark.parametrize("package", [each for each in PACKAGES if each not in CATALOGUES])
def test_a_folder_has_few_files(package: str) -> None:
    assert len(list((ROOT / package).glob("*.py"))) <= MOST_FILES + 1  # with __init__.py
