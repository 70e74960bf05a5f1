"""Named entities that documents may use without defining them, and the treatment of others.

foxir knows the character entities of HTML and ISO. A file of declarations and a catalog of local DTDs may add others.
A document's own definitions come first, then those of the file, of the catalog, and of the standards.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path

from engine.collection.entities.catalog import Catalog
from engine.collection.entities.entity_declarations import REFERENCE, read_declarations
from engine.errors import CollectionError, SettingsError
from engine.records import dataclass

REFUSE, KEEP = "refuse", "keep"
UNDEFINED = (REFUSE, KEEP)
# Environment variable of libxml2: paths of catalogs, separated by blanks.
CATALOGS = "XML_CATALOG_FILES"
# Defined by XML itself.
PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))
# Longest replacement of one reference, in characters, with all that it refers to in turn.
LONGEST = 1 << 20
# Depth of entities that refer to entities.
DEEPEST = 40

_MARKUP = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?>[^<>"']|"[^"]*"|'[^']*')*+>""",
    re.DOTALL,
)
_ISO = Path(__file__).with_name("iso_entities.txt")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


@cache
def standard_entities() -> Mapping[str, str]:
    """Return the replacement of every character entity of HTML 5 and of the ISO sets, as XML text.

    >>> standard_entities()["eacute"], standard_entities()["alpha"], standard_entities()["agr"]
    ('&#233;', '&#945;', '&#945;')
    """
    from html.entities import html5  # noqa: PLC0415  (a large table, and few documents need it)

    characters = {name[:-1]: text for name, text in html5.items() if name.endswith(";")}
    lines = _ISO.read_text(encoding="utf-8").splitlines()
    characters |= {name: chr(int(code, 16)) for name, code in (line.split() for line in lines if line[0] != "#")}
    return {
        name: "".join(_ESCAPES.get(character, f"&#{ord(character)};") for character in text)
        for name, text in characters.items()
    }


@dataclass(frozen=True)
class Entities:
    """The replacements of references to entities that a document does not define.

    declared: replacement texts by name, which may refer to other entities. catalog: where documents' DTDs are.
    undefined: `refuse` a document with any other reference, or `keep` the reference as text.
    """

    declared: Mapping[str, str] = field(default_factory=dict, hash=False)
    catalog: Catalog = field(default_factory=Catalog)
    undefined: str = REFUSE

    def __post_init__(self) -> None:
        if self.undefined not in UNDEFINED:
            raise SettingsError(f"undefined entities '{self.undefined}': expected one of {', '.join(UNDEFINED)}.")

    def replacement(self, name: str, own: frozenset[str], of_dtd: Mapping[str, str]) -> str | None:
        """Return the XML that replaces a reference, None if the entity is unknown.

        Args:
            own: names that the document itself defines; references to them are left to the parser.
            of_dtd: replacement texts from the document's DTD.
        Raises: CollectionError if the entity refers to itself, or its replacement is too long.
        """
        return self._expanded(name, own, of_dtd, ())

    def _expanded(
        self, name: str, own: frozenset[str], of_dtd: Mapping[str, str], above: tuple[str, ...]
    ) -> str | None:
        if name in own or name in PREDEFINED:
            return f"&{name};"
        if name in above or len(above) > DEEPEST:
            raise CollectionError(f"entity '{name}' refers to itself, or entities are nested more than {DEEPEST} deep.")
        text = self.declared.get(name, of_dtd.get(name))
        if text is None:
            return standard_entities().get(name)
        pieces, last, length = list[str](), 0, 0
        for reference in REFERENCE.finditer(text):
            inner = self._expanded(reference[1], own, of_dtd, (*above, name))
            inner = inner if inner is not None else reference[0]
            pieces += text[last : reference.start()], inner
            last = reference.end()
            length += len(inner)
            if length > LONGEST:
                raise CollectionError(f"entity '{name}' expands to more than {LONGEST:,} characters.")
        return _on_one_line("".join([*pieces, text[last:]]))


def _on_one_line(text: str) -> str:
    """Return XML without line breaks, so that the lines of a document that it is put into keep their numbers.

    In text, a line break becomes a reference to the character; inside tags and other markup, a blank.
    """
    pieces, last = list[str](), 0
    for markup in _MARKUP.finditer(text := text.replace("\r", "")):
        pieces += text[last : markup.start()].replace("\n", "&#10;"), markup[0].replace("\n", " ")
        last = markup.end()
    return "".join([*pieces, text[last:].replace("\n", "&#10;")])


def make_entities(
    file: str | Path | None = None, catalogs: Sequence[str | Path] = (), undefined: str = REFUSE
) -> Entities:
    """Return the entities of a file of declarations, and of catalogs: those given, else those of XML_CATALOG_FILES.

    Raises: SettingsError if one of them cannot be read or is malformed.
    """
    declared = read_declarations(Path(file)) if file else {}
    usual = [path for path in os.environ.get(CATALOGS, "").split() if Path(path).is_file()]
    return Entities(declared, Catalog.read(catalogs or usual), undefined)
