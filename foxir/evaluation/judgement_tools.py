"""Work on assessments and runs beside scoring: expansion, checks, agreement, pools, ideal runs, conversion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from engine.errors import AssessmentError
from engine.notices import Notice
from eval import Assessments
from eval.conversion import Conversion, TargetFormat
from eval.conversion import convert as convert_file
from eval.judgements.agreement import AssessorAgreement
from eval.judgements.agreement import agreement as agreement_of
from eval.judgements.collection_check import CollectionCheck, check_against_collection
from eval.judgements.element_expansion import expand, write_fol, write_xml
from eval.judgements.judgements import NOT_JUDGED
from eval.judgements.pool import Pool
from eval.judgements.pool import pool as pool_runs
from eval.judgements.relevance_tables.relevance import By, RelevanceTables, relevance
from eval.simulation import MAX_ANSWERS, SimulatedKind, simulated_run
from eval.text.element_locator import ElementLocator
from foxir import arguments
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput, IndexInput, RunsInput

if TYPE_CHECKING:
    from engine.runs import Run

AssessmentFormat = Literal["inex", "fol"]


def expand_assessments(
    assessments: AssessmentsInput, index: IndexInput, *, exhaustivity: int | None = 1
) -> Assessments:
    """Return the assessments with every element that meets a highlighted passage as a judged element.

    >>> expand_assessments("qrels.txt", "sample.foxir").topics["1"]   # doctest: +SKIP
    Judgements('1', documents=15, elements=115, passages=14)

    Elements have their size and their highlighted characters. Documents that are not in the index are skipped; the
    notices of the result name them.

    Args:
        index: the index of the judged collection.
        exhaustivity: the grade, 1 or 2, of elements that no assessor graded; None leaves them without, so that they
            score as the passages do.

    Raises: AssessmentError for assessments without passages, and where none of their documents is in the index.
    """
    locator, judged = _required(index), inputs.assessments_of(assessments)
    grade = NOT_JUDGED if exhaustivity is None else arguments.count("exhaustivity", exhaustivity, highest=2)
    found = expand(judged, locator, exhaustivity=grade)
    if not any(len(judgements.documents) for judgements in found.assessments.topics.values()):
        raise AssessmentError(f"{judged.source}: none of its documents is in the index.")
    skipped = [
        Notice("skipped_document", {"topic": topic, "document": document}, "exclusion")
        for topic, document in found.skipped
    ]
    return replace(found.assessments, notices=(*found.assessments.notices, *skipped))


def write_assessments(
    assessments: AssessmentsInput,
    path: arguments.PathLike,
    format: AssessmentFormat = "inex",
    *,
    index: IndexInput | None = None,
) -> list[Path]:
    """Write assessments and return the files; each appears whole or not at all.

    Args:
        path: "inex": a folder, which gets a file for each topic (INEX 2005 XML); "fol": a file of passages by offset.
        index: the index of the judged collection, which "fol" needs where passages have no offsets.

    Raises: AssessmentError if the format cannot represent the assessments, and for a path that cannot be written.
    """
    judged, target = inputs.assessments_of(assessments), arguments.path("path", path)
    locator = inputs.locator_of(index)
    if arguments.choice("format", format, get_args(AssessmentFormat)) == "fol":
        return [write_fol(judged, target, locator)]
    return write_xml(judged, target)


def check_assessments(assessments: AssessmentsInput, index: IndexInput) -> CollectionCheck:
    """Return where assessments and the judged collection differ: documents, sizes, offsets, pointers.

    Raises: AssessmentError, IndexFormatError.
    """
    return check_against_collection(inputs.assessments_of(assessments), _required(index))


def assessment_statistics(
    assessments: AssessmentsInput,
    *,
    by: By | Sequence[By] | None = None,
    mapping: str | None = None,
    index: IndexInput | None = None,
) -> RelevanceTables:
    """Return how relevant elements are distributed over grades, element names, exhaustivity and overlap.

    Args:
        by: "grade", "name", "exhaustivity", "overlap", or several of these; all if None.
        mapping: "M1" ... "M20", from the grades of 2002-2004 to the relevance scale.
        index: the index of the judged collection, for assessments that are passages alone.

    Raises: AssessmentError; MeasureError for what the assessments do not tell.
    """
    names = arguments.optional(arguments.texts, "by", by)
    chosen = None if names is None else [arguments.choice("by", name, get_args(By)) for name in names]
    return relevance(
        inputs.assessments_of(assessments),
        by=chosen,
        mapping=arguments.optional(arguments.text, "mapping", mapping),
        locator=inputs.locator_of(index),
    )


def agreement(
    first: AssessmentsInput, second: AssessmentsInput, *, index: IndexInput | None = None
) -> AssessorAgreement:
    """Return the agreement of two sets of assessments on their common topics: documents, elements, characters, grades.

    Args:
        index: the index of the judged collection, for assessments that are passages alone, or have pointers.

    Raises: AssessmentError, also where they have no topic in common.
    """
    one, other = inputs.assessments_of(first), inputs.assessments_of(second)
    return agreement_of(one, other, locator=inputs.locator_of(index))


def pool(runs: RunsInput, depth: int) -> Pool:
    """Return the union of the first `depth` results of each run, for each topic, to be judged.

    >>> pool(["a.xml", "b.xml"], depth=100).write("pool.xml")   # doctest: +SKIP
    PosixPath('pool.xml')

    Raises: RunFormatError, ArgumentError; MeasureError for no run.
    """
    return pool_runs(inputs.runs_of(runs), depth=arguments.count("depth", depth))


def ideal_run(
    assessments: AssessmentsInput,
    kind: SimulatedKind = "fullrb",
    *,
    max_answers: int = MAX_ANSWERS,
    run_id: str | None = None,
    index: IndexInput | None = None,
) -> Run:
    """Return the run of a system that returns exactly the relevant results of one kind, best first by F.

    Args:
        kind: "passage": highlighted passages; "bep": best entry points; "fullrb": all relevant elements; "ea", "pa",
            "ba", "na": exactly, partially, broadly or narrowly relevant elements.
        max_answers: results of a topic.
        run_id: id of the run; the kind's name if None.
        index: the index of the judged collection, for assessments that are passages alone.

    Raises: AssessmentError; MeasureError where the assessments have nothing of the kind.
    """
    return simulated_run(
        inputs.assessments_of(assessments),
        arguments.choice("kind", kind, get_args(SimulatedKind)),
        max_answers=arguments.count("max_answers", max_answers),
        locator=inputs.locator_of(index),
        run_id=arguments.optional(arguments.text, "run_id", run_id),
    )


def convert(
    source: arguments.PathLike, target: arguments.PathLike, format: TargetFormat, *, index: IndexInput | None = None
) -> Conversion:
    """Write a run or assessments, whichever a file contains, in another format, and return what was written.

    Args:
        format: "inex", "fol" or "trec"; assessments in "inex" go into a folder, a file for each topic.
        index: the index of the collection, to turn paths into offsets and back.

    Raises: RunFormatError, AssessmentError; MeasureError where an index is needed.
    """
    return convert_file(
        arguments.path("source", source),
        format=arguments.choice("format", format, get_args(TargetFormat)),
        out=arguments.path("target", target),
        locator=inputs.locator_of(index),
    )


def _required(index: object) -> ElementLocator:
    """Return the locator of an index that must be given."""
    locator = inputs.locator_of(index)
    if locator is None:
        raise arguments.refuse_type("index", index, "an Index, or its folder")
    return locator
