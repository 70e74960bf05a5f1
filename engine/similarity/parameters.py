"""Parameters of similarities: names, defaults, legal values; one table for presets and Q-expressions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, TypedDict, cast

from engine.errors import SettingsError
from engine.records import NamedTuple
from engine.wording import shown_text

ParameterValue = float | str | bool

_Lambda = TypedDict("_Lambda", {"lambda": float}, total=False)  # a keyword of Python


class GivenParameters(_Lambda, total=False):
    """Parameters that a user can give, those of `TABLE`."""

    s: float
    length: Literal["weight", "tokens"]
    weight_bits: int
    query_norm: bool
    k1: float
    b: float
    k3: float
    mu: float
    background: Literal["collection", "documents"]
    beta: float
    augment: float
    floor: float
    block: float
    boolean: Literal["or", "and"]
    gpx: float
    alpha: float
    pivot: float


class Parameters(GivenParameters, total=False):
    """Parameters of a similarity: those given, and those that a search computes of the query."""

    focus: float


class Parameter(NamedTuple):
    """A parameter; `legal` is (lowest, highest) of a number, or the choices."""

    default: ParameterValue
    legal: tuple[Any, ...]
    line: str


# values of `length`, `background` and `boolean` that formulas ask for
TOKENS: Final = "tokens"
COLLECTION: Final = "collection"
AND: Final = "and"

TABLE: dict[str, Parameter] = {
    "s": Parameter(0.2, (0.0, 1.0), "slope of pivoted lengths; 0 ignores lengths"),
    "length": Parameter("weight", ("weight", TOKENS), "of pcosine: W_d is the vector's length or the number of words"),
    "weight_bits": Parameter(0, (0, 52), "of pcosine: bits of the mantissa of W_d; 0 is exact"),
    "query_norm": Parameter(False, (False, True), "of pcosine: divide by W_q, without effect on the order"),
    "k1": Parameter(1.2, (0.0, 1e9), "Okapi: how slowly repeated occurrences of a term saturate"),
    "b": Parameter(0.75, (0.0, 1.0), "Okapi: share of the length in the normalisation"),
    "k3": Parameter(math.inf, (0.0, math.inf), "Okapi: as k1, for repeated query words; inf counts each occurrence"),
    "mu": Parameter(2000.0, (1e-9, 1e12), "Dirichlet: words of the background added to each unit"),
    "background": Parameter(COLLECTION, (COLLECTION, "documents"), "of dirichlet: p_t is F_t/|C|, or N_t/N"),
    "lambda": Parameter(0.2, (0.0, 0.999), "Jelinek-Mercer: weight of the unit against the background"),
    "beta": Parameter(1.0, (-10.0, 10.0), "multinomial: weight of the length prior"),
    "augment": Parameter(0.0, (0.0, 1.0), "maximum frequency: value of the rarest term of a unit; 0 is f/max f"),
    "floor": Parameter(25.0, (0.0, 1e9), "minimum length in words; shorter units count as this long"),
    "block": Parameter(80.0, (1.0, 1e9), "words of a text block; shorter units count as this long"),
    "focus": Parameter(0.5, (0.0, 1.0), "share of the document in term weights; 0 weighs by the whole collection"),
    "boolean": Parameter("or", ("or", AND), "binary match: a unit contains any query term, or all"),
    "gpx": Parameter(5.0, (1.0, 1e6), "GPX: factor for each further distinct query term"),
    "alpha": Parameter(0.6, (0.0, 1.0), "XFIRM: factor of a leaf's score for each arc upwards"),
    "pivot": Parameter(0.5, (0.0, 1.0), "result fusion: share of the document in an element's score"),
}

# parameters that a search computes: the length of a text block, and the focus of the query
COMPUTED = frozenset({"block", "focus"})

# smallest legal distance from 0 of a value that is not 0: quotients by smaller numbers overflow
SMALLEST = 1e-9

PARAMETERS: dict[str, tuple[Any, ...]] = {name: each.legal for name, each in TABLE.items()}


@lru_cache(256)
def defaults(names: tuple[str, ...] | frozenset[str]) -> Mapping[str, ParameterValue]:
    """Return the defaults of the named parameters, in the order of the table."""
    return MappingProxyType({name: each.default for name, each in TABLE.items() if name in names})


def with_defaults(names: tuple[str, ...] | frozenset[str], given: Mapping[str, object] | None = None) -> Parameters:
    """Return all given parameters, and the defaults of those among `names` that are not given."""
    return cast(Parameters, {**defaults(names), **(given or {})})


def without_computed(values: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
    """Return the parameters that a user can give, with their values."""
    return {name: value for name, value in values.items() if name not in COMPUTED}


def check_parameter(name: str, value: Any, called: str = "") -> ParameterValue:
    """Return a parameter's value in its type; raises SettingsError when it is out of range.

    Args:
        called: the name in error messages, if the user's name for it is another.
    """
    legal = PARAMETERS.get(name)
    if legal is None:
        raise SettingsError(f"'{name}' is not a parameter of a similarity: known are {', '.join(PARAMETERS)}.")
    called = called or name
    if isinstance(legal[0], str):
        if value not in legal:
            raise SettingsError(f"{called} = {shown_text(value)}: expected one of {', '.join(legal)}.")
        return str(value)
    if isinstance(legal[0], bool):
        if str(value).lower() not in ("true", "false"):
            raise SettingsError(f"{called} = {shown_text(value)}: expected true or false.")
        return str(value).lower() == "true"
    try:
        number = type(legal[0])(str(value))
    except ValueError:
        number = math.nan
    if not legal[0] <= number <= legal[1]:
        raise SettingsError(f"{called} = {shown_text(value)}: expected a number from {legal[0]:g} to {legal[1]:g}.")
    if 0 < abs(number) < SMALLEST:
        raise SettingsError(
            f"{called} = {shown_text(value)}: expected 0, or a number from {SMALLEST:g} to {legal[1]:g}."
        )
    if name == "weight_bits" and number == 1:
        raise SettingsError(
            f"{called} = '1': a mantissa of one bit represents nothing: expected 0 (exact), or 2 to 52."
        )
    return float(number) if isinstance(legal[0], float) else int(number)
