"""How words are treated: stemming and stop words, for peers and foxir alike."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature

from engine.index.build import build_index


@dataclass(frozen=True)
class Variant:
    """A stemmer and a stop list, as `foxir index` takes them."""

    stem: str
    stop: str

    @property
    def name(self) -> str:
        """What it is called on the command line and in names of files."""
        return f"{self.stem}-stop" if self.stop != "none" else self.stem

    @property
    def title(self) -> str:
        """What it is called in tables."""
        return ("stems" if self.stem != "none" else "words") + (", no stop words" if self.stop != "none" else "")


VARIANTS = {
    each.name: each
    for each in (
        Variant("none", "none"),
        Variant("none", "english"),
        Variant("english", "none"),
        Variant("english", "english"),
    )
}
PLAIN = VARIANTS["none"]

_DEFAULTS = signature(build_index).parameters
NO_OPTIONS = Variant(_DEFAULTS["stem"].default, _DEFAULTS["stop"].default)
"""As an index is made without options."""
