"""Every setting: what it may be, what is refused, and in what words."""

from __future__ import annotations

import math
import re

import pytest

from engine.errors import SettingsError
from engine.settings import Settings, default_settings, read_settings
from engine.settings.catalogue import SEARCH
from engine.settings.kinds.value_types import Choice
from engine.settings.tasks import NAMED, TASKS, named_settings, task_settings
from engine.similarity.parameters import check_parameter
from engine.similarity.presets import PRESETS
from tests.reference.heuristics import NAMES

CHOICES = {name: kind.names for name, kind in SEARCH.items() if isinstance(kind, Choice)}

LEGAL = {
    **CHOICES,
    "similarity": ("pcosine", "okapi", "dirichlet"),
    "heuristic": NAMES,
    "max_articles": (1, 500, "20"),
    "max_answers": (1, 1500, "20"),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in LEGAL.items() for value in values])
def test_legal_values(name, value):
    settings = Settings.from_options(**{name: value})

    assert str(getattr(settings, name)) == str(value)


@pytest.mark.parametrize("name", ["max_matches", "max_per_article"])
def test_counts_that_may_be_all(name):
    assert getattr(Settings.from_options(**{name: "3"}), name) == 3
    assert getattr(Settings.from_options(**{name: "all"}), name) is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("approach", "hybird", "approach = 'hybird': did you mean 'hybrid'? expected one of hybrid, fulltext, native."),
        ("operator", "xor", "operator = 'xor': did you mean 'or'? expected one of or, and."),
        ("overlap", "drop", "overlap = 'drop': expected one of keep, remove."),
        (
            "similarity",
            "bm",
            "similarity = 'bm': did you mean 'bm25'? expected one of bm25, pcosine, okapi, dirichlet.",
        ),
        ("max_answers", 0, "max_answers = '0': expected a whole number from 1 to 1,000,000,000."),
        ("max_answers", "all", "max_answers = 'all': expected a whole number from 1 to 1,000,000,000."),
        ("max_answers", math.inf, "max_answers = 'inf': expected a whole number from 1 to 1,000,000,000."),
        ("max_answers", True, "max_answers = 'True': expected a whole number from 1 to 1,000,000,000."),
        ("max_answers", 1.5, "max_answers = '1.5': expected a whole number from 1 to 1,000,000,000."),
        ("max_answers", "many", "max_answers = 'many': expected a whole number from 1 to 1,000,000,000."),
        ("max_matches", -1, "max_matches = '-1': expected a whole number from 1 to 1,000,000,000, or all."),
        ("max_per_article", [3], "max_per_article = [3]: expected a whole number from 1 to 1,000,000,000, or all."),
        ("s", 1.2, "s = '1.2': expected a number from 0 to 1."),
        ("b", -0.1, "b = '-0.1': expected a number from 0 to 1."),
        ("b", True, "b = 'True': expected a number from 0 to 1."),
        ("k1", math.nan, "k1 = 'nan': expected a number from 0 to"),
        ("k1", math.inf, "k1 = 'inf': expected a number from 0 to"),
        ("k1", "much", "k1 = 'much': expected a number from 0 to"),
        ("k3", -1, "k3 = '-1': expected a number from 0 to inf."),
        ("mu", 0, "mu = '0': expected a number from 1e-09 to"),
        ("mu", math.inf, "mu = 'inf': expected a number from 1e-09 to"),
        ("weight_bits", 53, "weight_bits = '53': expected a number from 0 to 52."),
        ("weight_bits", 7.9, "weight_bits = '7.9': expected a number from 0 to 52."),
        (
            "weight_bits",
            1,
            "weight_bits = '1': a mantissa of one bit represents nothing: expected 0 (exact), or 2 to 52.",
        ),
        ("length", "chars", "length = 'chars': expected one of weight, tokens."),
        ("background", "web", "background = 'web': expected one of collection, documents."),
        ("query_norm", "yes", "query_norm = 'yes': expected true or false."),
        ("preset", "best", "preset = 'best': expected one of default, thesis-tuned."),
        ("heuristik", "TPF", "setting 'heuristik' is unknown: did you mean 'heuristic'?"),
        ("not_in", "//p", "setting 'not_in' is unknown: use outside."),
        ("in_", "//p", "setting 'in_' is unknown: use inside."),
        ("parameters", {"k2": 1}, "'k2' is not a parameter of a similarity: known are s, length, query_norm"),
        ("parameters", 5, "parameters = '5': expected names and values"),
    ],
)
def test_what_is_not_legal_is_refused_in_plain_words(name, value, message):
    message = message.replace("known are s, length, query_norm", "known are s, length, weight_bits, query_norm")
    with pytest.raises(SettingsError, match="^" + re.escape(message)):
        Settings.from_options(**{name: value})


