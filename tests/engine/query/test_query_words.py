"""Patterns, misspelt words, exact forms, groups and proximity, compared with slow references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.explain.explain import explain
from engine.index.reader import IndexReader, open_reader
from engine.query.query import Query, parse_query, with_shared_stems
from engine.query.query_terms import QueryTerm
from engine.query.synonyms import Synonyms
from engine.ranking.matches import phrase_intervals
from engine.ranking.search import plan_query
from engine.settings import Settings
from engine.text.analyser import make_analyser
from tests.engine.check_answers import WAYS, search
from tests.engine.small_index import answers_to, build_index, index_of, write
from tests.reference.query_words import TextWord, fitting, in_order, near, within
from tests.trust.soak import effort

WORDS = (
    *("light", "lights", "lighter", "lighting", "lighthouse", "lighthouses", "slight", "lens", "lenses"),
    *("fog", "fogs", "fogged", "signal", "signals", "horn", "foghorn", "buoy", "buoys", "body", "öl", "lit"),
)
PATTERNS = ("light*", "*house", "l*s", "*o*", "*ight*", "li*ht*", "fog*", "xq*", "*ns", "öl*", "Light*")
FUZZY = ("bouy~1", "bouy~", "lihgt~1", "fgo~2", "sginal~2", "lens~1")
SHARING = (("light*", "*house"), ("*ns", "l*", "lens"), ("light*", "l*t*", "*s"))
PHRASES = (("fog", "signal"), ("light", "house"), ("fog", "fog"), ("horn", "fog", "light"), ("lens", "lights"))

# Failing examples are small, and an index a step of shrinking takes long.
UNSHRUNK = (Phase.explicit, Phase.generate)
QUERIES = (
    *("horn {}", 'fog "signal horn"~3 {}', "//p[about(., fog {})]"),
    '//a[about(.//p, {})]//p[about(., "fog horn"~2)]',
)

paragraphs = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
documents = st.lists(paragraphs, min_size=1, max_size=4)
collections = st.lists(documents, min_size=2, max_size=6)


def markup(texts: list[str]) -> str:
    return "<a>" + "".join(f"<p>{text.replace(' fog ', ' <b>fog</b> ')}</p>" for text in texts) + "</a>"


def stemmed(index: IndexReader, text: str) -> list[TextWord]:
    return [(word, str(index.analyser.term(word, "english"))) for word in text.split()]


def index_in_two_segments(folder: Path, texts: list[list[str]]) -> IndexReader:
    """Index the documents in two steps, with English stems."""
    source = folder / "source"
    source.mkdir()
    profile = folder / "profile.toml"
    profile.write_text('inline = ["b"]\n', "utf-8")
    files = {f"d{number}": markup(each) for number, each in enumerate(texts)}
    for step in (list(files)[: len(files) // 2], list(files)):
        write(source, {name: files[name] for name in step})
        build_index(source, into=folder / "index", profile=str(profile), stem="english")
    return open_reader(folder / "index")


def begins_in(
    texts: list[list[str]], index: IndexReader, where: Callable[[list[TextWord]], set[int]]
) -> list[list[int]]:
    """Return for each paragraph of the collection where a term begins."""
    return [sorted(where(stemmed(index, text))) for document in texts for text in document]


def of_stems(text: list[TextWord], stems: set[str]) -> set[int]:
    return {at for at, (_, stem) in enumerate(text) if stem in stems}


def has_stem(word: TextWord, stem: str) -> bool:
    return word[1] == stem


def of_form(text: list[TextWord], form: str) -> set[int]:
    return {at for at, (each, _) in enumerate(text) if each == form}


def found_in(texts: list[list[str]], index: IndexReader, word: str) -> list[list[int]]:
    """Return for each paragraph where the engine finds a word of a query."""
    found = index.elements.occurrences(word, np.arange(index.n_slots), positions=True)
    assert found.positions is not None
    places = np.split(found.positions, np.cumsum(found.tf)[:-1]) if len(found.tf) else []
    at = dict(zip(found.rows.tolist(), (each.tolist() for each in places), strict=True))
    rows = {}
    for document in range(index.n_slots):
        first = int(index.elements.root(np.array([document]))[0])
        leaves = list(range(first, int(index.elements.document_end(np.array([document]))[0])))
        tags = [index.elements.tags[tag] for tag in index.elements.tag(np.array(leaves)).tolist()]
        rows[index.ids[document]] = [row for row, tag in zip(leaves, tags, strict=True) if tag == "p"]
    return [at.get(row, []) for number in range(len(texts)) for row in rows[f"d{number}"]]


def words_of(index: IndexReader, query: str, **given_settings: Any) -> list[str]:
    return [term.words[0] for term in plan_query(index, query, Settings.from_options(**given_settings)).query.terms]


@settings(max_examples=effort(3, 400, thorough=60), phases=UNSHRUNK)
@given(collections)
@pytest.mark.long
def test_what_query_words_stand_for_and_where_they_are_is_what_a_reference_says(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]
) -> None:
    index = index_in_two_segments(tmp_path_factory.mktemp("words"), texts)
    forms = {word for document in texts for text in document for word in text.split()}
    for query, expected in [
        *((pattern, fitting(pattern.lower(), forms)) for pattern in PATTERNS),
        *((query, within(query.split("~")[0], int(query[-1].replace("~", "1")), forms)) for query in FUZZY),
    ]:
        ((typed, words),) = plan_query(index, query, Settings.from_options()).query.expansions
        assert (typed, list(words)) == (query, expected or [query.split("~")[0].replace("*", "")])
        stems = {stem for _, stem in stemmed(index, " ".join(words))}
        (word,) = words_of(index, query)
        assert found_in(texts, index, word) == begins_in(texts, index, partial(of_stems, stems=stems))
    for form in ("lens", "lights", "fog"):
        (word,) = words_of(index, f"={form}")
        expected_places = begins_in(texts, index, partial(of_form, form=form))
        assert found_in(texts, index, word) == expected_places
        holding = {d for d, document in enumerate(texts) if any(form in text.split() for text in document)}
        assert index.statistics.term(word).document_frequency == len(holding)
        assert index.document_frequencies([word]).tolist() == [len(holding)]
    for phrase in PHRASES:
        stems_of = [stem for _, stem in stemmed(index, " ".join(phrase))]
        (word,) = words_of(index, f'("{" ".join(phrase)}" | unknown)')
        is_word = [partial(has_stem, stem=stem) for stem in stems_of]
        assert found_in(texts, index, word) == begins_in(texts, index, partial(in_order, wanted=is_word))
        for slop in (0, 1, 4):
            (word,) = words_of(index, f'("{" ".join(phrase)}"~{slop} | unknown)')
            assert found_in(texts, index, word) == begins_in(
                texts, index, partial(near, wanted=[{stem} for stem in stems_of], slop=slop)
            )
    for patterns in SHARING:
        fitted = [{stem for _, stem in stemmed(index, " ".join(fitting(each, forms)))} for each in patterns]
        for slop in (0, 2):
            (term,) = plan_query(index, f'+"{" ".join(patterns)}"~{slop}', Settings.from_options()).query.terms
            found = phrase_intervals(index.elements, term, np.arange(index.n_slots))
            expected_places = begins_in(texts, index, partial(near, wanted=fitted, slop=slop))
            assert len(found.rows) == sum(map(len, expected_places)), patterns


@settings(max_examples=effort(2, 200, thorough=40), phases=UNSHRUNK)
@given(collections, st.sampled_from([*PATTERNS, *FUZZY]), st.sampled_from(["", "+", "-"]))
@pytest.mark.long
def test_an_expanded_word_is_a_group_of_words_in_every_way_of_searching(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]], typed: str, sign: str
) -> None:
    index = index_in_two_segments(tmp_path_factory.mktemp("words"), texts)
    ((_, words),) = plan_query(index, typed, Settings.from_options()).query.expansions
    group = f"({' | '.join(words)})" if len(words) > 1 else words[0]
    for query in QUERIES:
        found = search(index, query.format(f"{sign}{typed}"), Settings.from_options(), ways=WAYS)
        expected = answers_to(index, query.format(f"{sign}{group}"))
        assert [(each.path, each.score) for each in found] == [(each.path, each.score) for each in expected]


def test_a_group_is_one_term_with_the_statistics_of_the_union(tmp_path: Path) -> None:
    texts = {"a": "<a><p>lamp lantern lamp</p></a>", "b": "<a><p>lantern</p></a>", "c": "<a><p>tide</p></a>"}
    index = index_of(tmp_path, texts)
    (word,) = words_of(index, "(lamp OR lantern)")

    statistics = index.statistics.term(word)

    assert (statistics.document_frequency, statistics.collection_frequency) == (2, 4)
    assert plan_query(index, "(lamp OR lantern) lamp|lantern", Settings.from_options()).query.word_counts == {word: 2}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lights", ["a", "b"]),
        ("=lights", ["b"]),
        ("=Light", ["a"]),
        ('"light* ship"', ["c"]),
        ('"ship lightning"~1', ["c"]),
        ('+"ship lightning"~0', ["c"]),
        ('+"light* *ing"~5', []),
        ('+"ship lightning"~1001', ["c"]),
        ("l|ightning", []),
        ("1*", ["e"]),
        ('tide|"lightning ship"', ["c", "d"]),
        ('//a[about(., +"lightning ship"|tide)]', ["c", "d"]),
        ('(tide | "lightning ship")', ["c", "d"]),
        ("+(tide OR light) -=lights", ["a", "d"]),
        ("=light* -=light", ["b", "c"]),
        ("//p[about(., =lights)]", ["b"]),
        ("//p[not(about(., light*))]", ["d", "e"]),
        ("//a[about(.//@k, tid*)]", ["a"]),
        ("//a[about(.//@k, =tides)]", ["a"]),
        ("//a[about(.//@k, =tide)]", []),
        ('//a[about(.//@k, "gauge tide"~1)]', ["a"]),
        ('//a[about(.//@k, "and tide"~0)]', ["a"]),
        ('//a[about(.//@k, "tide tides|light"~5)]', []),
    ],
)
def test_query_words_in_keywords_and_in_about(tmp_path: Path, query: str, expected: list[str]) -> None:
    texts = {
        "a": '<a k="tides and gauge"><p>a light</p></a>',
        "b": "<a><p>two lights</p></a>",
        "c": "<a><p>the lightning ship</p></a>",
        "d": "<a><p>a tide</p></a>",
        "e": "<a><p>1857</p></a>",
    }
    index = index_of(tmp_path, texts, stem="english")

    found = {answer.document for answer in answers_to(index, query)}

    assert sorted(found) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("int *p = **q;", "a(b | c", "x | y", "(see OR", "~ ~5 5~", 'say "hi"~', "=", "=5", "a=b", "==x", "*", "(OR)"),
        *(
            *("( | )", '("" OR "")', "(a OR (b OR c))", "git log | grep x", "a||b", "|a|", "* item", "F* C*"),
            *("~~x~~", "-=x"),
        ),
    ],
)
def test_plain_text_is_never_an_error(tmp_path: Path, text: str) -> None:
    index = index_of(tmp_path, {"a": "<a><p>b c x y p q int item hi say</p></a>"})

    assert len(answers_to(index, text)) <= 1


@pytest.mark.parametrize(
    "query", ["*a*", "*a*a*a*a*a*a*a*a*a*a*b", " ".join(f"*{a}*" for a in "abcdefghij"), "aa*~", "w1*"]
)
def test_patterns_of_every_word_are_bounded_by_max_terms(tmp_path: Path, query: str) -> None:
    words = [f"w{number}a{'a' * (number % 50)}" for number in range(3000)] + ["a" * 5000]
    index = index_of(tmp_path, {"a": f"<a><p>{' '.join(words)}</p></a>"})

    plan = plan_query(index, query, Settings.from_options(max_terms=20))

    assert sum(len(words) for _, words in plan.query.expansions) <= 20
    assert sum(word.count("|") + 1 for word in plan.query.word_counts) <= 40
    notices = [notice.fields["kept"] for notice in plan.query.notices if notice.code == "stands_for"]
    assert all(kept <= 20 for kept in notices)


def test_of_many_patterns_the_first_stand_for_words(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a": "<a><p>lamp lamps fog fogs sea seas</p></a>"})

    plan = plan_query(index, "lamp* sea fgo~1 =fog fog*", Settings.from_options(max_terms=16))

    assert plan.query.expansions == (("lamp*", ("lamp", "lamps")), ("fgo~1", ("fog",)))
    assert set(plan.query.word_counts) == {"lamp|lamps", "sea", "fog"}
    told = [(each.code, *each.fields.values()) for each in plan.query.notices if each.code != "stands_for"]
    assert told == [("too_many_patterns", 3, 2, 16)]


@pytest.mark.long
def test_a_group_of_thousands_is_one_term(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a": "<a><p>w17 tide</p></a>", "b": "<a><p>w9 w8</p></a>"})

    found = answers_to(index, f"({' | '.join(f'w{number}' for number in range(5000))})")

    assert {answer.document for answer in found} == {"a", "b"}


def test_of_a_long_group_the_alternatives_in_most_documents_count(tmp_path: Path) -> None:
    texts = {"a": "<a><p>w5 w7 w3</p></a>", "b": "<a><p>w9 w7 w8 w8</p></a>", "c": "<a><p>w8 w3</p></a>"}
    index = index_of(tmp_path, texts)
    group = "(w5|=w9|w7|w8|w3|w99)"

    plan = plan_query(index, f"{group} tide", Settings.from_options(max_terms=3))

    assert list(plan.query.word_counts) == ["tide", "w7|w8|w3"]
    assert [(each.code, *each.fields.values()) for each in plan.notices] == [("too_many_alternatives", 6, 3)]
    assert not plan_query(index, group, Settings.from_options(max_terms=6)).notices


SYNONYMS = 'groups = [["lamp", "lantern", "oil light"], ["lantern", "lamp"]]\n[expand]\nbuoy = ["marker"]\n'


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lamps", ["a", "b", "c"]),
        ("lantern", ["a", "b", "c"]),
        ("=lamp", ["a"]),
        ('"oil light"', ["a", "b", "c"]),
        ("buoy", ["d", "e"]),
        ("marker", ["e"]),
        ("+(lamp OR tide)", ["a", "b", "c"]),
        ("//p[about(., buoys)]", ["d", "e"]),
    ],
)
def test_synonyms_of_a_file(tmp_path: Path, query: str, expected: list[str]) -> None:
    texts = {"a": "lamp", "b": "lanterns", "c": "an oil light", "d": "buoys", "e": "markers"}
    index = index_of(tmp_path, {name: f"<a><p>{text}</p></a>" for name, text in texts.items()}, stem="english")
    file = tmp_path / "synonyms.toml"
    file.write_text(SYNONYMS, "utf-8")

    found = search(index, query, Settings.from_options(synonyms=str(file)), ways=WAYS)

    assert sorted(answer.document for answer in found) == expected


THESAURUS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [<!ENTITY ght "ght">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<skos:Concept><skos:altLabel>oil
li<!-- g -->&ght;</skos:altLabel><skos:prefLabel xml:lang="de">Tide</skos:prefLabel>
<skos:prefLabel>Lamp</skos:prefLabel></skos:Concept>
<rdf:Description><skos:hiddenLabel xml:lang="de">Boje</skos:hiddenLabel>
<skos:prefLabel xml:lang="de">Tonne</skos:prefLabel></rdf:Description></rdf:RDF>"""


