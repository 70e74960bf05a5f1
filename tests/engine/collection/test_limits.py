"""Limits are set by name, with sizes such as 128M."""

from __future__ import annotations

import doctest
import re

import pytest

from engine.collection import limits
from engine.collection.limits import Limits
from engine.errors import SettingsError


def test_the_examples_hold() -> None:
    failed, attempted = doctest.testmod(limits)

    assert failed == 0 < attempted


def test_limits_are_set_by_name() -> None:
    given = Limits.from_assignments(["max_text=128M", "max_depth = 2000", "max_archive_bytes=1t", "max_ratio=7k"])

    assert given == Limits(max_text=2**27, max_depth=2000, max_archive_bytes=2**40, max_ratio=7168)
    assert Limits.from_assignments([]) == Limits()


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        (
            "max_txt=5",
            "limits: 'max_txt=5': did you mean 'max_text'? expected one of max_file_bytes, max_depth, max_text",
        ),
        ("max_text", "limits: 'max_text': expected max_text=N, a whole number such as 500000 or 128M."),
        ("max_text=1.5M", "expected max_text=N"),
        ("max_text=-1", "expected max_text=N"),
        ("max_text=", "expected max_text=N"),
        ("max_text=0", "max_text = 0: expected a whole number from 1."),
        ("max_depth=2001", "max_depth = 2001: expected at most 2,000, the parser's limit."),
    ],
)
def test_invalid_limits_are_refused(assignment: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        Limits.from_assignments([assignment])
