"""The measures of focused retrieval as measures of ir_measures.

>>> from foxir.adapters.measures import HiXF, HiXAP, iP, AiP, use_index                  # doctest: +SKIP
>>> use_index("demo.foxir")                                                              # doctest: +SKIP
>>> ir_measures.calc_aggregate([HiXF(alpha=1) @ 10, HiXAP, iP @ 0.01, AiP], qrels, run)   # doctest: +SKIP

Importing this module registers the measures, so that `ir_measures.parse_measure("HiXF(alpha=1)@10")` finds them. Qrels
are highlighted passages, `document#offset:length`, as `assessments_frame` of `foxir.adapters.frames` returns them; runs
return passages, elements (`document#path`) or documents. `iP`, `AiP`, `gP`, `gR` and `AgP` are computed from passages
alone; the others, and results by path, need the index of the collection: `use_index`, or a provider of its own,
`FoxirProvider(index).calc_aggregate(measures, qrels, run)`.

Values and means are those of `foxir eval`: a topic without relevance has no value and does not count in the mean; a
judged topic that the run does not answer counts 0.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
from ir_measures import measures as registered
from ir_measures import providers
from ir_measures.util import Metric, QrelsConverter, RunConverter

from engine.errors import MeasureError
from eval.judgements.judgements import UNKNOWN, Assessments
from eval.measures.measure_plan import MeasureOptions
from eval.measures.registry import measure_family
from eval.scoring.batch import score_batch
from eval.scoring.notices import judged_index_notices
from eval.scoring.request import ScoringRequest
from eval.text.element_locator import ElementLocator
from eval.text.offsets import results_without_offsets
from foxir.adapters.frames import ScoredRow, run_of_rows
from foxir.adapters.judged_collection import JudgedRow, assessments_of_rows
from foxir.evaluation import inputs
from foxir.evaluation.inputs import IndexInput

# Name here -> family, measure of the family ({} is the cut-off), kind of the cut-off, its name.
_MEASURES: dict[str, tuple[str, str, type | None, str]] = {
    "HiXP": ("hixeval", "P@{}", int, "cutoff"),
    "HiXR": ("hixeval", "R@{}", int, "cutoff"),
    "HiXF": ("hixeval", "F@{}", int, "cutoff"),
    "HiXAP": ("hixeval", "AP", None, ""),
    "HiXiAP": ("hixeval", "iAP", None, ""),
    "iP": ("focused", "iP[{:.2f}]", float, "recall"),
    "AiP": ("focused", "AiP", None, ""),
    "gP": ("ric", "gP[{}]", int, "cutoff"),
    "gR": ("ric", "gR[{}]", int, "cutoff"),
    "AgP": ("ric", "AgP", None, ""),
    "nxCG": ("xcg", "nxCG@{}", int, "cutoff"),
    "MAep": ("xcg", "MAep", None, ""),
    "iMAep": ("xcg", "iMAep", None, ""),
}
# Another name of a measure: that of the family for its best known measure.
_ALIASES = {"HiXF": ("HiXEval",)}
# Recall levels of iP; there is no value between them.
_RECALL_LEVELS = tuple(level / 100 for level in range(101))


class _DefinedMean(ir_measures.MeanAgg):
    """The mean over the topics with a value; NaN without any."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[float] = []

    def add(self, value: float) -> None:
        if not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        return math.fsum(self.values) / len(self.values) if self.values else math.nan


class FocusedMeasure(ir_measures.Measure):
    """A measure of focused retrieval; its parameters are the options of its family (`foxir measures NAME`)."""

    DEFAULT = math.nan
    FAMILY = ""
    PATTERN = ""

    @property
    def name(self) -> str:
        """Name within its family, such as "F@10"."""
        return self.PATTERN.format(self.params[self.AT_PARAM]) if self.AT_PARAM else self.PATTERN

    @property
    def options(self) -> MeasureOptions:
        """The given options of its family."""
        return {name: value for name, value in self.params.items() if name != self.AT_PARAM}

    def aggregator(self) -> Any:
        """Return an empty mean over the topics with a value."""
        return _DefinedMean()


