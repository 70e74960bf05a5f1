"""Messages between the coordinator and the searchers as bytes: MessagePack with the types of the engine.

Unlike a pickle, a message names no code: reading one makes values of the types below, of which nothing is run, and
finds functions by their names among those below. So it may come from a socket.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import msgpack
import numpy as np

from engine import errors, notices
from engine.answers import answer_columns
from engine.errors import FoxirError
from engine.fields import conditions
from engine.images import features, similarity
from engine.index import fields, shard_exchange
from engine.planning import accents, expansion, known_fields, plan
from engine.query import query, query_terms
from engine.query.nexi import example_images, tree
from engine.ranking import articles, facets
from engine.ranking.expressions import expression_scores
from engine.ranking.selection import repetitions, word_budget
from engine.settings import Settings, settings
from engine.settings.kinds import values
from engine.sharded_search import shard_merging, sharded_search
from engine.similarity import expression, own_function
from engine.thesis import coherent_elements


class ClusterQuery(NamedTuple):
    """A query as all its sessions are begun with it.

    identity: digest of the generation; n_shards: how many shards are asked.
    """

    identity: str
    query: str
    settings: Settings
    images: Sequence[plan.ExampleImage]
    n_shards: int


class MessageError(Exception):
    """Bytes are not a message of this program."""


class SearcherError(RuntimeError):
    """An error of a searcher that is not a user's mistake: its text is the `repr` of the error."""

    def __repr__(self) -> str:
        return str(self)


def packed(value: Any) -> bytes:
    """Return a value as bytes; only values of this program's own types are sent, others are a TypeError."""
    message: bytes = msgpack.packb(value, default=_extension, strict_types=True, unicode_errors="surrogatepass")
    return message


def unpacked(message: bytes) -> Any:
    """Return the value of a message; raises MessageError."""
    try:
        return msgpack.unpackb(message, ext_hook=_value, strict_map_key=False, unicode_errors="surrogatepass")
    except Exception as error:  # damaged bytes can raise anything
        raise MessageError(f"a message cannot be read: {type(error).__name__}: {error}") from error


def _types_of(*modules: ModuleType) -> Iterator[type[Any]]:
    """Yield the dataclasses and named tuples defined in the modules."""
    for each in _own(modules):
        if isinstance(each, type) and (dataclasses.is_dataclass(each) or hasattr(each, "_fields")):
            yield each


def _functions_of(*modules: ModuleType) -> Iterator[FunctionType]:
    """Yield the functions defined in the modules."""
    yield from (each for each in _own(modules) if isinstance(each, FunctionType))


def _own(modules: Sequence[ModuleType]) -> Iterator[Any]:
    for module in modules:
        yield from (each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__)


# The types of records; those of errors; the functions that combine values of shards, or build answers.
_RECORDS: Mapping[str, type[Any]] = {
    "ClusterQuery": ClusterQuery,
    **{
        each.__name__: each
        for each in _types_of(
            *(query, query_terms, tree, example_images, settings, values, expression, own_function, plan),
            *(features, similarity, articles, answer_columns, shard_merging, repetitions, word_budget, sharded_search),
            *(expansion, conditions, facets, fields, notices),
        )
    },
}
_ERRORS: Mapping[str, type[FoxirError]] = {
    each.__name__: each for each in _own([errors]) if isinstance(each, type) and issubclass(each, FoxirError)
}
_FUNCTIONS: Mapping[str, FunctionType] = {
    each.__name__: each
    for each in _functions_of(
        *(shard_exchange, shard_merging, coherent_elements, word_budget, repetitions, expression_scores),
        *(accents, expansion, facets, known_fields),
    )
}
_FIELDS: Mapping[type[Any], Sequence[str]] = {
    each: tuple(getattr(each, "_fields", None) or each.__dataclass_fields__) for each in _RECORDS.values()
}
# Records that are the same in most queries, or in the messages of all shards: equal bytes are read as one value, which
# also remembers what is derived from it. How many of them are kept.
_CONSTANTS = {*_types_of(settings, values, expression, plan)}
MOST_CONSTANTS = 256
# The kinds of extensions.
_TUPLE, _SET, _ARRAY, _NUMBER, _INTEGER, _RECORD, _CONSTANT, _FUNCTION, _PARAMETERS, _ERROR = range(10)
# Kinds of NumPy's types whose values are sent as their bytes, and of which the values are sent.
_NUMERIC, _OTHER = "biuf", "OU"


