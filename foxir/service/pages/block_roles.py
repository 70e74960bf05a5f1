"""What the elements of a document are on a page: headings, paragraphs, items of lists, speeches.

A profile says what the tags of its vocabulary are. In other vocabularies, only tags that mean the same everywhere
decide; the rest follows from structure: short children of one tag are the items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.collection.profiles.profile import LISTS
from engine.presentation.snippets import runs_together
from foxir.service.pages.document_view import LABEL, REFERENCES, DocumentView

# Inline tags -> elements of HTML.
_INLINE = {
    "em": "italic it i em emph emphasis hi foreign foreignphrase citetitle firstterm term def defn dfn mentioned "
    "varname var cite",
    "q": "q",
    "strong": "bold b strong guilabel guibutton",
    "sub": "sub subscript",
    "sup": "sup super superscript",
    "code": "monospace code tt literal command filename function option parameter constant methodname classname",
}
SMALL_CAPITALS = frozenset(("sc", "smallcaps"))
# Blocks -> roles of ARIA and classes of the style sheet.
_BLOCKS = {
    "list": "list ul ol itemizedlist orderedlist simplelist variablelist listItems",
    "listitem": "item li listitem list-item varlistentry def-item",
    "p": "p para simpara ip1 ip2 ip3 s abstract",
    "figure": "fig figure mediaobject",
    "quote": "disp-quote blockquote quote cit",
    "code-block": "programlisting screen preformat code-block",
    "note": "note fn footnote caution warning tip important",
    "formula": "disp-formula formula equation",
    "reference": " ".join(REFERENCES),
    "speech": "speech SPEECH",
    "speaker": "speaker SPEAKER",
    "stage": "STAGEDIR",
    "stanza": "verse-group line-group",
    "verse": "verse-line LINE",
}
# Of plays and poems where the profile names speakers: in other vocabularies, a stage may be one of cooking.
_DRAMA = {"speech": "sp", "stage": "stage", "stanza": "lg", "verse": "l"}
SPEAKER = "speaker"
# Names that mean the same in every vocabulary.
ANYWHERE = frozenset(
    (
        *("i", "it", "italic", "em", "emph", "emphasis", "b", "bold", "strong", "sub", "sup", "tt", "code"),
        *("p", "para", *LISTS, "item", "li", "quote", "blockquote", "note", "footnote"),
        *("SPEECH", "SPEAKER", "STAGEDIR", "LINE"),
    )
)


def _by_tag(kinds: Mapping[str, str]) -> dict[str, str]:
    return {tag: kind for kind, tags in kinds.items() for tag in tags.split()}


INLINE = _by_tag(_INLINE)
BLOCKS = _by_tag(_BLOCKS)
DRAMA = _by_tag(_DRAMA)

# Lines of a program, at least, of which most have such a sign, and some are indented.
FEWEST_LINES = 3
SIGN_OF_PROGRAM = re.compile(r"[={}\[\]]|\w\(|[;:]\s*$|^\s*(#|//|--|return\b)")

# Marks of quotations.
QUOTES = frozenset("\"'“”„‟«»‹›‘’‚「」『』")

# Words of a block that is shown beside others of its kind: names, numbers and dates of a heading.
BIT = 4
# Words of an element that is shown in the line of the text around it, and characters of the punctuation after it.
PHRASE, LONGEST_MARK = 50, 3
IN_LINE = ("phrase", "sub", "sup")
# Items of a list that has no name, at least, and their words on average, at most.
ITEMS, SHORT = 3, 6


def inline_name(view: DocumentView, place: int) -> str:
    """Return the element of HTML that an inline element is, "" for none; quotation marks are not set twice.

    An element in a line is what its name says in every vocabulary.
    """
    tag, start = view.tags[place], view.starts[place]
    name = INLINE.get(tag, "") if view.is_known or tag in ANYWHERE or view.is_inline[place] else ""
    return "" if name == "q" and not QUOTES.isdisjoint(view.text[max(start - 1, 0) : start + 1]) else name


def role_of(view: DocumentView, place: int) -> str:
    """Return and remember the role of a block, "" for none and for inline elements; `sub` and `sup` are in the line."""
    if (known := view.roles.get(place)) is None:
        view.roles[place] = known = _role(view, place)
    return known


def _role(view: DocumentView, place: int) -> str:
    if view.is_inline[place]:
        return ""
    role = "heading" if view.tags[place] in view.title_tags else _named(view, place)
    if (role == "reference" and not _is_reference(view, place)) or (role == "note" and not view.words[place]):
        role = ""
    if not role and (view.tags[place] in view.profile.preformatted_tags or _is_program(view, place)):
        role = "code-block"
    if (name := inline_name(view, place)) in ("sub", "sup") and (
        view.ends[place] == place + 1 or view.is_in_line[place]
    ):
        role = name
    if role in ("", "heading") and place and (_is_phrase(view, place) or (not role and _is_in_sentence(view, place))):
        role = "phrase"
    if role == "heading" and _is_cited(view, place):
        role = "cited"
    if role == "listitem" or not (role or view.is_known):
        role = {"list": "listitem", "items": "point"}.get(role_of(view, view.parents[place]), "") if place else ""
    if not role and place and view.words[place] <= BIT and view.ends[place] == place + 1 and not _is_all(view, place):
        role = "label" if _is_label(view, place) else "bit"
    if role == "list" and not all(
        _named(view, child) == "listitem" and not view.is_inline[child] for child in view.children(place)
    ):
        role = "items"
    if not role and not view.is_known and (items := _items(view, place)):
        role = "list" if len(items) == len(view.children(place)) else "items"
    return role


def _is_program(view: DocumentView, place: int) -> bool:
    """Return whether an element of an unknown vocabulary has nothing but the lines of a program."""
    if view.is_known or view.ends[place] > place + 1:
        return False
    text = view.text[view.starts[place] : view.stops[place]]
    if text.count("\n") < FEWEST_LINES:
        return False
    lines = [line for line in text.split("\n")[1:] if line.strip()]  # the first one begins after the tag
    indents = {len(line) - len(line.lstrip()) for line in lines}
    n_of_program = sum(SIGN_OF_PROGRAM.search(line) is not None for line in lines)
    return len(lines) >= FEWEST_LINES and len(indents) > 1 and 2 * n_of_program > len(lines)


def _named(view: DocumentView, place: int) -> str:
    """Return the role of a block by its tag, "" for none."""
    tag = view.tags[place]
    if SPEAKER in view.profile.labels and tag in DRAMA:
        return DRAMA[tag]
    return BLOCKS.get(tag, "") if view.is_known or tag in ANYWHERE else ""


def _items(view: DocumentView, place: int) -> list[int]:
    """Return the children of an element but titles if all are short, of one tag, no paragraphs, and without blocks."""
    if view.own_words[place] or view.ends[place] == place + 1:
        return []
    items = [child for child in view.children(place) if view.tags[child] not in view.title_tags]
    are_items = (
        len(items) >= ITEMS
        and len({view.tags[each] for each in items}) == 1
        and _named(view, items[0]) != "p"
        and sum(view.words[each] for each in items) <= SHORT * len(items)
        and all(not view.is_inline[each] and view.own_words[each] == view.words[each] for each in items)
    )
    return items if are_items else []


def _is_cited(view: DocumentView, place: int) -> bool:
    """Return whether an element lies in a reference, or in a part of one."""
    parent = view.parents[place]
    return _is_reference(view, parent) or _is_reference(view, view.parents[parent])


def _is_reference(view: DocumentView, place: int) -> bool:
    """Return whether an element is a reference; of several in an element, it is a list."""
    if _named(view, place) != "reference":
        return False
    parts = [child for child in view.children(place) if view.tags[child] not in view.title_tags]
    return len(parts) < 2 or any(_named(view, part) != "reference" for part in parts)


def _is_label(view: DocumentView, place: int) -> bool:
    """Return whether an element is the number of a title or a caption right after it, with which it is one line."""
    parent, after = view.parents[place], view.ends[place]
    is_before = after < view.ends[parent] and view.words[after] > 0 and view.is_number(place)
    return (
        is_before
        and (view.tags[place] == LABEL or bool(labelled(view, place)))
        and _named(view, parent) not in ("formula", "list")
        and view.tags[after] not in view.profile.table_tags
    )


def is_next_bit(view: DocumentView, place: int) -> bool:
    """Return whether a block of a few words follows another of its tag without a sign between: keywords."""
    before = place - 1
    return (
        role_of(view, place) == role_of(view, before) == "bit"
        and (view.tags[place], view.parents[place]) == (view.tags[before], view.parents[before])
        and not view.text[view.stops[before] : view.starts[place]].strip()
    )


def labelled(view: DocumentView, label: int) -> list[int]:
    """Return the heading or paragraph that begins right after a label, after the elements that begin with it."""
    place, chain = view.ends[label], list[int]()
    while place < view.ends[view.parents[label]] and not view.text[view.stops[label] : view.starts[place]].strip():
        role = role_of(view, place)
        if role == "heading" and not view.words[place]:
            place = view.ends[place]
            continue
        chain.append(place)
        if role in ("heading", "p"):
            return chain
        if role == "phrase" or view.is_inline[place] or view.is_skipped[place] or view.ends[place] == place + 1:
            break
        place += 1
    return []


def _is_phrase(view: DocumentView, place: int) -> bool:
    """Return whether nothing but a punctuation mark follows an element in its parent, as in a list of references."""
    if view.words[place] > PHRASE:
        return False
    parent, after = view.parents[place], view.ends[place]
    stop = view.starts[after] if after < view.ends[parent] else view.stops[parent]
    if stop == view.stops[place]:
        return False
    between = view.text[view.stops[place] : stop].strip()
    return 0 < len(between) <= LONGEST_MARK and not any(map(str.isalnum, between))


def _is_in_sentence(view: DocumentView, place: int) -> bool:
    """Return whether an element of a few words is part of a sentence, as in the readable text, or all of a phrase."""
    parent, start, stop = view.parents[place], view.starts[place], view.stops[place]
    if _is_all(view, place) and not view.is_inline[parent]:
        return parent > 0 and role_of(view, parent) in IN_LINE
    if not view.is_in_line[place] or view.words[place] > PHRASE:
        return False
    return view.is_inline[parent] or (
        view.own_words[parent] > 0
        and not (
            (view.starts[parent] < start and runs_together(view.text, start))
            or (stop < view.stops[parent] and runs_together(view.text, stop))
        )
    )


def _is_all(view: DocumentView, place: int) -> bool:
    """Return whether an element has all of the text of its parent."""
    parent = view.parents[place]
    return (view.starts[place], view.stops[place]) == (view.starts[parent], view.stops[parent])
