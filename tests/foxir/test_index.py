"""An open index: search, texts, closing, refreshing."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foxir
from tests.foxir.conftest import Sample


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "b.xml").write_text("<a><p>sea tide</p><p>lamp</p></a>")
    (source / "a.xml").write_text("<a><p>lamp</p></a>")
    foxir.build_index(source, into=tmp_path / "index", profile="none")
    return tmp_path / "index"


def grow(folder: Path) -> None:
    """Add a document to the index."""
    (folder.parent / "source" / "c.xml").write_text("<a><p>tide table</p></a>")
    foxir.build_index(into=folder)


def test_an_index_contains_its_documents(folder: Path) -> None:
    with foxir.open_index(folder) as index:
        assert repr(index) == f"Index('{folder}', documents=2, generation=1)"
        assert len(index) == index.n_documents == 2
        assert list(index) == list(index.documents) == ["a", "b"]
        assert "a" in index
        assert "c" not in index
        assert 3 not in index
        assert index.text("b") == "sea tidelamp"
        assert index.text("b", "/a[1]/p[1]") == index.element("b", "/a[1]/p[1]").text == "sea tide"
        assert index.report().documents == 2
        index.verify()
        with pytest.raises(foxir.QueryError, match="document 'c' is not in"):
            index.text("c")


def test_an_empty_index_is_true(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    foxir.build_index(tmp_path / "source", into=tmp_path / "index")
    with foxir.open_index(tmp_path / "index") as index:
        assert len(index) == 0
        assert index


def test_every_use_of_a_closed_index_is_one_error(folder: Path) -> None:
    index = foxir.open_index(folder)
    answers = index.search("tide")
    index.close()
    index.close()

    assert index.is_closed
    assert repr(index) == f"Index('{folder}', closed)"
    assert index.folder == folder
    uses = {
        "search": lambda: index.search("tide"),
        "explain": lambda: index.explain("tide", "b", "/a[1]"),
        "run": lambda: index.run([foxir.Topic("1", "CO", "tide")]),
        "text": lambda: index.text("b"),
        "report": index.report,
        "verify": index.verify,
        "refresh": index.refresh,
        "is_current": lambda: index.is_current,
        "documents": lambda: index.documents,
        "n_documents": lambda: index.n_documents,
        "len": lambda: len(index),
        "in": lambda: "b" in index,
        "iter": lambda: list(index),
        "reader": lambda: index.reader,
        "locator": lambda: index.locator,
        "generation": lambda: index.generation,
        "answer.text": lambda: answers[0].text,
        "answer.snippet": lambda: answers[0].snippet,
        "score": lambda: foxir.score("no file", "no file", index=index),
    }
    for name, use in uses.items():
        with pytest.raises(foxir.ClosedIndexError, match="the index is closed"):
            pytest.fail(f"{name}: {use()}")


def test_refresh_takes_up_the_newest_generation(folder: Path) -> None:
    with foxir.open_index(folder) as index:
        before = index.search("tide")
        assert (index.is_current, index.refresh()) == (True, False)

        grow(folder)

        assert not index.is_current
        assert "c" not in index
        assert index.search("tide") == before
        assert index.refresh()
        assert index.is_current
        assert "c" in index
        assert {answer.document for answer in index.search("tide")} == {"b", "c"}
        assert before[0].text == "sea tide"  # of the generation that answered


def test_a_folder_that_was_built_anew_is_not_current(folder: Path) -> None:
    with foxir.open_index(folder) as index:
        folder.rename(folder.parent / "old")
        with pytest.raises(foxir.IndexFormatError):
            _ = index.is_current
        with pytest.raises(foxir.IndexFormatError):
            index.refresh()
        assert len(index.search("tide")) > 0

        (folder.parent / "source" / "b.xml").write_text("<a><p>another tide</p></a>")
        foxir.build_index(folder.parent / "source", into=folder, profile="none")

        assert not index.is_current
        assert index.refresh()
        assert index.search("tide")[0].text == "another tide"


def test_an_index_cannot_be_pickled_and_says_so(folder: Path) -> None:
    with foxir.open_index(folder) as index, pytest.raises(TypeError, match="give other processes its folder"):
        pickle.dumps(index)


def test_settings_named_runs_and_tasks_go_from_weakest_to_strongest(sample: Sample) -> None:
    index, query = sample.index, "fog signal range"
    thesis = foxir.make_settings(named="H-oCRE-MpE")

    assert index.search(query, named="H-oCRE-MpE") == index.search(query, thesis)
    assert index.search(query, thesis).settings.overlap == "keep"
    assert index.search(query, thesis, task="CO.Focussed").settings.overlap == "remove"
    assert index.search(query, named="H-oCRE-MpE", task="CO.Focussed").settings.overlap == "keep"
    assert index.search(query, named="H-oCRE-MpE", overlap="remove").settings.overlap == "remove"
    assert foxir.named_runs()["H-oCRE-MpE"] == thesis
    assert foxir.tasks()["CO.Focussed"] == foxir.make_settings(task="CO.Focussed")
    with pytest.raises(foxir.SettingsError, match="did you mean 'H-oCRE-MpE'"):
        index.search(query, named="H-oCRE-MPE")


def test_a_run_names_the_topics_that_were_not_answered(sample: Sample) -> None:
    topics = [foxir.Topic("1", "CO", "fog"), foxir.Topic("2", "CAS", castitle="//sec[about(")]

    run = sample.index.run(topics, run_id="two")

    assert list(run.rankings) == ["1"]
    assert len(run.notices) == 1
    assert "topic '2'" in str(run.notices[0])
    with pytest.raises(foxir.TopicError, match="no topic can be answered"):
        sample.index.run(topics[1:])
    with pytest.raises(foxir.TopicError, match="no topic can be answered"):
        sample.index.run([])


def test_the_weight_of_images_is_refused_for_a_query_without_any(sample):
    with pytest.raises(foxir.SettingsError, match="image_weight is a setting of queries with example images"):
        sample.index.search("fog signal", image_weight=0.5)
    with pytest.raises(foxir.SettingsError, match="image_weight is a setting of queries with example images"):
        sample.index.explain("fog signal", "jats/fx-006", "/article[1]", image_weight=0.5)
    plain, with_image = foxir.Topic("1", "CO", title="fog signal"), foxir.Topic("2", "CO", title="fog src:lamp.png")
    with pytest.raises(foxir.SettingsError, match="image_weight is a setting of queries with example images"):
        sample.index.run([plain], image_weight=0.5)
    assert sample.index.run([plain, with_image], image_weight=0.5).n_results
    for query, settings in (
        ("//sec[about(., src:lamp.png fog)]", {"image_weight": 0.5}),
        ("fog signal", {"settings": foxir.make_settings(image_weight=0.5)}),
    ):
        assert len(sample.index.search(query, **settings))
        assert sample.index.explain(query, "jats/fx-006", "/article[1]", **settings)


def test_equal_settings_of_different_types_are_distinguished() -> None:
    assert foxir.make_settings(max_answers=1).max_answers == 1
    with pytest.raises(TypeError, match="max_answers"):
        foxir.make_settings(max_answers=True)  # equal to 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_answers": "3"}, "max_answers: expected int, got str '3'."),
        ({"max_answers": []}, "max_answers: expected int, got list []."),
        ({"max_answers": 3.0}, "max_answers: expected int, got float 3.0."),
        ({"max_matches": "3"}, "max_matches: expected int, None or \"all\", got str '3'."),
        ({"max_seconds": "5"}, "max_seconds: expected float, None or \"all\", got str '5'."),
        ({"passages": "on"}, "passages: expected bool, got str 'on'."),
        ({"passages": 1}, "passages: expected bool, got int 1."),
        ({"overlap": True}, "overlap: expected str, got bool True."),
        ({"answers": ["sec"]}, "answers: expected str or TagSelector, got list ['sec']."),
        ({"min_words": [1]}, 'min_words: expected int, a multiple such as "0.5x" or Length, got list [1].'),
        ({"similarity": 3}, "similarity: expected str or a function, got int 3."),
        ({"k1": "1.2"}, "k1: expected float, got str '1.2'."),
        ({"query_norm": "true"}, "query_norm: expected bool, got str 'true'."),
        ({"preset": 3}, "preset: expected str, got int 3."),
        ({"element_k1": None}, "element_k1: expected float, got NoneType None."),
        ({"documents": "x", "semantic": 3}, 'semantic: expected str or a function, None or "none", got int 3.'),
    ],
    ids=str,
)
def test_a_setting_of_a_wrong_type_is_a_type_error(sample: Sample, settings: dict[str, Any], message: str) -> None:
    for function in (foxir.make_settings, lambda **given: sample.index.search("fog", **given)):
        with pytest.raises(TypeError) as error:
            function(**settings)
        assert str(error.value) == message


@pytest.mark.parametrize(
    "settings",
    [
        {"max_answers": np.int64(3)},
        {"k1": np.float32(0.5)},
        {"max_matches": "all"},
        {"max_matches": None},
        {"max_query_memory": "512M"},
        {"min_words": "0.5x"},
        {"max_words": 40},
        {"answers": "//(sec|p)"},
        {"inside": foxir.TagSelector(("body",))},
        {"focus": "auto"},
    ],
    ids=str,
)
def test_settings_of_right_types_are_taken(sample: Sample, settings: dict[str, Any]) -> None:
    assert foxir.make_settings(**settings) == foxir.Settings.from_options(**settings)
