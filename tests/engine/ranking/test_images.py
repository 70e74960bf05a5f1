"""Queries with example images: the fusion against a slow reference, the readings, segments, explanations."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PIL import Image, ImageEnhance

from engine.collection.profiles.profile_files import load_profile
from engine.errors import QueryError, SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader, open_reader
from engine.indexing.build import update_index
from engine.indexing.build_settings import BuildSettings
from engine.notices import Notice
from engine.planning.plan import ExampleImage
from engine.ranking.parts.catalogue import WEIGHTS
from engine.ranking.score_parts import score_parts
from engine.settings import Settings
from engine.text.analyser import make_analyser
from foxir.messages import command_line
from foxir.searching.no_answer import why_empty
from tests.engine.check_answers import over_shards, search
from tests.engine.explain.adding_up import assert_adds_up
from tests.engine.index.image_files import ReaderInProcess, article, drawn, in_process, write_files
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.small_index import build_index
from tests.reference import image_fusion as reference
from tests.reference import image_scores
from tests.trust.soak import in_turn, some

__all__ = ["in_process"]

WORDS = ("lamp tower", "harbour lens", "lamp lens", "tide gauge", "tower", "lens harbour lamp")
EVERYTHING = {"overlap": "keep", "max_answers": 10_000}


@pytest.fixture(scope="module")
def pictures() -> dict[str, bytes]:
    return {f"{number}.png": drawn(number) for number in range(7)}


@pytest.fixture(scope="module")
def index(tmp_path_factory, pictures, unsynced) -> IndexReader:
    """Return an index of several segments, with a deleted document."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.indexing.document_images.ImageReader", ReaderInProcess)
        folder = tmp_path_factory.mktemp("images")
        source = write_files(folder / "source", pictures)
        for number, words in enumerate(WORDS):
            write_files(source, {f"d{number}.xml": article(f"{number}.png", f"{(number + 2) % 7}.png", words=words)})
            write_files(source, {"gone.xml": article("6.png", words="lamp")})
            if number == 3:
                (source / "gone.xml").unlink()
            build_index(source, into=folder / "index")
        (source / "gone.xml").unlink()
        write_files(source, {"plain.xml": article(words="lamp tower lens")})
        build_index(source, into=folder / "index")
    opened = open_reader(folder / "index")
    assert len(opened.segments) > 2
    return opened


def example(data: bytes, name: str = "example") -> ExampleImage:
    return ExampleImage(name, ReaderInProcess().features(data))


def answers_to(index: IndexReader, query: str, images: list[ExampleImage] | None = None, **options) -> JoinedAnswers:
    return search(index, query, Settings.from_options(**options), images=images or ())


def by_element(answers: JoinedAnswers) -> dict[reference.Element, float]:
    found = answers.rsv if answers.scores is None else answers.scores
    return dict(zip(zip(answers.document_ids, answers.paths, strict=True), found.tolist(), strict=True))


@cache  # a score takes the slow reference a fifth of a second
def images_by_element(index: IndexReader, wanted: bytes) -> dict[reference.Element, float]:
    """Return the score of the image that each element refers to, from the slow reference."""
    numbers = np.flatnonzero(index.images.counts).tolist()
    collection = [index.images.features(number) for number in numbers]
    wanted_features = ReaderInProcess().features(wanted)
    scores = {n: image_scores.score(wanted_features, index.images.features(n), collection) for n in numbers}
    found = {}
    for number in numbers:
        document = index.ids[int(index.images.documents[number])]
        place = 1 if index.images.key(number) == f"{document.removeprefix('d')}.png" else 2
        found[document, f"/article[1]/fig[{place}]/graphic[1]"] = scores[number]
    return found


FUSED = [
    ("//fig[about(., lamp tower src:3.png)]", {}),
    ("//fig[about(., lamp tower src:3.png)]", {"reading": "SV"}),
    ("//article[about(.//graphic, src:3.png) or about(., lamp)]", {}),
    ("//fig[about(., lamp src:3.png)]", {"rank_by": "structure", "answers": "target", "heuristic": "TPF"}),
    ("lamp src:3.png", {"answers": "//(fig|article)", "min_words": "0"}),
    ("lamp src:3.png", {"approach": "fulltext"}),
]


