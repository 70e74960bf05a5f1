"""How does a program search XML for the right-sized elements, and score runs?

>>> import foxir
>>> with foxir.open_index("wiki.foxir") as index:                    # doctest: +SKIP
...     answers = index.search("jedi force", max_answers=10)
>>> answers[0].path                                                   # doctest: +SKIP
'/article[1]/sec[2]/p[1]'
>>> foxir.score("qrels.txt", ["a.xml", "b.xml"]).value("AP", run="a")   # doctest: +SKIP
0.4208

Every error that a wrong value or file causes is a FoxirError; a wrong type is a TypeError. Names are imported when they
are first used. docs/python.md shows what they do together.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.collection.ingest_report import IngestReport
    from engine.errors import (
        ArgumentError,
        AssessmentError,
        ClosedIndexError,
        ClusterError,
        CollectionError,
        FoxirError,
        FunctionError,
        IndexFormatError,
        IndexLockedError,
        MeasureError,
        MissingHostError,
        ProfileError,
        QueryError,
        QueryLimitError,
        QueryTimeError,
        RunFormatError,
        SettingsError,
        StorageError,
        TopicError,
        WordBudgetError,
    )
    from engine.presentation.snippets import Snippet
    from engine.ranking.expressions.own_scores import ScoringColumns
    from engine.ranking.parts.own import PartColumns
    from engine.runs import Ranking, Run
    from engine.settings import Length, Settings, TagSelector
    from engine.topics import Topic, TopicFile
    from eval.judgements.judgements import Assessments
    from eval.scoring.score_table import ScoreRow, ScoreTable
    from eval.statistics.measure_correlation import Correlations
    from eval.statistics.reliability import Reliability
    from eval.statistics.run_comparison import RunComparison
    from eval.tuning.learn import Learning
    from eval.tuning.tuning_result import Tuning
    from foxir.building import build_index, compact_index
    from foxir.chunks.evaluation import evaluate_chunks
    from foxir.evaluation.judgement_tools import (
        agreement,
        assessment_statistics,
        check_assessments,
        convert,
        expand_assessments,
        ideal_run,
        pool,
        write_assessments,
    )
    from foxir.evaluation.output import latex, markdown, plot, report
    from foxir.evaluation.quotes import Quote, QuotedJudgements, judge_quotes, quotes_of, read_quotes, write_quotes
    from foxir.evaluation.scoring import compare, correlate, reliability, score
    from foxir.files import read_assessments, read_run, read_settings, read_topics, write_run, write_settings
    from foxir.results.answers import Answer, Answers
    from foxir.results.elements import Element
    from foxir.searching import exporting as exporting
    from foxir.searching.opened_index import Index, open_index
    from foxir.searching.search_settings import make_settings, named_runs, tasks
    from foxir.tuning.tuning import learn, tune

    __version__: str

__all__ = ["__version__"]
__all__ += ["Answer", "Answers", "Element", "Index", "IngestReport", "Length", "Settings", "Snippet", "TagSelector"]
__all__ += ["PartColumns", "ScoringColumns"]
__all__ += ["build_index", "compact_index", "make_settings", "named_runs", "open_index", "tasks"]
__all__ += ["Assessments", "Ranking", "Run", "Topic", "TopicFile", "read_assessments", "read_run", "read_settings"]
__all__ += ["read_topics"]
__all__ += ["write_assessments", "write_run", "write_settings"]
__all__ += ["Correlations", "Learning", "Reliability", "RunComparison", "ScoreRow", "ScoreTable", "Tuning"]
__all__ += ["compare", "correlate", "evaluate_chunks", "latex", "learn", "markdown", "plot", "reliability", "report"]
__all__ += ["score", "tune"]
__all__ += ["agreement", "assessment_statistics", "check_assessments", "convert", "expand_assessments", "ideal_run"]
__all__ += ["Quote", "QuotedJudgements", "judge_quotes", "pool", "quotes_of", "read_quotes", "write_quotes"]
__all__ += ["ArgumentError", "AssessmentError", "ClosedIndexError", "ClusterError", "CollectionError", "FoxirError"]
__all__ += ["FunctionError", "IndexFormatError"]
__all__ += ["IndexLockedError", "MeasureError", "MissingHostError", "ProfileError", "QueryError", "QueryLimitError"]
__all__ += ["QueryTimeError", "RunFormatError", "SettingsError", "StorageError", "TopicError", "WordBudgetError"]

# Module -> the public names in it.
_MODULES = {
    "engine.errors": (
        "ArgumentError AssessmentError ClosedIndexError ClusterError CollectionError FoxirError FunctionError "
        "IndexFormatError IndexLockedError MeasureError MissingHostError ProfileError QueryError QueryLimitError "
        "QueryTimeError RunFormatError SettingsError StorageError TopicError WordBudgetError"
    ),
    "engine.collection.ingest_report": "IngestReport",
    "engine.runs": "Ranking Run",
    "engine.settings": "Length Settings TagSelector",
    "engine.topics": "Topic TopicFile",
    "eval.judgements.judgements": "Assessments",
    "eval.scoring.score_table": "ScoreRow ScoreTable",
    "eval.statistics.measure_correlation": "Correlations",
    "eval.statistics.reliability": "Reliability",
    "eval.statistics.run_comparison": "RunComparison",
    "eval.tuning.learn": "Learning",
    "eval.tuning.tuning_result": "Tuning",
    "engine.presentation.snippets": "Snippet",
    "engine.ranking.expressions.own_scores": "ScoringColumns",
    "engine.ranking.parts.own": "PartColumns",
    "foxir.results.answers": "Answer Answers",
    "foxir.building": "build_index compact_index",
    "foxir.chunks.evaluation": "evaluate_chunks",
    "foxir.results.elements": "Element",
    "foxir.files": "read_assessments read_run read_settings read_topics write_run write_settings",
    "foxir.searching.opened_index": "Index open_index",
    "foxir.evaluation.judgement_tools": (
        "agreement assessment_statistics check_assessments convert expand_assessments ideal_run pool write_assessments"
    ),
    "foxir.evaluation.output": "latex markdown plot report",
    "foxir.searching.search_settings": "make_settings named_runs tasks",
    "foxir.evaluation.quotes": "Quote QuotedJudgements judge_quotes quotes_of read_quotes write_quotes",
    "foxir.evaluation.scoring": "compare correlate reliability score",
    "foxir.tuning.tuning": "learn tune",
}
if not "engine.errors".startswith("foxir."):  # as in a checkout; where foxir is installed, it says foxir.engine.errors
    from foxir.checkout import install_names

    install_names()

_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


if not TYPE_CHECKING:  # a type checker would take every name for an attribute

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used."""
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415  (slow to import)

            value: Any = version("foxir")
        elif name == "exporting":
            value = import_module("foxir.searching.exporting")
        elif name in _HOMES:
            try:
                import_module("foxir.messages")
                value = getattr(import_module(_HOMES[name]), name)
            except ModuleNotFoundError as error:
                from foxir.hidden_packages import why_hidden  # noqa: PLC0415  (only for the message)

                if reason := why_hidden(error):
                    raise ImportError(reason) from None
                raise
        else:
            from foxir.foreign_names import no_attribute  # noqa: PLC0415  (only for the message)

            raise no_attribute("module 'foxir'", name, "functions")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
