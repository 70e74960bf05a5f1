"""The settings of a search: every one has a name, a legal range and a default in `defaults.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from engine import heuristics, scoring_settings, similarity
from engine.errors import QueryError, SettingsError
from engine.scoring_settings import PREFIX, Scoring, scores_elements
from engine.setting_values import count, count_or_all, near, one_of

CHOICES: dict[str, tuple[str, ...]] = {
    "approach": ("hybrid", "fulltext", "native"),
    "match": ("or", "and"),
    "rank": ("structure", "score"),
    "answers": ("auto", "oCRE", "nCRE", "matching", "target", "any", "blocks"),
    "overlap": ("keep", "remove"),
    "reading": ("auto", "CO", "SS", "SV", "VS", "VV"),
    "tags": ("exact", "classes"),
}
TAGS = re.compile(r"//[\w.:-]+|//\([\w.:-]+(\|[\w.:-]+)*\)")  # answers of some tags, as NEXI writes them
BY_STRUCTURE = ("auto", "oCRE", "nCRE", "matching", "target")  # answers that structure can put in order
STRICT_TARGET = ("SS", "SV")
COUNTS = ("articles", "limit")
COUNTS_OR_ALL = ("matches", "per_article")


@dataclass(frozen=True)
class Settings:
    """How a query is answered. None of `matches` and `per_article` means all.

    approach: what ranks: hybrid (elements of ranked articles), fulltext (articles), native (elements, unranked).
    rank: what orders elements: structure (the heuristic, inside their articles), or a score of their own, see
        `engine.scoring_settings` for `scoring`.
    similarity, parameters: how articles are ranked, see `engine.similarity`.
    match: a matching element holds any query term itself (or), or is a lowest that holds all of them (and).
    matches: how many matches of a topic, in the order of their articles, go into CREs.
    answers: oCRE, nCRE, the matching elements themselves, any element that holds a match, blocks (the lowest of these
        that are not too short), elements of some tags (//p, //(sec|p)), or target, the elements that a strict reading
        is about; auto is target for the readings SS and SV, else oCRE, of scored elements any.
    heuristic: the order of answers inside an article, see `engine.heuristics`; document is document order.
    per_article: answers an article; articles: ranked articles that are searched; limit: answers in all.
    overlap: keep answers inside one another, or remove those below or above a better one.
    reading: how structure in a query is read: the letters say whether target and support are strict or vague; CO takes
        a query by its words. auto is CO for words, SS for a path query (where only whole articles are ranked, VV).
    tags: a tag in a query stands for itself (exact), or for its class in the profile: sec for ss1, ss2, ss3 too.
    """

    approach: str
    rank: str
    similarity: str
    match: str
    matches: int | None
    answers: str
    heuristic: str
    per_article: int | None
    articles: int
    limit: int
    overlap: str
    reading: str
    tags: str
    scoring: Scoring
    parameters: Mapping[str, float | str | bool] = field(default_factory=dict)

    @classmethod
    def from_options(cls, base: Settings | None = None, **options: Any) -> Settings:
        """Return the base (by default the engine's defaults) with the given settings changed; None changes nothing.

        Names of similarity parameters (`k1=1.95`) stand beside the others; `preset="tuned"` sets those of the
        similarity that were tuned. A similarity of elements is their `scoring`, and they are ranked by it; a heuristic
        ranks by structure; `rank` said as well decides.
        Raises: SettingsError naming the setting, what was given, and what is legal.
        """
        settings = base or default_settings()
        options = {name: value for name, value in options.items() if value is not None}
        preset = options.pop("preset", None)
        parameters = options.pop("parameters", {})
        if not isinstance(parameters, Mapping):
            raise SettingsError(f"parameters = '{parameters}': expected names and values, such as k1 = 1.2.")
        parameters = dict(parameters)
        if scores_elements(str(options.get("similarity", ""))):
            options = {"rank": "score", **options, "scoring": options["similarity"]}
            del options["similarity"]
        elif "heuristic" in options:
            options = {"rank": "structure", **options}
        known = {each.name for each in fields(cls)} - {"scoring", "parameters"}
        changed: dict[str, Any] = {}
        scoring: dict[str, Any] = {}
        for name, value in options.items():
            if name in scoring_settings.NAMES or name.startswith(PREFIX):
                scoring[name] = value
            elif name in known:
                changed[name] = _checked(name, value)
            elif name in similarity.PARAMETERS:
                parameters[name] = value
            else:
                names = {*known, *scoring_settings.NAMES, *similarity.PARAMETERS, "preset"}
                raise SettingsError(_unknown(name, sorted(names)))
        if "answers" in changed:
            changed.setdefault("heuristic", _usual_heuristic(changed["answers"], settings))
        settings = replace(settings, **changed, scoring=settings.scoring.changed(scoring))
        own = similarity.defaults_of(settings.similarity)
        chosen = similarity.preset(settings.similarity, preset) if preset else settings.parameters
        kept = {name: value for name, value in chosen.items() if name in own}
        checked = {name: similarity.check_parameter(name, value) for name, value in parameters.items()}
        if foreign := sorted(set(checked) - set(own)):
            elements = f", or of the elements' score: {PREFIX}{foreign[0]}" if settings.rank == "score" else ""
            raise SettingsError(
                f"'{foreign[0]}' is no parameter of {settings.similarity}, which has {', '.join(own)}: leave it "
                f"out, or choose the similarity that has it{elements}."
            )
        return replace(settings, parameters={**kept, **checked})

    def for_query(self, *, is_path: bool) -> Settings:
        """Return the settings as they answer one query, a path query or words: neither reading nor answers are auto.

        Raises: SettingsError for a reading and answers, or an approach, that exclude one another; QueryError for words
            where a path query is needed.
        """
        return self._for_path_query if is_path else self._for_words

    @cached_property
    def _for_path_query(self) -> Settings:
        return self._settled(is_path=True)

    @cached_property
    def _for_words(self) -> Settings:
        return self._settled(is_path=False)

    def _settled(self, *, is_path: bool) -> Settings:
        if self.rank == "structure" and self.approach != "fulltext":
            for name, none, value in (
                ("passages", "off", self.scoring.passages == "on"),
                ("budget", "all", self.scoring.budget),
            ):
                if value:
                    raise SettingsError(f"{name}: only scored elements have it: add rank = score, or {name} = {none}.")
        if not is_path and self.reading not in ("auto", "CO", "VV"):
            raise QueryError(
                f"reading {self.reading} needs a path query, found words: write //*[about(., words)], or read them CO."
            )
        ranks_articles = self.approach == "fulltext"
        automatic = "CO" if not is_path else "VV" if ranks_articles else "SS"
        reading = automatic if self.reading == "auto" or not is_path else self.reading
        if ranks_articles and reading not in ("CO", "VV"):
            raise SettingsError(
                f"reading = '{reading}': fulltext ranks whole articles by their words: read it VV, or use hybrid."
            )
        if self.answers == "target" and reading not in STRICT_TARGET and not ranks_articles:
            if self.reading == "auto":
                raise QueryError("answers = 'target' needs a path query, found words: write //*[about(., words)].")
            raise SettingsError(f"answers = 'target': only SS and SV have a strict target, the reading is {reading}.")
        answers = _settled_answers(self.answers, reading, self.rank)
        if self.rank == "structure" and not ranks_articles and answers not in BY_STRUCTURE:
            raise SettingsError(
                f"answers = '{answers}': elements are ranked by structure, which takes {', '.join(BY_STRUCTURE)}: "
                "choose one of these, or rank = 'score'."
            )
        return replace(self, reading=reading, answers=answers)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as strings and numbers, parameters beside the others, `all` for None."""
        plain = {**asdict(self), "answers": _settled_answers(self.answers, self.reading, self.rank)}
        parameters = plain.pop("parameters")
        del plain["scoring"]
        used = similarity.defaults_of(self.similarity) if self.approach != "native" else {}
        plain = {name: "all" if value is None else value for name, value in plain.items()}
        scored = self.scoring.to_dict() if self.rank == "score" and self.approach != "fulltext" else {}
        return {**plain, **used, **parameters, **scored}

    def describe(self) -> dict[str, str]:
        """Return what is written into a run file."""
        return {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in self.to_dict().items()
        }


def _settled_answers(answers: str, reading: str, rank: str) -> str:
    """Return the answers that `auto` stands for, as far as the reading is known."""
    if answers != "auto" or reading == "auto":
        return answers
    return "target" if reading in STRICT_TARGET else "any" if rank == "score" else "oCRE"


def _usual_heuristic(answers: str, settings: Settings) -> str:
    return "document" if answers == "matching" else "MpE" if settings.heuristic == "document" else settings.heuristic


def _checked(name: str, value: Any) -> Any:
    if name == "answers":
        return _checked_answers(str(value))
    if name in CHOICES:
        return one_of(name, str(value), CHOICES[name])
    if name == "similarity":
        return similarity.check_similarity(value)
    if name == "heuristic":
        return one_of(name, str(value), heuristics.NAMES)
    return count_or_all(name, value) if name in COUNTS_OR_ALL else count(name, value)


def _checked_answers(value: str) -> str:
    if TAGS.fullmatch(value):
        return value
    try:
        return one_of("answers", value, CHOICES["answers"])
    except SettingsError as error:
        raise SettingsError(f"{str(error)[:-1]}; or the elements of some tags: //p, //(sec|p).") from None


def _unknown(name: str, known: list[str]) -> str:
    return f"setting '{name}' is unknown: {near(name, known)}known are {', '.join(known)}."


@cache
def default_settings() -> Settings:
    """Return the engine's defaults, from `defaults.toml`."""
    return _from_toml(Path(__file__).with_name("defaults.toml"))


def _from_toml(path: Path) -> Settings:
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    names = scoring_settings.NAMES
    parameters = {name.removeprefix(PREFIX): value for name, value in values.items() if name.startswith(PREFIX)}
    scoring = Scoring(**{name: scoring_settings.checked(name, values[name]) for name in names}, parameters=parameters)
    others = {name for name in values if name not in names and not name.startswith(PREFIX)}
    return Settings(**{name: _checked(name, values[name]) for name in others}, scoring=scoring)


def read_settings(path: str | Path, base: Settings | None = None) -> Settings:
    """Return the settings of a TOML file (`name = value` lines) on top of the base.

    Raises: SettingsError naming the file when it cannot be read or says what is not legal.
    """
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # no UTF-8, no TOML, a number or nesting past all bounds
        raise SettingsError(f'{path}: not a settings file ({error}): write lines like  heuristic = "TPF"') from None
    try:
        return Settings.from_options(base, **values)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None
