"""Golden values through the command line: files in, `--json` out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest

from tests.foxir.commands.command import ROOT, foxir

GOLDEN = ROOT / "tests/golden"
ARTICLES = ROOT / "tests/fixtures/golden_articles"

Judged = dict[str, list[dict[str, object]]]  # document: attributes of its elements


def read(name: str) -> dict:
    return json.loads((GOLDEN / name).read_text("utf-8"))


def write_assessments(file: Path, documents: Judged, *, graded: bool = False) -> Path:
    """Write judgements of topic 1 in the form of 2003-2004 (graded) or of 2005."""
    lines = []
    for document, elements in documents.items():
        lines.append(f'<file {"file" if graded else "name"}="{document}">')
        for element in elements:
            attributes = " ".join(f'{name}="{value}"' for name, value in element.items())
            lines.append(f"<{'path' if graded else 'element'} {attributes}/>")
        lines.append("</file>")
    file.write_text(f'<assessments topic="1">{"".join(lines)}</assessments>', "utf-8")
    return file


def write_run(file: Path, results: Iterable[tuple[str, str]], rsv: Iterable[float] | None = None) -> Path:
    """Write a run of topic 1 as XML, ranked by rsv; the file's name is that of the run."""
    results = list(results)
    scores = [-float(rank) for rank in range(len(results))] if rsv is None else list(rsv)
    lines = [
        f"<result><file>{document}</file><path>{path}</path><rank>{rank}</rank><rsv>{score}</rsv></result>"
        for rank, ((document, path), score) in enumerate(zip(results, scores, strict=True), 1)
    ]
    start = f'<inex-submission participant-id="0" run-id="{file.stem}" task="" query="automatic">'
    file.write_text(f'{start}<topic topic-id="1">{"".join(lines)}</topic></inex-submission>', "utf-8")
    return file


def evaluated(*arguments: str | Path) -> dict[tuple[str, str], float]:
    """Return run, measure -> value of `foxir eval --json`."""
    scored = foxir("eval", *arguments, "--json")
    assert scored.status == 0, scored.err
    rows = scored.json["runs"]
    assert all(row["value"] == row["topics"]["1"] for row in rows)
    found = {(row["run"], row["measure"]): row["value"] for row in rows}
    assert len(found) == len(rows)
    return found


RUNS = read("hixeval_runs.json")


@pytest.mark.parametrize("precision", ["elements", "text"])
@pytest.mark.parametrize("case", RUNS["expected"]["no_overlap"])
def test_hixeval_runs(case, precision, tmp_path):
    documents: Judged = {}
    for name, document in RUNS["collection"]["documents"].items():
        documents[name] = [
            {"path": path, "size": element["size"], "rsize": element["rsize"], "exhaustivity": element["E"] or 0}
            for path, element in document["elements"].items()
        ]
    assessments = write_assessments(tmp_path / "1.xml", documents)
    runs = [write_run(tmp_path / f"{name}.run", map(tuple, run)) for name, run in RUNS["collection"]["runs"].items()]
    alpha, seen = case.removeprefix("alpha=").split(",")
    options = [
        "--alpha",
        alpha,
        "--measure-option",
        f"seen={seen}",
        "--measure-option",
        f"precision={precision}",
        "--at",
        "1,2,3,4,5,6,7,8,9,10",
    ]

    found = evaluated(assessments, *runs, "--measures", "hixeval", *options, "-q")

    for run, cases in RUNS["expected"].items():
        expected, suffix = cases[case], "" if precision == "elements" else "_eq51"
        wanted = {"AP": expected["AP" + suffix], "RP": expected["RP" + suffix]}
        if precision == "elements":
            wanted["iAP"] = expected["iAP11"]
        for rank, values in expected["at"].items():
            wanted |= {f"P@{rank}": values["P" + suffix], f"R@{rank}": values["R"], f"F@{rank}": values["F" + suffix]}
        assert {name: found[run, name] for name in wanted} == pytest.approx(wanted, abs=1e-9), run