@pytest.mark.parametrize(("asked", "alpha"), in_turn(FUSED, [0.1, 0.25, 0.5, 1.0]))
@pytest.mark.long
def test_fused_answers_equal_the_slow_reference(index, pictures, asked, alpha):
    query, options = asked
    by_text = query.replace(", src:3.png", ", zzz").replace(" src:3.png", "")
    text = by_element(answers_to(index, by_text, **{**EVERYTHING, **options}))
    images = images_by_element(index, pictures["3.png"])
    tag = "fig" if "//fig" in query or "fig" in str(options) else "article"
    every = [(index.ids[n], "/article[1]") for n in index.live_documents.tolist()]
    if tag == "fig":
        every = [
            (document, f"/article[1]{below}")
            for document, _ in every
            for below in (("",) if "article" in str(options) else ()) + ("/fig[1]", "/fig[2]")
            if document != "plain" or not below
        ]
    image = {element: reference.image_score(element, images) for element in every}
    candidates = [element for element in sorted(every) if element in text or image[element]]
    if options.get("rank_by") == "structure":
        text = {element: 1 - place / 10_000 for place, element in enumerate(text)}

    found = by_element(answers_to(index, query, **{**EVERYTHING, **options, "image_weight": alpha}))

    expected = reference.fused(candidates, text, image, alpha)
    assert found == pytest.approx(dict(expected), rel=1e-9)
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.long
def test_without_words_images_alone_are_ranked(index, pictures):
    options = {**EVERYTHING, "answers": "//graphic"}
    found = answers_to(index, "", [example(pictures["2.png"])], **options)
    images = images_by_element(index, pictures["2.png"])

    assert by_element(found) == pytest.approx({each: score / 1.0 for each, score in images.items()}, rel=1e-9)
    assert found[0].image == "2.png"
    assert found[0].score == found[0].image_score == 1.0
    assert by_element(answers_to(index, "src:2.png", **options)) == by_element(found)


@pytest.mark.long
def test_several_examples_count_as_their_mean(index, pictures):
    examples = [example(pictures[name]) for name in ("2.png", "5.png")]
    both = answers_to(index, "", examples, **{**EVERYTHING, "answers": "//graphic"})
    one, other = (images_by_element(index, pictures[name]) for name in ("2.png", "5.png"))
    means = {each: (one[each] + other[each]) / 2 for each in one}

    assert by_element(both) == pytest.approx({each: mean / max(means.values()) for each, mean in means.items()})


@pytest.mark.long
def test_images_of_support_elements_count_for_the_targets_in_them(index, pictures):
    query = "//article[about(.//graphic, src:1.png)]//caption[about(., lamp)]"
    found = answers_to(index, query, **{**EVERYTHING, "image_weight": 1.0})
    images = images_by_element(index, pictures["1.png"])
    best = {document: reference.image_score((document, "/article[1]"), images) for document, _ in images}

    assert {document for document, _ in by_element(found)} == {"d0", "d2", "d5"}
    largest = max(best[document] for document in ("d0", "d2", "d5"))
    for (document, path), score in by_element(found).items():
        assert path.endswith("caption[1]")
        assert score == pytest.approx(best[document] / largest)


@pytest.mark.long
def test_under_strict_readings_only_images_at_the_path_are_compared(index):
    at_captions = answers_to(index, "//fig[about(.//caption, src:1.png)]", **EVERYTHING)
    at_graphics = answers_to(index, "//fig[about(.//graphic, src:1.png)]", **EVERYTHING)

    assert len(at_captions) == 0
    assert len(at_graphics) == 12


def test_a_weight_of_0_is_the_search_without_image(index, pictures):
    plain = answers_to(index, "lamp tower")
    for query, images in (("lamp tower src:1.png", []), ("lamp tower", [example(pictures["1.png"])])):
        found = answers_to(index, query, images, image_weight=0)
        assert by_element(found) == by_element(plain)
        assert found[0].image is None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"answers": "//(fig|article)", "overlap": "keep"},
        {"approach": "fulltext"},
        {"rank_by": "structure", "answers": "nCRE", "heuristic": "TPF"},
    ],
)
def test_a_weight_of_1_is_the_search_without_words(index, pictures, options):
    images = [example(pictures["1.png"])]
    alone = answers_to(index, "", images, **options)
    for query, given in (("lamp tower", images), ("lamp tower src:1.png", [])):
        found = answers_to(index, query, given, image_weight=1, **options)
        assert list(by_element(found).items()) == list(by_element(alone).items())


def test_with_a_weight_of_1_words_with_a_sign_filter(index, pictures):
    images = [example(pictures["1.png"])]
    alone = by_element(answers_to(index, "", images, **EVERYTHING))
    found = by_element(answers_to(index, "+harbour lamp", images, **EVERYTHING, image_weight=1))

    assert {document for document, _ in found} == {"d1", "d5"}
    assert set(found) < set(alone)
    largest = max(alone[element] for element in found)
    assert found == pytest.approx({element: alone[element] / largest for element in found})


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"answers": "//caption"}, "--answers auto"),
        ({"documents": "d0"}, "try leaving out --documents"),
        ({"inside": "//caption"}, "try leaving out --in"),
    ],
)
def test_without_answers_an_image_alone_says_what_bounds_them(index, pictures, options, advice):
    found = answers_to(index, "", [example(pictures["1.png"])], **options)

    assert command_line.sentence(why_empty(found)).startswith(
        "no answer: none of the 12 images of the index is in an element that may be one"
    )
    assert advice in command_line.sentence(why_empty(found))


