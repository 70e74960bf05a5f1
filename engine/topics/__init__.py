"""Topics, read from files of INEX 2002-2010 and from plain text."""

from __future__ import annotations

from engine.topics.selection import selected_ids, selection_of
from engine.topics.topic import Topic, TopicFile, TopicProblem
from engine.topics.topic_files import read_topics

__all__ = ["Topic", "TopicFile", "TopicProblem", "read_topics", "selected_ids", "selection_of"]
