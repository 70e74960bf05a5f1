"""Frozen dataclasses and named tuples whose import takes a tenth and a half of the time of the standard ones.

The standard decorator compiles six methods of each class from text when its module is imported; a command uses few of
them. `dataclass` compiles `__init__` alone, when it is first looked up; the other methods are the same functions for
all classes. Fields, `replace` and `asdict` are those of `dataclasses`. `NamedTuple` keeps annotations as they are
written, where that of `typing` compiles each. For type checkers both are the standard ones.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["NamedTuple", "dataclass", "with_values"]

if TYPE_CHECKING:
    from dataclasses import dataclass
    from typing import NamedTuple
else:

    class _TupleMaker(type):
        """The metaclass of `NamedTuple`: its subclasses become tuples with named fields."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            fields = namespace.get("__annotations__", {})
            if len(bases) > 1:
                raise TypeError("engine.records: a NamedTuple has no other base.")
            defaults = [namespace[field] for field in fields if field in namespace]
            if any(field in namespace for field in list(fields)[: len(fields) - len(defaults)]):
                raise TypeError("engine.records: a field without a default follows one that has a default.")
            made = namedtuple(name, fields, defaults=defaults, module=namespace["__module__"])
            made.__annotations__ = made.__new__.__annotations__ = fields
            for key, value in namespace.items():
                if key not in fields and key not in ("__module__", "__annotations__"):
                    setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_TupleMaker, "NamedTuple", (), {})

    def dataclass(*, frozen: bool, eq: bool = True, repr: bool = True) -> Callable[[type], type]:
        """Return the decorator that makes a class a dataclass, as `dataclasses.dataclass` does; frozen ones only."""
        if not frozen:
            raise TypeError("engine.records: frozen dataclasses only; use the standard decorator for others.")

        def make(kind: type) -> type:
            kind = dataclasses.dataclass(init=False, repr=False, eq=False)(kind)
            every = dataclasses.fields(kind)
            made: dict[str, Any] = {"__init__": _Initialiser(kind)}
            if repr:
                made["__repr__"] = _repr([each.name for each in every if each.repr])
            if eq:
                made["__eq__"] = _equality(_values([each.name for each in every if each.compare]))
            # Python gives a class with an __eq__ of its own the __hash__ None, which is not explicit.
            explicit = "__hash__" in kind.__dict__ and not (kind.__hash__ is None and "__eq__" in kind.__dict__)
            for name, method in made.items():
                if name not in kind.__dict__:
                    setattr(kind, name, method)
            if eq and not explicit:
                hashed = [each.name for each in every if (each.compare if each.hash is None else each.hash)]
                kind.__hash__ = _hash(_values(hashed))
            kind.__setattr__, kind.__delattr__ = _frozen(kind, frozenset(each.name for each in every))
            return kind

        return make


Record = TypeVar("Record")


def with_values(record: Record, **values: Any) -> Record:
    """Return a copy of a frozen record with other values of the given fields, as `dataclasses.replace` does, faster.

    For records without `__post_init__` and cached values: fields are copied, nothing is computed again.
    """
    made = object.__new__(type(record))
    if not values.keys() <= record.__dict__.keys():
        raise TypeError(
            f"{type(record).__name__} has no such fields: {', '.join(values.keys() - record.__dict__.keys())}."
        )
    made.__dict__.update(record.__dict__, **values)
    return made


class _Factory:
    """The default of a parameter whose value a function makes; prints as in the signatures of `dataclasses`."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


class _Initialiser:
    """The method `__init__` of a dataclass, which replaces this descriptor when it is first looked up."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __get__(self, instance: object, _owner: type | None = None) -> Any:
        """Return the compiled method, bound to an instance if there is one."""
        method = _compiled(self._kind)
        self._kind.__init__ = method  # type: ignore[misc]
        return method if instance is None else method.__get__(instance)


def _compiled(kind: Any) -> Any:
    """Return the function `__init__` that sets the fields of a class and calls its `__post_init__`."""
    scope: dict[str, Any] = {"__name__": kind.__module__, "_set": object.__setattr__, "_factory": _FACTORY}
    positional: list[str] = []
    named: list[str] = []
    body: list[str] = []
    annotations: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        name, value = field.name, field.name
        factory = field.default_factory is not dataclasses.MISSING
        if factory:
            scope[f"_made_{name}"] = field.default_factory
            value = f"_made_{name}() if {name} is _factory else {name}" if field.init else f"_made_{name}()"
        elif field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
        if field.init:
            default = "=_factory" if factory else f"=_default_{name}" if f"_default_{name}" in scope else ""
            (named if field.kw_only else positional).append(name + default)
            annotations[name] = field.type
        if field.init or factory:
            body.append(f" _set(self,{name!r},{value})")
    if hasattr(kind, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    exec("\n".join([f"def __init__({parameters}):", *body, " return"]), scope)
    method = scope["__init__"]
    method.__qualname__ = f"{kind.__qualname__}.__init__"
    method.__annotations__ = {**annotations, "return": None}
    return method


def _values(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """Return the function that gives the values of the named fields."""
    if len(names) > 1:
        return attrgetter(*names)
    each = [attrgetter(name) for name in names]
    return lambda record: tuple([get(record) for get in each])


def _repr(names: list[str]) -> Callable[[object], str]:
    @recursive_repr()
    def shown(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return shown


def _equality(values: Callable[[object], object]) -> Callable[[object, object], bool]:
    def equals(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equals


def _hash(values: Callable[[object], object]) -> Callable[[object], int]:
    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed


def _frozen(kind: Any, names: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return the methods that set and delete attributes: of a subclass new ones, of the class itself none."""

    def assign(self: object, name: str, value: object) -> None:
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(kind, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)

    return assign, delete
