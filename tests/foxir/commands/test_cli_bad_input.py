"""A request that cannot be met: one clear line on stderr, status 2, nothing on stdout, nothing written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.foxir.commands.command import COLLECTIONS, TOPICS, foxir, refused

CO, QRELS = TOPICS / "co", TOPICS / "qrels.txt"
DOCUMENT = "ieee/na/1998/n1012"


@pytest.fixture
def copy(sample, tmp_path) -> Path:
    """An index of its own, to be damaged."""
    return Path(shutil.copytree(sample, tmp_path / "copy.foxir"))


def on_index(index: Path, folder: Path) -> dict[str, tuple[str | Path, ...]]:
    """Every command that reads an index, as it is called."""
    return {
        "info": ("info", index),
        "compact": ("compact", index),
        "search": ("search", index, "lens"),
        "explain": ("explain", index, "lens", DOCUMENT, "/article[1]"),
        "run": ("run", index, CO, "--out", folder / "out" / "run.xml"),
        "expand": ("judgements", "to-elements", QRELS, "--index", index, "--out", folder / "out"),
        "eval": ("eval", QRELS, folder / "run.xml", "--index", index),
    }


READING = list(on_index(Path(), Path()))


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("nothing", ["there is no such folder", "Make one: foxir index"]),
        ("file", ["is a file"]),
        ("folder", ["not a foxir index"]),
        ("version", ["index format 99", "index the sources again into a new folder"]),
        ("manifest", ["damaged", "index the sources again into a new folder"]),
        ("segment", ["cannot be read", "index the sources again into a new folder"]),
    ],
)
def test_what_is_no_index(command, content, words, sample, sample_run, tmp_path):
    index = tmp_path / "index"
    shutil.copyfile(sample_run, tmp_path / "run.xml")
    if content == "file":
        index.write_text("text")
    elif content == "folder":
        index.mkdir()
    elif content != "nothing":
        shutil.copytree(sample, index)
        manifest = index / "manifest.json"
        if content == "version":
            manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 99}))
        elif content == "manifest":
            manifest.write_text(manifest.read_text().replace('"documents": 34', '"documents": 35'))
        else:
            next(index.rglob("segment.json")).unlink()

    refused(foxir(*on_index(index, tmp_path)[command]), *words)

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["search", "explain", "run", "expand", "eval"])
def test_an_index_without_documents_has_no_answers(command, empty_index, sample_run, tmp_path):
    shutil.copyfile(sample_run, tmp_path / "run.xml")

    refused(foxir(*on_index(empty_index, tmp_path)[command]), "index")

    assert not (tmp_path / "out").exists()


def test_an_index_without_documents_is_reported_as_empty(tmp_path):
    (tmp_path / "source").mkdir()

    made = foxir("index", tmp_path / "i", tmp_path / "source")

    assert (made.status, made.err) == (
        1,
        f"no XML file in {tmp_path}/source: looked for .xml, .xml.gz and other extensions of XML (docs/formats.md), "
        f"found no file. Name a source that has some.\n"
        f"{tmp_path}/i: the index is empty: its sources contain no document that can be read.\n",
    )
    assert foxir("info", tmp_path / "i", "--json").json["documents"] == 0


@pytest.mark.parametrize("name", ["articles/tf.npy", "articles/terms.bin", "elements/depth.npy"])
def test_a_damaged_block_stops_what_needs_it(name, copy, tmp_path):
    file = next(copy.glob(f"segments/*/{name}"))
    file.write_bytes(bytes(byte ^ 0x55 for byte in file.read_bytes()))

    by_paths = ("--heuristic", "MpE")  # which reads depths, as not every search does
    refused(
        foxir("search", copy, "fresnel lens", *by_paths), name, "damaged", "index the sources again into a new folder"
    )
    refused(foxir("info", copy, "--verify"), name, "does not match its checksum")
    refused(foxir("run", copy, CO, "--out", tmp_path / "run.xml", *by_paths), name)
    assert not (tmp_path / "run.xml").exists()


@pytest.mark.parametrize("content", [None, "no JSON"])
def test_info_does_not_make_up_what_a_lost_report_knew(content, copy):
    (copy / "ingest.json").unlink() if content is None else (copy / "ingest.json").write_text(content)

    shown = foxir("info", copy, "--json").json
    assert (shown["documents"], shown["leaves"], shown["terms"], shown["skipped"]) == (34, None, None, None)
    assert "0 of them" not in foxir("info", copy).out

    assert foxir("index", copy).status == 0
    assert foxir("info", copy, "--json").json["leaves"] > 0


USAGE = [
    ((), ()),
    (("serch",), ("did you mean 'search'?",)),
    (("zzz",), ("commands are demo, index",)),
    (("search", "{index}"), ("Missing argument 'QUERY...'",)),
    (("explain", "{index}", "lens", DOCUMENT, "/article[1]", "more"), ("'more'", "expected DOCUMENT and PATH")),
    (("search", "{index}", "lens", "--plastic"), ("No such option", "--plastic")),
    (("search", "{index}", "lens", "-20"), ("No such option", "follow two hyphens: INDEX -- fog -20 degrees.")),
    (("search", "{index}", "lens", "--named"), ("foxir search:", "Try: foxir search --help")),
    (("search", "{index}", "lens", "--heuristc", "TPF"), ("--heuristc", "--heuristic")),
    (("search", "{index}", "lens", "--top", "0"), ("--top", "x>=1")),
    (("search", "{index}", "lens", "--top", "x"), ("--top", "'x' is not a valid whole number from 1.")),
    (("search", "{index}", "lens", "--heuristic", "XpE"), ("--heuristic", "'MpE'")),
    (("search", "{index}", "lens", "--approach", "hybrd"), ("--approach", "'hybrid'")),
    (("search", "{index}", "lens", "--max-answers", "0"), ("max_answers", "from 1")),
    (("search", "{index}", "lens", "--max-matches", "-1"), ("max_matches", "or all")),
    (("search", "{index}", "lens", "--max-per-article", "nan"), ("max_per_article", "'nan'")),
    (("search", "{index}", "lens", "--max-articles", "inf"), ("max_articles", "'inf'")),
    (("search", "{index}", "lens", "--param", "s=nan"), ("s = 'nan'", "from 0 to 1")),
    (("search", "{index}", "lens", "--similarity", "okapi", "--param", "k1=inf"), ("k1 = 'inf'",)),
    (("search", "{index}", "lens", "--similarity", "dirichlet", "--param", "mu=-inf"), ("mu = '-inf'",)),
    (("search", "{index}", "lens", "--limit", "9"), ("--limit: use --top N (answers shown)",)),
    (("search", "{index}", "lens", "--param", "limit=9"), ("limit is a setting: use --max-answers 9.",)),
    (("search", "{index}", "lens", "--param", "k1"), ("NAME=VALUE", "--param k1=1.95")),
    (("search", "{index}", "lens", "--param", "=1"), ("those of the article similarity are s, length",)),
    (("search", "{index}", "lens", "--param", "weightbits=7"), ("did you mean 'weight_bits'?",)),
    (("search", "{index}", "lens", "--param", "parameters=1"), ("--param 'parameters=1'",)),
    (("search", "{index}", "lens", "--named", "H-oCRE-Mpe"), ("did you mean 'H-oCRE-MpE'?",)),
    (("search", "{index}", "lens", "--named", ""), ("named run '' is unknown",)),
    (("search", "{index}", "lens", "--settings", "{tmp}/none.toml"), ("none.toml", "heuristic =")),
    (("search", "{index}", "lens", "--settings", "{tmp}/bad.toml"), ("bad.toml", "heuristic = 'XX'")),
    (("search", "{index}", "lens", "--settings", "{tmp}"), ("not a settings file",)),
    (("search", "{index}", "lens", "--reading", "SS"), ("needs a path query",)),
    (("explain", "{index}", "lens", "nosuch", "/article[1]"), ("document 'nosuch'", "without .xml")),
    (("explain", "{index}", "lens", DOCUMENT, "/article[1]/bdy[1]/sec[99]"), ("that is there: /article[1]/bdy[1]",)),
    (("explain", "{index}", "lens", DOCUMENT, "sec"), ("'sec'", "expected DOCUMENT and PATH")),
    (("run", "{index}", "{co}", "--out", "{out}", "--task", "CO.Thorogh"), ("did you mean 'CO.Thorough'?",)),
    (("run", "{index}", "{co}", "--out", "{out}", "--topics", "900"), ("'900'", "the topics are 1, 2")),
    (("run", "{index}", "{co}", "--out", "{out}", "--topics", ""), ("99,101-110",)),
    (("run", "{index}", "{co}", "--out", "{out}", "--format", "xml"), ("--format", "'trec'")),
    (("run", "{index}", "{co}", "--out", "{out}", "--format", "trec", "--run-id", "a b"), ("'a b'", "blanks")),
    (("run", "{index}", "{tmp}/none", "--out", "{out}"), ("none: cannot be read: there is no such file", "Expected")),
    (("run", "{index}", "{tmp}/bad.toml.xml", "--out", "{out}"), ("expected topics: <inex_topic>",)),
    (("run", "{index}", "{tmp}/empty.txt", "--out", "{out}"), ("the file is empty",)),
    (("run", "{index}", "{tmp}/binary", "--out", "{out}"), ("is not UTF-8",)),
    (("run", "{index}", "{run}", "--out", "{out}"), ("without topics",)),
    (("run", "{index}", "{co}"), ("Missing option", "'--out'")),
    (
        ("run", "{index}", "{co}", "--out", "{tmp}/bad.toml/run.xml"),
        ("bad.toml/run.xml: cannot be", "is a file, not a folder"),
    ),
    (("run", "{index}", "{co}", "--out", "{tmp}"), ("is not a regular file",)),
    (("eval", "{judged}"), ("Missing argument 'RUN...'",)),
    (("eval", "{judged}", "{tmp}/none"), ("none: cannot be read",)),
    (("eval", "{tmp}/none", "{run}"), ("there is no such file",)),
    (("eval", "{run}", "{run}"), ("found <inex-submission>", "expected <assessments>")),
    (("eval", "{judged}", "{qrels}"), ("looks like a judgement",)),
    (("eval", "{judged}", "{tmp}/empty.txt"), ("contains no result",)),
    (("eval", "{tmp}/empty.txt", "{run}"), ("no judgements found",)),
    (("eval", "{judged}", "{run}", "--measures", "hixevall"), ("did you mean 'hixeval'?", "inex_eval")),
    (("eval", "{judged}", "{run}", "--measures", ""), ("no measure or family ''",)),
    (("eval", "{judged}", "{run}", "--quant", "stritc"), ("'stritc'", "strict")),
    (("eval", "{judged}", "{run}", "--alpha", "nan"), ("alpha=nan", "from 0")),
    (("eval", "{judged}", "{run}", "--alpha", "1.5"), ("alpha=1.5",)),
    (("eval", "{judged}", "{run}", "--measure-option", "esl"), ("OPTION=VALUE",)),
    (("eval", "{judged}", "{run}", "--measure-option", "els=thesis"), ("'els'", "esl")),
    (("eval", "{judged}", "{run}", "--measure-option", "esl=copper"), ("esl=copper", "cooper")),
    (("eval", "{judged}", "{run}", "--at", "0"), ("from 1",)),
    (("eval", "{judged}", "{run}", "--topics", "900"), ("'900'",)),
    (("eval", "{judged}", "{run}", "--topics", ""), ("99,101-110",)),
    (("eval", "{judged}", "{run}", "--task", "Thorogh"), ("Thorough",)),
    (("eval", "{judged}", "{run}", "--scale", "2004"), ("--scale", "'2003'")),
    (("eval", "{judged}", "{run}", "--csv", "{tmp}"), ("is not a regular file",)),
    (("eval", "{judged}", "{run}", "--csv", "{tmp}/bad.toml/a.csv"), ("bad.toml/a.csv: cannot be", "is a file, not")),
    (("eval", "{qrels}", "{run}", "--measures", "hixeval"), ("needs --index",)),
    (("eval", "{qrels}", "{run}", "--measures", "inex_eval"), ("needs --index",)),
    (
        ("judgements", "to-elements", "{qrels}", "--index", "{index}", "--out", "{tmp}/bad.toml"),
        ("bad.toml: cannot be written",),
    ),
    (("judgements", "to-elements", "{run}", "--index", "{index}", "--out", "{out}"), ("expected <assessments>",)),
    (("runs", "ideal", "{judged}", "--out", "{out}"), ("'--kind'. Choose from: passage, bep", "na. Try: ")),
    (("index",), ("Missing argument 'INDEX'",)),
    (("index", "{out}"), ("no source",)),
    (("index", "{out}", "{tmp}/none"), ("no such source",)),
    (("index", "{out}", "{tmp}/*.foo"), ("no file matches",)),
    (("index", "{out}", "@{tmp}/none"), ("no such list",)),
    (("index", "{tmp}", "{collections}"), ("contains other files",)),
    (("index", "{tmp}/bad.toml", "{collections}"), ("is a file",)),
    (("index", "{out}", "{collections}", "--profile", "jatss"), ("'jatss'", "'jats'")),
    (("index", "{out}", "{collections}", "--stop", "{tmp}/none"), ("cannot be read",)),
    (("index", "{out}", "{collections}", "--memory", "1X"), ("512M",)),
    (("index", "{out}", "{collections}", "--memory", "nan"), ("512M",)),
    (("index", "{out}", "{collections}", "--memory", "1"), ("'1' is 1 byte:", "needs 1M or more; for 1 GiB write 1G.")),
    (("index", "{out}", "{collections}", "--memory", "1023K"), ("1,047,552 bytes",)),
    (("compact", "{index}", "--memory", "8"), ("'8' is 8 bytes:",)),
    (("index", "{out}", "{collections}", "--jobs", "0"), ("--jobs",)),
    (("index", "{out}", "{collections}", "--remove", "x"), ("the sources of this index are none",)),
    (("index", "{index}", "{collections}", "--stem", "english"), ("index into a new folder",)),
    (("index", "{index}", "{collections}", "--profile", "none"), ("index into a new folder",)),
    (("demo", "--folder", "{tmp}/bad.toml"), ("is a file",)),
]


@pytest.mark.parametrize(("arguments", "words"), USAGE[1:], ids=lambda value: " ".join(value)[:60])
def test_refused(arguments, words, sample, sample_run, judged, tmp_path):
    (tmp_path / "bad.toml").write_text('heuristic = "XX"')
    (tmp_path / "bad.toml.xml").write_text("<a>x</b>")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary").write_bytes(b"\xb0\x00\xff")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    places = {"index": sample, "run": sample_run, "judged": judged, "qrels": QRELS, "co": CO, "tmp": tmp_path}
    places |= {"out": tmp_path / "out" / "x", "collections": COLLECTIONS}

    refused(foxir(*(argument.format(**places) for argument in arguments)), *words)

    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_no_arguments_show_the_help():
    shown = foxir()

    assert shown.status == 2
    assert shown.err.startswith("Usage: foxir")
    assert "Quick start" in shown.err


@pytest.mark.parametrize("query", ["//sec[about(", "//sec[about(., lens)", "//sec[.//yr 3]", "//sec[about(., )]"])
@pytest.mark.parametrize("command", ["search", "explain"])
def test_queries_that_cannot_be_read_show_where(command, query, sample):
    more = [DOCUMENT, "/article[1]"] if command == "explain" else []

    asked = foxir(command, sample, query, *more)

    assert (asked.status, asked.out) == (2, "")
    first, line, caret, *_ = asked.err.splitlines()
    assert first.startswith("foxir: query, position ")
    assert line == f"  {query}"
    assert caret.strip() == "^"


def test_a_word_that_the_only_document_lacks_is_named(tmp_path):
    (tmp_path / "a.xml").write_text("<a><p>lamp</p></a>")
    foxir("index", tmp_path / "a.foxir", tmp_path / "a.xml")

    assert "no answer: 'fog' is not in the only document.\n" in foxir("search", tmp_path / "a.foxir", "fog").err


@pytest.mark.parametrize(
    ("query", "notice", "reason"),
    [
        ("/etc/hosts", "no document has an element 'etc' or 'hosts'; a path", "'etc', 'hosts' are in none"),
        ("//nosuch", "no document has an element 'nosuch'; a path query is such as //sec[", "'nosuch' is in none"),
        ("//titel", "no document has an element 'titel' (did you mean title?); a path", "'titel' is in none"),
        ("//" + "y" * 100_000, "…'; a path query", "…' is in none"),
    ],
    ids=lambda value: value[:24],
)
def test_a_path_of_unknown_names_is_searched_as_words(query, notice, reason, sample):
    asked = foxir("search", sample, "--", query)

    assert asked.status == 0
    assert asked.err.startswith("the query begins with / but is read as words: ")
    assert notice in asked.err
    assert reason in asked.err
    assert len(asked.err) < 600


def test_an_empty_query_is_refused(sample):
    refused(foxir("search", sample, ""), "the query is empty", "write some words")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("xyzzy", "'xyzzy' is in none of the 34 documents"),
        ('"xyzzy qwfpgj"', "'qwfpgj', 'xyzzy' are in none"),
        ("//sec[about(., xyzzy)]", "'xyzzy' is in none"),
        ("+xyzzy lens", "'xyzzy' is in none"),
        ("-lens", "no word to look for"),
        ("\U0001f600", "no answer: the query has no letter or digit.\n"),
        ("unfindables", "'unfindables' is in none of the 34 documents"),
        ("//sec[about(., unfindables)]", "'unfindables' is in none"),
        ("//article//article", "no answer: no element satisfies the path of the query.\n"),
        ('//sec[@n = "7"]//sec[@n = "8"]', "no answer: no element satisfies the path of the query.\n"),
        ("//article//article[about(., lens)]", "no element satisfies the whole query; --reading VV may find some.\n"),
        ('"chamois gauge"', "no element satisfies the whole query; words instead of phrases may find some.\n"),
        (
            '"xyzzy lens"',
            "'xyzzy' is in none of the 34 documents, and no element satisfies the whole query; words instead",
        ),
        (
            "//sec[about(., lens)]//p[about(., xyzzy)]",
            "'xyzzy' is in none of the 34 documents, and no element satisfies",
        ),
        (
            '//sec[about(., xyzzy) or .//title = "x"]',
            "'xyzzy' is in none of the 34 documents, and no element satisfies",
        ),
        ("//article[@nosuch]", "'@nosuch' is in no document"),
        ("//nosuch[about(., lens)]", "'nosuch' is not a tag"),
        ("//" + "y" * 100_000 + "[about(., x)]", "…' is not a tag"),
        ("y" * 100_000, "…' is in none"),
        (" ".join(f"qq{n}" for n in range(250)), "and 240 more are in none"),
    ],
    ids=lambda value: value[:24],
)
def test_no_answer_is_reported_with_its_reason(query, words, sample):
    asked = foxir("search", sample, "--", query)

    assert (asked.status, asked.out) == (0, "")
    assert asked.err.startswith("no answer: ")
    assert words in asked.err
    assert len(asked.err) < 600

    as_json = foxir("search", sample, "--json", "--", query)
    assert as_json.json["answers"] == []
    assert as_json.err == asked.err
    assert foxir("search", sample, "-q", "--", query).err == ""


@pytest.mark.parametrize(
    ("query", "options", "words", "helps"),
    [
        ("lens xyzzy", "--operator and", "'xyzzy' is in none of the 34 documents, and no element", "--operator or"),
        ("fog", "--in //ref", "no element that may be an answer has a word of the query; leaving out --in", ""),
        ("//article/bdy", "--in //p", "may be an answer satisfies the path of the query; leaving out --in may", ""),
        ("fog", "--not-in //article --documents ieee/*", "leaving out --not-in or --documents may find some.", ""),
        ("fog", "--max-words 1", "no element that may be an answer has a word", "--max-words all"),
        ("+fog tide", "--max-words 1", "no element that may be an answer satisfies the whole", "--max-words all"),
        ("2014", "--answers //year", "--answers auto, or --min-words 0,", "--answers //year --min-words 0"),
    ],
)  # fmt: skip
def test_bounds_are_named_where_they_leave_no_answer_and_lifting_them_helps(query, options, words, helps, sample):
    assert words in foxir("search", sample, query, *options.split()).err
    assert foxir("search", sample, query, *helps.split(), "--json").json["answers"] != []


def test_a_condition_that_leaves_no_answer_is_named_as_it_stands_in_the_query(sample):
    assert "; leaving out date:2003-05..2004 may find some." in foxir("search", sample, "fog date:2003-05..2004").err


@pytest.mark.long
def test_a_very_long_query_is_answered(sample):
    asked = foxir("search", sample, "lens " * 20_000 + "fresnel", "--top", "1", "--json")

    assert asked.status == 0
    assert len(asked.json["answers"]) == 1


def test_topics_of_which_none_can_be_answered_make_no_run(sample, tmp_path):
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\t//open[about(\n2\t//never[about(., closed\n")

    asked = foxir("run", sample, topics, "--out", tmp_path / "run.xml")

    assert asked.status == 2
    assert asked.err.startswith("foxir: none of 2 topics can be answered")
    assert not (tmp_path / "run.xml").exists()


def test_judgements_of_other_documents_are_refused(sample, tmp_path):
    (tmp_path / "qrels.txt").write_text("1 Q0 other/document 5 10 0 0:5\n")

    out = tmp_path / "out"
    refused(
        foxir("judgements", "to-elements", tmp_path / "qrels.txt", "--index", sample, "--out", out),
        *("'other/document'", "none of its documents", "'ieee/"),
    )
    assert not out.exists()


def test_runs_and_judgements_without_a_common_document(judged, tmp_path):
    (tmp_path / "run.trec").write_text("1 Q0 other/document 1 2.0 mine\n")

    refused(foxir("eval", judged, tmp_path / "run.trec"), "other/document", "ieee/")
