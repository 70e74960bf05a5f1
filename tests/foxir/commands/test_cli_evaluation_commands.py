"""The commands around scoring, as a new user meets them: comparing, describing, simulating, pooling, converting.

Golden values through the command line: files in, `--json` out.
"""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from scipy import stats

import foxir as api
from tests.foxir.commands.command import COLLECTIONS, ROOT, TOPICS, foxir, refused

QRELS = TOPICS / "qrels.txt"


@pytest.fixture(scope="module")
def some_runs(sample, tmp_path_factory) -> list[Path]:
    """Four runs over the sample topics."""
    folder = tmp_path_factory.mktemp("runs")
    ways = {"fulltext": ["--approach", "fulltext"], "native": ["--approach", "native"]}
    ways |= {"ncre": ["--answers", "nCRE"], "matching": ["--answers", "matching"]}
    for name, settings in ways.items():
        assert foxir("run", sample, TOPICS / "co", "--out", folder / f"{name}.xml", *settings, "-q").status == 0
    return [folder / f"{name}.xml" for name in ways]


@pytest.mark.long
def test_correlate_is_the_rank_correlation_of_the_means(some_runs, judged, tmp_path):
    call = ["runs", "correlate", judged, *some_runs, "--measures", "AP,F@10,inex_eval:AP", "--quant", "gen", "-q"]
    rows = foxir("eval", judged, *some_runs, "--quant", "gen", "--at", "10", "--json", "-q").json["runs"]

    found = foxir(*call, "--resamples", "50", "--json", "--plot", tmp_path / "heat.svg").json

    assert found["measures"] == ["hixeval:AP", "F@10", "inex_eval:AP"]
    assert len(found["pairs"]) == 3
    ap, f10 = (
        [r["value"] for r in rows if (r["family"], r["measure"]) == ("hixeval", name)] for name in ("AP", "F@10")
    )
    pair = found["pairs"][0]
    assert pair["spearman"]["rho"] == pytest.approx(stats.spearmanr(ap, f10).statistic)
    assert pair["kendall"]["tau_b"] == pytest.approx(stats.kendalltau(ap, f10).statistic)
    assert (tmp_path / "heat.svg").read_text("utf-8").startswith("<?xml")


@pytest.mark.long
def test_passages_are_described_with_the_index_as_their_elements_are(sample, judged):
    passages = foxir("judgements", "stats", QRELS, "--index", sample, "--by", "name", "--json", "-q").json["tables"]

    assert passages == foxir("judgements", "stats", judged, "--by", "name", "--json", "-q").json["tables"]


def test_who_highlights_nothing_agrees_on_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("1 Q0 d 30 100 0 0:30\n2 Q0 d 10 100 0 0:10\n3 Q0 d 0 100\n")
    (tmp_path / "b.txt").write_text("1 Q0 d 0 100\n2 Q0 d 10 100 0 5:10\n3 Q0 d 0 100\n")

    one, two, three = foxir("judgements", "agreement", tmp_path / "a.txt", tmp_path / "b.txt", "--json", "-q").json[
        "topics"
    ]

    assert one["characters"] == {"union": 30, "common": 0, "share": 0.0}
    assert two["characters"] == {"union": 15, "common": 5, "share": pytest.approx(1 / 3)}
    assert three["characters"] is None


def test_results_missing_from_the_index_are_left_out_and_reported(sample, tmp_path):
    run = tmp_path / "run.fol"
    run.write_text("1 Q0 jats/fx-008 1 2.0 r /article[1]\n1 Q0 nosuch 2 1.0 r /article[1]\n")

    made = foxir("runs", "convert", run, "--format", "fol", "--out", tmp_path / "out.fol", "--index", sample, "--json")

    assert made.status == 1
    assert made.err == "1 of 2 results are not in the index and were skipped\n"
    assert (made.json["items"], made.json["skipped"]) == (1, 1)
    shown = foxir("runs", "convert", run, "--format", "fol", "--out", tmp_path / "out.fol", "--index", sample)
    assert "not in the index" not in shown.out  # reported once, on stderr


@pytest.mark.long
def test_judgements_and_the_collection_they_were_made_on(sample, judged, tmp_path):
    fine = foxir("judgements", "check", judged, "--index", sample, "--json")
    assert fine.status == 0
    assert fine.json["differences"] == []
    assert fine.json["elements"] == "".join(f.read_text("utf-8") for f in judged.glob("*.xml")).count("<element ")

    (tmp_path / "off.txt").write_text(
        QRELS.read_text("utf-8").replace(" 6333 ", " 6334 ", 1)
        + "1 Q0 nosuch 0 70\n20 Q0 jats/fx-001 9 7000 0 6995:9\n"
    )
    off = foxir("judgements", "check", tmp_path / "off.txt", "--index", sample, "--json")
    assert off.status == 1
    assert off.json["counts"]["document"] == 1
    assert off.json["counts"]["length"] >= 1
    assert {"topic": "1", "document": "nosuch", "place": "", "difference": "document", "judged": None,
            "collection": None} in off.json["differences"]  # fmt: skip
    assert "document is not in the index" in foxir("judgements", "check", tmp_path / "off.txt", "--index", sample).out


