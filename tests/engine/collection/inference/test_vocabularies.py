"""What the tags of unknown vocabularies mean, by their use: a table of truth, and what must hold of any collection."""

from __future__ import annotations

import base64
import hashlib
import tomllib
from pathlib import Path

import pytest

import foxir
from engine.collection.entities.entity_references import Entities
from engine.collection.inference.vocabularies import infer
from engine.collection.limits import Limits
from engine.collection.profiles.profile import Profile
from engine.collection.profiles.profile_files import load_profile, profile_text
from engine.collection.sources.source_listing import open_sources
from engine.index.reader import open_reader

FOLDER = Path(__file__).parents[3] / "fixtures" / "vocabularies"
TRUTH = tomllib.loads((FOLDER / "truth.toml").read_text("utf-8"))
GROUPS = {group: frozenset(TRUTH.pop(group)) for group in ("later", "newest", "last")}
GROUPS["first"] = TRUTH.keys() - frozenset().union(*GROUPS.values())
LEAST = {"first": (0.95, 0.95), "later": (0.95, 0.95), "newest": (0.94, 0.94), "last": (0.95, 0.95)}
ROLES = {"inline": ("inline",), "titles": ("titles", "labels", "headings")}


def inferred(folder: Path, *files: Path, **options: object) -> Profile:
    """Return the profile that is inferred of files with one root."""
    foxir.build_index(*files, into=folder / "x.foxir", **options)  # type: ignore[arg-type]
    found = open_reader(folder / "x.foxir").profile.inferred
    assert found is not None
    assert len(found) == 1
    return found[0].profile


def tags(profile: Profile, role: str) -> set[str]:
    return {tag for key in ROLES[role] for tag in getattr(profile, key)}


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, set[str]]]:
    """The tags of each role by vocabulary; an index of each group, as an index has 64 vocabularies at most."""
    found = {}
    for group, names in GROUPS.items():
        index = tmp_path_factory.mktemp("truth") / f"{group}.foxir"
        foxir.build_index(*(FOLDER / f"{name}.xml" for name in sorted(names)), into=index)
        reader = open_reader(index)
        profiles = {name.partition("/")[0]: reader.profile_of(number) for number, name in enumerate(reader.ids)}
        found |= {name: {role: tags(profiles[name], role) for role in ROLES} for name in names}
    return found


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("group", GROUPS)
def test_roles_are_those_that_a_reader_sees(roles: dict[str, dict[str, set[str]]], role: str, group: str) -> None:
    names = sorted(GROUPS[group])
    precision, recall = LEAST[group] if role == "titles" else (0.95, 0.95)
    pairs = [({(name, tag) for tag in roles[name][role]}, {(name, tag) for tag in TRUTH[name][role]}) for name in names]
    found, true = (set[tuple[str, str]]().union(*sets) for sets in zip(*pairs, strict=True))

    assert len(names) >= 10
    assert len(found & true) / len(found) >= precision, sorted(found - true)
    assert len(found & true) / len(true) >= recall, sorted(true - found)


def test_documents_one_after_another_in_a_file_are_a_sample(tmp_path: Path) -> None:
    begin = '<?xml version="1.0"?><reel><cap>{}</cap><shot>The <k>boat</k> leaves the quay at dawn.</shot></reel>'
    (tmp_path / "a.xml").write_text("\n".join(begin.format(cap) for cap in ("Ebb tide", "Nets", "Salt and fish")))

    assert inferred(tmp_path, tmp_path / "a.xml").inline == {"k"}


def test_of_large_documents_more_than_two_are_a_sample(tmp_path: Path) -> None:
    line = "<verse>The boats of Lerwick leave the quay at dawn and come home with the tide.</verse>\n"
    for number in range(5):
        begin = f"<song><verse>The <k{number}>boats</k{number}> leave the quay at dawn.</verse>"
        (tmp_path / f"{number}.xml").write_text(f"{begin}{8_000 * line}</song>")
    with open_sources([tmp_path]) as sources:
        profile, _ = infer(load_profile("auto"), list(sources.entries), Limits(), Entities())

    assert profile.inferred is not None
    assert profile.inferred[0].profile.inline == {"k0", "k1", "k2", "k3", "k4"}
    assert profile.inferred[0].documents == 5


def test_short_documents_have_titles_too(tmp_path: Path) -> None:
    knots = ("Bowline", "Double sheet bend", "Rolling hitch", "Clove hitch")
    for knot in knots:
        steps = f"<how>Lay the rope over the hand and pass the end of the {knot.lower()} through it.</how>"
        (tmp_path / f"{knot}.xml").write_text(f"<knot><kn>{knot}</kn>{steps}<how>Draw it tight.</how></knot>")

    assert inferred(tmp_path, *sorted(tmp_path.glob("*.xml"))).titles == {"kn"}


