"""`foxir search`: a query in, its best answers out, with file and line where these are asked for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from engine.errors import CollectionError
from engine.notices import Notice
from engine.ranking.scoring.passages import sentence_range
from engine.settings import Settings
from engine.wording import counted, shortened
from foxir.results.answers import Answers, facets_of
from foxir.results.elements import neighbours_of
from foxir.searching.first_answers import total_relation
from foxir.searching.missing_words import missing_words
from foxir.searching.no_answer import with_reason
from foxir.terminal.command_class import count_option, headed_option
from foxir.terminal.console import print_json, warn
from foxir.terminal.control_characters import visible, visible_line
from foxir.terminal.exit_status import DONE, PARTLY
from foxir.terminal.options.options import (
    OUTPUT,
    image_option,
    index_argument,
    json_option,
    open_filled_index,
    quiet_option,
)
from foxir.terminal.options.query_argument import QueryCommand, optional_query_argument, require_query
from foxir.terminal.options.search_options import check_image_weight, neighbours_option, settings_options

TOP = 10


@click.command(
    name="search",
    cls=QueryCommand,
    usual="--top --text --json --where --sort --in --unit --max-per-article --word-budget --syntax",
)
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
@headed_option(
    OUTPUT,
    "--group",
    type=click.Choice(["document", "none"]),
    default=None,
    show_default="document on a terminal; else, and with --word-budget or --json, none",
    help="Print the answers of a document together, under its title: -n and --skip count documents.",
)
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
    group: str | None,
    with_text: bool,
    with_lines: bool,
    neighbours: tuple[str, ...],
    settings: Settings,
    as_json: bool,
    quiet: bool,
) -> int:
    """Answer a query with the best elements, best first.

    QUERY is words, with +required (the article contains it), -unwanted (the answer does not), "quoted phrases",
    (lamp OR lantern), fog AND horn, fog NOT horn, light*, bouy~1 and field:value, or a path query (NEXI) such as
    //sec[about(., words)]; '-' reads it from stdin. Quote a query that contains characters that are special to the
    shell. For text that people typed, --syntax plain reads every word as a word.

    The line below an answer has its score, the rank and score of its article, its characters in the document, and its
    length in words. Compare only scores of one query; 'foxir explain' shows the parts of a score.

    \b
    Examples:
      foxir search demo.foxir fog signal range
      foxir search demo.foxir '+tide "chart datum" -gauge' --top 3
      foxir search demo.foxir '//sec[about(., fog signal)]//p'
      foxir search demo.foxir fog signal --max-sentences 3 --lines
      foxir search demo.foxir fog signal --where 'year >= 2000' --facets year,author --sort -date
      foxir search demo.foxir author:strand date:2000..              # fields in the query
      foxir search demo.foxir fog signal --top 10 --skip 10            # the second page
      foxir search demo.foxir fog signal --group document              # as on a terminal
      foxir index sample.foxir collections                             # with images
      foxir search demo.foxir sample.foxir fog signal                  # several indexes as one
      foxir search sample.foxir --image collections/images/bars-1.png  # elements with images like this one
      foxir search sample.foxir --image collections/images/bars-1.png fog signal   # and about these words
      echo 'fresnel lens' | foxir search demo.foxir - --json --text
    """
    if neighbours and not as_json:
        raise click.UsageError("--neighbours: needs --json.")
    if group == "document" and as_json:
        raise click.UsageError("--group document: is for readers; --json has answers one by one.")
    if not images and settings.where is None and settings.documents is None:
        require_query(query)
    query = query or ""
    opened = open_filled_index(index)
    check_image_weight(opened.reader, [query], settings, images)
    answers = opened.search(query, settings, image=images)
    usual = "document" if sys.stdout.isatty() and not as_json and settings.word_budget is None else "none"
    if (group or usual) == "document":
        return _print_groups(answers, skip, top or TOP, with_text=with_text, with_lines=with_lines, quiet=quiet)
    most = top if top is not None else len(answers) if settings.word_budget is not None else TOP
    page = answers[skip : skip + most]
    notices = with_reason(answers.notices, answers.reason)
    for notice in notices:
        warn(notice, quiet=quiet)
    if len(answers) and not page:
        bound = ", as many as --max-answers allows" if _relation(answers) == "at_least" else ""
        warn(f"no answer after the first {skip:,}: there are {len(answers):,}{bound}.", quiet=quiet)
    lines, changed = source_lines(page) if with_lines else (None, "")
    if as_json:
        document = to_json(answers, page, lines, notices, with_text=with_text)
        _add_neighbours(document, page, neighbours, with_text=with_text)
        print_json(document)
    else:
        before: Answers | None = None
        missing = missing_words(page)
        for number, (place, lacks) in enumerate(zip(lines or [None] * len(page), missing, strict=True)):
            alone = page[number : number + 1]
            click.echo(_shown(alone, place, lacks, before, with_text=with_text))
            before = alone
        if len(answers):
            click.echo(_counts(answers, skip, len(page)))
        _print_facets(answers)
    if changed:
        warn(changed)
    return PARTLY if changed else DONE


# Values of a facet that are printed.
MOST_VALUES = 12


def _print_facets(answers: Answers) -> None:
    """Print a line on each field whose values were counted."""
    for name, counts in answers.facets.items():
        shown = ", ".join(
            f"{visible_line(shortened(str(value)))} {n:,}" for value, n in [*counts.items()][:MOST_VALUES]
        )
        more = f", and {len(counts) - MOST_VALUES:,} more" if len(counts) > MOST_VALUES else ""
        click.echo(f"{name}: {shown or 'no value'}{more}")


# Further answers of a document that are printed, on a line each.
MOST_MORE = 3


def _print_groups(answers: Answers, skip: int, top: int, *, with_text: bool, with_lines: bool, quiet: bool) -> int:
    """Print the best answers of each document under its title, and return the exit status."""
    from foxir.terminal.answer_groups import card  # noqa: PLC0415  (it imports titles)

    for notice in with_reason(answers.notices, answers.reason):
        warn(notice, quiet=quiet)
    groups = answers.by_document()
    page = groups[skip : skip + top]
    if groups and not page:
        warn(f"no document after the first {skip:,}: there are {len(groups):,}.", quiet=quiet)
    best = answers.at([int(group.ranks[0]) - 1 for group in page])
    lines, changed = source_lines(best) if with_lines else (None, "")
    missing = missing_words(best)
    for number, (group, place, lacks) in enumerate(zip(page, lines or [None] * len(page), missing, strict=True)):
        where = None if place is None else f"{place.file}:{place.line}"
        click.echo(card(group, skip + number + 1, where, lacks, n_more=MOST_MORE, with_text=with_text))
    if groups:
        click.echo(f"{len(page)} of {counted(len(groups), 'document')}, {_counts(answers, 0, len(answers))}")
    _print_facets(answers)
    if changed:
        warn(changed)
    return PARTLY if changed else DONE


class SourcePlace(NamedTuple):
    """A line of a file, from 1."""

    file: str
    line: int


def source_lines(answers: Answers) -> tuple[list[SourcePlace | None], str]:
    """Return where each answer begins in its source, None where the source has changed, and a message on these.

    An element begins with its tag, a passage with its text. The message is "" if all places are known.
    """
    from engine.presentation.source_documents import SourceDocuments  # noqa: PLC0415  (it imports the reader of XML)

    places: list[SourcePlace | None] = []
    problems: dict[str, str] = {}
    if not answers:
        return places, ""
    with SourceDocuments(answers.reader) as sources:
        for answer in answers:
            try:
                source = sources.document(answer.element.number)
                line = source.line_of_text(answer.start) if answer.is_stretch else source.line(answer.element.row)
            except CollectionError as error:
                problems[answer.document] = str(error)
                places.append(None)
            else:
                places.append(SourcePlace(source.file, line))
    if not problems:
        return places, ""
    more = f" {counted(len(problems) - 1, 'more document')} likewise." if len(problems) > 1 else ""
    return places, f"no line: {next(iter(problems.values()))}{more}"


def _add_neighbours(document: dict[str, Any], page: Answers, names: Sequence[str], *, with_text: bool) -> None:
    """Give each answer of the document the neighbours that were asked for."""
    for shown, answer in zip(document["answers"], page, strict=True):
        shown.update(neighbours_of(answer.element, names, text=with_text))


def _counts(answers: Answers, skip: int, n_printed: int) -> str:
    """Return the number of printed answers, and of all."""
    budget = answers.settings.word_budget
    size = "" if budget is None else f" of {counted(int(answers.words.sum()), 'word')}"
    which = f"{skip + 1}-{skip + n_printed}" if skip and n_printed else str(n_printed)
    return f"{which} of {counted(len(answers), 'answer')}{size}, {answers.seconds * 1000:.1f} ms"


def _relation(answers: Answers) -> str:
    return total_relation(len(answers), answers.settings.max_answers)


def to_json(
    answers: Answers,
    page: Answers,
    lines: Sequence[SourcePlace | None] | None,
    notices: Sequence[Notice],
    *,
    with_text: bool,
) -> dict[str, Any]:
    """Return the document of `--json`; `lines` are of `--lines`, None without it."""
    shown = page.to_dict(text=with_text)["answers"]
    for answer, place in zip(shown, lines or (), strict=lines is not None):
        answer["file"], answer["line"] = place or (None, None)
    return {
        "query": answers.query,
        "interpretation": answers.interpretation,
        "notices": list(notices),
        "total": len(answers),
        "total_relation": _relation(answers),
        "answers": shown,
        **facets_of(answers),
        "seconds": round(answers.seconds, 6),
    }


def _shown(
    alone: Answers, place: SourcePlace | None, lacks: Sequence[str], before: Answers | None, *, with_text: bool
) -> str:
    """Return one answer as lines of text; lacks: words of the query that it is without; before: the one above it."""
    from foxir.terminal.answer_groups import (  # noqa: PLC0415  (it imports titles)
        also_in,
        snippet_lines,
        titles_above,
        without,
    )

    answer = alone[0]
    head = f"{answer.rank:>3}. {click.style(visible_line(answer.document), bold=True)} {visible_line(answer.path)}"
    if answer.sentences is not None:
        head += f" {sentence_range(*answer.sentences)}"
    if answer.siblings is not None:
        head += f" in {' to '.join(map(visible_line, answer.siblings))}"
    ranked = f"score {answer.score:.4f}" if answer.has_score else f"rsv {answer.rsv:.4f}"
    facts = f"     {ranked} · article {answer.article_rank} ({answer.article_score:.4f}) · characters "
    facts += f"{answer.start}-{answer.end} · {counted(answer.words, 'word')}"
    lines = [head, click.style(facts, dim=True)]
    if answer.image is not None:
        lines.append(f"     image {visible_line(answer.image)} ({answer.image_score:.4f})")
    if place is not None:
        lines.append(f"     {visible_line(place.file)}:{place.line}")
    lines += [f"     {line}" for line in without(lacks)]
    lines += [f"     {visible_line(line)}" for line in also_in(answer)]
    if titles := answer.breadcrumb if with_text else titles_above(alone, answer.breadcrumb):
        lines.append("     " + " › ".join(map(visible_line, titles)))
    if with_text:
        return "\n".join([*lines, visible(answer.readable_text), ""])
    import shutil  # noqa: PLC0415  (imports bz2 and lzma)

    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    return "\n".join([*lines, *snippet_lines(alone, width, "     ", before), ""])