GRADED = """<assessments topic="{topic}"><file file="d">
<path path="/a[1]" exhaustiveness="3" specificity="{whole}"/>
<path path="/a[1]/s[1]" exhaustiveness="3" specificity="3"/>
<path path="/a[1]/s[1]/p[1]" exhaustiveness="3" specificity="3"/>
<path path="/a[1]/s[2]" exhaustiveness="1" specificity="2"/>
</file></assessments>"""


@pytest.fixture
def graded(tmp_path) -> list[Path]:
    """Judgements of 2003 of a broad and a narrow topic, and a run that returns the same for both."""
    folder = tmp_path / "graded"
    folder.mkdir()
    for topic, whole in (("1", 3), ("2", 1)):
        (folder / f"{topic}.xml").write_text(GRADED.format(topic=topic, whole=whole))
    results = "".join(
        f"<result><file>d</file><path>{path}</path><rank>{rank}</rank></result>"
        for rank, path in enumerate(("/a[1]/s[1]/p[1]", "/a[1]/s[2]", "/a[1]/s[1]", "/a[1]"), 1)
    )
    topics = "".join(f'<topic topic-id="{topic}">{results}</topic>' for topic in "12")
    (tmp_path / "run.xml").write_text(f'<inex-submission run-id="r">{topics}</inex-submission>')
    return [folder, tmp_path / "run.xml"]


@pytest.mark.parametrize(("which", "expected"), [("all", ["1", "2"]), ("broad", ["1"]), ("narrow", ["2"])])
def test_topics_of_a_class(which, expected, graded):
    scored = foxir("eval", *graded, "--measures", "inex_eval", "--topic-class", which, "--json", "-q")

    assert scored.status == 0
    assert list(scored.json["runs"][0]["topics"]) == expected


def test_a_class_of_the_selected_topics(graded):
    call = ["eval", *graded, "--measures", "inex_eval", "--topic-class", "broad", "--topics"]

    assert list(foxir(*call, "1,2", "--json", "-q").json["runs"][0]["topics"]) == ["1"]
    assert "none of the 1 topics is broad" in foxir(*call, "2").err


def test_grades_of_2003_read_as_those_of_2002(graded):
    strict = foxir("eval", *graded, "--measures", "inex_eval", "--scale", "2002", "--json", "-q")

    assert strict.status == 0
    assert foxir("eval", *graded, "--measures", "inex_eval", "--scale", "2005").status == 2


def test_every_family_has_its_page_and_its_line():
    listed = foxir("measures").out
    families = foxir("measures", "--json").json["families"]

    assert len(families) >= 12
    for family in families:
        assert f"{family['name']} " in listed
        assert family["line"] in listed
        shown = foxir("measures", family["name"].upper()).out
        assert family["formula"].split()[0] in shown
        assert all(f"`{option['name']}`" in shown or option["name"] in shown for option in family["options"])
        assert foxir("measures", family["name"], "--json").json == family


@pytest.mark.parametrize(("measure", "family"), [("AP", "hixeval"), ("map", "trec_eval"), ("xcg:nxCG@10", "xcg")])
def test_a_measure_is_defined_and_cited_as_its_family_is(measure: str, family: str) -> None:
    assert foxir("measures", measure).out == foxir("measures", family).out
    cited = foxir("measures", measure, "--cite").out
    assert cited == foxir("measures", family, "--cite").out
    assert cited.startswith("@")


GOLDEN = ROOT / "tests/golden"
ARTICLES = ROOT / "tests/fixtures/golden_articles"


def read(name: str) -> dict:
    return json.loads((GOLDEN / name).read_text("utf-8"))


GENERALISED = {Fraction(1): (3, 3), Fraction(3, 4): (2, 3), Fraction(1, 2): (2, 2), Fraction(1, 4): (1, 1)}
GENERALISED[Fraction(0)] = (0, 0)


@pytest.fixture(scope="module")
def articles(tmp_path_factory) -> Path:
    """One index of each of the golden articles."""
    folder = tmp_path_factory.mktemp("articles")
    for source in sorted(ARTICLES.iterdir()):
        assert foxir("index", folder / source.name, source, "--profile", "none", "--stem", "none").status == 0
    return folder


