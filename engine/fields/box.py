"""Fields in the query box: `author:strand date:1857-05-01..1860`, as conditions and the words that remain.

    fields = field (("AND" | "OR" | "|")? field)*                  without an operator: all of them
    field = ("+" | "-" | "NOT")? (test | "(" fields ")")
    test = NAME ":" value ("|" (NAME ":")? value)* | NAME ":(" value ("OR" value)* ")" | NAME comparison
    comparison = ("<" | "<=" | ">" | ">=" | "=") value    with blanks around the sign, or none; of a text with numbers
    value = word | text in quotes | comparison | a..b | "[" a "TO" b "]"

A word before a colon is a field if the index has one of that name, and what follows the colon at once is a value of its
type; everything else is text, and never an error. `-author:strand` asks for documents without. Between two fields,
operators may be in lower case, which are words beside others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import cast

from engine.errors import SettingsError
from engine.fields.conditions import (
    ANY,
    AllOf,
    AnyOf,
    Condition,
    FieldTest,
    Negated,
    Operator,
    Where,
    compares_numbers,
    reversed_range,
    wanted_values,
)
from engine.fields.values import EXAMPLES, NOUNS, TEXT, FieldType
from engine.notices import Notice
from engine.query_limits import check_time
from engine.records import NamedTuple
from engine.wording import shortened

_NAME = r"[^\W\d_][\w-]*+"
_VALUE = r"(?:\"[^\"]*+\"(?:~\d{1,9})?|'[^']*+'(?!\w)|[^\s\"|]++)"
_INSIDE = r"(?:[^()\"]|\"[^\"]*+\")*+"
_PART = re.compile(
    rf"""(?<!\S)(?P<sign>[+-]?)
        (?: (?P<name>{_NAME}) (?: :(?P<value>\({_INSIDE}\) | \[[^\[\]"]*+\] | {_VALUE}(?:\|(?:{_NAME}:)?{_VALUE})*+)
                                | (?P<compared>\s*+(?:[<>]=?+|==?+)\s*+[^\s"|]++) )
          | \((?P<group>(?:[^()"]|"[^"]*+"|\({_INSIDE}\))*+)\) )
        [|,;.!?]?(?!\S)
      | (?<!\S)(?P<operator>AND|OR|NOT|and|or|not|\|)(?!\S)
      | "[^"]*+" | \([^()]*+\)""",
    re.VERBOSE,
)
_ONE = re.compile(rf"(?:(?P<name>{_NAME}):)?(?P<value>{_VALUE})")
_IN_GROUP = re.compile(r"\"[^\"]*\"|\||[^\s\"|]+")
_COMPARISON = re.compile(r"(<=|>=|<|>|=)=?(?=\S)(.+)", re.DOTALL)
_RANGE = re.compile(r"\[\s*(\S+)\s+TO\s+(\S+)\s*\]")
# After a word or a phrase, what would make it fuzzy, or its words near one another, outside fields.
_TILDE = re.compile(r"(?<=[^\W\d_])~\d?$|(?<=\")~\d+$")
_END = re.compile(r"(?<!\.)[,;!?.]$")
# Fields and operators, each as a letter (`_Part`), that are one condition; an operator beside words is text.
_FIELD = re.compile("(?:(?<=F)O|A)?N?F|(?<=F)A(?=T)")
_LETTERS = {"AND": "A", "OR": "O", "|": "O", "NOT": "N", "and": "a", "or": "o", "not": "n"}
_IN_LOWER_CASE = re.compile("(?<=F)(?:[AaOo]?[Nn]|[ao])(?=F)")
MARKS = ":<>="  # one of which a text with fields has
# Most fields of a query, and how deep parentheses may be in one another.
MOST_FIELDS, DEEPEST = 100, 2
LONGEST = 40  # characters of a group in a notice


class BoxFields(NamedTuple):
    """The fields in a query: their condition, None for none; the text that remains; notices of what is no value."""

    condition: Condition | None
    text: str
    notices: tuple[Notice, ...] = ()


class _Part(NamedTuple):
    """A stretch of a text: a field (F), AND (A), OR or | (O), NOT (N), these in lower case, or other text (T)."""

    letter: str
    text: str
    condition: Condition | None = None


def box_fields(text: str, types: Mapping[str, FieldType], depth: int = DEEPEST) -> BoxFields:
    """Return the fields in a text, also those in so many parentheses.

    >>> found = box_fields('fog author:"Eva Strand"|kern -year:1857..1860 http://x', {"author": "text", "year": "year"})
    >>> found.text, str(where_of(found.condition))
    ('fog http://x', '(author:"Eva Strand" or author:kern) and not (year:1857..1860)')
    """
    if not types or not any(mark in text for mark in MARKS):
        return BoxFields(None, text)
    notices: list[Notice] = []
    parts = list(_parts(text, types, depth, notices))
    all_of: list[list[Condition]] = []
    rest: list[str] = []
    end = 0
    letters = _IN_LOWER_CASE.sub(lambda match: match[0].upper(), "".join(part.letter for part in parts))
    for match in _FIELD.finditer(letters):
        rest += [part.text for part in parts[end : match.start()]]
        end = match.end()
        condition = parts[end - 1].condition
        if condition is None:
            continue
        condition = Negated(condition) if "N" in match[0] else condition
        if match[0][0] == "O":
            all_of[-1].append(condition)
        else:
            all_of.append([condition])
    if not all_of:
        return BoxFields(None, text, tuple(notices))
    rest += [part.text for part in parts[end:]]
    left = re.sub(r"  +", " ", "".join(rest)).strip()
    return BoxFields(_joined(AllOf, [_joined(AnyOf, each) for each in all_of]), left, tuple(notices))


def _parts(text: str, types: Mapping[str, FieldType], depth: int, notices: list[Notice]) -> Iterator[_Part]:
    """Yield the stretches of a text in their order, blanks with what follows; adds notices of what is no value."""
    place = n_fields = 0
    for match in _PART.finditer(text):
        check_time()
        condition = _condition(match, types, depth, notices) if n_fields < MOST_FIELDS else None
        if condition is None and not match["operator"]:
            continue
        between, place = text[place : match.start()], match.end()
        if between.strip():
            yield _Part("T", between)
            between = ""
        n_fields += condition is not None
        yield _Part(_LETTERS.get(match["operator"] or "", "F"), between + match[0], condition)
    yield _Part("T", text[place:])


def _condition(
    match: re.Match[str], types: Mapping[str, FieldType], depth: int, notices: list[Notice]
) -> Condition | None:
    """Return the condition of a field, or of fields in parentheses; None for text."""
    condition: Condition | None = None
    if match["group"] is not None and depth:
        inner = box_fields(match["group"], types, depth - 1)
        notices += inner.notices
        condition = inner.condition
        if condition is not None and inner.text:
            notices.append(Notice("fields_among_words", {"group": shortened(match["group"], LONGEST)}))
            condition = None
    elif match["name"] is not None and (name := match["name"].lower()) in types:
        value = match["value"] or "".join(match["compared"].split())
        condition = _test(name, value, types, notices, has_colon=bool(match["value"]))
    return Negated(condition) if condition is not None and match["sign"] == "-" else condition


def _test(
    name: str, text: str, types: Mapping[str, FieldType], notices: list[Notice], *, has_colon: bool
) -> Condition | None:
    """Return the condition of a field and the alternatives after it; None, with a notice, if one is no value."""
    if not has_colon and types[name] == TEXT and not compares_numbers(_test_of(name, text, TEXT)):
        word = text.lstrip("<>=")
        fields = {"field": name, "sign": text.removesuffix(word), "word": shortened(_END.sub("", word))}
        notices.append(Notice("text_field_compared", fields))
        return None
    tests = []
    for field, typed in _alternatives(name, text, types):
        check_time()
        value = _END.sub("", typed) if types[field] == TEXT else typed
        if types[field] == TEXT and (tilde := _TILDE.search(value)):
            notices.append(Notice("sign_in_field", {"field": field, "value": shortened(value)}))
            value = value[: tilde.start()]
        test = _test_of(field, value, types[field])
        try:
            wanted_values(test, types[field], text)
        except SettingsError:
            kind = types[field]
            if instead := reversed_range(test, kind):
                notices.append(
                    Notice("reversed_range", {"field": field, "value": shortened(value), "instead": instead})
                )
                return None
            fields = {"field": field, "value": shortened(value), "kind": NOUNS[kind], "example": EXAMPLES[kind]}
            notices.append(Notice("field_as_words", fields))
            return None
        tests.append(test)
    return _joined(AnyOf, tests) if tests else None


def _alternatives(name: str, text: str, types: Mapping[str, FieldType]) -> Iterator[tuple[str, str]]:
    """Yield each value after a field, with its field."""
    if text.startswith("(") and text.endswith(")"):
        for is_value, words in groupby(_IN_GROUP.findall(text, 1, len(text) - 1), lambda word: word not in ("|", "OR")):
            if is_value:
                yield name, " ".join(words)
    elif bounds := _RANGE.fullmatch(text):
        yield name, "..".join("" if bound == ANY else bound for bound in bounds.groups())
    else:
        for match in _ONE.finditer(text):
            field = (match["name"] or "").lower()
            yield (field, match["value"]) if field in types else (name, match[0])


def _test_of(field: str, value: str, kind: FieldType) -> FieldTest:
    if value[:1] in ("'", '"') and value[-1:] == value[0] and len(value) > 1:
        return FieldTest(field, ":", value[1:-1] or ANY, is_exact=len(value) > 2)
    if comparison := _COMPARISON.fullmatch(value):
        test = FieldTest(field, cast(Operator, comparison[1]), _END.sub("", comparison[2]))
        if kind != TEXT or compares_numbers(test):
            return test
    return FieldTest(field, ":", _END.sub("", value) or ANY)


def _joined(kind: type[AllOf | AnyOf], parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def where_of(condition: Condition) -> Where:
    """Return a condition with its text."""
    return Where(_text_of(condition, is_part=False), condition)


def _text_of(condition: Condition, *, is_part: bool = True) -> str:
    match condition:
        case FieldTest():
            return str(condition)
        case Negated(part):
            return f"not ({_text_of(part, is_part=False)})"
        case AllOf(parts) | AnyOf(parts):
            text = (" and " if isinstance(condition, AllOf) else " or ").join(map(_text_of, parts))
            return f"({text})" if is_part else text


def joined(one: Where | None, other: Where | None) -> Where | None:
    """Return the condition that both are fulfilled."""
    if one is None or other is None:
        return one or other
    return Where(f"({one}) and ({other})", AllOf((one.condition, other.condition)))
