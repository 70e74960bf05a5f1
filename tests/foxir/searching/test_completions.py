"""A query that is being typed is completed by words of the index and by titles of documents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.index.reader import open_reader
from foxir.searching.completions import completed, titles_with
from tests.foxir.conftest import Sample


def test_the_last_word_is_completed_by_words_that_documents_have_as_they_are_written(sample: Sample) -> None:
    with open_reader(sample.folder / "sample.foxir") as reader:
        assert "fog lighthouse" in completed(reader, "fog lighth")
        assert completed(reader, "fog lighth ") == []
        assert completed(reader, "l") == completed(reader, "zzzz") == completed(reader, "") == []
        words = [text.rpartition(" ")[2] for text in completed(reader, "the si")]
        assert words
        assert all(word.startswith("si") and word not in reader.function_words for word in words)


@given(st.text(alphabet="abf og\u0130\u00df([*\\", max_size=12))
def test_whatever_is_typed_a_completion_begins_with_it(sample: Sample, text: str) -> None:
    with open_reader(sample.folder / "sample.foxir") as reader:
        assert all(each.lower().startswith(text.lower()) for each in completed(reader, text))
    assert all(place in (0, 1) for place in titles_with(["Fog", "(b[a*"], text))
