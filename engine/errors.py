"""The one tree of errors that a user's mistake can raise.

    FoxirError
    ├── CollectionError        a source or a document cannot be read
    ├── ProfileError           a profile is unknown or malformed
    ├── IndexFormatError       no index, one of another format, a damaged one
    ├── IndexLockedError       another process is writing the index
    ├── TopicError             a topic file or a topic in it cannot be read
    ├── QueryError             a query cannot be understood
    ├── SettingsError          a setting is unknown or out of range
    ├── RunFormatError         a run file cannot be read or written
    ├── AssessmentError        judgements cannot be read
    └── MeasureError           a measure or one of its options is unknown or cannot be computed

Messages say what was found, where (file:line), what was expected and what to do. Programming mistakes are
``ValueError`` and ``TypeError``, outside this tree.
"""


class FoxirError(Exception):
    """Base of every error that foxir raises on purpose; callers catch this one."""


class CollectionError(FoxirError):
    """A source or a document cannot be read."""


class ProfileError(FoxirError):
    """A profile is unknown or malformed."""


class IndexFormatError(FoxirError):
    """There is no index, or it has another format, or it is damaged."""


class IndexLockedError(FoxirError):
    """Another process is writing the index."""


class TopicError(FoxirError):
    """A topic file, or a topic in it, cannot be read."""


class QueryError(FoxirError):
    """A query cannot be understood."""


class SettingsError(FoxirError):
    """A setting is unknown or out of range."""


class RunFormatError(FoxirError):
    """A run file cannot be read or written."""


class AssessmentError(FoxirError):
    """Judgements cannot be read."""


class MeasureError(FoxirError):
    """A measure or one of its options is unknown, or cannot be computed from what is given."""
