"""The text of an element for readers and models: elements that border each other are set apart."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index.reader import IndexReader
from engine.retrieval.readable_text import readable_text
from tests.engine.small_index import grown_index, index_of
from tests.trust.soak import effort

PROFILE = 'inline = ["i"]'


def readable(index: IndexReader, row: int = 0) -> str:
    return readable_text(index, 0, row, *index.spans(0, np.array([row]))[0].tolist())


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            "<t><tr><th>Loans</th><th>Returns</th></tr><tr><td>12</td><td>-240</td></tr></t>",
            "Loans Returns\n12 -240",
        ),
        ("<t><tr><td>a</td><td/><td>b</td></tr></t>", "a b"),
        ("<t><title>Tides</title><p>High <i>wa</i>ter.</p><p>Low.</p></t>", "Tides\nHigh water.\nLow."),
        ("<t><p>10 m<sup>2</sup>, see <ref>4</ref>.</p></t>", "10 m 2, see 4."),
        ("<t>\n <p>One</p>\n <p>Two</p>\n</t>", "\n One\n Two\n"),
        ("<t>a<br/>b</t>", "a b"),
        ("<t/>", ""),
    ],
)
def test_blocks_are_set_apart_by_a_line_and_cells_by_a_blank(tmp_path: Path, markup: str, expected: str) -> None:
    profile = tmp_path / "inline.toml"
    profile.write_text(PROFILE)
    with index_of(tmp_path, {"a": markup}, profile=str(profile)) as index:
        assert readable(index) == expected


WORDS = st.sampled_from(["", "a", "b.", " ", "\n", "(", "7"])
TREES = st.recursive(
    WORDS,
    lambda inside: st.tuples(st.sampled_from(["p", "td", "i"]), st.lists(inside, max_size=4)).map(
        lambda element: f"<{element[0]}>{''.join(element[1])}</{element[0]}>"
    ),
    max_leaves=12,
)


@settings(max_examples=effort(5, 625, thorough=25), deadline=None)
@given(TREES)
def test_only_white_space_is_added_and_never_beside_white_space(tree: str) -> None:
    with grown_index([{"a": f"<t>{tree}</t>"}], profile_text=PROFILE) as index:
        exact, shown = index.text(0), readable(index)
        assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", exact)
        assert len(re.findall(r"\s(?=\s)", shown)) == len(re.findall(r"\s(?=\s)", exact))
