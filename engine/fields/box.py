"""Fields in the query box: `author:strand date:1857-05-01..1860`, as conditions and the words that remain.

A word before a colon is a field if the index has one of that name, and what follows the colon at once is a value of its
type; everything else is text, and never an error. `-author:strand` asks for documents without.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.errors import SettingsError
from engine.fields.conditions import (
    ANY,
    AllOf,
    Condition,
    FieldTest,
    Negated,
    Where,
    wanted_values,
)
from engine.fields.values import NOUNS, FieldType
from engine.notices import Notice
from engine.records import NamedTuple
from engine.wording import shortened

# Phrases and alternatives in parentheses, which are left as they are; or a field with its value.
_PART = re.compile(
    r"\"[^\"]*\"|\([^()]*\)|(?<!\S)(?P<sign>[+-]?)(?P<name>[^\W\d_][\w-]*):(?P<value>\"[^\"]*\"|[^\s\"]+)(?!\S)"
)
_END = re.compile(r"(?<!\.)[,;!?.]$")
# Most fields of a query.
MOST_FIELDS = 100


class BoxFields(NamedTuple):
    """The fields in a query: their condition, None for none; the text that remains; notices of what is no value."""

    condition: Condition | None
    text: str
    notices: tuple[Notice, ...] = ()


def box_fields(text: str, types: Mapping[str, FieldType]) -> BoxFields:
    """Return the fields in a text.

    >>> found = box_fields('fog author:"Eva Strand" -year:1857..1860 http://x', {"author": "text", "year": "year"})
    >>> found.text, str(where_of(found.condition))
    ('fog http://x', 'author:"Eva Strand" and not (year:1857..1860)')
    """
    if ":" not in text or not types:
        return BoxFields(None, text)
    tests: list[Condition] = []
    notices: list[Notice] = []
    rest, end = [], 0
    for match in _PART.finditer(text):
        name = (match["name"] or "").lower()
        if name not in types or len(tests) == MOST_FIELDS:
            continue
        value = match["value"][1:-1] if match["value"].startswith('"') else _END.sub("", match["value"])
        test = FieldTest(name, ":", value or ANY)
        try:
            wanted_values(test, types[name], value)
        except SettingsError:
            fields = {"field": name, "value": shortened(value), "expected": NOUNS[types[name]]}
            notices.append(Notice("field_as_words", fields))
            continue
        tests.append(Negated(test) if match["sign"] == "-" else test)
        rest.append(text[end : match.start()])
        end = match.end()
    if not tests:
        return BoxFields(None, text, tuple(notices))
    left = re.sub(r"  +", " ", "".join([*rest, text[end:]])).strip()
    return BoxFields(tests[0] if len(tests) == 1 else AllOf(tuple(tests)), left, tuple(notices))


def where_of(condition: Condition) -> Where:
    """Return a condition made by `box_fields` with its text."""
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    texts = (f"not ({part.part})" if isinstance(part, Negated) else str(part) for part in parts)
    return Where(" and ".join(texts), condition)


def joined(one: Where | None, other: Where | None) -> Where | None:
    """Return the condition that both are fulfilled."""
    if one is None or other is None:
        return one or other
    return Where(f"({one}) and ({other})", AllOf((one.condition, other.condition)))
