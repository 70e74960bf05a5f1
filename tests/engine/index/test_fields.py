"""Fields of documents in an index: where values are found, filters, updates, segments, shards, equal to the obvious."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.collection.profiles.profile_files import VOCABULARIES, built_in, load_profile, load_profiles, profile_text
from engine.errors import ClosedIndexError, ProfileError, SettingsError
from engine.fields.conditions import Where
from engine.index.fields import FieldValue
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import compact_index
from tests.engine.index.sharded import grown
from tests.engine.small_index import answers_to, build_index, index_of, unchecked_answers
from tests.notice_codes import codes
from tests.reference import fields as reference
from tests.trust.soak import effort

few = settings(max_examples=effort(1, 150, thorough=15), deadline=None, suppress_health_check=list(HealthCheck))


def of(index: IndexReader, document: str) -> dict[str, FieldValue]:
    number = index.number(document)
    assert number is not None
    return index.fields.of_documents(np.array([number]))[0]


def profile(folder: Path, text: str) -> str:
    path = folder / "own.toml"
    path.write_text(text, "utf-8")
    return str(path)


JATS = """<article article-type="review-article" xml:lang="en"><front><journal-meta><journal-title-group>
<journal-title>Seamark  Studies</journal-title></journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.1000/x</article-id>
<contrib-group><contrib contrib-type="author"><name><surname>Strand</surname><given-names>E<sub>1</sub>va</given-names>
</name></contrib><contrib contrib-type="editor"><name><surname>No</surname></name></contrib>
<contrib contrib-type="Author"><collab>Lights Group</collab></contrib></contrib-group>
<pub-date pub-type="ppub"><year>2015</year></pub-date>
<pub-date pub-type="epub"><day>4</day><month>Mar</month><year>2016</year></pub-date>
<kwd-group><kwd>fog</kwd><kwd>Fog</kwd><kwd>bell</kwd></kwd-group></article-meta></front><body><p>lens</p></body></article>
"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="de"><teiHeader><fileDesc><titleStmt><title>Briefe</title>
<author><forename>Hélène</forename> <surname>Daubigny</surname></author></titleStmt><publicationStmt><date>1999</date>
</publicationStmt><sourceDesc><bibl><date when="1857-05">Mai 1857</date></bibl></sourceDesc></fileDesc></teiHeader>
<text type="letter"><body><p>lens</p></body></text></TEI>"""
LETTER = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>A letter</title></titleStmt>
<publicationStmt><p>x</p></publicationStmt><sourceDesc><p>y</p></sourceDesc></fileDesc><profileDesc><correspDesc>
<correspAction type="sent"><persName>Ada Kern</persName><date when="1843-07-01"/></correspAction>
<correspAction type="received"><persName>Jo Strand</persName></correspAction></correspDesc></profileDesc></teiHeader>
<text><body><p>lens</p></body></text></TEI>"""
DOCBOOK = """<article xmlns="http://docbook.org/ns/docbook" xml:lang="en"><info><title>Lamps</title><author><personname>
<firstname>Jo</firstname><surname>Kern</surname></personname><affiliation>x</affiliation></author>
<pubdate>14 March 2016</pubdate><keywordset><keyword>oil</keyword></keywordset></info><para>lens</para></article>"""
DITA = """<concept id="c" xml:lang="en"><title>Lamp</title><prolog><author>Kern</author><critdates>
<created date="2015-01-01"/><revised modified="2016-02-03"/></critdates><metadata><keywords><keyword>oil</keyword>
</keywords></metadata></prolog><conbody><p>lens</p></conbody></concept>"""
EAD = """<ead><eadheader><filedesc><titlestmt><titleproper>Papers</titleproper></titlestmt></filedesc></eadheader>
<archdesc level="fonds"><did><unittitle>Papers of a keeper</unittitle><unitdate normal="1857/1901">1857-1901</unitdate>
<origination><persname>Kern, Jo</persname></origination></did><controlaccess><subject>lamps</subject></controlaccess>
<dsc><c01><did><unittitle>Letters</unittitle><unitdate>1860</unitdate></did></c01></dsc></archdesc></ead>"""
HTML = """<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Lamp</title>
<meta name="Author" content="Jo"/>
<meta name="keywords" content="oil, wick,, Oil"/>
<meta property="article:published_time" content="2016-02-03T10:00Z"/></head><body><p>lens</p></body></html>"""