@pytest.mark.parametrize("heuristic", ["mpe", "MPM", "T", "", "TFP"])
def test_heuristics_that_do_not_exist(heuristic):
    with pytest.raises(SettingsError, match=f"^heuristic = '{heuristic}': .*expected one of MPB, "):
        Settings.from_options(heuristic=heuristic)


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("s", "0.25", 0.25),
        ("b", 0, 0.0),
        ("k1", "1.95", 1.95),
        ("k3", "inf", math.inf),
        ("mu", 14200, 14200.0),
        ("weight_bits", "7", 7),
        ("weight_bits", 0, 0),
        ("length", "tokens", "tokens"),
        ("query_norm", "True", True),
        ("query_norm", False, False),
        ("background", "documents", "documents"),
    ],
)
def test_parameters_are_kept_in_their_type(name, given, kept):
    owner = next(each for each, entry in PRESETS.items() if name in entry.defaults)
    value = Settings.from_options(similarity=owner, **{name: given}).to_dict()[name]

    parsed = check_parameter(name, given)

    assert (value, type(value)) == (kept, type(kept))
    assert (parsed, type(parsed)) == (kept, type(kept))  # defaults are not stored, so the value above may be one


@pytest.mark.parametrize("name", ["max_matches", "max_per_article", "max_words", "word_budget"])
def test_none_is_no_bound(name):
    bounded = Settings.from_options(**{name: 3})

    assert getattr(bounded, name) is not None
    assert getattr(Settings.from_options(bounded, **{name: None}), name) is None


@pytest.mark.parametrize("name", ["max_answers", "min_words", "heuristic", "passages", "k1"])
def test_none_is_refused_where_there_is_always_a_value(name):
    with pytest.raises(SettingsError, match=f"^{name} = None: expected "):
        Settings.from_options(**{name: None})


def test_settings_lie_on_top_of_a_base():
    base = Settings.from_options(similarity="okapi", max_articles=20, k1=2)
    settings = Settings.from_options(base, max_answers=7, b=0.5)

    assert (settings.similarity, settings.max_articles, settings.max_answers) == ("okapi", 20, 7)
    assert settings.parameters == {"k1": 2.0, "b": 0.5}
    assert base.max_answers == default_settings().max_answers


def test_a_preset_replaces_parameters_and_what_is_given_beside_it_stays():
    base = Settings.from_options(similarity="okapi", k3=7)

    assert Settings.from_options(base, preset="thesis-tuned").parameters == {"k1": 1.95, "b": 0.35}
    assert Settings.from_options(base, preset="thesis-tuned", b=0.5).parameters == {"k1": 1.95, "b": 0.5}
    assert Settings.from_options(base, preset="default").parameters == {}
    assert Settings.from_options(similarity="dirichlet", preset="thesis-tuned").parameters == {"mu": 14200.0}


def test_matching_elements_come_in_document_order_unless_a_heuristic_is_named():
    assert Settings.from_options(answers="matching").heuristic == "document"
    assert Settings.from_options(answers="matching", heuristic="TPF").heuristic == "TPF"
    matching = Settings.from_options(answers="matching")
    assert Settings.from_options(matching, answers="nCRE").heuristic == "MpE"


def test_another_approach_does_not_change_the_heuristic():
    base = Settings.from_options(answers="oCRE", heuristic="document")

    assert Settings.from_options(base, approach="native").heuristic == "document"


