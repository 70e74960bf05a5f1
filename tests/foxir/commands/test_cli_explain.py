"""`foxir explain`: counts, compared with those of the XML; text, JSON and arguments."""

from __future__ import annotations

import re
from functools import cache

import pytest
from lxml import etree

from engine.explain.explain import explain
from engine.index.reader import IndexReader, open_reader
from engine.settings import Settings
from foxir import open_index
from tests.engine.check_answers import search
from tests.foxir.commands.command import COLLECTIONS, foxir, refused

ELEMENT = ("ieee/na/1998/n1012", "/article[1]/bdy[1]")


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> IndexReader:
    """The sample collection without a profile: no tag is inline."""
    folder = tmp_path_factory.mktemp("plain") / "plain.foxir"
    assert foxir("index", folder, COLLECTIONS, "--profile", "none", "--stem", "none").status == 0
    return open_reader(folder)


class Counted:
    """One document, counted in the slowest way."""

    def __init__(self, document: str) -> None:
        root = etree.parse(COLLECTIONS / f"{document}.xml").getroot()
        self.words: dict[str, list[str]] = {}
        self._walk(root, f"/{etree.QName(root).localname}[1]")

    def _walk(self, element: etree._Element, path: str) -> None:
        nodes = [element.text, *(child.tail for child in element)]
        self.words[path] = re.findall(r"\w+", " ".join(node or "" for node in nodes).lower())
        seen: dict[str, int] = {}
        for child in element:
            if isinstance(child.tag, str):
                name = etree.QName(child).localname
                seen[name] = seen.get(name, 0) + 1
                self._walk(child, f"{path}/{name}[{seen[name]}]")

    def counts(self, path: str, terms: list[str]) -> dict[str, object]:
        below = [words for other, words in self.words.items() if f"{other}/".startswith(f"{path}/")]
        found = [[words.count(term) for term in terms] for words in below]
        steps = path.split("/")[1:]
        return {
            "M": sum(any(row) for row in found),
            "T": sum(any(column) for column in zip(*found, strict=True)),
            "F": sum(map(sum, found)),
            "P": len(steps),
            "B": [int(step.rpartition("[")[2][:-1]) for step in steps],
        }


counted = cache(Counted)


@pytest.mark.parametrize("query", ["fresnel lens cleaning", "tide prediction", "light"])
def test_counts_are_those_of_the_xml(query, plain):
    settings = Settings.from_options(answers="nCRE", heuristic="TPF", reading="CO", overlap="keep")

    for answer in search(plain, query, settings)[::5]:
        element = explain(plain, query, answer.document, answer.path, settings).element
        assert element is not None
        expected = counted(answer.document).counts(answer.path, query.split())
        assert {name: element.facts[name] for name in expected} == expected, answer


@pytest.mark.parametrize(
    "options", [(), ("--passages",), ("--similarity", "gpx"), ("--rank-by", "structure"), ("--approach", "fulltext")]
)
def test_the_text_says_what_the_json_says(options, sample):
    asked = ("explain", sample, "fresnel lens xyzzy", *ELEMENT, *options)

    text, explained = foxir(*asked).out, foxir(*asked, "--json").json

    assert explained["outcome"]["description"] in text
    assert explained["returned"] is (explained["rank"] is not None)
    assert f"{explained['article']['value']:.6f}  {explained['article']['description']}" in text
    for part in explained["article"]["details"]:
        assert part["description"] in text
    for other in explained["neighbours"]:
        assert f"{other['score']:.6f}  {other['relation']}: {other['path']}" in text


def test_further_matches_are_counted(tmp_path):
    (tmp_path / "d.xml").write_text("<a>" + "<p>sea</p>" * 30 + "</a>")
    foxir("index", tmp_path / "i", tmp_path / "d.xml")

    explained = foxir("explain", tmp_path / "i", "sea", "d", "/a[1]", "--rank-by", "structure")

    assert "M 30 matches" in explained.out
    assert "and 10 more matches" in explained.out


def test_parts_of_a_path_query_name_what_meets_them(plain):
    query = "//article[about(., fresnel)]//sec[about(./title, work) and about(.//p, cleaning)]"

    outcome = foxir("explain", plain.folder, query, "jats/fx-008", "/article[1]/body[1]/sec[2]/sec[1]/p[1]", "--json")

    structure = outcome.json["structure"]
    assert [part["part"] for part in structure] == [
        "//article[about(., fresnel)]",
        "about(., fresnel)",
        query,
        "about(./title, work) and about(.//p, cleaning)",
        "about(./title, work)",
        "about(.//p, cleaning)",
    ]
    assert [part["element"] for part in structure] == ["support"] * 2 + ["target"] * 4
    met_by = {part["part"]: part["met_by"] for part in structure}
    assert met_by["//article[about(., fresnel)]"] == "/article[1]"
    assert met_by["about(./title, work)"] == "/article[1]/body[1]/sec[2]"
    assert met_by[query] is None
    assert not outcome.json["returned"]
    shown = foxir("explain", plain.folder, query, "jats/fx-008", "/article[1]/body[1]/sec[2]/sec[1]/p[1]").out
    assert "support //article[about(., fresnel)]: met by /article[1]; by 1 in the article" in shown


@pytest.mark.long
def test_stages_end_with_the_function_words_that_are_not_searched_for(tmp_path):
    index = tmp_path / "sample.foxir"
    assert foxir("index", index, COLLECTIONS / "jats").status == 0

    lines = foxir("explain", index, "what is the fog signal", "--stages").out.splitlines()
    others = foxir("explain", index, "fog signal", "--stages").out.splitlines()

    assert re.fullmatch(r"dropped +3  function words of the query: what, is, the", lines[-1])
    assert others[-1].startswith("answers")


@pytest.mark.parametrize("options", [(), ("--passages",)])
@pytest.mark.long
def test_the_characters_of_an_answer_stand_for_its_element(sample, options):
    for answer in foxir("search", sample, "fog signal", "--json", *options).json["answers"]:
        stretch = f"{answer['start']}:{answer['end'] - answer['start']}"
        call = ("explain", sample, "fog signal", answer["document"])
        by_stretch, by_path = (foxir(*call, place, "--json", *options).json for place in (stretch, answer["path"]))
        assert by_stretch == by_path
        assert by_stretch["outcome"]["rank"] is not None


def test_of_other_characters_the_smallest_element_is_explained(sample):
    found = foxir("explain", sample, "fog signal", "jats/fx-006", "5456:27", "--json").json
    assert found["path"] == "/article[1]/body[1]/sec[5]/p[1]"
    with open_index(sample) as index:
        assert index.explain("fog signal", "jats/fx-006", "5456:27").to_dict() == found
    refused(foxir("explain", sample, "fog signal", "jats/fx-006", "5456:99999"), "'5456:99999'", "characters")
    refused(foxir("explain", sample, "fog signal", "jats/fx-006", "x"), "OFFSET:LENGTH, such as 5456:27")