def test_who_sent_a_letter_is_its_author_if_no_other_is_named(tmp_path: Path) -> None:
    signed = LETTER.replace("</title>", "</title><author>The Keeper</author>")

    index = index_of(tmp_path, {"letter": LETTER, "signed": signed}, profile="auto")

    assert [of(index, name)["author"] for name in ("letter", "signed")] == [["Ada Kern"], ["The Keeper"]]


def test_built_in_profiles_find_the_usual_fields(tmp_path: Path) -> None:
    documents = {"jats": JATS, "tei": TEI, "docbook": DOCBOOK, "dita": DITA, "ead": EAD, "html": HTML}
    index = index_of(tmp_path, documents, profile="auto")

    assert of(index, "jats") == {
        **{"author": ["Strand E1va", "Lights Group"], "type": "review-article", "language": ["en"]},
        **{
            "doi": "10.1000/x",
            "journal": "Seamark Studies",
            "keyword": ["fog", "bell"],
            "date": "2016-03-04",
            "year": 2016,
        },
    }
    assert of(index, "tei") == {
        **{"author": ["Hélène Daubigny"], "title": "Briefe", "language": ["de"], "type": "letter"},
        **{"date": "1857-05", "year": 1857},
    }
    assert of(index, "docbook") == {
        **{"author": ["Jo Kern"], "title": "Lamps", "language": ["en"], "keyword": ["oil"]},
        **{"date": "2016-03-14", "year": 2016},
    }
    assert of(index, "dita") == {
        **{"author": ["Kern"], "title": "Lamp", "language": ["en"], "keyword": ["oil"], "date": "2016-02-03"},
        "year": 2016,
    }
    assert of(index, "ead") == {
        **{"author": ["Kern, Jo"], "title": "Papers of a keeper", "type": "fonds", "keyword": ["lamps"]},
        **{"date": "1857", "year": 1857},
    }
    assert of(index, "html") == {
        **{"author": ["Jo"], "title": "Lamp", "keyword": ["oil", "wick"], "language": ["en"], "date": "2016-02-03"},
        "year": 2016,
    }
    found = answers_to(index, "lens", where="author:kern and year = 2016")
    assert {answer.document for answer in found} == {"docbook", "dita"}


def test_built_in_profiles_agree_on_types_and_are_written_as_they_are_read(tmp_path: Path) -> None:
    assert set(built_in("auto").fields) >= {"author", "date", "year", "type", "language", "keyword", "title"}
    for name in VOCABULARIES:
        several = {field: each.several for field, each in built_in(name).fields.items()}
        assert several == {field: built_in("auto").fields[field].several for field in several}
        assert load_profile(profile(tmp_path, profile_text(built_in(name)))).fields == built_in(name).fields


def test_a_field_of_two_types_in_two_profiles_is_refused(tmp_path: Path) -> None:
    own = profile(tmp_path, 'roots = ["book"]\n[fields.year]\ntype = "number"\nfrom = "when"\n')

    with pytest.raises(ProfileError, match="the field 'year' is number in the profile 'own' and year in 'jats'"):
        load_profiles([own, "jats"])


def test_a_profile_that_extends_another_adds_and_replaces_fields(tmp_path: Path) -> None:
    pages = '[fields.pages]\ntype = "number"\nfrom = "counts/page-count/@count"\n'
    own = f'extends = "jats"\n[fields]\nauthor = "byline"\n{pages}'
    found = load_profile(profile(tmp_path, own)).fields

    assert found["author"].sources == ("byline",)
    assert found["pages"].type == "number"
    assert found["doi"] == built_in("jats").fields["doi"]


PATHS = [
    ("/a/b", ["1", "4"]),
    ("b", ["1", "2", "3", "4"]),
    ("c//b", ["2", "3"]),
    ("c/b", ["2"]),
    ("/b", []),
    ("*/d/b", ["3"]),
    ("b[@k]", ["1", "2"]),
    ("b[@k=x]/@n", ["n1"]),
    ("b[@k='X'][@n]", ["1"]),
    ("c/b | /a/b", ["1", "2", "4"]),
    ("b/@missing", []),
]


