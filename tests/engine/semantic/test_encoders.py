"""Encoders by name: loaded once, their vectors checked."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from engine.errors import SettingsError
from engine.semantic.encoders import BATCH, WORDLLAMA, Encoder, _loaded, encoder
from engine.settings import Settings
from tests.engine.semantic import toy_encoder

TOY = "tests.engine.semantic.toy_encoder"


def vectors(function, texts):
    return Encoder("toy", function).unit_vectors(texts, lambda: None)


def test_vectors_have_length_one_and_texts_without_letters_have_zeros():
    texts = [f"{'ab' * n} c" for n in range(2 * BATCH)] + ["...", ""]

    found = vectors(toy_encoder.encode, texts)

    assert np.allclose(np.linalg.norm(found[:-2], axis=1), 1)
    assert not found[-2:].any()
    assert np.array_equal(found[[70 % len(texts)]], vectors(toy_encoder.encode, [texts[70 % len(texts)]]))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("not_a_number", "NaN or infinity for the text 'fog'"),
        ("too_few", r"shape \(1, 3\) for 2 texts"),
        ("flat", r"shape \(2,\) for 2 texts"),
        ("words", "returned list, no array of numbers"),
        ("raises", "raised RuntimeError: no model here"),
    ],
)
def test_what_is_no_vector_is_refused_with_what_was_expected(name, says):
    with pytest.raises(SettingsError, match=says) as raised:
        vectors(getattr(toy_encoder, name), ["fog", "sea"])
    assert "one row a text" in str(raised.value)


def test_vectors_of_changing_dimensions_are_refused():
    with pytest.raises(SettingsError, match="dimensions, then"):
        vectors(toy_encoder.other_dimensions, ["fog"] * (BATCH + 1))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_such_module:encode", "No module named"),
        (f"{TOY}:encodes", "no attribute 'encodes'"),
        (f"{TOY}:CONSTANT", "expected a function, got 3"),
    ],
)
def test_a_function_that_cannot_be_imported_is_named(name, says):
    with pytest.raises(SettingsError, match=says) as raised:
        encoder(name)
    assert name in str(raised.value)


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    _loaded.cache_clear()
    with pytest.raises(SettingsError, match=r"wordllama is not installed: pip install '\.\[semantic\]'"):
        encoder(WORDLLAMA)


@pytest.mark.skipif(importlib.util.find_spec("wordllama") is None, reason="the extra semantic is not installed")
def test_static_word_vectors_put_similar_texts_together_and_do_not_depend_on_the_batch():
    _loaded.cache_clear()
    texts = ["the ship sank in the storm", "a vessel was lost in bad weather", "prices of butter and cheese"]
    found = encoder(WORDLLAMA).unit_vectors(texts, lambda: None)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.1
    for text, vector in zip(texts, found, strict=True):
        assert np.array_equal(encoder(WORDLLAMA).unit_vectors([text], lambda: None)[0], vector)


@pytest.mark.parametrize("wrong", ["bert", "a:b:c", ":f", "a:", "a b:c", 3, True, "a.:b"])
def test_names_of_encoders_are_checked_when_they_are_set(wrong):
    with pytest.raises(SettingsError, match=r"semantic = .*expected none, wordllama, or a function of yours"):
        Settings.from_options(semantic=wrong)


def test_a_function_is_set_by_itself_or_by_its_name():
    by_function = Settings.from_options(semantic=toy_encoder.encode)
    assert by_function == Settings.from_options(semantic=f"{TOY}:encode")
    assert Settings.from_options(by_function, semantic="none").semantic is None
