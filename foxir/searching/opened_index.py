"""An open index: search, explanations, texts and runs over the newest generation in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Unpack

from engine.columns.checked_folder import reads_columns
from engine.errors import ArgumentError, TopicError
from engine.index.joined import absolute_place, parts_of, place_of
from engine.index.reader import open_reader
from engine.notices import Notice
from engine.object_store.url import is_url
from engine.planning.plan import ExampleImage
from engine.query_limits import limited
from engine.ranking.search import search
from engine.settings import Settings
from foxir import arguments
from foxir.arguments import PathLike
from foxir.foreign_names import no_attribute
from foxir.messages import sentence  # noqa: F401  (the text of notices, also for programs that import this alone)
from foxir.results.answers import Answers
from foxir.results.elements import Element
from foxir.searching.example_images import ImageInput, images_of
from foxir.searching.first_answers import explain_within_budget, names_images, search_first
from foxir.searching.opened_folder import OpenedFolder
from foxir.searching.query_spelling import with_suggestions
from foxir.searching.search_settings import SearchKeywords, check_image_weight, settings_of

if TYPE_CHECKING:
    from engine.answers.stage_recorder import Stage
    from engine.answers.topic_run import RunForm
    from engine.explain.element_explanation import ElementExplanation
    from engine.progress import Progress
    from engine.runs import Run
    from engine.topics import Topic, TopicProblem
    from foxir.searching.topic_input import TopicsInput


class Index(OpenedFolder):
    """An open index, as `open_index` returns it. Safe to use from several threads.

    >>> with open_index("wiki.foxir") as index:                # doctest: +SKIP
    ...     answers = index.search("jedi force", max_answers=10)

    It answers from the generation that it opened, also while a newer one is built, until `refresh` takes up the newest.
    After `close` every call raises ClosedIndexError; answers stay readable, but for their texts. It contains the ids of
    its documents: `"na/1998/n1012" in index`, `len(index)`.
    """

    def search(
        self,
        query: str = "",
        settings: Settings | None = None,
        *,
        image: ImageInput | None = None,
        first: int | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> Answers:
        """Return the ranked answers to a query: elements or passages, at most `max_answers` (1500), best first.

        ::

            for answer in index.search("fog signal range", max_answers=10):
                print(answer.document, answer.path, answer.score, answer.text)
            index.search('+lens "clock work" -plastic', unit="sentence", word_budget=300)
            index.search("//sec[about(., fresnel lens)]//p")

        Args:
            query: words, with +required (in the article), -unwanted (not in the answer) and "quoted phrases"; or a path
                query (NEXI).
                With an example image it may be empty.
            settings: settings to start from; the defaults if None.
            image: an example image, the file or its bytes, or several; answers contain images like it, beside those
                about the words; `image_weight` is its share in the score. Needs the extra `images`.
            first: how many answers are wanted, if not all: the same ones as a slice has, and sooner, as the others are
                not ranked where they need not be.
            keywords: settings by name. Those most often wanted:

                max_answers=10          how many answers at most
                unit="sentence"         sentences, and whole tables or other elements where these fit better
                word_budget=300         the best answers with at most 300 words together; passages if all are longer
                answers="//(sec|p)"     only elements of these tags
                inside="//body", outside="//ref-list", documents="reports/*"     where answers lie
                min_words=20, max_words=200     how long answers are
                max_per_article=1       answers of each document
                syntax="plain"          no operators: for text that people typed into another program
                task="CO.Focussed", named="H-oCRE-MpE"     an INEX task, a run of the thesis

                `help(foxir.Settings)` lists all, docs/formats.md and docs/scoring.md explain them. From weakest to
                strongest: settings, task, named, other keywords.

        Raises: QueryError for a query that cannot be read; SettingsError for an unknown setting or value;
            ClosedIndexError.
        """
        chosen = settings_of(settings, keywords)
        images, query = images_of(image), arguments.text("query", query)
        check_image_weight(keywords, self.reader, [query], chosen, images)
        n_first = None if first is None else arguments.count("first", first)
        return self._answers(query, chosen, images, n_first)

    @reads_columns
    def _answers(self, query: str, settings: Settings, images: Sequence[ExampleImage], n_first: int | None) -> Answers:
        opened = self._current
        with limited(settings.max_query_memory, settings.max_seconds):
            found = search_first(
                lambda chosen: search(opened.reader, query, chosen, images=images),
                settings,
                n_first,
                has_images=names_images(query, images),
            )
            columns = with_suggestions(opened.reader, found)
        return Answers(query, columns, opened.generation, opened.reader, opened.kept_answers)

    def explain(
        self,
        query: str,
        document: str,
        path: str,
        settings: Settings | None = None,
        *,
        image: ImageInput | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> ElementExplanation:
        """Return why an element is an answer to a query, or why not; `to_dict()` is what `foxir explain --json` prints.

        Args:
            document, path: the element, as an answer names it; path may be an id, or "OFFSET:LENGTH", the characters of
                an answer, or of any text, whose smallest element is then explained.
            query, settings, image, keywords: as in `search`.

        Raises: as `search`; QueryError for a document or a path that is not in the index.
        """
        chosen = settings_of(settings, keywords)
        query, document, path = (
            arguments.text(name, value) for name, value in (("query", query), ("document", document), ("path", path))
        )
        images = images_of(image)
        check_image_weight(keywords, self.reader, [query], chosen, images)
        from engine.explain.explain import explain  # noqa: PLC0415  (slow to import, and most programs search)

        reader = self.reader
        with limited(chosen.max_query_memory, chosen.max_seconds):
            return explain_within_budget(lambda each: explain(reader, query, document, path, each, images), chosen)

    def run(
        self,
        topics: TopicsInput,
        settings: Settings | None = None,
        *,
        run_id: str = "foxir",
        only: str | None = None,
        offsets: bool = False,
        scores: bool = False,
        topic_fields: str | None = None,
        like: Run | PathLike | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> Run:
        """Return the answers to topics as a run; its notices name the topics that could not be read or answered.

        >>> run = index.run("topics/co", run_id="tpf", answers="nCRE", heuristic="TPF")   # doctest: +SKIP
        >>> write_run(run, "tpf.xml")                                                      # doctest: +SKIP

        Args:
            topics: topics, or the file or folder that contains them.
            run_id: id of the run: one word.
            only: which topics, such as "99,101-110"; all if None.
            offsets: whether results have offset and length, which runs in the format "fol" have.
            scores: whether retrieval status values are the scores of elements, not numbers that fall with the rank.
            topic_fields: the fields of topics that make a query, with weights: "title^2,desc,narr".
            like: a run, or its file, whose settings, task, scores and fields of topics are those that are not given; a
                notice says where the index or the topics are others.
            jobs: processes that answer, if that takes less time; more than one needs a main module guarded by
                `if __name__ == "__main__"`, and settings that can be pickled.
            progress: is called with the stage, the topics done and all topics.
            settings, keywords: as in `search`.

        Raises: TopicError where no topic can be read or answered, or two have one id; ArgumentError; SettingsError;
            ClosedIndexError.
        """
        from engine.answers.topic_run import topic_query  # noqa: PLC0415  (slow to import, and most programs search)
        from engine.runs import Run, read_run  # noqa: PLC0415
        from foxir.searching.run_origin import RunChoices, difference, settings_like  # noqa: PLC0415
        from foxir.searching.topic_input import topics_of  # noqa: PLC0415

        other = None if like is None else like if isinstance(like, Run) else read_run(arguments.path("like", like))
        if other is not None and settings is None:
            settings = settings_like(other, keywords)
        fields = arguments.optional(arguments.text, "topic_fields", topic_fields) or ""
        given = RunChoices(keywords.get("task", ""), arguments.flag("scores", scores), fields).like(other)
        chosen = settings_of(settings, keywords)
        found = given.queries(topics_of(topics, only), chosen)
        check_image_weight(keywords, self.reader, (topic_query(topic, chosen) for topic in found.topics), chosen)
        run, problems = answered_topics(
            self,
            found.topics,
            chosen,
            run_id=arguments.run_id("run_id", run_id),
            task=given.task,
            with_offsets=arguments.flag("offsets", offsets),
            with_scores=given.with_scores,
            topic_fields=given.topic_fields,
            jobs=arguments.jobs(jobs),
            progress=arguments.callback("progress", progress),
        )
        differs = None if other is None else difference(other, run)
        told = (*found.problems, *found.notices, *problems)
        notices = (*([] if differs is None else [differs]), *(each.notice for each in told), *run.notices)
        if not run.rankings:
            first = notices[0] if notices else "none is given"
            raise TopicError(Notice("no_topic_answered", {"topics": 1, "only": "", "first": first}))
        return replace(run, notices=notices)

    @reads_columns
    def text(self, document: str, path: str | None = None) -> str:
        """Return the text of a document, whose characters the offsets of answers count, or of one of its elements.

        Raises: QueryError for a document or a path that is not in the index; ClosedIndexError.
        """
        if path is not None:
            return self.element(document, path).text
        from engine.index.elements.element_lookup import number_of  # noqa: PLC0415  (it imports the reader of XML)

        reader = self.reader
        return reader.text(number_of(reader, arguments.text("document", document)))

    @reads_columns
    def element(self, document: str, path: str) -> Element:
        """Return an element, from which its neighbours are reached; document and path as an answer names them.

        Args:
            path: or the id of an element (xml:id, id), such as "intro".

        Raises: QueryError for a document or a path that is not in the index; ClosedIndexError.
        """
        from engine.index.elements.element_lookup import row_of  # noqa: PLC0415  (it imports the reader of XML)

        document, path = arguments.text("document", document), arguments.text("path", path)
        row = self.locator.row(document, path)
        if row is None:
            row = row_of(self.reader, document, path)
        return Element(self.reader, row)

    def __repr__(self) -> str:
        opened = self._opened
        if opened is None:
            return f"Index({str(self._shown)!r}, closed)"
        reader = opened.reader
        return f"Index({str(self._shown)!r}, documents={reader.n_documents}, generation={opened.generation.number})"

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute("'Index' object", name, "index")


def open_index(folder: PathLike | Sequence[PathLike], *others: PathLike) -> Index:
    """Return the index in a folder, at its newest generation; use it in a `with` statement, or close it.

    >>> open_index("wiki.foxir")   # doctest: +SKIP
    Index('wiki.foxir', documents=659387, generation=1)

    Args:
        folder: or a URL of object storage such as "s3://bucket/x.foxir" (extra s3), whose local copy is opened. A
            sequence of them, or a text with commas between, is searched as one index: statistics, scores and order are
            those of one built over all documents.
        others: further ones of them.
    Raises: IndexFormatError if there is no index, or it is damaged or has another format, or several treat words
        differently; StorageError.
    """
    places = [
        place
        for given in (folder, *others)
        for place in (
            given if isinstance(given, list | tuple) else parts_of(given) if isinstance(given, str) else (given,)
        )
    ]
    if not places:
        raise ArgumentError("folder: found no folder, expected one at least.")
    parts = [each if is_url(each) else str(arguments.path("folder", each)) for each in places]
    if not any(map(is_url, parts)):
        given = place_of(parts)
        return Index(open_reader(absolute_place(given)), given)
    from engine.object_store.mirror import open_mirror  # noqa: PLC0415  (most indexes are in a folder)

    return Index(open_reader(absolute_place(place_of([open_mirror(each) if is_url(each) else each for each in parts]))))


class SearchStages(NamedTuple):
    """The stages of a search, how its query was read, the function words of it that were dropped, and its time."""

    stages: Sequence[Stage]
    interpretation: str
    dropped_words: Sequence[str]
    seconds: float


def search_stages(index: Index, query: str, settings: Settings, images: Sequence[ExampleImage] = ()) -> SearchStages:
    """Return the stages of a search; raises QueryError, SettingsError."""
    from engine.answers import stage_recorder  # noqa: PLC0415  (rarely needed)
    from engine.explain.explain import dropped_function_words  # noqa: PLC0415

    answers, stages = stage_recorder.search_stages(index.reader, query, settings, images)
    dropped = dropped_function_words(index.reader, query, settings, answers.plan)
    return SearchStages(stages, answers.interpretation, dropped, answers.seconds)


def answered_topics(
    index: Index,
    topics: Sequence[Topic],
    settings: Settings,
    *,
    topic_fields: str = "",
    jobs: int = 1,
    **form: Unpack[RunForm],
) -> tuple[Run, list[TopicProblem]]:
    """Return the answers to topics as a run with its origin, and the topics not answered, or not as they ask.

    Args:
        topic_fields: of which the queries of the topics were made, "" for those that topics have.
        jobs: processes that answer, where there is so much to do that this takes less time.
    """
    from engine.answers.topic_run import run_topics  # noqa: PLC0415  (slow to import, and most programs search)
    from foxir.searching.run_origin import fields_used, origin_of  # noqa: PLC0415
    from foxir.searching.topic_processes import answers_to  # noqa: PLC0415

    reader, scores = index.reader, form.get("with_scores", False)
    columns = {"with_offsets": form.get("with_offsets", False), "with_scores": scores}
    answered = answers_to(topics, reader, settings, jobs, columns)
    run, problems = run_topics(reader, topics, settings, answered=answered, **form)
    origin = origin_of(reader, topics, settings, with_scores=scores, topic_fields=topic_fields)
    used = fields_used(topic_fields) if topic_fields else run.topic_fields
    return replace(run, origin=origin, topic_fields=used), problems