@pytest.mark.parametrize(("path", "values"), PATHS)
def test_a_path_leads_to_its_elements(path: str, values: list[str], tmp_path: Path) -> None:
    own = profile(tmp_path, f'[fields]\nf = "{path}"\n')
    markup = '<a><b k="x" n="n1">1</b><c><b k="y">2</b><d><b>3</b></d></c><m:b xmlns:m="u">4</m:b></a>'
    index = index_of(tmp_path, {"one": markup, "other": "<a><e>5</e></a>"}, profile=own)

    assert of(index, "one").get("f", []) == values
    assert of(index, "other") == {}


def test_a_value_of_another_type_is_left_out_and_told_once(tmp_path: Path) -> None:
    own = profile(tmp_path, '[fields.n]\ntype = "number"\nfrom = "n"\n')
    source = tmp_path / "source"
    source.mkdir()
    for name, n in (("a", "12"), ("b", "spring"), ("c", "autumn"), ("d", "")):
        (source / f"{name}.xml").write_text(f"<a><n>{n}</n><p>lens</p></a>", "utf-8")
    report = build_index(source, into=tmp_path / "index", profile=own)
    index = open_reader(tmp_path / "index")

    assert codes(report.notices) == ["misread_field"]
    fields = {"field": "n", "expected": "a number", "text": "spring", "document": "b", "others": 1}
    assert report.notices[0].fields == fields  # type: ignore[union-attr]
    assert [answer.document for answer in answers_to(index, "lens", where="n > 3")] == ["a"]


def test_a_day_that_there_is_not_is_no_date_and_told(tmp_path: Path) -> None:
    own = profile(tmp_path, '[fields.date]\ntype = "date"\nfrom = "when"\n')
    source = tmp_path / "source"
    source.mkdir()
    parts = "<day>30</day><month>2</month><year>1858</year>"
    for name, when in (("a", "1858-02-28"), ("b", "1858-02-30"), ("c", parts)):
        (source / f"{name}.xml").write_text(f"<a><when>{when}</when><p>lens</p></a>", "utf-8")
    report = build_index(source, into=tmp_path / "index", profile=own)

    (told,) = report.notices
    assert told.fields == {  # type: ignore[union-attr]
        **{"field": "date", "expected": "a date", "text": "1858-02-30", "document": "b", "others": 1}
    }
    index = open_reader(tmp_path / "index")
    assert [of(index, name).get("date") for name in "abc"] == [["1858-02-28"], None, None]


def test_a_field_that_the_index_does_not_have_is_refused_with_the_one_that_is_meant(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"jats": JATS}, profile="auto")

    with pytest.raises(SettingsError, match="did you mean 'year'"):
        answers_to(index, "lens", where="yaer = 2016")
    found = answers_to(index, "lens", where="year = 1700")
    assert not len(found)
    assert "no_document_fulfils" in codes(found.notices)


def test_a_filter_counts_before_the_best_articles_are_chosen_and_changes_no_score(tmp_path: Path) -> None:
    own = profile(tmp_path, '[fields.n]\ntype = "number"\nfrom = "@n"\n'.replace("@n", "/a/@n"))
    documents = {f"d{n:02}": f'<a n="{n}"><p>{"lens " * (40 - n)}lamp keeper on the tower</p></a>' for n in range(40)}
    index = index_of(tmp_path, documents, profile=own)
    every = answers_to(index, "lens lamp", max_articles=None)
    scores = dict(zip(every.document_ids, every.scores.tolist(), strict=True))  # type: ignore[union-attr]

    found = answers_to(index, "lens lamp", where="n >= 30", max_articles=3)
    assert len(found.ranked) == 3
    assert {document: scores[document] for document in found.document_ids} == dict(
        zip(found.document_ids, found.scores.tolist(), strict=True)  # type: ignore[union-attr]
    )


