"""Files of judgements, exported and imported; agreement and scores over them."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from pathlib import Path

import pytest

import foxir
from eval.measures import FAMILIES
from tests.foxir.commands.command import foxir as command
from tests.foxir.service.desk import Assessor, desk, judged_index, spans, write_runs
from tests.foxir.service.living import page_of


def judge_some(ana: Assessor) -> None:
    ana.act("a", "mark", start=4, end=7)
    ana.act("a", "mark", start=14, end=18)
    ana.act("a", "entry", offset=14)
    ana.act("b", "mark", start=4, end=6)
    ana.act("b", "mark", start=14, end=18)
    ana.act("c", "nothing")
    ana.act("b", "mark", topic="2", start=7, end=13)


@pytest.mark.parametrize("form", ["fol", "inex", "trec"])
def test_files_come_back_as_they_went(ana: Assessor, form: str) -> None:
    judge_some(ana)
    first = ana.export(form)
    bob = ana.call("bob")
    answer = bob.take(first)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["documents"], answer.json()["skipped"]) == (4, [])
    assert bob.export(form) == first
    if form != "trec":
        for document, topic in (("a", "1"), ("b", "1"), ("c", "1"), ("b", "2")):
            own, other = bob.state(document, topic), bob.state(document, topic, assessor="ana")
            assert own["highlights"] == other["highlights"]
    assert bob.state("c")["nothing_relevant"]
    again = bob.take(first)
    assert (again.json()["documents"], bob.export(form)) == (4, first)


def test_exported_files_are_read_by_the_library(ana: Assessor, tmp_path: Path) -> None:
    judge_some(ana)
    (tmp_path / "fol.txt").write_bytes(ana.export("fol"))
    zipfile.ZipFile(io.BytesIO(ana.export("inex"))).extractall(tmp_path)
    text = {name: foxir.open_index(tmp_path / "judged.foxir").text(name) for name in "abc"}

    fol = foxir.read_assessments(tmp_path / "fol.txt")
    assert ana.export("fol").decode().splitlines()[0] == "1 Q0 a 7 28 14 4:3 14:4"
    assert fol.topics["1"].documents == ("a", "b", "c")
    assert len(foxir.check_assessments(tmp_path / "assessments", tmp_path / "judged.foxir").differences) == 0
    expanded = foxir.expand_assessments(fol, tmp_path / "judged.foxir")
    inex = foxir.read_assessments(tmp_path / "assessments")
    for topic in ("1", "2"):
        assert inex.topics[topic].elements.paths == expanded.topics[topic].elements.paths
        assert inex.topics[topic].passages.starts.tolist() == expanded.topics[topic].passages.starts.tolist()
    assert ana.export("trec") == b"1 0 a 1\n1 0 b 1\n1 0 c 0\n2 0 b 1\n"
    exported = json.loads(ana.export("json"))
    assert exported["topics"]["1"]["b"]["highlights"][0]["quote"] == text["b"][4:6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "judgements"),
        (b"\xff\xfe\x00", "judgements"),
        (b"<assessments", "judgements"),
        (b"1 Q0 a 3 x\n", "judgements"),
        (b"PK\x03\x04broken", "archive"),
    ],
)
def test_unreadable_files_are_reported(ana: Assessor, content: bytes, message: str) -> None:
    answer = ana.take(content)

    assert answer.status_code == 422, answer.text
    assert message in answer.json()["detail"]
    assert "/tmp" not in answer.json()["detail"]
    assert "root:" not in answer.text


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.long
def test_a_damaged_archive_is_taken_in_or_reported(ana: Assessor, method: int) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        archive.writestr("1.xml", '<assessments topic="1">' + '<file file="a"/>' * 50 + "</assessments>")
    rng = random.Random(method)
    for _ in range(60):
        damaged = bytearray(written.getvalue())
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(4, len(damaged))] = rng.randrange(256)
        assert ana.take(bytes(damaged)).status_code in (200, 422)


def test_an_archive_of_too_many_files_or_bytes_is_refused(ana: Assessor, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = '<assessments topic="1"><file file="a"/></assessments>'
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for number in range(3):
            archive.writestr(f"{number}.xml", judged)
    limits = {"MOST_BYTES": 3 * len(judged), "MOST_FILES": 3}
    for name, limit in limits.items():
        monkeypatch.setattr(f"foxir.service.judging.judgement_files.{name}", limit)
    assert "judged again" in ana.take(written.getvalue()).json()["detail"]  # read, and wrong in itself

    for name, words in {"MOST_BYTES": "unpacks to more than 158 bytes", "MOST_FILES": "more than 2 XML files"}.items():
        with monkeypatch.context() as patch:
            patch.setattr(f"foxir.service.judging.judgement_files.{name}", limits[name] - 1)
            answer = ana.take(written.getvalue())
        assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.text


@pytest.mark.parametrize(
    ("limit", "value", "status", "words"),
    [("MOST_MEMORY", 100 << 10, 413, "more than 100K of memory"), ("MOST_SECONDS", 1e-9, 503, "nothing was done")],
)
def test_a_file_that_takes_too_much_is_given_up_and_stops(
    folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, status: int, words: str
) -> None:
    """Imports, exports and evaluations have limits, one place beside the searches, and take up nothing beyond them."""
    monkeypatch.setattr(f"foxir.service.state.{limit}", value)
    with desk(folder) as ana:
        answer = ana.take(b"1 Q0 a 3 28 4 4:3\n" + b"".join(b"1 Q0 d%d 0 9\n" % each for each in range(2000)))

        assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text
        assert spans(ana.state("a")) == []


def test_a_file_of_gzip_is_taken_in_within_bounds(ana: Assessor, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b"1 Q0 a 3 28 4 4:3\n"
    assert ana.take(gzip.compress(lines)).json()["documents"] == 1
    monkeypatch.setattr("foxir.service.judging.judgement_files.MOST_BYTES", 1 << 20)
    answer = ana.take(gzip.compress(lines * 100_000))
    assert (answer.status_code, "decompresses to more than 1 MB" in answer.json()["detail"]) == (422, True)


def test_many_documents_that_are_left_out_are_counted(ana: Assessor) -> None:
    skipped = ana.take(b"".join(b"1 Q0 d%d 0 9\n" % each for each in range(1200))).json()["skipped"]
    assert (len(skipped), skipped[-1]) == (1001, "and 200 more")


def test_entities_of_files_are_not_fetched(ana: Assessor) -> None:
    answer = ana.take(b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><assessments topic='1'>&x;</assessments>")

    assert "root:" not in answer.text
    assert spans(ana.state("a")) == []


def test_what_does_not_fit_is_left_out(ana: Assessor) -> None:
    answer = ana.take(b"1 Q0 a 3 28 4 4:3\n1 Q0 z 3 28 4 4:3\n9 Q0 a 3 28 4 4:3\n2 Q0 b 3 900 4 800:3\n").json()

    assert answer["documents"] == 1
    assert [line.rpartition(": ")[2] for line in answer["skipped"]] == [
        "not in the index", "not one of this service", "a passage ends after the end of the text"
    ]  # fmt: skip


def test_highlights_in_another_version_of_a_text_are_left_out(ana: Assessor) -> None:
    """Their offsets would mark other words; a document without highlights has no offsets."""
    found = ana.take(b"1 Q0 a 3 27 4 4:3\n1 Q0 b 3 28 4 4:3\n1 Q0 c 0 99\n").json()

    assert found["skipped"] == [
        "topic '1', document 'a': judged in a text of 27 characters, the indexed one has 28: another version"
    ]
    assert [spans(ana.state(document)) for document in "abc"] == [[], [(4, 7)], []]
    assert [ana.state(document)["done"] for document in "abc"] == [False, True, True]


def test_lines_that_contradict_themselves_are_named_as_an_evaluation_names_them(ana: Assessor, tmp_path: Path) -> None:
    lines = b"1 Q0 a 3 28 4 4:3\n1 Q0 b 5 28 0 0:5 0:5\n2 Q0 b 9 28 4 4:3\n"
    answer = ana.take(lines).json()
    (file := tmp_path / "judgements.txt").write_bytes(lines)

    assert answer["documents"] == 3
    assert [line.partition(" (")[0] for line in answer["notices"]] == [
        "judgements.txt:2: passages overlap",
        "judgements.txt:3: rsize is not the number of characters in passages",
    ]
    assert answer["notices"] == [str(each).replace(f"{tmp_path}/", "") for each in foxir.read_assessments(file).notices]
    assert ana.take(lines.splitlines(keepends=True)[0]).json()["notices"] == []
    page = page_of(ana.web.post("/judge/import", files={"file": ("qrels.txt", lines)}, data={"form_token": ana.token}))
    assert page.xpath("//ul/li/text()") == [each.replace("judgements", "qrels", 1) for each in answer["notices"]]


def test_agreement_is_that_of_the_library(ana: Assessor, tmp_path: Path) -> None:
    judge_some(ana)
    (tmp_path / "ana.txt").write_bytes(
        b"".join(line for line in ana.export("fol").splitlines(True) if b" c " not in line)
    )
    bob = ana.call("bob")
    bob.act("a", "mark", start=0, end=7)
    bob.act("b", "nothing")
    bob.act("b", "mark", topic="2", start=7, end=13)
    (tmp_path / "bob.txt").write_bytes(bob.export("fol"))
    expected = foxir.agreement(tmp_path / "ana.txt", tmp_path / "bob.txt", index=tmp_path / "judged.foxir").to_dict()
    found = bob.web.get("/api/agreement", params={"first": "ana", "second": "bob"}).json()

    assert found["topics"] == expected["topics"]
    page = page_of(
        bob.web.get("/judge/compare", params={"topic": "1", "first": "ana", "second": "bob", "document": "a"})
    )
    assert page.xpath("//div[@id='text']//mark[@class='both']/text()") == ["two"]
    assert "".join(page.xpath("//div[@id='text']//mark[@class='first']/text()")) == "Four"
    assert "".join(page.xpath("//div[@id='text']//mark[@class='second']/text()")) == "One "
    assert bob.web.get("/api/agreement", params={"first": "ana", "second": "eve"}).status_code == 404


def test_scores_are_those_of_the_command_on_the_export(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = write_runs(folder)
    with desk(folder, pool=runs) as ana:
        assert ana.web.get("/api/scores").status_code == 404
        judge_some(ana)
        found = ana.web.get("/api/scores", params={"measures": "hixeval"})
        shown = page_of(ana.web.get("/evaluate"))
        (folder / "qrels.txt").write_bytes(ana.export("fol"))
        assert ana.web.get("/api/scores", params={"measures": "nothing"}).status_code == 422
    done = command(
        "eval", folder / "qrels.txt", *runs, "--index", folder / "judged.foxir", "--measures", "hixeval", "--json"
    )

    assert found.json()["runs"] == done.json["runs"]
    assert shown.xpath("string(//p[@id='means'])").startswith("2 of 2 topics judged.")
    table = foxir.score(folder / "qrels.txt", list(runs), "hixeval", index=folder / "judged.foxir")
    values = {row.measure: row.value for row in table.rows if row.run == "scored" and not row.is_detail}
    assert shown.xpath("(//table)[1]/thead//a/text()")[:3] == ["AP", "iAP", "P@10"]
    assert shown.xpath("string((//table)[1]/tbody/tr[1]/td[1])") == f"{values['AP']:.4f}"
    assert shown.xpath("//dl[@class='meanings']//dt/text()") == ["AP", "iAP", "P@10"]
    bars = [float(each) for each in shown.xpath("(//table)[2]//svg/rect/@width")]
    assert len(bars) == len(
        shown.xpath("(//table)[2]/tbody//td[contains(., '.')][not(contains(., '+') or contains(., '−'))]")
    )
    assert all(0 <= each <= 100 for each in bars)


@pytest.mark.parametrize("measures", sorted(FAMILIES))
@pytest.mark.long
def test_exports_score_as_the_page_does(measures: str, folder: Path) -> None:
    runs = write_runs(folder)
    with desk(folder, pool=runs) as ana:
        judge_some(ana)
        shown = ana.web.get("/api/scores", params={"measures": measures})
        (folder / "qrels.txt").write_bytes(ana.export("fol"))
        with zipfile.ZipFile(io.BytesIO(ana.export("inex"))) as archive:
            archive.extractall(folder)
    for exported in ("qrels.txt", "assessments"):
        given = folder / exported, *runs, "--index", folder / "judged.foxir", "--measures", measures, "--json"
        done = command("eval", *given)

        assert shown.is_success == (done.status == 0), done.err
        assert not shown.is_success or shown.json()["runs"] == done.json["runs"], exported


def test_a_file_that_cannot_be_read_is_named(ana: Assessor) -> None:
    for content, place in ((b"hello world\n", "mine.txt:1"), (b"<assessments", "mine.txt")):
        given = {"files": {"file": ("mine.txt", content)}, "data": {"form_token": ana.token}}
        answer = ana.web.post("/judge/import", headers={"Accept": "text/html"}, **given)

        assert answer.status_code == 422
        assert place in page_of(answer).xpath("string(//section[@class='problem']/p)")
        assert page_of(answer).xpath("//main//a/@href") == ["/judge"]


def test_comparing_marks_no_blank_text_between_paragraphs(tmp_path: Path) -> None:
    judged_index(tmp_path, {"a": "<article>\n  <p>One two.</p>\n  <p>Three four.</p>\n</article>"})
    with desk(tmp_path) as ana:
        text = foxir.open_index(tmp_path / "judged.foxir").text("a")
        ana.act("a", "mark", start=text.index("One"), end=text.index("four.") + 5)
        bob = ana.call("bob")
        bob.act("a", "mark", start=text.index("Three"), end=text.index(" four"))
        asked = {"topic": "1", "first": "ana", "second": "bob", "document": "a"}
        page = page_of(bob.web.get("/judge/compare", params=asked))

    marks = page.xpath("//div[@id='text']//mark")
    assert [(each.get("class"), each.text_content()) for each in marks if each.text_content().strip()] == [
        ("first", "One two."),
        ("both", "Three"),
        ("first", " four."),
    ]
    assert all(each.text_content().strip() for each in marks)
