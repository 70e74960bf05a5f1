"""What a run was made of: foxir's version, the index, the topics; and what differs where it is made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.errors import SettingsError
from engine.index.joined import SEPARATOR, folders_of
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.runs import Run
from engine.settings import Settings
from engine.settings.defaults import scores_elements
from engine.settings.given import check_functions
from engine.similarity.description import calculated_parts
from engine.similarity.expression import Expression
from engine.similarity.named_expressions import document_expression
from engine.similarity.own_function import OwnFunction
from engine.similarity.parser import parse_expression
from engine.similarity.presets import PRESETS
from engine.similarity.registry import COMBINING, TABLES
from engine.system.input_files import read_small_text
from engine.topics import Topic, TopicFields, TopicFile

# What the answers depend on, besides settings and topics, in the order in which a difference is told.
OF_INDEX = ("foxir", "analyser", "profile", "documents", "elements", "checksum")
OF_OTHERS = ("topics", "synonyms")
# The relative frequency of a query word that counts once, however often the query has it.
BINARY = "A"


def origin_of(
    index: IndexReader, topics: Sequence[Topic], settings: Settings, *, with_scores: bool, topic_fields: str
) -> dict[str, str]:
    """Return what a run is made of.

    checksum: of the contents of the index, wherever it lies. generation: of the folder. topics: of ids and texts.
    synonyms: of the content of their file.
    """
    from importlib.metadata import version  # noqa: PLC0415  (slow to import)

    manifest = index.manifest
    analyser = json.dumps(manifest.analyser, sort_keys=True)
    profile = f"{manifest.profile['name']} {str(manifest.profile['digest'])[:16]}"
    segments = sorted((each.digest, each.deleted) for each in manifest.combined().segments)
    texts = [[topic.topic_id, topic.query_type, topic.title, topic.castitle] for topic in topics]
    return {
        "foxir": version("foxir"),
        "index": SEPARATOR.join(folder.stem for folder in folders_of(index.folder)),
        "generation": str(manifest.generation),
        "checksum": _digest([analyser, asdict(manifest)["profile"], segments]),
        "documents": str(manifest.statistics.documents),
        "elements": str(manifest.statistics.elements),
        "analyser": analyser,
        "profile": profile,
        "topics": f"{len(topics)} {_digest(texts)}",
        **({} if settings.synonyms is None else {"synonyms": _digest(read_small_text(settings.synonyms))}),
        **({"topic_fields": topic_fields} if topic_fields else {}),
        **({"scores": "yes"} if with_scores else {}),
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class RunChoices:
    """What a run is made with besides settings: its task, whether rsv are scores, the fields of topics ("": theirs)."""

    task: str
    with_scores: bool
    topic_fields: str

    def like(self, run: Run | None) -> RunChoices:
        """Return the choices, of those that are not made, those of a run."""
        own = str(TopicFields.parse(self.topic_fields)) if self.topic_fields else ""
        if run is None:
            return replace(self, topic_fields=own)
        with_scores = self.with_scores or run.origin.get("scores") == "yes"
        fields = own or run.origin.get("topic_fields", "")
        return RunChoices(self.task or run.task, with_scores, fields)

    def queries(self, topics: TopicFile, settings: Settings) -> TopicFile:
        """Return the topics with the queries that the fields make.

        Raises: SettingsError for fields that topics do not have, and weights that no similarity of the settings reads.
        """
        if not self.topic_fields:
            return topics
        fields = TopicFields.parse(self.topic_fields)
        if fields.has_weights and not any(map(_counts_query_words, _expressions(settings))):
            raise SettingsError(Notice("weights_of_fields", {"fields": str(fields), "similarity": settings.similarity}))
        found = fields.of(topics.topics)
        return TopicFile(found.topics, (*topics.problems, *found.problems), topics.notices)


def _expressions(settings: Settings) -> Iterator[Expression]:
    if settings.approach != "native":
        yield document_expression(settings.similarity) or parse_expression(PRESETS[settings.similarity].expression)
    if scores_elements(vars(settings)):
        yield settings.element_expression


def _counts_query_words(expression: Expression) -> bool:
    """Return whether a score depends on how often the query has a word."""
    if isinstance(expression, OwnFunction):
        return True
    return any(
        each.query.frequency != BINARY or "query_tf" in TABLES[COMBINING][each.combining].reads
        for each in calculated_parts(expression)
    )


def fields_used(topic_fields: str) -> dict[str, str]:
    """Return whether each field of a topic was used, as INEX submissions record it."""
    used = dict(TopicFields.parse(topic_fields).weights)
    named = {"title": "title", "castitle": "", "description": "description", "narrative": "narrative"}
    return {
        **{name: "yes" if field in used else "no" for name, field in named.items()},
        "ontopic_keywords": "yes" if "keywords" in used else "no",
    }


def difference(like: Run, run: Run) -> Notice | None:
    """Return the notice that a run was made of something else than the one it is to be like; None where it was not.

    A generation of the same contents is no difference.
    """
    if not like.origin:
        return Notice("unknown_origin", {"run": like.source or like.run_id})
    found = [
        f"{name} {like.origin.get(name, 'unknown')}, now {run.origin.get(name, 'none')}"
        for name in (*OF_INDEX, *OF_OTHERS)
        if like.origin.get(name) != run.origin.get(name)
    ]
    if not found:
        return None
    return Notice("another_origin", {"run": like.source or like.run_id, "found": "; ".join(found)})


def settings_like(run: Run, given: Mapping[str, Any]) -> Settings:
    """Return the settings that a run records.

    Args:
        given: settings that the caller gives: a function that the run names is imported only where one of these names
            it, too.
    Raises: SettingsError for a run without settings of foxir, or with functions of others.
    """
    place = run.source or f"run {run.run_id}"
    if not run.settings and run.source:
        other = next(
            (told for told in run.notices if isinstance(told, Notice) and told.code == "sidecar_of_another"), None
        )
        is_text = run.format not in ("", "inex")
        raise SettingsError(other or Notice("run_without_settings", {"run": run.source, "is_text": is_text}))
    if "approach" not in run.settings:
        raise SettingsError(Notice("run_without_settings", {"run": place, "is_text": False}))
    check_functions(run.settings, given, place)
    try:
        options: Mapping[str, Any] = run.settings
        return Settings.from_options(**options)
    except SettingsError as error:
        raise SettingsError(f"{place}: {error}") from None
