"""The articles of a segment are a Whoosh index: Whoosh itself opens and searches it."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import foxir
from engine.index.reader import IndexReader, open_reader
from engine.index.whoosh_codec import INDEX_NAME, ArraySegment, schema
from engine.indexing.segment_writer import CONTENTS, whoosh_contents
from engine.similarity.presets import TermPostings, bm25_part
from tests.engine.index.index_contents import FILES, expected, random_files, update, write

with warnings.catch_warnings():  # of Python, about regular expressions in plain strings, when it compiles Whoosh
    warnings.simplefilter("ignore")
    from whoosh import scoring
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import TOC, FileIndex, open_dir
    from whoosh.matching import Matcher
    from whoosh.qparser import OrGroup, QueryParser
    from whoosh.query import Or, Prefix, Term

# Parameters of BM25 by which articles are ranked.
K1, B = 1.2, 0.75
COLLECTION = {**FILES, **random_files(20)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whoosh")
    update(folder / "index", write(folder / "source", COLLECTION))
    return folder / "index"


@pytest.fixture(scope="module")
def articles(index: Path) -> FileIndex:
    (segment,) = (index / "segments").iterdir()
    return open_dir(str(segment / "articles"))


def test_whoosh_finds_the_documents_that_contain_a_word(articles: FileIndex) -> None:
    postings = expected(COLLECTION).postings
    with articles.searcher() as searcher:
        for term in ("sea", "tide", "strasse", "𝒜", "1823"):
            hits = searcher.search(Term("text", term), limit=None)
            assert {hit["document"] for hit in hits} == postings[term].keys()
        assert searcher.search(Term("text", "nowhere"), limit=None).is_empty()


def test_whoosh_ranks_queries_of_its_own_parser(articles: FileIndex) -> None:
    with articles.searcher() as searcher:
        query = QueryParser("text", articles.schema, group=OrGroup).parse("sea tide")
        hits = searcher.search(query, limit=5)
        scores = [hit.score for hit in hits]

        assert query == Or([Term("text", "sea"), Term("text", "tide")])
        assert len(scores) == 5
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > 0


def test_statistics_of_whoosh_equal_those_of_the_index(articles: FileIndex, index: Path) -> None:
    wanted = expected(COLLECTION)
    reader = articles.reader()
    assert reader.doc_count() == len(COLLECTION)
    assert list(reader.field_terms("text")) == sorted(wanted.postings)
    for term, by_document in wanted.postings.items():
        tfs = [sum(map(len, by_leaf.values())) for by_leaf in by_document.values()]
        assert reader.doc_frequency("text", term) == len(by_document)
        assert reader.frequency("text", term) == sum(tfs)
    lengths = {
        reader.stored_fields(number)["document"]: reader.doc_field_length(number, "text") for number in range(24)
    }
    assert lengths == {document: each.length for document, each in wanted.documents.items()}
    assert reader.field_length("text") == sum(lengths.values())
    assert (reader.min_field_length("text"), reader.max_field_length("text")) == (0, max(lengths.values()))


def test_whoosh_frequencies_rank_like_the_indexs_postings(articles: FileIndex, index: Path) -> None:
    opened = open_reader(index)
    postings = opened.postings("sea")
    expected_order = sorted(zip((-postings.tf).tolist(), postings.documents.tolist(), strict=True))
    with articles.searcher(weighting=scoring.Frequency()) as searcher:
        hits = searcher.search(Term("text", "sea"), limit=None)

        assert [(-hit.score, hit.docnum) for hit in hits] == expected_order
        assert [hit["document"] for hit in hits] == [opened.ids[number] for _, number in expected_order]


class ArticleWeighting(scoring.WeightingModel):  # type: ignore[misc]  # whoosh is untyped
    """The weighting of foxir's article ranking, for Whoosh's searcher: one posting at a time, by the same function."""

    def __init__(self, opened: IndexReader) -> None:
        self.opened = opened

    def scorer(self, searcher: object, fieldname: str, text: bytes, qf: int = 1) -> ArticleScorer:
        return ArticleScorer(self.opened, text.decode())


class ArticleScorer(scoring.BaseScorer):  # type: ignore[misc]
    def __init__(self, opened: IndexReader, term: str) -> None:
        self.opened, self.term = opened, term

    def supports_block_quality(self) -> bool:
        return False

    def score(self, matcher: Matcher) -> float:
        none, statistics = np.empty(0, np.int64), self.opened.statistics
        one = np.array([matcher.id()]), np.array([int(matcher.weight())]), none, none
        part = bm25_part(TermPostings(self.term, 1, *one, statistics.term(self.term)), statistics, {"k1": K1, "b": B})
        return float(part[0])


@pytest.mark.parametrize("words", ["sea", "sea tide", "keeper sea strasse 1823", "nowhere tide"])
def test_whoosh_ranks_articles_in_the_order_of_foxir(words: str, articles: FileIndex, index: Path) -> None:
    query = Or([Term("text", word) for word in words.split() if ("text", word) in articles.reader()])
    with foxir.open_index(index) as opened:
        answers = opened.search(words, approach="fulltext", similarity="bm25", max_answers=1000)
        expected_order = [(answer.document, answer.score) for answer in answers]
    with articles.searcher(weighting=ArticleWeighting(open_reader(index))) as searcher:
        hits = [(hit["document"], hit.score) for hit in searcher.search(query, limit=None)]

    assert len(hits) > 3
    assert [document for document, _ in hits] == [document for document, _ in expected_order]
    assert [score for _, score in hits] == pytest.approx([score for _, score in expected_order], rel=1e-12)


def test_whoosh_expands_prefixes(articles: FileIndex) -> None:
    with articles.searcher() as searcher:
        hits = searcher.search(Prefix("text", "keep"), limit=None)

        assert {hit["document"] for hit in hits} == expected(COLLECTION).postings["keeper"].keys()


@pytest.mark.parametrize("n_documents", [0, 1, 255, 256, 65_535, 65_536])
@pytest.mark.parametrize("n_tokens", [0, 300, 2**31 - 1, 2**31, 2**40])
def test_the_table_of_contents_is_what_whoosh_writes(n_documents: int, n_tokens: int, tmp_path: Path) -> None:
    TOC(schema(), [ArraySegment("0", n_documents, n_tokens)], 1).write(FileStorage(str(tmp_path)), INDEX_NAME)

    assert [path.name for path in tmp_path.iterdir()] == [CONTENTS]
    assert whoosh_contents(n_documents, n_tokens) == (tmp_path / CONTENTS).read_bytes()
