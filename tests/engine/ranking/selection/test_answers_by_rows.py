"""Long tables are answered by their rows: which tables, by which rows, in which order; explained; in shards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.answers.stage_recorder import search_stages
from engine.errors import WordBudgetError
from engine.explain.explain import explain
from engine.index.locator import element_paths
from engine.index.reader import IndexReader
from engine.settings import Settings
from tests.engine.joined_answers import JoinedAnswers
from tests.engine.small_index import answers_to, grown_index, index_of
from tests.trust.soak import effort

QUESTION = "which keeper kept the lamp of skomvik"
TABLE = "/a[1]/s[1]/table[1]"
HEAD = "<thead><tr><th>Lamp</th><th>Keeper</th></tr></thead>"
ROWS = [
    "<tr><td>Fruholmen</td><td>Solveig Berg</td></tr>",
    "<tr><td>Skomvik</td><td>Nils the keeper</td></tr>",
    "<tr><td/></tr>",
    "<tr><td>Skomvik, the second lamp</td><td>another keeper</td></tr>",
    "<tr><td>Tungeneset</td><td>Solveig Berg</td></tr>",
]
LONG = f"<table>{HEAD}<tbody>{''.join(ROWS)}</tbody></table>"
NIGHT = "We heard waves all night long, and fog bells ringing on that mole until another grey morning came. " * 2
OTHERS = {
    "e": f"<a><s><p>The keeper slept. {NIGHT}</p><p>{NIGHT}</p></s></a>",
    "f": f"<a><s><p>{NIGHT}</p><p>{NIGHT}</p></s></a>",
}
DOCUMENTS = {"d": f"<a><title>Lights</title><s>{LONG}</s><s><p>{NIGHT}</p></s></a>", **OTHERS}
GIVEN: dict[str, Any] = {"max_table_words": 10, "function_words": "keep", "focus": 0.5}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexReader]:
    with index_of(tmp_path_factory.mktemp("rows"), DOCUMENTS, profile="docbook") as reader:
        yield reader


def found(index: IndexReader, query: str = QUESTION, **settings: Any) -> JoinedAnswers:
    return answers_to(index, query, **{**GIVEN, **settings})


def paths(answers: JoinedAnswers) -> list[str]:
    return [answer.path for answer in answers if answer.document == "d"]


def rows(*numbers: int) -> list[str]:
    return [f"{TABLE}/tbody[1]/tr[{number}]" for number in numbers]


def test_rows_take_the_place_of_the_table_those_that_say_most_of_the_question_first(index: IndexReader) -> None:
    whole, answers = found(index, max_table_words="all"), found(index)

    assert paths(whole) == [TABLE]
    assert paths(answers) == rows(4, 2, 1, 5)  # not the empty row, nor the header row
    assert {answer.score for answer in answers if answer.document == "d"} == {whole[0].score}
    assert paths(found(index, passages=True)) == rows(4, 2, 1, 5)


@pytest.mark.parametrize(("longest", "expected"), [(18, [TABLE]), (17, rows(4, 2, 1, 5))])
def test_only_tables_of_more_words(index: IndexReader, longest: int, expected: list[str]) -> None:
    assert paths(found(index, max_table_words=longest)) == expected


@pytest.mark.parametrize(
    ("query", "given_settings"),
    [
        ("keeper lamp skomvik", {}),  # keywords
        (f"+skomvik {QUESTION}", {}),
        (f"{QUESTION} -dynamite", {}),
        (f"//s[about(., {QUESTION})]", {"reading": "VV"}),
        (QUESTION, {"answers": "//table"}),
        (QUESTION, {"overlap": "keep"}),
        (QUESTION, {"max_per_article": 3}),
        (QUESTION, {"group_by_article": True}),
    ],
)
def test_a_table_stays_whole(index: IndexReader, query: str, given_settings: dict[str, Any]) -> None:
    answers = found(index, query, **given_settings)

    assert TABLE in paths(answers)
    assert not set(rows(1, 2, 4, 5)) & set(paths(answers))


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"inside": "//s"}, rows(4, 2, 1, 5)),
        ({"outside": "//thead"}, rows(4, 2, 1, 5)),
        ({"outside": "//tbody"}, [TABLE]),  # it has no rows that may be answers
    ],
)
def test_rows_are_within_the_scope(index: IndexReader, scope: dict[str, Any], expected: list[str]) -> None:
    assert paths(found(index, **scope)) == expected


@pytest.mark.parametrize(
    "table",
    [
        f"<table>{ROWS[3]}</table>",  # one row
        f"<table>{HEAD}{ROWS[3]}</table>",  # one beside the header row
        f"<table><tr><td><table>{ROWS[1]}</table></td><td>sea</td></tr>{ROWS[3]}</table>",  # layout
        f"<informal>{ROWS[1]}{ROWS[3]}</informal>",  # no table
    ],
)
def test_what_has_no_rows_stays_whole(tmp_path: Path, table: str) -> None:
    with index_of(tmp_path, {"d": f"<a><s>{table}</s></a>", **OTHERS}, profile="auto") as reader:
        every = [paths(found(reader, max_table_words=longest)) for longest in (3, "all")]

    assert every[0] == every[1]


def table_with(first: str) -> dict[str, str]:
    return {"d": f"<a><s><table><caption>Lights</caption>{first}{ROWS[0]}{ROWS[3]}{ROWS[1]}</table></s></a>", **OTHERS}


@pytest.mark.parametrize(
    ("first", "expected", "breadcrumb"),
    [
        # it names the columns
        (
            "<tr><td>Lamp of Skomvik</td><td>keeper</td><td>height</td></tr>",
            (3, 4, 2, 1),
            ["Lamp of Skomvik | keeper | height"],
        ),
        # a name and its value
        ("<tr><td>keeper of the lamp of Skomvik</td><td>Nils</td></tr>", (1, 3, 4, 2), []),
        ("<tr><th>keeper of the lamp of Skomvik</th><td>Nils</td><td>Berg</td></tr>", (1, 3, 4, 2), []),
    ],
)
def test_a_first_row_that_names_the_columns_comes_last(
    tmp_path: Path, first: str, expected: tuple[int, ...], breadcrumb: list[str]
) -> None:
    with index_of(tmp_path, table_with(first), profile="docbook") as reader:
        answers = found(reader)
        crumbs = {answer.path: answer.breadcrumb for answer in answers}

        assert paths(answers) == [f"{TABLE}/tr[{number}]" for number in expected]
        assert crumbs[f"{TABLE}/tr[2]"] == ["Lights", *breadcrumb]


def test_rows_in_rows_and_heads_are_no_answers(tmp_path: Path) -> None:
    entries = "<row><entry>Skomvik</entry><entry>the keeper of the lamp</entry></row>"
    nested = f"<row><entry>Nils</entry><cell><row>{entries}</row><row>{entries}</row></cell></row>"
    head = "<thead><row>Lamp</row><row>Keeper</row><row>Skomvik lamp keeper</row></thead>"
    table = f"<table>{head}<tbody>{entries}{nested}</tbody></table>"
    with index_of(tmp_path, {"d": f"<a><s>{table}</s></a>", **OTHERS}, profile="docbook") as reader:
        answers = paths(found(reader, max_table_words=3))

    assert set(answers) == {f"{TABLE}/tbody[1]/row[{number}]" for number in (1, 2)}


def test_a_table_in_an_entry_is_layout(tmp_path: Path) -> None:
    entries = "<row><entry>Skomvik</entry><entry>the keeper of the lamp</entry></row>"
    nested = f"<row><entry>Nils</entry><entrytbl><tbody>{entries}{entries}</tbody></entrytbl></row>"
    table = f"<table><tgroup><tbody>{entries}{nested}</tbody></tgroup></table>"
    with index_of(tmp_path, {"d": f"<a><s>{table}</s></a>", **OTHERS}, profile="docbook") as reader:
        every = [paths(found(reader, max_table_words=longest)) for longest in (20, "all")]

    assert every[0] == every[1]


def test_the_header_rows_are_in_the_breadcrumbs(index: IndexReader) -> None:
    assert [answer.breadcrumb for answer in found(index) if answer.document == "d"] == [["Lights", "Lamp | Keeper"]] * 4


@pytest.mark.parametrize("n_answers", range(1, 7))
def test_fewer_answers_are_the_first_of_more(index: IndexReader, n_answers: int) -> None:
    many, few = (found(index, max_answers=number) for number in (100, n_answers))

    assert [(answer.document, answer.path) for answer in few] == [
        (answer.document, answer.path) for answer in many[:n_answers]
    ]


def test_a_budget_of_words_counts_rows(index: IndexReader) -> None:
    answers = found(index, word_budget=18)

    assert paths(answers) == rows(4, 2, 1, 5)
    assert sum(answer.words for answer in answers) <= 18


@pytest.mark.parametrize(
    ("query", "budget", "longest", "expected"),
    [
        (QUESTION, 17, 10, rows(4, 2)),  # of a table that has no room
        (QUESTION, 17, "4x", rows(4, 2)),
        (QUESTION, 6, "4x", rows(4)),
        (QUESTION, 5, "4x", rows(2)),  # the best that fits
        ("keeper lamp skomvik", 17, "4x", rows(4, 2)),  # keywords
        (QUESTION, 18, "4x", [TABLE]),
        (QUESTION, 17, "all", []),
        (f"+skomvik {QUESTION}", 17, "4x", []),
    ],
)
def test_a_budget_takes_the_rows_with_query_terms_of_a_table_that_does_not_fit(
    index: IndexReader, query: str, budget: int, longest: int | str, expected: list[str]
) -> None:
    try:
        answers = found(
            index, query, min_words=2, word_budget=budget, max_table_words=longest, passages=True, min_passage_words=12
        )
    except WordBudgetError:
        assert not expected
    else:
        assert paths(answers) == expected
        assert sum(answer.words for answer in answers) <= budget


def test_rows_take_only_room_that_another_answer_could_take(index: IndexReader) -> None:
    of_passages = {"passages": True, "min_passage_words": 12, "min_words": 6}
    with pytest.raises(WordBudgetError, match="the shortest answer has 6 words"):
        found(index, word_budget=5, **of_passages)
    assert paths(found(index, word_budget=6, **of_passages)) == rows(4)
    with pytest.raises(WordBudgetError, match="the shortest answer has 18 words"):
        found(index, word_budget=17)  # of elements, passages take the place


def test_what_a_budget_takes_of_a_table_is_explained(index: IndexReader) -> None:
    of_passages = {"passages": True, "min_passage_words": 12, "min_words": 2}
    settings = Settings.from_options(**{**GIVEN, **of_passages, "max_table_words": "4x"}, word_budget=9)
    first, refused, other, table = (
        explain(index, QUESTION, "d", path, settings).outcome for path in (*rows(4, 2, 1), TABLE)
    )

    assert first.rank == 1
    assert (refused.reason, table.reason) == ("word_budget", "word_budget")
    assert "its 4 words do not fit the rest of the budget of 9 words" in refused.description
    assert (
        "its 18 words do not fit the rest of the budget of 9 words; rows of it do, from rank 1 on" in table.description
    )
    assert other.reason not in (None, "word_budget")


def test_rows_are_explained(index: IndexReader) -> None:
    settings = Settings.from_options(**GIVEN, max_answers=3)
    answers = found(index, max_answers=3)
    first, cut, table = (explain(index, QUESTION, "d", path, settings) for path in (*rows(4, 5), TABLE))
    header = explain(index, QUESTION, "d", f"{TABLE}/thead[1]/tr[1]", settings)

    assert paths(answers) == rows(4, 2, 1)
    assert first.outcome.rank == 1
    assert first.element is not None
    assert table.element is not None
    assert first.score == first.element.value == answers[0].score == table.element.value
    assert first.element.details[0].value == table.element.value
    assert (table.outcome.reason, cut.outcome.reason) == ("max_table_words", "max_answers")
    assert (
        "a table of 18 words: its rows are answers in its place, from rank 1 on (max_table_words 10)"
        in table.outcome.description
    )
    assert header.outcome.rank is None
    own = [explain(index, QUESTION, "d", path, settings).element for path in rows(4, 2, 1)]
    assert [each.facts["own_score"] for each in own if each] == sorted(
        (each.facts["own_score"] for each in own if each), reverse=True
    )


def test_what_overlaps_with_a_table_names_the_rank_of_its_first_row(index: IndexReader) -> None:
    around = explain(index, QUESTION, "d", "/a[1]/s[1]", Settings.from_options(**GIVEN)).outcome

    assert around.blocker is not None
    assert (around.blocker.path, around.blocker.rank) == (TABLE, 1)


def test_rows_are_a_stage(index: IndexReader) -> None:
    stages = {stage.name: stage for stage in search_stages(index, QUESTION, Settings.from_options(**GIVEN))[1]}

    assert list(stages)[-2:] == ["rows", "answers"]
    assert stages["rows"].count == stages["answers"].count
    assert "rows=4" in stages["rows"].value


def test_rows_among_passages_are_explained(index: IndexReader) -> None:
    settings = Settings.from_options(**GIVEN, passages=True)
    answers, first = found(index, passages=True), explain(index, QUESTION, "d", rows(4)[0], settings)

    assert first.outcome.rank == 1
    assert first.element is not None
    assert first.element.value == answers[0].score


def test_ranks_below_a_table_count_its_rows(index: IndexReader) -> None:
    answers = found(index)
    for rank, answer in enumerate(answers, start=1):
        explained = explain(index, QUESTION, answer.document, answer.path, Settings.from_options(**GIVEN))
        assert (explained.outcome.rank, explained.rsv) == (rank, answer.rsv)
    assert len(answers) > len(paths(answers))


CELLS = st.text("abc ", min_size=1, max_size=8)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=5)
WORDS = "a b c ab"
EVERY_WORD = f"<a><p>{WORDS}</p></a>"


def table_of(cells: list[list[str]]) -> str:
    rows = ("".join(f"<td>{cell}</td>" for cell in row) for row in cells)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def header_rows(index: IndexReader) -> set[tuple[str, str]]:
    """Return document and path of the rows that name the columns of a table."""
    headers = index.header_rows.of(np.arange(index.n_slots))
    rows = headers.rows.compress(headers.are_titles)
    documents = [index.ids[number] for number in index.elements.document(rows).tolist()]
    return set(zip(documents, element_paths(index, rows), strict=True))


def number_of(path: str) -> int:
    return int(path.rpartition("[")[2].rstrip("]"))


@hypothesis_settings(max_examples=effort(5, 400, thorough=60), deadline=None)
@given(st.lists(st.lists(TABLES, min_size=1, max_size=2), min_size=1, max_size=4), st.integers(1, 12), st.booleans())
@pytest.mark.long
def test_rows_are_those_of_whole_tables_in_the_order_of_their_own_scores(
    documents: list[list[list[list[str]]]], n_answers: int, passages: bool
) -> None:
    markup = {
        f"d{number}": f"<a>{''.join(f'<s>{table_of(table)}</s>' for table in tables)}</a>"
        for number, tables in enumerate(documents)
    }
    ranking: dict[str, Any] = {"min_words": 1, "function_words": "keep", "focus": 0.5, "passages": passages}
    own: dict[str, Any] = {"parent_weight": 0, "heading_weight": 0, "neighbour_weight": 0}
    with grown_index([{**markup, "z": EVERY_WORD}]) as one:
        whole = answers_to(one, WORDS, **ranking, max_table_words="all", max_answers=n_answers)
        alone = answers_to(one, WORDS, **{**ranking, "passages": False}, **own, answers="//tr", overlap="keep")
        rows = answers_to(one, "//tr", **{**ranking, "passages": False}, answers="target", overlap="keep")
        scores = {(row.document, row.path): 0.0 for row in rows if row.text.strip()}
        scores |= {(answer.document, answer.path): answer.score for answer in alone}
        headers, expected = header_rows(one), []
        for answer in whole:
            place = answer.document, answer.path
            inside = [each for each in scores if each[0] == place[0] and each[1].startswith(f"{place[1]}/")]
            if len(inside) >= 2 and answer.path.endswith("/table[1]"):
                by_score = sorted(inside, key=lambda each: (each in headers, -scores[each], number_of(each[1])))  # type: ignore[operator]
                expected += [(*each, answer.score) for each in by_score]
            else:
                expected.append((*place, answer.score))
        found = answers_to(one, WORDS, **ranking, max_table_words=0, max_answers=n_answers)
        assert [(answer.document, answer.path, answer.score) for answer in found] == expected[:n_answers]
