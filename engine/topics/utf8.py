"""Text of topic files."""

from __future__ import annotations

from engine.topics.topic import NoTopicFileError


def decoded(data: bytes, source: str, expected: str) -> str:
    """Return the text of a file.

    Raises: NoTopicFileError if it is not UTF-8 or contains NUL characters.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        reason = f"byte 0x{data[error.start]:02x} is not UTF-8: expected {expected}."
        raise NoTopicFileError(source, bad, reason) from error
    if "\0" in text:
        reason = f"the file contains NUL characters, so it is not text: expected {expected}."
        raise NoTopicFileError(source, text.count("\n", 0, text.index("\0")) + 1, reason)
    return text
