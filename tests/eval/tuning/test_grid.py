from __future__ import annotations

import math
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from eval.tuning.grid import Grid, read_grid, values_of
from tests.trust.soak import effort


def grid_of(folder, text, check=None):
    (folder / "grid.toml").write_text(text)
    return read_grid(folder / "grid.toml", check)


def test_every_combination_the_last_name_fastest(tmp_path):
    grid = grid_of(tmp_path, "k1 = [0.9, 1.2]\nb = [0.3, 0.7]\n[fixed]\nsimilarity = 'okapi'")

    assert [(point["k1"], point["b"]) for point in grid.points] == [(0.9, 0.3), (0.9, 0.7), (1.2, 0.3), (1.2, 0.7)]
    assert {point["similarity"] for point in grid.points} == {"okapi"}
    assert grid.parameters == {"k1": (0.9, 1.2), "b": (0.3, 0.7)}
    assert grid.label(grid.points[1]) == "k1 0.9, b 0.7"


def test_sub_grids_are_united_and_share_the_values_above_them(tmp_path):
    grid = grid_of(
        tmp_path,
        """
        heuristic = ["MpE", "TPF"]
        [[grid]]
        similarity = "okapi"
        k1 = [1, 2]
        [[grid]]
        similarity = "dirichlet"
        mu = [200, 2000]
        [[grid]]
        similarity = "okapi"
        k1 = [2, 3]
        """,
    )

    assert len(grid.points) == 2 * 3 + 2 * 2  # k1 2 occurs twice
    assert grid.parameters == {
        "heuristic": ("MpE", "TPF"),
        "similarity": ("okapi", "dirichlet"),
        "k1": (1, 2, 3),
        "mu": (200, 2000),
    }


def test_numbers_rise_and_words_stay(tmp_path):
    grid = grid_of(tmp_path, "max_per_article = ['all', 5, 1]\nmax_articles = [500, 10]")

    assert grid.parameters == {"max_per_article": ("all", 5, 1), "max_articles": (10, 500)}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"from": 0, "to": 1, "step": 0.25}, (0, 0.25, 0.5, 0.75, 1)),
        ({"from": 0.1, "to": 0.7, "step": 0.2}, (0.1, 0.3, 0.5, 0.7)),
        ({"from": 1, "to": 10, "step": 4}, (1, 5, 9)),
        ({"from": 200, "to": 1000, "count": 5}, (200, 400, 600, 800, 1000)),
        ({"from": 0, "to": 1, "count": 3}, (0, 0.5, 1)),
        ({"from": 1, "to": 1000, "count": 4, "scale": "log"}, (1, 10, 100, 1000)),
        ({"from": 0.1, "to": 10, "count": 5, "scale": "log"}, (0.1, 0.316228, 1.0, 3.16228, 10)),
        ({"from": 1, "to": 20, "count": 8, "scale": "log", "whole": True}, (1, 2, 4, 6, 8, 13, 20)),
        ([3, 1, 3], (3, 1)),
        (True, (True,)),
    ],
)
def test_values(given, expected):
    assert values_of("x", given) == expected


@given(st.integers(-1000, 1000), st.integers(1, 2000), st.integers(2, 60), st.booleans())
def test_ranges_rise_from_end_to_end(first, width, count, is_log):
    first = abs(first) + 1 if is_log else first
    values = values_of(
        "x", {"from": first, "to": first + width, "count": count, "scale": "log" if is_log else "linear"}
    )

    assert (values[0], values[-1]) == (first, first + width)
    assert list(values) == sorted(values)
    if not is_log and width % (count - 1) == 0:
        assert all(isinstance(value, int) for value in values)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k1 = [", "not a grid"),
        ("", "found 0 combination"),
        ("k1 = [1.2]", "found 1 combination"),
        ("k1 = [1, 1.0]", "found 1 combination"),
        ("[fixed]\nk1 = 1", "found 0 combination"),
        ("k1 = []", "k1 = []: expected values"),
        ("k1 = [[1]]", "k1 = [1]: expected values"),
        ("k1 = [nan, 1]", "k1 = nan: expected values"),
        ("k1 = {from = 1, to = 2}", "k1: expected values"),
        ("k1 = {from = 1, to = 2, step = 1, count = 2}", "k1: expected values"),
        ("k1 = {from = 1, to = 2, stepp = 1, count = 2}", "k1: 'stepp' is not part of a range"),
        ("k1 = {from = 'a', to = 2, count = 2}", "k1: from = a: expected"),
        ("k1 = {to = 2, count = 2}", "k1: expected values"),
        ("k1 = {from = 2, to = 1, count = 2}", "k1: a range goes upwards, found from 2 to 1"),
        ("k1 = {from = 0, to = 1, count = 2, scale = 'log'}", "k1: a range goes from above 0 upwards"),
        ("k1 = {from = 0, to = 1, step = 0}", "k1: step = 0"),
        ("k1 = {from = 0, to = 1, step = 1e-9}", "k1: from 0 to 1 by 1e-09 is over 100,000 values"),
        ("k1 = {from = 0, to = inf, count = 3}", "k1: to = inf"),
        ("k1 = {from = 0, to = 1, count = 1}", "k1: count = 1"),
        (
            "a = {from = 0, to = 1, count = 1000}\nb = {from = 0, to = 1, count = 1000}",
            "more than 100,000 combinations",
        ),
        ("k1 = {from = 0, to = 1e308, step = 5e-324}", "k1: from 0 to 1e+308 by 4.94066e-324 is over 100,000 values"),
        (f"k1 = {{from = 0, to = {10**400}, step = 1}}", "k1: to = 1000"),
        (f"k1 = {{from = 0, to = 1, step = {10**400}}}", "k1: step = 1000"),
        (f"k1 = [1, {10**400}]", "k1 = 1000"),
        (
            "\n".join(f"[[grid]]\nk1 = {{from = {n}, to = {n + 1}, count = 60_000}}" for n in (1, 2)),
            "more than 100,000 combinations",
        ),
        ("k1 = [1, 2]\n[fixed]\nk1 = 1", "k1 is both under [fixed] and in the grid"),
        ("fixed = 3", "fixed: expected one value for each"),
        ("[fixed]\nk1 = [1, 2]", "fixed: expected one value for each"),
        ("grid = 3", "grid: expected tables"),
    ],
)
def test_mistakes_are_reported_with_file_and_setting(text, words, tmp_path):
    with pytest.raises(SettingsError, match=re.escape(words)) as refused:
        grid_of(tmp_path, text)

    assert str(refused.value).startswith(f"{tmp_path / 'grid.toml'}: ")


@pytest.mark.long
def test_many_large_ranges_are_refused_before_they_fill_memory(tmp_path):
    lines = (f"a{n} = {{from = 0, to = 1, step = 1.01e-5}}" for n in range(effort(60, 1000, thorough=1000)))
    tracemalloc.start()
    try:
        with pytest.raises(SettingsError, match="more than 100,000 combinations"):
            grid_of(tmp_path, "\n".join(lines))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 100e6


def test_an_illegal_point_is_reported_with_its_file(tmp_path):
    def refuse(point):
        if point["k1"] > 2:
            raise SettingsError("k1 = '3'")

    with pytest.raises(SettingsError, match=r"grid.toml: k1 = '3'"):
        grid_of(tmp_path, "k1 = [1, 3]", refuse)


def test_there_is_no_file(tmp_path):
    with pytest.raises(SettingsError, match="not a grid"):
        read_grid(tmp_path / "none.toml")


def test_infinity_is_a_value():
    assert Grid(({"k3": 7}, {"k3": math.inf})).parameters == {"k3": (7, math.inf)}