def test_a_settings_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'similarity = "okapi"\npreset = "thesis-tuned"\nb = 0.5\nmax_per_article = "all"\nmax_answers = 10\n', "utf-8"
    )

    settings = read_settings(file, Settings.from_options(max_per_article=3))

    assert (settings.similarity, settings.max_per_article, settings.max_answers) == ("okapi", None, 10)
    assert settings.parameters == {"k1": 1.95, "b": 0.5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"max_answers: 10", "not a settings file (not TOML: Expected '='"),
        (b"\xff", "not a settings file (byte 0xff in line 1 is not UTF-8)"),
        (b"max_answers = 0", "max_answers = '0': expected a whole number from 1 to 1,000,000,000."),
        (b"max_answers = inf", "max_answers = 'inf': expected a whole number from 1 to 1,000,000,000."),
        (b"[search]\nmax_answers = 10", "setting 'search' is unknown: "),
        (b"parameters = 5", "parameters = '5': expected names and values"),
    ],
)
def test_a_settings_file_that_cannot_be_used_is_named(tmp_path, content, message):
    file = tmp_path / "mine.toml"
    file.write_bytes(content)

    with pytest.raises(SettingsError, match="^" + re.escape(f"{file}: {message}")):
        read_settings(file)


def test_a_settings_file_that_is_not_there(tmp_path):
    with pytest.raises(SettingsError, match=r"mine\.toml: not a settings file \(there is no such file\): write lines"):
        read_settings(tmp_path / "mine.toml")


def test_describe_names_everything_a_run_depends_on():
    described = Settings.from_options(
        approach="hybrid", similarity="okapi", b=0.5, max_matches="all", max_per_article=3, heuristic="TPF"
    ).describe()

    assert all(isinstance(value, str) for value in described.values())
    expected = {"approach": "hybrid", "similarity": "okapi", "k1": "1.2", "b": "0.5", "k3": "inf"}
    expected |= {"max_matches": "all", "max_per_article": "3", "heuristic": "TPF"}
    assert described.items() >= expected.items()
    assert set(CHOICES) | {"max_articles", "max_answers"} <= set(described)
    assert not {"parameters", "mu", "s"} & set(described)


def test_describe_writes_truth_as_toml_does():
    assert Settings.from_options(similarity="pcosine", query_norm=True).describe()["query_norm"] == "true"


def test_what_is_described_can_be_given_again():
    settings = Settings.from_options(similarity="dirichlet", mu=100, max_per_article=2, answers="nCRE", heuristic="PTF")
    again = Settings.from_options(**settings.describe())

    assert again.describe() == settings.describe()


ROWS_36 = """Zettair eXist e-oCRE-MpE Hybrid H-oCRE-MpE H-oCRE-MpE-NO H-oCRE-PME H-oCRE-PME-NO eXist-SS e-SS-oCRE-MpE
Hybrid-SS H-SS-oCRE-MpE H-VV-oCRE-MpE H-VV-oCRE-PME H-VS-oCRE-MpE H-VS-oCRE-PME"""
ROWS_63 = """nCRE-CO-PTF nCRE-+S-PTF nCRE-CO-TPF nCRE-+S-TPF oCRE-CO-PTF oCRE-+S-PTF
nCRE-CO-PTF-NO nCRE-+S-PTF-NO nCRE-CO-TPF-NO nCRE-+S-TPF-NO oCRE-CO-PTF-NO oCRE-+S-PTF-NO
Okapi-CO-PTF Okapi-+S-PTF PCosine-CO-PTF PCosine-+S-PTF Dirichlet-CO-PTF Dirichlet-+S-PTF
SS-PTF SS-TPF SV-PTF SV-TPF nCRE-VS-PTF nCRE-VS-TPF nCRE-VV-PTF nCRE-VV-TPF"""
TABLE_36, TABLE_63 = ROWS_36.split(), ROWS_63.split()


def test_every_run_of_the_two_tables_has_its_name():
    assert sorted(NAMED) == sorted(TABLE_36 + TABLE_63)


