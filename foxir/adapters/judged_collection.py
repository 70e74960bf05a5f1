"""A test collection: documents, topics and the passages that people judged relevant."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from engine.topics import TopicFile
from eval.judgements.judgements import Assessments
from foxir.adapters.judged_rows import JudgedRow, judged_rows
from foxir.building import build_index
from foxir.evaluation import inputs
from foxir.evaluation.inputs import AssessmentsInput
from foxir.sample_data import sample_folder
from foxir.searching.opened_index import Index, open_index
from foxir.searching.topic_input import topics_of


@dataclass(frozen=True, eq=False)
class JudgedCollection:
    """A test collection over an open index.

    Its documents are the whole documents of the index, with their texts; offsets of judgements count characters there.
    """

    index: Index
    topics: TopicFile
    assessments: Assessments

    @classmethod
    def of(
        cls, index: Index | str | Path, topics: TopicFile | str | Path, judged: AssessmentsInput
    ) -> JudgedCollection:
        """Return the collection of an index, topics and assessments, each as a value or as its file or folder.

        Raises: IndexFormatError, TopicError, AssessmentError; TypeError.
        """
        opened = index if isinstance(index, Index) else open_index(index)
        return cls(opened, topics_of(topics), inputs.assessments_of(judged))

    def documents(self) -> Iterator[tuple[str, str]]:
        """Yield id and text of every document, by id."""
        for document in self.index.documents:
            yield document, self.index.text(document)

    def queries(self) -> Iterator[tuple[str, str]]:
        """Yield id and query of every topic: its words, or its path query if it has none."""
        for topic in self.topics:
            yield topic.topic_id, topic.title or topic.castitle

    @cached_property
    def judgements(self) -> tuple[JudgedRow, ...]:
        """The highlighted passages, and the judged documents without any."""
        return tuple(judged_rows(self.assessments, self.index))


@lru_cache(maxsize=1)
def sample_collection() -> JudgedCollection:
    """Return the sample collection with its topics of words; its index is made when it is first asked for."""
    folder = Path(tempfile.mkdtemp(prefix="foxir-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sample = sample_folder()
    build_index(sample / "collections", into=folder / "sample.foxir")
    return JudgedCollection.of(folder / "sample.foxir", sample / "topics/co", sample / "topics/qrels.txt")
