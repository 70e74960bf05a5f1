"""What is told of a part that was given and is not in the result."""


class LeftOut(str):
    """A notice that a part of what was given is not in the result: commands end with another status then."""

    __slots__ = ()