def test_required_words_hold_for_images_too(index):
    found = answers_to(index, "+harbour src:3.png", **EVERYTHING)

    assert set(found.document_ids) == {"d1", "d5"}


def test_unknown_images_are_passed_over_with_a_notice(index):
    found = answers_to(index, "lamp src:nowhere.png")

    assert found.notices == (Notice("unknown_image", {"image": "src:nowhere.png"}),)
    assert by_element(found) == by_element(answers_to(index, "lamp"))
    assert by_element(answers_to(index, "lamp -src:1.png")) == by_element(answers_to(index, "lamp"))


@pytest.mark.parametrize("reading", ["CO", "VV", "SV", "VS"])
def test_a_query_of_unknown_images_alone_is_refused(index, reading):
    query = "src:nowhere.png" if reading == "CO" else "//fig[about(., src:nowhere.png)]"

    with pytest.raises(QueryError, match="images do not count"):
        answers_to(index, query, reading=reading)


@pytest.mark.parametrize("reading", ["SS", "SV"])
def test_images_in_elements_that_no_document_has_are_reported_to_be_elsewhere(index, reading):
    found = answers_to(index, "//article[about(.//image, src:1.png)]", reading=reading)

    assert len(found) == 0
    assert "images are in 'graphic'" in command_line.sentence(why_empty(found))
    none = answers_to(index, "//article[about(.//caption, src:1.png)]", reading=reading)
    assert "images are in" not in command_line.sentence(why_empty(none))


def test_passages_and_images_exclude_one_another(index):
    with pytest.raises(SettingsError, match="passages: images are of elements"):
        answers_to(index, "lamp src:1.png", passages=True)


def test_an_index_without_images_answers_by_words(tmp_path, pictures):
    build_index(write_files(tmp_path / "source", {"d.xml": article(words="lamp")}), into=tmp_path / "index")
    opened = open_reader(tmp_path / "index")

    found = answers_to(opened, "lamp", [example(pictures["1.png"], "x.png")])

    assert found.notices == (Notice("no_images", {"image": "x.png"}),)
    assert by_element(found) == by_element(answers_to(opened, "lamp"))
    named = answers_to(opened, "lamp src:x.png")
    assert named.notices == (Notice("no_images", {"image": "src:x.png"}),)
    assert by_element(named) == by_element(found)
    with pytest.raises(QueryError, match="no words, and the index has no images: add words, or index the documents"):
        answers_to(opened, "", [example(pictures["1.png"], "x.png")])


@pytest.mark.parametrize(
    ("query", "path", "options", "why"),
    [
        ("", "/article[1]", {}, "for an image, the answer is the figure around it"),
        ("", "/article[1]/fig[1]/caption[1]", {}, "no image is in it"),
        ("", "/article[1]/fig[1]", {"documents": "e*"}, "its document does not fit e"),
        ("", "/article[1]/fig[1]", {"answers": "//graphic"}, "its tag is not one of graphic"),
        ("", "/article[1]/fig[1]", {"outside": "//fig"}, "out of the scope"),
        ("", "/article[1]/fig[1]", {"approach": "fulltext"}, "only whole articles"),
        ("tide", "/article[1]", {}, "contains no query term; for an image, the answer is the figure"),
        ("+lamp", "/article[1]", {"image_weight": 1}, "for an image, the answer is the figure around it"),
    ],
)
def test_why_an_element_is_no_answer_for_its_images(index, pictures, query, path, options, why):
    explained = explain(index, query, "d0", path, Settings.from_options(**options), [example(pictures["1.png"])])

    assert explained.outcome.rank is None
    assert why in explained.outcome.description


@pytest.mark.parametrize(
    ("options", "query"),
    in_turn(
        [{}, {"answers": "nCRE", "heuristic": "TPF"}, {"approach": "fulltext"}, {"image_weight": 1.0}],
        ["lamp src:3.png", "src:3.png"],
    ),
)
def test_explanations_add_up_to_the_scores_of_the_search(index, pictures, query, options):
    images = [example(pictures["5.png"])]
    found = answers_to(index, query, images, **options)
    assert len(found)

    for answer in found[:4]:
        explained = explain(index, query, answer.document, answer.path, Settings.from_options(**options), images)
        assert (explained.outcome.rank, explained.score) == (answer.rank, answer.score)
        assert_adds_up(explained.element)
        names = {part.name for part in explained.element.walk()}
        assert {"image_part", "text_part", *(("group", "feature") if answer.image else ())} <= names


