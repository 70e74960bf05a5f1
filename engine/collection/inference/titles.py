"""Titles, labels and headings of a vocabulary, by use.

Rule: a title is short, first in its parent (or after a number) and before more text; it differs from its siblings'.
Tags with the usual names need no more. Others are titles if prose or a list follows them, again and again in a
document, or if they are the words with which documents begin. Short names that recur before prose are speakers'.
A heading is one that stands among several under one parent, each before longer text: it names what follows it.
"""

from __future__ import annotations

import re

import numpy as np

from engine.arrays import FloatArray, Mask, Rows
from engine.collection.inference.tag_use import NUMBER, PROSE, TagUse
from engine.records import NamedTuple

LONGEST, LONG = 12, 25  # mean words of a title, and of one with a usual name
USUAL, MOSTLY, OFTEN, SOME, SELDOM = 0.8, 0.7, 0.6, 0.3, 0.15
SPEAKER, SEVERAL = 4, 3  # mean words of who speaks, and siblings of a list that a title heads
MOST_PARTS = 2  # children of a title
ONCE = 1.2  # elements a document up to which a tag is used once in each

# Names of titles as words of a name, and as ends of one word; of labels; and of what stands first but is none.
TITLE_WORDS = frozenset(
    (
        *("title", "head", "heading", "headline", "hd", "h", "h1", "h2", "h3", "h4", "h5", "h6", "titel", "titre"),
        *("titolo", "titulo", "título", "tytul", "tytuł", "nadpis", "rubrik", "rubrique", "rubric", "kop", "otsikko"),
        *("intitule", "intitulé", "überschrift", "ueberschrift", "ueberschr", "overskrift", "заголовок", "название"),
    )
)
_TITLE_END = re.compile(r"(title|titel|titre|heading|headline|(?<!t)head|[üu]e?berschrift|titulo|título|titolo)$")
# Names of what is a title where it stands first: ends of one word, without those of parts of a person's name and such.
_NAME_END = re.compile(
    r"^(subject|betreff|objet|.*(?<!sur)(?<!fore)(?<!last)(?<!first)(?<!given)(?<!middle)(?<!user)(?<!nick)(?<!file)"
    r"(?<!path)(?<!host)(?<!place)(?<!pers)(?<!geog)(?<!org)(?<!person)(?<!family)name)$"
)
LABEL_WORDS = frozenset(
    (
        "label",
        "num",
        "no",
        "nr",
        "caption",
        "figcaption",
        "legend",
        "term",
        "speaker",
        "question",
        "enum",
        "marker",
        "sprecher",
        "frage",
    )
)
PARAGRAPHS = frozenset(("p", "para", "simpara", "par", "line", "l"))
TERM_WORDS = frozenset(("dt", "pt"))
CAPTIONS = frozenset(("caption", "figcaption", "legend", "legende", "bildunterschrift"))
NO_TITLES = frozenset(
    (
        *("author", "authors", "creator", "editor", "byline", "by", "date", "time", "datetime", "year", "id", "ident"),
        *("identifier", "key", "uid", "guid", "lang", "language", "type", "kind", "category", "status", "version"),
        *("publisher", "source", "from", "to", "cc", "sender", "person", "place", "url", "uri", "link", "href", "page"),
        *("code", "number", "email", "phone", "price", "size", "format", "topic", "tag", "tags", "keyword", "keywords"),
        *("autor", "datum", "verfasser", "auteur", "fecha", "data", "p", "para", "text", "line", "l", "item", "li"),
        *(
            "quote",
            "user",
            "username",
            "host",
            "level",
            "priority",
            "country",
            "city",
            "abbr",
            "pos",
            "pron",
            "form",
            "rank",
        ),
    )
)


class Titles(NamedTuple):
    """Tags of titles, of labels, and of headings, the highest first; and counts of the decision, shape (n_tags,)."""

    titles: Mask
    labels: Mask
    headings: tuple[int, ...]
    first: Rows
    before_more: Rows
    repeated: Rows


