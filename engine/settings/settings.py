"""The settings of a search, typed, and values that depend on several of them; `rows.py` has each one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from functools import cache
from os import PathLike, fspath
from typing import Any, Protocol, TypeVar, Unpack

from engine.errors import SettingsError
from engine.records import dataclass
from engine.settings.catalogue import ELEMENT_PARAMETERS, FIELDS, IMAGES, KINDS, PREFIX, ROWS, SCORING, SEARCH, SEMANTIC
from engine.settings.defaults import adapts, companions, default_values, scores_elements, usual_values
from engine.settings.given import (
    article_parameters,
    check_functions,
    check_types,
    element_parameters,
    given_options,
    unit_of,
)
from engine.settings.kinds.value_types import SIBLINGS, Plain
from engine.settings.kinds.values import ParameterMapping
from engine.settings.resolution import (
    check_answers,
    check_encoder,
    check_floor,
    check_lengths,
    check_passages_and_budget,
    check_scope,
    default_heuristic,
    resolved_answers,
    resolved_reading,
)
from engine.settings.setting_values import SettingOptions, SettingValues
from engine.similarity.expression import Expression
from engine.similarity.named_expressions import defaults_of, is_own, named_expression
from engine.similarity.parameters import without_computed
from engine.threads import cached_property
from engine.wording import shown

Value = TypeVar("Value")

# Numbers of answers for which the settings that differ in nothing else are cached.
MOST_LENGTHS = 16


class HasSettings(Protocol):
    """A run with the settings that made it."""

    @property
    def settings(self) -> Mapping[str, str]:
        """Values by name, as text."""


@dataclass(frozen=True, repr=False)
class Settings(SettingValues):
    """How a query is answered. None means no bound, or a value that is estimated.

    parameters, element_parameters: those of `similarity` and `element_similarity` that differ from their defaults; see
        `engine.similarity`.
    """

    parameters: ParameterMapping = field(default_factory=ParameterMapping)
    element_parameters: ParameterMapping = field(default_factory=lambda: ParameterMapping(ELEMENT_PARAMETERS))

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            value = getattr(self, name)
            if isinstance(value, PathLike) and kind.is_typed(fspath(value)):
                value = fspath(value)
                object.__setattr__(self, name, value)
            if not kind.is_typed(value):
                check_types({name: value})
                raise _not_typed(name, value)
        for name in ("parameters", "element_parameters"):
            if not isinstance(getattr(self, name), ParameterMapping):
                raise TypeError(f"{name}: expected ParameterMapping, got {shown(getattr(self, name))}.")

    @classmethod
    def from_options(cls, base: Settings | None = None, /, **options: Unpack[SettingOptions]) -> Settings:
        """Return the base (by default the defaults) with the given settings changed.

        Values are typed, or text as in files and on the command line: `old_spelling=True` or "on", `min_words=40`,
        "0.5x" or `Length(0.5, relative=True)`, `max_matches=None` or "all". Parameters of the article similarity are
        given by name (`k1=1.95`), or together as `parameters`; those of the element similarity have a prefix
        (`element_k1=3.4`). `preset="thesis-tuned"` sets the parameters that the thesis tuned.

        A similarity of elements sets `element_similarity` and `rank_by="score"`; a heuristic sets
        `rank_by="structure"`; `rank_by` itself takes precedence. `max_sentences` sets `unit="sentence"` where elements
        are scored, unless `unit` is given. `passages=True` is another word for `unit="sentence"`, `passages=False` for
        "element", and `passage_focus=0.7`, beside passages, for `unit=0.7`. Where elements are ranked by another
        similarity than `adaptive`, or by structure, settings that still have their defaults get the `fixed` ones of
        `rows.py`.
        Raises: SettingsError that names the setting, the value, and what is legal; TypeError for another base.
        """
        if not isinstance(base, Settings | None):
            raise TypeError(f"base: expected Settings, got {type(base).__name__}.")
        settings = base or default_settings()
        given = given_options(options, settings.similarity)
        changed = dict(given.settings)
        if "answers" in changed:
            changed.setdefault("heuristic", default_heuristic(changed["answers"], settings.heuristic))
        former = dict(given.former)
        if "max_sentences" in changed and "unit" not in changed and scores_elements({**vars(settings), **changed}):
            former.setdefault("passages", True)
        if former:
            changed["unit"] = unit_of(former, changed.get("unit", settings.unit))
        settings = replace(settings, **{**companions(vars(settings), changed), **changed})
        return replace(
            settings,
            parameters=article_parameters(
                settings.similarity,
                settings.parameters,
                given.preset,
                given.of_articles,
                scores_elements=settings.rank_by == "score",
            ),
            element_parameters=element_parameters(
                settings.element_similarity, settings.element_parameters, given.of_elements
            ),
        )

    @classmethod
    def from_run(cls, run: HasSettings, /, **options: Unpack[SettingOptions]) -> Settings:
        """Return the settings that a run records, changed by others.

        >>> Settings.from_run(foxir.read_run("runs/okapi.xml"), max_answers=100)   # doctest: +SKIP

        Args:
            options: a function that the run names is imported only where one of these names it, too.
        Raises: SettingsError for a run without settings of foxir, or with others than this foxir has, or functions.
        """
        settings = getattr(run, "settings", None)
        if not isinstance(settings, Mapping):
            raise TypeError(f"run: expected a Run, as read_run returns it, got {type(run).__name__}.")
        if "approach" not in settings:
            raise SettingsError("the run records no settings of foxir: name one that foxir run wrote.")
        check_functions(settings, options, "the run")
        return cls.from_options(cls.from_options(**settings), **options)

    @property
    def passages(self) -> bool:
        """Whether answers can be passages: what `auto` is within a word budget depends on the collection."""
        return self.unit not in ("element", SIBLINGS) and (self.unit != "auto" or self.word_budget is not None)

    @property
    def orders_by_meaning(self) -> bool:
        """Whether an encoder or a reranker orders the best answers anew."""
        return self.semantic is not None or self.reranker is not None

    @property
    def own_functions(self) -> tuple[str, ...]:
        """The functions of the user, or of other packages, that similarities and parts of the score are."""
        similarities = [each for each in (self.similarity, self.element_similarity) if is_own(each)]
        parts = [] if self.score_parts is None else [name for name, _ in self.score_parts.weights]
        return (*similarities, *parts)

    @property
    def element_expression(self) -> Expression:
        """The Q-expression of the element score."""
        return named_expression(self.element_similarity)

    @property
    def all_element_parameters(self) -> ParameterMapping:
        """All parameters of the element similarity, defaults included."""
        return ParameterMapping({**self.element_expression.defaults, **self.element_parameters})

    def for_query(self, *, is_path: bool) -> Settings:
        """Return the settings for one query, a path query or words, with `reading` and `answers` other than auto.

        Raises: SettingsError for settings that exclude one another; QueryError for words where a path query is needed.
        """
        return self._for_path_query if is_path else self._for_words

    def with_max_answers(self, max_answers: int) -> Settings:
        """Return the settings with another `max_answers`: the same object each time, as programs repeat few numbers."""
        if max_answers == self.max_answers:
            return self
        known = self._of_lengths
        found = known.get(max_answers)
        if found is None:
            if len(known) >= MOST_LENGTHS:
                known.clear()
            found = known[max_answers] = replace(self, max_answers=max_answers)
        return found

    @cached_property
    def _computed(self) -> dict[Callable[[Settings], Any], Any]:
        """Results of functions of these settings, see `computed_once`; neither compared nor pickled."""
        return {}

    @cached_property
    def _of_lengths(self) -> dict[int, Settings]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without cached values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def _for_path_query(self) -> Settings:
        return self._resolved(is_path=True)

    @cached_property
    def _for_words(self) -> Settings:
        return self._resolved(is_path=False)

    def _resolved(self, *, is_path: bool) -> Settings:
        check_lengths(self.min_words, self.max_words)
        check_scope(self.approach, self.inside, self.outside)
        check_encoder(self.semantic, self.reranker, self.approach, self.rank_by)
        check_passages_and_budget(self.approach, self.rank_by, self.unit, self.word_budget)
        check_floor(self.approach, self.rank_by, self.min_score)
        reading = resolved_reading(self.reading, self.approach, is_path=is_path)
        answers = resolved_answers(self.answers, reading, self.rank_by)
        check_answers(answers, reading, self.approach, self.rank_by, is_automatic=self.reading == "auto")
        return replace(self, reading=reading, answers=answers)

    def to_dict(self) -> dict[str, Plain]:
        """Return the settings that apply, as TOML and JSON have them, with all parameters; "all" for no bound.

        Settings of scored elements are left out where elements are not scored; those of fields and images where they
        have their defaults, as few queries have any; those of meaning where there is no encoder; parts from outside
        where there are none.
        """
        resolved = replace(self, answers=resolved_answers(self.answers, self.reading, self.rank_by))
        settings = {name: kind.plain(getattr(resolved, name)) for name, kind in SEARCH.items()}
        for name, kind in (FIELDS | IMAGES).items():
            if getattr(self, name) != getattr(default_settings(), name):
                settings[name] = kind.plain(getattr(self, name))
        if self.approach != "native":
            settings |= defaults_of(self.similarity)
        settings |= self.parameters
        if self.rank_by == "structure" or self.approach == "fulltext":
            return settings
        settings |= {name: kind.plain(getattr(self, name)) for name, kind in SCORING.items()}
        if self.score_parts is None:
            del settings["score_parts"]
        if self.orders_by_meaning:
            settings |= {name: kind.plain(getattr(self, name)) for name, kind in SEMANTIC.items()}
        of_elements = {**without_computed(self.element_expression.defaults), **self.element_parameters}
        return settings | {PREFIX + name: value for name, value in of_elements.items()}

    def all_values(self) -> dict[str, Plain]:
        """Return all settings and parameters, those that do not apply included, as given: `auto` is not resolved.

        `from_options` makes equal settings of them, whatever its base.
        """
        settings = {name: kind.plain(getattr(self, name)) for name, kind in KINDS.items()}
        of_articles = {**defaults_of(self.similarity), **self.parameters}
        of_elements = {**without_computed(self.element_expression.defaults), **self.element_parameters}
        return {**settings, **of_articles, **{PREFIX + name: value for name, value in of_elements.items()}}

    def describe(self) -> dict[str, str]:
        """Return the settings that apply as text, as run files have them."""
        return {name: _text(value) for name, value in self.to_dict().items()}

    def __repr__(self) -> str:
        usual = usual_values(adapts=adapts(vars(self)))
        changed: dict[str, Any] = {} if self.heuristic == usual["heuristic"] else {"rank_by": self.rank_by}
        for each in fields(self):
            value = getattr(self, each.name)
            if value == usual[each.name]:
                continue
            if each.name in KINDS:
                changed[each.name] = value if value is None else KINDS[each.name].plain(value)
            elif each.name == "parameters":
                changed |= value
            else:
                changed |= {PREFIX + name: self.all_element_parameters[name] for name in self._shown(usual)}
        if "max_sentences" in changed and scores_elements(vars(self)):
            changed.setdefault("unit", self.unit)
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _shown(self, usual: Mapping[str, Any]) -> list[str]:
        """Return the element parameters that the repr shows: those set, and those set in the defaults."""
        legal = without_computed(self.element_expression.defaults)
        return list(
            dict.fromkeys(name for name in (*usual["element_parameters"], *self.element_parameters) if name in legal)
        )


# What `help` shows.
Settings.__doc__ = f"{Settings.__doc__}\n" + "\n".join(f"    {row.name}: {row.described(str)}" for row in ROWS)


@cache
def default_settings() -> Settings:
    """Return the engine's defaults."""
    return Settings(**default_values())


def _not_typed(name: str, value: Any) -> SettingsError:
    """Return the error for a value that is illegal, or legal only as an option of `Settings.from_options`."""
    try:
        typed = KINDS[name].parse(name, value)
    except SettingsError as error:
        return error if error.notice is not None else SettingsError(f"{name}: {error}")
    return SettingsError(f"{name} = {shown(value)}: expected {typed!r}; Settings.from_options converts such values.")


def _text(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def computed_once(settings: Settings, compute: Callable[[Settings], Value]) -> Value:
    """Return the result of a function of settings alone; it is cached with them."""
    cache = settings._computed
    if compute not in cache:
        cache[compute] = compute(settings)
    found: Value = cache[compute]
    return found