@pytest.mark.parametrize("name", TABLE_36 + TABLE_63)
def test_a_named_run_says_every_setting_and_takes_1500_matches(name):
    other = Settings.from_options(
        approach="native",
        similarity="okapi",
        k1=0.5,
        operator="and",
        heuristic="PMB",
        max_per_article=2,
        max_answers=7,
        max_articles=3,
    )

    settings = Settings.from_options(other, **named_settings(name))

    assert settings == Settings.from_options(**named_settings(name))
    assert settings.max_matches == 1500


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # columns of the tables: type or reading, approach, answer elements, heuristic, overlap allowed
        ("Zettair", ("auto", "fulltext", None, None, "remove")),
        ("eXist", ("CO", "native", "matching", "document", "remove")),
        ("Hybrid", ("CO", "hybrid", "matching", "document", "remove")),
        ("e-oCRE-MpE", ("CO", "native", "oCRE", "MpE", "keep")),
        ("H-oCRE-PME-NO", ("CO", "hybrid", "oCRE", "PME", "remove")),
        ("eXist-SS", ("SS", "native", "target", "document", "keep")),
        ("e-SS-oCRE-MpE", ("SS", "native", "target", "MpE", "keep")),
        ("H-VS-oCRE-PME", ("VS", "hybrid", "oCRE", "PME", "keep")),
        ("nCRE-+S-TPF-NO", ("SS", "hybrid", "nCRE", "TPF", "remove")),
        ("oCRE-CO-PTF", ("CO", "hybrid", "oCRE", "PTF", "keep")),
        ("SV-TPF", ("SV", "hybrid", "target", "TPF", "keep")),
        ("nCRE-VV-PTF", ("VV", "hybrid", "nCRE", "PTF", "keep")),
    ],
)
def test_named_runs_are_those_of_the_tables(name, expected):
    settings = Settings.from_options(**named_settings(name))
    found = (settings.reading, settings.approach, settings.answers, settings.heuristic, settings.overlap)

    assert [value for value, wanted in zip(found, expected, strict=True) if wanted is not None] == [
        wanted for wanted in expected if wanted is not None
    ]


def test_table_63_runs_with_the_tuned_parameters_and_table_36_with_the_defaults():
    assert Settings.from_options(**named_settings("Okapi-+S-PTF")).parameters == {"k1": 1.95, "b": 0.35}
    assert Settings.from_options(**named_settings("Dirichlet-CO-PTF")).parameters == {"mu": 14200.0}
    tuned = Settings.from_options(similarity="okapi", preset="thesis-tuned")
    assert Settings.from_options(tuned, **named_settings("H-oCRE-MpE")).parameters == {}


def test_other_settings_override_a_named_run():
    assert Settings.from_options(**{**named_settings("H-oCRE-MpE"), "heuristic": "TPF"}).heuristic == "TPF"


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_legal_settings(name):
    options = task_settings(name)

    assert Settings.from_options(**options).overlap == options["overlap"]


def test_tasks_differ_in_reading_and_overlap():
    found = {name: (options.get("reading"), options["overlap"]) for name, options in TASKS.items()}

    assert found == {
        "CO.Thorough": ("CO", "keep"),
        "CO.Focussed": ("CO", "remove"),
        "CO.FetchBrowse": ("CO", "keep"),
        "COS.Thorough": ("SS", "keep"),
        "COS.Focussed": ("SS", "remove"),
        "COS.FetchBrowse": ("SS", "keep"),
        "SSCAS": ("SS", "keep"),
        "SVCAS": ("SV", "keep"),
        "VSCAS": ("VS", "keep"),
        "VVCAS": ("VV", "keep"),
        "SCAS": ("SS", "keep"),
        "VCAS": ("VV", "keep"),
        "RelevantInContext": (None, "remove"),
        "BestInContext": (None, "remove"),
    }


def test_an_unknown_name_is_met_with_the_nearest():
    with pytest.raises(SettingsError, match=r"task 'co\.focused' is unknown: did you mean 'CO\.Focussed'\?"):
        task_settings("co.focused")
    with pytest.raises(SettingsError, match="named run 'h-ocre-mpe-no' is unknown: did you mean 'H-oCRE-MpE-NO'"):
        named_settings("h-ocre-mpe-no")
