"""Notices: values of a code and fields for a user, to which front ends have the sentences.

The packages `engine` and `eval` make notices, and errors that carry one (`engine/errors.py`). A front end writes its
sentence where the notice leaves the program: the command line and the service with their own words, `str(notice)` with
those of Python (`foxir/messages/`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal

from engine.records import dataclass

# A hint; a number is doubtful, which commands say even with --quiet; an input was excluded, so that a command ends with
# the exit status 1.
Kind = Literal["hint", "doubt", "exclusion"]


@dataclass(frozen=True, repr=False)
class Notice:
    """A message for a user, without its sentence.

    code: which of the sentences says it. fields: its parts: texts, numbers, notices, and tuples of these.
    """

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    kind: Kind = "hint"

    def __hash__(self) -> int:
        return hash((self.code, self.kind, frozenset(self.fields.items())))

    def __repr__(self) -> str:
        fields = "".join(f", {name}={value!r}" for name, value in self.fields.items())
        return f"Notice({self.code}{fields})"

    def __str__(self) -> str:
        return _sentence(self)


# What a user is told: a notice, or a sentence that is the same for all front ends.
Message = Notice | str


def about(subject: str, message: Message) -> Notice:
    """Return a message with its subject, such as a file or a run, which stands before its sentence."""
    return Notice(
        "of", {"subject": subject, "notice": message}, message.kind if isinstance(message, Notice) else "hint"
    )


_sentence: Callable[[Notice], str] = repr


def sentences_by(sentence: Callable[[Notice], str]) -> Callable[[Notice], str]:
    """Make `str` of a notice its sentence by a function; without foxir, whose sentences these are, it is its `repr`."""
    global _sentence  # noqa: PLW0603  (one function of the process, as the hooks of sys are)
    _sentence = sentence
    return sentence
