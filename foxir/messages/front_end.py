"""Sentences of a front end: the sentence of a notice's code, with its fields and the words of the front end."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from engine.notices import Notice
from engine.system.files import package_text
from engine.wording import listed

SENTENCES: Mapping[str, str] = tomllib.loads(package_text(__name__, "sentences.toml"))
Word = Callable[[str], str]
# Parts of a sentence of which the first counts that has no field that is empty or 0: <<did you mean '{near}'?||.>>
CHOICE = re.compile("<<(.*?)>>", re.DOTALL)
NAME = re.compile(r"\{(\w+)")
MOST = 10  # names that are shown


class FrontEnd(Formatter):
    """One front end of foxir.

    A sentence is a format of `str.format`, whose names are fields of the notice and words of the front end. A word
    takes what follows it: {setting:syntax=plain} is `--syntax plain` or `syntax=plain`. Numbers, and how many names
    there are, choose between one and several: {files:# file is|# files are}. {flag:?} is nothing: a condition.

    words: functions that return what the front end writes for a setting, an option and the like.
    """

    def __init__(self, words: Mapping[str, Word], sentences: Mapping[str, str] = SENTENCES) -> None:
        self.words = words
        self.sentences = sentences

    def sentence(self, message: object) -> str:
        """Return the sentence of a notice, or of an error or a problem with one; the text of anything else."""
        notice = message if isinstance(message, Notice) else getattr(message, "notice", None)
        if notice is None:
            return str(message)

        def chosen(choice: re.Match[str]) -> str:
            parts = choice[1].split("||")
            return next((part for part in parts if all(notice.fields.get(name, 1) for name in NAME.findall(part))), "")

        template = CHOICE.sub(chosen, self.sentences[notice.code])
        return self.vformat(template, (), {**self.words, **notice.fields})

    def format_field(self, value: Any, spec: str) -> str:
        """Return a field, or a word of the front end, as it stands in a sentence."""
        if callable(value):
            return str(value(spec))
        if spec == "?":
            return ""
        if isinstance(value, str | Notice):
            return self.sentence(value)
        if isinstance(value, Sequence):
            return _named([self.sentence(each) for each in value], spec)
        return _counted(value, spec) if "|" in spec else format(value, spec)


def _counted(number: int, spec: str) -> str:
    """Return the form for one or the form for several, with the number in the place of #."""
    one, _, several = spec.partition("|")
    return (one if number == 1 else several or one).replace("#", f"{number:,}")


def _named(names: Sequence[str], spec: str) -> str:
    """Return names between commas, in one of the STYLES, as tags where a format begins with <>, or between its text."""
    style, _, most = spec.partition(" ")
    if "#" in spec or "|" in spec:
        return _counted(len(names), spec)
    if style in STYLES:
        return STYLES[style](names, int(most or MOST))
    return spec[2:].join(f"<{name}>" for name in names) if spec[:2] == "<>" else (spec or ", ").join(names)


def _alternatives(names: Sequence[str], most: int) -> str:
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return " or ".join([*(f"'{name}'" for name in names[:most]), *more])


def _some(names: Sequence[str], most: int) -> str:
    return f"{len(names)} ({', '.join(names[:most])}{', ...' if len(names) > most else ''})"


def _either(names: Sequence[str], _most: int) -> str:
    *first, last = names
    return f"{', '.join(first)}, or {last}," if first else last


# {names:listed}, {names:listed 5}: the first ones.
STYLES = {"listed": listed, "or": _alternatives, "some": _some, "either": _either}