@pytest.mark.parametrize("collection", ["und", "en"])
def test_labels_of_a_concept_of_skos_are_synonyms(tmp_path: Path, collection: str) -> None:
    """Those of other languages than the collection's are looked for nowhere; a query may be in any."""
    texts = {"a": "lamp", "b": "an oil light", "c": "tide", "d": "Boje", "e": "Tonne"}
    documents = {name: f"<a xml:lang='{collection}'><p>{text}</p></a>" for name, text in texts.items()}
    index = index_of(tmp_path, documents, stem="auto")
    file = tmp_path / "thesaurus.rdf"
    file.write_text(THESAURUS, "utf-8")
    others = {"lamp": "c", "tide": "", '"oil light"': "c", "tonne": "d"} if collection == "und" else {}

    for query, expected in {"lamp": "ab", "tide": "abc", '"oil light"': "ab", "tonne": "e"}.items():
        found = answers_to(index, query, synonyms=str(file))
        assert {answer.document for answer in found} == {*expected, *others.get(query, "")}, query


def test_a_group_counts_once_however_often_it_has_a_word() -> None:
    class Group(tuple[str, ...]):
        reads = 0

        def __iter__(self) -> Iterator[str]:
            self.reads += 1
            return super().__iter__()

    group = Group(["lamp", "Lamp", "lamps", "LAMP"] * 50)

    found = Synonyms([(word, group) for word in ("lamp", "Lamp", "lamps") * 50], make_analyser()).of("lamp")

    assert (list(found), group.reads) == (["lamp", "Lamp", "lamps", "LAMP"], 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<a", "not a file of synonyms ("),
        ("<?xml version='1.0' encoding='latin1'?><a/>", "no label of SKOS"),
        ("<a>lamp</a>", "found no label of SKOS"),
        ("", "found nothing"),
        ("lamp = 1", "found 'lamp'"),
        ("groups = 1", "groups is 1"),
        ("groups = [[]]", "groups has []"),
        ("groups = [['lamp', 1]]", "groups has ['lamp', 1]"),
        ("[expand]\nlamp = 'lantern'", "expand.lamp has 'lantern'"),
        ("groups = [['lamp', {word = 'lantern', weight = 2}]]", "expected a list of words, such as"),
        ("groups = [['lamp', {word = 'lantern', weight = true}]]", "above 0, at most 1"),
        ("groups = [['lamp', {word = 'lantern', wieght = 1}]]", "above 0, at most 1"),
        ("groups = [['lamp', 'oil light*']]", "groups has 'light*': * and ~ have a meaning in queries alone"),
        ("[expand]\nlamp = [{word = 'bouy~1', weight = 0.5}]", "expand.lamp has 'bouy~1': * and ~"),
        ("@prefix skos: <http://x/> .", "Turtle is not read as synonyms: save it as RDF/XML, or write lines like"),
        ("<http://x/l> <http://x/p> 'lamp' .", "Turtle is not read"),
        ('{"lamp": ["lantern"]}', "JSON is not read as synonyms: save JSON-LD as RDF/XML"),
        ("# a\nbuoy => marker", "a list of words, as of Solr, is not read as synonyms: write lines like"),
        ("lamp, oil light\n", "a list of words, as of Solr, is not read"),
        ("groups = [", "not a file of synonyms"),
        (None, "not a file of synonyms"),
    ],
)
def test_a_wrong_file_of_synonyms_is_named_with_what_was_found(tmp_path: Path, content: str | None, said: str) -> None:
    index = index_of(tmp_path, {"a": "<a><p>lamp</p></a>"})
    file = tmp_path / "synonyms.toml"
    if content is not None:
        file.write_text(content, "utf-8")

    with pytest.raises(SettingsError, match=re.escape(said)) as raised:
        answers_to(index, "lamp", synonyms=str(file))

    assert str(raised.value).startswith(str(file))


