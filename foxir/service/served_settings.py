"""The settings that a service is started with, as far as they apply to a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.settings import Settings
from foxir.searching.search_settings import merged_settings


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
        excluded["semantic"] = None
    if by_structure or (by_images and not whole):
        excluded["passages"] = False
    if by_structure:
        excluded["word_budget"] = None
    if whole:
        excluded |= {"inside": None, "outside": None}
    return replace(base, **excluded)
