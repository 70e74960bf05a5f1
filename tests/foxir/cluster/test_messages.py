from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("msgpack")

from engine.errors import QueryError, WordBudgetError
from engine.index.reader import open_reader
from engine.query.nexi.parser import parse_nexi
from engine.settings import Settings
from engine.sharded_search import shard_merging
from engine.sharded_search.sharded_search import CombineRequest, Failed
from foxir.cluster.messages import MessageError, SearcherError, packed, unpacked
from tests.engine.index.sharded import grown
from tests.engine.ranking import shards_in_process
from tests.engine.sharded_search.test_sharded_search import OFFERED, assert_equal
from tests.foxir.cluster.conftest import DOCUMENTS

texts = st.text(st.characters(exclude_categories=()))  # also halves of surrogate pairs
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts | st.binary()
keys = texts | st.integers() | st.tuples(st.text(), st.integers())
values = st.recursive(
    scalars | st.frozensets(st.text()),
    lambda each: st.lists(each) | st.lists(each).map(tuple) | st.dictionaries(keys, each),
    max_leaves=20,
)
PATH = '//sec[about(., "light and rock" -fog) and not(.//p > 3) or .//p = "x"]//(p|sec)[about(., rock +sea)]'


def shown(value: Any) -> str:
    """Return a value as text, which tells a tuple from a list, 1 from 1.0 and True, and -0.0 from 0.0."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{shown(key)}: {shown(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple | frozenset):
        parts = [shown(each) for each in value]
        return f"{type(value).__name__}{sorted(parts) if isinstance(value, frozenset) else parts}"
    return repr(value)


@given(values)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert shown(unpacked(packed(value))) == shown(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, -2], [3, 2**62]]),
        np.array([0.1, -0.0, np.inf, np.nan, 5e-324]),
        np.array([[True], [False]]),
        np.array([], np.uint8),
        np.array([7, 2**70], object),
        np.array(["fog", "Nebel"]),
        np.array(3.5),
    ],
)
def test_an_array_comes_back_with_its_type_and_shape(array: Any) -> None:
    found = unpacked(packed(array))
    assert (found.dtype, found.shape, found.tolist().__repr__()) == (array.dtype, array.shape, repr(array.tolist()))
    assert found.flags.writeable


def test_a_number_of_numpy_comes_back_with_its_type() -> None:
    for number in (np.float64(0.1), np.int64(-3), np.bool_(True)):
        found = unpacked(packed(number))
        assert type(found) is type(number)
        assert found == number


@pytest.mark.long
def test_searches_whose_shards_exchange_messages_have_the_answers_of_one_index(tmp_path: Path) -> None:
    with (
        grown(tmp_path, [DOCUMENTS], None) as whole,
        grown(tmp_path, [DOCUMENTS], 3) as parts,
        open_reader(whole) as one,
    ):
        shards = shards_in_process.Shards(parts)
        for number, way in enumerate(OFFERED):
            assert_equal(one, shards, '"light and rock" -fog' if number % 2 else "sea tide", way)
        for reading in ("CO", "SS", "SV", "VS", "VV"):
            assert_equal(one, shards, PATH, {"reading": reading})


def test_a_query_as_deep_as_one_may_be_is_sent() -> None:
    condition = "about(., sea)"
    for number in range(50):
        condition = f"({condition} {'and' if number % 2 else 'or'} about(., fog))"
    path = parse_nexi(f"//sec[{condition}]")
    assert unpacked(packed(path)) == path


def test_equal_settings_are_one_value() -> None:
    options = {"max_answers": 7, "inside": "//sec", "min_words": "0.5x", "where": "year > 1 and not (a:b or c = d)"}
    settings = Settings.from_options(**options)
    found = unpacked(packed(settings))
    assert found == settings
    assert unpacked(packed(Settings.from_options(**options))) is found


def test_errors_of_users_keep_their_type_and_message() -> None:
    for error in (QueryError("the query is empty."), WordBudgetError.too_small(5, 9)):
        found = unpacked(packed(Failed(error))).error
        assert (type(found), found.message) == (type(error), error.message)
    mistake = unpacked(packed(Failed(KeyError("sea")))).error
    assert (type(mistake), repr(mistake)) == (SearcherError, "KeyError('sea')")


def test_a_function_is_found_among_those_that_are_sent() -> None:
    assert unpacked(packed(CombineRequest(shard_merging.largest, 3))).combiner is shard_merging.largest
    for function in (os.system, packed, lambda values: values, np.sum):
        with pytest.raises(TypeError, match="not among the"):
            packed(CombineRequest(function, 3))
    forged = packed(CombineRequest(shard_merging.largest, 3)).replace(b"largest", b"_system")
    with pytest.raises(MessageError, match="KeyError"):
        unpacked(forged)


def test_what_is_not_sent_is_refused() -> None:
    for value in (object(), Path("sea"), {"sea"}, [range(3)], np.array([object()])):
        with pytest.raises(TypeError, match="not among the types that are sent"):
            packed(value)


@given(st.binary())
def test_strange_bytes_are_an_error(content: bytes) -> None:
    for message in (content, packed(Settings())[: len(content)], b"\xc7\x20\x05" + content):
        try:
            unpacked(message)
        except MessageError:
            continue


def test_a_pickle_is_no_message() -> None:
    class Harmful:
        def __reduce__(self) -> Any:
            return os.mkdir, ("harm",)

    with pytest.raises(MessageError):
        unpacked(pickle.dumps(Harmful()))
    assert not Path("harm").exists()
