"""`foxir explain`: its numbers, counted again from the XML; its verdicts, tried by lifting what they name."""

import re
from functools import cache

import numpy as np
import pytest
from lxml import etree

from engine import Index, open_index
from engine.explain import explain
from engine.index.geometry import IndexGeometry
from engine.search import search
from engine.settings import Settings
from tests.engine.cli.command import COLLECTIONS, foxir

EVERYTHING = {"articles": 1000, "limit": 100_000, "matches": "all", "per_article": "all", "overlap": "keep"}
QUERIES = ["fresnel lens cleaning", "tide -prediction", "+lens clockwork", '"dead reckoning" error']


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Index:
    """The sample collection, every element for itself."""
    folder = tmp_path_factory.mktemp("plain") / "plain.foxir"
    assert foxir("index", COLLECTIONS, "--into", folder, "--profile", "none").status == 0
    return open_index(folder)


class Counted:
    """One document, read and counted once more in the slowest way."""

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
    settings = Settings.from_options(answers="nCRE", heuristic="TPF", reading="CO", **EVERYTHING)

    for answer in search(plain, query, settings)[::5]:
        explained = explain(plain, query, answer.document, answer.path, settings)
        expected = counted(answer.document).counts(answer.path, query.split())
        assert {name: explained["element"][name] for name in expected} == expected, answer


@pytest.mark.parametrize("similarity", ["pcosine", "okapi", "dirichlet"])
@pytest.mark.parametrize("query", [*QUERIES, "lens lens light", "//sec[about(., tide)]"])
def test_parts_add_up_to_the_score_of_the_article(query, similarity, sample):
    index, settings = open_index(sample), Settings.from_options(similarity=similarity)
    answers = search(index, query, settings)
    assert len(answers)
    first = {answer.document: answer for answer in reversed(list(answers))}

    for answer in first.values():
        explained = explain(index, query, answer.document, answer.path, settings)
        article = explained["article"]
        whole = sum(part["part"] for part in article["parts"]) + (article["document_part"] or 0)
        assert article["score"] == answer.article_score
        assert whole == pytest.approx(answer.article_score, abs=1e-9)
        assert (article["rank"], explained["rank"], explained["rsv"]) == (answer.article_rank, answer.rank, answer.rsv)


SETTINGS = [
    {"answers": "oCRE", "heuristic": "MpE"},
    {"answers": "nCRE", "heuristic": "PTF", "overlap": "remove"},
    {"answers": "nCRE", "heuristic": "TPF", "per_article": 2, "overlap": "remove"},
    {"answers": "oCRE", "heuristic": "PME", "matches": 6, "articles": 3},
    {"answers": "matching", "heuristic": "document", "limit": 4},
    {"answers": "nCRE", "heuristic": "mPB", "approach": "native", "matches": 7, "limit": 5},
    {"answers": "oCRE", "heuristic": "MpE", "match": "and", "limit": 3, "overlap": "keep"},
]


@pytest.mark.parametrize("given", SETTINGS, ids=lambda given: "-".join(map(str, given.values())))
@pytest.mark.parametrize("query", [*QUERIES, "//sec[about(., lens)]//p[about(., cleaning)]"])
def test_a_verdict_names_what_kept_an_element_out(query, given, sample):
    index = open_index(sample)
    settings = Settings.from_options(reading="VS" if query.startswith("/") else "CO", **given)
    answers = search(index, query, settings)
    returned = {(answer.document, answer.path): answer.rank for answer in answers}
    everything = set(_paths(index, query, Settings.from_options(settings, **EVERYTHING)))

    for document, path in _some_elements(index, everything):
        explained = explain(index, query, document, path, settings)
        verdict = explained["verdict"]
        rank = returned.get((document, path))
        assert (explained["returned"], explained["rank"]) == (rank is not None, rank)
        if rank:
            assert verdict.startswith(f"returned at rank {rank}: ")
        else:
            _check(verdict, index, query, settings, document, path, everything, returned)


OLD = ("--rank", "structure", "--similarity", "pcosine", "--overlap", "keep")  # options may say otherwise
REASONS = [
    "holds no term",
    "lacks the required",
    "an inline element",
    "no match in it or below",
    "the structure of the query does not lead to it",
    "no CRE",
    "no matching element itself",
]


def _check(verdict, index, query, settings, document, path, everything, returned):
    """Lift what the verdict names: then, and only then, the element is returned."""
    assert verdict.startswith("not returned: "), verdict

    def lifted(**more):
        more["limit"] = EVERYTHING["limit"]
        return (document, path) in _paths(index, query, Settings.from_options(settings, **more))

    if found := re.search(r"(covered by|covers) (\S+), kept at rank (\d+)", verdict):
        relation, other, rank = found.groups()
        assert returned[document, other] == int(rank)
        outer, inner = (other, path) if relation == "covered by" else (path, other)
        assert inner.startswith(f"{outer}/")
        assert not lifted()
        assert lifted(overlap="keep")
    elif "past per_article" in verdict:
        assert not lifted(overlap="keep")
        assert lifted(overlap="keep", per_article="all")
    elif "fill the list (limit)" in verdict:
        assert lifted()
    elif "of the topic (matches)" in verdict:
        assert not lifted(overlap="keep", per_article="all")
        assert lifted(overlap="keep", per_article="all", matches="all")
    elif "not among the" in verdict:
        ranked = [answers.document for answers in search(index, query, Settings.from_options(settings, limit=100_000))]
        assert document not in ranked
        assert not lifted(**{**EVERYTHING, "articles": settings.articles})
    else:
        assert (document, path) not in everything, verdict
        reasons = (
            "holds no term|lacks the required|an inline element|no match in it|structure of the query|no CRE|no matc"
        )
        assert re.search(reasons, verdict), verdict


