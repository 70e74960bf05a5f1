"""A settings file that foxir wrote is read whole or refused; what people write needs no frame."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.errors import SettingsError
from engine.ranking.parts.catalogue import WEIGHTS
from engine.settings import default_settings
from engine.settings.settings_files import BEGIN, COUNT, END, read_settings

LEARNED = foxir.make_settings(parent_weight=0.3, coverage=0.8, max_per_article=2)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    foxir.write_settings(LEARNED, tmp_path / "learned.toml", ["Chosen by hand", "Topics: 1 2"])
    return tmp_path / "learned.toml"


def test_a_file_that_was_cut_at_the_end_of_any_line_is_refused(written: Path) -> None:
    lines = written.read_text("utf-8").splitlines(keepends=True)
    assert read_settings(written) == LEARNED
    for kept in range(1, len(lines)):
        written.write_text("".join(lines[:kept]), "utf-8")
        with pytest.raises(SettingsError, match=rf"learned\.toml:{kept}: the file ends before its last line"):
            read_settings(written)


def test_a_file_that_lost_any_setting_is_refused(written: Path) -> None:
    text = written.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    settings = [line for line in lines if not line.startswith("#") and line.strip()]
    assert f"{COUNT}{len(settings)}\n" in lines
    for lost in settings:
        written.write_text(text.replace(lost, "", 1), "utf-8")
        with pytest.raises(SettingsError, match=rf"has {len(settings) - 1} settings, {len(settings)} were written"):
            read_settings(written)

    written.write_text(text.replace("coverage = 0.8", "coverage = 0.7"), "utf-8")
    assert read_settings(written).coverage == 0.7


def test_an_empty_file_is_refused(written: Path) -> None:
    written.write_text("\n")
    with pytest.raises(SettingsError, match=r"learned\.toml: the file is empty"):
        read_settings(written)


def test_a_written_file_may_be_edited(written: Path) -> None:
    text = written.read_text("utf-8").replace("coverage = 0.8\n", "")
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(COUNT))
    written.write_text(text.replace("parent_weight = 0.3", "parent_weight = 0.6") + "# a note\n", "utf-8")
    found = read_settings(written)
    assert (found.parent_weight, found.coverage) == (0.6, default_settings().coverage)

    written.write_text("# by hand\nparent_weight = 0.3\n", "utf-8")
    assert read_settings(written).parent_weight == 0.3


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", "-1", "true", '"x"', "[1]", "2026-01-01"])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_weight_that_is_no_number_in_range_is_refused(written: Path, weight: str, value: str) -> None:
    written.write_text(f"{BEGIN}\n{weight} = {value}\n{END}\n", "utf-8")
    with pytest.raises(SettingsError, match=rf"learned\.toml: {weight} = .*: expected a number from 0 to "):
        read_settings(written)


@pytest.mark.parametrize("line", ["parent_wieght = 1", "version = 3", "[weights]", "title_vector = 0.3"])
def test_a_name_that_is_no_setting_is_refused(written: Path, line: str) -> None:
    written.write_text(f"{BEGIN}\n{line}\n{END}\n", "utf-8")
    with pytest.raises(SettingsError, match=r"learned\.toml: setting '\w+' is unknown"):
        read_settings(written)
