"""Path queries the slow and obvious way: trees of lxml, one element at a time.

Only the tree of the query is the engine's. Words, matches, candidates and orders are those of `co_search`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from lxml import etree

from engine.query.nexi.parser import parse_nexi
from engine.query.nexi.tree import About, And, Comparison, Condition, Nexi, Not, Or, RelativePath, Step
from tests.reference import co_search
from tests.reference.co_search import Path, Term

OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Rules:
    """How an index was made, and how terms and tags are compared."""

    inline: Sequence[str] = ()
    skip: Sequence[str] = ()
    stop_words: Sequence[str] = ()
    attributes: Sequence[str] = ()
    classes: Mapping[str, str] | None = None  # tag -> the tag that stands for its class; None: tags are exact
    match: str = "or"


@dataclass(frozen=True)
class Attribute:
    owner: etree._Element
    value: str


@lru_cache(maxsize=64)
def read_words(
    source: str, inline: tuple[str, ...], skip: tuple[str, ...], stop_words: tuple[str, ...]
) -> co_search.Document:
    """Read an article; the same one is searched with many queries."""
    return co_search.Document.read(source, inline, skip, stop_words)


class Tree:
    """An article as a tree, and the same article for its words."""

    def __init__(self, source: str, rules: Rules) -> None:
        self.rules = rules
        self.root = etree.fromstring(source)
        self.words = read_words(source, tuple(rules.inline), tuple(rules.skip), tuple(rules.stop_words))

    @property
    def root_path(self) -> Path:
        return self.path_of[self.root]

    @cached_property
    def path_of(self) -> dict[etree._Element, Path]:
        """Paths of all elements, which come in the same order here and there."""
        return dict(zip(self.root.iter(etree.Element), self.words.elements, strict=True))

    def elements(self) -> list[etree._Element]:
        return list(self.root.iter(etree.Element))

    # --- paths

    def targets(self, steps: Sequence[Step]) -> list[etree._Element]:
        """What the steps lead to from above the root."""
        first, *others = steps
        start = [self.root] if first.axis == "/" else self.elements()
        reached: list[Any] = [e for e in start if self.is_named(e, first)]
        if first.is_attribute:
            reached = [attribute for e in start for attribute in self.own_attributes(e, first)]
        reached = [e for e in reached if self.satisfies(e, first)]
        for step in others:
            reached = [e for above in reached for e in self.step(above, step) if self.satisfies(e, step)]
        owners = [e.owner if isinstance(e, Attribute) else e for e in reached]
        return [e for e in self.elements() if e in owners]

    def step(self, element: etree._Element, step: Step) -> Iterator[Any]:
        """Elements, or attributes, that one step leads to."""
        below = list(element.iterdescendants(etree.Element))
        if step.is_attribute:
            for owner in [element] if step.axis == "/" else [element, *below]:
                yield from self.own_attributes(owner, step)
        else:
            children = list(element.iterchildren(etree.Element))
            yield from (e for e in (children if step.axis == "/" else below) if self.is_named(e, step))

    def own_attributes(self, element: etree._Element, step: Step) -> Iterator[Attribute]:
        chain = [element, *element.iterancestors()]
        if any(co_search._name(above) in self.rules.skip for above in chain):
            return
        for name, value in element.attrib.items():
            local = etree.QName(name).localname
            if local in step.names and local in self.rules.attributes:
                yield Attribute(element, str(value))

    def is_named(self, element: etree._Element, step: Step) -> bool:
        classes = self.rules.classes or {}
        name = co_search._name(element)
        return not step.names or classes.get(name, name) in [classes.get(each, each) for each in step.names]

    # --- conditions

    def satisfies(self, element: Any, step: Step) -> bool:
        return all(self.holds(element, condition, step) for condition in step.conditions)

    def holds(self, element: etree._Element, condition: Condition, step: Step) -> bool:
        """Whether an element that a step leads to satisfies a condition."""
        if isinstance(condition, And):
            return all(self.holds(element, part, step) for part in condition.parts)
        if isinstance(condition, Or):
            return any(self.holds(element, part, step) for part in condition.parts)
        if isinstance(condition, Not):
            return not self.holds(element, condition.part, step)
        addressed = self.addressed(element, condition.path)
        if isinstance(condition, About):
            has_name = bool([step, *condition.path.steps][-1].names)
            return any(self.is_about(each, terms_of([condition], self.rules), has_name) for each in addressed)
        return any(compares(self.text(each), condition) for each in addressed)

    def addressed(self, element: etree._Element, path: RelativePath) -> list[Any]:
        reached: list[Any] = [element]
        for step in path.steps:
            reached = [each for above in reached for each in self.step(above, step)]
        return reached

    def is_about(self, addressed: Any, terms: Sequence[Term], has_name: bool) -> bool:
        """Whether a match of the terms lies in an element or below it, or an attribute's value is one.

        An inline element that is asked for by name is about the words that begin inside it.
        """
        plain = [term if term.sign == "-" else replace(term, sign="") for term in terms]
        if isinstance(addressed, Attribute):
            return value_matches(addressed.value, plain, self.rules)
        at = self.path_of[addressed]
        if self.itself_holds_unwanted(at, plain):
            return False
        if not all(holds_term(self, self.root_path, [term]) for term in terms if term.sign == "+"):
            return False
        if has_name:
            wanted = [term.count_in(self.words.elements[at].inside) > 0 for term in plain if term.sign != "-"]
            if wanted and (all if self.rules.match == "and" else any)(wanted):
                return True
        matches = co_search.find_matches(self.words, plain, self.rules.match)
        return any(path == at or co_search.is_below(path, at) for path in matches)

    def itself_holds_unwanted(self, path: Path, terms: Sequence[Term]) -> bool:
        own = self.words.elements[path]
        return any(term.count_in([*own.runs, *own.inside]) for term in terms if term.sign == "-")

    def text(self, addressed: Any) -> str:
        if isinstance(addressed, Attribute):
            return addressed.value
        return "".join(addressed.xpath(".//text()"))


def value_matches(value: str, terms: Sequence[Term], rules: Rules) -> bool:
    words = [word.casefold() for word in co_search.WORD.findall(value)]
    alone = co_search.Element((("value", 1),), False, [[None if word in rules.stop_words else word for word in words]])
    held = [bool(term.count(alone)) for term in terms if term.sign != "-"]
    unwanted = any(term.count(alone) for term in terms if term.sign == "-")
    return bool(held) and (all if rules.match == "and" else any)(held) and not unwanted


def compares(text: str, condition: Comparison) -> bool:
    compare = OPERATORS[condition.operator]
    if isinstance(condition.value, str):
        return bool(compare(" ".join(text.split()), " ".join(condition.value.split())))
    if re.fullmatch(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*", text):
        return bool(compare(float(text), condition.value))
    return condition.operator == "!="


def terms_of(abouts: Sequence[About], rules: Rules) -> list[Term]:
    return co_search.parse(" ".join(str(term) for about in abouts for term in about.terms), rules.stop_words)


# --- the whole line


def search(
    sources: Mapping[str, str], query: str, reading: str, rules: Rules, **settings: Any
) -> list[tuple[str, str]]:
    """Return (document, path) of every answer, best first."""
    s = {**co_search.DEFAULTS, **settings}
    nexi = parse_nexi(query)
    terms = text_terms(nexi, reading, rules)
    trees = {name: Tree(source, rules) for name, source in sources.items()}
    documents = {name: tree.words for name, tree in trees.items()}
    ranked = [name for name, _ in co_search.rank(documents, terms, s)]
    if reading == "SS":
        ranked += [name for name in sorted(documents) if not holds_any_word(trees[name], terms)]
        ranked = sorted(ranked) if s["approach"] == "native" else ranked
    answers: list[tuple[str, Path, float]] = []
    n_taken = 0
    for name in ranked:
        tree = trees[name]
        matches = co_search.find_matches(tree.words, terms, s["operator"])
        if not all(holds_term(tree, tree.root_path, [term]) for term in terms if term.sign == "+"):
            continue
        targets = strict_targets(tree, nexi, reading, terms)
        if targets is not None:
            matches = [path for path in matches if lies_in(path, targets)]
        elif reading == "VS" and len(nexi.steps) > 1 and not tree.targets(nexi.steps[:-1]):
            matches = []
        left = None if s["max_matches"] is None else s["max_matches"] - n_taken
        if s["answers"] == "target":
            assert targets is not None
            chosen = targets[:left]
            n_taken += len(chosen)
        else:
            matches = matches[:left]
            n_taken += len(matches)
            made = co_search.candidates(tree.words, matches, s["answers"])
            chosen = [path for path in made if targets is None or lies_in(path, targets)]
        ordered = co_search.order(tree.words, matches, set(chosen), terms, s["heuristic"])
        if not any(holds_term(tree, path, terms) for path in chosen):
            ordered = [path for path in tree.words.elements if path in chosen]
        elif s["heuristic"] != "document":
            ordered.sort(key=lambda path: not holds_term(tree, path, terms))
        answers += [(name, path, 0.0) for path in ordered[: s["max_per_article"]]]
    if s["overlap"] == "remove":
        answers = co_search.without_overlap(answers)
    return [(name, co_search.written(path)) for name, path, _ in answers[: s["max_answers"]]]


def text_terms(nexi: Nexi, reading: str, rules: Rules) -> list[Term]:
    """The terms of the about()s; where structure counts, those of an attribute are not words of the text.

    There, a word that is required under an or is required for that alternative alone.
    """
    found: list[Term] = []
    for step in nexi.steps:
        for condition in step.conditions:
            for about, is_alternative in abouts_of(condition):
                terms = terms_of([about], rules)
                if reading in ("SS", "SV", "VS"):
                    terms = [] if any(step.is_attribute for step in about.path.steps) else terms
                    if is_alternative:
                        terms = [term if term.sign == "-" else replace(term, sign="") for term in terms]
                found += terms
    return found


def abouts_of(condition: Condition, is_alternative: bool = False) -> list[tuple[About, bool]]:
    """The about()s of a condition in the order of the text, and whether each is under an or.

    Nobody asks for the words of one under a not.
    """
    if isinstance(condition, About):
        return [(condition, is_alternative)]
    parts = condition.parts if isinstance(condition, And | Or) else ()
    is_alternative = is_alternative or isinstance(condition, Or)
    return [found for part in parts for found in abouts_of(part, is_alternative)]


def holds_any_word(tree: Tree, terms: Sequence[Term]) -> bool:
    return any(word in tree.words.words for term in terms if term.sign != "-" for word in term.plain)


def strict_targets(tree: Tree, nexi: Nexi, reading: str, terms: Sequence[Term]) -> list[Path] | None:
    """The elements a strict target stands for; None where the target is vague."""
    if reading == "SS":
        return [tree.path_of[e] for e in tree.targets(nexi.steps)]
    if reading == "SV":
        *support, target = nexi.steps
        named = replace(target, axis="//" if support else target.axis, conditions=())
        found = [tree.path_of[e] for e in tree.targets([named])]
        found = [
            path
            for path in found
            if holds_term(tree, path, terms) or (target.names and is_inline_with(tree, path, terms))
        ]
        return [path for path in found if all(may_be_wanted(tree, path, each) for each in target.conditions)]
    return None


def may_be_wanted(tree: Tree, path: Path, condition: Condition) -> bool:
    """Whether a condition can hold, all of it being vague but the words that an element must not hold itself."""
    if isinstance(condition, And):
        return all(may_be_wanted(tree, path, part) for part in condition.parts)
    if isinstance(condition, Or):
        return any(may_be_wanted(tree, path, part) for part in condition.parts)
    if isinstance(condition, About) and not condition.path.steps:
        return not tree.itself_holds_unwanted(path, terms_of([condition], tree.rules))
    return True


def holds_term(tree: Tree, path: Path, terms: Sequence[Term]) -> bool:
    inside = [e for each, e in tree.words.elements.items() if lies_in(each, [path])]
    return any(term.count(e) for term in terms if term.sign != "-" for e in inside)


def is_inline_with(tree: Tree, path: Path, terms: Sequence[Term]) -> bool:
    return any(term.count_in(tree.words.elements[path].inside) for term in terms if term.sign != "-")


def lies_in(path: Path, targets: Sequence[Path]) -> bool:
    return any(path == target or co_search.is_below(path, target) for target in targets)
