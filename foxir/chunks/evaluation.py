"""Chunks of documents, cut and retrieved in several ways, scored beside foxir on the same judgements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from engine.answers.topic_run import run_topics
from engine.errors import ArgumentError, TopicError
from engine.notices import Notice, about
from engine.progress import Progress
from engine.runs import Run
from engine.settings import Settings
from engine.text.analyser import Analyser, make_analyser
from engine.text.languages import AUTO, NONE, STEMMERS, Stemmer
from engine.topics import Topic
from eval.judgements.judgements import Assessments
from eval.measures import MeasureOptions
from eval.scoring.request import ScoringRequest
from eval.scoring.score import score_runs
from eval.statistics.significance_tests import SEED, Resampling
from foxir import arguments
from foxir.arguments import PathLike
from foxir.chunks.chunkers import ChunkerInput, check_chunker, cut
from foxir.chunks.collection import Collection
from foxir.chunks.comparison import ChunkComparison, Cut, highlights
from foxir.chunks.ranking import Queries, Retrieval
from foxir.chunks.retrievers import RetrieverInput, check_retriever, fits, named, retrieve
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput
from foxir.searching.opened_index import Index, open_index
from foxir.searching.search_settings import settings_of
from foxir.searching.topic_input import TopicsInput, topics_of

MEASURES = ("hixeval:AP", "hixeval:F@10")
# Overlapping answers earn no credit twice, and queries are words: what chunks can be compared in.
TASK = "CO.Focussed"


def evaluate_chunks(
    index: Index | PathLike,
    topics: TopicsInput,
    assessments: AssessmentsInput,
    chunkers: ChunkerInput | Sequence[ChunkerInput] = "paragraphs",
    retrievers: RetrieverInput | Sequence[RetrieverInput] = "bm25",
    *,
    settings: Settings | None = None,
    measures: Sequence[str] = MEASURES,
    options: MeasureOptions | None = None,
    stem: Stemmer | None = None,
    only: str | None = None,
    seed: int = SEED,
    progress: Progress | None = None,
) -> ChunkComparison:
    """Return the scores of chunks on judged topics, beside foxir's elements, passages and runs of siblings.

    >>> evaluate_chunks("demo.foxir", "topics/co", "topics/qrels.txt", "langchain:512")  # doctest: +SKIP

    Every way to cut is combined with every way to retrieve. All use the same words, the same texts and offsets, and are
    scored by highlighted characters with the same measures; at most 1,500 answers to a topic. A query is the topic's
    title, without the stop words of the index.

    Args:
        chunkers: names (docs/chunks.md), or functions from the plain text of a document, its blocks separated by
            blank lines, to pairs (start, end) of characters in it.
        retrievers: names, or functions from the texts of all chunks and the queries to scores, shape (n_queries,
            n_chunks).
        settings: of foxir's search, under the task CO.Focussed.
        measures, options: as in `foxir.score`.
        stem: stems words for BM25; None for the stemmer of the index, its language if that is "auto".
        only: which topics, such as "99,101-110"; all that are judged if None.
        seed: draws the samples of topics for intervals and p-values.
        progress: is called with the stage, what is done and all there is to do.

    Raises: ArgumentError for an unknown chunker or retriever, and chunks outside their text; MissingHostError for a
        library that is not installed; TopicError where no topic is judged; MeasureError, AssessmentError,
        IndexFormatError.
    """
    opened = index if isinstance(index, Index) else open_index(index)
    ways = Ways.of(chunkers, retrievers)
    analyser = chunk_analyser(opened.reader.analyser, stem)
    seeded = Resampling(seed=arguments.seed(seed))
    report = arguments.callback("progress", progress)
    judged = inputs.assessments_of(assessments)
    asked, notices = _judged_topics(topics, only, judged)
    request = ScoringRequest.of(
        judged,
        arguments.texts("measures", measures),
        inputs.options_of(options),
        locator=opened.locator,
        topics=[topic.topic_id for topic in asked],
        progress=report,
    )
    foxir_runs = list(_foxir_runs(opened, asked, settings, report))
    found = list(_chunk_runs(opened, asked, judged, ways, analyser, report))
    runs = [*foxir_runs, *(run for run, _ in found)]
    table = score_runs(request, runs)
    cuts = (*(None for _ in foxir_runs), *(each for _, each in found))
    run_notices = [notice for run in runs for notice in run.notices]
    return ChunkComparison(replace(table, notices=(*notices, *run_notices, *table.notices)), tuple(runs), cuts, seeded)


@dataclass(frozen=True)
class Ways:
    """The chunkers and retrievers to combine."""

    chunkers: Sequence[ChunkerInput]
    retrievers: Sequence[RetrieverInput]

    @classmethod
    def of(cls, chunkers: object, retrievers: object) -> Self:
        """Return the checked chunkers and retrievers.

        Raises: TypeError; ArgumentError for an unknown one or wrong parameters; MissingHostError.
        """
        ways = cls(_listed("chunkers", chunkers), _listed("retrievers", retrievers))
        for chunker in ways.chunkers:
            check_chunker(chunker)
        for retriever in ways.retrievers:
            check_retriever(retriever)
        return ways


def _listed(name: str, value: object) -> list[Any]:
    found = [value] if isinstance(value, str) or callable(value) else arguments.items(name, value, "names or functions")
    if not found:
        raise ArgumentError(f"{name}: expected at least one.")
    for each in found:
        if not isinstance(each, str) and not callable(each):
            raise arguments.refuse_type(name, each, "a name or a function")
    return found


def _judged_topics(topics: TopicsInput, only: str | None, judged: Assessments) -> tuple[list[Topic], list[Notice]]:
    """Return the topics that have words and judgements, and notices about the others."""
    found = topics_of(topics, only)
    asked = [topic for topic in found if topic.topic_id in judged.topics and topic.title]
    if not asked:
        raise TopicError(f"no topic has both a title and judgements in {judged.source}: are these its topics?")
    notices = [problem.notice for problem in (*found.problems, *found.notices)]
    if left_out := len(found) - len(asked):
        notices.append(Notice("topics_left_out", {"count": left_out, "topics": len(found)}))
    return asked, notices


def _foxir_runs(
    index: Index, topics: Sequence[Topic], settings: Settings | None, progress: Progress | None
) -> Iterator[Run]:
    """Yield foxir's runs: elements, and passages and runs of siblings where the settings rank by score."""
    base = settings_of(settings, {"task": TASK})
    chosen = {"foxir": replace(base, unit="element")}
    if base.rank_by == "score" and base.approach != "fulltext":
        chosen["foxir, passages"] = replace(base, unit="sentence")
        chosen["foxir, siblings"] = replace(base, unit="siblings")
    for name, each in chosen.items():
        run, problems = run_topics(index.reader, topics, each, run_id=name, with_offsets=True, progress=progress)
        yield replace(run, notices=tuple(about(name, problem.notice) for problem in problems))


