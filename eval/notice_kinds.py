"""Kinds of notices: strings that commands treat differently from plain notices."""

from __future__ import annotations


class DoubtNotice(str):
    """A notice that a number is doubtful; commands print it even with --quiet."""

    __slots__ = ()


class ExclusionNotice(DoubtNotice):
    """A notice that an input was excluded from the result; commands then exit with status 1."""

    __slots__ = ()