def _extension(value: Any) -> Any:
    """Return a value that MessagePack has no type for as an extension of it; raises TypeError."""
    kind = type(value)
    write = _WRITERS.get(kind, _error_out if isinstance(value, Exception) else None)
    if write is None:
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not among the types that are sent.")
    return msgpack.ExtType(*write(value))


def _value(kind: int, content: bytes) -> Any:
    """Return the value of an extension."""
    return _READERS[kind](content)


def _record_out(value: Any) -> tuple[int, bytes]:
    kind = type(value)
    fields = [getattr(value, name) for name in _FIELDS[kind]]
    return _CONSTANT if kind in _CONSTANTS else _RECORD, packed([kind.__name__, *fields])


def _record_in(content: bytes) -> Any:
    name, *values = unpacked(content)
    kind = _RECORDS[name]
    fields = _FIELDS[kind]
    if len(values) != len(fields):
        raise MessageError(f"{name} with {len(values)} values instead of {len(fields)}: another version of foxir?")
    if issubclass(kind, tuple):
        return tuple.__new__(kind, values)
    record = object.__new__(kind)
    vars(record).update(zip(fields, values, strict=True))
    return record


def _array_out(value: Any) -> tuple[int, bytes]:
    content = value.tobytes() if value.dtype.kind in _NUMERIC else value.ravel().tolist()
    return _ARRAY, packed([value.dtype.str, list(value.shape), content])


def _array_in(content: bytes) -> Any:
    name, shape, values = unpacked(content)
    kind = np.dtype(name)
    if kind.kind in _NUMERIC:
        return np.frombuffer(values, kind).reshape(shape).copy()
    if kind.kind not in _OTHER:
        raise MessageError(f"an array of {kind}")
    array = np.empty(len(values), kind)
    array[:] = values
    return array.reshape(shape)


def _number_out(value: Any) -> tuple[int, bytes]:
    return _NUMBER, packed([value.dtype.str, value.tobytes()])


def _number_in(content: bytes) -> Any:
    name, value = unpacked(content)
    kind = np.dtype(name)
    if kind.kind not in _NUMERIC:
        raise MessageError(f"a number of {kind}")
    return np.frombuffer(value, kind)[0]


def _function_out(value: Any) -> tuple[int, bytes]:
    module, name = value.__module__, value.__name__
    if _FUNCTIONS.get(name) is not value:
        raise TypeError(f"{module}.{name} is not among the functions that are sent.")
    return _FUNCTION, name.encode()


def _error_out(error: Any) -> tuple[int, bytes]:
    """Write the type of a user's mistake, and its arguments; of any other error its text."""
    name = next((each.__name__ for each in type(error).__mro__ if _ERRORS.get(each.__name__) is each), "")
    return _ERROR, packed([name, *error.args] if name else ["", repr(error)])


def _error_in(content: bytes) -> Exception:
    name, *arguments = unpacked(content)
    found: Exception = _ERRORS[name](*arguments) if name else SearcherError(*arguments)
    return found


_WRITERS: Mapping[type, Callable[[Any], tuple[int, bytes]]] = {
    **dict.fromkeys((tuple, fields.Picked), lambda value: (_TUPLE, packed(list(value)))),
    frozenset: lambda value: (_SET, packed(list(value))),
    np.ndarray: _array_out,
    int: lambda value: (_INTEGER, str(value).encode()),  # of more than 64 bits
    FunctionType: _function_out,
    values.ParameterMapping: lambda value: (_PARAMETERS, packed(dict(value))),
    **dict.fromkeys((np.bool_, np.int64, np.float64), _number_out),
    **dict.fromkeys(_FIELDS, _record_out),
}
_READERS: Mapping[int, Callable[[bytes], Any]] = {
    _TUPLE: lambda content: tuple(unpacked(content)),
    _SET: lambda content: frozenset(unpacked(content)),
    _ARRAY: _array_in,
    _NUMBER: _number_in,
    _INTEGER: int,
    _RECORD: _record_in,
    _CONSTANT: lru_cache(MOST_CONSTANTS)(_record_in),
    _FUNCTION: lambda content: _FUNCTIONS[content.decode()],
    _PARAMETERS: lambda content: values.ParameterMapping(unpacked(content)),
    _ERROR: _error_in,
}
