"""Elements and their neighbours."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import foxir
from tests.foxir.conftest import Sample

DOCUMENT = "jats/fx-006"


def test_neighbours_agree_with_each_other_and_with_paths(sample: Sample) -> None:
    def visit(element: foxir.Element) -> int:
        children = element.children
        for child, after in zip(children, (*children[1:], None), strict=False):
            assert child.parent == element
            assert child.next == after
            assert after is None or after.previous == child
            assert child.path.startswith(f"{element.path}/")
            assert element.start <= child.start <= child.end <= element.end
        if children:
            assert children[0].previous is None
        return 1 + sum(map(visit, children))

    root = sample.index.element(DOCUMENT, "/article[1]")
    assert root.parent is root.next is root.previous is None
    assert visit(root) > 50


def test_inline_elements_are_no_neighbours(sample: Sample) -> None:
    paths = sample.index.locator.elements(DOCUMENT)
    assert paths is not None
    inline = [path for path in paths.paths if path.rsplit("/", 1)[1].startswith(("italic", "xref"))]
    assert inline
    element = sample.index.element(DOCUMENT, inline[0])
    assert element.parent is not None
    assert element not in element.parent.children


def test_an_answer_has_its_element(sample: Sample) -> None:
    answer, passage = (sample.index.search("fog signal", passages=passages)[0] for passages in (False, True))

    assert (answer.element.path, answer.element.text) == (answer.path, answer.text)
    assert passage.text in passage.element.text
    assert answer.element.to_dict(text=True)["breadcrumb"] == answer.breadcrumb
    assert sample.index.search("fog signal")[3:][0].element.path == sample.index.search("fog signal")[3].path


@pytest.mark.parametrize(("document", "path"), [("nowhere", "/article[1]"), (DOCUMENT, "/article[2]"), (DOCUMENT, "p")])
def test_an_unknown_place_is_named(sample: Sample, document: str, path: str) -> None:
    with pytest.raises(foxir.QueryError, match=document if document == "nowhere" else "no element"):
        sample.index.element(document, path)


def test_an_element_has_its_source(sample: Sample) -> None:
    source = sample.index.element(DOCUMENT, "/article[1]/body[1]/sec[5]/title[1]").source()

    assert (source.line, source.xml) == (79, "<title>Conclusion</title>")
    assert repr(source) == f"ElementSource({source.file!r}, line=79, characters=25)"
    assert Path(source.file).read_text().splitlines()[78].strip() == source.xml


def test_elements_compare_and_refuse_to_be_pickled(sample: Sample) -> None:
    one, same = (sample.index.element(DOCUMENT, "/article[1]/body[1]") for _ in range(2))

    assert one == same
    assert hash(one) == hash(same)
    assert one != one.parent
    assert repr(one) == f"Element('{DOCUMENT}', '/article[1]/body[1]')"
    with pytest.raises(TypeError, match=r"Index\.element"):
        pickle.dumps(one)


def test_only_elements_behind_an_undeclared_entity_with_elements_have_no_source(tmp_path: Path) -> None:
    (tmp_path / "own.ent").write_text("<!ENTITY chapter '<p>in</p><p>side</p>'>")
    (tmp_path / "a.xml").write_text("<a>\n<p>before</p>\n&chapter;<p>behind</p></a>")
    foxir.build_index(tmp_path / "a.xml", into=tmp_path / "index", entities=tmp_path / "own.ent")
    index = foxir.open_index(tmp_path / "index")

    assert index.element("a", "/a[1]/p[1]").source() == (str(tmp_path / "a.xml"), 2, "<p>before</p>")
    assert index.element("a", "/a[1]").source().xml == (tmp_path / "a.xml").read_text()
    for inside in (2, 3, 4):
        with pytest.raises(foxir.FoxirError, match="come from entities that it does not declare"):
            index.element("a", f"/a[1]/p[{inside}]").source()
