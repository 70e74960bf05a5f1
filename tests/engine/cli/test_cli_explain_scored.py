"""`foxir explain` of scored elements: parts add up to scores; verdicts, tried by lifting what they name."""

import math
import re

import numpy as np
import pytest

from engine import Index, open_index
from engine.errors import SettingsError
from engine.explain import explain
from engine.index.geometry import IndexGeometry
from engine.search import search
from engine.settings import Settings
from tests.engine.cli.command import foxir

QUERIES = ["fresnel lens cleaning", "tide -prediction", "+lens clockwork", '"dead reckoning" error', "lens lens light"]
SCORINGS = [
    "text-blocks",
    "element-bm25",
    "gpx",
    "xfirm",
    "leaf-bm25",
    "result-fusion",
    "multinomial",
    "fragments",
    "E[DP-AGJ-BAJ]",
]


def settings_of(**given) -> Settings:
    usual = {"rank": "score", "overlap": "remove", "similarity": "okapi", "reading": "CO"}
    return Settings.from_options(**{**usual, **given})


@pytest.fixture(scope="module")
def index(sample) -> Index:
    return open_index(sample)


def close(value: float):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("query", QUERIES)
def test_parts_add_up_to_the_score(scoring, query, index):
    settings = settings_of(scoring=scoring)
    answers = search(index, query, settings)
    assert len(answers)

    for answer in answers[::9]:
        explained = explain(index, query, answer.document, answer.path, settings)
        element, article = explained["element"], explained["article"]
        assert explained["score"] == element["score"] == answer.score
        assert (explained["returned"], explained["rank"]) == (True, answer.rank)
        parts = [part["part"] for part in element["context"]]
        assert math.fsum([*parts, element["article_part"]["part"]]) == close(answer.score)
        assert element["article_part"]["score"] == article["score"] == answer.article_score
        for part in element["context"]:
            assert part["part"] == close(part["weight"] * part["own"] * part["fullness"])
        below = element["terms"] if element["leaves"] is None else element["leaves"]
        if scoring == "result-fusion":
            shares = element["fused"].values()
            assert below is None
            assert math.fsum(share["part"] for share in shares) == close(element["own"])
            assert all(share["part"] == close(share["weight"] * share["score"] / share["best"]) for share in shares)
        else:
            assert math.fsum([*(part["part"] for part in below), element["addend"] or 0.0]) == close(element["own"])
        assert explained["verdict"].startswith(f"returned at rank {answer.rank}: score {answer.score:.6f} = own ")


def test_terms_are_counted_in_the_element(index):
    settings = settings_of(scoring="text-blocks")
    for answer in search(index, "fresnel lens cleaning", settings)[:20]:
        explained = explain(index, "fresnel lens cleaning", answer.document, answer.path, settings)
        for term in explained["element"]["terms"]:
            assert term["tf"] == len(re.findall(rf"\b{term['term']}\b", answer.text.lower())) > 0


def test_surroundings_are_those_of_the_path(index):
    settings = settings_of(lambda_parent=0.25)
    for answer in search(index, "tide", settings)[:10]:
        context = explain(index, "tide", answer.document, answer.path, settings)["element"]["context"]
        steps = answer.path.split("/")[1:]
        above = ["/" + "/".join(steps[:n]) for n in range(len(steps), 1, -1)]
        assert [part["path"] for part in context] == (above or [answer.path])
        assert [part["weight"] for part in context] == [0.25**n for n in range(len(context))]


@pytest.mark.parametrize("sentences", [1, 3])
def test_parts_of_passages_add_up(sentences, index):
    settings = settings_of(passages="on", sentences=sentences)
    answers = search(index, "fresnel lens", settings)

    for answer in answers[::7]:
        explained = explain(index, "fresnel lens", answer.document, answer.path, settings)
        passages = {tuple(passage["sentences"]): passage for passage in explained["passages"]}
        assert explained["n_passages"] >= len(passages)
        passage = passages[answer.sentences]
        assert passage["rank"] == answer.rank
        assert [passage[name] for name in ("score", "start", "end", "words")] == [
            answer.score,
            answer.start,
            answer.end,
            answer.words,
        ]
        assert math.fsum(passage[part] for part in ("own", "leaf_part", "article_part")) == close(answer.score)
        assert math.fsum(term["part"] for term in passage["terms"]) == close(passage["own"])
        scores = [passage["score"] for passage in explained["passages"]]
        assert scores == sorted(scores, reverse=True)


