"""Answers chosen by their tags, in the notation of NEXI."""

from __future__ import annotations

import re

from engine.errors import SettingsError
from engine.records import dataclass
from engine.wording import shown

NAME = r"[\w.:-]+"
TEXT = re.compile(rf"//(?:({NAME})|\(({NAME}(?:\|{NAME})*)\))")


@dataclass(frozen=True)
class TagSelector:
    """The elements that have one of some tags.

    >>> str(TagSelector(("sec", "p"))), TagSelector.parse("//p").names
    ('//(sec|p)', ('p',))
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.names, tuple) or not all(isinstance(name, str) for name in self.names):
            raise TypeError(f"TagSelector({shown(self.names)}): expected a tuple of tag names.")
        if not self.names or not all(re.fullmatch(NAME, name) for name in self.names):
            raise SettingsError(f"TagSelector({shown(self.names)}): expected tag names, such as ('sec', 'p').")

    @classmethod
    def parse(cls, text: str) -> TagSelector:
        """Return the selector that a text such as `//p` or `//(sec|p)` denotes.

        Raises: SettingsError for any other text, TypeError for what is not text.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected str, got {type(text).__name__}.")
        match = TEXT.fullmatch(text)
        if match is None:
            raise SettingsError(f"{shown(text)}: expected tags, such as //p or //(sec|p).")
        return cls(tuple((match[1] or match[2]).split("|")))

    def __str__(self) -> str:
        return f"//{self.names[0]}" if len(self.names) == 1 else f"//({'|'.join(self.names)})"
