"""The settings of scored elements (`rank = "score"`): names, legal values, what each does. See `engine/scoring`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, NamedTuple

from engine import similarity
from engine.errors import SettingsError
from engine.setting_values import count, count_or_all, one_of
from engine.similarity import APPROACHES, Expression, named_expression
from engine.similarity.parameters import Parameters, defaults

LENGTH = re.compile(r"(\d+)|(\d+(?:\.\d+)?|\.\d+)x")
PREFIX = "element_"  # of the names of the expression's parameters, which articles may have too: element_k1


class Number(NamedTuple):
    """A number between two others."""

    lowest: float
    highest: float


NUMBERS = {"lambda_article": Number(0.0, 1e6), "lambda_parent": Number(0.0, 1.0), "density": Number(0.0, 1e6)}
COUNTS = {"sentences": 1000}  # and the highest: every run of so many sentences of a leaf is scored
COUNTS_OR_ALL = ("best_leaves", "budget")
LENGTHS = ("block", "shortest", "longest", "shortest_passage")
CHOICES = {"passages": ("off", "on"), "group": ("none", "article")}


@dataclass(frozen=True)
class Scoring:
    """How elements are scored and which of them are answers. Lengths are words: `40`, or `0.5x`, a multiple of the
    text block in which a word of the collection usually stands. None of the counts means all.

    scoring, parameters: the Q-expression of an element's own score.
    lambda_article: weight of the article's score in the scores of its elements.
    lambda_parent: share of its surroundings' score that an element's score takes over.
    density: words an element, in relation to the collection's, below which text is broken up and counts less; 0: never.
    block: length of a text block; shorter elements are scored as if they had as many words.
    shortest, longest: elements of fewer or more words are no answers (a whole article is never too short).
    best_leaves: matching leaves of an article, by score, that answers are built from.
    passages: answers are windows of sentences inside leaves; sentences: of the longest; shortest_passage: as above.
    group: answers of an article stand together, articles in their rank.
    budget: words of all answers together, which then do not overlap.
    """

    scoring: str
    lambda_article: float
    lambda_parent: float
    density: float
    block: str
    shortest: str
    longest: str | None
    best_leaves: int | None
    passages: str
    sentences: int
    shortest_passage: str
    group: str
    budget: int | None
    parameters: Parameters = field(default_factory=dict)

    @property
    def expression(self) -> Expression:
        """The expression of an element's own score."""
        return named_expression(self.scoring)

    def changed(self, options: Mapping[str, Any]) -> Scoring:
        """Return the settings with some changed, parameters by names with a prefix; raises SettingsError."""
        given = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
        settings = replace(self, **{name: checked(name, value) for name, value in given.items()})
        own = settings.expression.parameters - {"block"}
        parameters = {name: value for name, value in self.parameters.items() if name in own}
        for name in options.keys() - given.keys():
            parameter = name.removeprefix(PREFIX)
            if parameter not in own:
                legal = ", ".join(PREFIX + each for each in sorted(own)) or "none"
                raise SettingsError(f"'{name}' is no parameter of {settings.scoring}, which has {legal}.")
            parameters[parameter] = similarity.check_parameter(parameter, options[name], called=name)
        return replace(settings, parameters=parameters)

    def element_parameters(self, block_words: float) -> Parameters:
        """Return the parameters that the expression works with, where text blocks have so many words."""
        given = {**defaults(self.expression.parameters), **self.parameters}
        if "block" in given:
            given["block"] = max(words(self.block, block_words), 1.0)
        return given

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name, parameters with their prefix, `all` for None."""
        plain = asdict(self)
        parameters = {**defaults(self.expression.parameters - {"block"}), **plain.pop("parameters")}
        plain = {name: "all" if value is None else value for name, value in plain.items()}
        return {**plain, **{PREFIX + name: value for name, value in parameters.items()}}


NAMES = tuple(each.name for each in fields(Scoring) if each.name != "parameters")


def checked(name: str, value: Any) -> Any:
    """Return the value of a setting in its type; raises SettingsError when it is not legal."""
    if name == "scoring":
        return check_scoring(str(value))
    if name in NUMBERS:
        return _number(name, value)
    if name in LENGTHS:
        return _length(name, value)
    if name in CHOICES:
        return one_of(name, value, CHOICES[name])
    return count_or_all(name, value) if name in COUNTS_OR_ALL else count(name, value, highest=COUNTS[name])


def check_scoring(value: str) -> str:
    """Return an expression that scores elements, or the name of one; raises SettingsError."""
    expression = named_expression(value)
    if getattr(expression, "context", "E") == "D":
        raise SettingsError(
            f"scoring = '{value}': scores whole documents: an expression of elements begins with E, T or C "
            "(foxir similarity lists some)."
        )
    return value.strip()


def scores_elements(value: str) -> bool:
    """Return whether a similarity is one of elements: an E, T or C expression, or the name of one."""
    written = APPROACHES[value].expression if value in APPROACHES else value.strip()
    return re.match(r"[ETC]\[", written) is not None


def _number(name: str, value: Any) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = float("nan")
    lowest, highest = NUMBERS[name]
    if not lowest <= number <= highest:
        raise SettingsError(f"{name} = '{value}': expected a number from {lowest:g} to {highest:g}.")
    return number


def _length(name: str, value: Any) -> str | None:
    written = str(value).strip()
    if written == "all" and name == "longest":
        return None
    if not LENGTH.fullmatch(written):
        allowed = "a number of words (40), or a multiple of the collection's usual text block (0.5x)"
        raise SettingsError(f"{name} = '{value}': expected {allowed}{', or all' if name == 'longest' else ''}.")
    return written


def words(length: str, block_words: float) -> float:
    """Return how many words a length stands for, where text blocks have `block_words`."""
    return float(length[:-1]) * block_words if length.endswith("x") else float(length)
