"""Errors are values: each round-trips through pickle, as a pool of processes needs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import foxir
from engine.errors import FoxirError, WordBudgetError
from engine.topics.topic import NoTopicFileError
from tests.foxir.conftest import Sample

ROOT = Path(__file__).parents[2]


def subclasses(base: type[FoxirError]) -> Iterator[type[FoxirError]]:
    for each in base.__subclasses__():
        yield each
        yield from subclasses(each)


RAISED: dict[type[FoxirError], Callable[[Sample, Path], object]] = {
    foxir.CollectionError: lambda sample, folder: foxir.build_index(folder / "nosuch", into=folder / "i.foxir"),
    foxir.ProfileError: lambda sample, folder: foxir.build_index(
        ROOT / "collections", into=folder / "i.foxir", profile="nosuch"
    ),
    foxir.IndexFormatError: lambda sample, folder: foxir.open_index(folder),
    foxir.TopicError: lambda sample, folder: foxir.read_topics(ROOT / "topics/co")["99"],
    NoTopicFileError: lambda sample, folder: sample.index.run("nosuch"),
    foxir.QueryError: lambda sample, folder: sample.index.search("//a[about(., x"),
    WordBudgetError: lambda sample, folder: sample.index.explain("fog", "jats/fx-006", "/article[1]", word_budget=1),
    foxir.SettingsError: lambda sample, folder: sample.index.search("x", mu=-1),
    foxir.RunFormatError: lambda sample, folder: foxir.read_run(ROOT / "README.md"),
    foxir.AssessmentError: lambda sample, folder: foxir.read_assessments(ROOT / "README.md"),
    foxir.MeasureError: lambda sample, folder: sample.table.value("nosuch"),
    foxir.ArgumentError: lambda sample, folder: foxir.latex(sample.table, baseline="a", test="nosuch"),
}


def same(one: BaseException, two: BaseException) -> bool:
    return (type(one), str(one), one.__dict__) == (type(two), str(two), two.__dict__)


@pytest.mark.parametrize("kind", RAISED, ids=lambda kind: kind.__name__)
def test_an_error_as_raised_round_trips_through_pickle(kind: type[FoxirError], sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(kind) as found:
        RAISED[kind](sample, tmp_path)

    assert same(pickle.loads(pickle.dumps(found.value)), found.value)


@pytest.mark.parametrize("kind", sorted(set(subclasses(FoxirError)) - set(RAISED), key=str), ids=lambda k: k.__name__)
def test_other_errors_are_made_of_a_message_and_round_trip(kind: type[FoxirError]) -> None:
    error = kind("file:1: found this, expected that.")

    assert same(pickle.loads(pickle.dumps(error)), error)
