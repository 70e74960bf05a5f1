from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.settings import Settings
from engine.settings.tasks import NAMED, TASKS, named_settings, task_settings

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
