"""What each task of INEX promises of a run file, and which topics `foxir run` leaves out, with which notice."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import pytest

from engine.runs import Ranking, read_run
from engine.settings.tasks import TASKS
from eval.measures.measure_plan import TASKS as SCORED_TASKS
from tests.foxir.commands.command import TOPICS, foxir

GROUPED = {"CO.FetchBrowse", "COS.FetchBrowse", "RelevantInContext", "BestInContext"}
WITHOUT_OVERLAP = {"CO.Focussed", "COS.Focussed", "RelevantInContext", "BestInContext"}
NO_FILE = "<inex_topic"
TOPIC = '<inex_topic topic_id="{}" query_type="{}"><{field}>{}</{field}></inex_topic>'
LENSES, OPEN_BRACKET = "//sec[about(., lens)]", "//sec[about(., lens)"


def test_each_task_of_eval_is_one_of_run():
    assert set(SCORED_TASKS) <= {name.rpartition(".")[2] for name in TASKS}


def spans(ranking: Ranking) -> list[tuple[str, tuple[int, int] | str]]:
    """Return the document and the place of each result: the two ends of a passage, or the path of an element."""
    ends = (ranking.starts + ranking.lengths).tolist()
    offsets = zip(ranking.starts.tolist(), ends, strict=True)
    places = zip(ranking.documents, ranking.paths, offsets, strict=True)
    return [(document, offset if path is None else f"{path}/") for document, path, offset in places]


def overlap(one: tuple[int, int] | str, other: tuple[int, int] | str) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.startswith(other) or other.startswith(one)
    (begin, end), (other_begin, other_end) = one, other
    return begin < other_end and other_begin < end


def has_overlap(ranking: Ranking) -> bool:
    places = sorted(spans(ranking), key=str)
    by_document = [[place for _, place in group] for _, group in groupby(places, key=lambda each: each[0])]
    return any(overlap(one, other) for group in by_document for i, one in enumerate(group) for other in group[:i])


def is_grouped(ranking: Ranking) -> bool:
    begins = [document for document, _ in groupby(ranking.documents)]
    return len(begins) == len(set(begins))


@pytest.mark.parametrize("task", TASKS)
def test_a_run_keeps_what_its_task_promises(sample, tmp_path, task):
    made = foxir("run", sample, TOPICS / "cas", "--out", tmp_path / "run.xml", "--task", task)
    run = read_run(tmp_path / "run.xml")
    rankings = list(run.rankings.values())

    assert (made.status, run.task, len(rankings)) == (0, task, 16)
    assert all(len(ranking) for ranking in rankings)
    assert all(one > other for ranking in rankings for one, other in pairwise(ranking.rsv.tolist()))
    assert any(map(has_overlap, rankings)) == (task not in WITHOUT_OVERLAP)
    assert all(map(is_grouped, rankings)) == (task in GROUPED)
    if task == "BestInContext":
        assert {count for ranking in rankings for count in Counter(ranking.documents).values()} == {1}


@pytest.mark.parametrize("task", ["RelevantInContext", "BestInContext"])
def test_articles_of_a_grouped_run_stand_in_their_rank(sample, tmp_path, task):
    options = [TOPICS / "co", "--topics", "1-5", "--out"]
    foxir("run", sample, *options, tmp_path / "grouped.xml", "--task", task, "--opening-weight", "0")
    foxir("run", sample, *options, tmp_path / "articles.xml", "--approach", "fulltext")
    articles = read_run(tmp_path / "articles.xml").rankings

    for topic, ranking in read_run(tmp_path / "grouped.xml").rankings.items():
        place = {document: number for number, document in enumerate(articles[topic].documents)}
        places = [place[document] for document, _ in groupby(ranking.documents)]
        assert places == sorted(places)


def test_a_task_of_passages_tells_how_to_do_without_them(sample, tmp_path):
    options = ["--out", tmp_path / "run.xml", "--task", "BestInContext", "--heuristic", "TPF"]

    refused = foxir("run", sample, TOPICS / "co", *options)

    assert refused.status == 2
    assert refused.err == "foxir: unit: only scored elements have it: add rank_by = score, or unit = element.\n"
    assert foxir("run", sample, TOPICS / "co", *options, "--no-passages").status == 0


@pytest.mark.parametrize("setting", ['passages = "on"', "word_budget = 500", "group_by_article = true"])
def test_a_named_run_is_the_same_whatever_a_settings_file_says_of_scored_elements(sample, tmp_path, setting):
    (tmp_path / "s.toml").write_text(f'rank_by = "score"\n{setting}\n')
    options = [TOPICS / "co", "--topics", "1-3", "--named", "H-oCRE-MpE", "-q", "--run-id", "r", "--out"]
    foxir("run", sample, *options, tmp_path / "plain.xml")

    assert foxir("run", sample, *options, tmp_path / "over.xml", "--settings", tmp_path / "s.toml").status == 0
    assert (tmp_path / "over.xml").read_bytes() == (tmp_path / "plain.xml").read_bytes()


@pytest.fixture
def topics(tmp_path):
    """A folder with two topics that can be answered, three that cannot, and a file that is none."""
    folder = tmp_path / "topics"
    folder.mkdir()
    texts = [
        NO_FILE,
        TOPIC.format(1, "CAS", LENSES, field="castitle"),
        TOPIC.format(2, "CAS", OPEN_BRACKET, field="castitle"),
        TOPIC.format(3, "XPATH", LENSES, field="title"),
        TOPIC.format(4, "CO", "lens", field="title"),
        TOPIC.format(5, "CAS", OPEN_BRACKET, field="title"),
    ]
    for number, text in enumerate(texts):
        (folder / f"{number}.xml").write_text(text)
    return folder


def test_topics_that_cannot_be_answered_are_reported_and_the_others_go_on(sample, topics, tmp_path):
    made = foxir("run", sample, topics, "--out", tmp_path / "run.xml")

    assert made.status == 1
    assert list(read_run(tmp_path / "run.xml").rankings) == ["1", "4"]
    assert f"{topics}/0.xml:1: not well-formed XML" in made.err
    assert f"{topics}/2.xml:1: topic '2': query, position 21: ] was expected" in made.err
    assert f"{topics}/3.xml:1: topic '3': query type 'XPATH'" in made.err
    assert f"{topics}/5.xml:1: topic '5': query, position 21: ] was expected" in made.err


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("3", "foxir: no topic among '3' can be answered: {}/3.xml:1: topic '3': query type 'XPATH'"),
        ("2", "foxir: no topic among '2' can be answered: {}/2.xml:1: topic '2': query, position 21"),
        ("2,3,5", "foxir: none of 3 topics among '2,3,5' can be answered, the first is {}/3.xml:1: topic '3': query"),
        ("9", "foxir: topics '9': no topic has this id or is in this range: the topics are 1, 2, 4, 5, 3."),
    ],
)
def test_the_reason_for_no_run_is_reported_for_a_selected_topic(sample, topics, tmp_path, only, message):
    refused = foxir("run", sample, topics, "--topics", only, "--out", tmp_path / "run.xml")

    assert refused.status == 2
    assert refused.err.startswith(message.format(topics))
    assert not (tmp_path / "run.xml").exists()


def test_topics_without_an_answer_are_named_and_many_are_counted(sample, tmp_path):
    (tmp_path / "topics.tsv").write_text(
        "\n".join(f"{number}\tnowhere{number}" for number in range(30)) + "\n0x\tlens\n"
    )

    made = foxir("run", sample, tmp_path / "topics.tsv", "--out", tmp_path / "run.xml")
    done = foxir("run", sample, tmp_path / "topics.tsv", "--out", tmp_path / "run.xml", "--json")

    *reasons, others = made.err.splitlines()
    assert reasons == [
        f"topic {n}, 'nowhere{n}': no answer: 'nowhere{n}' is in none of the 34 documents." for n in range(5)
    ]
    assert others == f"no answer either: topics {', '.join(map(str, range(5, 25)))} and 5 more"
    assert done.json["without_answers"] == [str(number) for number in range(30)]
    one = foxir("run", sample, tmp_path / "topics.tsv", "--topics", "7,0x", "--out", tmp_path / "run.xml")
    assert one.err == "topic 7, 'nowhere7': no answer: 'nowhere7' is in none of the 34 documents.\n"
