"""Synonyms from a file: the words for which a word of a query stands, too.

    groups = [["lamp", "lantern"], ["fog horn", "foghorn"]]     # each stands for all of its group

    [expand]
    buoy = ["marker", {word = "float", weight = 0.5}]           # one way

A synonym with a weight below 1 counts less than the word that was typed.
A thesaurus in SKOS (RDF/XML), a file that begins with <, has a group for each concept: its labels in any language stand
for those in the languages of the collection.
Only what the file says counts, so that cycles are harmless: the synonyms of a synonym are not looked for.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from engine.errors import SettingsError
from engine.query.nexi.terms import FUZZY, is_pattern
from engine.query_limits import reserve
from engine.system.input_files import MEGABYTE, parsed_toml, read_small_text
from engine.text.alternative_terms import EITHER
from engine.text.analyser import Analyser
from engine.text.languages import NONE, language_names, language_number
from engine.wording import shortened, shown

GROUPS, EXPAND = "groups", "expand"
EXAMPLE = 'groups = [["lamp", "lantern"]]'
SKOS, LANGUAGE = "{http://www.w3.org/2004/02/skos/core#}", "{http://www.w3.org/XML/1998/namespace}lang"
# Files whose content is remembered; characters of one in TOML: a hundred thousand groups of some words have 2 MB.
MOST_FILES, MAX_CHARACTERS = 8, 4 * MEGABYTE
MEMBER = '{word = "lantern", weight = 0.5}'
# Other formats of synonyms: how they begin, their names, and what to do with them.
OTHERS = (
    (re.compile(r"\s*(?:@prefix|@base|PREFIX|BASE|<\w+:/[^<>\s]*>)\s"), "Turtle", "save it as RDF/XML, or "),
    (re.compile(r"\s*(?:\{|\[\s*[\[{])"), "JSON", "save JSON-LD as RDF/XML, or "),
    (re.compile(r"(?:\s*#.*\n)*[^\n=\[\]{}\"',]+(?:,|=>)"), "a list of words, as of Solr,", ""),
)
# The words of an entry, perhaps with weights.
Members = Sequence[str] | Mapping[str, float]
# Words that are analysed between two looks at the clock; numbers that a word takes.
AT_ONCE, OF_WORD = 1000, 100


class Synonyms:
    """The entries of a file, by the terms of their words: other forms of a word stand for the same."""

    def __init__(self, entries: Iterable[tuple[str, Members]], analyser: Analyser) -> None:
        self._analyser = analyser
        pairs = list(entries)
        self._members: dict[tuple[str, ...], list[Members]] = {}
        for first in range(0, len(pairs), AT_ONCE):
            some = pairs[first : first + AT_ONCE]
            reserve(len(some) * OF_WORD)
            for (_, members), key in zip(some, self._keys([word for word, _ in some]), strict=True):
                for each in key:
                    groups = self._members.setdefault(each, [])
                    if not groups or groups[-1] is not members:  # several words of a group may have the same terms
                        groups.append(members)
        reserve(-len(pairs) * OF_WORD)

    def of(self, word: str) -> dict[str, float]:
        """Return the word or phrase and those for which it stands, too, with weights; none if the file has none."""
        (keys,) = self._keys([word])
        found: dict[str, float] = {}
        for members in chain.from_iterable(self._members.get(key, ()) for key in keys):
            weights = members if isinstance(members, Mapping) else dict.fromkeys(members, 1.0)
            found.update({each: max(weight, found.get(each, 0.0)) for each, weight in weights.items()})
        reserve(len(found))
        return {word: 1.0} | found | {word: 1.0} if found else {}

    def _keys(self, words: Sequence[str]) -> Iterator[list[tuple[str, ...]]]:
        """Yield the keys of each word: its terms, those of a single word one by one."""
        for terms in self._analyser.terms_of_each(words):
            known = tuple(term for term in terms if term is not None)
            yield [(part,) for part in known[0].split(EITHER)] if len(known) == 1 else [known] if known else []


def synonyms_in(path: str, analyser: Analyser) -> Synonyms:
    """Return the synonyms of a file; it is read again when it has changed.

    Raises: SettingsError that names the file for one that cannot be read, or has something else.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    return _read(path, status.st_mtime_ns, status.st_size, analyser)


@lru_cache(MOST_FILES)
def _read(path: str, _changed: int, _size: int, analyser: Analyser) -> Synonyms:
    try:
        text = read_small_text(path)
        for begin, name, advice in OTHERS:
            if begin.match(text):
                raise SettingsError(f"{path}: {name} is not read as synonyms: {advice}write lines like  {EXAMPLE}")
        if text.lstrip().startswith("<"):
            return Synonyms(_concepts(path, text, analyser), analyser)
        content = parsed_toml(text, path, MAX_CHARACTERS)
    except OSError as error:
        raise _unreadable(path, error) from None
    return Synonyms(_entries(path, content), analyser)