def _chunk_runs(
    index: Index,
    topics: Sequence[Topic],
    judged: Assessments,
    ways: Ways,
    analyser: Analyser,
    progress: Progress | None,
) -> Iterator[tuple[Run, Cut]]:
    """Yield the run of each way to cut with each way to retrieve that fits it, and what was cut.

    Raises: ArgumentError for a way to retrieve that fits none of the chunks.
    """
    collection = Collection(index.reader)
    titles = {topic.topic_id: topic.title for topic in topics}
    retrieval = Retrieval(collection, Queries(titles, analyser, index.reader.analyser.stop_words))
    highlighted = highlights(collection, [judged.topics[topic] for topic in titles], index.locator)
    fitted = set()
    for chunker in ways.chunkers:
        chunks = cut(collection, chunker, progress)
        what_is_cut = Cut.of(chunks, collection, highlighted)
        for number, retriever in enumerate(ways.retrievers):
            if not fits(chunks, retriever):
                continue
            fitted.add(number)
            rankings = retrieve(retrieval, chunks, retriever, titles)
            yield Run(f"{chunks.name}, {named(retriever)}", rankings), what_is_cut
    if unfit := [each for number, each in enumerate(ways.retrievers) if number not in fitted]:
        raise ArgumentError(f"retriever {unfit[0]}: needs chunks with levels: add the chunker llamaindex-tree.")


def chunk_analyser(analyser: Analyser, stem: Stemmer | None = None) -> Analyser:
    """Return how words of chunks become terms: as in the index, one stemmer for all documents, no stop words.

    Of the stemmer "auto" the language of the index is taken, where it has a single one; else words are not stemmed.
    """
    if stem is None:
        single = analyser.languages[0] if len(analyser.languages) == 1 else NONE
        chosen = single if analyser.stem == AUTO else analyser.stem
    else:
        chosen = arguments.choice("stem", stem, STEMMERS)
    return make_analyser("default", chosen, "none", analyser.diacritics, analyser.camel_case)
