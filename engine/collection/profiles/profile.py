"""A profile: the meaning of the tags of a vocabulary for retrieval, as data.

It is read from a TOML file (`profile_files`). All tags and attributes are local names and case-sensitive.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any

from engine.errors import ProfileError
from engine.fields.definitions import FieldDefinition, fields_of
from engine.records import dataclass
from engine.threads import cached_property
from engine.wording import did_you_mean

# Attribute of an element that would else end a word, and the value with which it does not (TEI, att.breaking).
BREAK, NO_BREAK = "break", "no"
# The attribute xml:space, and the value with which the white space of an element is part of what it says.
SPACE, PRESERVE = "space", "preserve"

# Attributes that say where the cells of a table lie, indexed of its parts alone; those of SPANS mean 1 if not given.
SPANS = frozenset(("colspan", "columnspan", "rowspan", "cols", "rows"))
LAYOUT = SPANS | {"namest", "nameend", "spanname", "colname", "colnum", "morerows", "scope", "role"}
# Attributes of formulas in MathML, indexed of its elements alone.
FORMULA = frozenset(("mathvariant", "open", "close", "separators", "linethickness", "display", "stretchy", "accent"))
FORMULA |= {"width"}
FORMULA_PARTS = frozenset(
    ("math", "mi", "mo", "mn", "mtext", "mstyle", "mfenced", "mfrac", "mover", "munder", "mspace")
)
# Tags of MathML, which are inline in all built-in profiles that have inline tags, and inside formulas elsewhere.
MATH = "math"
MATHML = frozenset(
    (
        *(MATH, "semantics", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mstyle", "mpadded", "mphantom"),
        *("mfenced", "menclose", "merror", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover"),
        *("munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mlabeledtr", "mtd", "maction"),
        *("maligngroup", "malignmark"),
    )
)
# Other notations of a formula, which are beside it.
ANNOTATIONS = frozenset(("annotation", "annotation-xml"))
TABLE_PARTS = frozenset(("td", "th", "entry", "cell", "stentry", "entrytbl", "row", "tr", "colspec", "spanspec"))

# Attributes that refer to an element of the same document by its id, bare or after a number sign, and who has them.
BARE_LINKS, SIGN_LINKS = frozenset(("rid", "linkend", "target-id")), frozenset(("href", "target"))
LINKS = BARE_LINKS | SIGN_LINKS
LINK_TAGS = frozenset(("xref", "ref", "ptr", "link", "a"))

AUTO = "auto"
NONE = "none"

# References to images by `tag/@attribute`, in the vocabularies that are known and some others; a profile replaces them.
IMAGES = frozenset(
    (
        *("graphic/@href", "graphic/@url", "graphic/@fileref", "inline-graphic/@href", "inlinegraphic/@fileref"),
        *("imagedata/@fileref", "image/@href", "image/@src", "image/@url", "image/@fileref", "img/@src"),
        *("art/@file", "figure/@href", "figure/@src", "figure/@url", "fig/@src", "picture/@href", "picture/@src"),
    )
)
IMAGE_TAGS = frozenset(rule.partition("/@")[0] for rule in IMAGES)
# The rows of tables, and tables, likewise.
ROWS = frozenset(("tr", "row", "sthead", "strow", "prophead", "property", "chhead", "chrow"))
TABLES = frozenset(("table", "informaltable", "simpletable", "properties", "choicetable", "tbl", "entrytbl"))
# The terms of definitions and parameters: titles of these, and half of what they say.
TERMS = frozenset(("dt", "pt", "label"))
# Tags of lists in every vocabulary: a list is no table, even if all its items have as many parts.
LISTS = frozenset(("list", "ul", "ol"))
# Lists of terms, each before what is said of it, without an element for both: answers, however short these are.
TERM_LISTS = frozenset(("dl",))
ROW_GROUPS = frozenset(("thead", "tbody", "tfoot", "tgroup"))
# Blocks whose white space is part of what they say; `code` is one where the profile tells it from code in a sentence.
PREFORMATTED = frozenset(
    (
        *("pre", "listing", "xmp", "textarea", "plaintext", "programlisting", "screen", "literallayout", "synopsis"),
        *("codeblock", "msgblock", "lines", "preformat", "code", "code-block", "eg", "verbatim"),
    )
)
CODE = "code"
# Notes, which readable texts have in brackets where they are in a sentence.
NOTES = frozenset(("fn", "footnote", "endnote", "authorialNote"))
# Keys without which the usual tags are meant.
WITH_DEFAULTS = ("tables", "rows", "row_groups", "preformatted", "notes")
SETS = (
    *("inline", "breaks", "apart", "skip", "titles", "wrappers", "labels", "records"),
    *("entries", "text_attributes", "title_attributes", "styles", "escaped", "lines", "repeats", "sung"),
    *("roots", "children", "namespaces"),
)
SHOWN_IF_GIVEN = (
    *("breaks", "apart", "wrappers", "labels", "records", "entries"),
    *("text_attributes", "title_attributes", "styles", "escaped", "lines", "repeats", "sung"),
)
ANY_STRINGS = ("namespaces", "text_attributes", "title_attributes", "styles")
# The element that holds a title in an attribute, the first in the element that has it.
ATTRIBUTE_TITLE = "attribute-title"
# The elements that hold the text of headings by style, the highest first, in those that have the style.
STYLED_HEADINGS = tuple(f"styled-heading-{level}" for level in range(10))
INFERENCE = "inferred"  # a key of the profiles of indexes alone


# Prefix of the names of inferred profiles, which those of files do not have.
INFERRED = "inferred:"


@dataclass(frozen=True)
class Vocabulary:
    """The documents with one root, and the meaning of their tags as it was inferred when they were first indexed.

    root, namespace: of the root element. base: name of the profile that names other tags of theirs, or `none`.
    documents: number of those in which tags were counted. counts: of each tag, by what was counted.
    """

    root: str
    namespace: str
    base: str
    profile: Profile
    documents: int = 0
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the vocabulary in an index."""
        return self.root, self.namespace, self.base

    def to_dict(self) -> dict[str, Any]:
        """Return the vocabulary as an index stores it."""
        profile = {key: value for key, value in self.profile.to_dict().items() if value}
        return {
            **{"root": self.root, "namespace": self.namespace, "base": self.base, "documents": self.documents},
            **{"profile": profile, "counts": {tag: dict(counts) for tag, counts in self.counts.items()}},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Vocabulary:
        """Return the vocabulary that an index stores; raises ProfileError, KeyError, TypeError for another content."""
        root, namespace, base = (str(data[key]) for key in ("root", "namespace", "base"))
        counts = {str(tag): dict(of_tag) for tag, of_tag in data["counts"].items()}
        return cls(root, namespace, base, Profile.from_dict(data["profile"]), int(data["documents"]), counts)


@dataclass(frozen=True)
class Profile:
    """The meaning of the tags of one vocabulary. In the profile `none`, no tag has a special meaning.

    The profile `auto` chooses a built-in profile for each document (`profile_for`). Its own `titles`, `labels`,
    `headings` and `classes` are the union of all built-in ones, so queries with tag classes work on a mixed index.
    """

    name: str
    # Tags of inline elements: their text belongs to the nearest ancestor that is not inline.
    inline: frozenset[str] = frozenset()
    # Those inline tags that end a word, unless the element says break="no", as TEI's line and page breaks may.
    breaks: frozenset[str] = frozenset()
    # Those inline tags, such as names, that are words apart where two touch: <persName>Kern</persName><placeName>Bonn.
    apart: frozenset[str] = frozenset()
    # Tags whose subtrees are not indexed, as if they were absent; their text still counts in offsets.
    skip: frozenset[str] = frozenset()
    # Tags whose text is the title of the parent; the first in a document is the title of the document, unless it names
    # one of several like parts (`engine/presentation/breadcrumbs.py`).
    titles: frozenset[str] = frozenset()
    # Tags around titles, which are those of the parent of these: did in EAD, info in DocBook.
    wrappers: frozenset[str] = frozenset()
    # Tags whose text names the parent in breadcrumbs where that has no title, but does not count as a title in scores:
    # captions, the terms of lists, speakers.
    labels: frozenset[str] = frozenset()
    # Tags of records and of terms with what is said of them: the smallest useful answers. A short one is an answer
    # however short it is, and nothing inside of it is.
    records: frozenset[str] = frozenset()
    # Tags of entries of lists, and of lines of verse: answers like records where what is around them is long.
    entries: frozenset[str] = frozenset()
    # Attributes whose values are text of their elements, as `tag/@attribute`.
    text_attributes: frozenset[str] = frozenset()
    # Attributes whose values are titles of their elements, likewise; those of elements without others are text.
    title_attributes: frozenset[str] = frozenset()
    # Attributes that name the style of an element, `p/@style` or `p/properties/style/@name`, or level: headings have
    # that of one. And emphasis, `p/b` or `p/run/properties/b`: short paragraphs of it are headings.
    styles: frozenset[str] = frozenset()
    # Tags of elements whose text is HTML, escaped: feeds, comments of a forum.
    escaped: frozenset[str] = frozenset()
    # Tags of lines of a printed page: a word that a hyphen divides at the end of one is a word of it.
    lines: frozenset[str] = frozenset()
    # Tags of what is said again on other levels or by other readers of a page: only the first of a line counts.
    repeats: frozenset[str] = frozenset()
    # Tags of syllables of sung text: those of a verse are put together.
    sung: frozenset[str] = frozenset()
    # Tags whose text is the title of what follows them under the same parent, up to the next of the same or a higher
    # rank; the highest rank first.
    headings: tuple[str, ...] = ()
    # Tag -> representative of its tag class; a tag that is not in it represents itself.
    classes: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Attributes whose values are indexed, beside ids; None for all, long values shortened.
    attributes: frozenset[str] | None = frozenset()
    # Root tags by which `auto` recognises the vocabulary, together with `children`.
    roots: frozenset[str] = frozenset()
    # Tags of which at least one must be a child of the root; `article` is a root in three vocabularies.
    children: frozenset[str] = frozenset()
    # Namespaces of the root, each sufficient for `auto` to recognise the vocabulary.
    namespaces: frozenset[str] = frozenset()
    # References to images, as `tag/@attribute`; None for IMAGES.
    images: frozenset[str] | None = None
    # Tags of tables, of their rows, and of what lies between; None for TABLES, ROWS and ROW_GROUPS. The first rows of
    # a table are its headings, so a group of rows alone is not an answer.
    tables: frozenset[str] | None = None
    rows: frozenset[str] | None = None
    row_groups: frozenset[str] | None = None
    # Tags of blocks whose white space readable texts keep; None for PREFORMATTED.
    preformatted: frozenset[str] | None = None
    # Tags of notes, which may be in sentences; None for NOTES.
    notes: frozenset[str] | None = None
    # Tags whose outermost elements are documents of their own; none: a file is one document.
    split: frozenset[str] = frozenset()
    # The fields of a document, by name; see `engine.fields.definitions`.
    fields: Mapping[str, FieldDefinition] = field(default_factory=dict, hash=False)
    # Of `auto`: the profiles among which one is chosen for each document, the first that fits; none: the built-in ones.
    choices: tuple[Profile, ...] = ()

    # Of the profile of an index: the vocabularies whose tags were inferred from their use; None: nothing is inferred.
    inferred: tuple[Vocabulary, ...] | None = field(default=None, hash=False)

    def fits(self, root: str, namespace: str, children: Collection[str]) -> bool:
        """Return whether a document is of the vocabulary: by its namespace, or its root with one of the children."""
        is_root = root in self.roots and (not self.children or not self.children.isdisjoint(children))
        return namespace in self.namespaces or is_root

    def representative(self, tag: str) -> str:
        """Return the representative of the tag class of `tag`: `sec` for `ss1` in INEX IEEE."""
        return self.classes.get(tag, tag)

    @cached_property
    def title_and_heading_tags(self) -> frozenset[str]:
        """The tags of titles and headings."""
        return self.titles.union(self.headings)

    @cached_property
    def title_text_tags(self) -> frozenset[str]:
        """The tags of titles and headings that say nothing themselves; the terms of definitions are part of these."""
        return self.titles.union(each for each in self.headings if each not in TERMS)

    @cached_property
    def all_title_tags(self) -> frozenset[str]:
        """The tags of titles and headings, those of inferred profiles included."""
        return self.title_and_heading_tags.union(*(each.profile.title_and_heading_tags for each in self.inferred or ()))

    @property
    def names_titles(self) -> bool:
        """Whether any tag is a title, a label or a heading."""
        return bool(self.titles or self.labels or self.headings)

    @cached_property
    def row_tags(self) -> frozenset[str]:
        """The tags of rows of tables, those of inferred profiles included."""
        rows = ROWS if self.rows is None else self.rows
        return rows.union(*(each.profile.rows or () for each in self.inferred or ()))

    @cached_property
    def table_tags(self) -> frozenset[str]:
        """The tags of tables, those of inferred profiles included."""
        tables = TABLES if self.tables is None else self.tables
        return tables.union(*(each.profile.tables or () for each in self.inferred or ()))

    @property
    def row_group_tags(self) -> frozenset[str]:
        """The tags of groups of rows."""
        return ROW_GROUPS if self.row_groups is None else self.row_groups

    @cached_property
    def preformatted_tags(self) -> frozenset[str]:
        """The tags of blocks whose white space readable texts keep, unless they are inline.

        None whose text is the value of an attribute: a code with a name is no listing.
        """
        if self.preformatted is not None:
            return self.preformatted
        usual = PREFORMATTED if self.inline else PREFORMATTED - {CODE}
        return usual.difference(rule.partition("/@")[0] for rule in self.text_attributes)

    @property
    def note_tags(self) -> frozenset[str]:
        """The tags of notes."""
        return NOTES if self.notes is None else self.notes

    @property
    def image_rules(self) -> frozenset[str]:
        """References to images, as `tag/@attribute`."""
        return IMAGES if self.images is None else self.images

    @cached_property
    def image_attributes(self) -> frozenset[str]:
        """The attributes of references to images."""
        return frozenset(rule.partition("/@")[2] for rule in self.image_rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as sorted lists and strings with the keys of its TOML file; `from_dict` reads it."""
        members: dict[str, list[str]] = {}
        for tag, representative in sorted(self.classes.items()):
            members.setdefault(representative, []).append(tag)
        attributes = {} if self.attributes is None else {"attributes": sorted(self.attributes)}
        sets = {key: sorted(getattr(self, key)) for key in SETS if key not in SHOWN_IF_GIVEN or getattr(self, key)}
        given = {key: getattr(self, key) for key in ("images", *WITH_DEFAULTS)}
        replaced = {key: sorted(names) for key, names in given.items() if names is not None}
        split = {"split": sorted(self.split)} if self.split else {}
        by_tag = [tag for tag in self.headings if not self.styles or tag not in STYLED_HEADINGS]
        headings = {"headings": by_tag} if by_tag else {}
        of_fields = {name: each.to_dict() for name, each in sorted(self.fields.items())}
        fields = {"fields": of_fields} if of_fields else {}
        choices = {"choices": [each.to_dict() for each in self.choices]} if self.choices else {}
        inferred = {} if self.inferred is None else {INFERENCE: [each.to_dict() for each in self.inferred]}
        return {
            "name": self.name,
            **sets,
            **headings,
            **attributes,
            **replaced,
            **split,
            **choices,
            "classes": members,
            **fields,
            **inferred,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "profile") -> Profile:
        """Return the profile that `data` describes.

        Args:
            data: `name` and any of the keys of a profile file; `classes` maps a representative to its members.
            where: the file that messages name.
        Raises: ProfileError if a key is unknown, a value has the wrong type, or two values contradict each other.
        """
        known = ("name", *SETS, "headings", "attributes", "images", *WITH_DEFAULTS, "split", "classes", "fields")
        choices = (
            tuple(cls.from_dict(each, where) for each in data.get("choices", ())) if data.get("name") == AUTO else ()
        )
        for key in data:
            if key not in (*known, INFERENCE) and not (key == "choices" and choices):
                raise ProfileError(
                    f"{where}: unknown key {key!r}: {did_you_mean(key, known)}keys are {', '.join(known[1:])}."
                )
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise ProfileError(f"{where}: name: found {name!r}, expected a non-empty string.")
        sets = {key: names_of(data.get(key, []), where, key, any_string=key in ANY_STRINGS) for key in SETS}
        for tag in sorted(sets["inline"] & sets["skip"]):
            raise ProfileError(f"{where}: {tag!r} is both inline and skip: remove it from one of them.")
        sets["breaks"] &= sets["inline"]  # other tags end words anyway
        sets["apart"] &= sets["inline"]
        attributes = names_of(data["attributes"], where, "attributes") if "attributes" in data else None
        classes = classes_of(data.get("classes", {}), where)
        split = names_of(data.get("split", []), where, "split")
        names_of(data.get("headings", []), where, "headings")
        headings = tuple(dict.fromkeys(data.get("headings", [])))
        images = images_of(data, where)
        for key in ("text_attributes", "title_attributes"):
            sets[key] = attributes_of(data, where, key)
        sets["styles"] = attributes_of(data, where, "styles", is_path=True)
        if sets["title_attributes"]:
            sets["titles"] |= {ATTRIBUTE_TITLE}
        headings = with_styled(headings) if sets["styles"] else headings
        with_defaults = {key: names_of(data[key], where, key) if key in data else None for key in WITH_DEFAULTS}
        ordered = {"headings": headings, "attributes": attributes, "images": images, "split": split, "choices": choices}
        fields = fields_of(data.get("fields", {}), where)
        inferred = data.get(INFERENCE)
        vocabularies = None if inferred is None else tuple(map(Vocabulary.from_dict, inferred))
        return cls(name=name, classes=classes, fields=fields, inferred=vocabularies, **ordered, **with_defaults, **sets)  # type: ignore[arg-type]


def names_of(value: object, where: str, key: str, *, any_string: bool = False) -> frozenset[str]:
    """Return a list of names as a set; with `any_string`, of any strings that are not empty."""
    place = f"{where}: {key}" if where else key
    if not isinstance(value, list):
        raise ProfileError(f"{place}: found {value!r}, expected a list of names.")
    for name in value:
        if not isinstance(name, str) or not name or (not any_string and (":" in name or name.split() != [name])):
            raise ProfileError(f"{place}: found {name!r}, expected a local name without prefix.")
    return frozenset(value)


def images_of(data: Mapping[str, Any], where: str) -> frozenset[str] | None:
    """Return the references to images, None if the profile does not name them."""
    return attributes_of(data, where, "images") if "images" in data else None


def with_styled(headings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags of headings with those of headings by style, which are higher.

    >>> with_styled(("h2",))[-2:]
    ('styled-heading-9', 'h2')
    """
    return tuple(dict.fromkeys((*STYLED_HEADINGS, *headings)))


def attributes_of(data: Mapping[str, Any], where: str, key: str, *, is_path: bool = False) -> frozenset[str]:
    """Return the attributes of tags that a key names; with `is_path`, those on a path below a tag, and paths, too."""
    rules = names_of(data.get(key, []), where, key, any_string=True)
    example = {"images": "graphic/@href", "styles": "p/@style"}.get(key, "entry/@label")
    pattern = r"[^\s:/@]+(?:/[^\s:/@]+)*/@?[^\s:/@]+" if is_path else r"[^\s:/@]+/@[^\s:/@]+"
    for rule in sorted(rules):
        if not re.fullmatch(pattern, rule):
            raise ProfileError(f"{where}: {key}: found {rule!r}, expected tag/@attribute, such as '{example}'.")
    return rules


def classes_of(value: object, where: str) -> dict[str, str]:
    """Return tag -> representative from representative -> members."""
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: classes: found {value!r}, expected lines such as sec = ['ss1', 'ss2'].")
    classes: dict[str, str] = {}
    for representative, members in value.items():
        for tag in sorted(names_of(members, where, f"classes.{representative}")):
            if tag in classes:
                raise ProfileError(
                    f"{where}: classes: {tag!r} is in two classes, {classes[tag]!r} and {representative!r}."
                )
            if tag in value and tag != representative:
                raise ProfileError(
                    f"{where}: classes.{representative}: {tag!r} is the representative of another class."
                )
            classes[tag] = representative
    return {tag: representative for tag, representative in classes.items() if tag != representative}