@few
@given(st.integers(0, 2**32))
@pytest.mark.long
def test_filters_over_segments_and_shards_are_equal_to_the_obvious(seed: int) -> None:
    random = Random(seed)
    made = {f"{random.choice('ab')}/{number:02}": reference.random_document(random) for number in range(12)}
    changed = {name: reference.random_document(random) for name in list(made)[:4]}
    left = {**made, **changed}
    for name in list(left)[3:6]:
        del left[name]
    steps = [{name: markup for name, (markup, _) in each.items()} for each in (made, left)]
    conditions = [reference.random_condition(random) for _ in range(6)]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        own = profile(Path(folder), reference.PROFILE)
        of_one, sharded = (stack.enter_context(grown(Path(folder), steps, n_shards, own)) for n_shards in (None, 2))
        readers = [open_reader(of_one), open_reader(sharded)]
        compact_index(of_one)
        readers.append(open_reader(of_one))
        for reader in readers:
            assert fields_of(reader) == {name: expected(values) for name, (_, values) in left.items()}
        for text, decide in conditions:
            wanted = sorted(name for name, (_, values) in left.items() if decide(values))
            for reader in readers:
                mask = reader.fields.fulfilling(Where.parse(text))
                assert sorted(reader.ids[n] for n in reader.live_documents[mask[reader.live_documents]]) == wanted, text
            every, found = (answers_to(readers[0], "fog lamp", **where) for where in ({}, {"where": text}))
            kept = [place for place, document in enumerate(every.document_ids) if document in wanted]
            assert found.document_ids == [every.document_ids[place] for place in kept], text
            assert found.paths == [every.paths[place] for place in kept]


def fields_of(reader: IndexReader) -> dict[str, dict[str, FieldValue]]:
    numbers = reader.live_documents
    return {reader.ids[n]: each for n, each in zip(numbers, reader.fields.of_documents(numbers), strict=True)}


def expected(values: Mapping[str, list[str]]) -> dict[str, object]:
    found: dict[str, object] = {"date": values["date"]}
    for name in ("author", "pages"):
        spelt: dict[str, str] = {}
        for each in values[name]:
            spelt.setdefault(reference.folded(each), each)
        found[name] = list(spelt.values())
    found["words"] = [float(each) if "." in each else int(each) for each in values["words"]]
    found["year"] = int(values["year"][0])
    return {name: each for name, each in found.items() if each}


# Opening and closing an index reader.


def test_a_closed_reader_raises_one_error(tmp_path: Path) -> None:
    reader = index_of(tmp_path, {"a": "<a><p>sea</p></a>", "b": "<a/>"})
    geometry = IndexLocator(reader)
    answers = unchecked_answers(reader, "sea")
    reader.close()
    reader.close()

    message = r"/index: the index is closed: open it again"
    for use in (
        lambda: reader.n_documents,
        lambda: reader.postings("sea"),
        lambda: reader.elements,
        lambda: reader.statistics.lengths,
        lambda: reader.text(0),
        lambda: unchecked_answers(reader, "sea"),
        lambda: answers.paths,
        lambda: geometry.length("a"),
    ):
        with pytest.raises(ClosedIndexError, match=message):
            use()


def test_a_reader_is_closed_at_the_end_of_its_context(tmp_path: Path) -> None:
    index_of(tmp_path, {"a": "<a>sea</a>"})
    with open_reader(tmp_path / "index") as reader:
        assert reader.statistics.term("sea").collection_frequency == 1

    with pytest.raises(ClosedIndexError):
        reader.postings("sea")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_closing_releases_maps_and_descriptors(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(40_000))
    reader = index_of(tmp_path, {"a": f"<a><p>{words}</p></a>"})
    assert len(unchecked_answers(reader, "word7 word9"))
    folder = str(tmp_path / "index")
    assert folder in Path("/proc/self/maps").read_text()

    reader.close()

    assert folder not in Path("/proc/self/maps").read_text()
    links = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert not [link for link in links if str(link).startswith(folder)]


def test_an_unknown_attribute_is_an_attribute_error(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="'IndexReader' object has no attribute 'serach'"):
        index_of(tmp_path, {"a": "<a>sea</a>"}).serach  # type: ignore[attr-defined]  # noqa: B018


def test_the_repr_is_one_line(tmp_path: Path) -> None:
    reader = index_of(tmp_path, {"a": "<a>sea</a>"})

    assert repr(reader) == f"IndexReader('{tmp_path}/index', generation 1, 1 documents)"
    reader.close()
    assert repr(reader) == f"IndexReader('{tmp_path}/index', closed)"
