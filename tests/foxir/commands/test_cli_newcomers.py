"""What the commands say where something is not there: a pattern, a document, a source, a tag."""

from __future__ import annotations

import shlex
import tarfile
from pathlib import Path

import pytest

from foxir import open_index
from tests.foxir.commands.command import foxir, refused


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The folder of a small collection and its index."""
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("a", "b"):
        (texts / f"{name}.xml").write_text("<doc><p>A fog signal.</p></doc>")
    assert foxir("index", tmp_path / "own.foxir", texts).status == 0
    return tmp_path


def test_a_pattern_that_no_document_id_matches_is_reported(own):
    found = foxir("search", own / "own.foxir", "fog", "--documents", "c*")
    assert "no document id matches documents = 'c*': ids are paths below the source, such as 'a'." in found.err
    found = foxir("search", own / "own.foxir", "fog", "--documents", "c*", "--json")
    (reason,) = found.json["notices"]
    assert reason.startswith("no answer: no document id matches")
    with open_index(own / "own.foxir") as index:
        assert index.search("fog", documents="c*").why_empty() == reason
    assert foxir("search", own / "own.foxir", "fog", "--documents", "a*").err == ""


def test_a_folder_of_documents_is_answered_with_its_pattern(sample):
    found = foxir("search", sample, "fog", "--documents", "jats")

    assert "no document id matches documents = 'jats': write 'jats/*' for the documents in this folder." in found.err
    with open_index(sample) as index:
        assert index.search("fog", documents="jats").why_empty() == found.err.rstrip()
        answers = index.search("fog", inside="//bodyy")
        assert answers.why_empty() == f"no answer: {answers.notices[0]}"
        assert (answers.notices[0].code, answers.notices[0].fields["near"]) == ("no_element_named", "body")
        outside = index.search("xqzzyvtw", outside="//bodyy").why_empty()
        assert outside.startswith("no answer: 'xqzzyvtw' is in none of the 34 documents")
    assert foxir("search", sample, "fog", "--documents", "jats/*", "--json").json["total"] > 0


def test_a_wrong_scope_names_the_option_that_was_typed(own):
    refused(foxir("search", own / "own.foxir", "fog", "--in", "body"), "--in 'body': expected all")


def test_a_document_that_became_malformed_is_reported_as_no_longer_searchable(own):
    (own / "texts/a.xml").write_text("<doc>")
    (own / "texts/new.xml").write_text("<doc>")
    done = foxir("index", own / "own.foxir")

    of_file = {line.split(".xml")[0].rpartition("/")[2]: line for line in done.err.splitlines()}
    assert "it was indexed before, and is no longer searchable" in of_file["a"]
    assert "indexed before" not in of_file["new"]
    refused(foxir("show", own / "own.foxir", "a"), "document 'a' is not in", "the last build skipped", "a.xml:1: ")


def test_a_deleted_document_is_not_suggested(own):
    (own / "texts/a.xml").unlink()
    assert foxir("index", own / "own.foxir").status == 0

    outcome = foxir("show", own / "own.foxir", "a")
    refused(outcome, "document 'a' is not in")
    assert "mean 'a'" not in outcome.err


def test_a_source_that_moved_is_answered_with_how_to_follow_it(own):
    (own / "texts").rename(own / "moved")

    outcome = foxir("index", own / "own.foxir")
    refused(outcome, "no such source", f"foxir index INDEX NEW_PLACE --remove {own / 'texts'}")
    assert outcome.err == foxir("show", own / "own.foxir", "a", "--xml").err
    assert outcome.err.count(f"'{own / 'texts'}'") == 1
    skipped = foxir("index", own / "own.foxir", own / "moved")
    assert f"if that source has moved, remove it from the index (remove {own / 'texts'})" in skipped.err
    followed = foxir("index", own / "own.foxir", own / "moved", "--remove", own / "texts")
    assert (followed.status, "skipped:" in followed.err) == (0, False)


@pytest.mark.parametrize(
    "damaged", ["manifest.json", "segments/*/elements/extent.npy", "segments/*/articles/terms.bin"]
)
def test_what_a_message_about_damage_advises_works(own, damaged):
    index, new = own / "own.foxir", own / "new.foxir"
    whole = foxir("search", index, "fog", "--json").json["answers"]
    file = next(index.glob(damaged))
    file.write_bytes(b"x" * file.stat().st_size)

    refused(foxir("search", index, "fog"), file.name, "index the sources again into a new folder")
    assert foxir("index", new, own / "texts").status == 0
    assert foxir("search", new, "fog", "--json").json["answers"] == whole


@pytest.mark.parametrize("name", ["texts", "texts/a.xml", "it's.tar", "empty", "none"])
def test_what_is_no_index_is_answered_with_the_command_that_makes_one(own, name, monkeypatch):
    monkeypatch.chdir(own)
    (own / "empty").mkdir()
    with tarfile.open("it's.tar", "w") as archive:
        archive.add("texts")
    refusal = foxir("search", name, "fog")
    refused(refusal, f"{name}: not a foxir index: ")

    command = refusal.err.partition("Make one: foxir ")[2].partition(" Try: ")[0]
    arguments = ["texts" if each == "SOURCE" else each for each in shlex.split(command)]
    assert foxir(*arguments).status == 0
    found = foxir("search", arguments[1], "fog", "--json").json["answers"]
    assert [each["document"] for each in found][:1] in (["a"], ["texts/a"])


@pytest.mark.parametrize("arguments", [("search", "fog"), ("run", "texts", "-o", "run.xml")])
def test_an_index_that_does_not_come_first_is_named(own, arguments, monkeypatch):
    monkeypatch.chdir(own)

    refused(foxir(*arguments, "own.foxir"), "foxir: INDEX comes first: own.foxir is one. ", "not a foxir index: ")


def test_of_several_indexes_that_are_served_none_comes_first(own, monkeypatch):
    monkeypatch.chdir(own)
    for arguments in (("own.foxir", "texts"), ("texts", "own.foxir")):
        refusal = foxir("serve", *arguments)
        refused(refusal, "texts: not a foxir index: ")
        assert "comes first" not in refusal.err


def test_of_several_indexes_one_that_is_damaged_is_not_said_to_be_in_the_wrong_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xml").write_text("<a><p>fog</p></a>", "utf-8")
    for name in ("one.foxir", "other.foxir"):
        foxir("index", name, "a.xml")
    (tmp_path / "one.foxir" / "manifest.json").write_text("{}", "utf-8")

    asked = foxir("search", "one.foxir", "other.foxir", "fog")

    assert asked.status == 2
    assert asked.err.startswith("foxir: one.foxir")
    assert "INDEX" not in foxir("search", "none", "fog").err


def test_a_source_alone_is_answered_with_the_command_that_indexes_it(own, monkeypatch):
    monkeypatch.chdir(own)

    refused(foxir("index", "texts"), "no source: texts: not a foxir index: ", "Make one: foxir index texts.foxir texts")
    refused(foxir("index", "new"), "no source: new: ", "there is no such folder. Make one: foxir index new SOURCE")
    assert foxir("index", "own.foxir").status == 0


def test_a_source_in_the_place_of_the_index_is_answered_with_the_order(own, monkeypatch):
    monkeypatch.chdir(own)

    refused(
        foxir("index", "texts", "new.foxir"), "texts: is a folder", "INDEX comes first: foxir index new.foxir texts"
    )
    refused(foxir("index", "texts", "-o", "new.foxir"), "No such option: -o: use the first argument: foxir index INDEX")
    refused(foxir("index", "texts", "*.xml"), "texts: contains other files")
    assert sorted(path.name for path in (own / "texts").iterdir()) == ["a.xml", "b.xml"]


def test_an_index_without_fields_says_how_to_define_some(own):
    listed = foxir("info", own / "own.foxir", "--fields").out

    assert "  fields     none: the profile 'auto' finds no field" in listed
    assert "[fields] of a profile of your own (docs/formats.md)" in listed


def test_the_working_folder_is_indexed_beside_itself(own, monkeypatch):
    monkeypatch.chdir(own / "texts")

    refused(foxir("search", ".", "fog"), f"Make one: foxir index {own / 'texts.foxir'} .")


def test_a_file_that_is_no_source_is_not_advised_as_one(own):
    (own / "notes.txt").write_text("fog")

    refused(foxir("search", own / "notes.txt", "fog"), "it is a file. An index is a folder.")


@pytest.mark.parametrize("shards", [(), ("--shards", "2")])
def test_a_source_without_xml_is_named_with_what_it_contains(own, shards):
    other = own / "it's notes"
    (other / "inside").mkdir(parents=True)
    for name in ("a.txt", "inside/b.txt", "c.json", "inside/README"):
        (other / name).write_text("<doc>fog</doc>")

    made = foxir("index", own / "new.foxir", other, *shards)

    assert made.status == 1
    first = made.err.splitlines()[0]
    assert first.startswith(f"no XML file in {other}: looked for .xml, .xml.gz and other extensions of XML")
    assert "found .txt 2, .json 1, " in first
    pattern = shlex.split(first.partition("a pattern: ")[2].removesuffix("."))[0]
    assert foxir("index", own / "new.foxir", pattern).status == 0
    assert foxir("index", own / "new.foxir", own / "texts").err == ""
    assert foxir("info", own / "new.foxir", "--json").json["documents"] == 4


@pytest.mark.parametrize(("ending", "n_files", "is_named"), [("page", 3, True), ("page", 2, False), ("json", 9, False)])
def test_more_files_of_another_extension_than_documents_are_named_with_a_pattern(own, ending, n_files, is_named):
    for number in range(n_files):
        (own / f"texts/{number}.{ending}").write_text("<page>A fog horn.</page>")

    made = foxir("index", own / "new.foxir", own / "texts")

    assert made.status == 0
    named = f"{n_files} files end in .{ending} and were not looked at: if these are XML, add a pattern as a source: "
    assert made.err.startswith(named) == is_named
    if is_named:
        pattern = shlex.split(made.err.splitlines()[0].removeprefix(named).removesuffix("."))[0]
        assert foxir("index", own / "new.foxir", pattern).err == ""
        assert foxir("info", own / "new.foxir", "--json").json["documents"] == 2 + n_files


def test_all_tags_are_listed(tmp_path):
    (tmp_path / "texts").mkdir()
    names = [f"tag{number}" for number in range(25)]
    (tmp_path / "texts/a.xml").write_text(f"<doc>{''.join(f'<{name}>x</{name}>' for name in names)}</doc>")
    assert foxir("index", tmp_path / "own.foxir", tmp_path / "texts").status == 0

    assert "and 6 more" in foxir("info", tmp_path / "own.foxir").out
    listed = foxir("info", tmp_path / "own.foxir", "--list-tags").out
    assert [name for name in names if f"{name} 1" not in listed] == []
    assert "more" not in listed


def test_the_number_of_answers_has_the_same_letters_everywhere(own):
    (own / "queries.txt").write_text("fog\n")
    for option in ("-n", "-k", "--top"):
        assert foxir("search", own / "own.foxir", "fog", option, "1").out.count("score") == 1
        written = foxir("export", own / "own.foxir", own / "queries.txt", option, "1", "--out", "-", "-q").json
        assert len(written["answers"]) == 1


def test_measures_named_alone_are_those_of_documents_where_documents_are_judged(tmp_path):
    (tmp_path / "q.trec").write_text("1 0 a 1\n1 0 b 0\n1 0 c 1\n")
    (tmp_path / "run.trec").write_text("1 Q0 a 1 2.0 r\n1 Q0 b 2 1.0 r\n")

    def scored(measures: str) -> list[str]:
        outcome = foxir("eval", tmp_path / "q.trec", tmp_path / "run.trec", "--measures", measures)
        assert outcome.status == 0, outcome.err
        return outcome.out.splitlines()[-1].split()

    # a at 1 is one of two relevant documents: AP 1/2, R 1/2, P 1/2; nDCG@1 is that of the ideal
    assert scored("AP,R@2,P@2,nDCG@1") == ["r", "0.5000", "0.5000", "0.5000", "1.0000"]
    assert scored("trec:R@1") == ["r", "0.5000"]
    refused(foxir("eval", tmp_path / "q.trec", tmp_path / "run.trec", "--measures", "hixeval:AP"), "such as trec:AP")


def test_serve_refuses_what_is_no_index_before_it_announces_an_address(tmp_path):
    pytest.importorskip("starlette")
    (tmp_path / "empty").mkdir()
    refused(foxir("serve", tmp_path / "empty", "--port", "0"), "not a foxir index")


@pytest.mark.parametrize(("form", "sign"), [([], "run "), (["--markdown"], "| run"), (["--latex"], "tabular")])
@pytest.mark.long
def test_a_table_without_values_is_explained(form, sign, judged, sample, sample_run):
    call = ["eval", judged, sample_run, "--index", sample, "--measures", "inex_eval", "-q", *form]

    assert "no values: under these options" in foxir(*call).out
    assert sign not in foxir(*call).out
    assert sign in foxir(*call, "--quant", "gen").out
