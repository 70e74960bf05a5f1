"""The tables in Markdown. An empty cell has not been computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.effectiveness.best_peers import (
    BOUND,
    FOXIR,
    PEER,
    RATIOS_OF,
    Entry,
    PeerComparison,
    TaskRows,
    best,
    geometric_mean,
)
from bench.effectiveness.measures import SHOWN, TASKS, Values
from bench.effectiveness.table import estimate, note, shown_p
from bench.effectiveness.variants import VARIANTS

NO_TREATMENT = "–"  # of words: ideal answers, and foxir without options


def task_page(collection: str, rows: TaskRows, groups: Mapping[str, Sequence[int]], seed: int) -> str:
    """Return the table of a task: a row a system, its means under every variant, the best of them with its interval."""
    measures = TASKS[rows.task].measures
    shown = [SHOWN.get(measure, measure) for measure in measures]
    variants = [variant.title for variant in VARIANTS.values()]
    peers = {measure: rows.best(PEER, measure) for measure in measures}
    lines = [f"### {collection}: {TASKS[rows.task].title}", ""]
    for measure, name in zip(measures, shown, strict=True):
        if peer := peers[measure]:
            lines += [f"Best peer in {name}: {peer}, {peer.values[measure].mean():.4f}.", ""]
    head = [f"system: {' / '.join(shown)}", *variants, *(f"best {name}: 95 %, ×, p" for name in shown)]
    lines += ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    every = {name: rows.of(kind, name) for kind in (PEER, BOUND, FOXIR) for name in rows.names(kind)}
    if rows.plain:
        every[str(rows.plain)] = {"": rows.plain}
    for name, row in every.items():
        is_treated = any(row)  # the treatment is "" where there is none
        cells = [_means(row[variant], measures) if variant in row else "" for variant in variants]
        notes = []
        for measure in measures:
            top = best(row.values(), measure)
            peer = peers[measure]
            against = None if peer is None or top is peer or top is None else peer.values[measure]
            notes.append(note(estimate(top.values[measure], against, seed), with_mean=not is_treated) if top else "")
        shown_cells = cells if is_treated else [NO_TREATMENT] * len(cells)
        lines.append("| " + " | ".join([name, *shown_cells, *notes]) + " |")
    return "\n".join(lines) + "\n\n" + _groups(rows, groups)


def _means(entry: Entry, measures: Sequence[str]) -> str:
    return " / ".join(f"{entry.values[measure].mean():.4f}" for measure in measures)


def _groups(rows: TaskRows, groups: Mapping[str, Sequence[int]]) -> str:
    """Return the means of every group of topics, of the best peers and the default; empty for a single group."""
    if len(groups) == 1 or rows.plain is None:
        return ""
    measures = TASKS[rows.task].measures
    entries = {str(peer): peer for measure in measures if (peer := rows.best(PEER, measure))}
    entries["foxir, no options"] = rows.plain
    head = ["system", *(f"{SHOWN.get(measure, measure)} {group}" for measure in measures for group in groups)]
    lines = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    for name, entry in entries.items():
        means = [f"{entry.values[m][list(topics)].mean():.4f}" for m in measures for topics in groups.values()]
        lines.append("| " + " | ".join([name, *means]) + " |")
    return "\n".join(lines) + "\n\n"


def summary(found: Sequence[PeerComparison], pairs: Sequence[tuple[Values, Values]], seed: int) -> str:
    """Return the default beside the best peers of every collection, a table a task, and the mean of all ratios."""
    lines = ["## foxir without options, beside the best peer of each collection", ""]
    if pairs:
        ratio, low, high = geometric_mean(pairs, seed)
        lines += [
            f"Geometric mean of the {len(pairs)} ratios of {TASKS[RATIOS_OF].title}: {ratio:.3f} "
            f"({low:.3f}–{high:.3f}).",
            "",
        ]
    for task in dict.fromkeys(each.task for each in found):
        lines += [f"### {TASKS[task].title}", ""]
        head = "| collection | measure | best peer | peer | foxir | 95 % | × | p | best options of foxir | × |"
        lines += [head, "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |"]
        lines += [_comparison(each) for each in found if each.task == task]
        lines.append("")
    return "\n".join(lines)


def _comparison(each: PeerComparison) -> str:
    mine = each.foxir
    ratio = "" if mine.ratio is None else f"{mine.ratio:.2f}"
    own = f"{mine.mean / each.best_mean:.2f}" if each.best_mean else ""
    cells = [
        each.collection,
        SHOWN.get(each.measure, each.measure),
        str(each.peer),
        f"{each.peer_mean:.4f}",
        f"{mine.mean:.4f}",
        f"{mine.low:.4f}–{mine.high:.4f}",
        ratio,
        shown_p(mine.p),
        f"{each.best_options}: {each.best_mean:.4f}",
        own,
    ]
    return "| " + " | ".join(cells) + " |"