def searched(index: Path, query: str, *options: str) -> list[tuple[str, str]]:
    by_structure = ("--rank-by", "structure", "--similarity", "pcosine", "--overlap", "keep", "--reading", "CO")
    asked = foxir("search", index, query, "--top", "1500", *by_structure, *options, "--json").json
    assert [answer["rank"] for answer in asked["answers"]] == list(range(1, len(asked["answers"]) + 1))
    return [(answer["document"], answer["path"]) for answer in asked["answers"]]


@pytest.mark.parametrize(
    ("topic", "query", "table", "heuristic"),
    [
        ("topic99", "perl features", "table32", "MpE"),
        ("topic99", "perl features", "table33", "PME"),
        ("topic203", "code signing verification", "TPF", "TPF"),
        ("topic203", "code signing verification", "PTF", "PTF"),
    ],
)
def test_tables_of_chapters_3_and_6(topic, query, table, heuristic, articles):
    golden = read("cre.json")[topic]
    rows = [row["path"] if isinstance(row, dict) else row for row in golden[table]]

    found = searched(articles / topic, query, "--answers", "nCRE", "--heuristic", heuristic)
    explained = [
        foxir("explain", articles / topic, query, *place, "--answers", "nCRE", "--heuristic", heuristic, "--json").json
        for place in found
    ]

    assert found == [(golden["document"], path) for path in rows]
    assert [each["element"]["place_in_article"] for each in explained] == list(range(1, len(rows) + 1))
    for row, each in zip(golden[table], explained, strict=True):
        if isinstance(row, dict) and "M" in row:
            assert (each["element"]["M"], each["element"]["P"]) == (row["M"], row["p"])
            assert "-".join(map(str, each["element"]["B"])) == row["E"]


# Scoring with an index of another collection, of part of it, or with judgements that misspell a document.


LACKING = "jats/fx-005"
WRONG = "qrels.txt: none of its relevant documents is in the index: it judges 'ieee/na/1998/n1012' and "


@pytest.fixture(scope="module")
def renamed_index(tmp_path_factory) -> Path:
    """Some of the judged documents, under ids without their folder."""
    folder = tmp_path_factory.mktemp("renamed") / "renamed.foxir"
    assert foxir("index", folder, COLLECTIONS / "jats").status == 0
    return folder


@pytest.fixture(scope="module")
def part_index(tmp_path_factory) -> Path:
    """All judged documents but one."""
    folder = tmp_path_factory.mktemp("part")
    shutil.copytree(COLLECTIONS, folder / "part")
    (folder / "part" / f"{LACKING}.xml").unlink()
    assert foxir("index", folder / "part.foxir", folder / "part").status == 0
    return folder / "part.foxir"


@pytest.mark.parametrize("wrong", ["empty_index", "renamed_index"])
@pytest.mark.long
def test_an_index_without_judged_documents_is_refused(wrong, sample_run, request):
    index = request.getfixturevalue(wrong)

    refused(foxir("eval", QRELS, sample_run, "--index", index, "--measures", "hixeval:AP"), WRONG)
    refused(foxir("compare", QRELS, sample_run, sample_run, "--index", index, "--measure", "hixeval:AP"), WRONG)
    with pytest.raises(api.MeasureError, match=WRONG):
        api.score(QRELS, sample_run, "hixeval:AP", index=index)
    with pytest.raises(api.MeasureError, match=WRONG):
        api.compare(QRELS, [sample_run, sample_run], "hixeval:AP", index=index)


@pytest.mark.parametrize("command", [["eval", "--measures"], ["compare", "--measure"]])
@pytest.mark.long
def test_what_is_missing_from_an_index_is_named_also_with_quiet(command, sample_run, part_index):
    name, option = command
    runs = [sample_run, sample_run]

    scored = foxir(name, QRELS, *runs, "--index", part_index, option, "hixeval:AP", "-q")

    judged, *returned = [line for line in scored.err.splitlines() if "index" in line]
    assert judged.startswith(f"{QRELS}: relevant documents that are not in the index: 1 of ")
    assert len(returned) == len(runs)
    for notice in (judged, *returned):
        assert notice.endswith(f": '{LACKING}'")
    assert scored.status == 0


@pytest.mark.long
def test_a_misspelt_judged_document_is_named(sample, sample_run, tmp_path):
    misspelt = tmp_path / "qrels.txt"
    misspelt.write_text(QRELS.read_text().replace("1 Q0 tei/lightship-last-crew ", "1 Q0 tei/lihgtship-last-crew "))

    def notices(judged: Path) -> list[str]:
        scored = foxir("eval", judged, sample_run, "--index", sample, "--measures", "hixeval:AP")
        assert scored.status == 0
        return [line for line in scored.err.splitlines() if "index" in line]

    assert notices(QRELS) == []
    (notice,) = notices(misspelt)
    assert notice.endswith(": 'tei/lihgtship-last-crew'")
