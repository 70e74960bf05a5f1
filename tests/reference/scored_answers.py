"""Passages, and the choice among scored elements or passages, as slowly and plainly as can be.

A passage has the key of its element and the numbers of its first and last sentence there, or only the key of its
element if it is all of it. Nothing here comes from the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from tests.reference.repeated_texts import repeats
from tests.reference.scored_elements import ElementReference, Key, n_plain
from tests.reference.similarity import Scorer, Unit, is_phrase

LAST_OF_SENTENCE = "reef"  # this word ends a sentence, wherever it is


class Reference(ElementReference):
    """The answers to a query: elements or passages."""

    def passages(self, documents: Sequence[int]) -> dict[Key, float]:
        """Return what can be answers, with own(window) + parent_weight inside(leaf), without the focus.

        Whole elements have share x inside(element).
        """
        found: dict[Key, float] = {}
        wholes = self.wholes(documents)
        is_text: dict[Key, bool] = {}
        scorer = Scorer(self.settings["element_similarity"], self.collection, self.query.scored, self.parameters)
        leaves = [
            leaf
            for leaf in self.matches(documents)
            if not self.is_fragment(self.units[leaf].name) or not {leaf, *self.units[leaf].ancestors} & set(wholes)
        ]
        for leaf in leaves:
            sentences = self.sentences(leaf)
            run_of = [place for place, run in enumerate(self.runs(leaf)) for _ in run]
            is_text[leaf] = not self.is_mostly_titles(leaf)
            for first in range(len(sentences)):
                for last in range(first, min(first + self.settings["max_sentences"], len(sentences))):
                    if run_of[first] != run_of[last]:  # a child element is between them
                        break
                    words = [word for sentence in sentences[first : last + 1] for word in sentence]
                    unit = Unit(leaf, self.units[leaf].name, Counter(words), self.units[leaf].node, [])
                    own = self.evened(leaf[0]) * scorer.score(unit) if set(words) & set(scorer.query) else 0.0
                    own *= self.covered(leaf[0], words) if own else 0.0
                    own += self.sequence(leaf, words)
                    found[*leaf, first, last] = own + self.settings["parent_weight"] * self.inside(leaf)
        is_long = {
            key for key in found if is_text[key[:2]] and self.n_words_of(key) >= self.length("min_passage_words")
        }
        windows = {key: score for key, score in found.items() if key in is_long or not (is_long or wholes)}
        one_window = {key[:2] for key in windows if self.n_words_of(key) == self.units[key[:2]].words}
        return {key: score for key, score in wholes.items() if key not in one_window} | windows

    def wholes(self, documents: Sequence[int]) -> dict[Key, float]:
        """Return the whole elements that can be passages, with their scores."""
        weight = self.settings["whole_weight"]
        found = self.elements(documents) if weight else []
        of_fragments = {
            key: self.usual_lengths(self.units[key].name)[0] < self.length("min_leaf_words") for key in found
        }
        return {key: (1.0 if of_fragments[key] else weight) * self.inside(key) for key in found}

    def sentences(self, leaf: Key) -> list[list[str]]:
        """Return the sentences of an element's own text."""
        return [sentence for run in self.runs(leaf) for sentence in run]

    def sentences_inside(self, key: Key) -> list[tuple[Key, int]]:
        """Return the sentences of an element, by leaf and number: those of its own text, then those inside it."""
        if key not in self.found_inside:
            inside = [key, *sorted(other for other, unit in self.units.items() if key in unit.ancestors)]
            self.found_inside[key] = [(leaf, number) for leaf in inside for number in range(len(self.sentences(leaf)))]
        return self.found_inside[key]

    @cached_property
    def found_inside(self) -> dict[Key, list[tuple[Key, int]]]:
        """The sentences of the elements that were asked for so far."""
        return {}

    def runs(self, leaf: Key) -> list[list[list[str]]]:
        """Return the sentences of an element's own text, in runs between its child elements."""
        return [split(self.units[leaf].node.words)]

    def n_words_of(self, key: Key) -> int:
        if len(key) == 2:
            return self.units[key].words
        return sum(n_plain(self.sentences(leaf)[number]) for leaf, number in self.window(key))

    def said(self, key: Key) -> list[str]:
        """Return the words of an element or a passage, in their order."""
        sentences = self.window(key) if len(key) == 4 else self.sentences_inside(key)
        return [word for leaf, number in sentences for word in self.sentences(leaf)[number] if not is_phrase(word)]

    def window(self, key: Key) -> list[tuple[Key, int]]:
        """Return the sentences of a passage, by leaf and number."""
        return [(key[:2], number) for number in range(key[2], key[3] + 1)]

    def place(self, key: Key) -> tuple[Any, ...]:
        """Return what orders answers in their document: their beginning; whole elements first, then short passages."""
        if self.settings["passages"] == "off":
            return key
        window = self.window(key) if len(key) == 4 else []
        return (window[0], 1, window[-1]) if window else (self.sentences_inside(key)[0], 0, key)

    def overlap(self, one: Key, other: Key) -> bool:
        if len(one) == len(other) == 4:
            return not set(self.window(one)).isdisjoint(self.window(other))
        if len(one) != len(other):
            whole, passage = sorted((one, other), key=len)
            return any(whole in (leaf, *self.units[leaf].ancestors) for leaf, _ in self.window(passage))
        return one == other or one in self.units[other].ancestors or other in self.units[one].ancestors

    def chosen(self, scores: Mapping[Key, float], ranks: Mapping[int, int]) -> list[Key]:
        """Return the list of answers; an empty one where the budget is too small for any.

        Args:
            scores: of all that can be answers; ranks: of the documents.
        """
        settings, kept = self.settings, []
        by_score = sorted(scores, key=lambda key: (-scores[key], ranks[key[0]], self.place(key)))
        if settings["group_by_article"]:
            by_score.sort(key=lambda key: ranks[key[0]])
        seen: Counter[int] = Counter()
        per_article = settings["max_per_article"]
        if settings["word_budget"] != "all":
            left = settings["word_budget"]
            for key in by_score:
                is_full = per_article != "all" and seen[key[0]] >= per_article
                if any(self.overlap(key, o) or repeats(self.said(key), self.said(o)) for o in kept):
                    continue
                if self.n_words_of(key) <= left and not is_full:
                    left -= self.n_words_of(key)
                    seen[key[0]] += 1
                    kept.append(key)
            return kept[: settings["max_answers"]]
        for key in by_score:
            if settings["overlap"] == "keep" or not any(self.overlap(key, other) for other in kept):
                kept.append(key)
        if per_article != "all":
            kept = [key for key in kept if not seen.update([key[0]]) and seen[key[0]] <= per_article]
        return kept[: settings["max_answers"]]


def split(words: Sequence[str]) -> list[list[str]]:
    """Return the sentences of a text."""
    sentences: list[list[str]] = []
    for number, word in enumerate(words):
        if number == 0 or words[number - 1] == LAST_OF_SENTENCE:
            sentences.append([])
        sentences[-1].append(word)
    return sentences
