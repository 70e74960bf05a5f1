"""What a user is told once about runs, judgements and the topics outside a mean."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from engine.runs import Run
from eval.assessments import Assessments, Judgements
from eval.left_out import LeftOut
from eval.measures.plan import Step
from eval.measures.registry import Scores


def under_name(label: str, notice: str) -> str:
    """Return a notice of a run that says which run it is."""
    text = f"{label}: {notice}"
    return LeftOut(text) if isinstance(notice, LeftOut) else text


def run_notices(run: Run, assessments: Assessments, judged: Sequence[Judgements]) -> list[str]:
    """Return what is unusual about a run: topics without judgements or results, documents that were not judged."""
    notices = list(run.notices)
    unjudged = [topic for topic in run.rankings if topic not in assessments.topics]
    if unjudged:
        notices.append(LeftOut(f"topics not judged and left out: {len(unjudged)} ({_some(unjudged)})"))
    without = [judgements.topic for judgements in judged if judgements.topic not in run.rankings]
    if without:
        notices.append(f"judged topics without results: {len(without)} ({_some(without)})")
    found = [(run.rankings[j.topic], j.row_of_document) for j in judged if j.topic in run.rankings]
    unknown = sum(document not in known for ranking, known in found for document in ranking.documents)
    if unknown:
        total = sum(len(ranking) for ranking, _ in found)
        notices.append(f"{unknown} of {total} results lie in documents not judged (not relevant)")
    return notices


def caution_notices(cautions: Mapping[tuple[str, int], Counter[str]]) -> list[str]:
    """Return each caution of a run once, however many steps have it."""
    merged: dict[str, Counter[str]] = {}
    for (label, _), found in cautions.items():
        merged[label] = merged.get(label, Counter()) | found
    return [f"{label}: {text}: {count}" for label, found in merged.items() for text, count in found.items()]


def relevance_notices(steps: Sequence[Step], results: Mapping[tuple[str, int], Mapping[str, Scores]]) -> list[str]:
    """Return which topics have no value under a step, and so are outside its means."""
    notices = []
    for n, step in enumerate(steps):
        left_out = dict.fromkeys(
            topic
            for (_, number), topics in results.items()
            for topic, scores in topics.items()
            if number == n and all(value is None for value in scores.values())
        )
        if left_out:
            notices.append(f"{step}: topics without relevance, outside the mean: {len(left_out)} ({_some(left_out)})")
    return notices


def _some(names: Iterable[str], shown: int = 10) -> str:
    listed = list(names)
    return ", ".join(listed[:shown]) + (", ..." if len(listed) > shown else "")