def changed(image: Image.Image) -> dict[str, Image.Image]:
    width, height = image.size
    return {
        "brighter": ImageEnhance.Brightness(image).enhance(1.15),
        "smaller": image.resize((width * 3 // 4, height * 3 // 4)),
        "cropped": image.crop((width // 20, height // 20, width - width // 20, height - height // 20)),
    }


@pytest.mark.parametrize("kind", ["brighter", "smaller", "cropped"])
def test_changed_copies_score_less_than_copies_and_more_than_others(index, pictures, kind):
    for name in ("1.png", "4.png"):
        original = Image.open(io.BytesIO(pictures[name]))
        buffer = io.BytesIO()
        changed(original)[kind].save(buffer, "PNG")
        found = answers_to(index, "", [example(buffer.getvalue())], **EVERYTHING)

        assert found[0].image == name
        assert 0.3 < found[0].image_score < 1
        others = [answer.image_score for answer in found if answer.image != name]
        assert found[0].image_score > 1.2 * max(others)


def test_a_scope_bounds_answers_with_images(index, pictures):
    images = [example(pictures["3.png"])]
    everywhere = answers_to(index, "lamp", images, **{**EVERYTHING, "answers": "//graphic"})
    found = answers_to(index, "lamp", images, documents="d[13]", **{**EVERYTHING, "answers": "//graphic"})
    outside = answers_to(index, "lamp", images, outside="//graphic", **{**EVERYTHING, "answers": "//graphic"})

    assert set(found.document_ids) == {"d1", "d3"} < set(everywhere.document_ids)
    assert len(outside) == 0


def test_neither_meaning_nor_learned_weights_are_offered_for_example_images(index):
    query, encoder = "lamp src:3.png", "tests.engine.semantic.toy_encoder:encode"
    with pytest.raises(SettingsError, match="semantic: answers to example images cannot be ordered by meaning"):
        answers_to(index, query, semantic=encoder)
    with pytest.raises(SettingsError, match="a query with example images has no weights of words alone"):
        score_parts(index, query, Settings(), WEIGHTS)
    by_words = answers_to(index, query, semantic=encoder, image_weight=0, semantic_failures="skip")
    assert len(by_words)
    assert "by_words_alone" in [notice.code for notice in by_words.notices]  # for the index has no vectors
    assert len(score_parts(index, query, Settings.from_options(image_weight=0), WEIGHTS))


# Queries with example images to separate shards equal those to one of_shards, bit for bit.


PICTURES = {f"{number}.png": drawn(number) for number in range(5)}
QUERIES = (
    *("src:3.png", "lamp src:3.png", "+lamp tide src:1.png src:4.png", "//fig[about(., lamp src:2.png)]"),
    "//article[about(.//graphic, src:3.png) or about(., tide)]",
    *("//article[about(.//fig, src:0.png)]//caption[about(., lamp)]", "lamp src:nowhere.png"),
    *("src:nowhere.png", "tide"),
)
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"image_weight": 1},
    {"image_weight": 0},
    {"answers": "//(fig|article)", "overlap": "keep", "max_articles": 2},
    {"rank_by": "structure", "answers": "nCRE", "heuristic": "TPF"},
    {"rank_by": "structure", "answers": "target", "heuristic": "TPF", "max_answers": 3, "image_weight": 0.5},
    {"approach": "fulltext"},
    {"approach": "fulltext", "similarity": "dirichlet"},
    {"element_similarity": "multinomial", "image_weight": 0.5},
    {"word_budget": 9},
    {"max_per_article": 1, "documents": "[a-c]*"},
    {"reading": "VV"},
    {"passages": True},
)


@pytest.fixture(scope="module")
def of_shards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    folder = tmp_path_factory.mktemp("images")
    words = ("lamp tide", "tower", "lamp")
    texts = {f"d{n}.xml": article(f"{n % 5}.png", words=words[n % 3]) for n in range(12)}
    source = write_files(folder / "source", {**PICTURES, **texts})
    with patch("os.fsync", lambda _: None), patch("engine.indexing.document_images.ImageReader", ReaderInProcess):
        update_index(folder / "index", [str(source)], BuildSettings(make_analyser(), load_profile("none")))
    with open_reader(folder / "index") as reader:
        yield reader


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_asking_with_images_is_equal(of_shards: IndexReader, way: dict[str, Any]) -> None:
    settings = Settings.from_options(**way)
    for query in some(QUERIES, 2):
        with suppress(QueryError, SettingsError):
            search(of_shards, query, settings, ways=[over_shards])
    assert len({answer.image for answer in search(of_shards, "lamp src:3.png", Settings())} - {None}) > 2
