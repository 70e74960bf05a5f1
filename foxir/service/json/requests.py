"""Requests as values: the checked parameters of their addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus

from starlette.requests import Request

import foxir
from engine.planning.plan import ExampleImage
from engine.settings import Settings, default_settings
from engine.settings.catalogue import FORMER, KINDS, PREFIX, ROWS
from engine.settings.unused_options import WITHOUT_IMAGES
from engine.similarity.parameters import PARAMETERS
from engine.threads import cached_property
from engine.wording import did_you_mean, nearest
from foxir.foreign_names import foreign_names
from foxir.searching.search_settings import REPEATED, merged_settings, parsed_settings, together
from foxir.service.example_image import example_of
from foxir.service.http.problems import ProblemError
from foxir.service.http.root_path import root_path
from foxir.service.state import ServiceState


def fitting_base(base: Settings | None, given: Mapping[str, Any], *, has_images: bool) -> Settings | None:
    """Return the served settings without those that the request's own settings, or its images, exclude.

    Args:
        given: settings of the request; none of them is changed, so that those that exclude one another are refused.

    Raises: SettingsError for a setting of the request that is not legal.
    """
    if base is None:
        return None
    asked = merged_settings(base, given)
    whole = asked.approach == "fulltext"
    by_structure = asked.rank_by == "structure" and not whole
    by_images = has_images and asked.image_weight > 0
    excluded: dict[str, Any] = {}
    if whole or by_structure or by_images:
        excluded |= {"semantic": None, "reranker": None}
    if by_structure or (by_images and not whole):
        excluded["unit"] = "element"
    if by_structure:
        excluded["word_budget"] = None
    if whole:
        excluded |= {"inside": None, "outside": None}
    return replace(base, **excluded)


# Answers of one response, and the last rank that can be asked for.
MOST_ANSWERS = 100
LAST_RANK = 10_000
KEYWORDS = "keywords"
# Bounds of a query, which a request may lower.
BOUNDS = ("max_terms", "max_query_memory", "max_seconds")
FACETS = ("kind", "tag", "folder")
# Between the values of a facet that an address gives several times; no value has it.
OR = "\0"
# How answers stand: those of a document together, or one by one.
GROUPS = ("none", "document")
ROW = {row.name: row for row in ROWS}
# Settings whose values can be functions.
FUNCTIONS = ("similarity", "element_similarity", "score_parts", "reranker")
SETTINGS = frozenset({*KINDS, *FORMER, "preset", "named", "task", *PARAMETERS, *(PREFIX + name for name in PARAMETERS)})


@dataclass(frozen=True)
class SearchRequest:
    """A search: the query and how it is read, the index, the page of answers, facets, and settings as given.

    image: an example image as text. group: whether answers stand by document, one of GROUPS, or "" for what is usual
        there. max_seconds: time that the service allows. base: settings that those of the request
        change; what they set as bounds of a query is the most that it may take.
    facets: values of which an answer has one, by facet.
    given: settings by name. Without a `syntax`, every text with a word in it is a query, of keywords.
    """

    query: str = ""
    image: str = ""
    index: str = ""
    offset: int = 0
    limit: int = 10
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    max_seconds: float | None = None
    base: foxir.Settings | None = None

    def settings(self) -> foxir.Settings:
        """Return the settings, with the bounds of a query that the service allows at most.

        Raises: ProblemError 422 for a wrong one.
        """
        given: dict[str, Any] = dict(self.given)
        if self.base is None or self.base.syntax == "auto":
            given.setdefault("syntax", KEYWORDS)
        if self.base is None and self.max_seconds is not None:
            given.setdefault("max_seconds", self.max_seconds)
        served = "none" if self.base is None or self.base.semantic is None else self.base.semantic
        if given.get("semantic", served) not in ("none", served):  # a name is a function that would be imported
            raise ProblemError(
                422,
                f"semantic = {given['semantic'][:40]!r}: the encoder of this service is {served}; foxir serve "
                "INDEX --settings FILE names another one.",
                "setting",
            )
        for name in FUNCTIONS:
            value = given.get(name, "none")
            names_one = ":" in value or (name == "score_parts" and value != "none")
            if names_one and value != str(getattr(self.base, name, None)):
                raise ProblemError(
                    422,
                    f"{name} = {value[:40]!r}: a request names no function, which would be imported: foxir serve INDEX "
                    "--settings FILE names one for all.",
                    "setting",
                )
        if given.get("synonyms", "none") not in ("none", None if self.base is None else self.base.synonyms):
            raise ProblemError(
                422,
                "synonyms: a request names no file: foxir serve INDEX --settings FILE names one for all.",
                "setting",
            )
        try:
            base = fitting_base(self.base, given, has_images=self.has_images)
            found = parsed_settings(base, given)
        except foxir.FoxirError as error:
            raise ProblemError(422, error, "setting") from None
        bounds = {name: getattr(self.base or default_settings(), name) for name in BOUNDS}
        if self.max_seconds is not None:
            bounds["max_seconds"] = min(self.max_seconds, bounds["max_seconds"] or self.max_seconds)
        exceeded = {
            name: bound
            for name, bound in bounds.items()
            if bound is not None and (getattr(found, name) is None or getattr(found, name) > bound)
        }
        return foxir.make_settings(found, **exceeded) if exceeded else found

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return not self.query.strip() and not self.image and "where" not in self.given

    @property
    def has_images(self) -> bool:
        """Whether the request has an example image, or its path query names one."""
        return bool(self.image) or (self.query.lstrip().startswith("/") and "src:" in self.query)

    def check_image_weight(self) -> None:
        """Raise ProblemError 422 where the request gives `image_weight`, but no example image."""
        if "image_weight" in self.given and not self.has_images:
            raise ProblemError(422, WITHOUT_IMAGES, "setting")

    def images(self) -> tuple[ExampleImage, ...]:
        """Return the example image beside those of the query; raises ProblemError 422 for a wrong text."""
        return (example_of(self.image),) if self.image else ()

    def address(self, page: str, **changed: Any) -> str:
        """Return the address of a page for this search, with parameters changed; None and "" take one away."""
        kept = [pair for name, pair in self._pairs.items() if name not in changed]
        added = [in_pairs(name, value) for name, value in changed.items() if value not in ("", None, ())]
        return f"{root_path()}{page}?{'&'.join([*kept, *added])}"

    @cached_property
    def _pairs(self) -> dict[str, str]:
        """Each parameter with its value as addresses have them, by name; defaults are left out."""
        every: dict[str, Any] = {
            "q": self.query,
            "image": self.image,
            "index": self.index,
            "offset": self.offset or "",
            "limit": self.limit if self.limit != SearchRequest().limit else "",
            **self.facets,
            "group": self.group,
            **self.given,
        }
        return {name: in_pairs(name, value) for name, value in every.items() if value not in ("", ())}


def in_pairs(name: str, value: Any) -> str:
    """Return a parameter as addresses have it, with each of several values."""
    return "&".join(f"{name}={in_address(str(each))}" for each in (value if isinstance(value, tuple) else (value,)))


@lru_cache(8192)
def in_address(value: str) -> str:
    """Return a value as addresses have it; remembered, as links of a page repeat documents and steps of paths."""
    return quote_plus(value)


def search_request(
    parameters: Mapping[str, str],
    *,
    max_query: int,
    max_seconds: float | None = None,
    base: foxir.Settings | None = None,
    others: frozenset[str] = frozenset(),
) -> SearchRequest:
    """Return the request of the parameters of an address; empty ones count as not given.

    base: settings that those of the request change. others: names that belong to the page and not to the search.

    Raises: ProblemError 422 for an unknown name or a value out of range, 413 for a query that is too long.
    """
    given = {name: value for name, value in parameters.items() if value != ""}
    known = {"q", "image", "index", "offset", "limit", "group", *FACETS}
    for name in given:
        if name not in known | SETTINGS | others:
            raise ProblemError(422, f"unknown parameter {name[:40]!r}: {_meant(name, known | others)}", "parameter")
    query = given.get("q", "")
    check_query(query, max_query)
    return SearchRequest(
        query=query,
        image=given.get("image", ""),
        index=given.get("index", ""),
        offset=whole("offset", given.get("offset", "0"), 0, LAST_RANK),
        limit=whole("limit", given.get("limit", "10"), 1, MOST_ANSWERS),
        facets={name: tuple(dict.fromkeys(given[name].split(OR))) for name in FACETS if name in given},
        given={name: value for name, value in given.items() if name in SETTINGS},
        group=one_of("group", given["group"], GROUPS) if "group" in given else "",
        max_seconds=max_seconds,
        base=base,
    )


def _meant(name: str, known: Set[str]) -> str:
    """Return the likely meaning of an unknown parameter: a similar name, here or in other programs."""
    elsewhere = foreign_names("parameters")
    found = nearest(name[:40], [*sorted(known | SETTINGS), *elsewhere])
    hint = f"did you mean '{elsewhere.get(found, found)}'? " if found else ""
    return f"{hint}see /openapi.json."


def check_query(query: str, max_query: int) -> None:
    """Raise ProblemError for a query that is too long or has characters that no document has."""
    if len(query) > max_query:
        raise ProblemError(413, f"the query has {len(query):,} characters; at most {max_query:,} are read.", "query")
    if any("\ud800" <= character <= "\udfff" or character == "\0" for character in query):
        raise ProblemError(422, "the query contains characters that are not text.", "query")


def whole(name: str, value: str, lowest: int, highest: int) -> int:
    """Return a whole number within bounds; raises ProblemError 422."""
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 19 else lowest - 1
    if not lowest <= number <= highest:
        raise ProblemError(
            422, f"{name} = {value[:40]!r}: expected a whole number from {lowest:,} to {highest:,}.", "parameter"
        )
    return number


def one_of(name: str, value: str, names: tuple[str, ...]) -> str:
    """Return one of the choices; raises ProblemError 422."""
    if value not in names:
        raise ProblemError(
            422, f"{name} = {value[:40]!r}: {did_you_mean(value, names)}expected {', '.join(names)}.", "parameter"
        )
    return value


# No and yes.
FLAGS = ("0", "1")
# What a parameter is that must be given.
EXPECTED = {
    "topic": "the id of a topic, of those that /judge lists",
    "q": "a query",
    "document": "the id of a document, as answers have it",
    "path": "the path of an element, as answers have it",
    "place": "the number of an element in its document",
    "start": "the number of the first character",
    "end": "the number after that of the last character",
    "first": "the name of an assessor",
    "second": "the name of an assessor",
}


def asked_of(state: ServiceState, given: Mapping[str, str], others: frozenset[str] = frozenset()) -> SearchRequest:
    """Return the search that an address asks for, within the limits of the service; raises ProblemError 413, 422."""
    options = state.options
    return search_request(
        given, max_query=options.max_query, max_seconds=options.max_seconds, base=options.settings, others=others
    )


def parameters_of(request: Request) -> dict[str, str]:
    """Return the parameters of the address; see `once`."""
    return once(request.query_params.multi_items())


def once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return parameters by name: several values of a facet joined by OR, those of REPEATED settings together.

    Raises: ProblemError 422 where another one is given twice.
    """
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    found = {name: values[0] for name, values in given.items()}
    for name, values in given.items():
        if len(values) > 1 and name not in (*FACETS, *REPEATED):
            many = ", ".join([*FACETS, *REPEATED])
            raise ProblemError(422, f"parameter {name[:40]!r} is given twice; only {many} may be.", "parameter")
        if len(values) > 1:
            some = [value for value in values if value]
            found[name] = OR.join(some) if name in FACETS else together(ROW[name], some) or ""
    return found


def only(given: Mapping[str, str], known: tuple[str, ...]) -> None:
    """Raise ProblemError 422 for an unknown parameter; none may be known."""
    for name in given:
        if name not in known:
            expected = f"expected {', '.join(known)}" if known else "this address takes none"
            hint = did_you_mean(name[:40], known)
            raise ProblemError(422, f"unknown parameter {name[:40]!r}: {hint}{expected}.", "parameter")


def required(given: Mapping[str, str], name: str) -> str:
    """Return a parameter that must be given; raises ProblemError 422."""
    if not given.get(name):
        found = "is empty" if name in given else "is missing"
        raise ProblemError(422, f"parameter {name!r} {found}: expected {EXPECTED.get(name, 'a value')}.", "parameter")
    return given[name]


def flag(given: Mapping[str, str], name: str) -> bool:
    """Return whether a parameter is 1; raises ProblemError 422 for anything but 0 and 1."""
    value = given.get(name) or "0"
    if value not in FLAGS:
        raise ProblemError(422, f"{name} = {value[:40]!r}: expected 0 or 1.", "parameter")
    return value == "1"
