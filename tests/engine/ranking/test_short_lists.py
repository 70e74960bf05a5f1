"""Between a fragment and a whole document there is an answer: short lists, tables, and captions with what they are of.

The vocabulary is one that no profile knows: what its tags mean is inferred.

Entries of long lists, and lines of verse without stanzas, are answers; in short texts these stay whole.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.index.reader import open_reader

PATTERN = """<pattern><name>{name}</name><maker>{maker}</maker>
<needs><head>You will need</head><bit>{yarn}</bit><bit>two {needle} needles</bit><bit>a darning needle</bit></needs>
<work><head>Cast on</head><do>Cast on forty stitches and join them into a ring without twisting the first round.</do>
<do>Knit in the round until the piece is as long as your hand, then begin to decrease at both sides.</do></work>
<work><head>Finish</head><do>{end} Weave in the ends and wash the piece in cool water before you block it.</do></work>
<sizes><legend>{name} by size of the wearer</legend><ln><h>Wearer</h><h>Rounds</h></ln>
<ln><v>child</v><v>{child}</v></ln><ln><v>grown person</v><v>{grown}</v></ln></sizes>
<care><do>Before you put it away for a long summer:</do><all><do>Air it in the shade for a whole day, far from any
lamp.</do><do>Fold it with fresh cedar shavings in paper that is not printed.</do></all></care></pattern>"""
PATTERNS = (
    ("Fingerless mitts", "Ilse Noor", "grey alpaca yarn", "bamboo", 22, 41, "Leave a gap for the thumb."),
    ("Ribbed cap", "Owen Tal", "undyed merino yarn", "steel", 30, 52, "Draw the thread through all stitches."),
    ("Boot socks", "Ada Brandt", "sock yarn with nylon", "birch", 61, 83, "Turn the heel with short rows."),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("patterns")
    keys = ("name", "maker", "yarn", "needle", "child", "grown", "end")
    for values in PATTERNS:
        (folder / f"{values[0].split()[-1]}.xml").write_text(PATTERN.format(**dict(zip(keys, values, strict=True))))
    foxir.build_index(folder, into=folder / "x.foxir")
    return folder / "x.foxir"


@pytest.mark.parametrize(
    ("query", "document", "path"),
    [
        ("grey alpaca", "mitts", "/pattern[1]/needs[1]"),
        ("birch needles", "socks", "/pattern[1]/needs[1]"),
        ("how many rounds for a cap of a grown person", "cap", "/pattern[1]/sizes[1]"),
        ("boot socks by size of the wearer", "socks", "/pattern[1]/sizes[1]"),
        ("put it away for a long summer", "cap", "/pattern[1]/care[1]"),
        ("turn the heel", "socks", "/pattern[1]/work[2]/do[1]"),
    ],
)
def test_the_list_the_table_and_the_pair_are_answers(index: Path, query: str, document: str, path: str) -> None:
    best = foxir.open_index(index).search(query)[0]

    assert (best.document, best.path) == (document, path)


def test_cells_of_head_rows_are_no_titles(index: Path) -> None:
    profile = open_reader(index).profile_of(0)

    assert {"h", "v"}.isdisjoint(profile.titles | profile.labels | set(profile.headings))
    assert "sizes" in profile.table_tags
    assert "ln" in profile.row_tags
    assert {"head", "name"} <= profile.titles


def test_a_table_of_an_unknown_vocabulary_reads_in_rows(index: Path) -> None:
    answer = foxir.open_index(index).search("rounds of a child with boot socks by size")[0]

    assert answer.readable_text.splitlines()[1:] == ["Wearer | Rounds", "child | 61", "grown person | 83"]


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


def test_a_coded_name_is_no_answer_where_a_text_says_more(tmp_path: Path) -> None:
    told = (
        "Drink plenty of warm water for some days and come back if after discharge the cough or the fever gets worse."
    )
    colours = ("green lamp", "grey stone", "brown reef", "white gull", "black cape")
    found = "".join(f'<seen><kind label="{colour}"/><value label="{colour[:5]} once"/></seen>' for colour in colours)
    part = '<part><kind label="{}"/><text><para>{}</para></text>{}</part>'
    for name in "abc":
        parts = part.format("Discharge diagnosis", told, found * 6) + part.format("Chest noted", "It was clear.", found)
        (tmp_path / f"{name}.xml").write_text(f"<visit>{parts}</visit>")
    foxir.build_index(tmp_path, into=tmp_path / "x.foxir")
    best = foxir.open_index(tmp_path / "x.foxir").search("cough and fever after discharge with a diagnosis")[0]

    assert open_reader(tmp_path / "x.foxir").statistics.block_words < 7
    assert best.path == "/visit[1]/part[1]/text[1]/para[1]"
