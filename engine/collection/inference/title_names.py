"""Usual names of titles, labels and of what stands first but is no title, in several languages."""

from __future__ import annotations

import re

# Names of titles as words of a name, and as ends of one word; of labels; and of what stands first but is none.
TITLE_WORDS = frozenset(
    (
        *("title", "head", "heading", "headline", "hd", "h", "h1", "h2", "h3", "h4", "h5", "h6", "titel", "titre"),
        *("titolo", "titulo", "título", "tytul", "tytuł", "nadpis", "rubrik", "rubrique", "rubric", "kop", "otsikko"),
        *("intitule", "intitulé", "überschrift", "ueberschrift", "ueberschr", "overskrift", "заголовок", "название"),
    )
)
_TITLE_END = re.compile(r"(title|titel|titre|heading|headline|(?<!t)head|[üu]e?berschrift|titulo|título|titolo)$")
# Names of styles of headings, as words without digits: of headings, of titles, and words with which they are of others.
# Word leaves out letters beyond ASCII: berschrift1, Ttulo2.
_OF_HEADINGS = re.compile(
    r"(heading|headline|(^|sub|part|chapter|section|main|side)head|(ü|u|ue)?berschrift|rubrik|rubrique|kop|otsikko|nadpis"
    r"|nag[łl]?[óo]?wek|overskrift|заголовок)$"
)
_LEVEL = re.compile(r"(level|depth|lvl|niveau|stufe)$")
_OF_TITLES = re.compile(r"(title|titel|titre|t[ií]?tulo|titolo|tytu[łl]?|название)$")
_OF_OTHERS = frozenset(
    (
        *("table", "tbl", "figure", "fig", "box", "toc", "char", "running", "page", "note", "list", "caption", "chart"),
        *("image", "subtitle", "untertitel", "undertitel", "sous", "subtitulo", "subtítulo", "sottotitolo"),
    )
)
# Names of what is a title where it stands first: ends of one word, without those of parts of a person's name and such.
NAME_END = re.compile(
    r"^(subject|betreff|objet|.*(?<!sur)(?<!fore)(?<!last)(?<!first)(?<!given)(?<!middle)(?<!user)(?<!nick)(?<!file)"
    r"(?<!path)(?<!host)(?<!place)(?<!pers)(?<!geog)(?<!org)(?<!person)(?<!family)(?<!sender)(?<!company)(?<!publisher)"
    r"(?<!supplier)(?<!imprint)(?<!addressee)(?<!author)(?<!editor)(?<!vendor)(?<!contact)name)$"
)
LONGEST_STYLE, LOWEST_LEVEL = 60, 9  # characters of the name of a style
# fmt: off
LABEL_WORDS = frozenset((
    "label", "num", "no", "nr", "caption", "figcaption", "legend", "term", "speaker", "question", "enum", "marker",
    "sprecher", "frage",
))
PARAGRAPHS = frozenset(("p", "para", "simpara", "par", "line", "l"))
TERM_WORDS = frozenset(("dt", "pt"))
CAPTIONS = frozenset(("caption", "figcaption", "legend", "legende", "bildunterschrift"))
NO_TITLES = frozenset((
    "author", "authors", "creator", "editor", "byline", "by", "date", "day", "time", "datetime", "year", "id",
    "ident", "identifier", "key", "uid", "guid", "lang", "language", "type", "kind", "category", "status", "version",
    "publisher", "class", "genre", "source", "from", "to", "cc", "sender", "person", "place", "url", "uri", "link",
    "href", "page", "code", "number", "email", "phone", "price", "size", "format", "topic", "tag", "tags", "keyword",
    "keywords", "autor", "datum", "verfasser", "auteur", "fecha", "data", "p", "para", "text", "line", "l", "item",
    "li", "quote", "user", "username", "host", "level", "priority", "country", "city", "abbr", "pos", "pron", "form",
    "rank", "def", "definition", "meaning", "gloss", "desc", "description", "explanation",
))
# fmt: on


def words_of_name(name: str) -> list[str]:
    """Return the words of a tag's name.

    >>> words_of_name("levelledParaTitle"), words_of_name("invention-title")
    (['levelled', 'para', 'title'], ['invention', 'title'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_.:]", " ", name)
    return spaced.lower().split()


def plain_name(name: str) -> str:
    """Return a name by its letters and digits alone, without a prefix.

    >>> plain_name("display_name"), plain_name("xlink:Title")
    ('displayname', 'title')
    """
    return re.sub(r"[-_.]", "", name.rpartition(":")[2]).lower()


def is_title_name(name: str) -> bool:
    """Return whether a name says that a tag is of titles: one of its words does, at its begin or end."""
    words = words_of_name(name)
    return bool(words) and (
        words[-1] in TITLE_WORDS
        or (words[0] in TITLE_WORDS and words[-1] in ("text", "set", "info", "part"))
        or (words[0] in TITLE_WORDS and (words[1:2] == ["of"] or words[1:] == ["without", "prefix"]))
        or bool(_TITLE_END.search(words[-1]))
    )


def is_label_name(name: str) -> bool:
    """Return whether a name says that a tag is of labels: its last word does, or ends like a short word for number."""
    words = words_of_name(name)
    return bool(words) and (words[-1] in LABEL_WORDS or re.search(r".(nr|num)$", words[-1]) is not None)


def names_level(attribute: str) -> bool:
    """Return whether an attribute is named after the levels of headings.

    >>> names_level("outline-level"), names_level("level"), names_level("style-name")
    (True, True, False)
    """
    return _LEVEL.search(attribute.lower()) is not None


def heading_level(style: str) -> int:
    """Return the level of a heading whose style has this name, 0 for a title, -1 for the style of anything else.

    Word numbers the styles of headings where their names have letters that it leaves out: `3`.

    >>> [heading_level(each) for each in ("Heading2", "Title", "ParagraphStyle/Header1", "heading_20_3", "h4", "5")]
    [2, 0, 1, 3, 4, 5]
    >>> [heading_level(each) for each in ("BodyText", "TOCHeading", "TableTitle", "Subtitle", "Header")]
    [-1, -1, -1, -1, -1]
    """
    name = re.split(r"[/:]|%3a", style.replace("_20_", " "))[-1]
    digits = re.search(r"[0-9]+", name)
    if re.fullmatch(r"[1-9]", name):
        return int(name)
    words = words_of_name(re.sub(r"[0-9]+", " ", name))
    if len(name) > LONGEST_STYLE or not _OF_OTHERS.isdisjoint(words):
        return -1
    if digits is not None and any(each in ("h", "header") or _OF_TITLES.search(each) for each in words):
        return min(int(digits[0]), LOWEST_LEVEL)
    if any(map(_OF_HEADINGS.search, words)):
        return min(int(digits[0]), LOWEST_LEVEL) if digits else 1
    if len(words) == 1 and _OF_TITLES.fullmatch(words[0]):
        return 0
    return 1 if any(map(_OF_TITLES.search, words)) else -1