def _concepts(path: str, text: str, analyser: Analyser) -> Iterator[tuple[str, Members]]:
    """Yield each label of each concept of SKOS with those that are in a language of the collection, or in none."""
    from lxml import etree  # noqa: PLC0415  (slow to import)

    parser = etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type]  # the stubs lag behind lxml 5
        no_network=True,
        load_dtd=False,
        remove_comments=True,
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise SettingsError(f"{path}: not a file of synonyms ({error}): expected SKOS, in RDF/XML, or TOML") from None
    except ValueError:  # the text declares another encoding than UTF-8
        raise SettingsError(f"{path}: a thesaurus is read in UTF-8 only.") from None
    names, languages = language_names(), analyser.languages
    are_all = not languages or NONE in languages  # texts of no known language may be in any
    concepts: dict[object, dict[str, bool]] = {}  # labels, and whether a text may have them
    for kind in ("prefLabel", "altLabel", "hiddenLabel"):
        for label in root.iter(f"{SKOS}{kind}"):
            words, number = " ".join((label.text or "").split()), language_number(label.get(LANGUAGE, ""))
            if words:
                labels = concepts.setdefault(label.getparent(), {})
                labels[words] = labels.get(words, False) or are_all or number is None or names[number] in languages
    if not concepts:
        raise SettingsError(f"{path}: found no label of SKOS: expected prefLabel and altLabel in {SKOS[1:-1]}")
    for labels in concepts.values():
        members = [words for words, may_occur in labels.items() if may_occur]
        if members and len(labels) > 1:
            yield from ((words, members) for words in labels)


def _unreadable(path: str, error: OSError) -> SettingsError:
    example = f": write lines like  {EXAMPLE}" if error.errno == errno.EINVAL else ""
    return SettingsError(f"{path}: not a file of synonyms ({error.strerror}){example}")


def _entries(path: str, content: Mapping[str, Any]) -> Iterator[tuple[str, Members]]:
    unknown = sorted(content.keys() - {GROUPS, EXPAND})
    if unknown or not content:
        found = shown(unknown[0]) if unknown else "nothing"
        raise SettingsError(
            f"{path}: found {found}, expected {GROUPS}, lists of words that stand for one another, or a table "
            f"[{EXPAND}]: write lines like  {EXAMPLE}"
        )
    groups = content.get(GROUPS, [])
    if not isinstance(groups, list):
        raise SettingsError(f"{path}: {GROUPS} is {shown(groups)}: expected a list of lists of words: {EXAMPLE}")
    for group in groups:
        for word in (words := _words(path, GROUPS, group)):
            yield word, words
    table = content.get(EXPAND, {})
    if not isinstance(table, dict):
        raise SettingsError(
            f"{path}: {EXPAND} is {shown(table)}: expected a table: [{EXPAND}], then lines like  buoy = [...]"
        )
    for word, given in table.items():
        yield word, _words(path, f"{EXPAND}.{shortened(word)}", given)


def _words(path: str, name: str, given: object) -> Members:
    """Return the words of an entry, with weights where one has a weight."""
    if isinstance(given, list) and given:
        found: Members = [" ".join(word.split()) for word in given if isinstance(word, str) and word.strip()]
        if len(found) < len(given):
            weighted = [_weighted(each) for each in given]
            found = dict(filter(None, weighted)) if all(weighted) else ()
        _check_signs(path, name, found)
        if found:
            return found
    raise SettingsError(
        f'{path}: {name} has {shown(given)}: expected a list of words, such as ["lamp", "lantern"], or with weights '
        f'above 0, at most 1: ["lamp", {MEMBER}].'
    )


def _check_signs(path: str, name: str, words: Iterable[str]) -> None:
    """Raise SettingsError for a pattern or a misspelt word, which only a query has."""
    for sign in chain.from_iterable(map(str.split, words)):
        if ("*" in sign and is_pattern(sign)) or ("~" in sign and FUZZY.fullmatch(sign)):
            raise SettingsError(
                f"{path}: {name} has {shown(sign)}: * and ~ have a meaning in queries alone: write the words."
            )


def _weighted(given: object) -> tuple[str, float] | None:
    """Return a word with its weight; None for what is neither a word nor a table of the two."""
    table = {"word": given} if isinstance(given, str) else given
    if not isinstance(table, dict) or not table.keys() <= {"word", "weight"}:
        return None
    word, weight = table.get("word"), table.get("weight", 1.0)
    is_weight = isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight <= 1
    return (" ".join(word.split()), float(weight)) if isinstance(word, str) and word.strip() and is_weight else None