def copies(folder: Path, name: str, n: int) -> list[Path]:
    """Return copies of a file of the truth, which differ by a comment alone."""
    text = (FOLDER / f"{name}.xml").read_text("utf-8")
    files = [folder / f"{number}.xml" for number in range(n)]
    for number, file in enumerate(files):
        file.write_text(f"{text}<!-- {number} -->", "utf-8")
    return files


@pytest.mark.long
def test_neither_order_nor_processes_nor_shards_change_what_is_inferred(tmp_path: Path) -> None:
    files = copies(tmp_path, "statute", 12)
    found = [
        inferred(tmp_path / "a", *files),
        inferred(tmp_path / "b", *reversed(files), jobs=2),
        inferred(tmp_path / "c", *files, shards=3),
    ]

    assert found[0].inline == TRUTH_OF_STATUTE
    assert found == [found[0]] * 3


TRUTH_OF_STATUTE = frozenset(TRUTH["statute"]["inline"])


def test_an_update_keeps_what_was_inferred_first_and_says_what_new_documents_would_decide(tmp_path: Path) -> None:
    folder, index = tmp_path / "texts", tmp_path / "x.foxir"
    folder.mkdir()
    (folder / "a.xml").write_text("<r><e>The <k>red</k> fox runs in the snow.</e><e>It <k>barks</k> at us.</e></r>")
    foxir.build_index(folder, into=index)
    first = open_reader(index).profile
    (folder / "b.xml").write_text("<r><e><k>red</k><f>fox</f></e><e><k>grey</k><f>wolf</f></e></r>")
    report = foxir.build_index(into=index)

    assert first.inferred is not None
    assert first.inferred[0].profile.inline == {"k"}
    assert open_reader(index).profile.inferred == first.inferred
    assert [(each.code, each.fields["tags"]) for each in report.notices if not isinstance(each, str)] == [
        ("inferred_otherwise", ("e", "k"))
    ]


def test_what_an_index_inferred_is_a_profile_to_index_with(tmp_path: Path) -> None:
    source = FOLDER / "news.xml"
    profile = inferred(tmp_path, source)
    (tmp_path / "mine.toml").write_text(profile_text(profile), "utf-8")
    foxir.build_index(source, into=tmp_path / "y.foxir", profile=tmp_path / "mine.toml")
    reader = open_reader(tmp_path / "y.foxir")

    assert reader.profile.inferred is None
    for role in (*ROLES["inline"], *ROLES["titles"], "breaks", "skip", "records"):
        assert getattr(reader.profile, role) == getattr(profile, role)


@pytest.mark.parametrize("options", [{"infer": False}, {"profile": "none"}])
def test_nothing_is_inferred_where_it_is_not_wanted(tmp_path: Path, options: dict[str, object]) -> None:
    foxir.build_index(FOLDER / "news.xml", into=tmp_path / "x.foxir", **options)  # type: ignore[arg-type]

    assert open_reader(tmp_path / "x.foxir").profile.inferred is None


def test_tags_that_a_profile_knows_keep_its_meaning(tmp_path: Path) -> None:
    text = "<article><front/><body><sec><title>Hail</title><p>It <q>fell</q> again.</p></sec></body></article>"
    (tmp_path / "a.xml").write_text(text)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    reader = open_reader(tmp_path / "x.foxir")

    assert reader.profile.inferred == ()
    assert reader.profile_of(0) == load_profile("jats")


def test_a_foreign_element_in_a_line_is_inline_beside_a_profile(tmp_path: Path) -> None:
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:x="urn:facts"><head><title>Accounts</title></head><body>'
        "<p>A crew of <x:fact>41</x:fact> (2022: <x:fact>38</x:fact>).</p><p>The own<x:fact>ers</x:fact> met.</p>"
        "</body></html>"
    )
    (tmp_path / "a.xhtml").write_text(page)
    profile = inferred(tmp_path, tmp_path / "a.xhtml", profile="html")

    assert profile.inline == load_profile("html").inline | {"fact"}
    index = foxir.open_index(tmp_path / "x.foxir")
    assert [answer.path for answer in index.search("owners")] == ["/html[1]/body[1]/p[2]"]


DIGESTS = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(4)]


