"""Calls of the public API that a type checker accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import foxir
from foxir import FoxirError, Settings, open_index, score


def build(folder: Path) -> int:
    report = foxir.build_index(
        "articles", folder / "more", into=folder, profile="jats", jobs=2, limits={"max_depth": 9}
    )
    foxir.compact_index(folder)
    return report.documents


def search(folder: str) -> list[str]:
    with open_index(folder) as index:
        answers = index.search("fog signal", passages=True, max_sentences=3, k1=0.9, element_k1=3.4)
        assert_type(answers, foxir.Answers)
        assert_type(answers[0], foxir.Answer)
        assert_type(answers[:2], foxir.Answers)
        assert_type(answers.spans, NDArray[np.int64])
        assert_type(answers.scores, NDArray[np.float64])
        index.search(
            "fog", answers=foxir.TagSelector(("sec", "p")), min_words=foxir.Length(0.5, relative=True), max_words=None
        )
        index.search("fog", heuristic="TPF", answers="nCRE", overlap="keep", named="H-oCRE-MpE", task="CO.Focussed")
        index.search("fog", Settings.from_options(k1=0.9), word_budget="all")
        index.explain("fog", answers[0].document, answers[0].path, rank_by="structure")
        assert_type(index.refresh(), bool)
        assert_type(index.text("a"), str)
        return [answer.path for answer in answers if answer.score > 1 and answer.document in index]


def evaluate(index: foxir.Index) -> float | None:
    run = index.run("topics/co", run_id="a", only="1-5", approach="fulltext")
    assert_type(run, foxir.Run)
    table = score("qrels.txt", [run, Path("b.xml"), "c.xml"], ["hixeval", "inex_eval:AP"], options={"alpha": [0, 1.0]})
    table = score(foxir.read_assessments("qrels.txt"), run, index=index, only=["1", "2"], missing_topics="skip")
    table = score("qrels.txt", "a.xml", index="a.foxir", only="1-3", recall_base="bep", scale="2005")
    foxir.report(table, "a.html", baseline="a", test="wilcoxon", correction="by")
    foxir.plot(table, Path("a.svg"), kind="boxes")
    compared = foxir.compare("qrels.txt", ["a.xml", "b.xml"], "AP", test="bootstrap", correction="holm", seed=1)
    assert_type(foxir.latex(compared), str)
    tuning = foxir.tune(index, "topics/co", "qrels.txt", {"k1": [0.9, 1.2]}, "AP", similarity="okapi", method="halving")
    assert_type(tuning, foxir.Tuning)
    learning = foxir.learn(index, "topics/co", "qrels.txt", "AP", weights=["coverage"], passages=True)
    assert_type(learning, foxir.Learning)
    foxir.write_settings(Settings.from_options(**tuning.best), "best.toml")
    for row in foxir.searching.exporting.export(index, "topics/co", k=3):
        assert_type(row, dict[str, Any])
    try:
        return table.value("AP", run="a")
    except (FoxirError, foxir.ArgumentError) as error:
        print(error)
        return None
