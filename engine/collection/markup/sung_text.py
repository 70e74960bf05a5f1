"""Text that is sung: syllables under notes, of several verses at once, as the words of one verse after the other.

    <lyric number="1"><syllabic>begin</syllabic><text>Wa</text></lyric> ... <text>ter</text> ...  ->  Water ...

The words of a verse in one part go into its first element and leave the others empty. A syllable that is marked `begin`
or `middle` continues in the next one of the verse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

# Elements of a syllable: its text, and its place in a word; values for a word that goes on.
TEXT, SYLLABIC = "text", "syllabic"
CONTINUED = frozenset(("begin", "middle"))
# Attributes that number the verses; the element with all notes of a voice.
NUMBERS, PART = ("number", "name"), "part"


def put_together(syllables: Iterable[etree._Element]) -> None:
    """Put the words of each verse into the first of its syllables, given the elements of these in order."""
    verses: dict[tuple[str, ...], list[etree._Element]] = {}
    for syllable in syllables:
        verses.setdefault(_verse(syllable), []).append(syllable)
    for of_verse in verses.values():
        words, goes_on = "", True
        texts = [(syllable, text) for syllable in of_verse for text in syllable.iterchildren(f"{{*}}{TEXT}")]
        for (syllable, text), is_continued in zip(texts, _continued(of_verse), strict=True):
            words += (text.text or "").strip() if goes_on else f" {(text.text or '').strip()}"
            goes_on = is_continued
            text.text = None
            text.tail = syllable.tail = " "
        if texts:
            texts[0][1].text = words


def _verse(syllable: etree._Element) -> tuple[str, ...]:
    """Return what the syllables of a verse have in common: their part, and their number or name."""
    part = next(syllable.iterancestors(f"{{*}}{PART}"), None)
    number = next((str(syllable.get(name)) for name in NUMBERS if syllable.get(name)), "1")
    if part is None:
        return "", number
    return str(part.get("id") or part.getroottree().getpath(part)), number


def _continued(syllables: Iterable[etree._Element]) -> Iterator[bool]:
    """Yield whether a word goes on after each text, as the element before the text says."""
    for syllable in syllables:
        is_continued = False
        for child in syllable.iterchildren(f"{{*}}{SYLLABIC}", f"{{*}}{TEXT}"):
            if child.tag.rpartition("}")[2] == SYLLABIC:
                is_continued = (child.text or "").strip() in CONTINUED
            else:
                yield is_continued
                is_continued = False
