"""Answers to queries with example images, element by element: R = alpha S_image + (1 - alpha) S_text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Element = tuple[str, str]  # document and path


def contains(outer: Element, inner: Element) -> bool:
    return outer[0] == inner[0] and (inner[1] == outer[1] or inner[1].startswith(f"{outer[1]}/"))


def image_score(element: Element, images: Mapping[Element, float]) -> float:
    """Return the score of the best image in an element; images by the element that refers to them."""
    return max((score for owner, score in images.items() if contains(element, owner)), default=0.0)


def fused(
    candidates: Sequence[Element], text: Mapping[Element, float], image: Mapping[Element, float], alpha: float
) -> list[tuple[Element, float]]:
    """Return candidates with their scores, best first; the candidates are in collection order."""
    best_text = max(text.values(), default=0.0) or 1.0
    best_image = max(image.values(), default=0.0) or 1.0
    scored = [
        (each, alpha * (image.get(each, 0.0) / best_image) + (1 - alpha) * (text.get(each, 0.0) / best_text))
        for each in candidates
        if alpha < 1 or image.get(each, 0.0) > 0
    ]
    return sorted(scored, key=lambda pair: -pair[1])
