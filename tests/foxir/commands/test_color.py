"""The environment decides whether output is styled."""

from __future__ import annotations

import pytest

from foxir.terminal.commands import color_setting


@pytest.mark.parametrize(
    ("environ", "setting"),
    [
        ({}, None),
        ({"TERM": "xterm"}, None),
        ({"NO_COLOR": "", "FORCE_COLOR": ""}, None),
        ({"NO_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_no_color_comes_before_force_color_and_that_before_the_terminal(environ, setting):
    assert color_setting(environ) is setting