EVERYTHING = {"limit": 100_000, "per_article": "all", "overlap": "keep", "budget": "all"}
SETTINGS = [
    {},
    {"answers": "oCRE", "per_article": 2},
    {"answers": "nCRE", "best_leaves": 3},
    {"answers": "matching", "limit": 4},
    {"answers": "blocks", "articles": 3},
    {"answers": "//(p|sec)", "longest": "0.7x"},
    {"budget": 300, "shortest": 20},
    {"overlap": "keep", "matches": 6},
    {"passages": "on", "sentences": 2, "budget": 200},
    {"passages": "on", "sentences": 3, "best_leaves": 1, "per_article": 1},
]


@pytest.mark.parametrize("given", SETTINGS, ids=lambda given: "-".join(map(str, given.values())) or "usual")
@pytest.mark.parametrize("query", ["fresnel lens cleaning", "tide -prediction", "//sec[about(., lens)]//p"])
def test_a_verdict_names_what_kept_an_element_out(query, given, index):
    settings = settings_of(reading="VS" if query.startswith("/") else "CO", **given)
    answers = search(index, query, settings)
    ranks: dict[tuple[str, str], int] = {}
    for answer in answers:
        ranks.setdefault((answer.document, answer.path), answer.rank)
    everything = _paths(index, query, Settings.from_options(settings, **EVERYTHING))

    for document, path in _some_elements(index, everything):
        explained = explain(index, query, document, path, settings)
        rank = ranks.get((document, path))
        assert (explained["returned"], explained["rank"]) == (rank is not None, rank)
        verdict = explained["verdict"]
        if rank:
            assert verdict.startswith(f"returned at rank {rank}: score ")
        else:
            assert verdict.startswith("not returned: ")
            _check(verdict, index, query, settings, (document, path), everything, ranks)


CAUSES = {
    "past per_article": {"per_article": "all", "budget": "all", "limit": 100_000},
    "leave of the budget": {"budget": "all", "overlap": "keep", "limit": 100_000},
    "fill the list (limit)": {"limit": 100_000},
    "covered by": EVERYTHING,
    "covers": EVERYTHING,
    "overlaps with": EVERYTHING,
}
LIFTED = {
    "(matches)": {**EVERYTHING, "matches": "all"},
    "(best_leaves)": {**EVERYTHING, "best_leaves": "all"},
    "too short": {**EVERYTHING, "shortest": 1},
    "too long": {**EVERYTHING, "longest": "all"},
    "its tag is not one of": {**EVERYTHING, "answers": "any", "longest": "all"},
    "no oCRE": {**EVERYTHING, "answers": "any"},
    "no nCRE": {**EVERYTHING, "answers": "any"},
    "not one of the lowest": {**EVERYTHING, "answers": "any"},
}
OTHERS = ("holds no term", "an inline element", "no match in it", "no match itself", "does not lead to it")


def _check(verdict, index, query, settings, element, everything, ranks):
    """Lift what the verdict names: then the element is returned."""
    cause = next((cause for cause in CAUSES if cause in verdict), None)
    if cause:
        assert element in everything
        assert element in _paths(index, query, Settings.from_options(settings, **CAUSES[cause])), verdict
        if found := re.search(r"its (\d+) words are more than the (\d+) .* its score is (\S+)$", verdict):
            better = [answer for answer in search(index, query, settings) if answer.score > float(found[3]) + 1e-6]
            assert int(found[2]) == settings.scoring.budget - sum(answer.words for answer in better)
            assert int(found[1]) > int(found[2])
        if found := re.search(r"(?:covered by|covers|overlaps with) (\S+?),? .*rank (\d+)", verdict):
            assert ranks[element[0], found[1]] <= int(found[2])
        return
    assert element not in everything, verdict
    if "the article is not among" in verdict:
        assert element[0] not in {document for document, _ in everything}
        return
    cause = next((cause for cause in LIFTED if cause in verdict), None)
    if cause is None:
        reasons = (*OTHERS, "in no target", "holds the unwanted")
        assert any(reason in verdict for reason in reasons), verdict
        return
    assert element in _paths(index, query, Settings.from_options(settings, **LIFTED[cause])), verdict