@pytest.mark.long
def test_long_words_of_synonyms_are_shortened_in_messages(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a": "<a><p>lamp</p></a>"})
    file = tmp_path / "synonyms.toml"
    file.write_text(f'groups = [["lamp", "{"long " * 40_000}"]]')
    (notice,) = answers_to(index, "lamp", synonyms=str(file)).notices
    assert len(str(notice)) < 500
    file.write_text(f"{'x' * 100_000} = 1")
    with pytest.raises(SettingsError) as caught:
        answers_to(index, "lamp", synonyms=str(file))
    assert len(str(caught.value)) < 500


@pytest.mark.long
def test_a_hundred_thousand_synonyms_are_read(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a": "<a><p>w7</p></a>"})
    file = tmp_path / "synonyms.toml"
    rows = ",\n".join(f'["w{number}", "v{number}"]' for number in range(100_000))
    file.write_text(f"groups = [\n{rows}\n]\n", "utf-8")

    assert len(answers_to(index, "v7", synonyms=str(file))) == 1


def test_words_of_deleted_documents_alone_are_not_among_those_of_a_pattern(tmp_path: Path) -> None:
    texts: Mapping[str, str] = {"a": "<a><p>lighthouse</p></a>", "b": "<a><p>lightship</p></a>"}
    index_of(tmp_path, texts, stem="english")
    (tmp_path / "source" / "b.xml").unlink()

    index = index_of(tmp_path, {"a": texts["a"]}, stem="english")

    assert plan_query(index, "light*", Settings.from_options()).query.expansions == (("light*", ("lighthouse",)),)


def test_explanations_say_which_words_a_pattern_stands_for(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a": "<a><p>lights and lighthouses</p></a>"}, stem="english")

    explained = explain(index, "light* bouy~1", "a", "/a[1]/p[1]", Settings.from_options())

    assert explained.expansions == (("light*", ("lighthouses", "lights")), ("bouy~1", ("bouy",)))
    assert "  light* stands for lighthouses, lights" in explained.lines()
    assert explained.to_dict()["expansions"][1] == {"word": "bouy~1", "words": ["bouy"]}
    groups = tmp_path / "groups.toml"
    groups.write_text("groups = [['lamp', 'lights']]\n", "utf-8")
    explained = explain(index, "lamp", "a", "/a[1]/p[1]", Settings.from_options(synonyms=str(groups)))
    assert explained.to_dict()["expansions"] == [{"word": "lamp", "words": ["lamp", "lights"]}]


# Words of a query with a stem in common count as one.


MIXED = make_analyser().with_languages(["none", "english"])


def _terms(text: str) -> list[str]:
    return [str(term) for term in with_shared_stems(parse_query(text, MIXED)).terms]


def test_a_word_and_its_stem_are_one_term() -> None:
    query = with_shared_stems(parse_query("contract of a contracting party", MIXED))

    assert [str(term) for term in query.terms] == [
        "contract|contracting",
        "of",
        "a",
        "contract|contracting",
        "party|parti",
    ]
    assert query.word_counts["contract|contracting"] == 2


def test_words_linked_by_a_third_are_one_term() -> None:
    # clauses: clauses|claus, clause: clause|claus; the stem claus links them
    assert _terms("clauses clause claus") == ["clauses|claus|clause"] * 3


def test_words_without_a_common_stem_stay_apart() -> None:
    assert _terms("fog signals") == ["fog", "signals|signal"]


def test_signs_are_kept_apart() -> None:
    terms = with_shared_stems(parse_query("+contract contracting -contracts", MIXED)).terms

    assert [(term.sign, term.words) for term in terms] == [
        ("+", ("contract",)),
        ("", ("contracting|contract",)),
        ("-", ("contracts|contract",)),
    ]


def test_phrases_stay_as_they_are() -> None:
    query = parse_query('"contracting parties" contract', MIXED)

    assert with_shared_stems(query).terms == query.terms


STEMS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True).map("|".join)


@given(st.lists(st.tuples(st.sampled_from(["", "+", "-"]), STEMS), min_size=1, max_size=8))
def test_terms_are_united_as_far_as_stems_link_them(words: list[tuple[str, str]]) -> None:
    query = Query("", tuple(QueryTerm((word,), sign=sign) for sign, word in words), "CO")
    united = {key: {*key[1].split("|")} for key in words}
    for _ in words:  # a chain has no more links than words
        united = {
            (sign, word): set[str]().union(*(united[key] for key in words if key[0] == sign and united[key] & stems))
            for (sign, word), stems in united.items()
        }

    found = with_shared_stems(query).terms

    for (sign, word), term in zip(words, found, strict=True):
        assert term.sign == sign
        stems = term.words[0].split("|")
        assert {*stems} == ({*word.split("|")} if sign == "-" else united[sign, word])
        assert len(stems) == len({*stems})
