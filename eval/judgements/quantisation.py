"""Quantisations: functions from exhaustivity and specificity to one relevance value, without normalisation.

2002-2004 judge both dimensions from 0 to 3; from 2005 on exhaustivity is 0, 1, 2 or ``?`` (too small) and specificity
the share of highlighted text, s. If exhaustivity was not judged, the value depends on s only. ``strict`` and ``gen``
are defined on both scales; the scale of the judgements selects one.
Sources: the thesis, chapter 2; Kazai & Lalmas, INEX 2005 evaluation metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import MeasureError
from eval.judgements.judgements import NOT_JUDGED, TOO_SMALL, Judgements, Scale
from eval.numbers import FloatArray

ExhaustivityArray: TypeAlias = npt.NDArray[np.int8]
QuantisationFunction: TypeAlias = Callable[[ExhaustivityArray, FloatArray], FloatArray]
Dimensions: TypeAlias = Literal["graded", "highlighted"]


@dataclass(frozen=True)
class Quantisation:
    """A named quantisation on one kind of scale; ``function`` maps arrays (exhaustivity, specificity) to [0, 3]."""

    name: str
    dimensions: Dimensions
    formula: str
    function: QuantisationFunction

    def __call__(self, exhaustivity: ExhaustivityArray, specificity: FloatArray) -> FloatArray:
        """Return the value of every judgement, float64, shape as given."""
        return self.function(exhaustivity, specificity)


QUANTISATIONS: dict[tuple[Dimensions, str], Quantisation] = {}


def _register(name: str, dimensions: Dimensions, formula: str, function: QuantisationFunction) -> None:
    QUANTISATIONS[dimensions, name] = Quantisation(name, dimensions, formula, function)


def _graded(table: Sequence[Sequence[float]]) -> QuantisationFunction:
    """Return the function that looks up ``table[E][S]``."""
    values = np.array(table, dtype=np.float64)

    def look_up(exhaustivity: ExhaustivityArray, specificity: FloatArray) -> FloatArray:
        return values[exhaustivity.astype(np.intp), specificity.astype(np.intp)]

    return look_up


_NOTHING = [0.0, 0.0, 0.0, 0.0]
_register("strict", "graded", "1 iff E3S3", _graded([_NOTHING, _NOTHING, _NOTHING, [0, 0, 0, 1]]))
_register(
    "gen",
    "graded",
    "1: E3S3; 0.75: E2S3, E3S2, E3S1; 0.5: E1S3, E2S2, E2S1; 0.25: E1S2, E1S1",
    _graded([_NOTHING, [0, 0.25, 0.25, 0.5], [0, 0.5, 0.5, 0.75], [0, 0.75, 0.75, 1]]),
)
_register(
    "sog",
    "graded",
    "1: E3S3; 0.9: E2S3; 0.75: E1S3, E3S2; 0.5: E2S2; 0.25: E1S2, E3S1; 0.1: E2S1, E1S1",
    _graded([_NOTHING, [0, 0.1, 0.25, 0.75], [0, 0.1, 0.5, 0.9], [0, 0.25, 0.75, 1]]),
)
_register("e3s321", "graded", "1 iff E3 and S above 0", _graded([_NOTHING, _NOTHING, _NOTHING, [0, 1, 1, 1]]))
_register("s3e321", "graded", "1 iff S3 and E above 0", _graded([_NOTHING, *[[0, 0, 0, 1]] * 3]))
_register("anyrel", "graded", "1 iff E and S above 0", _graded([_NOTHING, *[[0, 1, 1, 1]] * 3]))
_register("e_only", "graded", "E/3", _graded([_NOTHING, *[[0, e / 3, e / 3, e / 3] for e in (1, 2, 3)]]))
_register("s_only", "graded", "S/3", _graded([_NOTHING, *[[0, 1 / 3, 2 / 3, 1]] * 3]))


def _share(specificity: FloatArray) -> FloatArray:
    """Return specificity as a share of at most 1: rsize can exceed size by a few characters."""
    return np.minimum(specificity, 1.0)


def _fully(share: FloatArray) -> FloatArray:
    """Return 1 where all text is highlighted, else 0."""
    return np.where(share == 1.0, 1.0, 0.0)


def _highlighted(
    by_grade: QuantisationFunction, without_grade: Callable[[FloatArray], FloatArray]
) -> QuantisationFunction:
    """Return the function that applies ``by_grade`` where exhaustivity was judged, ``without_grade`` elsewhere."""

    def value(exhaustivity: ExhaustivityArray, specificity: FloatArray) -> FloatArray:
        share = _share(specificity)
        return np.where(exhaustivity == NOT_JUDGED, without_grade(share), by_grade(exhaustivity, share))

    return value


_register(
    "strict",
    "highlighted",
    "1 iff E = 2 and s = 1",
    _highlighted(lambda e, s: np.where(e == 2, _fully(s), 0.0), _fully),
)
_register("gen", "highlighted", "E s; ? counts 0", _highlighted(lambda e, s: np.where(e > 0, e * s, 0.0), _share))
_register(
    "genlifted",
    "highlighted",
    "(E + 1) s; ? counts s; E = 0 counts 0",
    _highlighted(lambda e, s: np.where(e == TOO_SMALL, s, np.where(e > 0, (e + 1.0) * s, 0.0)), _share),
)
_register(
    "fullyspec",
    "highlighted",
    "1 iff s = 1 and E is not 0",
    _highlighted(lambda e, s: np.where(e != 0, _fully(s), 0.0), _fully),
)
_register("binexh", "highlighted", "s iff E is not 0", _highlighted(lambda e, s: np.where(e != 0, s, 0.0), _share))


def dimensions(scale: Scale) -> Dimensions:
    """Return the kind of the dimensions of a scale."""
    return "graded" if scale in ("2002", "2003") else "highlighted"


def quantisation(name: str, scale: Scale) -> Quantisation:
    """Return the quantisation with a name (case ignored) on a scale; MeasureError for an unknown one."""
    kind = dimensions(scale)
    found = QUANTISATIONS.get((kind, name.lower()))
    if found is None:
        names = ", ".join(other for k, other in QUANTISATIONS if k == kind)
        raise MeasureError(f"there is no quantisation {name!r} for judgements of {scale}; choose one of: {names}.")
    return found


def quantised(judgements: Judgements, name: str) -> FloatArray:
    """Return the value of every judged element of a topic, shape (n_elements,)."""
    function = quantisation(name, judgements.scale)
    return function(judgements.elements.exhaustivity, judgements.elements.specificity)