def _measure(name: str) -> FocusedMeasure:
    """Return a measure without a cut-off, after registering it under its name."""
    family, pattern, kind, at = _MEASURES[name]
    described = {option.name: option for option in measure_family(family).options if option.kind != "whole numbers"}
    parameters = {
        option.name: ir_measures.ParamInfo(dtype=_kinds(option.default), default=option.default, desc=option.doc)
        for option in described.values()
    }
    if kind is not None:
        levels = {"choices": _RECALL_LEVELS} if kind is float else {}
        described_at = f"the {at} of {pattern}{', from 0 to 1 in steps of 0.01' if levels else ''}"
        parameters[at] = ir_measures.ParamInfo(dtype=_kinds(kind()), required=True, desc=described_at, **levels)
    members = {
        "__name__": name,
        "__doc__": f"{pattern} of {family}: {measure_family(family).line}.",
        "NAME": name,
        "AT_PARAM": at,
        "SUPPORTED_PARAMS": parameters,
        "FAMILY": family,
        "PATTERN": pattern,
    }
    measure: FocusedMeasure = type(f"_{name}", (FocusedMeasure,), members)()
    if name not in registered.registry:
        registered.register(measure, aliases=_ALIASES.get(name, ()), name=name)
    return measure


def _kinds(default: object) -> type | tuple[type, ...] | None:
    """Return the types of a parameter, from its default; None for any."""
    if isinstance(default, bool) or default is None:
        return None if default is None else bool
    return (int, float) if isinstance(default, float) else type(default)


class FoxirProvider(providers.Provider):
    """Computes the measures of focused retrieval; with an index, also from ids with paths and without sizes."""

    NAME = "foxir"

    def __init__(self, index: IndexInput | None = None) -> None:
        super().__init__()
        self.locator = inputs.locator_of(index)

    def supports(self, measure: Any) -> bool:
        """Return whether it is a measure of focused retrieval."""
        measure.validate_params()
        return isinstance(measure, FocusedMeasure)

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _FocusedEvaluator:
        judged = assessments_of_rows(_judged_rows(qrels), self.locator)
        if self.locator is None:
            for measure in measures:
                needed = measure_family(measure.FAMILY)
                if {"elements", "sizes"} & set(needed.requires(needed.complete(measure.options))):
                    raise _missing_index(f"{measure} is computed from the elements of the judged documents")
        return _FocusedEvaluator(list(measures), judged, self.locator)


class _FocusedEvaluator(providers.Evaluator):
    def __init__(self, measures: Sequence[FocusedMeasure], judged: Assessments, locator: ElementLocator | None) -> None:
        super().__init__(measures, set(judged.topics))
        self._requests = [
            (measure, ScoringRequest.of(judged, [f"{measure.FAMILY}:{measure.name}"], measure.options, locator=locator))
            for measure in measures
        ]
        for notice in dict.fromkeys(each for _, request in self._requests for each in judged_index_notices(request)):
            warnings.warn(str(notice), stacklevel=2)

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        ranked = run_of_rows(ScoredRow(*row[:3]) for row in RunConverter(run).as_namedtuple_iter())
        for measure, request in self._requests:
            if request.locator is None and any(results_without_offsets(each) for each in ranked.rankings.values()):
                raise _missing_index("the run has results without offsets (document#path, or whole documents)")
            (scores,) = score_batch(request, [ranked], is_all=False, with_notices=False)[0].scores
            for topic, values in scores.items():
                value = values.get(measure.name)
                yield Metric(query_id=topic, measure=measure, value=math.nan if value is None else value)


def use_index(index: IndexInput | None) -> None:
    """Let the measures take elements, offsets and sizes from the index of the collection, open or its folder.

    Raises: IndexFormatError for a folder without an index; TypeError.
    """
    FOXIR.locator = inputs.locator_of(index)


def _missing_index(reason: str) -> MeasureError:
    return MeasureError(f"{reason}: name the index of the collection, foxir.adapters.measures.use_index('demo.foxir').")


def _judged_rows(qrels: Any) -> Iterator[JudgedRow]:
    """Yield qrels of any form with the sizes that they have, in a column or a field."""
    sizes = iter(qrels["size"].tolist()) if hasattr(qrels, "columns") and "size" in qrels.columns else None
    for row in QrelsConverter(qrels).as_namedtuple_iter():
        size = getattr(row, "size", UNKNOWN) if sizes is None else next(sizes)
        yield JudgedRow(row.query_id, row.doc_id, row.relevance, size)


HiXP = _measure("HiXP")
HiXR = _measure("HiXR")
HiXF = HiXEval = _measure("HiXF")
HiXAP = _measure("HiXAP")
HiXiAP = _measure("HiXiAP")
iP = _measure("iP")  # noqa: N816  (the name that the field gave it)
AiP = _measure("AiP")
gP = _measure("gP")  # noqa: N816
gR = _measure("gR")  # noqa: N816
AgP = _measure("AgP")
nxCG = _measure("nxCG")  # noqa: N816
MAep = _measure("MAep")
iMAep = _measure("iMAep")  # noqa: N816

FOXIR = FoxirProvider()
if not any(isinstance(each, FoxirProvider) for each in ir_measures.DefaultPipeline.providers):
    ir_measures.DefaultPipeline.providers.append(FOXIR)
