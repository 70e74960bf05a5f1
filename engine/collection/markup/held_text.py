"""The text of a document that is not that of its elements: in attributes, in escaped markup, in lines, in syllables.

    attributes      <entry label="Fox"/>                  ->  <entry label="Fox">Fox</entry>
    titles          <part label="Fox"><p/></part>         ->  <part><attribute-title>Fox</attribute-title><p/></part>
    escaped markup  <content>&lt;p&gt;A fox</content>     ->  <content><p>A fox</p></content>
    lines           <line>the lan-</line> <line>tern</line>  ->  <line>the lantern</line> <line></line>
    syllables       <text>lan</text> ... <text>tern</text>  ->  <text>lantern</text>
    styles          see `styled_headings`

Which tags and attributes these are says the profile (`text_attributes`, `title_attributes`, `escaped`, `lines`,
`repeats`, `sung`, `styles`). Offsets, paths and words are those of the result; a document whose profile names none
stays as it is, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from engine.collection.html_reader import fragment_as_xml, is_escaped_markup
from engine.collection.limits import Limits
from engine.collection.markup.canonical import canonical
from engine.collection.markup.styled_headings import has_styled_headings, mark_headings
from engine.collection.profiles.profile import ATTRIBUTE_TITLE, Profile
from engine.collection.xml_reader import check_depth

# A word divided at the end of a line, and the rest of it at the beginning of the next one.
_DIVIDED = re.compile(r"[^\W\d_]\s*[-\u00ac\u2010\u2e17\u00ad]\s*$")
_HYPHEN = re.compile(r"\s*[-\u00ac\u2010\u2e17\u00ad]\s*$")
_REST = re.compile(r"\s*([^\W\d_]\S*)\s*")
# What follows a word without a blank between.
_CLOSING = tuple("-\u00ac\u2010\u2e17\u00ad.,;:!?)]}»”’%")


def has_held_text(profile: Profile) -> bool:
    """Return whether a profile says of any text that it is not that of an element, or a heading by its style."""
    return bool(profile.styles) or _is_held(profile)


def _is_held(profile: Profile) -> bool:
    return bool(_attributes(profile)) or _is_elsewhere(profile)


def _is_elsewhere(profile: Profile) -> bool:
    return bool(profile.escaped or profile.lines or profile.repeats or profile.sung)


def _attributes(profile: Profile) -> frozenset[str]:
    return profile.text_attributes | profile.title_attributes


def _may_hold(markup: bytes, profile: Profile) -> bool:
    """Return whether a document may have text that is not that of its elements, given its canonical markup."""
    tags = {rule.partition("/@")[0].encode() for rule in _attributes(profile)}
    return _is_elsewhere(profile) or any(tag in markup for tag in tags)


def with_held_text(markup: bytes, profile: Profile, name: str, limits: Limits) -> bytes:
    """Return canonical markup in which all text of a document is text of elements.

    Args:
        name: what messages call the document.
    Raises: CollectionError if the elements of escaped markup nest too deep.
    """
    if not _may_hold(markup, profile) and not has_styled_headings(markup, profile.styles):
        return markup
    root = etree.fromstring(markup, etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True))
    for element in list(_named(root, profile.repeats)):
        if _says_again(element, profile):
            for inner in element.iter():
                inner.text = None
                inner.tail = inner.tail if inner is element else None
    _take_attributes(root, profile, name, limits)
    for element in list(_named(root, profile.escaped)):
        if not len(element) and is_escaped_markup(element.text or ""):
            _parse_into(element, element.text or "", name, limits)
    put_together(_named(root, profile.sung))
    lines = list(_named(root, profile.lines))
    for line in lines:
        following = line.getnext()
        line.tail = line.tail or "\n"
        if following is not None and _local(following) in profile.lines:
            _join(line, following, profile)
    mark_headings(root, profile.styles)
    if profile.escaped or profile.text_attributes or profile.styles:
        check_depth(root, name, limits)
    return canonical(root)


def _named(root: etree._Element, tags: frozenset[str]) -> Iterator[etree._Element]:
    return root.iter(*(f"{{*}}{tag}" for tag in sorted(tags))) if tags else iter(())


def _local(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]


def _take_attributes(root: etree._Element, profile: Profile, name: str, limits: Limits) -> None:
    """Put the text of attributes before that of their elements, in the order of the attributes, blanks between."""
    rules: dict[str, set[str]] = {}
    for tag, _, attribute in (rule.partition("/@") for rule in _attributes(profile)):
        rules.setdefault(tag, set()).add(attribute)
    for element in list(_named(root, frozenset(rules))):
        space, sign, local = element.tag.rpartition("}")
        given = {str(key).rpartition("}")[2]: str(value) for key, value in element.attrib.items() if value.strip()}
        values = [value for key, value in given.items() if key in rules[local]]
        titles = [value for key, value in given.items() if f"{local}/@{key}" in profile.title_attributes]
        if not values:
            continue
        if len(element) and titles:
            values.remove(titles[0])
            title = etree.SubElement(element, f"{space}{sign}{ATTRIBUTE_TITLE}")
            title.text, title.tail, element.text = titles[0], " ".join(["", *values, element.text or ""]), None
            element.insert(0, title)
            continue
        if len(element) or (element.text or "").strip():
            element.text = " ".join(values) + " " + (element.text or "")
        elif any(map(is_escaped_markup, values)):
            _parse_into(element, " ".join(values), name, limits)
        else:
            element.text = " ".join(values)
        before = element.getprevious()
        if before is not None and not before.tail and not values[0].startswith(_CLOSING):
            before.tail = " "


def _parse_into(element: etree._Element, text: str, name: str, limits: Limits) -> None:
    """Replace the text of an element by what it is as HTML."""
    parsed = etree.fromstring(fragment_as_xml(text, name, limits), etree.XMLParser(huge_tree=True, no_network=True))
    element.text = parsed.text
    element.extend(list(parsed))


def _says_again(element: etree._Element, profile: Profile) -> bool:
    """Return whether an element has the text of another one: of one before it, of the line around it, or of lines in
    its parent.
    """
    parent = element.getparent()
    if parent is None:
        return False
    name = f"{{*}}{_local(element)}"
    if next(element.itersiblings(name, preceding=True), None) is not None:
        return True
    if _local(parent) in profile.lines:
        return False
    above = (each for each in parent.iterancestors() if _local(each) in profile.lines)
    below = _named(parent, profile.lines)
    return any(each.find(name) is not None for lines in (above, below) for each in lines)


def _join(line: etree._Element, following: etree._Element, profile: Profile) -> None:
    """Move the rest of a word that a hyphen divides at the end of a line to this line.

    A word goes on in small letters; what divides it may be in an element of its own.
    """
    texts = [place for place in _texts(line, profile) if place[1].strip()]
    rest = next((place for place in _texts(following, profile) if place[1].strip()), None)
    if not texts or rest is None or not _DIVIDED.search("".join(text for _, text, _ in texts[-2:])):
        return
    found = _REST.match(rest[1])
    if found is None or not found[1][0].islower():
        return
    owner, text, is_tail = texts[-1]
    kept = _HYPHEN.sub("", text)
    _set(owner, kept if kept else None, is_tail=is_tail)
    if not kept:
        owner, kept, is_tail = texts[-2]
    _set(owner, kept.rstrip() + found[1], is_tail=is_tail)
    _set(rest[0], rest[1][found.end() :] or None, is_tail=rest[2])


def _texts(line: etree._Element, profile: Profile) -> Iterator[tuple[etree._Element, str, bool]]:
    """Yield the texts of a line, each with its element, and whether it follows this; skipped elements have none."""
    walk = etree.iterwalk(line, events=("start", "end"))
    for event, element in walk:
        if event == "start" and _local(element) in profile.skip:
            walk.skip_subtree()
        elif event == "start" and element.text:
            yield element, element.text, False
        elif event == "end" and element is not line and element.tail:
            yield element, element.tail, True


def _set(owner: etree._Element, text: str | None, *, is_tail: bool) -> None:
    if is_tail:
        owner.tail = text
    else:
        owner.text = text


# Elements of a syllable: its text, and its place in a word, which may be an attribute of the text; values of it for a
# word that goes on.
TEXTS, SYLLABIC, WORD_PLACE = ("text", "syl"), "syllabic", "wordpos"
CONTINUED = frozenset(("begin", "middle", "i", "m"))
# Attributes that number the verses; the element with all notes of a voice, or the one in each bar, and a movement.
NUMBERS, PART, STAFF, MOVEMENT = ("number", "name", "n"), "part", "staff", "mdiv"


_TEXTS = [f"{{*}}{name}" for name in TEXTS]


def put_together(syllables: Iterable[etree._Element]) -> None:
    """Put the words of each verse into the first of its syllables, given the elements of these in order.

        <lyric number="1"><syllabic>begin</syllabic><text>Wa</text></lyric> ... <text>ter</text> ...  ->  Water ...

    A verse is one of a part; a syllable that is marked `begin` or `middle` continues in the next one of the verse.
    """
    verses: dict[tuple[str, ...], list[etree._Element]] = {}
    for syllable in syllables:
        verses.setdefault(_verse(syllable), []).append(syllable)
    for of_verse in verses.values():
        words, goes_on = "", True
        texts = [(syllable, text) for syllable in of_verse for text in syllable.iterchildren(*_TEXTS)]
        for (syllable, text), is_continued in zip(texts, _continued(of_verse), strict=True):
            words += (text.text or "").strip() if goes_on else f" {(text.text or '').strip()}"
            goes_on = is_continued
            text.text = None
            text.tail = syllable.tail = " "
        if texts:
            texts[0][1].text = words


def _verse(syllable: etree._Element) -> tuple[str, ...]:
    """Return what the syllables of a verse have in common: their part, and their number or name."""
    part = next(syllable.iterancestors(f"{{*}}{PART}", f"{{*}}{MOVEMENT}"), None)
    staff = next((str(each.get("n")) for each in syllable.iterancestors(f"{{*}}{STAFF}")), "")
    number = next((str(syllable.get(name)) for name in NUMBERS if syllable.get(name)), "1")
    if part is None:
        return "", staff, number
    return str(part.get("id") or part.getroottree().getpath(part)), staff, number


def _continued(syllables: Iterable[etree._Element]) -> Iterator[bool]:
    """Yield whether a word goes on after each text, as the element before the text says, or an attribute of it."""
    for syllable in syllables:
        is_continued = False
        for child in syllable.iterchildren(f"{{*}}{SYLLABIC}", *_TEXTS):
            if _local(child) == SYLLABIC:
                is_continued = (child.text or "").strip() in CONTINUED
            else:
                yield is_continued or child.get(WORD_PLACE) in CONTINUED
                is_continued = False
