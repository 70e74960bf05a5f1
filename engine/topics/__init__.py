"""What do the topics of a file ask for?

Readers for INEX 2002-2010, TREC, tables, JSON and lines of text; all give `Topic`. How a topic becomes a search is not
decided here, but in `engine/answers/topic_run.py`.
"""

from __future__ import annotations

from engine.topics.selection import selected_ids, selection_of
from engine.topics.topic import Topic, TopicFile, TopicProblem
from engine.topics.topic_files import read_topics

__all__ = ["Topic", "TopicFile", "TopicProblem", "read_topics", "selected_ids", "selection_of"]
