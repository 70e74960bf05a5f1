"""A synthetic collection of any size: the trees of the sample articles, filled anew with the sample's sentences.

Structure (tags, depth, sizes) stays that of real articles. One word in twenty is replaced by a made-up one, drawn so
that few are frequent and most are rare: the vocabulary grows with the collection as it does in real text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

from lxml import etree

SENTENCE = re.compile(r"[^.!?]+[.!?]?\s*")
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
SHARE_MADE_UP = 0.05
N_MADE_UP = 200_000


def write_collection(samples: Path, folder: Path, seed: int, n_bytes: int) -> None:
    """Write documents made of the sample articles until they have `n_bytes` together; the seed decides all."""
    roots = [etree.parse(path).getroot() for path in sorted(samples.rglob("*.xml"))]
    sentences = sorted({sentence for root in roots for text in _texts(root) for sentence in SENTENCE.findall(text)})
    rng = random.Random(seed)
    work = folder.with_name(f"{folder.name}.part")
    work.mkdir(parents=True, exist_ok=True)
    written = number = 0
    while written < n_bytes:
        raw = etree.tostring(_filled_anew(rng.choice(roots), sentences, rng), encoding="utf-8", xml_declaration=True)
        (work / f"{number:06d}.xml").write_bytes(raw)
        written += len(raw)
        number += 1
    work.rename(folder)


def _texts(root: etree._Element) -> Iterator[str]:
    for element in root.iter(etree.Element):
        yield from (text for text in (element.text, element.tail) if text and not text.isspace())


def _filled_anew(sample: etree._Element, sentences: list[str], rng: random.Random) -> etree._Element:
    """Return a copy of the sample whose texts are drawn from all sentences, each about as long as before."""
    root = deepcopy(sample)
    for element in root.iter(etree.Element):
        if element.text and not element.text.isspace():
            element.text = _as_long(element.text, sentences, rng)
        if element.tail and not element.tail.isspace():
            element.tail = _as_long(element.tail, sentences, rng)
    return root


def _as_long(text: str, sentences: list[str], rng: random.Random) -> str:
    words: list[str] = []
    wanted = len(text.split())
    while len(words) < wanted:
        words += rng.choice(sentences).split()
    return " ".join(_made_up(rng) if rng.random() < SHARE_MADE_UP else word for word in words[:wanted])


def _made_up(rng: random.Random) -> str:
    """Return a made-up word; the n-th is drawn with a probability of about 1/n."""
    number = int(N_MADE_UP ** rng.random())
    syllables = []
    while number:
        number, place = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[place])
    return "".join(syllables) + "x"
