"""Calls of the public API, of which a type checker rejects every line that ends in a comment `# rejected`."""

from __future__ import annotations

import foxir


def rejected(index: foxir.Index, run: foxir.Run, table: foxir.ScoreTable) -> None:
    index.search("fog")
    index.search(b"fog")  # rejected
    index.search("fog", heuristik="TPF")  # rejected
    index.search("fog", heuristic="TPX")  # rejected
    index.search("fog", answers="nCER")  # rejected
    index.search("fog", heuristic=3)  # rejected
    index.search("fog", passages="on")  # rejected
    index.search("fog", passages=1)  # rejected
    index.search("fog", max_answers="ten")  # rejected
    index.search("fog", answers=["sec"])  # rejected
    index.search("fog", max_matches="3")  # rejected
    index.search("fog", max_seconds="5")  # rejected
    index.search("fog", k1="high")  # rejected
    index.search("fog", overlap=True)  # rejected
    index.search("fog", named=3)  # rejected
    index.search("fog", limit=10)  # rejected
    index.search("fog", {"k1": 0.9})  # rejected
    index.search("fog")["first"]  # rejected
    index.search("fog")[0].rank = 3  # rejected
    index.explain("fog", "a")  # rejected
    index.run("topics", named="Hybrid", offsets="yes")  # rejected
    index.documents.append("a")  # rejected
    foxir.open_index(3)  # rejected
    foxir.build_index("a")  # rejected
    foxir.build_index("a", into="b", jobs="2")  # rejected
    foxir.build_index("a", into="b", stem="x")  # rejected
    foxir.build_index("a", into="b", analyser="x")  # rejected
    foxir.score("a", run, missing_topics="none")  # rejected
    foxir.score("a", 3)  # rejected
    foxir.score("a", run, index=3)  # rejected
    foxir.score("a", run, topic_class="wide")  # rejected
    foxir.compare("a", [run], "AP", test="z")  # rejected
    foxir.compare("a", [run], measures=["AP"])  # rejected
    foxir.make_settings(answer="any")  # rejected
    foxir.Settings.from_options(answer="any")  # rejected
    foxir.Settings.from_options(k1="high")  # rejected
    foxir.plot(run, "a.svg")  # rejected
    foxir.plot(table, "a.svg", kind="pie")  # rejected
    foxir.write_run(run, "a.xml", "csv")  # rejected
    foxir.tune(index, "topics", "a", {"k1": [1]}, "AP", method="random")  # rejected
    foxir.nothing()  # rejected
    table.value("AP", system="a")  # rejected
