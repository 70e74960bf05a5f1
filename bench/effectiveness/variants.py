"""How words are treated: stemming and stop words, for peers and foxir alike."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text.analyser import make_analyser


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
        words = {"none": "words", "english": "stems"}.get(self.stem, f"stems ({self.stem})")
        return f"{words}, no stop words" if self.stop != "none" else words


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

_USUAL = make_analyser()
# As an index is made without options.
NO_OPTIONS = Variant(_USUAL.stem, _USUAL.stop)
