"""A run says what it was made of, can be made again, and it is told what differs then."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

import foxir
from engine.topics import TopicFields
from tests.engine.ranking import own_functions
from tests.foxir.conftest import Sample

SETTINGS = (
    {},
    {"task": "CO.Focussed", "k1": 0.9, "element_k1": 2, "max_articles": 7},
    {"named": "nCRE-CO-TPF-NO"},
    {"approach": "fulltext", "similarity": "pcosine", "length": "tokens"},
    {"passages": True, "max_sentences": 2, "inside": "//body", "focus": 0.3},
    {"similarity": "E[DM-AFI-BAA]", "element_lambda": 0.3, "parent_weight": 0},
    {"documents": ["jats/fx-006", "jats/fx-003"]},
)


def results(run: foxir.Run) -> list[object]:
    columns = (each for ranking in run.rankings.values() for each in (ranking.documents, ranking.paths, ranking.rsv))
    return [list(each) for each in columns]


@pytest.mark.parametrize("name", ["a.xml", "a.trec", "a.fol.gz"])
@pytest.mark.parametrize("given", SETTINGS, ids=str)
def test_a_run_made_like_another_one_is_the_same(sample: Sample, tmp_path: Path, given: dict, name: str) -> None:
    run = sample.index.run(
        sample.topics, only="1-2", offsets=True, scores=not {"named", "approach"} & {*given}, **given
    )
    foxir.write_run(run, tmp_path / name)
    read = foxir.read_run(tmp_path / name)
    again = sample.index.run(sample.topics, only="1-2", offsets=True, like=tmp_path / name)

    assert (read.settings, read.origin) == (run.settings, run.origin)
    assert (results(again), again.task, again.settings) == (results(run), run.task, run.settings)
    assert again.notices == run.notices
    assert foxir.Settings.from_run(read, max_answers=5).max_answers == 5
    assert foxir.make_settings(**read.settings) == foxir.Settings.from_run(read)


def test_what_differs_is_told(sample: Sample, tmp_path: Path) -> None:
    run = sample.index.run(sample.topics, only="1")
    source = tmp_path / "one"
    source.mkdir()
    (source / "a.xml").write_text("<a><p>Fresnel lens cleaning, by the lamp and the lens.</p></a>")
    foxir.build_index(source, into=tmp_path / "one.foxir")
    with foxir.open_index(tmp_path / "one.foxir") as other:
        (notice, *_) = other.run(sample.topics, only="1", like=run).notices
        assert "documents 34, now 1; elements 3702, now 2; checksum" in str(notice)
        assert "topics" not in str(notice)
        foxir.build_index(source, into=tmp_path / "two.foxir")
        with foxir.open_index(tmp_path / "two.foxir") as copy:  # the same content in another folder
            assert not copy.run(sample.topics, only="1", like=other.run(sample.topics, only="1")).notices
    (notice, *_) = sample.index.run(sample.topics, only="1-2", like=run).notices
    assert "topics 1 " in str(notice)


def test_a_file_beside_another_run_is_not_read(sample: Sample, tmp_path: Path) -> None:
    run = sample.index.run(sample.topics, only="1")
    path = tmp_path / "a.trec"
    foxir.write_run(run, path)
    assert json.loads((tmp_path / "a.trec.json").read_text())["implementation"]["name"] == "foxir"
    path.write_text(path.read_text().replace(" 1 ", " 1 ", 1) + "2 Q0 a 1 1 foxir\n")
    read = foxir.read_run(path)

    assert (read.settings, read.origin) == ({}, {})
    assert "is of another run file" in str(read.notices[-1])
    with pytest.raises(foxir.SettingsError, match="the checksum in it differs"):
        sample.index.run(sample.topics, like=path)
    with pytest.raises(foxir.RunFormatError, match="not a run: name the run"):
        foxir.read_run(tmp_path / "a.trec.json")
    for text in (
        "",
        "[1]",
        '{"kind": "foxir run"}',
        '{"kind": "foxir run", "method": {"settings": {"a": 1}}, "data": {}}',
    ):
        (tmp_path / "a.trec.json").write_text(text)
        assert foxir.read_run(path).settings == {}
    with pytest.raises(foxir.SettingsError, match=r"a\.trec\.json, which is missing or no record"):
        sample.index.run(sample.topics, like=path)


def test_other_synonyms_are_told(sample: Sample, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('groups = [["lens", "prism"]]')
    run = sample.index.run(sample.topics, only="1", synonyms=file)
    assert foxir.Settings(synonyms=file) == foxir.Settings(synonyms=str(file))
    assert not any(
        "made of something else" in str(each) for each in sample.index.run(sample.topics, only="1", like=run).notices
    )
    file.write_text('groups = [["lens", "mirror"]]')
    (told,) = (
        each for each in sample.index.run(sample.topics, only="1", like=run).notices if "something else" in str(each)
    )

    assert re.search(r"something else: synonyms \w{16}, now \w{16}: ", str(told))


def test_runs_of_others_have_no_settings_to_use(tmp_path: Path, sample: Sample) -> None:
    path = tmp_path / "a.trec.gz"
    path.write_bytes(gzip.compress(b"1 Q0 a 1 1 x\n"))
    with pytest.raises(foxir.SettingsError, match="records no settings of foxir"):
        sample.index.run(sample.topics, like=path)
    with pytest.raises(TypeError, match="expected a Run"):
        foxir.Settings.from_run(path)  # type: ignore[arg-type]


def test_a_run_imports_no_function_by_itself(sample: Sample) -> None:
    own = f"{own_functions.HERE}:bm25"
    run = sample.index.run(sample.topics, only="1", similarity=own, element_k1=2, score_parts=own_functions.early)
    with pytest.raises(foxir.SettingsError, match=f"element_similarity = {own}: a run imports no function"):
        sample.index.run(sample.topics, only="1", like=run)
    with pytest.raises(foxir.SettingsError, match="a run imports no function"):
        foxir.Settings.from_run(run)
    for given in (
        {"similarity": own, "score_parts": run.settings["score_parts"]},
        {"similarity": own_functions.bm25, "score_parts": {own_functions.early: 1.0}},
    ):
        again = sample.index.run(sample.topics, only="1", like=run, **given)
        assert results(again) == results(run)
    assert foxir.Settings.from_run(run, similarity=own, score_parts=own_functions.early).score_parts is not None


def test_fields_of_topics_make_queries() -> None:
    topic = foxir.Topic("1", "CO+S", "fog +lens", "//sec", description='Not "calm" OR (dark) -sea.', narrative="N.")

    assert TopicFields.parse("title").query(topic) == "fog +lens"
    assert TopicFields.parse("title^2, desc").query(topic) == "fog +lens fog +lens Not calm or dark sea."
    assert str(TopicFields.parse("narr,title^3")) == "narrative,title^3"
    for text in ("", "titel", "title^0", "title,title", "castitle", "title^x"):
        with pytest.raises(foxir.SettingsError, match="expected some of title, desc, narr, keywords"):
            TopicFields.parse(text)


def test_a_run_over_fields_says_which_and_is_repeated(sample: Sample) -> None:
    run = sample.index.run(sample.topics, only="1", topic_fields="title^2,desc", similarity="okapi")
    plain = sample.index.run(sample.topics, only="1", similarity="okapi")
    again = sample.index.run(sample.topics, only="1", like=run)

    assert run.topic_fields["description"] == "yes"
    assert run.origin["topic_fields"] == "title^2,description"
    assert results(run) == results(again) != results(plain)
    with pytest.raises(foxir.SettingsError, match="a weight is how often the query has a word"):
        sample.index.run(sample.topics, only="1", topic_fields="title^2,desc")
    topics = [foxir.Topic("1", "CO", "fog"), foxir.Topic("2", "CO", "sea", narrative="The tide.")]
    run = sample.index.run(topics, topic_fields="narr")
    assert list(run.rankings) == ["2"]
    assert "no text in the fields narrative" in str(run.notices[0])
