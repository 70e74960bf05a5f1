"""The commands around scoring, as a new user meets them: comparing, describing, simulating, pooling, converting."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from scipy import stats

from engine.runs import read_run
from tests.foxir.commands.command import TOPICS, foxir
from tests.trust.soak import in_turn

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
def test_compare_is_the_test_of_the_scores(some_runs, judged):
    first, second = some_runs[:2]
    rows = foxir("eval", judged, first, second, "--measures", "hixeval", "--at", "10", "--json", "-q").json["runs"]
    a, b = (list(row["topics"].values()) for row in rows if row["measure"] == "F@10")

    (pair,) = foxir("compare", judged, first, second, "--measure", "F@10", "--json", "-q").json["pairs"]

    better, worse = (a, b) if sum(a) > sum(b) else (b, a)
    expected = stats.ttest_rel(better, worse)
    assert (pair["statistic"], pair["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert pair["difference"] == pytest.approx((sum(better) - sum(worse)) / len(a))
    assert pair["topics"] == len(a)


TESTS, CORRECTIONS = ["t", "wilcoxon", "sign", "bootstrap", "randomisation"], ["none", "bonferroni", "holm", "by"]


@pytest.mark.thorough
@pytest.mark.parametrize(("test", "correct"), in_turn(TESTS, CORRECTIONS))
@pytest.mark.long
def test_every_test_and_correction(test, correct, some_runs, judged):
    call = ["compare", judged, *some_runs, "--measure", "AP", "--test", test, "--correction", correct, "-q"]
    call += ["--resamples", "200", "--topics", "1-10"]

    found = foxir(*call, "--json").json

    assert list(found) == ["measure", "options", "test", "correct", "level", "means", "pairs"]
    assert (found["test"], found["correct"]) == (test, correct)
    assert list(found["means"]) == ["fulltext", "native", "ncre", "matching"]
    assert len(found["pairs"]) == 6
    for pair in found["pairs"]:
        assert 0 <= pair["p"] <= pair["p_adjusted"] <= 1
        assert pair["p"] == pair["p_adjusted"] or correct != "none"
        assert pair["significant"] == (pair["p_adjusted"] < 0.05)
        assert found["means"][pair["better"]] >= found["means"][pair["worse"]]
    assert max(map(len, foxir(*call).out.splitlines())) <= 80


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
def test_reliability_over_four_subsets(some_runs, judged):
    call = ["runs", "correlate", judged, *some_runs, "--measures", "AP,F@10", "--topics", "1-19", "--reliability", "-q"]
    found = foxir(*call, "--resamples", "50", "--json").json

    assert [len(subset) for subset in found["subsets"]] == [5, 5, 5, 4]
    assert sorted(topic for subset in found["subsets"] for topic in subset) == sorted(map(str, range(1, 20)))
    for measure in found["measures"]:
        assert 0 <= measure["errors"] <= measure["significant"]


@pytest.mark.long
def test_relevance_counts_what_the_files_hold(judged):
    found = foxir("judgements", "stats", judged, "--by", "name", "--json", "-q").json

    counts = {group["name"]: group["total"] for group in found["tables"]["name"][0]["groups"]}
    files = "".join(file.read_text("utf-8") for file in judged.glob("*.xml"))
    assert sum(counts.values()) == files.count("<element ")
    assert counts["title"] == sum(f'/title[{n}]"' in line for line in files.splitlines() for n in range(1, 9))
    assert list(found["tables"]) == ["name"]
    everything = foxir("judgements", "stats", judged, "--json", "-q").json
    assert everything["tables"]["name"] == found["tables"]["name"]
    assert list(everything["tables"]) == ["grade", "name", "exhaustivity", "overlap"]


@pytest.mark.long
def test_passages_are_described_with_the_index_as_their_elements_are(sample, judged):
    passages = foxir("judgements", "stats", QRELS, "--index", sample, "--by", "name", "--json", "-q").json["tables"]

    assert passages == foxir("judgements", "stats", judged, "--by", "name", "--json", "-q").json["tables"]


@pytest.mark.long
def test_judgements_agree_with_themselves_and_less_with_others(sample, judged, tmp_path):
    lines = QRELS.read_text("utf-8").splitlines()
    (tmp_path / "other.txt").write_text("\n".join(line for n, line in enumerate(lines) if n % 2) + "\n", "utf-8")
    call = ["--index", sample, "--json", "-q"]

    same = foxir("judgements", "agreement", QRELS, QRELS, *call).json
    other = foxir("judgements", "agreement", QRELS, tmp_path / "other.txt", *call).json

    assert all(topic["characters"]["share"] == 1.0 for topic in same["topics"])
    assert all(topic["elements"]["relevant"]["share"] == 1.0 for topic in same["topics"])
    assert {topic["documents"]["relevant"]["share"] for topic in other["topics"]} != {1.0}
    assert (
        foxir("judgements", "agreement", judged, QRELS, *call).json["topics"][0]["characters"]
        == same["topics"][0]["characters"]
    )


def test_who_highlights_nothing_agrees_on_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("1 Q0 d 30 100 0 0:30\n2 Q0 d 10 100 0 0:10\n3 Q0 d 0 100\n")
    (tmp_path / "b.txt").write_text("1 Q0 d 0 100\n2 Q0 d 10 100 0 5:10\n3 Q0 d 0 100\n")

    one, two, three = foxir("judgements", "agreement", tmp_path / "a.txt", tmp_path / "b.txt", "--json", "-q").json[
        "topics"
    ]

    assert one["characters"] == {"union": 30, "common": 0, "share": 0.0}
    assert two["characters"] == {"union": 15, "common": 5, "share": pytest.approx(1 / 3)}
    assert three["characters"] is None


def test_topics_of_only_one_assessor_are_reported(tmp_path):
    lines = QRELS.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "one.txt").write_text("".join(line for line in lines if line.startswith("1 ")), "utf-8")

    compared = foxir("judgements", "agreement", QRELS, tmp_path / "one.txt", "--json")

    assert compared.status == 1
    assert "topics judged in one of the two only, skipped: 34 and 0" in compared.err
    assert [topic["topic"] for topic in compared.json["topics"]] == ["1"]


@pytest.mark.parametrize("kind", ["passage", "bep", "fullrb", "ea", "pa", "ba", "na"])
@pytest.mark.long
def test_simulated_runs_return_relevant_text_only(kind, judged, tmp_path):
    run = tmp_path / "deep" / f"{kind}.run"

    made = foxir("runs", "ideal", judged, "--kind", kind, "--out", run, "--json", "-q").json

    assert made == {"kind": kind, "run": made["run"], "file": str(run), "topics": made["topics"]}
    written = read_run(run)
    assert written.format == ("fol" if kind == "passage" else "inex")
    assert {topic: len(ranking) for topic, ranking in written.rankings.items()} == {
        topic: count for topic, count in made["topics"].items() if count or kind != "passage"
    }
    measures = (
        ["focused", "--measure-option", "overlapping=union"]
        if kind == "passage"
        else ["hixeval", "--alpha", "0", "--at", "1"]
    )
    judgements = QRELS if kind == "passage" else judged
    scored = foxir("eval", judgements, run, "--measures", *measures, "--missing-topics", "skip", "--json", "-q").json[
        "runs"
    ]
    precision = next(row for row in scored if row["measure"] in ("char_prec", "P@1"))
    returned = [topic for topic, count in made["topics"].items() if count]
    assert all(precision["topics"][topic] > 0 for topic in returned)
    if kind in ("passage", "ea"):
        assert precision["value"] > (0.999999 if kind == "passage" else 0.66)


@pytest.mark.long
def test_a_simulated_full_recall_base_scores_full_recall(judged, tmp_path):
    run = tmp_path / "full.xml"
    assert foxir("runs", "ideal", judged, "--kind", "fullrb", "--out", run, "-q").status == 0

    rows = foxir("eval", judged, run, "--measures", "hixeval", "--alpha", "0,1", "--at", "1500", "--json", "-q").json[
        "runs"
    ]

    assert [row["value"] for row in rows if row["measure"] == "R@1500"] == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("ending", [".xml", ".txt"])
def test_a_pool_holds_the_first_results_of_every_run(ending, some_runs, tmp_path):
    made = foxir(
        "judgements", "pool", *some_runs, "--depth", "3", "--out", tmp_path / "new" / f"pool{ending}", "--json", "-q"
    ).json
    swapped = foxir(
        "judgements", "pool", *reversed(some_runs), "--depth", "3", "--out", tmp_path / f"again{ending}", "-q"
    )

    runs = [read_run(file) for file in some_runs]
    for topic, places in made["topics"].items():
        expected: dict[tuple[str, str | None], list[int]] = {}
        for run in runs:
            ranking = run.rankings[topic]
            for rank, place in enumerate(zip(ranking.documents[:3], ranking.paths[:3], strict=True), 1):
                expected.setdefault(place, []).append(rank)
        found = {(place["document"], place["path"]): (place["rank"], place["runs"]) for place in places}
        assert found == {place: (min(ranks), len(ranks)) for place, ranks in expected.items()}
    assert made["depth"] == 3
    assert swapped.status == 0
    text = (tmp_path / "new" / f"pool{ending}").read_text("utf-8")
    assert text == (tmp_path / f"again{ending}").read_text("utf-8")
    assert text.count(made["topics"]["1"][0]["document"]) > 0


def test_a_run_there_and_back(sample, some_runs, tmp_path):
    source, fol, back = some_runs[2], tmp_path / "a.fol", tmp_path / "b.xml"

    there = foxir("runs", "convert", source, "--format", "fol", "--out", fol, "--index", sample, "--json", "-q").json
    again = foxir("runs", "convert", fol, "--format", "inex", "--out", back, "--index", sample, "--json", "-q").json

    assert (there["kind"], there["format"], there["written"], there["skipped"]) == ("run", "fol", [str(fol)], 0)
    first, last = read_run(source), read_run(back)
    assert there["items"] == again["items"] == first.n_results == last.n_results
    for topic, ranking in first.rankings.items():
        assert list(last.rankings[topic].documents) == list(ranking.documents)
    same_span = sum(
        mine == other
        for topic, ranking in first.rankings.items()
        for mine, other in zip(ranking.paths, last.rankings[topic].paths, strict=True)
    )
    assert same_span > 0.8 * first.n_results  # an element with the span of its only child comes back as the outer one


@pytest.mark.long
def test_judgements_there_and_back(sample, tmp_path):
    folder, back = tmp_path / "xml", tmp_path / "back.txt"

    there = foxir(
        "judgements", "convert", QRELS, "--format", "inex", "--out", folder, "--index", sample, "--json", "-q"
    ).json
    assert foxir("judgements", "convert", folder, "--format", "fol", "--out", back, "--index", sample, "-q").status == 0

    assert there["kind"] == "assessments"
    assert len(there["written"]) == there["topics"] == 35
    assert sorted(back.read_text("utf-8").splitlines()) == sorted(QRELS.read_text("utf-8").splitlines())


def lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines()


def test_articles_alone(some_runs, tmp_path):
    run, judged = tmp_path / "run.trec", tmp_path / "qrels.trec"

    made = foxir("runs", "convert", some_runs[2], "--format", "trec", "--out", run, "--json", "-q").json
    foxir("judgements", "convert", QRELS, "--format", "trec", "--out", judged, "-q")

    source, written = read_run(some_runs[2]), read_run(run)
    for topic, ranking in source.rankings.items():
        assert list(written.rankings[topic].documents) == list(dict.fromkeys(ranking.documents))
    assert made["items"] == written.n_results
    relevant = {(topic, document) for topic, _, document, grade in map(str.split, lines(judged)) if grade == "1"}
    assert relevant == {(fields[0], fields[2]) for fields in map(str.split, lines(QRELS)) if int(fields[3]) > 0}


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


@pytest.mark.parametrize(
    ("base", "first", "last"),
    # relevant (strict) in topic 2: the section and its paragraph; esl is what precedes the points of recall
    [("full", "/a[1]/s[1]/p[1]", 2), ("general", "/a[1]/s[1]", 1), ("specific", "/a[1]/s[1]/p[1]", 1)],
)
def test_recall_bases(base, first, last, graded):
    scored = foxir("eval", *graded, "--measures", "inex_eval", "--recall-base", base, "--topics", "2", "--json", "-q")

    ranks = {"/a[1]/s[1]/p[1]": 1, "/a[1]/s[1]": 3}
    points = {row["measure"]: row["value"] for row in scored.json["runs"]}
    n = last
    assert points["P[0.01]"] == pytest.approx(0.01 * n / (0.01 * n + ranks[first] - 1))
    # at full recall: of the full base the second relevant element follows one that is not
    assert points["P[1.00]"] == pytest.approx(n / (n + {"full": 1, "general": 2, "specific": 0}[base]))


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


@pytest.mark.long
def test_the_order_of_lines_does_not_matter_where_ranks_are_given(some_runs, judged, tmp_path):
    lines = []
    for topic, ranking in read_run(some_runs[0]).rankings.items():
        lines += [
            f"{topic} Q0 {document} {rank} {1 / rank:.6f} fulltext {path}\n"
            for rank, (document, path) in enumerate(zip(ranking.documents, ranking.paths, strict=True), 1)
        ]
    (tmp_path / "a.fol").write_text("".join(lines))
    random.Random(4).shuffle(lines)
    (tmp_path / "b.fol").write_text("".join(lines))

    first, second = (foxir("eval", judged, tmp_path / f"{name}.fol", "--json", "-q").json for name in "ab")

    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
