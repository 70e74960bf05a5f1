"""What did people want to know?

Topics of INEX 2002-2010, of TREC, of tables and plain text, as values.
"""

from __future__ import annotations

from engine.topics.topic import Topic, TopicFile, TopicProblem
from engine.topics.topic_fields import TopicFields
from engine.topics.topic_files import read_topics, selected_ids, selection_of

__all__ = ["Topic", "TopicFields", "TopicFile", "TopicProblem", "read_topics", "selected_ids", "selection_of"]