def _paths(index: Index, query: str, settings: Settings) -> set[tuple[str, str]]:
    answers = search(index, query, settings)
    return set(zip(answers.document_ids, answers.paths, strict=True))


def _some_elements(index: Index, likely: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return some that could be answers, and others of the same documents and of one that none is in."""
    geometry = IndexGeometry(index)
    documents = [*sorted({document for document, _ in likely})[:3], index.ids[-1]]
    others = [
        (document, path) for document in documents for path in geometry.elements(document).paths[:: len(documents) * 9]
    ]
    chosen = sorted(likely)
    random = np.random.default_rng(1)
    return [chosen[place] for place in sorted(random.permutation(len(chosen))[:12])] + others


def test_what_it_beat_and_by_what_it_was_beaten(index):
    settings = settings_of()
    best = search(index, "fresnel lens", settings)[0]

    explained = explain(index, "fresnel lens", best.document, best.path, settings)

    rivals = [other for other in explained["around"] if best.path in other["standing"]]
    assert rivals
    highest = max(rivals, key=lambda other: other["score"])
    assert f"; it beat {highest['path']} {highest['relation']} it, {highest['score']:.6f}" in explained["verdict"]
    beaten = explain(index, "fresnel lens", best.document, highest["path"], settings)
    assert beaten["score"] == highest["score"] < best.score
    assert f"{best.path}, score {best.score:.6f}, rank 1" in beaten["verdict"]


@pytest.mark.parametrize(
    "options", [("--rank", "score"), ("--rank", "score", "--sentences", "2"), ("--similarity", "gpx")]
)
def test_the_text_says_what_the_json_says(options, sample):
    first = foxir("search", sample, "fresnel lens", *options, "--json").json["answers"][0]
    asked = ("explain", sample, "fresnel lens", first["document"], first["path"], *options)

    text, explained = foxir(*asked).out, foxir(*asked, "--json").json

    assert explained["verdict"] in text
    element = explained["element"]
    for part in [*element["context"], element["article_part"], *(element["terms"] or element["leaves"][:5])]:
        assert f"  {part['part']:+.6f}  " in text
    for term in (term for passage in explained.get("passages", []) for term in passage["terms"]):
        assert f"{term['part']:+.6f} {term['term']} " in text
    for other in [*explained["around"], *explained.get("passages", [])]:
        assert f"{other['score']:.6f}  " in text
        assert f" {other['standing']}\n" in f"{text}\n"


def test_an_element_that_no_score_reaches(sample):
    shown = foxir("explain", sample, "xyzzy lens", "ieee/na/1998/n1012", "/article[1]/fm[1]/tig[1]", "--rank", "score")

    assert shown.status == 0, shown.err
    assert "xyzzy: in no document" in shown.out


def test_an_element_around_passages_names_the_best_of_them(index):
    settings = settings_of(passages="on", sentences=2)
    best = search(index, "fresnel lens", settings)[0]

    verdict = explain(index, "fresnel lens", best.document, "/article[1]", settings)["verdict"]

    first, last = (number + 1 for number in best.sentences)
    which = f"sentence {first}" if first == last else f"sentences {first}-{last}"
    assert verdict.endswith(f"; the best in it: {best.path} {which}, rank 1")


def test_passages_need_an_expression_that_scores_intervals(index):
    with pytest.raises(SettingsError, match="passages need a calculated score"):
        explain(index, "lens", "ieee/na/1998/n1012", "/article[1]", settings_of(scoring="gpx", passages="on"))