def words_of_name(name: str) -> list[str]:
    """Return the words of a tag's name.

    >>> words_of_name("levelledParaTitle"), words_of_name("invention-title")
    (['levelled', 'para', 'title'], ['invention', 'title'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_.:]", " ", name)
    return spaced.lower().split()


def is_title_name(name: str) -> bool:
    """Return whether a name says that a tag is of titles: one of its words does, at its begin or end."""
    words = words_of_name(name)
    return bool(words) and (
        words[-1] in TITLE_WORDS
        or (words[0] in TITLE_WORDS and words[-1] == "text")
        or bool(_TITLE_END.search(words[-1]))
    )


def is_label_name(name: str) -> bool:
    """Return whether a name says that a tag is of labels: its last word does, or ends like a short word for number."""
    words = words_of_name(name)
    return bool(words) and (words[-1] in LABEL_WORDS or re.search(r".(nr|num)$", words[-1]) is not None)


def _names(use: TagUse, test: frozenset[str]) -> Mask:
    return np.array([bool(words := words_of_name(name)) and words[-1] in test for name in use.names], np.bool_)


def _names_of_parts(use: TagUse) -> Mask:
    """Return which tags are named after a line or text of something, `summary-line`, which may be its title."""
    names = [words_of_name(name) for name in use.names]
    return np.array([len(words) > 1 and words[-1] in ("line", "text") for words in names], np.bool_)


def find_titles(use: TagUse, is_open: Mask, is_inline: Mask) -> Titles:
    """Return the tags of titles, labels and headings.

    Args:
        is_open: tags that are to be decided, shape (n_tags,). is_inline: inline tags, which are none of them.
    """
    has_words = (use.words > 0) & ~use.is_root
    is_open = is_open & ~is_inline & (use.n(has_words) > 0)
    is_usual = np.array([is_title_name(name) for name in use.names], np.bool_)
    is_name = np.array([_NAME_END.match("".join(words_of_name(name))) is not None for name in use.names], np.bool_)
    is_label = np.array([is_label_name(name) for name in use.names], np.bool_)
    is_caption = _names(use, CAPTIONS)
    lengths, sentences = use.mean(use.words, has_words), use.share(use.is_sentence, has_words)
    distinct = use.distinct_share(has_words)
    n, in_line = use.n(has_words), use.share(use.in_line, has_words)

    is_no_title = _names(use, NO_TITLES) & ~_names_of_parts(use)
    is_aside = ~use.is_lettered | (is_label | is_no_title)[use.tag]
    is_first = has_words & _is_first(use, is_aside)
    is_before_more = is_first & (use.words_after > np.maximum(use.words, NUMBER))
    first, before_more = use.share(is_first, has_words), use.share(is_before_more, has_words)
    before_prose = use.share(is_first & (use.prose_after > 0), has_words)
    repeated = use.share(use.n_alike > 1, has_words)
    lettered = use.share(use.is_lettered, has_words)
    is_leaf = _share_of_blocks(use, is_inline) <= 0.1
    holds_no_title = (
        _share_of_blocks(use, is_inline | ~(is_usual | is_label | _names(use, NO_TITLES - PARAGRAPHS))) <= 0.1
    )
    is_short = (lengths <= LONGEST) & (sentences <= SELDOM)
    varies = (distinct >= OFTEN) | (n < 3)

    more_in_parent = use.share(use.words[use.parent] > use.words, has_words)
    usual = is_usual & (lengths <= LONG) & (in_line < 0.5) & ((distinct >= 0.2) | (n < 5)) & holds_no_title
    usual &= (_share_of_blocks(use, is_inline, MOST_PARTS) <= 0.1) & (
        (more_in_parent >= 0.5) | (n <= ONCE * use.n_documents)
    )
    usual |= is_name & (first >= OFTEN) & (before_more >= 0.5) & (lengths <= LONGEST) & (distinct >= 0.5) & is_leaf
    is_name_like = is_short & is_leaf & (lettered >= USUAL) & ~is_no_title & (in_line < SOME)
    opening = is_name_like & varies & ~is_label
    before_some = np.maximum(before_prose, use.share(is_first & _before_list(use), has_words))
    by_use = opening & (before_some >= OFTEN) & (first >= MOSTLY) & (repeated <= SELDOM) & (n >= 2)
    by_use &= n >= 1.5 * use.n_documents
    by_use |= opening & (use.share(_opens_document(use), has_words) >= USUAL) & (lengths >= 2)

    followed = use.share(_before_longer(use), has_words)
    after_same = use.share((use.preceding >= 0) & (use.tag[use.preceding] == use.tag), has_words)
    among_several = (repeated >= 0.5) & (followed >= USUAL) & (after_same <= SELDOM)
    flat = (
        among_several & is_short & varies & is_leaf & (lettered >= OFTEN) & (in_line < SOME) & ~is_no_title & (n >= 2)
    )
    later = use.share(use.begins > NUMBER, has_words)
    flat_usual = is_usual & usual & (followed >= OFTEN) & ((later >= 0.2) & (repeated >= 0.2) | _has_level(use))
    terms = _names(use, TERM_WORDS) & (use.share(_before_other(use), has_words) >= OFTEN) & (lengths <= LONGEST)
    headings = is_open & (flat | flat_usual | (terms & is_leaf & (in_line < SOME) & (repeated >= SOME)))

    titles = is_open & (usual | (by_use & ~headings))
    names_next = (use.following >= 0) & ((use.own_words[use.following] >= PROSE) | titles[use.tag[use.following]])
    is_number = (lettered <= SELDOM) & (lengths <= NUMBER) & (distinct >= OFTEN) & (first >= USUAL)
    is_number &= use.share(names_next, has_words) >= OFTEN
    recurs = (distinct < OFTEN) & (lengths <= SPEAKER) & (n > SPEAKER)
    is_speaker = is_name_like & recurs & (use.share(_speaks(use), has_words) >= USUAL)
    labels = is_open & (is_label | is_number | is_speaker) & ~titles & ~headings & (lengths <= LONG) & (in_line < 0.5)
    labels &= is_caption | ((first >= 0.5) & (before_prose >= 0.5) & (n > ONCE * use.n_documents))
    titles |= is_open & _wrappers(use, titles | labels, lengths)
    n_alike = use.n(has_words & (use.n_alike > 1))
    return Titles(titles, labels, _ranked(use, headings), use.n(is_first), use.n(is_before_more), n_alike)


def _is_first(use: TagUse, is_aside: Mask) -> Mask:
    """Return which elements are first in their parent, or after a number or label, or after numbers and dates alone."""
    after_aside = (use.begins <= NUMBER) & is_aside[use.preceding]
    found: Mask = (use.begins == 0) | after_aside | ((use.begins <= LONGEST) & _after(use, ~use.is_lettered))
    return found


def _opens_document(use: TagUse) -> Mask:
    """Return which elements have the first words of a document, before prose in the root or in its first part."""
    begins = (use.begins == 0) & (use.begins[use.parent] == 0) & (use.prose_after > 0) & (use.n_alike == 1)
    before_all, before_part = use.words_after > 2 * LONG, use.words_after > LONGEST
    found: Mask = begins & (((use.depth == 2) & before_all) | ((use.depth == 3) & before_part))
    return found


def _speaks(use: TagUse) -> Mask:
    """Return which elements begin a parent that is prose but for them."""
    found: Mask = (use.begins == 0) & (use.prose_after > 0) & (use.prose_after >= USUAL * use.words_after)
    return found


def _after(use: TagUse, which: Mask) -> Mask:
    """Return before which elements their parent has only chosen ones, of those with words."""
    rows = np.flatnonzero((use.words > 0) & ~use.is_root)
    rows = rows[np.argsort(use.parent[rows], kind="stable")]
    others = np.append(0, np.cumsum(~which[rows]))
    first = np.flatnonzero(use.preceding[rows] < 0)
    found = np.zeros(len(use.tag), np.bool_)
    found[rows] = others[:-1] == np.repeat(others[first], np.diff(np.append(first, len(rows))))
    return found


def _before_list(use: TagUse) -> Mask:
    """Return which elements, the only ones of their tag in their parent, stand before several longer ones of a tag."""
    following = use.following
    found: Mask = _before_longer(use) & (use.n_alike == 1) & (use.n_alike[following] >= SEVERAL)
    found &= use.own_words[following] == 0
    return found


def _share_of_blocks(use: TagUse, is_inline: Mask, most: int = 0) -> FloatArray:
    """Return the share of the elements of each tag with more than `most` children with words that are not inline."""
    is_block = ~is_inline[use.tag] & (use.words > 0) & ~use.is_root
    return use.share(np.bincount(use.parent[is_block], minlength=len(use.tag)) > most, use.words > 0)


def _before_longer(use: TagUse) -> Mask:
    """Return which elements are followed by a sibling of another tag with at least as many words."""
    following = use.following
    found: Mask = _before_other(use) & (use.words[following] >= use.words)
    return found


def _before_other(use: TagUse) -> Mask:
    """Return which elements are followed by a sibling of another tag."""
    found: Mask = (use.following >= 0) & (use.tag[use.following] != use.tag)
    return found


def _has_level(use: TagUse) -> Mask:
    return np.array([re.fullmatch(r"h[1-6]", name) is not None for name in use.names], np.bool_)


def _wrappers(use: TagUse, named: Mask, lengths: FloatArray) -> Mask:
    """Return the tags of elements, several in a document, that hold a title and hardly anything else, before prose."""
    has_words = (use.words > 0) & ~use.is_root
    in_titles = np.bincount(use.parent, use.words * (named[use.tag] & ~use.is_root), len(use.tag))
    holds = has_words & (in_titles >= USUAL * use.words) & (use.own_words == 0) & (in_titles > 0)
    leads = holds & (use.begins <= NUMBER) & (use.words_after > use.words) & (use.prose_after > 0)
    several = use.n(has_words) > ONCE * use.n_documents
    return several & (use.share(leads, has_words) >= OFTEN) & (lengths <= LONG) & ~named


def _ranked(use: TagUse, headings: Mask) -> tuple[int, ...]:
    """Return the tags of headings: by the level in the name, else the rarer first, then by name."""
    n = use.n(~use.is_root)
    numbers: list[int] = np.flatnonzero(headings).tolist()
    levels = {each: re.search(r"[0-9]+$", use.names[each]) for each in numbers}
    rank = {each: int(level[0]) if level else 0 for each, level in levels.items()}
    return tuple(sorted(numbers, key=lambda each: (rank[each], int(n[each]), use.names[each])))
