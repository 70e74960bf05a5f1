"""Values of fields that are chosen on a page: one of a field suffices, and every field counts, as one condition.

`type = review | letter and year = 2016` has three chosen values. What else a condition says stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.fields.conditions import AllOf, AnyOf, Condition, FieldTest, Where
from engine.fields.values import plain
from engine.records import dataclass
from engine.settings.kinds.value_types import UNBOUNDED


@dataclass(frozen=True)
class Narrowing:
    """A condition as chosen values, by field, and the rest of it, of which all is fulfilled."""

    chosen: Mapping[str, tuple[FieldTest, ...]]
    others: tuple[Condition, ...]

    @classmethod
    def of(cls, where: str) -> Narrowing:
        """Return what the text of a condition says.

        >>> found = Narrowing.of('type = review | letter and year > 2000')
        >>> print(*found.chosen["type"], *found.others, sep="; ")
        type = review; type = letter; year > 2000
        """
        parts = [*_parts(Where.parse(where).condition)] if where and where != UNBOUNDED else []
        by_field: dict[str, list[Condition]] = {}
        for part in parts:
            if field := _field_of_choice(part):
                by_field.setdefault(field, []).append(part)
        chosen = {field: _tests(each[0]) for field, each in by_field.items() if len(each) == 1}
        return cls(chosen, tuple(part for part in parts if _field_of_choice(part) not in chosen))

    def has(self, field: str, value: str | int | float) -> bool:
        """Return whether a value is chosen."""
        return any(_is(test, value) for test in self.chosen.get(field, ()))

    def without(self, field: str) -> str:
        """Return the condition without the chosen values of a field."""
        return self._text({name: tests for name, tests in self.chosen.items() if name != field})

    @property
    def rest(self) -> str:
        """The condition without all chosen values."""
        return self._text({})

    @property
    def choice(self) -> str:
        """The condition of the chosen values alone."""
        return Narrowing(self.chosen, ())._text(self.chosen)

    def toggled(self, field: str, value: str | int | float) -> str:
        """Return the condition with one more chosen value, or without one that was chosen.

        >>> Narrowing.of("year = 2016").toggled("type", "review")
        'year = 2016 and type = "review"'
        >>> Narrowing.of('type = "review"').toggled("type", "letter")
        'type = "review" | "letter"'
        >>> Narrowing.of('type = "review"').toggled("type", "review")
        ''
        """
        tests = self.chosen.get(field, ())
        left = tuple(test for test in tests if not _is(test, value))
        if len(left) == len(tests):
            left += (FieldTest(field, "=", str(value), is_exact=True),)
        return self._text({**self.chosen, field: left})

    def _text(self, chosen: Mapping[str, Iterable[FieldTest]]) -> str:
        parts = [str(each) if isinstance(each, FieldTest) else f"({each})" for each in self.others]
        for field, tests in chosen.items():
            if values := " | ".join(test.written_value for test in tests):
                parts.append(f"{field} = {values}")
        return " and ".join(parts)


def _parts(condition: Condition) -> Iterable[Condition]:
    """Yield the conditions that are all fulfilled where one is."""
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition


def _field_of_choice(condition: Condition) -> str:
    """Return the field that has one of some values in a condition, "" for another condition."""
    tests = condition.parts if isinstance(condition, AnyOf) else (condition,)
    fields = {each.field if isinstance(each, FieldTest) and _is_value(each) else "" for each in tests}
    return fields.pop() if len(fields) == 1 else ""


def _is_value(test: FieldTest) -> bool:
    """Return whether a test is for one value."""
    return test.operator == "=" and (test.is_exact or not ("*" in test.value or ".." in test.value))


def _tests(condition: Condition) -> tuple[FieldTest, ...]:
    parts = condition.parts if isinstance(condition, AnyOf) else (condition,)
    return tuple(each for each in parts if isinstance(each, FieldTest))


def _is(test: FieldTest, value: str | int | float) -> bool:
    return plain(test.value) == plain(str(value))
