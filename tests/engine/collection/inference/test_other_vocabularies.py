"""What people see of documents in vocabularies that nobody described: answers, their titles and their words."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir
from engine.collection.profiles.profile import Profile
from engine.index.reader import open_reader

pytestmark = pytest.mark.long
LINE = "The old keeper of the northern lighthouse wrote every day into the book what the committee had asked him for. "
PROSE = LINE * 4
TERMS = {"impeller": "A wheel with blades that throws water outwards.", "gland": "A packing along the shaft."}
DOCUMENTS = {
    "pages": "<codex>"
    + f"<leaf><txt>{LINE}The nor<turn/>thern light<lb/>house had an old<gap/>keeper of the<gap/>committee.</txt></leaf>"
    * 8
    + "</codex>",
    "menus": f"<help><topic><ttl>Menus<menu>File</menu> and<menu>Export</menu></ttl><txt>{LINE}</txt></topic></help>",
    "formulas": "<lesson><head>Optics</head><t>The maker of the lens knows that "
    "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:msqrt><m:mrow><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup>"
    "</m:mrow></m:msqrt><m:annotation>\\sqrt{x^2}</m:annotation></m:math> holds.</t></lesson>",
    "terms": f"<guide><part><name>Setting up</name>{f'<t>{PROSE}</t>' * 4}</part><part><name>Words</name><pairs>"
    + "".join(f"<w>{term}</w><x>{says}</x>" for term, says in TERMS.items())
    + f"</pairs>{f'<t>{PROSE}</t>' * 2}</part></guide>",
    "styled": "<novel><meta><style>q{color:red}</style><script>let a=1;</script></meta><flow><u>Winter bees</u>"
    f"<q>{LINE}</q><q>{LINE}They eat syrup<indexterm><w>food of bees</w></indexterm> then.</q></flow></novel>",
    "law": "<statute>"
    + "".join(
        f"<partx><hdr><no>{number}</no><name>{name}</name></hdr><clause><p>{LINE}{word}</p></clause>"
        f"<clause><p>{LINE}</p></clause></partx>"
        for number, (name, word) in enumerate((("Dues", "moorage"), ("Pilots", "pilotage")), 1)
    )
    + "</statute>",
    "questions": "<desk>"
    + "".join(
        f"<qa><ask>{ask}</ask><reply><par>{reply}</par></reply></qa>"
        for ask, reply in (
            ("How do I change the wick?", "Lift the burner, pull the old wick out and thread the new one."),
            ("Why does the lamp smoke?", "The flame is too high or the glass is dirty. Clean it with paper."),
            ("Can I burn sunflower oil?", "No. It clots in the cold and ruins the pump."),
        )
    )
    + "</desk>",
    "words": "<lexikon>"
    + "".join(
        f"<lemma><form>{form}</form><class>s.</class><def>{says}</def><cit>{LINE}</cit></lemma>"
        for form, says in (("klyver", "seil foran fokka"), ("baug", "den forreste delen"), ("anker", "tungt jern"))
    )
    + "</lexikon>",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("others")
    for name, text in DOCUMENTS.items():
        (folder / f"{name}.xml").write_text(text, "utf-8")
    foxir.build_index(*(folder / f"{name}.xml" for name in DOCUMENTS), into=folder / "x.foxir")
    return folder / "x.foxir"


def profile_of(folder: Path, document: str) -> Profile:
    reader = open_reader(folder)
    return reader.profile_of(list(reader.ids).index(document))


@pytest.mark.parametrize(
    ("document", "query", "path", "titles"),
    [
        ("terms", "what is an impeller", "/guide[1]/part[2]/pairs[1]", ["Words"]),
        ("styled", "syrup", "/novel[1]/flow[1]/q[2]", ["Winter bees"]),
        ("law", "pilotage", "/statute[1]/partx[2]/clause[1]/p[1]", ["2 Pilots"]),
        ("questions", "why does my lamp smoke", "/desk[1]/qa[2]", ["Why does the lamp smoke?"]),
        ("questions", "sunflower", "/desk[1]/qa[3]", ["Can I burn sunflower oil?"]),
        ("words", "seil foran fokka", "/lexikon[1]/lemma[1]", []),
    ],
)
def test_answers_are_whole_and_have_their_titles(
    folder: Path, document: str, query: str, path: str, titles: list[str]
) -> None:
    answers = foxir.open_index(folder).search(query, documents=document)

    assert answers[0].path == path
    assert answers.breadcrumbs[0] == titles


def test_words_end_at_empty_elements_as_they_do_elsewhere(folder: Path) -> None:
    text = foxir.open_index(folder).element("pages", "/codex[1]/leaf[1]").readable_text

    assert text.endswith("The northern lighthouse had an old keeper of the committee.")


def test_words_end_where_a_tag_begins_in_a_capital(folder: Path) -> None:
    assert (
        foxir.open_index(folder).element("menus", "/help[1]/topic[1]/ttl[1]").readable_text == "Menus File and Export"
    )


def test_formulas_stand_in_their_line(folder: Path) -> None:
    line = foxir.open_index(folder).element("formulas", "/lesson[1]/t[1]")

    assert line.readable_text == "The maker of the lens knows that sqrt(x^2) holds."
    assert profile_of(folder, "formulas").inline == {"math", "msqrt", "mrow", "msup", "mi", "mn"}


def test_styles_scripts_and_terms_of_an_index_are_no_text(folder: Path) -> None:
    assert profile_of(folder, "styled").skip == {"style", "script", "indexterm"}
    assert not len(foxir.open_index(folder).search("food", documents="styled"))


PAIR = {
    "docbook": "<varlistentry><term>{}</term><listitem><para>{}</para></listitem></varlistentry>",
    "html": "<dt>{}</dt><dd>{}</dd>",
}
PAGE = {
    "docbook": "<article><section><title>Pump</title>{}<variablelist>{}</variablelist></section></article>",
    "html": "<html><body><h1>Pump</h1>{}<dl>{}</dl></body></html>",
}


@pytest.mark.parametrize(("name", "tag"), [("docbook", "varlistentry"), ("html", "dl")])
def test_known_lists_of_terms_are_answers_with_what_is_said(tmp_path: Path, name: str, tag: str) -> None:
    paragraph = "para" if name == "docbook" else "p"
    pairs = "".join(PAIR[name].format(*pair) for pair in TERMS.items())
    (tmp_path / "a.xml").write_text(PAGE[name].format(f"<{paragraph}>{PROSE}</{paragraph}>" * 5, pairs))
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir", profile=name)

    assert foxir.open_index(tmp_path / "x.foxir").search("what is an impeller")[0].path.endswith(f"/{tag}[1]")


def test_a_question_says_its_language_where_a_collection_says_none(tmp_path: Path) -> None:
    names = (("Zorn, Elsa", "Mosses of the fells"), ("Quist, Per", "Lichens and dyes"), ("Ytter, Siv", "Knots"))
    rows = "".join(f"<ent><a>{who}</a><b>{what}</b><c>1901</c></ent>" for who, what in names)
    (tmp_path / "a.xml").write_text(f"<cat>{rows}</cat>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")
    answers = foxir.open_index(tmp_path / "x.foxir").search("which of the books is about knots")

    assert [each.path for each in answers] == ["/cat[1]/ent[3]"]


def test_properties_of_runs_end_no_words(tmp_path: Path) -> None:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    runs = "<w:r><w:t>The dr</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>um turns.</w:t></w:r>"
    (tmp_path / "a.xml").write_text(
        f"<w:document xmlns:w='{word}'><w:body><w:p><w:pPr><w:keepNext/></w:pPr>{runs}</w:p></w:body></w:document>"
    )
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir")

    assert foxir.open_index(tmp_path / "x.foxir").search("drum")[0].readable_text == "The drum turns."


def test_definitions_of_articles_have_their_term_above_them(tmp_path: Path) -> None:
    pairs = "".join(f"<def-item><term>{term}</term><def><p>{says}</p></def></def-item>" for term, says in TERMS.items())
    body = f"<sec><title>Words</title><p>{PROSE}</p><def-list>{pairs}</def-list></sec>"
    (tmp_path / "a.xml").write_text(f"<article><front/><body>{body}</body></article>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "x.foxir", profile="jats")

    element = foxir.open_index(tmp_path / "x.foxir").element(
        "a", "/article[1]/body[1]/sec[1]/def-list[1]/def-item[2]/def[1]/p[1]"
    )
    assert element.breadcrumb == ["Words", "gland"]
