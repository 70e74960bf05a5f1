"""The public API is typed: mypy accepts what is right, and rejects wrong names and types."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import foxir
from engine.settings.catalogue import FORMER, KINDS, PREFIX
from engine.similarity.parameters import PARAMETERS
from foxir.searching.search_settings import SearchKeywords
from tests.foxir.wrong_types import program

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
TYPED = ROOT / "tests/foxir/typed"
ERROR = re.compile(r"(\w+)\.py:(\d+): error: (.*)")


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """What mypy rejects in three files: line and message by file."""
    pytest.importorskip("mypy")
    every = tmp_path_factory.mktemp("types") / "every.py"
    every.write_text(program(), encoding="utf-8")
    files = [str(TYPED / "accepted.py"), str(TYPED / "rejected.py"), str(every)]
    command = [sys.executable, "-m", "mypy", *files]  # under the settings of the checkout, whose cache it shares
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, dict[int, str]] = {"accepted": {}, "rejected": {}, "every": {}}
    for file, line, message in ERROR.findall(done.stdout):
        found[file][int(line)] = message
    return found


def test_mypy_accepts_what_is_right(errors: dict[str, dict[int, str]]) -> None:
    assert errors["accepted"] == {}


def test_mypy_rejects_every_wrong_call_and_no_other(errors: dict[str, dict[int, str]]) -> None:
    lines = (TYPED / "rejected.py").read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("# rejected")}

    assert len(marked) > 30
    assert set(errors["rejected"]) == marked


def test_mypy_rejects_a_wrong_type_of_every_parameter_and_a_wrong_name_of_every_call(
    errors: dict[str, dict[int, str]],
) -> None:
    lines = program().splitlines()

    assert len(lines) > 600
    assert [
        line for number, line in enumerate(lines, 1) if line.startswith("    ") and number not in errors["every"]
    ] == []


def test_keywords_of_a_search_are_the_settings_and_parameters() -> None:
    parameters = set(PARAMETERS)
    allowed = {
        *KINDS,
        *FORMER,
        *parameters,
        *(PREFIX + name for name in parameters),
        "preset",
        "parameters",
        "named",
        "task",
    }
    keywords = set(get_type_hints(SearchKeywords))

    assert keywords <= allowed
    assert {*KINDS, *FORMER, *parameters, "preset", "named", "task"} <= keywords


def test_every_public_name_is_found_listed_and_explained() -> None:
    assert set(foxir.__all__) <= set(dir(foxir))
    for name in foxir.__all__:
        assert getattr(foxir, name) is not None
        assert name == "__version__" or getattr(foxir, name).__doc__, name
    with pytest.raises(AttributeError, match="module 'foxir' has no attribute 'serch'"):
        _ = foxir.serch  # type: ignore[attr-defined]


def test_importing_foxir_imports_nothing_large() -> None:
    large = ("numpy", "lxml", "engine", "eval", "click")
    code = f"import sys, foxir; print([name for name in {large} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
