"""`foxir search`: a query in, its best answers out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.answers.answer import RankedAnswer
from engine.answers.answers import RankedAnswers
from engine.notices import Notice
from engine.ranking.scoring.passages import sentence_range
from engine.ranking.search import search
from engine.settings import Settings
from engine.wording.wording import counted
from foxir.searching.first_answers import total_relation
from foxir.searching.query_spelling import with_suggestions
from foxir.searching.word_budget_fallback import is_any_short_enough, search_within_budget
from foxir.terminal.command_class import count_option, headed_option
from foxir.terminal.console import print_json, warn
from foxir.terminal.control_characters import visible, visible_line
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.open_index import open_filled_index
from foxir.terminal.options.given_settings import check_image_weight
from foxir.terminal.options.image_option import image_option
from foxir.terminal.options.options import OUTPUT, index_argument, json_option, neighbours_option, quiet_option
from foxir.terminal.options.query_argument import QueryCommand, optional_query_argument, require_query
from foxir.terminal.options.search_options import settings_options

if TYPE_CHECKING:
    from engine.planning.image_query import ExampleImage
    from foxir.terminal.source_lines import SourcePlace

TOP = 10


@click.command(name="search", cls=QueryCommand)
@index_argument
@optional_query_argument
@image_option
@count_option(
    OUTPUT,
    "-n",
    "-k",
    "--top",
    default=None,
    show_default="10; all with --word-budget",
    help="Number of answers to print, of the --max-answers ranked.",
)
@count_option(OUTPUT, "--skip", minimum=0, default=0, help="Number of answers to skip before the first one printed.")
@headed_option(OUTPUT, "--text", "with_text", is_flag=True, help="Print the whole text of each answer.")
@headed_option(
    OUTPUT,
    "--lines",
    "with_lines",
    is_flag=True,
    help="Print file and line of each answer, from the sources if they have not changed.",
)
@neighbours_option("Elements around each answer, in --json: parent, children, previous, next; with --text their texts.")
@settings_options
@json_option
@quiet_option
def command(
    index: Path,
    query: str | None,
    images: tuple[str, ...],
    top: int | None,
    skip: int,
    with_text: bool,
    with_lines: bool,
    neighbours: tuple[str, ...],
    settings: Settings,
    as_json: bool,
    quiet: bool,
) -> int:
    """Answer a query with the best elements, best first.

    QUERY is words, with +required (the article contains it), -unwanted (the answer does not) and "quoted phrases", or a
    path query (NEXI) such as //sec[about(., words)]; '-' reads it from stdin. Quote a query that contains characters
    that are special to the shell. For text that people typed, --syntax plain reads every word as a word.

    \b
    Examples:
      foxir search demo.foxir fog signal range
      foxir search demo.foxir '+tide "chart datum" -gauge' --top 3
      foxir search demo.foxir '//sec[about(., fog signal)]//p'
      foxir search demo.foxir fog signal --max-sentences 3 --lines
      foxir search demo.foxir fog signal --top 10 --skip 10            # the second page
      foxir index sample.foxir collections                             # with images
      foxir search sample.foxir --image collections/images/bars-1.png  # elements with images like this one
      foxir search sample.foxir --image collections/images/bars-1.png fog signal   # and about these words
      echo 'fresnel lens' | foxir search demo.foxir - --json --text
    """
    if neighbours and not as_json:
        raise click.UsageError("--neighbours: needs --json.")
    if not images:
        require_query(query)
    query = query or ""
    opened, examples = open_filled_index(index), _examples(images)
    check_image_weight(opened, [query], settings, images)
    found = search_within_budget(lambda chosen: search(opened, query, chosen, images=examples).columns, settings)
    answers = RankedAnswers(opened, with_suggestions(opened, found))
    most = top if top is not None else len(answers) if settings.word_budget is not None else TOP
    page = answers.page(skip, skip + most) if as_json or not with_text else answers[skip : skip + most]
    notices = answers.notices
    if not len(answers) and is_any_short_enough(found):  # else a notice says why
        from foxir.searching.no_answer import why_empty, with_reason  # noqa: PLC0415  (most searches have answers)

        notices = with_reason(notices, why_empty(answers))
    for notice in notices:
        warn(notice, quiet=quiet)
    if len(answers) and not page:
        bound = ", as many as --max-answers allows" if _relation(answers) == "at_least" else ""
        warn(f"no answer after the first {skip:,}: there are {len(answers):,}{bound}.", quiet=quiet)
    lines, changed = _lines(page) if with_lines else (None, "")
    if as_json:
        document = to_json(answers, query, page, lines, notices, with_text=with_text)
        _add_neighbours(document, answers, page, neighbours, with_text=with_text)
        print_json(document)
    else:
        for answer, place in zip(page, lines or [None] * len(page), strict=True):
            click.echo(_shown(answer, place, with_text=with_text))
        if len(answers):
            click.echo(_counts(answers, skip, len(page)))
    if changed:
        warn(changed)
    return PARTLY if changed else DONE


def _lines(page: Sequence[RankedAnswer]) -> tuple[list[SourcePlace | None], str]:
    from foxir.terminal.source_lines import source_lines  # noqa: PLC0415  (it imports the reader of XML)

    return source_lines(page)


def _add_neighbours(
    document: dict[str, Any],
    answers: RankedAnswers,
    page: Sequence[RankedAnswer],
    names: Sequence[str],
    *,
    with_text: bool,
) -> None:
    """Give each answer of the document the neighbours that were asked for."""
    if not names:
        return
    from foxir.results.elements import Element  # noqa: PLC0415  (it imports the reader of XML)
    from foxir.results.neighbours import neighbours_of  # noqa: PLC0415

    for shown, answer in zip(document["answers"], page, strict=True):
        element = Element(answers.index, int(answers.elements[answer.rank - 1]))
        shown.update(neighbours_of(element, names, text=with_text))


def _counts(answers: RankedAnswers, skip: int, n_printed: int) -> str:
    """Return how many answers are printed, and of how many."""
    budget = answers.settings.word_budget
    size = "" if budget is None else f" of {counted(sum(answer.words for answer in answers), 'word')}"
    which = f"{skip + 1}-{skip + n_printed}" if skip and n_printed else str(n_printed)
    return f"{which} of {counted(len(answers), 'answer')}{size}, {answers.seconds * 1000:.1f} ms"


def _relation(answers: RankedAnswers) -> str:
    return total_relation(len(answers), answers.settings.max_answers)


def to_json(
    answers: RankedAnswers,
    query: str,
    page: Sequence[RankedAnswer],
    lines: Sequence[SourcePlace | None] | None,
    notices: Sequence[Notice],
    *,
    with_text: bool,
) -> dict[str, Any]:
    """Return what `--json` prints; `lines` are those of `--lines`, None without it."""
    shown = [answer.to_dict(text=with_text) for answer in page]
    for answer, place in zip(shown, lines or (), strict=lines is not None):
        answer["file"], answer["line"] = place or (None, None)
    return {
        "query": query,
        "interpretation": answers.interpretation,
        "notices": list(notices),
        "total": len(answers),
        "total_relation": _relation(answers),
        "answers": shown,
        "seconds": round(answers.seconds, 6),
    }


def _examples(images: Sequence[str]) -> Sequence[ExampleImage]:
    """Return the example images of the options; most searches have none."""
    if not images:
        return ()
    from foxir.searching.example_images import images_of  # noqa: PLC0415

    return images_of(images)


def _shown(answer: RankedAnswer, place: SourcePlace | None, *, with_text: bool) -> str:
    """Return an answer as lines of text."""
    head = f"{answer.rank:>3}. {click.style(visible_line(answer.document), bold=True)} {visible_line(answer.path)}"
    if answer.sentences is not None:
        head += f" {sentence_range(*answer.sentences)}"
    ranked = f"rsv {answer.rsv:.4f}" if answer.score is None else f"score {answer.score:.4f}"
    facts = f"     {ranked} · article {answer.article_rank} ({answer.article_score:.4f}) · characters "
    facts += f"{answer.start}-{answer.end} · {counted(answer.words, 'word')}"
    lines = [head, click.style(facts, dim=True)]
    if answer.image is not None:
        lines.append(f"     image {visible_line(answer.image)} ({answer.image_score:.4f})")
    if place is not None:
        lines.append(f"     {visible_line(place.file)}:{place.line}")
    if answer.breadcrumb:
        lines.append("     " + " › ".join(map(visible_line, answer.breadcrumb)))
    if with_text:
        return "\n".join([*lines, visible(answer.readable_text), ""])
    import shutil  # noqa: PLC0415  (imports bz2 and lzma)

    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    marked = visible(answer.snippet.marked("\x02", "\x03"), keep="\x02\x03")
    wrapped = click.wrap_text(marked, width, "     ", "     ")
    return "\n".join(
        [
            *lines,
            wrapped.replace("\x02", click.style("", bold=True, fg="yellow", reset=False)).replace("\x03", "\x1b[0m"),
            "",
        ]
    )
