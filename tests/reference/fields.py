"""Random documents with fields, and conditions on them as text, with the obvious way to decide each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

Values = Mapping[str, Sequence[str]]
Test = Callable[[Values], bool]

PROFILE = """
[fields]
author = "head/author"
pages = "head/pages"

[fields.year]
type = "year"
from = ["head/date", "head/printed/@year"]
several = false

[fields.words]
type = "number"
from = "head/words"

[fields.date]
type = "date"
from = "head//date"
"""
NAMES = ("Eva Strand", "eva STRAND", "Jón Strand", "Jon", "Eva", "E. Strand-Kern", "Kern", "Straße")
DATES = ("1857", "1857-05", "1857-05-01", "1857-05-02", "1858", "1860-12-31", "1861-01")
NUMBERS = ("-1", "0", "0.5", "7", "10", "1000")
PAGES = ("9", "10", "1,200", "-3", "12 plates", "xii", "1857-05-01")
WORDS = ("fog", "lamp", "sea", "tide")


def random_document(random: Random) -> tuple[str, dict[str, list[str]]]:
    """Return a document with random fields, and their values."""
    authors = random.sample(NAMES, random.randint(0, 3))
    dates = random.sample(DATES, random.randint(0, 2))
    numbers = random.sample(NUMBERS, random.randint(0, 2))
    pages = random.sample(PAGES, random.randint(0, 2))
    nested = f"<part><date>{dates[1]}</date></part>" if len(dates) > 1 else ""
    head = "".join(
        [
            *(f"<author>{author.replace(' ', '<x/> ')}</author>" for author in authors),
            *(f"<date>{date}</date>" for date in dates[:1]),
            nested,
            '<printed year="1850"/>' if not dates else "",
            *(f"<words>{number}</words>" for number in numbers),
            *(f"<pages>{each}</pages>" for each in pages),
        ]
    )
    body = "".join(f"<p>{' '.join(random.choices(WORDS, k=random.randint(3, 8)))}</p>" for _ in range(2))
    years = [dates[0][:4]] if dates else ["1850"]
    values = {"author": authors, "date": dates, "words": numbers, "year": years, "pages": pages}
    return f"<article><head>{head}</head><body>{body}</body></article>", values


def random_condition(random: Random, depth: int = 2) -> tuple[str, Test]:
    """Return a condition, and whether the values of a document fulfil it."""
    choice = random.random()
    if depth and choice < 0.45:
        (one, is_one), (other, is_other) = random_condition(random, depth - 1), random_condition(random, depth - 1)
        if choice < 0.15:
            return f"({one}) and ({other})", lambda values: is_one(values) and is_other(values)
        if choice < 0.3:
            return f"({one} or {other})", lambda values: is_one(values) or is_other(values)
        return f"not ({one})", lambda values: not is_one(values)
    field = random.choice(("author", "year", "words", "date", "pages"))
    if random.random() < 0.1:
        return f"{field} = *", lambda values: bool(values[field])
    if field == "pages":
        return _of_pages(random)
    return _of_text(random) if field == "author" else _of_number(random, field)


def _of_pages(random: Random) -> tuple[str, Test]:
    """Return a comparison of texts with a number: each is the number that it begins with."""
    operator, bound = random.choice(("<", "<=", ">", ">=")), random.choice(("-3", "9", "10", "11.5", "1857"))

    def decide(value: str) -> bool:
        begun = re.match(r"-?[\d,]*\d", value)
        if not begun:
            return False
        one, other = float(begun[0].replace(",", "")), float(bound)
        return (
            (one < other and "<" in operator) or (one > other and ">" in operator) or (one == other and "=" in operator)
        )

    return f"pages {operator} {bound}", lambda values: any(map(decide, values["pages"]))


def _of_text(random: Random) -> tuple[str, Test]:
    name = random.choice(NAMES)
    if random.random() < 0.5:
        return f'author = "{name}"', lambda values: any(folded(each) == folded(name) for each in values["author"])
    word = random.choice(re.findall(r"\w+", name))
    cut = word[:2]
    if random.random() < 0.5:
        return f"author:{cut}*", lambda values: any(
            each.startswith(folded(cut)) for value in values["author"] for each in re.findall(r"\w+", folded(value))
        )
    return f"author:{word}", lambda values: any(
        folded(word) in re.findall(r"\w+", folded(value)) for value in values["author"]
    )


def _of_number(random: Random, field: str) -> tuple[str, Test]:
    known = NUMBERS if field == "words" else DATES if field == "date" else ("1850", "1857", "1858", "1860")
    operator = random.choice(("=", "!=", "<", "<=", ">", ">=", "..", ".. "))
    one, other = sorted(random.sample(known, 2), key=lambda each: _first(field, each))

    def decide(value: str) -> bool:
        first, (low, high) = _first(field, value), (_first(field, one), _last(field, one))
        match operator:
            case "<":
                return first < low
            case "<=":
                return first <= high
            case ">":
                return first > high
            case ">=" | ".. ":
                return first >= low
            case "..":
                return low <= first <= _last(field, other)
            case _:
                return low <= first <= high

    if operator == "!=":
        return f"{field} != {one}", lambda values: not any(map(decide, values[field]))
    written = {"..": f":{one}..{other}", ".. ": f" = {one}.."}.get(operator, f" {operator} {one}")
    return f"{field}{written}", lambda values: any(map(decide, values[field]))


def _first(field: str, value: str) -> tuple[float, ...]:
    if field == "words":
        return (float(value),)
    parts = [int(part) for part in value.split("-")]
    return tuple([*parts, 1, 1][:3])


def _last(field: str, value: str) -> tuple[float, ...]:
    if field == "words":
        return (float(value),)
    parts = [int(part) for part in value.split("-")]
    return tuple([*parts, *(12, 31)[len(parts) - 1 :]][:3])


def folded(text: str) -> str:
    """Return a text without case and accents, of the letters that NAMES has."""
    return text.lower().replace("ó", "o").replace("ß", "ss")
