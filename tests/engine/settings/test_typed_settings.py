"""Settings as values: text and typed values give the same, text round-trips, and former names are refused."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.fields.conditions import Where
from engine.settings import Length, SettingOptions, Settings, TagSelector, default_settings
from engine.settings.catalogue import FORMER, KINDS
from engine.settings.given import REMOVED, RENAMED
from engine.settings.kinds.value_types import (
    AnswersKind,
    Choice,
    Count,
    DocumentsKind,
    EncoderKind,
    Flag,
    FunctionKind,
    LengthKind,
    MemorySizeKind,
    NamesKind,
    Number,
    PartsKind,
    SortKind,
    TagsKind,
    UnitKind,
    WhereKind,
)
from engine.settings.kinds.values import PartWeights
from engine.settings.resolution import check_lengths
from engine.similarity.parameters import PARAMETERS
from tests.trust.soak import effort

lengths = st.one_of(
    st.integers(0, 10**9).map(Length),
    st.builds(
        partial(Length, relative=True),
        st.floats(0, 1e6, allow_nan=False, allow_subnormal=False),
        most=st.none() | st.integers(0, 10**9 - 1),
    ),
)
names = st.from_regex(r"[A-Za-z_][\w.:-]{0,8}", fullmatch=True)
selectors = st.lists(names, min_size=1, max_size=3).map(lambda found: TagSelector(tuple(found)))


ids = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=9)
EXAMPLES = {
    DocumentsKind: ids.filter(lambda text: text != "all") | st.lists(ids, unique=True, max_size=3).map(tuple),
    NamesKind: st.sampled_from([("year",), ("year", "author")]),
    SortKind: st.sampled_from(["year", "-date"]),
    WhereKind: st.sampled_from(["year >= 2019", 'author:"a b" or not (x = 1)']).map(Where.parse),
    EncoderKind: st.sampled_from(["wordllama", "encoders:encode", "my.encoders:by_letters"]),
    FunctionKind: st.sampled_from(["rerank:score", "my.pairs:by_letters"]),
    UnitKind: st.sampled_from(["element", "sentence", "auto", 0.5, 1.0]),
    PartsKind: st.sampled_from(["early", "mine:early^0.5", "b:deep, a.b:early^2"]).map(PartWeights.parse),
}


def values_of(kind):
    match kind:
        case AnswersKind(choices):
            values = st.one_of(st.sampled_from(choices), selectors)
        case Choice(choices):
            values = st.sampled_from(choices)
        case Flag():
            values = st.booleans()
        case MemorySizeKind(lowest):
            values = st.one_of(st.integers(lowest, 2**50), st.integers(1, 4096).map(lambda size: size * 2**20))
        case Count(lowest, highest):
            values = st.integers(lowest, highest)
        case Number(lowest, highest):
            values = st.floats(lowest, highest)
        case LengthKind():
            values = lengths
        case TagsKind():
            values = selectors
        case WhereKind() | FunctionKind() | PartsKind() | DocumentsKind() | NamesKind() | SortKind() | UnitKind():
            values = EXAMPLES[type(kind)]
        case _:
            values = st.sampled_from(
                ["bm25", "okapi"] if kind is KINDS["similarity"] else ["adaptive", "text-blocks", "gpx"]
            )
    return values if kind.absent is None else st.one_of(values, st.none())


settings = st.fixed_dictionaries({}, optional={name: values_of(kind) for name, kind in KINDS.items()})


@given(lengths)
def test_a_length_round_trips_through_its_text(length):
    assert Length.parse(str(length)) == length


@given(selectors)
def test_a_tag_selector_round_trips_through_its_text(selector):
    assert TagSelector.parse(str(selector)) == selector


@pytest.mark.parametrize("name", KINDS)
@hypothesis_settings(max_examples=effort(2, 1000, thorough=100))  # of each setting
@given(st.data())
def test_a_value_round_trips_through_its_plain_form_and_its_text(name, data):
    kind = KINDS[name]
    value = data.draw(values_of(kind))
    plain = kind.plain(value)

    assert isinstance(plain, str | int | float | bool)
    for written in (value, plain, str(plain), str(plain).lower() if isinstance(plain, bool) else plain):
        parsed = kind.parse(name, written)
        assert (parsed, type(parsed)) == (value, type(value))


@given(settings)
def test_settings_are_values(options):
    one, other = Settings.from_options(**options), Settings.from_options(**options)

    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert "\n" not in repr(one)


@given(settings)
def test_the_repr_of_settings_gives_them_again(options):
    made = Settings.from_options(**options)
    given_again = eval(repr(made), {"Settings": Settings.from_options, "inf": float("inf")})
    unset = {"heuristic": made.heuristic, "rank_by": made.rank_by}  # which other options imply

    assert Settings.from_options(given_again, **unset) == made


@given(settings, settings)
def test_all_values_of_settings_make_equal_settings_from_any_base(options, others):
    made = Settings.from_options(**options)

    assert Settings.from_options(**made.all_values()) == made
    assert Settings.from_options(Settings.from_options(**others), **made.all_values()) == made


def test_the_repr_shows_what_differs_from_the_defaults():
    changed = Settings.from_options(max_answers=10, passages=True, min_words="0.5x", k1=0.9, element_b=0.5)

    assert repr(default_settings()) == "Settings()"
    assert repr(changed) == (
        "Settings(max_answers=10, min_words='0.5x', unit='sentence', k1=0.9, element_k1=1.4, element_b=0.5)"
    )


@pytest.mark.parametrize("value", [True, "on", "true", "True"])
def test_a_flag_is_a_bool_or_its_text(value):
    assert Settings.from_options(passages=value).passages is True


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *((40, 40), ("40", 40), ("0.5x", 50), (Length(0.5, relative=True), 50)),
        *(("0.5x up to 10", 10), (" .5x  up to 60 ", 50), (Length(0.5, relative=True, most=0), 0)),
    ],
)
def test_a_length_is_resolved_against_the_block_length(value, words):
    assert Settings.from_options(min_words=value).min_words.resolve(100.0) == words


@pytest.mark.parametrize(
    ("value", "relative", "error"),
    [
        (-1, False, SettingsError),
        (1.5, False, SettingsError),
        (float("nan"), True, SettingsError),
        ("3", False, TypeError),
    ],
)
def test_a_length_is_checked_when_it_is_made(value, relative, error):
    with pytest.raises(error, match="expected a"):
        Length(value, relative=relative)


@pytest.mark.parametrize(("relative", "most"), [(True, -1), (True, 10**400), (False, 9)])
def test_the_limit_of_a_length_is_checked_when_it_is_made(relative, most):
    with pytest.raises(SettingsError, match="expected 0 to 999,999,999, of a relative length"):
        Length(2, relative=relative, most=most)
    with pytest.raises(TypeError, match="expected a whole number"):
        Length(2, relative=True, most=1.5)


@pytest.mark.parametrize("text", ["40 up to 10", "0.5x up to 1.5", "0.5x upto 10", "up to 10", "0.5x up to 10x"])
def test_other_limits_of_lengths_are_refused(text):
    with pytest.raises(SettingsError, match=r"0\.2x up to 10"):
        Settings.from_options(min_words=text)


@pytest.mark.parametrize(
    ("min_words", "max_words", "is_refused"),
    [
        *(("50", "20", True), ("20", "50", False), ("20", "20", False)),
        *(("0.5x", "0.3x", True), ("0.3x", "0.5x", False), ("50", "0.3x", False), ("0.5x", "20", False)),
        # text blocks of 40 words or more: 10 words at least, 12 at most
        *(("0.5x up to 10", "0.3x", False), ("0.5x up to 10", "0.3x up to 10", False)),
        *(("0.5x up to 10", "0.3x up to 9", True), ("0.5x", "0.3x up to 9", True), ("10", "2x up to 9", True)),
    ],
)
def test_lengths_are_refused_where_no_answer_has_both(min_words, max_words, is_refused):
    given = Settings.from_options(min_words=min_words, max_words=max_words)

    if is_refused:
        with pytest.raises(SettingsError, match="no answer has both lengths"):
            given.for_query(is_path=False)
    else:
        assert given.for_query(is_path=False).min_words == Length.parse(min_words)


@given(lengths, lengths, st.floats(1, 1e4))
def test_no_collection_has_both_of_the_lengths_that_are_refused(shortest, longest, block_words):
    try:
        check_lengths(shortest, longest)
    except SettingsError:
        assert shortest.resolve(block_words) >= longest.resolve(block_words)


@pytest.mark.parametrize(("names", "error"), [((), SettingsError), (("a|b",), SettingsError), ("sec", TypeError)])
def test_a_tag_selector_is_checked_when_it_is_made(names, error):
    with pytest.raises(error, match="expected"):
        TagSelector(names)


def test_answers_by_tag_are_a_selector():
    assert Settings.from_options(answers="//(sec|p)").answers == TagSelector(("sec", "p"))


@pytest.mark.parametrize(("former", "present"), RENAMED.items())
def test_a_former_name_is_refused_with_the_present_one(former, present):
    assert present in KINDS
    with pytest.raises(SettingsError, match=f"^setting '{former}' is now called '{present}'"):
        Settings.from_options(**{former: 3})


@pytest.mark.parametrize(("removed", "instead"), REMOVED.items())
def test_a_removed_setting_is_refused_with_what_to_write_instead(removed, instead):
    assert removed not in KINDS
    assert instead is None or instead in KINDS
    advice = "leave it out" if instead is None else f"leave it out, or use {instead}"
    with pytest.raises(SettingsError, match=f"^setting '{removed}' was removed: {advice}.$"):
        Settings.from_options(**{removed: 3})


@pytest.mark.parametrize(
    ("name", "setting"),
    [("limit", "max_answers"), ("budget", "word_budget"), ("rerank", "reranker"), ("encoder", "semantic")],
)
def test_a_name_in_other_programs_is_refused_with_the_setting(name, setting):
    with pytest.raises(SettingsError, match=f"^setting '{name}' is unknown: use {setting}"):
        Settings.from_options(**{name: 3})


def test_a_parameter_that_has_a_former_name_is_still_one():
    blocks = Settings.from_options(similarity="D[CR-AKA-BAA]", block=40)

    assert blocks.parameters == {"block": 40.0}


def test_every_setting_has_a_kind_and_a_keyword():
    known = {each.name for each in fields(Settings)} - {"parameters", "element_parameters"}
    keywords = set(SettingOptions.__annotations__)

    assert known == set(KINDS)
    assert keywords >= {*KINDS, *PARAMETERS, "preset", "parameters"}
    assert {name.removeprefix("element_") for name in keywords - {*KINDS, *FORMER, *PARAMETERS}} <= {
        *PARAMETERS, "preset", "parameters",
    }  # fmt: skip


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError):
        default_settings().max_answers = 3  # type: ignore[misc]
    assert replace(default_settings(), max_answers=3).max_answers == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_words", "0.5x"),
        ("overlap", "removed"),
        ("rank_by", "scor"),
        ("operator", "AND"),
        ("max_answers", 0),
        ("parent_weight", 1.5),
        ("article_weight", float("nan")),
        ("answers", "//p"),
        ("similarity", "okapy"),
    ],
)
def test_a_replaced_value_that_is_not_typed_is_refused_by_name(name, value):
    with pytest.raises(SettingsError, match=name):
        replace(default_settings(), **{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("heuristic", 3),
        ("old_spelling", "on"),
        ("max_answers", None),
        ("max_matches", True),
        ("element_similarity", None),
        ("parameters", {"k1": 1.2}),
        ("element_parameters", None),
    ],
)
def test_a_replaced_value_of_a_wrong_type_is_a_type_error_that_names_it(name, value):
    with pytest.raises(TypeError, match=f"^{name}: expected "):
        replace(default_settings(), **{name: value})


@given(settings)
def test_settings_made_from_their_own_fields_are_equal(options):
    made = Settings.from_options(**options)

    assert Settings(**{each.name: getattr(made, each.name) for each in fields(made)}) == made


def test_settings_without_arguments_are_the_defaults():
    assert Settings() == default_settings()
    assert Settings(max_answers=10) == Settings.from_options(max_answers=10)


def test_a_parameter_equal_to_its_default_makes_equal_settings():
    assert Settings.from_options(similarity="okapi", k3=float("inf")) == Settings.from_options(similarity="okapi")
    for options in ({"k1": 1.2}, {"k1": 1.2, "b": 0.75}):
        explicit = Settings.from_options(**options)

        assert explicit == Settings()
        assert hash(explicit) == hash(Settings())
    assert Settings.from_options(Settings.from_options(k1=2.0), k1=1.2) == Settings()
    assert Settings.from_options(k1=1.3) != Settings()
    assert Settings.from_options(element_k1=1.2).element_parameters == {"b": 0.8}
    assert "element_k1=1.2" in repr(Settings.from_options(element_k1=1.2))


def test_settings_with_another_number_of_answers_equal_those_made_with_it() -> None:
    settings = Settings.from_options(passages=True)

    found = settings.with_max_answers(7)

    assert found == Settings.from_options(passages=True, max_answers=7)
    assert found is settings.with_max_answers(7)
    assert settings.with_max_answers(settings.max_answers) is settings


def test_settings_of_many_numbers_of_answers_are_right_and_not_all_cached() -> None:
    settings = Settings.from_options()

    found = [settings.with_max_answers(number) for number in range(1, 100)]

    assert [each.max_answers for each in found] == list(range(1, 100))
    assert settings.with_max_answers(1) is not found[0]


def test_pickled_settings_have_no_cached_values() -> None:
    settings = Settings.from_options(max_sentences=3)
    size = len(pickle.dumps(settings))
    settings.for_query(is_path=False)
    settings.with_max_answers(5)

    assert len(pickle.dumps(settings)) == size
    assert pickle.loads(pickle.dumps(settings)) == settings
