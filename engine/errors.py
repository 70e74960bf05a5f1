"""The errors that a user's mistake can raise.

    FoxirError
    ├── CollectionError        a source or a document cannot be read
    ├── ProfileError           a profile is unknown or malformed
    ├── IndexFormatError       an index is missing, damaged or of another format version
    ├── IndexLockedError       another process is writing to the index
    ├── StorageError           object storage fails, or a local copy does not fit
    ├── ClusterError           a cluster, or a shard on it, cannot be reached
    ├── ClosedIndexError       an index is used after it was closed
    ├── TopicError             a topic file or a topic in it cannot be read
    ├── QueryError             a query cannot be parsed
    │   ├── QueryLimitError    a query needs more terms, memory or time than its settings allow
    │   │   └── QueryTimeError     more time
    │   ├── FunctionError      a function of the user fails for a query
    │   └── WordBudgetError    every answer to a query is longer than the word budget
    ├── SettingsError          a setting is unknown or out of range
    ├── RunFormatError         a run file cannot be read or written
    ├── AssessmentError        judgements cannot be read
    ├── MeasureError           a measure or one of its options is unknown or cannot be computed
    ├── MissingHostError       another program is not installed, or in another version; also an ImportError
    └── ArgumentError          an argument of a call from Python is not legal; also a ValueError

A message says what was found, where (file:line), what was expected and what to do. It is a sentence, or a notice where
front ends say it differently or programs read its fields. Programming mistakes are `ValueError` and `TypeError`,
outside this tree.
"""

from __future__ import annotations

from engine.notices import Message, Notice

# The way out of a damaged index, for an update of it reads no file that it does not change.
INDEX_AGAIN = "index the sources again into a new folder"


class FoxirError(Exception):
    """Base class of every error that foxir raises for a user's mistake; callers catch this one.

    Its argument is the message; `str` of the error is the sentence of that.
    """

    @property
    def message(self) -> Message:
        """The notice or the sentence that the error was raised with."""
        return self.args[0] if self.args else ""

    @property
    def notice(self) -> Notice | None:
        """The notice that the error was raised with; None where its message is a sentence."""
        return self.message if isinstance(self.message, Notice) else None


class CollectionError(FoxirError):
    """A source or a document cannot be read."""


class ProfileError(FoxirError):
    """A profile is unknown or malformed."""


class IndexFormatError(FoxirError):
    """An index is missing, damaged or of another format version."""


class IndexLockedError(FoxirError):
    """Another process is writing to the index."""


class StorageError(FoxirError):
    """Object storage failed or refused, or a local copy of it does not fit."""


class ClusterError(FoxirError):
    """A cluster, or a shard on it, cannot be reached."""


class ClosedIndexError(FoxirError):
    """An index is used after it was closed."""


class TopicError(FoxirError):
    """A topic file, or a topic in it, cannot be read."""


class QueryError(FoxirError):
    """A query cannot be parsed."""


class QueryLimitError(QueryError):
    """A query needs more terms, memory or time than its settings allow."""


class QueryTimeError(QueryLimitError):
    """A query takes longer than its settings allow; another time it may not."""


class FunctionError(QueryError):
    """A function of the user, a similarity or a part of the score, fails for a query."""


class WordBudgetError(QueryError):
    """Every answer to a query is longer than the word budget: `too_small` makes the error."""

    @classmethod
    def too_small(cls, budget: int, shortest: int) -> WordBudgetError:
        """Return the error for a budget and the words of the shortest answer."""
        return cls(Notice("budget_too_small", {"budget": budget, "shortest": shortest}))


class SettingsError(FoxirError):
    """A setting is unknown or out of range."""


class RunFormatError(FoxirError):
    """A run file cannot be read or written."""


class AssessmentError(FoxirError):
    """Judgements cannot be read."""


class MeasureError(FoxirError):
    """A measure or one of its options is unknown, or cannot be computed from the given files."""


class ArgumentError(FoxirError, ValueError):
    """An argument of a call from Python has the right type and a value that is not legal."""


class MissingHostError(FoxirError, ImportError):
    """Another program that foxir adapts to is not installed, or in a version that the adapter was not made for."""


def closed_index(folder: object) -> ClosedIndexError:
    """Return the error for an index in a folder that was closed."""
    return ClosedIndexError(f"{folder}: the index is closed: open it again.")


def empty_index(folder: object) -> IndexFormatError:
    """Return the error for an index in a folder that has no documents."""
    return IndexFormatError(f"{folder}: the index is empty: add documents: foxir index {folder} SOURCE")


def foreign_content(path: object, error: Exception) -> IndexFormatError:
    """Return the error for a file of an index that foxir cannot have written, by the one that its content raised."""
    reason = f"no {error}" if isinstance(error, KeyError) else str(error)
    return IndexFormatError(
        f"{path}: contains what foxir does not write ({reason}): do not use this index; {INDEX_AGAIN}."
    )


def ended_worker() -> MeasureError:
    """Return the error for a process that scored runs and was killed."""
    return MeasureError(Notice("worker_ended"))


def how_to_install(extra: str) -> str:
    """Return the advice for an optional part of foxir, which is installed from a checkout.

    >>> how_to_install("images")
    "pip install '.[images]' in a checkout of foxir"
    """
    return f"pip install '.[{extra}]' in a checkout of foxir"