def test_hixeval_table_52(tmp_path):
    table = read("hixeval_table52.json")
    elements = [{name: row[name] for name in ("path", "size", "rsize")} for row in table["rows"]]
    assessments = write_assessments(tmp_path / "1.xml", {"d": elements})
    runs = [write_run(tmp_path / f"r{n}.run", [("d", row["path"])]) for n, row in enumerate(table["rows"])]

    found = evaluated(assessments, *runs, "--measures", "hixeval", "--at", "1", "-q")

    for n, row in enumerate(table["rows"]):
        values = [found[f"r{n}", f"{letter}@1"] for letter in "PRF"]
        assert values == pytest.approx([row["P"], row["R"], row["F"]], abs=1e-9)
        assert [round(value, 2) for value in values[:2]] == row["seed_prints"][:2]


@pytest.mark.parametrize("scenario", ["1", "2"])
def test_hixeval_table_55(scenario, tmp_path):
    table = read("hixeval_table55.json")
    section = "/article[1]/bdy[1]/sec[1]"
    elements = [{"path": section, "size": 99, "rsize": 99}]
    elements += [{"path": f"{section}/p[{n}]", "size": 33, "rsize": 33} for n in (1, 2, 3)]
    others = ["sec[3]", "sec[4]"]
    if scenario == "2":
        elements.append({"path": "/article[1]/bdy[1]/sec[2]", "size": 99, "rsize": 99})
        others = ["sec[2]", "sec[4]"]
    assessments = write_assessments(tmp_path / "1.xml", {"d": elements})
    sections = write_run(tmp_path / "A.run", [("d", f"/article[1]/bdy[1]/{path}") for path in ("sec[1]", *others)])
    paragraphs = write_run(tmp_path / "B.run", [("d", f"{section}/p[{n}]") for n in (1, 2, 3)])

    found = evaluated(assessments, sections, paragraphs, "--measures", "hixeval", "--alpha", "1", "--at", "3", "-q")

    for run in "AB":
        values = [found[run, f"{letter}@3"] for letter in "PRF"]
        expected = table["scenarios"][scenario][run]
        assert values == pytest.approx([expected[letter] for letter in "PRF"], abs=1e-9)
        assert [round(value, 2) for value in values] == table["printed"][scenario][run]


PRECALL = {name: case for name, case in read("precall.json").items() if not name.startswith("_")}
GENERALISED = {Fraction(1): (3, 3), Fraction(3, 4): (2, 3), Fraction(1, 2): (2, 2), Fraction(1, 4): (1, 1)}
GENERALISED[Fraction(0)] = (0, 0)


@pytest.mark.parametrize("nonrel", ["zero", "complement"])
@pytest.mark.parametrize("name", PRECALL)
def test_precision_at_the_recall_points(name, nonrel, tmp_path):
    case = PRECALL[name]
    ranks = [[Fraction(value) for value in rank] for rank in case["input"]["ranks"]]
    retrieved = [value for rank in ranks for value in rank]
    missing = Fraction(case["input"]["n"]) - sum(retrieved)
    left = [Fraction(1)] * math.floor(missing) + [missing % 1] * bool(missing % 1)
    judged: Judged = {}
    for place, value in enumerate([*retrieved, *left]):
        exhaustivity, specificity = GENERALISED[value]
        path = {"path": "/article[1]", "exhaustiveness": exhaustivity, "specificity": specificity}
        judged[f"d{place:02}"] = [path]
    assessments = write_assessments(tmp_path / "1.xml", judged, graded=True)
    rsv = [-float(number) for number, rank in enumerate(ranks) for _ in rank]
    run = write_run(tmp_path / "r.run", [(f"d{place:02}", "/article[1]") for place in range(len(retrieved))], rsv)
    options = ["--measures", "inex_eval", "--quant", "gen", "--measure-option", f"nonrel={nonrel}"]
    if "unretrieved" in case["input"]:
        options += ["--measure-option", f"collection_size={len(retrieved) + sum(case['input']['unretrieved'])}"]

    for golden, reading in (("cooper", "cooper"), ("reprec", "raghavan"), ("thesis", "thesis")):
        found = evaluated(assessments, run, *options, "--measure-option", f"esl={reading}", "-q")
        points = [point or 0.0 for point in case[f"{golden},nonrel={nonrel}"]["at_100_points"]]
        assert [found["r", f"P[{point / 100:.2f}]"] for point in range(1, 101)] == pytest.approx(points, abs=1e-9)
        assert found["r", "AP"] == pytest.approx(math.fsum(points) / 100, abs=1e-9)


