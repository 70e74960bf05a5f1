"""CL-SciSumm 1A: which sentences of a paper a citation refers to, by up to four annotators, with the runs of teams.

A query is the text of a citation, asked of the paper that is cited. Sentences are scored as the task's own evaluation
does: of several citations in a paper only the last counts, all annotators' files are counted together. In two of these
the cited and the citing paper are interchanged, so that nobody finds what they say.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from bench.published.conversion import Document, Questions
from bench.published.evaluation import PASSAGES, SIBLINGS, compared
from foxir import Ranking, TagSelector

PAPERS, GOLD, TEAMS = "data/Test-Set-2018", "data/Test-Set-2018-Gold/Task1", "CLSciSumm_2020_Evaluation"
N_SENTENCES = 2
# The paper that is cited and the citing one, as a file names them.
Citation = tuple[str, str]
# The numbers of the sentences that each citation refers to.
Cited = Mapping[Citation, Sequence[str]]


@dataclass(frozen=True)
class Task1A:
    """The benchmark; `checkout` is the repository that has its data."""

    checkout: str = "WING-NUS/scisumm-corpus"

    def report(self, folder: Path, progress: Callable[[str], None]) -> str:
        """Return precision, recall and F1 as Markdown, those of each team's best run below; "" without papers."""
        submitted: dict[str, dict[str, Cited]] = {}
        papers = sorted(path.parents[1].name for path in (folder / PAPERS).glob("*/Reference_XML/*.xml"))
        for number, paper in enumerate(papers, 1):
            progress(f"{number}: {paper}")
            for system, cited in _found(folder / PAPERS / paper, paper).items():
                submitted.setdefault(system, {})[paper] = cited
        gold = [(path.name.partition("_")[0], cited_in(path)) for path in sorted((folder / GOLD).glob("*.csv"))]
        rows = [(system, figures(gold, found)) for system, found in submitted.items()]
        teams = [(f"*{team}*", found) for team, found in _best_of_teams(folder / TEAMS, papers, gold).items()]
        rows += sorted(teams, key=lambda row: -row[1][2])
        lines = [f"| first {N_SENTENCES} sentences | P | R | F1 |", "|---|---:|---:|---:|"]
        lines += [f"| {name} | {' | '.join(f'{100 * each:.1f}' for each in found)} |" for name, found in rows]
        return "\n".join(lines) if papers else ""


def questions(folder: Path, paper: str) -> tuple[Questions, list[Citation], dict[int, str]]:
    """Return the citations of a paper, their names, and the number of the sentence at each offset."""
    asked, sentences = Questions(), dict[int, str]()
    document = asked.document(paper)
    for part in ElementTree.parse(folder / "Reference_XML" / f"{paper}.xml").getroot():
        _write(document, part, sentences)
    texts = {
        _citation(row): row["Citation Text Clean"] or row["Citation Text"]
        for row in _rows(folder / "annotation" / f"{paper}.csv")
    }
    for text in texts.values():
        asked.ask(text, [(paper, 0, document.length)])  # the sentences are judged by `figures` alone
    return asked, list(texts), sentences


def _write(document: Document, part: ElementTree.Element, sentences: dict[int, str]) -> None:
    """Write a sentence, or a section with those in it."""
    if part.tag == "S":
        sentences[document.element("s", part.text or "")[1]] = part.attrib["sid"]
        return
    document.tag("<sec>")
    if title := part.get("title"):
        document.element("title", title)
    for each in part:
        _write(document, each, sentences)
    document.tag("</sec>")


def _found(folder: Path, paper: str) -> dict[str, Cited]:
    """Return the first sentences that each system finds for each citation."""
    asked, citations, sentences = questions(folder, paper)

    def first(ranking: Ranking | None) -> list[str]:
        starts = [] if ranking is None else ranking.starts.tolist()
        return [sentences[start] for start in starts if start in sentences][:N_SENTENCES]

    runs = compared(asked, "paragraphs:s", TagSelector(("s",)), ("R@5",)).runs
    return {
        run.run_id: {name: first(run.rankings.get(str(number))) for number, name in enumerate(citations, 1)}
        for run in runs
        if run.run_id not in (PASSAGES, SIBLINGS)
    }


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        found = csv.reader(lines)
        names = next(found, [])
        yield from (dict(zip(names, row, strict=True)) for row in found if len(row) == len(names))


def _citation(row: Mapping[str, str]) -> Citation:
    return row["Reference Article"].removesuffix(".xml"), row["Citing Article"].removesuffix(".xml")


def cited_in(file: Path) -> Cited:
    """Return what a file of annotations or of a run names; citations without the text of a sentence are left out."""
    return {
        _citation(row): [each.strip(" '\"") for each in row["Reference Offset"].strip("[]").split(",")]
        for row in _rows(file)
        if re.search(r"<S\b[^>]*>[^<]", row["Reference Text"], re.IGNORECASE)
    }


def figures(gold: Sequence[tuple[str, Cited]], submitted: Mapping[str, Cited]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over all sentences of all files of annotations whose paper was submitted."""
    hits = relevant = returned = 0
    for paper, cited in gold:
        for citation, sentences in cited.items() if paper in submitted else ():
            hits += sum(each in submitted[paper].get(citation, ()) for each in sentences)
            relevant += len(sentences)
        for citation, sentences in submitted.get(paper, {}).items():
            returned += sum(each not in cited.get(citation, ()) for each in sentences)
    returned += hits
    return hits / max(returned, 1), hits / max(relevant, 1), 2 * hits / max(returned + relevant, 1)


def _best_of_teams(
    folder: Path, papers: Sequence[str], gold: Sequence[tuple[str, Cited]]
) -> dict[str, tuple[float, float, float]]:
    """Return the figures of each team's best run by F1."""
    best: dict[str, tuple[float, float, float]] = {}
    for run in {path.parent for path in folder.rglob(f"{papers[0]}.csv")} if papers else ():
        found = figures(
            gold, {paper: cited_in(run / f"{paper}.csv") for paper in papers if (run / f"{paper}.csv").exists()}
        )
        team = run.relative_to(folder).parts[0]
        best[team] = max(found, best.get(team, (0.0, 0.0, 0.0)), key=lambda each: each[2])
    return best
