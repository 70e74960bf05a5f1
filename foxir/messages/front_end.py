"""How a front end says a notice: its words in the sentence of the code, or a sentence of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from engine.notices import Notice
from engine.wording.wording import counted, listed

# A sentence as `str.format` takes it, or a function that makes it from the fields of a notice. What stands in braces is
# a field, or a word of the front end with what it is about: {setting:syntax=plain}. A number is followed by one of two
# nouns: {files:file was|files were}. Names are quoted with {names:listed}, or the first five with {names:listed 5}.
# {near:did you mean '%'?} is nothing where the field is.
Sentence = str | Callable[..., str]
Word = Callable[[str], str]


class FrontEnd(Formatter):
    """One front end of foxir.

    words: what it writes for a setting, an option, and the like. sentences: those of all front ends, and its own.
    """

    def __init__(self, words: Mapping[str, Word], *sentences: Mapping[str, Sentence]) -> None:
        self.words = words
        self.sentences = {code: sentence for each in sentences for code, sentence in each.items()}

    def sentence(self, message: object) -> str:
        """Return the sentence of a notice, or of an error or a problem with one; the text of anything else."""
        notice = message if isinstance(message, Notice) else getattr(message, "notice", None)
        if notice is None:
            return str(message)
        found = self.sentences[notice.code]
        template = found if isinstance(found, str) else found(**notice.fields)
        return self.vformat(template, (), {**self.words, **notice.fields})

    def format_field(self, value: Any, spec: str) -> str:
        """Return a field, or a word of the front end, as it stands in a sentence."""
        if callable(value):
            return str(value(spec))
        if isinstance(value, Sequence) and not isinstance(value, str):
            return _listed(value, spec) if spec.startswith("listed") else (spec or ", ").join(map(self.sentence, value))
        if isinstance(value, int) and "|" in spec:
            return counted(value, *spec.split("|"))
        if isinstance(value, str | Notice):
            return spec.replace("%", self.sentence(value)) if value and spec else self.sentence(value)
        return format(value, spec)


def _listed(names: Sequence[str], spec: str) -> str:
    """Return names in quotes, at most as many as the end of the format says."""
    return listed(names, *map(int, spec.split()[1:]))
