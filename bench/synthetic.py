"""A synthetic collection of any size: the trees of sample articles, filled anew with the samples' sentences.

Structure (tags, depth, sizes) stays that of real articles. One word in twenty is replaced by a made-up one, drawn so
that few are frequent and most are rare: the vocabulary grows with the collection as it does in real text.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from lxml import etree

SENTENCE = re.compile(r"[^.!?]+[.!?]?\s*")
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
SHARE_MADE_UP = 0.05
RATE_MADE_UP = -math.log1p(-SHARE_MADE_UP)
N_MADE_UP = 20_000_000
HOLE = "\ue000"  # in a template, in place of a text


class Template(NamedTuple):
    """The markup of an article, its texts taken out."""

    pieces: list[str]  # what is before, between and after the texts
    ends: list[int]  # words of the texts up to the end of each one


def write_collection(samples: Sequence[Path], folder: Path, seed: int, n_bytes: int) -> None:
    """Write documents made of sample articles until they have `n_bytes` together; the seed decides all.

    Their names begin with that of the folder: several folders can be sources of one index.
    """
    roots = [etree.parse(path).getroot() for path in samples]
    spellings = sorted({sentence for root in roots for text in _texts(root) for sentence in SENTENCE.findall(text)})
    sentences = [words for spelling in spellings if (words := escape(spelling.replace(HOLE, "")).split())]
    templates = [_template(root) for root in roots]
    rng = random.Random(seed)
    work = folder.with_name(f"{folder.name}.part")
    work.mkdir(parents=True, exist_ok=True)
    written = number = 0
    while written < n_bytes:
        raw = _filled(rng.choice(templates), sentences, rng).encode()
        (work / f"{folder.name}-{number:06d}.xml").write_bytes(raw)
        written += len(raw)
        number += 1
    work.rename(folder)


def _texts(root: etree._Element) -> Iterator[str]:
    for element in root.iter(etree.Element):
        yield from (text for text in (element.text, element.tail) if text and not text.isspace())


def _template(root: etree._Element) -> Template:
    lengths = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        # A text follows the start tag of its element, a tail its end tag; so lengths are in the order of the markup.
        name = "text" if event == "start" else "tail"
        text = getattr(element, name)
        if text and not text.isspace():
            lengths.append(len(text.split()))
            setattr(element, name, HOLE)
    markup = etree.tostring(root, encoding="unicode")
    return Template(markup.split(HOLE), list(accumulate(lengths)))


def _filled(template: Template, sentences: Sequence[list[str]], rng: random.Random) -> str:
    """Return the markup of an article of the template, with texts of random sentences, each as long as before."""
    n_words = template.ends[-1]
    words: list[str] = []
    while len(words) < n_words:
        words += rng.choice(sentences)
    # The distance from one made-up word to the next is geometric, as if a draw for each word decided.
    place = int(rng.expovariate(RATE_MADE_UP))
    while place < n_words:
        words[place] = _made_up(rng)
        place += 1 + int(rng.expovariate(RATE_MADE_UP))
    article = [""] * (2 * len(template.ends) + 1)
    article[::2] = template.pieces
    article[1::2] = [" ".join(words[begin:end]) for begin, end in pairwise([0, *template.ends])]
    return "".join(article)


def _made_up(rng: random.Random) -> str:
    """Return a made-up word; the n-th is drawn with a probability of about 1/n."""
    number = int(N_MADE_UP ** rng.random())
    syllables = []
    while number:
        number, place = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[place])
    return "".join(syllables) + "x"
