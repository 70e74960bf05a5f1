"""The examples in docstrings give what they show, except those that are marked as needing more than the module."""

from __future__ import annotations

import doctest
import importlib
import re

import pytest

from tests.test_imports import MODULES

# An example that is not skipped.
EXAMPLE = re.compile(r"^\s*>>> (?!.*\+SKIP)", re.MULTILINE)


@pytest.mark.parametrize("module", [name for name, path in MODULES.items() if EXAMPLE.search(path.read_text("utf-8"))])
def test_examples_give_what_they_show(module: str) -> None:
    printed: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(importlib.import_module(module), module):
        runner.run(test, out=printed.append)

    assert printed == []
