"""INEX submissions of 2003-2008 are read in all their variants; invalid files are refused with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import RunFormatError
from engine.notices import Notice
from engine.runs import read_run

FIXTURES = Path(__file__).parents[2] / "fixtures" / "runs"
HEAD = '<inex-submission run-id="r">\n'
TOPIC = HEAD + '<topic topic-id="1">\n'
TAIL = "</topic></inex-submission>"


def refusal(tmp_path: Path, text: str) -> str:
    file = tmp_path / "a.xml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RunFormatError) as error:
        read_run(file)
    return str(error.value).removeprefix(str(file))


def test_a_2005_submission_is_read_with_its_head_and_without_its_dtd():
    run = read_run(FIXTURES / "galilei_2005.xml")

    assert (run.run_id, run.participant, run.task, run.query) == ("r1", "24", "CO.Thorough", "automatic")
    assert (run.description, list(run.collections), run.format) == ("Sections first.", ["ieee"], "inex")
    assert run.topic_fields["title"] == "yes"
    assert run.notices == ()
    ranking = run.rankings["203"]
    assert list(ranking.documents) == ["co/2000/r7108", "co/2000/r7108"]
    assert list(ranking.paths) == ["/article[1]/bdy[1]/sec[2]", "/article[1]"]
    assert (ranking.rsv.tolist(), ranking.lines.tolist()) == ([0.67, 0.5], [10, 12])


def test_a_topic_without_results_is_kept():
    run = read_run(FIXTURES / "galilei_2005.xml")

    assert list(run.rankings) == ["203", "mm6"]
    assert len(run.rankings["mm6"]) == 0


def test_topic_part_is_read_as_topic_fields():
    run = read_run(FIXTURES / "indri_2004.xml")

    assert (run.topic_fields, run.description) == ({}, "")
    assert run.rankings["162"].rsv.tolist() == [-5.25, -6.5]


def test_without_ranks_results_are_sorted_by_rsv_and_ties_keep_their_order():
    run = read_run(FIXTURES / "garnata_2006_no_rank.xml")

    assert list(run.rankings["289"].documents) == ["11", "10", "12"]
    assert run.task == "RelevantInContext"
    assert run.notices == (Notice("ranks_missing", {"topics": 1}),)


def test_ranks_from_zero_without_rsv_give_falling_scores():
    run = read_run(FIXTURES / "atire_2008_no_rsv.xml")

    ranking = run.rankings["544"]
    assert (ranking.ranks.tolist(), ranking.rsv.tolist()) == ([1, 2], [2.0, 1.0])
    assert run.notices == (Notice("ranks_from_0", {"topics": 1}), Notice("rsv_missing", {"topics": 1}))


def test_passages_are_read_by_pointer_and_by_offset():
    ranking = read_run(FIXTURES / "passages_2007.xml").rankings["414"]

    assert ranking.pointers == {0: ("/article[1]/p[1]/text()[1].10", "/article[1]/p[2]/text()[1].40")}
    assert ranking.starts.tolist() == [-1, 100, -1]
    assert ranking.lengths.tolist() == [-1, 200, -1]
    assert list(ranking.paths) == [None, None, None]


def test_unknown_elements_in_results_are_counted(tmp_path):
    file = tmp_path / "a.xml"
    file.write_text(TOPIC + "<result><file>a</file><paht>/p[1]</paht><rank>1</rank><rsv>1</rsv></result>" + TAIL)

    assert read_run(file).notices == (Notice("unknown_field", {"tag": "paht", "results": 1}),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<inex_topic topic_id='1'/>", ":1: the root is <inex_topic>: expected a run"),
        (HEAD + "<topic/></inex-submission>", ":2: <topic> without an id"),
        (HEAD + "<topic topic-id='1'>\n</oops>", ":3: not well-formed XML"),
        (HEAD + "<topic topic-id='1'/>\n<topic topic-id='1'/></inex-submission>", ":3: duplicate topic '1'"),
        (HEAD + "<result><file>a</file><rank>1</rank></result></inex-submission>", ":2: a <result> outside"),
        (HEAD + "<topic topic-id='1'/>\n<result><file>a</file></result></inex-submission>", ":3: a <result> outside"),
        (TOPIC + "<result><path>/p[1]</path><rank>1</rank></result>" + TAIL, ":3: a result without a document"),
        (TOPIC + "<result><file>a</file><path>p[1]</path><rank>1</rank></result>" + TAIL, ":3: path 'p[1]'"),
        (TOPIC + "<result><file>a</file><rank>one</rank></result>" + TAIL, ":3: rank 'one' is not a whole number"),
        (TOPIC + "<result><file>a</file><rsv>NaN</rsv></result>" + TAIL, ":3: rsv 'NaN' is not a finite number"),
        (TOPIC + "<result><file>a</file><rsv>\n</rsv></result>" + TAIL, ":3: a result of topic '1' has neither"),
        (
            TOPIC + "<result><file>a</file><rsv>2</rsv></result>\n"
            "<result><file>a</file><rsv>1</rsv><rank>1</rank></result>" + TAIL,
            ":3: a result of topic '1' has no rank, others of the topic have one",
        ),
        (
            TOPIC + "<result><file>a</file><rank>7</rank></result>\n"
            "<result><file>b</file><rank>7</rank></result>" + TAIL,
            ":4: duplicate rank 7 in topic '1', first in line 3",
        ),
        (TOPIC + "<result><file>a</file><file>b</file><rank>1</rank></result>" + TAIL, ":3: duplicate <file>"),
        (TOPIC + "<result><file>a</file><passage start='/p[1]'/><rank>1</rank></result>" + TAIL, ":3: <passage>"),
        (TOPIC + "<result><file>a</file><fol offset='x'/><rank>1</rank></result>" + TAIL, ":3: offset 'x'"),
        (TOPIC + "<result><file>a<b/></file><rank>1</rank></result>" + TAIL, ":3: <b> in <file>"),
    ],
)
def test_unreadable_runs_are_refused_with_the_line(tmp_path, text, expected):
    assert refusal(tmp_path, text).startswith(expected)


def test_external_entities_are_not_fetched(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("co/2000/r7108")
    text = f'<!DOCTYPE inex-submission [<!ENTITY s SYSTEM "{secret.as_uri()}">]>\n' + TOPIC
    text += "<result><file>&s;</file><rank>1</rank></result>" + TAIL

    assert refusal(tmp_path, text).startswith(":4: &s; in <file>: expected plain text")


def test_entity_bombs_are_not_expanded(tmp_path):
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    text = f'<!DOCTYPE inex-submission [<!ENTITY e0 "ha">{bomb}]>\n' + HEAD
    text += '<topic topic-id="&e11;"></topic></inex-submission>'

    assert refusal(tmp_path, text).startswith(":3: not well-formed XML")


def test_line_numbers_beyond_65535_are_correct(tmp_path):
    text = TOPIC + "\n" * 70_000 + "<result><file>a</file><rank>x</rank></result>" + TAIL

    assert refusal(tmp_path, text).startswith(":70003: rank 'x'")


def test_topics_keep_their_order_with_results_or_without(tmp_path):
    result = "<result><file>a</file><rank>1</rank></result>"
    topics = [("9", ""), ("1", result), ("5", ""), ("4", result), ("2", "")]
    file = tmp_path / "run.xml"
    file.write_text(HEAD + "".join(f"<topic topic-id='{t}'>{r}</topic>" for t, r in topics) + "</inex-submission>")

    run = read_run(file)

    assert [(topic, len(ranking)) for topic, ranking in run.rankings.items()] == [
        (topic, int(bool(result))) for topic, result in topics
    ]


def test_texts_are_stripped_and_comments_ignored(tmp_path):
    file = tmp_path / "run.xml"
    file.write_text(
        TOPIC + "<result><file> a<!-- x -->b\n</file><!-- y --><path> /p[1] </path><rank> 1 </rank>"
        "<rsv>\n0.5</rsv></result>" + TAIL
    )

    ranking = read_run(file).rankings["1"]

    assert (ranking.documents, ranking.paths, ranking.rsv.tolist()) == (["ab"], ["/p[1]"], [0.5])
