"""From the references of a query to example images: those of the index, and those that the caller gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.errors import QueryError, SettingsError, how_to_install
from engine.index.reader import IndexReader
from engine.notices import Notice
from engine.planning.plan import ExampleImage, ImageQuery, Plan
from engine.planning.planning import make_plan
from engine.query.nexi.example_images import with_known_images
from engine.settings import Settings
from engine.sharded_search.shard_merging import ReferencedImage, first_found


def with_images(index: IndexReader, plan: Plan, given: Sequence[ExampleImage] = ()) -> Plan:
    """Return the plan with the example images of its query; with none, or the weight 0, the plan as it is.

    `src:` means an image of the index whose path is, or ends with, what follows; of several, the first in collection
    order. No file is read. A reference to any other image is passed over, and a notice says so.
    With the weight 1, words of a keyword query that have no sign are passed over.

    Args:
        given: images that are examples beside those of the query.
    Raises: QueryError for a query that asks for nothing but images that the index does not have. SettingsError for
        passages.
    """
    query, weight = plan.query, plan.settings.image_weight
    if not query.image_references and not given:
        return plan
    examples, unknown, known = list(given), [], set()
    references = list(dict.fromkeys(query.image_references))
    for reference, image in zip(references, _named(index, [each.source for each in references]), strict=True):
        if image is None:
            unknown.append(_passed_over(index, f"src:{reference.source}"))
            continue
        known.add(reference.source)
        strict = query.has_strict_support if reference.is_support else query.has_strict_target
        examples.append(
            ExampleImage(
                name=image.name,
                features=image.features,
                names=reference.names if strict else (),
                support=reference.step_names if strict and reference.is_support else None,
            )
        )
    if unknown:
        query = replace(query, notices=(*query.notices, *unknown))
    without_images = [_passed_over(index, given[0].name)] if given and not index.images.n_images else []
    plan = replace(plan, query=query, notices=(*plan.notices, *without_images))
    counts = bool(examples) and index.images.n_images > 0
    if counts and weight and plan.returns_passages:
        raise SettingsError("passages: images are of elements, not of sentences: omit passages, or the example image.")
    if not query.wanted and (not counts or not weight) and (not query.is_strict or query.path is None):
        if not index.images.n_images:
            raise QueryError(
                "the query has no words, and the index has no images: add words, or index the documents with the image "
                f"files that they refer to ({how_to_install('images')}; foxir index)."
            )
        why = f"image_weight = {weight:g}" if counts else "the index has no such image"
        raise QueryError(f"the query has no words, and images do not count ({why}): add words, or name another image.")
    if not counts or not weight:
        return plan
    if query.path_with_images is not None and known:
        query = replace(query, path=with_known_images(query.path_with_images, frozenset(known)))
    if weight == 1 and query.path is None:
        query = replace(query, terms=tuple(term for term in query.terms if term.sign))  # they filter answers
    return replace(plan, query=query, images=ImageQuery(tuple(examples), weight))


def are_without_images(index: IndexReader, texts: Iterable[str], settings: Settings) -> bool:
    """Return whether all queries can be read, and none names an example image."""
    try:
        plans = (make_plan(text, index.analyser, settings, index.function_words, needs_text=False) for text in texts)
        return not any(plan.query.image_references for plan in plans)
    except QueryError:
        return False


def _named(index: IndexReader, sources: Sequence[str]) -> Sequence[ReferencedImage | None]:
    """Return the image of the index that each reference means, of several shards the same in all; None for none."""
    images, found = index.images, []
    for source in sources:
        numbers = images.named(source).tolist()
        ids = [index.ids[document] for document in images.documents[numbers].tolist()]
        first = min(zip(ids, numbers, strict=True), default=None)
        found.append(
            None if first is None else ReferencedImage(first[0], images.key(first[1]), images.features(first[1]))
        )
    return index.exchange.combine(first_found, found)


def _passed_over(index: IndexReader, reference: str) -> Notice:
    """Return the notice on an example image that does not count."""
    return Notice("unknown_image" if index.images.n_images else "no_images", {"image": reference})
