"""Frozen dataclasses and named tuples of `engine.records` behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
import foxir
from engine import records

STANDARD = dataclasses.dataclass
OPTIONS = [{"eq": eq, "repr": shown} for eq in (True, False) for shown in (True, False)]


def both(define: Callable[[Any], type], **options: bool) -> tuple[Any, Any]:
    """Return a class as made by both decorators."""
    return define(records.dataclass(frozen=True, **options)), define(STANDARD(frozen=True, **options))


def define_point(decorator: Any) -> type:
    @decorator
    class Point:
        """A point with everything that fields can have."""

        x: int
        y: float = 0.5
        names: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)
        size: int = field(init=False, default=3)
        made: dict[str, int] = field(init=False, default_factory=dict, hash=False)
        last: str = field(default="z", kw_only=True)
        n_classes: ClassVar[int] = 1

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("negative")

    return Point


def define_single(decorator: Any) -> type:
    @decorator
    class Single:
        """A class with one field."""

        value: Any

    return Single


def define_empty(decorator: Any) -> type:
    @decorator
    class Empty:
        """A class without fields."""

    return Empty


@records.dataclass(frozen=True)
class Stored:
    """A class that can be pickled."""

    x: int
    y: str = "y"


def outcome(call: Callable[[], Any]) -> str:
    """Return what a call returns, or the error that it raises, as text."""
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("options", OPTIONS)
def test_instances_equal_and_hash_and_print_as_those_of_the_standard_library(options: dict[str, bool]) -> None:
    ours, standard = both(define_point, **options)
    for kind in (ours, standard):
        one, same, other = kind(1, 2.0, ["a"], note="n"), kind(1, 2.0, ["a"], note="m"), kind(2)
        assert (one == same) is options["eq"]
        assert one != other
        assert (one == (1, 2.0)) is False
    assert outcome(lambda: ours(1) == ours(1)) == outcome(lambda: standard(1) == standard(1))
    if options["repr"]:
        assert repr(ours(1, names=["b"])) == repr(standard(1, names=["b"]))
    else:
        assert repr(ours(1)).startswith(f"<{__name__}.define_point.<locals>.Point object at")
    if options["eq"]:
        assert outcome(lambda: hash(ours(1))) == outcome(lambda: hash(standard(1)))  # a list is not hashable
        single = [kind((1, "x")) for kind in both(define_single, **options)]
        assert hash(single[0]) == hash(single[1])


POINTS = both(define_point)


@given(st.lists(st.one_of(st.integers(), st.none(), st.lists(st.text(max_size=2), max_size=2)), max_size=5))
@pytest.mark.long
def test_arguments_are_accepted_and_refused_as_by_the_standard_library(arguments: list[Any]) -> None:
    ours, standard = POINTS
    assert outcome(lambda: ours(*arguments)) == outcome(lambda: standard(*arguments))


@pytest.mark.parametrize("named", [{}, {"x": 1}, {"x": 1, "last": "a"}, {"x": 1, "size": 2}, {"x": 1, "no": 2}])
def test_keywords_are_accepted_and_refused_as_by_the_standard_library(named: dict[str, Any]) -> None:
    ours, standard = both(define_point)
    assert outcome(lambda: ours(**named)) == outcome(lambda: standard(**named))


@pytest.mark.parametrize("define", [define_point, define_single, define_empty])
def test_signature_and_fields_are_those_of_the_standard_library(define: Callable[[Any], type]) -> None:
    ours, standard = both(define)
    assert str(inspect.signature(ours)) == str(inspect.signature(standard))
    assert ours.__init__.__qualname__ == standard.__init__.__qualname__
    assert list(map(repr, dataclasses.fields(ours))) == list(map(repr, dataclasses.fields(standard)))
    assert ours.__match_args__ == standard.__match_args__


def test_fields_can_be_neither_set_nor_deleted() -> None:
    for point in (kind(1) for kind in both(define_point)):
        for name in ("x", "unknown"):
            with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{name}'"):
                setattr(point, name, 2)
            with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot delete field '{name}'"):
                delattr(point, name)
        assert point.x == 1


def test_a_subclass_has_the_fields_of_both_and_may_have_attributes_of_its_own() -> None:
    @records.dataclass(frozen=True)
    class Extended(Stored):
        """A record with one more field."""

        more: int = 7

    class Plain(Stored):
        """A subclass that is not a dataclass itself."""

    assert Extended(1, more=8) == Extended(1, "y", 8) != Extended(1)
    assert repr(Extended(1)).endswith("Extended(x=1, y='y', more=7)")
    assert outcome(lambda: Extended(1) == Stored(1)) == "False"
    plain: Any = Plain(1)
    plain.extra = 2
    assert plain.extra == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.x = 2


def test_methods_that_a_class_defines_stay() -> None:
    @records.dataclass(frozen=True)
    class Own:
        """A class with methods of its own."""

        x: int

        def __init__(self, text: str) -> None:
            object.__setattr__(self, "x", int(text))

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 5

        def __eq__(self, _other: object) -> bool:
            return True

    own: Any = Own
    assert (repr(own("3")), hash(own("3")), own("3").x) == ("own", 5, 3)
    assert own("3") == own("4")


def test_records_are_copied_replaced_and_pickled() -> None:
    stored = Stored(1)
    assert pickle.loads(pickle.dumps(stored)) == copy.deepcopy(stored) == stored == dataclasses.replace(stored, y="y")
    assert dataclasses.replace(stored, x=2) == Stored(2)
    assert dataclasses.asdict(stored) == {"x": 1, "y": "y"}
    assert records.with_values(stored, x=2) == Stored(2)
    assert stored == Stored(1)
    with pytest.raises(TypeError, match="Stored has no such fields: z"):
        records.with_values(stored, x=2, z=3)


def test_a_record_that_contains_itself_prints() -> None:
    ours, standard = both(define_single)
    shown = []
    for kind in (ours, standard):
        inner: list[Any] = []
        inner.append(kind(inner))
        shown.append(repr(inner[0]))
    assert shown[0] == shown[1]


def test_only_frozen_classes_are_made() -> None:
    with pytest.raises(TypeError, match="frozen dataclasses only"):
        records.dataclass(frozen=False)


@pytest.mark.long
def test_every_record_of_the_engine_compiles_the_constructor_of_the_standard_library() -> None:
    compared = 0
    for kind in of_all_modules():
        fields_of = {
            name: each
            for name, each in kind.__dict__.items()
            if not name.startswith("__") and not callable(each) and not isinstance(each, property)
        }
        fields_of.update({each.name: field_like(each) for each in dataclasses.fields(kind)})
        namespace = {**fields_of, "__annotations__": {each.name: each.type for each in dataclasses.fields(kind)}}
        reference: Any = STANDARD(frozen=True)(type(kind.__name__, (), namespace))
        assert str(inspect.signature(kind)) == str(inspect.signature(reference)), kind
        compared += 1
    assert compared > 80


def field_like(each: Any) -> Any:
    """Return a new field with the same options."""
    missing, options = dataclasses.MISSING, {"init": each.init, "kw_only": each.kw_only}
    if each.default_factory is not missing:
        return field(default_factory=each.default_factory, **options)
    return field(**options) if each.default is missing else field(default=each.default, **options)


def of_all_modules() -> Iterator[Any]:
    """Yield the classes that `records.dataclass` has made in the engine and the command line."""
    for package in (engine, foxir):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            places = ("engine.", "foxir.commands.", "foxir.terminal.")
            if not found.name.startswith(places) or found.name.endswith("__main__"):
                continue
            module = importlib.import_module(found.name)
            if getattr(module, "dataclass", None) is records.dataclass and module is not records:
                yield from (
                    each
                    for each in vars(module).values()
                    if isinstance(each, type) and dataclasses.is_dataclass(each) and each.__module__ == module.__name__
                )


class Pair(records.NamedTuple):
    """A pair with a method, a property and a default."""

    first: int
    second: Sequence[str] = ()

    @property
    def size(self) -> int:
        """Number of strings."""
        return len(self.second)

    @classmethod
    def of(cls, text: str) -> Pair:
        """Return the pair of a text."""
        return cls(len(text), text.split())


class StandardPair(typing.NamedTuple):
    """A pair with a default."""

    first: int
    second: Sequence[str] = ()


def test_named_tuples_are_those_of_the_standard_library() -> None:
    ours, standard = Pair(1, "ab"), StandardPair(1, "ab")
    assert list(ours) == list(standard) == [1, "ab"]
    assert repr(ours) == repr(standard).replace("StandardPair", "Pair")
    assert (Pair._fields, Pair._field_defaults) == (StandardPair._fields, StandardPair._field_defaults)
    assert typing.get_type_hints(Pair) == typing.get_type_hints(StandardPair)
    for arguments in ((), (1,), (1, 2, 3)):
        made: list[Any] = [partial(Pair, *arguments), partial(StandardPair, *arguments)]
        assert outcome(made[0]) == outcome(made[1]).replace("StandardPair", "Pair")
    assert (ours.size, Pair.of("a b"), ours._replace(first=3)) == (2, (3, ["a", "b"]), (3, "ab"))
    assert pickle.loads(pickle.dumps(ours)).__class__ is Pair
    assert (Pair.__doc__, Pair.__module__, Pair.__mro__[1:]) == (
        "A pair with a method, a property and a default.",
        __name__,
        StandardPair.__mro__[1:],
    )


def test_named_tuples_that_are_none_are_refused() -> None:
    make: Any = type(records.NamedTuple)
    with pytest.raises(TypeError, match="no other base"):
        make("Two", (records.NamedTuple, Pair), {"__module__": __name__})
    with pytest.raises(TypeError, match="a field without a default follows one"):
        make(
            "Wrong",
            (records.NamedTuple,),
            {"__module__": __name__, "__annotations__": {"a": "int", "b": "int"}, "a": 1},
        )
