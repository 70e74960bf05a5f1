from __future__ import annotations

import re
from importlib.metadata import version

import pytest
from lxml import html

from engine.errors import MeasureError
from eval import ScoreRow, ScoreTable
from eval.output import report as reports
from eval.output.plots import style
from eval.output.report import report, write_report
from tests.eval.output.plots.made_scores import table


def headings(page):
    return [heading.text for heading in html.fromstring(page).iter("h2")]


@pytest.fixture(scope="module")
def page():
    return report(table(), title="A <test>", source="judged")


@pytest.mark.long
def test_everything_has_its_section(page):
    assert headings(page) == [
        *("Means", "Curves", "Topics", "Significance", "Correlation of measures", "Scores by topic", "Notices"),
    ]
    assert html.fromstring(page).findtext(".//h1") == "A <test>"
    assert html.fromstring(page).findtext(".//header/p") == "4 runs · 14 topics · judged"


@pytest.mark.long
def test_nothing_is_fetched_from_anywhere(page):
    tree = html.fromstring(page)

    assert not tree.findall(".//script")
    assert not tree.findall(".//link")
    assert not tree.findall(".//img")
    assert {a.get("href")[0] for a in tree.iter("a")} == {"#"}
    assert not re.findall(r"url\((?!#)|@import", page)


@pytest.mark.long
def test_links_of_contents_and_pictures_point_into_the_page(page):
    ids = [node.get("id") for node in html.fromstring(page).iter() if node.get("id")]

    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(#|href="#)([\w-]+)', page)) <= set(ids)


@pytest.mark.long
def test_the_same_scores_give_the_same_page():
    once, again = (report(table(2, 5), title="A <test>", source="judged") for _ in range(2))

    assert once == again


@pytest.mark.long
def test_names_of_runs_cannot_break_the_page():
    rows = [ScoreRow(run, "x", "AP", {}, {"1": 0.5, "2": 0.4}) for run in ("<script>alert(1)</script>", "a&b")]
    tree = html.fromstring(report(ScoreTable(tuple(rows))))

    assert not tree.findall(".//script")
    assert tree.findall(".//tbody//th")[1].text_content() == "a&b"


@pytest.mark.long
def test_the_settings_that_differ_between_runs_are_shown_others_folded_and_the_version_last():
    rows = tuple(ScoreRow(run, "x", "AP", {}, {"1": 0.5}) for run in ("one", "two"))
    settings = {"one": {"similarity": "bm25", "k1": "1.2"}, "two": {"similarity": "bm25", "k1": "0.9", "b": "0"}}
    tree = html.fromstring(report(ScoreTable(rows, (), settings)))

    shown = [[cell.text_content() for cell in row] for row in tree.get_element_by_id("settings").iter("tr")]
    assert shown[:3] == [["setting", "one", "two"], ["k1", "1.2", "0.9"], ["b", "", "0"]]
    folded = tree.xpath("//*[@id='settings']//details[not(@open)]")
    assert [[cell.text_content() for cell in row] for each in folded for row in each.iter("tr")] == shown[3:]
    assert shown[3:] == [["setting", "value"], ["similarity", "bm25"]]
    assert f"foxir {version('foxir')}." in tree.findtext(".//footer")


def test_the_report_is_dark_where_pages_are():
    style = html.fromstring(report(table(1))).findtext(".//style")
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w+);", part))
        for part in style.partition("@media print")[0].split("(prefers-color-scheme: dark)")
    )
    assert light.keys() == dark.keys() == {"ink", "soft", "line", "back", "band", "accent", "over"}
    assert not set(light.values()) & set(dark.values())
    assert ".picture svg { filter: invert(" in style.partition("(prefers-color-scheme: dark)")[2]


@pytest.mark.long
def test_one_run_has_no_comparison():
    assert headings(report(table(1))) == ["Means", "Curves", "Topics", "Scores by topic", "Notices"]


def test_without_matplotlib_there_are_tables_alone(monkeypatch):
    for module in (style, reports):
        monkeypatch.setattr(module, "available", lambda: False)
    page = report(table())

    assert "<svg" not in page
    assert "No plots: matplotlib is not installed" in page
    assert headings(page) == ["Means", "Significance", "Correlation of measures", "Scores by topic", "Notices"]


def test_no_scores_are_no_report():
    with pytest.raises(MeasureError, match="no scores to report"):
        report(ScoreTable(()))


def test_a_report_appears_whole_or_not_at_all(tmp_path, page):
    assert write_report(page, tmp_path / "r.html").read_text() == page
    with pytest.raises(MeasureError, match="cannot be written"):
        write_report(page, tmp_path / "none" / "r.html")
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]
