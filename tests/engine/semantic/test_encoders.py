"""Encoders by name: loaded once, their vectors checked."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from engine.errors import SettingsError
from engine.semantic.encoders import BATCH, WORDLLAMA, Encoder, encoder, loaded_encoder
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
    assert str(raised.value).endswith("expected float32 vectors, one row a text.")


def test_vectors_of_changing_dimensions_are_refused():
    with pytest.raises(SettingsError, match="dimensions, then"):
        vectors(toy_encoder.other_dimensions, ["fog"] * (BATCH + 1))


def test_the_dimensions_are_those_of_the_first_call():
    by = Encoder("toy", toy_encoder.other_dimensions)
    by.unit_vectors(["fog"], lambda: None)
    with pytest.raises(SettingsError, match="dimensions, then"):
        by.unit_vectors(["sea"], lambda: None)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (toy_encoder.unreadable([]), "returned _Unreadable, no array of numbers"),
        ([[1.0], [1.0, 2.0]], "returned list, no array of numbers"),
        (np.full((2, 3), 10**400, dtype=object), "ndarray, no array of numbers but of object:"),
        ([[10**400] * 3] * 2, "list, no array of numbers but of object:"),
        (np.ma.masked_array(np.ones((2, 3)), mask=True), "MaskedArray, no array of numbers but of masked values"),
        ([["1", "2", "3"]] * 2, "list, no array of numbers but of <U1:"),
        (np.zeros((2, 3), "datetime64[s]"), r"ndarray, no array of numbers but of datetime64\[s\]:"),
        (np.ones((2, 3), complex), "ndarray, no array of numbers but of complex128:"),
        (np.ones((2, 3), bool), "ndarray, no array of numbers but of bool:"),
        (None, "NoneType, no array of numbers but of object:"),
    ],
)
def test_only_real_numbers_are_vectors(given, says):
    with pytest.raises(SettingsError, match=f"{says}.*expected float32 vectors"):
        vectors(lambda _texts: given, ["fog", "sea"])


@pytest.mark.parametrize("error", [BaseException("x"), GeneratorExit(), SystemExit(3), MemoryError()], ids=repr)
def test_whatever_an_encoder_raises_is_its_failure(error):
    def fail(_texts):
        raise error

    with pytest.raises(SettingsError, match=f"the encoder raised {type(error).__name__}"):
        vectors(fail, ["fog"])


def test_the_user_can_interrupt_an_encoder():
    def interrupted(_texts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectors(interrupted, ["fog"])


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e200, 1e307])
def test_very_long_and_very_short_vectors_have_their_direction(factor):
    found = vectors(lambda _texts: np.array([[3.0, -4.0], [0.0, 0.0]]) * factor, ["fog", "sea"])
    assert np.allclose(found, [[0.6, -0.8], [0.0, 0.0]], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64, np.longdouble])
def test_real_numbers_of_all_widths_are_read(dtype):
    found = vectors(lambda _texts: np.array([[3, 4]], dtype), ["fog"])
    assert np.array_equal(found, [[0.6, 0.8]])


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
    loaded_encoder.cache_clear()
    with pytest.raises(SettingsError, match=r"wordllama is not installed: pip install '\.\[semantic\]'"):
        encoder(WORDLLAMA)


@pytest.mark.skipif(importlib.util.find_spec("wordllama") is None, reason="the extra semantic is not installed")
def test_static_word_vectors_put_similar_texts_together_and_do_not_depend_on_the_batch():
    loaded_encoder.cache_clear()
    texts = ["the ship sank in the storm", "a vessel was lost in bad weather", "prices of butter and cheese"]
    found = encoder(WORDLLAMA).unit_vectors(texts, lambda: None)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.1
    for text, vector in zip(texts, found, strict=True):
        assert np.array_equal(encoder(WORDLLAMA).unit_vectors([text], lambda: None)[0], vector)


@pytest.mark.parametrize("wrong", ["bert", "a:b:c", ":f", "a:", "a b:c", 3, True, "a.:b"])
def test_names_of_encoders_are_checked_when_they_are_set(wrong):
    with pytest.raises(
        SettingsError, match=r"semantic = .*expected none, wordllama, endpoint:MODEL, or a function of yours"
    ):
        Settings.from_options(semantic=wrong)


def test_a_function_is_set_by_itself_or_by_its_name():
    by_function = Settings.from_options(semantic=toy_encoder.encode)
    assert by_function == Settings.from_options(semantic=f"{TOY}:encode")
    assert Settings.from_options(by_function, semantic="none").semantic is None