@pytest.mark.parametrize(
    ("text", "is_skipped"),
    [
        (base64.b64encode(b"".join(bytes.fromhex(digest) for digest in DIGESTS)).decode(), True),
        (base64.encodebytes(bytes(range(256)) * 20).decode(), True),
        (DIGESTS[0], True),
        ("Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz", False),
        ("海上保安庁は昨日の夕方に港の灯台を修理すると発表した", False),
        ("https://example.org/a/very/long/path/that/has/no/blank/1.html", False),
        ("A picture of the harbour in 1911, by an unknown hand", False),
    ],
)
def test_runs_of_letters_and_digits_are_no_words(tmp_path: Path, text: str, is_skipped: bool) -> None:
    body = "<p>The keeper trimmed the wick at dusk and wrote his log.</p>"
    (tmp_path / "a.xml").write_text(f"<log><day>{body}</day><day>{body}</day><data>{text}</data></log>", "utf-8")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert ("data" in open_reader(tmp_path / "x.foxir").profile_of(0).skip) == is_skipped


BOATS = [("Gannet", "Leith", "1904"), ("Petrel", "Wick", "1911"), ("Fulmar", "Hull", "1899"), ("Skua", "Ayr", "1920")]
RECORDS = "".join(f"<boat><n>{n}</n><at><port>{p}</port><yr>{y}</yr></at></boat>" for n, p, y in BOATS)
PROSE = "<p>" + "The harbour board met every week to look at the state of the quays and the lights. " * 60 + "</p>"
TERMS = (("-n", "The number of the new page."), ("-s, --short", "Writes short messages."), ("-v", "Says much."))
PAIRS = "".join(f"<opt><key>{key}</key><says><p>{says}</p></says></opt>" for key, says in TERMS)
LISTED = f"<log><day>{PROSE}</day><day>{PROSE}</day><boats>{RECORDS}</boats><opts>{PAIRS}</opts></log>"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Petrel", "/log[1]/boats[1]/boat[2]"),
        ("Hull 1899", "/log[1]/boats[1]/boat[3]"),
        ("number of the new page", "/log[1]/opts[1]/opt[1]"),
        ("short", "/log[1]/opts[1]/opt[2]"),
    ],
)
def test_a_record_and_a_term_with_what_is_said_of_it_are_the_smallest_answers(
    tmp_path: Path, query: str, path: str
) -> None:
    (tmp_path / "a.xml").write_text(LISTED)
    assert inferred(tmp_path, tmp_path / "a.xml").records == {"boat", "opt"}

    assert foxir.open_index(tmp_path / "x.foxir").search(query)[0].path == path


def test_a_short_series_of_short_steps_is_an_answer_and_none_of_its_steps(tmp_path: Path) -> None:
    dishes = ("barley broth", "herring pie", "kelp salad", "oat bread")
    steps = "<step>Wash the {0}.</step><step>Salt it and wait for an hour.</step><step>Heat the {0} until done.</step>"
    book = "".join(f"<dish name='{dish.title()}'>{steps.format(dish.split()[0])}</dish>" for dish in dishes)
    rows = f"<day>{book.replace('dish', 'row')}</day>"
    (tmp_path / "a.xml").write_text(f"<menus><menu>{book}</menu>{rows}{PROSE}</menus>")

    assert inferred(tmp_path, tmp_path / "a.xml").records == {"dish"}
    found = [each.path for each in foxir.open_index(tmp_path / "x.foxir").search("heat the herring")]
    assert "/menus[1]/menu[1]/dish[2]" in found
    assert not any(path.startswith("/menus[1]/menu[1]/dish[2]/") for path in found)


STEPS = (
    "<item><p>Open the lid of the {0} and take the old wick out with the small tongs that hang beside it.</p></item>"
    "<item><p>Press the <k>Trim</k> lever of the {0} until the new wick stands a finger above the collar.</p></item>"
)


def test_the_steps_of_a_procedure_are_an_answer_and_none_of_these(tmp_path: Path) -> None:
    lamps = ("harbour lamp", "mole lamp", "storm lamp", "range lamp")
    pages = [f"<page><head>The {each}</head>{PROSE}<steps>{STEPS.format(each)}</steps></page>" for each in lamps]
    (tmp_path / "a.xml").write_text(f"<manual>{''.join(pages)}</manual>")

    assert inferred(tmp_path, tmp_path / "a.xml").records == {"steps"}
    first = foxir.open_index(tmp_path / "x.foxir").search("press the trim lever of the storm lamp")[0]
    assert first.path == "/manual[1]/page[3]/steps[1]"


def test_parts_of_records_are_answers_where_they_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(LISTED)
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    index = foxir.open_index(tmp_path / "x.foxir")

    assert index.search("Petrel", min_leaf_words="0", min_words="0")[0].path.startswith("/log[1]/boats[1]/boat[2]/n")
    assert index.search("//port[about(., Wick)]")[0].path == "/log[1]/boats[1]/boat[2]/at[1]/port[1]"
