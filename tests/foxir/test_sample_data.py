"""The sample data are found in an installed package and in a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CollectionError
from foxir.sample_data import sample_folder


def make(folder: Path) -> Path:
    for name in ("collections", "topics"):
        (folder / name).mkdir(parents=True)
    return folder


def test_an_installed_package_contains_them(tmp_path: Path) -> None:
    inside = make(tmp_path / "foxir" / "sample")

    assert sample_folder(tmp_path / "foxir") == inside


def test_in_a_checkout_they_are_beside_the_package(tmp_path: Path) -> None:
    beside = make(tmp_path)

    assert sample_folder(tmp_path / "foxir") == beside


def test_data_in_the_package_come_before_those_beside_it(tmp_path: Path) -> None:
    make(tmp_path)
    inside = make(tmp_path / "foxir" / "sample")

    assert sample_folder(tmp_path / "foxir") == inside


def test_topics_alone_are_no_sample_data(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()

    with pytest.raises(CollectionError, match=r"neither .*/foxir/sample nor .* contains collections/ and topics/"):
        sample_folder(tmp_path / "foxir")


def test_this_checkout_has_them() -> None:
    folder = sample_folder()

    assert (folder / "topics" / "qrels.txt").is_file()
    assert list((folder / "collections").rglob("*.xml"))