def _paths(index: Index, query: str, settings: Settings) -> list[tuple[str, str]]:
    answers = search(index, query, settings)
    return list(zip(answers.document_ids, answers.paths, strict=True))


def _some_elements(index: Index, likely: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those that could be answers, and others of the same documents and of one that none is in."""
    geometry = IndexGeometry(index)
    documents = [*sorted({document for document, _ in likely})[:3], index.ids[-1]]
    others = [
        (document, path) for document in documents for path in geometry.elements(document).paths[:: len(documents) * 7]
    ]
    random = np.random.default_rng(1)
    chosen = sorted(likely)
    chosen = [chosen[place] for place in sorted(random.permutation(len(chosen))[:20])]
    return chosen + others


@pytest.mark.parametrize(
    ("query", "path", "options", "words"),
    [
        ("fresnel lens", "/article[1]", [], "returned at rank 1: article 1, number 1 of"),
        ("fresnel lens", "/article[1]/fm[1]/tig[1]", [], "no CRE: no two neighbouring matches"),
        ("fresnel lens", "/article[1]/bdy[1]/sec[1]/p[1]", [], "a match, but no CRE"),
        ("fresnel lens", "/article[1]/bdy[1]", ["--overlap", "remove"], "covered by /article[1], kept at rank 1"),
        ("fresnel lens", "/article[1]/bdy[1]", ["--per-article", "1"], "number 2 of its article, past per_article 1"),
        ("fresnel lens", "/article[1]/bdy[1]", ["--limit", "1"], "the 1 answers before it fill the list (limit)"),
        ("fresnel lens", "/article[1]", ["--approach", "fulltext"], "returned at rank 1: the article's pcosine score"),
        ("fresnel lens", "/article[1]/bdy[1]", ["--approach", "fulltext"], "returns whole articles only"),
        ("xyzzy", "/article[1]", [], "the document holds no term of the query"),
        ("+xyzzy lens", "/article[1]", [], "the document lacks the required 'xyzzy'"),
        ("light -lens", "/article[1]/fm[1]/tig[1]/atl[1]", [], "holds the unwanted lens itself"),
        ("chronometer pilot lens", "/article[1]", ["--articles", "1"], "the article is not among the 1 best (pcosine"),
        ("//p[about(., lens)]", "/article[1]/bdy[1]", [], "the structure of the query does not lead to it, read SS"),
        ("lens", "/article[1]/bdy[1]/sec[4]", ["--matches", "1"], "after the first 1 of the topic (matches)"),
    ],
)
def test_verdicts_by_eye(query, path, options, words, sample):
    options = [*OLD, *options, *(["--answers", "oCRE"] if not query.startswith("/") else [])]

    explained = foxir("explain", sample, query, "ieee/na/1998/n1012", path, *options)

    assert explained.status == 0
    assert explained.err == ""
    assert words in explained.out.splitlines()[1]


def test_the_text_says_what_the_json_says(sample):
    asked = [
        "explain",
        sample,
        "fresnel lens xyzzy",
        "ieee/na/1998/n1012",
        "/article[1]/bdy[1]",
        "--similarity",
        "okapi",
        "--rank",
        "structure",
    ]

    text, explained = foxir(*asked).out, foxir(*asked, "--json").json

    assert explained["verdict"] in text
    assert "xyzzy: in no document" in text
    for part in explained["article"]["parts"]:
        assert f"{part['part']:+.6f}  {part['term']}: {part['tf']} times here, in {part['df']} documents" in text
    for match in explained["element"]["matches"]:
        assert f"    match {match}\n" in f"{text}\n"


def test_the_native_approach_has_no_scores_to_explain(sample):
    asked = ["explain", sample, "fresnel lens", "ieee/na/1998/n1012", "/article[1]", "--approach", "native", "--json"]

    article = foxir(*asked).json["article"]

    assert (article["similarity"], article["score"], article["document_part"]) == (None, None, None)
    assert [(part["term"], part["tf"], part["part"]) for part in article["parts"]] == [
        ("fresnel", 3, None),
        ("lens", 11, None),
    ]


def test_more_matches_than_are_named_are_counted(tmp_path):
    (tmp_path / "d.xml").write_text("<a>" + "<p>sea</p>" * 30 + "</a>")
    foxir("index", tmp_path / "d.xml", "--into", tmp_path / "i")

    explained = foxir("explain", tmp_path / "i", "sea", "d", "/a[1]", "--rank", "structure")

    assert "M 30 matches" in explained.out
    assert "... 10 more" in explained.out


def test_parts_of_a_path_query_say_what_meets_them(plain):
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
