"""The topics and assessments that come with the sample collection: well formed, complete, and true to its text."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

ROOT = Path(__file__).parents[1]
COLLECTIONS = ROOT / "collections"
QRELS = ROOT / "topics" / "qrels.txt"
TOPIC_FILES = sorted(path for kind in ("co", "cas") for path in (ROOT / "topics" / kind).glob("*.xml"))
LINE = re.compile(r"\S+ Q0 \S+ (0 \d+|[1-9]\d* \d+ \d+( \d+:[1-9]\d*)+)")


class Judged(NamedTuple):
    topic: str
    document: str
    highlighted: int
    size: int
    entry_point: int
    passages: tuple[tuple[int, int], ...]
    """Offset and length of each."""


def qrels_lines() -> list[str]:
    return QRELS.read_text(encoding="utf-8").splitlines()


@cache
def judged() -> tuple[Judged, ...]:
    return tuple(map(parsed, qrels_lines()))


def parsed(line: str) -> Judged:
    topic, _, document, highlighted, size, *rest = line.split(" ")
    spans = [passage.split(":") for passage in rest[1:]]
    passages = tuple((int(offset), int(length)) for offset, length in spans)
    return Judged(topic, document, int(highlighted), int(size), int(rest[0]) if rest else 0, passages)


@cache
def root_of(document: str) -> etree._Element:
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, resolve_entities=True, no_network=True)
    return etree.parse(str(COLLECTIONS / f"{document}.xml"), parser).getroot()


@cache
def text_of(document: str) -> str:
    return "".join(map(str, root_of(document).itertext()))


def documents() -> list[str]:
    return sorted(path.relative_to(COLLECTIONS).with_suffix("").as_posix() for path in COLLECTIONS.rglob("*.xml"))


@cache
def topic_of(file: Path) -> etree._Element:
    return etree.parse(str(file)).getroot()


def topic_ids() -> list[str]:
    return [topic_of(file).get("topic_id", "") for file in TOPIC_FILES]


@pytest.mark.parametrize("file", TOPIC_FILES, ids=lambda file: file.stem)
def test_a_topic_file_is_complete(file: Path) -> None:
    topic = topic_of(file)
    texts = {str(child.tag): (child.text or "").strip() for child in topic}
    expected = {"title", "description", "narrative", "keywords"} | (
        {"castitle"} if file.parent.name == "cas" else set()
    )
    assert topic.tag == "inex_topic"
    assert topic.get("query_type") in (("CO",) if file.parent.name == "co" else ("CAS", "CO+S"))
    assert set(texts) == expected
    assert all(texts.values())


def test_a_castitle_names_only_tags_and_attributes_that_stand_in_the_collection() -> None:
    elements = [element for document in documents() for element in root_of(document).iter(etree.Element)]
    tags = {etree.QName(element).localname for element in elements}
    attributes = {etree.QName(str(name)).localname for element in elements for name in element.attrib}
    for file in TOPIC_FILES:
        castitle = re.sub(r"src:[^\s)]+", "", topic_of(file).findtext("castitle") or "")
        named = {name for step in re.findall(r"//?\(?([\w|-]+)", castitle) for name in step.split("|")}
        assert named <= tags, file.name
        assert set(re.findall(r"@(\w+)", castitle)) <= attributes, file.name
        assert not castitle or named or castitle.startswith("//*"), file.name


def test_every_topic_has_its_own_id_and_assessments() -> None:
    assert len(topic_ids()) == len(set(topic_ids())) >= 26
    assert {line.topic for line in judged()} == set(topic_ids())


def test_there_are_enough_topics_of_both_kinds() -> None:
    folders = [file.parent.name for file in TOPIC_FILES]
    assert folders.count("co") >= 14
    assert folders.count("cas") >= 12


def test_the_path_queries_use_every_construct_of_the_language() -> None:
    """Each is a piece of a castitle; what is between two pieces does not matter."""
    castitles = [topic_of(file).findtext("castitle") or "" for file in TOPIC_FILES]
    constructs = {
        "the root by a single step": r"^/\w+\[",
        "single steps": r"\w\]/\w|\)\]/\w",
        "any tag": r"//\*\[",
        "one of several tags": r"//\(\w+\|",
        "three steps": r"^//\w+\[[^]]+\]//\w+\[[^]]+\]//",
        "two conditions in brackets": r"\]\[",
        "a child in a condition": r"about\(\./\w",
        "an element below in a condition": r"about\(\.//\w",
        "an attribute compared": r"@\w+ = ",
        "an attribute asked about": r"about\(\./{1,2}@",
        "a number compared": r"\.//\w+ > \d",
        "a string compared": r"[<>]=? '|= \"",
        "and": r" and ",
        "or": r" or ",
        "not": r"not\(about",
        "parentheses": r" and \([^()]+\([^()]+\) or ",
        "a phrase": r'"\w+ \w+[^"]*"',
        "a required word": r" \+\w",
        "an unwanted word": r" -\w",
        "an example image": r"src:/",
        "quotes of 2003": r", '[^']+'\)",
    }
    unused = [name for name, piece in constructs.items() if not any(re.search(piece, each) for each in castitles)]
    assert not unused


def test_every_line_is_well_formed() -> None:
    wrong = {number: line for number, line in enumerate(qrels_lines(), 1) if not LINE.fullmatch(line)}
    assert not wrong


def test_no_document_is_judged_twice_for_a_topic() -> None:
    pairs = [(line.topic, line.document) for line in judged()]
    assert len(pairs) == len(set(pairs))


def test_every_judged_document_exists_and_has_the_size_of_its_text() -> None:
    assert {line.document for line in judged()} <= set(documents())
    wrong = [(line.topic, line.document) for line in judged() if line.size != len(text_of(line.document))]
    assert not wrong


def test_passages_lie_in_the_text_apart_and_in_order() -> None:
    for line in judged():
        assert sum(length for _, length in line.passages) == line.highlighted
        assert all(offset + length <= line.size for offset, length in line.passages)
        for (offset, length), (after, _) in pairwise(line.passages):
            between = text_of(line.document)[offset + length : after]
            assert between.strip(), f"{line.topic} {line.document}: {offset}:{length} and {after} are one passage"


def test_a_passage_neither_begins_nor_ends_with_white_space_or_inside_a_word() -> None:
    for line in judged():
        text = text_of(line.document)
        for offset, length in line.passages:
            passage = text[offset : offset + length]
            assert passage == passage.strip(), f"{line.topic} {line.document} {offset}:{length}"
            ends = text[offset - 1 : offset + 1], text[offset + length - 1 : offset + length + 1]
            cut = [end for end in ends if re.fullmatch(r"[a-z]{2}", end)]
            assert not cut, f"{line.topic} {line.document} {offset}:{length}"


def test_the_entry_point_lies_in_a_passage() -> None:
    for line in judged():
        inside = [offset <= line.entry_point < offset + length for offset, length in line.passages]
        assert any(inside) == bool(line.passages), f"{line.topic} {line.document}"


def test_no_reference_is_highlighted() -> None:
    for line in judged():
        for reference in root_of(line.document).iter("{*}bb", "{*}ref"):
            title = "".join(map(str, reference.itertext())).strip()
            if reference.tag == "bb" or reference.find("mixed-citation") is not None:
                place = text_of(line.document).rindex(title)
                assert not any(
                    offset < place + len(title) and place < offset + length for offset, length in line.passages
                )


@pytest.mark.parametrize("topic", topic_ids())
def test_a_topic_has_relevant_articles_and_others(topic: str) -> None:
    lines = [line for line in judged() if line.topic == topic]
    relevant = [line for line in lines if line.passages]
    assert len(relevant) >= 3
    assert len(relevant) < len(lines)


def test_answers_come_in_all_sizes() -> None:
    """Some article is relevant nearly as a whole, some by a section, some by one sentence."""
    relevant = [line for line in judged() if line.passages]
    assert any(line.highlighted > 0.9 * line.size for line in relevant)
    assert any(0.1 * line.size < line.highlighted < 0.3 * line.size for line in relevant)
    assert any(line.highlighted < 80 and len(line.passages) == 1 for line in relevant)


def test_the_readme_counts_what_is_there() -> None:
    readme = (ROOT / "topics" / "README.md").read_text(encoding="utf-8")
    for file in TOPIC_FILES:
        topic = topic_of(file)
        lines = [line for line in judged() if line.topic == topic.get("topic_id")]
        cells = topic.get("topic_id"), f"{file.parent.name}/{file.name}", topic.get("query_type")
        counts = sum(1 for line in lines if line.passages), sum(line.highlighted for line in lines)
        assert "| " + " | ".join(map(str, cells + counts)) + " |" in readme
    passages = sum(len(line.passages) for line in judged())
    relevant = sum(1 for line in judged() if line.passages)
    total = f"{len(judged())} judged articles, {relevant} of them relevant, {passages} passages, "
    assert total + f"{sum(line.highlighted for line in judged())} highlighted characters" in readme
