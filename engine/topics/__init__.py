"""Topic files: what is asked, in the formats of INEX 2002-2010 and as plain text."""

from engine.topics.files import read_topics
from engine.topics.selection import selected_ids
from engine.topics.topic import QueryType, Topic, TopicFile, TopicProblem

__all__ = ["QueryType", "Topic", "TopicFile", "TopicProblem", "read_topics", "selected_ids"]
