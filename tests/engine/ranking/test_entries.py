"""Entries of long lists, and lines of verse without stanzas, are answers; in short texts these stay whole."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir

NAMES = ("Zeller", "Nunn", "Osei", "Moro", "Quist", "Adeyemi", "Holm")
CITED = [f"<cited><of>{name} et al.</of><nr>{5000000 + 7919 * n}</nr></cited>" for n, name in enumerate(NAMES * 20)]
LINES = [f"<l>{a} {b} beside the {c}</l>" for a in NAMES for b in NAMES for c in ("sea", "hill")]
LINES[51], LINES[34] = "<l>Moro Quist beside the wharf</l>", "<l>Osei Moro beside the weir</l>"
LINES[3] = "<l>Zeller Nunn beside the jetty</l>"
PROSE = "<p>" + "The board met to look at the state of the quays and of the lights above them. " * 9 + "</p>"
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div>{}</div></body></text></TEI>'


@pytest.mark.parametrize(
    ("document", "query", "path"),
    [
        (f"<grant><text>{PROSE * 3}</text><refs>{''.join(CITED)}</refs></grant>", "5015838", "/refs[1]/cited[3]"),
        (TEI.format(PROSE * 2 + "".join(LINES) + PROSE), "Moro Quist wharf", "/l[52]"),
        (f"<play>{PROSE * 3}<ode>{''.join(LINES)}</ode></play>".replace("l>", "v>"), "Osei Moro weir", "/ode[1]/v[35]"),
        (TEI.format(f"{PROSE * 4}<lg>{''.join(LINES[:8])}</lg>"), "Zeller Nunn jetty", "/lg[1]"),
    ],
    ids=["citations", "verse between prose", "another vocabulary", "stanza"],
)
def test_an_entry_is_an_answer_where_the_text_around_it_is_long(
    tmp_path: Path, document: str, query: str, path: str
) -> None:
    (tmp_path / "a.xml").write_text(document)
    for n in range(3):  # words of the lines are rare in a collection
        (tmp_path / f"{n}.xml").write_text(f"<doc>{PROSE * 2}</doc>")
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert index.search(query)[0].path.endswith(path)
    assert index.search(query, passages=True)[0].path.endswith(path)