QUANTISATION = read("quantisation.json")
NAMES = {"strict4": "strict", "gen4": "gen", "strict5": "strict", "gen5": "gen"}


@pytest.mark.parametrize("scale", ["inex2003_2004", "inex2005"])
@pytest.mark.long
def test_quantisations(scale, tmp_path):
    """The gain of a run of one element at rank 1, beside the best there is, is its value beside the highest."""
    golden = QUANTISATION[scale]
    judged: Judged = {}
    for place, key in enumerate(next(iter(golden.values()))):
        if scale == "inex2005":
            grade, share = key[1], float(key.split("s=")[1])
            element = {"path": "/a[1]", "size": 100, "rsize": round(100 * share), "exhaustivity": grade}
        else:
            element = {"path": "/a[1]", "exhaustiveness": key[1], "specificity": key[3]}
        judged[f"d{place:02}"] = [element]
    assessments = write_assessments(tmp_path / "1.xml", judged, graded=scale != "inex2005")
    runs = [write_run(tmp_path / f"{document}.run", [(document, "/a[1]")]) for document in judged]

    for name, values in golden.items():
        options = ["--quant", NAMES.get(name, name), "--measure-option", "overlap=off", "--at", "1"]
        found = evaluated(assessments, *runs, "--measures", "xcg", *options, "-q")
        gains = [found[document, "nxCG@1"] * max(values.values()) for document in judged]
        assert gains == pytest.approx(list(values.values()), abs=1e-9), name


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


@pytest.mark.parametrize("bits", ["0", "7"])
def test_table_21(bits, articles):
    options = ["--approach", "fulltext", "--similarity", "pcosine", "--param", f"weight_bits={bits}"]

    answers = foxir("search", articles / "figure11", "Jedi Force", *options, "--json").json["answers"]

    expected = {"0": [3.740427, 2.708066], "7": [3.741821, 2.706996]}[bits]
    assert [(answer["document"], answer["path"]) for answer in answers] == [
        ("jedi1", "/article[1]"),
        ("jedi2", "/article[1]"),
    ]
    assert [answer["rsv"] for answer in answers] == pytest.approx(expected, abs=5e-7)
    if bits == "7":
        assert [math.floor(answer["rsv"] * 10_000) for answer in answers] == [37418, 27069]  # as printed, cut off
    for answer in answers:
        place = ["explain", articles / "figure11", "Jedi Force", answer["document"], answer["path"]]
        article = foxir(*place, *options, "--json").json["article"]
        assert math.fsum(part["value"] for part in article["details"]) == pytest.approx(answer["rsv"], abs=1e-9)


def test_table_22(articles):
    table = read("cre.json")["table22"]
    native = ["--approach", "native", "--heuristic", "document", "--operator"]

    for document, name in (("jedi1", "d1"), ("jedi2", "d2")):
        for match, kind, expected in (
            ("or", "matching", table[name]["matching"]),
            ("or", "oCRE", table[name].get("oCRE_document_order") or table[name]["oCRE"]),
        ):
            found = searched(articles / "figure11", "Jedi Force", *native, match, "--answers", kind)
            assert [path for owner, path in found if owner == document] == expected
    assert searched(articles / "figure11", "Jedi Force", *native, "and", "--answers", "matching") == [
        ("jedi1", "/article[1]/abs[1]"),
        ("jedi1", "/article[1]/sec[1]/p[2]"),
        ("jedi2", "/article[1]/sec[1]/p[1]"),
    ]


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


def test_the_runs_of_the_thesis_by_name(articles):
    query = ("code signing verification", "--named")

    by_name = searched(articles / "topic203", *query, "nCRE-CO-TPF")
    golden = read("cre.json")["topic203"]

    assert by_name == [(golden["document"], path) for path in golden["TPF"]]
    assert searched(articles / "topic203", *query, "nCRE-CO-TPF", "--heuristic", "PTF") == [
        (golden["document"], path) for path in golden["PTF"]
    ]
